//! The scheduler as a parallel program: the same memories as its sequential twins, and what it
//! costs.

use crate::naive_memory::{NaiveMemories, halving};
use std::collections::{BTreeMap, VecDeque};
use switchlab_conformance::{SEED, rows, source};
use switchlab_core::rng::Purpose;
use switchlab_core::switch::edge_colouring::LevPippengerValiant;
use switchlab_core::switch::shared_memory::{Config, Matcher, SharedMemory, gamma};
use switchlab_core::switch::shared_memory_flows::{Config as FlowConfig, Discipline, StripedFlows};
use switchlab_core::switch::{Failure, Switch};
use switchlab_core::{Cell, NONE, Port, Seed, Slot};
use switchlab_theory::pram::{Colourer, Fault, FlowScheduler, Scheduler};

const TRAFFIC: [(&str, &str, f64); 4] = [
    ("uniform", "bernoulli", 0.9),
    ("uniform", "bernoulli", 1.0),
    ("hotspot(count=1)", "bursty(mean=5)", 0.8),
    ("diagonal", "bernoulli", 0.7),
];

fn fast(ports: usize, memories: usize, capacity: usize) -> SharedMemory<4> {
    SharedMemory::new(Config::new(ports, memories, capacity, Matcher::Halving))
}

/// The parallel program beside the fast path. Memories must be the same; and what the program tells
/// the memories to send, by the logical queue that each has for each output, must be the
/// departures. A write conflict would be an error.
fn agree(ports: usize, memories: usize, capacity: usize, traffic: usize, slots: Slot) {
    let mut parallel = Scheduler::new(ports, memories, capacity);
    let mut fast = fast(ports, memories, capacity);
    let mut queues: BTreeMap<(usize, Port), VecDeque<Cell>> = BTreeMap::new();
    let (pattern, process, load) = TRAFFIC[traffic];
    let mut source = source(pattern, process, ports, load, Seed { seed: ports as u64, ..SEED });
    for (now, arrivals) in rows(&mut *source, ports, slots) {
        let mut expected = vec![Cell::IDLE; ports];
        fast.slot(now, &arrivals, &mut expected);
        let about = || format!("{ports} ports, {memories} memories of {capacity}, {:?}, slot {now}", TRAFFIC[traffic]);
        let decided = parallel.slot(&arrivals).unwrap_or_else(|fault| panic!("{}: {fault}", about()));
        assert_eq!(decided.memories, fast.written(), "{}", about());
        for (input, &memory) in (0..).zip(&decided.memories).filter(|(_, memory)| **memory != NONE) {
            let queue = queues.entry((usize::from(memory), arrivals[usize::from(input)])).or_default();
            queue.push_back(Cell { born: now, input });
        }
        let mut sent = vec![Cell::IDLE; ports];
        for (memory, &output) in decided.outputs.iter().enumerate().filter(|(_, output)| **output != NONE) {
            assert!(sent[usize::from(output)].is_idle(), "{}: two memories send to {output}", about());
            sent[usize::from(output)] = queues.get_mut(&(memory, output)).and_then(VecDeque::pop_front).unwrap();
        }
        assert_eq!(sent, expected, "{}", about());
    }
}

/// Every size from 1 to 32, with several capacities, traffics and numbers of memories; `slots`
/// says how many slots for each size.
fn agree_for_all_sizes(slots: fn(usize) -> usize) -> usize {
    let mut total = 0;
    for ports in 1..=32 {
        let proper = ports - 1 + gamma(ports);
        let runs = [(proper, 2 * ports, 0), (proper, 64, 1), (3 * ports - 2, 3, 2), (proper + 1, 1, 1), (proper, 9, 3)];
        for (memories, capacity, traffic) in runs {
            agree(ports, memories, capacity, traffic, (slots(ports) / runs.len()) as Slot);
            total += slots(ports) / runs.len();
        }
    }
    total
}

/// More than 10^4 slots in all, fewer of the larger sizes.
#[test]
fn the_parallel_program_is_as_the_fast_path() {
    let total = agree_for_all_sizes(|ports| 2800 / ports);
    assert!(total > 10_000, "{total}");
}

/// 10^4 slots for each size.
#[test]
#[ignore = "takes minutes; the one above is its short form"]
fn the_parallel_program_is_as_the_fast_path_at_length() {
    assert_eq!(agree_for_all_sizes(|_| 10_000), 320_000);
}

/// Against the paper's words directly, until there are too few memories, at which the cell of the
/// same input is the first without one.
#[test]
fn the_parallel_program_is_as_the_naive_twin() {
    let mut failed = 0;
    for ports in 1..=9 {
        for memories in [ports - 1 + gamma(ports), 2 * ports - 1, ports] {
            let mut parallel = Scheduler::new(ports, memories, 7);
            let mut naive = NaiveMemories::new(ports, memories, 7, halving);
            let mut source = source("uniform", "bernoulli", ports, 1.0, SEED);
            for (now, arrivals) in rows(&mut *source, ports, 100) {
                let expected = naive.slot(now, &arrivals).map(|(memories, _)| memories);
                let decided = parallel.slot(&arrivals);
                match expected {
                    Ok(expected) => {
                        let expected: Vec<Port> = expected.iter().map(|m| m.map_or(NONE, |m| m as Port)).collect();
                        assert_eq!(decided.map(|decided| decided.memories), Ok(expected));
                    }
                    Err(input) => {
                        assert_eq!(decided, Err(Fault::Unplaced { input }));
                        failed += 1;
                        break;
                    }
                }
            }
        }
    }
    assert!(failed > 3, "{failed}");
}

/// What a slot costs with N ports, N-1+Gamma memories and queues of N cells. It must not depend on
/// the arrivals.
fn costs(ports: usize) -> (u64, usize, usize) {
    let mut scheduler = Scheduler::new(ports, ports - 1 + gamma(ports), ports);
    let mut seen = Vec::new();
    let mut source = source("uniform", "bernoulli", ports, 0.9, SEED);
    for (_, arrivals) in rows(&mut *source, ports, 3).chain([(3, vec![NONE; ports]), (4, vec![0; ports])]) {
        scheduler.slot(&arrivals).unwrap();
        let costs = scheduler.costs();
        seen.push((costs.steps, costs.processors, costs.cells));
    }
    seen.dedup();
    assert_eq!(seen.len(), 1, "{seen:?}");
    seen[0]
}

/// Theorem 1, by running: steps are a quadratic in log2 N, and within the bound; processors go with
/// N^2 and cells with N K.
#[test]
fn what_the_parallel_program_costs() {
    println!("    N  steps  steps/log2(N)^2  processors/N^2  cells/(N K), K = N");
    let mut at_powers = Vec::new();
    for ports in 2..=64usize {
        let (steps, processors, cells) = costs(ports);
        let (log, square) = (libm::log2(ports as f64), (ports * ports) as f64);
        let per_square = (processors as f64 / square, cells as f64 / square);
        if ports.is_power_of_two() || [3, 5, 33, 48, 63].contains(&ports) {
            let ratio = steps as f64 / (log * log);
            println!("{ports:5}  {steps:5}  {ratio:15.2}  {:14.2}  {:18.2}", per_square.0, per_square.1);
        }
        assert!(per_square.0 <= 6.0 && per_square.1 <= 25.0, "{ports} ports: {per_square:?}");
        // The size is rounded up to a power of two, and there may be as many as 3N-2 memories.
        let g = u64::from(ports.next_power_of_two().trailing_zeros());
        assert!(steps <= 3 * g * g + 10 * g + 15, "{ports} ports: {steps} steps");
        if ports.is_power_of_two() {
            assert_eq!(2 * steps, 5 * g * g + 15 * g + 26, "{ports} ports");
            at_powers.push(steps);
        } else {
            // No more than the next power of two, which has as many halvings.
            assert!(2 * steps <= 5 * g * g + 15 * g + 26, "{ports} ports: {steps} steps");
        }
    }
    let differences = |values: &[u64]| values.windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<_>>();
    let second = differences(&differences(&at_powers));
    assert_eq!(second, [5; 4], "the second differences of a quadratic are constant");
    assert_eq!(differences(&second), [0; 3]);
}

/// The program for striped flows beside `psm-flows(matcher=halving)`. A write conflict would be an
/// error.
fn flows_agree(ports: usize, flows: usize, stripe: usize, memories: usize, traffic: usize, slots: Slot) {
    let mut parallel = FlowScheduler::new(ports, ports * flows, stripe, memories);
    let config =
        FlowConfig { matcher: Matcher::Halving, memories, ..FlowConfig::new(ports, stripe, Discipline::fair(flows)) };
    let mut fast = StripedFlows::<1>::new(config);
    let (pattern, process, load) = TRAFFIC[traffic];
    let mut source = source(pattern, process, ports, load, Seed { seed: ports as u64, ..SEED });
    for (now, arrivals) in rows(&mut *source, ports, slots) {
        fast.slot(now, &arrivals, &mut vec![Cell::IDLE; ports]);
        assert_eq!(fast.failure(), None);
        let of =
            |(input, &output): (usize, &Port)| (output != NONE).then(|| usize::from(output) * flows + input % flows);
        let cells: Vec<Option<usize>> = arrivals.iter().enumerate().map(of).collect();
        let about = || format!("{ports} ports, {flows} flows over {stripe} of {memories}, slot {now}");
        let decided = parallel.slot(&cells).unwrap_or_else(|fault| panic!("{}: {fault}", about()));
        assert_eq!(decided, fast.written(), "{}", about());
    }
}

/// Every size from 2 to 16, with one flow and several, stripes of N memories, shorter and longer
/// ones; `slots` says how many slots for each size.
fn flows_agree_for_all_sizes(slots: fn(usize) -> usize) -> usize {
    let mut total = 0;
    for ports in 2..=16 {
        let runs =
            [(2, ports, 0, 1), (1, ports, 0, 2), (4, ports, 3, 0), (2, 1 + ports / 2, 0, 1), (3, 2 * ports, 0, 3)];
        for (flows, stripe, spare, traffic) in runs {
            let memories = stripe - 1 + gamma(ports) + spare;
            flows_agree(ports, flows, stripe, memories, traffic, (slots(ports) / runs.len()) as Slot);
            total += slots(ports) / runs.len();
        }
    }
    total
}

/// More than 10^4 slots in all, fewer of the larger sizes.
#[test]
fn the_parallel_program_for_flows_is_as_the_fast_path() {
    let total = flows_agree_for_all_sizes(|ports| 4600 / ports);
    assert!(total > 10_000, "{total}");
}

/// 10^4 slots for each size.
#[test]
#[ignore = "takes minutes; the one above is its short form"]
fn the_parallel_program_for_flows_is_as_the_fast_path_at_length() {
    assert_eq!(flows_agree_for_all_sizes(|_| 10_000), 150_000);
}

/// With too few memories the program and the fast path have none for the cell of the same input.
#[test]
fn the_parallel_program_for_flows_fails_alike() {
    let mut failed = 0;
    for (ports, stripe) in [(3, 3), (5, 5), (4, 4), (6, 2), (8, 8)] {
        for memories in [ports, stripe - 2 + gamma(ports)] {
            let mut parallel = FlowScheduler::new(ports, 2 * ports, stripe, memories);
            let config = FlowConfig {
                matcher: Matcher::Halving,
                memories,
                ..FlowConfig::new(ports, stripe, Discipline::fair(2))
            };
            let mut fast = StripedFlows::<1>::new(config);
            let mut source = source("uniform", "bernoulli", ports, 1.0, SEED);
            for (now, arrivals) in rows(&mut *source, ports, 200) {
                fast.slot(now, &arrivals, &mut vec![Cell::IDLE; ports]);
                let cells: Vec<Option<usize>> =
                    arrivals.iter().enumerate().map(|(i, &k)| Some(usize::from(k) * 2 + i % 2)).collect();
                let decided = parallel.slot(&cells);
                let Some(failure) = fast.failure() else {
                    assert_eq!(decided.as_deref(), Ok(fast.written()));
                    continue;
                };
                let Failure::Unstriped { input, .. } = failure else { panic!("{failure}") };
                assert_eq!(decided, Err(Fault::Unplaced { input: usize::from(*input) }));
                failed += 1;
                break;
            }
        }
    }
    assert!(failed > 3, "{failed}");
    // A flow that does not exist.
    assert!(matches!(FlowScheduler::new(2, 2, 2, 3).slot(&[Some(2), None]), Err(Fault::Access { .. })));
}

/// What a slot of the program for flows costs, with stripes of N memories: it does not depend on
/// the arrivals, and its steps are the same quadratic in log2 N as those for first come, first
/// served. More flows take more cells, and nothing else.
#[test]
fn what_the_parallel_program_for_flows_costs() {
    let costs = |ports: usize, flows: usize| {
        let mut scheduler = FlowScheduler::new(ports, ports * flows, ports, ports - 1 + gamma(ports));
        let cells = |round: usize| match round {
            0 => (0..ports).map(|input| Some(input * flows)).collect(),
            1 => vec![Some(0); ports],
            _ => vec![None; ports],
        };
        let mut seen: Vec<_> = (0..3)
            .map(|round| {
                scheduler.slot(&cells(round)).unwrap();
                scheduler.costs()
            })
            .collect();
        seen.dedup();
        assert_eq!(seen.len(), 1, "{seen:?}");
        seen[0]
    };
    let mut at_powers = Vec::new();
    for ports in 2..=64usize {
        let one = costs(ports, 1);
        let (square, g) = (ports * ports, u64::from(ports.next_power_of_two().trailing_zeros()));
        assert!(one.processors <= 6 * square && one.cells <= 28 * square, "{ports} ports: {one:?}");
        assert!(2 * one.steps <= 5 * g * g + 15 * g + 26, "{ports} ports: {} steps", one.steps);
        if ports.is_power_of_two() {
            assert_eq!(2 * one.steps, 5 * g * g + 15 * g + 26, "{ports} ports");
            at_powers.push(one.steps);
        }
        if ports <= 16 {
            let many = costs(ports, 7);
            assert_eq!((many.steps, many.processors), (one.steps, one.processors));
            assert_eq!(many.cells - one.cells, 6 * ports * (ports + gamma(ports)));
        }
    }
    let differences = |values: &[u64]| values.windows(2).map(|pair| pair[1] - pair[0]).collect::<Vec<_>>();
    assert_eq!(differences(&differences(&at_powers)), [5; 4]);
}

/// All colours of random graphs, as the sequential colouring has them, which its own tests hold to
/// the words of the paper; and 1.5 g^2 + 5.5 g + 6 steps with N = 2^g inputs and 2N-1 memories.
#[test]
fn the_parallel_colouring_is_as_the_sequential_one() {
    let mut rng = SEED.stream(Purpose::Pattern, 7);
    let mut steps = Vec::new();
    for ports in 1..=17usize {
        let (memories, colours) = (2 * ports - 1, gamma(ports));
        let mut parallel = Colourer::new(ports, memories);
        let mut sequential = LevPippengerValiant::new(ports, memories, colours, 0);
        for share in [0, 2, 5, 9, 10] {
            let mut edges: Vec<(Port, Port)> = Vec::new();
            for input in 0..ports {
                let row = (0..memories).filter(|_| rng.below(10) < share).take(colours);
                edges.extend(row.map(|memory| (input as Port, memory as Port)));
            }
            let expected: Vec<Option<u32>> = sequential.colour(&edges).iter().map(|&colour| Some(colour)).collect();
            assert_eq!(parallel.colour(&edges), Ok(expected), "{ports} inputs, {edges:?}");
        }
        let g = u64::from(colours.trailing_zeros());
        assert!(2 * parallel.costs().steps <= 3 * g * g + 11 * g + 12, "{ports}: {:?}", parallel.costs());
        if ports.is_power_of_two() {
            steps.push(parallel.costs().steps);
        }
    }
    // Edges beyond the first Gamma of an input, and those to nowhere, have no colour.
    let beyond = Colourer::new(1, 3).colour(&[(0, 0), (0, 1), (0, 7), (3, 0)]);
    assert_eq!(beyond, Ok(vec![Some(0), None, None, None]));
    // The formula is for g >= 1; one input has no edge to rank.
    assert_eq!(steps, [4, 13, 23, 36, 52]);
}
