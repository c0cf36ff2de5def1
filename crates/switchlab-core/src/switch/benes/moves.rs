//! Moves inside elements, from input to output buffers (section 3.2). They take no time of their own.

use super::fabric::Fabric;
use super::store::Inner;
use super::{Distribution, Merge, Numbers};
use crate::cell::Slot;
use crate::rng::mix;

/// Why a group moves no cell now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waits {
    /// Until a cell comes, or leaves one of its output buffers.
    ForEvent,
    /// Perhaps only until the next slot: what is decided may change by itself.
    ForLuck,
}

impl<const P: usize> Fabric<P> {
    const ALL: u8 = ((1u16 << P) - 1) as u8;

    /// Moves what can be moved in an element: groups ascending, each until it can move no more.
    #[inline(always)]
    pub(super) fn move_cells(&mut self, now: Slot, stage: usize, element: usize) {
        let row = stage * self.shape.elements() + element;
        let mut words = self.work.words(row);
        while words != 0 {
            let word = words.trailing_zeros() as usize;
            words &= words - 1;
            let mut groups = self.work.groups(row, word);
            while groups != 0 {
                let group = word * 64 + groups.trailing_zeros() as usize;
                groups &= groups - 1;
                let waits = if stage < self.shape.distribution {
                    self.distribute(now, stage, element, group)
                } else if self.settings.numbers() == Numbers::Stages {
                    self.resequence(now, stage, element, group)
                } else {
                    self.route(now, stage, element, group)
                };
                if waits == Waits::ForLuck {
                    self.work.add(row, group);
                }
            }
        }
    }

    /// Merges the input buffers of a group and distributes its cells over the outputs.
    fn distribute(&mut self, now: Slot, stage: usize, element: usize, group: usize) -> Waits {
        let at = self.at(stage, element, group);
        let Some(place) = self.place(at) else { return Waits::ForEvent };
        loop {
            let inputs = self.store.buffers[place].inputs;
            if inputs == 0 {
                return Waits::ForEvent;
            }
            let full = self.full(stage, element, place);
            let (port, output) = if self.settings.distribution == Some(Distribution::Hash) {
                let port = self.merge(at, inputs);
                let output = self.hash(stage, self.store.first(place, port).source as usize, group);
                if full >> output & 1 != 0 {
                    return self.unless_merging_changes(inputs);
                }
                (port, output)
            } else {
                match self.choose(stage, element, at, full) {
                    Ok(output) => (self.merge(at, inputs), output),
                    Err(waits) => return waits,
                }
            };
            let mut cell = self.store.first(place, port);
            let state = &mut self.store.groups[at];
            if self.settings.numbers() == Numbers::Stages {
                // Modulo P: the cells of a round have the numbers 0 to P - 1, and each output gets one of them.
                cell.number |= (state.round.count_ones() as u16) << self.shape.bits(stage);
            }
            state.round |= 1 << output;
            if state.round == Self::ALL {
                state.round = 0;
            }
            state.pointer = ((output + 1) % P) as u8;
            self.shift(now, stage, element, (group, place), port);
            self.store.put(place, output, cell);
            self.links.fill((stage + 1) * self.shape.ports + element * P + output, group);
        }
    }

    /// The output buffers of a group in a distribution element that take no cell now.
    #[inline(always)]
    fn full(&self, stage: usize, element: usize, place: usize) -> u8 {
        if !self.settings.per_link {
            return self.store.buffers[place].outputs;
        }
        let end = (stage + 1) * self.shape.ports + element * P;
        (0..P).map(|output| u8::from(!self.links.is_idle(end + output)) << output).sum()
    }

    /// The output of the next cell of a group, by a rule that does not look at the cell.
    #[inline(always)]
    fn choose(&mut self, stage: usize, element: usize, at: usize, full: u8) -> Result<usize, Waits> {
        // With backpressure per link any group may free a buffer.
        let blocked = if self.settings.per_link { Waits::ForLuck } else { Waits::ForEvent };
        let state = self.store.groups[at];
        let output = if self.settings.distribution == Some(Distribution::RoundRobin) {
            let output = state.pointer as usize;
            return if full >> output & 1 == 0 { Ok(output) } else { Err(blocked) };
        } else {
            // Imbalance 1: the ports that have received the fewest cells of the group are those that lack one of this round.
            let fewest = Self::ALL & !state.round;
            if fewest & !full == 0 {
                return Err(blocked);
            }
            if self.settings.distribution == Some(Distribution::RandomBalanced) {
                select(fewest, self.rng.below(fewest.count_ones() as usize))
            } else {
                let end = (stage + 1) * self.shape.ports + element * P;
                let mut best = (u16::MAX, 0);
                for output in 0..P {
                    let ready = self.links.ready(end + output);
                    if fewest >> output & 1 != 0 && ready < best.0 {
                        best = (ready, output);
                    }
                }
                best.1
            }
        };
        if full >> output & 1 == 0 { Ok(output) } else { Err(Waits::ForLuck) }
    }

    /// The input buffer whose turn it is.
    #[inline(always)]
    fn merge(&mut self, at: usize, inputs: u8) -> usize {
        match self.settings.merge {
            Merge::RoundRobin => {
                let above = inputs & (Self::ALL << self.store.groups[at].merge);
                (if above != 0 { above } else { inputs }).trailing_zeros() as usize
            }
            Merge::Fixed => inputs.trailing_zeros() as usize,
            Merge::Random if inputs.is_power_of_two() => inputs.trailing_zeros() as usize,
            Merge::Random => select(inputs, self.rng.below(inputs.count_ones() as usize)),
        }
    }

    /// The output of all cells of a flow in a stage.
    pub(super) fn hash(&self, stage: usize, source: usize, destination: usize) -> usize {
        let flow = (source as u64) << 16 | destination as u64;
        (mix(self.key ^ flow) >> self.shape.bits(stage)) as usize % P
    }

    fn unless_merging_changes(&self, inputs: u8) -> Waits {
        let draws = self.settings.merge == Merge::Random && !inputs.is_power_of_two();
        if draws || self.settings.per_link { Waits::ForLuck } else { Waits::ForEvent }
    }

    /// Takes the cell out of its input buffer and gives the credit back.
    #[inline(always)]
    fn shift(&mut self, now: Slot, stage: usize, element: usize, (group, place): (usize, usize), port: usize) {
        let at = self.at(stage, element, group);
        self.store.groups[at].merge = ((port + 1) % P) as u8;
        self.store.pop(place, port);
        self.store.buffers[place].touched = now;
        self.counts.moved = true;
        self.return_credit(now, stage, element * P + port, group, place);
    }

    /// Takes the cells of a group in the order of their numbers, and splits the group.
    fn resequence(&mut self, now: Slot, stage: usize, element: usize, group: usize) -> Waits {
        let at = self.at(stage, element, group);
        let Some(place) = self.place(at) else { return Waits::ForEvent };
        let level = self.shape.level(stage);
        let low = self.shape.bits(level);
        loop {
            let round = self.store.groups[at].round;
            let expected = round.count_ones() as usize;
            // An input that has had its cell of this round holds cells of later ones.
            let mut inputs = self.store.buffers[place].inputs & !round;
            while inputs != 0 {
                let number = self.store.first(place, inputs.trailing_zeros() as usize).number;
                if (number >> low) as usize % P == expected {
                    break;
                }
                inputs &= inputs - 1;
            }
            if inputs == 0 {
                let held = self.store.buffers[place].counts.iter().map(|&count| u16::from(count)).sum();
                self.hold(place, held);
                return Waits::ForEvent;
            }
            let port = inputs.trailing_zeros() as usize;
            let cell = self.store.first(place, port);
            if let Some(waits) = self.forward(now, stage, element, (group, place), port, cell) {
                self.hold(place, 0);
                return waits;
            }
            let round = round | 1 << port;
            self.store.groups[at].round = if round == Self::ALL { 0 } else { round };
        }
    }

    /// Notes how many cells of a group wait for one before them.
    #[inline(always)]
    fn hold(&mut self, place: usize, held: u16) {
        let before = core::mem::replace(&mut self.store.buffers[place].held, held);
        self.counts.held = self.counts.held + u64::from(held) - u64::from(before);
    }

    /// Merges the input buffers of a group and sends its cells on, in whatever order they come.
    fn route(&mut self, now: Slot, stage: usize, element: usize, group: usize) -> Waits {
        let at = self.at(stage, element, group);
        let Some(place) = self.place(at) else { return Waits::ForEvent };
        loop {
            let inputs = self.store.buffers[place].inputs;
            if inputs == 0 {
                return Waits::ForEvent;
            }
            if !self.shape.split && !self.settings.per_link && self.store.buffers[place].outputs != 0 {
                return Waits::ForEvent;
            }
            let port = self.merge(at, inputs);
            let cell = self.store.first(place, port);
            if self.forward(now, stage, element, (group, place), port, cell).is_some() {
                return self.unless_merging_changes(inputs);
            }
        }
    }

    /// Moves a cell to its output buffer in a routing element, unless that is full.
    #[inline(always)]
    fn forward(
        &mut self,
        now: Slot,
        stage: usize,
        element: usize,
        (group, place): (usize, usize),
        port: usize,
        cell: Inner,
    ) -> Option<Waits> {
        let (output, beyond, part) = self.shape.split(self.shape.level(stage), group, cell.source as usize);
        let end = (stage + 1) * self.shape.ports + element * P + output;
        if self.settings.per_link {
            if !self.links.is_idle(end) {
                return Some(Waits::ForLuck);
            }
        } else if self.store.buffers[place].outputs >> part & 1 != 0 {
            return Some(Waits::ForEvent);
        }
        self.shift(now, stage, element, (group, place), port);
        self.store.put(place, part, cell);
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
