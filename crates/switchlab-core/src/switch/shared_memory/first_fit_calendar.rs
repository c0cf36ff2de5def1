//! First fit by a calendar, for the usual configuration: up to 64 ports, at least 2N-1 memories,
//! the lowest one that fits.
//!
//! With 2N-1 memories every cell finds one, so that no slot has to be undone. One of the first 2N-1
//! memories always fits, so that no other is ever used. The memory of a cell matters only to later
//! cells, and not to its own departure. So memories are sets of bits, by departure slot, and cells
//! are kept by departure slot and output, where the departures of a slot are a row ([`Calendar`]).
//! The occupancy of a memory changes by at most one write and one read in a slot, and is updated
//! for all memories at the end of the slot, vectorised.
//!
//! Tests compare it with [`super::SharedMemory`], which does the same step by step.

use super::{Access, Config, Matcher, Placement};
use crate::cell::{Cell, Dropped, NONE, Port, Slot};
use crate::counter::Counter;
use crate::observe::{Event, Observer};
use crate::port_set::word;
use crate::switch::calendar::{Calendar, PORTS};
use crate::switch::{Census, Inspection, QueueLengths, Switch};
use crate::variants;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

/// Memories that may be used, one more than `2 * PORTS - 1`, in words of 64.
const MEMORIES: usize = 2 * PORTS;
type Memories = [u64; 2];

/// The switch, for a capacity of up to `ROWS`; see the module.
#[derive(Clone, Debug)]
pub(super) struct FirstFitCalendar<const ROWS: usize> {
    ports: usize,
    memories: usize,
    capacity: u16,
    calendar: Calendar<ROWS>,
    /// By departure slot mod `ROWS`: the memories that hold a cell due then.
    busy: Box<[Memories; ROWS]>,
    /// By memory: how many cells it holds.
    occupancy: [u16; MEMORIES],
    dropped_now: Vec<Dropped>,
    slots: u64,
    arrived: u64,
    departed: u64,
    dropped: u64,
    in_use_sum: u64,
    fullest_sum: u64,
}

/// The switch of a configuration, or None if it is not the usual one.
pub(super) fn build(config: &Config) -> Option<Box<dyn Switch>> {
    let &Config { ports, memories, capacity, matcher, ref placement, access } = config;
    let usual = matcher == Matcher::FirstFit && matches!(placement, Placement::Lowest) && access == Access::ReadWrite;
    if !variants::FIRST_FIT_CALENDAR || !usual || !(1..=PORTS).contains(&ports) || memories < 2 * ports - 1 {
        return None;
    }
    match capacity {
        1..=64 => Some(Box::new(FirstFitCalendar::<64>::new(config))),
        65..=1024 => Some(Box::new(FirstFitCalendar::<1024>::new(config))),
        _ => None,
    }
}

impl<const ROWS: usize> FirstFitCalendar<ROWS> {
    fn new(&Config { ports, memories, capacity, .. }: &Config) -> Self {
        let busy = vec![[0; 2]; ROWS].into_boxed_slice();
        Self {
            ports,
            memories,
            capacity: capacity as u16,
            calendar: Calendar::new(),
            busy: busy.try_into().unwrap_or_else(|_| unreachable!()),
            occupancy: [0; MEMORIES],
            dropped_now: Vec::with_capacity(ports),
            slots: 0,
            arrived: 0,
            departed: 0,
            dropped: 0,
            in_use_sum: 0,
            fullest_sum: 0,
        }
    }

    /// Assigns memories to the arrivals of a slot, in the order of inputs. Returns the memories
    /// that are written. `wrote` is told of each cell: its input, its output, how many slots it
    /// waits, and its memory.
    #[inline(always)]
    fn arrive(&mut self, now: Slot, arrivals: &[Port], mut wrote: impl FnMut(Port, Port, u16, Memories)) -> Memories {
        let mut room = [NONE; 64];
        let arrivals = word::padded(arrivals, &mut room);
        let sending = word::from_fn(|input| arrivals[input] != NONE);
        let mut written: Memories = [0; 2];
        for input in word::ports(sending) {
            let output = arrivals[input % PORTS];
            let input = input as Port;
            let waits = self.calendar.length(output);
            if waits == self.capacity {
                self.dropped_now.push(Dropped { slot: now, born: now, input, output });
                continue;
            }
            let row = self.calendar.append(now, output, Cell { born: now, input });
            let busy = &mut self.busy[row];
            let memory = lowest([!(busy[0] | written[0]), !(busy[1] | written[1])]);
            wrote(input, output, waits, memory);
            for (word, memory) in memory.into_iter().enumerate() {
                busy[word] |= memory;
                written[word] |= memory;
            }
        }
        self.arrived += u64::from(sending.count_ones());
        written
    }

    /// A slot. `wrote` as in [`Self::arrive`].
    #[inline(always)]
    fn run_slot(
        &mut self,
        now: Slot,
        arrivals: &[Port],
        departures: &mut [Cell],
        wrote: impl FnMut(Port, Port, u16, Memories),
    ) {
        self.dropped_now.clear();
        let written = self.arrive(now, arrivals, wrote);
        let read = core::mem::take(&mut self.busy[now as usize % ROWS]);
        self.departed += u64::from(self.calendar.depart(now, departures).cells);
        self.count(written, read);
        self.slots += 1;
        self.dropped += self.dropped_now.len() as u64;
    }

    /// Updates the occupancy of all memories after a slot, from the sets of memories written and
    /// read.
    #[inline(always)]
    fn count(&mut self, written: Memories, read: Memories) {
        let (written, read) = (written.map(u64::to_le_bytes), read.map(u64::to_le_bytes));
        let bytes = written.as_flattened().iter().zip(read.as_flattened());
        let (mut in_use, mut fullest) = (0, 0);
        // In a form that the compiler vectorises: a byte of a set is compared with eight bits.
        for (eight, (&written, &read)) in self.occupancy.as_chunks_mut::<8>().0.iter_mut().zip(bytes) {
            let (written, read) = (u16::from(written), u16::from(read));
            for (bit, cells) in eight.iter_mut().enumerate() {
                let has = |set: u16| u16::from(set & 1 << bit != 0);
                *cells = cells.wrapping_add(has(written)).wrapping_sub(has(read));
                in_use += u16::from(*cells != 0);
                fullest = fullest.max(*cells);
            }
        }
        self.in_use_sum += u64::from(in_use);
        self.fullest_sum += u64::from(fullest);
    }
}

/// The lowest member of a non-empty set, as a set. Branch-free: which word it is in cannot be
/// predicted.
#[inline(always)]
fn lowest([low, high]: Memories) -> Memories {
    let first = low & low.wrapping_neg();
    let none = (!(low | low.wrapping_neg())).cast_signed() >> 63;
    [first, high & high.wrapping_neg() & none.cast_unsigned()]
}

impl<const ROWS: usize> Switch for FirstFitCalendar<ROWS> {
    fn ports(&self) -> usize {
        self.ports
    }

    #[inline]
    fn slot(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
        self.run_slot(now, arrivals, departures, |_, _, _, _| {});
    }

    #[cold]
    fn slot_observed(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell], observer: &mut dyn Observer) {
        self.run_slot(now, arrivals, departures, |input, output, waits, [low, high]| {
            let memory = if low != 0 { low.trailing_zeros() } else { 64 + high.trailing_zeros() };
            let departs = u64::from(now) + u64::from(waits);
            observer.observe(Event::Written { input, output, memory: memory as Port, departs });
        });
    }

    fn census(&self) -> Census {
        let queued = self.calendar.cells();
        Census { arrived: self.arrived, departed: self.departed, dropped: self.dropped, queued }
    }

    /// All memory for cells is in the calendar.
    fn bytes_per_cell(&self) -> usize {
        0
    }

    fn fixed_bytes(&self) -> u64 {
        let rows = Calendar::<ROWS>::BYTES + size_of_val(&*self.busy);
        (size_of::<Self>() + rows + self.ports * size_of::<Dropped>()) as u64
    }

    fn reserved_bytes(&self) -> u64 {
        Calendar::<ROWS>::BYTES as u64
    }

    #[inline]
    fn dropped(&self) -> &[Dropped] {
        &self.dropped_now
    }

    fn counters(&self, visit: &mut dyn FnMut(Counter)) {
        visit(Counter { name: "memories_in_use", sum: self.in_use_sum, per: self.slots });
        visit(Counter { name: "fullest_memory", sum: self.fullest_sum, per: self.slots });
        visit(Counter { name: "drop_rate", sum: self.dropped, per: self.arrived });
    }

    fn inspect(&self) -> Option<Inspection> {
        let mut cells = self.occupancy.to_vec();
        cells.resize(self.memories, 0);
        Some(Inspection {
            queues: QueueLengths::Outputs(self.calendar.lengths(self.ports)),
            matching: None,
            state: vec![("cells, by memory", cells)],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::SharedMemory;
    use super::*;
    use crate::rng::{Purpose, Seed};

    fn counters(switch: &dyn Switch) -> Vec<(&'static str, u64, u64)> {
        let mut all = Vec::new();
        switch.counters(&mut |counter| all.push((counter.name, counter.sum, counter.per)));
        all
    }

    /// Phases of arrivals, some of them to a third of the outputs, and idle phases.
    fn alike(ports: usize, memories: usize, capacity: usize) {
        let config = Config::new(ports, memories, capacity, Matcher::FirstFit);
        let mut fast = build(&config).unwrap();
        let mut plain = SharedMemory::<4>::new(config);
        let mut rng = Seed { seed: 6, replication: 0 }.stream(Purpose::Fabric, 0);
        for now in 0..6 * capacity.max(100) as Slot {
            let wave = now / 30 % 5;
            let arrival = |_| match wave {
                0 => rng.below(ports),
                1 => rng.below(ports) * rng.below(2) / 2,
                2 => rng.below(ports) / 3,
                3 => rng.below(ports + ports / 8),
                _ => ports,
            };
            let named = |output| if output < ports { output as Port } else { NONE };
            let arrivals: Vec<Port> = (0..ports).map(arrival).map(named).collect();
            let mut departures = [vec![Cell::IDLE; ports], vec![Cell::IDLE; ports]];
            fast.slot(now, &arrivals, &mut departures[0]);
            plain.slot(now, &arrivals, &mut departures[1]);
            let place = (ports, memories, capacity, now);
            assert_eq!(departures[0], departures[1], "{place:?}");
            assert_eq!(fast.dropped(), plain.dropped(), "{place:?}");
            assert_eq!(fast.census(), plain.census(), "{place:?}");
            assert_eq!(counters(&*fast), counters(&plain), "{place:?}");
            assert_eq!(fast.inspect(), plain.inspect(), "{place:?}");
        }
        assert!(plain.failure().is_none());
        assert!(capacity > 200 || ports == 1 || plain.census().dropped > 0);
    }

    #[test]
    fn the_calendar_is_as_the_general_switch() {
        for ports in [1, 2, 3, 17, 32, 33, 63, 64] {
            for capacity in [1, 2, 7, 63, 64, 65] {
                alike(ports, 2 * ports - 1, capacity);
            }
            alike(ports, 3 * ports - 2, 5);
            alike(ports, 4 * ports, 64);
        }
        alike(64, 127, 1024);
        alike(5, 9, 200);
    }

    #[test]
    fn other_configurations_are_left_to_the_general_switch() {
        let usual = Config::new(4, 7, 9, Matcher::FirstFit);
        assert!(build(&usual).is_some());
        assert!(build(&Config { memories: 6, ..usual.clone() }).is_none());
        assert!(build(&Config { matcher: Matcher::Greedy, ..usual.clone() }).is_none());
        assert!(build(&Config { placement: Placement::rotate(7), ..usual.clone() }).is_none());
        assert!(build(&Config { capacity: 1025, ..usual.clone() }).is_none());
        assert!(build(&Config { access: Access::Single, ..usual.clone() }).is_none());
        assert!(build(&Config { ports: 65, memories: 129, ..usual }).is_none());
    }
}
