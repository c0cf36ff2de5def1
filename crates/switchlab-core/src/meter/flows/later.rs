//! What the ports of a large switch have seen and nobody has counted yet.
//!
//! The flows of a port fill kilobytes, those of all ports megabytes: to count a slot's cells one by one is a cache miss for each, and to
//! count a block of slots port by port still fetches every flow in every block. So each port keeps a list of what it has seen, and its flows
//! are fetched once for hundreds of cells.

use crate::fetch::fetch;
use alloc::vec;
use alloc::vec::Vec;

/// A port counts when its list could overflow in the next piece of a block, of so many slots.
pub(super) const PIECE: usize = 64;

/// So many cells fit a port's list.
const ROOM: usize = 512;

/// From one list to the next. Not a power of two: neighbours fill at the same pace, and would do so in the same few sets of the cache.
const STRIDE: usize = ROOM + 64;

/// A list for each port; `P` ports are looked at side by side.
#[derive(Clone, Debug)]
pub(super) struct Later<T, const P: usize> {
    lists: Vec<[[T; STRIDE]; P]>,
    /// The length of each list.
    lengths: Vec<[u32; P]>,
}

impl<T: Copy + Default, const P: usize> Later<T, P> {
    pub(super) fn new(ports: usize) -> Self {
        let groups = ports.div_ceil(P);
        Self { lists: vec![[[T::default(); STRIDE]; P]; groups], lengths: vec![[0; P]; groups] }
    }

    /// Puts rows of entries behind the lists of a group of ports, of each row those that are `wanted`; at most [`PIECE`] rows. Whether one is wanted is as good as
    /// random: it is written in any case, and the next one over it.
    #[inline(always)]
    pub(super) fn add<'a, U: Copy + 'a>(
        &mut self,
        group: usize,
        rows: impl Iterator<Item = &'a [U]>,
        mut entry: impl FnMut(usize, U) -> (T, bool),
    ) {
        let (lists, lengths) = (&mut self.lists[group], &mut self.lengths[group]);
        // Lists are not in a near cache, and what is written has to wait for its line: many are asked for at once.
        for (list, &length) in lists.iter().zip(&*lengths) {
            for line in (0..PIECE).step_by(64 / size_of::<T>()) {
                fetch(&list[length as usize + line]);
            }
        }
        for (row, values) in rows.enumerate() {
            for (port, &value) in values[..P.min(values.len())].iter().enumerate() {
                let (value, wanted) = entry(row, value);
                let length = &mut lengths[port];
                lists[port][*length as usize] = value;
                *length += u32::from(wanted);
            }
        }
    }

    /// Whether a list could overflow in the next piece.
    #[inline(always)]
    pub(super) fn is_full(&self, port: usize) -> bool {
        self.lengths[port / P][port % P] as usize > ROOM - PIECE
    }

    /// Empties the list of a port, and says what was in it, the oldest first.
    #[inline(always)]
    pub(super) fn take(&mut self, port: usize) -> &[T] {
        let length = core::mem::take(&mut self.lengths[port / P][port % P]) as usize;
        &self.lists[port / P][port % P][..length]
    }
}
