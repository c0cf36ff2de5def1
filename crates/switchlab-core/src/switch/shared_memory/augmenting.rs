//! Augmenting paths: a cell that finds no free memory moves others, which were placed before it in
//! the same slot.
//!
//! Kuhn's algorithm, breadth first: from the cell to the memories that fit it, from an assigned
//! memory to the cell that has it, until a free memory is reached. If none is, the cells reached
//! fit exactly the memories reached, which are one fewer than the cells: Hall's condition does not
//! hold, and no assignment places them all. Phases as in the algorithm of Hopcroft and Karp were
//! left out: first-fit almost always leaves at most one cell to place.

use super::table::{Due, Table};
use crate::cell::{NONE, Port};
use crate::port_set::PortSet;
use crate::switch::Hall;
use alloc::vec;
use alloc::vec::Vec;

/// Which cell has which memory, and scratch for a search.
#[derive(Clone, Debug)]
pub(super) struct Augmenting<const W: usize> {
    /// By memory: the cell to which it is assigned in this slot, or [`NONE`].
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

    /// Places one more cell, moving others if need be; false if no assignment places it together
    /// with the others.
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

    /// Assigns the memory to the cell from which the search reached it, that cell's memory to the
    /// previous cell of the path, and so on.
    fn shift(&mut self, placed: &mut [Port], memory: usize) {
        let mut memory = memory as Port;
        while memory != NONE {
            let cell = self.from[memory as usize];
            self.owner[memory as usize] = cell;
            memory = core::mem::replace(&mut placed[cell as usize], memory);
        }
    }

    /// After a failed search: the cells that together fit fewer memories than there are of them,
    /// and these memories.
    pub(super) fn violation(&self, due: &[Due]) -> Hall {
        let mut inputs: Vec<Port> = self.reached.iter().map(|&cell| due[cell as usize].input).collect();
        inputs.sort_unstable();
        Hall { inputs, memories: self.seen.iter().map(|memory| memory as Port).collect() }
    }
}
