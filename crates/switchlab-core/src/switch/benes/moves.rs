//! Moves inside the elements of a stage, from input to output buffers (section 3.2). They take no time of their own. A lean fabric needs them only where cells are merged without
//! order; see `lean_moves` for the rest.

use super::fabric::Flight;
use super::group::Group;
use super::links::Section;
use super::record::Record;
use super::settings::{Distribution, GENERAL, LEAN, Merge, Settings};
use super::shape::{Routing, below};
use super::store::Buffers;
use super::work::{Listed, Todo};
use crate::cell::{Port, Slot};
use crate::rng::{Rng, mix};
use alloc::vec::Vec;

/// A stage in which cells are moved.
pub(super) struct Moving<'a, const P: usize, const KIND: u8, const WORDS: usize> {
    pub(super) settings: &'a Settings,
    /// Whether cells are numbered for each level, and distributed in turns.
    pub(super) numbered: bool,
    pub(super) in_turns: bool,
    pub(super) now: Slot,
    pub(super) stage: usize,
    pub(super) routing: Routing,
    /// log2 N, and the bits of a cell's number.
    pub(super) bits: u32,
    pub(super) number_bits: u32,
    pub(super) buffers: Buffers<'a, P>,
    /// The links to the stage, and those out of it.
    pub(super) inlets: Section<'a, WORDS>,
    pub(super) outlets: Section<'a, WORDS>,
    /// By position: where the link to it begins.
    pub(super) previous: &'a [Port],
    pub(super) todo: Todo<'a>,
    /// Credits that take their time.
    pub(super) flights: Option<&'a mut Vec<Flight>>,
    pub(super) rng: &'a mut Rng,
    pub(super) key: u64,
    /// Cells of all stages that wait for one before them.
    pub(super) held: &'a mut u64,
    /// Whether a cell was moved.
    pub(super) moved: bool,
}

/// A group that is tried.
#[derive(Clone, Copy, Debug)]
struct Try {
    /// The position of the element's first input, and of its first output.
    first: usize,
    group: usize,
    /// Where its record is.
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

impl<const P: usize, const KIND: u8, const WORDS: usize> Moving<'_, P, KIND, WORDS> {
    const PLAIN: bool = KIND != GENERAL;
    const ALL: u8 = ((1u16 << P) - 1) as u8;

    /// Moves what can be moved of the groups, each until it can move no more.
    #[inline(always)]
    pub(super) fn try_all(&mut self, groups: &[Listed]) {
        // With fewer ports all of it is near.
        if self.previous.len() > 64 {
            self.fetch(groups);
        }
        if self.routing.distributes {
            self.try_each(groups, Self::distribute);
        } else if self.numbered {
            self.resequence_all(groups);
        } else {
            self.try_each(groups, Self::route);
        }
    }

    /// A function of its own: so it has what it needs in registers.
    #[inline(never)]
    fn resequence_all(&mut self, groups: &[Listed]) {
        self.try_each(groups, Self::resequence);
    }

    /// Brings the records into the cache, all at once: nothing here waits for anything else. What is loaded does not matter.
    #[inline(always)]
    fn fetch(&mut self, groups: &[Listed]) {
        let loaded =
            groups.iter().fold(0, |sum, &(_, place)| sum ^ self.buffers.records[place as usize].group.inputs());
        core::hint::black_box(loaded);
    }

    /// What is known of a group is in a register while it is tried.
    #[inline(always)]
    fn try_each(&mut self, groups: &[Listed], step: impl Fn(&mut Self, Try, &mut Group) -> Waits) {
        for &(at, place) in groups {
            let (element, group) = ((at >> self.bits) as usize, (at & ((1 << self.bits) - 1)) as usize);
            let mut state = self.buffers.records[place as usize].group;
            let waits = step(self, Try { first: element * P, group, place: place as usize }, &mut state);
            state.wait(if let Waits::Room(outputs) = waits { outputs } else { 0 }, self.now);
            self.buffers.records[place as usize].group = state;
            if KIND != LEAN && waits == Waits::Luck {
                self.todo.mark(at as usize, true);
            }
        }
    }

    #[inline(always)]
    fn per_link(&self) -> bool {
        !Self::PLAIN && self.settings.per_link
    }

    /// Merges the input buffers of a group and distributes its cells over the outputs.
    #[inline(always)]
    fn distribute(&mut self, it: Try, state: &mut Group) -> Waits {
        loop {
            let inputs = state.inputs();
            if inputs == 0 {
                return Waits::Cell;
            }
            let full = self.full(it, *state);
            let (port, output) = if !Self::PLAIN && self.settings.distribution == Some(Distribution::Hash) {
                let port = self.merge(*state, inputs);
                let source = self.record(it).source(port, self.number_bits);
                let output = hash(self.key, source, it.group, self.routing.low) % P;
                if full >> output & 1 != 0 {
                    return self.for_room_or_luck(inputs, output);
                }
                (port, output)
            } else {
                match self.choose(it, *state, full) {
                    Ok(output) => (self.merge(*state, inputs), output),
                    Err(waits) => return waits,
                }
            };
            // Modulo P: the cells of a round have the numbers 0 to P - 1, and each output gets one of them.
            let digit = if self.numbered { state.rank() } else { 0 };
            state.advance::<P>(port, output, (output + 1) % P);
            self.shift(it, state, (port, output), digit);
            self.outlets.fill(it.first + output, it.group);
        }
    }

    #[inline(always)]
    fn record(&self, it: Try) -> &Record<P> {
        &self.buffers.records[it.place]
    }

    /// The output buffers of a group in a distribution element that take no cell now.
    #[inline(always)]
    fn full(&mut self, it: Try, state: Group) -> u8 {
        if !self.per_link() {
            return state.outputs();
        }
        (0..P).map(|output| u8::from(!self.outlets.is_idle(it.first + output)) << output).sum()
    }

    /// The output of the next cell of a group, by a rule that does not look at the cell.
    #[inline(always)]
    fn choose(&mut self, it: Try, state: Group, full: u8) -> Result<usize, Waits> {
        // With backpressure per link any group may free a buffer.
        let per_link = self.per_link();
        let blocked = |outputs: u8| if per_link { Waits::Luck } else { Waits::Room(outputs) };
        if self.in_turns {
            let output = state.pointer() % P;
            return if full >> output & 1 == 0 { Ok(output) } else { Err(blocked(1 << output)) };
        }
        // Imbalance 1: the ports that have received the fewest cells of the group are those that lack one of this round.
        let fewest = Self::ALL & !state.round();
        if fewest & !full == 0 {
            return Err(blocked(fewest));
        }
        let output = if self.settings.distribution == Some(Distribution::RandomBalanced) {
            select(fewest, self.rng.below(fewest.count_ones() as usize)) % P
        } else {
            let mut best = (u16::MAX, 0);
            for output in 0..P {
                let ready = self.outlets.ready(it.first + output);
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
    fn merge(&mut self, state: Group, inputs: u8) -> usize {
        if Self::PLAIN || self.settings.merge == Merge::RoundRobin {
            return state.turn() % P;
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

    /// Moves the first cell of an input buffer to an output buffer, adds a digit to its number and gives the credit back.
    #[inline(always)]
    fn shift(&mut self, it: Try, state: &mut Group, (port, part): (usize, usize), digit: u32) {
        let record = &mut self.buffers.records[it.place];
        record.shift(state, (port, part), digit, self.routing.low);
        if KIND != LEAN {
            self.buffers.depths.follow(record, state, it.place, (port, part));
        }
        self.moved = true;
        let position = below::<WORDS>(it.first + port, 64 * WORDS);
        let end = usize::from(self.previous[position]);
        match &mut self.flights {
            Some(flights) if !Self::PLAIN => {
                *self.buffers.depths.returning(it.place, port) += 1;
                let stage = self.stage as u16;
                flights.push(Flight { stage, position: position as Port, group: it.group as Port });
            }
            _ if !Self::PLAIN && self.settings.per_link => *self.inlets.credits(end) += 1,
            _ => self.inlets.restore(end, it.group),
        }
    }

    /// Takes the cells of a group in the order of their numbers, and splits the group.
    #[inline(always)]
    fn resequence(&mut self, it: Try, state: &mut Group) -> Waits {
        let before = state.held();
        let (held, waits) = loop {
            let Some(port) = state.bearer::<P>(self.record(it).numbers(), self.routing.low) else {
                break (self.buffers.depths.waiting(*state, it.place), Waits::Cell);
            };
            // Groups are split, or cells could not be put into order.
            if let Some(waits) = self.forward(it, Routing { split: true, ..self.routing }, state, port % P) {
                break (0, waits);
            }
            state.count::<P>(port);
        };
        state.set_held(held);
        // All cells in the group's input buffers wait for one before them, or none.
        *self.held = *self.held + u64::from(held) - u64::from(before);
        waits
    }

    /// Merges the input buffers of a group and sends its cells on, in whatever order they come.
    #[inline(always)]
    fn route(&mut self, it: Try, state: &mut Group) -> Waits {
        loop {
            let inputs = state.inputs();
            if inputs == 0 {
                return Waits::Cell;
            }
            if !self.routing.split && !self.per_link() && state.outputs() != 0 {
                return Waits::Room(1);
            }
            let port = self.merge(*state, inputs);
            match self.forward(it, self.routing, state, port) {
                Some(Waits::Room(output)) => return self.for_room_or_luck(inputs, output.trailing_zeros() as usize),
                Some(waits) => return waits,
                None => state.merged::<P>(port),
            }
        }
    }

    /// Moves the first cell of an input buffer to its output buffer in a routing element, unless that is full.
    #[inline(always)]
    fn forward(&mut self, it: Try, routing: Routing, state: &mut Group, port: usize) -> Option<Waits> {
        let source = self.record(it).source(port, self.number_bits);
        let (output, beyond, part) = routing.split::<P>(it.group, source);
        if self.per_link() {
            if !self.outlets.is_idle(it.first + output) {
                return Some(Waits::Luck);
            }
        } else if state.outputs() >> part & 1 != 0 {
            return Some(Waits::Room(1 << part));
        }
        self.shift(it, state, (port, part), 0);
        self.outlets.fill(it.first + output, beyond);
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
