//! EDRRM: dual round-robin matching with exhaustive service. A match lasts until its VOQ is empty.
//!
//! In each slot:
//!
//! 1. Request. Each input sends one request, for the non-empty VOQ at or next after its pointer,
//!    cyclically.
//! 2. Grant. Each output grants the request at or next after its pointer. Its pointer moves to the
//!    granted input and stays there.
//!
//! The pointer of an input that is granted stays at the VOQ while that has cells left, and moves to
//! one beyond it when the last one leaves. So input and output match again in the next slot. An
//! input that is not granted moves its pointer to one beyond the output it requested. All pointers
//! start at 0.
//!
//! Matches that last add up over slots, which carries more of nonuniform traffic than iSLIP and
//! DRRM do. Under uniform traffic less than 100 % is carried, and a VOQ that never runs empty
//! starves the others.
//!
//! Matching: not maximal. Cost: as DRRM, and a look at whether a VOQ is empty.
//!
//! Reference: Y. Li, S. Panwar, H. J. Chao, "The dual round robin matching switch with exhaustive
//! service", IEEE HPSR 2002; paper 001 names it among its relatives.

use super::input_first::InputFirst;
use super::{Matching, Needs, Scheduler, View};
use crate::cell::Port;
use crate::observe::{Observer, Silent};

/// The pointers.
#[derive(Clone, Debug)]
pub struct Edrrm<const W: usize> {
    ports: InputFirst<W>,
}

impl<const W: usize> Edrrm<W> {
    /// All pointers at 0.
    pub fn new(ports: usize) -> Self {
        Self { ports: InputFirst::new(ports) }
    }

    fn decide<O: Observer + ?Sized>(&mut self, view: &View<'_, W>, matching: &mut Matching, observer: &mut O) {
        self.ports.request(view.rows, observer);
        while let Some((input, output)) = self.ports.next_grant(matching, observer) {
            self.ports.point_output(output, input, observer);
        }
        for input in 0..view.ports {
            if let Some(output) = self.ports.refused(input, matching) {
                self.ports.point_input(input, self.ports.beyond(output), observer);
            }
        }
    }

    /// A cell leaves a VOQ of `length` cells.
    fn point_after_departure<O: Observer + ?Sized>(
        &mut self,
        input: usize,
        output: usize,
        length: u32,
        observer: &mut O,
    ) {
        let next = if length > 1 { output } else { self.ports.beyond(output) };
        self.ports.point_input(input, next, observer);
    }
}

impl<const W: usize> Scheduler<W> for Edrrm<W> {
    const NEEDS: Needs = Needs::ROWS.and(Needs::TAGS);
    const MATCHES_ONLY_NONEMPTY: bool = true;

    #[inline]
    fn schedule(&mut self, view: &View<'_, W>, matching: &mut Matching) {
        self.decide(view, matching, &mut Silent);
    }

    fn schedule_observed(&mut self, view: &View<'_, W>, matching: &mut Matching, observer: &mut dyn Observer) {
        self.decide(view, matching, observer);
    }

    fn on_dequeue(&mut self, input: usize, output: usize, length: u32, _: u32) -> u32 {
        self.point_after_departure(input, output, length, &mut Silent);
        0
    }

    fn on_dequeue_observed(
        &mut self,
        input: usize,
        output: usize,
        length: u32,
        _: u32,
        observer: &mut dyn Observer,
    ) -> u32 {
        self.point_after_departure(input, output, length, observer);
        0
    }

    fn state(&self, visit: &mut dyn FnMut(&'static str, &[Port])) {
        self.ports.state(visit);
    }
}
