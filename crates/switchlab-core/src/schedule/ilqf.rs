//! iLQF, iterative longest queue first: grants and accepts go to the longest queue.
//!
//! Each iteration has three steps over the ports that are still unmatched:
//!
//! 1. Request. Every non-empty VOQ requests its output, with its length.
//! 2. Grant. An output grants the longest of the requesting queues.
//! 3. Accept. An input accepts the longest of the granted queues.
//!
//! Equal lengths: the lowest port number wins, on both sides, so the same requests always give the
//! same matching. (The reference breaks ties at random; a fixed rule keeps departures determined by
//! the arrivals.) An iteration that adds nothing ends the slot. N iterations give a maximal
//! matching, but not the greedy one by weight, and no share of the maximum weight is guaranteed: an
//! output may spend its grant on an input that accepts another, while the input it should have had
//! accepts a short queue elsewhere.
//!
//! Matching: maximal after at most N iterations. Cost: O(N^2) per iteration in software, since
//! every request has a weight to look at; comparator trees in hardware.
//!
//! Reference: N. McKeown, "Scheduling algorithms for input-queued cell switches", doctoral
//! thesis, University of California at Berkeley, 1995, chapter 4.

use super::{Matching, Needs, Scheduler, View};
use crate::cell::{NONE, Port};
use crate::counter::Counter;
use crate::observe::{Event, Observer, Silent, begin_iteration, column};
use crate::port_set::PortSet;
use alloc::vec;
use alloc::vec::Vec;

/// A port and the length of the queue it was chosen for.
#[derive(Clone, Copy, Debug)]
struct Best {
    length: u32,
    port: Port,
}

const NO_PORT: Best = Best { length: 0, port: NONE };

/// Room for one iteration; iLQF remembers nothing from slot to slot.
#[derive(Clone, Debug)]
pub struct Ilqf<const W: usize> {
    iterations: usize,
    /// By output: the longest requesting queue.
    grant: Vec<Best>,
    /// By input: the longest granted queue.
    accept: Vec<Best>,
    slots: u64,
    iterations_used: u64,
}

impl<const W: usize> Ilqf<W> {
    /// A scheduler of at most `iterations` iterations per slot.
    pub fn new(ports: usize, iterations: usize) -> Self {
        Self { iterations, grant: vec![NO_PORT; ports], accept: vec![NO_PORT; ports], slots: 0, iterations_used: 0 }
    }

    /// A slot, for an observer or none.
    #[inline(always)]
    fn decide<O: Observer + ?Sized>(&mut self, view: &View<'_, W>, matching: &mut Matching, observer: &mut O) {
        let ports = view.ports;
        let mut free_inputs = PortSet::<W>::all(ports);
        let mut free_outputs = free_inputs;
        self.slots += 1;
        for _ in 0..self.iterations {
            begin_iteration(observer, &free_outputs, |output| column(view.rows, &free_inputs, output));
            // Grant, seen from the inputs so that lengths are read in the order they lie in memory.
            // Inputs come in ascending order and only a longer queue displaces, so ties stay with
            // the lowest input.
            self.grant.fill(NO_PORT);
            for input in free_inputs.iter() {
                let lengths = &view.lengths[input * ports..][..ports];
                for output in view.rows[input].intersection(&free_outputs).iter() {
                    if lengths[output] > self.grant[output].length {
                        self.grant[output] = Best { length: lengths[output], port: input as Port };
                    }
                }
            }
            // Accept, likewise with outputs ascending.
            self.accept.fill(NO_PORT);
            for (output, grant) in self.grant.iter().enumerate() {
                if grant.port != NONE {
                    observer.observe(Event::Grant { output: output as Port, input: grant.port });
                }
                if grant.port != NONE && grant.length > self.accept[grant.port as usize].length {
                    self.accept[grant.port as usize] = Best { length: grant.length, port: output as Port };
                }
            }
            let mut any = false;
            for (input, accept) in self.accept.iter().enumerate() {
                if accept.port != NONE {
                    any = true;
                    observer.observe(Event::Accept { input: input as Port, output: accept.port });
                    matching.add(input, accept.port as usize);
                    free_inputs.remove(input);
                    free_outputs.remove(accept.port as usize);
                }
            }
            if !any {
                break;
            }
            self.iterations_used += 1;
        }
    }
}

impl<const W: usize> Scheduler<W> for Ilqf<W> {
    const NEEDS: Needs = Needs::ROWS.and(Needs::LENGTHS);

    #[inline]
    fn schedule(&mut self, view: &View<'_, W>, matching: &mut Matching) {
        self.decide(view, matching, &mut Silent);
    }

    fn schedule_observed(&mut self, view: &View<'_, W>, matching: &mut Matching, observer: &mut dyn Observer) {
        self.decide(view, matching, observer);
    }

    fn counters(&self, visit: &mut dyn FnMut(Counter)) {
        visit(Counter { name: "iterations", sum: self.iterations_used, per: self.slots });
    }
}
