//! The Benes fabric with hierarchical merging, written from papers/004/settings.md: flows are
//! merged by the output of each sub-network, with credits from its exit to its entry.

use std::collections::VecDeque;
use switchlab_core::{Cell, NONE, Port, Slot};

#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
pub(crate) struct Hierarchy {
    pub(crate) radices: Vec<usize>,
    /// Imbalance counts, else round robin; pointers begin at 0.
    pub(crate) counts: bool,
    /// The lowest port first, else round robin.
    pub(crate) fixed_merge: bool,
    /// The first eligible group is the lowest, else round robin.
    pub(crate) fixed_links: bool,
    pub(crate) distribution_buffer: usize,
    /// `2 (K - k)` at level k if there is none.
    pub(crate) routing_buffer: Option<usize>,
    pub(crate) output_buffers: (usize, usize),
    pub(crate) credit_delay: Slot,
    pub(crate) immediate: bool,
}

impl Hierarchy {
    pub(crate) fn ports(&self) -> usize {
        self.radices.iter().product()
    }

    pub(crate) fn spec(&self) -> String {
        let radix = self.radices.iter().map(usize::to_string).collect::<Vec<_>>().join("x");
        let routing = self.routing_buffer.map_or(String::new(), |cells| format!("routing-buffer={cells},"));
        format!(
            "benes(radix={radix},merging=hierarchical,feedback={},distribution={},merge={},links={},\
             distribution-buffer={},{routing}distribution-output={},routing-output={},credit-delay={},pointers=zero)",
            if self.immediate { "immediate" } else { "per-hop" },
            if self.counts { "ic" } else { "rr" },
            if self.fixed_merge { "fixed" } else { "round-robin" },
            if self.fixed_links { "fixed" } else { "round-robin" },
            self.distribution_buffer,
            self.output_buffers.0,
            self.output_buffers.1,
            self.credit_delay
        )
    }
}

#[derive(Clone, Debug)]
struct Packet {
    source: usize,
    destination: usize,
    born: Slot,
    /// By level: the number, and the output of the distribution element that it took.
    passed: Vec<(usize, usize)>,
}

type Buffer = VecDeque<Packet>;

/// A distribution element of level k: everything by group `g_k`.
#[derive(Clone, Debug)]
struct Entry {
    /// [port][group], [output][group]
    inputs: Vec<Vec<Buffer>>,
    outputs: Vec<Vec<Buffer>>,
    first_input: Vec<usize>,
    next_output: Vec<usize>,
    sent_to: Vec<Vec<usize>>,
    number: Vec<usize>,
    /// Credits of the level: [group][output].
    credits: Vec<Vec<usize>>,
}

/// A routing element of level k: by flow, (entry element e, output m) as `e P + m`.
#[derive(Clone, Debug)]
struct Exit {
    /// [port][flow], [output][part of the sources, `source / B_k`]
    inputs: Vec<Vec<Buffer>>,
    outputs: Vec<Vec<Buffer>>,
    expected: Vec<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Credit {
    /// Of a hop into distribution stage (stage, element, port, group).
    Hop(usize, usize, usize, usize),
    /// Of a level (level, entry element, group, output).
    Level(usize, usize, usize, usize),
}

pub(crate) struct NaiveHierarchy {
    settings: Hierarchy,
    now: Slot,
    voqs: Vec<Vec<Buffer>>,
    entries: Vec<Vec<Entry>>,
    exits: Vec<Vec<Exit>>,
    /// Hop credits, [stage][element][port][group].
    hops: Vec<Vec<Vec<Vec<usize>>>>,
    returning: Vec<(Slot, Credit)>,
    /// [link][end]
    pointers: Vec<Vec<usize>>,
    /// Cells sent in this slot: the link, the end, the cell.
    sent: Vec<(usize, usize, Packet)>,
}

impl NaiveHierarchy {
    pub(crate) fn new(settings: &Hierarchy) -> Self {
        let (n, k, r) = (settings.ports(), settings.radices.len(), &settings.radices);
        let below = |level: usize| r[..level].iter().product::<usize>();
        let size = |level: usize| settings.routing_buffer.unwrap_or(2 * (k - level));
        let entry = |level: usize| {
            let (p, groups) = (r[level], n / below(level));
            Entry {
                inputs: vec![vec![Buffer::new(); groups]; p],
                outputs: vec![vec![Buffer::new(); groups]; p],
                first_input: vec![0; groups],
                next_output: vec![0; groups],
                sent_to: vec![vec![0; p]; groups],
                number: vec![0; groups],
                credits: vec![vec![size(level); p]; groups],
            }
        };
        let exit = |level: usize| {
            let (p, m) = (r[level], n / below(level + 1));
            Exit {
                inputs: vec![vec![Buffer::new(); m * p]; p],
                outputs: vec![vec![Buffer::new(); n / below(level)]; p],
                expected: vec![0; m * p],
            }
        };
        let hop =
            |level: usize| vec![vec![vec![settings.distribution_buffer; n / below(level)]; r[level]]; n / r[level]];
        Self {
            now: 0,
            voqs: vec![vec![Buffer::new(); n]; n],
            entries: (0..k).map(|level| vec![entry(level); n / r[level]]).collect(),
            exits: (0..k).map(|level| vec![exit(level); n / r[level]]).collect(),
            hops: (0..k).map(hop).collect(),
            returning: Vec::new(),
            pointers: vec![vec![0; n]; 2 * k + 1],
            sent: Vec::new(),
            settings: settings.clone(),
        }
    }

    fn levels(&self) -> usize {
        self.settings.radices.len()
    }

    fn below(&self, level: usize) -> usize {
        self.settings.radices[..level].iter().product()
    }

    /// Elements of a sub-network of a level.
    fn m(&self, level: usize) -> usize {
        self.settings.ports() / self.below(level + 1)
    }

    pub(crate) fn slot(&mut self, now: Slot, arrivals: &[Port]) -> Vec<Cell> {
        self.now = now;
        for (source, &output) in arrivals.iter().enumerate().filter(|(_, output)| **output != NONE) {
            let destination = usize::from(output);
            let passed = vec![(0, 0); self.levels()];
            self.voqs[source][destination].push_back(Packet { source, destination, born: now, passed });
        }
        for (link, end, packet) in std::mem::take(&mut self.sent) {
            self.deliver(link, end, packet);
        }
        let (due, later): (Vec<_>, Vec<_>) = self.returning.drain(..).partition(|credit| credit.0 <= now);
        self.returning = later;
        for (_, credit) in due {
            self.add(credit);
        }
        for level in 0..self.levels() {
            for element in 0..self.exits[level].len() {
                for flow in 0..self.exits[level][element].expected.len() {
                    while self.resequence(level, element, flow) {}
                }
            }
        }
        for level in (0..self.levels()).rev() {
            for element in 0..self.entries[level].len() {
                for group in 0..self.entries[level][element].number.len() {
                    while self.distribute(level, element, group) {}
                }
            }
        }
        let ports = self.settings.ports();
        let mut left = vec![Cell::IDLE; ports];
        for link in (0..=2 * self.levels()).rev() {
            for (end, left) in left.iter_mut().enumerate() {
                let Some(packet) = self.send(link, end) else { continue };
                if link == 2 * self.levels() {
                    *left = Cell { born: packet.born, input: packet.source as Port };
                } else {
                    self.sent.push((link, end, packet));
                }
            }
        }
        left
    }

    fn add(&mut self, credit: Credit) {
        match credit {
            Credit::Hop(stage, element, port, group) => self.hops[stage][element][port][group] += 1,
            Credit::Level(level, element, group, output) => {
                self.entries[level][element].credits[group][output] += 1;
            }
        }
    }

    fn give_back(&mut self, credit: Credit) {
        let hops = match credit {
            Credit::Level(level, ..) if !self.settings.immediate => (2 * self.levels() - 1 - 2 * level) as Slot,
            Credit::Level(..) | Credit::Hop(..) => 0,
        };
        match hops + self.settings.credit_delay {
            0 => self.add(credit),
            delay => self.returning.push((self.now + delay, credit)),
        }
    }

    /// Where an end of the link into distribution stage `stage` leads.
    fn entry_at(&self, stage: usize, end: usize) -> (usize, usize) {
        let r = &self.settings.radices;
        if stage == 0 {
            return (end / r[0], end % r[0]);
        }
        let s = stage - 1;
        let (element, port) = (end / r[s], end % r[s]);
        let (c, e) = (element / self.m(s), element % self.m(s));
        ((c * r[s] + port) * self.m(stage) + e / r[stage], e % r[stage])
    }

    fn deliver(&mut self, link: usize, end: usize, packet: Packet) {
        let (k, r) = (self.levels(), self.settings.radices.clone());
        if link < k {
            let ((element, port), group) = (self.entry_at(link, end), packet.destination / self.below(link));
            self.entries[link][element].inputs[port][group].push_back(packet);
            return;
        }
        let level = 2 * k - 1 - link;
        let (element, port) = if link == k {
            (end / r[k - 1], end % r[k - 1])
        } else {
            let s = level + 1;
            let (element, output) = (end / r[s], end % r[s]);
            let (c, f) = (element / self.m(s), element % self.m(s));
            (c / r[level] * self.m(level) + f * r[s] + output, c % r[level])
        };
        let flow = self.flow(level, &packet);
        self.exits[level][element].inputs[port][flow].push_back(packet);
    }

    /// The entry element of a cell at a level, within its sub-network.
    fn entry_of(&self, level: usize, packet: &Packet) -> usize {
        packet.source / self.below(level + 1)
    }

    fn flow(&self, level: usize, packet: &Packet) -> usize {
        let p = self.settings.radices[level];
        self.entry_of(level, packet) * p + packet.destination / self.below(level) % p
    }

    fn resequence(&mut self, level: usize, element: usize, flow: usize) -> bool {
        let (p, m) = (self.settings.radices[level], self.m(level));
        let exit = &self.exits[level][element];
        let is_next = |packet: &Packet| packet.passed[level].0 == exit.expected[flow];
        let Some(port) = (0..p).find(|&port| exit.inputs[port][flow].front().is_some_and(is_next)) else {
            return false;
        };
        let (from, output) = (flow / p, flow % p);
        let part = exit.inputs[port][flow][0].source / self.below(level);
        if exit.outputs[output][part].len() >= self.settings.output_buffers.1 {
            return false;
        }
        let exit = &mut self.exits[level][element];
        let packet = exit.inputs[port][flow].pop_front().unwrap();
        exit.expected[flow] += 1;
        let (network, group) = (element / m, packet.destination / self.below(level));
        let taken = packet.passed[level].1;
        self.exits[level][element].outputs[output][part].push_back(packet);
        self.give_back(Credit::Level(level, network * m + from, group, taken));
        true
    }

    fn distribute(&mut self, level: usize, element: usize, group: usize) -> bool {
        let p = self.settings.radices[level];
        let at = &self.entries[level][element];
        let first = if self.settings.fixed_merge { 0 } else { at.first_input[group] };
        let Some(port) = (0..p).map(|step| (first + step) % p).find(|&port| !at.inputs[port][group].is_empty()) else {
            return false;
        };
        let ready = |output: usize| -> usize {
            let cells = at.outputs[output].iter().map(VecDeque::len);
            cells.enumerate().map(|(group, cells)| cells.min(at.credits[group][output])).sum()
        };
        let output = if self.settings.counts {
            let fewest = at.sent_to[group].iter().min().unwrap();
            let balanced = (0..p).filter(|&output| at.sent_to[group][output] == *fewest);
            balanced.min_by_key(|&output| (ready(output), output)).unwrap()
        } else {
            at.next_output[group]
        };
        if at.outputs[output][group].len() >= self.settings.output_buffers.0 {
            return false;
        }
        let at = &mut self.entries[level][element];
        let mut packet = at.inputs[port][group].pop_front().unwrap();
        packet.passed[level] = (at.number[group], output);
        at.number[group] += 1;
        at.first_input[group] = (port + 1) % p;
        at.next_output[group] = (output + 1) % p;
        at.sent_to[group][output] += 1;
        at.outputs[output][group].push_back(packet);
        self.give_back(Credit::Hop(level, element, port, group));
        true
    }

    fn send(&mut self, link: usize, end: usize) -> Option<Packet> {
        let (k, r) = (self.levels(), self.settings.radices.clone());
        let turn = if self.settings.fixed_links { 0 } else { self.pointers[link][end] };
        let first = |count: usize, eligible: &dyn Fn(usize) -> bool| {
            (0..count).map(|step| (turn + step) % count).find(|&group| eligible(group))
        };
        if link > k {
            let level = 2 * k - link;
            let (element, output) = (end / r[level], end % r[level]);
            let buffers = &self.exits[level][element].outputs[output];
            let count = buffers.len();
            let group = first(count, &|group| !buffers[group].is_empty())?;
            self.pointers[link][end] = (group + 1) % count;
            return self.exits[level][element].outputs[output][group].pop_front();
        }
        if link == 0 {
            let (element, port) = self.entry_at(0, end);
            let count = self.settings.ports();
            let has_credit = |group: usize| self.hops[0][element][port][group] > 0;
            let group = first(count, &|group| !self.voqs[end][group].is_empty() && has_credit(group))?;
            self.pointers[0][end] = (group + 1) % count;
            self.hops[0][element][port][group] -= 1;
            return self.voqs[end][group].pop_front();
        }
        let level = link - 1;
        let (element, output) = (end / r[level], end % r[level]);
        let to = (link < k).then(|| self.entry_at(link, end));
        let at = &self.entries[level][element];
        let count = at.number.len();
        let has_hop = |group: usize| to.is_none_or(|(e, port)| self.hops[link][e][port][group / r[level]] > 0);
        let has_credit = |group: usize| at.credits[group][output] > 0 && has_hop(group);
        let group = first(count, &|group| !at.outputs[output][group].is_empty() && has_credit(group))?;
        self.pointers[link][end] = (group + 1) % count;
        if let Some((e, port)) = to {
            self.hops[link][e][port][group / r[level]] -= 1;
        }
        let at = &mut self.entries[level][element];
        at.credits[group][output] -= 1;
        at.outputs[output][group].pop_front()
    }

    /// All cells inside.
    pub(crate) fn queued(&self) -> u64 {
        let of = |buffers: &Vec<Vec<Buffer>>| buffers.iter().flatten().map(VecDeque::len).sum::<usize>();
        let entries = self.entries.iter().flatten().map(|entry| of(&entry.inputs) + of(&entry.outputs));
        let exits = self.exits.iter().flatten().map(|exit| of(&exit.inputs) + of(&exit.outputs));
        (of(&self.voqs) + entries.sum::<usize>() + exits.sum::<usize>() + self.sent.len()) as u64
    }
}
