//! A look inside a multistage fabric between two slots: elements, links, buffers and credits.

use super::failure::{Buffer, Need};
use crate::cell::{Port, Slot};
use alloc::vec::Vec;

/// A stage of equal elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StageView {
    /// What its elements do: `distribute`, `resequence`, `merge` or `route`.
    pub role: &'static str,
    /// The ports of an element.
    pub radix: usize,
    /// The flow groups, each with buffers of its own, at an input port of an element.
    pub groups: usize,
    /// Cells that an input buffer holds.
    pub input: usize,
    /// Cells that an output buffer holds; 0 where there is none.
    pub output: usize,
}

/// A cell in a fabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FabricCell {
    /// Its input.
    pub input: Port,
    /// Its output.
    pub output: Port,
    /// Its arrival slot.
    pub born: Slot,
}

/// A buffer with cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferView {
    /// Where it is.
    pub buffer: Buffer,
    /// Its cells, head of line first.
    pub cells: Vec<FabricCell>,
    /// What its head-of-line cell needs before it can move, and from which buffers, by their
    /// indices in [`FabricView::buffers`]; None if it can move, or something under way may help.
    pub waits: Option<(Need, Vec<usize>)>,
}

/// The credits at the beginning of a link, over all flow groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CreditView {
    /// How many flow groups have a cell to send.
    pub requests: u32,
    /// How many flow groups have a credit.
    pub open: u32,
    /// How many flow groups there are.
    pub groups: u32,
}

/// What is inside a fabric after a slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FabricView {
    /// The stages.
    pub stages: Vec<StageView>,
    /// By link, of which number `l` leads to stage `l`, and position at its beginning: the position
    /// at its end. A position is `element * radix + port`. The last link leaves the fabric.
    pub links: Vec<Vec<Port>>,
    /// By link and position at its beginning.
    pub credits: Vec<Vec<CreditView>>,
    /// All buffers with cells.
    pub buffers: Vec<BufferView>,
    /// Cells on links that take more than a slot: the link, the position at its end, the cell.
    pub on_links: Vec<(usize, usize, FabricCell)>,
}
