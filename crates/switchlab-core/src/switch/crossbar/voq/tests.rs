//! One suite for all stores: each behaves as one deque of arrival slots for each VOQ.

use super::*;
use crate::cell::NONE;
use alloc::collections::VecDeque;
use alloc::vec;
use proptest::prelude::*;

/// A store and as many deques.
pub(super) struct Both<Q> {
    pub(super) store: Q,
    ports: usize,
    pub(super) deques: Vec<VecDeque<Slot>>,
    /// The tag of each VOQ, if the store keeps them; else 0.
    tags: Vec<u32>,
    now: Slot,
}

impl<Q: VoqStore> Both<Q> {
    pub(super) fn new(ports: usize) -> Self {
        let voqs = ports * ports;
        Self { store: Q::new(ports), ports, deques: vec![VecDeque::new(); voqs], tags: vec![0; voqs], now: 0 }
    }

    fn voqs(&self, outputs: &[Port]) -> Vec<usize> {
        let named = outputs.iter().enumerate().filter(|(_, output)| **output != NONE);
        named.map(|(input, &output)| input * self.ports + usize::from(output)).collect()
    }

    /// Begins the next slot, with these arrivals.
    pub(super) fn enqueue(&mut self, arrivals: &[Port]) {
        self.now += 1;
        let expected = self.voqs(arrivals);
        for &voq in &expected {
            self.deques[voq].push_back(self.now);
        }
        let mut reported = Vec::new();
        let kept = self.store.enqueue_all::<2>(self.now, arrivals, |Enqueued { voq, length, .. }| {
            assert_eq!(voq.index, voq.input * self.ports + voq.output);
            assert_eq!(length as usize, if Q::KEEPS_LENGTHS { self.deques[voq.index].len() } else { 0 });
            reported.push(voq.index);
        });
        assert_eq!(reported, expected);
        assert_eq!(kept, expected.len());
        self.check(&expected);
    }

    /// Dequeues by a matching, with every hint that is true.
    pub(super) fn dequeue(&mut self, outputs: &[Port], recent: bool) {
        let matched = self.voqs(outputs);
        let served: Vec<usize> = matched.iter().copied().filter(|&voq| !self.deques[voq].is_empty()).collect();
        let hints = Matched {
            outputs,
            perfect: matched.len() == self.ports,
            // The hint may be left out, and is every other time.
            nonempty: served.len() == matched.len() && self.now.is_multiple_of(2),
            recent,
        };
        let (mut expected, mut departures) = (vec![Cell::IDLE; self.ports], vec![Cell::IDLE; self.ports]);
        let lengths: Vec<usize> = self.deques.iter().map(VecDeque::len).collect();
        for &voq in &served {
            let born = self.deques[voq].pop_front().expect("not empty");
            expected[voq % self.ports] = Cell { born, input: (voq / self.ports) as Port };
        }
        let (mut reported, tags) = (Vec::new(), &mut self.tags);
        let departed = self.store.dequeue_matched::<2>(self.now, hints, &mut departures, |dequeued| {
            let Dequeued { voq, length, tag, emptied } = dequeued;
            if lengths[voq.index] > 0 {
                reported.push(voq.index);
            }
            assert_eq!(emptied, lengths[voq.index] == 1);
            assert_eq!(length as usize, if Q::KEEPS_LENGTHS { lengths[voq.index] } else { 0 });
            assert_eq!(tag, tags[voq.index]);
            // At most what is left.
            let next = (lengths[voq.index] as u32).saturating_sub(1 + self.now % 3);
            tags[voq.index] = if Q::KEEPS_LENGTHS { next } else { 0 };
            next
        });
        assert_eq!(departures, expected);
        assert_eq!((reported, departed), (served.clone(), served.len()));
        self.check(&matched);
    }

    fn check(&self, voqs: &[usize]) {
        for &voq in voqs {
            assert_eq!(self.store.head_arrival(voq, self.now), self.deques[voq].front().copied());
            if Q::KEEPS_LENGTHS {
                assert_eq!(self.store.known_lengths().get(voq) as usize, self.deques[voq].len());
            }
        }
        assert_eq!(self.store.cells() as usize, self.deques.iter().map(VecDeque::len).sum::<usize>());
    }

    /// A slot in which one input has an arrival.
    pub(super) fn enqueue_one(&mut self, voq: usize) {
        let arrivals = self.only(voq);
        self.enqueue(&arrivals);
    }

    /// A departure from one VOQ, if it has a cell.
    pub(super) fn dequeue_one(&mut self, voq: usize) {
        let outputs = self.only(voq);
        self.dequeue(&outputs, false);
    }

    fn only(&self, voq: usize) -> Vec<Port> {
        let mut outputs = vec![NONE; self.ports];
        outputs[voq / self.ports] = (voq % self.ports) as Port;
        outputs
    }

    /// Slots without arrivals.
    pub(super) fn wait(&mut self, slots: Slot) {
        let idle = vec![NONE; self.ports];
        for _ in 0..slots {
            self.now += 1;
            self.store.enqueue_all::<2>(self.now, &idle, |_| panic!("nothing arrives"));
        }
    }

    /// Compares all lengths and tags, and serves all VOQs until they are empty.
    pub(super) fn drain(&mut self) {
        let lengths: Vec<u32> = self.deques.iter().map(|deque| deque.len() as u32).collect();
        assert_eq!(self.store.lengths(), lengths);
        assert_eq!(self.store.tags(), if Q::KEEPS_LENGTHS { self.tags.clone() } else { Vec::new() });
        while self.store.cells() > 0 {
            for shift in 0..self.ports {
                let outputs: Vec<Port> = (0..self.ports).map(|input| ((input + shift) % self.ports) as Port).collect();
                self.dequeue(&outputs, shift % 2 == 0);
            }
        }
        assert!(self.store.lengths().iter().all(|&length| length == 0));
    }
}

/// Slots of a switch: for each input an arrival and a match, or none. The matching is valid.
fn slots(ports: usize) -> impl Strategy<Value = Vec<(Vec<Port>, Vec<Port>, bool)>> {
    let port = prop_oneof![2 => (0..ports as Port).boxed(), 1 => Just(NONE).boxed()];
    let outputs = Just((0..ports as Port).collect::<Vec<_>>()).prop_shuffle();
    let matching = (outputs, prop_oneof![Just(0), 0..10u32], any::<u64>()).prop_map(|(mut outputs, share, which)| {
        for (input, output) in outputs.iter_mut().enumerate() {
            if (which >> (input % 60) & 15) < u64::from(share) {
                *output = NONE;
            }
        }
        outputs
    });
    prop::collection::vec((prop::collection::vec(port, ports), matching, any::<bool>()), 0..400)
}

fn random_slots<Q: VoqStore>(ports: usize, slots: Vec<(Vec<Port>, Vec<Port>, bool)>) {
    let mut both = Both::<Q>::new(ports);
    for (arrivals, matching, recent) in slots {
        both.enqueue(&arrivals);
        both.dequeue(&matching, recent);
    }
    both.drain();
}

/// Runs of arrivals or departures at one VOQ, and a wait after each.
type Runs = Vec<(usize, bool, usize, Slot)>;

fn long_and_old<Q: VoqStore>(runs: &Runs) {
    let mut both = Both::<Q>::new(2);
    for &(voq, enqueue, cells, wait) in runs {
        for _ in 0..cells {
            if enqueue {
                both.enqueue_one(voq);
            } else {
                both.dequeue_one(voq);
            }
        }
        both.wait(wait);
    }
    both.drain();
}

fn runs() -> impl Strategy<Value = Runs> {
    let wait = prop_oneof![9 => 0u32..300, 1 => 0u32..90_000];
    prop::collection::vec((0usize..4, any::<bool>(), 1usize..3000, wait), 0..24)
}

/// The suite. A new store is a new line below.
macro_rules! suite {
    ($($name:ident: $Store:ty;)*) => { $(mod $name {
        use super::*;

        proptest! {
            #![proptest_config(ProptestConfig::with_cases(48))]

            #[test]
            fn random_slots(slots in slots(7)) {
                super::random_slots::<$Store>(7, slots);
            }

            #[test]
            fn random_slots_of_two_words(slots in slots(66)) {
                super::random_slots::<$Store>(66, slots);
            }

            /// Long queues, and cells older than 16 bits can say.
            #[test]
            fn long_and_old(runs in runs()) {
                super::long_and_old::<$Store>(&runs);
            }
        }

        /// A queue of many thousand cells, and back.
        #[test]
        fn a_very_long_queue() {
            super::long_and_old::<$Store>(&vec![(3, true, 13_000, 0), (0, true, 1, 0)]);
        }
    })* };
}

suite! {
    linked: Linked;
    packed: Packed;
}
