//! A state in which C-SERENADE is stuck (paper 002, appendix H.2.3): found by search, shipped as
//! papers/002/stuck.csv, and examined by brute force.

use std::fmt::Write;
use switchlab_core::rng::{Purpose, Rng, Seed};
use switchlab_core::{NONE, Port, registry};
use switchlab_theory::serenade::stuck::{Gains, Switch, Trace, gains, search};

const PORTS: usize = 11;

/// Slots after the one that the search ends with, in which the heavier matching is offered again.
const AFTERWARDS: usize = 9;

fn stream(number: usize) -> Rng {
    Seed { seed: 24, replication: 0 }.stream(Purpose::Scheduler, number)
}

/// The trace of the search, prolonged by its last pattern.
fn prolonged() -> Trace {
    let mut trace = search(PORTS, 6).unwrap();
    let last = trace.last().unwrap().clone();
    trace.extend(vec![last; AFTERWARDS]);
    trace
}

fn csv(trace: &Trace) -> String {
    let mut text = "slot,input,output\n".to_string();
    for (slot, arrivals) in trace.iter().enumerate() {
        for (input, output) in arrivals.iter().enumerate().filter(|(_, output)| **output != NONE) {
            let _ = writeln!(text, "{slot},{input},{output}");
        }
    }
    text
}

#[test]
fn the_search_finds_the_trace_that_is_shipped() {
    let text = csv(&prolonged());
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../papers/002/stuck.csv");
    if std::env::var_os("SWITCHLAB_STUCK").is_some_and(|value| value == "write") {
        std::fs::write(path, &text).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap(), text, "SWITCHLAB_STUCK=write writes {path}");
}

/// All red matchings of 11 ports, one by one as cycles by brute force, in the stuck state; and what
/// becomes of it: SERENA goes on, C-SERENADE never does.
#[test]
fn c_serenade_is_stuck_and_serena_is_not() {
    let trace = prolonged();
    let stuck = trace.len() - 1 - AFTERWARDS;
    let mut switch = Switch::new(PORTS);
    for (slot, arrivals) in trace.iter().enumerate().take(stuck + 1) {
        assert_eq!(switch.slot(arrivals), slot == stuck, "slot {slot}");
    }
    let departed = |spec: &str| {
        let mut switch = registry::switch(spec).unwrap().build(PORTS, Seed { seed: 1, replication: 0 }).unwrap();
        let nothing = vec![NONE; PORTS];
        for slot in 0..500 {
            let mut departures = vec![switchlab_core::Cell::IDLE; PORTS];
            switch.slot(slot, trace.get(slot as usize).unwrap_or(&nothing), &mut departures);
        }
        let census = switch.census();
        (census.departed, census.queued)
    };
    let cells: u64 = trace.iter().flatten().filter(|&&output| output != NONE).count() as u64;
    for all in ["serena", "e-serenade", "sc-serenade(alpha=0.5)", "mwm"] {
        let (departed, queued) = departed(all);
        assert_eq!(departed + queued, cells, "{all}");
        // What SERENA keeps are cells outside of the two matchings that the arrivals offer.
        assert!(queued <= 1, "{all} keeps {queued}");
    }
    let (_, queued) = departed("c-serenade");
    assert!(queued as usize >= PORTS * AFTERWARDS, "C-SERENADE keeps {queued}");
}

/// Every permutation of a few ports: the best cycle is that of brute force.
#[test]
fn gains_are_those_of_all_cycles() {
    for (number, ports) in (1..=7).chain([11, 12]).enumerate() {
        let mut rng = stream(number);
        for _ in 0..if ports > 7 { 3 } else { 20 } {
            let mut green: Vec<Port> = (0..ports as Port).collect();
            rng.shuffle(&mut green);
            let lengths: Vec<u32> = (0..ports * ports).map(|_| rng.below(5) as u32).collect();
            let best = gains(&green, &lengths).unwrap();
            let weight = |input: usize, output: Port| i64::from(lengths[input * ports + usize::from(output)]);
            // Paths from their lowest input, prolonged one by one. Beyond 7 ports there are too
            // many of them, and random ones must not do better.
            let mut expected = Gains { ouroboros: 0, other: 0 };
            let mut look = |cycle: &[usize]| {
                let next = cycle.iter().cycle().skip(1);
                let gain: i64 = cycle.iter().zip(next).map(|(&i, &j)| weight(i, green[j]) - weight(i, green[i])).sum();
                let is_other = ports > 10 && (cycle.len() == 11 || cycle.len() == 13);
                let side = if is_other { &mut expected.other } else { &mut expected.ouroboros };
                *side = gain.max(*side);
            };
            if ports <= 7 {
                let mut paths: Vec<Vec<usize>> = (0..ports).map(|first| vec![first]).collect();
                while let Some(path) = paths.pop() {
                    look(&path);
                    for next in (path[0] + 1..ports).filter(|next| !path.contains(next)) {
                        paths.push(path.iter().copied().chain([next]).collect());
                    }
                }
                assert_eq!(best, expected, "{ports} ports");
            } else {
                let mut order: Vec<usize> = (0..ports).collect();
                for _ in 0..5000 {
                    rng.shuffle(&mut order);
                    look(&order[..2 + rng.below(ports - 1)]);
                }
                assert!(best.ouroboros >= expected.ouroboros && best.other >= expected.other, "{ports} ports");
                assert!(best.other > 0 || expected.other == 0);
            }
        }
    }
}

#[test]
fn every_length_is_ouroboros_below_11_ports() {
    for ports in 1..=10 {
        assert_eq!(search(ports, 2), None, "{ports} ports");
        let green: Vec<Port> = (0..ports as Port).collect();
        let lengths: Vec<u32> = (0..ports * ports).map(|queue| (queue * queue % 7) as u32).collect();
        assert_eq!(gains(&green, &lengths).unwrap().other, 0);
    }
    assert_eq!(gains(&[0, 0], &[0; 4]), None);
    assert_eq!(gains(&[], &[]), None);
    assert_eq!(gains(&[0, 1], &[0; 3]), None);
    assert_eq!(search(0, 3), None);
    assert_eq!(search(17, 3), None);
}
