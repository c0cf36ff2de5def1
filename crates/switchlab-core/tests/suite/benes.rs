//! The Benes fabric and the banyan: audited after each slot, timed, worked by hand, and brought to a deadlock.

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

/// Runs with an audit after each slot, then until the fabric is empty; each cell must leave once, in the order of its flow.
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
    for more in 1..70 {
        check(now + more, &vec![NONE; ports], 1);
    }
    let census = check(now + 70, &vec![NONE; ports], 1);
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

/// With routing buffers that are smaller than the theorem asks for, fixed or random merging soon leads to a deadlock, and the switch says who waits for whom.
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
        println!("{spec}: {:?}", fabric.failure().map(ToString::to_string));
        let Some(Failure::Deadlock { slot: at, waits, .. }) = fabric.failure() else { panic!("{spec}: no deadlock") };
        assert!(waits.len() >= 4);
        let (at, census) = (*at, fabric.census());
        // Nothing comes in or goes out any more.
        assert!(slot(&mut *fabric, at, &[0, 1, 2, 3]).iter().all(|cell| cell.is_idle()));
        assert_eq!(fabric.census(), census);
        fabric.audit().unwrap();
    }
}
