//! How a cycle that is not ouroboros is decided, from what a vertex of SERENADE knows of it.

use super::super::View;
use super::ouroboros::last_iteration;
use super::rules::{Consistency, Leader, Variant};
use super::sketch;
use crate::cell::Port;
use crate::rng::{Probability, Rng};
use crate::switch::Promise;

/// A cycle, walked once from its smallest vertex on.
pub(super) struct Cycle<'a> {
    pub(super) vertices: &'a [Port],
    /// By input: the weight of its red edge, whether it is on this cycle or not.
    pub(super) weights: &'a [u32],
    /// By input: red weight minus green weight.
    pub(super) gains: &'a [i32],
    /// The sum of the gains of the cycle.
    pub(super) gain: i64,
    /// The cycle turns red if red's advantage is above this.
    pub(super) bar: i64,
}

/// The kinds of slots that costs are counted for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// SERENA itself, central.
    Central,
    /// C-SERENADE: no leader, no broadcast.
    Conservative,
    /// O-SERENADE with leaders, which report to the controller.
    Led,
    /// O-SERENADE with codewords: no leader, no broadcast.
    Sketched,
    /// E-SERENADE.
    Exact,
}

#[derive(Clone, Debug)]
pub(super) struct Judge {
    /// None is SERENA.
    variant: Option<Variant>,
    coin: Option<(Probability, Rng)>,
    key: u64,
    /// Whether this slot is E-SERENADE's by the coin.
    exact: bool,
}

impl Judge {
    pub(super) fn new(variant: Option<Variant>, coin: Option<(Probability, Rng)>, key: u64) -> Self {
        Self { variant, coin, key, exact: false }
    }

    /// A slot begins: the switch controller flips its coin (section 6).
    #[inline]
    pub(super) fn begin(&mut self) {
        if let Some((probability, rng)) = &mut self.coin {
            self.exact = rng.chance(*probability);
        }
    }

    /// What is run in this slot.
    pub(super) fn kind(&self) -> Kind {
        match self.variant {
            None => Kind::Central,
            Some(_) if self.exact => Kind::Exact,
            Some(Variant::E) => Kind::Exact,
            Some(Variant::C) => Kind::Conservative,
            Some(Variant::O { consistency, .. } | Variant::So { consistency, .. }) => match consistency {
                Consistency::Leader => Kind::Led,
                Consistency::MinSketch { .. } => Kind::Sketched,
            },
        }
    }

    /// Appendix H: a variant that keeps green on cycles it does not know never loses weight; with
    /// the overweight rule a slot loses at most `cow` for each of N edges.
    pub(super) fn promise(&self, ports: usize) -> Promise {
        match self.variant {
            None | Some(Variant::E | Variant::C) => Promise::NonDegenerative,
            Some(Variant::So { cow, .. }) => Promise::Degenerative(ports as u64 * u64::from(cow)),
            Some(Variant::O { .. }) => Promise::None,
        }
    }

    /// Whether cycles that are not ouroboros are decided from a part of what there is to know.
    #[inline]
    pub(super) fn is_opportunistic(&self) -> bool {
        matches!(self.variant, Some(Variant::O { .. } | Variant::So { .. }))
    }

    /// Whether the decision on a cycle that is not ouroboros depends on its vertices one by one.
    #[inline(always)]
    pub(super) fn looks(&self) -> bool {
        self.is_opportunistic() && !self.exact
    }

    /// Whether a cycle turns red whose decision does not depend on its vertices. `truth` is what
    /// SERENA decides from the whole weights.
    #[inline(always)]
    pub(super) fn decide_unseen(&self, ouroboros: bool, truth: bool) -> bool {
        truth & (ouroboros | self.exact | !matches!(self.variant, Some(Variant::C)))
    }

    /// Whether the cycle turns red.
    pub(super) fn decide<const W: usize>(&self, cycle: &Cycle<'_>, view: &View<'_, W>) -> bool {
        let (leader, consistency, cow) = match self.variant {
            None | Some(Variant::E) => return cycle.gain > cycle.bar,
            Some(_) if self.exact => return cycle.gain > cycle.bar,
            Some(Variant::C) => return false,
            Some(Variant::O { leader, consistency }) => (leader, consistency, u32::MAX),
            Some(Variant::So { cow, leader, consistency }) => (leader, consistency, cow),
        };
        // Without the overweight rule `cow` is the maximum, and the edges need not be compared.
        if cow < u32::MAX && cycle.heaviest() > i64::from(cow) {
            return false;
        }
        match consistency {
            Consistency::Leader => cycle.walk(leader, view) > cycle.bar,
            Consistency::MinSketch { codewords } => cycle.sketch(codewords, self.key, view),
        }
    }
}

impl Cycle<'_> {
    /// The red and the green weight of the whole cycle.
    pub(super) fn weights(&self) -> (u64, u64) {
        let red: u64 = self.vertices.iter().map(|&vertex| u64::from(self.red(vertex))).sum();
        (red, red.wrapping_add_signed(-self.gain))
    }

    fn red(&self, vertex: Port) -> u32 {
        self.weights[vertex as usize]
    }

    /// Red weight minus green weight at a vertex. Needs no look-up of a VOQ.
    fn gain(&self, vertex: Port) -> i64 {
        i64::from(self.gains[vertex as usize])
    }

    fn green(&self, vertex: Port) -> i64 {
        i64::from(self.red(vertex)) - self.gain(vertex)
    }

    /// The heaviest edge of either colour.
    fn heaviest(&self) -> i64 {
        let weights = self.vertices.iter().map(|&vertex| i64::from(self.red(vertex)).max(self.green(vertex)));
        weights.max().unwrap_or(0)
    }

    /// Red weight minus green weight on the walk of 2^K edges from the leader (section 5.2.1): some
    /// times around the cycle, and a part of it.
    fn walk<const W: usize>(&self, leader: Leader, view: &View<'_, W>) -> i64 {
        let length = self.vertices.len();
        let first = match leader {
            Leader::Fixed => 0,
            Leader::Rotating => self.nominee(view),
        };
        let edges = 1usize << last_iteration(view.ports);
        let (turns, rest) = (edges / length, edges % length);
        let at = |place: usize| self.vertices[if place < length { place } else { place - length }];
        let green = |place: usize| self.green(at(place));
        let part: i64 = (first..first + rest).map(|place| self.gain(at(place))).sum();
        // `gains` pairs a vertex with its own green edge, the walk with the next vertex's: the two
        // sums differ at the ends.
        i64::from(turns as u32) * self.gain + part + green(first) - green(first + rest)
    }

    /// The index on the cycle of the vertex with the smallest nominee identity (footnote 6).
    fn nominee<const W: usize>(&self, view: &View<'_, W>) -> usize {
        let shift = view.now as usize % view.ports;
        let identity = |vertex: Port| (vertex as usize + shift) % view.ports;
        let places = 0..self.vertices.len();
        places.min_by_key(|&place| identity(self.vertices[place])).unwrap_or(0)
    }

    /// Whether the sum of the minima of red is smaller than that of green (appendix F).
    fn sketch<const W: usize>(&self, codewords: u32, key: u64, view: &View<'_, W>) -> bool {
        // The minima of 64 words at a time: the part of the hash that is common to the words of an
        // edge is computed once for them.
        const WORDS: u32 = 64;
        let sum = |red: bool| {
            let mut total = 0.0;
            for first in (0..codewords).step_by(WORDS as usize) {
                let words = first..codewords.min(first + WORDS);
                let mut minima = [f64::INFINITY; WORDS as usize];
                // A vertex's green edge is the next one's.
                let next = self.vertices.iter().cycle().skip(1);
                for (&vertex, &next) in self.vertices.iter().zip(next) {
                    let weight = if red { self.red(vertex) } else { self.green(next) as u32 };
                    // An edge without weight is never the minimum.
                    if weight == 0 {
                        continue;
                    }
                    let codewords = sketch::Codewords::new(key, view.now, vertex, red);
                    for (least, word) in minima.iter_mut().zip(words.clone()) {
                        *least = least.min(sketch::modulate(codewords.word(word), weight));
                    }
                }
                for least in &minima[..words.len()] {
                    total += least;
                }
            }
            total
        };
        let (red, green) = (sum(true), sum(false));
        if self.bar < 0 { red <= green } else { red < green }
    }
}
