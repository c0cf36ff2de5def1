//! One iteration of request, grant and accept by uniformly random choice, as PIM and its relatives have it.

use super::round_robin::Free;
use super::{Matching, bits};
use crate::cell::{NONE, Port};
use crate::rng::Rng;
use alloc::vec;
use alloc::vec::Vec;

/// The random stream, and room for one iteration.
#[derive(Clone, Debug)]
pub(super) struct RandomChoice {
    rng: Rng,
    /// By output: the input it grants.
    granted: Vec<Port>,
    /// By input: how many outputs grant it, then the rank of the one to accept.
    grants: Vec<Port>,
}

impl RandomChoice {
    /// Draws from `rng`.
    pub(super) fn new(ports: usize, rng: Rng) -> Self {
        Self { rng, granted: vec![NONE; ports], grants: vec![0; ports] }
    }

    /// One iteration over the free ports: one draw for each output that is asked, ascending, which names the rank of the chosen
    /// input among those asking; then one draw for each input that is granted, ascending, likewise. `accepted` is told of each new pair;
    /// whether any was made is returned.
    #[inline(always)]
    pub(super) fn iterate<const W: usize>(
        &mut self,
        columns: &[[u64; W]],
        free: &mut Free<W>,
        matching: &mut Matching,
        mut accepted: impl FnMut(usize, usize),
    ) -> bool {
        // Grant.
        let outputs = free.outputs;
        let mut any_grant = false;
        for output in bits::ports(&outputs) {
            let asking = bits::and(&columns[output], &free.inputs);
            let count = bits::count(&asking);
            self.granted[output] = NONE;
            if count > 0 {
                let input = bits::select(&asking, self.rng.below(count));
                self.granted[output] = input as Port;
                self.grants[input] += 1;
                any_grant = true;
            }
        }
        // Accept: draw a rank among the grants, then let the outputs count down to it. Equal to choosing from a list of
        // granting outputs, without the lists.
        for grants in &mut self.grants {
            if *grants > 0 {
                *grants = self.rng.below(*grants as usize) as Port + 1;
            }
        }
        for output in bits::ports(&outputs) {
            let input = self.granted[output] as usize;
            if input == NONE as usize || !bits::has(&free.inputs, input) {
                continue;
            }
            self.grants[input] -= 1;
            if self.grants[input] == 0 {
                matching.add(input, output);
                free.remove(input, output);
                accepted(input, output);
            }
        }
        any_grant
    }
}
