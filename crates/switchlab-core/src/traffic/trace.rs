//! Replayed arrivals: what came when, from a list.

use super::Arrivals;
use crate::cell::{NONE, Port, Slot};
use crate::error::Error;
use crate::labels::{Label, Labelled, Labels, MAX_CLASSES, MAX_FLOWS};
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

/// One cell of a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrival {
    /// When it comes.
    pub slot: Slot,
    /// Where it comes in.
    pub input: Port,
    /// Where it goes.
    pub output: Port,
}

/// A checked list of arrivals, shared by all replications.
#[derive(Clone, Debug)]
pub struct Trace {
    ports: usize,
    arrivals: Arc<[Arrival]>,
    labels: Labels,
    next: usize,
}

/// The columns of labels that a trace has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LabelColumns {
    /// Whether it has classes.
    pub class: bool,
    /// Whether it has flows.
    pub flow: bool,
}

impl Trace {
    /// Checks that the list is sorted by slot, that no input has two cells in a slot and that all
    /// ports exist.
    pub fn new(ports: usize, arrivals: Vec<Arrival>) -> Result<Self, Error> {
        // By input: one beyond the slot of its last cell.
        let mut last = vec![0u64; ports];
        let mut now = 0;
        for (place, arrival) in arrivals.iter().enumerate() {
            let bad = |problem| Error::File(alloc::format!("cell {} of the trace {problem}", place + 1));
            let Arrival { slot, input, output } = *arrival;
            if slot < now {
                return Err(bad(alloc::format!("is in slot {slot}, after one in slot {now}; sort the trace by slot")));
            }
            if usize::from(input.max(output)) >= ports {
                return Err(bad(alloc::format!(
                    "goes from {input} to {output}, and there are only {ports} ports, numbered from 0"
                )));
            }
            now = slot;
            let beyond = u64::from(slot) + 1;
            if core::mem::replace(&mut last[usize::from(input)], beyond) == beyond {
                return Err(bad(alloc::format!(
                    "is the second at input {input} in slot {slot}; an input takes one cell per slot"
                )));
            }
        }
        Ok(Self { ports, arrivals: arrivals.into(), labels: Labels::NONE, next: 0 })
    }

    /// Gives its cells labels, in the order of the list. An error if a class or flow is out of
    /// range, or there is not one for each cell.
    pub fn with_labels(self, labels: &[Label], columns: LabelColumns) -> Result<Self, Error> {
        if labels.len() != self.arrivals.len() {
            let (labels, cells) = (labels.len(), self.arrivals.len());
            return Err(Error::File(alloc::format!(
                "the trace has {cells} cells and {labels} labels; give one to each"
            )));
        }
        let in_range = |label: &Label| usize::from(label.class) < MAX_CLASSES && usize::from(label.flow) < MAX_FLOWS;
        if let Some(index) = labels.iter().position(|label| !in_range(label)) {
            return Err(Error::File(alloc::format!(
                "cell {} of the trace: a class is from 0 to {}, a flow from 0 to {}",
                index + 1,
                MAX_CLASSES - 1,
                MAX_FLOWS - 1
            )));
        }
        let cells = self.arrivals.iter().zip(labels);
        let cells = cells.map(|(cell, &label)| Labelled { slot: cell.slot, input: cell.input, label }).collect();
        Ok(Self { labels: Labels::listed(cells, columns.class, columns.flow), ..self })
    }

    /// The labels of its cells.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// The number of ports.
    pub fn ports(&self) -> usize {
        self.ports
    }

    /// The number of cells.
    pub fn cells(&self) -> usize {
        self.arrivals.len()
    }

    /// How many slots it takes until the last cell is in.
    pub fn slots(&self) -> u64 {
        self.arrivals.last().map_or(0, |arrival| u64::from(arrival.slot) + 1)
    }
}

impl Arrivals for Trace {
    #[inline]
    fn slot(&mut self, now: Slot, arrivals: &mut [Port]) {
        arrivals.fill(NONE);
        while let Some(arrival) = self.arrivals.get(self.next).filter(|arrival| arrival.slot <= now) {
            arrivals[usize::from(arrival.input)] = arrival.output;
            self.next += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trace(cells: &[(Slot, Port, Port)]) -> Result<Trace, Error> {
        Trace::new(3, cells.iter().map(|&(slot, input, output)| Arrival { slot, input, output }).collect())
    }

    #[test]
    fn replays_slot_by_slot() {
        let mut trace = trace(&[(0, 1, 2), (2, 0, 0), (2, 2, 0)]).unwrap();
        assert_eq!((trace.slots(), trace.cells()), (3, 3));
        let mut row = [0; 3];
        let mut rows = Vec::new();
        for now in 0..4 {
            trace.slot(now, &mut row);
            rows.push(row);
        }
        assert_eq!(rows, [[NONE, 2, NONE], [NONE; 3], [0, NONE, 0], [NONE; 3]]);
    }

    #[test]
    fn refuses_what_cannot_happen() {
        for (bad, part) in [
            (&[(1, 0, 0), (0, 1, 0)][..], "sort"),
            (&[(0, 3, 0)], "ports"),
            (&[(0, 0, 3)], "ports"),
            (&[(0, 0, 0), (0, 1, 0), (0, 0, 1)], "second"),
        ] {
            let message = alloc::format!("{}", trace(bad).unwrap_err());
            assert!(message.contains(part), "{message}");
        }
        assert_eq!(trace(&[]).unwrap().slots(), 0);
    }
}
