//! `switchlab reproduce`.

use crate::{cli, output};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use switchlab_lab::LabError;
use switchlab_lab::claims::Evaluation;
use switchlab_lab::experiment::{Claim, Mode};
use switchlab_lab::report::claims;
use switchlab_lab::reproduce::{
    PaperReport, Provenance, Tally, check_latex, choose, read, reproduce as run, write_latex,
};

/// The papers beside the sources, for a program that is run from where it was built.
const BUILT_BESIDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../papers");

pub(crate) fn reproduce(arguments: &cli::ReproduceArgs) -> anyhow::Result<()> {
    let mode = if arguments.full { Mode::Full } else { Mode::Quick };
    let folder = folder(arguments.papers.as_deref())?;
    let papers = choose(read(&folder, mode)?, &arguments.wanted)?;
    let provenance = Provenance::new(mode, &arguments.wanted);
    let provenance = match mode {
        Mode::Quick => provenance.reduced_from(read(&folder, Mode::Full)?),
        Mode::Full => provenance,
    };
    if let Some(path) = &arguments.latex {
        check_latex(path)?;
    }
    let watched = std::io::stderr().is_terminal();
    let begin = |paper: &str, experiment: &switchlab_lab::experiment::Experiment| {
        if watched {
            output::note(&format!("{paper}/{}: {}", experiment.id, experiment.title));
        }
    };
    let mut reproduced = run(papers, &arguments.out, arguments.threads.threads, &provenance, begin)?;
    if let Some(path) = &arguments.latex {
        let warnings = write_latex(path, &reproduced.papers, &provenance, &switchlab_lab::date::today())?;
        reproduced.warnings.extend(warnings);
    }
    for warning in &reproduced.warnings {
        output::note(&format!("warning: {warning}"));
    }
    let tally: Tally = reproduced.papers.iter().map(PaperReport::tally).sum();
    let said = format!("{}\n{tally}\n", claims::table(judged(&reproduced.papers)));
    if let Some(error) = reproduced.unwritten {
        return output::say(&said).and(Err(error.into()));
    }
    let report = arguments.latex.as_ref().map_or_else(String::new, |path| format!("{}\n", path.display()));
    output::say(&format!("{said}{}\n{report}", reproduced.page.display()))?;
    output::judge(&claims::unexpected(judged(&reproduced.papers)), tally, arguments.strict)
}

/// Where the papers are.
pub(super) fn folder(given: Option<&Path>) -> Result<PathBuf, LabError> {
    if let Some(given) = given {
        return Ok(given.to_owned());
    }
    let here = Path::new("papers");
    let beside = Path::new(BUILT_BESIDE);
    [here, beside].into_iter().find(|path| path.is_dir()).map(Path::to_owned).ok_or_else(|| {
        LabError::Request("there is no ./papers; run this where the papers are, or give --papers DIR".to_string())
    })
}

/// Each claim with its name and its evaluation.
fn judged(papers: &[PaperReport]) -> impl Iterator<Item = (String, &Claim, &Evaluation)> {
    papers.iter().flat_map(|paper| {
        paper.experiments.iter().flat_map(|report| {
            let claims = report.experiment.claims.iter().zip(&report.evaluations);
            let name = |claim: &str| format!("{}/{}/{claim}", paper.id, report.experiment.id);
            claims.map(move |(claim, evaluation)| (name(&claim.id), claim, evaluation))
        })
    })
}
