use super::*;
use crate::port_set::PortSet;
use crate::rng::{Purpose, Rng, Seed};
use proptest::prelude::*;

fn stream(seed: u64) -> Rng {
    Seed { seed, replication: 0 }.stream(Purpose::Scheduler, 0)
}

/// The size of a maximum matching, by one augmenting path after the other.
fn kuhn<const W: usize>(rows: &[PortSet<W>]) -> usize {
    fn augment<const W: usize>(
        rows: &[PortSet<W>],
        input: usize,
        seen: &mut [bool],
        input_of: &mut [Option<usize>],
    ) -> bool {
        for output in rows[input].iter() {
            if !core::mem::replace(&mut seen[output], true)
                && input_of[output].is_none_or(|other| augment(rows, other, seen, input_of))
            {
                input_of[output] = Some(input);
                return true;
            }
        }
        false
    }
    let mut input_of = vec![None; rows.len()];
    (0..rows.len()).filter(|&input| augment(rows, input, &mut vec![false; rows.len()], &mut input_of)).count()
}

/// Runs one slot and returns the size of its matching, after checking that it is one and names only
/// non-empty VOQs.
fn slot<const W: usize>(msm: &mut Msm<W>, rows: &[PortSet<W>]) -> usize {
    let ports = rows.len();
    let mut matching = Matching::new(ports);
    msm.schedule(&View { rows, ..View::nothing(ports, 0) }, &mut matching);
    let mut taken = vec![false; ports];
    for (input, &output) in matching.outputs().iter().enumerate().filter(|&(_, &output)| output != NONE) {
        assert!(rows[input].contains(output as usize), "the queue from {input} to {output} is empty");
        assert!(!core::mem::replace(&mut taken[output as usize], true), "output {output} is matched twice");
    }
    taken.into_iter().filter(|&taken| taken).count()
}

fn random<const W: usize>(ports: usize, rng: &mut Rng, per_row: usize) -> Vec<PortSet<W>> {
    let mut rows = vec![PortSet::<W>::EMPTY; ports];
    for voq in 0..ports * ports {
        if rng.below(ports) < per_row {
            rows[voq / ports].insert(voq % ports);
        }
    }
    rows
}

fn equals_kuhn<const W: usize>(ports: usize, rounds: usize) {
    let mut msm = Msm::<W>::new(ports, stream(1));
    let mut rng = stream(2);
    for _ in 0..rounds {
        // Sparse ones are the hard ones.
        let per_row = if rng.below(4) > 0 { 1 + rng.below(5) } else { rng.below(ports + 1) };
        let rows = random::<W>(ports, &mut rng, per_row);
        assert_eq!(slot(&mut msm, &rows), kuhn(&rows), "{rows:?}");
    }
}

#[test]
fn equals_kuhn_at_all_sizes() {
    for ports in 1..=64 {
        equals_kuhn::<1>(ports, 100);
    }
    for ports in 65..=70 {
        equals_kuhn::<2>(ports, 100);
    }
    equals_kuhn::<4>(130, 200);
}

#[test]
fn every_3x3_pattern_and_every_rotation() {
    for pattern in 0..512u64 {
        let rows = [pattern & 7, pattern >> 3 & 7, pattern >> 6].map(|word| PortSet { words: [word] });
        for seed in 0..20 {
            assert_eq!(slot(&mut Msm::new(3, stream(seed)), &rows), kuhn(&rows), "{rows:?}");
        }
    }
}

proptest! {
    #[test]
    fn equals_kuhn_where_shrinking_helps(rows in prop::collection::vec(0u64..256, 8)) {
        let rows: Vec<PortSet<1>> = rows.into_iter().map(|row| PortSet { words: [row] }).collect();
        prop_assert_eq!(slot(&mut Msm::new(8, stream(3)), &rows), kuhn(&rows));
    }
}

/// A path through all ports: inputs i and i + 1 share output i + 1, the greedy matching may be off
/// by one everywhere.
#[test]
fn the_longest_possible_path() {
    const PORTS: usize = 4096;
    let mut rows = vec![PortSet::<64>::EMPTY; PORTS];
    for (input, row) in rows.iter_mut().enumerate() {
        row.insert(input);
        row.insert((input + 1).min(PORTS - 1));
    }
    for seed in 0..5 {
        assert_eq!(slot(&mut Msm::new(PORTS, stream(seed)), &rows), PORTS);
    }
}

#[test]
fn no_port_number_is_favoured() {
    let rows = vec![PortSet { words: [0b1111_1110] }; 8];
    let mut msm = Msm::<1>::new(8, stream(4));
    let mut left_out = vec![0; 8];
    for _ in 0..8000 {
        let mut matching = Matching::new(8);
        msm.schedule(&View { rows: &rows, ..View::nothing(8, 0) }, &mut matching);
        let input = matching.outputs().iter().position(|&output| output == NONE).expect("an input without a pair");
        left_out[input] += 1;
    }
    // 1000 each, with a standard deviation of 30.
    assert!(left_out.iter().all(|times| (850..1150).contains(times)), "{left_out:?}");
}

#[test]
fn allocates_nothing() {
    let mut rng = stream(5);
    let rows = random::<1>(64, &mut rng, 3);
    let mut msm = Msm::<1>::new(64, rng);
    let mut matching = Matching::new(64);
    let view = View { rows: &rows, ..View::nothing(64, 0) };
    let used = allocation_counter::measure(|| msm.schedule(&view, &mut matching));
    assert_eq!(used.count_total, 0);
}
