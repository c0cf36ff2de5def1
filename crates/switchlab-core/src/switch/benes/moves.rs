//! Moves inside elements, from input to output buffers (section 3.2). They take no time of their own.

use super::fabric::{Fabric, Flight};
use super::store::{NOWHERE, Record};
use super::{Distribution, Merge, Numbers};
use crate::cell::{Port, Slot};
use crate::rng::mix;

/// A group that is tried.
#[derive(Clone, Copy, Debug)]
struct Try {
    stage: usize,
    /// The position of the element's first input, and of its first output.
    first: usize,
    group: usize,
    /// Where the element keeps the group, and its buffers.
    at: usize,
    place: usize,
}

/// Why a group moves no cell now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waits {
    /// For a cell.
    ForCell,
    /// For one of these output buffers to become empty.
    ForRoom(u8),
    /// Perhaps only until the next slot: what is decided may change by itself.
    ForLuck,
}

impl<const P: usize, const PLAIN: bool> Fabric<P, PLAIN> {
    const ALL: u8 = ((1u16 << P) - 1) as u8;

    /// Moves what can be moved in a stage: elements and groups ascending, each group until it can move no more.
    #[inline(always)]
    pub(super) fn move_cells(&mut self, now: Slot, stage: usize) {
        self.work.collect(stage * self.shape.elements()..(stage + 1) * self.shape.elements(), &mut self.tries);
        if self.tries.is_empty() {
            return;
        }
        let tries = core::mem::take(&mut self.tries);
        if stage < self.shape.distribution {
            self.try_all(now, stage, &tries, Self::distribute);
        } else if self.settings.numbers() == Numbers::Stages {
            self.try_all(now, stage, &tries, Self::resequence);
        } else {
            self.try_all(now, stage, &tries, Self::route);
        }
        self.tries = tries;
    }

    #[inline(always)]
    fn try_all(&mut self, now: Slot, stage: usize, tries: &[u32], step: impl Fn(&mut Self, Slot, Try) -> Waits) {
        let ports = self.shape.ports;
        let elements = stage * self.shape.elements();
        for &at in tries {
            let at = at as usize;
            let (row, group) = (at >> ports.trailing_zeros(), at & (ports - 1));
            let place = self.store.groups[at].place;
            // A group that is tried has a cell, and so a place.
            if place == NOWHERE {
                continue;
            }
            let place = place as usize;
            let first = (row - elements) * P;
            let waits = step(self, now, Try { stage, first, group, at, place });
            let record = &mut self.store.records[place];
            record.touched = now;
            record.waits = 0;
            match waits {
                Waits::ForRoom(outputs) => record.waits = outputs,
                Waits::ForLuck => self.work.add(row, group),
                Waits::ForCell => {}
            }
        }
    }

    /// Merges the input buffers of a group and distributes its cells over the outputs.
    #[inline(always)]
    fn distribute(&mut self, now: Slot, it: Try) -> Waits {
        loop {
            let inputs = self.record_of(it).inputs;
            if inputs == 0 {
                return Waits::ForCell;
            }
            let full = self.full(it);
            let (port, output) = if !PLAIN && self.settings.distribution == Some(Distribution::Hash) {
                let port = self.merge(it, inputs);
                let output = self.hash(it.stage, self.record_of(it).heads[port].source.into(), it.group);
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
            let numbers = self.settings.numbers() == Numbers::Stages;
            let low = self.shape.bits(it.stage);
            let state = &mut self.store.groups[it.at];
            // Modulo P: the cells of a round have the numbers 0 to P - 1, and each output gets one of them.
            let number = if numbers { (state.round.count_ones() as u16) << low } else { 0 };
            state.round |= 1 << output;
            if state.round == Self::ALL {
                state.round = 0;
            }
            state.pointer = ((output + 1) % P) as u8;
            self.shift(now, it, port, output, number);
            self.links.fill(self.links.first(it.stage + 1) + it.first + output, it.group);
        }
    }

    #[inline(always)]
    fn record_of(&self, it: Try) -> &Record<P> {
        &self.store.records[it.place]
    }

    /// The output buffers of a group in a distribution element that take no cell now.
    #[inline(always)]
    fn full(&self, it: Try) -> u8 {
        if !self.per_link() {
            return self.record_of(it).outputs;
        }
        let end = self.links.first(it.stage + 1) + it.first;
        (0..P).map(|output| u8::from(!self.links.is_idle(end + output)) << output).sum()
    }

    /// The output of the next cell of a group, by a rule that does not look at the cell.
    #[inline(always)]
    fn choose(&mut self, it: Try, full: u8) -> Result<usize, Waits> {
        let state = self.store.groups[it.at];
        // With backpressure per link any group may free a buffer.
        let blocked = |outputs: u8| if self.per_link() { Waits::ForLuck } else { Waits::ForRoom(outputs) };
        if self.settings.distribution == Some(Distribution::RoundRobin) {
            let output = usize::from(state.pointer) % P;
            return if full >> output & 1 == 0 { Ok(output) } else { Err(blocked(1 << output)) };
        }
        // Imbalance 1: the ports that have received the fewest cells of the group are those that lack one of this round.
        let fewest = Self::ALL & !state.round;
        if fewest & !full == 0 {
            return Err(blocked(fewest));
        }
        let output = if self.settings.distribution == Some(Distribution::RandomBalanced) {
            select(fewest, self.rng.below(fewest.count_ones() as usize))
        } else {
            let end = self.links.first(it.stage + 1) + it.first;
            let mut best = (u16::MAX, 0);
            for output in 0..P {
                let ready = self.links.ready(end + output);
                if fewest >> output & 1 != 0 && ready < best.0 {
                    best = (ready, output);
                }
            }
            best.1
        };
        if full >> output & 1 == 0 { Ok(output) } else { Err(Waits::ForLuck) }
    }

    /// The input buffer whose turn it is.
    #[inline(always)]
    fn merge(&mut self, it: Try, inputs: u8) -> usize {
        if PLAIN || self.settings.merge == Merge::RoundRobin {
            let above = inputs & (Self::ALL << self.store.groups[it.at].merge);
            return (if above != 0 { above } else { inputs }).trailing_zeros() as usize % P;
        }
        if self.settings.merge == Merge::Fixed || inputs.is_power_of_two() {
            return inputs.trailing_zeros() as usize % P;
        }
        select(inputs, self.rng.below(inputs.count_ones() as usize)) % P
    }

    /// The output of all cells of a flow in a stage.
    pub(super) fn hash(&self, stage: usize, source: usize, destination: usize) -> usize {
        let flow = (source as u64) << 16 | destination as u64;
        (mix(self.key ^ flow) >> self.shape.bits(stage)) as usize % P
    }

    /// A full output buffer, which another merging might have avoided.
    fn for_room_or_luck(&self, inputs: u8, output: usize) -> Waits {
        let draws = self.settings.merge == Merge::Random && !inputs.is_power_of_two();
        if draws || self.settings.per_link { Waits::ForLuck } else { Waits::ForRoom(1 << output) }
    }

    /// Moves the first cell of an input buffer to an output buffer, adds to its number and gives the credit back.
    #[inline(always)]
    fn shift(&mut self, now: Slot, it: Try, port: usize, part: usize, number: u16) {
        self.store.groups[it.at].merge = ((port + 1) % P) as u8;
        let mut cell = self.store.records[it.place].heads[port];
        cell.number |= number;
        let record = self.store.pop(it.place, port);
        record.outs[part % P] = cell;
        record.outputs |= 1 << part;
        self.counts.moved = true;
        let position = it.first + port;
        if PLAIN || self.settings.credit_delay == 0 {
            let from = self.shape.previous[it.stage * self.shape.ports + position];
            self.credits.push(((self.links.first(it.stage) + usize::from(from)) as u32, it.group as Port));
        } else {
            record.returning[port] += 1;
            let due = now as usize % self.settings.credit_delay;
            let flight = Flight { stage: it.stage as u16, position: position as Port, group: it.group as Port };
            self.flights[due].push(flight);
        }
    }

    /// Takes the cells of a group in the order of their numbers, and splits the group.
    #[inline(always)]
    fn resequence(&mut self, now: Slot, it: Try) -> Waits {
        let low = self.shape.bits(self.shape.level(it.stage));
        loop {
            let round = self.store.groups[it.at].round;
            let expected = round.count_ones() as u16;
            let record = &self.store.records[it.place];
            // Without a branch for each input: who bears the number, of all that are there.
            let mut bearers = 0;
            for (port, head) in record.heads.iter().enumerate() {
                bearers |= u8::from((head.number >> low) % P as u16 == expected) << port;
            }
            // An input that has had its cell of this round holds cells of later ones.
            bearers &= record.inputs & !round;
            if bearers == 0 {
                let held = record.counts.iter().map(|&count| u16::from(count)).sum();
                self.hold(it, held);
                return Waits::ForCell;
            }
            let port = bearers.trailing_zeros() as usize % P;
            if let Some(waits) = self.forward(now, it, port) {
                self.hold(it, 0);
                return waits;
            }
            let round = round | 1 << port;
            self.store.groups[it.at].round = if round == Self::ALL { 0 } else { round };
        }
    }

    /// Notes how many cells of a group wait for one before them.
    #[inline(always)]
    fn hold(&mut self, it: Try, held: u16) {
        let before = core::mem::replace(&mut self.store.records[it.place].held, held);
        self.counts.held = self.counts.held + u64::from(held) - u64::from(before);
    }

    /// Merges the input buffers of a group and sends its cells on, in whatever order they come.
    #[inline(always)]
    fn route(&mut self, now: Slot, it: Try) -> Waits {
        loop {
            let record = self.record_of(it);
            let inputs = record.inputs;
            if inputs == 0 {
                return Waits::ForCell;
            }
            if !self.shape.split && !self.per_link() && record.outputs != 0 {
                return Waits::ForRoom(1);
            }
            let port = self.merge(it, inputs);
            match self.forward(now, it, port) {
                Some(Waits::ForRoom(output)) => return self.for_room_or_luck(inputs, output.trailing_zeros() as usize),
                Some(waits) => return waits,
                None => {}
            }
        }
    }

    /// Moves the first cell of an input buffer to its output buffer in a routing element, unless that is full.
    #[inline(always)]
    fn forward(&mut self, now: Slot, it: Try, port: usize) -> Option<Waits> {
        let record = &self.store.records[it.place];
        let source = usize::from(record.heads[port].source);
        let (output, beyond, part) = self.shape.split(self.shape.level(it.stage), it.group, source);
        let end = self.links.first(it.stage + 1) + it.first + output;
        if self.per_link() {
            if !self.links.is_idle(end) {
                return Some(Waits::ForLuck);
            }
        } else if record.outputs >> part & 1 != 0 {
            return Some(Waits::ForRoom(1 << part));
        }
        self.shift(now, it, port, part, 0);
        self.links.fill(end, beyond);
        None
    }
}

/// The member of a small set with that rank.
fn select(set: u8, rank: usize) -> usize {
    let mut set = set;
    for _ in 0..rank {
        set &= set - 1;
    }
    set.trailing_zeros() as usize
}
