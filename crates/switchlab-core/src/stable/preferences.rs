//! The ranking matrix: how each row ranks the columns, and each column the rows.

use super::Pair;
use crate::cell::MAX_PORTS;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use thiserror::Error;

/// The side of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// A row: the paper's man.
    Row,
    /// A column: the paper's woman.
    Column,
}

impl Side {
    /// The other side.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Row => Self::Column,
            Self::Column => Self::Row,
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Row => "row",
            Self::Column => "column",
        })
    }
}

/// Rankings that make no sense.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum PreferencesError {
    /// Too many lines, or none.
    #[error("{count} {side}s are not possible: there are from 1 to {MAX_PORTS}")]
    Size {
        /// Of which side.
        side: Side,
        /// How many.
        count: usize,
    },
    /// A matrix of ranks has the wrong number of entries.
    #[error("the ranks of the {side}s have {count} entries, not {rows} x {columns}; give one for each row and column")]
    Shape {
        /// Whose ranks.
        side: Side,
        /// How many entries there are.
        count: usize,
        /// The rows there should be.
        rows: usize,
        /// The columns there should be.
        columns: usize,
    },
    /// A list names a partner that does not exist.
    #[error("{side} {line} ranks {} {partner}, but there are only {count}, numbered from 0", side.other())]
    Unknown {
        /// Whose list.
        side: Side,
        /// Which list.
        line: usize,
        /// The partner that is named.
        partner: usize,
        /// How many there are.
        count: usize,
    },
    /// A list names a partner twice.
    #[error("{side} {line} ranks {} {partner} twice; name each at most once", side.other())]
    Repeated {
        /// Whose list.
        side: Side,
        /// Which list.
        line: usize,
        /// The partner that is named twice.
        partner: usize,
    },
}

/// Rankings of rows and columns by each other: rectangular, incomplete, tied, or none of these.
///
/// A pair is present if both sides rank it. Ranks count present pairs only and begin with 1, the
/// best; equal ones are competition ranks (1, 1, 3), so that a rank is one more than the number of
/// pairs liked better, as in the paper's fact 2. An absent pair has rank 0 on both sides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Preferences {
    rows: usize,
    columns: usize,
    row_ranks: Vec<u16>,
    column_ranks: Vec<u16>,
}

impl Preferences {
    /// From two matrices of ranks, row-major: how row `i` ranks column `j`, and how column `j`
    /// ranks row `i`, both at `i * columns + j`.
    ///
    /// Only their order matters: smaller is better, equal is tied, 0 is absent. They need not begin
    /// with 1 or be without gaps.
    pub fn from_ranks(
        rows: usize,
        columns: usize,
        row_ranks: &[u16],
        column_ranks: &[u16],
    ) -> Result<Self, PreferencesError> {
        check_size(Side::Row, rows)?;
        check_size(Side::Column, columns)?;
        for (side, ranks) in [(Side::Row, row_ranks), (Side::Column, column_ranks)] {
            if ranks.len() != rows * columns {
                return Err(PreferencesError::Shape { side, count: ranks.len(), rows, columns });
            }
        }
        let mut row_ranks = row_ranks.to_vec();
        let mut column_ranks = column_ranks.to_vec();
        for (h, v) in row_ranks.iter_mut().zip(&mut column_ranks) {
            if *h == 0 || *v == 0 {
                (*h, *v) = (0, 0);
            }
        }
        let mut preferences = Self { rows, columns, row_ranks, column_ranks };
        preferences.normalise();
        Ok(preferences)
    }

    /// From strict lists of partners, numbered from 0, the best first: a list for each row and one
    /// for each column.
    pub fn from_lists(row_lists: &[Vec<usize>], column_lists: &[Vec<usize>]) -> Result<Self, PreferencesError> {
        let single = |lists: &[Vec<usize>]| -> Vec<Vec<Vec<usize>>> {
            lists.iter().map(|list| list.iter().map(|&partner| vec![partner]).collect()).collect()
        };
        Self::from_tied_lists(&single(row_lists), &single(column_lists))
    }

    /// From lists with ties: each a list of groups of partners, numbered from 0, the best group
    /// first.
    pub fn from_tied_lists(
        row_lists: &[Vec<Vec<usize>>],
        column_lists: &[Vec<Vec<usize>>],
    ) -> Result<Self, PreferencesError> {
        let (rows, columns) = (row_lists.len(), column_lists.len());
        check_size(Side::Row, rows)?;
        check_size(Side::Column, columns)?;
        let mut row_ranks = vec![0; rows * columns];
        let mut column_ranks = vec![0; rows * columns];
        fill(Side::Row, row_lists, columns, &mut row_ranks, |row, column| row * columns + column)?;
        fill(Side::Column, column_lists, rows, &mut column_ranks, |column, row| row * columns + column)?;
        Self::from_ranks(rows, columns, &row_ranks, &column_ranks)
    }

    /// Counts ranks anew over what is present.
    fn normalise(&mut self) {
        let (rows, columns) = (self.rows, self.columns);
        let mut order = Vec::with_capacity(rows.max(columns));
        for row in 0..rows {
            normalise(&mut self.row_ranks, row * columns, 1, columns, &mut order);
        }
        for column in 0..columns {
            normalise(&mut self.column_ranks, column, columns, rows, &mut order);
        }
    }

    /// The same rankings with these pairs alone: the reduced graph, ranks counted anew.
    #[must_use]
    pub fn restricted_to(&self, pairs: &[Pair]) -> Self {
        let (mut row_ranks, mut column_ranks) = (vec![0; self.row_ranks.len()], vec![0; self.row_ranks.len()]);
        for pair in pairs {
            let place = pair.row * self.columns + pair.column;
            (row_ranks[place], column_ranks[place]) = (self.row_ranks[place], self.column_ranks[place]);
        }
        let mut rest = Self { rows: self.rows, columns: self.columns, row_ranks, column_ranks };
        rest.normalise();
        rest
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// How row `i` ranks column `j`, at `i * columns + j`; 0 is absent. The paper's horizontal
    /// values.
    pub fn row_ranks(&self) -> &[u16] {
        &self.row_ranks
    }

    /// How column `j` ranks row `i`, at `i * columns + j`; 0 is absent. The paper's vertical
    /// values.
    pub fn column_ranks(&self) -> &[u16] {
        &self.column_ranks
    }

    /// The horizontal and the vertical value of a pair, if it is present.
    pub fn ranks(&self, pair: Pair) -> Option<(u16, u16)> {
        let place = pair.row * self.columns + pair.column;
        Some((self.row_ranks[place], self.column_ranks[place])).filter(|(h, _)| *h > 0)
    }

    /// Whether both sides rank each other.
    pub fn is_present(&self, pair: Pair) -> bool {
        self.ranks(pair).is_some()
    }

    /// The present pairs, row by row.
    pub fn pairs(&self) -> impl Iterator<Item = Pair> {
        let columns = self.columns;
        let present = self.row_ranks.iter().enumerate().filter(|(_, rank)| **rank > 0);
        present.map(move |(place, _)| Pair { row: place / columns, column: place % columns })
    }

    /// Whether every row ranks every column and the other way round.
    pub fn is_complete(&self) -> bool {
        self.row_ranks.iter().all(|&rank| rank > 0)
    }

    /// Whether any two ranks of a line are equal.
    pub fn has_ties(&self) -> bool {
        // Without ties the ranks of a line are 1, 2, ..., k, each once: their sum tells, since a
        // tie lowers it.
        let tied = |ranks: &mut dyn Iterator<Item = u16>| {
            let (count, sum) = ranks.filter(|&r| r > 0).fold((0, 0), |(count, sum), r| (count + 1, sum + u64::from(r)));
            sum != count * (count + 1) / 2
        };
        self.row_ranks.chunks_exact(self.columns).any(|line| tied(&mut line.iter().copied()))
            || (0..self.columns)
                .any(|column| tied(&mut self.column_ranks[column..].iter().step_by(self.columns).copied()))
    }
}

fn check_size(side: Side, count: usize) -> Result<(), PreferencesError> {
    if (1..=MAX_PORTS).contains(&count) { Ok(()) } else { Err(PreferencesError::Size { side, count }) }
}

/// Writes the ranks of lists.
fn fill(
    side: Side,
    lists: &[Vec<Vec<usize>>],
    partners: usize,
    ranks: &mut [u16],
    place: impl Fn(usize, usize) -> usize,
) -> Result<(), PreferencesError> {
    for (line, list) in lists.iter().enumerate() {
        let mut better = 0;
        for group in list {
            for &partner in group {
                if partner >= partners {
                    return Err(PreferencesError::Unknown { side, line, partner, count: partners });
                }
                let rank = &mut ranks[place(line, partner)];
                if *rank > 0 {
                    return Err(PreferencesError::Repeated { side, line, partner });
                }
                *rank = better + 1;
            }
            better += group.len() as u16;
        }
    }
    Ok(())
}

/// Turns the ranks of one line into competition ranks.
fn normalise(ranks: &mut [u16], first: usize, step: usize, count: usize, order: &mut Vec<(u16, usize)>) {
    order.clear();
    let places = (0..count).map(|k| first + k * step);
    order.extend(places.map(|place| (ranks[place], place)).filter(|(rank, _)| *rank > 0));
    order.sort_unstable();
    let mut competition = 0;
    for (position, &(rank, place)) in order.iter().enumerate() {
        if position == 0 || order[position - 1].0 != rank {
            competition = position as u16 + 1;
        }
        ranks[place] = competition;
    }
}
