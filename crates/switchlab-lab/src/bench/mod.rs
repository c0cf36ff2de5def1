//! The speed of the simulator: time per slot, instructions and memory; relative to the floor,
//! against the number of ports, and against public simulators.
//!
//! ```text
//!   benchmarks/definitions.toml ──check──► departures as expected?
//!        ──► turns, processes of their own, valgrind ──► benchmarks/DATE.json
//!        ──document──► docs/performance.md
//! ```
//!
//! The floor is the crossbar with the `tdm` scheduler: arrivals, queues and meters do their work,
//! and the decision costs nothing. A benchmark names the departures it expects. With other
//! departures nothing is measured.

mod alone;
mod check;
mod definition;
mod document;
mod instructions;
mod parts;
mod record;
mod tables;
mod turns;

pub use alone::{Alone, Round, alone};
pub use check::{Changed, changed};
pub use definition::{Benchmark, Config, Definitions, Limits, Public, Scaled, Scaling};
pub use document::document;
pub use parts::{Part, PartCost};
pub use record::{Entry, Machine, Record, Size, newest};
pub use tables::tables;
pub use turns::{Bench, Speed, Turns, data};

/// The switch that all others are compared with.
pub const FLOOR: &str = "tdm";
/// Where definitions and records are, from the root of the repository.
pub const FOLDER: &str = "benchmarks";
/// The definitions in it.
pub const DEFINITIONS: &str = "definitions.toml";

/// The least value, of those that are numbers.
fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NAN, f64::min)
}

/// The value in the middle, of those that are numbers.
fn median(values: &[f64]) -> f64 {
    quantile(values, 0.5)
}

/// The value below which this share of the values lies, of those that are numbers.
fn quantile(values: &[f64], share: f64) -> f64 {
    let mut values: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
    values.sort_by(f64::total_cmp);
    values.get((values.len() as f64 * share) as usize).copied().unwrap_or(f64::NAN)
}
