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
//! - `exit_buffers`: what each resequencer at an output needs, if cells are put into order only
//!   there.
//!
//! Reference: paper 004, sections 3.1 and 3.2.

use super::Values;
use switchlab_theory::element_cost::{Merging, exit_buffers, largest, queues_if_distributed_first};

/// The values at a number of ports.
pub(super) fn values(ports: usize, radix: u64, priorities: u64) -> Values {
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
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_the_papers_fabric() {
        let values = values(64, 4, 1);
        let of = |name| values.iter().find(|(own, _)| *own == name).map(|(_, value)| *value);
        assert_eq!((of("ports"), of("stages")), (Some(64.0), Some(6.0)));
        assert_eq!((of("groups_per_output"), of("queues_per_output")), (Some(64.0), Some(512.0)));
        assert_eq!(of("queues_distributed_first"), Some(1024.0));
        assert_eq!((of("groups_unmerged"), of("cells_hierarchical")), (Some(4096.0), Some(3072.0)));
        let four = super::values(64, 4, 4);
        let times = |name: &str| four.iter().zip(&values).find(|(own, _)| own.0 == name).map(|(f, one)| f.1 / one.1);
        assert_eq!(
            (times("queues_per_output"), times("exit_buffers"), times("stages")),
            (Some(4.0), Some(4.0), Some(1.0))
        );
        // Any number of ports has its fabric.
        assert_eq!(super::values(5, 4, 1)[0], ("ports", 16.0));
        assert_eq!(super::values(4096, 2, 1)[0], ("ports", 4096.0));
        assert!((1..=4096).all(|ports| super::values(ports, 8, 8).iter().all(|(_, value)| value.is_finite())));
    }
}
