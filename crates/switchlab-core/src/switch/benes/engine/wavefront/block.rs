//! Cells that are sent to some elements of the next stage, at most one to each input.

use super::group_line::{Frame, GROUPS, GroupLine, flags};
use super::output_arbiters::Section;
use crate::cell::{Port, Slot};
use crate::prefetch::prefetch_l2;
use crate::switch::benes::element::group::Group;
use crate::switch::benes::element::record::{OpenPool, UnitBuffers, UnitRecord, index, index_if_open};
use crate::switch::benes::element::transfer::Listed;
use crate::switch::benes::routing::{PORT, Routing, exactly, groups, known, masked};

/// Inputs of the next stage in a block: all of several elements.
pub(super) const CELLS: usize = 32;

/// A row of numbers, one for each cell.
type Row = [u32; CELLS];

/// Cells on their way from one stage to the next, in the order of the inputs of the latter.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// Entries in use. Those behind are stale.
    pub(super) length: usize,
    /// Where the sender keeps the group and, from bit [`PORT`] on, the output buffer. Before a cell
    /// is chosen: the sending end.
    pub(super) from: Row,
    /// The sender's record. Before a cell is chosen: a chunk of 16 groups and, in the lower 16
    /// bits, which of these are at or after the pointer.
    record: Row,
    /// Where the receiver keeps the group and, from bit [`PORT`] on, the input port. Before a cell
    /// is chosen: the same without the group.
    pub(super) to: Row,
    /// The cells: arrival slot; tag.
    pub(super) born: Row,
    pub(super) tag: Row,
}

/// A word of a stage.
#[inline(always)]
pub(super) fn word<const P: usize, const WORDS: usize>(lines: &mut [GroupLine], at: usize) -> &mut u32 {
    &mut lines[masked::<WORDS>(at / GROUPS, lines_of::<P, WORDS>())].0[at % GROUPS]
}

/// The lines of a stage, if the number of ports is known.
pub(super) const fn lines_of<const P: usize, const WORDS: usize>() -> usize {
    groups::<P, WORDS>() / GROUPS
}

/// Where a group is kept, and the port or output buffer above it.
#[inline(always)]
pub(super) fn parts<const P: usize>(at: u32) -> (usize, usize) {
    ((at & ((1 << PORT) - 1)) as usize, (at >> PORT) as usize % P)
}

impl Block {
    /// No cells.
    pub(super) const EMPTY: Self =
        Self { length: 0, from: [0; CELLS], record: [0; CELLS], to: [0; CELLS], born: [0; CELLS], tag: [0; CELLS] };

    /// Finds the ends of the links to the inputs from `first` on that have a group to send, and the
    /// chunks in which these groups are. Prefetches the lines of these chunks.
    #[inline(never)]
    pub(super) fn aim<const P: usize, const WORDS: usize>(
        &mut self,
        first: usize,
        (frame, previous): (Frame, &[Port]),
        arbiters: &mut Section<'_, WORDS>,
        lines: &[GroupLine],
    ) {
        let ports = known::<WORDS>(previous.len());
        let (bits, row) = (ports.trailing_zeros(), ports / GROUPS);
        let arbiters = arbiters.exact();
        let lines = if WORDS > 0 { &lines[..lines_of::<P, WORDS>()] } else { lines };
        let mut count = 0;
        for (&end, input) in previous[first..][..CELLS].iter().zip(first as u32..) {
            self.to[count % CELLS] = (input / P as u32) << bits | (input % P as u32) << PORT;
            self.from[count % CELLS] = u32::from(end);
            count += usize::from(arbiters.is_active(usize::from(end)));
        }
        self.length = count;
        for (&end, chunk_and_mask) in self.from.iter().zip(&mut self.record).take(count) {
            let end = end as usize;
            let (chunk, mask) = arbiters.first_chunk(end);
            let at = (end / P) * row + frame.line(chunk, end % P).0;
            prefetch_l2(&lines[masked::<WORDS>(at, lines_of::<P, WORDS>())]);
            *chunk_and_mask = (chunk << 16) as u32 | mask;
        }
    }

    /// Each end sends from the first group at or after its pointer that has a cell and a credit.
    /// The lines show both until the cell leaves. Prefetches the records. `WITHIN` is
    /// [`Frame::within`].
    #[inline(never)]
    pub(super) fn choose<const P: usize, const WORDS: usize, const DISTRIBUTES: bool, const WITHIN: u32>(
        &mut self,
        (mut frame, routing): (Frame, Routing),
        arbiters: &mut Section<'_, WORDS>,
        (senders, records): (&[GroupLine], &[UnitRecord<P>]),
    ) {
        let mut arbiters = arbiters.exact();
        let ports = known::<WORDS>(arbiters.pointers.len());
        let (bits, row) = (ports.trailing_zeros(), ports / GROUPS);
        (frame.distributes, frame.within) = (DISTRIBUTES, WITHIN);
        let routing = Routing { distributes: DISTRIBUTES, split: true, ..routing };
        let senders = if WORDS > 0 { &senders[..lines_of::<P, WORDS>()] } else { senders };
        let cells = self.from.iter_mut().zip(&mut self.record).zip(&mut self.to).take(self.length);
        for ((from, record), to) in cells {
            let (end, mut chunk) = (*from as usize, (*record >> 16) as usize);
            let (element, port) = (end / P, end % P);
            let (mut mask, mut eligible, mut first) = (*record & 0xffff, 0, 0);
            // Twice only if the pointer stands in the chunk, behind its groups that can send.
            for _ in 0..2 {
                let (line, part) = frame.line(chunk, port);
                let line = &senders[masked::<WORDS>(element * row + line, lines_of::<P, WORDS>())];
                eligible = frame.eligible::<P>(line, port, part);
                first = eligible & mask;
                if first != 0 {
                    break;
                }
                (chunk, mask) = (arbiters.second_chunk(end), 0xffff);
            }
            let rank = first.trailing_zeros() as usize % GROUPS;
            let group = chunk * GROUPS + rank;
            arbiters.sent(end, group, eligible & !(1 << rank) == 0);
            let (inner, part) = routing.behind::<P>(port, group);
            let at = element << bits | inner;
            let word = senders[masked::<WORDS>(at / GROUPS, lines_of::<P, WORDS>())].0[at % GROUPS];
            let own = index(word, 2 * P as u32);
            *from = (at | part << PORT) as u32;
            *record = own;
            *to |= group as u32;
            prefetch_l2(&records[own as usize]);
        }
    }

    /// Prefetches the receiver's line of a cell. Behind the last cell it may be any line.
    pub(super) fn prefetch_receiver<const P: usize, const WORDS: usize>(&self, i: usize, lines: &[GroupLine]) {
        prefetch_l2(&lines[masked::<WORDS>(parts::<P>(self.to[i % CELLS]).0 / GROUPS, lines_of::<P, WORDS>())]);
    }

    /// Prefetches the receivers' lines, from a cell on.
    pub(super) fn prefetch_receivers<const P: usize, const WORDS: usize>(&self, first: usize, lines: &[GroupLine]) {
        (first..self.length).for_each(|i| self.prefetch_receiver::<P, WORDS>(i, lines));
    }

    /// Prefetches the receiver's record of a cell, whose line is in cache. A group that has none
    /// gets one that was freed a moment ago.
    fn prefetch_record<const P: usize, const WORDS: usize>(
        &self,
        i: usize,
        lines: &[GroupLine],
        records: &[UnitRecord<P>],
    ) {
        let at = parts::<P>(self.to[i % CELLS]).0;
        let word = lines[masked::<WORDS>(at / GROUPS, lines_of::<P, WORDS>())].0[at % GROUPS];
        if let Some(record) = records.get(index_if_open(word, 2 * P as u32) as usize) {
            prefetch_l2(record);
        }
    }

    /// The cells are dequeued from their output buffers, and groups that waited for that are
    /// listed. Returns how many are listed then. Unless this is the last link, the cells spend
    /// their credits. Prefetches the receivers' records, one with each cell, since many at a time
    /// would wait for each other.
    #[inline(never)]
    pub(super) fn dequeue<const P: usize, const WORDS: usize, const LAST: bool>(
        &mut self,
        now: Slot,
        lines: &mut [GroupLine],
        pool: &mut OpenPool<'_, UnitBuffers<P>>,
        (tries, mut count): (&mut [Listed], usize),
        receivers: &[GroupLine],
    ) -> usize {
        let length = self.length.min(CELLS);
        let lines = exactly::<WORDS, _>(lines, lines_of::<P, WORDS>());
        let tries = exactly::<WORDS, _>(tries, 64 * WORDS);
        let stamp = Group::stamp(now);
        let cleared = if LAST { 1 } else { 1 | 1 << P };
        let receivers = if WORDS > 0 && !LAST { &receivers[..lines_of::<P, WORDS>()] } else { receivers };
        for i in 0..length {
            if !LAST {
                // Any record, if each stage has its own pool.
                self.prefetch_record::<P, WORDS>(i, receivers, pool.records);
            }
            let (from, own) = (self.from[i], self.record[i]);
            let (at, part) = parts::<P>(from);
            let (cell, waited, kept) = pool.dequeue(own, part, stamp, 2 * P as u32);
            (self.born[i], self.tag[i]) = cell;
            tries[masked::<WORDS>(count, 64 * WORDS)] = (at as u32, own);
            count += usize::from(waited);
            let word = word::<P, WORDS>(lines, at);
            *word = kept | flags::<P>(*word) & !(cleared << part);
        }
        count
    }

    /// The cells, each with its output of the fabric.
    pub(super) fn cells<const P: usize>(&self, bits: u32) -> impl Iterator<Item = (usize, u32, u32)> + '_ {
        let cells = self.to[..self.length].iter().zip(self.born.iter().zip(&self.tag));
        cells.map(move |(&to, (&born, &tag))| {
            let (at, port) = parts::<P>(to);
            ((at >> bits) * P + port, born, tag)
        })
    }

    /// Appends a cell from a line card, for an input of the first stage.
    pub(super) fn push<const P: usize>(&mut self, input: usize, group: usize, bits: u32, (born, tag): (u32, u32)) {
        let i = self.length % CELLS;
        self.to[i] = ((input / P) << bits | group | (input % P) << PORT) as u32;
        self.from[i] = (input << 16 | group) as u32;
        (self.born[i], self.tag[i]) = (born, tag);
        self.length += 1;
    }
}
