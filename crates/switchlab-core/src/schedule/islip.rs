//! iSLIP: round-robin matching with slipping pointers.
//!
//! Each iteration has three steps over the ports that are still unmatched:
//!
//! 1. Request. Every non-empty VOQ requests its output.
//! 2. Grant. An output grants the requesting input at or next after its grant pointer, cyclically.
//! 3. Accept. An input accepts the granting output at or next after its accept pointer, cyclically.
//!
//! Both pointers move to one beyond the partner, only for grants that were accepted, and only in
//! the first iteration: this is what makes the pointers of busy outputs slip apart (100 %
//! throughput under uniform traffic with a single iteration) and keeps a connection from starving.
//! All pointers start at 0. An iteration that adds nothing ends the slot.
//!
//! Matching: maximal after at most N iterations, about log2 N on average. Cost: O(N) word
//! operations per iteration in software; two round-robin arbiters per port in hardware. With all
//! arbiters in one place, as SERENADE's paper counts (paper 002, section 4.4), an input sends one
//! bit for each of its VOQs in a slot, and hears which output it has, if any: the counter
//! `bits_per_port`. Further iterations send nothing.
//!
//! Reference: N. McKeown, "The iSLIP scheduling algorithm for input-queued switches", IEEE/ACM
//! Transactions on Networking 7(2), 1999, sections II and III.

use super::round_robin::{Free, RoundRobin};
use super::serena::ouroboros::last_iteration;
use super::{Matching, Needs, Scheduler, View};
use crate::cell::Port;
use crate::counter::Counter;
use crate::observe::{Observer, Silent};
use alloc::vec::Vec;

/// The pointers, and what was counted.
#[derive(Clone, Debug)]
pub struct Islip<const W: usize> {
    iterations: usize,
    arbiters: RoundRobin,
    slots: u64,
    iterations_used: u64,
}

impl<const W: usize> Islip<W> {
    /// All pointers at 0.
    pub fn new(ports: usize, iterations: usize) -> Self {
        Self { iterations, arbiters: RoundRobin::new(ports), slots: 0, iterations_used: 0 }
    }

    /// The grant pointers, by output.
    pub fn grant_pointers(&self) -> Vec<Port> {
        self.arbiters.pointers().0
    }

    /// The accept pointers, by input.
    pub fn accept_pointers(&self) -> Vec<Port> {
        self.arbiters.pointers().1
    }

    /// A slot, for an observer or none.
    #[inline(always)]
    fn decide<O: Observer + ?Sized>(&mut self, view: &View<'_, W>, matching: &mut Matching, observer: &mut O) {
        let mut free = Free::all(view.ports);
        self.slots += 1;
        for iteration in 0..self.iterations {
            let first = iteration == 0;
            let granted = self.arbiters.iterate(view.columns, &free, first, matching, first, observer);
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

impl<const W: usize> Scheduler<W> for Islip<W> {
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
        // Requests, and the answer: an identity and whether there is one.
        let ports = self.arbiters.pointers().0.len();
        let bits = ports as u64 + u64::from(last_iteration(ports)) + 1;
        visit(Counter { name: "bits_per_port", sum: bits * self.slots, per: self.slots });
    }

    fn state(&self, visit: &mut dyn FnMut(&'static str, &[Port])) {
        visit("grant pointers, by output", &self.grant_pointers());
        visit("accept pointers, by input", &self.accept_pointers());
    }
}
