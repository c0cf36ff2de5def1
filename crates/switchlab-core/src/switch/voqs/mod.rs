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
mod rings;

use crate::cell::{Cell, NONE, Port, Slot};
use crate::fetch::fetch;
use alloc::vec;
use alloc::vec::Vec;
use births::{Births, PERIOD, Record, length};

/// The queues. See the module.
#[derive(Clone, Debug)]
pub(crate) struct Voqs {
    records: Vec<Record>,
    births: Births,
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

    /// That many empty queues.
    pub(crate) fn new(queues: usize) -> Self {
        Self { records: vec![0; queues], births: Births::new(), cells: 0 }
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

    /// Appends the arrivals of a slot: for each input an output, or [`NONE`]. Slots come in order, from 0. Says of each arrival its input and output, and how many
    /// cells the queue has then. A function of its own, as [`Self::depart`] is: what else a slot is about would take the registers.
    #[inline(never)]
    pub(crate) fn arrive(&mut self, now: Slot, arrivals: &[Port], mut each: impl FnMut(usize, usize, u32)) {
        if now.is_multiple_of(PERIOD) {
            self.births.look_through(&mut self.records, now);
        }
        let (records, births) = (&mut self.records[..], &mut self.births);
        let (mut row, mut arrived) = (0, 0);
        for (input, &output) in arrivals.iter().enumerate() {
            look_ahead(records, row, input, arrivals);
            if output != NONE {
                let record = &mut records[row + output as usize];
                let length;
                (*record, length) = births.push(*record, now);
                arrived += 1;
                each(input, output as usize, length);
            }
            row += arrivals.len();
        }
        self.cells += arrived;
    }

    /// Brings the records of matched queues near, and their first births. For [`Self::depart`], where they are not near anyway.
    #[inline(never)]
    pub(crate) fn fetch(&self, matched: &[Port]) {
        let mut row = 0;
        for (input, &output) in matched.iter().enumerate() {
            look_ahead(&self.records, row, input, matched);
            if let Some(&record) = self.records.get(place(row, output)) {
                self.births.fetch_first(record);
            }
            row += matched.len();
        }
    }

    /// Sends the first cell of each matched queue that has one, and says of each matched queue its input and output, how many cells it had, and what was noted of it; what
    /// is to be noted is the answer.
    #[inline(never)]
    pub(crate) fn depart(
        &mut self,
        now: Slot,
        matched: &[Port],
        departures: &mut [Cell],
        mut each: impl FnMut(usize, usize, u32, u32) -> u32,
    ) {
        let (records, births) = (&mut self.records[..], &mut self.births);
        let departures = &mut departures[..matched.len()];
        let (mut row, mut departed) = (0, 0_u32);
        for (input, &output) in matched.iter().enumerate() {
            if output != NONE {
                let output = output as usize;
                let record = &mut records[row + output];
                let popped = births.pop(*record, now);
                departures[output] = Cell { born: popped.born, input: input as Port | popped.none as Port };
                // One more, and where there was none, whose bits are all set, one less.
                departed = departed.wrapping_add(1).wrapping_add(popped.none);
                *record = births.with_note(popped.record, each(input, output, popped.length, popped.note));
            }
            row += matched.len();
        }
        self.cells -= u64::from(departed);
    }
}

/// So many inputs ahead, records are fetched.
const AHEAD: usize = 32;

/// Fetches the record that will be asked for some inputs after this one.
#[inline(always)]
fn look_ahead(records: &[Record], row: usize, input: usize, outputs: &[Port]) {
    if let Some(&output) = outputs.get(input + AHEAD)
        && let Some(record) = records.get(place(row + AHEAD * outputs.len(), output))
    {
        fetch(record);
    }
}

/// Where a record lies, of a row that begins here; without an output the first of all, which takes no branch.
#[inline(always)]
fn place(row: usize, output: Port) -> usize {
    (row + output as usize) & usize::from(output != NONE).wrapping_neg()
}

#[cfg(test)]
mod tests;
