//! uFORM: round-robin matching by captured frames.
//!
//! When the last cell of a VOQ's frame is matched, what the VOQ then holds is captured as its next
//! frame. Between the first and the last cell of a frame the VOQ is on service, and so is its
//! input. In each slot:
//!
//! 1. Request. An on-service VOQ requests its output. A non-empty off-service VOQ does so if its
//!    whole input is off service.
//! 2. Grant. An output grants an on-service request if there is one, else an off-service one: the
//!    one at or next after its pointer.
//! 3. Accept. An input accepts likewise. Both pointers move to one beyond the partner, with every
//!    match.
//!
//! A match holds until its frame is served, so matches add up from slot to slot as they do over
//! iterations in other schemes, and a long queue captures a long frame and gets more service.
//! Frames are unlimited by default; `frame=k` captures at most k cells, which is FORM, the scheme
//! with limited frames that the paper's is the unlimited form of. `iterations=k` repeats steps 1 to
//! 3 over the ports still unmatched, which the paper does not. All pointers start at 0.
//!
//! Other readings of the paper. `capture=before` counts the departing cell in the captured frame:
//! inputs then wait on service for cells that have not arrived. `empty` says what becomes of a VOQ
//! that was empty when its frame was captured: with `one` its next match is a frame of one cell;
//! with `occupancy` that match begins a frame of all that the VOQ holds; with `skip` the VOQ takes
//! no further part (and every first frame has one cell, since all VOQs are empty at the beginning).
//! Without these parameters it is `capture=after,empty=one`.
//!
//! Counters: `on_service_inputs`, E(m) of equation 2; `captured_frame`, its mean size;
//! `long_captures`, the share of frames of two cells or more, which put their VOQ on service; and
//! `equation_2`, the throughput that the equation gives for the E(m) and the arrivals that were
//! measured.
//!
//! Matching: not maximal; the on-service part is kept from the slot before. Cost: as one iteration
//! of iSLIP in software; in hardware a counter and a flag per VOQ on top of iSLIP's arbiters, and
//! no comparison between queues; `switchlab explain captured-frame-bits` counts their bits.
//!
//! Reference: R. Rojas-Cessa, C. Lin, captured-frame matching schemes (paper 001), sections II, IV
//! and VI.

use super::captured_frame::CapturedFrames;
use super::round_robin::RoundRobin;
use super::{Matching, Needs, Scheduler, View};
use crate::cell::Port;
use crate::counter::Counter;
use crate::observe::{Observer, Silent};

/// Frames and pointers.
#[derive(Clone, Debug)]
pub struct Uform<const W: usize> {
    iterations: usize,
    frames: CapturedFrames,
    arbiters: RoundRobin,
}

impl<const W: usize> Uform<W> {
    /// Nothing captured, all pointers at 0. Frames of at most `frame` cells, unlimited if 0.
    pub fn new(ports: usize, iterations: usize, frame: usize) -> Self {
        Self { iterations, frames: CapturedFrames::new(ports, frame), arbiters: RoundRobin::new(ports) }
    }

    /// The output on service by input. CF of each VOQ is noted in the crossbar.
    pub fn on_service(&self) -> &[Port] {
        self.frames.on_service()
    }

    /// A slot, for an observer or none.
    #[inline(always)]
    fn decide<O: Observer + ?Sized>(&mut self, view: &View<'_, W>, matching: &mut Matching, observer: &mut O) {
        let mut free = self.frames.serve::<W, _>(matching, observer);
        for iteration in 1..=self.iterations {
            let granted = self.arbiters.iterate(view.columns, &free, false, matching, true, observer);
            if iteration == self.iterations || granted.is_empty() {
                break;
            }
            free.remove_matched(&granted, matching);
        }
    }
}

impl<const W: usize> Scheduler<W> for Uform<W> {
    const NEEDS: Needs = Needs::COLUMNS.and(Needs::TAGS);
    const MATCHES_ONLY_NONEMPTY: bool = true;

    #[inline]
    fn schedule(&mut self, view: &View<'_, W>, matching: &mut Matching) {
        self.decide(view, matching, &mut Silent);
    }

    fn schedule_observed(&mut self, view: &View<'_, W>, matching: &mut Matching, observer: &mut dyn Observer) {
        self.decide(view, matching, observer);
    }

    #[inline(always)]
    fn on_dequeue(&mut self, input: usize, output: usize, length: u32, frame: u32) -> u32 {
        self.frames.on_dequeue(input, output, length, frame)
    }

    fn on_dequeue_observed(
        &mut self,
        input: usize,
        output: usize,
        length: u32,
        frame: u32,
        observer: &mut dyn Observer,
    ) -> u32 {
        self.frames.on_dequeue_observed(input, output, length, frame, observer)
    }

    fn counters(&self, visit: &mut dyn FnMut(Counter)) {
        self.frames.counters(visit);
    }

    fn state(&self, visit: &mut dyn FnMut(&'static str, &[Port])) {
        let (grant, accept) = self.arbiters.pointers();
        visit("grant pointers, by output", &grant);
        visit("accept pointers, by input", &accept);
    }
}
