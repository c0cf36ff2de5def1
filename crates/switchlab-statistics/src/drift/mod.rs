//! Is the switch stable? The verdict, and what it rests on.
//!
//! The backlog of a stable switch returns to a level again and again. That of an unstable one grows
//! in proportion to its age. In between lies the critical switch, which does neither: its backlog
//! is a random walk, and grows with the square root of its age. So two numbers are taken from the
//! backlog in the 28 to 32 blocks of each run:
//!
//! - persistence, the correlation of neighbouring blocks. Small, if the window is long against the
//!   switch's memory.
//! - share = drift * age / backlog, where the age is counted from the empty switch to the middle of
//!   the window: how much of the backlog the drift, kept up from the beginning, would explain. 1
//!   for an unstable switch, 1/2 for a critical one, 0 for a stable one, whatever the load, the
//!   number of ports and the length of the run.
//!
//! The rule:
//!
//! - Unstable: persistence of at least 0.65; even with the lower end of the 95 % interval of the
//!   drift the share is at least 2/3; the growth lasts; and the window has at least 16 slots for
//!   each port. The growth lasts if, with 95 % confidence, the growth from the middle third of the
//!   window to its last third is at least 0.8 of that from the first third to the middle one, and
//!   it is not known to be less than 0.98 of it. A switch that fills up towards a high level grows
//!   in proportion to its age at first, so that its share is near 1; but its growth slows down.
//! - Stable: persistence below 0.65, and a drift of not more than one and a half half widths
//!   above 0. (For a backlog that forgets exponentially, 0.65 means that the window is 20 times as
//!   long as its memory.) Or, for a longer memory and mostly with several runs, the interval of the
//!   drift contains 0 and even with its upper end the share is below 1/4. Or nothing was ever left
//!   waiting, in 256 slots or more.
//! - Undecided: anything else; runs under 256 slots in any case. So is what looks stable but has a
//!   run that ended early because its backlog outgrew the memory: the memory may have been too
//!   small, or the switch too slow. A run that ended early is called unstable only if its drift
//!   alone proves it by the rule above.
//!
//! Undecided with growth that slows down is *filling up*. The evidence then has the least length of
//! a window that could decide: 20 time constants of an exponential approach with the same slowing.
//! Near the limit a backlog approaches its level more slowly than that, and at load 1 it has none,
//! so no window is sure to decide.
//!
//! With five runs or more the drift's interval is from the spread between runs. With fewer it is
//! from the steps over four blocks, as if the backlog were a random walk, which holds on the verge
//! of instability and is too wide, and so on the safe side, for a stable switch.
//!
//! # How often it errs
//!
//! The study `rates`, in the tests, has 200 runs of each setting, assessed alone, in groups of
//! five and in groups of ten, with a warm-up of a fifth of the slots, and with another seed than
//! the one the bounds were chosen with. Its table is docs/reference/verdicts.csv. The page beside
//! it has the sums: of switches known to be stable none was called unstable, and of those known
//! to be unstable none was called stable.
//!
//! # What it cannot see
//!
//! Growth that is small against the fluctuation of the rest: one queue among thousands that is
//! overloaded by a ten-thousandth, in a short run. Loads so near the limit that the memory of the
//! switch is longer than the run come out as undecided, stable or not.
//!
//! # Rejected
//!
//! Comparing the growth of the second half of the window with that of the first, in order to tell
//! growth from a slow transient: from one run the two are too noisy to tell 1 (linear) from 0.7
//! (square root), where the share tells 1 from 1/2. A fixed bound on the drift, as a fraction of
//! arrivals: any bound is either above the drift of a switch just beyond its limit, or below what a
//! stable one shows in a short run.

use super::interval::Estimate;
use super::trend::Trend;
use std::fmt;
use switchlab_core::meter::Timeline;

/// Blocks that are correlated more than this depend on their neighbours.
const PERSISTENT: f64 = 0.65;
/// Growth that explains this share of the backlog is growth from the beginning.
const SHARE: f64 = 2.0 / 3.0;
/// Growth that cannot explain this share of the backlog is none, for a critical switch would show
/// twice as much.
const SMALL_SHARE: f64 = 0.25;
/// That no cell waited in fewer slots, over all runs, shows nothing.
const LEAST_SLOTS: u128 = 256;
/// A shorter window, in slots for each port, shows no lasting growth: under uniform traffic a VOQ
/// has seen fewer cells than this.
const SLOTS_PER_PORT: f64 = 16.0;
/// A window of this many time constants decides: at its end a backlog that forgets exponentially
/// has a persistence of 0.65.
const TIME_CONSTANTS: f64 = 20.0;
/// Growth that has almost ended is taken as slowed down to this share, so that a time constant can
/// be given.
const LEAST_BEND: f64 = 0.05;
/// How many half widths of growth a stable switch may show: more than one, or one in 40 would show
/// too much.
const WIDTHS: f64 = 1.5;

/// What was observed of a run.
#[derive(Clone, Copy, Debug)]
pub struct Observation<'a> {
    /// The measured window.
    pub timeline: &'a Timeline,
    /// Slots from the empty switch to the beginning of the window: the warm-up.
    pub before: u64,
    /// Whether the run ended early because its backlog outgrew the memory.
    pub ended_early: bool,
    /// The number of ports.
    pub ports: usize,
}

/// Whether a switch keeps up with its arrivals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The backlog keeps to a level.
    Stable,
    /// The backlog grows without end.
    Unstable,
    /// The runs do not decide.
    Undecided,
}

impl Verdict {
    /// In one word, as results have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stable => "stable",
            Self::Unstable => "unstable",
            Self::Undecided => "undecided",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What a verdict rests on. What the runs are too short for is not a number. `Display` gives one
/// line for people.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evidence {
    /// Growth of the backlog, in cells per slot.
    pub drift: Estimate,
    /// The drift as a fraction of the arrivals.
    pub relative: f64,
    /// How much of the backlog the drift explains; see the module.
    pub share: f64,
    /// The correlation of neighbouring blocks; see the module.
    pub persistence: f64,
    /// The mean backlog, in cells.
    pub backlog: f64,
    /// Whether no cell was left waiting, in slots enough to say so.
    pub never_waited: bool,
    /// The mean backlog in each quarter of the window.
    pub quarters: [f64; 4],
    /// If the backlog still grows, but more and more slowly: how many slots are to be measured to
    /// decide, roughly. A switch that is filling up.
    pub filling: Option<u64>,
    /// How many runs there were.
    pub runs: usize,
    /// How many of them ended early.
    pub ended_early: usize,
}

/// A verdict with its evidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stability {
    /// The verdict.
    pub verdict: Verdict,
    /// What it rests on.
    pub evidence: Evidence,
}

/// Assesses the stability of a switch by its runs, one or more; see the module for the rule.
pub fn assess(runs: &[Observation<'_>]) -> Stability {
    let sum = |of: fn(&Observation<'_>) -> u64| runs.iter().map(|run| u128::from(of(run))).sum::<u128>();
    let slots = sum(|run| run.timeline.slots());
    let backlog = sum(|run| run.timeline.total().backlog_sum);
    let arrivals = sum(|run| run.timeline.total().arrivals);
    let ended_early = runs.iter().filter(|run| run.ended_early).count();
    let never_waited = slots > 0 && backlog == 0 && (slots >= LEAST_SLOTS || arrivals == 0);
    let trend = Trend::of(runs);
    let ports = runs.iter().map(|run| run.ports).max().unwrap_or(0);
    let verdict = match trend.as_ref().map_or(Verdict::Undecided, |trend| by_rule(trend, ports)) {
        _ if never_waited => Verdict::Stable,
        Verdict::Stable if ended_early > 0 => Verdict::Undecided,
        verdict => verdict,
    };
    let number = |of: fn(&Trend) -> f64| trend.as_ref().map_or(f64::NAN, of);
    let evidence = Evidence {
        drift: trend.map_or(Estimate { mean: f64::NAN, half_width: None, count: 0 }, |trend| trend.drift),
        relative: number(|trend| trend.drift.mean / trend.arrivals),
        share: number(|trend| share(trend, trend.drift.mean)),
        persistence: number(|trend| trend.persistence),
        backlog: backlog as f64 / slots as f64,
        never_waited,
        quarters: quarters(runs),
        filling: trend.as_ref().filter(|_| verdict == Verdict::Undecided).and_then(filling),
        runs: runs.len(),
        ended_early,
    };
    Stability { verdict, evidence }
}

fn share(trend: &Trend, drift: f64) -> f64 {
    drift * trend.age / trend.backlog
}

/// Whether the backlog grows as fast at the end as at the beginning of a long enough window.
fn grows_on(trend: &Trend, ports: usize) -> bool {
    let lasts = trend.lasting.low().is_some_and(|low| low >= 0.0);
    let slows = trend.slowing.high().is_some_and(|high| high < 0.0);
    lasts && !slows && trend.slots >= SLOTS_PER_PORT * ports as f64
}

/// If the backlog grows, but more and more slowly: the slots that would decide, with one digit.
fn filling(trend: &Trend) -> Option<u64> {
    let grows = trend.drift.low().is_some_and(|low| low > 0.0);
    let slows = trend.slowing.high().is_some_and(|high| high < 0.0);
    if !grows || !slows {
        return None;
    }
    let time_constant = trend.early_to_late / -libm::log(trend.bend.clamp(LEAST_BEND, 1.0 - 1e-6));
    let slots = (TIME_CONSTANTS * time_constant).max(2.0 * trend.slots);
    let digit = libm::exp10(libm::log10(slots).floor());
    // The cast saturates.
    Some(((slots / digit).ceil() * digit) as u64)
}

fn by_rule(trend: &Trend, ports: usize) -> Verdict {
    let low = trend.drift.low().unwrap_or(f64::NEG_INFINITY);
    let high = trend.drift.high().unwrap_or(f64::INFINITY);
    let forgets = trend.persistence < PERSISTENT;
    if !forgets && share(trend, low) >= SHARE && grows_on(trend, ports) {
        Verdict::Unstable
    } else if forgets && trend.drift.mean <= WIDTHS * trend.half_width_if_stable
        || low <= 0.0 && share(trend, high) < SMALL_SHARE
    {
        Verdict::Stable
    } else {
        Verdict::Undecided
    }
}

/// The mean backlog in each quarter of the full bins, over the runs that have four bins.
fn quarters(runs: &[Observation<'_>]) -> [f64; 4] {
    let runs: Vec<_> = runs.iter().filter(|run| run.timeline.full_bins().len() >= 4).collect();
    std::array::from_fn(|quarter| {
        let means = runs.iter().map(|run| {
            let bins = run.timeline.full_bins();
            let bins = &bins[quarter * bins.len() / 4..(quarter + 1) * bins.len() / 4];
            let sum: u64 = bins.iter().map(|bin| bin.backlog_sum).sum();
            sum as f64 / (bins.len() as f64 * run.timeline.width() as f64)
        });
        means.sum::<f64>() / runs.len() as f64
    })
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.ended_early > 0 {
            write!(f, "{} of {} runs ended early: the backlog outgrew the memory", self.ended_early, self.runs)?;
            if self.drift.mean.is_finite() {
                f.write_str("; ")?;
            } else {
                return Ok(());
            }
        } else if self.never_waited {
            return f.write_str("no cell was ever left waiting");
        } else if !self.drift.mean.is_finite() {
            return f.write_str("too few slots to tell");
        }
        let Estimate { mean: drift, half_width, .. } = self.drift;
        let decimals = decimals(half_width.filter(|width| *width > 0.0).map_or(drift / 10.0, |width| width));
        let interval = half_width.map_or_else(String::new, |width| format!(" (±{width:.decimals$})"));
        let percent = 100.0 * self.relative.abs();
        let percent = format!("{percent:.0$} % of arrivals", if percent < 9.95 { 2 } else { 0 });
        if self.drift.low().is_some_and(|low| low > 0.0) {
            write!(f, "backlog grows by {drift:.decimals$} cells per slot{interval}, {percent}")?;
            match self.filling {
                Some(_) if self.ended_early > 0 => {
                    f.write_str(", but more and more slowly: filling up; only more memory can decide")
                }
                Some(slots) => {
                    write!(f, ", but more and more slowly: filling up; to decide takes at least some {slots} slots")
                }
                None => Ok(()),
            }
        } else if self.drift.high().is_some_and(|high| high < 0.0) {
            write!(f, "backlog falls by {:.decimals$} cells per slot{interval}, {percent}", -drift)
        } else {
            let how = if self.persistence < PERSISTENT { "keeps to" } else { "wanders around" };
            write!(f, "backlog {how} {:.1} cells, drift {drift:.decimals$} cells per slot{interval}", self.backlog)
        }
    }
}

/// How many decimals show two digits of a number, from 0 to 9.
fn decimals(number: f64) -> usize {
    // `as` saturates, and sends what is not a number to 0.
    (1.0 - libm::log10(number.abs()).floor()).clamp(0.0, 9.0) as usize
}

#[cfg(test)]
mod tests;
