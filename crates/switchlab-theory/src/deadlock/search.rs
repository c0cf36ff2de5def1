//! All states of a model, breadth first.

use super::model::Model;
use super::moves::Step;
use super::set::Set;
use crate::watch::Watch;
use alloc::vec;
use alloc::vec::Vec;

/// What a search says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Every state was looked at, and none is a deadlock.
    Free,
    /// These steps lead from the empty fabric into a deadlock.
    Deadlock(Vec<Step>),
    /// There are more states than were allowed, or the search was stopped, and none of those looked
    /// at is a deadlock.
    Undecided,
}

/// A finished search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// What it says.
    pub outcome: Outcome,
    /// The states that were reached, each counted once. Where a resequencer can move, only that
    /// step is followed.
    pub states: usize,
    /// The steps to the last state that was looked at.
    pub depth: usize,
    /// Whether the caller stopped it.
    pub stopped: bool,
}

/// States between two calls of a watch.
const INTERVAL: usize = 1024;

/// Looks at all states that can be reached, but keeps at most `most`. The watch is told how many
/// were reached.
///
/// Memory: some 20 bytes and the packed state for each, 8 bytes to some 60, so 100 bytes are enough
/// for fabrics of up to 8 ports with round-robin distribution.
pub fn search(model: &Model, most: usize, watch: &mut Watch<'_>) -> Search {
    let most = most.clamp(1, u32::MAX as usize / 2);
    let mut set = Set::new(model.stride());
    let mut origins: Vec<(u32, Option<Step>)> = vec![(0, None)];
    let mut state = model.start();
    let mut next = model.start();
    let (mut words, mut packed) = (vec![0; model.stride()], vec![0; model.stride()]);
    model.pack(&state, &mut packed);
    set.insert(&packed);
    let (mut depth, mut end_of_depth) = (0, 1);
    let mut steps = Vec::new();
    let (mut full, mut stopped) = (false, false);
    let mut number = 0;
    while number < set.len() {
        if number % INTERVAL == 0 && !watch(set.len() as u64) {
            stopped = true;
            break;
        }
        if number == end_of_depth {
            depth += 1;
            end_of_depth = set.len();
        }
        words.copy_from_slice(set.get(number));
        model.unpack(&mut words, &mut state);
        steps.clear();
        if let Some(step) = model.urgent(&state) {
            steps.push(step);
        } else {
            model.steps(&state, &mut steps);
            if steps.is_empty() && !state.is_empty() {
                return Search { outcome: Outcome::Deadlock(way(&origins, number)), states: set.len(), depth, stopped };
            }
            model.arrivals(&state, &mut steps);
        }
        for &step in &steps {
            next.clone_from(&state);
            model.apply(&mut next, step);
            packed.fill(0);
            model.pack(&next, &mut packed);
            if set.len() == most {
                full = true;
                break;
            }
            if set.insert(&packed) {
                origins.push((number as u32, Some(step)));
            }
        }
        if full {
            break;
        }
        number += 1;
    }
    let outcome = if full || stopped { Outcome::Undecided } else { Outcome::Free };
    Search { outcome, states: set.len(), depth, stopped }
}

/// The steps from the empty fabric to a state.
fn way(origins: &[(u32, Option<Step>)], number: usize) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut number = number;
    while let (origin, Some(step)) = origins[number] {
        steps.push(step);
        number = origin as usize;
    }
    steps.reverse();
    steps
}
