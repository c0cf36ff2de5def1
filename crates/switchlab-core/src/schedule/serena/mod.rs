//! SERENA: merges the matching of the last slot with one made of this slot's arrivals, and keeps the heavier part of each cycle.
//!
//! In each slot, with weights that are VOQ lengths after this slot's arrivals:
//!
//! 1. Prune. The arrivals are a graph; each output keeps the heaviest arrival of those destined to it.
//! 2. Populate. Inputs and outputs that are left over are paired, so that the result R(t) is a full matching, red.
//! 3. Merge. R(t) and S(t-1), the matching of the slot before, green, form cycles of red and green edges in turn. Of each cycle the
//!    heavier colour becomes part of S(t). S(-1) is the identity.
//!
//! S(t) weighs at least as much as either, so heavy matchings are kept and improved from slot to slot, which gives stability at every admissible load; the arrivals bring in
//! new candidates where new cells are. At low load this memory is a burden: a cell waits until the matching happens to turn to it, and when arrivals cease, with `populate=rank`
//! or where cycles stay undecided, for ever.
//!
//! Parameters, where the paper leaves a choice. `prune`: equally heavy arrivals, `random` as the paper writes or the `lowest` input. `tie`: the colour of a
//! cycle whose colours weigh the same; with `green` it turns red only if strictly heavier. `populate`: `rank` pairs the k-th free input with the k-th free output (appendix
//! A), `random` with a random one (as appendices D and H have it), `rotate` with the (k + t)-th, cyclically, in slot t. They move delays at low load, `populate` tenfold.
//!
//! Random choices: inputs ascending, the m-th arrival that is as heavy as the heaviest before it takes its place if a number below m is 0; then, with `populate=random`,
//! the free outputs, ascending, are shuffled.
//!
//! Matching: full, and possibly of empty VOQs. Cost: O(N) per slot, one walk along the cycles; that it is a walk is what keeps it from hardware, see the SERENADE suite.
//!
//! Reference: P. Giaccone, B. Prabhakar, D. Shah, "Randomized scheduling algorithms for high-aggregate bandwidth switches", IEEE JSAC 21(4), 2003; L. Gong and others,
//! "SERENADE", 2022, section 3 (paper 002).

mod arrival_graph;
pub mod c_serenade;
mod costs;
mod cycles;
mod draws;
pub mod e_serenade;
mod few;
mod judge;
mod large;
pub mod o_serenade;
pub mod sc_serenade;
pub mod so_serenade;
#[cfg(test)]
mod tests;

use super::{Matching, Needs, Scheduler, View, bits};
use crate::cell::Port;
use crate::counter::Counter;
use crate::ouroboros::Ouroboros;
use crate::rng::{Probability, Rng};
use crate::serenade::{Rules, Tie, Variant};
use crate::switch::Promise;
use alloc::vec;
use alloc::vec::Vec;
use arrival_graph::ArrivalGraph;
use costs::Costs;
use few::Few;
use judge::Judge;

/// SERENA, or a variant of SERENADE: they differ in how a cycle that is not ouroboros is decided, and in what they cost.
#[derive(Clone, Debug)]
pub struct Serena {
    ports: usize,
    graph: ArrivalGraph,
    /// A cycle turns red if red's advantage is above this.
    bar: i64,
    /// R(t): for each input its output.
    red: Vec<Port>,
    /// What these edges weigh.
    red_weights: Vec<u32>,
    /// S(t-1), then S(t): for each input its output.
    green: Vec<Port>,
    /// The same: for each output its input. In a large switch, that of R(t).
    green_inputs: Vec<Port>,
    /// The next vertex on the cycle, and what red weighs more than green at this vertex.
    steps: Vec<Step>,
    /// The vertices of one cycle, in its order.
    cycle: Vec<Port>,
    /// In a large switch instead of steps, and the other way around: the vertex before, and what red weighs more.
    before: Vec<Port>,
    gains: Vec<i32>,
    /// There, what S(t) is made in.
    merged: Vec<Port>,
    /// What a small switch has instead of all that.
    few: Few,
    theory: Ouroboros,
    judge: Judge,
    costs: Costs,
}

/// A vertex of sigma, the permutation whose cycles are those of the union of red and green (section 3.3).
#[derive(Clone, Copy, Debug, Default)]
struct Step {
    /// Red's weight less green's, of this input's two edges. The sum over a cycle is that of the paper's combinatorial edges, where the green edge is the
    /// next vertex's. Lengths are below 2^31, since no memory holds as many cells: so a step takes eight bytes and not sixteen.
    gain: i32,
    next: Port,
}

impl judge::Gain for Step {
    fn gain(&self) -> i32 {
        self.gain
    }
}

/// What a variant is made of.
#[derive(Clone, Debug)]
pub struct Make {
    /// Where the paper leaves a choice.
    pub rules: Rules,
    /// The variant; None is SERENA itself, which decides as E-SERENADE and counts no messages.
    pub variant: Option<Variant>,
    /// The hybrids' coin: the probability of E-SERENADE in a slot, and the controller's random stream.
    pub coin: Option<(Probability, Rng)>,
    /// For pruning and populating.
    pub rng: Rng,
    /// What codewords are drawn from.
    pub key: u64,
}

impl Serena {
    /// A scheduler whose last matching is the identity.
    pub fn new(ports: usize, make: Make) -> Self {
        // Room for a word of ports, if there are not more.
        let room = ports.max(64);
        let identity: Vec<Port> = (0..room as Port).collect();
        // And for what is nobody's.
        let red: Vec<Port> = (0..=room as Port).collect();
        let theory = Ouroboros::new(ports);
        Self {
            ports,
            graph: ArrivalGraph::new(ports, make.rules, make.rng),
            bar: if make.rules.tie == Tie::Red { -1 } else { 0 },
            red_weights: vec![0; red.len()],
            red,
            green: identity.clone(),
            green_inputs: identity,
            steps: vec![Step::default(); room],
            cycle: vec![0; room],
            before: vec![0; room],
            gains: vec![0; room],
            merged: vec![0; room],
            few: Few::NOTHING,
            costs: Costs::new(ports, &theory, make.variant.is_some()),
            theory,
            judge: Judge::new(make.variant, make.coin, make.key),
        }
    }

    /// One merge (section 3.2), decided by the variant where a cycle is not ouroboros.
    #[inline]
    fn merge<const W: usize>(&mut self, view: &View<'_, W>) {
        let ports = view.ports;
        // Slices of one length: vectors behind `&mut self` would be looked up again after every store.
        let (red, green) = (&self.red[..ports], &mut self.green[..ports]);
        let green_inputs = &mut self.green_inputs[..ports];
        let (steps, cycle) = (&mut self.steps[..ports], &mut self.cycle[..ports]);
        let weights = &self.red_weights[..ports];
        let known = steps[..ports].iter_mut().zip(red.iter().zip(weights));
        view.lengths_left(&green[..ports], known, |(step, (&red, &weight)), green| {
            let next = green_inputs[red as usize];
            *step = Step { gain: weight.cast_signed() - green.cast_signed(), next };
        });
        // A cycle of length one: red and green are the same edge, and there is nothing to decide.
        let mut waiting = bits::different(&red[..ports], &green[..ports]);
        self.costs.begin(ports - bits::count::<W>(&waiting));
        for word in 0..W {
            while waiting[word] != 0 {
                let first = word * 64 + waiting[word].trailing_zeros() as usize;
                let (mut vertex, mut length, mut gain) = (first, 0, 0);
                loop {
                    let step = steps[vertex];
                    bits::unset(&mut waiting, vertex);
                    cycle[length] = vertex as Port;
                    length += 1;
                    gain += i64::from(step.gain);
                    vertex = step.next as usize;
                    if vertex == first {
                        break;
                    }
                }
                let vertices = &cycle[..length];
                let fate = self.theory.fate(length);
                let truth = gain > self.bar;
                let turns_red = if fate.is_ouroboros() {
                    truth
                } else {
                    self.judge.decide(&judge::Cycle { vertices, weights, gains: steps, gain, bar: self.bar }, view)
                };
                self.costs.cycle(length, fate, truth == turns_red);
                if turns_red {
                    for &vertex in vertices {
                        let output = red[vertex as usize];
                        green[vertex as usize] = output;
                        green_inputs[output as usize] = vertex;
                    }
                }
            }
        }
        self.costs.end(self.judge.kind());
    }
}

impl<const W: usize> Scheduler<W> for Serena {
    const NEEDS: Needs = Needs { lengths: !View::<W>::LARGE, recent: true, joins: W == 1, ..Needs::NOTHING };
    const FULL: bool = true;

    #[inline(always)]
    fn joins(&mut self, input: usize, output: usize, length: u32) {
        self.graph.keep_few(&mut self.few, input, output, length);
    }

    #[inline]
    fn schedule(&mut self, view: &View<'_, W>, matching: &mut Matching) {
        self.judge.begin();
        if view.is_recent() {
            self.graph.derive_large(view, &mut self.red, &mut self.red_weights, &mut self.green_inputs);
            self.merge_large(view);
        } else if W == 1 {
            self.schedule_few(view);
        } else {
            self.graph.derive(view, &mut self.red, &mut self.red_weights);
            self.merge(view);
        }
        matching.assign(&self.green[..view.ports]);
    }

    fn counters(&self, visit: &mut dyn FnMut(Counter)) {
        self.costs.counters(visit);
    }

    fn promise(&self) -> Promise {
        self.judge.promise(self.ports)
    }

    fn state(&self, visit: &mut dyn FnMut(&'static str, &[Port])) {
        visit("last R(t)", &self.red[..self.ports]);
    }
}
