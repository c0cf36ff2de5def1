//! Whether the state of a fabric is consistent, for audits after each slot.

use super::settings::Numbers;
use super::state::{At, Credit, Filled, Packet, Site, Snapshot, State};
use super::topology::Role;
use super::watchdog::Watchdog;
use crate::cell::{Port, Slot};
use crate::switch::benes::exit::Exit;
use crate::switch::failure::Side;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

pub(crate) fn ensure(holds: bool, message: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(message()) }
}

/// All checks of an audit.
pub(crate) fn check(state: &dyn State) -> Result<(), String> {
    let snapshot = Snapshot::new(state);
    snapshot.check_buffers()?;
    snapshot.level_credits_are_conserved()?;
    match snapshot.core.settings.numbers() {
        // Where cells are lost there are gaps.
        _ if snapshot.core.settings.loss > 0.0 => {}
        Numbers::Stages => snapshot.stage_numbers()?,
        Numbers::Flows => snapshot.flow_numbers()?,
        Numbers::None => {}
    }
    all_that_can_move_are_listed(snapshot)
}

/// A lane that could move a cell is going to be tried.
fn all_that_can_move_are_listed(snapshot: Snapshot<'_>) -> Result<(), String> {
    let watchdog = Watchdog::new(snapshot);
    let Snapshot { state, topology, buffers, .. } = &watchdog.snapshot;
    for &(site, _) in buffers.iter().filter(|(site, _)| site.side == Side::Input) {
        let radix = topology.stage[site.stage].radix;
        let at = At { stage: site.stage, element: site.position / radix, lane: site.lane };
        ensure(state.is_listed(at) || watchdog.waits(site).is_some(), || {
            format!("{site:?}: a cell could move and is not tried")
        })?;
    }
    Ok(())
}

impl Snapshot<'_> {
    /// The checks of each buffer by itself. With many ports, the others take minutes.
    pub(crate) fn check_buffers(&self) -> Result<(), String> {
        self.state.check_copies()?;
        self.cells_are_counted()?;
        self.buffers.iter().try_for_each(|filled| self.buffer_is_right(filled))?;
        self.links_know_their_cells()?;
        self.hop_credits_are_conserved()
    }

    fn cells_are_counted(&self) -> Result<(), String> {
        let (counts, mut seen) = (&self.core.counts, BTreeSet::new());
        let mut stages = vec![0; self.topology.stages()];
        let exit = self.core.exit.iter().flat_map(Exit::cells);
        let cells = self.buffers.iter().flat_map(|(_, cells)| cells).chain(self.on_links.iter().map(|(.., cell)| cell));
        let cells = cells.map(|cell| (cell.source, cell.born)).chain(exit.map(|cell| (cell.source, cell.born)));
        let mut inside = self.core.voqs.length();
        for cell in cells {
            ensure(seen.insert(cell), || format!("a cell is there twice: {cell:?}"))?;
            inside += 1;
        }
        for (site, cells) in &self.buffers {
            stages[site.stage] += cells.len() as u64;
        }
        ensure(stages == counts.inside, || format!("cells by stage: {stages:?}, counted {:?}", counts.inside))?;
        let (arrived, gone) = (counts.arrived, counts.departed + counts.lost + counts.late);
        ensure(arrived == gone + inside, || format!("{arrived} cells came, {gone} went, {inside} are inside"))?;
        let mut lanes = BTreeSet::new();
        for (site, cells) in self.buffers.iter().filter(|(site, _)| site.side == Side::Input) {
            let own = self.topology.stage[site.stage];
            let at = At { stage: site.stage, element: site.position / own.radix, lane: site.lane };
            let resequences = own.role == Role::Resequence;
            lanes.extend(cells.iter().filter(|_| resequences).map(|cell| (at, self.part(own.level, cell))));
        }
        let held: u64 = lanes.into_iter().map(|(at, part)| u64::from(self.state.lane(at, part).held)).sum();
        ensure(held == counts.held, || format!("{held} cells wait for a predecessor, counted {}", counts.held))
    }

    /// A buffer is not overfull, its cells are of its lane, and their numbers ascend.
    fn buffer_is_right(&self, (site, cells): &Filled) -> Result<(), String> {
        let (own, topology) = (self.topology.stage[site.stage], self.topology);
        let (size, lane): (_, &dyn Fn(&Packet) -> usize) = match site.side {
            Side::Input => (own.input, &|cell| topology.lane_received(site.stage, cell)),
            Side::Output => (own.output, &|cell| topology.lane_sent(site.stage + 1, cell)),
        };
        ensure(cells.len() <= size, || format!("{site:?}: {} cells where {size} have room", cells.len()))?;
        ensure(cells.iter().all(|cell| lane(cell) == site.lane), || format!("{site:?}: a cell of another lane"))?;
        let in_order = site.side == Side::Output || own.role != Role::Resequence || self.core.settings.distribute_first;
        let ascending = cells.is_sorted_by(|one, next| one.numbers[own.level] < next.numbers[own.level]);
        ensure(in_order || ascending, || format!("{site:?}: numbers do not ascend"))
    }

    /// The beginnings of links know which lanes have a cell to send.
    fn links_know_their_cells(&self) -> Result<(), String> {
        let (topology, mut filled) = (self.topology, BTreeSet::new());
        let lanes = topology.lanes_sent(0);
        let voqs = self.core.voqs.lengths();
        filled.extend((0..voqs.len()).filter(|&voq| voqs[voq] > 0).map(|voq| (0, voq / lanes, voq % lanes)));
        let outputs = self.buffers.iter().filter(|(site, _)| site.side == Side::Output);
        filled.extend(outputs.map(|(site, _)| (site.stage + 1, site.position, site.lane)));
        for (link, end) in (0..=topology.stages()).flat_map(|link| (0..topology.ports).map(move |end| (link, end))) {
            // Without output buffers there is nothing to know.
            let direct = link > 0 && topology.stage[link - 1].output == 0;
            for lane in 0..if direct { 0 } else { topology.lanes_sent(link) } {
                let (cell, known) = (filled.contains(&(link, end, lane)), self.state.request(link, end, lane).0);
                ensure(cell == known, || format!("link {link} from {end}, lane {lane}: a cell {cell}, known {known}"))?;
            }
        }
        Ok(())
    }

    /// Credits at the sender, under way, and spent for a cell on the link or in the buffer make up
    /// the size of each input buffer. With stop-and-go, cells on the link have room.
    fn hop_credits_are_conserved(&self) -> Result<(), String> {
        let (topology, settings) = (self.topology, &self.core.settings);
        let mut spent: BTreeMap<Credit, usize> = BTreeMap::new();
        let mut spend = |(link, end, lane): Credit, cells: usize| {
            *spent.entry((link, end, if settings.per_link { 0 } else { lane })).or_default() += cells;
        };
        let begin = |link: usize, position: usize| usize::from(topology.previous[link][position]);
        for (link, position, cell) in &self.on_links {
            spend((*link, begin(*link, *position), topology.lane_received(*link, cell)), 1);
        }
        for (site, cells) in self.buffers.iter().filter(|(site, _)| site.side == Side::Input) {
            spend((site.stage, begin(site.stage, site.position), site.lane), cells.len());
        }
        self.state.returning().0.into_iter().for_each(|credit| spend(credit, 1));
        for (link, own) in topology.stage.iter().enumerate().filter(|(link, _)| topology.link[*link].hop) {
            let lanes = if settings.per_link { 1 } else { topology.lanes_received(link) };
            for (end, lane) in (0..topology.ports).flat_map(|end| (0..lanes).map(move |lane| (end, lane))) {
                let (away, size) = (spent.get(&(link, end, lane)).copied().unwrap_or(0), own.input);
                let right = match self.state.credits(link, end, lane) {
                    _ if settings.stop_and_go => away <= size,
                    Some(credits) => away + credits == size,
                    None => away <= size && self.state.request(link, end, lane).1 == (away < size),
                };
                ensure(right, || format!("link {link} from {end}, lane {lane}: {away} of {size} credits are away"))?;
            }
        }
        Ok(())
    }

    /// Visits each credit of a level that is away, with the buffer of the cell that has spent it.
    /// None if that is on a link, or the credit on its way back.
    pub(super) fn for_each_level_credit(&self, mut visit: impl FnMut(Credit, Option<Site>)) {
        if !self.topology.hierarchical {
            return;
        }
        self.state.returning().1.into_iter().for_each(|credit| visit(credit, None));
        self.for_each(|cell, stage, position, site| {
            // A cell in an output buffer has given the credit of the level of its stage back, or
            // not yet taken it.
            let own = site.filter(|site| site.side == Side::Output).map(|_| self.topology.stage[stage].level);
            let levels = (0..self.topology.levels()).filter(|&level| Some(level) != own);
            levels
                .filter_map(|level| self.topology.level_credit(level, stage, position, cell))
                .for_each(|credit| visit(credit, site));
        });
    }

    /// The same for the credits of each level, as for hop credits.
    fn level_credits_are_conserved(&self) -> Result<(), String> {
        let (topology, mut spent) = (self.topology, BTreeMap::<Credit, usize>::new());
        if !topology.hierarchical {
            return Ok(());
        }
        self.for_each_level_credit(|credit, _| *spent.entry(credit).or_default() += 1);
        for link in 1..=topology.distribution {
            let (size, lanes) = (topology.stage[topology.stages() - link].input, topology.lanes_sent(link));
            for (end, lane) in (0..topology.ports).flat_map(|end| (0..lanes).map(move |lane| (end, lane))) {
                let away = spent.get(&(link, end, lane)).copied().unwrap_or(0);
                let credits = self.state.level_credits((link, end, lane));
                ensure(away + credits == size, || {
                    format!("level {}, output {end}, lane {lane}: {credits} credits, {away} away of {size}", link - 1)
                })?;
            }
        }
        Ok(())
    }

    /// The numbers of each level follow each other without a gap, from the one that is expected to
    /// the one that is given next, and the arrival slots of a flow ascend with them.
    fn stage_numbers(&self) -> Result<(), String> {
        let topology = self.topology;
        let mut lines: BTreeMap<_, BTreeMap<u32, Packet>> = BTreeMap::new();
        self.for_each_number(|level, numbering, cell, _| {
            lines.entry((level, numbering)).or_default().insert(cell.numbers[level], *cell);
        });
        for ((level, (element, lane, part)), cells) in lines {
            let name = || format!("level {level}, element {element}, lane {lane}, part {part}");
            let (first, last) = (cells.first_key_value(), cells.last_key_value());
            let ((&first, cell), (&last, _)) = first.zip(last).expect("a line has a cell");
            let mut youngest: BTreeMap<(Port, Port), Slot> = BTreeMap::new();
            for (expected, (&number, cell)) in (first..).zip(&cells) {
                ensure(number == expected, || format!("{}: number {number}, not {expected}", name()))?;
                let before = youngest.insert((cell.source, cell.destination), cell.born);
                ensure(before < Some(cell.born), || format!("{}: {cell:?} after one born in {before:?}", name()))?;
            }
            // The next number may be known modulo the radix only.
            let radix = topology.stage[level].radix as u32;
            let next = self.state.lane(At { stage: level, element, lane }, part).number;
            ensure(last.wrapping_add(1) % radix == next % radix, || {
                format!("{}: {last} is followed by {next}", name())
            })?;
            let exit = topology.stages() - 1 - level;
            let within = topology.elements_within(level);
            let resequencer = element / within * within + usize::from(cell.destination) / topology.product(level + 1);
            let at = At { stage: exit, element: resequencer, lane: topology.lane_received(exit, cell) };
            let expected = self.state.lane(at, self.part(level, cell)).number;
            ensure(topology.stage[exit].role != Role::Resequence || first == expected, || {
                format!("{}: number {expected} is expected, and {first} the first", name())
            })?;
        }
        Ok(())
    }

    /// The numbers of each flow follow each other without a gap, as arrival slots ascend.
    fn flow_numbers(&self) -> Result<(), String> {
        let exit = self.core.exit.as_ref().expect("with numbers of flows there are resequencers at the exit");
        let mut flows: BTreeMap<_, Vec<Packet>> = BTreeMap::new();
        let inside =
            self.buffers.iter().flat_map(|(_, cells)| cells).chain(self.on_links.iter().map(|(.., cell)| cell));
        for cell in inside.copied().chain(exit.cells()) {
            flows.entry((cell.source, cell.destination, cell.priority)).or_default().push(cell);
        }
        for cells in flows.values_mut() {
            cells.sort_unstable_by_key(|cell| cell.born);
            for (number, cell) in (exit.expected(&cells[0])..).zip(cells) {
                ensure(cell.numbers[0] == number, || format!("{cell:?} is not number {number} of its flow"))?;
            }
        }
        Ok(())
    }
}
