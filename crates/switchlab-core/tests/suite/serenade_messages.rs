//! SERENADE by messages: what vertices find out and decide, against an observer that sees
//! everything ([`crate::naive_serena`]).

use crate::common::SEED;
use crate::naive::Lengths;
use crate::naive_serena::{self, Full, Setting};
use switchlab_core::Port;
use switchlab_core::rng::{Purpose, Rng};
use switchlab_core::schedule::serena::rules::{Consistency, Leader, Rules, Tie, Variant};
use switchlab_theory::serenade::{Address, Class, Message, Network, Report, Round, Situation};

pub(crate) const KEY: u64 = 11;
pub(crate) const O: Variant = Variant::O { leader: Leader::Fixed, consistency: Consistency::Leader };
const SKETCH: Consistency = Consistency::MinSketch { codewords: 5 };

/// Every kind of decision there is.
pub(crate) const VARIANTS: [Variant; 8] = [
    Variant::C,
    Variant::E,
    O,
    Variant::O { leader: Leader::Rotating, consistency: Consistency::Leader },
    Variant::O { leader: Leader::Fixed, consistency: SKETCH },
    Variant::So { cow: 17, leader: Leader::Fixed, consistency: Consistency::Leader },
    Variant::So { cow: 17, leader: Leader::Rotating, consistency: Consistency::Leader },
    Variant::So { cow: 17, leader: Leader::Fixed, consistency: SKETCH },
];

fn ports_of(matching: &[usize]) -> Vec<Port> {
    matching.iter().map(|&output| output as Port).collect()
}

pub(crate) fn numbers(matching: &[Port]) -> Full {
    matching.iter().map(|&output| usize::from(output)).collect()
}

pub(crate) fn flat(lengths: &Lengths) -> Vec<u32> {
    lengths.iter().flatten().map(|&length| length as u32).collect()
}

pub(crate) fn rules(tie: Tie) -> Rules {
    Rules { tie, ..Rules::default() }
}

pub(crate) fn merged(
    network: &mut Network,
    slot: u32,
    (red, green): (&[usize], &[usize]),
    lengths: &Lengths,
    variant: Variant,
) -> Report {
    network.merge(slot, &ports_of(red), &ports_of(green), &flat(lengths), variant).unwrap().clone()
}

pub(crate) fn permutation(ports: usize, rng: &mut Rng) -> Full {
    let mut permutation: Full = (0..ports).collect();
    rng.shuffle(&mut permutation);
    permutation
}

pub(crate) fn weights(ports: usize, bound: usize, rng: &mut Rng) -> Lengths {
    (0..ports).map(|_| (0..ports).map(|_| rng.below(bound)).collect()).collect()
}

/// Matchings whose sigma has one cycle of this length, over random ports, and otherwise cycles of
/// length 1.
pub(crate) fn one_cycle(length: usize, ports: usize, rng: &mut Rng) -> (Full, Full) {
    let (green, order) = (permutation(ports, rng), permutation(ports, rng));
    let mut red = green.clone();
    for place in 0..length {
        red[order[place]] = green[order[(place + 1) % length]];
    }
    (red, green)
}

/// The worked example of figures 2 to 5, counted from 1.
const RED: [usize; 8] = [4, 5, 8, 6, 3, 7, 1, 2];
const GREEN_INVERSE: [usize; 8] = [3, 8, 1, 5, 6, 7, 2, 4];

fn example() -> (Full, Full) {
    let mut green = vec![0; 8];
    for (output, input) in GREEN_INVERSE.iter().enumerate() {
        green[input - 1] = output;
    }
    (RED.iter().map(|output| output - 1).collect(), green)
}

/// Figure 5's weights are not in the text, but its two walks of eight edges are. On the cycle 3 ->
/// 4 -> 7 -> 3 they give, for the edges a = (3, 4), b = (4, 7) and c = (7, 3),
///
/// - green: 3a + 3b + 2c = 18 and 3a + 2b + 3c = 23, so c = b + 5 and 3a + 5b = 8: a = 1, b = 1,
///   c = 6;
/// - red: 3a + 3b + 2c = 20 and 3a + 2b + 3c = 18, so b = c + 2 and 3a + 5c = 14: a = 3, b = 3, c =
///   1;
///
/// and no other whole numbers that are not negative. The other cycles have no weights here.
fn example_weights() -> Lengths {
    let mut lengths = vec![vec![0; 8]; 8];
    for (input, output, weight) in [(4, 8, 1), (7, 6, 1), (3, 1, 6), (3, 8, 3), (4, 6, 3), (7, 1, 1)] {
        lengths[input - 1][output - 1] = weight;
    }
    lengths
}

#[test]
fn the_worked_example() {
    let ((red, green), lengths) = (example(), example_weights());
    let cycles = naive_serena::cycles(&red, &green);
    let mut network = Network::new(8, Rules::default(), KEY).unwrap();
    network.record(true);
    let report = merged(&mut network, 0, (&red, &green), &lengths, Variant::E);

    // sigma, and the weights of its edges, as the vertices tell each other in iteration 0. Vertex 8
    // is a cycle of its own and sends no message.
    let mut sigma = vec![0; 8];
    let mut edges = [(0, 0); 8];
    sigma[7] = 8;
    for delivery in network.transcript() {
        if let (Address::Input(from), Address::Input(to), Message::Relay { red, green }) =
            (delivery.from, delivery.to, &delivery.message)
        {
            assert_eq!(delivery.round, Round::Second(0));
            sigma[usize::from(to)] = usize::from(from) + 1;
            edges[usize::from(to)] = (*red, *green);
        }
    }
    assert_eq!(sigma, [5, 6, 4, 7, 1, 2, 3, 8]);
    assert_eq!(cycles, [vec![0, 4], vec![1, 5], vec![2, 3, 6], vec![7]]);

    // The local views of vertices 3 and 7: red 20 and green 18, red 18 and green 23.
    let view = |from: usize| {
        let walk = core::iter::successors(Some(from), |&vertex| Some(sigma[vertex - 1]));
        walk.take(8).map(|vertex| edges[vertex - 1]).fold((0, 0), |sum, edge| (sum.0 + edge.0, sum.1 + edge.1))
    };
    assert_eq!((view(3), view(7)), ((20, 18), (18, 23)));

    // "No configuration collision because the cycle (3, 4, 7) is ouroboros": they stop in iteration
    // 1, as 3 = 2 + 1, and see 8 > 7.
    let found: Vec<_> = report.findings.iter().map(|finding| finding.situation.unwrap()).collect();
    let (turn, three) = (Situation::Turn { m: 1 }, Situation::Sum { m: 1, n: 0 });
    assert_eq!(found, [turn, turn, three, three, turn, turn, three, Situation::Turn { m: 0 }]);
    assert_eq!(numbers(&report.matching), green);

    // Counted by hand: 8 outputs speak, all vertices but 8 relay, and these 7 speak twice in
    // iteration 1.
    let common = report.counts(Class::Common);
    assert_eq!((common.messages, common.rounds, report.iterations), (8 + 7 + 14, 4, 2));
    assert_eq!((common.most_sent, common.most_received, common.most_in_round), (3, 4, 1));
    assert_eq!(network.transcript().len() as u64, report.messages());
    assert_eq!(
        network.transcript()[0].to_string(),
        "iteration 0, round 1: output 0 -> input 2: red partner input 6, weight 1"
    );
}

/// All permutations of `0..ports`, in some order.
fn permutations(ports: usize) -> Vec<Full> {
    let Some(last) = ports.checked_sub(1) else { return vec![Vec::new()] };
    let mut all = Vec::new();
    for shorter in permutations(last) {
        for place in 0..ports {
            let mut longer = shorter.clone();
            longer.insert(place, last);
            all.push(longer);
        }
    }
    all
}

#[test]
fn e_is_serena_for_all_pairs_of_permutations() {
    let mut rng = SEED.stream(Purpose::Scheduler, 0);
    let mut pairs = 0;
    for ports in 1..=6 {
        let all = permutations(ports);
        let mut networks = [Tie::Green, Tie::Red].map(|tie| Network::new(ports, rules(tie), KEY).unwrap());
        for red in &all {
            for green in &all {
                // Small weights: many ties.
                let lengths = weights(ports, 3, &mut rng);
                for (network, tie) in networks.iter_mut().zip([Tie::Green, Tie::Red]) {
                    let report = merged(network, 0, (red, green), &lengths, Variant::E);
                    assert_eq!(numbers(&report.matching), naive_serena::merge(red, green, &lengths, tie));
                }
                pairs += 1;
            }
        }
    }
    assert_eq!(pairs, 1 + 4 + 36 + 576 + 14_400 + 518_400);
}

#[test]
fn e_is_serena_on_random_permutations() {
    let mut rng = SEED.stream(Purpose::Scheduler, 1);
    for (ports, trials) in [(8, 100_000), (64, 20_000), (100, 10_000), (33, 5000)] {
        let mut networks = [Tie::Green, Tie::Red].map(|tie| (tie, Network::new(ports, rules(tie), KEY).unwrap()));
        let mut searches = 0;
        let lengths: Vec<Lengths> = (0..50).map(|n| weights(ports, 2 + n, &mut rng)).collect();
        for trial in 0..trials {
            let (red, green) = (permutation(ports, &mut rng), permutation(ports, &mut rng));
            let (tie, network) = &mut networks[trial % 2];
            let lengths = &lengths[rng.below(50)];
            let report = merged(network, 0, (&red, &green), lengths, Variant::E);
            assert_eq!(numbers(&report.matching), naive_serena::merge(&red, &green, lengths, *tie));
            searches += report.broadcast;
        }
        // At N = 8 every length is ouroboros; at the other sizes a permutation has 0.38 or more
        // other cycles on average.
        assert_eq!(searches == 0, ports == 8, "{ports}: {searches} searches");
    }
}

#[test]
fn a_cycle_is_found_out_if_and_as_soon_as_its_length_divides() {
    let mut rng = SEED.stream(Purpose::Scheduler, 2);
    for (ports, ouroboros) in
        [(1, Some(1)), (2, Some(2)), (8, Some(8)), (20, Some(18)), (64, Some(36)), (100, None), (128, Some(52))]
    {
        let mut network = Network::new(ports, Rules::default(), KEY).unwrap();
        let mut found = 0;
        for length in 1..=ports {
            let (red, green) = one_cycle(length, ports, &mut rng);
            let lengths = weights(ports, 100, &mut rng);
            let report = merged(&mut network, 0, (&red, &green), &lengths, Variant::C);
            let revealed = naive_serena::revealed(length, ports);
            let cycles = naive_serena::cycles(&red, &green);
            let cycle = cycles.iter().find(|cycle| cycle.len() == length).unwrap();
            for &vertex in cycle {
                // All in the same situation, so in the same iteration.
                let situation = report.findings[vertex].situation;
                assert_eq!(situation, report.findings[cycle[0]].situation);
                assert_eq!(situation.map(Situation::iteration), revealed, "length {length} of {ports}");
                assert!(situation.is_none_or(|s| s.edges().is_multiple_of(length as u64)));
            }
            found += usize::from(revealed.is_some());
            if revealed.is_none() {
                assert!(cycle.iter().all(|&input| usize::from(report.matching[input]) == green[input]), "C goes red");
            }
        }
        // 36 and 52 are table 1's; of the lengths up to 20 only 13 and 19 divide none of 1, 3, 5,
        // 7, 9, 15, 17, 31, 33 times a power of two.
        assert!(ouroboros.is_none_or(|count| found == count), "{ports} ports: {found}");
    }
}

#[test]
fn every_variant_decides_as_an_observer_says() {
    let mut rng = SEED.stream(Purpose::Scheduler, 3);
    let (mut disagree, mut inconsistent, mut conservative) = (0, 0, 0);
    for ports in [20, 64, 100, 128] {
        for tie in [Tie::Green, Tie::Red] {
            let mut network = Network::new(ports, rules(tie), KEY).unwrap();
            for trial in 0..300 {
                let length = ports / 2 + rng.below(ports / 2);
                let (red, green) = one_cycle(length, ports, &mut rng);
                // 0 and 1 for ties; up to 18 for an overweight edge now and then.
                let lengths = weights(ports, if trial % 2 == 0 { 2 } else { 19 }, &mut rng);
                let setting = Setting { lengths: &lengths, rules: rules(tie), slot: trial, key: KEY };
                let truth = naive_serena::merge(&red, &green, &lengths, tie);
                let mut decisions = Vec::new();
                for variant in VARIANTS {
                    let report = merged(&mut network, trial, (&red, &green), &lengths, variant);
                    let expected = naive_serena::serenade(&red, &green, variant, &setting);
                    assert_eq!(numbers(&report.matching), expected, "{variant:?}, {ports} ports, length {length}");
                    decisions.push(expected);
                }
                disagree += usize::from(decisions[2] != truth);
                inconsistent += usize::from(decisions[2] != decisions[3]);
                conservative += usize::from(decisions[2] != decisions[5]);
            }
        }
    }
    // The test would be empty if O were always right, if all vertices saw the same, or if nothing
    // were overweight.
    assert!(disagree > 50 && inconsistent > 50 && conservative > 50, "{disagree} {inconsistent} {conservative}");
}

#[test]
fn a_sketch_gives_all_vertices_of_a_cycle_one_decision_and_more_words_a_better_one() {
    let mut rng = SEED.stream(Purpose::Scheduler, 4);
    let mut network = Network::new(64, Rules::default(), KEY).unwrap();
    let mut right = [0, 0];
    for trial in 0..600 {
        let (red, green) = one_cycle(45, 64, &mut rng);
        let lengths = weights(64, 100, &mut rng);
        let truth = naive_serena::merge(&red, &green, &lengths, Tie::Green);
        for (right, codewords) in right.iter_mut().zip([1, 500]) {
            let variant = Variant::O { leader: Leader::Fixed, consistency: Consistency::MinSketch { codewords } };
            let report = merged(&mut network, trial, (&red, &green), &lengths, variant);
            let cycle: Vec<usize> = (0..64).filter(|&input| red[input] != green[input]).collect();
            assert!(cycle.iter().all(|&input| report.findings[input].red == report.findings[cycle[0]].red));
            // No leader, no controller; and the codewords in every message upstream after
            // iteration 0.
            assert_eq!((report.broadcast, report.counts(Class::Controller).messages), (0, 0));
            let without = 45 * 2 * 6 * (6 + 2 * 38) + 64 * (6 + 32) + 45 * (6 + 64);
            let bits = report.counts(Class::Common).bits;
            assert_eq!((bits.own, bits.sketch), (without, 45 * 6 * u64::from(codewords) * 128));
            *right += u32::from(numbers(&report.matching) == truth);
        }
    }
    // The two sums differ by a normal variable with a deviation of 12 % of one. One word is right
    // with probability R / (R + G), 0.525 on average: 315 of 600, deviation 12.2. 500 words
    // estimate the difference up to 6.3 %: right with probability 1/2 + atan(12 / 6.3) / pi = 0.85,
    // 509 of 600, deviation 8.8. Six deviations each.
    assert!(right[0] < 388 && right[1] > 456, "{right:?}");
}
