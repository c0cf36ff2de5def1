//! uFPIM: random matching by captured frames.
//!
//! As uFORM, with PIM's random choices in place of round robin. When the last cell of a VOQ's frame
//! is matched, what the VOQ then holds is captured as its next frame. Between the first and the
//! last cell of a frame the VOQ is on service, and so is its input. In each slot:
//!
//! 1. Request. An on-service VOQ requests its output. A non-empty off-service VOQ does so if its
//!    whole input is off service.
//! 2. Grant. An output grants an on-service request if there is one, else one of the off-service
//!    ones, uniformly at random.
//! 3. Accept. An input accepts likewise.
//!
//! With m inputs on service only N - m ports contend at random, which is how the throughput rises
//! from PIM's 63 % towards 100 % (equation 2; the counter `on_service_inputs` is its E(m)). Frames
//! are unlimited by default; `frame=k` captures at most k cells. `iterations=k` repeats steps 1 to
//! 3 over the ports still unmatched, which the paper does not. `capture` and `empty` are other
//! readings of the paper, as for `uform`. Counters: as for `uform`.
//!
//! Random choices: on-service requests are never in competition and draw nothing. In each iteration
//! one draw for each output that is requested by off-service VOQs only, ascending, which names the
//! rank of the chosen input; then one draw for each input that is granted, ascending, likewise.
//!
//! Matching: not maximal; the on-service part is kept from the slot before. Cost: as one iteration
//! of PIM, and a counter and a flag per VOQ.
//!
//! Reference: R. Rojas-Cessa, C. Lin, captured-frame matching schemes (paper 001), sections II, III
//! and VI.

use super::captured_frame::CapturedFrames;
use super::random_choice::RandomChoice;
use super::{Matching, Needs, Scheduler, View};
use crate::cell::Port;
use crate::counter::Counter;
use crate::observe::{Observer, Silent};
use crate::rng::Rng;

/// Frames and the random stream.
#[derive(Clone, Debug)]
pub struct Ufpim<const W: usize> {
    iterations: usize,
    frames: CapturedFrames,
    arbiters: RandomChoice<W>,
}

impl<const W: usize> Ufpim<W> {
    /// Nothing captured. Frames of at most `frame` cells, unlimited if 0.
    pub fn new(ports: usize, iterations: usize, frame: usize, rng: Rng) -> Self {
        Self { iterations, frames: CapturedFrames::new(ports, frame), arbiters: RandomChoice::new(ports, rng) }
    }

    /// The output on service by input. CF of each VOQ is noted in the crossbar.
    pub fn on_service(&self) -> &[Port] {
        self.frames.on_service()
    }

    /// A slot, for an observer or none.
    #[inline(always)]
    fn decide<O: Observer + ?Sized>(&mut self, view: &View<'_, W>, matching: &mut Matching, observer: &mut O) {
        let mut free = self.frames.serve::<W, _>(matching, observer);
        for _ in 0..self.iterations {
            if !self.arbiters.iterate(view.columns, &mut free, matching, observer) {
                break;
            }
        }
    }
}

impl<const W: usize> Scheduler<W> for Ufpim<W> {
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
}
