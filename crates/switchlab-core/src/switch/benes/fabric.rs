//! The fabric: what all engines share, among it counters and the resequencers at the exit.

use super::Resequencing;
use super::config::{Config, Distribution, Numbers};
use super::element::record::FabricCell;
use super::engine::Engine;
use super::links::{Links, UNCOUNTED};
use super::topology::{Topology, known};
use crate::cell::{Cell, NONE, Port, Slot};
use crate::counter::Counter;
use crate::rng::{Purpose, Seed};
use crate::switch::Failure;
use crate::switch::queues::Queues;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

/// A fabric of P x P elements; see the page of `benes`.
#[derive(Clone, Debug)]
pub(super) struct Fabric<const P: usize> {
    pub(super) core: Core,
    pub(super) engine: Engine<P>,
    pub(super) failure: Option<Box<Failure>>,
}

/// What all engines share.
#[derive(Clone, Debug)]
pub(super) struct Core {
    pub(super) config: Config,
    pub(super) topology: Topology,
    pub(super) voqs: Queues,
    /// With resequencing at the exit.
    pub(super) exit: Option<Exit>,
    pub(super) counts: Counts,
}

impl<const P: usize> Fabric<P> {
    /// An empty fabric. The configuration has been checked, and its radix is P.
    pub(super) fn new(config: Config, seed: Seed) -> Self {
        Self::with_engine(config, seed, Engine::new)
    }

    /// The same with an engine of choice, which has to serve the configuration.
    pub(super) fn with_engine(config: Config, seed: Seed, engine: impl FnOnce(&Core, Seed) -> Engine<P>) -> Self {
        let distributes = config.distribution.is_some();
        let split = config.resequencing == Resequencing::PerStage && distributes;
        let topology = Topology::new(config.ports, P.trailing_zeros(), distributes, split);
        let (ports, stages) = (topology.ports, topology.stages);
        let groups = topology.distribution * topology.elements() * ports;
        let exit = (config.numbers() == Numbers::Flows).then(|| Exit::new(ports));
        let core = Core { config, topology, voqs: Queues::new(ports * ports), exit, counts: Counts::new(stages) };
        let mut engine = engine(&core, seed);
        if config.distribution == Some(Distribution::RoundRobin) && config.random_pointers {
            let mut initial = seed.stream(Purpose::Fabric, 0);
            for at in 0..groups {
                engine.set_pointer(at, initial.below(P) as u8);
            }
        }
        Self { core, engine, failure: None }
    }

    /// Runs slots from `now` on. Both slices have a row for each slot. A fabric that has deadlocked
    /// stands still.
    pub(super) fn run_slots(&mut self, mut now: Slot, mut arrivals: &[Port], mut departures: &mut [Cell]) {
        let ports = self.core.topology.ports;
        while !arrivals.is_empty() && self.failure.is_none() && !self.is_deadlocked(now) {
            let slots = self.engine.slots_at_a_time().min(self.until_suspicion(now)).min(arrivals.len() / ports);
            let (some, rest) = arrivals.split_at(slots * ports);
            let (some_out, rest_out) = departures.split_at_mut(slots * ports);
            self.engine.run(&mut self.core, now, some, some_out);
            (arrivals, departures, now) = (rest, rest_out, now.wrapping_add(slots as Slot));
        }
    }
}

impl Core {
    /// Cells arrive at the line cards. `links` has the links from there in section 0.
    #[inline(never)]
    pub(super) fn arrive<const WORDS: usize>(&mut self, links: &mut Links, now: Slot, arrivals: &[Port]) {
        let ports = known::<WORDS>(self.topology.ports);
        let (mut voqs, mut links) = (self.voqs.open(ports), links.section::<WORDS>(0));
        for (input, &output) in arrivals.iter().enumerate() {
            if output != NONE {
                voqs.push(input * ports + output as usize, now);
                links.fill(input, output as usize);
                self.counts.arrived += 1;
            }
        }
    }

    /// Cells leave the last stage, each at its output: they depart, or are enqueued in the
    /// resequencers.
    pub(super) fn leave(&mut self, cells: impl Iterator<Item = (usize, FabricCell)>, departures: &mut [Cell]) {
        match &mut self.exit {
            None => cells.for_each(|(output, cell)| departures[output] = cell.departure()),
            Some(exit) => cells.for_each(|(output, cell)| exit.enqueue(output, cell)),
        }
    }

    /// All cells of a slot have left the last stage. Each resequencer, if there are any, sends one
    /// cell that is in sequence.
    pub(super) fn depart(&mut self, departures: &mut [Cell]) {
        let Some(exit) = &mut self.exit else {
            self.counts.departed += self.counts.sent_now[self.topology.stages];
            return;
        };
        for (output, departure) in departures.iter_mut().enumerate() {
            if let Some(cell) = exit.dequeue(output) {
                *departure = cell.departure();
                self.counts.departed += 1;
            }
        }
        exit.now = exit.now.wrapping_add(1);
    }

    /// Ends a slot.
    pub(super) fn end_slot(&mut self, ahead: bool) {
        self.counts.end_slot(ahead, self.exit.as_ref().map_or(0, |exit| exit.held));
    }
}

/// The names of counters by stage, up to the most stages: two for each bit of an address.
const STAGE_WAITS: &str = "wait_stage_0 wait_stage_1 wait_stage_2 wait_stage_3 wait_stage_4 wait_stage_5 \
    wait_stage_6 wait_stage_7 wait_stage_8 wait_stage_9 wait_stage_10 wait_stage_11 \
    wait_stage_12 wait_stage_13 wait_stage_14 wait_stage_15 wait_stage_16 wait_stage_17 \
    wait_stage_18 wait_stage_19 wait_stage_20 wait_stage_21 wait_stage_22 wait_stage_23";

/// Counters. Engines that transfer cells ahead of time, at the end of the slot before, count for
/// the slot that a transfer belongs to.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    pub(super) slots: u64,
    pub(super) arrived: u64,
    pub(super) departed: u64,
    /// By link: cells sent, in all and in this slot.
    pub(super) sent: Vec<u64>,
    pub(super) sent_now: Vec<u64>,
    /// By stage: cells inside.
    pub(super) inside: Vec<u64>,
    /// By stage: slots that cells spent there beyond the one that it takes.
    pub(super) waits: Vec<u64>,
    /// Slots that cells spent in their VOQs.
    pub(super) voq_wait: u64,
    /// Cells in routing elements that wait for a predecessor, now and summed over slots.
    pub(super) held: u64,
    pub(super) held_sum: u64,
    /// Cells enqueued in this slot that wait so from the next one on.
    pub(super) held_next: u64,
    /// Whether a cell was transferred or sent in this slot.
    pub(super) moved: bool,
    /// The same for the next slot, as far as it is known.
    pub(super) moved_next: bool,
    /// For how many slots no cell was transferred or sent.
    pub(super) still: u32,
}

impl Counts {
    /// Zero, for this many stages.
    pub(super) fn new(stages: usize) -> Self {
        let (sent, inside) = (vec![0; stages + 1], vec![0; stages]);
        Self { sent_now: sent.clone(), sent, waits: inside.clone(), inside, ..Self::default() }
    }

    /// Begins a slot. `ahead` if its transfers were made at the end of the last one.
    pub(super) fn begin_slot(&mut self, ahead: bool) {
        self.moved = core::mem::take(&mut self.moved_next);
        if ahead {
            self.held_sum += self.held;
        }
    }

    /// Ends a slot in which `held` cells wait at the exit.
    pub(super) fn end_slot(&mut self, ahead: bool, held: u64) {
        self.slots += 1;
        self.held_sum += held;
        if !ahead {
            self.held_sum += self.held;
        }
        self.held += core::mem::take(&mut self.held_next);
        let mut enqueued = 0;
        for (link, &sent) in self.sent_now.iter().enumerate() {
            self.sent[link] += sent;
            self.moved |= sent > 0;
            if let Some(stage) = link.checked_sub(1) {
                // Cells that were here before the slot and were not sent have waited.
                self.waits[stage] += self.inside[stage] - sent;
                self.inside[stage] = self.inside[stage] + enqueued - sent;
            }
            enqueued = sent;
        }
        self.still = if self.moved { 0 } else { self.still.saturating_add(1) };
    }

    /// Visits the counters that all fabrics have.
    pub(super) fn visit(&self, ports: usize, resequences: bool, visit: &mut dyn FnMut(Counter)) {
        let stages = self.inside.len();
        visit(Counter { name: "voq_wait", sum: self.voq_wait, per: self.sent[0] });
        // Until a cell is out of the last stage. With `resequencing=final` it may wait there too.
        let waits = self.voq_wait + self.waits.iter().sum::<u64>();
        visit(Counter { name: "wait_until_exit", sum: waits, per: self.sent[stages] });
        for (stage, name) in STAGE_WAITS.split(' ').enumerate().take(stages) {
            visit(Counter { name, sum: self.waits[stage], per: self.sent[stage + 1] });
        }
        if resequences {
            let per = self.slots * ports as u64;
            visit(Counter { name: "resequencing_depth", sum: self.held_sum, per });
        }
    }

    /// Cells between the line cards and the last link.
    pub(super) fn in_stages(&self) -> u64 {
        self.inside.iter().sum()
    }
}

#[derive(Clone, Copy, Debug)]
struct Flow {
    /// The number of the next cell to leave.
    expected: u16,
    /// The head of the list of cells, or [`NIL`].
    first: u32,
}

const NIL: u32 = u32::MAX;

/// The resequencers behind the last stage (`resequencing=final`), one for each output, unbounded.
/// Cells are kept in a list for each flow, in order. One cell leaves per slot: round robin over the
/// sources whose next cell is there.
#[derive(Clone, Debug)]
pub(super) struct Exit {
    ports: usize,
    /// By output and source.
    flows: Vec<Flow>,
    nodes: Vec<(FabricCell, u32)>,
    free: Vec<u32>,
    /// By input and output: the number of the next cell that enters the fabric.
    numbers: Vec<u16>,
    /// By output: sources whose next cell in sequence is here.
    turns: Links,
    /// Cells in all resequencers.
    pub(super) held: u64,
    /// The slot under way: outputs depart once in each.
    now: Slot,
    /// By output: the slots that cells took to get here, and how many came.
    pub(super) waits: Vec<(u64, u64)>,
}

impl Exit {
    /// Empty resequencers.
    pub(super) fn new(ports: usize) -> Self {
        Self {
            ports,
            flows: vec![Flow { expected: 0, first: NIL }; ports * ports],
            nodes: Vec::new(),
            free: Vec::new(),
            numbers: vec![0; ports * ports],
            turns: Links::new(ports, [UNCOUNTED]),
            held: 0,
            now: 0,
            waits: vec![(0, 0); ports],
        }
    }

    /// Numbers a cell of a flow, `input * ports + output`, that enters the fabric.
    pub(super) fn number(&mut self, flow: usize) -> u16 {
        let number = self.numbers[flow];
        self.numbers[flow] = number.wrapping_add(1);
        number
    }

    /// Enqueues a cell that leaves the last stage.
    pub(super) fn enqueue(&mut self, output: usize, cell: FabricCell) {
        let node = self.free.pop().unwrap_or_else(|| {
            self.nodes.push((cell, NIL));
            self.nodes.len() as u32 - 1
        });
        let flow = &mut self.flows[output * self.ports + cell.source as usize];
        // Arrival slots ascend within a flow as numbers do, and never wrap around.
        let (mut before, mut after) = (NIL, flow.first);
        while after != NIL && self.nodes[after as usize].0.born < cell.born {
            before = after;
            after = self.nodes[after as usize].1;
        }
        self.nodes[node as usize] = (cell, after);
        match before {
            NIL => flow.first = node,
            _ => self.nodes[before as usize].1 = node,
        }
        self.held += 1;
        let (slots, cells) = &mut self.waits[output];
        (*slots, *cells) = (*slots + u64::from(self.now.wrapping_sub(cell.born)), *cells + 1);
        if cell.number == flow.expected {
            self.turns.section::<0>(0).fill(output, cell.source as usize);
        }
    }

    /// The cell that leaves, if one is next in its flow.
    pub(super) fn dequeue(&mut self, output: usize) -> Option<FabricCell> {
        let mut turns = self.turns.section::<0>(0);
        let source = turns.send_one(output, false)?;
        let flow = &mut self.flows[output * self.ports + source];
        let node = flow.first;
        let (cell, next) = self.nodes[node as usize];
        flow.first = next;
        flow.expected = flow.expected.wrapping_add(1);
        if next != NIL && self.nodes[next as usize].0.number == flow.expected {
            self.turns.section::<0>(0).fill(output, source);
        }
        self.free.push(node);
        self.held -= 1;
        Some(cell)
    }

    /// The cells of a flow that are here, in order, and the number that is expected.
    pub(super) fn flow(&self, output: usize, source: usize) -> (u16, Vec<FabricCell>) {
        let flow = self.flows[output * self.ports + source];
        let (mut cells, mut node) = (Vec::new(), flow.first);
        while node != NIL {
            let (cell, next) = self.nodes[node as usize];
            cells.push(cell);
            node = next;
        }
        (flow.expected, cells)
    }
}
