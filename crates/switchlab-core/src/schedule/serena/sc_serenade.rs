//! SC-SERENADE: C-SERENADE, and now and then E-SERENADE.
//!
//! At the beginning of each slot the switch controller flips a coin: with probability `alpha` the
//! slot is E-SERENADE's, otherwise C-SERENADE's. The coin makes stability at every admissible load
//! provable, since with a positive probability the matching becomes one of maximum weight, and
//! C-SERENADE never loses weight.
//!
//! Parameters `prune`, `tie`, `populate`: as for `serena`; `weight-bits`, `prefix`, `bypass`: as
//! for `c-serenade`.
//!
//! Random choices: the coin has a stream of its own, one draw per slot; the rest as for `serena`.
//!
//! Counters, matching and cost: as for `c-serenade` and `e-serenade`; `exact_slots` is the share of
//! slots that were E-SERENADE's.
//!
//! Reference: paper 002, section 6, appendix H.

use super::rules::Variant;

/// What is run in a slot that is not E-SERENADE's.
pub const fn variant() -> Variant {
    Variant::C
}
