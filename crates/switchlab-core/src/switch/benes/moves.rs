//! Moves inside the elements of a stage, from input to output buffers (section 3.2). They take no time of their own.

use super::fabric::Flight;
use super::links::Section;
use super::settings::{Distribution, Merge, Settings};
use super::shape::Routing;
use super::store::{Buffers, Group, NOWHERE, clock};
use super::work::Todo;
use crate::cell::{Port, Slot};
use crate::rng::{Rng, mix};
use alloc::vec::Vec;

/// A stage in which cells are moved.
pub(super) struct Moving<'a, const P: usize, const PLAIN: bool> {
    pub(super) settings: &'a Settings,
    /// Whether cells are numbered for each level, and distributed in turns.
    pub(super) numbered: bool,
    pub(super) in_turns: bool,
    pub(super) now: Slot,
    pub(super) stage: usize,
    pub(super) routing: Routing,
    /// log2 N.
    pub(super) bits: u32,
    /// By element and group.
    pub(super) groups: &'a mut [Group],
    pub(super) buffers: Buffers<'a, P>,
    /// The links out of the stage.
    pub(super) links: Section<'a>,
    /// By position: where the link to it begins.
    pub(super) previous: &'a [Port],
    pub(super) todo: Todo<'a>,
    /// Credits that come back at once: the end and the group.
    pub(super) credits: &'a mut Vec<(Port, Port)>,
    /// Outputs that have got a cell: the end and the group.
    pub(super) fills: &'a mut Vec<(Port, Port)>,
    /// Credits that take their time.
    pub(super) flights: Option<&'a mut Vec<Flight>>,
    pub(super) rng: &'a mut Rng,
    pub(super) key: u64,
    /// Cells of all stages that wait for one before them.
    pub(super) held: &'a mut u64,
    /// Moves that were made.
    pub(super) moved: u64,
}

/// A group that is tried.
#[derive(Clone, Copy, Debug)]
struct Try {
    /// The position of the element's first input, and of its first output.
    first: usize,
    group: usize,
    /// Where the element keeps the group, and its buffers.
    at: usize,
    place: usize,
}

/// What a group waits for that moves no cell now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waits {
    /// A cell.
    Cell,
    /// One of these output buffers to become empty.
    Room(u8),
    /// Perhaps only the next slot: what is decided may change by itself.
    Luck,
}

impl<const P: usize, const PLAIN: bool> Moving<'_, P, PLAIN> {
    const ALL: u8 = ((1u16 << P) - 1) as u8;

    /// Moves what can be moved of the groups, each until it can move no more.
    #[inline(always)]
    pub(super) fn try_all(&mut self, groups: &[u32], distributes: bool) {
        if distributes {
            self.try_each(groups, Self::distribute);
        } else if self.numbered {
            self.try_each(groups, Self::resequence);
        } else {
            self.try_each(groups, Self::route);
        }
    }

    #[inline(always)]
    fn try_each(&mut self, groups: &[u32], step: impl Fn(&mut Self, Try) -> Waits) {
        // Brings the records into the cache, all at once: nothing here waits for anything else. What is loaded does not matter.
        let loaded = groups.iter().fold(0, |sum, &at| {
            let record = self.buffers.records.get(self.groups[at as usize].place as usize);
            sum ^ record.map_or(0, |record| record.heads[0].source)
        });
        core::hint::black_box(loaded);
        for &at in groups {
            let at = at as usize;
            let (element, group) = (at >> self.bits, at & ((1 << self.bits) - 1));
            let place = self.groups[at].place;
            // A group that is tried has a cell, and so a place.
            if place == NOWHERE {
                continue;
            }
            let waits = step(self, Try { first: element * P, group, at, place: place as usize });
            let state = &mut self.groups[at];
            state.touched = clock(self.now);
            state.waits = if let Waits::Room(outputs) = waits { outputs } else { 0 };
            if waits == Waits::Luck {
                self.todo.add(at, true);
            }
        }
        for &(end, group) in self.fills.iter() {
            self.links.fill(usize::from(end), usize::from(group));
        }
        self.fills.clear();
    }

    /// An output has a cell to send. Only who asks for what is ready, or for an idle link, has to know at once.
    #[inline(always)]
    fn fill(&mut self, end: usize, group: usize) {
        if PLAIN && (self.in_turns || !self.routing.distributes) {
            self.fills.push((end as Port, group as Port));
        } else {
            self.links.fill(end, group);
        }
    }

    #[inline(always)]
    fn per_link(&self) -> bool {
        !PLAIN && self.settings.per_link
    }

    /// Merges the input buffers of a group and distributes its cells over the outputs.
    #[inline(always)]
    fn distribute(&mut self, it: Try) -> Waits {
        loop {
            let inputs = self.groups[it.at].inputs;
            if inputs == 0 {
                return Waits::Cell;
            }
            let full = self.full(it);
            let (port, output) = if !PLAIN && self.settings.distribution == Some(Distribution::Hash) {
                let port = self.merge(it, inputs);
                let source = usize::from(self.buffers.records[it.place].heads[port].source);
                let output = hash(self.key, source, it.group, self.routing.low) % P;
                if full >> output & 1 != 0 {
                    return self.for_room_or_luck(inputs, output);
                }
                (port, output)
            } else {
                match self.choose(it, full) {
                    Ok(output) => (self.merge(it, inputs), output),
                    Err(waits) => return waits,
                }
            };
            let state = &mut self.groups[it.at];
            // Modulo P: the cells of a round have the numbers 0 to P - 1, and each output gets one of them.
            let number = if self.numbered { u16::from(state.rank) << self.routing.low } else { 0 };
            state.count(output, P);
            state.pointer = ((output + 1) % P) as u8;
            self.shift(it, port, output, number);
            self.fill(it.first + output, it.group);
        }
    }

    /// The output buffers of a group in a distribution element that take no cell now.
    #[inline(always)]
    fn full(&self, it: Try) -> u8 {
        if !self.per_link() {
            return self.groups[it.at].outputs;
        }
        (0..P).map(|output| u8::from(!self.links.is_idle(it.first + output)) << output).sum()
    }

    /// The output of the next cell of a group, by a rule that does not look at the cell.
    #[inline(always)]
    fn choose(&mut self, it: Try, full: u8) -> Result<usize, Waits> {
        let state = self.groups[it.at];
        // With backpressure per link any group may free a buffer.
        let per_link = self.per_link();
        let blocked = |outputs: u8| if per_link { Waits::Luck } else { Waits::Room(outputs) };
        if self.in_turns {
            let output = usize::from(state.pointer) % P;
            return if full >> output & 1 == 0 { Ok(output) } else { Err(blocked(1 << output)) };
        }
        // Imbalance 1: the ports that have received the fewest cells of the group are those that lack one of this round.
        let fewest = Self::ALL & !state.round;
        if fewest & !full == 0 {
            return Err(blocked(fewest));
        }
        let output = if self.settings.distribution == Some(Distribution::RandomBalanced) {
            select(fewest, self.rng.below(fewest.count_ones() as usize)) % P
        } else {
            let mut best = (u16::MAX, 0);
            for output in 0..P {
                let ready = self.links.ready(it.first + output);
                if fewest >> output & 1 != 0 && ready < best.0 {
                    best = (ready, output);
                }
            }
            best.1
        };
        if full >> output & 1 == 0 { Ok(output) } else { Err(Waits::Luck) }
    }

    /// The input buffer whose turn it is.
    #[inline(always)]
    fn merge(&mut self, it: Try, inputs: u8) -> usize {
        if PLAIN || self.settings.merge == Merge::RoundRobin {
            let above = inputs & (Self::ALL << self.groups[it.at].merge);
            return (if above != 0 { above } else { inputs }).trailing_zeros() as usize % P;
        }
        if self.settings.merge == Merge::Fixed || inputs.is_power_of_two() {
            return inputs.trailing_zeros() as usize % P;
        }
        select(inputs, self.rng.below(inputs.count_ones() as usize)) % P
    }

    /// A full output buffer, which another merging might have avoided.
    fn for_room_or_luck(&self, inputs: u8, output: usize) -> Waits {
        let draws = self.settings.merge == Merge::Random && !inputs.is_power_of_two();
        if draws || self.settings.per_link { Waits::Luck } else { Waits::Room(1 << output) }
    }

    /// Moves the first cell of an input buffer to an output buffer, adds to its number and gives the credit back.
    #[inline(always)]
    fn shift(&mut self, it: Try, port: usize, part: usize, number: u16) {
        let state = &mut self.groups[it.at];
        state.merge = ((port + 1) % P) as u8;
        self.buffers.shift(state, it.place, port, part, number);
        self.moved += 1;
        let position = it.first + port;
        match &mut self.flights {
            Some(flights) if !PLAIN => {
                *self.buffers.returning(it.place, port) += 1;
                let stage = self.stage as u16;
                flights.push(Flight { stage, position: position as Port, group: it.group as Port });
            }
            _ => self.credits.push((self.previous[position], it.group as Port)),
        }
    }

    /// Takes the cells of a group in the order of their numbers, and splits the group.
    #[inline(always)]
    fn resequence(&mut self, it: Try) -> Waits {
        loop {
            let Group { round, rank, inputs, .. } = self.groups[it.at];
            // An input that has had its cell of this round holds cells of later ones.
            let due = inputs & !round;
            if due == 0 {
                self.hold(it);
                return Waits::Cell;
            }
            let expected = u16::from(rank);
            let record = &self.buffers.records[it.place];
            // Without a branch for each input: who bears the number, of all that are there.
            let mut bearers = 0;
            for (port, head) in record.heads.iter().enumerate() {
                bearers |= u8::from((head.number >> self.routing.low) % P as u16 == expected) << port;
            }
            bearers &= due;
            if bearers == 0 {
                self.hold(it);
                return Waits::Cell;
            }
            let port = bearers.trailing_zeros() as usize % P;
            if let Some(waits) = self.forward(it, port) {
                self.held(it, 0);
                return waits;
            }
            self.groups[it.at].count(port, P);
        }
    }

    /// All cells in the input buffers of a group wait for one before them.
    #[inline(always)]
    fn hold(&mut self, it: Try) {
        let state = &self.groups[it.at];
        let waiting = if state.inputs == 0 { 0 } else { self.buffers.waiting(state) };
        self.held(it, waiting);
    }

    /// So many cells of a group wait for one before them.
    #[inline(always)]
    fn held(&mut self, it: Try, held: u16) {
        let before = core::mem::replace(&mut self.groups[it.at].held, held);
        *self.held = *self.held + u64::from(held) - u64::from(before);
    }

    /// Merges the input buffers of a group and sends its cells on, in whatever order they come.
    #[inline(always)]
    fn route(&mut self, it: Try) -> Waits {
        loop {
            let Group { inputs, outputs, .. } = self.groups[it.at];
            if inputs == 0 {
                return Waits::Cell;
            }
            if !self.routing.split && !self.per_link() && outputs != 0 {
                return Waits::Room(1);
            }
            let port = self.merge(it, inputs);
            match self.forward(it, port) {
                Some(Waits::Room(output)) => return self.for_room_or_luck(inputs, output.trailing_zeros() as usize),
                Some(waits) => return waits,
                None => {}
            }
        }
    }

    /// Moves the first cell of an input buffer to its output buffer in a routing element, unless that is full.
    #[inline(always)]
    fn forward(&mut self, it: Try, port: usize) -> Option<Waits> {
        let source = usize::from(self.buffers.records[it.place].heads[port].source);
        let (output, beyond, part) = self.routing.split::<P>(it.group, source);
        if self.per_link() {
            if !self.links.is_idle(it.first + output) {
                return Some(Waits::Luck);
            }
        } else if self.groups[it.at].outputs >> part & 1 != 0 {
            return Some(Waits::Room(1 << part));
        }
        self.shift(it, port, part, 0);
        self.fill(it.first + output, beyond);
        None
    }
}

/// The output of all cells of a flow in a distribution stage whose digit begins at `low`, modulo P.
pub(super) fn hash(key: u64, source: usize, destination: usize, low: u32) -> usize {
    (mix(key ^ ((source as u64) << 16 | destination as u64)) >> low) as usize
}

/// The member of a small set with that rank.
fn select(set: u8, rank: usize) -> usize {
    let mut set = set;
    for _ in 0..rank {
        set &= set - 1;
    }
    set.trailing_zeros() as usize
}
