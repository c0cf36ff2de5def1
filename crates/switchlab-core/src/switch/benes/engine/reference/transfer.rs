//! Transfers of the reference engine: cells move from input to output buffers by the rules of the
//! page.

use super::buffers::GroupBuffers;
use super::{Credit, Stage};
use crate::cell::{Port, Slot};
use crate::rng::{Rng, mix};
use crate::switch::benes::element::group::Group;
use crate::switch::benes::general::{Distribution, Merge, Settings};
use crate::switch::benes::links::Section;
use crate::switch::benes::routing::Target;
use alloc::vec::Vec;

/// What a group that can move no cell waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Waits {
    /// A cell.
    Cell,
    /// One of these output buffers to become empty.
    Room(u8),
    /// The next slot: the decision may be another one then, although nothing has changed here.
    Retry,
}

/// A group of an element, with its record.
#[derive(Clone, Copy, Debug)]
struct Own {
    element: usize,
    group: usize,
    record: usize,
}

/// The elements of a stage, during transfers.
pub(super) struct Elements<'a, const P: usize, const WORDS: usize> {
    pub(super) settings: &'a Settings,
    pub(super) stage: Stage,
    pub(super) now: Slot,
    pub(super) buffers: &'a mut GroupBuffers<P>,
    /// The links to the stage, and those out of it.
    pub(super) inlets: Section<'a, WORDS>,
    pub(super) outlets: Section<'a, WORDS>,
    /// By position: where the link to it begins.
    pub(super) previous: &'a [Port],
    /// Where credits are put that take their time, if they do.
    pub(super) returning: Option<&'a mut Vec<Credit>>,
    pub(super) rng: &'a mut Rng,
    /// The key of the hash.
    pub(super) key: u64,
    /// Cells of all stages that wait for a predecessor.
    pub(super) held: &'a mut u64,
    /// Whether a cell was moved.
    pub(super) moved: bool,
}

impl<const P: usize, const WORDS: usize> Elements<'_, P, WORDS> {
    /// Transfers the cells of the listed groups, each group until it can move no more. Groups that
    /// are to be tried again in the next slot are passed to `retry`.
    pub(super) fn transfer(&mut self, groups: &[u32], retry: impl FnMut(usize)) {
        if self.stage.routing.distributes {
            self.transfer_each(groups, Self::distribute, retry);
        } else if self.stage.numbered {
            self.transfer_each(groups, Self::resequence, retry);
        } else {
            self.transfer_each(groups, Self::merge_and_route, retry);
        }
    }

    /// The same, with the rule by which the stage chooses the next cell of a group and its target.
    fn transfer_each(
        &mut self,
        groups: &[u32],
        choose: impl Fn(&mut Self, Own, Group) -> Result<(usize, Target), Waits>,
        mut retry: impl FnMut(usize),
    ) {
        let stamp = Group::stamp(self.now);
        for &at in groups {
            let (element, group) = ((at / self.stage.ports as u32) as usize, (at % self.stage.ports as u32) as usize);
            let own = Own { element, group, record: self.buffers.record(self.stage.first + at as usize) };
            let mut state = *self.buffers.state(own.record);
            let waits = loop {
                if state.inputs() == 0 {
                    break Waits::Cell;
                }
                match choose(self, own, state) {
                    Ok((port, target)) => self.move_cell(own, &mut state, port, target),
                    Err(waits) => break waits,
                }
            };
            if self.stage.resequences() {
                // All cells in the group's input buffers wait for a predecessor, or none does.
                let held = if waits == Waits::Cell { self.buffers.queued(own.record) } else { 0 };
                *self.held = *self.held + u64::from(held) - u64::from(state.held());
                state.set_held(held);
            }
            state.set_waits(if let Waits::Room(outputs) = waits { outputs } else { 0 }, stamp);
            *self.buffers.state(own.record) = state;
            if waits == Waits::Retry {
                retry(at as usize);
            }
        }
    }

    /// A cell moves from an input buffer to an output buffer, and its credit returns.
    #[inline(always)]
    fn move_cell(&mut self, own: Own, state: &mut Group, port: usize, target: Target) {
        let (mut cell, empty) = self.buffers.dequeue(own.record, port);
        if empty {
            state.empty_input(port);
        }
        if self.stage.routing.distributes {
            if self.stage.numbered {
                // Modulo P: the cells of a round have the numbers 0 to P - 1, and each output gets
                // one.
                cell.number |= (state.rank() << self.stage.routing.low) as u16;
            }
            state.advance::<P>(port, target.output);
        } else if self.stage.numbered {
            state.count::<P>(port);
        } else {
            state.merged::<P>(port);
        }
        self.buffers.buffers(own.record).outputs[target.part % P] = cell;
        state.fill_output(target.part);
        self.outlets.fill(own.element * P + target.output, target.at);
        let position = own.element * P + port;
        if let Some(returning) = &mut self.returning {
            self.buffers.buffers(own.record).returning[port] += 1;
            let (stage, position, group) = (self.stage.number as u16, position as Port, own.group as Port);
            returning.push(Credit { stage, position, group });
        } else {
            self.inlets.return_credit(self.previous[position].into(), own.group);
        }
        self.moved = true;
    }

    /// The input port and the output of the next cell of a group in a distribution element.
    fn distribute(&mut self, own: Own, state: Group) -> Result<(usize, Target), Waits> {
        let full: u8 = if self.settings.per_link {
            (0..P).map(|output| u8::from(!self.outlets.is_idle(own.element * P + output)) << output).sum()
        } else {
            state.outputs()
        };
        // With backpressure per link any group may free a buffer.
        let per_link = self.settings.per_link;
        let blocked = |outputs: u8| if per_link { Waits::Retry } else { Waits::Room(outputs) };
        let target = |output| Target { output, part: output, at: own.group };
        // Imbalance 1: the outputs that have received the fewest cells of the group are those that
        // lack one of this round.
        let fewest = ((1u16 << P) - 1) as u8 & !state.round();
        let output = match self.settings.distribution.expect("a banyan has no distribution elements") {
            Distribution::Hash => {
                let port = self.merge(state);
                let source = usize::from(self.buffers.head(own.record, port).source);
                let output = hash(self.key, source, own.group, self.stage.routing.low) % P;
                if full >> output & 1 != 0 {
                    return Err(self.merged_in_vain(state, Waits::Room(1 << output)));
                }
                return Ok((port, target(output)));
            }
            Distribution::RoundRobin => {
                let output = state.pointer();
                if full >> output & 1 != 0 {
                    return Err(blocked(1 << output));
                }
                output
            }
            _ if fewest & !full == 0 => return Err(blocked(fewest)),
            Distribution::RandomBalanced => select(fewest, self.rng.below(fewest.count_ones() as usize)),
            Distribution::ImbalanceCount => {
                let outputs = (0..P).filter(|output| fewest >> output & 1 != 0);
                let least = outputs.min_by_key(|output| self.outlets.ready(own.element * P + output));
                least.expect("a round ends before every output has had its cell of it")
            }
            Distribution::Random | Distribution::Adaptive => unreachable!("these have no rounds"),
        };
        if full >> output & 1 != 0 {
            return Err(Waits::Retry);
        }
        Ok((self.merge(state), target(output)))
    }

    /// The input port and the target of the next cell of a group in a routing element, in the order
    /// of numbers.
    fn resequence(&mut self, own: Own, state: Group) -> Result<(usize, Target), Waits> {
        // An input that has had its cell of this round holds cells of later rounds.
        let due = state.inputs() & !state.round();
        let digit = |port: usize| usize::from(self.buffers.head(own.record, port).number >> self.stage.routing.low) % P;
        let next = (0..P).find(|&port| due >> port & 1 != 0 && digit(port) == state.rank() as usize);
        let port = next.ok_or(Waits::Cell)?;
        let target = self.target(own, port);
        self.obstacle(own, state, target).map_or(Ok((port, target)), Err)
    }

    /// The same in the order in which input buffers are merged.
    fn merge_and_route(&mut self, own: Own, state: Group) -> Result<(usize, Target), Waits> {
        // A group that is not split has one output buffer. If that is full, no cell is chosen.
        if !self.stage.routing.split
            && let Some(waits @ Waits::Room(_)) =
                self.obstacle(own, state, self.stage.routing.target::<P>(own.group, 0))
        {
            return Err(waits);
        }
        let port = self.merge(state);
        let target = self.target(own, port);
        match self.obstacle(own, state, target) {
            None => Ok((port, target)),
            Some(waits) => Err(self.merged_in_vain(state, waits)),
        }
    }

    /// The target of a head-of-line cell in a routing element.
    fn target(&self, own: Own, port: usize) -> Target {
        self.stage.routing.target::<P>(own.group, self.buffers.head(own.record, port).source.into())
    }

    /// What a cell of a routing element waits for before it can move to its output buffer.
    fn obstacle(&self, own: Own, state: Group, target: Target) -> Option<Waits> {
        if self.settings.per_link {
            return (!self.outlets.is_idle(own.element * P + target.output)).then_some(Waits::Retry);
        }
        (state.outputs() >> target.part & 1 != 0).then_some(Waits::Room(1 << target.part))
    }

    /// The input port that is next where input buffers are merged.
    fn merge(&mut self, state: Group) -> usize {
        let inputs = state.inputs();
        match self.settings.merge {
            Merge::Turns(_) => state.turn(),
            Merge::Random if !inputs.is_power_of_two() => select(inputs, self.rng.below(inputs.count_ones() as usize)),
            Merge::Random | Merge::Fixed => inputs.trailing_zeros() as usize,
        }
    }

    /// What a group waits for if the cell that [`Self::merge`] chose cannot move. Another draw
    /// might avoid the full buffer.
    fn merged_in_vain(&self, state: Group, waits: Waits) -> Waits {
        let draws = self.settings.merge == Merge::Random && !state.inputs().is_power_of_two();
        if draws || self.settings.per_link { Waits::Retry } else { waits }
    }
}

/// The output of all cells of a flow in a distribution stage whose digit begins at `low`, modulo P.
fn hash(key: u64, source: usize, destination: usize, low: u32) -> usize {
    (mix(key ^ ((source as u64) << 16 | destination as u64)) >> low) as usize
}

/// The member of a small set with that rank.
fn select(mut set: u8, rank: usize) -> usize {
    for _ in 0..rank {
        set &= set - 1;
    }
    set.trailing_zeros() as usize
}
