//! What the ports of a large switch have seen and nobody has counted yet.
//!
//! The flows of a port fill kilobytes, those of all ports megabytes: to count a slot's cells one by one is a cache miss for each, and to
//! count a block of slots port by port still fetches every flow in every block. So each port keeps a list of what it has seen, slot by slot, and its flows
//! are fetched once for hundreds of slots. An idle port has seen nothing, and lists that: whether one is idle is as good as random, and with a place for every slot nobody asks, nor
//! has to say when a cell has left.

use super::few::count_late;
use super::{Flows, Left, delays, fetch_row};
use crate::cell::{Cell, NONE, Port, Slot};
use crate::fetch::fetch;
use alloc::vec;
use alloc::vec::Vec;

/// The most slots that are put into lists at a time. Lists lie in pieces of as many slots, and the same piece of all ports side by side.
pub(super) const PIECE: usize = 64;

/// So many pieces a list has at least, and one for so many ports: the flows of a port are the more, the more ports there are, and so are the slots for which they are fetched.
const PIECES: usize = 8;
const PORTS_PER_PIECE: usize = 2 * PIECE;

/// So many inputs are looked at side by side, and so many outputs: those whose arrivals, and whose departures, share a cache line.
const INPUTS: usize = 32;
const OUTPUTS: usize = 8;

/// Rows of flows are longer by so many than there are ports; the first of them is for idle ports.
pub(super) const BEYOND: usize = 32;

/// A list for each port; `P` ports are looked at side by side.
#[derive(Clone, Debug)]
struct Lists<T, const P: usize> {
    /// By piece, and then by port.
    pieces: Vec<[[T; PIECE]; P]>,
    /// Of so many ports each.
    groups: usize,
}

/// The lists of all ports, which have the same slots.
#[derive(Clone, Debug)]
pub(super) struct Later {
    coming: Lists<Port, INPUTS>,
    /// When a cell was born, from the base on, and in the upper half its input.
    going: Lists<u32, OUTPUTS>,
    /// The first slot, and how many there are.
    start: Slot,
    slots: usize,
    /// So many there is room for.
    pieces: usize,
}

impl<T: Copy + Default, const P: usize> Lists<T, P> {
    fn new(ports: usize, pieces: usize) -> Self {
        let groups = ports.div_ceil(P);
        Self { pieces: vec![[[T::default(); PIECE]; P]; pieces * groups], groups }
    }

    /// Puts rows of so many ports behind so many slots, all into one piece.
    #[inline(always)]
    fn add<U: Copy>(&mut self, ports: usize, slots: usize, rows: &[U], entry: impl Fn(U) -> T) {
        let piece = &mut self.pieces[slots / PIECE * self.groups..][..self.groups];
        for (lists, first) in piece.iter_mut().zip((0..ports).step_by(P)) {
            // Lists are not in a near cache, and what is written has to wait for its line: many are asked for at once.
            for list in &*lists {
                for line in list[slots % PIECE..].iter().step_by(64 / size_of::<T>()) {
                    fetch(line);
                }
            }
            for (row, place) in rows.chunks_exact(ports).zip(slots % PIECE..PIECE) {
                let row = &row[first..];
                match row.first_chunk::<P>() {
                    Some(row) => lists.iter_mut().zip(row).for_each(|(list, &value)| list[place] = entry(value)),
                    None => lists.iter_mut().zip(row).for_each(|(list, &value)| list[place] = entry(value)),
                }
            }
        }
    }

    /// The list of a port with so many slots, piece by piece. That of the next port is on its way meanwhile.
    #[inline(always)]
    fn of(&mut self, port: usize, slots: usize) -> impl Iterator<Item = &mut [T]> {
        let (group, own, groups) = (port / P, port % P, self.groups);
        let begins = (0..slots).step_by(PIECE);
        self.pieces.chunks_exact_mut(groups).zip(begins).map(move |(piece, begin)| {
            if let Some(next) = piece.get((port + 1) / P) {
                fetch_row(&next[(port + 1) % P]);
            }
            &mut piece[group][own][..PIECE.min(slots - begin)]
        })
    }
}

impl Later {
    pub(super) fn new(ports: usize) -> Self {
        let pieces = PIECES.max(ports / PORTS_PER_PIECE);
        Self { coming: Lists::new(ports, pieces), going: Lists::new(ports, pieces), start: 0, slots: 0, pieces }
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
        let Later { coming, going, slots: listed, pieces, .. } = &mut self.later;
        // What is left of a piece, and the rest goes to the next.
        let first = slots.min(PIECE - *listed % PIECE);
        let ((arrivals, later_arrivals), (departures, later_departures)) =
            (arrivals.split_at(first * ports), departures.split_at(first * ports));
        let entry = |cell: Cell| u32::from(cell.born.wrapping_sub(base) as u16) | u32::from(cell.input) << 16;
        coming.add(ports, *listed, arrivals, |output| output);
        going.add(ports, *listed, departures, entry);
        if slots > first {
            coming.add(ports, *listed + first, later_arrivals, |output| output);
            going.add(ports, *listed + first, later_departures, entry);
        }
        *listed += slots;
        if *listed > (*pieces - 1) * PIECE {
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
        let row = &mut self.arrived[input * pitch..][..pitch];
        fetch_row(row);
        for list in self.later.coming.of(input, slots) {
            // In a loop of its own, which becomes vectors.
            for output in &mut *list {
                *output = (*output).min(ports);
            }
            for &mut output in list {
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
        let row = &mut self.left[output * pitch..][..pitch];
        fetch_row(row);
        let (short, mut start) = (delays.short(), (self.later.start - self.base) as u16);
        for entries in self.later.going.of(output, slots) {
            let (mut beyond, mut delay, mut input, mut counts) = ([0; PIECE], [0; PIECE], [0; PIECE], [0; PIECE]);
            for (place, &mut entry) in entries.iter_mut().enumerate() {
                let (now, from) = (start.wrapping_add(place as u16), (entry >> 16) as Port);
                // An idle port sends a cell that was born just now, and does not count.
                let none = u16::from(from == NONE).wrapping_neg();
                let since = entry as u16 & !none | now & none;
                beyond[place] = since.wrapping_add(1);
                delay[place] = now.wrapping_sub(since);
                input[place] = from.min(ports);
                counts[place] = u16::from(since >= opened) & !none;
            }
            for place in 0..entries.len().min(PIECE) {
                short[usize::from(delay[place])] += u32::from(counts[place]);
                let Some(flow) = row.get_mut(usize::from(input[place])) else { continue };
                flow.departed += counts[place];
                flow.goes(beyond[place], &mut self.out_of_order);
            }
            start = start.wrapping_add(entries.len() as u16);
        }
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
