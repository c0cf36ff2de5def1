//! Which flow groups of which elements may be able to move a cell.
//!
//! A group is tried when a cell has come to it or has left one of its output buffers; a group that waits for either costs nothing.

use alloc::vec;
use alloc::vec::Vec;

/// A bit for each element and group, and a summary of words for each element.
#[derive(Clone, Debug)]
pub(super) struct Work {
    words: usize,
    rows: Vec<u64>,
    summaries: Vec<u64>,
}

impl Work {
    /// Nothing to do for that many elements, of all stages, and groups.
    pub(super) fn new(elements: usize, groups: usize) -> Self {
        let words = groups.div_ceil(64);
        Self { words, rows: vec![0; elements * words], summaries: vec![0; elements] }
    }

    /// Something may be possible for a group.
    #[inline(always)]
    pub(super) fn add(&mut self, element: usize, group: usize) {
        self.rows[element * self.words + group / 64] |= 1 << (group % 64);
        self.summaries[element] |= 1 << (group / 64);
    }

    /// Words of groups of an element to be tried, as a set; forgotten here.
    #[inline(always)]
    pub(super) fn words(&mut self, element: usize) -> u64 {
        core::mem::take(&mut self.summaries[element])
    }

    /// Groups of such a word, forgotten here.
    #[inline(always)]
    pub(super) fn groups(&mut self, element: usize, word: usize) -> u64 {
        core::mem::take(&mut self.rows[element * self.words + word])
    }

    /// Whether a group is to be tried.
    pub(super) fn has(&self, element: usize, group: usize) -> bool {
        self.rows[element * self.words + group / 64] >> (group % 64) & 1 != 0
    }
}
