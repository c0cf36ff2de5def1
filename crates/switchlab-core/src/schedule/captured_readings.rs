//! Captured frames by other readings of the paper, every request, grant and accept played through.
//!
//! The reading of `captured_frame` has a shortcut: pairs on service are matched in every slot. With
//! other readings a VOQ on service may be empty, and several may compete for an output, so that the
//! shortcut does not hold. This is the plain form, O(N^2) per iteration, for all readings.

use super::{Matching, Needs, Scheduler, View};
use crate::cell::{NONE, Port};
use crate::counter::Counter;
use crate::observe::{Event, Observer, Silent};
use crate::rng::Rng;
use crate::switch::Side;
use alloc::vec;
use alloc::vec::Vec;

/// Which occupancy becomes the size of the next frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Capture {
    /// What is left after the departure that ends the frame.
    #[default]
    After,
    /// The departing cell is counted too. A frame may then be larger than its queue, and its input
    /// waits for cells that have not arrived.
    Before,
}

/// What becomes of a VOQ whose last capture found it empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Empty {
    /// Its next match is a frame of one cell.
    #[default]
    One,
    /// Its next match begins a frame of all that it then holds.
    Occupancy,
    /// It takes no further part. Since all VOQs are empty at the beginning, their first frame has
    /// one cell.
    Skip,
}

/// A reading of the paper.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reading {
    /// Which occupancy is captured.
    pub capture: Capture,
    /// What becomes of an empty capture.
    pub empty: Empty,
}

/// How ports choose among requests or grants of the same status.
#[derive(Clone, Debug)]
pub enum Choice {
    /// Round robin from a pointer, as uFORM does: the pointers of outputs and of inputs.
    RoundRobin {
        /// By output: the input with the highest priority.
        grant: Vec<Port>,
        /// By input: the output with the highest priority.
        accept: Vec<Port>,
    },
    /// At random, as uFPIM does. One candidate on service draws nothing.
    Random(Rng),
}

impl Choice {
    /// Round robin, all pointers at 0.
    pub fn round_robin(ports: usize) -> Self {
        Self::RoundRobin { grant: vec![0; ports], accept: vec![0; ports] }
    }
}

/// The side whose port chooses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Chooser {
    Output,
    Input,
}

/// Frames and arbiters.
#[derive(Clone, Debug)]
pub struct CapturedReadings {
    iterations: usize,
    largest: u32,
    reading: Reading,
    choice: Choice,
    /// CF, by input and output.
    sizes: Vec<u32>,
    /// F, by input and output.
    flags: Vec<bool>,
    /// By input: its VOQs on service.
    serving: Vec<Port>,
    /// By output: the input that it grants in this iteration, or [`NONE`].
    granted: Vec<Port>,
    /// Candidates of one arbiter.
    candidates: Vec<Port>,
    /// By input and by output: its partner in this slot, or [`NONE`].
    outputs: Vec<Port>,
    inputs: Vec<Port>,
    slots: u64,
    inputs_on_service: u64,
    captures: u64,
    captured: u64,
    long_frames: u64,
}

impl CapturedReadings {
    /// Nothing captured, nothing on service. Frames of at most `frame` cells, unlimited if 0.
    pub fn new(ports: usize, iterations: usize, frame: usize, reading: Reading, choice: Choice) -> Self {
        let first = u32::from(reading.empty == Empty::Skip);
        Self {
            iterations,
            largest: u32::try_from(frame).ok().filter(|&frame| frame > 0).unwrap_or(u32::MAX),
            reading,
            choice,
            sizes: vec![first; ports * ports],
            flags: vec![false; ports * ports],
            serving: vec![0; ports],
            granted: vec![NONE; ports],
            candidates: Vec::with_capacity(ports),
            outputs: vec![NONE; ports],
            inputs: vec![NONE; ports],
            slots: 0,
            inputs_on_service: 0,
            captures: 0,
            captured: 0,
            long_frames: 0,
        }
    }

    /// Whether a VOQ requests: a non-empty on-service VOQ does, a non-empty off-service VOQ if its
    /// input is off service.
    fn requests(&self, queue: usize, input: usize, length: u32) -> bool {
        let is_out = self.reading.empty == Empty::Skip && self.sizes[queue] == 0;
        length > 0 && !is_out && (self.flags[queue] || self.serving[input] == 0)
    }

    /// An arbiter's choice among the candidates that are on service, if there are any, else among
    /// the others. Candidates ascend.
    fn choose(&mut self, chooser: Chooser, port: usize, are_on_service: bool) -> Port {
        let candidates = &self.candidates;
        match &mut self.choice {
            Choice::RoundRobin { grant, accept } => {
                let pointer = if chooser == Chooser::Output { grant[port] } else { accept[port] };
                let next = candidates.iter().find(|&&candidate| candidate >= pointer);
                next.or(candidates.first()).copied().unwrap_or(NONE)
            }
            Choice::Random(_) if are_on_service && candidates.len() == 1 => candidates[0],
            Choice::Random(rng) => candidates[rng.below(candidates.len())],
        }
    }

    /// Fills the candidates from pairs of a port and whether its VOQ is on service. Returns whether
    /// those are candidates that are on service.
    fn list(candidates: &mut Vec<Port>, asking: impl Iterator<Item = (Port, bool)> + Clone) -> bool {
        candidates.clear();
        candidates.extend(asking.clone().filter(|(_, on)| *on).map(|(port, _)| port));
        let are_on_service = !candidates.is_empty();
        if !are_on_service {
            candidates.extend(asking.map(|(port, _)| port));
        }
        are_on_service
    }

    /// Steps 1 and 2. Returns whether there is a grant.
    fn grant<O: Observer + ?Sized>(&mut self, ports: usize, lengths: &[u32], observer: &mut O) -> bool {
        observer.observe(Event::Iteration);
        let mut any = false;
        for output in 0..ports {
            self.granted[output] = NONE;
            if self.inputs[output] != NONE {
                continue;
            }
            let mut candidates = core::mem::take(&mut self.candidates);
            let asking = (0..ports).filter_map(|input| {
                let queue = input * ports + output;
                let asks = self.outputs[input] == NONE && self.requests(queue, input, lengths[queue]);
                asks.then_some((input as Port, self.flags[queue]))
            });
            let are_on_service = Self::list(&mut candidates, asking.clone());
            if observer.is_watching() && !candidates.is_empty() {
                let inputs: Vec<Port> = asking.map(|(input, _)| input).collect();
                observer.observe(Event::Requests { output: output as Port, inputs: &inputs });
            }
            self.candidates = candidates;
            if !self.candidates.is_empty() {
                let input = self.choose(Chooser::Output, output, are_on_service);
                observer.observe(Event::Grant { output: output as Port, input });
                self.granted[output] = input;
                any = true;
            }
        }
        any
    }

    /// Step 3.
    fn accept<O: Observer + ?Sized>(&mut self, ports: usize, lengths: &[u32], observer: &mut O) {
        for input in 0..ports {
            let mut candidates = core::mem::take(&mut self.candidates);
            let granting = (0..ports)
                .filter(|&output| usize::from(self.granted[output]) == input)
                .map(|output| (output as Port, self.flags[input * ports + output]));
            let are_on_service = Self::list(&mut candidates, granting);
            self.candidates = candidates;
            if !self.candidates.is_empty() {
                let output = usize::from(self.choose(Chooser::Input, input, are_on_service));
                observer.observe(Event::Accept { input: input as Port, output: output as Port });
                self.move_pointers(input, output, ports, observer);
                self.serve(input, output, lengths[input * ports + output], observer);
            }
        }
    }

    /// Both pointers move one beyond the partner.
    fn move_pointers<O: Observer + ?Sized>(&mut self, input: usize, output: usize, ports: usize, observer: &mut O) {
        let (grant, accept) = match &mut self.choice {
            Choice::RoundRobin { grant, accept } => (grant, accept),
            // Random choices have no pointers.
            Choice::Random(_) => return,
        };
        let moves = [
            (Side::Output, output, &mut grant[output], (input + 1) % ports),
            (Side::Input, input, &mut accept[input], (output + 1) % ports),
        ];
        for (side, port, pointer, after) in moves {
            let before = core::mem::replace(pointer, after as Port);
            if before != *pointer {
                observer.observe(Event::Pointer { side, port: port as Port, before, after: *pointer });
            }
        }
    }

    /// A pair is matched: the frame goes on, or ends and the next one is captured. `length` counts
    /// the departing cell.
    fn serve<O: Observer + ?Sized>(&mut self, input: usize, output: usize, length: u32, observer: &mut O) {
        (self.outputs[input], self.inputs[output]) = (output as Port, input as Port);
        let queue = input * self.outputs.len() + output;
        let frame = match (self.sizes[queue], self.reading.empty) {
            (0, Empty::Occupancy) => length.min(self.largest),
            (frame, _) => frame,
        };
        let goes_on = frame > 1;
        self.long_frames += u64::from(goes_on && !self.flags[queue]);
        self.serving[input] = self.serving[input] + Port::from(goes_on) - Port::from(self.flags[queue]);
        self.flags[queue] = goes_on;
        self.sizes[queue] = if goes_on {
            frame - 1
        } else {
            let occupancy = match self.reading.capture {
                Capture::After => length - 1,
                Capture::Before => length,
            };
            let captured = occupancy.min(self.largest);
            self.captures += 1;
            self.captured += u64::from(captured);
            let (input, output) = (input as Port, output as Port);
            observer.observe(Event::Captured { input, output, cells: captured });
            captured
        };
    }
}

impl CapturedReadings {
    /// A slot, for an observer or none.
    fn decide<const W: usize, O: Observer + ?Sized>(
        &mut self,
        view: &View<'_, W>,
        matching: &mut Matching,
        observer: &mut O,
    ) {
        self.slots += 1;
        self.inputs_on_service += self.serving.iter().filter(|&&serving| serving > 0).count() as u64;
        self.outputs.fill(NONE);
        self.inputs.fill(NONE);
        for _ in 0..self.iterations {
            if !self.grant(view.ports, view.lengths, observer) {
                break;
            }
            self.accept(view.ports, view.lengths, observer);
        }
        matching.assign(&self.outputs);
    }
}

impl<const W: usize> Scheduler<W> for CapturedReadings {
    const NEEDS: Needs = Needs::LENGTHS;
    const MATCHES_ONLY_NONEMPTY: bool = true;

    fn schedule(&mut self, view: &View<'_, W>, matching: &mut Matching) {
        self.decide(view, matching, &mut Silent);
    }

    fn schedule_observed(&mut self, view: &View<'_, W>, matching: &mut Matching, observer: &mut dyn Observer) {
        self.decide(view, matching, observer);
    }

    fn counters(&self, visit: &mut dyn FnMut(Counter)) {
        visit(Counter { name: "on_service_inputs", sum: self.inputs_on_service, per: self.slots });
        visit(Counter { name: "captured_frame", sum: self.captured, per: self.captures });
        visit(Counter { name: "long_captures", sum: self.long_frames, per: self.captures });
    }

    fn state(&self, visit: &mut dyn FnMut(&'static str, &[Port])) {
        if let Choice::RoundRobin { grant, accept } = &self.choice {
            visit("grant pointers, by output", grant);
            visit("accept pointers, by input", accept);
        }
    }
}
