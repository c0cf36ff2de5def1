//! A comparison: every switch of a plan on the same arrivals, as often as needed, on all cores.

use crate::error::LabError;
use crate::files::Departures;
use crate::memory::Needs;
use crate::outcome::{Outcome, outcome};
use crate::plan::{MOST_REPLICATIONS, Plan, SLOT_LIMIT, Warmup};
use crate::progress::Progress;
use crate::run::{Measured, Run, calibrate};
use crate::statistics::{Verdict, transient};
use crate::warning::Warning;
use rayon::prelude::*;

/// `--until` stops at this many times the effort it began with.
pub const UNTIL_LIMIT: u32 = 100;

/// The results of all switches.
#[derive(Debug)]
pub struct Comparison {
    /// In the order of the plan.
    pub switches: Vec<Outcome>,
    /// Slots run before measuring, given or found.
    pub warmup: u64,
    /// Slots measured in each run that did not end early.
    pub slots: u64,
    /// Replications run.
    pub replications: u32,
    /// Warnings for the user.
    pub warnings: Vec<Warning>,
    /// Why the departures could not be written. All that was measured is complete nevertheless.
    pub unwritten: Option<LabError>,
}

/// Runs a plan.
pub fn compare(plan: &Plan, progress: &Progress) -> Result<Comparison, LabError> {
    let specs = plan.switches.iter().map(|switch| switch.args.to_string());
    specs.for_each(|spec| progress.expect(&spec, plan.ports, plan.replications.into(), slots_of_a_run(plan)));
    if progress.is_watched() {
        calibrate((0..plan.switches.len()).map(|switch| (plan, switch)), progress);
    }
    let comparison = measure(plan, progress);
    progress.finish();
    comparison
}

/// Runs a plan that is one of several. The caller finishes the progress.
pub(crate) fn measure(plan: &Plan, progress: &Progress) -> Result<Comparison, LabError> {
    // Before the first slot: a path that cannot be written costs no run.
    let departures = Departures::create(plan.departures.as_deref())?;
    let measured = measure_with(plan, progress, &departures);
    match measured {
        Ok(comparison) => Ok(Comparison { unwritten: departures.finish().err(), ..comparison }),
        Err(stopped @ LabError::Stopped { .. }) => {
            // The departures up to the stop are complete. The stop is the error to report.
            let _ = departures.finish();
            Err(stopped)
        }
        Err(error) => Err(error),
    }
}

fn measure_with(plan: &Plan, progress: &Progress, departures: &Departures) -> Result<Comparison, LabError> {
    let threads = Needs::of(plan)?.threads;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| LabError::Request(format!("cannot start {threads} threads: {error}")))?;
    pool.install(|| {
        let mut warnings = Vec::new();
        let warmup = match plan.warmup {
            Warmup::Slots(slots) => slots,
            Warmup::Auto => {
                let found = find_warmup(plan, progress, &mut warnings)?;
                set_remaining(plan, progress, (found + plan.slots).saturating_mul(plan.replications.into()));
                found
            }
        };
        let mut comparison = if plan.replications == 1 {
            one_long_run(plan, warmup, departures, progress)?
        } else {
            replications(plan, warmup, departures, progress)?
        };
        comparison.warnings.splice(0..0, warnings);
        Ok(comparison)
    })
}

/// How long a run of a plan is, in slots, as far as it is known beforehand.
pub(crate) fn slots_of_a_run(plan: &Plan) -> u64 {
    let warmup = match plan.warmup {
        Warmup::Slots(slots) => slots,
        Warmup::Auto => plan.slots,
    };
    plan.slots + warmup
}

/// MSER-5 on a pilot run of each switch, the first replication. All switches get the longest
/// warm-up found, so that they stay paired.
fn find_warmup(plan: &Plan, progress: &Progress, warnings: &mut Vec<Warning>) -> Result<u64, LabError> {
    let pilots = (0..plan.switches.len())
        .into_par_iter()
        .map(|switch| {
            let mut run = Run::new(plan, switch, 0)?;
            run.advance(plan.slots, None, progress)?;
            Ok(transient(&run.measured().timeline))
        })
        .collect::<Vec<Result<_, LabError>>>();
    let pilots = in_order(pilots)?;
    for (switch, pilot) in plan.switches.iter().zip(&pilots) {
        if !pilot.reliable {
            warnings.push(Warning::PilotTooShort { switch: switch.args.short(), slots: plan.slots });
        }
    }
    Ok(pilots.iter().map(|pilot| pilot.slots).max().unwrap_or(0))
}

/// Independent replications; `--until` adds more of them, as many at a time as there were at first.
fn replications(
    plan: &Plan,
    warmup: u64,
    departures: &Departures,
    progress: &Progress,
) -> Result<Comparison, LabError> {
    let switches = plan.switches.len();
    let mut runs: Vec<Vec<Measured>> = vec![Vec::new(); switches];
    let mut done = 0;
    loop {
        let work: Vec<(usize, u32)> = (done..done + plan.replications)
            .flat_map(|replication| (0..switches).map(move |s| (s, replication)))
            .collect();
        let measured = work
            .par_iter()
            .map(|&(switch, replication)| {
                let mut run = Run::new(plan, switch, replication)?;
                let mut file = departures.of(replication);
                run.advance(warmup, file.as_deref_mut(), progress)?;
                run.open();
                run.advance(plan.slots, file.as_deref_mut(), progress)?;
                if plan.drains {
                    run.drain(file.as_deref_mut(), progress)?;
                }
                Ok(run.measured())
            })
            .collect::<Vec<Result<_, LabError>>>();
        let measured = in_order(measured)?;
        for (&(switch, _), measured) in work.iter().zip(measured) {
            runs[switch].push(measured);
        }
        done += plan.replications;
        let comparison = conclude(plan, &runs, warmup, plan.slots, done);
        if enough(plan, &comparison, done / plan.replications) || done + plan.replications > MOST_REPLICATIONS {
            return Ok(comparison);
        }
        let rounds = rounds_left(comparison.reached(plan), plan.until.unwrap_or(1.0), done / plan.replications);
        set_remaining(
            plan,
            progress,
            (warmup + plan.slots).saturating_mul(u64::from(rounds) * u64::from(plan.replications)),
        );
    }
}

/// A single replication with batch means; `--until` lets it go on, twice as long each time.
fn one_long_run(
    plan: &Plan,
    warmup: u64,
    departures: &Departures,
    progress: &Progress,
) -> Result<Comparison, LabError> {
    let runs = (0..plan.switches.len())
        .into_par_iter()
        .map(|switch| {
            let mut run = Run::new(plan, switch, 0)?;
            run.advance(warmup, departures.of(0).as_deref_mut(), progress)?;
            run.open();
            Ok(run)
        })
        .collect::<Vec<Result<_, LabError>>>();
    let mut runs: Vec<Run> = in_order(runs)?;
    let (mut slots, mut more) = (0, plan.slots);
    loop {
        let advanced = runs.par_iter_mut().map(|run| run.advance(more, departures.of(0).as_deref_mut(), progress));
        in_order::<()>(advanced.collect())?;
        slots += more;
        if plan.drains && plan.until.is_none() {
            let drained = runs.par_iter_mut().map(|run| run.drain(departures.of(0).as_deref_mut(), progress));
            in_order::<()>(drained.collect())?;
        }
        let measured: Vec<_> = runs.iter_mut().map(|run| vec![run.measured()]).collect();
        let comparison = conclude(plan, &measured, warmup, slots, 1);
        more = slots.min(SLOT_LIMIT - 1 - warmup - slots);
        let effort = slots.checked_div(plan.slots).unwrap_or(1) as u32;
        if more == 0 || enough(plan, &comparison, effort) {
            return Ok(comparison);
        }
        let rounds = rounds_left(comparison.reached(plan), plan.until.unwrap_or(1.0), effort.max(1));
        set_remaining(plan, progress, plan.slots.saturating_mul(rounds.into()).max(more));
    }
}

/// How many more times the initial effort `--until` will spend, estimated after `effort` times: the
/// width of an interval falls with the square root of the effort. For the progress bar only; each
/// round decides by itself whether another follows.
fn rounds_left(reached: impl Iterator<Item = Option<f64>>, until: f64, effort: u32) -> u32 {
    let times = reached.map(|reached| reached.map_or(1.0, |reached| (reached / until) * (reached / until)));
    let total = f64::from(effort) * times.fold(1.0, f64::max);
    // The cast saturates.
    (total.ceil() as u32).min(UNTIL_LIMIT).saturating_sub(effort).max(1)
}

/// This many slots of every switch are left.
fn set_remaining(plan: &Plan, progress: &Progress, slots: u64) {
    for switch in &plan.switches {
        progress.set_remaining(&switch.args.to_string(), plan.ports, slots);
    }
}

/// All results, or the first error in the order of the work: the first error in time depends on the
/// threads, and the message must not.
fn in_order<T>(results: Vec<Result<T, LabError>>) -> Result<Vec<T>, LabError> {
    results.into_iter().collect()
}

/// Whether every switch that has a mean delay has the requested precision, or the effort is at its
/// limit.
fn enough(plan: &Plan, comparison: &Comparison, effort: u32) -> bool {
    plan.until.is_none() || effort >= UNTIL_LIMIT || comparison.imprecise(plan).next().is_none()
}

impl Comparison {
    /// The switches whose mean delay is not as precise as the plan asks for. An unstable switch has
    /// no mean delay.
    fn imprecise(&self, plan: &Plan) -> impl Iterator<Item = (&Outcome, Option<f64>)> {
        let until = plan.until.unwrap_or(f64::INFINITY);
        self.switches
            .iter()
            .filter(|outcome| outcome.stability.verdict != Verdict::Unstable)
            .filter_map(|outcome| Some((outcome, outcome.delay?)))
            .filter(move |(_, delay)| !delay.is_known_to(until))
            .map(|(outcome, delay)| (outcome, delay.relative()))
    }

    /// The relative half-widths of those, as far as they have one.
    fn reached(&self, plan: &Plan) -> impl Iterator<Item = Option<f64>> {
        self.imprecise(plan).map(|(_, reached)| reached)
    }

    /// A warning if switches lose shares of their cells that differ by more than one in 1000.
    fn different_loss(&self, of_trace: bool) -> Option<Warning> {
        let by_loss = |a: &&Outcome, b: &&Outcome| a.loss().total_cmp(&b.loss());
        let (most, least) = (self.switches.iter().max_by(by_loss)?, self.switches.iter().min_by(by_loss)?.loss());
        let loss = most.loss();
        (loss - least > 1e-3).then(|| Warning::DifferentLoss { of_trace, most: most.label(), loss, least })
    }

    fn warn(&self, plan: &Plan) -> Vec<Warning> {
        let mut warnings = Vec::new();
        for outcome in &self.switches {
            let early: Vec<u64> = outcome.runs.iter().filter_map(|run| run.ended_early).collect();
            if let Some(&slots) = early.iter().min() {
                warnings.push(Warning::EndedEarly { switch: outcome.label(), runs: early.len(), slots });
            }
            let switch = outcome.label();
            if plan.is_trace() {
                let cells = outcome.cells().queued;
                warnings.extend((cells > 0).then_some(Warning::Undrained { switch, cells, stuck: plan.drains }));
            } else if !early.is_empty() {
                // More slots would not help: what is missing is memory.
            } else if let Some(sign) = outcome.transient() {
                warnings.push(Warning::Transient { switch, sign });
            } else if outcome.stability.verdict == Verdict::Undecided {
                warnings.push(Warning::Undecided { switch });
            } else if let Some(offered) =
                plan.offered().filter(|offered| !outcome.is_oversubscribed() && is_below(outcome, *offered))
            {
                warnings.push(Warning::BelowOffered { switch, throughput: outcome.throughput.mean, offered });
            } else if let Some(found) = outcome.warming_up().filter(|_| outcome.stability.verdict == Verdict::Stable) {
                warnings.push(Warning::WarmingUp { switch, found, slots: self.slots });
            }
        }
        warnings.extend(self.different_loss(plan.is_trace()));
        if let Some(asked) = plan.until {
            let imprecise = self.imprecise(plan);
            warnings.extend(imprecise.map(|(outcome, reached)| Warning::Imprecise {
                switch: outcome.label(),
                reached,
                asked,
            }));
        }
        warnings
    }
}

/// Whether a stable switch without loss sends less than is offered, by more than twice the half
/// width of its throughput. Twice, so that of comparisons of ten replications fewer than one in
/// 1000 are blamed for a chance.
fn is_below(outcome: &Outcome, offered: f64) -> bool {
    let throughput = outcome.throughput;
    let below = throughput.half_width.is_some_and(|width| offered - throughput.mean > 2.0 * width);
    outcome.stability.verdict == Verdict::Stable && outcome.cells().dropped == 0 && below
}

/// All replications of all switches, in the order of the plan, summed up.
pub(crate) fn conclude(plan: &Plan, runs: &[Vec<Measured>], warmup: u64, slots: u64, replications: u32) -> Comparison {
    let first = |index: usize| if index == 0 { None } else { runs.first().map(Vec::as_slice) };
    let switches = plan.switches.iter().zip(runs).enumerate();
    let switches =
        switches.map(|(index, (switch, runs))| outcome(switch.args.to_string(), runs, first(index))).collect();
    let mut switches: Vec<Outcome> = switches;
    if plan.is_trace() {
        switches.iter_mut().for_each(Outcome::of_a_trace);
    }
    let mut comparison = Comparison { switches, warmup, slots, replications, warnings: Vec::new(), unwritten: None };
    comparison.warnings = comparison.warn(plan);
    comparison
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_times_the_precision_is_sixteen_times_the_effort() {
        let left = |reached: &[Option<f64>], effort| rounds_left(reached.iter().copied(), 0.01, effort);
        assert_eq!(left(&[Some(0.04)], 1), 15);
        assert_eq!(left(&[Some(0.02), Some(0.011), None], 4), 12);
        // At least the next round, and at most what the limit leaves.
        assert_eq!((left(&[None], 3), left(&[], 3), left(&[Some(1e9)], 3)), (1, 1, 97));
        assert_eq!(left(&[Some(f64::INFINITY)], 100), 1);
    }
}
