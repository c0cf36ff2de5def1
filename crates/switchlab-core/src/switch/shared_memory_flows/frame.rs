//! A frame: from the cells that each output is to read to a schedule of reads, in which no memory
//! is read twice at a time.

use crate::cell::{NONE, Port};
use crate::switch::edge_colouring::EdgeColouring;
use alloc::vec;
use alloc::vec::Vec;

/// A read: in this turn of the memories an output reads a memory. A sub-step has N turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Read {
    /// The turn, from 0.
    pub turn: u32,
    /// The output that reads.
    pub output: Port,
    /// The memory that is read.
    pub memory: Port,
}

/// The reads of a frame.
#[derive(Clone, Debug)]
pub struct Frame {
    ports: usize,
    /// By output: the memories of the cells that it is to read, one entry for each cell.
    lists: Vec<Vec<Port>>,
    reads: Vec<Read>,
    substeps: usize,
    latin: usize,
    most_of_a_memory: usize,
    colouring: EdgeColouring,
    /// The reads of a sub-step.
    edges: Vec<(Port, Port)>,
    /// By memory: its rank among those read in a sub-step, or [`NONE`].
    rank: Vec<Port>,
}

impl Frame {
    /// For `ports` outputs, `memories` memories, and up to `most` reads of an output.
    pub fn new(ports: usize, memories: usize, most: usize) -> Self {
        Self {
            ports,
            lists: (0..ports).map(|_| Vec::with_capacity(most)).collect(),
            reads: Vec::with_capacity(ports * most),
            substeps: 0,
            latin: 0,
            most_of_a_memory: 0,
            colouring: EdgeColouring::new(ports, memories, ports),
            edges: Vec::with_capacity(ports * ports),
            rank: vec![NONE; memories],
        }
    }

    /// Begins with nothing to read.
    pub fn clear(&mut self) {
        self.lists.iter_mut().for_each(Vec::clear);
    }

    /// Adds a cell that an output is to read from a memory.
    #[inline]
    pub fn want(&mut self, output: usize, memory: Port) {
        self.lists[output].push(memory);
    }

    /// Finds sub-steps and turns for all that is wanted.
    pub fn plan(&mut self) {
        let ports = self.ports;
        (self.substeps, self.latin, self.most_of_a_memory) = (0, 0, 0);
        for list in &mut self.lists {
            list.sort_unstable();
            let most = list.chunk_by(|a, b| a == b).map(<[Port]>::len).max().unwrap_or(0);
            self.most_of_a_memory = self.most_of_a_memory.max(most);
            self.substeps = self.substeps.max(most).max(list.len().div_ceil(ports));
        }
        self.reads.clear();
        // An output deals its cells, memory by memory, to the sub-steps in turn: the cells of a
        // memory go to different ones, and no sub-step gets more than N.
        for substep in 0..self.substeps {
            self.edges.clear();
            for (output, list) in (0..).zip(&self.lists) {
                let own = list.iter().skip(substep).step_by(self.substeps);
                self.edges.extend(own.map(|&memory| (output, memory)));
            }
            let first = self.reads.len();
            self.take_turns(substep * ports);
            self.reads[first..].sort_unstable();
        }
    }

    /// The turns of a sub-step.
    fn take_turns(&mut self, begins: usize) {
        let ports = self.ports;
        let read = |turn: usize, (output, memory)| Read { turn: (begins + turn) as u32, output, memory };
        let mut memories = 0;
        for &(_, memory) in &self.edges {
            let rank = &mut self.rank[usize::from(memory)];
            if *rank == NONE {
                *rank = memories;
                memories += 1;
            }
        }
        if usize::from(memories) <= ports {
            // Figure 5: in turn t output o reads memory t + o, of those that are read.
            self.latin += 1;
            let turn = |edge: (Port, Port)| {
                (usize::from(self.rank[usize::from(edge.1)]) + ports - usize::from(edge.0)) % ports
            };
            self.reads.extend(self.edges.iter().map(|&edge| read(turn(edge), edge)));
        } else {
            let colours = self.colouring.colour(&self.edges);
            self.reads.extend(self.edges.iter().zip(colours).map(|(&edge, &turn)| read(turn as usize, edge)));
        }
        for &(_, memory) in &self.edges {
            self.rank[usize::from(memory)] = NONE;
        }
    }

    /// The reads, by turn and then output.
    pub fn reads(&self) -> &[Read] {
        &self.reads
    }

    /// How many sub-steps there are.
    pub fn substeps(&self) -> usize {
        self.substeps
    }

    /// For how many of them the Latin square was enough.
    pub fn latin_substeps(&self) -> usize {
        self.latin
    }

    /// The most cells that an output is to read from one memory.
    pub fn most_of_a_memory(&self) -> usize {
        self.most_of_a_memory
    }
}
