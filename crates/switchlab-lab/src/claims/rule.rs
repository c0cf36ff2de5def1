//! The rule of a claim in words: which quantity, at which points, has to lie where.

use super::sample::digits;
use crate::experiment::{Claim, Predicate, Select};
use crate::figure::label_of;

/// The quantity that is measured and compared, with its unit.
pub fn quantity(claim: &Claim) -> String {
    let metric = lower_first(&label_of(&claim.metric));
    match &claim.predicate {
        Predicate::Within { .. } | Predicate::AtLeast(_) | Predicate::AtMost(_) => metric,
        Predicate::Ratio { .. } => format!("ratio of {metric}"),
        Predicate::Rising { axis, to, .. } | Predicate::Falling { axis, to, .. } => {
            let ratio = if to.is_some() { "the ratio of " } else { "" };
            format!("change of {ratio}{metric} from one {axis} to the next")
        }
        Predicate::PerLog { axis, less, power, .. } => {
            let less = if *less == 0.0 { String::new() } else { format!(" less {}", short(*less)) };
            let log2 = if *power == 2 { "the square of log2" } else { "log2" };
            format!("{metric}{less} over {log2} of {axis}")
        }
        Predicate::StableUpTo { .. } => "highest stable load".to_string(),
        Predicate::Slope { axis, .. } => format!("exponent of {metric} over {axis}"),
        Predicate::Stable(_) => "verdict".to_string(),
        Predicate::SameDepartures { .. } => "departures".to_string(),
    }
}

/// The rule of a claim about values, without the quantity and the points, as a column of a table
/// has it: "lies within 0.75 ± 0.002". Any other rule in full.
pub fn short_rule(claim: &Claim) -> String {
    match &claim.predicate {
        Predicate::Within { value, tolerance } if *tolerance == 0.0 => format!("is {}", short(*value)),
        Predicate::Within { value, tolerance } => format!("lies within {} ± {}", short(*value), short(*tolerance)),
        Predicate::AtLeast(least) => format!("is at least {}", short(*least)),
        Predicate::AtMost(most) => format!("is at most {}", short(*most)),
        _ => rule(claim),
    }
}

/// The rule in one sentence. A claim holds if the rule does at each of its points.
pub fn rule(claim: &Claim) -> String {
    let quantity = quantity(claim);
    let rule = match &claim.predicate {
        Predicate::Within { .. } | Predicate::AtLeast(_) | Predicate::AtMost(_) => {
            format!("{quantity} {}", short_rule(claim))
        }
        Predicate::Ratio { other, least, most } => {
            format!("{quantity} to that of {} {}", points(other), between(*least, *most))
        }
        Predicate::Rising { axis, order, to } => {
            format!("{} never falls along {axis}, in the order {}", over(claim, to.as_ref()), order.join(", "))
        }
        Predicate::Falling { axis, order, to } => {
            format!("{} never rises along {axis}, in the order {}", over(claim, to.as_ref()), order.join(", "))
        }
        Predicate::PerLog { least, most, .. } | Predicate::StableUpTo { least, most } => {
            format!("{quantity} {}", between(*least, *most))
        }
        Predicate::Slope { axis, least, most } => {
            format!("{} grows as {axis} to a power that {}", metric(claim), between(*least, *most))
        }
        Predicate::Stable(true) => "the switch is stable".to_string(),
        Predicate::Stable(false) => "the switch is unstable".to_string(),
        Predicate::SameDepartures { other } => {
            format!("every cell leaves in the same slot by the same output as with {}", points(other))
        }
    };
    if claim.select.0.is_empty() {
        format!("{rule}, at every point")
    } else {
        format!("{rule}, for {}", points(&claim.select))
    }
}

fn metric(claim: &Claim) -> String {
    lower_first(&label_of(&claim.metric))
}

/// The metric, or its ratio to that of other points.
fn over(claim: &Claim, to: Option<&Select>) -> String {
    match to {
        Some(to) => format!("ratio of {} to that of {}", metric(claim), points(to)),
        None => metric(claim),
    }
}

fn between(least: f64, most: f64) -> String {
    match (least.is_finite(), most.is_finite()) {
        (true, true) if least == most => format!("is {}", short(least)),
        (true, true) => format!("lies between {} and {}", short(least), short(most)),
        (true, false) => format!("is at least {}", short(least)),
        (false, true) => format!("is at most {}", short(most)),
        (false, false) => "is any number".to_string(),
    }
}

/// Points by the values of their axes.
fn points(select: &Select) -> String {
    let axis = |(axis, values): (&String, &Vec<String>)| match axis.as_str() {
        "switch" | "traffic" | "arrivals" => values.join(" or "),
        _ => format!("{axis} {}", values.join(", ")),
    };
    select.0.iter().map(axis).collect::<Vec<_>>().join("; ")
}

/// As the file has it: no digits that say nothing.
fn short(value: f64) -> String {
    let text = digits(value);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    match (letters.next(), letters.clone().next()) {
        // An abbreviation keeps its capitals.
        (Some(first), Some(second)) if !second.is_uppercase() => first.to_lowercase().chain(letters).collect(),
        _ => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Expected;

    fn claim(metric: &str, select: &[(&str, &[&str])], predicate: Predicate) -> Claim {
        Claim {
            id: "c".to_string(),
            text: String::new(),
            source: String::new(),
            printed: None,
            metric: metric.to_string(),
            select: selected(select),
            predicate,
            why: None,
            expected: Expected::Holds,
        }
    }

    fn selected(axes: &[(&str, &[&str])]) -> Select {
        let owned = |values: &[&str]| values.iter().map(ToString::to_string).collect();
        Select(axes.iter().map(|(axis, values)| (axis.to_string(), owned(values))).collect())
    }

    #[test]
    fn every_kind_of_rule_is_a_sentence() {
        let oq = || selected(&[("switch", &["oq"])]);
        let at = [("load", &["0.1", "0.3"][..]), ("switch", &["islip"][..])];
        let cases = [
            (
                claim("throughput", &[], Predicate::AtLeast(0.98)),
                "throughput (cells per output and slot) is at least 0.98, at every point",
            ),
            (claim("delay", &at, Predicate::AtMost(5.0)), "mean delay (slots) is at most 5, for load 0.1, 0.3; islip"),
            (
                claim("delay", &[], Predicate::Within { value: 4.25, tolerance: 0.05 }),
                "mean delay (slots) lies within 4.25 ± 0.05, at every point",
            ),
            (
                claim("delay", &[], Predicate::Ratio { other: oq(), least: 0.95, most: f64::INFINITY }),
                "ratio of mean delay (slots) to that of oq is at least 0.95, at every point",
            ),
            (
                claim("delay", &[], Predicate::Ratio { other: oq(), least: 0.95, most: 1.05 }),
                "ratio of mean delay (slots) to that of oq lies between 0.95 and 1.05, at every point",
            ),
            (
                claim(
                    "delay",
                    &[],
                    Predicate::Slope { axis: "ports".to_string(), least: f64::NEG_INFINITY, most: 0.5 },
                ),
                "mean delay (slots) grows as ports to a power that is at most 0.5, at every point",
            ),
            (
                claim(
                    "counters.steps",
                    &[],
                    Predicate::PerLog {
                        axis: "ports".to_string(),
                        less: 1.0,
                        power: 2,
                        least: f64::NEG_INFINITY,
                        most: 3.0,
                    },
                ),
                "steps less 1 over the square of log2 of ports is at most 3, at every point",
            ),
            (claim("delay", &[], Predicate::Stable(false)), "the switch is unstable, at every point"),
            (
                claim("delay", &[], Predicate::SameDepartures { other: oq() }),
                "every cell leaves in the same slot by the same output as with oq, at every point",
            ),
            (
                claim(
                    "delay",
                    &[],
                    Predicate::Rising { axis: "load".to_string(), order: vec!["0.1".into(), "0.2".into()], to: None },
                ),
                "mean delay (slots) never falls along load, in the order 0.1, 0.2, at every point",
            ),
            (
                claim(
                    "delay",
                    &[],
                    Predicate::Falling {
                        axis: "load".to_string(),
                        order: vec!["0.1".into(), "0.2".into()],
                        to: Some(oq()),
                    },
                ),
                "ratio of mean delay (slots) to that of oq never rises along load, in the order 0.1, 0.2, at every point",
            ),
        ];
        for (claim, expected) in cases {
            assert_eq!(rule(&claim), expected);
        }
    }
}
