//! `switchlab list`.

use crate::output;
use serde::Serialize;
use switchlab_core::registry::{ARRIVALS, Entry, TRAFFIC};
use switchlab_core::spec::{Parameter, Preset};
use switchlab_lab::calculation::CALCULATIONS;
use switchlab_lab::prose::wrap;
use switchlab_lab::registry::switches;

/// Lines are not wider than this, however wide the terminal is.
const WIDEST: usize = 80;

/// An entry for programs.
#[derive(Serialize)]
struct Listed {
    kind: &'static str,
    name: &'static str,
    about: &'static str,
    reference: &'static str,
    parameters: Vec<ListedParameter>,
}

#[derive(Serialize)]
struct ListedParameter {
    name: &'static str,
    values: String,
    default: Option<&'static str>,
    required: bool,
    about: &'static str,
}

pub(crate) fn list(json: bool) -> anyhow::Result<()> {
    let mut listed: Vec<Listed> = switches().into_iter().map(|entry| of_entry("switch", entry)).collect();
    listed.extend(TRAFFIC.iter().map(|entry| of_entry("traffic", entry)));
    listed.extend(ARRIVALS.iter().map(|entry| of_entry("arrival process", entry)));
    listed
        .extend(CALCULATIONS.iter().map(|it| of_parts("calculation", it.name, it.about, it.reference, it.parameters)));
    if json {
        return output::say_json(&listed);
    }
    let sections = [
        ("switch", "Switches"),
        ("traffic", "Traffic"),
        ("arrival process", "Arrival processes"),
        ("calculation", "Calculations, for experiments"),
    ];
    let sections = sections.map(|(kind, title)| section(title, listed.iter().filter(|entry| entry.kind == kind)));
    output::say(&(sections.join("\n") + "\nswitchlab explain NAME has the parameters and the page of each.\n"))
}

fn of_entry<B>(kind: &'static str, entry: &Entry<B>) -> Listed {
    of_parts(kind, entry.name, entry.about, entry.reference, entry.parameters)
}

fn of_parts(
    kind: &'static str,
    name: &'static str,
    about: &'static str,
    reference: &'static str,
    parameters: &[Parameter],
) -> Listed {
    let parameters = parameters.iter().map(|parameter| ListedParameter {
        name: parameter.name,
        values: parameter.kind.to_string(),
        default: match parameter.default {
            Preset::Value(value) => Some(value),
            Preset::Absent | Preset::Required => None,
        },
        required: parameter.default == Preset::Required,
        about: parameter.about,
    });
    Listed { kind, name, about, reference, parameters: parameters.collect() }
}

/// Names and sentences, side by side and wrapped.
fn section<'a>(title: &str, entries: impl Iterator<Item = &'a Listed> + Clone) -> String {
    let longest = entries.clone().map(|entry| entry.name.len()).max().unwrap_or(0);
    let (indent, width) = (longest + 4, output::width().min(WIDEST));
    let line = |entry: &Listed| {
        let about = wrap(entry.about, width.saturating_sub(indent), 0).replace('\n', &format!("\n{:indent$}", ""));
        format!("  {:<longest$}  {about}\n", entry.name)
    };
    format!("{title}\n{}", entries.map(line).collect::<String>())
}
