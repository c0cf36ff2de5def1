//! Captured frames: which VOQs are on service, and for how many cells (paper 001, section II).
//!
//! Each VOQ has a counter CF, the size of its frame. When a VOQ is matched and CF is above 1, CF
//! falls by one and the VOQ is on service; otherwise the frame ends: the VOQ is off service, and CF
//! becomes what is left in the VOQ after this departure, the captured frame. A VOQ that was empty
//! then has CF = 0, may take part while its input is off service (section VI), and its next match
//! ends its frame of nothing. At the beginning CF is 0 everywhere and nothing is on service.
//!
//! On-service VOQs form a matching. An input on service requests for its on-service VOQ alone, so
//! no other of its VOQs can begin service; an output prefers an on-service request, and the input
//! of that request has no other, so the pair is matched in every slot until its frame ends, and no
//! other VOQ for that output can begin service meanwhile. A frame is never larger than its queue,
//! so the VOQ is never empty. So the requests, grants and accepts of on-service VOQs need not be
//! played through: one output for each input says it all. (The naive twin in the tests does play
//! them through, and agrees.) Other readings, for which this does not hold, are in
//! `captured_readings`.

use super::Matching;
use super::round_robin::Free;
use crate::cell::{NONE, Port};
use crate::counter::Counter;
use crate::observe::{Event, Observer};
use crate::port_set::PortSet;
use crate::scale::WORD;
use alloc::vec;
use alloc::vec::Vec;
use core::hint::select_unpredictable;

/// The pairs on service. CF of every VOQ is what is noted of it ([`super::Scheduler::on_dequeue`]).
#[derive(Clone, Debug)]
pub(super) struct CapturedFrames {
    /// By input: the output of its on-service VOQ, or [`NONE`].
    on_service: Vec<Port>,
    /// No frame is captured larger than this.
    largest: u32,
    slots: u64,
    inputs_on_service: u64,
    /// Frames of two cells or more whose service began.
    long_captures: u64,
    /// The inputs on service in the slot before, as words of bits.
    served_before: Vec<u64>,
    captures: u64,
    captured: u64,
    /// Both of the last slot, in one word.
    tally: u64,
}

/// A frame in the tally, above the cells captured: of at most 4096 frames of less than 2^32.
const FRAME: u32 = 48;

impl CapturedFrames {
    /// Nothing captured, nothing on service. `largest` of 0 stands for no limit.
    pub(super) fn new(ports: usize, largest: usize) -> Self {
        let largest = u32::try_from(largest).ok().filter(|&largest| largest > 0).unwrap_or(u32::MAX);
        Self {
            on_service: vec![NONE; ports],
            largest,
            slots: 0,
            inputs_on_service: 0,
            long_captures: 0,
            served_before: vec![0; ports.div_ceil(WORD)],
            captures: 0,
            captured: 0,
            tally: 0,
        }
    }

    /// Begins a slot: matches all pairs on service. What then is free is off service, and is
    /// returned.
    ///
    /// Round-robin pointers of such a pair need not move: they have stood one beyond the partner
    /// since the first match of the frame, and nothing else is matched there meanwhile.
    #[inline(always)]
    pub(super) fn serve<const W: usize, O: Observer + ?Sized>(
        &mut self,
        matching: &mut Matching,
        observer: &mut O,
    ) -> Free<W> {
        self.slots += 1;
        (self.captures, self.captured) = self.counted();
        self.tally = 0;
        // A walk over a set has no branch to guess at each input.
        let inputs = PortSet::<W>::named(&self.on_service);
        self.inputs_on_service += inputs.len() as u64;
        // Between two frames of an input there is a slot in which it is off service.
        for (before, &now) in self.served_before.iter_mut().zip(&inputs.words) {
            self.long_captures += u64::from((now & !*before).count_ones());
            *before = now;
        }
        matching.assign(&self.on_service);
        let mut free = Free::all(self.on_service.len());
        free.inputs = free.inputs.difference(&inputs);
        for input in inputs.iter() {
            free.outputs.remove(self.on_service[input] as usize);
            observer.observe(Event::OnService { input: input as Port, output: self.on_service[input] });
        }
        free
    }

    /// A cell leaves a VOQ of `length` cells. Returns CF from now on.
    #[inline(always)]
    pub(super) fn on_dequeue(&mut self, input: usize, output: usize, length: u32, frame: u32) -> u32 {
        // Branch-free: whether a frame goes on cannot be predicted.
        let goes_on = frame > 1;
        let captured = (length - 1).min(self.largest);
        self.on_service[input] = select_unpredictable(goes_on, output as Port, NONE);
        self.tally += select_unpredictable(goes_on, 0, 1 << FRAME | u64::from(captured));
        select_unpredictable(goes_on, frame.wrapping_sub(1), captured)
    }

    /// The same for an observer: tells it of a frame that is captured.
    pub(super) fn on_dequeue_observed(
        &mut self,
        input: usize,
        output: usize,
        length: u32,
        frame: u32,
        observer: &mut dyn Observer,
    ) -> u32 {
        let next = self.on_dequeue(input, output, length, frame);
        if self.on_service[input] == NONE {
            observer.observe(Event::Captured { input: input as Port, output: output as Port, cells: next });
        }
        next
    }

    /// The output on service by input.
    pub(super) fn on_service(&self) -> &[Port] {
        &self.on_service
    }

    /// Frames captured so far, and cells in them.
    fn counted(&self) -> (u64, u64) {
        (self.captures + (self.tally >> FRAME), self.captured + (self.tally & ((1 << FRAME) - 1)))
    }

    /// E(m) of equation 2, the mean captured frame, and the share of frames of two cells or more.
    pub(super) fn counters(&self, visit: &mut dyn FnMut(Counter)) {
        let (captures, captured) = self.counted();
        visit(Counter { name: "on_service_inputs", sum: self.inputs_on_service, per: self.slots });
        visit(Counter { name: "captured_frame", sum: captured, per: captures });
        visit(Counter { name: "long_captures", sum: self.long_captures, per: captures });
    }
}
