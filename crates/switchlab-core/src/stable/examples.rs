//! Instances with a story: the paper's examples, and the families that separate the two algorithms.

use super::Preferences;
use crate::rng::Rng;
use alloc::vec::Vec;

/// Example 1: 3 iterations of `FIND_ROOTS` against 5 rounds of Gale-Shapley. Rooted, not acyclic.
pub fn example_1() -> Preferences {
    let row_ranks = [3, 4, 1, 2, 1, 2, 3, 4, 1, 2, 4, 3, 2, 3, 1, 4];
    let column_ranks = [3, 1, 1, 3, 2, 4, 2, 2, 1, 3, 3, 1, 4, 2, 4, 4];
    square(4, &row_ranks, &column_ranks)
}

/// An acyclic instance of which all is true that the paper says of its figure 2: roots (0, 0) and
/// (2, 2), then (1, 3), then (3, 1), so 3 iterations of `FIND_ROOTS`, against 6 rounds of
/// Gale-Shapley. The figure's own ranks are drawn there, not printed in the text; this instance was
/// found by search.
pub fn figure_2() -> Preferences {
    let row_ranks = [1, 4, 2, 3, 2, 4, 1, 3, 3, 2, 1, 4, 2, 4, 3, 1];
    let column_ranks = [1, 3, 4, 4, 2, 4, 2, 1, 3, 1, 1, 2, 4, 2, 3, 3];
    square(4, &row_ranks, &column_ranks)
}

/// An acyclic family that takes Gale-Shapley the most rounds of all rooted instances, 1 + n(n-1)/2.
///
/// All columns like rows in the order of their numbers, so row k ends with column k. Each row k
/// likes column k-1 best, which holds it until row k-1, rejected by all columns before it, proposes
/// there; then row k proposes to 0, ..., k-2 in vain and ends with k. So after the first round
/// there is one proposal in each.
pub fn most_rounds(n: usize) -> Preferences {
    let order = |row: usize| -> Vec<usize> {
        let first = row.saturating_sub(1);
        core::iter::once(first).chain((0..n).filter(|&column| column != first)).collect()
    };
    of_row_orders(n, order)
}

/// An acyclic family of 1 round of Gale-Shapley and n iterations of `FIND_ROOTS`: everybody in a
/// row likes his own column best, and all columns like rows in the order of their numbers, so that
/// only one row at a time is the best of its column.
pub fn most_iterations(n: usize) -> Preferences {
    of_row_orders(n, |row| (0..n).map(|step| (row + step) % n).collect())
}

/// Rows with these orders of columns; all columns like rows in the order of their numbers. Edges
/// within columns then lead to higher rows only, so there is no cycle.
fn of_row_orders(n: usize, order: impl Fn(usize) -> Vec<usize>) -> Preferences {
    let n = n.clamp(1, crate::cell::MAX_PORTS);
    let (mut row_ranks, mut column_ranks) = (alloc::vec![0; n * n], alloc::vec![0; n * n]);
    for row in 0..n {
        for (place, column) in order(row).into_iter().enumerate() {
            row_ranks[row * n + column] = place as u16 + 1;
            column_ranks[row * n + column] = row as u16 + 1;
        }
    }
    square(n, &row_ranks, &column_ranks)
}

/// A random complete instance without ties, every one equally likely. Draws the rows' orders first,
/// then the columns'.
pub fn random(n: usize, rng: &mut Rng) -> Preferences {
    let n = n.clamp(1, crate::cell::MAX_PORTS);
    let (mut row_ranks, mut column_ranks) = (alloc::vec![0; n * n], alloc::vec![0; n * n]);
    let mut ranks: Vec<u16> = (1..=n as u16).collect();
    for row in 0..n {
        rng.shuffle(&mut ranks);
        row_ranks[row * n..][..n].copy_from_slice(&ranks);
    }
    for column in 0..n {
        rng.shuffle(&mut ranks);
        for (row, &rank) in ranks.iter().enumerate() {
            column_ranks[row * n + column] = rank;
        }
    }
    square(n, &row_ranks, &column_ranks)
}

fn square(n: usize, row_ranks: &[u16], column_ranks: &[u16]) -> Preferences {
    match Preferences::from_ranks(n, n, row_ranks, column_ranks) {
        Ok(preferences) => preferences,
        Err(_) => unreachable!("a square of the right size"),
    }
}
