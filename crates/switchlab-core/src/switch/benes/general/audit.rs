//! Whether the state of the general fabric is consistent, for audits after each slot.

use super::flow::Event;
use super::store::{Fifo, Packet};
use super::wiring::Role;
use super::{At, General};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;

/// A counter of credits: its link, end and lane.
type Credit = (usize, usize, usize);

fn ensure(holds: bool, message: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(message()) }
}

impl General {
    /// Visits every cell behind the line cards, with its stage if it is in one.
    pub(super) fn for_each_cell(&self, visit: &mut dyn FnMut(Option<usize>, &Packet)) {
        for (stage, buffers) in self.inputs.iter().chain(&self.outputs).enumerate() {
            let stage = stage % self.wiring.stages.len();
            let filled = buffers.iter().filter(|buffer| !buffer.is_empty());
            filled.flat_map(|buffer| self.pool.cells(buffer)).for_each(|cell| visit(Some(stage), cell));
        }
        for event in self.flow.events.iter().flatten() {
            if let Event::Cell { cell, .. } = event {
                visit(None, cell);
            }
        }
        self.exit.iter().flat_map(|exit| exit.for_each(&self.pool)).for_each(|cell| visit(None, cell));
    }

    /// All checks.
    pub(super) fn check(&self) -> Result<(), String> {
        self.cells_are_counted()?;
        self.buffers_are_right()?;
        self.hop_credits_are_conserved()?;
        self.level_credits_are_conserved()
    }

    fn cells_are_counted(&self) -> Result<(), String> {
        let mut stages = alloc::vec![0; self.wiring.stages.len()];
        let mut seen = BTreeSet::new();
        let (mut elsewhere, mut twice) = (0, None);
        self.for_each_cell(&mut |stage, cell| {
            *stage.map_or(&mut elsewhere, |stage| &mut stages[stage]) += 1;
            if !seen.insert((cell.source, cell.born)) {
                twice = Some(*cell);
            }
        });
        ensure(twice.is_none(), || format!("a cell is there twice: {twice:?}"))?;
        ensure(stages == self.counts.inside, || format!("cells by stage: {stages:?}, not {:?}", self.counts.inside))?;
        let inside = stages.iter().sum::<u64>() + elsewhere + self.voqs.length();
        let (arrived, gone) = (self.counts.arrived, self.counts.departed + self.lost + self.late);
        ensure(arrived == gone + inside, || format!("{arrived} cells came, {gone} went, {inside} are inside"))
    }

    /// No buffer is overfull, every cell is in a buffer of its lane, numbers ascend, and the sets
    /// of lanes that have cells are right.
    fn buffers_are_right(&self) -> Result<(), String> {
        for (stage, own) in self.wiring.stages.iter().enumerate() {
            let lanes = self.wiring.lanes_received(stage);
            for (index, buffer) in self.inputs[stage].iter().enumerate() {
                let (position, lane) = (index / lanes, index % lanes);
                let name = || format!("stage {stage}, input {position}, lane {lane}");
                self.is_within(buffer, own.input, |cell| self.lane_received(stage, cell) == lane)
                    .map_err(|problem| format!("{}: {problem}", name()))?;
                let at = At { stage, element: position / own.radix, lane };
                let known = self.active[stage].has(at.element, lane);
                ensure(known == (self.filled(at) != 0), || format!("{}: known as filled: {known}", name()))?;
                let ordered = own.role == Role::Resequence && !self.settings.distribute_first;
                let numbers = self.pool.cells(buffer).map(|cell| cell.numbers[own.level]);
                let ascending = numbers.is_sorted_by(|one, next| one < next);
                ensure(!ordered || ascending, || format!("{}: numbers do not ascend", name()))?;
            }
            let (link, queues) = (stage + 1, self.settings.queues(&self.wiring, stage));
            let (lanes, groups) = (self.wiring.lanes_sent(link), self.wiring.links[link].sent);
            for (index, some) in self.outputs[stage].chunks(queues).enumerate() {
                let (end, lane) = (index / lanes, index % lanes);
                for buffer in some {
                    self.is_within(buffer, own.output, |cell| self.lane_sent(link, cell) == lane)
                        .map_err(|problem| format!("stage {stage}, output {end}, lane {lane}: {problem}"))?;
                }
                let known = self.waiting[link].has(end * self.wiring.priorities + lane / groups, lane % groups);
                let filled = some.iter().any(|buffer| !buffer.is_empty());
                ensure(known == filled, || format!("stage {stage}, output {end}, lane {lane}: known {known}"))?;
            }
        }
        Ok(())
    }

    fn is_within(&self, buffer: &Fifo, size: usize, belongs: impl Fn(&Packet) -> bool) -> Result<(), String> {
        let length = buffer.length as usize;
        ensure(length <= size, || format!("{length} cells where {size} have room"))?;
        ensure(self.pool.cells(buffer).count() == length, || format!("{length} is not its length"))?;
        ensure(self.pool.cells(buffer).all(belongs), || "a cell of another lane".into())
    }

    /// Credits at the sender, under way, and spent for a cell on the link or in the buffer make up
    /// the size of each input buffer. With stop-and-go, cells on the link have room.
    fn hop_credits_are_conserved(&self) -> Result<(), String> {
        let mut spent: BTreeMap<Credit, usize> = BTreeMap::new();
        let per_link = self.settings.per_link;
        let mut spend = |link: usize, end: usize, lane: usize| {
            *spent.entry((link, end, if per_link { 0 } else { lane })).or_default() += 1;
        };
        for event in self.flow.events.iter().flatten() {
            match *event {
                Event::Cell { link, position, ref cell } => {
                    let end = self.wiring.previous[usize::from(link)][usize::from(position)];
                    spend(link.into(), end.into(), self.lane_received(link.into(), cell));
                }
                Event::Lost { link, end, lane } if !self.settings.stop_and_go => {
                    spend(link.into(), end.into(), lane as usize);
                }
                Event::Hop { link, end, lane } => spend(link.into(), end.into(), lane as usize),
                Event::Lost { .. } | Event::Level { .. } | Event::Bit { .. } => {}
            }
        }
        for (stage, buffers) in self.inputs.iter().enumerate() {
            let lanes = self.wiring.lanes_received(stage);
            for (index, buffer) in buffers.iter().enumerate() {
                let end = self.wiring.previous[stage][index / lanes];
                (0..buffer.length).for_each(|_| spend(stage, end.into(), index % lanes));
            }
        }
        for (link, own) in self.wiring.stages.iter().enumerate() {
            let lanes = if per_link { 1 } else { self.wiring.lanes_received(link) };
            for (index, &credits) in self.flow.hop[link].iter().enumerate() {
                let (end, lane, size) = (index / lanes, index % lanes, own.input);
                let away = spent.get(&(link, end, lane)).copied().unwrap_or(0);
                let right = if self.settings.stop_and_go { away <= size } else { away + usize::from(credits) == size };
                ensure(right, || {
                    format!("link {link} from {end}, lane {lane}: {credits} credits, {away} away of {size}")
                })?;
            }
        }
        Ok(())
    }

    /// The same for the credits of each level.
    fn level_credits_are_conserved(&self) -> Result<(), String> {
        if !self.wiring.is_hierarchical() {
            return Ok(());
        }
        let mut spent: BTreeMap<Credit, usize> = BTreeMap::new();
        let mut spend = |credit: Option<Credit>| {
            if let Some(credit) = credit {
                *spent.entry(credit).or_default() += 1;
            }
        };
        let stages = self.wiring.stages.len();
        let levels = 0..self.wiring.levels();
        for event in self.flow.events.iter().flatten() {
            match *event {
                Event::Cell { link, position, ref cell } => {
                    levels.clone().for_each(|k| spend(self.spent_in(k, link.into(), position.into(), cell)));
                }
                Event::Level { link, end, lane } => spend(Some((link.into(), end.into(), lane as usize))),
                _ => {}
            }
        }
        for stage in 0..stages {
            let lanes = self.wiring.lanes_received(stage);
            for (index, buffer) in self.inputs[stage].iter().enumerate() {
                for cell in self.pool.cells(buffer) {
                    levels.clone().for_each(|k| spend(self.spent_in(k, stage, index / lanes, cell)));
                }
            }
            let lanes = self.wiring.lanes_sent(stage + 1);
            for (index, buffer) in self.outputs[stage].iter().enumerate() {
                // A cell has given the credit of the level of its stage back, or not yet taken it.
                let inner = levels.clone().filter(|&k| k != self.wiring.stages[stage].level);
                for (cell, k) in self.pool.cells(buffer).flat_map(|cell| inner.clone().map(move |k| (cell, k))) {
                    spend(self.spent_in(k, stage, index / lanes, cell));
                }
            }
        }
        for link in 1..=self.wiring.distribution {
            let (size, lanes) = (self.wiring.stages[stages - link].input, self.wiring.lanes_sent(link));
            for (index, &credits) in self.flow.level[link].iter().enumerate() {
                let away = spent.get(&(link, index / lanes, index % lanes)).copied().unwrap_or(0);
                ensure(away + usize::from(credits) == size, || {
                    let (level, end, lane) = (link - 1, index / lanes, index % lanes);
                    format!("level {level}, output {end}, lane {lane}: {credits} credits, {away} away of {size}")
                })?;
            }
        }
        Ok(())
    }

    /// The credit of a level that a cell at a position of a stage has spent, if it has: on the side
    /// of the inputs. Where the cell is tells over which sub-network of the level it came.
    fn spent_in(&self, level: usize, stage: usize, position: usize, cell: &Packet) -> Option<Credit> {
        let wiring = &self.wiring;
        let own = wiring.stages[stage];
        let exit = wiring.stages.len() - 1 - level;
        if stage <= level || stage > exit {
            return None;
        }
        let network = position / own.radix / wiring.elements_within(own.level);
        let path = if stage == exit { network * own.radix + position % own.radix } else { network };
        // Sub-networks of the next level, whatever the level of the stage.
        let inner = path / (wiring.product(own.level.max(level + 1)) / wiring.product(level + 1));
        let (radix, within) = (wiring.stages[level].radix, wiring.elements_within(level));
        let entry = inner / radix * within + usize::from(cell.source) / wiring.product(level + 1);
        Some((level + 1, entry * radix + inner % radix, self.lane_sent(level + 1, cell)))
    }
}
