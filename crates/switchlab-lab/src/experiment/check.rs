//! Rules for every experiment, read from TOML or from JSON.

use super::axes::Axes;
use super::point::takes_a_file;
use super::{Experiment, PointSpec};
use crate::calculation;
use crate::error::LabError;
use crate::plan::{MOST_REPLICATIONS, SLOT_LIMIT};
use std::collections::BTreeSet;
use switchlab_core::MAX_PORTS;
use switchlab_core::registry::check_load;

/// More points than this are taken for a typing error.
pub(super) const MOST_POINTS: usize = 100_000;

/// What is wrong with an experiment, and the key it is about.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) key: &'static str,
    pub(super) problem: String,
}

fn fault(key: &'static str, problem: impl Into<String>) -> Result<(), Fault> {
    Err(Fault { key, problem: problem.into() })
}

/// Whether a run may have this length; if not, why.
pub(super) fn length(slots: u64, warmup: u64) -> Result<(), String> {
    if slots.checked_add(warmup).is_none_or(|length| length >= SLOT_LIMIT) {
        return Err(format!("slots and warmup together must be below {SLOT_LIMIT}; use more replications instead"));
    }
    Ok(())
}

/// Whether a variable may have this name; if not, why.
pub(super) fn variable(name: &str) -> Result<(), String> {
    let odd = |c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if name.is_empty() || name.contains(odd) {
        return Err(format!("{name:?} cannot be a variable: use letters, digits, - and _"));
    }
    if Axes::FIXED.contains(&name) {
        return Err(format!("{name} has its own key; a variable needs another name"));
    }
    Ok(())
}

impl Experiment {
    /// Whether it can be run. A file that is read back has to follow the same rules as one that was
    /// typed, since it may be forged. Figures and claims are not checked: nothing is run for them.
    pub fn check(&self) -> Result<(), LabError> {
        self.fault().map_err(|Fault { key, problem }| LabError::Request(format!("the experiment's {key}: {problem}")))
    }

    /// The same, with other names for the keys: those of options.
    pub(crate) fn check_as(&self, name: impl Fn(&str) -> &'static str) -> Result<(), LabError> {
        self.fault().map_err(|Fault { key, problem }| LabError::Request(format!("{}: {problem}", name(key))))
    }

    /// The first thing that is wrong.
    pub(super) fn fault(&self) -> Result<(), Fault> {
        self.numbers()?;
        self.size()?;
        // What remains, such as a matrix that cannot be had for so few ports, is about the traffic.
        let points = self.points().map_err(|error| Fault { key: "traffic", problem: error.to_string() })?;
        // Two specs may be written differently and be the same.
        let mut seen = BTreeSet::new();
        let key = |point: &PointSpec| {
            let vary: Vec<u64> = point.vary.values().map(|value| value.to_bits()).collect();
            let PointSpec { switch, traffic, arrivals, ports, load, .. } = point.clone();
            (switch, traffic, arrivals, ports, load.to_bits(), vary)
        };
        match points.iter().find(|point| !seen.insert(key(point))) {
            Some(twice) => fault("switches", format!("{} on {} is listed twice", twice.switch, twice.traffic)),
            None => Ok(()),
        }
    }

    fn numbers(&self) -> Result<(), Fault> {
        if let Some(odd) = self.ports.iter().find(|ports| !(1..=MAX_PORTS).contains(ports)) {
            return fault("ports", format!("{odd} is not a number of ports: from 1 to {MAX_PORTS}"));
        }
        // The rates of a matrix from a file may be raised as far as its busiest line allows, which
        // is checked with the matrix at hand.
        let from_files = !self.traffic.is_empty() && self.traffic.iter().all(|spec| takes_a_file(spec));
        for &load in self.loads.iter().filter(|load| !(from_files && load.is_finite() && **load > 1.0)) {
            check_load(load).map_err(|error| Fault { key: "loads", problem: error.to_string() })?;
        }
        if self.calculates() {
            let bare =
                self.slots == 0 && self.warmup == 0 && self.loads == [0.0] && self.arrivals == [calculation::NONE];
            if !bare {
                return fault("slots", "a calculation has neither slots nor loads nor arrivals");
            }
        } else if self.replays() {
            if !self.loads.is_empty() {
                return fault("loads", "a trace has its own load");
            }
        } else if self.slots == 0 {
            return fault("slots", "slots must be at least 1");
        }
        length(self.slots, self.warmup).map_err(|problem| Fault { key: "slots", problem })?;
        for own in &self.lengths {
            own.check(self).map_err(|problem| Fault { key: "length", problem })?;
        }
        if !(1..=MOST_REPLICATIONS).contains(&self.replications) {
            return fault("replications", format!("replications must be from 1 to {MOST_REPLICATIONS}"));
        }
        if self.most_replications < self.replications {
            return fault("most_replications", "most_replications must not be below replications");
        }
        if self.most_replications > MOST_REPLICATIONS {
            return fault("most_replications", format!("most_replications must be at most {MOST_REPLICATIONS}"));
        }
        if self.precision.is_some_and(|precision| !(precision > 0.0 && precision < 1.0)) {
            return fault("precision", "precision must be above 0 and below 1, such as 0.01");
        }
        Ok(())
    }

    /// Each list has entries, each variable is used, and there are not too many points.
    fn size(&self) -> Result<(), Fault> {
        let specs = [("switches", &self.switches), ("traffic", &self.traffic), ("arrivals", &self.arrivals)];
        for (name, values) in &self.vary {
            variable(name).map_err(|problem| Fault { key: "vary", problem })?;
            if !values.iter().all(|value| value.is_finite()) {
                return fault("vary", format!("{name} has a value that is not a finite number"));
            }
            let braces = format!("{{{name}}}");
            if !specs.iter().any(|(_, list)| list.iter().any(|spec| spec.contains(&braces))) {
                return fault(
                    "vary",
                    format!("no spec uses the variable {name}; write {braces} where its value belongs"),
                );
            }
        }
        let lengths = specs.map(|(key, list)| (key, list.len())).into_iter();
        let lengths = lengths.chain([("ports", self.ports.len()), ("loads", self.loads.len())]);
        let lengths = lengths.chain(self.vary.values().map(|values| ("vary", values.len())));
        let mut points = 1_usize;
        for (key, length) in lengths {
            let is_own = self.replays() && matches!(key, "ports" | "loads");
            if length == 0 && !is_own {
                return fault(key, "the list is empty");
            }
            points = points.saturating_mul(length.max(1));
        }
        if points > MOST_POINTS {
            return fault("switches", format!("this experiment has more than {MOST_POINTS} points"));
        }
        Ok(())
    }
}
