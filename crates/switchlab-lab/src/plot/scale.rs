//! From values to positions along an axis, and the default range of an axis.

use super::{Axis, Scale};

/// Differences of values within this cannot overflow, and steps between values beyond [`TINY`] are
/// normal numbers.
const HUGE: f64 = 1e300;
const TINY: f64 = 1e-300;
/// Ranges narrower than this, relative to their values, have no room for ticks that differ in
/// print.
const NARROW: f64 = 1e-9;
/// Positions further outside the axis than this (in axis lengths) are clamped: far enough that
/// slopes look right.
const FAR: f64 = 1e6;

/// An axis with its range decided.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mapping {
    pub(super) scale: Scale,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// How closely an axis fits its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// Ends at the data, so that lines reach the labels beside them.
    Tight,
    /// Ends at round values, and at zero if that is near.
    Round,
}

impl Mapping {
    pub(super) fn new(axis: &Axis, fit: Fit, values: impl Iterator<Item = f64>) -> Self {
        let scale = axis.scale;
        let given = axis.range.and_then(|(a, b)| Some((usable(scale, a)?, usable(scale, b)?)));
        let given = given.map(|(a, b)| (a.min(b), a.max(b))).filter(|&(low, high)| !narrow(low, high));
        let (low, high) = given.unwrap_or_else(|| {
            let values = values.filter_map(|value| usable(scale, value));
            let ends = values.fold(None, |ends: Option<(f64, f64)>, value| {
                Some(ends.map_or((value, value), |(low, high)| (low.min(value), high.max(value))))
            });
            match scale {
                Scale::Linear => linear(ends, fit),
                Scale::Log10 => logarithmic(ends, fit),
            }
        });
        Self { scale, low, high }
    }

    /// The place of a value, 0 at the low end and 1 at the high end; none if the axis cannot show
    /// it.
    pub(super) fn place(&self, value: f64) -> Option<f64> {
        Some(self.place_usable(usable(self.scale, value)?))
    }

    /// The same for the end of an interval, which may lie infinitely far out on either side.
    pub(super) fn place_end(&self, value: f64) -> Option<f64> {
        if value.is_nan() {
            None
        } else if self.scale == Scale::Log10 && value < TINY {
            Some(-FAR)
        } else {
            Some(self.place_usable(value.clamp(-HUGE, HUGE)))
        }
    }

    fn place_usable(&self, value: f64) -> f64 {
        let place = match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Log10 => {
                (libm::log10(value) - libm::log10(self.low)) / (libm::log10(self.high) - libm::log10(self.low))
            }
        };
        place.clamp(-FAR, FAR)
    }
}

fn usable(scale: Scale, value: f64) -> Option<f64> {
    match scale {
        _ if !value.is_finite() || value.abs() > HUGE => None,
        Scale::Linear if value.abs() < TINY => Some(0.0),
        Scale::Log10 if value < TINY => None,
        _ => Some(value),
    }
}

fn narrow(low: f64, high: f64) -> bool {
    high - low <= NARROW * low.abs().max(high.abs())
}

fn linear(ends: Option<(f64, f64)>, fit: Fit) -> (f64, f64) {
    let (mut low, mut high) = match ends {
        None | Some((0.0, 0.0)) => (0.0, 1.0),
        Some((low, high)) if narrow(low, high) => match fit {
            Fit::Tight => (low - low.abs() / 2.0, low + low.abs() / 2.0),
            Fit::Round => (low.min(0.0) * 2.0, low.max(0.0) * 2.0),
        },
        Some(ends) => ends,
    };
    let near_zero = 0.4; // Below this share of the far end, the way to zero costs less room than it tells.
    if fit == Fit::Round && low > 0.0 && low < near_zero * high {
        low = 0.0;
    } else if fit == Fit::Round && high < 0.0 && high > near_zero * low {
        high = 0.0;
    }
    let span = high - low;
    let step = round_step(span / 5.0);
    let (down, up) = ((low / step + NARROW).floor() * step, (high / step - NARROW).ceil() * step);
    let reach = if fit == Fit::Tight { 0.05 * span } else { span };
    (if low - down <= reach { down } else { low }, if up - high <= reach { up } else { high })
}

fn logarithmic(ends: Option<(f64, f64)>, fit: Fit) -> (f64, f64) {
    let (low, high) = match ends {
        None => (1.0, 10.0),
        Some((low, high)) if narrow(low, high) => (low / 3.0, high * 3.0),
        Some(ends) => ends,
    };
    let (down, up) = (round_below(low), round_above(high));
    let reach = if fit == Fit::Tight { 0.05 * libm::log10(high / low) } else { f64::INFINITY };
    let near = |from: f64, to: f64| libm::log10(to / from) <= reach;
    (if near(down, low) { down } else { low }, if near(high, up) { up } else { high })
}

/// A power of ten, correctly rounded, which `powi` does not promise on every platform.
pub(super) fn power_of_ten(exponent: i32) -> f64 {
    format!("1e{exponent}").parse().unwrap_or(1.0)
}

/// The largest exponent whose power of ten does not exceed a positive value.
pub(super) fn exponent_of(value: f64) -> i32 {
    let guess = libm::log10(value).floor() as i32;
    // The logarithm may be off by one unit in the last place, just where it matters.
    if power_of_ten(guess + 1) <= value * (1.0 + 1e-12) {
        guess + 1
    } else if power_of_ten(guess) > value * (1.0 + 1e-12) {
        guess - 1
    } else {
        guess
    }
}

/// The smallest of 1, 2, 5 times a power of ten that is not below a positive value.
pub(super) fn round_step(value: f64) -> f64 {
    round_above(value)
}

fn round_above(value: f64) -> f64 {
    let unit = power_of_ten(exponent_of(value));
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|m| m * unit).find(|&s| s >= value * (1.0 - 1e-9)).unwrap_or(value)
}

fn round_below(value: f64) -> f64 {
    let unit = power_of_ten(exponent_of(value));
    [5.0, 2.0, 1.0].into_iter().map(|m| m * unit).find(|&s| s <= value * (1.0 + 1e-9)).unwrap_or(value)
}
