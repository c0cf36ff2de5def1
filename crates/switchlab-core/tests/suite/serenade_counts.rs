//! What SERENADE costs in messages: counted by hand, bounded, and searched for by Procedure 2 on
//! places.

use crate::common::SEED;
use crate::naive_serena;
use crate::serenade_messages::{KEY, O, merged, one_cycle, rules};
use switchlab_core::rng::Purpose;
use switchlab_core::schedule::serena::ouroboros::last_iteration;
use switchlab_core::schedule::serena::rules::{Consistency, Leader, Populate, Rules, Tie, Variant};
use switchlab_core::{Error, NONE, Port};
use switchlab_theory::serenade::{Class, Network};

#[test]
fn a_cycle_of_19_of_20_ports_counted_by_hand() {
    let mut rng = SEED.stream(Purpose::Scheduler, 0);
    let (red, green) = one_cycle(19, 20, &mut rng);
    let lengths = vec![vec![1; 20]; 20];
    let mut network = Network::new(20, Rules::default(), KEY).unwrap();
    // K = 5. Iteration 0: all outputs, then the 19 vertices of the cycle; then 19 vertices twice in
    // each of 5 iterations.
    let common = 20 + 19 + 19 * 2 * 5;
    for variant in [Variant::C, O, Variant::E] {
        let report = merged(&mut network, 0, (&red, &green), &lengths, variant);
        let counts = report.counts(Class::Common);
        assert_eq!((counts.messages, counts.rounds, report.iterations), (common, 12, 6));
        assert_eq!((counts.most_sent, counts.most_received, counts.most_in_round), (11, 12, 1));
        let (search, controller) = (report.counts(Class::Search), report.counts(Class::Controller));
        match variant {
            Variant::C => assert_eq!((controller.messages, search.messages, report.broadcast), (0, 0, 0)),
            // A report, and the broadcast to 20 inputs.
            O => assert_eq!((controller.messages, search.messages, report.broadcast), (1 + 20, 0, 1)),
            // A registration, too; the search goes from place 32 to 24, 20 and 19.
            _ => assert_eq!((controller.messages, search.messages, report.broadcast), (2 + 20, 3, 1)),
        }
        assert_eq!(report.search_length, search.rounds);
        // An identity has 5 bits, the weight of a walk 37, a leader 5 in the second round.
        let leader = if variant == Variant::C { 0 } else { 19 * 5 * 5 };
        assert_eq!(counts.bits, 20 * (5 + 32) + 19 * 64 + 19 * 2 * 5 * (5 + 74) + leader);
    }
}

#[test]
fn populate_counted_by_hand() {
    // Inputs 0 and 1 both have a cell for output 1: input 0 is kept, so 1, 2, 3 and outputs 0, 2, 3
    // are free.
    let (arrived, lengths) = ([1, 1, NONE, NONE], [0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    for (populate, red) in
        [(Populate::Rank, Some([1, 0, 2, 3])), (Populate::Rotate, Some([1, 3, 0, 2])), (Populate::Random, None)]
    {
        let mut rng = SEED.stream(Purpose::Scheduler, 0);
        let mut network = Network::new(4, Rules { populate, ..Rules::default() }, KEY).unwrap();
        network.slot(2, &arrived, &lengths, Variant::C, &mut rng).unwrap();
        let report = network.report();
        assert!(red.is_none_or(|red| report.red == red), "{populate:?}: {:?}", report.red);
        // Announcements, an acceptance; counting at distances 1 and 2, for inputs: 3 + 2.
        let counting = 2 + 1 + 5;
        // Asking, offering, introducing, claiming. Input k + 1 asks broker k, so all ask another;
        // under rotate, inputs 1, 2, 3 ask brokers 2, 0, 1. A broker speaks to the input that
        // asked, which is never itself here.
        let meeting = 4 * 3;
        let (populates, shuffles) = match populate {
            Populate::Rank => (counting + 5 + meeting, 0),
            // The number of free ports reaches the three other inputs.
            Populate::Rotate => (counting + 5 + 3 + meeting, 0),
            // Outputs do not count: they report, and get ranks.
            Populate::Random => (counting + meeting, 6),
        };
        let messages = [Class::Populate, Class::Shuffle].map(|class| report.counts(class).messages);
        assert_eq!(messages, [populates, shuffles], "{populate:?}");
    }
}

#[test]
fn messages_per_vertex_are_two_in_each_iteration_and_a_few() {
    let mut rng = SEED.stream(Purpose::Scheduler, 1);
    for ports in [2, 7, 64, 100, 128] {
        let last = last_iteration(ports);
        let mut network = Network::new(ports, Rules::default(), KEY).unwrap();
        for slot in 0..200 {
            let arrived: Vec<Port> = (0..ports).map(|_| rng.below(ports) as Port).collect();
            let lengths: Vec<u32> = (0..ports * ports).map(|_| rng.below(10) as u32).collect();
            network.slot(slot, &arrived, &lengths, Variant::E, &mut rng).unwrap();
            let report = network.report();
            let common = report.counts(Class::Common);
            assert_eq!(common.most_in_round, 1, "messages collide");
            // One of its first two messages is the output's.
            assert!(common.most_sent < 2 * (last + 1) && common.most_received <= 2 * (last + 1));
            // "Each vertex receives and transmits at most one message each during the binary
            // search."
            let search = report.counts(Class::Search);
            assert!(search.most_sent <= 1 && search.most_received <= 1 && search.most_in_round <= 1);
            // A leader also registers and reports.
            assert!(report.sent.iter().all(|&sent| sent < 2 * (last + 1) + 4), "{:?}", report.sent);
            // POPULATE: brokers meet two ports, in different rounds; only announcements crowd.
            assert!(report.counts(Class::Populate).most_sent <= last + 5);
            assert!(report.iterations <= last + 1 && report.search_length <= last);
            let silent = report.findings.iter().filter(|finding| finding.moves.is_some()).count();
            assert_eq!(report.broadcast as usize, silent);
        }
    }
}

#[test]
fn a_search_takes_the_moves_of_procedure_2() {
    let mut rng = SEED.stream(Purpose::Scheduler, 2);
    let mut searched = 0;
    for ports in [16, 20, 64, 100, 128, 200] {
        let last = last_iteration(ports);
        let mut network = Network::new(ports, rules(Tie::Green), KEY).unwrap();
        for length in 1..=ports {
            let (red, green) = one_cycle(length, ports, &mut rng);
            let lengths = vec![vec![1; ports]; ports];
            let report = merged(&mut network, 0, (&red, &green), &lengths, Variant::E);
            let cycles = naive_serena::cycles(&red, &green);
            let cycle = cycles.iter().find(|cycle| cycle.len() == length).unwrap();
            let finding = report.findings[cycle[0]];
            if naive_serena::revealed(length, ports).is_some() {
                assert_eq!((report.search_length, report.broadcast, finding.leader), (0, 0, None));
                continue;
            }
            let moves = naive_serena::moves(1 << last, last, length);
            assert_eq!((finding.moves, report.search_length), (Some(moves), moves), "length {length} of {ports}");
            // All know the leader.
            assert!(cycle.iter().all(|&input| report.findings[input].leader == Some(cycle[0] as Port)));
            searched += 1;
        }
    }
    assert!(searched > 200, "{searched}");
}

#[test]
fn the_time_of_the_searches_is_that_of_the_longest() {
    // Two cycles that are not ouroboros for 64 ports, of lengths 19 and 37.
    let ports = 64;
    let moves = [19, 37].map(|length| naive_serena::moves(64, 6, length));
    assert_ne!(moves[0], moves[1]);
    let green: Vec<usize> = (0..ports).collect();
    let mut red = green.clone();
    red[..19].rotate_left(1);
    red[19..56].rotate_left(1);
    let mut network = Network::new(ports, Rules::default(), KEY).unwrap();
    let report = merged(&mut network, 0, (&red, &green), &vec![vec![1; ports]; ports], Variant::E);
    assert_eq!((report.findings[0].moves, report.findings[19].moves), (Some(moves[0]), Some(moves[1])));
    assert_eq!((report.search_length, report.broadcast), (moves[0].max(moves[1]), 2));
    assert_eq!(report.counts(Class::Search).messages, u64::from(moves[0] + moves[1]));
}

#[test]
fn leadership_rotates() {
    let mut rng = SEED.stream(Purpose::Scheduler, 3);
    let (red, green) = one_cycle(19, 20, &mut rng);
    let rotating = Variant::O { leader: Leader::Rotating, consistency: Consistency::Leader };
    let mut network = Network::new(20, Rules::default(), KEY).unwrap();
    let lengths = vec![vec![1; 20]; 20];
    let on_cycle: Vec<usize> = (0..20).filter(|&input| red[input] != green[input]).collect();
    for slot in 0..50 {
        let report = merged(&mut network, slot, (&red, &green), &lengths, rotating);
        // Input 20 - t has nominee identity 0 in slot t; if it is not on the cycle, the next one
        // leads.
        let first = (20 - slot as usize % 20) % 20;
        let leader = (first..20).chain(0..first).find(|input| on_cycle.contains(input)).unwrap();
        assert!(on_cycle.iter().all(|&input| report.findings[input].leader == Some(leader as Port)), "slot {slot}");
    }
}

#[test]
fn what_is_no_matching_is_refused() {
    assert!(matches!(Network::new(0, Rules::default(), KEY), Err(Error::Ports { .. })));
    assert!(matches!(Network::new(5000, Rules::default(), KEY), Err(Error::Ports { .. })));
    let mut network = Network::new(3, Rules::default(), KEY).unwrap();
    let mut rng = SEED.stream(Purpose::Scheduler, 0);
    for (red, green, queues) in [
        (vec![0, 0, 1], vec![0, 1, 2], 9),
        (vec![0, 1, 2], vec![0, 1, NONE], 9),
        (vec![0, 1], vec![0, 1, 2], 9),
        (vec![0, 1, 2], vec![2, 1, 0], 8),
    ] {
        assert!(network.merge(0, &red, &green, &vec![0; queues], Variant::C).is_err());
    }
    for arrived in [vec![3, 0, 0], vec![0, 0]] {
        assert!(network.slot(0, &arrived, &[0; 9], Variant::E, &mut rng).is_err());
    }
    assert_eq!(network.slot(0, &[NONE; 3], &[0; 9], Variant::E, &mut rng).unwrap(), [0, 1, 2]);
}
