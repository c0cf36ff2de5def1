//! The Benes fabric with every setting of papers/004/settings.md but hierarchical merging, written
//! from that page: whole cells in queues, and plain loops over everything in every slot.

use std::collections::{BTreeMap, VecDeque};
use switchlab_core::rng::{Probability, Purpose, Rng};
use switchlab_core::{Cell, Labels, NONE, Port, Seed, Slot};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Distribution {
    Rr,
    Ic,
    Random,
    Adaptive,
}

/// A rule by which one of several is served: of links, of merging, of levels.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Rule {
    RoundRobin,
    Weighted(Vec<u32>),
    Random,
    Oldest,
    Fixed,
    Redrawn(Slot),
}

#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
pub(crate) struct Settings {
    pub(crate) radices: Vec<usize>,
    pub(crate) distribution: Distribution,
    pub(crate) merge: Rule,
    pub(crate) links: Rule,
    /// Of distribution and routing elements.
    pub(crate) input_buffers: (usize, usize),
    pub(crate) output_buffers: (usize, usize),
    pub(crate) distribute_first: bool,
    pub(crate) stop_and_go: bool,
    pub(crate) link_delay: Slot,
    pub(crate) credit_delay: Slot,
    pub(crate) loss: f64,
    pub(crate) patience: Slot,
    pub(crate) one_center: bool,
    pub(crate) final_out: bool,
    pub(crate) priorities: usize,
    /// Strict (fixed), or by weights.
    pub(crate) precedence: Rule,
    pub(crate) random_pointers: bool,
}

impl Settings {
    pub(crate) fn ports(&self) -> usize {
        self.radices.iter().product()
    }

    /// The spec of the real fabric.
    pub(crate) fn spec(&self) -> String {
        let rule = |rule: &Rule| match rule {
            Rule::RoundRobin => "round-robin".to_string(),
            Rule::Weighted(weights) => {
                format!("wrr(w={})", weights.iter().map(u32::to_string).collect::<Vec<_>>().join(":"))
            }
            Rule::Random => "random".to_string(),
            Rule::Oldest => "oldest".to_string(),
            Rule::Fixed => "fixed".to_string(),
            Rule::Redrawn(_) => "redrawn".to_string(),
        };
        let mut parts = vec![
            format!("radix={}", self.radices.iter().map(usize::to_string).collect::<Vec<_>>().join("x")),
            format!("distribution={}", format!("{:?}", self.distribution).to_lowercase()),
            format!("resequencing={}", if self.final_out { "final" } else { "per-stage" }),
            format!("merge={}", rule(&self.merge)),
            format!("links={}", rule(&self.links)),
            format!("distribution-buffer={},routing-buffer={}", self.input_buffers.0, self.input_buffers.1),
            format!("distribution-output={},routing-output={}", self.output_buffers.0, self.output_buffers.1),
            format!("link-delay={},credit-delay={}", self.link_delay, self.credit_delay),
            format!("pointers={}", if self.random_pointers { "random" } else { "zero" }),
        ];
        let mut when = |wanted: bool, part: String| parts.extend(wanted.then_some(part));
        if let Rule::Redrawn(period) = self.links {
            when(true, format!("link-period={period}"));
        }
        when(self.distribute_first, "order=distribute-first".to_string());
        when(self.stop_and_go, "flow-control=stop-and-go".to_string());
        when(self.loss > 0.0, format!("loss={},patience={}", self.loss, self.patience));
        when(self.one_center, "center=one".to_string());
        when(self.priorities > 1, format!("priorities={}", self.priorities));
        let weighted = matches!(self.precedence, Rule::Weighted(_));
        when(self.priorities > 1 && weighted, format!("precedence={}", rule(&self.precedence)));
        format!("benes({})", parts.join(","))
    }
}

#[derive(Clone, Debug)]
struct Packet {
    source: usize,
    destination: usize,
    born: Slot,
    priority: usize,
    /// Which cell of its flow and priority it is.
    of_flow: usize,
    /// The number that each distribution level gave it.
    numbers: Vec<usize>,
}

type Buffer = VecDeque<Packet>;

/// Whose turn it is, by a rule.
#[derive(Clone, Debug)]
struct Turn {
    pointer: usize,
    left: u32,
}

impl Rule {
    fn weight(&self, index: usize) -> u32 {
        if let Self::Weighted(weights) = self { weights[index % weights.len()] } else { 1 }
    }

    fn start(&self) -> Turn {
        Turn { pointer: 0, left: self.weight(0) }
    }

    /// Of ascending candidates, each with the slot in which its cell arrived, out of `count`.
    fn choose(&self, turn: &Turn, candidates: &[(usize, Slot)], count: usize, rng: &mut Rng) -> Option<usize> {
        let first = candidates.first()?.0;
        Some(match self {
            Self::RoundRobin | Self::Weighted(_) | Self::Redrawn(_) => {
                let after = |&(index, _): &(usize, Slot)| (index + count - turn.pointer) % count;
                candidates.iter().min_by_key(|candidate| after(candidate)).map_or(first, |candidate| candidate.0)
            }
            Self::Random if candidates.len() > 1 => candidates[rng.below(candidates.len())].0,
            Self::Oldest => candidates.iter().min_by_key(|&&(index, born)| (born, index)).map_or(first, |it| it.0),
            Self::Random | Self::Fixed => first,
        })
    }

    /// One was served.
    fn advance(&self, turn: &mut Turn, served: usize, count: usize) {
        match self {
            Self::RoundRobin => turn.pointer = (served + 1) % count,
            Self::Weighted(_) => {
                if served != turn.pointer {
                    *turn = Turn { pointer: served, left: self.weight(served) };
                }
                turn.left -= 1;
                if turn.left == 0 {
                    let pointer = (served + 1) % count;
                    *turn = Turn { pointer, left: self.weight(pointer) };
                }
            }
            Self::Random | Self::Oldest | Self::Fixed | Self::Redrawn(_) => {}
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Distribute(usize),
    Center,
    Route(usize),
}

#[derive(Clone, Debug)]
struct Element {
    /// [port][lane of the link into it]
    inputs: Vec<Vec<Buffer>>,
    /// [input port, where distribution comes first, else 0][output port][lane of the link out of
    /// it]
    outputs: Vec<Vec<Vec<Buffer>>>,
    /// By lane: whose turn it is among the inputs; where distribution comes first by output and
    /// lane.
    merging: Vec<Turn>,
    merging_out: Vec<Vec<Turn>>,
    /// By lane and part: the next output, cells sent to each output, the next number.
    next_output: Vec<Vec<usize>>,
    sent_to: Vec<Vec<Vec<usize>>>,
    next_number: Vec<Vec<usize>>,
    /// By lane: since when it has waited for a number.
    since: Vec<Slot>,
}

enum OnLink {
    Cell(Packet),
    Lost(usize),
}

pub(crate) struct NaiveFabric {
    settings: Settings,
    labels: Labels,
    kinds: Vec<Kind>,
    now: Slot,
    /// [source][lane]
    voqs: Vec<Vec<Buffer>>,
    arrived: BTreeMap<(usize, usize, usize), usize>,
    stages: Vec<Vec<Element>>,
    /// [link][end][lane]
    credits: Vec<Vec<Vec<usize>>>,
    returning: Vec<(Slot, usize, usize, usize)>,
    /// Stop-and-go: by link the bits of each slot, [end][lane].
    bits: Vec<BTreeMap<Slot, Vec<Vec<bool>>>>,
    on_links: Vec<(Slot, usize, usize, OnLink)>,
    /// [link][end][priority], and [link][end] among priorities.
    turns: Vec<Vec<Vec<Turn>>>,
    levels_turns: Vec<Vec<Turn>>,
    draws: Rng,
    link_draws: Rng,
    losses: Rng,
    pub(crate) dropped: u64,
    /// Final: [output] cells by (priority, source, number), next numbers, since when, turns.
    waiting: Vec<BTreeMap<(usize, usize, usize), Packet>>,
    expected: BTreeMap<(usize, usize, usize), (usize, Slot)>,
    exit_turns: Vec<Vec<Turn>>,
    exit_levels: Vec<Turn>,
}

impl NaiveFabric {
    pub(crate) fn new(settings: &Settings, labels: &Labels, seed: Seed) -> Self {
        let (n, k, levels) = (settings.ports(), settings.radices.len(), settings.priorities);
        let lanes = n * levels;
        let mut kinds: Vec<Kind> = (0..k).map(Kind::Distribute).chain((0..k).rev().map(Kind::Route)).collect();
        if settings.one_center {
            kinds.splice(k - 1..=k, [Kind::Center]);
        }
        let mut pointers = seed.stream(Purpose::Fabric, 0);
        let mut stages = Vec::new();
        for &kind in &kinds {
            let p = radix(settings, kind);
            let first = settings.distribute_first && matches!(kind, Kind::Distribute(_));
            let parts = if settings.distribute_first { p } else { 1 };
            let mut elements = Vec::new();
            for _ in 0..n / p {
                let mut next_output = vec![vec![0; parts]; lanes];
                let draws = settings.random_pointers && settings.distribution == Distribution::Rr;
                if draws && matches!(kind, Kind::Distribute(_)) {
                    next_output.iter_mut().flatten().for_each(|pointer| *pointer = pointers.below(p));
                }
                elements.push(Element {
                    inputs: vec![vec![Buffer::new(); lanes]; p],
                    outputs: vec![vec![vec![Buffer::new(); lanes]; p]; if first { p } else { 1 }],
                    merging: vec![settings.merge.start(); lanes],
                    merging_out: vec![vec![settings.merge.start(); lanes]; p],
                    next_output,
                    sent_to: vec![vec![vec![0; p]; parts]; lanes],
                    next_number: vec![vec![0; parts]; lanes],
                    since: vec![0; lanes],
                });
            }
            stages.push(elements);
        }
        let size = |link: usize| size_of_input(settings, kinds[link]);
        let (links, stream) = (kinds.len(), |index| seed.stream(Purpose::Fabric, index));
        Self {
            labels: labels.clone(),
            now: 0,
            voqs: vec![vec![Buffer::new(); lanes]; n],
            arrived: BTreeMap::new(),
            credits: (0..links).map(|link| vec![vec![size(link); lanes]; n]).collect(),
            returning: Vec::new(),
            bits: vec![BTreeMap::new(); links],
            on_links: Vec::new(),
            turns: vec![vec![vec![settings.links.start(); levels]; n]; links + 1],
            levels_turns: vec![vec![settings.precedence.start(); n]; links + 1],
            draws: stream(1),
            link_draws: stream(2),
            losses: stream(3),
            dropped: 0,
            waiting: vec![BTreeMap::new(); n],
            expected: BTreeMap::new(),
            exit_turns: vec![vec![Rule::RoundRobin.start(); levels]; n],
            exit_levels: vec![settings.precedence.start(); n],
            settings: settings.clone(),
            kinds,
            stages,
        }
    }

    fn n(&self) -> usize {
        self.settings.ports()
    }

    fn lanes(&self) -> usize {
        self.n() * self.settings.priorities
    }

    /// The lane of a cell on a link.
    fn lane(&self, link: usize, packet: &Packet) -> usize {
        let (k, Packet { source, destination, .. }) = (self.settings.radices.len(), packet);
        // With one center the links from there on are numbered one lower.
        let link = if self.settings.one_center && link >= k { link + 1 } else { link };
        let group = if link <= k || self.settings.final_out {
            *destination
        } else {
            let g = below(&self.settings, 2 * k - link);
            source / g * g + destination % g
        };
        packet.priority * self.n() + group
    }

    /// The element and port at the end of a link into a stage.
    fn end(&self, link: usize, position: usize) -> (usize, usize) {
        let (r, n) = (&self.settings.radices, self.n());
        let m = |level: usize| n / below(&self.settings, level + 1);
        if link == 0 {
            return (position / r[0], position % r[0]);
        }
        let p = radix(&self.settings, self.kinds[link - 1]);
        let (element, port) = (position / p, position % p);
        match (self.kinds[link - 1], self.kinds[link]) {
            (Kind::Distribute(s), Kind::Distribute(_) | Kind::Center) => {
                let (c, e) = (element / m(s), element % m(s));
                ((c * r[s] + port) * m(s + 1) + e / r[s + 1], e % r[s + 1])
            }
            (Kind::Distribute(_), Kind::Route(_)) => (element, port),
            (_, Kind::Route(to)) => {
                let s = to + 1;
                let (c, f) = (element / m(s), element % m(s));
                (c / r[s - 1] * m(s - 1) + f * r[s] + port, c % r[s - 1])
            }
            (from, to) => panic!("no link from {from:?} to {to:?}"),
        }
    }

    fn sender(&self, link: usize, element: usize, port: usize) -> usize {
        (0..self.n()).find(|&position| self.end(link, position) == (element, port)).unwrap()
    }

    pub(crate) fn slot(&mut self, now: Slot, arrivals: &[Port]) -> Vec<Cell> {
        self.now = now;
        for (source, &destination) in arrivals.iter().enumerate().filter(|(_, output)| **output != NONE) {
            let class = usize::from(self.labels.of(source as Port, now).class);
            let (destination, priority) = (usize::from(destination), class.min(self.settings.priorities - 1));
            let count = self.arrived.entry((source, destination, priority)).or_default();
            *count += 1;
            let (of_flow, numbers) = (*count - 1, vec![usize::MAX; self.settings.radices.len()]);
            let packet = Packet { source, destination, born: now, priority, of_flow, numbers };
            let lane = self.lane(0, &packet);
            self.voqs[source][lane].push_back(packet);
        }
        self.deliver();
        for stage in (0..self.kinds.len()).rev() {
            for element in 0..self.stages[stage].len() {
                for lane in 0..self.lanes() {
                    self.transfer(stage, element, lane);
                }
            }
        }
        let mut left = vec![None; self.n()];
        self.redraw();
        for link in (0..=self.kinds.len()).rev() {
            self.note_bits(link);
            for (position, left) in left.iter_mut().enumerate() {
                let sent = self.send(link, position);
                if link == self.kinds.len() {
                    *left = sent;
                }
            }
        }
        if self.settings.final_out {
            left = left.into_iter().enumerate().map(|(output, packet)| self.exit(output, packet)).collect();
        }
        let cell = |packet: Option<Packet>| {
            packet.map_or(Cell::IDLE, |packet| Cell { born: packet.born, input: packet.source as Port })
        };
        left.into_iter().map(cell).collect()
    }

    fn deliver(&mut self) {
        let now = self.now;
        let (due, later): (Vec<_>, Vec<_>) = self.returning.drain(..).partition(|credit| credit.0 <= now);
        self.returning = later;
        for (_, link, position, lane) in due {
            self.credits[link][position][lane] += 1;
        }
        let (due, later): (Vec<_>, Vec<_>) = self.on_links.drain(..).partition(|cell| cell.0 == now);
        self.on_links = later;
        for (_, link, position, cell) in due {
            match cell {
                OnLink::Lost(lane) => self.return_credit(link, position, lane),
                OnLink::Cell(packet) => {
                    let (lane, (element, port)) = (self.lane(link, &packet), self.end(link, position));
                    let element = &mut self.stages[link][element];
                    if element.inputs.iter().all(|buffers| buffers[lane].is_empty()) {
                        element.since[lane] = now;
                    }
                    element.inputs[port][lane].push_back(packet);
                }
            }
        }
    }

    fn return_credit(&mut self, link: usize, position: usize, lane: usize) {
        if self.settings.credit_delay == 0 {
            self.credits[link][position][lane] += 1;
        } else {
            self.returning.push((self.now + self.settings.credit_delay, link, position, lane));
        }
    }

    fn has_output_buffers(&self, stage: usize) -> bool {
        self.size_of_output(stage) > 0
    }

    fn size_of_output(&self, stage: usize) -> usize {
        let (distribution, routing) = self.settings.output_buffers;
        if matches!(self.kinds[stage], Kind::Distribute(_)) { distribution } else { routing }
    }

    fn resequences(&self, stage: usize) -> bool {
        matches!(self.kinds[stage], Kind::Route(_)) && !self.settings.final_out
    }

    /// The output of an element that routes.
    fn route(&self, stage: usize, packet: &Packet) -> usize {
        let (Kind::Route(level) | Kind::Distribute(level)) = self.kinds[stage] else {
            let level = self.settings.radices.len() - 1;
            return packet.destination / below(&self.settings, level) % self.settings.radices[level];
        };
        packet.destination / below(&self.settings, level) % self.settings.radices[level]
    }

    /// Moves the cells of a lane until it can move no more.
    fn transfer(&mut self, stage: usize, element: usize, lane: usize) {
        let p = self.stages[stage][element].inputs.len();
        if self.resequences(stage) && self.settings.loss > 0.0 && !self.has_output_buffers(stage) {
            while self.skip_lost(stage, element, lane) {}
        }
        if !self.has_output_buffers(stage) {
            return;
        }
        match self.kinds[stage] {
            Kind::Distribute(_) if self.settings.distribute_first => {
                for part in 0..p {
                    while self.distribute(stage, element, lane, Some(part)) {}
                }
            }
            Kind::Distribute(_) => while self.distribute(stage, element, lane, None) {},
            Kind::Center if !self.settings.final_out => {
                for port in 0..p {
                    while self.split(stage, element, lane, port) {}
                }
            }
            Kind::Route(_) if self.resequences(stage) && self.settings.distribute_first => {
                for part in 0..p {
                    while self.resequence_part(stage, element, lane, part) {}
                }
            }
            Kind::Route(_) if self.resequences(stage) => {
                if self.settings.loss > 0.0 {
                    while self.skip_lost(stage, element, lane) {}
                }
                while self.resequence(stage, element, lane) {
                    if self.settings.loss > 0.0 {
                        while self.skip_lost(stage, element, lane) {}
                    }
                }
            }
            Kind::Center | Kind::Route(_) => while self.merge_and_route(stage, element, lane) {},
        }
    }

    /// Input ports of a lane that have a cell, with its arrival slot.
    fn heads(&self, stage: usize, element: usize, lane: usize) -> Vec<(usize, Slot)> {
        let inputs = self.stages[stage][element].inputs.iter().enumerate();
        inputs.filter_map(|(port, buffers)| buffers[lane].front().map(|packet| (port, packet.born))).collect()
    }

    /// Takes a cell from an input buffer, and returns its credit.
    fn take(&mut self, stage: usize, element: usize, lane: usize, port: usize, place: usize) -> Packet {
        let packet = self.stages[stage][element].inputs[port][lane].remove(place).unwrap();
        let sender = self.sender(stage, element, port);
        self.return_credit(stage, sender, lane);
        packet
    }

    /// The input port that `merge` takes, which is then served.
    fn merge(&mut self, stage: usize, element: usize, lane: usize) -> Option<usize> {
        let (heads, rule) = (self.heads(stage, element, lane), self.settings.merge.clone());
        let at = &mut self.stages[stage][element];
        let p = at.inputs.len();
        let port = rule.choose(&at.merging[lane], &heads, p, &mut self.draws)?;
        rule.advance(&mut at.merging[lane], port, p);
        Some(port)
    }

    fn distribute(&mut self, stage: usize, element: usize, lane: usize, part: Option<usize>) -> bool {
        let heads = self.heads(stage, element, lane);
        if heads.iter().all(|(port, _)| part.is_some_and(|part| part != *port)) {
            return false;
        }
        let (index, size) = (part.unwrap_or(0), self.size_of_output(stage));
        let at = &self.stages[stage][element];
        let p = at.inputs.len();
        let has_room = |output: usize| at.outputs[index][output][lane].len() < size;
        let by_ready = |output: &usize| (self.ready(stage, element, *output), *output);
        let output = match self.settings.distribution {
            Distribution::Rr => at.next_output[lane][index],
            Distribution::Ic => {
                let sent = &at.sent_to[lane][index];
                let fewest = sent.iter().min().unwrap();
                (0..p).filter(|&output| sent[output] == *fewest).min_by_key(by_ready).unwrap()
            }
            Distribution::Random if (0..p).any(has_room) => self.draws.below(p),
            Distribution::Random => return false,
            Distribution::Adaptive => match (0..p).filter(|&output| has_room(output)).min_by_key(by_ready) {
                Some(output) => output,
                None => return false,
            },
        };
        if self.stages[stage][element].outputs[index][output][lane].len() >= size {
            return false;
        }
        let port = part.or_else(|| self.merge(stage, element, lane)).unwrap();
        let packet = self.take(stage, element, lane, port, 0);
        let packet = self.distributed(stage, element, lane, index, output, packet);
        self.stages[stage][element].outputs[index][output][lane].push_back(packet);
        true
    }

    /// Numbers a cell that goes to an output, and keeps the books.
    fn distributed(
        &mut self,
        stage: usize,
        element: usize,
        lane: usize,
        index: usize,
        output: usize,
        mut packet: Packet,
    ) -> Packet {
        let Kind::Distribute(level) = self.kinds[stage] else { panic!("only distribution elements distribute") };
        let at = &mut self.stages[stage][element];
        packet.numbers[level] = at.next_number[lane][index];
        at.next_number[lane][index] += 1;
        at.next_output[lane][index] = (output + 1) % at.inputs.len();
        at.sent_to[lane][index][output] += 1;
        packet
    }

    fn ready(&self, stage: usize, element: usize, output: usize) -> usize {
        let at = &self.stages[stage][element];
        let position = element * at.inputs.len() + output;
        let of_lane = |lane: usize| {
            let cells: usize = at.outputs.iter().map(|outputs| outputs[output][lane].len()).sum();
            if self.settings.stop_and_go {
                if self.may_send(stage + 1, position, lane) { cells } else { 0 }
            } else {
                cells.min(self.credits[stage + 1][position][lane])
            }
        };
        (0..self.lanes()).map(of_lane).sum()
    }

    fn put(&mut self, stage: usize, element: usize, packet: Packet) -> Result<(), Packet> {
        let (output, lane, size) =
            (self.route(stage, &packet), self.lane(stage + 1, &packet), self.size_of_output(stage));
        let buffer = &mut self.stages[stage][element].outputs[0][output][lane];
        if buffer.len() >= size {
            return Err(packet);
        }
        buffer.push_back(packet);
        Ok(())
    }

    /// Whether the output buffer of a cell has room.
    fn has_room(&self, stage: usize, element: usize, packet: &Packet) -> bool {
        let (output, lane) = (self.route(stage, packet), self.lane(stage + 1, packet));
        self.stages[stage][element].outputs[0][output][lane].len() < self.size_of_output(stage)
    }

    fn split(&mut self, stage: usize, element: usize, lane: usize, port: usize) -> bool {
        let first = self.stages[stage][element].inputs[port][lane].front();
        if !first.is_some_and(|packet| self.has_room(stage, element, packet)) {
            return false;
        }
        let packet = self.take(stage, element, lane, port, 0);
        self.put(stage, element, packet).is_ok()
    }

    fn merge_and_route(&mut self, stage: usize, element: usize, lane: usize) -> bool {
        // All cells of a lane have the same destination, so any of them stands for the others.
        let heads = self.heads(stage, element, lane);
        let Some(&(any, _)) = heads.first() else { return false };
        if !self.has_room(stage, element, &self.stages[stage][element].inputs[any][lane][0]) {
            return false;
        }
        let port = self.merge(stage, element, lane).unwrap();
        let packet = self.take(stage, element, lane, port, 0);
        self.put(stage, element, packet).is_ok()
    }

    fn level(&self, stage: usize) -> usize {
        match self.kinds[stage] {
            Kind::Route(level) | Kind::Distribute(level) => level,
            Kind::Center => self.settings.radices.len() - 1,
        }
    }

    /// The port whose head-of-line cell is next in sequence.
    fn next_in_sequence(&self, stage: usize, element: usize, lane: usize) -> Option<usize> {
        let (at, level) = (&self.stages[stage][element], self.level(stage));
        let is_next = |packet: &Packet| packet.numbers[level] == at.next_number[lane][0];
        at.inputs.iter().position(|buffers| buffers[lane].front().is_some_and(is_next))
    }

    fn resequence(&mut self, stage: usize, element: usize, lane: usize) -> bool {
        let Some(port) = self.next_in_sequence(stage, element, lane) else { return false };
        if !self.has_room(stage, element, &self.stages[stage][element].inputs[port][lane][0]) {
            return false;
        }
        let packet = self.take(stage, element, lane, port, 0);
        let at = &mut self.stages[stage][element];
        at.next_number[lane][0] += 1;
        at.since[lane] = self.now;
        self.put(stage, element, packet).is_ok()
    }

    /// With distribution first: a cell of one part, also from behind cells of others.
    fn resequence_part(&mut self, stage: usize, element: usize, lane: usize, part: usize) -> bool {
        let (level, at) = (self.level(stage), &self.stages[stage][element]);
        let (b, p) = (below(&self.settings, level), self.settings.radices[level]);
        let of_part = |packet: &Packet| packet.source / b % p == part;
        let found = at.inputs.iter().enumerate().find_map(|(port, buffers)| {
            let place = buffers[lane].iter().position(of_part)?;
            (buffers[lane][place].numbers[level] == at.next_number[lane][part]).then_some((port, place))
        });
        let Some((port, place)) = found else { return false };
        if !self.has_room(stage, element, &at.inputs[port][lane][place]) {
            return false;
        }
        let packet = self.take(stage, element, lane, port, place);
        self.stages[stage][element].next_number[lane][part] += 1;
        self.put(stage, element, packet).is_ok()
    }

    /// The three steps of robust resequencing; whether one of them changed anything.
    fn skip_lost(&mut self, stage: usize, element: usize, lane: usize) -> bool {
        let level = self.level(stage);
        let p = self.stages[stage][element].inputs.len();
        let expected = self.stages[stage][element].next_number[lane][0];
        for port in 0..p {
            let head = self.stages[stage][element].inputs[port][lane].front();
            if head.is_some_and(|packet| packet.numbers[level] < expected) {
                self.take(stage, element, lane, port, 0);
                self.dropped += 1;
                return true;
            }
        }
        let at = &self.stages[stage][element];
        let heads: Vec<usize> =
            at.inputs.iter().filter_map(|buffers| Some(buffers[lane].front()?.numbers[level])).collect();
        let waited = self.now - at.since[lane] >= self.settings.patience;
        if heads.is_empty() || heads.contains(&expected) || (heads.len() < p && !waited) {
            return false;
        }
        self.stages[stage][element].next_number[lane][0] = *heads.iter().min().unwrap();
        true
    }

    fn redraw(&mut self) {
        let Rule::Redrawn(period) = self.settings.links else { return };
        if !self.now.is_multiple_of(period) {
            return;
        }
        let n = self.n();
        for turn in self.turns.iter_mut().rev().flatten().flatten() {
            turn.pointer = self.link_draws.below(n);
        }
    }

    fn go(&self, link: usize, position: usize, lane: usize) -> bool {
        let (element, port) = self.end(link, position);
        let occupancy = self.stages[link][element].inputs[port][lane].len();
        let Settings { link_delay, credit_delay, .. } = self.settings;
        occupancy + ((link_delay + credit_delay) as usize) < size_of_input(&self.settings, self.kinds[link])
    }

    /// The bits of stop-and-go, just before the transmissions of the link.
    fn note_bits(&mut self, link: usize) {
        if !self.settings.stop_and_go || link == self.kinds.len() {
            return;
        }
        let lane_bits = |position| (0..self.lanes()).map(|lane| self.go(link, position, lane)).collect();
        let bits = (0..self.n()).map(lane_bits).collect();
        self.bits[link].insert(self.now, bits);
    }

    fn may_send(&self, link: usize, position: usize, lane: usize) -> bool {
        if link == self.kinds.len() {
            return true;
        }
        if !self.settings.stop_and_go {
            return self.credits[link][position][lane] > 0;
        }
        let delay = self.settings.credit_delay;
        if delay == 0 {
            return self.go(link, position, lane);
        }
        let Some(slot) = self.now.checked_sub(delay) else { return true };
        self.bits[link].get(&slot).is_none_or(|bits| bits[position][lane])
    }

    /// What an end could send: lanes of the link with the arrival slot of the cell.
    fn offers(&self, link: usize, position: usize) -> Vec<(usize, Slot)> {
        let head = |(lane, buffer): (usize, &Buffer)| buffer.front().map(|packet| (lane, packet.born));
        if link == 0 {
            return self.voqs[position].iter().enumerate().filter_map(head).collect();
        }
        let stage = link - 1;
        let p = radix(&self.settings, self.kinds[stage]);
        let (element, output) = (position / p, position % p);
        let at = &self.stages[stage][element];
        if !self.has_output_buffers(stage) {
            let mut offers = Vec::new();
            for lane in 0..self.lanes() {
                if let Some(packet) = self.offered(stage, element, output, lane) {
                    offers.push((self.lane(link, packet), packet.born));
                }
            }
            offers.sort_unstable();
            return offers;
        }
        let of_lane = |lane: usize| {
            let heads: Vec<(usize, Slot)> =
                at.outputs.iter().enumerate().filter_map(|(q, it)| Some((q, it[output][lane].front()?.born))).collect();
            let first = heads.first()?;
            let rule = &self.settings.merge;
            // A random merge is drawn later; the lowest queue stands for it.
            let chosen = match rule {
                Rule::Random => first.0,
                _ => rule.choose(&at.merging_out[output][lane], &heads, p, &mut self.draws.clone())?,
            };
            heads.iter().find(|(q, _)| *q == chosen).map(|&(_, born)| (lane, born))
        };
        (0..self.lanes()).filter_map(of_lane).collect()
    }

    /// Without output buffers: the cell that a lane of the input side offers to an output.
    fn offered(&self, stage: usize, element: usize, output: usize, lane: usize) -> Option<&Packet> {
        let at = &self.stages[stage][element];
        let heads = self.heads(stage, element, lane);
        let p = at.inputs.len();
        if self.resequences(stage) {
            let packet = &at.inputs[self.next_in_sequence(stage, element, lane)?][lane][0];
            return (self.route(stage, packet) == output).then_some(packet);
        }
        let rule = &self.settings.merge;
        let port = match rule {
            Rule::Random => heads.first()?.0,
            _ => rule.choose(&at.merging[lane], &heads, p, &mut self.draws.clone())?,
        };
        let packet = &at.inputs[port][lane][0];
        let offered = match (self.kinds[stage], self.settings.distribution) {
            (Kind::Distribute(_), Distribution::Rr) => at.next_output[lane][0] == output,
            (Kind::Distribute(_), Distribution::Ic) => {
                let sent = &at.sent_to[lane][0];
                sent[output] == *sent.iter().min()?
            }
            (Kind::Distribute(_), Distribution::Random | Distribution::Adaptive) => true,
            _ => self.route(stage, packet) == output,
        };
        offered.then_some(packet)
    }

    /// What an end sends; returned if it leaves the fabric.
    fn send(&mut self, link: usize, position: usize) -> Option<Packet> {
        let (n, settings) = (self.n(), self.settings.clone());
        let offers = self.offers(link, position);
        let eligible: Vec<(usize, Slot)> =
            offers.into_iter().filter(|&(lane, _)| self.may_send(link, position, lane)).collect();
        let levels: Vec<(usize, Slot)> = (0..settings.priorities)
            .filter(|level| eligible.iter().any(|(lane, _)| lane / n == *level))
            .map(|level| (level, 0))
            .collect();
        let precedence = &settings.precedence;
        let turn = &mut self.levels_turns[link][position];
        let level = precedence.choose(turn, &levels, settings.priorities, &mut self.link_draws)?;
        precedence.advance(turn, level, settings.priorities);
        let groups: Vec<(usize, Slot)> =
            eligible.iter().filter(|(lane, _)| lane / n == level).map(|&(lane, born)| (lane % n, born)).collect();
        let turn = &mut self.turns[link][position][level];
        let group = settings.links.choose(turn, &groups, n, &mut self.link_draws)?;
        settings.links.advance(turn, group, n);
        let lane = level * n + group;
        let packet = self.take_for_link(link, position, lane);
        if link == self.kinds.len() {
            return Some(packet);
        }
        if !settings.stop_and_go {
            self.credits[link][position][lane] -= 1;
        }
        let there = self.now + 1 + settings.link_delay;
        if settings.loss > 0.0 && self.losses.chance(Probability::new(settings.loss)) {
            self.dropped += 1;
            self.on_links.push((there, link, position, OnLink::Lost(lane)));
        } else {
            self.on_links.push((there, link, position, OnLink::Cell(packet)));
        }
        None
    }

    /// Takes the cell of a lane that an end sends.
    fn take_for_link(&mut self, link: usize, position: usize, lane: usize) -> Packet {
        if link == 0 {
            return self.voqs[position][lane].pop_front().unwrap();
        }
        let stage = link - 1;
        let p = radix(&self.settings, self.kinds[stage]);
        let (element, output) = (position / p, position % p);
        if !self.has_output_buffers(stage) {
            let from = (0..self.lanes()).find(|&from| {
                self.offered(stage, element, output, from).is_some_and(|packet| self.lane(link, packet) == lane)
            });
            let from = from.unwrap();
            if self.resequences(stage) {
                let port = self.next_in_sequence(stage, element, from).unwrap();
                self.stages[stage][element].next_number[from][0] += 1;
                self.stages[stage][element].since[from] = self.now;
                return self.take(stage, element, from, port, 0);
            }
            let port = self.merge(stage, element, from).unwrap();
            let packet = self.take(stage, element, from, port, 0);
            return match self.kinds[stage] {
                Kind::Distribute(_) => self.distributed(stage, element, from, 0, output, packet),
                Kind::Center | Kind::Route(_) => packet,
            };
        }
        let rule = self.settings.merge.clone();
        let at = &mut self.stages[stage][element];
        let heads: Vec<(usize, Slot)> =
            at.outputs.iter().enumerate().filter_map(|(q, it)| Some((q, it[output][lane].front()?.born))).collect();
        let turn = &mut at.merging_out[output][lane];
        let queue = rule.choose(turn, &heads, p, &mut self.draws).unwrap();
        rule.advance(turn, queue, p);
        at.outputs[queue][output][lane].pop_front().unwrap()
    }

    fn exit(&mut self, output: usize, packet: Option<Packet>) -> Option<Packet> {
        let (n, now, settings) = (self.n(), self.now, self.settings.clone());
        let waits_of = |waiting: &BTreeMap<(usize, usize, usize), Packet>, level, source| {
            waiting.range((level, source, 0)..(level, source + 1, 0)).next().map(|(key, _)| key.2)
        };
        if let Some(packet) = packet {
            let (level, source) = (packet.priority, packet.source);
            let none_waits = waits_of(&self.waiting[output], level, source).is_none();
            let (expected, since) = self.expected.entry((output, level, source)).or_insert((0, 0));
            if packet.of_flow < *expected {
                self.dropped += 1;
            } else {
                if none_waits {
                    *since = now;
                }
                self.waiting[output].insert((level, source, packet.of_flow), packet);
            }
        }
        let mut ready = vec![Vec::new(); settings.priorities];
        for (level, ready) in ready.iter_mut().enumerate() {
            for source in 0..n {
                let Some(first) = waits_of(&self.waiting[output], level, source) else { continue };
                let (expected, since) = self.expected.entry((output, level, source)).or_insert((0, 0));
                if first != *expected && settings.loss > 0.0 && now - *since >= settings.patience {
                    *expected = first;
                }
                if first == *expected {
                    ready.push((source, 0));
                }
            }
        }
        let levels: Vec<(usize, Slot)> =
            (0..settings.priorities).filter(|&level| !ready[level].is_empty()).map(|level| (level, 0)).collect();
        let turn = &mut self.exit_levels[output];
        let level = settings.precedence.choose(turn, &levels, settings.priorities, &mut self.link_draws)?;
        settings.precedence.advance(turn, level, settings.priorities);
        let turn = &mut self.exit_turns[output][level];
        let source = Rule::RoundRobin.choose(turn, &ready[level], n, &mut self.link_draws)?;
        Rule::RoundRobin.advance(turn, source, n);
        let (expected, since) = self.expected.get_mut(&(output, level, source))?;
        let packet = self.waiting[output].remove(&(level, source, *expected));
        (*expected, *since) = (*expected + 1, now);
        packet
    }

    /// All cells inside.
    pub(crate) fn queued(&self) -> u64 {
        let of = |buffers: &Vec<Vec<Buffer>>| buffers.iter().flatten().map(VecDeque::len).sum::<usize>();
        let elements = self.stages.iter().flatten();
        let inside: usize = elements.map(|it| of(&it.inputs) + it.outputs.iter().map(of).sum::<usize>()).sum();
        let on_links = self.on_links.iter().filter(|cell| matches!(cell.3, OnLink::Cell(_))).count();
        let waiting: usize = self.waiting.iter().map(BTreeMap::len).sum();
        (of(&self.voqs) + inside + on_links + waiting) as u64
    }

    /// Credits at their sender, credits on their way, cells on the link and in the buffer make up
    /// the size of each input buffer; no buffer is overfull.
    pub(crate) fn check(&self) {
        for (stage, elements) in self.stages.iter().enumerate() {
            let (size, room) = (size_of_input(&self.settings, self.kinds[stage]), self.size_of_output(stage));
            for (number, element) in elements.iter().enumerate() {
                assert!(element.outputs.iter().flatten().flatten().all(|buffer| buffer.len() <= room));
                for (port, buffers) in element.inputs.iter().enumerate() {
                    let sender = self.sender(stage, number, port);
                    for (lane, cells) in buffers.iter().enumerate() {
                        assert!(cells.len() <= size);
                        let here = |link: usize, position: usize| (link, position) == (stage, sender);
                        let away = self.returning.iter().filter(|it| here(it.1, it.2) && it.3 == lane).count();
                        let lane_of = |cell: &OnLink| match cell {
                            OnLink::Cell(packet) => self.lane(stage, packet),
                            OnLink::Lost(lane) => *lane,
                        };
                        let coming = self.on_links.iter().filter(|it| here(it.1, it.2) && lane_of(&it.3) == lane);
                        let sum = cells.len() + self.credits[stage][sender][lane] + away + coming.count();
                        assert!(self.settings.stop_and_go || sum == size, "{sum} of {size}");
                    }
                }
            }
        }
    }
}

/// P of a stage.
fn radix(settings: &Settings, kind: Kind) -> usize {
    match kind {
        Kind::Distribute(level) | Kind::Route(level) => settings.radices[level],
        Kind::Center => settings.radices[settings.radices.len() - 1],
    }
}

/// `B_s`.
fn below(settings: &Settings, level: usize) -> usize {
    settings.radices[..level].iter().product()
}

fn size_of_input(settings: &Settings, kind: Kind) -> usize {
    if matches!(kind, Kind::Route(_)) { settings.input_buffers.1 } else { settings.input_buffers.0 }
}
