//! Tells deadlock from congestion.
//!
//! A fabric in which nothing moves for a while, or a group in which nothing has moved for long, is
//! suspected. Then the watchdog finds out which buffer waits for which. A buffer is alive if its
//! head-of-line cell can move now, or once that of a buffer that is alive has moved. If all are
//! alive, it is congestion. A buffer that is not alive never moves a cell again, whatever arrives.
//! It waits for another such buffer, and following these leads into a cycle.

use super::audit::Site;
use super::config::{Distribution, Merge, Numbers};
use super::element::group::{Group, clock};
use super::engine::hash;
use super::fabric::Fabric;
use crate::cell::{Port, Slot};
use crate::switch::Failure;
use crate::switch::failure::{Need, Side, Wait};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

/// Slots without any move after which a fabric is suspected.
pub(super) const STILL: u32 = 64;

/// Slots between two scans of all groups.
pub(super) const ROUND: Slot = 1024;

/// What the head-of-line cell of a buffer needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Needs {
    /// Nothing: it can move.
    Nothing,
    /// That one of these buffers moves its head-of-line cell.
    OneOf(Need, Vec<Site>),
}

impl<const P: usize> Fabric<P> {
    /// Looks for a deadlock, if there is a reason to; if there is one, the fabric stops.
    pub(super) fn is_deadlocked(&mut self, now: Slot) -> bool {
        let still = self.core.counts.still >= STILL && self.core.counts.still.is_multiple_of(STILL);
        (still || now.is_multiple_of(ROUND)) && self.suspect(now, still)
    }

    /// How many slots can begin, from one on in which the watchdog has run, before it may run
    /// again; at least one.
    pub(super) fn until_suspicion(&self, now: Slot) -> usize {
        ((ROUND - now % ROUND).min(STILL - self.core.counts.still % STILL)) as usize
    }

    #[cold]
    fn suspect(&mut self, now: Slot, still: bool) -> bool {
        let patience = ROUND + 16 * self.core.topology.ports as Slot;
        let is_stale = |group: Group| Slot::from(clock(now).wrapping_sub(group.touched())) * 256 > patience;
        let mut stale = still;
        if !still {
            self.engine.state().for_each_open(&mut |_, group| stale |= is_stale(group));
        }
        if self.core.counts.in_stages() == 0 || !stale {
            return false;
        }
        let waits = self.cycle();
        if waits.is_empty() {
            return false;
        }
        self.failure = Some(Box::new(Failure::Deadlock { slot: now, still: self.core.counts.still, waits }));
        true
    }

    /// A cycle of cells that wait for each other for ever. Empty if there is none.
    pub(super) fn cycle(&self) -> Vec<Wait> {
        let mut sites = Vec::new();
        for (stage, element, group, state) in self.open_groups() {
            let full = |set: u8| (0..P).filter(move |bit| set >> bit & 1 != 0);
            let site = |side| move |buffer| Site { side, stage, element, group, buffer };
            sites.extend(full(state.inputs()).map(site(Side::Input)));
            sites.extend(full(state.outputs()).map(site(Side::Output)));
        }
        let index: BTreeMap<Site, usize> = sites.iter().copied().zip(0..).collect();
        let needs: Vec<(Need, Vec<usize>)> = sites
            .iter()
            .map(|&site| match self.needs(site) {
                Needs::Nothing => (Need::Room, vec![usize::MAX]),
                Needs::OneOf(need, others) => {
                    (need, others.iter().map(|other| index.get(other).copied().unwrap_or(usize::MAX)).collect())
                }
            })
            .collect();
        circle(&needs).into_iter().map(|at| self.wait(sites[at], needs[at].0)).collect()
    }

    fn wait(&self, site: Site, need: Need) -> Wait {
        let (cell, output) = (self.head(site), self.destination(site) as Port);
        Wait { input: cell.source, output, born: cell.born, buffer: self.buffer(site), need }
    }

    /// What the head-of-line cell of a non-empty buffer needs before it can move.
    pub(super) fn needs(&self, site: Site) -> Needs {
        match site.side {
            Side::Input if site.stage < self.core.topology.distribution => self.needs_in_distribution(site),
            Side::Input => self.needs_in_routing(site),
            Side::Output => self.needs_of_output(site),
        }
    }

    fn needs_in_distribution(&self, site: Site) -> Needs {
        let state = self.group(site.stage, site.element, site.group);
        let outputs: u8 = match self.core.config.distribution {
            Some(Distribution::RoundRobin) => 1 << state.pointer(),
            Some(Distribution::Hash) => {
                let (key, low) = (self.engine.state().key(), self.core.topology.bits(site.stage));
                let source = |port: usize| usize::from(self.head(Site { buffer: port, ..site }).source);
                self.turns(state).iter().fold(0, |set, &port| set | 1 << (hash(key, source(port), site.group, low) % P))
            }
            _ => ((1u16 << P) - 1) as u8 & !state.round(),
        };
        let outputs = (0..P).filter(|output| outputs >> output & 1 != 0);
        any_of(outputs.map(|output| self.occupant(site, output, output)))
    }

    fn needs_in_routing(&self, site: Site) -> Needs {
        let (topology, Site { stage, element, group, .. }) = (&self.core.topology, site);
        let target = |port: usize| {
            let source = self.head(Site { buffer: port, ..site }).source;
            let to = topology.routing(stage).target::<P>(group, source.into());
            self.occupant(site, to.part, to.output)
        };
        if self.core.config.numbers() != Numbers::Stages {
            return any_of(self.turns(self.group(stage, element, group)).into_iter().map(target));
        }
        let level = topology.level(stage);
        let (network, own) = (element >> topology.bits(topology.levels - 1 - level), group >> topology.bits(level + 1));
        match self.numbered(level, network, own, self.destination(site)).first() {
            Some(&(_, (next, _))) if (Site { buffer: next.buffer, ..site }) == next => {
                any_of([target(next.buffer)].into_iter())
            }
            Some(&(_, (predecessor, _))) => Needs::OneOf(Need::Predecessor, vec![predecessor]),
            None => Needs::Nothing,
        }
    }

    /// The input ports that may be next where input buffers are merged.
    fn turns(&self, state: Group) -> Vec<usize> {
        match self.core.config.merge {
            Merge::RoundRobin => vec![state.turn()],
            Merge::Fixed => vec![state.inputs().trailing_zeros() as usize],
            Merge::Random => (0..P).filter(|port| state.inputs() >> port & 1 != 0).collect(),
        }
    }

    /// The buffer that occupies output buffer `part` of a group, at an output of its element, if
    /// one does. With backpressure per link the output has one buffer for all groups.
    fn occupant(&self, group: Site, part: usize, output: usize) -> Option<Site> {
        let own = Site { side: Side::Output, buffer: part, ..group };
        if self.core.config.per_link {
            let position = own.element * P + output;
            let mut groups = 0..self.core.topology.ports;
            let group = groups.find(|&group| self.request(own.stage + 1, position, group).0)?;
            let (group, buffer) = self.core.topology.routing(own.stage).behind::<P>(output, group);
            return Some(Site { group, buffer, ..own });
        }
        (!self.cells(own).is_empty()).then_some(own)
    }

    fn needs_of_output(&self, site: Site) -> Needs {
        let (topology, config, stage) = (&self.core.topology, &self.core.config, site.stage + 1);
        if stage == topology.stages {
            return Needs::Nothing;
        }
        let buffer = self.buffer(site);
        let position = usize::from(topology.next[stage * topology.ports + buffer.element * P + buffer.port]);
        let groups = if config.per_link { 0..topology.ports } else { buffer.group..buffer.group + 1 };
        let next = |group| Site { side: Side::Input, stage, element: position / P, group, buffer: position % P };
        let lengths = groups.map(|group| (next(group), self.cells(next(group)).len()));
        let occupied: Vec<(Site, usize)> = lengths.filter(|&(_, length)| length > 0).collect();
        let cells: usize = occupied.iter().map(|(_, length)| length).sum();
        // A credit that is on its way counts as one that is there.
        if cells < config.size(stage < topology.distribution) {
            return Needs::Nothing;
        }
        Needs::OneOf(Need::Room, occupied.into_iter().map(|(site, _)| site).collect())
    }
}

/// Room in one of several output buffers.
fn any_of(occupants: impl Iterator<Item = Option<Site>>) -> Needs {
    match occupants.collect::<Option<Vec<Site>>>() {
        Some(sites) => Needs::OneOf(Need::Room, sites),
        None => Needs::Nothing,
    }
}

/// A circle of buffers that wait for each other for ever, each for the next one. Of each buffer is
/// known for which it waits: one of these has to move, and any beyond the list can. Empty if all
/// are alive.
pub(super) fn circle(needs: &[(Need, Vec<usize>)]) -> Vec<usize> {
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
