//! A crossbar in which much is queued: its cells are in [`Chunks`] instead of lists, until little is left.

use super::few::{self, Few};
use super::{Chunks, Crossbar, Note};
use crate::cell::{Cell, Port, Slot};
use crate::schedule::{Scheduler, bits};
use crate::switch::queues::Queues;

/// From so many cells for each VOQ on, lists are out of the caches of a core, and a line of cells is worth while.
const CELLS_PER_VOQ: usize = 16;

/// More than so many cells are a crowd. The lists of few ports have room for about as many, and for those that arrive in a slot.
pub(super) fn limit(ports: usize) -> usize {
    if ports <= few::PORTS { few::ROOM - few::PORTS } else { CELLS_PER_VOQ * ports * ports }
}

impl<S: Scheduler<W>, const W: usize> Crossbar<S, W> {
    /// Before a slot: whether the cells are a crowd. One comparison where they are not.
    #[inline(always)]
    pub(super) fn is_crowded(&mut self) -> bool {
        self.in_lists() >= self.many && self.settle()
    }

    /// The cells in lists.
    #[inline(always)]
    pub(super) fn in_lists(&self) -> usize {
        self.voqs.length() as usize + self.few.as_ref().map_or(0, Few::length)
    }

    /// Moves all cells to the other kind of queue, if it is time. Back at a quarter of the limit, so that a number of cells that moves around
    /// the limit does not move them again and again.
    #[inline(never)]
    fn settle(&mut self) -> bool {
        if self.many > 0 {
            self.gather();
        } else if self.crowd.length() < self.limit / 4 {
            self.scatter();
        }
        self.many == 0
    }

    #[cold]
    #[inline(never)]
    fn gather(&mut self) {
        let (ports, queues) = (self.ports, self.ports * self.ports);
        let mut chunks = Chunks::new(queues, 2 * self.in_lists());
        for voq in 0..queues {
            let push = |born| chunks.open(1).push(voq, born);
            match &self.few {
                Some(few) => few.births(few::queue(voq / ports, voq % ports), push),
                None => self.voqs.births(voq, push),
            }
        }
        (self.voqs, self.few) = (Queues::new(0), None);
        self.crowd = chunks;
        self.many = 0;
    }

    #[cold]
    #[inline(never)]
    fn scatter(&mut self) {
        let (ports, queues) = (self.ports, self.ports * self.ports);
        let mut chunks = core::mem::replace(&mut self.crowd, Chunks::none());
        (self.voqs, self.few) = Self::lists(ports);
        let mut chunks = chunks.open(0);
        for voq in 0..queues {
            while !chunks.is_empty(voq) {
                let born = chunks.pop(voq).0;
                match &mut self.few {
                    Some(few) => few.open().push(few::queue(voq / ports, voq % ports), born),
                    None => _ = self.voqs.open(1).push(voq, born),
                }
            }
        }
        self.many = self.limit;
    }

    /// So many rows there are, and so many columns: a constant where ports are few.
    #[inline(always)]
    fn size(rows: &[[u64; W]]) -> usize {
        if Self::FEW { few::PORTS } else { rows.len() }
    }

    /// A port: where ports are few, one of so many, as the compiler can see.
    #[inline(always)]
    const fn within(port: usize) -> usize {
        if Self::FEW { port % few::PORTS } else { port }
    }

    /// Appends the arrivals of a slot.
    #[inline(never)]
    pub(super) fn arrive_crowded(&mut self, now: Slot, arrivals: &[Port]) {
        let ports = self.ports;
        let mut voqs = self.crowd.open(ports);
        let (row_count, column_count) = (Self::size(&self.rows), Self::size(&self.columns));
        let (rows, columns) = (&mut self.rows[..row_count], &mut self.columns[..column_count]);
        let (notes, scheduler) = (&mut self.notes[..], &mut self.scheduler);
        let (lengths, sending) = (&mut self.lengths[..], bits::named::<W>(arrivals));
        for input in bits::ports(&sending) {
            let (input, output) = (Self::within(input), Self::within(arrivals[input] as usize));
            let voq = input * ports + output;
            if S::NEEDS.ages && voqs.is_empty(voq) {
                self.births[voq] = now;
            }
            voqs.push_uncounted(voq, now);
            joins!(scheduler, notes, rows, columns, lengths, input, output, voq);
        }
        let arrived = bits::count(&sending);
        voqs.count(arrived, 0);
        self.arrived += arrived as u64;
    }

    /// Sends the first cell of each matched VOQ.
    #[inline(never)]
    pub(super) fn transfer_crowded(&mut self, departures: &mut [Cell]) {
        let ports = self.ports;
        let mut voqs = self.crowd.open(0);
        let (row_count, column_count) = (Self::size(&self.rows), Self::size(&self.columns));
        let (rows, columns) = (&mut self.rows[..row_count], &mut self.columns[..column_count]);
        let lengths = &mut self.lengths[..];
        let (notes, scheduler) = (&mut self.notes[..], &mut self.scheduler);
        let departures = &mut departures[..ports];
        let outputs = &self.matching.outputs()[..ports];
        let sending = bits::named::<W>(outputs);
        let mut departed = bits::count(&sending);
        for input in bits::ports(&sending) {
            let (input, output) = (Self::within(input), Self::within(outputs[input] as usize));
            let voq = input * ports + output;
            if !S::BUSY && voqs.is_empty(voq) {
                departed -= 1;
                continue;
            }
            let (born, empty) = voqs.pop_uncounted(voq);
            departures[output] = Cell { born, input: input as Port };
            if S::NEEDS.ages && !empty {
                self.births[voq] = voqs.first_born(voq);
            }
            leaves!(scheduler, notes, rows, columns, lengths, input, output, voq, empty);
        }
        voqs.count(0, departed);
        self.departed += departed as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Inspection, QueueLengths, Switch};
    use super::*;
    use crate::cell::NONE;
    use crate::rng::{Purpose, Seed};
    use crate::schedule::{gs_ocf::GsOcf, ilqf::Ilqf, islip::Islip, pim::Pim, serena, tdm::Tdm, uform::Uform};
    use crate::serenade::Rules;
    use crate::traffic::{Arrivals, Bernoulli, LoadMatrix, destinations::Uniform};
    use alloc::vec;
    use alloc::vec::Vec;

    const SEED: Seed = Seed { seed: 5, replication: 0 };
    const PORTS: usize = 70;

    /// What leaves, and the lengths from time to time, with waves of arrivals and silence between; and how many times the cells moved.
    fn trail<S: Scheduler<2> + Send>(scheduler: S, limit: usize) -> (Vec<Cell>, Vec<Vec<u32>>, usize) {
        let mut crossbar = Crossbar::<S, 2>::new(PORTS, scheduler);
        (crossbar.limit, crossbar.many) = (limit, limit);
        let mut source = Bernoulli::new(&LoadMatrix::uniform(PORTS), 1.0, Uniform, SEED);
        let (mut cells, mut lengths, mut moves) = (Vec::new(), Vec::new(), 0);
        let mut arrivals = vec![NONE; PORTS];
        for now in 0..4000 {
            source.slot(now, &mut arrivals);
            for (input, arrival) in arrivals.iter_mut().enumerate() {
                // Some VOQs become several lines long.
                let output = if input % 10 == 0 { input as Port } else { *arrival };
                *arrival = if now % 2000 < 40 { output } else { NONE };
            }
            let mut departures = vec![Cell::IDLE; PORTS];
            let before = crossbar.many;
            crossbar.slot(now, &arrivals, &mut departures);
            moves += usize::from(crossbar.many != before);
            cells.extend(departures);
            if now % 7 > 0 {
                continue;
            }
            let Some(Inspection { queues: QueueLengths::Voqs(voqs), .. }) = crossbar.inspect() else { panic!() };
            let census = crossbar.census();
            assert_eq!(voqs.iter().map(|&length| u64::from(length)).sum::<u64>(), census.queued);
            assert_eq!(census.arrived, census.departed + census.queued);
            lengths.push(voqs);
        }
        (cells, lengths, moves)
    }

    macro_rules! alike {
        ($scheduler:expr, $limit:expr, $moves:expr) => {{
            let (cells, lengths, moves) = trail($scheduler, $limit);
            assert!(moves >= $moves, "{}: moved {moves} times", stringify!($scheduler));
            let (usual, usual_lengths, never) = trail($scheduler, usize::MAX);
            assert_eq!(never, 0);
            assert!(cells == usual && lengths == usual_lengths, "{}", stringify!($scheduler));
        }};
    }

    #[test]
    fn a_crowd_changes_nothing() {
        let rng = || SEED.stream(Purpose::Scheduler, 0);
        let make = || serena::Make { rules: Rules::default(), variant: None, coin: None, rng: rng(), key: 1 };
        alike!(Tdm, 400, 3);
        alike!(Islip::<2>::new(PORTS, 2), 150, 3);
        alike!(Pim::<2>::new(PORTS, 1, rng()), 150, 3);
        alike!(Ilqf::<2>::new(PORTS, 1), 150, 3);
        alike!(Uform::<2>::new(PORTS, 1, 0), 150, 3);
        alike!(GsOcf::<2>::new(PORTS), 150, 3);
        // Sends hardly anything where nothing arrives.
        alike!(serena::Serena::new(PORTS, make()), 150, 1);
    }

    #[test]
    fn a_crowd_is_more_than_caches_hold_and_lines_are_worth() {
        assert_eq!([2, 64, 65, 256].map(limit), [61_376, 61_376, 67_600, 1 << 20]);
    }
}
