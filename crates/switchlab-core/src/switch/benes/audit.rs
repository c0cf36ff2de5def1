//! Where cells are, and whether what is inside fits together: for audits, the watchdog and
//! messages.

use super::config::Numbers;
use super::element::group::Group;
use super::element::record::{Inner, Packed};
use super::fabric::Fabric;
use super::watchdog::Needs;
use crate::switch::failure::{Buffer, Side};
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// A buffer of a group: an input buffer by its port, or an output buffer by its number among those
/// of the group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Site {
    Input { stage: usize, element: usize, group: usize, port: usize },
    Output { stage: usize, element: usize, group: usize, part: usize },
}

impl Site {
    /// The stage.
    pub(super) fn stage(self) -> usize {
        match self {
            Self::Input { stage, .. } | Self::Output { stage, .. } => stage,
        }
    }
}

/// A cell, and where it is.
pub(super) type Found = (Site, Inner);

impl<const P: usize> Fabric<P> {
    /// Where an element keeps a group.
    pub(super) fn at(&self, stage: usize, element: usize, group: usize) -> usize {
        (stage * self.core.topology.elements() + element) * self.core.topology.ports + group
    }

    /// Every group that has a record: its stage, element and group, and its state.
    pub(super) fn open_groups(&self) -> Vec<(usize, usize, usize, Group)> {
        let (ports, elements) = (self.core.topology.ports, self.core.topology.elements());
        let mut groups = Vec::new();
        self.engine.state().for_each_open(&mut |at, state| {
            let (row, group) = (at / ports, at % ports);
            groups.push((row / elements, row % elements, group, state));
        });
        groups
    }

    /// Whether a group has a cell at the beginning of a link, and whether it has a credit.
    pub(super) fn look(&self, link: usize, end: usize, group: usize) -> (bool, bool) {
        self.engine.state().look(&self.core.topology, link, end, group)
    }

    fn unpack(&self, cell: Packed) -> Inner {
        cell.inner(self.core.config.number_bits())
    }

    /// Visits every cell behind the line cards: where it is, if not in a resequencer at the exit,
    /// its destination, and itself.
    pub(super) fn for_each_cell(&self, visit: &mut dyn FnMut(Option<Site>, usize, Inner)) {
        for (stage, element, group, _) in self.open_groups() {
            let destination = self.core.topology.destination(stage, element, group);
            for port in 0..P {
                for (site, cell) in self.inputs(stage, element, group, port) {
                    visit(Some(site), destination, cell);
                }
            }
            for part in 0..P {
                if let Some((site, cell)) = self.output(stage, element, group, part) {
                    visit(Some(site), destination, cell);
                }
            }
        }
        if let Some(exit) = &self.core.exit {
            for (output, source) in
                (0..self.core.topology.ports).flat_map(|o| (0..self.core.topology.ports).map(move |s| (o, s)))
            {
                for cell in exit.flow(output, source).1 {
                    visit(None, output, cell);
                }
            }
        }
    }

    fn inputs(&self, stage: usize, element: usize, group: usize, port: usize) -> Vec<Found> {
        let cells = self.engine.state().input(self.at(stage, element, group), port).into_iter();
        cells.map(|cell| (Site::Input { stage, element, group, port }, self.unpack(cell))).collect()
    }

    fn output(&self, stage: usize, element: usize, group: usize, part: usize) -> Option<Found> {
        let cell = self.engine.state().output(self.at(stage, element, group), part)?;
        Some((Site::Output { stage, element, group, part }, self.unpack(cell)))
    }

    /// The cells that distribution element `own` of sub-network `network` has numbered for a
    /// destination and that have not been resequenced, each with its number, counted from the round
    /// that is being resequenced. In the order of these numbers. With resequencing per stage only.
    ///
    /// A cell has its number modulo P. Its round follows from its place: over each of the P paths
    /// comes a cell of every round, in order, through the buffer at the beginning, the inner
    /// sub-network, which keeps the order of a group, and the buffers at the end.
    pub(super) fn numbered(&self, level: usize, network: usize, own: usize, destination: usize) -> Vec<(usize, Found)> {
        let topology = &self.core.topology;
        let digit = topology.digit;
        let size = |level: usize| topology.bits(topology.levels - 1 - level);
        let group = |level: usize, own: usize| {
            let bits = topology.bits(level + 1);
            (own << bits) | (destination & ((1 << bits) - 1))
        };
        let distributor = (network << size(level)) + own;
        let resequencer = (network << size(level)) + (destination >> topology.bits(level + 1));
        let stage = topology.stages - 1 - level;
        let taken = self.engine.state().group(self.at(stage, resequencer, group(level, own))).round();
        let mut cells = Vec::new();
        for way in 0..P {
            let mut line = self.inputs(stage, resequencer, group(level, own), way);
            if level + 1 < topology.levels {
                let (inner, outer) = (own >> digit, own & (P - 1));
                let inner_network = (network << digit) + way;
                let first = inner_network << size(level + 1);
                let inner_resequencer = first + (destination >> topology.bits(level + 2));
                line.extend(self.output(stage - 1, inner_resequencer, group(level + 1, inner), outer));
                let inside = self.numbered(level + 1, inner_network, inner, destination).into_iter();
                let of_own = |(_, cell): &Found| usize::from(cell.source) >> topology.bits(level + 1) == own;
                line.extend(inside.map(|(_, found)| found).filter(of_own));
                line.extend(self.inputs(level + 1, first + inner, destination, outer));
            }
            line.extend(self.output(level, distributor, destination, way));
            let first_round = usize::from(taken >> way & 1);
            cells.extend((first_round..).zip(line).map(|(round, (site, cell))| {
                let rank = usize::from(cell.number >> topology.bits(level)) % P;
                (round * P + rank, (site, cell))
            }));
        }
        cells.sort_unstable_by_key(|(number, _)| *number);
        cells
    }

    /// A site as messages name it.
    pub(super) fn buffer(&self, site: Site) -> Buffer {
        match site {
            Site::Input { stage, element, group, port } => Buffer { side: Side::Input, stage, element, port, group },
            Site::Output { stage, element, group, part } => {
                let routing = self.core.topology.routing(stage);
                let (port, group) = if routing.distributes {
                    (part, group)
                } else {
                    let target = routing.target::<P>(group, part << routing.low);
                    (target.output, target.at)
                };
                Buffer { side: Side::Output, stage, element, port, group }
            }
        }
    }

    /// The first cell of a buffer that is not empty.
    pub(super) fn head(&self, site: Site) -> Inner {
        let cell = match site {
            Site::Input { stage, element, group, port } => self.inputs(stage, element, group, port).first().copied(),
            Site::Output { stage, element, group, part } => self.output(stage, element, group, part),
        };
        cell.expect("a buffer of which the first cell is asked for is not empty").1
    }

    /// The destination of the cells of a buffer.
    pub(super) fn destination(&self, site: Site) -> usize {
        match site {
            Site::Input { stage, element, group, .. } | Site::Output { stage, element, group, .. } => {
                self.core.topology.destination(stage, element, group)
            }
        }
    }
}

macro_rules! ensure {
    ($condition:expr, $($message:tt)*) => {
        if !$condition {
            return Err(alloc::format!($($message)*));
        }
    };
}

impl<const P: usize> Fabric<P> {
    /// All checks of an audit.
    pub(super) fn check(&self) -> Result<(), String> {
        self.check_buffers()?;
        self.all_that_can_move_are_listed()?;
        self.numbers_are_complete()
    }

    /// The checks of each buffer by itself. With many ports, the others take minutes.
    pub(super) fn check_buffers(&self) -> Result<(), String> {
        self.cells_are_counted()?;
        self.credits_are_home_or_lent()?;
        self.links_know_their_cells()
    }

    fn cells_are_counted(&self) -> Result<(), String> {
        let mut stages = vec![0; self.core.topology.stages];
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
        ensure!(stages == self.core.counts.inside, "cells by stage: {stages:?}, counted {:?}", self.core.counts.inside);
        let inside = stages.iter().sum::<u64>() + exit + self.core.voqs.length();
        let (arrived, departed) = (self.core.counts.arrived, self.core.counts.departed);
        ensure!(arrived == departed + inside, "{arrived} cells came, {departed} went, {inside} are inside");
        let groups = self.open_groups().into_iter();
        let held: u64 = groups.map(|(stage, element, group, _)| self.held(stage, element, group)).sum();
        ensure!(held == self.core.counts.held, "{held} cells are held back, counted {}", self.core.counts.held);
        Ok(())
    }

    /// The cells in a group's input buffers that are known to wait for one before them.
    fn held(&self, stage: usize, element: usize, group: usize) -> u64 {
        let at = self.at(stage, element, group);
        let state = self.engine.state().group(at);
        if self.engine.state().counts_held() {
            return u64::from(state.held());
        }
        let ordered = self.core.config.numbers() == Numbers::Stages && stage >= self.core.topology.distribution;
        let record = self.engine.state().record(at).filter(|_| ordered && state.waits() == 0);
        let Some(record) = record else { return 0 };
        // All of them but the one that is next in sequence, because of which the group is tried.
        let next = state.next_in_sequence::<P>(record.numbers(), self.core.topology.routing(stage).low);
        u64::from(state.inputs().count_ones()) - u64::from(next.is_some())
    }

    /// Credits at the sender, cells in the buffer and credits on their way back make up the size of
    /// each input buffer.
    fn credits_are_home_or_lent(&self) -> Result<(), String> {
        let mut returning: BTreeMap<(usize, usize, usize), usize> = BTreeMap::new();
        for place in self.engine.state().returning() {
            *returning.entry(place).or_default() += 1;
        }
        for stage in 0..self.core.topology.stages {
            let size = self.core.config.size(stage < self.core.topology.distribution);
            for position in 0..self.core.topology.ports {
                let end = usize::from(self.core.topology.previous[stage * self.core.topology.ports + position]);
                let mut on_link = 0;
                for group in 0..self.core.topology.ports {
                    let (cells, own_back) =
                        self.engine.state().occupancy(self.at(stage, position / P, group), position % P);
                    let lent = cells + own_back;
                    let back = returning.get(&(stage, position, group)).copied().unwrap_or_default();
                    let name = || alloc::format!("stage {stage}, input {position}, group {group}");
                    ensure!(lent == cells + back, "{}: {lent} credits lent, {cells} cells, {back} under way", name());
                    ensure!(lent <= size, "{}: {lent} credits lent of {size}", name());
                    on_link += lent;
                    if !self.core.config.per_link {
                        let credit = self.look(stage, end, group).1;
                        ensure!(credit == (lent < size), "{}: credit {credit}, {lent} lent of {size}", name());
                    }
                }
                if self.core.config.per_link {
                    let credits = self.engine.state().link_credits(stage, end);
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
        let lengths = self.core.voqs.lengths();
        for link in 0..=self.core.topology.stages {
            for position in 0..self.core.topology.ports {
                let sound = self.engine.state().is_sound(&self.core.topology, link, position);
                ensure!(sound, "link {link} from {position}: its summary is wrong");
                for group in 0..self.core.topology.ports {
                    let cell = match link.checked_sub(1) {
                        None => lengths[position * self.core.topology.ports + group] > 0,
                        Some(stage) => {
                            let (inner, part) = self.core.topology.routing(stage).behind::<P>(position % P, group);
                            let routes = stage >= self.core.topology.distribution && !self.core.topology.split;
                            // A group that is not split has only one output buffer in a routing
                            // element.
                            let elsewhere = routes
                                && self.core.topology.routing(stage).target::<P>(group, 0).output != position % P;
                            !elsewhere
                                && self.engine.state().group(self.at(stage, position / P, inner)).outputs() >> part & 1
                                    != 0
                        }
                    };
                    let known = self.look(link, position, group).0;
                    ensure!(cell == known, "link {link} from {position}, group {group}: a cell {cell}, known {known}");
                }
            }
        }
        Ok(())
    }

    /// A group that could move a cell is on a worklist.
    fn all_that_can_move_are_listed(&self) -> Result<(), String> {
        for (stage, element, group, state) in self.open_groups() {
            let inputs = state.inputs();
            let at = self.at(stage, element, group);
            let kept = state.outputs() != 0 || (0..P).any(|port| self.engine.state().occupancy(at, port) != (0, 0));
            ensure!(kept, "stage {stage}, element {element}, group {group}: it keeps empty buffers");
            if inputs == 0 {
                continue;
            }
            let port = inputs.trailing_zeros() as usize;
            let can = self.needs(Site::Input { stage, element, group, port }) == Needs::Nothing;
            let tried = self.engine.state().is_listed(stage, element * self.core.topology.ports + group);
            ensure!(tried || !can, "stage {stage}, element {element}, group {group}: it could move and is not tried");
        }
        Ok(())
    }

    /// Numbers follow each other without a gap, and the arrival slots of a flow ascend with them.
    fn numbers_are_complete(&self) -> Result<(), String> {
        match self.core.config.numbers() {
            Numbers::Stages => self.stage_numbers(),
            Numbers::Flows => self.flow_numbers(),
            Numbers::None => Ok(()),
        }
    }

    fn stage_numbers(&self) -> Result<(), String> {
        let topology = &self.core.topology;
        for level in 0..topology.levels {
            let size = topology.bits(topology.levels - 1 - level);
            for (element, destination) in
                (0..topology.elements()).flat_map(|e| (0..topology.ports).map(move |d| (e, d)))
            {
                let (network, own) = (element >> size, element & ((1 << size) - 1));
                let cells = self.numbered(level, network, own, destination);
                let bits = topology.bits(level + 1);
                let resequencer = (network << size) + (destination >> bits);
                let group = (own << bits) | (destination & ((1 << bits) - 1));
                let round = self.engine.state().group(self.at(topology.stages - 1 - level, resequencer, group)).round();
                let name = || alloc::format!("level {level}, element {element}, destination {destination}");
                let mut youngest: BTreeMap<u16, u32> = BTreeMap::new();
                for (expected, (number, (_, cell))) in (round.count_ones() as usize..).zip(&cells) {
                    ensure!(*number == expected, "{}: number {number} where {expected} was to be", name());
                    let before = youngest.insert(cell.source, cell.born);
                    ensure!(before < Some(cell.born), "{}: {cell:?} after one born in {before:?}", name());
                }
                // The next number to be given follows the last one that is under way.
                let next =
                    self.engine.state().group(self.at(level, element, destination)).round().count_ones() as usize;
                let last = cells.last().map_or(round.count_ones() as usize, |(number, _)| number + 1);
                ensure!(last % P == next, "{}: the next number is {next}, not {}", name(), last % P);
            }
        }
        Ok(())
    }

    fn flow_numbers(&self) -> Result<(), String> {
        let exit = self.core.exit.as_ref().expect("with numbers of flows there are resequencers at the exit");
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
