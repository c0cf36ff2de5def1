//! The buffers of all elements.
//!
//! A flow group of an element has P input buffers and P output buffers (one, where groups are not split): 2 P N buffers per element, nearly
//! all of them empty. So a group has buffers only while a cell is in one of them: a record in a pool that all elements share, last freed first used. A cell that
//! leaves nothing behind frees the record that the next element takes for it, which is still in cache.
//!
//! What stays is one word of 32 bits per element and group: where its record is, or, without one, what the element remembers of the group.
//!
//! ```text
//!   words:    with a cell     [ 1 | where its record is ]
//!             without         [ 0 |  merge | pointer | round ]        records:  [ what is known | P first cells | P output cells ]
//! ```
//!
//! With elements of 4 x 4 a record is a line of cache: 8 bytes for what is known, and 7 for each of 8 cells.
//!
//! Rejected: buffers for every group, 64 bytes instead of 4; 16 bytes for every group, with all but the cells: 42 MB at 1024 ports where words
//! are 10; and records of two lines, with 8 bytes for a cell.

use super::group::{Group, MEMORY, POINTER};
use super::large::{GROUPS, Large};
use super::record::{Inner, Packed, Record};
use super::settings::GENERAL;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

/// The word of a group: the highest bit tells a place from what is remembered.
const OPEN: u32 = 1 << 31;

/// Where a group that has a cell has its record.
#[inline(always)]
pub(super) fn place(word: u32) -> usize {
    (word & !OPEN) as usize
}

/// Where a group has its record, if it has one; else 0. No branch.
#[inline(always)]
pub(super) fn place_if_open(word: u32) -> usize {
    place(word & (word.cast_signed() >> 31).cast_unsigned())
}

/// Whether a group has a record.
#[inline(always)]
fn is_open(word: u32) -> bool {
    word & OPEN != 0
}

/// What else has to be known of input buffers with room for several cells, or credits that take their time.
#[derive(Clone, Copy, Debug)]
struct Levels<const P: usize> {
    /// Cells in each input buffer.
    counts: [u8; P],
    /// Credits for each input buffer that are on their way back.
    returning: [u8; P],
}

/// All groups and records.
#[derive(Clone, Debug)]
pub(super) struct Store<const P: usize> {
    /// By stage, element and group.
    pub(super) words: Vec<u32>,
    pub(super) pool: Pool<P>,
    /// A large fabric keeps its groups and records here instead.
    pub(super) large: Option<Box<Large<P>>>,
    /// Bits of a cell's number.
    pub(super) bits: u32,
}

/// The records.
#[derive(Clone, Debug)]
pub(super) struct Pool<const P: usize> {
    /// By place.
    pub(super) records: Vec<Record<P>>,
    /// By place, if they are counted.
    levels: Vec<Levels<P>>,
    counted: bool,
    /// By place and port: the cells behind the first, `behind` at most.
    rest: Vec<Packed>,
    behind: usize,
    /// By place and cell, if a record has no room for them: the highest 8 bits of cells.
    tops: Vec<[[u8; P]; 2]>,
    wide: bool,
    /// log2 N.
    ports: u32,
    /// Free places, and how many of them there are: no more than the first so many are meant.
    free: Vec<u32>,
    left: usize,
}

/// The pool, during a step: slices and the number of free places in registers. Closed when dropped.
pub(super) struct Buffers<'a, const P: usize> {
    pub(super) records: &'a mut [Record<P>],
    /// log2 N.
    pub(super) bits: u32,
    pub(super) depths: Depths<'a, P>,
    free: &'a mut [u32],
    left: usize,
    home: &'a mut usize,
}

impl<const P: usize> Drop for Buffers<'_, P> {
    #[inline(always)]
    fn drop(&mut self) {
        *self.home = self.left;
    }
}

/// What input buffers hold beyond their first cells.
pub(super) struct Depths<'a, const P: usize> {
    levels: &'a mut [Levels<P>],
    rest: &'a mut [Packed],
    behind: usize,
    tops: &'a mut [[[u8; P]; 2]],
}

impl<const P: usize> Store<P> {
    /// Empty groups whose input buffers hold at most `depth` cells, with credits that may take their time. Cells have numbers of so many bits, and are `wide` if they
    /// do not fit into 56 bits with it.
    pub(super) fn new(groups: usize, depth: usize, slow_credits: bool, (bits, wide): (u32, bool), ports: u32) -> Self {
        let pool = Pool {
            records: Vec::new(),
            levels: Vec::new(),
            counted: depth > 1 || slow_credits,
            rest: Vec::new(),
            behind: depth - 1,
            tops: Vec::new(),
            wide,
            ports,
            free: Vec::new(),
            left: 0,
        };
        Self { words: vec![0; groups], pool, large: None, bits }
    }

    /// Where a group's pointer begins.
    pub(super) fn set_pointer(&mut self, at: usize, pointer: u8) {
        let memory = u32::from(pointer) << POINTER;
        match &mut self.large {
            Some(large) => large.remember(at, memory),
            None => self.words[at] = memory,
        }
    }

    /// The groups of all elements, but for some that have no record.
    pub(super) fn places(&self) -> impl Iterator<Item = usize> + '_ {
        let groups = self.large.as_ref().map_or(self.words.len(), |large| large.groups());
        let some = |line: &usize| self.large.as_ref().is_none_or(|large| large.is_any_open(*line));
        (0..groups.div_ceil(GROUPS)).filter(some).flat_map(move |line| line * GROUPS..groups.min((line + 1) * GROUPS))
    }

    /// The record of a group, if it has one.
    pub(super) fn record(&self, at: usize) -> Option<&Record<P>> {
        if let Some(large) = &self.large {
            return large.record(at);
        }
        let word = self.words[at];
        is_open(word).then(|| &self.pool.records[place(word)])
    }

    /// What is known of a group.
    pub(super) fn group(&self, at: usize) -> Group {
        if let Some(large) = &self.large {
            return large.group(at);
        }
        self.record(at).map_or(Group(u64::from(self.words[at])), |record| record.group)
    }

    /// The first cell of an input buffer, which has one.
    pub(super) fn head(&self, at: usize, port: usize) -> Option<Inner> {
        self.record(at).map(|record| self.whole(at, record.head(port), (0, port)).inner(self.bits))
    }

    /// The cell of an output buffer, if it has one.
    pub(super) fn out(&self, at: usize, part: usize) -> Option<Inner> {
        let record = self.record(at).filter(|record| record.group.outputs() >> part & 1 != 0)?;
        Some(self.whole(at, record.out(part), (1, part)).inner(self.bits))
    }

    fn whole(&self, at: usize, cell: Packed, (side, port): (usize, usize)) -> Packed {
        let tops = self.words.get(at).and_then(|&word| self.pool.tops.get(place(word)));
        let top = tops.map_or(0, |tops| tops[side][port]);
        Packed(cell.0 | u64::from(top) << 56)
    }

    /// Cells in an input buffer, and credits for it that are on their way back.
    pub(super) fn level(&self, at: usize, port: usize) -> (usize, usize) {
        let levels =
            self.words.get(at).filter(|&&word| is_open(word)).and_then(|&word| self.pool.levels.get(place(word)));
        match levels {
            Some(levels) => (levels.counts[port].into(), levels.returning[port].into()),
            None => (usize::from(self.group(at).inputs() >> port & 1), 0),
        }
    }

    /// The cells in an input buffer, the first first.
    pub(super) fn input(&self, at: usize, port: usize) -> impl Iterator<Item = Inner> + '_ {
        let count = self.level(at, port).0;
        let first = || (place(self.words[at]) * P + port) * self.pool.behind;
        let rest = if count > 1 { &self.pool.rest[first()..][..count - 1] } else { &[] };
        let head = if count > 0 { self.head(at, port) } else { None };
        head.into_iter().chain(rest.iter().map(|cell| cell.inner(self.bits)))
    }
}

impl<const P: usize> Pool<P> {
    /// Places are added so many at a time.
    const MORE: usize = 1024;

    /// Makes sure that there are so many free places: then none is missing during a step.
    #[inline(always)]
    pub(super) fn provide(&mut self, places: usize) {
        if self.left < places {
            self.grow(places);
        }
    }

    #[cold]
    fn grow(&mut self, places: usize) {
        let first = self.records.len();
        let last = first + Self::MORE.max(first / 2).max(places);
        self.records.resize(last, Record::EMPTY);
        if self.counted {
            self.levels.resize(last, Levels { counts: [0; P], returning: [0; P] });
        }
        self.rest.resize(last * P * self.behind, Packed::default());
        if self.wide {
            self.tops.resize(last, [[0; P]; 2]);
        }
        // Behind those that have been in use, which are still in cache.
        let used: Vec<u32> = self.free[..self.left].to_vec();
        self.free.clear();
        self.free.extend((first as u32..last as u32).rev().chain(used));
        self.left = self.free.len();
        self.free.resize(last, 0);
    }

    /// The buffers, for a step.
    #[inline(always)]
    pub(super) fn open(&mut self) -> Buffers<'_, P> {
        let bits = self.ports;
        let Self { records, levels, rest, behind, tops, free, left, .. } = self;
        Buffers { records, bits, depths: Depths { levels, rest, behind: *behind, tops }, free, left: *left, home: left }
    }
}

impl<const P: usize> Buffers<'_, P> {
    /// The place of a group, which gets one if it has none, and what is known of it. There are enough. No branch: nobody could predict it.
    #[inline(always)]
    pub(super) fn place(&mut self, word: &mut u32) -> (usize, Group) {
        let old = *word;
        // All ones if it has one. Masks, since a choice by a condition is compiled to a branch here.
        let open = (old.cast_signed() >> 31).cast_unsigned();
        let new = self.free[self.left - 1];
        self.left -= (!open & 1) as usize;
        let own = old & open | (OPEN | new) & !open;
        *word = own;
        // Nothing is known of a group in a record that is free, so that there is nothing to choose.
        let group = self.records[place(own)].group;
        (place(own), Group(group.0 | u64::from(old & !open)))
    }

    /// The place of a group, which gets one if it has none; then what is remembered of it is known there.
    #[inline(always)]
    pub(super) fn prepare(&mut self, word: &mut u32) -> usize {
        let (place, group) = self.place(word);
        self.records[place].group = group;
        place
    }

    /// Keeps what is known of a group, and takes its own place from it if it has nothing in its buffers, or on its way back from there. No branch again.
    #[inline(always)]
    pub(super) fn close_or_keep<const KIND: u8>(&mut self, word: &mut u32, own: usize, group: Group) {
        let idle = group.is_empty() & (KIND != GENERAL || self.depths.all_returned(own));
        self.free[self.left] = own as u32;
        self.left += usize::from(idle);
        *word = if idle { (group.0 & MEMORY) as u32 } else { OPEN | own as u32 };
        self.records[own].group = if idle { Group(0) } else { group };
    }
}

impl<const P: usize> Depths<'_, P> {
    #[inline(always)]
    fn counted(&self) -> bool {
        !self.levels.is_empty()
    }

    /// Appends a cell to an input buffer, which has room; says how many credits its sender lacks now.
    #[inline(always)]
    pub(super) fn push(
        &mut self,
        record: &mut Record<P>,
        is_first: bool,
        place: usize,
        port: usize,
        cell: Packed,
    ) -> usize {
        if is_first {
            self.set_head(record, place, port, cell);
        }
        if !self.counted() {
            return 1;
        }
        let levels = &mut self.levels[place];
        let before = usize::from(levels.counts[port]);
        levels.counts[port] += 1;
        let lent = usize::from(levels.counts[port]) + usize::from(levels.returning[port]);
        if !is_first {
            self.rest[(place * P + port) * self.behind + before - 1] = cell;
        }
        lent
    }

    fn set_head(&mut self, record: &mut Record<P>, place: usize, port: usize, cell: Packed) {
        record.set_head(port, cell);
        if let Some(tops) = self.tops.get_mut(place) {
            tops[0][port % P] = (cell.0 >> 56) as u8;
        }
    }

    /// A cell as it was before a record kept it.
    #[inline(always)]
    pub(super) fn out(&self, record: &Record<P>, place: usize, part: usize) -> Packed {
        let top = self.tops.get(place).map_or(0, |tops| tops[1][part % P]);
        Packed(record.out(part).0 | u64::from(top) << 56)
    }

    /// The first cell of an input buffer has gone to an output buffer, and the next one takes its place.
    #[inline(always)]
    pub(super) fn follow(
        &mut self,
        record: &mut Record<P>,
        group: &mut Group,
        place: usize,
        (port, part): (usize, usize),
    ) {
        if let Some(tops) = self.tops.get_mut(place) {
            tops[1][part % P] = tops[0][port % P];
        }
        if !self.counted() {
            return;
        }
        let levels = &mut self.levels[place];
        levels.counts[port % P] -= 1;
        let left = usize::from(levels.counts[port % P]);
        if left > 0 {
            // A handful of cells at most: moving them up is simpler than a ring, and no slower.
            let at = (place * P + port) * self.behind;
            self.set_head(record, place, port, self.rest[at]);
            group.come(port);
            self.rest.copy_within(at + 1..at + left, at);
        }
    }

    /// A credit is on its way back, or no longer.
    pub(super) fn returning(&mut self, place: usize, port: usize) -> &mut u8 {
        &mut self.levels[place].returning[port]
    }

    #[inline(always)]
    fn all_returned(&self, place: usize) -> bool {
        !self.counted() || self.levels[place].returning == [0; P]
    }

    /// Cells in the input buffers of a group.
    #[inline(always)]
    pub(super) fn waiting(&self, group: Group, place: usize) -> u16 {
        if self.counted() {
            self.levels[place].counts.iter().map(|&count| u16::from(count)).sum()
        } else {
            group.inputs().count_ones() as u16
        }
    }
}
