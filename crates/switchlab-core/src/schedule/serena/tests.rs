//! Both forms decide the same, over both stores.

use super::accounting::Accounting;
use super::rules::{Consistency, Leader, Populate, Prune, Rules, Tie, Variant};
use super::{Config, Serena};
use crate::cell::{Cell, NONE, Port};
use crate::counter::Counter;
use crate::rng::{Probability, Purpose, Seed};
use crate::switch::crossbar::voq::{Linked, Packed, VoqStore};
use crate::switch::{Switch, crossbar::Crossbar};
use crate::traffic::{Arrivals, Bernoulli, LoadMatrix, destinations::Uniform};
use alloc::vec;
use alloc::vec::Vec;

const SEED: Seed = Seed { seed: 5, replication: 0 };

/// The departures of a run, and its counters.
fn trail<Q: VoqStore, const W: usize>(
    (ports, slots): (usize, u32),
    rules: Rules,
    (variant, coin): (Option<Variant>, bool),
) -> (Vec<Cell>, Vec<Counter>) {
    let coin = coin.then(|| (Probability::new(0.5), SEED.stream(Purpose::Scheduler, 1)));
    let config = Config {
        rules,
        variant,
        coin,
        rng: SEED.stream(Purpose::Scheduler, 0),
        key: 1,
        accounting: Accounting::default(),
    };
    let mut crossbar = Crossbar::<Serena, Q, W>::new(ports, Serena::new(ports, config));
    let mut source = Bernoulli::new(&LoadMatrix::uniform(ports), 0.9, Uniform, SEED);
    let (mut cells, mut arrivals) = (Vec::new(), vec![NONE as Port; ports]);
    for now in 0..slots {
        source.slot(now, &mut arrivals);
        let mut departures = vec![Cell::IDLE; ports];
        crossbar.slot(now, &arrivals, &mut departures);
        cells.extend(departures);
    }
    let mut counters = Vec::new();
    crossbar.counters(&mut |counter| counters.push(counter));
    (cells, counters)
}

/// Calls with every choice there is. Leaders walk along a cycle from where they are: so its order
/// counts, and which draws are whose.
fn choices(mut each: impl FnMut(Rules, (Option<Variant>, bool))) {
    let led = |leader| Variant::O { leader, consistency: Consistency::Leader };
    let sketched = Variant::O { leader: Leader::Fixed, consistency: Consistency::MinSketch { codewords: 3 } };
    let light = Variant::So { cow: 3, leader: Leader::Fixed, consistency: Consistency::Leader };
    let variants = [Variant::C, Variant::E, led(Leader::Fixed), led(Leader::Rotating), sketched, light];
    let variants = variants.map(Some).into_iter().chain([None]).map(|variant| (variant, false));
    let variants: Vec<_> = variants.chain([(Some(Variant::C), true), (Some(light), true)]).collect();
    for (prune, tie) in [(Prune::Random, Tie::Green), (Prune::Lowest, Tie::Red)] {
        for populate in [Populate::Rank, Populate::Random, Populate::Rotate] {
            for &variant in &variants {
                each(Rules { prune, tie, populate }, variant);
            }
        }
    }
}

#[test]
fn every_choice_is_made_in_a_large_switch() {
    choices(|rules, variant| {
        let usual = trail::<Linked, 2>((70, 700), rules, variant);
        assert!(usual == trail::<Packed, 16>((70, 700), rules, variant), "{rules:?} {variant:?}");
    });
}

#[test]
fn every_choice_is_made_in_a_small_switch() {
    choices(|rules, variant| {
        for (ports, slots) in [(64, 700), (63, 200), (33, 200), (5, 200), (2, 100), (1, 50)] {
            let usual = trail::<Linked, 2>((ports, slots), rules, variant);
            assert!(
                usual == trail::<Linked, 1>((ports, slots), rules, variant),
                "{ports} ports, {rules:?} {variant:?}"
            );
        }
    });
}
