//! Cells inside the fabric, and the records in which they lie.

use super::group::{Group, INPUTS, OUTPUTS};
use crate::cell::{Cell, Port, Slot};

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

impl Inner {
    /// The cell, once it is out of the fabric.
    pub(super) fn departs(self) -> Cell {
        Cell { born: self.born, input: self.source }
    }
}

/// A cell in one word: its birth, its number and its source. Of the 64 bits a record keeps 56.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Packed(pub(super) u64);

impl Packed {
    /// A cell, with so many bits for its number.
    #[inline(always)]
    pub(super) fn new(cell: Inner, bits: u32) -> Self {
        Self(u64::from(cell.born) | u64::from(cell.number) << 32 | u64::from(cell.source) << (32 + bits))
    }

    /// The cell, with so many bits for its number.
    #[inline(always)]
    pub(super) fn inner(self, bits: u32) -> Inner {
        let number = (self.0 >> 32) as u16 & ((1u32 << bits) - 1) as u16;
        Inner { born: self.0 as Slot, source: self.source(bits) as Port, number }
    }

    /// Where it arrived.
    #[inline(always)]
    pub(super) fn source(self, bits: u32) -> usize {
        (self.0 >> (32 + bits)) as usize
    }

    /// The digit of its number that begins at bit `low`.
    #[inline(always)]
    pub(super) fn digit<const P: usize>(self, low: u32) -> u32 {
        (self.0 >> (32 + low)) as u32 % P as u32
    }
}

/// The buffers of a group that has a cell. Cells lie in pieces, so that 56 bits take no more; the first of each two arrays is for first cells of input buffers, the
/// second for output buffers.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Record<const P: usize> {
    pub(super) group: Group,
    born: [[u32; P]; 2],
    low: [[u16; P]; 2],
    high: [[u8; P]; 2],
}

impl<const P: usize> Record<P> {
    pub(super) const EMPTY: Self = Self { group: Group(0), born: [[0; P]; 2], low: [[0; P]; 2], high: [[0; P]; 2] };

    #[inline(always)]
    fn cell(&self, side: usize, at: usize) -> Packed {
        let tag = u64::from(self.low[side][at % P]) | u64::from(self.high[side][at % P]) << 16;
        Packed(u64::from(self.born[side][at % P]) | tag << 32)
    }

    /// The first cell of an input buffer.
    #[inline(always)]
    pub(super) fn head(&self, port: usize) -> Packed {
        self.cell(0, port)
    }

    /// Where the first cell of an input buffer arrived, with so many bits for its number; unless it is wide.
    #[inline(always)]
    pub(super) fn source(&self, port: usize, bits: u32) -> usize {
        let tag = u32::from(self.low[0][port % P]) | u32::from(self.high[0][port % P]) << 16;
        (tag >> bits) as usize
    }

    /// The cell of an output buffer.
    #[inline(always)]
    pub(super) fn out(&self, part: usize) -> Packed {
        self.cell(1, part)
    }

    /// A cell becomes the first one of an input buffer.
    #[inline(always)]
    pub(super) fn set_head(&mut self, port: usize, cell: Packed) {
        self.born[0][port % P] = cell.0 as u32;
        self.low[0][port % P] = (cell.0 >> 32) as u16;
        self.high[0][port % P] = (cell.0 >> 48) as u8;
    }

    /// A cell comes to an input buffer, or to an output buffer on side 1.
    #[inline(always)]
    pub(super) fn put(&mut self, side: usize, at: usize, born: u32, tag: u32) {
        self.born[side % 2][at % P] = born;
        self.low[side % 2][at % P] = tag as u16;
        self.high[side % 2][at % P] = (tag >> 16) as u8;
    }

    /// The cell of an output buffer: when it was born; its number and its source.
    #[inline(always)]
    pub(super) fn sent(&self, part: usize) -> (u32, u32) {
        let tag = u32::from(self.low[1][part % P]) | u32::from(self.high[1][part % P]) << 16;
        (self.born[1][part % P], tag)
    }

    /// The numbers of the first cells, and more bits above them.
    #[inline(always)]
    pub(super) fn numbers(&self) -> &[u16; P] {
        &self.low[0]
    }

    /// Moves the first cell of an input buffer to an output buffer, which is empty, and adds a digit to its number. `group` is this one's, being changed.
    #[inline(always)]
    pub(super) fn shift(&mut self, group: &mut Group, (port, part): (usize, usize), digit: u32, low: u32) {
        self.born[1][part % P] = self.born[0][port % P];
        self.low[1][part % P] = self.low[0][port % P] | (digit << low) as u16;
        self.high[1][part % P] = self.high[0][port % P];
        group.0 = group.0 & !(1 << INPUTS << port) | 1 << OUTPUTS << part;
    }
}
