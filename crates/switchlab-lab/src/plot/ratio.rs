//! The second panel: each series divided by one of them.

use super::{Axis, Chart, Point, Series, Style};

/// Ratios that reach further apart than this get a logarithmic axis.
const WIDE: f64 = 20.0;

/// The axis of the second panel, and each series divided by the base, in the order of the chart;
/// none if the chart asks for none, or if there is no base to divide by.
pub(super) fn panel(chart: &Chart) -> Option<(Axis, Vec<Series>)> {
    let base = chart.series.iter().find(|series| Some(&series.name) == chart.ratio.as_ref())?;
    let divided: Vec<Series> = chart.series.iter().map(|series| divide(series, base)).collect();
    let values = || divided.iter().flat_map(|series| &series.points).map(|point| point.y);
    let (low, high) = values().fold((f64::INFINITY, 0.0_f64), |(low, high), y| (low.min(y), high.max(y)));
    if low > high {
        return None;
    }
    let label = format!("Ratio to {}", base.name);
    Some((if high > WIDE * low { Axis::log(label) } else { Axis::linear(label) }, divided))
}

/// A series divided by another where both have a point. The interval is that of a quotient of
/// independent values; where both saw the same arrivals, it is too wide rather than too narrow.
fn divide(series: &Series, base: &Series) -> Series {
    let points = series.points.iter().filter_map(|point| {
        let below = base.points.iter().find(|below| below.x == point.x)?;
        let ratio = point.y / below.y;
        let relative = |point: &Point| point.interval.map(|(low, high)| (high - low) / (2.0 * point.y));
        let width = match (relative(point), relative(below)) {
            (Some(a), Some(b)) if series.name != base.name => Some(ratio * libm::hypot(a, b)),
            _ => None,
        };
        let divided = Point::new(point.x, ratio);
        (ratio.is_finite() && ratio > 0.0).then_some(match width.filter(|width| width.is_finite()) {
            Some(width) => divided.interval(ratio - width, ratio + width),
            None => divided,
        })
    });
    let style = if series.style == Style::Step { Style::Line } else { series.style };
    Series { points: points.collect(), style, ..series.clone() }
}
