//! States in which C-SERENADE is stuck (paper 002, appendix H.2.3), and a search for them.
//!
//! C-SERENADE turns a cycle red only if the cycle is ouroboros and red is heavier. So a matching is
//! a local maximum for it if no cycle of an ouroboros length gains weight, whatever R(t) may be. It
//! is not a maximum if some other cycle does: then every way out is a cycle on which C-SERENADE
//! stays green, and it is stuck as long as the queues stay so.
//!
//! The smallest switch with a length that is not ouroboros has 11 ports, and the length is 11: the
//! whole switch is one cycle.

use alloc::collections::{BTreeSet, VecDeque};
use alloc::vec;
use alloc::vec::Vec;
use switchlab_core::rng::{Purpose, Seed};
use switchlab_core::schedule::serena::accounting::Accounting;
use switchlab_core::schedule::serena::ouroboros::Fates;
use switchlab_core::schedule::serena::rules::{Prune, Rules, Variant};
use switchlab_core::schedule::serena::{Config, Serena};
use switchlab_core::schedule::{Matching, Scheduler, View};
use switchlab_core::{NONE, Port};

/// More ports than this are not examined: all sets of ports are.
pub const MOST_PORTS: usize = 16;

/// The largest change of weight by turning one cycle of some length.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gains {
    /// By a cycle that is ouroboros, which C-SERENADE decides; 0 if none changes the weight.
    pub ouroboros: i64,
    /// By any other, on which it stays green; 0 if there is none.
    pub other: i64,
}

impl Gains {
    /// Whether C-SERENADE cannot leave a matching that is not of maximum weight.
    pub fn is_stuck(self) -> bool {
        self.ouroboros <= 0 && self.other > 0
    }
}

/// What a matching can gain, for each input its output, with the lengths of the VOQs row by row.
/// None for what is no matching of up to [`MOST_PORTS`] ports.
///
/// Each cycle of sigma is a closed walk over inputs, and the edge from input i to input j stands
/// for i taking over j's output. The heaviest simple paths from the lowest input of a cycle, by the
/// set of their inputs and their last one, follow from each other (Held and Karp).
pub fn gains(green: &[Port], lengths: &[u32]) -> Option<Gains> {
    let ports = green.len();
    let is_matching = (0..ports).all(|output| green.iter().any(|&taken| usize::from(taken) == output));
    if ports == 0 || ports > MOST_PORTS || lengths.len() != ports * ports || !is_matching {
        return None;
    }
    let weight = |input: usize, owner: usize| i64::from(lengths[input * ports + usize::from(green[owner])]);
    let gain = |from: usize, to: usize| weight(from, to) - weight(from, from);
    let fates = Fates::new(ports);
    let mut best = Gains { ouroboros: 0, other: 0 };
    for first in 0..ports {
        // Sets of the inputs beyond the first, and the last of the path.
        let others = ports - first - 1;
        let mut paths = vec![vec![None; others]; 1 << others];
        for last in 0..others {
            paths[1 << last][last] = Some(gain(first, first + 1 + last));
        }
        for set in 1..1usize << others {
            let length = set.count_ones() as usize + 1;
            for last in 0..others {
                let Some(sum) = paths[set][last] else { continue };
                let vertex = first + 1 + last;
                let whole = sum + gain(vertex, first);
                let side = if fates.fate(length).is_ouroboros() { &mut best.ouroboros } else { &mut best.other };
                *side = whole.max(*side);
                for next in (0..others).filter(|next| set & 1 << next == 0) {
                    let path = &mut paths[set | 1 << next][next];
                    *path = (*path).max(Some(sum + gain(vertex, first + 1 + next)));
                }
            }
        }
    }
    Some(best)
}

/// The arrivals of a trace, slot by slot: for each input an output, or [`NONE`].
pub type Trace = Vec<Vec<Port>>;

/// A switch with C-SERENADE, from the empty one on.
#[derive(Clone)]
pub struct Switch {
    scheduler: Serena,
    lengths: Vec<u32>,
    green: Vec<Port>,
    slot: u32,
}

impl Switch {
    /// An empty switch. Which of equally heavy arrivals an output keeps is no random choice here.
    pub fn new(ports: usize) -> Self {
        let config = Config {
            rules: Rules { prune: Prune::Lowest, ..Rules::default() },
            variant: Some(Variant::C),
            coin: None,
            rng: Seed { seed: 1, replication: 0 }.stream(Purpose::Scheduler, 0),
            key: 0,
            accounting: Accounting::default(),
        };
        Self {
            scheduler: Serena::new(ports, config),
            lengths: vec![0; ports * ports],
            green: (0..ports as Port).collect(),
            slot: 0,
        }
    }

    /// A slot. Returns whether its decision left a heavier R(t) aside in a stuck state.
    pub fn slot(&mut self, arrivals: &[Port]) -> bool {
        let ports = self.green.len();
        for (input, &output) in arrivals.iter().enumerate().filter(|(_, output)| **output != NONE) {
            self.lengths[input * ports + usize::from(output)] += 1;
        }
        let mut matching = Matching::new(ports);
        let mut view = View::<1>::nothing(ports, self.slot);
        (view.lengths, view.arrived) = (&self.lengths, arrivals);
        self.scheduler.schedule(&view, &mut matching);
        self.slot += 1;
        let mut red = Vec::new();
        Scheduler::<1>::state(&self.scheduler, &mut |_, last| red = last.to_vec());
        let weight = |matching: &[Port]| -> u64 {
            let edges = matching.iter().enumerate();
            edges.map(|(input, &output)| u64::from(self.lengths[input * ports + usize::from(output)])).sum()
        };
        let stays = matching.outputs() == self.green && weight(&red) > weight(&self.green);
        let is_stuck = stays && gains(&self.green, &self.lengths).is_some_and(Gains::is_stuck);
        self.green = matching.outputs().to_vec();
        for (input, &output) in self.green.iter().enumerate() {
            let length = &mut self.lengths[input * ports + usize::from(output)];
            *length = length.saturating_sub(1);
        }
        is_stuck
    }
}

/// Patterns of arrivals in which no two cells are for the same output.
fn patterns(ports: usize) -> Vec<Vec<Port>> {
    let own: Vec<Port> = (0..ports as Port).collect();
    let mut next = own.clone();
    next.rotate_left(1);
    // The next output, but in a cycle of one input less.
    let mut shorter = next.clone();
    if let [.., before, last] = &mut shorter[..] {
        core::mem::swap(before, last);
    }
    let all = [own, next, shorter];
    let without_first = all.clone().map(|mut pattern| {
        pattern[0] = NONE;
        pattern
    });
    all.into_iter().chain(without_first).collect()
}

/// A shortest trace, of the patterns above and at most `most_slots` slots, whose last slot leaves
/// C-SERENADE stuck with a heavier R(t). None if there is none. Breadth first: the first trace in
/// the order of the patterns, of those that are shortest.
pub fn search(ports: usize, most_slots: usize) -> Option<Trace> {
    if !(1..=MOST_PORTS).contains(&ports) {
        return None;
    }
    let patterns = patterns(ports);
    let mut seen = BTreeSet::new();
    let mut pending = VecDeque::from([(Switch::new(ports), Trace::new())]);
    while let Some((switch, trace)) = pending.pop_front() {
        if trace.len() == most_slots {
            continue;
        }
        for pattern in &patterns {
            let (mut switch, mut trace) = (switch.clone(), trace.clone());
            trace.push(pattern.clone());
            if switch.slot(pattern) {
                return Some(trace);
            }
            if seen.insert((switch.lengths.clone(), switch.green.clone())) {
                pending.push_back((switch, trace));
            }
        }
    }
    None
}
