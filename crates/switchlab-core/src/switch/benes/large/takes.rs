//! Cells come to a stage.

use super::block::{Block, CELLS, PORT, exactly, parts, word};
use super::ends::Section;
use super::line::{Line, at_place, flags, open, place};
use super::pool::Places;
use crate::cell::Slot;
use crate::switch::benes::group::Group;
use crate::switch::benes::record::Record;
use crate::switch::benes::shape::{Routing, known};
use crate::switch::benes::work::Listed;

/// Room for the groups of a block that are to be tried.
pub(super) type Tries = [Listed; CELLS];

/// A stage that cells come to, and in which they move.
pub(super) struct Receiver<'a, const P: usize, const WORDS: usize> {
    pub(super) routing: Routing,
    /// The bits of a cell's number.
    pub(super) number: u32,
    pub(super) now: Slot,
    pub(super) lines: &'a mut [Line],
    pub(super) places: Places<'a, P>,
    pub(super) outlets: Section<'a, WORDS>,
    /// Groups that are listed to be tried.
    pub(super) count: usize,
}

impl Block {
    /// The cells come to a stage that distributes. One that finds nothing in its group, and has room in the output buffer whose turn it is, goes there at once, and its credit with `restore` back to
    /// where it was taken; unless another one comes to the group, since then it matters whose turn it is. Whether any goes.
    #[inline(always)]
    pub(super) fn spread<const P: usize, const WORDS: usize>(
        &mut self,
        to: &mut Receiver<'_, P, WORDS>,
        (next, tries): (&Self, &mut Tries),
        mut restore: impl FnMut(u32),
    ) -> bool {
        let length = self.length.min(CELLS);
        let bits = known::<WORDS>(to.outlets.pointers.len()).trailing_zeros();
        let alone = self.alone::<P>();
        let (lines, mut outlets) = (exactly::<P, WORDS>(to.lines), to.outlets.exact());
        let (late, soon) = (Group::stamp(to.now), Group::stamp(to.now.wrapping_add(1)));
        let (mut left, mut count, mut any, low) = (to.places.left, to.count, false, to.routing.low);
        for (i, &alone) in alone[..length].iter().enumerate() {
            next.fetch_receiver::<P, WORDS>(i, lines);
            let (at, port) = parts::<P>(self.to[i]);
            let word = word::<P, WORDS>(lines, at);
            let (own, mut state, taken) = open_group::<P>(*word, to.places.free[left - 1], to.places.records);
            left -= taken;
            let record = &mut to.places.records[own as usize];
            let output = state.pointer() % P;
            let flags = flags::<P>(*word);
            // Nearly all do.
            if state.is_at_rest() & alone & (state.outputs() >> output & 1 == 0) {
                record.put(1, output, self.born[i], self.tag[i] | state.rank() << low);
                state.advance::<P>(port, output, (output + 1) % P);
                state.fill(output);
                state.set_stamp(soon);
                record.group = state;
                *word = at_place::<P>(own) | flags | 1 << output;
                outlets.wake((at >> bits) * P + output, at & ((1 << bits) - 1), flags >> (P + output) & 1);
                restore(self.from[i]);
                any = true;
            } else {
                record.put(0, port, self.born[i], self.tag[i]);
                // One that has a cell and waits for nothing is in the list already.
                tries[count % CELLS] = (at as u32, own);
                count += usize::from(state.is_at_rest());
                state.come(port);
                state.set_stamp(late);
                record.group = state;
                *word = at_place::<P>(own) | flags;
            }
        }
        next.fetch_receivers::<P, WORDS>(length, lines);
        (to.places.left, to.count) = (left, count);
        any
    }

    /// The same from another stage, where no cell waits for a credit that is back at once.
    #[inline(never)]
    pub(super) fn spread_on<const P: usize, const WORDS: usize>(
        &mut self,
        senders: &mut [Line],
        to: &mut Receiver<'_, P, WORDS>,
        next: (&Self, &mut Tries),
    ) -> bool {
        let senders = exactly::<P, WORDS>(senders);
        self.spread(to, next, |from| {
            let (from, part) = parts::<P>(from);
            *word::<P, WORDS>(senders, from) |= 1 << (P + part);
        })
    }

    /// Which cells come alone to their group.
    #[inline(always)]
    fn alone<const P: usize>(&self) -> [bool; CELLS] {
        let same = |i: usize, step: usize| (self.to[i] ^ self.to[i + step]) << (32 - PORT) == 0;
        // Those that come to the same element lie side by side. It is seldom that any two come to the same group.
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

    /// The cells come to a stage that puts them into order. What is next, and finds the group's input buffers and its own output buffer empty, goes there at once. Whether any goes, and how many wait for one before them.
    #[inline(never)]
    pub(super) fn order<const P: usize, const WORDS: usize>(
        &mut self,
        senders: &mut [Line],
        to: &mut Receiver<'_, P, WORDS>,
        (next, tries): (&Self, &mut Tries),
    ) -> (bool, u64) {
        let length = self.length.min(CELLS);
        let bits = known::<WORDS>(to.outlets.pointers.len()).trailing_zeros();
        let (lines, senders) = (exactly::<P, WORDS>(to.lines), exactly::<P, WORDS>(senders));
        let mut outlets = to.outlets.exact();
        let (late, soon) = (Group::stamp(to.now), Group::stamp(to.now.wrapping_add(1)));
        let (mut left, mut count, mut any, mut held) = (to.places.left, to.count, false, 0);
        let (low, number) = (to.routing.low, to.number);
        for i in 0..length {
            next.fetch_receiver::<P, WORDS>(i, lines);
            let (at, port) = parts::<P>(self.to[i]);
            let (tag, ones) = (self.tag[i], P as u32 - 1);
            let (digit, part) = (tag >> low & ones, (tag >> (number + low) & ones) as usize);
            let own_word = word::<P, WORDS>(lines, at);
            let (own, mut state, taken) = open_group::<P>(*own_word, to.places.free[left - 1], to.places.records);
            left -= taken;
            let record = &mut to.places.records[own as usize];
            // A group that waits for room does not wait for cells.
            let attentive = state.waits() == 0;
            let next = attentive & state.awaits(port, digit);
            let flags = flags::<P>(*own_word);
            // Most do: to decide without a branch took 30 instructions more.
            if next & (state.inputs() == 0) & (state.outputs() >> part & 1 == 0) {
                record.put(1, part, self.born[i], tag);
                state.count::<P>(port);
                state.fill(part);
                state.set_stamp(soon);
                record.group = state;
                *own_word = at_place::<P>(own) | flags | 1 << part;
                let (output, group) = (at >> low & (P - 1), at & ((1 << bits) - 1));
                let on = group ^ ((output ^ part) << low);
                outlets.wake((at >> bits) * P + output, on, flags >> (P + part) & 1);
                // The credit is back where it was taken, and no cell waits for it there.
                let (from, own_part) = parts::<P>(self.from[i]);
                *word::<P, WORDS>(senders, from) |= 1 << (P + own_part);
                any = true;
            } else {
                record.put(0, port, self.born[i], tag);
                state.come(port);
                state.set_stamp(if attentive { soon } else { late });
                record.group = state;
                *own_word = at_place::<P>(own) | flags;
                // Who is next is attentive.
                held += u64::from(attentive) - u64::from(next);
                tries[count % CELLS] = (at as u32, own);
                count += usize::from(next);
            }
        }
        next.fetch_receivers::<P, WORDS>(length, lines);
        (to.places.left, to.count) = (left, count);
        (any, held)
    }
}

/// The place of a group, which gets a free one if it has none, what is known of it, and whether the free one is taken. No branch: nobody could predict it.
#[inline(always)]
fn open_group<const P: usize>(word: u32, free: u32, records: &[Record<P>]) -> (u32, Group, usize) {
    let open = open(word);
    let own = place::<P>(word) & open | free & !open;
    // Nothing is known of a group in a record that is free, so that there is nothing to choose.
    let group = Group(records[own as usize].group.0 | u64::from(place::<P>(word) & !open));
    (own, group, (!open & 1) as usize)
}
