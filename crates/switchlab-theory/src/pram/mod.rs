//! A small parallel machine, and the scheduler of shared-memory switches as a program for it.
//!
//! ```text
//!   arrivals ──► departure times ──► compatibility ──► halving, log2 Gamma times
//!            ──► memory of each input, output of each memory
//!               (prefix sums)        (the table T)     (pairs, 2-colouring)
//! ```
//!
//! The [`Machine`] is the one of paper 000, section IV-A: in a step each processor reads one shared
//! cell, computes with what it holds, and writes one shared cell. All reads of a step come before
//! all its writes; many may read a cell, and only one may write it, which is checked. The
//! [`Scheduler`] runs on it, and what it costs is counted as it runs: steps, processors, cells.
//! That takes O(log^2 N) steps of O(N^2) processors on O(N K) cells, theorem 1; here, for N = 2^g
//! and 2N-1 memories, 2.5 g^2 + 7.5 g + 13 steps of 2 N M processors.
//!
//! ```
//! use switchlab_core::NONE;
//! use switchlab_theory::pram::Scheduler;
//!
//! // The 2x2 switch of figure 2 has three memories.
//! let mut scheduler = Scheduler::new(2, 3, 8);
//! let assignment = scheduler.slot(&[0, 0])?; // both inputs have a cell for output 0
//! assert_eq!(assignment.memories, [0, 1]);
//! assert_eq!(assignment.outputs, [0, NONE, NONE]); // memory 0 sends to output 0 at once
//! assert_eq!(scheduler.costs().steps, 23);
//! # Ok::<(), switchlab_theory::pram::Fault>(())
//! ```
//!
//! It gives the same memories as `psm(matcher=halving)`, which is its fast twin: a machine that is
//! simulated step by step is thousands of times too slow for simulations of traffic.
//!
//! The [`FlowScheduler`] is the generalised one of section V-B, for flows that are striped over
//! memories. It differs in what comes before the matching and after it, takes as many steps (for
//! stripes of N memories and N = 2^g, again 2.5 g^2 + 7.5 g + 13), and gives the same memories as
//! `psm-flows(matcher=halving)`.
//!
//! The [`Colourer`] is the whole edge colouring of Lev, Pippenger and Valiant, of which both use
//! the part that leads to one colour.

mod colouring;
mod flows;
mod halving;
mod machine;
mod matching;
mod scheduler;

pub use colouring::Colourer;
pub use flows::FlowScheduler;
pub use machine::{Array, Costs, Fault, Machine, Turn, Word};
pub use scheduler::{Assignment, Scheduler};
