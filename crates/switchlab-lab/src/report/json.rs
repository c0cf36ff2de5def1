//! Results as JSON: one object per switch. Its keys and their meaning are fixed.

use crate::class_delays::ClassCells;
use crate::compare::Comparison;
use crate::outcome::Outcome;
use crate::overload::KindOfOutput;
use crate::plan::Plan;
use crate::port_delays::CoarseDelays;
use crate::run::Cells;
use crate::statistics::percentiles::{STANDARD, with_standard};
use crate::statistics::{Estimate, Share};
use serde::Serialize;
use std::collections::BTreeMap;
use switchlab_core::meter::{Histogram, Lags};

/// The results of one switch. A figure that does not exist, such as a mean of no delays, is null.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The canonical spec of the switch.
    pub switch: String,
    /// The number of ports.
    pub ports: usize,
    /// The canonical traffic spec.
    pub traffic: String,
    /// The canonical arrival process, or `trace`.
    pub arrivals: String,
    /// The load of a line; of a matrix from a file, that of its busiest line.
    pub load: f64,
    /// The seed.
    pub seed: u64,
    /// Independent replications.
    pub replications: u32,
    /// Measured slots of each.
    pub slots: u64,
    /// Slots that were run before.
    pub warmup: u64,
    /// Delays of cells that arrived and left in the measured slots.
    pub delay: Delay,
    /// Departures per output and measured slot.
    pub throughput: Figure,
    /// Cells inside.
    pub backlog: Backlog,
    /// The cells that arrived in the measured slots, by what happened to them.
    pub cells: Cells,
    /// `stable`, `unstable` or `undecided`.
    pub verdict: String,
    /// The switch's own counters.
    pub counters: BTreeMap<&'static str, f64>,
    /// The lag behind the ideal output-queued switch, if it was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oq_lag: Option<OqLag>,
    /// Why the verdict is what it is.
    pub evidence: String,
    /// Of a switch that is still filling up: at least how many measured slots it takes to decide.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slots_to_decide: Option<u64>,
    /// The share of the cells that were dropped.
    pub loss: f64,
    /// What the rates of a matrix from a file are multiplied by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// The load of the busiest input of a matrix from a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub busiest_input: Option<f64>,
    /// The load of the busiest output of a matrix from a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub busiest_output: Option<f64>,
    /// How long queues were at the end of a slot, if that was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub occupancy: Option<Occupancy>,
    /// Jain's index over flows of departed / arrived, averaged over replications.
    pub fairness: Option<f64>,
    /// The mean delay less that of the first switch on the same arrivals.
    pub versus_first: Option<Figure>,
    /// After how many slots the first run ended for lack of memory.
    pub ended_early: Option<u64>,
    /// The cells of each class, if they have classes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classes: Option<Vec<ClassFigures>>,
    /// The cells for oversubscribed outputs, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oversubscribed: Option<OutputFigures>,
    /// Then also those for the other outputs, which the verdict is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within_share: Option<OutputFigures>,
    /// By port: arrived at the input, of them departed, arrived for the output, of them departed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_port: Option<Vec<[u64; 4]>>,
    /// The cells of each input, if that was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inputs: Option<Vec<PortFigures>>,
    /// The cells for each output, if that was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outputs: Option<Vec<PortFigures>>,
    /// The cells of each input for each output that any have left for, if that was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs: Option<Vec<PairFigures>>,
}

/// The cells of an input, or those for an output.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct PortFigures {
    /// The port.
    pub port: usize,
    /// Cells that arrived in the measured slots.
    pub arrived: u64,
    /// Those of them that left.
    pub departed: u64,
    /// Their delays.
    pub delay: CoarseFigures,
}

/// The cells of a class.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ClassFigures {
    /// The class.
    pub class: usize,
    /// Cells that arrived in the measured slots.
    pub arrived: u64,
    /// Those of them that left.
    pub departed: u64,
    /// Those of them that were dropped.
    pub dropped: u64,
    /// Their delays. The mean is over replications, as that of all cells is.
    pub delay: CoarseFigures,
    /// Half the width of the 95 % interval of the mean delay.
    pub delay_ci95: Option<f64>,
}

/// The cells for oversubscribed outputs, or those for the others.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct OutputFigures {
    /// How many outputs there are of the kind.
    pub outputs: usize,
    /// Arrivals per output and slot.
    pub offered: f64,
    /// Departures per output and slot.
    pub utilisation: f64,
    /// Delays of cells that arrived and left in the measured slots.
    pub delay: CoarseFigures,
}

/// The cells of an input for an output.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct PairFigures {
    /// The input.
    pub input: usize,
    /// The output.
    pub output: usize,
    /// Cells that arrived and left in the measured slots.
    pub departed: u64,
    /// Their delays.
    pub delay: CoarseFigures,
}

/// Delays of some of the cells; null where none has left. Percentiles above 127 are within 0.8 %.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct CoarseFigures {
    /// The mean.
    pub mean: Option<f64>,
    /// The median.
    pub p50: Option<u32>,
    /// 99 % of the cells have at most this delay.
    pub p99: Option<u32>,
    /// The longest delay.
    pub max: Option<u32>,
}

impl From<&CoarseDelays> for CoarseFigures {
    fn from(delays: &CoarseDelays) -> Self {
        Self { mean: delays.mean(), p50: delays.quantile(500), p99: delays.quantile(990), max: delays.max() }
    }
}

/// The cells of each input and those for each output; None if their delays were not measured.
pub fn ports(outcome: &Outcome, ports: usize) -> Option<[Vec<PortFigures>; 2]> {
    let (delays, counts) = (outcome.port_delays()?, outcome.per_port(ports));
    let side = |delays: &[CoarseDelays], first: usize| {
        let figures = delays.iter().zip(&counts).enumerate();
        let figures = figures.map(|(port, (delays, counts))| PortFigures {
            port,
            arrived: counts[first],
            departed: counts[first + 1],
            delay: delays.into(),
        });
        figures.collect()
    };
    Some([side(&delays.inputs, 0), side(&delays.outputs, 2)])
}

/// The cells of each pair of an input and an output that has any; None if they were not measured.
pub fn pairs(outcome: &Outcome, ports: usize) -> Option<Vec<PairFigures>> {
    let delays = outcome.port_delays().filter(|delays| !delays.pairs.is_empty())?;
    let with_cells = delays.pairs.iter().enumerate().filter(|(_, delays)| delays.cells() > 0);
    let figures = with_cells.map(|(pair, delays)| PairFigures {
        input: pair / ports,
        output: pair % ports,
        departed: delays.cells(),
        delay: delays.into(),
    });
    Some(figures.collect())
}

/// The cells of each class; None if they have no classes.
pub fn classes(outcome: &Outcome) -> Option<Vec<ClassFigures>> {
    let figures = |(class, cells): (usize, &ClassCells)| {
        let mean = outcome.class_delay(class);
        let delay = CoarseFigures { mean: mean.map(|mean| mean.mean), ..CoarseFigures::from(&cells.delays) };
        ClassFigures {
            class,
            arrived: cells.arrived,
            departed: cells.delays.cells(),
            dropped: cells.dropped,
            delay,
            delay_ci95: mean.and_then(|mean| mean.half_width),
        }
    };
    Some(outcome.class_delays()?.classes.iter().enumerate().map(figures).collect())
}

/// The cells for oversubscribed outputs and those for the others; None if no output is.
pub fn kinds(outcome: &Outcome) -> Option<[OutputFigures; 2]> {
    let slots: u64 = outcome.runs.iter().map(|run| run.slots).sum();
    let figures = |kind: &KindOfOutput| {
        let per = |cells: u64| cells as f64 / (slots as f64 * kind.outputs as f64).max(1.0);
        OutputFigures {
            outputs: kind.outputs,
            offered: per(kind.arrived),
            utilisation: per(kind.departures),
            delay: (&kind.delays).into(),
        }
    };
    outcome.kinds().map(|kinds| kinds.each_ref().map(figures))
}

/// Delays in slots; null where no cell has left.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Delay {
    /// The mean.
    pub mean: Option<f64>,
    /// Half the width of its 95 % interval.
    pub ci95: Option<f64>,
    /// The median.
    pub p50: Option<u32>,
    /// 90 % of the cells have at most this delay.
    pub p90: Option<u32>,
    /// 99 % of the cells have at most this delay.
    pub p99: Option<u32>,
    /// 99.9 % of the cells have at most this delay.
    pub p999: Option<u32>,
    /// The longest delay.
    pub max: Option<u32>,
    /// 99.99 % of the cells have at most this delay.
    pub p9999: Option<u32>,
    /// The mean by Little's law, which counts cells that are still inside: the mean backlog over
    /// the cells accepted per slot.
    pub little: Option<Figure>,
    /// The percentiles above and those asked for, each with its interval.
    pub percentiles: Vec<PercentileFigure>,
}

/// A percentile of delays.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct PercentileFigure {
    /// Which, in per cent.
    pub percent: f64,
    /// This share of the cells have at most this delay.
    pub value: u32,
    /// The ends of its 95 % interval, from the replications; null for a single one.
    pub ci95: Option<[u32; 2]>,
}

/// How long queues were at the end of a slot.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Occupancy {
    /// The cells of one input for one output.
    pub voq: Lengths,
    /// All cells of an input.
    pub input: Lengths,
    /// All cells for an output.
    pub output: Lengths,
    /// All cells inside.
    pub total: Lengths,
}

/// Lengths of queues of one kind, over all of them and all measured slots.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Lengths {
    /// The mean.
    pub mean: f64,
    /// The median.
    pub p50: u32,
    /// In 90 % of the slots a queue has at most this length.
    pub p90: u32,
    /// In 99 % of the slots a queue has at most this length.
    pub p99: u32,
    /// In 99.9 % of the slots a queue has at most this length.
    pub p999: u32,
    /// In 99.99 % of the slots a queue has at most this length.
    pub p9999: u32,
    /// The longest.
    pub max: u32,
}

impl From<&Histogram> for Lengths {
    fn from(lengths: &Histogram) -> Self {
        let [p50, p90, p99, p999, p9999] = STANDARD.map(|share| share.of(lengths).unwrap_or(0));
        let mean = lengths.sum() as f64 / lengths.count().max(1) as f64;
        Self { mean, p50, p90, p99, p999, p9999, max: lengths.max() }
    }
}

/// A mean with its interval.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Figure {
    /// The mean.
    pub mean: f64,
    /// Half the width of its 95 % interval; null if the values do not determine it.
    pub ci95: Option<f64>,
}

impl From<Estimate> for Figure {
    fn from(estimate: Estimate) -> Self {
        Self { mean: estimate.mean, ci95: estimate.half_width }
    }
}

/// The lag behind `oq` of the cells that arrived and left in the measured slots: their slot of
/// departure less that in `oq`, over all replications.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct OqLag {
    /// The mean.
    pub mean: Option<f64>,
    /// The least.
    pub min: Option<i64>,
    /// The greatest.
    pub max: Option<i64>,
    /// Cells that left later than in `oq`.
    pub late: u64,
    /// Cells that left earlier.
    pub early: u64,
    /// All cells that were compared.
    pub cells: u64,
    /// Cells of a switch that drops and reorders, taken for dropped although they left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unmatched: Option<u64>,
}

impl From<Lags> for OqLag {
    fn from(lags: Lags) -> Self {
        let any = lags.cells > 0;
        Self {
            mean: any.then(|| lags.sum as f64 / lags.cells as f64),
            min: any.then_some(lags.min),
            max: any.then_some(lags.max),
            late: lags.late,
            early: lags.early,
            cells: lags.cells,
            unmatched: (lags.unmatched > 0).then_some(lags.unmatched),
        }
    }
}

/// Cells inside.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Backlog {
    /// Averaged over slots and replications.
    pub mean: f64,
    /// At the end, averaged over replications.
    pub end: u64,
}

impl Report {
    /// The reports of a comparison, in the order of its switches.
    pub fn all(plan: &Plan, comparison: &Comparison, per_port: bool) -> Vec<Self> {
        comparison.switches.iter().map(|outcome| Self::new(plan, comparison, outcome, per_port)).collect()
    }

    fn new(plan: &Plan, comparison: &Comparison, outcome: &Outcome, per_port: bool) -> Self {
        let runs = &outcome.runs;
        let average = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / runs.len().max(1) as f64;
        let quantile = |per_mille| outcome.delays.quantile(per_mille);
        let [inputs, outputs] = ports(outcome, plan.ports).map_or([None, None], |sides| sides.map(Some));
        let [oversubscribed, within_share] = kinds(outcome).map_or([None, None], |kinds| kinds.map(Some));
        let jain: Vec<f64> = runs.iter().filter_map(|run| run.jain).collect();
        Self {
            switch: outcome.spec.clone(),
            ports: plan.ports,
            traffic: plan.traffic_spec.clone(),
            arrivals: plan.arrivals_spec.clone(),
            load: plan.load,
            scale: plan.scale,
            busiest_input: plan.scale.and(plan.traffic.busiest()).map(|(input, _)| input),
            busiest_output: plan.scale.and(plan.traffic.busiest()).map(|(_, output)| output),
            seed: plan.seed,
            replications: runs.len() as u32,
            slots: comparison.slots,
            warmup: comparison.warmup,
            delay: Delay {
                mean: outcome.delay.map(|delay| delay.mean),
                ci95: outcome.delay.and_then(|delay| delay.half_width),
                p50: quantile(500),
                p90: quantile(900),
                p99: quantile(990),
                p999: quantile(999),
                p9999: outcome.delays.quantile_per_billion(999_900_000),
                max: (outcome.delays.count() > 0).then(|| outcome.delays.max()),
                little: outcome.little.map(Figure::from),
                percentiles: percentiles(outcome, &plan.percentiles),
            },
            throughput: outcome.throughput.into(),
            backlog: Backlog {
                mean: average(&mut runs.iter().map(crate::run::Measured::mean_backlog)),
                end: average(&mut runs.iter().map(|run| run.backlog_end as f64)).round() as u64,
            },
            cells: outcome.cells(),
            loss: outcome.loss(),
            slots_to_decide: outcome.stability.evidence.filling,
            occupancy: outcome.occupancy().map(|lengths| Occupancy {
                voq: (&lengths.voq).into(),
                input: (&lengths.input).into(),
                output: (&lengths.output).into(),
                total: (&lengths.total).into(),
            }),
            verdict: outcome.stability.verdict.to_string(),
            counters: outcome.counters(),
            oq_lag: outcome.oq_lag().map(OqLag::from),
            evidence: outcome.stability.evidence.to_string(),
            fairness: (!jain.is_empty()).then(|| jain.iter().sum::<f64>() / jain.len() as f64),
            versus_first: outcome.versus_first.map(Figure::from),
            ended_early: runs.iter().filter_map(|run| run.ended_early).min(),
            classes: classes(outcome),
            oversubscribed,
            within_share,
            per_port: per_port.then(|| outcome.per_port(plan.ports)),
            inputs,
            outputs,
            pairs: pairs(outcome, plan.ports),
        }
    }
}

/// The standard percentiles and those of the plan, ascending.
fn percentiles(outcome: &Outcome, more: &[Share]) -> Vec<PercentileFigure> {
    let figures = with_standard(more).into_iter().filter_map(|share| outcome.percentile(share));
    figures
        .map(|figure| PercentileFigure { percent: figure.share.percent(), value: figure.value, ci95: figure.interval })
        .collect()
}
