//! From a TOML file to a resolved experiment.
//!
//! ```toml
//! title = "Delay of output queueing"
//! source = "Karol, Hluchyj, Morgan 1987"
//! switches = ["oq", "islip(iterations={k})"]   # one or a list; ports, traffic, ... too
//! ports = 16
//! loads = { from = 0.1, to = 0.9, step = 0.1 } # a range; `times = 2` doubles
//! slots = 200_000
//! vary = { k = [1, 4] }
//!
//! [quick]                                      # what differs in a quick run
//! slots = 20_000
//!
//! [[length]]                                   # other slots for some points, in full runs
//! where = { ports = 1024 }
//! slots = 50_000
//!
//! [[figure]]                                   # see read_figures
//! [[claim]]                                    # see read_claims
//! ```
//!
//! In place of switches, `calculate = "ouroboros"` names calculations (see [`crate::calculation`]),
//! which have ports and variables but neither traffic nor slots.
//!
//! Traces (`traffic = "trace(file=cells.csv)"`) have ports, loads and arrivals of their own, and
//! are run until the switch is empty, once, unless slots or replications say otherwise. The path of
//! a file is relative to that of the experiment.
//!
//! Defaults: traffic uniform, arrivals bernoulli, 200 000 slots after a warm-up of a fifth of them,
//! 10 replications and up to four times as many where precision or a claim asks for more, seed 1.
//! Where `[quick]` gives slots but no warm-up, the warm-up is a fifth of these; likewise for
//! replications and their limit. What is derived from a number should follow it.

mod settings;

use super::axes::Axes;
use super::check::{self, Fault, MOST_POINTS};
use super::point::{TRACE, combinations, fill, takes_a_file};
use super::{Experiment, length, read_claims, read_figures};
use crate::calculation;
use crate::error::LabError;
use crate::files::{Disk, traffic_beside};
use crate::located::{Node, Section, Source, advice};
use crate::plan::{MOST_REPLICATIONS, REPLICATIONS, SLOT_LIMIT, SLOTS};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use switchlab_core::registry::{self, check_load};
use switchlab_core::{Error, MAX_PORTS};

/// The keys that both the experiment and its `[quick]` take.
const GRID: [&str; 13] = [
    "switches",
    "calculate",
    "ports",
    "traffic",
    "arrivals",
    "loads",
    "vary",
    "slots",
    "warmup",
    "replications",
    "precision",
    "most_replications",
    "seed",
];

/// How much of an experiment to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// As its `[quick]` section says.
    Quick,
    /// All of it.
    Full,
}

/// Where a value is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The default.
    Default,
    /// The file.
    Given,
    /// The `[quick]` section of the file.
    Quick,
}

/// An experiment, and where its values are from.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// The experiment.
    pub experiment: Experiment,
    /// For each key of the grid, from `switches` to `seed`.
    pub origins: BTreeMap<&'static str, Origin>,
}

impl Experiment {
    /// Reads, checks and resolves a file.
    pub fn load(path: &Path, mode: Mode) -> Result<Self, LabError> {
        Self::load_with(path, mode, &[])
    }

    /// The same, with other values for some keys of the grid: pairs of a key and a value, as TOML
    /// or in the short forms of the command line.
    pub fn load_with(path: &Path, mode: Mode, settings: &[(String, String)]) -> Result<Self, LabError> {
        Loaded::load_with(path, mode, settings).map(|loaded| loaded.experiment)
    }
}

impl Loaded {
    /// Reads, checks and resolves a file.
    pub fn load(path: &Path, mode: Mode) -> Result<Self, LabError> {
        Self::load_with(path, mode, &[])
    }

    fn load_with(path: &Path, mode: Mode, settings: &[(String, String)]) -> Result<Self, LabError> {
        let text = std::fs::read_to_string(path).map_err(|source| LabError::Read { path: path.to_owned(), source })?;
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().to_lowercase()).unwrap_or_default();
        let id = stem.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
        Self::parse_with(&text, &path.display().to_string(), &id, mode, settings)
    }

    /// The same for a text; `file` is what error messages call it.
    pub fn parse(text: &str, file: &str, id: &str, mode: Mode) -> Result<Self, LabError> {
        Self::parse_with(text, file, id, mode, &[])
    }

    fn parse_with(
        text: &str,
        file: &str,
        id: &str,
        mode: Mode,
        settings: &[(String, String)],
    ) -> Result<Self, LabError> {
        let source = Source { file, text };
        let document = source.parse()?;
        let top = Section::top(&source, &document, "an experiment");
        let known: Vec<&str> =
            ["title", "source"].into_iter().chain(GRID).chain(["quick", "length", "figure", "claim"]).collect();
        top.only(&known)?;

        let full = Draft::read(&top, &BTreeMap::new())?;
        let quick = top.read("quick", |node| {
            let section = node.table("[quick]")?;
            section.only(&GRID)?;
            Draft::read(&section, &full.vary)
        })?;
        let quick = quick.unwrap_or_default();
        // Both modes are checked, whichever is requested: otherwise a mistake in the other would be
        // found much later.
        let modes = [Mode::Full, Mode::Quick].map(|mode| full.resolved(&quick, mode, &top));
        let [whole, reduced] = modes;
        let (whole, reduced) = (whole?, reduced?);
        let changed = settings::changed(settings, &full, &quick)
            .and_then(|drafts| drafts.map(|(full, quick)| full.resolved(&quick, mode, &top)).transpose())?;
        // Claims and figures may be about points that only the file has, as they may be about those
        // of the other mode.
        let all = [&whole, &reduced].into_iter().chain(&changed).map(|loaded| &loaded.experiment);
        let axes = Axes::of(&all.collect::<Vec<_>>())?;

        let of_file = if mode == Mode::Quick { reduced } else { whole };
        let mut loaded = changed.unwrap_or(of_file);
        let experiment = &mut loaded.experiment;
        experiment.id = if id.is_empty() { "experiment".to_string() } else { id.to_string() };
        experiment.title = top.need("title")?.text()?;
        experiment.source = top.read("source", Node::text)?.unwrap_or_default();
        // Checked in both modes; a quick run and one whose slots are set have one length.
        let lengths = length::lengths(&top, &axes, experiment)?;
        let has_one = mode == Mode::Quick || settings.iter().any(|(key, _)| key == "slots" || key == "warmup");
        experiment.lengths = if has_one { Vec::new() } else { lengths };
        experiment.figures = read_figures::figures(&top, &axes, experiment)?;
        experiment.claims = read_claims::claims(&top, &axes, experiment)?;
        Ok(loaded)
    }
}

/// The grid of a section; None or empty where it has no value.
#[derive(Clone, Debug, Default)]
struct Draft {
    switches: Option<Vec<String>>,
    calculate: Option<Vec<String>>,
    ports: Option<Vec<usize>>,
    traffic: Option<Vec<String>>,
    arrivals: Option<Vec<String>>,
    loads: Option<Vec<f64>>,
    vary: BTreeMap<String, Vec<f64>>,
    slots: Option<u64>,
    warmup: Option<u64>,
    replications: Option<u32>,
    precision: Option<f64>,
    most_replications: Option<u32>,
    seed: Option<u64>,
}

impl Draft {
    /// `outer` are the variables that are known already.
    fn read(section: &Section<'_>, outer: &BTreeMap<String, Vec<f64>>) -> Result<Self, LabError> {
        let own = section.read("vary", |node| variables(node, outer))?.unwrap_or_default();
        let mut vary = outer.clone();
        vary.extend(own.clone());
        let replications = |node: &Node<'_>| node.count(1..=u64::from(MOST_REPLICATIONS)).map(|count| count as u32);
        Ok(Self {
            switches: section
                .read("switches", |node| specs(node, &vary, |spec| crate::registry::switch(spec).map(drop)))?,
            calculate: section
                .read("calculate", |node| specs(node, &vary, |spec| calculation::choose(spec).map(drop)))?,
            ports: section.read("ports", ports)?,
            traffic: section.read("traffic", |node| traffic(node, &vary))?,
            arrivals: section.read("arrivals", |node| specs(node, &vary, |spec| registry::arrivals(spec).map(drop)))?,
            loads: section.read("loads", loads)?,
            vary: own,
            slots: section.read("slots", |node| node.count(1..=SLOT_LIMIT - 1))?,
            warmup: section.read("warmup", |node| node.count(0..=SLOT_LIMIT - 1))?,
            replications: section.read("replications", replications)?,
            precision: section.read("precision", precision)?,
            most_replications: section.read("most_replications", replications)?,
            seed: section.read("seed", |node| node.count(0..=u64::MAX))?,
        })
    }

    /// Takes over every value that another draft has.
    fn set(&mut self, other: &Self) {
        fn take<T: Clone>(own: &mut Option<T>, other: Option<&T>) {
            if let Some(other) = other {
                *own = Some(other.clone());
            }
        }
        take(&mut self.switches, other.switches.as_ref());
        take(&mut self.calculate, other.calculate.as_ref());
        take(&mut self.ports, other.ports.as_ref());
        take(&mut self.traffic, other.traffic.as_ref());
        take(&mut self.arrivals, other.arrivals.as_ref());
        take(&mut self.loads, other.loads.as_ref());
        take(&mut self.slots, other.slots.as_ref());
        take(&mut self.warmup, other.warmup.as_ref());
        take(&mut self.replications, other.replications.as_ref());
        take(&mut self.precision, other.precision.as_ref());
        take(&mut self.most_replications, other.most_replications.as_ref());
        take(&mut self.seed, other.seed.as_ref());
        self.vary.extend(other.vary.clone());
    }

    /// The experiment without title, figures and claims.
    fn resolved(&self, quick: &Self, mode: Mode, top: &Section<'_>) -> Result<Loaded, LabError> {
        let nothing = Self::default();
        let quick = if mode == Mode::Quick { quick } else { &nothing };
        let mut origins = BTreeMap::new();
        // What is derived from another number follows it: a warm-up given for the full run is not
        // that of a shorter one.
        let warmup = if quick.slots.is_some() { None } else { self.warmup };
        let most = if quick.replications.is_some() { None } else { self.most_replications };

        let mut switches = pick(&mut origins, "switches", quick.switches.as_ref(), self.switches.as_ref());
        let calculate = pick(&mut origins, "calculate", quick.calculate.as_ref(), self.calculate.as_ref());
        let ports = pick(&mut origins, "ports", quick.ports.as_ref(), self.ports.as_ref());
        let mut loads = pick(&mut origins, "loads", quick.loads.as_ref(), self.loads.as_ref());
        let mut slots = pick(&mut origins, "slots", quick.slots.as_ref(), self.slots.as_ref()).unwrap_or(SLOTS);
        let replications = pick(&mut origins, "replications", quick.replications.as_ref(), self.replications.as_ref());
        let mut traffic = pick(&mut origins, "traffic", quick.traffic.as_ref(), self.traffic.as_ref());
        let replays = traffic.as_ref().is_some_and(|traffic| traffic.iter().all(|spec| is_trace(spec)));
        let replications = replications.unwrap_or(match calculate {
            // Two replications of an exact calculation show that it is exact.
            Some(_) => 2,
            // Those of a trace differ in the random choices of the switch alone.
            None if replays => 1,
            None => REPLICATIONS,
        });
        let mut arrivals = pick(&mut origins, "arrivals", quick.arrivals.as_ref(), self.arrivals.as_ref());
        let mut vary = self.vary.clone();
        vary.extend(quick.vary.clone());
        let has = |vary: &BTreeMap<_, _>| (!vary.is_empty()).then_some(&());
        pick(&mut origins, "vary", has(&quick.vary), has(&self.vary));

        if let Some(calculate) = calculate {
            let measured = [
                switches.is_some().then_some("switches"),
                loads.is_some().then_some("loads"),
                traffic.is_some().then_some("traffic"),
                arrivals.is_some().then_some("arrivals"),
                self.slots.or(quick.slots).is_some().then_some("slots"),
                self.warmup.or(quick.warmup).is_some().then_some("warmup"),
            ];
            if let Some(key) = measured.into_iter().flatten().next() {
                let problem =
                    format!("a calculation has no {key}; remove the key, or put what is measured in another file");
                return Err(top.get(key).map_or_else(|| top.error(&*problem), |node| node.error(&*problem)));
            }
            switches = Some(calculate);
            (loads, slots) = (Some(vec![0.0]), 0);
            (traffic, arrivals) =
                (Some(vec![calculation::NONE.to_string()]), Some(vec![calculation::NONE.to_string()]));
        }
        let mut ports = ports;
        if replays {
            let own =
                [(loads.is_some(), "loads", "its own load"), (arrivals.is_some(), "arrivals", "its own arrivals")];
            if let Some((_, key, what)) = own.into_iter().find(|(is_given, ..)| *is_given) {
                let problem = format!("a trace has {what}; remove the key {key}");
                return Err(top.get(key).map_or_else(|| top.error(&*problem), |node| node.error(&*problem)));
            }
            slots = quick.slots.or(self.slots).unwrap_or(0);
            ports = Some(ports.unwrap_or_default());
            (loads, arrivals) = (Some(Vec::new()), Some(vec![TRACE.to_string()]));
        }
        let files = traffic.as_deref().unwrap_or_default();
        if !replays && !files.is_empty() && files.iter().all(|spec| takes_a_file(spec)) {
            // As they are written.
            loads = Some(loads.unwrap_or_else(|| vec![1.0]));
            if ports.is_none() {
                let own = files.iter().map(|spec| size_of_matrix(spec));
                let own = own.collect::<Result<BTreeSet<_>, _>>().map_err(|error| top.error(error.to_string()))?;
                // Of different sizes each would need its own.
                ports = (own.len() == 1).then(|| own.into_iter().collect());
            }
        }
        let experiment = Experiment {
            id: String::new(),
            title: String::new(),
            source: String::new(),
            switches: switches.ok_or_else(|| top.error("an experiment needs the key switches (or calculate)"))?,
            ports: ports.ok_or_else(|| top.error("an experiment needs the key ports"))?,
            loads: loads.ok_or_else(|| top.error("an experiment needs the key loads"))?,
            traffic: traffic.unwrap_or_else(|| vec!["uniform".to_string()]),
            arrivals: arrivals.unwrap_or_else(|| vec!["bernoulli".to_string()]),
            vary,
            slots,
            lengths: Vec::new(),
            warmup: pick(&mut origins, "warmup", quick.warmup.as_ref(), warmup.as_ref()).unwrap_or(if replays {
                0
            } else {
                slots / 5
            }),
            replications,
            precision: pick(&mut origins, "precision", quick.precision.as_ref(), self.precision.as_ref()),
            most_replications: pick(&mut origins, "most_replications", quick.most_replications.as_ref(), most.as_ref())
                .unwrap_or((4 * replications).min(MOST_REPLICATIONS)),
            seed: pick(&mut origins, "seed", quick.seed.as_ref(), self.seed.as_ref()).unwrap_or(1),
            figures: Vec::new(),
            claims: Vec::new(),
        };
        experiment.fault().map_err(|Fault { key, problem }| {
            top.get(key).map_or_else(|| top.error(&*problem), |node| node.error(&*problem))
        })?;
        Ok(Loaded { experiment, origins })
    }
}

/// The value of `[quick]`, else that of the file; and which it was.
fn pick<T: Clone>(
    origins: &mut BTreeMap<&'static str, Origin>,
    key: &'static str,
    quick: Option<&T>,
    given: Option<&T>,
) -> Option<T> {
    let origin = match (quick, given) {
        (Some(_), _) => Origin::Quick,
        (None, Some(_)) => Origin::Given,
        (None, None) => Origin::Default,
    };
    origins.insert(key, origin);
    quick.or(given).cloned()
}

/// `vary = { name = values }`; `[quick]` varies only what the experiment does.
fn variables(node: &Node<'_>, outer: &BTreeMap<String, Vec<f64>>) -> Result<BTreeMap<String, Vec<f64>>, LabError> {
    let section = node.table("vary")?;
    if !outer.is_empty() {
        section.only(&outer.keys().map(String::as_str).collect::<Vec<_>>())?;
    }
    let mut vary = BTreeMap::new();
    for (name, at, values) in section.items() {
        check::variable(&name).map_err(|problem| section.error_at(at, problem))?;
        vary.insert(name, values.numbers()?);
    }
    let combined = vary.values().map(Vec::len).try_fold(1_usize, usize::checked_mul);
    if combined.is_none_or(|combined| combined > MOST_POINTS) {
        return Err(node.error(format!("these variables have more than {MOST_POINTS} combinations")));
    }
    Ok(vary)
}

/// Specs, each checked with every value of its variables.
fn specs(
    node: &Node<'_>,
    vary: &BTreeMap<String, Vec<f64>>,
    known: impl Fn(&str) -> Result<(), Error>,
) -> Result<Vec<String>, LabError> {
    let mut specs = Vec::new();
    for item in node.items()? {
        let spec = item.text()?;
        for word in braced(&spec) {
            if !vary.contains_key(word) {
                let names: Vec<&str> = vary.keys().map(String::as_str).collect();
                return Err(item.error(format!("no variable is called {word:?}; {}", advice(word, &names))));
            }
        }
        let used = vary.iter().filter(|(name, _)| braced(&spec).contains(&name.as_str()));
        for values in combinations(&used.map(|(name, values)| (name.clone(), values.clone())).collect()) {
            known(&fill(&spec, &values)).map_err(|error| item.error(error.to_string()))?;
        }
        specs.push(spec);
    }
    node.distinct(&specs)?;
    Ok(specs)
}

/// Traffic specs. A file that one of them names is looked for beside the experiment's.
fn traffic(node: &Node<'_>, vary: &BTreeMap<String, Vec<f64>>) -> Result<Vec<String>, LabError> {
    let specs = specs(node, vary, |spec| registry::traffic(spec).map(drop))?;
    let replays = specs.iter().filter(|spec| is_trace(spec)).count();
    if replays > 0 && replays < specs.len() {
        return Err(node.error(
            "a trace has its own ports, load and arrivals, so other traffic cannot stand beside it; use two files",
        ));
    }
    Ok(specs.iter().map(|spec| traffic_beside(spec, node.folder())).collect())
}

/// The ports of a matrix from a file.
fn size_of_matrix(spec: &str) -> Result<usize, LabError> {
    Ok(registry::traffic(spec)?.build(None, None, &Disk)?.ports())
}

fn is_trace(spec: &str) -> bool {
    spec.split(['(', ':']).next().is_some_and(|name| name.trim().eq_ignore_ascii_case(TRACE))
}

/// The words in braces of a spec.
pub(crate) fn braced(spec: &str) -> Vec<&str> {
    let parts = spec.split('{').skip(1);
    parts.filter_map(|part| part.split_once('}')).map(|(word, _)| word).collect()
}

fn ports(node: &Node<'_>) -> Result<Vec<usize>, LabError> {
    if node.is_table() {
        let whole = |&ports: &f64| ports.fract() == 0.0 && (1.0..=MAX_PORTS as f64).contains(&ports);
        let ports = node.numbers()?;
        return match ports.iter().find(|ports| !whole(ports)) {
            Some(odd) => Err(node.error(format!("{odd} is not a number of ports: from 1 to {MAX_PORTS}"))),
            None => Ok(ports.iter().map(|&ports| ports as usize).collect()),
        };
    }
    let ports: Vec<usize> = node
        .items()?
        .iter()
        .map(|item| item.count(1..=MAX_PORTS as u64).map(|n| n as usize))
        .collect::<Result<_, _>>()?;
    node.distinct(&ports)?;
    Ok(ports)
}

fn loads(node: &Node<'_>) -> Result<Vec<f64>, LabError> {
    let loads = node.numbers()?;
    // Above 1 the rates of a matrix from a file may go, which is checked with the traffic at hand.
    let each = loads.iter().filter(|load| !(load.is_finite() && **load > 1.0));
    each.copied().try_for_each(check_load).map_err(|error| node.error(error.to_string()))?;
    Ok(loads)
}

fn precision(node: &Node<'_>) -> Result<f64, LabError> {
    let precision = node.number()?;
    let possible = precision > 0.0 && precision < 1.0;
    if possible { Ok(precision) } else { Err(node.error("precision must be above 0 and below 1, such as 0.01")) }
}

#[cfg(test)]
mod tests;
