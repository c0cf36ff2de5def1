//! The dependency graph (section II-B), and why an instance is not acyclic or not rooted.
//!
//! A vertex for each present pair; an edge to every vertex of the same row that the row likes
//! strictly less, and of the same column likewise. By fact 2 a vertex has `h - 1` incoming edges
//! from its row and `v - 1` from its column.

use super::find_roots::left;
use super::{Pair, Preferences, Workspace, write_pairs};
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

/// A cycle of the dependency graph: an edge from each pair to the next, and from the last to the
/// first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cycle {
    /// The pairs, in the direction of the edges.
    pub pairs: Vec<Pair>,
}

impl Cycle {
    /// Whether it is one, for these rankings.
    pub fn is_in(&self, preferences: &Preferences) -> bool {
        let next = self.pairs.iter().cycle().skip(1);
        !self.pairs.is_empty() && self.pairs.iter().zip(next).all(|(&from, &to)| has_edge(preferences, from, to))
    }
}

impl fmt::Display for Cycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_pairs(f, self.pairs.iter().chain(self.pairs.first()).copied())
    }
}

/// Whether the graph has this edge.
pub fn has_edge(preferences: &Preferences, from: Pair, to: Pair) -> bool {
    match (preferences.ranks(from), preferences.ranks(to)) {
        (Some((h, v)), Some((other_h, other_v))) => {
            (from.row == to.row && h < other_h) || (from.column == to.column && v < other_v)
        }
        _ => false,
    }
}

/// The edges between neighbours in rank: those whose transitive closure within the lines is the
/// graph. For people to look at; the graph itself has O(n^3) edges.
pub fn neighbour_edges(preferences: &Preferences) -> Vec<(Pair, Pair)> {
    let pairs: Vec<Pair> = preferences.pairs().collect();
    let rank = |pair: Pair| preferences.ranks(pair).unwrap_or_default();
    let mut edges = Vec::new();
    for &from in &pairs {
        let (h, v) = rank(from);
        let in_row = pairs.iter().filter(|to| to.row == from.row && rank(**to).0 > h);
        let next_h = in_row.clone().map(|to| rank(*to).0).min();
        edges.extend(in_row.filter(|to| Some(rank(**to).0) == next_h).map(|to| (from, *to)));
        let in_column = pairs.iter().filter(|to| to.column == from.column && rank(**to).1 > v);
        let next_v = in_column.clone().map(|to| rank(*to).1).min();
        edges.extend(in_column.filter(|to| Some(rank(**to).1) == next_v).map(|to| (from, *to)));
    }
    edges
}

/// Whether the graph has no cycle; else one.
pub fn check_acyclic(preferences: &Preferences) -> Result<(), Cycle> {
    let mut finder = CycleFinder::new(preferences.rows(), preferences.columns());
    if finder.is_acyclic(preferences.row_ranks(), preferences.column_ranks()) {
        return Ok(());
    }
    let columns = preferences.columns();
    let left: Vec<Pair> =
        preferences.pairs().filter(|pair| !finder.removed[pair.row * columns + pair.column]).collect();
    unrooted_cycle(preferences, &left).map_or(Ok(()), Err)
}

/// Whether `FIND_ROOTS` empties the graph; else a cycle of what is left.
pub fn check_rooted(preferences: &Preferences) -> Result<(), Cycle> {
    let mut workspace = Workspace::new(preferences.rows(), preferences.columns());
    if workspace.find_roots(preferences.row_ranks(), preferences.column_ranks()).rooted {
        return Ok(());
    }
    let matching = super::Matching::from_lines(workspace.by_row(), workspace.by_column());
    unrooted_cycle(preferences, &left(preferences, &matching)).map_or(Ok(()), Err)
}

/// A cycle among pairs of which each has an edge from another of them; None if there are no pairs,
/// or one has no such edge.
///
/// From any pair, steps back along edges: to the best of the row, or if it is that, to the best of
/// the column. A pair comes twice in the end; what lies between is a cycle, backwards.
pub(super) fn unrooted_cycle(preferences: &Preferences, pairs: &[Pair]) -> Option<Cycle> {
    let (rows, columns) = (preferences.rows(), preferences.columns());
    let (mut row_best, mut column_best) = (vec![None; rows], vec![None; columns]);
    for &pair in pairs {
        let (h, v) = preferences.ranks(pair)?;
        let best = &mut row_best[pair.row];
        if best.is_none_or(|(rank, _)| h < rank) {
            *best = Some((h, pair));
        }
        let best = &mut column_best[pair.column];
        if best.is_none_or(|(rank, _)| v < rank) {
            *best = Some((v, pair));
        }
    }
    let mut step = vec![usize::MAX; rows * columns];
    let mut walk: Vec<Pair> = Vec::new();
    let mut pair = *pairs.first()?;
    loop {
        let seen = &mut step[pair.row * columns + pair.column];
        if *seen != usize::MAX {
            let mut pairs = walk.split_off(*seen);
            pairs.reverse();
            return Some(Cycle { pairs });
        }
        *seen = walk.len();
        walk.push(pair);
        let (h, v) = preferences.ranks(pair)?;
        let (best_h, in_row) = row_best[pair.row]?;
        let (best_v, in_column) = column_best[pair.column]?;
        pair = if best_h < h {
            in_row
        } else if best_v < v {
            in_column
        } else {
            return None;
        };
    }
}

/// Says whether dependency graphs are acyclic, without allocation, from ranks as [`Workspace`]
/// takes them.
///
/// Vertices without incoming edges are removed one after the other; the graph is acyclic if all go.
/// In a line they go in the order of rank, tied ones in any, so a vertex has lost its incoming
/// edges of a line when as many vertices of it have gone as are liked better: a counter for each
/// line tells. O(n^2), besides sorting each line.
#[derive(Clone, Debug)]
pub struct CycleFinder {
    rows: usize,
    columns: usize,
    /// The present columns of each row in the order of rank, and the present rows of each column.
    row_order: Vec<u16>,
    column_order: Vec<u16>,
    /// How many are liked better, for each pair.
    row_better: Vec<u16>,
    column_better: Vec<u16>,
    /// How many of each line have gone.
    row_gone: Vec<u16>,
    column_gone: Vec<u16>,
    pub(super) removed: Vec<bool>,
    ready: Vec<(u16, u16)>,
}

const ABSENT: u16 = u16::MAX;

impl CycleFinder {
    /// A finder for instances of `rows` rows and `columns` columns.
    pub fn new(rows: usize, columns: usize) -> Self {
        let pairs = rows * columns;
        Self {
            rows,
            columns,
            row_order: vec![ABSENT; pairs],
            column_order: vec![ABSENT; pairs],
            row_better: vec![0; pairs],
            column_better: vec![0; pairs],
            row_gone: vec![0; rows],
            column_gone: vec![0; columns],
            removed: vec![false; pairs],
            ready: Vec::with_capacity(pairs),
        }
    }

    /// Whether the graph of these ranks has no cycle.
    ///
    /// # Panics
    ///
    /// If a slice does not have an entry for each row and column.
    pub fn is_acyclic(&mut self, row_ranks: &[u16], column_ranks: &[u16]) -> bool {
        let (rows, columns) = (self.rows, self.columns);
        assert!(row_ranks.len() == rows * columns && column_ranks.len() == rows * columns, "a rank for each pair");
        let present = |place: usize| row_ranks[place] != 0 && column_ranks[place] != 0;
        for row in 0..rows {
            let place = |column: u16| row * columns + usize::from(column);
            let order = &mut self.row_order[row * columns..][..columns];
            sort(
                order,
                |column| present(place(column)).then(|| row_ranks[place(column)]),
                |column, better| {
                    self.row_better[place(column)] = better;
                },
            );
        }
        for column in 0..columns {
            let place = |row: u16| usize::from(row) * columns + column;
            let order = &mut self.column_order[column * rows..][..rows];
            sort(
                order,
                |row| present(place(row)).then(|| column_ranks[place(row)]),
                |row, better| {
                    self.column_better[place(row)] = better;
                },
            );
        }
        self.row_gone.fill(0);
        self.column_gone.fill(0);
        self.ready.clear();
        let mut left = 0;
        for place in 0..rows * columns {
            self.removed[place] = !present(place);
            left += usize::from(present(place));
            if present(place) && self.row_better[place] == 0 && self.column_better[place] == 0 {
                self.ready.push(((place / columns) as u16, (place % columns) as u16));
            }
        }
        while let Some((row, column)) = self.ready.pop() {
            let (i, j) = (usize::from(row), usize::from(column));
            self.removed[i * columns + j] = true;
            left -= 1;
            // One more pair of the row is removed: a pair whose better pairs are all removed has no
            // incoming edge from the row any more.
            self.row_gone[i] += 1;
            let gone = self.row_gone[i];
            for &other in &self.row_order[i * columns..][usize::from(gone)..columns] {
                let place = i * columns + usize::from(other);
                if other == ABSENT || self.row_better[place] != gone {
                    break;
                }
                if self.column_better[place] <= self.column_gone[usize::from(other)] {
                    self.ready.push((row, other));
                }
            }
            self.column_gone[j] += 1;
            let gone = self.column_gone[j];
            for &other in &self.column_order[j * rows..][usize::from(gone)..rows] {
                let place = usize::from(other) * columns + j;
                if other == ABSENT || self.column_better[place] != gone {
                    break;
                }
                if self.row_better[place] <= self.row_gone[usize::from(other)] {
                    self.ready.push((other, column));
                }
            }
        }
        left == 0
    }
}

/// Sorts a line by rank, absent ones left out at the end, and tells of each how many are strictly
/// better.
fn sort(order: &mut [u16], rank: impl Fn(u16) -> Option<u16>, mut better: impl FnMut(u16, u16)) {
    let mut count = 0;
    for partner in 0..order.len() as u16 {
        if rank(partner).is_some() {
            order[count] = partner;
            count += 1;
        }
    }
    order[count..].fill(ABSENT);
    order[..count].sort_unstable_by_key(|&partner| (rank(partner), partner));
    let mut group = 0;
    for place in 0..count {
        if place > 0 && rank(order[place]) != rank(order[place - 1]) {
            group = place;
        }
        better(order[place], group as u16);
    }
}
