//! Papers reproduced: every experiment is run, every claim evaluated, and one page written.
//!
//! ```text
//!   papers/*/*.toml ──read, choose──► experiments ──sweep──► results ─evaluate─► claims
//!                                                      ▲                         │
//!                                                      └── more replications ◄── undecided
//!   claims ──► page, LaTeX report, SVG, PNG, CSV, manifests
//! ```
//!
//! Or the results are those that are shipped with the papers: nothing is run, and the page is there
//! in seconds. [`ship`] measures what is missing among them.

#[cfg(test)]
mod browser;
mod catalogue;
mod from_shipped;
mod latex;
mod markdown;
mod page;
mod report;
mod run;
mod ship;
#[cfg(test)]
mod tests;

pub use catalogue::{Paper, choose, read};
pub use from_shipped::from_shipped;
pub use latex::{check_latex, write_latex};
pub use page::page;
pub use report::{Balance, ExperimentReport, Link, PaperReport, Tally};
pub use run::{PAGE, Reproduced, reproduce};
pub use ship::{Measuring, ship};

use crate::experiment::{Experiment, Mode};
use crate::store::VERSION;

/// Where the results are from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultsOrigin {
    /// They are run, in this form.
    Run(Mode),
    /// They are shipped with the papers, in full form.
    Shipped,
}

/// What the page says about how it was made.
#[derive(Clone, Debug)]
pub struct Provenance {
    /// The version of the engine.
    pub engine: String,
    /// Where the results are from.
    pub origin: ResultsOrigin,
    /// The command that makes the same page.
    pub command: String,
    /// The papers in full, where this is a reduced form of them: so that the page can say how much
    /// less it has.
    pub full: Vec<Paper>,
}

impl Provenance {
    /// For the papers, experiments and figures that are wanted. The command says only what matters
    /// to the results: not where they go or on how many threads they are run.
    pub fn new(origin: ResultsOrigin, wanted: &[String]) -> Self {
        let mut command = "switchlab reproduce".to_string();
        for name in wanted {
            command += &format!(" {name}");
        }
        command += match origin {
            ResultsOrigin::Run(Mode::Quick) => " --quick",
            ResultsOrigin::Run(Mode::Full) => " --full",
            ResultsOrigin::Shipped => "",
        };
        Self { engine: VERSION.to_string(), origin, command, full: Vec::new() }
    }

    /// The same, with the papers in full.
    #[must_use]
    pub fn reduced_from(mut self, full: Vec<Paper>) -> Self {
        self.full = full;
        self
    }

    /// An experiment in full, if it was run in a reduced form.
    fn full_form(&self, paper: &str, experiment: &str) -> Option<&Experiment> {
        let paper = self.full.iter().find(|known| known.id == paper)?;
        paper.experiments.iter().find(|known| known.id == experiment)
    }

    fn mode_in_words(&self) -> &'static str {
        match self.origin {
            ResultsOrigin::Run(Mode::Quick) => {
                "quick: everything, in reduced form; <code>--full</code> runs all points at the length that each experiment states"
            }
            ResultsOrigin::Run(Mode::Full) => "full: all points, at the length that each experiment states",
            ResultsOrigin::Shipped => {
                "shipped results: what has been run in full is kept with the papers, and what has not is listed below; nothing was run for this page. \
                 <code>--verify 50</code> runs some of them anew and compares"
            }
        }
    }
}
