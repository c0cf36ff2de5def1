use super::super::gamma;
use super::super::halving::Halving;
use super::super::table::{Due, Table};
use super::Rows;
use crate::cell::{NONE, Port, Slot};
use crate::rng::{Purpose, Seed};
use alloc::vec;
use alloc::vec::Vec;

/// A switch fed at random, in each slot by rows and by lists; says how many slots rows could do.
/// Cells without a memory are forgotten.
fn agree(ports: usize, memories: usize, capacity: usize, slots: Slot) -> usize {
    let mut rng = Seed { seed: 7, replication: 0 }.stream(Purpose::Scheduler, ports);
    let mut rows = Rows::new(ports, memories).expect("small enough");
    let mut lists = Halving::by_lists(ports, memories);
    let mut table: Table<2> = Table::new(memories, capacity);
    let mut lengths = vec![0; ports];
    let mut done = 0;
    for now in 0..slots {
        let place = now as usize % capacity;
        let mut due = Vec::new();
        for input in 0..ports {
            // Slots differ in load, and now and then all cells go to one output.
            let output = rng.below(if now % 5 == 4 { 1 } else { ports });
            if rng.below(8) <= now as usize % 8 && lengths[output] < capacity {
                let place = ((place + lengths[output]) % capacity) as u32;
                due.push(Due { input: input as Port, output: output as Port, place });
                lengths[output] += 1;
            }
        }
        let (mut by_rows, mut placed) = (Vec::new(), Vec::new());
        lists.place(&table, &due, &mut placed);
        if rows.place(&table, &due, &mut by_rows) {
            assert_eq!(by_rows, placed, "{ports} ports, {memories} memories, capacity {capacity}, slot {now}");
            done += 1;
        } else {
            assert!(by_rows.is_empty());
        }
        for (due, &memory) in due.iter().zip(&placed) {
            if memory == NONE {
                // The cell is left out of the table; its departure slot stays empty.
                continue;
            }
            table.write(*due, memory as usize, now);
        }
        table.read(place as u32, |_, _| {});
        for length in &mut lengths {
            *length = length.saturating_sub(1);
        }
    }
    done
}

#[test]
fn rows_are_as_lists() {
    for ports in 1..=64 {
        let enough = ports - 1 + gamma(ports);
        for (memories, capacity) in [(enough, 64), (enough, 7), ((3 * ports - 2).max(enough).min(128), 300), (128, 16)]
        {
            assert_eq!(agree(ports, memories, capacity, 60), 60);
        }
    }
}

#[test]
fn rows_leave_to_lists_what_they_cannot_do() {
    let mut done = 0;
    for ports in [2, 3, 5, 8, 13, 16, 31, 33, 64] {
        done += agree(ports, 2 * ports - 1, 64, 60);
        done += agree(ports, gamma(ports) + ports / 2, 64, 60);
    }
    assert!((100..18 * 60).contains(&done), "{done}");
}

#[test]
fn large_switches_have_no_rows() {
    for (ports, memories, some) in [(64, 127, true), (64, 128, true), (64, 129, false), (65, 128, false), (1, 1, true)]
    {
        assert_eq!(Rows::new(ports, memories).is_some(), some, "{ports} ports, {memories} memories");
    }
}
