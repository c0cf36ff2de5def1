//! The distribution of delays as a picture: for each switch, the share of cells that wait longer
//! than d slots.

use crate::compare::Comparison;
use crate::outcome::Outcome;
use crate::plan::Plan;
use crate::plot::{Axis, Chart, Point, Series};
use crate::statistics::Verdict;

/// A chart of a comparison. Unstable switches have no distribution of delays and are left out; the
/// footer names them.
pub fn chart(plan: &Plan, comparison: &Comparison) -> Chart {
    let (unstable, shown): (Vec<&Outcome>, Vec<&Outcome>) =
        comparison.switches.iter().partition(|outcome| outcome.stability.verdict == Verdict::Unstable);
    let names: Vec<&str> = unstable.iter().map(|outcome| outcome.spec.as_str()).collect();
    Chart {
        title: "How long cells wait".to_string(),
        subtitle: Some(format!(
            "{} ports, {} traffic, {} arrivals, load {}",
            plan.ports, plan.traffic_spec, plan.arrivals_spec, plan.load
        )),
        x: Axis::log("delay d (slots)"),
        y: Axis::log("share of cells that wait longer than d"),
        series: shown.into_iter().map(series).collect(),
        footer: (!names.is_empty())
            .then(|| format!("unstable at this load, and so without a distribution: {}", names.join(", "))),
    }
}

fn series(outcome: &Outcome) -> Series {
    let all = outcome.delays.count();
    let mut longer = all;
    let points = outcome.delays.buckets().map(|(delay, count)| {
        longer -= count;
        Point::new(f64::from(delay), longer as f64 / all as f64)
    });
    Series::new(&outcome.spec, points).step()
}
