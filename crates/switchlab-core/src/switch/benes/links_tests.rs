//! Links against sets.

use super::links::{Links, UNCOUNTED};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use proptest::prelude::*;

proptest! {
    /// Against two sets for each end; what is known of the size before must not matter.
    #[test]
    fn behaves_as_sets(power in 1u32..11, operations in prop::collection::vec((0usize..5, 0usize..2, 0usize..1024), 0..600)) {
        let groups = 1 << power;
        check::<0>(groups, false, &operations)?;
        match groups {
            ..=64 => check::<1>(groups, false, &operations)?,
            256 => check::<4>(groups, true, &operations)?,
            1024 => check::<16>(groups, false, &operations)?,
            _ => {}
        }
    }
}

fn check<const WORDS: usize>(
    groups: usize,
    lined: bool,
    operations: &[(usize, usize, usize)],
) -> Result<(), TestCaseError> {
    let mut links = Links::new(groups, lined, [UNCOUNTED; 2]);
    let mut cells: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::from([(0, BTreeSet::new()), (1, BTreeSet::new())]);
    let mut lacking = cells.clone();
    let mut pointers = [0, 0];
    for &(operation, end, group) in operations {
        let mut section = links.section::<WORDS>(1);
        let group = group % groups;
        let (own, without) = (cells.get_mut(&end).unwrap(), lacking.get_mut(&end).unwrap());
        match operation {
            0 => {
                section.fill(end, group);
                own.insert(group);
            }
            1 if !own.contains(&group) => {
                section.exhaust(end, group, true);
                without.insert(group);
            }
            2 => {
                section.restore(end, group);
                without.remove(&group);
            }
            _ => {
                let mut turn = (0..groups).map(|step| (pointers[end] + step) % groups);
                let expected = turn.find(|group| own.contains(group) && !without.contains(group));
                let mut list = [0; 1024];
                let count = section.active(&mut list);
                prop_assert_eq!(list[..count].iter().any(|active| *active as usize >> 4 == end), expected.is_some());
                prop_assert_eq!(section.is_idle(end), expected.is_none());
                if let Some(sent) = expected {
                    let spends = operation == 4;
                    prop_assert_eq!(section.send_one(end, spends), Some(sent));
                    own.remove(&sent);
                    if spends {
                        without.insert(sent);
                    }
                    pointers[end] = (sent + 1) % groups;
                }
            }
        }
        prop_assert_eq!(section.ready(end) as usize, own.difference(without).count());
        prop_assert!(links.is_sound(1, end));
        prop_assert_eq!(links.end(1, end).pointer as usize, pointers[end]);
        prop_assert_eq!(links.look(1, end, group), (own.contains(&group), !without.contains(&group)));
    }
    Ok(())
}

proptest! {
    /// All ends of 256 groups at once against each end by itself; in both, an end that has nothing keeps its pointer.
    #[test]
    fn all_ends_send_as_each_does(
        operations in prop::collection::vec((0usize..3, 0usize..256, 0usize..256), 0..1500),
        rounds in 1usize..6,
        spends in any::<bool>(),
    ) {
        let mut links = Links::new(256, true, [UNCOUNTED]);
        let mut section = links.section::<4>(0);
        for &(operation, end, group) in &operations {
            // Few ends, so that they have several groups.
            let end = end % 64 * 4;
            match operation {
                0 => section.exhaust(end, group, true),
                _ => section.fill(end, group),
            }
        }
        let mut twin = links.clone();
        for _ in 0..rounds {
            let mut list = [0; 256];
            let count = links.section::<4>(0).send_all(spends, &mut list);
            let mut section = twin.section::<4>(0);
            let sent = |end: usize| section.send_one(end, spends).map(|group| (end << 16 | group) as u32);
            prop_assert_eq!(&list[..count], &(0..256).filter_map(sent).collect::<Vec<u32>>());
            for end in 0..256 {
                prop_assert_eq!(links.end(0, end).pointer, twin.end(0, end).pointer);
                let words = |links: &Links| (0..256).map(|group| links.look(0, end, group)).collect::<Vec<_>>();
                prop_assert_eq!(words(&links), words(&twin));
            }
        }
    }
}
