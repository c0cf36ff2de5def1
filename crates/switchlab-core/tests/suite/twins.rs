//! Every switch that has a naive twin against it: the same arrivals must give the same departures,
//! cell by cell.

use crate::common::{SEED, rows, source, switch};
use crate::naive::twin;
use switchlab_core::{Cell, Slot};

const TRAFFIC: [(&str, &str); 4] = [
    ("uniform", "bernoulli"),
    ("diagonal", "bursty(mean=12)"),
    ("hotspot(count=1)", "onoff(mean=16)"),
    ("log-diagonal", "bernoulli"),
];
const LOADS: [f64; 3] = [0.3, 0.9, 1.0];
const SLOTS: Slot = 20_000;

/// Runs both; `iterations` of 0 stands for a switch without iterations.
fn same(name: &str, ports: usize, iterations: usize, (traffic, process): (&str, &str), load: f64, slots: Slot) {
    let spec = if iterations == 0 { name.to_string() } else { format!("{name}(iterations={iterations})") };
    let mut real = switch(&spec, ports, SEED);
    let mut naive = twin(name, ports, iterations, SEED);
    let mut source = source(traffic, process, ports, load, SEED);
    for (now, arrivals) in rows(&mut *source, ports, slots) {
        let mut got = vec![Cell::IDLE; ports];
        let mut expected = vec![Cell::IDLE; ports];
        real.slot(now, &arrivals, &mut got);
        naive.slot(now, &arrivals, &mut expected);
        assert_eq!(got, expected, "{spec} of {ports} ports, {traffic}, {process}, load {load}, slot {now}");
    }
    assert!(slots < 1000 || real.census().departed > 0, "nothing was compared");
}

/// 1, 2, 4 and N iterations, each once.
fn iterations(ports: usize) -> Vec<usize> {
    let mut iterations = vec![1, 2, 4, ports];
    iterations.sort_unstable();
    iterations.dedup();
    iterations
}

/// Every combination of traffic, load and iterations.
fn all(name: &str, ports: usize) {
    for iterations in iterations(ports) {
        for traffic in TRAFFIC {
            for load in LOADS {
                same(name, ports, iterations, traffic, load, SLOTS);
            }
        }
    }
}

/// Every number of iterations with every load, the traffic in turn.
fn most(name: &str, ports: usize) {
    for (turn, iterations) in iterations(ports).into_iter().enumerate() {
        for (place, load) in LOADS.into_iter().enumerate() {
            same(name, ports, iterations, TRAFFIC[(turn + place) % 4], load, SLOTS);
        }
    }
}

/// Every number of iterations, with load and traffic in turn.
fn some(name: &str, ports: usize) {
    for (turn, iterations) in iterations(ports).into_iter().enumerate() {
        same(name, ports, iterations, TRAFFIC[(turn + ports) % 4], LOADS[(turn + 1) % 3], SLOTS);
    }
}

fn crossbar(name: &str) {
    for ports in [1, 2, 3, 4] {
        all(name, ports);
    }
    for ports in [8, 16] {
        most(name, ports);
    }
    for ports in [33, 64, 65, 130] {
        some(name, ports);
    }
    // The two widest kinds of bit rows.
    same(name, 300, 2, TRAFFIC[0], 0.9, 300);
    same(name, 1030, 2, TRAFFIC[0], 0.9, 20);
}

#[test]
fn islip() {
    crossbar("islip");
}

#[test]
fn rrm() {
    crossbar("rrm");
}

#[test]
fn pim() {
    crossbar("pim");
}

#[test]
fn uform() {
    crossbar("uform");
}

#[test]
fn ufpim() {
    crossbar("ufpim");
}

#[test]
fn ilqf() {
    crossbar("ilqf");
}

#[test]
fn stable_matchings() {
    for name in ["gs-lqf", "gs-ocf"] {
        for ports in [1, 2, 3, 4, 8, 16, 33, 64, 65, 130] {
            // The twins sort all pairs in every slot.
            let slots = SLOTS.min(1_000_000 / (ports * ports) as Slot);
            for (place, load) in LOADS.into_iter().enumerate() {
                if ports <= 16 {
                    for traffic in TRAFFIC {
                        same(name, ports, 0, traffic, load, slots);
                    }
                } else {
                    same(name, ports, 0, TRAFFIC[(place + ports) % 4], load, slots);
                }
            }
        }
        same(name, 300, 0, TRAFFIC[0], 0.9, 100);
        same(name, 1030, 0, TRAFFIC[0], 0.9, 10);
    }
}

#[test]
fn output_queued_fifo_and_rotation() {
    for name in ["oq", "fifo", "tdm"] {
        for ports in [1, 2, 3, 4, 8, 16, 33, 64, 65, 130] {
            for (place, load) in LOADS.into_iter().enumerate() {
                if ports <= 33 {
                    for traffic in TRAFFIC {
                        same(name, ports, 0, traffic, load, SLOTS);
                    }
                } else {
                    same(name, ports, 0, TRAFFIC[(place + ports) % 4], load, SLOTS);
                }
            }
        }
        same(name, 300, 0, TRAFFIC[0], 0.9, 300);
        same(name, 1030, 0, TRAFFIC[0], 0.9, 20);
    }
}
