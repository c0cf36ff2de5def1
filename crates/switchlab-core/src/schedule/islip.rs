//! iSLIP: round-robin matching with slipping pointers.
//!
//! Each iteration has three steps over the ports that are still unmatched:
//!
//! 1. Request. Every input asks every output for which it has a cell.
//! 2. Grant. An output grants the asking input at or next after its grant pointer, cyclically.
//! 3. Accept. An input accepts the granting output at or next after its accept pointer, cyclically.
//!
//! Both pointers move to one beyond the partner, only for grants that were accepted, and only in the first iteration:
//! this is what makes the pointers of busy outputs slip apart (100 % throughput under uniform traffic with a single
//! iteration) and keeps a connection from starving. All pointers start at 0. An iteration that adds nothing ends the slot.
//!
//! Matching: maximal after at most N iterations, about log2 N on average. Cost: O(N) word operations per iteration in
//! software; two round-robin arbiters per port in hardware.
//!
//! Reference: N. `McKeown`, "The iSLIP scheduling algorithm for input-queued switches", IEEE/ACM Transactions on
//! Networking 7(2), 1999, sections II and III.

use super::{Matching, Needs, Scheduler, View, bits};
use crate::cell::Port;
use crate::counter::Counter;
use alloc::vec;
use alloc::vec::Vec;

const NO_GRANT: Port = Port::MAX;

/// The pointers, and room for one iteration.
#[derive(Clone, Debug)]
pub struct Islip<const W: usize> {
    iterations: usize,
    /// By output: the input with the highest priority.
    grant: Vec<Port>,
    /// By input: the output with the highest priority.
    accept: Vec<Port>,
    /// By input: how far beyond its accept pointer the best granting output is. The accept step is the minimum over
    /// the grants, taken as they come; keeping the grants as bit rows was no faster at 64 ports and slower beyond.
    nearest: Vec<Port>,
    slots: u64,
    iterations_used: u64,
}

impl<const W: usize> Islip<W> {
    /// All pointers at 0.
    pub fn new(ports: usize, iterations: usize) -> Self {
        Self {
            iterations,
            grant: vec![0; ports],
            accept: vec![0; ports],
            nearest: vec![NO_GRANT; ports],
            slots: 0,
            iterations_used: 0,
        }
    }

    /// The grant pointers, by output.
    pub fn grant_pointers(&self) -> &[Port] {
        &self.grant
    }

    /// The accept pointers, by input.
    pub fn accept_pointers(&self) -> &[Port] {
        &self.accept
    }
}

impl<const W: usize> Scheduler<W> for Islip<W> {
    const NEEDS: Needs = Needs { rows: false, columns: true, lengths: false };

    #[inline]
    fn schedule(&mut self, view: &View<'_, W>, matching: &mut Matching) {
        let ports = view.ports;
        let mut free_inputs = bits::first::<W>(ports);
        let mut free_outputs = free_inputs;
        self.slots += 1;
        for iteration in 0..self.iterations {
            let mut any_grant = false;
            let mut grant_from = |output: usize, requests: &[u64; W]| {
                if let Some(input) = bits::next_from(requests, self.grant[output] as usize) {
                    let accept = self.accept[input] as usize;
                    let distance = if output >= accept { output - accept } else { output + ports - accept };
                    self.nearest[input] = self.nearest[input].min(distance as Port);
                    any_grant = true;
                }
            };
            if iteration == 0 {
                for (output, column) in view.columns.iter().enumerate() {
                    grant_from(output, column);
                }
            } else {
                for output in bits::ports(&free_outputs) {
                    grant_from(output, &bits::and(&view.columns[output], &free_inputs));
                }
            }
            if !any_grant {
                break;
            }
            self.iterations_used += 1;
            for (input, nearest) in self.nearest.iter_mut().enumerate() {
                let distance = core::mem::replace(nearest, NO_GRANT);
                if distance == NO_GRANT {
                    continue;
                }
                let output = wrap(self.accept[input] as usize + distance as usize, ports);
                matching.add(input, output);
                bits::unset(&mut free_inputs, input);
                bits::unset(&mut free_outputs, output);
                if iteration == 0 {
                    self.grant[output] = wrap(input + 1, ports) as Port;
                    self.accept[input] = wrap(output + 1, ports) as Port;
                }
            }
        }
    }

    fn counters(&self, visit: &mut dyn FnMut(Counter)) {
        visit(Counter { name: "iterations", sum: self.iterations_used, per: self.slots });
    }
}

/// `port mod ports`, for a port below `2 * ports`.
#[inline(always)]
fn wrap(port: usize, ports: usize) -> usize {
    if port >= ports { port - ports } else { port }
}
