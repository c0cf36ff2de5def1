//! Naive MIX, from appendix G of paper 002: a graph as a list of coloured edges, components by
//! flood fill, and ports that know what they have heard.

use crate::naive::{Lengths, Pairs, Twin};
use crate::naive_serena::{populate, prune};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use switchlab_core::rng::{Purpose, Rng};
use switchlab_core::schedule::serena::rules::{Populate, Prune, Tie};
use switchlab_core::schedule::serena::sketch;
use switchlab_core::{Cell, NONE, Port, Seed, Slot};

/// A port: whether it is an output, and its number. Inputs come before outputs.
type Node = (bool, usize);

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Colour {
    Red,
    Green,
}

/// An edge of one colour between an input and an output.
type Edge = (Colour, usize, usize);

/// How ports decide.
pub(crate) enum Method {
    Central,
    Gossip { rounds: u32, rng: Rng },
    Idempotent { rounds: u32, codewords: u32, key: u64 },
}

#[allow(clippy::too_many_lines, reason = "one page that is read from its beginning to its end")]
/// S(t) from two partial matchings, by input, and how many components all ports of which decide as
/// the whole weights say, out of how many.
pub(crate) fn merge(
    red: &Pairs,
    green: &Pairs,
    lengths: &Lengths,
    tie: Tie,
    (method, split_stays_green): (&mut Method, bool),
    slot: Slot,
) -> (Pairs, usize, usize) {
    let ports = red.len();
    let coloured = |colour, pairs: &Pairs| -> Vec<Edge> {
        (0..ports).filter_map(|input| pairs[input].map(|output| (colour, input, output))).collect()
    };
    let both: BTreeSet<usize> =
        (0..ports).filter(|&input| red[input].is_some() && red[input] == green[input]).collect();
    let mut edges = coloured(Colour::Red, red);
    edges.extend(coloured(Colour::Green, green));
    edges.retain(|(_, input, _)| !both.contains(input));
    let nodes: Vec<Node> =
        [false, true].into_iter().flat_map(|side| (0..ports).map(move |port| (side, port))).collect();
    let touches = |(_, input, output): &Edge, node: Node| if node.0 { *output == node.1 } else { *input == node.1 };
    let other = |(_, input, output): &Edge, node: Node| if node.0 { (false, *input) } else { (true, *output) };
    let weight = |(_, input, output): &Edge| lengths[*input][*output];
    let neighbours = |node: Node| -> BTreeMap<Colour, Node> {
        edges.iter().filter(|edge| touches(edge, node)).map(|edge| (edge.0, other(edge, node))).collect()
    };
    let is_red = |red: f64, green: f64| red > green || tie == Tie::Red && red == green;

    // What each port decides.
    let mut decisions: BTreeMap<Node, Colour> = BTreeMap::new();
    let colour_of = |red: bool| if red { Colour::Red } else { Colour::Green };
    match method {
        Method::Central => {}
        Method::Gossip { rounds, rng } => {
            let own = |node: Node, colour: Colour| {
                let edge = edges.iter().find(|edge| edge.0 == colour && touches(edge, node));
                edge.map_or(0.0, |edge| weight(edge) as f64)
            };
            let mut known: BTreeMap<Node, (f64, f64)> =
                nodes.iter().map(|&node| (node, (own(node, Colour::Red), own(node, Colour::Green)))).collect();
            for _ in 0..*rounds {
                let mut named: BTreeMap<Node, Node> = BTreeMap::new();
                for &node in &nodes {
                    let around = neighbours(node);
                    if around.len() == 2 {
                        let colour = colour_of(rng.below(2) == 0);
                        named.insert(node, around[&colour]);
                    } else if let Some(&only) = around.values().next() {
                        named.insert(node, only);
                    }
                }
                for (&one, &two) in &named {
                    if one < two && named.get(&two) == Some(&one) {
                        let (a, b) = (known[&one], known[&two]);
                        let mean = (f64::midpoint(a.0, b.0), f64::midpoint(a.1, b.1));
                        known.insert(one, mean);
                        known.insert(two, mean);
                    }
                }
            }
            decisions.extend(known.into_iter().map(|(node, (red, green))| (node, colour_of(is_red(red, green)))));
        }
        Method::Idempotent { rounds, codewords, key } => {
            let start = |node: Node, colour: Colour, word: u32| {
                let edge = edges.iter().find(|edge| edge.0 == colour && !node.0 && edge.1 == node.1);
                let codeword = || sketch::codeword(*key, slot, node.1 as Port, colour == Colour::Red, word);
                edge.map_or(f64::INFINITY, |edge| sketch::modulate(codeword(), weight(edge) as u32))
            };
            let words = |node: Node, colour: Colour| (0..*codewords).map(|word| start(node, colour, word)).collect();
            let mut known: BTreeMap<Node, [Vec<f64>; 2]> =
                nodes.iter().map(|&node| (node, [words(node, Colour::Red), words(node, Colour::Green)])).collect();
            for _ in 0..*rounds {
                let before = known.clone();
                for (&node, minima) in &mut known {
                    for neighbour in neighbours(node).values() {
                        for (ours, theirs) in minima.iter_mut().zip(&before[neighbour]) {
                            ours.iter_mut().zip(theirs).for_each(|(ours, theirs)| *ours = ours.min(*theirs));
                        }
                    }
                }
            }
            for (node, [red, green]) in known {
                let (red, green): (f64, f64) = (red.iter().sum(), green.iter().sum());
                decisions.insert(node, colour_of(is_red(green, red)));
            }
        }
    }

    // Components, and what their whole weights say.
    let (mut seen, mut right, mut all) = (BTreeSet::new(), 0, 0);
    for &start in nodes.iter().filter(|&&node| !neighbours(node).is_empty()) {
        if seen.contains(&start) {
            continue;
        }
        let mut component = BTreeSet::from([start]);
        let mut border = vec![start];
        while let Some(node) = border.pop() {
            border.extend(neighbours(node).into_values().filter(|&next| component.insert(next)));
        }
        let sum = |colour: Colour| -> usize {
            let inside = edges.iter().filter(|edge| edge.0 == colour && component.contains(&(false, edge.1)));
            inside.map(weight).sum()
        };
        let truth = colour_of(is_red(sum(Colour::Red) as f64, sum(Colour::Green) as f64));
        if matches!(method, Method::Central) {
            decisions.extend(component.iter().map(|&node| (node, truth)));
        }
        let colours: BTreeSet<Colour> = component.iter().map(|node| decisions[node]).collect();
        if split_stays_green && colours.len() > 1 {
            decisions.extend(component.iter().map(|&node| (node, Colour::Green)));
        }
        all += 1;
        right += usize::from(component.iter().all(|node| decisions[node] == truth));
        seen.extend(component);
    }

    let mut merged: Pairs = vec![None; ports];
    for &(colour, input, output) in &edges {
        if decisions[&(false, input)] == colour && decisions[&(true, output)] == colour {
            assert_eq!(merged[input].replace(output), None, "two edges of one input");
        }
    }
    for input in both {
        merged[input] = red[input];
    }
    let matched: BTreeSet<usize> = merged.iter().flatten().copied().collect();
    assert_eq!(matched.len(), merged.iter().flatten().count(), "two inputs for one output");
    (merged, right, all)
}

/// The switch.
pub(crate) struct NaiveMix {
    queues: Vec<Vec<VecDeque<Slot>>>,
    lengths: Lengths,
    green: Pairs,
    method: Method,
    /// Whether a component whose ports disagree stays green.
    pub(crate) split_stays_green: bool,
    populate: Option<Populate>,
    rng: Rng,
    pub(crate) right: usize,
    pub(crate) components: usize,
}

impl NaiveMix {
    pub(crate) fn new(ports: usize, method: Method, populate: Option<Populate>, seed: Seed) -> Self {
        Self {
            queues: vec![vec![VecDeque::new(); ports]; ports],
            lengths: vec![vec![0; ports]; ports],
            green: (0..ports).map(Some).collect(),
            method,
            split_stays_green: false,
            populate,
            rng: seed.stream(Purpose::Scheduler, 0),
            right: 0,
            components: 0,
        }
    }
}

impl Twin for NaiveMix {
    fn slot(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
        let arrived: Pairs = arrivals.iter().map(|&output| (output != NONE).then_some(usize::from(output))).collect();
        for (input, output) in arrived.iter().enumerate() {
            if let Some(output) = *output {
                self.queues[input][output].push_back(now);
                self.lengths[input][output] += 1;
            }
        }
        let partial = prune(&arrived, &self.lengths, Prune::Random, &mut self.rng);
        let red = match self.populate {
            None => partial,
            Some(rule) => populate(&partial, rule, now, &mut self.rng).into_iter().map(Some).collect(),
        };
        let method = (&mut self.method, self.split_stays_green);
        let (green, right, all) = merge(&red, &self.green, &self.lengths, Tie::Green, method, now);
        self.green = green;
        self.right += right;
        self.components += all;
        for (input, output) in self.green.iter().enumerate() {
            let Some(output) = *output else { continue };
            if let Some(born) = self.queues[input][output].pop_front() {
                departures[output] = Cell { born, input: input as Port };
                self.lengths[input][output] -= 1;
            }
        }
    }
}
