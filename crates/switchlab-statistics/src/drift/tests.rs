//! Verdicts on switches whose stability is known.

use super::*;
use crate::testing::Setup;
use switchlab_core::Slot;
use switchlab_core::meter::Meter;

/// How often each verdict was given: stable, unstable, undecided.
type Tally = [usize; 3];

/// Assesses runs of a setup in groups.
fn tally(setup: &Setup, meters: &[Meter], group: usize) -> Tally {
    let mut tally = [0; 3];
    for meters in meters.chunks_exact(group) {
        tally[assess_all(setup, meters).verdict as usize] += 1;
    }
    tally
}

fn assess_all(setup: &Setup, meters: &[Meter]) -> Stability {
    let before = u64::from(setup.warmup());
    let runs: Vec<_> = meters
        .iter()
        .map(|meter| Observation { timeline: &meter.timeline, before, ended_early: false, ports: setup.ports })
        .collect();
    assess(&runs)
}

fn meters(setup: &Setup, runs: u32) -> Vec<Meter> {
    (0..runs).map(|replication| setup.run(1, replication)).collect()
}

/// The verdict on ten runs together, and the tally of each alone.
fn ten(setup: Setup) -> (Verdict, Tally) {
    let meters = meters(&setup, 10);
    let together = assess_all(&setup, &meters);
    let alone = tally(&setup, &meters, 1);
    println!("{setup:?}: {} {alone:?} {}", together.verdict, together.evidence);
    (together.verdict, alone)
}

/// Seeds are fixed; new ones could fail here by an undecided group of ten, at a load of 0.95.
#[test]
fn output_queueing_is_stable() {
    for ports in [4, 16, 64] {
        for load in [0.0, 0.1, 0.5, 0.8, 0.9, 0.95] {
            let setup = Setup { load, ..Setup::uniform("oq", ports, 20_000) };
            let (together, [stable, unstable, _]) = ten(setup);
            assert_eq!(together, Verdict::Stable, "{setup:?}");
            assert!(unstable == 0 && stable >= 8, "{setup:?}: {stable} stable, {unstable} unstable");
        }
    }
    let (together, alone) = ten(Setup { load: 0.95, ..Setup::uniform("oq", 16, 200_000) });
    assert_eq!((together, alone), (Verdict::Stable, [10, 0, 0]));
}

#[test]
fn other_stable_switches_are_stable() {
    for (setup, slots) in [
        (Setup { load: 0.5, ..Setup::uniform("fifo", 16, 0) }, 20_000),
        (Setup { load: 0.6, ..Setup::uniform("pim", 16, 0) }, 20_000),
        (Setup { load: 0.7, traffic: "diagonal", ..Setup::uniform("islip", 16, 0) }, 20_000),
        (Setup { load: 0.9, ..Setup::uniform("islip", 16, 0) }, 200_000),
    ] {
        let (together, [stable, unstable, _]) = ten(Setup { slots, ..setup });
        assert!(together == Verdict::Stable && unstable == 0 && stable >= 8, "{setup:?}: {stable}");
    }
}

#[test]
fn bursts_are_not_taken_for_growth() {
    for ports in [4, 16] {
        let setup = Setup { load: 0.8, arrivals: "bursty(mean=16)", ..Setup::uniform("oq", ports, 20_000) };
        let (together, [_, unstable, _]) = ten(setup);
        assert!(together != Verdict::Unstable && unstable == 0, "{setup:?}");
    }
}

#[test]
fn saturated_switches_are_unstable() {
    for setup in [
        Setup { load: 0.8, ..Setup::uniform("pim", 16, 20_000) },
        Setup { load: 1.0, ..Setup::uniform("pim", 16, 20_000) },
        Setup { load: 0.8, ..Setup::uniform("pim", 32, 20_000) },
        Setup { load: 1.0, ..Setup::uniform("pim", 32, 20_000) },
        Setup { load: 0.7, ..Setup::uniform("fifo", 16, 20_000) },
        Setup { load: 0.95, traffic: "diagonal", ..Setup::uniform("islip", 16, 20_000) },
        Setup { load: 1.0, ..Setup::uniform("pim", 16, 300) },
    ] {
        assert_eq!(ten(setup), (Verdict::Unstable, [0, 10, 0]), "{setup:?}");
    }
    let setup = Setup { load: 0.95, traffic: "diagonal", ..Setup::uniform("islip", 16, 200_000) };
    assert_eq!(assess_all(&setup, &meters(&setup, 1)).verdict, Verdict::Unstable);
}

/// PIM with one iteration saturates at 1 - (1 - 1/32)^32 = 0.638.
#[test]
fn just_beyond_the_limit_is_never_stable() {
    for load in [0.64, 0.65, 0.66] {
        let (together, [stable, ..]) = ten(Setup { load, ..Setup::uniform("pim", 32, 20_000) });
        assert!(together != Verdict::Stable && stable == 0, "{load}: {stable}");
    }
    let (together, alone) = ten(Setup { load: 0.66, ..Setup::uniform("pim", 32, 100_000) });
    assert_eq!((together, alone), (Verdict::Unstable, [0, 10, 0]));
}

#[test]
fn the_critical_switch_is_not_stable() {
    for ports in [4, 16] {
        let setup = Setup { load: 1.0, ..Setup::uniform("oq", ports, 200_000) };
        let (together, [stable, ..]) = ten(setup);
        assert!(together != Verdict::Stable && stable == 0, "{setup:?}: {stable}");
    }
}

/// The share is by age, so that neither no warm-up nor a long one makes growth of what is none, or
/// the reverse.
#[test]
fn the_warm_up_does_not_matter() {
    for warmup in [0, 20_000, 100_000] {
        let verdict = |setup: Setup, replications: u32| {
            let meters: Vec<Meter> = (0..replications).map(|replication| setup.after(warmup, 1, replication)).collect();
            let runs = meters.iter().map(|meter| Observation {
                timeline: &meter.timeline,
                before: u64::from(warmup),
                ended_early: false,
                ports: setup.ports,
            });
            assess(&runs.collect::<Vec<_>>()).verdict
        };
        for replications in [1, 10] {
            let critical = verdict(Setup { load: 1.0, ..Setup::uniform("oq", 16, 20_000) }, replications);
            assert_eq!(critical, Verdict::Undecided, "{warmup} {replications}");
            let stable = verdict(Setup { load: 0.9, ..Setup::uniform("oq", 16, 20_000) }, replications);
            assert_eq!(stable, Verdict::Stable, "{warmup} {replications}");
            let unstable = verdict(Setup { load: 0.7, ..Setup::uniform("pim", 16, 20_000) }, replications);
            assert_eq!(unstable, Verdict::Unstable, "{warmup} {replications}");
        }
    }
}

#[test]
fn short_runs_are_undecided_unless_nothing_was_queued() {
    for slots in [0, 1, 2, 3, 7, 50, 100, 255] {
        let setup = Setup { load: 1.0, ..Setup::uniform("pim", 16, slots) };
        assert_eq!(assess_all(&setup, &meters(&setup, 3)).verdict, Verdict::Undecided);
        let silent = Setup { load: 0.0, ..setup };
        let expected = if slots == 0 { Verdict::Undecided } else { Verdict::Stable };
        assert_eq!(assess_all(&silent, &meters(&silent, 3)).verdict, expected);
    }
    assert_eq!(assess(&[]).verdict, Verdict::Undecided);
}

#[test]
fn a_run_that_ended_early_is_not_called_stable() {
    let (long, short) = (Setup::uniform("oq", 4, 5000), Setup::uniform("oq", 4, 40));
    let meters = [long.run(1, 0), short.run(1, 1), long.run(1, 2)];
    let mut runs = [0, 1, 2].map(|place| Observation {
        timeline: &meters[place].timeline,
        before: 1000,
        ended_early: false,
        ports: 4,
    });
    assert_eq!(assess(&runs).verdict, Verdict::Stable);
    runs[1].ended_early = true;
    let Stability { verdict, evidence } = assess(&runs);
    assert_eq!((verdict, evidence.ended_early), (Verdict::Undecided, 1));
    let empty = Timeline::new();
    let assessed = assess(&[Observation { timeline: &empty, before: u64::MAX, ended_early: true, ports: 4 }]);
    assert_eq!(assessed.verdict, Verdict::Undecided);
    assert_eq!(assessed.evidence.to_string(), "1 of 1 runs ended early: the backlog outgrew the memory");
}

#[test]
fn evidence_is_in_cells_per_slot() {
    // 16 inputs at 1.0 against 0.644 carried: 5.70 cells per slot remain.
    let setup = Setup { load: 1.0, ..Setup::uniform("pim", 16, 20_000) };
    let Stability { evidence, .. } = assess_all(&setup, &meters(&setup, 10));
    assert!((evidence.drift.mean - 5.70).abs() < 0.02 && evidence.drift.half_width.unwrap() < 0.02, "{evidence:?}");
    assert!((evidence.relative - 0.356).abs() < 0.002 && (evidence.share - 1.0).abs() < 0.01, "{evidence:?}");
    let [first, .., last] = evidence.quarters;
    assert!((last / first - 1.075 / 0.325).abs() < 0.02, "{evidence:?}");
    assert!((evidence.backlog - 5.70 * 14_000.0).abs() < 300.0, "{evidence:?}");
}

#[test]
fn lines_for_people() {
    let drift = Estimate { mean: 0.3712, half_width: Some(0.0134), count: 10 };
    let mut evidence = Evidence {
        drift,
        relative: 0.41,
        share: 1.0,
        persistence: 0.9,
        backlog: 135.04,
        never_waited: false,
        quarters: [0.0; 4],
        filling: None,
        runs: 10,
        ended_early: 0,
    };
    assert_eq!(evidence.to_string(), "backlog grows by 0.371 cells per slot (±0.013), 41 % of arrivals");
    evidence.drift.mean = -0.3712;
    evidence.relative = -0.031;
    assert_eq!(evidence.to_string(), "backlog falls by 0.371 cells per slot (±0.013), 3.10 % of arrivals");
    evidence.drift.mean = 0.001;
    assert_eq!(evidence.to_string(), "backlog wanders around 135.0 cells, drift 0.001 cells per slot (±0.013)");
    evidence.persistence = 0.1;
    assert_eq!(evidence.to_string(), "backlog keeps to 135.0 cells, drift 0.001 cells per slot (±0.013)");
    assert_eq!(assess(&[]).evidence.to_string(), "too few slots to tell");
    let silent = Setup { load: 0.0, ..Setup::uniform("oq", 4, 10) };
    assert_eq!(assess_all(&silent, &meters(&silent, 1)).evidence.to_string(), "no cell was ever left waiting");
    assert_eq!(format!("[{:>9}]", Verdict::Stable), "[   stable]");
}

#[test]
fn that_no_cell_waited_in_a_few_slots_shows_nothing() {
    // Output queueing with one port never has a cell waiting.
    let of = |slots| {
        let setup = Setup { slots, load: 0.9, ..Setup::uniform("oq", 1, 1) };
        assess_all(&setup, &meters(&setup, 1))
    };
    let short = of(255);
    assert_eq!((short.verdict, short.evidence.to_string().as_str()), (Verdict::Undecided, "too few slots to tell"));
    assert_eq!(of(256).verdict, Verdict::Stable);
}

/// The study behind the rates that the module states. It prints the rows of
/// docs/reference/verdicts.csv: `cargo test -p switchlab-lab --release rates -- --ignored
/// --nocapture`.
#[test]
#[ignore = "a study that takes minutes, not a test"]
fn rates() {
    let line = |setup: Setup, runs: u32| {
        // Not the seed that the bounds of the rule were chosen with.
        let meters: Vec<Meter> = (0..runs).map(|replication| setup.run(2, replication)).collect();
        let Setup { switch, ports, traffic, arrivals, load, slots } = setup;
        let [alone, five, ten] = [1, 5, 10].map(|group| tally(&setup, &meters, group));
        let counts: Vec<String> = [alone, five, ten].as_flattened().iter().map(ToString::to_string).collect();
        println!("{switch},{ports},{traffic},{arrivals},{load},{slots},{}", counts.join(","));
    };
    let bursty = |ports, slots: Slot| Setup { arrivals: "bursty(mean=16)", ..Setup::uniform("oq", ports, slots) };
    for slots in [256, 500, 1000, 5000, 20_000] {
        for (ports, load) in
            [(4, 0.5), (4, 0.9), (4, 0.95), (4, 0.99), (4, 1.0), (16, 0.9), (16, 0.95), (16, 0.99), (16, 1.0)]
        {
            line(Setup { load, ..Setup::uniform("oq", ports, slots) }, 200);
        }
        line(Setup { load: 0.8, ..bursty(4, slots) }, 200);
        line(Setup { load: 0.8, ..bursty(16, slots) }, 200);
        line(Setup { load: 0.9, ..Setup::uniform("islip", 16, slots) }, 200);
        for load in [0.64, 0.65, 0.66, 0.7] {
            line(Setup { load, ..Setup::uniform("pim", 32, slots) }, 200);
        }
    }
    for (ports, load) in [(4, 0.95), (4, 0.99), (4, 1.0), (16, 0.95), (16, 0.99), (16, 1.0)] {
        line(Setup { load, ..Setup::uniform("oq", ports, 200_000) }, 200);
    }
}
