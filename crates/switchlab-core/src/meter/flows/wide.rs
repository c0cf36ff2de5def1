//! Counting in a switch of few ports whose cells have become old.
//!
//! What is overloaded sends cells that are older than 16 bits say, in every slot and at every output. They are counted in whole numbers then, all cells alike: from the
//! first that is too old until the next turn, when it is tried again whether 16 bits do. So a flow has one place at a time where it is kept who was the youngest.
//! Delays go to the histogram's buckets, short ones too: there is no branch for how long they are. As in `few.rs`, idle ports count too, where nobody looks.

use super::few::{OUTPUTS, PITCH, count_late};
use super::{Departed, FEW, Flows, Whole, delays};
use crate::cell::{Cell, NONE, Port, Slot};
use crate::meter::histogram::bucket;
use crate::port_set::word;

/// The departures of a slot as numbers side by side.
struct Seen {
    born: [Slot; FEW],
    /// One beyond that. Nobody's cell is just born.
    beyond: [Slot; FEW],
    /// Always [`NONE`] beyond the last port.
    input: [Port; FEW],
    delay: [Slot; FEW],
    /// 1 if a cell was born in the window. Who was not has no delay, as an idle output.
    counts: [u32; FEW],
    /// Where its delay is counted, if it is.
    bucket: [u32; FEW],
}

impl Seen {
    const NOTHING: Self = Self {
        born: [0; FEW],
        beyond: [0; FEW],
        input: [NONE; FEW],
        delay: [0; FEW],
        counts: [0; FEW],
        bucket: [0; FEW],
    };

    /// Loops that each become vectors.
    #[inline(always)]
    fn look(&mut self, cells: &[Cell], now: Slot, opened: Slot) {
        for (cell, (born, input)) in cells.iter().zip(self.born.iter_mut().zip(&mut self.input)) {
            (*born, *input) = (cell.born, cell.input);
        }
        for place in 0..FEW {
            let busy = u32::from(self.input[place] != NONE);
            let counted = u32::from(self.born[place] >= opened) & busy;
            self.delay[place] = now.wrapping_sub(self.born[place]) & counted.wrapping_neg();
            self.counts[place] = counted;
            self.beyond[place] = (self.born[place] & busy.wrapping_neg() | now & busy.wrapping_sub(1)) + 1;
        }
        for place in 0..FEW {
            // What counts for nothing does so at places of its own each, so that nobody waits for another.
            let uncounted = self.counts[place].wrapping_sub(1);
            self.bucket[place] = bucket(self.delay[place]) & !uncounted | place as u32 & uncounted;
        }
    }

    /// Counts them among the flows, some without a loop.
    #[inline(always)]
    fn leave(&self, rows: &mut [[Whole; PITCH]; FEW], late: &mut u64) {
        let places = self.input.as_chunks().0.iter().zip(self.beyond.as_chunks().0).zip(self.counts.as_chunks().0);
        for (rows, ((input, beyond), counts)) in rows.as_chunks_mut::<OUTPUTS>().0.iter_mut().zip(places) {
            let (input, beyond, counts): (&[Port; OUTPUTS], &[Slot; OUTPUTS], &[u32; OUTPUTS]) =
                (input, beyond, counts);
            for place in 0..OUTPUTS {
                let flow = &mut rows[place][usize::from(input[place] as u8)];
                flow.departed += counts[place];
                if beyond[place] <= flow.youngest {
                    count_late(late);
                } else {
                    flow.youngest = beyond[place];
                }
            }
        }
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
        let mut seen = Seen::NOTHING;
        for ((now, cells), departed) in (start..).zip(departures.chunks_exact(self.ports)).zip(departed) {
            seen.look(cells, now, opened);
            for place in 0..FEW {
                departed.delay_sum += u64::from(seen.delay[place]);
                departed.counted += seen.counts[place];
                longest = longest.max(seen.delay[place]);
            }
            departed.cells += word::from_fn(|output| seen.input[output] != NONE).count_ones();
            delays.count_all(&seen.bucket, &seen.counts);
            seen.leave(rows, &mut self.out_of_order);
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
