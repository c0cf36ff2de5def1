//! Numbers as text.

use crate::statistics::Estimate;

pub(crate) fn with_interval(estimate: Estimate) -> String {
    match estimate.half_width {
        Some(half_width) => {
            let places = places(half_width);
            format!("{:.places$} ±{half_width:.places$}", estimate.mean)
        }
        None => significant(estimate.mean),
    }
}

/// Decimal places that show two digits of an uncertainty.
fn places(uncertainty: f64) -> usize {
    if uncertainty > 0.0 && uncertainty.is_finite() {
        (1.0 - libm::log10(uncertainty).floor()).clamp(0.0, 8.0) as usize
    } else {
        3
    }
}

/// About four digits.
pub(crate) fn significant(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let places = (3.0 - libm::log10(value.abs()).floor()).clamp(0.0, 9.0) as usize;
    let text = format!("{value:.places$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

/// A value of an axis: as it was written, or, if that is a quotient with many digits, about four.
pub(crate) fn brief(value: f64) -> String {
    let whole = value.to_string();
    if whole.len() <= 8 { whole } else { significant(value) }
}

/// A share in per cent, with about three digits.
pub(crate) fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    if percent == 0.0 {
        return "0 %".to_string();
    }
    let places = (2.0 - libm::log10(percent.abs()).floor()).clamp(0.0, 9.0) as usize;
    format!("{percent:.places$} %")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures() {
        assert_eq!(significant(0.8), "0.8");
        assert_eq!(significant(1234.56), "1235");
        assert_eq!((brief(0.997_25), brief(4096.0)), ("0.99725".to_string(), "4096".to_string()));
        assert_eq!(brief(0.501_824_218_75), "0.5018");
        assert_eq!(significant(0.001_234_56), "0.001235");
        assert_eq!(with_interval(Estimate { mean: 4.21934, half_width: Some(0.0123), count: 10 }), "4.219 ±0.012");
        assert_eq!((percent(0.0), percent(0.28693), percent(1.0)), ("0 %".into(), "28.7 %".into(), "100 %".into()));
        assert_eq!(percent(0.000_001_234), "0.000123 %");
        assert_eq!(with_interval(Estimate { mean: 43219.34, half_width: Some(123.0), count: 10 }), "43219 ±123");
    }
}
