//! What several tests need: building by name, and the list of all switches.

use switchlab_core::registry;
use switchlab_core::spec::Kind;
use switchlab_core::switch::Switch;
use switchlab_core::traffic::Arrivals;
use switchlab_core::{Cell, Error, NONE, Port, Seed, Slot};

/// The seed of every test that has no reason for another.
pub(crate) const SEED: Seed = Seed { seed: 1, replication: 0 };

/// Builds a source of arrivals by name.
pub(crate) fn source(traffic: &str, process: &str, ports: usize, load: f64, seed: Seed) -> Box<dyn Arrivals> {
    let traffic = registry::traffic(traffic).unwrap();
    let traffic = traffic.build(Some(ports), Some(load), &registry::NoFiles).unwrap();
    registry::arrivals(process).unwrap().build(&traffic, seed)
}

/// Builds a switch by name.
pub(crate) fn switch(spec: &str, ports: usize, seed: Seed) -> Box<dyn Switch> {
    registry::switch(spec).unwrap().build(ports, seed).unwrap()
}

/// Whether a switch can be had in a size; some fabrics exist only for powers of their radix.
pub(crate) fn fits(spec: &str, ports: usize) -> bool {
    match registry::switch(spec).unwrap().build(ports, SEED) {
        Ok(_) => true,
        Err(Error::Impossible { .. }) => false,
        Err(error) => panic!("{spec}: {error}"),
    }
}

/// What may stop. Resequencing in the stages of a fabric is free from deadlock only if each flow group has buffers of its own; and with random or fixed merging only up to two levels.
pub(crate) fn may_stop(spec: &str, ports: usize) -> bool {
    let merging = ["benes(merge=random)", "benes(merge=fixed)"].contains(&spec);
    spec == "benes(backpressure=per-link)" || merging && ![2, 4, 16].contains(&ports)
}

/// All switches of the registry: with 1 and 4 iterations where there are iterations, and with each word where a
/// parameter is a choice of words. Output queueing also with queues that overflow.
pub(crate) fn specs() -> Vec<String> {
    let mut specs = Vec::new();
    for entry in registry::SWITCHES {
        let mut variants: Vec<String> = Vec::new();
        for parameter in entry.parameters {
            match parameter.kind {
                Kind::Choice(words) => variants.extend(words.iter().map(|word| format!("{}={word}", parameter.name))),
                Kind::ChoiceOrWeights(words, name) => {
                    variants.extend(words.iter().map(|word| format!("{}={word}", parameter.name)));
                    variants.push(format!("{}={name}(w=2:1)", parameter.name));
                }
                _ if parameter.name == "iterations" => {
                    variants.extend(["iterations=1".to_string(), "iterations=4".to_string()]);
                }
                _ => {}
            }
        }
        if variants.is_empty() {
            specs.push(entry.name.to_string());
        }
        specs.extend(variants.iter().map(|variant| format!("{}({variant})", entry.name)));
        if entry.name == "oq" {
            specs.push("oq(capacity=3)".to_string());
        }
    }
    specs
}

/// The arrivals of a run, slot by slot.
pub(crate) fn rows(source: &mut dyn Arrivals, ports: usize, slots: Slot) -> impl Iterator<Item = (Slot, Vec<Port>)> {
    (0..slots).map(move |now| {
        let mut row = vec![NONE; ports];
        source.slot(now, &mut row);
        (now, row)
    })
}

/// Runs a switch slot by slot and returns all rows of departures.
pub(crate) fn departures(switch: &mut dyn Switch, source: &mut dyn Arrivals, slots: Slot) -> Vec<Vec<Cell>> {
    let ports = switch.ports();
    let run = |(now, arrivals): (Slot, Vec<Port>)| {
        let mut row = vec![Cell::IDLE; ports];
        switch.slot(now, &arrivals, &mut row);
        row
    };
    rows(source, ports, slots).map(run).collect()
}
