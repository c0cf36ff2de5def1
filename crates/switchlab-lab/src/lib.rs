//! Experiments on packet switches.
//!
//! ```text
//!   Request ──resolve──► Plan ──compare──► Comparison ──► table for people, JSON for programs
//!                               │
//!                               └─ Run, one per switch and replication, on all cores
//! ```
//!
//! ```
//! use switchlab_lab::report::Report;
//! use switchlab_lab::{Progress, Request, compare};
//!
//! let request = Request {
//!     switches: vec!["oq".into(), "islip".into()],
//!     ports: Some(16),
//!     load: Some(0.6),
//!     slots: Some(2_000),
//!     ..Request::default()
//! };
//! let plan = request.resolve()?;
//! let reports = Report::all(&plan, &compare(&plan, &Progress::none())?, false);
//! for report in &reports {
//!     println!("{}: {:?} +- {:?} slots", report.switch, report.delay.mean, report.delay.ci95);
//! }
//! assert!(reports[0].delay.mean < reports[1].delay.mean);
//! # Ok::<(), switchlab_lab::LabError>(())
//! ```
//!
//! The only crate with threads and files. Results do not depend on the number of threads, on the
//! order of work or on how a run is cut into blocks.

/// The Rust in the README is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;

pub mod audit;
pub mod bench;
pub mod calculation;
pub mod claims;
pub mod class_delays;
pub mod cluster;
pub mod compare;
pub mod counters;
pub mod date;
pub mod deadlock;
pub mod decision;
pub mod digest;
pub mod error;
pub mod experiment;
pub mod explained;
pub mod export;
pub mod figure;
pub mod files;
pub mod grid;
mod hot_spots;
pub mod limit;
pub mod listing;
mod located;
pub mod manifest;
pub mod memory;
mod numbers;
pub mod outcome;
pub mod overload;
pub mod picture;
pub mod plan;
pub mod plot;
pub mod port_delays;
pub mod progress;
pub mod prose;
pub mod ranges;
pub mod rankings;
pub mod registry;
pub mod replay;
pub mod report;
pub mod reproduce;
pub mod run;
pub mod shipped;
pub mod status;
pub mod step;
pub mod store;
pub mod sweep;
pub mod tabulated;
#[cfg(test)]
mod testing;
pub mod text_table;
pub mod warning;

pub use compare::{Comparison, compare};
pub use error::LabError;
pub use outcome::Outcome;
pub use plan::{Plan, Request, Warmup};
pub use progress::Progress;
pub use switchlab_statistics as statistics;
pub use warning::Warning;
