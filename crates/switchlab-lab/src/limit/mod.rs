//! The highest stable load of a switch, by bisection.
//!
//! ```text
//!   0 ──── stable ────┤ undecided ├──── unstable ──── 1
//!               highest shown    lowest shown
//!                      stable    unstable
//! ```
//!
//! Loads are taken from a grid with steps of half the precision, so that each is a short decimal
//! and the run behind it can be repeated with `switchlab run --load`. Each load gets the verdict of
//! [`crate::statistics::drift`], first from short runs, and while these stay undecided, from runs
//! twice as long, up to the length of the request. Far from the limit the short runs decide, which
//! makes the search cheap. The two ends that are reported have verdicts from runs of full length.
//!
//! Undecided counts as neither stable nor unstable. Where the longest runs stay undecided, both
//! sides of these loads are narrowed, and the bracket stays wider than the precision.
//!
//! The search assumes that a switch that is unstable at a load is unstable at every higher load. If
//! verdicts contradict that, the lowest unstable load counts, and the stable ones above it do not.
//!
//! The rates of a matrix from a file are multiplied by a scale. Its load is that of the busiest
//! line, and load 1 is the edge of the capacity region: there the scale is 1 over the largest sum
//! of a row or column.
//!
//! The throughput at load 1, saturation, is measured too. It is a different number: above its limit
//! a switch may lose or gain throughput, since overloaded queues change the choices of the
//! scheduler.

use crate::compare;
use crate::error::LabError;
use crate::memory::Needs;
use crate::outcome::Outcome;
use crate::plan::{Plan, Request};
use crate::progress::Progress;
use crate::statistics::{Estimate, Stability, Verdict};
use std::collections::BTreeMap;
use switchlab_core::registry::Traffic;

/// The precision by default.
pub const PRECISION: f64 = 0.005;
/// The length of the longest runs by default: enough to show most switches stable at 0.99.
pub const LONGEST: u64 = 400_000;
/// The finest grid: a finer one needs longer runs than are possible.
pub const FINEST: f64 = 1e-5;
/// The first runs are this many times shorter than the longest.
const SHORTEST: u64 = 16;
/// Those at load 1 are this many times shorter: their throughput is a result.
const SHORTEST_SATURATED: u64 = 4;
/// Verdicts from shorter runs are often undecided or, with bursts, wrong.
const LEAST_SLOTS: u64 = 1000;
/// The grid is never coarser than this, so that load 0.99 is on it or just below the next.
const COARSEST_GRID: u32 = 100;
/// The estimated cost of a search for the progress bar, in runs of full length.
const GUESS: u64 = 6;

/// A request at load 1, the scale of its matrix there, and notes for the user.
struct Prepared {
    plan: Plan,
    full_scale: Option<f64>,
    notes: Vec<String>,
}

/// What a user asks for.
#[derive(Clone, Debug)]
pub struct Search {
    /// Switches, ports, traffic and so on. The load, the warm-up and `until` are the search's own;
    /// `slots` is the length of the longest runs.
    pub request: Request,
    /// How far apart the two ends of the bracket may be.
    pub precision: f64,
}

/// One load, and the verdict on it.
#[derive(Clone, Debug)]
pub struct Probe {
    /// The load of a line; of a matrix from a file, that of its busiest line.
    pub load: f64,
    /// Slots measured in each run.
    pub slots: u64,
    /// Slots run before.
    pub warmup: u64,
    /// Stable or not, and why.
    pub stability: Stability,
    /// Departures per output and slot.
    pub throughput: Estimate,
    /// The share of cells that were lost.
    pub loss: f64,
}

/// The conclusion of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// The limit lies in a bracket as narrow as was asked for.
    Found,
    /// The limit lies in a bracket that stays wider, since the loads inside are undecided.
    Wide,
    /// Stable up to 0.99 at least, and load 1 is not shown unstable.
    NoneBelowOne,
    /// No load was shown stable.
    NothingStable,
    /// Stable up to some load, and nothing was shown unstable.
    NothingUnstable,
}

/// What was found of one switch.
#[derive(Clone, Debug)]
pub struct Limit {
    /// The canonical spec.
    pub spec: String,
    /// The highest load shown stable.
    pub stable: Option<Probe>,
    /// The lowest load shown unstable.
    pub unstable: Option<Probe>,
    /// Loads between the two that even the longest runs left undecided, ascending.
    pub undecided: Vec<Probe>,
    /// Load 1, where throughput is the saturation throughput.
    pub saturated: Probe,
    /// The conclusion.
    pub conclusion: Conclusion,
    /// Every load with its last verdict, ascending.
    pub probes: Vec<Probe>,
}

/// What was found of all switches, with what was asked for.
#[derive(Debug)]
pub struct Limits {
    /// In the order of the request.
    pub switches: Vec<Limit>,
    /// The request, resolved at load 1.
    pub plan: Plan,
    /// The precision asked for.
    pub precision: f64,
    /// Of a matrix from a file: the scale at which its busiest line has load 1.
    pub full_scale: Option<f64>,
    /// What the user should know although it is no error.
    pub notes: Vec<String>,
}

impl Search {
    /// The work on one switch in slots of one replication: an estimate that is refined as the
    /// search goes on.
    fn guess(&self) -> u64 {
        self.request.slots.unwrap_or(LONGEST).saturating_mul(GUESS)
    }

    /// The request at load 1, checked.
    fn prepare(&self) -> Result<Prepared, LabError> {
        if !(FINEST..=0.5).contains(&self.precision) {
            return Err(LabError::Request(format!("--precision must be from {FINEST} to 0.5, such as 0.005")));
        }
        let slots = Some(self.request.slots.unwrap_or(LONGEST));
        let plan = Request { load: Some(1.0), slots, ..self.request.clone() }.resolve()?;
        if plan.is_trace() {
            return Err(LabError::Request(
                "a trace has a fixed load; a limit is searched with traffic whose load can be set".to_string(),
            ));
        }
        let full_scale = full_scale(&plan)?;
        let mut notes: Vec<String> = Needs::of(&plan)?.warning.into_iter().collect();
        let scales = |load: f64| {
            let plan = Request { load: Some(load), ..self.request.clone() }.resolve()?;
            Ok::<_, LabError>(matches!(plan.traffic, Traffic::Matrix(_, scale) if scale == load))
        };
        if !scales(0.5)? {
            notes.push(format!(
                "with {} the load is not a factor of all rates, so some outputs may be full at any load; give it a load of its own, as in hotspot(count=4,load=0.5), to scale them all",
                plan.traffic_spec
            ));
        }
        Ok(Prepared { plan, full_scale, notes })
    }

    /// Searches for the limit of each switch.
    pub fn run(&self, progress: &Progress) -> Result<Limits, LabError> {
        let prepared = self.prepare()?;
        self.expect(&prepared.plan, progress);
        let limits = self.search(prepared, progress);
        progress.finish();
        limits
    }

    fn expect(&self, plan: &Plan, progress: &Progress) {
        for switch in &plan.switches {
            progress.expect(&switch.args.to_string(), plan.ports, plan.replications.into(), self.guess());
        }
    }

    fn search(&self, prepared: Prepared, progress: &Progress) -> Result<Limits, LabError> {
        let Prepared { plan, full_scale, notes } = prepared;
        let limits = plan.switches.iter().map(|switch| {
            let switch = switch.args.to_string();
            let mut bisection = Bisection::new(self, switch, plan.ports, full_scale, progress);
            let limit = bisection.search();
            bisection.finish_progress();
            limit
        });
        let switches = limits.collect::<Result<_, LabError>>()?;
        Ok(Limits { switches, plan, precision: self.precision, full_scale, notes })
    }
}

/// Runs several searches, such as one for each number of ports. All are checked before the first
/// begins.
pub fn search_all(searches: &[Search], progress: &Progress) -> Result<Vec<Limits>, LabError> {
    let prepared = searches.iter().map(Search::prepare).collect::<Result<Vec<_>, _>>()?;
    for (search, prepared) in searches.iter().zip(&prepared) {
        search.expect(&prepared.plan, progress);
    }
    let limits = searches.iter().zip(prepared).map(|(search, prepared)| search.search(prepared, progress)).collect();
    progress.finish();
    limits
}

/// Of a matrix from a file, the scale at which its busiest line has load 1.
fn full_scale(plan: &Plan) -> Result<Option<f64>, LabError> {
    let Some((input, output)) = plan.scale.and(plan.traffic.busiest()) else { return Ok(None) };
    let busiest = input.max(output);
    if busiest > 0.0 {
        return Ok(Some(1.0 / busiest));
    }
    Err(LabError::Request(format!("all rates of {} are 0, so it has no load to search", plan.traffic_spec)))
}

/// The search for one switch. Loads are `index / grid`.
struct Bisection<'a> {
    search: &'a Search,
    /// The canonical spec.
    switch: String,
    ports: usize,
    longest: u64,
    grid: u32,
    /// What a load is multiplied by to have the scale of a matrix from a file; 1 for other traffic.
    full_scale: f64,
    /// How many steps of the grid the bracket may be wide.
    width: u32,
    probes: BTreeMap<u32, Probe>,
    progress: &'a Progress,
    /// Slots of one replication run so far.
    spent: u64,
}

/// The highest stable index, the lowest unstable one, and the undecided ones between them.
struct Bracket {
    stable: Option<u32>,
    unstable: Option<u32>,
    undecided: Option<(u32, u32)>,
}

impl<'a> Bisection<'a> {
    fn new(search: &'a Search, switch: String, ports: usize, full_scale: Option<f64>, progress: &'a Progress) -> Self {
        // Slightly less, so that 2 / 0.005 is rounded up to 400 and not to 401.
        let grid = ((2.0 / search.precision - 1e-6).ceil() as u32).max(COARSEST_GRID);
        Self {
            search,
            switch,
            ports,
            longest: search.request.slots.unwrap_or(LONGEST),
            grid,
            full_scale: full_scale.unwrap_or(1.0),
            width: ((search.precision * f64::from(grid) + 1e-6) as u32).max(2),
            probes: BTreeMap::new(),
            progress,
            spent: 0,
        }
    }

    fn search(&mut self) -> Result<Limit, LabError> {
        let top = self.grid;
        let (shortest, saturated) = (self.shortest(SHORTEST), self.shortest(SHORTEST_SATURATED));
        let spec = self.probe(top, saturated)?;
        if self.verdict(top) != Verdict::Unstable {
            self.probe(self.nearly_one(), shortest)?;
        }
        while let Some((index, slots)) = self.next() {
            self.probe(index, slots)?;
        }
        Ok(self.conclude(spec))
    }

    fn shortest(&self, part: u64) -> u64 {
        (self.longest / part).max(LEAST_SLOTS).min(self.longest)
    }

    /// The index at 0.99 or just above.
    fn nearly_one(&self) -> u32 {
        self.grid - self.grid / 100
    }

    fn verdict(&self, index: u32) -> Verdict {
        self.probes.get(&index).map_or(Verdict::Undecided, |probe| probe.stability.verdict)
    }

    /// Which places have this verdict, ascending.
    fn indices(&self, verdict: Verdict) -> impl DoubleEndedIterator<Item = u32> {
        self.probes.iter().filter(move |(_, probe)| probe.stability.verdict == verdict).map(|(index, _)| *index)
    }

    fn bracket(&self) -> Bracket {
        let unstable = self.indices(Verdict::Unstable).next();
        let below = |index: &u32| unstable.is_none_or(|unstable| *index < unstable);
        let stable = self.indices(Verdict::Stable).rfind(below);
        let mut between =
            self.indices(Verdict::Undecided).filter(below).filter(|index| stable.is_none_or(|stable| *index > stable));
        let first = between.next();
        Bracket { stable, unstable, undecided: first.map(|first| (first, between.next_back().unwrap_or(first))) }
    }

    /// The next index to probe, and the length of its first runs; None if no probe can narrow the
    /// bracket.
    fn next(&self) -> Option<(u32, u64)> {
        let Bracket { stable, unstable, undecided } = self.bracket();
        let low = stable.unwrap_or(0);
        let high = unstable.unwrap_or(self.grid);
        let none_below_one = unstable.is_none() && low >= self.nearly_one();
        let middle = match undecided {
            _ if none_below_one || high - low <= self.width => None,
            None => Some(low.midpoint(high)),
            Some((first, _)) if first - low > self.width / 2 => Some(low.midpoint(first)),
            // Rounded up: otherwise the undecided index itself would be the middle again.
            Some((_, last)) if high - last > self.width / 2 => Some((last + 1).midpoint(high)),
            Some(_) => None,
        };
        middle.map(|index| (index, self.shortest(SHORTEST))).or_else(|| {
            // The ends are probed at full length before they are reported.
            let short = |index: &u32| self.probes.get(index).is_some_and(|probe| probe.slots < self.longest);
            stable.into_iter().chain(unstable).find(short).map(|index| (index, self.longest))
        })
    }

    /// Probes an index in runs of this length, and twice as long while they stay undecided. Returns
    /// the canonical spec.
    fn probe(&mut self, index: u32, mut slots: u64) -> Result<String, LabError> {
        let load = f64::from(index) / f64::from(self.grid);
        loop {
            let request = Request {
                switches: vec![self.switch.clone()],
                load: Some(load * self.full_scale),
                slots: Some(slots),
                warmup: None,
                until: None,
                departures: None,
                ..self.search.request.clone()
            };
            let plan = request.resolve()?;
            self.set_remaining(&plan);
            let comparison = compare::measure(&plan, self.progress)?;
            let Some(outcome) = comparison.switches.into_iter().next() else {
                return Err(LabError::Request("name at least one switch".to_string()));
            };
            let loss = outcome.loss();
            let Outcome { spec, stability, throughput, .. } = outcome;
            let probe = Probe { load, slots, warmup: comparison.warmup, stability, throughput, loss };
            self.probes.insert(index, probe);
            // A run that ends for lack of memory would end in the same slot if it were longer.
            let hopeless = slots >= self.longest || stability.evidence.ended_early > 0;
            if stability.verdict != Verdict::Undecided || hopeless {
                return Ok(spec);
            }
            slots = (slots * 2).min(self.longest);
        }
    }

    fn conclude(&mut self, spec: String) -> Limit {
        let Bracket { stable, unstable, undecided } = self.bracket();
        let conclusion = match (stable, unstable) {
            (Some(stable), None) if stable >= self.nearly_one() => Conclusion::NoneBelowOne,
            (Some(stable), Some(unstable)) if unstable - stable <= self.width => Conclusion::Found,
            (Some(_), Some(_)) => Conclusion::Wide,
            (None, _) => Conclusion::NothingStable,
            (Some(_), None) => Conclusion::NothingUnstable,
        };
        let probe = |index: u32| self.probes.get(&index).cloned();
        let (first, last) = undecided.unwrap_or((1, 0));
        let between = self
            .probes
            .iter()
            .filter(|(index, probe)| (first..=last).contains(*index) && probe.stability.verdict == Verdict::Undecided);
        Limit {
            spec,
            stable: stable.and_then(probe),
            unstable: unstable.and_then(probe),
            undecided: between.map(|(_, probe)| probe.clone()).collect(),
            saturated: self.probes[&self.grid].clone(),
            conclusion,
            probes: self.probes.values().cloned().collect(),
        }
    }

    /// Foresees what is left of the guess, or, when that is used up, the runs that are about to
    /// begin.
    fn set_remaining(&mut self, plan: &Plan) {
        let slots = compare::slots_of_a_run(plan);
        let left = self.search.guess().saturating_sub(self.spent).max(slots);
        self.progress.set_remaining(&self.switch, self.ports, left.saturating_mul(plan.replications.into()));
        self.spent += slots;
    }

    /// Nothing more of what was foreseen is needed.
    fn finish_progress(&self) {
        self.progress.set_remaining(&self.switch, self.ports, 0);
    }
}

#[cfg(test)]
mod tests;
