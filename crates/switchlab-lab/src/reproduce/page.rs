//! The page: every figure, table and claim in one file that needs nothing else.
//!
//! No script, no font, no picture from elsewhere: it opens from a disk, on a phone, in print, in
//! ten years. Each chart is there twice, laid out for a wide and for a narrow screen, since a chart
//! that shrinks cannot be read. The same results give the same bytes.

use super::report::{ExperimentReport, Link, PaperReport};
use super::{Provenance, Tally, markdown};
use crate::claims::{Evaluation, Ruling, quantity, rule};
use crate::experiment::{Claim, Experiment, Figure};
use crate::figure;
use crate::plot::{Size, escape};
use std::fmt::Write;

const STYLE: &str = include_str!("page.css");
/// The mark of a page of switchlab.
pub(super) const TITLE: &str = "<title>switchlab: papers reproduced</title>";
/// The chart for narrow screens.
const NARROW: (u32, u32) = (390, 400);

/// The whole page.
pub fn page(papers: &[PaperReport], provenance: &Provenance) -> String {
    let mut out = String::from("<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n");
    out += "<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n";
    out += &format!("{TITLE}\n<style>\n{STYLE}</style>\n</head>\n<body>\n");
    summary(&mut out, papers, provenance);
    for paper in papers {
        section(&mut out, paper);
    }
    out += "</body>\n</html>\n";
    out
}

fn summary(out: &mut String, papers: &[PaperReport], provenance: &Provenance) {
    let all: Tally = papers.iter().map(PaperReport::tally).sum();
    *out += "<header>\n<h1>Papers reproduced</h1>\n";
    let figures: usize = papers.iter().flat_map(|paper| &paper.experiments).map(|e| e.experiment.figures.len()).sum();
    let _ = writeln!(
        out,
        "<p class=\"soft\">{}, {}, {}, measured anew by simulation.</p>",
        counted(papers.len(), "paper"),
        counted(figures, "figure"),
        counted(all.total(), "claim"),
    );
    *out += "<ul class=\"totals\">\n";
    for (ruling, count, words) in [
        (Ruling::Holds, all.holds, if all.holds == 1 { "holds" } else { "hold" }),
        (Ruling::DoesNotHold, all.fails, if all.fails == 1 { "does not hold" } else { "do not hold" }),
        (Ruling::Undecided, all.undecided, "undecided"),
    ] {
        let (class, symbol, _) = appearance(ruling);
        let _ = writeln!(out, "<li class=\"{class}\"><b>{symbol} {count}</b>{words}</li>");
    }
    *out += "</ul>\n<nav class=\"scroll\">\n<table>\n<thead><tr><th>Paper</th><th class=\"count\">Figures</th>\
             <th class=\"count\">Hold</th><th class=\"count\">Do not</th><th class=\"count\">Undecided</th></tr></thead>\n<tbody>\n";
    for paper in papers {
        let tally = paper.tally();
        let figures: usize = paper.experiments.iter().map(|e| e.experiment.figures.len()).sum();
        let _ = write!(out, "<tr><td><a href=\"#{}\">{}</a></td>", anchor(&[&paper.id]), title(paper));
        for count in [figures, tally.holds, tally.fails, tally.undecided] {
            let _ = write!(out, "<td class=\"count\">{count}</td>");
        }
        *out += "</tr>\n";
    }
    *out += "</tbody>\n</table>\n</nav>\n";
    listed(out, papers, Ruling::DoesNotHold, "What does not hold");
    listed(out, papers, Ruling::Undecided, "What is undecided");
    *out += "<dl class=\"facts\">\n";
    fact(out, "Engine", &format!("switchlab {}", escape(&provenance.engine)));
    fact(out, "Seed", &seeds(papers));
    fact(out, "Length", provenance.mode_in_words());
    fact(out, "Made by", &format!("<code>{}</code>", escape(&provenance.command)));
    *out += "</dl>\n";
    *out += "<p class=\"soft\">A claim holds, or does not, if the intervals of what was measured, at 95 % for all its checks together, leave no doubt; \
             otherwise it is undecided. The same command gives the same bytes.</p>\n</header>\n";
}

/// The claims of a ruling, each with a link to where it stands.
fn listed(out: &mut String, papers: &[PaperReport], ruling: Ruling, heading: &str) {
    let mut lines = String::new();
    for paper in papers {
        for report in &paper.experiments {
            let rulings = report.experiment.claims.iter().zip(&report.evaluations);
            for (claim, _) in rulings.filter(|(_, evaluation)| evaluation.ruling == ruling) {
                let place = anchor(&[&paper.id, &report.experiment.id, "claim", &claim.id]);
                let name = format!("{}/{}/{}", paper.id, report.experiment.id, claim.id);
                let _ = writeln!(lines, "<li><a href=\"#{place}\">{}</a> {}</li>", escape(&name), escape(&claim.text));
            }
        }
    }
    if !lines.is_empty() {
        let count = lines.lines().count();
        let _ = writeln!(
            out,
            "<details>\n<summary>{heading}: {}</summary>\n<ul>\n{lines}</ul>\n</details>",
            counted(count, "claim")
        );
    }
}

fn seeds(papers: &[PaperReport]) -> String {
    let mut seeds: Vec<u64> = papers.iter().flat_map(|paper| &paper.experiments).map(|e| e.experiment.seed).collect();
    seeds.sort_unstable();
    seeds.dedup();
    seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")
}

fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn title(paper: &PaperReport) -> String {
    markdown::render(&paper.readme_markdown).0.filter(|title| !title.is_empty()).unwrap_or_else(|| escape(&paper.id))
}

fn section(out: &mut String, paper: &PaperReport) {
    let _ = writeln!(out, "<section id=\"{}\">\n<h2>{}</h2>", anchor(&[&paper.id]), title(paper));
    let words = markdown::render(&paper.readme_markdown).1;
    if !words.trim().is_empty() {
        let _ = writeln!(out, "<div class=\"words\">\n{words}</div>");
    }
    for report in &paper.experiments {
        experiment(out, paper, report);
    }
    *out += "</section>\n";
}

fn experiment(out: &mut String, paper: &PaperReport, report: &ExperimentReport) {
    let shown = &report.experiment;
    let _ = writeln!(out, "<article id=\"{}\">\n<h3>{}</h3>", anchor(&[&paper.id, &shown.id]), escape(&shown.title));
    let _ = writeln!(out, "<p class=\"source\">{}</p>", escape(&shown.source));
    let no_files = Vec::new();
    for (index, figure) in shown.figures.iter().enumerate() {
        let files = report.figure_files.get(index).unwrap_or(&no_files);
        draw(out, &anchor(&[&paper.id, &shown.id, &figure.id]), figure, report, files);
    }
    if !shown.claims.is_empty() {
        *out += "<h4>Claims</h4>\n<ul class=\"claims\">\n";
        for (claim, evaluation) in shown.claims.iter().zip(&report.evaluations) {
            let place = anchor(&[&paper.id, &shown.id, "claim", &claim.id]);
            verdict(out, &place, claim, evaluation);
        }
        *out += "</ul>\n";
    }
    *out += "<details>\n<summary>What was run</summary>\n<dl class=\"facts\">\n";
    for (name, value) in resolved(shown) {
        fact(out, name, &escape(&value));
    }
    *out += "</dl>\n</details>\n";
    links(out, "Results: ", &report.files);
    *out += "</article>\n";
}

fn draw(out: &mut String, id: &str, figure: &Figure, report: &ExperimentReport, files: &[Link]) {
    let chart = figure::chart(figure, &report.results);
    let classed = |svg: String, class: &str| svg.replacen("<svg ", &format!("<svg class=\"{class}\" "), 1);
    let _ = write!(out, "<figure id=\"{id}\">\n{}", classed(chart.to_svg(), "wide"));
    *out += &classed(chart.to_svg_sized(&Size::screen(NARROW.0, NARROW.1)), "narrow");
    *out += "</figure>\n";
    links(out, "This figure as ", files);
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

fn verdict(out: &mut String, place: &str, claim: &Claim, evaluation: &Evaluation) {
    let (class, symbol, word) = appearance(evaluation.ruling);
    let _ = writeln!(
        out,
        "<li id=\"{place}\"><div><a class=\"chip {class}\" href=\"#{place}\">{symbol} {word}</a></div>\n<div>"
    );
    let _ = writeln!(out, "<p>{}</p>\n<dl class=\"facts\">", escape(&claim.text));
    fact(out, "measured", &escape(&format!("{}: {}", quantity(claim), evaluation.measured)));
    fact(out, "holds if", &escape(&rule(claim)));
    if evaluation.ruling != Ruling::from(claim.expected) {
        fact(out, "expected", Ruling::from(claim.expected).in_words());
    }
    if let Some(printed) = &claim.printed {
        fact(out, "paper says", &escape(printed));
    }
    if !claim.source.is_empty() {
        fact(out, "source", &escape(&claim.source));
    }
    *out += "</dl>\n";
    if !evaluation.evidence.is_empty() {
        *out += "<details>\n<summary>Evidence</summary>\n<ul>\n";
        for line in &evaluation.evidence {
            let _ = writeln!(out, "<li>{}</li>", escape(line));
        }
        *out += "</ul>\n</details>\n";
    }
    *out += "</div></li>\n";
}

/// Class, symbol and word of a ruling; each alone is sufficient.
fn appearance(ruling: Ruling) -> (&'static str, &'static str, &'static str) {
    match ruling {
        Ruling::Holds => ("holds", "✓", "holds"),
        Ruling::DoesNotHold => ("fails", "✗", "does not hold"),
        Ruling::Undecided => ("open", "?", "undecided"),
    }
}

fn resolved(experiment: &Experiment) -> Vec<(&'static str, String)> {
    let numbers = |numbers: &[f64]| numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(", ");
    let ports: Vec<_> = experiment.ports.iter().map(usize::to_string).collect();
    let mut facts = vec![
        ("switches", experiment.switches.join(", ")),
        ("ports", ports.join(", ")),
        ("traffic", experiment.traffic.join(", ")),
        ("arrivals", experiment.arrivals.join(", ")),
        ("loads", numbers(&experiment.loads)),
    ];
    for (name, values) in &experiment.vary {
        facts.push(("variable", format!("{name} = {}", numbers(values))));
    }
    let length = format!("{} slots after a warm-up of {}", experiment.slots, experiment.warmup);
    facts.push(("each run", length));
    let most = format!("{}, up to {} where needed", experiment.replications, experiment.most_replications);
    facts.push(("replications", most));
    facts.push(("seed", experiment.seed.to_string()));
    facts
}

fn fact(out: &mut String, name: &str, html: &str) {
    let _ = writeln!(out, "<dt>{name}</dt><dd>{html}</dd>");
}

fn links(out: &mut String, before: &str, files: &[Link]) {
    if !files.is_empty() {
        let link = |link: &Link| format!("<a href=\"{}\">{}</a>", encoded(&link.path), escape(&link.name));
        let links: Vec<_> = files.iter().map(link).collect();
        let _ = writeln!(out, "<p class=\"files\">{before}{}</p>", links.join(" · "));
    }
}

/// An identifier that is one in HTML and in an address.
pub(super) fn anchor(parts: &[&str]) -> String {
    parts.join("--").replace(|c: char| !c.is_ascii_alphanumeric() && c != '-', "_")
}

/// A relative path as an address.
fn encoded(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    path.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}
