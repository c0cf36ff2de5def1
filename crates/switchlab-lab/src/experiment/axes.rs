//! The axes of an experiment's grid: their names and values, and selections of them.

use super::parse::braced;
use super::point::{TRACE, combinations, fill};
use super::{Experiment, Select};
use crate::calculation;
use crate::error::LabError;
use crate::files::traffic_beside;
use crate::located::{Node, Section, advice};
use std::collections::BTreeMap;
use switchlab_core::registry;

/// The axes of an experiment in both its modes.
#[derive(Debug, Default)]
pub(super) struct Axes {
    /// Specs as written and in canonical form, by axis.
    specs: BTreeMap<&'static str, Vec<(String, String)>>,
    /// Values of load, ports and the variables.
    numbers: BTreeMap<String, Vec<f64>>,
    /// The variables alone.
    vary: BTreeMap<String, Vec<f64>>,
    /// Whether switches are calculations.
    calculates: bool,
}

impl Axes {
    /// The axes that every experiment has.
    pub(super) const FIXED: [&'static str; 5] = ["switch", "traffic", "arrivals", "ports", "load"];

    /// The union of the axes of these experiments: a claim may be about points of the full run
    /// only, or of the quick one.
    pub(super) fn of(experiments: &[&Experiment]) -> Result<Self, LabError> {
        let mut axes = Self::default();
        for experiment in experiments {
            axes.calculates |= experiment.calculates();
            for (name, values) in &experiment.vary {
                axes.numbers.entry(name.clone()).or_default().extend(values);
                axes.vary.entry(name.clone()).or_default().extend(values);
            }
            let (mut loads, mut ports) = (experiment.loads.clone(), experiment.ports.clone());
            if experiment.replays() {
                let points = experiment.points()?;
                loads = points.iter().map(|point| point.load).collect();
                ports = points.iter().map(|point| point.ports).collect();
            }
            axes.numbers.entry("load".to_string()).or_default().extend(loads);
            axes.numbers.entry("ports".to_string()).or_default().extend(ports.iter().map(|&ports| ports as f64));
        }
        for values in axes.numbers.values_mut().chain(axes.vary.values_mut()) {
            values.sort_by(f64::total_cmp);
            values.dedup();
        }
        for experiment in experiments {
            let lists = [
                ("switch", &experiment.switches),
                ("traffic", &experiment.traffic),
                ("arrivals", &experiment.arrivals),
            ];
            for (axis, list) in lists {
                for spec in list {
                    for canonical in axes.canonical(axis, spec)? {
                        let known = axes.specs.entry(axis).or_default();
                        let pair = (spec.clone(), canonical);
                        if !known.contains(&pair) {
                            known.push(pair);
                        }
                    }
                }
            }
        }
        Ok(axes)
    }

    /// All canonical texts that a spec has, with every value of its variables.
    fn canonical(&self, axis: &str, spec: &str) -> Result<Vec<String>, LabError> {
        let used = self.vary.iter().filter(|(name, _)| braced(spec).contains(&name.as_str()));
        let used = used.map(|(name, values)| (name.clone(), values.clone())).collect();
        let mut texts = Vec::new();
        for values in combinations(&used) {
            let spec = fill(spec, &values);
            let args = match axis {
                _ if spec == calculation::NONE || (axis == "arrivals" && spec == TRACE) => {
                    texts.push(spec);
                    continue;
                }
                "switch" if self.calculates => calculation::choose(&spec)?.1,
                "switch" => crate::registry::switch(&spec)?.args,
                "traffic" => registry::traffic(&spec)?.args,
                _ => registry::arrivals(&spec)?.args,
            };
            texts.push(args.to_string());
        }
        Ok(texts)
    }

    /// The names of all axes.
    pub(super) fn names(&self) -> Vec<&str> {
        let variables = self.vary.keys().map(String::as_str);
        Self::FIXED.into_iter().chain(variables).collect()
    }

    /// The names of the axes that are numbers.
    pub(super) fn numeric(&self) -> Vec<&str> {
        self.numbers.keys().map(String::as_str).collect()
    }

    /// The values of a numeric axis, in order.
    pub(super) fn numbers(&self, axis: &str) -> &[f64] {
        self.numbers.get(axis).map_or(&[], Vec::as_slice)
    }

    /// `{ axis = value or list }`.
    pub(super) fn select(&self, section: &Section<'_>) -> Result<Select, LabError> {
        section.only(&self.names())?;
        let items = section.items().into_iter();
        items
            .map(|(axis, _, node)| Ok((axis.clone(), self.values(&axis, &node)?)))
            .collect::<Result<_, _>>()
            .map(Select)
    }

    /// Values of an axis, each of which the grid has. A spec is put in canonical form; a bare name
    /// that the grid does not list as such stands for all specs of that name.
    pub(super) fn values(&self, axis: &str, node: &Node<'_>) -> Result<Vec<String>, LabError> {
        if let Some(known) = self.numbers.get(axis) {
            let asked = node.numbers()?;
            if let Some(odd) = asked.iter().find(|asked| !known.contains(asked)) {
                let known: Vec<String> = known.iter().map(f64::to_string).collect();
                return Err(node.error(format!("no point has {axis} = {odd}; there are: {}", known.join(", "))));
            }
            return Ok(asked.iter().map(f64::to_string).collect());
        }
        let known = self.specs.get(axis).map_or(&[][..], Vec::as_slice);
        let mut values = Vec::new();
        for item in node.items()? {
            let mut text = item.text()?;
            if axis == "traffic" {
                text = traffic_beside(&text, item.folder());
            }
            let listed: Vec<&String> =
                known.iter().filter(|(written, _)| *written == text).map(|(_, full)| full).collect();
            let named = || known.iter().any(|(_, full)| full.split('(').next() == Some(&text));
            let given = || self.canonical(axis, &text).unwrap_or_default();
            if !listed.is_empty() {
                values.extend(listed.into_iter().cloned());
            } else if named() {
                values.push(text);
            } else if let Some(full) = given().into_iter().find(|given| known.iter().any(|(_, full)| full == given)) {
                values.push(full);
            } else {
                let mut names: Vec<&str> = known.iter().map(|(written, _)| written.as_str()).collect();
                names.dedup();
                return Err(item.error(format!("no point has {axis} = {text:?}; {}", advice(&text, &names))));
            }
        }
        Ok(values)
    }
}
