//! Deadlock of small Benes fabrics: what a search of all states says, and traces that stop the real
//! fabric.

use crate::naive_deadlock::naive_walk;
use switchlab_conformance::{SEED, source};
use switchlab_core::registry;
use switchlab_core::rng::Purpose;
use switchlab_core::switch::Failure;
use switchlab_core::{Cell, NONE, Seed};
use switchlab_theory::deadlock::replay::{replay, replay_from};
use switchlab_theory::deadlock::search::{Outcome, Pointers, search, search_from};
use switchlab_theory::deadlock::stress::{shrink, stops, stress};
use switchlab_theory::deadlock::walk::walk;
use switchlab_theory::deadlock::{Distribution, Merge, Model};
use switchlab_theory::watch::unwatched;

use Distribution::{ImbalanceCount, RoundRobin};

const ENOUGH: usize = 600_000;

fn model(ports: usize, distribution: Distribution, merge: Merge, buffers: (usize, usize)) -> Model {
    Model::new(ports, 2, distribution, merge, buffers.0, buffers.1).unwrap()
}

/// The number of states of a fabric that is free of deadlock; None if it has one, whose steps are
/// then replayed with numbered cells.
fn states(distribution: Distribution, merge: Merge, buffers: (usize, usize)) -> Option<usize> {
    let model = model(4, distribution, merge, buffers);
    let found = search(&model, ENOUGH, &mut unwatched);
    match found.outcome {
        Outcome::Free => Some(found.states),
        Outcome::Deadlock(steps) => {
            assert!(replay(&model, &steps).unwrap().len() > 2, "a deadlock has a circle");
            assert_eq!(replay(&model, &steps[..steps.len() - 1]), Ok(Vec::new()), "not before its last step");
            None
        }
        Outcome::Undecided => panic!("{distribution:?} {merge:?} {buffers:?}: more states than expected"),
    }
}

/// Section 4's theorem for two levels, with bD and bR one more than the input buffers: round robin
/// needs bR >= bD, imbalance counts bR >= bD + 1, whatever the merge; and less is not enough.
#[test]
fn the_theorem_is_exact_for_two_levels() {
    assert_eq!(states(RoundRobin, Merge::Any, (1, 1)), Some(3672));
    // Routing buffers beyond bD are never filled.
    assert_eq!(states(RoundRobin, Merge::Any, (1, 2)), Some(3672));
    assert_eq!(states(RoundRobin, Merge::Any, (2, 2)), Some(13_056));
    assert_eq!(states(RoundRobin, Merge::Any, (3, 3)), Some(34_200));
    assert_eq!(states(ImbalanceCount, Merge::Any, (1, 2)), Some(169_221));
    for buffers in [(2, 1), (3, 1), (3, 2)] {
        assert_eq!(states(RoundRobin, Merge::Any, buffers), None);
    }
    assert_eq!(states(ImbalanceCount, Merge::Any, (1, 1)), None);
}

/// A fixed merge deadlocks as any does. Round robin does not with rr and routing buffers one too
/// small, but does with imbalance counts.
#[test]
fn merging_by_a_rule_on_two_levels() {
    assert_eq!(states(RoundRobin, Merge::Fixed, (1, 1)), Some(7712));
    assert_eq!(states(RoundRobin, Merge::Fixed, (2, 1)), None);
    assert_eq!(states(ImbalanceCount, Merge::Fixed, (1, 1)), None);
    assert_eq!(states(RoundRobin, Merge::RoundRobin, (1, 1)), Some(23_724));
    assert_eq!(states(RoundRobin, Merge::RoundRobin, (2, 1)), Some(150_428));
}

/// The states that are searched from all pointers, without output buffers; None for a deadlock.
fn base_states(distribution: Distribution, merge: Merge, buffers: (usize, usize)) -> Option<usize> {
    let model = model(4, distribution, merge, buffers).with_output_buffers(0, 0).unwrap();
    let found = search_from(&model, Pointers::All, ENOUGH, &mut unwatched);
    match found.outcome {
        Outcome::Free => Some(found.states),
        Outcome::Deadlock(steps) => {
            assert!(replay_from(&model, &found.pointers, &steps).unwrap().len() > 2, "a deadlock has a circle");
            None
        }
        Outcome::Undecided => panic!("{distribution:?} {merge:?} {buffers:?}: more states than expected"),
    }
}

/// The base case of theorem 1: bD = 1 with bR = 2 for methods of imbalance 1 and bR = 1 for round
/// robin, from any pointers. One cell less is not enough for imbalance counts; nor is bR = 1 for
/// bD = 2. Random steps without any reduction agree.
#[test]
fn the_base_case_of_the_theorem_is_exact() {
    for merge in [Merge::Any, Merge::Fixed, Merge::RoundRobin] {
        assert!(base_states(RoundRobin, merge, (1, 1)).is_some(), "{merge:?}");
        assert!(base_states(ImbalanceCount, merge, (1, 2)).is_some(), "{merge:?}");
    }
    for (distribution, buffers) in [(ImbalanceCount, (1, 1)), (RoundRobin, (2, 1))] {
        assert_eq!(base_states(distribution, Merge::Any, buffers), None, "{distribution:?}");
    }
    for (distribution, merge, buffers) in [
        (RoundRobin, Merge::Any, (1, 1)),
        (ImbalanceCount, Merge::Any, (1, 2)),
        (ImbalanceCount, Merge::Any, (1, 1)),
        (RoundRobin, Merge::Fixed, (2, 1)),
    ] {
        let expected = base_states(distribution, merge, buffers).is_none();
        let steps = if expected { 400_000 } else { 40_000 };
        let rng = &mut SEED.stream(Purpose::Scheduler, 4);
        assert_eq!(
            naive_walk(distribution, merge, buffers, false, steps, rng),
            expected,
            "{distribution:?} {buffers:?}"
        );
    }
}

/// With output buffers, from any of the 16 settings of the pointers: the same answers as from 0.
#[test]
fn pointers_do_not_matter_for_two_levels() {
    for (buffers, free) in [((1, 1), true), ((2, 1), false)] {
        let model = model(4, RoundRobin, Merge::Any, buffers);
        let found = search_from(&model, Pointers::All, ENOUGH, &mut unwatched);
        assert_eq!(found.outcome == Outcome::Free, free, "{buffers:?}");
        let zero = search(&model, ENOUGH, &mut unwatched);
        assert!(found.states > zero.states && zero.pointers.is_empty(), "{buffers:?}");
    }
}

#[test]
#[ignore = "half a gigabyte; the ones above are smaller models"]
fn larger_models_on_two_levels() {
    let outcome = |distribution, merge, buffers| {
        search(&model(4, distribution, merge, buffers), 5_000_000, &mut unwatched).outcome
    };
    assert_eq!(outcome(ImbalanceCount, Merge::Any, (2, 3)), Outcome::Free);
    assert_eq!(outcome(ImbalanceCount, Merge::RoundRobin, (1, 2)), Outcome::Free);
    assert!(matches!(outcome(ImbalanceCount, Merge::RoundRobin, (1, 1)), Outcome::Deadlock(_)));
}

/// Random steps without any reduction end in a deadlock where the search says that there is one,
/// and only there.
#[test]
fn a_naive_walk_agrees() {
    for (distribution, merge, buffers) in [
        (RoundRobin, Merge::Any, (1, 1)),
        (RoundRobin, Merge::Fixed, (1, 1)),
        (RoundRobin, Merge::RoundRobin, (2, 1)),
        (ImbalanceCount, Merge::Any, (1, 2)),
        (RoundRobin, Merge::Any, (2, 1)),
        (RoundRobin, Merge::Fixed, (2, 1)),
        (ImbalanceCount, Merge::Any, (1, 1)),
        (ImbalanceCount, Merge::Fixed, (1, 1)),
    ] {
        let expected = states(distribution, merge, buffers).is_none();
        let steps = if expected { 400_000 } else { 40_000 };
        let found = naive_walk(distribution, merge, buffers, true, steps, &mut SEED.stream(Purpose::Scheduler, 3));
        assert_eq!(found, expected, "{distribution:?} {merge:?} {buffers:?}");
    }
}

/// Three levels at the theorem's own sizes: a deadlock whatever the rule, links being free to send
/// when they like.
#[test]
fn three_levels_deadlock() {
    for merge in [Merge::Any, Merge::Fixed, Merge::RoundRobin] {
        let model = model(8, RoundRobin, merge, (1, 1));
        let (steps, way) = walk(&model, &mut SEED.stream(Purpose::Scheduler, 7), 3_000_000, &mut unwatched);
        let way = way.unwrap_or_else(|| panic!("{merge:?}: none in {steps} steps"));
        assert!(replay(&model, &way).unwrap().len() > 2, "{merge:?}");
    }
    let model = model(8, ImbalanceCount, Merge::Any, (1, 2));
    let (_, way) = walk(&model, &mut SEED.stream(Purpose::Scheduler, 7), 3_000_000, &mut unwatched);
    assert!(replay(&model, &way.unwrap()).unwrap().len() > 2);
}

/// Two levels at the theorem's sizes, walked at random: no deadlock is found where none is.
#[test]
fn a_walk_finds_nothing_where_nothing_is() {
    for merge in [Merge::Any, Merge::Fixed, Merge::RoundRobin] {
        let found = walk(
            &model(4, RoundRobin, merge, (1, 1)),
            &mut SEED.stream(Purpose::Scheduler, 7),
            300_000,
            &mut unwatched,
        );
        assert_eq!(found, (300_000, None));
    }
}

#[test]
fn hostile_arrivals_stop_the_fabric_and_a_shorter_trace_does_too() {
    let spec = "benes(radix=2,distribution=ic,routing-buffer=1,merge=random,pointers=zero)";
    let chosen = registry::switch(spec).unwrap();
    let build = || chosen.build(4, SEED);
    let (_, found) = stress(&build, &mut SEED.stream(Purpose::Pattern, 1), 100_000, &mut unwatched).unwrap();
    let found = found.expect("routing buffers are one too small");
    let shorter = shrink(&build, found.clone(), &mut unwatched).unwrap();
    assert!(shorter.arrivals.len() < found.arrivals.len());
    assert_eq!(stops(&build, &shorter.arrivals), Ok(Some(shorter.failure)));
    for left_out in 0..shorter.arrivals.len() {
        let mut rest = shorter.arrivals.clone();
        rest.remove(left_out);
        assert_eq!(stops(&build, &rest), Ok(None), "every cell is needed");
    }
}

#[test]
fn hostile_arrivals_do_not_stop_a_fabric_of_two_levels_with_the_sizes_of_the_theorem() {
    for spec in ["benes(radix=2,merge=random)", "benes(radix=2,distribution=ic,merge=fixed)"] {
        let chosen = registry::switch(spec).unwrap();
        let build = || chosen.build(4, SEED);
        let (slots, found) = stress(&build, &mut SEED.stream(Purpose::Pattern, 1), 20_000, &mut unwatched).unwrap();
        assert!(slots == 20_000 && found.is_none(), "{spec}");
    }
}

/// The paper's own fabric under its own traffic, if only the first `busy` slots have arrivals: the
/// slot in which a deadlock is found and the destinations of its circle; None if it drains.
fn caught(busy: u32) -> Option<(u32, Vec<u16>)> {
    let seed = Seed { seed: 19, ..SEED };
    let mut switch = registry::switch("benes(radix=4,merge=random)").unwrap().build(64, seed).unwrap();
    let mut source = source("uniform", "bursty(mean=12)", 64, 0.8, seed);
    for now in 0..busy + 20_000 {
        let (mut arrivals, mut departures) = (vec![NONE; 64], vec![Cell::IDLE; 64]);
        if now < busy {
            source.slot(now, &mut arrivals);
        }
        switch.slot(now, &arrivals, &mut departures);
        if let Some(Failure::Deadlock { slot, waits, .. }) = switch.failure() {
            return Some((*slot, waits.iter().map(|wait| wait.output).collect()));
        }
        if now >= busy && switch.census().queued == 0 {
            return None;
        }
    }
    panic!("cells are inside, and no deadlock was found");
}

/// What papers/004/deadlock.md opens with.
#[test]
fn the_paper_s_own_fabric_deadlocks_under_its_own_traffic() {
    let (slot, outputs) = caught(10_000).unwrap();
    assert_eq!((slot, outputs.len()), (4096, 10));
    assert!(outputs.iter().all(|output| *output == outputs[0]), "one destination");
    assert!(caught(1931).is_some());
    assert!(caught(1930).is_none());
}

#[test]
fn models_that_are_refused() {
    for (ports, radix, distribution, buffers) in [
        (6, 2, RoundRobin, (1, 1)),
        (2, 2, RoundRobin, (1, 1)),
        (32, 2, RoundRobin, (1, 1)),
        (8, 4, RoundRobin, (1, 1)),
        (8, 8, RoundRobin, (1, 1)),
        (4, 0, RoundRobin, (1, 1)),
        (4, 2, RoundRobin, (0, 1)),
        (4, 2, RoundRobin, (1, usize::MAX)),
        (16, 2, ImbalanceCount, (7, 7)),
    ] {
        assert!(Model::new(ports, radix, distribution, Merge::Any, buffers.0, buffers.1).is_err());
    }
}

/// A search that is stopped says nothing that it does not know, and counts what it has seen.
#[test]
fn a_watch_stops_each_search() {
    let model = model(4, RoundRobin, Merge::Any, (1, 1));
    let whole = search(&model, ENOUGH, &mut unwatched);
    assert_eq!((whole.outcome, whole.stopped), (Outcome::Free, false));
    let mut seen = Vec::new();
    let part = search(&model, ENOUGH, &mut |states| {
        seen.push(states);
        seen.len() < 3
    });
    assert_eq!((&part.outcome, part.stopped), (&Outcome::Undecided, true));
    assert!(seen.is_sorted() && seen.len() == 3 && seen[2] == part.states as u64, "{seen:?}");
    assert!(part.states > 1000 && part.states < whole.states, "{}", part.states);

    let (steps, way) = walk(&model, &mut SEED.stream(Purpose::Scheduler, 7), 1 << 40, &mut |steps| steps < 10_000);
    assert!((10_000..20_000).contains(&steps) && way.is_none());
    let build = || registry::switch("benes(radix=2)")?.build(4, SEED);
    let (slots, found) =
        stress(&build, &mut SEED.stream(Purpose::Pattern, 1), 1 << 40, &mut |slots| slots < 1000).unwrap();
    assert!((1000..2000).contains(&slots) && found.is_none());
}
