//! C-SERENADE: SERENA by messages, conservative where it does not know.
//!
//! Every input is a vertex. In 1 + K iterations, K = ceil(log2 N), it exchanges two messages with
//! the vertices 1, 2, 4, ... steps away on its cycle of red and green edges, and so learns the
//! weights of walks of 2^k edges up and down. If the cycle's length divides 2^n, 2^m - 2^n or 2^m +
//! 2^n, n < m <= K, the vertex finds itself again, knows which colour is heavier, and stops. The
//! other cycles, not ouroboros, stay green: their vertices keep the outputs they had, without a
//! further message.
//!
//! So it never takes the lighter colour of a cycle unless that is green. At low load, where old
//! matchings empty quickly, this costs delay; at high load little.
//!
//! Parameters `prune`, `tie`, `populate`: as for `serena`.
//!
//! Counters, per slot: `cycles`; `non_ouroboros` cycles; `iterations`; `messages_per_vertex`; and
//! `agreement`, how often a cycle that is not ouroboros was decided as SERENA would.
//!
//! Matching: full. Cost: O(log N) per port in hardware; here O(N) per slot, since what a vertex
//! learns follows from its cycle. The messages themselves are in the module `serenade`, and a test
//! holds the two together.
//!
//! Reference: paper 002, sections 4 and 5.1.

use super::rules::Variant;

/// What is run in each slot.
pub const fn variant() -> Variant {
    Variant::C
}
