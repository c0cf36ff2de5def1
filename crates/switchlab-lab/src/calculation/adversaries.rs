//! Paper 000: traces on which a switch fails with one memory less than is always enough, replayed
//! on the switch itself.
//!
//! Values, each 1 if it is so and 0 if not, for N ports: `maximum_fails`, `psm(matcher=maximum)`
//! with 2N-2 memories on the staircase that is built for that, and `no_placement`, the N cells of
//! the last slot fit N-1 memories together, so that no matcher could place them; `maximum_passes`,
//! on the same trace with 2N-1. `stripes_fail`, first-fit of flows striped over `stripe` memories
//! (N without it) with N+P-2 on the trace for theorem 2, and `stripes_pass` with N+P-1.
//! `single_access_fails` with 3N-2 memories that are read or written in a slot, by a search, for 2
//! ports. `staircase_slots` and `staircase_capacity` are the slots of the first trace and the cells
//! that its queues have to hold; `stripe_slots` the slots of the other one.

use super::{Values, at_most};
use crate::error::LabError;
use switchlab_core::switch::shared_memory::{Config, Matcher};
use switchlab_core::switch::shared_memory_flows::{self, Discipline};
use switchlab_core::switch::{Failure, Switch};
use switchlab_core::traffic::trace::Arrival;
use switchlab_core::traffic::{Arrivals, Trace};
use switchlab_core::{Cell, NONE, Slot};
use switchlab_theory::memory_bound::{Found, Scheduler, judge, staircase_capacity, staircase_trace, stripe_trace};
use switchlab_theory::watch::unwatched;

pub(super) fn values(ports: usize, stripe: usize) -> Result<Values, LabError> {
    at_most(64, ports)?;
    let stripe = if stripe == 0 { ports } else { stripe };
    let is = |fact: bool| f64::from(u8::from(fact));
    let slots = |trace: &[Arrival]| trace.last().map_or(0.0, |arrival| f64::from(arrival.slot) + 1.0);
    let mut values = Vec::new();
    if ports >= 2 {
        let memories = 2 * ports - 2;
        let (trace, capacity) = (staircase_trace(ports, memories), staircase_capacity(ports, memories));
        let maximum = |memories| Config::new(ports, memories, capacity, Matcher::Maximum).build();
        let failure = replay(&mut *maximum(memories), &trace)?;
        let hall = if let Some(Failure::Unplaced { hall, .. }) = &failure { hall.as_ref() } else { None };
        let none = hall.is_some_and(|hall| (hall.inputs.len(), hall.memories.len()) == (ports, ports - 1));
        values.extend([
            ("maximum_fails", is(failure.is_some())),
            ("no_placement", is(none)),
            ("maximum_passes", is(replay(&mut *maximum(memories + 1), &trace)?.is_none())),
            ("staircase_slots", slots(&trace)),
            ("staircase_capacity", capacity as f64),
        ]);
    }
    if ports + stripe > 2 {
        let (enough, trace) = (ports + stripe - 1, stripe_trace(ports, stripe));
        let striped = |memories| {
            let config = shared_memory_flows::Config::new(ports, stripe, Discipline::fair(1));
            shared_memory_flows::Config { memories, ..config }.build()
        };
        values.extend([
            ("stripes_fail", is(replay(&mut *striped(enough - 1), &trace)?.is_some())),
            ("stripes_pass", is(replay(&mut *striped(enough), &trace)?.is_none())),
            ("stripe_slots", slots(&trace)),
        ]);
    }
    if ports == 2 {
        let judged = judge(2, 6, 4, Scheduler::SingleAccess, 100_000, &mut unwatched)?;
        values.push(("single_access_fails", is(matches!(judged.found, Found::Fails(_)))));
    }
    Ok(values)
}

/// Replays a trace, and says why the switch has stopped, if it has.
fn replay(switch: &mut dyn Switch, trace: &[Arrival]) -> Result<Option<Failure>, LabError> {
    let ports = switch.ports();
    let mut trace = Trace::new(ports, trace.to_vec())?;
    let mut arrivals = vec![NONE; ports];
    for now in 0..trace.slots() as Slot {
        trace.slot(now, &mut arrivals);
        switch.slot(now, &arrivals, &mut vec![Cell::IDLE; ports]);
    }
    Ok(switch.failure().cloned())
}
