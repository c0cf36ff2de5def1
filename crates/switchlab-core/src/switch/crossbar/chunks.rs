//! Many long FIFO queues of cells: lines of cache with fifteen births each.
//!
//! Where much is queued, a cell is out of the cache when its turn comes, and so are its neighbours in a linked list, which are cells of other queues. Here the neighbours
//! are the next cells of the same queue: one miss in fifteen, and that one is fetched when the line before it is done with, long before anybody waits for it. Where little is
//! queued this is slower than lists, for the end of a line is a branch that nobody can predict, and every queue has a line.
//!
//! ```text
//!   queue:  first ─────────┐                      next ──┐ the place of the next cell to come
//!   lines:  [ .. | .. | born | born | .. | link ]  ──►  [ .. | .. | link ]
//! ```
//!
//! A queue has a line even when it is empty, and the next one from when the last is full, so that neither a new nor an old queue is a case of its own.

use crate::cell::Slot;
use crate::fetch::fetch;
use alloc::vec::Vec;

/// So many words are in a line. The last is the link to the next line.
const WORDS: u32 = 16;
const LINK: u32 = WORDS - 1;

#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Line([u32; WORDS as usize]);

/// No line.
const NIL: u32 = u32::MAX;

/// Where the first cell of a queue is and where the next goes: numbers of words.
#[derive(Clone, Copy, Debug)]
struct Ends {
    first: u32,
    next: u32,
}

/// The queues. See the module.
#[derive(Clone, Debug)]
pub(super) struct Chunks {
    lines: Vec<Line>,
    ends: Vec<Ends>,
    /// The list of free lines, and their number.
    free: u32,
    unused: usize,
    length: usize,
}

/// The queues during one slot, with what changes in registers. Closed when dropped.
pub(super) struct Open<'a> {
    lines: &'a mut [Line],
    ends: &'a mut [Ends],
    free: u32,
    unused: usize,
    length: usize,
    home: (&'a mut u32, &'a mut usize, &'a mut usize),
}

impl Chunks {
    /// No queues, and no memory.
    pub(super) const fn none() -> Self {
        Self { lines: Vec::new(), ends: Vec::new(), free: NIL, unused: 0, length: 0 }
    }

    /// That many empty queues, with room for so many cells.
    pub(super) fn new(queues: usize, cells: usize) -> Self {
        // Half a line is lost at either end of a queue, on average.
        let mut lines = Vec::with_capacity(2 * queues + cells / LINK as usize);
        lines.extend((0..queues).map(|_| Line([0; WORDS as usize])));
        let ends = (0..queues as u32).map(|line| Ends { first: line * WORDS, next: line * WORDS }).collect();
        Self { lines, ends, free: NIL, unused: 0, length: 0 }
    }

    /// The number of queued cells.
    pub(super) const fn length(&self) -> usize {
        self.length
    }

    /// The length of each queue, counted by walking along it: for people who look, not for slots.
    pub(super) fn lengths(&self) -> Vec<u32> {
        let length = |ends: &Ends| {
            let (mut line, mut lines) = (ends.first / WORDS, 0);
            while line != ends.next / WORDS {
                line = self.lines[line as usize].0[LINK as usize];
                lines += 1;
            }
            lines * LINK + ends.next % WORDS - ends.first % WORDS
        };
        self.ends.iter().map(length).collect()
    }

    /// Opens the queues for a slot in which at most `arrivals` cells are appended.
    #[inline(always)]
    pub(super) fn open(&mut self, arrivals: usize) -> Open<'_> {
        if self.unused < arrivals {
            self.grow(arrivals);
        }
        let Self { lines, ends, free, unused, length } = self;
        Open { lines, ends, free: *free, unused: *unused, length: *length, home: (free, unused, length) }
    }

    /// Adds free lines, half as many as there are already, in front of those that are still free.
    #[cold]
    fn grow(&mut self, least: usize) {
        let spare = self.lines.capacity() - self.lines.len();
        let more = if spare < least { (self.lines.len() / 2).max(least) } else { spare };
        self.lines.reserve_exact(more);
        for _ in 0..more {
            let mut line = Line([0; WORDS as usize]);
            line.0[LINK as usize] = self.free;
            self.free = self.lines.len() as u32;
            self.lines.push(line);
        }
        self.unused += more;
    }
}

impl Open<'_> {
    /// Counts the cells that were appended and removed uncounted, all at once.
    #[inline(always)]
    pub(super) fn count(&mut self, appended: usize, removed: usize) {
        self.length = self.length + appended - removed;
    }

    /// Whether a queue is empty.
    #[inline(always)]
    pub(super) fn is_empty(&self, queue: usize) -> bool {
        let Ends { first, next } = self.ends[queue];
        first == next
    }

    /// When the first cell of a queue that is not empty was born.
    #[inline(always)]
    pub(super) fn first_born(&self, queue: usize) -> Slot {
        let first = self.ends[queue].first;
        self.lines[(first / WORDS) as usize].0[(first % WORDS) as usize]
    }

    /// Appends a cell.
    pub(super) fn push(&mut self, queue: usize, born: Slot) {
        self.push_uncounted(queue, born);
        self.length += 1;
    }

    /// The same without counting it: see [`Self::count`].
    #[inline(always)]
    pub(super) fn push_uncounted(&mut self, queue: usize, born: Slot) {
        let place = self.ends[queue].next;
        let line = &mut self.lines[(place / WORDS) as usize].0;
        line[(place % WORDS) as usize] = born;
        let mut next = place + 1;
        if next % WORDS == LINK {
            let fresh = self.free;
            line[LINK as usize] = fresh;
            self.free = self.lines[fresh as usize].0[LINK as usize];
            self.unused -= 1;
            next = fresh * WORDS;
            if let Some(line) = self.lines.get(self.free as usize) {
                fetch(line);
            }
        }
        self.ends[queue].next = next;
    }

    /// Removes the first cell of a queue that is not empty; says when it was born and whether the queue is now empty.
    pub(super) fn pop(&mut self, queue: usize) -> (Slot, bool) {
        self.length -= 1;
        self.pop_uncounted(queue)
    }

    /// The same without counting it.
    #[inline(always)]
    pub(super) fn pop_uncounted(&mut self, queue: usize) -> (Slot, bool) {
        let Ends { first: place, next } = self.ends[queue];
        let line = &mut self.lines[(place / WORDS) as usize].0;
        let born = line[(place % WORDS) as usize];
        let mut first = place + 1;
        if first % WORDS == LINK {
            let link = core::mem::replace(&mut line[LINK as usize], self.free);
            self.free = place / WORDS;
            self.unused += 1;
            first = link * WORDS;
            fetch(&self.lines[link as usize]);
        }
        self.ends[queue].first = first;
        (born, first == next)
    }
}

impl Drop for Open<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        *self.home.0 = self.free;
        *self.home.1 = self.unused;
        *self.home.2 = self.length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::VecDeque;
    use alloc::vec;
    use proptest::prelude::*;

    proptest! {
        /// Waves of many arrivals and of many departures, so that lines fill, empty and are used again.
        #[test]
        fn behave_as_so_many_deques(operations in prop::collection::vec((0usize..5, 0u8..8), 0..4000), cells in 0usize..100) {
            let mut chunks = Chunks::new(5, cells);
            let mut deques = vec![VecDeque::new(); 5];
            for (born, (queue, push)) in (0u32..).zip(operations) {
                let mut open = chunks.open(1);
                if push < if born / 500 % 2 == 0 { 6 } else { 2 } {
                    open.push(queue, born);
                    deques[queue].push_back(born);
                } else if let Some(expected) = deques[queue].pop_front() {
                    prop_assert_eq!(open.pop(queue), (expected, deques[queue].is_empty()));
                }
                prop_assert_eq!(open.is_empty(queue), deques[queue].is_empty());
                if let Some(first) = deques[queue].front() {
                    prop_assert_eq!(open.first_born(queue), *first);
                }
                drop(open);
                prop_assert_eq!(chunks.length(), deques.iter().map(VecDeque::len).sum::<usize>());
                let lengths: Vec<u32> = deques.iter().map(|deque| deque.len() as u32).collect();
                prop_assert_eq!(chunks.lengths(), lengths);
                // Every line is free or has a place in a queue.
                let used: u32 = chunks.ends.iter().zip(chunks.lengths()).map(|(ends, length)| (ends.first % WORDS + length) / LINK + 1).sum();
                prop_assert_eq!(used as usize + chunks.unused, chunks.lines.len());
            }
        }
    }
}
