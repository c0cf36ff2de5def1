//! A large crossbar: its queues are [`Voqs`](crate::switch::voqs::Voqs).

use super::{Crossbar, Note};
use crate::cell::{Cell, Port, Slot};
use crate::fetch::fetch;
use crate::schedule::{Joined, Scheduler, bits};
use crate::switch::voqs::{Pair, Popped};

impl<S: Scheduler<W>, const W: usize> Crossbar<S, W> {
    /// Appends the arrivals of a slot.
    #[inline(always)]
    pub(super) fn arrive_compact(&mut self, now: Slot, arrivals: &[Port]) {
        let ports = self.ports;
        let (rows, columns, lengths) = (&mut self.rows[..], &mut self.columns[..], &mut self.lengths[..]);
        let (notes, scheduler) = (&mut self.notes[..], &mut self.scheduler);
        let (before, mut joined) = (self.compact.cells(), self.joined.iter_mut());
        self.compact.arrive(now, arrivals, |pair, ahead, length| {
            let (input, output) = (pair.input as usize, pair.output as usize);
            Self::fetch_column(columns, ahead);
            if Self::RECENT
                && let Some(place) = joined.next()
            {
                *place = Joined { input: pair.input, output: pair.output, length };
            }
            joins!(scheduler, notes, rows, columns, lengths, input, output, input * ports + output);
        });
        let arrived = self.compact.cells() - before;
        self.joining = arrived as usize;
        self.arrived += arrived;
    }

    /// Sends the first cell of each matched VOQ.
    #[inline(always)]
    pub(super) fn transfer_compact(&mut self, now: Slot, departures: &mut [Cell]) {
        let ports = self.ports;
        let (rows, columns, lengths) = (&mut self.rows[..], &mut self.columns[..], &mut self.lengths[..]);
        let (notes, scheduler) = (&mut self.notes[..], &mut self.scheduler);
        let (before, left) = (self.compact.cells(), &mut self.left[..]);
        let matched = self.matching.outputs();
        let each = |pair: Pair, Popped { length, rest, note, .. }: Popped| {
            let (input, output) = (pair.input as usize, pair.output as usize);
            if Self::RECENT {
                left[input] = rest;
            }
            if S::BUSY || length > 0 {
                let voq = input * ports + output;
                leaves!(scheduler, notes, rows, columns, lengths, input, output, voq, length == 1);
                if S::NEEDS.notes {
                    return scheduler.leaves(input, output, length, note);
                }
            }
            0
        };
        // Whoever looks at lengths just joined and left matches queues that are near.
        let far = !Self::RECENT;
        match (S::FULL, S::BUSY) {
            (true, _) => self.compact.send::<true, false>(now, matched, departures, far, each),
            (false, true) => self.compact.send::<false, true>(now, matched, departures, far, each),
            (false, false) => self.compact.send::<false, false>(now, matched, departures, far, each),
        }
        self.departed += before - self.compact.cells();
    }

    /// Fetches the bit of a VOQ in its column, where columns are more than the nearest caches hold. Of a VOQ that is matched, the scheduler has just looked at it.
    #[inline(always)]
    fn fetch_column(columns: &[[u64; W]], pair: Pair) {
        if S::NEEDS.columns
            && W > 16
            && let Some(column) = columns.get(pair.output as usize)
        {
            fetch(&column[pair.input as usize / 64 % W]);
        }
    }
}
