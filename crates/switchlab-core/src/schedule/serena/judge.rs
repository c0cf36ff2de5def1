//! How a cycle that is not ouroboros is decided, from what a vertex of SERENADE knows of it.

use super::super::View;
use super::Step;
use crate::cell::Port;
use crate::ouroboros::last_iteration;
use crate::rng::{Probability, Rng};
use crate::serenade::{Consistency, Leader, Variant, sketch};
use crate::switch::Promise;

/// A cycle, walked once from its smallest vertex on.
pub(super) struct Cycle<'a> {
    pub(super) vertices: &'a [Port],
    pub(super) steps: &'a [Step],
    pub(super) red: &'a [Port],
    pub(super) green: &'a [Port],
    /// What red weighs more than green, in all.
    pub(super) gain: i64,
    /// The cycle turns red if red's advantage is above this.
    pub(super) bar: i64,
}

/// What an approximation cost or gained is counted for these.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// SERENA itself, central.
    Central,
    /// C-SERENADE: no leader, no broadcast.
    Conservative,
    /// O-SERENADE with leaders, who report to the controller.
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

    /// Appendix H: a variant that never takes a lighter colour of unknown cycles but the old one keeps its weight; with the overweight rule a slot loses at
    /// most `cow` for each of N edges.
    pub(super) fn promise(&self, ports: usize) -> Promise {
        match self.variant {
            None | Some(Variant::E | Variant::C) => Promise::NonDegenerative,
            Some(Variant::So { cow, .. }) => Promise::Degenerative(ports as u64 * u64::from(cow)),
            Some(Variant::O { .. }) => Promise::None,
        }
    }

    /// Whether there are vertices that send messages at all.
    pub(super) fn distributed(&self) -> bool {
        self.variant.is_some()
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
        if cycle.heaviest(view) > cow {
            return false;
        }
        match consistency {
            Consistency::Leader => cycle.walk(leader, view) > cycle.bar,
            Consistency::MinSketch { codewords } => cycle.sketch(codewords, self.key, view),
        }
    }
}

impl Cycle<'_> {
    fn weight<const W: usize>(view: &View<'_, W>, vertex: Port, output: Port) -> u32 {
        view.length(vertex as usize * view.ports + output as usize)
    }

    fn green_weight<const W: usize>(&self, view: &View<'_, W>, vertex: Port) -> u32 {
        Self::weight(view, vertex, self.green[vertex as usize])
    }

    fn red_weight<const W: usize>(&self, view: &View<'_, W>, vertex: Port) -> u32 {
        Self::weight(view, vertex, self.red[vertex as usize])
    }

    /// The heaviest edge of either colour.
    fn heaviest<const W: usize>(&self, view: &View<'_, W>) -> u32 {
        let weights = self.vertices.iter().map(|&v| self.red_weight(view, v).max(self.green_weight(view, v)));
        weights.max().unwrap_or(0)
    }

    /// What red weighs more than green on the walk of 2^K edges from the leader (section 5.2.1): some turns, and a part of one.
    fn walk<const W: usize>(&self, leader: Leader, view: &View<'_, W>) -> i64 {
        let length = self.vertices.len();
        let first = match leader {
            Leader::Fixed => 0,
            Leader::Rotating => self.nominee(view),
        };
        let edges = 1usize << last_iteration(view.ports);
        let (turns, rest) = (edges / length, edges % length);
        let at = |place: usize| self.vertices[if place < length { place } else { place - length }];
        let part: i64 = (first..first + rest).map(|place| self.steps[at(place) as usize].gain).sum();
        // A step's gain has the vertex's own green edge, the walk's edges have the next vertex's: they differ at the two ends.
        let green = |place: usize| i64::from(self.green_weight(view, at(place)));
        i64::from(turns as u32) * self.gain + part + green(first) - green(first + rest)
    }

    /// Where the vertex with the smallest nominee identity stands (footnote 6).
    fn nominee<const W: usize>(&self, view: &View<'_, W>) -> usize {
        let shift = view.now as usize % view.ports;
        let identity = |vertex: Port| (vertex as usize + shift) % view.ports;
        let places = 0..self.vertices.len();
        places.min_by_key(|&place| identity(self.vertices[place])).unwrap_or(0)
    }

    /// Whether the minima of red are smaller in all than those of green (appendix F).
    fn sketch<const W: usize>(&self, codewords: u32, key: u64, view: &View<'_, W>) -> bool {
        let least = |word: u32, red: bool| {
            let of = |&vertex: &Port| {
                let weight = if red {
                    self.red_weight(view, vertex)
                } else {
                    self.green_weight(view, self.steps[vertex as usize].next)
                };
                sketch::modulate(sketch::codeword(key, view.now, vertex, red, word), weight)
            };
            self.vertices.iter().map(of).fold(f64::INFINITY, f64::min)
        };
        let sum = |red: bool| (0..codewords).map(|word| least(word, red)).sum::<f64>();
        let (red, green) = (sum(true), sum(false));
        if self.bar < 0 { red <= green } else { red < green }
    }
}
