//! Single commands: each is a call of the lab, and its result as JSON and as text.

use crate::comparison::{json, tidy};
use crate::errors::{invalid, raise};
use crate::request::Arguments;
use crate::scheduler::failure_of;
use crate::work::work;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::{Path, PathBuf};
use switchlab_lab::audit as audits;
use switchlab_lab::claims::Evaluation;
use switchlab_lab::experiment::{Claim, Mode};
use switchlab_lab::explained::{Explained, explain as explain_name};
use switchlab_lab::limit::{Search, search_all};
use switchlab_lab::picture::Format;
use switchlab_lab::prose::wrap_page;
use switchlab_lab::ranges::{self, Step};
use switchlab_lab::report::audit::{self as audit_report, AuditReport};
use switchlab_lab::report::claims;
use switchlab_lab::report::limit::{self as limit_report, LimitReport};
use switchlab_lab::report::stable::{MatchReport, text as match_text};
use switchlab_lab::reproduce::{
    PaperReport, Provenance, ResultsOrigin, Tally, choose, from_shipped, read, reproduce as run,
};
use switchlab_lab::{LabError, Request, listing as listings, rankings, replay as replays};

/// JSON, a table as CSV and JSON, text for people.
type Found = (String, (String, String), String);

/// Audits switches.
#[pyfunction]
pub(crate) fn audit(py: Python<'_>, arguments: Arguments, width: usize, watch: Option<Py<PyAny>>) -> PyResult<Found> {
    let request = arguments.request()?;
    let done = work(py, watch.as_ref(), |progress| {
        let plan = audits::plan(&request)?;
        let found = audits::audit(&plan, progress)?;
        Ok((plan, found))
    });
    let (plan, found) = done?;
    let mut stopped = found.iter().filter(|audit| audit.stopped.is_some());
    if let Some(error) = stopped.find_map(|audit| failure_of(&audit.spec)) {
        return Err(error);
    }
    let reports: Vec<AuditReport> = found.iter().map(AuditReport::new).collect();
    Ok((json(&reports)?, tidy(&audit_report::data(&found))?, audit_report::text(&plan, &found, width, false)))
}

/// Searches the highest stable loads, for each number of ports. Notes come last.
#[pyfunction]
pub(crate) fn limit(
    py: Python<'_>,
    arguments: Arguments,
    precision: f64,
    width: usize,
    watch: Option<Py<PyAny>>,
) -> PyResult<(Found, Vec<String>)> {
    let grid = arguments.grid()?;
    let request = Request {
        traffic: grid.traffic.first().cloned().unwrap_or_else(|| Request::default().traffic),
        arrivals: grid.arrivals.first().cloned(),
        ..grid.request
    };
    if grid.traffic.len() > 1 || grid.arrivals.len() > 1 {
        return Err(invalid("a limit is searched with one traffic and one arrival process"));
    }
    let search = |ports| Search { request: Request { ports, ..request.clone() }, precision };
    let searches: Vec<Search> = if grid.ports.is_empty() {
        vec![search(None)]
    } else {
        grid.ports.into_iter().map(|n| search(Some(n))).collect()
    };
    let found = work(py, watch.as_ref(), |progress| search_all(&searches, progress))?;
    let notes = found.iter().flat_map(|limits| limits.notes.clone()).collect();
    let text = limit_report::table(&found, width);
    Ok(((json(&LimitReport::all(&found))?, tidy(&limit_report::data(&found))?, text), notes))
}

/// Finds a stable matching of rankings, given as text. JSON, and text for people.
#[pyfunction]
pub(crate) fn find_matching(
    py: Python<'_>,
    rankings: &str,
    algorithm: &str,
    steps: bool,
) -> PyResult<(String, String)> {
    let find = match algorithm {
        "find-roots" => MatchReport::find_roots,
        "gale-shapley" => MatchReport::gale_shapley,
        other => return Err(invalid(format!("algorithm is \"find-roots\" or \"gale-shapley\", not {other:?}"))),
    };
    py.detach(|| {
        let preferences = rankings::parse(rankings).map_err(invalid)?;
        let report = find(&preferences);
        Ok((json(&report)?, match_text(&preferences, &report, steps)))
    })
}

/// A claim and what became of it: name, statement of its state, ruling, measured.
type Judged = (String, String, String);

/// What a reproduction came to: claims, table, tally, page, figures with their files, warnings.
type ReproducedParts = (Vec<Judged>, String, String, PathBuf, Vec<(String, Vec<String>)>, Vec<String>);

/// Judges papers, from shipped results or run anew.
#[pyfunction]
pub(crate) fn reproduce(
    py: Python<'_>,
    wanted: Vec<String>,
    folder: PathBuf,
    out: PathBuf,
    mode: Option<&str>,
    threads: Option<usize>,
    watch: Option<Py<PyAny>>,
) -> PyResult<ReproducedParts> {
    let origin = match mode {
        None => ResultsOrigin::Shipped,
        Some("quick") => ResultsOrigin::Run(Mode::Quick),
        Some("full") => ResultsOrigin::Run(Mode::Full),
        Some(other) => return Err(invalid(format!("run is \"quick\", \"full\" or None, not {other:?}"))),
    };
    let mode = if origin == ResultsOrigin::Run(Mode::Quick) { Mode::Quick } else { Mode::Full };
    let reproduced = work(py, watch.as_ref(), |progress| {
        let papers = choose(read(&folder, mode)?, &wanted)?;
        let provenance = Provenance::new(origin, &wanted);
        let provenance = match mode {
            Mode::Quick => provenance.reduced_from(read(&folder, Mode::Full)?),
            Mode::Full => provenance,
        };
        let mut reproduced = match origin {
            ResultsOrigin::Shipped => from_shipped(papers, &folder, &out, &provenance)?,
            ResultsOrigin::Run(_) => run(papers, &out, threads, &provenance, Some(progress), |_, _| {})?,
        };
        match reproduced.unwritten.take() {
            Some(error) => Err(error),
            None => Ok(reproduced),
        }
    })?;
    let papers = &reproduced.papers;
    let tally: Tally = papers.iter().map(PaperReport::tally).sum();
    let rulings =
        judged(papers).map(|(name, _, found)| (name, found.ruling.to_string(), found.measured.clone())).collect();
    let figures = papers.iter().flat_map(|paper| {
        paper.experiments.iter().flat_map(move |report| {
            let drawn = report.experiment.figures.iter().zip(&report.figure_files);
            drawn.map(move |(figure, files)| {
                let name = format!("{}/{}/{}", paper.id, report.experiment.id, figure.id);
                (name, files.iter().map(|link| link.path.clone()).collect())
            })
        })
    });
    let unmeasured = papers.iter().flat_map(|paper| {
        let named = |why: &String, id: &str| format!("{}/{id}: not measured: {why}", paper.id);
        paper
            .experiments
            .iter()
            .filter_map(move |report| Some(named(report.unmeasured.as_ref()?, &report.experiment.id)))
    });
    let warnings = reproduced.warnings.iter().cloned().chain(unmeasured).collect();
    let table = claims::text(judged(papers), 100);
    Ok((rulings, table, tally.to_string(), reproduced.page.clone(), figures.collect(), warnings))
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

/// Runs a manifest again. The points and the hash if it is the same, else how it is not.
#[pyfunction]
pub(crate) fn replay(
    py: Python<'_>,
    manifest: PathBuf,
    trust_paths: bool,
    out: Option<PathBuf>,
    threads: Option<usize>,
    watch: Option<Py<PyAny>>,
) -> PyResult<(usize, String, Vec<String>)> {
    let temporary;
    let dir: &Path = if let Some(out) = &out {
        out
    } else {
        temporary = tempfile::tempdir()?;
        temporary.path()
    };
    let command = "switchlab.replay";
    let paths = if trust_paths { replays::Paths::Anywhere } else { replays::Paths::Inside };
    let done =
        work(py, watch.as_ref(), |progress| replays::replay(&manifest, paths, dir, threads, command, progress, |_| {}));
    Ok(match done? {
        replays::Replayed::Same { points, results_sha256 } => (points, results_sha256, Vec::new()),
        replays::Replayed::Altered(how) => (0, String::new(), vec![how]),
        replays::Replayed::Different(differences) => (0, String::new(), differences),
    })
}

/// The page of a name, or what an experiment's file amounts to.
#[pyfunction]
pub(crate) fn explain(py: Python<'_>, name: &str, quick: bool, width: usize) -> PyResult<String> {
    match py.detach(|| explain_name(name, quick)).map_err(|error| raise(&error))? {
        Explained::Page(page) => Ok(wrap_page(&page, width)),
        Explained::Experiment(text) => Ok(text),
    }
}

/// Switches, traffic, arrival processes and calculations, as `list --json` prints them.
#[pyfunction]
pub(crate) fn listing(py: Python<'_>) -> PyResult<String> {
    json(&py.detach(listings::listed))
}

/// A spec without the parameters that have their default values, as tables show it.
#[pyfunction]
pub(crate) fn short(py: Python<'_>, spec: &str) -> String {
    py.detach(|| switchlab_lab::registry::short(spec))
}

/// The values of a range, as the command line has them.
#[pyfunction]
pub(crate) fn values(first: f64, last: f64, step: Option<f64>, times: Option<f64>) -> PyResult<Vec<f64>> {
    let step = match (step, times) {
        (Some(step), None) => Step::Add(step),
        (None, Some(times)) => Step::Times(times),
        _ => return Err(invalid("a range has either step or times")),
    };
    ranges::values(first, last, step).map_err(invalid)
}

/// A picture of ours in the format that the name of a file asks for.
#[pyfunction]
pub(crate) fn encode<'py>(py: Python<'py>, svg: &str, path: PathBuf, density: f32) -> PyResult<Bound<'py, PyBytes>> {
    let encoded = py.detach(|| Format::of(&path)?.encode(svg, density)).map_err(|error: LabError| raise(&error))?;
    Ok(PyBytes::new(py, &encoded))
}
