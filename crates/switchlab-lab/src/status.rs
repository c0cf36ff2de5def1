//! How far a sweep is, from the files of its directories alone.
//!
//! ```text
//!   experiment.json ──points──► units ──► in a store?  done
//!                                     └─► leased?      running, or stopped if no process holds it
//!   times.csv ──► seconds per slot of each switch and size ──► the time that is left
//! ```
//!
//! It may be asked at any time, from any machine that sees the files: nothing is written.

use crate::error::LabError;
use crate::experiment::Experiment;
use crate::manifest::read_experiment;
use crate::store::{LeaseState, Store, Unit};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Units by their state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Units {
    /// Their results are kept.
    pub done: u64,
    /// A process computes them.
    pub running: u64,
    /// A process began them, and ended before they were done.
    pub stopped: u64,
    /// No process has begun them.
    pub missing: u64,
}

impl Units {
    /// All of them.
    pub fn all(self) -> u64 {
        self.done + self.running + self.stopped + self.missing
    }

    fn add(&mut self, other: Self) {
        self.done += other.done;
        self.running += other.running;
        self.stopped += other.stopped;
        self.missing += other.missing;
    }
}

/// How far a sweep is.
#[derive(Clone, Debug)]
pub struct Status {
    /// What it is about.
    pub title: String,
    /// By switch and size, in the order of the experiment.
    pub groups: Vec<(String, usize, Units)>,
    /// How long it takes until all first replications are done, if as many units go on being run at
    /// once as now, and if enough is known of their speed.
    pub left: Option<Duration>,
}

impl Status {
    /// Units of all switches and sizes.
    pub fn units(&self) -> Units {
        let mut units = Units::default();
        self.groups.iter().for_each(|(_, _, of)| units.add(*of));
        units
    }

    /// Whether all first replications are done.
    pub fn is_complete(&self) -> bool {
        let units = self.units();
        units.done == units.all()
    }
}

/// Reads how far a sweep is. Several directories are its shards.
pub fn status(dirs: &[PathBuf]) -> Result<Status, LabError> {
    let mut known: Option<Experiment> = None;
    let mut stores = Vec::new();
    for dir in dirs {
        let experiment = read_experiment(dir)?
            .ok_or_else(|| LabError::Request(format!("{} holds no sweep: it has no experiment.json", dir.display())))?;
        if known.as_ref().is_some_and(|known| *known != experiment) {
            return Err(LabError::Request(format!(
                "{} holds results of another experiment than the directories before it",
                dir.display()
            )));
        }
        experiment.check()?;
        known = Some(experiment);
        stores.push(Store::read(dir)?);
    }
    let experiment = known.ok_or_else(|| LabError::Request("name a directory of a sweep".to_string()))?;
    let mut groups: Vec<(String, usize, Units)> = Vec::new();
    let (speeds, mut left) = (speeds(dirs), Duration::ZERO);
    let mut seen = BTreeSet::new();
    for point in experiment.points()? {
        for unit in Unit::of(&point, experiment.replications)? {
            let key = unit.key();
            if !seen.insert(key.clone()) {
                continue;
            }
            let units = state(&stores, &key)?;
            if units.done == 0 {
                left = left.saturating_add(speeds.of(&unit));
            }
            match groups.iter_mut().find(|(switch, ports, _)| *switch == unit.switch && *ports == unit.ports) {
                Some((_, _, of)) => of.add(units),
                None => groups.push((unit.switch, unit.ports, units)),
            }
        }
    }
    let running: u64 = groups.iter().map(|(_, _, units)| units.running).sum();
    let is_complete = groups.iter().all(|(_, _, units)| units.done == units.all());
    let left = (is_complete || left > Duration::ZERO).then(|| left / u32::try_from(running.max(1)).unwrap_or(u32::MAX));
    Ok(Status { title: experiment.title, groups, left })
}

/// One unit, counted by its state.
fn state(stores: &[Store], key: &str) -> Result<Units, LabError> {
    if stores.iter().any(|store| store.has(key)) {
        return Ok(Units { done: 1, ..Units::default() });
    }
    let mut units = Units { missing: 1, ..Units::default() };
    for store in stores {
        match store.lease(key)? {
            LeaseState::Held => return Ok(Units { running: 1, ..Units::default() }),
            LeaseState::Left => units = Units { stopped: 1, ..Units::default() },
            LeaseState::None => {}
        }
    }
    Ok(units)
}

/// The file of times in the directory of a sweep.
pub(crate) const TIMES: &str = "times.csv";

/// Seconds and slots of the units that were run, by switch and size.
#[derive(Debug, Default)]
pub(crate) struct Speeds(BTreeMap<(String, usize), (f64, f64)>);

impl Speeds {
    /// How long a unit takes. What was not run yet is taken to be as fast, by slot and port, as
    /// what was; nothing if nothing was.
    pub(crate) fn of(&self, unit: &Unit) -> Duration {
        let slots = (unit.slots + unit.warmup) as f64;
        let seconds = if let Some((seconds, known)) = self.0.get(&(unit.switch.clone(), unit.ports)) {
            seconds / known * slots
        } else {
            let add = |(seconds, work), ((_, ports), (s, slots)): (&(_, usize), &(f64, f64))| {
                (seconds + s, work + slots * *ports as f64)
            };
            let (seconds, work) = self.0.iter().fold((0.0, 0.0), add);
            if work > 0.0 { seconds / work * slots * unit.ports as f64 } else { 0.0 }
        };
        Duration::try_from_secs_f64(seconds).unwrap_or_default()
    }

    /// Takes note of a unit.
    pub(crate) fn note(&mut self, unit: &Unit, took: Duration) {
        self.add(unit.switch.clone(), unit.ports, (unit.slots + unit.warmup) as f64, took.as_secs_f64());
    }

    fn add(&mut self, switch: String, ports: usize, slots: f64, seconds: f64) {
        if slots > 0.0 && seconds.is_finite() && seconds >= 0.0 {
            let (all_seconds, all_slots) = self.0.entry((switch, ports)).or_default();
            *all_seconds += seconds;
            *all_slots += slots;
        }
    }
}

/// Speeds as they are noted in directories of sweeps. A line that does not say one is passed over:
/// times decide no result.
pub(crate) fn speeds(dirs: &[PathBuf]) -> Speeds {
    let mut speeds = Speeds::default();
    for dir in dirs {
        let Ok(mut reader) = csv::ReaderBuilder::new().flexible(true).from_path(dir.join(TIMES)) else { continue };
        for record in reader.records().map_while(Result::ok) {
            let number = |at: usize| record.get(at).and_then(|field| field.parse::<f64>().ok());
            if let (Some(switch), Some(ports), Some(slots), Some(seconds)) =
                (record.get(0), number(1), number(2), number(3))
            {
                speeds.add(switch.to_string(), ports as usize, slots, seconds);
            }
        }
    }
    speeds
}

/// Notes how long a unit took. That it cannot be noted costs a prediction and no result.
pub(crate) fn note_time(dir: &Path, unit: &Unit, took: Duration) {
    let path = dir.join(TIMES);
    let begin = if path.exists() { "" } else { "switch,ports,slots,seconds\n" };
    let slots = unit.slots + unit.warmup;
    let mut writer = csv::Writer::from_writer(begin.as_bytes().to_vec());
    let seconds = format!("{:.3}", took.as_secs_f64());
    let fields = [unit.switch.as_str(), &unit.ports.to_string(), &slots.to_string(), &seconds];
    let Some(line) = writer.write_record(fields).ok().and_then(|()| writer.into_inner().ok()) else { return };
    let mut options = std::fs::OpenOptions::new();
    if let Ok(mut file) = crate::files::open_regular(&path, options.append(true).create(true)) {
        let _ = std::io::Write::write_all(&mut file, &line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::PointSpec;

    fn unit(switch: &str, ports: usize, slots: u64) -> Unit {
        let point = PointSpec {
            switch: switch.to_string(),
            ports,
            traffic: "uniform".to_string(),
            arrivals: "bernoulli".to_string(),
            load: 0.5,
            vary: [].into(),
            slots,
            warmup: 0,
            seed: 1,
            drains: false,
        };
        Unit::of(&point, 1).unwrap().remove(0)
    }

    #[test]
    fn units_take_as_long_as_those_before() {
        let mut speeds = Speeds::default();
        assert_eq!(speeds.of(&unit("oq", 8, 1000)), Duration::ZERO);
        speeds.note(&unit("oq", 8, 1000), Duration::from_secs(2));
        speeds.note(&unit("fifo", 8, 3000), Duration::from_secs(3));
        let seconds = |unit: &Unit| speeds.of(unit).as_secs_f64();
        assert!((seconds(&unit("oq", 8, 500)) - 1.0).abs() < 1e-9);
        assert!((seconds(&unit("fifo", 8, 500)) - 0.5).abs() < 1e-9);
        // 5 s for 32,000 slots times ports.
        assert!((seconds(&unit("oq", 16, 100)) - 5.0 / 32_000.0 * 1600.0).abs() < 1e-9);
    }

    #[test]
    fn times_are_read_back() {
        let dir = tempfile::tempdir().unwrap();
        let long = "benes(radix=2,distribution=rr)";
        note_time(dir.path(), &unit(long, 8, 1000), Duration::from_millis(1500));
        note_time(dir.path(), &unit(long, 8, 3000), Duration::from_millis(2500));
        let path = dir.path().join(TIMES);
        let text = std::fs::read_to_string(&path).unwrap() + "nonsense\noq,8,-1,NaN\n";
        std::fs::write(&path, text).unwrap();
        let speeds = speeds(&[dir.path().to_owned(), "nowhere".into()]);
        assert_eq!(speeds.of(&unit(long, 8, 2000)), Duration::from_secs(2));
    }
}
