//! Lottery: each output draws one of its non-empty VOQs among the inputs that are still free.
//!
//! Outputs choose one after the other, in ascending order. An output that no free input has a cell
//! for stays idle, so the matching is maximal. Ties: none. Draws: one random number for each output
//! that can choose, in the order of outputs. In software O(N) words per slot; in hardware the chain
//! over outputs makes it slower than PIM, whose outputs draw at once.

use switchlab_core::PortSet;
use switchlab_core::registry::{BuildSwitch, Entry, crossbar};
use switchlab_core::rng::{Purpose, Rng};
use switchlab_core::schedule::{Matching, Needs, Scheduler, View};

/// The entry: register it, or hand it to `switchlab::main`, and `lottery` is a switch everywhere.
pub static LOTTERY: Entry<BuildSwitch> =
    Entry::new("lottery", "each output draws one of its VOQs", &|_, ports, seed| {
        crossbar(ports, Lottery { rng: seed.stream(Purpose::Scheduler, 0) })
    })
    .page_from(include_str!("lib.rs"));

/// The scheduler: all of its state is a random stream.
#[derive(Clone, Debug)]
pub struct Lottery {
    rng: Rng,
}

impl<const W: usize> Scheduler<W> for Lottery {
    // The crossbar maintains what is named here, and nothing else.
    const NEEDS: Needs = Needs::COLUMNS;

    fn schedule(&mut self, view: &View<'_, W>, matching: &mut Matching) {
        let mut free = PortSet::<W>::all(view.ports);
        for output in 0..view.ports {
            let requests = view.columns[output].intersection(&free);
            if !requests.is_empty() {
                let input = requests.nth(self.rng.below(requests.len()));
                matching.add(input, output);
                free.remove(input);
            }
        }
    }
}
