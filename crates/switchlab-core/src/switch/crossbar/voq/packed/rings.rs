//! Rings of timestamps: aligned blocks of 4, 8, ... 4096 of them.

use super::timestamps::{KIND, RING};
use crate::prefetch::prefetch_l2;
use alloc::vec;
use alloc::vec::Vec;

/// Classes of rings: class c has 4 * 2^c timestamps.
const CLASSES: usize = 11;
/// The most timestamps in a ring.
pub(super) const LARGEST: usize = 4 << (CLASSES - 1);
/// Entries are added in slabs, each for rings of one class. A slab is a largest ring.
const SLAB: usize = LARGEST;
/// The most entries that 32 bits tell apart.
const MOST: u64 = 1 << 32;
const NIL: u32 = u32::MAX;

/// A ring of a queue, unpacked from its record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ring {
    /// The index of its first timestamp.
    at: u32,
    length: u32,
    /// Its size less one.
    mask: u32,
    class: u32,
}

impl Ring {
    /// The difference that one cell makes to a record.
    pub(super) const ONE: u64 = 1 << 15;

    /// The length in a record of this kind.
    #[inline(always)]
    pub(super) fn length(record: u64) -> u32 {
        (record >> 15) as u32 & 0x1fff
    }

    #[inline(always)]
    pub(super) fn from_record(record: u64) -> Self {
        let class = record as u32 >> 28;
        Self { at: (record >> 32) as u32, length: Self::length(record), mask: (4 << class) - 1, class }
    }

    /// The record, without a tag.
    #[inline(always)]
    pub(super) fn record(self) -> u64 {
        u64::from(self.at) << 32 | u64::from(self.class) << 28 | u64::from(self.length) << 15 | RING & KIND
    }

    /// The number of its timestamps.
    pub(super) const fn timestamps(self) -> u32 {
        self.length
    }

    #[inline(always)]
    pub(super) fn is_full(self) -> bool {
        self.length > self.mask
    }

    /// Whether a ring of half the size would be half full.
    #[inline(always)]
    pub(super) fn is_sparse(self) -> bool {
        self.length <= self.mask >> 2
    }

    /// The index of the timestamp that has `before` ones before it.
    #[inline(always)]
    fn place(self, before: u32) -> u32 {
        self.at & !self.mask | self.at.wrapping_add(before) & self.mask
    }
}

/// All rings of a switch.
#[derive(Clone, Debug)]
pub(super) struct Rings {
    timestamps: Vec<u16>,
    /// For each class, the index of the first free block. The first two entries of a free block are
    /// the index of the next.
    free: [u32; CLASSES],
}

impl Rings {
    pub(super) fn new() -> Self {
        // One slab that is never given away, so that a prefetch of index 0 is of something.
        Self { timestamps: vec![0; SLAB], free: [NIL; CLASSES] }
    }

    /// Appends to a ring that is not full. Returns its length then.
    #[inline(always)]
    pub(super) fn append(&mut self, ring: &mut Ring, timestamp: u16) -> u32 {
        let place = ring.place(ring.length);
        // A store and no more: it waits for nothing, wherever the ring is.
        self.timestamps[place as usize] = timestamp;
        ring.length += 1;
        ring.length
    }

    /// Removes the first timestamp of a ring that is not empty. Returns it, and the length before.
    #[inline(always)]
    pub(super) fn remove(&mut self, ring: &mut Ring) -> (u16, u32) {
        let timestamp = self.first(*ring);
        ring.at = ring.place(1);
        ring.length -= 1;
        (timestamp, ring.length + 1)
    }

    #[inline(always)]
    pub(super) fn first(&self, ring: Ring) -> u16 {
        self.timestamps[ring.at as usize]
    }

    /// Prefetches an entry, if there is one.
    #[inline(always)]
    pub(super) fn prefetch(&self, place: usize) {
        if let Some(timestamp) = self.timestamps.get(place) {
            prefetch_l2(timestamp);
        }
    }

    /// All timestamps.
    pub(super) fn timestamps(&self, ring: Ring) -> impl Iterator<Item = u16> {
        (0..ring.length).map(move |before| self.first(Ring { at: ring.place(before), ..ring }))
    }

    /// A ring with these timestamps and room for twice as many; None if rings are not as large.
    pub(super) fn make(&mut self, timestamps: &[u16]) -> Option<Ring> {
        let mut ring = self.empty(2 * timestamps.len())?;
        for &timestamp in timestamps {
            self.append(&mut ring, timestamp);
        }
        Some(ring)
    }

    /// Moves timestamps to a ring with room for twice as many. None if rings are not as large, and
    /// then nothing has changed. Queues that grow call this often, and it does not
    /// allocate.
    pub(super) fn exchange(&mut self, ring: Ring) -> Option<Ring> {
        let other = self.empty(2 * ring.length as usize)?;
        let (from, to, length) = (ring.at as usize, other.at as usize, ring.length as usize);
        // Up to where the ring goes round, and from its beginning on.
        let first = length.min((ring.mask - (ring.at & ring.mask)) as usize + 1);
        self.timestamps.copy_within(from..from + first, to);
        let begin = (ring.at & !ring.mask) as usize;
        self.timestamps.copy_within(begin..begin + length - first, to + first);
        self.free(ring);
        Some(Ring { length: ring.length, ..other })
    }

    /// An empty ring with that much room.
    fn empty(&mut self, room: usize) -> Option<Ring> {
        let class = (room.max(4).next_power_of_two() / 4).trailing_zeros();
        Some(Ring { at: self.block(class)?, length: 0, mask: (4 << class) - 1, class })
    }

    /// Frees a ring.
    pub(super) fn free(&mut self, ring: Ring) {
        self.chain(ring.at & !ring.mask, ring.class);
    }

    /// The number of entries, used or not.
    #[cfg(test)]
    pub(super) fn entries(&self) -> usize {
        self.timestamps.len()
    }

    /// Puts a block in front of the free ones of its class.
    fn chain(&mut self, block: u32, class: u32) {
        let next = core::mem::replace(&mut self.free[class as usize], block);
        self.timestamps[block as usize] = next as u16;
        self.timestamps[block as usize + 1] = (next >> 16) as u16;
    }

    /// A block for a ring of a class.
    fn block(&mut self, class: u32) -> Option<u32> {
        if *self.free.get(class as usize)? == NIL {
            let begin = self.timestamps.len();
            if (begin + SLAB) as u64 > MOST {
                return None;
            }
            if self.timestamps.capacity() == begin {
                self.timestamps.reserve_exact((begin / 2).next_multiple_of(SLAB).max(SLAB));
            }
            self.timestamps.resize(begin + SLAB, 0);
            for block in (begin..begin + SLAB).step_by(4 << class).rev() {
                self.chain(block as u32, class);
            }
        }
        let block = self.free[class as usize];
        let [low, high] = [0, 1].map(|place| u32::from(self.timestamps[block as usize + place]));
        self.free[class as usize] = high << 16 | low;
        // It says where the block after it is, which the next call needs.
        self.prefetch(self.free[class as usize] as usize);
        Some(block)
    }
}
