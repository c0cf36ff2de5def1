//! `switchlab list`.

use crate::output;
use switchlab_core::registry::{ARRIVALS, Entry, SWITCHES, TRAFFIC};
use switchlab_core::spec::Preset;
use switchlab_lab::report::table::align_left;

pub(crate) fn list() -> anyhow::Result<()> {
    let mut text = section("Switches", SWITCHES);
    text += &section("\nTraffic", TRAFFIC);
    text += &section("\nArrival processes", ARRIVALS);
    text += "\nswitchlab explain NAME says more.\n";
    output::say(&text)
}

fn section<B>(title: &str, entries: &[Entry<B>]) -> String {
    let rows: Vec<_> =
        entries.iter().map(|entry| vec![format!("  {}", spec(entry)), entry.about.to_string()]).collect();
    format!("{title}\n{}", align_left(&rows))
}

/// The name with its parameters and their defaults.
fn spec<B>(entry: &Entry<B>) -> String {
    let parameters: Vec<String> = (entry.parameters.iter())
        .map(|parameter| match parameter.default {
            Preset::Value(value) => format!("{}={value}", parameter.name),
            Preset::Absent | Preset::Required => format!("{}=...", parameter.name),
        })
        .collect();
    if parameters.is_empty() { entry.name.to_string() } else { format!("{}({})", entry.name, parameters.join(",")) }
}
