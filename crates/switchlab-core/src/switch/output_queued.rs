//! The ideal output-queued switch: every cell is enqueued at its output in the slot in which it
//! arrives, first come, first served.
//!
//! The queue of an output takes up to N cells in one slot, so the memory behind it must be N + 1
//! times as fast as a line: it cannot be built for large N, and is what everything else is measured
//! against. No switch with one cell per output and slot has a smaller mean delay. Under uniform
//! Bernoulli traffic the mean delay is (N-1)/N * rho / (2 (1 - rho)).
//!
//! Cells of the same slot for the same output are enqueued in the order of their inputs.
//!
//! With `capacity=K` a queue holds K cells. Arrivals come before departures, and a cell may leave
//! in its arrival slot: with q cells in a queue at the start of a slot, the r-th arrival for it,
//! in the order of inputs, is dropped exactly if q + r > K. Without it, queues are unlimited and
//! nothing is dropped.
//!
//! Up to 64 ports queues are columns of a calendar as long as none has more than 960 cells;
//! otherwise they are linked lists.
//!
//! Reference: M. Karol, M. Hluchyj, S. Morgan, "Input versus output queueing on a space-division
//! packet switch", IEEE Transactions on Communications 35(12), 1987, section III.

use super::calendar::{self, Calendar};
use super::queues::{Queues, keep_beside};
use super::{Census, Inspection, QueueLengths, Switch};
use crate::cell::{Cell, Dropped, NONE, Port, Slot};
use crate::port_set::word;
use crate::variants;
use alloc::vec;
use alloc::vec::Vec;

/// Rows of the calendar, one for each departure slot. It fills half of a second-level cache, and up
/// to a load of .99 queues are almost never longer. A quarter of the rows is 2 % faster at .9, but
/// then .99 is left to lists.
const ROWS: usize = 1024;
/// The longest queue at which the calendar is kept: all cells of one more slot still find a row.
const CALENDAR_LIMIT: u16 = (ROWS - calendar::PORTS) as u16;
/// Queues in lists return to the calendar when none is longer than this.
const RETURN_BELOW: u32 = 256;
/// The slots between two checks of whether they may return.
const RETURN_CHECK_PERIOD: Slot = 1024;

/// The queues of all outputs. If `BOUNDED`, they hold a limited number of cells; what that needs is
/// not maintained otherwise.
#[derive(Clone, Debug)]
pub struct OutputQueued<const BOUNDED: bool = false> {
    /// The queues, up to 64 ports and as long as none is too long.
    calendar: Option<Calendar<ROWS>>,
    /// The length of the longest queue of the calendar.
    longest: u16,
    /// The queues otherwise, as linked lists.
    queues: Queues,
    /// By index in the arena of `queues`: the input of the cell.
    inputs: Vec<Port>,
    /// By output, if bounded: how many more cells its queue can hold.
    room: Vec<u32>,
    /// The cells dropped in this slot.
    dropped_now: Vec<Dropped>,
    ports: usize,
    arrived: u64,
    departed: u64,
    dropped: u64,
}

/// Whether the queues may be columns of a calendar.
fn may_use_calendar<const BOUNDED: bool>(ports: usize) -> bool {
    variants::OQ_CALENDAR && !BOUNDED && ports <= calendar::PORTS
}

impl OutputQueued {
    /// An empty switch with unlimited queues.
    pub fn new(ports: usize) -> Self {
        Self::empty(ports, Vec::new())
    }
}

impl OutputQueued<true> {
    /// An empty switch whose queues hold `capacity` cells each.
    pub fn bounded(ports: usize, capacity: u32) -> Self {
        Self::empty(ports, vec![capacity; ports])
    }
}

impl<const BOUNDED: bool> OutputQueued<BOUNDED> {
    fn empty(ports: usize, room: Vec<u32>) -> Self {
        Self {
            calendar: may_use_calendar::<BOUNDED>(ports).then(Calendar::new),
            longest: 0,
            queues: Queues::new(ports),
            inputs: vec![NONE; ports],
            dropped_now: Vec::with_capacity(room.len()),
            room,
            ports,
            arrived: 0,
            departed: 0,
            dropped: 0,
        }
    }

    /// Whether the queues are in the calendar in this slot. Moves them before the slot if need be.
    #[inline(always)]
    fn has_calendar(&mut self, now: Slot) -> bool {
        if !may_use_calendar::<BOUNDED>(self.ports) {
            return false;
        }
        if self.calendar.is_some() {
            if self.longest > CALENDAR_LIMIT {
                self.move_to_lists(now);
            }
        } else if now.is_multiple_of(RETURN_CHECK_PERIOD) {
            self.move_to_calendar(now);
        }
        self.calendar.is_some()
    }

    #[cold]
    #[inline(never)]
    fn move_to_lists(&mut self, now: Slot) {
        let calendar = self.calendar.take().expect("the queues are in the calendar");
        for output in 0..self.ports {
            for Cell { born, input } in calendar.queue(now, output as Port) {
                let mut queues = self.queues.open(1);
                keep_beside(&mut self.inputs, queues.extent(), NONE);
                self.inputs[queues.push(output, born)] = input;
            }
        }
    }

    /// Moves the queues back to the calendar if all of them are short enough.
    #[cold]
    #[inline(never)]
    fn move_to_calendar(&mut self, now: Slot) {
        // The total is known; only if it is low enough are the queues walked for their lengths.
        let possible = self.queues.length() <= u64::from(RETURN_BELOW) * self.ports as u64;
        if !possible || self.queues.lengths().iter().any(|&length| length > RETURN_BELOW) {
            return;
        }
        let mut queues = self.queues.open(0);
        let calendar = self.calendar.insert(Calendar::new());
        for output in 0..self.ports {
            while !queues.is_empty(output) {
                let (place, born, _) = queues.pop(output);
                calendar.append(now, output as Port, Cell { born, input: self.inputs[place] });
            }
        }
        self.longest = RETURN_BELOW as u16;
    }

    /// A slot where queues are in the calendar.
    #[inline(always)]
    fn slot_of_calendar(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
        let calendar = self.calendar.as_mut().expect("the queues are in the calendar");
        let mut room = [NONE; 64];
        let arrivals = word::padded(arrivals, &mut room);
        calendar.arrive(now, arrivals, self.ports);
        let sent = calendar.depart(now, departures);
        self.arrived += u64::from(word::from_fn(|input| arrivals[input] != NONE).count_ones());
        self.departed += u64::from(sent.cells);
        self.longest = sent.longest;
    }
}

impl<const BOUNDED: bool> Switch for OutputQueued<BOUNDED> {
    fn ports(&self) -> usize {
        self.ports
    }

    #[inline]
    fn slot(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
        if self.has_calendar(now) {
            self.slot_of_calendar(now, arrivals, departures);
            return;
        }
        let mut queues = self.queues.open(self.ports);
        keep_beside(&mut self.inputs, queues.extent(), NONE);
        let inputs = &mut self.inputs[..];
        if BOUNDED {
            self.dropped_now.clear();
        }
        for (input, &output) in arrivals.iter().enumerate() {
            if output == NONE {
                continue;
            }
            self.arrived += 1;
            if BOUNDED {
                let room = &mut self.room[output as usize];
                if *room == 0 {
                    self.dropped_now.push(Dropped { slot: now, born: now, input: input as Port, output });
                    continue;
                }
                *room -= 1;
            }
            let place = queues.push(output as usize, now);
            inputs[place] = input as Port;
        }
        for (output, departure) in departures.iter_mut().enumerate() {
            if !queues.is_empty(output) {
                let (place, born, _) = queues.pop(output);
                *departure = Cell { born, input: inputs[place] };
                self.departed += 1;
                if BOUNDED {
                    self.room[output] += 1;
                }
            }
        }
        if BOUNDED {
            self.dropped += self.dropped_now.len() as u64;
        }
    }

    #[inline]
    fn dropped(&self) -> &[Dropped] {
        if BOUNDED { &self.dropped_now } else { &[] }
    }

    fn census(&self) -> Census {
        let queued = self.queues.length() + self.calendar.as_ref().map_or(0, Calendar::cells);
        Census { arrived: self.arrived, departed: self.departed, dropped: self.dropped, queued }
    }

    fn bytes_per_cell(&self) -> usize {
        Queues::BYTES_PER_CELL + 3 * size_of::<Port>()
    }

    fn fixed_bytes(&self) -> u64 {
        let calendar = if may_use_calendar::<BOUNDED>(self.ports) { Calendar::<ROWS>::BYTES } else { 0 };
        let by_output = size_of::<(u32, Dropped)>() * self.room.len();
        (size_of::<Self>() + calendar + by_output) as u64 + Queues::fixed_bytes(self.ports, size_of::<Port>())
    }

    fn inspect(&self) -> Option<Inspection> {
        let lengths = match &self.calendar {
            Some(calendar) => calendar.lengths(self.ports),
            None => self.queues.lengths(),
        };
        Some(Inspection { queues: QueueLengths::Outputs(lengths), matching: None, state: Vec::new() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Seed};
    use alloc::collections::VecDeque;

    /// Alternates bursts to one output in 32 with light load: queues become long and short again.
    fn beside_deques(ports: usize, moves: usize) {
        let mut switch = OutputQueued::new(ports);
        let mut deques = vec![VecDeque::new(); ports];
        let mut rng = Seed { seed: 8, replication: 0 }.stream(Purpose::Fabric, 0);
        let (mut moved, mut arrived, mut departed) = (0, 0, 0);
        for now in 0..20_000 {
            let mut arrivals = vec![NONE; ports];
            for (input, arrival) in (0..).zip(&mut arrivals) {
                let rush = now / 50 % 80 == 7;
                let output = rng.below(ports) / if rush { 32 } else { 1 };
                if rng.below(10) < if rush { 9 } else { 4 } {
                    *arrival = output as Port;
                    deques[output].push_back(Cell { born: now, input });
                    arrived += 1;
                }
            }
            let mut departures = vec![Cell::IDLE; ports];
            let before = switch.calendar.is_some();
            switch.slot(now, &arrivals, &mut departures);
            moved += usize::from(before != switch.calendar.is_some());
            let expected: Vec<Cell> = deques.iter_mut().map(|deque| deque.pop_front().unwrap_or(Cell::IDLE)).collect();
            assert_eq!(departures, expected, "{ports} ports, slot {now}");
            departed += expected.iter().filter(|cell| !cell.is_idle()).count() as u64;
            let lengths: Vec<u32> = deques.iter().map(|deque| deque.len() as u32).collect();
            let queued = lengths.iter().map(|&length| u64::from(length)).sum();
            assert_eq!(switch.census(), Census { arrived, departed, dropped: 0, queued });
            let inside = Inspection { queues: QueueLengths::Outputs(lengths), matching: None, state: Vec::new() };
            assert_eq!(switch.inspect(), Some(inside));
        }
        assert!(moved >= moves, "moved {moved} times");
    }

    #[test]
    fn queues_that_become_long_and_short_change_nothing() {
        beside_deques(1, 0);
        beside_deques(40, 4);
        beside_deques(64, 4);
        beside_deques(65, 0);
    }
}
