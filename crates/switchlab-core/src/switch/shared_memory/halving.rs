//! The halving of appendix A, one slot after the other: the same matching as the parallel program
//! in `pram`, at the speed of a simulator.
//!
//! Edges lie in lists, one list for each cell, ascending by memory; so an edge's place in all lists
//! is also its rank among all edges, and the pairs at a cell are neighbours in its list. Each such
//! pair has different colours, so exactly one edge of it stays: a halving turns the list of 2p
//! edges into one of p edges, still ascending, and neither ranks nor degrees have to be counted
//! again.
//!
//! The pairs at the memories, and with them the colours, come from one pass over all edges, which
//! remembers for each memory an edge that still waits for its partner:
//!
//! ```text
//!   no edge of a pair finds a partner   the pair founds a clan, in which its first edge stays
//!   one does                            it joins that edge's clan, and has the other colour
//!   both do                             likewise; if these are of two clans, or disagree, the
//!                                       clans are joined
//! ```
//!
//! A clan is part of a path or cycle, and joined clans are a whole one. Who is joined to whom, and
//! whether one of them has to change its colours for that, is kept as in union-find, the earlier
//! founder being the head: its first edge is the smallest of all, and stays.
//!
//! Rejected: to walk along each path and cycle by a list of partners. Most are short and a few have
//! hundreds of edges; the short ones end in a branch that nobody can predict, and the long ones
//! wait for one load after the other: it took twice as long. So did bit rows for the edges, with
//! partners found by population counts: two dependent searches in words for each step.
//!
//! Rejected too: to keep for each open memory the other end of its clan. The two ends of a clan
//! always have different colours, so from the last pair to the first no clans, searches or colours
//! are needed, and from the first to the last one look tells which edge stays: under 30
//! instructions for a pair instead of about 60. But it writes to places that it has only just read
//! of, where the next pair may read, and so it took as long (20 microseconds against 18 with 64
//! ports; 17 with the next pair's ends read ahead). Four pairs of a cell at once, in the 16-bit
//! lanes of a word, take a third off the instructions of `colour`; joining and keeping lane by lane
//! took the gain back.
//!
//! Switches of up to 64 ports have a faster form of the same, `rows`, where the processor has what
//! it needs.
//!
//! A cell that fits fewer than Gamma memories, possible only with fewer than N-1+Gamma of them,
//! gets edges to a memory of its own that does not exist. They come last in its list and pair with
//! nothing of another cell, so they never change the colour of another edge; if such an edge is the
//! one that stays, the cell has no memory.

use super::rows::Rows;
use super::table::{Due, Table};
use crate::cell::{NONE, Port};
use crate::switch::allocated;
use crate::variants;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use core::hint::select_unpredictable;

/// No edge waits. Colours are never 0: pairs are numbered from 1.
const NOBODY: u32 = 0;

/// How many ports, or pairs, 16 bits tell apart.
const NUMBERS: usize = 1 << 16;

/// Lists are looked up by departure slot modulo this: cells due together fit the same memories.
const LISTED: usize = 256;

/// The edges of a slot. A clan has the number of the pair that founded it, and a colour is written
/// as `clan << 1 | goes`: that of an edge which stays, or goes, if its clan keeps its colours.
#[derive(Clone, Debug)]
pub(super) struct Halving {
    gamma: usize,
    /// The memory of each edge, list after list.
    edges: Vec<Port>,
    /// The edges that stay.
    stay: Vec<Port>,
    /// By pair, from 1: the colour of its first edge; of a pair that founded a clan, that of the
    /// clan it is joined to, or its own. No list of clans is needed.
    colours: Vec<u32>,
    /// By memory: the colour of the edge that waits for a partner.
    waiting: Vec<u32>,
    /// How many there are, with those that do not exist.
    memories: usize,
    /// Whether pairs are numbered in 16 bits.
    near: bool,
    /// Colours that have to be the same.
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
    pub(super) fn by_lists(ports: usize, memories: usize) -> Self {
        let gamma = super::gamma(ports);
        let pairs = ports * gamma / 2;
        Self {
            gamma,
            edges: vec![0; ports * gamma],
            stay: vec![0; ports * gamma],
            colours: vec![0; (pairs + 1).max(NUMBERS)],
            waiting: vec![NOBODY; NUMBERS],
            memories: memories + ports,
            same: vec![(0, 0); (pairs + 1).max(NUMBERS)],
            near: pairs < NUMBERS,
            listed: vec![0; LISTED],
            rows: None,
        }
    }

    /// The bytes of all lists. They do not change.
    pub(super) fn bytes(&self) -> u64 {
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
        let mut degree = self.gamma;
        while degree > 1 {
            let pairs = due.len() * degree / 2;
            if self.near {
                self.halve::<true>(pairs);
            } else {
                self.halve::<false>(pairs);
            }
            degree /= 2;
        }
        let exists = |&memory: &Port| if (memory as usize) < table.memories() { memory } else { NONE };
        placed.extend(self.edges[..due.len()].iter().map(exists));
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
        let mut length = 0;
        'words: for (word, &fits) in table.fits(place).words.iter().enumerate() {
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
        list[length..].fill((table.memories() + cell) as Port);
    }

    /// One halving: of each pair an edge stays. `NEAR` if pairs are numbered in 16 bits: then no
    /// look at them is checked.
    fn halve<const NEAR: bool>(&mut self, pairs: usize) {
        let same = self.colour::<NEAR>(pairs);
        self.join::<NEAR>(same);
        self.keep::<NEAR>(pairs);
    }

    /// Colours all pairs, as far as their clans know; says how many colours have to be the same. No
    /// branch depends on the edges.
    fn colour<const NEAR: bool>(&mut self, pairs: usize) -> usize {
        self.waiting[..self.memories].fill(NOBODY);
        let waiting = &mut self.waiting[..NUMBERS];
        let same = all::<NEAR, _>(&mut self.same);
        let edges: &[[Port; 2]] = self.edges[..2 * pairs].as_chunks().0;
        let (mut count, mut founded) = (0, 0);
        for (&[first, second], colour) in edges.iter().zip(&mut self.colours[1..=pairs]) {
            founded += 2;
            let (first, second) = (first as usize, second as usize);
            let (at_first, at_second) = (waiting[first], waiting[second]);
            let by_second = select_unpredictable(at_second == NOBODY, founded, at_second);
            let own = select_unpredictable(at_first == NOBODY, by_second, at_first ^ 1);
            waiting[first] = select_unpredictable(at_first == NOBODY, by_second, NOBODY);
            waiting[second] = select_unpredictable(at_second == NOBODY, own ^ 1, NOBODY);
            // If not both edges find somebody, or both the same clan, they agree by themselves.
            same[place::<NEAR>(count)] = (own, at_second);
            let other = select_unpredictable(at_second == NOBODY, own, at_second);
            count += u32::from(own ^ other > 1);
            *colour = own;
        }
        count as usize
    }

    /// Joins the clans of colours that have to be the same, the later to the earlier.
    ///
    /// A clan has two ends, so it is joined to at most two others. Each clan takes the first that
    /// comes before it, again without branches; only where both come before it, which is seldom,
    /// the second takes a search (Rem's algorithm for union-find, with parities).
    fn join<const NEAR: bool>(&mut self, count: usize) {
        let heads = all::<NEAR, _>(&mut self.colours);
        let same = all::<NEAR, _>(&mut self.same);
        let mut left = 0;
        for at in 0..count as u32 {
            let (one, other) = same[place::<NEAR>(at)];
            let (earlier, later) = (one.min(other), one.max(other));
            let head = &mut heads[place::<NEAR>(later >> 1)];
            let free = *head == later & !1;
            *head = select_unpredictable(free, earlier ^ (later & 1), *head);
            same[place::<NEAR>(left)] = (earlier, later);
            left += u32::from(!free);
        }
        for at in 0..left {
            let (mut one, mut other) = same[place::<NEAR>(at)];
            // Who has joined an earlier clan hands the matter on to that one, until it is one clan,
            // or one is free to join.
            while one >> 1 != other >> 1 {
                let (earlier, later) = (one.min(other), one.max(other));
                let head = &mut heads[place::<NEAR>(later >> 1)];
                if *head == later & !1 {
                    *head = earlier ^ (later & 1);
                    break;
                }
                (one, other) = (earlier, *head ^ (later & 1));
            }
        }
    }

    /// Keeps one edge of each pair. A clan comes after that which it is joined to, so that when its
    /// turn comes, that one knows its head already.
    fn keep<const NEAR: bool>(&mut self, pairs: usize) {
        let edges: &[[Port; 2]] = self.edges[..2 * pairs].as_chunks().0;
        let colours = all::<NEAR, _>(&mut self.colours);
        let mut pair = 0;
        for (edges, stays) in edges.iter().zip(&mut self.stay[..pairs]) {
            pair += 1;
            let colour = colours[place::<NEAR>(pair)];
            let known = colours[place::<NEAR>(colour >> 1)] ^ (colour & 1);
            colours[place::<NEAR>(pair)] = known;
            *stays = edges[(known & 1) as usize];
        }
        core::mem::swap(&mut self.edges, &mut self.stay);
    }
}

/// All places of a list, and if it has a place for every number of 16 bits, as a slice whose length
/// is known.
#[inline(always)]
fn all<const NEAR: bool, T>(list: &mut [T]) -> &mut [T] {
    if NEAR { &mut list[..NUMBERS] } else { list }
}

/// The place of a pair.
#[inline(always)]
fn place<const NEAR: bool>(pair: u32) -> usize {
    if NEAR { usize::from(pair as u16) } else { pair as usize }
}
