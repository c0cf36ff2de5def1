//! The knockout switch: against a naive twin, drops included, and against the binomial loss.

use crate::common::{SEED, rows, source, switch};
use std::collections::VecDeque;
use switchlab_core::rng::{Purpose, Rng};
use switchlab_core::switch::Switch;
use switchlab_core::{Cell, Dropped, NONE, Port, Seed, Slot};

/// Student's t for 9 degrees of freedom, two-sided 99.9 %.
const T9: f64 = 4.781;

/// From the page: a deque for each output.
struct Twin {
    k: usize,
    random: bool,
    buffer: usize,
    rng: Rng,
    queues: Vec<VecDeque<Cell>>,
}

impl Twin {
    /// Runs a slot. Returns the departures by output and the (input, output) of the dropped cells.
    fn slot(&mut self, now: Slot, arrivals: &[Port]) -> (Vec<Cell>, Vec<(Port, Port)>) {
        let mut dropped = Vec::new();
        let mut won = vec![0; arrivals.len()];
        for (input, &output) in arrivals.iter().enumerate().filter(|(_, output)| **output != NONE) {
            let undecided = arrivals[input..].iter().filter(|other| **other == output).count();
            let places = self.k - won[usize::from(output)];
            let wins = if undecided <= places {
                true
            } else if self.random {
                self.rng.below(undecided) < places
            } else {
                places > 0
            };
            let queue = &mut self.queues[usize::from(output)];
            won[usize::from(output)] += usize::from(wins);
            if wins && queue.len() < self.buffer {
                queue.push_back(Cell { born: now, input: input as Port });
            } else {
                dropped.push((input as Port, output));
            }
        }
        (self.queues.iter_mut().map(|queue| queue.pop_front().unwrap_or(Cell::IDLE)).collect(), dropped)
    }
}

#[test]
fn it_is_its_twin() {
    let mut knocked = 0;
    for (k, random, buffer) in [(1, true, 0), (2, true, 0), (2, false, 0), (3, true, 4), (2, false, 1), (8, true, 0)] {
        for ports in [1, 2, 3, 8, 33, 64, 65] {
            for (traffic, load) in [("uniform", 0.6), ("diagonal", 0.9), ("hotspot(count=1)", 1.0)] {
                let choice = if random { "random" } else { "lowest" };
                let room = if buffer == 0 { "unlimited".to_string() } else { buffer.to_string() };
                let spec = format!("knockout(k={k},choice={choice},buffer={room})");
                let mut real = switch(&spec, ports, SEED);
                let mut twin = Twin {
                    k,
                    random,
                    buffer: if buffer == 0 { usize::MAX } else { buffer },
                    rng: SEED.stream(Purpose::Scheduler, 0),
                    queues: vec![VecDeque::new(); ports],
                };
                let mut source = source(traffic, "bernoulli", ports, load, SEED);
                for (now, arrivals) in rows(&mut *source, ports, 2000) {
                    let mut departures = vec![Cell::IDLE; ports];
                    real.slot(now, &arrivals, &mut departures);
                    let (expected, expected_dropped) = twin.slot(now, &arrivals);
                    let at = format!("{spec} of {ports} ports, {traffic}, slot {now}");
                    assert_eq!(departures, expected, "{at}");
                    let mut dropped: Vec<(Port, Port)> =
                        real.dropped().iter().map(|cell: &Dropped| (cell.input, cell.output)).collect();
                    dropped.sort_unstable();
                    assert_eq!(dropped, expected_dropped, "{at}");
                    assert!(real.dropped().iter().all(|cell| cell.slot == now && cell.born == now), "{at}");
                }
                let census = real.census();
                assert_eq!(census.arrived, census.departed + census.dropped + census.queued, "{spec}");
                knocked += census.dropped;
            }
        }
    }
    assert!(knocked > 10_000, "only {knocked} cells were dropped");
}

/// With as many places as ports it is output queueing.
#[test]
fn without_contention_it_is_output_queueing() {
    let ports = 20;
    let (mut knockout, mut oq) = (switch("knockout(k=20)", ports, SEED), switch("oq", ports, SEED));
    let mut source = source("uniform", "bursty(mean=12)", ports, 0.9, SEED);
    for (now, arrivals) in rows(&mut *source, ports, 5000) {
        let (mut got, mut expected) = (vec![Cell::IDLE; ports], vec![Cell::IDLE; ports]);
        knockout.slot(now, &arrivals, &mut got);
        oq.slot(now, &arrivals, &mut expected);
        assert_eq!(got, expected, "slot {now}");
    }
    assert_eq!(counter(&*knockout, "knocked_out").0, 0);
}

fn counter(switch: &dyn Switch, name: &str) -> (u64, u64) {
    let mut found = None;
    switch.counters(&mut |counter| {
        if counter.name == name {
            found = Some((counter.sum, counter.per));
        }
    });
    found.unwrap_or_else(|| panic!("there is no counter {name}"))
}

/// The share of cells that is knocked out, for uniform Bernoulli traffic: the paper's sum over the
/// binomial distribution.
fn loss(ports: usize, k: usize, load: f64) -> f64 {
    let p = load / ports as f64;
    // C(N, n) p^n (1 - p)^(N - n), from n to n + 1.
    let mut probability = libm::pow(1.0 - p, ports as f64);
    let mut lost = 0.0;
    for n in 0..=ports {
        lost += n.saturating_sub(k) as f64 * probability;
        probability *= (ports - n) as f64 / (n + 1) as f64 * p / (1.0 - p);
    }
    lost / load
}

/// Values worked out by another program, and the paper's: at a load of 0.9 eight places lose less
/// than one cell in a million, whatever the number of ports.
#[test]
fn the_sum_is_the_papers() {
    assert!((loss(16, 2, 0.9) - 0.0774).abs() < 5e-5);
    assert!((loss(64, 4, 0.9) - 0.0027).abs() < 5e-6);
    assert!([16, 64, 1024].into_iter().all(|ports| loss(ports, 8, 0.9) < 1e-6));
}

/// Ten replications of 20 000 slots for each of nine settings. Intervals of 99.9 %, which are
/// narrower than a tenth of the loss: a false alarm in 111.
#[test]
fn as_many_cells_are_knocked_out_as_the_binomial_says() {
    for (ports, load) in [(8, 1.0), (16, 0.9), (64, 0.7)] {
        for k in [1, 2, 3] {
            let theory = loss(ports, k, load);
            let losses: Vec<f64> = (0..10)
                .map(|replication| {
                    let seed = Seed { seed: 1, replication };
                    let mut switch = switch(&format!("knockout(k={k})"), ports, seed);
                    let mut source = source("uniform", "bernoulli", ports, load, seed);
                    let mut departures = vec![Cell::IDLE; ports];
                    for (now, arrivals) in rows(&mut *source, ports, 20_000) {
                        departures.fill(Cell::IDLE);
                        switch.slot(now, &arrivals, &mut departures);
                    }
                    let (lost, arrived) = counter(&*switch, "knocked_out");
                    assert_eq!(counter(&*switch, "drop_rate"), (lost, arrived), "queues are unlimited");
                    lost as f64 / arrived as f64
                })
                .collect();
            let mean = losses.iter().sum::<f64>() / 10.0;
            let deviation = (losses.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 9.0).sqrt();
            let half = T9 * deviation / 10f64.sqrt();
            let at = format!("{ports} ports, load {load}, k = {k}: {mean} +- {half}, theory {theory}");
            assert!((mean - theory).abs() < half, "{at}");
            assert!(half < 0.1 * theory, "{at}");
        }
    }
}

/// Each of the cells of a slot wins equally often: five cells for one output with two places, in
/// 30 000 slots. An input wins 12 000 times on average with a deviation of sqrt(30 000 * 0.4 * 0.6)
/// = 85; 425 are five deviations, for five inputs a false alarm in 350 000.
#[test]
fn every_input_wins_equally_often() {
    let mut switch = switch("knockout(k=2)", 5, SEED);
    let mut won = [30_000i64; 5];
    for now in 0..30_000 {
        switch.slot(now, &[3; 5], &mut [Cell::IDLE; 5]);
        switch.dropped().iter().for_each(|cell| won[usize::from(cell.input)] -= 1);
    }
    assert_eq!(won.iter().sum::<i64>(), 60_000);
    assert!(won.iter().all(|won| (won - 12_000).abs() < 425), "{won:?}");
}
