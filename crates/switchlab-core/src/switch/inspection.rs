//! A look inside a switch between two slots.

use crate::cell::{NONE, Port};
use alloc::vec::Vec;

/// What is inside a switch after a slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspection {
    /// How many cells are where.
    pub queues: QueueLengths,
    /// The matching of the last slot: for each input its output, or [`NONE`]. A switch that does
    /// not match has none.
    pub matching: Option<Vec<Port>>,
    /// What the scheduler remembers from slot to slot, by name: a number for each port.
    pub state: Vec<(&'static str, Vec<Port>)>,
}

/// Queue lengths, by what the queues are.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum QueueLengths {
    /// A queue for each input and output; that of input `i` and output `j` is at `i * ports + j`.
    Voqs(Vec<u32>),
    /// A queue for each input.
    Inputs {
        /// Its cells, the first included.
        lengths: Vec<u32>,
        /// The output its first cell is for, or [`NONE`].
        first: Vec<Port>,
    },
    /// A queue for each output.
    Outputs(Vec<u32>),
    /// Queues on both sides.
    VoqsAndOutputs {
        /// A queue for each input and output, as in [`Self::Voqs`].
        voqs: Vec<u32>,
        /// A queue for each output.
        outputs: Vec<u32>,
    },
}

impl QueueLengths {
    /// Adds the arrivals of a slot: the queues as the decision sees them.
    pub fn arrive(&mut self, arrivals: &[Port]) {
        let ports = arrivals.len();
        for (input, &output) in arrivals.iter().enumerate().filter(|(_, output)| **output != NONE) {
            match self {
                Self::Voqs(lengths) | Self::VoqsAndOutputs { voqs: lengths, .. } => {
                    lengths[input * ports + output as usize] += 1;
                }
                Self::Inputs { lengths, first } => {
                    lengths[input] += 1;
                    if first[input] == NONE {
                        first[input] = output;
                    }
                }
                Self::Outputs(lengths) => lengths[output as usize] += 1,
            }
        }
    }

    /// All cells.
    pub fn total(&self) -> u64 {
        let sum = |lengths: &[u32]| -> u64 { lengths.iter().map(|&length| u64::from(length)).sum() };
        match self {
            Self::Voqs(lengths) | Self::Inputs { lengths, .. } | Self::Outputs(lengths) => sum(lengths),
            Self::VoqsAndOutputs { voqs, outputs } => sum(voqs) + sum(outputs),
        }
    }
}
