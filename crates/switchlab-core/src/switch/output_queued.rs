//! The ideal output-queued switch: every cell is in its output's queue the moment it arrives, first come, first served.
//!
//! The queue of an output takes up to N cells in one slot, so the memory behind it must be N + 1 times as fast as a line:
//! it cannot be built for large N, and is what everything else is measured against. No switch with one cell per output and slot has a
//! smaller mean delay. Under uniform Bernoulli traffic the mean delay is (N-1)/N * rho / (2 (1 - rho)).
//!
//! Cells of the same slot for the same output queue up in the order of their inputs.
//!
//! With `capacity=K` a queue holds K cells. Arrivals come before departures, and a cell may leave in the slot it came in: with q cells in a queue at the
//! start of a slot, the r-th arrival for it, in the order of inputs, is dropped exactly if q + r > K. Without it, queues are unlimited and nothing is dropped.
//!
//! Reference: M. Karol, M. Hluchyj, S. Morgan, "Input versus output queueing on a space-division packet switch", IEEE
//! Transactions on Communications 35(12), 1987, section III.

use super::queues::Queues;
use super::{Census, Inspection, QueueLengths, Switch};
use crate::cell::{Cell, Dropped, NONE, Port, Slot};
use alloc::vec;
use alloc::vec::Vec;

/// The queues of all outputs. If `BOUNDED`, they hold a limited number of cells; what that needs is not maintained otherwise.
#[derive(Clone, Debug)]
pub struct OutputQueued<const BOUNDED: bool = false> {
    queues: Queues,
    /// By place in the arena: the input a cell came from.
    inputs: Vec<Port>,
    /// By output, if bounded: the room left in its queue.
    room: Vec<u32>,
    /// What was dropped in this slot.
    dropped_now: Vec<Dropped>,
    ports: usize,
    arrived: u64,
    departed: u64,
    dropped: u64,
}

impl OutputQueued {
    /// An empty switch with unlimited queues.
    pub fn new(ports: usize) -> Self {
        Self::empty(ports, Vec::new())
    }
}

impl OutputQueued<true> {
    /// An empty switch whose queues hold `capacity` cells each.
    pub fn bounded(ports: usize, capacity: u32) -> Self {
        Self::empty(ports, vec![capacity; ports])
    }
}

impl<const BOUNDED: bool> OutputQueued<BOUNDED> {
    fn empty(ports: usize, room: Vec<u32>) -> Self {
        Self {
            queues: Queues::new(ports),
            inputs: vec![NONE; ports],
            dropped_now: Vec::with_capacity(room.len()),
            room,
            ports,
            arrived: 0,
            departed: 0,
            dropped: 0,
        }
    }
}

impl<const BOUNDED: bool> Switch for OutputQueued<BOUNDED> {
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
        if BOUNDED {
            self.dropped_now.clear();
        }
        for (input, &output) in arrivals.iter().enumerate() {
            if output == NONE {
                continue;
            }
            self.arrived += 1;
            if BOUNDED {
                let room = &mut self.room[output as usize];
                if *room == 0 {
                    self.dropped_now.push(Dropped { slot: now, born: now, input: input as Port, output });
                    continue;
                }
                *room -= 1;
            }
            let place = queues.push(output as usize, now);
            inputs[place] = input as Port;
        }
        for (output, departure) in departures.iter_mut().enumerate() {
            if !queues.is_empty(output) {
                let (place, born, _) = queues.pop(output);
                *departure = Cell { born, input: inputs[place] };
                self.departed += 1;
                if BOUNDED {
                    self.room[output] += 1;
                }
            }
        }
        if BOUNDED {
            self.dropped += self.dropped_now.len() as u64;
        }
    }

    #[inline(always)]
    fn dropped(&self) -> &[Dropped] {
        if BOUNDED { &self.dropped_now } else { &[] }
    }

    fn census(&self) -> Census {
        Census { arrived: self.arrived, departed: self.departed, dropped: self.dropped, queued: self.queues.length() }
    }

    fn bytes_per_cell(&self) -> usize {
        Queues::BYTES_PER_CELL + 3 * size_of::<Port>()
    }

    fn inspect(&self) -> Option<Inspection> {
        let queues = QueueLengths::Outputs(self.queues.lengths());
        Some(Inspection { queues, matching: None, state: Vec::new() })
    }
}
