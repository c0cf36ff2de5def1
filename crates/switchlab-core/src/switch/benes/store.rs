//! The buffers of all elements.
//!
//! A flow group of an element has P input buffers and P output buffers (one, where groups are not split): 2 P N buffers per element, nearly
//! all of them empty. So a group has buffers only while a cell is in one of them: a record in a pool that all elements share, last freed first used. What
//! stays is 16 bytes per element and group: what the element knows of it, and where its record is. With P = 4 a record is a line of cache, so that a cell that comes,
//! moves or goes touches two lines. Buffers for every group were rejected: at 1024 ports they take five times the memory, and hardly any is in a cache.

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

/// What an element knows of a flow group.
#[derive(Clone, Copy, Debug)]
#[repr(align(16))]
pub(super) struct Group {
    /// Where its buffers are, or [`NOWHERE`].
    pub(super) place: u32,
    /// Cells in input buffers that wait for one that comes before them.
    pub(super) held: u16,
    /// When a cell last came, went or moved; see [`clock`].
    pub(super) touched: u16,
    /// The next output port, for round-robin distribution.
    pub(super) pointer: u8,
    /// In a distribution element the outputs, in a routing element the inputs, that have had their cell of the current round of P cells.
    pub(super) round: u8,
    /// How many have.
    pub(super) rank: u8,
    /// The input port after the one that a cell was taken from last.
    pub(super) merge: u8,
    /// Input buffers that are not empty.
    pub(super) inputs: u8,
    /// Output buffers that are not empty.
    pub(super) outputs: u8,
    /// Output buffers of which one has to become empty before the group can move a cell; 0 if nothing is known.
    pub(super) waits: u8,
}

/// A group without buffers.
pub(super) const NOWHERE: u32 = u32::MAX;

/// A slot on a coarse clock that goes round.
#[inline(always)]
pub(super) const fn clock(slot: Slot) -> u16 {
    (slot / 256) as u16
}

impl Group {
    const EMPTY: Self = Self {
        place: NOWHERE,
        held: 0,
        touched: 0,
        pointer: 0,
        round: 0,
        rank: 0,
        merge: 0,
        inputs: 0,
        outputs: 0,
        waits: 0,
    };

    /// A port has its cell of the round; after P cells the next round begins.
    #[inline(always)]
    pub(super) fn count(&mut self, port: usize, radix: usize) {
        // No branch, which nobody could predict: the mask is 0 after the last cell of a round.
        let mask = u8::from(usize::from(self.rank) + 1 == radix).wrapping_sub(1);
        self.round = (self.round | 1 << port) & mask;
        self.rank = (self.rank + 1) & mask;
    }
}

/// The buffers of a group that has a cell.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Record<const P: usize> {
    /// The first cell of each input buffer.
    pub(super) heads: [Inner; P],
    /// The cell of each output buffer.
    pub(super) outs: [Inner; P],
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
    pub(super) groups: Vec<Group>,
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
    rest: Vec<Inner>,
    behind: usize,
    pub(super) free: Vec<u32>,
}

/// The buffers, during a step.
pub(super) struct Buffers<'a, const P: usize> {
    pub(super) records: &'a mut [Record<P>],
    levels: &'a mut [Levels<P>],
    rest: &'a mut [Inner],
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
        };
        Self { groups: vec![Group::EMPTY; groups], pool }
    }

    /// The record of a group, if it has one.
    pub(super) fn record(&self, at: usize) -> Option<&Record<P>> {
        self.pool.records.get(self.groups[at].place as usize)
    }

    /// Cells in an input buffer, and credits for it that are on their way back.
    pub(super) fn level(&self, at: usize, port: usize) -> (usize, usize) {
        let group = &self.groups[at];
        match self.pool.levels.get(group.place as usize) {
            Some(levels) => (levels.counts[port].into(), levels.returning[port].into()),
            None => (usize::from(group.inputs >> port & 1), 0),
        }
    }

    /// The cells in an input buffer, the first first.
    pub(super) fn input(&self, at: usize, port: usize) -> impl Iterator<Item = Inner> + '_ {
        self.record(at).into_iter().flat_map(move |record| {
            let first = (self.groups[at].place as usize * P + port) * self.pool.behind;
            let count = self.level(at, port).0;
            let rest = &self.pool.rest[first..first + count.saturating_sub(1)];
            (count > 0).then(|| record.heads[port]).into_iter().chain(rest.iter().copied())
        })
    }
}

impl<const P: usize> Pool<P> {
    /// Places are added so many at a time.
    const MORE: usize = 1024;

    /// Makes sure that there are so many free places: then none is missing during a step.
    #[inline(always)]
    pub(super) fn provide(&mut self, places: usize) {
        if self.free.len() < places {
            self.grow(places);
        }
    }

    #[cold]
    fn grow(&mut self, places: usize) {
        let first = self.records.len();
        let last = first + Self::MORE.max(first / 2).max(places);
        let empty = [Inner { born: 0, source: 0, number: 0 }; P];
        self.records.resize(last, Record { heads: empty, outs: empty });
        if self.counted {
            self.levels.resize(last, Levels { counts: [0; P], returning: [0; P] });
        }
        self.rest.resize(last * P * self.behind, Inner::default());
        // Behind those that have been in use, which are still in cache.
        let used = core::mem::take(&mut self.free);
        self.free.reserve(last);
        self.free.extend((first as u32..last as u32).rev().chain(used));
    }

    /// The buffers, and the free places.
    #[inline(always)]
    pub(super) fn open(&mut self) -> (Buffers<'_, P>, &mut Vec<u32>) {
        let Self { records, levels, rest, behind, free, .. } = self;
        (Buffers { records, levels, rest, behind: *behind }, free)
    }
}

impl<const P: usize> Buffers<'_, P> {
    #[inline(always)]
    fn counted(&self) -> bool {
        !self.levels.is_empty()
    }

    /// Appends a cell to an input buffer, which has room; says how many credits its sender lacks now.
    #[inline(always)]
    pub(super) fn push(&mut self, group: &mut Group, place: usize, port: usize, cell: Inner) -> usize {
        let is_first = group.inputs >> port & 1 == 0;
        group.inputs |= 1 << port;
        if !self.counted() {
            self.records[place].heads[port] = cell;
            return 1;
        }
        let levels = &mut self.levels[place];
        let before = usize::from(levels.counts[port]);
        levels.counts[port] += 1;
        let lent = usize::from(levels.counts[port]) + usize::from(levels.returning[port]);
        if is_first {
            self.records[place].heads[port] = cell;
        } else {
            self.rest[(place * P + port) * self.behind + before - 1] = cell;
        }
        lent
    }

    /// Moves the first cell of an input buffer to an output buffer, which is empty, and adds to its number.
    #[inline(always)]
    pub(super) fn shift(&mut self, group: &mut Group, place: usize, port: usize, part: usize, number: u16) {
        let record = &mut self.records[place];
        let mut cell = record.heads[port % P];
        cell.number |= number;
        record.outs[part % P] = cell;
        group.outputs |= 1 << part;
        if !self.levels.is_empty() {
            let levels = &mut self.levels[place];
            levels.counts[port % P] -= 1;
            let left = usize::from(levels.counts[port % P]);
            if left > 0 {
                // A handful of cells at most: moving them up is simpler than a ring, and no slower.
                let at = (place * P + port) * self.behind;
                record.heads[port % P] = self.rest[at];
                self.rest.copy_within(at + 1..at + left, at);
                return;
            }
        }
        group.inputs &= !(1 << port);
    }

    /// A credit is on its way back, or no longer.
    pub(super) fn returning(&mut self, place: usize, port: usize) -> &mut u8 {
        &mut self.levels[place].returning[port]
    }

    /// Whether a group has nothing in its buffers, or on its way back from there.
    #[inline(always)]
    pub(super) fn is_idle(&self, group: &Group) -> bool {
        group.inputs | group.outputs == 0 && (!self.counted() || self.levels[group.place as usize].returning == [0; P])
    }

    /// Cells in the input buffers of a group.
    #[inline(always)]
    pub(super) fn waiting(&self, group: &Group) -> u16 {
        if self.counted() {
            self.levels[group.place as usize].counts.iter().map(|&count| u16::from(count)).sum()
        } else {
            group.inputs.count_ones() as u16
        }
    }
}
