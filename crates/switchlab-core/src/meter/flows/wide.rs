//! Counting in a switch of few ports whose cells have become old.
//!
//! What is overloaded sends cells that are older than 16 bits say, in every slot and at every output. They are counted in whole numbers then, all cells alike: from the
//! first that is too old until the next turn, when it is tried again whether 16 bits do. So a flow has one place at a time where it is kept who was the youngest.
//! Delays go to the histogram's buckets, short ones too: there is no branch for how long they are.

use super::few::{PITCH, count_late};
use super::{Departed, FEW, Flows, Whole, delays};
use crate::cell::{Cell, NONE, Port, Slot};
use crate::schedule::bits;

/// The departures of a slot as numbers side by side.
struct Seen {
    born: [Slot; FEW],
    /// Always [`NONE`] beyond the last port.
    input: [Port; FEW],
}

impl Seen {
    #[inline(always)]
    fn look(&mut self, cells: &[Cell]) {
        for (cell, (born, input)) in cells.iter().zip(self.born.iter_mut().zip(&mut self.input)) {
            (*born, *input) = (cell.born, cell.input);
        }
    }

    /// For each output, the delay of its cell, and whether it counts. Who was born before the window does not, and has no delay, as an idle output.
    #[inline(always)]
    fn delays(&self, now: Slot, opened: Slot) -> ([Slot; FEW], [u16; FEW]) {
        let (mut delays, mut counts) = ([0; FEW], [0; FEW]);
        for place in 0..FEW {
            let counted = u32::from(self.born[place] >= opened) & u32::from(self.input[place] != NONE);
            delays[place] = now.wrapping_sub(self.born[place]) & counted.wrapping_neg();
            counts[place] = counted as u16;
        }
        (delays, counts)
    }
}

impl Flows {
    /// From now on until the next turn, cells that leave are counted in whole numbers.
    #[cold]
    pub(super) fn widen(&mut self) {
        self.whole.resize(self.left.len().max(FEW * PITCH), Whole::default());
        for (whole, left) in self.whole.iter_mut().zip(&self.left) {
            whole.catch_up(self.base, left.youngest);
        }
        self.wide = true;
    }

    /// Counts the departures of some slots.
    #[inline(never)]
    pub(super) fn leave_wide(
        &mut self,
        start: Slot,
        departures: &[Cell],
        delays: &mut delays::Open<'_>,
        departed: &mut [Departed],
    ) {
        let (opened, mut longest) = (self.opened, 0);
        let (rows, _) = self.whole.as_chunks_mut::<PITCH>();
        // As many rows as the compiler knows: those that few ports do not have, nobody leaves.
        let Some(rows) = rows.first_chunk_mut::<FEW>() else { return };
        let mut seen = Seen { born: [0; FEW], input: [NONE; FEW] };
        for ((now, cells), departed) in (start..).zip(departures.chunks_exact(self.ports)).zip(departed) {
            seen.look(cells);
            let (delay, counts) = seen.delays(now, opened);
            for place in 0..FEW {
                departed.delay_sum += u64::from(delay[place]);
                departed.counted += u32::from(counts[place]);
                longest = longest.max(delay[place]);
            }
            let leaving = bits::word_where(|output| seen.input[output] != NONE);
            departed.cells += leaving.count_ones();
            for output in bits::ports(&[leaving]) {
                delays.count_anywhere(delay[output], u32::from(counts[output]));
            }
            for output in bits::ports(&[leaving]) {
                let (flow, born) = (&mut rows[output][usize::from(seen.input[output] as u8)], seen.born[output]);
                flow.departed += u32::from(counts[output]);
                if born < flow.youngest {
                    count_late(&mut self.out_of_order);
                } else {
                    flow.youngest = born + 1;
                }
            }
        }
        delays.at_least(longest);
    }
}

impl Whole {
    /// One beyond the youngest that has left since the base is so many slots after it; 0 if there is none.
    pub(super) fn catch_up(&mut self, base: Slot, youngest: u16) {
        if youngest > 0 {
            self.youngest = self.youngest.max(base + Slot::from(youngest));
        }
    }
}
