//! DRRM: dual round-robin matching. The input chooses first.
//!
//! In each slot:
//!
//! 1. Request. Each input sends one request, for the non-empty VOQ at or next after its pointer,
//!    cyclically.
//! 2. Grant. Each output grants the request at or next after its pointer. Both pointers move to one
//!    beyond the partner. An input that is not granted keeps its pointer, so that it requests the
//!    same output again.
//!
//! An input has one request and so at most one grant: there is no third step, and a message less
//! than in iSLIP. The pointers of busy ports slip apart as those of iSLIP do, which gives 100 %
//! throughput under uniform traffic. All pointers start at 0.
//!
//! Matching: not maximal. Cost: O(N) word operations in software; two round-robin arbiters per port
//! in hardware.
//!
//! Reference: Y. Li, S. Panwar, H. J. Chao, "On the performance of a dual round-robin switch", IEEE
//! INFOCOM 2001; paper 001 names it among its relatives.

use super::input_first::InputFirst;
use super::{Matching, Needs, Scheduler, View};
use crate::cell::Port;
use crate::observe::{Observer, Silent};

/// The pointers.
#[derive(Clone, Debug)]
pub struct Drrm<const W: usize> {
    ports: InputFirst<W>,
}

impl<const W: usize> Drrm<W> {
    /// All pointers at 0.
    pub fn new(ports: usize) -> Self {
        Self { ports: InputFirst::new(ports) }
    }

    fn decide<O: Observer + ?Sized>(&mut self, view: &View<'_, W>, matching: &mut Matching, observer: &mut O) {
        self.ports.request(view.rows, observer);
        while let Some((input, output)) = self.ports.next_grant(matching, observer) {
            self.ports.point_input(input, self.ports.beyond(output), observer);
            self.ports.point_output(output, self.ports.beyond(input), observer);
        }
    }
}

impl<const W: usize> Scheduler<W> for Drrm<W> {
    const NEEDS: Needs = Needs::ROWS;
    const MATCHES_ONLY_NONEMPTY: bool = true;

    #[inline]
    fn schedule(&mut self, view: &View<'_, W>, matching: &mut Matching) {
        self.decide(view, matching, &mut Silent);
    }

    fn schedule_observed(&mut self, view: &View<'_, W>, matching: &mut Matching, observer: &mut dyn Observer) {
        self.decide(view, matching, observer);
    }

    fn state(&self, visit: &mut dyn FnMut(&'static str, &[Port])) {
        self.ports.state(visit);
    }
}
