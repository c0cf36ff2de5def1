//! The halving of appendix A, computed sequentially: the same matching as the parallel program of
//! switchlab-theory (`pram`), at the speed of a simulator.
//!
//! Edges are kept in lists, one list for each cell, ascending by memory. So the index of an edge in
//! the concatenated lists is its rank among all edges, and the pairs at a cell are neighbours in
//! its list. Exactly one edge of each such pair has the colour that stays: a halving turns the list
//! of 2p edges into one of p edges, still ascending, and neither ranks nor degrees have to be
//! counted again.
//!
//! The pairs at the memories, and with them the colours, are found in one pass over all edges. For
//! each memory the pass remembers an edge that still waits for its partner:
//!
//! ```text
//!   no edge of a pair finds a partner   the pair starts a segment, in which its first edge stays
//!   one does                            it joins that edge's segment, and has the other colour
//!   both do                             the same; if these are of two segments, or disagree, the
//!                                       segments are joined
//! ```
//!
//! A segment is a part of a path or cycle of pairs; the joined segments are the whole path or
//! cycle. Which segments are joined, and whether one of them swaps its colours, is kept as in
//! union-find with parities. The head is the segment that started first: its first edge is the
//! smallest of all, and stays.
//!
//! Rejected: to walk along each path and cycle by a list of partners. Most are short, and some have
//! hundreds of edges. The end of the short ones is a branch that cannot be predicted, and the long
//! ones are chains of dependent loads: it took twice as long. So did bit rows for the edges, with
//! partners found by population counts: two dependent searches in words for each step.
//!
//! Rejected too: to keep for each memory with a waiting edge the other end of its segment. The two
//! ends of a segment always have different colours. So a pass from the last pair to the first needs
//! no segments, searches or colours, and in a pass from the first to the last one look-up tells
//! which edge stays: under 30 instructions for a pair instead of about 60. But it stores to indices
//! that were just loaded, where the next pair may load, and so it took as long (20 microseconds
//! against 18 with 64 ports; 17 with the next pair's ends read ahead). Four pairs of a cell at
//! once, in the 16-bit lanes of a word, take a third off the instructions of `colour`; joining and
//! keeping lane by lane took the gain back.
//!
//! Switches of up to 64 ports have a faster form of the same, `rows`, where the processor has AVX2
//! and BMI2.
//!
//! A cell that fits fewer than Gamma memories, possible only with fewer than N-1+Gamma of them,
//! gets edges to a memory of its own that does not exist. They come last in its list and pair with
//! nothing of another cell, so they never change the colour of another edge; if such an edge is the
//! one that stays, the cell has no memory.

use super::rows::Rows;
use super::table::{Due, Table};
use crate::cell::{NONE, Port};
use crate::port_set::PortSet;
use crate::switch::allocated;
use crate::variants;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::hint::select_unpredictable;

/// No edge waits at a memory. Colours are never 0: pairs are numbered from 1.
const NO_EDGE: u32 = 0;

/// The number of ports, or pairs, that 16 bits can number.
const NUMBERS: usize = 1 << 16;

/// Lists are looked up by departure slot modulo this: cells due together fit the same memories.
const LISTED: usize = 256;

/// The edges of a slot. A segment has the number of the pair that started it. A colour is written
/// as `segment << 1 | goes`: whether the edge goes if its segment does not swap its colours.
#[derive(Clone, Debug)]
pub(in crate::switch) struct Halving {
    gamma: usize,
    /// The memory of each edge, list after list.
    edges: Vec<Port>,
    /// The edges that stay.
    stay: Vec<Port>,
    /// By pair, from 1: the colour of its first edge; for a pair that started a segment, the colour
    /// in the segment it is joined to, or its own. No list of segments is needed.
    colours: Vec<u32>,
    /// By memory: the colour of the edge that waits for a partner.
    waiting: Vec<u32>,
    /// The number of memories, including those that do not exist.
    memories: usize,
    /// Whether pairs are numbered in 16 bits.
    near: bool,
    /// Pairs of colours that have to be the same.
    same: Vec<(u32, u32)>,
    /// By departure slot: a cell that may be due then.
    listed: Vec<u32>,
    /// For small switches, the same by rows.
    rows: Option<Box<Rows>>,
}

impl Halving {
    pub(super) fn new(ports: usize, memories: usize) -> Self {
        Self {
            rows: if variants::HALVING_ROWS { Rows::new(ports, memories) } else { None },
            ..Self::by_lists(ports, memories)
        }
    }

    /// By lists only, whatever the size.
    pub(in crate::switch) fn by_lists(ports: usize, memories: usize) -> Self {
        let gamma = super::gamma(ports);
        let pairs = ports * gamma / 2;
        Self {
            gamma,
            edges: vec![0; ports * gamma],
            stay: vec![0; ports * gamma],
            colours: vec![0; (pairs + 1).max(NUMBERS)],
            waiting: vec![NO_EDGE; NUMBERS],
            memories: memories + ports,
            same: vec![(0, 0); (pairs + 1).max(NUMBERS)],
            near: pairs < NUMBERS,
            listed: vec![0; LISTED],
            rows: None,
        }
    }

    /// The bytes of all lists. They do not change.
    pub(in crate::switch) fn bytes(&self) -> u64 {
        let lists = allocated(&self.edges) + allocated(&self.stay) + allocated(&self.colours);
        let others = allocated(&self.waiting) + allocated(&self.same) + allocated(&self.listed);
        lists + others + self.rows.as_ref().map_or(0, |_| size_of::<Rows>() as u64)
    }

    /// Finds the memory of each cell, or [`NONE`].
    pub(super) fn place<const W: usize>(&mut self, table: &Table<W>, due: &[Due], placed: &mut Vec<Port>) {
        if let Some(rows) = &mut self.rows
            && rows.place(table, due, placed)
        {
            return;
        }
        for cell in 0..due.len() {
            self.list_edges(table, due, cell);
        }
        self.halve_all(due.len(), table.memories(), placed);
    }

    /// The same for cells of which it is known otherwise which memories fit them.
    pub(in crate::switch) fn place_by_sets<const W: usize>(
        &mut self,
        memories: usize,
        cells: &[PortSet<W>],
        placed: &mut Vec<Port>,
    ) {
        placed.clear();
        for (cell, fits) in cells.iter().enumerate() {
            let list = &mut self.edges[cell * self.gamma..(cell + 1) * self.gamma];
            list_first(fits, list, (memories + cell) as Port);
        }
        self.halve_all(cells.len(), memories, placed);
    }

    /// All halvings of as many cells as have lists.
    fn halve_all(&mut self, cells: usize, memories: usize, placed: &mut Vec<Port>) {
        let mut degree = self.gamma;
        while degree > 1 {
            let pairs = cells * degree / 2;
            if self.near {
                self.halve::<true>(pairs);
            } else {
                self.halve::<false>(pairs);
            }
            degree /= 2;
        }
        let exists = |&memory: &Port| if (memory as usize) < memories { memory } else { NONE };
        placed.extend(self.edges[..cells].iter().map(exists));
    }

    /// The first Gamma memories that fit a cell.
    fn list_edges<const W: usize>(&mut self, table: &Table<W>, due: &[Due], cell: usize) {
        let (place, gamma) = (due[cell].place, self.gamma);
        let like = core::mem::replace(&mut self.listed[place as usize % LISTED], cell as u32) as usize;
        if like < cell && due[like].place == place {
            self.edges.copy_within(like * gamma..(like + 1) * gamma, cell * gamma);
            if (self.edges[(cell + 1) * gamma - 1] as usize) < table.memories() {
                return;
            }
        }
        let list = &mut self.edges[cell * gamma..(cell + 1) * gamma];
        list_first(&table.fits(place), list, (table.memories() + cell) as Port);
    }

    /// One halving: one edge of each pair stays. `NEAR` if pairs are numbered in 16 bits, which
    /// saves bounds checks.
    fn halve<const NEAR: bool>(&mut self, pairs: usize) {
        let same = self.colour::<NEAR>(pairs);
        self.join::<NEAR>(same);
        self.keep::<NEAR>(pairs);
    }

    /// Colours all pairs relative to their segments, and lists the colours that have to be the
    /// same. Returns how many these are. Branch-free.
    fn colour<const NEAR: bool>(&mut self, pairs: usize) -> usize {
        self.waiting[..self.memories].fill(NO_EDGE);
        let waiting = &mut self.waiting[..NUMBERS];
        let same = all::<NEAR, _>(&mut self.same);
        let edges: &[[Port; 2]] = self.edges[..2 * pairs].as_chunks().0;
        let (mut count, mut started) = (0, 0);
        for (&[first, second], colour) in edges.iter().zip(&mut self.colours[1..=pairs]) {
            started += 2;
            let (first, second) = (first as usize, second as usize);
            let (at_first, at_second) = (waiting[first], waiting[second]);
            let by_second = select_unpredictable(at_second == NO_EDGE, started, at_second);
            let own = select_unpredictable(at_first == NO_EDGE, by_second, at_first ^ 1);
            waiting[first] = select_unpredictable(at_first == NO_EDGE, by_second, NO_EDGE);
            waiting[second] = select_unpredictable(at_second == NO_EDGE, own ^ 1, NO_EDGE);
            // Only where both edges find a waiting one, of two segments, there is something to
            // join.
            same[index::<NEAR>(count)] = (own, at_second);
            let other = select_unpredictable(at_second == NO_EDGE, own, at_second);
            count += u32::from(own ^ other > 1);
            *colour = own;
        }
        count as usize
    }

    /// Joins the segments of colours that have to be the same, the later to the earlier.
    ///
    /// A segment has two ends, so it is joined to at most two others. Each segment is first joined
    /// to the first earlier one, branch-free. Only where both are earlier, which is rare, the
    /// second takes a search (Rem's algorithm for union-find, with parities).
    fn join<const NEAR: bool>(&mut self, count: usize) {
        let heads = all::<NEAR, _>(&mut self.colours);
        let same = all::<NEAR, _>(&mut self.same);
        let mut left = 0;
        for at in 0..count as u32 {
            let (one, other) = same[index::<NEAR>(at)];
            let (earlier, later) = (one.min(other), one.max(other));
            let head = &mut heads[index::<NEAR>(later >> 1)];
            let free = *head == later & !1;
            *head = select_unpredictable(free, earlier ^ (later & 1), *head);
            same[index::<NEAR>(left)] = (earlier, later);
            left += u32::from(!free);
        }
        for at in 0..left {
            let (mut one, mut other) = same[index::<NEAR>(at)];
            // A segment that has joined an earlier one is replaced by that one, until both are the
            // same or one is free to join.
            while one >> 1 != other >> 1 {
                let (earlier, later) = (one.min(other), one.max(other));
                let head = &mut heads[index::<NEAR>(later >> 1)];
                if *head == later & !1 {
                    *head = earlier ^ (later & 1);
                    break;
                }
                (one, other) = (earlier, *head ^ (later & 1));
            }
        }
    }

    /// Keeps one edge of each pair. A segment is joined to an earlier one, whose colour relative to
    /// its head is already known when the segment is reached.
    fn keep<const NEAR: bool>(&mut self, pairs: usize) {
        let edges: &[[Port; 2]] = self.edges[..2 * pairs].as_chunks().0;
        let colours = all::<NEAR, _>(&mut self.colours);
        let mut pair = 0;
        for (edges, stays) in edges.iter().zip(&mut self.stay[..pairs]) {
            pair += 1;
            let colour = colours[index::<NEAR>(pair)];
            let known = colours[index::<NEAR>(colour >> 1)] ^ (colour & 1);
            colours[index::<NEAR>(pair)] = known;
            *stays = edges[(known & 1) as usize];
        }
        core::mem::swap(&mut self.edges, &mut self.stay);
    }
}

/// Fills a list with the lowest memories of a set, and with `missing` if they are too few.
#[inline(always)]
fn list_first<const W: usize>(fits: &PortSet<W>, list: &mut [Port], missing: Port) {
    let mut length = 0;
    'words: for (word, &fits) in fits.words.iter().enumerate() {
        let mut left = fits;
        while left != 0 {
            if length == list.len() {
                break 'words;
            }
            list[length] = (word * 64) as Port + left.trailing_zeros() as Port;
            left &= left - 1;
            length += 1;
        }
    }
    list[length..].fill(missing);
}

/// A list as a slice; if `NEAR`, with an entry for every 16-bit index and so of a known length.
#[inline(always)]
fn all<const NEAR: bool, T>(list: &mut [T]) -> &mut [T] {
    if NEAR { &mut list[..NUMBERS] } else { list }
}

/// The index of a pair.
#[inline(always)]
fn index<const NEAR: bool>(pair: u32) -> usize {
    if NEAR { usize::from(pair as u16) } else { pair as usize }
}
