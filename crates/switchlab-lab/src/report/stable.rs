//! A stable matching as JSON, as text and for Graphviz.

use crate::error::LabError;
use crate::text_table::{Column, TextTable};
use serde::Serialize;
use switchlab_core::stable::find_roots::left;
use switchlab_core::stable::graph::neighbour_edges;
use switchlab_core::stable::{
    GaleShapley, Matching, Pair, Preferences, check_acyclic, check_rooted, check_stable, find_roots_then_gale_shapley,
    gale_shapley,
};

/// Up to this many rows and columns a graph is shown as a matrix, which still fits a screen.
const SHOWN: usize = 16;

/// Up to this many rows and columns a graph can be drawn.
const DRAWN: usize = 64;

/// A matching and how it was found, as JSON.
#[derive(Debug, Serialize)]
#[allow(clippy::struct_excessive_bools, reason = "keys of the JSON, independent of each other")]
pub struct MatchReport {
    rows: usize,
    columns: usize,
    complete: bool,
    ties: bool,
    rooted: bool,
    acyclic: bool,
    /// Why it is not rooted, or else not acyclic.
    cycle: Option<Vec<Vertex>>,
    algorithm: &'static str,
    /// The roots of each iteration of `FIND_ROOTS`.
    iterations: Vec<Vec<Vertex>>,
    /// The rounds of Gale-Shapley: all, or those that finished.
    rounds: Vec<RoundReport>,
    matching: Vec<Vertex>,
    stable: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
struct Vertex {
    row: usize,
    column: usize,
}

#[derive(Debug, Serialize)]
struct RoundReport {
    proposals: Vec<Vertex>,
    kept: Vec<Vertex>,
}

fn vertices(pairs: &[Pair]) -> Vec<Vertex> {
    pairs.iter().map(|&Pair { row, column }| Vertex { row, column }).collect()
}

fn pair(vertex: Vertex) -> Pair {
    Pair { row: vertex.row, column: vertex.column }
}

fn rounds(found: &GaleShapley) -> Vec<RoundReport> {
    let round = |round: &gale_shapley::Round| RoundReport {
        proposals: vertices(&round.proposals),
        kept: vertices(&round.kept),
    };
    found.rounds.iter().map(round).collect()
}

impl MatchReport {
    /// By `FIND_ROOTS`, finished by Gale-Shapley where it stops early.
    pub fn find_roots(preferences: &Preferences) -> Self {
        let (found, finished) = find_roots_then_gale_shapley(preferences);
        let matching = finished.as_ref().map_or(&found.matching, |finished| &finished.matching);
        let mut report = Self::new(preferences, "find-roots", matching);
        report.iterations = found.iterations.iter().map(|roots| vertices(roots)).collect();
        report.rounds = finished.as_ref().map(rounds).unwrap_or_default();
        report
    }

    /// By Gale-Shapley.
    pub fn gale_shapley(preferences: &Preferences) -> Self {
        let found = gale_shapley(preferences);
        let mut report = Self::new(preferences, "gale-shapley", &found.matching);
        report.rounds = rounds(&found);
        report
    }

    fn new(preferences: &Preferences, algorithm: &'static str, matching: &Matching) -> Self {
        let (rooted, acyclic) = (check_rooted(preferences), check_acyclic(preferences));
        Self {
            rows: preferences.rows(),
            columns: preferences.columns(),
            complete: preferences.is_complete(),
            ties: preferences.has_ties(),
            rooted: rooted.is_ok(),
            acyclic: acyclic.is_ok(),
            cycle: rooted.and(acyclic).err().map(|cycle| vertices(&cycle.pairs)),
            algorithm,
            iterations: Vec::new(),
            rounds: Vec::new(),
            matching: vertices(&matching.pairs().collect::<Vec<_>>()),
            stable: check_stable(preferences, matching).is_ok(),
        }
    }
}

fn listed(pairs: &[Vertex]) -> String {
    pairs.iter().map(|&vertex| pair(vertex).to_string()).collect::<Vec<_>>().join("  ")
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// The report for people; with `steps` each iteration and each round.
pub fn text(preferences: &Preferences, report: &MatchReport, steps: bool) -> String {
    let mut text = format!(
        "{}, {}; {}, {}; {}\n",
        counted(report.rows, "row"),
        counted(report.columns, "column"),
        if report.complete { "complete" } else { "incomplete" },
        if report.ties { "with ties" } else { "without ties" },
        match (report.rooted, report.acyclic) {
            (_, true) => "acyclic",
            (true, false) => "rooted, not acyclic",
            (false, false) => "not rooted",
        }
    );
    if let Some(cycle) = &report.cycle {
        let closed = [&cycle[..], &cycle[..1.min(cycle.len())]].concat();
        text += &format!("a cycle: {}\n", listed(&closed));
    }
    if steps {
        text += &shown_steps(preferences, report);
    }
    text += &format!("\nmatching: {}\n", listed(&report.matching));
    let mut by = Vec::new();
    if report.algorithm == "find-roots" {
        by.push(format!("FIND_ROOTS in {}", counted(report.iterations.len(), "iteration")));
    }
    if !report.rounds.is_empty() {
        by.push(format!("Gale-Shapley in {}", counted(report.rounds.len(), "round")));
    }
    let stable = if report.stable { "stable" } else { "not stable" };
    text += &format!("{stable}; {}\n", by.join(", then "));
    text
}

fn shown_steps(preferences: &Preferences, report: &MatchReport) -> String {
    let mut text = String::new();
    let mut matched = Matching::new(report.rows, report.columns);
    for (number, roots) in (1..).zip(&report.iterations) {
        text += &format!("\niteration {number}\n");
        text += &graph(preferences, &matched, roots);
        text += &format!("  roots: {}\n", listed(roots));
        for &root in roots {
            matched.add(pair(root));
        }
    }
    if report.algorithm == "find-roots" {
        if report.rooted {
            text += "\nnothing is left\n";
        } else {
            text += "\nno root is left; Gale-Shapley finishes\n";
            text += &graph(preferences, &matched, &[]);
        }
    }
    for (number, round) in (1..).zip(&report.rounds) {
        text += &format!("\nround {number}\n  proposals: {}\n", listed(&round.proposals));
        text += &format!("  kept: {}\n", listed(&round.kept));
    }
    text
}

/// The pairs whose row and column are free, with their ranks among themselves; roots in brackets.
fn graph(preferences: &Preferences, matched: &Matching, roots: &[Vertex]) -> String {
    let left = left(preferences, matched);
    let lines = |side: fn(&Pair) -> usize| -> Vec<usize> {
        let mut lines: Vec<usize> = left.iter().map(side).collect();
        lines.sort_unstable();
        lines.dedup();
        lines
    };
    let (rows, columns) = (lines(|pair| pair.row), lines(|pair| pair.column));
    if rows.len() > SHOWN || columns.len() > SHOWN {
        return format!("  {} rows, {} columns and {} pairs are left\n", rows.len(), columns.len(), left.len());
    }
    let rest = preferences.restricted_to(&left);
    let cell = |row, column| match rest.ranks(Pair { row, column }) {
        None => ". ".to_string(),
        Some((h, v)) if roots.contains(&Vertex { row, column }) => format!("[{h}/{v}]"),
        Some((h, v)) => format!("{h}/{v} "),
    };
    let head = columns.iter().map(|column| Column::right(format!("{column}  ")).at_least(8));
    let mut table = TextTable::new([Column::right("").at_least(3)].into_iter().chain(head)).indent(4).gap(0);
    for &row in &rows {
        table.push([row.to_string()].into_iter().chain(columns.iter().map(|&column| cell(row, column))));
    }
    format!("  rank by the row / rank by the column; [roots]:\n{table}")
}

/// The dependency graph for Graphviz, on a grid as the paper draws it, with edges between
/// neighbours in rank. The edges that follow from these are left out. The matching is dark.
pub fn dot(preferences: &Preferences, report: &MatchReport) -> Result<String, LabError> {
    if report.rows > DRAWN || report.columns > DRAWN {
        let size = format!("{} x {}", report.rows, report.columns);
        return Err(LabError::Request(format!("a graph of {size} cannot be drawn; {DRAWN} x {DRAWN} is the most")));
    }
    let name = |pair: Pair| format!("v{}_{}", pair.row, pair.column);
    let mut text = "\
// Rank by the row, rank by the column. Edges lead from what is liked better to what is liked next;
// those that follow are left out.
digraph dependency {
  layout=neato; splines=true;
  node [shape=circle, fixedsize=true, width=0.6, fontsize=11];
"
    .to_string();
    for pair in preferences.pairs() {
        let (h, v) = preferences.ranks(pair).unwrap_or_default();
        let dark = report.matching.contains(&Vertex { row: pair.row, column: pair.column });
        let style = if dark { ", style=filled, fillcolor=black, fontcolor=white" } else { "" };
        let (x, y) = (1.5 * pair.column as f64, 1.5 * (report.rows - 1 - pair.row) as f64);
        text += &format!("  {} [label=\"{h},{v}\", pos=\"{x},{y}!\"{style}];\n", name(pair));
    }
    for (from, to) in neighbour_edges(preferences) {
        text += &format!("  {} -> {};\n", name(from), name(to));
    }
    Ok(text + "}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchlab_core::stable::examples;

    #[test]
    fn an_unrooted_instance_is_finished_and_says_why() {
        // Two rows like different columns best, which like the other row best; and a third pair
        // that likes each other.
        let rows = [vec![0, 1, 2], vec![1, 0, 2], vec![2, 0, 1]];
        let columns = [vec![1, 0, 2], vec![0, 1, 2], vec![2, 0, 1]];
        let preferences = Preferences::from_lists(&rows, &columns).unwrap();
        let report = MatchReport::find_roots(&preferences);
        assert!(!report.rooted && !report.acyclic && report.stable);
        assert_eq!(report.iterations, [[Vertex { row: 2, column: 2 }]]);
        assert_eq!(report.matching, MatchReport::gale_shapley(&preferences).matching);
        let shown = text(&preferences, &report, true);
        for words in [
            "; not rooted",
            "a cycle: 0->1  1->1  1->0  0->0  0->1",
            "no root is left",
            "round 1",
            "FIND_ROOTS in 1 iteration, then Gale-Shapley in 1 round",
        ] {
            assert!(shown.contains(words), "{words}\n{shown}");
        }
    }

    #[test]
    fn the_graph_for_graphviz() {
        let preferences = examples::example_1();
        let drawn = dot(&preferences, &MatchReport::find_roots(&preferences)).unwrap();
        assert_eq!(drawn.matches("label=").count(), 16);
        assert_eq!(drawn.matches("fillcolor").count(), 4);
        // Of each of the 8 lines, 3 edges between neighbours.
        assert_eq!(drawn.matches("->").count(), 8 * 3);
        assert!(drawn.contains("v0_2 -> v0_3;") && drawn.contains("v2_0 -> v1_0;"), "{drawn}");
        let large = examples::most_iterations(65);
        assert!(dot(&large, &MatchReport::find_roots(&large)).is_err());
        assert!(
            text(&large, &MatchReport::find_roots(&large), true)
                .contains("65 rows, 65 columns and 4225 pairs are left")
        );
    }
}
