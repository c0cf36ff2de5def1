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
//! A matching that only a cycle that is not ouroboros can improve is a local maximum, and
//! C-SERENADE is stuck there while the queues stay so (appendix H.2.3). The smallest switch that
//! has one has 11 ports; papers/002/stuck.csv is a trace that leads there, and papers/002/README.md
//! has the command that steps through it.
//!
//! Parameters `prune`, `tie`, `populate`: as for `serena`. The others change no departure, only
//! what messages are counted at: `weight-bits`, the bits of a queue length; `prefix`, how POPULATE
//! adds up ranks, `ladner-fischer` in 2 K - 1 rounds as appendix A has it (of that family of
//! circuits the one in which a port sends one message in a round) or recursive `doubling` in K
//! rounds; `bypass=none` for a switch whose inputs reach each other only over an output that passes
//! messages on, as section 4.3.3 has it: two messages and two rounds for one, and the reader's
//! identity on the first half of the way.
//!
//! Counters, per slot: `cycles`; `non_ouroboros` cycles; `ouroboros_vertices`, the share of inputs
//! on ouroboros cycles, and `ouroboros_slots`; `iterations` and `messages_per_vertex` of the merge,
//! as in the paper's table 2; and `agreement`, how often a cycle that is not ouroboros was decided
//! as SERENA would.
//!
//! Costs in full are counted by what they are for: `messages_...` and `bits_...` of `prune` (each
//! arrival an identity and a weight, each acceptance a flag), `populate` (prefix sums of inputs and
//! outputs; asking, offering and introducing by brokers; and the fourth message that outputs need),
//! `shuffle` (`populate=random`: each free output a flag to the controller and a rank back; the
//! controller shuffles them one after the other, `shuffle_steps`), `common`, `search` and
//! `controller` (leaders, and the broadcast to every input). `bits_leader`, `bits_overweight` and
//! `bits_sketch` are fields in the messages of SERENADE-common, and not in `bits_common`.
//! `bits_merge` is all but pruning and POPULATE, `bits_per_port` everything. Identities take K
//! bits, weights `weight-bits`, the weight of a walk K bits more, a codeword 64, a flag or colour
//! one. A message has the identity of its sender if the reader does not know it beforehand.
//! `rounds` is `rounds_populate` and `rounds_merge`, rounds in which somebody sends.
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
