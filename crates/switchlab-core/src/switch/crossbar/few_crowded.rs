//! A crowd in a crossbar of up to 64 ports: as many queues, rows and columns as the compiler knows, and no branch on the ends of lines.

use super::chunks::{Removed, line_ends};
use super::few::{self, NUMBERS, PORTS, QUEUES, voq, wanted};
use super::{Crossbar, Note};
use crate::cell::{Cell, NONE, Port, Slot};
use crate::schedule::{Scheduler, bits};

/// For each input a place at which no line ends.
const INSIDE: [u32; PORTS] = [1; PORTS];

impl<S: Scheduler<W>, const W: usize> Crossbar<S, W> {
    /// Appends the arrivals of a slot.
    #[inline(always)]
    pub(super) fn arrive_few_crowded(&mut self, now: Slot, arrivals: &[Port]) {
        if Self::INDEXED && self.ports < PORTS {
            self.append_crowded::<false>(now, arrivals);
        } else {
            self.append_crowded::<true>(now, arrivals);
        }
    }

    #[inline(always)]
    fn append_crowded<const FULL: bool>(&mut self, now: Slot, arrivals: &[Port]) {
        let (ports, Some(mut voqs)) = (self.ports, self.crowd.open_for(PORTS, now).of::<NUMBERS>()) else { return };
        let (Some(rows), Some(columns), Some(lengths), Some(notes)) = wanted_of_few!(self) else { return };
        let (scheduler, mut room) = (&mut self.scheduler, [NONE; PORTS]);
        let arrivals = bits::padded(arrivals, &mut room);
        let (queues, sending) = (few::queues(arrivals), bits::word_where(|input| arrivals[input] != NONE));
        let mut next = INSIDE;
        for input in bits::ports(&[sending]) {
            let input = input % PORTS;
            let queue = queues[input];
            let (number, output) = (usize::from(queue), usize::from(queue) % PORTS);
            if S::NEEDS.ages && voqs.is_empty(number) {
                self.births[input * ports + output] = now;
            }
            next[input] = voqs.push(number, now);
            joins!(scheduler, notes, rows, columns, lengths, input, output, voq::<FULL>(queue, ports));
        }
        for input in bits::ports(&[bits::word_where(|input| line_ends(next[input]))]) {
            voqs.extend(usize::from(queues[input % PORTS]), now);
        }
        voqs.close(sending.count_ones() as usize, 0);
        self.arrived += u64::from(sending.count_ones());
    }

    /// Sends the first cell of each matched VOQ.
    #[inline(always)]
    pub(super) fn transfer_few_crowded(&mut self, departures: &mut [Cell]) {
        if let Some(departures) = departures.first_chunk_mut() {
            self.send_crowded::<true>(departures);
        } else {
            self.transfer_fewer_crowded(departures);
        }
    }

    /// The same where ports are even fewer.
    #[inline(never)]
    fn transfer_fewer_crowded(&mut self, departures: &mut [Cell]) {
        let mut sent = [Cell::IDLE; PORTS];
        self.send_crowded::<false>(&mut sent);
        departures.copy_from_slice(&sent[..departures.len()]);
    }

    #[inline(always)]
    fn send_crowded<const FULL: bool>(&mut self, departures: &mut [Cell; PORTS]) {
        let (ports, Some(mut voqs)) = (self.ports, self.crowd.open().of::<NUMBERS>()) else { return };
        let (Some(rows), Some(columns), Some(lengths), Some(notes)) = wanted_of_few!(self) else { return };
        let (scheduler, mut room) = (&mut self.scheduler, [NONE; PORTS]);
        let matched = bits::padded(self.matching.outputs(), &mut room);
        let (queues, mut sending) = (few::queues(matched), bits::word_where(|input| matched[input] != NONE));
        if !S::BUSY {
            sending &= voqs.waiting(&queues);
        }
        let mut places = INSIDE;
        for input in bits::ports(&[sending]) {
            let input = input % PORTS;
            let queue = queues[input];
            let (number, output) = (usize::from(queue), usize::from(queue) % PORTS);
            let Removed { born, empty, next } = voqs.pop(number);
            departures[output] = Cell { born, input: input as Port };
            if S::NEEDS.ages && !empty && !line_ends(next) {
                self.births[input * ports + output] = voqs.first_born(number);
            }
            places[input] = next;
            leaves!(scheduler, notes, rows, columns, lengths, input, output, voq::<FULL>(queue, ports), false);
            // Seldom in a crowd: here a branch costs less than doing without it.
            if empty {
                empties!(rows, columns, input, output, true);
            }
        }
        for input in bits::ports(&[bits::word_where(|input| line_ends(places[input]))]) {
            let input = input % PORTS;
            let number = usize::from(queues[input]);
            let output = number % PORTS;
            let empty = voqs.advance(number);
            if S::NEEDS.ages && !empty {
                self.births[input * ports + output] = voqs.first_born(number);
            }
            empties!(rows, columns, input, output, empty);
        }
        voqs.close(0, sending.count_ones() as usize);
        self.departed += u64::from(sending.count_ones());
    }
}
