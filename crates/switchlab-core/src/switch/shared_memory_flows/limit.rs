//! Finite memories: at most K cells of an output, and what is measured of memories.
//!
//! A flow with n cells has at most ceil(n/P) of them in one memory. So an output with K cells of f
//! flows has at most (K + f(P-1))/P in one, and all N outputs N times as many; for P = N these are
//! K + (N-1)f. Memories of this capacity never overflow, whatever arrives.

use crate::cell::{Dropped, NONE, Port, Slot};
use alloc::vec;
use alloc::vec::Vec;

/// What is dropped, and how full memories are.
#[derive(Clone, Debug)]
pub(super) struct Limit {
    capacity: u32,
    /// The cells that suffice for a memory.
    pub(super) bound: u64,
    /// By output: its cells in the memories, those of the frame that is read included.
    stored: Vec<u32>,
    /// By input: the output of its cell, unless that is dropped.
    pub(super) admitted: Vec<Port>,
    pub(super) dropped_now: Vec<Dropped>,
    pub(super) dropped: u64,
    /// By output: the cells of the frame that it has read so far.
    read: Vec<u32>,
    /// The most cells of a memory, and of an output memory, in the frame under way.
    fullest: u64,
    fullest_output: u64,
    /// Sums over frames that have ended.
    pub(super) frames: u64,
    pub(super) fullest_sum: u64,
    pub(super) fullest_output_sum: u64,
    pub(super) overfilled: u64,
}

impl Limit {
    /// For queues of `capacity` cells, `flows` flows of each output, striped over `stripe`
    /// memories.
    pub(super) fn new(ports: usize, capacity: usize, flows: usize, stripe: usize) -> Self {
        Self {
            capacity: u32::try_from(capacity).unwrap_or(u32::MAX),
            bound: (ports as u64 * (capacity + flows * (stripe - 1)) as u64) / stripe as u64,
            stored: vec![0; ports],
            admitted: Vec::with_capacity(ports),
            dropped_now: Vec::with_capacity(ports),
            dropped: 0,
            read: vec![0; ports],
            fullest: 0,
            fullest_output: 0,
            frames: 0,
            fullest_sum: 0,
            fullest_output_sum: 0,
            overfilled: 0,
        }
    }

    /// The bytes of all lists. They do not change.
    pub(super) fn bytes(&self) -> u64 {
        (self.stored.len() * size_of::<(u32, Port, Dropped, u32)>()) as u64
    }

    /// Drops the cells that are for an output with K cells.
    pub(super) fn admit(&mut self, now: Slot, arrivals: &[Port]) {
        self.admitted.clear();
        self.dropped_now.clear();
        for (input, &output) in (0..).zip(arrivals) {
            let full = output != NONE && self.stored[output as usize] == self.capacity;
            if full {
                self.dropped_now.push(Dropped { slot: now, born: now, input, output });
            } else if output != NONE {
                self.stored[output as usize] += 1;
            }
            self.admitted.push(if full { NONE } else { output });
        }
        self.dropped += self.dropped_now.len() as u64;
    }

    /// Takes back a slot that does not take place, after which there is none.
    pub(super) fn undo(&mut self) {
        self.dropped -= self.dropped_now.len() as u64;
        self.dropped_now.clear();
    }

    /// A cell was written to a memory, which now has that number of cells.
    #[inline]
    pub(super) fn written(&mut self, cells: u32) {
        self.fullest = self.fullest.max(u64::from(cells));
    }

    /// An output has read a cell.
    #[inline]
    pub(super) fn read(&mut self, output: Port) {
        self.read[output as usize] += 1;
    }

    /// Looks at output memories, before cells leave in a slot: each has what it has read of this
    /// frame, and what it has not yet sent of the last one.
    pub(super) fn look_at_outputs(&mut self, unsent: impl Iterator<Item = usize>) {
        let most = self.read.iter().zip(unsent).map(|(&read, unsent)| u64::from(read) + unsent as u64).max();
        self.fullest_output = self.fullest_output.max(most.unwrap_or(0));
    }

    /// A frame has ended, in which each output has read a number of cells. The first frame begins
    /// with the first slot.
    pub(super) fn end_frame(&mut self, read: impl Iterator<Item = usize>, occupancy: &[u32]) {
        for (stored, read) in self.stored.iter_mut().zip(read) {
            *stored -= read as u32;
        }
        self.read.fill(0);
        self.frames += 1;
        self.fullest_sum += self.fullest;
        self.fullest_output_sum += self.fullest_output;
        self.overfilled += u64::from(self.fullest > self.bound);
        self.fullest = u64::from(occupancy.iter().max().copied().unwrap_or(0));
        self.fullest_output = 0;
    }
}
