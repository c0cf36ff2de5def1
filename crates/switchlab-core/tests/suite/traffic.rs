//! Statistics of every traffic and process.
//!
//! All processes are one Markov chain for each input. After a cell, the burst stays with
//! probability `stay`; otherwise, and after an idle slot, a new burst begins at once with
//! probability `begin`, and its destination is drawn from the row:
//!
//! ```text
//!   bernoulli   stay 0            begin = rate
//!   bursty      stay 1 - 1/B      begin = 1 / (1 + I)                   I = B (1 - rate) / rate
//!   onoff       stay B / (1 + B)  begin = 1 - off / (1 - (1 - off)(1 - stay))   off = I / (1 + I)
//! ```
//!
//! For onoff, periods of length 0 pass within the slot: x, the chance that the slot ends up idle
//! once a period is to be chosen, solves x = off + (1 - off)(1 - stay) x. From the chain come the
//! exact rate, run lengths and variances.

use crate::common::{SEED, rows, source};
use switchlab_core::registry::{self, Traffic};
use switchlab_core::traffic::LoadMatrix;
use switchlab_core::{NONE, Port, Seed, Slot};

const PORTS: usize = 6;
const SLOTS: Slot = 100_000;

/// The number of standard deviations that is an error. Under 6000 statistics are tested in this
/// file, each near normal: two-sided beyond 5.7 has probability 1.2e-8, so a correct program with a
/// new seed fails once in 14 000.
const LIMIT: f64 = 5.7;

const TRAFFIC: [&str; 12] = [
    "uniform",
    "unbalanced(w=0.5)",
    "unbalanced(w=1)",
    "chang",
    "asymmetric(ratio=100)",
    "po2",
    "quasi-diagonal",
    "log-diagonal",
    "diagonal",
    "hotspot(count=2)",
    "hotspot(count=1,load=0.3)",
    "permutation",
];

#[derive(Clone, Copy)]
struct Chain {
    stay: f64,
    begin: f64,
}

const PROCESSES: [(&str, f64); 6] = [
    ("bernoulli", 0.0),
    ("bursty(mean=1)", 1.0),
    ("bursty(mean=12)", 12.0),
    ("onoff(mean=0.2)", 0.2),
    ("onoff(mean=1)", 1.0),
    ("onoff(mean=16)", 16.0),
];

impl Chain {
    fn new(process: &str, mean: f64, rate: f64) -> Self {
        let silence = mean * (1.0 - rate) / rate;
        let (stay, begin) = match process.split('(').next().unwrap() {
            "bernoulli" => (0.0, rate),
            "bursty" => (1.0 - 1.0 / mean, 1.0 / (1.0 + silence)),
            _ => {
                let (stay, off) = (mean / (1.0 + mean), silence / (1.0 + silence));
                (stay, 1.0 - off / (1.0 - (1.0 - off) * (1.0 - stay)))
            }
        };
        Self { stay, begin }
    }

    /// The share of slots with a cell.
    fn rate(self) -> f64 {
        self.begin / (self.begin + (1.0 - self.stay) * (1.0 - self.begin))
    }

    /// The variance, per slot, of the number of cells that go to a destination of probability
    /// `share`, over a long run: the sum of all autocovariances, from powers of the chain over
    /// (idle, to this destination, to another).
    fn variance(self, share: f64) -> f64 {
        let mean = self.rate() * share;
        let (new_here, new_there) = (self.begin * share, self.begin * (1.0 - share));
        let leave = 1.0 - self.stay;
        let mut now = [0.0, 1.0, 0.0];
        let mut sum = mean * (1.0 - mean);
        for _ in 0..3000 {
            let drawing = now[0] + leave * (now[1] + now[2]);
            now = [
                drawing * (1.0 - self.begin),
                self.stay * now[1] + drawing * new_here,
                self.stay * now[2] + drawing * new_there,
            ];
            sum += 2.0 * mean * (now[1] - mean);
        }
        sum
    }
}

#[track_caller]
fn near(what: &str, measured: f64, expected: f64, deviation: f64) {
    let distance = (measured - expected).abs() / deviation;
    assert!(distance < LIMIT, "{what}: {measured}, expected {expected}, {distance:.1} deviations away");
}

/// The matrix and the scale of a traffic.
fn matrix(traffic: &str, ports: usize, load: f64) -> (LoadMatrix, f64) {
    match registry::traffic(traffic).unwrap().build(Some(ports), Some(load), &registry::NoFiles).unwrap() {
        Traffic::Matrix(matrix, scale) => (matrix, scale),
        Traffic::Trace(_) => panic!("{traffic} is a trace"),
    }
}

fn column(traffic: &str, process: &str, ports: usize, load: f64, slots: Slot, input: usize) -> Vec<Port> {
    rows(&mut *source(traffic, process, ports, load, SEED), ports, slots).map(|(_, row)| row[input]).collect()
}

/// How often each input sends to each output: 12 traffics, 6 processes, 6 inputs and 6 outputs.
#[test]
fn rates_of_every_input_and_output() {
    let load = 0.6;
    for traffic in TRAFFIC {
        let (matrix, scale) = matrix(traffic, PORTS, load);
        for (process, mean) in PROCESSES {
            let mut counts = [[0u32; PORTS]; PORTS];
            for (_, row) in rows(&mut *source(traffic, process, PORTS, load, SEED), PORTS, SLOTS) {
                for (input, &output) in row.iter().enumerate().filter(|(_, output)| **output != NONE) {
                    counts[input][usize::from(output)] += 1;
                }
            }
            for (input, counts) in counts.iter().enumerate() {
                let rate = scale * (0..PORTS).map(|output| matrix.rate(input, output)).sum::<f64>();
                let chain = Chain::new(process, mean, rate);
                assert!((chain.rate() - rate).abs() < 1e-12, "the chain's own rate is {}, not {rate}", chain.rate());
                let slots = f64::from(SLOTS);
                let deviation = |share| (chain.variance(share) * slots).sqrt();
                let what = format!("{traffic}, {process}, input {input}");
                near(&what, f64::from(counts.iter().sum::<u32>()), rate * slots, deviation(1.0));
                for (output, &count) in counts.iter().enumerate() {
                    let expected = scale * matrix.rate(input, output);
                    if expected == 0.0 {
                        assert_eq!(count, 0, "{what} sends to {output}, at rate 0");
                    } else {
                        let what = format!("{what}, output {output}");
                        near(&what, f64::from(count), expected * slots, deviation(expected / rate));
                    }
                }
            }
        }
    }
}

/// Lengths of runs of equal values, without the first and the last, which are cut off.
fn runs<T: PartialEq + Copy>(values: &[T]) -> Vec<(T, usize)> {
    let mut runs: Vec<(T, usize)> = Vec::new();
    for &value in values {
        match runs.last_mut() {
            Some((last, length)) if *last == value => *length += 1,
            _ => runs.push((value, 1)),
        }
    }
    runs.pop();
    if runs.is_empty() { runs } else { runs.split_off(1) }
}

/// Tests that lengths are geometric from 1 and end with probability `end`: the mean, and the share
/// of each short length.
fn geometric(what: &str, lengths: &[usize], end: f64) {
    let count = lengths.len() as f64;
    assert!(count > 1000.0, "{what}: only {count} runs");
    let mean = lengths.iter().sum::<usize>() as f64 / count;
    near(&format!("{what}, mean"), mean, 1.0 / end, (1.0 - end).sqrt() / end / count.sqrt());
    let mut share = end;
    for length in 1..=4 {
        let found = lengths.iter().filter(|&&l| l == length).count() as f64;
        near(&format!("{what}, length {length}"), found, share * count, (share * (1.0 - share) * count).sqrt());
        share *= 1.0 - end;
    }
}

/// Idle periods, periods of cells, and periods of cells to one destination, where two may touch.
/// With probabilities P(0) = end of an idle period's length: a burst that ends is followed by
/// another at once with probability `begin`.
#[test]
fn lengths_of_bursts_and_silences() {
    for load in [0.3, 0.8] {
        for (process, mean) in PROCESSES {
            let chain = Chain::new(process, mean, load);
            let what = |kind| format!("{process}, load {load}, {kind}");
            let mut inputs = vec![Vec::new(); PORTS];
            for (_, row) in rows(&mut *source("uniform", process, PORTS, load, SEED), PORTS, 200_000) {
                inputs.iter_mut().zip(row).for_each(|(cells, output)| cells.push(output));
            }
            let (mut idle, mut busy, mut same) = (Vec::new(), Vec::new(), Vec::new());
            for cells in &inputs {
                let sends: Vec<bool> = cells.iter().map(|&output| output != NONE).collect();
                for (sends, length) in runs(&sends) {
                    if sends { &mut busy } else { &mut idle }.push(length);
                }
                same.extend(runs(cells).iter().filter(|run| run.0 != NONE).map(|run| run.1));
            }
            let leave = 1.0 - chain.stay;
            geometric(&what("idle"), &idle, chain.begin);
            geometric(&what("busy"), &busy, leave * (1.0 - chain.begin));
            geometric(&what("one destination"), &same, leave * (1.0 - chain.begin / PORTS as f64));
        }
    }
}

/// The two probabilities of the chain, each from more than 10^7 slots, so that bursts or silences
/// that are 1 % too long or too short are more than 9 deviations away. After a cell the next slot
/// has a cell for the same output with probability stay + (1 - stay) begin / N; after an idle slot
/// it is idle with probability 1 - begin. Each such slot is a trial of its own, whatever was
/// before: the chain is Markov. 8 statistics; the false-alarm rate is 1e-7.
#[test]
fn bursts_and_silences_to_a_percent() {
    const PORTS: usize = 64;
    for (process, mean, load) in [
        ("bursty(mean=12)", 12.0, 0.75),
        ("onoff(mean=1)", 1.0, 0.6),
        ("onoff(mean=4)", 4.0, 0.6),
        ("onoff(mean=16)", 16.0, 0.75),
    ] {
        let chain = Chain::new(process, mean, load);
        let mut source = source("uniform", process, PORTS, load, SEED);
        let mut last = [NONE; PORTS];
        let (mut cells, mut same, mut idle, mut still_idle) = (0u64, 0u64, 0u64, 0u64);
        let mut row = [NONE; PORTS];
        for now in 0..800_000 {
            source.slot(now, &mut row);
            for (&before, &after) in last.iter().zip(&row) {
                let (is_idle, is_same) = (u64::from(before == NONE), u64::from(before == after));
                idle += is_idle;
                cells += 1 - is_idle;
                still_idle += is_idle & is_same;
                same += (1 - is_idle) & is_same;
            }
            last.copy_from_slice(&row);
        }
        assert!(cells > 10_000_000 && idle > 10_000_000, "{process}: {cells} cells, {idle} idle slots");
        let stay = chain.stay + (1.0 - chain.stay) * chain.begin / PORTS as f64;
        for (what, count, of, expected) in
            [("stay", same, cells, stay), ("stay idle", still_idle, idle, 1.0 - chain.begin)]
        {
            let deviation = (expected * (1.0 - expected) * of as f64).sqrt();
            near(&format!("{process}, {what}"), count as f64, expected * of as f64, deviation);
        }
        // The test would see 1 %: of the mean burst in one, of the mean silence in the other.
        let longer = Chain::new(process, mean * 1.01, load);
        let shift = (longer.stay - chain.stay).abs() * cells as f64;
        let deviation = (stay * (1.0 - stay) * cells as f64).sqrt();
        assert!(shift > 9.0 * deviation, "{process}: 1 % is {:.1} deviations", shift / deviation);
    }
}

#[test]
fn permutations_are_fresh_fair_and_without_conflict() {
    const N: usize = 3;
    let slots = 120_000;
    let mut source = source("permutation", "bernoulli", N, 1.0, SEED);
    let mut pairs = [[0u32; 6]; 6];
    let mut last = None;
    for (now, row) in rows(&mut *source, N, slots) {
        let mut sorted = row.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, [0, 1, 2], "slot {now}");
        let this = usize::from(row[0]) * 2 + usize::from(row[1] > row[2]);
        if let Some(last) = last {
            pairs[this][last] += 1;
        }
        last = Some(this);
    }
    let count = f64::from(slots - 1);
    for (this, line) in pairs.iter().enumerate() {
        let total = f64::from(line.iter().sum::<u32>());
        near(&format!("permutation {this}"), total, count / 6.0, (count * 5.0 / 36.0).sqrt());
        for (last, &found) in line.iter().enumerate() {
            // Independent from slot to slot: each of 36 successions alike.
            near(&format!("{last} then {this}"), f64::from(found), count / 36.0, (count * 35.0 / 1296.0).sqrt());
        }
    }
    for (_, row) in rows(&mut *crate::common::source("permutation", "bernoulli", 65, 0.7, SEED), 65, 2000) {
        let mut outputs: Vec<Port> = row.into_iter().filter(|&output| output != NONE).collect();
        outputs.sort_unstable();
        assert!(outputs.windows(2).all(|pair| pair[0] != pair[1]), "{outputs:?}");
    }
}

#[test]
fn full_load_fills_every_slot_and_no_load_none() {
    for traffic in TRAFFIC.into_iter().filter(|traffic| !traffic.contains("load=")) {
        for (process, _) in PROCESSES {
            for ports in [2, 3, 7, 64, 100] {
                let mut full = source(traffic, process, ports, 1.0, SEED);
                assert!(
                    rows(&mut *full, ports, 500).all(|(_, row)| !row.contains(&NONE)),
                    "{traffic}, {process}, {ports}"
                );
                if !traffic.starts_with("hotspot") {
                    let mut none = source(traffic, process, ports, 0.0, SEED);
                    assert!(
                        rows(&mut *none, ports, 500).all(|(_, row)| row.iter().all(|&to| to == NONE)),
                        "{traffic}, {process}"
                    );
                }
            }
        }
    }
}

/// At 1e-9 a cell comes with probability 0.0004 in this test, so none is expected; a chain of
/// mistakes such as an overflowing scale would show as many.
#[test]
fn tiny_loads_do_not_break() {
    for load in [1e-9, 1e-12, 1e-18, 1e-300, f64::MIN_POSITIVE, 5e-324] {
        for traffic in ["uniform", "diagonal", "permutation"] {
            for process in ["bernoulli", "bursty(mean=12)", "bursty(mean=1e9)", "onoff(mean=16)", "onoff(mean=0.001)"] {
                for ports in [2, 64] {
                    let mut source = source(traffic, process, ports, load, SEED);
                    let cells: usize = rows(&mut *source, ports, 300)
                        .map(|(_, row)| row.iter().filter(|&&to| to != NONE).count())
                        .sum();
                    assert_eq!(cells, 0, "{traffic}, {process}, {ports} ports, load {load}");
                }
            }
        }
    }
}

/// Small but not tiny: the rate is right where the scale of the draw changes, 1e-4 of 6 * 10^6
/// inputs and slots.
#[test]
fn small_loads_are_exact() {
    let (ports, slots, load) = (60, 100_000, 1e-4);
    for (process, mean) in [("bernoulli", 0.0), ("bursty(mean=2)", 2.0), ("onoff(mean=2)", 2.0)] {
        let mut source = source("diagonal", process, ports, load, SEED);
        let cells: usize =
            rows(&mut *source, ports, slots).map(|(_, row)| row.iter().filter(|&&to| to != NONE).count()).sum();
        let total = (ports as u32 * slots) as f64;
        let deviation = (Chain::new(process, mean, load).variance(1.0) * total).sqrt();
        near(process, cells as f64, load * total, deviation);
    }
}

/// Whether one input sends says nothing about another, nor where: the number of slots in which both
/// send, and to the same output, among all pairs of six inputs. With independent inputs the count
/// of joint slots is as exact as that of one Bernoulli input with the product of both rates.
#[test]
fn inputs_are_independent() {
    let (load, slots) = (0.6, f64::from(SLOTS));
    let all: Vec<Vec<Port>> =
        rows(&mut *source("uniform", "bernoulli", PORTS, load, SEED), PORTS, SLOTS).map(|(_, row)| row).collect();
    for a in 0..PORTS {
        for b in (0..PORTS).filter(|&b| b != a) {
            let both = all.iter().filter(|row| row[a] != NONE && row[b] != NONE).count() as f64;
            let p = load * load;
            near(&format!("{a} and {b} send"), both, p * slots, (p * (1.0 - p) * slots).sqrt());
            let same = all.iter().filter(|row| row[a] != NONE && row[a] == row[b]).count() as f64;
            let p = p / PORTS as f64;
            near(&format!("{a} and {b} to the same"), same, p * slots, (p * (1.0 - p) * slots).sqrt());
            // And neither does what b did a slot before.
            let before = all.windows(2).filter(|pair| pair[1][a] != NONE && pair[0][b] != NONE).count() as f64;
            let p = load * load;
            near(&format!("{b} then {a}"), before, p * slots, (p * (1.0 - p) * slots).sqrt());
        }
    }
}

/// When an input sends does not depend on how many ports there are, nor on where its cells go: all
/// rows sum to the load.
#[test]
fn times_do_not_depend_on_ports_or_matrix() {
    let busy = |traffic, process, ports| -> Vec<bool> {
        column(traffic, process, ports, 0.7, 2000, 1).iter().map(|&output| output != NONE).collect()
    };
    for (process, _) in PROCESSES {
        let expected = busy("uniform", process, 4);
        for traffic in TRAFFIC.into_iter().filter(|traffic| !traffic.starts_with("hotspot")) {
            for ports in [2, 3, 65, 300] {
                assert_eq!(busy(traffic, process, ports), expected, "{traffic}, {process}, {ports} ports");
            }
        }
    }
}

/// Rows that the other inputs' rows do not change, as the traffic's page promises.
struct Matrix(Vec<f64>);

impl registry::Files for Matrix {
    fn matrix(&self, _path: &str) -> Result<(usize, Vec<f64>), switchlab_core::Error> {
        Ok((3, self.0.clone()))
    }

    fn trace(&self, path: &str, ports: Option<usize>) -> Result<switchlab_core::traffic::Trace, switchlab_core::Error> {
        registry::NoFiles.trace(path, ports)
    }
}

#[test]
fn arrivals_depend_on_the_own_row_alone() {
    let first = |rest: [f64; 6], process, seed| -> Vec<Port> {
        let rates = [[0.1, 0.2, 0.3].as_slice(), &rest].concat();
        let chosen = registry::traffic("matrix(file=m.csv)").unwrap();
        let traffic = chosen.build(None, Some(0.9), &Matrix(rates)).unwrap();
        let mut source = registry::arrivals(process).unwrap().build(&traffic, seed);
        rows(&mut *source, 3, 3000).map(|(_, row)| row[0]).collect()
    };
    for (process, _) in PROCESSES {
        let one = first([0.3, 0.3, 0.3, 0.5, 0.2, 0.3], process, SEED);
        assert_eq!(one, first([0.0; 6], process, SEED), "{process}");
        assert_ne!(one, first([0.0; 6], process, Seed { replication: 1, ..SEED }), "{process}");
        assert_ne!(one, first([0.0; 6], process, Seed { seed: 2, ..SEED }), "{process}");
    }
}
