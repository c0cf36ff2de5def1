//! Memories that are read or written in a slot, and not both: output queueing with 3N-1 of them.

use crate::common::{SEED, rows, source, switch};
use crate::flows::TRAFFIC;
use crate::naive_colouring::{koenig, lev_pippenger_valiant};
use crate::naive_memory::{NaiveMatcher, NaiveMemories, first_fit, greedy, halving};
use switchlab_core::switch::shared_memory::{Access, Config, Matcher, SharedMemory};
use switchlab_core::switch::{Failure, Switch};
use switchlab_core::{Cell, NONE, Port};

fn build(ports: usize, memories: usize, capacity: usize, matcher: Matcher) -> SharedMemory<4> {
    SharedMemory::new(Config { access: Access::Single, ..Config::new(ports, memories, capacity, matcher) })
}

/// The same departures and drops as `oq`, whatever the matcher and the placement.
#[test]
fn single_access_emulates_output_queueing() {
    let (mut sent_cells, mut dropped) = (0, 0);
    for ports in [1, 2, 3, 5, 8, 16, 33] {
        for (capacity, traffic) in [(1, 4), (2, 0), (7, 2), (32, 3), (100, 1)] {
            let mut specs: Vec<String> = ["first-fit", "greedy", "maximum", "halving", "colouring", "lpv"]
                .map(|matcher| format!("psm(capacity={capacity},matcher={matcher},access=single)"))
                .to_vec();
            specs.push(format!("psm(capacity={capacity},placement=random,access=single)"));
            specs.push(format!("psm(capacity={capacity},placement=rotate,access=single,memories=3n-1)"));
            let mut ideal = switch(&format!("oq(capacity={capacity})"), ports, SEED);
            let mut single: Vec<Box<dyn Switch>> = specs.iter().map(|spec| switch(spec, ports, SEED)).collect();
            let (pattern, process, load) = TRAFFIC[traffic];
            let mut source = source(pattern, process, ports, load, SEED);
            for (now, arrivals) in rows(&mut *source, ports, if ports <= 8 { 800 } else { 150 }) {
                let mut expected = vec![Cell::IDLE; ports];
                ideal.slot(now, &arrivals, &mut expected);
                for (switch, spec) in single.iter_mut().zip(&specs) {
                    let mut sent = vec![Cell::IDLE; ports];
                    switch.slot(now, &arrivals, &mut sent);
                    assert_eq!(switch.failure(), None, "{spec} of {ports} ports, slot {now}");
                    assert_eq!(sent, expected, "{spec} of {ports} ports, slot {now}");
                    assert_eq!(switch.dropped(), ideal.dropped(), "{spec} of {ports} ports, slot {now}");
                    assert_eq!(switch.census(), ideal.census(), "{spec} of {ports} ports, slot {now}");
                }
            }
            (sent_cells, dropped) = (sent_cells + ideal.census().departed, dropped + ideal.census().dropped);
        }
    }
    assert!(sent_cells > 50_000 && dropped > 5000, "{sent_cells} sent, {dropped} dropped");
}

/// The memories are those of the twin, which checks that none is read and written in a slot; with
/// 3N-1 of them nothing fails, and with fewer the same cell does.
#[test]
fn single_access_is_as_its_twin() {
    let twins: [(Matcher, NaiveMatcher); 5] = [
        (Matcher::FirstFit, first_fit),
        (Matcher::Greedy, greedy),
        (Matcher::Halving, halving),
        (Matcher::Colouring, koenig),
        (Matcher::Lpv, lev_pippenger_valiant),
    ];
    let mut failed = 0;
    for (matcher, naive) in twins {
        for ports in [1, 2, 3, 4, 5, 8] {
            let proper = matcher.memories(ports, Access::Single);
            assert!(
                proper >= 3 * ports - 1
                    && (matcher == Matcher::Halving || matcher == Matcher::Lpv || proper == 3 * ports - 1)
            );
            for memories in [proper, proper + 3, 2 * ports - 1, ports] {
                for (traffic, capacity) in [(0, 16), (2, 3), (4, 30)] {
                    let mut real = build(ports, memories, capacity, matcher);
                    let mut twin = NaiveMemories::new(ports, memories, capacity, naive).single_access();
                    let (pattern, process, load) = TRAFFIC[traffic];
                    let mut source = source(pattern, process, ports, load, SEED);
                    for (now, arrivals) in rows(&mut *source, ports, 100) {
                        let before = real.census();
                        let mut sent = vec![Cell::IDLE; ports];
                        real.slot(now, &arrivals, &mut sent);
                        match twin.slot(now, &arrivals) {
                            Ok((expected, departures)) => {
                                let expected: Vec<Port> =
                                    expected.iter().map(|m| m.map_or(NONE, |m| m as Port)).collect();
                                assert_eq!(real.written(), expected, "{matcher:?}, {ports} ports, slot {now}");
                                assert_eq!(sent, departures, "{matcher:?}, {ports} ports, slot {now}");
                            }
                            Err(unplaced) => {
                                let Some(Failure::Unplaced { slot, input, .. }) = real.failure() else {
                                    panic!(
                                        "{matcher:?}, {ports} ports, {memories} memories of {capacity}, slot {now}: only the twin cannot place the cell of input {unplaced}"
                                    );
                                };
                                assert_eq!((*slot, usize::from(*input)), (now, unplaced));
                                assert_eq!(real.census(), before);
                                assert!(memories < proper, "{matcher:?} fails with {memories} memories");
                                failed += 1;
                                break;
                            }
                        }
                    }
                }
            }
        }
    }
    assert!(failed > 20, "{failed}");
}
