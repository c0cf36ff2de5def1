use super::rings::LARGEST;
use super::*;
use crate::cell::NONE;
use alloc::collections::VecDeque;
use proptest::prelude::*;

/// The queues of one input for each of some outputs, and as many deques.
struct Both {
    queues: Voqs,
    deques: Vec<VecDeque<Slot>>,
    notes: Vec<u32>,
    now: Slot,
}

impl Both {
    fn new(queues: usize) -> Self {
        // As many inputs as outputs, of which only the first has cells.
        Self { queues: Voqs::new(queues), deques: vec![VecDeque::new(); queues], notes: vec![0; queues], now: 0 }
    }

    /// Ports of which only the first, if any, is not idle.
    fn first(&self, output: Option<usize>) -> Vec<Port> {
        let mut ports = vec![NONE; self.deques.len()];
        ports[0] = output.map_or(NONE, |output| output as Port);
        ports
    }

    /// Lets slots go by, in which nothing happens.
    fn wait(&mut self, slots: Slot) {
        for _ in 0..slots {
            self.now += 1;
            self.queues.arrive(self.now, &self.first(None), |_, _, _| panic!());
        }
    }

    fn push(&mut self, queue: usize) {
        // A slot that has begun may begin again, for one more cell.
        let mut told = None;
        self.queues.arrive(self.now, &self.first(Some(queue)), |pair, _, length| {
            assert_eq!((pair.input as usize, pair.output as usize), (0, queue));
            told = Some(length as usize);
        });
        self.deques[queue].push_back(self.now);
        assert_eq!(told, Some(self.deques[queue].len()));
        self.compare(queue);
    }

    fn pop(&mut self, queue: usize) {
        let (mut told, mut departures) = (None, vec![Cell::IDLE; self.deques.len()]);
        let before = self.deques[queue].len();
        let matched = self.first(Some(queue));
        let each = |pair: Pair, Popped { length, note, .. }| {
            assert_eq!((pair.input as usize, pair.output as usize), (0, queue));
            assert_eq!(note, self.notes[queue]);
            told = Some(length as usize);
            self.notes[queue] = length.saturating_sub(self.now % 3 + 1);
            self.notes[queue]
        };
        // Whoever knows that a queue has a cell sends the same one.
        if before > 0 && self.now.is_multiple_of(2) {
            self.queues.send::<false, true>(self.now, &matched, &mut departures, true, each);
        } else {
            self.queues.send::<false, false>(self.now, &matched, &mut departures, true, each);
        }
        assert_eq!(told, Some(before));
        let mut expected = vec![Cell::IDLE; self.deques.len()];
        if let Some(born) = self.deques[queue].pop_front() {
            expected[queue] = Cell { born, input: 0 };
        }
        assert_eq!(departures, expected);
        self.compare(queue);
    }

    fn compare(&self, queue: usize) {
        assert_eq!(self.queues.records().length(queue) as usize, self.deques[queue].len());
        assert_eq!(self.queues.cells() as usize, self.deques.iter().map(VecDeque::len).sum::<usize>());
    }

    fn drain(mut self) {
        let lengths: Vec<u32> = self.deques.iter().map(|deque| deque.len() as u32).collect();
        assert_eq!(self.queues.lengths()[..lengths.len()], lengths);
        assert_eq!(self.queues.notes()[..lengths.len()], self.notes);
        for queue in 0..self.deques.len() {
            while !self.deques[queue].is_empty() {
                self.pop(queue);
            }
            self.pop(queue);
        }
        assert_eq!(self.queues.cells(), 0);
        assert_eq!(self.queues.births.idle.len(), self.queues.births.apart.len());
        assert!(self.queues.records.iter().all(|&record| record == 0));
    }
}

proptest! {
    /// Short queues, in the record and in small rings.
    #[test]
    fn as_so_many_deques(operations in prop::collection::vec((0usize..5, any::<bool>()), 0..3000)) {
        let mut both = Both::new(5);
        for (queue, push) in operations {
            if push {
                both.push(queue);
            } else {
                both.pop(queue);
            }
            both.wait(1);
        }
        both.drain();
    }

    /// Long ones, that fill and empty in runs, with waits that make cells older than 16 bits say.
    #[test]
    fn long_and_old(runs in prop::collection::vec((0usize..3, any::<bool>(), 1usize..3000, prop_oneof![9 => 0u32..300, 1 => 0u32..90_000]), 0..24)) {
        let mut both = Both::new(3);
        for (queue, push, cells, wait) in runs {
            for _ in 0..cells {
                if push {
                    both.push(queue);
                    both.wait(1);
                } else {
                    both.pop(queue);
                }
            }
            both.wait(wait);
        }
        both.drain();
    }
}

/// A queue longer than any ring, and back.
#[test]
fn longer_than_any_ring() {
    let mut both = Both::new(2);
    for _ in 0..3 * LARGEST {
        both.push(1);
        both.wait(1);
    }
    assert_eq!(both.queues.births.apart.len(), 1);
    both.push(0);
    both.drain();
}

/// Memory follows the number of cells: what one queue gives back, another takes.
#[test]
fn rings_are_used_again() {
    let mut both = Both::new(64);
    let mut places = 0;
    for turn in 0..640 {
        for _ in 0..500 {
            both.push(turn % 64);
            both.wait(1);
        }
        while !both.deques[turn % 64].is_empty() {
            both.pop(turn % 64);
        }
        if turn == 0 {
            places = both.queues.births.rings.places();
        }
    }
    assert_eq!(both.queues.births.rings.places(), places);
}
