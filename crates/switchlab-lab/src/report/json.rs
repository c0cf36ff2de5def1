//! Results for programs: one object per switch, its keys and their meaning fixed.

use crate::compare::{Comparison, Outcome};
use crate::plan::Plan;
use crate::run::Cells;
use crate::statistics::Estimate;
use serde::Serialize;
use std::collections::BTreeMap;
use switchlab_core::meter::Lags;

/// What was measured of one switch. A figure that does not exist, such as a mean of no delays, is null.
#[derive(Debug, Serialize)]
pub struct Report {
    switch: String,
    ports: usize,
    traffic: String,
    arrivals: String,
    load: f64,
    seed: u64,
    replications: u32,
    slots: u64,
    warmup: u64,
    delay: Delay,
    throughput: Figure,
    backlog: Backlog,
    cells: Cells,
    verdict: String,
    counters: BTreeMap<&'static str, f64>,
    /// How far cells were behind the ideal output-queued switch, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    oq_lag: Option<OqLag>,
    /// Why the verdict is what it is.
    evidence: String,
    /// Jain's index over flows of departed / arrived, averaged over replications.
    fairness: Option<f64>,
    /// The mean delay less that of the first switch on the same arrivals.
    versus_first: Option<Figure>,
    /// After how many slots the first run ended for lack of memory.
    ended_early: Option<u64>,
    /// By port: arrived at the input, of them departed, arrived for the output, of them departed.
    #[serde(skip_serializing_if = "Option::is_none")]
    per_port: Option<Vec<[u64; 4]>>,
}

#[derive(Debug, Serialize)]
struct Delay {
    mean: Option<f64>,
    ci95: Option<f64>,
    p50: Option<u32>,
    p90: Option<u32>,
    p99: Option<u32>,
    p999: Option<u32>,
    max: Option<u32>,
}

#[derive(Debug, Serialize)]
pub(super) struct Figure {
    mean: f64,
    ci95: Option<f64>,
}

impl From<Estimate> for Figure {
    fn from(estimate: Estimate) -> Self {
        Self { mean: estimate.mean, ci95: estimate.half_width }
    }
}

/// Over all replications: cells that arrived and left in the window, their slots of departure less those in `oq`.
#[derive(Debug, Serialize)]
struct OqLag {
    mean: Option<f64>,
    min: Option<i64>,
    max: Option<i64>,
    /// Cells that left later than in `oq`.
    late: u64,
    /// Cells that left earlier.
    early: u64,
    cells: u64,
    /// Cells of a switch that drops and reorders, taken for dropped although they left.
    #[serde(skip_serializing_if = "Option::is_none")]
    unmatched: Option<u64>,
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

#[derive(Debug, Serialize)]
struct Backlog {
    /// Averaged over slots and replications.
    mean: f64,
    /// Averaged over replications.
    end: u64,
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
            verdict: outcome.judgement.verdict.to_string(),
            counters: outcome.counters(),
            oq_lag: outcome.oq_lag().map(OqLag::from),
            evidence: outcome.judgement.evidence.to_string(),
            fairness: (!jain.is_empty()).then(|| jain.iter().sum::<f64>() / jain.len() as f64),
            versus_first: outcome.versus_first.map(Figure::from),
            ended_early: runs.iter().filter_map(|run| run.ended_early).min(),
            per_port: per_port.then(|| outcome.per_port(plan.ports)),
        }
    }
}
