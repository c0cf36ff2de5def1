//! Whether a small Benes fabric can deadlock, by a search through all states of its model: theorem
//! 1 of paper 004 and its cases.
//!
//! The model is that of `switchlab deadlock`: one destination, arrivals and transmissions at any
//! time, resequencing per stage. In the theorem's terms bD is `distribution-output` +
//! `distribution-buffer`, and bR `distribution-output` + `routing-buffer` behind the last
//! distribution stage and `routing-output` + `routing-buffer` behind a routing stage. Without
//! output buffers they are the sizes of the input buffers.
//!
//! If there are more than `states` states, random walks of `walk` steps in all follow: they find
//! but never deny. Each replication has a walk of its own.
//!
//! Values: `free`, 1 if no reachable state is a deadlock and 0 if one is, and `deadlock`, the
//! opposite; both are left out if neither the search nor a walk decides. `states`, those that were
//! reached; `steps`, of the way into a deadlock, where one was found: the shortest one, if by the
//! search.

use super::Values;
use crate::error::LabError;
use switchlab_core::Seed;
use switchlab_core::rng::Purpose;
use switchlab_core::spec::Args;
use switchlab_theory::deadlock::replay::replay_from;
use switchlab_theory::deadlock::search::{Outcome, Pointers, search_from};
use switchlab_theory::deadlock::walk::walk;
use switchlab_theory::deadlock::{Distribution, Merge, Model};
use switchlab_theory::watch::unwatched;

pub(super) fn values(args: &Args, ports: usize, seed: Seed) -> Result<Values, LabError> {
    let distribution = match args.word("distribution") {
        "ic" => Distribution::ImbalanceCount,
        _ => Distribution::RoundRobin,
    };
    let merge = match args.word("merge") {
        "fixed" => Merge::Fixed,
        "round-robin" => Merge::RoundRobin,
        _ => Merge::Any,
    };
    let pointers = if args.word("pointers") == "all" { Pointers::All } else { Pointers::Zero };
    let (inputs, routing) = (args.count("distribution-buffer"), args.count("routing-buffer"));
    let model = Model::new(ports, args.word("radix").parse().unwrap_or(2), distribution, merge, inputs, routing)?
        .with_output_buffers(args.count("distribution-output"), args.count("routing-output"))?;
    let search = search_from(&model, pointers, args.count("states"), &mut unwatched);
    let mut values = vec![("states", search.states as f64)];
    let way = match search.outcome {
        Outcome::Free => {
            values.extend([("free", 1.0), ("deadlock", 0.0)]);
            None
        }
        Outcome::Deadlock(steps) => Some(steps),
        Outcome::Undecided => {
            let most = args.count("walk") as u64;
            walk(&model, &mut seed.stream(Purpose::Scheduler, 1), most, &mut unwatched).1
        }
    };
    if let Some(way) = way {
        // The numbers of whole cells are checked along it.
        replay_from(&model, &search.pointers, &way).map_err(LabError::Request)?;
        values.extend([("free", 0.0), ("deadlock", 1.0), ("steps", way.len() as f64)]);
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::super::measured;

    /// The search of the tests of the theory: round robin with one cell everywhere, and the base
    /// case with imbalance counts, which needs a second cell in the routing half.
    #[test]
    fn theorem_1_with_two_levels() {
        let of = measured("deadlock-search(merge=any)", 4);
        assert_eq!((of("free"), of("deadlock"), of("steps")), (Some(1.0), Some(0.0), None));
        let base = "deadlock-search(distribution=ic,distribution-output=0,routing-output=0,distribution-buffer=1";
        let of = measured(&format!("{base},routing-buffer=1)"), 4);
        assert_eq!((of("free"), of("deadlock")), (Some(0.0), Some(1.0)));
        assert!(of("steps") > Some(3.0));
        let of = measured("deadlock-search(states=10)", 4);
        assert_eq!((of("free"), of("deadlock"), of("states")), (None, None, Some(10.0)));
        // Three levels: too many states, and a walk finds.
        let of = measured("deadlock-search(merge=fixed,states=100,walk=1000000)", 8);
        assert_eq!((of("free"), of("deadlock"), of("states")), (Some(0.0), Some(1.0), Some(100.0)));
    }
}
