//! Every switch that has a naive twin against it: the same arrivals must give the same departures,
//! cell by cell.

use crate::common::{SEED, SIZES, rows, source, switch};
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
    // An input sends in a slot with probability 0.3 or more, but bursts begin late.
    assert!(slots < 100 || real.census().departed > 0, "{spec} of {ports} ports: nothing was compared");
}

/// The slots of a run: fewer for larger switches. The twin of an iterated scheduler looks at all
/// pairs of ports in each slot and iteration.
fn slots(ports: usize, pairs: usize) -> Slot {
    SLOTS.min((pairs / (ports * ports)) as Slot)
}

/// 1, 2, 4 and N iterations, each once. N only for small switches.
fn iterations(ports: usize) -> Vec<usize> {
    let mut iterations = vec![1, 2, 4];
    if ports <= 65 {
        iterations.push(ports);
    }
    iterations.sort_unstable();
    iterations.dedup();
    iterations
}

/// Every combination of traffic, load and iterations for the smallest sizes, for the next ones each
/// load and number of iterations with the traffic in turn, for the others load and traffic in turn.
fn crossbar(name: &str) {
    for ports in SIZES {
        for (turn, iterations) in iterations(ports).into_iter().enumerate() {
            let slots = slots(ports, 50_000_000);
            if ports <= 3 {
                for traffic in TRAFFIC {
                    for load in LOADS {
                        same(name, ports, iterations, traffic, load, slots);
                    }
                }
            } else if ports <= 20 {
                for (index, load) in LOADS.into_iter().enumerate() {
                    same(name, ports, iterations, TRAFFIC[(turn + index) % 4], load, slots);
                }
            } else {
                same(name, ports, iterations, TRAFFIC[(turn + ports) % 4], LOADS[(turn + 1) % 3], slots);
            }
        }
    }
}

/// The same for a switch without iterations, every traffic with every load up to 20 ports.
fn without_iterations(name: &str, pairs: usize) {
    for ports in SIZES {
        let slots = slots(ports, pairs);
        for (index, load) in LOADS.into_iter().enumerate() {
            if ports <= 20 {
                for traffic in TRAFFIC {
                    same(name, ports, 0, traffic, load, slots);
                }
            } else {
                same(name, ports, 0, TRAFFIC[(index + ports) % 4], load, slots);
            }
        }
    }
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
fn srr() {
    crossbar("srr");
}

#[test]
fn dual_round_robin() {
    for name in ["drrm", "edrrm"] {
        without_iterations(name, 20_000_000);
    }
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

/// The twins sort all waiting pairs in every slot.
#[test]
fn stable_matchings() {
    for name in ["gs-lqf", "gs-ocf"] {
        without_iterations(name, 5_000_000);
    }
}

#[test]
fn output_queued_fifo_and_rotation() {
    for name in ["oq", "fifo", "tdm"] {
        without_iterations(name, 100_000_000);
    }
}

/// SERENA and each member of the SERENADE suite, from the registry.
#[test]
fn serena_and_serenade() {
    for name in ["serena", "qps-serena", "c-serenade", "o-serenade", "e-serenade", "sc-serenade", "so-serenade"] {
        without_iterations(name, 20_000_000);
    }
}
