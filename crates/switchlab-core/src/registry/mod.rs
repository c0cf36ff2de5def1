//! The only list of what exists.
//!
//! Each entry is a name, its parameters, one line, a citation, the page that `explain` prints and a
//! builder. The conformance suite, `list`, `explain`, the documentation and the benchmarks loop
//! over these lists, so that what is added here is tested, listed, explained and measured.
//!
//! Here are the types and the lookups; `switches` has the table of switches, `sources` those of
//! traffic and arrival processes.

mod sources;
mod switches;

pub use sources::{
    ARRIVALS, BuildArrivals, BuildTraffic, Files, NoFiles, TRAFFIC, Traffic, TrafficRequest, arrivals, traffic,
};
pub use switches::{SWITCHES, crossbar};

use crate::cell::MAX_PORTS;
use crate::error::Error;
use crate::rng::Seed;
use crate::schedule::serena::accounting::Accounting;
use crate::schedule::serena::rules::{Rules, Variant};
use crate::spec::{Args, Parameter, Spec};
use crate::switch::Switch;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use switches::{codeword_key, serena_accounting, serena_rules, serenade_variant};

/// What every entry has, whatever it builds.
pub struct Entry<B> {
    /// The name in a spec.
    pub name: &'static str,
    /// One line for people.
    pub about: &'static str,
    /// Where it is from.
    pub reference: &'static str,
    /// Its parameters, in canonical order.
    pub parameters: &'static [Parameter],
    /// The page, or the source of a Rust file whose header is the page.
    source: &'static str,
    /// How it is built.
    build: B,
}

impl<B> Entry<B> {
    /// Says where it is from.
    #[must_use]
    pub const fn reference(mut self, reference: &'static str) -> Self {
        self.reference = reference;
        self
    }

    /// Declares its parameters, in canonical order.
    #[must_use]
    pub const fn parameters(mut self, parameters: &'static [Parameter]) -> Self {
        self.parameters = parameters;
        self
    }

    /// Sets the page that `explain` prints: plain text, or the source of a Rust file whose `//!`
    /// header is the page (`include_str!("lib.rs")`).
    #[must_use]
    pub const fn page_from(mut self, source: &'static str) -> Self {
        self.source = source;
        self
    }

    /// The page that `explain` prints.
    pub fn page(&self) -> String {
        if !self.source.starts_with("//!") {
            return String::from(self.source);
        }
        let lines = self.source.lines().map_while(|line| line.strip_prefix("//!"));
        lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>().join("\n")
    }
}

impl Entry<BuildSwitch> {
    /// A switch without parameters, reference and page. The other methods add them.
    pub const fn new(name: &'static str, about: &'static str, build: BuildSwitch) -> Self {
        Self { name, about, reference: "", parameters: &[], source: "", build }
    }
}

impl<B> fmt::Debug for Entry<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry").field("name", &self.name).finish_non_exhaustive()
    }
}

/// An entry chosen by a spec, with its checked arguments.
pub struct Chosen<B: 'static> {
    /// The entry.
    pub entry: &'static Entry<B>,
    /// The arguments; `to_string` gives the canonical spec.
    pub args: Args,
}

impl<B> fmt::Debug for Chosen<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Chosen").field(&self.args).finish()
    }
}

impl<B> Clone for Chosen<B> {
    fn clone(&self) -> Self {
        Self { entry: self.entry, args: self.args.clone() }
    }
}

fn choose<B>(
    what: &'static str,
    mut entries: impl Iterator<Item = &'static Entry<B>> + Clone,
    text: &str,
) -> Result<Chosen<B>, Error> {
    let known = entries.clone();
    let is_known = |name: &str| known.clone().any(|entry| entry.name == name);
    let spec = Spec::parse(text).map_err(|error| not_a_spec(what, text, error, is_known))?;
    let named = ALIASES.iter().find(|(alias, _)| *alias == spec.name).map_or(spec.name.as_str(), |(_, name)| name);
    let entry = entries
        .find(|entry| entry.name == named)
        .ok_or_else(|| Error::unknown_name(what, &spec.name, known.map(|entry| entry.name).collect()))?;
    Ok(Chosen { entry, args: Args::check(entry.name, entry.parameters, &spec)? })
}

/// Other names of entries, by which the field knows them.
const ALIASES: &[(&str, &str)] = &[
    ("1slip", "islip"),
    ("lqf", "ilqf"),
    ("hol", "fifo"),
    ("output-queued", "oq"),
    ("mcm", "msm"),
    ("maximum-weight", "mwm"),
    ("maximum-size", "msm"),
];

/// What a text is that is no spec: the name of a file, a list of names, or nothing known.
fn not_a_spec(what: &'static str, text: &str, error: Error, is_known: impl Fn(&str) -> bool) -> Error {
    let text = text.trim();
    let mut parts = text.split(',');
    if !text.contains('(') && text.contains(',') && parts.all(|part| is_known(part.trim())) {
        Error::List { what, text: String::from(text) }
    } else if !text.contains('(') && text.contains(['.', '/']) {
        Error::FileName { what, text: String::from(text) }
    } else {
        error
    }
}

/// Checks a number of ports.
pub fn check_ports(ports: usize) -> Result<(), Error> {
    if (1..=MAX_PORTS).contains(&ports) { Ok(()) } else { Err(Error::Ports { ports, most: MAX_PORTS }) }
}

/// Checks a load.
pub fn check_load(load: f64) -> Result<(), Error> {
    if (0.0..=1.0).contains(&load) { Ok(()) } else { Err(Error::Load { load }) }
}

/// How a switch is built. The number of ports is known to be possible at all; whether it, with
/// these arguments, is possible for this switch, the builder says: [`Error::Impossible`] with what
/// to do instead.
pub type BuildSwitch = &'static (dyn Fn(&Args, usize, Seed) -> Result<Box<dyn Switch>, Error> + Send + Sync);

/// The switches of this crate and those that other crates have registered, by name.
///
/// ```
/// use switchlab_core::registry::{Entry, BuildSwitch, Registry};
/// use switchlab_core::switch::output_queued::OutputQueued;
///
/// static MINE: Entry<BuildSwitch> = Entry::new("mine", "output queueing", &|_, ports, _| {
///     Ok(Box::new(OutputQueued::new(ports)))
/// })
/// .page_from("What `explain mine` prints.");
///
/// let mut registry = Registry::new();
/// registry.register(&MINE)?;
/// assert_eq!(registry.switch("mine")?.entry.page(), "What `explain mine` prints.");
/// assert!(registry.register(&MINE).is_err(), "a name stands for one switch");
/// # Ok::<(), switchlab_core::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Registry {
    own: Vec<&'static Entry<BuildSwitch>>,
}

impl Registry {
    /// The switches of this crate.
    pub const fn new() -> Self {
        Self { own: Vec::new() }
    }

    /// Adds a switch of another crate. An error if its name is taken, or could not stand in a spec.
    pub fn register(&mut self, entry: &'static Entry<BuildSwitch>) -> Result<(), Error> {
        let impossible =
            |problem: &str| Err(Error::Impossible { name: String::from(entry.name), problem: String::from(problem) });
        if Spec::parse(entry.name)?.name != entry.name {
            return impossible("a name consists of letters, digits, - and _");
        }
        if self.switches().any(|known| known.name == entry.name) {
            return impossible("there is a switch of this name already; choose another");
        }
        self.own.push(entry);
        Ok(())
    }

    /// All switches, those of this crate first.
    pub fn switches(&self) -> impl Iterator<Item = &'static Entry<BuildSwitch>> + Clone {
        SWITCHES.iter().chain(self.own.iter().copied())
    }

    /// Those that other crates have registered.
    pub fn own(&self) -> &[&'static Entry<BuildSwitch>] {
        &self.own
    }

    /// The switch that a spec names.
    pub fn switch(&self, spec: &str) -> Result<Chosen<BuildSwitch>, Error> {
        choose("switch", self.switches(), spec)
    }
}

/// The switch of this crate that a spec names.
pub fn switch(spec: &str) -> Result<Chosen<BuildSwitch>, Error> {
    choose("switch", SWITCHES.iter(), spec)
}

/// What a model that exchanges the messages of a member of the SERENADE suite is built of.
#[derive(Clone, Copy, Debug)]
pub struct Serenade {
    /// Where the paper leaves a choice.
    pub rules: Rules,
    /// What is run in a slot that the coin does not give to E-SERENADE.
    pub variant: Variant,
    /// The key of the codewords.
    pub key: u64,
    /// What messages are charged at.
    pub accounting: Accounting,
}

impl Chosen<BuildSwitch> {
    /// For a member of the SERENADE suite, what it is made of; None for other switches.
    pub fn serenade(&self, ports: usize, seed: Seed) -> Option<Serenade> {
        let variant = serenade_variant(&self.args, ports)?;
        let (rules, accounting) = (serena_rules(&self.args), serena_accounting(&self.args));
        Some(Serenade { rules, variant, key: codeword_key(seed), accounting })
    }

    /// Builds the switch, or says why it cannot be had in this size.
    pub fn build(&self, ports: usize, seed: Seed) -> Result<Box<dyn Switch>, Error> {
        check_ports(ports)?;
        (self.entry.build)(&self.args, ports, seed)
    }
}
