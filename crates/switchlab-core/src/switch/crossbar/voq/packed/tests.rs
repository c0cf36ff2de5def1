//! What the packed store does with memory. That it is a store is tested with the others.

use super::super::tests::Both;
use super::rings::LARGEST;
use super::*;

/// A queue longer than any ring moves apart, and its deque is free again when it is empty.
#[test]
fn longer_than_any_ring() {
    let mut both = Both::<Packed>::new(2);
    for _ in 0..3 * LARGEST {
        both.enqueue_one(1);
    }
    assert_eq!(both.store.timestamps.apart.len(), 1);
    both.enqueue_one(0);
    both.drain();
    assert_eq!(both.store.timestamps.idle.len(), both.store.timestamps.apart.len());
    assert!(both.store.records.iter().all(|&record| record == 0));
}

/// Memory follows the number of cells: a ring that one queue frees, another one uses.
#[test]
fn rings_are_used_again() {
    let mut both = Both::<Packed>::new(8);
    let mut entries = 0;
    for turn in 0..640 {
        for _ in 0..500 {
            both.enqueue_one(turn % 64);
        }
        while !both.deques[turn % 64].is_empty() {
            both.dequeue_one(turn % 64);
        }
        if turn == 0 {
            entries = both.store.timestamps.rings.entries();
        }
    }
    assert_eq!(both.store.timestamps.rings.entries(), entries);
}
