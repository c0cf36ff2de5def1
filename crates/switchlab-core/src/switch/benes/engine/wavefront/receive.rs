//! Cells are enqueued in a stage and transferred.

use super::block::{Block, CELLS, lines_of, parts, word};
use super::group_line::{GROUPS, GroupLine, flags};
use super::output_arbiters::Section;
use crate::cell::{Port, Slot};
use crate::prefetch::prefetch_l2;
use crate::switch::benes::element::group::Group;
use crate::switch::benes::element::record::{OpenPool, UnitBuffers, word_of};
use crate::switch::benes::element::transfer::{Listed, Moved, Stage, transfer};
use crate::switch::benes::links;
use crate::switch::benes::routing::{PORT, Routing, Target, exactly, known, masked};

/// Distance of the software prefetch, in groups or moves.
const PREFETCH: usize = 24;

/// A stage in which cells are enqueued and transferred.
pub(super) struct Receiver<'a, const P: usize, const WORDS: usize> {
    pub(super) routing: Routing,
    pub(super) number_bits: u32,
    pub(super) now: Slot,
    pub(super) lines: &'a mut [GroupLine],
    pub(super) pool: OpenPool<'a, UnitBuffers<P>>,
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
    /// The cells are enqueued in a stage, which resequences or distributes them. A cell that
    /// nothing stops passes to an output buffer at once, and `restore` returns its credit. It is
    /// stopped by other cells in the input buffers of its group, by a cell in its output buffer,
    /// and
    ///
    /// - where cells are resequenced, by not being next in sequence;
    /// - where they are distributed, by another cell of the block for the same group, since then
    ///   the order of their ports matters.
    ///
    /// `next` is the next block, whose lines are prefetched. Returns whether any cell passes, and
    /// how many wait for a predecessor.
    #[inline(always)]
    pub(super) fn receive<const P: usize, const WORDS: usize, const RESEQUENCES: bool>(
        &self,
        to: &mut Receiver<'_, P, WORDS>,
        next: &Self,
        mut restore: impl FnMut(u32),
    ) -> (bool, u64) {
        let length = self.length.min(CELLS);
        let bits = known::<WORDS>(to.outlets.pointers.len()).trailing_zeros();
        let routing = Routing { distributes: !RESEQUENCES, split: true, ..to.routing };
        let alone = if RESEQUENCES { [true; CELLS] } else { self.alone::<P>() };
        let (lines, mut outlets) = (exactly::<WORDS, _>(to.lines, lines_of::<P, WORDS>()), to.outlets.exact());
        let (now, next_slot) = (Group::stamp(to.now), Group::stamp(to.now.wrapping_add(1)));
        let (mut count, mut any, mut held) = (to.count, false, 0);
        for (i, &alone) in alone[..length].iter().enumerate() {
            next.prefetch_receiver::<P, WORDS>(i, lines);
            let (at, port) = parts::<P>(self.to[i]);
            let (element, group) = (at >> bits, at & ((1 << bits) - 1));
            let word = word::<P, WORDS>(lines, at);
            let (own, mut state) = to.pool.open_group(*word, 2 * P as u32);
            let record = &mut to.pool.records[own as usize];
            let flags = flags::<P>(*word);
            let (born, mut tag) = (self.born[i], self.tag[i]);
            let target = if RESEQUENCES {
                routing.target::<P>(group, (tag >> to.number_bits) as usize)
            } else {
                let output = state.pointer() % P;
                Target { output, part: output, at: group }
            };
            // A group that waits for room does not wait for cells.
            let waits_for_cell = state.waits() == 0;
            let is_next = waits_for_cell & (!RESEQUENCES | state.awaits(port, tag >> routing.low & (P as u32 - 1)));
            let is_free = (state.inputs() == 0) & (state.outputs() >> target.part & 1 == 0);
            // A branch, since most cells pass: without one it took 30 instructions more.
            if is_next & is_free & alone {
                if RESEQUENCES {
                    state.count::<P>(port);
                } else {
                    tag |= state.rank() << routing.low;
                    state.advance::<P>(port, target.part);
                }
                record.put(1, target.part, born, tag);
                state.fill_output(target.part);
                state.set_stamp(next_slot);
                *word = word_of(own, 2 * P as u32) | flags | 1 << target.part;
                outlets.wake(element * P + target.output, target.at, flags >> (P + target.part) & 1);
                restore(self.from[i]);
                any = true;
            } else {
                record.put(0, port, born, tag);
                // Where cells are distributed, a group that has a cell and does not wait for room
                // is listed already.
                let listed = is_next & (RESEQUENCES | (state.inputs() == 0));
                state.fill_input(port);
                // A cell that is not next in sequence: as if it had been tried in the next slot.
                state.set_stamp(if RESEQUENCES & waits_for_cell { next_slot } else { now });
                *word = word_of(own, 2 * P as u32) | flags;
                // `is_next` implies `waits_for_cell`: the difference is 0 or 1.
                held += u64::from(waits_for_cell) - u64::from(is_next);
                to.tries[count % CELLS] = (at as u32, own);
                count += usize::from(listed);
            }
            record.group = state;
        }
        next.prefetch_receivers::<P, WORDS>(length, lines);
        to.count = count;
        (any, held)
    }

    /// The same from another stage. There no cell waits for a credit that returns at once.
    #[inline(never)]
    pub(super) fn receive_from_stage<const P: usize, const WORDS: usize, const RESEQUENCES: bool>(
        &self,
        senders: &mut [GroupLine],
        to: &mut Receiver<'_, P, WORDS>,
        next: &Self,
    ) -> (bool, u64) {
        let senders = exactly::<WORDS, _>(senders, lines_of::<P, WORDS>());
        self.receive::<P, WORDS, RESEQUENCES>(to, next, |from| {
            let (from, part) = parts::<P>(from);
            *word::<P, WORDS>(senders, from) |= 1 << (P + part);
        })
    }

    /// Which cells are the only ones for their group.
    fn alone<const P: usize>(&self) -> [bool; CELLS] {
        let same = |i: usize, step: usize| (self.to[i] ^ self.to[i + step]) << (32 - PORT) == 0;
        // Cells for the same element lie side by side. It is seldom that two are for one group.
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
}

impl<const P: usize, const WORDS: usize> Receiver<'_, P, WORDS> {
    /// Transfers the cells of groups: those of `late`, or those that are listed here. `moved` has
    /// room for all cells that can move. Returns whether a cell has moved, and how many more wait
    /// for a predecessor now.
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
        let now = self.now.wrapping_add(1);
        let stage = Stage { routing: self.routing, numbered: true, number_bits: self.number_bits, now };
        let moves = transfer::<P, PREFETCH>(stage, groups, self.pool.records, moved);
        let (count, held) = (moves.count, moves.held);
        self.return_credits(&moved[..count], inlets);
        (count > 0, held)
    }

    /// Cells have moved: returns their credits to where the links to the stage begin, and updates
    /// the links out of it.
    #[inline(never)]
    fn return_credits(&mut self, moved: &[Moved], mut inlets: Inlets<'_, WORDS>) {
        let bits = known::<WORDS>(self.outlets.pointers.len()).trailing_zeros();
        for (i, own) in moved.iter().enumerate() {
            if let Some(later) = moved.get(i + PREFETCH) {
                let (element, group, port, _) = later.locate::<P>(self.routing, bits);
                inlets.prefetch::<P>(element * P + port, group);
            }
            let (element, group, port, target) = own.locate::<P>(self.routing, bits);
            let word = word::<P, WORDS>(self.lines, own.at());
            *word |= 1 << target.part;
            self.outlets.wake(element * P + target.output, target.at, *word >> (P + target.part) & 1);
            inlets.restore::<P>(element * P + port, group);
        }
    }
}

impl<const WORDS: usize> Inlets<'_, WORDS> {
    /// Prefetches the line that has the credits of a group for an input of the stage.
    #[inline(always)]
    fn prefetch<const P: usize>(&self, input: usize, group: usize) {
        if let Self::Stage(routing, previous, lines, _) = self {
            let (_, at, _) = behind::<P, WORDS>(*routing, previous, input, group);
            prefetch_l2(&lines[masked::<WORDS>(at / GROUPS, lines_of::<P, WORDS>())]);
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
    let end = usize::from(previous[masked::<WORDS>(input, 64 * WORDS)]);
    let (inner, part) = routing.behind::<P>(end % P, group);
    (end, (end / P) << bits | inner, part)
}
