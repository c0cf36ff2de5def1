//! Running papers: sweep, evaluate claims, add replications where one is undecided, write all
//! files.

use super::catalogue::Paper;
use super::page::TITLE;
use super::report::{ExperimentReport, Link, PaperReport};
use super::{Provenance, page};
use crate::claims::{Evaluation, Ruling, evaluate};
use crate::error::LabError;
use crate::experiment::{Experiment, ResultPoint, Results};
use crate::figure;
use crate::files::{check, prepare_folder, replace};
use crate::manifest::{write_experiment, write_results};
use crate::progress::Progress;
use crate::sweep::{Sweep, run_experiment};
use std::io::Read;
use std::path::{Path, PathBuf};

/// The page in the directory of everything.
pub const PAGE: &str = "index.html";

/// Bytes of a page in which its title stands.
const FIRST_BYTES: u64 = 1000;

/// The result of a reproduction.
#[derive(Debug)]
pub struct Reproduced {
    /// Every paper, run and evaluated.
    pub papers: Vec<PaperReport>,
    /// Where the page is.
    pub page: PathBuf,
    /// Warnings: damaged lines of stores, which were repaired, and files that could not be made.
    pub warnings: Vec<String>,
    /// Why the page could not be written.
    pub unwritten: Option<LabError>,
}

/// Runs papers into a directory, as far as their results are not there yet, and writes the page.
/// `begin` is called with each experiment. Without a progress of the caller, each experiment has
/// its own bar.
pub fn reproduce(
    papers: Vec<Paper>,
    out: &Path,
    threads: Option<usize>,
    provenance: &Provenance,
    progress: Option<&Progress>,
    mut begin: impl FnMut(&str, &Experiment),
) -> Result<Reproduced, LabError> {
    let path = page_in(out)?;
    let mut warnings = Vec::new();
    let mut reports = Vec::new();
    for paper in papers {
        let (mut experiments, mut dirs) = (Vec::new(), Vec::new());
        for experiment in paper.experiments {
            begin(&paper.id, &experiment);
            let place = Place { out, folder: format!("{}/{}", paper.id, experiment.id) };
            let running = Running { threads, command: &provenance.command, progress };
            experiments.push(run(experiment, &place, &dirs, running, &mut warnings)?);
            dirs.push(place.dir());
        }
        reports.push(PaperReport { id: paper.id, readme_markdown: paper.readme_markdown, experiments });
    }
    let unwritten = replace(&path, page(&reports, provenance).as_bytes()).err();
    Ok(Reproduced { papers: reports, page: path, warnings, unwritten })
}

/// Where the page goes, in a folder that is made if need be.
pub(super) fn page_in(out: &Path) -> Result<PathBuf, LabError> {
    let path = out.join(PAGE);
    prepare_folder(out)?;
    check(&path)?;
    refuse_foreign_page(&path)?;
    Ok(path)
}

/// Refuses to replace a page that was not written here: its name is a common one.
fn refuse_foreign_page(path: &Path) -> Result<(), LabError> {
    let mut start = Vec::new();
    let Ok(file) = std::fs::File::open(path) else { return Ok(()) };
    let read = file.take(FIRST_BYTES).read_to_end(&mut start);
    if read.is_ok() && (start.is_empty() || String::from_utf8_lossy(&start).contains(TITLE)) {
        return Ok(());
    }
    Err(LabError::Request(format!(
        "{} was not written by switchlab and would be replaced; give --out another directory",
        path.display()
    )))
}

/// Where an experiment's files go, for us and for the page.
pub(super) struct Place<'a> {
    pub(super) out: &'a Path,
    pub(super) folder: String,
}

impl Place<'_> {
    pub(super) fn dir(&self) -> PathBuf {
        self.out.join(&self.folder)
    }

    fn link(&self, name: &str, file: &str) -> Link {
        Link { name: name.to_string(), path: format!("{}/{file}", self.folder) }
    }
}

/// How experiments are run.
#[derive(Clone, Copy)]
struct Running<'a> {
    threads: Option<usize>,
    /// What manifests name as the command.
    command: &'a str,
    progress: Option<&'a Progress>,
}

impl Running<'_> {
    /// Does some work with the caller's progress, or else with one of its own.
    fn watched<T>(self, work: impl FnOnce(&Progress) -> T) -> T {
        match self.progress {
            Some(progress) => work(progress),
            None => work(&Progress::new()),
        }
    }
}

fn run(
    experiment: Experiment,
    place: &Place,
    earlier: &[PathBuf],
    running: Running,
    warnings: &mut Vec<String>,
) -> Result<ExperimentReport, LabError> {
    let mut sweep = Sweep::open(&place.dir(), running.threads)?;
    // Figures of a paper share points.
    sweep.reuse_from(earlier);
    write_experiment(&experiment, &mut sweep.store())?;
    let results = running.watched(|progress| run_experiment(&experiment, &mut sweep, None, progress))?;
    let (results, evaluations) = decide(&experiment, results, &sweep, running)?;
    warnings.extend(sweep.damages().iter().map(ToString::to_string));
    let (_, written) = write_results(&experiment, &results, &mut sweep.store(), running.command)?;
    let names = written.iter().filter_map(|path| path.file_name()).map(|name| name.to_string_lossy().into_owned());
    let files = names.map(|name| place.link(&name, &name)).collect();
    let figure_files = draw(&experiment, &results, place, warnings)?;
    Ok(ExperimentReport { experiment, results, evaluations, figure_files, files, unmeasured: None })
}

/// Draws the figures of an experiment: for each, its files.
pub(super) fn draw(
    experiment: &Experiment,
    results: &Results,
    place: &Place<'_>,
    warnings: &mut Vec<String>,
) -> Result<Vec<Vec<Link>>, LabError> {
    let mut figure_files = Vec::new();
    for figure in &experiment.figures {
        let made = figure::write(figure, results, &place.dir())?;
        warnings.extend(made.warnings.iter().map(|problem| format!("{}: {problem}", place.folder)));
        figure_files.push(made.files.iter().map(|(kind, file)| place.link(kind, file)).collect());
    }
    Ok(figure_files)
}

/// Evaluates every claim. Where one is undecided, the points it rests on get twice the
/// replications, until it is decided or they have as many as they may. How many there are at the
/// end depends on the results and on nothing else.
fn decide(
    experiment: &Experiment,
    mut results: Results,
    sweep: &Sweep,
    running: Running,
) -> Result<(Results, Vec<Evaluation>), LabError> {
    loop {
        let evaluations: Vec<Evaluation> = experiment.claims.iter().map(|claim| evaluate(claim, &results)).collect();
        let Some(replications) = more_replications(experiment, &results, &evaluations) else {
            return Ok((results, evaluations));
        };
        let points: Vec<_> = results.iter().map(|point| point.spec.clone()).zip(replications).collect();
        let runs = running.watched(|progress| {
            let runs = sweep.complete(&points, progress);
            progress.finish();
            runs
        })?;
        results = points.into_iter().zip(runs).map(|((spec, _), runs)| ResultPoint::new(spec, &runs)).collect();
    }
}

/// How many replications each point is to have so that undecided claims become decided: twice those
/// that it has, up to the limit. None if no point is to have more.
pub(super) fn more_replications(
    experiment: &Experiment,
    results: &Results,
    evaluations: &[Evaluation],
) -> Option<Vec<u32>> {
    let mut replications: Vec<u32> = results.iter().map(|point| point.outcome.runs.len() as u32).collect();
    let now = replications.clone();
    for evaluation in evaluations.iter().filter(|evaluation| evaluation.ruling == Ruling::Undecided) {
        for &index in &evaluation.points {
            let more = now[index].saturating_mul(2).min(experiment.most_replications);
            replications[index] = more.max(now[index]);
        }
    }
    (replications != now).then_some(replications)
}
