//! The arrival slots of the cells inside a switch, by input and output.
//!
//! A switch shows how long its queues are. Which cells these are follows from what came in and went
//! out: departures name the input and the arrival slot of each cell.

use std::collections::VecDeque;
use switchlab_core::{Cell, Dropped, NONE, Port, Slot};

pub(crate) struct Queued {
    ports: usize,
    /// That of input `i` and output `j` is at `i * ports + j`, ascending.
    cells: Vec<VecDeque<Slot>>,
}

impl Queued {
    pub(crate) fn new(ports: usize) -> Self {
        Self { ports, cells: vec![VecDeque::new(); ports * ports] }
    }

    pub(crate) fn arrive(&mut self, now: Slot, arrivals: &[Port]) {
        for (input, &output) in arrivals.iter().enumerate().filter(|(_, output)| **output != NONE) {
            self.cells[input * self.ports + usize::from(output)].push_back(now);
        }
    }

    pub(crate) fn depart(&mut self, departures: &[Cell], dropped: &[Dropped]) {
        for (output, cell) in departures.iter().enumerate().filter(|(_, cell)| !cell.is_idle()) {
            self.remove(cell.input, output, cell.born);
        }
        for cell in dropped {
            self.remove(cell.input, usize::from(cell.output), cell.born);
        }
    }

    /// The first cell in nearly all cases: flows stay in order.
    fn remove(&mut self, input: Port, output: usize, born: Slot) {
        let cells = &mut self.cells[usize::from(input) * self.ports + output];
        if let Ok(place) = cells.binary_search(&born) {
            cells.remove(place);
        }
    }

    /// By input and output: the first `most` cells' arrival slots.
    pub(crate) fn first(&self, most: usize) -> impl Iterator<Item = Vec<Slot>> {
        self.cells.iter().map(move |cells| cells.iter().take(most).copied().collect())
    }

    /// The number of cells of each input for each output.
    pub(crate) fn lengths(&self) -> impl Iterator<Item = usize> {
        self.cells.iter().map(VecDeque::len)
    }
}
