//! Warnings: nothing failed, but the user should know. Each says what to do.

use crate::numbers::{percent, significant};
use crate::outcome::{TransientSign, WarmingUp};
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
    /// Measured before the steady state was reached.
    Transient {
        /// The switch.
        switch: String,
        /// What shows it.
        sign: TransientSign,
    },
    /// Less leaves than is offered, although nothing is lost and the switch is not called unstable.
    BelowOffered {
        /// The switch.
        switch: String,
        /// Departures per output and slot.
        throughput: f64,
        /// Arrivals per output and slot, as the traffic asks for.
        offered: f64,
    },
    /// MSER-5 would discard many of the measured slots as warm-up.
    WarmingUp {
        /// The switch.
        switch: String,
        /// How many.
        found: WarmingUp,
        /// Measured slots.
        slots: u64,
    },
    /// Switches lose different shares of their cells, so their delays are of different cells.
    DifferentLoss {
        /// Whether the cells are those of a trace, whose runs differ in length.
        of_trace: bool,
        /// The switch that loses most.
        most: String,
        /// The share that it loses.
        loss: f64,
        /// The least share that another one loses.
        least: f64,
    },
    /// Cells were still inside when the run ended, although the trace had ended.
    Undrained {
        /// The switch.
        switch: String,
        /// How many.
        cells: u64,
        /// Whether it could send no more, rather than that its slots had ended.
        stuck: bool,
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
            Self::Transient { switch, sign: TransientSign::Filling { slots } } => write!(
                f,
                "{switch}: still filling up, so its delays are too small; to decide takes at least some {slots} slots: --slots {slots}"
            ),
            Self::Transient { switch, sign: TransientSign::Little { delay, little } } => write!(
                f,
                "{switch}: cells that left had waited {} slots on average, but by Little's law cells wait {}: warm-up or window too short; raise --warmup and --slots",
                significant(*delay),
                significant(*little)
            ),
            Self::BelowOffered { switch, throughput, offered } => write!(
                f,
                "{switch}: its throughput is {}, and {} are offered, beyond the interval: the steady state was not reached; raise --warmup and --slots",
                significant(*throughput),
                significant(*offered)
            ),
            Self::WarmingUp { switch, found: WarmingUp { slots: Some(found) }, slots } => write!(
                f,
                "{switch}: the warm-up was too short: MSER-5 would discard {found} of the {slots} measured slots too; raise --warmup and --slots"
            ),
            Self::WarmingUp { switch, found: WarmingUp { slots: None }, slots } => write!(
                f,
                "{switch}: the warm-up was too short: MSER-5 finds no end of it within the {slots} measured slots; raise --warmup and --slots"
            ),
            Self::DifferentLoss { of_trace, most, loss, least } => write!(
                f,
                "delays are of the cells that were not lost, and the switches lose different shares: {most} {}, others down to {}; compare loss{} too",
                percent(*loss),
                percent(*least),
                if *of_trace { "" } else { " and throughput" }
            ),
            Self::Undrained { switch, cells, stuck: true } => write!(
                f,
                "{switch}: {cells} cells never left: it sends no more although they wait. They have no delay, so its figures are of the other cells; do not compare them with those of a switch that is empty"
            ),
            Self::Undrained { switch, cells, stuck: false } => write!(
                f,
                "{switch}: {cells} cells were still inside at the end and have no delay; leave out --slots to run until the switch is empty"
            ),
            Self::Undecided { switch } => {
                write!(f, "{switch}: too short to say whether it is stable; raise --slots")
            }
        }
    }
}
