//! GS-LQF, Gale-Shapley with the longest queue first: the stable matching in which inputs and
//! outputs both rank each other by the length of the queue between them.
//!
//! An input likes best the output for which it has the most cells, an output the input that has the
//! most cells for it; an empty queue is a pair that neither ranks. A matching is stable if there is
//! no queue that is longer than both the one its input serves and the one its output serves.
//!
//! Both sides use the same weight, so such a matching is found by `FIND_ROOTS`: while there are
//! requests, match every pair that is the longest queue of its input and of its output, and remove
//! those inputs and outputs. The longest queue of all is always such a pair, so it never stops
//! early; the result is that of a greedy choice, the longest queue first.
//!
//! Equal lengths: the lowest input is liked better, then the lowest output: one order of pairs for
//! both sides. If each side broke its ties for itself, a cycle could form, and there would be
//! nothing to begin with. Nothing is drawn at random.
//!
//! Matching: maximal, stable, and at least half of the maximum weight. Cost: one look at the
//! lengths of the requests left in each iteration, O(N^2) for the first; N iterations at most and
//! far fewer in practice (`counters.iterations` is the mean per slot). With a processing element
//! for each pair O(N log N) time; in hardware the array of nodes that `FIND_ROOTS` has.
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
pub struct GsLqf<const W: usize> {
    roots: MutualBest,
}

impl<const W: usize> GsLqf<W> {
    /// A scheduler for `ports` ports.
    pub fn new(ports: usize) -> Self {
        Self { roots: MutualBest::new(ports) }
    }

    /// A slot, for an observer or none.
    #[inline(always)]
    fn decide<O: Observer + ?Sized>(&mut self, view: &View<'_, W>, matching: &mut Matching, observer: &mut O) {
        self.roots.schedule(view, |voq| view.lengths[voq], matching, observer);
    }
}

impl<const W: usize> Scheduler<W> for GsLqf<W> {
    const NEEDS: Needs = Needs::ROWS.and(Needs::LENGTHS);

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
