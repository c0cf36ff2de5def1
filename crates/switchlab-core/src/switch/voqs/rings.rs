//! Rings of births: aligned blocks of 4, 8, ... 4096 of them, four to a word.

use super::{RING, TAG};
use alloc::vec;
use alloc::vec::Vec;

/// Classes of rings: class c has 4 * 2^c births.
const CLASSES: usize = 11;
/// The most births in a ring.
pub(super) const LARGEST: usize = 4 << (CLASSES - 1);
/// Words are added so many at a time, all for one class; the largest ring.
const SLAB: usize = LARGEST / 4;
/// More words than this cannot be told apart by 32 bits for a birth.
const MOST_WORDS: usize = 1 << 30;
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
    /// The bits of a record, from the eighth on, that are the length.
    pub(super) const LENGTHS: u32 = 0xff_ffff;

    #[inline(always)]
    pub(super) fn from_record(record: u64) -> Self {
        let class = (record >> 3) as u32 & 31;
        let length = (record >> 8) as u32 & Self::LENGTHS;
        Self { at: (record >> 32) as u32, length, mask: (4 << class) - 1, class }
    }

    #[inline(always)]
    pub(super) fn record(self) -> u64 {
        u64::from(self.at) << 32 | u64::from(self.length) << 8 | u64::from(self.class) << 3 | RING & TAG
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
    words: Vec<u64>,
    /// For each class, the first free block; its first word says which is the next.
    free: [u32; CLASSES],
}

impl Rings {
    pub(super) fn new() -> Self {
        // One slab that nobody gets, so that a stray look at place 0 finds something.
        Self { words: vec![0; SLAB], free: [NIL; CLASSES] }
    }

    /// Appends to a ring that is not full.
    #[inline(always)]
    pub(super) fn append(&mut self, ring: &mut Ring, birth: u16) {
        let place = ring.place(ring.length);
        let word = &mut self.words[place as usize / 4];
        let shift = 16 * (place % 4);
        *word = *word & !(0xffff << shift) | u64::from(birth) << shift;
        ring.length += 1;
    }

    /// Removes the first birth of a ring that is not empty.
    #[inline(always)]
    pub(super) fn remove(&mut self, ring: &mut Ring) -> u16 {
        let birth = self.first(*ring);
        ring.at = ring.place(1);
        ring.length -= 1;
        birth
    }

    #[inline(always)]
    pub(super) fn first(&self, ring: Ring) -> u16 {
        (self.words[ring.at as usize / 4] >> (16 * (ring.at % 4))) as u16
    }

    /// All births.
    pub(super) fn births(&self, ring: Ring) -> Vec<u16> {
        let at = |before| self.first(Ring { at: ring.place(before), ..ring });
        (0..ring.length).map(at).collect()
    }

    /// A ring with these births that has room for so many; None if there is no such ring.
    pub(super) fn make(&mut self, births: &[u16], room: usize) -> Option<Ring> {
        let class = (room.max(4).next_power_of_two() / 4).trailing_zeros();
        let block = self.block(class)?;
        let mut ring = Ring { at: 4 * block, length: 0, mask: (4 << class) - 1, class };
        for &birth in births {
            self.append(&mut ring, birth);
        }
        Some(ring)
    }

    /// Gives a ring back.
    pub(super) fn free(&mut self, ring: Ring) {
        let block = (ring.at & !ring.mask) / 4;
        let first = &mut self.free[ring.class as usize];
        self.words[block as usize] = u64::from(core::mem::replace(first, block));
    }

    /// How many words there are, used or not.
    #[cfg(test)]
    pub(super) fn words(&self) -> usize {
        self.words.len()
    }

    /// A block for a ring of a class.
    fn block(&mut self, class: u32) -> Option<u32> {
        if *self.free.get(class as usize)? == NIL {
            let begin = self.words.len();
            if begin + SLAB > MOST_WORDS {
                return None;
            }
            if self.words.capacity() == begin {
                self.words.reserve_exact((begin / 2).next_multiple_of(SLAB).max(SLAB));
            }
            self.words.resize(begin + SLAB, 0);
            for block in (begin..begin + SLAB).step_by(1 << class).rev() {
                self.words[block] = u64::from(core::mem::replace(&mut self.free[class as usize], block as u32));
            }
        }
        let block = self.free[class as usize];
        self.free[class as usize] = self.words[block as usize] as u32;
        Some(block)
    }
}
