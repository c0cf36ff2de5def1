//! A switch that cannot go on: no mistake of the user's, but a finding about the switch.

use super::shared_memory::Matcher;
use crate::cell::{Port, Slot};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use thiserror::Error;

/// Why a switch has stopped, and exactly when. The slot named here did not take place: the switch
/// is as it was before.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Failure {
    /// A shared-memory switch has no memory for a cell.
    #[error(
        "slot {slot}: the cell from input {input} to output {output}, due in slot {departs}, has no memory: {}",
        explanation(*matcher, fits, hall.as_ref(), [*memories, *needed, *first_fit_needs])
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
        matcher: Matcher,
        /// How many memories there are.
        memories: usize,
        /// How many are always enough for the matcher.
        needed: usize,
        /// How many are always enough for cells that are placed one by one.
        first_fit_needs: usize,
        /// The memories that it fits: no cell there has the same departure slot, or is read now
        /// from a memory that is not read and written in a slot.
        fits: Vec<Port>,
        /// Why no assignment places all cells of the slot; None if one does, and the matcher missed
        /// it.
        hall: Option<Hall>,
    },
    /// Cells of a fabric wait for each other and will do so for ever.
    #[error(
        "slot {slot}: deadlock: {} cells wait for each other in a circle{}: {}",
        waits.len(),
        if *still > 0 { alloc::format!(", and no cell has moved for {still} slots") } else { String::new() },
        circle(waits)
    )]
    Deadlock {
        /// The slot.
        slot: Slot,
        /// For how many slots no cell at all had moved; 0 if the rest of the fabric still works.
        still: u32,
        /// The cells, each with what it needs of the next one; the last needs it of the first.
        waits: Vec<Wait>,
    },
    /// A switch that stripes flows over memories has none for a cell.
    #[error(
        "slot {slot}: the cell from input {input} to output {output} has no memory: {}; use {needed} memories",
        stripe_conflicts(*matcher, *memories, *stripe)
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
        /// P: the consecutive cells of a flow that go to different memories.
        stripe: usize,
        /// How many memories are always enough.
        needed: usize,
        /// The matcher that did not place it.
        matcher: Matcher,
    },
    /// A scheduler of another crate gave no matching. The arrivals of this slot are queued, and no
    /// cell leaves from it on.
    #[error("slot {slot}: {problem}")]
    NoMatching {
        /// The slot.
        slot: Slot,
        /// What was wrong, with the ports.
        problem: String,
    },
}

impl Failure {
    /// The slot that did not take place.
    pub fn slot(&self) -> Slot {
        match self {
            Self::Unplaced { slot, .. }
            | Self::Deadlock { slot, .. }
            | Self::Unstriped { slot, .. }
            | Self::NoMatching { slot, .. } => *slot,
        }
    }
}

/// A cell that waits, the first of its buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// Its input.
    pub input: Port,
    /// Its output.
    pub output: Port,
    /// When it arrived.
    pub born: Slot,
    /// Where it is.
    pub buffer: Buffer,
    /// What it waits for.
    pub need: Need,
}

/// What a cell waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Room in the buffer where another cell is.
    Room,
    /// The cell whose number comes next, before its own.
    Predecessor,
}

/// A buffer of a fabric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// On which side of its element.
    pub side: Side,
    /// The stage, from 0.
    pub stage: usize,
    /// The element in the stage.
    pub element: usize,
    /// The port of the element.
    pub port: usize,
    /// The flow group.
    pub group: usize,
}

/// A side of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// Where cells come in.
    Input,
    /// Where they go out.
    Output,
}

impl fmt::Display for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = if self.side == Side::Input { "input" } else { "output" };
        let Self { stage, element, port, group, .. } = self;
        write!(f, "the buffer of group {group} at {side} {port} of element {element} in stage {stage}")
    }
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { input, output, born, buffer, .. } = self;
        write!(f, "the cell from {input} to {output} born in slot {born} in {buffer}")
    }
}

/// Which cell waits for which, in words.
fn circle(waits: &[Wait]) -> String {
    let next = waits.iter().cycle().skip(1);
    let words = waits.iter().zip(next).map(|(wait, next)| match wait.need {
        Need::Room => alloc::format!("{wait} needs room where {next} is"),
        Need::Predecessor => alloc::format!("{wait} has to go after {next}"),
    });
    words.collect::<Vec<_>>().join("; ")
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

/// Why a cell has no memory, and what helps. Another matcher is advised only where it never fails:
/// with fewer memories `maximum` would place these cells, and can be made to fail as well.
fn explanation(
    matcher: Matcher,
    fits: &[Port],
    hall: Option<&Hall>,
    [memories, needed, first_fit_needs]: [usize; 3],
) -> String {
    let (name, count, fits) = (matcher.name(), fits.len(), list(fits));
    let why = match hall {
        Some(hall) => alloc::format!("{hall}, so no assignment places them all"),
        None if matcher.places_one_by_one() => alloc::format!(
            "{name} gave the {count} memories that it fits ({fits}) to other cells, although all could have been placed"
        ),
        None => alloc::format!(
            "{name} found none for it among the {count} that it fits ({fits}), although all could have been placed"
        ),
    };
    let other = if memories >= first_fit_needs { ", or matcher=first-fit" } else { "" };
    alloc::format!("{why}; use {needed} memories, which are always enough{other}")
}

fn stripe_conflicts(matcher: Matcher, memories: usize, stripe: usize) -> String {
    let last = stripe - 1;
    if matcher.places_one_by_one() {
        alloc::format!("each of {memories} was given one of the last {last} cells of its flow, or a cell of this slot")
    } else {
        alloc::format!(
            "{} found none among the {memories} that was given neither one of the last {last} cells of its flow nor a cell of this slot",
            matcher.name()
        )
    }
}

/// The most numbers that are written out.
const SHOWN: usize = 16;

fn list(ports: &[Port]) -> String {
    let mut words: Vec<String> = ports.iter().take(SHOWN).map(ToString::to_string).collect();
    if ports.len() > SHOWN {
        words.push("...".to_string());
    }
    if words.is_empty() { "none".to_string() } else { words.join(", ") }
}
