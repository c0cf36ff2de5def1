//! The Benes fabric with internal backpressure, too simple to be wrong: queues of whole cells, and
//! plain loops over every stage, element, port and group in every slot.

use std::collections::{BTreeMap, VecDeque};
use switchlab_core::{Cell, NONE, Port, Slot};

/// How a distribution element chooses an output for a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Distribution {
    RoundRobin,
    ImbalanceCount,
}

/// Which of the P input buffers of a group comes first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Merge {
    RoundRobin,
    Fixed,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Resequencing {
    PerStage,
    FinalOut,
}

/// Everything that can be chosen. Pointers start at zero.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fabric {
    pub(crate) ports: usize,
    pub(crate) radix: usize,
    pub(crate) distribution: Distribution,
    pub(crate) resequencing: Resequencing,
    pub(crate) merge: Merge,
    /// Cells in an input buffer and in an output buffer of a distribution element.
    pub(crate) distribution_buffers: (usize, usize),
    /// The same of a routing element.
    pub(crate) routing_buffers: (usize, usize),
    pub(crate) credit_delay: Slot,
}

#[derive(Clone, Debug)]
struct Packet {
    source: usize,
    destination: usize,
    born: Slot,
    /// Which cell of its flow it is.
    of_flow: usize,
    /// The sequence number that each distribution level gave it.
    numbers: Vec<usize>,
}

type Buffer = VecDeque<Packet>;

/// One switching element.
#[derive(Clone, Debug)]
struct Element {
    /// [port][group of the link]
    inputs: Vec<Vec<Buffer>>,
    outputs: Vec<Vec<Buffer>>,
    /// By group of the incoming links: the input that comes first, the output that is next, the
    /// cells sent to each output, the number that comes next (to give, or to take).
    first_input: Vec<usize>,
    next_output: Vec<usize>,
    sent_to: Vec<Vec<usize>>,
    next_number: Vec<usize>,
}

pub(crate) struct NaiveBenes {
    fabric: Fabric,
    levels: usize,
    /// [source][destination]
    voqs: Vec<Vec<Buffer>>,
    arrived: Vec<Vec<usize>>,
    /// [stage][element]
    stages: Vec<Vec<Element>>,
    /// [link][sender][group]; a sender is a line card, or element * P + output port of the stage
    /// before.
    credits: Vec<Vec<Vec<usize>>>,
    /// Credits on their way: when they are there, and whose they are.
    returning: VecDeque<(Slot, usize, usize, usize)>,
    /// [link][sender]
    pointers: Vec<Vec<usize>>,
    /// `FinalOut`, [output]: the cells that wait by (source, number in the flow), the next number
    /// of each source, and whose turn it is.
    waiting: Vec<BTreeMap<(usize, usize), Packet>>,
    next_of_flow: Vec<Vec<usize>>,
    turn: Vec<usize>,
}

impl NaiveBenes {
    pub(crate) fn new(fabric: Fabric) -> Self {
        let Fabric { ports: n, radix: p, .. } = fabric;
        let levels = n.ilog(p) as usize;
        assert_eq!(p.pow(levels as u32), n, "{n} is no power of {p}");
        let element = Element {
            inputs: vec![vec![Buffer::new(); n]; p],
            outputs: vec![vec![Buffer::new(); n]; p],
            first_input: vec![0; n],
            next_output: vec![0; n],
            sent_to: vec![vec![0; p]; n],
            next_number: vec![0; n],
        };
        let of_link = |link| if link < levels { fabric.distribution_buffers.0 } else { fabric.routing_buffers.0 };
        Self {
            fabric,
            levels,
            voqs: vec![vec![Buffer::new(); n]; n],
            arrived: vec![vec![0; n]; n],
            stages: vec![vec![element; n / p]; 2 * levels],
            credits: (0..2 * levels).map(|link| vec![vec![of_link(link); n]; n]).collect(),
            returning: VecDeque::new(),
            pointers: vec![vec![0; n]; 2 * levels + 1],
            waiting: vec![BTreeMap::new(); n],
            next_of_flow: vec![vec![0; n]; n],
            turn: vec![0; n],
        }
    }

    pub(crate) fn ports(&self) -> usize {
        self.fabric.ports
    }

    /// The group of a cell on a link.
    fn group(&self, link: usize, source: usize, destination: usize) -> usize {
        if link <= self.levels || self.fabric.resequencing == Resequencing::FinalOut {
            return destination;
        }
        let g = self.fabric.radix.pow((2 * self.levels - link) as u32);
        (source / g) * g + destination % g
    }

    /// Where a link ends: the element and its input port, for links 0 to 2K - 1.
    fn end(&self, link: usize, sender: usize) -> (usize, usize) {
        let (p, n) = (self.fabric.radix, self.fabric.ports);
        let m = |level: usize| n / p.pow(level as u32 + 1);
        let (element, port) = (sender / p, sender % p);
        if link == 0 {
            (element, port)
        } else if link < self.levels {
            let level = link - 1;
            let (c, e) = (element / m(level), element % m(level));
            ((c * p + port) * m(level + 1) + e / p, e % p)
        } else if link == self.levels {
            (element, port)
        } else {
            let level = 2 * self.levels - link;
            let (c, f) = (element / m(level), element % m(level));
            ((c / p) * m(level - 1) + f * p + port, c % p)
        }
    }

    /// Where a link begins.
    fn sender(&self, link: usize, element: usize, port: usize) -> usize {
        (0..self.fabric.ports).find(|&sender| self.end(link, sender) == (element, port)).unwrap()
    }

    /// One slot: the cell that leaves by each output.
    pub(crate) fn slot(&mut self, now: Slot, arrivals: &[Port]) -> Vec<Cell> {
        for (source, &destination) in arrivals.iter().enumerate().filter(|(_, destination)| **destination != NONE) {
            let destination = usize::from(destination);
            let of_flow = self.arrived[source][destination];
            self.arrived[source][destination] += 1;
            let numbers = vec![usize::MAX; self.levels];
            self.voqs[source][destination].push_back(Packet { source, destination, born: now, of_flow, numbers });
        }
        while self.returning.front().is_some_and(|credit| credit.0 <= now) {
            let (_, link, sender, group) = self.returning.pop_front().unwrap();
            self.credits[link][sender][group] += 1;
        }
        for stage in (0..2 * self.levels).rev() {
            for element in 0..self.fabric.ports / self.fabric.radix {
                for group in 0..self.fabric.ports {
                    while self.moves(now, stage, element, group) {}
                }
            }
        }
        let mut left = vec![None; self.fabric.ports];
        for link in 0..=2 * self.levels {
            for (sender, left) in left.iter_mut().enumerate() {
                *left = self.sends(link, sender);
            }
        }
        if self.fabric.resequencing == Resequencing::FinalOut {
            left = left.into_iter().enumerate().map(|(output, packet)| self.exit(output, packet)).collect();
        }
        let cell = |packet: Option<Packet>| {
            packet.map_or(Cell::IDLE, |packet| Cell { born: packet.born, input: packet.source as Port })
        };
        left.into_iter().map(cell).collect()
    }

    /// One move from an input buffer to an output buffer, if there is one.
    fn moves(&mut self, now: Slot, stage: usize, number: usize, group: usize) -> bool {
        let p = self.fabric.radix;
        let distributes = stage < self.levels;
        let level = if distributes { stage } else { 2 * self.levels - 1 - stage };
        let element = &self.stages[stage][number];
        let in_order = !distributes && self.fabric.resequencing == Resequencing::PerStage;
        let takes = |port: &usize| match element.inputs[*port][group].front() {
            Some(packet) if in_order => packet.numbers[level] == element.next_number[group],
            head => head.is_some(),
        };
        let first = if self.fabric.merge == Merge::Fixed { 0 } else { element.first_input[group] };
        let Some(input) = (0..p).map(|step| (first + step) % p).find(takes) else {
            return false;
        };
        let packet = &element.inputs[input][group][0];
        let output = if !distributes {
            packet.destination / p.pow(level as u32) % p
        } else if self.fabric.distribution == Distribution::RoundRobin {
            element.next_output[group]
        } else {
            let fewest = *element.sent_to[group].iter().min().unwrap();
            let balanced = (0..p).filter(|&port| element.sent_to[group][port] == fewest);
            balanced.min_by_key(|&port| (self.ready(stage, number, port), port)).unwrap()
        };
        let out_group = self.group(stage + 1, packet.source, packet.destination);
        let room = if distributes { self.fabric.distribution_buffers.1 } else { self.fabric.routing_buffers.1 };
        if element.outputs[output][out_group].len() == room {
            return false;
        }
        let element = &mut self.stages[stage][number];
        let mut packet = element.inputs[input][group].pop_front().unwrap();
        if distributes {
            packet.numbers[level] = element.next_number[group];
        }
        element.next_number[group] += 1;
        element.first_input[group] = (input + 1) % p;
        element.next_output[group] = (output + 1) % p;
        element.sent_to[group][output] += 1;
        element.outputs[output][out_group].push_back(packet);
        let sender = self.sender(stage, number, input);
        if self.fabric.credit_delay == 0 {
            self.credits[stage][sender][group] += 1;
        } else {
            self.returning.push_back((now + self.fabric.credit_delay, stage, sender, group));
        }
        true
    }

    /// Ready cells of an output port.
    fn ready(&self, stage: usize, element: usize, port: usize) -> usize {
        let buffers = self.stages[stage][element].outputs[port].iter();
        let credits = &self.credits[stage + 1][element * self.fabric.radix + port];
        buffers.zip(credits).map(|(buffer, &credits)| buffer.len().min(credits)).sum()
    }

    /// What a line card or an output port sends: into the next stage, or out of the fabric.
    fn sends(&mut self, link: usize, sender: usize) -> Option<Packet> {
        let (p, n) = (self.fabric.radix, self.fabric.ports);
        let buffers = match link {
            0 => &mut self.voqs[sender],
            _ => &mut self.stages[link - 1][sender / p].outputs[sender % p],
        };
        let last = link == 2 * self.levels;
        let eligible = |group: &usize| !buffers[*group].is_empty() && (last || self.credits[link][sender][*group] > 0);
        let group = (0..n).map(|step| (self.pointers[link][sender] + step) % n).find(eligible)?;
        let packet = buffers[group].pop_front().unwrap();
        self.pointers[link][sender] = (group + 1) % n;
        if last {
            return Some(packet);
        }
        self.credits[link][sender][group] -= 1;
        let (element, port) = self.end(link, sender);
        self.stages[link][element].inputs[port][group].push_back(packet);
        None
    }

    /// The resequencer of `FinalOut`.
    fn exit(&mut self, output: usize, packet: Option<Packet>) -> Option<Packet> {
        let n = self.fabric.ports;
        if let Some(packet) = packet {
            self.waiting[output].insert((packet.source, packet.of_flow), packet);
        }
        let next = &mut self.next_of_flow[output];
        let sources = (0..n).map(|step| (self.turn[output] + step) % n);
        let source = sources.into_iter().find(|&s| self.waiting[output].contains_key(&(s, next[s])))?;
        let packet = self.waiting[output].remove(&(source, next[source]));
        next[source] += 1;
        self.turn[output] = (source + 1) % n;
        packet
    }

    /// Cells in the VOQs, and in the fabric with its exit.
    pub(crate) fn queued(&self) -> (usize, usize) {
        let buffers = |buffers: &Vec<Vec<Buffer>>| buffers.iter().flatten().map(VecDeque::len).sum::<usize>();
        let elements = self.stages.iter().flatten().map(|element| buffers(&element.inputs) + buffers(&element.outputs));
        (buffers(&self.voqs), elements.sum::<usize>() + self.waiting.iter().map(BTreeMap::len).sum::<usize>())
    }

    /// Credits at their sender, credits on their way and cells make up the size of each input
    /// buffer; no buffer is overfull; and every cell is where the wiring and its group allow it to
    /// be.
    pub(crate) fn check(&self) {
        for (stage, elements) in self.stages.iter().enumerate() {
            let (size, room) =
                if stage < self.levels { self.fabric.distribution_buffers } else { self.fabric.routing_buffers };
            for (number, element) in elements.iter().enumerate() {
                for port in 0..self.fabric.radix {
                    let sender = self.sender(stage, number, port);
                    for group in 0..self.fabric.ports {
                        let cells = &element.inputs[port][group];
                        let away = self.returning.iter().filter(|r| (r.1, r.2, r.3) == (stage, sender, group)).count();
                        assert_eq!(cells.len() + self.credits[stage][sender][group] + away, size);
                        assert!(cells.iter().all(|c| self.group(stage, c.source, c.destination) == group));
                        let cells = &element.outputs[port][group];
                        assert!(cells.len() <= room);
                        assert!(cells.iter().all(|c| self.group(stage + 1, c.source, c.destination) == group));
                    }
                }
            }
        }
    }
}
