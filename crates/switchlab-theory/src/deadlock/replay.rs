//! The steps of a model again, with whole cells and their sequence numbers: a check on the model,
//! and who waits for whom in the end.

use super::model::{Model, State};
use super::moves::Step;
use alloc::collections::VecDeque;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use switchlab_core::switch::failure::{Buffer, Need, Side, Wait};
use switchlab_core::{Port, Slot};

/// Levels of the largest model.
const LEVELS: usize = 4;

#[derive(Clone, Copy, Debug)]
struct Packet {
    source: usize,
    born: Slot,
    /// By level: the distribution element that it has passed, and the number that this gave it.
    passed: [Option<(usize, usize)>; LEVELS],
}

/// One of the two buffers that make up a queue.
type Node = (usize, Side);

struct Replay<'a> {
    model: &'a Model,
    state: State,
    queues: Vec<VecDeque<Packet>>,
    /// By level and element: numbers given, and numbers taken.
    given: Vec<usize>,
    taken: Vec<usize>,
}

/// Takes the steps, and returns a circle of cells that wait for each other: empty if something can
/// still move. Output 0 stands for the destination, and the numbers of steps for slots. An error
/// says which step was impossible, or took a cell out of order; then the model is wrong, or the
/// steps are another's.
pub fn replay(model: &Model, steps: &[Step]) -> Result<Vec<Wait>, String> {
    replay_from(model, &[], steps)
}

/// [`replay`] from an empty fabric with these pointers, by level and element; 0 where there are
/// fewer.
pub fn replay_from(model: &Model, pointers: &[u8], steps: &[Step]) -> Result<Vec<Wait>, String> {
    let state = model.start_at(pointers);
    let elements = state.elements.len();
    let queues = vec![VecDeque::new(); state.fifos.len()];
    let mut replay = Replay { model, state, queues, given: vec![0; elements], taken: vec![0; elements] };
    for (slot, &step) in (0..).zip(steps) {
        replay.step(slot, step).map_err(|problem| format!("step {slot}, {step:?}: {problem}"))?;
    }
    let mut left = Vec::new();
    model.steps(&replay.state, &mut left);
    Ok(if left.is_empty() { replay.circle() } else { Vec::new() })
}

impl Replay<'_> {
    fn step(&mut self, slot: Slot, step: Step) -> Result<(), String> {
        let model = self.model;
        let mut possible = Vec::new();
        model.steps(&self.state, &mut possible);
        model.arrivals(&self.state, &mut possible);
        if !possible.contains(&step) {
            return Err("is not possible here".into());
        }
        match step {
            Step::Arrive { element, output } => {
                let given = self.given[usize::from(element)];
                let source = usize::from(element) * model.radix + given % model.radix;
                self.put(0, element, output, Packet { source, born: slot, passed: [None; LEVELS] });
            }
            Step::Merge { level, element, input, output } => {
                let packet = self.queues[model.before(level.into(), element.into(), input.into())].pop_front();
                self.put(level, element, output, packet.ok_or("takes from an empty queue")?);
            }
            Step::Take { level, element } => {
                let (level, element) = (usize::from(level), usize::from(element));
                let at = level * model.per_level() + element;
                let path = model.next_path(&self.state.elements[at]).ok_or("nothing is outstanding")?;
                let packet = self.queues[model.behind(level, element, path)].pop_front().ok_or("takes nothing")?;
                if packet.passed[level] != Some((element, self.taken[at])) {
                    return Err(format!("{packet:?} is not number {}", self.taken[at]));
                }
                self.taken[at] += 1;
                if level > 0 {
                    let (network, _) = model.split(level, element);
                    self.queues[model.routed(level, network, packet.source / model.power(level))].push_back(packet);
                }
            }
            Step::Send { .. } => {}
        }
        model.apply(&mut self.state, step);
        let lengths = self.state.fifos.iter().map(|fifo| usize::from(fifo.length));
        if lengths.ne(self.queues.iter().map(VecDeque::len)) {
            return Err("queues have other lengths".into());
        }
        Ok(())
    }

    fn put(&mut self, level: u8, element: u8, output: u8, mut packet: Packet) {
        let (level, element) = (usize::from(level), usize::from(element));
        let number = &mut self.given[level * self.model.per_level() + element];
        packet.passed[level] = Some((element, *number));
        *number += 1;
        self.queues[self.model.distributed(level, element, output.into())].push_back(packet);
    }

    /// Follows who waits for whom from any cell until a buffer comes again.
    fn circle(&self) -> Vec<Wait> {
        let Some(first) = (0..self.queues.len()).find(|&queue| !self.queues[queue].is_empty()) else {
            return Vec::new();
        };
        let mut path: Vec<(Node, Need)> = Vec::new();
        let mut node = (first, Side::Input);
        loop {
            if let Some(start) = path.iter().position(|(before, _)| *before == node) {
                return path[start..].iter().filter_map(|&(node, need)| self.wait(node, need)).collect();
            }
            let Some((next, need)) = self.next(node) else { return Vec::new() };
            path.push((node, need));
            node = next;
        }
    }

    /// Whom the first cell of a buffer waits for, in a state in which nothing moves.
    fn next(&self, (queue, side): Node) -> Option<(Node, Need)> {
        let model = self.model;
        if side == Side::Output {
            return Some(((queue, Side::Input), Need::Room));
        }
        let (row, buffer) = (queue / model.ports, self.buffer((queue, Side::Input)));
        if row + 1 < model.levels {
            let output = model.outputs(&self.state, row + 1, buffer.element).next()?;
            return Some((self.entry(model.distributed(row + 1, buffer.element, output)), Need::Room));
        }
        let level = 2 * model.levels - 1 - buffer.stage;
        let first = self.queues[queue].front()?;
        let (element, number) = first.passed[level]?;
        let wanted = (element, self.taken[level * model.per_level() + element]);
        if wanted.1 == number {
            let (network, _) = model.split(level, element);
            let beyond = model.routed(level, network, first.source / model.power(level.max(1)));
            return Some((self.entry(beyond), Need::Room));
        }
        let mut places = self.queues.iter().enumerate();
        places.find_map(|(queue, cells)| {
            let place = cells.iter().position(|packet| packet.passed[level] == Some(wanted))?;
            let side = if place < self.past_the_link(queue) { Side::Input } else { Side::Output };
            Some(((queue, side), Need::Predecessor))
        })
    }

    /// The buffer in which a cell enters a queue.
    fn entry(&self, queue: usize) -> Node {
        (queue, if self.model.output_size(queue) == 0 { Side::Input } else { Side::Output })
    }

    fn past_the_link(&self, queue: usize) -> usize {
        self.queues[queue].len().min(self.model.capacity(queue) - self.model.output_size(queue))
    }

    fn wait(&self, node: Node, need: Need) -> Option<Wait> {
        let place = if node.1 == Side::Input { 0 } else { self.past_the_link(node.0) };
        let packet = self.queues[node.0].get(place)?;
        Some(Wait { input: packet.source as Port, output: 0, born: packet.born, buffer: self.buffer(node), need })
    }

    /// Where a buffer is in the fabric, as the readings number it.
    fn buffer(&self, (queue, side): Node) -> Buffer {
        let m = self.model;
        let (row, place) = (queue / m.ports, queue % m.ports);
        let (stage, element, port, group, end);
        if row < m.levels {
            (stage, element, port, group) = (row, place / m.radix, place % m.radix, 0);
            let (network, e) = m.split(row, element);
            end = if row + 1 == m.levels {
                (element, port)
            } else {
                ((network * m.radix + port) * m.in_network(row + 1) + e / m.radix, e % m.radix)
            };
        } else {
            let level = row - m.levels + 1;
            let parts = m.ports / m.power(level);
            let (network, part) = (place / parts, place % parts);
            (stage, element, port) = (2 * m.levels - 1 - level, network * m.in_network(level), 0);
            group = part * m.power(level);
            end = (network / m.radix * m.in_network(level - 1), network % m.radix);
        }
        match side {
            Side::Output => Buffer { side, stage, element, port, group },
            Side::Input => Buffer { side, stage: stage + 1, element: end.0, port: end.1, group },
        }
    }
}
