//! The configuration of a fabric of equal elements with 2, 4 or 8 ports.

use super::fabric::Fabric;
use crate::cell::MAX_PORTS;
use crate::rng::Seed;
use crate::switch::Switch;
use alloc::boxed::Box;
use alloc::string::{String, ToString};

/// How a distribution element chooses the output of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Distribution {
    /// In turns, for each destination.
    RoundRobin,
    /// Of the outputs that have received the fewest cells of the group, the one with the fewest
    /// ready cells.
    ImbalanceCount,
    /// A random one of the outputs that have received the fewest cells of the group.
    RandomBalanced,
    /// Always the same for a flow.
    Hash,
}

/// Where cells are put into order again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Resequencing {
    /// In each routing stage, for the distribution stage of its level.
    PerStage,
    /// Behind the last stage.
    Final,
}

/// How the P input buffers of a group are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Merge {
    /// In turns.
    RoundRobin,
    /// A random one that is not empty.
    Random,
    /// The lowest that is not empty.
    Fixed,
}

/// What cells are numbered for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Numbers {
    /// Each level of routing.
    Stages,
    /// The exit.
    Flows,
    /// Nothing: cells of a flow have only one way.
    None,
}

/// The configuration of a fabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Config {
    /// N, a power of the radix.
    pub(super) ports: usize,
    /// P: 2, 4 or 8.
    pub(super) radix: usize,
    /// How cells are distributed; None for a banyan, which does not.
    pub(super) distribution: Option<Distribution>,
    /// Where cells are put into order.
    pub(super) resequencing: Resequencing,
    /// Cells in an input buffer of a distribution element.
    pub(super) distribution_buffer: usize,
    /// Cells in an input buffer of a routing element.
    pub(super) routing_buffer: usize,
    /// Slots after which a returned credit is usable.
    pub(super) credit_delay: usize,
    /// How input buffers are merged.
    pub(super) merge: Merge,
    /// Whether the pointers of round-robin distribution, or the key of the hash, are random at
    /// first rather than 0.
    pub(super) random_pointers: bool,
    /// Whether buffers and credits are for all flow groups of a link together.
    pub(super) per_link: bool,
}

/// The most groups, in all elements together, that are simulated: a fifth of a gigabyte, and more
/// for their cells. 4096 ports with P = 4 have as many.
const MAX_GROUPS: usize = 3 << 24;

impl Config {
    /// Why such a fabric cannot be simulated, and what to do, if it cannot.
    pub(super) fn problem(&self) -> Option<String> {
        let Self { ports, radix, .. } = *self;
        let levels = (ports.trailing_zeros() / radix.trailing_zeros()) as usize;
        let stages = if self.distribution.is_some() { 2 * levels } else { levels };
        let groups = stages * (ports / radix) * ports;
        if groups > MAX_GROUPS {
            return Some(alloc::format!(
                "{stages} stages of {} elements with {ports} flow groups each are more than the {MAX_GROUPS} that are simulated; take a larger radix or fewer ports",
                ports / radix
            ));
        }
        if self.numbers() == Numbers::Flows && self.most_ahead(levels) > usize::from(u16::MAX) {
            return Some(
                "so many cells of a flow may overtake one that numbers of 16 bits do not tell them apart; take smaller buffers, fewer ports or resequencing=per-stage"
                    .to_string(),
            );
        }
        None
    }

    /// The most cells of a flow that may have entered the fabric after one that is still inside.
    /// That cell has a line of buffers behind it up to the last distribution element that it
    /// passed. Once they are full, the group of that element stops when it is the turn of that
    /// output: at most a round of P cells for each cell in the line. So does the element before it,
    /// and so on.
    fn most_ahead(&self, levels: usize) -> usize {
        let line = levels * (self.routing_buffer + 1) + 1;
        (0..levels).fold(line, |ahead, _| self.radix.saturating_mul(ahead + self.distribution_buffer + 2))
    }

    /// Cells in an input buffer.
    pub(super) fn size(&self, distribution: bool) -> usize {
        if distribution { self.distribution_buffer } else { self.routing_buffer }
    }

    /// What cells are numbered for.
    pub(super) fn numbers(&self) -> Numbers {
        match (self.distribution, self.resequencing) {
            (None | Some(Distribution::Hash), _) => Numbers::None,
            (_, Resequencing::PerStage) => Numbers::Stages,
            (_, Resequencing::Final) => Numbers::Flows,
        }
    }

    /// The bits of a cell's number: one digit for each level, which is as long as an address; or
    /// its number in its flow.
    pub(super) fn number_bits(&self) -> u32 {
        if self.numbers() == Numbers::Flows { 16 } else { MAX_PORTS.trailing_zeros() }
    }

    /// Whether number and source of a cell do not fit into 24 bits.
    pub(super) fn is_wide(&self) -> bool {
        self.number_bits() + self.ports.trailing_zeros() > 24
    }

    /// Builds the fabric.
    pub(crate) fn build(self, seed: Seed) -> Box<dyn Switch> {
        match self.radix {
            2 => Box::new(Fabric::<2>::new(self, seed)),
            4 => Box::new(Fabric::<4>::new(self, seed)),
            _ => Box::new(Fabric::<8>::new(self, seed)),
        }
    }
}
