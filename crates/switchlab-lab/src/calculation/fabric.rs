//! The cost of an element of a Benes fabric, by how flows are merged into groups.
//!
//! For the smallest fabric of P x P elements, P the `radix`, with at least that many ports. Of the
//! costliest stage, where stages differ:
//!
//! - `ports`: N, a power of P; `stages`: 2 `log_P` N.
//! - `groups_unmerged`, `groups_per_output`, `groups_hierarchical`: flow groups on a link of that
//!   stage: the larger number of links into and out of an element.
//! - `queues_unmerged`, `queues_per_output`, `queues_hierarchical`: queues in an element, P for
//!   each group on a link in and each on a link out.
//! - `queues_distributed_first`: per-output merging behind the distribution instead of before it.
//! - `cells_unmerged`, `cells_per_output`, `cells_hierarchical`: cells that the queues have room
//!   for. A queue has room for one, but with hierarchical merging for 2 `log_P` N, the round trip
//!   of its credits.
//!   All of these times `priorities`, where levels are asked for: each has queues of its own.
//! - `exit_buffers`: the buffers that each resequencer at an output needs, if cells are put into
//!   order only there, one for each input.
//! - `megabits_per_output`: what `cells_per_output` cells of 48 bytes take, in 10^6 bits.
//! - `levels_hierarchical`: levels of backpressure with hierarchical merging; `depth_hierarchical`,
//!   the cells of one of its buffers.
//! - `fabric_elements`: elements of the whole fabric, N/P in each stage; `crosspoints`, N^2 of a
//!   crossbar; `memories`, the large ones at the inputs, and `queues_per_memory`, their VOQs.
//!
//! And of one `stage`, from 0 on, if it is given and exists: `stage_groups_in` and
//! `stage_groups_out`, groups on its links with per-output merging; `stage_groups_final`, those on
//! its links out if cells are put into order at the exit; `stage_groups_hierarchical`.
//!
//! Reference: paper 004, sections 3.1 and 3.2.

use super::Values;
use switchlab_theory::element_cost::{Merging, element, exit_buffers, largest, queues_if_distributed_first};

/// The values at a number of ports.
pub(super) fn values(ports: usize, radix: u64, priorities: u64, stage: Option<u32>) -> Values {
    let mut levels = 1;
    while radix.pow(levels) < ports as u64 {
        levels += 1;
    }
    let times = |value: Option<u64>| value.and_then(|value| value.checked_mul(priorities));
    let real = |value: Option<u64>| value.map_or(f64::INFINITY, |value| value as f64);
    let mut values = vec![("ports", real(radix.checked_pow(levels))), ("stages", f64::from(2 * levels))];
    for (merging, names) in [
        (Merging::None, ["groups_unmerged", "queues_unmerged", "cells_unmerged"]),
        (Merging::PerOutput, ["groups_per_output", "queues_per_output", "cells_per_output"]),
        (Merging::Hierarchical, ["groups_hierarchical", "queues_hierarchical", "cells_hierarchical"]),
    ] {
        let cost = largest(merging, radix, levels).and_then(|cost| cost.with_priorities(priorities));
        let groups = cost.map(|cost| cost.groups_in.max(cost.groups_out));
        values.extend(
            names.into_iter().zip([groups, cost.map(|cost| cost.queues), cost.map(|cost| cost.cells)].map(real)),
        );
    }
    values.push(("queues_distributed_first", real(times(queues_if_distributed_first(radix, levels)))));
    values.push(("exit_buffers", real(times(exit_buffers(radix, levels)))));
    let per_output = largest(Merging::PerOutput, radix, levels).and_then(|cost| times(Some(cost.cells)));
    values.push(("megabits_per_output", real(per_output) * CELL_BITS / 1e6));
    if let Some(cost) = largest(Merging::Hierarchical, radix, levels) {
        values.push(("levels_hierarchical", cost.backpressure_levels as f64));
        values.push(("depth_hierarchical", (cost.cells / cost.queues.max(1)) as f64));
    }
    let size = radix.checked_pow(levels);
    values.extend([
        ("fabric_elements", real(size.map(|size| size / radix * u64::from(2 * levels)))),
        ("crosspoints", real(size.and_then(|size| size.checked_mul(size)))),
        ("memories", real(size)),
        ("queues_per_memory", real(times(size))),
    ]);
    let of = |merging| element(merging, radix, levels, stage?)?.with_priorities(priorities);
    if let (Some(merged), Some(last), Some(hierarchical)) =
        (of(Merging::PerOutput), of(Merging::PerOutputToTheExit), of(Merging::Hierarchical))
    {
        values.extend([
            ("stage_groups_in", merged.groups_in as f64),
            ("stage_groups_out", merged.groups_out as f64),
            ("stage_groups_final", last.groups_out as f64),
            ("stage_groups_hierarchical", hierarchical.groups_in as f64),
        ]);
    }
    values
}

/// Section 5 assumes a payload of 48 bytes.
const CELL_BITS: f64 = 48.0 * 8.0;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_the_papers_fabric() {
        let values = values(64, 4, 1, Some(4));
        let of = |name| values.iter().find(|(own, _)| *own == name).map(|(_, value)| *value);
        assert_eq!((of("ports"), of("stages")), (Some(64.0), Some(6.0)));
        assert_eq!((of("groups_per_output"), of("queues_per_output")), (Some(64.0), Some(512.0)));
        assert_eq!(of("queues_distributed_first"), Some(1024.0));
        assert_eq!((of("groups_unmerged"), of("cells_hierarchical")), (Some(4096.0), Some(3072.0)));
        let four = super::values(64, 4, 4, Some(4));
        let times = |name: &str| four.iter().zip(&values).find(|(own, _)| own.0 == name).map(|(f, one)| f.1 / one.1);
        assert_eq!(
            (times("queues_per_output"), times("exit_buffers"), times("stages")),
            (Some(4.0), Some(4.0), Some(1.0))
        );
        // Sections 1.2 and 3.1: stages 3, 4 and 5 are the routing ones, with 16, 4 and 1 groups on
        // their links out if cells are put into order at the exit.
        assert_eq!((of("stage_groups_in"), of("stage_groups_out")), (Some(64.0), Some(64.0)));
        assert_eq!((of("stage_groups_final"), of("stage_groups_hierarchical")), (Some(4.0), Some(16.0)));
        assert_eq!((of("depth_hierarchical"), of("levels_hierarchical")), (Some(6.0), Some(3.0)));
        assert_eq!((of("fabric_elements"), of("crosspoints"), of("memories")), (Some(96.0), Some(4096.0), Some(64.0)));
        assert_eq!(of("megabits_per_output"), Some(512.0 * 384.0 / 1e6));
        assert!(super::values(64, 4, 1, Some(6)).iter().all(|(name, _)| !name.starts_with("stage_")));
        // Any number of ports has its fabric.
        assert_eq!(super::values(5, 4, 1, None)[0], ("ports", 16.0));
        assert_eq!(super::values(4096, 2, 1, None)[0], ("ports", 4096.0));
        assert!((1..=4096).all(|ports| super::values(ports, 8, 8, Some(3)).iter().all(|(_, value)| value.is_finite())));
    }
}
