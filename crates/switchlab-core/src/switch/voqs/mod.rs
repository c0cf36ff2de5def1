//! The virtual output queues of a crossbar, in as few bytes as they can be.
//!
//! In a large switch the time of a slot is that of its cache misses, and these are the cheaper, the less memory there is. So a VOQ is a record of
//! eight bytes, and as long as it has three cells or fewer, that is all: the births of its cells are in it, 16 bits each. A longer one has its births in a
//! ring of its own, which grows and shrinks by halves, so that head and tail are near each other and near the cells between.
//!
//! ```text
//!   records:  tag 0..3   so many cells: [ birth | birth | birth | tag ]
//!             RING       [ where in the rings | length | class, tag ]      rings:  aligned blocks of 4, 8, ... 4096 births
//!             APART      [ which deque | length | tag ]                    apart:  deques of whole births
//! ```
//!
//! 16 bits of a birth say all while no cell is older than 65 535 slots. Every 32 768 slots all queues are looked through, and one whose first cell
//! is as old as that moves apart, to a deque of whole slot numbers, until it is empty; so does one with over 4096 cells. Looking through is a step for each queue in
//! 32 768 slots: nothing.
//!
//! Rejected for large switches: linked lists, with every cell in an arena or with the first in the queue's record, both larger; and lists for each input that are brought up to date
//! once in a block of slots, input by input, with lengths alone kept slot by slot: as fast only with blocks of 512 slots. ARCHITECTURE.md has the figures.

mod rings;

use crate::cell::{Port, Slot};
use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;
use rings::{Ring, Rings};

/// The tag of a queue whose births are in a ring; smaller ones are the number of cells in the record.
const RING: u64 = 4;
const APART: u64 = 5;
const TAG: u64 = 7;
/// The most cells in a record.
const INLINE: u64 = 3;
/// How often all queues are looked through, in slots. Half of what 16 bits tell apart.
const PERIOD: Slot = 1 << 15;

/// The queues. See the module.
#[derive(Clone, Debug)]
pub(crate) struct Voqs {
    records: Vec<u64>,
    rings: Rings,
    apart: Vec<VecDeque<Slot>>,
    /// Deques that nobody uses.
    idle: Vec<u32>,
    cells: usize,
}

/// The lengths of all VOQs: what a scheduler of a large switch looks up instead of a matrix of its own.
#[derive(Clone, Copy, Debug)]
pub struct Records<'a> {
    records: &'a [u64],
}

impl Records<'_> {
    /// Of no queue.
    pub const NONE: Self = Self { records: &[] };

    /// The length of the VOQ from input `i` to output `j`, at `i * ports + j`.
    #[inline(always)]
    pub(crate) fn length(&self, voq: usize) -> u32 {
        length(self.records[voq])
    }

    /// Brings the records of these outputs near, one for each input.
    #[inline(always)]
    pub(crate) fn touch(&self, ports: usize, outputs: &[Port]) {
        touch(self.records, ports, outputs);
    }
}

/// Looks at the record of one output for each input, before they are asked for one by one: so short a loop has many more cache misses
/// under way at a time than one that does something with what it finds.
#[inline(always)]
fn touch(records: &[u64], ports: usize, outputs: &[Port]) {
    let mut all = 0;
    for (row, &output) in records.chunks_exact(ports).zip(outputs) {
        all ^= row[(output as usize).min(ports - 1)];
    }
    core::hint::black_box(all);
}

#[inline(always)]
fn length(record: u64) -> u32 {
    let tag = record & TAG;
    let longer = (record >> 8) as u32 & if tag == RING { Ring::LENGTHS } else { u32::MAX };
    if tag <= INLINE { tag as u32 } else { longer }
}

/// The whole birth of a cell, of which 16 bits are kept and which is younger than 65 536 slots.
#[inline(always)]
fn whole(birth: u16, now: Slot) -> Slot {
    now.wrapping_sub(u32::from((now as u16).wrapping_sub(birth)))
}

impl Voqs {
    /// So many bytes are set aside for a queued cell: of a deque that has just doubled four, four for the half that it left, and as much again in rings that
    /// are waiting for queues to become as long as they were.
    pub(crate) const BYTES_PER_CELL: usize = 16;

    /// That many empty queues.
    pub(crate) fn new(queues: usize) -> Self {
        Self { records: vec![0; queues], rings: Rings::new(), apart: Vec::new(), idle: Vec::new(), cells: 0 }
    }

    /// A slot begins. Slots come in order, from 0.
    #[inline(always)]
    pub(crate) fn begin(&mut self, now: Slot) {
        if now.is_multiple_of(PERIOD) {
            self.look_through(now);
        }
    }

    /// What a scheduler may look up.
    #[inline(always)]
    pub(crate) fn records(&self) -> Records<'_> {
        Records { records: &self.records }
    }

    /// The number of queued cells.
    pub(crate) fn cells(&self) -> u64 {
        self.cells as u64
    }

    /// The length of each queue.
    pub(crate) fn lengths(&self) -> Vec<u32> {
        self.records.iter().map(|&record| length(record)).collect()
    }

    /// Appends a cell that arrives now.
    #[inline(always)]
    pub(crate) fn push(&mut self, queue: usize, now: Slot) {
        self.cells += 1;
        let record = self.records[queue];
        let tag = record & TAG;
        if tag < INLINE {
            self.records[queue] = (record + 1) | u64::from(now as u16) << (16 * tag + 16);
            return;
        }
        if tag == RING {
            let mut ring = Ring::from_record(record);
            if !ring.is_full() {
                self.rings.append(&mut ring, now as u16);
                self.records[queue] = ring.record();
                return;
            }
        }
        self.push_rarely(queue, now);
    }

    /// Removes the first cell of a queue, if it has one; says when it was born and whether the queue is now empty.
    #[inline(always)]
    pub(crate) fn pop(&mut self, queue: usize, now: Slot) -> Option<(Slot, bool)> {
        let record = self.records[queue];
        let tag = record & TAG;
        if tag <= INLINE {
            if tag == 0 {
                return None;
            }
            self.cells -= 1;
            self.records[queue] = (record >> 16 & !0xffff) | (tag - 1);
            return Some((whole((record >> 16) as u16, now), tag == 1));
        }
        self.cells -= 1;
        if tag == RING {
            let mut ring = Ring::from_record(record);
            let born = self.rings.remove(&mut ring);
            self.records[queue] = ring.record();
            if ring.is_sparse() {
                self.shrink(queue, ring);
            }
            return Some((whole(born, now), false));
        }
        Some(self.pop_apart(queue))
    }

    /// Appends to a queue whose record or ring is full, or that is apart.
    #[cold]
    #[inline(never)]
    fn push_rarely(&mut self, queue: usize, now: Slot) {
        let record = self.records[queue];
        if record & TAG == APART {
            self.apart[(record >> 40) as usize].push_back(now);
            self.records[queue] = record + (1 << 8);
            return;
        }
        let births = self.births(record);
        if let Some(mut ring) = self.rings.make(&births, 2 * births.len()) {
            self.rings.append(&mut ring, now as u16);
            self.records[queue] = ring.record();
            self.free_ring(record);
        } else {
            self.move_apart(queue, now);
            self.push_rarely(queue, now);
        }
    }

    /// Moves a queue that has become short to a ring of half the size, or into its record.
    #[cold]
    #[inline(never)]
    fn shrink(&mut self, queue: usize, ring: Ring) {
        let births = self.births(ring.record());
        let inline = births.iter().rev().fold(0, |record, &birth| (record | u64::from(birth)) << 16);
        if births.len() < INLINE as usize {
            self.records[queue] = inline | births.len() as u64;
        } else if let Some(smaller) = self.rings.make(&births, 2 * births.len()) {
            self.records[queue] = smaller.record();
        } else {
            return;
        }
        self.rings.free(ring);
    }

    #[cold]
    #[inline(never)]
    fn pop_apart(&mut self, queue: usize) -> (Slot, bool) {
        let record = self.records[queue];
        let deque = (record >> 40) as usize;
        let born = self.apart[deque].pop_front().unwrap_or_default();
        let empty = self.apart[deque].is_empty();
        self.records[queue] = if empty { 0 } else { record - (1 << 8) };
        if empty {
            self.apart[deque] = VecDeque::new();
            self.idle.push(deque as u32);
        }
        (born, empty)
    }

    /// The 16 bits of all births of a queue that is not apart.
    fn births(&self, record: u64) -> Vec<u16> {
        match record & TAG {
            RING => self.rings.births(Ring::from_record(record)),
            tag => (1..=tag).map(|place| (record >> (16 * place)) as u16).collect(),
        }
    }

    fn first_born(&self, record: u64, now: Slot) -> Slot {
        match record & TAG {
            RING => whole(self.rings.first(Ring::from_record(record)), now),
            APART => self.apart.get((record >> 40) as usize).and_then(|deque| deque.front()).copied().unwrap_or(0),
            _ => whole((record >> 16) as u16, now),
        }
    }

    fn free_ring(&mut self, record: u64) {
        if record & TAG == RING {
            self.rings.free(Ring::from_record(record));
        }
    }

    /// Moves a queue to a deque of whole births.
    fn move_apart(&mut self, queue: usize, now: Slot) {
        let record = self.records[queue];
        let births: VecDeque<Slot> = self.births(record).into_iter().map(|birth| whole(birth, now)).collect();
        self.free_ring(record);
        let deque = self.idle.pop().unwrap_or(self.apart.len() as u32);
        self.records[queue] = u64::from(deque) << 40 | (births.len() as u64) << 8 | APART;
        if deque as usize == self.apart.len() {
            self.apart.push(births);
        } else {
            self.apart[deque as usize] = births;
        }
    }

    /// Moves those queues apart whose first cell is so old that 16 bits would not say it until the next time.
    #[cold]
    fn look_through(&mut self, now: Slot) {
        for queue in 0..self.records.len() {
            let record = self.records[queue];
            let near = record & TAG != APART && record & TAG != 0;
            if near && now - self.first_born(record, now) >= PERIOD {
                self.move_apart(queue, now);
            }
        }
    }
}

#[cfg(test)]
mod tests;
