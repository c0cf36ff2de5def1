//! What theory says, where it says it exactly.

use crate::common::{source, switch};
use switchlab_core::meter::Meter;
use switchlab_core::{Block, Cell, NONE, Seed, Slot};

/// Student's t for 9 degrees of freedom, two-sided 99.9 %.
const T9: f64 = 4.781;

/// Runs a switch under Bernoulli traffic and returns its meter, opened after the warm-up.
fn run(spec: &str, ports: usize, load: f64, replication: u32, warmup: Slot, slots: Slot) -> Meter {
    let seed = Seed { seed: 1, replication };
    let mut source = source("uniform", "bernoulli", ports, load, seed);
    let mut switch = switch(spec, ports, seed);
    let mut meter = Meter::new(ports);
    let (mut arrivals, mut departures) = (Block::new(ports, 1, NONE), Block::new(ports, 1, Cell::IDLE));
    for now in 0..warmup + slots {
        if now == warmup {
            meter.open(now);
        }
        arrivals.start = now;
        source.fill(&mut arrivals);
        switch.run(&arrivals, &mut departures);
        meter.observe(&arrivals, &departures);
    }
    meter
}

/// Departures per output and slot at load 1, after 20 000 slots.
fn saturation(spec: &str, ports: usize, slots: Slot) -> f64 {
    let meter = run(spec, ports, 1.0, 0, 20_000, slots);
    meter.timeline.total().departures as f64 / (ports as f64 * f64::from(slots))
}

/// Karol, Hluchyj, Morgan 1987: (N-1)/N * rho / (2 (1 - rho)). Three intervals of 99.9 %: a false
/// alarm in 333.
#[test]
fn output_queueing_delay() {
    let ports = 16;
    for load in [0.5, 0.8, 0.9] {
        let theory = 15.0 / 16.0 * load / (2.0 * (1.0 - load));
        let means: Vec<f64> = (0..10)
            .map(|replication| {
                let mut meter = run("oq", ports, load, replication, 2000, 30_000);
                meter.delays().sum() as f64 / meter.delays().count() as f64
            })
            .collect();
        let mean = means.iter().sum::<f64>() / 10.0;
        let deviation = (means.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 9.0).sqrt();
        let half = T9 * deviation / 10f64.sqrt();
        assert!((mean - theory).abs() < half, "load {load}: {mean} +- {half}, theory {theory}");
        assert!(half < 0.05 * theory, "load {load}: an interval of {half} says little about {theory}");
    }
}

/// The exact throughputs of head-of-line blocking, table I of the same paper. With two ports the
/// first cells differ in a slot with probability 1/2, independently, so 300 000 slots give a
/// deviation of 0.5 / 2 / sqrt(300 000) = 0.00046; with more ports it is smaller. 0.003 is six
/// deviations: a false alarm in 10^8.
#[test]
fn head_of_line_saturation() {
    assert!((saturation("fifo", 1, 2000) - 1.0).abs() < 1e-12);
    for (ports, theory) in [(2, 3.0 / 4.0), (3, 43.0 / 63.0), (4, 325.0 / 496.0), (8, 0.618_390)] {
        let measured = saturation("fifo", ports, 300_000);
        assert!((measured - theory).abs() < 0.003, "N = {ports}: {measured}, theory {theory}");
    }
}

/// One iteration of PIM with all VOQs non-empty: an input goes unmatched if no output grants it,
/// (1 - 1/N)^N. The number of granted inputs has variance N (1/e - 2/e^2) = 3.1, and slots are
/// independent: 30 000 slots give a deviation of 0.0003, so 0.005 is 15 of them, room for a VOQ
/// that happens to be empty; a false alarm is out of the question.
#[test]
fn parallel_iterative_matching_saturation() {
    let theory = 1.0 - libm::pow(1.0 - 1.0 / 32.0, 32.0);
    let measured = saturation("pim(iterations=1)", 32, 30_000);
    assert!((measured - theory).abs() < 0.005, "{measured}, theory {theory}");
}

/// The slipping pointers: 100 % under uniform traffic with a single iteration, where PIM has 63 %.
#[test]
fn islip_carries_full_uniform_load() {
    let measured = saturation("islip(iterations=1)", 16, 100_000);
    assert!(measured > 0.99, "{measured}");
}

/// A rotation serves a VOQ once in N slots. Just before its service x cells wait, and before the
/// next one max(x - 1, 0) + A, where A is Binomial(N, p), p = rho / N; so E x = rho + N (N - 1) p^2
/// / (2 (1 - rho)). Just after it E x - rho wait, k slots later k p more, and the mean over the N
/// slots of a cycle is, by Little, p times the mean delay.
#[test]
fn rotation_delay() {
    let (ports, load) = (8, 0.7);
    let n = ports as f64;
    let before = load + n * (n - 1.0) * (load / n) * (load / n) / (2.0 * (1.0 - load));
    let after = before - load;
    let mean_backlog = after + load / n * (n - 1.0) / 2.0;
    let theory = mean_backlog / (load / n);
    let means: Vec<f64> = (0..10)
        .map(|replication| {
            let mut meter = run("tdm", ports, load, replication, 2000, 40_000);
            meter.delays().sum() as f64 / meter.delays().count() as f64
        })
        .collect();
    let mean = means.iter().sum::<f64>() / 10.0;
    let deviation = (means.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 9.0).sqrt();
    // An interval of 99.9 %: a false alarm in 1000.
    let half = T9 * deviation / 10f64.sqrt();
    assert!((mean - theory).abs() < half, "{mean} +- {half}, theory {theory}");
}
