//! The service scheduler of an output: which flow is next.

use alloc::vec;
use alloc::vec::Vec;

/// The order in which an output serves its flows; see the page of `psm-flows`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Discipline {
    /// In turn, up to the weight of each flow in cells; fair queueing if all weights are 1.
    Weighted(Vec<u32>),
    /// The lowest of this number of flows first.
    Priority(usize),
}

impl Discipline {
    /// One cell of each of `flows` flows in turn.
    pub fn fair(flows: usize) -> Self {
        Self::Weighted(vec![1; flows])
    }

    /// The number of flows.
    pub fn flows(&self) -> usize {
        match self {
            Self::Weighted(weights) => weights.len(),
            Self::Priority(flows) => *flows,
        }
    }

    /// The length of a frame, in times of N slots: the sum of weights, each 1 unless given.
    pub fn units(&self) -> usize {
        match self {
            Self::Weighted(weights) => weights.iter().map(|&weight| weight as usize).sum(),
            Self::Priority(flows) => *flows,
        }
    }

    /// The flow of the next cell: one that is not empty; None if all are.
    #[inline]
    pub(super) fn next(&self, turn: &mut Turn, is_empty: impl Fn(usize) -> bool) -> Option<usize> {
        match self {
            Self::Priority(flows) => (0..*flows).find(|&flow| !is_empty(flow)),
            Self::Weighted(weights) => {
                let mut next = *turn;
                // One step more than there are flows: the flow whose turn it is may have used up
                // its weight, and be the only non-empty one.
                for _ in 0..=weights.len() {
                    if next.left > 0 && !is_empty(next.flow) {
                        next.left -= 1;
                        *turn = next;
                        return Some(next.flow);
                    }
                    next.flow = if next.flow + 1 >= weights.len() { 0 } else { next.flow + 1 };
                    next.left = weights[next.flow];
                }
                None
            }
        }
    }

    /// The turn with which an output begins: flow 0 is first.
    pub(super) fn first_turn(&self) -> Turn {
        match self {
            Self::Weighted(weights) => Turn { flow: 0, left: weights[0] },
            Self::Priority(_) => Turn { flow: 0, left: 0 },
        }
    }
}

/// Whose turn it is at an output, and for how many cells more.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    flow: usize,
    left: u32,
}
