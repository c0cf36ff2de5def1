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
    /// The pointers that the way into a deadlock begins with, by level and element; none for 0.
    pub pointers: Vec<u8>,
}

/// Which empty fabrics a search begins with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pointers {
    /// The one with all pointers at 0.
    Zero,
    /// Those with any pointers: what a fabric begins with at random.
    All,
}

/// States between two calls of a watch.
const INTERVAL: usize = 1024;

/// Looks at all states that can be reached, but keeps at most `most`. The watch is told how many
/// were reached.
///
/// Memory: some 20 bytes and the packed state for each, 8 bytes to some 60, so 100 bytes are enough
/// for fabrics of up to 8 ports with round-robin distribution.
pub fn search(model: &Model, most: usize, watch: &mut Watch<'_>) -> Search {
    search_from(model, Pointers::Zero, most, watch)
}

/// The pointers of a start: the digits of its number to the base P.
fn pointers_of(model: &Model, number: usize) -> Vec<u8> {
    let digits = (0..model.pointers()).scan(number, |rest, _| {
        let digit = *rest % model.radix;
        *rest /= model.radix;
        Some(digit as u8)
    });
    digits.collect()
}

/// [`search`] from other empty fabrics too.
pub fn search_from(model: &Model, pointers: Pointers, most: usize, watch: &mut Watch<'_>) -> Search {
    let most = most.clamp(1, u32::MAX as usize / 2);
    let mut set = Set::new(model.stride());
    let mut origins: Vec<(u32, Option<Step>)> = Vec::new();
    let mut state = model.start();
    let mut next = model.start();
    let (mut words, mut packed) = (vec![0; model.stride()], vec![0; model.stride()]);
    let starts = match pointers {
        Pointers::Zero => 1,
        Pointers::All => model.radix.saturating_pow(model.pointers() as u32),
    };
    let (mut full, mut stopped) = (starts > most, false);
    for start in 0..starts.min(most) {
        packed.fill(0);
        model.pack(&model.start_at(&pointers_of(model, start)), &mut packed);
        set.insert(&packed);
        origins.push((start as u32, None));
    }
    let (mut depth, mut end_of_depth) = (0, set.len());
    let mut steps = Vec::new();
    let mut number = 0;
    while number < set.len() && !full {
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
                let (start, way) = way(&origins, number);
                let pointers = if start == 0 { Vec::new() } else { pointers_of(model, start) };
                return Search { outcome: Outcome::Deadlock(way), states: set.len(), depth, stopped, pointers };
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
    Search { outcome, states: set.len(), depth, stopped, pointers: Vec::new() }
}

/// The start, and the steps from it to a state.
fn way(origins: &[(u32, Option<Step>)], number: usize) -> (usize, Vec<Step>) {
    let mut steps = Vec::new();
    let mut number = number;
    while let (origin, Some(step)) = origins[number] {
        steps.push(step);
        number = origin as usize;
    }
    steps.reverse();
    (number, steps)
}
