//! `switchlab list`.

use crate::output;
use switchlab_core::registry::{ARRIVALS, Entry, TRAFFIC};
use switchlab_core::spec::{Parameter, Preset};
use switchlab_lab::calculation::CALCULATIONS;
use switchlab_lab::registry::switches;
use switchlab_lab::text_table::TextTable;

pub(crate) fn list() -> anyhow::Result<()> {
    let mut text = section("Switches", lines(switches()));
    text += &section("\nTraffic", lines(TRAFFIC));
    text += &section("\nArrival processes", lines(ARRIVALS));
    let calculations = CALCULATIONS.iter().map(|it| (spec(it.name, it.parameters), it.about));
    text += &section("\nCalculations, for experiments", calculations);
    text += "\nswitchlab explain NAME says more.\n";
    output::say(&text)
}

/// The spec and the line about each entry.
fn lines<B: 'static>(
    entries: impl IntoIterator<Item = &'static Entry<B>>,
) -> impl Iterator<Item = (String, &'static str)> {
    entries.into_iter().map(|entry| (spec(entry.name, entry.parameters), entry.about))
}

fn section(title: &str, lines: impl Iterator<Item = (String, &'static str)>) -> String {
    let mut table = TextTable::of_words(["", ""]).indent(2);
    for (spec, about) in lines {
        table.push([spec.as_str(), about]);
    }
    format!("{title}\n{table}")
}

/// The name with its parameters and their defaults.
fn spec(name: &str, parameters: &[Parameter]) -> String {
    let parameters: Vec<String> = (parameters.iter())
        .map(|parameter| match parameter.default {
            Preset::Value(value) => format!("{}={value}", parameter.name),
            Preset::Absent | Preset::Required => format!("{}=...", parameter.name),
        })
        .collect();
    if parameters.is_empty() { name.to_string() } else { format!("{name}({})", parameters.join(",")) }
}
