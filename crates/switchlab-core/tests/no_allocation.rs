//! In steady state nothing is allocated: not by arrivals, not by any switch of the registry, not by
//! the meter.
//!
//! A test binary of its own, because it replaces the global allocator by one that counts.

use switchlab_conformance::SIZES;
use switchlab_core::meter::Meter;
use switchlab_core::traffic::Arrivals;
use switchlab_core::{Block, Cell, NONE, Seed, registry};

/// What does not carry a load of 0.8, and a load that it carries: with 64 ports, head-of-line
/// blocking saturates at 59 %, one iteration of PIM or RRM at 63 % and one of iLQF at 69 %.
/// SC-SERENADE carries it, but has as many cells then as are moved to other queues, once, while it
/// is watched.
const WEAK: [(&str, f64); 5] = [("fifo", 0.4), ("pim", 0.4), ("rrm", 0.4), ("ilqf", 0.4), ("sc-serenade", 0.6)];

/// The matchers that sort or search all pairs of ports in each slot.
const SLOW: [&str; 6] = ["mwm", "msm", "gs-lqf", "gs-ocf", "ilqf", "cioq"];

const BLOCK: usize = 50;

const SEED: Seed = Seed { seed: 1, replication: 0 };

/// The slots of the warm-up and those that are watched: fewer for large switches.
fn slots(name: &str, ports: usize) -> (usize, usize) {
    let slow = if SLOW.contains(&name) { 10 } else { 1 };
    match ports {
        0..=20 => (20_000, 5000),
        21..=65 => (10_000, 3000),
        // A frame of two flows of each of N ports departs after 2 N slots.
        _ if name == "psm-flows" => (4 * ports, 500),
        66..=257 => (2000 / slow, 500 / slow),
        _ => (600 / slow, (100 / slow).max(BLOCK)),
    }
}

/// A source of arrivals, from slot 0 on.
fn arrivals_of(process: &str, ports: usize, load: f64) -> Box<dyn Arrivals> {
    let traffic = registry::traffic("uniform").unwrap().build(Some(ports), Some(load), &registry::NoFiles).unwrap();
    registry::arrivals(process).unwrap().build(&traffic, SEED)
}

/// What allocated how often.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
struct Allocations {
    arrivals: u64,
    switch: u64,
    meter: u64,
}

fn count(total: &mut u64, run: impl FnOnce()) {
    *total += allocation_counter::measure(run).count_total;
}

/// Counts the allocations of the slots that are watched, at a smaller load than that of the
/// warm-up, so that more cells have been inside than there will be. An error for a switch that
/// sends nothing.
fn allocations(spec: &str, load: f64, process: &str, ports: usize) -> Result<Allocations, &'static str> {
    let name = spec.split('(').next().unwrap_or_default();
    let part = if ports <= 64 { 2.0 } else { 8.0 };
    let (mut warm, mut calm) = (arrivals_of(process, ports, load), arrivals_of(process, ports, load / part));
    let mut switch = registry::switch(spec).unwrap().build(ports, SEED).unwrap();
    let mut meter = Meter::new(ports);
    let (mut arrivals, mut departures) = (Block::new(ports, BLOCK, NONE), Block::new(ports, BLOCK, Cell::IDLE));
    let mut dropped = Vec::with_capacity(ports * BLOCK);
    let mut next = 0;
    let mut run = |source: &mut dyn Arrivals, slots: usize| {
        let mut counts = Allocations::default();
        for _ in 0..slots.div_ceil(BLOCK) {
            arrivals.start = next;
            count(&mut counts.arrivals, || source.fill(&mut arrivals));
            dropped.clear();
            count(&mut counts.switch, || switch.run_and_log(&arrivals, &mut departures, &mut dropped));
            count(&mut counts.meter, || meter.observe_all(&arrivals, &departures, &dropped));
            next += BLOCK as u32;
        }
        counts
    };
    let (warmup, watched) = slots(name, ports);
    run(&mut *warm, warmup);
    // A store that had just enough room for the last slot may grow once more.
    run(&mut *calm, 2 * BLOCK);
    let counts = run(&mut *calm, watched);
    if switch.census().departed == 0 { Err("nothing is sent") } else { Ok(counts) }
}

/// The sizes of [`SIZES`] in which a switch exists: all, but for fabrics, which exist for powers of
/// their radix and refuse the others with that reason.
fn sizes(spec: &str) -> Vec<usize> {
    let is_fabric = ["benes", "banyan"].contains(&spec);
    let exists = |&ports: &usize| match registry::switch(spec).unwrap().build(ports, SEED) {
        Ok(_) => {
            assert!(!is_fabric || ports.is_power_of_two() && ports > 1, "{spec} exists with {ports} ports");
            true
        }
        Err(error) => {
            let expected = is_fabric && (ports == 1 || !ports.is_power_of_two());
            assert!(expected && error.to_string().contains("is a power of 2"), "{spec} of {ports} ports: {error}");
            false
        }
    };
    SIZES.into_iter().filter(exists).collect()
}

/// How often the queues of a switch may grow while it is watched. SERENA and SERENADE with more
/// than 64 ports are far from their steady state after a short warm-up: other VOQs become long even
/// while the backlog falls, and need rings of another length. Queues grow by half each time, so
/// that they grow once at most.
fn growths(name: &str, ports: usize) -> u64 {
    u64::from(name.contains("seren") && ports > 64)
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
            runs.push(("psm(access=single)".to_string(), 0.8));
        }
        for (spec, load) in runs {
            for ports in sizes(entry.name) {
                let count = allocations(&spec, load, "bernoulli", ports);
                let allowed = Allocations { switch: growths(entry.name, ports), ..Allocations::default() };
                if count.is_err() || count.is_ok_and(|count| count != allowed && count != Allocations::default()) {
                    failures.push(format!("{spec}, {ports} ports, load {load}, allocations: {count:?}"));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Matchers of all cells of a slot, and limited queues of flows; small sizes, since colourings are
/// slow.
#[test]
fn matchers_of_a_slot_do_not_allocate() {
    for ports in [3, 9] {
        for spec in [
            "psm(matcher=colouring)",
            "psm(matcher=lpv,access=single)",
            "psm-flows(matcher=lpv)",
            "psm-flows(matcher=colouring)",
            "psm-flows(matcher=halving)",
            "psm-flows(capacity=20,flows-from=label)",
        ] {
            assert_eq!(allocations(spec, 0.8, "bernoulli", ports), Ok(Allocations::default()), "{spec}, {ports} ports");
        }
    }
}

/// Bursty sources, with a switch whose queues they fill: bursts are short, so that the warm-up has
/// seen the worst of them.
#[test]
fn bursty_arrivals_do_not_allocate() {
    for process in ["bursty(mean=2)", "onoff(mean=2)"] {
        assert_eq!(allocations("oq", 0.5, process, 16), Ok(Allocations::default()), "{process}");
    }
}

/// The counter counts: otherwise the tests above would prove nothing.
#[test]
fn the_counter_counts() {
    let counted = allocation_counter::measure(|| drop(std::hint::black_box(vec![1u8; 100])));
    assert_eq!(counted.count_total, 1);
}
