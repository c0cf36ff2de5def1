//! Edge colouring of bipartite graphs with as many colours as the largest degree (König).
//!
//! Edges are coloured one by one. If no colour is free at both ends, one is free at the left end,
//! a, and another one at the right end, b. From the right end goes a path whose edges are coloured
//! a, b, a, ...; it does not come to the left end, since it comes to left vertices by edges of
//! colour a, which is free there. Its colours are exchanged, and then a is free at both ends.
//!
//! To halve degrees, as [`super::LevPippengerValiant`] does, was rejected for the reads of frames:
//! degrees are no powers of two there, and paths are short.

use crate::cell::Port;
use alloc::vec;
use alloc::vec::Vec;

/// No edge.
const NIL: u32 = u32::MAX;

/// What a colouring needs, kept from one to the next, so that nothing is allocated.
#[derive(Clone, Debug)]
pub struct EdgeColouring {
    lefts: usize,
    rights: usize,
    colours: usize,
    /// By vertex (left ones first) and colour: the edge there.
    at: Vec<u32>,
    degrees: Vec<u32>,
    /// By edge.
    colour: Vec<u32>,
}

impl EdgeColouring {
    /// For graphs of `lefts` left and `rights` right vertices, with degrees of up to `most`. More
    /// memory is allocated if a degree is larger.
    pub fn new(lefts: usize, rights: usize, most: usize) -> Self {
        let vertices = lefts + rights;
        Self {
            lefts,
            rights,
            colours: 0,
            at: Vec::with_capacity(vertices * most),
            degrees: vec![0; vertices],
            colour: Vec::with_capacity(lefts * most),
        }
    }

    /// The number of colours of the last graph: its largest degree.
    pub fn colours(&self) -> usize {
        self.colours
    }

    /// Colours a graph, given by the ends of its edges, left and right; several edges may have the
    /// same ends. A colour for each edge, from 0. An edge whose ends do not exist gets none:
    /// `u32::MAX`.
    pub fn colour(&mut self, edges: &[(Port, Port)]) -> &[u32] {
        let Self { lefts, rights, .. } = *self;
        let exists = |(left, right): (Port, Port)| usize::from(left) < lefts && usize::from(right) < rights;
        let ends = |(left, right): (Port, Port)| [usize::from(left), lefts + usize::from(right)];
        self.degrees.fill(0);
        for &edge in edges.iter().filter(|edge| exists(**edge)) {
            for vertex in ends(edge) {
                self.degrees[vertex] += 1;
            }
        }
        self.colours = self.degrees.iter().max().copied().unwrap_or(0) as usize;
        self.at.clear();
        self.at.resize((lefts + rights) * self.colours, NIL);
        self.colour.clear();
        self.colour.resize(edges.len(), NIL);
        for (number, &edge) in edges.iter().enumerate().filter(|(_, edge)| exists(**edge)) {
            let [left, right] = ends(edge);
            let colour = self.free_at_both(left, right, edges);
            self.set(number, [left, right], colour);
        }
        &self.colour
    }

    fn set(&mut self, edge: usize, ends: [usize; 2], colour: usize) {
        self.colour[edge] = colour as u32;
        for vertex in ends {
            self.at[vertex * self.colours + colour] = edge as u32;
        }
    }

    fn free(&self, vertex: usize) -> impl Iterator<Item = usize> {
        let row = &self.at[vertex * self.colours..(vertex + 1) * self.colours];
        row.iter().enumerate().filter(|(_, edge)| **edge == NIL).map(|(colour, _)| colour)
    }

    /// A colour that is free at both ends, if need be after an exchange along a path. Every vertex
    /// has a free colour as long as not all its edges are coloured.
    fn free_at_both(&mut self, left: usize, right: usize, edges: &[(Port, Port)]) -> usize {
        let free_right = |colour: &usize| self.at[right * self.colours + colour] == NIL;
        if let Some(colour) = self.free(left).find(free_right) {
            return colour;
        }
        let (a, b) = (self.free(left).next().unwrap_or(0), self.free(right).next().unwrap_or(0));
        // Along the path, each edge is lifted out before the next one is, and then set with the
        // other colour.
        let (mut vertex, mut colours) = (right, [a, b]);
        let mut lifted = self.lift(vertex, a);
        while let Some(edge) = lifted {
            let (far, other) = (self.far(edge, vertex, edges), colours[1]);
            self.at[far * self.colours + colours[0]] = NIL;
            lifted = self.lift(far, other);
            self.set(edge, [vertex, far], other);
            (vertex, colours) = (far, [colours[1], colours[0]]);
        }
        a
    }

    /// Takes the edge of a colour from a vertex.
    fn lift(&mut self, vertex: usize, colour: usize) -> Option<usize> {
        let edge = core::mem::replace(&mut self.at[vertex * self.colours + colour], NIL);
        (edge != NIL).then_some(edge as usize)
    }

    fn far(&self, edge: usize, vertex: usize, edges: &[(Port, Port)]) -> usize {
        let (left, right) = edges[edge];
        if vertex < self.lefts { self.lefts + usize::from(right) } else { usize::from(left) }
    }
}
