//! Figures: the chart twice, a caption with its address, the numbers.

use super::super::report::{ExperimentReport, Link};
use super::html::{figure_anchor, linked};
use super::looks::Looks;
use crate::experiment::{Experiment, Figure};
use crate::figure;
use crate::plot::{Size, escape};
use std::fmt::Write;

/// The chart for narrow screens.
const NARROW: (u32, u32) = (390, 400);

/// A figure of a paper.
pub(super) struct Drawn<'a> {
    pub(super) paper: &'a str,
    pub(super) figure: &'a Figure,
    pub(super) report: &'a ExperimentReport,
    pub(super) files: &'a [Link],
}

impl Drawn<'_> {
    /// Writes it. `full` is the experiment in full, if this is a reduced form of it.
    pub(super) fn draw(&self, out: &mut String, full: Option<&Experiment>, looks: &mut Looks) {
        let Self { paper, figure, report, files } = self;
        let chart = figure::chart(figure, &report.results);
        let place = figure_anchor(paper, &report.experiment.id, &figure.id);
        let wide = looks.shared(&chart.to_svg());
        let narrow = looks.shared(&chart.to_svg_sized(&Size::screen(NARROW.0, NARROW.1)));
        let _ = write!(out, "<figure id=\"{place}\">\n{}{}", first(&wide, &place), second(&narrow, &place));
        let name = format!("<a class=\"name\" href=\"#{place}\">{}/{}</a>", escape(paper), escape(&figure.id));
        let mut caption = vec![name];
        if let Some(reduced) = full.and_then(|full| reduced(figure, &report.experiment, full)) {
            caption.push(format!("<b>{}</b>", escape(&reduced)));
        }
        if !files.is_empty() {
            caption.push(linked(files));
        }
        let _ = writeln!(out, "<figcaption>{}</figcaption>\n</figure>", caption.join(" · "));
        numbers(out, figure, report);
    }
}

/// The wide chart, whose description both have.
fn first(svg: &str, place: &str) -> String {
    svg.replacen("<svg ", "<svg class=\"wide\" ", 1).replacen("<desc>", &format!("<desc id=\"{place}/in-words\">"), 1)
}

/// The narrow chart, which refers to the description of the wide one.
fn second(svg: &str, place: &str) -> String {
    let described = format!("<svg class=\"narrow\" aria-describedby=\"{place}/in-words\" ");
    let svg = svg.replacen("<svg ", &described, 1);
    let words = svg.find("<desc>").zip(svg.find("</desc>"));
    match words {
        Some((from, to)) => format!("{}{}", &svg[..from], svg[to + "</desc>".len()..].trim_start()),
        None => svg,
    }
}

/// The numbers behind a figure, folded away.
fn numbers(out: &mut String, figure: &Figure, report: &ExperimentReport) {
    *out += "<details>\n<summary>The numbers</summary>\n<div class=\"scroll\">\n<table class=\"data\">\n";
    let rows = figure::table(figure, &report.results);
    for (index, row) in rows.iter().enumerate() {
        let cell = if index == 0 { "th" } else { "td" };
        let (open, close) = match index {
            0 => ("<thead>", "</thead>\n<tbody>"),
            _ => ("", ""),
        };
        let cells: Vec<_> = row.iter().map(|text| format!("<{cell}>{}</{cell}>", escape(text))).collect();
        let _ = writeln!(out, "{open}<tr>{}</tr>{close}", cells.concat());
    }
    *out += "</tbody>\n</table>\n</div>\n</details>\n";
}

/// How much less than in full a figure has: fewer values of x, shorter runs. None if it has all.
pub(in super::super) fn reduced(figure: &Figure, run: &Experiment, full: &Experiment) -> Option<String> {
    let mut less = Vec::new();
    let (here, whole) = (values(figure, run), values(figure, full));
    if here < whole {
        let noun = match figure.x.as_str() {
            "load" => "loads".to_string(),
            "ports" => "numbers of ports".to_string(),
            variable => format!("values of {variable}"),
        };
        less.push(format!("{here} of {whole} {noun}"));
    }
    if run.slots < full.slots && !run.calculates() {
        less.push(format!("{} of {} slots", run.slots, full.slots));
    }
    (!less.is_empty()).then(|| format!("quick: {}", less.join(", ")))
}

/// How many values of its x axis a figure selects.
fn values(figure: &Figure, experiment: &Experiment) -> usize {
    let axis: Vec<f64> = match figure.x.as_str() {
        "load" => experiment.loads.clone(),
        "ports" => experiment.ports.iter().map(|&ports| ports as f64).collect(),
        variable => experiment.vary.get(variable).cloned().unwrap_or_default(),
    };
    let selected = figure.select.0.get(&figure.x);
    let is_in = |x: &&f64| selected.is_none_or(|values| values.iter().any(|value| value.parse() == Ok(**x)));
    axis.iter().filter(is_in).count()
}
