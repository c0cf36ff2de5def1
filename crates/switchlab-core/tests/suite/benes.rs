//! The Benes fabric and the banyan: audited after each slot, timed, worked by hand, and brought to
//! a deadlock.

use crate::common::{SEED, rows, source, switch};
use std::collections::VecDeque;
use switchlab_core::switch::{Failure, Switch};
use switchlab_core::{Cell, NONE, Port, Slot, registry};

/// Sizes that fit a radix.
const SIZES: [(usize, &[usize]); 3] = [(2, &[2, 4, 8, 16, 64]), (4, &[4, 16, 64]), (8, &[8, 64])];

fn idle(switch: &mut dyn Switch, now: Slot) -> Vec<Cell> {
    let arrivals = vec![NONE; switch.ports()];
    slot(switch, now, &arrivals)
}

fn slot(switch: &mut dyn Switch, now: Slot, arrivals: &[Port]) -> Vec<Cell> {
    let mut departures = vec![Cell::IDLE; arrivals.len()];
    switch.slot(now, arrivals, &mut departures);
    departures
}

/// A lone cell takes a slot for each stage, from anywhere to anywhere, whatever the settings.
#[test]
fn a_lone_cell_takes_a_slot_for_each_stage() {
    let settings = [
        "",
        ",distribution=ic",
        ",distribution=random-balanced",
        ",distribution=hash",
        ",resequencing=final",
        ",backpressure=per-link",
    ];
    for (radix, sizes) in SIZES {
        for &ports in sizes {
            let levels = ports.ilog(radix);
            let fabrics = settings.map(|more| (format!("benes(radix={radix}{more})"), 2 * levels));
            for (spec, stages) in fabrics.into_iter().chain([(format!("banyan(radix={radix})"), levels)]) {
                let mut fabric = switch(&spec, ports, SEED);
                assert_eq!(fabric.stages(), stages);
                let mut now = 0;
                for (input, output) in (0..ports).flat_map(|i| (0..ports).map(move |o| (i, o))) {
                    let mut arrivals = vec![NONE; ports];
                    arrivals[input] = output as Port;
                    let born = now;
                    let mut departures = slot(&mut *fabric, now, &arrivals);
                    for _ in 0..stages {
                        assert!(departures.iter().all(|cell| cell.is_idle()), "{spec}, {ports} ports: too early");
                        now += 1;
                        departures = idle(&mut *fabric, now);
                    }
                    assert_eq!(departures[output], Cell { born, input: input as Port }, "{spec}, {ports} ports");
                    now += 1;
                }
            }
        }
    }
}

/// Four cells for output 2 of a 4 x 4 fabric with P = 2, worked by hand. A (from 0), B (from 1) and
/// D (from 2) are born in slot 0, C (from 0) in slot 1. Buffers as stage.element, in0 and out0
/// their inputs and outputs:
///
/// ```text
/// slot  moves, stages from last to first                      sent
/// 0                                                           A to 0.0 in0, B to 0.0 in1,
///                                                             D to 0.1 in0
/// 1     A to out0 (number 0), B to out1 (1); D to out0 (0)    C to 0.0 in0; A to 1.0 in0,
///                                                             B to 1.1 in0, D to 1.0 in1
/// 2     1.0: A to out0 (0), D to out1 (1); 1.1: B to out0;    C to 1.0 in0; A to 2.0 in0,
///       0.0: C to out0 (2)                                    D to 2.0 in1, B to 2.1 in0
/// 3     2.0: A, D to out1; 2.1: B to out1; 1.0: C to out0     C to 2.0 in0; of A and D, A to
///                                                             3.1 in0; B to 3.1 in1
/// 4     3.1: A, then B to out0; 2.0: C to out1                of D and C, D to 3.1 in0; of A
///                                                             and B, A leaves
/// 5     3.1: D to out0                                        C to 3.1 in0; of B and D, B leaves
/// 6     3.1: C to out0                                        of C and D, D leaves
/// 7                                                           C leaves
/// ```
///
/// In slot 3 output 1 of element 2.0 sends group 0 (A), so group 2 (D) is next in slot 4, then
/// group 0 (C). Output 2 goes through its groups, the sources, likewise.
#[test]
fn four_cells_by_hand() {
    let mut fabric = switch("benes(radix=2,pointers=zero)", 4, SEED);
    let arrivals = [[2, 2, 2, NONE], [2, NONE, NONE, NONE]];
    let mut left = Vec::new();
    for now in 0..10 {
        let row = arrivals.get(now as usize).copied().unwrap_or([NONE; 4]);
        for (output, cell) in slot(&mut *fabric, now, &row).iter().enumerate().filter(|(_, cell)| !cell.is_idle()) {
            left.push((now, output, cell.input, cell.born));
        }
        fabric.audit().unwrap();
    }
    assert_eq!(left, [(4, 2, 0, 0), (5, 2, 1, 0), (6, 2, 2, 0), (7, 2, 0, 1)]);
}

/// Runs with an audit after each slot, then until the fabric is empty; each cell must leave once,
/// in the order of its flow.
fn audited(spec: &str, ports: usize, (traffic, process, load): (&str, &str, f64), slots: Slot) {
    let mut fabric = switch(spec, ports, SEED);
    let mut source = source(traffic, process, ports, load, SEED);
    let mut inside = vec![VecDeque::new(); ports * ports];
    let mut check = |now: Slot, arrivals: &[Port], every: Slot| {
        for (input, &output) in arrivals.iter().enumerate().filter(|(_, output)| **output != NONE) {
            inside[input * ports + usize::from(output)].push_back(now);
        }
        for (output, cell) in slot(&mut *fabric, now, arrivals).iter().enumerate().filter(|(_, cell)| !cell.is_idle()) {
            let oldest = inside[usize::from(cell.input) * ports + output].pop_front();
            assert_eq!(oldest, Some(cell.born), "{spec}, {ports} ports, {traffic}, slot {now}");
        }
        if now.is_multiple_of(every) {
            fabric.audit().unwrap_or_else(|problem| panic!("{spec}, {ports} ports, {traffic}, slot {now}: {problem}"));
        }
        assert!(fabric.failure().is_none(), "{spec}, {ports} ports: {}", fabric.failure().unwrap());
        fabric.census()
    };
    let every = if ports < 16 {
        1
    } else if ports < 64 {
        3
    } else {
        17
    };
    for (now, arrivals) in rows(&mut *source, ports, slots) {
        check(now, &arrivals, every);
    }
    let mut now = slots;
    while check(now, &vec![NONE; ports], every).queued > 0 {
        now += 1;
        assert!(now < 50 * slots + 1000, "{spec}, {ports} ports, {traffic}: it does not drain");
    }
    // Credits still on their way come home.
    for more in 1..10 {
        check(now + more, &vec![NONE; ports], Slot::MAX);
    }
    let census = check(now + 10, &vec![NONE; ports], 1);
    assert_eq!((census.queued, census.arrived), (0, census.departed));
}

const TRAFFIC: [(&str, &str, f64); 4] = [
    ("uniform", "bernoulli", 0.9),
    ("uniform", "bursty(mean=12)", 0.8),
    ("hotspot(count=2)", "bursty(mean=12)", 0.6),
    ("permutation", "bernoulli", 1.0),
];

#[test]
fn audits_hold_in_every_slot() {
    for (radix, sizes) in SIZES {
        for &ports in sizes {
            for distribution in ["rr", "ic"] {
                for resequencing in ["per-stage", "final"] {
                    let spec = format!("benes(radix={radix},distribution={distribution},resequencing={resequencing})");
                    for traffic in TRAFFIC {
                        audited(&spec, ports, traffic, if ports < 64 { 250 } else { 40 });
                    }
                }
            }
        }
    }
}

#[test]
fn audits_hold_for_other_settings() {
    for more in [
        "distribution=random-balanced",
        "distribution=random-balanced,resequencing=final",
        "distribution=hash",
        "distribution=hash,resequencing=final,merge=random",
        "distribution=hash,merge=random",
        "credit-delay=1",
        "credit-delay=3,distribution=ic,routing-buffer=4,distribution-buffer=3",
        "credit-delay=2,resequencing=final",
        "distribution-buffer=4",
        "distribution=ic,distribution-buffer=2",
        "merge=random,resequencing=final",
        "merge=fixed,resequencing=final",
        "backpressure=per-link,resequencing=final",
        "backpressure=per-link,distribution=hash",
        "backpressure=per-link,distribution=ic,resequencing=final,routing-buffer=5",
    ] {
        for (radix, ports) in [(2, 4), (2, 8), (4, 16)] {
            for traffic in &TRAFFIC[..3] {
                audited(&format!("benes(radix={radix},{more})"), ports, *traffic, 200);
            }
        }
    }
    for more in ["", ",merge=random", ",backpressure=per-link", ",credit-delay=2", ",routing-buffer=3"] {
        for (radix, ports) in [(2, 4), (2, 16), (4, 16), (8, 64)] {
            for traffic in &TRAFFIC[..3] {
                audited(&format!("banyan(radix={radix}{more})"), ports, *traffic, if ports < 64 { 300 } else { 60 });
            }
        }
    }
}

/// A wrong number of ports is an error that names the nearest right ones.
#[test]
fn sizes_that_do_not_fit_are_named() {
    for (spec, ports, parts) in [
        ("benes(radix=4)", 20, &["power of 4", "16 and 64"][..]),
        ("benes(radix=4)", 1, &["4"]),
        ("benes", 12, &["8 and 16"]),
        ("benes(radix=8)", 4095, &["512 and 4096"]),
        ("banyan(radix=8)", 16, &["8 and 64"]),
        ("benes(radix=2)", 4096, &["larger radix"]),
        ("benes(resequencing=final,distribution-buffer=64)", 1024, &["16 bits", "per-stage"]),
    ] {
        let error = registry::switch(spec).unwrap().build(ports, SEED).map(drop).unwrap_err().to_string();
        assert!(parts.iter().all(|part| error.contains(part)), "{spec}: {error}");
    }
    for (spec, ports) in [("benes", 1024), ("benes(radix=8)", 4096), ("benes(radix=4)", 4096)] {
        assert!(registry::switch(spec).unwrap().build(ports, SEED).is_ok(), "{spec}");
    }
}

/// With routing buffers that are smaller than the theorem asks for, fixed or random merging soon
/// leads to a deadlock, and the switch says who waits for whom.
#[test]
fn a_deadlock_is_found_and_told() {
    for spec in [
        "benes(radix=2,distribution=ic,routing-buffer=1,merge=random)",
        "benes(radix=2,distribution-buffer=2,routing-buffer=1,merge=random)",
        "benes(radix=2,distribution-buffer=3,routing-buffer=1,merge=fixed)",
    ] {
        let mut fabric = switch(spec, 4, SEED);
        let mut source = source("hotspot(count=2)", "bursty(mean=12)", 4, 1.0, SEED);
        for (now, arrivals) in rows(&mut *source, 4, 200_000) {
            slot(&mut *fabric, now, &arrivals);
            if fabric.failure().is_some() {
                break;
            }
        }
        let Some(Failure::Deadlock { slot: at, waits, .. }) = fabric.failure() else { panic!("{spec}: no deadlock") };
        assert!(waits.len() >= 4);
        let (at, census) = (*at, fabric.census());
        // Nothing comes in or goes out any more.
        assert!(slot(&mut *fabric, at, &[0, 1, 2, 3]).iter().all(|cell| cell.is_idle()));
        assert_eq!(fabric.census(), census);
        fabric.audit().unwrap();
    }
}
