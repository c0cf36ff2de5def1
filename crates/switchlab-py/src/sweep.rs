//! Experiments: several points, kept in a store.

use crate::comparison::{Look, json, tidy};
use crate::errors::{invalid, raise};
use crate::request::Arguments;
use crate::work::work;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use switchlab_lab::claims::{Evaluation, evaluate};
use switchlab_lab::experiment::{Experiment, Loaded, Mode, ResultPoint, Results as Measured, Select};
use switchlab_lab::export::Table;
use switchlab_lab::figure::{self, Kind, chart, of_results};
use switchlab_lab::grid::{comparisons, figure as figure_of_grid, warnings};
use switchlab_lab::manifest::{read_experiment, write_experiment, write_results};
use switchlab_lab::picture::Picture;
use switchlab_lab::plan::percentiles;
use switchlab_lab::report::table::{Style, results as table_of_results};
use switchlab_lab::report::{Report, claims};
use switchlab_lab::reproduce::Tally;
use switchlab_lab::store::Unit;
use switchlab_lab::sweep::{Sweep, known_results, run_experiment};
use switchlab_lab::{LabError, Progress};

/// What manifests name as the command.
const COMMAND: &str = "switchlab.sweep";

/// The results of an experiment.
#[pyclass(frozen)]
pub(crate) struct Results {
    experiment: Experiment,
    measured: Measured,
    percentiles: Vec<f64>,
    evaluations: Vec<Evaluation>,
    messages: Vec<String>,
    /// Units that were run, and files that were written.
    ran: u64,
    files: Vec<PathBuf>,
}

#[pymethods]
impl Results {
    /// The reports of all points, as `run --json` prints them; none of a calculation.
    fn json(&self) -> PyResult<String> {
        let mut reports = Vec::new();
        for compared in comparisons(&self.experiment, &self.measured, &self.percentiles) {
            let (plan, comparison) = compared.map_err(|error| raise(&error))?;
            reports.extend(Report::all(&plan, &comparison, false));
        }
        json(&reports)
    }

    /// The table for people.
    fn table(&self, width: usize) -> PyResult<String> {
        let more = percentiles(&self.percentiles).map_err(|error| raise(&error))?;
        Ok(table_of_results(&self.experiment, &self.measured, &more, Style { width, ..Style::default() }))
    }

    /// The tidy table: CSV and JSON.
    fn tidy(&self) -> PyResult<(String, String)> {
        tidy(&Table::of(&self.experiment, &self.measured))
    }

    /// A picture as SVG, of the points that `only` selects.
    fn svg(&self, look: Look, only: BTreeMap<String, Vec<String>>) -> PyResult<String> {
        let select = Select(only);
        match look.kind()? {
            Kind::Curve => {
                let mut figure = figure_of_grid(&self.experiment, look.y.as_deref()).map_err(|error| raise(&error))?;
                figure.select = select;
                look.svg(Picture::Chart(chart(&figure, &self.measured)))
            }
            kind => {
                let points: Vec<&ResultPoint> = self.measured.iter().filter(|point| point.is_in(&select)).collect();
                look.svg(of_results(kind, &points).map_err(|error| raise(&error))?)
            }
        }
    }

    /// A figure of the experiment as SVG, by its name.
    fn figure(&self, look: Look, name: &str) -> PyResult<String> {
        let known = self.experiment.figures.iter().find(|figure| figure.id == name).ok_or_else(|| {
            let names: Vec<&str> = self.experiment.figures.iter().map(|figure| figure.id.as_str()).collect();
            invalid(format!("the experiment has no figure {name:?}; it has: {}", names.join(", ")))
        })?;
        look.svg(Picture::Chart(chart(known, &self.measured)))
    }

    /// The experiment, resolved, as JSON.
    fn experiment(&self) -> PyResult<String> {
        json(&self.experiment)
    }

    /// Each claim: its name, ruling and what was measured; then the tally.
    fn claims(&self) -> (Vec<(String, String, String)>, String) {
        let judged = self.experiment.claims.iter().zip(&self.evaluations);
        let rulings = judged.map(|(claim, it)| (claim.id.clone(), it.ruling.to_string(), it.measured.clone()));
        let tally: Tally = self.evaluations.iter().map(|evaluation| Tally::from(evaluation.ruling)).sum();
        (rulings.collect(), tally.to_string())
    }

    /// The claims as a table for people.
    fn claims_table(&self) -> String {
        let judged = self.experiment.claims.iter().zip(&self.evaluations);
        claims::text(judged.map(|(claim, evaluation)| (claim.id.clone(), claim, evaluation)), 100)
    }

    /// Warnings for the user.
    fn messages(&self) -> Vec<String> {
        self.messages.clone()
    }

    /// How many units were run now.
    #[getter]
    fn ran(&self) -> u64 {
        self.ran
    }

    /// The files that were written.
    #[getter]
    fn files(&self) -> Vec<PathBuf> {
        self.files.clone()
    }
}

/// Runs what is missing, and writes tables and figures if `writes`.
fn measure(
    experiment: Experiment,
    dir: &Path,
    threads: Option<usize>,
    percentiles: Vec<f64>,
    writes: bool,
    progress: &Progress,
) -> Result<Results, LabError> {
    let mut sweep = Sweep::open(dir, threads)?;
    let mut messages: Vec<String> = sweep.damages().iter().map(ToString::to_string).collect();
    write_experiment(&experiment, &mut sweep.store())?;
    let results = run_experiment(&experiment, &mut sweep, None, progress)?;
    messages.extend(sweep.damages().iter().map(ToString::to_string));
    messages.extend(warnings(&experiment, &results)?);
    let mut files = Vec::new();
    if writes {
        files = write_results(&experiment, &results, &mut sweep.store(), COMMAND)?.1;
        for drawn in &experiment.figures {
            let written = figure::write(drawn, &results, dir)?;
            messages.extend(written.warnings.iter().map(ToString::to_string));
            files.extend(written.files.iter().map(|(_, file)| dir.join(file)));
        }
    }
    let evaluations = experiment.claims.iter().map(|claim| evaluate(claim, &results)).collect();
    Ok(Results { ran: sweep.ran(), experiment, measured: results, percentiles, evaluations, messages, files })
}

/// Runs lists of loads, ports and so on. Results are kept in `out`, or not at all.
#[pyfunction]
pub(crate) fn grid(
    py: Python<'_>,
    arguments: Arguments,
    out: Option<PathBuf>,
    watch: Option<Py<PyAny>>,
) -> PyResult<Results> {
    let grid = arguments.grid()?;
    let temporary;
    let dir: &Path = if let Some(out) = &out {
        out
    } else {
        temporary = tempfile::tempdir()?;
        temporary.path()
    };
    work(py, watch.as_ref(), |progress| {
        grid.check_variables()?;
        let experiment = grid.experiment()?;
        measure(experiment, dir, grid.request.threads, grid.request.percentiles.clone(), out.is_some(), progress)
    })
}

/// Reads an experiment from TOML.
fn read(text: &str, name: &str, quick: bool) -> Result<Experiment, LabError> {
    let mode = if quick { Mode::Quick } else { Mode::Full };
    let stem = Path::new(name).file_stem().map(|stem| stem.to_string_lossy().to_lowercase()).unwrap_or_default();
    let id = stem.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    Loaded::parse(text, name, &id, mode).map(|loaded| loaded.experiment)
}

/// Reads an experiment from a file, whose relative paths are those of the file, or from text.
fn load(text: Option<&str>, name: &str, quick: bool) -> Result<Experiment, LabError> {
    match text {
        Some(text) => read(text, name, quick),
        None => Experiment::load(Path::new(name), if quick { Mode::Quick } else { Mode::Full }),
    }
}

/// Runs an experiment from a file or from text.
#[pyfunction]
pub(crate) fn sweep(
    py: Python<'_>,
    text: Option<&str>,
    name: &str,
    quick: bool,
    out: Option<PathBuf>,
    threads: Option<usize>,
    watch: Option<Py<PyAny>>,
) -> PyResult<Results> {
    let temporary;
    let dir: &Path = if let Some(out) = &out {
        out
    } else {
        temporary = tempfile::tempdir()?;
        temporary.path()
    };
    work(py, watch.as_ref(), |progress| {
        measure(load(text, name, quick)?, dir, threads, Vec::new(), out.is_some(), progress)
    })
}

/// How many units an experiment begins with.
#[pyfunction]
pub(crate) fn units(py: Python<'_>, text: Option<&str>, name: &str, quick: bool) -> PyResult<usize> {
    let count = || {
        let experiment = load(text, name, quick)?;
        let units = experiment.points()?.into_iter().map(|point| Ok(Unit::of(&point, experiment.replications)?.len()));
        units.sum::<Result<usize, LabError>>()
    };
    py.detach(count).map_err(|error| raise(&error))
}

/// Runs a part of the units of an experiment into the store of a directory. Returns how many.
#[pyfunction]
pub(crate) fn part(
    py: Python<'_>,
    text: Option<&str>,
    name: &str,
    quick: bool,
    out: PathBuf,
    index: u32,
    parts: u32,
) -> PyResult<u64> {
    if index == 0 || index > parts {
        return Err(invalid(format!("parts are numbered from 1 to {parts}")));
    }
    work(py, None, |progress| {
        let experiment = load(text, name, quick)?;
        let mut sweep = Sweep::open(&out, Some(1))?;
        run_experiment(&experiment, &mut sweep, Some((index, parts)), progress)?;
        Ok(sweep.ran())
    })
}

/// The results that a directory holds. Nothing is run.
#[pyfunction]
pub(crate) fn results(py: Python<'_>, dir: PathBuf) -> PyResult<Results> {
    work(py, None, |_| {
        let place = dir.display();
        let request = |problem: &str| LabError::Request(format!("{place}: {problem}"));
        if !dir.is_dir() {
            return Err(request("it is not a directory of a sweep"));
        }
        let experiment = read_experiment(&dir)?.ok_or_else(|| request("it is not a directory of a sweep"))?;
        let sweep = Sweep::open(&dir, Some(1))?;
        let results = known_results(&experiment, &sweep)?
            .ok_or_else(|| request("results are missing; let the sweep finish first"))?;
        let evaluations = experiment.claims.iter().map(|claim| evaluate(claim, &results)).collect();
        let messages = sweep.damages().iter().map(ToString::to_string).collect();
        Ok(Results {
            experiment,
            measured: results,
            percentiles: Vec::new(),
            evaluations,
            messages,
            ran: 0,
            files: Vec::new(),
        })
    })
}
