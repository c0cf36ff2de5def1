//! The shadow: the ideal output-queued switch on the same arrivals, with the same discipline.
//!
//! Every discipline here is push-in, first-out: a new cell may be put anywhere into its output's
//! queue, the cells already there keep their order, and the first one leaves. So a cell gets a key
//! when it arrives, and each queue is sorted by keys; a later cell may change how long a cell
//! waits, but never the order of the cells already there.

use crate::cell::{Port, Slot};
use alloc::collections::VecDeque;
use alloc::vec;
use alloc::vec::Vec;

/// In what order the cells of an output leave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Discipline {
    /// First come, first served; cells of the same slot in the order of their inputs.
    Fifo,
    /// Strict priority by the class of the input, and within a class first come, first served.
    Priority,
    /// Fair queueing by the finish tags of self-clocked fair queueing, weighted by the class of the
    /// input.
    Wfq,
}

impl Discipline {
    /// The words of a spec.
    pub const WORDS: &'static [&'static str] = &["fifo", "priority", "wfq"];

    /// The discipline that a word names.
    pub fn named(word: &str) -> Self {
        match word {
            "priority" => Self::Priority,
            "wfq" => Self::Wfq,
            _ => Self::Fifo,
        }
    }
}

/// The largest number of classes.
pub const MOST_CLASSES: usize = 16;

/// What a tag grows by for a cell of weight 1: the least common multiple of 1 to [`MOST_CLASSES`],
/// so that every weight divides it.
///
/// Tags grow by at most this in a slot, so below 2^32 slots they take less than 52 bits, which
/// leaves 12 for the input.
const LENGTH: u64 = 720_720;

/// A cell in the ideal switch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Ideal {
    pub(super) key: u64,
    pub(super) born: Slot,
    /// Where it lies in the real switch, as long as it waits there.
    pub(super) place: u32,
}

/// The ideal switch.
#[derive(Clone, Debug)]
pub(super) struct Shadow {
    ports: usize,
    discipline: Discipline,
    classes: usize,
    queues: Vec<VecDeque<Ideal>>,
    /// By output: the tag of the cell that was sent last. Fair queueing only.
    clocks: Vec<u64>,
    /// By input and output: the tag of the cell that arrived last. Fair queueing only.
    tags: Vec<u64>,
}

impl Shadow {
    pub(super) fn new(ports: usize, discipline: Discipline, classes: usize) -> Self {
        let fair = discipline == Discipline::Wfq;
        Self {
            ports,
            discipline,
            classes: classes.clamp(1, MOST_CLASSES),
            queues: queues(ports),
            clocks: vec![0; if fair { ports } else { 0 }],
            tags: vec![0; if fair { ports * ports } else { 0 }],
        }
    }

    /// The key of a cell that arrives now: smaller is earlier. No two cells of an output have the
    /// same.
    pub(super) fn key(&mut self, now: Slot, input: usize, output: usize) -> u64 {
        let class = input % self.classes;
        let arrival = u64::from(now) << 12 | input as u64;
        match self.discipline {
            Discipline::Fifo => arrival,
            Discipline::Priority => (class as u64) << 44 | arrival,
            Discipline::Wfq => {
                let weight = (self.classes - class) as u64;
                let tag = &mut self.tags[input * self.ports + output];
                *tag = (*tag).max(self.clocks[output]) + LENGTH / weight;
                *tag << 12 | input as u64
            }
        }
    }

    pub(super) fn insert(&mut self, output: usize, cell: Ideal) {
        insert_sorted(&mut self.queues[output], cell, |cell| cell.key);
    }

    /// Sends the first cell of an output.
    pub(super) fn send(&mut self, output: usize) -> Option<Ideal> {
        let sent = self.queues[output].pop_front()?;
        if self.discipline == Discipline::Wfq {
            self.clocks[output] = sent.key >> 12;
        }
        Some(sent)
    }

    /// How many cells the output sends before the one with this key.
    pub(super) fn before(&self, output: usize, key: u64) -> usize {
        self.queues[output].partition_point(|cell| cell.key < key)
    }
}

/// That many empty queues, with room for what a stable load brings: later on only records allocate.
pub(super) fn queues<T>(count: usize) -> Vec<VecDeque<T>> {
    (0..count).map(|_| VecDeque::with_capacity(64)).collect()
}

/// Puts a cell where its key belongs. Mostly that is the end; if not, the shorter side moves.
pub(super) fn insert_sorted<T>(queue: &mut VecDeque<T>, cell: T, key: impl Fn(&T) -> u64) {
    let own = key(&cell);
    if queue.back().is_none_or(|last| key(last) < own) {
        queue.push_back(cell);
    } else {
        let place = queue.partition_point(|other| key(other) < own);
        queue.insert(place, cell);
    }
}

/// An output's buffer on the real switch: the cells that have crossed, sorted by their keys.
#[derive(Clone, Debug)]
pub(super) struct Outputs {
    buffers: Vec<VecDeque<Held>>,
    length: u64,
}

/// A cell in an output's buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Held {
    pub(super) key: u64,
    pub(super) born: Slot,
    pub(super) input: Port,
}

impl Outputs {
    pub(super) fn new(ports: usize) -> Self {
        Self { buffers: queues(ports), length: 0 }
    }

    pub(super) fn insert(&mut self, output: usize, cell: Held) {
        insert_sorted(&mut self.buffers[output], cell, |cell| cell.key);
        self.length += 1;
    }

    pub(super) fn send(&mut self, output: usize) -> Option<Held> {
        let sent = self.buffers[output].pop_front()?;
        self.length -= 1;
        Some(sent)
    }

    /// The output cushion: how many cells in the buffer are to leave before one with this key.
    #[inline]
    pub(super) fn cushion(&self, output: usize, key: u64) -> usize {
        let buffer = &self.buffers[output];
        match buffer.back() {
            None => 0,
            Some(last) if last.key < key => buffer.len(),
            Some(_) => buffer.partition_point(|cell| cell.key < key),
        }
    }

    /// The largest cushion there can be for a cell of this output.
    #[inline]
    pub(super) fn fill(&self, output: usize) -> usize {
        self.buffers[output].len()
    }

    /// Cells in all buffers.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    pub(super) fn lengths(&self) -> impl Iterator<Item = u32> {
        self.buffers.iter().map(|buffer| buffer.len() as u32)
    }
}
