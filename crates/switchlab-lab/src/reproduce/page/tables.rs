//! Claims that are the cells of a table in print, as a table: paper, ours, ruling.

use super::super::report::{ExperimentReport, interval};
use super::claims::Judged;
use super::evidence::list;
use super::html::{anchor, appearance};
use crate::claims::short_rule;
use crate::experiment::{Claim, Experiment, Predicate};
use crate::figure::label_of;
use crate::plot::escape;
use std::collections::BTreeSet;
use std::fmt::Write;

/// A table has at least this many rows. Two claims are as well read by themselves.
const LEAST_ROWS: usize = 3;

/// How claims are shown.
pub(super) enum Group<'a> {
    /// By itself.
    One(Judged<'a>),
    /// As rows of a table.
    Table(Vec<Judged<'a>>),
}

/// Claims in the order of the file; those that are cells of one table stand together, where the
/// first of them is.
pub(super) fn groups<'a>(claims: &[Judged<'a>]) -> Vec<Group<'a>> {
    let keys: Vec<Option<Key>> = claims.iter().map(|(claim, _)| key(claim)).collect();
    let rows_of =
        |key: &Key| -> Vec<usize> { (0..claims.len()).filter(|&index| keys[index].as_ref() == Some(key)).collect() };
    let mut groups = Vec::new();
    for (index, judged) in claims.iter().enumerate() {
        let rows = keys[index].as_ref().map(rows_of).filter(|rows| rows.len() >= LEAST_ROWS);
        match rows {
            None => groups.push(Group::One(*judged)),
            Some(rows) if rows[0] == index => groups.push(Group::Table(rows.iter().map(|&row| claims[row]).collect())),
            Some(_) => {}
        }
    }
    groups
}

/// What the cells of a table have in common: where it is printed, and which axes tell its cells
/// apart.
type Key = (String, Vec<String>);

/// None for a claim that is no number in print about single points.
fn key(claim: &Claim) -> Option<Key> {
    let of_values = matches!(claim.predicate, Predicate::Within { .. } | Predicate::AtLeast(_) | Predicate::AtMost(_));
    let has_digit = claim.printed.as_ref().is_some_and(|printed| printed.contains(|c: char| c.is_ascii_digit()));
    let axes: Vec<String> = claim.select.0.keys().cloned().collect();
    (of_values && has_digit && !axes.is_empty()).then(|| (printed_in(&claim.source).to_string(), axes))
}

/// The table in print that a source names, without the row: `table 1` of `table 1, third row`. A
/// source that names none stands for itself.
fn printed_in(source: &str) -> &str {
    match source.to_lowercase().find("table ") {
        Some(start) if source.is_char_boundary(start) => {
            let rest = &source[start + "table ".len()..];
            let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
            &source[..start + "table ".len() + end]
        }
        _ => source,
    }
}

/// A table of claims, one row each, and below it the claims in words with their evidence.
pub(super) fn table(out: &mut String, paper: &str, report: &ExperimentReport, rows: &[Judged]) {
    let first = rows[0].0;
    let differs =
        |of: &dyn Fn(&Claim) -> String| rows.iter().map(|(claim, _)| of(claim)).collect::<BTreeSet<_>>().len() > 1;
    let axes: Vec<&String> = first.select.0.keys().filter(|axis| differs(&|claim| value(claim, axis))).collect();
    let with_quantity = differs(&|claim| claim.metric.clone());
    let called = |claim: &Claim| quantity_of(claim, &report.experiment);
    let mut caption = printed_in(&first.source).to_string();
    if !with_quantity {
        caption += &format!(": {}", called(first));
    }
    for axis in first.select.0.keys().filter(|axis| !axes.contains(axis)) {
        caption += &format!(", {axis} {}", value(first, axis));
    }
    let _ = writeln!(
        out,
        "<p class=\"caption\">{}</p>\n<div class=\"scroll\">\n<table class=\"printed\">",
        escape(&caption)
    );
    *out += "<thead><tr>";
    if with_quantity {
        *out += "<th>quantity</th>";
    }
    for axis in &axes {
        let _ = write!(out, "<th>{}</th>", escape(axis));
    }
    *out += "<th>paper</th><th>ours, interval</th><th>ruling</th><th>holds if it</th></tr></thead>\n<tbody>\n";
    let columns = axes.len() + 4 + usize::from(with_quantity);
    let mut sorted: Vec<&Judged> = rows.iter().collect();
    // The cells of one quantity stand together.
    sorted.sort_by_key(|(claim, _)| rows.iter().position(|(other, _)| other.metric == claim.metric));
    for (claim, evaluation) in sorted {
        let (class, symbol, word) = appearance(evaluation.ruling);
        let place = anchor(&[paper, &report.experiment.id, &claim.id]);
        let _ = write!(out, "<tr id=\"{place}\" title=\"{}\">", escape(&claim.text));
        if with_quantity {
            let _ = write!(out, "<td>{}</td>", escape(&called(claim)));
        }
        for axis in &axes {
            let _ = write!(out, "<td>{}</td>", escape(&value(claim, axis)));
        }
        let _ = writeln!(
            out,
            "<td>{}</td><td>{}</td><td><a class=\"chip {class}\" href=\"#{place}\">{symbol}<span> {word}</span></a></td><td>{}</td></tr>",
            escape(claim.printed.as_deref().unwrap_or_default()),
            measured(&evaluation.measured),
            escape(&short_rule(claim))
        );
        if let Some(why) = &claim.why {
            let _ = writeln!(out, "<tr class=\"why\"><td colspan=\"{columns}\">{}</td></tr>", escape(why));
        }
    }
    *out +=
        "</tbody>\n</table>\n</div>\n<details>\n<summary>These claims in words, with their evidence</summary>\n<ul>\n";
    for (claim, evaluation) in rows {
        let _ = write!(out, "<li>{} <span class=\"soft\">({})</span>", escape(&claim.text), escape(&claim.source));
        list(out, &evaluation.evidence);
        *out += "</li>\n";
    }
    *out += "</ul>\n</details>\n";
}

/// What was measured, its interval on a line of its own.
fn measured(text: &str) -> String {
    match interval(text) {
        Some((value, low, high)) => {
            format!("{}<br/><span class=\"soft\">{} to {}</span>", escape(value), escape(low), escape(high))
        }
        None => escape(text),
    }
}

/// The values that a claim selects on an axis.
fn value(claim: &Claim, axis: &str) -> String {
    claim.select.0.get(axis).map(|values| values.join(", ")).unwrap_or_default()
}

/// What a claim measures, as a figure of the experiment calls it, if one shows it.
fn quantity_of(claim: &Claim, experiment: &Experiment) -> String {
    let named = experiment.figures.iter().find(|figure| figure.y == claim.metric && !figure.y_label.is_empty());
    named.map_or_else(|| label_of(&claim.metric), |figure| figure.y_label.clone())
}
