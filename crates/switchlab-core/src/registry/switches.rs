//! All switches: how each is built, and the table.

use super::{BuildSwitch, Entry, check_ports};
use crate::cell::MAX_PORTS;
use crate::error::Error;
use crate::rng::{Probability, Purpose, Seed};
use crate::schedule::captured_readings::{Capture, CapturedReadings, Choice, Empty, Reading};
use crate::schedule::serena::accounting::{Accounting, Bypass, Prefix, WEIGHT_BITS};
use crate::schedule::serena::qps_serena::QpsSerena;
use crate::schedule::serena::rules::{Consistency, Leader, Populate, Prune, Rules, Tie, Variant};
use crate::schedule::serena::{self, Serena, c_serenade, e_serenade, o_serenade, sc_serenade, so_serenade};
use crate::schedule::{
    Scheduler, drrm, edrrm, gs_lqf, gs_ocf, ilqf, islip, mix, msm, mwm, pim, rrm, srr, tdm, uform, ufpim,
};
use crate::spec::{Args, Kind, Parameter, Preset};
use crate::switch::crossbar::Crossbar;
use crate::switch::crossbar::voq::{Linked, Packed};
use crate::switch::{Switch, benes, cioq, fifo, knockout, output_queued, shared_memory, shared_memory_flows};
use crate::variants;
use alloc::boxed::Box;

/// The queues of a switch of more than 256 ports.
#[cfg_attr(switchlab_one_word, allow(dead_code))]
type LargeQueues = <Large<{ variants::PACKED_QUEUES }> as Queues>::Store;

/// A large switch with packed queues, or without them to measure what they buy.
#[cfg_attr(switchlab_one_word, allow(dead_code))]
struct Large<const PACKED: bool>;

#[cfg_attr(switchlab_one_word, allow(dead_code))]
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
            // Web pages have no larger switches, and most of the code is for the other widths.
            #[cfg(switchlab_one_word)]
            _ => Err(Error::Ports { ports: $ports, most: 64 }),
            #[cfg(not(switchlab_one_word))]
            2 => of_width!(2, Linked),
            #[cfg(not(switchlab_one_word))]
            3..=4 => of_width!(4, Linked),
            #[cfg(not(switchlab_one_word))]
            5..=16 => of_width!(16, LargeQueues),
            #[cfg(not(switchlab_one_word))]
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
    Parameter {
        name: "capture",
        kind: Kind::Choice(&["after", "before"]),
        default: Preset::Absent,
        about: "whether a frame is what is left after the departing cell, or counts it; after without it",
    },
    Parameter {
        name: "empty",
        kind: Kind::Choice(&["one", "occupancy", "skip"]),
        default: Preset::Absent,
        about: "the next frame of a VOQ that was empty when captured: one cell, all it holds, or none ever; one without it",
    },
];

/// How uFORM and uFPIM read the paper; None for the reading that has a fast form.
fn reading(args: &Args) -> Option<Reading> {
    let capture = if args.word("capture") == "before" { Capture::Before } else { Capture::After };
    let empty = match args.word("empty") {
        "occupancy" => Empty::Occupancy,
        "skip" => Empty::Skip,
        _ => Empty::One,
    };
    Some(Reading { capture, empty }).filter(|reading| *reading != Reading::default())
}

fn uform(args: &Args, ports: usize, _: Seed) -> Result<Box<dyn Switch>, Error> {
    let (iterations, frame) = (args.count("iterations"), args.count("frame"));
    match reading(args) {
        None => crossbar!(ports, W => uform::Uform::<W>::new(ports, iterations, frame)),
        Some(reading) => crossbar!(
            ports,
            W => CapturedReadings::new(ports, iterations, frame, reading, Choice::round_robin(ports))
        ),
    }
}

fn ufpim(args: &Args, ports: usize, seed: Seed) -> Result<Box<dyn Switch>, Error> {
    let (iterations, frame) = (args.count("iterations"), args.count("frame"));
    let rng = seed.stream(Purpose::Scheduler, 0);
    match reading(args) {
        None => crossbar!(ports, W => ufpim::Ufpim::<W>::new(ports, iterations, frame, rng)),
        Some(reading) => {
            crossbar!(ports, W => CapturedReadings::new(ports, iterations, frame, reading, Choice::Random(rng)))
        }
    }
}

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

const LEADER: Parameter = Parameter {
    name: "leader",
    kind: Kind::Choice(&["fixed", "rotating"]),
    default: Preset::Value("fixed"),
    about: "who leads a cycle: the smallest identity, or one that changes with the slot",
};

const CONSISTENCY: Parameter = Parameter {
    name: "consistency",
    kind: Kind::Choice(&["leader", "min-sketch"]),
    default: Preset::Value("leader"),
    about: "how the vertices of a cycle come to the same decision",
};

const CODEWORDS: Parameter = Parameter {
    name: "codewords",
    kind: Kind::Count(1, 65536),
    default: Preset::Absent,
    about: "random numbers per colour and message, for min-sketch; 1 + N log2 N without it",
};

const ALPHA: Parameter = Parameter {
    name: "alpha",
    kind: Kind::Real(0.0, 1.0),
    default: Preset::Value("0.01"),
    about: "the share of slots that are E-SERENADE's",
};

const WEIGHT: Parameter = Parameter {
    name: "weight-bits",
    kind: Kind::Count(1, 64),
    default: Preset::Absent,
    about: "bits of a queue length in a message, for the counters of bits; 32 without it",
};

const PREFIX: Parameter = Parameter {
    name: "prefix",
    kind: Kind::Choice(&["ladner-fischer", "doubling"]),
    default: Preset::Absent,
    about: "how POPULATE adds up ranks, for the counters of its messages; ladner-fischer without it",
};

const BYPASS: Parameter = Parameter {
    name: "bypass",
    kind: Kind::Choice(&["local", "none"]),
    default: Preset::Absent,
    about: "whether inputs reach each other directly, or over an output that passes messages on; local without it",
};

pub(super) fn serena_accounting(args: &Args) -> Accounting {
    if !args.declares("weight-bits") {
        return Accounting::default();
    }
    Accounting {
        weight_bits: match args.count("weight-bits") {
            0 => WEIGHT_BITS,
            bits => bits as u32,
        },
        prefix: if args.word("prefix") == "doubling" { Prefix::Doubling } else { Prefix::LadnerFischer },
        bypass: if args.word("bypass") == "none" { Bypass::Absent } else { Bypass::Local },
    }
}

pub(super) fn serena_rules(args: &Args) -> Rules {
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
pub(super) fn serenade_variant(args: &Args, ports: usize) -> Option<Variant> {
    let leader = || if args.word("leader") == "rotating" { Leader::Rotating } else { Leader::Fixed };
    let consistency = || match args.word("consistency") {
        "min-sketch" => Consistency::MinSketch { codewords: o_serenade::codewords(args.count("codewords"), ports) },
        _ => Consistency::Leader,
    };
    match args.name() {
        "c-serenade" => Some(c_serenade::variant()),
        "o-serenade" => Some(o_serenade::variant(leader(), consistency())),
        "e-serenade" => Some(e_serenade::variant()),
        "sc-serenade" => Some(sc_serenade::variant()),
        "so-serenade" => Some(so_serenade::variant(args.count("cow") as u32, leader(), consistency())),
        _ => None,
    }
}

/// The key of the codewords of a run.
pub(super) fn codeword_key(seed: Seed) -> u64 {
    seed.stream(Purpose::Scheduler, 2).next()
}

/// SERENA and its variants draw their choices from the same stream, so that they differ only where
/// they decide differently.
fn serena(args: &Args, ports: usize, seed: Seed) -> Result<Box<dyn Switch>, Error> {
    let alpha = if args.declares("alpha") { args.real("alpha") } else { None };
    let config = serena::Config {
        rules: serena_rules(args),
        variant: serenade_variant(args, ports),
        coin: alpha.map(|alpha| (Probability::new(alpha), seed.stream(Purpose::Scheduler, 1))),
        rng: seed.stream(Purpose::Scheduler, 0),
        key: codeword_key(seed),
        accounting: serena_accounting(args),
    };
    crossbar!(ports, W => Serena::new(ports, config))
}

fn qps_serena(args: &Args, ports: usize, seed: Seed) -> Result<Box<dyn Switch>, Error> {
    let config = serena::Config {
        rules: serena_rules(args),
        variant: None,
        coin: None,
        rng: seed.stream(Purpose::Scheduler, 0),
        key: codeword_key(seed),
        accounting: Accounting::default(),
    };
    crossbar!(ports, W => QpsSerena::new(ports, config, seed.stream(Purpose::Scheduler, 3)))
}

const MIX: &[Parameter] = &[
    Parameter {
        name: "variant",
        kind: Kind::Choice(&["central", "gossip", "idempotent"]),
        default: Preset::Value("central"),
        about: "what a port decides from: whole weights, averages or minima",
    },
    Parameter {
        name: "rounds",
        kind: Kind::Count(1, 1 << 20),
        default: Preset::Absent,
        about: "rounds of gossip in a slot; N without it",
    },
    Parameter {
        name: "codewords",
        kind: Kind::Count(1, 65536),
        default: Preset::Absent,
        about: "random numbers per colour and message, for idempotent; without it 1 + N log2 N, at most 1024",
    },
    PRUNE,
    TIE,
    Parameter {
        name: "populate",
        kind: Kind::Choice(&["none", "rank", "random", "rotate"]),
        default: Preset::Value("none"),
        about: "how inputs and outputs without an arrival are paired, if they are",
    },
    Parameter {
        name: "split",
        kind: Kind::Choice(&["drop", "green"]),
        default: Preset::Absent,
        about: "what becomes of a path or cycle whose ports disagree: edges are lost, or it stays green; drop without it",
    },
];

fn mix(args: &Args, ports: usize, seed: Seed) -> Result<Box<dyn Switch>, Error> {
    let rounds = match args.count("rounds") {
        0 => ports as u32,
        rounds => rounds as u32,
    };
    let Rules { prune, tie, populate } = serena_rules(args);
    let config = mix::Config {
        variant: match args.word("variant") {
            "gossip" => mix::Variant::Gossip { rounds, rng: seed.stream(Purpose::Scheduler, 1) },
            "idempotent" => mix::Variant::Idempotent {
                rounds,
                codewords: match args.count("codewords") {
                    0 => o_serenade::codewords(0, ports).min(mix::MOST_CODEWORDS),
                    codewords => codewords as u32,
                },
                key: codeword_key(seed),
            },
            _ => mix::Variant::Central,
        },
        prune,
        tie,
        populate: (args.word("populate") != "none").then_some(populate),
        split: if args.word("split") == "green" { mix::Split::Green } else { mix::Split::Drop },
        rng: seed.stream(Purpose::Scheduler, 0),
    };
    crossbar!(ports, W => mix::Mix::new(ports, config))
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
        source: include_str!("../switch/output_queued.rs"),
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
        source: include_str!("../switch/knockout.rs"),
        build: &|args, ports, seed| Ok(knockout(args, ports, seed)),
    },
    Entry {
        name: "psm",
        about: "output queueing on parallel shared memories, one write and one read per slot",
        reference: "Prakash, Sharif, Aziz; paper 000",
        parameters: shared_memory::PARAMETERS,
        source: include_str!("../switch/shared_memory/mod.rs"),
        build: &|args, ports, seed| Ok(shared_memory::Config::read(args, ports, seed)?.build()),
    },
    Entry {
        name: "psm-flows",
        about: "many flows for each output, striped over shared memories and read frame by frame",
        reference: "Prakash, Sharif, Aziz; paper 000, section V",
        parameters: shared_memory_flows::PARAMETERS,
        source: include_str!("../switch/shared_memory_flows/mod.rs"),
        build: &|args, ports, seed| Ok(shared_memory_flows::Config::read(args, ports, seed)?.build()),
    },
    Entry {
        name: "fifo",
        about: "one queue per input, random choice among first cells",
        reference: "Karol, Hluchyj, Morgan 1987",
        parameters: &[],
        source: include_str!("../switch/fifo.rs"),
        build: &|_, ports, seed| Ok(Box::new(fifo::Fifo::new(ports, seed.stream(Purpose::Scheduler, 0)))),
    },
    Entry {
        name: "islip",
        about: "iSLIP: round-robin grants and accepts with slipping pointers",
        reference: "McKeown 1999",
        parameters: ITERATIONS,
        source: include_str!("../schedule/islip.rs"),
        build: &|args, ports, _| crossbar!(ports, W => islip::Islip::<W>::new(ports, args.count("iterations"))),
    },
    Entry {
        name: "rrm",
        about: "plain round-robin matching: pointers move with every grant, and synchronise",
        reference: "McKeown 1999",
        parameters: ITERATIONS,
        source: include_str!("../schedule/rrm.rs"),
        build: &|args, ports, _| crossbar!(ports, W => rrm::Rrm::<W>::new(ports, args.count("iterations"))),
    },
    Entry {
        name: "srr",
        about: "round-robin matching with static pointers that are never equal",
        reference: "Jiang, Hamdi 2001; named in paper 001",
        parameters: ITERATIONS,
        source: include_str!("../schedule/srr.rs"),
        build: &|args, ports, _| crossbar!(ports, W => srr::Srr::<W>::new(ports, args.count("iterations"))),
    },
    Entry {
        name: "drrm",
        about: "dual round-robin matching: inputs choose one VOQ, then outputs grant",
        reference: "Li, Panwar, Chao 2001; named in paper 001",
        parameters: &[],
        source: include_str!("../schedule/drrm.rs"),
        build: &|_, ports, _| crossbar!(ports, W => drrm::Drrm::<W>::new(ports)),
    },
    Entry {
        name: "edrrm",
        about: "dual round-robin matching with exhaustive service: a match lasts until its VOQ is empty",
        reference: "Li, Panwar, Chao 2002; named in paper 001",
        parameters: &[],
        source: include_str!("../schedule/edrrm.rs"),
        build: &|_, ports, _| crossbar!(ports, W => edrrm::Edrrm::<W>::new(ports)),
    },
    Entry {
        name: "pim",
        about: "parallel iterative matching: random grants and accepts",
        reference: "Anderson, Owicki, Saxe, Thacker 1993",
        parameters: ITERATIONS,
        source: include_str!("../schedule/pim.rs"),
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
        source: include_str!("../schedule/uform.rs"),
        build: &uform,
    },
    Entry {
        name: "ufpim",
        about: "random matching by captured frames",
        reference: "Rojas-Cessa, Lin; paper 001",
        parameters: CAPTURED,
        source: include_str!("../schedule/ufpim.rs"),
        build: &ufpim,
    },
    Entry {
        name: "ilqf",
        about: "iterative longest queue first",
        reference: "McKeown 1995",
        parameters: ITERATIONS,
        source: include_str!("../schedule/ilqf.rs"),
        build: &|args, ports, _| crossbar!(ports, W => ilqf::Ilqf::<W>::new(ports, args.count("iterations"))),
    },
    Entry {
        name: "gs-lqf",
        about: "stable matching, the longest queue first",
        reference: "McKeown 1995; paper 003",
        parameters: &[],
        source: include_str!("../schedule/gs_lqf.rs"),
        build: &|_, ports, _| crossbar!(ports, W => gs_lqf::GsLqf::<W>::new(ports)),
    },
    Entry {
        name: "gs-ocf",
        about: "stable matching, the oldest cell first",
        reference: "McKeown 1995; paper 003",
        parameters: &[],
        source: include_str!("../schedule/gs_ocf.rs"),
        build: &|_, ports, _| crossbar!(ports, W => gs_ocf::GsOcf::<W>::new(ports)),
    },
    Entry {
        name: "mwm",
        about: "exact maximum weight matching, weights are queue lengths",
        reference: "McKeown, Mekkittikul, Anantharam, Walrand 1999",
        parameters: &[],
        source: include_str!("../schedule/mwm/mod.rs"),
        build: &|_, ports, _| crossbar!(ports, W => mwm::Mwm::<W>::new(ports)),
    },
    Entry {
        name: "msm",
        about: "maximum size matching",
        reference: "Hopcroft, Karp 1973",
        parameters: &[],
        source: include_str!("../schedule/msm/mod.rs"),
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
        source: include_str!("../schedule/serena/mod.rs"),
        build: &serena,
    },
    Entry {
        name: "qps-serena",
        about: "SERENA that starts from samples of the queues instead of the arrivals",
        reference: "Gong, Tune, Liu, Yang, Xu 2017; named in paper 002",
        parameters: &[PRUNE, TIE, POPULATE],
        source: include_str!("../schedule/serena/qps_serena.rs"),
        build: &qps_serena,
    },
    Entry {
        name: "c-serenade",
        about: "SERENA by messages: cycles that are not understood stay as they were",
        reference: "Gong, Liu, Yang, Xu, Xie, Wang 2022; paper 002",
        parameters: &[PRUNE, TIE, POPULATE, WEIGHT, PREFIX, BYPASS],
        source: include_str!("../schedule/serena/c_serenade.rs"),
        build: &serena,
    },
    Entry {
        name: "o-serenade",
        about: "SERENA by messages: a leader decides from a part of its cycle",
        reference: "Gong, Liu, Yang, Xu, Xie, Wang 2022; paper 002",
        parameters: &[LEADER, CONSISTENCY, CODEWORDS, PRUNE, TIE, POPULATE, WEIGHT, PREFIX, BYPASS],
        source: include_str!("../schedule/serena/o_serenade.rs"),
        build: &serena,
    },
    Entry {
        name: "e-serenade",
        about: "SERENA by messages, exactly: a distributed search finds what is missing",
        reference: "Gong, Liu, Yang, Xu, Xie, Wang 2022; paper 002",
        parameters: &[PRUNE, TIE, POPULATE, WEIGHT, PREFIX, BYPASS],
        source: include_str!("../schedule/serena/e_serenade.rs"),
        build: &serena,
    },
    Entry {
        name: "sc-serenade",
        about: "C-SERENADE with a share of E-SERENADE, which makes stability provable",
        reference: "Gong, Liu, Yang, Xu, Xie, Wang 2022; paper 002",
        parameters: &[ALPHA, PRUNE, TIE, POPULATE, WEIGHT, PREFIX, BYPASS],
        source: include_str!("../schedule/serena/sc_serenade.rs"),
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
            LEADER,
            CONSISTENCY,
            CODEWORDS,
            PRUNE,
            TIE,
            POPULATE,
            WEIGHT,
            PREFIX,
            BYPASS,
        ],
        source: include_str!("../schedule/serena/so_serenade.rs"),
        build: &serena,
    },
    Entry {
        name: "mix",
        about: "SERENA's merge by gossip: what SERENADE is compared with",
        reference: "Modiano, Shah, Zussman 2006; paper 002, appendix G",
        parameters: MIX,
        source: include_str!("../schedule/mix/mod.rs"),
        build: &mix,
    },
    Entry {
        name: "cioq",
        about: "combined input and output queueing, by stable matchings at a speedup",
        reference: "Chuang, Goel, McKeown, Prabhakar 1999; paper 003",
        parameters: CIOQ,
        source: include_str!("../switch/cioq/mod.rs"),
        build: &|args, ports, _| {
            let config = cioq::Config {
                policy: cioq::Policy::named(args.word("policy")),
                speedup: args.count("speedup"),
                discipline: cioq::Discipline::named(args.word("discipline")),
                classes: args.count("classes"),
                fallback: true,
            };
            Ok(Box::new(cioq::Cioq::new(ports, config)))
        },
    },
    Entry {
        name: "benes",
        about: "Benes fabric of small elements: multipath distribution, credits per flow group, resequencing",
        reference: "Sapountzis, Katevenis; paper 004",
        parameters: benes::PARAMETERS,
        source: include_str!("../switch/benes/mod.rs"),
        build: &|args, ports, seed| Ok(benes::Settings::read(args, ports)?.build(seed)),
    },
    Entry {
        name: "banyan",
        about: "banyan of the same elements: one way for each flow, and internal blocking",
        reference: "paper 004, section 1.1",
        parameters: benes::BANYAN,
        source: include_str!("../switch/benes/banyan.rs"),
        build: &|args, ports, seed| Ok(benes::Settings::read(args, ports)?.build(seed)),
    },
    Entry {
        name: "tdm",
        about: "fixed rotation, no scheduling at all: the benchmarks' floor",
        reference: "",
        parameters: &[],
        source: include_str!("../schedule/tdm.rs"),
        build: &|_, ports, _| crossbar!(ports, W => tdm::Tdm),
    },
];
