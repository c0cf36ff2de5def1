//! The engine for any configuration, in the order of the page: element by element, group by group,
//! cell by cell.
//!
//! Stages go from last to first. A stage sends as soon as its cells have been transferred. No
//! earlier stage sees a difference: what is sent comes to a stage whose transfers are over, and
//! uses credits that only this stage reads. Arrivals come last, since only line cards read VOQs.

mod buffers;
mod transfer;

use super::GroupState;
use crate::cell::{Cell, Port, Slot};
use crate::rng::{Purpose, Rng, Seed};
use crate::scale::WORD;
use crate::switch::benes::element::group::Group;
use crate::switch::benes::element::record::FabricCell;
use crate::switch::benes::fabric::Core;
use crate::switch::benes::general::{Numbers, Topology};
use crate::switch::benes::links::{Active, Links, UNCOUNTED};
use crate::switch::benes::routing::Routing;
use crate::switch::failure::Side;
use alloc::vec;
use alloc::vec::Vec;
use buffers::GroupBuffers;
use transfer::Elements;

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Reference<const P: usize> {
    pub(super) buffers: GroupBuffers<P>,
    links: Links,
    worklist: Worklist,
    /// By slot modulo the delay of credits: those that return then.
    returning: Vec<Vec<Credit>>,
    /// The key of the hash.
    key: u64,
    rng: Rng,
    /// Whether a group only has to be tried when what it waits for has come. Not so if a draw, the
    /// cell or other groups decide which buffer it waits for.
    predictable: bool,
    /// Scratch: links that send, and groups that are tried.
    sent: Vec<Active>,
    tries: Vec<u32>,
}

/// A credit on its way back: the buffer that it is for.
#[derive(Clone, Copy, Debug)]
struct Credit {
    stage: u16,
    position: Port,
    group: Port,
}

impl<const P: usize> Reference<P> {
    pub(super) fn new(core: &Core, seed: Seed) -> Self {
        let (settings, topology) = (&core.settings, &core.topology);
        let (ports, stages) = (topology.ports, topology.stages());
        let groups = topology.elements() * ports;
        let depth = settings.distribution_buffer.max(settings.for_routing());
        let link_credits = (0..=stages)
            .map(|link| if settings.per_link && link < stages { topology.stage[link].input as u16 } else { UNCOUNTED });
        Self {
            buffers: GroupBuffers::new(stages * groups, depth),
            links: Links::new(ports, link_credits),
            worklist: Worklist::new(stages, groups),
            returning: vec![Vec::new(); settings.credit_delay],
            key: if core.draws_key() { seed.stream(Purpose::Fabric, 0).next() } else { 0 },
            rng: seed.stream(Purpose::Fabric, 1),
            predictable: !settings.per_link
                && settings.credit_delay == 0
                && settings.merges_in_turns()
                && !settings.hashes(),
            sent: vec![0; ports.next_multiple_of(64)],
            tries: Vec::with_capacity(4 * ports),
        }
    }

    pub(super) fn slot(&mut self, core: &mut Core, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
        core.counts.begin_slot(false);
        self.return_credits(&core.topology, now);
        match core.topology.ports {
            ..=WORD => self.run::<1>(core, now, arrivals, departures),
            _ => self.run::<0>(core, now, arrivals, departures),
        }
        core.end_slot(false);
    }

    fn run<const WORDS: usize>(&mut self, core: &mut Core, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
        for stage in (0..core.topology.stages()).rev() {
            self.transfer::<WORDS>(core, now, stage);
            self.transmit::<WORDS>(core, now, stage + 1, departures);
        }
        core.arrive::<WORDS>(&mut self.links, now, arrivals);
        self.transmit_from_line_cards::<WORDS>(core, now);
    }

    /// Credits that were on their way become usable.
    fn return_credits(&mut self, topology: &Topology, now: Slot) {
        if self.returning.is_empty() {
            return;
        }
        let due = now as usize % self.returning.len();
        for Credit { stage, position, group } in self.returning[due].drain(..) {
            let (stage, position, group) = (usize::from(stage), usize::from(position), usize::from(group));
            let at = topology.at(stage, position / P, group);
            let record = self.buffers.record(at);
            self.buffers.buffers(record).returning[position % P] -= 1;
            let state = *self.buffers.state(record);
            self.buffers.close(at, record, state);
            let end = topology.previous[stage][position].into();
            self.links.section::<0>(stage).return_credit(end, group);
        }
    }

    /// Transfers the cells of a stage.
    fn transfer<const WORDS: usize>(&mut self, core: &mut Core, now: Slot, stage: usize) {
        let own = Stage::new(core, stage);
        let Core { settings, topology, counts, .. } = core;
        self.worklist.drain(stage, &mut self.tries);
        let (inlets, outlets) = self.links.around::<WORDS>(stage);
        let mut elements = Elements {
            settings,
            previous: &topology.previous[stage],
            stage: own,
            now,
            buffers: &mut self.buffers,
            inlets,
            outlets,
            returning: (now as usize).checked_rem(settings.credit_delay).map(|due| &mut self.returning[due]),
            rng: &mut self.rng,
            key: self.key,
            held: &mut counts.held,
            moved: false,
        };
        let worklist = &mut self.worklist;
        elements.transfer(&self.tries, |at| worklist.mark(stage, at, true));
        counts.moved |= elements.moved;
    }

    /// The outputs of a stage send: over a link to the next stage, or out of the fabric.
    fn transmit<const WORDS: usize>(&mut self, core: &mut Core, now: Slot, link: usize, departures: &mut [Cell]) {
        let (ports, is_last) = (core.topology.ports, link == core.topology.stages());
        self.buffers.provide(ports);
        let mut list = core::mem::take(&mut self.sent);
        let (from, to) = (Stage::new(core, link - 1), (!is_last).then(|| Stage::new(core, link)));
        let spends = to.as_ref().is_some_and(Stage::has_single_credits);
        let sent = self.links.section::<WORDS>(link).send_all(spends, &mut list);
        let mut held = 0;
        for (end, group) in sent.iter().map(|&sent| parts(sent)) {
            let cell = self.dequeue(&from, now, end, group);
            match &to {
                Some(to) => {
                    let position = core.topology.next[link][end].into();
                    held += self.enqueue(to, now, position, (end, group), cell);
                }
                None => core.leave([(end, cell)].into_iter(), now, departures),
            }
        }
        core.counts.held_next += held;
        core.counts.sent_now[link] = sent.len() as u64;
        if is_last {
            core.depart(now, departures);
        }
        self.sent = list;
    }

    /// The line cards send.
    fn transmit_from_line_cards<const WORDS: usize>(&mut self, core: &mut Core, now: Slot) {
        let (ports, to) = (core.topology.ports, Stage::new(core, 0));
        self.buffers.provide(ports);
        let mut list = core::mem::take(&mut self.sent);
        let sent = self.links.section::<WORDS>(0).send_all(to.has_single_credits(), &mut list);
        for (input, output) in sent.iter().map(|&sent| parts(sent)) {
            let flow = input * ports + output;
            let (_, born, empty) = core.voqs.open(0).pop(flow);
            core.counts.voq_wait += u64::from(now - born);
            let number = core.exit.as_mut().map_or(0, |exit| exit.number(input, output) as u16);
            let cell = FabricCell { born, source: input as Port, number };
            core.counts.held_next += self.enqueue(&to, now, input, (input, output), cell);
            self.links.section::<WORDS>(0).fill_if(input, output, !empty);
        }
        core.counts.sent_now[0] = sent.len() as u64;
        self.sent = list;
    }

    /// A cell leaves the output buffer of a group at a position of a stage.
    fn dequeue(&mut self, from: &Stage, now: Slot, position: usize, group: usize) -> FabricCell {
        let (inner, part) = from.routing.behind::<P>(position % P, group);
        let at = position / P * from.ports + inner;
        let record = self.buffers.record(from.first + at);
        let mut state = *self.buffers.state(record);
        let cell = self.buffers.buffers(record).outputs[part % P];
        let wanted = if self.predictable { state.waits() >> part & 1 != 0 } else { state.inputs() != 0 };
        self.worklist.mark(from.number, at, wanted);
        state.empty_output(part);
        state.set_stamp(Group::stamp(now));
        self.buffers.close(from.first + at, record, state);
        cell
    }

    /// A cell that a group has sent from an end of a link is enqueued in an input buffer of a
    /// stage, where it is for the next slot. Returns 1 if it then waits for a predecessor, else 0.
    fn enqueue(
        &mut self,
        to: &Stage,
        now: Slot,
        position: usize,
        (end, group): (usize, usize),
        cell: FabricCell,
    ) -> u64 {
        let (at, port) = (position / P * to.ports + group, position % P);
        let record = self.buffers.open(to.first + at);
        let mut state = *self.buffers.state(record);
        let is_first = state.inputs() >> port & 1 == 0;
        let lacking = self.buffers.enqueue(record, port, cell);
        if to.per_link {
            *self.links.credits(to.number, end) -= 1;
        } else if to.size > 1 && lacking == to.size {
            self.links.exhaust(to.number, end, group);
        }
        state.fill_input(port);
        // A group that waits for room does not wait for cells.
        let wanted = !self.predictable || state.waits() == 0;
        let mut early = false;
        if to.resequences() && self.predictable {
            // A cell that is not next in sequence: as if it had been tried in the next slot.
            let digit = u32::from(cell.number >> to.routing.low) % P as u32;
            early = wanted & !(is_first & state.awaits(port, digit));
            state.set_held(state.held() + u16::from(early));
        }
        state.set_stamp(Group::stamp(now.wrapping_add(Slot::from(early))));
        *self.buffers.state(record) = state;
        self.worklist.mark(to.number, at, wanted && !early);
        u64::from(early)
    }
}

/// A stage in which cells are transferred, or that sends or receives them.
#[derive(Debug)]
struct Stage {
    number: usize,
    ports: usize,
    /// The index of its first group.
    first: usize,
    routing: Routing,
    /// Whether distribution elements number cells, and routing elements resequence them.
    numbered: bool,
    /// Room in an input buffer, which is for all groups of a link with backpressure per link.
    size: usize,
    per_link: bool,
}

impl Stage {
    fn new(core: &Core, stage: usize) -> Self {
        let (settings, topology) = (&core.settings, &core.topology);
        let routing = topology.routing(stage);
        Self {
            number: stage,
            ports: topology.ports,
            first: topology.at(stage, 0, 0),
            routing,
            numbered: settings.numbers() == Numbers::Stages,
            size: topology.stage[stage].input,
            per_link: settings.per_link,
        }
    }

    fn resequences(&self) -> bool {
        self.numbered && !self.routing.distributes
    }

    /// Whether a cell spends the only credit of its group.
    fn has_single_credits(&self) -> bool {
        self.size == 1 && !self.per_link
    }
}

/// A position and the group that it sends from.
fn parts(sent: Active) -> (usize, usize) {
    ((sent >> 16) as usize, (sent & 0xffff) as usize)
}

/// The groups that may be able to move a cell: one that has got a cell it can move, or from which a
/// cell has left an output buffer. A bit for each group: elements and groups are tried in ascending
/// order, since the imbalance count and random draws of one group affect the next.
#[derive(Clone, Debug)]
struct Worklist {
    /// Groups of a stage.
    groups: usize,
    /// By stage and 64 groups, of all elements one after the other.
    bits: Vec<u64>,
}

impl Worklist {
    fn new(stages: usize, groups: usize) -> Self {
        let groups = groups.next_multiple_of(64);
        Self { groups, bits: vec![0; stages * groups / 64] }
    }

    /// Lists a group, if `wanted`.
    fn mark(&mut self, stage: usize, at: usize, wanted: bool) {
        let at = stage * self.groups + at;
        self.bits[at / 64] |= u64::from(wanted) << (at % 64);
    }

    fn has(&self, stage: usize, at: usize) -> bool {
        let at = stage * self.groups + at;
        self.bits[at / 64] >> (at % 64) & 1 != 0
    }

    /// Moves the groups of a stage to a list.
    fn drain(&mut self, stage: usize, list: &mut Vec<u32>) {
        list.clear();
        let words = self.groups / 64;
        for (set, first) in self.bits[stage * words..][..words].iter_mut().zip((0..).step_by(64)) {
            let mut set = core::mem::take(set);
            while set != 0 {
                list.push(first + set.trailing_zeros());
                set &= set - 1;
            }
        }
    }
}

impl<const P: usize> GroupState for Reference<P> {
    fn for_each_open(&self, visit: &mut dyn FnMut(usize, Group)) {
        self.buffers.groups.for_each_open(visit);
    }

    fn group(&self, at: usize) -> Group {
        self.buffers.groups.group(at)
    }

    fn cells(&self, at: usize, side: Side, port: usize, _: u32) -> Vec<FabricCell> {
        match self.buffers.groups.record_index(at) {
            Some(record) if side == Side::Input => self.buffers.input(record, port).to_vec(),
            Some(record) if self.group(at).outputs() >> port & 1 != 0 => {
                vec![self.buffers.groups.pool.records[record].buffers.outputs[port]]
            }
            _ => Vec::new(),
        }
    }

    fn request(&self, _: &Topology, link: usize, end: usize, group: usize) -> (bool, bool) {
        self.links.request(link, end, group)
    }

    fn is_sound(&self, _: &Topology, link: usize, end: usize) -> bool {
        self.links.is_sound(link, end)
    }

    fn is_listed(&self, stage: usize, at: usize) -> bool {
        self.worklist.has(stage, at)
    }

    fn counts_held(&self) -> bool {
        true
    }

    fn returning(&self, at: usize, port: usize) -> usize {
        self.buffers.groups.record(at).map_or(0, |record| record.buffers.returning[port].into())
    }

    fn all_returning(&self) -> Vec<(usize, usize, usize)> {
        let buffer = |credit: &Credit| (credit.stage.into(), credit.position.into(), credit.group.into());
        self.returning.iter().flatten().map(buffer).collect()
    }

    fn link_credits(&self, link: usize, end: usize) -> usize {
        self.links.end(link, end).credits.into()
    }

    fn key(&self) -> u64 {
        self.key
    }
}
