//! A parallel random access machine with concurrent reads and exclusive writes (CREW).

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;
use thiserror::Error;

/// What a cell holds.
pub type Word = u64;

/// A program that breaks the rules of the machine, or a scheduler on it that has no answer. The
/// machine is left within a step and of no more use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Fault {
    /// Two processors write the same cell in one step.
    #[error("step {step}: processors {first} and {second} both write cell {cell}; only one may")]
    WriteConflict {
        /// The step, from 0 on.
        step: u64,
        /// The cell.
        cell: usize,
        /// One processor.
        first: usize,
        /// The other.
        second: usize,
    },
    /// A processor uses more than one cell, or one that does not exist.
    #[error("step {step}: processor {processor} reads or writes more than one cell, or one that does not exist")]
    Access {
        /// The step, from 0 on.
        step: u64,
        /// The processor.
        processor: usize,
    },
    /// A cell of this slot has been given no memory: there are too few.
    #[error("the cell of input {input} has no memory; use more memories")]
    Unplaced {
        /// Its input.
        input: usize,
    },
}

/// Consecutive cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Array {
    start: usize,
    length: usize,
}

impl Array {
    /// The cell at an index. An index beyond the end is a cell beyond all others, which is a fault
    /// to use.
    #[inline]
    pub fn at(self, index: usize) -> usize {
        if index < self.length { self.start + index } else { usize::MAX }
    }

    /// All its cells.
    fn range(self) -> Range<usize> {
        self.start..self.start + self.length
    }
}

/// What was used so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Costs {
    /// Steps.
    pub steps: u64,
    /// Processors, at most in one step.
    pub processors: usize,
    /// Shared cells.
    pub cells: usize,
}

/// The machine: its shared cells, and what is counted.
#[derive(Clone, Debug)]
pub struct Machine {
    cells: Vec<Word>,
    /// By cell: one beyond the step in which it was last written, and by whom.
    written: Vec<(u64, u32)>,
    /// The writes of the step under way: processor, cell, value.
    writes: Vec<(u32, usize, Word)>,
    costs: Costs,
}

/// What one processor does to the shared cells in one step: at most one read, then at most one
/// write.
#[derive(Debug)]
pub struct Turn<'a> {
    cells: &'a [Word],
    reads: u32,
    writes: u32,
    write: (usize, Word),
    fault: bool,
}

impl Turn<'_> {
    /// Reads a cell as it was before the step.
    #[inline]
    pub fn read(&mut self, cell: usize) -> Word {
        self.reads += 1;
        let value = self.cells.get(cell);
        self.fault |= value.is_none();
        value.copied().unwrap_or_default()
    }

    /// Writes a cell, after all reads of the step.
    #[inline]
    pub fn write(&mut self, cell: usize, value: Word) {
        self.writes += 1;
        self.fault |= cell >= self.cells.len();
        self.write = (cell, value);
    }
}

impl Default for Machine {
    fn default() -> Self {
        Self::new()
    }
}

impl Machine {
    /// Without any cells.
    pub fn new() -> Self {
        Self { cells: Vec::new(), written: Vec::new(), writes: Vec::new(), costs: Costs::default() }
    }

    /// Sets cells aside, each with this value. Done once, when the machine is set up.
    pub fn reserve(&mut self, length: usize, value: Word) -> Array {
        let start = self.cells.len();
        self.cells.extend(vec![value; length]);
        self.written.resize(start + length, (0, 0));
        self.costs.cells = self.cells.len();
        Array { start, length }
    }

    /// The cells of an array, to look at from outside.
    pub fn look(&self, array: Array) -> &[Word] {
        &self.cells[array.range()]
    }

    /// Changes the cells of an array from outside: what comes in between two runs of a program. As
    /// many values as are given and fit.
    pub fn put(&mut self, array: Array, values: impl IntoIterator<Item = Word>) {
        for (cell, value) in self.cells[array.range()].iter_mut().zip(values) {
            *cell = value;
        }
    }

    /// One synchronous step: each processor, with what it holds, has its turn. Reads see the cells
    /// as they were before the step; the writes are made at its end, and must be to different
    /// cells.
    pub fn step<P>(
        &mut self,
        processors: &mut [P],
        mut program: impl FnMut(usize, &mut P, &mut Turn<'_>),
    ) -> Result<(), Fault> {
        let step = self.costs.steps;
        self.writes.clear();
        for (number, processor) in processors.iter_mut().enumerate() {
            let mut turn = Turn { cells: &self.cells, reads: 0, writes: 0, write: (0, 0), fault: false };
            program(number, processor, &mut turn);
            if turn.fault || turn.reads > 1 || turn.writes > 1 {
                return Err(Fault::Access { step, processor: number });
            }
            if turn.writes == 1 {
                self.writes.push((number as u32, turn.write.0, turn.write.1));
            }
        }
        for &(processor, cell, value) in &self.writes {
            let (last, first) = self.written[cell];
            if last == step + 1 {
                let (first, second) = (first as usize, processor as usize);
                return Err(Fault::WriteConflict { step, cell, first, second });
            }
            self.written[cell] = (step + 1, processor);
            self.cells[cell] = value;
        }
        self.costs.steps += 1;
        self.costs.processors = self.costs.processors.max(processors.len());
        Ok(())
    }

    /// What was used so far.
    pub fn costs(&self) -> Costs {
        self.costs
    }

    /// Counts steps from 0 again. Cells keep what they hold.
    pub fn restart(&mut self) {
        self.costs.steps = 0;
        self.written.fill((0, 0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_come_before_writes() {
        let mut machine = Machine::new();
        let array = machine.reserve(5, 0);
        machine.put(array, 1..=5);
        // Everybody takes its left neighbour's value, all at once.
        let rotate = |number: usize, (): &mut (), turn: &mut Turn<'_>| {
            let value = turn.read(array.at((number + 4) % 5));
            turn.write(array.at(number), value);
        };
        machine.step(&mut [(); 5], rotate).unwrap();
        assert_eq!(machine.look(array), [5, 1, 2, 3, 4]);
        assert_eq!(machine.costs(), Costs { steps: 1, processors: 5, cells: 5 });
        machine.restart();
        assert_eq!(machine.costs().steps, 0);
        machine.step(&mut [(); 5], rotate).unwrap();
        assert_eq!(machine.look(array), [4, 5, 1, 2, 3]);
    }

    #[test]
    fn rules_are_checked() {
        let mut machine = Machine::new();
        let array = machine.reserve(3, 0);
        let conflict = machine.step(&mut [(); 3], |number, (), turn| turn.write(array.at(number / 2), 1));
        assert_eq!(conflict, Err(Fault::WriteConflict { step: 0, cell: 0, first: 0, second: 1 }));
        let mut refused =
            |program: fn(Array, &mut Turn<'_>)| machine.step(&mut [()], |_, (), turn| program(array, turn));
        let access = Err(Fault::Access { step: 0, processor: 0 });
        assert_eq!(refused(|array, turn| turn.write(array.at(3), 1)), access);
        assert_eq!(refused(|array, turn| assert_eq!(turn.read(array.at(3)), 0)), access);
        let reads_twice = |array: Array, turn: &mut Turn<'_>| {
            turn.read(array.at(0));
            turn.read(array.at(1));
        };
        assert_eq!(refused(reads_twice), access);
        let twice = |array: Array, turn: &mut Turn<'_>| {
            turn.write(array.at(0), 1);
            turn.write(array.at(1), 1);
        };
        assert_eq!(refused(twice), access);
        // Many may read one cell.
        assert_eq!(machine.step(&mut [0; 3], |_, held, turn| *held = turn.read(array.at(2))), Ok(()));
    }
}
