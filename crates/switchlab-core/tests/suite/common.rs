//! What several tests need: building by name, and the list of all switches.

pub(crate) use switchlab_conformance::{SEED, SIZES, rows, source};
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

/// The sizes of [`SIZES`] that a switch refuses. Fabrics exist for powers of their radix; with
/// `radix=auto` that is 2, and 4 where the size is a power of 4. Matching by edge colouring exists
/// for up to 128 ports. All other switches exist in every size.
fn refused(spec: &str) -> Vec<usize> {
    let name = spec.split('(').next().unwrap_or_default();
    if spec.contains("radix=2x4") {
        return SIZES.into_iter().filter(|&ports| ports != 8).collect();
    }
    let radix: usize = match name {
        "benes" | "banyan" if spec.contains("radix=8") => 8,
        "benes" | "banyan" if spec.contains("radix=3") => 3,
        "benes" | "banyan" if spec.contains("radix=4") => 4,
        "benes" | "banyan" => 2,
        _ if spec.contains("matcher=colouring") || spec.contains("matcher=lpv") => {
            return SIZES.into_iter().filter(|&ports| ports > 128).collect();
        }
        _ => return Vec::new(),
    };
    let powers: Vec<usize> = (1..=12).map(|levels| radix.pow(levels)).take_while(|&ports| ports <= 4096).collect();
    SIZES.into_iter().filter(|ports| !powers.contains(ports)).collect()
}

/// The sizes of [`SIZES`] in which a switch exists. It must refuse exactly the others, and say
/// which sizes are possible.
pub(crate) fn sizes(spec: &str) -> Vec<usize> {
    let chosen = registry::switch(spec).unwrap();
    let expected = refused(spec);
    let exists = |&ports: &usize| match chosen.build(ports, SEED) {
        Ok(_) => {
            assert!(!expected.contains(&ports), "{spec} exists with {ports} ports, and is expected not to");
            true
        }
        Err(Error::Impossible { problem, .. }) => {
            assert!(expected.contains(&ports), "{spec} of {ports} ports is refused: {problem}");
            let said = ["the number of ports is a power of", "for up to 128 ports", "the radices 2x4 make 8 ports"];
            assert!(said.iter().any(|text| problem.contains(text)), "{spec} of {ports} ports: {problem}");
            false
        }
        Err(error) => panic!("{spec} of {ports} ports: {error}"),
    };
    let largest = if is_general(spec) { 64 } else { usize::MAX };
    SIZES.into_iter().filter(|&ports| ports <= largest).filter(exists).collect()
}

/// Settings of fabrics for which there is one engine for any size: its size needs no thresholds.
/// Among them are words for what is there without them.
fn is_general(spec: &str) -> bool {
    let keys = ["links", "order", "flow-control", "center", "merging", "feedback", "precedence", "merge=wrr"];
    let values = ["distribution=random)", "distribution=adaptive)", "radix=3", "radix=2x4"];
    spec.starts_with('b') && keys.iter().chain(&values).any(|setting| spec.contains(setting))
}

/// What may stop. Resequencing in the stages of a fabric is free from deadlock only if each flow
/// group has buffers of its own; and with random or fixed merging only up to two levels.
pub(crate) fn may_stop(spec: &str, ports: usize) -> bool {
    let merging = ["benes(merge=random)", "benes(merge=fixed)"].contains(&spec);
    // Without a bound on the imbalance, or with paths that are merged in different orders, a
    // resequencer may fill up with cells that come too early. One level is free from deadlock,
    // since no cell waits for room in a second element. From these numbers of ports on, deadlocks
    // were seen with the default buffers, under load 0.9 in bursts: distribute-first with 4 ports
    // (slot 1024), adaptive with 8 (slot 18432, one hot output) and 16 (slot 12288), random with 16
    // (slot 18432) and 64 (slot 3072). None was seen in 3.2 million slots of random with 4 or 8
    // ports, or of adaptive with 4, so these have to drain.
    let seen_from =
        [("benes(order=distribute-first)", 4), ("benes(distribution=adaptive)", 8), ("benes(distribution=random)", 16)];
    spec == "benes(backpressure=per-link)"
        || merging && ![2, 4, 16].contains(&ports)
        || seen_from.iter().any(|&(seen, from)| spec == seen && ports >= from)
}

/// Arguments that are no variants of their own: words for what a switch does without them, and
/// those that change what is counted and no departure.
const ALIKE: [&str; 17] = [
    "prefix=ladner-fischer",
    "prefix=doubling",
    "bypass=local",
    "bypass=none",
    "capture=after",
    "empty=one",
    "links=round-robin",
    "order=merge-first",
    "flow-control=credits",
    "center=two",
    "merging=per-output",
    "feedback=per-hop",
    "feedback=immediate",
    "precedence=strict",
    "precedence=wrr(w=2:1)",
    "access=read-write",
    "flows-from=input",
];

/// Whether a spec is like another one, by its only argument.
fn is_alike(spec: &str) -> bool {
    let argument = spec.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')'));
    argument.is_some_and(|argument| ALIKE.contains(&argument)) || spec == "psm-flows(matcher=first-fit)"
}

/// All switches of the registry, each with all of its variants. Output queueing, the knockout
/// switch and striped flows also with queues that overflow.
pub(crate) fn specs() -> Vec<String> {
    let of = |entry: &'static registry::Entry<registry::BuildSwitch>| {
        let overflowing = match entry.name {
            "oq" => Some("oq(capacity=3)".to_string()),
            "knockout" => Some("knockout(k=2,buffer=3)".to_string()),
            "psm-flows" => Some("psm-flows(capacity=5)".to_string()),
            _ => None,
        };
        let variants = switchlab_conformance::specs(entry).into_iter();
        variants.filter(|spec| !is_alike(spec)).chain(overflowing)
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
