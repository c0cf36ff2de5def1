//! Tells deadlock from congestion, whichever engine runs the fabric.
//!
//! A fabric in which nothing moves for a while, or a group in which nothing has moved for long, is
//! suspected. Then the watchdog finds out which buffer waits for which. A buffer is alive if its
//! head-of-line cell can move now, or once that of a buffer that is alive has moved. If all are
//! alive, it is congestion. A buffer that is not alive never moves a cell again, whatever arrives.
//! It waits for another such buffer, and following these leads into a cycle.

use super::settings::{Distribution, Merge};
use super::state::{At, Credit, Numbering, Packet, Site, Snapshot, State};
use super::topology::Role;
use super::turns::{first_from, members};
use crate::cell::Slot;
use crate::switch::failure::{Need, Side, Wait};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec;
use alloc::vec::Vec;

/// Slots without any move after which a fabric is suspected.
pub(crate) const STILL: u32 = 64;

/// Slots between two scans of all groups.
pub(crate) const ROUND: Slot = 1024;

/// What a buffer waits for: one of these. None if it can move, or something under way may help.
type Waits = Option<(Need, Vec<Site>)>;

/// Where the cells are that have been numbered and not resequenced. None if they are on a link.
type Numbered = BTreeMap<(usize, Numbering, u32), Option<Site>>;

/// Looks for a deadlock, if there is a reason to: the cells that wait for each other. Empty if
/// there is none.
pub(crate) fn deadlock(state: &dyn State, now: Slot) -> Vec<Wait> {
    let (counts, ports) = (&state.core().counts, state.core().topology.ports);
    let still = counts.still >= STILL && counts.still.is_multiple_of(STILL);
    let is_due = (still || now.is_multiple_of(ROUND)) && counts.in_stages() > 0;
    if is_due && (still || state.is_stale(now, ROUND + 16 * ports as Slot)) {
        Watchdog::new(Snapshot::new(state)).cycle()
    } else {
        Vec::new()
    }
}

/// How many slots can begin, from one on in which the watchdog has run, before it may run again; at
/// least one.
pub(crate) fn until_suspicion(now: Slot, still: u32) -> usize {
    (ROUND - now % ROUND).min(STILL - still % STILL) as usize
}

/// A snapshot, with what was found out about all of its cells.
pub(super) struct Watchdog<'a> {
    pub(super) snapshot: Snapshot<'a>,
    numbered: Numbered,
    /// By credit of a level that is away: the buffers of cells that have spent it. None if one of
    /// them is on a link, or a credit on its way back.
    spent: BTreeMap<Credit, Option<BTreeSet<Site>>>,
}

impl<'a> Watchdog<'a> {
    pub(super) fn new(snapshot: Snapshot<'a>) -> Self {
        let (mut numbered, mut spent) = (Numbered::new(), BTreeMap::<_, Option<_>>::new());
        snapshot.for_each_number(|level, numbering, cell, site| {
            numbered.insert((level, numbering, cell.numbers[level]), site);
        });
        snapshot.for_each_level_credit(|credit, site| {
            let holders = spent.entry(credit).or_insert_with(|| Some(BTreeSet::new()));
            match (holders.as_mut(), site) {
                (Some(holders), Some(site)) => drop(holders.insert(site)),
                _ => *holders = None,
            }
        });
        Self { snapshot, numbered, spent }
    }

    fn cycle(&self) -> Vec<Wait> {
        let Snapshot { buffers, index, .. } = &self.snapshot;
        let needs = buffers.iter().map(|&(site, _)| match self.waits(site) {
            None => (Need::Room, vec![usize::MAX]),
            Some((need, others)) => {
                (need, others.iter().map(|other| index.get(other).copied().unwrap_or(usize::MAX)).collect())
            }
        });
        let needs: Vec<(Need, Vec<usize>)> = needs.collect();
        let wait = |at: usize| {
            let (site, cells) = &buffers[at];
            let (cell, buffer) = (cells[0], self.snapshot.buffer(*site));
            Wait { input: cell.source, output: cell.destination, born: cell.born, buffer, need: needs[at].0 }
        };
        circle(&needs).into_iter().map(wait).collect()
    }

    /// What the head-of-line cell of a non-empty buffer needs before it can move.
    pub(super) fn waits(&self, site: Site) -> Waits {
        let (own, state) = (self.snapshot.topology.stage[site.stage], self.snapshot.state);
        if site.side == Side::Output {
            return self.waits_for_link(site.stage + 1, site.position, site.lane);
        }
        let port = site.position % own.radix;
        let at = At { stage: site.stage, element: site.position / own.radix, lane: site.lane };
        match own.role {
            Role::Distribute => self.waits_in_distribution(at, port),
            Role::Resequence => self.waits_for_number(at, site),
            Role::Through => self.any_room(at, 1 << port),
            Role::Merge => self.any_room(at, self.turns(at, state.lane(at, 0).merge.at.into())),
        }
    }

    /// The input ports that may be next where input buffers are merged.
    fn turns(&self, at: At, turn: usize) -> u32 {
        let filled = self.snapshot.filled(at);
        let first = |from| first_from(filled, from).map_or(0, |port| 1 << port);
        match self.snapshot.core.settings.merge {
            Merge::Turns(_) => first(turn),
            Merge::Fixed => first(0),
            Merge::Random => filled,
        }
    }

    /// Room for one of the head-of-line cells of these input ports of a routing element.
    fn any_room(&self, at: At, ports: u32) -> Waits {
        let cells = members(ports).filter_map(|port| self.snapshot.input(at, port).first());
        one_of(cells.map(|cell| self.room_for(at, cell)))
    }

    /// Room for a cell of a routing element.
    fn room_for(&self, at: At, cell: &Packet) -> Waits {
        let topology = self.snapshot.topology;
        let output = topology.digit(cell.destination.into(), topology.stage[at.stage].level);
        self.room(at, output, topology.lane_sent(at.stage + 1, cell), 0)
    }

    /// What keeps a cell from moving to an output, into the queue of an input port, and over a link
    /// if there is no output buffer. None if nothing does.
    fn room(&self, at: At, output: usize, lane: usize, queue: usize) -> Waits {
        let own = self.snapshot.topology.stage[at.stage];
        let position = at.element * own.radix + output;
        if own.output == 0 {
            return self.waits_for_link(at.stage + 1, position, lane);
        }
        let buffers = self.snapshot.shared(Site { stage: at.stage, side: Side::Output, position, lane, queue });
        self.full(buffers, own.output)
    }

    /// Room in buffers that hold as many cells together. None if there is.
    fn full(&self, buffers: impl Iterator<Item = Site>, size: usize) -> Waits {
        let buffers: Vec<Site> = buffers.collect();
        let cells: usize = buffers.iter().map(|&site| self.snapshot.cells(site).len()).sum();
        (cells >= size).then_some((Need::Room, buffers))
    }

    fn waits_in_distribution(&self, at: At, port: usize) -> Waits {
        let settings = &self.snapshot.core.settings;
        let (part, queue) = if settings.distribute_first { (port, port) } else { (0, 0) };
        let state = self.snapshot.state.lane(at, part);
        let all = u32::MAX >> (32 - self.snapshot.topology.stage[at.stage].radix);
        let outputs = match settings.distribution {
            Some(Distribution::Hash) => {
                let heads = members(self.turns(at, state.merge.at.into()));
                let heads = heads.filter_map(|port| self.snapshot.input(at, port).first());
                let key = self.snapshot.state.key();
                heads.fold(0, |set, cell| set | 1 << self.snapshot.topology.hash(key, at.stage, cell))
            }
            Some(Distribution::RoundRobin) => 1 << state.pointer,
            Some(Distribution::Random | Distribution::Adaptive) => all,
            _ => all & !state.round,
        };
        one_of(members(outputs).map(|output| self.room(at, output, at.lane, queue)))
    }

    fn waits_for_number(&self, at: At, site: Site) -> Waits {
        let (topology, settings) = (self.snapshot.topology, &self.snapshot.core.settings);
        let own = topology.stage[at.stage];
        let network = topology.network(own.level, at.stage, site.position);
        let expected = |part: usize| self.snapshot.state.lane(at, part).number;
        let is_next = |cell: &&Packet| cell.numbers[own.level] == expected(0);
        let next = || (0..own.radix).filter_map(|port| self.snapshot.input(at, port).first()).find(is_next);
        // A cell that is given up is waited for no longer than `patience`.
        if settings.loss > 0.0 && next().is_none() {
            return None;
        }
        let cells = self.snapshot.cells(site);
        let heads = if settings.distribute_first { cells } else { &cells[..1] };
        let (mut rooms, mut predecessors) = (Vec::new(), Vec::new());
        for cell in heads {
            let numbering = self.snapshot.numbering(own.level, network, cell);
            let number = expected(self.snapshot.part(own.level, cell));
            match self.numbered.get(&(own.level, numbering, number)) {
                // It is at the head of one of the P input buffers, so that room is all it needs.
                Some(&Some(found)) if found.stage == at.stage && found.side == Side::Input => {
                    let next = if settings.distribute_first { cell } else { next()? };
                    rooms.extend(self.room_for(at, next)?.1);
                }
                Some(&Some(found)) => predecessors.push(found),
                Some(None) | None => return None,
            }
        }
        let need = if predecessors.is_empty() { Need::Room } else { Need::Predecessor };
        predecessors.extend(rooms);
        Some((need, predecessors))
    }

    /// What keeps a lane from sending over a link.
    fn waits_for_link(&self, link: usize, end: usize, lane: usize) -> Waits {
        let (topology, settings) = (self.snapshot.topology, &self.snapshot.core.settings);
        let own = topology.link[link];
        if link == topology.stages() || self.snapshot.state.request(link, end, lane).1 {
            return None;
        }
        if own.hop {
            let (position, lane) = (topology.next[link][end].into(), topology.behind(link, lane));
            let late = if settings.stop_and_go { settings.link_delay + settings.credit_delay } else { 0 };
            let site = Site { stage: link, side: Side::Input, position, lane, queue: 0 };
            let hop = self.full(self.snapshot.shared(site), topology.stage[link].input.saturating_sub(late));
            // A credit that is on its way counts as one that is there.
            if hop.is_some() || !own.level {
                return hop;
            }
        }
        // All credits of the level are spent. One returns when a cell leaves the exit of the level.
        let holders = self.spent.get(&(link, end, lane))?.as_ref()?;
        (self.snapshot.state.level_credits((link, end, lane)) == 0)
            .then(|| (Need::Room, holders.iter().copied().collect()))
    }
}

/// One of several: nothing if one of them is nothing.
fn one_of(all: impl Iterator<Item = Waits>) -> Waits {
    let all: Option<Vec<_>> = all.collect();
    let all: Vec<_> = all?;
    let need = all.first()?.0;
    Some((need, all.into_iter().flat_map(|(_, sites)| sites).collect()))
}

/// A circle of buffers that wait for each other for ever, each for the next one. Of each buffer is
/// known for which it waits: one of these has to move, and any beyond the list can. Empty if all
/// are alive.
fn circle(needs: &[(Need, Vec<usize>)]) -> Vec<usize> {
    let mut alive = vec![false; needs.len()];
    loop {
        let mut changed = false;
        for (own, (_, others)) in needs.iter().enumerate() {
            let lives = |&other: &usize| alive.get(other).copied().unwrap_or(true);
            if !alive[own] && others.iter().any(lives) {
                alive[own] = true;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    let Some(mut own) = alive.iter().position(|alive| !alive) else { return Vec::new() };
    let mut visited = vec![usize::MAX; needs.len()];
    let mut path = Vec::new();
    while visited[own] == usize::MAX {
        visited[own] = path.len();
        path.push(own);
        // None of them is alive, or this one would be; and there is one, or it could move.
        own = *needs[own].1.first().expect("a buffer that is not alive waits for another one");
    }
    path.split_off(visited[own])
}
