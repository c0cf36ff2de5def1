//! Whether a switch stops for ever, and up to which load it is stable: runs as computed points.
//!
//! `run-to-failure` runs a switch on `traffic` with `arrivals` at `load` from the empty switch on,
//! `runs` times, `slots` slots each. Replication r has the runs r x `runs` and up of the
//! experiment's seed, which are replications of `switchlab run` with that seed. Values: `stopped`,
//! how many of them stop for ever, by a deadlock of a fabric or since a cell has no memory;
//! `any_stopped`, 1 if one does; and if so `first_slot`, the earliest slot in which one does, and
//! `waiting`, the cells in that circle of waits, for a deadlock.
//!
//! `highest-stable-load` searches for the limit by bisection as `switchlab limit` does, in runs of
//! at most `slots` slots, `runs` for each load, to `precision`. Replication r has the experiment's
//! seed plus r. Values: `highest_stable`, the highest load that was shown stable, and
//! `lowest_unstable`, each if there is one; `throughput`, departures per output and slot at load 1.

use super::{Values, flag, of_run};
use crate::Progress;
use crate::error::LabError;
use crate::limit::Search;
use crate::plan::Request;
use crate::run::Run;
use switchlab_core::Seed;
use switchlab_core::spec::Args;
use switchlab_core::switch::Failure;

pub(super) fn to_failure(args: &Args, ports: usize, seed: Seed) -> Result<Values, LabError> {
    let plan = Request { seed: seed.seed, ..of_run(args, ports, seed) }.resolve()?;
    let runs = args.count("runs") as u32;
    let mut failures = Vec::new();
    for index in 0..runs {
        let replication = seed.replication.saturating_mul(runs).saturating_add(index);
        match Run::new(&plan, 0, replication)?.advance(plan.slots, None, &Progress::none()) {
            Ok(()) => {}
            Err(LabError::Stopped { failure, .. }) => failures.push(*failure),
            Err(error) => return Err(error),
        }
    }
    let mut values = vec![("stopped", failures.len() as f64), ("any_stopped", flag(!failures.is_empty()))];
    if let Some(first) = failures.iter().min_by_key(|failure| failure.slot()) {
        values.push(("first_slot", f64::from(first.slot())));
        if let Failure::Deadlock { waits, .. } = first {
            values.push(("waiting", waits.len() as f64));
        }
    }
    Ok(values)
}

pub(super) fn limit(args: &Args, ports: usize, seed: Seed) -> Result<Values, LabError> {
    let request = Request {
        load: None,
        replications: Some(args.count("runs") as u32),
        seed: seed.seed.wrapping_add(u64::from(seed.replication)),
        ..of_run(args, ports, seed)
    };
    let search = Search { request, precision: args.real("precision").unwrap_or(crate::limit::PRECISION) };
    let limits = search.run(&Progress::none())?;
    let limit = limits.switches.first();
    let loads = [
        ("highest_stable", limit.and_then(|limit| limit.stable.as_ref())),
        ("lowest_unstable", limit.and_then(|limit| limit.unstable.as_ref())),
    ];
    let found = loads.into_iter().filter_map(|(name, probe)| Some((name, probe?.load)));
    let mut values: Values = found.collect();
    values.extend(limit.map(|limit| ("throughput", limit.saturated.throughput.mean)));
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::super::measured;

    /// With too little room in its routing buffers, a fabric deadlocks; round-robin merging at the
    /// theorem's sizes does not in these runs.
    #[test]
    fn a_deadlock_is_found_where_a_run_finds_it() {
        let spec = "run-to-failure(switch=benes(radix=2,distribution=ic,routing-buffer=1,merge=random),\
                    traffic=hotspot(count=1),arrivals=bursty(mean=12),load=0.8,slots=20000,runs=2)";
        let of = measured(spec, 8);
        assert_eq!(of("any_stopped"), Some(1.0));
        assert!(of("stopped") >= Some(1.0) && of("first_slot") < Some(20_000.0) && of("waiting") >= Some(2.0));
        let of = measured("run-to-failure(switch=benes(radix=2),load=0.8,slots=2000,runs=2)", 8);
        assert_eq!((of("stopped"), of("any_stopped"), of("first_slot")), (Some(0.0), Some(0.0), None));
    }

    /// Karol, Hluchyj and Morgan: two ports with FIFO queues carry 3/4.
    #[test]
    fn the_limit_of_head_of_line_blocking() {
        let of = measured("highest-stable-load(switch=fifo,slots=20000,runs=2,precision=0.04)", 2);
        let (stable, unstable) = (of("highest_stable").unwrap(), of("lowest_unstable").unwrap());
        assert!(stable < unstable && (0.65..=0.77).contains(&stable) && (0.74..=0.85).contains(&unstable));
        assert!((of("throughput").unwrap() - 0.75).abs() < 0.02);
        let of = measured("highest-stable-load(switch=oq,slots=20000,runs=2,precision=0.04)", 2);
        assert!(of("highest_stable") > Some(0.9));
    }
}
