//! RRM: plain round-robin matching, whose pointers synchronise. What iSLIP repairs.
//!
//! Each iteration has three steps over the ports that are still unmatched:
//!
//! 1. Request. Every input requests every output for which it has a cell.
//! 2. Grant. An output grants the requesting input at or next after its grant pointer, cyclically.
//!    Its pointer moves to one beyond the granted input, whether or not the grant is accepted.
//! 3. Accept. An input accepts the granting output at or next after its accept pointer, cyclically.
//!    Its pointer moves to one beyond the accepted output.
//!
//! The difference to iSLIP is in step 2 alone: iSLIP moves the grant pointer only if the grant is
//! accepted. Here two outputs whose pointers are equal, and whose VOQs are non-empty, grant the
//! same input. Both pointers move, so they are equal in the next slot again: they are synchronised,
//! and one of the two outputs idles in every slot. While all VOQs are non-empty, as many cells
//! leave in a slot as pointers differ.
//!
//! Pointers at random leave 1 - (1 - 1/N)^N of the inputs with a grant, 63 % for large N. Under
//! uniform Bernoulli traffic RRM is stable up to about that load. Beyond it carries less and not
//! more: outputs in step are overloaded and stay in step, an output that is alone runs out of
//! cells, skips inputs, and meets others in the end. At full load and 16 ports 20 to 35 % are left,
//! where iSLIP carries 100 %.
//!
//! The reference defines a single iteration. With `iterations=k` the rules above hold in each of
//! them: every grant of every iteration moves the pointer of its output, and every accept that of
//! its input. All pointers start at 0. An iteration that adds nothing ends the slot.
//!
//! Matching: maximal after at most N iterations. Cost: as iSLIP, O(N) word operations per iteration
//! in software; two round-robin arbiters per port in hardware.
//!
//! Reference: N. McKeown, "The iSLIP scheduling algorithm for input-queued switches", IEEE/ACM
//! Transactions on Networking 7(2), 1999, section II.

use super::round_robin::{Free, RoundRobin};
use super::{Matching, Needs, Scheduler, View};
use crate::cell::Port;
use crate::counter::Counter;
use crate::observe::{Observer, Silent};

/// The pointers, and what was counted.
#[derive(Clone, Debug)]
pub struct Rrm<const W: usize> {
    iterations: usize,
    arbiters: RoundRobin<true>,
    slots: u64,
    iterations_used: u64,
}

impl<const W: usize> Rrm<W> {
    /// All pointers at 0.
    pub fn new(ports: usize, iterations: usize) -> Self {
        Self { iterations, arbiters: RoundRobin::new(ports), slots: 0, iterations_used: 0 }
    }

    /// A slot, for an observer or none.
    #[inline(always)]
    fn decide<O: Observer + ?Sized>(&mut self, view: &View<'_, W>, matching: &mut Matching, observer: &mut O) {
        let mut free = Free::all(view.ports);
        self.slots += 1;
        for iteration in 0..self.iterations {
            let granted = self.arbiters.iterate(view.columns, &free, iteration == 0, matching, true, observer);
            if granted.is_empty() {
                break;
            }
            self.iterations_used += 1;
            if iteration + 1 < self.iterations {
                free.remove_matched(&granted, matching);
            }
        }
    }
}

impl<const W: usize> Scheduler<W> for Rrm<W> {
    const NEEDS: Needs = Needs::COLUMNS;
    const MATCHES_ONLY_NONEMPTY: bool = true;

    #[inline]
    fn schedule(&mut self, view: &View<'_, W>, matching: &mut Matching) {
        self.decide(view, matching, &mut Silent);
    }

    fn schedule_observed(&mut self, view: &View<'_, W>, matching: &mut Matching, observer: &mut dyn Observer) {
        self.decide(view, matching, observer);
    }

    fn counters(&self, visit: &mut dyn FnMut(Counter)) {
        visit(Counter { name: "iterations", sum: self.iterations_used, per: self.slots });
    }

    fn state(&self, visit: &mut dyn FnMut(&'static str, &[Port])) {
        let (grant, accept) = self.arbiters.pointers();
        visit("grant pointers, by output", &grant);
        visit("accept pointers, by input", &accept);
    }
}
