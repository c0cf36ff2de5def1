//! The files of a paper's shipped results.

use super::row::Row;
use crate::date::today;
use crate::digest::sha256;
use crate::error::LabError;
use crate::experiment::{Experiment, PointSpec, ResultPoint, Results};
use crate::files::{read_regular, replace};
use crate::run::Measured;
use crate::store::{Unit, VERSION};
use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// The folder in that of a paper.
const FOLDER: &str = "results";
/// All points, one line each, compressed.
const UNITS: &str = "units.jsonl.gz";
const MANIFEST: &str = "manifest.json";
/// Of the lines, uncompressed; more is taken for an attack on the memory.
const MOST_BYTES: u64 = 1 << 30;

/// What the lines are, for those who check them.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    /// The version of switchlab that wrote the lines.
    engine: String,
    /// Seeds that were used.
    seeds: Vec<u64>,
    points: usize,
    replications: usize,
    /// Slots in all, warm-up included.
    slots: u64,
    /// The days of the oldest and the newest point.
    first_day: String,
    last_day: String,
    /// Of the lines, uncompressed.
    units_sha256: String,
}

/// A point: a line of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Kept {
    /// The key of the first unit.
    pub(super) key: String,
    /// The first unit. The others differ in `replication` only.
    pub(super) unit: Unit,
    /// The day on which its newest replication was measured.
    pub(super) day: String,
    /// Names of the counters.
    pub(super) counters: Vec<String>,
    pub(super) rows: Vec<Row>,
}

/// What an experiment lacks among the shipped results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing {
    /// Points that are not there, or have too few replications.
    pub points: usize,
    /// Points of the experiment.
    pub of: usize,
}

/// The shipped results of a paper.
#[derive(Debug)]
pub struct Shipped {
    /// The folder of the paper.
    paper: PathBuf,
    /// By the keys of first units.
    points: BTreeMap<String, Kept>,
}

impl Shipped {
    /// Reads those of a paper; without files there are none. Files that are not what their manifest
    /// says are an error.
    pub fn read(paper: &Path) -> Result<Self, LabError> {
        let folder = paper.join(FOLDER);
        let mut shipped = Self { paper: paper.to_owned(), points: BTreeMap::new() };
        if !folder.join(UNITS).exists() && !folder.join(MANIFEST).exists() {
            return Ok(shipped);
        }
        let (units, manifest) = (folder.join(UNITS), folder.join(MANIFEST));
        let refuse = |what: &str| LabError::Request(format!("{}: {what}", units.display()));
        let said: Manifest = serde_json::from_slice(&read_regular(&manifest)?)
            .map_err(|error| LabError::Request(format!("{}: {error}", manifest.display())))?;
        let mut lines = String::new();
        let compressed = read_regular(&units)?;
        let read = GzDecoder::new(&compressed[..]).take(MOST_BYTES).read_to_string(&mut lines);
        read.map_err(|error| refuse(&format!("cannot be decompressed: {error}")))?;
        if sha256(lines.as_bytes()) != said.units_sha256 {
            return Err(refuse("it is not the file of the manifest beside it: its SHA-256 is another"));
        }
        for (number, line) in lines.lines().enumerate() {
            let kept: Kept =
                serde_json::from_str(line).map_err(|error| refuse(&format!("line {}: {error}", number + 1)))?;
            shipped.points.insert(kept.key.clone(), kept);
        }
        Ok(shipped)
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// The days of the oldest and of the newest point.
    pub fn days(&self) -> Option<(&str, &str)> {
        let days = || self.points.values().map(|kept| kept.day.as_str());
        Some((days().min()?, days().max()?))
    }

    pub(super) fn kept(&self) -> impl Iterator<Item = &Kept> {
        self.points.values()
    }

    /// The point to run for a unit.
    pub(super) fn point(&self, unit: &Unit) -> PointSpec {
        PointSpec {
            switch: unit.switch.clone(),
            ports: unit.ports,
            traffic: crate::files::traffic_beside(&unit.traffic, &self.paper),
            arrivals: unit.arrivals.clone(),
            load: unit.load,
            vary: BTreeMap::new(),
            slots: unit.slots,
            warmup: unit.warmup,
            seed: unit.seed,
            drains: unit.drains,
        }
    }

    /// The first unit of a point, and its key. The path of a file is that from the paper's folder,
    /// so that the key does not depend on where the papers are.
    fn unit(&self, point: &PointSpec) -> Result<(String, Unit), LabError> {
        let mut unit = Unit::of(point, 1)?.remove(0);
        unit.traffic = unit.traffic.replace(&format!("{}/", self.paper.display()), "");
        Ok((unit.key(), unit))
    }

    /// The results of an experiment in its full form, or what is missing.
    pub fn results(&self, experiment: &Experiment) -> Result<Result<Results, Missing>, LabError> {
        let points = experiment.points()?;
        let of = points.len();
        let mut results = Vec::new();
        for point in points {
            let runs = self.runs(&point)?;
            // A measurement that was stopped leaves points with a part of their replications.
            if runs.len() >= experiment.replications as usize {
                results.push(ResultPoint::new(point, &runs));
            }
        }
        let missing = of - results.len();
        Ok(if missing == 0 { Ok(results) } else { Err(Missing { points: missing, of }) })
    }

    /// The replications of a point that are here, from the first on.
    pub fn runs(&self, point: &PointSpec) -> Result<Vec<Measured>, LabError> {
        let (key, _) = self.unit(point)?;
        let Some(kept) = self.points.get(&key) else { return Ok(Vec::new()) };
        let runs: Option<Vec<_>> = kept.rows.iter().map(|row| row.measured(point.ports, &kept.counters)).collect();
        runs.ok_or_else(|| {
            LabError::Request(format!("{}: no run can have had the results of {key}", self.paper.display()))
        })
    }

    /// Adds the next replication of a point. One that is to stay alone keeps what intervals of a
    /// single run are from.
    pub fn add(&mut self, point: &PointSpec, run: &Measured, is_alone: bool) -> Result<(), LabError> {
        let (key, unit) = self.unit(point)?;
        let counters: Vec<String> = run.counters.iter().map(|counter| counter.name.to_string()).collect();
        let kept = self.points.entry(key.clone()).or_insert_with(|| Kept {
            key,
            unit,
            day: String::new(),
            counters: counters.clone(),
            rows: Vec::new(),
        });
        if kept.counters != counters {
            return Err(LabError::Request(format!("{}: its runs have different counters", point.switch)));
        }
        kept.rows.push(Row::of(run, is_alone));
        kept.day = today();
        Ok(())
    }

    /// Keeps the points of these experiments only, with engines as they are now: what nothing uses
    /// any more is not shipped.
    pub fn retain(&mut self, experiments: &[Experiment]) -> Result<(), LabError> {
        let mut used = std::collections::BTreeSet::new();
        for experiment in experiments {
            for point in experiment.points()? {
                used.insert(self.unit(&point)?.0);
            }
        }
        self.points.retain(|key, _| used.contains(key));
        Ok(())
    }

    /// Writes the files.
    pub fn write(&self) -> Result<(), LabError> {
        let folder = self.paper.join(FOLDER);
        std::fs::create_dir_all(&folder).map_err(|source| LabError::Output { path: folder.clone(), source })?;
        let mut kept: Vec<&Kept> = self.points.values().collect();
        // Neighbours that are alike are compressed best, and a change moves few lines.
        kept.sort_by(|a, b| order(&a.unit).cmp(&order(&b.unit)).then_with(|| a.key.cmp(&b.key)));
        let text = |kept: &&Kept| serde_json::to_string(kept).expect("a row has text keys and plain values") + "\n";
        let lines: String = kept.iter().map(text).collect();
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        let compressed = encoder.write_all(lines.as_bytes()).and_then(|()| encoder.finish());
        let units = folder.join(UNITS);
        let compressed = compressed.map_err(|source| LabError::Output { path: units.clone(), source })?;
        let mut seeds: Vec<u64> = kept.iter().map(|kept| kept.unit.seed).collect();
        seeds.sort_unstable();
        seeds.dedup();
        let days = self.days().unwrap_or_default();
        let slots = |kept: &&Kept| (kept.unit.slots + kept.unit.warmup) * kept.rows.len() as u64;
        let manifest = Manifest {
            engine: VERSION.to_string(),
            seeds,
            points: kept.len(),
            replications: kept.iter().map(|kept| kept.rows.len()).sum(),
            slots: kept.iter().map(slots).sum(),
            first_day: days.0.to_string(),
            last_day: days.1.to_string(),
            units_sha256: sha256(lines.as_bytes()),
        };
        let said = serde_json::to_string_pretty(&manifest).expect("a manifest has text keys and plain values") + "\n";
        replace(&units, &compressed)?;
        replace(&folder.join(MANIFEST), said.as_bytes())
    }
}

/// Traffic, ports, switch, then load.
fn order(unit: &Unit) -> (String, String, usize, String, u64) {
    (unit.traffic.clone(), unit.arrivals.clone(), unit.ports, unit.switch.clone(), unit.load.to_bits())
}
