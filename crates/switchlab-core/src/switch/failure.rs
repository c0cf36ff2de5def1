//! A switch that cannot go on: no mistake of the user's, but a finding about the switch.

use crate::cell::{Port, Slot};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use thiserror::Error;

/// Why a switch has stopped, and exactly when. The slot named here did not take place: the switch is as it was before.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Failure {
    /// A shared-memory switch has no memory for a cell.
    #[error(
        "slot {slot}: the cell from input {input} to output {output}, due in slot {departs}, has no memory: {}",
        explanation(matcher, fits, hall.as_ref())
    )]
    Unplaced {
        /// The slot.
        slot: Slot,
        /// The input of the cell.
        input: Port,
        /// The output it is for.
        output: Port,
        /// When it has to leave.
        departs: u64,
        /// The matcher that did not place it.
        matcher: &'static str,
        /// The memories that hold no cell with the same departure slot.
        fits: Vec<Port>,
        /// Why nobody could have placed all cells of the slot; None if that was possible, and the matcher missed it.
        hall: Option<Hall>,
    },
    /// A switch that stripes flows over memories has none for a cell.
    #[error(
        "slot {slot}: the cell from input {input} to output {output} has no memory: each of {memories} was given one of the last {} cells of its flow, or a cell of this slot; use {needed} memories",
        stripe - 1
    )]
    Unstriped {
        /// The slot.
        slot: Slot,
        /// The input of the cell.
        input: Port,
        /// The output it is for.
        output: Port,
        /// How many memories there are.
        memories: usize,
        /// So many consecutive cells of a flow go to different memories.
        stripe: usize,
        /// How many memories are always enough.
        needed: usize,
    },
}

impl Failure {
    /// The slot that did not take place.
    pub fn slot(&self) -> Slot {
        let (Self::Unplaced { slot, .. } | Self::Unstriped { slot, .. }) = self;
        *slot
    }
}

/// A violation of Hall's condition: more cells than memories that any of them fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hall {
    /// The inputs of the cells, ascending.
    pub inputs: Vec<Port>,
    /// All memories that hold no cell due together with one of these, ascending.
    pub memories: Vec<Port>,
}

impl fmt::Display for Hall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the {} cells from inputs {} fit only {} memories together ({})",
            self.inputs.len(),
            list(&self.inputs),
            self.memories.len(),
            list(&self.memories)
        )
    }
}

fn explanation(matcher: &str, fits: &[Port], hall: Option<&Hall>) -> String {
    match hall {
        Some(hall) => alloc::format!("{hall}, so nobody could have placed them all; use more memories"),
        None => alloc::format!(
            "{matcher} gave the {} memories that it fits ({}) to other cells, although all could have been placed; use more memories, or matcher=maximum",
            fits.len(),
            list(fits)
        ),
    }
}

/// At most so many numbers are written out.
const SHOWN: usize = 16;

fn list(ports: &[Port]) -> String {
    let mut words: Vec<String> = ports.iter().take(SHOWN).map(ToString::to_string).collect();
    if ports.len() > SHOWN {
        words.push("...".to_string());
    }
    if words.is_empty() { "none".to_string() } else { words.join(", ") }
}
