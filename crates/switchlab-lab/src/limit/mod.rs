//! The highest stable load of a switch, by bisection.
//!
//! ```text
//!   0 ──── stable ────┤ undecided ├──── unstable ──── 1
//!               highest shown    lowest shown
//!                      stable    unstable
//! ```
//!
//! Loads are taken from a grid with steps of half the precision, so that each is a short decimal
//! and the run behind it can be repeated with `switchlab run --load`. Each load is judged by the
//! verdict of [`crate::statistics::drift`], first in short runs, and while they do not tell, in
//! runs twice as long, up to the length asked for. Far from the limit the short runs decide; that
//! is what makes the search cheap. The two ends that are reported were judged at the full length,
//! whatever a shorter run had said.
//!
//! Undecided counts as neither stable nor unstable. Where the longest runs stay undecided, both
//! sides of these loads are narrowed, and the bracket that is left is as wide as it is.
//!
//! The search takes it that a switch that is unstable at a load is so at every higher one. Should
//! verdicts contradict that, the lowest unstable load counts, and the stable ones above it do not.
//!
//! The throughput at load 1, saturation, is measured too. It is another number: beyond its limit a
//! switch may lose throughput or gain some, since what waits in overloaded queues changes what the
//! scheduler has to choose from.

use crate::compare;
use crate::error::LabError;
use crate::memory::Needs;
use crate::outcome::Outcome;
use crate::plan::{Plan, Request};
use crate::progress::Progress;
use crate::statistics::{Estimate, Judgement, Verdict};
use std::collections::BTreeMap;
use switchlab_core::registry::Traffic;

/// The precision, where nobody says.
pub const PRECISION: f64 = 0.005;
/// The length of the longest runs, where nobody says: enough for most switches to show themselves
/// stable at 0.99.
pub const LONGEST: u64 = 400_000;
/// A finer grid than this asks for longer runs than there are.
pub const FINEST: f64 = 1e-5;
/// The first runs are this many times shorter than the longest.
const SHORTEST: u64 = 16;
/// Those at load 1 are this many times shorter: their throughput is a result.
const SHORTEST_SATURATED: u64 = 4;
/// Verdicts from shorter runs are often undecided or, with bursts, wrong.
const LEAST_SLOTS: u64 = 1000;
/// The grid is never coarser than this, so that load 0.99 is on it or just below the next.
const COARSEST_GRID: u32 = 100;
/// What a search takes, as a guess for the progress bar, in runs of full length.
const GUESS: u64 = 6;

/// What a user asks for.
#[derive(Clone, Debug)]
pub struct Search {
    /// Switches, ports, traffic and so on. The load, the warm-up and `until` are the search's own;
    /// `slots` is the length of the longest runs.
    pub request: Request,
    /// How far apart the two ends of the bracket may be.
    pub precision: f64,
}

/// One load, and how it was judged.
#[derive(Clone, Debug)]
pub struct Probe {
    /// The load.
    pub load: f64,
    /// Slots measured in each run.
    pub slots: u64,
    /// Slots run before.
    pub warmup: u64,
    /// Stable or not, and why.
    pub judgement: Judgement,
    /// Departures per output and slot.
    pub throughput: Estimate,
}

/// What a search amounts to.
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
    /// What it amounts to.
    pub conclusion: Conclusion,
    /// Every load that was judged, ascending, as it was judged last.
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
    /// What the user should know although it is no error.
    pub notes: Vec<String>,
}

impl Search {
    /// The work on one switch in slots of one replication: a guess, made better as it goes on.
    fn guess(&self) -> u64 {
        self.request.slots.unwrap_or(LONGEST).saturating_mul(GUESS)
    }

    /// Searches for the limit of each switch.
    pub fn run(&self, progress: &Progress) -> Result<Limits, LabError> {
        if !(FINEST..=0.5).contains(&self.precision) {
            return Err(LabError::Request(format!("--precision must be from {FINEST} to 0.5, such as 0.005")));
        }
        let slots = Some(self.request.slots.unwrap_or(LONGEST));
        let plan = Request { load: Some(1.0), slots, ..self.request.clone() }.resolve()?;
        if plan.is_trace() {
            return Err(LabError::Request(
                "a trace has the load it has; a limit is searched with traffic whose load can be set".to_string(),
            ));
        }
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
        for switch in &plan.switches {
            progress.expect(&switch.args.to_string(), plan.ports, plan.replications.into(), self.guess());
        }
        let limits = plan.switches.iter().map(|switch| {
            let switch = switch.args.to_string();
            let mut bisection = Bisection::new(self, switch, plan.ports, progress);
            let limit = bisection.search();
            bisection.settle_progress();
            limit
        });
        let switches = limits.collect::<Result<_, LabError>>();
        progress.finish();
        Ok(Limits { switches: switches?, plan, precision: self.precision, notes })
    }
}

/// The search for one switch. Loads are `place / grid`.
struct Bisection<'a> {
    search: &'a Search,
    /// The canonical spec.
    switch: String,
    ports: usize,
    longest: u64,
    grid: u32,
    /// How many steps of the grid the bracket may be wide.
    width: u32,
    judged: BTreeMap<u32, Probe>,
    progress: &'a Progress,
    /// Slots of one replication run so far.
    spent: u64,
}

/// What is known: the highest stable place, the lowest unstable one, and the undecided ones between
/// them.
struct Bracket {
    stable: Option<u32>,
    unstable: Option<u32>,
    undecided: Option<(u32, u32)>,
}

impl<'a> Bisection<'a> {
    fn new(search: &'a Search, switch: String, ports: usize, progress: &'a Progress) -> Self {
        // A hair less, so that 2 / 0.005 is 400 and not 401.
        let grid = ((2.0 / search.precision - 1e-6).ceil() as u32).max(COARSEST_GRID);
        Self {
            search,
            switch,
            ports,
            longest: search.request.slots.unwrap_or(LONGEST),
            grid,
            width: ((search.precision * f64::from(grid) + 1e-6) as u32).max(2),
            judged: BTreeMap::new(),
            progress,
            spent: 0,
        }
    }

    fn search(&mut self) -> Result<Limit, LabError> {
        let top = self.grid;
        let (shortest, saturated) = (self.shortest(SHORTEST), self.shortest(SHORTEST_SATURATED));
        let spec = self.judge(top, saturated)?;
        if self.verdict(top) != Verdict::Unstable {
            self.judge(self.nearly_one(), shortest)?;
        }
        while let Some((place, slots)) = self.next() {
            self.judge(place, slots)?;
        }
        Ok(self.conclude(spec))
    }

    fn shortest(&self, part: u64) -> u64 {
        (self.longest / part).max(LEAST_SLOTS).min(self.longest)
    }

    /// The place at 0.99 or just above.
    fn nearly_one(&self) -> u32 {
        self.grid - self.grid / 100
    }

    fn verdict(&self, place: u32) -> Verdict {
        self.judged.get(&place).map_or(Verdict::Undecided, |probe| probe.judgement.verdict)
    }

    /// Which places have this verdict, ascending.
    fn places(&self, verdict: Verdict) -> impl DoubleEndedIterator<Item = u32> {
        self.judged.iter().filter(move |(_, probe)| probe.judgement.verdict == verdict).map(|(place, _)| *place)
    }

    fn bracket(&self) -> Bracket {
        let unstable = self.places(Verdict::Unstable).next();
        let below = |place: &u32| unstable.is_none_or(|unstable| *place < unstable);
        let stable = self.places(Verdict::Stable).rfind(below);
        let mut between =
            self.places(Verdict::Undecided).filter(below).filter(|place| stable.is_none_or(|stable| *place > stable));
        let first = between.next();
        Bracket { stable, unstable, undecided: first.map(|first| (first, between.next_back().unwrap_or(first))) }
    }

    /// What to judge next, and in runs of what length to begin; None if nothing more can be gained.
    fn next(&self) -> Option<(u32, u64)> {
        let Bracket { stable, unstable, undecided } = self.bracket();
        let low = stable.unwrap_or(0);
        let high = unstable.unwrap_or(self.grid);
        let none_below_one = unstable.is_none() && low >= self.nearly_one();
        let middle = match undecided {
            _ if none_below_one || high - low <= self.width => None,
            None => Some(low.midpoint(high)),
            Some((first, _)) if first - low > self.width / 2 => Some(low.midpoint(first)),
            // Rounded up, or the undecided place itself would come out again.
            Some((_, last)) if high - last > self.width / 2 => Some((last + 1).midpoint(high)),
            Some(_) => None,
        };
        middle.map(|place| (place, self.shortest(SHORTEST))).or_else(|| {
            // The ends are judged at full length before they are believed.
            let short = |place: &u32| self.judged.get(place).is_some_and(|probe| probe.slots < self.longest);
            stable.into_iter().chain(unstable).find(short).map(|place| (place, self.longest))
        })
    }

    /// Judges a place in runs of this length, and twice as long while they do not tell. Gives the
    /// canonical spec.
    fn judge(&mut self, place: u32, mut slots: u64) -> Result<String, LabError> {
        let load = f64::from(place) / f64::from(self.grid);
        loop {
            let request = Request {
                switches: vec![self.switch.clone()],
                load: Some(load),
                slots: Some(slots),
                warmup: None,
                until: None,
                departures: None,
                ..self.search.request.clone()
            };
            let plan = request.resolve()?;
            self.foresee(&plan);
            let comparison = compare::measure(&plan, self.progress)?;
            let Some(Outcome { spec, judgement, throughput, .. }) = comparison.switches.into_iter().next() else {
                return Err(LabError::Request("name at least one switch".to_string()));
            };
            let probe = Probe { load, slots, warmup: comparison.warmup, judgement, throughput };
            self.judged.insert(place, probe);
            // What ends for lack of memory ends there in a longer run too.
            let hopeless = slots >= self.longest || judgement.evidence.ended_early > 0;
            if judgement.verdict != Verdict::Undecided || hopeless {
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
        let probe = |place: u32| self.judged.get(&place).cloned();
        let (first, last) = undecided.unwrap_or((1, 0));
        let between = self
            .judged
            .iter()
            .filter(|(place, probe)| (first..=last).contains(*place) && probe.judgement.verdict == Verdict::Undecided);
        Limit {
            spec,
            stable: stable.and_then(probe),
            unstable: unstable.and_then(probe),
            undecided: between.map(|(_, probe)| probe.clone()).collect(),
            saturated: self.judged[&self.grid].clone(),
            conclusion,
            probes: self.judged.values().cloned().collect(),
        }
    }

    /// Foresees what is left of the guess, or, when that is used up, the runs that are about to
    /// begin.
    fn foresee(&mut self, plan: &Plan) {
        let slots = compare::slots_of_a_run(plan);
        let left = self.search.guess().saturating_sub(self.spent).max(slots);
        self.progress.foresee(&self.switch, self.ports, left.saturating_mul(plan.replications.into()));
        self.spent += slots;
    }

    /// Nothing more of what was foreseen is needed.
    fn settle_progress(&self) {
        self.progress.foresee(&self.switch, self.ports, 0);
    }
}

#[cfg(test)]
mod tests;
