//! The fabric for all settings: any radices, output buffers, link schedulers, delays and losses,
//! hierarchical merging, priority levels. `papers/004/settings.md` defines them slot by slot.
//!
//! It is written for generality: full sequence numbers in each cell, FIFO lists in one pool, and
//! loops over all elements. The engines of the fabric with equal elements of 2, 4 or 8 ports are
//! several times as fast; tests hold both to the same departures.
//!
//! ```text
//!   events (cells and credits under way) -> input FIFOs -> transfer -> output FIFOs -> transmit
//! ```

mod audit;
mod exit;
mod flow;
mod settings;
mod store;
mod switch;
#[cfg(test)]
mod tests;
mod transfer;
mod transmit;
mod turns;
mod watchdog;
mod wiring;

pub(crate) use settings::Settings;

use super::config::{Distribution, Resequencing};
use super::fabric::Counts;
use crate::cell::{Cell, Dropped, NONE, Port, Slot};
use crate::labels::Labels;
use crate::rng::{Probability, Purpose, Rng, Seed};
use crate::switch::Failure;
use crate::switch::queues::Queues;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use exit::Exit;
use flow::Flow;
use settings::{MergeRule, Rule};
use store::{Fifo, Packet, Pool, Sets};
use turns::Turn;
use wiring::{Role, Wiring};

/// What an element keeps for a lane of its inputs; with `order=distribute-first`, for a lane of one
/// of them.
#[derive(Clone, Copy, Debug, Default)]
struct Lane {
    /// The next number: to be given, or expected.
    number: u32,
    /// The outputs that have had a cell of this round.
    round: u32,
    /// When a cell was last moved, or the first one came.
    since: Slot,
    /// Cells that wait for a predecessor.
    held: u32,
    /// The output whose turn it is.
    pointer: u8,
    /// The input whose turn it is.
    merge: Turn,
}

/// Where a lane of an element is: stage, element, lane.
#[derive(Clone, Copy, Debug)]
struct At {
    stage: usize,
    element: usize,
    lane: usize,
}

/// The general fabric; see the module.
#[derive(Clone, Debug)]
pub(super) struct General {
    settings: Settings,
    wiring: Wiring,
    /// By input and lane.
    voqs: Queues,
    pool: Pool,
    /// By stage: the input buffers by position and lane; the output buffers by position and lane,
    /// and with `order=distribute-first` by input port.
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
    exit: Option<Exit>,
    /// The key of the hash.
    key: u64,
    rng: Rng,
    link_rng: Rng,
    loss_rng: Rng,
    loss: Probability,
    counts: Counts,
    dropped: Vec<Dropped>,
    /// Cells dropped so far, on links and as late ones.
    lost: u64,
    late: u64,
    failure: Option<Box<Failure>>,
    /// Scratch: what an element without output buffers offers to an output.
    offered: Sets,
    offers: Vec<transmit::Offer>,
    /// The classes of cells, which are their priority levels.
    labels: Labels,
}

impl General {
    /// An empty fabric. The settings have been checked.
    pub(super) fn new(settings: Settings, seed: Seed) -> Self {
        let wiring = Wiring::new(&settings);
        let (ports, priorities) = (wiring.ports, wiring.priorities);
        let (stages, links) = (wiring.stages.len(), wiring.links.len());
        let lanes_in = |stage: usize| wiring.lanes_received(stage);
        let merge_turn = Turn::first(if let MergeRule::Turns(weights) = &settings.merge { weights } else { &[] });
        let lane = Lane { merge: merge_turn, ..Lane::default() };
        let per_stage = |stage: usize| {
            let radix = wiring.stages[stage].radix;
            ports / radix * lanes_in(stage) * settings.states(&wiring, stage)
        };
        let outputs = |stage: usize| match wiring.stages[stage].output {
            0 => 0,
            _ => ports * wiring.lanes_sent(stage + 1) * settings.queues(&wiring, stage),
        };
        let most_groups = wiring.links.iter().map(|link| link.sent).max().unwrap_or(1);
        let link_turn = Turn::first(settings.links.weights());
        let level_turn = Turn::first(settings.level_weights());
        let key = settings.hashes() && settings.random_pointers;
        let mut fabric = Self {
            voqs: Queues::new(ports * ports * priorities),
            pool: Pool::default(),
            inputs: (0..stages).map(|stage| vec![Fifo::EMPTY; ports * lanes_in(stage)]).collect(),
            outputs: (0..stages).map(|stage| vec![Fifo::EMPTY; outputs(stage)]).collect(),
            active: (0..stages).map(|stage| Sets::new(ports / wiring.stages[stage].radix, lanes_in(stage))).collect(),
            waiting: wiring.links.iter().map(|link| Sets::new(ports * priorities, link.sent)).collect(),
            at_end: vec![vec![0; ports]; links],
            lanes: (0..stages).map(|stage| vec![lane; per_stage(stage)]).collect(),
            turns: vec![vec![link_turn; ports * priorities]; links],
            level_turns: vec![vec![level_turn; ports]; links],
            flow: Flow::new(&settings, &wiring),
            exit: (settings.is_numbered() && settings.resequencing == Resequencing::Final)
                .then(|| Exit::new(ports, priorities, settings.level_weights())),
            key: if key { seed.stream(Purpose::Fabric, 0).next() } else { 0 },
            rng: seed.stream(Purpose::Fabric, 1),
            link_rng: seed.stream(Purpose::Fabric, 2),
            loss_rng: seed.stream(Purpose::Fabric, 3),
            loss: Probability::new(settings.loss),
            counts: Counts::new(stages),
            dropped: Vec::new(),
            lost: 0,
            late: 0,
            failure: None,
            offered: Sets::new(priorities, most_groups),
            offers: vec![transmit::Offer::default(); most_groups * priorities],
            labels: Labels::NONE,
            settings,
            wiring,
        };
        if fabric.settings.distribution == Some(Rule::Classic(Distribution::RoundRobin))
            && fabric.settings.random_pointers
        {
            let mut initial = seed.stream(Purpose::Fabric, 0);
            for stage in 0..fabric.wiring.distribution {
                let radix = fabric.wiring.stages[stage].radix;
                fabric.lanes[stage].iter_mut().for_each(|lane| lane.pointer = initial.below(radix) as u8);
            }
        }
        fabric
    }

    /// Runs a slot, in the order of `papers/004/settings.md`.
    fn run_slot(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
        self.dropped.clear();
        self.counts.slots += 1;
        self.counts.moved = false;
        self.arrive(now, arrivals);
        self.deliver(now);
        for stage in (0..self.wiring.stages.len()).rev() {
            self.transfer(now, stage);
        }
        self.redraw(now);
        for link in (0..self.wiring.links.len()).rev() {
            self.transmit(now, link, departures);
        }
        if let Some(exit) = &mut self.exit {
            let lossy = (self.settings.loss > 0.0).then_some(self.settings.patience);
            self.counts.departed += exit.depart(&mut self.pool, now, lossy, departures);
        }
        let held = self.exit.as_ref().map_or(0, |exit| exit.held);
        self.counts.held_sum += self.counts.held + held;
        for (wait, inside) in self.counts.waits.iter_mut().zip(&self.counts.inside) {
            *wait += inside;
        }
        let still = !self.counts.moved && self.flow.is_quiet();
        self.counts.still = if still { self.counts.still.saturating_add(1) } else { 0 };
    }

    fn arrive(&mut self, now: Slot, arrivals: &[Port]) {
        let (ports, lanes) = (self.wiring.ports, self.wiring.lanes_sent(0));
        for (input, &output) in arrivals.iter().enumerate().filter(|(_, output)| **output != NONE) {
            let priority = self.priority(input, now);
            self.voqs.open(1).push(input * lanes + priority * ports + usize::from(output), now);
            self.waiting[0].set(input * self.wiring.priorities + priority, output.into(), true);
            self.counts.arrived += 1;
        }
    }

    /// The priority level of a cell: its class, or the last level.
    fn priority(&self, input: usize, arrival: Slot) -> usize {
        match self.wiring.priorities {
            1 => 0,
            levels => usize::from(self.labels.of(input as Port, arrival).class).min(levels - 1),
        }
    }

    /// The index of the state of a lane. `part` is 0 unless there are several.
    fn lane_index(&self, At { stage, element, lane }: At, part: usize) -> usize {
        let parts = self.settings.states(&self.wiring, stage);
        (element * self.wiring.lanes_received(stage) + lane) * parts + if parts > 1 { part } else { 0 }
    }

    fn lane(&mut self, at: At, part: usize) -> &mut Lane {
        let index = self.lane_index(at, part);
        &mut self.lanes[at.stage][index]
    }

    /// The index of the input buffer of a lane at a port.
    fn input_index(&self, At { stage, element, lane }: At, port: usize) -> usize {
        (element * self.wiring.stages[stage].radix + port) * self.wiring.lanes_received(stage) + lane
    }

    fn input(&self, at: At, port: usize) -> &Fifo {
        &self.inputs[at.stage][self.input_index(at, port)]
    }

    /// The input ports at which a lane has a cell.
    fn filled(&self, at: At) -> u32 {
        let radix = self.wiring.stages[at.stage].radix;
        (0..radix).fold(0, |set, port| set | u32::from(!self.input(at, port).is_empty()) << port)
    }

    /// The index of the output buffer of a lane at an end, for cells of an input port.
    fn output_index(&self, stage: usize, end: usize, lane: usize, port: usize) -> usize {
        let queues = self.settings.queues(&self.wiring, stage);
        (end * self.wiring.lanes_sent(stage + 1) + lane) * queues + if queues > 1 { port } else { 0 }
    }

    /// The lane of a cell at the beginning of a link.
    fn lane_sent(&self, link: usize, cell: &Packet) -> usize {
        let group = self.wiring.sent(link, cell.source.into(), cell.destination.into());
        usize::from(cell.priority) * self.wiring.links[link].sent + group
    }

    /// The lane of a cell at the end of a link.
    fn lane_received(&self, link: usize, cell: &Packet) -> usize {
        let group = self.wiring.received(link, cell.source.into(), cell.destination.into());
        usize::from(cell.priority) * self.wiring.links[link].received + group
    }

    /// Removes a cell that was dropped from the counts of its stage.
    fn drop_cell(&mut self, now: Slot, cell: &Packet) {
        let (input, output) = (cell.source, cell.destination);
        self.dropped.push(Dropped { slot: now, born: cell.born, input, output });
    }
}

impl Settings {
    /// States that an element keeps for a lane: one, or one for each input port.
    fn states(&self, wiring: &Wiring, stage: usize) -> usize {
        let stage = wiring.stages[stage];
        let by_port = self.distribute_first && matches!(stage.role, Role::Distribute | Role::Resequence);
        if by_port { stage.radix } else { 1 }
    }

    /// Queues in an output buffer: one, or one for each input port.
    fn queues(&self, wiring: &Wiring, stage: usize) -> usize {
        let stage = wiring.stages[stage];
        if self.distribute_first && stage.role == Role::Distribute { stage.radix } else { 1 }
    }

    /// The weights of priority levels, none if they are strict.
    fn level_weights(&self) -> &[u32] {
        if let settings::Precedence::Turns(weights) = &self.precedence { weights } else { &[] }
    }
}
