//! Transfers of cells from input to output buffers (section 3.2), with buffers of one cell and
//! round robin: what the fast engines have in common.
//!
//! Transfers are listed first. Then the engine returns the credits and updates the links in a loop
//! of its own, so short that many cache misses overlap.

use super::group::Group;
use super::record::UnitRecord;
use crate::cell::Slot;
use crate::prefetch::prefetch_l2;
use crate::switch::benes::routing::{Routing, Target};

/// A group on a worklist: its index in its stage, `element * ports + group`, and that of its
/// record.
pub(crate) type Listed = (u32, u32);

/// A cell that has been transferred: the index of its group; its input port and, from bit 4 on, its
/// output buffer among those of the group.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Moved {
    at: u32,
    buffers: u32,
}

impl Moved {
    /// The element, the group and the input port of the cell, and its target.
    pub(crate) fn locate<const P: usize>(self, routing: Routing, bits: u32) -> (usize, usize, usize, Target) {
        let (element, group) = ((self.at >> bits) as usize, self.at as usize & ((1 << bits) - 1));
        let (port, part) = (self.buffers as usize % P, (self.buffers >> 4) as usize % P);
        let target = if routing.distributes {
            Target { output: part, part, at: group }
        } else {
            routing.target::<P>(group, part << routing.low)
        };
        (element, group, port, target)
    }

    /// The index of the group in its stage.
    pub(crate) fn at(self) -> usize {
        self.at as usize
    }
}

/// A stage in which cells are transferred.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stage {
    pub(crate) routing: Routing,
    /// Whether distribution elements number cells, and routing elements resequence them.
    pub(crate) numbered: bool,
    /// The bits of a cell's number.
    pub(crate) number_bits: u32,
    /// The slot of the transfers.
    pub(crate) now: Slot,
}

/// The transfers of a stage.
pub(crate) struct Moves<'a> {
    stage: Stage,
    /// Room for all cells that can move.
    list: &'a mut [Moved],
    pub(crate) count: usize,
    /// By how much the number of cells that wait for a predecessor has changed; wraps around.
    pub(crate) held: u64,
}

/// Transfers the cells of the listed groups, each group until it can move no more. `list` has room
/// for all cells that can move. `PREFETCH` is the distance of the software prefetch of records, in
/// groups; 0 for none.
#[allow(clippy::redundant_closure_for_method_calls, reason = "methods are called out of line, closures are not")]
pub(crate) fn transfer<'a, const P: usize, const PREFETCH: usize>(
    stage: Stage,
    groups: &[Listed],
    records: &mut [UnitRecord<P>],
    list: &'a mut [Moved],
) -> Moves<'a> {
    let mut moves = Moves { stage, list, count: 0, held: 0 };
    if stage.routing.distributes {
        moves.each::<P, PREFETCH>(groups, records, |moves, own, record, state| moves.distribute(own, record, state));
    } else if stage.numbered {
        moves.each::<P, PREFETCH>(groups, records, |moves, own, record, state| moves.resequence(own, record, state));
    } else {
        moves.each::<P, PREFETCH>(groups, records, |moves, own, record, state| moves.merge(own, record, state));
    }
    moves
}

impl Moves<'_> {
    /// Tries each group with one of the steps below. A step returns the output buffer whose room
    /// the group waits for, as a set; an empty set if it waits for a cell. Out of line: each loop
    /// then has the registers that it needs.
    #[inline(never)]
    fn each<const P: usize, const PREFETCH: usize>(
        &mut self,
        groups: &[Listed],
        records: &mut [UnitRecord<P>],
        step: impl Fn(&mut Self, Listed, &mut UnitRecord<P>, &mut Group) -> u8,
    ) {
        let stamp = Group::stamp(self.stage.now);
        for (i, &own) in groups.iter().enumerate() {
            if PREFETCH > 0
                && let Some(&(_, later)) = groups.get(i + PREFETCH)
            {
                prefetch_l2(&records[later as usize]);
            }
            let record = &mut records[own.1 as usize];
            // In a register while the group is tried.
            let mut state = record.group;
            let waits = step(self, own, record, &mut state);
            state.set_waits(waits, stamp);
            record.group = state;
        }
    }

    fn push(&mut self, own: Listed, port: usize, part: usize) {
        self.list[self.count] = Moved { at: own.0, buffers: (port | part << 4) as u32 };
        self.count += 1;
    }

    /// Merges the input buffers of a group and distributes its cells over the outputs.
    #[inline(always)]
    fn distribute<const P: usize>(&mut self, own: Listed, record: &mut UnitRecord<P>, state: &mut Group) -> u8 {
        while state.inputs() != 0 {
            let output = state.pointer() % P;
            if state.outputs() >> output & 1 != 0 {
                return 1 << output;
            }
            let port = state.turn() % P;
            // Modulo P: the cells of a round have the numbers 0 to P - 1, and each output gets one.
            let digit = if self.stage.numbered { state.rank() } else { 0 };
            state.advance::<P>(port, output);
            record.shift(state, (port, output), digit, self.stage.routing.low);
            self.push(own, port, output);
        }
        0
    }

    /// Moves the cells of a group in the order of their numbers, and splits the group.
    #[inline(always)]
    fn resequence<const P: usize>(&mut self, own: Listed, record: &mut UnitRecord<P>, state: &mut Group) -> u8 {
        // Groups are split where cells are resequenced.
        let routing = Routing { distributes: false, split: true, ..self.stage.routing };
        // A group that waited for no room is tried because of one new cell. Its other cells were
        // held.
        let held = if state.waits() == 0 { state.inputs().count_ones() - 1 } else { 0 };
        let waits = loop {
            let Some(port) = state.next_in_sequence::<P>(record.numbers(), routing.low) else { break 0 };
            let port = port % P;
            let part = routing.target::<P>(own.0 as usize, record.source(port, self.stage.number_bits)).part;
            if state.outputs() >> part & 1 != 0 {
                break 1 << part;
            }
            record.shift(state, (port, part), 0, 0);
            state.count::<P>(port);
            self.push(own, port, part);
            if state.inputs() == 0 {
                break 0;
            }
        };
        let after = if waits == 0 { state.inputs().count_ones() } else { 0 };
        self.held = self.held.wrapping_add(u64::from(after)).wrapping_sub(u64::from(held));
        waits
    }

    /// Merges the input buffers of a group into its only output buffer.
    #[inline(always)]
    fn merge<const P: usize>(&mut self, own: Listed, record: &mut UnitRecord<P>, state: &mut Group) -> u8 {
        while state.inputs() != 0 {
            if state.outputs() & 1 != 0 {
                return 1;
            }
            let port = state.turn() % P;
            record.shift(state, (port, 0), 0, 0);
            state.merged::<P>(port);
            self.push(own, port, 0);
        }
        0
    }
}
