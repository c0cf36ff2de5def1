//! The edge colouring of Lev, Pippenger and Valiant: split the graph into two of half the degrees,
//! and these again, until all degrees are 1.
//!
//! At every vertex edges are paired, first with second, third with fourth. The pairs join the edges
//! to paths and to cycles of even length, which are coloured alternately, the first edge of each
//! with 0. So both edges of a pair go to different halves, and a degree d becomes d/2, rounded up
//! or down. With D colours, a power of two and at least the largest degree, log2 D such splits
//! leave no two edges of a vertex in the same part. The colour of an edge is the number that its
//! splits make, the first one its highest bit.
//!
//! Edges have positions at their vertices. A part of the graph has a block of positions at every
//! vertex, as many as its degree is at most. The edge of a pair k goes to position k of its half of
//! the block. So positions are ranks at the start and stay ranks: edges are never counted again.
//! The last positions are the colours.

use crate::cell::Port;
use alloc::vec;
use alloc::vec::Vec;

/// No edge.
const NIL: u32 = u32::MAX;

/// The left end, and the right one.
const ENDS: [usize; 2] = [0, 1];

/// What a colouring needs, kept from one to the next, so that nothing is allocated.
#[derive(Clone, Debug)]
pub struct LevPippengerValiant {
    lefts: usize,
    rights: usize,
    least: usize,
    colours: usize,
    degrees: Vec<u32>,
    /// By vertex (left ones first) and position: the edge there.
    at: Vec<u32>,
    /// By edge: its positions at both ends.
    positions: Vec<[u32; 2]>,
    /// By edge: which half of the split under way it goes to; `NIL` before this is known.
    half: Vec<u32>,
    /// By edge.
    colour: Vec<u32>,
}

impl LevPippengerValiant {
    /// For graphs of `lefts` left and `rights` right vertices and up to `edges` edges, with at
    /// least that number of colours, rounded up to a power of two. More memory is allocated if a
    /// degree is larger, or if there are more edges.
    pub fn new(lefts: usize, rights: usize, colours: usize, edges: usize) -> Self {
        let least = colours.next_power_of_two();
        Self {
            lefts,
            rights,
            least,
            colours: least,
            degrees: vec![0; lefts + rights],
            at: Vec::with_capacity((lefts + rights) * least),
            positions: Vec::with_capacity(edges),
            half: Vec::with_capacity(edges),
            colour: Vec::with_capacity(edges),
        }
    }

    /// The number of colours of the last graph: the smallest power of two that is at least its
    /// largest degree, and at least what was asked for.
    pub fn colours(&self) -> usize {
        self.colours
    }

    /// The bytes that one of this size allocates.
    pub fn bytes(lefts: usize, rights: usize, colours: usize, edges: usize) -> u64 {
        let by_vertex = (lefts + rights) * (1 + colours.next_power_of_two()) * size_of::<u32>();
        (by_vertex + edges * size_of::<[u32; 4]>()) as u64
    }

    /// Colours a graph, given by the ends of its edges, left and right; several edges may have the
    /// same ends. A colour for each edge, from 0. An edge whose ends do not exist gets none:
    /// `u32::MAX`.
    pub fn colour(&mut self, edges: &[(Port, Port)]) -> &[u32] {
        self.rank(edges);
        let mut block = self.colours;
        while block > 1 {
            self.half.clear();
            self.half.resize(edges.len(), NIL);
            for edge in 0..edges.len() {
                if self.half[edge] == NIL && self.positions[edge][0] != NIL {
                    self.alternate(edge, edges);
                }
            }
            self.split(block, edges);
            block /= 2;
        }
        self.colour.clear();
        self.colour.extend(self.positions.iter().map(|ends| ends[0]));
        &self.colour
    }

    /// Places each edge at the next position of both its ends.
    fn rank(&mut self, edges: &[(Port, Port)]) {
        let exists = |&(left, right): &(Port, Port)| usize::from(left) < self.lefts && usize::from(right) < self.rights;
        self.degrees.fill(0);
        self.positions.clear();
        for edge in edges {
            let ends = if exists(edge) {
                ENDS.map(|end| {
                    let degree = &mut self.degrees[vertex(self.lefts, *edge, end)];
                    *degree += 1;
                    *degree - 1
                })
            } else {
                [NIL; 2]
            };
            self.positions.push(ends);
        }
        let most = self.degrees.iter().max().copied().unwrap_or(0) as usize;
        self.colours = most.next_power_of_two().max(self.least);
        self.at.clear();
        self.at.resize((self.lefts + self.rights) * self.colours, NIL);
        self.enter(edges);
    }

    /// Enters all edges at their positions.
    fn enter(&mut self, edges: &[(Port, Port)]) {
        for (number, (edge, positions)) in (0..).zip(edges.iter().zip(&self.positions)) {
            for end in ENDS.into_iter().filter(|&end| positions[end] != NIL) {
                self.at[vertex(self.lefts, *edge, end) * self.colours + positions[end] as usize] = number;
            }
        }
    }

    /// Colours the path or cycle of an edge, which is the first one of it.
    fn alternate(&mut self, first: usize, edges: &[(Port, Port)]) {
        self.half[first] = 0;
        for begins in ENDS {
            let (mut edge, mut end, mut half) = (first, begins, 0);
            // A walk ends at an edge without a partner, or, around a cycle, at a coloured one.
            while let Some(partner) = self.partner(edge, end, edges).filter(|&edge| self.half[edge] == NIL) {
                half = 1 - half;
                self.half[partner] = half;
                (edge, end) = (partner, 1 - end);
            }
        }
    }

    /// The other edge of a pair.
    fn partner(&self, edge: usize, end: usize, edges: &[(Port, Port)]) -> Option<usize> {
        let position = self.positions[edge][end] ^ 1;
        let partner = self.at[vertex(self.lefts, edges[edge], end) * self.colours + position as usize];
        (partner != NIL).then_some(partner as usize)
    }

    /// Moves every edge to its half of its block.
    fn split(&mut self, block: usize, edges: &[(Port, Port)]) {
        let mask = block as u32 - 1;
        for (positions, half) in self.positions.iter_mut().zip(&self.half).filter(|(_, half)| **half != NIL) {
            for position in positions {
                *position = (*position & !mask) + half * (block as u32 / 2) + (*position & mask) / 2;
            }
        }
        self.at.fill(NIL);
        self.enter(edges);
    }
}

/// The vertex at an end of an edge.
fn vertex(lefts: usize, (left, right): (Port, Port), end: usize) -> usize {
    if end == 0 { usize::from(left) } else { lefts + usize::from(right) }
}
