//! A deterministic, cell-accurate simulator of packet-switch architectures.
//!
//! ```text
//!   traffic ──arrivals──► switch (queues + scheduler) ──departures──► meter
//! ```
//!
//! One direction, no way back: a switch never sees how its arrivals are made, and a meter never
//! steers a switch. Stages meet in two plain things: the arrivals of a slot (for each input an
//! output, or none; cells may have labels) and the departures of a slot (for each output a cell, or
//! none). There is no I/O, no clock and no thread in here, so none can creep in; time is the slot
//! number, and every random number comes from one seed.
//!
//! Within slot t, in this order:
//!
//! 1. Arrivals: at most one cell per input enters its queue.
//! 2. Decision: the scheduler sees queue lengths that include this slot's arrivals.
//! 3. Transfer: each matched, non-empty queue sends one cell, which leaves the switch in slot t.
//!
//! ```
//! use switchlab_core::{Block, Cell, NONE, Seed, meter::Meter, registry};
//!
//! let (ports, seed) = (16, Seed { seed: 1, replication: 0 });
//! let traffic = registry::traffic("uniform")?.build(Some(ports), Some(0.8), &registry::NoFiles)?;
//! let mut source = registry::arrivals("bernoulli")?.build(&traffic, seed);
//! let mut switch = registry::switch("islip(iterations=4)")?.build(ports, seed)?;
//! let mut meter = Meter::new(ports);
//! let mut arrivals = Block::new(ports, 64, NONE);
//! let mut departures = Block::new(ports, 64, Cell::IDLE);
//! for start in (0..64_000).step_by(64) {
//!     arrivals.start = start;
//!     source.fill(&mut arrivals);
//!     switch.run(&arrivals, &mut departures);
//!     meter.observe(&arrivals, &departures);
//! }
//! let mean_delay = meter.delays().sum() as f64 / meter.delays().count() as f64;
//! let ideal = 15.0 / 16.0 * 0.8 / (2.0 * (1.0 - 0.8)); // output queueing, in closed form
//! assert!(ideal < mean_delay && mean_delay < 3.0 * ideal);
//! # Ok::<(), switchlab_core::Error>(())
//! ```

#![no_std]
extern crate alloc;

pub mod counter;
pub mod labels;
pub mod meter;
pub mod observe;
pub mod registry;
pub mod rng;
pub mod schedule;
pub mod spec;
pub mod stable;
pub mod switch;
pub mod traffic;

mod cell;
mod error;
mod port_set;
mod prefetch;
mod scale;
mod variants;

pub use cell::{Block, Cell, Dropped, MAX_PORTS, NONE, Port, Slot};
pub use counter::Counter;
pub use error::{Error, nearest};
pub use labels::{Label, Labels};
pub use port_set::PortSet;
pub use rng::Seed;
