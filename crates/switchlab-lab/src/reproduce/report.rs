//! The content of the page.

use crate::claims::{Evaluation, Ruling, quantity, rule};
use crate::experiment::{Claim, Experiment, Results};
use std::fmt;
use std::iter::Sum;
use std::ops::Add;

/// A paper: its words and its experiments.
#[derive(Debug)]
pub struct PaperReport {
    /// The name of its folder.
    pub id: String,
    /// The folder's README.md; empty if there is none.
    pub readme_markdown: String,
    /// In order of their files' names.
    pub experiments: Vec<ExperimentReport>,
}

/// An experiment that was run and evaluated.
#[derive(Debug)]
pub struct ExperimentReport {
    /// What was run.
    pub experiment: Experiment,
    /// What came out.
    pub results: Results,
    /// One for each claim, in order.
    pub evaluations: Vec<Evaluation>,
    /// For each figure, in order, its files.
    pub figure_files: Vec<Vec<Link>>,
    /// Files of the experiment as a whole.
    pub files: Vec<Link>,
    /// Why there are no results, if there are none.
    pub unmeasured: Option<String>,
}

/// A file beside the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// What it is called on the page.
    pub name: String,
    /// Where it is, from the page; parts divided by `/`.
    pub path: String,
}

/// How many claims hold, do not hold, and are undecided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Those that hold.
    pub holds: usize,
    /// Those that do not.
    pub fails: usize,
    /// Those that are undecided.
    pub undecided: usize,
}

impl Tally {
    /// All of them.
    pub fn total(&self) -> usize {
        self.holds + self.fails + self.undecided
    }

    /// Those of a ruling.
    pub fn of(&self, ruling: Ruling) -> usize {
        match ruling {
            Ruling::Holds => self.holds,
            Ruling::DoesNotHold => self.fails,
            Ruling::Undecided => self.undecided,
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "claims: {} hold, {} do not hold, {} undecided", self.holds, self.fails, self.undecided)
    }
}

impl From<Ruling> for Tally {
    fn from(ruling: Ruling) -> Self {
        let is = |other| usize::from(ruling == other);
        Self { holds: is(Ruling::Holds), fails: is(Ruling::DoesNotHold), undecided: is(Ruling::Undecided) }
    }
}

impl Add for Tally {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            holds: self.holds + other.holds,
            fails: self.fails + other.fails,
            undecided: self.undecided + other.undecided,
        }
    }
}

impl Sum for Tally {
    fn sum<I: Iterator<Item = Self>>(tallies: I) -> Self {
        tallies.fold(Self::default(), Add::add)
    }
}

/// The tally of what the papers say, apart from that of our own checks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Balance {
    /// Claims of the papers.
    pub of_paper: Tally,
    /// Checks of our own.
    pub own: Tally,
}

impl Sum for Balance {
    fn sum<I: Iterator<Item = Self>>(balances: I) -> Self {
        let add = |a: Self, b: Self| Self { of_paper: a.of_paper + b.of_paper, own: a.own + b.own };
        balances.fold(Self::default(), add)
    }
}

/// The name of a claim, by which it can be cited.
pub(super) fn name_of(paper: &PaperReport, report: &ExperimentReport, claim: &Claim) -> String {
    name_in(&paper.id, &report.experiment.id, claim)
}

/// The same from the names of the paper and the experiment.
pub(super) fn name_in(paper: &str, experiment: &str, claim: &Claim) -> String {
    format!("{paper}/{experiment}/{}", claim.id)
}

/// Why a claim does not hold or is undecided, in one line: the reason that the claim states, else
/// what was measured and the rule.
pub(super) fn reason(claim: &Claim, evaluation: &Evaluation) -> String {
    let measured =
        || format!("Measured {}: {}. It holds if {}.", quantity(claim), in_words(&evaluation.measured), rule(claim));
    claim.why.clone().unwrap_or_else(measured)
}

/// What was measured, with the interval in words: "0.59 [0.58, 0.60]" is "0.59, interval 0.58 to
/// 0.60".
pub(super) fn in_words(measured: &str) -> String {
    match interval(measured) {
        Some((value, low, high)) => format!("{value}, interval {low} to {high}"),
        None => measured.to_string(),
    }
}

/// The value and the ends of the interval in "0.59 [0.58, 0.60]"; None if there is no interval.
pub(super) fn interval(measured: &str) -> Option<(&str, &str, &str)> {
    let (value, ends) = measured.strip_suffix(']')?.split_once(" [")?;
    let (low, high) = ends.split_once(", ")?;
    Some((value, low, high))
}

impl PaperReport {
    /// The number of claims by ruling, the paper's apart from our own.
    pub fn balance(&self) -> Balance {
        let mut balance = Balance::default();
        for report in &self.experiments {
            for (claim, evaluation) in report.experiment.claims.iter().zip(&report.evaluations) {
                let tally = if claim.is_own() { &mut balance.own } else { &mut balance.of_paper };
                *tally = *tally + Tally::from(evaluation.ruling);
            }
        }
        balance
    }

    /// The number of claims by ruling.
    pub fn tally(&self) -> Tally {
        self.experiments
            .iter()
            .flat_map(|report| &report.evaluations)
            .map(|evaluation| Tally::from(evaluation.ruling))
            .sum()
    }
}
