//! Elements: what they keep of a flow group, and transfers of cells from input to output buffers
//! (section 3.2).
//!
//! The rules of a transfer are here once, for all engines. An engine says through [`Element`] how
//! it chooses where the paper leaves a choice, and what it updates when a cell has moved.

pub(super) mod group;
pub(super) mod record;

use super::topology::{Routing, Target};
use crate::cell::Slot;
use crate::prefetch::prefetch_l2;
use group::Group;
use record::Record;

/// A group on a worklist: its index in its stage, `element * ports + group`, and that of its
/// record.
pub(super) type Listed = (u32, u32);

/// What a group that can move no cell waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Waits {
    /// A cell.
    Cell,
    /// One of these output buffers to become empty.
    Room(u8),
    /// The next slot: the decision may be another one then, although nothing has changed here.
    Retry,
}

/// A stage in which cells are transferred.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stage {
    pub(super) routing: Routing,
    /// Whether cells are numbered for each level of routing.
    pub(super) numbered: bool,
    /// The bits of a cell's number.
    pub(super) number_bits: u32,
    /// The slot of the transfers.
    pub(super) now: Slot,
}

/// The part of a transfer that engines do in their own way. The defaults are the rules of the
/// fastest engines: buffers of one cell for each group, round robin everywhere.
pub(super) trait Element<const P: usize> {
    /// Distance of the software prefetch of records, in groups; 0 for none.
    const PREFETCH: usize = 0;

    /// The input port and the output of the next cell of a group that is distributed.
    #[inline(always)]
    fn choose(&mut self, _: Listed, _: &Record<P>, state: Group) -> Result<(usize, usize), Waits> {
        let output = state.pointer() % P;
        if state.outputs() >> output & 1 != 0 {
            return Err(Waits::Room(1 << output));
        }
        Ok((state.turn() % P, output))
    }

    /// The input port of the next cell of a group that is merged without resequencing.
    #[inline(always)]
    fn merge(&mut self, state: Group) -> usize {
        state.turn() % P
    }

    /// What a cell of a routing element waits for before it can move to its output buffer.
    #[inline(always)]
    fn obstacle(&mut self, _: Listed, state: Group, target: Target) -> Option<Waits> {
        (state.outputs() >> target.part & 1 != 0).then_some(Waits::Room(1 << target.part))
    }

    /// What a group waits for if the cell that [`Self::merge`] chose could not move.
    #[inline(always)]
    fn merged_in_vain(&self, _: Group, waits: Waits) -> Waits {
        waits
    }

    /// The head-of-line cell of an input port has moved.
    fn moved(&mut self, own: Listed, record: &mut Record<P>, state: &mut Group, port: usize, to: Target);

    /// A group has been resequenced as far as possible. It was `before`, and now waits.
    fn resequenced(&mut self, own: Listed, before: Group, state: &mut Group, waits: Waits);

    /// A group is to be tried again in the next slot.
    fn retry(&mut self, own: Listed);
}

/// Transfers the cells of the listed groups, each group until it can move no more.
#[inline(always)]
pub(super) fn transfer<const P: usize, E: Element<P>>(
    stage: Stage,
    groups: &[Listed],
    records: &mut [Record<P>],
    element: &mut E,
) {
    if stage.routing.distributes {
        each(stage, groups, records, element, distribute);
    } else if stage.numbered {
        each(stage, groups, records, element, resequence);
    } else {
        each(stage, groups, records, element, route);
    }
}

/// Tries each group with one of the steps below. Out of line: each loop then has the registers that
/// it needs.
#[inline(never)]
fn each<const P: usize, E: Element<P>>(
    stage: Stage,
    groups: &[Listed],
    records: &mut [Record<P>],
    element: &mut E,
    step: impl Fn(Stage, Listed, &mut Record<P>, &mut Group, &mut E) -> Waits,
) {
    let stamp = Group::stamp(stage.now);
    for (i, &own) in groups.iter().enumerate() {
        if E::PREFETCH > 0
            && let Some(&(_, later)) = groups.get(i + E::PREFETCH)
        {
            prefetch_l2(&records[later as usize]);
        }
        let record = &mut records[own.1 as usize];
        // In a register while it is tried.
        let mut state = record.group;
        let waits = step(stage, own, record, &mut state, element);
        state.set_waits(if let Waits::Room(outputs) = waits { outputs } else { 0 }, stamp);
        record.group = state;
        if waits == Waits::Retry {
            element.retry(own);
        }
    }
}

/// Merges the input buffers of a group and distributes its cells over the outputs.
#[inline(always)]
fn distribute<const P: usize, E: Element<P>>(
    stage: Stage,
    own: Listed,
    record: &mut Record<P>,
    state: &mut Group,
    element: &mut E,
) -> Waits {
    while state.inputs() != 0 {
        let (port, output) = match element.choose(own, record, *state) {
            Ok(choice) => choice,
            Err(waits) => return waits,
        };
        // Modulo P: the cells of a round have the numbers 0 to P - 1, and each output gets one.
        let digit = if stage.numbered { state.rank() } else { 0 };
        state.advance::<P>(port, output, (output + 1) % P);
        record.shift(state, (port, output), digit, stage.routing.low);
        element.moved(own, record, state, port, Target { output, part: output, at: own.0 as usize });
    }
    Waits::Cell
}

/// Moves the cells of a group in the order of their numbers, and splits the group.
#[inline(always)]
fn resequence<const P: usize, E: Element<P>>(
    stage: Stage,
    own: Listed,
    record: &mut Record<P>,
    state: &mut Group,
    element: &mut E,
) -> Waits {
    // Groups are split where cells are put into order.
    let routing = Routing { distributes: false, split: true, ..stage.routing };
    let before = *state;
    let waits = loop {
        let Some(port) = state.next_in_sequence::<P>(record.numbers(), routing.low) else { break Waits::Cell };
        let port = port % P;
        let target = routing.target::<P>(own.0 as usize, record.source(port, stage.number_bits));
        if let Some(waits) = element.obstacle(own, *state, target) {
            break waits;
        }
        record.shift(state, (port, target.part), 0, 0);
        state.count::<P>(port);
        element.moved(own, record, state, port, target);
        if state.inputs() == 0 {
            break Waits::Cell;
        }
    };
    element.resequenced(own, before, state, waits);
    waits
}

/// Merges the input buffers of a group and routes its cells in the order in which they come.
#[inline(always)]
fn route<const P: usize, E: Element<P>>(
    stage: Stage,
    own: Listed,
    record: &mut Record<P>,
    state: &mut Group,
    element: &mut E,
) -> Waits {
    while state.inputs() != 0 {
        // A group that is not split has one output buffer. If that is full, no cell is chosen.
        if !stage.routing.split {
            let target = stage.routing.target::<P>(own.0 as usize, 0);
            if let Some(waits @ Waits::Room(_)) = element.obstacle(own, *state, target) {
                return waits;
            }
        }
        let port = element.merge(*state);
        let target = stage.routing.target::<P>(own.0 as usize, record.source(port, stage.number_bits));
        if let Some(waits) = element.obstacle(own, *state, target) {
            return element.merged_in_vain(*state, waits);
        }
        record.shift(state, (port, target.part), 0, 0);
        state.merged::<P>(port);
        element.moved(own, record, state, port, target);
    }
    Waits::Cell
}

/// The [`Element`] of engines that list transfers first, then return credits and update links in a
/// loop of its own, so short that many cache misses overlap.
pub(super) struct MoveList<'a, const PREFETCH: usize> {
    /// Room for all cells that can move.
    pub(super) list: &'a mut [Moved],
    pub(super) count: usize,
    /// How many more cells wait for one before them than at first; wraps around.
    pub(super) held: u64,
}

/// A cell that has moved: the index of its group; its input port and, from bit 4 on, its part.
pub(super) type Moved = (u32, u32);

impl<const P: usize, const PREFETCH: usize> Element<P> for MoveList<'_, PREFETCH> {
    const PREFETCH: usize = PREFETCH;

    #[inline(always)]
    fn moved(&mut self, own: Listed, _: &mut Record<P>, _: &mut Group, port: usize, to: Target) {
        self.list[self.count] = (own.0, (port | to.part << 4) as u32);
        self.count += 1;
    }

    #[inline(always)]
    fn resequenced(&mut self, _: Listed, before: Group, state: &mut Group, waits: Waits) {
        // A group that waited for no room is tried for one new cell, and its other cells are held.
        let held = if before.waits() == 0 { before.inputs().count_ones() - 1 } else { 0 };
        let after = if waits == Waits::Cell { state.inputs().count_ones() } else { 0 };
        self.held = self.held.wrapping_add(u64::from(after)).wrapping_sub(u64::from(held));
    }

    fn retry(&mut self, own: Listed) {
        unreachable!("group {} waits for a cell or for room, never for another slot", own.0);
    }
}
