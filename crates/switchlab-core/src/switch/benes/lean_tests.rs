//! Lean fabrics against plain ones of the same settings, which move and send as the page says, cell by cell.

use super::fabric::Fabric;
use super::settings::{LEAN, PLAIN};
use super::{Distribution, Merge, Resequencing, Settings};
use crate::cell::{Block, Cell, NONE, Port};
use crate::rng::{Purpose, Seed};
use crate::switch::Switch;
use alloc::vec;
use alloc::vec::Vec;

const SEED: Seed = Seed { seed: 4, replication: 0 };

fn settings(ports: usize, radix: usize, distributes: bool, resequencing: Resequencing) -> Settings {
    Settings {
        ports,
        radix,
        distribution: distributes.then_some(Distribution::RoundRobin),
        resequencing,
        distribution_buffer: 1,
        routing_buffer: 1,
        credit_delay: 0,
        merge: Merge::RoundRobin,
        random_pointers: true,
        per_link: false,
    }
}

fn counters(switch: &dyn Switch) -> Vec<(&'static str, u64, u64)> {
    let mut all = Vec::new();
    switch.counters(&mut |counter| all.push((counter.name, counter.sum, counter.per)));
    all
}

/// Bursts to outputs of which some are wanted more than others, so that cells wait for room, for credits and for each other. Then nothing, until all have left. Slot by slot, and many at a time.
fn same<const P: usize>(ports: usize, distributes: bool, resequencing: Resequencing, slots: u32) {
    let settings = settings(ports, P, distributes, resequencing);
    let mut lean = Fabric::<P, LEAN>::new(settings, SEED);
    let mut plain = Fabric::<P, PLAIN>::new(settings, SEED);
    let mut rng = SEED.stream(Purpose::Fabric, 2);
    let mut bursts: Vec<Port> = vec![NONE; ports];
    let mut several = Fabric::<P, LEAN>::new(settings, SEED);
    let (mut arrivals, mut departed) = (Block::new(ports, 0, NONE), Vec::new());
    for now in 0..2 * slots {
        for burst in &mut bursts {
            if now >= slots {
                *burst = NONE;
            } else if rng.below(6) == 0 {
                let narrow = if rng.below(2) == 0 { ports } else { ports / 2 };
                *burst = if rng.below(8) == 0 { NONE } else { rng.below(narrow) as Port };
            }
        }
        let mut departures = [vec![Cell::IDLE; ports], vec![Cell::IDLE; ports]];
        lean.slot(now, &bursts, &mut departures[0]);
        plain.slot(now, &bursts, &mut departures[1]);
        assert_eq!(departures[0], departures[1], "{ports} ports, radix {P}, slot {now}");
        assert_eq!(counters(&lean), counters(&plain), "{ports} ports, radix {P}, slot {now}");
        arrivals.data.extend(&bursts);
        departed.append(&mut departures[1]);
        // Also when the watchdog looks, every 1024 slots.
        if now % 75 == 74 || now + 1 == 2 * slots {
            let mut all = Block::new(ports, arrivals.data.len() / ports, Cell::IDLE);
            several.run(&arrivals, &mut all);
            assert!(all.data == departed, "{ports} ports, radix {P}, before slot {now}");
            assert_eq!(counters(&several), counters(&plain), "{ports} ports, radix {P}, before slot {now}");
            assert_eq!(several.census(), plain.census());
            arrivals = Block { start: now + 1, ports, data: Vec::new() };
            departed.clear();
        }
        if now == slots {
            lean.check_buffers().unwrap();
        }
        if ports <= 64 && now % 8 == 0 || now == slots && ports <= 256 {
            lean.check().unwrap();
        }
    }
    assert!(lean.census().departed > u64::from(slots) * ports as u64 / 4);
    assert_eq!(lean.census(), plain.census());
}

fn all<const P: usize>(ports: usize, slots: u32) {
    same::<P>(ports, true, Resequencing::PerStage, slots);
    // With more ports and numbers of 16 bits, cells would be too wide.
    if ports <= 256 {
        same::<P>(ports, true, Resequencing::Final, slots);
    }
    same::<P>(ports, false, Resequencing::PerStage, slots);
}

#[test]
fn sizes_whose_words_are_looked_up() {
    all::<2>(8, 600);
    all::<4>(16, 600);
    all::<2>(128, 150);
}

#[test]
fn large_sizes() {
    all::<2>(512, 100);
    all::<8>(512, 100);
    all::<4>(1024, 100);
    all::<2>(1024, 40);
}

/// Also those whose summaries have several words.
#[test]
fn the_largest_sizes() {
    same::<2>(2048, true, Resequencing::PerStage, 40);
    same::<4>(4096, true, Resequencing::PerStage, 30);
}

#[test]
fn sizes_by_name() {
    all::<8>(64, 300);
    all::<4>(64, 300);
    all::<4>(256, 120);
    all::<2>(256, 60);
}
