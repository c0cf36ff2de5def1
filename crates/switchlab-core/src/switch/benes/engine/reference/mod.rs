//! The engine for any configuration, in the order of the page.
//!
//! Stages go from last to first. A stage sends as soon as its cells have been transferred, while it
//! and the next stage are still in cache. No earlier stage sees a difference: what is sent comes to
//! a stage whose transfers are over, and uses credits that only this stage looks at. Arrivals come
//! last, since only line cards look at VOQs.

mod depths;
mod transfer;

pub(crate) use transfer::hash;

use super::State;
use crate::cell::{Cell, Port, Slot};
use crate::prefetch::prefetch_l2;
use crate::rng::{Purpose, Rng, Seed};
use crate::scale::WORD;
use crate::switch::benes::config::{Config, Distribution, Merge, Numbers};
use crate::switch::benes::element::group::Group;
use crate::switch::benes::element::record::{Groups, Inner, Packed, Places, Record, index, word_of};
use crate::switch::benes::element::{Listed, Stage, transfer};
use crate::switch::benes::fabric::Core;
use crate::switch::benes::links::{Active, Links, Section, UNCOUNTED};
use crate::switch::benes::topology::{PORT, Topology};
use alloc::vec;
use alloc::vec::Vec;
use depths::Depths;
use transfer::{Elements, Return, Worklist};

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Reference<const P: usize> {
    pub(super) groups: Groups<P>,
    depths: Depths<P>,
    links: Links,
    worklist: Worklist,
    /// By slot modulo the delay of credits: those that return then.
    returning: Vec<Vec<Return>>,
    /// The key of the hash.
    key: u64,
    rng: Rng,
    /// Whether a group only has to be tried when what it waits for has come. Not so if it depends
    /// on a draw, the cell or other groups which buffer it waits for.
    predictable: bool,
    /// Scratch: ends that send, cells between two stages, groups that are tried.
    sent: Vec<Active>,
    transit: Vec<Transit>,
    tries: Vec<Listed>,
}

impl<const P: usize> Reference<P> {
    pub(super) fn new(config: &Config, topology: &Topology, seed: Seed) -> Self {
        let (ports, stages) = (topology.ports, topology.stages);
        let groups = topology.elements() * ports;
        let depth = config.distribution_buffer.max(config.routing_buffer);
        let link_credits = (0..=stages).map(|link| {
            if config.per_link && link < stages { config.size(link < topology.distribution) as u16 } else { UNCOUNTED }
        });
        let hashes = config.distribution == Some(Distribution::Hash);
        Self {
            groups: Groups::new(stages * groups),
            depths: Depths::new(depth, config.credit_delay > 0, config.is_wide()),
            links: Links::new(ports, link_credits),
            worklist: Worklist::new(stages, groups),
            returning: vec![Vec::new(); config.credit_delay],
            key: if hashes && config.random_pointers { seed.stream(Purpose::Fabric, 0).next() } else { 0 },
            rng: seed.stream(Purpose::Fabric, 1),
            predictable: !config.per_link && config.credit_delay == 0 && config.merge == Merge::RoundRobin && !hashes,
            sent: vec![0; ports.next_multiple_of(64)],
            transit: Vec::with_capacity(ports),
            tries: Vec::with_capacity(4 * ports),
        }
    }

    pub(super) fn slot(&mut self, core: &mut Core, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
        core.counts.begin_slot(false);
        self.return_credits(core, now);
        match core.topology.ports {
            ..=WORD => self.run::<1>(core, now, arrivals, departures),
            _ => self.run::<0>(core, now, arrivals, departures),
        }
        core.end_slot(false);
    }

    fn run<const WORDS: usize>(&mut self, core: &mut Core, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
        for stage in (0..core.topology.stages).rev() {
            self.transfer::<WORDS>(core, now, stage);
            self.transmit::<WORDS>(core, now, stage + 1, departures);
        }
        core.arrive::<WORDS>(&mut self.links, now, arrivals);
        self.transmit_from_line_cards::<WORDS>(core, now);
    }

    /// Credits that were on their way become usable.
    fn return_credits(&mut self, core: &Core, now: Slot) {
        let topology = &core.topology;
        let Some(due) = (now as usize).checked_rem(self.returning.len()) else { return };
        for credit in self.returning[due].drain(..) {
            let (stage, position, group) = (credit.stage as usize, credit.position as usize, credit.group as usize);
            let word = &mut self.groups.words[(stage * topology.elements() + position / P) * topology.ports + group];
            let (own, mut places) = (index(*word, 0), self.groups.pool.open());
            *self.depths.returning(own as usize, position % P) -= 1;
            let state = places.records[own as usize].group;
            let idle = state.is_empty() && self.depths.all_returned(own as usize);
            *word = places.close_group(own, state, idle, 0);
            let end = usize::from(topology.previous[stage * topology.ports + position]);
            let mut links = self.links.section::<0>(stage);
            if core.config.per_link {
                *links.credits(end) += 1;
            } else {
                links.restore(end, group);
            }
        }
    }

    fn transfer<const WORDS: usize>(&mut self, core: &mut Core, now: Slot, stage: usize) {
        let (config, topology) = (&core.config, &core.topology);
        let (ports, groups) = (topology.ports, topology.elements() * topology.ports);
        let words = &self.groups.words[stage * groups..][..groups];
        self.worklist.drain(stage, &mut self.tries, |at| index(words[at], 0));
        let routing = topology.routing(stage);
        let (number_bits, numbered) = (config.number_bits(), config.numbers() == Numbers::Stages);
        let (inlets, outlets) = self.links.around::<WORDS>(stage);
        let due = (now as usize).checked_rem(config.credit_delay);
        let mut elements = Elements {
            config,
            stage,
            low: routing.low,
            number_bits,
            depths: &mut self.depths,
            inlets,
            outlets,
            previous: &topology.previous[stage * ports..][..ports],
            worklist: &mut self.worklist,
            returning: due.map(|due| &mut self.returning[due]),
            rng: &mut self.rng,
            key: self.key,
            held: &mut core.counts.held,
            moved: false,
        };
        let stage = Stage { routing, numbered, number_bits, now };
        transfer(stage, &self.tries, &mut self.groups.pool.records, &mut elements);
        core.counts.moved |= elements.moved;
    }

    /// Makes sure that each port of a stage can receive a cell.
    fn provide(&mut self, ports: usize) {
        self.groups.pool.provide(ports);
        self.depths.provide(self.groups.pool.records.len());
    }

    /// The outputs of a stage send: over a link to the next stage, or out of the fabric.
    fn transmit<const WORDS: usize>(&mut self, core: &mut Core, now: Slot, link: usize, departures: &mut [Cell]) {
        let (ports, groups) = (core.topology.ports, core.topology.elements() * core.topology.ports);
        self.provide(ports);
        let section = self.links.section::<WORDS>(link);
        let sent = section.send_all(core.spends(link), core.config.per_link, &mut self.sent);
        let routing = core.topology.routing(link - 1);
        let (mut places, stamp) = (self.groups.pool.open(), Group::stamp(now));
        self.transit.clear();
        // First all cells leave, then they come: a record that is freed is not taken again at once,
        // so that no cell waits for the one before it.
        for &sent in sent {
            let (end, group) = parts(sent);
            let (inner, part) = routing.behind::<P>(end % P, group);
            let at = end / P * ports + inner;
            let own = index(self.groups.words[(link - 1) * groups + at], 0);
            prefetch_l2(&places.records[own as usize]);
            if let Some(&to) = core.topology.receivers.get(link * ports + end).filter(|_| link < core.topology.stages) {
                prefetch_l2(&self.groups.words[link * groups + (to & ((1 << PORT) - 1)) as usize + group]);
            }
            self.transit.push(Transit { sent, at: at as u32, part: part as u32, own, cell: Packed::default() });
        }
        for transit in &mut self.transit {
            let Transit { at, part, own, .. } = *transit;
            let (at, part) = (at as usize, part as usize % P);
            let word = &mut self.groups.words[(link - 1) * groups + at];
            let record = &places.records[own as usize];
            let mut state = record.group;
            transit.cell = self.depths.whole(own as usize, 1, part, record.out(part));
            let wanted = if self.predictable { state.waits() >> part & 1 != 0 } else { state.inputs() != 0 };
            self.worklist.mark(link - 1, at, wanted);
            state.dequeue(part);
            state.set_stamp(stamp);
            let idle = state.is_empty() && self.depths.all_returned(own as usize);
            *word = places.close_group(own, state, idle, 0);
        }
        drop(places);
        let count = self.transit.len() as u64;
        if link == core.topology.stages {
            let bits = core.config.number_bits();
            core.leave(self.transit.iter().map(|it| (parts(it.sent).0, it.cell.inner(bits))), departures);
            core.depart(count, departures);
            return;
        }
        let transit = core::mem::take(&mut self.transit);
        let mut receiver = self.receiver::<WORDS>(core, now, link);
        for &Transit { sent, cell, .. } in &transit {
            let position = usize::from(core.topology.next[link * ports + parts(sent).0]);
            receiver.enqueue(position, parts(sent), cell);
        }
        let held = receiver.held;
        drop(receiver);
        self.transit = transit;
        core.counts.held_next += held;
        core.counts.sent_now[link] = count;
    }

    fn transmit_from_line_cards<const WORDS: usize>(&mut self, core: &mut Core, now: Slot) {
        let (ports, bits) = (core.topology.ports, core.config.number_bits());
        self.provide(ports);
        let mut list = core::mem::take(&mut self.sent);
        let sent = self.links.section::<WORDS>(0).send_all(core.spends(0), core.config.per_link, &mut list);
        let mut receiver = self.receiver::<WORDS>(core, now, 0);
        let mut voqs = core.voqs.open(0);
        for &sent in sent {
            let (input, output) = parts(sent);
            let flow = input * ports + output;
            let (_, born, empty) = voqs.pop(flow);
            let number = core.exit.as_mut().map_or(0, |exit| exit.number(flow));
            let cell = Packed::new(Inner { born, source: input as Port, number }, bits);
            receiver.enqueue(input, (input, output), cell);
            receiver.links.fill_if(input, output, !empty);
            core.counts.voq_wait += u64::from(now - born);
        }
        core.counts.sent_now[0] = sent.len() as u64;
        drop(receiver);
        self.sent = list;
    }

    fn receiver<const WORDS: usize>(&mut self, core: &Core, now: Slot, stage: usize) -> Receiver<'_, P, WORDS> {
        let (topology, config) = (&core.topology, &core.config);
        let groups = topology.elements() * topology.ports;
        let resequences = stage >= topology.distribution && config.numbers() == Numbers::Stages;
        Receiver {
            now,
            stage,
            ports: topology.ports,
            per_link: config.per_link,
            size: config.size(stage < topology.distribution),
            predictable: self.predictable,
            low: (resequences && self.predictable).then_some(topology.routing(stage).low),
            words: &mut self.groups.words[stage * groups..][..groups],
            places: self.groups.pool.open(),
            depths: &mut self.depths,
            links: self.links.section(stage),
            worklist: &mut self.worklist,
            held: 0,
        }
    }
}

/// A cell between two stages.
#[derive(Clone, Copy, Debug)]
struct Transit {
    /// The position at the beginning of the link and, in the lower 16 bits, the group.
    sent: Active,
    /// Where the sender keeps the group, the output buffer, and the record.
    at: u32,
    part: u32,
    own: u32,
    cell: Packed,
}

/// A position and the group behind it.
fn parts(sent: Active) -> (usize, usize) {
    ((sent >> 16) as usize, (sent & 0xffff) as usize)
}

/// A stage that cells come to.
struct Receiver<'a, const P: usize, const WORDS: usize> {
    now: Slot,
    stage: usize,
    ports: usize,
    per_link: bool,
    /// Cells in an input buffer.
    size: usize,
    /// See [`Reference`].
    predictable: bool,
    /// If it is known on arrival whether a cell is next in sequence: where the digit of its number
    /// begins.
    low: Option<u32>,
    words: &'a mut [u32],
    places: Places<'a, P>,
    depths: &'a mut Depths<P>,
    links: Section<'a, WORDS>,
    worklist: &'a mut Worklist,
    /// Cells that are known to wait for one before them in the next slot.
    held: u64,
}

impl<const P: usize, const WORDS: usize> Receiver<'_, P, WORDS> {
    /// A cell comes to an input buffer, where it is for the next slot. `end` is the sending end.
    fn enqueue(&mut self, position: usize, (end, group): (usize, usize), cell: Packed) {
        let (at, port) = (position / P * self.ports + group, position % P);
        let (own, mut state) = self.places.open_group(self.words[at], 0);
        self.words[at] = word_of(own, 0);
        let record = &mut self.places.records[own as usize];
        let is_first = state.inputs() >> port & 1 == 0;
        let lent = self.depths.enqueue(record, is_first, own as usize, port, cell);
        if self.per_link {
            *self.links.credits(end) -= 1;
        } else if self.size > 1 && lent == self.size {
            self.links.exhaust(end, group);
        }
        // A group that waits for room does not wait for cells.
        let mut wanted = !self.predictable || state.waits() == 0;
        state.enqueue(port);
        let mut touched = self.now;
        if let Some(low) = self.low {
            // A cell that is not next in sequence: as if it had been tried in the next slot.
            let early = wanted & !(is_first & state.awaits(port, cell.digit::<P>(low)));
            state.set_held(state.held() + u16::from(early));
            touched = touched.wrapping_add(Slot::from(early));
            self.held += u64::from(early);
            wanted &= !early;
        }
        state.set_stamp(Group::stamp(touched));
        record.group = state;
        self.worklist.mark(self.stage, at, wanted);
    }
}

impl<const P: usize> State<P> for Reference<P> {
    fn for_each_open(&self, visit: &mut dyn FnMut(usize, Group)) {
        self.groups.for_each_open(visit);
    }

    fn record(&self, at: usize) -> Option<&Record<P>> {
        self.groups.record(at)
    }

    fn group(&self, at: usize) -> Group {
        self.groups.group(at)
    }

    fn look(&self, _: &Topology, link: usize, end: usize, group: usize) -> (bool, bool) {
        self.links.look(link, end, group)
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

    fn occupancy(&self, at: usize, port: usize) -> (usize, usize) {
        let level = self.groups.open_index(at).and_then(|own| self.depths.level(own, port));
        level.unwrap_or_else(|| (usize::from(self.group(at).inputs() >> port & 1), 0))
    }

    fn input(&self, at: usize, port: usize) -> Vec<Packed> {
        let count = self.occupancy(at, port).0;
        let Some(own) = self.groups.open_index(at).filter(|_| count > 0) else { return Vec::new() };
        let head = self.depths.whole(own, 0, port, self.groups.pool.records[own].head(port));
        [head].into_iter().chain(self.depths.rest(own, port, count).iter().copied()).collect()
    }

    fn output(&self, at: usize, part: usize) -> Option<Packed> {
        let own = self.groups.open_index(at)?;
        let record = &self.groups.pool.records[own];
        (record.group.outputs() >> part & 1 != 0).then(|| self.depths.whole(own, 1, part, record.out(part)))
    }

    fn returning(&self) -> Vec<(usize, usize, usize)> {
        let place = |credit: &Return| (credit.stage.into(), credit.position.into(), credit.group.into());
        self.returning.iter().flatten().map(place).collect()
    }

    fn link_credits(&self, link: usize, end: usize) -> usize {
        self.links.end(link, end).credits.into()
    }

    fn key(&self) -> u64 {
        self.key
    }
}
