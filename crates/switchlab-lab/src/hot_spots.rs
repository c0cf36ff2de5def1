//! Delays of cells for hot outputs and for the others, and how well the hot ones are used.
//!
//! Counters, for traffic with hot spots: `delay_hot` and `delay_other` are mean delays of cells
//! that arrive and leave in the window, `delay_hot_max` and `delay_other_max` their maxima,
//! averaged over replications; all are less the stages of the switch, which are 0 for one that is
//! not a fabric. `utilisation_hot` is departures per hot output and slot.

use switchlab_core::{Block, Cell, Counter, Slot};

/// Cells of a kind.
#[derive(Clone, Copy, Debug, Default)]
struct Kind {
    /// Cells that arrived and departed in the window, their delays and the longest.
    cells: u64,
    delay_sum: u64,
    delay_max: u64,
    /// Cells that left in the window.
    departures: u64,
}

/// The meter.
#[derive(Clone, Debug)]
pub(crate) struct HotSpots {
    /// Outputs below this one are hot.
    count: usize,
    opened: Slot,
    slots: u64,
    /// Of hot outputs, and of the others.
    kinds: [Kind; 2],
}

impl HotSpots {
    /// A meter whose window is open from slot 0.
    pub(crate) fn new(count: usize) -> Self {
        Self { count, opened: 0, slots: 0, kinds: [Kind::default(); 2] }
    }

    /// Opens the window.
    pub(crate) fn open(&mut self, now: Slot) {
        *self = Self { opened: now, ..Self::new(self.count) };
    }

    /// Counts a block of slots.
    pub(crate) fn observe(&mut self, departures: &Block<Cell>) {
        for (now, row) in departures.rows() {
            self.slots += 1;
            let (hot, others) = row.split_at(self.count.min(row.len()));
            for (kind, cells) in self.kinds.iter_mut().zip([hot, others]) {
                for cell in cells.iter().filter(|cell| !cell.is_idle()) {
                    kind.departures += 1;
                    if cell.born >= self.opened {
                        let delay = u64::from(now - cell.born);
                        kind.cells += 1;
                        kind.delay_sum += delay;
                        kind.delay_max = kind.delay_max.max(delay);
                    }
                }
            }
        }
    }

    /// What was counted, less the stages of the switch. A maximum of no cells is left out.
    pub(crate) fn counters(&self, stages: u64) -> Vec<Counter> {
        let mut counters = Vec::new();
        for (kind, [mean, most]) in
            self.kinds.iter().zip([["delay_hot", "delay_hot_max"], ["delay_other", "delay_other_max"]])
        {
            let sum = kind.delay_sum.saturating_sub(stages * kind.cells);
            counters.push(Counter { name: mean, sum, per: kind.cells });
            let max = kind.delay_max.saturating_sub(stages);
            counters.push(Counter { name: most, sum: max, per: u64::from(kind.cells > 0) });
        }
        let hot_slots = self.slots * self.count as u64;
        counters.push(Counter { name: "utilisation_hot", sum: self.kinds[0].departures, per: hot_slots });
        counters
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two slots, by hand: output 0 is hot, 1 and 2 are not; the window opens in slot 10.
    #[test]
    fn counts_by_hand() {
        let mut meter = HotSpots::new(1);
        meter.observe(&Block { start: 9, ports: 3, data: vec![Cell { born: 0, input: 0 }; 3] });
        meter.open(10);
        let cell = |born| Cell { born, input: 0 };
        // In slot 10 a cell from before the window departs from output 0, which counts as used. In
        // slot 11 a cell that arrived in slot 10 departs, and others.
        let data = vec![cell(3), Cell::IDLE, cell(10), cell(10), cell(11), Cell::IDLE];
        meter.observe(&Block { start: 10, ports: 3, data });
        let told: Vec<(&str, u64, u64)> = meter.counters(0).iter().map(|c| (c.name, c.sum, c.per)).collect();
        let expected = [
            ("delay_hot", 1, 1),
            ("delay_hot_max", 1, 1),
            ("delay_other", 0, 2),
            ("delay_other_max", 0, 1),
            ("utilisation_hot", 2, 2),
        ];
        assert_eq!(told, expected);
        assert_eq!(meter.counters(1)[0].sum, 0);
    }
}
