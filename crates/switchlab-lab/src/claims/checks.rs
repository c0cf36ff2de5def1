//! The comparisons that a claim consists of.

use super::sample::Sample;
use super::{Evaluation, Ruling, sorted, undecided};
use crate::experiment::{Claim, PointSpec, ResultPoint, Select};
use crate::files::without_folders;
use crate::numbers::significant;
use crate::statistics::Verdict;
use std::collections::BTreeSet;

/// One comparison.
#[derive(Debug)]
pub(super) struct Check {
    /// What it is about.
    pub(super) label: String,
    /// The results it rests on.
    pub(super) points: Vec<usize>,
    /// What was measured.
    pub(super) sample: Sample,
    /// The region in which the claim says that the truth lies.
    pub(super) region: (f64, f64),
}

/// The metric of each selected point, by itself.
pub(super) fn each(claim: &Claim, results: &[ResultPoint], region: (f64, f64)) -> Vec<Check> {
    let selected = selected(claim, results);
    let check = |(index, point): (usize, &ResultPoint)| {
        let sample = match (series(point, &claim.metric), point.metric(&claim.metric)) {
            // Of all replications together: none of them has a value by itself.
            (_, Some(estimate)) if claim.metric == ResultPoint::PRECISION && is_stable(point) => Sample::Made(estimate),
            (Series::Nothing(why), _) => Sample::Missing(why),
            (Series::Values(values), Some(estimate)) if values.len() == 1 => Sample::Made(estimate),
            (Series::Values(values), _) => Sample::Values(values),
        };
        Check { label: label(point), points: vec![index], sample, region }
    };
    selected.map(check).collect()
}

/// Each selected point over its counterparts.
pub(super) fn ratios(claim: &Claim, results: &[ResultPoint], other: &Select, region: (f64, f64)) -> Vec<Check> {
    let mut checks = Vec::new();
    for (index, point) in selected(claim, results) {
        let partners = counterparts(index, results, other);
        if partners.is_empty() && !point.is_in(other) {
            let sample = Sample::Missing("nothing to compare with".to_string());
            checks.push(Check { label: label(point), points: vec![index], sample, region });
        }
        for partner in partners {
            let against = &results[partner];
            let sample = match (series(point, &claim.metric), series(against, &claim.metric)) {
                (Series::Values(above), Series::Values(below)) => Sample::Ratio(above, below),
                (Series::Nothing(why), _) | (_, Series::Nothing(why)) => Sample::Missing(why),
            };
            let label = format!("{} / {}", label(point), difference(point, against));
            checks.push(Check { label, points: vec![index, partner], sample, region });
        }
    }
    checks
}

/// The metric of each selected point less a constant, over a power of the binary logarithm of an
/// axis.
pub(super) fn per_log(
    claim: &Claim,
    results: &[ResultPoint],
    axis: &str,
    (less, power): (f64, u32),
    region: (f64, f64),
) -> Vec<Check> {
    let check = |(index, point): (usize, &ResultPoint)| {
        let logarithm = point.spec.number(axis).map(libm::log2).filter(|it| it.is_finite() && *it > 0.0);
        let sample = match (series(point, &claim.metric), logarithm) {
            (Series::Nothing(why), _) => Sample::Missing(why),
            (_, None) => Sample::Missing(format!("log2 of {axis} is not above 0")),
            (Series::Values(values), Some(logarithm)) => {
                let divisor = libm::pow(logarithm, f64::from(power));
                Sample::Values(values.iter().map(|value| (value - less) / divisor).collect())
            }
        };
        Check { label: label(point), points: vec![index], sample, region }
    };
    selected(claim, results).map(check).collect()
}

/// Neighbours along an axis, among points that agree otherwise: the second less the first, each
/// over its counterpart in `to` if that is given, replication by replication.
pub(super) fn changes(
    claim: &Claim,
    results: &[ResultPoint],
    (axis, order): (&str, &[String]),
    to: Option<&Select>,
    region: (f64, f64),
) -> Vec<Check> {
    let rank = |point: &ResultPoint| {
        let has = |value: &String| Select([(axis.to_string(), vec![value.clone()])].into()).includes(&point.spec);
        order.iter().position(has)
    };
    // The metric of a point, over that of its counterpart where there is to be one.
    let over = |index: usize| {
        let own = series(&results[index], &claim.metric);
        let Some(other) = to else { return (own, vec![index]) };
        let partners = counterparts(index, results, other);
        let [partner] = partners[..] else {
            return (Series::Nothing(format!("there are {} points to divide by", partners.len())), vec![index]);
        };
        let ratios = match (own, series(&results[partner], &claim.metric)) {
            (Series::Values(above), Series::Values(below)) if below.iter().all(|value| *value != 0.0) => {
                Series::Values(above.iter().zip(&below).map(|(above, below)| above / below).collect())
            }
            (Series::Values(_), Series::Values(_)) => Series::Nothing("the ratio has no value".to_string()),
            (Series::Nothing(why), _) | (_, Series::Nothing(why)) => Series::Nothing(why),
        };
        (ratios, vec![index, partner])
    };
    let mut checks = Vec::new();
    for group in groups(claim, results, axis) {
        let mut ranked: Vec<(usize, usize)> =
            group.into_iter().filter_map(|index| Some((rank(&results[index])?, index))).collect();
        ranked.sort_unstable();
        for pair in ranked.windows(2) {
            let ((_, first), (_, second)) = (pair[0], pair[1]);
            let ((before, mut points), (after, more)) = (over(first), over(second));
            let sample = match (before, after) {
                (Series::Values(before), Series::Values(after)) => {
                    Sample::Values(after.iter().zip(&before).map(|(after, before)| after - before).collect())
                }
                (Series::Nothing(why), _) | (_, Series::Nothing(why)) => Sample::Missing(why),
            };
            points.extend(more);
            let label = format!("{} - {}", label(&results[second]), difference(&results[second], &results[first]));
            checks.push(Check { label, points, sample, region });
        }
    }
    checks
}

/// The exponent along an axis, of each group of points that agree otherwise: a least-squares line
/// through the logarithms of each replication, and so one exponent per replication, independent of
/// the others.
pub(super) fn slopes(claim: &Claim, results: &[ResultPoint], axis: &str, region: (f64, f64)) -> Vec<Check> {
    let mut checks = Vec::new();
    for group in groups(claim, results, axis).into_iter().filter(|group| group.len() > 1) {
        let no_logarithm = || format!("{} has no logarithm at every point", claim.metric);
        let columns = group.iter().map(|&index| {
            let x = results[index].spec.number(axis).filter(|x| *x > 0.0).ok_or_else(no_logarithm)?;
            match series(&results[index], &claim.metric) {
                Series::Values(values) if values.iter().all(|value| *value > 0.0) => Ok((libm::log(x), values)),
                Series::Values(_) => Err(no_logarithm()),
                Series::Nothing(why) => Err(why),
            }
        });
        let sample = match columns.collect::<Result<Vec<_>, String>>() {
            Err(why) => Sample::Missing(why),
            Ok(columns) => {
                let replications = columns.iter().map(|(_, values)| values.len()).min().unwrap_or(0);
                let line = |r: usize| exponent(columns.iter().map(|(x, values)| (*x, libm::log(values[r]))));
                Sample::Values((0..replications).map(line).collect())
            }
        };
        let first = &results[group[0]];
        let label = format!("{} and {} more along {axis}", label(first), group.len() - 1);
        checks.push(Check { label, points: group, sample, region });
    }
    checks
}

fn exponent(points: impl Iterator<Item = (f64, f64)> + Clone) -> f64 {
    let count = points.clone().count() as f64;
    let mean = |of: fn((f64, f64)) -> f64| points.clone().map(of).sum::<f64>() / count;
    let (mean_x, mean_y) = (mean(|p| p.0), mean(|p| p.1));
    let (mut xy, mut xx) = (0.0, 0.0);
    for (x, y) in points {
        xy += (x - mean_x) * (y - mean_y);
        xx += (x - mean_x) * (x - mean_x);
    }
    xy / xx
}

/// By the verdict on each selected point.
pub(super) fn stable(claim: &Claim, results: &[ResultPoint], stable: bool) -> Evaluation {
    let expected = if stable { Verdict::Stable } else { Verdict::Unstable };
    let verdict = |point: &ResultPoint| point.outcome.stability.verdict;
    let rule = |point: &ResultPoint| match verdict(point) {
        verdict if verdict == expected => Ruling::Holds,
        Verdict::Undecided => Ruling::Undecided,
        _ => Ruling::DoesNotHold,
    };
    let chosen: Vec<(usize, &ResultPoint)> = selected(claim, results).collect();
    let with = |wanted: Verdict| chosen.iter().map(|(_, point)| *point).filter(move |point| verdict(point) == wanted);
    let verdicts = [Verdict::Stable, Verdict::Unstable, Verdict::Undecided].into_iter();
    let measured =
        verdicts.filter_map(|wanted| Some(format!("{wanted} at {}", counted(&with(wanted).collect::<Vec<_>>())?)));
    Evaluation {
        ruling: Ruling::all(chosen.iter().map(|(_, point)| rule(point))),
        measured: measured.collect::<Vec<_>>().join(", "),
        evidence: chosen
            .iter()
            .map(|(_, point)| format!("{}: {}: {}", label(point), point.outcome.stability.evidence, rule(point)))
            .collect(),
        points: chosen.iter().map(|(index, _)| *index).collect(),
    }
}

/// How many points, and at which loads: "2 points (loads 0.5, 0.9)". None if there is none.
fn counted(points: &[&ResultPoint]) -> Option<String> {
    let mut loads: Vec<f64> = points.iter().map(|point| point.spec.load).collect();
    loads.sort_by(f64::total_cmp);
    loads.dedup();
    Some(match (points.len(), loads.as_slice()) {
        (_, []) => return None,
        (1, [load]) => format!("load {load}"),
        (count, [load]) => format!("{count} points (load {load})"),
        (count, [low, .., high]) if loads.len() > 4 => {
            format!("{count} points ({} loads from {low} to {high})", loads.len())
        }
        (count, loads) => {
            let loads: Vec<String> = loads.iter().map(f64::to_string).collect();
            format!("{count} points (loads {})", loads.join(", "))
        }
    })
}

/// By the verdicts along the load, of each group of points that agree otherwise. The highest stable
/// load lies between the highest load that is stable with all below it stable or undecided, and the
/// lowest load that is unstable; without an unstable one, at most at 1.
pub(super) fn stable_up_to(claim: &Claim, results: &[ResultPoint], (least, most): (f64, f64)) -> Evaluation {
    let (mut rulings, mut evidence, mut measured, mut points) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for group in groups(claim, results, "load") {
        let loads = |wanted: Verdict| {
            let points = group.iter().map(|&index| &results[index]);
            points.filter(move |point| point.outcome.stability.verdict == wanted).map(|point| point.spec.load)
        };
        let unstable = loads(Verdict::Unstable).min_by(f64::total_cmp);
        let stable = loads(Verdict::Stable).filter(|load| unstable.is_none_or(|first| *load < first));
        let low = stable.max_by(f64::total_cmp).unwrap_or(0.0);
        let high = unstable.unwrap_or(1.0);
        let ruling = if low >= least && high <= most {
            Ruling::Holds
        } else if high <= least || low > most {
            Ruling::DoesNotHold
        } else {
            Ruling::Undecided
        };
        let bracket = format!("{low} to {high}");
        evidence.push(format!("{}: {bracket}: {ruling}", label_without_load(&results[group[0]])));
        measured.push(bracket);
        rulings.push(ruling);
        points.extend(group);
    }
    if rulings.is_empty() {
        return undecided("it selects no points that can be compared");
    }
    measured.dedup();
    let measured = measured.join(", ");
    Evaluation { ruling: Ruling::all(rulings), measured, evidence, points: sorted(points) }
}

/// By the fingerprints of each selected point and its counterparts, replication by replication.
pub(super) fn same_departures(claim: &Claim, results: &[ResultPoint], other: &Select) -> Evaluation {
    let (mut rulings, mut evidence, mut points) = (Vec::new(), Vec::new(), Vec::new());
    let (mut equal, mut compared) = (0, 0);
    for (index, point) in selected(claim, results) {
        let partners = counterparts(index, results, other);
        if partners.is_empty() && !point.is_in(other) {
            rulings.push(Ruling::Undecided);
            evidence.push(format!("{}: nothing to compare with: {}", label(point), Ruling::Undecided));
            points.push(index);
        }
        for partner in partners {
            let pairs = point.outcome.runs.iter().zip(&results[partner].outcome.runs);
            let known: Vec<bool> = pairs.filter_map(|(a, b)| Some(a.fingerprint? == b.fingerprint?)).collect();
            let same = known.iter().filter(|same| **same).count();
            let ruling = match (known.len(), same) {
                (0, _) => Ruling::Undecided,
                (all, same) if all == same => Ruling::Holds,
                _ => Ruling::DoesNotHold,
            };
            let what = if known.is_empty() {
                "no departures were recorded".to_string()
            } else {
                format!("equal in {same} of {} replications", known.len())
            };
            evidence.push(format!("{} = {}: {what}: {ruling}", label(point), difference(point, &results[partner])));
            rulings.push(ruling);
            points.extend([index, partner]);
            (equal, compared) = (equal + same, compared + known.len());
        }
    }
    if rulings.is_empty() {
        return undecided("it selects no points that can be compared");
    }
    let measured = format!("equal in {equal} of {compared} replications");
    Evaluation { ruling: Ruling::all(rulings), measured, evidence, points: sorted(points) }
}

/// The values of a metric, as far as it has any.
enum Series {
    Values(Vec<f64>),
    /// There are none, and why.
    Nothing(String),
}

fn series(point: &ResultPoint, metric: &str) -> Series {
    let values = point.values(metric);
    let needs_stability = point.needs_stability(metric);
    match point.outcome.stability.verdict {
        Verdict::Unstable if needs_stability => Series::Nothing(format!("{metric}: unstable")),
        Verdict::Undecided if needs_stability => Series::Nothing(format!("{metric}: undecided whether stable")),
        _ if values.is_empty() => Series::Nothing(format!("no {metric}")),
        _ => Series::Values(values),
    }
}

fn selected<'a>(claim: &'a Claim, results: &'a [ResultPoint]) -> impl Iterator<Item = (usize, &'a ResultPoint)> {
    results.iter().enumerate().filter(|(_, point)| point.is_in(&claim.select))
}

/// The other points that `other` includes and that agree with this one in every axis `other` does
/// not fix.
fn counterparts(index: usize, results: &[ResultPoint], other: &Select) -> Vec<usize> {
    let fixed: Vec<&str> = other.0.keys().map(String::as_str).collect();
    let agrees = |at: &usize| agree(&results[index].spec, &results[*at].spec, &fixed);
    (0..results.len()).filter(|&at| at != index && results[at].is_in(other)).filter(agrees).collect()
}

/// The selected points in groups that agree in everything but an axis.
fn groups(claim: &Claim, results: &[ResultPoint], axis: &str) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (index, point) in selected(claim, results) {
        match groups.iter_mut().find(|group| agree(&results[group[0]].spec, &point.spec, &[axis])) {
            Some(group) => group.push(index),
            None => groups.push(vec![index]),
        }
    }
    groups
}

/// Whether two points agree in every axis but the free ones.
fn agree(a: &PointSpec, b: &PointSpec, free: &[&str]) -> bool {
    axes(a, b).into_iter().filter(|axis| !free.contains(axis)).all(|axis| match (a.number(axis), b.number(axis)) {
        (None, None) => masked(a, axis, free) == masked(b, axis, free),
        (a, b) => a == b,
    })
}

fn axes<'a>(a: &'a PointSpec, b: &'a PointSpec) -> BTreeSet<&'a str> {
    let variables = a.vary.keys().chain(b.vary.keys()).map(String::as_str);
    ["switch", "traffic", "arrivals", "ports", "load"].into_iter().chain(variables).collect()
}

/// A spec with the values of free variables blanked: `islip(iterations=4)` differs from
/// `islip(iterations=2)` only in k, if k is 4 in the one and 2 in the other.
fn masked(point: &PointSpec, axis: &str, free: &[&str]) -> String {
    let spec = point.text(axis).unwrap_or_default();
    let values = free.iter().filter_map(|name| point.vary.get(*name));
    values.fold(spec, |spec, value| {
        [',', ')'].iter().fold(spec, |spec, end| spec.replace(&format!("={value}{end}"), &format!("={{}}{end}")))
    })
}

/// A point in a few words.
fn label(point: &ResultPoint) -> String {
    // The load of a trace is a quotient with many digits.
    let load = if point.spec.replays() { significant(point.spec.load) } else { point.spec.load.to_string() };
    labelled(point, &format!(", load {load}"))
}

/// A group of points that differ in load.
fn label_without_load(point: &ResultPoint) -> String {
    labelled(point, "")
}

fn labelled(point: &ResultPoint, load: &str) -> String {
    let spec = &point.spec;
    if spec.calculates() {
        return format!("{}, {} ports", spec.switch, spec.ports);
    }
    let mut text = format!("{}, {} ports, {}{load}", spec.switch, spec.ports, without_folders(&spec.traffic));
    if spec.arrivals != "bernoulli" {
        text += &format!(", {}", spec.arrivals);
    }
    text
}

/// The axes in which a point differs from another.
fn difference(from: &ResultPoint, point: &ResultPoint) -> String {
    let differs = |axis: &&str| from.spec.text(axis) != point.spec.text(axis);
    let value = |axis: &str| {
        let text = point.spec.text(axis).unwrap_or_default();
        if point.spec.number(axis).is_some() { format!("{axis} {text}") } else { text }
    };
    let all = axes(&from.spec, &point.spec);
    let parts: Vec<String> = all.into_iter().filter(differs).map(value).collect();
    if parts.is_empty() { "itself".to_string() } else { parts.join(", ") }
}

fn is_stable(point: &ResultPoint) -> bool {
    point.outcome.stability.verdict == Verdict::Stable
}
