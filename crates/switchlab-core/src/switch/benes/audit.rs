//! Whether what is inside fits together.

use super::Numbers;
use super::fabric::Fabric;
use super::record::Inner;
use super::settings::LEAN;
use super::sites::Site;
use super::watchdog::Needs;
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

macro_rules! ensure {
    ($condition:expr, $($message:tt)*) => {
        if !$condition {
            return Err(alloc::format!($($message)*));
        }
    };
}

impl<const P: usize, const KIND: u8> Fabric<P, KIND> {
    /// Everything that an audit asks.
    pub(super) fn check(&self) -> Result<(), String> {
        self.check_buffers()?;
        self.nobody_is_forgotten()?;
        self.numbers_are_complete()
    }

    /// What is asked of each buffer by itself: with many ports, the rest takes minutes.
    pub(super) fn check_buffers(&self) -> Result<(), String> {
        self.cells_are_counted()?;
        self.credits_are_home_or_lent()?;
        self.links_know_their_cells()
    }

    fn cells_are_counted(&self) -> Result<(), String> {
        let mut stages = vec![0; self.shape.stages];
        let mut seen: BTreeMap<(u16, u32), usize> = BTreeMap::new();
        let (mut exit, mut twice) = (0, None);
        self.for_each_cell(&mut |site, destination, cell| {
            match site {
                Some(site) => stages[site.stage()] += 1,
                None => exit += 1,
            }
            if seen.insert((cell.source, cell.born), destination).is_some() {
                twice = Some(cell);
            }
        });
        ensure!(twice.is_none(), "a cell is there twice: {twice:?}");
        ensure!(stages == self.counts.inside, "cells by stage: {stages:?}, counted {:?}", self.counts.inside);
        let inside = stages.iter().sum::<u64>() + exit + self.voqs.length();
        let (arrived, departed) = (self.counts.arrived, self.counts.departed);
        ensure!(arrived == departed + inside, "{arrived} cells came, {departed} went, {inside} are inside");
        let held: u64 = self.open_groups().map(|(stage, element, group, _)| self.held(stage, element, group)).sum();
        ensure!(held == self.counts.held, "{held} cells are held back, counted {}", self.counts.held);
        Ok(())
    }

    /// The cells in a group's input buffers that are known to wait for one before them.
    fn held(&self, stage: usize, element: usize, group: usize) -> u64 {
        let at = self.at(stage, element, group);
        let state = self.store.group(at);
        if KIND != LEAN {
            return u64::from(state.held());
        }
        let ordered = self.settings.numbers() == Numbers::Stages && stage >= self.shape.distribution;
        let Some(record) = self.store.record(at).filter(|_| ordered && state.waits() == 0) else { return 0 };
        // All of them, but for the one that comes next, because of which the group will be tried.
        let next = state.bearer::<P>(record.numbers(), self.shape.routing(stage).low);
        u64::from(state.inputs().count_ones()) - u64::from(next.is_some())
    }

    /// Credits at the sender, cells in the buffer and credits on their way back make up the size of each input buffer.
    fn credits_are_home_or_lent(&self) -> Result<(), String> {
        let mut returning: BTreeMap<(usize, usize, usize), usize> = BTreeMap::new();
        for flight in self.flights.iter().flatten() {
            let (stage, position, group) = (flight.stage as usize, flight.position as usize, flight.group as usize);
            *returning.entry((stage, position, group)).or_default() += 1;
        }
        for stage in 0..self.shape.stages {
            let size = self.settings.size(stage < self.shape.distribution);
            for position in 0..self.shape.ports {
                let end = usize::from(self.shape.previous[stage * self.shape.ports + position]);
                let mut on_link = 0;
                for group in 0..self.shape.ports {
                    let (cells, own_back) = self.store.level(self.at(stage, position / P, group), position % P);
                    let lent = cells + own_back;
                    let back = returning.get(&(stage, position, group)).copied().unwrap_or_default();
                    let name = || alloc::format!("stage {stage}, input {position}, group {group}");
                    ensure!(lent == cells + back, "{}: {lent} credits lent, {cells} cells, {back} under way", name());
                    ensure!(lent <= size, "{}: {lent} credits lent of {size}", name());
                    on_link += lent;
                    if !self.settings.per_link {
                        let credit = self.look(stage, end, group).1;
                        ensure!(credit == (lent < size), "{}: credit {credit}, {lent} lent of {size}", name());
                    }
                }
                if self.settings.per_link {
                    let credits = usize::from(self.links.end(stage, end).credits);
                    ensure!(
                        credits + on_link == size,
                        "stage {stage}, input {position}: {credits} credits, {on_link} lent"
                    );
                }
            }
        }
        Ok(())
    }

    fn links_know_their_cells(&self) -> Result<(), String> {
        let lengths = self.voqs.lengths();
        for link in 0..=self.shape.stages {
            for position in 0..self.shape.ports {
                ensure!(self.knows_who_can_send(link, position), "link {link} from {position}: its summary is wrong");
                for group in 0..self.shape.ports {
                    let cell = match link.checked_sub(1) {
                        None => lengths[position * self.shape.ports + group] > 0,
                        Some(stage) => {
                            let (inner, part) = self.shape.routing(stage).behind::<P>(position % P, group);
                            let routes = stage >= self.shape.distribution && !self.shape.split;
                            // A group that is not split has only one output buffer in a routing element.
                            let elsewhere = routes && self.shape.routing(stage).split::<P>(group, 0).0 != position % P;
                            !elsewhere
                                && self.store.group(self.at(stage, position / P, inner)).outputs() >> part & 1 != 0
                        }
                    };
                    let known = self.look(link, position, group).0;
                    ensure!(cell == known, "link {link} from {position}, group {group}: a cell {cell}, known {known}");
                }
            }
        }
        Ok(())
    }

    /// A group that could move a cell is to be tried.
    fn nobody_is_forgotten(&self) -> Result<(), String> {
        for (stage, element, group, state) in self.open_groups() {
            let inputs = state.inputs();
            let at = self.at(stage, element, group);
            let kept = state.outputs() != 0 || (0..P).any(|port| self.store.level(at, port) != (0, 0));
            ensure!(kept, "stage {stage}, element {element}, group {group}: it keeps empty buffers");
            if inputs == 0 {
                continue;
            }
            let port = inputs.trailing_zeros() as usize;
            let can = self.needs(Site::Input { stage, element, group, port }) == Needs::Nothing;
            let tried = self.work.has(stage, element, group);
            ensure!(tried || !can, "stage {stage}, element {element}, group {group}: it could move and is not tried");
        }
        Ok(())
    }

    /// Numbers follow each other without gap, and births of a flow ascend with them.
    fn numbers_are_complete(&self) -> Result<(), String> {
        match self.settings.numbers() {
            Numbers::Stages => self.stage_numbers(),
            Numbers::Flows => self.flow_numbers(),
            Numbers::None => Ok(()),
        }
    }

    fn stage_numbers(&self) -> Result<(), String> {
        let shape = &self.shape;
        for level in 0..shape.levels {
            let size = shape.bits(shape.levels - 1 - level);
            for (element, destination) in (0..shape.elements()).flat_map(|e| (0..shape.ports).map(move |d| (e, d))) {
                let (network, own) = (element >> size, element & ((1 << size) - 1));
                let cells = self.numbered(level, network, own, destination);
                let bits = shape.bits(level + 1);
                let resequencer = (network << size) + (destination >> bits);
                let group = (own << bits) | (destination & ((1 << bits) - 1));
                let round = self.store.group(self.at(shape.stages - 1 - level, resequencer, group)).round();
                let name = || alloc::format!("level {level}, element {element}, destination {destination}");
                let mut youngest: BTreeMap<u16, u32> = BTreeMap::new();
                for (expected, (number, (_, cell))) in (round.count_ones() as usize..).zip(&cells) {
                    ensure!(*number == expected, "{}: number {number} where {expected} was to be", name());
                    let before = youngest.insert(cell.source, cell.born);
                    ensure!(before < Some(cell.born), "{}: {cell:?} after one born in {before:?}", name());
                }
                // The next number to be given follows the last one that is under way.
                let next = self.store.group(self.at(level, element, destination)).round().count_ones() as usize;
                let last = cells.last().map_or(round.count_ones() as usize, |(number, _)| number + 1);
                ensure!(last % P == next, "{}: the next number is {next}, not {}", name(), last % P);
            }
        }
        Ok(())
    }

    fn flow_numbers(&self) -> Result<(), String> {
        let Some(exit) = &self.exit else { return Err("the resequencers are missing".to_string()) };
        let mut flows: BTreeMap<(u16, usize), Vec<Inner>> = BTreeMap::new();
        self.for_each_cell(&mut |_, destination, cell| flows.entry((cell.source, destination)).or_default().push(cell));
        for ((source, destination), cells) in &mut flows {
            cells.sort_unstable_by_key(|cell| cell.born);
            let expected = exit.flow(*destination, usize::from(*source)).0;
            for (step, cell) in (0..).zip(cells) {
                let number = expected.wrapping_add(step);
                ensure!(cell.number == number, "flow {source} to {destination}: {cell:?}, not number {number}");
            }
        }
        Ok(())
    }
}
