//! Claims as data. `claims` compares them with results.

use super::PointSpec;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A statement about the results of an experiment, from the paper or of our own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// A short name, unique in the experiment.
    pub id: String,
    /// The claim in words.
    pub text: String,
    /// Where it stands: section, figure, table; `own` if no paper says it.
    pub source: String,
    /// The figure as printed, in words, if one is.
    pub printed: Option<String>,
    /// The metric it is about.
    pub metric: String,
    /// The points it is about; it must hold at each of them.
    pub select: Select,
    /// The statement.
    pub predicate: Predicate,
    /// Why it is ruled as it is, in one line: the paper, the reading or the length of the runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The ruling that is expected of it.
    #[serde(default, skip_serializing_if = "Expected::is_default")]
    pub expected: Expected,
}

impl Claim {
    /// Whether it is a check of this project's own, not a statement of the paper: its source says
    /// `own`, or that it is beyond the paper or true by definition.
    pub fn is_own(&self) -> bool {
        let source = self.source.to_lowercase();
        let source = source.strip_prefix("our ").unwrap_or(&source);
        let begins =
            |words: &str| source.strip_prefix(words).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
        ["own", "beyond the paper", "by definition"].into_iter().any(begins)
    }
}

/// The ruling that is expected of a claim: what is known of it, whether or not it is true.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Expected {
    /// It holds.
    #[default]
    Holds,
    /// It does not hold: the paper errs, or this project does.
    Fails,
    /// The results do not decide.
    Undecided,
}

impl Expected {
    /// As a file writes them.
    pub(super) const NAMES: [&'static str; 3] = ["holds", "fails", "undecided"];

    /// The one of a name; None if there is none.
    pub(super) fn of(name: &str) -> Option<Self> {
        let index = Self::NAMES.iter().position(|known| *known == name)?;
        [Self::Holds, Self::Fails, Self::Undecided].get(index).copied()
    }

    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Which points: all that have every one of these values. Keys are axes as in [`PointSpec::text`];
/// a spec matches if it is the same text in canonical form, a number if it is equal.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Select(pub BTreeMap<String, Vec<String>>);

impl Select {
    /// Whether a point is selected.
    pub fn includes(&self, point: &PointSpec) -> bool {
        self.0.iter().all(|(axis, values)| match (point.number(axis), point.text(axis)) {
            (Some(number), _) => values.iter().any(|value| value.parse() == Ok(number)),
            (None, Some(text)) => values.iter().any(|value| *value == text || text.split('(').next() == Some(value)),
            (None, None) => false,
        })
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_zero(constant: &f64) -> bool {
    *constant == 0.0
}

fn one() -> u32 {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it with a reference")]
fn is_one(power: &u32) -> bool {
    *power == one()
}

/// A statement about the metric at the selected points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Predicate {
    /// It is `value`, give or take `tolerance`.
    Within {
        /// The value.
        value: f64,
        /// How far it may be off.
        tolerance: f64,
    },
    /// It is at least this.
    AtLeast(f64),
    /// It is at most this.
    AtMost(f64),
    /// Divided by the metric of the points of `other` that agree in every axis that `other` does
    /// not fix, it lies between the two.
    Ratio {
        /// The points in the denominator.
        other: Select,
        /// The least ratio.
        #[serde(with = "super::bound")]
        least: f64,
        /// The largest.
        #[serde(with = "super::bound")]
        most: f64,
    },
    /// Along these values of an axis, it never falls (the values in the order given).
    Rising {
        /// The axis.
        axis: String,
        /// Its values, in order.
        order: Vec<String>,
        /// The points that it is divided by first, if any: those that agree in every axis that this
        /// does not fix.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<Select>,
    },
    /// Along these values of an axis, it never rises (the values in the order given).
    Falling {
        /// The axis.
        axis: String,
        /// Its values, in order.
        order: Vec<String>,
        /// The points that it is divided by first, if any: those that agree in every axis that this
        /// does not fix.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        to: Option<Select>,
    },
    /// Less a constant and divided by a power of the binary logarithm of an axis, it lies between
    /// the two: growth as log N or log^2 N, with its factor.
    PerLog {
        /// The axis.
        axis: String,
        /// The constant.
        #[serde(default, skip_serializing_if = "is_zero")]
        less: f64,
        /// The power.
        #[serde(default = "one", skip_serializing_if = "is_one")]
        power: u32,
        /// The least constant.
        #[serde(with = "super::bound")]
        least: f64,
        /// The largest.
        #[serde(with = "super::bound")]
        most: f64,
    },
    /// The highest stable load lies between the two, by the verdicts at the loads that were run.
    StableUpTo {
        /// The least load.
        #[serde(with = "super::bound")]
        least: f64,
        /// The largest.
        #[serde(with = "super::bound")]
        most: f64,
    },
    /// It grows along an axis as a power: the slope of log metric over log axis lies between the
    /// two.
    Slope {
        /// The axis.
        axis: String,
        /// The least exponent.
        #[serde(with = "super::bound")]
        least: f64,
        /// The largest.
        #[serde(with = "super::bound")]
        most: f64,
    },
    /// The switch is stable there (or, if false, unstable).
    Stable(bool),
    /// Every cell leaves in the same slot by the same output as in the points of `other` that agree
    /// in every axis `other` does not fix.
    SameDepartures {
        /// The points to compare with.
        other: Select,
    },
}
