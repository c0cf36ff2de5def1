//! The page of a name: what it is, its parameters, where it is from; or of an experiment's file:
//! all that it amounts to.

use crate::calculation::CALCULATIONS;
use crate::counters::meaning;
use crate::error::LabError;
use crate::experiment::{Loaded, Mode};
use crate::registry::{switch, switches};
use crate::report::experiment::describe;
use crate::text_table::TextTable;
use std::path::Path;
use switchlab_core::registry::{self, ARRIVALS, BuildSwitch, Chosen, Entry, NoFiles, TRAFFIC, Traffic};
use switchlab_core::spec::{Parameter, Preset};
use switchlab_core::{Seed, nearest};

/// What a name or a path stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Explained {
    /// A page of prose, to be wrapped.
    Page(String),
    /// An experiment, as text that is laid out already.
    Experiment(String),
}

/// Explains a name from the listing, or an experiment's file; this as a quick run resolves it if
/// `quick`.
pub fn explain(name: &str, quick: bool) -> Result<Explained, LabError> {
    let path = Path::new(name);
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml")) || path.is_file() {
        let loaded = Loaded::load(path, if quick { Mode::Quick } else { Mode::Full })?;
        return describe(&loaded).map(Explained::Experiment);
    }
    if quick {
        return Err(LabError::Request("--quick is about an experiment's file".to_string()));
    }
    // A whole spec is understood as its name.
    let bare = name.split(['(', ':']).next().unwrap_or(name).trim().to_ascii_lowercase();
    let of_switch = switch(&bare).ok().map(|chosen| page("switch", chosen.entry) + &counters(&chosen));
    let page = of_switch
        .or_else(|| find("traffic", &bare, TRAFFIC).map(|page| page + &matrix(&bare)))
        .or_else(|| find("arrival process", &bare, ARRIVALS))
        .or_else(|| calculation(&bare))
        .ok_or_else(|| unknown(&bare))?;
    Ok(Explained::Page(page))
}

fn find<B: 'static>(what: &str, name: &str, entries: impl IntoIterator<Item = &'static Entry<B>>) -> Option<String> {
    entries.into_iter().find(|entry| entry.name == name).map(|entry| page(what, entry))
}

/// The numbers of ports at which a switch is built to see what it counts, the first that it has.
const SIZES: [usize; 3] = [4, 16, 64];
/// Traffic is shown for this many ports.
const SHOWN_PORTS: usize = 4;

/// What a switch counts of itself, by name and meaning.
fn counters(chosen: &Chosen<BuildSwitch>) -> String {
    let seed = Seed { seed: 1, replication: 0 };
    let Some(switch) = SIZES.iter().find_map(|&ports| chosen.build(ports, seed).ok()) else {
        return String::new();
    };
    let mut lines = String::new();
    switch.counters(&mut |counter| {
        lines += &format!("- {}: {}\n", counter.name, meaning(counter.name).unwrap_or("of its own"));
    });
    if switch.stages() > 0 {
        lines += &format!("- delay_minus_stages: {}\n", meaning("delay_minus_stages").unwrap_or_default());
    }
    if lines.is_empty() { lines } else { format!("\nCounters, shown by run --counters\n{lines}") }
}

/// The matrix of traffic that is made for a number of ports, at full load; where all rates are then
/// equal (hot spots that take all there is), with more ports and at half the load.
fn matrix(name: &str) -> String {
    let rates = |ports: usize, load: f64| -> Option<Vec<Vec<f64>>> {
        let built = registry::traffic(name).ok()?.build(Some(ports), Some(load), &NoFiles).ok()?;
        let Traffic::Matrix(matrix, scale) = built else { return None };
        let row = |input| (0..ports).map(|output| scale * matrix.rate(input, output)).collect();
        Some((0..ports).map(row).collect())
    };
    let is_even = |rates: &Vec<Vec<f64>>| rates.iter().flatten().all(|rate| (rate - rates[0][0]).abs() < 1e-9);
    let full = rates(SHOWN_PORTS, 1.0).filter(|full| name == "uniform" || !is_even(full));
    let shown = full.map(|full| (full, 1.0)).or_else(|| Some((rates(SHOWN_PORTS + 2, 0.5)?, 0.5)));
    let Some((rates, load)) = shown else { return String::new() };
    let ports = rates.len();
    let mut table = TextTable::of_figures(std::iter::once(String::new()).chain((0..ports).map(|j| format!("to {j}"))));
    for (input, row) in rates.iter().enumerate() {
        let rates = row.iter().map(|rate| format!("{rate:.4}"));
        table.push(std::iter::once(format!("    from {input}")).chain(rates));
    }
    format!("\nWith {ports} ports at load {load}:\n\n{table}")
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
        text += &format!("\nFrom: {reference}\n");
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
            let (name, kind) = (parameter.name, parameter.kind);
            text += &format!("- {name}: {}; {kind}; {default}\n", parameter.about);
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
