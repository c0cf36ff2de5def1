//! The game of memories, too simple to be wrong: every arrival of every input, every memory of
//! every cell, no two states taken for one another.

use std::collections::{BTreeMap, BTreeSet};

/// By memory the slots, counted from now, for which it holds a cell; by output the cells inside.
type State = (Vec<BTreeSet<usize>>, Vec<usize>);

/// Whether some scheduler survives for ever with this number of memories.
pub(crate) fn survives(ports: usize, memories: usize, capacity: usize) -> bool {
    let empty: State = (vec![BTreeSet::new(); memories], vec![0; ports]);
    // For each state that can be reached: for each of the adversary's moves, where the scheduler
    // can go.
    let mut moves: BTreeMap<State, Vec<BTreeSet<State>>> = BTreeMap::new();
    let mut waiting = vec![empty.clone()];
    while let Some(state) = waiting.pop() {
        if moves.contains_key(&state) {
            continue;
        }
        let answers = all_arrivals(ports).map(|arrivals| answers(&state, &arrivals, capacity)).collect::<Vec<_>>();
        waiting.extend(answers.iter().flatten().cloned());
        moves.insert(state, answers);
    }
    let mut safe: BTreeSet<State> = moves.keys().cloned().collect();
    loop {
        let before = safe.len();
        let stays =
            |state: &State| moves[state].iter().all(|answers| answers.iter().any(|answer| safe.contains(answer)));
        safe = safe.iter().filter(|state| stays(state)).cloned().collect();
        if safe.len() == before {
            return safe.contains(&empty);
        }
    }
}

/// For each input an output or none, in all ways.
fn all_arrivals(ports: usize) -> impl Iterator<Item = Vec<Option<usize>>> {
    (0..(ports + 1).pow(ports as u32)).map(move |mut number| {
        let digit = |_| {
            let digit = number % (ports + 1);
            number /= ports + 1;
            digit.checked_sub(1)
        };
        (0..ports).map(digit).collect()
    })
}

/// All states after a slot with these arrivals.
fn answers(state: &State, arrivals: &[Option<usize>], capacity: usize) -> BTreeSet<State> {
    let (memories, lengths) = state;
    let mut later = lengths.clone();
    let mut due = Vec::new();
    for &output in arrivals.iter().flatten() {
        // The r-th arrival for an output with q cells leaves in slot t + q + r - 1, and is dropped
        // exactly if q + r > K.
        if later[output] < capacity {
            due.push(later[output]);
            later[output] += 1;
        }
    }
    let mut placed: BTreeSet<(Vec<BTreeSet<usize>>, BTreeSet<usize>)> = [(memories.clone(), BTreeSet::new())].into();
    for due in due {
        let mut next = BTreeSet::new();
        for (memories, written) in placed {
            for memory in (0..memories.len()).filter(|&m| !written.contains(&m) && !memories[m].contains(&due)) {
                let (mut memories, mut written) = (memories.clone(), written.clone());
                memories[memory].insert(due);
                written.insert(memory);
                next.insert((memories, written));
            }
        }
        placed = next;
    }
    let lengths: Vec<usize> = later.into_iter().map(|length| length.saturating_sub(1)).collect();
    let pass = |memory: &BTreeSet<usize>| memory.iter().filter_map(|due| due.checked_sub(1)).collect();
    placed.into_iter().map(|(memories, _)| (memories.iter().map(pass).collect(), lengths.clone())).collect()
}
