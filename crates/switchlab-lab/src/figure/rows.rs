//! The data of a figure as rows.

use super::lines::{Line, lines};
use crate::experiment::{Figure, ResultPoint};
use crate::files::cell;
use crate::report::table::{significant, with_interval};
use crate::statistics::Verdict;

/// The data of a figure for people: a head, then for each x one cell per line (a value ± half its
/// 95 % interval, or why there is none) and one per reference. References are shown where something
/// was measured; [`csv()`] has all of them.
pub fn table(figure: &Figure, results: &[ResultPoint]) -> Vec<Vec<String>> {
    let lines = lines(figure, results);
    let mut rows = vec![head(figure, &lines, false)];
    for x in places(&lines) {
        let mut row = vec![x.to_string()];
        row.extend(lines.iter().map(|line| match at(line, x) {
            None => String::new(),
            Some(point) => match point.metric(&figure.y) {
                Some(estimate) => with_interval(estimate),
                None if point.outcome.stability.verdict == Verdict::Unstable => "unstable".to_string(),
                None => "none".to_string(),
            },
        }));
        row.extend(
            figure.references.iter().map(|(_, points)| reference(points, x).map(significant).unwrap_or_default()),
        );
        rows.push(row);
    }
    rows
}

/// The data of a figure for programs: x, and for each line a column with its value and one with
/// half the width of its 95 % interval, then the references. Numbers in full; what is not known is
/// empty.
pub fn csv(figure: &Figure, results: &[ResultPoint]) -> String {
    let lines = lines(figure, results);
    let mut xs = places(&lines);
    xs.extend(figure.references.iter().flat_map(|(_, points)| points.iter().map(|(x, _)| *x)));
    sort(&mut xs);
    let mut out = csv::Writer::from_writer(Vec::new());
    let number = |number: Option<f64>| number.map(|number| number.to_string()).unwrap_or_default();
    // The only cells with text of the user.
    let mut rows = vec![head(figure, &lines, true).iter().map(|name| cell(name)).collect()];
    for x in xs {
        let mut row = vec![x.to_string()];
        for line in &lines {
            let estimate = at(line, x).and_then(|point| point.metric(&figure.y));
            row.push(number(estimate.map(|estimate| estimate.mean)));
            row.push(number(estimate.and_then(|estimate| estimate.half_width)));
        }
        row.extend(figure.references.iter().map(|(_, points)| number(reference(points, x))));
        rows.push(row);
    }
    for row in rows {
        // Writing rows of equal length into memory cannot fail.
        let _ = out.write_record(row);
    }
    out.into_inner().map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
}

fn head(figure: &Figure, lines: &[Line], with_widths: bool) -> Vec<String> {
    let mut head = vec![figure.x.clone()];
    for line in lines {
        head.push(line.name.clone());
        if with_widths {
            head.push(format!("{} ci95", line.name));
        }
    }
    head.extend(figure.references.iter().map(|(name, _)| name.clone()));
    head
}

/// All x at which something was measured.
fn places(lines: &[Line]) -> Vec<f64> {
    let mut xs: Vec<f64> = lines.iter().flat_map(|line| &line.points).map(|(x, _)| *x).collect();
    sort(&mut xs);
    xs
}

fn sort(xs: &mut Vec<f64>) {
    xs.sort_by(f64::total_cmp);
    xs.dedup();
}

fn at<'a>(line: &Line<'a>, x: f64) -> Option<&'a ResultPoint> {
    line.points.iter().find(|(other, _)| *other == x).map(|(_, point)| *point)
}

/// The reference at an x. Two computations of the same x (0.1 + 0.2, 0.3) may differ by a rounding
/// error.
fn reference(points: &[(f64, f64)], x: f64) -> Option<f64> {
    points.iter().find(|(other, _)| (other - x).abs() <= 1e-9 * x.abs().max(1.0)).map(|(_, y)| *y)
}
