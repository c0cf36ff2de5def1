//! The page: every figure, table and claim in one file that needs nothing else.
//!
//! No script, no font, no picture from elsewhere: it opens from a disk, on a phone, in print, in
//! ten years. Each chart is there twice, laid out for a wide and for a narrow screen, since a chart
//! that shrinks cannot be read. Every paper, experiment, figure and claim has an anchor that is its
//! name, so that it can be linked to. The same results give the same bytes.

mod claims;
mod evidence;
mod figures;
mod head;
mod html;
mod looks;
mod tables;

use super::report::{ExperimentReport, PaperReport};
use super::{Provenance, markdown};
use crate::claims::Ruling;
use crate::experiment::Experiment;
use crate::plot::escape;
pub(super) use figures::reduced;
use html::{TOP, anchor, appearance, counted, fact, links};
use looks::Looks;
use std::fmt::Write;

const STYLE: &str = include_str!("style.css");
/// The mark of a page of switchlab.
pub(super) const TITLE: &str = "<title>switchlab: papers reproduced</title>";

/// The whole page.
pub fn page(papers: &[PaperReport], provenance: &Provenance) -> String {
    let mut looks = Looks::default();
    let mut body = String::new();
    contents(&mut body, papers);
    body += "<main>\n";
    head::head(&mut body, papers, provenance);
    for paper in papers {
        section(&mut body, paper, provenance, &mut looks);
    }
    body += "</main>\n";
    let mut out = String::from("<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n");
    out += "<meta charset=\"utf-8\"/>\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n";
    out += &format!("{TITLE}\n<style>\n{STYLE}{}</style>\n</head>\n<body id=\"{TOP}\">\n", looks.rules());
    out + &body + "</body>\n</html>\n"
}

/// The bar that stays: the lists of the head, the papers, and on wide screens their experiments.
fn contents(out: &mut String, papers: &[PaperReport]) {
    let _ =
        writeln!(out, "<nav class=\"contents\" aria-label=\"Contents\">\n<ul>\n<li><a href=\"#{TOP}\">Top</a></li>");
    for ruling in head::LISTED {
        let count = papers.iter().map(|paper| paper.tally().of(ruling)).sum::<usize>();
        if count > 0 {
            let (class, symbol, word) = appearance(ruling);
            let (place, word) = (head::list_of(ruling), word.replace("does", "do"));
            let _ = writeln!(
                out,
                "<li><a href=\"#{place}\"><span class=\"sign {class}\">{symbol}</span> {count}<span> {word}</span></a></li>"
            );
        }
    }
    for paper in papers {
        let (id, title) = (escape(&paper.id), title(paper));
        let _ = writeln!(out, "<li><a href=\"#{}\" title=\"{title}\">{id}</a>", anchor(&[&paper.id]));
        let entry = |report: &ExperimentReport| {
            let shown = &report.experiment;
            let place = anchor(&[&paper.id, &shown.id]);
            let signs = signs(report);
            format!(
                "<li><a href=\"#{place}\" title=\"{}\">{}{signs}</a></li>\n",
                escape(&shown.title),
                escape(&shown.id)
            )
        };
        let entries: String = paper.experiments.iter().map(entry).collect();
        if !entries.is_empty() {
            let _ = writeln!(out, "<ul>\n{entries}</ul>");
        }
        *out += "</li>\n";
    }
    *out += "</ul>\n</nav>\n";
}

/// How many claims of an experiment do not hold or are undecided, as signs.
fn signs(report: &ExperimentReport) -> String {
    let sign = |ruling: Ruling| {
        let count = report.evaluations.iter().filter(|evaluation| evaluation.ruling == ruling).count();
        let (class, symbol, _) = appearance(ruling);
        if count == 0 { String::new() } else { format!(" <span class=\"sign {class}\">{symbol} {count}</span>") }
    };
    head::LISTED.map(sign).concat()
}

/// The heading of a paper.
fn title(paper: &PaperReport) -> String {
    let title = markdown::head(&paper.readme_markdown).title;
    escape(&title.filter(|title| !title.is_empty()).unwrap_or_else(|| paper.id.clone()))
}

fn section(out: &mut String, paper: &PaperReport, provenance: &Provenance, looks: &mut Looks) {
    let place = anchor(&[&paper.id]);
    let _ = writeln!(out, "<section id=\"{place}\">\n<h2>{}</h2>", title(paper));
    if let Some(citation) = markdown::head(&paper.readme_markdown).citation {
        let _ = writeln!(out, "<p class=\"source\">{}</p>", escape(&citation));
    }
    head::balance(out, paper);
    let named = |name: &str| {
        let of = |report: &ExperimentReport| {
            let inside = |claim: &crate::experiment::Claim| claim.id == name;
            let experiment = &report.experiment;
            if experiment.id == name {
                Some(anchor(&[&paper.id, name]))
            } else {
                experiment.claims.iter().any(inside).then(|| anchor(&[&paper.id, &experiment.id, name]))
            }
        };
        let mut found = paper.experiments.iter().filter_map(of);
        // A name that two claims have leads to neither.
        found.next().filter(|_| found.next().is_none())
    };
    let words = markdown::render(&paper.readme_markdown, named);
    if !words.trim().is_empty() {
        let _ = writeln!(out, "<div class=\"words\">\n{words}</div>");
    }
    if !paper.experiments.is_empty() {
        let link = |report: &ExperimentReport| {
            let shown = &report.experiment;
            format!("<a href=\"#{}\">{}</a>{}", anchor(&[&paper.id, &shown.id]), escape(&shown.id), signs(report))
        };
        let links: Vec<String> = paper.experiments.iter().map(link).collect();
        let _ = writeln!(out, "<p class=\"inside\">Experiments: {}</p>", links.join(" · "));
    }
    for report in &paper.experiments {
        experiment(out, paper, report, provenance, looks);
    }
    let _ = writeln!(out, "<p class=\"up\"><a href=\"#{TOP}\">Back to top</a></p>\n</section>");
}

fn experiment(
    out: &mut String,
    paper: &PaperReport,
    report: &ExperimentReport,
    provenance: &Provenance,
    looks: &mut Looks,
) {
    let shown = &report.experiment;
    let place = anchor(&[&paper.id, &shown.id]);
    let name = format!("<a class=\"name\" href=\"#{place}\">{}/{}</a>", escape(&paper.id), escape(&shown.id));
    let _ = writeln!(out, "<article id=\"{place}\">\n<h3>{}</h3>", escape(&shown.title));
    let _ = writeln!(out, "<p class=\"source\">{name} {}</p>", escape(&shown.source));
    if let Some(why) = &report.unmeasured {
        unmeasured(out, paper, report, why);
        *out += "</article>\n";
        return;
    }
    let full = provenance.full_form(&paper.id, &shown.id);
    let no_files = Vec::new();
    for (index, figure) in shown.figures.iter().enumerate() {
        let files = report.figure_files.get(index).unwrap_or(&no_files);
        let drawn = figures::Drawn { paper: &paper.id, figure, report, files };
        drawn.draw(out, full, looks);
    }
    claims::claims(out, &paper.id, report);
    *out += "<details>\n<summary>What was run</summary>\n<dl class=\"facts\">\n";
    for (name, value) in resolved(shown) {
        fact(out, name, &escape(&value));
    }
    *out += "</dl>\n</details>\n";
    links(out, "Results: ", &report.files);
    *out += "</article>\n";
}

/// An experiment without results: why there are none, and what it would judge.
fn unmeasured(out: &mut String, paper: &PaperReport, report: &ExperimentReport, why: &str) {
    let _ = writeln!(out, "<p class=\"soft\">Not measured: {}.</p>\n<ul class=\"list\">", escape(why));
    for claim in &report.experiment.claims {
        let place = anchor(&[&paper.id, &report.experiment.id, &claim.id]);
        let _ = writeln!(out, "<li id=\"{place}\">{}</li>", escape(&claim.text));
    }
    *out += "</ul>\n";
}

/// What was run, by name and value.
pub(super) fn resolved(experiment: &Experiment) -> Vec<(&'static str, String)> {
    let numbers = |numbers: &[f64]| numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(", ");
    let ports: Vec<_> = experiment.ports.iter().map(usize::to_string).collect();
    let mut facts = vec![("ports", ports.join(", "))];
    if experiment.calculates() {
        facts.insert(0, ("calculations", experiment.switches.join(", ")));
    } else {
        facts.insert(0, ("switches", experiment.switches.join(", ")));
        facts.push(("traffic", experiment.traffic.join(", ")));
        facts.push(("arrivals", experiment.arrivals.join(", ")));
        facts.push(("loads", numbers(&experiment.loads)));
    }
    for (name, values) in &experiment.vary {
        facts.push(("variable", format!("{name} = {}", numbers(values))));
    }
    if !experiment.calculates() {
        let length = format!("{} slots after a warm-up of {}", experiment.slots, experiment.warmup);
        facts.push(("each run", length));
        for length in &experiment.lengths {
            let whose = crate::report::experiment::selection(&length.select);
            facts.push(("but", format!("{} slots after a warm-up of {} {whose}", length.slots, length.warmup)));
        }
        let most = format!("{}, up to {} where needed", experiment.replications, experiment.most_replications);
        facts.push(("replications", most));
    }
    facts.push(("seed", experiment.seed.to_string()));
    facts.retain(|(_, value)| !value.is_empty());
    facts
}

/// The seeds of all experiments.
pub(super) fn seeds(papers: &[PaperReport]) -> String {
    let mut seeds: Vec<u64> = papers.iter().flat_map(|paper| &paper.experiments).map(|e| e.experiment.seed).collect();
    seeds.sort_unstable();
    seeds.dedup();
    let seeds: Vec<String> = seeds.iter().map(u64::to_string).collect();
    if seeds.is_empty() { "none".to_string() } else { seeds.join(", ") }
}

/// Papers, figures and claims in numbers.
fn extent(papers: &[PaperReport]) -> String {
    let measured = papers.iter().flat_map(|paper| &paper.experiments).filter(|report| report.unmeasured.is_none());
    let figures: usize = measured.map(|report| report.experiment.figures.len()).sum();
    let claims: usize = papers.iter().map(|paper| paper.tally().total()).sum();
    format!("{}, {}, {}", counted(papers.len(), "paper"), counted(figures, "figure"), counted(claims, "claim"))
}
