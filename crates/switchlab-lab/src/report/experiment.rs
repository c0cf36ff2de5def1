//! A resolved experiment as text: what will be run, and which values are defaults.

use crate::LabError;
use crate::claims::rule;
use crate::experiment::{Claim, Expected, Figure, Loaded, Origin, PointSpec, Select};
use crate::text_table::TextTable;

/// The description of an experiment.
pub fn describe(loaded: &Loaded) -> Result<String, LabError> {
    let e = &loaded.experiment;
    let all = e.points()?;
    let points = all.len() as u64;
    let units = points * u64::from(e.replications);
    let is_whole = e.replays() && e.slots == 0;
    let mut text = format!("{} (experiment): {}\n", e.id, e.title);
    if !e.source.is_empty() {
        text += &format!("From: {}\n", e.source);
    }
    let numbers = |values: &[f64]| values.iter().map(f64::to_string).collect::<Vec<_>>().join(", ");
    let ports: Vec<f64> = e.ports.iter().map(|&ports| ports as f64).collect();
    let vary: Vec<String> = e.vary.iter().map(|(name, values)| format!("{name} = {}", numbers(values))).collect();
    let values = [
        ("switches", e.switches.join(", ")),
        ("ports", if ports.is_empty() { "those of the trace".to_string() } else { numbers(&ports) }),
        ("traffic", e.traffic.join(", ")),
        ("arrivals", e.arrivals.join(", ")),
        ("loads", if e.replays() { "that of the trace".to_string() } else { numbers(&e.loads) }),
        ("vary", if vary.is_empty() { "nothing".to_string() } else { vary.join("; ") }),
        ("slots", if is_whole { "until the switch is empty".to_string() } else { e.slots.to_string() }),
        ("warmup", e.warmup.to_string()),
        ("replications", e.replications.to_string()),
        ("precision", e.precision.map_or("as it comes".to_string(), |p| format!("{p} of the mean delay"))),
        ("most_replications", e.most_replications.to_string()),
        ("seed", e.seed.to_string()),
    ];
    let origin = |key: &str| match loaded.origins.get(key) {
        Some(Origin::Given) => "given",
        Some(Origin::Quick) => "given for quick runs",
        _ => "default",
    };
    let mut grid = TextTable::of_words(["", "", ""]).indent(2);
    for (key, value) in &values {
        grid.push([key, origin(key), value.as_str()]);
    }
    text += &format!("\nThe grid\n{grid}");
    text += &if is_whole {
        format!("\n{points} points, {units} units, each as long as its trace and until the switch is empty\n")
    } else {
        let slots = |point: &PointSpec| point.slots + point.warmup;
        let (least, most) = (all.iter().map(slots).min(), all.iter().map(slots).max());
        let (least, most) = (least.unwrap_or_default(), most.unwrap_or_default());
        let each = if least == most { least.to_string() } else { format!("{least} to {most}") };
        let total = all.iter().map(slots).sum::<u64>() * u64::from(e.replications);
        format!("\n{points} points, {units} units of {each} slots each: {total} slots in all\n")
    };
    for length in &e.lengths {
        let whose = selection(&length.select);
        text += &format!("{} slots after a warm-up of {}, {whose}.\n", length.slots, length.warmup);
    }
    if e.most_replications > e.replications && (e.precision.is_some() || !e.claims.is_empty()) {
        text += &format!("More replications, up to {}, where precision or a claim needs them.\n", e.most_replications);
    }
    if !e.figures.is_empty() {
        text += "\nFigures\n";
        text += &e.figures.iter().map(figure).collect::<String>();
    }
    if !e.claims.is_empty() {
        text += "\nClaims\n";
        text += &e.claims.iter().map(claim).collect::<String>();
    }
    Ok(text)
}

fn figure(figure: &Figure) -> String {
    let log = match (figure.log_x, figure.log_y) {
        (true, true) => ", both axes logarithmic",
        (true, false) => ", horizontal axis logarithmic",
        (false, true) => ", vertical axis logarithmic",
        (false, false) => "",
    };
    let mut text = format!("  {}: {}\n", figure.id, figure.title);
    text += &format!("      {} over {}, a line for each {}{log}", figure.y, figure.x, figure.series);
    text += &format!("; {}\n", selection(&figure.select));
    for (name, points) in &figure.references {
        text += &format!("      with {name}, {} points\n", points.len());
    }
    text
}

fn claim(claim: &Claim) -> String {
    let mut text = format!("  {}: {}\n      {}\n", claim.id, claim.text, rule(claim));
    let printed = claim.printed.iter().map(|printed| format!("printed: {printed}"));
    let expected = match claim.expected {
        Expected::Holds => None,
        Expected::Fails => Some("expected not to hold".to_string()),
        Expected::Undecided => Some("expected to be undecided".to_string()),
    };
    let said: Vec<String> =
        printed.chain(expected).chain((!claim.source.is_empty()).then(|| claim.source.clone())).collect();
    if !said.is_empty() {
        text += &format!("      {}\n", said.join("; "));
    }
    if let Some(why) = &claim.why {
        text += &format!("      why: {why}\n");
    }
    text
}

/// Which points, in words.
pub fn selection(select: &Select) -> String {
    if select.0.is_empty() {
        return "at every point".to_string();
    }
    let one = |(axis, values): (&String, &Vec<String>)| format!("{axis} = {}", values.join(" or "));
    format!("where {}", select.0.iter().map(one).collect::<Vec<_>>().join(", "))
}
