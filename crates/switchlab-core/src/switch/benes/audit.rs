//! Where cells are, and whether the state of the fabric is consistent: for audits, the watchdog and
//! messages.

use super::config::Numbers;
use super::element::group::Group;
use super::element::record::FabricCell;
use super::fabric::Fabric;
use super::watchdog::Needs;
use crate::switch::failure::{Buffer, Side};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// A buffer of a group: an input buffer by its port, or an output buffer by its number among those
/// of the group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Site {
    pub(super) side: Side,
    pub(super) stage: usize,
    pub(super) element: usize,
    pub(super) group: usize,
    pub(super) buffer: usize,
}

/// A cell, and where it is.
type Found = (Site, FabricCell);

impl<const P: usize> Fabric<P> {
    /// Every group that has a record: its stage, element and group, and its state.
    pub(super) fn open_groups(&self) -> Vec<(usize, usize, usize, Group)> {
        let (ports, elements) = (self.core.topology.ports, self.core.topology.elements());
        let mut groups = Vec::new();
        self.engine.state().for_each_open(&mut |at, state| {
            groups.push((at / ports / elements, at / ports % elements, at % ports, state));
        });
        groups
    }

    /// The state of a group.
    pub(super) fn group(&self, stage: usize, element: usize, group: usize) -> Group {
        self.engine.state().group(self.core.topology.at(stage, element, group))
    }

    /// Whether a group has a cell at the beginning of a link, and whether it has a credit.
    pub(super) fn request(&self, link: usize, end: usize, group: usize) -> (bool, bool) {
        self.engine.state().request(&self.core.topology, link, end, group)
    }

    /// The cells of a buffer, head of line first.
    pub(super) fn cells(&self, site: Site) -> Vec<FabricCell> {
        let at = self.core.topology.at(site.stage, site.element, site.group);
        self.engine.state().cells(at, site.side, site.buffer, self.core.config.number_bits())
    }

    /// The cells of a buffer, each with the buffer.
    fn found(&self, side: Side, [stage, element, group, buffer]: [usize; 4]) -> impl Iterator<Item = Found> {
        let site = Site { side, stage, element, group, buffer };
        self.cells(site).into_iter().map(move |cell| (site, cell))
    }

    /// The head-of-line cell of a non-empty buffer.
    pub(super) fn head(&self, site: Site) -> FabricCell {
        *self.cells(site).first().expect("a buffer whose head-of-line cell is looked up is not empty")
    }

    /// The destination of the cells of a buffer.
    pub(super) fn destination(&self, site: Site) -> usize {
        self.core.topology.destination(site.stage, site.element, site.group)
    }

    /// Visits every cell behind the line cards: its stage, if it is not in a resequencer at the
    /// exit, its destination, and itself.
    pub(super) fn for_each_cell(&self, visit: &mut dyn FnMut(Option<usize>, usize, FabricCell)) {
        for (stage, element, group, _) in self.open_groups() {
            for (side, buffer) in [Side::Input, Side::Output].into_iter().flat_map(|s| (0..P).map(move |b| (s, b))) {
                for (site, cell) in self.found(side, [stage, element, group, buffer]) {
                    visit(Some(stage), self.destination(site), cell);
                }
            }
        }
        let (exit, ports) = (&self.core.exit, self.core.topology.ports);
        for (exit, flow) in exit.iter().flat_map(|exit| (0..ports * ports).map(move |flow| (exit, flow))) {
            for cell in exit.flow(flow / ports, flow % ports).1 {
                visit(None, flow / ports, cell);
            }
        }
    }

    /// The routing element and the group that resequence what distribution element `own` of a
    /// sub-network has numbered for a destination.
    fn resequencer(&self, level: usize, network: usize, own: usize, destination: usize) -> (usize, usize) {
        let topology = &self.core.topology;
        let (size, bits) = (topology.bits(topology.levels - 1 - level), topology.bits(level + 1));
        ((network << size) + (destination >> bits), (own << bits) | (destination & ((1 << bits) - 1)))
    }

    /// The cells that distribution element `own` of sub-network `network` has numbered for a
    /// destination and that have not been resequenced, each with its number, counted from the round
    /// that is being resequenced. In the order of these numbers. With resequencing per stage only.
    ///
    /// A cell has its number modulo P. Its round follows from its buffer: over each of the P paths
    /// comes a cell of every round, in order, through the buffer at the beginning, the inner
    /// sub-network, which keeps the order of a group, and the buffers at the end.
    pub(super) fn numbered(&self, level: usize, network: usize, own: usize, destination: usize) -> Vec<(usize, Found)> {
        let topology = &self.core.topology;
        let first_element = |level: usize, network: usize| network << topology.bits(topology.levels - 1 - level);
        let (element, group) = self.resequencer(level, network, own, destination);
        let stage = topology.stages - 1 - level;
        let round = self.group(stage, element, group).round();
        let mut cells = Vec::new();
        for path in 0..P {
            let mut line: Vec<Found> = self.found(Side::Input, [stage, element, group, path]).collect();
            if level + 1 < topology.levels {
                let (inner_network, inner, port) = ((network << topology.digit) + path, own / P, own % P);
                let (element, group) = self.resequencer(level + 1, inner_network, inner, destination);
                line.extend(self.found(Side::Output, [stage - 1, element, group, port]));
                let inside = self.numbered(level + 1, inner_network, inner, destination).into_iter();
                let of_own = |(_, cell): &Found| usize::from(cell.source) >> topology.bits(level + 1) == own;
                line.extend(inside.map(|(_, found)| found).filter(of_own));
                let element = first_element(level + 1, inner_network) + inner;
                line.extend(self.found(Side::Input, [level + 1, element, destination, port]));
            }
            let distributor = first_element(level, network) + own;
            line.extend(self.found(Side::Output, [level, distributor, destination, path]));
            let first_round = usize::from(round >> path & 1);
            cells.extend((first_round..).zip(line).map(|(round, (site, cell))| {
                let rank = usize::from(cell.number >> topology.bits(level)) % P;
                (round * P + rank, (site, cell))
            }));
        }
        cells.sort_unstable_by_key(|(number, _)| *number);
        cells
    }

    /// A buffer as messages name it.
    pub(super) fn buffer(&self, site: Site) -> Buffer {
        let Site { side, stage, element, group, buffer } = site;
        let routing = self.core.topology.routing(stage);
        let (port, group) = if side == Side::Input || routing.distributes {
            (buffer, group)
        } else {
            let target = routing.target::<P>(group, buffer << routing.low);
            (target.output, target.at)
        };
        Buffer { side, stage, element, port, group }
    }
}

fn ensure(holds: bool, message: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(message()) }
}

impl<const P: usize> Fabric<P> {
    /// All checks of an audit.
    pub(super) fn check(&self) -> Result<(), String> {
        self.check_buffers()?;
        self.all_that_can_move_are_listed()?;
        match self.core.config.numbers() {
            Numbers::Stages => self.stage_numbers(),
            Numbers::Flows => self.flow_numbers(),
            Numbers::None => Ok(()),
        }
    }

    /// The checks of each buffer by itself. With many ports, the others take minutes.
    pub(super) fn check_buffers(&self) -> Result<(), String> {
        self.cells_are_counted()?;
        self.credits_are_home_or_lent()?;
        self.links_know_their_cells()
    }

    fn cells_are_counted(&self) -> Result<(), String> {
        let counts = &self.core.counts;
        let mut stages = vec![0; self.core.topology.stages];
        let mut seen: BTreeMap<(u16, u32), usize> = BTreeMap::new();
        let (mut exit, mut twice) = (0, None);
        self.for_each_cell(&mut |stage, destination, cell| {
            *stage.map_or(&mut exit, |stage| &mut stages[stage]) += 1;
            if seen.insert((cell.source, cell.born), destination).is_some() {
                twice = Some(cell);
            }
        });
        ensure(twice.is_none(), || format!("a cell is there twice: {twice:?}"))?;
        ensure(stages == counts.inside, || format!("cells by stage: {stages:?}, counted {:?}", counts.inside))?;
        let inside = stages.iter().sum::<u64>() + exit + self.core.voqs.length();
        let (arrived, departed) = (counts.arrived, counts.departed);
        ensure(arrived == departed + inside, || format!("{arrived} cells came, {departed} went, {inside} are inside"))?;
        let held = self.open_groups().into_iter().map(|(stage, element, group, state)| {
            if self.engine.state().counts_held() {
                state.held().into()
            } else {
                self.held(stage, element, group, state)
            }
        });
        let held: u64 = held.sum();
        ensure(held == counts.held, || format!("{held} cells are held back, counted {}", counts.held))
    }

    /// The cells in a group's input buffers, of one cell each, that wait for a predecessor.
    fn held(&self, stage: usize, element: usize, group: usize, state: Group) -> u64 {
        let routing = self.core.topology.routing(stage);
        if routing.distributes || self.core.config.numbers() != Numbers::Stages || state.waits() != 0 {
            return 0;
        }
        // All of them but the one that is next in sequence, because of which the group is tried.
        let digit = |cell: FabricCell| u32::from(cell.number >> routing.low) % P as u32;
        let mut cells = (0..P).flat_map(|port| self.found(Side::Input, [stage, element, group, port]));
        let next = cells.any(|(site, cell)| state.awaits(site.buffer, digit(cell)));
        u64::from(state.inputs().count_ones()) - u64::from(next)
    }

    /// Credits at the sender, cells in the buffer and credits on their way back make up the size of
    /// each input buffer.
    fn credits_are_home_or_lent(&self) -> Result<(), String> {
        let (topology, config, state) = (&self.core.topology, &self.core.config, self.engine.state());
        let mut returning: BTreeMap<(usize, usize, usize), usize> = BTreeMap::new();
        for buffer in state.all_returning() {
            *returning.entry(buffer).or_default() += 1;
        }
        for (stage, position) in (0..topology.stages).flat_map(|s| (0..topology.ports).map(move |p| (s, p))) {
            let size = config.size(stage < topology.distribution);
            let end = usize::from(topology.previous[stage * topology.ports + position]);
            let mut on_link = 0;
            for group in 0..topology.ports {
                let cells = self.found(Side::Input, [stage, position / P, group, position % P]).count();
                let lent = cells + state.returning(topology.at(stage, position / P, group), position % P);
                let back = returning.get(&(stage, position, group)).copied().unwrap_or_default();
                let name = || format!("stage {stage}, input {position}, group {group}");
                ensure(lent == cells + back, || {
                    format!("{}: {lent} credits lent, {cells} cells, {back} under way", name())
                })?;
                ensure(lent <= size, || format!("{}: {lent} credits lent of {size}", name()))?;
                on_link += lent;
                let credit = self.request(stage, end, group).1;
                ensure(config.per_link || credit == (lent < size), || {
                    format!("{}: credit {credit}, {lent} lent of {size}", name())
                })?;
            }
            let credits = state.link_credits(stage, end);
            ensure(!config.per_link || credits + on_link == size, || {
                format!("stage {stage}, input {position}: {credits} credits, {on_link} lent")
            })?;
        }
        Ok(())
    }

    fn links_know_their_cells(&self) -> Result<(), String> {
        let (topology, lengths) = (&self.core.topology, self.core.voqs.lengths());
        for (link, position) in (0..=topology.stages).flat_map(|l| (0..topology.ports).map(move |p| (l, p))) {
            let sound = self.engine.state().is_sound(topology, link, position);
            ensure(sound, || format!("link {link} from {position}: its summary is wrong"))?;
            for group in 0..topology.ports {
                let cell = match link.checked_sub(1) {
                    None => lengths[position * topology.ports + group] > 0,
                    Some(stage) => {
                        let routing = topology.routing(stage);
                        let (inner, part) = routing.behind::<P>(position % P, group);
                        // A group that is not split has only one output buffer in a routing
                        // element.
                        let elsewhere = !routing.distributes
                            && !routing.split
                            && routing.target::<P>(group, 0).output != position % P;
                        !elsewhere && self.group(stage, position / P, inner).outputs() >> part & 1 != 0
                    }
                };
                let known = self.request(link, position, group).0;
                ensure(cell == known, || {
                    format!("link {link} from {position}, group {group}: a cell {cell}, known {known}")
                })?;
            }
        }
        Ok(())
    }

    /// A group that could move a cell is on a worklist.
    fn all_that_can_move_are_listed(&self) -> Result<(), String> {
        for (stage, element, group, state) in self.open_groups() {
            let name = || format!("stage {stage}, element {element}, group {group}");
            let at = self.core.topology.at(stage, element, group);
            let returning = (0..P).any(|port| self.engine.state().returning(at, port) != 0);
            ensure(!state.is_empty() || returning, || format!("{}: it keeps empty buffers", name()))?;
            if state.inputs() == 0 {
                continue;
            }
            let buffer = state.inputs().trailing_zeros() as usize;
            let can = self.needs(Site { side: Side::Input, stage, element, group, buffer }) == Needs::Nothing;
            let tried = self.engine.state().is_listed(stage, element * self.core.topology.ports + group);
            ensure(tried || !can, || format!("{}: it could move and is not tried", name()))?;
        }
        Ok(())
    }

    /// The numbers of each level follow each other without a gap, and the arrival slots of a flow
    /// ascend with them.
    fn stage_numbers(&self) -> Result<(), String> {
        let topology = &self.core.topology;
        let elements = (0..topology.elements()).flat_map(|e| (0..topology.ports).map(move |d| (e, d)));
        for (level, (element, destination)) in (0..topology.levels).flat_map(|l| elements.clone().map(move |e| (l, e)))
        {
            let size = topology.bits(topology.levels - 1 - level);
            let (network, own) = (element >> size, element & ((1 << size) - 1));
            let cells = self.numbered(level, network, own, destination);
            let (resequencer, group) = self.resequencer(level, network, own, destination);
            let first = self.group(topology.stages - 1 - level, resequencer, group).rank() as usize;
            let name = || format!("level {level}, element {element}, destination {destination}");
            let mut youngest: BTreeMap<u16, u32> = BTreeMap::new();
            for (expected, (number, (_, cell))) in (first..).zip(&cells) {
                ensure(*number == expected, || format!("{}: number {number} where {expected} was to be", name()))?;
                let before = youngest.insert(cell.source, cell.born);
                ensure(before < Some(cell.born), || format!("{}: {cell:?} after one born in {before:?}", name()))?;
            }
            // The next number of the distributor follows the last one that is under way.
            let next = self.group(level, element, destination).rank() as usize;
            let last = cells.last().map_or(first, |(number, _)| number + 1);
            ensure(last % P == next, || format!("{}: the next number is {next}, not {}", name(), last % P))?;
        }
        Ok(())
    }

    /// The numbers of each flow follow each other without a gap, as arrival slots ascend.
    fn flow_numbers(&self) -> Result<(), String> {
        let exit = self.core.exit.as_ref().expect("with numbers of flows there are resequencers at the exit");
        let mut flows: BTreeMap<(u16, usize), Vec<FabricCell>> = BTreeMap::new();
        self.for_each_cell(&mut |_, destination, cell| flows.entry((cell.source, destination)).or_default().push(cell));
        for ((source, destination), cells) in &mut flows {
            cells.sort_unstable_by_key(|cell| cell.born);
            let expected = exit.flow(*destination, usize::from(*source)).0;
            for (step, cell) in (0..).zip(cells) {
                let number = expected.wrapping_add(step);
                ensure(cell.number == number, || {
                    format!("flow {source} to {destination}: {cell:?}, not number {number}")
                })?;
            }
        }
        Ok(())
    }
}
