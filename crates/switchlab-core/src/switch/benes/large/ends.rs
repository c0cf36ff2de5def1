//! The sending ends of links: whose turn it is.

use super::line::GROUPS;
use crate::cell::Port;
use crate::switch::benes::shape::{below, known};
use alloc::vec;
use alloc::vec::Vec;

/// The ends of all links but the first, which comes from the line cards.
#[derive(Clone, Debug)]
pub(in super::super) struct Ends {
    ports: usize,
    /// Words of a summary.
    words: usize,
    /// By link and end, a bit for each 16 groups of the link: whether one of them has a cell and a credit.
    summaries: Vec<u64>,
    /// By link and end: the group after the one that was sent last.
    pointers: Vec<Port>,
}

/// The ends of a link, during a step. `WORDS` as everywhere: 64 ports each, or 0 if that is not known before.
pub(super) struct Section<'a, const WORDS: usize> {
    words: usize,
    pub(super) summaries: &'a mut [u64],
    pub(super) pointers: &'a mut [Port],
}

impl Ends {
    /// So many links, of which nothing can be sent.
    pub(super) fn new(links: usize, ports: usize) -> Self {
        let words = (ports / GROUPS).div_ceil(64);
        Self { ports, words, summaries: vec![0; links * ports * words], pointers: vec![0; links * ports] }
    }

    /// The ends of a link, of which the first has number 1.
    #[inline(always)]
    pub(super) fn section<const WORDS: usize>(&mut self, link: usize) -> Section<'_, WORDS> {
        let (ports, words) = (known::<WORDS>(self.ports), if WORDS > 0 { 1 } else { self.words });
        Section {
            words,
            summaries: &mut self.summaries[(link - 1) * ports * words..][..ports * words],
            pointers: &mut self.pointers[(link - 1) * ports..][..ports],
        }
    }

    /// The ends of a link and of the next one.
    #[inline(always)]
    pub(super) fn two<const WORDS: usize>(&mut self, link: usize) -> (Section<'_, WORDS>, Section<'_, WORDS>) {
        let (ports, words) = (known::<WORDS>(self.ports), if WORDS > 0 { 1 } else { self.words });
        let size = ports * words;
        let (summaries, beyond) = self.summaries[(link - 1) * size..][..2 * size].split_at_mut(size);
        let (pointers, pointers_beyond) = self.pointers[(link - 1) * ports..][..2 * ports].split_at_mut(ports);
        (Section { words, summaries, pointers }, Section { words, summaries: beyond, pointers: pointers_beyond })
    }

    /// Whether the summary says that one of 16 groups can send.
    pub(in super::super) fn summary(&self, link: usize, end: usize, chunk: usize) -> bool {
        self.summaries[((link - 1) * self.ports + end) * self.words + chunk / 64] >> (chunk % 64) & 1 != 0
    }
}

impl<const WORDS: usize> Section<'_, WORDS> {
    #[inline(always)]
    fn is_single(&self) -> bool {
        WORDS > 0 || self.words == 1
    }

    /// The same, with lengths that the compiler knows.
    #[inline(always)]
    pub(super) fn exact(&mut self) -> Section<'_, WORDS> {
        let (summaries, pointers) =
            if WORDS > 0 { (64 * WORDS, 64 * WORDS) } else { (self.summaries.len(), self.pointers.len()) };
        let Self { words, .. } = *self;
        Section { words, summaries: &mut self.summaries[..summaries], pointers: &mut self.pointers[..pointers] }
    }

    /// A group gets what it lacked, if `fresh` is 1 and not 0. No branches: nobody could predict them.
    #[inline(always)]
    pub(super) fn wake(&mut self, end: usize, group: usize, fresh: u32) {
        let chunk = group / GROUPS;
        if self.is_single() {
            self.summaries[below::<WORDS>(end, 64 * WORDS)] |= u64::from(fresh) << (chunk % 64);
        } else {
            self.summaries[end * self.words + chunk / 64] |= u64::from(fresh) << (chunk % 64);
        }
    }

    /// Whether an end has a group that can send.
    #[inline(always)]
    pub(super) fn is_active(&self, end: usize) -> bool {
        if self.is_single() {
            return self.summaries[below::<WORDS>(end, 64 * WORDS)] != 0;
        }
        self.summaries[end * self.words..][..self.words].iter().any(|&word| word != 0)
    }

    /// Where an end that has such a group looks for it: at the first 16 from its pointer on that have one, and which of these come first. Those in which the pointer stands may have it before the pointer: then it
    /// looks there in vain.
    #[inline(always)]
    pub(super) fn look(&self, end: usize) -> (usize, u32) {
        let pointer = usize::from(self.pointers[below::<WORDS>(end, 64 * WORDS)]);
        let first = pointer / GROUPS;
        let chunk = self.find(end, first);
        (chunk, if chunk == first { 0xffff << (pointer % GROUPS) & 0xffff } else { 0xffff })
    }

    /// Where it looks next, if it has looked in vain.
    pub(super) fn next(&self, end: usize) -> usize {
        let first = usize::from(self.pointers[end]) / GROUPS;
        let chunks = self.pointers.len() / GROUPS;
        // Going round, the 16 of the pointer come last.
        self.find(end, (first + 1) % chunks)
    }

    /// The first 16 groups of which one can send, going round.
    #[inline(always)]
    fn find(&self, end: usize, first: usize) -> usize {
        if self.is_single() {
            let summary = self.summaries[below::<WORDS>(end, 64 * WORDS)];
            let above = summary & u64::MAX << (first % 64);
            return (if above == 0 { summary } else { above }).trailing_zeros() as usize % 64;
        }
        let words = &self.summaries[end * self.words..][..self.words];
        let found = (0..=self.words).find_map(|step| {
            let word = (first / 64 + step) % self.words;
            let set = words[word] & if step == 0 { u64::MAX << (first % 64) } else { u64::MAX };
            (set != 0).then(|| word * 64 + set.trailing_zeros() as usize)
        });
        found.unwrap_or(0)
    }

    /// An end has sent from a group; `none` if none of its 16 can send any more.
    #[inline(always)]
    pub(super) fn sent(&mut self, end: usize, group: usize, none: bool) {
        let (end, chunk) = (below::<WORDS>(end, 64 * WORDS), group / GROUPS);
        let last = known::<WORDS>(self.pointers.len()) - 1;
        self.pointers[end] = ((group + 1) & last) as Port;
        let at = if self.is_single() { end } else { end * self.words + chunk / 64 };
        self.summaries[at] &= !(u64::from(none) << (chunk % 64));
    }
}
