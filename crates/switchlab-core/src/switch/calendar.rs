//! Queues as a calendar, for switches of up to 64 ports whose outputs send first come, first
//! served, one cell in every slot.
//!
//! In such a switch the departure slot of a cell is known when it arrives: its output first sends
//! all cells enqueued before it, one in each slot.
//!
//! ```text
//!                output 0   1   2   3
//!   slot now        a   b   c   -         the departures of this slot
//!   slot now + 1    d   -   e   -
//!   slot now + 2    f   -   -   -         output 0 has a queue of three
//! ```
//!
//! So a queue is a column, its length gives the row of an appended cell, and the departures of a
//! slot are a whole row: no test for empty queues is needed. Linked lists take twice the time.

use crate::cell::{Cell, Port, Slot, idle};
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

/// The most ports.
pub(super) const PORTS: usize = 64;

/// Dummy columns, which belong to no output. An input without an arrival appends to one of them:
/// whether there is an arrival is random, and a store that is never read costs less than a branch.
/// There are several, so that the stores of idle inputs do not depend on each other.
const DUMMIES: usize = 8;
const COLUMNS: usize = PORTS + DUMMIES;

/// Arrivals in one unrolled group.
const INPUTS: usize = 16;

/// The next `ROWS` slots, a power of two. See the module.
#[derive(Clone, Debug)]
pub(super) struct Calendar<const ROWS: usize> {
    /// By slot mod `ROWS` and output.
    rows: Box<[[Cell; COLUMNS]; ROWS]>,
    /// By output: the length of its queue. Those of dummy columns mean nothing.
    lengths: [u16; COLUMNS],
}

/// What left in a slot.
pub(super) struct Sent {
    /// How many cells left.
    pub(super) cells: u16,
    /// The length of the longest queue after it.
    pub(super) longest: u16,
}

impl<const ROWS: usize> Calendar<ROWS> {
    /// The bytes of the rows.
    pub(super) const BYTES: usize = size_of::<[[Cell; COLUMNS]; ROWS]>();

    /// Empty queues.
    pub(super) fn new() -> Self {
        // Not a boxed array, which would be built on the stack first.
        let rows = vec![[Cell::IDLE; COLUMNS]; ROWS].into_boxed_slice();
        Self { rows: rows.try_into().unwrap_or_else(|_| unreachable!()), lengths: [0; COLUMNS] }
    }

    /// The length of the queue of an output.
    #[inline]
    pub(super) fn length(&self, output: Port) -> u16 {
        self.lengths[usize::from(output)]
    }

    /// The number of queued cells.
    pub(super) fn cells(&self) -> u64 {
        self.lengths[..PORTS].iter().map(|&length| u64::from(length)).sum()
    }

    /// The length of the queue of each of the first `ports` outputs.
    pub(super) fn lengths(&self, ports: usize) -> Vec<u32> {
        self.lengths[..ports].iter().map(|&length| u32::from(length)).collect()
    }

    /// The cells of an output's queue before a slot, first to last.
    pub(super) fn queue(&self, now: Slot, output: Port) -> impl Iterator<Item = Cell> {
        (0..self.length(output)).map(move |before| self.rows[row::<ROWS>(now, before)][usize::from(output)])
    }

    /// Appends a cell to the queue of an output, which has fewer than `ROWS` cells, before slot
    /// `now` ends. Returns its row.
    #[inline(always)]
    pub(super) fn append(&mut self, now: Slot, output: Port, cell: Cell) -> usize {
        let column = usize::from(output);
        let length = &mut self.lengths[column];
        let row = row::<ROWS>(now, *length);
        self.rows[row][column] = cell;
        *length = length.wrapping_add(1);
        row
    }

    /// Appends the arrivals of a slot, where no queue has more than `ROWS - 64` cells.
    #[inline(always)]
    pub(super) fn arrive(&mut self, now: Slot, arrivals: &[Port; PORTS], ports: usize) {
        // NONE, which is larger than any port, becomes a dummy column.
        let columns: [Port; PORTS] =
            core::array::from_fn(|input| arrivals[input].min((PORTS + input % DUMMIES) as Port));
        let groups = columns.as_chunks::<INPUTS>().0.iter().take(ports.div_ceil(INPUTS));
        for (first, group) in (0..).step_by(INPUTS).zip(groups) {
            for (input, &column) in (first..).zip(group) {
                self.append(now, column, Cell { born: now, input });
            }
        }
    }

    /// Ends a slot: the cells of its row depart.
    #[inline(always)]
    pub(super) fn depart(&mut self, now: Slot, departures: &mut [Cell]) -> Sent {
        let row = &mut self.rows[row::<ROWS>(now, 0)];
        match departures.first_chunk_mut::<PORTS>() {
            Some(departures) => departures.copy_from_slice(&row[..PORTS]),
            None => departures.copy_from_slice(&row[..departures.len()]),
        }
        idle(&mut row[..PORTS]);
        let (mut cells, mut longest) = (0, 0);
        for length in &mut self.lengths[..PORTS] {
            cells += u16::from(*length != 0);
            *length = length.saturating_sub(1);
            longest = longest.max(*length);
        }
        Sent { cells, longest }
    }
}

/// The row of a cell that is appended in slot `now` to a queue of `before` cells: its departure
/// slot mod `ROWS`.
#[inline(always)]
fn row<const ROWS: usize>(now: Slot, before: u16) -> usize {
    now.wrapping_add(u32::from(before)) as usize % ROWS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::NONE;
    use crate::port_set::word;
    use alloc::collections::VecDeque;
    use proptest::prelude::*;

    const ROWS: usize = 128;

    proptest! {
        /// Arrivals of a slot appended together or one by one, hot outputs, idle slots; some runs
        /// start just before slot numbers wrap around.
        #[test]
        fn behaves_as_a_deque_for_each_output(
            ports in 1..=PORTS,
            slots in prop::collection::vec((prop::collection::vec(any::<Port>(), PORTS), 1u16..8, any::<bool>()), 1..200),
            start in prop::sample::select(vec![0, 77, Slot::MAX - 50]),
        ) {
            let mut calendar = Calendar::<ROWS>::new();
            let mut deques = vec![VecDeque::new(); ports];
            for (time, (draws, silence, at_once)) in (0..).zip(slots) {
                let now = start.wrapping_add(time);
                let mut arrivals = vec![NONE; ports];
                for (arrival, draw) in arrivals.iter_mut().zip(draws) {
                    let output = usize::from(draw / 8) % ports / if draw % 2 == 0 { 8 } else { 1 };
                    if draw / 4 % silence == 0 && deques[output].len() < ROWS - PORTS {
                        *arrival = output as Port;
                    }
                }
                for (input, &output) in (0..).zip(&arrivals).filter(|(_, output)| **output != NONE) {
                    let cell = Cell { born: now, input };
                    deques[usize::from(output)].push_back(cell);
                    if !at_once {
                        calendar.append(now, output, cell);
                    }
                }
                if at_once {
                    calendar.arrive(now, word::padded(&arrivals, &mut [NONE; 64]), ports);
                }
                for (output, deque) in (0..).zip(&deques) {
                    prop_assert!(calendar.queue(now, output).eq(deque.iter().copied()));
                }
                let mut departures = vec![Cell::IDLE; ports];
                let sent = calendar.depart(now, &mut departures);
                let expected: Vec<Cell> = deques.iter_mut().map(|deque| deque.pop_front().unwrap_or(Cell::IDLE)).collect();
                prop_assert_eq!(&departures, &expected);
                prop_assert_eq!(usize::from(sent.cells), expected.iter().filter(|cell| !cell.is_idle()).count());
                let lengths: Vec<u32> = deques.iter().map(|deque| deque.len() as u32).collect();
                prop_assert_eq!(u32::from(sent.longest), lengths.iter().copied().max().unwrap_or(0));
                prop_assert_eq!(calendar.cells(), lengths.iter().map(|&length| u64::from(length)).sum::<u64>());
                prop_assert_eq!(calendar.lengths(ports), lengths);
            }
        }
    }
}
