//! GS-OCF, Gale-Shapley with the oldest cell first: the stable matching in which inputs and outputs
//! both rank each other by the age of the first cell in the queue between them.
//!
//! An input likes best the output whose first cell has waited longest, an output the input whose
//! first cell for it has. A matching is stable if there is no queue whose first cell is older than
//! both the cell its input sends and the cell its output gets. No queue starves: a cell that waits
//! becomes the oldest of all in the end.
//!
//! Both sides use the same weight, so the matching is found by `FIND_ROOTS`: while there are
//! requests, match every pair that has the oldest cell of its input and of its output, and remove
//! those inputs and outputs. An input gets at most one cell per slot, so no two first cells of an
//! input are of the same age, and the instance is acyclic whatever is done with ties.
//!
//! Equal ages, at different inputs: the lowest input is liked better, then the lowest output.
//! Nothing is drawn at random.
//!
//! Matching: maximal and stable; by age it has at least half of the maximum weight. Cost: one look
//! at the ages of the requests left in each iteration, O(N^2) for the first; N iterations at most
//! and far fewer in practice (`counters.iterations` is the mean per slot). The crossbar keeps the
//! arrival slot of each head-of-line cell for it.
//!
//! Reference: N. McKeown, "Scheduling algorithms for input-queued cell switches", doctoral
//! thesis, University of California at Berkeley, 1995; E. Lu, M. Yang, Y. Zhang, S. Q. Zheng,
//! "Design and implementation of an acyclic stable matching scheduler" (paper 003), sections I and
//! II.

use super::mutual_best::MutualBest;
use super::{Matching, Needs, Scheduler, View};
use crate::counter::Counter;
use crate::observe::{Observer, Silent};

/// Room to match; nothing is remembered from slot to slot.
#[derive(Clone, Debug)]
pub struct GsOcf<const W: usize> {
    roots: MutualBest,
}

impl<const W: usize> GsOcf<W> {
    /// A scheduler for `ports` ports.
    pub fn new(ports: usize) -> Self {
        Self { roots: MutualBest::new(ports) }
    }

    /// A slot, for an observer or none.
    #[inline(always)]
    fn decide<O: Observer + ?Sized>(&mut self, view: &View<'_, W>, matching: &mut Matching, observer: &mut O) {
        // The earlier the birth, the greater its complement.
        self.roots.schedule(view, |voq| !view.head_arrivals[voq], matching, observer);
    }
}

impl<const W: usize> Scheduler<W> for GsOcf<W> {
    const NEEDS: Needs = Needs::ROWS.and(Needs::AGES);

    #[inline]
    fn schedule(&mut self, view: &View<'_, W>, matching: &mut Matching) {
        self.decide(view, matching, &mut Silent);
    }

    fn schedule_observed(&mut self, view: &View<'_, W>, matching: &mut Matching, observer: &mut dyn Observer) {
        self.decide(view, matching, observer);
    }

    fn counters(&self, visit: &mut dyn FnMut(Counter)) {
        self.roots.counters(visit);
    }
}
