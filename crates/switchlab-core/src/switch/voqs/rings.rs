//! Rings of births: aligned blocks of 4, 8, ... 4096 of them.

use super::births::{RING, TAG};
use crate::fetch::fetch;
use alloc::vec;
use alloc::vec::Vec;

/// Classes of rings: class c has 4 * 2^c births.
const CLASSES: usize = 11;
/// The most births in a ring.
pub(super) const LARGEST: usize = 4 << (CLASSES - 1);
/// Places are added so many at a time, all for one class; the largest ring.
const SLAB: usize = LARGEST;
/// More places than this are not told apart by 32 bits.
const MOST: usize = 1 << 32;
const NIL: u32 = u32::MAX;

/// A ring of a queue, unpacked from its record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ring {
    /// Where its first birth lies.
    at: u32,
    length: u32,
    /// Its size less one.
    mask: u32,
    class: u32,
}

impl Ring {
    /// What a record grows by with a cell more.
    pub(super) const ONE: u64 = 1 << 15;

    /// How many cells a record of this kind says there are.
    #[inline(always)]
    pub(super) fn length(record: u64) -> u32 {
        (record >> 15) as u32 & 0x1fff
    }

    #[inline(always)]
    pub(super) fn from_record(record: u64) -> Self {
        let class = record as u32 >> 28;
        Self { at: (record >> 32) as u32, length: Self::length(record), mask: (4 << class) - 1, class }
    }

    /// The record, in which nothing is noted.
    #[inline(always)]
    pub(super) fn record(self) -> u64 {
        u64::from(self.at) << 32 | u64::from(self.class) << 28 | u64::from(self.length) << 15 | RING & TAG
    }

    /// How many births it has.
    pub(super) const fn births(self) -> u32 {
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

    /// Where the birth lies that has so many before it.
    #[inline(always)]
    fn place(self, before: u32) -> u32 {
        self.at & !self.mask | self.at.wrapping_add(before) & self.mask
    }
}

/// All rings of a switch.
#[derive(Clone, Debug)]
pub(super) struct Rings {
    births: Vec<u16>,
    /// For each class, where the first free block lies; its first two places say where the next does.
    free: [u32; CLASSES],
}

impl Rings {
    pub(super) fn new() -> Self {
        // One slab that nobody gets, so that a stray look at place 0 finds something.
        Self { births: vec![0; SLAB], free: [NIL; CLASSES] }
    }

    /// Appends to a ring that is not full; says how many it has then.
    #[inline(always)]
    pub(super) fn append(&mut self, ring: &mut Ring, birth: u16) -> u32 {
        let place = ring.place(ring.length);
        // A store and no more: it waits for nothing, wherever the ring is.
        self.births[place as usize] = birth;
        ring.length += 1;
        ring.length
    }

    /// Removes the first birth of a ring that is not empty; says how many it had.
    #[inline(always)]
    pub(super) fn remove(&mut self, ring: &mut Ring) -> (u16, u32) {
        let birth = self.first(*ring);
        ring.at = ring.place(1);
        ring.length -= 1;
        (birth, ring.length + 1)
    }

    #[inline(always)]
    pub(super) fn first(&self, ring: Ring) -> u16 {
        self.births[ring.at as usize]
    }

    /// Brings a place near.
    #[inline(always)]
    pub(super) fn fetch(&self, place: usize) {
        if let Some(birth) = self.births.get(place) {
            fetch(birth);
        }
    }

    /// All births.
    pub(super) fn births(&self, ring: Ring) -> impl Iterator<Item = u16> {
        (0..ring.length).map(move |before| self.first(Ring { at: ring.place(before), ..ring }))
    }

    /// A ring with these births that has room for twice as many; None if there is no such ring.
    pub(super) fn make(&mut self, births: &[u16]) -> Option<Ring> {
        let mut ring = self.empty(2 * births.len())?;
        for &birth in births {
            self.append(&mut ring, birth);
        }
        Some(ring)
    }

    /// A ring that has room for twice as many births as a ring has, with these; None if there is none, and then nothing has changed. Queues that grow come here every few slots, and
    /// nothing is allocated for it.
    pub(super) fn exchange(&mut self, ring: Ring) -> Option<Ring> {
        let other = self.empty(2 * ring.length as usize)?;
        let (from, to, length) = (ring.at as usize, other.at as usize, ring.length as usize);
        // Up to where the ring goes round, and from its beginning on.
        let first = length.min((ring.mask - (ring.at & ring.mask)) as usize + 1);
        self.births.copy_within(from..from + first, to);
        let begin = (ring.at & !ring.mask) as usize;
        self.births.copy_within(begin..begin + length - first, to + first);
        self.free(ring);
        Some(Ring { length: ring.length, ..other })
    }

    /// A ring without births that has room for so many.
    fn empty(&mut self, room: usize) -> Option<Ring> {
        let class = (room.max(4).next_power_of_two() / 4).trailing_zeros();
        Some(Ring { at: self.block(class)?, length: 0, mask: (4 << class) - 1, class })
    }

    /// Gives a ring back.
    pub(super) fn free(&mut self, ring: Ring) {
        self.chain(ring.at & !ring.mask, ring.class);
    }

    /// How many places there are, used or not.
    #[cfg(test)]
    pub(super) fn places(&self) -> usize {
        self.births.len()
    }

    /// Puts a block before the free ones of its class.
    fn chain(&mut self, block: u32, class: u32) {
        let next = core::mem::replace(&mut self.free[class as usize], block);
        self.births[block as usize] = next as u16;
        self.births[block as usize + 1] = (next >> 16) as u16;
    }

    /// A block for a ring of a class.
    fn block(&mut self, class: u32) -> Option<u32> {
        if *self.free.get(class as usize)? == NIL {
            let begin = self.births.len();
            if begin + SLAB > MOST {
                return None;
            }
            if self.births.capacity() == begin {
                self.births.reserve_exact((begin / 2).next_multiple_of(SLAB).max(SLAB));
            }
            self.births.resize(begin + SLAB, 0);
            for block in (begin..begin + SLAB).step_by(4 << class).rev() {
                self.chain(block as u32, class);
            }
        }
        let block = self.free[class as usize];
        let [low, high] = [0, 1].map(|place| u32::from(self.births[block as usize + place]));
        self.free[class as usize] = high << 16 | low;
        // Where the one after it is, whoever comes next wants to know.
        self.fetch(self.free[class as usize] as usize);
        Some(block)
    }
}
