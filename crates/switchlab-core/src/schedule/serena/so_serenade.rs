//! SO-SERENADE: O-SERENADE, conservative if overweight, and now and then E-SERENADE.
//!
//! At the beginning of each slot the switch controller flips a coin: with probability `alpha` the
//! slot is E-SERENADE's, otherwise O-SERENADE's with one change: a cycle that is not ouroboros
//! stays green if one of its edges, red or green, weighs more than `cow` cells. So a slot loses at
//! most N times `cow` of the matching's weight by a wrong decision, which, with the coin, makes
//! stability provable.
//!
//! Parameters `leader`, `consistency`, `codewords`: as for `o-serenade`; `prune`, `tie`,
//! `populate`: as for `serena`; `weight-bits`, `prefix`, `bypass`: as for `c-serenade`.
//!
//! Random choices: the coin has a stream of its own, one draw per slot; the rest as for `serena`.
//!
//! Counters, matching and cost: as for `o-serenade` and `e-serenade`.
//!
//! Reference: paper 002, section 6, appendix H.

use super::rules::{Consistency, Leader, Variant};

/// What is run in a slot that is not E-SERENADE's.
pub const fn variant(cow: u32, leader: Leader, consistency: Consistency) -> Variant {
    Variant::So { cow, leader, consistency }
}
