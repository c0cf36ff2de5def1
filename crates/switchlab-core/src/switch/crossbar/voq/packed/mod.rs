//! VOQs packed into 8 bytes each, for large switches, where the time of a slot is that of its cache
//! misses.
//!
//! A VOQ is a record of eight bytes. Up to three cells, the record is all: it holds the timestamps
//! of its cells, that is their arrival slots, 16 bits each. A longer queue has its timestamps in a
//! ring of its own, which grows and shrinks by halves, so that its head and its tail share cache
//! lines.
//!
//! ```text
//!   records:  kind 0..3  that many cells: [ timestamp | timestamp | timestamp | tag, kind ]
//!             RING       [ index in the rings | class, length, tag, kind ]
//!             APART      [ which deque | length | kind ]
//!   rings:    aligned blocks of 4, 8, ... 4096 timestamps
//!   apart:    deques of whole timestamps, and tags
//! ```
//!
//! A tag is a number that a scheduler keeps with a queue, at most its length. So it fits the record
//! and takes no memory or look-up of its own.
//!
//! 16 bits tell timestamps apart while no cell is older than 65 535 slots. Every 32 768 slots all
//! queues are scanned, and one whose head-of-line cell is as old as that moves apart, to a deque of
//! whole slot numbers, until it is empty. So does a queue of more than 4096 cells. The scan is one
//! step for each queue in 32 768 slots.
//!
//! Rejected: linked lists, with every cell in an arena or with the first in the queue's record,
//! both larger; and lists for each input that are updated once in a block of slots, with lengths
//! alone kept slot by slot, which are as fast only with blocks of 512 slots. ARCHITECTURE.md has
//! the figures.

mod rings;
#[cfg(test)]
mod tests;
mod timestamps;
mod worklist;

use super::{Dequeued, Enqueued, Matched, Voq, VoqStore};
use crate::cell::{Cell, Port, Slot};
use crate::prefetch::prefetch_l2;
use crate::scale;
use alloc::vec;
use alloc::vec::Vec;
use timestamps::{PERIOD, Record, Timestamps, length};
use worklist::{Entry, Worklist};

/// Packed records. The store keeps the length and the tag of each VOQ.
#[derive(Clone, Debug)]
pub struct Packed {
    records: Vec<Record>,
    timestamps: Timestamps,
    /// Of the slot's arrivals, then of its departures.
    worklist: Worklist,
    cells: u64,
}

/// The lengths of single VOQs, read from their records.
#[derive(Clone, Copy, Debug)]
pub struct Lengths<'a> {
    records: &'a [Record],
}

impl Lengths<'_> {
    /// Of no VOQ.
    pub(crate) const NONE: Self = Self { records: &[] };

    /// The length of a VOQ.
    #[inline(always)]
    pub(crate) fn get(&self, voq: usize) -> u32 {
        length(self.records[voq])
    }

    /// Prefetches the record of a VOQ.
    #[inline(always)]
    pub(crate) fn prefetch(&self, voq: usize) {
        prefetch_record(self.records, voq);
    }
}

impl VoqStore for Packed {
    /// Four bytes of a deque that has just doubled, four for the half that it left, and as much
    /// again in rings that wait for queues to become as long as they were.
    const BYTES_PER_CELL: usize = 16;
    const KEEPS_LENGTHS: bool = true;

    fn fixed_bytes(ports: usize) -> u64 {
        (ports * ports * size_of::<u64>()) as u64
    }

    fn new(ports: usize) -> Self {
        let records = vec![0; ports * ports];
        Self { records, timestamps: Timestamps::new(), worklist: Worklist::new(ports), cells: 0 }
    }

    /// Not inlined, as `dequeue` is not: the rest of a slot would take the registers.
    #[inline(never)]
    fn enqueue_all<const W: usize>(
        &mut self,
        now: Slot,
        arrivals: &[Port],
        mut on_enqueue: impl FnMut(Enqueued),
    ) -> usize {
        if now.is_multiple_of(PERIOD) {
            self.timestamps.scan(&mut self.records, now);
        }
        self.worklist.assign(arrivals);
        let (records, timestamps) = (&mut self.records[..], &mut self.timestamps);
        self.worklist.first().for_each(|voq| prefetch_record(records, voq));
        for Entry { voq, upcoming, far, .. } in self.worklist.entries() {
            prefetch_record(records, far);
            let record = &mut records[voq.index];
            let length;
            (*record, length) = timestamps.push(*record, now);
            on_enqueue(Enqueued { voq, length, upcoming });
        }
        self.cells += self.worklist.count() as u64;
        self.worklist.count()
    }

    #[inline(always)]
    fn dequeue_matched<const W: usize>(
        &mut self,
        now: Slot,
        matched: Matched<'_>,
        departures: &mut [Cell],
        on_dequeue: impl FnMut(Dequeued) -> u32,
    ) -> usize {
        match (matched.perfect, matched.nonempty) {
            (true, _) => self.dequeue::<true, false>(now, matched, departures, on_dequeue),
            (false, true) => self.dequeue::<false, true>(now, matched, departures, on_dequeue),
            (false, false) => self.dequeue::<false, false>(now, matched, departures, on_dequeue),
        }
    }

    fn head_arrival(&self, voq: usize, now: Slot) -> Option<Slot> {
        self.timestamps.head(self.records[voq], now)
    }

    fn cells(&self) -> u64 {
        self.cells
    }

    fn lengths(&self) -> Vec<u32> {
        self.records.iter().map(|&record| length(record)).collect()
    }

    fn tags(&self) -> Vec<u32> {
        self.records.iter().map(|&record| self.timestamps.tag(record)).collect()
    }

    #[inline(always)]
    fn known_lengths(&self) -> Lengths<'_> {
        Lengths { records: &self.records }
    }
}

impl Packed {
    /// Prepares a loop over matched VOQs, and runs it.
    #[inline(always)]
    fn dequeue<const PERFECT: bool, const NONEMPTY: bool>(
        &mut self,
        now: Slot,
        matched: Matched<'_>,
        departures: &mut [Cell],
        on_dequeue: impl FnMut(Dequeued) -> u32,
    ) -> usize {
        let Matched { outputs, recent, .. } = matched;
        if !PERFECT {
            self.worklist.assign(outputs);
        } else if !recent {
            self.prefetch(outputs);
        }
        // Beyond that, the second-level cache does not keep records from slot to slot.
        let prefetches = PERFECT && recent && outputs.len() > scale::LARGE;
        self.dequeue_each::<PERFECT, NONEMPTY>(now, outputs, departures, prefetches, on_dequeue)
    }

    /// Prefetches the records of matched VOQs and the timestamps of their head-of-line cells.
    #[inline(never)]
    fn prefetch(&self, matched: &[Port]) {
        let records = &self.records[..];
        for (voq, far) in worklist::all(matched) {
            prefetch_record(records, far);
            self.timestamps.prefetch_head(records[voq.index]);
        }
    }

    #[inline(never)]
    fn dequeue_each<const PERFECT: bool, const NONEMPTY: bool>(
        &mut self,
        now: Slot,
        matched: &[Port],
        departures: &mut [Cell],
        prefetches: bool,
        mut on_dequeue: impl FnMut(Dequeued) -> u32,
    ) -> usize {
        let (ports, records, timestamps) = (matched.len(), &mut self.records[..], &mut self.timestamps);
        let departures = &mut departures[..ports];
        let mut departed = 0_u32;
        let mut one = |records: &mut [Record], timestamps: &mut Timestamps, voq: Voq| {
            let record = &mut records[voq.index];
            let popped = timestamps.pop::<NONEMPTY>(*record, now);
            departures[voq.output] = Cell { born: popped.arrival, input: voq.input as Port | popped.none as Port };
            // One more; and one less if there was none, where all bits of `none` are set.
            departed = departed.wrapping_add(1).wrapping_add(popped.none);
            let (length, tag, emptied) = (popped.length, popped.tag, popped.length == 1);
            *record = timestamps.with_tag(popped.record, on_dequeue(Dequeued { voq, length, tag, emptied }));
        };
        if PERFECT {
            worklist::all(matched).for_each(|(voq, far)| {
                if prefetches {
                    prefetch_record(records, far);
                }
                one(records, timestamps, voq);
            });
        } else {
            self.worklist.first().for_each(|voq| prefetch_record(records, voq));
            self.worklist.first().take(worklist::NEAR).for_each(|voq| prefetch_head(records, timestamps, voq));
            for Entry { voq, near, far, .. } in self.worklist.entries() {
                prefetch_record(records, far);
                prefetch_head(records, timestamps, near);
                one(records, timestamps, voq);
            }
        }
        self.cells -= u64::from(departed);
        departed as usize
    }
}

/// Prefetches the timestamp of a VOQ's head-of-line cell, if there is such a VOQ.
#[inline(always)]
fn prefetch_head(records: &[Record], timestamps: &Timestamps, voq: usize) {
    if let Some(&record) = records.get(voq) {
        timestamps.prefetch_head(record);
    }
}

/// Prefetches a record, if there is such a VOQ.
#[inline(always)]
fn prefetch_record(records: &[Record], voq: usize) {
    if let Some(record) = records.get(voq) {
        prefetch_l2(record);
    }
}
