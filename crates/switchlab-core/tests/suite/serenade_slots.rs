//! Whole slots of SERENADE by messages, POPULATE with them, against a central scheduler with the
//! same random numbers.

use crate::common::SEED;
use crate::naive::Pairs;
use crate::naive_serena::{self, Full, Setting};
use crate::serenade_messages::{KEY, VARIANTS, flat, numbers};
use switchlab_core::rng::Purpose;
use switchlab_core::schedule::serena::rules::{Populate, Prune, Rules, Tie, Variant};
use switchlab_core::{NONE, Port};
use switchlab_theory::serenade::Network;

#[test]
fn slots_are_those_of_a_central_scheduler_under_all_rules() {
    let mut number = 0;
    for prune in [Prune::Random, Prune::Lowest] {
        for tie in [Tie::Green, Tie::Red] {
            for populate in [Populate::Rank, Populate::Random, Populate::Rotate] {
                for variant in VARIANTS {
                    let rules = Rules { prune, tie, populate };
                    for (ports, slots) in [(1, 20), (2, 50), (3, 50), (8, 100), (20, 150), (33, 150), (64, 60)] {
                        number += 1;
                        run(ports, slots, rules, variant, number);
                    }
                }
            }
        }
    }
}

/// What stands in for a proof: long runs, by the default rules and by those of the authors'
/// program. About a minute.
#[test]
#[ignore = "a minute; the one above is its short form, for all variants"]
fn e_is_serena_for_a_hundred_thousand_slots() {
    let published = Rules { prune: Prune::Lowest, tie: Tie::Red, populate: Populate::Rank };
    for (number, (ports, rules)) in
        [(8, Rules::default()), (64, Rules::default()), (100, Rules::default()), (64, published)]
            .into_iter()
            .enumerate()
    {
        let searches = run(ports, 100_000, rules, Variant::E, number);
        assert_eq!(searches > 1000, ports > 8, "{ports} ports: {searches} searches");
    }
}

/// A switch from empty queues, by messages and by the observer, with the same random numbers. How
/// many decisions were broadcast.
fn run(ports: usize, slots: u32, rules: Rules, variant: Variant, number: usize) -> u32 {
    let mut traffic = SEED.stream(Purpose::Arrivals, number);
    let mut ours = SEED.stream(Purpose::Scheduler, number);
    let mut theirs = ours.clone();
    let mut network = Network::new(ports, rules, KEY).unwrap();
    let mut lengths = vec![vec![0; ports]; ports];
    let mut broadcast = 0;
    let mut green: Full = (0..ports).collect();
    for slot in 0..slots {
        let load = 2 + slot as usize % 8;
        let arrived: Pairs = (0..ports)
            .map(|_| (traffic.below(10) < load).then(|| traffic.below(ports).min(traffic.below(ports))))
            .collect();
        for (input, output) in arrived.iter().enumerate() {
            output.inspect(|&output| lengths[input][output] += 1);
        }
        let partial = naive_serena::prune(&arrived, &lengths, rules.prune, &mut theirs);
        let red = naive_serena::populate(&partial, rules.populate, slot, &mut theirs);
        let setting = Setting { lengths: &lengths, rules, slot, key: KEY };
        let expected = naive_serena::serenade(&red, &green, variant, &setting);

        let arrivals: Vec<Port> = arrived.iter().map(|output| output.map_or(NONE, |output| output as Port)).collect();
        let matching = numbers(network.slot(slot, &arrivals, &flat(&lengths), variant, &mut ours).unwrap());
        assert_eq!(numbers(&network.report().red), red, "{rules:?} {ports} ports, slot {slot}");
        assert_eq!(matching, expected, "{variant:?} {rules:?} {ports} ports, slot {slot}");
        broadcast += network.report().broadcast;
        green = expected;
        for (input, &output) in green.iter().enumerate() {
            lengths[input][output] = lengths[input][output].saturating_sub(1);
        }
    }
    assert_eq!(ours.next(), theirs.next(), "as many draws");
    broadcast
}
