//! Transfers: cells move inside elements, from input to output buffers.

use super::General;
use super::settings::{Distribution, Merge, Numbers};
use super::state::{At, Packet};
use super::topology::Role;
use super::turns::{first_from, members};
use crate::cell::Slot;

impl General {
    /// Transfers the cells of a stage: elements and lanes ascending.
    pub(super) fn transfer(&mut self, now: Slot, stage: usize) {
        let own = self.core.topology.stage[stage];
        for element in 0..self.core.topology.ports / own.radix {
            let mut next = 0;
            while let Some(lane) = self.active[stage].from(element, next) {
                let at = At { stage, element, lane };
                next = lane + 1;
                match own.role {
                    Role::Distribute if self.core.settings.distribute_first => self.distribute_each(now, at),
                    Role::Distribute => self.distribute_all(now, at),
                    Role::Resequence if self.core.settings.distribute_first => self.resequence_parts(now, at),
                    Role::Resequence => self.resequence_all(now, at),
                    Role::Merge => self.route_all(now, at),
                    Role::Through => self.pass_all(now, at),
                }
                let filled = self.filled(at) != 0;
                self.active[stage].set(element, lane, filled);
            }
        }
    }

    /// Whether an output buffer of an element has room for a cell of a lane, from an input port.
    pub(super) fn has_room(&self, at: At, output: usize, lane: usize, port: usize) -> bool {
        let own = self.core.topology.stage[at.stage];
        let end = at.element * own.radix + output;
        let cells = if self.core.settings.per_link {
            self.at_end[at.stage + 1][end]
        } else {
            self.outputs[at.stage][self.output_index(at.stage, end, lane, port)].length
        };
        (cells as usize) < own.output
    }

    /// A cell enters an output buffer.
    fn put(&mut self, at: At, output: usize, port: usize, cell: Packet) {
        let (link, priorities) = (at.stage + 1, self.core.topology.priorities);
        let end = at.element * self.core.topology.stage[at.stage].radix + output;
        let lane = self.core.topology.lane_sent(link, &cell);
        let index = self.output_index(at.stage, end, lane, port);
        self.pool.push(&mut self.outputs[at.stage][index], cell);
        self.at_end[link][end] += 1;
        let groups = self.core.topology.link[link].sent;
        self.waiting[link].set(end * priorities + lane / groups, lane % groups, true);
        self.core.counts.moved = true;
    }

    /// The outputs whose buffer of a lane is full.
    fn full(&self, at: At, port: usize) -> u32 {
        let radix = self.core.topology.stage[at.stage].radix;
        (0..radix).fold(0, |set, output| set | u32::from(!self.has_room(at, output, at.lane, port)) << output)
    }

    /// All outputs of an element.
    fn all_outputs(&self, at: At) -> u32 {
        u32::MAX >> (32 - self.core.topology.stage[at.stage].radix)
    }

    /// The outputs that the rule of distribution allows a cell without output buffers.
    pub(super) fn allowed(&self, at: At) -> u32 {
        let state = self.lanes[at.stage][self.lane_index(at, 0)];
        match self.core.settings.distribution {
            Some(Distribution::RoundRobin) => 1 << state.pointer,
            Some(Distribution::Random | Distribution::Adaptive) | None => self.all_outputs(at),
            Some(_) => self.all_outputs(at) & !state.round,
        }
    }

    /// The output of the next cell of a lane, or of one of its input ports. None if it has to wait.
    fn spread(&mut self, at: At, port: usize) -> Option<usize> {
        let state = self.lanes[at.stage][self.lane_index(at, port)];
        if self.core.settings.distribution == Some(Distribution::RoundRobin) {
            let output = state.pointer.into();
            return self.has_room(at, output, at.lane, port).then_some(output);
        }
        let (full, all) = (self.full(at, port), self.all_outputs(at));
        let (link, first) = (at.stage + 1, at.element * self.core.topology.stage[at.stage].radix);
        let fewest = all & !state.round;
        let least_ready = |outputs| members(outputs).min_by_key(|output| self.ready(link, first + output));
        let output = match self.core.settings.distribution? {
            Distribution::Random if full == all => return None,
            Distribution::Random => self.rng.below(all.count_ones() as usize),
            Distribution::Adaptive => least_ready(all & !full)?,
            _ if fewest & !full == 0 => return None,
            Distribution::ImbalanceCount => least_ready(fewest)?,
            _ => members(fewest).nth(self.rng.below(fewest.count_ones() as usize))?,
        };
        (full >> output & 1 == 0).then_some(output)
    }

    /// The input port that is next where input buffers are merged.
    pub(super) fn merge(&mut self, filled: u32, turn: usize) -> Option<usize> {
        match &self.core.settings.merge {
            Merge::Turns(_) => first_from(filled, turn),
            Merge::Random if filled.count_ones() > 1 => {
                members(filled).nth(self.rng.below(filled.count_ones() as usize))
            }
            Merge::Random | Merge::Fixed => members(filled).next(),
        }
    }

    /// The same, as far as it is known without a draw: else the lowest.
    pub(super) fn likely(&self, filled: u32, turn: usize) -> Option<usize> {
        first_from(filled, if matches!(self.core.settings.merge, Merge::Turns(_)) { turn } else { 0 })
    }

    /// An input port was merged.
    pub(super) fn merged(&mut self, at: At, part: usize, port: usize) {
        let radix = self.core.topology.stage[at.stage].radix;
        let index = self.lane_index(at, part);
        if let Merge::Turns(weights) = &self.core.settings.merge {
            self.lanes[at.stage][index].merge.served(weights, port, radix);
        }
    }

    /// A cell was distributed to an output: it is numbered, and counted.
    pub(super) fn distributed(&mut self, at: At, part: usize, output: usize, cell: &mut Packet) {
        let own = self.core.topology.stage[at.stage];
        let (all, numbered) = (self.all_outputs(at), self.core.settings.numbers() == Numbers::Stages);
        let state = self.lane(at, part);
        if numbered {
            cell.numbers[own.level] = state.number;
        }
        state.number = state.number.wrapping_add(1);
        state.pointer = ((output + 1) % own.radix) as u8;
        state.round |= 1 << output;
        if state.round == all {
            state.round = 0;
        }
    }

    fn distribute_all(&mut self, now: Slot, at: At) {
        if self.core.topology.stage[at.stage].output == 0 {
            return;
        }
        loop {
            let (filled, turn) = (self.filled(at), self.lane(at, 0).merge.at.into());
            if filled == 0 {
                return;
            }
            let chosen = if self.core.settings.hashes() {
                let port = self.merge(filled, turn).expect("there is a cell");
                let output =
                    self.pool.head(self.input(at, port)).map(|cell| self.core.topology.hash(self.key, at.stage, cell));
                output.filter(|&output| self.has_room(at, output, at.lane, port)).map(|output| (port, output))
            } else {
                let output = self.spread(at, 0);
                output.and_then(|output| Some((self.merge(filled, turn)?, output)))
            };
            let Some((port, output)) = chosen else { return };
            let mut cell = self.dequeue(now, at, port, |_| true);
            self.merged(at, 0, port);
            self.distributed(at, 0, output, &mut cell);
            self.put(at, output, port, cell);
        }
    }

    /// Distribution before merging: input ports one by one.
    fn distribute_each(&mut self, now: Slot, at: At) {
        for port in 0..self.core.topology.stage[at.stage].radix {
            while !self.input(at, port).is_empty() {
                let Some(output) = self.spread(at, port) else { break };
                let mut cell = self.dequeue(now, at, port, |_| true);
                self.distributed(at, port, output, &mut cell);
                self.put(at, output, port, cell);
            }
        }
    }

    /// The output of a cell in a routing element.
    pub(super) fn output_of(&self, stage: usize, cell: &Packet) -> usize {
        self.core.topology.digit(cell.destination.into(), self.core.topology.stage[stage].level)
    }

    /// Whether a cell in a routing element has room in its output buffer.
    fn is_free(&self, at: At, cell: &Packet) -> bool {
        self.has_room(at, self.output_of(at.stage, cell), self.core.topology.lane_sent(at.stage + 1, cell), 0)
    }

    /// The input port whose head-of-line cell has the next number.
    pub(super) fn in_sequence(&self, at: At) -> Option<usize> {
        let own = self.core.topology.stage[at.stage];
        let expected = self.lanes[at.stage][self.lane_index(at, 0)].number;
        let is_next = |port: &usize| {
            self.pool.head(self.input(at, *port)).is_some_and(|cell| cell.numbers[own.level] == expected)
        };
        (0..own.radix).find(is_next)
    }

    fn resequence_all(&mut self, now: Slot, at: At) {
        let direct = self.core.topology.stage[at.stage].output == 0;
        let waits = loop {
            if self.core.settings.loss > 0.0 {
                self.give_up(now, at);
            }
            let Some(port) = self.in_sequence(at) else { break true };
            if direct || !self.pool.head(self.input(at, port)).is_some_and(|cell| self.is_free(at, cell)) {
                break false;
            }
            self.take_next(now, at, port, 0);
        };
        let radix = self.core.topology.stage[at.stage].radix;
        let held = if waits { (0..radix).map(|port| self.input(at, port).length).sum() } else { 0 };
        self.hold(at, 0, held);
    }

    /// Counts the cells of a lane that wait for a predecessor.
    fn hold(&mut self, at: At, part: usize, held: u32) {
        let before = core::mem::replace(&mut self.lane(at, part).held, held);
        self.core.counts.held = self.core.counts.held + u64::from(held) - u64::from(before);
    }

    /// Takes the cell that is next in sequence of a part from an input port to its output buffer.
    fn take_next(&mut self, now: Slot, at: At, port: usize, part: usize) {
        let level = self.core.topology.stage[at.stage].level;
        let state = self.lane(at, part);
        let expected = state.number;
        state.number = expected.wrapping_add(1);
        state.since = now;
        // With several parts, cells of different parts may have the same number.
        let (product, parts) =
            (self.core.topology.product(level), self.core.settings.states(&self.core.topology, at.stage));
        let is_next = |cell: &Packet| {
            cell.numbers[level] == expected && (parts == 1 || usize::from(cell.source) / product % parts == part)
        };
        let cell = self.dequeue(now, at, port, is_next);
        self.put(at, self.output_of(at.stage, &cell), port, cell);
    }

    /// Splitting before resequencing: of each part, the first cell in each input buffer may be
    /// taken.
    fn resequence_parts(&mut self, now: Slot, at: At) {
        let own = self.core.topology.stage[at.stage];
        for part in 0..own.radix {
            let of_part = |cell: &&Packet| self.core.topology.digit(cell.source.into(), own.level) == part;
            let cells: usize =
                (0..own.radix).map(|port| self.pool.cells(self.input(at, port)).filter(of_part).count()).sum();
            let mut left = cells as u32;
            let mut waits = left > 0;
            while left > 0 {
                let expected = self.lanes[at.stage][self.lane_index(at, part)].number;
                let of_part = |cell: &&Packet| self.core.topology.digit(cell.source.into(), own.level) == part;
                let first = |port: usize| self.pool.cells(self.input(at, port)).find(of_part);
                let is_next = |port: &usize| first(*port).is_some_and(|cell| cell.numbers[own.level] == expected);
                let Some(port) = (0..own.radix).find(is_next) else { break };
                if !first(port).is_some_and(|cell| self.is_free(at, cell)) {
                    waits = false;
                    break;
                }
                self.take_next(now, at, port, part);
                left -= 1;
            }
            self.hold(at, part, if waits { left } else { 0 });
        }
    }

    /// Robust resequencing: late cells are dropped, and a cell that is lost is no longer expected.
    fn give_up(&mut self, now: Slot, at: At) {
        let own = self.core.topology.stage[at.stage];
        let number = |fabric: &Self, port: usize| {
            let cell = fabric.pool.head(fabric.input(at, port))?;
            Some(cell.numbers[own.level])
        };
        let state = *self.lane(at, 0);
        for port in 0..own.radix {
            while number(self, port).is_some_and(|number| number.wrapping_sub(state.number) > u32::MAX / 2) {
                let cell = self.dequeue(now, at, port, |_| true);
                self.drop_cell(now, &cell);
                self.core.counts.inside[at.stage] -= 1;
                self.core.counts.late += 1;
            }
        }
        let heads = (0..own.radix).filter_map(|port| number(self, port));
        let ahead = heads.clone().map(|number| number.wrapping_sub(state.number)).min();
        let complete = heads.count() == own.radix;
        let patient = now - state.since < self.core.settings.patience;
        if let Some(ahead) = ahead.filter(|&ahead| ahead > 0 && (complete || !patient)) {
            self.lane(at, 0).number = state.number.wrapping_add(ahead);
        }
    }

    /// Merges and routes, without resequencing.
    fn route_all(&mut self, now: Slot, at: At) {
        if self.core.topology.stage[at.stage].output == 0 {
            return;
        }
        loop {
            let (filled, turn) = (self.filled(at), self.lane(at, 0).merge.at.into());
            // A lane that is not split has one output buffer. If that is full, no cell is chosen.
            let same_for_all = !self.core.topology.split && !self.core.settings.per_link;
            if same_for_all && !self.head_is_free(at, members(filled).next()) {
                return;
            }
            let port = self.merge(filled, turn);
            let Some(port) = port.filter(|&port| self.head_is_free(at, Some(port))) else { return };
            let cell = self.dequeue(now, at, port, |_| true);
            self.merged(at, 0, port);
            self.put(at, self.output_of(at.stage, &cell), port, cell);
        }
    }

    /// Whether the head-of-line cell of an input port has room in its output buffer.
    fn head_is_free(&self, at: At, port: Option<usize>) -> bool {
        let head = port.and_then(|port| self.pool.head(self.input(at, port)));
        head.is_some_and(|cell| self.is_free(at, cell))
    }

    /// The one central stage: each input port has output buffers of its own.
    fn pass_all(&mut self, now: Slot, at: At) {
        let own = self.core.topology.stage[at.stage];
        for port in 0..own.radix {
            while own.output > 0 && self.head_is_free(at, Some(port)) {
                let cell = self.dequeue(now, at, port, |_| true);
                self.put(at, self.output_of(at.stage, &cell), port, cell);
            }
        }
    }
}
