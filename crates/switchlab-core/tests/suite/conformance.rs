//! What holds for any switch, over the whole registry. A switch that is added there is tested
//! before its author writes a test.
//!
//! The properties are those of the crate `switchlab-conformance`, which other crates use for
//! switches of their own. Each is a test of its own here, so that they run side by side.

use crate::common::{may_stop, sizes, specs};
use switchlab_conformance::properties::PROPERTIES;
use switchlab_conformance::{Expected, Idle, Subject, check};
use switchlab_core::registry::Registry;

/// Switches that are, or emulate, output queueing.
const OUTPUT_QUEUED: [&str; 3] = ["oq", "knockout", "psm"];

/// Switches with queues behind the crossbar or inside a fabric.
const QUEUED_INSIDE: [&str; 4] = ["cioq", "benes", "banyan", "psm-flows"];

/// Schedulers whose matchings are maximal, given N iterations where they iterate.
const MAXIMAL: [&str; 9] = ["islip", "rrm", "srr", "pim", "ilqf", "gs-lqf", "gs-ocf", "mwm", "msm"];

/// What the switch of a spec promises.
fn expected(spec: &str) -> Expected {
    let name = spec.split('(').next().unwrap_or_default();
    Expected {
        one_cell_per_input: !OUTPUT_QUEUED.contains(&name) && !QUEUED_INSIDE.contains(&name),
        // SERENA, its variants and MIX look for new matchings among arrivals only. A cell that
        // arrived while its input was matched elsewhere may wait for ever if no more cells arrive.
        // Captured frames by two other readings do not drain either: an input waits on service for
        // cells that do not arrive, or a VOQ takes no further part.
        drains: !name.contains("seren")
            && name != "mix"
            && !spec.contains("capture=before")
            && !spec.contains("empty=skip"),
        idle: match name {
            _ if OUTPUT_QUEUED.contains(&name) => Idle::WorkConserving,
            _ if MAXIMAL.contains(&name) => Idle::Maximal,
            _ => Idle::Unrestricted,
        },
    }
}

/// Fabrics that may stop in all sizes in which they exist.
const ALWAYS_MAY_STOP: [&str; 1] = ["benes(backpressure=per-link)"];

/// Checks one property for every switch of the registry in every size that it exists in, and
/// reports all that fail. `at` turns a spec into the one to check at a size.
fn for_all(name: &str, at: impl Fn(&str, usize) -> String) {
    let registry = Registry::new();
    let (_, property) = PROPERTIES.iter().find(|property| property.0 == name).expect("the name of a property");
    let mut failures = Vec::new();
    for spec in specs() {
        let sizes: Vec<usize> = sizes(&spec).into_iter().filter(|&ports| !may_stop(&spec, ports)).collect();
        assert_eq!(sizes.is_empty(), ALWAYS_MAY_STOP.contains(&&*spec), "{spec}: {sizes:?}");
        let failed = sizes.into_iter().find_map(|ports| {
            let subject = Subject::new(&registry, &at(&spec, ports), expected(&spec)).unwrap();
            let problem = property(&subject, ports).err()?;
            Some(format!("{spec} of {ports} ports: {problem}"))
        });
        failures.extend(failed);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn unchanged(spec: &str, _ports: usize) -> String {
    spec.to_string()
}

#[test]
fn cells_are_conserved_and_in_order() {
    for_all("cells are conserved and in order", unchanged);
}

#[test]
fn every_switch_drains() {
    for_all("it drains", unchanged);
}

#[test]
fn an_empty_switch_sends_nothing() {
    for_all("an empty switch sends nothing", unchanged);
}

#[test]
fn a_single_cell_crosses_from_anywhere_to_anywhere() {
    for_all("a single cell crosses from anywhere to anywhere", unchanged);
}

#[test]
fn the_same_seed_gives_the_same_departures() {
    for_all("the same seed gives the same departures", unchanged);
}

#[test]
fn blocks_of_any_size_give_the_same() {
    for_all("blocks of any size give the same", unchanged);
}

/// Iterative schedulers are maximal after N iterations.
#[test]
fn maximal_matchers_and_output_queueing_idle_no_port_in_vain() {
    for_all("no port idles that must not", |spec, ports| match spec.split_once("(iterations=") {
        Some((name, _)) if MAXIMAL.contains(&name) => format!("{name}(iterations={ports})"),
        _ => spec.to_string(),
    });
}

/// Each property that a crate of its own is held to is checked for the whole registry by a test
/// above, found by its name in this file.
#[test]
fn every_property_is_tested_here() {
    let source = include_str!("conformance.rs");
    for (name, _) in PROPERTIES {
        assert!(source.contains(&format!("for_all(\"{name}\", ")), "no test checks the property '{name}'");
    }
}

/// A size in which a switch does not exist is reported with the reason, not skipped.
#[test]
fn a_refused_size_is_reported() {
    let subject = Subject::new(&Registry::new(), "benes(radix=4)", expected("benes")).unwrap();
    assert_eq!(subject.refusal(16), None);
    let failures = check(&subject, &[16, 100]);
    assert_eq!(failures.len(), 1);
    assert!(failures[0].contains("100 ports: it does not exist: with elements of 4 x 4"), "{failures:?}");
}

/// The suite finds faults: each planted one breaks the properties that it should.
mod planted {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};
    use switchlab_core::registry::{BuildSwitch, Entry};
    use switchlab_core::switch::{Census, Switch, output_queued::OutputQueued};
    use switchlab_core::{Block, Cell, Dropped, Port, Slot};

    /// What is wrong with a switch.
    #[derive(Clone, Copy)]
    enum Fault {
        /// After slot 20 departures are not sent.
        LosesCells,
        /// After slot 20 departures name another arrival slot.
        WrongArrivalSlot,
        /// Departures depend on the number of switches built so far.
        Undetermined(u32),
        /// After slot 30 nothing is sent.
        Stalls,
        /// In slot 40 every idle output sends a cell that never arrived.
        InventsCells,
        /// The first slot of a block of several slots sends nothing.
        DependsOnBlocks,
    }

    struct Faulty(OutputQueued, Fault);

    impl Switch for Faulty {
        fn ports(&self) -> usize {
            self.0.ports()
        }

        fn slot(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
            self.0.slot(now, arrivals, departures);
            let first = departures.iter_mut().find(|cell| !cell.is_idle());
            match (self.1, first) {
                (Fault::LosesCells, Some(cell)) if now > 20 => *cell = Cell::IDLE,
                (Fault::WrongArrivalSlot, Some(cell)) if now > 20 => cell.born -= 1,
                (Fault::Undetermined(number), Some(cell)) if now > 20 => cell.born -= number % 2,
                (Fault::Stalls, _) if now > 30 => departures.fill(Cell::IDLE),
                (Fault::InventsCells, _) if now == 40 => {
                    let idle = departures.iter_mut().filter(|cell| cell.is_idle());
                    idle.for_each(|cell| *cell = Cell { born: now, input: 0 });
                }
                _ => {}
            }
        }

        fn run_and_log(&mut self, arrivals: &Block<Port>, departures: &mut Block<Cell>, dropped: &mut Vec<Dropped>) {
            self.0.run_and_log(arrivals, departures, dropped);
            if matches!(self.1, Fault::DependsOnBlocks) && arrivals.slots() > 1 {
                departures.data[..arrivals.ports].fill(Cell::IDLE);
            }
        }

        fn census(&self) -> Census {
            self.0.census()
        }

        fn bytes_per_cell(&self) -> usize {
            self.0.bytes_per_cell()
        }

        fn fixed_bytes(&self) -> u64 {
            self.0.fixed_bytes()
        }
    }

    /// The properties that a faulty switch of 8 ports breaks.
    fn broken(build: BuildSwitch) -> Vec<&'static str> {
        let entry: &'static Entry<BuildSwitch> = Box::leak(Box::new(Entry::new("faulty", "it has a fault", build)));
        let mut registry = Registry::new();
        registry.register(entry).unwrap();
        let expected = Expected { one_cell_per_input: false, drains: true, idle: Idle::WorkConserving };
        let failures = check(&Subject::new(&registry, "faulty", expected).unwrap(), &[8]);
        let names = PROPERTIES.iter().map(|property| property.0);
        names.filter(|name| failures.iter().any(|failure| failure.contains(&format!(": {name}: ")))).collect()
    }

    fn with(fault: Fault, ports: usize) -> Box<dyn Switch> {
        Box::new(Faulty(OutputQueued::new(ports), fault))
    }

    static BUILT: AtomicU32 = AtomicU32::new(0);

    #[test]
    fn each_fault_breaks_the_properties_that_it_should() {
        let faults: [(&str, BuildSwitch, &str); 8] = [
            ("loses cells", &|_, ports, _| Ok(with(Fault::LosesCells, ports)), "cells are conserved and in order"),
            (
                "wrong arrival slots",
                &|_, ports, _| Ok(with(Fault::WrongArrivalSlot, ports)),
                "cells are conserved and in order",
            ),
            (
                "undetermined",
                &|_, ports, _| Ok(with(Fault::Undetermined(BUILT.fetch_add(1, Ordering::Relaxed)), ports)),
                "the same seed gives the same departures",
            ),
            ("stalls", &|_, ports, _| Ok(with(Fault::Stalls, ports)), "it drains"),
            ("stalls", &|_, ports, _| Ok(with(Fault::Stalls, ports)), "no port idles that must not"),
            (
                "stalls",
                &|_, ports, _| Ok(with(Fault::Stalls, ports)),
                "a single cell crosses from anywhere to anywhere",
            ),
            ("invents cells", &|_, ports, _| Ok(with(Fault::InventsCells, ports)), "an empty switch sends nothing"),
            (
                "depends on blocks",
                &|_, ports, _| Ok(with(Fault::DependsOnBlocks, ports)),
                "blocks of any size give the same",
            ),
        ];
        for (fault, build, property) in faults {
            let broken = broken(build);
            assert!(broken.contains(&property), "{fault}: {property} holds; broken are {broken:?}");
        }
        for (name, _) in PROPERTIES {
            assert!(faults.iter().any(|fault| fault.2 == name), "no fault is planted against '{name}'");
        }
    }

    /// The sound switch, wrapped alike, breaks nothing: the faults are what is found.
    #[test]
    fn a_switch_without_fault_breaks_nothing() {
        assert_eq!(broken(&|_, ports, _| Ok(Box::new(OutputQueued::new(ports)))), Vec::<&str>::new());
    }
}
