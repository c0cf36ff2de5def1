//! The parts of a slot of the floor: the same slots without meters, and without the switch.

use super::{Alone, Config, alone, instructions};
use crate::error::LabError;
use crate::plan::Plan;
use serde::{Deserialize, Serialize};
use std::path::Path;
use switchlab_core::{Block, Cell, NONE, Seed};

/// How often each part is timed.
const ROUNDS: u32 = 10;

/// How much of a slot is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// Arrivals are drawn and discarded.
    Arrivals,
    /// Arrivals and the switch; departures are not metered.
    Switch,
    /// Arrivals, switch and meters.
    Whole,
}

impl Part {
    /// What the command line calls it.
    pub const NAMES: [(&'static str, Self); 3] =
        [("arrivals", Self::Arrivals), ("switch", Self::Switch), ("whole", Self::Whole)];

    pub(super) fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, part)| *part == self).map_or("", |(name, _)| name)
    }
}

/// The cost of a part of a slot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PartCost {
    /// How much of a slot.
    pub part: Part,
    /// Its time.
    pub nanoseconds_per_slot: f64,
    /// Instructions, if they were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions_per_slot: Option<f64>,
}

/// The costs of the parts, the smallest first; each part includes those before it.
pub(super) fn costs(
    program: &Path,
    switch: &str,
    config: &Config,
    (slots, counted): (u64, Option<u64>),
) -> Result<Vec<PartCost>, LabError> {
    let cost = |&(_, part): &(&str, Part)| {
        let count = |slots| instructions::per_slot(program, switch, config, slots, part);
        let instructions_per_slot = counted.map(count).transpose()?;
        Ok(PartCost { part, nanoseconds_per_slot: f64::NAN, instructions_per_slot })
    };
    let mut costs = Part::NAMES.iter().map(cost).collect::<Result<Vec<_>, LabError>>()?;
    let mut rounds = vec![Vec::new(); costs.len()];
    for _ in 0..ROUNDS {
        for (cost, rounds) in costs.iter().zip(&mut rounds) {
            rounds.push(alone::in_a_process(program, switch, config, slots, cost.part)?);
        }
    }
    for (cost, rounds) in costs.iter_mut().zip(&rounds) {
        cost.nanoseconds_per_slot = Alone::of(rounds).nanoseconds_per_slot;
    }
    Ok(costs)
}

/// Runs slots of a plan's first switch without its meters, or only its arrivals. Returns a function
/// that advances it by some slots.
pub(super) fn without_meters(plan: &Plan, part: Part) -> Result<impl FnMut(u64), LabError> {
    let seed = Seed { seed: plan.seed, replication: 0 };
    let mut source = plan.arrivals.build(&plan.traffic, seed);
    let mut switch = plan.switches[0].build(plan.ports, seed)?;
    let block = switch.preferred_block();
    let mut arrivals = Block::new(plan.ports, block, NONE);
    let mut departures = Block::new(plan.ports, block, Cell::IDLE);
    let mut now = 0;
    Ok(move |slots: u64| {
        let end = now + slots;
        while now < end {
            let block = (block as u64).min(end - now);
            arrivals.resize(block as usize, NONE);
            departures.resize(block as usize, Cell::IDLE);
            arrivals.start = now as u32;
            source.fill(&mut arrivals);
            if part == Part::Switch {
                switch.run(&arrivals, &mut departures);
            }
            now += block;
        }
    })
}
