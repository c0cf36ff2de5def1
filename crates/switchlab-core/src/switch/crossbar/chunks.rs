//! Many long FIFO queues of cells: lines of cache with fifteen births each.
//!
//! Where much is queued, a cell is out of the cache when its turn comes, and so are its neighbours in a linked list, which are cells of other queues. Here the neighbours
//! are the next cells of the same queue: one miss in fifteen, and that one is fetched when the line before it is done with, long before anybody waits for it. Where little is
//! queued this is slower than lists, for the end of a line is a branch that nobody can predict, and every queue has a line.
//!
//! ```text
//!   queue:  first ─────────────────┐                      next ──┐ the place of the next cell to come
//!   lines:  [ link | .. | .. | born | born ]  ──►  [ link | born | .. ]
//! ```
//!
//! A queue has a line even when it is empty, and the next one from when the last is full, so that neither a new nor an old queue is a case of its own.
//!
//! Lines are not a type but sixteen words of a long list, which begin where a line of cache does: a place is one number, compared with one length.

use crate::cell::Slot;
use crate::fetch::fetch;
use alloc::vec;
use alloc::vec::Vec;

/// So many words are in a line. The first is the link to the next line: the place of its first cell.
const WORDS: u32 = 16;

/// So many lines are added at a time, or as many as are wanted.
const SOME: usize = 128;

/// No line.
const NIL: u32 = u32::MAX;

/// Where the first cell of a queue is and where the next goes: numbers of words. An array and no structure: an allocator has many zeros of those at hand.
pub(super) type Ends = [u32; 2];
const FIRST: usize = 0;
const NEXT: usize = 1;

/// The queues. See the module.
#[derive(Clone, Debug)]
pub(super) struct Chunks {
    /// All lines, behind the few words that are skipped before the first.
    memory: Vec<u32>,
    skipped: usize,
    ends: Vec<Ends>,
    /// The list of free lines, each by the place of its first cell, and their number.
    free: u32,
    unused: usize,
    length: usize,
}

/// The queues during one slot, with what changes in registers, until they are closed. `E` are the ends of all queues, as many as the compiler knows of.
pub(super) struct Open<'a, E: ?Sized = [Ends]> {
    words: &'a mut [u32],
    ends: &'a mut E,
    free: u32,
    unused: usize,
    length: usize,
    home: (&'a mut u32, &'a mut usize, &'a mut usize),
}

/// The words before the first that begins a line of cache.
fn before_a_line(memory: &[u32]) -> usize {
    memory.as_ptr().align_offset(64).min(WORDS as usize - 1)
}

impl Chunks {
    /// No queues, and no memory.
    pub(super) const fn none() -> Self {
        Self { memory: Vec::new(), skipped: 0, ends: Vec::new(), free: NIL, unused: 0, length: 0 }
    }

    /// That many empty queues, of so many that have a number, with room for so many cells.
    pub(super) fn new(queues: usize, numbers: usize, cells: usize) -> Self {
        // Half a line is lost at either end of a queue, on average.
        let lines = 2 * queues + cells / (WORDS as usize - 1);
        let mut memory = Vec::with_capacity((lines + 1) * WORDS as usize);
        let skipped = before_a_line(&memory);
        memory.resize(skipped + queues * WORDS as usize, 0);
        let mut ends = vec![[0; 2]; numbers];
        for (line, ends) in (0..).zip(ends.iter_mut().take(queues)) {
            *ends = [line * WORDS + 1; 2];
        }
        Self { memory, skipped, ends, free: NIL, unused: 0, length: 0 }
    }

    /// The number of queued cells.
    pub(super) const fn length(&self) -> usize {
        self.length
    }

    /// The length of a queue, counted by walking along it: for people who look, not for slots.
    pub(super) fn length_of(&self, queue: usize) -> u32 {
        let (words, [first, next]) = (&self.memory[self.skipped..], self.ends[queue]);
        let (mut line, mut lines) = (first / WORDS, 0);
        while line != next / WORDS {
            line = words[(line * WORDS) as usize] / WORDS;
            lines += 1;
        }
        lines * (WORDS - 1) + next % WORDS - first % WORDS
    }

    /// Opens the queues for a slot in which at most `arrivals` cells are appended.
    #[inline(always)]
    pub(super) fn open(&mut self, arrivals: usize) -> Open<'_> {
        if self.unused < arrivals {
            self.grow(arrivals);
        }
        let Self { memory, skipped, ends, free, unused, length } = self;
        let words = &mut memory[*skipped..];
        Open { words, ends, free: *free, unused: *unused, length: *length, home: (free, unused, length) }
    }

    /// Adds some free lines, in front of those that are still free: so few that they are still near when they are used. There is room for half as many as there are already, but memory that nobody
    /// has touched costs nothing, and the first touch of a page much.
    #[cold]
    fn grow(&mut self, least: usize) {
        let (line, more) = (WORDS as usize, least.max(SOME));
        if self.memory.capacity() - self.memory.len() < more * line {
            // A new vector and not a longer one: a large one that is moved, with all that is in it, loses its huge pages.
            let mut memory = Vec::with_capacity(self.memory.len() * 3 / 2 + (more + 2) * line);
            let skipped = before_a_line(&memory);
            memory.resize(skipped, 0);
            memory.extend_from_slice(&self.memory[self.skipped..]);
            (self.memory, self.skipped) = (memory, skipped);
        }
        for _ in 0..more {
            let begin = self.memory.len() - self.skipped;
            self.memory.push(self.free);
            self.memory.resize(self.memory.len() + line - 1, 0);
            self.free = begin as u32 + 1;
        }
        self.unused += more;
    }
}

impl<'a> Open<'a> {
    /// The same queues, if they are so many at least.
    #[inline(always)]
    pub(super) fn of<const QUEUES: usize>(self) -> Option<Open<'a, [Ends; QUEUES]>> {
        let Self { words, ends, free, unused, length, home } = self;
        Some(Open { words, ends: ends.first_chunk_mut()?, free, unused, length, home })
    }
}

impl<E: AsRef<[Ends]> + AsMut<[Ends]> + ?Sized> Open<'_, E> {
    /// What was appended and removed uncounted, all at once; and the queues are closed.
    #[inline(always)]
    pub(super) fn close(self, appended: usize, removed: usize) {
        *self.home.0 = self.free;
        *self.home.1 = self.unused;
        *self.home.2 = self.length + appended - removed;
    }

    /// Whether a queue is empty.
    #[inline(always)]
    pub(super) fn is_empty(&self, queue: usize) -> bool {
        let [first, next] = self.ends.as_ref()[queue];
        first == next
    }

    /// When the first cell of a queue that is not empty was born.
    #[inline(always)]
    pub(super) fn first_born(&self, queue: usize) -> Slot {
        self.words[self.ends.as_ref()[queue][FIRST] as usize]
    }

    /// Appends a cell, uncounted.
    #[inline(always)]
    pub(super) fn push(&mut self, queue: usize, born: Slot) {
        let end = &mut self.ends.as_mut()[queue][NEXT];
        let place = *end;
        self.words[place as usize] = born;
        let mut next = place + 1;
        if next.is_multiple_of(WORDS) {
            next = self.free;
            self.words[(place - place % WORDS) as usize] = next;
            self.free = self.words[(next - next % WORDS) as usize];
            self.unused -= 1;
            if let Some(line) = self.words.get(self.free as usize) {
                fetch(line);
            }
        }
        *end = next;
    }

    /// Removes the first cell of a queue that is not empty, uncounted; says when it was born and whether the queue is now empty.
    #[inline(always)]
    pub(super) fn pop(&mut self, queue: usize) -> (Slot, bool) {
        let [first, next] = &mut self.ends.as_mut()[queue];
        let place = *first;
        let born = self.words[place as usize];
        let mut second = place + 1;
        if second.is_multiple_of(WORDS) {
            let begin = place - place % WORDS;
            second = core::mem::replace(&mut self.words[begin as usize], self.free);
            self.free = begin + 1;
            self.unused += 1;
            fetch(&self.words[second as usize]);
        }
        *first = second;
        (born, second == *next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::VecDeque;
    use proptest::prelude::*;

    /// So much that memory grows when there is much in it: every cell is where it was, and lines begin where lines of cache do.
    #[test]
    fn memory_grows_with_what_is_in_it() {
        let mut chunks = Chunks::new(3, 3, 0);
        let mut moves = 0;
        for born in 0..60_000 {
            let before = chunks.memory.as_ptr();
            let mut open = chunks.open(1);
            open.push(born as usize % 3, born);
            open.close(1, 0);
            moves += u32::from(chunks.memory.as_ptr() != before);
            assert_eq!(chunks.memory[chunks.skipped..].as_ptr().align_offset(64), 0);
        }
        assert!(moves > 3, "moved {moves} times");
        for born in 0..60_000 {
            let mut open = chunks.open(0);
            assert_eq!(open.pop(born as usize % 3), (born, born >= 59_997));
            open.close(0, 1);
        }
        assert_eq!(chunks.length(), 0);
    }

    proptest! {
        /// Waves of many arrivals and of many departures, so that lines fill, empty and are used again.
        #[test]
        fn behave_as_so_many_deques(operations in prop::collection::vec((0usize..5, 0u8..8), 0..4000), cells in 0usize..100) {
            let mut chunks = Chunks::new(5, 5, cells);
            let mut deques = vec![VecDeque::new(); 5];
            for (born, (queue, push)) in (0u32..).zip(operations) {
                let mut open = chunks.open(1);
                let (mut pushed, mut popped) = (0, 0);
                if push < if born / 500 % 2 == 0 { 6 } else { 2 } {
                    open.push(queue, born);
                    deques[queue].push_back(born);
                    pushed = 1;
                } else if let Some(expected) = deques[queue].pop_front() {
                    prop_assert_eq!(open.pop(queue), (expected, deques[queue].is_empty()));
                    popped = 1;
                }
                prop_assert_eq!(open.is_empty(queue), deques[queue].is_empty());
                if let Some(first) = deques[queue].front() {
                    prop_assert_eq!(open.first_born(queue), *first);
                }
                open.close(pushed, popped);
                prop_assert_eq!(chunks.length(), deques.iter().map(VecDeque::len).sum::<usize>());
                let lengths: Vec<u32> = deques.iter().map(|deque| deque.len() as u32).collect();
                prop_assert_eq!((0..5).map(|queue| chunks.length_of(queue)).collect::<Vec<_>>(), lengths.clone());
                // Every line is free or has a place in a queue.
                let used: u32 = chunks.ends.iter().zip(lengths).map(|(ends, length)| (ends[FIRST] % WORDS - 1 + length) / (WORDS - 1) + 1).sum();
                prop_assert_eq!((used as usize + chunks.unused) * WORDS as usize + chunks.skipped, chunks.memory.len());
            }
        }
    }
}
