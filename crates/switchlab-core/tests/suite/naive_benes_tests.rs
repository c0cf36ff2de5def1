//! The naive Benes fabric by itself: what can be worked out by hand, and what must hold after every
//! slot.

use crate::common::{SEED, rows, source};
use crate::naive_benes::{Distribution, Fabric, Merge, NaiveBenes, Resequencing};
use switchlab_core::{Cell, NONE, Port, Slot};

/// Buffers of one cell, two for routing inputs with imbalance counts; everything else as by
/// default.
pub(crate) fn fabric(ports: usize, radix: usize, distribution: Distribution) -> Fabric {
    let routing_input = if distribution == Distribution::ImbalanceCount { 2 } else { 1 };
    Fabric {
        ports,
        radix,
        distribution,
        resequencing: Resequencing::PerStage,
        merge: Merge::RoundRobin,
        distribution_buffers: (1, 1),
        routing_buffers: (routing_input, 1),
        credit_delay: 0,
    }
}

pub(crate) const DISTRIBUTIONS: [Distribution; 2] = [Distribution::RoundRobin, Distribution::ImbalanceCount];
const SIZES: [(usize, usize); 8] = [(2, 2), (4, 2), (8, 2), (16, 2), (16, 4), (64, 4), (64, 8), (8, 8)];

/// Runs cells (slot, input, output) and returns what leaves: (slot, output, input, arrival slot).
fn run(fabric: Fabric, cells: &[(Slot, usize, Port)], slots: Slot) -> Vec<(Slot, usize, Port, Slot)> {
    let mut naive = NaiveBenes::new(fabric);
    let mut left = Vec::new();
    for now in 0..slots {
        let mut arrivals = vec![NONE; fabric.ports];
        for &(_, input, output) in cells.iter().filter(|cell| cell.0 == now) {
            arrivals[input] = output;
        }
        let departures = naive.slot(now, &arrivals);
        let cells = departures.iter().enumerate().filter(|(_, cell)| !cell.is_idle());
        left.extend(cells.map(|(output, cell)| (now, output, cell.input, cell.born)));
        naive.check();
    }
    assert_eq!(left.len(), cells.len(), "everything has left");
    left
}

#[test]
fn a_lone_cell_takes_two_slots_for_each_level() {
    for (ports, radix) in SIZES {
        let stages = 2 * ports.ilog(radix) as Slot;
        for distribution in DISTRIBUTIONS {
            for resequencing in [Resequencing::PerStage, Resequencing::FinalOut] {
                let fabric = Fabric { resequencing, ..fabric(ports, radix, distribution) };
                for (input, output) in (0..ports).step_by(ports.div_ceil(8)).map(|i| (i, (i * 7 + 3) % ports)) {
                    let left = run(fabric, &[(5, input, output as Port)], 30);
                    assert_eq!(left, [(5 + stages, output, input as Port, 5)], "{fabric:?}");
                }
            }
        }
    }
}

/// Three cells for output 0 of a 4 x 4 fabric: A (input 0) and B (input 1) in slot 0, C (input 0)
/// in slot 1. `d` and `r` are distribution and routing elements of a level, `.0` and `.1` their
/// outputs; round robin everywhere.
///
/// ```text
///   slot 0   A, B to the inputs 0, 1 of d0 of level 0
///   slot 1   d0 takes A first: A.0 (number 0), B.1 (number 1); A to d0, B to d1 of level 1, both
///            to input 0; C to d0 of level 0
///   slot 2   level 1: A.0 in d0, B.0 in d1 (both number 0 there); level 0: C.0 (number 2); A to
///            r0, B to r1 of level 1, C to d0 of level 1
///   slot 3   level 1: A and B are expected there, both go to output 0 (0 / 2 mod 2), group
///            (src / 2) * 2 + 0 = 0; C.1 in d0 (number 1); A to input 0 and B to input 1 of r0 of
///            level 0; C to input 1 of r0 of level 1
///   slot 4   level 0: A has number 0, then B number 1: groups 0 and 1 of output 0. The port sends
///            group 0: A leaves. C passes level 1
///   slot 5   C (number 2) to group 0 of output 0; the port's pointer is at 1: B leaves
///   slot 6   C leaves
/// ```
#[test]
fn a_case_worked_by_hand() {
    let cells = [(0, 0, 0), (0, 1, 0), (1, 0, 0)];
    let left = [(4, 0, 0, 0), (5, 0, 1, 0), (6, 0, 0, 1)];
    assert_eq!(run(fabric(4, 2, Distribution::RoundRobin), &cells, 10), left);
    // With imbalance counts d0 also sends A to output 0 (a tie), and B to the other, where C's
    // choice is free again.
    assert_eq!(run(fabric(4, 2, Distribution::ImbalanceCount), &cells, 10), left);
}

/// A fixed order takes input 1's cell whenever there is room after input 0's: input 0 sends 0, 1, 2
/// in slots 0, 1, 2, and input 1 one in slot 0.
///
/// ```text
///   slot 1   d0 of level 0: cell 0 to output 0 (number 0), then input 1's cell to output 1 (number
///            1), since both outputs are empty
///   slot 2   cell 1 to output 0 (number 2)
///   slot 3   cell 2 to output 1 (number 3)
/// ```
/// so the resequencer of level 0 hands them on in that order, and the exit sends group 0, then
/// group 1, then group 0 twice, one in each slot from slot 4 on.
#[test]
fn merging_by_a_fixed_order_does_not_wait_when_there_is_room() {
    let cells = [(0, 0, 0), (0, 1, 0), (1, 0, 0), (2, 0, 0)];
    let fabric = Fabric { merge: Merge::Fixed, ..fabric(4, 2, Distribution::RoundRobin) };
    assert_eq!(run(fabric, &cells, 12), [(4, 0, 0, 0), (5, 0, 1, 0), (6, 0, 0, 1), (7, 0, 0, 2)]);
}

#[test]
fn cells_are_kept_and_flows_stay_in_order() {
    for (ports, radix) in [(4, 2), (8, 2), (16, 4), (64, 4)] {
        for (place, (traffic, process)) in
            [("uniform", "bernoulli"), ("hotspot(count=2)", "bursty(mean=12)")].into_iter().enumerate()
        {
            for (distribution, resequencing, credit_delay) in [
                (Distribution::RoundRobin, Resequencing::PerStage, 0),
                (Distribution::ImbalanceCount, Resequencing::PerStage, 0),
                (Distribution::RoundRobin, Resequencing::FinalOut, 1),
                (Distribution::ImbalanceCount, Resequencing::FinalOut, 0),
            ] {
                let fabric = Fabric { resequencing, credit_delay, ..fabric(ports, radix, distribution) };
                invariants(fabric, traffic, process, [0.9, 0.6][place]);
            }
        }
    }
}

fn invariants(fabric: Fabric, traffic: &str, process: &str, load: f64) {
    let ports = fabric.ports;
    let busy = 50_000 / (ports * ports) as Slot;
    let mut naive = NaiveBenes::new(fabric);
    let mut source = source(traffic, process, ports, load, SEED);
    let (mut inside, mut youngest) = (0, vec![vec![None; ports]; ports]);
    let mut account = |row: &[Port], departures: &[Cell], naive: &NaiveBenes, now: Slot| {
        inside += row.iter().filter(|output| **output != NONE).count();
        for (output, cell) in departures.iter().enumerate().filter(|(_, cell)| !cell.is_idle()) {
            inside -= 1;
            let last = &mut youngest[usize::from(cell.input)][output];
            assert!(*last < Some(cell.born) && cell.born < now, "{fabric:?}: flow {} to {output}", cell.input);
            *last = Some(cell.born);
        }
        let (voqs, fabric) = naive.queued();
        assert_eq!(inside, voqs + fabric);
        if now.is_multiple_of(16) {
            naive.check();
        }
        inside
    };
    for (now, row) in rows(&mut *source, ports, busy) {
        let departures = naive.slot(now, &row);
        account(&row, &departures, &naive, now);
    }
    let idle = vec![NONE; ports];
    let drained = (busy..busy + 100_000).find(|&now| {
        let departures = naive.slot(now, &idle);
        account(&idle, &departures, &naive, now) == 0
    });
    assert!(drained.is_some(), "{fabric:?} does not drain");
    for now in drained.unwrap() + 1..drained.unwrap() + 4 {
        naive.slot(now, &idle);
    }
    naive.check();
}
