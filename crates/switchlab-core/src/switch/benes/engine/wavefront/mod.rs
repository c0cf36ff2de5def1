//! The engine for the same fabrics beyond 256 ports, where memory is the limit: as few cache lines
//! as possible for each hop, all of them prefetched, and slots in the order of a wavefront.
//!
//! At 1024 ports the state of groups and links is some ten times what a core's own cache holds. So
//! an element keeps for 16 groups, in one cache line, both where their records are and which of
//! their output buffers have a cell and a credit; see `group_line`. A hop then needs four lines:
//! the sender's and the receiver's, and a record of each. An output arbiter only has a
//! summary: which chunks of 16 groups have one that can send; see `output_arbiters`.
//!
//! A link sends in blocks of 32 inputs of the next stage, so that all cells for an element are in
//! the same block. Cells that nothing stops pass to an output buffer at once, and the other groups
//! are tried while they are still in cache; see `block` and `receive`. What a link
//! sends does not depend on what happens while it sends, so blocks overlap:
//!
//! ```text
//!   block n + 2   arbiters find the next chunks, and those lines are prefetched
//!         n + 1   arbiters choose, and the senders' records are prefetched;
//!                 then, with the cells of block n, the receivers' lines
//!         n       cells are dequeued, and the receivers' records are prefetched; cells are
//!                 enqueued and transferred
//! ```
//!
//! If a word has too few bits to tell the records of all groups apart, each stage has its own pool.

mod block;
mod group_line;
mod output_arbiters;
mod receive;
mod slot;

pub(super) use slot::SLOTS;

use super::GroupState;
use crate::scale::CACHED;
use crate::switch::benes::element::group::{Group, POINTER};
use crate::switch::benes::element::record::{FabricCell, Pool, UnitBuffers, UnitRecord, index, open};
use crate::switch::benes::element::transfer::{Listed, Moved};
use crate::switch::benes::general::Topology;
use crate::switch::benes::links::{Active, Links, UNCOUNTED};
use crate::switch::failure::Side;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use block::{Block, CELLS};
use group_line::{GROUPS, GroupLine, flags};
use output_arbiters::Arbiters;
use slot::Tally;

/// Records to reserve memory for: three huge pages and a part of one, with elements of 4 x 4.
const ROOM: usize = 7 << 14;

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Wavefront<const P: usize> {
    /// By stage, element and 16 groups.
    lines: Vec<GroupLine>,
    /// One for all stages, or one for each.
    pools: Vec<Pool<UnitBuffers<P>>>,
    /// The links from the line cards.
    line_cards: Links,
    /// The beginnings of all other links.
    arbiters: Arbiters,
    /// Blocks under way.
    blocks: Box<[Block; 4]>,
    /// By stage: groups that waited for room, to be tried when all cells of a slot have been
    /// enqueued, and their number.
    late: Vec<(Vec<Listed>, usize)>,
    /// By slot of those that are run at a time.
    tallies: Vec<Tally>,
    /// Scratch: groups to be tried with a block, cells that have moved, line cards that send.
    tries: Box<[Listed; CELLS]>,
    moved: Vec<Moved>,
    sent: Vec<Active>,
}

impl<const P: usize> Wavefront<P> {
    /// Whether there is a gain, and room for the records of a stage in the bits of a word.
    pub(super) fn serves(topology: &Topology) -> bool {
        let fits = topology.elements() * topology.ports <= group_line::max_records::<P>();
        topology.split && topology.ports > CACHED && fits
    }

    pub(super) fn new(topology: &Topology) -> Self {
        let (stages, ports) = (topology.stages(), topology.ports);
        let groups = stages * topology.elements() * ports;
        let pools = if groups <= group_line::max_records::<P>() { 1 } else { stages };
        Self {
            lines: vec![GroupLine::empty::<P>(); groups / GROUPS],
            pools: vec![Pool::new(groups / pools, ROOM); pools],
            line_cards: Links::new(ports, [UNCOUNTED]),
            arbiters: Arbiters::new(stages, ports),
            blocks: Box::new([const { Block::EMPTY }; 4]),
            late: vec![(vec![(0, 0); ports], 0); stages],
            tallies: Tally::all(stages),
            tries: Box::new([(0, 0); CELLS]),
            moved: vec![Moved::default(); P * ports],
            sent: vec![0; ports],
        }
    }

    /// The pool of a stage.
    fn pool(&self, stage: usize) -> usize {
        stage.min(self.pools.len() - 1)
    }

    /// Where the pointer of a group of a distribution element begins.
    pub(super) fn set_pointer(&mut self, at: usize, pointer: u8) {
        self.lines[at / GROUPS].0[at % GROUPS] |= u32::from(pointer) << POINTER << (2 * P);
    }

    fn word(&self, at: usize) -> u32 {
        self.lines[at / GROUPS].0[at % GROUPS]
    }

    fn record(&self, at: usize) -> Option<&UnitRecord<P>> {
        let (word, pool) = (self.word(at), at / (self.lines.len() * GROUPS / self.pools.len()));
        (open(word) != 0).then(|| &self.pools[pool].records[index(word, 2 * P as u32) as usize])
    }
}

impl<const P: usize> GroupState for Wavefront<P> {
    fn for_each_open(&self, visit: &mut dyn FnMut(usize, Group)) {
        for (line, words) in self.lines.iter().enumerate() {
            // Nearly all lines have no record.
            if words.0.iter().fold(0, |all, &word| all | open(word)) != 0 {
                for at in line * GROUPS..(line + 1) * GROUPS {
                    if let Some(record) = self.record(at) {
                        visit(at, record.group);
                    }
                }
            }
        }
    }

    fn group(&self, at: usize) -> Group {
        let kept = || Group(u64::from(index(self.word(at), 2 * P as u32)));
        self.record(at).map_or_else(kept, |record| record.group)
    }

    fn cells(&self, at: usize, side: Side, port: usize, number_bits: u32) -> Vec<FabricCell> {
        self.record(at).map_or(Vec::new(), |record| record.cells(side, port, number_bits))
    }

    fn request(&self, topology: &Topology, link: usize, end: usize, group: usize) -> (bool, bool) {
        let Some(stage) = link.checked_sub(1) else { return self.line_cards.request(0, end, group) };
        let (inner, part) = topology.routing(stage).behind::<P>(end % P, group);
        let at = topology.at(stage, end / P, inner);
        let flags = flags::<P>(self.word(at)) >> part;
        (flags & 1 != 0, flags >> P & 1 != 0)
    }

    fn is_sound(&self, topology: &Topology, link: usize, end: usize) -> bool {
        if link == 0 {
            return self.line_cards.is_sound(0, end);
        }
        (0..topology.ports / GROUPS).all(|chunk| {
            let able = |rank| self.request(topology, link, end, chunk * GROUPS + rank) == (true, true);
            (0..GROUPS).any(able) == self.arbiters.summary(link, end, chunk)
        })
    }

    /// Between slots nothing is left to try.
    fn is_listed(&self, _stage: usize, _at: usize) -> bool {
        false
    }
}
