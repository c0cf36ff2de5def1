//! Claims, compared with results.
//!
//! ```text
//!   Claim, Results ──checks──► samples, one per comparison
//!                  ──interval──► holds, does not hold or undecided
//! ```
//!
//! A claim is a set of checks: one for each selected point, or each pair of points that it
//! compares. A check has a sample, from which an interval is made, and a region that the claim says
//! the truth is in:
//!
//! - the interval is inside the region: it holds;
//! - the interval is outside: it does not;
//! - else it is undecided, and more replications may tell.
//!
//! The claim holds if each check does, does not hold if one check does not, and is undecided
//! otherwise.
//!
//! # How sure that is
//!
//! The intervals of a claim cover the truth together with 95 %: each of k has a confidence of 1 -
//! 0.05/k (Bonferroni). So a false claim comes out as "holds", or a true one as "does not hold", in
//! at most 5 of 100 experiments, whatever the number of points. (Where the truth lies well inside
//! or outside the region, far more rarely: both errors need the interval to miss the truth and to
//! clear the bound. A claim whose truth lies on the bound itself, as the equality of two switches
//! stated as "not above", stays undecided mostly, as it should.) Nothing is adjusted over the
//! claims of a paper: of a hundred whose truth lies on the bound, expect some false rulings. Adding
//! replications until a claim is decided tests the same data more than once and makes the error
//! somewhat larger than 5 %; the number of tests is small, at most the doublings up to
//! `most_replications`.
//!
//! # What is paired
//!
//! Switches see the same arrivals in the same replication. So a ratio and an order are evaluated by
//! pairs, replication by replication: an order by the differences, a ratio by Fieller's interval,
//! which is exact for normal values and needs no mean of ratios. Most of the randomness cancels,
//! and two points whose own intervals overlap may still differ clearly. Where points differ in load
//! or ports, the pairs are nearly independent, and the interval is as valid, only wider.
//!
//! # What has no interval
//!
//! - A single replication has an interval for `delay` and `throughput` only, from batch means. For
//!   other metrics, and for a ratio, order or slope, a claim about it is undecided: one number
//!   without a width decides nothing, however far off it seems.
//! - An unstable switch has no mean delay or backlog, and one of which that is undecided may have
//!   none. A claim about it, alone or in a ratio, an order or a slope, is undecided. That a switch
//!   is unstable is a claim of its own. Throughput and counters are measurements all the same.
//! - Stability is the verdict's word (see [`crate::statistics::drift`] for how often it errs).
//!   Departures are equal or not, exactly: one replication that differs refutes, and equal
//!   fingerprints of 64 bits are taken for equal departures.
//! - A claim that selects no point, as may happen in a quick run, is undecided and says so.

mod checks;
mod rule;
mod sample;

pub use rule::{quantity, rule, short_rule};

use crate::experiment::{Claim, Expected, Predicate, ResultPoint};
use checks::Check;
use std::fmt;

/// The ruling on a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ruling {
    /// It holds, by the intervals.
    Holds,
    /// It does not hold, by the intervals.
    DoesNotHold,
    /// The results do not decide.
    Undecided,
}

impl fmt::Display for Ruling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.in_words())
    }
}

impl From<Expected> for Ruling {
    fn from(expected: Expected) -> Self {
        match expected {
            Expected::Holds => Self::Holds,
            Expected::Fails => Self::DoesNotHold,
            Expected::Undecided => Self::Undecided,
        }
    }
}

impl Ruling {
    /// The ruling in words.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::DoesNotHold => "does not hold",
            Self::Undecided => "undecided",
        }
    }

    /// Whether it is compatible with the one that was expected. Only the opposite of a firm ruling
    /// is not: shorter runs leave undecided what longer ones decide, and the other way round.
    pub fn is_as(self, expected: Expected) -> bool {
        !matches!((expected, self), (Expected::Holds, Self::DoesNotHold) | (Expected::Fails, Self::Holds))
    }

    /// The ruling on a claim that must hold in each of its parts.
    fn all(parts: impl IntoIterator<Item = Self>) -> Self {
        parts.into_iter().fold(Self::Holds, |sum, part| match (sum, part) {
            (Self::DoesNotHold, _) | (_, Self::DoesNotHold) => Self::DoesNotHold,
            (Self::Undecided, _) | (_, Self::Undecided) => Self::Undecided,
            _ => Self::Holds,
        })
    }
}

/// What the results say about a claim.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    /// The ruling.
    pub ruling: Ruling,
    /// What was measured, in a few words.
    pub measured: String,
    /// One line for each check.
    pub evidence: Vec<String>,
    /// The results it rests on, by their indices.
    pub points: Vec<usize>,
}

/// Evaluates a claim by the results.
pub fn evaluate(claim: &Claim, results: &[ResultPoint]) -> Evaluation {
    if !results.iter().any(|point| point.is_in(&claim.select)) {
        return undecided("it selects no point of these results");
    }
    let checks = match &claim.predicate {
        Predicate::Within { value, tolerance } => checks::each(claim, results, (value - tolerance, value + tolerance)),
        Predicate::AtLeast(least) => checks::each(claim, results, (*least, f64::INFINITY)),
        Predicate::AtMost(most) => checks::each(claim, results, (f64::NEG_INFINITY, *most)),
        Predicate::Ratio { other, least, most } => checks::ratios(claim, results, other, (*least, *most)),
        Predicate::Rising { axis, order, to } => {
            checks::changes(claim, results, (axis, order), to.as_ref(), (0.0, f64::INFINITY))
        }
        Predicate::Falling { axis, order, to } => {
            checks::changes(claim, results, (axis, order), to.as_ref(), (f64::NEG_INFINITY, 0.0))
        }
        Predicate::PerLog { axis, less, power, least, most } => {
            checks::per_log(claim, results, axis, (*less, *power), (*least, *most))
        }
        Predicate::StableUpTo { least, most } => return checks::stable_up_to(claim, results, (*least, *most)),
        Predicate::Slope { axis, least, most } => checks::slopes(claim, results, axis, (*least, *most)),
        Predicate::Stable(stable) => return checks::stable(claim, results, *stable),
        Predicate::SameDepartures { other } => return checks::same_departures(claim, results, other),
    };
    if checks.is_empty() {
        return undecided("it selects no points that can be compared");
    }
    conclude(&checks)
}

fn undecided(why: &str) -> Evaluation {
    Evaluation { ruling: Ruling::Undecided, measured: why.to_string(), evidence: Vec::new(), points: Vec::new() }
}

/// All checks together, at a joint confidence of 95 %.
fn conclude(checks: &[Check]) -> Evaluation {
    let confidence = 1.0 - 0.05 / checks.len() as f64;
    // `1 - 0.05` is not the float that 0.95 is, and the usual case must be the usual interval.
    let confidence = if checks.len() == 1 { 0.95 } else { confidence };
    let found: Vec<_> = checks.iter().map(|check| check.sample.interval(confidence)).collect();
    let rulings: Vec<Ruling> = checks.iter().zip(&found).map(|(check, found)| found.rule(check.region)).collect();
    let evidence = checks.iter().zip(&found).zip(&rulings);
    let evidence = evidence.map(|((check, found), ruling)| format!("{}: {found}: {ruling}", check.label)).collect();
    let measured = match found.as_slice() {
        [only] => only.to_string(),
        several => sample::range(several),
    };
    let points = checks.iter().flat_map(|check| check.points.iter().copied()).collect();
    Evaluation { ruling: Ruling::all(rulings), measured, evidence, points: sorted(points) }
}

/// Each index once, ascending.
fn sorted(mut points: Vec<usize>) -> Vec<usize> {
    points.sort_unstable();
    points.dedup();
    points
}

#[cfg(test)]
mod tests;
