//! Many long FIFO queues of cells: lines of cache with 28 births each.
//!
//! Where much is queued, a cell is out of the cache when its turn comes, and so are its neighbours in a linked list, which are cells of other queues. Here the neighbours
//! are the next cells of the same queue. Each queue has a line for its first cells and one for its last, side by side with those of the other queues, so that they are in few pages; a line between them is
//! touched twice in its life. Where little is queued this is slower than lists, which need no memory for queues that are empty.
//!
//! ```text
//!   heads:  [ place | base | .. | .. | born | born ]  ◄──  [ link | base | born .. born ]  ◄──  [ .. ]  ◄──  tails:  [ place | base | born | .. ]
//! ```
//!
//! A head is empty only if there is nothing between it and the tail; then the tail may still have cells. Whether a line ends is as good as random, so [`Open::push`] and [`Open::pop`] do not branch on it:
//! they say so, and whoever is in a hurry writes those queues down and sees to them afterwards, all at once.
//!
//! A birth is its lowest 16 bits: what an overload fills, and what the system has to clear for it, is half of what whole births would take. The others follow from the line's base, which is not later than any
//! birth in the line, and not 2^16 slots earlier. To keep it so, tails that have become old are closed from time to time: their cells move to the end of a line, and the next ones begin another.
//! Rejected: a look at the base with every cell that comes; and lines that stay where they are from their first cell to their last, with two places for each queue that say where, which is a page and a line more
//! for every cell that comes or goes.

use crate::cell::Slot;
use crate::fetch::fetch;
use alloc::vec;
use alloc::vec::Vec;

/// So many numbers of 16 bits are in a line.
const PLACES: usize = 32;

/// The first place with a birth. In a head or a tail, place 0 says where the next cell is taken or put; in others, places 0 and 1 say what the next line is and where the births begin. Then comes the base.
const FIRST: usize = 4;
const BASE: usize = 2;

/// A line is old after so many slots, and so often they are looked at.
const OLD: Slot = 1 << 15;

/// So many lines are added at a time, or as many as are wanted.
const SOME: usize = 128;

/// Memory grows to so many times what it was.
const GROWTH: usize = 4;

/// No line. There are fewer: what is said of a line has 32 bits, five of which are a place.
const NIL: u32 = u32::MAX / PLACES as u32;

/// A line of cache.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(super) struct Line([u16; PLACES]);

/// The lines between head and tail of a queue: the first and the last.
type Between = [u32; 2];

/// The queues. See the module.
#[derive(Clone, Debug)]
pub(super) struct Chunks {
    heads: Vec<Line>,
    tails: Vec<Line>,
    between: Vec<Between>,
    /// Those between, and those that are free.
    lines: Vec<Line>,
    /// When tails are looked at next.
    due: Slot,
    /// The list of free lines, and their number.
    free: u32,
    unused: usize,
    length: usize,
}

/// The queues during one slot, with what changes in registers, until they are closed. `L` are the heads and the tails of all queues, as many as the compiler knows of.
pub(super) struct Open<'a, L: ?Sized = [Line]> {
    heads: &'a mut L,
    tails: &'a mut L,
    between: &'a mut [Between],
    lines: &'a mut [Line],
    free: u32,
    unused: usize,
    length: usize,
    home: (&'a mut u32, &'a mut usize, &'a mut usize),
}

impl Line {
    const EMPTY_HEAD: Self = Self::with_place(PLACES);
    const EMPTY_TAIL: Self = Self::with_place(FIRST);

    const fn with_place(place: usize) -> Self {
        let mut line = Self([0; PLACES]);
        line.0[0] = place as u16;
        line
    }

    #[inline(always)]
    fn place(&self) -> usize {
        usize::from(self.0[0])
    }

    #[inline(always)]
    fn set_place(&mut self, place: usize) {
        self.0[0] = place as u16;
    }

    /// Births are not before this slot.
    #[inline(always)]
    fn base(&self) -> Slot {
        u32::from(self.0[BASE]) | u32::from(self.0[BASE + 1]) << 16
    }

    #[inline(always)]
    fn set_base(&mut self, base: Slot) {
        (self.0[BASE], self.0[BASE + 1]) = (base as u16, (base >> 16) as u16);
    }

    /// The next line, and where births begin in this one.
    #[inline(always)]
    fn link(&self) -> (u32, usize) {
        let both = u32::from(self.0[0]) | u32::from(self.0[1]) << 16;
        (both / PLACES as u32, both as usize % PLACES)
    }

    #[inline(always)]
    fn set_link(&mut self, next: u32, begin: usize) {
        let both = next * PLACES as u32 + begin as u32;
        (self.0[0], self.0[1]) = (both as u16, (both >> 16) as u16);
    }

    /// The birth at a place.
    #[inline(always)]
    fn born(&self, place: usize) -> Slot {
        let base = self.base();
        base + Slot::from(self.0[place % PLACES].wrapping_sub(base as u16))
    }

    /// Moves the births of a tail to its end; says where they begin.
    fn shift(&mut self) -> usize {
        let end = self.place();
        let begin = PLACES + FIRST - end;
        self.0.copy_within(FIRST..end, begin);
        begin
    }
}

impl Chunks {
    /// No queues, and no memory.
    pub(super) const fn none() -> Self {
        Self {
            heads: Vec::new(),
            tails: Vec::new(),
            between: Vec::new(),
            lines: Vec::new(),
            due: 0,
            free: NIL,
            unused: 0,
            length: 0,
        }
    }

    /// That many empty queues, with room for so many cells.
    pub(super) fn new(queues: usize, cells: usize) -> Self {
        Self {
            heads: vec![Line::EMPTY_HEAD; queues],
            tails: vec![Line::EMPTY_TAIL; queues],
            between: vec![[NIL; 2]; queues],
            lines: Vec::with_capacity(cells / (PLACES - FIRST) + SOME),
            ..Self::none()
        }
    }

    /// The number of queued cells.
    pub(super) const fn length(&self) -> usize {
        self.length
    }

    /// The length of a queue, counted by walking along it: for people who look, not for slots.
    pub(super) fn length_of(&self, queue: usize) -> u32 {
        let ends = PLACES - self.heads[queue].place() + self.tails[queue].place() - FIRST;
        self.walk(queue).map(|begin| PLACES - begin).sum::<usize>() as u32 + ends as u32
    }

    /// Where births begin in each line between head and tail.
    fn walk(&self, queue: usize) -> impl Iterator<Item = usize> {
        let mut line = self.between[queue][0];
        core::iter::from_fn(move || {
            let (next, begin) = self.lines.get(line as usize)?.link();
            line = next;
            Some(begin)
        })
    }

    /// Opens the queues for a slot in which at most `arrivals` cells are appended.
    #[inline(always)]
    pub(super) fn open_for(&mut self, arrivals: usize, now: Slot) -> Open<'_> {
        if now >= self.due {
            self.close_old(now);
        }
        if self.unused < arrivals {
            self.grow(arrivals);
        }
        self.open()
    }

    /// Opens the queues for a slot in which none is.
    #[inline(always)]
    pub(super) fn open(&mut self) -> Open<'_> {
        let Self { heads, tails, between, lines, free, unused, length, .. } = self;
        let now = (*free, *unused, *length);
        Open { heads, tails, between, lines, free: now.0, unused: now.1, length: now.2, home: (free, unused, length) }
    }

    /// Closes the tails that are old, so that none is too old for a cell until this is done again.
    #[cold]
    #[inline(never)]
    fn close_old(&mut self, now: Slot) {
        for queue in 0..self.tails.len() {
            if self.tails[queue].base() < now.saturating_sub(OLD) {
                self.close(queue, now);
            }
        }
        self.due = now.saturating_add(OLD);
    }

    /// From now on, cells of a queue go to another line; or to the same, if there is none in it.
    fn close(&mut self, queue: usize, now: Slot) {
        if self.unused == 0 {
            self.grow(1);
        }
        let mut open = self.open();
        if open.tails[queue].place() > FIRST {
            let begin = open.tails[queue].shift();
            open.begin_line(queue, begin, now);
        } else {
            open.tails[queue].set_base(now);
        }
        open.close(0, 0);
    }

    /// Adds some free lines, in front of those that are still free: so few that they are still near when they are used. There is room for several times as many as there are, but memory that nobody
    /// has touched costs nothing, the first touch of a page much, and all that is there is moved when there is no more room.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, least: usize) {
        let more = least.max(SOME);
        if self.lines.capacity() - self.lines.len() < more {
            // A new vector and not a longer one: a large one that is moved, with all that is in it, loses its huge pages.
            let mut lines = Vec::with_capacity(GROWTH * self.lines.len() + more);
            lines.extend_from_slice(&self.lines);
            self.lines = lines;
        }
        for _ in 0..more {
            let mut line = Line::with_place(0);
            line.set_link(self.free, FIRST);
            self.free = self.lines.len() as u32;
            self.lines.push(line);
        }
        self.unused += more;
    }

    /// Appends a cell that may be old, or younger than its line allows.
    pub(super) fn append(&mut self, queue: usize, born: Slot) {
        let tail = &self.tails[queue];
        if tail.place() == FIRST || born - tail.base() > Slot::from(u16::MAX) {
            self.close(queue, born);
        }
        if self.unused == 0 {
            self.grow(1);
        }
        let mut open = self.open();
        if open.push(queue, born) {
            open.extend(queue, born);
        }
        open.close(1, 0);
    }
}

impl<'a> Open<'a> {
    /// The same queues, if they are so many at least.
    #[inline(always)]
    pub(super) fn of<const QUEUES: usize>(self) -> Option<Open<'a, [Line; QUEUES]>> {
        let Self { heads, tails, between, lines, free, unused, length, home } = self;
        let (heads, tails) = (heads.first_chunk_mut()?, tails.first_chunk_mut()?);
        Some(Open { heads, tails, between, lines, free, unused, length, home })
    }
}

impl<L: AsRef<[Line]> + AsMut<[Line]> + ?Sized> Open<'_, L> {
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
        self.heads.as_ref()[queue].place() == PLACES && self.tails.as_ref()[queue].place() == FIRST
    }

    /// When the first cell of a queue that is not empty was born.
    #[inline(always)]
    pub(super) fn first_born(&self, queue: usize) -> Slot {
        match self.heads.as_ref()[queue].place() {
            PLACES => self.tails.as_ref()[queue].born(FIRST),
            place => self.heads.as_ref()[queue].born(place),
        }
    }

    /// Appends a cell, uncounted. Says whether the tail is full: [`Self::extend`] is to be called before the queue is used again.
    #[inline(always)]
    #[must_use]
    pub(super) fn push(&mut self, queue: usize, born: Slot) -> bool {
        let tail = &mut self.tails.as_mut()[queue];
        let place = tail.place();
        tail.0[place % PLACES] = born as u16;
        tail.set_place(place + 1);
        place + 1 == PLACES
    }

    /// Makes room in a tail that is full, for cells that are not born before this slot.
    #[inline(always)]
    pub(super) fn extend(&mut self, queue: usize, now: Slot) {
        self.begin_line(queue, FIRST, now);
    }

    /// The births of a tail, which begin here and go on to its end, go to the head if that is empty, or to a line behind the last one.
    #[inline(always)]
    fn begin_line(&mut self, queue: usize, begin: usize, now: Slot) {
        let (head, tail) = (&mut self.heads.as_mut()[queue], &mut self.tails.as_mut()[queue]);
        if head.place() == PLACES {
            *head = *tail;
            head.set_place(begin);
        } else {
            let (new, [first, last]) = (self.free, &mut self.between[queue]);
            let line = &mut self.lines[new as usize];
            self.free = line.link().0;
            self.unused -= 1;
            *line = *tail;
            line.set_link(NIL, begin);
            if *first == NIL {
                *first = new;
            } else {
                let line = &mut self.lines[*last as usize];
                let begin = line.link().1;
                line.set_link(new, begin);
            }
            *last = new;
            if let Some(line) = self.lines.get(self.free as usize) {
                fetch(line);
            }
        }
        tail.set_place(FIRST);
        tail.set_base(now);
    }

    /// Removes the first cell of a queue that is not empty, uncounted: when it was born. Also says whether there is more to do before the queue is used again, or the birth is believed: [`Self::settle`].
    #[inline(always)]
    #[must_use]
    pub(super) fn pop(&mut self, queue: usize) -> (Slot, bool) {
        let head = &mut self.heads.as_mut()[queue];
        let place = head.place();
        head.set_place(place + 1);
        (head.born(place), place + 1 >= PLACES)
    }

    /// Fills a head of which the last cell was removed, or one too many; in that case, says when the cell was born that should have been removed. Also says whether the queue is empty.
    #[inline(always)]
    pub(super) fn settle(&mut self, queue: usize) -> (Option<Slot>, bool) {
        let head = &mut self.heads.as_mut()[queue];
        let mut removed = None;
        if head.place() > PLACES {
            // There is nothing behind an empty head but the tail.
            self.take_tail(queue);
            let head = &mut self.heads.as_mut()[queue];
            let place = head.place();
            removed = Some(head.born(place));
            head.set_place(place + 1);
            if place + 1 < PLACES {
                return (removed, false);
            }
        }
        let [first, _] = &mut self.between[queue];
        if let Some(line) = self.lines.get_mut(*first as usize) {
            let (next, begin) = line.link();
            let head = &mut self.heads.as_mut()[queue];
            *head = *line;
            head.set_place(begin);
            line.set_link(self.free, FIRST);
            (self.free, *first) = (*first, next);
            self.unused += 1;
            if let Some(line) = self.lines.get(next as usize) {
                fetch(line);
            }
            return (removed, false);
        }
        (removed, self.tails.as_ref()[queue].place() == FIRST)
    }

    /// Moves what is in the tail to the head, which is empty.
    #[cold]
    #[inline(never)]
    fn take_tail(&mut self, queue: usize) {
        let tail = &mut self.tails.as_mut()[queue];
        let begin = tail.shift();
        let head = &mut self.heads.as_mut()[queue];
        *head = *tail;
        head.set_place(begin);
        tail.set_place(FIRST);
    }

    /// [`Self::pop`], and what is to be done then: when the cell was born, and whether the queue is empty.
    #[inline(always)]
    pub(super) fn remove(&mut self, queue: usize) -> (Slot, bool) {
        let (born, unsettled) = self.pop(queue);
        if !unsettled {
            return (born, false);
        }
        let (removed, empty) = self.settle(queue);
        (removed.unwrap_or(born), empty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::VecDeque;
    use proptest::prelude::*;

    #[test]
    fn a_line_is_one_of_cache() {
        assert_eq!((size_of::<Line>(), align_of::<Line>()), (64, 64));
    }

    /// So much that memory grows when there is much in it: every cell is where it was.
    #[test]
    fn memory_grows_with_what_is_in_it() {
        let mut chunks = Chunks::new(3, 0);
        let mut moves = 0;
        for born in 0..200_000 {
            let before = chunks.lines.as_ptr();
            chunks.append(born as usize % 3, born);
            moves += u32::from(chunks.lines.as_ptr() != before);
        }
        assert!(moves >= 3, "moved {moves} times");
        for born in 0..200_000 {
            let mut open = chunks.open();
            assert_eq!(open.remove(born as usize % 3), (born, born >= 199_997));
            open.close(0, 1);
        }
        assert_eq!(chunks.length(), 0);
    }

    proptest! {
        /// Waves of many arrivals and of many departures, so that lines fill, empty and are used again; at a pace at which lines become old, some of them before they are looked at.
        #[test]
        fn behave_as_so_many_deques(
            operations in prop::collection::vec((0usize..5, 0u8..8), 0..4000),
            cells in 0usize..100,
            pace in prop::sample::select(vec![1u32, 900, 5000, 16_384, 32_767, 32_768, 65_535, 65_536, 300_000]),
            careful in any::<bool>(),
        ) {
            let mut chunks = Chunks::new(5, cells);
            let mut deques = vec![VecDeque::new(); 5];
            for (now, (queue, push)) in (0u32..).zip(operations) {
                let born = now * pace;
                let (mut pushed, mut popped) = (0, 0);
                if careful && push < 5 && now / 700 % 2 == 0 {
                    chunks.append(queue, born);
                    deques[queue].push_back(born);
                    continue;
                }
                let mut open = chunks.open_for(1, born);
                if push < if now / 500 % 2 == 0 { 6 } else { 2 } {
                    if open.push(queue, born) {
                        open.extend(queue, born);
                    }
                    deques[queue].push_back(born);
                    pushed = 1;
                } else if let Some(expected) = deques[queue].pop_front() {
                    prop_assert_eq!(open.remove(queue), (expected, deques[queue].is_empty()));
                    popped = 1;
                }
                prop_assert_eq!(open.is_empty(queue), deques[queue].is_empty());
                if let Some(first) = deques[queue].front() {
                    prop_assert_eq!(open.first_born(queue), *first);
                }
                open.close(pushed, popped);
                prop_assert_eq!(chunks.length(), deques.iter().map(VecDeque::len).sum::<usize>());
                let lengths: Vec<u32> = deques.iter().map(|deque| deque.len() as u32).collect();
                prop_assert_eq!((0..5).map(|queue| chunks.length_of(queue)).collect::<Vec<_>>(), lengths);
                // Every line is free or in a queue.
                let used: usize = (0..5).map(|queue| chunks.walk(queue).count()).sum();
                prop_assert_eq!(used + chunks.unused, chunks.lines.len());
            }
        }
    }
}
