//! Input queueing with a single FIFO per input: the switch with head-of-line blocking.
//!
//! Only the head-of-line cell of each input can leave. When the head-of-line cells of several
//! inputs are for the same output, one of them is chosen uniformly at random; the others wait, and
//! with them all cells behind them, even those for idle outputs. Under uniform traffic at full load
//! the throughput is 1, 3/4, 43/63, 325/496, ... for N = 1, 2, 3, 4, ..., and 2 - sqrt 2 = 58.6 %
//! for large N.
//!
//! Random choices: one draw for each output that is requested, ascending, which names the rank of
//! the chosen input among those that request it.
//!
//! Reference: M. Karol, M. Hluchyj, S. Morgan, "Input versus output queueing on a space-division
//! packet switch", IEEE Transactions on Communications 35(12), 1987, section II and table I.

use super::queues::{Queues, keep_beside};
use super::{Census, Inspection, QueueLengths, Switch};
use crate::cell::{Cell, NONE, Port, Slot};
use crate::rng::Rng;
use alloc::vec;
use alloc::vec::Vec;

/// The queues of all inputs.
#[derive(Clone, Debug)]
pub struct Fifo {
    queues: Queues,
    /// By index in the arena of `queues`: the output of the cell.
    outputs: Vec<Port>,
    /// By input: the output of its head-of-line cell, or [`NONE`].
    first: Vec<Port>,
    /// By input: the arrival slot of its head-of-line cell. Head-of-line cells are kept outside the
    /// queues, which hold the cells behind them.
    first_born: Vec<Slot>,
    /// By output: the number of head-of-line cells for it, then the rank of the winner, counted
    /// down.
    contenders: Vec<u32>,
    rng: Rng,
    held: u64,
    arrived: u64,
    departed: u64,
}

impl Fifo {
    /// An empty switch that resolves contention by `rng`.
    pub fn new(ports: usize, rng: Rng) -> Self {
        Self {
            queues: Queues::new(ports),
            outputs: vec![NONE; ports],
            first: vec![NONE; ports],
            first_born: vec![0; ports],
            contenders: vec![0; ports],
            rng,
            held: 0,
            arrived: 0,
            departed: 0,
        }
    }
}

impl Switch for Fifo {
    fn ports(&self) -> usize {
        self.first.len()
    }

    #[inline]
    fn slot(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
        let mut queues = self.queues.open(self.first.len());
        keep_beside(&mut self.outputs, queues.extent(), NONE);
        for (input, &output) in arrivals.iter().enumerate() {
            if output == NONE {
                continue;
            }
            self.arrived += 1;
            if self.first[input] == NONE {
                self.first[input] = output;
                self.first_born[input] = now;
                self.held += 1;
            } else {
                let place = queues.push(input, now);
                self.outputs[place] = output;
            }
        }
        // The requests of each output; then the rank of the winner, from 1; then count down to it.
        for &output in self.first.iter().filter(|&&output| output != NONE) {
            self.contenders[output as usize] += 1;
        }
        for contenders in self.contenders.iter_mut().filter(|contenders| **contenders > 0) {
            *contenders = self.rng.below(*contenders as usize) as u32 + 1;
        }
        for input in 0..self.first.len() {
            let output = self.first[input] as usize;
            if output == NONE as usize || self.contenders[output] == 0 {
                continue;
            }
            self.contenders[output] -= 1;
            if self.contenders[output] > 0 {
                continue;
            }
            departures[output] = Cell { born: self.first_born[input], input: input as Port };
            self.departed += 1;
            if queues.is_empty(input) {
                self.first[input] = NONE;
                self.held -= 1;
            } else {
                let (place, born, _) = queues.pop(input);
                self.first[input] = self.outputs[place];
                self.first_born[input] = born;
            }
        }
    }

    fn census(&self) -> Census {
        let queued = self.queues.length() + self.held;
        Census { arrived: self.arrived, departed: self.departed, dropped: 0, queued }
    }

    fn bytes_per_cell(&self) -> usize {
        Queues::BYTES_PER_CELL + 3 * size_of::<Port>()
    }

    fn fixed_bytes(&self) -> u64 {
        let by_port = size_of::<(Port, Slot, u32)>() * self.first.len();
        (size_of::<Self>() + by_port) as u64 + Queues::fixed_bytes(self.first.len(), size_of::<Port>())
    }

    fn inspect(&self) -> Option<Inspection> {
        let behind = self.queues.lengths();
        let lengths = self.first.iter().zip(behind).map(|(&first, behind)| behind + u32::from(first != NONE)).collect();
        let queues = QueueLengths::Inputs { lengths, first: self.first.clone() };
        Some(Inspection { queues, matching: None, state: Vec::new() })
    }
}
