//! The only list of what exists.
//!
//! Each entry is a name, its parameters, one line, a citation, the page that `explain` prints and a builder. The
//! conformance suite, `list`, `explain`, the documentation and the benchmarks loop over these lists, so that what is added here is
//! tested, listed, explained and measured.

use crate::cell::MAX_PORTS;
use crate::error::Error;
use crate::rng::{Probability, Purpose, Seed};
use crate::schedule::serena::{self, Serena, c_serenade, e_serenade, o_serenade, sc_serenade, so_serenade};
use crate::schedule::{gs_lqf, gs_ocf, ilqf, islip, msm, mwm, pim, tdm, uform, ufpim};
use crate::serenade::{Consistency, Leader, Network, Populate, Prune, Rules, Tie, Variant};
use crate::spec::{Args, Kind, Parameter, Preset, Spec};
use crate::switch::crossbar::Crossbar;
use crate::switch::{Switch, benes, cioq, fifo, output_queued, shared_memory, shared_memory_flows};
use crate::traffic::destinations::with_destinations;
use crate::traffic::{Arrivals, Bernoulli, Bursty, LoadMatrix, OnOff, Trace};
use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// What every entry has, whatever it builds.
#[derive(Debug)]
pub struct Entry<B> {
    /// The name in a spec.
    pub name: &'static str,
    /// One line for people.
    pub about: &'static str,
    /// Where it is from.
    pub reference: &'static str,
    /// Its parameters, in canonical order.
    pub parameters: &'static [Parameter],
    /// The source of the file it stands in; its header is the entry's page.
    source: &'static str,
    /// How it is built.
    build: B,
}

impl<B> Entry<B> {
    /// The page: the documentation at the head of the entry's file, or of its section there.
    pub fn page(&self) -> String {
        let lines = self.source.lines().map_while(|line| line.strip_prefix("//!"));
        lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>().join("\n")
    }
}

/// An entry chosen by a spec, with its checked arguments.
#[derive(Debug)]
pub struct Chosen<B: 'static> {
    /// The entry.
    pub entry: &'static Entry<B>,
    /// The arguments; `to_string` gives the canonical spec.
    pub args: Args,
}

impl<B> Clone for Chosen<B> {
    fn clone(&self) -> Self {
        Self { entry: self.entry, args: self.args.clone() }
    }
}

fn choose<B>(what: &'static str, entries: &'static [Entry<B>], text: &str) -> Result<Chosen<B>, Error> {
    let spec = Spec::parse(text)?;
    let entry = entries
        .iter()
        .find(|entry| entry.name == spec.name)
        .ok_or_else(|| Error::unknown_name(what, &spec.name, entries.iter().map(|entry| entry.name).collect()))?;
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

// ---------------------------------------------------------------------------------------------------------------------
// Switches.

/// How a switch is built. The number of ports is known to be possible at all; whether it, with these arguments, is possible for this switch, the
/// builder says: [`Error::Impossible`] with what to do instead.
pub type BuildSwitch = fn(&Args, usize, Seed) -> Result<Box<dyn Switch>, Error>;

/// Picks the width once, so that the crossbar is compiled for it. A width of 8 was left out: 16 serves 512 ports almost as
/// well, and each width is compiled for each scheduler.
macro_rules! crossbar {
    ($ports:expr, $W:ident => $scheduler:expr) => {{
        macro_rules! of_width {
            ($width:literal) => {{
                const $W: usize = $width;
                Ok(Box::new(Crossbar::<_, $W>::new($ports, $scheduler)) as Box<dyn Switch>)
            }};
        }
        match $ports.div_ceil(64) {
            0..=1 => of_width!(1),
            2 => of_width!(2),
            3..=4 => of_width!(4),
            5..=16 => of_width!(16),
            _ => of_width!(64),
        }
    }};
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

/// What a member of the SERENADE suite runs in a slot, but for the hybrids' coin; None for SERENA and for anything else.
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

/// SERENA and its variants draw their choices from the same stream, so that they differ only where they decide differently.
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
        build: |args, ports, _| match args.count("capacity") {
            0 => Ok(Box::new(output_queued::OutputQueued::new(ports))),
            capacity => Ok(Box::new(output_queued::OutputQueued::bounded(ports, capacity as u32))),
        },
    },
    Entry {
        name: "psm",
        about: "output queueing on parallel shared memories, one write and one read per slot",
        reference: "Prakash, Sharif, Aziz; paper 000",
        parameters: shared_memory::PARAMETERS,
        source: include_str!("switch/shared_memory/mod.rs"),
        build: |args, ports, seed| Ok(shared_memory::Config::read(args, ports, seed)?.build()),
    },
    Entry {
        name: "psm-flows",
        about: "many flows for each output, striped over shared memories and read frame by frame",
        reference: "Prakash, Sharif, Aziz; paper 000, section V",
        parameters: shared_memory_flows::PARAMETERS,
        source: include_str!("switch/shared_memory_flows/mod.rs"),
        build: |args, ports, seed| Ok(shared_memory_flows::Config::read(args, ports, seed)?.build()),
    },
    Entry {
        name: "fifo",
        about: "one queue per input, random choice among first cells",
        reference: "Karol, Hluchyj, Morgan 1987",
        parameters: &[],
        source: include_str!("switch/fifo.rs"),
        build: |_, ports, seed| Ok(Box::new(fifo::Fifo::new(ports, seed.stream(Purpose::Scheduler, 0)))),
    },
    Entry {
        name: "islip",
        about: "iSLIP: round-robin grants and accepts with slipping pointers",
        reference: "McKeown 1999",
        parameters: ITERATIONS,
        source: include_str!("schedule/islip.rs"),
        build: |args, ports, _| crossbar!(ports, W => islip::Islip::<W>::new(ports, args.count("iterations"))),
    },
    Entry {
        name: "pim",
        about: "parallel iterative matching: random grants and accepts",
        reference: "Anderson, Owicki, Saxe, Thacker 1993",
        parameters: ITERATIONS,
        source: include_str!("schedule/pim.rs"),
        build: |args, ports, seed| {
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
        build: |args, ports, _| crossbar!(ports, W => uform::Uform::<W>::new(ports, args.count("iterations"), args.count("frame"))),
    },
    Entry {
        name: "ufpim",
        about: "random matching by captured frames",
        reference: "Rojas-Cessa, Lin; paper 001",
        parameters: CAPTURED,
        source: include_str!("schedule/ufpim.rs"),
        build: |args, ports, seed| {
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
        build: |args, ports, _| crossbar!(ports, W => ilqf::Ilqf::<W>::new(ports, args.count("iterations"))),
    },
    Entry {
        name: "gs-lqf",
        about: "stable matching, the longest queue first",
        reference: "McKeown 1995; paper 003",
        parameters: &[],
        source: include_str!("schedule/gs_lqf.rs"),
        build: |_, ports, _| crossbar!(ports, W => gs_lqf::GsLqf::<W>::new(ports)),
    },
    Entry {
        name: "gs-ocf",
        about: "stable matching, the oldest cell first",
        reference: "McKeown 1995; paper 003",
        parameters: &[],
        source: include_str!("schedule/gs_ocf.rs"),
        build: |_, ports, _| crossbar!(ports, W => gs_ocf::GsOcf::<W>::new(ports)),
    },
    Entry {
        name: "mwm",
        about: "exact maximum weight matching, weights are queue lengths",
        reference: "McKeown, Mekkittikul, Anantharam, Walrand 1999",
        parameters: &[],
        source: include_str!("schedule/mwm.rs"),
        build: |_, ports, _| crossbar!(ports, W => mwm::Mwm::<W>::new(ports)),
    },
    Entry {
        name: "msm",
        about: "maximum size matching",
        reference: "Hopcroft, Karp 1973",
        parameters: &[],
        source: include_str!("schedule/msm.rs"),
        build: |_, ports, seed| {
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
        build: serena,
    },
    Entry {
        name: "c-serenade",
        about: "SERENA by messages: cycles that are not understood stay as they were",
        reference: "Gong, Liu, Yang, Xu, Xie, Wang 2022; paper 002",
        parameters: &[PRUNE, TIE, POPULATE],
        source: include_str!("schedule/serena/c_serenade.rs"),
        build: serena,
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
        build: serena,
    },
    Entry {
        name: "e-serenade",
        about: "SERENA by messages, exactly: a distributed search finds what is missing",
        reference: "Gong, Liu, Yang, Xu, Xie, Wang 2022; paper 002",
        parameters: &[PRUNE, TIE, POPULATE],
        source: include_str!("schedule/serena/e_serenade.rs"),
        build: serena,
    },
    Entry {
        name: "sc-serenade",
        about: "C-SERENADE with a share of E-SERENADE, which makes stability provable",
        reference: "Gong, Liu, Yang, Xu, Xie, Wang 2022; paper 002",
        parameters: &[ALPHA, PRUNE, TIE, POPULATE],
        source: include_str!("schedule/serena/sc_serenade.rs"),
        build: serena,
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
        build: serena,
    },
    Entry {
        name: "cioq",
        about: "combined input and output queueing, by stable matchings at a speedup",
        reference: "Chuang, Goel, McKeown, Prabhakar 1999; paper 003",
        parameters: CIOQ,
        source: include_str!("switch/cioq/mod.rs"),
        build: |args, ports, _| {
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
        build: |args, ports, seed| Ok(benes::Settings::read(args, ports)?.build(seed)),
    },
    Entry {
        name: "banyan",
        about: "banyan of the same elements: one way for each flow, and internal blocking",
        reference: "paper 004, section 1.1",
        parameters: benes::BANYAN,
        source: include_str!("switch/benes/banyan.rs"),
        build: |args, ports, seed| Ok(benes::Settings::read(args, ports)?.build(seed)),
    },
    Entry {
        name: "tdm",
        about: "fixed rotation, no scheduling at all: the benchmarks' floor",
        reference: "",
        parameters: &[],
        source: include_str!("schedule/tdm.rs"),
        build: |_, ports, _| crossbar!(ports, W => tdm::Tdm),
    },
];

/// The switch that a spec names.
pub fn switch(spec: &str) -> Result<Chosen<BuildSwitch>, Error> {
    choose("switch", SWITCHES, spec)
}

impl Chosen<BuildSwitch> {
    /// The same member of the SERENADE suite message by message, and what it runs in a slot that the coin does not give to E-SERENADE. None if it is none.
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

// ---------------------------------------------------------------------------------------------------------------------
// Traffic.

/// Reads the files that a traffic spec names. The core itself does no input or output.
pub trait Files {
    /// A square matrix of rates, row-major, and its number of ports.
    fn matrix(&self, path: &str) -> Result<(usize, Vec<f64>), Error>;

    /// A trace; `ports` if known, else as many as the trace uses.
    fn trace(&self, path: &str, ports: Option<usize>) -> Result<Trace, Error>;
}

/// No files: matrices and traces from files cannot be had.
#[derive(Clone, Copy, Debug)]
pub struct NoFiles;

impl Files for NoFiles {
    fn matrix(&self, path: &str) -> Result<(usize, Vec<f64>), Error> {
        Err(Error::File(alloc::format!("{path} cannot be read: files are not available here")))
    }

    fn trace(&self, path: &str, _ports: Option<usize>) -> Result<Trace, Error> {
        self.matrix(path).map(|_| unreachable!("reading always fails"))
    }
}

/// What a traffic spec stands for.
#[derive(Clone, Debug)]
pub enum Traffic {
    /// Rates, and the factor they are to be scaled by.
    Matrix(LoadMatrix, f64),
    /// The cells themselves.
    Trace(Trace),
}

impl Traffic {
    /// The number of ports.
    pub fn ports(&self) -> usize {
        match self {
            Self::Matrix(matrix, _) => matrix.ports(),
            Self::Trace(trace) => trace.ports(),
        }
    }
}

/// What a traffic builder is told: the arguments, the ports if given, the load, and where files come from.
pub struct TrafficRequest<'a> {
    /// The arguments.
    pub args: &'a Args,
    /// The number of ports, if it was given.
    pub ports: Option<usize>,
    /// The load, if it was given.
    pub load: Option<f64>,
    /// Reads files.
    pub files: &'a dyn Files,
}

impl TrafficRequest<'_> {
    fn ports(&self) -> Result<usize, Error> {
        let missing = || Error::Impossible {
            name: self.args.to_string(),
            problem: "the number of ports is missing; add --ports N".to_string(),
        };
        let ports = self.ports.ok_or_else(missing)?;
        check_ports(ports).map(|()| ports)
    }

    fn load(&self) -> Result<f64, Error> {
        let missing = || Error::Impossible {
            name: self.args.to_string(),
            problem: "the load is missing; add --load X, from 0 to 1".to_string(),
        };
        let load = self.load.ok_or_else(missing)?;
        check_load(load).map(|()| load)
    }

    /// A matrix made for the number of ports, scaled by the load.
    fn matrix(&self, make: impl Fn(usize) -> Result<LoadMatrix, Error>) -> Result<Traffic, Error> {
        Ok(Traffic::Matrix(make(self.ports()?)?, self.load()?))
    }
}

/// How traffic is built.
pub type BuildTraffic = fn(&TrafficRequest<'_>) -> Result<Traffic, Error>;

const FILE: &[Parameter] =
    &[Parameter { name: "file", kind: Kind::File, default: Preset::Required, about: "the CSV file" }];

macro_rules! traffic {
    ($name:literal, $about:literal, $reference:literal, $parameters:expr, $build:expr) => {
        Entry {
            name: $name,
            about: $about,
            reference: $reference,
            parameters: $parameters,
            source: include_str!("traffic/matrix.rs"),
            build: $build,
        }
    };
}

/// All traffic: load matrices, and traces.
pub static TRAFFIC: &[Entry<BuildTraffic>] = &[
    traffic!("uniform", "1/N from every input to every output", "", &[], |r| r.matrix(|n| Ok(LoadMatrix::uniform(n)))),
    traffic!(
        "unbalanced",
        "a share w to the output of the same number, the rest uniform",
        "Rojas-Cessa, Oki, Jing, Chao 2001; paper 001, equation 3",
        &[Parameter {
            name: "w",
            kind: Kind::Real(0.0, 1.0),
            default: Preset::Value("0.5"),
            about: "the share sent to the output of the same number"
        }],
        |r| r.matrix(|n| Ok(LoadMatrix::unbalanced(n, r.args.real("w").unwrap_or_default())))
    ),
    traffic!(
        "chang",
        "nothing to the output of the same number, uniform over the others",
        "Chang, Lee, Jou 2002; paper 001, section V-B",
        &[],
        |r| r.matrix(LoadMatrix::chang)
    ),
    traffic!(
        "asymmetric",
        "nothing to the output of the same number, then falling geometrically",
        "Schoenen, Post, Sander 1999; paper 001, section V-B",
        &[Parameter {
            name: "ratio",
            kind: Kind::Real(1.0, 1e12),
            default: Preset::Value("100"),
            about: "the largest rate over the smallest"
        }],
        |r| r.matrix(|n| LoadMatrix::asymmetric(n, r.args.real("ratio").unwrap_or(1.0)))
    ),
    traffic!("po2", "powers of two, the same matrix as log-diagonal", "paper 001, section V-B", &[], |r| r
        .matrix(|n| Ok(LoadMatrix::log_diagonal(n)))),
    traffic!(
        "quasi-diagonal",
        "half to the output of the same number, the rest uniform over the others",
        "paper 002, section 7.1",
        &[],
        |r| r.matrix(|n| Ok(LoadMatrix::quasi_diagonal(n)))
    ),
    traffic!(
        "log-diagonal",
        "halving with each step away from the output of the same number",
        "paper 002, section 7.1",
        &[],
        |r| r.matrix(|n| Ok(LoadMatrix::log_diagonal(n)))
    ),
    traffic!(
        "diagonal",
        "two thirds to the output of the same number, one third to the next",
        "paper 002, section 7.1",
        &[],
        |r| r.matrix(|n| Ok(LoadMatrix::diagonal(n)))
    ),
    traffic!(
        "hotspot",
        "the first outputs at full rate in total, the others at the load",
        "paper 004, section 5",
        &[
            Parameter {
                name: "count",
                kind: Kind::Count(0, MAX_PORTS as u64),
                default: Preset::Value("4"),
                about: "the number of hot outputs, from 0 on"
            },
            Parameter {
                name: "load",
                kind: Kind::Real(0.0, 1.0),
                default: Preset::Absent,
                about: "the load of each other output; --load then scales all rates; without it, --load is this load and scales nothing"
            },
        ],
        |r| {
            let (load, scale) = match r.args.real("load") {
                Some(load) => (load, r.load()?),
                None => (r.load()?, 1.0),
            };
            Ok(Traffic::Matrix(LoadMatrix::hotspot(r.ports()?, r.args.count("count"), load)?, scale))
        }
    ),
    traffic!("permutation", "a fresh random permutation in every slot", "paper 004, section 5", &[], |r| r
        .matrix(|n| Ok(LoadMatrix::Permutation(n)))),
    traffic!("matrix", "any admissible matrix, from a CSV file of N lines with N rates each", "", FILE, |r| {
        let (ports, rates) = r.files.matrix(r.args.word("file"))?;
        check_ports(ports)?;
        if let Some(asked) = r.ports.filter(|&asked| asked != ports) {
            let problem = alloc::format!("the file has {ports} ports, and {asked} were asked for");
            return Err(Error::Impossible { name: r.args.to_string(), problem });
        }
        Ok(Traffic::Matrix(LoadMatrix::general(ports, rates)?, r.load()?))
    }),
    traffic!("trace", "cells from a CSV file with the header slot,input,output, sorted by slot", "", FILE, |r| {
        r.ports.map_or(Ok(()), check_ports)?;
        let trace = r.files.trace(r.args.word("file"), r.ports)?;
        check_ports(trace.ports()).map(|()| Traffic::Trace(trace))
    }),
];

/// The traffic that a spec names.
pub fn traffic(spec: &str) -> Result<Chosen<BuildTraffic>, Error> {
    choose("traffic", TRAFFIC, spec)
}

impl Chosen<BuildTraffic> {
    /// Builds the matrix, or reads the trace.
    pub fn build(&self, ports: Option<usize>, load: Option<f64>, files: &dyn Files) -> Result<Traffic, Error> {
        (self.entry.build)(&TrafficRequest { args: &self.args, ports, load, files })
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Arrival processes.

/// How a process is built for a matrix and its scale.
pub type BuildArrivals = fn(&Args, &LoadMatrix, f64, Seed) -> Box<dyn Arrivals>;

const fn mean(least: f64, default: &'static str) -> Parameter {
    Parameter {
        name: "mean",
        kind: Kind::Real(least, 1e9),
        default: Preset::Value(default),
        about: "the mean number of cells in a burst",
    }
}

/// All arrival processes.
pub static ARRIVALS: &[Entry<BuildArrivals>] = &[
    Entry {
        name: "bernoulli",
        about: "in every slot, independently, with a fixed probability",
        reference: "",
        parameters: &[],
        source: include_str!("traffic/bernoulli.rs"),
        build: |_, matrix, load, seed| with_destinations!(matrix, seed, d => Box::new(Bernoulli::new(matrix, load, d, seed))),
    },
    Entry {
        name: "bursty",
        about: "geometric bursts of at least one cell to one output, geometric idle periods, possibly empty",
        reference: "paper 004, section 5",
        parameters: &[mean(1.0, "12")],
        source: include_str!("traffic/bursts.rs"),
        build: |args, matrix, load, seed| {
            let mean = args.real("mean").unwrap_or(1.0);
            with_destinations!(matrix, seed, d => Box::new(Bursty::new(matrix, load, mean, d, seed)))
        },
    },
    Entry {
        name: "onoff",
        about: "ON and OFF periods, both geometric and possibly empty, one output for each ON period",
        reference: "paper 002, appendix I.1",
        parameters: &[mean(1e-3, "16")],
        source: include_str!("traffic/bursts.rs"),
        build: |args, matrix, load, seed| {
            let mean = args.real("mean").unwrap_or(1.0);
            with_destinations!(matrix, seed, d => Box::new(OnOff::new(matrix, load, mean, d, seed)))
        },
    },
];

/// The arrival process that a spec names.
pub fn arrivals(spec: &str) -> Result<Chosen<BuildArrivals>, Error> {
    choose("arrival process", ARRIVALS, spec)
}

impl Chosen<BuildArrivals> {
    /// Builds the source of arrivals. A trace brings its own times, and the process is not asked.
    pub fn build(&self, traffic: &Traffic, seed: Seed) -> Box<dyn Arrivals> {
        match traffic {
            Traffic::Matrix(matrix, load) => (self.entry.build)(&self.args, matrix, *load, seed),
            Traffic::Trace(trace) => Box::new(trace.clone()),
        }
    }
}
