//! Limits as JSON and as text.

use super::json::Figure;
use crate::export::Table;
use crate::limit::{Conclusion, Limit, Limits, Probe};
use crate::numbers::{percent, significant, with_interval};
use crate::prose::{hang, wrap};
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
    /// The share of cells that were lost, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    loss: Option<f64>,
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
            loss: Some(probe.loss).filter(|loss| *loss > 0.0),
        }
    }
}

impl LimitReport {
    /// The reports of searches, in the order of their switches.
    pub fn all(searches: &[Limits]) -> Vec<Self> {
        let of = |limits: &Limits| limits.switches.iter().map(|limit| Self::new(limits, limit)).collect::<Vec<_>>();
        searches.iter().flat_map(of).collect()
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

/// The limits for programs: a row for each switch and number of ports, without the evidence.
pub fn data(searches: &[Limits]) -> Table {
    let rows = LimitReport::all(searches);
    let mut table = Table::new(rows.len());
    table.text("switch", &rows, |row| row.switch.clone());
    table.count("ports", &rows, |row| Some(row.ports as u64));
    table.text("traffic", &rows, |row| row.traffic.clone());
    table.text("arrivals", &rows, |row| row.arrivals.clone());
    table.count("slots", &rows, |row| Some(row.slots));
    table.count("seed", &rows, |row| Some(row.seed));
    table.count("replications", &rows, |row| Some(u64::from(row.replications)));
    table.real("precision", &rows, |row| Some(row.precision));
    table.text("conclusion", &rows, |row| row.conclusion.to_string());
    table.real("stable", &rows, |row| row.stable.as_ref().map(|point| point.load));
    table.real("unstable", &rows, |row| row.unstable.as_ref().map(|point| point.load));
    if rows.iter().any(|row| row.full_scale.is_some()) {
        let scale = |row: &LimitReport, point: &Option<Point>| Some(point.as_ref()?.load * row.full_scale?);
        table.real("stable_scale", &rows, |row| scale(row, &row.stable));
        table.real("unstable_scale", &rows, |row| scale(row, &row.unstable));
    }
    table.real("saturation_throughput", &rows, |row| Some(row.saturation_throughput.figure.mean));
    table.real("saturation_throughput_ci95", &rows, |row| row.saturation_throughput.figure.ci95);
    table
}

/// The limits as a table in Markdown, without the evidence.
pub fn markdown(searches: &[Limits]) -> String {
    brackets(searches).markdown()
}

/// A row for each switch; with several numbers of ports, for each of them.
fn brackets(searches: &[Limits]) -> TextTable {
    let ports = (searches.len() > 1).then(|| Column::right("ports"));
    let scale = searches.iter().any(|limits| limits.full_scale.is_some()).then(|| Column::right("scale of the rates"));
    let columns = std::iter::once(Column::left("switch")).chain(ports.clone());
    let columns = columns.chain([Column::right("highest stable load")]).chain(scale.clone());
    let has_loss = searches.iter().flat_map(|limits| &limits.switches).any(|limit| limit.saturated.loss > 0.0);
    let loss = has_loss.then(|| Column::right("loss at load 1"));
    let mut table = TextTable::new(columns.chain([Column::right("throughput at load 1")]).chain(loss));
    for limits in searches {
        for limit in &limits.switches {
            let ports = ports.as_ref().map(|_| limits.plan.ports.to_string());
            let scale = scale.as_ref().map(|_| limits.full_scale.map_or_else(String::new, |full| bracket(limit, full)));
            let first = std::iter::once(short(&limit.spec)).chain(ports).chain([bracket(limit, 1.0)]).chain(scale);
            let loss = has_loss.then(|| percent(limit.saturated.loss));
            table.push(first.chain([with_interval(limit.saturated.throughput)]).chain(loss));
        }
    }
    table
}

/// The limits as text for a terminal of this width.
pub fn table(searches: &[Limits], width: usize) -> String {
    let Some(first) = searches.first() else { return String::new() };
    let (plan, width) = (&first.plan, width.min(100));
    let ports: Vec<String> = searches.iter().map(|limits| limits.plan.ports.to_string()).collect();
    let head = format!(
        "{} ports, traffic {}, arrivals {}, seed {}",
        ports.join(", "),
        plan.traffic_spec,
        plan.arrivals_spec,
        plan.seed
    );
    let runs =
        format!("{} runs of up to {} slots for each load, after a warm-up of a fifth", plan.replications, plan.slots);
    let mut text = format!("{}\n{}\n\n", wrap(&head, width, 2), wrap(&runs, width, 2));
    if let (Some(full), Some((input, output))) = (first.full_scale, plan.traffic.busiest()) {
        let busiest = format!("busiest input {}, busiest output {}", significant(input), significant(output));
        let full = significant(full);
        let note =
            format!("in the file: {busiest}; loads are those of the busiest line, which is full at scale {full}");
        text += &format!("{}\n\n", wrap(&note, width, 2));
    }
    text += &brackets(searches).to_string();
    for limits in searches {
        for limit in &limits.switches {
            let of = if searches.len() > 1 { format!(", {} ports", limits.plan.ports) } else { String::new() };
            let conclusion = format!("{}{of}: {}", short(&limit.spec), explanation(limits, limit));
            text += &format!("\n{}\n{}", wrap(&conclusion, width, 2), evidence(limits, limit, width));
        }
    }
    text
}

/// The verdicts behind a bracket, a paragraph for each load.
fn evidence(limits: &Limits, limit: &Limit, width: usize) -> String {
    let mut shown: Vec<&Probe> = limit.stable.iter().chain(&limit.undecided).chain(&limit.unstable).collect();
    // The other column is the throughput at load 1.
    if shown.iter().all(|probe| probe.load < 1.0) {
        shown.push(&limit.saturated);
    }
    let line = |probe: &Probe| {
        let scale = limits.full_scale.map(|full| format!("scale {}, ", significant(full * probe.load)));
        let Probe { load, slots, stability, loss, .. } = probe;
        let lost = if *loss > 0.0 { format!(", and {} of the cells are lost", percent(*loss)) } else { String::new() };
        let words =
            format!("{}{}, {slots} slots: {}{lost}", scale.unwrap_or_default(), stability.verdict, stability.evidence);
        hang(&format!("  {load:<6} "), &words, width) + "\n"
    };
    shown.into_iter().map(line).collect()
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
    let said = match limit.conclusion {
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
    };
    if limit.probes.iter().any(|probe| probe.loss > 0.0) {
        return format!("{said}. It drops cells, so stable says nothing of what it carries: see its loss");
    }
    said
}
