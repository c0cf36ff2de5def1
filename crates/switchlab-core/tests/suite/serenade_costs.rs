//! Rounds, messages and bits that the fast SERENADE suite computes from the lengths of cycles,
//! against those of the messages themselves.

use crate::common::SEED;
use crate::serena::{Drive, Fast, ports_of};
use crate::serenade_messages::{KEY, VARIANTS, flat, numbers};
use std::collections::BTreeMap;
use switchlab_core::rng::{Probability, Purpose};
use switchlab_core::schedule::serena::Config;
use switchlab_core::schedule::serena::accounting::{Accounting, Bypass, Prefix};
use switchlab_core::schedule::serena::rules::{Populate, Rules, Variant};
use switchlab_theory::serenade::{Class, Network, Report};

/// The sums of the counters, from the reports of all slots.
#[derive(Default)]
struct Sums(BTreeMap<&'static str, u64>);

impl Sums {
    fn add(&mut self, report: &Report, free: u64) {
        let mut add = |name, value| *self.0.entry(name).or_default() += value;
        let names = [
            (Class::Prune, "messages_prune", "bits_prune"),
            (Class::Populate, "messages_populate", "bits_populate"),
            (Class::Shuffle, "messages_shuffle", "bits_shuffle"),
            (Class::Common, "messages_common", "bits_common"),
            (Class::Search, "messages_search", "bits_search"),
            (Class::Controller, "messages_controller", "bits_controller"),
        ];
        let (mut merge, mut all) = (0, 0);
        for (class, messages, bits) in names {
            let counts = report.counts(class);
            add(messages, counts.messages);
            add(bits, counts.bits.own);
            add("bits_leader", counts.bits.leader);
            add("bits_overweight", counts.bits.overweight);
            add("bits_sketch", counts.bits.sketch);
            all += counts.bits.total();
            if matches!(class, Class::Common | Class::Search | Class::Controller) {
                merge += counts.bits.total();
            }
        }
        add("bits_merge", merge);
        add("bits_per_port", all);
        add("rounds_populate", u64::from(report.phases.populate));
        add("rounds_merge", u64::from(report.phases.merge));
        add("rounds", u64::from(report.rounds()));
        add("shuffle_steps", free);
    }
}

/// Runs the messages and the fast suite side by side and compares all sums. `alpha` is the coin's
/// probability of E-SERENADE.
fn compare(ports: usize, slots: u32, rules: Rules, variant: Variant, accounting: Accounting, alpha: Option<f64>) {
    let mut rng = SEED.stream(Purpose::Scheduler, ports);
    let coin = alpha.map(|alpha| (Probability::new(alpha), SEED.stream(Purpose::Scheduler, 1)));
    let mut flips = coin.clone();
    let mut fast =
        Fast::with(ports, Config { rules, variant: Some(variant), coin, rng: rng.clone(), key: KEY, accounting });
    let mut network = Network::new(ports, rules, KEY).unwrap();
    network.account(accounting);
    let mut drive = Drive::new(ports, ports);
    let mut sums = Sums::default();
    for slot in 0..slots {
        // Now and then nothing arrives, and now and then everything.
        let arrived = match slot % 7 {
            3 => vec![None; ports],
            5 => (0..ports).map(|input| Some((input + slot as usize) % ports)).collect(),
            _ => drive.arrivals(slot),
        };
        if slot % 7 == 5 {
            arrived.iter().enumerate().for_each(|(input, output)| drive.lengths[input][output.unwrap()] += 1);
        }
        let (arrived, lengths) = (ports_of(&arrived), flat(&drive.lengths));
        let exact = flips.as_mut().is_some_and(|(alpha, rng)| rng.chance(*alpha));
        let variant = if exact { Variant::E } else { variant };
        let theirs = numbers(network.slot(slot, &arrived, &lengths, variant, &mut rng).unwrap());
        assert_eq!(fast.slot(slot, &arrived, &lengths), theirs, "{variant:?}, {ports} ports, slot {slot}");
        let random = rules.populate == Populate::Random;
        let free = network.report().counts(Class::Shuffle).messages / 2;
        sums.add(network.report(), if random { free } else { 0 });
        drive.depart(&theirs);
    }
    for (name, sum) in sums.0 {
        let context = || format!("{name}: {variant:?} {rules:?} {accounting:?}, {ports} ports");
        assert_eq!(fast.counter(name).sum, sum, "{}", context());
    }
}

const ACCOUNTINGS: [Accounting; 4] = [
    Accounting { weight_bits: 32, prefix: Prefix::LadnerFischer, bypass: Bypass::Local },
    Accounting { weight_bits: 14, prefix: Prefix::Doubling, bypass: Bypass::Local },
    Accounting { weight_bits: 1, prefix: Prefix::LadnerFischer, bypass: Bypass::Absent },
    Accounting { weight_bits: 64, prefix: Prefix::Doubling, bypass: Bypass::Absent },
];

#[test]
fn the_fast_suite_costs_what_the_messages_cost() {
    for (ports, slots) in [(1, 14), (2, 35), (3, 35), (5, 35), (8, 35), (20, 42), (33, 35), (64, 28), (100, 21)] {
        for populate in [Populate::Rank, Populate::Random, Populate::Rotate] {
            for (number, variant) in VARIANTS.into_iter().enumerate() {
                let rules = Rules { populate, ..Rules::default() };
                compare(ports, slots, rules, variant, ACCOUNTINGS[number % 4], None);
                compare(ports, slots, rules, variant, ACCOUNTINGS[(number + 1) % 4], None);
            }
        }
    }
}

#[test]
fn hybrids_cost_what_their_slots_cost() {
    for variant in VARIANTS {
        for (ports, slots) in [(20, 60), (64, 40)] {
            compare(ports, slots, Rules::default(), variant, Accounting::default(), Some(0.4));
        }
    }
}
