//! The simulator for web pages.
//!
//! ```text
//!   page ──request──► abi ──► Host ──► Sim: arrivals, switch, cells ──JSON──► page
//! ```
//!
//! Compiled for `wasm32-unknown-unknown` it is a module without imports. [`abi`] has its exports:
//! the page writes a request into the input buffer, calls an export and reads JSON from the output
//! buffer. Everything behind it is ordinary Rust and is tested natively; see [`host::Host`].
//!
//! What a page shows is the first replication of `switchlab run` with the same seed, from the empty
//! switch on. [`request::Request`] may add cells to the arrivals; a run with added cells is that of
//! the trace that the page exports.

pub mod abi;
pub mod curve;
pub mod fabric;
pub mod host;
mod json;
mod memories;
mod queued;
mod recorder;
pub mod request;
pub mod sim;

/// The most ports of a switch on a page: a set of ports is then one word.
pub const MOST_PORTS: usize = 64;
