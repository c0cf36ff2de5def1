//! One iteration of request, grant and accept by uniformly random choice, as PIM and its relatives have it.

use super::round_robin::Free;
use super::{Matching, bits};
use crate::cell::Port;
use crate::rng::Rng;
use alloc::vec;
use alloc::vec::Vec;
use core::hint::select_unpredictable;

/// An output's grant.
#[derive(Clone, Copy, Debug, Default)]
struct Grant {
    output: Port,
    /// The rank of the input among those asking, then that input.
    input: Port,
    /// How many outputs before this one grant the same input.
    turn: Port,
}

/// The random stream, and room for one iteration.
#[derive(Clone, Debug)]
pub(super) struct RandomChoice {
    rng: Rng,
    /// The grants of an iteration, ascending by output.
    granted: Vec<Grant>,
    /// By input: how many outputs grant it, then the turn it accepts. 0 between iterations.
    turns: Vec<Port>,
    /// By input that is granted: the output it accepts. The last place is for outputs that are not accepted.
    accepts: Vec<Port>,
}

impl RandomChoice {
    /// Draws from `rng`.
    pub(super) fn new(ports: usize, rng: Rng) -> Self {
        Self { rng, granted: vec![Grant::default(); ports], turns: vec![0; ports], accepts: vec![0; ports + 1] }
    }

    /// One iteration over the free ports: one draw for each output that is asked, ascending, which names the rank of the chosen
    /// input among those asking; then one draw for each input that is granted, ascending, likewise. `accepted` is told of each new pair;
    /// whether any was made is returned.
    ///
    /// Who is granted, and whose grant is accepted, is as good as random: sets of ports are walked and places selected, so that no branch
    /// depends on it. Drawing and finding the inputs have a loop each, as the stream and the search together need more registers than there are.
    #[inline(always)]
    pub(super) fn iterate<const W: usize>(
        &mut self,
        columns: &[[u64; W]],
        free: &mut Free<W>,
        matching: &mut Matching,
        mut accepted: impl FnMut(usize, usize),
    ) -> bool {
        // A copy stays in registers: the compiler cannot know that what is written below is not the stream's state.
        let mut rng = self.rng.clone();
        let (turns, accepts) = (&mut self.turns[..], &mut self.accepts[..]);
        // Grant.
        let mut count = 0;
        bits::ports(&free.outputs).for_each(|output| {
            let asking = bits::count(&bits::and(&columns[output], &free.inputs));
            if asking > 0 {
                self.granted[count] = Grant { output: output as Port, input: rng.below(asking) as Port, turn: 0 };
                count += 1;
            }
        });
        let granted = &mut self.granted[..count];
        let mut inputs = bits::empty::<W>();
        for grant in &mut *granted {
            let asking = bits::and(&columns[grant.output as usize], &free.inputs);
            let input = bits::select(&asking, grant.input as usize);
            grant.input = input as Port;
            grant.turn = turns[input];
            turns[input] += 1;
            bits::set(&mut inputs, input);
        }
        // Accept: draw a turn, then let the grants look for theirs. Equal to choosing from a list of granting outputs, without the lists.
        bits::ports(&inputs).for_each(|input| {
            turns[input] = rng.below(turns[input] as usize) as Port;
        });
        let nobody = turns.len();
        for grant in &*granted {
            let input = grant.input as usize;
            accepts[select_unpredictable(turns[input] == grant.turn, input, nobody)] = grant.output;
        }
        bits::ports(&inputs).for_each(|input| {
            turns[input] = 0;
            let output = accepts[input] as usize;
            matching.add(input, output);
            free.remove(input, output);
            accepted(input, output);
        });
        self.rng = rng;
        count > 0
    }
}
