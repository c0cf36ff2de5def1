//! Output queueing on parallel shared memories: N inputs, M memories that each take one write and
//! one read per slot, N outputs.
//!
//! ```text
//!   N inputs ──► crossbar ──► M memories ──► crossbar ──► N outputs
//! ```
//!
//! The idea: a cell's departure slot is known when it arrives, for first come, first served. With q
//! cells for an output at the start of slot t, its r-th arrival, in the order of inputs, leaves in
//! slot t + q + r - 1; it is dropped exactly if q + r > K. A memory fits a cell if it holds no cell
//! with the same departure slot, so that no memory is read twice in a slot. The cells of a slot go
//! to different memories that fit them, so that none is written twice. Then every cell leaves
//! exactly when it would leave `oq(capacity=K)`, and the same cells are dropped.
//!
//! At most N-1 memories hold a cell due together with a new one, and at most N-1 others are written
//! in this slot: with M = 2N-1 memories there is always one left, whatever the order (lemma 1).
//! What differs is how the memories are found:
//!
//! - `first-fit`: cells in the order of inputs, each takes the first memory that is left and fits.
//! - `greedy`: likewise, but cells that fit the fewest memories come first; ties by input.
//! - `maximum`: first-fit, and augmenting paths for the cells that it cannot place: places all
//!   cells whenever some assignment does, with any M.
//! - `halving`: the algorithm of the appendix, which a parallel machine runs in O(log^2 N) steps.
//!   Each cell keeps the first G memories that fit it, G the smallest power of two >= N. At each
//!   cell and at each memory the edges between them are paired, first with second, third with
//!   fourth; the paths and even cycles that the pairs make are coloured alternately, the edge that
//!   comes first (by input, then memory) keeping its colour, and only edges of that colour stay.
//!   After log2 G such halvings each cell has one edge and each memory at most one. It needs N-1+G
//!   memories, which is 2N-1 if N is a power of two, and never more than the 3N-2 of the paper.
//!
//! Which memory comes first for all but `halving` is what `placement` says: `lowest` in number;
//! `rotate`, the next one after the memory that was assigned last; `random`, one draw for each
//! cell placed, its rank among those that are left and fit; `least-loaded`, that with the fewest
//! cells, ties to the lowest. No placement changes a departure.
//!
//! `memories` may be `2n-1`, `n-1+g` (g for G), `3n-2` or a number; without it, it is what the
//! matcher needs. With fewer, a cell may find no memory. Then the run stops with an error that
//! names the slot, the cell and, if no assignment places all cells of the slot, the cells that
//! together fit fewer memories than there are of them (Hall's condition). Nothing is moved, dropped
//! or delayed to hide it.
//!
//! The table T holds at [memory][departure slot mod K] the output of the cell there, or none. The
//! paper's table holds a bit, which cannot tell the memory to which output it has to send. The
//! paper asks for K >= N; K < N works as well.
//!
//! Counters: `memories_in_use` and `fullest_memory` (its cells), both means at the end of a slot;
//! `drop_rate`, of all arrivals; `augmentations` per slot, of `maximum`.
//!
//! Cost: first-fit in the usual configuration (up to 64 ports, at least 2N-1 memories) about one
//! and a half times that of `oq`. Halving processes up to 2 N G edges per slot: with 64 ports more
//! than thirty times that of `oq`.
//!
//! Reference: A. Prakash, S. Sharif, A. Aziz, "An O(log^2 N) parallel algorithm for output
//! queuing", paper 000, sections II to IV and appendix A. The parallel program itself is in the
//! crate switchlab-theory.

mod augmenting;
mod first_fit_calendar;
mod halving;
mod placement;
#[cfg(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "bmi2"))]
mod rows;
#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2", target_feature = "bmi2")))]
#[path = "no_rows.rs"]
mod rows;
mod switch;
mod table;

pub use placement::Placement;
pub use switch::SharedMemory;

use super::Switch;
use crate::cell::MAX_PORTS;
use crate::error::Error;
use crate::rng::{Purpose, Seed};
use crate::spec::{Args, Kind, Parameter, Preset};
use alloc::boxed::Box;
use alloc::string::ToString;

/// More memories than this are not simulated; the largest switch needs `3 * 4096 - 2`.
pub const MAX_MEMORIES: usize = 16_384;

/// More places for cells than this, in all memories together, are not simulated: half a gigabyte.
const MAX_PLACES: usize = 1 << 26;

/// How the memories of a slot's cells are found; see the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matcher {
    /// In the order of inputs.
    FirstFit,
    /// The cells that fit the fewest memories first.
    Greedy,
    /// A maximum matching.
    Maximum,
    /// By halving degrees.
    Halving,
}

impl Matcher {
    const NAMES: [(Self, &'static str); 4] = [
        (Self::FirstFit, "first-fit"),
        (Self::Greedy, "greedy"),
        (Self::Maximum, "maximum"),
        (Self::Halving, "halving"),
    ];

    /// The name in a spec.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(matcher, _)| *matcher == self).map_or("", |(_, name)| name)
    }

    /// The number of memories with which it never fails.
    pub fn memories(self, ports: usize) -> usize {
        match self {
            Self::Halving => ports - 1 + gamma(ports),
            _ => 2 * ports - 1,
        }
    }
}

/// The paper's Gamma: the smallest power of two that is at least `ports`.
pub fn gamma(ports: usize) -> usize {
    ports.next_power_of_two()
}

/// What a shared-memory switch is made of.
#[derive(Clone, Debug)]
pub struct Config {
    /// N, at least 1.
    pub ports: usize,
    /// M, at least 1.
    pub memories: usize,
    /// K, at least 1.
    pub capacity: usize,
    /// How memories are found.
    pub matcher: Matcher,
    /// Which memory comes first.
    pub placement: Placement,
}

/// The parameters of `psm`.
pub(crate) const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "memories",
        kind: Kind::CountOr(&["2n-1", "n-1+g", "3n-2"], 1, MAX_MEMORIES as u64),
        default: Preset::Absent,
        about: "how many; g is the smallest power of two >= n; without it n-1+g for halving and 2n-1 for the others",
    },
    Parameter {
        name: "capacity",
        kind: Kind::Count(1, u32::MAX as u64),
        default: Preset::Value("64"),
        about: "how many cells for one output there may be; an arrival beyond is dropped",
    },
    Parameter {
        name: "matcher",
        kind: Kind::Choice(&["first-fit", "greedy", "maximum", "halving"]),
        default: Preset::Value("first-fit"),
        about: "how the memories of a slot's cells are found",
    },
    Parameter {
        name: "placement",
        kind: Kind::Choice(&["lowest", "rotate", "random", "least-loaded"]),
        default: Preset::Value("lowest"),
        about: "which memory is tried first, of those that fit; halving has its own rule",
    },
];

impl Config {
    /// Reads the arguments of a spec.
    pub(crate) fn read(args: &Args, ports: usize, seed: Seed) -> Result<Self, Error> {
        let impossible = |problem: &str| Error::Impossible { name: args.to_string(), problem: problem.to_string() };
        let named = |(_, name): &&(Matcher, &str)| *name == args.word("matcher");
        let matcher = Matcher::NAMES.iter().find(named).map_or(Matcher::FirstFit, |(matcher, _)| *matcher);
        let memories = match (args.word("memories"), args.count("memories")) {
            ("2n-1", _) => 2 * ports - 1,
            ("n-1+g", _) => ports - 1 + gamma(ports),
            ("3n-2", _) => 3 * ports - 2,
            (_, 0) => matcher.memories(ports),
            (_, number) => number,
        };
        let placement = match args.word("placement") {
            "rotate" => Placement::rotate(memories),
            "random" => Placement::Random(seed.stream(Purpose::Scheduler, 0)),
            "least-loaded" => Placement::LeastLoaded,
            _ => Placement::Lowest,
        };
        if matcher == Matcher::Halving && !matches!(placement, Placement::Lowest) {
            return Err(impossible("halving chooses memories by its own rule; leave placement out"));
        }
        let capacity = args.count("capacity");
        if capacity.saturating_mul(memories) > MAX_PLACES {
            return Err(impossible(&alloc::format!(
                "{memories} memories of {capacity} cells each are more than the {MAX_PLACES} places that are simulated; lower the capacity"
            )));
        }
        Ok(Self { ports, memories, capacity, matcher, placement })
    }

    /// Builds the switch, for as many words of 64 memories as it needs.
    pub fn build(self) -> Box<dyn Switch> {
        if let Some(switch) = first_fit_calendar::build(&self) {
            return switch;
        }
        match self.memories.div_ceil(64) {
            0..=1 => Box::new(SharedMemory::<1>::new(self)),
            2 => Box::new(SharedMemory::<2>::new(self)),
            3..=4 => Box::new(SharedMemory::<4>::new(self)),
            5..=16 => Box::new(SharedMemory::<16>::new(self)),
            17..=64 => Box::new(SharedMemory::<64>::new(self)),
            _ => Box::new(SharedMemory::<256>::new(self)),
        }
    }
}

const _: () = assert!(3 * MAX_PORTS - 2 <= MAX_MEMORIES && MAX_MEMORIES < u16::MAX as usize);
