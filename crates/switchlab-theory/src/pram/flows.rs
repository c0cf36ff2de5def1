//! The scheduler for striped flows, paper 000, section V-B, as a program: one slot from the flows
//! of the arrivals to their memories.
//!
//! A memory is compatible with a cell if it was given none of the last P-1 cells of its flow. The
//! cells of a flow are numbered, and a table holds for each flow and memory the number of the last
//! cell of the flow that the memory was given. So one read tells whether an edge is there. A list
//! of the last P-1 memories of each flow, as in the fast path, would take P-1 reads.
//!
//! The paper needs no prefix sums here. That holds if no two cells of a flow arrive in a slot. Here
//! they may, and their numbers are by the order of inputs: a prefix sum over the inputs of the same
//! flow, as short as the one over those of an output that it replaces. What output controllers
//! read is no part of the program.
//!
//! The first N^2 processors have two inputs each, p / N and p mod N, before there are edges. Then
//! they are those of the [`Matching`], and after that the first M have a memory each.

use super::machine::{Array, Costs, Fault, Word};
use super::matching::{Layout, Matching, NOTHING, doublings};
use alloc::vec;
use alloc::vec::Vec;
use switchlab_core::Port;

/// Where things are, besides those of the matching.
#[derive(Clone, Copy, Debug)]
struct Tables {
    stripe: usize,
    /// For each input the flow of its new cell, among those of all outputs: written from outside.
    flows: Array,
    /// By input and input: whether their cells are of one flow; then how many up to here.
    alike: Array,
    /// By flow: its cells so far.
    counts: Array,
    /// For each input the number of its cell in its flow.
    numbers: Array,
    /// By flow and memory: the number of the last cell of the flow that the memory was given.
    last: Array,
}

/// The scheduler: a machine with its program.
///
/// ```
/// use switchlab_theory::pram::FlowScheduler;
///
/// // Two inputs, two flows striped over two memories each; 3 = P-1+Gamma memories.
/// let mut scheduler = FlowScheduler::new(2, 2, 2, 3);
/// assert_eq!(scheduler.slot(&[Some(0), Some(1)])?, [0, 1]);
/// // The next cell of flow 0 may not go to memory 0, and that of flow 1 not to memory 1.
/// assert_eq!(scheduler.slot(&[Some(1), Some(0)])?, [0, 2]);
/// # Ok::<(), switchlab_theory::pram::Fault>(())
/// ```
#[derive(Clone, Debug)]
pub struct FlowScheduler {
    matching: Matching,
    tables: Tables,
}

impl FlowScheduler {
    /// For N ports, that number of flows of all outputs together, each striped over P of M
    /// memories, all at least 1. With M >= P-1+Gamma it never fails.
    pub fn new(ports: usize, flows: usize, stripe: usize, memories: usize) -> Self {
        let (ports, flows, stripe, memories) = (ports.max(1), flows.max(1), stripe.max(1), memories.max(1));
        let mut matching = Matching::new(ports, memories, ports * ports + ports + memories);
        let mut reserve = |length| matching.machine.reserve(length, NOTHING);
        let tables = Tables {
            stripe,
            flows: reserve(ports),
            alike: reserve(ports * ports),
            counts: reserve(flows),
            numbers: reserve(ports),
            last: reserve(flows * memories),
        };
        matching.machine.put(tables.counts, vec![0; flows]);
        Self { matching, tables }
    }

    /// Runs the program for the next slot, in which each input has a cell of a flow, or none: the
    /// memory of each cell, or `NONE`. A flow that does not exist is a fault of access.
    pub fn slot(&mut self, flows: &[Option<usize>]) -> Result<Vec<Port>, Fault> {
        let tables = self.tables;
        self.matching.machine.restart();
        let words = flows.iter().map(|flow| flow.map_or(NOTHING, |flow| flow as Word));
        self.matching.machine.put(tables.flows, words);
        self.number_cells()?;
        self.compute_compatibility()?;
        self.matching.find()?;
        self.update_table()?;
        match self.matching.unplaced(self.matching.machine.look(tables.flows)) {
            Some(input) => Err(Fault::Unplaced { input }),
            None => Ok(self.matching.memories()),
        }
    }

    /// Steps of the last slot, and processors and cells.
    pub fn costs(&self) -> Costs {
        self.matching.machine.costs()
    }

    /// A prefix sum for each input, over the inputs whose cells are of its flow: the r-th of them
    /// has the r-th number that is free. The last one counts them all.
    fn number_cells(&mut self) -> Result<(), Fault> {
        let Self { matching: Matching { machine, processors, layout, .. }, tables } = self;
        let Layout { ports, memories, .. } = *layout;
        let Tables { flows, alike, counts, numbers, .. } = *tables;
        let (square, all) = (ports * ports, ports * ports + ports + memories);
        machine.step(&mut processors[..all], |p, own, turn| match p.checked_sub(square) {
            None => own.held = turn.read(flows.at(p / ports)),
            Some(other) if other < ports => turn.write(layout.memory_of.at(other), NOTHING),
            Some(other) => turn.write(layout.input_of.at(other - ports), NOTHING),
        })?;
        machine.step(&mut processors[..square], |p, own, turn| {
            own.here = turn.read(flows.at(p % ports)) == own.held && own.held != NOTHING;
            own.sum = Word::from(own.here);
            turn.write(alike.at(p), own.sum);
        })?;
        for distance in (0..doublings(ports)).map(|doubling| 1 << doubling) {
            machine.step(&mut processors[..square], |p, own, turn| {
                if p % ports >= distance {
                    own.sum += turn.read(alike.at(p - distance));
                    turn.write(alike.at(p), own.sum);
                }
            })?;
        }
        // Of the processors of an input, the one that has it twice goes on.
        machine.step(&mut processors[..square], |p, own, turn| {
            if own.here && p % ports == p / ports {
                own.kept = turn.read(counts.at(own.held as usize));
                turn.write(numbers.at(p / ports), own.kept + own.sum - 1);
            }
        })?;
        machine.step(&mut processors[..square], |p, own, turn| {
            if own.here && p % ports == p / ports {
                let all = turn.read(alike.at(p / ports * ports + ports - 1));
                if own.sum == all {
                    turn.write(counts.at(own.held as usize), own.kept + all);
                }
            }
        })
    }

    /// An edge for each memory that was given none of the last P-1 cells of the flow.
    fn compute_compatibility(&mut self) -> Result<(), Fault> {
        let Self { matching: Matching { machine, processors, layout, .. }, tables } = self;
        let Layout { ports, memories, edges, .. } = *layout;
        let Tables { stripe, flows, numbers, last, .. } = *tables;
        let processors = &mut processors[..ports * memories];
        machine.step(processors, |p, own, turn| own.held = turn.read(flows.at(p / memories)))?;
        machine.step(processors, |p, own, turn| {
            if own.held != NOTHING {
                own.kept = turn.read(numbers.at(p / memories));
            }
        })?;
        machine.step(processors, |p, own, turn| {
            own.here = own.held != NOTHING && {
                let given = turn.read(last.at(own.held as usize * memories + p % memories));
                given == NOTHING || own.kept - given >= stripe as Word
            };
            own.sum = Word::from(own.here);
            turn.write(edges.at(p), own.sum);
        })
    }

    /// Each memory notes the number of the cell that it is given.
    fn update_table(&mut self) -> Result<(), Fault> {
        let Self { matching: Matching { machine, processors, layout, .. }, tables } = self;
        let Layout { memories, input_of, .. } = *layout;
        let Tables { flows, numbers, last, .. } = *tables;
        let processors = &mut processors[..memories];
        machine.step(processors, |memory, own, turn| own.held = turn.read(input_of.at(memory)))?;
        machine.step(processors, |_, own, turn| {
            if own.held != NOTHING {
                own.kept = turn.read(flows.at(own.held as usize));
            }
        })?;
        machine.step(processors, |memory, own, turn| {
            if own.held != NOTHING {
                let number = turn.read(numbers.at(own.held as usize));
                turn.write(last.at(own.kept as usize * memories + memory), number);
            }
        })
    }
}
