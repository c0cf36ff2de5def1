//! Schedulers alone, on request matrices that have nothing to do with each other from slot to slot,
//! so that states come up which no queue would reach; and every arrival pattern of a switch of two
//! ports.

use crate::common::{SEED, switch};
use crate::naive::{self, Lengths, Scheduler as _, twin};
use switchlab_core::PortSet;
use switchlab_core::rng::{Purpose, Rng};
use switchlab_core::schedule::{Matching, Scheduler, View, ilqf::Ilqf, islip::Islip, pim::Pim};
use switchlab_core::{Cell, NONE, Port, Seed, Slot};

/// Queue lengths of all kinds: empty, full, sparse, dense, a single row or column, with many ties
/// or hardly any.
fn random_lengths(ports: usize, rng: &mut Rng) -> Lengths {
    let per_mille = [0, 5, 50, 300, 700, 1000][rng.below(6)];
    let longest = [1, 2, 3, 1000][rng.below(4)];
    let (only_input, only_output) = (rng.below(ports), rng.below(ports));
    let shape = rng.below(8);
    let mut lengths = vec![vec![0; ports]; ports];
    for (input, row) in lengths.iter_mut().enumerate() {
        for (output, length) in row.iter_mut().enumerate() {
            let inside = match shape {
                0 => input == only_input,
                1 => output == only_output,
                2 => input == only_input || output == only_output,
                _ => true,
            };
            if inside && rng.below(1000) < per_mille {
                *length = 1 + rng.below(longest);
            }
        }
    }
    lengths
}

/// What the scheduler makes of these lengths, by input.
pub(crate) fn matched<const W: usize, S: Scheduler<W>>(
    scheduler: &mut S,
    now: Slot,
    lengths: &Lengths,
) -> naive::Pairs {
    let ports = lengths.len();
    let mut rows = vec![PortSet::<W>::EMPTY; ports];
    let mut columns = vec![PortSet::<W>::EMPTY; ports];
    for (input, row) in lengths.iter().enumerate() {
        for (output, _) in row.iter().enumerate().filter(|(_, length)| **length > 0) {
            rows[input].insert(output);
            columns[output].insert(input);
        }
    }
    let flat: Vec<u32> = lengths.iter().flatten().map(|&length| length as u32).collect();
    let arrived = vec![NONE; ports];
    let mut view = View::nothing(ports, now);
    (view.rows, view.columns, view.lengths, view.arrived) = (&rows, &columns, &flat, &arrived);
    let mut matching = Matching::new(ports);
    scheduler.schedule(&view, &mut matching);
    matching.outputs().iter().map(|&output| (output != NONE).then_some(usize::from(output))).collect()
}

fn same<const W: usize>(ports: usize, slots: Slot) {
    for iterations in [1, 2, 4, ports] {
        let seed = Seed { seed: 5, replication: iterations as u32 };
        let mut states = seed.stream(Purpose::Fabric, ports);
        let mut islip = Islip::<W>::new(ports, iterations);
        let mut naive_islip = naive::Islip::new(ports, iterations);
        let stream = || seed.stream(Purpose::Scheduler, 0);
        let mut pim = Pim::<W>::new(ports, iterations, stream());
        let mut naive_pim = naive::Pim { rounds: naive::Rounds::new(ports, iterations), rng: stream() };
        let mut ilqf = Ilqf::<W>::new(ports, iterations);
        let mut naive_ilqf = naive::Ilqf { rounds: naive::Rounds::new(ports, iterations) };
        for now in 0..slots {
            let lengths = random_lengths(ports, &mut states);
            let say = |name| format!("{name}, {ports} ports, {iterations} iterations, slot {now}");
            assert_eq!(matched(&mut islip, now, &lengths), naive_islip.schedule(now, &lengths), "{}", say("islip"));
            assert_eq!(pointers(&islip.grant_pointers()), naive_islip.grant, "{}", say("grant pointers"));
            assert_eq!(pointers(&islip.accept_pointers()), naive_islip.accept, "{}", say("accept pointers"));
            assert_eq!(matched(&mut pim, now, &lengths), naive_pim.schedule(now, &lengths), "{}", say("pim"));
            assert_eq!(matched(&mut ilqf, now, &lengths), naive_ilqf.schedule(now, &lengths), "{}", say("ilqf"));
        }
    }
}

fn pointers(ports: &[Port]) -> Vec<usize> {
    ports.iter().map(|&port| usize::from(port)).collect()
}

#[test]
fn unrelated_requests_in_every_slot() {
    for ports in [1, 2, 3, 4, 8] {
        same::<1>(ports, 4000);
    }
    for ports in [16, 33] {
        same::<1>(ports, 1000);
    }
    for ports in [63, 64] {
        same::<1>(ports, 300);
    }
    for ports in [65, 127, 128] {
        same::<2>(ports, 150);
    }
    for ports in [130, 192, 193, 256] {
        same::<4>(ports, 60);
    }
    // More words than the ports need.
    same::<4>(5, 500);
    same::<16>(257, 20);
}

/// iLQF's accept step compares granted queues alone, so it can end far from the greedy matching:
/// output k is wasted on a grant to input 0 while input k settles for a queue of 1. Shows that no
/// share of the maximum weight is guaranteed.
#[test]
fn ilqf_can_miss_most_of_the_weight() {
    let (ports, others) = (8, 3);
    let mut lengths = vec![vec![0; ports]; ports];
    lengths[0][0] = 10;
    for k in 1..=others {
        lengths[0][k] = 9;
        lengths[k][k] = 8;
        lengths[k][others + k] = 1;
    }
    let pairs = matched(&mut Ilqf::<1>::new(ports, ports), 0, &lengths);
    let weight: usize = pairs.iter().enumerate().filter_map(|(input, &output)| Some(lengths[input][output?])).sum();
    assert_eq!(pairs[..4], [Some(0), Some(4), Some(5), Some(6)]);
    assert_eq!(weight, 13, "of 10 + 3 * 8 = 34");
}

/// Nine patterns in each of five slots (each input: none, 0 or 1), then enough empty slots for all
/// cells to leave.
#[test]
fn every_arrival_pattern_of_two_ports() {
    const SLOTS: u32 = 5;
    const DRAIN: u32 = 12;
    for (name, iterations) in [
        ("oq", 0),
        ("fifo", 0),
        ("tdm", 0),
        ("gs-lqf", 0),
        ("gs-ocf", 0),
        ("islip", 1),
        ("islip", 2),
        ("rrm", 1),
        ("rrm", 2),
        ("ilqf", 1),
        ("ilqf", 2),
        ("pim", 1),
        ("pim", 2),
    ] {
        let spec = if iterations == 0 { name.to_string() } else { format!("{name}(iterations={iterations})") };
        for sequence in 0..9u32.pow(SLOTS) {
            let mut real = switch(&spec, 2, SEED);
            let mut naive = twin(name, 2, iterations, SEED);
            let mut rest = sequence;
            for now in 0..SLOTS + DRAIN {
                let arrivals =
                    [rest % 3, rest / 3 % 3].map(|digit| if digit == 0 { NONE } else { (digit - 1) as Port });
                rest /= 9;
                let (mut got, mut expected) = ([Cell::IDLE; 2], [Cell::IDLE; 2]);
                real.slot(now, &arrivals, &mut got);
                naive.slot(now, &arrivals, &mut expected);
                assert_eq!(got, expected, "{spec}, sequence {sequence}, slot {now}");
            }
            assert_eq!(real.census().queued, 0, "{spec}, sequence {sequence}");
        }
    }
}
