//! The general fabric against the engines for equal elements, and its settings against each other.

use super::*;
use crate::switch::benes::engine::tests::{counters, settings};
use crate::switch::benes::fabric::Benes;
use crate::switch::{Failure, Switch};
use alloc::boxed::Box;

const SEED: Seed = Seed { seed: 4, replication: 0 };

/// A fabric that is run by the general engine.
fn general(text: &str, ports: usize) -> Benes<General> {
    Benes::new(General::new(settings(text, ports), SEED))
}

fn labels(traffic: &str) -> Labels {
    crate::registry::traffic(traffic).unwrap().labels(None).replication(SEED)
}

/// Bursts to outputs with unequal loads, then no arrivals.
struct Bursts {
    rng: Rng,
    row: Vec<Port>,
    slots: Slot,
}

impl Bursts {
    fn new(ports: usize, slots: Slot) -> Self {
        Self { rng: SEED.stream(Purpose::Fabric, 9), row: vec![NONE; ports], slots }
    }

    fn row(&mut self, now: Slot) -> &[Port] {
        let ports = self.row.len();
        for burst in &mut self.row {
            if now >= self.slots {
                *burst = NONE;
            } else if self.rng.below(5) == 0 {
                let narrow = if self.rng.below(2) == 0 { ports } else { ports.div_ceil(2) };
                *burst = if self.rng.below(6) == 0 { NONE } else { self.rng.below(narrow) as Port };
            }
        }
        &self.row
    }
}

/// The departures of a slot.
fn slot(switch: &mut dyn Switch, now: Slot, row: &[Port]) -> Vec<Cell> {
    let mut departures = vec![Cell::IDLE; row.len()];
    switch.slot(now, row, &mut departures);
    departures
}

/// Runs two switches on the same bursts: the same departures and counters in every slot.
fn same(mut one: Benes<General>, mut other: Box<dyn Switch>, slots: Slot, about: &str) {
    let ports = one.ports();
    let mut bursts = Bursts::new(ports, slots);
    for now in 0..2 * slots {
        let row = bursts.row(now).to_vec();
        let departures = [slot(&mut one, now, &row), slot(&mut *other, now, &row)];
        if other.failure().is_some() || one.failure().is_some() {
            // Per-link backpressure with resequencing inside deadlocks.
            assert!(about.contains("per-link"), "{about}: {:?}, {:?}", one.failure(), other.failure());
            return;
        }
        assert_eq!(departures[0], departures[1], "{about}, slot {now}");
        assert_eq!(counters(&one), counters(&*other), "{about}, slot {now}");
        if now % 8 == 0 {
            one.audit().unwrap_or_else(|problem| panic!("{about}, slot {now}: {problem}"));
        }
    }
    assert!(one.census().departed > u64::from(slots), "{about}: {:?}", one.census());
}

fn like_the_engine(text: &str, ports: usize, slots: Slot) {
    let settings = settings(text, ports);
    assert!(settings.equal_radix().is_some(), "{text}");
    same(general(text, ports), settings.build(SEED), slots, &format!("{text} of {ports} ports"));
}

/// Every setting of the engines, draws included.
#[test]
fn the_engines_for_equal_elements() {
    for distribution in ["rr", "ic", "random-balanced", "hash"] {
        for resequencing in ["per-stage", "final"] {
            for more in [
                "",
                ",merge=random",
                ",merge=fixed",
                ",distribution-buffer=2,routing-buffer=3",
                ",credit-delay=1,routing-buffer=4",
                ",credit-delay=3,distribution-buffer=3,merge=random",
                ",pointers=zero",
                ",backpressure=per-link,merge=random",
            ] {
                let text = format!("benes(distribution={distribution},resequencing={resequencing}{more})");
                like_the_engine(&text, 8, 150);
                like_the_engine(&text, 16, 100);
            }
        }
    }
    for more in ["", ",merge=random", ",backpressure=per-link", ",credit-delay=2,routing-buffer=2"] {
        like_the_engine(&format!("banyan(radix=2{more})"), 8, 200);
        like_the_engine(&format!("banyan(radix=4{more})"), 16, 200);
    }
    like_the_engine("benes(radix=8)", 64, 40);
    like_the_engine("benes(radix=4,distribution=ic)", 64, 40);
}

/// Equal radices are one. With one level, hierarchical merging is merging per output.
#[test]
fn equal_fabrics() {
    assert_eq!(settings("benes(radix=4x4)", 16), settings("benes(radix=4)", 16));
    let other = settings("benes(radix=4,routing-buffer=2)", 4).build(SEED);
    let one = general("benes(radix=4,routing-buffer=2,merging=hierarchical,feedback=immediate)", 4);
    same(one, other, 300, "one level");
}

/// Settings that mean the same give the same.
#[test]
fn equal_settings() {
    let pairs = [
        ("flow-control=stop-and-go", ""),
        ("flow-control=stop-and-go,distribution=ic", "distribution=ic"),
        ("links=wrr(w=1:1)", ""),
        ("merge=wrr(w=1)", ""),
        ("priorities=4,pointers=zero", "pointers=zero"),
        ("priorities=4,precedence=wrr(w=2:1),pointers=zero", "pointers=zero"),
        ("loss=0,link-delay=0", ""),
    ];
    for (new, old) in pairs {
        for ports in [4, 8] {
            let fabric = general(&format!("benes({new})"), ports);
            let other = settings(&format!("benes({old})"), ports).build(SEED);
            same(fabric, other, 200, new);
        }
    }
}

/// A lone cell takes one slot for each stage, and for each slot of delay on the links.
#[test]
fn a_lone_cell() {
    for (more, slots) in [
        ("", 6),
        ("center=one", 5),
        ("center=one,resequencing=final", 5),
        ("link-delay=2,distribution-buffer=3", 18),
        ("distribution-output=0,routing-output=0", 6),
        ("merging=hierarchical", 6),
        ("order=distribute-first", 6),
    ] {
        let mut fabric = general(&format!("benes({more})"), 8);
        assert_eq!(fabric.stages(), slots);
        for now in 0..=slots {
            let mut row = [NONE; 8];
            if now == 0 {
                row[3] = 6;
            }
            let departures = slot(&mut fabric, now, &row);
            assert_eq!(departures[6].is_idle(), now < slots, "{more}, slot {now}");
        }
    }
}

/// The law of section 2.2: a flow is carried at the rate buffer / round trip.
#[test]
fn a_buffer_of_rate_times_round_trip() {
    for (link, credit, buffer) in [(0, 1, 1), (2, 0, 1), (2, 2, 3), (3, 1, 5), (0, 4, 4), (1, 1, 3)] {
        let text = format!(
            "benes(radix=4,distribution-buffer={buffer},routing-buffer={buffer},link-delay={link},credit-delay={credit})"
        );
        let mut fabric = general(&text, 16);
        let row: [Port; 16] = core::array::from_fn(|input| if input == 5 { 9 } else { NONE });
        (0..1000).for_each(|now| drop(slot(&mut fabric, now, &row)));
        let (departed, trip) = (fabric.census().departed, (1 + link + credit) as u64);
        let expected = 1000 * (buffer as u64).min(trip) / trip;
        assert!(expected - departed <= 4 * trip + 8, "{text}: {departed} of {expected}");
    }
}

/// Levels share only links: with strict priority the highest one does not notice the others.
#[test]
fn the_highest_level_is_alone() {
    for text in
        ["benes(priorities=2)", "benes(priorities=2,resequencing=final)", "benes(priorities=2,merging=hierarchical)"]
    {
        let labels = labels("uniform(classes=2)");
        let class = |input: usize, arrival: Slot| labels.of(input as Port, arrival).class;
        let mut both = general(text, 8);
        both.use_labels(&labels).unwrap();
        let mut alone = general(text, 8);
        let mut bursts = Bursts::new(8, 400);
        for now in 0..400 {
            let row = bursts.row(now).to_vec();
            let high = |(source, &output): (usize, &Port)| if class(source, now) == 0 { output } else { NONE };
            let only: Vec<Port> = row.iter().enumerate().map(high).collect();
            let departures = [slot(&mut both, now, &row), slot(&mut alone, now, &only)];
            for (all, only) in departures[0].iter().zip(&departures[1]) {
                let is_high = !all.is_idle() && class(all.input.into(), all.born) == 0;
                assert_eq!(if is_high { *all } else { Cell::IDLE }, *only, "{text}, slot {now}");
            }
        }
        assert!(alone.census().departed > 200);
    }
}

/// The deadlocks of fixed merging with three levels are found in both engines, and no others.
#[test]
fn deadlocks() {
    let mut found = 0;
    for (text, ports) in [("benes(merge=fixed)", 8), ("benes(merge=random)", 8), ("benes(merge=fixed)", 4)] {
        let settings = settings(text, ports);
        let mut general = general(text, ports);
        let mut other = settings.build(SEED);
        let mut rng = SEED.stream(Purpose::Fabric, 8);
        let mut row = vec![NONE; ports];
        for now in 0..8000 {
            for output in &mut row {
                if rng.below(12) == 0 {
                    *output = if rng.below(3) == 0 { rng.below(ports) as Port } else { 2 };
                }
            }
            let departures = [slot(&mut general, now, &row), slot(&mut *other, now, &row)];
            let one_at_least = general.failure().is_some() || other.failure().is_some();
            assert!(one_at_least || departures[0] == departures[1], "{text}, slot {now}");
        }
        assert_eq!(general.failure().is_some(), other.failure().is_some(), "{text} of {ports} ports");
        assert!(general.failure().is_none() || ports == 8);
        found += usize::from(general.failure().is_some());
    }
    assert!(found > 0);
}

/// Distribution before merging deadlocks, since paths are merged in different orders.
#[test]
fn distribution_before_merging() {
    let (mut fabric, mut bursts) = (general("benes(order=distribute-first)", 8), Bursts::new(8, 2000));
    (0..2000).for_each(|now| drop(slot(&mut fabric, now, bursts.row(now))));
    assert!(matches!(fabric.failure(), Some(Failure::Deadlock { .. })));
}

/// A cell that waits for a credit of a level waits for the cells that have spent it. A resequencer
/// that is made to expect such a cell first never moves one again, and the watchdog says so.
#[test]
fn waits_for_credits_of_a_level() {
    let mut fabric = general("benes(radix=2,merging=hierarchical,routing-buffer=1)", 4);
    (0..40).for_each(|now| drop(slot(&mut fabric, now, &[2; 4])));
    let own = &mut fabric.fabric;
    let waits = |site: &Site| site.side == Side::Output && own.level_credits((1, site.position, site.lane)) == 0;
    let found = own.buffers().into_iter().find(|(site, _)| site.stage == 0 && waits(site));
    let (_, cells) = found.expect("cells for the hot output wait at the entry of the outermost level");
    let at = At { stage: 3, element: 1, lane: own.core.topology.lane_received(3, &cells[0]) };
    let index = own.lane_index(at, 0);
    own.lanes[3][index].number = cells[0].numbers[0];
    (40..400).for_each(|now| drop(slot(&mut fabric, now, &[NONE; 4])));
    let Some(Failure::Deadlock { waits, .. }) = fabric.failure() else { panic!("no deadlock: {:?}", fabric.census()) };
    assert_eq!(waits.len(), 2, "{waits:?}");
}
