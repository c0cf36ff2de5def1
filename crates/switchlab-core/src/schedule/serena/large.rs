//! R(t) in a large switch: the same as in `arrival_graph`, by lists and without a branch that nobody can predict.
//!
//! Sets of many words take more instructions for each port than lists do, and which outputs are asked, which arrivals are as heavy as others, and who of these wins is
//! as good as random.

use super::super::{Joined, View, bits};
use super::arrival_graph::ArrivalGraph;
use super::{Serena, draws, judge};
use crate::cell::{NONE, Port};
use crate::serenade::{Populate, Prune};

/// All bits if the highest is set, else 0.
#[inline(always)]
fn negative(difference: u64) -> u64 {
    (difference.cast_signed() >> 63).cast_unsigned()
}

impl ArrivalGraph {
    /// Writes R(t): for each input its output, and what that edge weighs. There is a place more than ports, and what is in it means nothing.
    #[inline(never)]
    pub(super) fn derive_large<const W: usize>(
        &mut self,
        view: &View<'_, W>,
        red: &mut [Port],
        weights: &mut [u32],
        red_inputs: &mut [Port],
    ) {
        let ports = view.ports;
        self.keep_heaviest(view.joined);
        let (red, weights, red_inputs) = (&mut red[..=ports], &mut weights[..=ports], &mut red_inputs[..ports]);
        let (free_inputs, free_outputs) = (&mut self.free_inputs[..ports], &mut self.free_outputs[..ports]);
        red.fill(NONE);
        let free = take_heaviest(&mut self.kept[..ports], red, weights, red_inputs, free_outputs);
        let mut listed = 0;
        for (input, &output) in red[..ports].iter().enumerate() {
            free_inputs[listed] = input as Port;
            listed += usize::from(output == NONE);
        }
        let (free_inputs, free_outputs) = (&free_inputs[..free], &mut free_outputs[..free]);
        match self.rules.populate {
            Populate::Rank => {}
            Populate::Random => self.draws.shuffle(free_outputs),
            Populate::Rotate => free_outputs.rotate_left(view.now as usize % free.max(1)),
        }
        // The others are known from the arrivals; these are looked up, one here and one there.
        for place in 0..free {
            let (input, output) = (free_inputs[place], free_outputs[place]);
            view.records.fetch(input as usize * ports + output as usize);
            (red[input as usize], red_inputs[output as usize]) = (output, input);
        }
        for place in 0..free {
            let (input, output) = (free_inputs[place] as usize, free_outputs[place] as usize);
            weights[input] = view.records.length(input * ports + output);
        }
    }

    /// Each output keeps its heaviest arrival, as [`ArrivalGraph::derive`] has it for smaller switches: the same draws, of which one is looked at for every arrival and
    /// spent only if it is as heavy as the heaviest before it.
    #[inline(never)]
    fn keep_heaviest(&mut self, joined: &[Joined]) {
        let random = u64::from(self.rules.prune == Prune::Random).wrapping_neg();
        let inputs = random & 0xffff_0000;
        let heaviest = &mut self.kept[..];
        for joined in joined.chunks(draws::AHEAD) {
            let draws = self.draws.ahead();
            let mut spent = 0;
            for &Joined { input, output, length } in joined {
                let place = &mut heaviest[output as usize];
                let (before, weight, input) = (*place, u64::from(length), u64::from(input));
                let less = (before >> 32).wrapping_sub(weight);
                // All bits if it is heavier, if it is a tie, if that is won: by signs, since the compiler makes branches of comparisons.
                let heavier = negative(less);
                let tie = (negative(less.wrapping_sub(1)) ^ heavier) & random;
                let ties = (before >> 16 & 0xffff) + 1;
                let below = (u128::from(draws[spent % draws::AHEAD]) * u128::from(ties)) >> 64;
                // Of a tie `less` is 0, and of what is lighter above; what is heavier has its place anyway.
                let takes = (below as u64).wrapping_add(less).wrapping_sub(1);
                let tied = before.wrapping_add(tie & 1 << 16);
                // Shifted and not masked, of which the compiler makes a branch too: 16 bits if it takes the place, else none.
                let tied = tied ^ ((tied ^ input) & 0xffff & (inputs >> (takes >> 59 & 16)));
                *place = tied ^ ((tied ^ (weight << 32 | 1 << 16 | input)) & heavier);
                spent = spent.wrapping_sub(tie as usize);
            }
            self.draws.spend(spent);
        }
    }
}

/// A'(t): gives each output its heaviest arrival, and leaves `heaviest` clean for the next slot. Lists the outputs that have none, and says how many they are.
#[inline(never)]
fn take_heaviest(
    heaviest: &mut [u64],
    red: &mut [Port],
    weights: &mut [u32],
    red_inputs: &mut [Port],
    free_outputs: &mut [Port],
) -> usize {
    let ports = heaviest.len();
    let (red, weights) = (&mut red[..=ports], &mut weights[..=ports]);
    let (red_inputs, free_outputs) = (&mut red_inputs[..ports], &mut free_outputs[..ports]);
    let mut free = 0;
    for output in 0..ports {
        let kept = core::mem::replace(&mut heaviest[output], ports as u64);
        // An output that nobody asks writes where nobody looks, and is listed; the next one is written over an output that is asked.
        let input = kept as Port as usize;
        red_inputs[output] = kept as Port;
        red[input] = output as Port;
        weights[input] = (kept >> 32) as u32;
        free_outputs[free] = output as Port;
        free += usize::from(input == ports);
    }
    free
}

impl Serena {
    /// One merge, as [`Serena::merge`] has it for smaller switches. What is walked along and what is summed up lie apart, the one being in the nearest cache and the other made many at a
    /// time; and cycles are walked backwards, for which the inputs of R(t) are needed, which are known, and not those of S(t-1).
    #[inline(never)]
    pub(super) fn merge_large<const W: usize>(&mut self, view: &View<'_, W>) {
        let ports = view.ports;
        let (red, green, red_inputs) = (&self.red[..ports], &self.green[..ports], &self.green_inputs[..ports]);
        let (gains, before, cycle) = (&mut self.gains[..ports], &mut self.before[..ports], &mut self.cycle[..ports]);
        let weights = &self.red_weights[..ports];
        let (left, arrived) = (&view.left[..ports], &view.arrived[..ports]);
        for input in 0..ports {
            // What it was left with, and the cell that has joined it since.
            let green = left[input] + u32::from(arrived[input] == green[input]);
            gains[input] = weights[input].cast_signed() - green.cast_signed();
        }
        for (before, &output) in before.iter_mut().zip(green) {
            *before = red_inputs[output as usize];
        }
        let mut waiting = bits::different::<W>(red, green);
        let singles = ports - bits::count(&waiting);
        self.costs.begin(singles);
        // The vertices that stay green come first in `cycle`.
        let (mut staying, mut turned) = (0, 0);
        for word in 0..W {
            while waiting[word] != 0 {
                let first = word * 64 + waiting[word].trailing_zeros() as usize;
                let cycle = &mut cycle[staying..];
                let (length, gain) = walk(first, before, gains, &mut waiting, cycle);
                let fate = self.theory.fate(length);
                let truth = gain > self.bar;
                let turns_red = if fate.is_ouroboros() {
                    truth
                } else {
                    cycle[1..length].reverse();
                    let (vertices, bar) = (&cycle[..length], self.bar);
                    self.judge.decide(&judge::Cycle { vertices, weights, gains, gain, bar }, view)
                };
                self.costs.cycle(length, fate, truth == turns_red);
                staying += if turns_red { 0 } else { length };
                turned += if turns_red { length } else { 0 };
            }
        }
        self.costs.end(self.judge.kind());
        if turned > 0 {
            let merged = &mut self.merged[..ports];
            merged.copy_from_slice(red);
            for &vertex in &cycle[..staying] {
                merged[vertex as usize] = green[vertex as usize];
            }
            core::mem::swap(&mut self.merged, &mut self.green);
        }
    }
}

/// Walks a cycle from its first vertex on, lists its vertices and takes them out of those that wait. Says how many they are, and what they gain.
/// A function of its own, as others here: what else a merge is about would take the registers.
#[inline(never)]
fn walk<const W: usize>(
    first: usize,
    next: &[Port],
    gains: &[i32],
    waiting: &mut [u64; W],
    cycle: &mut [Port],
) -> (usize, i64) {
    let gains = &gains[..next.len()];
    let (mut vertex, mut length, mut gain) = (first, 0, 0);
    loop {
        cycle[length] = vertex as Port;
        length += 1;
        waiting[vertex / 64 % W] &= !(1 << (vertex % 64));
        gain += i64::from(gains[vertex]);
        vertex = next[vertex] as usize;
        if vertex == first {
            return (length, gain);
        }
    }
}
