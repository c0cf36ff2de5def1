//! The content of the page.

use crate::claims::{Evaluation, Ruling};
use crate::experiment::{Experiment, Results};
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

impl PaperReport {
    /// The number of claims by ruling.
    pub fn tally(&self) -> Tally {
        self.experiments
            .iter()
            .flat_map(|report| &report.evaluations)
            .map(|evaluation| Tally::from(evaluation.ruling))
            .sum()
    }
}
