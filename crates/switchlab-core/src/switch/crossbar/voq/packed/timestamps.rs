//! The arrival slots of the cells of a VOQ: in its record, in a ring, or apart.

use super::rings::{Ring, Rings};
use crate::cell::Slot;
use alloc::collections::VecDeque;
use alloc::vec::Vec;

/// The kind of a queue whose timestamps are in a ring. A smaller kind is the number of cells in the
/// record.
pub(super) const RING: u64 = 4;
const APART: u64 = 5;
pub(super) const KIND: u64 = 7;
/// The most cells in a record.
const INLINE: u64 = 3;
/// The bits of the tag in a record, unless its queue is apart. A tag is at most the length that is
/// left after a departure, which is less than the largest ring.
const TAGS: u64 = 0xfff << TAG_SHIFT;
const TAG_SHIFT: u32 = 3;
/// Slots between scans of all queues: half of what 16 bits tell apart.
pub(super) const PERIOD: Slot = 1 << 15;

/// A queue: its timestamps, or where they are. The record of an empty queue is 0.
pub(super) type Record = u64;

/// The number of cells of a queue.
#[inline(always)]
pub(super) fn length(record: Record) -> u32 {
    let kind = record & KIND;
    let longer = if kind == RING { Ring::length(record) } else { (record >> 8) as u32 };
    if kind <= INLINE { kind as u32 } else { longer }
}

/// The tag in a record whose queue is not apart.
#[inline(always)]
fn tag_of(record: Record) -> u32 {
    ((record & TAGS) >> TAG_SHIFT) as u32
}

/// The timestamps in a record. As many are valid as there are cells.
#[inline(always)]
fn inline(record: Record) -> [u16; INLINE as usize] {
    [16, 32, 48].map(|place| (record >> place) as u16)
}

/// The whole timestamp of a cell that is younger than 65 536 slots, from its low 16 bits.
#[inline(always)]
fn whole(timestamp: u16, now: Slot) -> Slot {
    now.wrapping_sub(u32::from((now as u16).wrapping_sub(timestamp)))
}

/// By the number of cells in a record: all bits if there is none. A table, since the compiler makes
/// a branch of a comparison, and whether a queue is empty cannot be predicted.
static NO_CELL: [u32; 4] = [u32::MAX, 0, 0, 0];

/// A queue after its head-of-line cell was removed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Popped {
    /// The new record, without a tag.
    pub(super) record: Record,
    /// The arrival slot of the cell; 0 if there was none.
    pub(super) arrival: Slot,
    /// All bits if there was no cell, else 0.
    pub(super) none: u32,
    /// The length before.
    pub(super) length: u32,
    /// The tag before.
    pub(super) tag: u32,
}

/// The timestamps that do not fit into the records.
#[derive(Clone, Debug)]
pub(super) struct Timestamps {
    pub(super) rings: Rings,
    pub(super) apart: Vec<VecDeque<Slot>>,
    /// The tags of the queues that are apart.
    tags: Vec<u32>,
    /// Deques that are not in use.
    pub(super) idle: Vec<u32>,
}

impl Timestamps {
    pub(super) fn new() -> Self {
        Self { rings: Rings::new(), apart: Vec::new(), tags: Vec::new(), idle: Vec::new() }
    }

    /// Appends a cell that arrives now. Returns the new record and the new length.
    #[inline(always)]
    pub(super) fn push(&mut self, record: Record, now: Slot) -> (Record, u32) {
        let kind = record & KIND;
        if kind < INLINE {
            return ((record + 1) | u64::from(now as u16) << (16 * kind + 16), kind as u32 + 1);
        }
        if kind == RING {
            let mut ring = Ring::from_record(record);
            if !ring.is_full() {
                let length = self.rings.append(&mut ring, now as u16);
                return (record + Ring::ONE, length);
            }
        }
        let record = self.push_rarely(record, now);
        (record, length(record))
    }

    /// Removes the head-of-line cell of a queue, if there is one: if `NONEMPTY`, there is.
    #[inline(always)]
    pub(super) fn pop<const NONEMPTY: bool>(&mut self, record: Record, now: Slot) -> Popped {
        let kind = record & KIND;
        debug_assert!(!NONEMPTY || kind > 0, "a cell leaves an empty queue");
        if kind <= INLINE {
            let none = if NONEMPTY { 0 } else { NO_CELL[kind as usize & 3] };
            let arrival = whole((record >> 16) as u16, now) & !none;
            // One less; and one more if there was none, where all bits of `none` are set.
            let rest = (kind as u32).wrapping_sub(1).wrapping_sub(none);
            let (left, tag) = ((record >> 16 & !0xffff) | u64::from(rest), tag_of(record));
            return Popped { record: left, arrival, none, length: kind as u32, tag };
        }
        if kind == RING {
            let mut ring = Ring::from_record(record);
            let (arrival, length) = self.rings.remove(&mut ring);
            let left = if ring.is_sparse() { self.shrink(ring) } else { ring.record() };
            return Popped { record: left, arrival: whole(arrival, now), none: 0, length, tag: tag_of(record) };
        }
        let tag = self.tag(record);
        let (left, arrival_and_length) = self.pop_apart(record);
        let length = (arrival_and_length >> 32) as u32;
        Popped { record: left, arrival: arrival_and_length as Slot, none: 0, length, tag }
    }

    /// A record without a tag, with this one, which is at most the length.
    #[inline(always)]
    pub(super) fn with_tag(&mut self, record: Record, tag: u32) -> Record {
        debug_assert!(tag <= length(record), "tag {tag} of a queue of {}", length(record));
        if record & KIND == APART && tag > 0 {
            self.tag_apart(record, tag);
            return record;
        }
        record | u64::from(tag) << TAG_SHIFT
    }

    /// The tag of a queue.
    pub(super) fn tag(&self, record: Record) -> u32 {
        if record & KIND == APART { self.tags[(record >> 40) as usize] } else { tag_of(record) }
    }

    #[cold]
    #[inline(never)]
    fn tag_apart(&mut self, record: Record, tag: u32) {
        self.tags[(record >> 40) as usize] = tag;
    }

    /// Prefetches the timestamp of the head-of-line cell if it is in a ring. If it is not,
    /// prefetches something harmless, which takes no branch.
    #[inline(always)]
    pub(super) fn prefetch_head(&self, record: Record) {
        let is_ring = u64::from(record & KIND == RING);
        self.rings.prefetch((record >> 32 & is_ring.wrapping_neg()) as usize);
    }

    /// Appends to a queue whose record or ring is full, or that is apart.
    #[cold]
    #[inline(never)]
    fn push_rarely(&mut self, record: Record, now: Slot) -> Record {
        if record & KIND == APART {
            self.apart[(record >> 40) as usize].push_back(now);
            return record + (1 << 8);
        }
        let ring = if record & KIND == RING {
            self.rings.exchange(Ring::from_record(record))
        } else {
            self.rings.make(&inline(record)[..INLINE as usize])
        };
        if let Some(mut ring) = ring {
            self.rings.append(&mut ring, now as u16);
            return ring.record() | record & TAGS;
        }
        let record = self.move_apart(record, now);
        self.push_rarely(record, now)
    }

    /// Moves a queue that has become short to a ring of half the size, or into its record.
    #[cold]
    #[inline(never)]
    fn shrink(&mut self, ring: Ring) -> Record {
        if u64::from(ring.timestamps()) >= INLINE {
            return self.rings.exchange(ring).unwrap_or(ring).record();
        }
        let timestamps = self.rings.timestamps(ring).zip(1..);
        let inline = timestamps.fold(0, |record, (timestamp, place)| record | u64::from(timestamp) << (16 * place));
        self.rings.free(ring);
        inline | u64::from(ring.timestamps())
    }

    /// Removes the head-of-line cell and the tag of a queue that is apart. Returns the new record,
    /// and in one word the cell's arrival slot and, above it, the length before. Two words are
    /// returned in registers; more would be in memory, and so would be what is popped from other
    /// queues.
    #[cold]
    #[inline(never)]
    fn pop_apart(&mut self, record: Record) -> (Record, u64) {
        let deque = (record >> 40) as usize;
        let length = self.apart[deque].len() as u64;
        self.tags[deque] = 0;
        let arrival = self.apart[deque].pop_front().expect("a queue that is apart has a cell");
        let arrival_and_length = length << 32 | u64::from(arrival);
        if length > 1 {
            return (record - (1 << 8), arrival_and_length);
        }
        self.apart[deque] = VecDeque::new();
        self.idle.push(deque as u32);
        (0, arrival_and_length)
    }

    /// The 16 bits of all timestamps of a queue that is not apart.
    fn timestamps(&self, record: Record) -> Vec<u16> {
        match record & KIND {
            RING => self.rings.timestamps(Ring::from_record(record)).collect(),
            kind => inline(record)[..kind as usize].to_vec(),
        }
    }

    /// The arrival slot of the head-of-line cell, if there is one.
    pub(super) fn head(&self, record: Record, now: Slot) -> Option<Slot> {
        match record & KIND {
            0 => None,
            RING => Some(whole(self.rings.first(Ring::from_record(record)), now)),
            APART => self.apart[(record >> 40) as usize].front().copied(),
            _ => Some(whole((record >> 16) as u16, now)),
        }
    }

    fn free_ring(&mut self, record: Record) {
        if record & KIND == RING {
            self.rings.free(Ring::from_record(record));
        }
    }

    /// Moves a queue to a deque of whole timestamps.
    fn move_apart(&mut self, record: Record, now: Slot) -> Record {
        let timestamps = self.timestamps(record).into_iter().map(|timestamp| whole(timestamp, now));
        let timestamps: VecDeque<Slot> = timestamps.collect();
        self.free_ring(record);
        let deque = self.idle.pop().unwrap_or(self.apart.len() as u32);
        let tag = tag_of(record);
        let record = u64::from(deque) << 40 | (timestamps.len() as u64) << 8 | APART;
        if deque as usize == self.apart.len() {
            self.apart.push(timestamps);
            self.tags.push(tag);
        } else {
            self.apart[deque as usize] = timestamps;
            self.tags[deque as usize] = tag;
        }
        record
    }

    /// Moves the queues apart whose head-of-line cell would be too old for 16 bits before the next
    /// scan.
    #[cold]
    pub(super) fn scan(&mut self, records: &mut [Record], now: Slot) {
        for record in records {
            if *record & KIND != APART && self.head(*record, now).is_some_and(|arrival| now - arrival >= PERIOD) {
                *record = self.move_apart(*record, now);
            }
        }
    }
}
