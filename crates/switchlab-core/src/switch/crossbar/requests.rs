//! What a crossbar maintains for its scheduler: requests as rows and columns of bits, VOQ lengths
//! and tags. Each exists only if the scheduler needs it.

use super::voq::{Dequeued, Voq};
use crate::cell::{Port, Slot};
use crate::port_set::PortSet;
use crate::prefetch::prefetch_l2;
use crate::scale;
use crate::schedule::Needs;
use crate::switch::allocated;
use alloc::vec;
use alloc::vec::Vec;

/// What is maintained: a constant of each crossbar.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "independent, and read one by one at compile time")]
pub(super) struct Kept {
    rows: bool,
    columns: bool,
    lengths: bool,
    tags: bool,
    ages: bool,
}

impl Kept {
    /// For a scheduler with these needs, over a store that keeps lengths and tags or does not.
    pub(super) const fn new(needs: Needs, store_keeps_lengths: bool) -> Self {
        let tags = needs.tags && !store_keeps_lengths;
        let reported = needs.lookups || needs.enqueues && !tags;
        Self {
            rows: needs.rows,
            columns: needs.columns,
            lengths: needs.lengths || reported && !store_keeps_lengths,
            tags,
            ages: needs.ages,
        }
    }
}

/// The length of a VOQ and its tag, side by side: they are used together.
#[derive(Clone, Copy, Debug, Default)]
struct Tagged {
    length: u32,
    tag: u32,
}

/// The requests. Lists are empty where nothing is maintained.
#[derive(Clone, Debug)]
pub(super) struct Requests<const W: usize> {
    pub(super) rows: Vec<PortSet<W>>,
    pub(super) columns: Vec<PortSet<W>>,
    pub(super) lengths: Vec<u32>,
    tagged: Vec<Tagged>,
    /// The arrival slots of head-of-line cells.
    pub(super) head_arrivals: Vec<Slot>,
}

/// The requests during a loop over cells: slices, since a vector behind `&mut` would be loaded
/// again after every store.
pub(super) struct Open<'a, const W: usize> {
    rows: &'a mut [PortSet<W>],
    columns: &'a mut [PortSet<W>],
    lengths: &'a mut [u32],
    tagged: &'a mut [Tagged],
}

impl<const W: usize> Requests<W> {
    pub(super) fn new(ports: usize, kept: Kept) -> Self {
        let (voqs, if_kept) = (ports * ports, |kept: bool, size: usize| if kept { size } else { 0 });
        Self {
            rows: vec![PortSet::EMPTY; if_kept(kept.rows, ports)],
            columns: vec![PortSet::EMPTY; if_kept(kept.columns, ports)],
            lengths: vec![0; if_kept(kept.lengths, voqs)],
            tagged: vec![Tagged::default(); if_kept(kept.tags, voqs)],
            head_arrivals: vec![0; if_kept(kept.ages, voqs)],
        }
    }

    #[inline(always)]
    pub(super) fn open(&mut self) -> Open<'_, W> {
        let Self { rows, columns, lengths, tagged, .. } = self;
        Open { rows, columns, lengths, tagged }
    }

    /// The memory of its lists.
    pub(super) fn fixed_bytes(&self) -> u64 {
        let sets = allocated(&self.rows) + allocated(&self.columns);
        sets + allocated(&self.lengths) + allocated(&self.tagged) + allocated(&self.head_arrivals)
    }

    /// The tags, by VOQ.
    pub(super) fn tags(&self) -> Vec<u32> {
        self.tagged.iter().map(|voq| voq.tag).collect()
    }
}

impl<const W: usize> Open<'_, W> {
    /// A cell has been enqueued. `length` is what the store says; the result is the length if it is
    /// known to the store or kept here.
    #[inline(always)]
    pub(super) fn enqueue(&mut self, kept: Kept, voq: Voq, mut length: u32) -> u32 {
        // The bit is set unconditionally: the store is cheaper than a test.
        if kept.rows {
            self.rows[voq.input].insert(voq.output);
        }
        if kept.columns {
            self.columns[voq.output].insert(voq.input);
        }
        if kept.tags {
            let tagged = &mut self.tagged[voq.index];
            tagged.length += 1;
            length = tagged.length;
        }
        if kept.lengths {
            let kept = &mut self.lengths[voq.index];
            *kept += 1;
            length = *kept;
        }
        length
    }

    /// A VOQ has been served, or is matched and empty. Calls `on_dequeue` with the length and the
    /// tag of the VOQ before that; the result is its next tag.
    #[inline(always)]
    pub(super) fn dequeue(
        &mut self,
        kept: Kept,
        dequeued: Dequeued,
        served: bool,
        on_dequeue: impl FnOnce(u32, u32) -> u32,
    ) -> u32 {
        let Dequeued { voq, length, tag, emptied } = dequeued;
        if kept.lengths {
            self.lengths[voq.index] -= u32::from(served);
        }
        let next = if kept.tags {
            let tagged = &mut self.tagged[voq.index];
            tagged.tag = on_dequeue(tagged.length, tagged.tag);
            tagged.length -= u32::from(served);
            0
        } else {
            on_dequeue(length, tag)
        };
        if kept.rows {
            self.rows[voq.input].remove_if(voq.output, emptied);
        }
        if kept.columns {
            self.columns[voq.output].remove_if(voq.input, emptied);
        }
        next
    }

    /// Prefetches the request bit of an input in the column of an output, where columns do not fit
    /// the second-level cache. When a VOQ is served, its column has just been read by the
    /// scheduler.
    #[inline(always)]
    pub(super) fn prefetch_column(&self, kept: Kept, (input, output): (Port, Port)) {
        if kept.columns
            && scale::is_huge(W)
            && let Some(column) = self.columns.get(usize::from(output))
        {
            prefetch_l2(&column.words[usize::from(input) / scale::WORD % W]);
        }
    }
}
