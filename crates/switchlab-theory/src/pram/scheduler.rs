//! The scheduler of paper 000, section IV, as a program: one slot from the arrivals to the two
//! assignments.
//!
//! The first N^2 processors have an output p / N and an input p mod N each, before there are edges.
//! Then they are those of the [`Matching`], and after that the first M have a memory each.

use super::machine::{Array, Costs, Fault, Word};
use super::matching::{Layout, Matching, NOTHING, doublings};
use alloc::vec;
use alloc::vec::Vec;
use switchlab_core::{NONE, Port};

/// Where things are, besides those of the matching.
#[derive(Clone, Copy, Debug)]
struct Tables {
    capacity: usize,
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

/// The scheduler: a machine with its program, and the slot.
#[derive(Clone, Debug)]
pub struct Scheduler {
    matching: Matching,
    tables: Tables,
    now: usize,
}

impl Scheduler {
    /// For N ports, M memories and queues of K cells, each at least 1. With M >= N-1+Gamma it never
    /// fails.
    pub fn new(ports: usize, memories: usize, capacity: usize) -> Self {
        let (ports, memories, capacity) = (ports.max(1), memories.max(1), capacity.max(1));
        let mut matching = Matching::new(ports, memories, ports * ports + 2 * ports + memories);
        let mut reserve = |length| matching.machine.reserve(length, NOTHING);
        let tables = Tables {
            capacity,
            destinations: reserve(ports),
            counts: reserve(ports * ports),
            lengths: reserve(ports),
            departures: reserve(ports),
            table: reserve(memories * capacity),
            output_of: reserve(memories),
        };
        matching.machine.put(tables.lengths, vec![0; ports]);
        Self { matching, tables, now: 0 }
    }

    /// Runs the program for the next slot, whose arrivals are for each input an output or [`NONE`].
    pub fn slot(&mut self, arrivals: &[Port]) -> Result<Assignment, Fault> {
        let tables = self.tables;
        self.matching.machine.restart();
        let destination = |&output: &Port| if output == NONE { NOTHING } else { Word::from(output) };
        self.matching.machine.put(tables.destinations, arrivals.iter().map(destination));
        self.compute_departure_times()?;
        self.compute_compatibility()?;
        self.matching.find()?;
        self.update_table()?;
        self.now += 1;
        let due = self.matching.machine.look(tables.departures);
        if let Some(input) = self.matching.unplaced(due) {
            return Err(Fault::Unplaced { input });
        }
        Ok(Assignment { memories: self.matching.memories(), outputs: self.matching.ports(tables.output_of) })
    }

    /// Steps of the last slot, and processors and cells.
    pub fn costs(&self) -> Costs {
        self.matching.machine.costs()
    }

    /// Section IV-B: a prefix sum for each output; who is the r-th for an output with q cells
    /// leaves in slot t + q + r - 1, unless q + r > K.
    fn compute_departure_times(&mut self) -> Result<(), Fault> {
        let Self { matching: Matching { machine, processors, layout, .. }, tables, now } = self;
        let Layout { ports, memories, .. } = *layout;
        let Tables { capacity, destinations, counts, lengths, departures, .. } = *tables;
        let (square, all) = (ports * ports, ports * ports + 2 * ports + memories);
        // Each takes its own part, where the paper has a zero everywhere first and then ones. The
        // others clear what the last slot has left.
        machine.step(&mut processors[..all], |p, own, turn| match p.checked_sub(square) {
            None => {
                own.here = turn.read(destinations.at(p % ports)) == (p / ports) as Word;
                own.sum = Word::from(own.here);
                turn.write(counts.at(p), own.sum);
            }
            Some(other) if other < ports => turn.write(departures.at(other), NOTHING),
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
                turn.write(departures.at(p % ports), due as Word);
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

    /// Section IV-C: an edge for each memory that holds no cell due at the same time.
    fn compute_compatibility(&mut self) -> Result<(), Fault> {
        let Self { matching: Matching { machine, processors, layout, .. }, tables, .. } = self;
        let Layout { ports, memories, edges, .. } = *layout;
        let Tables { capacity, departures, table, .. } = *tables;
        let processors = &mut processors[..ports * memories];
        machine.step(processors, |p, own, turn| own.held = turn.read(departures.at(p / memories)))?;
        machine.step(processors, |p, own, turn| {
            let place = (p % memories) * capacity;
            own.here = own.held != NOTHING && turn.read(table.at(place + own.held as usize)) == NOTHING;
            own.sum = Word::from(own.here);
            turn.write(edges.at(p), own.sum);
        })
    }

    /// Section IV-C, the end of a slot: what was written is entered, what is due is read and
    /// cleared. A cell that came in this slot may be due.
    fn update_table(&mut self) -> Result<(), Fault> {
        let Self { matching: Matching { machine, processors, layout, .. }, tables, now } = self;
        let Layout { memories, input_of, .. } = *layout;
        let Tables { capacity, table, departures, destinations, output_of, .. } = *tables;
        let processors = &mut processors[..memories];
        let place = *now % capacity;
        machine.step(processors, |memory, own, turn| own.held = turn.read(input_of.at(memory)))?;
        machine.step(processors, |_, own, turn| {
            if own.held != NOTHING {
                own.sum = turn.read(departures.at(own.held as usize));
            }
        })?;
        machine.step(processors, |memory, own, turn| {
            if own.held != NOTHING {
                let output = turn.read(destinations.at(own.held as usize));
                turn.write(table.at(memory * capacity + own.sum as usize), output);
            }
        })?;
        machine.step(processors, |memory, _, turn| {
            let output = turn.read(table.at(memory * capacity + place));
            turn.write(output_of.at(memory), output);
        })?;
        machine.step(processors, |memory, _, turn| turn.write(table.at(memory * capacity + place), NOTHING))
    }
}
