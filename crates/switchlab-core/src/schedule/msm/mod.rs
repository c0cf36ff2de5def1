//! MSM, maximum size matching: as many cells as can be sent at once, in every slot.
//!
//! No matching of non-empty VOQs has more pairs. That is the most throughput for this slot, but not
//! in the long run: lengths do not count, so a long queue may be passed over for two short ones,
//! and under non-uniform traffic queues can grow without bound at loads that MWM carries.
//!
//! A greedy matching comes first, then phases:
//!
//! 1. Breadth first, from all inputs without a pair at once: how far the nearest output without a
//!    pair is, by way of a VOQ, back along a pair, by way of a VOQ, and so on.
//! 2. Depth first, from each input without a pair: a path of that length that shares no port with
//!    those before. Its VOQs become the pairs, its pairs are dropped, and there is one pair more.
//!
//! When no output is found, no matching is larger.
//!
//! Ties: two draws in each slot, the input and the output at which all scans begin, from where they
//! go on cyclically; so no port number is favoured. The choice is not uniform over all matchings of
//! maximum size.
//!
//! Matching: of maximum size. Cost: O(sqrt N) phases of O(N^2 / 64) word operations in software,
//! two phases on average at 64 ports and load 0.9; too much for hardware.
//!
//! Reference: J. Hopcroft, R. Karp, "An n^(5/2) algorithm for maximum matchings in bipartite
//! graphs", SIAM Journal on Computing 2(4), 1973.

#[cfg(test)]
mod tests;

use super::{Matching, Needs, Scheduler, View};
use crate::cell::{NONE, Port};
use crate::counter::Counter;
use crate::observe::{Event, Observer, Silent};
use crate::port_set::PortSet;
use crate::rng::Rng;
use alloc::vec;
use alloc::vec::Vec;

/// The random stream, and room for one slot; MSM remembers nothing from slot to slot.
#[derive(Clone, Debug)]
pub struct Msm<const W: usize> {
    rng: Rng,
    /// By input: its output. By output: its input.
    output_of: Vec<Port>,
    input_of: Vec<Port>,
    free_inputs: PortSet<W>,
    free_outputs: PortSet<W>,
    /// By distance: the outputs at that distance, in pairs, from the inputs without a pair, less
    /// those already tried.
    layers: Vec<PortSet<W>>,
    /// The inputs whose neighbours are the next layer; then, by distance, the inputs of a path.
    inputs: Vec<Port>,
    /// By distance: the outputs of a path.
    outputs: Vec<Port>,
    slots: u64,
    phases: u64,
}

impl<const W: usize> Msm<W> {
    /// A scheduler that draws from `rng`.
    pub fn new(ports: usize, rng: Rng) -> Self {
        Self {
            rng,
            output_of: vec![NONE; ports],
            input_of: vec![NONE; ports],
            free_inputs: PortSet::EMPTY,
            free_outputs: PortSet::EMPTY,
            layers: vec![PortSet::EMPTY; ports],
            inputs: vec![NONE; ports],
            outputs: vec![NONE; ports],
            slots: 0,
            phases: 0,
        }
    }

    /// Breadth first: fills the layers up to the first with a free output, of which it keeps the
    /// free ones. Returns that layer's number, or none if there is none.
    ///
    /// A layer is a set of outputs and not a number by output, so what an input may step to is one
    /// `and`.
    #[inline]
    fn find_layers(&mut self, view: &View<'_, W>) -> Option<usize> {
        let mut seen = PortSet::<W>::EMPTY;
        let mut layer = PortSet::<W>::EMPTY;
        for input in self.free_inputs.iter() {
            layer.insert_all(&view.rows[input]);
        }
        for distance in 0..view.ports {
            let ends = layer.intersection(&self.free_outputs);
            if !ends.is_empty() {
                self.layers[distance] = ends;
                return Some(distance);
            }
            if layer.is_empty() {
                break;
            }
            self.layers[distance] = layer;
            seen.insert_all(&layer);
            let mut next = PortSet::<W>::EMPTY;
            for output in layer.iter() {
                next.insert_all(&view.rows[self.input_of[output] as usize]);
            }
            layer = next.difference(&seen);
        }
        None
    }

    /// Depth first: a path from a free input through the layers, each output tried once in a phase.
    /// If there is one, its VOQs become the pairs. A loop, since a recursion through 4096 ports may
    /// overflow a stack.
    #[inline]
    fn augment<O: Observer + ?Sized>(
        &mut self,
        view: &View<'_, W>,
        source: usize,
        last: usize,
        pointer: usize,
        observer: &mut O,
    ) {
        let mut distance = 0;
        self.inputs[0] = source as Port;
        loop {
            let row = &view.rows[self.inputs[distance] as usize];
            let Some(output) = row.intersection(&self.layers[distance]).first_from(pointer) else {
                if distance == 0 {
                    return;
                }
                distance -= 1;
                continue;
            };
            self.layers[distance].remove(output);
            self.outputs[distance] = output as Port;
            if distance == last {
                break;
            }
            distance += 1;
            self.inputs[distance] = self.input_of[output];
        }
        for (&input, &output) in self.inputs[..=last].iter().zip(&self.outputs) {
            self.output_of[input as usize] = output;
            self.input_of[output as usize] = input;
        }
        observer.observe(Event::Path { inputs: &self.inputs[..=last], outputs: &self.outputs[..=last] });
        self.free_inputs.remove(source);
        self.free_outputs.remove(self.outputs[last] as usize);
    }

    /// A slot, for an observer or none.
    #[inline(always)]
    fn decide<O: Observer + ?Sized>(&mut self, view: &View<'_, W>, matching: &mut Matching, observer: &mut O) {
        let ports = view.ports;
        let first_input = self.rng.below(ports);
        let first_output = self.rng.below(ports);
        self.slots += 1;
        self.output_of.fill(NONE);
        self.free_outputs = PortSet::all(ports);
        self.free_inputs = PortSet::EMPTY;
        // Greedy. An input without a cell is not free: it can have no pair.
        for input in (first_input..ports).chain(0..first_input) {
            if let Some(output) = view.rows[input].intersection(&self.free_outputs).first_from(first_output) {
                self.output_of[input] = output as Port;
                self.input_of[output] = input as Port;
                self.free_outputs.remove(output);
                observer.observe(Event::Greedy { input: input as Port, output: output as Port });
            } else if !view.rows[input].is_empty() {
                self.free_inputs.insert(input);
            }
        }
        while let Some(last) = self.find_layers(view) {
            self.phases += 1;
            let mut sources = self.free_inputs;
            while let Some(source) = sources.first_from(first_input) {
                sources.remove(source);
                self.augment(view, source, last, first_output, observer);
            }
        }
        for (input, &output) in self.output_of.iter().enumerate() {
            if output != NONE {
                matching.add(input, output as usize);
            }
        }
    }
}

impl<const W: usize> Scheduler<W> for Msm<W> {
    const NEEDS: Needs = Needs::ROWS;

    #[inline]
    fn schedule(&mut self, view: &View<'_, W>, matching: &mut Matching) {
        self.decide(view, matching, &mut Silent);
    }

    fn schedule_observed(&mut self, view: &View<'_, W>, matching: &mut Matching, observer: &mut dyn Observer) {
        self.decide(view, matching, observer);
    }

    fn counters(&self, visit: &mut dyn FnMut(Counter)) {
        visit(Counter { name: "phases", sum: self.phases, per: self.slots });
    }
}
