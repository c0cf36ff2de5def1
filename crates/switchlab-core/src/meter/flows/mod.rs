//! Counts for each flow, that is, each input and output.
//!
//! There are N^2 flows, and a slot touches N of them at random. So their counts are small, to keep
//! as many as possible in the cache: 16 bits for each count, and for the arrival slot of the
//! youngest cell that has left. Before 16 bits could overflow, after about 2^15 slots, all counts
//! are added to totals of 32 bits and start again from a later base (`rebase`).
//!
//! Three forms count the same, each for the sizes where it is the fastest:
//!
//! - plain, from 65 to 256 ports, and everywhere for cells that are older than 16 bits can say;
//! - narrow, up to 64 ports: idle ports are counted too, at a dummy flow (`narrow`);
//! - deferred, beyond 256 ports: each port keeps a list and counts hundreds of slots at a time
//!   (`deferred`).

mod deferred;
mod narrow;

use super::delays;
use crate::cell::{Block, Cell, NONE, Port, Slot};
use crate::port_set::word;
use crate::scale::{CACHED, WORD};
use crate::variants;
use alloc::vec;
use alloc::vec::Vec;
use deferred::{BATCH_SLOTS, Deferred, PADDING};

/// Slots before the present one at which the base is put when it moves.
const KEPT: Slot = 1 << 15;

/// The most slots that are counted at a time.
const MOST_SLOTS: usize = 1 << 14;

/// The departures of a slot, summed up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Departed {
    /// All cells.
    pub cells: u32,
    /// Those that arrived in the window.
    pub counted: u32,
    /// The sum of the delays of `counted`.
    pub delay_sum: u64,
}

/// The departures of a flow since the base was last moved.
#[derive(Clone, Copy, Debug, Default)]
struct Sent {
    /// The arrival slot of the youngest cell that has left, plus one, from the base on; 0 if it
    /// arrived before the base.
    youngest: u16,
    /// Cells that arrived in the window and left in it.
    departed: u16,
}

/// The departures of a flow until the base was last moved.
#[derive(Clone, Copy, Debug, Default)]
struct Total {
    departed: u32,
    /// The arrival slot of the youngest cell that has left, plus one; valid while
    /// [`Sent::youngest`] is 0.
    youngest: Slot,
}

/// The flows of a switch, and what they add up to.
#[derive(Clone, Debug)]
pub struct Flows {
    ports: usize,
    /// From one row of flows to the next.
    pitch: usize,
    /// Cells that arrived in the window, since the base moved; of input `i` and output `j` at
    /// `i * pitch + j`.
    arrived: Vec<u16>,
    /// Departures, at `j * pitch + i`: the flows of an output are a row, as those of an input are.
    sent: Vec<Sent>,
    /// Counts until the base moved, laid out as `arrived` and as `sent`; empty before it first
    /// does.
    arrived_total: Vec<u32>,
    sent_total: Vec<Total>,
    /// Scratch of the narrow form.
    columns: narrow::Columns,
    /// The lists of the deferred form.
    deferred: Deferred,
    /// The first slot of the window.
    opened: Slot,
    /// Arrival slots are counted from here.
    base: Slot,
    out_of_order: u64,
}

/// Whether arrivals and departures are counted without branches.
fn is_narrow(ports: usize) -> bool {
    variants::NARROW_METER && ports <= WORD
}

/// Whether counts are deferred.
fn is_deferred(ports: usize) -> bool {
    variants::DEFERRED_METER && ports > CACHED
}

/// From one row of flows to the next.
fn pitch(ports: usize) -> usize {
    if is_narrow(ports) {
        narrow::PITCH
    } else if ports <= CACHED {
        ports
    } else {
        ports + PADDING
    }
}

/// The number of ports that keep lists.
fn ports_with_lists(ports: usize) -> usize {
    if is_deferred(ports) { ports } else { 0 }
}

impl Flows {
    /// The bytes of all counts, totals included.
    pub(super) fn fixed_bytes(ports: usize) -> u64 {
        let flow = size_of::<u16>() + size_of::<Sent>() + size_of::<u32>() + size_of::<Total>();
        (ports * pitch(ports) * flow) as u64 + Deferred::bytes(ports_with_lists(ports))
    }

    /// Without any cell.
    pub(crate) fn new(ports: usize) -> Self {
        let pitch = pitch(ports);
        let (flows, lists) = (ports * pitch, ports_with_lists(ports));
        Self {
            ports,
            pitch,
            arrived: vec![0; flows],
            sent: vec![Sent::default(); flows],
            arrived_total: Vec::new(),
            sent_total: Vec::new(),
            columns: narrow::Columns::EMPTY,
            deferred: Deferred::new(lists),
            opened: 0,
            base: 0,
            out_of_order: 0,
        }
    }

    /// Opens the window at a slot: discards the counts, but keeps the youngest departed cell of
    /// each flow. Deferred counts are to be flushed first.
    pub(super) fn open(&mut self, now: Slot) {
        self.opened = now;
        self.out_of_order = 0;
        self.arrived.fill(0);
        for flow in &mut self.sent {
            flow.departed = 0;
        }
        self.arrived_total.fill(0);
        for flow in &mut self.sent_total {
            flow.departed = 0;
        }
    }

    /// Counts a block of slots, the delays of cells that arrived in the window, and the departures
    /// of each slot.
    pub(super) fn observe(
        &mut self,
        arrivals: &Block<Port>,
        departures: &Block<Cell>,
        delays: &mut delays::Open<'_>,
        departed: &mut [Departed],
    ) {
        let large = is_deferred(self.ports);
        let most_slots = if large { BATCH_SLOTS } else { MOST_SLOTS };
        let (ports, piece) = (self.ports, self.ports * most_slots);
        if ports == 0 {
            return;
        }
        let mut start = arrivals.start;
        let pieces = arrivals.data.chunks(piece).zip(departures.data.chunks(piece));
        for ((arrivals, departures), departed) in pieces.zip(departed.chunks_mut(most_slots)) {
            let end = start + departed.len() as Slot;
            // Arrival slots plus one are to be below 2^16 from the base on.
            if end - self.base > Slot::from(u16::MAX) {
                self.flush(delays);
                self.rebase(start.saturating_sub(KEPT));
            }
            if is_narrow(ports) {
                self.count_arrivals_narrow(arrivals);
                let groups = departures.chunks(ports * narrow::SLOTS).zip(departed.chunks_mut(narrow::SLOTS));
                for (now, (cells, departed)) in (start..).step_by(narrow::SLOTS).zip(groups) {
                    self.count_departures_narrow(now, cells, delays, departed);
                }
            } else if large && add_up(self.opened, start, departures, departed) >= self.base {
                self.defer(start, arrivals, departures, departed.len(), delays);
            } else {
                // Lists that are not empty come first: counts are in the order of slots.
                self.flush(delays);
                departed.fill(Departed::default());
                self.count_arrivals(arrivals);
                self.count_departures(start, departures, delays, departed);
            }
            start = end;
        }
    }

    /// Counts the arrivals of some slots. Which inputs have one cannot be predicted: a walk over
    /// the set of those that have has no branch for it.
    fn count_arrivals(&mut self, arrivals: &[Port]) {
        let (ports, pitch) = (self.ports, self.pitch);
        for arrivals in arrivals.chunks_exact(ports) {
            let mut rows = &mut self.arrived[..];
            for arrivals in arrivals.chunks(64) {
                let mut sending = set_of(arrivals, |&output| output != NONE);
                while sending != 0 {
                    let input = sending.trailing_zeros() as usize;
                    sending &= sending - 1;
                    rows[input * pitch + arrivals[input] as usize] += 1;
                }
                rows = &mut rows[arrivals.len() * pitch..];
            }
        }
    }

    /// Counts the departures of some slots.
    fn count_departures(
        &mut self,
        start: Slot,
        departures: &[Cell],
        delays: &mut delays::Open<'_>,
        departed: &mut [Departed],
    ) {
        let slots = (start..).zip(departures.chunks_exact(self.ports)).zip(departed);
        slots.for_each(|((now, cells), departed)| self.count_slot(cells, now, delays, departed));
    }

    /// Counts the departures of a slot. Out of line, since its caller needs the registers.
    #[inline(never)]
    fn count_slot(&mut self, cells: &[Cell], now: Slot, delays: &mut delays::Open<'_>, departed: &mut Departed) {
        let (pitch, base) = (self.pitch, self.base);
        let earliest = base.max(self.opened);
        let (mut delay_sum, mut begin) = (0, 0);
        for cells in cells.chunks(64) {
            let mut sending = set_of(cells, |cell| !cell.is_idle());
            departed.cells += sending.count_ones();
            departed.counted += sending.count_ones();
            while sending != 0 {
                let output = sending.trailing_zeros() as usize;
                sending &= sending - 1;
                let cell = cells[output];
                let index = begin + output * pitch + cell.input as usize;
                if cell.born < earliest {
                    self.count_early(index, cell, now, delays, departed);
                    continue;
                }
                let (flow, delay) = (&mut self.sent[index], now - cell.born);
                delay_sum += u64::from(delay);
                delays.count(delay);
                flow.departed += 1;
                flow.count_order((cell.born - base) as u16 + 1, &mut self.out_of_order);
            }
            begin += cells.len() * pitch;
        }
        departed.delay_sum += delay_sum;
    }

    /// Counts the departure of a cell that arrived before the window or before the base.
    #[inline(never)]
    fn count_early(
        &mut self,
        index: usize,
        cell: Cell,
        now: Slot,
        delays: &mut delays::Open<'_>,
        departed: &mut Departed,
    ) {
        let flow = &mut self.sent[index];
        if cell.born >= self.opened {
            let delay = now - cell.born;
            departed.delay_sum += u64::from(delay);
            delays.count(delay);
            flow.departed += 1;
        } else {
            departed.counted -= 1;
        }
        if cell.born >= self.base {
            flow.count_order((cell.born - self.base) as u16 + 1, &mut self.out_of_order);
        } else {
            let total = self.sent_total.get_mut(index);
            let late = flow.youngest > 0 || total.is_some_and(|total| total.is_out_of_order(cell.born));
            self.out_of_order += u64::from(late);
        }
    }

    /// Moves the base to a later slot, and adds the counts to the totals. Deferred counts are to be
    /// flushed first.
    #[cold]
    fn rebase(&mut self, base: Slot) {
        self.arrived_total.resize(self.arrived.len(), 0);
        self.sent_total.resize(self.sent.len(), Total::default());
        for (total, arrived) in self.arrived_total.iter_mut().zip(&self.arrived) {
            *total += u32::from(*arrived);
        }
        for (total, sent) in self.sent_total.iter_mut().zip(&mut self.sent) {
            total.departed += u32::from(core::mem::take(&mut sent.departed));
            if sent.youngest > 0 {
                total.youngest = total.youngest.max(self.base + Slot::from(sent.youngest));
            }
            sent.youngest = total.youngest.saturating_sub(base) as u16;
        }
        self.arrived.fill(0);
        self.base = base;
    }

    /// Cells that arrived in the window.
    pub fn arrived(&self) -> u64 {
        self.counts().map(|(arrived, _)| u64::from(arrived)).sum()
    }

    /// Those of them that left in it.
    pub fn departed(&self) -> u64 {
        self.counts().map(|(_, departed)| u64::from(departed)).sum()
    }

    /// Cells that left in the window after a younger cell of their flow.
    pub fn out_of_order(&self) -> u64 {
        self.out_of_order
    }

    /// By input: cells that arrived in the window, and those of them that left in it.
    pub fn by_input(&self) -> Vec<(u64, u64)> {
        self.lines(|flow| flow / self.ports)
    }

    /// By output: cells that arrived in the window, and those of them that left in it.
    pub fn by_output(&self) -> Vec<(u64, u64)> {
        self.lines(|flow| flow % self.ports)
    }

    /// For each flow with arrivals in the window, ascending by input and output: the number that
    /// arrived, and of them the number that left.
    pub fn served(&self) -> impl Iterator<Item = (u32, u32)> {
        self.counts().filter(|&(arrived, _)| arrived > 0)
    }

    fn counts(&self) -> impl Iterator<Item = (u32, u32)> {
        let (ports, pitch) = (self.ports, self.pitch);
        (0..ports * ports).map(move |flow| {
            let (input, output) = (flow / ports, flow % ports);
            let (arrival, departure) = (input * pitch + output, output * pitch + input);
            let arrived = self.arrived_total.get(arrival).copied().unwrap_or_default();
            let sent = self.sent_total.get(departure).copied().unwrap_or_default();
            (arrived + u32::from(self.arrived[arrival]), sent.departed + u32::from(self.sent[departure].departed))
        })
    }

    fn lines(&self, line: impl Fn(usize) -> usize) -> Vec<(u64, u64)> {
        let mut totals = vec![(0, 0); self.ports];
        for (flow, (arrived, departed)) in self.counts().enumerate() {
            let total = &mut totals[line(flow)];
            *total = (total.0 + u64::from(arrived), total.1 + u64::from(departed));
        }
        totals
    }
}

impl Sent {
    /// A cell leaves that arrived in the slot before `next`, from the base on; counts it if it is
    /// out of order. A flow has at most one cell of each arrival slot, so a cell is out of order
    /// exactly if a younger one has left.
    #[inline(always)]
    fn count_order(&mut self, next: u16, out_of_order: &mut u64) {
        if next <= self.youngest {
            return count(out_of_order);
        }
        self.youngest = next;
    }
}

/// Out of line: inlined, the comparison would be computed for every cell instead of predicted.
#[cold]
#[inline(never)]
fn count(out_of_order: &mut u64) {
    *out_of_order += 1;
}

impl Total {
    /// Whether a cell is out of order that arrived before the base, if none that arrived after it
    /// has left.
    fn is_out_of_order(&mut self, born: Slot) -> bool {
        let late = born < self.youngest;
        self.youngest = self.youngest.max(born + 1);
        late
    }
}

/// The set of entries, 64 at most, for which a predicate holds.
#[inline(always)]
fn set_of<T>(entries: &[T], holds: impl Fn(&T) -> bool) -> u64 {
    match entries.first_chunk() {
        Some(entries) => word::from_fn(|index| holds(&(entries as &[T; 64])[index])),
        None => entries.iter().rev().fold(0, |set, entry| set << 1 | u64::from(holds(entry))),
    }
}

/// Adds up the departures of some slots. Returns the earliest arrival slot among them.
fn add_up(opened: Slot, start: Slot, cells: &[Cell], departed: &mut [Departed]) -> Slot {
    let (mut oldest, ports) = (Slot::MAX, cells.len() / departed.len().max(1));
    for ((now, cells), departed) in (start..).zip(cells.chunks_exact(ports.max(1))).zip(departed) {
        let (mut sent, mut counted, mut delay_sum) = (0, 0, 0);
        for cell in cells {
            let sends = u32::from(!cell.is_idle());
            let counts = sends & u32::from(cell.born >= opened);
            sent += sends;
            counted += counts;
            delay_sum += u64::from((now - cell.born) & counts.wrapping_neg());
            oldest = oldest.min(cell.born | sends.wrapping_sub(1));
        }
        departed.cells += sent;
        departed.counted += counted;
        departed.delay_sum += delay_sum;
    }
    oldest
}

#[cfg(test)]
mod tests;
