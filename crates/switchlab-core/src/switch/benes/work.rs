//! Which flow groups of which elements may be able to move a cell.
//!
//! A group is tried when a cell has come to it or has left one of its output buffers; a group that waits for either costs nothing.

use alloc::vec;
use alloc::vec::Vec;

/// A bit for each element and group, and a summary of words for each element.
#[derive(Clone, Debug)]
pub(super) struct Work {
    elements: usize,
    groups: usize,
    rows: Vec<u64>,
    summaries: Vec<u64>,
}

/// The work of one stage, during a step.
pub(super) struct Todo<'a> {
    /// log2 of the groups, and the words of a row.
    groups: u32,
    words: usize,
    rows: &'a mut [u64],
    summaries: &'a mut [u64],
}

impl Work {
    /// Nothing to do for that many stages, elements in each and groups, a power of two.
    pub(super) fn new(stages: usize, elements: usize, groups: usize) -> Self {
        let words = groups.div_ceil(64);
        Self { elements, groups, rows: vec![0; stages * elements * words], summaries: vec![0; stages * elements] }
    }

    /// What is to be done in a stage.
    #[inline(always)]
    pub(super) fn stage(&mut self, stage: usize) -> Todo<'_> {
        let (first, last, words) = (stage * self.elements, (stage + 1) * self.elements, self.groups.div_ceil(64));
        Todo {
            groups: self.groups.trailing_zeros(),
            words,
            rows: &mut self.rows[first * words..last * words],
            summaries: &mut self.summaries[first..last],
        }
    }

    /// Whether a group is to be tried.
    pub(super) fn has(&self, stage: usize, element: usize, group: usize) -> bool {
        let row = (stage * self.elements + element) * self.groups.div_ceil(64);
        self.rows[row + group / 64] >> (group % 64) & 1 != 0
    }
}

impl Todo<'_> {
    /// A group, `element * groups + group`, is to be tried, if `wanted`.
    #[inline(always)]
    pub(super) fn add(&mut self, at: usize, wanted: bool) {
        let (element, group) = (at >> self.groups, at & ((1 << self.groups) - 1));
        self.rows[element * self.words + group / 64] |= u64::from(wanted) << (group % 64);
        self.summaries[element] |= u64::from(wanted) << (group / 64);
    }

    /// Lists what is to be done, ascending, and forgets it.
    #[inline(always)]
    pub(super) fn collect(&mut self, list: &mut Vec<u32>) {
        list.clear();
        for (element, summary) in self.summaries.iter_mut().enumerate() {
            let mut words = core::mem::take(summary);
            while words != 0 {
                let word = words.trailing_zeros() as usize;
                words &= words - 1;
                let mut row = core::mem::take(&mut self.rows[element * self.words + word]);
                let first = (element << self.groups) + word * 64;
                list.reserve(64);
                while row != 0 {
                    list.push((first + row.trailing_zeros() as usize) as u32);
                    row &= row - 1;
                }
            }
        }
    }
}
