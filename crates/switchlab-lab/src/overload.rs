//! Traffic that oversubscribes some outputs: cells for these outputs and for the others, apart.
//!
//! The backlog of an output that is sent more than 1 grows without end in any switch, and the mean
//! delay over all cells grows with the length of the run. So the verdict is made of the other
//! outputs alone: whether the flows within their share are served. Delays and utilisation are kept
//! for the two kinds apart.
//!
//! Counters: `delay_hot`, `delay_hot_max`, `delay_other`, `delay_other_max` and `utilisation_hot`
//! as for hot spots, where the hot outputs are the oversubscribed ones, and `utilisation_other`.

use crate::port_delays::CoarseDelays;
use switchlab_core::meter::{Bin, Timeline};
use switchlab_core::{Block, Cell, Counter, Dropped, NONE, Port, Slot};

/// The cells for one kind of outputs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KindOfOutput {
    /// How many outputs there are of the kind.
    pub outputs: usize,
    /// Cells that arrived in the window.
    pub arrived: u64,
    /// Cells that left in the window.
    pub departures: u64,
    /// Delays of cells that arrived and left in the window.
    pub delays: CoarseDelays,
}

impl KindOfOutput {
    fn of(outputs: usize) -> Self {
        Self { outputs, ..Self::default() }
    }

    /// Adds what another run has counted.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.arrived += other.arrived;
        self.departures += other.departures;
        self.delays.merge(&other.delays);
    }
}

/// The meter.
#[derive(Clone, Debug)]
pub(crate) struct Overload {
    /// By output, whether it is oversubscribed.
    oversubscribed: Vec<bool>,
    opened: Slot,
    slots: u64,
    /// Cells inside for the other outputs.
    backlog: u64,
    /// Of the other outputs.
    within: Timeline,
    /// Oversubscribed outputs, and the others.
    kinds: [KindOfOutput; 2],
}

impl Overload {
    /// A meter whose window is open from slot 0.
    pub(crate) fn new(oversubscribed: Vec<bool>) -> Self {
        let hot = oversubscribed.iter().filter(|&&over| over).count();
        let kinds = [KindOfOutput::of(hot), KindOfOutput::of(oversubscribed.len() - hot)];
        Self { oversubscribed, opened: 0, slots: 0, backlog: 0, within: Timeline::new(), kinds }
    }

    /// The most bytes that a meter takes.
    pub(crate) fn most_bytes(ports: usize) -> u64 {
        ports as u64 + Timeline::BYTES + 2 * CoarseDelays::MOST_BYTES
    }

    /// Opens the window, and keeps the backlog.
    pub(crate) fn open(&mut self, now: Slot) {
        let oversubscribed = core::mem::take(&mut self.oversubscribed);
        *self = Self { opened: now, backlog: self.backlog, ..Self::new(oversubscribed) };
    }

    /// Counts a block of slots, and the cells dropped in it, ascending by slot.
    pub(crate) fn observe(&mut self, arrivals: &Block<Port>, departures: &Block<Cell>, dropped: &[Dropped]) {
        let Self { oversubscribed, opened, slots, backlog, within, kinds } = self;
        let kind_of = |output: usize| usize::from(!oversubscribed[output]);
        let mut dropped = dropped;
        for ((now, arrivals), (_, departures)) in arrivals.rows().zip(departures.rows()) {
            *slots += 1;
            let mut bin = Bin::default();
            for &output in arrivals.iter().filter(|&&output| output != NONE) {
                let kind = kind_of(usize::from(output));
                kinds[kind].arrived += 1;
                bin.arrivals += kind as u64;
            }
            for (output, cell) in departures.iter().enumerate().filter(|(_, cell)| !cell.is_idle()) {
                let kind = kind_of(output);
                kinds[kind].departures += 1;
                bin.departures += kind as u64;
                if cell.born >= *opened {
                    let delay = now - cell.born;
                    kinds[kind].delays.add(delay);
                    bin.delay_sum += u64::from(delay) * kind as u64;
                    bin.delays += kind as u64;
                }
            }
            *backlog += bin.arrivals;
            *backlog -= bin.departures;
            while let [first, rest @ ..] = dropped
                && first.slot == now
            {
                *backlog -= kind_of(usize::from(first.output)) as u64;
                dropped = rest;
            }
            bin.backlog_sum = *backlog;
            within.add(bin);
        }
    }

    /// The outputs within their share over time.
    pub(crate) fn within(&self) -> &Timeline {
        &self.within
    }

    /// Oversubscribed outputs, and the others.
    pub(crate) fn kinds(&self) -> &[KindOfOutput; 2] {
        &self.kinds
    }

    /// What was counted, delays less the stages of the switch. A maximum of no cells is left out.
    pub(crate) fn counters(&self, stages: u64) -> Vec<Counter> {
        const NAMES: [[&str; 3]; 2] = [
            ["delay_hot", "delay_hot_max", "utilisation_hot"],
            ["delay_other", "delay_other_max", "utilisation_other"],
        ];
        let mut counters = Vec::new();
        for (kind, [mean, most, utilisation]) in self.kinds.iter().zip(NAMES) {
            let cells = kind.delays.cells();
            let sum = kind.delays.sum().saturating_sub(stages * cells);
            let max = u64::from(kind.delays.max().unwrap_or(0)).saturating_sub(stages);
            counters.push(Counter { name: mean, sum, per: cells });
            counters.push(Counter { name: most, sum: max, per: u64::from(cells > 0) });
            counters.push(Counter { name: utilisation, sum: kind.departures, per: self.slots * kind.outputs as u64 });
        }
        counters
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Output 0 is oversubscribed; the window opens in slot 1, with a cell for output 1 inside.
    #[test]
    fn counts_by_hand() {
        let mut meter = Overload::new(vec![true, false, false]);
        let cell = |input, born| Cell { input, born };
        let idle = vec![Cell::IDLE; 3];
        meter.observe(
            &Block { start: 0, ports: 3, data: vec![0, 1, 0] },
            &Block { start: 0, ports: 3, data: idle.clone() },
            &[],
        );
        meter.open(1);
        let arrivals = Block { start: 1, ports: 3, data: vec![1, 0, 2, NONE, NONE, NONE] };
        let mut departures = vec![cell(0, 0), cell(1, 0), Cell::IDLE];
        departures.extend([cell(1, 1), cell(0, 1), Cell::IDLE]);
        let departures = Block { start: 1, ports: 3, data: departures };
        meter.observe(&arrivals, &departures, &[Dropped { slot: 2, born: 1, input: 2, output: 2 }]);
        let [hot, other] = meter.kinds();
        assert_eq!((hot.outputs, hot.arrived, hot.departures, hot.delays.mean()), (1, 1, 2, Some(1.0)));
        assert_eq!((other.outputs, other.arrived, other.departures, other.delays.mean()), (2, 2, 2, Some(1.0)));
        // After slot 1 two cells for the others are inside, after slot 2 none.
        let total = Bin { backlog_sum: 2, arrivals: 2, departures: 2, delay_sum: 1, delays: 1 };
        assert_eq!((meter.within().total(), meter.within().slots()), (total, 2));
        let told: Vec<_> = meter.counters(1).iter().map(|counter| (counter.name, counter.sum, counter.per)).collect();
        assert_eq!(told[0], ("delay_hot", 0, 1));
        assert_eq!(told[2], ("utilisation_hot", 2, 2));
        assert_eq!(told[5], ("utilisation_other", 2, 4));
    }
}
