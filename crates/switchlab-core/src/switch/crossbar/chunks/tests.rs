use super::*;
use alloc::collections::VecDeque;
use proptest::prelude::*;

/// So much that memory grows when there is much in it: every cell is where it was, and lines begin where lines of cache do.
#[test]
fn memory_grows_with_what_is_in_it() {
    let mut chunks = Chunks::new(3, 3, 0);
    let mut moves = 0;
    for born in 0..200_000 {
        let before = chunks.memory.as_ptr();
        chunks.append(born as usize % 3, born);
        moves += u32::from(chunks.memory.as_ptr() != before);
        assert_eq!(chunks.lines().as_ptr().align_offset(64), 0);
    }
    assert!(moves > 3, "moved {moves} times");
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
        let mut chunks = Chunks::new(5, 7, cells);
        let mut deques = vec![VecDeque::new(); 5];
        for (now, (queue, push)) in (0u32..).zip(operations) {
            let born = now * pace;
            let (mut pushed, mut popped) = (0, 0);
            if careful && push < 5 {
                chunks.append(queue, born);
                deques[queue].push_back(born);
                continue;
            }
            let mut open = chunks.open_for(1, born);
            if push < if now / 500 % 2 == 0 { 6 } else { 2 } {
                if line_ends(open.push(queue, born)) {
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
            // Every line is free or has a place in a queue.
            let mut used = 0;
            (0..5).for_each(|queue| chunks.walk(queue, |_| used += 1));
            prop_assert_eq!(used + chunks.unused, chunks.lines().len());
        }
    }
}
