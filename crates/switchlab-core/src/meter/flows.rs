//! Counts for each flow, that is, each input and output.
//!
//! There are N^2 of them, and a slot touches some here and some there; so they are small, that as many as possible are near: 16 bits for
//! each count, and for the youngest cell that has left. Before 16 bits could overflow, after about 2^15 slots, all flows turn: what
//! they have counted goes to whole numbers, which nobody looks at in between.
//!
//! A switch with many ports is counted port by port, a block of slots at a time: the flows of a port are near each other, those of a slot are not.

use super::delays;
use crate::cell::{Block, Cell, Port, Slot};
use alloc::vec;
use alloc::vec::Vec;

/// From more ports than this on, flows are counted port by port.
const LARGE: usize = 256;

/// So many inputs are counted side by side in a large switch, and so many outputs: those whose arrivals, and whose departures, share a cache line.
const INPUTS: usize = 32;
const OUTPUTS: usize = 8;

/// After a turn, births are counted from so many slots ago.
const KEPT: Slot = 1 << 15;

/// The most slots that are observed at a time.
const LONGEST: usize = 1 << 14;

/// What has left in a slot.
#[derive(Clone, Copy, Debug, Default)]
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

/// What a flow had counted at the last turn.
#[derive(Clone, Copy, Debug, Default)]
struct Whole {
    arrived: u32,
    departed: u32,
    /// One beyond the youngest cell that has left; as long as [`Left::youngest`] does not say it.
    youngest: Slot,
}

/// The flows of a switch, and what they add up to.
#[derive(Clone, Debug)]
pub struct Flows {
    ports: usize,
    /// Cells that arrived in the window, since the last turn; that of input `i` and output `j` at `i * ports + j`.
    arrived: Vec<u16>,
    /// What has left, at `j * ports + i`: each at its own port's place, so that a port is a row.
    left: Vec<Left>,
    /// Until the last turn, laid out as `left`; nothing before the first.
    whole: Vec<Whole>,
    /// Births are counted from here.
    base: Slot,
    out_of_order: u64,
}

impl Flows {
    /// Without any cell.
    pub(crate) fn new(ports: usize) -> Self {
        let flows = ports * ports;
        Self {
            ports,
            arrived: vec![0; flows],
            left: vec![Left::default(); flows],
            whole: Vec::new(),
            base: 0,
            out_of_order: 0,
        }
    }

    pub(crate) fn forget_counts(&mut self) {
        self.out_of_order = 0;
        self.arrived.fill(0);
        for flow in &mut self.left {
            flow.departed = 0;
        }
        for flow in &mut self.whole {
            (flow.arrived, flow.departed) = (0, 0);
        }
    }

    /// Counts a block of slots of a window that opened at a slot, the delays of cells born since, and what has left in each slot.
    pub(super) fn observe(
        &mut self,
        opened: Slot,
        arrivals: &Block<Port>,
        departures: &Block<Cell>,
        delays: &mut delays::Open<'_>,
        departed: &mut [Departed],
    ) {
        let (ports, piece) = (self.ports, self.ports * LONGEST);
        if ports == 0 {
            return;
        }
        let (inputs, outputs) = if ports > LARGE { (INPUTS, OUTPUTS) } else { (ports, ports) };
        let mut start = arrivals.start;
        let pieces = arrivals.data.chunks(piece).zip(departures.data.chunks(piece));
        for ((arrivals, departures), departed) in pieces.zip(departed.chunks_mut(LONGEST)) {
            let end = start + departed.len() as Slot;
            // Births, and one beyond, are to be below 2^16 from the base on.
            if end - self.base > Slot::from(u16::MAX) {
                self.turn(start.saturating_sub(KEPT));
            }
            for first in (0..ports).step_by(inputs) {
                self.arrive(first, inputs.min(ports - first), arrivals);
            }
            for first in (0..ports).step_by(outputs) {
                let outputs = first..ports.min(first + outputs);
                fetch(ports, &self.left[outputs.start * ports..outputs.end * ports]);
                let rows = (start..).zip(departures.chunks_exact(ports)).zip(&mut *departed);
                for ((now, cells), departed) in rows {
                    let cells = &cells[outputs.clone()];
                    let plain = self.leave(outputs.start, cells, (now, opened), delays, departed);
                    if plain < cells.len() {
                        self.leave_with_care(outputs.start + plain, &cells[plain..], (now, opened), delays, departed);
                    }
                }
            }
            start = end;
        }
    }

    /// Counts the arrivals at some inputs.
    #[inline(always)]
    fn arrive(&mut self, first: usize, inputs: usize, arrivals: &[Port]) {
        let ports = self.ports;
        let rows = &mut self.arrived[first * ports..(first + inputs) * ports];
        fetch(ports, rows);
        for arrivals in arrivals.chunks_exact(ports) {
            for (row, &output) in rows.chunks_exact_mut(ports).zip(&arrivals[first..first + inputs]) {
                // Idle inputs name no output: one look tells both.
                if let Some(flow) = row.get_mut(output as usize) {
                    *flow += 1;
                }
            }
        }
    }

    /// Counts the departures of a slot at some outputs, up to the first cell that was born before the window or before the base; says how many outputs that is.
    /// Not a part of its caller, which has too many other things in registers.
    #[inline(never)]
    fn leave(
        &mut self,
        first: usize,
        cells: &[Cell],
        (now, opened): (Slot, Slot),
        delays: &mut delays::Open<'_>,
        departed: &mut Departed,
    ) -> usize {
        let (ports, base) = (self.ports, self.base);
        let (plain, mut done) = (base.max(opened), 0);
        let (mut leaving, mut delay_sum) = (0, 0);
        for (row, cell) in self.left[first * ports..].chunks_exact_mut(ports).zip(cells) {
            // Idle outputs name no input: one look tells both.
            if let Some(flow) = row.get_mut(cell.input as usize) {
                if cell.born < plain {
                    break;
                }
                let delay = now - cell.born;
                leaving += 1;
                delay_sum += u64::from(delay);
                delays.count(delay);
                flow.departed += 1;
                if flow.leave((cell.born - base) as u16) {
                    self.out_of_order += 1;
                }
            }
            done += 1;
        }
        departed.cells += leaving;
        departed.counted += leaving;
        departed.delay_sum += delay_sum;
        done
    }

    /// The same for cells of any age.
    #[cold]
    fn leave_with_care(
        &mut self,
        first: usize,
        cells: &[Cell],
        (now, opened): (Slot, Slot),
        delays: &mut delays::Open<'_>,
        departed: &mut Departed,
    ) {
        for (output, cell) in (first..).zip(cells).filter(|(_, cell)| !cell.is_idle()) {
            let place = output * self.ports + cell.input as usize;
            let flow = &mut self.left[place];
            departed.cells += 1;
            if cell.born >= opened {
                let delay = now - cell.born;
                departed.counted += 1;
                departed.delay_sum += u64::from(delay);
                delays.count(delay);
                flow.departed += 1;
            }
            let late = if cell.born >= self.base {
                flow.leave((cell.born - self.base) as u16)
            } else {
                flow.youngest > 0 || self.whole.get_mut(place).is_some_and(|whole| whole.leave(cell.born))
            };
            self.out_of_order += u64::from(late);
        }
    }

    /// Births are from now on counted from a later slot, and what was counted becomes part of the whole.
    #[cold]
    fn turn(&mut self, base: Slot) {
        let (ports, passed) = (self.ports, base - self.base);
        if self.whole.is_empty() {
            self.whole = vec![Whole::default(); ports * ports];
        }
        for (place, (whole, left)) in self.whole.iter_mut().zip(&mut self.left).enumerate() {
            let (output, input) = (place / ports, place % ports);
            whole.arrived += u32::from(core::mem::take(&mut self.arrived[input * ports + output]));
            whole.departed += u32::from(core::mem::take(&mut left.departed));
            if left.youngest > 0 {
                whole.youngest = self.base + Slot::from(left.youngest);
            }
            left.youngest = u32::from(left.youngest).saturating_sub(passed) as u16;
        }
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

    /// By output: likewise.
    pub fn by_output(&self) -> Vec<(u64, u64)> {
        self.lines(|flow| flow % self.ports)
    }

    /// For each flow with arrivals in the window, ascending by input and output: how many arrived, and how many of them left.
    pub fn served(&self) -> impl Iterator<Item = (u32, u32)> {
        self.counts().filter(|&(arrived, _)| arrived > 0)
    }

    fn counts(&self) -> impl Iterator<Item = (u32, u32)> {
        let ports = self.ports;
        (0..ports * ports).map(move |flow| {
            let place = flow % ports * ports + flow / ports;
            let whole = self.whole.get(place).copied().unwrap_or_default();
            (whole.arrived + u32::from(self.arrived[flow]), whole.departed + u32::from(self.left[place].departed))
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

/// Looks at rows of flows from one end to the other, if they are many: memory that is asked for in order comes much faster than here and there.
#[inline(always)]
fn fetch<T: Copy>(ports: usize, rows: &[T]) {
    if ports > LARGE {
        for flow in rows.iter().step_by(64 / size_of::<T>()) {
            core::hint::black_box(*flow);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::NONE;
    use crate::meter::delays::Delays;
    use alloc::collections::{BTreeMap, BTreeSet};
    use proptest::prelude::*;

    #[test]
    fn lines_add_up() {
        let mut flows = Flows::new(2);
        for flow in [0, 1, 1, 3] {
            flows.arrived[flow] += 1;
        }
        // From input 0 to output 1.
        flows.left[2].departed += 1;
        assert_eq!(flows.by_input(), [(3, 1), (1, 0)]);
        assert_eq!(flows.by_output(), [(1, 0), (3, 1)]);
        assert_eq!((flows.arrived(), flows.departed()), (4, 1));
        assert_eq!(flows.served().collect::<Vec<_>>(), [(1, 0), (2, 1), (1, 0)]);
        flows.turn(9);
        assert_eq!(flows.served().collect::<Vec<_>>(), [(1, 0), (2, 1), (1, 0)]);
        flows.forget_counts();
        assert_eq!(flows.served().count(), 0);
    }

    #[test]
    fn a_switch_without_ports_has_no_flows() {
        let mut flows = Flows::new(0);
        flows.observe(0, &Block::new(0, 4, NONE), &Block::new(0, 4, Cell::IDLE), &mut Delays::new().open(), &mut []);
        assert_eq!((flows.arrived(), flows.departed(), flows.out_of_order()), (0, 0, 0));
    }

    /// What is to be counted, from its definition: sets of all that has left, and a look through them.
    #[derive(Default)]
    struct Naive {
        arrived: BTreeMap<(usize, usize), u32>,
        departed: BTreeMap<(usize, usize), u32>,
        left: BTreeMap<(usize, usize), BTreeSet<Slot>>,
        out_of_order: u64,
    }

    impl Naive {
        fn slot(&mut self, opened: Slot, arrivals: &[Port], departures: &[Cell]) {
            for (input, &output) in arrivals.iter().enumerate() {
                if output != NONE {
                    *self.arrived.entry((input, output as usize)).or_default() += 1;
                }
            }
            for (output, cell) in departures.iter().enumerate() {
                if cell.is_idle() {
                    continue;
                }
                let flow = (cell.input as usize, output);
                *self.departed.entry(flow).or_default() += u32::from(cell.born >= opened);
                let left = self.left.entry(flow).or_default();
                self.out_of_order += u64::from(left.range(cell.born + 1..).next().is_some());
                left.insert(cell.born);
            }
        }

        fn open(&mut self) {
            *self = Self { left: core::mem::take(&mut self.left), ..Self::default() };
        }
    }

    proptest! {
        /// Cells of any age leave in blocks that are far apart, so that flows turn between them; large switches and small ones.
        #[test]
        fn against_sets_of_what_has_left(
            ports in prop_oneof![1usize..9, 257usize..=270],
            blocks in prop::collection::vec((0u32..70_000, 1usize..4, any::<u64>()), 1..20),
            opens in 0usize..20,
        ) {
            let (mut flows, mut naive, mut delays) = (Flows::new(ports), Naive::default(), Delays::new());
            let (mut now, mut opened) = (0, 0);
            for (place, (pause, slots, mut bits)) in blocks.into_iter().enumerate() {
                now += pause;
                if place == opens {
                    opened = now;
                    naive.open();
                    flows.forget_counts();
                }
                let mut draw = |bound: u32| {
                    bits = crate::rng::mix(bits);
                    (bits % u64::from(bound)) as u32
                };
                let mut arrivals = Block { start: now, ..Block::new(ports, slots, NONE) };
                let mut departures = Block { start: now, ..Block::new(ports, slots, Cell::IDLE) };
                for row in 0..slots {
                    for port in 0..ports {
                        let place = row * ports + port;
                        if draw(2) == 0 {
                            arrivals.data[place] = draw(ports as u32) as Port;
                        }
                        // Few inputs and ages, so that flows meet again.
                        if draw(3) > 0 {
                            let age = [draw(3), draw(40_000), draw(200_000)][draw(3) as usize];
                            let born = (now + row as Slot).saturating_sub(age);
                            let input = draw(ports.min(3) as u32) as Port;
                            // A flow has at most one cell of each age.
                            if !naive.left.get(&(input as usize, port)).is_some_and(|left| left.contains(&born)) {
                                departures.data[place] = Cell { born, input };
                            }
                        }
                    }
                    let range = row * ports..(row + 1) * ports;
                    naive.slot(opened, &arrivals.data[range.clone()], &departures.data[range]);
                }
                flows.observe(opened, &arrivals, &departures, &mut delays.open(), &mut vec![Departed::default(); slots]);
                now += slots as Slot;
            }
            prop_assert_eq!(flows.out_of_order(), naive.out_of_order);
            for (flow, counts) in flows.counts().enumerate() {
                let flow = (flow / ports, flow % ports);
                let expected = [&naive.arrived, &naive.departed].map(|count| count.get(&flow).copied().unwrap_or(0));
                prop_assert_eq!([counts.0, counts.1], expected, "{:?}", flow);
            }
        }
    }
}
