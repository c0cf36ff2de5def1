//! What several tests need: building by name, and the list of all switches.

pub(crate) use switchlab_conformance::{SEED, rows, source};
use switchlab_core::registry;
use switchlab_core::switch::Switch;
use switchlab_core::traffic::Arrivals;
use switchlab_core::{Cell, Error, Port, Seed, Slot};

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

/// What may stop. Resequencing in the stages of a fabric is free from deadlock only if each flow
/// group has buffers of its own; and with random or fixed merging only up to two levels.
pub(crate) fn may_stop(spec: &str, ports: usize) -> bool {
    let merging = ["benes(merge=random)", "benes(merge=fixed)"].contains(&spec);
    spec == "benes(backpressure=per-link)" || merging && ![2, 4, 16].contains(&ports)
}

/// All switches of the registry, each with all of its variants. Output queueing and the knockout
/// switch also with queues that overflow.
pub(crate) fn specs() -> Vec<String> {
    let of = |entry: &'static registry::Entry<registry::BuildSwitch>| {
        let overflowing = match entry.name {
            "oq" => Some("oq(capacity=3)".to_string()),
            "knockout" => Some("knockout(k=2,buffer=3)".to_string()),
            _ => None,
        };
        switchlab_conformance::specs(entry).into_iter().chain(overflowing)
    };
    registry::SWITCHES.iter().flat_map(of).collect()
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
