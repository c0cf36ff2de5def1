//! The cost of an element of a Benes fabric, against the numbers of the paper.

use switchlab_theory::element_cost::{Merging, element, exit_buffers, largest, queues_if_distributed_first};

fn queues(merging: Merging, radix: u64, levels: u32) -> Vec<u64> {
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
    let stage = |stage| element(Merging::None, 4, 3, stage).unwrap();
    assert_eq!((stage(2).groups_out, stage(3).groups_in), (64 * 64, 64 * 64));
    assert_eq!((stage(0).groups_in, stage(5).groups_out), (64, 64));
    assert_eq!(largest(Merging::None, 4, 3).map(|cost| cost.queues), Some(4 * (64 * 64 + 64 * 16)));
}

/// Section 2.3: pl priority levels multiply flows, buffers and credits, not levels of feedback.
#[test]
fn priority_levels_multiply_queues() {
    let plain = element(Merging::PerOutput, 4, 3, 0).unwrap();
    let cost = plain.with_priorities(4).unwrap();
    assert_eq!((cost.groups_in, cost.queues, cost.cells), (256, 4 * 2 * 4 * 64, 4 * 2 * 4 * 64));
    assert_eq!((plain.with_priorities(1), cost.backpressure_levels), (Some(plain), 1));
    assert_eq!(plain.with_priorities(u64::MAX), None);
}

/// "N/2, ..., 2, 1 flows" in the routing stages, and N buffers at each output.
#[test]
fn resequencing_at_the_exit_thins_out_the_routing_stages() {
    let out: Vec<u64> =
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
