//! A crossbar in which much is queued: its cells are in [`Chunks`] instead of lists, until little is left.

use super::{Chunks, Crossbar, Note};
use crate::cell::{Cell, Port, Slot};
use crate::schedule::{Scheduler, bits};
use crate::switch::queues::Queues;

/// From so many cells on, lists are out of the caches of a core.
const CELLS: usize = 1 << 16;

/// And of so many cells for each VOQ, a line of them is worth while.
const CELLS_PER_VOQ: usize = 16;

/// More than so many cells are a crowd.
pub(super) fn limit(ports: usize) -> usize {
    CELLS.max(CELLS_PER_VOQ * ports * ports)
}

impl<S: Scheduler<W>, const W: usize> Crossbar<S, W> {
    /// Before a slot: whether the cells are a crowd. One comparison where they are not.
    #[inline(always)]
    pub(super) fn is_crowded(&mut self) -> bool {
        self.voqs.length() as usize >= self.many && self.settle()
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
        let queues = self.ports * self.ports;
        let mut chunks = Chunks::new(queues, 2 * self.voqs.length() as usize);
        for voq in 0..queues {
            self.voqs.births(voq, |born| chunks.open(1).push(voq, born));
        }
        self.voqs = Queues::new(0);
        self.crowd = chunks;
        self.many = 0;
    }

    #[cold]
    #[inline(never)]
    fn scatter(&mut self) {
        let queues = self.ports * self.ports;
        let (mut lists, mut chunks) = (Queues::new(queues), self.crowd.open(0));
        for voq in 0..queues {
            while !chunks.is_empty(voq) {
                lists.open(1).push(voq, chunks.pop(voq).0);
            }
        }
        drop(chunks);
        self.crowd = Chunks::none();
        self.voqs = lists;
        self.many = self.limit;
    }

    /// Appends the arrivals of a slot.
    #[inline(never)]
    pub(super) fn arrive_crowded(&mut self, now: Slot, arrivals: &[Port]) {
        let ports = self.ports;
        let mut voqs = self.crowd.open(ports);
        let before = voqs.length();
        let (rows, columns, lengths) = (&mut self.rows[..], &mut self.columns[..], &mut self.lengths[..]);
        let notes = &mut self.notes[..];
        for input in bits::ports::<W>(&bits::named(arrivals)) {
            let output = arrivals[input] as usize;
            let voq = input * ports + output;
            if S::NEEDS.ages && voqs.is_empty(voq) {
                self.births[voq] = now;
            }
            voqs.push(voq, now);
            joins!(rows, columns, lengths, notes, input, output, voq);
        }
        self.arrived += (voqs.length() - before) as u64;
    }

    /// Sends the first cell of each matched VOQ.
    #[inline(never)]
    pub(super) fn transfer_crowded(&mut self, departures: &mut [Cell]) {
        let ports = self.ports;
        let mut voqs = self.crowd.open(0);
        let before = voqs.length();
        let (rows, columns, lengths) = (&mut self.rows[..], &mut self.columns[..], &mut self.lengths[..]);
        let (notes, scheduler) = (&mut self.notes[..], &mut self.scheduler);
        let departures = &mut departures[..ports];
        let outputs = &self.matching.outputs()[..ports];
        for input in bits::ports::<W>(&bits::named(outputs)) {
            let output = outputs[input] as usize;
            let voq = input * ports + output;
            if voqs.is_empty(voq) {
                continue;
            }
            let (born, empty) = voqs.pop(voq);
            departures[output] = Cell { born, input: input as Port };
            if S::NEEDS.ages && !empty {
                self.births[voq] = voqs.first_born(voq);
            }
            leaves!(scheduler, notes, rows, columns, lengths, input, output, voq, empty);
        }
        self.departed += (before - voqs.length()) as u64;
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
        assert_eq!([2, 16, 64, 256].map(limit), [1 << 16, 1 << 16, 1 << 16, 1 << 20]);
    }
}
