//! Whether a number of memories is enough: by proof where there is one, else by search.

use super::{Found, Shape, first_fit, first_fit_trace, game, staircase_capacity, staircase_trace, stripe_trace};
use crate::watch::Watch;
use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;
use switchlab_core::Error;
use switchlab_core::switch::Switch;
use switchlab_core::switch::shared_memory::{Access, Config, MAX_MEMORIES, Matcher, SharedMemory};
use switchlab_core::traffic::trace::Arrival;
use switchlab_core::{Cell, MAX_PORTS, Port, Slot};

/// Who is to survive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scheduler {
    /// Somebody, whoever.
    Any,
    /// First-fit, the lowest memory first.
    FirstFit,
    /// A maximum matching, the lowest memories first.
    Maximum,
    /// First-fit on memories that are read or written in a slot, not both.
    SingleAccess,
    /// First-fit of flows that are striped over that number of memories.
    Striped(usize),
}

impl Scheduler {
    /// A word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::FirstFit => "first-fit",
            Self::Maximum => "maximum",
            Self::SingleAccess => "single-access",
            Self::Striped(_) => "striped",
        }
    }

    /// The memories with which it never fails: 2N-1 by lemma 1, 3N-1 if a memory is not read and
    /// written in a slot, N+P-1 for stripes of P memories by theorem 2.
    pub fn enough(self, ports: usize) -> usize {
        match self {
            Self::Any | Self::FirstFit | Self::Maximum => Matcher::FirstFit.memories(ports, Access::ReadWrite),
            Self::SingleAccess => Matcher::FirstFit.memories(ports, Access::Single),
            Self::Striped(stripe) => ports + stripe - 1,
        }
    }
}

/// Why it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Lemma 1: with 2N-1 memories there is always one left.
    Lemma,
    /// The same count with the memories that are read in a slot: 3N-1.
    LemmaWithReads,
    /// Theorem 2: with N+P-1 memories there is always one left.
    Theorem2,
    /// N cells arrive in one slot, and there are fewer memories.
    OneSlot,
    /// By [`first_fit_trace`], [`staircase_trace`] or [`stripe_trace`].
    Built,
    /// All states that matter were looked at.
    Search,
    /// Somebody survives with fewer.
    Fewer,
    /// The search was given too few states.
    States,
    /// Queues are too short for the trace that is built.
    ShortQueues,
    /// The caller stopped the search.
    Stopped,
    /// More ports, memories or cells than any search handles.
    Size,
}

/// What is known of a number of memories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// M.
    pub memories: usize,
    /// Of whom.
    pub scheduler: Scheduler,
    /// What was found; a trace is one on which first-fit, or `psm(matcher=maximum)` in place of any
    /// scheduler, fails.
    pub found: Found<Vec<Arrival>>,
    /// Why.
    pub reason: Reason,
    /// The states that were searched; 0 if none were.
    pub states: usize,
}

/// Whether N ports and queues of K cells can do with M memories. A search looks at no more than so
/// many states, and tells the watch how many it has reached.
pub fn judge(
    ports: usize,
    capacity: usize,
    memories: usize,
    scheduler: Scheduler,
    most_states: usize,
    watch: &mut Watch<'_>,
) -> Result<Judged, Error> {
    if !(1..=MAX_PORTS).contains(&ports) {
        return Err(Error::Ports { ports, most: MAX_PORTS });
    }
    if !(1..=MAX_MEMORIES).contains(&memories) || capacity == 0 || scheduler == Scheduler::Striped(0) {
        let problem = alloc::format!("write 1 to {MAX_MEMORIES} memories and a capacity of at least 1");
        return Err(Error::Impossible { name: "psm".to_string(), problem });
    }
    let judged = |found, reason, states| Ok(Judged { memories, scheduler, found, reason, states });
    if memories >= scheduler.enough(ports) {
        return judged(
            Found::Survives,
            match scheduler {
                Scheduler::Any | Scheduler::FirstFit | Scheduler::Maximum => Reason::Lemma,
                Scheduler::SingleAccess => Reason::LemmaWithReads,
                Scheduler::Striped(_) => Reason::Theorem2,
            },
            0,
        );
    }
    if let Scheduler::Striped(stripe) = scheduler {
        let mut trace = stripe_trace(ports, stripe);
        trace.retain(|arrival| arrival.slot as usize <= memories);
        return judged(Found::Fails(trace), Reason::Built, 0);
    }
    // Of cells that are due at once, one for each output, none takes a memory.
    if memories < ports && scheduler != Scheduler::SingleAccess {
        let cell = |port| Arrival { slot: 0, input: port, output: port };
        return judged(Found::Fails((0..ports as Port).map(cell).collect()), Reason::OneSlot, 0);
    }
    if scheduler == Scheduler::FirstFit && capacity >= ports {
        let mut trace = first_fit_trace(ports);
        trace.retain(|arrival| arrival.slot as usize <= memories + 1 - ports);
        return judged(Found::Fails(trace), Reason::Built, 0);
    }
    if scheduler == Scheduler::Maximum && capacity >= staircase_capacity(ports, memories) {
        return judged(Found::Fails(staircase_trace(ports, memories)), Reason::Built, 0);
    }
    let Ok(shape) = Shape::new(ports, memories, capacity) else {
        return judged(Found::Undecided, Reason::Size, 0);
    };
    let reason = |undecided, stopped| match (undecided, stopped) {
        (_, true) => Reason::Stopped,
        (true, false) => Reason::States,
        (false, false) => Reason::Search,
    };
    match scheduler {
        Scheduler::FirstFit | Scheduler::SingleAccess => {
            let access = if scheduler == Scheduler::FirstFit { Access::ReadWrite } else { Access::Single };
            let searched = first_fit::search(shape, access, most_states, watch);
            let reason = reason(searched.found == Found::Undecided, searched.stopped);
            judged(searched.found, reason, searched.states)
        }
        // What beats every scheduler beats this one. If something does not, nothing is known.
        Scheduler::Any | Scheduler::Maximum | Scheduler::Striped(_) => {
            let searched = game::solve(shape, most_states, watch);
            let found = match searched.found {
                Found::Survives => Found::Survives,
                Found::Undecided => Found::Undecided,
                // The strategy beats everybody, so there is a trace.
                Found::Fails(strategy) => beat_maximum(&strategy, shape).map_or(Found::Undecided, Found::Fails),
            };
            if scheduler != Scheduler::Any && found == Found::Survives {
                return judged(Found::Undecided, Reason::ShortQueues, searched.states);
            }
            let reason = reason(found == Found::Undecided, searched.stopped);
            judged(found, reason, searched.states)
        }
    }
}

/// Plays a strategy against the scheduler that places all cells of a slot whenever anybody can.
fn beat_maximum(strategy: &game::Strategy, shape: Shape) -> Option<Vec<Arrival>> {
    let Shape { ports, memories, capacity } = shape;
    let mut switch = SharedMemory::<1>::new(Config::new(ports, memories, capacity, Matcher::Maximum));
    let mut now: Slot = 0;
    strategy.play(|arrivals| {
        switch.slot(now, arrivals, &mut vec![Cell::IDLE; ports]);
        now += 1;
        switch.failure().is_none().then(|| switch.written())
    })
}

/// Traces of up to N^2 cells are kept for each number of memories: with more ports they would not
/// fit.
const MOST_AT_ONCE: usize = 256;

/// Every number of memories from N, the fewest that take a slot, to those that are enough. A
/// scheduler that survives with some survives with more, as far as it is any and not first-fit.
///
/// When the watch stops a search, what follows without one is still answered.
pub fn judge_all(
    ports: usize,
    capacity: usize,
    scheduler: Scheduler,
    most_states: usize,
    watch: &mut Watch<'_>,
) -> Result<Vec<Judged>, Error> {
    if !(1..=MAX_PORTS).contains(&ports) {
        return Err(Error::Ports { ports, most: MAX_PORTS });
    }
    let stripe = if let Scheduler::Striped(stripe) = scheduler { stripe } else { 1 };
    if ports > MOST_AT_ONCE || !(1..=MOST_AT_ONCE).contains(&stripe) {
        let problem = alloc::format!(
            "write a stripe of at least 1 memory; with more than {MOST_AT_ONCE} ports, or memories in a stripe, name the number of memories"
        );
        return Err(Error::Impossible { name: "psm".to_string(), problem });
    }
    let mut all: Vec<Judged> = Vec::new();
    for memories in ports..=scheduler.enough(ports) {
        let enough = scheduler == Scheduler::Any && all.iter().any(|judged| judged.found == Found::Survives);
        all.push(if enough && memories < scheduler.enough(ports) {
            Judged { memories, scheduler, found: Found::Survives, reason: Reason::Fewer, states: 0 }
        } else {
            judge(ports, capacity, memories, scheduler, most_states, watch)?
        });
    }
    Ok(all)
}
