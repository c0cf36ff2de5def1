//! Whether the departures of benchmarks are those of their definitions.

use super::Benchmark;
use crate::error::LabError;
use crate::progress::Progress;
use crate::run::Run;
use rayon::prelude::*;
use std::fmt;

/// A benchmark whose departures are not those of its definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// The benchmark, in words.
    pub benchmark: String,
    /// The fingerprint of what it sends.
    pub departures: u64,
    /// The one that is defined, if any is.
    pub expected: Option<u64>,
}

impl fmt::Display for Changed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: departures = \"{:016x}\"", self.benchmark, self.departures)?;
        match self.expected {
            Some(expected) => write!(f, ", and the definition says \"{expected:016x}\""),
            None => write!(f, ", and the definition has none: add them if they are right"),
        }
    }
}

/// Those benchmarks whose departures are not the expected ones, in their order.
pub fn changed(benchmarks: &[Benchmark]) -> Result<Vec<Changed>, LabError> {
    let look = |benchmark: &Benchmark| {
        let departures = fingerprint(benchmark)?;
        let changed = Changed { benchmark: benchmark.to_string(), departures, expected: benchmark.departures };
        Ok((benchmark.departures != Some(departures)).then_some(changed))
    };
    let found: Vec<Result<_, LabError>> = benchmarks.par_iter().map(look).collect();
    found.into_iter().filter_map(Result::transpose).collect()
}

/// The fingerprint of all departures in the slots of the check.
fn fingerprint(benchmark: &Benchmark) -> Result<u64, LabError> {
    let plan = benchmark.config.plan(&[&benchmark.switch])?;
    let mut run = Run::new(&plan, 0, 0)?.with_fingerprint();
    run.advance(benchmark.slots, None, &Progress::none())?;
    Ok(run.measured().fingerprint.unwrap_or_default())
}
