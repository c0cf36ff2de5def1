//! Cells by class: how many came, left and were dropped, and their delays.
//!
//! For traffic whose cells have classes, whatever the switch makes of them. The class of a cell is
//! computed from its input and arrival slot, so nothing is kept for a queued cell.
//!
//! Counters, by class: `delay_class_K`, the mean delay of the cells of class K that arrive and
//! leave in the window, and `delay_class_K_max`, the longest, averaged over replications;
//! `throughput_class_K`, departures per output and slot.

use crate::port_delays::CoarseDelays;
use switchlab_core::labels::MAX_CLASSES;
use switchlab_core::{Block, Cell, Counter, Dropped, Labels, NONE, Port, Slot};

/// The names of the counters of each class: mean delay, longest delay, throughput.
const NAMES: [[&str; 3]; MAX_CLASSES] = [
    ["delay_class_0", "delay_class_0_max", "throughput_class_0"],
    ["delay_class_1", "delay_class_1_max", "throughput_class_1"],
    ["delay_class_2", "delay_class_2_max", "throughput_class_2"],
    ["delay_class_3", "delay_class_3_max", "throughput_class_3"],
    ["delay_class_4", "delay_class_4_max", "throughput_class_4"],
    ["delay_class_5", "delay_class_5_max", "throughput_class_5"],
    ["delay_class_6", "delay_class_6_max", "throughput_class_6"],
    ["delay_class_7", "delay_class_7_max", "throughput_class_7"],
];

/// The cells of a class.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClassCells {
    /// Cells that arrived in the window.
    pub arrived: u64,
    /// Those of them that were dropped.
    pub dropped: u64,
    /// Delays of those of them that left in it.
    pub delays: CoarseDelays,
    /// Cells that left in the window.
    departures: u64,
}

/// The meter, and what it has measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassDelays {
    labels: Labels,
    opened: Slot,
    slots: u64,
    /// By class.
    pub classes: Vec<ClassCells>,
}

impl ClassDelays {
    /// A meter whose window is open from slot 0.
    pub(crate) fn new(labels: &Labels) -> Self {
        let classes = vec![ClassCells::default(); labels.classes()];
        Self { labels: labels.clone(), opened: 0, slots: 0, classes }
    }

    /// The most bytes that a meter takes.
    pub(crate) fn most_bytes(labels: &Labels) -> u64 {
        let classes = if labels.has_classes() { labels.classes() as u64 } else { 0 };
        classes * (size_of::<ClassCells>() as u64 + CoarseDelays::MOST_BYTES)
    }

    /// Opens the window.
    pub(crate) fn open(&mut self, now: Slot) {
        *self = Self { opened: now, ..Self::new(&self.labels) };
    }

    /// Counts a block of slots, and the cells dropped in it.
    pub(crate) fn observe(&mut self, arrivals: &Block<Port>, departures: &Block<Cell>, dropped: &[Dropped]) {
        let Self { labels, opened, slots, classes } = self;
        let class_of = |input: Port, slot: Slot| usize::from(labels.of(input, slot).class);
        for ((now, arrivals), (_, departures)) in arrivals.rows().zip(departures.rows()) {
            *slots += 1;
            for (input, _) in (0..).zip(arrivals).filter(|(_, output)| **output != NONE) {
                classes[class_of(input, now)].arrived += 1;
            }
            for cell in departures.iter().filter(|cell| !cell.is_idle()) {
                let class = &mut classes[class_of(cell.input, cell.born)];
                class.departures += 1;
                if cell.born >= *opened {
                    class.delays.add(now - cell.born);
                }
            }
        }
        for cell in dropped.iter().filter(|cell| cell.born >= *opened) {
            classes[class_of(cell.input, cell.born)].dropped += 1;
        }
    }

    /// What was counted.
    pub(crate) fn counters(&self, ports: usize) -> impl Iterator<Item = Counter> {
        let output_slots = self.slots * ports as u64;
        self.classes.iter().zip(NAMES).flat_map(move |(class, [mean, most, throughput])| {
            let (sum, cells) = (class.delays.sum(), class.delays.cells());
            let max = u64::from(class.delays.max().unwrap_or(0));
            [
                Counter { name: mean, sum, per: cells },
                Counter { name: most, sum: max, per: u64::from(cells > 0) },
                Counter { name: throughput, sum: class.departures, per: output_slots },
            ]
        })
    }

    /// Adds all that another meter of the same labels has counted.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (sum, more) in self.classes.iter_mut().zip(&other.classes) {
            sum.arrived += more.arrived;
            sum.dropped += more.dropped;
            sum.departures += more.departures;
            sum.delays.merge(&more.delays);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchlab_core::Label;
    use switchlab_core::traffic::Trace;
    use switchlab_core::traffic::trace::{Arrival, LabelColumns};

    /// Three cells of two classes, by hand; the window opens in slot 1.
    #[test]
    fn counts_by_hand() {
        let arrival = |slot, input| Arrival { slot, input, output: 0 };
        let label = |class| Label { class, flow: 0 };
        let trace = Trace::new(2, vec![arrival(0, 0), arrival(1, 0), arrival(1, 1), arrival(2, 1)]).unwrap();
        let columns = LabelColumns { class: true, flow: false };
        let trace = trace.with_labels(&[label(1), label(0), label(1), label(1)], columns).unwrap();
        let mut meter = ClassDelays::new(trace.labels());
        meter.open(1);
        let arrivals = Block { start: 1, ports: 2, data: vec![0, 0, NONE, 0] };
        let cell = |input, born| Cell { input, born };
        let departures = Block { start: 1, ports: 2, data: vec![cell(0, 0), cell(0, 1), cell(1, 1), Cell::IDLE] };
        meter.observe(&arrivals, &departures, &[Dropped { slot: 2, born: 2, input: 1, output: 0 }]);
        let [high, low] = &meter.classes[..] else { panic!("two classes") };
        assert_eq!((high.arrived, high.dropped, high.delays.cells(), high.delays.mean()), (1, 0, 1, Some(0.0)));
        assert_eq!((low.arrived, low.dropped, low.delays.cells(), low.delays.mean()), (2, 1, 1, Some(1.0)));
        let counters: Vec<_> = meter.counters(2).map(|counter| (counter.name, counter.sum, counter.per)).collect();
        assert_eq!(counters[0], ("delay_class_0", 0, 1));
        assert_eq!(counters[3..], [("delay_class_1", 1, 1), ("delay_class_1_max", 1, 1), ("throughput_class_1", 2, 4)]);
        let mut twice = meter.clone();
        twice.merge(&meter);
        assert_eq!((twice.classes[1].arrived, twice.classes[1].delays.cells()), (4, 2));
    }
}
