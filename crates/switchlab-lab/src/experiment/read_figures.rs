//! `[[figure]]` sections.
//!
//! ```toml
//! [[figure]]
//! id = "delay"                # required, unique
//! title = "Mean delay"        # else the experiment's
//! x = "load"                  # load, ports or a variable; required
//! y = "delay"                 # a metric; required
//! series = "switch"           # what tells lines apart; switch unless given
//! log = "y"                   # "x", "y", "xy" or "none"
//! x_label = "Load"            # made from x and y unless given
//! y_label = "Mean delay in slots"
//! where = { ports = 16 }      # which points; all unless given
//! ratio = "serena"            # a second panel: every line divided by this one
//! [[figure.reference]]        # curves to compare with: points, or a closed form
//! name = "closed form"
//! formula = "oq-delay"        # with ports = N where the experiment has several
//! ```

use super::axes::Axes;
use super::{Experiment, Figure, ResultPoint, Select};
use crate::error::LabError;
use crate::located::{Node, Section, advice};

/// Closed forms that a reference may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Formula {
    /// Mean delay of ideal output queueing under uniform Bernoulli traffic: (N-1)/N * rho / (2 (1 -
    /// rho)).
    OqDelay,
    /// Throughput of one iteration of parallel iterative matching with all queues full: 1 - (1 -
    /// 1/N)^N.
    PimSaturation,
}

impl Formula {
    const NAMES: [&'static str; 2] = ["oq-delay", "pim-saturation"];

    fn value(self, ports: f64, load: f64) -> f64 {
        match self {
            Self::OqDelay => (ports - 1.0) / ports * load / (2.0 * (1.0 - load)),
            Self::PimSaturation => 1.0 - libm::pow(1.0 - 1.0 / ports, ports),
        }
    }
}

/// All figures.
pub(super) fn figures(top: &Section<'_>, axes: &Axes, experiment: &Experiment) -> Result<Vec<Figure>, LabError> {
    let mut figures: Vec<Figure> = Vec::new();
    for section in top.read("figure", |node| node.tables("[[figure]]"))?.unwrap_or_default() {
        let figure = figure(&section, axes, experiment)?;
        if figures.iter().any(|known| known.id == figure.id) {
            return Err(section.need("id")?.error(format!("there are two figures called {:?}", figure.id)));
        }
        figures.push(figure);
    }
    Ok(figures)
}

fn figure(section: &Section<'_>, axes: &Axes, experiment: &Experiment) -> Result<Figure, LabError> {
    section.only(&["id", "title", "x", "y", "series", "log", "x_label", "y_label", "where", "ratio", "reference"])?;
    let x = section.need("x")?.word(&axes.numeric())?;
    let y = metric(&section.need("y")?)?;
    let series = section.read("series", |node| node.word(&axes.names()))?.unwrap_or_else(|| "switch".to_string());
    if series == x {
        return Err(section.need("x")?.error(format!("{x} cannot both be on the axis and tell lines apart")));
    }
    let log = section.read("log", |node| node.word(&["x", "y", "xy", "none"]))?.unwrap_or_default();
    let select = section.read("where", |node| axes.select(&node.table("where")?))?.unwrap_or_default();
    let references = section.read("reference", |node| node.tables("[[figure.reference]]"))?.unwrap_or_default();
    Ok(Figure {
        id: id(&section.need("id")?)?,
        title: section.read("title", Node::text)?.unwrap_or_else(|| experiment.title.clone()),
        x_label: section.read("x_label", Node::text)?.unwrap_or_else(|| axis_label(&x)),
        y_label: section.read("y_label", Node::text)?.unwrap_or_else(|| metric_label(&y)),
        log_x: log == "x" || log == "xy",
        log_y: log == "y" || log == "xy",
        references: references
            .iter()
            .map(|reference| self::reference(reference, axes, &x, &select))
            .collect::<Result<_, _>>()?,
        x,
        y,
        series,
        select,
        ratio: section.read("ratio", Node::text)?,
    })
}

/// A short name that can be part of a file name.
pub(super) fn id(node: &Node<'_>) -> Result<String, LabError> {
    let id = node.text()?;
    let plain = !id.is_empty() && id.len() <= 64 && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    if plain { Ok(id) } else { Err(node.error("an id is up to 64 letters, digits and hyphens")) }
}

/// A known metric, or `counters.NAME`: only the switch knows its own counters.
pub(super) fn metric(node: &Node<'_>) -> Result<String, LabError> {
    known_metric(&node.text()?).map_err(|problem| node.error(problem))
}

/// The name of a metric in experiments; if there is none, what there is.
pub(crate) fn known_metric(given: &str) -> Result<String, String> {
    // Columns of results.csv are known too, and those of printed tables: delay_p999 and p99.9 are
    // delay.p999.
    let metric = given.strip_prefix("delay_").map_or_else(|| given.to_string(), |rest| format!("delay.{rest}"));
    let printed = metric.strip_prefix("delay.").unwrap_or(&metric);
    let percentile = printed.strip_prefix('p').filter(|it| it.chars().all(|c| c.is_ascii_digit() || c == '.'));
    let metric = percentile.map_or_else(|| metric.clone(), |percent| format!("delay.p{}", percent.replace('.', "")));
    let counter = metric.strip_prefix("counters.").is_some_and(|name| !name.is_empty());
    if counter || ResultPoint::METRICS.contains(&metric.as_str()) {
        return Ok(metric);
    }
    let known: Vec<&str> = ResultPoint::METRICS.iter().copied().chain(["counters.NAME"]).collect();
    Err(format!("there is no metric {given:?}; {}", advice(&metric, &known)))
}

fn reference(
    section: &Section<'_>,
    axes: &Axes,
    x: &str,
    select: &Select,
) -> Result<(String, Vec<(f64, f64)>), LabError> {
    section.only(&["name", "points", "formula", "ports", "load"])?;
    let name = section.need("name")?.text()?;
    let points = match (section.get("points"), section.get("formula")) {
        (Some(points), None) => points.items()?.iter().map(pair).collect::<Result<_, _>>()?,
        (None, Some(formula)) => {
            let formula = match formula.word(&Formula::NAMES)?.as_str() {
                "oq-delay" => Formula::OqDelay,
                _ => Formula::PimSaturation,
            };
            curve(section, axes, x, select, formula)?
        }
        _ => return Err(section.error("a reference takes either points or a formula")),
    };
    Ok((name, points))
}

fn pair(node: &Node<'_>) -> Result<(f64, f64), LabError> {
    match node.items()?.as_slice() {
        [x, y] => Ok((x.number()?, y.number()?)),
        _ => Err(node.error("a point is [x, y]")),
    }
}

/// A closed form over the range of x; what is not on the axis is given, or has one value only.
fn curve(
    section: &Section<'_>,
    axes: &Axes,
    x: &str,
    select: &Select,
    formula: Formula,
) -> Result<Vec<(f64, f64)>, LabError> {
    if !matches!(x, "load" | "ports") {
        return Err(section.error("a formula is drawn over load or ports"));
    }
    let other = if x == "load" { "ports" } else { "load" };
    let chosen: Vec<f64> = match select.0.get(other) {
        Some(values) => values.iter().filter_map(|value| value.parse().ok()).collect(),
        None => axes.numbers(other).to_vec(),
    };
    let fixed = match (section.read(other, Node::number)?, chosen.as_slice()) {
        (Some(given), _) => given,
        (None, [only]) => *only,
        // A formula without load needs none.
        (None, _) if formula == Formula::PimSaturation && x == "ports" => 1.0,
        (None, _) => return Err(section.error(format!("this formula needs {other} = ..., since there are several"))),
    };
    let values = axes.numbers(x);
    let (Some(&first), Some(&last)) = (values.first(), values.last()) else { return Ok(Vec::new()) };
    // Finer than the measured points, so that the curve is one; whole numbers of ports.
    let steps = if x == "ports" { (last - first).min(128.0) } else { 100.0 };
    let at = |k: usize| {
        let value = first + (last - first) * k as f64 / steps.max(1.0);
        if x == "ports" { value.round() } else { value }
    };
    let value = |x_value: f64| if x == "load" { formula.value(fixed, x_value) } else { formula.value(x_value, fixed) };
    let mut points: Vec<(f64, f64)> = (0..=steps as usize).map(|k| (at(k), value(at(k)))).collect();
    points.retain(|(x, y)| x.is_finite() && y.is_finite());
    points.dedup_by_key(|(x, _)| *x);
    Ok(points)
}

fn axis_label(axis: &str) -> String {
    match axis {
        "load" => "Load".to_string(),
        "ports" => "Ports".to_string(),
        variable => variable.to_string(),
    }
}

fn metric_label(metric: &str) -> String {
    match metric {
        "delay" => "Mean delay in slots".to_string(),
        "delay.p50" => "Median delay in slots".to_string(),
        "delay.p90" => "Delay in slots, 90th percentile".to_string(),
        "delay.p99" => "Delay in slots, 99th percentile".to_string(),
        "delay.p999" => "Delay in slots, 99.9th percentile".to_string(),
        "delay.p9999" => "Delay in slots, 99.99th percentile".to_string(),
        "delay.max" => "Largest delay in slots".to_string(),
        "delay.little" => "Mean delay in slots, by Little's law".to_string(),
        "delay.precision" => "Half width of the mean delay, as a share of it".to_string(),
        "throughput" => "Throughput per output".to_string(),
        "backlog" => "Mean backlog in cells".to_string(),
        "fairness" => "Fairness (Jain's index)".to_string(),
        "loss" => "Share of cells lost".to_string(),
        other => other.strip_prefix("counters.").unwrap_or(other).replace('_', " "),
    }
}
