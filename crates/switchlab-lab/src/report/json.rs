//! Results as JSON: one object per switch. Its keys and their meaning are fixed.

use crate::compare::Comparison;
use crate::outcome::Outcome;
use crate::plan::Plan;
use crate::run::Cells;
use crate::statistics::Estimate;
use serde::Serialize;
use std::collections::BTreeMap;
use switchlab_core::meter::Lags;

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
    /// The load.
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
    /// Jain's index over flows of departed / arrived, averaged over replications.
    pub fairness: Option<f64>,
    /// The mean delay less that of the first switch on the same arrivals.
    pub versus_first: Option<Figure>,
    /// After how many slots the first run ended for lack of memory.
    pub ended_early: Option<u64>,
    /// By port: arrived at the input, of them departed, arrived for the output, of them departed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_port: Option<Vec<[u64; 4]>>,
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
        let jain: Vec<f64> = runs.iter().filter_map(|run| run.jain).collect();
        Self {
            switch: outcome.spec.clone(),
            ports: plan.ports,
            traffic: plan.traffic_spec.clone(),
            arrivals: plan.arrivals_spec.clone(),
            load: plan.load,
            seed: plan.seed,
            replications: comparison.replications,
            slots: comparison.slots,
            warmup: comparison.warmup,
            delay: Delay {
                mean: outcome.delay.map(|delay| delay.mean),
                ci95: outcome.delay.and_then(|delay| delay.half_width),
                p50: quantile(500),
                p90: quantile(900),
                p99: quantile(990),
                p999: quantile(999),
                max: (outcome.delays.count() > 0).then(|| outcome.delays.max()),
            },
            throughput: outcome.throughput.into(),
            backlog: Backlog {
                mean: average(&mut runs.iter().map(crate::run::Measured::mean_backlog)),
                end: average(&mut runs.iter().map(|run| run.backlog_end as f64)).round() as u64,
            },
            cells: outcome.cells(),
            verdict: outcome.stability.verdict.to_string(),
            counters: outcome.counters(),
            oq_lag: outcome.oq_lag().map(OqLag::from),
            evidence: outcome.stability.evidence.to_string(),
            fairness: (!jain.is_empty()).then(|| jain.iter().sum::<f64>() / jain.len() as f64),
            versus_first: outcome.versus_first.map(Figure::from),
            ended_early: runs.iter().filter_map(|run| run.ended_early).min(),
            per_port: per_port.then(|| outcome.per_port(plan.ports)),
        }
    }
}
