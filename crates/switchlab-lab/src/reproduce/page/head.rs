//! The head of the page: the balance, what does not hold, what is undecided, how it was made.

use super::super::report::{Balance, ExperimentReport, PaperReport, Tally, name_of, reason};
use super::super::{Provenance, markdown};
use super::html::{anchor, appearance, counted, fact};
use super::{extent, seeds, title};
use crate::claims::{Evaluation, Ruling};
use crate::experiment::Claim;
use crate::plot::escape;
use std::fmt::Write;

/// The rulings whose claims are listed in the head.
pub(super) const LISTED: [Ruling; 2] = [Ruling::DoesNotHold, Ruling::Undecided];
const ALL: [Ruling; 3] = [Ruling::Holds, Ruling::DoesNotHold, Ruling::Undecided];

/// The anchor of the list of a ruling.
pub(super) fn list_of(ruling: Ruling) -> &'static str {
    match ruling {
        Ruling::Holds => "holds",
        Ruling::DoesNotHold => "does-not-hold",
        Ruling::Undecided => "undecided",
    }
}

pub(super) fn head(out: &mut String, papers: &[PaperReport], provenance: &Provenance) {
    let _ = writeln!(out, "<header>\n<h1>Papers reproduced</h1>\n<p class=\"soft\">{}.</p>", extent(papers));
    let (experiments, claims) = without_results(papers);
    if experiments > 0 {
        let _ = writeln!(
            out,
            "<p><a href=\"#unmeasured\">Not measured in full yet</a>, and not counted below: {} with {}.</p>",
            counted(experiments, "experiment"),
            counted(claims, "claim")
        );
    }
    let all: Balance = papers.iter().map(PaperReport::balance).sum();
    totals(out, all.of_paper, "The papers' claims");
    totals(out, all.own, "Our own checks");
    table(out, papers);
    for ruling in LISTED {
        list(out, papers, ruling);
    }
    unmeasured(out, papers);
    *out += "<dl class=\"facts\">\n";
    fact(out, "Engine", &format!("switchlab {}", escape(&provenance.engine)));
    fact(out, "Seed", &seeds(papers));
    fact(out, "Length", provenance.mode_in_words());
    fact(out, "Made by", &format!("<code>{}</code>", escape(&provenance.command)));
    *out += "</dl>\n";
    *out += "<p class=\"soft\">A claim holds, or does not, if the intervals of what was measured, at 95 % for all its checks together, leave no doubt; \
             otherwise it is undecided. Each claim states the rule by which it is judged. The same command gives the same bytes.</p>\n</header>\n";
}

/// How many experiments have no results, and how many claims these have.
fn without_results(papers: &[PaperReport]) -> (usize, usize) {
    let all = papers.iter().flat_map(|paper| &paper.experiments);
    let open = all.filter(|report| report.unmeasured.is_some());
    open.fold((0, 0), |(experiments, claims), report| (experiments + 1, claims + report.experiment.claims.len()))
}

/// Experiments whose results are not shipped, if there are any. Their claims are not counted.
fn unmeasured(out: &mut String, papers: &[PaperReport]) {
    let all = papers.iter().flat_map(|paper| paper.experiments.iter().map(move |report| (paper, report)));
    let open: Vec<_> = all.filter(|(_, report)| report.unmeasured.is_some()).collect();
    if open.is_empty() {
        return;
    }
    let (experiments, claims) = without_results(papers);
    let _ = writeln!(
        out,
        "<h2 class=\"small\" id=\"unmeasured\">Not measured in full yet: {}, {}</h2>\n<ul class=\"list\">",
        counted(experiments, "experiment"),
        counted(claims, "claim")
    );
    for (paper, report) in open {
        let (shown, place) = (&report.experiment, anchor(&[&paper.id, &report.experiment.id]));
        let name = format!("{}/{}", escape(&paper.id), escape(&shown.id));
        let _ = writeln!(
            out,
            "<li><a href=\"#{place}\">{}</a> <span class=\"name\">{name}</span></li>",
            escape(&shown.title)
        );
    }
    *out += "</ul>\n";
}

/// A tally as three boxes.
fn totals(out: &mut String, tally: Tally, heading: &str) {
    if tally.total() == 0 {
        return;
    }
    let _ = writeln!(out, "<h2 class=\"small\">{heading}: {}</h2>\n<ul class=\"totals\">", tally.total());
    for ruling in ALL {
        let (class, symbol, word) = appearance(ruling);
        let count = tally.of(ruling);
        let word = plural(ruling, count, word);
        let _ = writeln!(out, "<li class=\"{class}\"><b>{symbol} {count}</b>{word}</li>");
    }
    *out += "</ul>\n";
}

/// The word of a ruling beside a number of claims; `one` is that of a single claim.
fn plural(ruling: Ruling, count: usize, one: &'static str) -> &'static str {
    match (ruling, count) {
        (Ruling::Holds | Ruling::DoesNotHold, 1) | (Ruling::Undecided, _) => one,
        (Ruling::Holds, _) => "hold",
        (Ruling::DoesNotHold, _) => "do not hold",
    }
}

/// The balance by paper.
fn table(out: &mut String, papers: &[PaperReport]) {
    *out += "<table class=\"balance\">\n<thead><tr><th>Paper</th>";
    for (column, heading) in HEADINGS.iter().enumerate() {
        let start = if column % 3 == 0 { " first" } else { "" };
        let _ = write!(out, "<th class=\"count{start}\">{heading}</th>");
    }
    *out += "</tr></thead>\n<tbody>\n";
    for paper in papers {
        let citation = markdown::head(&paper.readme_markdown).citation;
        let citation =
            citation.map_or_else(String::new, |text| format!("<br/><span class=\"soft\">{}</span>", escape(&text)));
        let _ = write!(out, "<tr><td><a href=\"#{}\">{}</a>{citation}</td>", anchor(&[&paper.id]), title(paper));
        let balance = paper.balance();
        let counts = [balance.of_paper, balance.own].map(|tally| ALL.map(|ruling| tally.of(ruling)));
        for (column, count) in counts.as_flattened().iter().enumerate() {
            let (class, symbol, _) = appearance(ALL[column % 3]);
            let none = if *count == 0 { " none" } else { "" };
            let before = ["The paper's ", "", "", "Our own ", "", ""][column];
            let start = if column % 3 == 0 { " first" } else { "" };
            let _ = write!(
                out,
                "<td class=\"count{none}{start}\" data-label=\"{before}{symbol} \"><span class=\"{class}\">{count}</span></td>"
            );
        }
        *out += "</tr>\n";
    }
    *out += "</tbody>\n</table>\n";
}

const HEADINGS: [&str; 6] =
    ["The paper’s<br/>✓ hold", "✗ do not", "? open", "Our own<br/>✓ hold", "✗ do not", "? open"];

/// The claims of a ruling by paper, each with its reason and a link to where it stands.
fn list(out: &mut String, papers: &[PaperReport], ruling: Ruling) {
    let count: usize = papers.iter().map(|paper| paper.tally().of(ruling)).sum();
    if count == 0 {
        return;
    }
    let heading = match ruling {
        Ruling::Holds => "What holds",
        Ruling::DoesNotHold => "What does not hold",
        Ruling::Undecided => "What is undecided",
    };
    let _ = writeln!(out, "<h2 class=\"small\" id=\"{}\">{heading}: {}</h2>", list_of(ruling), counted(count, "claim"));
    for paper in papers.iter().filter(|paper| paper.tally().of(ruling) > 0) {
        let _ = writeln!(
            out,
            "<h3 class=\"small\"><a href=\"#{}\">{}</a></h3>\n<ul class=\"list\">",
            anchor(&[&paper.id]),
            title(paper)
        );
        for report in &paper.experiments {
            for (claim, evaluation) in report.experiment.claims.iter().zip(&report.evaluations) {
                if evaluation.ruling == ruling {
                    item(out, paper, report, claim, evaluation);
                }
            }
        }
        *out += "</ul>\n";
    }
}

fn item(out: &mut String, paper: &PaperReport, report: &ExperimentReport, claim: &Claim, evaluation: &Evaluation) {
    let place = anchor(&[&paper.id, &report.experiment.id, &claim.id]);
    let name = name_of(paper, report, claim);
    let own = if claim.is_own() { " <span class=\"tag\">own check</span>" } else { "" };
    let _ = writeln!(
        out,
        "<li><a href=\"#{place}\">{}</a>{own} <span class=\"name\">{}</span><br/><span class=\"reason\">{}</span></li>",
        escape(&claim.text),
        escape(&name),
        escape(&reason(claim, evaluation))
    );
}

/// The balance of one paper, in a line.
pub(super) fn balance(out: &mut String, paper: &PaperReport) {
    let Balance { of_paper, own } = paper.balance();
    let chips = |tally: Tally| {
        let chip = |ruling: Ruling| {
            let (class, symbol, word) = appearance(ruling);
            let count = tally.of(ruling);
            format!("<span class=\"chip {class}\">{symbol} {count} {}</span>", plural(ruling, count, word))
        };
        ALL.iter().filter(|ruling| tally.of(**ruling) > 0).map(|ruling| chip(*ruling)).collect::<Vec<_>>().join(" ")
    };
    for (tally, words) in [(of_paper, "The paper’s claims"), (own, "Our own checks")] {
        if tally.total() > 0 {
            let _ = writeln!(out, "<p class=\"tally\">{words}: {}</p>", chips(tally));
        }
    }
}
