//! Cells that are sent to some elements of the next stage, at most one to each input.

use super::ends::Section;
use super::line::{Frame, GROUPS, Line, at_place, flags, open, place, remembering};
use super::pool::Places;
use crate::cell::{Port, Slot};
use crate::fetch::fetch;
use crate::switch::benes::group::{Group, MEMORY};
use crate::switch::benes::record::Record;
use crate::switch::benes::shape::{Routing, below, known};
use crate::switch::benes::work::Listed;

/// Inputs of the next stage in a block: all of several elements.
pub(super) const CELLS: usize = 32;

/// Where a port or a part begins, above the place of a group in its stage.
pub(super) const PORT: u32 = 28;

/// A row of numbers, one for each cell.
type Row = [u32; CELLS];

/// Cells on their way from one stage to the next, in the order of the inputs that they come to.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// How many they are. What lies behind means nothing.
    pub(super) length: usize,
    /// Before a cell is chosen: the end; which 16 groups it looks at and, below them, which of these come first; where the receiver is, without the group. Then:
    ///
    /// Where the sender keeps the group and, above [`PORT`], which output buffer of the group it is; the place of its record.
    pub(super) from: Row,
    pub(super) place: Row,
    /// Where the receiver keeps the group and, above [`PORT`], the input port.
    pub(super) to: Row,
    /// The cells: when they were born; number and source.
    pub(super) born: Row,
    pub(super) tag: Row,
}

/// A word of a stage.
#[inline(always)]
pub(super) fn word<const P: usize, const WORDS: usize>(lines: &mut [Line], at: usize) -> &mut u32 {
    &mut lines[below::<WORDS>(at / GROUPS, size::<P, WORDS>())].0[at % GROUPS]
}

/// The lines of a stage, if they are known before.
#[inline(always)]
pub(super) const fn size<const P: usize, const WORDS: usize>() -> usize {
    64 * WORDS / P * 4 * WORDS
}

/// The lines of a stage, with a length that the compiler knows if the number of ports is known before.
#[inline(always)]
pub(super) fn exactly<const P: usize, const WORDS: usize>(lines: &mut [Line]) -> &mut [Line] {
    if WORDS > 0 { &mut lines[..size::<P, WORDS>()] } else { lines }
}

/// Where a group is kept, and the port or part above it.
#[inline(always)]
pub(super) fn parts<const P: usize>(at: u32) -> (usize, usize) {
    ((at & ((1 << PORT) - 1)) as usize, (at >> PORT) as usize % P)
}

impl Block {
    /// No cells.
    pub(super) const EMPTY: Self =
        Self { length: 0, from: [0; CELLS], place: [0; CELLS], to: [0; CELLS], born: [0; CELLS], tag: [0; CELLS] };

    /// Which ends of the links to some inputs, from `first` on, have something to send, and where they look for it. Brings the lines near. `lines` are those of their stage.
    #[inline(never)]
    pub(super) fn aim<const P: usize, const WORDS: usize, const DISTRIBUTES: bool>(
        &mut self,
        first: usize,
        (mut frame, previous): (Frame, &[Port]),
        ends: &mut Section<'_, WORDS>,
        lines: &[Line],
    ) {
        let ports = known::<WORDS>(previous.len());
        let (bits, row) = (ports.trailing_zeros(), ports / GROUPS);
        let ends = ends.exact();
        frame.distributes = DISTRIBUTES;
        let lines = if WORDS > 0 { &lines[..size::<P, WORDS>()] } else { lines };
        let mut count = 0;
        for (&end, input) in previous[first..][..CELLS].iter().zip(first as u32..) {
            self.to[count % CELLS] = (input / P as u32) << bits | (input % P as u32) << PORT;
            self.from[count % CELLS] = u32::from(end);
            count += usize::from(ends.is_active(usize::from(end)));
        }
        self.length = count;
        for (&end, look) in self.from.iter().zip(&mut self.place).take(count) {
            let end = end as usize;
            let (chunk, mask) = ends.look(end);
            let at = (end / P) * row + frame.line(chunk, end % P).0;
            fetch(&lines[below::<WORDS>(at, size::<P, WORDS>())]);
            *look = (chunk << 16) as u32 | mask;
        }
    }

    /// Each end sends from the first group at or after its pointer that has a cell and a credit; the lines show both until the cell leaves. Brings the records near.
    /// `KIND` is 0 for a distribution stage, and else one more than the bits of a digit within a chunk.
    #[inline(never)]
    pub(super) fn choose<const P: usize, const WORDS: usize, const KIND: u32>(
        &mut self,
        (mut frame, routing): (Frame, Routing),
        ends: &mut Section<'_, WORDS>,
        (senders, records): (&[Line], &[Record<P>]),
    ) {
        let mut ends = ends.exact();
        let ports = known::<WORDS>(ends.pointers.len());
        let (bits, row) = (ports.trailing_zeros(), ports / GROUPS);
        frame.distributes = KIND == 0;
        frame.within = KIND.saturating_sub(1);
        let routing = Routing { distributes: KIND == 0, split: true, ..routing };
        let senders = if WORDS > 0 { &senders[..size::<P, WORDS>()] } else { senders };
        let cells = self.from.iter_mut().zip(&mut self.place).zip(&mut self.to).take(self.length);
        for ((from, place_or_look), to) in cells {
            let (end, mut chunk) = (*from as usize, (*place_or_look >> 16) as usize);
            let (element, port) = (end / P, end % P);
            let (mut mask, mut eligible, mut first) = (*place_or_look & 0xffff, 0, 0);
            // Seldom twice.
            for _ in 0..2 {
                let (line, part) = frame.line(chunk, port);
                let line = &senders[below::<WORDS>(element * row + line, size::<P, WORDS>())];
                eligible = frame.eligible::<P>(line, port, part);
                first = eligible & mask;
                if first != 0 {
                    break;
                }
                (chunk, mask) = (ends.next(end), 0xffff);
            }
            let rank = first.trailing_zeros() as usize % GROUPS;
            let group = chunk * GROUPS + rank;
            ends.sent(end, group, eligible & !(1 << rank) == 0);
            let (inner, part) = routing.behind::<P>(port, group);
            let at = element << bits | inner;
            let own = place::<P>(senders[below::<WORDS>(at / GROUPS, size::<P, WORDS>())].0[at % GROUPS]);
            *from = (at | part << PORT) as u32;
            *place_or_look = own;
            *to |= group as u32;
            if let Some(record) = records.get(own as usize) {
                fetch(record);
            }
        }
    }

    /// Brings the receiver's line of a cell near. Behind the last cell it may be any line.
    #[inline(always)]
    pub(super) fn fetch_receiver<const P: usize, const WORDS: usize>(&self, i: usize, lines: &[Line]) {
        fetch(&lines[below::<WORDS>(parts::<P>(self.to[i % CELLS]).0 / GROUPS, size::<P, WORDS>())]);
    }

    /// Brings the receivers' lines near, but for those of so many cells.
    pub(super) fn fetch_receivers<const P: usize, const WORDS: usize>(&self, but: usize, lines: &[Line]) {
        (but..self.length).for_each(|i| self.fetch_receiver::<P, WORDS>(i, lines));
    }

    /// The receiver's line of a cell is there: brings its record near. A group that has none gets one that was given back a moment ago.
    #[inline(always)]
    fn look_at<const P: usize, const WORDS: usize>(&self, i: usize, lines: &[Line], records: &[Record<P>]) {
        let at = parts::<P>(self.to[i % CELLS]).0;
        let word = lines[below::<WORDS>(at / GROUPS, size::<P, WORDS>())].0[at % GROUPS];
        if let Some(record) = records.get((place::<P>(word) & open(word)) as usize) {
            fetch(record);
        }
    }

    /// The cells leave their output buffers, and groups that waited for that are listed, to be tried again; how many there are then. Their cells are no longer known to the links, nor, unless this is the last link, the credits that they spend. Meanwhile
    /// their receivers' records are fetched: one with each cell, since many at a time would have to wait for each other.
    #[inline(never)]
    pub(super) fn give<const P: usize, const WORDS: usize, const LAST: bool>(
        &mut self,
        now: Slot,
        lines: &mut [Line],
        places: &mut Places<'_, P>,
        (tries, mut count): (&mut [Listed], usize),
        receivers: &[Line],
    ) -> usize {
        let length = self.length.min(CELLS);
        let lines = exactly::<P, WORDS>(lines);
        let tries = if WORDS > 0 { &mut tries[..64 * WORDS] } else { tries };
        let stamp = Group::stamp(now);
        let cleared = if LAST { 1 } else { 1 | 1 << P };
        let receivers = if WORDS > 0 && !LAST { &receivers[..size::<P, WORDS>()] } else { receivers };
        let mut left = places.left;
        for i in 0..length {
            if !LAST {
                // With one pool for all stages; else it may be any record.
                self.look_at::<P, WORDS>(i, receivers, places.records);
            }
            let (from, own) = (self.from[i], self.place[i]);
            let (at, part) = parts::<P>(from);
            let record = &mut places.records[own as usize];
            let mut state = record.group;
            (self.born[i], self.tag[i]) = record.sent(part);
            tries[below::<WORDS>(count, 64 * WORDS)] = (at as u32, own);
            count += usize::from(state.waits() >> part & 1 != 0);
            state.leave(part);
            state.set_stamp(stamp);
            let idle = state.is_empty();
            places.free[left] = own;
            left += usize::from(idle);
            record.group = if idle { Group(0) } else { state };
            let kept = if idle { remembering::<P>((state.0 & MEMORY) as u32) } else { at_place::<P>(own) };
            let word = word::<P, WORDS>(lines, at);
            *word = kept | flags::<P>(*word) & !(cleared << part);
        }
        places.left = left;
        count
    }

    /// The cells, each with the output of the fabric that it comes to.
    pub(super) fn cells<const P: usize>(&self, bits: u32) -> impl Iterator<Item = (usize, u32, u32)> + '_ {
        let cells = self.to[..self.length].iter().zip(self.born.iter().zip(&self.tag));
        cells.map(move |(&to, (&born, &tag))| {
            let (at, port) = parts::<P>(to);
            ((at >> bits) * P + port, born, tag)
        })
    }

    /// A cell from a line card, which comes to an input of the first stage.
    #[inline(always)]
    pub(super) fn push<const P: usize>(&mut self, input: usize, group: usize, bits: u32, (born, tag): (u32, u32)) {
        let i = self.length % CELLS;
        self.to[i] = ((input / P) << bits | group | (input % P) << PORT) as u32;
        self.from[i] = (input << 16 | group) as u32;
        (self.born[i], self.tag[i]) = (born, tag);
        self.length += 1;
    }
}
