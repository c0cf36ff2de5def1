//! `[[length]]` sections: slots of their own for some of the points.
//!
//! ```toml
//! [[length]]
//! where = { load = [0.9, 0.95] }  # which points
//! slots = 15_360_000              # required
//! warmup = 4_000_000              # a fifth of the slots unless given
//! ```
//!
//! A paper may run longer where it takes longer to be sure: 30,000 N^2 slots, or more slots near
//! saturation. The lengths are those of the full form; `[quick]` has one length.

use super::axes::Axes;
use super::check;
use super::{Experiment, PointSpec, Select};
use crate::error::LabError;
use crate::located::Section;
use crate::plan::SLOT_LIMIT;
use serde::{Deserialize, Serialize};

/// The length of the runs of some points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Length {
    /// Which points.
    pub select: Select,
    /// Slots to measure.
    pub slots: u64,
    /// Slots to run before.
    pub warmup: u64,
}

impl Length {
    /// Whether an experiment may have it; if not, why.
    pub(super) fn check(&self, experiment: &Experiment) -> Result<(), String> {
        if experiment.calculates() || experiment.replays() {
            return Err("calculations and traces have no length of their own".to_string());
        }
        if self.slots == 0 {
            return Err("slots must be at least 1".to_string());
        }
        check::length(self.slots, self.warmup)
    }
}

impl Experiment {
    /// The length of a point that has one of its own.
    pub(super) fn length_of(&self, point: &PointSpec) -> Option<&Length> {
        self.lengths.iter().rev().find(|length| length.select.includes(point))
    }
}

/// All of them, in order.
pub(super) fn lengths(top: &Section<'_>, axes: &Axes, experiment: &Experiment) -> Result<Vec<Length>, LabError> {
    let sections = top.read("length", |node| node.tables("[[length]]"))?.unwrap_or_default();
    let read = |section: &Section<'_>| {
        section.only(&["where", "slots", "warmup"])?;
        let slots = section.need("slots")?.count(1..=SLOT_LIMIT - 1)?;
        let warmup = section.read("warmup", |node| node.count(0..=SLOT_LIMIT - 1))?.unwrap_or(slots / 5);
        let select = axes.select(&section.need("where")?.table("where")?)?;
        let length = Length { select, slots, warmup };
        length.check(experiment).map_err(|problem| section.error(problem))?;
        Ok(length)
    };
    sections.iter().map(read).collect()
}
