//! Which points make up which line.

use crate::experiment::{Figure, PointSpec, ResultPoint};
use std::collections::{BTreeMap, BTreeSet};
use switchlab_core::spec::Spec;

/// Specs of more characters than this are shortened.
const LONGEST: usize = 40;

/// One line of a figure: its points by increasing x.
pub(super) struct Line<'a> {
    pub(super) name: String,
    pub(super) points: Vec<(f64, &'a ResultPoint)>,
}

/// The lines of a figure, in the order in which the results first show them.
pub(super) fn lines<'a>(figure: &Figure, results: &'a [ResultPoint]) -> Vec<Line<'a>> {
    let selected = results.iter().filter(|point| point.is_in(&figure.select));
    let points: Vec<(f64, &ResultPoint)> =
        selected.filter_map(|point| Some((point.spec.number(&figure.x)?, point))).collect();
    let plain = group(figure, &points, false);
    let places: BTreeSet<u64> = points.iter().map(|(x, _)| x.to_bits()).collect();
    // A spec that contains the variable on the x axis, as unbalanced(w=0.5) does, would make each
    // point a line of its own.
    if places.len() > 1 && plain.iter().all(|line| line.points.len() == 1) {
        return group(figure, &points, true);
    }
    plain
}

fn group<'a>(figure: &Figure, points: &[(f64, &'a ResultPoint)], without_x: bool) -> Vec<Line<'a>> {
    let text = |axis: &str, spec: &PointSpec| {
        let text = spec.text(axis).unwrap_or_default();
        if without_x { generic(&text, &figure.x, spec.number(&figure.x)) } else { text }
    };
    let others = disputed(figure, points, &text);
    let short = short_specs(&points.iter().map(|(_, point)| text("switch", &point.spec)).collect());
    let called = |axis: &str, spec: &PointSpec| {
        let text = text(axis, spec);
        name(axis, short.get(&text).filter(|_| axis == "switch").unwrap_or(&text))
    };
    let mut lines: Vec<Line> = Vec::new();
    let mut line_of: BTreeMap<String, usize> = BTreeMap::new();
    for &(x, point) in points {
        let mut parts = vec![called(&figure.series, &point.spec)];
        parts.extend(others.iter().map(|axis| called(axis, &point.spec)));
        let name = parts.join(", ");
        let index = *line_of.entry(name.clone()).or_insert(lines.len());
        if index == lines.len() {
            lines.push(Line { name, points: Vec::new() });
        }
        lines[index].points.push((x, point));
    }
    for line in &mut lines {
        line.points.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    lines
}

/// A short form of specs that are too long to stand beside a line: without the arguments that all
/// switches of that name here share. Tables have them all.
fn short_specs(specs: &BTreeSet<String>) -> BTreeMap<String, String> {
    let parsed: Vec<(&String, Spec)> = specs.iter().filter_map(|text| Some((text, Spec::parse(text).ok()?))).collect();
    let shorten = |(text, spec): &(&String, Spec)| {
        let differs = |argument: &&(String, String)| {
            parsed.iter().any(|(_, other)| other.name == spec.name && !other.arguments.contains(argument))
        };
        let kept: Vec<String> =
            spec.arguments.iter().filter(differs).map(|(key, value)| format!("{key}={value}")).collect();
        let short = if kept.is_empty() { spec.name.clone() } else { format!("{}({})", spec.name, kept.join(",")) };
        (text.len() > LONGEST).then(|| ((*text).clone(), short))
    };
    parsed.iter().filter_map(shorten).collect()
}

/// The axes that still differ among points with the same series and the same x.
fn disputed(
    figure: &Figure,
    points: &[(f64, &ResultPoint)],
    text: &impl Fn(&str, &PointSpec) -> String,
) -> Vec<String> {
    let mut axes: Vec<String> = ["switch", "traffic", "arrivals", "ports", "load"].map(str::to_string).to_vec();
    if let Some((_, point)) = points.first() {
        axes.extend(point.spec.vary.keys().cloned());
    }
    axes.retain(|axis| *axis != figure.x && *axis != figure.series);
    let mut found = Vec::new();
    for axis in axes {
        // Of each group of points that are alike so far, the value of the first point.
        let mut first: BTreeMap<(u64, Vec<String>), String> = BTreeMap::new();
        let differs = points.iter().any(|(x, point)| {
            let alike = found.iter().chain([&figure.series]).map(|axis| text(axis, &point.spec)).collect();
            let value = text(&axis, &point.spec);
            // Zero and minus zero are the same value.
            *first.entry(((x + 0.0).to_bits(), alike)).or_insert_with(|| value.clone()) != value
        });
        if differs {
            found.push(axis);
        }
    }
    found
}

/// A spec in which the value on the x axis is written as its name.
fn generic(text: &str, axis: &str, value: Option<f64>) -> String {
    let Some(value) = value else { return text.to_string() };
    [',', ')']
        .iter()
        .fold(text.to_string(), |text, end| text.replace(&format!("={value}{end}"), &format!("={axis}{end}")))
}

/// The name of a line: a spec stands alone, a number gets the name of its axis.
fn name(axis: &str, text: &str) -> String {
    match axis {
        "switch" | "traffic" | "arrivals" => text.to_string(),
        "ports" => format!("{text} ports"),
        "load" => format!("load {text}"),
        _ if text.is_empty() => axis.to_string(),
        _ => format!("{axis} = {text}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_specs_keep_what_tells_them_apart() {
        let tail = "resequencing=per-stage,distribution-buffer=1";
        let [rr, ic] = ["rr", "ic"].map(|way| format!("benes(radix=4,distribution={way},{tail})"));
        let short = short_specs(&[rr.clone(), ic.clone(), "islip(iterations=1)".to_string()].into());
        assert_eq!(short[&rr], "benes(distribution=rr)");
        assert_eq!(short[&ic], "benes(distribution=ic)");
        assert_eq!(short.len(), 2);
        assert_eq!(short_specs(&[rr.clone()].into())[&rr], "benes");
    }
}
