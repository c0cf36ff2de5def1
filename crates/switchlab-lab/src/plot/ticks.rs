//! Where an axis carries ticks, and what is written there.

use super::Scale;
use super::scale::{Mapping, Values, exponent_of, power_of_ten, round_step};

/// A tick. A minor one carries no number: only logarithmic axes have them, between powers of ten.
#[derive(Clone, Debug)]
pub(super) struct Tick {
    /// Along the axis, from 0 to 1.
    pub(super) place: f64,
    pub(super) number: Option<Number>,
}

/// A number in print: `text`, then a superscript if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Number {
    pub(super) text: String,
    pub(super) superscript: Option<String>,
}

/// The ticks of an axis, about `wanted` of them with numbers.
pub(super) fn ticks(axis: &Mapping, wanted: usize) -> Vec<Tick> {
    let wanted = wanted.max(2);
    let mut ticks = match (axis.scale, axis.values) {
        (Scale::Linear, _) => linear(axis, wanted),
        (Scale::Log10, Values::PowersOfTwo) => powers_of_two(axis, wanted),
        (Scale::Log10, _) => logarithmic(axis, wanted),
    };
    ticks.retain(|tick| (-1e-6..=1.0 + 1e-6).contains(&tick.place));
    ticks
}

fn linear(axis: &Mapping, wanted: usize) -> Vec<Tick> {
    let (low, high) = (axis.low, axis.high);
    let step = round_step((high - low) / wanted as f64);
    let step = if axis.values == Values::Real || high - low < 1.0 { step } else { step.max(1.0) };
    let largest = low.abs().max(high.abs());
    let (first, last) = ((low / step - 1e-6).ceil(), (high / step + 1e-6).floor());
    let count = (last - first).clamp(0.0, 1000.0) as usize;
    let values = (0..=count).map(|k| (first + k as f64) * step);
    values
        .filter_map(|value| Some(Tick { place: axis.place(value)?, number: Some(number(value, step, largest)) }))
        .collect()
}

/// Every power of two, or every second, or every third.
fn powers_of_two(axis: &Mapping, wanted: usize) -> Vec<Tick> {
    let exponents: Vec<i32> = (0..=62).filter(|&e| axis.shows((1_u64 << e) as f64)).collect();
    let stride = exponents.len().div_ceil(wanted).max(1);
    let value = |e: i32| (1_u64 << e) as f64;
    exponents
        .into_iter()
        .step_by(stride)
        .filter_map(|e| Some(Tick { place: axis.place(value(e))?, number: Some(number(value(e), 1.0, value(e))) }))
        .collect()
}

fn logarithmic(axis: &Mapping, wanted: usize) -> Vec<Tick> {
    let (first, last) = (exponent_of(axis.low), exponent_of(axis.high));
    let decades = (first..=last).filter(|&e| axis.shows(power_of_ten(e))).count();
    let rounds =
        (first..=last).flat_map(|e| [1.0, 2.0, 5.0].map(|m| m * power_of_ten(e))).filter(|&v| axis.shows(v)).count();
    if rounds < 3 {
        return linear(axis, wanted);
    }
    // Up to three decades also get their 2 and 5 numbered; many are numbered every so often.
    let with_2_and_5 = axis.high < 999.0 * axis.low && rounds <= wanted.max(4);
    if decades < 2 && !with_2_and_5 {
        return linear(axis, wanted);
    }
    let stride = i32::try_from(decades.div_ceil(wanted)).unwrap_or(1);
    let plain = axis.low >= 0.99e-3 && axis.high < 1e6;
    let mut ticks = Vec::new();
    for exponent in first..=last {
        for m in 1..=9 {
            let numbered = exponent.rem_euclid(stride) == 0 && (m == 1 || with_2_and_5 && (m == 2 || m == 5));
            if stride > 1 && m > 1 {
                continue;
            }
            // Parsed rather than multiplied, so that 3e-1 is 0.3.
            let value: f64 = format!("{m}e{exponent}").parse().unwrap_or(f64::NAN);
            let number = numbered.then(|| if plain { number(value, value, value) } else { power(m, exponent) });
            ticks.extend(axis.place(value).map(|place| Tick { place, number }));
        }
    }
    ticks
}

fn power(mantissa: i32, exponent: i32) -> Number {
    match (mantissa, exponent) {
        (m, 0) => Number { text: m.to_string(), superscript: None },
        (1, e) => Number { text: "10".into(), superscript: Some(minus(&e.to_string())) },
        (m, e) => Number { text: format!("{m}×10"), superscript: Some(minus(&e.to_string())) },
    }
}

/// A value in print, to the precision of `step`, in the manner of an axis whose largest value is
/// `largest`.
pub(super) fn number(value: f64, step: f64, largest: f64) -> Number {
    let (fine, coarse) = (exponent_of(step), exponent_of(largest));
    if coarse < 7 && fine > -6 {
        let decimals = (-fine).max(0) as usize;
        return Number { text: minus(&thousands(&format!("{value:.decimals$}"))), superscript: None };
    }
    let decimals = (coarse - fine).max(0) as usize;
    let mantissa = format!("{:.decimals$}", value / power_of_ten(coarse));
    if mantissa.bytes().all(|b| b"-0.".contains(&b)) {
        return Number { text: "0".into(), superscript: None };
    }
    Number { text: format!("{}×10", minus(&mantissa)), superscript: Some(minus(&coarse.to_string())) }
}

/// Commas between groups of three digits before the point.
fn thousands(text: &str) -> String {
    let whole = text.find('.').unwrap_or(text.len());
    let mut out = String::with_capacity(text.len() + 2);
    for (i, c) in text.char_indices() {
        if i < whole && i > 0 && (whole - i).is_multiple_of(3) && text.as_bytes()[i - 1] != b'-' {
            out.push(',');
        }
        out.push(c);
    }
    out
}

/// A minus sign as long as a plus; and no minus before zero.
fn minus(text: &str) -> String {
    match text.strip_prefix('-') {
        Some(rest) if rest.bytes().all(|b| b"0.".contains(&b)) => rest.into(),
        Some(rest) => format!("−{rest}"),
        None => text.into(),
    }
}

impl Number {
    /// In one line of plain text, with Unicode superscripts.
    pub(super) fn plain(&self) -> String {
        let raise = |c: char| match c {
            '−' => '⁻',
            '1' => '¹',
            '2' => '²',
            '3' => '³',
            _ => c.to_digit(10).and_then(|d| char::from_u32(0x2070 + d)).unwrap_or(c),
        };
        self.text.chars().chain(self.superscript.iter().flat_map(|s| s.chars()).map(raise)).collect()
    }
}
