//! First-fit alone: the shortest trace on which it fails, breadth first.
//!
//! Memories are not alike here: the lowest one that fits is taken. Outputs of the same length still
//! are.

use super::state::{Columns, MOST_PORTS, Shape, State};
use super::{Found, Searched};
use crate::watch::Watch;
use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;
use switchlab_core::switch::shared_memory::Access;
use switchlab_core::traffic::trace::Arrival;
use switchlab_core::{Port, Slot};

/// The outputs of a slot's cells, by rank in the order of lengths, the longest first, from input 0
/// on; and how many.
type Row = ([u8; MOST_PORTS], usize);

/// States between two calls of a watch.
const INTERVAL: usize = 64;

/// A state, from which one it was reached first, and by what arrivals.
struct Reached {
    state: State,
    from: u32,
    row: Row,
}

/// The shortest trace on which `psm(matcher=first-fit,placement=lowest)` fails, with memories of
/// that access, looking at no more than `most_states` states. The watch is told how many were
/// reached.
pub fn search(shape: Shape, access: Access, most_states: usize, watch: &mut Watch<'_>) -> Searched<Vec<Arrival>> {
    let mut reached = vec![Reached { state: 0, from: 0, row: ([0; MOST_PORTS], 0) }];
    let mut index = BTreeMap::from([(0, 0u32)]);
    let mut next = 0;
    while next < reached.len() {
        if next % INTERVAL == 0 && !watch(reached.len() as u64) {
            return Searched { found: Found::Undecided, states: reached.len(), stopped: true };
        }
        let columns = shape.unpack(reached[next].state);
        let mut slot = Arrivals::new(&shape, columns);
        let read = slot.read_now(access, &columns);
        slot.extend(columns, read, &mut |state, row| {
            let new = reached.len() as u32;
            if *index.entry(state).or_insert(new) == new {
                reached.push(Reached { state, from: next as u32, row });
            }
        });
        if let Some(row) = slot.failed {
            return Searched {
                found: Found::Fails(trace(&shape, &reached, next, row)),
                states: reached.len(),
                stopped: false,
            };
        }
        if reached.len() > most_states {
            return Searched { found: Found::Undecided, states: reached.len(), stopped: false };
        }
        next += 1;
    }
    Searched { found: Found::Survives, states: reached.len(), stopped: false }
}

/// All arrivals of a slot, cell by cell in the order of inputs. An input without a cell before one
/// that has some changes nothing, so cells come from input 0 on.
struct Arrivals<'a> {
    shape: &'a Shape,
    /// By rank: the length of the queue, cells of this slot included.
    lengths: [usize; MOST_PORTS],
    /// By rank: the length at the start of the slot.
    before: [usize; MOST_PORTS],
    row: Row,
    failed: Option<Row>,
    /// Whether a cell that is due at once goes to no memory.
    bypass: bool,
}

impl<'a> Arrivals<'a> {
    fn new(shape: &'a Shape, columns: Columns) -> Self {
        let lengths = shape.lengths(&columns);
        Self { shape, lengths, before: lengths, row: ([0; MOST_PORTS], 0), failed: None, bypass: false }
    }

    /// The memories that may not be written: those that are read now, if that excludes a write.
    fn read_now(&mut self, access: Access, columns: &Columns) -> u32 {
        self.bypass = access == Access::Single;
        let memories = (0..self.shape.memories).filter(|&memory| self.bypass && columns[memory] & 1 == 1);
        memories.fold(0, |set, memory| set | 1 << memory)
    }

    /// Ends the slot here, and goes on with one more cell for each output.
    fn extend(&mut self, columns: Columns, written: u32, reach: &mut impl FnMut(State, Row)) {
        let mut later = columns;
        for column in &mut later {
            *column >>= 1;
        }
        reach(self.shape.pack(&later), self.row);
        if self.row.1 == self.shape.ports {
            return;
        }
        for output in 0..self.shape.ports {
            // Of outputs that had the same length and have no cell yet, one is enough.
            let alike = output > 0
                && self.before[output] == self.before[output - 1]
                && self.lengths[output - 1] == self.before[output - 1];
            let due = self.lengths[output];
            if self.failed.is_some() || alike || due == self.shape.capacity {
                continue;
            }
            let fits = |memory: &usize| written >> memory & 1 == 0 && columns[*memory] >> due & 1 == 0;
            let memory = (0..self.shape.memories).find(fits);
            self.row.0[self.row.1] = output as u8;
            self.row.1 += 1;
            if self.bypass && due == 0 {
                self.lengths[output] += 1;
                self.extend(columns, written, reach);
                self.lengths[output] -= 1;
            } else if let Some(memory) = memory {
                self.lengths[output] += 1;
                let mut columns = columns;
                columns[memory] |= 1 << due;
                self.extend(columns, written | 1 << memory, reach);
                self.lengths[output] -= 1;
            } else {
                self.failed = Some(self.row);
            }
            self.row.1 -= 1;
        }
    }
}

/// The arrivals that lead to a state, and the last ones, with outputs as they are called.
fn trace(shape: &Shape, reached: &[Reached], last: usize, row: Row) -> Vec<Arrival> {
    let (mut rows, mut place) = (vec![row], last);
    while place > 0 {
        rows.push(reached[place].row);
        place = reached[place].from as usize;
    }
    let mut queues = vec![0usize; shape.ports];
    let mut trace = Vec::new();
    for (slot, (outputs, cells)) in rows.into_iter().rev().enumerate() {
        let mut by_length: Vec<usize> = (0..shape.ports).collect();
        by_length.sort_by_key(|&output| core::cmp::Reverse(queues[output]));
        for (input, &rank) in outputs[..cells].iter().enumerate() {
            let output = by_length[usize::from(rank)];
            queues[output] += 1;
            trace.push(Arrival { slot: slot as Slot, input: input as Port, output: output as Port });
        }
        for queue in &mut queues {
            *queue = queue.saturating_sub(1);
        }
    }
    trace
}
