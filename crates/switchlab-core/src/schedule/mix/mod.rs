//! MIX: merges the last matching with one made of the arrivals, by ports that gossip.
//!
//! MIX is SERENA's merge in a wireless network, where a node talks to its neighbours only. It is
//! what the SERENADE suite is compared with. In each slot, with weights that are VOQ lengths after
//! this slot's arrivals:
//!
//! 1. Prune, as in `serena`: each output keeps the heaviest arrival destined to it. These pairs are
//!    the red matching R(t). It is partial: MIX pairs no ports that are left over. `populate` pairs
//!    them all the same, by the rules of `serena`.
//! 2. Merge. R(t) and the green matching of the slot before, S(t-1), form paths as well as cycles,
//!    of red and green edges in turn. Each port decides for a colour, and an edge belongs to S(t)
//!    if both of its ports decide for its colour. An edge of both colours stays. S(-1) is the
//!    identity.
//!
//! The variants differ in what a port decides from:
//!
//! - `central`: the weights of the whole path or cycle, by walking along it. The ports of a path or
//!   cycle agree. With `populate` it is SERENA, departure by departure.
//! - `gossip`: averages. A port starts with the weights of its own red and green edge, 0 for one
//!   that it lacks. In each of `rounds` rounds every port names one of its neighbours at random.
//!   This is the pairing rule: two ports that name each other are a pair, and replace their weights
//!   by the averages; all others keep theirs. In the end a port compares its two averages. Close
//!   weights and few rounds make ports disagree. Then the edges between them are lost
//!   (`split=drop`), or all ports of that path or cycle stay green (`split=green`), as if they had
//!   been told.
//! - `idempotent`: minima. Each input turns the weight of each of its edges into `codewords`
//!   exponential random numbers of that rate (as `o-serenade` does with `consistency=min-sketch`).
//!   In each round a port takes the minima of its own and its neighbours' numbers. After as many
//!   rounds as the path is long, all ports have the same minima; the colour with the smaller sum is
//!   the heavier one.
//!
//! Parameters. `rounds`: N without it, which is enough for minima, and too few for averages, which
//! take the order of N^3 log N. `codewords`: without it 1 + N log2 N, the order that the paper
//! quotes, but at most 1024. `prune`, `tie`, `populate`: as for `serena`; `populate=none` leaves
//! ports unpaired.
//!
//! Random choices: pruning and populating as in `serena`, from the same stream. With `gossip`, in
//! each round, inputs ascending and then outputs: a port with two neighbours draws a number below
//! 2; 0 names the neighbour of its red edge.
//!
//! Counters: `rounds` and `messages_per_vertex` (a port is a vertex; with `central` a round is a
//! step along the longest path or cycle, and no message is sent), `numbers_per_message`, 64 bits
//! each, `bits_merge`, the bits of all these messages for a port of the switch, an input with its
//! output, as for `c-serenade`, `components` with something to decide, `right_components`, in which
//! all ports decide as the whole weights say, `split_components`, in which they disagree, and
//! `merged_weight`, the weight of S(t) over that of the central merge.
//!
//! Matching: partial, and possibly of empty VOQs. Cost here: O(N) per slot and round.
//!
//! Reference: E. Modiano, D. Shah, G. Zussman, "Maximizing throughput in wireless networks via
//! gossiping", ACM SIGMETRICS 2006; paper 002, section 8 and appendix G.

mod components;
mod gossip;
mod union;

use super::serena::rules::{Populate, Prune, Tie};
use super::{Matching, Needs, Scheduler, View};
use crate::cell::{NONE, Port};
use crate::counter::Counter;
use crate::rng::Rng;
use crate::switch::Promise;
use alloc::vec;
use alloc::vec::Vec;
use components::{Component, Sketch};
use gossip::Gossip;
use union::Union;

/// No more codewords are drawn unless asked for: each takes a logarithm for every edge and slot.
pub const MOST_CODEWORDS: u32 = 1024;

/// The bits of an average or a minimum.
const NUMBER_BITS: u64 = 64;

/// What a port decides from.
#[derive(Clone, Debug)]
pub enum Variant {
    /// The weights of the whole path or cycle.
    Central,
    /// Averages, after some rounds.
    Gossip {
        /// How many.
        rounds: u32,
        /// For the neighbours that ports name.
        rng: Rng,
    },
    /// Minima, after some rounds.
    Idempotent {
        /// How many.
        rounds: u32,
        /// Random numbers for each colour.
        codewords: u32,
        /// What codewords are drawn from.
        key: u64,
    },
}

/// What becomes of a path or cycle whose ports disagree.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Split {
    /// Each port does as it decides, and edges whose ports disagree are lost.
    #[default]
    Drop,
    /// It stays green.
    Green,
}

/// What MIX is made of.
#[derive(Clone, Debug)]
pub struct Config {
    /// What a port decides from.
    pub variant: Variant,
    /// Which of several arrivals an output keeps.
    pub prune: Prune,
    /// Which colour an equal weight gives.
    pub tie: Tie,
    /// How ports that are left over are paired, if they are.
    pub populate: Option<Populate>,
    /// What becomes of a path or cycle whose ports disagree.
    pub split: Split,
    /// For pruning and populating.
    pub rng: Rng,
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Mix {
    config: Config,
    /// R(t) and S(t-1): by input its output, or [`NONE`].
    red: Vec<Port>,
    green: Vec<Port>,
    union: Union,
    gossip: Gossip,
    /// By port, inputs before outputs: whether it decides for red.
    decisions: Vec<bool>,
    component: Component,
    /// Scratch of pruning, by output: the weight of the heaviest arrival, its input, and how many
    /// were as heavy.
    heaviest: Vec<(u32, Port, u32)>,
    free_inputs: Vec<Port>,
    free_outputs: Vec<Port>,
    counts: Counts,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    slots: u64,
    components: u64,
    right: u64,
    split: u64,
    rounds: u64,
    messages: u64,
    weight: u64,
    central_weight: u64,
}

impl Mix {
    /// A scheduler whose last matching is the identity.
    pub fn new(ports: usize, config: Config) -> Self {
        let uses_minima = matches!(config.variant, Variant::Idempotent { .. });
        Self {
            config,
            red: vec![NONE; ports],
            green: (0..ports as Port).collect(),
            union: Union::new(ports),
            gossip: Gossip::new(ports),
            decisions: vec![false; 2 * ports],
            component: Component::new(ports, uses_minima),
            heaviest: vec![(0, NONE, 0); ports],
            free_inputs: Vec::with_capacity(ports),
            free_outputs: Vec::with_capacity(ports),
            counts: Counts::default(),
        }
    }

    /// Writes R(t).
    fn derive<const W: usize>(&mut self, view: &View<'_, W>) {
        self.prune(view);
        self.red.fill(NONE);
        self.free_outputs.clear();
        for (output, heaviest) in self.heaviest.iter_mut().enumerate() {
            let (_, input, _) = core::mem::replace(heaviest, (0, NONE, 0));
            match input {
                NONE => self.free_outputs.push(output as Port),
                _ => self.red[usize::from(input)] = output as Port,
            }
        }
        let Some(populate) = self.config.populate else { return };
        self.free_inputs.clear();
        let free = self.red.iter().zip(0..).filter(|(output, _)| **output == NONE);
        self.free_inputs.extend(free.map(|(_, input): (_, Port)| input));
        match populate {
            Populate::Rank => {}
            Populate::Random => self.config.rng.shuffle(&mut self.free_outputs),
            Populate::Rotate => {
                let free = self.free_outputs.len();
                self.free_outputs.rotate_left(view.now as usize % free.max(1));
            }
        }
        for (&input, &output) in self.free_inputs.iter().zip(&self.free_outputs) {
            self.red[usize::from(input)] = output;
        }
    }

    /// Each output keeps its heaviest arrival (section 3.1.1 of the paper).
    fn prune<const W: usize>(&mut self, view: &View<'_, W>) {
        for (input, &output) in view.arrived.iter().enumerate().filter(|(_, output)| **output != NONE) {
            let weight = view.lengths[input * view.ports + usize::from(output)];
            let (heaviest, kept, equals) = &mut self.heaviest[usize::from(output)];
            if *kept == NONE || weight > *heaviest {
                (*heaviest, *kept, *equals) = (weight, input as Port, 1);
            } else if weight == *heaviest && self.config.prune == Prune::Random {
                *equals += 1;
                if self.config.rng.below(*equals as usize) == 0 {
                    *kept = input as Port;
                }
            }
        }
    }

    /// Lets every port decide, one path or cycle after the other. What the whole weights say is
    /// known then, so that it is compared.
    fn decide<const W: usize>(&mut self, view: &View<'_, W>) {
        if let Variant::Gossip { rounds, rng } = &mut self.config.variant {
            self.gossip.run(&self.union, *rounds, rng);
        }
        self.union.begin_walks();
        let mut longest = 0;
        while self.union.next_component(&mut self.component) {
            let component = &mut self.component;
            let (red, green) = component.weights(&self.union);
            let truth = self.config.tie.is_red(red, green);
            match self.config.variant {
                Variant::Central => component.assign(truth, &mut self.decisions),
                Variant::Gossip { .. } => {
                    for &port in component.ports() {
                        let (red, green) = self.gossip.averages(port);
                        self.decisions[port] = self.config.tie.is_red(red, green);
                    }
                }
                Variant::Idempotent { rounds, codewords, key } => {
                    let sketch = Sketch { rounds, codewords, key, now: view.now, tie: self.config.tie };
                    component.compare_minima(&self.union, &sketch, &mut self.decisions);
                }
            }
            longest = longest.max(component.ports().len());
            let mut reds = component.ports().iter().filter(|&&port| self.decisions[port]).count();
            let is_split = reds != 0 && reds != component.ports().len();
            if is_split && self.config.split == Split::Green {
                component.assign(false, &mut self.decisions);
                reds = 0;
            }
            self.counts.components += 1;
            self.counts.right += u64::from(reds == if truth { component.ports().len() } else { 0 });
            self.counts.split += u64::from(is_split);
            self.counts.central_weight += if truth { red } else { green };
        }
        self.counts.slots += 1;
        let (rounds, messages) = match self.config.variant {
            Variant::Central => (longest as u64, 0),
            // A port names one neighbour in a round, and tells it both averages.
            Variant::Gossip { rounds, .. } => (u64::from(rounds), u64::from(rounds) * self.union.talking()),
            // A port sends its minima to all its neighbours.
            Variant::Idempotent { rounds, .. } => (u64::from(rounds), u64::from(rounds) * self.union.links()),
        };
        self.counts.rounds += rounds;
        self.counts.messages += messages;
    }

    /// S(t): the edges whose ports both decide for their colour, in place of S(t-1).
    fn merge<const W: usize>(&mut self, view: &View<'_, W>) {
        let ports = view.ports;
        for input in 0..ports {
            let (red, green) = (self.red[input], self.green[input]);
            let chosen = if red == green {
                red
            } else {
                let colour = if self.decisions[input] { red } else { green };
                let agrees = colour != NONE && self.decisions[ports + usize::from(colour)] == self.decisions[input];
                if agrees { colour } else { NONE }
            };
            self.green[input] = chosen;
            if chosen != NONE {
                let weight = u64::from(view.lengths[input * ports + usize::from(chosen)]);
                self.counts.weight += weight;
                self.counts.central_weight += if red == green { weight } else { 0 };
            }
        }
    }

    /// The numbers that a message carries.
    fn numbers(&self) -> u64 {
        match self.config.variant {
            Variant::Central => 0,
            Variant::Gossip { .. } => 2,
            Variant::Idempotent { codewords, .. } => 2 * u64::from(codewords),
        }
    }
}

impl<const W: usize> Scheduler<W> for Mix {
    const NEEDS: Needs = Needs::LENGTHS;

    fn schedule(&mut self, view: &View<'_, W>, matching: &mut Matching) {
        self.derive(view);
        self.union.form(&self.red, &self.green, view.lengths);
        self.decide(view);
        self.merge(view);
        matching.assign(&self.green);
    }

    fn counters(&self, visit: &mut dyn FnMut(Counter)) {
        let Counts { slots, components, right, split, rounds, messages, weight, central_weight } = self.counts;
        let mut show = |name, sum, per| visit(Counter { name, sum, per });
        show("rounds", rounds, slots);
        show("messages_per_vertex", messages, slots * 2 * self.red.len() as u64);
        show("numbers_per_message", self.numbers() * slots, slots);
        show("bits_merge", messages * self.numbers() * NUMBER_BITS, slots * self.red.len() as u64);
        show("components", components, slots);
        show("right_components", right, components);
        show("split_components", split, components);
        show("merged_weight", weight, central_weight);
    }

    fn promise(&self) -> Promise {
        if matches!(self.config.variant, Variant::Central) { Promise::NonDegenerative } else { Promise::None }
    }

    fn state(&self, visit: &mut dyn FnMut(&'static str, &[Port])) {
        visit("last R(t)", &self.red);
    }
}
