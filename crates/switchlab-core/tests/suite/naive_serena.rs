//! Naive SERENA, written from section 3 and appendix A of paper 002, and what each SERENADE variant
//! is meant to decide, from sections 4 to 6: one central observer that sees everything, walks each
//! cycle, and divides numbers where the paper speaks of divisors.

use crate::naive::{Lengths, Pairs, Twin};
use std::collections::VecDeque;
use switchlab_core::rng::{Probability, Purpose, Rng};
use switchlab_core::schedule::serena::rules::{Consistency, Leader, Populate, Prune, Rules, Tie, Variant};
use switchlab_core::schedule::serena::sketch;
use switchlab_core::{Cell, NONE, Port, Seed, Slot};

/// A full matching: by input, its output.
pub(crate) type Full = Vec<usize>;

/// A'(t): each output keeps the heaviest of its arrivals (section 3.1.1). Arrivals are looked at by
/// input.
pub(crate) fn prune(arrived: &Pairs, lengths: &Lengths, rule: Prune, rng: &mut Rng) -> Pairs {
    let ports = lengths.len();
    let mut kept: Vec<Option<usize>> = vec![None; ports];
    let mut equals = vec![0; ports];
    for input in 0..ports {
        let Some(output) = arrived[input] else { continue };
        let weight = lengths[input][output];
        let Some(best) = kept[output].filter(|&best| lengths[best][output] >= weight) else {
            kept[output] = Some(input);
            equals[output] = 1;
            continue;
        };
        if rule == Prune::Random && lengths[best][output] == weight {
            equals[output] += 1;
            if rng.below(equals[output]) == 0 {
                kept[output] = Some(input);
            }
        }
    }
    let mut pairs = vec![None; ports];
    for (output, input) in kept.into_iter().enumerate() {
        if let Some(input) = input {
            pairs[input] = Some(output);
        }
    }
    pairs
}

/// R(t): the free inputs are paired with the free outputs.
pub(crate) fn populate(partial: &Pairs, rule: Populate, slot: Slot, rng: &mut Rng) -> Full {
    let ports = partial.len();
    let mut free: Vec<usize> = (0..ports).filter(|&output| !partial.contains(&Some(output))).collect();
    match rule {
        Populate::Rank => {}
        Populate::Random => rng.shuffle(&mut free),
        Populate::Rotate if free.is_empty() => {}
        Populate::Rotate => {
            let by = slot as usize % free.len();
            free.rotate_left(by);
        }
    }
    let mut free = free.into_iter();
    partial.iter().map(|pair| pair.unwrap_or_else(|| free.next().unwrap())).collect()
}

/// The combinatorial cycles of `sigma = green^-1 . red` (section 3.3), each from its lowest input.
pub(crate) fn cycles(red: &[usize], green: &[usize]) -> Vec<Vec<usize>> {
    let mut seen = vec![false; red.len()];
    let mut cycles = Vec::new();
    for start in 0..red.len() {
        let (mut cycle, mut input) = (Vec::new(), start);
        while !seen[input] {
            seen[input] = true;
            cycle.push(input);
            input = green.iter().position(|&output| output == red[input]).unwrap();
        }
        if !cycle.is_empty() {
            cycles.push(cycle);
        }
    }
    cycles
}

/// The weights (red, green) of the combinatorial edges of a cycle, in its order: of the red edge
/// from an input, and of the green edge from the same output to the next input.
pub(crate) fn edges(cycle: &[usize], red: &[usize], lengths: &Lengths) -> Vec<(usize, usize)> {
    let next = cycle.iter().cycle().skip(1);
    cycle.iter().zip(next).map(|(&input, &next)| (lengths[input][red[input]], lengths[next][red[input]])).collect()
}

/// Whether red is taken.
pub(crate) fn is_red(red: usize, green: usize, tie: Tie) -> bool {
    red > green || tie == Tie::Red && red == green
}

fn sums(edges: impl Iterator<Item = (usize, usize)>) -> (usize, usize) {
    edges.fold((0, 0), |(red, green), (r, g)| (red + r, green + g))
}

/// S(t) (section 3.2): the green sub-matching of each cycle, or the red one where `decide` says so.
fn merge_by(red: &[usize], green: &[usize], decide: impl Fn(&[usize]) -> bool) -> Full {
    let mut merged = green.to_vec();
    for cycle in cycles(red, green) {
        if decide(&cycle) {
            for input in cycle {
                merged[input] = red[input];
            }
        }
    }
    merged
}

/// SERENA's MERGE.
pub(crate) fn merge(red: &[usize], green: &[usize], lengths: &Lengths, tie: Tie) -> Full {
    merge_by(red, green, |cycle| {
        let (red, green) = sums(edges(cycle, red, lengths).into_iter());
        is_red(red, green, tie)
    })
}

/// K: the smallest number with 2^K >= N.
pub(crate) fn last(ports: usize) -> u32 {
    (0..32).find(|&k| 1 << k >= ports).unwrap()
}

/// The first iteration whose knowledge reveals this length, if one up to K does (fact 2).
pub(crate) fn revealed(length: usize, ports: usize) -> Option<u32> {
    let divides = |number: usize| number.is_multiple_of(length);
    (0..=last(ports)).find(|&m| {
        let big = 1usize << m;
        divides(big) || (0..m).any(|n| divides(big - (1 << n)) || divides(big + (1 << n)))
    })
}

/// What all variants need besides the matchings.
pub(crate) struct Setting<'a> {
    pub(crate) lengths: &'a Lengths,
    pub(crate) rules: Rules,
    pub(crate) slot: Slot,
    pub(crate) key: u64,
}

/// The MERGE of a SERENADE variant.
pub(crate) fn serenade(red: &[usize], green: &[usize], variant: Variant, setting: &Setting<'_>) -> Full {
    let tie = setting.rules.tie;
    merge_by(red, green, |cycle| {
        let edges = edges(cycle, red, setting.lengths);
        let (leader, consistency, cow) = match variant {
            _ if revealed(cycle.len(), red.len()).is_some() => {
                let (red, green) = sums(edges.into_iter());
                return is_red(red, green, tie);
            }
            Variant::E => {
                let (red, green) = sums(edges.into_iter());
                return is_red(red, green, tie);
            }
            Variant::C => return false,
            Variant::O { leader, consistency } => (leader, consistency, usize::MAX),
            Variant::So { cow, leader, consistency } => (leader, consistency, cow as usize),
        };
        if edges.iter().any(|&(red, green)| red > cow || green > cow) {
            return false;
        }
        match consistency {
            Consistency::Leader => {
                let start = lead(cycle, leader, setting.slot, red.len());
                let (red, green) = sums(edges.into_iter().cycle().skip(start).take(1 << last(red.len())));
                is_red(red, green, tie)
            }
            Consistency::MinSketch { codewords } => {
                let [red, green] = [true, false].map(|colour| {
                    let weight = |edge: (usize, usize)| if colour { edge.0 } else { edge.1 };
                    let minimum = |word| {
                        cycle.iter().zip(&edges).fold(f64::INFINITY, |least, (&input, &edge)| {
                            let x = sketch::codeword(setting.key, setting.slot, input as u16, colour, word);
                            if weight(edge) == 0 { least } else { least.min(x / weight(edge) as f64) }
                        })
                    };
                    (0..codewords).map(minimum).fold(0.0, |sum, least| sum + least)
                });
                red < green || tie == Tie::Red && red == green
            }
        }
    })
}

/// Where on its cycle the leader is (section 5.2.2, footnote 6).
pub(crate) fn lead(cycle: &[usize], leader: Leader, slot: Slot, ports: usize) -> usize {
    let nominee = |&input: &usize| if leader == Leader::Fixed { input } else { (input + slot as usize) % ports };
    (0..cycle.len()).min_by_key(|&place| nominee(&cycle[place])).unwrap()
}

/// The moves of Procedure 2, by places on the endless walk from L0, which comes back at every
/// multiple of `length`: `place` administrates the precinct of `level` that ends there.
pub(crate) fn moves(place: usize, level: u32, length: usize) -> u32 {
    let leads = |place: usize| place.is_multiple_of(length);
    if leads(place) {
        return 0;
    }
    let middle = place - (1 << (level - 1));
    if leads(middle) {
        1 + moves(middle, level - 1, length)
    } else if (middle..=place).any(leads) {
        moves(place, level - 1, length)
    } else {
        1 + moves(middle, level - 1, length)
    }
}

/// A crossbar with SERENA or a member of the SERENADE suite, with the default rules of the
/// registry. SERENA's own random choices are drawn from stream 0, the hybrids' coin from stream 1.
pub(crate) struct NaiveSerena {
    queues: Vec<Vec<VecDeque<Slot>>>,
    lengths: Lengths,
    /// The matching of the last slot; the identity before the first.
    green: Full,
    /// None for SERENA.
    variant: Option<Variant>,
    /// The slots of a hybrid that are E-SERENADE's.
    coin: Option<(Probability, Rng)>,
    rng: Rng,
    /// With queue-proportional sampling: for the samples.
    samples: Option<Rng>,
}

/// Each input with a cell draws one of its cells, and proposes to that cell's output.
fn propose(lengths: &Lengths, rng: &mut Rng) -> Pairs {
    let sample = |row: &Vec<usize>| {
        let cells: Vec<usize> = (0..row.len()).flat_map(|output| vec![output; row[output]]).collect();
        (!cells.is_empty()).then(|| cells[rng.below(cells.len())])
    };
    lengths.iter().map(sample).collect()
}

impl NaiveSerena {
    pub(crate) fn new(name: &str, ports: usize, seed: Seed) -> Self {
        let (leader, consistency) = (Leader::Fixed, Consistency::Leader);
        let variant = match name {
            "serena" | "qps-serena" => None,
            "c-serenade" | "sc-serenade" => Some(Variant::C),
            "e-serenade" => Some(Variant::E),
            "o-serenade" => Some(Variant::O { leader, consistency }),
            "so-serenade" => Some(Variant::So { cow: 10_000, leader, consistency }),
            _ => panic!("{name} has no twin"),
        };
        let is_hybrid = ["sc-serenade", "so-serenade"].contains(&name);
        Self {
            queues: vec![vec![VecDeque::new(); ports]; ports],
            lengths: vec![vec![0; ports]; ports],
            green: (0..ports).collect(),
            variant,
            coin: is_hybrid.then(|| (Probability::new(0.01), seed.stream(Purpose::Scheduler, 1))),
            rng: seed.stream(Purpose::Scheduler, 0),
            samples: (name == "qps-serena").then(|| seed.stream(Purpose::Scheduler, 3)),
        }
    }
}

impl Twin for NaiveSerena {
    fn slot(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
        let arrived: Pairs = arrivals.iter().map(|&output| (output != NONE).then_some(usize::from(output))).collect();
        for (input, output) in arrived.iter().enumerate() {
            if let Some(output) = *output {
                self.queues[input][output].push_back(now);
                self.lengths[input][output] += 1;
            }
        }
        let rules = Rules::default();
        let arrived = match &mut self.samples {
            Some(rng) => propose(&self.lengths, rng),
            None => arrived,
        };
        let partial = prune(&arrived, &self.lengths, rules.prune, &mut self.rng);
        let red = populate(&partial, rules.populate, now, &mut self.rng);
        let is_exact = self.coin.as_mut().is_some_and(|(alpha, rng)| rng.chance(*alpha));
        self.green = match self.variant {
            None => merge(&red, &self.green, &self.lengths, rules.tie),
            Some(variant) => {
                let variant = if is_exact { Variant::E } else { variant };
                // No variant here draws codewords, so that the key is not used.
                let setting = Setting { lengths: &self.lengths, rules, slot: now, key: 0 };
                serenade(&red, &self.green, variant, &setting)
            }
        };
        for (input, &output) in self.green.iter().enumerate() {
            if let Some(born) = self.queues[input][output].pop_front() {
                departures[output] = Cell { born, input: input as Port };
                self.lengths[input][output] -= 1;
            }
        }
    }
}
