//! From the values of a check to its interval.

use super::Ruling;
use crate::statistics::Estimate;
use crate::statistics::interval::{mean_and_variance, quantile_of_t};
use std::fmt;

/// The sample of a check.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Sample {
    /// Independent values: of a metric, of paired differences, of slopes.
    Values(Vec<f64>),
    /// Paired values, of whose means the ratio is asked for.
    Ratio(Vec<f64>, Vec<f64>),
    /// An estimate from elsewhere, such as batch means.
    Made(Estimate),
    /// No sample, and why.
    Missing(String),
}

impl Sample {
    /// The interval at a confidence.
    pub(super) fn interval(&self, confidence: f64) -> Found {
        let of = |estimate: Estimate| match (estimate.low(), estimate.high()) {
            _ if estimate.mean.is_nan() => Found::Nothing("no value".to_string()),
            (Some(low), Some(high)) => Found::Interval { value: estimate.mean, low, high },
            _ => Found::Value(estimate.mean),
        };
        match self {
            Self::Values(values) => of(Estimate::at(values, confidence)),
            Self::Ratio(above, below) => fieller(above, below, confidence),
            Self::Made(estimate) => of(estimate.stretched(confidence)),
            Self::Missing(why) => Found::Nothing(why.clone()),
        }
    }
}

/// The ratio of two means, from pairs (E. Fieller 1954): all c for which the mean of a - c b does
/// not differ from 0. The roots of c^2 (B^2 - g Sbb) - 2 c (A B - g Sab) + (A^2 - g Saa), with g =
/// t^2 / n. If B itself does not differ from 0, the ratio may be anything.
fn fieller(above: &[f64], below: &[f64], confidence: f64) -> Found {
    let pairs = above.len().min(below.len());
    let (above, below) = (&above[..pairs], &below[..pairs]);
    let ((a, _), (b, sbb)) = (mean_and_variance(above), mean_and_variance(below));
    let ratio = a / b;
    if !ratio.is_finite() {
        return Found::Nothing("the ratio has no value".to_string());
    }
    // Written around the ratio, c = a/b + d, in terms of the residuals a - (a/b) b: the textbook's
    // form subtracts squares that are almost equal, and for pairs in exact proportion it leaves the
    // width of a rounding error, not 0.
    let residuals: Vec<f64> = above.iter().zip(below).map(|(a, b)| a - ratio * b).collect();
    let ((mean, Some(residual)), Some(sbb)) = (mean_and_variance(&residuals), sbb) else { return Found::Value(ratio) };
    let products = residuals.iter().zip(below).map(|(residual, y)| (residual - mean) * (y - b));
    let quantile = quantile_of_t(pairs - 1, confidence);
    let g = quantile * quantile / pairs as f64;
    let skew = g * products.sum::<f64>() / (pairs as f64 - 1.0);
    let leading = b * b - g * sbb;
    let root = (skew * skew + leading * g * residual).sqrt();
    let (low, high) = (ratio + (-skew - root) / leading, ratio + (-skew + root) / leading);
    if leading > 0.0 && low.is_finite() && high.is_finite() {
        Found::Interval { value: ratio, low, high }
    } else {
        Found::Value(ratio)
    }
}

/// What a sample tells.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Found {
    /// A value and its interval.
    Interval { value: f64, low: f64, high: f64 },
    /// A value without one.
    Value(f64),
    /// Nothing, and why.
    Nothing(String),
}

impl Found {
    /// Inside a closed region, outside, or neither.
    pub(super) fn rule(&self, (least, most): (f64, f64)) -> Ruling {
        match self {
            Self::Interval { low, high, .. } if *low >= least && *high <= most => Ruling::Holds,
            Self::Interval { low, high, .. } if *high < least || *low > most => Ruling::DoesNotHold,
            _ => Ruling::Undecided,
        }
    }

    fn value(&self) -> Option<f64> {
        match self {
            Self::Interval { value, .. } | Self::Value(value) => Some(*value),
            Self::Nothing(_) => None,
        }
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Counted, not sampled: every replication gave the same.
            Self::Interval { value, low, high } if low == value && high == value => f.write_str(&exact(*value)),
            Self::Interval { value, low, high } => {
                write!(f, "{} [{}, {}]", digits(*value), digits(*low), digits(*high))
            }
            Self::Value(value) => write!(f, "{}, without interval", digits(*value)),
            Self::Nothing(why) => f.write_str(why),
        }
    }
}

/// Several values in a few words.
pub(super) fn range(found: &[Found]) -> String {
    let values: Vec<f64> = found.iter().filter_map(Found::value).collect();
    let ends = (f64::INFINITY, f64::NEG_INFINITY);
    let (low, high) = values.iter().fold(ends, |(low, high), &value| (low.min(value), high.max(value)));
    let text = if low > high {
        "no value".to_string()
    } else if low == high {
        exact(low)
    } else if is_whole(low) && is_whole(high) {
        format!("{low} to {high}")
    } else {
        format!("{} to {}", digits(low), digits(high))
    };
    if values.len() == found.len() || values.is_empty() {
        return text + &format!(" in {} checks", found.len());
    }
    text + &format!(" in {} of {} checks, no value in the others", values.len(), found.len())
}

/// A whole number as such, any other with about five digits.
fn exact(value: f64) -> String {
    if is_whole(value) { value.to_string() } else { digits(value) }
}

/// Whether a value is a whole number that a float holds exactly.
fn is_whole(value: f64) -> bool {
    value.fract() == 0.0 && value.abs() < 1e15
}

/// About five digits.
pub(super) fn digits(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let places = (4.0 - libm::log10(value.abs()).floor()).clamp(0.0, 12.0) as usize;
    format!("{value:.places$}")
}
