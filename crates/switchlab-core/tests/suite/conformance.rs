//! What holds for any switch, over the whole registry. A switch that is added there is tested
//! before its author writes a test.
//!
//! The properties are those of the crate `switchlab-conformance`, which other crates use for
//! switches of their own. Each is a test of its own here, so that they run side by side.

use crate::common::{may_stop, specs};
use switchlab_conformance::properties::{self, Property};
use switchlab_conformance::{Expected, Idle, SIZES, Subject, check};
use switchlab_core::registry::Registry;

/// Switches that are, or emulate, output queueing.
const OUTPUT_QUEUED: [&str; 3] = ["oq", "knockout", "psm"];

/// Switches with queues behind the crossbar or inside a fabric.
const QUEUED_INSIDE: [&str; 4] = ["cioq", "benes", "banyan", "psm-flows"];

/// Schedulers whose matchings are maximal, given N iterations where they iterate.
const MAXIMAL: [&str; 8] = ["islip", "rrm", "pim", "ilqf", "gs-lqf", "gs-ocf", "mwm", "msm"];

/// What the switch of a spec promises.
fn expected(spec: &str) -> Expected {
    let name = spec.split('(').next().unwrap_or_default();
    Expected {
        one_cell_per_input: !OUTPUT_QUEUED.contains(&name) && !QUEUED_INSIDE.contains(&name),
        // SERENA and its variants look for new matchings among arrivals only. A cell that arrived
        // while its input was matched elsewhere may wait for ever if no more cells arrive.
        drains: !name.contains("seren"),
        idle: match name {
            _ if OUTPUT_QUEUED.contains(&name) => Idle::WorkConserving,
            _ if MAXIMAL.contains(&name) => Idle::Maximal,
            _ => Idle::Unrestricted,
        },
    }
}

/// Checks one property for every switch of the registry and every size that it exists in, and
/// reports all that fail. `at` turns a spec into the one to check at a size.
fn for_all(property: Property, at: impl Fn(&str, usize) -> String) {
    let registry = Registry::new();
    let mut failures = Vec::new();
    for spec in specs() {
        let subject = |ports| Subject::new(&registry, &at(&spec, ports), expected(&spec)).unwrap();
        let sizes: Vec<usize> =
            SIZES.into_iter().filter(|&ports| subject(ports).fits(ports) && !may_stop(&spec, ports)).collect();
        if sizes.is_empty() && spec != "benes(backpressure=per-link)" {
            failures.push(format!("{spec}: it exists in none of {SIZES:?}"));
        }
        let failed = sizes.into_iter().find_map(|ports| {
            let problem = property(&subject(ports), ports).err()?;
            Some(format!("{spec} of {ports} ports: {problem}"))
        });
        failures.extend(failed);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn as_it_is(spec: &str, _ports: usize) -> String {
    spec.to_string()
}

#[test]
fn cells_are_conserved_and_in_order() {
    for_all(properties::cells_are_conserved_and_in_order, as_it_is);
}

#[test]
fn every_switch_drains() {
    for_all(properties::it_drains, as_it_is);
}

#[test]
fn an_empty_switch_sends_nothing() {
    for_all(properties::an_empty_switch_sends_nothing, as_it_is);
}

#[test]
fn a_single_cell_crosses_from_anywhere_to_anywhere() {
    for_all(properties::a_single_cell_crosses, as_it_is);
}

#[test]
fn the_same_seed_gives_the_same_departures() {
    for_all(properties::the_same_seed_gives_the_same_departures, as_it_is);
}

#[test]
fn blocks_of_any_size_give_the_same() {
    for_all(properties::blocks_of_any_size_give_the_same, as_it_is);
}

/// Iterative schedulers are maximal after N iterations.
#[test]
fn maximal_matchers_and_output_queueing_idle_no_port_in_vain() {
    for_all(properties::no_port_idles_that_must_not, |spec, ports| match spec.split_once("(iterations=") {
        Some((name, _)) if MAXIMAL.contains(&name) => format!("{name}(iterations={ports})"),
        _ => spec.to_string(),
    });
}

/// The properties above are all that the crate has: an own switch is held to no less.
#[test]
fn every_property_is_tested_here() {
    assert_eq!(properties::PROPERTIES.len(), 7);
}

/// The suite finds faults: each planted one breaks the property that names it.
mod planted {
    use super::*;
    use switchlab_core::registry::{BuildSwitch, Entry};
    use switchlab_core::switch::{Census, Switch, output_queued::OutputQueued};
    use switchlab_core::{Cell, Port, Slot};

    /// What is wrong with a switch.
    #[derive(Clone, Copy)]
    enum Fault {
        /// In slot 20 a departure is not sent.
        LosesCell,
        /// In slot 20 a departure names another arrival slot.
        WrongBirth,
        /// Departures depend on the number of switches built so far.
        Undetermined(u32),
        /// From slot 30 on nothing is sent.
        Stalls,
    }

    struct Faulty(OutputQueued, Fault);

    impl Switch for Faulty {
        fn ports(&self) -> usize {
            self.0.ports()
        }

        fn slot(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
            self.0.slot(now, arrivals, departures);
            let Some(sent) = departures.iter_mut().find(|cell| !cell.is_idle()) else { return };
            match self.1 {
                Fault::LosesCell if now > 20 => *sent = Cell::IDLE,
                Fault::WrongBirth if now > 20 => sent.born -= 1,
                Fault::Undetermined(number) if now > 20 => sent.born -= number % 2,
                Fault::Stalls if now > 30 => departures.fill(Cell::IDLE),
                _ => {}
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

    fn failures(build: BuildSwitch) -> Vec<String> {
        let entry: &'static Entry<BuildSwitch> = Box::leak(Box::new(Entry::new("faulty", "it has a fault", build)));
        let mut registry = Registry::new();
        registry.register(entry).unwrap();
        let expected = Expected { one_cell_per_input: false, drains: true, idle: Idle::WorkConserving };
        check(&Subject::new(&registry, "faulty", expected).unwrap(), &[8])
    }

    fn with(fault: Fault, ports: usize) -> Box<dyn Switch> {
        Box::new(Faulty(OutputQueued::new(ports), fault))
    }

    #[test]
    fn lost_cells_are_found() {
        let failures = failures(&|_, ports, _| Ok(with(Fault::LosesCell, ports)));
        assert!(failures[0].contains("cells are conserved"), "{failures:?}");
    }

    #[test]
    fn wrong_births_are_found() {
        let failures = failures(&|_, ports, _| Ok(with(Fault::WrongBirth, ports)));
        assert!(failures[0].contains("cells are conserved"), "{failures:?}");
    }

    #[test]
    fn a_stall_is_found() {
        let failures = failures(&|_, ports, _| Ok(with(Fault::Stalls, ports)));
        assert!(failures.iter().any(|failure| failure.contains("drains")), "{failures:?}");
        assert!(failures.iter().any(|failure| failure.contains("no port idles")), "{failures:?}");
    }

    #[test]
    fn results_that_differ_between_runs_are_found() {
        use std::sync::atomic::{AtomicU32, Ordering};
        static BUILT: AtomicU32 = AtomicU32::new(0);
        let failures =
            failures(&|_, ports, _| Ok(with(Fault::Undetermined(BUILT.fetch_add(1, Ordering::Relaxed)), ports)));
        assert!(failures.iter().any(|failure| failure.contains("the same seed")), "{failures:?}");
    }
}
