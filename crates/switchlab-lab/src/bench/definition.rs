//! What is measured, as TOML.
//!
//! ```toml
//! ports = 64                                   # of all benchmarks; each may have its own
//! load = 0.9
//! slots = 4000                                 # checked; instructions: as many more
//!
//! [[benchmark]]
//! switch = "islip(iterations=4)"
//! departures = "0123456789abcdef"              # the fingerprint of what leaves in these slots
//! most_times_floor = 3                         # limits: reported as kept or not, never an error
//! public = { simulator = "iSLIP, 4 iterations", slots_per_second = 14_600, wanted = 20 }
//!
//! [scaling]                                    # cost against the number of ports
//! sizes = [{ ports = 64, slots = 20_000 }, { ports = 256, slots = 4000 }]
//! fit_from = 64
//! rounds = 5
//!
//! [[scaling.switch]]
//! switch = "serena"
//! most_exponent = 1.2
//!
//! [hops]                                       # time of a cell for each stage
//! sizes = [{ ports = 64, slots = 20_000 }, { ports = 256, slots = 4000 }]
//! fit_from = 64
//!
//! [[hops.switch]]
//! switch = "benes"
//! most_growth = 1.5                            # from the first of these sizes to the last
//! ```

use crate::error::LabError;
use crate::located::{Node, Section, Source};
use crate::plan::{Plan, Request, SLOT_LIMIT};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::Path;
use switchlab_core::MAX_PORTS;

/// The configuration of a benchmark: everything but the switch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Config {
    /// The number of ports.
    pub ports: usize,
    /// The load.
    pub load: f64,
    /// The traffic spec.
    pub traffic: String,
    /// The arrival process.
    pub arrivals: String,
    /// The seed.
    pub seed: u64,
}

/// A switch to measure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Benchmark {
    /// The spec, as the definition writes it.
    pub switch: String,
    /// Its configuration.
    #[serde(rename = "setting")]
    pub config: Config,
    /// Slots of the check, from the empty switch on; instructions are counted over as many more.
    pub slots: u64,
    /// The fingerprint of the departures in them.
    #[serde(skip)]
    pub departures: Option<u64>,
    /// Its limits.
    pub limits: Limits,
    /// The speed of a public simulator, for comparison.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub public: Option<Public>,
}

/// Limits of a benchmark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// The most times the floor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub times_floor: Option<f64>,
}

/// The speed of a public simulator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Public {
    /// What it simulates.
    pub simulator: String,
    /// Slots per second of processor time.
    pub slots_per_second: f64,
    /// The wanted ratio of speeds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wanted: Option<f64>,
}

/// Cost against the number of ports.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaling {
    /// The configuration, except for the ports.
    pub config: Config,
    /// Numbers of ports, ascending, and how many slots to run with each.
    pub sizes: Vec<(usize, u64)>,
    /// The exponent is fitted to sizes from this one on.
    pub fit_from: usize,
    /// Rounds of measurement; each piece of slots counts with its least time.
    pub rounds: u64,
    /// What to measure.
    pub switches: Vec<Scaled>,
}

/// A switch at all sizes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scaled {
    /// The spec.
    pub switch: String,
    /// Limit of the exponent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most_exponent: Option<f64>,
    /// A number of ports, and the limit of bytes there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most_bytes: Option<(usize, u64)>,
    /// Limit of the growth of the time per cell and stage, from the first size to the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_growth: Option<f64>,
}

/// All benchmarks.
#[derive(Clone, Debug, PartialEq)]
pub struct Definitions {
    /// A switch and a configuration each.
    pub benchmarks: Vec<Benchmark>,
    /// Cost against the number of ports.
    pub scaling: Option<Scaling>,
    /// Cost for each cell and stage of a fabric, against the number of ports.
    pub hops: Option<Scaling>,
}

const SETTING: [&str; 6] = ["ports", "load", "traffic", "arrivals", "seed", "slots"];

impl Definitions {
    /// Reads and checks a file.
    pub fn load(path: &Path) -> Result<Self, LabError> {
        let text = std::fs::read_to_string(path).map_err(|source| LabError::Read { path: path.to_owned(), source })?;
        Self::parse(&text, &path.display().to_string())
    }

    /// The same for a text; `file` is what error messages call it.
    pub fn parse(text: &str, file: &str) -> Result<Self, LabError> {
        let source = Source { file, text };
        let document = source.parse()?;
        let top = Section::top(&source, &document, "a file of benchmarks");
        top.only(&[&SETTING[..], &["benchmark", "scaling", "hops"]].concat())?;
        let default =
            Config { ports: 64, load: 0.9, traffic: "uniform".to_string(), arrivals: "bernoulli".to_string(), seed: 1 };
        let (config, slots) = config(&top, &default, 4000)?;
        let sections = top.need("benchmark")?.tables("a benchmark")?;
        let benchmarks = sections.iter().map(|section| benchmark(section, &config, slots)).collect::<Result<_, _>>()?;
        let sizes = |name: &str, title| top.read(name, |node| scaling(&node.table(title)?, &config));
        Ok(Self { benchmarks, scaling: sizes("scaling", "[scaling]")?, hops: sizes("hops", "[hops]")? })
    }
}

impl Config {
    /// The plan of switches in this configuration.
    pub(super) fn plan(&self, switches: &[&str]) -> Result<Plan, LabError> {
        let request = Request {
            switches: switches.iter().map(ToString::to_string).collect(),
            ports: Some(self.ports),
            load: Some(self.load),
            traffic: self.traffic.clone(),
            arrivals: Some(self.arrivals.clone()),
            seed: self.seed,
            // The whole memory for a single run.
            replications: Some(1),
            ..Request::default()
        };
        request.resolve()
    }
}

impl fmt::Display for Benchmark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Config { ports, load, traffic, arrivals, .. } = &self.config;
        write!(f, "{} at {ports} ports, load {load}, {traffic}, {arrivals}", self.switch)
    }
}

fn config(section: &Section<'_>, outer: &Config, slots: u64) -> Result<(Config, u64), LabError> {
    let spec =
        |key: &str, outer: &str| Ok::<_, LabError>(section.read(key, Node::text)?.unwrap_or_else(|| outer.to_string()));
    let config = Config {
        ports: section.read("ports", ports)?.unwrap_or(outer.ports),
        load: section.read("load", Node::number)?.unwrap_or(outer.load),
        traffic: spec("traffic", &outer.traffic)?,
        arrivals: spec("arrivals", &outer.arrivals)?,
        seed: section.read("seed", |node| node.count(0..=u64::MAX))?.unwrap_or(outer.seed),
    };
    Ok((config, section.read("slots", slots_of)?.unwrap_or(slots)))
}

fn ports(node: &Node<'_>) -> Result<usize, LabError> {
    node.count(1..=MAX_PORTS as u64).map(|ports| ports as usize)
}

/// At least as many as can be timed in pieces.
fn slots_of(node: &Node<'_>) -> Result<u64, LabError> {
    node.count(20..=SLOT_LIMIT / 4)
}

fn positive(node: &Node<'_>) -> Result<f64, LabError> {
    let number = node.number()?;
    if number > 0.0 { Ok(number) } else { Err(node.error("this must be above 0")) }
}

fn switch(section: &Section<'_>) -> Result<String, LabError> {
    let node = section.need("switch")?;
    let spec = node.text()?;
    crate::registry::switch(&spec).map_err(|error| node.error(error.to_string()))?;
    Ok(spec)
}

fn benchmark(section: &Section<'_>, outer: &Config, slots: u64) -> Result<Benchmark, LabError> {
    let own = ["switch", "departures", "most_times_floor", "public"];
    section.only(&[&SETTING[..], &own].concat())?;
    let (config, slots) = config(section, outer, slots)?;
    let benchmark = Benchmark {
        switch: switch(section)?,
        slots,
        departures: section.read("departures", fingerprint)?,
        limits: Limits { times_floor: section.read("most_times_floor", positive)? },
        public: section.read("public", public)?,
        config,
    };
    let plan = benchmark.config.plan(&[&benchmark.switch]);
    plan.and_then(|plan| Ok(crate::run::Run::new(&plan, 0, 0).map(drop)?))
        .map_err(|error| section.error(error.to_string()))?;
    Ok(benchmark)
}

fn fingerprint(node: &Node<'_>) -> Result<u64, LabError> {
    let text = node.text()?;
    let bad = || node.error("departures are 16 hexadecimal digits");
    u64::from_str_radix(&text, 16).ok().filter(|_| text.len() == 16).ok_or_else(bad)
}

fn public(node: &Node<'_>) -> Result<Public, LabError> {
    let section = node.table("public")?;
    section.only(&["simulator", "slots_per_second", "wanted"])?;
    Ok(Public {
        simulator: section.need("simulator")?.text()?,
        slots_per_second: positive(&section.need("slots_per_second")?)?,
        wanted: section.read("wanted", positive)?,
    })
}

fn scaling(section: &Section<'_>, outer: &Config) -> Result<Scaling, LabError> {
    section.only(&["load", "traffic", "arrivals", "seed", "sizes", "fit_from", "rounds", "switch"])?;
    let (config, _) = config(section, outer, 0)?;
    let node = section.need("sizes")?;
    let size = |size: &Section<'_>| {
        size.only(&["ports", "slots"])?;
        Ok((ports(&size.need("ports")?)?, slots_of(&size.need("slots")?)?))
    };
    let sizes = node.tables("a size")?.iter().map(size).collect::<Result<Vec<_>, LabError>>()?;
    let fit_from = ports(&section.need("fit_from")?)?;
    if !sizes.is_sorted_by(|a, b| a.0 < b.0) || sizes.iter().filter(|size| size.0 >= fit_from).count() < 2 {
        return Err(node.error("sizes must ascend, and two of them at least must be fitted"));
    }
    let rounds = section.read("rounds", |node| node.count(1..=1000))?.unwrap_or(1);
    let switches = section.need("switch")?.tables("a switch")?;
    let switches = switches.iter().map(|section| scaled(section, &sizes)).collect::<Result<_, _>>()?;
    Ok(Scaling { config, sizes, fit_from, rounds, switches })
}

fn scaled(section: &Section<'_>, sizes: &[(usize, u64)]) -> Result<Scaled, LabError> {
    section.only(&["switch", "most_exponent", "most_memory", "most_growth"])?;
    let memory = |node: &Node<'_>| {
        let memory = node.table("most_memory")?;
        memory.only(&["ports", "bytes"])?;
        let ports = ports(&memory.need("ports")?)?;
        if sizes.iter().all(|size| size.0 != ports) {
            return Err(node.error(format!("{ports} ports are not among the sizes")));
        }
        Ok((ports, memory.need("bytes")?.count(1..=u64::MAX)?))
    };
    Ok(Scaled {
        switch: switch(section)?,
        most_exponent: section.read("most_exponent", positive)?,
        most_bytes: section.read("most_memory", memory)?,
        most_growth: section.read("most_growth", positive)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> String {
        Definitions::parse(text, "b.toml").unwrap_err().to_string()
    }

    #[test]
    fn each_benchmark_may_have_its_own_setting() {
        let text = "load = 0.8\nslots = 100\n[[benchmark]]\nswitch = 'tdm'\ndepartures = '00000000000000ff'\n\
                    [[benchmark]]\nswitch = 'islip'\nload = 0.6\nports = 16\nslots = 2e2\nmost_times_floor = 1.6\n\
                    [scaling]\nsizes = [{ ports = 16, slots = 20 }, { ports = 64, slots = 30 }]\nfit_from = 16\n\
                    [[scaling.switch]]\nswitch = 'oq'\nmost_memory = { ports = 64, bytes = 6e7 }\n\
                    [hops]\nload = 0.5\nsizes = [{ ports = 16, slots = 20 }, { ports = 64, slots = 30 }]\nfit_from = 16\n\
                    [[hops.switch]]\nswitch = 'benes'\nmost_growth = 1.5\n";
        let Definitions { benchmarks, scaling, hops } = Definitions::parse(text, "b.toml").unwrap();
        let [floor, islip] = &benchmarks[..] else { panic!("{benchmarks:?}") };
        assert_eq!((floor.config.load, floor.config.ports, floor.slots), (0.8, 64, 100));
        assert_eq!((floor.departures, floor.limits.times_floor), (Some(255), None));
        assert_eq!((islip.config.load, islip.config.ports, islip.slots, islip.departures), (0.6, 16, 200, None));
        assert_eq!(islip.limits.times_floor, Some(1.6));
        let scaling = scaling.unwrap();
        assert_eq!((scaling.sizes, scaling.config.load), (vec![(16, 20), (64, 30)], 0.8));
        assert_eq!(scaling.switches[0].most_bytes, Some((64, 60_000_000)));
        let hops = hops.unwrap();
        assert_eq!((hops.config.load, hops.switches[0].most_growth), (0.5, Some(1.5)));
    }

    #[test]
    fn mistakes_have_their_place() {
        assert!(problem("[[benchmark]]\nswitch = 'islp'\n").starts_with("b.toml:2:10: "));
        assert!(
            problem("[[benchmark]]\nswitch = 'tdm'\nmost_time_floor = 2\n").contains("did you mean most_times_floor?")
        );
        assert!(problem("[[benchmark]]\nswitch = 'tdm'\ndepartures = '12'\n").contains("16 hexadecimal digits"));
        assert!(problem("[[benchmark]]\nswitch = 'tdm'\nload = 2\n").contains("0 to 1"));
        assert!(problem("load = 0.5\n").contains("needs the key benchmark"));
        let scaling = "[[benchmark]]\nswitch = 'tdm'\n[scaling]\nfit_from = 64\nsizes = [{ ports = 64, slots = 20 }]\n";
        assert!(problem(scaling).contains("two of them at least"));
    }
}
