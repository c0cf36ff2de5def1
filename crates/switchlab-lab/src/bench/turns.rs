//! Wall time. Switches are measured in turns, for a short time each, because the load of a machine
//! varies. Figures are medians over the turns. A ratio is a median of ratios within a turn, which
//! slow phases of the machine affect little.

use super::{FLOOR, median, quantile};
use crate::error::LabError;
use crate::export::Table;
use crate::plan::{Plan, Request};
use crate::progress::Progress;
use crate::run::Run;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};
use switchlab_core::Seed;

/// What to measure.
#[derive(Clone, Debug)]
pub struct Bench {
    /// Specs of the switches.
    pub switches: Vec<String>,
    /// Sizes.
    pub ports: Vec<usize>,
    /// The load.
    pub load: f64,
    /// The traffic.
    pub traffic: String,
    /// Number and length of turns.
    pub turns: Turns,
}

/// How often each switch is measured, and how long each time.
#[derive(Clone, Copy, Debug)]
pub struct Turns {
    /// How many turns each switch gets.
    pub count: usize,
    /// How long a turn lasts.
    pub length: Duration,
}

/// A measured speed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Speed {
    /// The canonical spec.
    pub switch: String,
    /// The number of ports.
    pub ports: usize,
    /// The median time of a slot.
    pub nanoseconds_per_slot: f64,
    /// Slots per second, from the median.
    pub slots_per_second: f64,
    /// The median ratio to the floor.
    pub times_floor: f64,
    /// Half of the ratios lie between these.
    pub times_floor_quartiles: [f64; 2],
}

/// Speeds for programs: a row for each switch and number of ports.
pub fn data(speeds: &[Speed]) -> Table {
    let mut table = Table::new(speeds.len());
    table.text("switch", speeds, |speed| speed.switch.clone());
    table.count("ports", speeds, |speed| Some(speed.ports as u64));
    table.real("nanoseconds_per_slot", speeds, |speed| Some(speed.nanoseconds_per_slot));
    table.real("slots_per_second", speeds, |speed| Some(speed.slots_per_second));
    table.real("times_floor", speeds, |speed| Some(speed.times_floor));
    table.real("times_floor_low", speeds, |speed| Some(speed.times_floor_quartiles[0]));
    table.real("times_floor_high", speeds, |speed| Some(speed.times_floor_quartiles[1]));
    table
}

impl Bench {
    /// What will be measured, size by size, the floor first. An error if one of the switches cannot
    /// be had.
    pub fn plans(&self) -> Result<Vec<Plan>, LabError> {
        let plan = |&ports: &usize| {
            let mut switches = vec![FLOOR.to_string()];
            switches.extend(self.switches.iter().filter(|switch| *switch != FLOOR).cloned());
            let request = Request {
                // As much for each as for a single switch: a turn is too short to fill it.
                memory: Request::default().memory * switches.len() as u64,
                switches,
                ports: Some(ports),
                load: Some(self.load),
                traffic: self.traffic.clone(),
                ..Request::default()
            };
            let plan = request.resolve()?;
            let mut built =
                plan.switches.iter().map(|switch| switch.build(ports, Seed { seed: plan.seed, replication: 0 }));
            built.try_for_each(|built| built.map(drop))?;
            Ok(plan)
        };
        self.ports.iter().map(plan).collect()
    }

    /// Measures plans.
    pub fn run(&self, plans: &[Plan], mut measured: impl FnMut(&Speed)) -> Result<(), LabError> {
        for plan in plans {
            self.turns.measure(plan)?.iter().for_each(&mut measured);
        }
        Ok(())
    }
}

impl Turns {
    /// The speeds of a plan's switches, of which the first is the floor.
    pub(super) fn measure(self, plan: &Plan) -> Result<Vec<Speed>, LabError> {
        let runs = (0..plan.switches.len()).map(|switch| self.warm(plan, switch));
        let mut runs = runs.collect::<Result<Vec<_>, LabError>>()?;
        let mut times = vec![Vec::new(); runs.len()];
        for _ in 0..self.count {
            for (switch, times) in times.iter_mut().enumerate() {
                let (run, slots) = &mut runs[switch];
                let begun = Instant::now();
                run.advance(*slots, None, &Progress::none())?;
                let time = begun.elapsed().as_nanos() as f64 / *slots as f64;
                // An overloaded switch fills its memory in the end. Such a turn does not count, and
                // the run starts again.
                let ended = run.ended_early();
                times.push(if ended { f64::NAN } else { time });
                if ended {
                    runs[switch] = self.warm(plan, switch)?;
                }
            }
        }
        let speed = |(switch, own): (usize, &Vec<f64>)| {
            let ratios: Vec<f64> = own.iter().zip(&times[0]).map(|(own, floor)| own / floor).collect();
            let nanoseconds_per_slot = median(own);
            Speed {
                switch: plan.switches[switch].args.to_string(),
                ports: plan.ports,
                nanoseconds_per_slot,
                slots_per_second: 1e9 / nanoseconds_per_slot,
                times_floor: median(&ratios),
                times_floor_quartiles: [quantile(&ratios, 0.25), quantile(&ratios, 0.75)],
            }
        };
        Ok(times.iter().enumerate().map(speed).collect())
    }

    /// A warmed-up run (queues filled, memory touched, branches predicted), and the number of slots
    /// of a turn.
    fn warm(self, plan: &Plan, switch: usize) -> Result<(Run, u64), LabError> {
        let mut run = Run::new(plan, switch, 0)?;
        let (begun, mut slots) = (Instant::now(), 0);
        while begun.elapsed() < 2 * self.length && !run.ended_early() {
            run.advance(64, None, &Progress::none())?;
            slots += 64;
        }
        Ok((run, (slots / 2).max(1)))
    }
}
