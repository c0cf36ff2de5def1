//! The scheduler of paper 000, section IV, as a program: one slot from the arrivals to the two
//! assignments.
//!
//! Processor p of the first N M has the edge between input p / M and memory p mod M, seen from its
//! input; processor N M + p has the same edge, seen from its memory. Before there are edges, the
//! first N^2 have an output p / N and an input p mod N, and after that the first M a memory each.

use super::machine::{Array, Costs, Fault, Machine, Word};
use alloc::vec;
use alloc::vec::Vec;
use switchlab_core::switch::shared_memory::gamma;
use switchlab_core::{NONE, Port};

/// Nothing, in a cell that otherwise holds a number: the -1 of the paper.
const NOTHING: Word = Word::MAX;

/// What a processor holds from step to step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Registers {
    /// A sum of prefixes under way, and then a rank, from 1.
    pub(super) sum: Word,
    /// Whether its input has a cell for its output; then, whether its edge is there.
    pub(super) here: bool,
    /// Whatever was read last and is needed again.
    pub(super) held: Word,
    /// How far its walk has got.
    pub(super) dart: super::halving::Dart,
}

/// Where things are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub(super) ports: usize,
    pub(super) memories: usize,
    capacity: usize,
    pub(super) gamma: usize,
    /// For each input the output of its new cell: written from outside.
    destinations: Array,
    /// D: by output and input, whether there is a cell; then how many up to here.
    counts: Array,
    /// L, as the readings define it: by output, its cells inside.
    lengths: Array,
    /// The departure slot of each input's cell, mod K.
    departures: Array,
    /// T: by memory and departure slot mod K, the output of the cell.
    table: Array,
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
    /// The output to which each memory sends.
    output_of: Array,
}

/// What was decided for a slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// For each input the memory that its cell is written to, or [`NONE`].
    pub memories: Vec<Port>,
    /// For each memory the output that it sends a cell to in this slot, or [`NONE`].
    pub outputs: Vec<Port>,
}

/// The scheduler: a machine, its program, and the slot.
#[derive(Clone, Debug)]
pub struct Scheduler {
    pub(super) machine: Machine,
    pub(super) processors: Vec<Registers>,
    pub(super) layout: Layout,
    now: usize,
    /// Halvings begun so far: tells apart what is in a cell from what was left there.
    pub(super) round: Word,
}

/// The number of doublings that reach over `length` neighbours.
pub(super) fn doublings(length: usize) -> u32 {
    length.next_power_of_two().trailing_zeros()
}

impl Scheduler {
    /// For N ports, M memories and queues of K cells, each at least 1. With M >= N-1+Gamma it never
    /// fails.
    pub fn new(ports: usize, memories: usize, capacity: usize) -> Self {
        let (ports, memories, capacity) = (ports.max(1), memories.max(1), capacity.max(1));
        let gamma = gamma(ports);
        let mut machine = Machine::new();
        let mut reserve = |length| machine.reserve(length, NOTHING);
        let layout = Layout {
            ports,
            memories,
            capacity,
            gamma,
            destinations: reserve(ports),
            counts: reserve(ports * ports),
            lengths: reserve(ports),
            departures: reserve(ports),
            table: reserve(memories * capacity),
            edges: reserve(ports * memories),
            columns: reserve(ports * memories),
            at_input: reserve(ports * gamma),
            at_memory: reserve(memories * gamma),
            walks: reserve(2 * ports * memories),
            memory_of: reserve(ports),
            input_of: reserve(memories),
            output_of: reserve(memories),
        };
        machine.put(layout.lengths, vec![0; ports]);
        let processors = (2 * ports * memories).max(ports * ports + 2 * ports + memories);
        Self { machine, processors: vec![Registers::default(); processors], layout, now: 0, round: 0 }
    }

    /// Runs the program for the next slot, whose arrivals are for each input an output or [`NONE`].
    pub fn slot(&mut self, arrivals: &[Port]) -> Result<Assignment, Fault> {
        let layout = self.layout;
        self.machine.restart();
        let destination = |&output: &Port| if output == NONE { NOTHING } else { Word::from(output) };
        self.machine.put(layout.destinations, arrivals.iter().map(destination));
        self.compute_departure_times()?;
        self.compute_compatibility()?;
        for halving in 0..layout.gamma.trailing_zeros() {
            self.halve(layout.gamma >> halving)?;
        }
        self.write_matching()?;
        self.update_table()?;
        self.now += 1;
        let (departures, memories) = (self.machine.look(layout.departures), self.machine.look(layout.memory_of));
        let unplaced = |(due, memory): (&Word, &Word)| *due != NOTHING && *memory == NOTHING;
        if let Some(input) = departures.iter().zip(memories).position(unplaced) {
            return Err(Fault::Unplaced { input });
        }
        let ports = |array| self.machine.look(array).iter().map(|&word| Port::try_from(word).unwrap_or(NONE)).collect();
        Ok(Assignment { memories: ports(layout.memory_of), outputs: ports(layout.output_of) })
    }

    /// Steps of the last slot, and processors and cells.
    pub fn costs(&self) -> Costs {
        self.machine.costs()
    }

    /// Section IV-B: a prefix sum for each output; who is the r-th for an output with q cells
    /// leaves in slot t + q + r - 1, unless q + r > K.
    fn compute_departure_times(&mut self) -> Result<(), Fault> {
        let Self { machine, processors, layout, now, .. } = self;
        let Layout { ports, memories, capacity, destinations, counts, lengths, .. } = *layout;
        let (square, all) = (ports * ports, ports * ports + 2 * ports + memories);
        // Each takes its own part, where the paper has a zero everywhere first and then ones. The
        // others clear what the last slot has left.
        machine.step(&mut processors[..all], |p, own, turn| match p.checked_sub(square) {
            None => {
                own.here = turn.read(destinations.at(p % ports)) == (p / ports) as Word;
                own.sum = Word::from(own.here);
                turn.write(counts.at(p), own.sum);
            }
            Some(other) if other < ports => turn.write(layout.departures.at(other), NOTHING),
            Some(other) if other < 2 * ports => turn.write(layout.memory_of.at(other - ports), NOTHING),
            Some(other) => turn.write(layout.input_of.at(other - 2 * ports), NOTHING),
        })?;
        for distance in (0..doublings(ports)).map(|doubling| 1 << doubling) {
            machine.step(&mut processors[..square], |p, own, turn| {
                if p % ports >= distance {
                    own.sum += turn.read(counts.at(p - distance));
                    turn.write(counts.at(p), own.sum);
                }
            })?;
        }
        let place = *now % capacity;
        machine.step(&mut processors[..square], |p, own, turn| {
            own.held = turn.read(lengths.at(p / ports));
            if own.here && own.held + own.sum <= capacity as Word {
                let due = (place + (own.held + own.sum) as usize - 1) % capacity;
                turn.write(layout.departures.at(p % ports), due as Word);
            }
        })?;
        // The last sum of each output is that of all its arrivals: exclusive writes, where the
        // paper has every input add to L.
        machine.step(&mut processors[..square], |p, own, turn| {
            if p % ports == ports - 1 {
                let length = (own.held + own.sum).min(capacity as Word);
                turn.write(lengths.at(p / ports), length.saturating_sub(1));
            }
        })
    }

    /// Section IV-C, and the pruning of IV-D: an edge for each memory that holds no cell due at the
    /// same time, the first Gamma of each input.
    fn compute_compatibility(&mut self) -> Result<(), Fault> {
        let Self { machine, processors, layout, .. } = self;
        let Layout { ports, memories, capacity, gamma, edges, .. } = *layout;
        let processors = &mut processors[..ports * memories];
        machine.step(processors, |p, own, turn| own.held = turn.read(layout.departures.at(p / memories)))?;
        machine.step(processors, |p, own, turn| {
            let place = (p % memories) * capacity;
            own.here = own.held != NOTHING && turn.read(layout.table.at(place + own.held as usize)) == NOTHING;
            own.sum = Word::from(own.here);
            turn.write(edges.at(p), own.sum);
        })?;
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

    /// Section IV-C, the end of a slot: what was written is entered, what is due is read and
    /// cleared. A cell that came in this slot may be due.
    fn update_table(&mut self) -> Result<(), Fault> {
        let Self { machine, processors, layout, now, .. } = self;
        let Layout { memories, capacity, table, input_of, .. } = *layout;
        let processors = &mut processors[..memories];
        let place = *now % capacity;
        machine.step(processors, |memory, own, turn| own.held = turn.read(input_of.at(memory)))?;
        machine.step(processors, |_, own, turn| {
            if own.held != NOTHING {
                own.sum = turn.read(layout.departures.at(own.held as usize));
            }
        })?;
        machine.step(processors, |memory, own, turn| {
            if own.held != NOTHING {
                let output = turn.read(layout.destinations.at(own.held as usize));
                turn.write(table.at(memory * capacity + own.sum as usize), output);
            }
        })?;
        machine.step(processors, |memory, _, turn| {
            let output = turn.read(table.at(memory * capacity + place));
            turn.write(layout.output_of.at(memory), output);
        })?;
        machine.step(processors, |memory, _, turn| turn.write(table.at(memory * capacity + place), NOTHING))
    }
}
