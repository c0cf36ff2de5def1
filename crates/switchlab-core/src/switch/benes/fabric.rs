//! The fabric as a switch, and what all engines share.

use super::element::record::FabricCell;
use super::exit::Exit;
use super::general::{Distribution, Numbers, Settings, State, Topology, audit, view, watchdog};
use super::links::Links;
use super::routing::known;
use crate::cell::{Block, Cell, Dropped, MAX_PORTS, NONE, Port, Slot, idle};
use crate::counter::Counter;
use crate::error::Error;
use crate::labels::Labels;
use crate::switch::queues::Queues;
use crate::switch::{Census, FabricView, Failure, Inspection, QueueLengths, Switch};
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// A fabric with its engine.
pub(super) trait Fabric: State + Send {
    fn core_mut(&mut self) -> &mut Core;

    /// Runs no more slots than [`Self::slots_at_a_time`]. Both slices have a row for each.
    fn run(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell]);

    fn slots_at_a_time(&self) -> usize {
        1
    }

    /// The bytes that the engine takes, with room for the cells of an overloaded fabric.
    fn bytes(&self) -> usize;

    fn use_labels(&mut self, _labels: &Labels) {}
}

/// A Benes fabric or a banyan as a switch; see the page of `benes`.
#[derive(Clone, Debug)]
pub(super) struct Benes<F> {
    pub(super) fabric: F,
    failure: Option<Box<Failure>>,
}

impl<F: Fabric> Benes<F> {
    pub(super) fn new(fabric: F) -> Self {
        Self { fabric, failure: None }
    }

    /// Looks for a deadlock, if there is a reason to; if there is one, the fabric stops.
    fn is_deadlocked(&mut self, now: Slot) -> bool {
        let waits = watchdog::deadlock(&self.fabric, now);
        if !waits.is_empty() {
            let still = self.fabric.core().counts.still;
            self.failure = Some(Box::new(Failure::Deadlock { slot: now, still, waits }));
        }
        self.failure.is_some()
    }

    /// Runs slots from `now` on. Both slices have a row for each slot. A fabric that has deadlocked
    /// stands still.
    fn run_slots(
        &mut self,
        mut now: Slot,
        mut arrivals: &[Port],
        mut departures: &mut [Cell],
        mut log: Option<&mut Vec<Dropped>>,
    ) {
        let ports = self.ports();
        while !arrivals.is_empty() {
            self.fabric.core_mut().dropped.clear();
            if self.failure.is_some() || self.is_deadlocked(now) {
                return;
            }
            let until = watchdog::until_suspicion(now, self.fabric.core().counts.still);
            let slots = self.fabric.slots_at_a_time().min(until).min(arrivals.len() / ports);
            let (some, rest) = arrivals.split_at(slots * ports);
            let (some_out, rest_out) = departures.split_at_mut(slots * ports);
            self.fabric.run(now, some, some_out);
            if let Some(log) = &mut log {
                log.extend_from_slice(self.dropped());
            }
            (arrivals, departures, now) = (rest, rest_out, now.wrapping_add(slots as Slot));
        }
    }

    fn core(&self) -> &Core {
        self.fabric.core()
    }
}

impl<F: Fabric> Switch for Benes<F> {
    fn ports(&self) -> usize {
        self.core().topology.ports
    }

    fn slot(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
        self.run_slots(now, arrivals, departures, None);
    }

    fn run_and_log(&mut self, arrivals: &Block<Port>, departures: &mut Block<Cell>, dropped: &mut Vec<Dropped>) {
        departures.start = arrivals.start;
        idle(&mut departures.data);
        self.run_slots(arrivals.start, &arrivals.data, &mut departures.data, Some(dropped));
    }

    /// Classes are priority levels. Those beyond the last level belong to it.
    fn use_labels(&mut self, labels: &Labels) -> Result<(), Error> {
        self.fabric.use_labels(labels);
        Ok(())
    }

    fn census(&self) -> Census {
        let Core { counts, voqs, exit, .. } = self.core();
        let inside = counts.in_stages() + counts.on_links + exit.as_ref().map_or(0, |exit| exit.held);
        let (arrived, departed, dropped) = (counts.arrived, counts.departed, counts.lost + counts.late);
        Census { arrived, departed, dropped, queued: voqs.length() + inside }
    }

    /// Nearly all cells of an overloaded fabric wait in VOQs: its own buffers are bounded.
    fn bytes_per_cell(&self) -> usize {
        Queues::BYTES_PER_CELL
    }

    /// The engine, the heads of the VOQs and, with resequencing at the exit, flows and numbers.
    fn fixed_bytes(&self) -> u64 {
        let (ports, priorities) = (self.ports(), self.core().topology.priorities);
        let exit = if self.core().exit.is_some() { Exit::bytes(ports, priorities) } else { 0 };
        (size_of::<Self>() + self.fabric.bytes() + exit) as u64 + Queues::fixed_bytes(ports * ports * priorities, 0)
    }

    fn stages(&self) -> u32 {
        (self.core().topology.stages() * (1 + self.core().settings.link_delay)) as u32
    }

    fn counters(&self, visit: &mut dyn FnMut(Counter)) {
        let Core { counts, settings, topology, .. } = self.core();
        counts.visit(topology.ports, settings.numbers() != Numbers::None, visit);
        if settings.loss > 0.0 {
            let sent = counts.sent[..topology.stages()].iter().sum();
            visit(Counter { name: "lost_on_links", sum: counts.lost, per: sent });
            visit(Counter { name: "late_cells", sum: counts.late, per: counts.arrived });
        }
    }

    fn waits_by_output(&self) -> Vec<(u64, u64)> {
        self.core().exit.as_ref().map_or_else(Vec::new, |exit| exit.waits.clone())
    }

    fn inspect(&self) -> Option<Inspection> {
        let Core { topology, voqs: queues, exit, .. } = self.core();
        let ports = topology.ports;
        let (mut outputs, mut stages, mut voqs) = (vec![0; ports], vec![0; topology.stages()], vec![0; ports * ports]);
        let buffers = self.fabric.buffers();
        for (site, cells) in &buffers {
            stages[site.stage] += cells.len() as u16;
        }
        let inside = buffers.into_iter().flat_map(|(_, cells)| cells);
        let inside = inside.chain(self.fabric.on_links().into_iter().map(|(.., cell)| cell));
        for cell in inside.chain(exit.iter().flat_map(Exit::cells)) {
            outputs[usize::from(cell.destination)] += 1;
        }
        let lanes = topology.lanes_sent(0);
        for (voq, length) in queues.lengths().into_iter().enumerate() {
            voqs[voq / lanes * ports + voq % lanes % ports] += length;
        }
        Some(Inspection {
            queues: QueueLengths::VoqsAndOutputs { voqs, outputs },
            matching: None,
            state: vec![("cells, by stage", stages)],
        })
    }

    fn fabric(&self) -> Option<FabricView> {
        Some(view::view(&self.fabric))
    }

    fn audit(&self) -> Result<(), String> {
        audit::check(&self.fabric)
    }

    fn dropped(&self) -> &[Dropped] {
        &self.core().dropped
    }

    fn failure(&self) -> Option<&Failure> {
        self.failure.as_deref()
    }
}

/// What all engines share.
#[derive(Clone, Debug)]
pub(super) struct Core {
    pub(super) settings: Settings,
    pub(super) topology: Topology,
    /// The bits of a cell's number in the engines for equal elements: one digit for each level,
    /// which is as long as an address; or its number in its flow.
    pub(super) number_bits: u32,
    /// By input and lane.
    pub(super) voqs: Queues,
    /// With resequencing at the exit.
    pub(super) exit: Option<Exit>,
    pub(super) counts: Counts,
    /// Cells that were dropped in this slot.
    pub(super) dropped: Vec<Dropped>,
}

impl Core {
    /// That of an empty fabric. The settings have been checked.
    pub(super) fn new(settings: Settings) -> Self {
        let topology = Topology::new(&settings);
        let (ports, priorities) = (topology.ports, topology.priorities);
        let flows = settings.numbers() == Numbers::Flows;
        Self {
            number_bits: if flows { 16 } else { MAX_PORTS.trailing_zeros() },
            voqs: Queues::new(ports * ports * priorities),
            exit: flows.then(|| Exit::new(ports, priorities, settings.level_weights())),
            counts: Counts::new(topology.stages()),
            dropped: Vec::new(),
            topology,
            settings,
        }
    }

    /// Whether the pointers of round-robin distribution begin anywhere.
    pub(super) fn draws_pointers(&self) -> bool {
        self.settings.distribution == Some(Distribution::RoundRobin) && self.settings.random_pointers
    }

    /// Whether the key of the hash is drawn.
    pub(super) fn draws_key(&self) -> bool {
        self.settings.hashes() && self.settings.random_pointers
    }

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
    pub(super) fn leave(
        &mut self,
        cells: impl Iterator<Item = (usize, FabricCell)>,
        now: Slot,
        departures: &mut [Cell],
    ) {
        match &mut self.exit {
            None => cells.for_each(|(output, cell)| departures[output] = cell.departure()),
            Some(exit) => cells.for_each(|(output, FabricCell { born, source, number })| {
                let number = exit.whole_number(output, source.into(), number);
                exit.enqueue(now, output, (0, source), (born, number));
            }),
        }
    }

    /// All cells of a slot have left the last stage. Each resequencer, if there are any, sends one
    /// cell that is in sequence.
    pub(super) fn depart(&mut self, now: Slot, departures: &mut [Cell]) {
        let patience = (self.settings.loss > 0.0).then_some(self.settings.patience);
        self.counts.departed += match &mut self.exit {
            Some(exit) => exit.depart(now, patience, departures),
            None => self.counts.sent_now[self.topology.stages()],
        };
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
    /// Cells dropped on links, and as late ones.
    pub(super) lost: u64,
    pub(super) late: u64,
    /// By link: cells sent, in all and in this slot.
    pub(super) sent: Vec<u64>,
    pub(super) sent_now: Vec<u64>,
    /// By stage: cells inside.
    pub(super) inside: Vec<u64>,
    /// Cells on links, for links that take more than a slot.
    pub(super) on_links: u64,
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
