//! How runs share `--memory`.
//!
//! ```text
//!   a run  =  fixed state (tables of the switch, meters, traffic, blocks)  +  queued cells
//! ```
//!
//! All runs that are in memory at once take at most five quarters of `--memory`, or of their fixed
//! state, should that alone be more. Three measures ensure this, in this order:
//!
//! 1. Fewer runs are made at a time. No result depends on it.
//! 2. A run gets less for its cells than its share, where even a single run is too large otherwise.
//!    What it gets depends on the plan alone, so that a run ends in the same slot on every machine.
//! 3. A warning says that the fixed state is larger than the memory. If a parameter reserves more
//!    room for cells than there is memory, or the fixed state exceeds a multiple of it, nothing is
//!    run.
//!
//! The first 4 MiB of fixed state are not counted: the program itself takes more.

use crate::class_delays::ClassDelays;
use crate::error::LabError;
use crate::plan::{MEMORY, Plan};
use crate::port_delays::PortDelays;
use switchlab_core::meter::{Meter, Occupancy, OqLag};
use switchlab_core::switch::Switch;
use switchlab_core::{Cell, Dropped, Port, Seed};

/// This much fixed state is not counted.
const SMALL: u64 = 4 << 20;

/// Fixed state of more than this many times the memory, or the default memory, is refused.
const ABSURD: u64 = 4;

/// Links and arrival slots are counted in 32 bits.
const MOST_CELLS: u64 = 1 << 31;

/// What the runs of a plan need, found by building each switch once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Needs {
    /// How many threads may run at a time.
    pub threads: usize,
    /// A warning for the user before the first slot, with advice.
    pub warning: Option<String>,
}

/// The fixed state of one run, in bytes.
fn fixed_bytes(plan: &Plan, switch: &dyn Switch) -> u64 {
    let entry = size_of::<Port>() + size_of::<Cell>() + size_of::<Dropped>();
    let blocks = (switch.preferred_block() * plan.ports * entry) as u64;
    let lag = if plan.oq_lag { OqLag::fixed_bytes(plan.ports) } else { 0 };
    let lag = lag + if plan.occupancy { Occupancy::fixed_bytes(plan.ports) } else { 0 };
    let lag = lag + plan.port_delays.map_or(0, |by| PortDelays::most_bytes(plan.ports, by));
    let lag = lag + ClassDelays::most_bytes(&plan.labels);
    switch.fixed_bytes() + Meter::fixed_bytes(plan.ports) + lag + plan.traffic.bytes_per_run() + blocks
}

/// How many runs are in memory at once, whatever the threads are: a single replication of several
/// switches goes on side by side.
fn side_by_side(plan: &Plan) -> u64 {
    if plan.replications == 1 { plan.switches.len().max(1) as u64 } else { 1 }
}

/// The bytes for the cells of a run with this much fixed state.
fn bytes_for_cells(plan: &Plan, fixed: u64) -> u64 {
    let (runs, quarter) = (side_by_side(plan), plan.memory / 4);
    let counted = (runs * fixed).saturating_sub(SMALL) + plan.traffic.shared_bytes();
    let left = (plan.memory + quarter).saturating_sub(counted).max(quarter);
    plan.memory_per_run.min(left / runs)
}

/// How many cells a run of a plan may have queued.
pub(crate) fn most_cells(plan: &Plan, switch: &dyn Switch) -> u64 {
    let bytes_per_cell = switch.bytes_per_cell() + if plan.oq_lag { OqLag::BYTES_PER_CELL } else { 0 };
    let bytes = bytes_for_cells(plan, fixed_bytes(plan, switch));
    bytes.checked_div(bytes_per_cell as u64).unwrap_or(MOST_CELLS).min(MOST_CELLS)
}

impl Needs {
    /// What a plan needs; an error if it cannot be met.
    pub fn of(plan: &Plan) -> Result<Self, LabError> {
        let (memory, runs) = (plan.memory, side_by_side(plan));
        let (mut largest, mut sum, mut with_cells) = (0, 0, 1);
        for chosen in &plan.switches {
            let switch = chosen.build(plan.ports, Seed { seed: plan.seed, replication: 0 })?;
            let reserved = switch.reserved_bytes();
            if reserved.saturating_sub(SMALL) > memory / runs {
                let each = if runs == 1 { String::new() } else { format!(" for each of {runs} switches") };
                return Err(LabError::Request(format!(
                    "{} reserves {} for its queues, and --memory is {}{each}; raise --memory to {}, lower the capacity or use fewer ports",
                    chosen.args,
                    size(reserved),
                    size(memory / runs),
                    size(reserved * runs)
                )));
            }
            let fixed = fixed_bytes(plan, switch.as_ref());
            (largest, sum) = (fixed.max(largest), sum + fixed);
            with_cells = with_cells.max(fixed + bytes_for_cells(plan, fixed));
        }
        let fixed = if runs == 1 { largest } else { sum } + plan.traffic.shared_bytes();
        let advice = format!("raise --memory to {} or use fewer ports", size(fixed));
        if fixed > ABSURD * memory.max(MEMORY) {
            return Err(LabError::Request(format!(
                "{} ports take {} before the first cell, and --memory is {}; {advice}",
                plan.ports,
                size(fixed),
                size(memory)
            )));
        }
        let warning = (fixed.saturating_sub(SMALL) > memory).then(|| {
            let which = if runs == 1 { "a run".to_string() } else { format!("{runs} switches side by side") };
            format!(
                "{which} of {} ports takes {} before the first cell, more than --memory {}; {advice}",
                plan.ports,
                size(fixed),
                size(memory)
            )
        });
        let room = (memory + memory / 4 + SMALL).saturating_sub(plan.traffic.shared_bytes());
        let at_a_time = usize::try_from(room / with_cells).unwrap_or(usize::MAX).max(1);
        let threads = if runs == 1 { plan.threads.min(at_a_time) } else { plan.threads };
        Ok(Self { threads, warning })
    }
}

/// A size as `--memory` takes it, rounded up.
fn size(bytes: u64) -> String {
    format!("{}MiB", bytes.div_ceil(1 << 20))
}

#[cfg(test)]
mod tests;
