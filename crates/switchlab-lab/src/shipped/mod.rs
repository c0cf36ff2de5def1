//! Results that are shipped with the papers.
//!
//! ```text
//!   papers/NNN/results/units.jsonl.gz   one line for each point: the unit, and its replications
//!                      manifest.json    program, dates, hash of the lines
//!
//!   full run ──Row::of──► units.jsonl.gz ──Row::measured──► results ──► claims, figures, page
//! ```
//!
//! A store keeps all that was measured: some ten kilobytes for each replication. What is shipped is
//! a [`Row`] for each, some hundreds of bytes: all that means, percentiles, counters, intervals and
//! verdicts are computed from, so that the page made from shipped results says what the page of the
//! full run says. Of the distribution of delays the five percentiles stay, and of the backlog over
//! time the blocks of the verdict.
//!
//! A point is known by the key of its first unit. The key has the engine in it: where what a switch
//! does has changed, its shipped results are not found, and have to be measured again.

mod archive;
mod row;
#[cfg(test)]
mod tests;
mod verify;

pub use archive::{Missing, Shipped};
pub use row::Row;
pub use verify::{Compared, verify};
