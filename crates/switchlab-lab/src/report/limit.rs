//! Limits as JSON and as text.

use super::json::Figure;
use super::table::with_interval;
use crate::limit::{Conclusion, Limit, Limits, Probe};
use crate::text_table::TextTable;
use serde::Serialize;

/// What was found of one switch, as JSON.
#[derive(Debug, Serialize)]
pub struct LimitReport {
    switch: String,
    ports: usize,
    traffic: String,
    arrivals: String,
    seed: u64,
    replications: u32,
    /// The length of the longest runs.
    slots: u64,
    precision: f64,
    /// The highest load shown stable.
    stable: Option<Point>,
    /// The lowest load shown unstable.
    unstable: Option<Point>,
    /// Loads between them that stayed undecided.
    undecided: Vec<Point>,
    conclusion: &'static str,
    explanation: String,
    /// Departures per output and slot at load 1: not the highest stable load.
    saturation_throughput: Saturation,
    /// Every load that was probed, ascending.
    probes: Vec<Point>,
}

#[derive(Debug, Serialize)]
struct Point {
    load: f64,
    verdict: &'static str,
    evidence: String,
    slots: u64,
    warmup: u64,
    throughput: Figure,
}

#[derive(Debug, Serialize)]
struct Saturation {
    #[serde(flatten)]
    figure: Figure,
    slots: u64,
    warmup: u64,
}

impl From<&Probe> for Point {
    fn from(probe: &Probe) -> Self {
        Self {
            load: probe.load,
            verdict: probe.stability.verdict.name(),
            evidence: probe.stability.evidence.to_string(),
            slots: probe.slots,
            warmup: probe.warmup,
            throughput: probe.throughput.into(),
        }
    }
}

impl LimitReport {
    /// The reports of a search, in the order of its switches.
    pub fn all(limits: &Limits) -> Vec<Self> {
        limits.switches.iter().map(|limit| Self::new(limits, limit)).collect()
    }

    fn new(limits: &Limits, limit: &Limit) -> Self {
        let plan = &limits.plan;
        let saturated = &limit.saturated;
        Self {
            switch: limit.spec.clone(),
            ports: plan.ports,
            traffic: plan.traffic_spec.clone(),
            arrivals: plan.arrivals_spec.clone(),
            seed: plan.seed,
            replications: plan.replications,
            slots: plan.slots,
            precision: limits.precision,
            stable: limit.stable.as_ref().map(Point::from),
            unstable: limit.unstable.as_ref().map(Point::from),
            undecided: limit.undecided.iter().map(Point::from).collect(),
            conclusion: match limit.conclusion {
                Conclusion::Found => "found",
                Conclusion::Wide => "wide",
                Conclusion::NoneBelowOne => "none-below-1",
                Conclusion::NothingStable => "nothing-stable",
                Conclusion::NothingUnstable => "nothing-unstable",
            },
            explanation: explanation(limits, limit),
            saturation_throughput: Saturation {
                figure: saturated.throughput.into(),
                slots: saturated.slots,
                warmup: saturated.warmup,
            },
            probes: limit.probes.iter().map(Point::from).collect(),
        }
    }
}

/// The limits as text.
pub fn table(limits: &Limits) -> String {
    let plan = &limits.plan;
    let mut text = format!(
        "{} ports, traffic {}, arrivals {}, seed {}\n{} runs of up to {} slots for each load, after a warm-up of a fifth\n\n",
        plan.ports, plan.traffic_spec, plan.arrivals_spec, plan.seed, plan.replications, plan.slots
    );
    let mut table = TextTable::of_figures(["switch", "highest stable load", "throughput at load 1"]);
    for limit in &limits.switches {
        table.push([limit.spec.clone(), bracket(limit), with_interval(limit.saturated.throughput)]);
    }
    text += &table.to_string();
    for limit in &limits.switches {
        text += &format!("\n{}: {}\n", limit.spec, explanation(limits, limit));
        let ends = limit.stable.iter().chain(&limit.undecided).chain(&limit.unstable);
        let mut shown: Vec<&Probe> = ends.collect();
        // The other column is the throughput at load 1.
        if shown.iter().all(|probe| probe.load < 1.0) {
            shown.push(&limit.saturated);
        }
        for probe in shown {
            text += &format!(
                "  {:<6} {}, {} slots: {}\n",
                probe.load, probe.stability.verdict, probe.slots, probe.stability.evidence
            );
        }
    }
    text
}

fn bracket(limit: &Limit) -> String {
    match (&limit.stable, &limit.unstable) {
        _ if limit.conclusion == Conclusion::NoneBelowOne => "none found below 1".to_string(),
        (Some(stable), Some(unstable)) => format!("{} to {}", stable.load, unstable.load),
        (Some(stable), None) => format!("at least {}", stable.load),
        (None, Some(unstable)) => format!("below {}", unstable.load),
        (None, None) => "unknown".to_string(),
    }
}

fn explanation(limits: &Limits, limit: &Limit) -> String {
    let at = |probe: &Option<Probe>| probe.as_ref().map_or(0.0, |probe| probe.load);
    let (stable, unstable) = (at(&limit.stable), at(&limit.unstable));
    let precision = limits.precision;
    let advice = "raise --slots or --replications to narrow it";
    match limit.conclusion {
        Conclusion::Found => format!("the highest stable load is between {stable} and {unstable}"),
        Conclusion::Wide => format!(
            "the highest stable load is between {stable} and {unstable}; wider than {precision}, because the loads between stay undecided in the longest runs; {advice}"
        ),
        Conclusion::NoneBelowOne if stable >= 1.0 => "no limit found below 1; load 1 itself is stable".to_string(),
        Conclusion::NoneBelowOne => {
            format!("no limit found below 1; stable at {stable}, and load 1 is not shown unstable")
        }
        Conclusion::NothingStable if limit.unstable.is_some() => {
            format!("no load was shown stable, and {unstable} is unstable; {advice}")
        }
        Conclusion::NothingStable => format!("no load was shown stable and none unstable; {advice}"),
        Conclusion::NothingUnstable => {
            format!("stable at {stable}; no load was shown unstable, and those above stay undecided; {advice}")
        }
    }
}
