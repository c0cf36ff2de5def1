//! Theory of packet switches: what can be proved, searched or counted about an architecture without
//! simulating traffic, and models of how a decision is reached, step by step or message by message.
//!
//! - [`deadlock`]: which Benes fabrics can deadlock, by a search through all states.
//! - [`memory_bound`]: how many memories output queueing needs, as a game against an adversary.
//! - [`pram`]: the scheduler of shared-memory switches as a program for a parallel machine.
//! - [`ouroboros`]: which cycles SERENADE decides in its common iterations, and their
//!   probabilities.
//! - [`serenade`]: a slot of SERENADE message by message, by ports that know only what they are
//!   told.
//! - [`processing_elements`], [`census`]: `FIND_ROOTS` and Gale-Shapley in the steps of parallel
//!   hardware, and how often instances are rooted.
//! - [`element_cost`]: queues and cells of an element of a Benes fabric, by how flows are merged.
//!
//! The crate is as free of input, output, clocks and threads as the simulator. A long search is
//! followed and stopped through [`watch`].

#![no_std]
extern crate alloc;

pub mod census;
pub mod deadlock;
pub mod element_cost;
pub mod memory_bound;
pub mod ouroboros;
pub mod pram;
pub mod processing_elements;
pub mod serenade;
pub mod watch;
