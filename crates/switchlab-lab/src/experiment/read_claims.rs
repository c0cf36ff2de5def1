//! `[[claim]]` sections.
//!
//! ```toml
//! [[claim]]
//! id = "saturation-2"             # required, unique
//! text = "Half of ..."            # required
//! source = "table I"              # the experiment's unless given; "own ..." for our own checks
//! printed = "0.7500"              # the figure as printed, if one is
//! metric = "throughput"           # required, but for stable and same-departures
//! where = { ports = 2 }           # which points; all unless given. The claim must hold at each
//! expected = "holds"              # or "fails" or "undecided": the ruling to expect
//! why = "The paper ..."           # the reason for such a ruling, in one line
//! within = { value = 0.75, tolerance = 0.001 }
//! ```
//!
//! and in place of `within`, exactly one of
//!
//! ```toml
//! at-least = 0.99
//! at-most = 20
//! ratio = { to = { switch = "mwm" }, least = 1, most = 1.5 }   # either bound may be left out
//! rising = { along = "switch", order = ["mwm", "islip"] }  # numeric axes need no order
//! falling = { along = "load", to = { switch = "oq" } }  # divided by that of these points first
//! per-log = { along = "ports", least = 1, most = 1.5 }  # divided by log2 of the axis
//! per-log = { along = "ports", less = 1, power = 2, most = 1 }  # less 1, divided by log2 squared
//! stable-up-to = { least = 0.69, most = 0.72 }  # the highest stable load of those that are run
//! slope = { along = "ports", least = 0.9, most = 1.1 }  # of log-log; bounds optional
//! stable = true
//! same-departures = { as = { switch = "oq" } }
//! ```

use super::axes::Axes;
use super::read_figures::{id, metric};
use super::{Claim, Expected, Experiment, Predicate, Select};
use crate::error::LabError;
use crate::located::{Node, Section};

const PREDICATES: [&str; 11] = [
    "within",
    "at-least",
    "at-most",
    "ratio",
    "rising",
    "falling",
    "slope",
    "per-log",
    "stable",
    "stable-up-to",
    "same-departures",
];

/// All claims.
pub(super) fn claims(top: &Section<'_>, axes: &Axes, experiment: &Experiment) -> Result<Vec<Claim>, LabError> {
    let mut claims: Vec<Claim> = Vec::new();
    for section in top.read("claim", |node| node.tables("[[claim]]"))?.unwrap_or_default() {
        let claim = claim(&section, axes, experiment)?;
        if claims.iter().any(|known| known.id == claim.id) {
            return Err(section.need("id")?.error(format!("there are two claims called {:?}", claim.id)));
        }
        claims.push(claim);
    }
    Ok(claims)
}

fn claim(section: &Section<'_>, axes: &Axes, experiment: &Experiment) -> Result<Claim, LabError> {
    let known: Vec<&str> = ["id", "text", "source", "printed", "metric", "where", "expected", "why"]
        .into_iter()
        .chain(PREDICATES)
        .collect();
    section.only(&known)?;
    let given: Vec<&str> = PREDICATES.into_iter().filter(|key| section.get(key).is_some()).collect();
    let [key] = given.as_slice() else {
        return Err(section.error(format!("a claim takes exactly one of {}", PREDICATES.join(", "))));
    };
    let predicate = predicate(key, &section.need(key)?, axes)?;
    let metric = match (&predicate, section.read("metric", metric)?) {
        (_, Some(metric)) => metric,
        (Predicate::Stable(_) | Predicate::StableUpTo { .. } | Predicate::SameDepartures { .. }, None) => {
            "throughput".to_string()
        }
        (_, None) => return Err(section.error("a claim needs the key metric")),
    };
    Ok(Claim {
        id: id(&section.need("id")?)?,
        text: section.need("text")?.text()?,
        source: section.read("source", Node::text)?.unwrap_or_else(|| experiment.source.clone()),
        printed: section.read("printed", Node::text)?,
        metric,
        select: section.read("where", |node| axes.select(&node.table("where")?))?.unwrap_or_default(),
        predicate,
        why: section.read("why", Node::text)?,
        expected: section.read("expected", expected)?.unwrap_or_default(),
    })
}

fn expected(node: &Node<'_>) -> Result<Expected, LabError> {
    let name = node.word(&Expected::NAMES)?;
    Expected::of(&name).ok_or_else(|| node.error("this ruling is not known"))
}

fn predicate(key: &str, node: &Node<'_>, axes: &Axes) -> Result<Predicate, LabError> {
    Ok(match key {
        "within" => {
            let section = node.table("within")?;
            section.only(&["value", "tolerance"])?;
            let tolerance = section.need("tolerance")?;
            if tolerance.number()? < 0.0 {
                return Err(tolerance.error("a tolerance is not below 0"));
            }
            Predicate::Within { value: section.need("value")?.number()?, tolerance: tolerance.number()? }
        }
        "at-least" => Predicate::AtLeast(node.number()?),
        "at-most" => Predicate::AtMost(node.number()?),
        "ratio" => {
            let section = node.table("ratio")?;
            section.only(&["to", "least", "most"])?;
            let (least, most) = bounds(&section)?;
            Predicate::Ratio { other: axes.select(&section.need("to")?.table("to")?)?, least, most }
        }
        "rising" => {
            let (axis, order, to) = ordered(&node.table("rising")?, "rising", axes)?;
            Predicate::Rising { axis, order, to }
        }
        "falling" => {
            let (axis, order, to) = ordered(&node.table("falling")?, "falling", axes)?;
            Predicate::Falling { axis, order, to }
        }
        "per-log" => {
            let section = node.table("per-log")?;
            section.only(&["along", "less", "power", "least", "most"])?;
            let (least, most) = bounds(&section)?;
            let power = match section.get("power") {
                None => 1,
                Some(power) => match power.number()? {
                    1.0 => 1,
                    2.0 => 2,
                    _ => return Err(power.error("the power of a logarithm is 1 or 2")),
                },
            };
            let less = section.read("less", Node::number)?.unwrap_or(0.0);
            Predicate::PerLog { axis: section.need("along")?.word(&axes.numeric())?, less, power, least, most }
        }
        "stable-up-to" => {
            let section = node.table("stable-up-to")?;
            section.only(&["least", "most"])?;
            let (least, most) = bounds(&section)?;
            Predicate::StableUpTo { least, most }
        }
        "slope" => {
            let section = node.table("slope")?;
            section.only(&["along", "least", "most"])?;
            let (least, most) = bounds(&section)?;
            Predicate::Slope { axis: section.need("along")?.word(&axes.numeric())?, least, most }
        }
        "stable" => Predicate::Stable(node.flag()?),
        _ => {
            let section = node.table("same-departures")?;
            section.only(&["as"])?;
            Predicate::SameDepartures { other: axes.select(&section.need("as")?.table("as")?)? }
        }
    })
}

/// An axis and the order of its values, and the points to divide by.
fn ordered(section: &Section<'_>, key: &str, axes: &Axes) -> Result<(String, Vec<String>, Option<Select>), LabError> {
    section.only(&["along", "order", "to"])?;
    let axis = section.need("along")?.word(&axes.names())?;
    let order = match section.get("order") {
        Some(order) => axes.values(&axis, &order)?,
        None if axes.numeric().contains(&axis.as_str()) => axes.numbers(&axis).iter().map(f64::to_string).collect(),
        None => return Err(section.error(format!("{key} along {axis} needs the key order"))),
    };
    if order.len() < 2 {
        return Err(section.error(format!("{key} needs at least two values to compare")));
    }
    let to = section.read("to", |node| axes.select(&node.table("to")?))?;
    Ok((axis, order, to))
}

/// At least one of two bounds; the other is infinite.
fn bounds(section: &Section<'_>) -> Result<(f64, f64), LabError> {
    let (least, most) = (section.read("least", Node::number)?, section.read("most", Node::number)?);
    let bounds = (least.unwrap_or(f64::NEG_INFINITY), most.unwrap_or(f64::INFINITY));
    match (least, most) {
        (None, None) => Err(section.error("give least, most or both")),
        _ if bounds.0 > bounds.1 => Err(section.error("least is above most")),
        _ => Ok(bounds),
    }
}
