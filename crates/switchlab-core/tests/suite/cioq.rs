//! Combined input and output queueing: against its naive twin, against output queueing, and where
//! it breaks.

use crate::common::{SEED, rows, source, switch};
use crate::naive::Twin as _;
use crate::naive_cioq::Naive;
use switchlab_core::switch::cioq::{Cioq, Config, Discipline, Policy};
use switchlab_core::switch::{QueueLengths, Switch};
use switchlab_core::{Cell, NONE, Port, Slot};

const TRAFFIC: [(&str, &str); 4] = [
    ("uniform", "bernoulli"),
    ("diagonal", "bernoulli"),
    ("hotspot(count=1)", "bernoulli"),
    ("uniform", "bursty(mean=12)"),
];
const POLICIES: [Policy; 4] = [Policy::Ccf, Policy::CcfDtc, Policy::Mucfa, Policy::Lqf];
const DISCIPLINES: [Discipline; 3] = [Discipline::Fifo, Discipline::Priority, Discipline::Wfq];

fn settings(policy: Policy, speedup: usize, discipline: Discipline, classes: usize) -> Config {
    Config { policy, speedup, discipline, classes, fallback: true }
}

fn counter(switch: &dyn Switch, name: &str) -> (u64, u64) {
    let mut found = (0, 0);
    switch.counters(&mut |counter| {
        if counter.name == name {
            found = (counter.sum, counter.per);
        }
    });
    found
}

/// Every policy, speedup and discipline, cell by cell, also where emulation fails; and the counter
/// of negative slackness says what the twin saw. Queue lengths are compared too: at a speedup above
/// 2 the phases after the departures change no departure, only where cells wait.
#[test]
fn as_the_naive_twin() {
    let mut compared = 0;
    for (turn, ports) in [1, 2, 3, 4, 8].into_iter().enumerate() {
        for policy in POLICIES {
            for speedup in [1, 2, 3, 4, 6, 9] {
                for (place, discipline) in DISCIPLINES.into_iter().enumerate() {
                    let (traffic, process) = TRAFFIC[(turn + speedup + place) % 4];
                    let load = [0.7, 0.95, 1.0][(speedup + place) % 3];
                    let settings = settings(policy, speedup, discipline, 1 + (turn + speedup) % 3);
                    let (mut real, mut naive) = (Cioq::new(ports, settings), Naive::new(ports, settings));
                    let mut source = source(traffic, process, ports, load, SEED);
                    for (now, arrivals) in rows(&mut *source, ports, 150) {
                        let (mut got, mut expected) = (vec![Cell::IDLE; ports], vec![Cell::IDLE; ports]);
                        real.slot(now, &arrivals, &mut got);
                        naive.slot(now, &arrivals, &mut expected);
                        assert_eq!(got, expected, "{settings:?}, {ports} ports, {traffic}, {process}, slot {now}");
                        let queues = real.inspect().map(|inside| inside.queues);
                        let (voqs, outputs) = naive.lengths();
                        let expected = Some(QueueLengths::VoqsAndOutputs { voqs, outputs });
                        assert_eq!(queues, expected, "{settings:?}, {ports} ports, {traffic}, {process}, slot {now}");
                        compared += got.iter().filter(|cell| !cell.is_idle()).count();
                    }
                    if matches!(policy, Policy::Ccf | Policy::CcfDtc) {
                        let negative = counter(&real, "negative_slackness").0;
                        assert_eq!(negative > 0, naive.slackness < 0, "{settings:?}, {ports} ports, {traffic}");
                        assert!(speedup == 1 || negative == 0, "{settings:?}, {ports} ports, {traffic}");
                    }
                }
            }
        }
    }
    assert!(compared > 50_000, "{compared}");
}

/// Runs a switch beside the ideal one; the number of slots in which their departures differ.
fn differing(real: &mut dyn Switch, ideal: &mut dyn Switch, traffic: (&str, &str), load: f64, slots: Slot) -> u64 {
    let ports = real.ports();
    let mut source = source(traffic.0, traffic.1, ports, load, SEED);
    let mut differing = 0;
    let (mut got, mut expected) = (vec![Cell::IDLE; ports], vec![Cell::IDLE; ports]);
    let mut arrivals = vec![NONE; ports];
    for now in 0..slots {
        source.slot(now, &mut arrivals);
        got.fill(Cell::IDLE);
        expected.fill(Cell::IDLE);
        real.slot(now, &arrivals, &mut got);
        ideal.slot(now, &arrivals, &mut expected);
        differing += u64::from(got != expected);
    }
    differing
}

const EMULATORS: [&str; 3] =
    ["cioq(policy=ccf-dtc,speedup=2)", "cioq(policy=ccf,speedup=2)", "cioq(policy=mucfa,speedup=4)"];

fn emulation(slots: Slot, report: bool) {
    for spec in EMULATORS {
        for ports in [4, 8, 16] {
            for traffic in TRAFFIC {
                for load in [0.5, 0.9, 1.0] {
                    let (mut real, mut ideal) = (switch(spec, ports, SEED), switch("oq", ports, SEED));
                    let differing = differing(&mut *real, &mut *ideal, traffic, load, slots);
                    let census = real.census();
                    if report {
                        let shares = ["cyclic_phases", "unrooted_phases"].map(|name| counter(&*real, name));
                        println!("{spec} {ports} {traffic:?} {load}: {differing} of {slots}, {census:?}, {shares:?}");
                    }
                    assert_eq!(differing, 0, "{spec}, {ports} ports, {traffic:?}, load {load}");
                    assert_eq!(counter(&*real, "missed_departures"), (0, census.departed), "{spec}");
                    assert_eq!(counter(&*real, "negative_slackness").0, 0, "{spec}");
                    if !spec.contains("ccf,") {
                        let found = ["cyclic_phases", "unrooted_phases"].map(|name| counter(&*real, name).0);
                        assert_eq!(found, [0, 0], "{spec}: acyclic by proof");
                    }
                    assert!(census.departed > u64::from(slots), "{spec}: hardly anything was compared: {census:?}");
                }
            }
        }
    }
}

#[test]
fn emulates_output_queueing() {
    emulation(1500, false);
}

/// `cargo test --release -p switchlab-core --test suite cioq -- --ignored --nocapture`
#[test]
#[ignore = "takes minutes; the one above is its short form"]
fn emulates_output_queueing_for_long() {
    emulation(100_000, true);
}

/// Against an ideal switch with the discipline that is written here once more, without any list or
/// shadow.
#[test]
fn emulates_every_discipline() {
    for (policy, speedup) in [(Policy::Ccf, 2), (Policy::CcfDtc, 2)] {
        for discipline in DISCIPLINES {
            for (ports, classes) in [(3, 2), (8, 3), (8, 1)] {
                for traffic in TRAFFIC {
                    let mut real = Cioq::new(ports, settings(policy, speedup, discipline, classes));
                    // All cells cross at once at a speedup of N, and wait in the outputs' buffers:
                    // that is output queueing.
                    let mut ideal = Cioq::new(ports, settings(Policy::Lqf, ports * 2, discipline, classes));
                    let differing = differing(&mut real, &mut ideal, traffic, 0.95, 1500);
                    assert_eq!(differing, 0, "{policy:?}, {discipline:?}, {ports} ports, {traffic:?}");
                    assert_eq!(counter(&real, "missed_departures").0, 0, "{policy:?}, {discipline:?}");
                    assert_eq!(counter(&ideal, "missed_departures").0, 0, "{discipline:?}");
                }
            }
        }
    }
}

/// A cell may wait for those of its class alone, or for its share: the disciplines do what their
/// names say.
#[test]
fn disciplines_differ_as_they_should() {
    // Inputs 0 to 3 send to output 0 in every slot, for 40 slots; then all drains. Classes are 0,
    // 1, 0, 1.
    let order = |discipline: Discipline, classes: usize| {
        let mut switch = Cioq::new(4, settings(Policy::Ccf, 2, discipline, classes));
        let mut sent = Vec::new();
        for now in 0..160 {
            let mut departures = [Cell::IDLE; 4];
            let arrivals = if now < 40 { [0; 4] } else { [NONE; 4] };
            switch.slot(now, &arrivals, &mut departures);
            sent.push(departures[0].input);
        }
        assert_eq!(switch.census().queued, 0);
        sent
    };
    let share = |sent: &[Port], inputs: &[Port]| sent.iter().filter(|input| inputs.contains(input)).count();
    let fifo = order(Discipline::Fifo, 2);
    assert!(fifo.chunks(4).all(|four| four == [0, 1, 2, 3]));
    let priority = order(Discipline::Priority, 2);
    assert_eq!(share(&priority[..80], &[0, 2]), 80, "class 0 fills the line as long as it has cells");
    let weighted = order(Discipline::Wfq, 2);
    assert_eq!(share(&weighted[..60], &[0, 2]), 40, "weights 2 and 1");
    let fair = order(Discipline::Wfq, 1);
    assert!((0..4).all(|input| share(&fair[..40], &[input]) == 10), "{fair:?}");
}

/// At a speedup of 1 nothing emulates, and the counter says so.
#[test]
fn a_speedup_of_1_is_not_enough() {
    for policy in POLICIES {
        let mut real = Cioq::new(8, settings(policy, 1, Discipline::Fifo, 1));
        let differing = differing(&mut real, &mut *switch("oq", 8, SEED), TRAFFIC[0], 0.9, 2000);
        let (missed, of) = counter(&real, "missed_departures");
        assert!(differing > 1000 && missed * 20 > of, "{policy:?}: {differing} slots, {missed} of {of}");
    }
}

/// Runs plain CCF by `FIND_ROOTS` on a trace, with or without Gale-Shapley behind it, and returns
/// the first slot in which its departures are not those of output queueing, with the shares of
/// unrooted and cyclic phases.
fn breaks(ports: usize, trace: &[Vec<Port>], fallback: bool) -> (Option<Slot>, u64, u64) {
    let mut real = Cioq::new(ports, Config { fallback, ..settings(Policy::Ccf, 2, Discipline::Fifo, 1) });
    let mut ideal = switch("oq", ports, SEED);
    let mut broken = None;
    for (now, arrivals) in (0..).zip(trace) {
        let (mut got, mut expected) = (vec![Cell::IDLE; ports], vec![Cell::IDLE; ports]);
        real.slot(now, arrivals, &mut got);
        ideal.slot(now, arrivals, &mut expected);
        if got != expected && broken.is_none() {
            broken = Some(now);
        }
    }
    (broken, counter(&real, "unrooted_phases").0, counter(&real, "cyclic_phases").0)
}

/// Plain CCF is not always rooted, whatever the paper says: three inputs fill output 0, then turn
/// to output 2 in an order of their lists that is not the order of the shadow. `FIND_ROOTS` alone
/// finds nothing to transfer, and a cell is late; Gale-Shapley goes on. Found by thinning out
/// random bursts until no cell could be left out.
#[test]
fn find_roots_alone_breaks_plain_ccf() {
    let trace = ["000", "000", "000", "000", ".00", "202", "222", "...", "..."]
        .map(|row| row.bytes().map(|b| if b == b'.' { NONE } else { Port::from(b - b'0') }).collect());
    let (broken, unrooted, cyclic) = breaks(3, &trace, false);
    assert_eq!(broken, Some(8), "the last slot of the trace");
    assert!(unrooted > 0 && cyclic >= unrooted, "{unrooted} {cyclic}");
    let (broken, unrooted, cyclic) = breaks(3, &trace, true);
    assert_eq!(broken, None);
    assert!(unrooted > 0 && cyclic >= unrooted, "{unrooted} {cyclic}");
}
