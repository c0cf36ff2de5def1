//! Tells deadlock from congestion in the general fabric, as the watchdog of the other engines does:
//! a buffer is alive if its head-of-line cell can move now, or once that of a buffer that is alive
//! has moved. Buffers that are not alive wait for each other in a circle.

use super::flow::Event;
use super::settings::{MergeRule, Rule};
use super::store::{Fifo, Packet};
use super::turns::members;
use super::wiring::Role;
use super::{At, General};
use crate::cell::Slot;
use crate::switch::Failure;
use crate::switch::benes::config::Distribution;
use crate::switch::benes::watchdog::{ROUND, STILL, circle};
use crate::switch::failure::{Buffer, Need, Side, Wait};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

/// A buffer, by stage, side and index.
type Site = (usize, Side, usize);

/// What a buffer waits for: one of these. None if it can move, or something under way may help.
type Waits = Option<(Need, Vec<Site>)>;

/// Where the cells are that have been numbered and not resequenced: by level, distribution element
/// with its lane and part, and number. None if they are on a link.
type Numbered = BTreeMap<(usize, usize, usize, u32), Option<Site>>;

impl General {
    /// Looks for a deadlock, if it is time to; if there is one, the fabric stops.
    pub(super) fn is_deadlocked(&mut self, now: Slot) -> bool {
        let still = self.counts.still >= STILL && self.counts.still.is_multiple_of(STILL);
        let suspected = (still || now.is_multiple_of(ROUND)) && self.counts.in_stages() > 0;
        let waits = if suspected { self.cycle() } else { Vec::new() };
        if !waits.is_empty() {
            self.failure = Some(Box::new(Failure::Deadlock { slot: now, still: self.counts.still, waits }));
        }
        self.failure.is_some()
    }

    fn fifo(&self, (stage, side, index): Site) -> &Fifo {
        match side {
            Side::Input => &self.inputs[stage][index],
            Side::Output => &self.outputs[stage][index],
        }
    }

    fn cycle(&self) -> Vec<Wait> {
        let mut sites: Vec<Site> = Vec::new();
        for stage in 0..self.wiring.stages.len() {
            for (side, buffers) in [(Side::Input, &self.inputs[stage]), (Side::Output, &self.outputs[stage])] {
                let filled = buffers.iter().enumerate().filter(|(_, buffer)| !buffer.is_empty());
                sites.extend(filled.map(|(index, _)| (stage, side, index)));
            }
        }
        let numbered = self.numbered(&sites);
        let index: BTreeMap<Site, usize> = sites.iter().copied().zip(0..).collect();
        let needs: Vec<(Need, Vec<usize>)> = sites
            .iter()
            .map(|&site| match self.waits(site, &numbered) {
                None => (Need::Room, vec![usize::MAX]),
                Some((need, others)) => {
                    (need, others.iter().map(|other| index.get(other).copied().unwrap_or(usize::MAX)).collect())
                }
            })
            .collect();
        circle(&needs).into_iter().map(|at| self.wait(sites[at], needs[at].0)).collect()
    }

    /// The distribution element that numbered a cell at a level, with its lane and part. The
    /// element is named by its sub-network's number times their elements, and its own number.
    fn numbering(&self, level: usize, network: usize, cell: &Packet) -> (usize, usize) {
        let own = usize::from(cell.source) / self.wiring.product(level + 1);
        let element = network * self.wiring.elements_within(level) + own;
        let part = if self.settings.distribute_first { self.wiring.digit(cell.source.into(), level) } else { 0 };
        (element, self.lane_received(level, cell) * self.wiring.stages[level].radix + part)
    }

    /// Where numbered cells are.
    fn numbered(&self, sites: &[Site]) -> Numbered {
        let mut numbered = Numbered::new();
        if self.exit.is_some() || !self.settings.is_numbered() {
            return numbered;
        }
        let stages = self.wiring.stages.len();
        let mut add = |cell: &Packet, stage: usize, position: usize, from_level: usize, site: Option<Site>| {
            let own = self.wiring.stages[stage];
            let network = position / own.radix / self.wiring.elements_within(own.level);
            for level in 0..self.wiring.distribution.min(from_level) {
                if stage < stages - level {
                    let network = network / (self.wiring.product(own.level.max(level)) / self.wiring.product(level));
                    let (element, lane) = self.numbering(level, network, cell);
                    numbered.insert((level, element, lane, cell.numbers[level]), site);
                }
            }
        };
        for &site in sites {
            let (stage, side, _) = site;
            let position = self.position(site);
            // An input buffer of a distribution element has not numbered its cells yet; an output
            // buffer of a routing element has resequenced them.
            let level = self.wiring.stages[stage].level;
            let levels = match (side, stage < self.wiring.distribution) {
                (Side::Input, true) | (Side::Output, false) => level,
                (Side::Output, true) | (Side::Input, false) => level + 1,
            };
            self.pool.cells(self.fifo(site)).for_each(|cell| add(cell, stage, position, levels, Some(site)));
        }
        for event in self.flow.events.iter().flatten() {
            if let Event::Cell { link, position, cell } = event {
                let stage = usize::from(*link);
                let own = self.wiring.stages[stage].level;
                let levels = if stage < self.wiring.distribution { own } else { own + 1 };
                add(cell, stage, (*position).into(), levels, None);
            }
        }
        numbered
    }

    /// The position of a buffer: element times radix, and port.
    fn position(&self, (stage, side, index): Site) -> usize {
        match side {
            Side::Input => index / self.wiring.lanes_received(stage),
            Side::Output => index / (self.wiring.lanes_sent(stage + 1) * self.settings.queues(&self.wiring, stage)),
        }
    }

    fn wait(&self, site: Site, need: Need) -> Wait {
        let (stage, side, index) = site;
        let cell = self.pool.head(self.fifo(site)).copied().unwrap_or_default();
        let (position, radix) = (self.position(site), self.wiring.stages[stage].radix);
        let group = match side {
            Side::Input => index % self.wiring.lanes_received(stage),
            Side::Output => index / self.settings.queues(&self.wiring, stage) % self.wiring.lanes_sent(stage + 1),
        };
        let buffer = Buffer { side, stage, element: position / radix, port: position % radix, group };
        Wait { input: cell.source, output: cell.destination, born: cell.born, buffer, need }
    }

    fn waits(&self, site: Site, numbered: &Numbered) -> Waits {
        let (stage, side, index) = site;
        let own = self.wiring.stages[stage];
        let position = self.position(site);
        if side == Side::Output {
            let lane = index / self.settings.queues(&self.wiring, stage) % self.wiring.lanes_sent(stage + 1);
            return self.waits_for_link(stage + 1, position, lane);
        }
        let lane = index % self.wiring.lanes_received(stage);
        let at = At { stage, element: position / own.radix, lane };
        match own.role {
            Role::Distribute => self.waits_in_distribution(at, position % own.radix),
            Role::Resequence => self.waits_for_number(at, site, numbered),
            Role::Through => self.any_room(at, [position % own.radix].into_iter()),
            Role::Merge => {
                let filled = self.filled(at);
                let turn = self.lanes[stage][self.lane_index(at, 0)].merge.at.into();
                match self.settings.merge {
                    MergeRule::Random => self.any_room(at, members(filled)),
                    _ => self.any_room(at, self.likely(filled, turn).into_iter()),
                }
            }
        }
    }

    /// Room for one of the head-of-line cells of these input ports of a routing element.
    fn any_room(&self, at: At, ports: impl Iterator<Item = usize>) -> Waits {
        let cells = ports.filter_map(|port| self.pool.head(self.input(at, port)));
        let rooms =
            cells.map(|cell| self.room(at, self.output_of(at.stage, cell), self.lane_sent(at.stage + 1, cell), 0));
        one_of(rooms)
    }

    /// What keeps a cell from moving to an output, of an input port, and over a link if there is no
    /// output buffer. None if nothing does.
    fn room(&self, at: At, output: usize, lane: usize, port: usize) -> Waits {
        let own = self.wiring.stages[at.stage];
        let end = at.element * own.radix + output;
        if own.output == 0 {
            return self.waits_for_link(at.stage + 1, end, lane);
        }
        if self.has_room(at, output, lane, port) {
            return None;
        }
        let lanes = if self.settings.per_link { 0..self.wiring.lanes_sent(at.stage + 1) } else { lane..lane + 1 };
        let buffers = lanes.map(|lane| (at.stage, Side::Output, self.output_index(at.stage, end, lane, port)));
        Some((Need::Room, buffers.filter(|&site| !self.fifo(site).is_empty()).collect()))
    }

    fn waits_in_distribution(&self, at: At, port: usize) -> Waits {
        let part = if self.settings.distribute_first { port } else { 0 };
        let state = self.lanes[at.stage][self.lane_index(at, part)];
        let outputs = match self.settings.distribution {
            Some(Rule::Classic(Distribution::Hash)) => {
                let heads = (0..self.wiring.stages[at.stage].radix).filter_map(|q| self.pool.head(self.input(at, q)));
                heads.fold(0, |set, cell| set | 1 << self.hash(at.stage, cell))
            }
            Some(Rule::Classic(Distribution::RoundRobin)) => 1 << state.pointer,
            _ => self.allowed_by(at, state.round),
        };
        one_of(members(outputs).map(|output| self.room(at, output, at.lane, port)))
    }

    /// The outputs that may be chosen, after a round with these.
    fn allowed_by(&self, at: At, round: u32) -> u32 {
        let all = u32::MAX >> (32 - self.wiring.stages[at.stage].radix);
        if matches!(self.settings.distribution, Some(Rule::Classic(_))) { all & !round } else { all }
    }

    fn waits_for_number(&self, at: At, site: Site, numbered: &Numbered) -> Waits {
        let own = self.wiring.stages[at.stage];
        // A cell that is given up is waited for no longer than `patience`.
        if self.settings.loss > 0.0 && self.in_sequence(at).is_none() {
            return None;
        }
        let network = at.element / self.wiring.elements_within(own.level);
        let all = self.pool.cells(self.fifo(site));
        let first = if self.settings.distribute_first { usize::MAX } else { 1 };
        let mut rooms = Vec::new();
        let mut predecessors = Vec::new();
        for cell in all.take(first) {
            let part = self.wiring.digit(cell.source.into(), own.level);
            let expected = self.lanes[at.stage][self.lane_index(at, part)].number;
            let (element, lane) = self.numbering(own.level, network, cell);
            match numbered.get(&(own.level, element, lane, expected)) {
                // It is at the head of one of the P input buffers, so that room is all it needs.
                Some(&Some(next)) if next.0 == at.stage && next.1 == Side::Input => {
                    let head = self.in_sequence(at).and_then(|port| self.pool.head(self.input(at, port)));
                    let next = if self.settings.distribute_first { cell } else { head? };
                    let room = self.room(at, self.output_of(at.stage, next), self.lane_sent(at.stage + 1, next), 0);
                    rooms.extend(room?.1);
                }
                Some(&Some(next)) => predecessors.push(next),
                Some(None) | None => return None,
            }
        }
        let need = if predecessors.is_empty() { Need::Room } else { Need::Predecessor };
        predecessors.extend(rooms);
        Some((need, predecessors))
    }

    /// What keeps a lane from sending over a link.
    fn waits_for_link(&self, link: usize, end: usize, lane: usize) -> Waits {
        let own = self.wiring.links[link];
        if link + 1 == self.wiring.links.len() || self.may_send(link, end, lane) {
            return None;
        }
        let mut blockers = Vec::new();
        if own.level && self.flow.level[link][end * self.wiring.lanes_sent(link) + lane] == 0 {
            // Its exit buffer, or cells and credits on the way, of which any may free it.
            return None;
        }
        if own.hop {
            let (stage, lanes) = (link, self.wiring.lanes_received(link));
            let position = usize::from(self.wiring.next[link][end]);
            let behind = self.wiring.behind(link, lane);
            let lanes_of = if self.settings.per_link { 0..lanes } else { behind..behind + 1 };
            let sites = lanes_of.map(|lane| (stage, Side::Input, position * lanes + lane));
            let occupied: Vec<Site> = sites.filter(|&site| !self.fifo(site).is_empty()).collect();
            let cells: usize = occupied.iter().map(|&site| self.fifo(site).length as usize).sum();
            let late =
                if self.settings.stop_and_go { self.settings.link_delay + self.settings.credit_delay } else { 0 };
            if cells + late < self.wiring.stages[stage].input {
                return None;
            }
            blockers = occupied;
        }
        Some((Need::Room, blockers))
    }
}

/// One of several: nothing if one of them is nothing.
fn one_of(all: impl Iterator<Item = Waits>) -> Waits {
    let all: Option<Vec<_>> = all.collect();
    let all: Vec<_> = all?;
    let need = all.first()?.0;
    Some((need, all.into_iter().flat_map(|(_, sites)| sites).collect()))
}
