//! O-SERENADE: SERENA by messages, opportunistic where it does not know.
//!
//! As C-SERENADE, but on a cycle that is not ouroboros the leader, the vertex with the smallest
//! identity, compares the colours on the longest walk it knows, 2^K edges from itself, which goes
//! around some times and a part. Its decision goes to the switch controller and from there to all
//! vertices, one more iteration. Wrong decisions are possible where the colours weigh about the
//! same, and then cost little.
//!
//! Leaders are elected within the same messages. With `leader=rotating` the vertex with the
//! smallest (i + t) mod N leads in slot t (footnote 6).
//!
//! `consistency=min-sketch` does without leaders (appendix F): each edge turns its weights into
//! exponential random numbers, and vertices exchange minima of `codewords` such numbers per colour
//! and walk. Minima do not count an edge twice, so all vertices of a cycle agree. The paper gives
//! the numbers the mean w; their minimum then says nothing about the sum of weights. Here they have
//! the mean 1/w. Each message is `codewords` times longer, and with a small number of them the
//! decision is poor: see the counter `agreement`.
//!
//! Parameters `prune`, `tie`, `populate`: as for `serena`; `weight-bits`, `prefix`, `bypass`: as
//! for `c-serenade`.
//!
//! Counters: as for `c-serenade`; and `broadcast`, leaders in the controller's list per slot. Wrong
//! decisions by how far apart the colours of the whole cycle are, |red - green| / (red + green): of
//! the cycles that are not ouroboros `share_gap_P` have a gap from P per cent up to the next
//! counter's (P = 0, 1, 2, 5, 10, 20, 50), and of these `wrong_gap_P` were decided otherwise than
//! SERENA would. `weight_lost` is what wrong decisions lose of the weight of the heavier colours.
//!
//! Matching: full. Cost: O(log N) per port in hardware, O(N) per slot here.
//!
//! Reference: paper 002, section 5.2, appendix F.

use super::ouroboros::last_iteration;
use super::rules::{Consistency, Leader, Variant};

/// What is run in each slot.
pub const fn variant(leader: Leader, consistency: Consistency) -> Variant {
    Variant::O { leader, consistency }
}

/// The number of codewords: what was asked for, or, for 0, N log2 N, the order that the paper
/// quotes as sufficient.
pub const fn codewords(asked: usize, ports: usize) -> u32 {
    if asked > 0 { asked as u32 } else { ports as u32 * last_iteration(ports) + 1 }
}
