//! The page from shipped results: nothing is run.

use super::catalogue::Paper;
use super::report::{ExperimentReport, PaperReport};
use super::run::{Place, Reproduced, draw, page_in};
use super::{Provenance, page};
use crate::claims::evaluate;
use crate::error::LabError;
use crate::experiment::Experiment;
use crate::files::{prepare_folder, replace};
use crate::shipped::Shipped;
use std::path::Path;

/// Evaluates the claims of papers on the results that are shipped with them, draws their figures
/// and writes the page. `folder` is where the papers are. An experiment whose results are not
/// shipped, or were measured by another engine, is listed as not measured.
pub fn from_shipped(
    papers: Vec<Paper>,
    folder: &Path,
    out: &Path,
    provenance: &Provenance,
) -> Result<Reproduced, LabError> {
    let path = page_in(out)?;
    let mut warnings = Vec::new();
    let mut reports = Vec::new();
    for paper in papers {
        let shipped = Shipped::read(&folder.join(&paper.id))?;
        let mut experiments = Vec::new();
        for experiment in paper.experiments {
            let place = Place { out, folder: format!("{}/{}", paper.id, experiment.id) };
            experiments.push(report(experiment, &shipped, &place, &mut warnings)?);
        }
        reports.push(PaperReport { id: paper.id, readme_markdown: paper.readme_markdown, experiments });
    }
    let unwritten = replace(&path, page(&reports, provenance).as_bytes()).err();
    Ok(Reproduced { papers: reports, page: path, warnings, unwritten })
}

fn report(
    experiment: Experiment,
    shipped: &Shipped,
    place: &Place<'_>,
    warnings: &mut Vec<String>,
) -> Result<ExperimentReport, LabError> {
    let results = match shipped.results(&experiment)? {
        Ok(results) => results,
        Err(missing) => {
            let unmeasured = format!(
                "{} of {} points are not among the shipped results; `switchlab reproduce {} --ship` measures them",
                missing.points, missing.of, place.folder
            );
            let empty = |_| Vec::new();
            let figure_files = experiment.figures.iter().map(empty).collect();
            return Ok(ExperimentReport {
                experiment,
                results: Vec::new(),
                evaluations: Vec::new(),
                figure_files,
                files: Vec::new(),
                unmeasured: Some(unmeasured),
            });
        }
    };
    let evaluations = experiment.claims.iter().map(|claim| evaluate(claim, &results)).collect();
    prepare_folder(&place.dir())?;
    let figure_files = draw(&experiment, &results, place, warnings)?;
    Ok(ExperimentReport { experiment, results, evaluations, figure_files, files: Vec::new(), unmeasured: None })
}
