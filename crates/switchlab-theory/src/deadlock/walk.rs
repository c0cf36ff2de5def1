//! Random steps through a model that is too large to be searched. What they find is true; what they
//! do not find may still be there.

use super::model::{Merge, Model};
use super::moves::Step;
use crate::watch::Watch;
use alloc::vec::Vec;
use switchlab_core::rng::Rng;

/// Steps after which the speeds of all parts are drawn anew.
const PERIOD: u64 = 300;

/// Steps between two calls of a watch.
const INTERVAL: u64 = 4096;

/// Steps after which a walk begins anew, so that what it finds stays short.
const LONGEST: usize = 100_000;

/// How fast parts are. Equal speeds hardly ever lead into a deadlock when merging is round robin;
/// parts that are slow for a while do.
const SPEEDS: [usize; 4] = [1, 16, 30, 200];

/// Walks until a deadlock or for `most` steps. The watch is told the steps so far. Returns the
/// steps taken in all, and those that lead from the empty fabric into the deadlock.
///
/// With merging by a rule, moves inside elements come before links and arrivals, as in the fabric,
/// where they take no time: only the links' times are free.
pub fn walk(model: &Model, rng: &mut Rng, most: u64, watch: &mut Watch<'_>) -> (u64, Option<Vec<Step>>) {
    let mut state = model.start();
    let (mut taken, mut possible) = (Vec::new(), Vec::new());
    let mut speeds = [1; 256];
    for count in 0..most {
        if count % INTERVAL == 0 && !watch(count) {
            return (count, None);
        }
        if count % PERIOD == 0 {
            for speed in &mut speeds {
                *speed = SPEEDS[rng.below(SPEEDS.len())];
            }
        }
        if taken.len() == LONGEST {
            taken.clear();
            state = model.start();
        }
        possible.clear();
        model.steps(&state, &mut possible);
        if possible.is_empty() && !state.is_empty() {
            return (count, Some(taken));
        }
        let inside = |step: &&Step| matches!(step, Step::Take { .. } | Step::Merge { .. });
        let moves = possible.iter().filter(inside).count();
        if model.merge != Merge::Any && moves > 0 {
            possible.truncate(moves); // they come first
        } else {
            model.arrivals(&state, &mut possible);
        }
        let speed = |step: &Step| speeds[part(model, *step) % speeds.len()];
        let mut draw = rng.below(possible.iter().map(speed).sum());
        let chosen = possible.iter().find(|step| {
            let own = speed(step);
            let hit = draw < own;
            draw = draw.wrapping_sub(own);
            hit
        });
        let Some(&step) = chosen else { continue };
        model.apply(&mut state, step);
        taken.push(step);
    }
    (most, None)
}

/// The part that takes a step.
fn part(model: &Model, step: Step) -> usize {
    let elements = model.levels * model.per_level();
    match step {
        Step::Take { level, element } => usize::from(level) * model.per_level() + usize::from(element),
        Step::Merge { level, element, .. } => elements + usize::from(level) * model.per_level() + usize::from(element),
        Step::Arrive { element, .. } => 2 * elements + usize::from(element),
        Step::Send { fifo } => 2 * elements + model.per_level() + usize::from(fifo),
    }
}
