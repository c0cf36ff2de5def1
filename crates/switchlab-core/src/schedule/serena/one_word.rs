//! SERENA up to 64 ports, where a set of ports is one word and instructions are what counts.
//!
//! Arrivals are pruned as they are enqueued, when their VOQs are in the cache. A cycle is the set
//! of its vertices, all cycles are found in parallel (`cycles`), and S(t) is selected by vector
//! instructions; vertices are listed only for the variants whose decision depends on them. A cycle
//! is walked backwards: that needs the inputs of R(t), which are known, and not those of S(t-1).

use super::super::View;
use super::costs::{Populated, own_brokers_rotated};
use super::cycles::{VERTICES, leaders, look_up};
use super::rules::{Populate, Prune, Rules};
use super::{Serena, judge, report_cycle};
use crate::cell::{Port, Slot};
use crate::observe::{Event, Observer};
use crate::port_set::{PortSet, word};
use crate::rng::Rng;
use crate::scale::WORD as PORTS;
use alloc::vec::Vec;

const IDENTITY: [u8; VERTICES] = {
    let mut identity = [0; VERTICES];
    let mut vertex = 0;
    while vertex < VERTICES {
        identity[vertex] = vertex as u8;
        vertex += 1;
    }
    identity
};

/// Scratch of a slot. Only the stream is kept for the next one.
#[derive(Clone, Debug)]
pub(super) struct OneWord {
    rules: Rules,
    rng: Rng,
    /// For each output its heaviest arrival so far in this slot: weight, how many were as heavy,
    /// input. 0: none.
    heaviest: [u64; PORTS],
    /// R(t): for each output its input.
    red_inputs: [u8; PORTS],
    /// By vertex: the previous vertex of its cycle. Beyond the last port, the vertex itself.
    before: [u8; VERTICES],
    /// By vertex: red weight minus green weight.
    gains: [i32; VERTICES],
    /// The vertices of a cycle, in its order, for variants whose decision depends on them.
    cycle: [Port; PORTS],
    /// By vertex of that cycle: the weight of its red edge.
    weights: [u32; PORTS],
}

impl Serena {
    /// S(t) up to 64 ports.
    #[inline(never)]
    pub(super) fn schedule_one_word<const W: usize, O: Observer + ?Sized>(
        &mut self,
        view: &View<'_, W>,
        observer: &mut O,
    ) {
        let red = self.red.first_chunk_mut().expect("R(t) has room for a word of ports");
        let green = self.green.first_chunk().expect("S(t) has room for a word of ports");
        let free_inputs = self.one_word.derive(view, red);
        if self.costs.distributed {
            self.costs.populate(self.one_word.populated(view, free_inputs));
        }
        match view.lengths.as_chunks().0.first_chunk() {
            Some(rows) if view.ports == PORTS => self.one_word.compare(rows, red, green),
            _ => self.one_word.compare_rows(view.lengths, view.ports, red, green),
        }
        let turned = self.decide(view, observer);
        let red = self.red.first_chunk().expect("R(t) has room for a word of ports");
        let green = self.green.first_chunk_mut().expect("S(t) has room for a word of ports");
        // Red where the cycle turns red, else green.
        word::replace_where(turned, red, green);
    }

    /// Decides cycle by cycle, in the order of their least vertices. Returns the vertices of the
    /// cycles that turn red.
    #[inline(always)]
    fn decide<const W: usize, O: Observer + ?Sized>(&mut self, view: &View<'_, W>, observer: &mut O) -> u64 {
        let ports = view.ports;
        observer.observe(Event::Merge { red: &self.red[..ports], green: &self.green[..ports] });
        let waiting = PortSet::<1>::different(&self.red[..view.ports], &self.green[..view.ports]).words[0];
        // A cycle of length one: red and green are the same edge, and there is nothing to decide.
        self.costs.begin(view.ports - waiting.count_ones() as usize);
        let leaders = leaders(&self.one_word.before, waiting.count_ones());
        let mut turned = 0;
        for first in word::ports(waiting & word::from_fn(|vertex| usize::from(leaders[vertex]) == vertex)) {
            let first = first as u8;
            let vertices = word::from_fn(|vertex| leaders[vertex] == first);
            let gain = self.one_word.gain(&leaders, first);
            let length = vertices.count_ones() as usize;
            let fate = self.fates.fate(length);
            let truth = gain > self.bar;
            let turns_red = if fate.is_ouroboros() || !self.judge.looks() {
                self.judge.decide_unseen(fate.is_ouroboros(), truth)
            } else {
                self.decide_by_vertices(first, length, gain, view)
            };
            self.costs.cycle(length, fate, truth == turns_red);
            if observer.is_watching() {
                let inputs: Vec<Port> = word::ports(vertices).map(|vertex| vertex as Port).collect();
                report_cycle(view, (&self.red, &self.green), &inputs, turns_red, observer);
            }
            turned |= vertices & u64::from(turns_red).wrapping_neg();
        }
        self.costs.end(self.judge.kind());
        turned
    }

    /// Whether a cycle turns red whose decision depends on its vertices.
    #[inline(never)]
    fn decide_by_vertices<const W: usize>(&mut self, first: u8, length: usize, gain: i64, view: &View<'_, W>) -> bool {
        let OneWord { gains, weights, cycle, before, .. } = &mut self.one_word;
        let (vertices, mut vertex) = (&mut cycle[..length], first);
        // The walk is backwards, so the list is filled from its end.
        for entry in vertices.iter_mut().rev() {
            vertex = before[usize::from(vertex) % VERTICES];
            let input = usize::from(vertex);
            *entry = Port::from(vertex);
            weights[input % PORTS] = view.lengths[input * view.ports + self.red[input] as usize];
        }
        let cycle = judge::Cycle { vertices, weights, gains: &gains[..], gain, bar: self.bar };
        let turns_red = self.judge.decide(&cycle, view);
        let (red, green) = cycle.weights();
        self.gaps.record(red, green, turns_red == (gain > self.bar));
        turns_red
    }
}

impl OneWord {
    pub(super) fn new(rules: Rules, rng: Rng) -> Self {
        Self {
            rules,
            rng,
            heaviest: [0; PORTS],
            red_inputs: [0; PORTS],
            before: IDENTITY,
            gains: [0; VERTICES],
            cycle: [0; PORTS],
            weights: [0; PORTS],
        }
    }

    /// Computes `before` and `gains`.
    #[inline(always)]
    fn compare(&mut self, rows: &[[u32; PORTS]; PORTS], red: &[Port; PORTS], green: &[Port; PORTS]) {
        self.before = look_up(&self.red_inputs, &green.map(|output| output as u8 % PORTS as u8));
        for (row, (gain, (&red, &green))) in rows.iter().zip(self.gains.iter_mut().zip(red.iter().zip(green))) {
            let (red, green) = (red as usize % PORTS, green as usize % PORTS);
            *gain = row[red].cast_signed() - row[green].cast_signed();
        }
    }

    /// Computes `before` and `gains` where rows are shorter than a word.
    #[inline(never)]
    fn compare_rows(&mut self, lengths: &[u32], ports: usize, red: &[Port; PORTS], green: &[Port; PORTS]) {
        let places = self.gains.iter_mut().zip(&mut self.before).zip(red.iter().zip(green));
        for (row, ((gain, before), (&red, &green))) in lengths.chunks_exact(ports.max(1)).zip(places) {
            *gain = row[red as usize].cast_signed() - row[green as usize].cast_signed();
            *before = self.red_inputs[green as usize % PORTS];
        }
    }

    /// The sum of the gains of a leader's cycle, vectorised. The lengths of all VOQs add up to less
    /// than 2^31, since no memory holds more cells; so the sum fits 32 bits, and it does not matter
    /// if partial sums wrap around.
    #[inline(always)]
    fn gain(&self, leaders: &[u8; VERTICES], leader: u8) -> i64 {
        let mut gain = 0i32;
        for (gains, &led_by) in self.gains.iter().zip(leaders) {
            gain = gain.wrapping_add(gains & -i32::from(led_by == leader));
        }
        i64::from(gain)
    }

    /// Each output keeps its heaviest arrival. Of equally heavy arrivals, the m-th replaces the one
    /// kept with probability 1/m (reservoir sampling), so that one pass suffices and all have the
    /// same chance.
    #[inline(always)]
    pub(super) fn on_enqueue(&mut self, input: usize, output: usize, length: u32) {
        let heaviest = &mut self.heaviest[output % PORTS];
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

    /// What R(t) was made of, for the costs.
    #[inline(always)]
    fn populated<const W: usize>(&self, view: &View<'_, W>, free_inputs: u64) -> Populated {
        let own_brokers = match self.rules.populate {
            Populate::Rank | Populate::Random => free_inputs.trailing_ones() as usize,
            Populate::Rotate => {
                own_brokers_rotated(word::ports(free_inputs), free_inputs.count_ones() as usize, view.now)
            }
        };
        Populated {
            arrivals: PortSet::<1>::named(view.arrived).len(),
            free: free_inputs.count_ones() as usize,
            own_brokers,
        }
    }

    /// Writes R(t): for each input its output, and for each output its input. Returns the inputs
    /// that had no arrival left after pruning.
    #[inline(always)]
    fn derive<const W: usize>(&mut self, view: &View<'_, W>, red: &mut [Port; PORTS]) -> u64 {
        let mut requested = word::from_fn(|output| self.heaviest[output] != 0);
        if requested == 0 {
            // Either there is no arrival, or the view was made by hand and no hook was called.
            requested = self.prune_view(view);
        }
        let all = PortSet::<1>::all(view.ports).words[0];
        let mut free_inputs = all;
        for output in word::ports(requested) {
            let input = self.heaviest[output % PORTS] as usize % PORTS;
            red[input] = output as Port;
            self.red_inputs[output % PORTS] = input as u8;
            free_inputs &= !(1 << input);
        }
        self.heaviest = [0; PORTS];
        let free_outputs = all & !requested;
        if self.rules.populate == Populate::Rank {
            for (input, output) in word::ports(free_inputs).zip(word::ports(free_outputs)) {
                red[input % PORTS] = output as Port;
                self.red_inputs[output % PORTS] = input as u8;
            }
        } else {
            self.populate(view.now, free_inputs, free_outputs, red);
        }
        free_inputs
    }

    /// Pairs the free inputs with the free outputs, of which there are as many, in random or
    /// rotated order.
    #[inline]
    fn populate(&mut self, now: Slot, free_inputs: u64, free_outputs: u64, red: &mut [Port; PORTS]) {
        let mut outputs = [0; PORTS];
        let free = free_outputs.count_ones() as usize;
        for (entry, output) in outputs.iter_mut().zip(word::ports(free_outputs)) {
            *entry = output as Port;
        }
        let outputs = &mut outputs[..free];
        if self.rules.populate == Populate::Random {
            self.rng.shuffle(outputs);
        } else {
            outputs.rotate_left(now as usize % free.max(1));
        }
        for (input, &output) in word::ports(free_inputs).zip(&*outputs) {
            red[input % PORTS] = output;
            self.red_inputs[output as usize % PORTS] = input as u8;
        }
    }

    /// Prunes the arrivals of a view. Returns the outputs that have one.
    #[cold]
    fn prune_view<const W: usize>(&mut self, view: &View<'_, W>) -> u64 {
        for input in PortSet::<1>::named(view.arrived).iter() {
            let output = view.arrived[input] as usize;
            self.on_enqueue(input, output, view.lengths[input * view.ports + output]);
        }
        word::from_fn(|output| self.heaviest[output] != 0)
    }
}
