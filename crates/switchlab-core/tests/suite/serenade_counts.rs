//! What SERENADE costs in messages: counted by hand, bounded, and searched for by Procedure 2 on
//! places.

use crate::common::SEED;
use crate::naive_serena;
use crate::serenade_messages::{KEY, O, merged, one_cycle, rules};
use switchlab_core::rng::Purpose;
use switchlab_core::schedule::serena::accounting::{Accounting, Bypass, Prefix};
use switchlab_core::schedule::serena::ouroboros::last_iteration;
use switchlab_core::schedule::serena::rules::{Consistency, Leader, Populate, Rules, Tie, Variant};
use switchlab_core::{Error, NONE, Port};
use switchlab_theory::serenade::{Address, Class, Network, Report, Round};

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
        assert_eq!(counts.bits.own, 20 * (5 + 32) + 19 * (5 + 64) + 19 * 2 * 5 * (5 + 74));
        assert_eq!((counts.bits.leader, counts.bits.overweight, counts.bits.sketch), (leader, 0, 0));
        // A level of 0 to 5 has 3 bits.
        assert_eq!(search.bits.total(), search.messages * (3 + 74));
        let controlled = match variant {
            Variant::C => 0,
            O => 6 + 20 * 6,
            _ => 5 + 6 + 20 * 6,
        };
        assert_eq!(controller.bits.total(), controlled);
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
        network.account(Accounting { prefix: Prefix::Doubling, ..Accounting::default() });
        network.slot(2, &arrived, &lengths, Variant::C, &mut rng).unwrap();
        let report = network.report();
        assert!(red.is_none_or(|red| report.red == red), "{populate:?}: {:?}", report.red);
        // Announcements, an acceptance; an identity has 2 bits.
        let prune = report.counts(Class::Prune);
        assert_eq!((prune.messages, prune.bits.total(), prune.rounds), (2 + 1, 2 * 34 + 1, 2));
        // Counting at distances 1 and 2, for inputs: 3 + 2.
        let counting = 5;
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
        // All carry an identity or a count of 2 bits, claims a weight besides, and the number of
        // free ports, which may be 4, has 3.
        let spread = if populate == Populate::Rotate { 3 } else { 0 };
        assert_eq!(report.counts(Class::Populate).bits.total(), populates * 2 + 3 * 32 + spread, "{populate:?}");
        assert_eq!(report.counts(Class::Shuffle).bits.total(), shuffles / 2 * (1 + 2), "{populate:?}");
        let rounds = match populate {
            Populate::Rank => 2 + 2 + 4,
            Populate::Rotate | Populate::Random => 2 + 2 + 2 + 4,
        };
        assert_eq!(report.phases.populate, rounds, "{populate:?}");
    }
}

#[test]
fn ladner_and_fischer_counted_by_hand() {
    // Eight free inputs and outputs: up the tree 4 + 2 + 1 messages, down 1 + 3, on either side.
    let mut rng = SEED.stream(Purpose::Scheduler, 0);
    let mut network = Network::new(8, Rules::default(), KEY).unwrap();
    network.record(true);
    network.slot(0, &[NONE; 8], &[0; 64], Variant::C, &mut rng).unwrap();
    let report = network.report();
    assert_eq!(report.red, [0, 1, 2, 3, 4, 5, 6, 7]);
    // Every input is its own broker: it only hears its output's offer, and claims it.
    assert_eq!(report.counts(Class::Populate).messages, 2 * (7 + 4) + 8 + 8);
    assert_eq!(report.counts(Class::Populate).most_in_round, 1);
    assert_eq!((report.phases.populate, report.counts(Class::Prune).messages), (3 + 2 + 2, 0));
    let counts = |step| {
        let of_inputs = network
            .transcript()
            .iter()
            .filter(|sent| sent.round == Round::Count(step) && matches!(sent.from, Address::Input(_)));
        of_inputs.map(|sent| (sent.from, sent.to)).collect::<Vec<_>>()
    };
    let pair = |from, to| (Address::Input(from), Address::Input(to));
    assert_eq!(counts(1), [pair(1, 3), pair(5, 7)]);
    assert_eq!(counts(2), [pair(3, 7)]);
    assert_eq!(counts(4), [pair(3, 5)]);
    assert_eq!(counts(5), [pair(1, 2), pair(3, 4), pair(5, 6)]);
}

/// Section 4.3.3: without a local bypass an output passes on what one input sends to another, "at
/// twice the communication costs".
#[test]
fn relays_double_what_inputs_send_each_other() {
    let mut rng = SEED.stream(Purpose::Scheduler, 4);
    let (red, green) = one_cycle(19, 20, &mut rng);
    let lengths = vec![vec![1; 20]; 20];
    let mut direct = Network::new(20, Rules::default(), KEY).unwrap();
    let mut relayed = direct.clone();
    relayed.account(Accounting { bypass: Bypass::Absent, ..Accounting::default() });
    for variant in [Variant::C, O, Variant::E] {
        let direct = merged(&mut direct, 0, (&red, &green), &lengths, variant);
        let relayed = merged(&mut relayed, 0, (&red, &green), &lengths, variant);
        assert_eq!((&relayed.matching, &relayed.findings), (&direct.matching, &direct.findings));
        assert_eq!((relayed.iterations, relayed.search_length), (direct.iterations, direct.search_length));
        let of = |report: &Report, class| (report.counts(class).messages, report.counts(class).bits);
        let ((before, bits), (after, doubled)) = (of(&direct, Class::Common), of(&relayed, Class::Common));
        // The outputs' 20 messages to inputs stay; the others carry the reader's 5 bits once more.
        assert_eq!(after, 2 * before - 20);
        assert_eq!(doubled.own, 2 * bits.own - 20 * 37 + (before - 20) * 5);
        assert_eq!((doubled.leader, doubled.overweight), (2 * bits.leader, 2 * bits.overweight));
        assert_eq!(of(&relayed, Class::Search).0, 2 * of(&direct, Class::Search).0);
        assert_eq!(of(&relayed, Class::Controller), of(&direct, Class::Controller));
        assert_eq!(relayed.counts(Class::Common).most_in_round, 1, "messages collide");
        let searching = direct.search_length;
        assert_eq!(
            relayed.phases.merge,
            2 * direct.phases.merge
                - 1
                - match variant {
                    Variant::C => 0,
                    // Report and broadcast; registration, too, and the last report.
                    O => 2,
                    _ => 3,
                },
            "{searching} moves"
        );
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
            assert!(report.counts(Class::Populate).most_sent <= last + 4 && report.counts(Class::Prune).most_sent <= 1);
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
