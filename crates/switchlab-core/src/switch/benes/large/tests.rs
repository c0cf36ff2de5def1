//! The pieces of a large fabric against what they stand for.

use super::ends::Ends;
use super::line::{Frame, GROUPS, Line};
use super::pool::Pool;
use crate::rng::{Purpose, Seed};
use crate::switch::benes::shape::Routing;
use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;

const SEED: Seed = Seed { seed: 5, replication: 0 };

/// The groups of a link that can send, chunk by chunk as lines show them, against each group by itself.
fn lines_show_link_groups<const P: usize>(ports: usize) {
    let digit = P.trailing_zeros();
    let mut rng = SEED.stream(Purpose::Fabric, 0);
    let levels = ports.trailing_zeros() / digit;
    for (distributes, level) in [true, false].into_iter().flat_map(|d| (0..levels).map(move |level| (d, level))) {
        let routing = Routing { distributes, split: true, low: level * digit };
        let mut lines = vec![Line([0; GROUPS]); ports / GROUPS];
        lines.iter_mut().flat_map(|line| &mut line.0).for_each(|word| *word = rng.next() as u32);
        let frame = Frame::new::<P>(routing);
        for (port, group) in (0..P).flat_map(|port| (0..ports).map(move |group| (port, group))) {
            let (inner, part) = routing.behind::<P>(port, group);
            let flags = lines[inner / GROUPS].0[inner % GROUPS] >> part;
            let (line, parts) = frame.line(group / GROUPS, port);
            let eligible = frame.eligible::<P>(&lines[line], port, parts);
            let able = flags & flags >> P & 1;
            assert_eq!(eligible >> (group % GROUPS) & 1, able, "radix {P}, {routing:?}, port {port}, group {group}");
            assert_eq!(line, inner / GROUPS);
        }
    }
}

#[test]
fn lines_show_link_groups_in_order() {
    lines_show_link_groups::<2>(512);
    lines_show_link_groups::<4>(1024);
    lines_show_link_groups::<8>(512);
}

/// Where an end looks, against a set of those 16 that have something to send.
#[test]
fn ends_look_at_the_next_groups() {
    let mut rng = SEED.stream(Purpose::Fabric, 1);
    for ports in [512, 1024, 2048, 4096] {
        let (mut ends, mut able) = (Ends::new(2, ports), BTreeSet::new());
        for _ in 0..3000 {
            let mut section = ends.section::<0>(2);
            let group = rng.below(ports);
            if rng.below(2) == 0 {
                section.wake(7, group, 1);
                able.insert(group / GROUPS);
            }
            let (pointer, (own, mask)) = (usize::from(section.pointers[7]), section.look(7));
            let from = |first: usize| able.range(first..).chain(&able).next().copied();
            assert_eq!(section.is_active(7), !able.is_empty());
            assert!(able.is_empty() || Some(own) == from(pointer / GROUPS));
            let after = |rank: usize| own * GROUPS + rank >= pointer || own != pointer / GROUPS;
            assert_eq!(mask, (0..GROUPS).map(|rank| u32::from(after(rank)) << rank).sum());
            if let Some(chunk) = from((pointer / GROUPS + 1) % (ports / GROUPS)) {
                assert_eq!(section.next(7), chunk);
                let none = rng.below(2) == 0;
                section.sent(7, chunk * GROUPS + group % GROUPS, none);
                if none {
                    able.remove(&chunk);
                }
            }
            assert_eq!(ends.summary(2, 7, group / GROUPS), able.contains(&(group / GROUPS)));
            // Other ends and links are not concerned.
            assert!(!ends.section::<0>(1).is_active(7) && !ends.section::<0>(2).is_active(6));
        }
    }
}

/// No place is given twice, and what was given back last is given first, also after the pool has grown.
#[test]
fn places_are_given_once() {
    let mut pool = Pool::<4>::default();
    let mut taken: Vec<u32> = Vec::new();
    for round in 1..20 {
        pool.provide(500);
        let first = pool.soon(0);
        let mut places = pool.open();
        for _ in 0..500 {
            places.left -= 1;
            taken.push(places.free[places.left]);
        }
        assert!(taken.contains(&first));
        let back = taken.swap_remove(round * 7 % taken.len());
        places.free[places.left] = back;
        places.left += 1;
        drop(places);
        assert_eq!(pool.soon(0), back);
        assert_eq!(taken.iter().collect::<BTreeSet<_>>().len(), taken.len());
        assert!(taken.iter().all(|&place| (place as usize) < pool.records.len()));
    }
}
