//! A switch beside a record of the cells that are inside it.

use crate::{SEED, Subject};
use std::collections::{BTreeMap, VecDeque};
use switchlab_core::switch::Switch;
use switchlab_core::{Cell, NONE, Port, Slot};

/// Returns an error with a message if a condition does not hold.
macro_rules! ensure {
    ($condition:expr, $($message:tt)*) => {
        if !$condition {
            return Err(format!($($message)*));
        }
    };
}
pub(crate) use ensure;

/// A switch, and beside it a record of what went in and has not come out.
pub(crate) struct Watched {
    pub(crate) switch: Box<dyn Switch>,
    ports: usize,
    one_cell_per_input: bool,
    /// The arrival slots of the cells inside, oldest first, by input and output.
    inside: BTreeMap<(usize, usize), VecDeque<Slot>>,
    pub(crate) arrived: u64,
    pub(crate) departed: u64,
    dropped: u64,
}

impl Watched {
    pub(crate) fn new(subject: &Subject, ports: usize) -> Result<Self, String> {
        let switch = subject.build(ports, SEED).map_err(|error| error.to_string())?;
        ensure!(switch.ports() == ports, "it says that it has {} ports", switch.ports());
        Ok(Self {
            switch,
            ports,
            one_cell_per_input: subject.expected.one_cell_per_input,
            inside: BTreeMap::new(),
            arrived: 0,
            departed: 0,
            dropped: 0,
        })
    }

    /// Runs a slot. Each departing cell must be the oldest of its flow inside. So it arrived at
    /// this input, for this output, in that slot, has not left before, and overtakes no cell of its
    /// flow.
    pub(crate) fn slot(&mut self, now: Slot, arrivals: &[Port]) -> Result<Vec<Cell>, String> {
        for (input, &output) in arrivals.iter().enumerate().filter(|(_, output)| **output != NONE) {
            self.inside.entry((input, usize::from(output))).or_default().push_back(now);
            self.arrived += 1;
        }
        let mut departures = vec![Cell::IDLE; self.ports];
        self.switch.slot(now, arrivals, &mut departures);
        ensure!(self.switch.failure().is_none(), "it stopped: {:?}", self.switch.failure());
        for cell in self.switch.dropped() {
            ensure!(cell.slot == now, "slot {now}: {cell:?} was dropped in another slot");
            let flow = self.inside.get_mut(&(usize::from(cell.input), usize::from(cell.output)));
            let removed = flow.and_then(|flow| {
                let index = flow.iter().position(|&born| born == cell.born)?;
                flow.remove(index)
            });
            ensure!(removed.is_some(), "slot {now}: {cell:?} was dropped and was not inside");
            self.dropped += 1;
        }
        let mut sent = vec![0; self.ports];
        for (output, cell) in departures.iter().enumerate().filter(|(_, cell)| !cell.is_idle()) {
            let input = usize::from(cell.input);
            ensure!(input < self.ports, "slot {now}: output {output} sends a cell of input {input}");
            let oldest = self.inside.get_mut(&(input, output)).and_then(VecDeque::pop_front);
            ensure!(oldest == Some(cell.born), "slot {now}: {cell:?} leaves by {output}, the oldest is {oldest:?}");
            sent[input] += 1;
            self.departed += 1;
        }
        let most = sent.iter().max().copied().unwrap_or_default();
        ensure!(!self.one_cell_per_input || most <= 1, "slot {now}: an input sends {most} cells");
        let census = self.switch.census();
        ensure!(census.arrived == census.departed + census.dropped + census.queued, "slot {now}: {census:?}");
        ensure!(census.arrived == self.arrived && census.departed == self.departed, "slot {now}: {census:?}");
        ensure!(census.dropped == self.dropped, "slot {now}: {census:?}, and {} were reported", self.dropped);
        Ok(departures)
    }

    /// The number of cells from an input to an output inside.
    pub(crate) fn waiting(&self, input: usize, output: usize) -> usize {
        self.inside.get(&(input, output)).map_or(0, VecDeque::len)
    }

    /// The flows with a cell inside.
    pub(crate) fn flows(&self) -> impl Iterator<Item = (usize, usize)> {
        self.inside.iter().filter(|(_, flow)| !flow.is_empty()).map(|(flow, _)| *flow)
    }

    /// The number of cells of the longest flow.
    pub(crate) fn longest(&self) -> usize {
        self.inside.values().map(VecDeque::len).max().unwrap_or_default()
    }
}
