//! Papers reproduced: every experiment is run, every claim evaluated, and one page written.
//!
//! ```text
//!   papers/*/*.toml ──read, choose──► experiments ──sweep──► results ─evaluate─► claims
//!                                                      ▲                         │
//!                                                      └── more replications ◄── undecided
//!   claims ──► page, SVG, PNG, CSV, manifests
//! ```
//!
//! Or the results are those that are shipped with the papers: nothing is run, and the page is there
//! in seconds.

mod catalogue;
mod from_shipped;
mod markdown;
mod page;
mod report;
mod run;
#[cfg(test)]
mod tests;

pub use catalogue::{Paper, choose, read};
pub use from_shipped::from_shipped;
pub use page::page;
pub use report::{ExperimentReport, Link, PaperReport, Tally};
pub use run::{PAGE, Reproduced, reproduce, ship};

use crate::experiment::Mode;
use crate::store::VERSION;

/// Where the results are from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
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
    pub origin: Origin,
    /// The command that makes the same page.
    pub command: String,
}

impl Provenance {
    /// For the papers, experiments and figures that are wanted. The command says only what matters
    /// to the results: not where they go or on how many threads they are run.
    pub fn new(origin: Origin, wanted: &[String]) -> Self {
        let mut command = "switchlab reproduce".to_string();
        for name in wanted {
            command += &format!(" {name}");
        }
        command += match origin {
            Origin::Run(Mode::Quick) => " --quick",
            Origin::Run(Mode::Full) => " --full",
            Origin::Shipped => "",
        };
        Self { engine: VERSION.to_string(), origin, command }
    }

    /// Whether figures and claims are those of reduced runs.
    pub fn is_quick(&self) -> bool {
        self.origin == Origin::Run(Mode::Quick)
    }

    fn mode_in_words(&self) -> &'static str {
        match self.origin {
            Origin::Run(Mode::Quick) => {
                "quick: everything, in reduced form; <code>--full</code> runs all points at the length that each experiment states"
            }
            Origin::Run(Mode::Full) => "full: all points, at the length that each experiment states",
            Origin::Shipped => {
                "shipped results: all points were run in full and are kept with the papers; nothing was run for this page. \
                 <code>--verify 50</code> runs some of them anew and compares"
            }
        }
    }
}
