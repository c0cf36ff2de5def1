//! Whether a number of memories is enough: by proof where there is one, else by search.

use super::{Found, Shape, first_fit, first_fit_trace, game};
use crate::watch::Watch;
use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;
use switchlab_core::Error;
use switchlab_core::switch::Switch;
use switchlab_core::switch::shared_memory::{Config, MAX_MEMORIES, Matcher, Placement, SharedMemory};
use switchlab_core::traffic::trace::Arrival;
use switchlab_core::{Cell, MAX_PORTS, Port, Slot};

/// Who is to survive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scheduler {
    /// Somebody, whoever.
    Any,
    /// First-fit, the lowest memory first.
    FirstFit,
}

impl Scheduler {
    /// A word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::FirstFit => "first-fit",
        }
    }
}

/// Why it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Lemma 1: with 2N-1 memories there is always one left.
    Lemma,
    /// N cells arrive in one slot, and there are fewer memories.
    OneSlot,
    /// By [`first_fit_trace`].
    Built,
    /// All states that matter were looked at.
    Search,
    /// Somebody survives with fewer.
    Fewer,
    /// The search was given too few states.
    States,
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
    if !(1..=MAX_MEMORIES).contains(&memories) || capacity == 0 {
        let problem = alloc::format!("write 1 to {MAX_MEMORIES} memories and a capacity of at least 1");
        return Err(Error::Impossible { name: "psm".to_string(), problem });
    }
    let judged = |found, reason, states| Ok(Judged { memories, scheduler, found, reason, states });
    if memories > 2 * ports - 2 {
        return judged(Found::Survives, Reason::Lemma, 0);
    }
    if memories < ports {
        let cell = |port| Arrival { slot: 0, input: port, output: port };
        return judged(Found::Fails((0..ports as Port).map(cell).collect()), Reason::OneSlot, 0);
    }
    if scheduler == Scheduler::FirstFit && capacity >= ports {
        let mut trace = first_fit_trace(ports);
        trace.retain(|arrival| arrival.slot as usize <= memories + 1 - ports);
        return judged(Found::Fails(trace), Reason::Built, 0);
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
        Scheduler::FirstFit => {
            let searched = first_fit::search(shape, most_states, watch);
            let reason = reason(searched.found == Found::Undecided, searched.stopped);
            judged(searched.found, reason, searched.states)
        }
        Scheduler::Any => {
            let searched = game::solve(shape, most_states, watch);
            let found = match searched.found {
                Found::Survives => Found::Survives,
                Found::Undecided => Found::Undecided,
                // The strategy beats everybody, so there is a trace.
                Found::Fails(strategy) => beat_maximum(&strategy, shape).map_or(Found::Undecided, Found::Fails),
            };
            let reason = reason(found == Found::Undecided, searched.stopped);
            judged(found, reason, searched.states)
        }
    }
}

/// Plays a strategy against the scheduler that places all cells of a slot whenever anybody can.
fn beat_maximum(strategy: &game::Strategy, shape: Shape) -> Option<Vec<Arrival>> {
    let Shape { ports, memories, capacity } = shape;
    let (matcher, placement) = (Matcher::Maximum, Placement::Lowest);
    let mut switch = SharedMemory::<1>::new(Config { ports, memories, capacity, matcher, placement });
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

/// Every number of memories from N, the fewest that take a slot, to 2N-1, which are enough. Who
/// survives with some survives with more, as far as it is somebody and not first-fit.
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
    if ports > MOST_AT_ONCE {
        let problem = alloc::format!("with more than {MOST_AT_ONCE} ports, name the number of memories");
        return Err(Error::Impossible { name: "psm".to_string(), problem });
    }
    let mut all: Vec<Judged> = Vec::new();
    for memories in ports..2 * ports {
        let enough = scheduler == Scheduler::Any && all.iter().any(|judged| judged.found == Found::Survives);
        all.push(if enough && memories < 2 * ports - 1 {
            Judged { memories, scheduler, found: Found::Survives, reason: Reason::Fewer, states: 0 }
        } else {
            judge(ports, capacity, memories, scheduler, most_states, watch)?
        });
    }
    Ok(all)
}
