//! What is counted.

use alloc::vec;
use alloc::vec::Vec;

/// What is counted.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    pub(super) slots: u64,
    pub(super) arrived: u64,
    pub(super) departed: u64,
    /// By link: cells sent, in all and in this slot.
    pub(super) sent: Vec<u64>,
    pub(super) sent_now: Vec<u64>,
    /// By stage: cells inside.
    pub(super) inside: Vec<u64>,
    /// By stage: slots that cells spent there beyond the one that it takes.
    pub(super) waits: Vec<u64>,
    /// Slots that cells spent in their VOQs.
    pub(super) voq_wait: u64,
    /// Cells in routing elements that wait for one before them, now and summed over slots.
    pub(super) held: u64,
    pub(super) held_sum: u64,
    /// Cells that have come in this slot and will wait so from the next one on.
    pub(super) held_next: u64,
    /// Whether a cell has moved or was sent in this slot, and for how many slots none was.
    pub(super) moved: bool,
    /// The same for the next slot, as far as it is known.
    pub(super) moved_next: bool,
    pub(super) still: u32,
}

impl Counts {
    /// Nothing, of that many stages.
    pub(super) fn new(stages: usize) -> Self {
        Self {
            sent: vec![0; stages + 1],
            sent_now: vec![0; stages + 1],
            inside: vec![0; stages],
            waits: vec![0; stages],
            ..Self::default()
        }
    }

    /// Begins a slot. `ahead` if its moves have been made at the end of the last one.
    pub(super) fn begin(&mut self, ahead: bool) {
        self.moved = core::mem::take(&mut self.moved_next);
        if ahead {
            self.held_sum += self.held;
        }
    }

    /// Ends a slot in which `held` cells wait at the exit.
    pub(super) fn settle(&mut self, ahead: bool, held: u64) {
        self.slots += 1;
        self.held_sum += held;
        if !ahead {
            self.held_sum += self.held;
        }
        self.held += core::mem::take(&mut self.held_next);
        let mut came = 0;
        for (link, &sent) in self.sent_now.iter().enumerate() {
            self.sent[link] += sent;
            self.moved |= sent > 0;
            if let Some(stage) = link.checked_sub(1) {
                // Cells that were here before the slot, but for those that went: they have waited.
                self.waits[stage] += self.inside[stage] - sent;
                self.inside[stage] = self.inside[stage] + came - sent;
            }
            came = sent;
        }
        self.still = if self.moved { 0 } else { self.still.saturating_add(1) };
    }

    /// Cells between the line cards and the last link.
    pub(super) fn in_stages(&self) -> u64 {
        self.inside.iter().sum()
    }
}
