//! The virtual output queues of a crossbar, in as few bytes as they can be.
//!
//! In a large switch the time of a slot is that of its cache misses, and these are the cheaper, the less memory there is. So a VOQ is a record of
//! eight bytes, and as long as it has three cells or fewer, that is all: the births of its cells are in it, 16 bits each. A longer one has its births in a
//! ring of its own, which grows and shrinks by halves, so that head and tail are near each other and near the cells between.
//!
//! ```text
//!   records:  tag 0..3   so many cells: [ birth | birth | birth | note, tag ]
//!             RING       [ where in the rings | class, length, note, tag ]      rings:  aligned blocks of 4, 8, ... 4096 births
//!             APART      [ which deque | length | tag ]                         apart:  deques of whole births, and notes
//! ```
//!
//! A note is a number that a scheduler keeps with a queue, no larger than the queue is long: so it needs no memory of its own, and no look at it.
//!
//! 16 bits of a birth say all while no cell is older than 65 535 slots. Every 32 768 slots all queues are looked through, and one whose first cell
//! is as old as that moves apart, to a deque of whole slot numbers, until it is empty; so does one with over 4096 cells. Looking through is a step for each queue in
//! 32 768 slots: nothing.
//!
//! Rejected for large switches: linked lists, with every cell in an arena or with the first in the queue's record, both larger; and lists for each input that are brought up to date
//! once in a block of slots, input by input, with lengths alone kept slot by slot: as fast only with blocks of 512 slots. ARCHITECTURE.md has the figures.

mod births;
mod list;
mod rings;

use crate::cell::{Cell, Port, Slot};
use crate::fetch::fetch;
use alloc::vec;
use alloc::vec::Vec;
pub(crate) use births::Popped;
use births::{Births, PERIOD, Record, length};
pub(crate) use list::Pair;
use list::{Around, List};

/// The queues. See the module.
#[derive(Clone, Debug)]
pub(crate) struct Voqs {
    records: Vec<Record>,
    births: Births,
    /// Of the slot's arrivals, and then of its departures.
    list: List,
    cells: u64,
}

/// The lengths of all VOQs: what a scheduler of a large switch looks up instead of a matrix of its own.
#[derive(Clone, Copy, Debug)]
pub struct Records<'a> {
    records: &'a [Record],
}

impl Records<'_> {
    /// Of no queue.
    pub const NONE: Self = Self { records: &[] };

    /// The length of the VOQ from input `i` to output `j`, at `i * ports + j`.
    #[inline(always)]
    pub(crate) fn length(&self, voq: usize) -> u32 {
        length(self.records[voq])
    }

    /// Brings the record of a VOQ near.
    #[inline(always)]
    pub(crate) fn fetch(&self, voq: usize) {
        if let Some(record) = self.records.get(voq) {
            fetch(record);
        }
    }
}

impl Voqs {
    /// So many bytes are set aside for a queued cell: of a deque that has just doubled four, four for the half that it left, and as much again in rings that
    /// are waiting for queues to become as long as they were.
    pub(crate) const BYTES_PER_CELL: usize = 16;

    /// An empty queue for each of so many inputs and as many outputs.
    pub(crate) fn new(ports: usize) -> Self {
        Self { records: vec![0; ports * ports], births: Births::new(), list: List::new(ports), cells: 0 }
    }

    /// What a scheduler may look up.
    #[inline(always)]
    pub(crate) fn records(&self) -> Records<'_> {
        Records { records: &self.records }
    }

    /// The number of queued cells.
    pub(crate) fn cells(&self) -> u64 {
        self.cells
    }

    /// The length of each queue.
    pub(crate) fn lengths(&self) -> Vec<u32> {
        self.records.iter().map(|&record| length(record)).collect()
    }

    /// What is noted of each queue.
    pub(crate) fn notes(&self) -> Vec<u32> {
        self.records.iter().map(|&record| self.births.note(record)).collect()
    }

    /// Appends the arrivals of a slot: for each input an output, or [`crate::NONE`]. Slots come in order, from 0. Says of each arrival which queue it joins, of one that follows some
    /// arrivals later, and how many cells the queue has then. A function of its own, as `depart` is: what else a slot is about would take the registers.
    #[inline(never)]
    pub(crate) fn arrive(&mut self, now: Slot, arrivals: &[Port], mut each: impl FnMut(Pair, Pair, u32)) {
        if now.is_multiple_of(PERIOD) {
            self.births.look_through(&mut self.records, now);
        }
        self.list.assign(arrivals);
        let (records, births) = (&mut self.records[..], &mut self.births);
        self.list.first().for_each(|voq| fetch_record(records, voq));
        for Around { pair, ahead, voq, voq_ahead, .. } in self.list.around() {
            fetch_record(records, voq_ahead);
            let record = &mut records[voq];
            let length;
            (*record, length) = births.push(*record, now);
            each(pair, ahead, length);
        }
        self.cells += self.list.count() as u64;
    }

    /// Sends the first cell of each matched queue that has one, as all have that are `BUSY`: for each input there is an output, or, unless `FULL`, [`crate::NONE`]. Says of each matched queue which it is, how many
    /// cells it had, and what was noted of it; what is to be noted is the answer. Queues that are `far` are brought near first.
    #[inline(always)]
    pub(crate) fn send<const FULL: bool, const BUSY: bool>(
        &mut self,
        now: Slot,
        matched: &[Port],
        departures: &mut [Cell],
        far: bool,
        each: impl FnMut(Pair, Popped) -> u32,
    ) {
        if !FULL {
            self.list.assign(matched);
        }
        if far && FULL {
            self.fetch(matched);
        }
        // What is near in most slots is not in a switch of thousands of ports.
        let fetches = FULL && !far && matched.len() > 1024;
        self.depart::<FULL, BUSY>(now, matched, departures, fetches, each);
    }

    /// Brings the records of matched queues near, and their first births.
    #[inline(never)]
    fn fetch(&self, matched: &[Port]) {
        let records = &self.records[..];
        for (_, voq, voq_ahead) in list::all(matched) {
            fetch_record(records, voq_ahead);
            self.births.fetch_first(records[voq]);
        }
    }

    #[inline(never)]
    fn depart<const FULL: bool, const BUSY: bool>(
        &mut self,
        now: Slot,
        matched: &[Port],
        departures: &mut [Cell],
        fetches: bool,
        mut each: impl FnMut(Pair, Popped) -> u32,
    ) {
        let (ports, records, births) = (matched.len(), &mut self.records[..], &mut self.births);
        let departures = &mut departures[..ports];
        let mut departed = 0_u32;
        let mut one = |records: &mut [Record], births: &mut Births, voq: usize, pair: Pair| {
            let record = &mut records[voq];
            let popped = births.pop::<BUSY>(*record, now);
            departures[pair.output as usize] = Cell { born: popped.born, input: pair.input | popped.none as Port };
            // One more, and where there was none, whose bits are all set, one less.
            departed = departed.wrapping_add(1).wrapping_add(popped.none);
            *record = births.with_note(popped.record, each(pair, popped));
        };
        if FULL {
            list::all(matched).for_each(|(pair, voq, voq_ahead)| {
                if fetches {
                    fetch_record(records, voq_ahead);
                }
                one(records, births, voq, pair);
            });
        } else {
            self.list.first().for_each(|voq| fetch_record(records, voq));
            self.list.first().take(list::NEAR).for_each(|voq| fetch_birth(records, births, voq));
            for Around { pair, voq, voq_ahead, voq_near, .. } in self.list.around() {
                fetch_record(records, voq_ahead);
                fetch_birth(records, births, voq_near);
                one(records, births, voq, pair);
            }
        }
        self.cells -= u64::from(departed);
    }
}

/// Fetches the first birth of a queue, if there is such a queue.
#[inline(always)]
fn fetch_birth(records: &[Record], births: &Births, voq: usize) {
    if let Some(&record) = records.get(voq) {
        births.fetch_first(record);
    }
}

/// Fetches a record, if there is one.
#[inline(always)]
fn fetch_record(records: &[Record], voq: usize) {
    if let Some(record) = records.get(voq) {
        fetch(record);
    }
}

#[cfg(test)]
mod tests;
