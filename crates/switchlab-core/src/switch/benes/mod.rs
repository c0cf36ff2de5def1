//! The Benes fabric with internal backpressure: two banyans back to back, of P x P elements with
//! small buffers, credits and resequencing.
//!
//! ```text
//!   VOQs ──► distribution: K stages ──► routing: K stages ──► outputs
//!            merge, distribute           resequence, split      K = log_P N
//! ```
//!
//! Elements of the K distribution stages spread the cells for each output evenly over all paths;
//! those of the K routing stages bring them back together and to their output. Stages s and 2K-1-s
//! belong to the same level s of the recursive construction. No buffer inside overflows: a cell is
//! sent only with a credit for the buffer that it comes to. Cells without a credit wait in the
//! VOQs.
//!
//! N is a power of P, from 2 to 32. Without `radix` it is 4 if N is a power of 4, else 2. Levels
//! may differ: `radix=4x8` has 32 ports, elements of 4 x 4 outside and of 8 x 8 inside.
//!
//! Topology. With M = N/P^(s+1) elements in each sub-network of level s, output p of distribution
//! element c M + e of level s leads to input e mod P of element (c P + p) M/P + e/P of level s+1.
//! From the last distribution stage, output p of element c leads to input p of routing element c.
//! Output m of routing element c M + f of level s leads to input c mod P of element (c/P) M P + f
//! P + m of level s-1. At level 0, output m of element f is output f P + m of the fabric.
//!
//! Flow groups. Links are numbered from 0, into stage 0, to 2K, out of the fabric. A cell from i to
//! j belongs on link l <= K to group j, and on link l > K to group (i/G) G + j mod G with G =
//! P^(2K-l): its source, at the exit. With `resequencing=final` it is j on every link. Each group
//! has a buffer at each end of a link.
//!
//! One slot:
//! 1. Arrivals enter VOQs.
//! 2. Cells move inside elements from input to output buffers: stages from last to first, elements
//!    and groups ascending, each group until it can move no more. A freed input buffer gives its
//!    credit back. In a distribution element the group takes a cell from its P input buffers by
//!    `merge` and chooses an output by `distribution`; if that output buffer is full, it waits, and
//!    nothing is remembered. In a routing element the group takes the cell that is next in
//!    sequence, by the numbers of the distribution element of its level; it goes to output
//!    (j / P^s) mod P, and waits if that buffer is full.
//! 3. Each line card and each output sends one cell: of the first group at or after its pointer
//!    that has a cell and a credit. The pointer, at first 0, is then one beyond that group. The
//!    cell is in the next input buffer for step 2 of the next slot.
//!
//! A lone cell leaves 2K slots after its arrival.
//!
//! `distribution`:
//! - `rr`: in turns, for each element and destination. The pointers begin anywhere (one draw each:
//!   stages, elements, destinations ascending), or at 0 with `pointers=zero`.
//! - `ic`: of the outputs that have received the fewest cells of the group the one with the fewest
//!   ready cells, lowest number on ties. Ready cells are those in its output buffers, of all
//!   groups, that have a credit at that moment.
//! - `random-balanced`: of the outputs that have received the fewest cells of the group any, by one
//!   draw; none is made if all of their buffers are full.
//! - `hash`: always the same path for a flow, by digits of a hash: the mixer of `SplitMix64` of the
//!   key xor (i 2^16 + j), from bit s log2 P on at level s. The key is one draw, or 0 with
//!   `pointers=zero`. Cells stay in order by themselves, and are not numbered; routing elements
//!   merge.
//!
//! `resequencing=final`: routing elements merge, as distribution elements do. Cells are numbered in
//! their flow, and each output has a resequencer without bound, which sends one cell per slot that
//! is next in its flow: round robin over sources, possibly in the slot in which it came.
//!
//! `merge`: `round-robin` over the input ports with a pointer for each element and group, at first
//! 0; `random`, by a draw whenever there are several; `fixed`, the lowest port. Draws are made for
//! a cell that moves; with `hash` or backpressure per link, for each attempt.
//!
//! Sizes. Output buffers hold one cell. `distribution-buffer` is what an input buffer of a
//! distribution element holds, 1 by default; `routing-buffer` what one of a routing element holds,
//! by default the same, and one more with `ic` and `random-balanced`. In the terms of section 4,
//! where an output buffer and the next input buffer are one, bD = 1 + distribution-buffer and bR =
//! 1 + routing-buffer; the theorem asks for bR >= bD with `rr` and for bR >= bD + 1 with the other
//! two. It holds for two levels. From three levels on (8 ports with P = 2), there are deadlocks at
//! these sizes if `merge` is random or fixed; with round robin none is known.
//!
//! Deadlock. If no cell moves for 64 slots, or none of some group for 1024 + 16 N, the watchdog
//! finds out which cell waits for which. If cells wait for each other in a circle, the run stops
//! and names them. If all of them can still move, it was congestion, and the run goes on.
//!
//! `credit-delay=d`: a credit that is given back in slot t can be used from slot t+d on, and counts
//! as such from the beginning of that slot.
//!
//! `backpressure=per-link`: the buffers at an end of a link, of the same sizes, are one for all
//! groups together, and so are the credits. Any group in it can be served, but one hot output fills
//! it and blocks the others (section 2.2). With resequencing per stage it soon deadlocks.
//!
//! More settings, defined slot by slot in `papers/004/settings.md`:
//! - `links`: which group a link serves, instead of round robin: `wrr(w=3:1)`, `random`, `oldest`,
//!   `fixed`, or `redrawn`, strict priority from a group on that is drawn every `link-period`
//!   slots.
//! - `distribution-output`, `routing-output`: cells in an output buffer. With 0 a cell goes from
//!   the input buffer over the link, so that bD = distribution-buffer and bR = routing-buffer: with
//!   1 and 2 the base case of the theorem.
//! - `distribution=random` and `adaptive` have no bound on the imbalance. Cells have full numbers,
//!   and small buffers may deadlock: give `routing-buffer` more room.
//! - `merge=wrr(w=3:1)`: weights of input ports. `order=distribute-first`: each input port
//!   distributes by itself, with P^2 N queues; with small routing buffers resequencing per stage
//!   then deadlocks under load, since paths are merged in different orders.
//! - `flow-control=stop-and-go` instead of credits. `link-delay`: more slots on each link. A flow
//!   is carried at the rate buffer / round trip, 1 + link-delay + credit-delay.
//! - `loss`: links lose cells. A resequencer gives a cell up when all P paths have a later one, or
//!   after `patience` slots; cells that come later still are dropped.
//! - `center=one`: the two central stages are one, 2K - 1 in all.
//! - `merging=hierarchical`: groups by the output of each sub-network, N/P^k in stage k, with
//!   credits of each level from its exit to its entry; `feedback` says how fast these return.
//! - `priorities`: levels by class, with queues, buffers and credits of their own; `precedence` is
//!   strict or `wrr(w=4:1)`.
//!
//! Counters: `delay_minus_stages`, the mean delay less 2K; `voq_wait`, mean slots in the VOQ;
//! `wait_stage_0` and so on, mean slots in a stage beyond the one that it takes;
//! `resequencing_depth`, cells per output that wait for one before them. With hot spots also
//! `delay_hot`, `delay_other`, their maxima, and `utilisation_hot`. With a `loss` also
//! `lost_on_links` and `late_cells`.
//!
//! Cost of an element in hardware, by how flows are merged (section 3; `explain benes-cost`):
//! queues, P = 4, in the costliest stage.
//!
//! ```text
//!   N       not merged   per output (here)   hierarchical, each 2K cells deep
//!   16           1 280                 128                            128
//!   64          20 480                 512                            512
//!   256        327 680               2 048                          2 048
//!   1024     5 242 880               8 192                          8 192
//! ```
//!
//! Per output, all stages cost the same, 2 P N queues of one cell. Hierarchical merging costs N/P^k
//! in stage k, but needs `log_P` N levels of backpressure.
//!
//! Cost in software: that of the hops of cells; empty buffers cost nothing. The usual settings have
//! engines of their own, which give the same results as the general one, and are faster. Other
//! radices, and "More settings", run in the general fabric.
//!
//! Reference: G. Sapountzis, M. Katevenis, "Benes switching fabrics with O(N)-complexity internal
//! backpressure", paper 004.

mod banyan;
mod element;
mod engine;
mod equal;
mod exit;
mod fabric;
mod general;
mod links;
mod parameters;
mod routing;

pub(crate) use general::Settings;
pub(crate) use parameters::{BANYAN, PARAMETERS};
