//! PIM, parallel iterative matching: random grants, random accepts.
//!
//! Each iteration has three steps over the ports that are still unmatched:
//!
//! 1. Request. Every non-empty VOQ requests its output.
//! 2. Grant. An output grants one of the requesting inputs, uniformly at random.
//! 3. Accept. An input accepts one of the granting outputs, uniformly at random.
//!
//! One iteration carries 1 - (1 - 1/N)^N of full load, about 63 %, when all VOQs are busy: an input
//! goes unmatched if no output happens to grant it. An iteration that adds nothing ends the slot.
//!
//! Random choices: in each iteration one draw for each output that is requested, ascending, which
//! names the rank of the chosen input among those requesting it; then one draw for each input that
//! is granted, ascending, likewise. A choice of one also draws, so the stream does not depend on
//! how the choice is coded.
//!
//! Matching: maximal after log2 N + 4/3 iterations on average. Cost: O(N) word operations per
//! iteration in software; two random arbiters per port in hardware, which is what iSLIP set out to
//! avoid.
//!
//! Reference: T. Anderson, S. Owicki, J. Saxe, C. Thacker, "High-speed switch scheduling for
//! local-area networks", ACM Transactions on Computer Systems 11(4), 1993, section 3.

use super::random_choice::RandomChoice;
use super::round_robin::Free;
use super::{Matching, Needs, Scheduler, View};
use crate::counter::Counter;
use crate::observe::{Observer, Silent};
use crate::rng::Rng;

/// The random stream, and what was counted.
#[derive(Clone, Debug)]
pub struct Pim<const W: usize> {
    iterations: usize,
    arbiters: RandomChoice<W>,
    slots: u64,
    iterations_used: u64,
}

impl<const W: usize> Pim<W> {
    /// A scheduler that draws from `rng`.
    pub fn new(ports: usize, iterations: usize, rng: Rng) -> Self {
        Self { iterations, arbiters: RandomChoice::new(ports, rng), slots: 0, iterations_used: 0 }
    }

    /// A slot, for an observer or none.
    #[inline(always)]
    fn decide<O: Observer + ?Sized>(&mut self, view: &View<'_, W>, matching: &mut Matching, observer: &mut O) {
        let mut free = Free::all(view.ports);
        self.slots += 1;
        for _ in 0..self.iterations {
            if !self.arbiters.iterate(view.columns, &mut free, matching, observer) {
                break;
            }
            self.iterations_used += 1;
        }
    }
}

impl<const W: usize> Scheduler<W> for Pim<W> {
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
}
