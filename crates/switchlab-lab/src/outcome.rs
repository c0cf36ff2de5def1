//! The replications of one switch summed up: intervals, the verdict, sums over runs.
//!
//! Between `run`, which measures, and `compare` and `experiment`, which arrange runs. `statistics`
//! knows neither: it sees numbers only.

use crate::run::{Cells, Measured};
use crate::statistics::{BatchMeans, Estimate, Stability, assess};
use std::collections::BTreeMap;
use switchlab_core::meter::{Histogram, Lags};

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
    /// Departures per output and slot.
    pub throughput: Estimate,
    /// Stable or not, and why.
    pub stability: Stability,
    /// The mean delay less that of the plan's first switch on the same arrivals; None for the
    /// first.
    pub versus_first: Option<Estimate>,
}

impl Outcome {
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
    let windows: Vec<_> = runs.iter().map(Measured::window).collect();
    Outcome {
        spec,
        delays,
        delay: (!delay.mean.is_nan()).then_some(delay),
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
