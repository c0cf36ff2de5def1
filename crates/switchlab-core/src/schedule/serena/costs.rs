//! What SERENA's cycles are and what a distributed variant spends on them.
//!
//! All of it follows from the lengths of the cycles and from the numbers of arrivals and free
//! ports: no message is sent here. The sums of a slot are few; messages, bits and rounds are
//! computed from them when they are asked for. The module `serenade` of switchlab-theory sends the
//! messages, and a test holds the two together.

use super::accounting::Accounting;
use super::judge::Kind;
use super::ouroboros::{Fate, Fates, last_iteration};
use super::rules::Populate;
use crate::cell::Slot as Now;
use crate::counter::Counter;
use alloc::vec::Vec;

#[derive(Clone, Debug)]
pub(super) struct Costs {
    last: u32,
    /// By length: the pairs of messages, one upstream and one downstream, that the vertices of a
    /// cycle send after iteration 0 until they know or there is no further iteration (section 4.4).
    later_by_length: Vec<u32>,
    pub(super) ports: usize,
    /// Whether messages are sent at all, and counted.
    pub(super) distributed: bool,
    pub(super) accounting: Accounting,
    pub(super) populate: Populate,
    /// Whether messages carry an overweight bit in slots that are not E-SERENADE's.
    pub(super) has_overweight_bit: bool,
    /// Codewords for each colour in such slots.
    pub(super) codewords: u32,
    pub(super) sums: Sums,
    now: Slot,
}

/// Sums over all slots so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    pub(super) slots: u64,
    // The cycles.
    pub(super) cycles: u64,
    pub(super) non_ouroboros: u64,
    /// Vertices on such cycles.
    pub(super) lost_vertices: u64,
    /// Slots without such a cycle.
    pub(super) ouroboros_slots: u64,
    pub(super) agreeing: u64,
    // Pruning and POPULATE.
    pub(super) arrivals: u64,
    pub(super) arrival_slots: u64,
    /// Free inputs, and as many free outputs.
    pub(super) free: u64,
    pub(super) free_slots: u64,
    /// Free inputs that ask a broker other than themselves, and slots in which there is one.
    pub(super) asking: u64,
    pub(super) asking_slots: u64,
    // SERENADE-common.
    /// Vertices on cycles of two and more.
    pub(super) relaying: u64,
    pub(super) relaying_slots: u64,
    /// Pairs of messages after iteration 0, and those in slots with leaders, with minima, and with
    /// an overweight bit.
    pub(super) later: u64,
    pub(super) later_led: u64,
    pub(super) later_sketched: u64,
    pub(super) later_exact: u64,
    /// Iterations after iteration 0.
    pub(super) later_iterations: u64,
    // The variant.
    /// Leaders that report, and slots in which there is one.
    pub(super) leaders: u64,
    pub(super) led_slots: u64,
    /// The same in E-SERENADE's slots, where leaders also register.
    pub(super) searching: u64,
    pub(super) searching_slots: u64,
    pub(super) moves: u64,
    /// The moves of the longest search of each slot.
    pub(super) search_lengths: u64,
    pub(super) exact_slots: u64,
}

/// The present slot so far.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    relaying: u32,
    later: u32,
    later_iterations: u32,
    unknown: u32,
    unknown_vertices: u32,
    moves: u32,
    longest_search: u32,
}

/// What a slot's arrival graph had to be filled up with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Populated {
    /// Arrivals before pruning.
    pub(super) arrivals: usize,
    /// Free inputs.
    pub(super) free: usize,
    /// Free inputs that are brokers of their own rank.
    pub(super) own_brokers: usize,
}

/// With `populate=rotate`: how many free inputs are brokers of their own rank. The one of rank k
/// asks input (k + t) mod F in slot t.
pub(super) fn own_brokers_rotated(free_inputs: impl Iterator<Item = usize>, free: usize, now: Now) -> usize {
    let shift = now as usize % free.max(1);
    let broker = |rank: usize| if rank + shift < free { rank + shift } else { rank + shift - free };
    free_inputs.enumerate().filter(|&(rank, input)| broker(rank) == input).count()
}

impl Costs {
    pub(super) fn new(ports: usize, fates: &Fates, accounting: Accounting, populate: Populate) -> Self {
        let last = last_iteration(ports);
        let later = |length: usize| length as u32 * fates.fate(length).known_after.map_or(last, u32::from);
        Self {
            last,
            later_by_length: core::iter::once(0).chain((1..=ports).map(later)).collect(),
            ports,
            distributed: false,
            accounting,
            populate,
            has_overweight_bit: false,
            codewords: 0,
            sums: Sums::default(),
            now: Slot::default(),
        }
    }

    /// The costs of a variant that sends messages.
    pub(super) fn distributed(self, has_overweight_bit: bool, codewords: u32) -> Self {
        Self { distributed: true, has_overweight_bit, codewords, ..self }
    }

    /// R(t) was made of the arrivals.
    #[inline]
    pub(super) fn populate(&mut self, populated: Populated) {
        let Populated { arrivals, free, own_brokers } = populated;
        let asking = free - own_brokers;
        self.sums.arrivals += arrivals as u64;
        self.sums.arrival_slots += u64::from(arrivals > 0);
        self.sums.free += free as u64;
        self.sums.free_slots += u64::from(free > 0);
        self.sums.asking += asking as u64;
        self.sums.asking_slots += u64::from(asking > 0);
    }

    /// A merge begins with this many cycles of length one, which know themselves after iteration 0.
    /// Such a vertex sends no message to another one: the only message is that of the output.
    #[inline]
    pub(super) fn begin(&mut self, singles: usize) {
        self.sums.slots += 1;
        self.sums.cycles += singles as u64;
        self.now = Slot { relaying: (self.ports - singles) as u32, ..Slot::default() };
    }

    /// A longer cycle, and whether it was decided as SERENA would.
    #[inline]
    pub(super) fn cycle(&mut self, length: usize, fate: Fate, agrees: bool) {
        self.sums.cycles += 1;
        if self.distributed {
            self.now.later += self.later_by_length[length];
            let known = fate.known_after.map_or(self.last, u32::from);
            self.now.later_iterations = self.now.later_iterations.max(known);
        }
        if !fate.is_ouroboros() {
            self.sums.agreeing += u64::from(agrees);
            self.now.unknown += 1;
            self.now.unknown_vertices += length as u32;
            self.now.moves += u32::from(fate.search_moves);
            self.now.longest_search = self.now.longest_search.max(u32::from(fate.search_moves));
        }
    }

    /// The merge ends: what is spent beyond SERENADE-common (section 5.4). Leaders report to the
    /// controller, which broadcasts their list in one more iteration; a search takes an iteration
    /// and a message for each move.
    #[inline]
    pub(super) fn end(&mut self, kind: Kind) {
        let (now, sums) = (self.now, &mut self.sums);
        let (unknown, later) = (u64::from(now.unknown), u64::from(now.later));
        sums.non_ouroboros += unknown;
        sums.lost_vertices += u64::from(now.unknown_vertices);
        sums.ouroboros_slots += u64::from(unknown == 0);
        sums.relaying += u64::from(now.relaying);
        sums.relaying_slots += u64::from(now.relaying > 0);
        sums.later += later;
        sums.later_iterations += u64::from(now.later_iterations);
        match kind {
            Kind::Central | Kind::Conservative => {}
            Kind::Sketched => sums.later_sketched += later,
            Kind::Led => {
                sums.later_led += later;
                sums.leaders += unknown;
                sums.led_slots += u64::from(unknown > 0);
            }
            Kind::Exact => {
                sums.later_exact += later;
                sums.exact_slots += 1;
                sums.leaders += unknown;
                sums.led_slots += u64::from(unknown > 0);
                sums.searching += unknown;
                sums.searching_slots += u64::from(unknown > 0);
                sums.moves += u64::from(now.moves);
                sums.search_lengths += u64::from(now.longest_search);
            }
        }
    }

    pub(super) fn counters(&self, visit: &mut dyn FnMut(Counter)) {
        let Self { sums, ports, .. } = self;
        let (slots, vertices) = (sums.slots, sums.slots * *ports as u64);
        let mut show = |name, sum, per| visit(Counter { name, sum, per });
        show("cycles", sums.cycles, slots);
        show("non_ouroboros", sums.non_ouroboros, slots);
        if self.distributed {
            let bill = self.bill();
            // Iteration 0 and those after it, one for the broadcast, and one for each move.
            let iterations = slots + sums.later_iterations + sums.led_slots + sums.search_lengths;
            show("iterations", iterations, slots);
            // The broadcast is left out here, as in the paper's table 2.
            let messages = bill.common.messages + bill.search.messages + sums.leaders;
            show("messages_per_vertex", messages, vertices);
            show("broadcast", sums.leaders, slots);
            show("search_length", sums.search_lengths, sums.searching_slots);
            show("agreement", sums.agreeing, sums.non_ouroboros);
            show("exact_slots", sums.exact_slots, slots);
        }
        show("ouroboros_vertices", vertices - sums.lost_vertices, vertices);
        show("ouroboros_slots", sums.ouroboros_slots, slots);
        if self.distributed {
            self.bill().counters(slots, vertices, visit);
        }
    }
}
