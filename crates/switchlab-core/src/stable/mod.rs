//! Stable matchings: ranking matrices, the dependency graph, Gale-Shapley and `FIND_ROOTS`.
//!
//! ```text
//!   Preferences ──► dependency graph ──► acyclic? rooted? (or a witness cycle)
//!        │
//!        ├──► find_roots       all roots per iteration, as the paper's algorithm (section II-C)
//!        ├──► one_root         one root per iteration, as the paper's hardware (section III)
//!        └──► gale_shapley     men propose, in parallel rounds
//! ```
//!
//! Rows are the paper's men (inputs of a switch), columns its women (outputs). A pair of a row and
//! a column that both rank is a vertex of the dependency graph; it has an edge to every pair of its
//! row that the row likes less, and to every pair of its column that the column likes less. A root
//! has no incoming edge: both sides like each other best. A root belongs to every stable matching,
//! so it can be matched at once, and the pairs of its row and column forgotten; if that empties the
//! graph, the instance is rooted. Every acyclic instance is rooted, not the other way round, and a
//! cyclic one may be neither: then [`find_roots`](find_roots::find_roots) stops early and says why,
//! and [`find_roots_then_gale_shapley`] finishes.
//!
//! [`Workspace`] is the same without allocation, for simulators that match in every slot.
//!
//! ```
//! use switchlab_core::stable::{check_acyclic, check_rooted, examples, find_roots, gale_shapley};
//!
//! let example = examples::example_1();
//! let found = find_roots(&example);
//! assert_eq!((found.iterations.len(), gale_shapley(&example).rounds.len()), (3, 5));
//! assert_eq!(found.matching.to_string(), "0->2 1->3 2->0 3->1");
//! assert!(check_rooted(&example).is_ok() && check_acyclic(&example).is_err());
//! ```
//!
//! Ties. Equal ranks are competition ranks (1, 1, 3): a pair's rank is one more than the number of
//! pairs that are liked better. They give no edge, so several roots may share a row or a column.
//! Then the one of the lowest row is taken, and in it that of the lowest column; the others that
//! share a line with it wait. Stable means weakly stable: no pair of which both sides like each
//! other strictly better than what they have. With ties there may be several stable matchings even
//! on rooted instances, the two forms of `FIND_ROOTS` may find different ones, and whether an
//! instance counts as rooted depends on the tie rule of the form that is used.
//!
//! Reference: E. Lu, M. Yang, Y. Zhang, S. Q. Zheng, "Design and implementation of an acyclic
//! stable matching scheduler" (paper 003).

pub mod examples;
pub mod find_roots;
pub mod gale_shapley;
pub mod graph;
pub mod one_root;
pub mod preferences;
pub mod stability;
pub mod workspace;

pub use find_roots::{FindRoots, find_roots, find_roots_then_gale_shapley};
pub use gale_shapley::{GaleShapley, gale_shapley};
pub use graph::{Cycle, CycleFinder, check_acyclic, check_rooted};
pub use one_root::one_root;
pub use preferences::{Preferences, PreferencesError, Side};
pub use stability::check_stable;
pub use workspace::{Outcome, Workspace};

use crate::cell::{NONE, Port};
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

/// A row and a column: a vertex of the dependency graph.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Pair {
    /// The row: the paper's man, or an input.
    pub row: usize,
    /// The column: the paper's woman, or an output.
    pub column: usize,
}

impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}->{}", self.row, self.column)
    }
}

/// At most one column for each row and at most one row for each column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Matching {
    by_row: Vec<Port>,
    by_column: Vec<Port>,
}

impl Matching {
    /// The empty matching.
    pub fn new(rows: usize, columns: usize) -> Self {
        Self { by_row: vec![NONE; rows], by_column: vec![NONE; columns] }
    }

    /// A matching of these pairs; None if two share a row or a column, or a pair is out of range.
    pub fn from_pairs(rows: usize, columns: usize, pairs: impl IntoIterator<Item = Pair>) -> Option<Self> {
        let mut matching = Self::new(rows, columns);
        for pair in pairs {
            let free = |line: &[Port], place: usize| line.get(place).is_some_and(|&partner| partner == NONE);
            if !free(&matching.by_row, pair.row) || !free(&matching.by_column, pair.column) {
                return None;
            }
            matching.add(pair);
        }
        Some(matching)
    }

    /// Adds a pair. Its row and its column must be free.
    pub fn add(&mut self, pair: Pair) {
        debug_assert!(self.by_row[pair.row] == NONE && self.by_column[pair.column] == NONE, "{pair} shares a line");
        self.by_row[pair.row] = pair.column as Port;
        self.by_column[pair.column] = pair.row as Port;
    }

    pub(crate) fn from_lines(by_row: &[Port], by_column: &[Port]) -> Self {
        Self { by_row: by_row.to_vec(), by_column: by_column.to_vec() }
    }

    /// The column of a row.
    pub fn column(&self, row: usize) -> Option<usize> {
        Some(self.by_row[row]).filter(|&column| column != NONE).map(usize::from)
    }

    /// The row of a column.
    pub fn row(&self, column: usize) -> Option<usize> {
        Some(self.by_column[column]).filter(|&row| row != NONE).map(usize::from)
    }

    /// Whether the pair is matched.
    pub fn has(&self, pair: Pair) -> bool {
        self.column(pair.row) == Some(pair.column)
    }

    /// The pairs, rows ascending.
    pub fn pairs(&self) -> impl Iterator<Item = Pair> {
        (0..self.by_row.len()).filter_map(|row| self.column(row).map(|column| Pair { row, column }))
    }

    /// The number of pairs.
    pub fn size(&self) -> usize {
        self.pairs().count()
    }
}

impl fmt::Display for Matching {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_pairs(f, self.pairs())
    }
}

fn write_pairs(f: &mut fmt::Formatter<'_>, pairs: impl Iterator<Item = Pair>) -> fmt::Result {
    for (place, pair) in pairs.enumerate() {
        if place > 0 {
            f.write_str(" ")?;
        }
        write!(f, "{pair}")?;
    }
    Ok(())
}
