//! What there is, by name: switches, traffic, arrival processes, calculations.

use crate::calculation::CALCULATIONS;
use crate::registry::switches;
use serde::Serialize;
use switchlab_core::registry::{ARRIVALS, Entry, TRAFFIC};
use switchlab_core::spec::{Parameter, Preset};

/// An entry for programs.
#[derive(Debug, Serialize)]
pub struct Listed {
    /// What it is: a switch, traffic, an arrival process or a calculation.
    pub kind: &'static str,
    /// The name in a spec.
    pub name: &'static str,
    /// One line for people.
    pub about: &'static str,
    reference: &'static str,
    parameters: Vec<ListedParameter>,
}

/// A parameter of an entry.
#[derive(Debug, Serialize)]
pub struct ListedParameter {
    name: &'static str,
    values: String,
    default: Option<&'static str>,
    required: bool,
    about: &'static str,
}

/// All of it: switches, traffic, arrival processes, calculations, in this order.
pub fn listed() -> Vec<Listed> {
    let mut listed: Vec<Listed> = switches().into_iter().map(|entry| of_entry("switch", entry)).collect();
    listed.extend(TRAFFIC.iter().map(|entry| of_entry("traffic", entry)));
    listed.extend(ARRIVALS.iter().map(|entry| of_entry("arrival process", entry)));
    listed
        .extend(CALCULATIONS.iter().map(|it| of_parts("calculation", it.name, it.about, it.reference, it.parameters)));
    listed
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
