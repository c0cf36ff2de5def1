//! Gale-Shapley in parallel rounds, as section II-D counts them.
//!
//! A round: every row that is free proposes to the column it ranks best of those it has not
//! proposed to; every column keeps the best of its proposals, the one it holds included, and
//! rejects the rest. It ends when no row proposes any more. Of all stable matchings it gives the
//! one that the rows like best. Equal ranks: the lowest number is liked best, on both sides.
//!
//! Rooted instances of n rows and columns take at most 1 + n(n-1)/2 rounds, and an acyclic family
//! reaches it ([`super::examples::most_rounds`]); all instances at most n^2 - 2n + 2.

use super::{Matching, Pair, Preferences, Workspace};
use crate::cell::NONE;
use alloc::vec::Vec;

/// A matching, and the rounds that led to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GaleShapley {
    /// The stable matching.
    pub matching: Matching,
    /// The rounds.
    pub rounds: Vec<Round>,
}

/// One round.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Round {
    /// The new proposals.
    pub proposals: Vec<Pair>,
    /// All proposals that are kept, columns ascending.
    pub kept: Vec<Pair>,
}

/// Runs the algorithm.
pub fn gale_shapley(preferences: &Preferences) -> GaleShapley {
    let mut workspace = Workspace::new(preferences.rows(), preferences.columns());
    let (mut rounds, mut proposals) = (Vec::new(), Vec::new());
    workspace.gale_shapley_with(
        preferences.row_ranks(),
        preferences.column_ranks(),
        |round, pair| proposals.push((round, pair)),
        |_, by_column| {
            let held = by_column.iter().enumerate().filter(|(_, row)| **row != NONE);
            let kept = held.map(|(column, &row)| Pair { row: usize::from(row), column }).collect();
            rounds.push(Round { proposals: Vec::new(), kept });
        },
    );
    for (round, pair) in proposals {
        rounds[round as usize].proposals.push(pair);
    }
    for round in &mut rounds {
        round.proposals.sort_unstable();
    }
    GaleShapley { matching: Matching::from_lines(workspace.by_row(), workspace.by_column()), rounds }
}
