//! Resequencing at the exit (`resequencing=final`): one unbounded resequencer for each output, with
//! priority levels, and robust against losses.
//!
//! Cells are kept in a list for each flow, in order. One cell leaves per slot: round robin over the
//! sources whose next cell is there.

use super::general::{Packet, Sets, Turn};
use crate::cell::{Cell, Port, Slot};
use alloc::vec;
use alloc::vec::Vec;

const NIL: u32 = u32::MAX;

/// A flow of a priority level at its output.
#[derive(Clone, Copy, Debug)]
struct Flow {
    /// The number that is next.
    expected: u32,
    /// When a cell last left, or the first one came.
    since: Slot,
    /// The list of cells that wait, in the order of their numbers.
    first: u32,
}

/// A cell that waits.
#[derive(Clone, Copy, Debug)]
struct Node {
    born: Slot,
    number: u32,
    next: u32,
}

/// The resequencers.
#[derive(Clone, Debug)]
pub(super) struct Exit {
    ports: usize,
    priorities: usize,
    /// Of priority levels; empty if they are strict.
    weights: Vec<u32>,
    /// By output, priority level and source.
    flows: Vec<Flow>,
    nodes: Vec<Node>,
    free: Vec<u32>,
    /// By output and priority level: sources whose next cell is here.
    next: Sets,
    /// By output and priority level; by output, among levels.
    turns: Vec<Turn>,
    level_turns: Vec<Turn>,
    /// By source, priority level and output: the number of the next cell that enters the fabric.
    numbers: Vec<u32>,
    /// Cells in all resequencers.
    pub(super) held: u64,
    /// By output: the slots that cells took to get here, and how many came.
    pub(super) waits: Vec<(u64, u64)>,
}

impl Exit {
    pub(super) fn new(ports: usize, priorities: usize, weights: &[u32]) -> Self {
        let flows = ports * ports * priorities;
        Self {
            ports,
            priorities,
            weights: weights.to_vec(),
            flows: vec![Flow { expected: 0, since: 0, first: NIL }; flows],
            nodes: Vec::new(),
            free: Vec::new(),
            next: Sets::new(ports * priorities, ports),
            turns: vec![Turn::first(&[]); ports * priorities],
            level_turns: vec![Turn::first(weights); ports],
            numbers: vec![0; flows],
            held: 0,
            waits: vec![(0, 0); ports],
        }
    }

    pub(super) fn bytes(ports: usize, priorities: usize) -> usize {
        ports * ports * priorities * (size_of::<Flow>() + 5) + 32 * ports * (priorities + 1)
    }

    /// Numbers a cell that enters the fabric: of a source, and of an output with, above it, its
    /// priority level.
    pub(super) fn number(&mut self, source: usize, lane: usize) -> u32 {
        let number = &mut self.numbers[source * self.ports * self.priorities + lane];
        *number = number.wrapping_add(1);
        number.wrapping_sub(1)
    }

    /// The index of the resequencer and priority level of a cell, and that of its flow.
    fn at(&self, output: usize, priority: usize, source: usize) -> (usize, usize) {
        let owner = output * self.priorities + priority;
        (owner, owner * self.ports + source)
    }

    /// The number that the flow of a cell expects.
    pub(super) fn expected(&self, cell: &Packet) -> u32 {
        self.flows[self.at(cell.destination.into(), cell.priority.into(), cell.source.into()).1].expected
    }

    /// The number of a cell of which only 16 bits are known: no cell is ahead of the expected one
    /// by more.
    pub(super) fn whole_number(&self, output: usize, source: usize, number: u16) -> u32 {
        let expected = self.flows[self.at(output, 0, source).1].expected;
        expected.wrapping_add(number.wrapping_sub(expected as u16).into())
    }

    /// Enqueues a cell that leaves the last stage, of a priority level and a source, with its
    /// arrival slot and number. False if it is late.
    pub(super) fn enqueue(
        &mut self,
        now: Slot,
        output: usize,
        (priority, source): (usize, Port),
        (born, number): (Slot, u32),
    ) -> bool {
        let (owner, flow) = self.at(output, priority, source.into());
        let flow = &mut self.flows[flow];
        if number.wrapping_sub(flow.expected) > u32::MAX / 2 {
            return false;
        }
        if flow.first == NIL {
            flow.since = now;
        }
        if number == flow.expected {
            self.next.set(owner, source.into(), true);
        }
        // Arrival slots ascend within a flow as numbers do, and never wrap around.
        let (mut before, mut after) = (NIL, flow.first);
        while after != NIL && self.nodes[after as usize].born < born {
            (before, after) = (after, self.nodes[after as usize].next);
        }
        let node = self.free.pop().unwrap_or(self.nodes.len() as u32);
        let cell = Node { born, number, next: after };
        match self.nodes.get_mut(node as usize) {
            Some(free) => *free = cell,
            None => self.nodes.push(cell),
        }
        match before {
            NIL => flow.first = node,
            _ => self.nodes[before as usize].next = node,
        }
        self.held += 1;
        let (slots, cells) = &mut self.waits[output];
        (*slots, *cells) = (*slots + u64::from(now.wrapping_sub(born)), *cells + 1);
        true
    }

    /// Each output sends one cell that is in sequence; returns how many did. With losses, flows
    /// that have waited longer than `patience` no longer wait for a cell.
    pub(super) fn depart(&mut self, now: Slot, patience: Option<u32>, departures: &mut [Cell]) -> u64 {
        let mut departed = 0;
        for (output, departure) in departures.iter_mut().enumerate() {
            if let Some(patience) = patience {
                self.give_up(now, output, patience);
            }
            let turn = self.level_turns[output].at;
            let first = if self.weights.is_empty() { 0 } else { turn.into() };
            let mut levels = (0..self.priorities).map(|step| (first + step) % self.priorities);
            let chosen = levels.find_map(|priority| Some((priority, self.turn(output, priority)?)));
            let Some((priority, source)) = chosen else { continue };
            let (owner, flow) = self.at(output, priority, source);
            self.turns[owner].served(&[], source, self.ports);
            self.level_turns[output].served(&self.weights, priority, self.priorities);
            let flow = &mut self.flows[flow];
            let Node { born, next, .. } = self.nodes[flow.first as usize];
            self.free.push(flow.first);
            (flow.first, flow.expected, flow.since) = (next, flow.expected.wrapping_add(1), now);
            let more = self.nodes.get(next as usize).is_some_and(|next| next.number == flow.expected);
            self.next.set(owner, source, more);
            self.held -= 1;
            departed += 1;
            *departure = Cell { born, input: source as Port };
        }
        departed
    }

    /// The source whose turn it is.
    fn turn(&self, output: usize, priority: usize) -> Option<usize> {
        let owner = output * self.priorities + priority;
        self.next.from(owner, self.turns[owner].at.into()).or_else(|| self.next.from(owner, 0))
    }

    fn give_up(&mut self, now: Slot, output: usize, patience: u32) {
        for lane in 0..self.priorities * self.ports {
            let (owner, own) = self.at(output, lane / self.ports, lane % self.ports);
            let flow = &mut self.flows[own];
            let head = self.nodes.get(flow.first as usize).map(|cell| cell.number);
            if let Some(number) = head.filter(|&number| number != flow.expected && now - flow.since >= patience) {
                flow.expected = number;
                self.next.set(owner, lane % self.ports, true);
            }
        }
    }

    /// All cells.
    pub(super) fn cells(&self) -> impl Iterator<Item = Packet> {
        self.flows.iter().enumerate().flat_map(move |(at, flow)| {
            let (owner, source) = (at / self.ports, (at % self.ports) as Port);
            let (destination, priority) = ((owner / self.priorities) as Port, (owner % self.priorities) as u8);
            let mut next = flow.first;
            core::iter::from_fn(move || {
                let node = self.nodes.get(next as usize)?;
                next = node.next;
                let mut cell = Packet { born: node.born, source, destination, priority, ..Packet::default() };
                cell.numbers[0] = node.number;
                Some(cell)
            })
        })
    }
}
