//! `switchlab match`.

use crate::cli::{self, Algorithm};
use crate::output;
use switchlab_lab::files::{check, refuse_input, replace};
use switchlab_lab::rankings;
use switchlab_lab::report::stable::{MatchReport, dot, text};

pub(crate) fn find(arguments: &cli::MatchArgs) -> anyhow::Result<()> {
    let preferences = rankings::read(&arguments.file)?;
    if let Some(path) = &arguments.dot {
        refuse_input(path, &arguments.file)?;
        check(path)?;
    }
    let report = match arguments.algorithm {
        Algorithm::FindRoots => MatchReport::find_roots(&preferences),
        Algorithm::GaleShapley => MatchReport::gale_shapley(&preferences),
    };
    let said = if arguments.json {
        output::say_json(&report)
    } else {
        output::say(&text(&preferences, &report, arguments.steps))
    };
    if let Some(path) = &arguments.dot {
        replace(path, dot(&preferences, &report)?.as_bytes())?;
    }
    said
}
