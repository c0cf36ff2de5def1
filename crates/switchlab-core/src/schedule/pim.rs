//! PIM, parallel iterative matching: random grants, random accepts.
//!
//! Each iteration has three steps over the ports that are still unmatched:
//!
//! 1. Request. Every input asks every output for which it has a cell.
//! 2. Grant. An output grants one of the asking inputs, uniformly at random.
//! 3. Accept. An input accepts one of the granting outputs, uniformly at random.
//!
//! One iteration carries 1 - (1 - 1/N)^N of full load, about 63 %, when all VOQs are busy: an input goes unmatched if
//! no output happens to grant it. An iteration that adds nothing ends the slot.
//!
//! Random choices: in each iteration one draw for each output that is asked, ascending, which names the rank of the
//! chosen input among those asking; then one draw for each input that is granted, ascending, likewise. A choice of one
//! also draws, so the stream does not depend on how the choice is coded.
//!
//! Matching: maximal after log2 N + 4/3 iterations on average. Cost: O(N) word operations per iteration in software; two
//! random arbiters per port in hardware, which is what iSLIP set out to avoid.
//!
//! Reference: T. Anderson, S. Owicki, J. Saxe, C. Thacker, "High-speed switch scheduling for local-area networks", ACM
//! Transactions on Computer Systems 11(4), 1993, section 3.

use super::{Matching, Needs, Scheduler, View, bits};
use crate::cell::{NONE, Port};
use crate::counter::Counter;
use crate::rng::Rng;
use alloc::vec;
use alloc::vec::Vec;

/// The random stream, and room for one iteration.
#[derive(Clone, Debug)]
pub struct Pim<const W: usize> {
    iterations: usize,
    rng: Rng,
    /// By output: the input it grants.
    granted: Vec<Port>,
    /// By input: how many outputs grant it, then the rank of the one to accept.
    grants: Vec<Port>,
    slots: u64,
    iterations_used: u64,
}

impl<const W: usize> Pim<W> {
    /// A scheduler that draws from `rng`.
    pub fn new(ports: usize, iterations: usize, rng: Rng) -> Self {
        Self { iterations, rng, granted: vec![NONE; ports], grants: vec![0; ports], slots: 0, iterations_used: 0 }
    }
}

impl<const W: usize> Scheduler<W> for Pim<W> {
    const NEEDS: Needs = Needs { rows: false, columns: true, lengths: false };

    #[inline]
    fn schedule(&mut self, view: &View<'_, W>, matching: &mut Matching) {
        let mut free_inputs = bits::first::<W>(view.ports);
        let mut free_outputs = free_inputs;
        self.slots += 1;
        for _ in 0..self.iterations {
            // Grant.
            let mut any_grant = false;
            for output in bits::ports(&free_outputs) {
                let asking = bits::and(&view.columns[output], &free_inputs);
                let count = bits::count(&asking);
                self.granted[output] = NONE;
                if count > 0 {
                    let input = bits::select(&asking, self.rng.below(count));
                    self.granted[output] = input as Port;
                    self.grants[input] += 1;
                    any_grant = true;
                }
            }
            if !any_grant {
                break;
            }
            self.iterations_used += 1;
            // Accept: draw a rank among the grants, then let the outputs count down to it. Equal to choosing from a
            // list of granting outputs, without the lists.
            for grants in &mut self.grants {
                if *grants > 0 {
                    *grants = self.rng.below(*grants as usize) as Port + 1;
                }
            }
            let outputs = free_outputs;
            for output in bits::ports(&outputs) {
                let input = self.granted[output] as usize;
                if input == NONE as usize || !bits::has(&free_inputs, input) {
                    continue;
                }
                self.grants[input] -= 1;
                if self.grants[input] == 0 {
                    matching.add(input, output);
                    bits::unset(&mut free_inputs, input);
                    bits::unset(&mut free_outputs, output);
                }
            }
        }
    }

    fn counters(&self, visit: &mut dyn FnMut(Counter)) {
        visit(Counter { name: "iterations", sum: self.iterations_used, per: self.slots });
    }
}
