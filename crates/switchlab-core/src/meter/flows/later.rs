//! What the ports of a large switch have seen and nobody has counted yet.
//!
//! The flows of a port fill kilobytes, those of all ports megabytes: to count a slot's cells one by one is a cache miss for each, and to
//! count a block of slots port by port still fetches every flow in every block. So each port keeps a list of what it has seen, slot by slot, and its flows
//! are fetched once for hundreds of slots. An idle port has seen nothing, and lists that: whether one is idle is as good as random, and with a place for every slot nobody asks, nor
//! has to say when a cell has left.

use super::few::count_late;
use super::{Flows, Left, delays};
use crate::cell::{Cell, NONE, Port, Slot};
use crate::prefetch::prefetch_l2;
use alloc::vec;
use alloc::vec::Vec;

/// Lists lie in pieces of so many slots, the same piece of all ports side by side: then a few slots of all ports fill whole lines of cache, and blocks of slots may be so short that they do not leave it.
const PIECE: usize = 8;

/// The most slots that are put into lists at a time, and the slots of a port that are counted together.
pub(super) const SOME: usize = 64;

/// So many slots fit a list at least, and one for so many ports: the flows of a port are the more, the more ports there are, and so are the slots for which they are fetched.
const ROOM: usize = 512;
const PORTS_PER_SLOT: usize = 2;

/// So many ports are looked at side by side: those whose arrivals share a line.
const PORTS: usize = 32;

/// Rows of flows are longer by so many than there are ports; the first of them is for idle ports.
pub(super) const BEYOND: usize = 32;

/// A list for each port, by piece and then by port.
#[derive(Clone, Debug)]
struct Lists<T> {
    pieces: Vec<[T; PIECE]>,
    ports: usize,
}

/// The lists of all ports, which have the same slots.
#[derive(Clone, Debug)]
pub(super) struct Later {
    coming: Lists<Port>,
    /// When a cell was born, from the base on, and in the upper half its input.
    going: Lists<u32>,
    /// The first slot, and how many there are.
    start: Slot,
    slots: usize,
    /// So many there is room for.
    room: usize,
}

impl<T: Copy + Default> Lists<T> {
    fn new(ports: usize, room: usize) -> Self {
        Self { pieces: vec![[T::default(); PIECE]; room / PIECE * ports], ports }
    }

    /// Puts rows, one for each slot, behind so many slots, all into one piece.
    #[inline(always)]
    fn add<U: Copy>(&mut self, slots: usize, rows: &[U], entry: impl Fn(U) -> T) {
        let (ports, first) = (self.ports, slots % PIECE);
        let mut lists = &mut self.pieces[slots / PIECE * ports..][..ports];
        let mut begin = 0;
        while let Some((some, rest)) = core::mem::take(&mut lists).split_first_chunk_mut::<PORTS>() {
            for (row, place) in rows.chunks_exact(ports).zip(first..PIECE) {
                if let Some(row) = row[begin..].first_chunk::<PORTS>() {
                    some.iter_mut().zip(row).for_each(|(list, &value)| list[place] = entry(value));
                }
            }
            (lists, begin) = (rest, begin + PORTS);
        }
        let lists = &mut self.pieces[slots / PIECE * ports..][begin..ports];
        for (row, place) in rows.chunks_exact(ports).zip(first..PIECE) {
            lists.iter_mut().zip(&row[begin..]).for_each(|(list, &value)| list[place] = entry(value));
        }
    }

    /// Some slots of a port, from one on that begins a piece. Those of a port that follows are on their way meanwhile.
    #[inline(always)]
    fn some(&self, port: usize, slot: usize) -> [T; SOME] {
        let mut slots = [T::default(); SOME];
        let next = port + 64 / size_of::<[T; PIECE]>();
        for (slots, ports) in
            slots.chunks_exact_mut(PIECE).zip(self.pieces[slot / PIECE * self.ports..].chunks_exact(self.ports))
        {
            slots.copy_from_slice(&ports[port]);
            if let Some(next) = ports.get(next) {
                prefetch_l2(next);
            }
        }
        slots
    }
}

/// How many slots fit the list of a port.
fn room(ports: usize) -> usize {
    ROOM.max((ports / PORTS_PER_SLOT).next_multiple_of(SOME))
}

impl Later {
    /// The bytes of all lists.
    pub(super) fn bytes(ports: usize) -> u64 {
        (ports * room(ports) * (size_of::<Port>() + size_of::<u32>())) as u64
    }

    pub(super) fn new(ports: usize) -> Self {
        let room = room(ports);
        Self { coming: Lists::new(ports, room), going: Lists::new(ports, room), start: 0, slots: 0, room }
    }
}

impl Flows {
    /// Puts slots into the lists, of which none of the cells that left was born before the base.
    pub(super) fn keep(
        &mut self,
        start: Slot,
        arrivals: &[Port],
        departures: &[Cell],
        slots: usize,
        delays: &mut delays::Open<'_>,
    ) {
        let (ports, base) = (self.ports, self.base);
        if start != self.later.start + self.later.slots as Slot {
            self.settle(delays);
            self.later.start = start;
        }
        let entry = |cell: Cell| u32::from(cell.born.wrapping_sub(base) as u16) | u32::from(cell.input) << 16;
        let Later { coming, going, slots: listed, room, .. } = &mut self.later;
        let (mut first, end) = (0, slots * ports);
        while first < end {
            // What is left of a piece.
            let until = end.min(first + (PIECE - *listed % PIECE) * ports);
            coming.add(*listed, &arrivals[first..until], |output| output);
            going.add(*listed, &departures[first..until], entry);
            *listed += (until - first) / ports;
            first = until;
        }
        if *listed > *room - SOME {
            self.settle(delays);
        }
    }

    /// Counts what is still in lists, flows and delays. Nothing is read before.
    pub(in crate::meter) fn settle(&mut self, delays: &mut delays::Open<'_>) {
        // Whoever reads twice has nothing to count the second time.
        if self.later.slots > 0 {
            for port in 0..self.ports {
                self.count_arrivals(port);
                self.count_departures(port, delays);
            }
        }
        self.later.start += self.later.slots as Slot;
        self.later.slots = 0;
    }

    /// Counts the list of an input.
    fn count_arrivals(&mut self, input: usize) {
        let (ports, pitch, slots) = (self.ports as Port, self.pitch, self.later.slots);
        let (row, next) = self.arrived[input * pitch..].split_at_mut(pitch);
        for slot in (0..slots).step_by(SOME) {
            fetch_share(&next[..pitch.min(next.len())], slot / SOME, slots.div_ceil(SOME));
            let mut list = self.later.coming.some(input, slot);
            // In a loop of its own, which becomes vectors.
            for output in &mut list {
                *output = (*output).min(ports);
            }
            for &output in &list[..SOME.min(slots - slot)] {
                if let Some(flow) = row.get_mut(output as usize) {
                    *flow += 1;
                }
            }
        }
    }

    /// Counts the list of an output.
    fn count_departures(&mut self, output: usize, delays: &mut delays::Open<'_>) {
        let (ports, pitch, slots) = (self.ports as Port, self.pitch, self.later.slots);
        let opened = self.opened.saturating_sub(self.base).min(Slot::from(u16::MAX)) as u16;
        let (row, next) = self.left[output * pitch..].split_at_mut(pitch);
        let (short, mut start) = (delays.short(), (self.later.start - self.base) as u16);
        for slot in (0..slots).step_by(SOME) {
            fetch_share(&next[..pitch.min(next.len())], slot / SOME, slots.div_ceil(SOME));
            let entries = self.later.going.some(output, slot);
            let (mut beyond, mut delay, mut input, mut counts) = ([0; SOME], [0; SOME], [0; SOME], [0; SOME]);
            for (place, &entry) in entries.iter().enumerate() {
                let (now, from) = (start.wrapping_add(place as u16), (entry >> 16) as Port);
                // An idle port sends a cell that was born just now, and does not count.
                let none = u16::from(from == NONE).wrapping_neg();
                let since = entry as u16 & !none | now & none;
                beyond[place] = since.wrapping_add(1);
                delay[place] = now.wrapping_sub(since);
                input[place] = from.min(ports);
                counts[place] = u16::from(since >= opened) & !none;
            }
            for place in 0..SOME.min(slots - slot) {
                short[usize::from(delay[place])] += u32::from(counts[place]);
                let Some(flow) = row.get_mut(usize::from(input[place])) else { continue };
                flow.departed += counts[place];
                flow.goes(beyond[place], &mut self.out_of_order);
            }
            start = start.wrapping_add(SOME as u16);
        }
    }
}

/// Brings a row of flows near in so many shares, of which this is one: while others are counted, and not before they are, when nothing else could be done.
#[inline(always)]
fn fetch_share<T>(row: &[T], share: usize, shares: usize) {
    let (line, lines) = (64 / size_of::<T>(), size_of_val(row) / 64);
    for flow in row[lines * share / shares * line..lines * (share + 1) / shares * line].iter().step_by(line) {
        prefetch_l2(flow);
    }
}

impl Left {
    /// A cell leaves, whose birth is one below this; counts it if it is late.
    #[inline(always)]
    pub(super) fn goes(&mut self, beyond: u16, late: &mut u64) {
        if beyond <= self.youngest {
            return count_late(late);
        }
        self.youngest = beyond;
    }
}
