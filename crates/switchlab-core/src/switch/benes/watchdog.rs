//! Tells deadlock from congestion.
//!
//! A fabric in which nothing moves for a while, or a group in which nothing has moved for long, is
//! suspected. Then the watchdog finds out which buffer waits for which. A buffer is alive if its
//! first cell can move now, or once the first cell of a buffer that is alive has moved. If all are
//! alive, it is congestion. A buffer that is not alive never moves a cell again, whatever arrives.
//! It waits for another such buffer, and following these leads into a cycle.

use super::audit::Site;
use super::config::{Distribution, Merge, Numbers};
use super::element::group::{Group, clock};
use super::engine::hash;
use super::fabric::Fabric;
use crate::cell::{Port, Slot};
use crate::switch::Failure;
use crate::switch::failure::{Need, Wait};
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

/// Slots without any move after which a fabric is suspected.
const STILL: u32 = 64;

/// Slots between two looks at all groups.
const ROUND: Slot = 1024;

/// What the first cell of a buffer needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Needs {
    /// Nothing: it can move.
    Nothing,
    /// That one of these buffers moves its first cell.
    OneOf(Need, Vec<Site>),
}

impl<const P: usize> Fabric<P> {
    /// Looks for a deadlock, if there is a reason to; if there is one, the fabric stops.
    pub(super) fn is_deadlocked(&mut self, now: Slot) -> bool {
        let still = self.core.counts.still >= STILL && self.core.counts.still.is_multiple_of(STILL);
        (still || now.is_multiple_of(ROUND)) && self.suspect(now, still)
    }

    /// How many slots can begin, from one on in which the watchdog has looked, before it may look
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
            sites.extend(full(state.inputs()).map(|port| Site::Input { stage, element, group, port }));
            sites.extend(full(state.outputs()).map(|part| Site::Output { stage, element, group, part }));
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
        let mut alive = vec![false; sites.len()];
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
        let mut visited = vec![usize::MAX; sites.len()];
        let mut path = Vec::new();
        while visited[own] == usize::MAX {
            visited[own] = path.len();
            path.push(own);
            // None of them is alive, or this one would be; and there is one, or it could move.
            own = *needs[own].1.first().expect("a buffer that is not alive waits for another one");
        }
        path[visited[own]..].iter().map(|&at| self.wait(sites[at], needs[at].0)).collect()
    }

    fn wait(&self, site: Site, need: Need) -> Wait {
        let (cell, output) = (self.head(site), self.destination(site) as Port);
        Wait { input: cell.source, output, born: cell.born, buffer: self.buffer(site), need }
    }

    /// What the first cell of a buffer needs before it can move.
    pub(super) fn needs(&self, site: Site) -> Needs {
        match site {
            Site::Input { stage, element, group, .. } if stage < self.core.topology.distribution => {
                self.needs_in_distribution(stage, element, group)
            }
            Site::Input { stage, element, group, .. } => self.needs_in_routing(stage, element, group),
            Site::Output { stage, .. } => self.needs_of_output(site, stage + 1),
        }
    }

    fn needs_in_distribution(&self, stage: usize, element: usize, group: usize) -> Needs {
        let at = self.at(stage, element, group);
        if self.engine.state().record(at).is_none() {
            return Needs::Nothing;
        }
        let source = |port: usize| usize::from(self.head(Site::Input { stage, element, group, port }).source);
        let all = ((1u16 << P) - 1) as u8;
        let state = self.engine.state().group(at);
        let outputs: u8 = match self.core.config.distribution {
            Some(Distribution::RoundRobin) => 1 << state.pointer(),
            Some(Distribution::Hash) => {
                let output = |port: usize| {
                    hash(self.engine.state().key(), source(port), group, self.core.topology.bits(stage)) % P
                };
                self.turns(at).iter().fold(0, |set, &port| set | 1 << output(port))
            }
            _ => all & !state.round(),
        };
        let occupied = (0..P).filter(|output| outputs >> output & 1 != 0).map(|output| {
            let own = Site::Output { stage, element, group, part: output };
            self.occupant(own, stage + 1, element * P + output)
        });
        any_of(occupied.collect())
    }

    fn needs_in_routing(&self, stage: usize, element: usize, group: usize) -> Needs {
        let at = self.at(stage, element, group);
        if self.engine.state().record(at).is_none() {
            return Needs::Nothing;
        }
        let source = |port: usize| usize::from(self.head(Site::Input { stage, element, group, port }).source);
        let level = self.core.topology.level(stage);
        let target = |port: usize| {
            let to = self.core.topology.routing(stage).target::<P>(group, source(port));
            let own = Site::Output { stage, element, group, part: to.part };
            self.occupant(own, stage + 1, element * P + to.output)
        };
        if self.core.config.numbers() != Numbers::Stages {
            return any_of(self.turns(at).iter().map(|&port| target(port)).collect());
        }
        let (network, bits) = (
            element >> self.core.topology.bits(self.core.topology.levels - 1 - level),
            self.core.topology.bits(level + 1),
        );
        let destination = self.core.topology.destination(stage, element, group);
        let numbered = self.numbered(level, network, group >> bits, destination);
        match numbered.first() {
            Some((_, (Site::Input { stage: s, element: e, group: g, port }, _)))
                if (*s, *e, *g) == (stage, element, group) =>
            {
                any_of(vec![target(*port)])
            }
            Some((_, (site, _))) => Needs::OneOf(Need::Predecessor, vec![*site]),
            None => Needs::Nothing,
        }
    }

    /// The input ports whose turn it may be.
    fn turns(&self, at: usize) -> Vec<usize> {
        let inputs = self.engine.state().group(at).inputs();
        let from = match self.core.config.merge {
            Merge::RoundRobin => self.engine.state().group(at).merge(),
            _ => 0,
        };
        let mut ports: Vec<usize> =
            (0..P).map(|step| (from + step) % P).filter(|port| inputs >> port & 1 != 0).collect();
        if self.core.config.merge != Merge::Random {
            ports.truncate(1);
        }
        ports
    }

    /// The buffer that occupies an output, if one does.
    fn occupant(&self, own: Site, link: usize, position: usize) -> Option<Site> {
        if self.core.config.per_link {
            // One cell for all groups of the port.
            let group = (0..self.core.topology.ports).find(|&group| self.look(link, position, group).0)?;
            let (inner, part) = self.core.topology.routing(link - 1).behind::<P>(position % P, group);
            return Some(Site::Output { stage: link - 1, element: position / P, group: inner, part });
        }
        let Site::Output { stage, element, group, part } = own else {
            unreachable!("{own:?} is asked for as an output buffer");
        };
        (self.engine.state().group(self.at(stage, element, group)).outputs() >> part & 1 != 0).then_some(own)
    }

    fn needs_of_output(&self, site: Site, link: usize) -> Needs {
        if link == self.core.topology.stages {
            return Needs::Nothing;
        }
        let buffer = self.buffer(site);
        let from = link * self.core.topology.ports + buffer.element * P + buffer.port;
        let position = usize::from(self.core.topology.next[from]);
        let (element, port) = (position / P, position % P);
        let counts = |group: usize| self.engine.state().occupancy(self.at(link, element, group), port).0;
        let groups: Vec<usize> = if self.core.config.per_link {
            (0..self.core.topology.ports).filter(|&group| counts(group) > 0).collect()
        } else {
            vec![buffer.group]
        };
        let cells: usize = groups.iter().map(|&group| counts(group)).sum();
        // A credit that is on its way counts as one that is there.
        if cells < self.core.config.size(link < self.core.topology.distribution) {
            return Needs::Nothing;
        }
        let sites = groups.into_iter().map(|group| Site::Input { stage: link, element, group, port });
        Needs::OneOf(Need::Room, sites.collect())
    }
}

/// Room in one of several output buffers.
fn any_of(occupants: Vec<Option<Site>>) -> Needs {
    match occupants.into_iter().collect::<Option<Vec<Site>>>() {
        Some(sites) => Needs::OneOf(Need::Room, sites),
        None => Needs::Nothing,
    }
}
