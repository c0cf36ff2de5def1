//! Shared memories: the same departures and drops as output queueing, cell by cell; the same
//! memories as their naive twins; and where they fail.

use crate::common::{SEED, rows, source, switch};
use crate::naive_colouring::{koenig, lev_pippenger_valiant};
use crate::naive_memory::{BoundedQueues, NaiveMatcher, NaiveMemories, first_fit, greedy, halving};
use pathfinding::kuhn_munkres::kuhn_munkres;
use pathfinding::matrix::Matrix;
use std::collections::VecDeque;
use switchlab_core::switch::shared_memory::{Access, Config, Matcher, SharedMemory, gamma};
use switchlab_core::switch::{Failure, Switch};
use switchlab_core::{Cell, NONE, Port, Slot};

/// What is emulated: five kinds of traffic, one of them at full load for every port and one with an
/// output that is always overloaded.
const TRAFFIC: [(&str, &str, f64); 5] = [
    ("uniform", "bernoulli", 0.9),
    ("diagonal", "bernoulli", 0.95),
    ("hotspot(count=1)", "bernoulli", 0.8),
    ("uniform", "bursty(mean=12)", 0.8),
    ("uniform", "bernoulli", 1.0),
];

const MATCHERS: [&str; 6] = ["first-fit", "greedy", "maximum", "halving", "colouring", "lpv"];

/// All switches on the same arrivals; each must send and drop what output queueing does. How many
/// cells were sent and dropped.
fn emulate(specs: &[String], ports: usize, capacity: usize, traffic: usize, slots: Slot) -> (u64, u64) {
    let (pattern, process, load) = TRAFFIC[traffic];
    let mut ideal = switch(&format!("oq(capacity={capacity})"), ports, SEED);
    let mut emulators: Vec<Box<dyn Switch>> = specs.iter().map(|spec| switch(spec, ports, SEED)).collect();
    let mut source = source(pattern, process, ports, load, SEED);
    let (mut expected, mut sent) = (vec![Cell::IDLE; ports], vec![Cell::IDLE; ports]);
    let mut arrivals = vec![NONE; ports];
    for now in 0..slots {
        source.slot(now, &mut arrivals);
        expected.fill(Cell::IDLE);
        ideal.slot(now, &arrivals, &mut expected);
        for (emulator, spec) in emulators.iter_mut().zip(specs) {
            sent.fill(Cell::IDLE);
            emulator.slot(now, &arrivals, &mut sent);
            let about = || format!("{spec} of {ports} ports, {:?}, slot {now}", TRAFFIC[traffic]);
            assert_eq!(emulator.failure(), None, "{}", about());
            assert_eq!(sent, expected, "{}", about());
            assert_eq!(emulator.dropped(), ideal.dropped(), "{}", about());
        }
    }
    let census = ideal.census();
    assert!(emulators.iter().all(|emulator| emulator.census() == census));
    (census.departed, census.dropped)
}

/// All matchers with as few memories as they need.
fn all_matchers(capacity: usize) -> Vec<String> {
    MATCHERS.iter().map(|matcher| format!("psm(capacity={capacity},matcher={matcher})")).collect()
}

#[test]
fn shared_memories_emulate_output_queueing() {
    let (mut sent, mut dropped) = (0, 0);
    for (turn, ports) in [1, 2, 3, 5, 8, 16, 33, 64].into_iter().enumerate() {
        let capacities: &[usize] = if ports <= 16 { &[1, 2, 3, 7, 32, 256] } else { &[1, 5, 64] };
        for (place, &capacity) in capacities.iter().enumerate() {
            let few = if ports <= 16 { 0..5 } else { (turn + place) % 5..(turn + place) % 5 + 1 };
            for traffic in few {
                let slots = if ports <= 16 { 4000 } else { 2000 };
                // Colourings are slow, and have their twins.
                let matchers = all_matchers(capacity);
                let matchers = if ports <= 8 { &matchers[..] } else { &matchers[..4] };
                let (more, lost) = emulate(matchers, ports, capacity, traffic, slots);
                (sent, dropped) = (sent + more, dropped + lost);
            }
        }
    }
    assert!(sent > 1_000_000 && dropped > 100_000, "{sent} sent, {dropped} dropped");
}

/// The same at length: 10^5 slots for each traffic, size and capacity. Some minutes; run by hand.
#[test]
#[ignore = "takes minutes; the one above is its short form"]
fn shared_memories_emulate_output_queueing_at_length() {
    let (mut sent, mut dropped) = (0, 0);
    for ports in [2, 3, 5, 8, 16, 33, 64] {
        for capacity in [1, 2, 3, 8, 64, 256] {
            for traffic in 0..5 {
                let (more, lost) = emulate(&all_matchers(capacity), ports, capacity, traffic, 100_000);
                (sent, dropped) = (sent + more, dropped + lost);
            }
        }
        println!("{ports} ports done: {sent} cells sent, {dropped} dropped, the same by all matchers");
    }
}

/// More memories than are needed, and every order of memories, change nothing outside.
#[test]
fn placements_and_spare_memories_do_not_show() {
    for ports in [2, 5, 16, 40] {
        let mut specs = Vec::new();
        for placement in ["lowest", "rotate", "random", "least-loaded"] {
            for matcher in &MATCHERS[..3] {
                specs.push(format!("psm(capacity=9,matcher={matcher},placement={placement})"));
            }
        }
        for memories in ["3n-2", "n-1+g", "1000"] {
            specs.push(format!("psm(memories={memories},capacity=9,matcher=halving)"));
            specs.push(format!("psm(memories={memories},capacity=9,placement=random)"));
        }
        for traffic in 0..5 {
            emulate(&specs, ports, 9, traffic, 500);
        }
    }
}

/// The reading's rule for drops, in its own words, against the queues of `oq`.
#[test]
fn bounded_queues_are_as_the_reading_words_them() {
    for (ports, capacity) in [(1, 1), (2, 1), (3, 2), (8, 1), (8, 5), (16, 40)] {
        for (pattern, process, load) in TRAFFIC {
            let mut real = switch(&format!("oq(capacity={capacity})"), ports, SEED);
            let mut naive = BoundedQueues { queues: vec![VecDeque::new(); ports], capacity };
            let mut source = source(pattern, process, ports, load, SEED);
            for (now, arrivals) in rows(&mut *source, ports, 2000) {
                let mut sent = vec![Cell::IDLE; ports];
                real.slot(now, &arrivals, &mut sent);
                assert_eq!((sent, real.dropped().to_vec()), naive.slot(now, &arrivals), "slot {now}");
            }
        }
    }
}

fn build(ports: usize, memories: usize, capacity: usize, matcher: Matcher) -> SharedMemory<4> {
    SharedMemory::new(Config::new(ports, memories, capacity, matcher))
}

/// A switch beside its naive twin until the end or until both fail, alike. The slots that took
/// place.
fn beside_twin(real: &mut SharedMemory<4>, twin: &mut NaiveMemories, traffic: usize, slots: Slot) -> Slot {
    let ports = real.ports();
    let (pattern, process, load) = TRAFFIC[traffic];
    let mut source = source(pattern, process, ports, load, SEED);
    for (now, arrivals) in rows(&mut *source, ports, slots) {
        let before = real.census();
        let mut sent = vec![Cell::IDLE; ports];
        real.slot(now, &arrivals, &mut sent);
        match twin.slot(now, &arrivals) {
            Ok((memories, departures)) => {
                let memories: Vec<Port> = memories.iter().map(|m| m.map_or(NONE, |m| m as Port)).collect();
                assert_eq!(real.written(), memories, "slot {now}");
                assert_eq!(sent, departures, "slot {now}");
                assert_eq!(real.failure(), None);
            }
            Err(unplaced) => {
                let Some(Failure::Unplaced { slot, input, output, .. }) = real.failure() else {
                    panic!("slot {now}: the twin cannot place the cell of input {unplaced}");
                };
                assert_eq!((*slot, usize::from(*input), *output), (now, unplaced, arrivals[unplaced]));
                assert!(sent.iter().all(|cell| cell.is_idle()));
                assert_eq!(real.census(), before, "a slot that fails does not take place");
                return now;
            }
        }
    }
    slots
}

/// The memories are those that the paper's words give, with enough of them and with too few.
#[test]
fn matchers_are_as_their_twins() {
    let twins: [(Matcher, NaiveMatcher); 5] = [
        (Matcher::FirstFit, first_fit),
        (Matcher::Greedy, greedy),
        (Matcher::Halving, halving),
        (Matcher::Colouring, koenig),
        (Matcher::Lpv, lev_pippenger_valiant),
    ];
    let mut failed = [0; 5];
    for (place, (matcher, twin)) in twins.into_iter().enumerate() {
        let coloured = matches!(matcher, Matcher::Colouring | Matcher::Lpv);
        for ports in [1, 2, 3, 4, 5, 8, 13, 16].into_iter().filter(|&ports| ports <= 8 || !coloured) {
            let proper = matcher.memories(ports, Access::ReadWrite);
            for memories in [proper, 3 * ports - 2, 2 * ports - 1, (2 * ports - 2).max(1), ports, 1] {
                for (traffic, capacity) in [(0, 16), (1, 40), (2, 1), (3, 5), (4, 64)] {
                    let mut real = build(ports, memories, capacity, matcher);
                    let mut twin = NaiveMemories::new(ports, memories, capacity, twin);
                    let slots = beside_twin(&mut real, &mut twin, traffic, 120);
                    failed[place] += u32::from(slots < 120);
                    assert!(memories < proper || slots == 120, "{matcher:?} fails with {memories} memories");
                }
            }
        }
    }
    assert!(failed.iter().all(|&failed| failed > 20), "{failed:?}");
}

/// Halving with as many ports as the benchmark, where rows of memories are longer than a word.
#[test]
fn halving_is_as_its_twin_with_many_ports() {
    for (ports, traffic) in [(33, 0), (64, 4), (64, 0)] {
        let memories = ports - 1 + gamma(ports);
        let mut real = build(ports, memories, 64, Matcher::Halving);
        let mut twin = NaiveMemories::new(ports, memories, 64, halving);
        assert_eq!(beside_twin(&mut real, &mut twin, traffic, 40), 40);
    }
}

/// With few memories: `maximum` places all cells exactly if an independent matcher can, and
/// otherwise names cells that fit too few memories. The other matchers name such cells exactly if
/// there are any.
#[test]
fn failures_are_found_out() {
    let (mut possible, mut impossible) = (0, 0);
    for seed in 0..300 {
        let ports = 2 + seed as usize % 5;
        let memories = ports + seed as usize % ports;
        for matcher in [Matcher::Maximum, Matcher::FirstFit, Matcher::Greedy, Matcher::Halving] {
            let mut real = build(ports, memories, 6, matcher);
            let mut source = source("uniform", "bernoulli", ports, 1.0, switchlab_core::Seed { seed, replication: 0 });
            for (now, arrivals) in rows(&mut *source, ports, 200) {
                let before = real.clone();
                real.slot(now, &arrivals, &mut vec![Cell::IDLE; ports]);
                let Some(Failure::Unplaced { slot, input, fits, hall, departs, .. }) = real.failure() else { continue };
                assert_eq!(*slot, now);
                assert!(*departs >= u64::from(now) && *departs < u64::from(now) + 6);
                let rows = fitting(&before, now, &arrivals);
                assert_eq!(rows[usize::from(*input)].as_ref(), Some(fits));
                let cells: Vec<&Vec<Port>> = rows.iter().flatten().collect();
                let size = matching_size(&cells, memories);
                if let Some(hall) = hall {
                    impossible += 1;
                    assert!(size < cells.len());
                    assert!(hall.inputs.len() > hall.memories.len());
                    let mut union: Vec<Port> =
                        hall.inputs.iter().flat_map(|&i| rows[usize::from(i)].clone().unwrap()).collect();
                    union.sort_unstable();
                    union.dedup();
                    assert_eq!(union, hall.memories);
                } else {
                    possible += 1;
                    assert!(matcher != Matcher::Maximum && size == cells.len());
                }
                break;
            }
        }
    }
    assert!(possible > 50 && impossible > 50, "{possible} missed, {impossible} impossible");
}

/// For each input with a cell that is not dropped: the memories that fit it. Found from outside: a
/// switch with a single cell more is asked by failing it.
fn fitting(switch: &SharedMemory<4>, now: Slot, arrivals: &[Port]) -> Vec<Option<Vec<Port>>> {
    let ports = arrivals.len();
    // Run the switch without new arrivals and look where the cells are: which memory is read in
    // which slot.
    let memories = cells_by_memory(switch).len();
    let mut drained = switch.clone();
    let idle = vec![NONE; ports];
    let mut busy: Vec<Vec<Port>> = Vec::new();
    let mut lengths = vec![0usize; ports];
    for later in now..now + 6 {
        let before = cells_by_memory(&drained);
        let mut sent = vec![Cell::IDLE; ports];
        drained.slot(later, &idle, &mut sent);
        let after = cells_by_memory(&drained);
        busy.push((0..memories as Port).filter(|&m| before[usize::from(m)] > after[usize::from(m)]).collect());
        for (output, _) in sent.iter().enumerate().filter(|(_, cell)| !cell.is_idle()) {
            lengths[output] += 1;
        }
    }
    let mut rows = vec![None; ports];
    for (input, &output) in arrivals.iter().enumerate().filter(|(_, output)| **output != NONE) {
        let length = &mut lengths[usize::from(output)];
        if *length < 6 {
            rows[input] = Some((0..memories as Port).filter(|memory| !busy[*length].contains(memory)).collect());
            *length += 1;
        }
    }
    rows
}

fn cells_by_memory(switch: &SharedMemory<4>) -> Vec<Port> {
    switch.inspect().map(|inside| inside.state[0].1.clone()).unwrap_or_default()
}

/// The size of a maximum matching, by the assignment algorithm of another library.
fn matching_size(cells: &[&Vec<Port>], memories: usize) -> usize {
    let columns = memories.max(cells.len());
    let weights = Matrix::from_fn(cells.len(), columns, |(cell, memory)| {
        i32::from(memory < memories && cells[cell].contains(&(memory as Port)))
    });
    kuhn_munkres(&weights).0 as usize
}
