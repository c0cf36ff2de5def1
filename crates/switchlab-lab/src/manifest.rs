//! A manifest beside results: what was run, by what, and hashes of what came out, so that anybody can run it again and compare.

use crate::error::LabError;
use crate::experiment::{Experiment, PointSpec, Results};
use crate::export::{self, Table};
use crate::files;
use crate::store::{ENGINE, result_text, sha256, traffic_file};
use crate::sweep::Sweep;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The manifest in a directory of results.
pub const MANIFEST: &str = "manifest.json";
/// The resolved experiment in a directory of results: what the parts of a sweep are parts of.
pub const EXPERIMENT: &str = "experiment.json";

const ESTIMATOR: &str = "mean and 95 % Student-t interval over independent replications; of a single replication, over batch means; \
                         percentiles of all replications together; verdict by the drift of the backlog";

/// What was run and what came out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The version of switchlab.
    pub engine: String,
    /// The command that was given.
    pub command: String,
    /// The seed.
    pub seed: u64,
    /// How figures and intervals were had.
    pub estimator: String,
    /// The experiment, every default filled in.
    pub experiment: Experiment,
    /// SHA-256 of each file that the experiment's traffic names.
    pub files: BTreeMap<String, String>,
    /// SHA-256 of results.csv.
    pub results_sha256: String,
    /// Each point, in order.
    pub points: Vec<Point>,
    /// SHA-256 of this manifest, written compactly and with this field empty.
    pub manifest_sha256: String,
}

/// A point in a manifest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// What was run.
    pub point: PointSpec,
    /// How often.
    pub replications: usize,
    /// stable, unstable or undecided.
    pub verdict: String,
    /// SHA-256 of everything that was measured in its replications, the fingerprints of all departures included.
    pub sha256: String,
}

impl Manifest {
    /// Of results and their table.
    pub fn new(experiment: &Experiment, results: &Results, csv: &[u8], command: &str) -> Result<Self, LabError> {
        let point = |result: &crate::experiment::ResultPoint| {
            let texts: Vec<String> = result.outcome.runs.iter().map(result_text).collect();
            Point {
                point: result.spec.clone(),
                replications: texts.len(),
                verdict: result.outcome.judgement.verdict.to_string(),
                sha256: sha256(texts.join("\n").as_bytes()),
            }
        };
        let mut files = BTreeMap::new();
        for result in results {
            files.extend(traffic_file(&result.spec.traffic)?);
        }
        let mut manifest = Self {
            engine: ENGINE.to_string(),
            command: command.to_string(),
            seed: experiment.seed,
            estimator: ESTIMATOR.to_string(),
            experiment: experiment.clone(),
            files,
            results_sha256: sha256(csv),
            points: results.iter().map(point).collect(),
            manifest_sha256: String::new(),
        };
        manifest.manifest_sha256 = manifest.own_hash();
        Ok(manifest)
    }

    /// Reads a manifest. Whether it was altered is for [`Self::is_unaltered`] to say.
    pub fn load(path: &Path) -> Result<Self, LabError> {
        let text = std::fs::read(path).map_err(|source| LabError::Read { path: path.to_owned(), source })?;
        serde_json::from_slice(&text)
            .map_err(|error| LabError::Request(format!("{} is not a manifest: {error}", path.display())))
    }

    /// Whether it is as it was written.
    pub fn is_unaltered(&self) -> bool {
        self.manifest_sha256 == self.own_hash()
    }

    fn own_hash(&self) -> String {
        let bare = Self { manifest_sha256: String::new(), ..self.clone() };
        sha256(&serde_json::to_vec(&bare).expect("a manifest has text keys and plain values"))
    }

    /// What differs in another run of the same experiment, a sentence each; nothing if the results are the same.
    pub fn differences(&self, again: &Self) -> Vec<String> {
        let mut differences = Vec::new();
        if self.results_sha256 != again.results_sha256 {
            differences.push(format!("{} differs", export::CSV));
        }
        if self.points.len() != again.points.len() {
            differences.push(format!("there were {} points, and now are {}", self.points.len(), again.points.len()));
        }
        for (old, new) in self.points.iter().zip(&again.points).filter(|(old, new)| old != new) {
            let (PointSpec { switch, ports, traffic, load, .. }, verdict) = (&old.point, &old.verdict);
            let change = if old.verdict == new.verdict {
                "other measurements".to_string()
            } else {
                format!("it was {verdict} and now is {}", new.verdict)
            };
            differences.push(format!("{switch}, {ports} ports, {traffic} at load {load}: {change}"));
        }
        if !differences.is_empty() {
            if self.engine != again.engine {
                differences.push(format!("it was made by version {}; this is {}", self.engine, again.engine));
            }
            for (path, _) in self.files.iter().filter(|(path, hash)| again.files.get(*path) != Some(hash)) {
                differences.push(format!("the file {path} is not what it was"));
            }
        }
        differences
    }
}

/// Writes the tables and the manifest of finished results to the sweep's directory; returns them and where they are.
pub fn write_results(
    experiment: &Experiment,
    results: &Results,
    sweep: &Sweep,
    command: &str,
) -> Result<(Manifest, Vec<PathBuf>), LabError> {
    let table = Table::of(experiment, results);
    sweep.store().locked(|store| {
        let (mut written, csv) = export::write(store.dir(), &table)?;
        let manifest = Manifest::new(experiment, results, &csv, command)?;
        let path = store.dir().join(MANIFEST);
        files::replace(&path, &pretty(&manifest))?;
        written.push(path);
        Ok((manifest, written))
    })
}

/// Notes in the sweep's directory what experiment it is for.
pub fn write_experiment(experiment: &Experiment, sweep: &Sweep) -> Result<(), LabError> {
    sweep.store().locked(|store| files::replace(&store.dir().join(EXPERIMENT), &pretty(experiment)))
}

/// The experiment that a directory is for, if that was noted.
pub fn read_experiment(dir: &Path) -> Result<Option<Experiment>, LabError> {
    let path = dir.join(EXPERIMENT);
    match std::fs::read(&path) {
        Ok(text) => serde_json::from_slice(&text)
            .map(Some)
            .map_err(|error| LabError::Request(format!("{} is not an experiment: {error}", path.display()))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(LabError::Read { path, source }),
    }
}

fn pretty(value: &impl Serialize) -> Vec<u8> {
    let mut text = serde_json::to_vec_pretty(value).expect("text keys and plain values");
    text.push(b'\n');
    text
}
