//! Output queueing with many flows for each output, on parallel shared memories: flows are striped
//! over the memories and read in frames.
//!
//! When a later cell may overtake, a cell's departure slot is not known when it arrives, and `psm`
//! cannot be used. Here any P consecutive cells of a flow are in P different memories, whatever is
//! read when: a cell goes to a memory that was given none of the last P-1 cells of its flow
//! (whether they have left or not), and no other cell of this slot. M = N+P-1 memories always
//! suffice (theorem 2), whatever the number of flows. First-fit needs them all: `switchlab
//! psm-bound --stripe P` has a trace for every N and P on which it fails with one less.
//!
//! `matcher` is how the memories of a slot's cells are found: `first-fit`, in the order of inputs,
//! or `halving`, `colouring` or `lpv`, which take all cells of a slot at once, as in `psm`. With
//! `halving`, section V-B, memories are found by the parallel algorithm, in O(log^2 N) steps; the
//! parallel program is in the crate switchlab-theory. A cell has at most P-1 conflicts with earlier
//! ones, so P-1+G memories are enough for `halving` and `lpv`, G the smallest power of two >= N,
//! and N+P-1 for `colouring`. The paper says that no prefix sums are needed, since there are no
//! departure times. They are where several cells of one flow arrive in a slot, to know their order.
//!
//! Cells are read in frames of fN slots, f the number of flows of an output. At the start of a
//! frame, the arrivals of that slot included, each output decides by its `discipline` what to send,
//! up to fN cells. They are read in this frame and leave in the next one, in the order decided, one
//! in each slot. Reading goes in sub-steps in which an output reads at most N cells, no two from
//! one memory. Then the reads of all outputs in a sub-step can be put into N slots, so that no
//! memory is read twice at a time: by a Latin square if all read from the same N memories, else by
//! an edge colouring of the graph of outputs and memories.
//!
//! The cells that an output reads in a frame may lie badly: up to floor(f(N-1+P)/P) of them in one
//! memory, which takes as many sub-steps, where a frame has time for f. So memories must be read
//! faster than lines send: a `speedup` of 1+(N-1)/P, 2-1/N for P = N, is enough for every frame
//! (theorem 3), and is what there is without the parameter. With less, a frame that needs more time
//! takes it: the next one begins later, and outputs idle meanwhile.
//!
//! This is output queueing at the grain of frames. An output has sent its k-th cell at most 2fN-1
//! slots after an ideal output would have sent its k-th, whatever the discipline, if the speedup is
//! enough: `work_lag` is that lag. It does not hold for each single cell: with `priority` and too
//! many cells of the first flow, a cell of another one that an ideal output would just have sent
//! may wait for ever. With one flow it does, against `oq`; the meter of lags behind output queueing
//! shows it.
//!
//! Flows: the flow of a cell is its input mod f, so that at most N of them are used, or, with
//! `flows-from=label`, the flow with which traffic labels it: `uniform(flows=20)`, or the column
//! `flow` of a trace. There may be more of these than inputs, and an error says so if there are
//! more than f; cells without a label are of flow 0. Within a flow cells stay in order. Two cells
//! of the same input and output are in order only if they are of one flow.
//!
//! Disciplines, for each output:
//!
//! - `fq`: one cell of each flow that has some, in turn, going on where the last frame ended.
//! - `wfq(w=3:1)`: likewise, up to 3 cells of flow 0 in its turn and 1 of flow 1. There is a weight
//!   for each flow, and a frame has N slots for each unit of weight.
//! - `priority`: flow 0 as long as it has cells, then flow 1, and so on.
//!
//! `placement` is as in `psm`.
//!
//! With `capacity=K` at most K cells of an output are in the memories, those of the frame that is
//! read included, and an arrival beyond is dropped. Then no memory holds more than
//! floor(N(K+f(P-1))/P) cells, K+(N-1)f for P = N: a flow with n cells has at most ceil(n/P) of
//! them in one. Without it queues are not limited. Cells that have been read wait in the memory of
//! their output. It needs 2fN cells, those of one frame that is read and of one that leaves.
//!
//! Counters: `substeps` and `reads_of_a_memory`, by one output, the most of any memory and output,
//! both means over frames; `speedup_needed`, sub-steps over those that a frame has time for, a
//! mean; `long_frames`, the share of frames that took longer; `latin_substeps`, the share of
//! sub-steps for which the Latin square was enough; `work_lag`, a mean over cells;
//! `beyond_two_frames`, the share of cells with a lag of 2fN or more; `fullest_memory`, its cells
//! at the start of a frame, a mean. With `capacity`: `drop_rate`, of all arrivals; `memory_filled`,
//! the most cells that a memory had in a frame over the bound above, a mean over frames;
//! `memory_overfilled`, the share of frames in which a memory had more than the bound;
//! `output_memory_filled`, the most cells that an output memory had in a frame over 2fN, a mean.
//!
//! Cost: about N edges per slot are coloured, each in O(N) at worst.
//!
//! Reference: A. Prakash, S. Sharif, A. Aziz, "An O(log^2 N) parallel algorithm for output
//! queuing", paper 000, section V.

mod discipline;
mod frame;
mod limit;
mod matching;
mod stripes;
mod switch;

pub use super::edge_colouring;
pub use discipline::Discipline;
pub use frame::{Frame, Read};
pub use switch::StripedFlows;

use super::Switch;
use super::shared_memory::{MAX_MEMORIES, Matcher, Placement};
use crate::cell::MAX_PORTS;
use crate::error::Error;
use crate::rng::{Purpose, Seed};
use crate::spec::{Args, Kind, Parameter, Preset};
use alloc::boxed::Box;
use alloc::string::{String, ToString};

/// A speedup as a fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Speedup {
    /// The reads of a memory that are possible ...
    pub reads: u64,
    /// ... in this number of slots.
    pub slots: u64,
}

impl Speedup {
    /// That of theorem 3, 1+(N-1)/P.
    pub fn sufficient(ports: usize, stripe: usize) -> Self {
        Self { reads: (ports - 1 + stripe) as u64, slots: stripe as u64 }
    }

    /// A real number to the nearest millionth.
    pub fn of(speedup: f64) -> Self {
        const MILLION: u64 = 1_000_000;
        Self { reads: ((speedup * MILLION as f64 + 0.5) as u64).max(1), slots: MILLION }
    }

    /// The slots that `reads` reads of a memory, one after the other, take.
    pub(super) fn slots_for(self, reads: u64) -> u64 {
        (reads * self.slots).div_ceil(self.reads)
    }

    /// The reads of a memory that are possible in `slots` slots.
    pub(super) fn reads_in(self, slots: u64) -> u64 {
        slots * self.reads / self.slots
    }
}

/// What such a switch is made of.
#[derive(Clone, Debug)]
pub struct Config {
    /// N, at least 1.
    pub ports: usize,
    /// P, at least 1.
    pub stripe: usize,
    /// M, at least 1.
    pub memories: usize,
    /// How much faster memories are read than lines send.
    pub speedup: Speedup,
    /// What an output sends; it has the number of flows, f.
    pub discipline: Discipline,
    /// Which memory comes first.
    pub placement: Placement,
    /// How memories are found: one of those that take all cells of a slot at once; any other is
    /// first-fit.
    pub matcher: Matcher,
    /// K, the cells of an output that there may be in the memories; unlimited if None.
    pub capacity: Option<usize>,
    /// Where the flow of a cell comes from.
    pub flows_from: FlowsFrom,
}

/// Where the flow of a cell comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowsFrom {
    /// Its input mod the number of flows.
    Input,
    /// Its label.
    Label,
}

/// More places for cells in frames than this, and more memories remembered for stripes, are not
/// simulated.
const MAX_PLACES: usize = 1 << 24;

/// The parameters of `psm-flows`.
pub(crate) const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "flows",
        kind: Kind::Count(1, MAX_PORTS as u64),
        default: Preset::Absent,
        about: "f, flows of each output: flows-from says which cells are of which; without it one for each weight, or 2",
    },
    Parameter {
        name: "stripe",
        kind: Kind::Count(1, MAX_MEMORIES as u64),
        default: Preset::Absent,
        about: "P: the consecutive cells of a flow that go to different memories; N without it",
    },
    Parameter {
        name: "memories",
        kind: Kind::Count(1, MAX_MEMORIES as u64),
        default: Preset::Absent,
        about: "how many; without it P-1+G for halving and lpv, G the smallest power of two >= N, and N+P-1 for the others, which are always enough",
    },
    Parameter {
        name: "speedup",
        kind: Kind::Real(1.0, 4096.0),
        default: Preset::Absent,
        about: "reads of a memory per slot; 1+(N-1)/P without it, which is always enough",
    },
    Parameter {
        name: "discipline",
        kind: Kind::ChoiceOrWeights(&["fq", "priority"], "wfq"),
        default: Preset::Value("fq"),
        about: "what an output sends: flows in turn, by weights or by priority",
    },
    Parameter {
        name: "placement",
        kind: Kind::Choice(&["lowest", "rotate", "random", "least-loaded"]),
        default: Preset::Value("lowest"),
        about: "which memory is tried first, of those that fit; halving, colouring and lpv have their own rules",
    },
    Parameter {
        name: "matcher",
        kind: Kind::Choice(&["first-fit", "halving", "colouring", "lpv"]),
        default: Preset::Absent,
        about: "how the memories of a slot's cells are found, as in psm; first-fit without it",
    },
    Parameter {
        name: "capacity",
        kind: Kind::Count(1, u32::MAX as u64),
        default: Preset::Absent,
        about: "K: how many cells of an output there may be in the memories; an arrival beyond is dropped; without it there is no limit",
    },
    Parameter {
        name: "flows-from",
        kind: Kind::Choice(&["input", "label"]),
        default: Preset::Absent,
        about: "what the flow of a cell is: its input mod f, as without it, or the label that traffic gives it",
    },
];

impl Config {
    /// First-fit, with as many memories and as fast ones as are always enough, and no limit.
    pub fn new(ports: usize, stripe: usize, discipline: Discipline) -> Self {
        Self {
            ports,
            stripe,
            memories: ports + stripe - 1,
            speedup: Speedup::sufficient(ports, stripe),
            discipline,
            placement: Placement::Lowest,
            matcher: Matcher::FirstFit,
            capacity: None,
            flows_from: FlowsFrom::Input,
        }
    }

    /// Reads the arguments of a spec.
    pub(crate) fn read(args: &Args, ports: usize, seed: Seed) -> Result<Self, Error> {
        let impossible = |problem: String| Err(Error::Impossible { name: args.to_string(), problem });
        let or = |key, default| match args.count(key) {
            0 => default,
            number => number,
        };
        let weights = args.weights("discipline");
        let flows = or("flows", weights.as_ref().map_or(2, alloc::vec::Vec::len));
        if let Some(weights) = weights.as_ref().filter(|weights| weights.len() != flows) {
            let problem = alloc::format!("there are {flows} flows and {} weights; give one to each", weights.len());
            return impossible(problem);
        }
        let discipline = match (weights, args.word("discipline")) {
            (Some(weights), _) => Discipline::Weighted(weights),
            (None, "priority") => Discipline::Priority(flows),
            (None, _) => Discipline::fair(flows),
        };
        let stripe = or("stripe", ports);
        let matcher = Matcher::named(args.word("matcher"));
        let memories = or("memories", stripe - 1 + matcher.degree(ports));
        if memories > MAX_MEMORIES {
            return impossible(alloc::format!(
                "{memories} memories are more than the {MAX_MEMORIES} that are simulated; lower the stripe"
            ));
        }
        let frame = ports * discipline.units();
        let places = frame.saturating_mul(ports).max((flows * ports).saturating_mul(stripe));
        if places > MAX_PLACES {
            return impossible(alloc::format!(
                "frames of {frame} slots for {ports} ports, and {flows} flows of each striped over {stripe} memories, are more than is simulated; use fewer flows, smaller weights or a smaller stripe"
            ));
        }
        let placement = match args.word("placement") {
            "rotate" => Placement::rotate(memories),
            "random" => Placement::Random(seed.stream(Purpose::Scheduler, 0)),
            "least-loaded" => Placement::LeastLoaded,
            _ => Placement::Lowest,
        };
        if let Some(problem) = matcher.refuses(ports, &placement) {
            return impossible(problem);
        }
        let flows_from = if args.word("flows-from") == "label" { FlowsFrom::Label } else { FlowsFrom::Input };
        let capacity = Some(args.count("capacity")).filter(|capacity| *capacity > 0);
        let speedup = args.real("speedup").map_or_else(|| Speedup::sufficient(ports, stripe), Speedup::of);
        Ok(Self { ports, stripe, memories, speedup, discipline, placement, matcher, capacity, flows_from })
    }

    /// Builds the switch, for as many words of 64 memories as it needs.
    pub fn build(self) -> Box<dyn Switch> {
        match self.memories.div_ceil(64) {
            0..=1 => Box::new(StripedFlows::<1>::new(self)),
            2 => Box::new(StripedFlows::<2>::new(self)),
            3..=4 => Box::new(StripedFlows::<4>::new(self)),
            5..=16 => Box::new(StripedFlows::<16>::new(self)),
            17..=64 => Box::new(StripedFlows::<64>::new(self)),
            _ => Box::new(StripedFlows::<256>::new(self)),
        }
    }
}
