//! In steady state nothing is allocated: not by arrivals, not by any switch of the registry, not by
//! the meter.
//!
//! A test binary of its own, because it replaces the global allocator by one that counts.

use switchlab_core::meter::Meter;
use switchlab_core::{Block, Cell, NONE, Seed, registry};

/// What does not carry a load of 0.8, and a load that it carries: with 64 ports, head-of-line
/// blocking saturates at 59 %, one iteration of PIM or RRM at 63 % and one of iLQF at 69 %.
/// SC-SERENADE carries it, but has as many cells then as are moved to other queues, once, while it
/// is watched.
const WEAK: [(&str, f64); 5] = [("fifo", 0.4), ("pim", 0.4), ("rrm", 0.4), ("ilqf", 0.4), ("sc-serenade", 0.6)];

const BLOCK: usize = 50;

/// Counts the allocations of 10 000 slots, after a warm-up of many more, in which queues have been
/// longer than they are likely to become. An error for a switch that sends nothing.
fn allocations(spec: &str, load: f64, process: &str, ports: usize) -> Result<u64, &'static str> {
    let seed = Seed { seed: 1, replication: 0 };
    let traffic = registry::traffic("uniform").unwrap().build(Some(ports), Some(load), &registry::NoFiles).unwrap();
    let mut source = registry::arrivals(process).unwrap().build(&traffic, seed);
    let mut switch = registry::switch(spec).unwrap().build(ports, seed).unwrap();
    let mut meter = Meter::new(ports);
    let (mut arrivals, mut departures) = (Block::new(ports, BLOCK, NONE), Block::new(ports, BLOCK, Cell::IDLE));
    let mut dropped = Vec::with_capacity(ports * BLOCK);
    let mut next = 0;
    let mut run = |slots: usize| {
        for _ in 0..slots / BLOCK {
            arrivals.start = next;
            source.fill(&mut arrivals);
            dropped.clear();
            switch.run_and_log(&arrivals, &mut departures, &mut dropped);
            meter.observe_all(&arrivals, &departures, &dropped);
            next += BLOCK as u32;
        }
    };
    run(if ports < 64 { 100_000 } else { 30_000 });
    let counted = allocation_counter::measure(|| run(10_000));
    if switch.census().departed == 0 { Err("nothing is sent") } else { Ok(counted.count_total) }
}

#[test]
fn the_steady_state_does_not_allocate() {
    let mut failures = Vec::new();
    for entry in registry::SWITCHES {
        let iterated = entry.parameters.iter().any(|parameter| parameter.name == "iterations");
        let weak = WEAK.iter().find(|(name, _)| *name == entry.name);
        let mut runs = vec![(entry.name.to_string(), weak.map_or(0.8, |(_, load)| *load))];
        if iterated {
            runs.push((format!("{}(iterations=4)", entry.name), 0.8));
        }
        if entry.name == "psm" {
            let matchers = ["greedy", "maximum", "halving"].map(|matcher| (format!("psm(matcher={matcher})"), 0.8));
            runs.extend(matchers);
        }
        for (spec, load) in runs {
            for ports in [16, 64] {
                let count = allocations(&spec, load, "bernoulli", ports);
                if count != Ok(0) {
                    failures.push(format!("{spec}, {ports} ports, load {load}, allocations: {count:?}"));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Bursty sources, with a switch whose queues they fill: bursts are short, so that the warm-up has
/// seen the worst of them.
#[test]
fn bursty_arrivals_do_not_allocate() {
    for process in ["bursty(mean=2)", "onoff(mean=2)"] {
        assert_eq!(allocations("oq", 0.5, process, 16), Ok(0), "{process}");
    }
}

/// The counter counts: otherwise the tests above would prove nothing.
#[test]
fn the_counter_counts() {
    let counted = allocation_counter::measure(|| drop(std::hint::black_box(vec![1u8; 100])));
    assert_eq!(counted.count_total, 1);
}
