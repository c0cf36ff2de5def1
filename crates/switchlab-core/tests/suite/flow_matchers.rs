//! Striped flows with matchers of all cells of a slot, and with queues of limited length: against
//! their naive twin.

use crate::common::{SEED, rows, source, switch};
use crate::flows::{TRAFFIC, disciplines};
use crate::naive_colouring::{koenig, lev_pippenger_valiant};
use crate::naive_flows::{NaiveFlows, Service};
use crate::naive_memory::{NaiveMatcher, halving};
use switchlab_core::switch::shared_memory::Matcher;
use switchlab_core::switch::shared_memory_flows::{Config, Discipline, FlowsFrom, Speedup, StripedFlows};
use switchlab_core::switch::{Failure, Switch};
use switchlab_core::{Cell, NONE, Port, Slot, registry};

/// A switch beside its twin until both fail, alike. The slots that took place.
fn beside_twin(real: &mut StripedFlows<1>, twin: &mut NaiveFlows, traffic: usize, slots: Slot) -> Slot {
    let ports = real.ports();
    let (pattern, process, load) = TRAFFIC[traffic];
    let mut source = source(pattern, process, ports, load, SEED);
    for (now, arrivals) in rows(&mut *source, ports, slots) {
        let before = real.census();
        let mut sent = vec![Cell::IDLE; ports];
        real.slot(now, &arrivals, &mut sent);
        match twin.slot(now, &arrivals) {
            Ok((placed, departures)) => {
                let placed: Vec<Port> = placed.iter().map(|m| m.map_or(NONE, |m| m as Port)).collect();
                assert_eq!(real.failure(), None, "slot {now}");
                assert_eq!(real.written(), placed, "slot {now}");
                assert_eq!(sent, departures, "slot {now}");
                let dropped: Vec<Port> = real.dropped().iter().map(|cell| cell.input).collect();
                assert_eq!(dropped, twin.dropped, "slot {now}");
            }
            Err(input) => {
                let Some(Failure::Unstriped { slot, input: named, .. }) = real.failure() else {
                    panic!("slot {now}: the twin cannot place the cell of input {input}");
                };
                assert_eq!((*slot, usize::from(*named)), (now, input));
                assert_eq!(real.census(), before, "a slot that fails does not take place");
                return now;
            }
        }
    }
    slots
}

const MATCHERS: [(Matcher, NaiveMatcher); 3] =
    [(Matcher::Halving, halving), (Matcher::Colouring, koenig), (Matcher::Lpv, lev_pippenger_valiant)];

/// Section V-B with each matcher, with as many memories as it needs, where it never fails, and with
/// fewer.
#[test]
fn flow_matchers_are_as_their_twins() {
    let mut failed = 0;
    for (matcher, twin) in MATCHERS {
        for (turn, (ports, stripe)) in
            [(1, 1), (2, 2), (3, 3), (4, 4), (4, 2), (5, 9), (8, 8), (3, 1), (6, 2)].into_iter().enumerate()
        {
            let proper = stripe - 1 + matcher.degree(ports);
            for (flows, memories) in [(1, proper), (2, proper), (4, proper + 2), (2, proper - 1), (1, ports)] {
                let memories = memories.max(1);
                let config = Config { matcher, memories, ..Config::new(ports, stripe, Discipline::fair(flows)) };
                let mut real = StripedFlows::new(config);
                let speedup = Speedup::sufficient(ports, stripe);
                let ratio = (speedup.reads as usize, speedup.slots as usize);
                let service = Service::Rounds((0..flows).collect());
                let mut naive = NaiveFlows::new(ports, stripe, memories, ratio, service);
                naive.matcher = Some(twin);
                let slots = beside_twin(&mut real, &mut naive, (turn + flows) % 5, 150);
                assert!(slots == 150 || memories < proper, "{matcher:?} fails with {memories} memories");
                failed += u32::from(slots < 150);
            }
        }
    }
    assert!(failed > 20, "{failed}");
}

/// Where cells are placed does not change when they leave.
#[test]
fn flow_matchers_do_not_show() {
    for (ports, flows) in [(5, 2), (16, 3), (40, 4)] {
        let specs = ["first-fit", "halving", "colouring", "lpv"]
            .map(|matcher| format!("psm-flows(flows={flows},matcher={matcher},speedup=2)"));
        let mut switches = specs.map(|spec| switch(&spec, ports, SEED));
        let mut source = source("uniform", "bursty(mean=12)", ports, 0.9, SEED);
        for (now, arrivals) in rows(&mut *source, ports, 400) {
            let sent = switches.each_mut().map(|switch| {
                let mut sent = vec![Cell::IDLE; ports];
                switch.slot(now, &arrivals, &mut sent);
                sent
            });
            assert!(sent.iter().all(|cells| *cells == sent[0]), "{ports} ports, slot {now}");
        }
    }
}

/// Queues of K cells: the same drops as the twin, no memory beyond its bound, and no output memory
/// beyond 2fN; some memory comes near the bound.
#[test]
fn limited_queues_are_as_their_twin() {
    let (mut dropped, mut fullest) = (0, 0.0_f64);
    for (ports, stripe, flows) in [(1, 1, 1), (2, 2, 1), (4, 4, 2), (4, 2, 3), (3, 5, 2), (8, 8, 2)] {
        for (capacity, traffic) in [(1, 4), (5, 2), (40, 3), (100, 2)] {
            for (discipline, service) in disciplines(flows) {
                let capacity = Some(capacity);
                let speedup = Speedup::sufficient(ports, stripe);
                let mut naive = NaiveFlows::new(
                    ports,
                    stripe,
                    ports + stripe - 1,
                    (speedup.reads as usize, speedup.slots as usize),
                    service,
                );
                naive.capacity = capacity;
                let mut real = StripedFlows::new(Config { capacity, ..Config::new(ports, stripe, discipline) });
                assert_eq!(beside_twin(&mut real, &mut naive, traffic, 300), 300);
                dropped += real.census().dropped;
                real.counters(&mut |counter| {
                    let value = counter.sum as f64 / counter.per.max(1) as f64;
                    match counter.name {
                        "memory_overfilled" => assert_eq!(counter.sum, 0),
                        "memory_filled" => fullest = fullest.max(value),
                        "output_memory_filled" => assert!(value <= 1.0, "{value}"),
                        _ => {}
                    }
                });
            }
        }
    }
    assert!(dropped > 1000 && fullest > 0.5, "{dropped} dropped, memories filled to {fullest}");
}

/// The bound on the cells of a memory is attained: all outputs have as many cells in memory 0 as
/// stripes let them.
#[test]
fn the_bound_on_memories_is_attained() {
    // One flow for each output, striped over 2 of 2 ports: K = 3 cells of an output are 2 in one
    // memory at most, and both outputs have 4 = 3 + (2-1) 1 in memory 0.
    let config = Config { capacity: Some(3), ..Config::new(2, 2, Discipline::Weighted(vec![10])) };
    let mut real = StripedFlows::<1>::new(config);
    // Nothing is read before slot 20. Cells come one by one, so that each flow goes to memories 0,
    // 1, 0. The last two are dropped.
    let cells = [[0, NONE], [NONE, 1]];
    for (now, arrivals) in (0..).zip(std::iter::once([NONE, NONE]).chain(cells.into_iter().cycle().take(8))) {
        real.slot(now, &arrivals, &mut [Cell::IDLE; 2]);
    }
    assert_eq!(real.inspect().unwrap().state[0].1, [4, 2, 0]);
    assert_eq!(real.census().dropped, 2);
}

/// Flows that traffic marks, more of them than inputs: theorems 2 and 3 hold for any number.
#[test]
fn labelled_flows_are_as_their_twin() {
    for (ports, flows, matcher) in [(2, 7, None), (4, 9, None), (4, 9, Some(halving as NaiveMatcher)), (3, 20, None)] {
        let labels = registry::traffic(&format!("uniform(flows={flows})")).unwrap().labels(None).replication(SEED);
        let own = if matcher.is_some() { Matcher::Halving } else { Matcher::FirstFit };
        let memories = ports - 1 + own.degree(ports);
        for (discipline, service) in disciplines(flows) {
            let config = Config {
                matcher: own,
                memories,
                flows_from: FlowsFrom::Label,
                ..Config::new(ports, ports, discipline)
            };
            let mut real = StripedFlows::<1>::new(config);
            real.use_labels(&labels).unwrap();
            let speedup = Speedup::sufficient(ports, ports);
            let ratio = (speedup.reads as usize, speedup.slots as usize);
            let mut naive = NaiveFlows::new(ports, ports, memories, ratio, service);
            (naive.matcher, naive.labels) = (matcher, Some(labels.clone()));
            assert_eq!(beside_twin(&mut real, &mut naive, 4, 500), 500);
            assert!(real.most_substeps() * ports * ratio.1 <= real.frame_slots() * ratio.0, "theorem 3");
        }
    }
    let mut few = switch("psm-flows(flows=2,flows-from=label)", 4, SEED);
    let labels = registry::traffic("uniform(flows=3)").unwrap().labels(None);
    let refused = few.use_labels(&labels).unwrap_err().to_string();
    assert!(refused.contains("write flows=3"), "{refused}");
    assert!(switch("psm-flows(flows=2)", 4, SEED).use_labels(&labels).is_ok(), "flows from inputs");
}
