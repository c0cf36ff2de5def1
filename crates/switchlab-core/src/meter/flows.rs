//! Counts for each flow, that is, each input and output.

use crate::cell::Slot;
use alloc::vec;
use alloc::vec::Vec;

/// One flow.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Flow {
    /// Cells that arrived in the window.
    arrived: u32,
    /// Those of them that left in it.
    departed: u32,
    /// One beyond the youngest cell that has left, ever.
    youngest: Slot,
}

impl Flow {
    /// A cell comes.
    #[inline(always)]
    pub(super) fn arrive(&mut self) {
        self.arrived += 1;
    }

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
    counts: Vec<Flow>,
    out_of_order: u64,
}

impl Flows {
    /// Without any cell.
    pub(crate) fn new(ports: usize) -> Self {
        Self { ports, counts: vec![Flow::default(); ports * ports], out_of_order: 0 }
    }

    pub(crate) fn forget_counts(&mut self) {
        self.out_of_order = 0;
        for flow in &mut self.counts {
            *flow = Flow { youngest: flow.youngest, ..Flow::default() };
        }
    }

    /// The flows, that of input `i` and output `j` at `i * ports + j`, and the count of cells out of order.
    #[inline(always)]
    pub(super) fn open(&mut self) -> (&mut [Flow], &mut u64) {
        (&mut self.counts, &mut self.out_of_order)
    }

    /// Cells that arrived in the window.
    pub fn arrived(&self) -> u64 {
        self.counts.iter().map(|flow| u64::from(flow.arrived)).sum()
    }

    /// Those of them that left in it.
    pub fn departed(&self) -> u64 {
        self.counts.iter().map(|flow| u64::from(flow.departed)).sum()
    }

    /// Cells that left in the window after a younger cell of their flow.
    pub fn out_of_order(&self) -> u64 {
        self.out_of_order
    }

    /// By input: cells that arrived in the window, and those of them that left in it.
    pub fn by_input(&self) -> Vec<(u64, u64)> {
        self.counts.chunks_exact(self.ports.max(1)).map(|row| total(row.iter())).collect()
    }

    /// By output: likewise.
    pub fn by_output(&self) -> Vec<(u64, u64)> {
        (0..self.ports).map(|output| total(self.counts.iter().skip(output).step_by(self.ports))).collect()
    }

    /// For each flow with arrivals in the window, ascending by input and output: how many arrived, and how many of them left.
    pub fn served(&self) -> impl Iterator<Item = (u32, u32)> {
        self.counts.iter().filter(|flow| flow.arrived > 0).map(|flow| (flow.arrived, flow.departed))
    }
}

fn total<'a>(flows: impl Iterator<Item = &'a Flow>) -> (u64, u64) {
    flows.fold((0, 0), |(arrived, departed), flow| {
        (arrived + u64::from(flow.arrived), departed + u64::from(flow.departed))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_judged_for_each_flow() {
        let mut flows = [Flow::default(); 2];
        let late = [(0, 5), (1, 3), (0, 7), (0, 6), (0, 8), (1, 0)]
            .map(|(flow, born): (usize, _)| flows[flow].depart(born, true));
        assert_eq!(late, [false, false, false, true, false, true]);
    }

    #[test]
    fn lines_add_up() {
        let mut flows = Flows::new(2);
        for flow in [0, 1, 1, 3] {
            flows.counts[flow].arrive();
        }
        flows.counts[1].depart(0, true);
        flows.counts[3].depart(0, false);
        assert_eq!(flows.by_input(), [(3, 1), (1, 0)]);
        assert_eq!(flows.by_output(), [(1, 0), (3, 1)]);
        assert_eq!((flows.arrived(), flows.departed()), (4, 1));
        assert_eq!(flows.served().collect::<Vec<_>>(), [(1, 0), (2, 1), (1, 0)]);
        flows.forget_counts();
        assert_eq!(flows.served().count(), 0);
    }
}
