//! Moves in the elements of a lean fabric: what `moves` does, without what need not be asked.
//!
//! Cells move first, and are listed; then, in a loop so short that many misses are under way at once, credits go back and the links out of the stage are told.

use super::ahead::is_far;
use super::group::Group;
use super::links::Section;
use super::record::Record;
use super::shape::{below, known};
use super::work::Listed;
use crate::cell::{Port, Slot};

/// A cell that has moved: its input position, its output position, and behind each, in the lower 16 bits, its group there.
pub(super) type Moved = (u32, u32);

/// Cells that can move in a stage of so many ports, at most: P of each group that is tried, which is one for each cell that has come or gone.
pub(super) const fn room<const P: usize>(ports: usize) -> usize {
    2 * P * ports
}

/// So many moves before it is needed, the word of a link out of the stage is fetched in a large fabric.
const AHEAD: usize = 24;

/// A stage in which cells are moved.
pub(super) struct Stage<'a, const P: usize, const WORDS: usize> {
    pub(super) records: &'a mut [Record<P>],
    /// Cells that have moved, and [`room`] for all that can move.
    pub(super) list: &'a mut [Moved],
    pub(super) count: usize,
    /// log2 N.
    pub(super) bits: u32,
    /// The bits of a cell's number, and where the digit of this stage begins in it.
    pub(super) number: u32,
    pub(super) low: u32,
    /// The slot.
    pub(super) now: Slot,
}

impl<const P: usize, const WORDS: usize> Stage<'_, P, WORDS> {
    /// The first position of an element, with a group.
    #[inline(always)]
    fn base(&self, at: u32) -> u32 {
        let bits = known::<WORDS>(1 << self.bits).trailing_zeros();
        (at >> bits) << (16 + P.trailing_zeros()) | at & ((1 << bits) - 1)
    }

    #[inline(always)]
    fn note(&mut self, input: u32, output: u32) {
        self.list[below::<WORDS>(self.count, room::<P>(64 * WORDS))] = (input, output);
        self.count += 1;
    }

    /// Merges the input buffers of each group in turns and distributes its cells in turns, until no cell or no room is left. A cell gets the number `digits` leaves of its rank.
    #[inline(never)]
    pub(super) fn distribute(mut self, groups: &[Listed], digits: u32) -> usize {
        let stamp = Group::stamp(self.now);
        for &(at, place) in groups {
            let base = self.base(at);
            let mut state = self.records[place as usize].group;
            let waits = loop {
                if state.inputs() == 0 {
                    break 0;
                }
                let output = state.pointer() % P;
                if state.outputs() >> output & 1 != 0 {
                    break 1 << output;
                }
                let port = state.turn() % P;
                let digit = state.rank() & digits;
                state.advance::<P>(port, output, (output + 1) % P);
                self.records[place as usize].shift(&mut state, (port, output), digit, self.low);
                self.note(base + ((port as u32) << 16), base + ((output as u32) << 16));
            };
            state.set_waits(waits, stamp);
            self.records[place as usize].group = state;
        }
        self.count
    }

    /// Takes the cells of each group in the order of their numbers, and splits the group. How many have moved, and how many more are held back by one before them now.
    #[inline(never)]
    pub(super) fn resequence(mut self, groups: &[Listed]) -> (usize, u64) {
        let (stamp, mut held) = (Group::stamp(self.now), 0u64);
        for &(at, place) in groups {
            let base = self.base(at);
            let output = at >> self.low & (P as u32 - 1);
            let mut state = self.records[place as usize].group;
            // A group that waits for no room is tried because of one cell that came, and the others are held.
            let before = if state.waits() == 0 { state.inputs().count_ones() - 1 } else { 0 };
            let (after, waits) = loop {
                let record = &mut self.records[place as usize];
                let Some(port) = state.bearer::<P>(record.numbers(), self.low) else {
                    break (state.inputs().count_ones(), 0);
                };
                let part = record.source(port % P, self.number) >> self.low & (P - 1);
                if state.outputs() >> part & 1 != 0 {
                    break (0, 1 << part);
                }
                record.shift(&mut state, (port % P, part), 0, self.low);
                state.count::<P>(port % P);
                let on = base ^ ((output ^ part as u32) << self.low);
                self.note(base + ((port as u32) << 16), on + (output << 16));
                if state.inputs() == 0 {
                    break (0, 0);
                }
            };
            held = held.wrapping_add(u64::from(after)).wrapping_sub(u64::from(before));
            state.set_waits(waits, stamp);
            self.records[place as usize].group = state;
        }
        (self.count, held)
    }
}

/// Cells have moved: their credits go back to where the links to the stage begin, and the links out of it are told.
#[inline(never)]
pub(super) fn settle<const WORDS: usize>(
    moved: &[Moved],
    previous: &[Port],
    (mut inlets, mut outlets): (Section<'_, WORDS>, Section<'_, WORDS>),
) {
    let (mut inlets, mut outlets) = (inlets.exact(), outlets.exact());
    let previous = if WORDS > 1 { &previous[..64 * WORDS] } else { previous };
    for (i, &(input, output)) in moved.iter().enumerate() {
        if is_far::<WORDS>(previous.len()) {
            // The links to the stage have sent, and are near.
            let (_, later) = moved[(i + AHEAD).min(moved.len() - 1)];
            outlets.fetch((later >> 16) as usize, (later & 0xffff) as usize);
        }
        let end = previous[below::<WORDS>((input >> 16) as usize, 64 * WORDS)];
        inlets.restore(usize::from(end), (input & 0xffff) as usize);
        outlets.fill((output >> 16) as usize, (output & 0xffff) as usize);
    }
}
