//! Instructions per slot, counted by valgrind's callgrind: counts do not depend on the load of the
//! machine.
//!
//! A run of S slots and one of 2 S are counted, and the difference is divided by S, so that start
//! and set-up drop out. Of valgrind's tools, cachegrind without its caches gave nearly the same
//! counts and was no faster.

use super::{Benchmark, Config, Part, alone};
use crate::error::LabError;
use rayon::prelude::*;
use std::path::Path;

/// Instructions per slot of each benchmark, in their order. Counts do not depend on other load, so
/// all cores are used.
pub(super) fn count(program: &Path, benchmarks: &[Benchmark]) -> Result<Vec<f64>, LabError> {
    let count = |it: &Benchmark| per_slot(program, &it.switch, &it.config, it.slots, Part::Whole);
    let counts: Vec<Result<f64, LabError>> = benchmarks.par_iter().map(count).collect();
    counts.into_iter().collect()
}

/// Instructions per slot, over `slots` slots after as many others.
pub(super) fn per_slot(program: &Path, switch: &str, config: &Config, slots: u64, part: Part) -> Result<f64, LabError> {
    let valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"];
    let run = |slots: u64| {
        let output = alone::command(&valgrind, program, switch, config, slots, part).output();
        let output = output.map_err(|error| {
            LabError::Request(format!(
                "valgrind cannot be run ({error}): install it, as with `apt-get install valgrind`, or leave out --instructions"
            ))
        })?;
        let told = String::from_utf8_lossy(&output.stderr);
        collected(&told).filter(|_| output.status.success()).ok_or_else(|| {
            let last = told.lines().last().unwrap_or_default();
            LabError::Request(format!("{switch}: valgrind has not counted its instructions: {last}"))
        })
    };
    Ok((run(2 * slots)? as f64 - run(slots)? as f64) / slots as f64)
}

/// From a line such as `==27791== Collected : 19325978`.
fn collected(told: &str) -> Option<u64> {
    told.lines().find_map(|line| line.split_once("Collected :")?.1.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    #[test]
    fn counts_are_read() {
        assert_eq!(super::collected("==1== Events    : Ir\n==1== Collected : 1932\n==1==\n"), Some(1932));
        assert_eq!(super::collected("==1== Collected : none\n"), None);
    }
}
