//! The Benes fabric with internal backpressure: two banyans back to back, of P x P elements with small buffers, credits and resequencing.
//!
//! ```text
//!   VOQs ──► distribution: K stages ──► routing: K stages ──► outputs        K = log_P N
//!            merge, distribute           resequence, split
//! ```
//!
//! PAGE
//!
//! Reference: G. Sapountzis, M. Katevenis, "Benes switching fabrics with O(N)-complexity internal backpressure", paper 004.

mod audit;
mod exit;
mod fabric;
mod links;
mod moves;
mod settings;
mod shape;
mod sites;
mod store;
mod watchdog;
mod work;

pub use fabric::Fabric;
pub(crate) use settings::{BANYAN, PARAMETERS};
pub use settings::{Distribution, Merge, Resequencing, Settings};

use settings::Numbers;

use super::queues::Queues;
use super::{Census, Failure, Inspection, QueueLengths, Switch};
use crate::cell::{Cell, Port, Slot};
use crate::counter::Counter;
use alloc::vec;

/// Names of counters by stage.
const STAGES: [&str; 24] = [
    "wait_stage_0",
    "wait_stage_1",
    "wait_stage_2",
    "wait_stage_3",
    "wait_stage_4",
    "wait_stage_5",
    "wait_stage_6",
    "wait_stage_7",
    "wait_stage_8",
    "wait_stage_9",
    "wait_stage_10",
    "wait_stage_11",
    "wait_stage_12",
    "wait_stage_13",
    "wait_stage_14",
    "wait_stage_15",
    "wait_stage_16",
    "wait_stage_17",
    "wait_stage_18",
    "wait_stage_19",
    "wait_stage_20",
    "wait_stage_21",
    "wait_stage_22",
    "wait_stage_23",
];

impl<const P: usize, const PLAIN: bool> Switch for Fabric<P, PLAIN> {
    fn ports(&self) -> usize {
        self.shape.ports
    }

    #[inline]
    fn slot(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
        self.run_slot(now, arrivals, departures);
    }

    fn census(&self) -> Census {
        let exit = self.exit.as_ref().map_or(0, |exit| exit.held);
        let queued = self.voqs.length() + self.counts.in_stages() + exit;
        Census { arrived: self.counts.arrived, departed: self.counts.departed, dropped: 0, queued }
    }

    /// Nearly all cells of an overloaded fabric wait in VOQs: its own buffers are bounded.
    fn bytes_per_cell(&self) -> usize {
        Queues::BYTES_PER_CELL
    }

    fn stages(&self) -> u32 {
        self.shape.stages as u32
    }

    fn counters(&self, visit: &mut dyn FnMut(Counter)) {
        let counts = &self.counts;
        visit(Counter { name: "voq_wait", sum: counts.voq_wait, per: counts.sent[0] });
        for (stage, name) in STAGES.iter().enumerate().take(self.shape.stages) {
            visit(Counter { name, sum: counts.waits[stage], per: counts.sent[stage + 1] });
        }
        if self.settings.numbers() != Numbers::None {
            visit(Counter {
                name: "resequencing_depth",
                sum: counts.held_sum,
                per: counts.slots * self.shape.ports as u64,
            });
        }
    }

    fn inspect(&self) -> Option<Inspection> {
        let mut outputs = vec![0; self.shape.ports];
        let mut stages = vec![0; self.shape.stages];
        self.for_each_cell(&mut |site, destination, _| {
            outputs[destination] += 1;
            if let Some(site) = site {
                stages[site.stage()] += 1;
            }
        });
        Some(Inspection {
            queues: QueueLengths::VoqsAndOutputs { voqs: self.voqs.lengths(), outputs },
            matching: None,
            state: vec![("cells, by stage", stages)],
        })
    }

    fn audit(&self) -> Result<(), alloc::string::String> {
        self.check()
    }

    fn failure(&self) -> Option<&Failure> {
        self.failure.as_deref()
    }
}
