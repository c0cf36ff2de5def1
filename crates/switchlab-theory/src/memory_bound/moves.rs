//! What the adversary may send in a slot, and where a scheduler may put it.

use super::state::{Column, Columns, Lengths, MOST_PORTS, Shape, State};
use alloc::vec::Vec;

/// How many cells for each output, in the order of lengths, the longest first.
pub(super) type Move = [u8; MOST_PORTS];

/// All moves up to the names of outputs of the same length: at most N cells, none of which is
/// dropped. A cell that is dropped changes nothing but where the others come in.
pub(super) fn moves(shape: &Shape, lengths: &Lengths) -> Vec<Move> {
    fn extend(shape: &Shape, lengths: &Lengths, output: usize, left: usize, chosen: &mut Move, all: &mut Vec<Move>) {
        if output == shape.ports {
            if left < shape.ports {
                all.push(*chosen);
            }
            return;
        }
        let alike = output > 0 && lengths[output] == lengths[output - 1];
        let bound = if alike { usize::from(chosen[output - 1]) } else { left };
        for cells in (0..=bound.min(left).min(shape.capacity - lengths[output])).rev() {
            chosen[output] = cells as u8;
            extend(shape, lengths, output + 1, left - cells, chosen, all);
        }
        chosen[output] = 0;
    }
    let mut all = Vec::new();
    extend(shape, lengths, 0, shape.ports, &mut [0; MOST_PORTS], &mut all);
    // Many cells first: what is hard now is found early, and beats sooner.
    all.sort_by_key(|chosen| core::cmp::Reverse(chosen.iter().map(|&cells| u32::from(cells)).sum::<u32>()));
    // To send nothing only lets time pass: every cell inside comes nearer, as it does in any other
    // move.
    all.push([0; MOST_PORTS]);
    all
}

/// When the cells of a move are due, counted from now.
pub(super) fn due(shape: &Shape, lengths: &Lengths, chosen: Move) -> Vec<u32> {
    let cells = |output: usize| (0..usize::from(chosen[output])).map(move |rank| (lengths[output] + rank) as u32);
    (0..shape.ports).flat_map(cells).collect()
}

/// The states between slots to which a scheduler can come from here, each once, in ascending order;
/// none if the cells cannot be placed.
pub(super) fn successors(shape: &Shape, columns: &Columns, due: &[u32], found: &mut Vec<State>) {
    fn place(shape: &Shape, columns: &mut Columns, written: u32, due: &[u32], found: &mut Vec<State>) {
        let Some((&slot, rest)) = due.split_first() else {
            let mut later = *columns;
            for column in &mut later {
                *column >>= 1;
            }
            found.push(shape.pack_sorted(&later));
            return;
        };
        for memory in 0..shape.memories {
            let free = |memory: usize, column: Column| written >> memory & 1 == 0 && column >> slot & 1 == 0;
            let column = columns[memory];
            // Of memories that hold the same one is enough.
            let tried = |other: usize| free(other, columns[other]) && columns[other] == column;
            if !free(memory, column) || (0..memory).any(tried) {
                continue;
            }
            columns[memory] |= 1 << slot;
            place(shape, columns, written | 1 << memory, rest, found);
            columns[memory] = column;
        }
    }
    found.clear();
    place(shape, &mut columns.clone(), 0, due, found);
    found.sort_unstable();
    found.dedup();
}
