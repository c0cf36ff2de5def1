//! The queues of a crossbar of up to 64 ports: linked lists, all of whose numbers have 16 bits.
//!
//! There is just as much room as 16 bits say, so that nothing has to be compared with a length. More cells than fit are a crowd, and somewhere else.
//!
//! ```text
//!   queue:   before ──┐                                   last ──┐
//!   links:        [ first's birth ] ──► [ second's birth ] ──► [ anything ] ──► anything
//! ```
//!
//! A queue has one link more than cells, and a link says when the cell behind it was born: neither appending nor removing asks whether the queue is empty, and each touches a single link.
//! Links that nobody uses are on a stack. In a list of their own, each could be found only when the one before it has been looked at.

use super::{Crossbar, Note};
use crate::cell::{Cell, NONE, Port, Slot};
use crate::schedule::{Scheduler, bits};
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

/// The most ports. The queue of input `i` and output `j` is number `64 * i + j`, however many ports there are.
pub(super) const PORTS: usize = 64;
pub(super) const QUEUES: usize = PORTS * PORTS;
/// So many numbers have 16 bits.
pub(super) const NUMBERS: usize = 1 << 16;
const LINKS: usize = NUMBERS;

/// So many cells fit.
pub(super) const ROOM: usize = LINKS - QUEUES;

#[derive(Clone, Copy, Debug, Default)]
struct Link {
    /// When the cell was born to which the next link belongs.
    born: Slot,
    next: u16,
}

/// Where a queue begins, before its first cell, and where its last cell is. An array and no structure: an allocator has many zeros of those at hand.
type Ends = [u16; 2];
const BEFORE: usize = 0;
const LAST: usize = 1;

/// Idle outputs, to copy: the compiler would write them one by one.
static IDLE: [Cell; PORTS] = [Cell::IDLE; PORTS];

/// The queues. See the module.
#[derive(Clone, Debug)]
pub(super) struct Few {
    links: Box<[Link; LINKS]>,
    /// By number of the queue. The others are never touched.
    ends: Box<[Ends; LINKS]>,
    /// A stack of links that nobody uses, which grows downwards, and how many of its first places are no more part of it.
    spare: Box<[u16; LINKS]>,
    used: u16,
}

/// The queues during one slot: what changes with every cell in a register, for the compiler cannot know that what a scheduler writes is something else. Closed when dropped.
pub(super) struct Open<'a> {
    links: &'a mut [Link; LINKS],
    ends: &'a mut [Ends; LINKS],
    spare: &'a mut [u16; LINKS],
    used: u16,
    home: &'a mut u16,
}

/// Not an array that is boxed, which would lie on the stack first.
fn boxed<T: Copy + Default, const LENGTH: usize>() -> Box<[T; LENGTH]> {
    vec![T::default(); LENGTH].into_boxed_slice().try_into().unwrap_or_else(|_| unreachable!())
}

/// The queue of an input for an output.
pub(super) const fn queue(input: usize, output: usize) -> u16 {
    (input * PORTS + output) as u16
}

/// The place of a queue among so many ports; if there are as many as there can be, which is known to the compiler, its number.
#[inline(always)]
pub(super) fn voq<const FULL: bool>(queue: u16, ports: usize) -> usize {
    let (input, output) = (usize::from(queue) / PORTS, usize::from(queue) % PORTS);
    (if FULL { usize::from(queue) } else { input * ports + output }) % QUEUES
}

/// That of each input for its output in a list.
#[inline(always)]
pub(super) fn queues(outputs: &[Port; PORTS]) -> [u16; PORTS] {
    core::array::from_fn(|input| queue(input, usize::from(outputs[input]) % PORTS))
}

/// What a scheduler wants to know, with a length that the compiler knows; nothing, if it does not want to. None if there is less, and there never is.
#[inline(always)]
pub(super) fn wanted<T, const LENGTH: usize>(wanted: bool, list: &mut [T]) -> Option<&mut [T]> {
    if wanted { list.first_chunk_mut::<LENGTH>().map(|list| &mut list[..]) } else { Some(&mut []) }
}

impl Few {
    /// Empty queues.
    pub(super) fn new() -> Self {
        let mut queues = Self { links: boxed(), ends: boxed(), spare: boxed(), used: 0 };
        for (queue, ends) in queues.ends[..QUEUES].iter_mut().enumerate() {
            *ends = [queue as u16; 2];
        }
        for (spare, link) in queues.spare.iter_mut().zip(QUEUES..LINKS) {
            *spare = link as u16;
        }
        queues
    }

    /// The number of queued cells.
    #[inline(always)]
    pub(super) fn length(&self) -> usize {
        usize::from(self.used)
    }

    /// Opens the queues.
    #[inline(always)]
    pub(super) fn open(&mut self) -> Open<'_> {
        let Self { links, ends, spare, used } = self;
        Open { links, ends, spare, used: *used, home: used }
    }

    /// Calls with the births of a queue, first to last.
    pub(super) fn births(&self, queue: u16, mut each: impl FnMut(Slot)) {
        let [mut link, last] = self.ends[usize::from(queue)];
        while link != last {
            let Link { born, next } = self.links[usize::from(link)];
            each(born);
            link = next;
        }
    }

    /// The length of each queue, of so many ports.
    pub(super) fn lengths(&self, ports: usize) -> Vec<u32> {
        let length = |queue| {
            let mut length = 0;
            self.births(queue, |_| length += 1);
            length
        };
        (0..ports * ports).map(|voq| length(queue(voq / ports, voq % ports))).collect()
    }
}

impl Open<'_> {
    #[inline(always)]
    fn is_empty(&self, queue: u16) -> bool {
        let [before, last] = self.ends[usize::from(queue)];
        before == last
    }

    /// When the first cell of a queue that is not empty was born.
    #[inline(always)]
    fn first_born(&self, queue: u16) -> Slot {
        self.links[usize::from(self.ends[usize::from(queue)][BEFORE])].born
    }

    /// Appends a cell, if there is room for it.
    #[inline(always)]
    pub(super) fn push(&mut self, queue: u16, born: Slot) {
        let link = self.spare[usize::from(self.used)];
        let last = core::mem::replace(&mut self.ends[usize::from(queue)][LAST], link);
        self.links[usize::from(last)] = Link { born, next: link };
        self.used = self.used.wrapping_add(1);
    }

    /// Removes the first cell of a queue that is not empty, and says when it was born and whether it was the last.
    #[inline(always)]
    fn pop(&mut self, queue: u16) -> (Slot, bool) {
        let [before, last] = &mut self.ends[usize::from(queue)];
        let link = self.links[usize::from(*before)];
        self.used = self.used.wrapping_sub(1);
        self.spare[usize::from(self.used)] = core::mem::replace(before, link.next);
        (link.born, link.next == *last)
    }

    /// The inputs whose queue in a list is not empty.
    #[inline(always)]
    fn waiting(&self, queues: &[u16; PORTS]) -> u64 {
        // Both ends by one load.
        let ends: [u32; PORTS] = core::array::from_fn(|input| {
            let [before, last] = self.ends[usize::from(queues[input])];
            u32::from(before) | u32::from(last) << 16
        });
        bits::word_where(|input| (ends[input] ^ ends[input] >> 16) as u16 != 0)
    }
}

impl Drop for Open<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        *self.home = self.used;
    }
}

impl<S: Scheduler<W>, const W: usize> Crossbar<S, W> {
    /// Whether something is kept for each VOQ, besides its cells.
    pub(super) const INDEXED: bool = S::NEEDS.lengths || S::NEEDS.notes;

    /// Appends the arrivals of a slot. Who sends is random: a walk over a set has no branch for it.
    #[inline(always)]
    pub(super) fn arrive_few(&mut self, now: Slot, arrivals: &[Port]) {
        if Self::INDEXED && self.ports < PORTS {
            self.append::<false>(now, arrivals);
        } else {
            self.append::<true>(now, arrivals);
        }
    }

    #[inline(always)]
    fn append<const FULL: bool>(&mut self, now: Slot, arrivals: &[Port]) {
        let (ports, Some(mut voqs)) = (self.ports, self.few.as_mut().map(Few::open)) else { return };
        let (Some(rows), Some(columns), Some(lengths), Some(notes)) = wanted_of_few!(self) else { return };
        let scheduler = &mut self.scheduler;
        let mut room = [NONE; PORTS];
        let arrivals = bits::padded(arrivals, &mut room);
        let (queues, sending) = (queues(arrivals), bits::word_where(|input| arrivals[input] != NONE));
        for input in bits::ports(&[sending]) {
            let input = input % PORTS;
            let queue = queues[input];
            let output = usize::from(queue) % PORTS;
            if S::NEEDS.ages && voqs.is_empty(queue) {
                self.births[input * ports + output] = now;
            }
            voqs.push(queue, now);
            joins!(scheduler, notes, rows, columns, lengths, input, output, voq::<FULL>(queue, ports));
        }
        self.arrived += u64::from(sending.count_ones());
    }

    /// Sends the first cell of each matched VOQ.
    #[inline(always)]
    pub(super) fn transfer_few(&mut self, departures: &mut [Cell]) {
        if let Some(departures) = departures.first_chunk_mut() {
            self.send::<true>(departures);
        } else {
            self.transfer_fewer(departures);
        }
    }

    /// The same where ports are even fewer. Not a part of the way of 64, of whose registers it would take some.
    #[inline(never)]
    fn transfer_fewer(&mut self, departures: &mut [Cell]) {
        let mut sent = IDLE;
        self.send::<false>(&mut sent);
        departures.copy_from_slice(&sent[..departures.len()]);
    }

    /// Who is matched is as good as random, and so is whose VOQ is empty where everybody is: again a walk.
    #[inline(always)]
    fn send<const FULL: bool>(&mut self, departures: &mut [Cell; PORTS]) {
        let (ports, Some(mut voqs)) = (self.ports, self.few.as_mut().map(Few::open)) else { return };
        let (Some(rows), Some(columns), Some(lengths), Some(notes)) = wanted_of_few!(self) else { return };
        let scheduler = &mut self.scheduler;
        let mut room = [NONE; PORTS];
        let matched = bits::padded(self.matching.outputs(), &mut room);
        let queues = queues(matched);
        let mut sending =
            if S::FULL { bits::first::<1>(ports)[0] } else { bits::word_where(|input| matched[input] != NONE) };
        if !S::BUSY {
            sending &= voqs.waiting(&queues);
        }
        debug_assert_eq!(sending & !voqs.waiting(&queues), 0, "an empty VOQ is matched");
        for input in bits::ports(&[sending]) {
            let input = input % PORTS;
            let queue = queues[input];
            let output = usize::from(queue) % PORTS;
            let (born, empty) = voqs.pop(queue);
            departures[output] = Cell { born, input: input as Port };
            if S::NEEDS.ages && !empty {
                self.births[input * ports + output] = voqs.first_born(queue);
            }
            let voq = voq::<FULL>(queue, ports);
            leaves!(scheduler, notes, rows, columns, lengths, input, output, voq, empty);
        }
        self.departed += u64::from(sending.count_ones());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::VecDeque;
    use proptest::prelude::*;

    proptest! {
        /// Waves of many arrivals and of many departures, up to all that fit.
        #[test]
        fn behave_as_so_many_deques(operations in prop::collection::vec((0..QUEUES as u16, 0u8..8), 0..3000), crowd in any::<bool>()) {
            let mut lists = Few::new();
            let mut deques = vec![VecDeque::new(); QUEUES];
            // All but what the operations bring.
            for born in 0..if crowd { ROOM - 3000 } else { 0 } {
                lists.open().push((born * 7 % QUEUES) as u16, 0);
                deques[born * 7 % QUEUES].push_back(0);
            }
            for (born, (queue, push)) in (0u32..).zip(operations) {
                let mut lists = lists.open();
                // Some queues much more than others.
                let queue = if push % 2 == 0 { queue % 5 } else { queue };
                if push < if born / 500 % 2 == 0 { 6 } else { 2 } {
                    lists.push(queue, born);
                    deques[usize::from(queue)].push_back(born);
                } else if let Some(expected) = deques[usize::from(queue)].pop_front() {
                    prop_assert_eq!(lists.pop(queue), (expected, deques[usize::from(queue)].is_empty()));
                }
                prop_assert_eq!(lists.is_empty(queue), deques[usize::from(queue)].is_empty());
                if let Some(first) = deques[usize::from(queue)].front() {
                    prop_assert_eq!(lists.first_born(queue), *first);
                }
            }
            let lengths: Vec<u32> = deques.iter().map(|deque| deque.len() as u32).collect();
            prop_assert_eq!(lists.lengths(PORTS), lengths);
            prop_assert_eq!(lists.length(), deques.iter().map(VecDeque::len).sum::<usize>());
            for (queue, deque) in (0u16..).zip(&deques) {
                let mut births = Vec::new();
                lists.births(queue, |born| births.push(born));
                prop_assert_eq!(&births, &deque.iter().copied().collect::<Vec<_>>());
            }
        }
    }
}
