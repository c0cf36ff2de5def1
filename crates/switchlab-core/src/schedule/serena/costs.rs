//! What SERENA's cycles are and what a distributed variant spends on them, all of it a function of
//! the cycles' lengths.

use super::judge::Kind;
use super::ouroboros::{Fate, Fates, last_iteration};
use crate::counter::Counter;
use alloc::vec::Vec;

#[derive(Clone, Debug)]
pub(super) struct Costs {
    last: u32,
    /// By length: the messages that the vertices of a cycle send in SERENADE-common, two per vertex
    /// and iteration until they know or there is no further iteration (section 4.4).
    messages_by_length: Vec<u32>,
    ports: usize,
    /// Whether messages are sent at all, and counted.
    distributed: bool,
    slots: u64,
    cycles: u64,
    non_ouroboros: u64,
    agreeing: u64,
    iterations: u64,
    messages: u64,
    broadcast: u64,
    searches: u64,
    search_moves: u64,
    exact_slots: u64,
    now: Slot,
}

/// The costs of the present slot so far.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    iterations: u32,
    unknown: u32,
    moves: u32,
    longest_search: u32,
}

impl Costs {
    pub(super) fn new(ports: usize, fates: &Fates, distributed: bool) -> Self {
        let last = last_iteration(ports);
        let messages = |length: usize| {
            let iterations = fates.fate(length).known_after.map_or(last, u32::from) + 1;
            length as u32 * 2 * iterations
        };
        Self {
            last,
            messages_by_length: core::iter::once(0).chain((1..=ports).map(messages)).collect(),
            ports,
            distributed,
            slots: 0,
            cycles: 0,
            non_ouroboros: 0,
            agreeing: 0,
            iterations: 0,
            messages: 0,
            broadcast: 0,
            searches: 0,
            search_moves: 0,
            exact_slots: 0,
            now: Slot::default(),
        }
    }

    /// A merge begins with this many cycles of length one, which know themselves after iteration 0.
    /// Such a vertex sends no message to another one: the only message is that of the output.
    #[inline]
    pub(super) fn begin(&mut self, singles: usize) {
        self.slots += 1;
        self.cycles += singles as u64;
        self.messages += singles as u64;
        self.now = Slot { iterations: 1, ..Slot::default() };
    }

    /// A longer cycle, and whether it was decided as SERENA would.
    #[inline]
    pub(super) fn cycle(&mut self, length: usize, fate: Fate, agrees: bool) {
        self.cycles += 1;
        if !self.distributed {
            self.non_ouroboros += u64::from(!fate.is_ouroboros());
            return;
        }
        self.messages += u64::from(self.messages_by_length[length]);
        let known = fate.known_after.map_or(self.last, u32::from);
        self.now.iterations = self.now.iterations.max(known + 1);
        if !fate.is_ouroboros() {
            self.non_ouroboros += 1;
            self.agreeing += u64::from(agrees);
            self.now.unknown += 1;
            self.now.moves += u32::from(fate.search_moves);
            self.now.longest_search = self.now.longest_search.max(u32::from(fate.search_moves));
        }
    }

    /// The merge ends: what is spent beyond SERENADE-common (section 5.4). Leaders report to the
    /// controller, which broadcasts their list in one more iteration; a search takes an iteration
    /// and a message for each move.
    #[inline]
    pub(super) fn end(&mut self, kind: Kind) {
        let now = self.now;
        self.exact_slots += u64::from(kind == Kind::Exact);
        self.iterations += u64::from(now.iterations);
        if now.unknown == 0 || matches!(kind, Kind::Central | Kind::Conservative | Kind::Sketched) {
            return;
        }
        self.iterations += 1;
        self.messages += u64::from(now.unknown);
        self.broadcast += u64::from(now.unknown);
        if kind == Kind::Exact {
            self.iterations += u64::from(now.longest_search);
            self.messages += u64::from(now.moves);
            self.searches += 1;
            self.search_moves += u64::from(now.longest_search);
        }
    }

    pub(super) fn counters(&self, visit: &mut dyn FnMut(Counter)) {
        let mut show = |name, sum, per| visit(Counter { name, sum, per });
        show("cycles", self.cycles, self.slots);
        show("non_ouroboros", self.non_ouroboros, self.slots);
        if self.distributed {
            show("iterations", self.iterations, self.slots);
            show("messages_per_vertex", self.messages, self.slots * self.ports as u64);
            show("broadcast", self.broadcast, self.slots);
            show("search_length", self.search_moves, self.searches);
            show("agreement", self.agreeing, self.non_ouroboros);
            show("exact_slots", self.exact_slots, self.slots);
        }
    }
}
