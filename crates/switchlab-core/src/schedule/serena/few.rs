//! SERENA in a switch of up to 64 ports, where a set of ports is a word and instructions are what counts.
//!
//! The same as in `arrival_graph` and `Serena::merge`, with less: arrivals are pruned as they come, when their VOQs are at hand; a cycle is known by the set of its vertices, all cycles are found
//! at once (`cycles.rs`), S(t) is chosen for many inputs at once in the end, and vertices are listed only for those who look at them. A cycle is seen backwards, for which the inputs of R(t)
//! are needed, which are known, and not those of S(t-1).

use super::super::{View, bits};
use super::arrival_graph::ArrivalGraph;
use super::cycles::{VERTICES, leaders, look_up};
use super::{Serena, judge};
use crate::cell::Port;
use crate::serenade::{Populate, Prune};

/// The most ports.
const PORTS: usize = 64;

const IDENTITY: [u8; VERTICES] = {
    let mut identity = [0; VERTICES];
    let mut vertex = 0;
    while vertex < VERTICES {
        identity[vertex] = vertex as u8;
        vertex += 1;
    }
    identity
};

/// What a merge is made of, kept from slot to slot only to be used again.
#[derive(Clone, Debug)]
pub(super) struct Few {
    /// For each output its heaviest arrival so far in this slot: weight, how many were as heavy, input. 0: none.
    heaviest: [u64; PORTS],
    /// R(t): for each output its input.
    red_inputs: [u8; PORTS],
    /// The vertex before, on the cycle. Where there is no port, the same.
    before: [u8; VERTICES],
    /// What red weighs more than green.
    gains: [i32; VERTICES],
    /// The vertices of a cycle, in its order, and what their red edges weigh, by vertex: for those who look at them.
    cycle: [Port; PORTS],
    weights: [u32; PORTS],
}

impl Few {
    pub(super) const NOTHING: Self = Self {
        heaviest: [0; PORTS],
        red_inputs: [0; PORTS],
        before: IDENTITY,
        gains: [0; VERTICES],
        cycle: [0; PORTS],
        weights: [0; PORTS],
    };
}

impl Serena {
    /// S(t) in a switch of few ports.
    #[inline(never)]
    pub(super) fn schedule_few<const W: usize>(&mut self, view: &View<'_, W>) {
        let (Some(red), Some(green)) = (self.red.first_chunk_mut(), self.green.first_chunk_mut()) else { return };
        self.graph.derive_few(view, &mut self.few, red);
        match view.lengths.as_chunks().0.first_chunk() {
            Some(rows) if view.ports == PORTS => self.few.compare(rows, red, green),
            _ => self.few.compare_fewer(view.lengths, view.ports, red, green),
        }
        let turned = self.decide_few(view);
        let (Some(red), Some(green)) = (self.red.first_chunk(), self.green.first_chunk_mut()) else { return };
        // What was red, where it turns, else what was green.
        bits::replace_where(turned, red, green);
    }

    /// Decides cycle by cycle, by the least vertex of each. The vertices of those that turn red.
    #[inline(always)]
    fn decide_few<const W: usize>(&mut self, view: &View<'_, W>) -> u64 {
        let [waiting] = bits::different::<1>(&self.red[..view.ports], &self.green[..view.ports]);
        // A cycle of length one: red and green are the same edge, and there is nothing to decide.
        self.costs.begin(view.ports - waiting.count_ones() as usize);
        let leaders = leaders(&self.few.before, waiting.count_ones());
        let mut turned = 0;
        for first in bits::ports(&[waiting & bits::word_where(|vertex| usize::from(leaders[vertex]) == vertex)]) {
            let first = first as u8;
            let vertices = bits::word_where(|vertex| leaders[vertex] == first);
            let gain = self.few.gain(&leaders, first);
            let length = vertices.count_ones() as usize;
            let fate = self.theory.fate(length);
            let truth = gain > self.bar;
            let turns_red = if fate.is_ouroboros() || !self.judge.looks() {
                self.judge.decide_unseen(fate.is_ouroboros(), truth)
            } else {
                self.look(first, length, gain, view)
            };
            self.costs.cycle(length, fate, truth == turns_red);
            turned |= vertices & u64::from(turns_red).wrapping_neg();
        }
        self.costs.end(self.judge.kind());
        turned
    }

    /// Whether a cycle turns red whose vertices have to be looked at.
    #[inline(never)]
    fn look<const W: usize>(&mut self, first: u8, length: usize, gain: i64, view: &View<'_, W>) -> bool {
        let Few { gains, weights, cycle, before, .. } = &mut self.few;
        let (vertices, mut vertex) = (&mut cycle[..length], first);
        // Backwards is forwards from the end.
        for place in vertices.iter_mut().rev() {
            vertex = before[usize::from(vertex) % VERTICES];
            let input = usize::from(vertex);
            *place = Port::from(vertex);
            weights[input % PORTS] = view.lengths[input * view.ports + self.red[input] as usize];
        }
        self.judge.decide(&judge::Cycle { vertices, weights, gains: &gains[..], gain, bar: self.bar }, view)
    }
}

impl Few {
    /// Where each vertex comes from, and what red weighs more than green there.
    #[inline(always)]
    fn compare(&mut self, rows: &[[u32; PORTS]; PORTS], red: &[Port; PORTS], green: &[Port; PORTS]) {
        self.before = look_up(&self.red_inputs, &green.map(|output| output as u8 % PORTS as u8));
        for (row, (gain, (&red, &green))) in rows.iter().zip(self.gains.iter_mut().zip(red.iter().zip(green))) {
            let (red, green) = (red as usize % PORTS, green as usize % PORTS);
            *gain = row[red].cast_signed() - row[green].cast_signed();
        }
    }

    /// The same with fewer ports.
    #[inline(never)]
    fn compare_fewer(&mut self, lengths: &[u32], ports: usize, red: &[Port; PORTS], green: &[Port; PORTS]) {
        let places = self.gains.iter_mut().zip(&mut self.before).zip(red.iter().zip(green));
        for (row, ((gain, before), (&red, &green))) in lengths.chunks_exact(ports.max(1)).zip(places) {
            *gain = row[red as usize].cast_signed() - row[green as usize].cast_signed();
            *before = self.red_inputs[green as usize % PORTS];
        }
    }

    /// What the cycle of a leader gains, by sums of many vertices at a time. Lengths add up to fewer than 2^31, since no memory holds as many cells; so does what a cycle gains, and it does not matter if
    /// parts of it wrap around.
    #[inline(always)]
    fn gain(&self, leaders: &[u8; VERTICES], leader: u8) -> i64 {
        let mut gain = 0i32;
        for (gains, &led_by) in self.gains.iter().zip(leaders) {
            gain = gain.wrapping_add(gains & -i32::from(led_by == leader));
        }
        i64::from(gain)
    }
}

impl ArrivalGraph {
    /// Each output keeps its heaviest arrival, as [`ArrivalGraph::prune`] has it.
    #[inline(always)]
    pub(super) fn keep_few(&mut self, few: &mut Few, input: usize, output: usize, length: u32) {
        let heaviest = &mut few.heaviest[output % PORTS];
        let (before, weight) = (*heaviest, u64::from(length));
        if weight == before >> 32 {
            if self.rules.prune == Prune::Random {
                let ties = (before >> 16 & 0xffff) + 1;
                let winner = if self.rng.below(ties as usize) == 0 { input as u64 } else { before & 0xffff };
                *heaviest = weight << 32 | ties << 16 | winner;
            }
            return;
        }
        let heavier = weight << 32 | 1 << 16 | input as u64;
        *heaviest = if weight > before >> 32 { heavier } else { before };
    }

    /// Writes R(t): for each input its output, and for each output its input.
    #[inline(always)]
    fn derive_few<const W: usize>(&mut self, view: &View<'_, W>, few: &mut Few, red: &mut [Port; PORTS]) {
        let mut asked = bits::word_where(|output| few.heaviest[output] != 0);
        if asked == 0 {
            // Nothing arrived, or nobody has told of it: a view made by hand.
            asked = self.prune_view(view, few);
        }
        let [all] = bits::first::<1>(view.ports);
        let mut free_inputs = all;
        for output in bits::ports(&[asked]) {
            let input = few.heaviest[output % PORTS] as usize % PORTS;
            red[input] = output as Port;
            few.red_inputs[output % PORTS] = input as u8;
            free_inputs &= !(1 << input);
        }
        few.heaviest = [0; PORTS];
        let free_outputs = all & !asked;
        if self.rules.populate == Populate::Rank {
            for (input, output) in bits::ports(&[free_inputs]).zip(bits::ports(&[free_outputs])) {
                red[input % PORTS] = output as Port;
                few.red_inputs[output % PORTS] = input as u8;
            }
        } else {
            self.populate(view.now, &[free_inputs], &[free_outputs], red);
            for input in bits::ports(&[free_inputs]) {
                few.red_inputs[red[input % PORTS] as usize % PORTS] = input as u8;
            }
        }
    }

    /// Prunes the arrivals that a view has. Returns the outputs that are asked.
    #[cold]
    fn prune_view<const W: usize>(&mut self, view: &View<'_, W>, few: &mut Few) -> u64 {
        for input in bits::ports(&bits::named::<1>(view.arrived)) {
            let output = view.arrived[input] as usize;
            self.keep_few(few, input, output, view.lengths[input * view.ports + output]);
        }
        bits::word_where(|output| few.heaviest[output] != 0)
    }
}
