//! Lean fabrics of more than 256 ports: what a hop needs lies in few lines of cache.
//!
//! At 1024 ports all that is known of groups and links is some ten times as much as a core's own cache holds, and what a hop takes is how many lines it has to bring near, and what it costs to ask for them in time. So an element
//! keeps in one line of cache, for 16 groups each, both where their records are and which of their output buffers have a cell and a credit: see `line`. A hop then needs four lines: the sender's and the
//! receiver's, and a record of each. A sending end only knows which 16 of its groups have one that can send: see `ends`.
//!
//! A link sends in blocks of 32 inputs of the next stage, so that all cells that come to an element come in the same block; then those that find nothing in their way can go on at once, and the others are tried while they are still near:
//! see `block`, `takes` and `moves`. What a link sends depends on nothing that happens while it sends, so blocks overlap:
//!
//! ```text
//!   block n + 2   where the ends will look is known, and those lines are fetched
//!         n + 1   the ends choose, and the senders' records are fetched; then, with the cells of block n, the receivers' lines
//!         n       the cells leave, and the receivers' records are fetched; the cells come, and move
//! ```
//!
//! If a word has not enough bits left for a place among all groups, each stage has a pool of records of its own.

mod block;
mod cards;
mod ends;
mod line;
mod moves;
mod pool;
mod slot;
mod takes;
#[cfg(test)]
mod tests;
mod views;

use super::settings::Settings;
use super::work::Listed;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use block::{Block, CELLS};
use ends::Ends;
pub(super) use line::GROUPS;
use line::{Line, places, remembering};
use moves::Moved;
use pool::Pool;
use slot::Tally;
use takes::Tries;

/// The elements and links of a large fabric.
#[derive(Clone, Debug)]
pub(super) struct Large<const P: usize> {
    /// By stage, element and group.
    lines: Vec<Line>,
    /// One for all stages, or one for each.
    pools: Vec<Pool<P>>,
    ends: Ends,
    /// Blocks under way.
    blocks: Box<[Block; 4]>,
    /// By stage: groups that waited for room and are to be tried when all cells of a slot have come, and how many.
    late: Vec<(Vec<Listed>, usize)>,
    /// Groups to be tried with a block.
    tries: Box<Tries>,
    /// Cells that have moved.
    moved: Vec<Moved>,
    /// By slot of those that are run at a time.
    tallies: Vec<Tally>,
}

impl<const P: usize> Large<P> {
    /// Whether a lean fabric is large. Flow groups have to be split. With elements of 8 x 8 a word has room for no more places than a stage of 512 ports needs.
    pub(super) fn serves(settings: &Settings, split: bool) -> bool {
        split && settings.ports > 256 && (P < 8 || settings.ports <= 512)
    }

    /// Empty buffers in so many stages.
    pub(super) fn new(stages: usize, ports: usize) -> Self {
        let groups = stages * ports / P * ports;
        Self {
            lines: vec![Line::empty::<P>(); groups / GROUPS],
            pools: vec![Pool::default(); if groups <= places::<P>() { 1 } else { stages }],
            ends: Ends::new(stages, ports),
            blocks: Box::new([const { Block::EMPTY }; 4]),
            late: vec![(vec![(0, 0); ports], 0); stages],
            tries: Box::new([(0, 0); CELLS]),
            moved: vec![(0, 0); P * ports],
            tallies: Tally::all(stages),
        }
    }

    /// The pool of a stage.
    #[inline(always)]
    fn pool(&self, stage: usize) -> usize {
        stage.min(self.pools.len() - 1)
    }

    /// Where a group's pointer begins.
    pub(super) fn remember(&mut self, at: usize, memory: u32) {
        self.lines[at / GROUPS].0[at % GROUPS] |= remembering::<P>(memory);
    }
}
