//! Resequencing at the exit, with priority levels, and robust against losses.

use super::store::{Fifo, Packet, Pool, Sets};
use super::turns::Turn;
use crate::cell::{Cell, Slot};
use alloc::vec;
use alloc::vec::Vec;

/// A flow of a priority level at its output.
#[derive(Clone, Copy, Debug)]
struct Flow {
    /// The number that is next.
    expected: u32,
    /// When a cell last left, or the first one came.
    since: Slot,
    /// Cells that wait, in the order of their numbers.
    cells: Fifo,
}

/// The resequencers, unbounded: one for each output.
#[derive(Clone, Debug)]
pub(super) struct Exit {
    ports: usize,
    priorities: usize,
    /// Of priority levels; empty if they are strict.
    weights: Vec<u32>,
    /// By output, priority level and source.
    flows: Vec<Flow>,
    /// By output and priority level: sources whose next cell is here.
    next: Sets,
    /// By output and priority level; by output, among levels.
    turns: Vec<Turn>,
    level_turns: Vec<Turn>,
    /// By source, priority level and output: the number of the next cell that enters the fabric.
    numbers: Vec<u32>,
    pub(super) held: u64,
}

impl Exit {
    pub(super) fn new(ports: usize, priorities: usize, weights: &[u32]) -> Self {
        let flows = ports * ports * priorities;
        Self {
            ports,
            priorities,
            weights: weights.to_vec(),
            flows: vec![Flow { expected: 0, since: 0, cells: Fifo::EMPTY }; flows],
            next: Sets::new(ports * priorities, ports),
            turns: vec![Turn::first(&[]); ports * priorities],
            level_turns: vec![Turn::first(weights); ports],
            numbers: vec![0; flows],
            held: 0,
        }
    }

    pub(super) fn bytes(ports: usize, priorities: usize) -> usize {
        ports * ports * priorities * (size_of::<Flow>() + 5) + 16 * ports * (priorities + 1)
    }

    /// The number of a cell that enters the fabric.
    pub(super) fn number(&mut self, cell: &Packet) -> u32 {
        let lane = usize::from(cell.priority) * self.ports + usize::from(cell.destination);
        let number = &mut self.numbers[usize::from(cell.source) * self.ports * self.priorities + lane];
        *number = number.wrapping_add(1);
        number.wrapping_sub(1)
    }

    /// The resequencer and priority level of a cell, and its flow.
    fn at(&self, output: usize, priority: usize, source: usize) -> (usize, usize) {
        let owner = output * self.priorities + priority;
        (owner, owner * self.ports + source)
    }

    /// Enqueues a cell that leaves the last stage. False if it is late.
    pub(super) fn enqueue(&mut self, pool: &mut Pool, now: Slot, output: usize, cell: Packet) -> bool {
        let source = usize::from(cell.source);
        let (owner, flow) = self.at(output, cell.priority.into(), source);
        let flow = &mut self.flows[flow];
        let expected = flow.expected;
        let ahead = |cell: &Packet| cell.numbers[0].wrapping_sub(expected);
        if ahead(&cell) > u32::MAX / 2 {
            return false;
        }
        if flow.cells.is_empty() {
            flow.since = now;
        }
        if cell.numbers[0] == expected {
            self.next.set(owner, source, true);
        }
        pool.insert(&mut flow.cells, cell, ahead);
        self.held += 1;
        true
    }

    /// Each output sends one cell that is in sequence; returns how many did. With losses, flows
    /// that have waited longer than `patience` no longer wait for a cell.
    pub(super) fn depart(&mut self, pool: &mut Pool, now: Slot, patience: Option<u32>, departures: &mut [Cell]) -> u64 {
        let mut departed = 0;
        for (output, departure) in departures.iter_mut().enumerate() {
            if let Some(patience) = patience {
                self.give_up(pool, now, output, patience);
            }
            let turn = self.level_turns[output].at;
            let first = if self.weights.is_empty() { 0 } else { turn.into() };
            let levels = (0..self.priorities).map(|step| (first + step) % self.priorities);
            let chosen = levels.into_iter().find_map(|priority| Some((priority, self.turn(output, priority)?)));
            let Some((priority, source)) = chosen else { continue };
            let (owner, flow) = self.at(output, priority, source);
            self.turns[owner].served(&[], source, self.ports);
            self.level_turns[output].served(&self.weights, priority, self.priorities);
            let flow = &mut self.flows[flow];
            let cell = pool.pop(&mut flow.cells).expect("a flow whose next cell is here has it");
            flow.expected = flow.expected.wrapping_add(1);
            flow.since = now;
            let more = pool.head(&flow.cells).is_some_and(|next| next.numbers[0] == flow.expected);
            self.next.set(owner, source, more);
            self.held -= 1;
            departed += 1;
            *departure = cell.departure();
        }
        departed
    }

    /// The source whose turn it is.
    fn turn(&self, output: usize, priority: usize) -> Option<usize> {
        let owner = output * self.priorities + priority;
        self.next.from(owner, self.turns[owner].at.into()).or_else(|| self.next.from(owner, 0))
    }

    fn give_up(&mut self, pool: &Pool, now: Slot, output: usize, patience: u32) {
        for lane in 0..self.priorities * self.ports {
            let (owner, own) = self.at(output, lane / self.ports, lane % self.ports);
            let flow = &mut self.flows[own];
            let head = pool.head(&flow.cells).map(|cell| cell.numbers[0]);
            if let Some(number) = head.filter(|&number| number != flow.expected && now - flow.since >= patience) {
                flow.expected = number;
                self.next.set(owner, lane % self.ports, true);
            }
        }
    }

    /// Visits all cells.
    pub(super) fn for_each<'a>(&'a self, pool: &'a Pool) -> impl Iterator<Item = &'a Packet> {
        self.flows.iter().flat_map(|flow| pool.cells(&flow.cells))
    }
}
