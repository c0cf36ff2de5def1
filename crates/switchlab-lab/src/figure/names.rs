//! Short names of specs: what stands beside a line. Tables and descriptions have the whole spec.

use std::collections::BTreeMap;
use switchlab_core::registry as core;
use switchlab_core::spec::{Parameter, Preset, Spec};

/// Short forms of specs of switches, traffic or arrivals, in order: without the arguments that are
/// at their defaults, unless specs of the same name here differ in them.
pub(crate) fn short<'a>(specs: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let texts: Vec<&str> = specs.into_iter().collect();
    let mut parsed: BTreeMap<&str, Option<Spec>> = BTreeMap::new();
    for text in &texts {
        parsed.entry(text).or_insert_with(|| Spec::parse(text).ok());
    }
    let short: BTreeMap<&str, String> = parsed
        .iter()
        .map(|(text, spec)| {
            let others = || parsed.values().flatten();
            (*text, spec.as_ref().map_or_else(|| (*text).to_string(), |spec| shorten(spec, others)))
        })
        .collect();
    // Two specs that would be called the same keep their full names.
    let unique = |text: &str| short.iter().filter(|(_, other)| **other == short[text]).count() == 1;
    texts.iter().map(|&text| if unique(text) { short[text].clone() } else { text.to_string() }).collect()
}

/// The short form of a spec alone.
pub(crate) fn short_one(spec: &str) -> String {
    short([spec]).concat()
}

fn shorten<'a, I: Iterator<Item = &'a Spec>>(spec: &Spec, others: impl Fn() -> I) -> String {
    let parameters = parameters(&spec.name);
    let told = |(key, value): &&(String, String)| {
        let default = parameters.iter().find(|parameter| parameter.name == key).map(|parameter| parameter.default);
        let usual = matches!(default, Some(Preset::Value(default)) if default == value);
        let same = |other: &Spec| other.arguments.iter().any(|(k, v)| k == key && v == value);
        !usual || others().any(|other| other.name == spec.name && !same(other))
    };
    let kept: Vec<String> = spec.arguments.iter().filter(told).map(|(key, value)| format!("{key}={value}")).collect();
    if kept.is_empty() { spec.name.clone() } else { format!("{}({})", spec.name, kept.join(", ")) }
}

/// The parameters of whatever has this name.
fn parameters(name: &str) -> &'static [Parameter] {
    let switch = crate::registry::switches().into_iter().find(|entry| entry.name == name).map(|entry| entry.parameters);
    let traffic = || core::TRAFFIC.iter().find(|entry| entry.name == name).map(|entry| entry.parameters);
    let arrivals = || core::ARRIVALS.iter().find(|entry| entry.name == name).map(|entry| entry.parameters);
    switch.or_else(traffic).or_else(arrivals).unwrap_or(&[])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(spec: &str) -> String {
        crate::registry::switch(spec).unwrap().args.to_string()
    }

    #[test]
    fn defaults_are_left_out_unless_they_differ_here() {
        let specs = ["oq", "benes", "islip", "islip(iterations=4)", "pim(iterations=4)"].map(canonical);
        let names = short(specs.iter().map(String::as_str));
        assert_eq!(names[..2], ["oq", "benes"]);
        assert_eq!(names[2..4], ["islip(iterations=1)", "islip(iterations=4)"]);
        assert_eq!(short_one(&canonical("islip")), "islip");
        assert_eq!(short_one(&canonical("benes(distribution=ic)")), "benes(distribution=ic)");
        assert_eq!(short_one("not a spec"), "not a spec");
    }
}
