use super::*;
use crate::cell::Cell;
use crate::port_set::PortSet;
use crate::registry;
use crate::rng::{Purpose, Rng, Seed};
use crate::switch::Switch;
use crate::switch::crossbar::{Crossbar, voq::Linked};
use crate::traffic::LoadMatrix;
use pathfinding::matrix::Matrix;
use pathfinding::prelude::kuhn_munkres;
use proptest::prelude::*;

/// The weight of a matching, after checking that it is one and that every VOQ in it has a cell.
fn weight(ports: usize, lengths: &[u32], matching: &Matching) -> i64 {
    let mut taken = vec![false; ports];
    let mut weight = 0;
    for (input, &output) in matching.outputs().iter().enumerate() {
        if output != NONE {
            let length = lengths[input * ports + output as usize];
            assert!(length > 0, "the queue from {input} to {output} is empty");
            assert!(!core::mem::replace(&mut taken[output as usize], true), "output {output} is matched twice");
            weight += i64::from(length);
        }
    }
    weight
}

/// The prices prove that no matching is better: no VOQ is longer than those of its ports, and their
/// sum is the weight.
fn prove<const W: usize>(mwm: &Mwm<W>, lengths: &[u32], weight: i64) {
    let ports = mwm.output_price.len();
    for (input, row) in lengths.chunks_exact(ports).enumerate() {
        for (output, &length) in row.iter().enumerate() {
            assert!(mwm.input_price[input] + mwm.output_price[output] >= i64::from(length));
        }
    }
    let prices: i64 = mwm.input_price.iter().chain(&mwm.output_price).sum();
    assert_eq!(prices, weight);
    let longest = lengths.iter().copied().max().unwrap_or(0) as u64;
    let highest = mwm.output_price.iter().copied().max().unwrap_or(0);
    assert!((highest - mwm.floor) as u64 <= longest * ports as u64, "prices run away");
}

/// Runs one slot and returns the weight of its matching, proved to be of maximum weight.
fn slot<const W: usize>(mwm: &mut Mwm<W>, now: u32, lengths: &[u32]) -> i64 {
    let ports = mwm.output_price.len();
    let mut rows = vec![PortSet::<W>::EMPTY; ports];
    for (voq, _) in lengths.iter().enumerate().filter(|&(_, &length)| length > 0) {
        rows[voq / ports].insert(voq % ports);
    }
    let mut matching = Matching::new(ports);
    mwm.schedule(&View { rows: &rows, lengths, ..View::nothing(ports, now) }, &mut matching);
    let weight = weight(ports, lengths, &matching);
    prove(mwm, lengths, weight);
    weight
}

/// The largest weight of all permutations.
fn brute_force(ports: usize, lengths: &[u32]) -> i64 {
    fn best(ports: usize, lengths: &[u32], input: usize, taken: u32) -> i64 {
        let choices = (0..ports).filter(|output| taken >> output & 1 == 0);
        let weights = choices.map(|output| {
            i64::from(lengths[input * ports + output]) + best(ports, lengths, input + 1, taken | 1 << output)
        });
        weights.max().unwrap_or(0)
    }
    best(ports, lengths, 0, 0)
}

fn by_kuhn_munkres(ports: usize, lengths: &[u32]) -> i64 {
    let weights = lengths.iter().map(|&length| i64::from(length)).collect();
    kuhn_munkres(&Matrix::from_vec(ports, ports, weights).expect("a square matrix")).0
}

#[test]
fn every_3x3_matrix_of_small_weights_in_one_run() {
    let mut mwm = Mwm::<1>::new(3);
    for (now, code) in (0..3u32.pow(9)).enumerate() {
        // Counted up, neighbours differ little; times a unit modulo 3^9, not at all alike.
        for code in [code, code * 7_001 % 3u32.pow(9)] {
            let lengths: Vec<u32> = (0..9).map(|digit| code / 3u32.pow(digit) % 3).collect();
            assert_eq!(slot(&mut mwm, now as u32, &lengths), brute_force(3, &lengths), "{lengths:?}");
        }
    }
}

#[test]
fn every_pair_of_2x2_matrices() {
    for code in 0..4u32.pow(8) {
        let lengths: Vec<u32> = (0..8).map(|digit| code >> (2 * digit) & 3).collect();
        let mut mwm = Mwm::<1>::new(2);
        for (now, lengths) in lengths.chunks_exact(4).enumerate() {
            assert_eq!(slot(&mut mwm, now as u32, lengths), brute_force(2, lengths), "{lengths:?}");
        }
    }
}

/// A sequence of matrices for one scheduler: each is new, or the last one with a few queues a cell
/// longer or shorter.
fn matrices() -> impl Strategy<Value = (usize, Vec<Vec<u32>>)> {
    (1usize..=6).prop_flat_map(|ports| {
        let size = ports * ports;
        let longest = prop::sample::select(vec![1u32, 2, 3, 10, 1_000, u32::MAX]);
        let fresh = longest.prop_flat_map(move |longest| {
            let length = prop_oneof![2 => Just(0u32), 3 => 0..=longest];
            prop::collection::vec(length, size)
        });
        let changes = prop::collection::vec((0..size, any::<bool>()), 0..2 * ports);
        let step = prop_oneof![1 => fresh.prop_map(Ok), 4 => changes.prop_map(Err)];
        prop::collection::vec(step, 1..30).prop_map(move |steps| {
            let mut lengths = vec![0u32; size];
            let apply = |step| {
                match step {
                    Ok(fresh) => lengths = fresh,
                    Err(changes) => {
                        for (voq, up) in changes {
                            let length: u32 = lengths[voq];
                            lengths[voq] = if up { length.saturating_add(1) } else { length.saturating_sub(1) };
                        }
                    }
                }
                lengths.clone()
            };
            (ports, steps.into_iter().map(apply).collect())
        })
    })
}

proptest! {
    #[test]
    fn equals_brute_force((ports, matrices) in matrices()) {
        let mut mwm = Mwm::<1>::new(ports);
        for (now, lengths) in matrices.iter().enumerate() {
            prop_assert_eq!(slot(&mut mwm, now as u32, lengths), brute_force(ports, lengths), "{:?}", lengths);
        }
    }
}

/// Unrelated matrices of many densities and scales, on one scheduler.
fn equals_kuhn_munkres<const W: usize>(ports: usize, rounds: u32) {
    let mut mwm = Mwm::<W>::new(ports);
    let mut rng = stream(7);
    for now in 0..rounds {
        let longest = [1, 2, 5, 100, 1_000_000, u32::MAX as usize][rng.below(6)];
        let density = rng.below(ports) + 1;
        let mut length = || if rng.below(ports) < density { rng.below(longest + 1) as u32 } else { 0 };
        let lengths: Vec<u32> = (0..ports * ports).map(|_| length()).collect();
        assert_eq!(slot(&mut mwm, now, &lengths), by_kuhn_munkres(ports, &lengths));
    }
}

#[test]
fn equals_kuhn_munkres_at_17_64_and_65_ports() {
    equals_kuhn_munkres::<1>(17, 300);
    equals_kuhn_munkres::<1>(64, 60);
    equals_kuhn_munkres::<2>(65, 60);
    equals_kuhn_munkres::<4>(65, 10);
}

#[test]
fn no_queue_and_one_queue() {
    for ports in [1, 2, 63, 64] {
        let mut mwm = Mwm::<1>::new(ports);
        let mut lengths = vec![0; ports * ports];
        assert_eq!(slot(&mut mwm, 0, &lengths), 0);
        lengths[ports * ports - 1] = 9;
        assert_eq!(slot(&mut mwm, 1, &lengths), 9);
        lengths[ports * ports - 1] = 0;
        assert_eq!(slot(&mut mwm, 2, &lengths), 0);
    }
}

/// Proves the matching of every slot of a run, and compares every `often`-th with Kuhn-Munkres.
#[derive(Clone, Debug)]
struct Checked<const W: usize> {
    mwm: Mwm<W>,
    often: u32,
}

impl<const W: usize> Scheduler<W> for Checked<W> {
    const NEEDS: Needs = <Mwm<W> as Scheduler<W>>::NEEDS;

    fn schedule(&mut self, view: &View<'_, W>, matching: &mut Matching) {
        self.mwm.schedule(view, matching);
        let weight = weight(view.ports, view.lengths, matching);
        prove(&self.mwm, view.lengths, weight);
        if view.now.is_multiple_of(self.often) {
            assert_eq!(weight, by_kuhn_munkres(view.ports, view.lengths), "slot {}", view.now);
        }
    }
}

fn stream(seed: u64) -> Rng {
    Seed { seed, replication: 0 }.stream(Purpose::Scheduler, 0)
}

fn simulate<const W: usize>(matrix: &LoadMatrix, load: f64, slots: u32, often: u32) -> Crossbar<Checked<W>, Linked, W> {
    let (ports, seed) = (matrix.ports(), Seed { seed: 3, replication: 0 });
    let bernoulli = registry::arrivals("bernoulli").expect("a known process");
    let mut source = bernoulli.build(&registry::Traffic::Matrix(matrix.clone(), load), seed);
    let mut crossbar = Crossbar::new(ports, Checked::<W> { mwm: Mwm::new(ports), often });
    let mut arrivals = vec![NONE; ports];
    for now in 0..slots {
        source.slot(now, &mut arrivals);
        crossbar.slot(now, &arrivals, &mut vec![Cell::IDLE; ports]);
    }
    crossbar
}

#[test]
fn every_slot_of_a_run_is_of_maximum_weight() {
    for load in [0.3, 0.9, 1.0] {
        simulate::<1>(&LoadMatrix::uniform(16), load, 3000, 10);
        simulate::<1>(&LoadMatrix::uniform(64), load, 1000, 50);
        simulate::<2>(&LoadMatrix::log_diagonal(65), load, 500, 50);
        simulate::<1>(&LoadMatrix::diagonal(17), load, 3000, 10);
        simulate::<16>(&LoadMatrix::uniform(300), load, 200, 150);
    }
}

#[test]
fn carries_what_iterative_schedulers_do_not() {
    let crossbar = simulate::<1>(&LoadMatrix::diagonal(16), 0.97, 20_000, 1_000);
    assert!(crossbar.census().queued < 1_000, "{:?}", crossbar.census());
}

#[test]
fn no_port_number_is_favoured() {
    // All VOQs of length 1 in every slot: all perfect matchings weigh the same. With one more input
    // than outputs that have cells, one input goes without in each slot, and it must not always be
    // the same.
    let ports = 8;
    let lengths: Vec<u32> = (0..ports * ports).map(|voq| u32::from(voq % ports > 0)).collect();
    let rows = vec![PortSet { words: [0b1111_1110] }; ports];
    let mut mwm = Mwm::<1>::new(ports);
    let mut left_out = vec![0; ports];
    for now in 0..800 {
        let mut matching = Matching::new(ports);
        mwm.output_of.fill(NONE); // As if the last pairs had emptied their queues.
        mwm.input_of.fill(NONE);
        mwm.schedule(&View { rows: &rows, lengths: &lengths, ..View::nothing(ports, now) }, &mut matching);
        let input = matching.outputs().iter().position(|&output| output == NONE).expect("an input without a pair");
        left_out[input] += 1;
    }
    assert!(left_out.iter().all(|&times| times >= 50), "{left_out:?}");
}

#[test]
fn allocates_nothing() {
    let mut mwm = Mwm::<1>::new(64);
    let mut matching = Matching::new(64);
    let mut rng = stream(5);
    let lengths: Vec<u32> = (0..64 * 64).map(|_| rng.below(9) as u32 / 2).collect();
    let row = |row: &[u32]| (0..64).filter(|&output| row[output] > 0).collect();
    let rows: Vec<PortSet<1>> = lengths.chunks_exact(64).map(row).collect();
    let view = View { rows: &rows, lengths: &lengths, ..View::nothing(64, 0) };
    let used = allocation_counter::measure(|| mwm.schedule(&view, &mut matching));
    assert_eq!(used.count_total, 0);
}
