//! Matching inputs with memories, section IV-D and appendix A: what the schedulers for first come,
//! first served and for striped flows have in common.
//!
//! Processor p of the first N M has the edge between input p / M and memory p mod M, seen from its
//! input; processor N M + p has the same edge, seen from its memory.

use super::machine::{Array, Fault, Machine, Word};
use alloc::vec;
use alloc::vec::Vec;
use switchlab_core::switch::shared_memory::gamma;
use switchlab_core::{NONE, Port};

/// Nothing, in a cell that otherwise holds a number: the -1 of the paper.
pub(super) const NOTHING: Word = Word::MAX;

/// What a processor holds from step to step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Registers {
    /// A sum of prefixes under way, and then a rank, from 1.
    pub(super) sum: Word,
    /// Whether what it counts is there: a cell, and then its edge.
    pub(super) here: bool,
    /// What was read before and is needed again.
    pub(super) held: Word,
    /// Likewise.
    pub(super) kept: Word,
    /// How far its walk has got.
    pub(super) dart: super::halving::Dart,
}

/// Where things are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub(super) ports: usize,
    pub(super) memories: usize,
    pub(super) gamma: usize,
    /// C: by input and memory, whether there is an edge; then how many up to here.
    pub(super) edges: Array,
    /// The same, counted along memories.
    pub(super) columns: Array,
    /// By input and rank: the edge of that rank.
    pub(super) at_input: Array,
    /// By memory and rank: likewise.
    pub(super) at_memory: Array,
    /// By dart: how far its walk has got.
    pub(super) walks: Array,
    /// The memory of each input.
    pub(super) memory_of: Array,
    /// B: the input of each memory.
    pub(super) input_of: Array,
}

/// A machine, and the part of its program that finds a matching.
#[derive(Clone, Debug)]
pub(super) struct Matching {
    pub(super) machine: Machine,
    pub(super) processors: Vec<Registers>,
    pub(super) layout: Layout,
    /// Halvings begun so far: tells apart what is in a cell from what was left there.
    pub(super) round: Word,
}

/// The number of doublings that reach over `length` neighbours.
pub(super) fn doublings(length: usize) -> u32 {
    length.next_power_of_two().trailing_zeros()
}

impl Matching {
    /// For N inputs and M memories, on a machine that has at least that number of processors.
    pub(super) fn new(ports: usize, memories: usize, processors: usize) -> Self {
        let gamma = gamma(ports);
        let mut machine = Machine::new();
        let mut reserve = |length| machine.reserve(length, NOTHING);
        let layout = Layout {
            ports,
            memories,
            gamma,
            edges: reserve(ports * memories),
            columns: reserve(ports * memories),
            at_input: reserve(ports * gamma),
            at_memory: reserve(memories * gamma),
            walks: reserve(2 * ports * memories),
            memory_of: reserve(ports),
            input_of: reserve(memories),
        };
        let processors = processors.max(2 * ports * memories);
        Self { machine, processors: vec![Registers::default(); processors], layout, round: 0 }
    }

    /// Finds the matching. The processors of all edges hold whether theirs is there, and have
    /// written it; the memories of inputs and the inputs of memories hold nothing.
    pub(super) fn find(&mut self) -> Result<(), Fault> {
        self.prune()?;
        for halving in 0..self.layout.gamma.trailing_zeros() {
            self.halve(self.layout.gamma >> halving)?;
        }
        self.write_matching()
    }

    /// Section IV-D: the first Gamma edges of each input stay.
    pub(super) fn prune(&mut self) -> Result<(), Fault> {
        let Self { machine, processors, layout, .. } = self;
        let Layout { ports, memories, gamma, edges, .. } = *layout;
        let processors = &mut processors[..ports * memories];
        for distance in (0..doublings(memories)).map(|doubling| 1 << doubling) {
            machine.step(processors, |p, own, turn| {
                if p % memories >= distance {
                    own.sum += turn.read(edges.at(p - distance));
                    turn.write(edges.at(p), own.sum);
                }
            })?;
        }
        machine.step(processors, |p, own, turn| {
            own.here &= own.sum <= gamma as Word;
            turn.write(edges.at(p), Word::from(own.here));
        })
    }

    /// The edges that are left are the matching: at most one at each input and memory, so that
    /// writes are exclusive.
    fn write_matching(&mut self) -> Result<(), Fault> {
        let Self { machine, processors, layout, .. } = self;
        let Layout { ports, memories, edges, .. } = *layout;
        let all = ports * memories;
        machine.step(&mut processors[..2 * all], |p, own, turn| {
            if p < all {
                if own.here {
                    turn.write(layout.memory_of.at(p / memories), (p % memories) as Word);
                }
            } else if turn.read(edges.at(p - all)) == 1 {
                turn.write(layout.input_of.at((p - all) % memories), ((p - all) / memories) as Word);
            }
        })
    }

    /// An input that has a cell, as these words say, and no memory.
    pub(super) fn unplaced(&self, cells: &[Word]) -> Option<usize> {
        let memories = self.machine.look(self.layout.memory_of);
        cells.iter().zip(memories).position(|(cell, memory)| *cell != NOTHING && *memory == NOTHING)
    }

    /// For each input its memory, or [`NONE`].
    pub(super) fn memories(&self) -> Vec<Port> {
        self.ports(self.layout.memory_of)
    }

    /// The words of an array as ports or memories; [`NONE`] for nothing.
    pub(super) fn ports(&self, array: Array) -> Vec<Port> {
        self.machine.look(array).iter().map(|&word| Port::try_from(word).unwrap_or(NONE)).collect()
    }
}
