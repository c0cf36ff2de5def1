//! Time-division multiplexing: in slot t, input i is connected to output (i + t) mod N, whatever is
//! queued.
//!
//! The scheduler that does not schedule. Each VOQ is served exactly once in N slots, so uniform
//! traffic is stable up to load 1 at the price of a delay proportional to N, and any VOQ with a
//! rate above 1/N overflows.
//!
//! It is also the benchmarks' floor: arrivals, queues and meters do their full work, and the
//! decision costs nothing, so another scheduler's own cost is what it adds to this one.
//!
//! Matching: full, fixed. Cost: O(N) per slot in software, a counter in hardware.

use super::{Matching, Needs, Scheduler, View};

/// The state: none.
#[derive(Clone, Debug, Default)]
pub struct Tdm;

impl<const W: usize> Scheduler<W> for Tdm {
    const NEEDS: Needs = Needs::NOTHING;
    const PERFECT: bool = true;

    #[inline]
    fn schedule(&mut self, view: &View<'_, W>, matching: &mut Matching) {
        matching.shift(view.now as usize % view.ports);
    }
}
