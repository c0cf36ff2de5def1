//! A figure of an experiment: its chart, its table, its CSV.
//!
//! The series axis of the figure distinguishes lines. Where several points of a line have the same
//! x, because another axis was not fixed, the value of that axis becomes part of the name:
//! otherwise a line would jump back and forth.

mod data;
mod lines;
mod measured;
mod names;
mod rows;
#[cfg(test)]
mod tests;
mod written;

pub use data::{Target, data_of_comparison, data_of_results};
pub use measured::{Kind, of_comparison, of_results};
pub(crate) use names::{short, short_one};
pub use rows::{csv, table};
pub use written::{Written, write};

use crate::experiment::{Figure, ResultPoint};
use crate::files::without_folders;
use crate::numbers::brief;
use crate::plot::{Axis, Chart, Point, Series};
use crate::statistics::{Estimate, Verdict};
use lines::{Line, lines};

/// The chart of a figure. Points of an unstable switch have no delay: they are left out, and named
/// below the chart.
pub fn chart(figure: &Figure, results: &[ResultPoint]) -> Chart {
    let lines = lines(figure, results);
    let axis = |label: &str, name: &str, log: bool| {
        let label = if label.is_empty() { label_of(name) } else { label.to_string() };
        if log { Axis::log(label).word(name) } else { Axis::linear(label).word(name) }
    };
    let mut chart = Chart::new(
        &figure.title,
        axis(x_label(figure, &lines), &figure.x, figure.log_x),
        axis(&figure.y_label, &figure.y, figure.log_y),
    );
    chart.subtitle = Some(circumstances(figure, &lines)).filter(|text| !text.is_empty());
    for line in &lines {
        let points = line.points.iter().filter_map(|(x, point)| point.metric(&figure.y).map(|y| plotted(*x, y)));
        let series = Series::new(&line.label, points);
        let spec = line.points.first().map(|(_, point)| point.spec.switch.as_str());
        chart = chart.series(match spec {
            Some(spec) => series.of_switch(spec, &line.name),
            None => series,
        });
    }
    chart.ratio = figure.ratio.as_ref().and_then(|base| base_of(base, figure, &lines)).map(str::to_string);
    // A line without a point would be reported as a fault; here the footer says why it has none.
    chart.series.retain(|series| !series.points.is_empty());
    for (name, points) in &figure.references {
        chart = chart.series(Series::new(name, points.iter().copied()).reference());
    }
    chart.footer = Some(notes(figure, &lines).join("\n")).filter(|text| !text.is_empty());
    chart
}

/// The label of the line that a figure's ratios are to: the one of this value, else the first whose
/// spec has this name.
fn base_of<'a>(base: &str, figure: &Figure, lines: &'a [Line]) -> Option<&'a str> {
    let text = |line: &Line| line.points.first().and_then(|(_, point)| point.spec.text(&figure.series));
    let exact = lines.iter().find(|line| text(line).as_deref() == Some(base));
    let named = || lines.iter().find(|line| text(line).is_some_and(|text| text.split('(').next() == Some(base)));
    exact.or_else(named).map(|line| line.label.as_str())
}

/// A measured value and its interval.
fn plotted(x: f64, y: Estimate) -> Point {
    match (y.low(), y.high()) {
        (Some(low), Some(high)) => Point::new(x, y.mean).interval(low, high),
        _ => Point::new(x, y.mean),
    }
}

/// The label of the horizontal axis, as far as it is not the usual one.
fn x_label<'a>(figure: &'a Figure, lines: &[Line]) -> &'a str {
    let mut points = lines.iter().flat_map(|line| &line.points);
    let scaled = figure.x == "load" && !lines.is_empty() && points.all(|(_, point)| point.spec.scales_a_file());
    if figure.x_label.is_empty() && scaled { "Factor of the rates of the file" } else { &figure.x_label }
}

/// How an axis or a metric is called where the experiment does not say.
pub fn label_of(name: &str) -> String {
    match name {
        "load" => "Load of each input".to_string(),
        "ports" => "Number of ports".to_string(),
        "delay" => "Mean delay (slots)".to_string(),
        "delay.max" => "Largest delay (slots)".to_string(),
        "delay.less-stages" => "Mean delay less the stages (slots)".to_string(),
        "delay.less-stages-plus-one" => "Mean delay less the stages plus one (slots)".to_string(),
        "delay.other" => "Mean delay less the stages, other outputs (slots)".to_string(),
        "delay.fabric-other" => "Mean delay until out of the last stage, other outputs (slots)".to_string(),
        "delay.little" => "Mean delay by Little's law (slots)".to_string(),
        "delay.precision" => "Half width of the mean delay's 95 % interval over the mean delay".to_string(),
        "throughput" => "Throughput (cells per output and slot)".to_string(),
        "backlog" => "Mean backlog (cells)".to_string(),
        "fairness" => "Fairness (Jain's index)".to_string(),
        "loss" => "Share of cells lost".to_string(),
        _ => match (name.strip_prefix("delay.p"), name.strip_prefix("counters.")) {
            (Some("9999"), _) => "99.99th percentile of delay (slots)".to_string(),
            (Some("999"), _) => "99.9th percentile of delay (slots)".to_string(),
            (Some(percent), _) => format!("{percent}th percentile of delay (slots)"),
            (_, Some(counter)) => counter.replace('_', " "),
            _ => name.to_string(),
        },
    }
}

/// What all points of the figure have in common, besides its axes.
fn circumstances(figure: &Figure, lines: &[Line]) -> String {
    let specs: Vec<_> = lines.iter().flat_map(|line| &line.points).map(|(_, point)| &point.spec).collect();
    let Some(first) = specs.first() else { return String::new() };
    let common = |axis: &str| {
        let text = first.text(axis)?;
        let shared =
            axis != figure.x && axis != figure.series && specs.iter().all(|s| s.text(axis).as_ref() == Some(&text));
        shared.then_some(text)
    };
    let mut parts = Vec::new();
    parts.extend(common("switch").map(|switch| short_one(&switch)));
    parts.extend(common("ports").map(|ports| format!("{ports} ports")));
    if first.calculates() {
        // Neither traffic nor load.
        parts.push("calculated".to_string());
        return parts.join(", ");
    }
    // Where a variable is in the traffic, its name alone is common.
    let name = |spec: &str| spec.split('(').next().unwrap_or("").to_string();
    let named = || {
        let first = name(&first.text("traffic")?);
        let apart = [&figure.x, &figure.series].into_iter().any(|axis| axis == "traffic");
        (!apart && specs.iter().all(|s| s.text("traffic").is_some_and(|text| name(&text) == first))).then_some(first)
    };
    let traffic = common("traffic").map(|traffic| short_one(&without_folders(&traffic)));
    parts.extend(traffic.or_else(named).map(|traffic| format!("{traffic} traffic")));
    parts.extend(common("arrivals").map(|arrivals| format!("{} arrivals", short_one(&arrivals))));
    parts.extend(common("load").map(|load| format!("load {load}")));
    // What the title says need not be said again.
    let title = figure.title.to_lowercase();
    parts.retain(|part| !title.contains(&part.to_lowercase()));
    parts.join(", ")
}

/// Whether a metric exists only where the switch is stable.
fn needs_stability(metric: &str) -> bool {
    metric.starts_with("delay") || metric == "backlog"
}

/// Notes that a reader needs to interpret the chart.
fn notes(figure: &Figure, lines: &[Line]) -> Vec<String> {
    let mut notes = Vec::new();
    let points = || lines.iter().flat_map(|line| &line.points).map(|(_, point)| *point);
    // An exact value has an interval of width 0, which is not mentioned.
    let calculated = points().any(|point| point.spec.calculates());
    let runs: Vec<usize> = points().map(|point| point.outcome.runs.len()).collect();
    let drawn = points()
        .filter_map(|point| point.metric(&figure.y))
        .any(|estimate| estimate.half_width.is_some_and(|width| width > 0.0 || !calculated));
    if let (Some(least), Some(most), true) = (runs.iter().min(), runs.iter().max(), drawn) {
        let over = match (least, most) {
            (1, 1) => "from batch means".to_string(),
            _ if least == most => format!("over {most} replications"),
            _ => format!("over {least} to {most} replications"),
        };
        notes.push(format!("Whiskers and bands: 95 % confidence intervals {over}"));
    }
    let x = &figure.x;
    if needs_stability(&figure.y) {
        notes.extend(named(lines, x, "Unstable", |point| point.outcome.stability.verdict == Verdict::Unstable));
        notes.extend(named(lines, x, "Too short to tell whether stable", |point| {
            point.outcome.stability.verdict == Verdict::Undecided && !point.spec.replays()
        }));
    }
    if figure.y.starts_with("delay") {
        notes.extend(named(lines, x, "Of the cells that are not lost; some are lost", |point| {
            point.outcome.cells().dropped > 0
        }));
        notes.extend(named(lines, x, "Of the cells that leave; some never do", |point| {
            point.spec.replays() && point.outcome.cells().queued > 0
        }));
    }
    let blank = |point: &ResultPoint| {
        point.metric(&figure.y).is_none()
            && !(needs_stability(&figure.y) && point.outcome.stability.verdict == Verdict::Unstable)
    };
    notes.extend(named(lines, x, &format!("No {}", figure.y), blank));
    notes
}

/// Lines to which a note applies, with the x at which it does: "Unstable from load 0.8 on:
/// pim(iterations=1)". Lines that agree share a note.
fn named(lines: &[Line], axis: &str, what: &str, so: impl Fn(&ResultPoint) -> bool) -> Vec<String> {
    let mut found: Vec<(String, Vec<&str>)> = Vec::new();
    for line in lines {
        let at: Vec<bool> = line.points.iter().map(|(_, point)| so(point)).collect();
        let Some(first) = at.iter().position(|so| *so) else { continue };
        let x = brief(line.points[first].0);
        let place = if at.len() == 1 {
            format!("{what} at {axis} {x}")
        } else if first == 0 && at.iter().all(|so| *so) {
            format!("{what} at every {axis}")
        } else if at[first..].iter().all(|so| *so) && first + 1 < at.len() {
            format!("{what} from {axis} {x} on")
        } else {
            let xs: Vec<_> = line.points.iter().zip(&at).filter(|(_, so)| **so).map(|((x, _), _)| brief(*x)).collect();
            format!("{what} at {axis} {}", xs.join(", "))
        };
        match found.iter_mut().find(|(known, _)| *known == place) {
            Some((_, names)) => names.push(&line.label),
            None => found.push((place, vec![&line.label])),
        }
    }
    found.into_iter().map(|(place, names)| format!("{place}: {}", names.join(", "))).collect()
}
