//! The fabric for all settings: any radices, output buffers, link schedulers, delays and losses,
//! hierarchical merging, priority levels. `papers/004/settings.md` defines them slot by slot.
//!
//! What holds for every engine is here: settings, topology, and the state of a fabric as the audit
//! and the watchdog see it. So is the engine for all settings, [`General`].
//!
//! It is written for generality: full sequence numbers in each cell, FIFO lists in one pool, loops
//! over all elements. Tests hold the engines for equal elements, which are faster, to its results.
//!
//! ```text
//!   events (cells and credits under way) -> input FIFOs -> transfer -> output FIFOs -> transmit
//! ```

pub(super) mod audit;
mod flow;
mod settings;
mod state;
mod store;
#[cfg(test)]
mod tests;
mod topology;
mod transfer;
mod transmit;
mod turns;
pub(super) mod view;
pub(super) mod watchdog;

pub(crate) use settings::Settings;
pub(super) use settings::{Distribution, Merge, Numbers};
#[cfg(test)]
pub(super) use state::Snapshot;
pub(super) use state::{At, Credit, Filled, Lane, Packet, Site, State};
pub(super) use store::Sets;
pub(super) use topology::Topology;
pub(super) use turns::Turn;

use super::fabric::{Core, Fabric};
use crate::cell::{Cell, Dropped, NONE, Port, Slot};
use crate::labels::Labels;
use crate::rng::{Probability, Purpose, Rng, Seed};
use crate::switch::failure::Side;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use audit::ensure;
use flow::{Event, Flow};
use store::{Fifo, Pool};
use topology::Role;

/// The general fabric; see the module.
#[derive(Clone, Debug)]
pub(super) struct General {
    core: Core,
    pool: Pool,
    /// By stage: the input buffers by element, lane and port; the output buffers by element, lane,
    /// output port and, with `order=distribute-first`, input port.
    inputs: Vec<Vec<Fifo>>,
    outputs: Vec<Vec<Fifo>>,
    /// By stage and element: lanes with a cell in an input buffer.
    active: Vec<Sets>,
    /// By link, and by end and priority level: groups with a cell to send.
    waiting: Vec<Sets>,
    /// By link and end: cells to send.
    at_end: Vec<Vec<u32>>,
    /// By stage, element and lane.
    lanes: Vec<Vec<Lane>>,
    /// By link, end and priority level; and by link and end, among levels.
    turns: Vec<Vec<Turn>>,
    level_turns: Vec<Vec<Turn>>,
    flow: Flow,
    /// The key of the hash.
    key: u64,
    rng: Rng,
    link_rng: Rng,
    loss_rng: Rng,
    loss: Probability,
    /// Scratch: what an element without output buffers offers to an output.
    offered: Sets,
    offers: Vec<transmit::Offer>,
    /// The classes of cells, which are their priority levels.
    labels: Labels,
}

impl General {
    /// An empty fabric. The settings have been checked.
    pub(super) fn new(settings: Settings, seed: Seed) -> Self {
        let core = Core::new(settings);
        let (settings, topology) = (&core.settings, &core.topology);
        let (ports, priorities) = (topology.ports, topology.priorities);
        let stages = topology.stages();
        let lanes_in = |stage: usize| topology.lanes_received(stage);
        let merge_turn = Turn::first(if let Merge::Turns(weights) = &settings.merge { weights } else { &[] });
        let lane = Lane { merge: merge_turn, ..Lane::default() };
        let elements = |stage: usize| ports / topology.stage[stage].radix;
        let outputs = |stage: usize| match topology.stage[stage].output {
            0 => 0,
            _ => ports * topology.lanes_sent(stage + 1) * settings.queues(topology, stage),
        };
        let mut initial = seed.stream(Purpose::Fabric, 0);
        let states = |stage: usize| elements(stage) * lanes_in(stage) * settings.states(topology, stage);
        let mut lanes: Vec<Vec<Lane>> = (0..stages).map(|stage| vec![lane; states(stage)]).collect();
        if core.draws_pointers() {
            for (lanes, stage) in lanes.iter_mut().zip(&topology.stage[..topology.distribution]) {
                for lane in lanes {
                    lane.pointer = initial.below(stage.radix) as u8;
                }
            }
        }
        let most_groups = topology.link.iter().map(|link| link.sent).max().unwrap_or(1);
        Self {
            pool: Pool::default(),
            inputs: (0..stages).map(|stage| vec![Fifo::EMPTY; ports * lanes_in(stage)]).collect(),
            outputs: (0..stages).map(|stage| vec![Fifo::EMPTY; outputs(stage)]).collect(),
            active: (0..stages).map(|stage| Sets::new(elements(stage), lanes_in(stage))).collect(),
            waiting: topology.link.iter().map(|link| Sets::new(ports * priorities, link.sent)).collect(),
            at_end: vec![vec![0; ports]; stages + 1],
            lanes,
            turns: vec![vec![Turn::first(settings.links.weights()); ports * priorities]; stages + 1],
            level_turns: vec![vec![Turn::first(settings.level_weights()); ports]; stages + 1],
            flow: Flow::new(settings, topology),
            key: if core.draws_key() { seed.stream(Purpose::Fabric, 0).next() } else { 0 },
            rng: seed.stream(Purpose::Fabric, 1),
            link_rng: seed.stream(Purpose::Fabric, 2),
            loss_rng: seed.stream(Purpose::Fabric, 3),
            loss: Probability::new(settings.loss),
            offered: Sets::new(priorities, most_groups),
            offers: vec![transmit::Offer::default(); most_groups * priorities],
            labels: Labels::NONE,
            core,
        }
    }

    fn arrive(&mut self, now: Slot, arrivals: &[Port]) {
        let (ports, lanes) = (self.core.topology.ports, self.core.topology.lanes_sent(0));
        for (input, &output) in arrivals.iter().enumerate().filter(|(_, output)| **output != NONE) {
            let priority = self.priority(input, now);
            self.core.voqs.open(1).push(input * lanes + priority * ports + usize::from(output), now);
            self.waiting[0].set(input * self.core.topology.priorities + priority, output.into(), true);
            self.core.counts.arrived += 1;
        }
    }

    /// The priority level of a cell: its class, or the last level.
    fn priority(&self, input: usize, arrival: Slot) -> usize {
        match self.core.topology.priorities {
            1 => 0,
            levels => usize::from(self.labels.of(input as Port, arrival).class).min(levels - 1),
        }
    }

    /// The index of the state of a lane. `part` is 0 unless there are several.
    fn lane_index(&self, At { stage, element, lane }: At, part: usize) -> usize {
        let parts = self.core.settings.states(&self.core.topology, stage);
        (element * self.core.topology.lanes_received(stage) + lane) * parts + if parts > 1 { part } else { 0 }
    }

    fn lane(&mut self, at: At, part: usize) -> &mut Lane {
        let index = self.lane_index(at, part);
        &mut self.lanes[at.stage][index]
    }

    /// The index of the input buffer of a lane at a port. The buffers of a lane in an element lie
    /// side by side, for they are looked at together.
    fn input_index(&self, At { stage, element, lane }: At, port: usize) -> usize {
        (element * self.core.topology.lanes_received(stage) + lane) * self.core.topology.stage[stage].radix + port
    }

    fn input(&self, at: At, port: usize) -> &Fifo {
        &self.inputs[at.stage][self.input_index(at, port)]
    }

    /// The input ports at which a lane has a cell.
    fn filled(&self, at: At) -> u32 {
        let ports = &self.inputs[at.stage][self.input_index(at, 0)..][..self.core.topology.stage[at.stage].radix];
        ports.iter().zip(0..).fold(0, |set, (buffer, port)| set | u32::from(!buffer.is_empty()) << port)
    }

    /// The index of the output buffer of a lane at an end, for cells of an input port.
    fn output_index(&self, stage: usize, end: usize, lane: usize, port: usize) -> usize {
        let (topology, radix) = (&self.core.topology, self.core.topology.stage[stage].radix);
        let queues = self.core.settings.queues(topology, stage);
        let index = (end / radix * topology.lanes_sent(stage + 1) + lane) * radix + end % radix;
        index * queues + if queues > 1 { port } else { 0 }
    }

    /// Logs a cell that is dropped.
    fn drop_cell(&mut self, now: Slot, cell: &Packet) {
        let (input, output) = (cell.source, cell.destination);
        self.core.dropped.push(Dropped { slot: now, born: cell.born, input, output });
    }
}

impl Settings {
    /// States that an element keeps for a lane: one, or one for each input port.
    fn states(&self, topology: &Topology, stage: usize) -> usize {
        let stage = topology.stage[stage];
        let by_port = self.distribute_first && matches!(stage.role, Role::Distribute | Role::Resequence);
        if by_port { stage.radix } else { 1 }
    }

    /// Queues in an output buffer: one, or one for each input port.
    fn queues(&self, topology: &Topology, stage: usize) -> usize {
        let stage = topology.stage[stage];
        if self.distribute_first && stage.role == Role::Distribute { stage.radix } else { 1 }
    }

    /// The weights of priority levels, none if they are strict.
    pub(in crate::switch::benes) fn level_weights(&self) -> &[u32] {
        if let settings::Precedence::Turns(weights) = &self.precedence { weights } else { &[] }
    }
}

impl Fabric for General {
    fn core_mut(&mut self) -> &mut Core {
        &mut self.core
    }

    /// Runs a slot, in the order of `papers/004/settings.md`.
    fn run(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
        self.core.counts.slots += 1;
        self.core.counts.moved = false;
        self.arrive(now, arrivals);
        self.deliver(now);
        for stage in (0..self.core.topology.stages()).rev() {
            self.transfer(now, stage);
        }
        self.redraw(now);
        for link in (0..=self.core.topology.stages()).rev() {
            self.transmit(now, link, departures);
        }
        if self.core.exit.is_some() {
            self.core.depart(now, departures);
        }
        let held = self.core.exit.as_ref().map_or(0, |exit| exit.held);
        let counts = &mut self.core.counts;
        counts.held_sum += counts.held + held;
        for (wait, inside) in counts.waits.iter_mut().zip(&counts.inside) {
            *wait += inside;
        }
        let still = !counts.moved && self.flow.is_quiet();
        counts.still = if still { counts.still.saturating_add(1) } else { 0 };
    }

    /// Buffers, states and credits of all lanes, and room for as many cells as all buffers of a few
    /// lanes hold, which is more than overloaded fabrics were seen to need.
    fn bytes(&self) -> usize {
        let (topology, ports) = (&self.core.topology, self.core.topology.ports);
        let fifos: usize = self.inputs.iter().chain(&self.outputs).map(Vec::len).sum();
        let lanes: usize = self.lanes.iter().map(Vec::len).sum();
        let credits: usize = self.flow.hop.iter().chain(&self.flow.level).map(Vec::len).sum();
        let sets = |link: usize| 2 * Sets::bytes(ports * topology.priorities, topology.lanes_sent(link));
        let sets: usize = (0..topology.link.len()).map(sets).sum();
        let delay = self.core.settings.link_delay;
        let depth: usize = topology.stage.iter().map(|stage| stage.input + stage.output + delay).sum();
        let cells = (4096 + 32 * ports * topology.priorities * depth) * 2 * Pool::BYTES_PER_CELL;
        fifos * size_of::<Fifo>() + lanes * size_of::<Lane>() + 3 * credits + sets + cells
    }

    fn use_labels(&mut self, labels: &Labels) {
        self.labels = labels.clone();
    }
}

impl State for General {
    fn core(&self) -> &Core {
        &self.core
    }

    fn buffers(&self) -> Vec<Filled> {
        let (topology, mut filled) = (&self.core.topology, Vec::new());
        for (stage, radix) in topology.stage.iter().map(|stage| stage.radix).enumerate() {
            let queues = self.core.settings.queues(topology, stage);
            let sides = [
                (Side::Input, &self.inputs[stage], topology.lanes_received(stage), 1),
                (Side::Output, &self.outputs[stage], topology.lanes_sent(stage + 1), queues),
            ];
            for (side, buffers, lanes, queues) in sides {
                for (index, buffer) in buffers.iter().enumerate().filter(|(_, buffer)| !buffer.is_empty()) {
                    let (queue, index) = (index % queues, index / queues);
                    let (lane, position) = (index / radix % lanes, index / radix / lanes * radix + index % radix);
                    let site = Site { stage, side, position, lane, queue };
                    filled.push((site, self.pool.cells(buffer).copied().collect()));
                }
            }
        }
        filled.sort_unstable_by_key(|(site, _)| *site);
        filled
    }

    fn lane(&self, at: At, part: usize) -> Lane {
        self.lanes[at.stage][self.lane_index(at, part)]
    }

    fn request(&self, link: usize, end: usize, lane: usize) -> (bool, bool) {
        let topology = &self.core.topology;
        let groups = topology.link[link].sent;
        let cell = self.waiting[link].has(end * topology.priorities + lane / groups, lane % groups);
        (cell, self.may_send(link, end, lane))
    }

    fn credits(&self, link: usize, end: usize, lane: usize) -> Option<usize> {
        Some(self.flow.hop[link][self.hop_index(link, end, lane)].into())
    }

    fn returning(&self) -> (Vec<Credit>, Vec<Credit>) {
        let (mut hop, mut level) = (Vec::new(), Vec::new());
        for event in self.flow.events.iter().flatten() {
            match *event {
                Event::Lost { link, end, lane } | Event::Hop { link, end, lane } => {
                    hop.push((link.into(), end.into(), lane as usize));
                }
                Event::Level { link, end, lane } => level.push((link.into(), end.into(), lane as usize)),
                Event::Cell { .. } | Event::Bit { .. } => {}
            }
        }
        (hop, level)
    }

    fn level_credits(&self, (link, end, lane): Credit) -> usize {
        self.flow.level[link][end * self.core.topology.lanes_sent(link) + lane].into()
    }

    fn on_links(&self) -> Vec<(usize, usize, Packet)> {
        let cell = |event: &Event| match event {
            Event::Cell { link, position, cell } => Some((usize::from(*link), usize::from(*position), *cell)),
            _ => None,
        };
        self.flow.events.iter().flatten().filter_map(cell).collect()
    }

    fn check_copies(&self) -> Result<(), String> {
        for (stage, own) in self.core.topology.stage.iter().enumerate() {
            let lanes = self.core.topology.lanes_received(stage);
            let elements = self.core.topology.ports / own.radix;
            for (element, lane) in (0..elements).flat_map(|element| (0..lanes).map(move |lane| (element, lane))) {
                let at = At { stage, element, lane };
                let known = self.active[stage].has(element, lane);
                ensure(known == (self.filled(at) != 0), || format!("{at:?}: known as filled: {known}"))?;
            }
            let mut buffers = self.inputs[stage].iter().chain(&self.outputs[stage]);
            let right = buffers.all(|buffer| self.pool.cells(buffer).count() == buffer.length as usize);
            ensure(right, || format!("stage {stage}: the length of a buffer is not the number of its cells"))?;
        }
        let mut at_end = self.at_end.clone();
        for (site, cells) in self.buffers().iter().filter(|(site, _)| site.side == Side::Output) {
            let counted = &mut at_end[site.stage + 1][site.position];
            *counted = counted.wrapping_sub(cells.len() as u32);
        }
        ensure(at_end.iter().flatten().all(|&left| left == 0), || "cells at the ends of links are miscounted".into())?;
        let on_links = self.on_links().len() as u64;
        ensure(on_links == self.core.counts.on_links, || format!("{on_links} cells are on links"))
    }

    /// It keeps no time of moves.
    fn is_stale(&self, _: Slot, _: Slot) -> bool {
        true
    }

    fn key(&self) -> u64 {
        self.key
    }
}
