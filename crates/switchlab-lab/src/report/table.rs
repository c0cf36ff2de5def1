//! Results as text: a table, and below it the evidence of the verdicts.

use crate::compare::Comparison;
use crate::experiment::{Experiment, ResultPoint};
use crate::outcome::Outcome;
use crate::plan::Plan;
use crate::statistics::{Estimate, Verdict};
use crate::text_table::TextTable;
use std::fmt::Write;
use switchlab_core::meter::Lags;

/// The result of a comparison as text.
pub fn table(plan: &Plan, comparison: &Comparison, per_port: bool) -> String {
    let mut text = format!(
        "{} ports, traffic {}, arrivals {}, load {}, seed {}\n{} x {} slots after a warm-up of {}\n\n",
        plan.ports,
        plan.traffic_spec,
        plan.arrivals_spec,
        significant(plan.load),
        plan.seed,
        comparison.replications,
        comparison.slots,
        comparison.warmup
    );
    let paired = comparison.switches.len() > 1;
    let mut head =
        vec!["switch", "mean delay", "p50", "p90", "p99", "p99.9", "max", "throughput", "backlog", "verdict"];
    if paired {
        head.insert(2, "less the first");
    }
    let mut table = TextTable::of_figures(head);
    for outcome in &comparison.switches {
        table.push(row(outcome, paired));
    }
    text += &table.to_string();
    for outcome in comparison.switches.iter().filter(|outcome| outcome.stability.verdict != Verdict::Stable) {
        let _ = write!(text, "\n{}: {}, {}", outcome.spec, outcome.stability.verdict, outcome.stability.evidence);
    }
    let counted: Vec<_> = comparison.switches.iter().filter(|outcome| !outcome.counters().is_empty()).collect();
    for outcome in counted {
        let counters = outcome.counters();
        let counters: Vec<_> = counters.iter().map(|(name, value)| format!("{name} {}", significant(*value))).collect();
        let _ = write!(text, "\n{}: {}", outcome.spec, counters.join(", "));
    }
    for (outcome, lags) in comparison.switches.iter().filter_map(|outcome| Some((outcome, outcome.oq_lag()?))) {
        let _ = write!(text, "\n{}: {}", outcome.spec, behind(&lags));
    }
    if per_port {
        for outcome in &comparison.switches {
            let head = ["port", "arrived at input", "of them departed", "arrived for output", "of them departed"];
            let mut table = TextTable::of_figures(head);
            for (port, counts) in outcome.per_port(plan.ports).iter().enumerate() {
                table.push(std::iter::once(port as u64).chain(*counts).map(|n| n.to_string()));
            }
            let _ = write!(text, "\n\n{}\n{table}", outcome.spec);
        }
    }
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// How far behind output queueing, in a line.
fn behind(lags: &Lags) -> String {
    let Lags { cells, sum, min, max, late, early, unmatched } = *lags;
    if cells == 0 && unmatched == 0 {
        return "lag behind oq: no cell arrived and left".to_string();
    }
    if lags.is_emulation() {
        return format!("lag behind oq: none, each of {cells} cells left in the same slot");
    }
    let mean = significant(sum as f64 / cells.max(1) as f64);
    let unmatched = if unmatched > 0 { format!(", {unmatched} unmatched") } else { String::new() };
    format!("lag behind oq: mean {mean}, from {min} to {max}; of {cells} cells {late} late, {early} early{unmatched}")
}

/// The results of an experiment as text: of the parameters, those that differ between points.
pub fn results(experiment: &Experiment, results: &[ResultPoint]) -> String {
    let variables = experiment.vary.keys().map(String::as_str);
    let axes: Vec<&str> = ["traffic", "arrivals", "ports", "load"].into_iter().chain(variables).collect();
    let text = |point: &ResultPoint, axis: &str| point.spec.text(axis).unwrap_or_default();
    let (varied, fixed): (Vec<&str>, Vec<&str>) =
        axes.into_iter().partition(|axis| results.windows(2).any(|pair| text(&pair[0], axis) != text(&pair[1], axis)));
    let mut head = vec!["switch"];
    head.extend(&varied);
    head.extend(["mean delay", "p50", "p90", "p99", "p99.9", "max", "throughput", "backlog", "verdict"]);
    let mut table = TextTable::of_figures(head);
    for point in results {
        let mut cells = row(&point.outcome, false);
        cells.splice(1..1, varied.iter().map(|axis| text(point, axis)));
        table.push(cells);
    }
    let fixed: Vec<String> = results
        .first()
        .map_or(Vec::new(), |point| fixed.iter().map(|axis| format!("{axis} {}", text(point, axis))).collect());
    format!(
        "{}\n{}, seed {}, {} slots after a warm-up of {}\n\n{table}",
        experiment.title,
        fixed.join(", "),
        experiment.seed,
        experiment.slots,
        experiment.warmup,
    )
}

/// One line. An unstable switch has no delay: its mean grows with the length of the run.
fn row(outcome: &Outcome, paired: bool) -> Vec<String> {
    let unstable = outcome.stability.verdict == Verdict::Unstable;
    let delay = |value: Option<String>| match value {
        _ if unstable => "-".to_string(),
        Some(value) => value,
        None => "none".to_string(),
    };
    let mut cells = vec![outcome.spec.clone()];
    cells.push(if unstable { "unstable".to_string() } else { delay(outcome.delay.map(with_interval)) });
    if paired {
        cells.push(match outcome.versus_first {
            Some(difference) if !unstable => with_interval(difference),
            _ => "-".to_string(),
        });
    }
    for per_mille in [500, 900, 990, 999] {
        cells.push(delay(outcome.delays.quantile(per_mille).map(|delay| delay.to_string())));
    }
    cells.push(delay((outcome.delays.count() > 0).then(|| outcome.delays.max().to_string())));
    cells.push(with_interval(outcome.throughput));
    let backlog = outcome.runs.iter().map(crate::run::Measured::mean_backlog).sum::<f64>() / outcome.runs.len() as f64;
    cells.push(if unstable { "-".to_string() } else { significant(backlog) });
    cells.push(outcome.stability.verdict.to_string());
    cells
}

pub(crate) fn with_interval(estimate: Estimate) -> String {
    match estimate.half_width {
        Some(half_width) => {
            let places = places(half_width);
            format!("{:.places$} ±{half_width:.places$}", estimate.mean)
        }
        None => significant(estimate.mean),
    }
}

/// Decimal places that show two digits of an uncertainty.
fn places(uncertainty: f64) -> usize {
    if uncertainty > 0.0 && uncertainty.is_finite() {
        (1.0 - libm::log10(uncertainty).floor()).clamp(0.0, 8.0) as usize
    } else {
        3
    }
}

/// About four digits.
pub(crate) fn significant(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let places = (3.0 - libm::log10(value.abs()).floor()).clamp(0.0, 9.0) as usize;
    let text = format!("{value:.places$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures() {
        assert_eq!(significant(0.8), "0.8");
        assert_eq!(significant(1234.56), "1235");
        assert_eq!(significant(0.001_234_56), "0.001235");
        assert_eq!(with_interval(Estimate { mean: 4.21934, half_width: Some(0.0123), count: 10 }), "4.219 ±0.012");
        assert_eq!(with_interval(Estimate { mean: 43219.34, half_width: Some(123.0), count: 10 }), "43219 ±123");
    }
}
