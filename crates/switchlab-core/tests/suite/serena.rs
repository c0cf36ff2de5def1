//! SERENA and the fast SERENADE suite, against a central observer and against the suite's own
//! messages.

use crate::common::SEED;
use crate::naive::Pairs;
use crate::naive_serena::{self, Full, Setting};
use crate::serenade_messages::{KEY, VARIANTS, flat, numbers};
use switchlab_core::rng::{Probability, Purpose, Rng};
use switchlab_core::schedule::serena::accounting::Accounting;
use switchlab_core::schedule::serena::rules::{Consistency, Leader, Populate, Prune, Rules, Tie, Variant};
use switchlab_core::schedule::serena::{Config, Serena};
use switchlab_core::schedule::{Matching, Scheduler, View};
use switchlab_core::{Counter, NONE, Port};
use switchlab_theory::serenade::{Class, Network};

/// The fast scheduler, on its own.
pub(crate) struct Fast {
    scheduler: Serena,
    matching: Matching,
    ports: usize,
}

impl Fast {
    fn new(ports: usize, rules: Rules, variant: Option<Variant>, rng: Rng) -> Self {
        Self::with(ports, Config { rules, variant, coin: None, rng, key: KEY, accounting: Accounting::default() })
    }

    pub(crate) fn with(ports: usize, config: Config) -> Self {
        Self { scheduler: Serena::new(ports, config), matching: Matching::new(ports), ports }
    }

    pub(crate) fn slot(&mut self, now: u32, arrived: &[Port], lengths: &[u32]) -> Vec<usize> {
        match self.ports {
            ..=64 => self.schedule::<1>(now, arrived, lengths),
            65..=128 => self.schedule::<2>(now, arrived, lengths),
            _ => self.schedule::<16>(now, arrived, lengths),
        }
        numbers(self.matching.outputs())
    }

    fn schedule<const W: usize>(&mut self, now: u32, arrived: &[Port], lengths: &[u32]) {
        self.matching.clear();
        let mut view = View::<W>::nothing(self.ports, now);
        (view.lengths, view.arrived) = (lengths, arrived);
        self.scheduler.schedule(&view, &mut self.matching);
    }

    pub(crate) fn counter(&self, name: &str) -> Counter {
        let mut found = None;
        Scheduler::<1>::counters(&self.scheduler, &mut |counter| {
            if counter.name == name {
                found = Some(counter);
            }
        });
        found.unwrap_or_else(|| panic!("no counter {name}"))
    }
}

/// Drives schedulers through the same slots of a switch that is filled and emptied at random, with
/// loaded outputs and idle ones.
pub(crate) struct Drive {
    pub(crate) lengths: Vec<Vec<usize>>,
    traffic: Rng,
}

impl Drive {
    pub(crate) fn new(ports: usize, number: usize) -> Self {
        Self { lengths: vec![vec![0; ports]; ports], traffic: SEED.stream(Purpose::Arrivals, number) }
    }

    pub(crate) fn arrivals(&mut self, slot: u32) -> Pairs {
        let (ports, load) = (self.lengths.len(), 2 + slot as usize / 50 % 8);
        let draw = |rng: &mut Rng| (rng.below(10) < load).then(|| rng.below(ports).min(rng.below(ports)));
        let arrived: Pairs = (0..ports).map(|_| draw(&mut self.traffic)).collect();
        for (input, output) in arrived.iter().enumerate() {
            output.inspect(|&output| self.lengths[input][output] += 1);
        }
        arrived
    }

    pub(crate) fn depart(&mut self, matching: &[usize]) {
        for (input, &output) in matching.iter().enumerate() {
            self.lengths[input][output] = self.lengths[input][output].saturating_sub(1);
        }
    }
}

pub(crate) fn ports_of(arrived: &Pairs) -> Vec<Port> {
    arrived.iter().map(|output| output.map_or(NONE, |output| output as Port)).collect()
}

fn every_rule() -> impl Iterator<Item = Rules> {
    let prunes = [Prune::Random, Prune::Lowest].into_iter();
    prunes.flat_map(|prune| {
        [Tie::Green, Tie::Red].into_iter().flat_map(move |tie| {
            [Populate::Rank, Populate::Random, Populate::Rotate].into_iter().map(move |populate| Rules {
                prune,
                tie,
                populate,
            })
        })
    })
}

/// Every variant under every rule, and SERENA itself, slot by slot against the central observer.
#[test]
fn the_fast_suite_decides_as_the_observer_does() {
    let mut number = 0;
    for rules in every_rule() {
        for variant in VARIANTS.into_iter().map(Some).chain([None]) {
            for (ports, slots) in [(1, 20), (2, 100), (5, 300), (8, 300), (20, 400), (33, 400), (64, 300), (100, 200)] {
                number += 1;
                let rng = SEED.stream(Purpose::Scheduler, number);
                let mut theirs = rng.clone();
                let mut fast = Fast::new(ports, rules, variant, rng);
                let mut drive = Drive::new(ports, number);
                let mut green: Full = (0..ports).collect();
                for slot in 0..slots {
                    let arrived = drive.arrivals(slot);
                    let partial = naive_serena::prune(&arrived, &drive.lengths, rules.prune, &mut theirs);
                    let red = naive_serena::populate(&partial, rules.populate, slot, &mut theirs);
                    let setting = Setting { lengths: &drive.lengths, rules, slot, key: KEY };
                    green = match variant {
                        Some(variant) => naive_serena::serenade(&red, &green, variant, &setting),
                        None => naive_serena::merge(&red, &green, &drive.lengths, rules.tie),
                    };
                    let ours = fast.slot(slot, &ports_of(&arrived), &flat(&drive.lengths));
                    assert_eq!(ours, green, "{variant:?} {rules:?}, {ports} ports, slot {slot}");
                    drive.depart(&green);
                }
            }
        }
    }
}

/// Message by message and fast: matching, iterations and messages, where cycles that are not
/// ouroboros occur.
#[test]
fn the_fast_suite_is_the_messages() {
    for (number, (ports, slots)) in [(64, 300), (128, 120), (100, 150)].into_iter().enumerate() {
        for variant in VARIANTS {
            let rules = Rules { populate: Populate::Random, ..Rules::default() };
            let mut rng = SEED.stream(Purpose::Scheduler, number);
            let mut fast = Fast::new(ports, rules, Some(variant), rng.clone());
            let mut network = Network::new(ports, rules, KEY).unwrap();
            let mut drive = Drive::new(ports, number);
            let (mut iterations, mut messages, mut broadcast, mut search, mut searches) = (0, 0, 0, 0, 0);
            for slot in 0..slots {
                let arrived = ports_of(&drive.arrivals(slot));
                let lengths = flat(&drive.lengths);
                let theirs = numbers(network.slot(slot, &arrived, &lengths, variant, &mut rng).unwrap());
                let ours = fast.slot(slot, &arrived, &lengths);
                assert_eq!(ours, theirs, "{variant:?}, {ports} ports, slot {slot}");
                drive.depart(&ours);
                let report = network.report();
                let leaders = u64::from(report.broadcast);
                broadcast += leaders;
                iterations += u64::from(report.iterations + u32::from(leaders > 0) + report.search_length);
                search += u64::from(report.search_length);
                searches += u64::from(report.search_length > 0);
                // A broadcast is heard by all, which the fast suite does not count; the leaders'
                // reports it does.
                messages += report.counts(Class::Common).messages + report.counts(Class::Search).messages + leaders;
            }
            let sums =
                ["iterations", "messages_per_vertex", "broadcast", "search_length"].map(|name| fast.counter(name).sum);
            assert_eq!(sums, [iterations, messages, broadcast, search], "{variant:?}, {ports} ports");
            assert_eq!(fast.counter("search_length").per, searches);
            assert!(fast.counter("non_ouroboros").sum > 20, "{ports} ports");
        }
    }
}

/// Every pair of permutations up to N = 6: E-SERENADE and SERENA, by both rules for ties.
#[test]
fn every_pair_of_permutations() {
    let mut rng = SEED.stream(Purpose::Scheduler, 77);
    for ports in 1..=6 {
        let all = permutations(ports);
        for tie in [Tie::Green, Tie::Red] {
            let rules = Rules { tie, ..Rules::default() };
            let mut exact = Fast::new(ports, rules, Some(Variant::E), rng.clone());
            let mut serena = Fast::new(ports, rules, None, rng.clone());
            for green in &all {
                for red in &all {
                    // A slot in which green is all there is makes it the matching.
                    let mut lengths = vec![vec![0; ports]; ports];
                    green.iter().enumerate().for_each(|(input, &output)| lengths[input][output] = 9);
                    let arrived: Vec<Port> = green.iter().map(|&output| output as Port).collect();
                    assert_eq!(exact.slot(0, &arrived, &flat(&lengths)), *green);
                    assert_eq!(serena.slot(0, &arrived, &flat(&lengths)), *green);
                    let lengths: Vec<Vec<usize>> =
                        (0..ports).map(|_| (0..ports).map(|_| rng.below(4)).collect()).collect();
                    let arrived: Vec<Port> = red.iter().map(|&output| output as Port).collect();
                    let expected = naive_serena::merge(red, green, &lengths, tie);
                    assert_eq!(exact.slot(1, &arrived, &flat(&lengths)), expected, "{red:?} {green:?} {lengths:?}");
                    assert_eq!(serena.slot(1, &arrived, &flat(&lengths)), expected);
                }
            }
        }
    }
}

fn permutations(ports: usize) -> Vec<Full> {
    if ports == 0 {
        return vec![Vec::new()];
    }
    let shorter = permutations(ports - 1);
    let inserted = |rest: &Full, place: usize| {
        let mut longer = rest.clone();
        longer.insert(place, ports - 1);
        longer
    };
    shorter.iter().flat_map(|rest| (0..ports).map(move |place| inserted(rest, place))).collect()
}

/// The hybrids are E-SERENADE by the coin and their other half otherwise; alpha 0 and 1 are the
/// halves alone.
#[test]
fn the_coin_decides_who_merges() {
    let (ports, slots) = (64, 2000);
    let led = Variant::O { leader: Leader::Fixed, consistency: Consistency::Leader };
    for variant in [Variant::C, led] {
        let rules = Rules::default();
        let of = |variant, alpha: Option<f64>| {
            let coin = alpha.map(|alpha| (Probability::new(alpha), SEED.stream(Purpose::Scheduler, 1)));
            let config = Config {
                rules,
                variant: Some(variant),
                coin,
                rng: SEED.stream(Purpose::Scheduler, 0),
                key: KEY,
                accounting: Accounting::default(),
            };
            let mut fast = Fast::with(ports, config);
            let mut drive = Drive::new(ports, 5);
            let run = |slot| {
                let arrived = ports_of(&drive.arrivals(slot));
                let matching = fast.slot(slot, &arrived, &flat(&drive.lengths));
                drive.depart(&matching);
                matching
            };
            (0..slots).map(run).collect::<Vec<_>>()
        };
        let (exact, other) = (of(Variant::E, None), of(variant, None));
        assert!(exact != other, "{variant:?}");
        assert!(of(variant, Some(1.0)) == exact && of(variant, Some(0.0)) == other, "{variant:?}");
        let mixed = of(variant, Some(0.5));
        assert!(mixed != exact && mixed != other, "{variant:?}");
    }
}

/// Ten to the five slots at each size, E-SERENADE and SERENA side by side, fast.
#[test]
fn e_serenade_is_serena_for_long() {
    for (number, ports) in [8, 64, 100].into_iter().enumerate() {
        let rng = SEED.stream(Purpose::Scheduler, number);
        let rules = Rules { populate: Populate::Random, ..Rules::default() };
        let mut exact = Fast::new(ports, rules, Some(Variant::E), rng.clone());
        let mut serena = Fast::new(ports, rules, None, rng);
        let mut traffic = SEED.stream(Purpose::Arrivals, number);
        let mut lengths = vec![0u32; ports * ports];
        let mut arrived = vec![NONE; ports];
        for slot in 0..100_000 {
            for (input, arrived) in arrived.iter_mut().enumerate() {
                let output = traffic.below(ports);
                let here = traffic.below(10) < 9;
                *arrived = if here { output as Port } else { NONE };
                lengths[input * ports + output] += u32::from(here);
            }
            let matching = serena.slot(slot, &arrived, &lengths);
            assert_eq!(exact.slot(slot, &arrived, &lengths), matching, "{ports} ports, slot {slot}");
            for (input, output) in matching.into_iter().enumerate() {
                let length = &mut lengths[input * ports + output];
                *length = length.saturating_sub(1);
            }
        }
        assert_eq!(exact.counter("non_ouroboros").sum > 10_000, ports > 8);
        assert_eq!(exact.counter("agreement").sum, exact.counter("agreement").per);
    }
}
