//! Papers reproduced: every experiment is run, every claim evaluated, and one page written.
//!
//! ```text
//!   papers/*/*.toml ──read, choose──► experiments ──sweep──► results ─evaluate─► claims
//!                                                      ▲                         │
//!                                                      └── more replications ◄── undecided
//!   claims ──► page, LaTeX report, SVG, PNG, CSV, manifests
//! ```

#[cfg(test)]
mod browser;
mod catalogue;
mod latex;
mod markdown;
mod page;
mod report;
mod run;
#[cfg(test)]
mod tests;

pub use catalogue::{Paper, choose, read};
pub use latex::{check_latex, write_latex};
pub use page::page;
pub use report::{Balance, ExperimentReport, Link, PaperReport, Tally};
pub use run::{PAGE, Reproduced, reproduce};

use crate::experiment::{Experiment, Mode};
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
    /// The papers in full, where this is a reduced form of them: so that the page can say how much
    /// less it has.
    pub full: Vec<Paper>,
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
        Self { engine: VERSION.to_string(), mode, command, full: Vec::new() }
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
        match self.mode {
            Mode::Quick => {
                "quick: everything, in reduced form; <code>--full</code> runs all points at the length that each experiment states"
            }
            Mode::Full => "full: all points, at the length that each experiment states",
        }
    }
}
