//! E-SERENADE: SERENA by messages, exactly.
//!
//! As C-SERENADE, but the vertices of a cycle that is not ouroboros go on: a binary search along
//! the walk of 2^K edges from the leader finds a place where the leader comes again, and the
//! weights up to there are of whole turns. The search is a baton that moves from vertex to vertex
//! (procedure 2), at most K times, about half as often on average. Then the leader's decision is
//! broadcast.
//!
//! The matching is SERENA's in every slot.
//!
//! Parameters `prune`, `tie`, `populate`: as for `serena`; `weight-bits`, `prefix`, `bypass`: as
//! for `c-serenade`.
//!
//! Counters: as for `o-serenade`; and `search_length`, the moves of the longest search in a slot,
//! averaged over the slots that search.
//!
//! Matching: full. Cost: O(log N) per port in hardware, about 1.5 log2 N iterations; O(N) per slot
//! here.
//!
//! Reference: paper 002, section 5.3.

use super::rules::Variant;

/// What is run in each slot.
pub const fn variant() -> Variant {
    Variant::E
}
