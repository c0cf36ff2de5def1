//! What lean fabrics of more than 256 ports bring near before they need it, if they are banyans or have elements of 8 x 8 and 4096 ports; see `large` for the others.
//!
//! At 1024 ports the words of groups and links are some ten times as much as a core's own cache holds, and a hop needs five lines of them. None has to be waited for: what a link
//! sends is known before the stages behind it have moved, since nothing that they do can be seen from its ends. So its ends choose early, and while the cells of one batch are sent, the words of
//! the next are on their way, then their records; and so are the words of the link that sends next. One with each cell: many at a time would have to wait for each other. The receivers' records are left out: most have none
//! yet, or one that was given back a moment ago.

use super::batch::{Batch, CELLS, PORT, size};
use super::links::{Active, End, Section};
use super::record::Record;
use super::shape::{Routing, below, known};
use super::store::place_if_open;
use crate::fetch::fetch;

/// Whether so many ports are too many for the cache.
#[inline(always)]
pub(super) const fn is_far<const WORDS: usize>(ports: usize) -> bool {
    WORDS != 1 && known::<WORDS>(ports) > 256
}

/// The ends of the link that sends next, of which one is looked at with each cell that is sent; those that are left over, some with each batch.
pub(super) struct Ends {
    first: usize,
    rest: usize,
    step: usize,
}

impl Ends {
    /// All ends, of a link that sends next when one has sent so many cells.
    #[inline(always)]
    pub(super) fn new(ports: usize, cells: usize) -> Self {
        Self { first: 0, rest: cells, step: (ports - cells).div_ceil(cells.div_ceil(CELLS).max(1)) }
    }

    /// Another batch: where the ends begin that are to be looked at with its cells. Looks at its share of the others.
    #[inline(always)]
    pub(super) fn advance<const WORDS: usize>(&mut self, links: &Section<'_, WORDS>) -> usize {
        let until = links.length().min(self.rest + self.step);
        (self.rest..until).for_each(|end| links.fetch_next(end));
        (self.first, self.rest) = (self.first + CELLS, until);
        self.first - CELLS
    }
}

impl<const WORDS: usize> Section<'_, WORDS> {
    /// How many ends there are.
    #[inline(always)]
    pub(super) fn length(&self) -> usize {
        known::<WORDS>(self.ends.len())
    }

    /// Brings the word near that an end is going to send from, most likely. Not of flat links.
    #[inline(always)]
    pub(super) fn fetch_next(&self, end: usize) {
        let end = below::<WORDS>(end, 64 * WORDS);
        let End { summary, pointer, .. } = self.ends[end];
        // The first word at or after the pointer's, going round.
        let above = summary & u64::MAX << (pointer / 64);
        let word = (if above == 0 { summary } else { above }).trailing_zeros() as usize;
        fetch(&self.bits[self.layout().cells(end, word % self.layout().words())]);
    }

    /// Brings the word of an end and a group near.
    #[inline(always)]
    pub(super) fn fetch(&self, end: usize, group: usize) {
        fetch(&self.bits[self.cells(end, group)]);
    }
}

impl Batch {
    /// The cells that are sent next: finds out where they are and where they go. `next` says for each position where its link ends.
    #[inline(never)]
    pub(super) fn aim<const P: usize, const WORDS: usize>(
        &mut self,
        chosen: &[Active],
        routing: Routing,
        next: &[u32],
    ) {
        self.locate_by_kind::<P>(chosen, routing, known::<WORDS>(next.len()).trailing_zeros());
        let next = if WORDS > 1 { &next[..64 * WORDS] } else { next };
        for (&chosen, to) in self.chosen[..self.length.min(CELLS)].iter().zip(&mut self.to) {
            *to = next[below::<WORDS>((chosen >> 16) as usize, 64 * WORDS)] | chosen & 0xffff;
        }
    }

    /// Fetches the sender's word of a cell. Behind the last cell, and below, it may be any word or none: what is left of an earlier batch.
    #[inline(always)]
    pub(super) fn fetch_sender<const P: usize, const WORDS: usize>(&self, words: &[u32], i: usize) {
        if let Some(word) = words.get(below::<WORDS>(self.from[i % CELLS] as usize, size::<P, WORDS>())) {
            fetch(word);
        }
    }

    /// Fetches the receiver's.
    #[inline(always)]
    pub(super) fn fetch_receiver<const P: usize, const WORDS: usize>(&self, words: &[u32], i: usize) {
        let at = (self.to[i % CELLS] & ((1 << PORT) - 1)) as usize;
        fetch(&words[below::<WORDS>(at, size::<P, WORDS>())]);
    }

    /// The words are there: fetches the sender's record of a cell.
    #[inline(always)]
    pub(super) fn look<const P: usize, const WORDS: usize>(
        &mut self,
        senders: &[u32],
        records: &[Record<P>],
        i: usize,
    ) {
        let i = i % CELLS;
        let word = senders.get(below::<WORDS>(self.from[i] as usize, size::<P, WORDS>()));
        let place = word.map_or(0, |&word| place_if_open(word));
        self.place[i] = place as u32;
        fetch(&records[place]);
    }
}
