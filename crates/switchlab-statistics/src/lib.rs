//! Statistics of one run or several: intervals, warm-up, stability, fairness.
//!
//! ```text
//!   one value per replication ──► interval   mean and 95 % interval; paired differences
//!   Timeline of one long run ───► batch      the same from batch means, where they can be trusted
//!   Timeline from slot 0 ───────► mser       how much of the beginning to discard
//!   Timelines of all runs ──────► drift      stable, unstable or undecided, and why
//!   Delays of replications ─────► percentiles    with intervals
//!   Flows ──────────────────────► fairness   Jain's index
//! ```
//!
//! Pure functions: no files, no threads, no clock, no random numbers. None panics, whatever it is
//! given; what cannot be computed is `None`, not a number, or undecided.

// Tests compare exactly where the arithmetic is exact.
#![cfg_attr(test, allow(clippy::float_cmp))]

pub mod batch;
pub mod drift;
pub mod fairness;
pub mod interval;
pub mod mser;
pub mod percentiles;

mod blocks;
mod student;
mod trend;

pub use batch::BatchMeans;
pub use blocks::block_length;
pub use drift::{Evidence, Observation, Stability, Verdict, assess};
pub use fairness::{fairness, jain};
pub use interval::Estimate;
pub use mser::{Transient, Truncation, mser5, transient};
pub use percentiles::{Percentile, Share, percentile};

/// For tests, of other crates too.
#[doc(hidden)]
pub mod testing;
