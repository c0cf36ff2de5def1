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
//! Rejected: buffers for every group, 80 bytes instead of 4 with elements of 4 x 4; and 16 bytes for every group, with all but the cells: 42 MB at 1024 ports
//! where words are 10.

use super::settings::GENERAL;
use crate::cell::{Port, Slot};
use alloc::vec;
use alloc::vec::Vec;

/// A cell inside the fabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub(super) struct Inner {
    /// When it arrived.
    pub(super) born: Slot,
    /// Where it arrived.
    pub(super) source: Port,
    /// With resequencing per stage, its number modulo P at each level, a digit each; with resequencing at the exit, its number in its flow modulo 2^16.
    pub(super) number: u16,
}

/// A cell as it lies in a buffer: one word, so that what was stored at once is loaded at once. Processors do not hand on a load what several stores have left.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Packed(u64);

impl From<Inner> for Packed {
    #[inline(always)]
    fn from(cell: Inner) -> Self {
        Self(u64::from(cell.born) | u64::from(cell.source) << 32 | u64::from(cell.number) << 48)
    }
}

impl From<Packed> for Inner {
    #[inline(always)]
    fn from(cell: Packed) -> Self {
        Self { born: cell.0 as Slot, source: (cell.0 >> 32) as Port, number: (cell.0 >> 48) as u16 }
    }
}

impl Packed {
    /// Where it arrived.
    #[inline(always)]
    pub(super) fn source(self) -> usize {
        usize::from((self.0 >> 32) as Port)
    }

    /// The digit of its number that begins at bit `low`.
    #[inline(always)]
    pub(super) fn digit<const P: usize>(self, low: u32) -> u32 {
        (self.0 >> (48 + low)) as u32 % P as u32
    }

    /// With another digit, which is still 0.
    #[inline(always)]
    fn numbered(self, digit: u32, low: u32) -> Self {
        Self(self.0 | u64::from(digit) << (48 + low))
    }
}

/// What an element knows of a flow group.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(16))]
pub(super) struct Group {
    /// What is remembered when no cell is left; see [`Group::round`], [`Group::pointer`] and [`Group::merge`].
    memory: u32,
    /// Input buffers that are not empty.
    pub(super) inputs: u8,
    /// Output buffers that are not empty.
    pub(super) outputs: u8,
    /// Output buffers of which one has to become empty before the group can move a cell; 0 if nothing is known.
    pub(super) waits: u8,
    /// Whether it is in the list of groups to be tried.
    pub(super) listed: bool,
    /// Where cells are resequenced, for each input port four bits: the number that its first cell bears.
    pub(super) digits: u32,
    /// Cells in input buffers that wait for one that comes before them.
    pub(super) held: u16,
    /// When a cell last came, went or moved; see [`clock`].
    pub(super) touched: u16,
}

/// The word of a group: the highest bit tells a place from what is remembered.
const OPEN: u32 = 1 << 31;

/// A slot on a coarse clock that goes round.
#[inline(always)]
pub(super) const fn clock(slot: Slot) -> u16 {
    (slot / 256) as u16
}

/// Where a group that has a cell has its record.
#[inline(always)]
pub(super) fn place(word: u32) -> usize {
    (word & !OPEN) as usize
}

/// Whether a group has a record.
#[inline(always)]
fn is_open(word: u32) -> bool {
    word & OPEN != 0
}

impl Group {
    /// In a distribution element the outputs, in a routing element the inputs, that have had their cell of the current round of P cells.
    #[inline(always)]
    pub(super) fn round(&self) -> u8 {
        self.memory as u8
    }

    /// The next output port, for round-robin distribution.
    #[inline(always)]
    pub(super) fn pointer(&self) -> usize {
        (self.memory >> 8 & 7) as usize
    }

    /// The input port after the one that a cell was taken from last.
    #[inline(always)]
    pub(super) fn merge(&self) -> usize {
        (self.memory >> 16 & 7) as usize
    }

    /// The number of the next cell in its round.
    #[inline(always)]
    pub(super) fn rank(&self) -> u32 {
        self.round().count_ones()
    }

    /// A cell moves from an input port, and `counted` has its cell of the round; after P cells the next round begins. With an output port it becomes the next one's turn.
    #[inline(always)]
    pub(super) fn advance<const P: usize>(&mut self, port: usize, counted: usize, pointer: usize) {
        let round = self.memory & 0xff | 1 << counted;
        // No branch, which nobody could predict.
        let round = if round + 1 == 1 << P { 0 } else { round };
        self.memory = round | (pointer as u32) << 8 | (((port + 1) % P) as u32) << 16;
    }

    /// A cell moves from an input port where nothing else is remembered.
    #[inline(always)]
    pub(super) fn merged<const P: usize>(&mut self, port: usize) {
        self.memory = self.memory & 0xffff | (((port + 1) % P) as u32) << 16;
    }

    /// The input buffer whose turn it is, one of `inputs`, in round robin.
    #[inline(always)]
    pub(super) fn turn(&self) -> usize {
        let above = self.inputs & (u8::MAX << self.merge());
        (if above != 0 { above } else { self.inputs }).trailing_zeros() as usize
    }

    /// The first cell at an input port bears this number.
    #[inline(always)]
    pub(super) fn set_digit(&mut self, port: usize, digit: u32) {
        self.digits = self.digits & !(15 << (4 * port)) | digit << (4 * port);
    }

    /// The input port whose first cell is the next one of its round, if it is there.
    #[inline(always)]
    pub(super) fn bearer(&self) -> Option<usize> {
        // An input that has had its cell of this round holds cells of later ones. What is not due differs from any number.
        let due = self.inputs & !self.round();
        let differing = self.digits ^ (self.rank() * 0x1111_1111) | NOT_DUE[usize::from(due)];
        // The lowest digit that is 0, and there is only one; digits above it may seem to be, but do not matter.
        let found = differing.wrapping_sub(0x1111_1111) & !differing & 0x8888_8888;
        (found != 0).then(|| found.trailing_zeros() as usize / 4)
    }

    /// Whether a first cell that comes now to an input port, with this number, is the next one of its round.
    #[inline(always)]
    pub(super) fn awaits(&self, port: usize, digit: u32) -> bool {
        (self.round() >> port & 1 == 0) & (self.rank() == digit)
    }
}

/// By set of ports: 8 in the digits of those that are not in it.
const NOT_DUE: [u32; 256] = {
    let mut table = [0; 256];
    let mut set = 0;
    while set < 256 {
        let mut port = 0;
        while port < 8 {
            if set >> port & 1 == 0 {
                table[set] |= 8 << (4 * port);
            }
            port += 1;
        }
        set += 1;
    }
    table
};

/// The buffers of a group that has a cell.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Record<const P: usize> {
    pub(super) group: Group,
    /// The first cell of each input buffer.
    pub(super) heads: [Packed; P],
    /// The cell of each output buffer.
    pub(super) outs: [Packed; P],
}

impl<const P: usize> Record<P> {
    /// Moves the first cell of an input buffer to an output buffer, which is empty, and adds a digit to its number.
    #[inline(always)]
    pub(super) fn shift(&mut self, port: usize, part: usize, digit: u32, low: u32) {
        self.outs[part % P] = self.heads[port % P].numbered(digit, low);
        self.group.outputs |= 1 << part;
        self.group.inputs &= !(1 << port);
    }
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
    /// Free places, and how many of them there are: no more than the first so many are meant.
    free: Vec<u32>,
    left: usize,
}

/// The pool, during a step: slices and the number of free places in registers. Closed when dropped.
pub(super) struct Buffers<'a, const P: usize> {
    pub(super) records: &'a mut [Record<P>],
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
}

impl<const P: usize> Store<P> {
    /// Empty groups whose input buffers hold at most `depth` cells, with credits that may take their time.
    pub(super) fn new(groups: usize, depth: usize, slow_credits: bool) -> Self {
        let pool = Pool {
            records: Vec::new(),
            levels: Vec::new(),
            counted: depth > 1 || slow_credits,
            rest: Vec::new(),
            behind: depth - 1,
            free: Vec::new(),
            left: 0,
        };
        Self { words: vec![0; groups], pool }
    }

    /// Where a group's pointer begins.
    pub(super) fn set_pointer(&mut self, at: usize, pointer: u8) {
        self.words[at] = u32::from(pointer) << 8;
    }

    /// The record of a group, if it has one.
    pub(super) fn record(&self, at: usize) -> Option<&Record<P>> {
        let word = self.words[at];
        is_open(word).then(|| &self.pool.records[place(word)])
    }

    /// What is known of a group.
    pub(super) fn group(&self, at: usize) -> Group {
        self.record(at).map_or(Group { memory: self.words[at], ..Group::default() }, |record| record.group)
    }

    /// Cells in an input buffer, and credits for it that are on their way back.
    pub(super) fn level(&self, at: usize, port: usize) -> (usize, usize) {
        let word = self.words[at];
        if !is_open(word) {
            return (0, 0);
        }
        match self.pool.levels.get(place(word)) {
            Some(levels) => (levels.counts[port].into(), levels.returning[port].into()),
            None => (usize::from(self.group(at).inputs >> port & 1), 0),
        }
    }

    /// The cells in an input buffer, the first first.
    pub(super) fn input(&self, at: usize, port: usize) -> impl Iterator<Item = Inner> + '_ {
        self.record(at).into_iter().flat_map(move |record| {
            let first = (place(self.words[at]) * P + port) * self.pool.behind;
            let count = self.level(at, port).0;
            let rest = &self.pool.rest[first..first + count.saturating_sub(1)];
            (count > 0).then(|| record.heads[port]).into_iter().chain(rest.iter().copied()).map(Inner::from)
        })
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
        let empty = [Packed::default(); P];
        self.records.resize(last, Record { group: Group::default(), heads: empty, outs: empty });
        if self.counted {
            self.levels.resize(last, Levels { counts: [0; P], returning: [0; P] });
        }
        self.rest.resize(last * P * self.behind, Packed::default());
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
        let Self { records, levels, rest, behind, free, left, .. } = self;
        Buffers { records, depths: Depths { levels, rest, behind: *behind }, free, left: *left, home: left }
    }
}

impl<const P: usize> Buffers<'_, P> {
    /// The place of a group, which gets one if it has none. There are enough. No branch: nobody could predict it.
    #[inline(always)]
    pub(super) fn place(&mut self, word: &mut u32) -> usize {
        let old = *word;
        // All ones if it has one. Masks, since a choice by a condition is compiled to a branch here.
        let open = (old.cast_signed() >> 31).cast_unsigned();
        let new = self.free[self.left - 1];
        self.left -= (!open & 1) as usize;
        let own = old & open | (OPEN | new) & !open;
        *word = own;
        let group = &mut self.records[place(own)].group;
        // What else is known of a group is 0 in a record that is free: it was when the record was given back.
        group.memory = group.memory & open | old & !open;
        place(own)
    }

    /// Takes its place from a group that has nothing in its buffers, or on its way back from there. No branch again.
    #[inline(always)]
    pub(super) fn close_if_idle<const KIND: u8>(&mut self, word: &mut u32) {
        let own = place(*word);
        let group = &self.records[own].group;
        let idle = (group.inputs | group.outputs == 0) & (KIND != GENERAL || self.depths.all_returned(own));
        self.free[self.left] = own as u32;
        self.left += usize::from(idle);
        *word = if idle { group.memory } else { *word };
    }
}

impl<const P: usize> Depths<'_, P> {
    #[inline(always)]
    fn counted(&self) -> bool {
        !self.levels.is_empty()
    }

    /// Appends a cell to an input buffer, which has room; says how many credits its sender lacks now.
    #[inline(always)]
    pub(super) fn push(&mut self, record: &mut Record<P>, place: usize, port: usize, cell: Packed) -> usize {
        let is_first = record.group.inputs >> port & 1 == 0;
        record.group.inputs |= 1 << port;
        if !self.counted() {
            record.heads[port % P] = cell;
            return 1;
        }
        let levels = &mut self.levels[place];
        let before = usize::from(levels.counts[port]);
        levels.counts[port] += 1;
        let lent = usize::from(levels.counts[port]) + usize::from(levels.returning[port]);
        if is_first {
            record.heads[port % P] = cell;
        } else {
            self.rest[(place * P + port) * self.behind + before - 1] = cell;
        }
        lent
    }

    /// The first cell of an input buffer has gone, and the next one takes its place. `low` is where the digit begins by which cells are resequenced here.
    #[inline(always)]
    pub(super) fn follow(&mut self, record: &mut Record<P>, place: usize, port: usize, low: u32) {
        if !self.counted() {
            return;
        }
        let levels = &mut self.levels[place];
        levels.counts[port % P] -= 1;
        let left = usize::from(levels.counts[port % P]);
        if left > 0 {
            // A handful of cells at most: moving them up is simpler than a ring, and no slower.
            let at = (place * P + port) * self.behind;
            record.heads[port % P] = self.rest[at];
            record.group.inputs |= 1 << port;
            record.group.set_digit(port, self.rest[at].digit::<P>(low));
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
    pub(super) fn waiting(&self, group: &Group, place: usize) -> u16 {
        if self.counted() {
            self.levels[place].counts.iter().map(|&count| u16::from(count)).sum()
        } else {
            group.inputs.count_ones() as u16
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of the cells that are due, the one that bears the rank; every state of a group with four inputs.
    #[test]
    fn the_next_cell_of_a_round_is_found() {
        for (round, inputs, numbers) in
            (0..15).flat_map(|r| (0..16).flat_map(move |i| (0..256).map(move |n| (r, i, n))))
        {
            let mut group = Group { memory: round, inputs, ..Group::default() };
            let number = |port: usize| numbers >> (2 * port) & 3;
            (0..4).for_each(|port| group.set_digit(port, number(port)));
            let due = |port: &usize| inputs >> port & 1 != 0 && round >> port & 1 == 0;
            let bearer = (0..4).find(|port| due(port) && number(*port) == round.count_ones());
            assert_eq!(group.bearer(), bearer, "round {round:b}, inputs {inputs:b}, numbers {numbers:b}");
            for port in (0..4).filter(due) {
                assert_eq!(group.awaits(port, number(port)), number(port) == round.count_ones());
            }
        }
    }
}
