//! The sending ends of links: which flow groups have a cell to send, which have a credit, and whose turn it is.
//!
//! For each end and 64 flow groups, one word says which have a cell in the output buffer and one which have a credit. With more than 256 groups, a summary word says in which of these
//! pairs of words a group has both, so that a scheduler finds the next group in a few instructions, however many groups there are.
//! Without it, at 1024 ports, a scan would read 16 pairs for each cell sent. With fewer groups, words of all ends for the same groups lie side by side, so that a few
//! vector instructions look through several ends. Rejected: a bit for each end that has something to send. Most have, and
//! to look at all of them once in a slot costs less than to keep such bits with every cell and credit.
//!
//! Lean fabrics of 256 ports have a line of cache for each end; see `quads`.
//!
//! ```text
//!   flat:   [ groups 0 to 63: cells of each end | groups 64 to 127: ... | ... ] [ the same for credits ]
//!   lined:  for each end:  [ four words of cells, four of credits ]
//!   else:   for each end, for each 64 groups:  [ cells, credits ]
//! ```

use super::layout::{FLAT, Layout};
use super::quads;
use super::shape::{below, known};
use alloc::vec::Vec;

/// One sending end.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    /// Bit w: among groups 64 w to 64 w + 63 one has a cell and a credit. Not kept by flat links.
    pub(super) summary: u64,
    /// The group after the one that was sent last.
    pub(super) pointer: u16,
    /// Groups that have a cell and a credit; with backpressure per link, groups that have a cell. Not kept by flat links.
    ready: u16,
    /// Credits of the whole link. [`UNCOUNTED`] with backpressure per group.
    pub(super) credits: u16,
}

/// An end that has something to send: its number, and behind it 4 bits of its summary.
pub(super) type Active = u32;

/// Credits of a link that are not counted as such.
pub(super) const UNCOUNTED: u16 = u16::MAX;

/// All sending ends, in sections: one for each link.
#[derive(Clone, Debug)]
pub(super) struct Links {
    groups: usize,
    words: usize,
    /// The ends of a section, made up to a multiple of 64.
    section: usize,
    lined: bool,
    /// By section, as shown above.
    bits: Vec<u64>,
    ends: Vec<End>,
}

/// The ends of one link, during a step: slices in registers, which vectors behind `&mut self` would have to be loaded for again after every store. `WORDS` are
/// the pairs of an end, or 0 if that is not known before.
pub(super) struct Section<'a, const WORDS: usize> {
    pub(super) bits: &'a mut [u64],
    pub(super) ends: &'a mut [End],
    words: usize,
    /// The last group: a number of ones.
    last: u16,
}

impl Links {
    /// Sections of that many ends, a power of two, with as many groups, each of which has a credit and none a cell. `credits` for each link of a section as a whole. `lined` if there are 256, and each end
    /// is to have a line of cache.
    pub(super) fn new(ports: usize, lined: bool, credits: impl IntoIterator<Item = u16>) -> Self {
        let section = ports.next_multiple_of(64);
        let end = |credits| End { summary: 0, pointer: 0, ready: 0, credits };
        let ends: Vec<End> = credits.into_iter().flat_map(|credits| (0..section).map(move |_| end(credits))).collect();
        let words = ports.div_ceil(64);
        let layout = Layout::<0> { section, words, lined };
        let credit = |at: usize| if layout.is_credit(at % (2 * words * section)) { u64::MAX } else { 0 };
        let bits = (0..2 * words * ends.len()).map(credit).collect();
        Self { groups: ports, words, section, lined, bits, ends }
    }

    /// The ends of a section, and the pairs of an end.
    #[inline(always)]
    fn sizes<const WORDS: usize>(&self) -> (usize, usize) {
        (known::<WORDS>(self.section), if WORDS > 0 { WORDS } else { self.words })
    }

    /// The ends of a link. If they are lined, `WORDS` has to say so.
    #[inline(always)]
    pub(super) fn section<const WORDS: usize>(&mut self, link: usize) -> Section<'_, WORDS> {
        let (section, words) = self.sizes::<WORDS>();
        let first = link * section;
        let bits = &mut self.bits[2 * first * words..][..2 * section * words];
        Section { bits, ends: &mut self.ends[first..][..section], words, last: (self.groups - 1) as u16 }
    }

    /// The ends of the links to a stage and of those out of it.
    #[inline(always)]
    pub(super) fn around<const WORDS: usize>(&mut self, stage: usize) -> (Section<'_, WORDS>, Section<'_, WORDS>) {
        let (section, words) = self.sizes::<WORDS>();
        let (first, last) = (stage * section, (self.groups - 1) as u16);
        let (bits, bits_out) = self.bits[2 * first * words..][..4 * section * words].split_at_mut(2 * section * words);
        let (ends, ends_out) = self.ends[first..][..2 * section].split_at_mut(section);
        (Section { bits, ends, words, last }, Section { bits: bits_out, ends: ends_out, words, last })
    }

    /// The ends of the links to the stage before a stage, to it and out of it.
    #[inline(always)]
    pub(super) fn three<const WORDS: usize>(
        &mut self,
        stage: usize,
    ) -> (Section<'_, WORDS>, Section<'_, WORDS>, Section<'_, WORDS>) {
        let (section, words) = self.sizes::<WORDS>();
        let (first, last, size) = ((stage - 1) * section, (self.groups - 1) as u16, 2 * section * words);
        let (bits, rest) = self.bits[2 * first * words..][..3 * size].split_at_mut(size);
        let (bits_in, bits_out) = rest.split_at_mut(size);
        let (ends, rest) = self.ends[first..][..3 * section].split_at_mut(section);
        let (ends_in, ends_out) = rest.split_at_mut(section);
        (
            Section { bits, ends, words, last },
            Section { bits: bits_in, ends: ends_in, words, last },
            Section { bits: bits_out, ends: ends_out, words, last },
        )
    }

    /// The words of cells and of credits of an end, for 64 groups.
    fn words(&self, link: usize, end: usize, word: usize) -> (u64, u64) {
        let layout = Layout::<0> { section: self.section, words: self.words, lined: self.lined };
        let at = 2 * link * self.section * self.words + layout.cells(end, word);
        (self.bits[at], self.bits[at + layout.to_credits()])
    }

    /// Whether a group has a cell at an end, and whether it has a credit.
    pub(super) fn look(&self, link: usize, end: usize, group: usize) -> (bool, bool) {
        let (cells, credits) = self.words(link, end, group / 64);
        (cells >> (group % 64) & 1 != 0, credits >> (group % 64) & 1 != 0)
    }

    /// The end itself.
    pub(super) fn end(&self, link: usize, end: usize) -> End {
        self.ends[link * self.section + end]
    }

    /// Whether the summary and the count of ready groups are what they should be.
    pub(super) fn is_sound(&self, link: usize, end: usize) -> bool {
        let pairs = (0..self.words).map(|word| self.words(link, end, word));
        let eligible = pairs.map(|(cells, credits)| cells & credits);
        let summary = eligible.clone().zip(0..).map(|(word, at)| u64::from(word != 0) << at).sum::<u64>();
        let ready: u32 = eligible.map(u64::count_ones).sum();
        let End { summary: own, ready: known, .. } = self.ends[link * self.section + end];
        self.words <= FLAT || own == summary && u32::from(known) == ready
    }
}

impl<const WORDS: usize> Section<'_, WORDS> {
    /// The same, with lengths that the compiler knows, in a loop that looks at many words of many ends.
    #[inline(always)]
    pub(super) fn exact(&mut self) -> Section<'_, WORDS> {
        let (bits, ends) =
            if WORDS > FLAT { (128 * WORDS * WORDS, 64 * WORDS) } else { (self.bits.len(), self.ends.len()) };
        Section { bits: &mut self.bits[..bits], ends: &mut self.ends[..ends], ..*self }
    }

    #[inline(always)]
    pub(super) fn layout(&self) -> Layout<WORDS> {
        Layout { section: self.ends.len(), words: self.words, lined: false }
    }

    #[inline(always)]
    fn is_flat(&self) -> bool {
        self.layout().is_flat()
    }

    /// Where the cells of an end and a group are; its credits are [`Layout::to_credits`] behind.
    #[inline(always)]
    pub(super) fn cells(&self, end: usize, group: usize) -> usize {
        self.layout().cells(end, if WORDS == 1 { 0 } else { group / 64 })
    }

    #[inline(always)]
    fn credits_at(&self, cells: usize) -> usize {
        let at = cells + self.layout().to_credits();
        below::<WORDS>(at, 128 * WORDS * WORDS)
    }

    /// Groups of 64 that have a cell and a credit.
    #[inline(always)]
    fn eligible(&self, end: usize, word: usize) -> u64 {
        let at = self.layout().cells(end, word);
        self.bits[at] & self.bits[self.credits_at(at)]
    }

    /// The ends that have a group to send, ascending, and how many they are. Flat ones have their summaries with them, 4 bits of [`Active`]. `list` has room for all. No branches: nobody could
    /// predict them.
    #[inline(always)]
    pub(super) fn active(&self, list: &mut [Active]) -> usize {
        let list = &mut list[..known::<WORDS>(self.ends.len())];
        let mut count = 0;
        for first in (0..known::<WORDS>(self.ends.len())).step_by(64) {
            let mut summaries = [0; 64];
            if self.is_flat() && !self.layout().is_lined() {
                // Side by side, for vector instructions.
                let (cells, credits) = self.bits.split_at(self.layout().to_credits());
                for word in 0..self.layout().words() {
                    let at = word * self.layout().section() + first;
                    let pairs = cells[at..at + 64].iter().zip(&credits[at..at + 64]);
                    for (summary, (cells, credits)) in summaries.iter_mut().zip(pairs) {
                        *summary |= if cells & credits == 0 { 0 } else { 1 << word };
                    }
                }
            } else {
                summaries.iter_mut().zip(first..).for_each(|(summary, end)| *summary = self.summary(end));
            }
            for (&summary, end) in summaries.iter().zip(first..) {
                list[below::<WORDS>(count, 64 * WORDS)] = (end as u32) << 4 | summary as u32 & 15;
                count += usize::from(summary != 0);
            }
        }
        count
    }

    /// Each end that has a group to send does so, if there are 256 of them; see [`quads`].
    #[inline(always)]
    pub(super) fn send_all(&mut self, spends: bool, list: &mut [Active]) -> usize {
        let (lines, _) = self.bits.as_chunks_mut();
        list.first_chunk_mut().map_or(0, |list| {
            if spends {
                quads::send_all::<true>(lines, self.ends, list)
            } else {
                quads::send_all::<false>(lines, self.ends, list)
            }
        })
    }

    /// Bit w: among groups 64 w to 64 w + 63 one has a cell and a credit.
    #[inline(always)]
    fn summary(&self, end: usize) -> u64 {
        if !self.is_flat() {
            return self.ends[end].summary;
        }
        (0..self.layout().words()).fold(0, |bits, word| bits | u64::from(self.eligible(end, word) != 0) << word)
    }

    /// Whether an end has no group to send.
    #[inline(always)]
    pub(super) fn is_idle(&self, end: usize) -> bool {
        self.summary(end) == 0
    }

    /// A group gets what it lacked, a cell or a credit. No branches: nobody could predict them.
    #[inline(always)]
    fn wake(&mut self, end: usize, group: usize, fresh: u64) {
        let own = &mut self.ends[below::<WORDS>(end, 64 * WORDS)];
        own.ready += fresh as u16;
        own.summary |= fresh << (group / 64);
    }

    /// The group has a cell to send.
    #[inline(always)]
    pub(super) fn fill(&mut self, end: usize, group: usize) {
        let at = self.cells(end, group);
        let cells = self.bits[at];
        self.bits[at] = cells | 1 << (group % 64);
        if !self.is_flat() {
            let fresh = (self.bits[self.credits_at(at)] & !cells) >> (group % 64) & 1;
            self.wake(end, group, fresh);
        }
    }

    /// The same, if `again`; it has a cell already, or has just sent one. No branch: nobody could predict it.
    #[inline(always)]
    pub(super) fn fill_if(&mut self, end: usize, group: usize, again: bool) {
        let at = self.cells(end, group);
        let cells = self.bits[at];
        self.bits[at] = cells | u64::from(again) << (group % 64);
        if !self.is_flat() {
            let fresh = (self.bits[self.credits_at(at)] & !cells) >> (group % 64) & u64::from(again);
            self.wake(end, group, fresh);
        }
    }

    /// The group has a credit again.
    #[inline(always)]
    pub(super) fn restore(&mut self, end: usize, group: usize) {
        let cells = self.cells(end, group);
        let at = self.credits_at(cells);
        let credits = self.bits[at];
        self.bits[at] = credits | 1 << (group % 64);
        if !self.is_flat() {
            let fresh = (self.bits[cells] & !credits) >> (group % 64) & 1;
            self.wake(end, group, fresh);
        }
    }

    /// A group of 64, one bit, has sent its cell, and has lost its credit if it has `spent` it. Whether another of them can send.
    #[inline(always)]
    fn clear(&mut self, end: usize, word: usize, bit: u64, spent: u64) -> bool {
        let at = self.layout().cells(end, word);
        let behind = self.credits_at(at);
        self.bits[at] &= !bit;
        self.bits[behind] &= !(bit & spent);
        self.bits[at] & self.bits[behind] != 0
    }

    /// Sends from the first group at or after the pointer that has a cell and a credit; it has no cell afterwards, and no credit if it `spends` its only one. The pointer stands
    /// behind it. The end and the group.
    #[inline(always)]
    pub(super) fn send(&mut self, active: Active, spends: bool) -> (usize, usize) {
        let end = below::<WORDS>(active as usize >> 4, 64 * WORDS);
        let pointer = self.ends[end].pointer;
        let after = u64::MAX << (pointer % 64);
        let spent = if spends { u64::MAX } else { 0 };
        if WORDS == 1 {
            // The same, with nothing to look for.
            let all = self.eligible(end, 0);
            let eligible = if all & after == 0 { all } else { all & after };
            let (group, bit) = (eligible.trailing_zeros(), eligible & eligible.wrapping_neg());
            self.clear(end, 0, bit, spent);
            self.ends[end].pointer = (group + 1) as u16 & self.last;
            return (end, group as usize);
        }
        let flat = self.is_flat();
        let summary = if flat { u64::from(active & 15) } else { self.ends[end].summary };
        let first = pointer as usize / 64;
        // Words above the pointer's, then from word 0 on, its own included.
        let above = summary & (u64::MAX << first << 1);
        let other = (if above == 0 { summary } else { above }).trailing_zeros() as usize;
        // The pointer's own word is looked at only if something is in it: with many groups it is seldom near.
        let (mut word, mask) = if summary >> first & 1 == 0 { (other, u64::MAX) } else { (first, after) };
        let mut eligible = self.eligible(end, word) & mask;
        if eligible == 0 {
            word = other;
            eligible = self.eligible(end, word);
        }
        let bit = eligible & eligible.wrapping_neg();
        let left = u64::from(self.clear(end, word, bit, spent));
        let group = word * 64 + eligible.trailing_zeros() as usize;
        let own = &mut self.ends[end];
        own.pointer = (group + 1) as u16 & self.last;
        if !flat {
            own.summary = summary & !(1 << word) | left << word;
            own.ready -= 1;
        }
        (end, group)
    }

    /// The same for one end, if it has a group to send.
    #[inline(always)]
    pub(super) fn send_one(&mut self, end: usize, spends: bool) -> Option<usize> {
        let summary = self.summary(end);
        (summary != 0).then(|| self.send((end as u32) << 4 | summary as u32 & 15, spends).1)
    }

    /// The group, which has no cell here, has used its last credit, if `last`.
    #[inline(always)]
    pub(super) fn exhaust(&mut self, end: usize, group: usize, last: bool) {
        let at = self.credits_at(self.cells(end, group));
        self.bits[at] &= !(u64::from(last) << (group % 64));
    }

    /// Credits of a link as a whole, to be changed.
    #[inline(always)]
    pub(super) fn credits(&mut self, end: usize) -> &mut u16 {
        &mut self.ends[end].credits
    }

    /// Cells that have a credit: what an imbalance count is weighed with.
    #[inline(always)]
    pub(super) fn ready(&self, end: usize) -> u16 {
        let End { ready, credits, .. } = self.ends[end];
        let ready = if self.is_flat() {
            (0..self.layout().words()).map(|word| self.eligible(end, word).count_ones() as u16).sum()
        } else {
            ready
        };
        if credits == 0 { 0 } else { ready }
    }
}
