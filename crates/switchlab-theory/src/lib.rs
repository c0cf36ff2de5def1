//! Theory of packet switches that needs no slots: what can be proved, searched or counted about an
//! architecture without simulating traffic.
//!
//! - [`deadlock`]: which Benes fabrics can deadlock, by a search through all states.
//! - [`memory_bound`]: how many memories output queueing needs, as a game against an adversary.
//! - [`pram`]: the scheduler of shared-memory switches as a program for a parallel machine.
//! - [`ouroboros`]: which cycles SERENADE decides in its common iterations, and their
//!   probabilities.
//!
//! The crate is as free of input, output, clocks and threads as the simulator. A long search is
//! followed and stopped through [`watch`].

#![no_std]
extern crate alloc;

pub mod deadlock;
pub mod memory_bound;
pub mod ouroboros;
pub mod pram;
pub mod watch;
