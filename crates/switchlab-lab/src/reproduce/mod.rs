//! Papers reproduced: every experiment is run, every claim evaluated, and one page written.
//!
//! ```text
//!   papers/*/*.toml ──read, choose──► experiments ──sweep──► results ─evaluate─► claims
//!                                                      ▲                         │
//!                                                      └── more replications ◄── undecided
//!   claims ──► page, SVG, PNG, CSV, manifests
//! ```

mod catalogue;
mod markdown;
mod page;
mod report;
mod run;
#[cfg(test)]
mod tests;

pub use catalogue::{Paper, choose, read};
pub use page::page;
pub use report::{ExperimentReport, Link, PaperReport, Tally};
pub use run::{PAGE, Reproduced, reproduce};

use crate::experiment::Mode;
use crate::store::VERSION;

/// What the page says about how it was made.
#[derive(Clone, Debug)]
pub struct Provenance {
    /// The version of the engine.
    pub engine: String,
    /// How much was run.
    pub mode: Mode,
    /// The command that makes the same page.
    pub command: String,
}

impl Provenance {
    /// For the papers, experiments and figures that are wanted. The command says only what matters
    /// to the results: not where they go or on how many threads they are run.
    pub fn new(mode: Mode, wanted: &[String]) -> Self {
        let mut command = "switchlab reproduce".to_string();
        for name in wanted {
            command += &format!(" {name}");
        }
        command += if mode == Mode::Quick { " --quick" } else { " --full" };
        Self { engine: VERSION.to_string(), mode, command }
    }

    fn mode_in_words(&self) -> &'static str {
        match self.mode {
            Mode::Quick => {
                "quick: everything, in reduced form; <code>--full</code> runs all points at the length that each experiment states"
            }
            Mode::Full => "full: all points, at the length that each experiment states",
        }
    }
}
