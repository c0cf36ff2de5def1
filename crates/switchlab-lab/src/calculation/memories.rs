//! Paper 000: what parallel shared memories need, and what their scheduler costs.
//!
//! Values of `memories-needed`: `lemma_1`, 2N-1; `paper`, the 3N-2 of the parallel scheduler, and
//! `parallel`, the N-1+G that suffice for it, G the smallest power of two from N on, and
//! `parallel_of_paper`, their ratio; `first_fit` and `any`, the fewest memories with which
//! first-fit, or some scheduler, survives every sequence of arrivals with queues of `capacity`
//! cells (left out where a search does not decide); `spare`, `any` less N. `first_fit_fails` is 1
//! if first-fit fails with 2N-2 memories on the trace that is built for that, replayed, and
//! `first_fit_passes` if it does not with 2N-1; both for queues of N cells.
//!
//! Values of `pram-scheduler`, run with N-1+G memories and queues of `capacity` cells, N without
//! it: `steps`, `processors` and `cells` of a slot, and `steps_per_log2_squared`,
//! `processors_per_n_squared` and `cells_per_nk`. `quadratic` is 2.5 g^2 + 7.5 g + 13, for N = 2^g.
//! `input_1` and `input_2` are the memories, counted from 1, that the 2x2 switch of figures 2 and 3
//! gives its two cells, whatever the ports.
//!
//! Values of `striped-reads`, of an output with `flows` flows striped over P memories, `stripe` or
//! N, and frames of fN cells: `most_reads`, those of one memory in the worst frame that is built;
//! `most_random`, in 1000 frames drawn at random; `bound`, the largest sum of ceil(F/P) over flows
//! with F cells each, which is f + floor(f(N-1)/P) and with P = N floor(f(2N-1)/N); `of_bound`, the
//! first over it, and `exceeding`, the random frames that have more; `speedup_needed`, the first
//! over f, `speedup`, 2-1/N, and `of_speedup`, their ratio.

use super::{Values, at_most};
use crate::error::LabError;
use switchlab_core::rng::{Purpose, Rng};
use switchlab_core::switch::Switch;
use switchlab_core::switch::shared_memory::{Config, Matcher, SharedMemory, gamma};
use switchlab_core::switch::shared_memory_flows::Frame;
use switchlab_core::traffic::{Arrivals, Trace};
use switchlab_core::{Cell, NONE, Port, Seed, Slot};
use switchlab_theory::memory_bound::{Found, Scheduler, first_fit_trace, judge_all};
use switchlab_theory::pram;
use switchlab_theory::watch::unwatched;

/// States that a search may hold: enough for 3 ports with queues of 8 cells.
const STATES: usize = 50_000;

pub(super) fn needed(ports: usize, capacity: usize) -> Result<Values, LabError> {
    at_most(256, ports)?;
    let mut values = vec![
        ("lemma_1", (2 * ports - 1) as f64),
        ("paper", (3 * ports - 2) as f64),
        ("parallel", (ports - 1 + gamma(ports)) as f64),
        ("parallel_of_paper", (ports - 1 + gamma(ports)) as f64 / (3 * ports - 2) as f64),
    ];
    for (scheduler, name) in [(Scheduler::FirstFit, "first_fit"), (Scheduler::Any, "any")] {
        let all = judge_all(ports, capacity, scheduler, STATES, &mut unwatched)?;
        let fewest = all.iter().position(|judged| judged.found == Found::Survives).unwrap_or(all.len());
        // Known only if all that are fewer are known to fail.
        if all[..fewest].iter().all(|judged| judged.found != Found::Undecided) {
            values.push((name, (ports + fewest) as f64));
            if scheduler == Scheduler::Any {
                values.push(("spare", fewest as f64));
            }
        }
    }
    if ports >= 2 {
        values.push(("first_fit_fails", f64::from(fails(ports, 2 * ports - 2)?)));
        values.push(("first_fit_passes", f64::from(!fails(ports, 2 * ports - 1)?)));
    }
    Ok(values)
}

/// Whether first-fit fails on the trace that is built for that.
fn fails(ports: usize, memories: usize) -> Result<bool, LabError> {
    let mut switch = Config::new(ports, memories, ports, Matcher::FirstFit).build();
    let mut trace = Trace::new(ports, first_fit_trace(ports))?;
    let mut arrivals = vec![NONE; ports];
    for now in 0..trace.slots() as Slot {
        trace.slot(now, &mut arrivals);
        switch.slot(now, &arrivals, &mut vec![Cell::IDLE; ports]);
    }
    Ok(switch.failure().is_some())
}

pub(super) fn pram(ports: usize, capacity: usize, seed: Seed) -> Result<Values, LabError> {
    at_most(256, ports)?;
    let capacity = if capacity == 0 { ports } else { capacity };
    let stuck = |fault: pram::Fault| LabError::Request(format!("the parallel machine stopped: {fault}"));
    let mut scheduler = pram::Scheduler::new(ports, ports - 1 + gamma(ports), capacity);
    let mut rng = seed.stream(Purpose::Pattern, ports);
    for _ in 0..2 {
        let arrivals: Vec<Port> = (0..ports).map(|_| rng.below(ports) as Port).collect();
        scheduler.slot(&arrivals).map_err(stuck)?;
    }
    let costs = scheduler.costs();
    let (steps, processors, cells) = (costs.steps as f64, costs.processors as f64, costs.cells as f64);
    let (n, log) = (ports as f64, libm::log2(ports as f64));
    let mut values = vec![
        ("steps", steps),
        ("processors", processors),
        ("cells", cells),
        ("processors_per_n_squared", processors / (n * n)),
        ("cells_per_nk", cells / (n * capacity as f64)),
        ("quadratic", 2.5 * log * log + 7.5 * log + 13.0),
    ];
    if ports > 1 {
        values.push(("steps_per_log2_squared", steps / (log * log)));
    }
    let [first, second] = figure_2().map_err(stuck)?;
    values.extend([("input_1", f64::from(first + 1)), ("input_2", f64::from(second + 1))]);
    Ok(values)
}

/// Figures 2 and 3: a 2x2 switch with three memories. The cell at input 1 is due in a slot for
/// which no memory holds a cell, the one at input 2 in a slot for which the first one does. Here
/// this is so in slot 2. First-fit and the parallel scheduler give the two the same memories.
fn figure_2() -> Result<[Port; 2], pram::Fault> {
    let mut switch = SharedMemory::<1>::new(Config::new(2, 3, 8, Matcher::FirstFit));
    let mut scheduler = pram::Scheduler::new(2, 3, 8);
    let mut found = [NONE - 1; 2];
    for (now, arrivals) in (0..).zip([[0, 0], [0, NONE], [0, 1]]) {
        switch.slot(now, &arrivals, &mut [Cell::IDLE; 2]);
        let parallel = scheduler.slot(&arrivals)?.memories;
        if parallel == switch.written() {
            found.copy_from_slice(&parallel);
        }
    }
    Ok(found)
}

pub(super) fn striped_reads(ports: usize, flows: usize, stripe: usize, seed: Seed) -> Result<Values, LabError> {
    at_most(64, ports)?;
    let stripe = if stripe == 0 { ports } else { stripe };
    // One flow has all cells of the frame but one of each other flow, and the first cell of every
    // flow lies in memory 0.
    let long = (0..flows * ports - (flows - 1)).map(|cell| (cell % stripe) as Port);
    let worst: Vec<Port> = long.chain(vec![0; flows - 1]).collect();
    let most = |list: &[Port]| {
        let mut frame = Frame::new(1, ports + stripe - 1, list.len());
        for &memory in list {
            frame.want(0, memory);
        }
        frame.plan();
        frame.most_of_a_memory()
    };
    let mut rng = seed.stream(Purpose::Pattern, ports * flows);
    let random: Vec<usize> = (0..1000).map(|_| most(&random_frame(ports, flows, stripe, &mut rng))).collect();
    let bound = flows + flows * (ports - 1) / stripe;
    let exceeding = random.iter().filter(|reads| **reads > bound).count();
    let (most_reads, bound) = (most(&worst) as f64, bound as f64);
    let (needed, speedup) = (most_reads / flows as f64, 2.0 - 1.0 / ports as f64);
    Ok(vec![
        ("most_reads", most_reads),
        ("most_random", random.iter().max().copied().unwrap_or(0) as f64),
        ("bound", bound),
        ("of_bound", most_reads / bound),
        ("exceeding", exceeding as f64),
        ("speedup_needed", needed),
        ("speedup", speedup),
        ("of_speedup", needed / speedup),
    ])
}

/// The memories of a frame: each flow has a random part of what is left, striped at random over P
/// of N+P-1 memories.
fn random_frame(ports: usize, flows: usize, stripe: usize, rng: &mut Rng) -> Vec<Port> {
    let (mut all, mut left) = (Vec::new(), flows * ports);
    for flow in 0..flows {
        let cells = if flow + 1 == flows { left } else { rng.below(left + 1) };
        left -= cells;
        let first = all.len();
        for _ in 0..cells {
            let last = &all[all.len().saturating_sub(stripe - 1).max(first)..];
            let free: Vec<Port> = (0..(ports + stripe - 1) as Port).filter(|memory| !last.contains(memory)).collect();
            all.push(free[rng.below(free.len())]);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::measured;

    /// Theorem 3's sum for stripes of other sizes than N: 13 cells over 2 memories are 7 in one of
    /// them, and 3 other flows have one each.
    #[test]
    fn reads_of_stripes_by_hand() {
        let of = measured("striped-reads(flows=4,stripe=2)", 4);
        assert_eq!((of("most_reads"), of("bound"), of("exceeding")), (Some(10.0), Some(10.0), Some(0.0)));
        let of = measured("striped-reads(flows=4)", 4);
        assert_eq!((of("most_reads"), of("bound"), of("speedup_needed")), (Some(7.0), Some(7.0), Some(1.75)));
        let of = measured("striped-reads(flows=3,stripe=8)", 4);
        assert_eq!((of("bound"), of("exceeding")), (Some(4.0), Some(0.0)));
    }
}
