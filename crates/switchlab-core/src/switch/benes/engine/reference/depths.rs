//! What records have no room for: cells behind the head of line, credits on their way back, and the
//! highest 8 bits of cells that need more than 56.

use crate::switch::benes::element::group::Group;
use crate::switch::benes::element::record::{Packed, Record};
use alloc::vec::Vec;

/// By port, for input buffers with room for several cells, or credits that take their time.
#[derive(Clone, Copy, Debug)]
struct Levels<const P: usize> {
    /// Cells in each input buffer.
    counts: [u8; P],
    /// Credits for each input buffer that are on their way back.
    returning: [u8; P],
}

/// The deep parts of all records. What a configuration does not need is empty.
#[derive(Clone, Debug)]
pub(super) struct Depths<const P: usize> {
    /// Records there are.
    records: usize,
    /// By record, if they are counted.
    levels: Vec<Levels<P>>,
    counted: bool,
    /// By record and port: the cells behind the head of line, `behind` at most.
    rest: Vec<Packed>,
    behind: usize,
    /// By record, side and buffer: the highest 8 bits of cells.
    tops: Vec<[[u8; P]; 2]>,
    wide: bool,
}

impl<const P: usize> Depths<P> {
    /// For input buffers of `depth` cells, with credits that may take their time, and cells that
    /// may be `wide`.
    pub(super) fn new(depth: usize, slow_credits: bool, wide: bool) -> Self {
        let (levels, rest, tops) = (Vec::new(), Vec::new(), Vec::new());
        Self { records: 0, levels, counted: depth > 1 || slow_credits, rest, behind: depth - 1, tops, wide }
    }

    /// Grows to this many records.
    pub(super) fn provide(&mut self, records: usize) {
        if self.records == records {
            return;
        }
        self.records = records;
        if self.counted {
            self.levels.resize(records, Levels { counts: [0; P], returning: [0; P] });
        }
        self.rest.resize(records * P * self.behind, Packed::default());
        if self.wide {
            self.tops.resize(records, [[0; P]; 2]);
        }
    }

    /// Appends a cell to an input buffer, which has room. Returns how many credits its sender
    /// lacks.
    pub(super) fn enqueue(
        &mut self,
        record: &mut Record<P>,
        is_first: bool,
        own: usize,
        port: usize,
        cell: Packed,
    ) -> usize {
        if is_first {
            self.set_head(record, own, port, cell);
        }
        if !self.counted {
            return 1;
        }
        let levels = &mut self.levels[own];
        let before = usize::from(levels.counts[port]);
        levels.counts[port] += 1;
        let lent = usize::from(levels.counts[port]) + usize::from(levels.returning[port]);
        if !is_first {
            self.rest[(own * P + port) * self.behind + before - 1] = cell;
        }
        lent
    }

    fn set_head(&mut self, record: &mut Record<P>, own: usize, port: usize, cell: Packed) {
        record.set_head(port, cell);
        if let Some(tops) = self.tops.get_mut(own) {
            tops[0][port] = (cell.0 >> 56) as u8;
        }
    }

    /// A cell as it was before a record kept it, from an input (side 0) or an output buffer.
    pub(super) fn whole(&self, own: usize, side: usize, at: usize, cell: Packed) -> Packed {
        let top = self.tops.get(own).map_or(0, |tops| tops[side][at]);
        Packed(cell.0 | u64::from(top) << 56)
    }

    /// The head-of-line cell of an input buffer has moved to an output buffer, and the next one
    /// follows.
    pub(super) fn follow(
        &mut self,
        record: &mut Record<P>,
        state: &mut Group,
        own: usize,
        (port, part): (usize, usize),
    ) {
        if let Some(tops) = self.tops.get_mut(own) {
            tops[1][part] = tops[0][port];
        }
        if !self.counted {
            return;
        }
        let levels = &mut self.levels[own];
        levels.counts[port] -= 1;
        let left = usize::from(levels.counts[port]);
        if left > 0 {
            // At most a handful of cells: moving them up is simpler than a ring, and no slower.
            let at = (own * P + port) * self.behind;
            self.set_head(record, own, port, self.rest[at]);
            state.enqueue(port);
            self.rest.copy_within(at + 1..at + left, at);
        }
    }

    /// Credits for an input buffer that are on their way back.
    pub(super) fn returning(&mut self, own: usize, port: usize) -> &mut u8 {
        &mut self.levels[own].returning[port]
    }

    /// Whether no credit of a group is on its way back.
    pub(super) fn all_returned(&self, own: usize) -> bool {
        !self.counted || self.levels[own].returning == [0; P]
    }

    /// Cells in the input buffers of a group.
    pub(super) fn waiting(&self, state: Group, own: usize) -> u16 {
        match self.levels.get(own) {
            Some(levels) => levels.counts.iter().map(|&count| u16::from(count)).sum(),
            None => state.inputs().count_ones() as u16,
        }
    }

    /// Cells in an input buffer and credits on their way back, if they are counted.
    pub(super) fn level(&self, own: usize, port: usize) -> Option<(usize, usize)> {
        self.levels.get(own).map(|levels| (levels.counts[port].into(), levels.returning[port].into()))
    }

    /// The cells behind the head of line of an input buffer with `count` cells.
    pub(super) fn rest(&self, own: usize, port: usize, count: usize) -> &[Packed] {
        if count > 1 { &self.rest[(own * P + port) * self.behind..][..count - 1] } else { &[] }
    }
}
