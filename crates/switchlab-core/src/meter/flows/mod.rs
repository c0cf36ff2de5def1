//! Counts for each flow, that is, each input and output.
//!
//! There are N^2 of them, and a slot touches some here and some there; so they are small, that as many as possible are near: 16 bits for
//! each count, and for the youngest cell that has left. Before 16 bits could overflow, after about 2^15 slots, all flows turn: what
//! they have counted goes to whole numbers, which nobody looks at in between.
//!
//! In a switch with many ports, each port keeps a list of what is to be counted, and counts hundreds of slots at a time (`later.rs`). In one with
//! few, an idle port counts too, where nobody looks (`few.rs`); cells that are too old for 16 bits are counted in whole numbers there (`wide.rs`).

mod few;
mod later;
mod wide;

use super::delays;
use crate::cell::{Block, Cell, NONE, Port, Slot};
use crate::port_set::word;
use alloc::vec;
use alloc::vec::Vec;
use later::{BEYOND, Later, SOME};

/// Up to so many ports are few: the flows of a port are a row of [`few::PITCH`] then, of as many as there are ports otherwise.
const FEW: usize = 64;

/// From more ports than this on, ports keep lists.
const LARGE: usize = 256;

/// After a turn, births are counted from so many slots ago.
const KEPT: Slot = 1 << 15;

/// The most slots that are observed at a time.
const LONGEST: usize = 1 << 14;

/// What has left in a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Departed {
    /// All cells.
    pub cells: u32,
    /// Those born in the window.
    pub counted: u32,
    /// Their delays.
    pub delay_sum: u64,
}

/// What has left of a flow since the last turn.
#[derive(Clone, Copy, Debug, Default)]
struct Left {
    /// One beyond the youngest cell that has left, ever, from the base on; 0 if it was born before the base.
    youngest: u16,
    /// Cells that arrived in the window and left in it.
    departed: u16,
}

/// What had left of a flow at the last turn.
#[derive(Clone, Copy, Debug, Default)]
struct Whole {
    departed: u32,
    /// One beyond the youngest cell that has left; as long as [`Left::youngest`] does not say it, or all flows are counted in whole numbers.
    youngest: Slot,
}

/// The flows of a switch, and what they add up to.
#[derive(Clone, Debug)]
pub struct Flows {
    ports: usize,
    /// From one row of flows to the next.
    pitch: usize,
    /// Cells that arrived in the window, since the last turn; that of input `i` and output `j` at `i * pitch + j`.
    arrived: Vec<u16>,
    /// What has left, at `j * pitch + i`: each at its own port's place, so that a port is a row.
    left: Vec<Left>,
    /// Until the last turn, laid out as `arrived`, and as `left`; nothing before the first.
    came: Vec<u32>,
    whole: Vec<Whole>,
    /// Whether few ports count what leaves in whole numbers, until the next turn.
    wide: bool,
    /// What few ports look at.
    seen: few::Seen,
    /// What ports are to count, in a large switch.
    later: Later,
    /// The first slot of the window.
    opened: Slot,
    /// Births are counted from here.
    base: Slot,
    out_of_order: u64,
}

/// From one row of flows to the next.
fn pitch(ports: usize) -> usize {
    if ports <= FEW { few::PITCH } else { ports + if ports > LARGE { BEYOND } else { 0 } }
}

/// How many ports keep lists.
fn ports_with_lists(ports: usize) -> usize {
    if ports > LARGE { ports } else { 0 }
}

impl Flows {
    /// The bytes of all counts, those after the first turn included.
    pub(super) fn fixed_bytes(ports: usize) -> u64 {
        let flow = size_of::<u16>() + size_of::<Left>() + size_of::<u32>() + size_of::<Whole>();
        (ports * pitch(ports) * flow) as u64 + Later::bytes(ports_with_lists(ports))
    }

    /// Without any cell.
    pub(crate) fn new(ports: usize) -> Self {
        let pitch = pitch(ports);
        let (flows, lists) = (ports * pitch, ports_with_lists(ports));
        Self {
            ports,
            pitch,
            arrived: vec![0; flows],
            left: vec![Left::default(); flows],
            came: Vec::new(),
            whole: Vec::new(),
            wide: false,
            seen: few::Seen::EMPTY,
            later: Later::new(lists),
            opened: 0,
            base: 0,
            out_of_order: 0,
        }
    }

    /// Opens the window at a slot: forgets what was counted, but not what has left. To be settled first.
    pub(super) fn open(&mut self, now: Slot) {
        self.opened = now;
        self.out_of_order = 0;
        self.arrived.fill(0);
        for flow in &mut self.left {
            flow.departed = 0;
        }
        self.came.fill(0);
        for flow in &mut self.whole {
            flow.departed = 0;
        }
    }

    /// Counts a block of slots, the delays of cells born in the window, and what has left in each slot.
    pub(super) fn observe(
        &mut self,
        arrivals: &Block<Port>,
        departures: &Block<Cell>,
        delays: &mut delays::Open<'_>,
        departed: &mut [Departed],
    ) {
        let large = self.ports > LARGE;
        let longest = if large { SOME } else { LONGEST };
        let (ports, piece) = (self.ports, self.ports * longest);
        if ports == 0 {
            return;
        }
        let mut start = arrivals.start;
        let pieces = arrivals.data.chunks(piece).zip(departures.data.chunks(piece));
        for ((arrivals, departures), departed) in pieces.zip(departed.chunks_mut(longest)) {
            let end = start + departed.len() as Slot;
            // Births, and one beyond, are to be below 2^16 from the base on.
            if end - self.base > Slot::from(u16::MAX) {
                self.settle(delays);
                self.turn(start.saturating_sub(KEPT));
            }
            if ports <= FEW {
                self.arrive_at_few(arrivals);
                let some = departures.chunks(ports * few::SLOTS).zip(departed.chunks_mut(few::SLOTS));
                for (now, (cells, departed)) in (start..).step_by(few::SLOTS).zip(some) {
                    self.leave_few(now, cells, delays, departed);
                }
            } else if large && add_up(self.opened, start, departures, departed) >= self.base {
                self.keep(start, arrivals, departures, departed.len(), delays);
            } else {
                // Not in the order of slots, if lists were not empty.
                self.settle(delays);
                departed.fill(Departed::default());
                self.arrive(arrivals);
                for ((now, cells), departed) in (start..).zip(departures.chunks_exact(ports)).zip(departed) {
                    self.leave(cells, now, delays, departed);
                }
            }
            start = end;
        }
    }

    /// Counts the arrivals at all inputs. Who sends is as good as random, and so is where a cell leaves: a walk over a set has no branch for it.
    #[inline(always)]
    fn arrive(&mut self, arrivals: &[Port]) {
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

    /// Counts the departures of a slot. Not a part of its caller, which has too many other things in registers.
    #[inline(never)]
    fn leave(&mut self, cells: &[Cell], now: Slot, delays: &mut delays::Open<'_>, departed: &mut Departed) {
        let (pitch, base) = (self.pitch, self.base);
        let plain = base.max(self.opened);
        let (mut delay_sum, mut begin) = (0, 0);
        for cells in cells.chunks(64) {
            let mut leaving = set_of(cells, |cell| !cell.is_idle());
            departed.cells += leaving.count_ones();
            departed.counted += leaving.count_ones();
            while leaving != 0 {
                let output = leaving.trailing_zeros() as usize;
                leaving &= leaving - 1;
                let cell = cells[output];
                let place = begin + output * pitch + cell.input as usize;
                if cell.born < plain {
                    self.leave_with_care(place, cell, now, delays, departed);
                    continue;
                }
                let (flow, delay) = (&mut self.left[place], now - cell.born);
                delay_sum += u64::from(delay);
                delays.count(delay, 1);
                flow.departed += 1;
                if flow.leave((cell.born - base) as u16) {
                    self.out_of_order += 1;
                }
            }
            begin += cells.len() * pitch;
        }
        departed.delay_sum += delay_sum;
    }

    /// Counts a departure that was born before the window or before the base.
    #[inline(never)]
    fn leave_with_care(
        &mut self,
        place: usize,
        cell: Cell,
        now: Slot,
        delays: &mut delays::Open<'_>,
        departed: &mut Departed,
    ) {
        let flow = &mut self.left[place];
        if cell.born >= self.opened {
            let delay = now - cell.born;
            departed.delay_sum += u64::from(delay);
            delays.count(delay, 1);
            flow.departed += 1;
        } else {
            departed.counted -= 1;
        }
        let late = if cell.born >= self.base {
            flow.leave((cell.born - self.base) as u16)
        } else {
            flow.youngest > 0 || self.whole.get_mut(place).is_some_and(|whole| whole.leave(cell.born))
        };
        self.out_of_order += u64::from(late);
    }

    /// Births are from now on counted from a later slot, and what was counted becomes part of the whole. To be settled first.
    #[cold]
    fn turn(&mut self, base: Slot) {
        self.came.resize(self.arrived.len(), 0);
        self.whole.resize(self.whole.len().max(self.left.len()), Whole::default());
        for (came, arrived) in self.came.iter_mut().zip(&self.arrived) {
            *came += u32::from(*arrived);
        }
        for (whole, left) in self.whole.iter_mut().zip(&mut self.left) {
            whole.departed += u32::from(core::mem::take(&mut left.departed));
            whole.catch_up(self.base, left.youngest);
            left.youngest = whole.youngest.saturating_sub(base) as u16;
        }
        self.arrived.fill(0);
        self.base = base;
        self.wide = false;
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

    /// By output: likewise.
    pub fn by_output(&self) -> Vec<(u64, u64)> {
        self.lines(|flow| flow % self.ports)
    }

    /// For each flow with arrivals in the window, ascending by input and output: how many arrived, and how many of them left.
    pub fn served(&self) -> impl Iterator<Item = (u32, u32)> {
        self.counts().filter(|&(arrived, _)| arrived > 0)
    }

    fn counts(&self) -> impl Iterator<Item = (u32, u32)> {
        let (ports, pitch) = (self.ports, self.pitch);
        (0..ports * ports).map(move |flow| {
            let (input, output) = (flow / ports, flow % ports);
            let (coming, going) = (input * pitch + output, output * pitch + input);
            let came = self.came.get(coming).copied().unwrap_or_default();
            let whole = self.whole.get(going).copied().unwrap_or_default();
            (came + u32::from(self.arrived[coming]), whole.departed + u32::from(self.left[going].departed))
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

impl Left {
    /// A cell leaves that was born so many slots after the base; says whether it is out of order. A flow has at most one cell of each age, so a cell is late
    /// exactly if a younger one has left.
    #[inline(always)]
    fn leave(&mut self, since: u16) -> bool {
        let late = since < self.youngest;
        if !late {
            self.youngest = since + 1;
        }
        late
    }
}

impl Whole {
    /// Likewise, for a cell born before the base, if none born after it has left.
    fn leave(&mut self, born: Slot) -> bool {
        let late = born < self.youngest;
        self.youngest = self.youngest.max(born + 1);
        late
    }
}

/// Which of at most 64 entries something holds for, as bits.
#[inline(always)]
fn set_of<T>(entries: &[T], holds: impl Fn(&T) -> bool) -> u64 {
    match entries.first_chunk() {
        Some(entries) => word::from_fn(|place| holds(&(entries as &[T; 64])[place])),
        None => entries.iter().rev().fold(0, |set, entry| set << 1 | u64::from(holds(entry))),
    }
}

/// Adds up the departures of some slots; says when the oldest of them was born.
fn add_up(opened: Slot, start: Slot, cells: &[Cell], departed: &mut [Departed]) -> Slot {
    let (mut oldest, ports) = (Slot::MAX, cells.len() / departed.len().max(1));
    for ((now, cells), departed) in (start..).zip(cells.chunks_exact(ports.max(1))).zip(departed) {
        let (mut leaving, mut counted, mut delay_sum) = (0, 0, 0);
        for cell in cells {
            let leaves = u32::from(!cell.is_idle());
            let counts = leaves & u32::from(cell.born >= opened);
            leaving += leaves;
            counted += counts;
            delay_sum += u64::from((now - cell.born) & counts.wrapping_neg());
            oldest = oldest.min(cell.born | leaves.wrapping_sub(1));
        }
        departed.cells += leaving;
        departed.counted += counted;
        departed.delay_sum += delay_sum;
    }
    oldest
}

#[cfg(test)]
mod tests;
