//! A manifest beside results: what was run, by which version, and hashes of the results, so that
//! the run can be repeated and compared.

use crate::digest::sha256;
use crate::error::LabError;
use crate::experiment::{Experiment, PointSpec, Results};
use crate::export::{self, Table};
use crate::files::{self, read_regular, traffic_file};
use crate::store::{Store, VERSION, result_text};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The manifest in a directory of results.
pub const MANIFEST: &str = "manifest.json";
/// The resolved experiment in a directory of results: what the parts of a sweep are parts of.
pub const EXPERIMENT: &str = "experiment.json";

const ESTIMATOR: &str = "mean and 95 % Student-t interval over independent replications; of a single replication, over batch means; \
                         percentiles of all replications together; verdict by the drift of the backlog";

/// What was run, and hashes of the results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The version of switchlab.
    pub engine: String,
    /// The command that was given.
    pub command: String,
    /// The seed.
    pub seed: u64,
    /// How figures and intervals were computed.
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
    /// SHA-256 of everything that was measured in its replications, the fingerprints of all
    /// departures included.
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
                verdict: result.outcome.stability.verdict.to_string(),
                sha256: sha256(texts.join("\n").as_bytes()),
            }
        };
        let files = files_of(results.iter().map(|result| &result.spec))?;
        let mut manifest = Self {
            engine: VERSION.to_string(),
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

    /// Reads a manifest. [`Self::is_unaltered`] tells whether it was altered.
    pub fn load(path: &Path) -> Result<Self, LabError> {
        serde_json::from_slice(&read_regular(path)?)
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

    /// The points to run again, and how often each. Only for a manifest without contradictions.
    pub fn work(&self) -> Vec<(PointSpec, u32)> {
        let often = |point: &Point| u32::try_from(point.replications).unwrap_or(u32::MAX);
        self.points.iter().map(|point| (point.point.clone(), often(point))).collect()
    }

    /// What contradicts the experiment in this manifest, the files it names or the results beside
    /// it, a sentence each, by field. An error if the experiment cannot be run at all. The command
    /// is not checked: it has no influence on results.
    pub fn contradictions(&self, dir: &Path) -> Result<Vec<String>, LabError> {
        self.experiment.check()?;
        let mut found = Vec::new();
        if self.seed != self.experiment.seed {
            found.push(format!("seed: it is {}, and that of the experiment {}", self.seed, self.experiment.seed));
        }
        if self.estimator != ESTIMATOR {
            found.push("estimator: it is not the one that this program uses".to_string());
        }
        if read_experiment(dir)?.is_some_and(|beside| beside != self.experiment) {
            found.push(format!("experiment: it is not the one in {EXPERIMENT} beside the manifest"));
        }
        let points = self.experiment.points()?;
        let files = files_of(points.iter())?;
        for path in files.keys().chain(self.files.keys()).collect::<BTreeSet<_>>() {
            match (self.files.get(path), files.get(path)) {
                (Some(then), Some(now)) if then == now => {}
                (Some(then), Some(now)) => {
                    found.push(format!("files: {path} is not what it was: its SHA-256 is {now}, and was {then}"));
                }
                (Some(_), None) => found.push(format!("files: the experiment does not use {path}")),
                (None, _) => found.push(format!("files: {path} is missing, which the experiment uses")),
            }
        }
        if points.len() != self.points.len() {
            found.push(format!("points: there are {}, and the experiment has {}", self.points.len(), points.len()));
        }
        let Experiment { replications, most_replications, .. } = self.experiment;
        // More than the experiment begins with are run for precision or for a claim, and for
        // nothing else.
        let fixed = self.experiment.precision.is_none() && self.experiment.claims.is_empty();
        let allowed = u64::from(replications)..=u64::from(if fixed { replications } else { most_replications });
        for (index, (written, own)) in self.points.iter().zip(&points).enumerate() {
            let index = index + 1;
            if let Some(difference) = first_difference(&written.point, own) {
                found.push(format!("points: of number {index} {difference}"));
            } else if !allowed.contains(&(written.replications as u64)) {
                found.push(format!(
                    "points: number {index} has {} replications; by the experiment from {} to {}",
                    written.replications,
                    allowed.start(),
                    allowed.end()
                ));
            }
        }
        let table = dir.join(export::CSV);
        if table.exists() && sha256(&read_regular(&table)?) != self.results_sha256 {
            found.push(format!("results_sha256: {} beside the manifest has another SHA-256", export::CSV));
        }
        Ok(found)
    }

    /// What differs in another run of the same experiment, a sentence each, by field; nothing if
    /// the results are the same.
    pub fn differences(&self, again: &Self) -> Vec<String> {
        let mut differences = Vec::new();
        if self.engine != again.engine {
            differences.push(format!("engine: it was made by version {}; this is {}", self.engine, again.engine));
        }
        if self.files != again.files {
            differences.push("files: they have changed while the experiment ran".to_string());
        }
        if self.results_sha256 != again.results_sha256 {
            differences.push(format!("results_sha256: {} differs", export::CSV));
        }
        if self.points.len() != again.points.len() {
            differences.push(format!("points: there were {}, and now are {}", self.points.len(), again.points.len()));
        }
        for (old, new) in self.points.iter().zip(&again.points).filter(|(old, new)| old != new) {
            let change = if old.verdict == new.verdict {
                "other measurements".to_string()
            } else {
                format!("the verdict was {} and now is {}", old.verdict, new.verdict)
            };
            differences.push(format!("points: {}: {change}", name(&old.point)));
        }
        differences
    }
}

/// A point in a message.
fn name(PointSpec { switch, ports, traffic, load, .. }: &PointSpec) -> String {
    format!("{switch}, {ports} ports, {traffic} at load {load}")
}

/// The first field in which a point is not that of the experiment.
fn first_difference(written: &PointSpec, own: &PointSpec) -> Option<String> {
    // The pattern is exhaustive, so a new field has to be added here.
    let texts = |point: &PointSpec| {
        let PointSpec { switch, ports, traffic, arrivals, load, vary, slots, warmup, seed, drains } = point.clone();
        let numbers = [ports as u64, slots, warmup, seed].map(|number| number.to_string());
        let [ports, slots, warmup, seed] = numbers;
        [
            ("switch", switch),
            ("ports", ports),
            ("traffic", traffic),
            ("arrivals", arrivals),
            ("load", load.to_string()),
            ("vary", format!("{vary:?}")),
            ("slots", slots),
            ("warmup", warmup),
            ("seed", seed),
            ("drains", drains.to_string()),
        ]
    };
    let pairs = texts(written).into_iter().zip(texts(own));
    let mut different = pairs.filter(|(written, own)| written != own);
    different.next().map(|((field, written), (_, own))| format!("{field} is {written}, and by the experiment {own}"))
}

/// The files that points name, and their hashes. Each is read once.
fn files_of<'a>(points: impl Iterator<Item = &'a PointSpec>) -> Result<BTreeMap<String, String>, LabError> {
    let traffics: BTreeSet<&str> = points.map(|point| point.traffic.as_str()).collect();
    traffics.into_iter().filter_map(|traffic| traffic_file(traffic).transpose()).collect()
}

/// Writes the tables and the manifest of finished results to the store's directory; returns them
/// and where they are.
pub fn write_results(
    experiment: &Experiment,
    results: &Results,
    store: &mut Store,
    command: &str,
) -> Result<(Manifest, Vec<PathBuf>), LabError> {
    let table = Table::of(experiment, results);
    store.locked(|store| {
        let (mut written, csv) = export::write(store.dir(), &table)?;
        let manifest = Manifest::new(experiment, results, &csv, command)?;
        let path = store.dir().join(MANIFEST);
        files::replace(&path, &pretty(&manifest))?;
        written.push(path);
        Ok((manifest, written))
    })
}

/// Notes in the store's directory what experiment it is for.
pub fn write_experiment(experiment: &Experiment, store: &mut Store) -> Result<(), LabError> {
    store.locked(|store| files::replace(&store.dir().join(EXPERIMENT), &pretty(experiment)))
}

/// The experiment that a directory is for, if that was noted. Whether it can be run is for
/// [`Experiment::check`] to say.
pub fn read_experiment(dir: &Path) -> Result<Option<Experiment>, LabError> {
    let path = dir.join(EXPERIMENT);
    match read_regular(&path) {
        Ok(text) => serde_json::from_slice(&text)
            .map(Some)
            .map_err(|error| LabError::Request(format!("{} is not an experiment: {error}", path.display()))),
        Err(LabError::Read { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn pretty(value: &impl Serialize) -> Vec<u8> {
    let mut text = serde_json::to_vec_pretty(value).expect("text keys and plain values");
    text.push(b'\n');
    text
}
