//! Traffic: cells come in.
//!
//! ```text
//!   LoadMatrix ──► Destinations (alias tables) ─┐
//!                                               ├─► Arrivals: for each input an output or none
//!   load ────────► process (when) ──────────────┘
//!   Trace ────────────────────────────────────────► Arrivals
//!
//!   Labels: the class and the flow of a cell, by its input and arrival slot
//! ```
//!
//! A matrix says where cells go, a process says when they come, and any matrix goes with any
//! process. Every input draws from a stream of its own, so its arrivals depend on nothing but the
//! seed, the replication, the traffic and the load: all switches see the same cells. (The same
//! rates written in two ways, `diagonal` and a file, have the same distribution but may give other
//! cells: their alias tables differ.)

pub mod bernoulli;
pub mod bursts;
pub mod destinations;
pub mod matrix;
pub mod trace;

pub use bernoulli::Bernoulli;
pub use bursts::{Bursty, OnOff};
pub use matrix::LoadMatrix;
pub use trace::Trace;

use crate::cell::{Block, Port, Slot};

/// A source of arrivals for all inputs.
pub trait Arrivals: Send {
    /// Writes, for every input, the output of its new cell, or [`crate::NONE`].
    ///
    /// Slots are requested in ascending order without gaps, beginning with 0.
    fn slot(&mut self, now: Slot, arrivals: &mut [Port]);

    /// Fills a block, from `block.start` on. One virtual call; the `slot` inside is a direct one.
    fn fill(&mut self, block: &mut Block<Port>) {
        for (now, arrivals) in (block.start..).zip(block.data.chunks_exact_mut(block.ports)) {
            self.slot(now, arrivals);
        }
    }
}
