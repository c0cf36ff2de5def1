//! Counting in a switch of one word, up to 64 ports: branch-free.
//!
//! Whether a port is idle cannot be predicted. So an idle port is counted too: as a cell without
//! delay, from or to the dummy port 255, which no switch of one word has. The delays that idle
//! ports have counted are taken back. What does not depend on the flow of a cell is computed in
//! vectors. The plain form, which walks over the set of ports that are not idle, takes more than
//! twice the instructions.

use super::delays::{self, Short};
use super::{Departed, Flows, Sent};
use crate::cell::{Cell, NONE, Port, Slot};
use crate::port_set::word;
use crate::scale::WORD;

/// Entries in a row of flows: a port is 8 bits here, and [`NONE`] becomes the dummy port 255. The
/// 16 entries beyond spread the rows over all sets of the cache, although only the beginning and
/// the end of a row are used.
pub(super) const PITCH: usize = 256 + 16;

/// Inputs counted in one unrolled group, and outputs.
const INPUTS: usize = 16;
const OUTPUTS: usize = 8;

/// Slots that are split into columns at a time.
pub(super) const SLOTS: usize = 16;

/// The departures of some slots as columns: by slot and output.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    /// The arrival slot of a cell, from the base on.
    since: [[u16; WORD]; SLOTS],
    /// Always [`NONE`] beyond the last port.
    input: [[Port; WORD]; SLOTS],
}

impl Columns {
    pub(super) const EMPTY: Self = Self { since: [[0; WORD]; SLOTS], input: [[NONE; WORD]; SLOTS] };
}

impl Flows {
    /// Counts the arrivals of some slots.
    pub(super) fn count_arrivals_narrow(&mut self, arrivals: &[Port]) {
        let (rows, _) = self.arrived.as_chunks_mut::<PITCH>();
        for outputs in arrivals.chunks_exact(self.ports) {
            let ((rows, last_rows), (outputs, last_outputs)) = (rows.as_chunks_mut::<INPUTS>(), outputs.as_chunks());
            for (rows, outputs) in rows.iter_mut().zip(outputs) {
                let outputs: &[Port; INPUTS] = outputs;
                for (row, &output) in rows.iter_mut().zip(outputs) {
                    row[usize::from(output as u8)] += 1;
                }
            }
            for (row, &output) in last_rows.iter_mut().zip(last_outputs) {
                row[usize::from(output as u8)] += 1;
            }
        }
    }

    /// Counts the departures of some slots, [`SLOTS`] at most.
    pub(super) fn count_departures_narrow(
        &mut self,
        start: Slot,
        departures: &[Cell],
        delays: &mut delays::Open<'_>,
        departed: &mut [Departed],
    ) {
        if self.split_departures(departures) {
            return self.count_departures(start, departures, delays, departed);
        }
        let Columns { input, since } = &self.columns;
        let (start, delays) = ((start - self.base) as u16, delays.short());
        for (slot, departed) in departed.iter_mut().take(SLOTS).enumerate() {
            let sent = SentInSlot { input: &input[slot], since: &since[slot], now: start + slot as u16 };
            sent.count(&mut self.sent, &mut self.out_of_order, delays, departed);
        }
    }

    /// Splits departures into columns. Returns whether a cell arrived before the window or the
    /// base, which only the plain form counts.
    #[inline(always)]
    fn split_departures(&mut self, departures: &[Cell]) -> bool {
        let limits = (self.base, self.base.max(self.opened));
        let (ports, columns) = (self.ports, &mut self.columns);
        if ports == WORD {
            return split(departures, columns.since.as_flattened_mut(), columns.input.as_flattened_mut(), limits);
        }
        let rows = departures.chunks_exact(ports).zip(columns.since.iter_mut().zip(&mut columns.input));
        rows.fold(false, |early, (cells, (since, input))| split(cells, since, input, limits) | early)
    }
}

/// Splits cells into columns. Returns whether one arrived before `earliest`.
#[inline(never)]
fn split(cells: &[Cell], since: &mut [u16], inputs: &mut [Port], (base, earliest): (Slot, Slot)) -> bool {
    let mut early = 0;
    for (cell, (since, input)) in cells.iter().zip(since.iter_mut().zip(inputs)) {
        *since = cell.born.wrapping_sub(base) as u16;
        *input = cell.input;
        early |= u32::from(cell.born < earliest) & u32::from(!cell.is_idle());
    }
    early != 0
}

/// The departures of a slot, none of them early. Slots are counted from the base on.
struct SentInSlot<'a> {
    input: &'a [Port; WORD],
    since: &'a [u16; WORD],
    now: u16,
}

impl SentInSlot<'_> {
    #[inline(never)]
    fn count(&self, rows: &mut [Sent], out_of_order: &mut u64, delays: &mut Short, departed: &mut Departed) {
        let delay: [u16; WORD] = core::array::from_fn(|output| {
            // A mask and not a condition: for a condition the compiler would branch.
            let mask = u16::from(self.input[output] == NONE).wrapping_sub(1);
            self.now.wrapping_sub(self.since[output]) & mask
        });
        let next: [u16; WORD] = core::array::from_fn(|output| self.now.wrapping_add(1).wrapping_sub(delay[output]));
        let delay_sum = sum(&delay);
        let cells = word::from_fn(|output| self.input[output] != NONE).count_ones();
        let (inputs, arrived) = (self.input.as_chunks().0, next.as_chunks().0.iter().zip(delay.as_chunks().0));
        let (rows, _) = rows.as_chunks_mut::<PITCH>();
        let (groups, last) = rows.as_chunks_mut::<OUTPUTS>();
        for (rows, (inputs, (next, delay))) in groups.iter_mut().zip(inputs.iter().zip(arrived)) {
            let (inputs, next, delay): (&[Port; OUTPUTS], &[u16; OUTPUTS], &[u16; OUTPUTS]) = (inputs, next, delay);
            for output in 0..OUTPUTS {
                delays[usize::from(delay[output])] += 1;
                let flow = &mut rows[output][usize::from(inputs[output] as u8)];
                flow.departed += 1;
                flow.count_order(next[output], out_of_order);
            }
        }
        let grouped = groups.len() * OUTPUTS;
        // The columns are as wide as a word; entries beyond the last port are not counted.
        let ports = (grouped + last.len()) as u32;
        for (output, row) in (grouped..WORD).zip(last) {
            delays[usize::from(delay[output])] += 1;
            let flow = &mut row[usize::from(self.input[output] as u8)];
            flow.departed += 1;
            flow.count_order(next[output], out_of_order);
        }
        delays[0] -= ports - cells;
        departed.cells += cells;
        departed.counted += cells;
        departed.delay_sum += u64::from(delay_sum);
    }
}

/// Out of line: inlined, the compiler makes short vectors of it, or none.
#[inline(never)]
fn sum(delays: &[u16; WORD]) -> u32 {
    delays.iter().map(|&delay| u32::from(delay)).sum()
}
