//! Stability and domination, by their definitions.

use super::{Matching, Pair, Preferences};
use alloc::vec::Vec;

/// Whether a matching is stable; else a blocking pair, the first by row and column.
///
/// A pair blocks if it is present and not matched, and each side ranks the other strictly better
/// than its partner; a side without a partner prefers every partner (definition 1; for incomplete
/// lists the definition implies it). A matched pair that is absent blocks too: no side can be
/// matched with one that it does not rank.
pub fn check_stable(preferences: &Preferences, matching: &Matching) -> Result<(), Pair> {
    if let Some(absent) = matching.pairs().find(|&pair| !preferences.is_present(pair)) {
        return Err(absent);
    }
    let blocks = |pair: &Pair| {
        let Some((h, v)) = preferences.ranks(*pair) else { return false };
        let better_for_row = match matching.column(pair.row) {
            None => true,
            Some(column) => preferences.ranks(Pair { row: pair.row, column }).is_none_or(|(held, _)| h < held),
        };
        let better_for_column = match matching.row(pair.column) {
            None => true,
            Some(row) => preferences.ranks(Pair { row, column: pair.column }).is_none_or(|(_, held)| v < held),
        };
        better_for_row && better_for_column
    };
    preferences.pairs().find(blocks).map_or(Ok(()), Err)
}

/// Whether a matching is a dominating set of the dependency graph (section II-B): every other
/// vertex has an edge from one of its vertices. Else a vertex that has none.
///
/// By the paper's fact 1 that is the same as stable. It is for strict rankings; with ties a stable
/// matching need not dominate, since a tie gives no edge.
pub fn check_dominating(preferences: &Preferences, matching: &Matching) -> Result<(), Pair> {
    if let Some(absent) = matching.pairs().find(|&pair| !preferences.is_present(pair)) {
        return Err(absent);
    }
    let undominated = |pair: &Pair| {
        let Some((h, v)) = preferences.ranks(*pair) else { return false };
        let from_row = matching.column(pair.row).and_then(|column| preferences.ranks(Pair { row: pair.row, column }));
        let from_column =
            matching.row(pair.column).and_then(|row| preferences.ranks(Pair { row, column: pair.column }));
        let dominated = from_row.is_some_and(|(held, _)| held < h) || from_column.is_some_and(|(_, held)| held < v);
        !matching.has(*pair) && !dominated
    };
    preferences.pairs().find(undominated).map_or(Ok(()), Err)
}

/// All dominating sets, by trying every matching: for small instances, up to 7 rows or so.
pub fn dominating_sets(preferences: &Preferences) -> Vec<Matching> {
    fn extend(preferences: &Preferences, row: usize, chosen: &mut Matching, found: &mut Vec<Matching>) {
        if row == preferences.rows() {
            if check_dominating(preferences, chosen).is_ok() {
                found.push(chosen.clone());
            }
            return;
        }
        extend(preferences, row + 1, chosen, found);
        for column in 0..preferences.columns() {
            let pair = Pair { row, column };
            if chosen.row(column).is_none() && preferences.is_present(pair) {
                let mut more = chosen.clone();
                more.add(pair);
                extend(preferences, row + 1, &mut more, found);
            }
        }
    }
    let mut found = Vec::new();
    extend(preferences, 0, &mut Matching::new(preferences.rows(), preferences.columns()), &mut found);
    found
}
