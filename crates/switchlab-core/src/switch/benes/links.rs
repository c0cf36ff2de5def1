//! The sending ends of links: which flow groups have a cell to send, which have a credit, and whose turn it is.
//!
//! For each end and 64 flow groups, one word says which have a cell in the output buffer and one which have a credit. A summary word says in which of these
//! pairs of words a group has both, so that a scheduler finds the next group in a few instructions, however many groups there are.
//! Rows of eligible groups that are scanned were rejected: at 1024 ports a scan reads 16 words for each cell sent.

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
    /// Bit w: among groups 64 w to 64 w + 63 one has a cell and a credit.
    summary: u64,
    /// The group after the one that was sent last.
    pub(super) pointer: u16,
    /// Groups that have a cell and a credit; with backpressure per link, groups that have a cell.
    ready: u16,
    /// Credits of the whole link. [`UNCOUNTED`] with backpressure per group.
    pub(super) credits: u16,
}

/// Credits of a link that are not counted as such.
pub(super) const UNCOUNTED: u16 = u16::MAX;

/// All sending ends; end `link * ports + position`.
#[derive(Clone, Debug)]
pub(super) struct Links {
    groups: usize,
    words: usize,
    pairs: Vec<Pair>,
    ends: Vec<End>,
}

impl Links {
    /// Ends of links with that many groups, each of which has a credit and none a cell. `credits` for each link as a whole.
    pub(super) fn new(groups: usize, credits: impl IntoIterator<Item = u16>) -> Self {
        let ends: Vec<End> =
            credits.into_iter().map(|credits| End { summary: 0, pointer: 0, ready: 0, credits }).collect();
        let words = groups.div_ceil(64);
        Self { groups, words, pairs: vec![Pair { cells: 0, credits: u64::MAX }; words * ends.len()], ends }
    }

    #[inline(always)]
    fn pair(&mut self, end: usize, group: usize) -> (&mut Pair, &mut End, u64, u64) {
        let pair = &mut self.pairs[end * self.words + group / 64];
        (pair, &mut self.ends[end], 1 << (group % 64), 1 << (group / 64))
    }

    /// The group has a cell to send.
    #[inline(always)]
    pub(super) fn fill(&mut self, end: usize, group: usize) {
        let (pair, end, bit, word) = self.pair(end, group);
        let fresh = pair.credits & bit & !pair.cells != 0;
        pair.cells |= bit;
        end.ready += u16::from(fresh);
        if fresh {
            end.summary |= word;
        }
    }

    /// Sends from the first group at or after the pointer that has a cell and a credit; it has no cell afterwards, and the pointer stands behind it.
    #[inline(always)]
    pub(super) fn send(&mut self, end: usize) -> Option<usize> {
        let End { summary, pointer, credits, .. } = self.ends[end];
        if summary == 0 || credits == 0 {
            return None;
        }
        let pairs = &mut self.pairs[end * self.words..(end + 1) * self.words];
        let first = pointer as usize / 64;
        let here = pairs[first].cells & pairs[first].credits & (u64::MAX << (pointer % 64));
        let (word, eligible) = if here != 0 {
            (first, here)
        } else {
            // Words above the pointer's, then from word 0 on, its own included.
            let above = summary & (u64::MAX << first << 1);
            let word = (if above != 0 { above } else { summary }).trailing_zeros() as usize;
            (word, pairs[word].cells & pairs[word].credits)
        };
        let bit = eligible & eligible.wrapping_neg();
        let group = word * 64 + eligible.trailing_zeros() as usize;
        let pair = &mut pairs[word];
        pair.cells &= !bit;
        let left = u64::from(pair.cells & pair.credits != 0);
        let end = &mut self.ends[end];
        end.summary = end.summary & !(1 << word) | left << word;
        end.pointer = if group + 1 == self.groups { 0 } else { group as u16 + 1 };
        end.ready -= 1;
        Some(group)
    }

    /// The group, which has no cell here, has used its last credit.
    #[inline(always)]
    pub(super) fn exhaust(&mut self, end: usize, group: usize) {
        let (pair, .., bit, _) = self.pair(end, group);
        pair.credits &= !bit;
    }

    /// The group has a credit again.
    #[inline(always)]
    pub(super) fn restore(&mut self, end: usize, group: usize) {
        let (pair, end, bit, word) = self.pair(end, group);
        let fresh = pair.cells & bit & !pair.credits != 0;
        pair.credits |= bit;
        end.ready += u16::from(fresh);
        if fresh {
            end.summary |= word;
        }
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
        if credits == 0 { 0 } else { ready }
    }

    /// Whether no group has a cell, with backpressure per link.
    #[inline(always)]
    pub(super) fn is_idle(&self, end: usize) -> bool {
        self.ends[end].ready == 0
    }

    /// Whether a group has a cell, and whether it has a credit.
    pub(super) fn look(&self, end: usize, group: usize) -> (bool, bool) {
        let Pair { cells, credits } = self.pairs[end * self.words + group / 64];
        (cells >> (group % 64) & 1 != 0, credits >> (group % 64) & 1 != 0)
    }

    /// The end itself.
    pub(super) fn end(&self, end: usize) -> End {
        self.ends[end]
    }

    /// What a summary and a count of ready groups should be, counted.
    pub(super) fn is_sound(&self, end: usize) -> bool {
        let pairs = &self.pairs[end * self.words..(end + 1) * self.words];
        let eligible = pairs.iter().map(|pair| pair.cells & pair.credits);
        let summary = eligible.clone().zip(0..).map(|(word, at)| u64::from(word != 0) << at).sum::<u64>();
        let ready: u32 = eligible.map(u64::count_ones).sum();
        self.ends[end].summary == summary && u32::from(self.ends[end].ready) == ready
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::{BTreeMap, BTreeSet};
    use proptest::prelude::*;

    proptest! {
        /// Against two sets for each end.
        #[test]
        fn behaves_as_sets(groups in 1usize..300, operations in prop::collection::vec((0usize..4, 0usize..2, 0usize..300), 0..600)) {
            let mut links = Links::new(groups, [UNCOUNTED; 2]);
            let mut cells: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::from([(0, BTreeSet::new()), (1, BTreeSet::new())]);
            let mut lacking = cells.clone();
            let mut pointers = [0, 0];
            for (operation, end, group) in operations {
                let group = group % groups;
                let (own, without) = (cells.get_mut(&end).unwrap(), lacking.get_mut(&end).unwrap());
                match operation {
                    0 => {
                        links.fill(end, group);
                        own.insert(group);
                    }
                    1 if !own.contains(&group) => {
                        links.exhaust(end, group);
                        without.insert(group);
                    }
                    2 => {
                        links.restore(end, group);
                        without.remove(&group);
                    }
                    _ => {
                        let mut turn = (0..groups).map(|step| (pointers[end] + step) % groups);
                        let expected = turn.find(|group| own.contains(group) && !without.contains(group));
                        prop_assert_eq!(links.send(end), expected);
                        if let Some(sent) = expected {
                            own.remove(&sent);
                            pointers[end] = (sent + 1) % groups;
                        }
                    }
                }
                prop_assert!(links.is_sound(end));
                prop_assert_eq!(links.ready(end) as usize, own.difference(without).count());
                prop_assert_eq!(links.end(end).pointer as usize, pointers[end]);
                prop_assert_eq!(links.look(end, group), (own.contains(&group), !without.contains(&group)));
            }
        }
    }
}
