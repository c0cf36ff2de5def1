//! Augmenting paths: a cell that finds no memory left moves others, which were placed before it in
//! the same slot.
//!
//! Kuhn's algorithm, breadth first: from the cell to the memories that fit it, from a memory that
//! is taken to the cell that took it, until a memory is left. If there is none, the cells reached
//! fit exactly the memories reached, one fewer: Hall's condition does not hold, and nobody can
//! place them. Phases in the way of Hopcroft and Karp were left out: nearly always first-fit leaves
//! at most one cell to place.

use super::table::{Due, Table};
use crate::cell::{NONE, Port};
use crate::port_set::PortSet;
use crate::switch::Hall;
use alloc::vec;
use alloc::vec::Vec;

/// Who has which memory, and what a search needs.
#[derive(Clone, Debug)]
pub(super) struct Augmenting<const W: usize> {
    /// By memory: the cell that it was given to in this slot, or [`NONE`].
    owner: Vec<Port>,
    /// By memory: the cell from which the search came to it.
    from: Vec<Port>,
    /// The cells reached, in order.
    reached: Vec<Port>,
    /// The memories reached.
    seen: PortSet<W>,
}

impl<const W: usize> Augmenting<W> {
    pub(super) fn new(ports: usize, memories: usize) -> Self {
        let reached = Vec::with_capacity(ports);
        Self { owner: vec![NONE; memories], from: vec![NONE; memories], reached, seen: PortSet::EMPTY }
    }

    /// Begins a slot in which the cells have these memories so far, or [`NONE`].
    pub(super) fn begin(&mut self, placed: &[Port]) {
        self.owner.fill(NONE);
        for (cell, &memory) in placed.iter().enumerate().filter(|(_, memory)| **memory != NONE) {
            self.owner[memory as usize] = cell as Port;
        }
    }

    /// Places one more cell, moving others if need be; false if nobody could place it beside the
    /// others.
    pub(super) fn place(&mut self, table: &Table<W>, due: &[Due], placed: &mut [Port], cell: usize) -> bool {
        self.reached.clear();
        self.reached.push(cell as Port);
        self.seen = PortSet::EMPTY;
        let mut next = 0;
        while let Some(&cell) = self.reached.get(next) {
            next += 1;
            let fits = table.fits(due[cell as usize].place);
            let new = fits.difference(&self.seen);
            for memory in new.iter() {
                self.seen.insert(memory);
                self.from[memory] = cell;
                if self.owner[memory] == NONE {
                    self.shift(placed, memory);
                    return true;
                }
                self.reached.push(self.owner[memory]);
            }
        }
        false
    }

    /// Gives the memory to the cell from which the search came, that cell's to the one before it,
    /// and so on.
    fn shift(&mut self, placed: &mut [Port], memory: usize) {
        let mut memory = memory as Port;
        while memory != NONE {
            let cell = self.from[memory as usize];
            self.owner[memory as usize] = cell;
            memory = core::mem::replace(&mut placed[cell as usize], memory);
        }
    }

    /// After a search in vain: the cells that together fit too few memories.
    pub(super) fn violation(&self, due: &[Due]) -> Hall {
        let mut inputs: Vec<Port> = self.reached.iter().map(|&cell| due[cell as usize].input).collect();
        inputs.sort_unstable();
        Hall { inputs, memories: self.seen.iter().map(|memory| memory as Port).collect() }
    }
}
