//! Cells come to a stage, and are transferred.

use super::block::{Block, CELLS, lines_of, parts, word};
use super::group_line::{GROUPS, GroupLine, flags};
use super::output_arbiters::Section;
use crate::cell::{Port, Slot};
use crate::prefetch::prefetch_l2;
use crate::switch::benes::element::group::Group;
use crate::switch::benes::element::record::{Places, word_of};
use crate::switch::benes::element::{Listed, MoveList, Moved, Stage, transfer};
use crate::switch::benes::links;
use crate::switch::benes::topology::{PORT, Routing, below, exactly, known};

/// Distance of the software prefetch, in groups or moves.
const PREFETCH: usize = 24;

/// A stage that cells come to, and in which they are transferred.
pub(super) struct Receiver<'a, const P: usize, const WORDS: usize> {
    pub(super) routing: Routing,
    pub(super) number_bits: u32,
    pub(super) now: Slot,
    pub(super) lines: &'a mut [GroupLine],
    pub(super) places: Places<'a, P>,
    pub(super) outlets: Section<'a, WORDS>,
    /// Groups to be tried, and their number.
    pub(super) tries: &'a mut [Listed; CELLS],
    pub(super) count: usize,
}

/// Where the links to a stage begin.
pub(super) enum Inlets<'a, const WORDS: usize> {
    LineCards(links::Section<'a, WORDS>),
    /// Of the stage before: its routing, by position where the link to it begins, its lines, and
    /// the arbiters.
    Stage(Routing, &'a [Port], &'a mut [GroupLine], Section<'a, WORDS>),
}

impl Block {
    /// The cells come to a distribution stage. A cell that finds its group empty, and the output
    /// buffer whose turn it is, goes there at once, and `restore` returns its credit. Not so if
    /// another cell comes to the group, since then the order of their ports matters. `next` is the
    /// next block, whose lines are prefetched. Returns whether any cell goes.
    #[inline(always)]
    pub(super) fn distribute<const P: usize, const WORDS: usize>(
        &self,
        to: &mut Receiver<'_, P, WORDS>,
        next: &Self,
        mut restore: impl FnMut(u32),
    ) -> bool {
        let length = self.length.min(CELLS);
        let (bits, low) = (known::<WORDS>(to.outlets.pointers.len()).trailing_zeros(), to.routing.low);
        let alone = self.alone::<P>();
        let (lines, mut outlets) = (exactly::<WORDS, _>(to.lines, lines_of::<P, WORDS>()), to.outlets.exact());
        let (came, tried) = (Group::stamp(to.now), Group::stamp(to.now.wrapping_add(1)));
        let (mut count, mut any) = (to.count, false);
        for (i, &alone) in alone[..length].iter().enumerate() {
            next.prefetch_receiver::<P, WORDS>(i, lines);
            let (at, port) = parts::<P>(self.to[i]);
            let word = word::<P, WORDS>(lines, at);
            let (own, mut state) = to.places.open_group(*word, 2 * P as u32);
            let record = &mut to.places.records[own as usize];
            let output = state.pointer() % P;
            let flags = flags::<P>(*word);
            // A branch, since nearly all cells go.
            if state.is_at_rest() & alone & (state.outputs() >> output & 1 == 0) {
                record.put(1, output, self.born[i], self.tag[i] | state.rank() << low);
                state.advance::<P>(port, output, (output + 1) % P);
                state.fill(output);
                state.set_stamp(tried);
                record.group = state;
                *word = word_of(own, 2 * P as u32) | flags | 1 << output;
                outlets.wake((at >> bits) * P + output, at & ((1 << bits) - 1), flags >> (P + output) & 1);
                restore(self.from[i]);
                any = true;
            } else {
                record.put(0, port, self.born[i], self.tag[i]);
                // A group that has a cell and does not wait for room is listed already.
                to.tries[count % CELLS] = (at as u32, own);
                count += usize::from(state.is_at_rest());
                state.enqueue(port);
                state.set_stamp(came);
                record.group = state;
                *word = word_of(own, 2 * P as u32) | flags;
            }
        }
        next.prefetch_receivers::<P, WORDS>(length, lines);
        to.count = count;
        any
    }

    /// The same from another stage, where no cell waits for a credit that returns at once.
    #[inline(never)]
    pub(super) fn distribute_from_stage<const P: usize, const WORDS: usize>(
        &self,
        senders: &mut [GroupLine],
        to: &mut Receiver<'_, P, WORDS>,
        next: &Self,
    ) -> bool {
        let senders = exactly::<WORDS, _>(senders, lines_of::<P, WORDS>());
        self.distribute(to, next, |from| {
            let (from, part) = parts::<P>(from);
            *word::<P, WORDS>(senders, from) |= 1 << (P + part);
        })
    }

    /// Which cells come alone to their group.
    #[inline(always)]
    fn alone<const P: usize>(&self) -> [bool; CELLS] {
        let same = |i: usize, step: usize| (self.to[i] ^ self.to[i + step]) << (32 - PORT) == 0;
        // Cells for the same element lie side by side. It is seldom that two come to one group.
        let any = (1..P).fold(false, |any, step| any | (0..CELLS - step).fold(false, |any, i| any | same(i, step)));
        let mut alone = [true; CELLS];
        if any {
            for step in 1..P {
                for i in 0..CELLS - step {
                    alone[i] &= !same(i, step);
                    alone[i + step] &= !same(i, step);
                }
            }
        }
        alone
    }

    /// The cells come to a routing stage. A cell that is next in sequence, and finds the group's
    /// input buffers and its own output buffer empty, goes there at once. Returns whether any goes,
    /// and how many wait for one before them.
    #[inline(never)]
    pub(super) fn resequence<const P: usize, const WORDS: usize>(
        &self,
        senders: &mut [GroupLine],
        to: &mut Receiver<'_, P, WORDS>,
        next: &Self,
    ) -> (bool, u64) {
        let length = self.length.min(CELLS);
        let bits = known::<WORDS>(to.outlets.pointers.len()).trailing_zeros();
        let lines = exactly::<WORDS, _>(to.lines, lines_of::<P, WORDS>());
        let senders = exactly::<WORDS, _>(senders, lines_of::<P, WORDS>());
        let mut outlets = to.outlets.exact();
        let (came, tried) = (Group::stamp(to.now), Group::stamp(to.now.wrapping_add(1)));
        let (mut count, mut any, mut held) = (to.count, false, 0);
        let low = to.routing.low;
        for i in 0..length {
            next.prefetch_receiver::<P, WORDS>(i, lines);
            let (at, port) = parts::<P>(self.to[i]);
            let (tag, ones) = (self.tag[i], P as u32 - 1);
            let (digit, part) = (tag >> low & ones, (tag >> (to.number_bits + low) & ones) as usize);
            let own_word = word::<P, WORDS>(lines, at);
            let (own, mut state) = to.places.open_group(*own_word, 2 * P as u32);
            let record = &mut to.places.records[own as usize];
            // A group that waits for room does not wait for cells.
            let attentive = state.waits() == 0;
            let is_next = attentive & state.awaits(port, digit);
            let flags = flags::<P>(*own_word);
            // A branch, since most cells go: without one it took 30 instructions more.
            if is_next & (state.inputs() == 0) & (state.outputs() >> part & 1 == 0) {
                record.put(1, part, self.born[i], tag);
                state.count::<P>(port);
                state.fill(part);
                state.set_stamp(tried);
                record.group = state;
                *own_word = word_of(own, 2 * P as u32) | flags | 1 << part;
                let (output, group) = (at >> low & (P - 1), at & ((1 << bits) - 1));
                let on = group ^ ((output ^ part) << low);
                outlets.wake((at >> bits) * P + output, on, flags >> (P + part) & 1);
                // The credit is back where it was taken, and no cell waits for it there.
                let (from, own_part) = parts::<P>(self.from[i]);
                *word::<P, WORDS>(senders, from) |= 1 << (P + own_part);
                any = true;
            } else {
                record.put(0, port, self.born[i], tag);
                state.enqueue(port);
                state.set_stamp(if attentive { tried } else { came });
                record.group = state;
                *own_word = word_of(own, 2 * P as u32) | flags;
                // `is_next` implies `attentive`: the difference is 0 or 1.
                held += u64::from(attentive) - u64::from(is_next);
                to.tries[count % CELLS] = (at as u32, own);
                count += usize::from(is_next);
            }
        }
        next.prefetch_receivers::<P, WORDS>(length, lines);
        to.count = count;
        (any, held)
    }
}

impl<const P: usize, const WORDS: usize> Receiver<'_, P, WORDS> {
    /// Transfers the cells of groups: those of `late`, or those that are listed here. `moved` has
    /// room for all cells that can move. Returns whether a cell has moved, and how many more wait
    /// for one before them now.
    #[inline(always)]
    pub(super) fn transfer(
        &mut self,
        late: Option<&[Listed]>,
        moved: &mut [Moved],
        inlets: Inlets<'_, WORDS>,
    ) -> (bool, u64) {
        let groups = late.unwrap_or(&self.tries[..self.count]);
        if groups.is_empty() {
            return (false, 0);
        }
        let mut element = MoveList::<PREFETCH> { list: moved, count: 0, held: 0 };
        let now = self.now.wrapping_add(1);
        let stage = Stage { routing: self.routing, numbered: true, number_bits: self.number_bits, now };
        transfer(stage, groups, self.places.records, &mut element);
        let MoveList { count, held, .. } = element;
        self.return_credits(&moved[..count], inlets);
        (count > 0, held)
    }

    /// Cells have moved: returns their credits to where the links to the stage begin, and updates
    /// the links out of it.
    #[inline(never)]
    fn return_credits(&mut self, moved: &[Moved], mut inlets: Inlets<'_, WORDS>) {
        let bits = known::<WORDS>(self.outlets.pointers.len()).trailing_zeros();
        let split = |(at, ports): Moved| {
            let (first, group) = ((at as usize >> bits) * P, at as usize & ((1 << bits) - 1));
            (first, group, ports as usize % P, ports as usize >> 4 & (P - 1))
        };
        for (i, &own) in moved.iter().enumerate() {
            if let Some(&later) = moved.get(i + PREFETCH) {
                let (first, group, port, _) = split(later);
                inlets.prefetch::<P>(first + port, group);
            }
            let (first, group, port, part) = split(own);
            let word = word::<P, WORDS>(self.lines, own.0 as usize);
            *word |= 1 << part;
            let fresh = *word >> (P + part) & 1;
            if self.routing.distributes {
                self.outlets.wake(first + part, group, fresh);
            } else {
                let target = self.routing.target::<P>(group, part << self.routing.low);
                self.outlets.wake(first + target.output, target.at, fresh);
            }
            inlets.restore::<P>(first + port, group);
        }
    }
}

impl<const WORDS: usize> Inlets<'_, WORDS> {
    /// Prefetches the line that has the credits of a group for an input of the stage.
    #[inline(always)]
    fn prefetch<const P: usize>(&self, input: usize, group: usize) {
        if let Self::Stage(routing, previous, lines, _) = self {
            let (_, at, _) = behind::<P, WORDS>(*routing, previous, input, group);
            prefetch_l2(&lines[below::<WORDS>(at / GROUPS, lines_of::<P, WORDS>())]);
        }
    }

    /// Returns a credit of a group for an input of the stage.
    #[inline(always)]
    fn restore<const P: usize>(&mut self, input: usize, group: usize) {
        match self {
            Self::LineCards(links) => links.restore(input, group),
            Self::Stage(routing, previous, lines, arbiters) => {
                let (end, at, part) = behind::<P, WORDS>(*routing, previous, input, group);
                let word = word::<P, WORDS>(lines, at);
                *word |= 1 << (P + part);
                arbiters.wake(end, group, *word >> part & 1);
            }
        }
    }
}

/// Where the link to an input begins, where a group is kept there, and its output buffer.
#[inline(always)]
fn behind<const P: usize, const WORDS: usize>(
    routing: Routing,
    previous: &[Port],
    input: usize,
    group: usize,
) -> (usize, usize, usize) {
    let bits = known::<WORDS>(previous.len()).trailing_zeros();
    let end = usize::from(previous[below::<WORDS>(input, 64 * WORDS)]);
    let (inner, part) = routing.behind::<P>(end % P, group);
    (end, (end / P) << bits | inner, part)
}
