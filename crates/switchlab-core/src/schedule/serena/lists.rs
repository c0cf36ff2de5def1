//! SERENA beyond 64 ports: lists of ports, without a branch that a processor cannot predict.
//!
//! Sets of several words take more instructions for each port than lists do. Which outputs have an
//! arrival, which arrivals are equally heavy and which of these wins cannot be predicted.
//!
//! Weights are VOQ lengths. In a large switch each look-up is a cache miss, so the weights of
//! arrivals and of the last matching are kept from the crossbar's hooks; only those of populated
//! edges are looked up. A smaller switch, and a view made by hand, has a matrix of lengths instead.

use super::super::View;
use super::costs::{Populated, own_brokers_rotated};
use super::draws::{self, Draws};
use super::rules::{Populate, Prune, Rules};
use super::{Serena, judge, report_cycle};
use crate::cell::{NONE, Port};
use crate::observe::{Event, Observer};
use crate::port_set::PortSet;
use crate::rng::Rng;
use crate::scale::WORD;
use alloc::vec;
use alloc::vec::Vec;

/// An arrival and the length of its VOQ in one word, so that one store and one load move both: from
/// the low bits on, 16 bits for the input, 16 for the output, 32 for the length.
type Arrival = u64;

/// Scratch of a slot. Only `residual` is kept for the next one.
#[derive(Clone, Debug)]
pub(super) struct Lists {
    rules: Rules,
    draws: Draws,
    /// This slot's arrivals, the first `arrived` of them.
    arrivals: Vec<Arrival>,
    arrived: usize,
    /// By input: the length of the VOQ matched in the last slot, after its departure.
    residual: Vec<u32>,
    /// For each output its heaviest arrival so far in this slot: weight, how many were as heavy,
    /// input. The input is `ports` if there is none.
    heaviest: Vec<u64>,
    free_outputs: Vec<Port>,
    free_inputs: Vec<Port>,
    /// R(t): for each output its input.
    red_inputs: Vec<Port>,
    /// By input: the weight of its edge in R(t). One dummy entry more than ports.
    weights: Vec<u32>,
    /// By vertex: the previous vertex of its cycle.
    before: Vec<Port>,
    /// By vertex: red weight minus green weight.
    gains: Vec<i32>,
    /// The vertices of one cycle, in its order.
    cycle: Vec<Port>,
    /// Scratch for S(t), as long as `Serena::green`.
    merged: Vec<Port>,
}

/// All bits if the highest is set, else 0.
#[inline(always)]
fn negative(difference: u64) -> u64 {
    (difference.cast_signed() >> 63).cast_unsigned()
}

impl Lists {
    pub(super) fn new(ports: usize, rules: Rules, rng: Rng) -> Self {
        Self {
            rules,
            draws: Draws::new(rng),
            arrivals: vec![0; ports],
            arrived: 0,
            residual: vec![0; ports],
            heaviest: vec![ports as u64; ports],
            free_outputs: vec![0; ports],
            free_inputs: vec![0; ports],
            red_inputs: vec![0; ports],
            weights: vec![0; ports + 1],
            before: vec![0; ports],
            gains: vec![0; ports],
            cycle: vec![0; ports],
            merged: vec![0; ports.max(WORD)],
        }
    }

    #[inline(always)]
    pub(super) fn on_enqueue(&mut self, input: usize, output: usize, length: u32) {
        self.arrivals[self.arrived] = u64::from(length) << 32 | (output as u64) << 16 | input as u64;
        self.arrived += 1;
    }

    #[inline(always)]
    pub(super) fn on_dequeue(&mut self, input: usize, length: u32) {
        self.residual[input] = length.saturating_sub(1);
    }

    /// Lists this slot's arrivals from a view that has a matrix of lengths.
    #[inline(always)]
    fn list_arrivals<const W: usize>(&mut self, view: &View<'_, W>) {
        self.arrived = 0;
        for input in PortSet::<W>::named(view.arrived).iter() {
            let output = usize::from(view.arrived[input]);
            self.on_enqueue(input, output, view.lengths[input * view.ports + output]);
        }
    }

    /// Writes R(t): for each input its output. `red` has a dummy entry more than ports. Returns
    /// what it was made of, for the costs.
    #[inline(never)]
    fn derive<const W: usize>(&mut self, view: &View<'_, W>, red: &mut [Port]) -> Populated {
        let ports = view.ports;
        if !view.has_hooks() {
            self.list_arrivals(view);
        }
        let arrivals = self.arrived;
        self.prune();
        let (red, weights, red_inputs) =
            (&mut red[..=ports], &mut self.weights[..=ports], &mut self.red_inputs[..ports]);
        let (free_inputs, free_outputs) = (&mut self.free_inputs[..ports], &mut self.free_outputs[..ports]);
        red.fill(NONE);
        let free = take_heaviest(&mut self.heaviest[..ports], red, weights, red_inputs, free_outputs);
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
        for rank in 0..free {
            let (input, output) = (free_inputs[rank], free_outputs[rank]);
            view.prefetch_length(input as usize * ports + output as usize);
            (red[input as usize], red_inputs[output as usize]) = (output, input);
        }
        for rank in 0..free {
            let (input, output) = (free_inputs[rank] as usize, free_outputs[rank] as usize);
            weights[input] = view.length(input * ports + output);
        }
        let inputs = free_inputs.iter().map(|&input| input as usize);
        let own_brokers = match self.rules.populate {
            Populate::Rank | Populate::Random => inputs.enumerate().take_while(|(rank, input)| rank == input).count(),
            Populate::Rotate => own_brokers_rotated(inputs, free, view.now),
        };
        Populated { arrivals, free, own_brokers }
    }

    /// Each output keeps its heaviest arrival. Of equally heavy arrivals, the m-th replaces the one
    /// kept with probability 1/m (reservoir sampling), so that one pass suffices and all have the
    /// same chance. A draw is read for every arrival, and consumed only by a tie.
    #[inline(never)]
    fn prune(&mut self) {
        let random = u64::from(self.rules.prune == Prune::Random).wrapping_neg();
        let inputs = random & 0xffff_0000;
        let heaviest = &mut self.heaviest[..];
        for arrivals in self.arrivals[..self.arrived].chunks(draws::AHEAD) {
            let draws = self.draws.ahead();
            let mut spent = 0;
            for &arrival in arrivals {
                let kept = &mut heaviest[usize::from((arrival >> 16) as Port)];
                let (before, weight, input) = (*kept, arrival >> 32, arrival & 0xffff);
                let less = (before >> 32).wrapping_sub(weight);
                // Masks of all bits or none: whether the arrival is heavier, and whether it is a
                // tie. By signs, since the compiler makes branches of comparisons.
                let heavier = negative(less);
                let tie = (negative(less.wrapping_sub(1)) ^ heavier) & random;
                let ties = (before >> 16 & 0xffff) + 1;
                let below = (u128::from(draws[spent % draws::AHEAD]) * u128::from(ties)) >> 64;
                // `takes` is negative if a tie is won. `less` is 0 for a tie and above 0 for a
                // lighter arrival; a heavier one wins anyway.
                let takes = (below as u64).wrapping_add(less).wrapping_sub(1);
                let tied = before.wrapping_add(tie & 1 << 16);
                // Shifted and not masked, since the compiler makes a branch of a mask too: the mask
                // has 16 bits if the arrival replaces the one kept, else none.
                let tied = tied ^ ((tied ^ input) & 0xffff & (inputs >> (takes >> 59 & 16)));
                *kept = tied ^ ((tied ^ (weight << 32 | 1 << 16 | input)) & heavier);
                spent = spent.wrapping_sub(tie as usize);
            }
            self.draws.spend(spent);
        }
        self.arrived = 0;
    }
}

/// A'(t): gives each output its heaviest arrival, and resets `heaviest` for the next slot. Lists
/// the outputs that have none, and returns their number.
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
        // Branch-free compaction: an output without an arrival writes to the dummy entries, and
        // `free` advances only for it.
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
    /// S(t) beyond 64 ports.
    #[inline(always)]
    pub(super) fn schedule_lists<const W: usize, O: Observer + ?Sized>(
        &mut self,
        view: &View<'_, W>,
        observer: &mut O,
    ) {
        let populated = self.lists.derive(view, &mut self.red);
        self.costs.populate(populated);
        self.merge(view, observer);
    }

    /// One merge (section 3.2), decided by the variant where a cycle is not ouroboros.
    ///
    /// The links of cycles (`before`) and the gains are separate lists: the first stays in the
    /// first-level cache, the second is computed by vector instructions. Cycles are walked
    /// backwards: that needs the inputs of R(t), which are known, and not those of S(t-1).
    #[inline(never)]
    fn merge<const W: usize, O: Observer + ?Sized>(&mut self, view: &View<'_, W>, observer: &mut O) {
        let ports = view.ports;
        let lists = &mut self.lists;
        lists.weigh(view, &self.green[..ports]);
        let (red, green, red_inputs) = (&self.red[..ports], &self.green[..ports], &lists.red_inputs[..ports]);
        let (gains, before, cycle) = (&lists.gains[..ports], &mut lists.before[..ports], &mut lists.cycle[..ports]);
        let weights = &lists.weights[..ports];
        observer.observe(Event::Merge { red, green });
        for (before, &output) in before.iter_mut().zip(green) {
            *before = red_inputs[output as usize];
        }
        // A cycle of length one: red and green are the same edge, and there is nothing to decide.
        let mut waiting = PortSet::<W>::different(red, green);
        self.costs.begin(ports - waiting.len());
        // The vertices that stay green come first in `cycle`.
        let (mut staying, mut turned) = (0, 0);
        for word in 0..W {
            while waiting.words[word] != 0 {
                let first = word * 64 + waiting.words[word].trailing_zeros() as usize;
                let cycle = &mut cycle[staying..];
                let (length, gain) = walk(first, before, gains, &mut waiting, cycle);
                let fate = self.fates.fate(length);
                let truth = gain > self.bar;
                let turns_red = if fate.is_ouroboros() {
                    truth
                } else {
                    cycle[1..length].reverse();
                    let (vertices, bar) = (&cycle[..length], self.bar);
                    let cycle = judge::Cycle { vertices, weights, gains, gain, bar };
                    let turns_red = self.judge.decide(&cycle, view);
                    if self.judge.looks() {
                        let (red, green) = cycle.weights();
                        self.gaps.record(red, green, turns_red == truth);
                    }
                    turns_red
                };
                self.costs.cycle(length, fate, truth == turns_red);
                if observer.is_watching() {
                    report_cycle(view, (red, green), &cycle[..length], turns_red, observer);
                }
                staying += if turns_red { 0 } else { length };
                turned += if turns_red { length } else { 0 };
            }
        }
        self.costs.end(self.judge.kind());
        if turned > 0 {
            let merged = &mut lists.merged[..ports];
            merged.copy_from_slice(red);
            for &vertex in &cycle[..staying] {
                merged[vertex as usize] = green[vertex as usize];
            }
            core::mem::swap(&mut lists.merged, &mut self.green);
        }
    }
}

impl Lists {
    /// Computes the gains: by vertex, red weight minus green weight.
    #[inline(always)]
    fn weigh<const W: usize>(&mut self, view: &View<'_, W>, green: &[Port]) {
        let ports = view.ports;
        let (gains, weights) = (&mut self.gains[..ports], &self.weights[..ports]);
        if view.has_hooks() {
            let (residual, arrived) = (&mut self.residual[..ports], &view.arrived[..ports]);
            for input in 0..ports {
                // The length after the last departure, plus this slot's arrival.
                let green = residual[input] + u32::from(arrived[input] == green[input]);
                gains[input] = weights[input].cast_signed() - green.cast_signed();
            }
            residual.fill(0);
        } else {
            let rows = view.lengths.chunks_exact(ports.max(1));
            for (row, (gain, (&weight, &green))) in rows.zip(gains.iter_mut().zip(weights.iter().zip(green))) {
                *gain = weight.cast_signed() - row[green as usize].cast_signed();
            }
        }
    }
}

/// Walks along a cycle from its first vertex, lists its vertices and removes them from `waiting`.
/// Returns their number and the sum of their gains. Not inlined: the rest of a merge would take the
/// registers.
#[inline(never)]
fn walk<const W: usize>(
    first: usize,
    next: &[Port],
    gains: &[i32],
    waiting: &mut PortSet<W>,
    cycle: &mut [Port],
) -> (usize, i64) {
    let gains = &gains[..next.len()];
    let (mut vertex, mut length, mut gain) = (first, 0, 0);
    loop {
        cycle[length] = vertex as Port;
        length += 1;
        // `% W` saves a bounds check.
        waiting.words[vertex / WORD % W] &= !(1 << (vertex % WORD));
        gain += i64::from(gains[vertex]);
        vertex = next[vertex] as usize;
        if vertex == first {
            return (length, gain);
        }
    }
}
