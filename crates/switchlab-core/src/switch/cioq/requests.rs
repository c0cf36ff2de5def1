//! What competes in a phase, as ranks for the matcher.

use super::Policy;
use super::inputs::Inputs;
use super::matcher::Ranked;
use super::shadow::{Outputs, Shadow};
use crate::cell::{Port, Slot};
use alloc::vec;
use alloc::vec::Vec;

/// A VOQ that competes. The order of fields is the order in which outputs prefer: by value, and
/// where one order serves all, by the number of the output.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Request {
    value: u64,
    output: Port,
    input: Port,
    /// How the input ranks it, where that comes from its list.
    row_rank: u16,
}

/// The competing VOQs and their ranks.
#[derive(Clone, Debug)]
pub(super) struct Requests {
    ports: usize,
    all: Vec<Request>,
    /// How many ranks of a line are given.
    ranked_by_row: Vec<u16>,
    ranked_by_column: Vec<u16>,
    ranked: Vec<Ranked>,
}

impl Requests {
    pub(super) fn new(ports: usize) -> Self {
        Self {
            ports,
            all: Vec::with_capacity(ports),
            ranked_by_row: vec![0; ports],
            ranked_by_column: vec![0; ports],
            ranked: Vec::with_capacity(ports),
        }
    }

    /// Collects and ranks what competes.
    pub(super) fn collect(
        &mut self,
        policy: Policy,
        now: Slot,
        inputs: &mut Inputs,
        outputs: &Outputs,
        shadow: &Shadow,
    ) -> &[Ranked] {
        self.all.clear();
        self.ranked.clear();
        self.ranked_by_row.fill(0);
        self.ranked_by_column.fill(0);
        for input in 0..self.ports {
            if inputs.waiting(input) == 0 {
                continue;
            }
            match policy {
                Policy::Ccf => inputs.in_list_order(input, |output, key| self.add_next(input, output, key)),
                Policy::CcfDtc => {
                    inputs.critical_in_list_order(input, outputs, |output, key| self.add_next(input, output, key));
                }
                Policy::Mucfa => self.add_all(input, inputs, |voq, output, key| {
                    // The slot in which the cell leaves the shadow, or has left it.
                    match inputs.first_left(voq) {
                        Some(slot) => u64::from(slot),
                        None => u64::from(now) + shadow.before(output, key) as u64,
                    }
                }),
                Policy::Lqf => self.add_all(input, inputs, |voq, _, _| {
                    u64::from(u32::MAX - inputs.voq_length(voq)) << 16 | input as u64
                }),
            }
        }
        self.all.sort_unstable();
        // Where the inputs' ranks do not come from lists, one order of all pairs serves both sides,
        // and so there is no cycle.
        let one_order = matches!(policy, Policy::Mucfa | Policy::Lqf);
        for request in &self.all {
            let Request { output, input, row_rank, .. } = *request;
            let column_rank = next(&mut self.ranked_by_column[usize::from(output)]);
            let row_rank = if one_order { next(&mut self.ranked_by_row[usize::from(input)]) } else { row_rank };
            self.ranked.push(Ranked { input, output, row_rank, column_rank });
        }
        &self.ranked
    }

    /// Adds the VOQ that an input prefers after those added before.
    fn add_next(&mut self, input: usize, output: usize, key: u64) {
        let row_rank = next(&mut self.ranked_by_row[input]);
        self.add(input, output, key, row_rank);
    }

    /// Adds all VOQs of an input that are not empty.
    fn add_all(&mut self, input: usize, inputs: &Inputs, value: impl Fn(usize, usize, u64) -> u64) {
        let mut left = inputs.waiting(input);
        for output in 0..self.ports {
            let voq = input * self.ports + output;
            if let Some(key) = inputs.first_key(voq) {
                self.add(input, output, value(voq, output, key), 0);
                left -= 1;
                if left == 0 {
                    break;
                }
            }
        }
    }

    fn add(&mut self, input: usize, output: usize, value: u64, row_rank: u16) {
        self.all.push(Request { value, output: output as Port, input: input as Port, row_rank });
    }
}

fn next(ranked: &mut u16) -> u16 {
    *ranked += 1;
    *ranked
}
