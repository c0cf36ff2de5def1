//! The claims of an experiment: the paper's, then our own; as a table where the paper has one.

use super::super::report::{ExperimentReport, in_words, name_in};
use super::evidence::list;
use super::html::{anchor, appearance, fact};
use super::tables::{Group, groups, table};
use crate::claims::{Evaluation, Ruling, quantity, rule};
use crate::experiment::Claim;
use crate::plot::escape;
use std::fmt::Write;

/// A claim and what became of it.
pub(super) type Judged<'a> = (&'a Claim, &'a Evaluation);

pub(super) fn claims(out: &mut String, paper: &str, report: &ExperimentReport) {
    let all = || report.experiment.claims.iter().zip(&report.evaluations);
    for (own, heading) in [(false, "The paper’s claims"), (true, "Our own checks")] {
        let claims: Vec<Judged> = all().filter(|(claim, _)| claim.is_own() == own).collect();
        if claims.is_empty() {
            continue;
        }
        let _ = writeln!(out, "<h4>{heading}</h4>");
        let mut is_open = false;
        for group in groups(&claims) {
            match group {
                Group::Table(rows) => {
                    close(out, &mut is_open);
                    table(out, paper, report, &rows);
                }
                Group::One(judged) => {
                    if !is_open {
                        *out += "<ul class=\"claims\">\n";
                        is_open = true;
                    }
                    alone(out, paper, &report.experiment.id, judged);
                }
            }
        }
        close(out, &mut is_open);
    }
}

fn close(out: &mut String, is_open: &mut bool) {
    if std::mem::take(is_open) {
        *out += "</ul>\n";
    }
}

/// A claim by itself.
fn alone(out: &mut String, paper: &str, experiment: &str, (claim, evaluation): Judged) {
    let place = anchor(&[paper, experiment, &claim.id]);
    let (class, symbol, word) = appearance(evaluation.ruling);
    let _ = writeln!(out, "<li id=\"{place}\"><div><span class=\"chip {class}\">{symbol} {word}</span></div>\n<div>");
    let _ = writeln!(
        out,
        "<p>{} <a class=\"name\" href=\"#{place}\">{}</a></p>\n<dl class=\"facts\">",
        escape(&claim.text),
        escape(&name_in(paper, experiment, claim))
    );
    if let Some(printed) = &claim.printed {
        fact(out, if claim.is_own() { "printed" } else { "paper says" }, &escape(printed));
    }
    fact(out, "measured", &escape(&format!("{}: {}", quantity(claim), in_words(&evaluation.measured))));
    fact(out, "holds if", &escape(&rule(claim)));
    unexpected(out, (claim, evaluation));
    if let Some(why) = &claim.why {
        fact(out, "why", &escape(why));
    }
    if !claim.source.is_empty() {
        fact(out, "source", &escape(&claim.source));
    }
    *out += "</dl>\n";
    evidence(out, evaluation);
    *out += "</div></li>\n";
}

/// The ruling that was expected, if it is another.
fn unexpected(out: &mut String, (claim, evaluation): Judged) {
    let expected = Ruling::from(claim.expected);
    if evaluation.ruling != expected {
        fact(out, "expected", expected.in_words());
    }
}

fn evidence(out: &mut String, evaluation: &Evaluation) {
    if !evaluation.evidence.is_empty() {
        *out += "<details>\n<summary>Evidence</summary>\n";
        list(out, &evaluation.evidence);
        *out += "</details>\n";
    }
}
