//! `FIND_ROOTS`, all roots per iteration: the algorithm of section II-C.
//!
//! While the graph has roots: match them, and remove the pairs of their rows and columns. Each
//! iteration is O(1) for the roots, plus O(log n) for the ranks of what is left, on n^2 processing
//! elements; at most n iterations. What is found belongs to every stable matching (of strict
//! rankings), whether or not all is found.

use super::graph::{Cycle, unrooted_cycle};
use super::{GaleShapley, Matching, Pair, Preferences, Workspace, gale_shapley};
use alloc::vec::Vec;

/// What `FIND_ROOTS` found, iteration by iteration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FindRoots {
    /// All roots together. Stable if the instance is rooted.
    pub matching: Matching,
    /// The roots of each iteration, rows ascending.
    pub iterations: Vec<Vec<Pair>>,
    /// Why it stopped early, if it did.
    pub stopped: Option<Unrooted>,
}

/// Why `FIND_ROOTS` stopped before the graph was empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unrooted {
    /// The pairs that are left.
    pub left: Vec<Pair>,
    /// A cycle through some of them: why none of these is a root.
    pub cycle: Cycle,
}

/// Runs the algorithm.
pub fn find_roots(preferences: &Preferences) -> FindRoots {
    let mut workspace = Workspace::new(preferences.rows(), preferences.columns());
    let mut iterations: Vec<Vec<Pair>> = Vec::new();
    workspace.find_roots_with(preferences.row_ranks(), preferences.column_ranks(), |iteration, root| {
        if iterations.len() == iteration as usize {
            iterations.push(Vec::new());
        }
        iterations[iteration as usize].push(root);
    });
    let matching = Matching::from_lines(workspace.by_row(), workspace.by_column());
    let left = left(preferences, &matching);
    let stopped = unrooted_cycle(preferences, &left).map(|cycle| Unrooted { left, cycle });
    FindRoots { matching, iterations, stopped }
}

/// The pairs of which neither the row nor the column is matched: the reduced graph.
pub fn left(preferences: &Preferences, matching: &Matching) -> Vec<Pair> {
    let free = |pair: &Pair| matching.column(pair.row).is_none() && matching.row(pair.column).is_none();
    preferences.pairs().filter(free).collect()
}

/// `FIND_ROOTS`, and where it stops early, Gale-Shapley for the pairs that are left. The second
/// part is None if there was nothing to finish; else its matching is the whole one, roots included,
/// and its rounds are those of the rest alone.
///
/// The result is stable. Of strict rankings it is the matching of Gale-Shapley alone, since the
/// roots are in every stable matching.
pub fn find_roots_then_gale_shapley(preferences: &Preferences) -> (FindRoots, Option<GaleShapley>) {
    let found = find_roots(preferences);
    let Some(stopped) = &found.stopped else { return (found, None) };
    let mut finished = gale_shapley(&preferences.restricted_to(&stopped.left));
    for root in found.matching.pairs() {
        finished.matching.add(root);
    }
    (found, Some(finished))
}
