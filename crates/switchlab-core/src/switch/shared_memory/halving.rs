//! The halving of appendix A, one slot after the other: the same matching as the parallel program in `pram`, at the speed of a simulator.
//!
//! Edges lie in lists, one list for each cell, ascending by memory; so an edge's place in all lists is also its rank among all edges, and the pairs at a
//! cell are neighbours in its list. Each such pair has different colours, so exactly one edge of it stays: a halving turns the list of 2p edges into one
//! of p edges, still ascending, and neither ranks nor degrees have to be counted again. The pairs at the memories are found by one pass over all
//! edges, which remembers for each memory an edge that still waits for its partner.
//!
//! Rejected: bit rows for the edges, with partners found by population counts. A step along a path then needs two dependent searches in words, about
//! thirty cycles, where the list of partners needs one load.
//!
//! A cell that fits fewer than Gamma memories, possible only with fewer than N-1+Gamma of them, gets edges to a memory that does not exist. They come last in its
//! list and pair with nothing of another cell, so they never change the colour of another edge; if such an edge is the one that stays, the cell has no memory.

use super::table::{Due, Table};
use crate::cell::{NONE, Port};
use alloc::vec;
use alloc::vec::Vec;

/// No edge: the one waiting at a memory, or the partner of an edge without.
const SINK: u32 = 0;

/// The edges of a slot.
#[derive(Clone, Debug)]
pub(super) struct Halving {
    gamma: usize,
    /// The memory of each edge, list after list.
    edges: Vec<Port>,
    /// The edges that stay.
    stay: Vec<Port>,
    /// By edge, from 1 on: the edge it is paired with at its memory.
    partners: Vec<u32>,
    /// By memory: the edge that waits for a partner.
    waiting: Vec<u32>,
}

impl Halving {
    pub(super) fn new(ports: usize, memories: usize) -> Self {
        let gamma = super::gamma(ports);
        Self {
            gamma,
            edges: vec![0; ports * gamma],
            stay: vec![0; ports * gamma],
            // Edge e has number e + 2: even and odd numbers are pairs at a cell, and 0 is none.
            partners: vec![0; ports * gamma + 2],
            waiting: vec![SINK; memories + 1],
        }
    }

    /// Finds the memory of each cell, or [`NONE`].
    pub(super) fn place<const W: usize>(&mut self, table: &Table<W>, due: &[Due], placed: &mut Vec<Port>) {
        self.list_edges(table, due);
        let nowhere = table.memories() as Port;
        let mut degree = self.gamma;
        while degree > 1 {
            self.pair_at_memories(due.len(), degree);
            self.colour(due.len() * degree / 2);
            core::mem::swap(&mut self.edges, &mut self.stay);
            degree /= 2;
        }
        let memories = self.edges[..due.len()].iter();
        placed.extend(memories.map(|&memory| if memory == nowhere { NONE } else { memory }));
    }

    /// The first Gamma memories that fit each cell.
    fn list_edges<const W: usize>(&mut self, table: &Table<W>, due: &[Due]) {
        for (list, cell) in self.edges.chunks_exact_mut(self.gamma).zip(due) {
            let fits = table.fits(cell.place);
            let mut length = 0;
            'words: for (word, &fits) in fits.iter().enumerate() {
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
            list[length..].fill(table.memories() as Port);
        }
    }

    /// Pairs the edges at each memory: first with second, third with fourth.
    fn pair_at_memories(&mut self, cells: usize, degree: usize) {
        self.waiting.fill(SINK);
        let (partners, waiting) = (&mut self.partners[..], &mut self.waiting[..]);
        let nowhere = waiting.len() - 1;
        let mut edge = 2;
        for list in self.edges[..cells * degree].chunks_exact(degree) {
            for &memory in list {
                let wait = &mut waiting[memory as usize];
                let partner = core::mem::replace(wait, SINK);
                if partner == SINK {
                    *wait = edge;
                }
                partners[edge as usize] = partner;
                partners[partner as usize] = edge;
                edge += 1;
            }
            waiting[nowhere] = SINK;
        }
    }

    /// Walks along each path and cycle from its first edge, which stays, in both directions.
    fn colour(&mut self, pairs: usize) {
        const OPEN: Port = NONE;
        let (edges, stay, partners) = (&self.edges[..], &mut self.stay[..pairs], &self.partners[..]);
        stay.fill(OPEN);
        for first in 0..pairs {
            if stay[first] != OPEN {
                continue;
            }
            stay[first] = edges[2 * first];
            // The other edge of the pair goes, so its partner stays, so the other edge of that pair goes, ...
            let mut goes = 2 * first as u32 + 3;
            let cycle = loop {
                let stays = partners[goes as usize];
                if stays == SINK {
                    break false;
                }
                let pair = stays as usize / 2 - 1;
                if pair == first {
                    break true;
                }
                stay[pair] = edges[stays as usize - 2];
                goes = stays ^ 1;
            };
            if cycle {
                continue;
            }
            let mut stays = 2 * first as u32 + 2;
            loop {
                let goes = partners[stays as usize];
                if goes == SINK {
                    break;
                }
                stays = goes ^ 1;
                stay[stays as usize / 2 - 1] = edges[stays as usize - 2];
            }
        }
    }
}
