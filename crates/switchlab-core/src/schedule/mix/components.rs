//! One path or cycle of the union, and what its ports learn of it.

use super::super::serena::rules::Tie;
use super::super::serena::sketch::{Codewords, modulate};
use super::union::{GREEN, RED, Union};
use crate::cell::{Port, Slot};
use alloc::vec;
use alloc::vec::Vec;

/// Words whose minima are exchanged together: what is kept stays small, however many words there
/// are.
const WORDS: usize = 64;

/// How minima are exchanged in a slot.
pub(super) struct Sketch {
    pub(super) rounds: u32,
    pub(super) codewords: u32,
    pub(super) key: u64,
    pub(super) now: Slot,
    pub(super) tie: Tie,
}

/// The minima of some words of both colours.
type Minima = [[f64; WORDS]; 2];

/// A path or a cycle: its ports in the order of a walk.
#[derive(Clone, Debug)]
pub(super) struct Component {
    ports: Vec<usize>,
    /// Whether there is an edge from the last port to the first.
    closed: bool,
    /// By place on the walk: the minima of some words, and those of the next round.
    minima: Vec<Minima>,
    next_minima: Vec<Minima>,
    /// By place and colour: the sum of the minima of all words so far.
    sums: Vec<[f64; 2]>,
}

impl Component {
    /// Room for all ports of a switch, and for their minima if these are used.
    pub(super) fn new(ports: usize, uses_minima: bool) -> Self {
        let room = if uses_minima { 2 * ports } else { 0 };
        let minima = vec![[[0.0; WORDS]; 2]; room];
        Self {
            ports: Vec::with_capacity(2 * ports),
            closed: false,
            next_minima: minima.clone(),
            minima,
            sums: vec![[0.0; 2]; room],
        }
    }

    pub(super) fn begin(&mut self) {
        self.ports.clear();
        self.closed = false;
    }

    pub(super) fn push(&mut self, port: usize) {
        self.ports.push(port);
    }

    pub(super) fn close(&mut self) {
        self.closed = true;
    }

    pub(super) fn ports(&self) -> &[usize] {
        &self.ports
    }

    /// The sums of the weights of its red and of its green edges.
    pub(super) fn weights(&self, union: &Union) -> (u64, u64) {
        // Each edge has one input.
        let inputs = self.ports.iter().filter(|&&port| port < union.ports());
        inputs.fold((0, 0), |(red, green), &port| {
            let weight = |colour: usize| union.edges(port)[colour].map_or(0, |edge| u64::from(edge.weight));
            (red + weight(RED), green + weight(GREEN))
        })
    }

    /// All ports decide alike.
    pub(super) fn assign(&self, red: bool, decisions: &mut [bool]) {
        for &port in &self.ports {
            decisions[port] = red;
        }
    }

    /// Draws the exponential numbers of all edges, lets ports exchange minima for some rounds, and
    /// lets each port decide for the colour whose minima have the smaller sum.
    pub(super) fn compare_minima(&mut self, union: &Union, sketch: &Sketch, decisions: &mut [bool]) {
        let length = self.ports.len();
        self.sums[..length].fill([0.0; 2]);
        for first in (0..sketch.codewords).step_by(WORDS) {
            let words = WORDS.min((sketch.codewords - first) as usize);
            self.draw_numbers(union, sketch, first, words);
            // Numbers travel one port in a round, so that after as many rounds as there are ports
            // all have the same minima.
            if sketch.rounds as usize >= length {
                self.spread_everywhere();
            } else {
                (0..sketch.rounds).for_each(|_| self.exchange_once());
            }
            for (sums, minima) in self.sums.iter_mut().zip(&self.minima[..length]) {
                for (sum, minima) in sums.iter_mut().zip(minima) {
                    minima[..words].iter().for_each(|least| *sum += least);
                }
            }
        }
        for (&port, sums) in self.ports.iter().zip(&self.sums) {
            decisions[port] = sketch.tie.is_red(sums[GREEN], sums[RED]);
        }
    }

    /// An input starts with the numbers of its edges, an output with none, that is infinity.
    fn draw_numbers(&mut self, union: &Union, sketch: &Sketch, first: u32, words: usize) {
        for (minima, &port) in self.minima.iter_mut().zip(&self.ports) {
            *minima = [[f64::INFINITY; WORDS]; 2];
            if port >= union.ports() {
                continue;
            }
            for (colour, edge) in union.edges(port).into_iter().enumerate() {
                let weight = edge.map_or(0, |edge| edge.weight);
                let codewords = Codewords::new(sketch.key, sketch.now, port as Port, colour == RED);
                for (word, least) in (first..).zip(&mut minima[colour][..words]) {
                    *least = modulate(codewords.word(word), weight);
                }
            }
        }
    }

    /// Every port takes the minima of its own numbers and its neighbours'.
    fn exchange_once(&mut self) {
        let length = self.ports.len();
        self.next_minima[..length].copy_from_slice(&self.minima[..length]);
        let mut hear = |place: usize, neighbour: usize| {
            lower(&mut self.next_minima[place], &self.minima[neighbour]);
        };
        for place in 1..length {
            hear(place, place - 1);
            hear(place - 1, place);
        }
        if self.closed {
            hear(0, length - 1);
            hear(length - 1, 0);
        }
        core::mem::swap(&mut self.minima, &mut self.next_minima);
    }

    /// Every port takes the minima of all.
    fn spread_everywhere(&mut self) {
        let length = self.ports.len();
        let mut least = self.minima[0];
        self.minima[1..length].iter().for_each(|minima| lower(&mut least, minima));
        self.minima[..length].fill(least);
    }
}

fn lower(minima: &mut Minima, others: &Minima) {
    for (least, &other) in minima.as_flattened_mut().iter_mut().zip(others.as_flattened()) {
        *least = least.min(other);
    }
}
