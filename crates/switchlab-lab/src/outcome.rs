//! The replications of one switch summed up: intervals, the verdict, sums over runs.
//!
//! Between `run`, which measures, and `compare` and `experiment`, which arrange runs. `statistics`
//! knows neither: it sees numbers only.

use crate::class_delays::ClassDelays;
use crate::overload::KindOfOutput;
use crate::port_delays::PortDelays;
use crate::run::{Cells, Measured};
use crate::statistics::{BatchMeans, Estimate, Percentile, Share, Stability, Verdict, assess, mser5, percentile};
use std::collections::BTreeMap;
use switchlab_core::meter::occupancy::Lengths;
use switchlab_core::meter::{Histogram, Lags};

/// A sign that a window was measured before the steady state was reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TransientSign {
    /// The backlog still grows, but more and more slowly.
    Filling {
        /// At least how many measured slots it takes to decide.
        slots: u64,
    },
    /// The mean delay and Little's law disagree beyond their intervals.
    Little {
        /// The mean delay of the cells that left.
        delay: f64,
        /// The mean delay by Little's law.
        little: f64,
    },
}

/// Windows of fewer bins are too short to find the end of the warm-up in.
const LEAST_BINS: usize = 100;

/// A window of which much belongs to the warm-up, by MSER-5.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WarmingUp {
    /// How many of its slots; None if no end of the warm-up was found in it.
    pub slots: Option<u64>,
}

/// What was measured of one switch.
#[derive(Debug)]
pub struct Outcome {
    /// The canonical spec.
    pub spec: String,
    /// Each replication.
    pub runs: Vec<Measured>,
    /// All delays together.
    pub delays: Histogram,
    /// The mean delay; None if no cell has left.
    pub delay: Option<Estimate>,
    /// The mean delay by Little's law, which counts cells that are still inside; None if no cell
    /// was accepted.
    pub little: Option<Estimate>,
    /// The mean delay less the one by Little's law, replication by replication.
    little_gap: Option<Estimate>,
    /// Departures per output and slot.
    pub throughput: Estimate,
    /// Stable or not, and why.
    pub stability: Stability,
    /// The mean delay less that of the plan's first switch on the same arrivals; None for the
    /// first.
    pub versus_first: Option<Estimate>,
}

impl Outcome {
    /// A short name: the spec without the parameters that have their default value.
    pub fn label(&self) -> String {
        crate::registry::short(&self.spec)
    }

    /// A trace is finite: whatever its backlog does, it says nothing of what comes after it.
    pub(crate) fn of_a_trace(&mut self) {
        self.stability.verdict = Verdict::Undecided;
    }

    /// The cells that arrived in the windows, by what happened to them, over all replications.
    pub fn cells(&self) -> Cells {
        self.runs.iter().fold(Cells::default(), |sum, run| sum + run.cells)
    }

    /// The switch's own counters, over all replications.
    pub fn counters(&self) -> BTreeMap<&'static str, f64> {
        // Counters have no bound of their own, so their sums over replications are kept in 128
        // bits.
        let mut sums: BTreeMap<&'static str, (u128, u128)> = BTreeMap::new();
        for counter in self.runs.iter().flat_map(|run| &run.counters) {
            let (sum, per) = sums.entry(counter.name).or_default();
            *sum += u128::from(counter.sum);
            *per += u128::from(counter.per);
        }
        let mut counters: BTreeMap<&'static str, f64> = sums
            .into_iter()
            .filter(|(_, (_, per))| *per > 0)
            .map(|(name, (sum, per))| (name, sum as f64 / per as f64))
            .collect();
        // A delay is a mean over replications, as `delay.mean` is, so that the two differ by the
        // stages only.
        for (name, value) in counters.iter_mut().filter(|(name, _)| name.starts_with("delay_")) {
            let own = self.runs.iter().flat_map(|run| &run.counters);
            let means = own.filter(|counter| counter.name == *name && counter.per > 0);
            let means: Vec<f64> = means.map(|counter| counter.sum as f64 / counter.per as f64).collect();
            *value = means.iter().sum::<f64>() / means.len().max(1) as f64;
        }
        counters
    }

    /// How far cells were behind the ideal output-queued switch, over all replications; None if
    /// that was not measured.
    pub fn oq_lag(&self) -> Option<Lags> {
        let mut lags = self.runs.iter().filter_map(|run| run.oq_lag);
        let first = lags.next()?;
        Some(lags.fold(first, |mut sum, more| {
            sum.merge(&more);
            sum
        }))
    }

    /// The share of the cells that were dropped.
    pub fn loss(&self) -> f64 {
        let cells = self.cells();
        if cells.arrived == 0 { 0.0 } else { cells.dropped as f64 / cells.arrived as f64 }
    }

    /// A percentile of the delays, with its interval; None if no cell has left.
    pub fn percentile(&self, share: Share) -> Option<Percentile> {
        let delays: Vec<&Histogram> = self.runs.iter().map(|run| &run.delays).collect();
        percentile(&delays, share)
    }

    /// Slots spent at each queue length, over all replications; None if that was not measured.
    pub fn occupancy(&self) -> Option<Lengths> {
        let mut lengths = self.runs.iter().filter_map(|run| run.occupancy.clone());
        let first = lengths.next()?;
        Some(lengths.fold(first, |mut sum, more| {
            sum.merge(&more);
            sum
        }))
    }

    /// Delays by port, over all replications; None if they were not measured.
    pub fn port_delays(&self) -> Option<PortDelays> {
        let mut delays = self.runs.iter().filter_map(|run| run.port_delays.as_ref());
        let mut sum = delays.next()?.clone();
        delays.for_each(|more| sum.merge(more));
        Some(sum)
    }

    /// Whether some outputs are oversubscribed, so that the verdict is about the others.
    pub fn is_oversubscribed(&self) -> bool {
        self.runs.iter().any(|run| run.within.is_some())
    }

    /// Oversubscribed outputs and the others, over all replications; None if none is, or if this
    /// was read from a store.
    pub fn kinds(&self) -> Option<[KindOfOutput; 2]> {
        let mut runs = self.runs.iter().filter_map(|run| run.kinds.as_ref());
        let mut sum = runs.next()?.clone();
        runs.for_each(|more| sum.iter_mut().zip(more).for_each(|(sum, more)| sum.merge(more)));
        Some(sum)
    }

    /// Cells by class, over all replications; None if they have no classes.
    pub fn class_delays(&self) -> Option<ClassDelays> {
        let mut delays = self.runs.iter().filter_map(|run| run.class_delays.as_ref());
        let mut sum = delays.next()?.clone();
        delays.for_each(|more| sum.merge(more));
        Some(sum)
    }

    /// The mean delay of a class over replications, as that of all cells is; None if none of its
    /// cells has left.
    pub fn class_delay(&self, class: usize) -> Option<Estimate> {
        let classes = self.runs.iter().filter_map(|run| run.class_delays.as_ref()?.classes.get(class));
        let means: Vec<f64> = classes.filter_map(|class| class.delays.mean()).collect();
        (!means.is_empty()).then(|| Estimate::of(&means))
    }

    /// Why the delays may not be those of the steady state; None if nothing speaks against them.
    pub fn transient(&self) -> Option<TransientSign> {
        if self.stability.verdict == Verdict::Unstable {
            return None;
        }
        if let Some(slots) = self.stability.evidence.filling {
            return Some(TransientSign::Filling { slots });
        }
        if self.is_oversubscribed() {
            return None;
        }
        // Little's law holds in every window up to what is inside at its ends. A gap that is both
        // certain and wider than the interval of the mean is no longer a matter of the ends.
        let (delay, little, gap) = (self.delay?, self.little?, self.little_gap?);
        let certain = gap.half_width.is_some_and(|width| gap.mean.abs() > width);
        let matters = delay.half_width.is_some_and(|width| gap.mean.abs() > width);
        (certain && matters).then_some(TransientSign::Little { delay: delay.mean, little: little.mean })
    }

    /// The backlog over time: the slots of a bin, and for each replication the mean backlog in each
    /// full bin. Runs that ended early have narrower bins; all get the widest, a power of two.
    pub(crate) fn backlogs(&self) -> (u64, Vec<Vec<f64>>) {
        let width = self.runs.iter().map(|run| run.judged().width()).max().unwrap_or(1);
        let means = self.runs.iter().map(|run| {
            let join = (width / run.judged().width()) as usize;
            let sums = run.judged().full_bins().chunks_exact(join);
            let sums = sums.map(|bins| bins.iter().map(|bin| bin.backlog_sum).sum::<u64>());
            sums.map(|sum| sum as f64 / width as f64).collect()
        });
        (width, means.collect())
    }

    /// How many of the measured slots MSER-5 would discard as warm-up, if these are too many: more
    /// than three tenths of them. By the backlog averaged over replications, which shows a trend
    /// that single replications hide. A window that is too short for MSER-5 is not blamed.
    ///
    /// Of 240 windows of 200,000 slots in the steady state, one is blamed with 3 replications, and
    /// none of 72 with 10; of single runs, 10 of 720. Of 80 windows of 20,000 slots of switches
    /// that are still filling up (islip and serena with 32 ports at load 0.9), 76 are found with 3
    /// replications, and all of 24 with 10.
    pub fn warming_up(&self) -> Option<WarmingUp> {
        let (width, means) = self.backlogs();
        let bins = means.iter().map(Vec::len).min().unwrap_or(0);
        let series: Vec<f64> = (0..bins).map(|bin| means.iter().map(|means| means[bin]).sum()).collect();
        let cut = mser5(&series);
        let is_long = 10 * cut.observations > 3 * bins;
        let slots = cut.reliable.then_some(cut.observations as u64 * width);
        (bins >= LEAST_BINS && (is_long || slots.is_none())).then_some(WarmingUp { slots })
    }

    /// For each port, over all replications: cells arrived at the input, those of them that left,
    /// cells arrived for the output, those of them that left.
    pub fn per_port(&self, ports: usize) -> Vec<[u64; 4]> {
        let mut sums = vec![[0; 4]; ports];
        for run in &self.runs {
            for (sum, (input, output)) in sums.iter_mut().zip(run.by_input.iter().zip(&run.by_output)) {
                for (sum, more) in sum.iter_mut().zip([input.0, input.1, output.0, output.1]) {
                    *sum += more;
                }
            }
        }
        sums
    }
}

/// Sums up the replications of a switch; `first` are those of the switch to compare it with.
pub(crate) fn outcome(spec: String, runs: &[Measured], first: Option<&[Measured]>) -> Outcome {
    let mut delays = Histogram::new();
    for run in runs {
        delays.merge(&run.delays);
    }
    let (delay, throughput) = if let [run] = runs {
        let means = BatchMeans::of(&run.timeline, run.ports);
        (means.delay, Estimate { mean: run.throughput(), ..means.throughput })
    } else {
        let delays: Vec<f64> = runs.iter().filter_map(Measured::mean_delay).collect();
        let throughputs: Vec<f64> = runs.iter().map(Measured::throughput).collect();
        (Estimate::of(&delays), Estimate::of(&throughputs))
    };
    let by_little: Vec<f64> = runs.iter().filter_map(Measured::little_delay).collect();
    let both = runs.iter().filter_map(|run| Some((run.mean_delay()?, run.little_delay()?)));
    let gaps: Vec<f64> = both.map(|(delay, little)| delay - little).collect();
    let estimate = |values: &[f64]| (!values.is_empty()).then(|| Estimate::of(values));
    let windows: Vec<_> = runs.iter().map(Measured::window).collect();
    Outcome {
        spec,
        delays,
        delay: (!delay.mean.is_nan()).then_some(delay),
        little: estimate(&by_little),
        little_gap: estimate(&gaps),
        throughput,
        stability: assess(&windows),
        versus_first: first.and_then(|first| versus(runs, first)),
        runs: runs.to_vec(),
    }
}

/// The difference of mean delays, replication by replication: the arrivals are the same, so most of
/// their randomness cancels, and the interval of the difference is narrower than the two intervals
/// suggest. A single run has a difference without interval.
fn versus(runs: &[Measured], first: &[Measured]) -> Option<Estimate> {
    let pairs: Option<Vec<(f64, f64)>> =
        runs.iter().zip(first).map(|(a, b)| Some((a.mean_delay()?, b.mean_delay()?))).collect();
    let (a, b): (Vec<f64>, Vec<f64>) = pairs?.into_iter().unzip();
    Some(Estimate::paired(&a, &b))
}
