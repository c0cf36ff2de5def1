//! Captured frames: which VOQs are on service, and for how many cells (paper 001, section II).
//!
//! Each VOQ has a counter CF, the size of its frame. When a VOQ is matched and CF is above 1, CF falls by one and the VOQ is on service;
//! otherwise the frame ends: the VOQ is off service, and CF becomes what is left in the VOQ after this departure, the captured frame. A VOQ that
//! was empty then has CF = 0, may take part while its input is off service (section VI), and its next match ends its frame of nothing. At the beginning CF is 0
//! everywhere and nothing is on service.
//!
//! On-service VOQs form a matching. An input on service asks for its on-service VOQs alone, so no other of its VOQs can begin service; an output
//! prefers an on-service request, and the input of that request has no other, so the pair is matched in every slot until its frame ends,
//! and no other VOQ for that output can begin service meanwhile. A frame is never larger than its queue, so the VOQ is never empty. So the
//! requests, grants and accepts of on-service VOQs need not be played through: one output for each input says it all. (The naive twin in the tests does play them
//! through, and agrees.)

use super::round_robin::Free;
use super::{Matching, View, bits};
use crate::cell::{NONE, Port};
use crate::counter::Counter;
use crate::fetch::fetch;
use alloc::vec;
use alloc::vec::Vec;
use core::hint::select_unpredictable;

/// CF of every VOQ, and the pairs on service.
#[derive(Clone, Debug)]
pub(super) struct CapturedFrames<const W: usize> {
    /// At `i * ports + j`, CF of the VOQ from input `i` to output `j`.
    frames: Vec<u32>,
    /// By input: the output of its on-service VOQ, or [`NONE`].
    on_service: Vec<Port>,
    /// The inputs that have one: a loop over its bits has no branch to guess at each input.
    inputs: [u64; W],
    /// The inputs of the pairs that are to be updated.
    made: [u64; W],
    /// No frame is captured larger than this.
    largest: u32,
    slots: u64,
    inputs_on_service: u64,
    captures: u64,
    captured: u64,
}

impl<const W: usize> CapturedFrames<W> {
    /// Nothing captured, nothing on service. `largest` of 0 stands for no limit.
    pub(super) fn new(ports: usize, largest: usize) -> Self {
        let largest = u32::try_from(largest).ok().filter(|&largest| largest > 0).unwrap_or(u32::MAX);
        Self {
            frames: vec![0; ports * ports],
            on_service: vec![NONE; ports],
            inputs: bits::empty(),
            made: bits::empty(),
            largest,
            slots: 0,
            inputs_on_service: 0,
            captures: 0,
            captured: 0,
        }
    }

    /// Begins a slot: matches all pairs on service. What then is free is off service.
    ///
    /// Round-robin pointers of such a pair need not move: they have stood one beyond the partner since the first match of the
    /// frame, and nothing else is matched there meanwhile.
    #[inline(always)]
    pub(super) fn serve(&mut self, free: &mut Free<W>, view: &View<'_, W>, matching: &mut Matching) {
        self.slots += 1;
        let inputs = self.inputs;
        for input in bits::ports(&inputs) {
            let output = self.on_service[input] as usize;
            self.inputs_on_service += 1;
            matching.add(input, output);
            free.remove(input, output);
            self.matched(input, output, view);
        }
    }

    /// Is told of a pair as soon as it is made. In a large switch this only begins to fetch what is to be updated, by [`Self::update`].
    #[inline(always)]
    pub(super) fn pair(&mut self, input: usize, output: usize, view: &View<'_, W>) {
        if View::<W>::LARGE {
            let voq = input * self.on_service.len() + output;
            fetch(&self.frames[voq]);
            view.fetch_length(voq);
            bits::set(&mut self.made, input);
        } else {
            self.matched(input, output, view);
        }
    }

    /// Updates the pairs of an iteration in a large switch.
    #[inline(always)]
    pub(super) fn update(&mut self, matching: &Matching, view: &View<'_, W>) {
        if View::<W>::LARGE {
            let made = core::mem::replace(&mut self.made, bits::empty());
            for input in bits::ports(&made) {
                self.matched(input, matching.outputs()[input] as usize, view);
            }
        }
    }

    /// Updates CF and the service of a VOQ that was matched; its length still counts the cell that is about to leave.
    #[inline(always)]
    fn matched(&mut self, input: usize, output: usize, view: &View<'_, W>) {
        // Whether a frame goes on is as good as random: values are selected, and no branch is taken.
        let voq = input * self.on_service.len() + output;
        let frame = &mut self.frames[voq];
        let goes_on = *frame > 1;
        let captured = (view.length(voq) - 1).min(self.largest);
        *frame = select_unpredictable(goes_on, frame.wrapping_sub(1), captured);
        self.on_service[input] = select_unpredictable(goes_on, output as Port, NONE);
        bits::assign(&mut self.inputs, input, goes_on);
        self.captures += u64::from(!goes_on);
        self.captured += u64::from(select_unpredictable(goes_on, 0, captured));
    }

    /// CF by VOQ, and the output on service by input.
    pub(super) fn state(&self) -> (&[u32], &[Port]) {
        (&self.frames, &self.on_service)
    }

    /// E(m) of equation 2, and the mean captured frame.
    pub(super) fn counters(&self, visit: &mut dyn FnMut(Counter)) {
        visit(Counter { name: "on_service_inputs", sum: self.inputs_on_service, per: self.slots });
        visit(Counter { name: "captured_frame", sum: self.captured, per: self.captures });
    }
}
