//! The Benes fabric against its naive twin, cell by cell, with every choice that does not draw
//! random numbers.

use crate::common::{SEED, rows, source, switch};
use crate::naive_benes::{Distribution, Fabric, Merge, NaiveBenes, Resequencing};
use crate::naive_benes_tests::{DISTRIBUTIONS, fabric};
use switchlab_core::{Cell, NONE, Port, Slot};

const TRAFFIC: [(&str, &str, f64); 5] = [
    ("uniform", "bernoulli", 0.9),
    ("hotspot(count=2)", "bursty(mean=12)", 0.7),
    ("permutation", "bernoulli", 1.0),
    ("uniform", "bursty(mean=12)", 1.0),
    ("hotspot(count=1)", "bernoulli", 0.5),
];

/// The spec of the fast fabric.
fn spec(fabric: &Fabric) -> String {
    let word = |first: bool, words: [&'static str; 2]| words[usize::from(!first)];
    assert_eq!((fabric.distribution_buffers.1, fabric.routing_buffers.1), (1, 1), "output buffers hold one cell");
    format!(
        "benes(radix={},distribution={},resequencing={},distribution-buffer={},routing-buffer={},credit-delay={},merge={},pointers=zero)",
        fabric.radix,
        word(fabric.distribution == Distribution::RoundRobin, ["rr", "ic"]),
        word(fabric.resequencing == Resequencing::PerStage, ["per-stage", "final"]),
        fabric.distribution_buffers.0,
        fabric.routing_buffers.0,
        fabric.credit_delay,
        word(fabric.merge == Merge::RoundRobin, ["round-robin", "fixed"]),
    )
}

/// Runs both on the same rows; returns how many cells left. A fabric that says that it is
/// deadlocked has stopped in that very slot: then its twin must never let a cell of it out either.
fn same(fabric: Fabric, arrivals: impl Iterator<Item = (Slot, Vec<Port>)>, about: &str) -> u64 {
    let spec = spec(&fabric);
    let mut real = switch(&spec, fabric.ports, SEED);
    let mut naive = NaiveBenes::new(fabric);
    for (now, row) in arrivals {
        let mut got = vec![Cell::IDLE; fabric.ports];
        real.slot(now, &row, &mut got);
        if let Some(failure) = real.failure() {
            let failure = failure.to_string();
            assert!(fabric.merge == Merge::Fixed, "{spec}, {about}: {failure}");
            drains_never(naive, now, &failure);
            break;
        }
        assert_eq!(got, naive.slot(now, &row), "{spec} of {} ports, {about}, slot {now}", fabric.ports);
    }
    real.census().departed
}

/// A twin of a deadlocked fabric, without arrivals: when nothing leaves for longer than all cells
/// need for all their hops, one by one, cells are still inside the elements.
fn drains_never(mut naive: NaiveBenes, now: Slot, failure: &str) {
    let idle = vec![NONE; naive.ports()];
    let hops = 4 * naive.ports().ilog2() as Slot + 2;
    let (mut now, mut silent) = (now, 0);
    while silent <= (naive.queued().0 + naive.queued().1) as Slot * hops {
        let left = naive.slot(now, &idle).iter().any(|cell| !cell.is_idle());
        silent = if left { 0 } else { silent + 1 };
        now += 1;
        if naive.queued() == (0, 0) {
            break;
        }
    }
    assert!(naive.queued().1 > 0, "the twin drains, but: {failure}");
}

fn on_traffic(fabric: Fabric, (traffic, process, load): (&str, &str, f64), slots: Slot) {
    let mut source = source(traffic, process, fabric.ports, load, SEED);
    let about = format!("{traffic}, {process}, load {load}");
    let departed = same(fabric, rows(&mut *source, fabric.ports, slots), &about);
    assert!(departed > u64::from(slots) / 8, "{fabric:?}, {about}: {departed} cells left");
}

/// Every deterministic choice of a fabric.
fn choices(ports: usize, radix: usize) -> Vec<Fabric> {
    let mut choices = Vec::new();
    for distribution in DISTRIBUTIONS {
        for resequencing in [Resequencing::PerStage, Resequencing::FinalOut] {
            for merge in [Merge::RoundRobin, Merge::Fixed] {
                let standard = Fabric { resequencing, merge, ..fabric(ports, radix, distribution) };
                choices.push(standard);
                choices.push(Fabric { distribution_buffers: (2, 1), routing_buffers: (3, 1), ..standard });
                choices.push(Fabric {
                    distribution_buffers: (1, 1),
                    routing_buffers: (4, 1),
                    credit_delay: 1,
                    ..standard
                });
                choices.push(Fabric {
                    distribution_buffers: (3, 1),
                    routing_buffers: (4, 1),
                    credit_delay: 3,
                    ..standard
                });
            }
        }
    }
    choices
}

fn sizes(sizes: &[(usize, usize)], slots: Slot) {
    for &(ports, radix) in sizes {
        for (turn, fabric) in choices(ports, radix).into_iter().enumerate() {
            if ports <= 16 {
                for traffic in TRAFFIC {
                    on_traffic(fabric, traffic, slots);
                }
            } else {
                // Every traffic meets every distribution, resequencing and merging within five
                // sizes of buffers and delays.
                on_traffic(fabric, TRAFFIC[turn % 5], slots);
                on_traffic(fabric, TRAFFIC[(turn + 2) % 5], slots);
            }
        }
    }
}

#[test]
fn small_fabrics() {
    sizes(&[(2, 2), (4, 2), (4, 4), (8, 2), (8, 8)], 400);
}

#[test]
fn sixteen_ports() {
    sizes(&[(16, 2), (16, 4)], 120);
}

#[test]
fn sixty_four_ports() {
    sizes(&[(64, 2), (64, 4), (64, 8)], 40);
}

#[test]
#[ignore = "a minute and a half; the three above are its short form"]
fn long_runs() {
    sizes(&[(4, 2), (8, 2)], 8000);
    sizes(&[(16, 2), (16, 4)], 1000);
    sizes(&[(64, 4), (64, 8)], 200);
}

/// Every sequence of arrivals for two ports over four slots, and every pair of slots for four ports
/// with any sources of two destinations.
#[test]
fn every_short_sequence() {
    for distribution in DISTRIBUTIONS {
        for resequencing in [Resequencing::PerStage, Resequencing::FinalOut] {
            let two = Fabric { resequencing, ..fabric(2, 2, distribution) };
            for code in 0..9u32.pow(4) {
                let digit = |place: u32| [NONE, 0, 1][(code / 3u32.pow(place) % 3) as usize];
                let row = |now: Slot| if now < 4 { vec![digit(2 * now), digit(2 * now + 1)] } else { vec![NONE; 2] };
                same(two, (0..12).map(|now| (now, row(now))), "exhaustive");
            }
            let four = Fabric { resequencing, ..fabric(4, 2, distribution) };
            for code in 0..3u32.pow(8) {
                let digit = |place: u32| [NONE, 0, 3][(code / 3u32.pow(place) % 3) as usize];
                let row = |now: Slot| {
                    if now < 2 { (0..4).map(|input| digit(4 * now + input)).collect() } else { vec![NONE; 4] }
                };
                same(four, (0..18).map(|now| (now, row(now))), "exhaustive");
            }
        }
    }
}
