//! Which flow groups of which elements may be able to move a cell.
//!
//! A group is tried when a cell has come to it that it can move, or has left one of its output buffers; a group that waits for either costs nothing.
//!
//! Where the groups of a stage have nothing to do with each other, it does not matter in what order they are tried, and they are in a list. Where what one does is seen by the next, by
//! ready cells or random draws, elements and groups ascend: a bit for each.

use super::settings::LEAN;
use alloc::vec;
use alloc::vec::Vec;

/// A group that is to be tried: where its stage keeps it, and its record's place.
pub(super) type Listed = (u32, u32);

/// The work of all stages.
#[derive(Clone, Debug)]
pub(super) struct Work {
    elements: usize,
    groups: usize,
    /// By stage, without order: room for all that can be listed, and how many are.
    lists: Vec<(Vec<Listed>, usize)>,
    /// With order: a bit for each element and group, and a summary of words for each element.
    rows: Vec<u64>,
    summaries: Vec<u64>,
}

/// The work of one stage, during a step.
pub(super) struct Todo<'a> {
    /// log2 of the groups, and the words of a row.
    groups: u32,
    words: usize,
    pub(super) list: &'a mut [Listed],
    /// How many are listed, in a register; put back when dropped.
    pub(super) length: usize,
    home: &'a mut usize,
    rows: &'a mut [u64],
    summaries: &'a mut [u64],
}

impl Work {
    /// Nothing to do for that many stages, elements in each and groups, a power of two.
    pub(super) fn new(stages: usize, elements: usize, groups: usize, ordered: bool) -> Self {
        let words = groups.div_ceil(64);
        let rows = if ordered { stages * elements } else { 0 };
        Self {
            elements,
            groups,
            // In a slot a cell comes and one goes at each port of a stage, at most. Twice as much is a power of two.
            lists: vec![(vec![(0, 0); if ordered { 0 } else { 4 * groups }], 0); stages],
            rows: vec![0; rows * words],
            summaries: vec![0; rows],
        }
    }

    /// What is to be done in a stage.
    #[inline(always)]
    pub(super) fn stage(&mut self, stage: usize) -> Todo<'_> {
        let words = self.groups.div_ceil(64);
        let (first, last) =
            if self.rows.is_empty() { (0, 0) } else { (stage * self.elements, (stage + 1) * self.elements) };
        let (list, length) = &mut self.lists[stage];
        Todo {
            groups: self.groups.trailing_zeros(),
            words,
            list,
            length: *length,
            home: length,
            rows: &mut self.rows[first * words..last * words],
            summaries: &mut self.summaries[first..last],
        }
    }

    /// What is to be done in the stages before and behind a link.
    #[inline(always)]
    pub(super) fn around(&mut self, link: usize) -> (Todo<'_>, Todo<'_>) {
        let (groups, words) = (self.groups.trailing_zeros(), self.groups.div_ceil(64));
        let (first, size) = if self.rows.is_empty() { (0, 0) } else { ((link - 1) * self.elements, self.elements) };
        let (lists, lists_beyond) = self.lists[link - 1..=link].split_at_mut(1);
        let ((list, length), (list_beyond, length_beyond)) = (&mut lists[0], &mut lists_beyond[0]);
        let (rows, rows_beyond) = self.rows[first * words..(first + 2 * size) * words].split_at_mut(size * words);
        let (summaries, summaries_beyond) = self.summaries[first..first + 2 * size].split_at_mut(size);
        (
            Todo { groups, words, list, length: *length, home: length, rows, summaries },
            Todo {
                groups,
                words,
                list: list_beyond,
                length: *length_beyond,
                home: length_beyond,
                rows: rows_beyond,
                summaries: summaries_beyond,
            },
        )
    }

    /// Whether a group is to be tried.
    pub(super) fn has(&self, stage: usize, element: usize, group: usize) -> bool {
        let row = (stage * self.elements + element) * self.groups.div_ceil(64);
        let listed = |&(at, _): &Listed| at as usize == element * self.groups + group;
        self.rows.get(row + group / 64).map_or_else(
            || self.lists[stage].0[..self.lists[stage].1].iter().any(listed),
            |word| word >> (group % 64) & 1 != 0,
        )
    }
}

impl Drop for Todo<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        *self.home = self.length;
    }
}

impl Todo<'_> {
    /// A group, `element * groups + group`, is to be tried if `wanted`: in a lean fabric, if it is not in the list already. No branch on what nobody could predict.
    #[inline(always)]
    pub(super) fn add<const KIND: u8>(&mut self, at: usize, place: usize, wanted: bool) {
        if KIND == LEAN {
            self.push(at, place, wanted);
        } else {
            self.mark(at, wanted);
        }
    }

    /// A group of a lean fabric is to be tried if `wanted`, and is not in the list already.
    #[inline(always)]
    pub(super) fn push(&mut self, at: usize, place: usize, wanted: bool) {
        self.list[self.length] = (at as u32, place as u32);
        self.length += usize::from(wanted);
    }

    /// A group is to be tried in order, if `wanted`.
    #[inline(always)]
    pub(super) fn mark(&mut self, at: usize, wanted: bool) {
        let (element, group) = (at >> self.groups, at & ((1 << self.groups) - 1));
        self.rows[element * self.words + group / 64] |= u64::from(wanted) << (group % 64);
        self.summaries[element] |= u64::from(wanted) << (group / 64);
    }

    /// All that is listed in a lean fabric, which is forgotten.
    #[inline(always)]
    pub(super) fn all(&mut self) -> &[Listed] {
        &self.list[..core::mem::take(&mut self.length)]
    }

    /// Lists what is to be done, in order if that matters, and forgets it. `place` knows the record of a group.
    #[inline(always)]
    pub(super) fn collect(&mut self, tries: &mut Vec<Listed>, place: impl Fn(usize) -> u32) {
        tries.clear();
        if self.rows.is_empty() {
            tries.extend_from_slice(&self.list[..self.length]);
            self.length = 0;
            return;
        }
        for (element, summary) in self.summaries.iter_mut().enumerate() {
            let mut words = core::mem::take(summary);
            while words != 0 {
                let word = words.trailing_zeros() as usize;
                words &= words - 1;
                let mut row = core::mem::take(&mut self.rows[element * self.words + word]);
                let first = (element << self.groups) + word * 64;
                while row != 0 {
                    let at = first + row.trailing_zeros() as usize;
                    tries.push((at as u32, place(at)));
                    row &= row - 1;
                }
            }
        }
    }
}
