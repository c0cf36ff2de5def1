//! What an element costs, by how flows are merged (section 3).
//!
//! A flow group on a link needs a buffer at both ends of the link. So an element with P links in
//! and P links out has P queues for the groups of each of its links in, and P for those of each
//! link out.

/// How flows are merged into groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merging {
    /// Not at all: a flow for each input and output.
    None,
    /// All flows for the same output, and split again one by one on the way out: what the fabric
    /// here does.
    PerOutput,
    /// All flows for the same output, all the way; resequencing at the exit only.
    PerOutputToTheExit,
    /// All flows that leave a sub-network by the same output, level by level.
    Hierarchical,
}

/// The cost of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Flow groups on a link into the element.
    pub groups_in: u64,
    /// Flow groups on a link out of it.
    pub groups_out: u64,
    /// Queues in the element.
    pub queues: u64,
    /// Cells that these have room for, so that links can be used fully.
    pub cells: u64,
    /// Levels of backpressure, one inside the other, in the fabric.
    pub backpressure_levels: u64,
}

/// The cost of an element of a stage, from 0 to 2 K - 1, of a fabric with P^K ports. None if there
/// is no such stage, or the numbers are beyond all bounds.
///
/// Every buffer holds one cell where credits come back within a cell time. With hierarchical
/// merging credits come from the end of a sub-network and take up to 2 K cell times, so that
/// buffers have room for 2 K cells (section 3.1).
pub fn element(merging: Merging, radix: u64, levels: u32, stage: u32) -> Option<Cost> {
    if stage >= levels.checked_mul(2)? || radix < 2 {
        return None;
    }
    let groups = |link: u32| groups(merging, radix, levels, link);
    let (groups_in, groups_out) = match merging {
        // The state for the inputs and outputs of a sub-network is that of its outermost stages, on
        // both of their sides.
        Merging::Hierarchical => {
            let level = stage.min(2 * levels - 1 - stage);
            let own = radix.checked_pow(levels - level)?;
            (own, own)
        }
        _ => (groups(stage)?, groups(stage + 1)?),
    };
    let queues = radix.checked_mul(groups_in.checked_add(groups_out)?)?;
    let hierarchical = merging == Merging::Hierarchical;
    let depth = if hierarchical { 2 * u64::from(levels) } else { 1 };
    let backpressure_levels = if hierarchical { u64::from(levels) } else { 1 };
    Some(Cost { groups_in, groups_out, queues, cells: queues.checked_mul(depth)?, backpressure_levels })
}

/// Flow groups on a link, from 0 to 2 K.
fn groups(merging: Merging, radix: u64, levels: u32, link: u32) -> Option<u64> {
    let ports = radix.checked_pow(levels)?;
    match merging {
        // The cells of P^l inputs come over a link into stage l, for all outputs; on the way out
        // likewise, seen from the outputs.
        Merging::None => ports.checked_mul(radix.checked_pow(link.min(2 * levels - link))?),
        Merging::PerOutputToTheExit if link > levels => radix.checked_pow(2 * levels - link),
        _ => Some(ports),
    }
}

/// The largest cost of all stages: what a fabric of equal elements needs in each.
pub fn largest(merging: Merging, radix: u64, levels: u32) -> Option<Cost> {
    let costs = (0..levels.checked_mul(2)?).map(|stage| element(merging, radix, levels, stage));
    costs.collect::<Option<alloc::vec::Vec<Cost>>>()?.into_iter().max_by_key(|cost| cost.queues)
}

/// Queues in a distribution element that distributes before it merges: one for each input, output
/// and group, P^2 N in all. Merging first takes 2 P N (section 3.2).
pub fn queues_if_distributed_first(radix: u64, levels: u32) -> Option<u64> {
    radix.checked_pow(levels.checked_add(2)?)
}

/// Buffers of a resequencer at an output if cells are resequenced only there: one for each input
/// (section 3.1).
pub fn exit_buffers(radix: u64, levels: u32) -> Option<u64> {
    radix.checked_pow(levels)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queues(merging: Merging, radix: u64, levels: u32) -> alloc::vec::Vec<u64> {
        (0..2 * levels).map(|stage| element(merging, radix, levels, stage).unwrap().queues).collect()
    }

    /// Figure 4: 4 ports, P = 2; every link carries exactly N flow groups. 2 P N queues per
    /// element.
    #[test]
    fn per_output_merging_costs_the_same_everywhere() {
        assert_eq!(queues(Merging::PerOutput, 2, 2), [16; 4]);
        for (radix, levels) in [(2, 3), (4, 3), (8, 4)] {
            let ports = radix_power(radix, levels);
            for stage in 0..2 * levels {
                let cost = element(Merging::PerOutput, radix, levels, stage).unwrap();
                assert_eq!((cost.groups_in, cost.groups_out, cost.queues), (ports, ports, 2 * radix * ports));
                assert_eq!(cost.backpressure_levels, 1);
            }
            assert_eq!(queues_if_distributed_first(radix, levels), Some(radix * radix * ports));
        }
    }

    fn radix_power(radix: u64, levels: u32) -> u64 {
        (0..levels).fold(1, |power, _| power * radix)
    }

    /// "All sub-networks, no matter how small, are traversed by N^2 flows."
    #[test]
    fn without_merging_the_core_carries_all_flows() {
        let core = element(Merging::None, 2, 3, 2).unwrap();
        assert_eq!((core.groups_in, core.groups_out), (8 * 4, 64));
        // Over all N links into the centre: each flow on each of them.
        assert_eq!(groups(Merging::None, 4, 3, 3), Some(64 * 64));
        assert_eq!(groups(Merging::None, 4, 3, 0), Some(64));
        assert_eq!(groups(Merging::None, 4, 3, 6), Some(64));
        assert_eq!(largest(Merging::None, 4, 3).map(|cost| cost.queues), Some(4 * (64 * 64 + 64 * 16)));
    }

    /// "N/2, ..., 2, 1 flows" in the routing stages, and N buffers at each output.
    #[test]
    fn resequencing_at_the_exit_thins_out_the_routing_stages() {
        let out: alloc::vec::Vec<u64> =
            (3..6).map(|stage| element(Merging::PerOutputToTheExit, 2, 3, stage).unwrap().groups_out).collect();
        assert_eq!(out, [4, 2, 1]);
        assert_eq!(exit_buffers(2, 3), Some(8));
    }

    /// "N / 2^k in stage k", log N levels, buffers of up to 2 log N cells.
    #[test]
    fn hierarchical_merging_needs_the_fewest_queues_but_deep_ones() {
        for stage in 0..3 {
            let cost = element(Merging::Hierarchical, 2, 3, stage).unwrap();
            assert_eq!(cost.groups_in, 8 >> stage);
            assert_eq!((cost.cells, cost.backpressure_levels), (6 * cost.queues, 3));
            assert_eq!(element(Merging::Hierarchical, 2, 3, 5 - stage), Some(cost));
        }
    }

    #[test]
    fn nothing_overflows() {
        for merging in [Merging::None, Merging::PerOutput, Merging::PerOutputToTheExit, Merging::Hierarchical] {
            assert_eq!(element(merging, u64::MAX, 3, 0), None);
            assert_eq!(element(merging, 2, u32::MAX, 0), None);
            assert_eq!(element(merging, 1, 3, 0), None);
            assert_eq!(element(merging, 2, 3, 6), None);
            assert_eq!(largest(merging, 2, 0), None);
        }
        assert_eq!(largest(Merging::None, 2, u32::MAX), None);
        assert_eq!(queues_if_distributed_first(2, u32::MAX), None);
    }
}
