//! The only list of what exists.
//!
//! Each entry is a name, its parameters, one line, a citation, the page that `explain` prints and a
//! builder. The conformance suite, `list`, `explain`, the documentation and the benchmarks loop
//! over these lists, so that what is added here is tested, listed, explained and measured.

mod sources;

pub use sources::{
    ARRIVALS, BuildArrivals, BuildTraffic, Files, NoFiles, TRAFFIC, Traffic, TrafficRequest, arrivals, traffic,
};

use crate::cell::MAX_PORTS;
use crate::error::Error;
use crate::rng::{Probability, Purpose, Seed};
use crate::schedule::serena::{self, Serena, c_serenade, e_serenade, o_serenade, sc_serenade, so_serenade};
use crate::schedule::{Scheduler, gs_lqf, gs_ocf, ilqf, islip, msm, mwm, pim, rrm, tdm, uform, ufpim};
use crate::serenade::{Consistency, Leader, Network, Populate, Prune, Rules, Tie, Variant};
use crate::spec::{Args, Kind, Parameter, Preset, Spec};
use crate::switch::crossbar::Crossbar;
use crate::switch::crossbar::voq::{Linked, Packed};
use crate::switch::{Switch, benes, cioq, fifo, knockout, output_queued, shared_memory, shared_memory_flows};
use crate::variants;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

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
    let spec = Spec::parse(text)?;
    let known = entries.clone();
    let entry = entries
        .find(|entry| entry.name == spec.name)
        .ok_or_else(|| Error::unknown_name(what, &spec.name, known.map(|entry| entry.name).collect()))?;
    Ok(Chosen { entry, args: Args::check(entry.name, entry.parameters, &spec)? })
}

/// Checks a number of ports.
pub fn check_ports(ports: usize) -> Result<(), Error> {
    if (1..=MAX_PORTS).contains(&ports) { Ok(()) } else { Err(Error::Ports { ports, most: MAX_PORTS }) }
}

/// Checks a load.
pub fn check_load(load: f64) -> Result<(), Error> {
    if (0.0..=1.0).contains(&load) { Ok(()) } else { Err(Error::Load { load }) }
}

// Switches.

/// How a switch is built. The number of ports is known to be possible at all; whether it, with
/// these arguments, is possible for this switch, the builder says: [`Error::Impossible`] with what
/// to do instead.
pub type BuildSwitch = &'static (dyn Fn(&Args, usize, Seed) -> Result<Box<dyn Switch>, Error> + Send + Sync);

/// The queues of a switch of more than 256 ports.
type LargeQueues = <Large<{ variants::PACKED_QUEUES }> as Queues>::Store;

/// A large switch with packed queues, or without them to measure what they buy.
struct Large<const PACKED: bool>;

trait Queues {
    type Store;
}

impl Queues for Large<true> {
    type Store = Packed;
}

impl Queues for Large<false> {
    type Store = Linked;
}

/// Picks the width and the queues once, so that the crossbar is compiled for them. A width of 8 was
/// left out: 16 serves 512 ports almost as well, and each width is compiled for each scheduler.
macro_rules! crossbar {
    ($ports:expr, $W:ident => $scheduler:expr) => {{
        macro_rules! of_width {
            ($width:literal, $Queues:ty) => {{
                const $W: usize = $width;
                Ok(Box::new(Crossbar::<_, $Queues, $W>::new($ports, $scheduler)) as Box<dyn Switch>)
            }};
        }
        match $ports.div_ceil(64) {
            0..=1 => of_width!(1, Linked),
            2 => of_width!(2, Linked),
            3..=4 => of_width!(4, Linked),
            5..=16 => of_width!(16, LargeQueues),
            _ => of_width!(64, LargeQueues),
        }
    }};
}

/// The crossbar with a scheduler of another crate, compiled for the width that the ports need.
pub fn crossbar<S>(ports: usize, scheduler: S) -> Result<Box<dyn Switch>, Error>
where
    S: Scheduler<1> + Scheduler<2> + Scheduler<4> + Scheduler<16> + Scheduler<64> + Send + 'static,
{
    check_ports(ports)?;
    crossbar!(ports, W => scheduler)
}

const ITERATIONS: &[Parameter] = &[Parameter {
    name: "iterations",
    kind: Kind::Count(1, MAX_PORTS as u64),
    default: Preset::Value("1"),
    about: "how often request, grant and accept are repeated in a slot, at most",
}];

const CAPTURED: &[Parameter] = &[
    Parameter {
        name: "iterations",
        kind: Kind::Count(1, MAX_PORTS as u64),
        default: Preset::Value("1"),
        about: "how often request, grant and accept are repeated in a slot, at most; the paper has 1",
    },
    Parameter {
        name: "frame",
        kind: Kind::Count(1, u32::MAX as u64),
        default: Preset::Absent,
        about: "the largest frame that is captured; unlimited without it",
    },
];

const PRUNE: Parameter = Parameter {
    name: "prune",
    kind: Kind::Choice(&["random", "lowest"]),
    default: Preset::Value("random"),
    about: "which of equally heavy arrivals an output keeps",
};

const TIE: Parameter = Parameter {
    name: "tie",
    kind: Kind::Choice(&["green", "red"]),
    default: Preset::Value("green"),
    about: "what a cycle becomes whose colours weigh the same: green, as before, or red",
};

const POPULATE: Parameter = Parameter {
    name: "populate",
    kind: Kind::Choice(&["rank", "random", "rotate"]),
    default: Preset::Value("rank"),
    about: "how inputs and outputs without an arrival are paired",
};

const ALPHA: Parameter = Parameter {
    name: "alpha",
    kind: Kind::Real(0.0, 1.0),
    default: Preset::Value("0.01"),
    about: "the share of slots that are E-SERENADE's",
};

fn serena_rules(args: &Args) -> Rules {
    Rules {
        prune: if args.word("prune") == "lowest" { Prune::Lowest } else { Prune::Random },
        tie: if args.word("tie") == "red" { Tie::Red } else { Tie::Green },
        populate: match args.word("populate") {
            "random" => Populate::Random,
            "rotate" => Populate::Rotate,
            _ => Populate::Rank,
        },
    }
}

/// What a member of the SERENADE suite runs in a slot, but for the hybrids' coin; None for SERENA
/// and for anything else.
fn serenade_variant(args: &Args, ports: usize) -> Option<Variant> {
    match args.name() {
        "c-serenade" => Some(c_serenade::variant()),
        "o-serenade" => {
            let leader = if args.word("leader") == "rotating" { Leader::Rotating } else { Leader::Fixed };
            let consistency = if args.word("consistency") == "min-sketch" {
                Consistency::MinSketch { codewords: o_serenade::codewords(args.count("codewords"), ports) }
            } else {
                Consistency::Leader
            };
            Some(o_serenade::variant(leader, consistency))
        }
        "e-serenade" => Some(e_serenade::variant()),
        "sc-serenade" => Some(sc_serenade::variant()),
        "so-serenade" => Some(so_serenade::variant(args.count("cow") as u32)),
        _ => None,
    }
}

/// The key of the codewords of a run.
fn codeword_key(seed: Seed) -> u64 {
    seed.stream(Purpose::Scheduler, 2).next()
}

/// SERENA and its variants draw their choices from the same stream, so that they differ only where
/// they decide differently.
fn serena(args: &Args, ports: usize, seed: Seed) -> Result<Box<dyn Switch>, Error> {
    let make = serena::Make {
        rules: serena_rules(args),
        variant: serenade_variant(args, ports),
        coin: args.real("alpha").map(|alpha| (Probability::new(alpha), seed.stream(Purpose::Scheduler, 1))),
        rng: seed.stream(Purpose::Scheduler, 0),
        key: codeword_key(seed),
    };
    crossbar!(ports, W => Serena::new(ports, make))
}

const KNOCKOUT: &[Parameter] = &[
    Parameter {
        name: "k",
        kind: Kind::Count(1, MAX_PORTS as u64),
        default: Preset::Value("8"),
        about: "how many cells of a slot enter an output, at most",
    },
    Parameter {
        name: "choice",
        kind: Kind::Choice(&["random", "lowest"]),
        default: Preset::Value("random"),
        about: "which of more than k cells enter",
    },
    Parameter {
        name: "buffer",
        kind: Kind::CountOr(&["unlimited"], 1, u32::MAX as u64),
        default: Preset::Value("unlimited"),
        about: "how many cells an output's queue holds",
    },
];

fn knockout(args: &Args, ports: usize, seed: Seed) -> Box<dyn Switch> {
    let choice = match args.word("choice") {
        "lowest" => knockout::Choice::Lowest,
        _ => knockout::Choice::Random(seed.stream(Purpose::Scheduler, 0)),
    };
    let most = args.count("k") as u32;
    match args.count("buffer") {
        0 => Box::new(knockout::Knockout::new(ports, most, choice)),
        buffer => Box::new(knockout::Knockout::bounded(ports, most, choice, buffer as u32)),
    }
}

const CIOQ: &[Parameter] = &[
    Parameter {
        name: "policy",
        kind: Kind::Choice(cioq::Policy::WORDS),
        default: Preset::Value("ccf"),
        about: "what inputs and outputs prefer",
    },
    Parameter {
        name: "speedup",
        kind: Kind::Count(1, MAX_PORTS as u64),
        default: Preset::Value("2"),
        about: "matchings transferred in a slot",
    },
    Parameter {
        name: "discipline",
        kind: Kind::Choice(cioq::Discipline::WORDS),
        default: Preset::Value("fifo"),
        about: "in what order the cells of an output leave",
    },
    Parameter {
        name: "classes",
        kind: Kind::Count(1, cioq::MOST_CLASSES as u64),
        default: Preset::Value("2"),
        about: "classes of inputs, by input mod classes, for priority and wfq",
    },
];

/// All switches. A crossbar scheduler's name stands for the crossbar with that scheduler.
pub static SWITCHES: &[Entry<BuildSwitch>] = &[
    Entry {
        name: "oq",
        about: "ideal output queueing, first come, first served",
        reference: "Karol, Hluchyj, Morgan 1987",
        parameters: &[Parameter {
            name: "capacity",
            kind: Kind::Count(1, u32::MAX as u64),
            default: Preset::Absent,
            about: "how many cells an output's queue holds; unlimited without it",
        }],
        source: include_str!("switch/output_queued.rs"),
        build: &|args, ports, _| match args.count("capacity") {
            0 => Ok(Box::new(output_queued::OutputQueued::new(ports))),
            capacity => Ok(Box::new(output_queued::OutputQueued::bounded(ports, capacity as u32))),
        },
    },
    Entry {
        name: "knockout",
        about: "output queueing that admits at most k cells of a slot per output, and drops the others",
        reference: "Yeh, Hluchyj, Acampora 1987",
        parameters: KNOCKOUT,
        source: include_str!("switch/knockout.rs"),
        build: &|args, ports, seed| Ok(knockout(args, ports, seed)),
    },
    Entry {
        name: "psm",
        about: "output queueing on parallel shared memories, one write and one read per slot",
        reference: "Prakash, Sharif, Aziz; paper 000",
        parameters: shared_memory::PARAMETERS,
        source: include_str!("switch/shared_memory/mod.rs"),
        build: &|args, ports, seed| Ok(shared_memory::Config::read(args, ports, seed)?.build()),
    },
    Entry {
        name: "psm-flows",
        about: "many flows for each output, striped over shared memories and read frame by frame",
        reference: "Prakash, Sharif, Aziz; paper 000, section V",
        parameters: shared_memory_flows::PARAMETERS,
        source: include_str!("switch/shared_memory_flows/mod.rs"),
        build: &|args, ports, seed| Ok(shared_memory_flows::Config::read(args, ports, seed)?.build()),
    },
    Entry {
        name: "fifo",
        about: "one queue per input, random choice among first cells",
        reference: "Karol, Hluchyj, Morgan 1987",
        parameters: &[],
        source: include_str!("switch/fifo.rs"),
        build: &|_, ports, seed| Ok(Box::new(fifo::Fifo::new(ports, seed.stream(Purpose::Scheduler, 0)))),
    },
    Entry {
        name: "islip",
        about: "iSLIP: round-robin grants and accepts with slipping pointers",
        reference: "McKeown 1999",
        parameters: ITERATIONS,
        source: include_str!("schedule/islip.rs"),
        build: &|args, ports, _| crossbar!(ports, W => islip::Islip::<W>::new(ports, args.count("iterations"))),
    },
    Entry {
        name: "rrm",
        about: "plain round-robin matching: pointers move with every grant, and synchronise",
        reference: "McKeown 1999",
        parameters: ITERATIONS,
        source: include_str!("schedule/rrm.rs"),
        build: &|args, ports, _| crossbar!(ports, W => rrm::Rrm::<W>::new(ports, args.count("iterations"))),
    },
    Entry {
        name: "pim",
        about: "parallel iterative matching: random grants and accepts",
        reference: "Anderson, Owicki, Saxe, Thacker 1993",
        parameters: ITERATIONS,
        source: include_str!("schedule/pim.rs"),
        build: &|args, ports, seed| {
            let rng = seed.stream(Purpose::Scheduler, 0);
            crossbar!(ports, W => pim::Pim::<W>::new(ports, args.count("iterations"), rng))
        },
    },
    Entry {
        name: "uform",
        about: "round-robin matching by captured frames",
        reference: "Rojas-Cessa, Lin; paper 001",
        parameters: CAPTURED,
        source: include_str!("schedule/uform.rs"),
        build: &|args, ports, _| crossbar!(ports, W => uform::Uform::<W>::new(ports, args.count("iterations"), args.count("frame"))),
    },
    Entry {
        name: "ufpim",
        about: "random matching by captured frames",
        reference: "Rojas-Cessa, Lin; paper 001",
        parameters: CAPTURED,
        source: include_str!("schedule/ufpim.rs"),
        build: &|args, ports, seed| {
            let rng = seed.stream(Purpose::Scheduler, 0);
            crossbar!(ports, W => ufpim::Ufpim::<W>::new(ports, args.count("iterations"), args.count("frame"), rng))
        },
    },
    Entry {
        name: "ilqf",
        about: "iterative longest queue first",
        reference: "McKeown 1995",
        parameters: ITERATIONS,
        source: include_str!("schedule/ilqf.rs"),
        build: &|args, ports, _| crossbar!(ports, W => ilqf::Ilqf::<W>::new(ports, args.count("iterations"))),
    },
    Entry {
        name: "gs-lqf",
        about: "stable matching, the longest queue first",
        reference: "McKeown 1995; paper 003",
        parameters: &[],
        source: include_str!("schedule/gs_lqf.rs"),
        build: &|_, ports, _| crossbar!(ports, W => gs_lqf::GsLqf::<W>::new(ports)),
    },
    Entry {
        name: "gs-ocf",
        about: "stable matching, the oldest cell first",
        reference: "McKeown 1995; paper 003",
        parameters: &[],
        source: include_str!("schedule/gs_ocf.rs"),
        build: &|_, ports, _| crossbar!(ports, W => gs_ocf::GsOcf::<W>::new(ports)),
    },
    Entry {
        name: "mwm",
        about: "exact maximum weight matching, weights are queue lengths",
        reference: "McKeown, Mekkittikul, Anantharam, Walrand 1999",
        parameters: &[],
        source: include_str!("schedule/mwm.rs"),
        build: &|_, ports, _| crossbar!(ports, W => mwm::Mwm::<W>::new(ports)),
    },
    Entry {
        name: "msm",
        about: "maximum size matching",
        reference: "Hopcroft, Karp 1973",
        parameters: &[],
        source: include_str!("schedule/msm.rs"),
        build: &|_, ports, seed| {
            let rng = seed.stream(Purpose::Scheduler, 0);
            crossbar!(ports, W => msm::Msm::<W>::new(ports, rng))
        },
    },
    Entry {
        name: "serena",
        about: "merges the last matching with one made of the arrivals, cycle by cycle",
        reference: "Giaccone, Prabhakar, Shah 2003; paper 002",
        parameters: &[PRUNE, TIE, POPULATE],
        source: include_str!("schedule/serena/mod.rs"),
        build: &serena,
    },
    Entry {
        name: "c-serenade",
        about: "SERENA by messages: cycles that are not understood stay as they were",
        reference: "Gong, Liu, Yang, Xu, Xie, Wang 2022; paper 002",
        parameters: &[PRUNE, TIE, POPULATE],
        source: include_str!("schedule/serena/c_serenade.rs"),
        build: &serena,
    },
    Entry {
        name: "o-serenade",
        about: "SERENA by messages: a leader decides from a part of its cycle",
        reference: "Gong, Liu, Yang, Xu, Xie, Wang 2022; paper 002",
        parameters: &[
            Parameter {
                name: "leader",
                kind: Kind::Choice(&["fixed", "rotating"]),
                default: Preset::Value("fixed"),
                about: "who leads a cycle: the smallest identity, or one that changes with the slot",
            },
            Parameter {
                name: "consistency",
                kind: Kind::Choice(&["leader", "min-sketch"]),
                default: Preset::Value("leader"),
                about: "how the vertices of a cycle come to the same decision",
            },
            Parameter {
                name: "codewords",
                kind: Kind::Count(1, 65536),
                default: Preset::Absent,
                about: "random numbers per colour and message, for min-sketch; 1 + N log2 N without it",
            },
            PRUNE,
            TIE,
            POPULATE,
        ],
        source: include_str!("schedule/serena/o_serenade.rs"),
        build: &serena,
    },
    Entry {
        name: "e-serenade",
        about: "SERENA by messages, exactly: a distributed search finds what is missing",
        reference: "Gong, Liu, Yang, Xu, Xie, Wang 2022; paper 002",
        parameters: &[PRUNE, TIE, POPULATE],
        source: include_str!("schedule/serena/e_serenade.rs"),
        build: &serena,
    },
    Entry {
        name: "sc-serenade",
        about: "C-SERENADE with a share of E-SERENADE, which makes stability provable",
        reference: "Gong, Liu, Yang, Xu, Xie, Wang 2022; paper 002",
        parameters: &[ALPHA, PRUNE, TIE, POPULATE],
        source: include_str!("schedule/serena/sc_serenade.rs"),
        build: &serena,
    },
    Entry {
        name: "so-serenade",
        about: "O-SERENADE, conservative if overweight, with a share of E-SERENADE",
        reference: "Gong, Liu, Yang, Xu, Xie, Wang 2022; paper 002",
        parameters: &[
            ALPHA,
            Parameter {
                name: "cow",
                kind: Kind::Count(0, u32::MAX as u64),
                default: Preset::Value("10000"),
                about: "the weight above which an edge is overweight and its cycle stays as it was",
            },
            PRUNE,
            TIE,
            POPULATE,
        ],
        source: include_str!("schedule/serena/so_serenade.rs"),
        build: &serena,
    },
    Entry {
        name: "cioq",
        about: "combined input and output queueing, by stable matchings at a speedup",
        reference: "Chuang, Goel, McKeown, Prabhakar 1999; paper 003",
        parameters: CIOQ,
        source: include_str!("switch/cioq/mod.rs"),
        build: &|args, ports, _| {
            let settings = cioq::Settings {
                policy: cioq::Policy::named(args.word("policy")),
                speedup: args.count("speedup"),
                discipline: cioq::Discipline::named(args.word("discipline")),
                classes: args.count("classes"),
                fallback: true,
            };
            Ok(Box::new(cioq::Cioq::new(ports, settings)))
        },
    },
    Entry {
        name: "benes",
        about: "Benes fabric of small elements: multipath distribution, credits per flow group, resequencing",
        reference: "Sapountzis, Katevenis; paper 004",
        parameters: benes::PARAMETERS,
        source: include_str!("switch/benes/mod.rs"),
        build: &|args, ports, seed| Ok(benes::Config::read(args, ports)?.build(seed)),
    },
    Entry {
        name: "banyan",
        about: "banyan of the same elements: one way for each flow, and internal blocking",
        reference: "paper 004, section 1.1",
        parameters: benes::BANYAN,
        source: include_str!("switch/benes/banyan.rs"),
        build: &|args, ports, seed| Ok(benes::Config::read(args, ports)?.build(seed)),
    },
    Entry {
        name: "tdm",
        about: "fixed rotation, no scheduling at all: the benchmarks' floor",
        reference: "",
        parameters: &[],
        source: include_str!("schedule/tdm.rs"),
        build: &|_, ports, _| crossbar!(ports, W => tdm::Tdm),
    },
];

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

impl Chosen<BuildSwitch> {
    /// The same member of the SERENADE suite message by message, and what it runs in a slot that
    /// the coin does not give to E-SERENADE. None if it is none.
    pub fn messages(&self, ports: usize, seed: Seed) -> Option<(Network, Variant)> {
        let variant = serenade_variant(&self.args, ports)?;
        Some((Network::new(ports, serena_rules(&self.args), codeword_key(seed)).ok()?, variant))
    }

    /// Builds the switch, or says why it cannot be had in this size.
    pub fn build(&self, ports: usize, seed: Seed) -> Result<Box<dyn Switch>, Error> {
        check_ports(ports)?;
        (self.entry.build)(&self.args, ports, seed)
    }
}
