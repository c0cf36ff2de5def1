//! Deferred counting in a switch of more than 256 ports.
//!
//! The flows of a port fill kilobytes, those of all ports megabytes. Counting the cells of a slot
//! one by one is a cache miss for each, and counting a block of slots port by port still loads
//! every row of flows in every block. So each port keeps a list of its arrivals or departures, slot
//! by slot, and its row of flows is loaded once for hundreds of slots. The list has an entry for
//! every slot, idle or not: there is no branch on whether a port is idle, and an entry need not
//! name its slot.

use super::{Flows, delays};
use crate::cell::{Cell, NONE, Port, Slot};
use crate::prefetch::prefetch_l2;
use alloc::vec;
use alloc::vec::Vec;

/// Slots in a piece of a list. The same piece of all ports is contiguous: the slots of a short
/// block then fill whole cache lines, and the block stays in the cache.
const PIECE: usize = 8;

/// The most slots that are appended at a time, and the slots of a port that are counted together.
pub(super) const BATCH_SLOTS: usize = 64;

/// The least capacity of a list in slots, and the ports for each slot of capacity beyond it: the
/// more ports, the longer a row of flows, and the more slots it should be loaded for.
const LEAST_CAPACITY: usize = 512;
const PORTS_PER_SLOT: usize = 2;

/// Ports that are appended side by side: their arrivals share a cache line.
const PORTS: usize = 32;

/// Entries of a row of flows beyond the last port. The first is the dummy flow of idle ports.
pub(super) const PADDING: usize = 32;

/// A list for each port, by piece and then by port.
#[derive(Clone, Debug)]
struct Lists<T> {
    pieces: Vec<[T; PIECE]>,
    ports: usize,
}

/// The lists of all ports, which cover the same slots.
#[derive(Clone, Debug)]
pub(super) struct Deferred {
    arrivals: Lists<Port>,
    /// The arrival slot of a cell, from the base on, and in the upper half its input.
    departures: Lists<u32>,
    /// The first slot, and the number of slots.
    start: Slot,
    slots: usize,
    /// The number of slots that a list can hold.
    capacity: usize,
}

impl<T: Copy + Default> Lists<T> {
    fn new(ports: usize, capacity: usize) -> Self {
        Self { pieces: vec![[T::default(); PIECE]; capacity / PIECE * ports], ports }
    }

    /// Appends rows, one for each slot, behind `slots` slots, all to one piece.
    #[inline(always)]
    fn append<U: Copy>(&mut self, slots: usize, rows: &[U], entry: impl Fn(U) -> T) {
        let (ports, first) = (self.ports, slots % PIECE);
        let mut lists = &mut self.pieces[slots / PIECE * ports..][..ports];
        let mut begin = 0;
        while let Some((group, rest)) = core::mem::take(&mut lists).split_first_chunk_mut::<PORTS>() {
            for (row, index) in rows.chunks_exact(ports).zip(first..PIECE) {
                if let Some(row) = row[begin..].first_chunk::<PORTS>() {
                    group.iter_mut().zip(row).for_each(|(list, &value)| list[index] = entry(value));
                }
            }
            (lists, begin) = (rest, begin + PORTS);
        }
        let lists = &mut self.pieces[slots / PIECE * ports..][begin..ports];
        for (row, index) in rows.chunks_exact(ports).zip(first..PIECE) {
            lists.iter_mut().zip(&row[begin..]).for_each(|(list, &value)| list[index] = entry(value));
        }
    }

    /// A batch of slots of a port, from the beginning of a piece on. Prefetches those of a port
    /// that follows.
    #[inline(always)]
    fn batch(&self, port: usize, slot: usize) -> [T; BATCH_SLOTS] {
        let mut slots = [T::default(); BATCH_SLOTS];
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

/// The slots that a list can hold.
fn capacity(ports: usize) -> usize {
    LEAST_CAPACITY.max((ports / PORTS_PER_SLOT).next_multiple_of(BATCH_SLOTS))
}

impl Deferred {
    /// The bytes of all lists.
    pub(super) fn bytes(ports: usize) -> u64 {
        (ports * capacity(ports) * (size_of::<Port>() + size_of::<u32>())) as u64
    }

    pub(super) fn new(ports: usize) -> Self {
        let capacity = capacity(ports);
        let (arrivals, departures) = (Lists::new(ports, capacity), Lists::new(ports, capacity));
        Self { arrivals, departures, start: 0, slots: 0, capacity }
    }
}

impl Flows {
    /// Appends slots to the lists. No cell that leaves in them arrived before the base.
    pub(super) fn defer(
        &mut self,
        start: Slot,
        arrivals: &[Port],
        departures: &[Cell],
        slots: usize,
        delays: &mut delays::Open<'_>,
    ) {
        let (ports, base) = (self.ports, self.base);
        if start != self.deferred.start + self.deferred.slots as Slot {
            self.flush(delays);
            self.deferred.start = start;
        }
        let entry = |cell: Cell| u32::from(cell.born.wrapping_sub(base) as u16) | u32::from(cell.input) << 16;
        let Deferred { arrivals: arrival_lists, departures: departure_lists, slots: listed, capacity, .. } =
            &mut self.deferred;
        let (mut first, end) = (0, slots * ports);
        while first < end {
            // Up to the end of a piece.
            let until = end.min(first + (PIECE - *listed % PIECE) * ports);
            arrival_lists.append(*listed, &arrivals[first..until], |output| output);
            departure_lists.append(*listed, &departures[first..until], entry);
            *listed += (until - first) / ports;
            first = until;
        }
        if *listed > *capacity - BATCH_SLOTS {
            self.flush(delays);
        }
    }

    /// Counts the entries of all lists, and empties them. Called before counts are read.
    pub(in crate::meter) fn flush(&mut self, delays: &mut delays::Open<'_>) {
        if self.deferred.slots > 0 {
            for port in 0..self.ports {
                self.count_arrival_list(port);
                self.count_departure_list(port, delays);
            }
        }
        self.deferred.start += self.deferred.slots as Slot;
        self.deferred.slots = 0;
    }

    /// Counts the list of an input.
    fn count_arrival_list(&mut self, input: usize) {
        let (ports, pitch, slots) = (self.ports as Port, self.pitch, self.deferred.slots);
        let (row, next) = self.arrived[input * pitch..].split_at_mut(pitch);
        for slot in (0..slots).step_by(BATCH_SLOTS) {
            prefetch_share(&next[..pitch.min(next.len())], slot / BATCH_SLOTS, slots.div_ceil(BATCH_SLOTS));
            let mut list = self.deferred.arrivals.batch(input, slot);
            // A loop of its own, which is vectorised.
            for output in &mut list {
                *output = (*output).min(ports);
            }
            for &output in &list[..BATCH_SLOTS.min(slots - slot)] {
                if let Some(flow) = row.get_mut(output as usize) {
                    *flow += 1;
                }
            }
        }
    }

    /// Counts the list of an output.
    fn count_departure_list(&mut self, output: usize, delays: &mut delays::Open<'_>) {
        let (ports, pitch, slots) = (self.ports as Port, self.pitch, self.deferred.slots);
        let opened = self.opened.saturating_sub(self.base).min(Slot::from(u16::MAX)) as u16;
        let (row, next) = self.sent[output * pitch..].split_at_mut(pitch);
        let (short, mut start) = (delays.short(), (self.deferred.start - self.base) as u16);
        for slot in (0..slots).step_by(BATCH_SLOTS) {
            prefetch_share(&next[..pitch.min(next.len())], slot / BATCH_SLOTS, slots.div_ceil(BATCH_SLOTS));
            let entries = self.deferred.departures.batch(output, slot);
            let (mut next_slot, mut delay, mut input, mut counts) =
                ([0; BATCH_SLOTS], [0; BATCH_SLOTS], [0; BATCH_SLOTS], [0; BATCH_SLOTS]);
            for (index, &entry) in entries.iter().enumerate() {
                let (now, from) = (start.wrapping_add(index as u16), (entry >> 16) as Port);
                // An idle port sends a cell that arrived in this slot and is not counted.
                let none = u16::from(from == NONE).wrapping_neg();
                let since = entry as u16 & !none | now & none;
                next_slot[index] = since.wrapping_add(1);
                delay[index] = now.wrapping_sub(since);
                input[index] = from.min(ports);
                counts[index] = u16::from(since >= opened) & !none;
            }
            for index in 0..BATCH_SLOTS.min(slots - slot) {
                short[usize::from(delay[index])] += u32::from(counts[index]);
                let Some(flow) = row.get_mut(usize::from(input[index])) else { continue };
                flow.departed += counts[index];
                flow.count_order(next_slot[index], &mut self.out_of_order);
            }
            start = start.wrapping_add(BATCH_SLOTS as u16);
        }
    }
}

/// Prefetches one of `shares` parts of a row of flows, so that the row is loaded while another one
/// is counted.
#[inline(always)]
fn prefetch_share<T>(row: &[T], share: usize, shares: usize) {
    let (line, lines) = (64 / size_of::<T>(), size_of_val(row) / 64);
    for flow in row[lines * share / shares * line..lines * (share + 1) / shares * line].iter().step_by(line) {
        prefetch_l2(flow);
    }
}
