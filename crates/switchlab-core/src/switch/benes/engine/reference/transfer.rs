//! Transfers of the reference engine: every rule of the page.

use super::depths::Depths;
use crate::cell::Port;
use crate::rng::{Rng, mix};
use crate::switch::benes::config::{Config, Distribution, Merge};
use crate::switch::benes::element::group::Group;
use crate::switch::benes::element::record::Record;
use crate::switch::benes::element::{Element, Listed, Waits};
use crate::switch::benes::links::Section;
use crate::switch::benes::topology::Target;
use alloc::vec;
use alloc::vec::Vec;

/// A credit on its way back: the buffer that it is for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Return {
    pub(super) stage: u16,
    pub(super) position: Port,
    pub(super) group: Port,
}

/// The groups that may be able to move a cell: one that has got a cell it can move, or from which a
/// cell has left an output buffer. Elements and groups are tried in ascending order, since the
/// imbalance count and random draws of one group are seen by the next: a bit for each group.
#[derive(Clone, Debug)]
pub(super) struct Worklist {
    /// Groups of a stage.
    groups: usize,
    /// By stage and 64 groups, of all elements one after the other.
    bits: Vec<u64>,
}

impl Worklist {
    pub(super) fn new(stages: usize, groups: usize) -> Self {
        let groups = groups.next_multiple_of(64);
        Self { groups, bits: vec![0; stages * groups / 64] }
    }

    /// Lists a group, if `wanted`.
    pub(super) fn mark(&mut self, stage: usize, at: usize, wanted: bool) {
        let at = stage * self.groups + at;
        self.bits[at / 64] |= u64::from(wanted) << (at % 64);
    }

    pub(super) fn has(&self, stage: usize, at: usize) -> bool {
        let at = stage * self.groups + at;
        self.bits[at / 64] >> (at % 64) & 1 != 0
    }

    /// Moves the groups of a stage to a list, with the records that `record` knows of.
    pub(super) fn drain(&mut self, stage: usize, list: &mut Vec<Listed>, record: impl Fn(usize) -> u32) {
        list.clear();
        let words = self.groups / 64;
        for (word, set) in self.bits[stage * words..][..words].iter_mut().enumerate() {
            let mut set = core::mem::take(set);
            while set != 0 {
                let at = word * 64 + set.trailing_zeros() as usize;
                list.push((at as u32, record(at)));
                set &= set - 1;
            }
        }
    }
}

/// The elements of a stage, during transfers.
pub(super) struct Elements<'a, const P: usize, const WORDS: usize> {
    pub(super) config: &'a Config,
    pub(super) stage: usize,
    /// Where the digit of the stage begins, in a hash too.
    pub(super) low: u32,
    pub(super) number_bits: u32,
    pub(super) depths: &'a mut Depths<P>,
    /// The links to the stage, and those out of it.
    pub(super) inlets: Section<'a, WORDS>,
    pub(super) outlets: Section<'a, WORDS>,
    /// By position: where the link to it begins.
    pub(super) previous: &'a [Port],
    pub(super) worklist: &'a mut Worklist,
    /// Credits that take their time, if they do.
    pub(super) returning: Option<&'a mut Vec<Return>>,
    pub(super) rng: &'a mut Rng,
    pub(super) key: u64,
    /// Cells of all stages that wait for one before them.
    pub(super) held: &'a mut u64,
    /// Whether a cell was moved.
    pub(super) moved: bool,
}

impl<const P: usize, const WORDS: usize> Elements<'_, P, WORDS> {
    /// The position of the first output of a group's element, and the group.
    fn locate(&self, at: usize) -> (usize, usize) {
        let bits = self.previous.len().trailing_zeros();
        ((at >> bits) * P, at & (self.previous.len() - 1))
    }

    /// The output buffers of a group in a distribution element that take no cell now.
    fn full(&self, first: usize, state: Group) -> u8 {
        if !self.config.per_link {
            return state.outputs();
        }
        (0..P).map(|output| u8::from(!self.outlets.is_idle(first + output)) << output).sum()
    }

    /// The output of the next cell of a group, by a rule that does not look at the cell.
    fn output(&mut self, first: usize, state: Group, full: u8) -> Result<usize, Waits> {
        // With backpressure per link any group may free a buffer.
        let per_link = self.config.per_link;
        let blocked = |outputs: u8| if per_link { Waits::Retry } else { Waits::Room(outputs) };
        if self.config.distribution == Some(Distribution::RoundRobin) {
            let output = state.pointer() % P;
            return if full >> output & 1 == 0 { Ok(output) } else { Err(blocked(1 << output)) };
        }
        // Imbalance 1: the outputs that have received the fewest cells of the group are those that
        // lack one of this round.
        let fewest = ((1u16 << P) - 1) as u8 & !state.round();
        if fewest & !full == 0 {
            return Err(blocked(fewest));
        }
        let output = if self.config.distribution == Some(Distribution::RandomBalanced) {
            select(fewest, self.rng.below(fewest.count_ones() as usize))
        } else {
            let ready = |&output: &usize| self.outlets.ready(first + output);
            let outputs = (0..P).filter(|output| fewest >> output & 1 != 0);
            outputs.min_by_key(ready).expect("a round ends before every output has had its cell of it")
        };
        if full >> output & 1 == 0 { Ok(output) } else { Err(Waits::Retry) }
    }
}

impl<const P: usize, const WORDS: usize> Element<P> for Elements<'_, P, WORDS> {
    const PREFETCH: usize = 8;

    #[inline(always)]
    fn choose(&mut self, own: Listed, record: &Record<P>, state: Group) -> Result<(usize, usize), Waits> {
        let (first, group) = self.locate(own.0 as usize);
        let full = self.full(first, state);
        if self.config.distribution != Some(Distribution::Hash) {
            let output = self.output(first, state, full)?;
            return Ok((self.merge(state), output));
        }
        let port = self.merge(state);
        let output = hash(self.key, record.source(port, self.number_bits), group, self.low) % P;
        if full >> output & 1 == 0 {
            Ok((port, output))
        } else {
            Err(self.merged_in_vain(state, Waits::Room(1 << output)))
        }
    }

    #[inline(always)]
    fn merge(&mut self, state: Group) -> usize {
        let inputs = state.inputs();
        match self.config.merge {
            Merge::RoundRobin => state.turn() % P,
            Merge::Random if !inputs.is_power_of_two() => {
                select(inputs, self.rng.below(inputs.count_ones() as usize)) % P
            }
            _ => inputs.trailing_zeros() as usize % P,
        }
    }

    #[inline(always)]
    fn obstacle(&mut self, own: Listed, state: Group, target: Target) -> Option<Waits> {
        if self.config.per_link {
            let end = self.locate(own.0 as usize).0 + target.output;
            return (!self.outlets.is_idle(end)).then_some(Waits::Retry);
        }
        (state.outputs() >> target.part & 1 != 0).then_some(Waits::Room(1 << target.part))
    }

    /// Another draw might have avoided the full buffer.
    fn merged_in_vain(&self, state: Group, waits: Waits) -> Waits {
        let draws = self.config.merge == Merge::Random && !state.inputs().is_power_of_two();
        if draws || self.config.per_link { Waits::Retry } else { waits }
    }

    #[inline(always)]
    fn moved(&mut self, own: Listed, record: &mut Record<P>, state: &mut Group, port: usize, to: Target) {
        self.depths.follow(record, state, own.1 as usize, (port, to.part));
        self.moved = true;
        let (first, group) = self.locate(own.0 as usize);
        let position = first + port;
        let end = usize::from(self.previous[position]);
        if let Some(returning) = &mut self.returning {
            *self.depths.returning(own.1 as usize, port) += 1;
            returning.push(Return { stage: self.stage as u16, position: position as Port, group: group as Port });
        } else if self.config.per_link {
            *self.inlets.credits(end) += 1;
        } else {
            self.inlets.restore(end, group);
        }
        let (first, beyond) = self.locate(to.at);
        self.outlets.fill(first + to.output, beyond);
    }

    #[inline(always)]
    fn resequenced(&mut self, own: Listed, before: Group, state: &mut Group, waits: Waits) {
        // All cells in the group's input buffers wait for one before them, or none does.
        let held = if waits == Waits::Cell { self.depths.waiting(*state, own.1 as usize) } else { 0 };
        state.set_held(held);
        *self.held = *self.held + u64::from(held) - u64::from(before.held());
    }

    fn retry(&mut self, own: Listed) {
        self.worklist.mark(self.stage, own.0 as usize, true);
    }
}

/// The output of all cells of a flow in a distribution stage whose digit begins at `low`, modulo P.
pub(crate) fn hash(key: u64, source: usize, destination: usize, low: u32) -> usize {
    (mix(key ^ ((source as u64) << 16 | destination as u64)) >> low) as usize
}

/// The member of a small set with that rank.
fn select(set: u8, rank: usize) -> usize {
    let mut set = set;
    for _ in 0..rank {
        set &= set - 1;
    }
    set.trailing_zeros() as usize
}
