//! A record: figures, date and machine. It includes the limits and public figures, so that its
//! tables need nothing else.

use super::{
    Alone, Benchmark, Config, Definitions, FLOOR, Part, PartCost, Round, Scaled, Scaling, Speed, Turns, alone,
    instructions, parts,
};
use crate::error::LabError;
use crate::files::replace;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use switchlab_core::Seed;

/// The results of all benchmarks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// When, as `2026-11-16 07:30`, in UTC.
    pub recorded: String,
    /// The purpose, as the user noted it.
    pub note: String,
    /// The version of this program.
    pub version: String,
    /// The machine.
    pub machine: Machine,
    /// The benchmarks, in the order of their definitions.
    pub benchmarks: Vec<Entry>,
    /// The parts of a slot of the first benchmark.
    pub parts: Vec<PartCost>,
    /// The exponents are fitted to sizes from this one on.
    pub fit_from: usize,
    /// Cost against the number of ports.
    pub scaling: Vec<Growth>,
    /// Of fabrics, cost for each cell and stage against the number of ports.
    #[serde(default)]
    pub hops: Vec<Growth>,
    /// The load of these.
    #[serde(default)]
    pub hops_load: f64,
}

/// The machine, without its name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's model.
    pub processor: String,
    /// How many cores this program may use.
    pub cores: usize,
}

/// A benchmark and its figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// What was measured.
    pub benchmark: Benchmark,
    /// Wall time.
    pub speed: Speed,
    /// Instructions per slot, if they were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions_per_slot: Option<f64>,
}

/// A switch at all sizes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Growth {
    /// The switch and its limits.
    pub switch: Scaled,
    /// Its figures at each size.
    pub sizes: Vec<Size>,
}

/// A switch at one size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Size {
    /// The number of ports.
    pub ports: usize,
    /// How many slots were run.
    pub slots: u64,
    /// The stages of a fabric.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub stages: u32,
    /// Time and memory.
    pub alone: Alone,
}

impl Record {
    /// Measures everything that is defined. `program` is this program, for measurements in
    /// processes of their own; `announce` is called with each next stage.
    pub fn measure(
        definitions: &Definitions,
        turns: Turns,
        count_instructions: bool,
        program: &Path,
        note: &str,
        announce: impl Fn(&str),
    ) -> Result<Self, LabError> {
        let benchmarks = &definitions.benchmarks;
        announce("time, in turns");
        let speeds = speeds(benchmarks, turns)?;
        let mut counts = vec![None; benchmarks.len()];
        if count_instructions {
            announce("instructions, by valgrind");
            counts = instructions::count(program, benchmarks)?.into_iter().map(Some).collect();
        }
        announce("parts of a slot");
        let parts = benchmarks.first().map(|it| {
            // Enough slots that the time of a piece is well above the resolution of the clock.
            let slots = (10 * it.slots, count_instructions.then_some(it.slots));
            parts::costs(program, &it.switch, &it.config, slots)
        });
        let entries = benchmarks.iter().zip(speeds).zip(counts);
        let entries = entries.map(|((benchmark, speed), instructions_per_slot)| Entry {
            benchmark: benchmark.clone(),
            speed,
            instructions_per_slot,
        });
        let Definitions { scaling, hops, .. } = definitions;
        let sizes = |scaling: &Option<Scaling>, what| {
            scaling.as_ref().map_or(Ok(Vec::new()), |scaling| growth(scaling, program, what, &announce))
        };
        Ok(Self {
            recorded: crate::date::now(),
            note: note.to_string(),
            version: env!("CARGO_PKG_VERSION").to_string(),
            machine: Machine::this(),
            benchmarks: entries.collect(),
            parts: parts.transpose()?.unwrap_or_default(),
            fit_from: scaling.as_ref().map_or(1, |scaling| scaling.fit_from),
            scaling: sizes(scaling, "time and memory against ports")?,
            hops: sizes(hops, "hops of fabrics")?,
            hops_load: hops.as_ref().map_or(0.0, |hops| hops.config.load),
        })
    }

    /// Writes it into a folder, under its date and time.
    pub fn write(&self, folder: &Path) -> Result<PathBuf, LabError> {
        let path = folder.join(self.recorded.replace(' ', "-").replace(':', "") + ".json");
        let text = serde_json::to_string_pretty(self).map_err(|error| LabError::Request(error.to_string()))?;
        replace(&path, (text + "\n").as_bytes())?;
        Ok(path)
    }
}

/// The newest record of a folder. Names are dates, so it is the last by name.
pub fn newest(folder: &Path) -> Result<Record, LabError> {
    let read = |source| LabError::Read { path: folder.to_owned(), source };
    let entries = std::fs::read_dir(folder).map_err(read)?.collect::<Result<Vec<_>, _>>().map_err(read)?;
    let records = entries.iter().map(std::fs::DirEntry::path).filter(|path| is_record(path));
    let path = records.max().ok_or_else(|| {
        LabError::Request(format!("{} holds no record; `switchlab bench --record` makes one", folder.display()))
    })?;
    let text = std::fs::read_to_string(&path).map_err(|source| LabError::Read { path: path.clone(), source })?;
    serde_json::from_str(&text).map_err(|error| LabError::Request(format!("{}: {error}", path.display())))
}

/// Whether a file is named as a record is, `DATE-TIME.json`. The folder holds other JSON files too.
fn is_record(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.starts_with(|first: char| first.is_ascii_digit()) && path.extension().is_some_and(|it| it == "json")
}

/// The speeds of all benchmarks, in their order. Those with the same configuration take turns, with
/// a floor of their own.
fn speeds(benchmarks: &[Benchmark], turns: Turns) -> Result<Vec<Speed>, LabError> {
    let mut speeds: Vec<Option<Speed>> = vec![None; benchmarks.len()];
    while let Some(first) = speeds.iter().position(Option::is_none) {
        let config = &benchmarks[first].config;
        let indices: Vec<usize> = (first..benchmarks.len()).filter(|&it| benchmarks[it].config == *config).collect();
        let others = indices.iter().filter(|&&index| benchmarks[index].switch != FLOOR);
        let switches: Vec<&str> =
            std::iter::once(FLOOR).chain(others.map(|&index| benchmarks[index].switch.as_str())).collect();
        let mut measured = turns.measure(&config.plan(&switches)?)?.into_iter();
        let floor = measured.next();
        for index in indices {
            speeds[index] = if benchmarks[index].switch == FLOOR { floor.clone() } else { measured.next() };
        }
    }
    Ok(speeds.into_iter().flatten().collect())
}

/// Each switch at each size, in a process of its own, in rounds: runs of the same process are
/// spread over time, so that a slow phase of the machine does not hit all of them.
fn growth(scaling: &Scaling, program: &Path, what: &str, announce: impl Fn(&str)) -> Result<Vec<Growth>, LabError> {
    let count = scaling.switches.len() * scaling.sizes.len();
    let mut rounds: Vec<Vec<Round>> = vec![Vec::new(); count];
    for round in 1..=scaling.rounds {
        announce(&format!("{what}, round {round} of {}", scaling.rounds));
        let kinds = scaling.switches.iter().flat_map(|switch| scaling.sizes.iter().map(move |size| (switch, size)));
        for ((switch, &(ports, slots)), rounds) in kinds.zip(&mut rounds) {
            let config = Config { ports, ..scaling.config.clone() };
            rounds.push(alone::in_a_process(program, &switch.switch, &config, slots, Part::Whole)?);
        }
    }
    let growth = scaling.switches.iter().zip(rounds.chunks(scaling.sizes.len()));
    let growth = growth.map(|(switch, rounds)| {
        let sizes = scaling.sizes.iter().zip(rounds).map(|(&(ports, slots), rounds)| {
            let stages = if switch.most_growth.is_some() { stages(&switch.switch, ports)? } else { 0 };
            Ok(Size { ports, slots, stages, alone: Alone::of(rounds) })
        });
        Ok(Growth { switch: switch.clone(), sizes: sizes.collect::<Result<_, LabError>>()? })
    });
    growth.collect()
}

/// The stages of a fabric.
fn stages(switch: &str, ports: usize) -> Result<u32, LabError> {
    Ok(crate::registry::switch(switch)?.build(ports, Seed { seed: 1, replication: 0 })?.stages())
}

impl Size {
    /// Time per cell and stage at a load, arrivals and meters included.
    pub(super) fn nanoseconds_per_hop(&self, load: f64) -> f64 {
        self.alone.nanoseconds_per_slot / (load * self.ports as f64 * f64::from(self.stages))
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over like this")]
fn is_zero(stages: &u32) -> bool {
    *stages == 0
}

impl Machine {
    /// The one that this program runs on.
    pub fn this() -> Self {
        let known = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let mut lines = known.lines().filter_map(|line| line.split_once(':'));
        let model = lines.find(|(key, _)| key.trim() == "model name").map(|(_, model)| model.trim().to_string());
        Self {
            processor: model.unwrap_or_else(|| std::env::consts::ARCH.to_string()),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The folder of records also holds the record of variants, whose name sorts last.
    #[test]
    fn only_dated_files_are_records() {
        for name in ["2026-11-17-2201.json", "b/2026-11-18-0900.json"] {
            assert!(is_record(Path::new(name)), "{name}");
        }
        for name in ["variants.json", "2026-11-16.txt", "definitions.toml", "", "2026"] {
            assert!(!is_record(Path::new(name)), "{name}");
        }
    }
}
