//! Paper 000, section V: the scheduler for striped flows on a parallel machine, and what outputs
//! serve.
//!
//! Values of `pram-flows`, of N ports with `flows` flows of each output, striped over `stripe`
//! memories (N without it), with P-1+G memories, G the smallest power of two from N on: `steps`,
//! `processors` and `cells` of a slot, and `steps_per_log2_squared`, `processors_per_n_squared` and
//! `cells_per_fn_squared`. `quadratic` is 2.5 g^2 + 7.5 g + 13, for N = 2^g. `slots` random slots
//! at full load are run, on the machine and by `psm-flows(matcher=halving)`: `agreement` is the
//! share of them in which all cells were given the same memories. A write conflict ends the
//! calculation with an error.
//!
//! Values of `weighted-shares`: all inputs have a cell for output 0 in every slot, so that all
//! flows of it are backlogged. `first_share` is that of flow 0 in what it sends in 20 frames,
//! `due_share` that of its weight, and `largest_error` the largest difference between the two of
//! any flow.

use super::{Values, at_most};
use crate::error::LabError;
use switchlab_core::rng::Purpose;
use switchlab_core::switch::Switch;
use switchlab_core::switch::shared_memory::{Matcher, gamma};
use switchlab_core::switch::shared_memory_flows::{Config, Discipline, StripedFlows};
use switchlab_core::{Cell, Port, Seed, Slot};
use switchlab_theory::pram;

pub(super) fn pram(ports: usize, flows: usize, stripe: usize, slots: usize, seed: Seed) -> Result<Values, LabError> {
    at_most(128, ports)?;
    let stripe = if stripe == 0 { ports } else { stripe };
    let memories = stripe - 1 + gamma(ports);
    let stopped = |fault: pram::Fault| LabError::Request(format!("the parallel machine stopped: {fault}"));
    let mut scheduler = pram::FlowScheduler::new(ports, ports * flows, stripe, memories);
    let config = Config { matcher: Matcher::Halving, memories, ..Config::new(ports, stripe, Discipline::fair(flows)) };
    let mut switch = StripedFlows::<16>::new(config);
    let mut rng = seed.stream(Purpose::Pattern, ports);
    let mut agreeing = 0;
    for now in 0..slots as Slot {
        let arrivals: Vec<Port> = (0..ports).map(|_| rng.below(ports) as Port).collect();
        let of = |(input, &output): (usize, &Port)| Some(usize::from(output) * flows + input % flows);
        let cells: Vec<Option<usize>> = arrivals.iter().enumerate().map(of).collect();
        switch.slot(now, &arrivals, &mut vec![Cell::IDLE; ports]);
        agreeing += usize::from(scheduler.slot(&cells).map_err(stopped)? == switch.written());
    }
    let costs = scheduler.costs();
    let (steps, processors, cells) = (costs.steps as f64, costs.processors as f64, costs.cells as f64);
    let (n, log) = (ports as f64, libm::log2(ports as f64));
    let mut values = vec![
        ("steps", steps),
        ("processors", processors),
        ("cells", cells),
        ("processors_per_n_squared", processors / (n * n)),
        ("cells_per_fn_squared", cells / (n * n * flows as f64)),
        ("quadratic", 2.5 * log * log + 7.5 * log + 13.0),
        ("agreement", agreeing as f64 / slots as f64),
    ];
    if ports > 1 {
        values.push(("steps_per_log2_squared", steps / (log * log)));
    }
    Ok(values)
}

/// Frames that are counted, after two in which nothing leaves.
const FRAMES: usize = 20;

pub(super) fn shares(ports: usize, weights: &[u32]) -> Result<Values, LabError> {
    at_most(64, ports)?;
    let flows = weights.len();
    if flows > ports {
        let problem = format!("{flows} flows need as many ports: the flow of a cell is its input mod {flows}");
        return Err(LabError::Request(problem));
    }
    let mut switch = StripedFlows::<2>::new(Config::new(ports, ports, Discipline::Weighted(weights.to_vec())));
    let frame = switch.frame_slots();
    let mut sent = vec![0u64; flows];
    for now in 0..(FRAMES + 2) * frame {
        let mut departures = vec![Cell::IDLE; ports];
        switch.slot(now as Slot, &vec![0; ports], &mut departures);
        if now >= 2 * frame && !departures[0].is_idle() {
            sent[usize::from(departures[0].input) % flows] += 1;
        }
    }
    let (all, units) = (sent.iter().sum::<u64>() as f64, weights.iter().sum::<u32>());
    let due = |weight: u32| f64::from(weight) / f64::from(units);
    let error = |(&sent, &weight): (&u64, &u32)| (sent as f64 / all - due(weight)).abs();
    Ok(vec![
        ("first_share", sent[0] as f64 / all),
        ("due_share", due(weights[0])),
        ("largest_error", sent.iter().zip(weights).map(error).fold(0.0, f64::max)),
    ])
}
