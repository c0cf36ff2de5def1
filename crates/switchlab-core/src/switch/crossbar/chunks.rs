//! Many long FIFO queues of cells: lines of cache with 28 births each.
//!
//! Where much is queued, a cell is out of the cache when its turn comes, and so are its neighbours in a linked list, which are cells of other queues. Here the neighbours
//! are the next cells of the same queue: one miss in 28, and that one is fetched when the line before it is done with, long before anybody waits for it. Where little is
//! queued this is slower than lists, for every queue has a line.
//!
//! ```text
//!   queue:  first ──────────────────────┐                       next ──┐ the place of the next cell to come
//!   lines:  [ base | link | .. | .. | born | born ]  ──►  [ base | link | born | .. ]
//! ```
//!
//! A queue has a line even when it is empty, and the next one from when the last is full, so that neither a new nor an old queue is a case of its own. Whether a line ends is as good as random,
//! so [`Open::push`] and [`Open::pop`] do not branch on it: they say which place is next, and whoever is in a hurry asks of all those places afterwards, at once, which of them [`line_ends`] before.
//!
//! A birth is its lowest 16 bits: what an overload fills, and what the system has to clear for it, is half of what whole births would take. The others follow from the line's base, which is not later than any
//! birth in the line, and not 2^16 slots earlier. To keep it so, last lines that have become old are closed from time to time: their cells move to the end of the line, and the next ones begin another. (A queue that
//! has a cell in 2^15 slots takes a line for each; a crowd of nothing but those would be three times what is reckoned for its cells, after some hundred million slots.)
//! Rejected: a look at the base with every cell that comes, which is a load more from a line that is only to be written.

use crate::cell::Slot;
use crate::fetch::fetch;
use crate::schedule::bits;
use alloc::vec;
use alloc::vec::Vec;

/// So many numbers of 16 bits are in a line, and so many places.
const PLACES: u32 = 32;

/// The first place with a birth. Before it are the base and the link, two each.
const FIRST_BIRTH: u32 = 4;

/// A line is old after so many slots, and so often they are looked at.
const OLD: Slot = 1 << 15;

/// So many lines are added at a time, or as many as are wanted.
const SOME: usize = 128;

/// Memory grows to so many times what it was.
const GROWTH: usize = 4;

/// No line.
const NIL: u32 = u32::MAX;

/// A line of cache. Numbers of one kind, without a type around them, so that all lines are one long list too: where a line is to be written, a place is one number, compared with one length.
type Line = [u16; PLACES as usize];

/// Where the first cell of a queue is and where the next goes: numbers of places. An array and no structure: an allocator has many zeros of those at hand.
pub(super) type Ends = [u32; 2];
const FIRST: usize = 0;
const NEXT: usize = 1;

/// The queues. See the module.
#[derive(Clone, Debug)]
pub(super) struct Chunks {
    /// All lines, behind the few numbers that are skipped before the first line of cache begins.
    memory: Vec<u16>,
    skipped: usize,
    ends: Vec<Ends>,
    /// By queue: the line before the last, if there is one.
    before: Vec<u32>,
    /// How many queues there are. More have a number.
    queues: usize,
    /// When lines are looked at next.
    due: Slot,
    /// The list of free lines, and their number.
    free: u32,
    unused: usize,
    length: usize,
}

/// The queues during one slot, with what changes in registers, until they are closed. `E` are the ends of all queues, as many as the compiler knows of.
pub(super) struct Open<'a, E: ?Sized = [Ends]> {
    lines: &'a mut [Line],
    ends: &'a mut E,
    before: &'a mut [u32],
    free: u32,
    unused: usize,
    length: usize,
    home: (&'a mut u32, &'a mut usize, &'a mut usize),
}

/// A cell that was removed.
pub(super) struct Removed {
    pub(super) born: Slot,
    /// Whether it was the last of its queue. Not to be asked if its line ends.
    pub(super) empty: bool,
    /// The place of the next one. If its line [ends](line_ends) before it, [`Open::advance`] is to be called before the queue is used again.
    pub(super) next: u32,
}

/// Whether a line ends before a place.
#[inline(always)]
pub(super) const fn line_ends(place: u32) -> bool {
    place.is_multiple_of(PLACES)
}

/// The line of a place.
#[inline(always)]
const fn line(place: u32) -> usize {
    (place / PLACES) as usize
}

/// The place within its line.
#[inline(always)]
const fn within(place: u32) -> usize {
    (place % PLACES) as usize
}

/// The first place in memory where a line of cache begins.
fn before_a_line(memory: &[u16]) -> usize {
    memory.as_ptr().align_offset(64).min(PLACES as usize - 1)
}

/// Births in a line are not before this slot.
#[inline(always)]
fn base(line: &Line) -> Slot {
    u32::from(line[0]) | u32::from(line[1]) << 16
}

#[inline(always)]
fn set_base(line: &mut Line, base: Slot) {
    (line[0], line[1]) = (base as u16, (base >> 16) as u16);
}

/// The place of the first cell in the next line: of the queue, or of those that are free.
#[inline(always)]
fn link(line: &Line) -> u32 {
    u32::from(line[2]) | u32::from(line[3]) << 16
}

#[inline(always)]
fn set_link(line: &mut Line, link: u32) {
    (line[2], line[3]) = (link as u16, (link >> 16) as u16);
}

/// The birth at a place.
#[inline(always)]
fn born(line: &Line, place: usize) -> Slot {
    let base = base(line);
    base + Slot::from(line[place].wrapping_sub(base as u16))
}

impl Chunks {
    /// No queues, and no memory.
    pub(super) const fn none() -> Self {
        Self {
            memory: Vec::new(),
            skipped: 0,
            ends: Vec::new(),
            before: Vec::new(),
            queues: 0,
            due: 0,
            free: NIL,
            unused: 0,
            length: 0,
        }
    }

    /// That many empty queues, of so many that have a number, with room for so many cells.
    pub(super) fn new(queues: usize, numbers: usize, cells: usize) -> Self {
        // Half a line is lost at either end of a queue, on average.
        let lines = 2 * queues + cells / (PLACES - FIRST_BIRTH) as usize;
        let mut memory = Vec::with_capacity((lines + 1) * PLACES as usize);
        let skipped = before_a_line(&memory);
        memory.resize(skipped + queues * PLACES as usize, 0);
        let mut ends = vec![[0; 2]; numbers];
        for (line, ends) in (0..).zip(ends.iter_mut().take(queues)) {
            *ends = [line * PLACES + FIRST_BIRTH; 2];
        }
        Self { memory, skipped, ends, before: vec![NIL; queues], queues, due: 0, free: NIL, unused: 0, length: 0 }
    }

    fn lines(&self) -> &[Line] {
        self.memory[self.skipped..].as_chunks().0
    }

    /// The number of queued cells.
    pub(super) const fn length(&self) -> usize {
        self.length
    }

    /// The length of a queue, counted by walking along it: for people who look, not for slots.
    pub(super) fn length_of(&self, queue: usize) -> u32 {
        let mut length = 0;
        self.walk(queue, |births| length += births.len() as u32);
        length
    }

    /// Calls with the part of each line that a queue has.
    fn walk(&self, queue: usize, mut each: impl FnMut(&[u16])) {
        let [mut first, next] = self.ends[queue];
        while line(first) != line(next) {
            let here = &self.lines()[line(first)];
            each(&here[within(first)..]);
            first = link(here);
        }
        each(&self.lines()[line(first)][within(first)..within(next)]);
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
        let Self { memory, skipped, ends, before, free, unused, length, .. } = self;
        let (lines, _) = memory[*skipped..].as_chunks_mut();
        Open { lines, ends, before, free: *free, unused: *unused, length: *length, home: (free, unused, length) }
    }

    /// Closes the last lines that are old, so that none is too old for a cell until this is done again.
    #[cold]
    #[inline(never)]
    fn close_old(&mut self, now: Slot) {
        for queue in 0..self.queues {
            if base(&self.lines()[line(self.ends[queue][NEXT])]) < now.saturating_sub(OLD) {
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
        let [first, next] = open.ends[queue];
        let alone = line(first) == line(next);
        let begin = if alone { first } else { next - next % PLACES + FIRST_BIRTH };
        if begin == next {
            set_base(&mut open.lines[line(next)], now);
        } else {
            // A line ends at its end, and where it begins is up to those who point there.
            let moved = PLACES - next % PLACES;
            open.lines[line(next)].copy_within(within(begin)..within(next), within(begin + moved));
            if alone {
                open.ends[queue][FIRST] += moved;
            } else {
                set_link(&mut open.lines[open.before[queue] as usize], begin + moved);
            }
            open.extend(queue, now);
        }
        open.close(0, 0);
    }

    /// Adds some free lines, in front of those that are still free: so few that they are still near when they are used. There is room for several times as many as there are, but memory that nobody
    /// has touched costs nothing, the first touch of a page much, and all that is there is moved when there is no more room.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, least: usize) {
        let (line, more) = (PLACES as usize, least.max(SOME));
        if self.memory.capacity() - self.memory.len() < more * line {
            // A new vector and not a longer one: a large one that is moved, with all that is in it, loses its huge pages.
            let mut memory = Vec::with_capacity(GROWTH * self.memory.len() + (more + 2) * line);
            let skipped = before_a_line(&memory);
            memory.resize(skipped, 0);
            memory.extend_from_slice(&self.memory[self.skipped..]);
            (self.memory, self.skipped) = (memory, skipped);
        }
        for _ in 0..more {
            let place = (self.memory.len() - self.skipped) as u32;
            let mut free = Line::default();
            set_link(&mut free, self.free);
            self.memory.extend_from_slice(&free);
            self.free = place + FIRST_BIRTH;
        }
        self.unused += more;
    }

    /// Appends a cell that may be old, or younger than its line allows.
    pub(super) fn append(&mut self, queue: usize, born: Slot) {
        let next = self.ends[queue][NEXT];
        if self.ends[queue][FIRST] == next || born - base(&self.lines()[line(next)]) > Slot::from(u16::MAX) {
            self.close(queue, born);
        }
        if self.unused == 0 {
            self.grow(1);
        }
        let mut open = self.open();
        if line_ends(open.push(queue, born)) {
            open.extend(queue, born);
        }
        open.close(1, 0);
    }
}

impl<'a> Open<'a> {
    /// The same queues, if they are so many at least.
    #[inline(always)]
    pub(super) fn of<const QUEUES: usize>(self) -> Option<Open<'a, [Ends; QUEUES]>> {
        let Self { lines, ends, before, free, unused, length, home } = self;
        Some(Open { lines, ends: ends.first_chunk_mut()?, before, free, unused, length, home })
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

    /// The inputs whose queue in a list is not empty.
    #[inline(always)]
    pub(super) fn waiting(&self, queues: &[u16; 64]) -> u64 {
        let differ: [u32; 64] = core::array::from_fn(|input| {
            let [first, next] = self.ends.as_ref()[usize::from(queues[input])];
            first ^ next
        });
        bits::word_where(|input| differ[input] != 0)
    }

    /// When the first cell of a queue that is not empty was born.
    #[inline(always)]
    pub(super) fn first_born(&self, queue: usize) -> Slot {
        let place = self.ends.as_ref()[queue][FIRST];
        born(&self.lines[line(place)], within(place))
    }

    /// Appends a cell, uncounted. Says which place is next: if its line [ends](line_ends) before it, [`Self::extend`] is to be called before the queue is used again.
    #[inline(always)]
    #[must_use]
    pub(super) fn push(&mut self, queue: usize, born: Slot) -> u32 {
        let end = &mut self.ends.as_mut()[queue][NEXT];
        let place = *end;
        self.lines.as_flattened_mut()[place as usize] = born as u16;
        *end = place + 1;
        *end
    }

    /// Gives a queue its next line, for cells that are not born before this slot.
    #[inline(always)]
    pub(super) fn extend(&mut self, queue: usize, now: Slot) {
        let end = &mut self.ends.as_mut()[queue][NEXT];
        // One beyond the last place of the line.
        let (full, next) = (line(*end - 1), self.free);
        set_link(&mut self.lines[full], next);
        self.before[queue] = full as u32;
        let line = &mut self.lines[line(next)];
        self.free = link(line);
        set_base(line, now);
        self.unused -= 1;
        *end = next;
        if let Some(line) = self.lines.get(self::line(self.free)) {
            fetch(line);
        }
    }

    /// Removes the first cell of a queue that is not empty, uncounted.
    #[inline(always)]
    pub(super) fn pop(&mut self, queue: usize) -> Removed {
        let [first, next] = &mut self.ends.as_mut()[queue];
        let (place, second) = (*first, *first + 1);
        *first = second;
        let born = born(&self.lines[line(place)], within(place));
        Removed { born, empty: second == *next, next: second }
    }

    /// Leaves the first line of a queue for the next. Says whether the queue is empty.
    #[inline(always)]
    pub(super) fn advance(&mut self, queue: usize) -> bool {
        let [first, next] = &mut self.ends.as_mut()[queue];
        // One beyond the last place of the line.
        let done = *first - PLACES;
        let line = &mut self.lines[line(done)];
        *first = link(line);
        set_link(line, self.free);
        self.free = done + FIRST_BIRTH;
        self.unused += 1;
        fetch(&self.lines[self::line(*first)]);
        *first == *next
    }

    /// [`Self::pop`], and [`Self::advance`] where a line ends: when the cell was born, and whether the queue is empty.
    #[inline(always)]
    pub(super) fn remove(&mut self, queue: usize) -> (Slot, bool) {
        let Removed { born, empty, next } = self.pop(queue);
        (born, if line_ends(next) { self.advance(queue) } else { empty })
    }
}

#[cfg(test)]
mod tests;
