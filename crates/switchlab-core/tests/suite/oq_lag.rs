//! The meter of lags behind output queueing, over the whole registry and against a table of all
//! departures.

use crate::common::{SEED, departures, fits, source, specs, switch};
use std::collections::BTreeMap;
use switchlab_core::meter::{Lags, OqLag};
use switchlab_core::{Block, Cell, NONE, Port, Slot};

const PORTS: usize = 6;

/// The lags of a run, in blocks, opened after `warmup` slots.
fn metered(spec: &str, traffic: (&str, &str), load: f64, slots: usize, warmup: usize, block: usize) -> (Lags, u64) {
    let mut source = source(traffic.0, traffic.1, PORTS, load, SEED);
    let mut switch = switch(spec, PORTS, SEED);
    let mut meter = OqLag::new(PORTS);
    let (mut arrivals, mut departures) = (Block::new(PORTS, block, NONE), Block::new(PORTS, block, Cell::IDLE));
    let mut from = 0;
    while from < slots {
        if from == warmup {
            meter.open(from as Slot);
        }
        let to = (from + block).min(if from < warmup { warmup } else { slots });
        arrivals.start = from as Slot;
        arrivals.resize(to - from, NONE);
        departures.resize(to - from, Cell::IDLE);
        source.fill(&mut arrivals);
        switch.run(&arrivals, &mut departures);
        meter.observe(&arrivals, &departures, switch.census().dropped);
        from = to;
    }
    assert!(switch.census().dropped > 0 || meter.inside() == switch.census().queued, "{spec}");
    (meter.lags(), switch.census().departed)
}

/// When each cell leaves: by input, output and arrival slot.
fn table(spec: &str, traffic: (&str, &str), load: f64, slots: Slot) -> BTreeMap<(Port, usize, Slot), i64> {
    let mut source = source(traffic.0, traffic.1, PORTS, load, SEED);
    let all = departures(&mut *switch(spec, PORTS, SEED), &mut *source, slots);
    let mut table = BTreeMap::new();
    for (now, row) in (0..).zip(all) {
        for (output, cell) in row.iter().enumerate().filter(|(_, cell)| !cell.is_idle()) {
            assert!(table.insert((cell.input, output, cell.born), now).is_none(), "{spec} sends a cell twice");
        }
    }
    table
}

/// Every switch there is: the same lags as from two tables of departures, in blocks of any size,
/// with and without a warm-up.
#[test]
fn every_switch_has_the_lags_of_its_departures() {
    const SLOTS: Slot = 600;
    for spec in specs().into_iter().filter(|spec| fits(spec, PORTS)) {
        for (traffic, load) in [(("uniform", "bernoulli"), 0.9), (("hotspot(count=1)", "bursty(mean=6)"), 0.7)] {
            let own = table(&spec, traffic, load, SLOTS);
            // Run on until all that has left the switch has left the ideal one, which it may have
            // overtaken.
            let mut ideal = BTreeMap::new();
            let mut next = [0; PORTS];
            let mut arrivals = source(traffic.0, traffic.1, PORTS, load, SEED);
            for now in 0..SLOTS {
                let mut row = [NONE; PORTS];
                arrivals.slot(now, &mut row);
                for (input, &output) in row.iter().enumerate().filter(|(_, output)| **output != NONE) {
                    let slot = i64::from(now).max(next[usize::from(output)]);
                    next[usize::from(output)] = slot + 1;
                    ideal.insert((input as Port, usize::from(output), now), slot);
                }
            }
            for (cell, slot) in table("oq", traffic, load, SLOTS) {
                assert_eq!(ideal[&cell], slot, "the slot of a cell is known when it comes");
            }
            for warmup in [0, 100] {
                let lags: Vec<i64> = own
                    .iter()
                    .filter(|((_, _, born), _)| *born >= warmup)
                    .map(|(cell, slot)| slot - ideal[cell])
                    .collect();
                let expected = Lags {
                    cells: lags.len() as u64,
                    sum: lags.iter().sum(),
                    min: lags.iter().copied().min().unwrap_or_default(),
                    max: lags.iter().copied().max().unwrap_or_default(),
                    late: lags.iter().filter(|lag| **lag > 0).count() as u64,
                    early: lags.iter().filter(|lag| **lag < 0).count() as u64,
                    unmatched: 0,
                };
                // A reading that leaves empty VOQs out stops sending almost at once.
                assert!(expected.cells > 100 || spec.contains("empty=skip"), "{spec}");
                for block in [1, 7, 64] {
                    let (lags, _) = metered(&spec, traffic, load, SLOTS as usize, warmup as usize, block);
                    assert_eq!(lags, expected, "{spec}, {traffic:?}, warm-up {warmup}, blocks of {block}");
                }
            }
        }
    }
}

/// No lag means emulation, and a speedup of 1 has one.
#[test]
fn lags_tell_emulation_from_its_failure() {
    let traffic = ("uniform", "bernoulli");
    for spec in ["oq", "cioq(policy=ccf-dtc,speedup=2)", "cioq(policy=ccf,speedup=2)", "cioq(policy=mucfa,speedup=4)"] {
        let (lags, departed) = metered(spec, traffic, 1.0, 4000, 0, 64);
        assert!(lags.is_emulation() && lags.cells == departed && departed > 20_000, "{spec}: {lags:?}");
    }
    for policy in ["ccf", "ccf-dtc", "mucfa", "lqf"] {
        let spec = format!("cioq(policy={policy},speedup=1)");
        let (lags, departed) = metered(&spec, traffic, 0.9, 4000, 0, 64);
        assert!(!lags.is_emulation() && lags.late * 20 > departed && lags.max > 1, "{spec}: {lags:?}");
    }
}

/// Cells that leave in any order, and cells that never do.
#[test]
fn nothing_is_assumed_about_order_or_loss() {
    let mut meter = OqLag::new(2);
    let (mut arrivals, mut departures) = (Block::new(2, 5, NONE), Block::new(2, 5, Cell::IDLE));
    // Input 0 sends to output 1 in slots 0, 1 and 2; they would leave at once. They leave in slots
    // 2, 3, 4 in the order 1, 2, 0.
    for slot in 0..3 {
        arrivals.data[2 * slot] = 1;
    }
    for (slot, born) in [(2, 1), (3, 2), (4, 0)] {
        departures.data[2 * slot + 1] = Cell { born, input: 0 };
    }
    meter.observe(&arrivals, &departures, 0);
    let expected = Lags { cells: 3, sum: 1 + 1 + 4, min: 1, max: 4, late: 3, early: 0, unmatched: 0 };
    assert_eq!((meter.lags(), meter.inside()), (expected, 0));

    // Every other cell is lost: the list of those inside stays short.
    let mut meter = OqLag::new(1);
    let (mut arrivals, mut departures) = (Block::new(1, 1000, 0), Block::new(1, 1000, Cell::IDLE));
    let mut most = 0;
    for block in 0..400 {
        (arrivals.start, departures.start) = (1000 * block, 1000 * block);
        for (slot, row) in (arrivals.start..).zip(&mut departures.data) {
            *row = if slot % 2 == 0 { Cell { born: slot, input: 0 } } else { Cell::IDLE };
        }
        meter.observe(&arrivals, &departures, u64::from(block) * 500 + 1);
        most = most.max(meter.inside());
    }
    assert!(most < 2000, "{most}");
    assert_eq!((meter.lags().cells, meter.lags().late), (200_000, 0));
}
