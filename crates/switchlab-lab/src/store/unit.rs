//! A unit of work and its key.

use super::engine::engine;
use crate::digest::sha256;
use crate::error::LabError;
use crate::experiment::PointSpec;
use crate::files::traffic_file;
use serde::{Deserialize, Serialize};

/// One replication of a point: everything that its result depends on, and nothing else. The
/// variables of an experiment are left out: they have been filled into the specs, and the same
/// configuration reached by other variables is the same unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unit {
    /// The canonical switch spec.
    pub switch: String,
    /// The number of ports.
    pub ports: usize,
    /// The canonical traffic spec.
    pub traffic: String,
    /// The canonical arrival process.
    pub arrivals: String,
    /// The load.
    pub load: f64,
    /// Slots to measure.
    pub slots: u64,
    /// Slots to run before.
    pub warmup: u64,
    /// The seed.
    pub seed: u64,
    /// SHA-256 of the file that the traffic names, if it names one: a file with the same name may
    /// say something else tomorrow.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub file_sha256: Option<String>,
    /// Whether the run goes on after these slots until the switch is empty.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub drains: bool,
    /// Which replication, from 0.
    pub replication: u32,
}

/// What a unit's key is the hash of.
#[derive(Serialize)]
struct Keyed<'a> {
    engine: &'a str,
    unit: &'a Unit,
}

impl Unit {
    /// The first `replications` units of a point.
    pub fn of(point: &PointSpec, replications: u32) -> Result<Vec<Self>, LabError> {
        let file_sha256 = traffic_file(&point.traffic)?.map(|(_, sha256)| sha256);
        let unit = |replication| Self {
            switch: point.switch.clone(),
            ports: point.ports,
            traffic: point.traffic.clone(),
            arrivals: point.arrivals.clone(),
            load: point.load,
            slots: point.slots,
            warmup: point.warmup,
            seed: point.seed,
            file_sha256: file_sha256.clone(),
            drains: point.drains,
            replication,
        };
        Ok((0..replications).map(unit).collect())
    }

    /// The engine that its result belongs to. Another engine may measure something else, so its
    /// results are not used.
    pub fn engine(&self) -> String {
        engine(&self.switch, self.ports, &self.traffic, &self.arrivals)
    }

    /// The first 128 bits of the SHA-256 of `{"engine":…,"unit":…}`, the text that also stands in
    /// the store.
    pub fn key(&self) -> String {
        self.key_in(&self.engine())
    }

    pub(super) fn key_in(&self, engine: &str) -> String {
        let text = serde_json::to_string(&Keyed { engine, unit: self }).expect("a unit has text keys and plain values");
        let mut key = sha256(text.as_bytes());
        key.truncate(32);
        key
    }
}
