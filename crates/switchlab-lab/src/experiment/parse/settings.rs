//! Values for keys of the grid that are given besides the file, as `sweep --set key=value` does.
//!
//! A value is TOML, or what the command line takes for it: `0.5,0.9` for a list, `0.1:0.9:0.1` for
//! a range, and text without quotes. It stands for the file's own and for that of `[quick]`.

use super::{Draft, GRID};
use crate::error::LabError;
use crate::located::{Section, Source, advice};
use std::collections::BTreeMap;

/// The drafts of the file and of `[quick]` with these values; None without any.
pub(super) fn changed(
    settings: &[(String, String)],
    full: &Draft,
    quick: &Draft,
) -> Result<Option<(Draft, Draft)>, LabError> {
    let (mut full, mut quick) = (full.clone(), quick.clone());
    let mut known: Vec<&str> = Vec::new();
    for (key, value) in settings {
        let refuse = |problem: String| LabError::Request(format!("--set {key}={value}: {problem}"));
        if !GRID.contains(&key.as_str()) {
            return Err(refuse(format!("there is no such key to set; {}", advice(key, &GRID))));
        }
        if known.contains(&key.as_str()) {
            return Err(refuse(format!("{key} is set twice")));
        }
        known.push(key);
        let read = read(key, value, &full.vary).map_err(|error| match error {
            LabError::Experiment { problem, .. } => refuse(problem),
            error => error,
        });
        let set = read?;
        full.set(&set);
        quick.set(&set);
    }
    // What is derived from another number follows it, as it does in [quick].
    let is_set = |key: &str| known.contains(&key);
    if is_set("slots") && !is_set("warmup") {
        (full.warmup, quick.warmup) = (None, None);
    }
    if is_set("replications") && !is_set("most_replications") {
        (full.most_replications, quick.most_replications) = (None, None);
    }
    Ok((!settings.is_empty()).then_some((full, quick)))
}

/// The value of a key, in the first form in which it is TOML.
fn read(key: &str, value: &str, vary: &BTreeMap<String, Vec<f64>>) -> Result<Draft, LabError> {
    let written = format!("{key} = {}", toml(value));
    let source = Source { file: "--set", text: &written };
    let document = source.parse()?;
    let section = Section::top(&source, &document, "--set");
    section.only(&[key])?;
    // Specs may use the variables of the file; variables themselves are replaced.
    let none = BTreeMap::new();
    Draft::read(&section, if key == "vary" { &none } else { vary })
}

/// A value as TOML.
fn toml(value: &str) -> String {
    let value = value.trim();
    let is_toml = |value: &str| toml::de::DeTable::parse(&format!("value = {value}")).is_ok();
    let quoted = |text: &str| if text.contains(['\'', '\n']) { format!("{text:?}") } else { format!("'{text}'") };
    let item = |text: &str| if is_toml(text) { text.to_string() } else { quoted(text) };
    if is_toml(value) {
        return value.to_string();
    }
    if let [from, to, step] = value.split(':').collect::<Vec<_>>()[..] {
        let (kind, step) = step.strip_prefix('x').map_or(("step", step), |times| ("times", times));
        let range = format!("{{ from = {from}, to = {to}, {kind} = {step} }}");
        if is_toml(&range) {
            return range;
        }
    }
    let parts = divided(value);
    let items: Vec<String> = parts.iter().map(|part| item(part)).collect();
    if items.len() == 1 { items.concat() } else { format!("[{}]", items.join(", ")) }
}

/// Parts divided by commas outside parentheses.
fn divided(text: &str) -> Vec<&str> {
    let mut depth = 0;
    let divides = |character: char| {
        depth += i32::from(character == '(') - i32::from(character == ')');
        character == ',' && depth <= 0
    };
    text.split(divides).map(str::trim).collect()
}
