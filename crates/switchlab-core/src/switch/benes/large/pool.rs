//! The records of the groups of a stage that have a cell.

use crate::switch::benes::record::Record;
use alloc::vec::Vec;

/// Records, and which of them are free: last freed, first used.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Pool<const P: usize> {
    pub(in super::super) records: Vec<Record<P>>,
    /// Free places: the first so many.
    free: Vec<u32>,
    left: usize,
}

/// A pool during a step: slices, and the number of free places in a register. Closed when dropped.
pub(super) struct Places<'a, const P: usize> {
    pub(super) records: &'a mut [Record<P>],
    pub(super) free: &'a mut [u32],
    pub(super) left: usize,
    home: &'a mut usize,
}

impl<const P: usize> Pool<P> {
    /// Places are added so many at a time.
    const MORE: usize = 1024;

    /// There is room for so many: three huge pages and a part of one, with elements of 4 x 4.
    const ROOM: usize = 7 << 14;

    /// Makes sure that there are so many free places: then none is missing during a step.
    #[inline(always)]
    pub(super) fn provide(&mut self, places: usize) {
        if self.left < places {
            self.grow(places);
        }
    }

    #[cold]
    fn grow(&mut self, places: usize) {
        let first = self.records.len();
        let last = first + Self::MORE.max(first / 2).max(places);
        if self.records.capacity() < last {
            // A new vector and not a longer one, and room for many: then pages are huge if the allocator asks for such, which it has to before they are touched.
            let mut records = Vec::with_capacity(last.max(Self::ROOM));
            records.extend_from_slice(&self.records);
            self.records = records;
        }
        self.records.resize(last, Record::EMPTY);
        // Behind those that have been in use, which are still in cache.
        self.free.truncate(self.left);
        self.free.splice(..0, (first as u32..last as u32).rev());
        self.left = self.free.len();
        self.free.resize(last, 0);
    }

    /// The free place that is taken after so many others, or any.
    #[inline(always)]
    pub(super) fn soon(&self, others: usize) -> u32 {
        self.free.get(self.left.wrapping_sub(1 + others)).copied().unwrap_or(0)
    }

    /// The records, for a step.
    #[inline(always)]
    pub(super) fn open(&mut self) -> Places<'_, P> {
        let Self { records, free, left } = self;
        Places { records, free, left: *left, home: left }
    }
}

impl<const P: usize> Drop for Places<'_, P> {
    #[inline(always)]
    fn drop(&mut self) {
        *self.home = self.left;
    }
}
