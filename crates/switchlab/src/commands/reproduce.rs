//! `switchlab reproduce`.

use crate::{cli, output};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use switchlab_lab::LabError;
use switchlab_lab::experiment::Mode;
use switchlab_lab::reproduce::{PaperReport, Provenance, Tally, choose, read, reproduce as run};
use switchlab_lab::text_table::TextTable;

/// The papers beside the sources, for a program that is run from where it was built.
const BUILT_BESIDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../papers");

pub(crate) fn reproduce(arguments: &cli::ReproduceArgs) -> anyhow::Result<()> {
    let mode = if arguments.full { Mode::Full } else { Mode::Quick };
    let papers = choose(read(&papers(arguments)?, mode)?, &arguments.wanted)?;
    let provenance = Provenance::new(mode, &arguments.wanted);
    let watched = std::io::stderr().is_terminal();
    let begin = |paper: &str, experiment: &switchlab_lab::experiment::Experiment| {
        if watched {
            output::note(&format!("{paper}/{}: {}", experiment.id, experiment.title));
        }
    };
    let reproduced = run(papers, &arguments.out, arguments.threads.threads, &provenance, begin)?;
    for warning in &reproduced.warnings {
        output::note(&format!("warning: {warning}"));
    }
    let tally: Tally = reproduced.papers.iter().map(PaperReport::tally).sum();
    let summary = format!("claims: {} hold, {} do not hold, {} undecided", tally.holds, tally.fails, tally.undecided);
    let said = format!("{}\n{summary}\n", table(&reproduced.papers));
    if let Some(error) = reproduced.unwritten {
        return output::say(&said).and(Err(error.into()));
    }
    output::say(&format!("{said}{}\n", reproduced.page.display()))?;
    if tally.fails > 0 {
        let claims =
            if tally.fails == 1 { "1 claim does not hold" } else { &format!("{} claims do not hold", tally.fails) };
        return Err(output::CheckFailed(claims.to_string()).into());
    }
    Ok(())
}

fn papers(arguments: &cli::ReproduceArgs) -> Result<PathBuf, LabError> {
    if let Some(given) = &arguments.papers {
        return Ok(given.clone());
    }
    let here = Path::new("papers");
    let beside = Path::new(BUILT_BESIDE);
    [here, beside].into_iter().find(|path| path.is_dir()).map(Path::to_owned).ok_or_else(|| {
        LabError::Request("there is no ./papers; run this where the papers are, or give --papers DIR".to_string())
    })
}

/// Each claim in a line.
fn table(papers: &[PaperReport]) -> String {
    let mut table = TextTable::of_words(["paper", "claim", "ruling", "measured", "printed"]);
    for paper in papers {
        for report in &paper.experiments {
            for (claim, evaluation) in report.experiment.claims.iter().zip(&report.evaluations) {
                table.push([
                    paper.id.clone(),
                    format!("{}/{}", report.experiment.id, claim.id),
                    evaluation.ruling.to_string(),
                    evaluation.measured.clone(),
                    claim.printed.clone().unwrap_or_default(),
                ]);
            }
        }
    }
    table.to_string()
}
