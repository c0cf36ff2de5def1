//! `switchlab explain`.

use crate::output;
use std::path::Path;
use switchlab_core::nearest;
use switchlab_core::registry::{ARRIVALS, Entry, TRAFFIC};
use switchlab_core::spec::{Parameter, Preset};
use switchlab_lab::LabError;
use switchlab_lab::calculation::CALCULATIONS;
use switchlab_lab::experiment::{Loaded, Mode};
use switchlab_lab::registry::switches;
use switchlab_lab::report::experiment::describe;

pub(crate) fn explain(name: &str, quick: bool) -> anyhow::Result<()> {
    let path = Path::new(name);
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml")) || path.is_file() {
        let loaded = Loaded::load(path, if quick { Mode::Quick } else { Mode::Full })?;
        return output::say(&describe(&loaded)?);
    }
    if quick {
        return Err(LabError::Request("--quick is about an experiment's file".to_string()).into());
    }
    // A whole spec is understood as its name.
    let bare = name.split('(').next().unwrap_or(name).trim();
    let page = find("switch", bare, switches())
        .or_else(|| find("traffic", bare, TRAFFIC))
        .or_else(|| find("arrival process", bare, ARRIVALS))
        .or_else(|| calculation(bare))
        .ok_or_else(|| unknown(bare))?;
    output::say(&page)
}

fn find<B: 'static>(what: &str, name: &str, entries: impl IntoIterator<Item = &'static Entry<B>>) -> Option<String> {
    entries.into_iter().find(|entry| entry.name == name).map(|entry| page(what, entry))
}

fn page<B>(what: &str, entry: &Entry<B>) -> String {
    head(what, entry.name, entry.about, entry.reference, entry.parameters) + &entry.page() + "\n"
}

fn calculation(name: &str) -> Option<String> {
    let known = CALCULATIONS.iter().find(|calculation| calculation.name == name)?;
    let head = head("calculation", known.name, known.about, known.reference, known.parameters);
    let how = "An experiment says `calculate = \"NAME\"` where others say `switches`; `switchlab sweep` and `reproduce` run it, and claims and figures call its values counters.NAME.";
    Some(format!("{head}{}\n\n{how}\n", known.page()))
}

fn head(what: &str, name: &str, about: &str, reference: &str, parameters: &[Parameter]) -> String {
    let mut text = format!("{name} ({what}): {about}\n");
    if !reference.is_empty() {
        text += &format!("From: {reference}\n");
    }
    text += "\n";
    if !parameters.is_empty() {
        text += "Parameters\n";
        for parameter in parameters {
            let default = match parameter.default {
                Preset::Value(value) => format!("default {value}"),
                Preset::Absent => "optional".to_string(),
                Preset::Required => "required".to_string(),
            };
            text += &format!("  {}: {}; {default}\n      {}\n", parameter.name, parameter.kind, parameter.about);
        }
        text += "\n";
    }
    text
}

fn unknown(name: &str) -> LabError {
    let names = |text: &mut Vec<&'static str>| {
        text.extend(switches().iter().map(|entry| entry.name));
        text.extend(TRAFFIC.iter().map(|entry| entry.name));
        text.extend(ARRIVALS.iter().map(|entry| entry.name));
        text.extend(CALCULATIONS.iter().map(|calculation| calculation.name));
    };
    let mut known = Vec::new();
    names(&mut known);
    let guess = nearest(name, &known).map(|guess| format!("did you mean {guess}? ")).unwrap_or_default();
    LabError::Request(format!("nothing is called {name:?}; {guess}`switchlab list` shows what there is"))
}
