//! A crossbar in which much is queued: its cells are in [`Chunks`] instead of lists, until little is left.

use super::chunks::line_ends;
use super::few::{self, Few};
use super::{Chunks, Crossbar, Note};
use crate::cell::{Cell, Port, Slot};
use crate::schedule::{Scheduler, bits};
use crate::switch::queues::Queues;
use alloc::vec::Vec;

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

    /// The number of a VOQ's queue in a crowd.
    #[inline(always)]
    const fn crowd_queue(ports: usize, voq: usize) -> usize {
        if Self::FEW { few::queue(voq / ports, voq % ports) as usize } else { voq }
    }

    /// So many there are, and so many numbers: where ports are few, all that 16 bits say, so that none has to be compared.
    const fn crowd_queues(ports: usize) -> (usize, usize) {
        if Self::FEW { (few::QUEUES, few::NUMBERS) } else { (ports * ports, ports * ports) }
    }

    /// The length of each VOQ of a crowd.
    pub(super) fn crowd_lengths(&self) -> Vec<u32> {
        let length = |voq| self.crowd.length_of(Self::crowd_queue(self.ports, voq));
        (0..self.ports * self.ports).map(length).collect()
    }

    #[cold]
    #[inline(never)]
    fn gather(&mut self) {
        let (ports, (queues, numbers)) = (self.ports, Self::crowd_queues(self.ports));
        let mut chunks = Chunks::new(queues, numbers, 2 * self.in_lists());
        for voq in 0..ports * ports {
            let push = |born| chunks.append(Self::crowd_queue(ports, voq), born);
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
        let ports = self.ports;
        let mut chunks = core::mem::replace(&mut self.crowd, Chunks::none());
        (self.voqs, self.few) = Self::lists(ports);
        let mut chunks = chunks.open();
        for voq in 0..ports * ports {
            let queue = Self::crowd_queue(ports, voq);
            while !chunks.is_empty(queue) {
                let born = chunks.remove(queue).0;
                match &mut self.few {
                    Some(few) => few.open().push(few::queue(voq / ports, voq % ports), born),
                    None => _ = self.voqs.open(1).push(voq, born),
                }
            }
        }
        self.many = self.limit;
    }

    /// Appends the arrivals of a slot.
    #[inline(never)]
    pub(super) fn arrive_crowded(&mut self, now: Slot, arrivals: &[Port]) {
        if Self::FEW {
            self.arrive_few_crowded(now, arrivals);
            return;
        }
        let ports = self.ports;
        let mut voqs = self.crowd.open_for(ports, now);
        let (rows, columns, lengths) = (&mut self.rows[..], &mut self.columns[..], &mut self.lengths[..]);
        let (notes, scheduler) = (&mut self.notes[..], &mut self.scheduler);
        let sending = bits::named::<W>(arrivals);
        for input in bits::ports(&sending) {
            let output = arrivals[input] as usize;
            let voq = input * ports + output;
            if S::NEEDS.ages && voqs.is_empty(voq) {
                self.births[voq] = now;
            }
            if line_ends(voqs.push(voq, now)) {
                voqs.extend(voq, now);
            }
            joins!(scheduler, notes, rows, columns, lengths, input, output, voq);
        }
        let arrived = bits::count(&sending);
        voqs.close(arrived, 0);
        self.arrived += arrived as u64;
    }

    /// Sends the first cell of each matched VOQ.
    #[inline(never)]
    pub(super) fn transfer_crowded(&mut self, departures: &mut [Cell]) {
        if Self::FEW {
            self.transfer_few_crowded(departures);
            return;
        }
        let ports = self.ports;
        let mut voqs = self.crowd.open();
        let (rows, columns, lengths) = (&mut self.rows[..], &mut self.columns[..], &mut self.lengths[..]);
        let (notes, scheduler) = (&mut self.notes[..], &mut self.scheduler);
        let departures = &mut departures[..ports];
        let outputs = &self.matching.outputs()[..ports];
        let sending = bits::named::<W>(outputs);
        let mut departed = bits::count(&sending);
        for input in bits::ports(&sending) {
            let output = outputs[input] as usize;
            let voq = input * ports + output;
            if !S::BUSY && voqs.is_empty(voq) {
                departed -= 1;
                continue;
            }
            let (born, empty) = voqs.remove(voq);
            departures[output] = Cell { born, input: input as Port };
            if S::NEEDS.ages && !empty {
                self.births[voq] = voqs.first_born(voq);
            }
            leaves!(scheduler, notes, rows, columns, lengths, input, output, voq, empty);
        }
        voqs.close(0, departed);
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

    const SEED: Seed = Seed { seed: 5, replication: 0 };
    /// What leaves, and the lengths from time to time, with waves of arrivals and silence between; and how many times the cells moved. Slots are so many apart, as if nothing had happened in between: so
    /// cells become old.
    fn trail<S: Scheduler<W> + Send, const W: usize>(
        ports: usize,
        scheduler: S,
        limit: usize,
        pace: Slot,
    ) -> (Vec<Cell>, Vec<Vec<u32>>, usize) {
        let mut crossbar = Crossbar::<S, W>::new(ports, scheduler);
        (crossbar.limit, crossbar.many) = (limit, limit);
        let mut source = Bernoulli::new(&LoadMatrix::uniform(ports), 1.0, Uniform, SEED);
        let (mut cells, mut lengths, mut moves) = (Vec::new(), Vec::new(), 0);
        let mut arrivals = vec![NONE; ports];
        for now in 0..4000 {
            source.slot(now, &mut arrivals);
            for (input, arrival) in arrivals.iter_mut().enumerate() {
                // Some VOQs become several lines long.
                let output = if input % 10 == 0 { input as Port } else { *arrival };
                *arrival = if now % 2000 < 40 { output } else { NONE };
            }
            let mut departures = vec![Cell::IDLE; ports];
            let before = crossbar.many;
            crossbar.slot(now * pace, &arrivals, &mut departures);
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
        ($ports:expr, $W:ident, $scheduler:expr, $limit:expr, $moves:expr) => {{
            // No divisor in common with the ports, so that tdm serves all.
            for pace in [1, 1_009] {
                let (cells, lengths, moves) = trail::<_, $W>($ports, $scheduler, $limit, pace);
                assert!(moves >= $moves, "{}: moved {moves} times", stringify!($scheduler));
                let (usual, usual_lengths, never) = trail::<_, $W>($ports, $scheduler, usize::MAX, pace);
                assert_eq!(never, 0);
                assert!(cells == usual && lengths == usual_lengths, "{}", stringify!($scheduler));
            }
        }};
    }

    fn a_crowd_of<const W: usize>(ports: usize) {
        let rng = || SEED.stream(Purpose::Scheduler, 0);
        let make = || serena::Make { rules: Rules::default(), variant: None, coin: None, rng: rng(), key: 1 };
        // Twice as many cells as ports, and a few more.
        let limit = 2 * ports + 10;
        alike!(ports, W, Tdm, 5 * ports + 50, 3);
        alike!(ports, W, Islip::<W>::new(ports, 2), limit, 3);
        alike!(ports, W, Pim::<W>::new(ports, 1, rng()), limit, 3);
        alike!(ports, W, Ilqf::<W>::new(ports, 1), limit, 3);
        alike!(ports, W, Uform::<W>::new(ports, 1, 0), limit, 3);
        alike!(ports, W, GsOcf::<W>::new(ports), limit, 3);
        // Sends hardly anything where nothing arrives.
        alike!(ports, W, serena::Serena::new(ports, make()), limit, 1);
    }

    #[test]
    fn a_crowd_changes_nothing() {
        a_crowd_of::<2>(70);
        a_crowd_of::<1>(64);
        a_crowd_of::<1>(37);
    }

    #[test]
    fn a_crowd_is_more_than_caches_hold_and_lines_are_worth() {
        assert_eq!([2, 64, 65, 256].map(limit), [61_376, 61_376, 67_600, 1 << 20]);
    }
}
