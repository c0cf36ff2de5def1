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
//! - `colouring`: section III-B. Each cell keeps the first N memories that fit it; the edges are
//!   coloured with N colours (König), so that every cell has an edge of every colour; in slot t
//!   those of colour t mod N are the matching. 2N-1 memories are enough, for every N.
//! - `lpv`: likewise with the first G memories and the colouring of Lev, Pippenger and Valiant, of
//!   which `halving` is the part that leads to one colour. All halves are halved again, so that
//!   there are G colours; in slot t it is colour t mod G. It needs N-1+G memories.
//!
//! The first three look at cells one by one. Which memory comes first for them is what `placement`
//! says: `lowest` in number; `rotate`, the next one after the memory that was assigned last;
//! `random`, one draw for each cell placed, its rank among those that are left and fit;
//! `least-loaded`, that with the fewest cells, ties to the lowest. No placement changes a
//! departure.
//!
//! `access` is what a memory does in a slot. The paper's memories take one write and one read
//! (section II-A), which is twice the line rate, although its abstract and its conclusion have them
//! run at the line rate. With `access=single` they do: a memory is written, or read, or neither. A
//! cell that is due in the slot of its arrival then bypasses the memories, on a path from the first
//! crossbar to the second one. A memory fits another cell if it holds neither a cell due with it
//! nor one that is read now. Say that b cells of a slot pass by, for b outputs. The memories that
//! are read in this slot are N-b at most, those that hold a cell due with a new one N-1, and those
//! of the other new cells N-b-1. So one of 3N-1 memories is always left, whatever the order; with
//! `colouring` 3N-1 are enough as well, since each cell fits N of them, and with `halving` and
//! `lpv` 2N-1+G. Departures and drops are those of `oq(capacity=K)` again.
//!
//! `memories` may be `2n-1`, `n-1+g` (g for G), `3n-2`, `3n-1`, `2n-1+g` or a number; without it,
//! it is what the matcher needs. With fewer, a cell may find no memory. Then the run stops with an
//! error that names the slot, the cell and, if no assignment places all cells of the slot, the
//! cells that together fit fewer memories than there are of them (Hall's condition). Nothing is
//! moved, dropped or delayed to hide it. `switchlab psm-bound` has traces on which this happens
//! with 2N-2 memories: for `first-fit`, and one for `maximum` on which every matcher would stop
//! that has placed the cells before as it does.
//!
//! The table T holds at [memory][departure slot mod K] the output of the cell there, or none. The
//! paper's table holds a bit, which cannot tell the memory to which output it has to send. The
//! paper asks for K >= N; K < N works as well.
//!
//! Counters: `memories_in_use` and `fullest_memory` (its cells), both means at the end of a slot;
//! `drop_rate`, of all arrivals; `augmentations` per slot, of `maximum`; `bypassed`, with
//! `access=single`, the share of the departures that have not been in a memory.
//!
//! Cost: first-fit in the usual configuration (up to 64 ports, at least 2N-1 memories) about one
//! and a half times that of `oq`. Halving processes up to 2 N G edges per slot: with 64 ports more
//! than thirty times that of `oq`. The two colourings are meant for comparison and not for speed:
//! they process N^2 edges, each in O(N) at worst, or N G log2 G, and exist for up to 128 ports.
//!
//! Reference: A. Prakash, S. Sharif, A. Aziz, "An O(log^2 N) parallel algorithm for output
//! queuing", paper 000, sections II to IV and appendix A; G. F. Lev, N. Pippenger, L. G. Valiant,
//! "A fast parallel algorithm for routing in permutation networks", IEEE Transactions on Computers,
//! 1981. The parallel program itself is in the crate switchlab-theory.

mod augmenting;
mod colouring;
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

pub(in crate::switch) use colouring::Colouring;
pub(in crate::switch) use halving::Halving;
pub use placement::Placement;
pub use switch::SharedMemory;

use super::Switch;
use crate::cell::MAX_PORTS;
use crate::error::Error;
use crate::rng::{Purpose, Seed};
use crate::spec::{Args, Kind, Parameter, Preset};
use alloc::boxed::Box;
use alloc::string::{String, ToString};

/// More memories than this are not simulated; the largest switch needs `3 * 4096 - 1`.
pub const MAX_MEMORIES: usize = 16_384;

/// The colourings of switches with more ports than this are not simulated: they would take longer
/// than a tenth of a second for a slot.
pub(in crate::switch) const MAX_COLOURED: usize = 128;

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
    /// A colour of an edge colouring with N colours.
    Colouring,
    /// A colour of the edge colouring of Lev, Pippenger and Valiant.
    Lpv,
}

impl Matcher {
    const NAMES: [(Self, &'static str); 6] = [
        (Self::FirstFit, "first-fit"),
        (Self::Greedy, "greedy"),
        (Self::Maximum, "maximum"),
        (Self::Halving, "halving"),
        (Self::Colouring, "colouring"),
        (Self::Lpv, "lpv"),
    ];

    /// The matcher of a name; first-fit for any other.
    pub(in crate::switch) fn named(name: &str) -> Self {
        Self::NAMES.iter().find(|(_, known)| *known == name).map_or(Self::FirstFit, |(matcher, _)| *matcher)
    }

    /// Whether it looks at cells one by one, so that `placement` says which memory comes first.
    pub fn places_one_by_one(self) -> bool {
        matches!(self, Self::FirstFit | Self::Greedy | Self::Maximum)
    }

    /// Why it is not simulated with that number of ports, and the given placement, if it is not.
    pub(in crate::switch) fn refuses(self, ports: usize, placement: &Placement) -> Option<String> {
        let name = self.name();
        if !self.places_one_by_one() && !matches!(placement, Placement::Lowest) {
            return Some(alloc::format!("{name} chooses memories by its own rule; leave placement out"));
        }
        let slow = matches!(self, Self::Colouring | Self::Lpv) && ports > MAX_COLOURED;
        slow.then(|| alloc::format!("{name} is simulated for up to {MAX_COLOURED} ports; use halving or first-fit"))
    }

    /// The memories that every cell of a slot has to fit, so that it never fails.
    pub fn degree(self, ports: usize) -> usize {
        match self {
            Self::Halving | Self::Lpv => gamma(ports),
            Self::FirstFit | Self::Greedy | Self::Maximum | Self::Colouring => ports,
        }
    }

    /// The name in a spec.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(matcher, _)| *matcher == self).map_or("", |(_, name)| name)
    }

    /// The number of memories with which it never fails.
    pub fn memories(self, ports: usize, access: Access) -> usize {
        let read_now = if access == Access::Single { ports } else { 0 };
        ports - 1 + read_now + self.degree(ports)
    }
}

/// What a memory does in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// One write and one read: twice the line rate.
    ReadWrite,
    /// One write or one read: the line rate.
    Single,
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
    /// What a memory does in a slot.
    pub access: Access,
}

/// The parameters of `psm`.
pub(crate) const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "memories",
        kind: Kind::CountOr(&["2n-1", "n-1+g", "3n-2", "3n-1", "2n-1+g"], 1, MAX_MEMORIES as u64),
        default: Preset::Absent,
        about: "how many; g is the smallest power of two >= n; without it n-1+g for halving and lpv and 2n-1 for the others, and n more with access=single",
    },
    Parameter {
        name: "capacity",
        kind: Kind::Count(1, u32::MAX as u64),
        default: Preset::Value("64"),
        about: "how many cells for one output there may be; an arrival beyond is dropped",
    },
    Parameter {
        name: "matcher",
        kind: Kind::Choice(&["first-fit", "greedy", "maximum", "halving", "colouring", "lpv"]),
        default: Preset::Value("first-fit"),
        about: "how the memories of a slot's cells are found",
    },
    Parameter {
        name: "placement",
        kind: Kind::Choice(&["lowest", "rotate", "random", "least-loaded"]),
        default: Preset::Value("lowest"),
        about: "which memory is tried first, of those that fit; halving, colouring and lpv have their own rules",
    },
    Parameter {
        name: "access",
        kind: Kind::Choice(&["read-write", "single"]),
        default: Preset::Absent,
        about: "what a memory does in a slot: a read and a write, as without it, or one of both",
    },
];

impl Config {
    /// Memories that take a write and a read in a slot, the lowest of them first.
    pub fn new(ports: usize, memories: usize, capacity: usize, matcher: Matcher) -> Self {
        Self { ports, memories, capacity, matcher, placement: Placement::Lowest, access: Access::ReadWrite }
    }

    /// Reads the arguments of a spec.
    pub(crate) fn read(args: &Args, ports: usize, seed: Seed) -> Result<Self, Error> {
        let impossible = |problem: &str| Error::Impossible { name: args.to_string(), problem: problem.to_string() };
        let matcher = Matcher::named(args.word("matcher"));
        let access = if args.word("access") == "single" { Access::Single } else { Access::ReadWrite };
        let memories = match (args.word("memories"), args.count("memories")) {
            ("2n-1", _) => 2 * ports - 1,
            ("n-1+g", _) => ports - 1 + gamma(ports),
            ("3n-2", _) => 3 * ports - 2,
            ("3n-1", _) => 3 * ports - 1,
            ("2n-1+g", _) => 2 * ports - 1 + gamma(ports),
            (_, 0) => matcher.memories(ports, access),
            (_, number) => number,
        };
        let placement = match args.word("placement") {
            "rotate" => Placement::rotate(memories),
            "random" => Placement::Random(seed.stream(Purpose::Scheduler, 0)),
            "least-loaded" => Placement::LeastLoaded,
            _ => Placement::Lowest,
        };
        if let Some(problem) = matcher.refuses(ports, &placement) {
            return Err(impossible(&problem));
        }
        let capacity = args.count("capacity");
        if capacity.saturating_mul(memories) > MAX_PLACES {
            return Err(impossible(&alloc::format!(
                "{memories} memories of {capacity} cells each are more than the {MAX_PLACES} places that are simulated; lower the capacity"
            )));
        }
        Ok(Self { ports, memories, capacity, matcher, placement, access })
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

const _: () = assert!(3 * MAX_PORTS - 1 <= MAX_MEMORIES && MAX_MEMORIES < u16::MAX as usize);
