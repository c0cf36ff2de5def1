//! `FIND_ROOTS`, one root per iteration: the hardware of section III, register by register.
//!
//! A node for each pair holds its horizontal and vertical value. In each iteration:
//!
//! 1. Request. Every node with values (1, 1) pulls its row's request line.
//! 2. Grant. The controller grants the smallest requesting row; in it the requesting node of the
//!    smallest column is the root (with ties there may be several; the paper is silent, and without
//!    this arbitration two nodes would both go on).
//! 3. Mask. The root masks its row and its column: it sets its values to (0, 0) and sends its index
//!    out; a masked node of the root's row puts its vertical value on its column bus, one of the
//!    root's column its horizontal value on its row bus.
//! 4. Decrement. A live node whose value is greater than the one on its bus subtracts 1 from it.
//!
//! A line loses exactly one node to each iteration, so one value per bus is enough. Absent nodes
//! are dead from the beginning: they neither request nor drive a bus nor decrement. It ends when
//! nothing requests; then either all nodes are dead, or the instance is not rooted.

use super::{Matching, Pair, Preferences};
use alloc::vec::Vec;

/// The values of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Node {
    /// The horizontal value.
    pub h: u16,
    /// The vertical value.
    pub v: u16,
    /// Whether it is neither absent nor masked.
    pub live: bool,
}

/// The n x n nodes and what they have sent out.
#[derive(Clone, Debug)]
pub struct Nodes {
    columns: usize,
    nodes: Vec<Node>,
}

/// What the hardware form found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OneRoot {
    /// All roots together.
    pub matching: Matching,
    /// The roots in the order of their iterations, one each.
    pub roots: Vec<Pair>,
    /// Whether all nodes are dead in the end.
    pub rooted: bool,
}

impl Nodes {
    /// Loads the ranks.
    pub fn load(preferences: &Preferences) -> Self {
        let ranks = preferences.row_ranks().iter().zip(preferences.column_ranks());
        let nodes = ranks.map(|(&h, &v)| Node { h, v, live: h > 0 }).collect();
        Self { columns: preferences.columns(), nodes }
    }

    /// The nodes, row by row.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// One iteration: the root granted, or None if nothing requests.
    pub fn iterate(&mut self) -> Option<Pair> {
        // Row by row, so the first request is that of the smallest row, and in it of the smallest
        // column.
        let place = self.nodes.iter().position(|node| node.live && node.h == 1 && node.v == 1)?;
        let root = Pair { row: place / self.columns, column: place % self.columns };
        let rows = self.nodes.len() / self.columns;
        let at = |row: usize, column: usize| row * self.columns + column;
        for row in (0..rows).filter(|&row| row != root.row) {
            let masked = self.nodes[at(row, root.column)];
            for column in (0..self.columns).filter(|&column| column != root.column && masked.live) {
                let node = &mut self.nodes[at(row, column)];
                node.h -= u16::from(node.live && node.h > masked.h);
            }
        }
        for column in (0..self.columns).filter(|&column| column != root.column) {
            let masked = self.nodes[at(root.row, column)];
            for row in (0..rows).filter(|&row| row != root.row && masked.live) {
                let node = &mut self.nodes[at(row, column)];
                node.v -= u16::from(node.live && node.v > masked.v);
            }
        }
        for row in 0..rows {
            self.nodes[at(row, root.column)].live = false;
        }
        for column in 0..self.columns {
            self.nodes[at(root.row, column)].live = false;
        }
        (self.nodes[place].h, self.nodes[place].v) = (0, 0);
        Some(root)
    }

    /// Whether all nodes are dead.
    pub fn are_dead(&self) -> bool {
        self.nodes.iter().all(|node| !node.live)
    }
}

/// Iterates until nothing requests.
pub fn one_root(preferences: &Preferences) -> OneRoot {
    let mut nodes = Nodes::load(preferences);
    let mut matching = Matching::new(preferences.rows(), preferences.columns());
    let mut roots = Vec::new();
    while let Some(root) = nodes.iterate() {
        matching.add(root);
        roots.push(root);
    }
    OneRoot { matching, roots, rooted: nodes.are_dead() }
}
