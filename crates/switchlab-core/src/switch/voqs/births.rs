//! When the cells of a VOQ were born: in its record, in a ring, or apart.

use super::rings::{Ring, Rings};
use crate::cell::Slot;
use alloc::collections::VecDeque;
use alloc::vec::Vec;

/// The tag of a queue whose births are in a ring; smaller ones are the number of cells in the record.
pub(super) const RING: u64 = 4;
const APART: u64 = 5;
pub(super) const TAG: u64 = 7;
/// The most cells in a record.
const INLINE: u64 = 3;
/// The bits of a record in which something is noted, unless its queue is apart: as large as a ring with one place free is long.
const NOTES: u64 = 0xfff << NOTE;
const NOTE: u32 = 3;
/// How often all queues are looked through, in slots. Half of what 16 bits tell apart.
pub(super) const PERIOD: Slot = 1 << 15;

/// What is known of a queue: its births, or where they are. That of an empty queue is 0.
pub(super) type Record = u64;

/// How many cells a queue has.
#[inline(always)]
pub(super) fn length(record: Record) -> u32 {
    let tag = record & TAG;
    let longer = if tag == RING { Ring::length(record) } else { (record >> 8) as u32 };
    if tag <= INLINE { tag as u32 } else { longer }
}

/// What is noted in a record of a queue that is not apart.
#[inline(always)]
fn noted(record: Record) -> u32 {
    ((record & NOTES) >> NOTE) as u32
}

/// The births in a record, of which as many count as there are cells.
#[inline(always)]
fn inline(record: Record) -> [u16; INLINE as usize] {
    [16, 32, 48].map(|place| (record >> place) as u16)
}

/// The whole birth of a cell, of which 16 bits are kept and which is younger than 65 536 slots.
#[inline(always)]
fn whole(birth: u16, now: Slot) -> Slot {
    now.wrapping_sub(u32::from((now as u16).wrapping_sub(birth)))
}

/// By the number of cells in a record: all bits if there is none. Looked up, since the compiler makes a branch of a comparison, and whether a queue has a cell is as
/// good as random.
static NO_CELL: [u32; 4] = [u32::MAX, 0, 0, 0];

/// A queue without its first cell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Popped {
    /// The record from now on, in which nothing is noted.
    pub(super) record: Record,
    /// When the cell was born, if there was one; else 0.
    pub(super) born: Slot,
    /// All bits if there was none, else 0.
    pub(super) none: u32,
    /// How many the queue had.
    pub(crate) length: u32,
    /// How many it has now.
    pub(crate) rest: u32,
    /// What was noted of it.
    pub(crate) note: u32,
}

/// The births that do not fit into the records.
#[derive(Clone, Debug)]
pub(super) struct Births {
    pub(super) rings: Rings,
    pub(super) apart: Vec<VecDeque<Slot>>,
    /// What is noted of the queues that are apart.
    notes: Vec<u32>,
    /// Deques that nobody uses.
    pub(super) idle: Vec<u32>,
}

impl Births {
    pub(super) fn new() -> Self {
        Self { rings: Rings::new(), apart: Vec::new(), notes: Vec::new(), idle: Vec::new() }
    }

    /// Appends a cell that arrives now; the record from now on, and how many the queue has then.
    #[inline(always)]
    pub(super) fn push(&mut self, record: Record, now: Slot) -> (Record, u32) {
        let tag = record & TAG;
        if tag < INLINE {
            return ((record + 1) | u64::from(now as u16) << (16 * tag + 16), tag as u32 + 1);
        }
        if tag == RING {
            let mut ring = Ring::from_record(record);
            if !ring.is_full() {
                let length = self.rings.append(&mut ring, now as u16);
                return (record + Ring::ONE, length);
            }
        }
        let record = self.push_rarely(record, now);
        (record, length(record))
    }

    /// Removes the first cell of a queue, if it has one; one that is `BUSY` has.
    #[inline(always)]
    pub(super) fn pop<const BUSY: bool>(&mut self, record: Record, now: Slot) -> Popped {
        let tag = record & TAG;
        debug_assert!(!BUSY || tag > 0, "a cell leaves an empty queue");
        if tag <= INLINE {
            let none = if BUSY { 0 } else { NO_CELL[tag as usize & 3] };
            let born = whole((record >> 16) as u16, now) & !none;
            // One less, and where there was none, whose bits are all set, one more.
            let rest = (tag as u32).wrapping_sub(1).wrapping_sub(none);
            let (left, note) = ((record >> 16 & !0xffff) | u64::from(rest), noted(record));
            return Popped { record: left, born, none, length: tag as u32, rest, note };
        }
        if tag == RING {
            let mut ring = Ring::from_record(record);
            let (born, length) = self.rings.remove(&mut ring);
            let left = if ring.is_sparse() { self.shrink(ring) } else { ring.record() };
            return Popped {
                record: left,
                born: whole(born, now),
                none: 0,
                length,
                rest: length - 1,
                note: noted(record),
            };
        }
        let note = self.note(record);
        let (left, born_and_length) = self.pop_apart(record);
        let length = (born_and_length >> 32) as u32;
        Popped { record: left, born: born_and_length as Slot, none: 0, length, rest: length.wrapping_sub(1), note }
    }

    /// A record in which nothing is noted, with a note, which is at most as large as the queue is long.
    #[inline(always)]
    pub(super) fn with_note(&mut self, record: Record, note: u32) -> Record {
        debug_assert!(note <= length(record), "{note} is noted of a queue of {}", length(record));
        if record & TAG == APART && note > 0 {
            self.note_apart(record, note);
            return record;
        }
        record | u64::from(note) << NOTE
    }

    /// What is noted of a queue.
    pub(super) fn note(&self, record: Record) -> u32 {
        if record & TAG == APART { self.notes[(record >> 40) as usize] } else { noted(record) }
    }

    #[cold]
    #[inline(never)]
    fn note_apart(&mut self, record: Record, note: u32) {
        self.notes[(record >> 40) as usize] = note;
    }

    /// Brings the first birth of a queue near, if it is in a ring; else something harmless, which takes no branch.
    #[inline(always)]
    pub(super) fn fetch_first(&self, record: Record) {
        let is_ring = u64::from(record & TAG == RING);
        self.rings.fetch((record >> 32 & is_ring.wrapping_neg()) as usize);
    }

    /// Appends to a queue whose record or ring is full, or that is apart.
    #[cold]
    #[inline(never)]
    fn push_rarely(&mut self, record: Record, now: Slot) -> Record {
        if record & TAG == APART {
            self.apart[(record >> 40) as usize].push_back(now);
            return record + (1 << 8);
        }
        let ring = if record & TAG == RING {
            self.rings.exchange(Ring::from_record(record))
        } else {
            self.rings.make(&inline(record)[..INLINE as usize])
        };
        if let Some(mut ring) = ring {
            self.rings.append(&mut ring, now as u16);
            return ring.record() | record & NOTES;
        }
        let record = self.move_apart(record, now);
        self.push_rarely(record, now)
    }

    /// Moves a queue that has become short to a ring of half the size, or into its record.
    #[cold]
    #[inline(never)]
    fn shrink(&mut self, ring: Ring) -> Record {
        if u64::from(ring.births()) >= INLINE {
            return self.rings.exchange(ring).unwrap_or(ring).record();
        }
        let births = self.rings.births(ring).zip(1..);
        let inline = births.fold(0, |record, (birth, place)| record | u64::from(birth) << (16 * place));
        self.rings.free(ring);
        inline | u64::from(ring.births())
    }

    /// Removes the first cell of a queue that is apart, and what is noted of it: the record from now on, and in one word when the cell was born and, above, how many
    /// there were. Two words stay in registers; more would be in memory, and so would be what is popped from other queues.
    #[cold]
    #[inline(never)]
    fn pop_apart(&mut self, record: Record) -> (Record, u64) {
        let deque = (record >> 40) as usize;
        let length = self.apart[deque].len() as u64;
        self.notes[deque] = 0;
        let born = self.apart[deque].pop_front().unwrap_or_default();
        let born_and_length = length << 32 | u64::from(born);
        if length > 1 {
            return (record - (1 << 8), born_and_length);
        }
        self.apart[deque] = VecDeque::new();
        self.idle.push(deque as u32);
        (0, born_and_length)
    }

    /// The 16 bits of all births of a queue that is not apart.
    fn births(&self, record: Record) -> Vec<u16> {
        match record & TAG {
            RING => self.rings.births(Ring::from_record(record)).collect(),
            tag => inline(record)[..tag as usize].to_vec(),
        }
    }

    fn first_born(&self, record: Record, now: Slot) -> Slot {
        match record & TAG {
            RING => whole(self.rings.first(Ring::from_record(record)), now),
            APART => self.apart.get((record >> 40) as usize).and_then(|deque| deque.front()).copied().unwrap_or(0),
            _ => whole((record >> 16) as u16, now),
        }
    }

    fn free_ring(&mut self, record: Record) {
        if record & TAG == RING {
            self.rings.free(Ring::from_record(record));
        }
    }

    /// Moves a queue to a deque of whole births.
    fn move_apart(&mut self, record: Record, now: Slot) -> Record {
        let births: VecDeque<Slot> = self.births(record).into_iter().map(|birth| whole(birth, now)).collect();
        self.free_ring(record);
        let deque = self.idle.pop().unwrap_or(self.apart.len() as u32);
        let note = noted(record);
        let record = u64::from(deque) << 40 | (births.len() as u64) << 8 | APART;
        if deque as usize == self.apart.len() {
            self.apart.push(births);
            self.notes.push(note);
        } else {
            self.apart[deque as usize] = births;
            self.notes[deque as usize] = note;
        }
        record
    }

    /// Moves those queues apart whose first cell is so old that 16 bits would not say it until the next time.
    #[cold]
    pub(super) fn look_through(&mut self, records: &mut [Record], now: Slot) {
        for record in records {
            let near = *record & TAG != APART && *record & TAG != 0;
            if near && now - self.first_born(*record, now) >= PERIOD {
                *record = self.move_apart(*record, now);
            }
        }
    }
}
