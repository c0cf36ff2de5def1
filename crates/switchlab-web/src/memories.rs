//! Which cell is in which memory of a shared-memory switch.
//!
//! The switch reports where it writes each cell, and when the cell departs. Everything else
//! follows: a memory holds at most one cell for a slot, and the cells of a slot are read in it.

use crate::json::Json;
use std::collections::BTreeMap;
use switchlab_core::observe::{Event, Observer};
use switchlab_core::{Port, Slot};

/// A cell in a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Held {
    input: Port,
    output: Port,
    born: Slot,
}

/// The memories of one switch.
#[derive(Default)]
pub(crate) struct Memories {
    /// By departure slot and memory.
    cells: BTreeMap<(u64, Port), Held>,
}

/// Notes the cells that are written in a slot.
pub(crate) struct Writing<'a> {
    memories: &'a mut Memories,
    now: Slot,
}

impl Observer for Writing<'_> {
    fn observe(&mut self, event: Event<'_>) {
        if let Event::Written { input, output, memory, departs } = event {
            self.memories.cells.insert((departs, memory), Held { input, output, born: self.now });
        }
    }
}

impl Memories {
    /// An observer of a slot.
    pub(crate) fn writing(&mut self, now: Slot) -> Writing<'_> {
        Writing { memories: self, now }
    }

    /// Ends a slot: its cells have been read.
    pub(crate) fn read(&mut self, now: Slot) {
        while let Some(first) = self.cells.first_entry().filter(|first| first.key().0 <= u64::from(now)) {
            first.remove();
        }
    }

    /// All cells as an array of arrays: memory, departure slot, input, output, arrival slot.
    pub(crate) fn tell(&self, json: &mut Json) {
        json.array(&self.cells, |json, ((departs, memory), held)| {
            let Held { input, output, born } = *held;
            json.numbers([u64::from(*memory), *departs, input.into(), output.into(), born.into()]);
        });
    }

    /// How many cells a memory holds.
    #[cfg(test)]
    fn occupancy(&self, memory: Port) -> usize {
        self.cells.keys().filter(|(_, own)| *own == memory).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchlab_core::{Cell, Seed, registry};

    /// What is kept here is what the switch says of its memories, for both engines and all
    /// matchers.
    #[test]
    fn memories_hold_what_the_switch_says() {
        for spec in [
            "psm",
            "psm(memories=9)",
            "psm(matcher=maximum,capacity=9)",
            "psm(matcher=halving)",
            "psm(access=single)",
            "psm(matcher=colouring,capacity=3)",
        ] {
            let seed = Seed { seed: 4, replication: 0 };
            let (ports, mut switch) = (4, registry::switch(spec).unwrap().build(4, seed).unwrap());
            let (traffic, arrivals) = (registry::traffic("uniform").unwrap(), registry::arrivals("bernoulli").unwrap());
            let traffic = traffic.build(Some(ports), Some(0.95), &registry::NoFiles).unwrap();
            let mut source = arrivals.build(&traffic, seed);
            let mut memories = Memories::default();
            let (mut coming, mut going) = (vec![0; ports], vec![Cell::IDLE; ports]);
            let mut held = 0;
            for now in 0..500 {
                source.slot(now, &mut coming);
                going.fill(Cell::IDLE);
                switch.slot_observed(now, &coming, &mut going, &mut memories.writing(now));
                memories.read(now);
                let (_, cells) = &switch.inspect().unwrap().state[0];
                for (memory, &cells) in cells.iter().enumerate() {
                    assert_eq!(memories.occupancy(memory as Port), usize::from(cells), "{spec}, slot {now}");
                    held += cells;
                }
            }
            assert!(held > 500, "{spec}: {held}");
        }
    }
}
