//! Which flow groups of which elements may be able to move a cell.
//!
//! A group is tried when a cell has come to it or has left one of its output buffers; a group that waits for either costs nothing.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

/// A bit for each element and group, and a summary of words for each element.
#[derive(Clone, Debug)]
pub(super) struct Work {
    groups: usize,
    words: usize,
    rows: Vec<u64>,
    summaries: Vec<u64>,
}

impl Work {
    /// Nothing to do for that many elements, of all stages, and groups.
    pub(super) fn new(elements: usize, groups: usize) -> Self {
        let words = groups.div_ceil(64);
        Self { groups, words, rows: vec![0; elements * words], summaries: vec![0; elements] }
    }

    /// Something may be possible for a group.
    #[inline(always)]
    pub(super) fn add(&mut self, element: usize, group: usize) {
        self.rows[element * self.words + group / 64] |= 1 << (group % 64);
        self.summaries[element] |= 1 << (group / 64);
    }

    /// Lists what is to be done for some elements as `element * groups + group`, ascending, and forgets it.
    #[inline(always)]
    pub(super) fn collect(&mut self, elements: Range<usize>, list: &mut Vec<u32>) {
        list.clear();
        for element in elements {
            let mut words = core::mem::take(&mut self.summaries[element]);
            while words != 0 {
                let word = words.trailing_zeros() as usize;
                words &= words - 1;
                let mut row = core::mem::take(&mut self.rows[element * self.words + word]);
                let first = element * self.groups + word * 64;
                while row != 0 {
                    list.push((first + row.trailing_zeros() as usize) as u32);
                    row &= row - 1;
                }
            }
        }
    }

    /// Whether a group is to be tried.
    pub(super) fn has(&self, element: usize, group: usize) -> bool {
        self.rows[element * self.words + group / 64] >> (group % 64) & 1 != 0
    }
}
