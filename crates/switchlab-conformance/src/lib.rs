//! What every switch must do, checked for any switch of a registry.
//!
//! ```
//! use switchlab_conformance::{Expected, SIZES, Subject, check};
//! use switchlab_core::registry::Registry;
//!
//! let registry = Registry::new();
//! let subject = Subject::new(&registry, "islip(iterations=4)", Expected::CROSSBAR)?;
//! assert_eq!(check(&subject, &SIZES[..5]), Vec::<String>::new());
//! # Ok::<(), switchlab_core::Error>(())
//! ```
//!
//! The switches of switchlab pass it in `switchlab-core/tests`. A crate with a scheduler of its own
//! calls [`check`] in a test of its own. What a switch promises beyond the contract is stated in
//! [`Expected`]; the remaining properties hold for every switch.

pub mod properties;
mod watched;

use properties::{PROPERTIES, Property};
use switchlab_core::registry::{self, BuildSwitch, Chosen, Entry, Registry};
use switchlab_core::spec::Kind;
use switchlab_core::switch::Switch;
use switchlab_core::traffic::Arrivals;
use switchlab_core::{Error, NONE, Port, Seed, Slot};

/// Sizes on both sides of every threshold at which an implementation changes, and odd ones.
pub const SIZES: [usize; 13] = [1, 2, 3, 8, 20, 33, 64, 65, 200, 256, 257, 1024, 1025];

/// The seed of all runs.
pub const SEED: Seed = Seed { seed: 1, replication: 0 };

/// What a switch promises beyond what every switch must do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected {
    /// Each input sends at most one cell in a slot. False for switches with queues at outputs or
    /// inside, which may send several cells of one input.
    pub one_cell_per_input: bool,
    /// After the last arrival all cells leave, and a cell alone in the switch gets through. False
    /// for SERENA, which looks for new matchings among arrivals only.
    pub drains: bool,
    /// What is idle in spite of a waiting cell.
    pub idle: Idle,
}

/// Which idle ports a switch excludes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Idle {
    /// None.
    Unrestricted,
    /// No cell waits whose input and output are both idle: the matching is maximal.
    Maximal,
    /// No cell waits whose output is idle: work conservation.
    WorkConserving,
}

impl Expected {
    /// A crossbar whose scheduler serves every non-empty VOQ sooner or later.
    pub const CROSSBAR: Self = Self { one_cell_per_input: true, drains: true, idle: Idle::Unrestricted };
}

/// A switch to check: a spec, and what it promises.
#[derive(Clone, Debug)]
pub struct Subject {
    chosen: Chosen<BuildSwitch>,
    /// What it promises.
    pub expected: Expected,
}

impl Subject {
    /// The switch that a spec names in a registry.
    pub fn new(registry: &Registry, spec: &str, expected: Expected) -> Result<Self, Error> {
        Ok(Self { chosen: registry.switch(spec)?, expected })
    }

    /// Its canonical spec.
    pub fn spec(&self) -> String {
        self.chosen.args.to_string()
    }

    /// Builds it.
    pub fn build(&self, ports: usize, seed: Seed) -> Result<Box<dyn Switch>, Error> {
        self.chosen.build(ports, seed)
    }

    /// Why it does not exist with this number of ports, in its own words; None if it does exist.
    /// Some fabrics exist for powers of their radix only.
    ///
    /// # Panics
    ///
    /// If it is refused by another error than [`Error::Impossible`], which says nothing of sizes.
    pub fn refusal(&self, ports: usize) -> Option<String> {
        match self.build(ports, SEED) {
            Ok(_) => None,
            Err(Error::Impossible { problem, .. }) => Some(problem),
            Err(error) => panic!("{} of {ports} ports: {error}", self.spec()),
        }
    }
}

/// Checks every property at every size. Returns a sentence for each property that does not hold,
/// with the smallest size at which it does not. A size in which the switch does not exist is a
/// failure too, with the reason that the switch gives: no size is skipped silently.
pub fn check(subject: &Subject, sizes: &[usize]) -> Vec<String> {
    let refused = sizes.iter().find_map(|&ports| {
        let problem = subject.refusal(ports)?;
        Some(format!("{} of {ports} ports: it does not exist: {problem}", subject.spec()))
    });
    if let Some(refused) = refused {
        return vec![refused];
    }
    let failure = |&(name, property): &(&str, Property)| {
        sizes.iter().find_map(|&ports| {
            let problem = property(subject, ports).err()?;
            Some(format!("{} of {ports} ports: {name}: {problem}", subject.spec()))
        })
    };
    PROPERTIES.iter().filter_map(failure).collect()
}

/// The specs of an entry that are worth checking: each word of each choice, and 1 and 4 iterations
/// where there are iterations.
pub fn specs(entry: &Entry<BuildSwitch>) -> Vec<String> {
    let mut variants: Vec<String> = Vec::new();
    for parameter in entry.parameters {
        let name = parameter.name;
        match parameter.kind {
            Kind::Choice(words) => variants.extend(words.iter().map(|word| format!("{name}={word}"))),
            Kind::ChoiceOrWeights(words, weighted) => {
                variants.extend(words.iter().map(|word| format!("{name}={word}")));
                variants.push(format!("{name}={weighted}(w=2:1)"));
            }
            Kind::Radices(..) => variants.extend(["2", "4", "8", "3", "2x4"].map(|radix| format!("{name}={radix}"))),
            _ if name == "iterations" => variants.extend([1, 4].map(|n| format!("iterations={n}"))),
            _ => {}
        }
    }
    if variants.is_empty() {
        return vec![entry.name.to_string()];
    }
    variants.iter().map(|variant| format!("{}({variant})", entry.name)).collect()
}

/// Builds a source of arrivals by name.
///
/// # Panics
///
/// If a name is unknown or a value out of range.
pub fn source(traffic: &str, process: &str, ports: usize, load: f64, seed: Seed) -> Box<dyn Arrivals> {
    let traffic = registry::traffic(traffic).and_then(|it| it.build(Some(ports), Some(load), &registry::NoFiles));
    let traffic = traffic.unwrap_or_else(|error| panic!("{error}"));
    registry::arrivals(process).unwrap_or_else(|error| panic!("{error}")).build(&traffic, seed)
}

/// The arrivals of a run, slot by slot.
pub fn rows(source: &mut dyn Arrivals, ports: usize, slots: Slot) -> impl Iterator<Item = (Slot, Vec<Port>)> {
    (0..slots).map(move |now| {
        let mut row = vec![NONE; ports];
        source.slot(now, &mut row);
        (now, row)
    })
}
