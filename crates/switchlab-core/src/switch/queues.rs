//! Many FIFO queues of cells in one arena.
//!
//! A queue is a linked list whose links lie in one vector, shared by all queues. Memory grows with
//! the number of queued cells and not with the number of queues times their longest.
//!
//! Free links are in two free lists, used in turn. The link freed last is used first, while it is
//! still in cache. In a single free list each link is known only when the previous one has been
//! loaded, which took a quarter of the time of a slot of 64 ports; with two lists, two loads are in
//! flight.
//!
//! ```text
//!   links:  [ queue 0 | queue 1 | ... | cell | cell | free | cell | ... ]
//!             next: head-of-line cell   next: the next cell of its queue
//!             born: last link           born: arrival slot
//! ```
//!
//! The queues themselves are the first links: an empty queue's last link is the queue itself, so
//! appending is always "the last link's next is the new one", without a branch for the empty queue.
//! A heap-allocated `VecDeque` per queue was rejected: N^2 of them do not fit the cache. So was a
//! separate head/tail record: its branch on an empty queue cannot be predicted in a lightly loaded
//! VOQ.

use crate::cell::{MAX_PORTS, Port, Slot};
use crate::port_set::{PortSet, word};
use crate::prefetch::prefetch_l2;
use alloc::vec::Vec;

#[derive(Clone, Copy, Debug)]
struct Link {
    next: u32,
    born: u32,
}

/// The least number of links that are added at a time.
const LEAST_GROWTH: usize = 1024;

/// No link.
const NIL: u32 = u32::MAX;

/// FIFO queues as linked lists in one arena; see the module.
#[derive(Clone, Debug)]
pub(crate) struct Queues {
    links: Vec<Link>,
    heads: usize,
    free: Free,
    length: usize,
}

/// The heads of the two free lists. The next link to be used is the head of the first list, which
/// has as many links as the second or one more.
#[derive(Clone, Copy, Debug)]
struct Free {
    first: u32,
    second: u32,
}

impl Free {
    const NONE: Self = Self { first: NIL, second: NIL };

    /// Removes the next free link. `behind` returns the link after it in its free list.
    #[inline(always)]
    fn take(&mut self, behind: impl FnOnce(u32) -> u32) -> u32 {
        let link = self.first;
        *self = Self { first: self.second, second: behind(link) };
        link
    }

    /// Frees a link. Returns the link after it in its free list.
    #[inline(always)]
    fn release(&mut self, link: u32) -> u32 {
        let behind = self.second;
        *self = Self { first: link, second: self.first };
        behind
    }
}

/// The queues during one slot: the links as a slice and the rest in registers. A vector behind
/// `&mut self` would have to be reloaded after every store. Writes the rest back when dropped.
pub(crate) struct Open<'a> {
    links: &'a mut [Link],
    free: Free,
    length: usize,
    home: (&'a mut Free, &'a mut usize),
}

/// Lengthens a list that a switch keeps with one entry for each link to [`Open::extent`] entries.
/// Reserves exactly that, since links already grow by half: a list that doubles by itself would
/// take more than [`Queues::BYTES_PER_CELL`] allows for.
#[inline]
pub(crate) fn keep_beside<T: Clone>(list: &mut Vec<T>, extent: usize, value: T) {
    if list.len() < extent {
        list.reserve_exact(extent - list.len());
        list.resize(extent, value);
    }
}

impl Queues {
    /// The bytes reserved for each queued cell: its link, half a link for growth, and the old copy
    /// while growing.
    pub(crate) const BYTES_PER_CELL: usize = 20;

    /// The bytes of `queues` queues before any cell: their heads, and the links of the first
    /// growth, each with `beside` more bytes that the switch keeps for a link. All of it twice,
    /// since growing copies.
    pub(crate) fn fixed_bytes(queues: usize, beside: usize) -> u64 {
        let links = queues + LEAST_GROWTH.max(queues.min(MAX_PORTS));
        (2 * links * (size_of::<Link>() + beside)) as u64
    }

    /// `queues` empty queues.
    pub(crate) fn new(queues: usize) -> Self {
        let links = (0..queues as u32).map(|queue| Link { next: NIL, born: queue }).collect();
        Self { links, heads: queues, free: Free::NONE, length: 0 }
    }

    /// Opens the queues for a slot in which at most `arrivals` cells are appended.
    #[inline(always)]
    pub(crate) fn open(&mut self, arrivals: usize) -> Open<'_> {
        if self.links.len() - self.heads - self.length < arrivals {
            self.grow(arrivals);
        }
        let Self { links, free, length, .. } = self;
        Open { links, free: *free, length: *length, home: (free, length) }
    }

    /// The number of queued cells.
    pub(crate) fn length(&self) -> u64 {
        self.length as u64
    }

    /// Whether a queue is empty.
    #[inline]
    pub(crate) fn is_empty(&self, queue: usize) -> bool {
        self.links[queue].born == queue as u32
    }

    /// The index of the head-of-line cell of a non-empty queue.
    #[inline]
    pub(crate) fn first(&self, queue: usize) -> usize {
        self.links[queue].next as usize
    }

    /// The index of the cell after one that is not the last of its queue.
    #[inline]
    pub(crate) fn behind(&self, index: usize) -> usize {
        self.links[index].next as usize
    }

    /// The arrival slot of the cell at an index; if it has left, that of the last cell there.
    #[inline]
    pub(crate) fn born(&self, index: usize) -> Slot {
        self.links[index].born
    }

    /// The length of each queue, counted by walking along it: for inspection, not for the slot
    /// loop.
    pub(crate) fn lengths(&self) -> Vec<u32> {
        let length = |queue| {
            let mut length = 0;
            self.births(queue, |_| length += 1);
            length
        };
        (0..self.heads).map(length).collect()
    }

    /// Calls `each` with the arrival slots of a queue, first to last.
    pub(crate) fn births(&self, queue: usize, mut each: impl FnMut(Slot)) {
        let (mut link, last) = (queue as u32, self.links[queue].born);
        // The last link's next may be stale: the walk ends at the last link and does not read it.
        while link != last {
            link = self.links[link as usize].next;
            each(self.links[link as usize].born);
        }
    }

    /// Adds free links, half as many as there are cells, in front of those that are still free. An
    /// even number, so that both free lists grow by the same number.
    #[cold]
    fn grow(&mut self, least: usize) {
        let more = (self.length / 2).max(least).max(LEAST_GROWTH).next_multiple_of(2);
        let first = self.links.len() as u32;
        // Copied to a new vector: reallocation in place of a large one loses its huge pages.
        let mut links = Vec::with_capacity(self.links.len() + more);
        links.extend_from_slice(&self.links);
        self.links = links;
        self.links.extend((0..more as u32).map(|index| Link { next: first + index + 2, born: 0 }));
        let end = self.links.len();
        self.links[end - 2].next = self.free.first;
        self.links[end - 1].next = self.free.second;
        self.free = Free { first, second: first + 1 };
    }
}

impl Open<'_> {
    /// Whether a queue is empty.
    #[inline]
    pub(crate) fn is_empty(&self, queue: usize) -> bool {
        self.links[queue].born == queue as u32
    }

    /// Prefetches a queue to the second-level cache.
    #[inline(always)]
    pub(crate) fn prefetch(&self, queue: usize) {
        prefetch_l2(&self.links[queue]);
    }

    /// Enqueues a cell. Returns its index.
    #[inline(always)]
    pub(crate) fn push(&mut self, queue: usize, born: Slot) -> usize {
        self.length += 1;
        self.push_uncounted(queue, born)
    }

    /// Enqueues a cell without counting it; see [`Self::count`].
    #[inline(always)]
    pub(crate) fn push_uncounted(&mut self, queue: usize, born: Slot) -> usize {
        let links = &mut *self.links;
        let link = self.free.take(|link| {
            let entry = &mut links[link as usize];
            entry.born = born;
            entry.next
        });
        let last = core::mem::replace(&mut self.links[queue].born, link);
        self.links[last as usize].next = link;
        link as usize
    }

    /// Dequeues the head-of-line cell of a non-empty queue. Returns its index, its arrival slot and
    /// whether the queue is now empty.
    #[inline(always)]
    pub(crate) fn pop(&mut self, queue: usize) -> (usize, Slot, bool) {
        self.length -= 1;
        self.pop_uncounted(queue)
    }

    /// Dequeues without counting it; see [`Self::count`].
    #[inline(always)]
    pub(crate) fn pop_uncounted(&mut self, queue: usize) -> (usize, Slot, bool) {
        let Link { next: first, born: last } = self.links[queue];
        let entry = &mut self.links[first as usize];
        let (next, born) = (core::mem::replace(&mut entry.next, self.free.release(first)), entry.born);
        let empty = first == last;
        self.links[queue] = Link { next, born: if empty { queue as u32 } else { last } };
        (first as usize, born, empty)
    }

    /// Counts the cells that were enqueued and dequeued uncounted, once for a slot whose totals are
    /// known anyway.
    #[inline(always)]
    pub(crate) fn count(&mut self, appended: usize, removed: usize) {
        self.length = self.length + appended - removed;
    }

    /// The inputs whose queue for `outputs[input]` is non-empty, where the queue of an input and an
    /// output is `input * outputs.len() + output`.
    #[inline(always)]
    pub(crate) fn waiting<const W: usize>(&self, outputs: &[Port]) -> PortSet<W> {
        let mut row = PortSet::EMPTY;
        // In 32 bits, as the links are, so that a queue's number is computed once.
        let (mut begin, step) = (0, outputs.len() as u32);
        for (word, chunk) in row.words.iter_mut().zip(outputs.chunks(64)) {
            let mut members = [0; 64];
            for (member, &output) in members.iter_mut().zip(chunk) {
                let queue: u32 = begin + u32::from(output);
                *member = u8::from(self.links[queue as usize].born != queue);
                begin += step;
            }
            *word = word::from_bytes(&members);
        }
        row
    }

    /// Removes the cell of a queue with a given arrival slot, wherever it is in the queue. Returns
    /// its index and the number of cells before it. The arrival slots of a queue ascend.
    #[inline]
    pub(crate) fn remove(&mut self, queue: usize, born: Slot) -> Option<(usize, usize)> {
        let last = self.links[queue].born;
        let (mut before, mut older) = (queue as u32, 0);
        while before != last {
            let link = self.links[before as usize].next;
            let Link { next, born: own } = self.links[link as usize];
            if own > born {
                return None;
            }
            if own == born {
                self.links[before as usize].next = next;
                if link == last {
                    self.links[queue].born = before;
                }
                self.links[link as usize].next = self.free.release(link);
                self.length -= 1;
                return Some((link as usize, older));
            }
            before = link;
            older += 1;
        }
        None
    }

    /// The number of links, used and free: all indices of cells are below it.
    #[inline]
    pub(crate) fn extent(&self) -> usize {
        self.links.len()
    }
}

impl Drop for Open<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        *self.home.0 = self.free;
        *self.home.1 = self.length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::VecDeque;
    use alloc::vec;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn behaves_as_a_deque_for_each_queue(operations in prop::collection::vec((0usize..5, any::<bool>()), 0..4000)) {
            let mut queues = Queues::new(5);
            let mut deques = vec![VecDeque::new(); 5];
            for (born, (queue, push)) in (0u32..).zip(operations) {
                let mut open = queues.open(1);
                let counted = born % 2 == 0;
                if push {
                    if counted {
                        open.push(queue, born);
                    } else {
                        open.push_uncounted(queue, born);
                        open.count(1, 0);
                    }
                    deques[queue].push_back(born);
                } else if let Some(expected) = deques[queue].pop_front() {
                    let (_, born, empty) = if counted { open.pop(queue) } else { open.pop_uncounted(queue) };
                    open.count(0, usize::from(!counted));
                    prop_assert_eq!((born, empty), (expected, deques[queue].is_empty()));
                }
                prop_assert_eq!(open.is_empty(queue), deques[queue].is_empty());
                // Four of the queues as the VOQs of two inputs and two outputs, with some matching.
                let outputs = [born % 2, born / 2 % 2].map(|output| output as Port);
                let filled = |&input: &usize| !deques[2 * input + outputs[input] as usize].is_empty();
                let waiting: Vec<usize> = open.waiting::<1>(&outputs).iter().collect();
                prop_assert_eq!(waiting, (0..2).filter(filled).collect::<Vec<_>>());
                drop(open);
                prop_assert_eq!(queues.length() as usize, deques.iter().map(VecDeque::len).sum::<usize>());
                for place in (1..8).step_by(3) {
                    // Sometimes remove from the middle, or a cell that is not there.
                    if born % (place + 2) == 0 {
                        let found = deques[queue].iter().position(|&other| other == born - place.min(born));
                        let removed = queues.open(0).remove(queue, born - place.min(born));
                        prop_assert_eq!(removed.map(|(_, older)| older), found);
                        found.and_then(|at| deques[queue].remove(at));
                    }
                }
                let lengths: Vec<u32> = deques.iter().map(|deque| deque.len() as u32).collect();
                prop_assert_eq!(queues.lengths(), lengths);
            }
        }
    }
}
