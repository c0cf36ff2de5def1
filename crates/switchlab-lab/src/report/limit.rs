//! Limits as JSON and as text.

use super::json::Figure;
use crate::export::Table;
use crate::limit::{Conclusion, Limit, Limits, Probe};
use crate::numbers::{significant, with_interval};
use crate::prose::wrap;
use crate::registry::short;
use crate::text_table::{Column, TextTable};
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
    /// Of a matrix from a file: the scale of its rates at which the busiest line has load 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    full_scale: Option<f64>,
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
    /// That of a line; of a matrix from a file, that of its busiest line.
    load: f64,
    /// What the rates of a matrix from a file are multiplied by, and its busiest lines then.
    #[serde(flatten)]
    scaled: Option<Scaled>,
    verdict: &'static str,
    evidence: String,
    slots: u64,
    warmup: u64,
    throughput: Figure,
}

#[derive(Debug, Serialize)]
struct Scaled {
    scale: f64,
    busiest_input: f64,
    busiest_output: f64,
}

impl Scaled {
    /// The matrix of a search at a load; None if it is not from a file.
    fn at(load: f64, limits: &Limits) -> Option<Self> {
        let scale = load * limits.full_scale?;
        let (input, output) = limits.plan.traffic.busiest()?;
        Some(Self { scale, busiest_input: scale * input, busiest_output: scale * output })
    }
}

#[derive(Debug, Serialize)]
struct Saturation {
    #[serde(flatten)]
    figure: Figure,
    slots: u64,
    warmup: u64,
}

impl Point {
    fn new(probe: &Probe, limits: &Limits) -> Self {
        Self {
            load: probe.load,
            scaled: Scaled::at(probe.load, limits),
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
        let point = |probe: &Probe| Point::new(probe, limits);
        Self {
            switch: limit.spec.clone(),
            ports: plan.ports,
            traffic: plan.traffic_spec.clone(),
            arrivals: plan.arrivals_spec.clone(),
            seed: plan.seed,
            replications: plan.replications,
            slots: plan.slots,
            precision: limits.precision,
            full_scale: limits.full_scale,
            stable: limit.stable.as_ref().map(point),
            unstable: limit.unstable.as_ref().map(point),
            undecided: limit.undecided.iter().map(point).collect(),
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
            probes: limit.probes.iter().map(point).collect(),
        }
    }
}

/// The limits for programs: a row for each switch, without the evidence.
pub fn data(limits: &Limits) -> Table {
    let (plan, rows) = (&limits.plan, LimitReport::all(limits));
    let mut table = Table::new(rows.len());
    table.text("switch", &rows, |row| row.switch.clone());
    table.count("ports", &rows, |_| Some(plan.ports as u64));
    table.text("traffic", &rows, |row| row.traffic.clone());
    table.text("arrivals", &rows, |row| row.arrivals.clone());
    table.count("slots", &rows, |row| Some(row.slots));
    table.count("seed", &rows, |row| Some(row.seed));
    table.count("replications", &rows, |row| Some(u64::from(row.replications)));
    table.real("precision", &rows, |row| Some(row.precision));
    table.text("conclusion", &rows, |row| row.conclusion.to_string());
    table.real("stable", &rows, |row| row.stable.as_ref().map(|point| point.load));
    table.real("unstable", &rows, |row| row.unstable.as_ref().map(|point| point.load));
    if let Some(full) = limits.full_scale {
        table.real("stable_scale", &rows, |row| row.stable.as_ref().map(|point| point.load * full));
        table.real("unstable_scale", &rows, |row| row.unstable.as_ref().map(|point| point.load * full));
    }
    table.real("saturation_throughput", &rows, |row| Some(row.saturation_throughput.figure.mean));
    table.real("saturation_throughput_ci95", &rows, |row| row.saturation_throughput.figure.ci95);
    table
}

/// The limits as a table in Markdown, without the evidence.
pub fn markdown(limits: &Limits) -> String {
    brackets(limits).markdown()
}

fn brackets(limits: &Limits) -> TextTable {
    let scale = limits.full_scale.map(|_| Column::right("scale of the rates"));
    let columns = [Column::left("switch"), Column::right("highest stable load")].into_iter().chain(scale);
    let mut table = TextTable::new(columns.chain([Column::right("throughput at load 1")]));
    for limit in &limits.switches {
        let scale = limits.full_scale.map(|full| bracket(limit, full));
        let first = [short(&limit.spec), bracket(limit, 1.0)].into_iter().chain(scale);
        table.push(first.chain([with_interval(limit.saturated.throughput)]));
    }
    table
}

/// The limits as text.
pub fn table(limits: &Limits) -> String {
    let plan = &limits.plan;
    let mut text = format!(
        "{} ports, traffic {}, arrivals {}, seed {}\n{} runs of up to {} slots for each load, after a warm-up of a fifth\n\n",
        plan.ports, plan.traffic_spec, plan.arrivals_spec, plan.seed, plan.replications, plan.slots
    );
    if let (Some(full), Some((input, output))) = (limits.full_scale, plan.traffic.busiest()) {
        let busiest = format!("busiest input {}, busiest output {}", significant(input), significant(output));
        let full = significant(full);
        let note =
            format!("in the file: {busiest}; loads are those of the busiest line, which is full at scale {full}");
        text += &format!("{}\n\n", wrap(&note, 100, 2));
    }
    text += &brackets(limits).to_string();
    for limit in &limits.switches {
        text += &format!("\n{}: {}\n", short(&limit.spec), explanation(limits, limit));
        let ends = limit.stable.iter().chain(&limit.undecided).chain(&limit.unstable);
        let mut shown: Vec<&Probe> = ends.collect();
        // The other column is the throughput at load 1.
        if shown.iter().all(|probe| probe.load < 1.0) {
            shown.push(&limit.saturated);
        }
        for probe in shown {
            let scale = limits.full_scale.map(|full| format!("scale {}, ", significant(full * probe.load)));
            text += &format!(
                "  {:<6} {}{}, {} slots: {}\n",
                probe.load,
                scale.unwrap_or_default(),
                probe.stability.verdict,
                probe.slots,
                probe.stability.evidence
            );
        }
    }
    text
}

/// The two ends, as loads or, at the scale of load 1, as scales.
fn bracket(limit: &Limit, full: f64) -> String {
    // A load is a short decimal; a scale may not be.
    let at = |probe: &Probe| if full == 1.0 { probe.load.to_string() } else { significant(probe.load * full) };
    match (&limit.stable, &limit.unstable) {
        _ if limit.conclusion == Conclusion::NoneBelowOne => format!("none found below {}", significant(full)),
        (Some(stable), Some(unstable)) => format!("{} to {}", at(stable), at(unstable)),
        (Some(stable), None) => format!("at least {}", at(stable)),
        (None, Some(unstable)) => format!("below {}", at(unstable)),
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
