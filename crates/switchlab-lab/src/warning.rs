//! Warnings: nothing failed, but the user should know. Each says what to do.

use std::fmt;

/// A warning. `Display` is one sentence with its advice.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// The pilot run was still warming up when it ended.
    PilotTooShort {
        /// The switch.
        switch: String,
        /// Slots of the pilot.
        slots: u64,
    },
    /// `--until` reached its limit of effort.
    Imprecise {
        /// The switch.
        switch: String,
        /// The relative half-width reached.
        reached: Option<f64>,
        /// The one asked for.
        asked: f64,
    },
    /// Runs ended because their cells no longer fitted the memory.
    EndedEarly {
        /// The switch.
        switch: String,
        /// How many runs.
        runs: usize,
        /// The first of them ended after this many slots.
        slots: u64,
    },
    /// Neither stable nor unstable.
    Undecided {
        /// The switch.
        switch: String,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PilotTooShort { switch, slots } => write!(
                f,
                "{switch}: no end of the warm-up was found within {slots} slots; raise --slots, or give --warmup yourself"
            ),
            Self::Imprecise { switch, reached: Some(reached), asked } => write!(
                f,
                "{switch}: the mean delay is known to {:.2} %, not to {:.2} %; raise --slots or --replications",
                reached * 100.0,
                asked * 100.0
            ),
            Self::Imprecise { switch, reached: None, asked } => write!(
                f,
                "{switch}: no interval could be had, so {:.2} % was not reached; raise --slots or --replications",
                asked * 100.0
            ),
            Self::EndedEarly { switch, runs, slots } => write!(
                f,
                "{switch}: {runs} run{} ended early, the first after {slots} slots, because the queued cells no longer fit the memory; lower the load or raise --memory",
                if *runs == 1 { "" } else { "s" }
            ),
            Self::Undecided { switch } => {
                write!(f, "{switch}: too short to say whether it is stable; raise --slots")
            }
        }
    }
}
