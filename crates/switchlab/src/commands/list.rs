//! `switchlab list`.

use crate::output;
use switchlab_core::registry::{ARRIVALS, Entry, TRAFFIC};
use switchlab_core::spec::{Parameter, Preset};
use switchlab_lab::calculation::CALCULATIONS;
use switchlab_lab::registry::switches;
use switchlab_lab::report::table::align_left;

pub(crate) fn list() -> anyhow::Result<()> {
    let mut text = section("Switches", switches());
    text += &section("\nTraffic", TRAFFIC);
    text += &section("\nArrival processes", ARRIVALS);
    let rows: Vec<_> = (CALCULATIONS.iter())
        .map(|calculation| {
            vec![format!("  {}", spec(calculation.name, calculation.parameters)), calculation.about.to_string()]
        })
        .collect();
    text += &format!("\nCalculations, for experiments\n{}", align_left(&rows));
    text += "\nswitchlab explain NAME says more.\n";
    output::say(&text)
}

fn section<B: 'static>(title: &str, entries: impl IntoIterator<Item = &'static Entry<B>>) -> String {
    let rows: Vec<_> = entries
        .into_iter()
        .map(|entry| vec![format!("  {}", spec(entry.name, entry.parameters)), entry.about.to_string()])
        .collect();
    format!("{title}\n{}", align_left(&rows))
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
