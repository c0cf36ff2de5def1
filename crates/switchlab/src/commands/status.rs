//! `switchlab status`.

use crate::{cli, output};
use serde_json::json;
use switchlab_lab::status::{Status, Units, status as read};
use switchlab_lab::text_table::TextTable;

pub(crate) fn status(arguments: &cli::StatusArgs) -> anyhow::Result<()> {
    let status = read(&arguments.dirs)?;
    if arguments.json {
        output::say_json(&in_json(&status))?;
    } else {
        output::say(&in_words(&status))?;
    }
    if status.is_complete() {
        return Ok(());
    }
    let units = status.units();
    let left =
        format!("{} of {} units are left; `switchlab sweep` goes on with them", units.all() - units.done, units.all());
    Err(output::Incomplete(left).into())
}

fn numbers(units: Units) -> [u64; 5] {
    [units.all(), units.done, units.running, units.stopped, units.missing]
}

const NAMES: [&str; 5] = ["units", "done", "running", "stopped", "missing"];

fn in_words(status: &Status) -> String {
    let names = ["switch", "ports"].into_iter().chain(NAMES);
    let mut table = TextTable::of_figures(names);
    let mut push = |switch: &str, ports: String, units: Units| {
        let numbers = numbers(units).map(|number| number.to_string());
        table.push([switch.to_string(), ports].into_iter().chain(numbers));
    };
    for (switch, ports, units) in &status.groups {
        push(switch, ports.to_string(), *units);
    }
    if status.groups.len() > 1 {
        push("all", String::new(), status.units());
    }
    let (table, _) = table.fit(output::width());
    let left = match status.left {
        Some(left) if !left.is_zero() => format!("\nabout {} left\n", minutes(left.as_secs())),
        Some(_) => String::new(),
        None => "\nno unit has been timed yet, so the time that is left is not known\n".to_string(),
    };
    format!("{}\n\n{table}{left}", status.title)
}

/// Seconds as people say them.
fn minutes(seconds: u64) -> String {
    match seconds {
        0..=119 => format!("{seconds} s"),
        120..=7199 => format!("{} min", seconds.div_ceil(60)),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

fn in_json(status: &Status) -> serde_json::Value {
    let units = |units: Units| -> serde_json::Map<String, serde_json::Value> {
        NAMES.into_iter().map(str::to_string).zip(numbers(units).map(Into::into)).collect()
    };
    let groups = status.groups.iter().map(|(switch, ports, of)| {
        let mut group = units(*of);
        group.insert("switch".to_string(), switch.as_str().into());
        group.insert("ports".to_string(), (*ports).into());
        serde_json::Value::Object(group)
    });
    let groups: Vec<_> = groups.collect();
    let left = status.left.map(|left| left.as_secs());
    json!({ "title": status.title, "all": units(status.units()), "groups": groups, "seconds_left": left })
}
