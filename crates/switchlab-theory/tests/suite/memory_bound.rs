//! How many memories output queueing needs: traces on which first-fit fails, and the game of all
//! schedulers.

use crate::naive_bound;
use switchlab_core::rng::Purpose;
use switchlab_core::switch::shared_memory::{Access, Config, Matcher, Placement, SharedMemory};
use switchlab_core::switch::{Failure, Switch};
use switchlab_core::traffic::trace::Arrival;
use switchlab_core::traffic::{Arrivals, Trace};
use switchlab_core::{Cell, NONE, Seed, Slot, registry};
use switchlab_theory::memory_bound::{
    Found, Reason, Scheduler, Shape, first_fit, first_fit_trace, game, judge, judge_all, staircase_capacity,
    staircase_trace, stripe_trace,
};
use switchlab_theory::watch::unwatched;

/// Replays a trace; how it ends.
fn replay(spec: &str, ports: usize, trace: &[Arrival]) -> Option<Failure> {
    let seed = Seed { seed: 1, replication: 0 };
    let mut switch = registry::switch(spec).unwrap().build(ports, seed).unwrap();
    let mut trace = Trace::new(ports, trace.to_vec()).unwrap();
    let mut arrivals = vec![NONE; ports];
    for now in 0..trace.slots() as Slot {
        trace.slot(now, &mut arrivals);
        switch.slot(now, &arrivals, &mut vec![Cell::IDLE; ports]);
        assert!(switch.dropped().is_empty(), "slot {now}");
    }
    switch.failure().cloned()
}

#[test]
fn first_fit_fails_with_one_memory_too_few() {
    for ports in 2..=16usize {
        let trace = first_fit_trace(ports);
        assert_eq!(trace.len(), ports * ports);
        for capacity in [ports, 64] {
            for memories in 1..=2 * ports - 2 {
                let failure = replay(&format!("psm(memories={memories},capacity={capacity})"), ports, &trace);
                // With fewer memories it fails earlier; with 2N-2 in the last slot, at the last
                // input.
                let slot = (memories + 1).saturating_sub(ports) as Slot;
                assert_eq!(failure.as_ref().map(Failure::slot), Some(slot), "{ports} ports, {memories} memories");
                if memories >= ports {
                    let Some(Failure::Unplaced { input, departs, hall, .. }) = failure else { unreachable!() };
                    assert_eq!((usize::from(input), departs as usize), (ports - 1, ports - 1));
                    // Somebody else could have placed them.
                    assert_eq!(hall, None, "{ports} ports, {memories} memories");
                }
            }
            for memories in [2 * ports - 1, 2 * ports] {
                assert_eq!(replay(&format!("psm(memories={memories},capacity={capacity})"), ports, &trace), None);
            }
        }
    }
    assert!(first_fit_trace(0).is_empty() && first_fit_trace(1).is_empty());
}

/// With 2N-2 memories no trace is shorter than the one that is built, where all can be looked at;
/// with fewer there may be. With 2N-1 there is none.
#[test]
fn the_shortest_traces_that_beat_first_fit() {
    for (ports, capacity) in [(2, 2), (2, 5), (3, 3), (3, 4), (4, 4)] {
        for memories in ports..=2 * ports - 2 {
            let shape = Shape::new(ports, memories, capacity).unwrap();
            let Found::Fails(trace) = first_fit::search(shape, Access::ReadWrite, 1 << 20, &mut unwatched).found else {
                panic!("{ports} ports, {memories} memories: first-fit does not fail");
            };
            let slots = trace.last().map_or(0, |arrival| arrival.slot as usize) + 1;
            let built = memories + 2 - ports;
            assert!(slots == built || slots < built && memories < 2 * ports - 2, "{ports} ports, {memories} memories");
            let spec = format!("psm(memories={memories},capacity={capacity})");
            assert_eq!(
                replay(&spec, ports, &trace).map(|failure| failure.slot() as usize + 1),
                Some(slots),
                "{trace:?}"
            );
        }
    }
    // Queues shorter than N cells: 2N-2 memories are enough for 3 ports with queues of 2 cells, and
    // 3 are not.
    let short = |memories| {
        first_fit::search(Shape::new(3, memories, 2).unwrap(), Access::ReadWrite, 1 << 20, &mut unwatched).found
    };
    assert!(matches!((short(3), short(4)), (Found::Fails(_), Found::Survives)));
    for (ports, capacity) in [(1, 3), (2, 2), (2, 5), (3, 3)] {
        let all = first_fit::search(
            Shape::new(ports, 2 * ports - 1, capacity).unwrap(),
            Access::ReadWrite,
            1 << 20,
            &mut unwatched,
        );
        assert_eq!(all.found, Found::Survives);
        assert!(all.states > 1 || ports == 1);
    }
    // Too few states to say anything.
    assert_eq!(
        first_fit::search(Shape::new(3, 5, 4).unwrap(), Access::ReadWrite, 10, &mut unwatched).found,
        Found::Undecided
    );
    assert_eq!(game::solve(Shape::new(3, 4, 5).unwrap(), 10, &mut unwatched).found, Found::Undecided);
}

#[test]
fn the_game_is_as_its_naive_twin() {
    let mut survived = 0;
    let sizes = [
        (1, 1, 3),
        (2, 1, 2),
        (2, 2, 1),
        (2, 2, 2),
        (2, 2, 3),
        (2, 2, 4),
        (2, 3, 3),
        (3, 3, 1),
        (3, 3, 2),
        (3, 3, 3),
        (3, 4, 2),
        (3, 4, 3),
        (2, 2, 5),
        (2, 2, 6),
        (3, 2, 2),
        (3, 3, 4),
    ];
    for (ports, memories, capacity) in sizes {
        let naive = naive_bound::survives(ports, memories, capacity);
        let found = game::solve(Shape::new(ports, memories, capacity).unwrap(), 1 << 20, &mut unwatched).found;
        assert_eq!(matches!(found, Found::Survives), naive, "{ports} ports, {memories} memories, {capacity} cells");
        assert_ne!(found, Found::Undecided);
        survived += usize::from(naive);
    }
    assert!(survived > 2 && survived < sizes.len() - 2, "{survived}");
}

/// What the game says, in numbers. From queues of 4 cells on, nobody survives with N memories; with
/// 2 ports this is 2N-2. With 3 and 4 ports somebody survives with N+1, which is 2N-2 and 2N-3, as
/// far as this was looked at.
#[test]
fn the_memories_that_are_needed() {
    for (ports, capacities, needed) in
        [(2, 1..=3, 2), (2, 4..=16, 3), (3, 1..=3, 3), (3, 4..=7, 4), (4, 1..=3, 4), (4, 4..=5, 5)]
    {
        for (capacity, memories) in capacities.flat_map(|capacity| (ports..2 * ports).map(move |m| (capacity, m))) {
            let found = game::solve(Shape::new(ports, memories, capacity).unwrap(), 1 << 20, &mut unwatched).found;
            let about = format!("{ports} ports, {memories} memories, {capacity} cells");
            assert_eq!(matches!(found, Found::Survives), memories >= needed, "{about}");
            assert_ne!(found, Found::Undecided, "{about}");
        }
    }
}

#[test]
#[ignore = "for people: how far the game can be solved"]
fn the_memories_that_are_needed_further() {
    for (ports, capacities) in [(2, 2..16), (3, 2..10), (4, 2..7), (5, 3..6)] {
        for capacity in capacities {
            for memories in ports..2 * ports - 1 {
                let begun = std::time::Instant::now();
                let searched = game::solve(Shape::new(ports, memories, capacity).unwrap(), 1_000_000, &mut unwatched);
                let found = match searched.found {
                    Found::Survives => "survives",
                    Found::Fails(_) => "fails",
                    Found::Undecided => "undecided",
                };
                println!(
                    "N={ports} K={capacity} M={memories}: {found}, {} states, {:?}",
                    searched.states,
                    begun.elapsed()
                );
            }
        }
    }
}

/// The strategy beats every matcher with every placement, each on its own trace.
#[test]
fn the_strategy_beats_every_scheduler() {
    for (ports, memories, capacity) in [(2, 2, 4), (2, 2, 7), (3, 3, 4), (4, 4, 4)] {
        let Found::Fails(strategy) =
            game::solve(Shape::new(ports, memories, capacity).unwrap(), 1 << 20, &mut unwatched).found
        else {
            panic!("{ports} ports, {memories} memories: somebody survives");
        };
        for matcher in [Matcher::FirstFit, Matcher::Greedy, Matcher::Maximum] {
            for seed in 0..20 {
                let random = Placement::Random(Seed { seed, replication: 0 }.stream(Purpose::Scheduler, 0));
                for placement in [Placement::Lowest, Placement::rotate(memories), Placement::LeastLoaded, random] {
                    let config = Config { placement, ..Config::new(ports, memories, capacity, matcher) };
                    let fresh = SharedMemory::<1>::new(config);
                    let (mut playing, mut now) = (fresh.clone(), 0);
                    let trace = strategy.play(|arrivals| {
                        playing.slot(now, arrivals, &mut vec![Cell::IDLE; ports]);
                        now += 1;
                        playing.failure().is_none().then(|| playing.written())
                    });
                    let trace = trace.unwrap();
                    assert!(playing.failure().is_some());
                    // And on its own, replayed.
                    let (mut again, mut trace) = (fresh, Trace::new(ports, trace).unwrap());
                    let mut row = vec![NONE; ports];
                    for now in 0..trace.slots() as Slot {
                        trace.slot(now, &mut row);
                        again.slot(now, &row, &mut vec![Cell::IDLE; ports]);
                    }
                    assert_eq!(again.failure(), playing.failure());
                }
            }
        }
        // A scheduler that breaks the rules is not beaten, but found out.
        assert_eq!(strategy.play(|arrivals| Some(vec![0; arrivals.len()])), None);
        assert_eq!(strategy.play(|arrivals| Some(vec![NONE; arrivals.len()])), None);
    }
}

/// What is judged by proof is what a search finds, and every trace that is told is one on which the
/// switch stops.
#[test]
fn judgements_are_as_searched_and_replayed() {
    for (ports, capacity) in [(1, 2), (2, 1), (2, 2), (2, 4), (3, 2), (3, 3), (3, 4)] {
        for scheduler in [Scheduler::Any, Scheduler::FirstFit] {
            let mut all = judge_all(ports, capacity, scheduler, 1 << 20, &mut unwatched).unwrap();
            all.extend(
                (1..ports)
                    .map(|memories| judge(ports, capacity, memories, scheduler, 1 << 20, &mut unwatched).unwrap()),
            );
            for judged in all {
                let shape = Shape::new(ports, judged.memories, capacity).unwrap();
                let fails = match scheduler {
                    Scheduler::Any => matches!(game::solve(shape, 1 << 20, &mut unwatched).found, Found::Fails(_)),
                    _ => {
                        matches!(
                            first_fit::search(shape, Access::ReadWrite, 1 << 20, &mut unwatched).found,
                            Found::Fails(_)
                        )
                    }
                };
                assert_eq!(matches!(judged.found, Found::Fails(_)), fails, "{ports} ports of {capacity}: {judged:?}");
                if let Found::Fails(trace) = judged.found {
                    let matcher = if scheduler == Scheduler::Any { "maximum" } else { "first-fit" };
                    let spec = format!("psm(memories={},capacity={capacity},matcher={matcher})", judged.memories);
                    let failure = replay(&spec, ports, &trace).expect("the switch stops");
                    assert_eq!(Some(failure.slot()), trace.last().map(|arrival| arrival.slot), "{spec}");
                }
            }
        }
    }
    assert!(
        judge_all(0, 2, Scheduler::Any, 9, &mut unwatched).is_err()
            && judge(2, 0, 2, Scheduler::Any, 9, &mut unwatched).is_err()
    );
    assert!(
        judge(2, 2, 0, Scheduler::Any, 9, &mut unwatched).is_err()
            && judge(usize::MAX, 2, 2, Scheduler::Any, 9, &mut unwatched).is_err()
    );
    let large = judge(64, 64, 100, Scheduler::Any, 9, &mut unwatched).unwrap();
    assert_eq!((large.found, large.reason), (Found::Undecided, Reason::Size));
}

/// Searches that are stopped are undecided; what needs no search is answered all the same.
#[test]
fn a_watch_stops_each_search() {
    let mut calls = 0;
    let mut few = |_| {
        calls += 1;
        calls < 5
    };
    let stopped = game::solve(Shape::new(4, 5, 6).unwrap(), 1 << 20, &mut few);
    assert_eq!((stopped.found, stopped.stopped), (Found::Undecided, true));
    let stopped =
        first_fit::search(Shape::new(3, 5, 6).unwrap(), Access::ReadWrite, 1 << 20, &mut |states| states < 100);
    assert_eq!((stopped.found, stopped.stopped), (Found::Undecided, true));
    let all = judge_all(4, 6, Scheduler::Any, 1 << 20, &mut |_| false).unwrap();
    let reasons: Vec<Reason> = all.iter().map(|judged| judged.reason).collect();
    assert_eq!(reasons, [Reason::Stopped, Reason::Stopped, Reason::Stopped, Reason::Lemma]);
}

/// With N to 2N-2 memories `maximum` fails on the staircase, in its last slot, where no assignment
/// places the cells: the N cells fit the same N-1 memories. So do first-fit and greedy, and queues
/// are no longer than is said.
#[test]
fn no_matcher_can_place_the_last_cells_of_the_staircase() {
    for ports in (2..=16).chain([33, 64]) {
        for memories in ports..=2 * ports - 2 {
            if ports > 16 && memories != 2 * ports - 2 {
                continue;
            }
            let (trace, capacity) = (staircase_trace(ports, memories), staircase_capacity(ports, memories));
            assert!(capacity < 4 * ports, "{ports} ports: {capacity}");
            let last = trace.last().map(|arrival| arrival.slot);
            for matcher in ["maximum", "first-fit", "greedy"] {
                let spec = format!("psm(memories={memories},capacity={capacity},matcher={matcher})");
                let failure = replay(&spec, ports, &trace);
                let Some(Failure::Unplaced { slot, hall: Some(hall), needed, .. }) = &failure else {
                    panic!("{spec} of {ports} ports: {failure:?}");
                };
                assert_eq!((Some(*slot), *needed), (last, 2 * ports - 1), "{spec}");
                assert_eq!((hall.inputs.len(), hall.memories.len()), (ports, ports - 1), "{spec}");
                let text = failure.map(|failure| failure.to_string()).unwrap_or_default();
                assert!(!text.contains("matcher=") && text.contains("memories, which are always enough"), "{text}");
            }
        }
        let trace = staircase_trace(ports, 2 * ports - 2);
        assert_eq!(replay("psm(memories=2n-1,capacity=500,matcher=maximum)", ports, &trace), None);
    }
    for (ports, memories) in [(0, 0), (1, 1), (2, 1), (2, 3), (5, 4), (5, 9)] {
        assert!(staircase_trace(ports, memories).is_empty() && staircase_capacity(ports, memories) == 0);
    }
}

/// Theorem 2: with up to N+P-2 memories first-fit of striped flows fails on the trace that is
/// built, with M of them in slot M; with N+P-1 it does not, and nor does any other matcher.
#[test]
fn striped_flows_fail_with_one_memory_too_few() {
    for ports in 1..=9usize {
        for stripe in 1..=9usize {
            let trace = stripe_trace(ports, stripe);
            for flows in [1, 2, 5] {
                for memories in 1..ports + stripe - 1 {
                    let spec = format!("psm-flows(flows={flows},stripe={stripe},memories={memories})");
                    let failure = replay(&spec, ports, &trace);
                    let Some(Failure::Unstriped { slot, input, needed, .. }) = failure else {
                        panic!("{spec} of {ports} ports: {failure:?}");
                    };
                    assert_eq!((slot as usize, usize::from(input)), (memories, ports - 1), "{spec}");
                    assert_eq!(needed, ports + stripe - 1);
                }
                for matcher in ["first-fit", "halving", "colouring", "lpv"] {
                    let spec = format!("psm-flows(flows={flows},stripe={stripe},matcher={matcher})");
                    assert_eq!(replay(&spec, ports, &trace), None, "{spec} of {ports} ports");
                }
            }
        }
    }
    assert!(stripe_trace(0, 3).is_empty() && stripe_trace(3, 0).is_empty() && stripe_trace(1, 1).is_empty());
}

/// Memories that are read or written, not both: with 2 ports first-fit needs all 3N-1 of them.
#[test]
fn single_access_needs_as_many_as_are_enough() {
    for capacity in [4, 6, 8] {
        let all = judge_all(2, capacity, Scheduler::SingleAccess, 1 << 20, &mut unwatched).unwrap();
        assert_eq!(all.iter().map(|judged| judged.memories).collect::<Vec<_>>(), [2, 3, 4, 5]);
        assert_eq!(all[3].reason, Reason::LemmaWithReads);
        for judged in &all[..3] {
            let Found::Fails(trace) = &judged.found else { panic!("{judged:?}") };
            let spec = format!("psm(memories={},capacity={capacity},access=single)", judged.memories);
            let failure = replay(&spec, 2, trace).expect("the switch stops");
            assert_eq!(Some(failure.slot()), trace.last().map(|arrival| arrival.slot), "{spec}");
            assert!(failure.to_string().contains("use 5 memories"), "{failure}");
        }
        // And what is said to be enough is, by looking at all states.
        let enough = first_fit::search(Shape::new(2, 5, capacity).unwrap(), Access::Single, 1 << 20, &mut unwatched);
        assert!(enough.found == Found::Survives && enough.states > 100);
    }
}

#[test]
fn built_traces_are_judged() {
    for (ports, memories, capacity) in [(2, 2, 3), (8, 14, 40), (8, 9, 40)] {
        let judged = judge(ports, capacity, memories, Scheduler::Maximum, 9, &mut unwatched).unwrap();
        assert_eq!(judged.reason, Reason::Built);
        let Found::Fails(trace) = judged.found else { panic!() };
        let spec = format!("psm(memories={memories},capacity={capacity},matcher=maximum)");
        assert!(replay(&spec, ports, &trace).is_some());
    }
    // Queues too short for it: known only where every scheduler fails.
    let short = judge(4, 4, 4, Scheduler::Maximum, 1 << 20, &mut unwatched).unwrap();
    assert!(matches!((short.found, short.reason), (Found::Fails(_), Reason::Search)));
    let short = judge(3, 4, 4, Scheduler::Maximum, 1 << 20, &mut unwatched).unwrap();
    assert_eq!((short.found, short.reason), (Found::Undecided, Reason::ShortQueues));
    let striped = judge_all(3, 1, Scheduler::Striped(4), 9, &mut unwatched).unwrap();
    let reasons: Vec<Reason> = striped.iter().map(|judged| judged.reason).collect();
    assert_eq!(reasons, [Reason::Built, Reason::Built, Reason::Built, Reason::Theorem2]);
    assert!(judge(3, 1, 3, Scheduler::Striped(0), 9, &mut unwatched).is_err());
    assert!(judge_all(3, 1, Scheduler::Striped(0), 9, &mut unwatched).is_err());
    assert!(judge_all(3, 1, Scheduler::Striped(usize::MAX), 9, &mut unwatched).is_err());
}
