//! SERENADE, message by message: SERENA's MERGE by ports that know only what they are told (paper
//! 002).
//!
//! ```text
//!            arrivals, own VOQ lengths
//!                      |
//!   input ports ───► Vertex ◄──────────────► Vertex     messages in rounds, carried by a Network
//!   output ports     OutputPort ◄────────────┘          which counts them and may write them down
//!   controller       Controller: leaders report, it broadcasts
//! ```
//!
//! This is the suite as a switch would run it, for looking at, for counting, and for checking the
//! fast schedulers against; it is far too slow for long simulations. No vertex, output or
//! controller has a reference to another or to anything they share: all that a port learns goes
//! through its `receive`, one message at a time.
//!
//! A slot has four parts:
//!
//! 1. **Pruning.** Each input announces its arrival, with the length of the VOQ, to the output. The
//!    output keeps the heaviest and tells that input.
//! 2. **POPULATE** (appendix A). Free ports learn their ranks by a parallel prefix sum, that of
//!    Ladner and Fischer in 2 K - 1 rounds, K = ceil(log2 N), or by recursive doubling in K rounds
//!    ([`Network::account`]), and meet through brokers in three messages. The paper stops there,
//!    with outputs that do not know their partners, although in iteration 0 they must name them and
//!    the weight of the edge; so a fourth message tells them. `populate=rotate` needs the number of
//!    free ports everywhere, which the last input spreads in K more rounds; `populate=random` needs
//!    a controller that shuffles, whose messages are counted apart ([`Class::Shuffle`]).
//! 3. **SERENADE-common** (section 4). Vertex i stands for the edge from input i over its red
//!    output to that output's green input sigma(i). In iteration k it learns who is 2^k edges
//!    downstream and upstream of it and what the walk weighs in red and in green, from the ports
//!    that know half of that. If the new identities repeat earlier ones, the cycle is ouroboros:
//!    the difference of two walks is a whole number of turns, its weights decide, and the vertex
//!    falls silent.
//! 4. **The variant** (section 5) for cycles that are not ouroboros after iteration K: C stays
//!    green; under O the leader of the cycle, elected in the same messages, decides by the walk of
//!    2^K edges from itself; under E a binary search over the precinct leaders brings the weights
//!    of a whole number of turns to the leader. Leaders report to the controller, which broadcasts
//!    all decisions. With minima instead of sums (appendix F,
//!    [`switchlab_core::schedule::serena::sketch`]) every vertex of a cycle decides alike by
//!    itself.
//!
//! The variant of a slot is declared by the controller beforehand (section 5); that is not counted.
//!
//! Rounds, messages and bits are counted by class ([`Report::counts`]). Inputs are assumed to reach
//! each other directly, over the line card of the reader. Without such a bypass (section 4.3.3) the
//! output of the sender's number passes each message on, in a round of its own.

pub mod message;
pub mod stuck;

mod controller;
mod knowledge;
mod network;
mod output;
mod populate;
mod report;
mod show;
mod vertex;

pub use controller::Controller;
pub use knowledge::{Knowledge, Situation};
pub use message::{Address, Bits, Class, Delivery, Message, Round};
pub use network::Network;
pub use output::OutputPort;
pub use report::{Counts, Phases, Report};
pub use vertex::{Finding, Vertex};
