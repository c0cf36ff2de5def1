//! The memory that a switch takes is what it says: no more than its fixed bytes and its bytes for
//! each queued cell, counted allocation by allocation, growth included. The same for the meters.
//!
//! A test binary of its own, because it replaces the global allocator by one that counts.

use std::fmt::Write as _;
use switchlab_core::meter::{Meter, OqLag};
use switchlab_core::switch::Switch;
use switchlab_core::{Block, Cell, NONE, Port, Seed, registry};

const SEED: Seed = Seed { seed: 1, replication: 0 };

/// Settings of the registry's switches beside their defaults, where these change what is kept.
const MORE: [&str; 18] = [
    "oq(capacity=100)",
    "psm(capacity=1000)",
    "psm(capacity=5000)",
    "psm(matcher=maximum)",
    "psm(matcher=halving)",
    "psm-flows(flows=4)",
    "psm-flows(flows=1,stripe=3)",
    "islip(iterations=4)",
    "cioq(policy=lqf)",
    "cioq(policy=mucfa)",
    "cioq(policy=ccf-dtc,discipline=wfq)",
    "cioq(discipline=priority)",
    "benes(radix=2)",
    "benes(resequencing=final)",
    "benes(distribution=random-balanced,resequencing=final)",
    "benes(routing-buffer=4,credit-delay=3)",
    "benes(backpressure=per-link,resequencing=final)",
    "banyan(radix=2)",
];

/// All inputs send to a few outputs for a time, then to all: queues become long, and more of them.
fn arrivals(now: u32, ports: usize, input: usize) -> Port {
    let spread = if (now / 64).is_multiple_of(2) { ports } else { ports.div_ceil(8) };
    ((input * 7 + now as usize * 13 + now as usize / 5 * input) % spread) as Port
}

/// The most cells that were queued after a slot, and the most bytes that were allocated in all
/// slots.
fn overload(switch: &mut dyn Switch, slots: u32) -> (u64, u64) {
    let ports = switch.ports();
    let (mut coming, mut going) = (vec![NONE; ports], vec![Cell::IDLE; ports]);
    let mut most = 0;
    let counted = allocation_counter::measure(|| {
        for now in 0..slots {
            coming.iter_mut().enumerate().for_each(|(input, output)| *output = arrivals(now, ports, input));
            going.fill(Cell::IDLE);
            switch.slot(now, &coming, &mut going);
            most = most.max(switch.census().queued);
        }
    });
    (most, counted.bytes_max)
}

fn specs() -> Vec<String> {
    let names = registry::SWITCHES.iter().map(|entry| entry.name.to_string());
    names.chain(MORE.map(str::to_string)).collect()
}

/// What is wrong with the promise of a switch, if anything is.
fn check(spec: &str, ports: usize, slots: u32) -> Result<(), String> {
    let chosen = registry::switch(spec).map_err(|error| error.to_string())?;
    let mut built = None;
    let building = allocation_counter::measure(|| built = chosen.build(ports, SEED).ok());
    let Some(mut switch) = built else {
        // Fabrics of 4 x 4 elements exist for powers of 4.
        let is_expected = spec.contains("radix=4") && ports == 512;
        return if is_expected { Ok(()) } else { Err("it does not exist in this size".to_string()) };
    };
    let fixed = switch.fixed_bytes();
    if building.bytes_max > fixed {
        return Err(format!("built with {} bytes, {fixed} promised", building.bytes_max));
    }
    let (cells, grown) = overload(switch.as_mut(), slots);
    let promised = fixed + switch.bytes_per_cell() as u64 * (cells + ports as u64);
    let taken = building.bytes_current.max(0).cast_unsigned() + grown;
    if taken > promised {
        return Err(format!("{taken} bytes with {cells} cells, {promised} promised, of these {fixed} fixed"));
    }
    // A promise that is far too large would keep others from running.
    if fixed > 4 * taken + (1 << 20) {
        return Err(format!("{fixed} bytes promised as fixed, {taken} taken with {cells} cells"));
    }
    Ok(())
}

#[test]
fn switches_take_no_more_than_they_say() {
    let mut failures = String::new();
    for spec in specs() {
        for (ports, slots) in [(4, 3000), (16, 3000), (64, 1500), (256, 300), (512, 100)] {
            // Exact matchings take their time.
            let slots = if matches!(spec.as_str(), "mwm" | "gs-ocf" | "msm") { slots / 10 } else { slots };
            if let Err(problem) = check(&spec, ports, slots) {
                writeln!(failures, "{spec}, {ports} ports: {problem}").expect("a string can be written");
            }
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}

/// Matchers of all cells of a slot, and limited flows, in sizes in which all of them exist.
#[test]
fn matchers_of_a_slot_take_no_more_than_they_say() {
    for spec in [
        "psm(matcher=colouring)",
        "psm(matcher=lpv)",
        "psm(access=single)",
        "psm-flows",
        "psm-flows(matcher=halving)",
        "psm-flows(matcher=colouring)",
        "psm-flows(matcher=lpv,capacity=30)",
        "psm-flows(flows=20,flows-from=label)",
    ] {
        for (ports, slots) in [(4, 600), (16, 200), (64, 20)] {
            assert_eq!(check(spec, ports, slots), Ok(()), "{spec}, {ports} ports");
        }
    }
}

/// What is wrong with the bytes that a switch states for each cell, if anything is. Overloaded for
/// so long that cells take nearly all of its memory, it takes no more than it says, and no less
/// than a sixth of it: arrays double when they grow, so that half of the room may be empty, and old
/// and new are there at the same time.
fn check_bytes_per_cell(spec: &str, ports: usize, slots: u32) -> Result<(), String> {
    let mut built = None;
    let building = allocation_counter::measure(|| built = registry::switch(spec).unwrap().build(ports, SEED).ok());
    let mut switch = built.ok_or("it does not exist in this size")?;
    let per_cell = switch.bytes_per_cell() as u64;
    if per_cell == 0 {
        let is_reserved = spec.starts_with("psm") && switch.reserved_bytes() > 0;
        return if is_reserved { Ok(()) } else { Err("it says that cells take nothing".to_string()) };
    }
    let (cells, grown) = overload(switch.as_mut(), slots);
    let taken = building.bytes_current.max(0).cast_unsigned() + grown;
    let stated = per_cell * cells;
    if stated < 4 * building.bytes_max {
        return Err(format!("{cells} cells at {per_cell} bytes are too few to tell: {} fixed", building.bytes_max));
    }
    if taken > building.bytes_max + stated {
        return Err(format!("{taken} bytes with {cells} cells, {per_cell} stated for each"));
    }
    if 6 * taken < stated {
        return Err(format!("{taken} bytes with {cells} cells, {per_cell} stated for each: far too many"));
    }
    Ok(())
}

#[test]
fn cells_take_the_bytes_that_are_stated() {
    let mut failures = String::new();
    // The cells of a bounded queue are too few to matter.
    for spec in specs().into_iter().filter(|spec| spec != "oq(capacity=100)") {
        // Output queueing has a calendar of half a megabyte, and so has its relative.
        let slots = if spec == "oq" || spec == "knockout" { 200_000 } else { 10_000 };
        if let Err(problem) = check_bytes_per_cell(&spec, 4, slots) {
            writeln!(failures, "{spec}: {problem}").expect("a string can be written");
        }
    }
    assert!(failures.is_empty(), "\n{failures}");
}

/// Long enough that the flows' counts are added up once, and delays are read.
#[test]
fn meters_take_no_more_than_they_say() {
    for ports in [1, 8, 64, 65, 256, 300] {
        let slots = 16;
        let (mut coming, going) = (Block::new(ports, slots, NONE), Block::new(ports, slots, Cell::IDLE));
        let counted = allocation_counter::measure(|| {
            let mut meter = Meter::new(ports);
            for start in (0..70_000).step_by(slots) {
                coming.start = start as u32;
                meter.observe(&coming, &going);
            }
            meter.open(70_000);
            let _ = meter.delays();
        });
        let promised = Meter::fixed_bytes(ports);
        assert!(counted.bytes_max <= promised, "{ports} ports: {} bytes, {promised} promised", counted.bytes_max);
        assert!(promised < 2 * counted.bytes_max, "{ports} ports: {promised} promised, {} taken", counted.bytes_max);
        let lag = allocation_counter::measure(|| drop(std::hint::black_box(OqLag::new(ports))));
        assert!(lag.bytes_max <= OqLag::fixed_bytes(ports));
    }
}

/// The room for cells that a setting reserves is known beforehand, and is nearly all of the switch.
#[test]
fn shared_memories_reserve_their_room() {
    for (spec, ports, least) in [("psm(capacity=200000)", 16, 31 * 200_000 * 8), ("psm(capacity=1000)", 64, 64 * 8000)]
    {
        let switch = registry::switch(spec).unwrap().build(ports, SEED).unwrap();
        assert_eq!(switch.bytes_per_cell(), 0);
        let (reserved, fixed) = (switch.reserved_bytes(), switch.fixed_bytes());
        assert!(
            reserved >= least && reserved <= fixed && fixed < reserved * 5 / 4 + (1 << 16),
            "{spec}: {reserved}, {fixed}"
        );
    }
}
