//! The ideal output-queued switch: every cell is in its output's queue the moment it arrives, first come, first served.
//!
//! The queue of an output takes up to N cells in one slot, so the memory behind it must be N + 1 times as fast as a line:
//! it cannot be built for large N, and is what everything else is measured against. No switch with one cell per output and slot has a
//! smaller mean delay. Under uniform Bernoulli traffic the mean delay is (N-1)/N * rho / (2 (1 - rho)).
//!
//! Cells of the same slot for the same output queue up in the order of their inputs.
//!
//! Reference: M. Karol, M. Hluchyj, S. Morgan, "Input versus output queueing on a space-division packet switch", IEEE
//! Transactions on Communications 35(12), 1987, section III.

use super::queues::Queues;
use super::{Census, Inspection, QueueLengths, Switch};
use crate::cell::{Cell, NONE, Port, Slot};
use alloc::vec;
use alloc::vec::Vec;

/// The queues of all outputs.
#[derive(Clone, Debug)]
pub struct OutputQueued {
    queues: Queues,
    /// By place in the arena: the input a cell came from.
    inputs: Vec<Port>,
    ports: usize,
    arrived: u64,
    departed: u64,
}

impl OutputQueued {
    /// An empty switch.
    pub fn new(ports: usize) -> Self {
        Self { queues: Queues::new(ports), inputs: vec![NONE; ports], ports, arrived: 0, departed: 0 }
    }
}

impl Switch for OutputQueued {
    fn ports(&self) -> usize {
        self.ports
    }

    #[inline]
    fn slot(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
        let mut queues = self.queues.open(self.ports);
        if self.inputs.len() < queues.extent() {
            self.inputs.resize(queues.extent(), NONE);
        }
        let inputs = &mut self.inputs[..];
        for (input, &output) in arrivals.iter().enumerate() {
            if output == NONE {
                continue;
            }
            let place = queues.push(output as usize, now);
            inputs[place] = input as Port;
            self.arrived += 1;
        }
        for (output, departure) in departures.iter_mut().enumerate() {
            if !queues.is_empty(output) {
                let (place, born, _) = queues.pop(output);
                *departure = Cell { born, input: inputs[place] };
                self.departed += 1;
            }
        }
    }

    fn census(&self) -> Census {
        Census { arrived: self.arrived, departed: self.departed, dropped: 0, queued: self.queues.length() }
    }

    fn bytes_per_cell(&self) -> usize {
        Queues::BYTES_PER_CELL + 3 * size_of::<Port>()
    }

    fn inspect(&self) -> Option<Inspection> {
        let queues = QueueLengths::Outputs(self.queues.lengths());
        Some(Inspection { queues, matching: None, state: Vec::new() })
    }
}
