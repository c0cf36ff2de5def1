//! The table T: what each memory holds for each departure slot.

use crate::cell::{Cell, Port, Slot};
use crate::port_set::PortSet;
use crate::switch::allocated;
use alloc::vec;
use alloc::vec::Vec;

/// A cell of this slot that is to be written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Due {
    /// The input it came from.
    pub(super) input: Port,
    /// The output it is for.
    pub(super) output: Port,
    /// Its departure slot, mod K.
    pub(super) place: u32,
}

/// T, transposed: a ring of K rows, one for each departure slot, with an entry for each memory. The
/// paper's layout has a row for each memory. Transposed, one row holds all that placing a cell
/// depends on, and all departures of a slot.
#[derive(Clone, Debug)]
pub(super) struct Table<const W: usize> {
    memories: usize,
    /// All memories that may be written in this slot.
    all: PortSet<W>,
    /// By departure slot mod K: the memories that hold a cell due then.
    busy: Vec<PortSet<W>>,
    /// By departure slot mod K and memory: arrival slot, input and output of the cell, if there is
    /// one. One word each, 0 at first, so that the pages of a large table are not touched before
    /// they are used.
    cells: Vec<u64>,
    /// By memory: how many cells it holds.
    occupancy: Vec<u32>,
    /// By number of cells: how many memories hold that number.
    holding: Vec<u32>,
    /// The cells in the fullest memory.
    fullest: usize,
}

impl<const W: usize> Table<W> {
    pub(super) fn new(memories: usize, capacity: usize) -> Self {
        let mut holding = vec![0; capacity + 1];
        holding[0] = memories as u32;
        Self {
            memories,
            all: PortSet::all(memories),
            busy: vec![PortSet::EMPTY; capacity],
            cells: vec![0; memories * capacity],
            occupancy: vec![0; memories],
            holding,
            fullest: 0,
        }
    }

    /// The bytes of the table. They do not change.
    pub(super) fn bytes(&self) -> u64 {
        allocated(&self.busy) + allocated(&self.cells) + allocated(&self.occupancy) + allocated(&self.holding)
    }

    pub(super) fn memories(&self) -> usize {
        self.memories
    }

    /// Begins a slot of memories that are read or written, not both: those that are read now, with
    /// a cell due in this row, fit no cell.
    pub(super) fn exclude_read(&mut self, place: u32) {
        let every = PortSet::all(self.memories);
        self.all = every.difference(&self.busy[place as usize]);
    }

    /// The memories that fit a cell due in this row.
    #[inline(always)]
    pub(super) fn fits(&self, place: u32) -> PortSet<W> {
        let busy = &self.busy[place as usize];
        self.all.difference(busy)
    }

    #[inline]
    pub(super) fn occupancy(&self) -> &[u32] {
        &self.occupancy
    }

    /// How many memories hold a cell.
    pub(super) fn in_use(&self) -> usize {
        self.memories - self.holding[0] as usize
    }

    pub(super) fn fullest(&self) -> usize {
        self.fullest
    }

    /// Writes a cell to a memory that fits it.
    #[inline(always)]
    pub(super) fn write(&mut self, due: Due, memory: usize, born: Slot) {
        let place = due.place as usize;
        self.busy[place].insert(memory);
        let cell = u64::from(born) << 32 | u64::from(due.input) << 16 | u64::from(due.output);
        self.cells[place * self.memories + memory] = cell;
        let occupancy = self.occupancy[memory] as usize + 1;
        self.occupancy[memory] = occupancy as u32;
        self.holding[occupancy - 1] -= 1;
        self.holding[occupancy] += 1;
        self.fullest = self.fullest.max(occupancy);
    }

    /// Reads and clears all cells of a row.
    #[inline(always)]
    pub(super) fn read(&mut self, place: u32, mut leave: impl FnMut(usize, Cell)) {
        let place = place as usize;
        let busy = core::mem::replace(&mut self.busy[place], PortSet::EMPTY);
        let row = &self.cells[place * self.memories..(place + 1) * self.memories];
        for memory in busy.iter() {
            let cell = row[memory];
            leave(cell as Port as usize, Cell { born: (cell >> 32) as Slot, input: (cell >> 16) as Port });
            let occupancy = self.occupancy[memory] as usize;
            self.occupancy[memory] -= 1;
            self.holding[occupancy] -= 1;
            self.holding[occupancy - 1] += 1;
        }
        // A slot reads at most one cell of each memory.
        if self.holding[self.fullest] == 0 {
            self.fullest = self.fullest.saturating_sub(1);
        }
    }
}
