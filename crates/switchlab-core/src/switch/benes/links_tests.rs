//! Links against sets.

use super::links::{Links, UNCOUNTED};
use alloc::collections::{BTreeMap, BTreeSet};
use proptest::prelude::*;

proptest! {
    /// Against two sets for each end; what is known of the size before must not matter.
    #[test]
    fn behaves_as_sets(power in 1u32..11, operations in prop::collection::vec((0usize..5, 0usize..2, 0usize..1024), 0..600)) {
        let groups = 1 << power;
        check::<0>(groups, &operations)?;
        match groups {
            ..=64 => check::<1>(groups, &operations)?,
            256 => check::<4>(groups, &operations)?,
            1024 => check::<16>(groups, &operations)?,
            _ => {}
        }
    }
}

fn check<const WORDS: usize>(groups: usize, operations: &[(usize, usize, usize)]) -> Result<(), TestCaseError> {
    let mut links = Links::new(groups, [UNCOUNTED; 2]);
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
