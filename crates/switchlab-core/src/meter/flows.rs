//! Counts for each flow, that is, each input and output.

use crate::cell::{Block, Cell, NONE, Port, Slot};
use alloc::vec;
use alloc::vec::Vec;

/// What has left of a flow.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Left {
    /// One beyond the youngest cell that has left, ever.
    youngest: Slot,
    /// Cells that arrived in the window and left in it.
    departed: u32,
}

impl Left {
    /// A cell leaves; says whether it is out of order. A flow has at most one cell of each age, so a cell is late exactly if a younger one has left.
    #[inline(always)]
    pub(super) fn depart(&mut self, born: Slot, in_window: bool) -> bool {
        let late = born < self.youngest;
        self.departed += u32::from(in_window);
        self.youngest = self.youngest.max(born + 1);
        late
    }
}

/// The flows of a switch, and what they add up to.
#[derive(Clone, Debug)]
pub struct Flows {
    ports: usize,
    /// Cells that arrived in the window; that of input `i` and output `j` at `i * ports + j`.
    arrived: Vec<u32>,
    /// What has left, at `j * ports + i`: each at its own port's place, so that a port is a row.
    left: Vec<Left>,
    out_of_order: u64,
}

impl Flows {
    /// Without any cell.
    pub(crate) fn new(ports: usize) -> Self {
        let flows = ports * ports;
        Self { ports, arrived: vec![0; flows], left: vec![Left::default(); flows], out_of_order: 0 }
    }

    pub(crate) fn forget_counts(&mut self) {
        self.out_of_order = 0;
        self.arrived.fill(0);
        for flow in &mut self.left {
            flow.departed = 0;
        }
    }

    /// Arrivals by input and output, what has left by output and input, and the count of cells out of order.
    #[inline(always)]
    pub(super) fn open(&mut self) -> (&mut [u32], &mut [Left], &mut u64) {
        (&mut self.arrived, &mut self.left, &mut self.out_of_order)
    }

    /// Counts a block of slots of a window that opened at a slot: for each port all slots, and not for each slot all ports.
    pub(super) fn observe(&mut self, opened: Slot, arrivals: &Block<Port>, departures: &Block<Cell>) {
        let ports = self.ports;
        for (input, row) in self.arrived.chunks_exact_mut(ports).enumerate() {
            for arrivals in arrivals.data.chunks_exact(ports) {
                if arrivals[input] != NONE {
                    row[arrivals[input] as usize] += 1;
                }
            }
        }
        for (output, row) in self.left.chunks_exact_mut(ports).enumerate() {
            for departures in departures.data.chunks_exact(ports) {
                let cell = departures[output];
                if !cell.is_idle() {
                    let late = row[cell.input as usize].depart(cell.born, cell.born >= opened);
                    self.out_of_order += u64::from(late);
                }
            }
        }
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
            let (input, output) = (flow / ports, flow % ports);
            (self.arrived[flow], self.left[output * ports + input].departed)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_judged_for_each_flow() {
        let mut flows = [Left::default(); 2];
        let late = [(0, 5), (1, 3), (0, 7), (0, 6), (0, 8), (1, 0)]
            .map(|(flow, born): (usize, _)| flows[flow].depart(born, true));
        assert_eq!(late, [false, false, false, true, false, true]);
    }

    #[test]
    fn lines_add_up() {
        let mut flows = Flows::new(2);
        for flow in [0, 1, 1, 3] {
            flows.arrived[flow] += 1;
        }
        // From input 0 to output 1, in the window; from input 1 to output 1, not.
        flows.left[2].depart(0, true);
        flows.left[3].depart(0, false);
        assert_eq!(flows.by_input(), [(3, 1), (1, 0)]);
        assert_eq!(flows.by_output(), [(1, 0), (3, 1)]);
        assert_eq!((flows.arrived(), flows.departed()), (4, 1));
        assert_eq!(flows.served().collect::<Vec<_>>(), [(1, 0), (2, 1), (1, 0)]);
        flows.forget_counts();
        assert_eq!(flows.served().count(), 0);
    }
}
