//! Lean fabrics send so many cells at a time that all that is done with them finds them in the nearest cache.
//!
//! What can be said of all of them at once, from numbers that lie side by side, is worked out in vectors; what has to be looked up, in loops so short that many misses are under way at once.

use super::group::Group;
use super::links::{Active, Section};
use super::record::{Inner, Packed, Record};
use super::settings::LEAN;
use super::shape::{Routing, below, known};
use super::store::{Buffers, place, place_if_open};
use super::work::Todo;
use crate::cell::Slot;

/// Cells of a batch, at most.
pub(super) const CELLS: usize = 64;

/// A row of numbers, one for each cell.
type Row = [u32; CELLS];

/// Cells on their way from one stage to the next.
#[derive(Clone, Debug)]
pub(super) struct Batch {
    /// How many they are. What lies behind means nothing.
    pub(super) length: usize,
    /// Where each cell is sent: the position at the beginning of the link and, in the lower 16 bits, the group.
    pub(super) chosen: Row,
    /// Where the sender keeps the group, the place of its record, and which of the group's output buffers it is. Once the cells have left: where they would go on to,
    /// the place of the receiver's record, and what else the receiver needs to know.
    pub(super) from: Row,
    pub(super) place: Row,
    part: Row,
    /// Where the receiver keeps the group and, above [`PORT`], the input port.
    pub(super) to: Row,
    /// The cells: when they were born; number and source.
    pub(super) born: Row,
    pub(super) tag: Row,
}

/// What has to be known of a stage, and how many bits a cell's number has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) routing: Routing,
    pub(super) bits: u32,
}

/// Where the port begins in what is known of the end of a link.
pub(super) const PORT: u32 = 28;

/// The groups of all elements of a stage, if they are known before.
#[inline(always)]
pub(super) const fn size<const P: usize, const WORDS: usize>() -> usize {
    64 * WORDS * 64 * WORDS / P
}

/// The words of a stage, or a list for each port, with a length that the compiler knows if the number of ports is known before.
#[inline(always)]
pub(super) fn exactly<const WORDS: usize, T>(slice: &mut [T], length: usize) -> &mut [T] {
    if WORDS > 1 { &mut slice[..length] } else { slice }
}

impl Batch {
    /// No cells.
    pub(super) const EMPTY: Self = Self {
        length: 0,
        chosen: [0; CELLS],
        from: [0; CELLS],
        place: [0; CELLS],
        part: [0; CELLS],
        to: [0; CELLS],
        born: [0; CELLS],
        tag: [0; CELLS],
    };

    /// Finds out where the cells are that were chosen.
    #[inline(always)]
    fn locate<const P: usize>(&mut self, chosen: &[Active], routing: Routing, bits: u32) {
        self.length = chosen.len().min(CELLS);
        self.chosen[..self.length].copy_from_slice(&chosen[..self.length]);
        let digit = P.trailing_zeros();
        for ((&chosen, from), part) in self.chosen.iter().zip(&mut self.from).zip(&mut self.part) {
            let (inner, own) = routing.behind::<P>((chosen >> 16) as usize % P, (chosen & 0xffff) as usize);
            *from = (chosen >> (16 + digit)) << bits | inner as u32;
            *part = own as u32;
        }
    }

    /// The same. The kinds of stages by name: what is known of them need not be asked for each cell.
    #[inline(always)]
    pub(super) fn locate_by_kind<const P: usize>(&mut self, chosen: &[Active], routing: Routing, bits: u32) {
        if routing.distributes {
            self.locate::<P>(chosen, Routing { distributes: true, ..routing }, bits);
        } else if routing.split {
            self.locate::<P>(chosen, Routing { distributes: false, split: true, ..routing }, bits);
        } else {
            self.locate::<P>(chosen, Routing { distributes: false, split: false, ..routing }, bits);
        }
    }

    /// The cells are sent from a stage: brings them near, and their receivers' records, if there are receivers. `next` says for each position where its link ends.
    #[inline(never)]
    pub(super) fn fetch<const P: usize, const WORDS: usize>(
        &mut self,
        chosen: &[Active],
        routing: Routing,
        buffers: &Buffers<'_, P>,
        senders: &[u32],
        beyond: Option<(&[u32], &[u32])>,
    ) {
        let ports = known::<WORDS>(1 << buffers.bits);
        self.locate_by_kind::<P>(chosen, routing, ports.trailing_zeros());
        let length = self.length.min(CELLS);
        let senders = if WORDS > 1 { &senders[..size::<P, WORDS>()] } else { senders };
        let mut places = [0; CELLS];
        for (&from, own) in self.from[..length].iter().zip(&mut self.place) {
            *own = place(senders[below::<WORDS>(from as usize, size::<P, WORDS>())]) as u32;
        }
        if let Some((next, receivers)) = beyond {
            let receivers = if WORDS > 1 { &receivers[..size::<P, WORDS>()] } else { receivers };
            let next = if WORDS > 1 { &next[..64 * WORDS] } else { next };
            for (&chosen, to) in self.chosen[..length].iter().zip(&mut self.to) {
                *to = next[below::<WORDS>((chosen >> 16) as usize, 64 * WORDS)];
            }
            for (&chosen, to) in self.chosen.iter().zip(&mut self.to) {
                *to |= chosen & 0xffff;
            }
            for (&to, place) in self.to[..length].iter().zip(&mut places) {
                let at = (to & ((1 << PORT) - 1)) as usize;
                *place = place_if_open(receivers[below::<WORDS>(at, size::<P, WORDS>())]) as u32;
            }
        }
        let mut loaded = 0;
        for (&own, &beyond) in self.place[..length].iter().zip(&places) {
            loaded ^= buffers.records[own as usize].group.0 ^ buffers.records[beyond as usize].group.0;
        }
        core::hint::black_box(loaded);
    }

    /// The cells leave their output buffers, and groups that waited for that are tried again. `meanwhile` is called for each cell, here and below, to fetch what is needed later.
    #[inline(never)]
    pub(super) fn give<const P: usize, const WORDS: usize>(
        &mut self,
        now: Slot,
        buffers: &mut Buffers<'_, P>,
        senders: &mut [u32],
        todo: &mut Todo<'_>,
        mut meanwhile: impl FnMut(&[u32], usize),
    ) {
        let length = self.length.min(CELLS);
        let words = exactly::<WORDS, _>(senders, size::<P, WORDS>());
        let tries = exactly::<WORDS, _>(todo.list, 4 * 64 * WORDS);
        let mut count = todo.length;
        let senders = self.from[..length].iter().zip(&self.place).zip(&self.part);
        let cells = senders.zip(self.born.iter_mut().zip(&mut self.tag)).enumerate();
        for (i, (((&from, &place), &part), (born, tag))) in cells {
            meanwhile(words, i);
            let (at, own, part) =
                (below::<WORDS>(from as usize, size::<P, WORDS>()), place as usize, part as usize % P);
            let record = &buffers.records[own];
            let mut state = record.group;
            (*born, *tag) = record.sent(part);
            tries[below::<WORDS>(count, 4 * 64 * WORDS)] = (at as u32, place);
            count += usize::from(state.waits() >> part & 1 != 0);
            state.leave(part);
            state.touch(now);
            buffers.close_or_keep::<LEAN>(&mut words[at], own, state);
        }
        todo.length = count;
    }

    /// The receivers' groups get records, if they have none.
    #[inline(never)]
    fn place<const P: usize, const WORDS: usize>(
        &mut self,
        buffers: &mut Buffers<'_, P>,
        receivers: &mut [u32],
        mut meanwhile: impl FnMut(u32, usize),
    ) {
        let words = exactly::<WORDS, _>(receivers, size::<P, WORDS>());
        let length = self.length.min(CELLS);
        let cells = self.to[..length].iter().zip(&self.from).zip(&mut self.place).enumerate();
        for (i, ((&to, &on), place)) in cells {
            meanwhile(on, i);
            let at = (to & ((1 << PORT) - 1)) as usize;
            *place = buffers.prepare(&mut words[below::<WORDS>(at, size::<P, WORDS>())]) as u32;
        }
    }

    /// The cells come to input buffers, where they are merged in turns.
    #[inline(always)]
    pub(super) fn take<const P: usize, const WORDS: usize>(
        &mut self,
        now: Slot,
        buffers: &mut Buffers<'_, P>,
        receivers: &mut [u32],
        todo: &mut Todo<'_>,
        (placing, coming): (impl FnMut(u32, usize), impl FnMut(&[Record<P>], usize)),
    ) {
        self.place::<P, WORDS>(buffers, receivers, placing);
        self.come::<P, WORDS>(now, buffers.records, todo, coming);
    }

    #[inline(never)]
    fn come<const P: usize, const WORDS: usize>(
        &self,
        now: Slot,
        records: &mut [Record<P>],
        todo: &mut Todo<'_>,
        mut meanwhile: impl FnMut(&[Record<P>], usize),
    ) {
        let length = self.length.min(CELLS);
        let tries = exactly::<WORDS, _>(todo.list, 4 * 64 * WORDS);
        let mut count = todo.length;
        let receivers = self.to[..length].iter().zip(&self.place);
        for (i, (((&to, &place), &born), &tag)) in receivers.zip(&self.born).zip(&self.tag).enumerate() {
            meanwhile(records, i);
            let (at, port) = (to & ((1 << PORT) - 1), (to >> PORT) as usize % P);
            let record = &mut records[place as usize];
            let mut state = record.group;
            record.put(0, port, born, tag);
            // One that has a cell and waits for nothing is in the list already.
            let wanted = state.is_at_rest();
            state.come(port);
            state.touch(now);
            record.group = state;
            tries[below::<WORDS>(count, 4 * 64 * WORDS)] = (at, place);
            count += usize::from(wanted);
        }
        todo.length = count;
    }

    /// The cells come to a stage that puts them into order, and what is next goes on at once; see `passes`. Lists what does, in the first so many of `on`. How many do, and how many wait for one before them.
    #[inline(always)]
    pub(super) fn pass<const P: usize, const WORDS: usize>(
        &mut self,
        now: Slot,
        step: Step,
        buffers: &mut Buffers<'_, P>,
        receivers: &mut [u32],
        todo: &mut Todo<'_>,
        (placing, going): (impl FnMut(u32, usize), impl FnMut(&[Record<P>], usize)),
    ) -> (usize, u64) {
        self.prepare::<P, WORDS>(step, buffers.bits);
        self.place::<P, WORDS>(buffers, receivers, placing);
        self.go::<P, WORDS>(now, buffers.records, todo, going)
    }

    /// What is needed of each cell: input port, digit of its number and output buffer; and where it would go.
    #[inline(always)]
    fn prepare<const P: usize, const WORDS: usize>(&mut self, step: Step, bits: u32) {
        let bits = known::<WORDS>(1 << bits).trailing_zeros();
        let (low, ones) = (step.routing.low, P as u32 - 1);
        let cells = self.to.iter().zip(&self.tag).zip(self.part.iter_mut().zip(&mut self.from));
        for ((&to, &tag), (key, on)) in cells {
            let (digit, part) = (tag >> low & ones, tag >> (step.bits + low) & ones);
            *key = to >> PORT | digit << 4 | part << 8;
            let at = to & ((1 << PORT) - 1);
            let (element, group) = (at >> bits, at & ((1 << bits) - 1));
            let output = group >> low & ones;
            *on = (element * P as u32 + output) << 16 | group ^ ((output ^ part) << low);
        }
    }

    #[inline(never)]
    fn go<const P: usize, const WORDS: usize>(
        &mut self,
        now: Slot,
        records: &mut [Record<P>],
        todo: &mut Todo<'_>,
        mut meanwhile: impl FnMut(&[Record<P>], usize),
    ) -> (usize, u64) {
        let length = self.length.min(CELLS);
        let tries = exactly::<WORDS, _>(todo.list, 4 * 64 * WORDS);
        let (mut tried, mut count, mut held) = (todo.length, 0, 0);
        // Touched when it would have been tried, in the next slot, or in this one.
        let (late, soon) = (Group::stamp(now), Group::stamp(now.wrapping_add(1)));
        for i in 0..length {
            meanwhile(records, i);
            let (place, key) = (self.place[i], self.part[i] as usize);
            let (port, digit, part) = (key % P, (key >> 4) as u32 % P as u32, key >> 8 & (P - 1));
            let record = &mut records[place as usize];
            let mut state = record.group;
            // A group that waits for room does not wait for cells.
            let attentive = state.waits() == 0;
            let next = attentive & state.awaits(port, digit);
            let goes = next & (state.inputs() == 0) & (state.outputs() >> part & 1 == 0);
            record.put(usize::from(goes), if goes { part } else { port }, self.born[i], self.tag[i]);
            state.arrive::<P>(port, part, goes);
            state.set_stamp(if attentive { soon } else { late });
            record.group = state;
            // Who is next is attentive, and who goes is next.
            held += u64::from(attentive) - u64::from(next);
            tries[below::<WORDS>(tried, 4 * 64 * WORDS)] = (self.to[i] & ((1 << PORT) - 1), place);
            tried += usize::from(next) - usize::from(goes);
            // Those that have gone make way for those that go.
            (self.chosen[count % CELLS], self.from[count % CELLS]) = (self.chosen[i], self.from[i]);
            count += usize::from(goes);
        }
        todo.length = tried;
        (count, held)
    }

    /// The first so many cells have gone on: gives their credits back and tells the links out of the stage of them.
    #[inline(never)]
    pub(super) fn settle<const WORDS: usize>(
        &self,
        count: usize,
        (mut inlets, mut outlets): (Section<'_, WORDS>, Section<'_, WORDS>),
    ) {
        let (mut inlets, mut outlets) = (inlets.exact(), outlets.exact());
        for (&from, &on) in self.chosen.iter().zip(&self.from).take(count) {
            inlets.restore((from >> 16) as usize, (from & 0xffff) as usize);
            outlets.fill((on >> 16) as usize, (on & 0xffff) as usize);
        }
    }

    /// Cells from line cards: `next` says for each input where its link ends, `pop` takes a cell of an input for an output, born when and with which number and source.
    #[inline(always)]
    pub(super) fn load(&mut self, chosen: &[Active], next: &[u32], mut pop: impl FnMut(usize, usize) -> (u32, u32)) {
        self.length = chosen.len().min(CELLS);
        let cells = self.to.iter_mut().zip(self.born.iter_mut().zip(&mut self.tag));
        for (&chosen, (to, (born, tag))) in chosen[..self.length].iter().zip(cells) {
            let (input, output) = ((chosen >> 16) as usize, chosen & 0xffff);
            *to = next[input] | output;
            (*born, *tag) = pop(input, output as usize);
        }
    }

    /// The cells, each with the position that it comes from.
    pub(super) fn cells(&self, bits: u32) -> impl Iterator<Item = (usize, Inner)> + '_ {
        let cells = self.chosen[..self.length].iter().zip(self.born.iter().zip(&self.tag));
        cells.map(move |(&chosen, (&born, &tag))| {
            ((chosen >> 16) as usize, Packed(u64::from(born) | u64::from(tag) << 32).inner(bits))
        })
    }
}
