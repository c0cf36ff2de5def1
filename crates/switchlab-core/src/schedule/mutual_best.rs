//! `FIND_ROOTS` where both sides rank pairs by one weight: shared by the schedulers that do.
//!
//! A root is a pair that is the best of its row and of its column. With one weight for both sides
//! and one order of equal pairs there always is one, the best pair of all that are left; so the
//! instance is acyclic, and `FIND_ROOTS` ends with the matching that a greedy choice by weight
//! gives. Ranks are never made: the best of each line is all that an iteration needs, and it comes
//! from one look at the weights of the requests that are left, in the order they lie in memory. The
//! general form, for ranks of any kind, is [`crate::stable::Workspace`].

use super::{Matching, View};
use crate::cell::{NONE, Port};
use crate::counter::Counter;
use crate::observe::{Event, Observer, begin_iteration, column};
use crate::port_set::PortSet;
use alloc::vec;
use alloc::vec::Vec;

/// The best pair of a line: its weight, and the port at its other end.
#[derive(Clone, Copy, Debug)]
struct Best {
    weight: u32,
    port: Port,
}

const NO_PORT: Best = Best { weight: 0, port: NONE };

/// Room for one iteration, and what has been counted. Nothing is remembered from slot to slot.
#[derive(Clone, Debug)]
pub(super) struct MutualBest {
    by_input: Vec<Best>,
    by_output: Vec<Best>,
    slots: u64,
    iterations: u64,
}

impl MutualBest {
    pub(super) fn new(ports: usize) -> Self {
        Self { by_input: vec![NO_PORT; ports], by_output: vec![NO_PORT; ports], slots: 0, iterations: 0 }
    }

    /// Matches. `weight` says how good the pair of a VOQ that is not empty is; more is better.
    #[inline(always)]
    pub(super) fn schedule<const W: usize, O: Observer + ?Sized>(
        &mut self,
        view: &View<'_, W>,
        weight: impl Fn(usize) -> u32,
        matching: &mut Matching,
        observer: &mut O,
    ) {
        let ports = view.ports;
        let mut free_inputs = PortSet::<W>::all(ports);
        let mut free_outputs = free_inputs;
        self.slots += 1;
        loop {
            begin_iteration(observer, &free_outputs, |output| column(view.rows, &free_inputs, output));
            // The best of each line. Inputs and outputs ascend and only a better pair displaces, so
            // of equal pairs the one with the lowest input is the best, then the one with the
            // lowest output: the same order for rows and columns, as it must be.
            self.by_output.fill(NO_PORT);
            let mut asking = PortSet::<W>::EMPTY;
            for input in free_inputs.iter() {
                let mut best = NO_PORT;
                for output in view.rows[input].intersection(&free_outputs).iter() {
                    let weight = weight(input * ports + output);
                    if best.port == NONE || weight > best.weight {
                        best = Best { weight, port: output as Port };
                    }
                    let rival = &mut self.by_output[output];
                    if rival.port == NONE || weight > rival.weight {
                        *rival = Best { weight, port: input as Port };
                    }
                }
                self.by_input[input] = best;
                asking.assign(input, best.port != NONE);
            }
            if asking.is_empty() {
                break;
            }
            if observer.is_watching() {
                for (output, best) in (0..).zip(&self.by_output).filter(|(_, best)| best.port != NONE) {
                    observer.observe(Event::Grant { output, input: best.port });
                }
            }
            // The roots: pairs that are the best of both their lines.
            self.iterations += 1;
            free_inputs = asking;
            for input in asking.iter() {
                let output = usize::from(self.by_input[input].port);
                if usize::from(self.by_output[output].port) == input {
                    matching.add(input, output);
                    observer.observe(Event::Accept { input: input as Port, output: output as Port });
                    free_inputs.remove(input);
                    free_outputs.remove(output);
                }
            }
        }
    }

    pub(super) fn counters(&self, visit: &mut dyn FnMut(Counter)) {
        visit(Counter { name: "iterations", sum: self.iterations, per: self.slots });
    }
}
