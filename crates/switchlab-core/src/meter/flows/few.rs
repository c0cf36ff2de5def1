//! Counting in a switch of few ports, where a branch costs more than a count for nothing.
//!
//! Whether a port is busy is as good as random. So an idle one counts too: as a cell without delay, to or from a port that no switch of few ports has; what it has
//! counted among the delays is taken back. Rows of flows are long enough for that port. What can be said of many cells at once is worked out in vectors.
//! (A walk over the set of busy ports, which other switches have, takes more than twice the instructions.)

use super::delays::{self, Short};
use super::{Departed, FEW, Flows, Left};
use crate::cell::{Cell, NONE, Port, Slot};
use crate::port_set::word;

/// The flows of a port, and of nobody: a port has 8 bits here, and [`NONE`] is port 255. The rest is there for the sets of the cache, all of which
/// are to be used, though of a row only the beginning and the end are.
pub(super) const PITCH: usize = 256 + 16;

/// So many inputs are counted side by side, and so many outputs: as many as the compiler is willing to count without a loop.
const INPUTS: usize = 16;
pub(super) const OUTPUTS: usize = 8;

/// So many slots are looked at together.
pub(super) const SLOTS: usize = 16;

/// Departures as numbers side by side: by slot and output.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    /// When a cell was born, from the base on.
    since: [[u16; FEW]; SLOTS],
    /// Always [`NONE`] beyond the last port.
    input: [[Port; FEW]; SLOTS],
}

impl Seen {
    pub(super) const EMPTY: Self = Self { since: [[0; FEW]; SLOTS], input: [[NONE; FEW]; SLOTS] };
}

impl Flows {
    /// Counts the arrivals of some slots.
    pub(super) fn arrive_at_few(&mut self, arrivals: &[Port]) {
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
    pub(super) fn leave_few(
        &mut self,
        start: Slot,
        departures: &[Cell],
        delays: &mut delays::Open<'_>,
        departed: &mut [Departed],
    ) {
        let (base, plain) = (self.base, self.base.max(self.opened));
        if self.wide {
            return self.leave_wide(start, departures, delays, departed);
        }
        if self.look(departures, plain) {
            if departures.iter().any(|cell| !cell.is_idle() && cell.born < base) {
                self.widen();
                return self.leave_wide(start, departures, delays, departed);
            }
            let slots = (start..).zip(departures.chunks_exact(self.ports)).zip(departed);
            slots.for_each(|((now, cells), departed)| self.leave(cells, now, delays, departed));
            return;
        }
        let Seen { input, since } = &self.seen;
        let (start, delays) = ((start - base) as u16, delays.short());
        for (slot, departed) in departed.iter_mut().take(SLOTS).enumerate() {
            let leaving = Leaving { input: &input[slot], since: &since[slot], now: start + slot as u16 };
            leaving.count(&mut self.left, &mut self.out_of_order, delays, departed);
        }
    }

    /// Looks at departures; says whether a cell is among them that was born too early for what is quick.
    #[inline(always)]
    fn look(&mut self, departures: &[Cell], plain: Slot) -> bool {
        let (ports, base, seen) = (self.ports, self.base, &mut self.seen);
        if ports == FEW {
            return split(departures, seen.since.as_flattened_mut(), seen.input.as_flattened_mut(), (base, plain));
        }
        let rows = departures.chunks_exact(ports).zip(seen.since.iter_mut().zip(&mut seen.input));
        rows.fold(false, |early, (cells, (since, input))| split(cells, since, input, (base, plain)) | early)
    }
}

/// Splits cells into numbers; says whether one was born early.
#[inline(never)]
fn split(cells: &[Cell], since: &mut [u16], inputs: &mut [Port], (base, plain): (Slot, Slot)) -> bool {
    let mut early = 0;
    for (cell, (since, input)) in cells.iter().zip(since.iter_mut().zip(inputs)) {
        *since = cell.born.wrapping_sub(base) as u16;
        *input = cell.input;
        early |= u32::from(cell.born < plain) & u32::from(!cell.is_idle());
    }
    early != 0
}

/// The departures of a slot, none of them early; slots are counted from the base on.
struct Leaving<'a> {
    input: &'a [Port; FEW],
    since: &'a [u16; FEW],
    now: u16,
}

impl Leaving<'_> {
    #[inline(never)]
    fn count(&self, left: &mut [Left], late: &mut u64, delays: &mut Short, departed: &mut Departed) {
        let delay: [u16; FEW] = core::array::from_fn(|place| {
            // By arithmetic: the compiler would rather branch.
            let busy = u16::from(self.input[place] == NONE).wrapping_sub(1);
            self.now.wrapping_sub(self.since[place]) & busy
        });
        let beyond: [u16; FEW] = core::array::from_fn(|place| self.now.wrapping_add(1).wrapping_sub(delay[place]));
        let delay_sum = sum(&delay);
        let leaving = word::from_fn(|place| self.input[place] != NONE).count_ones();
        let (inputs, births) = (self.input.as_chunks().0, beyond.as_chunks().0.iter().zip(delay.as_chunks().0));
        let (rows, _) = left.as_chunks_mut::<PITCH>();
        let (sides, last) = rows.as_chunks_mut::<OUTPUTS>();
        for (rows, (inputs, (beyond, delay))) in sides.iter_mut().zip(inputs.iter().zip(births)) {
            let (inputs, beyond, delay): (&[Port; OUTPUTS], &[u16; OUTPUTS], &[u16; OUTPUTS]) = (inputs, beyond, delay);
            for place in 0..OUTPUTS {
                delays[usize::from(delay[place])] += 1;
                rows[place][usize::from(inputs[place] as u8)].take(beyond[place], late);
            }
        }
        let done = sides.len() * OUTPUTS;
        // Ports that there are not were looked at, and are not counted.
        let ports = (done + last.len()) as u32;
        for (place, row) in (done..FEW).zip(last) {
            delays[usize::from(delay[place])] += 1;
            row[usize::from(self.input[place] as u8)].take(beyond[place], late);
        }
        delays[0] -= ports - leaving;
        departed.cells += leaving;
        departed.counted += leaving;
        departed.delay_sum += u64::from(delay_sum);
    }
}

/// Not a part of what is around it, of which it would make short vectors, or none.
#[inline(never)]
fn sum(delays: &[u16; FEW]) -> u32 {
    delays.iter().map(|&delay| u32::from(delay)).sum()
}

impl Left {
    /// A cell leaves that was born in the window, in the slot before the one that is so many after the base.
    #[inline(always)]
    fn take(&mut self, beyond: u16, late: &mut u64) {
        self.departed += 1;
        self.goes(beyond, late);
    }
}

/// No part of the loop around it, where it would be counted without a branch, cell by cell.
#[cold]
#[inline(never)]
pub(super) fn count_late(late: &mut u64) {
    *late += 1;
}
