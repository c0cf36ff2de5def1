//! The sending ends of links: which flow groups have a cell to send, which have a credit, and whose turn it is.
//!
//! For each end and 64 flow groups, one word says which have a cell in the output buffer and one which have a credit. With more than 256 groups, a summary word says in which of these
//! pairs of words a group has both, so that a scheduler finds the next group in a few instructions, however many groups there are.
//! Without it, at 1024 ports, a scan would read 16 pairs for each cell sent. So was a bit for each end that has something to send: most have, and
//! to look at all of them once in a slot costs less than to keep such bits with every cell and credit.

use alloc::vec;
use alloc::vec::Vec;

#[derive(Clone, Copy, Debug)]
struct Pair {
    cells: u64,
    credits: u64,
}

/// One sending end.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    /// Bit w: among groups 64 w to 64 w + 63 one has a cell and a credit. Not kept by flat links.
    summary: u64,
    /// The group after the one that was sent last.
    pub(super) pointer: u16,
    /// Groups that have a cell and a credit; with backpressure per link, groups that have a cell. Not kept by flat links.
    ready: u16,
    /// Credits of the whole link. [`UNCOUNTED`] with backpressure per group.
    pub(super) credits: u16,
}

/// Ends with so many pairs or fewer, a line of cache, are flat: they are looked through when it is their turn, and cells and credits set a bit and nothing else.
const FLAT: usize = 4;

/// Credits of a link that are not counted as such.
pub(super) const UNCOUNTED: u16 = u16::MAX;

/// All sending ends, in sections: one for each link.
#[derive(Clone, Debug)]
pub(super) struct Links {
    groups: usize,
    words: usize,
    /// The ends of a section, made up to a multiple of 64.
    section: usize,
    pairs: Vec<Pair>,
    ends: Vec<End>,
}

/// The ends of one link, during a step: slices in registers, which vectors behind `&mut self` would have to be loaded for again after every store. `WORDS` are
/// the pairs of an end, or 0 if that is not known before.
pub(super) struct Section<'a, const WORDS: usize> {
    pairs: &'a mut [Pair],
    ends: &'a mut [End],
    words: usize,
    /// The last group: a number of ones.
    last: u16,
}

impl Links {
    /// Sections of that many ends, a power of two, with as many groups, each of which has a credit and none a cell. `credits` for each link of a section as a whole.
    pub(super) fn new(ports: usize, credits: impl IntoIterator<Item = u16>) -> Self {
        let section = ports.next_multiple_of(64);
        let end = |credits| End { summary: 0, pointer: 0, ready: 0, credits };
        let ends: Vec<End> = credits.into_iter().flat_map(|credits| (0..section).map(move |_| end(credits))).collect();
        let words = ports.div_ceil(64);
        let pairs = vec![Pair { cells: 0, credits: u64::MAX }; words * ends.len()];
        Self { groups: ports, words, section, pairs, ends }
    }

    /// The ends of a link.
    #[inline(always)]
    pub(super) fn section<const WORDS: usize>(&mut self, link: usize) -> Section<'_, WORDS> {
        let (first, last) = (link * self.section, (link + 1) * self.section);
        let pairs = &mut self.pairs[first * self.words..last * self.words];
        Section { pairs, ends: &mut self.ends[first..last], words: self.words, last: (self.groups - 1) as u16 }
    }

    /// The ends of the links to a stage and of those out of it.
    #[inline(always)]
    pub(super) fn around<const WORDS: usize>(&mut self, stage: usize) -> (Section<'_, WORDS>, Section<'_, WORDS>) {
        let (first, section, words) = (stage * self.section, self.section, self.words);
        let last = (self.groups - 1) as u16;
        let (pairs, pairs_out) = self.pairs[first * words..(first + 2 * section) * words].split_at_mut(section * words);
        let (ends, ends_out) = self.ends[first..first + 2 * section].split_at_mut(section);
        (Section { pairs, ends, words, last }, Section { pairs: pairs_out, ends: ends_out, words, last })
    }

    /// Whether a group has a cell at an end, and whether it has a credit.
    pub(super) fn look(&self, link: usize, end: usize, group: usize) -> (bool, bool) {
        let Pair { cells, credits } = self.pairs[(link * self.section + end) * self.words + group / 64];
        (cells >> (group % 64) & 1 != 0, credits >> (group % 64) & 1 != 0)
    }

    /// The end itself.
    pub(super) fn end(&self, link: usize, end: usize) -> End {
        self.ends[link * self.section + end]
    }

    /// Whether the summary and the count of ready groups are what they should be.
    pub(super) fn is_sound(&self, link: usize, end: usize) -> bool {
        let end = link * self.section + end;
        let pairs = &self.pairs[end * self.words..(end + 1) * self.words];
        let eligible = pairs.iter().map(Pair::eligible);
        let summary = eligible.clone().zip(0..).map(|(word, at)| u64::from(word != 0) << at).sum::<u64>();
        let ready: u32 = eligible.map(u64::count_ones).sum();
        let End { summary: own, ready: known, .. } = self.ends[end];
        self.words <= FLAT || own == summary && u32::from(known) == ready
    }
}

impl Pair {
    /// Groups that have a cell and a credit.
    #[inline(always)]
    fn eligible(&self) -> u64 {
        self.cells & self.credits
    }
}

impl<const WORDS: usize> Section<'_, WORDS> {
    /// Pairs of an end.
    #[inline(always)]
    fn pairs_each(&self) -> usize {
        if WORDS > 0 { WORDS } else { self.words }
    }

    #[inline(always)]
    fn is_flat(&self) -> bool {
        self.pairs_each() <= FLAT
    }

    /// Where the pair of an end and a group is.
    #[inline(always)]
    fn pair(&mut self, end: usize, group: usize) -> &mut Pair {
        let at = end * self.pairs_each() + if WORDS == 1 { 0 } else { group / 64 };
        &mut self.pairs[at]
    }

    /// Words of 64 ends.
    #[inline(always)]
    pub(super) fn words(&self) -> usize {
        self.ends.len() / 64
    }

    /// The ends of a word that have a group to send.
    #[inline(always)]
    pub(super) fn active(&self, word: usize) -> u64 {
        let set = |bits: u64, (at, active): (u32, bool)| bits | u64::from(active) << at;
        let each = self.pairs_each();
        if self.is_flat() {
            let pairs = &self.pairs[word * 64 * each..(word + 1) * 64 * each];
            let any = |pairs: &[Pair]| pairs.iter().fold(0, |any, pair| any | pair.eligible()) != 0;
            return (0..).zip(pairs.chunks_exact(each).map(any)).fold(0, set);
        }
        let ends = &self.ends[word * 64..(word + 1) * 64];
        (0..).zip(ends.iter().map(|end| end.summary != 0)).fold(0, set)
    }

    /// Bit w: among groups 64 w to 64 w + 63 one has a cell and a credit.
    #[inline(always)]
    fn summary(&self, end: usize) -> u64 {
        if !self.is_flat() {
            return self.ends[end].summary;
        }
        let pairs = &self.pairs[end * self.pairs_each()..(end + 1) * self.pairs_each()];
        pairs.iter().zip(0..).fold(0, |bits, (pair, at)| bits | u64::from(pair.eligible() != 0) << at)
    }

    /// Whether an end has no group to send.
    #[inline(always)]
    pub(super) fn is_idle(&self, end: usize) -> bool {
        self.summary(end) == 0
    }

    /// A group gets what it lacked, a cell or a credit. No branches: nobody could predict them.
    #[inline(always)]
    fn wake(&mut self, end: usize, group: usize, fresh: u64) {
        let own = &mut self.ends[end];
        own.ready += fresh as u16;
        own.summary |= fresh << (group / 64);
    }

    /// The group has a cell to send.
    #[inline(always)]
    pub(super) fn fill(&mut self, end: usize, group: usize) {
        let pair = self.pair(end, group);
        let fresh = (pair.credits & !pair.cells) >> (group % 64) & 1;
        pair.cells |= 1 << (group % 64);
        if !self.is_flat() {
            self.wake(end, group, fresh);
        }
    }

    /// The group has a credit again.
    #[inline(always)]
    pub(super) fn restore(&mut self, end: usize, group: usize) {
        let pair = self.pair(end, group);
        let fresh = (pair.cells & !pair.credits) >> (group % 64) & 1;
        pair.credits |= 1 << (group % 64);
        if !self.is_flat() {
            self.wake(end, group, fresh);
        }
    }

    /// Sends from the first group at or after the pointer that has a cell and a credit; it has no cell afterwards, and no credit if it `spends` its only one. The pointer stands
    /// behind it. The end is active.
    #[inline(always)]
    pub(super) fn send(&mut self, end: usize, spends: bool) -> usize {
        let pointer = self.ends[end].pointer;
        let after = u64::MAX << (pointer % 64);
        let spent = if spends { u64::MAX } else { 0 };
        if WORDS == 1 {
            // The same, with nothing to look for.
            let pair = self.pair(end, 0);
            let all = pair.eligible();
            let eligible = if all & after == 0 { all } else { all & after };
            let (group, bit) = (eligible.trailing_zeros(), eligible & eligible.wrapping_neg());
            pair.cells &= !bit;
            pair.credits &= !(bit & spent);
            self.ends[end].pointer = (group + 1) as u16 & self.last;
            return group as usize;
        }
        let (summary, first) = (self.summary(end), pointer as usize / 64);
        // Words above the pointer's, then from word 0 on, its own included.
        let above = summary & (u64::MAX << first << 1);
        let other = (if above == 0 { summary } else { above }).trailing_zeros() as usize;
        // The pointer's own word is looked at only if something is in it: with many groups it is seldom near.
        let (mut word, mask) = if summary >> first & 1 == 0 { (other, u64::MAX) } else { (first, after) };
        let mut eligible = self.pair(end, word * 64).eligible() & mask;
        if eligible == 0 {
            word = other;
            eligible = self.pair(end, word * 64).eligible();
        }
        let pair = self.pair(end, word * 64);
        let bit = eligible & eligible.wrapping_neg();
        pair.cells &= !bit;
        pair.credits &= !(bit & spent);
        let left = u64::from(pair.eligible() != 0);
        let group = word * 64 + eligible.trailing_zeros() as usize;
        let flat = self.is_flat();
        let own = &mut self.ends[end];
        own.pointer = (group + 1) as u16 & self.last;
        if !flat {
            own.summary = summary & !(1 << word) | left << word;
            own.ready -= 1;
        }
        group
    }

    /// The group, which has no cell here, has used its last credit, if `last`.
    #[inline(always)]
    pub(super) fn exhaust(&mut self, end: usize, group: usize, last: bool) {
        self.pair(end, group).credits &= !(u64::from(last) << (group % 64));
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
            let pairs = &self.pairs[end * self.pairs_each()..(end + 1) * self.pairs_each()];
            pairs.iter().map(|pair| pair.eligible().count_ones() as u16).sum()
        } else {
            ready
        };
        if credits == 0 { 0 } else { ready }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::{BTreeMap, BTreeSet};
    use proptest::prelude::*;

    proptest! {
        /// Against two sets for each end; what is known of the size before must not matter.
        #[test]
        fn behaves_as_sets(power in 1u32..11, operations in prop::collection::vec((0usize..5, 0usize..2, 0usize..1024), 0..600)) {
            let groups = 1 << power;
            check::<0>(groups, &operations)?;
            match groups {
                ..=64 => check::<1>(groups, &operations)?,
                256 => check::<4>(groups, &operations)?,
                1024 => check::<16>(groups, &operations)?,
                _ => {}
            }
        }
    }

    fn check<const WORDS: usize>(groups: usize, operations: &[(usize, usize, usize)]) -> Result<(), TestCaseError> {
        let mut links = Links::new(groups, [UNCOUNTED; 2]);
        let mut cells: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::from([(0, BTreeSet::new()), (1, BTreeSet::new())]);
        let mut lacking = cells.clone();
        let mut pointers = [0, 0];
        for &(operation, end, group) in operations {
            let mut section = links.section::<WORDS>(1);
            let group = group % groups;
            let (own, without) = (cells.get_mut(&end).unwrap(), lacking.get_mut(&end).unwrap());
            match operation {
                0 => {
                    section.fill(end, group);
                    own.insert(group);
                }
                1 if !own.contains(&group) => {
                    section.exhaust(end, group, true);
                    without.insert(group);
                }
                2 => {
                    section.restore(end, group);
                    without.remove(&group);
                }
                _ => {
                    let mut turn = (0..groups).map(|step| (pointers[end] + step) % groups);
                    let expected = turn.find(|group| own.contains(group) && !without.contains(group));
                    prop_assert_eq!(section.active(0) >> end & 1 != 0, expected.is_some());
                    prop_assert_eq!(section.is_idle(end), expected.is_none());
                    if let Some(sent) = expected {
                        let spends = operation == 4;
                        prop_assert_eq!(section.send(end, spends), sent);
                        own.remove(&sent);
                        if spends {
                            without.insert(sent);
                        }
                        pointers[end] = (sent + 1) % groups;
                    }
                }
            }
            prop_assert_eq!(section.ready(end) as usize, own.difference(without).count());
            prop_assert!(links.is_sound(1, end));
            prop_assert_eq!(links.end(1, end).pointer as usize, pointers[end]);
            prop_assert_eq!(links.look(1, end, group), (own.contains(&group), !without.contains(&group)));
        }
        Ok(())
    }
}
