//! Slots with an observer: the same departures as without, and steps that fit together.

use crate::common::{SEED, fits, rows, source, specs, switch};
use std::collections::{BTreeMap, BTreeSet};
use switchlab_core::observe::{Event, Observer};
use switchlab_core::switch::{Inspection, QueueLengths, Side, Switch};
use switchlab_core::{Cell, NONE, Port};

const PORTS: [usize; 5] = [3, 8, 20, 64, 65];

/// Those that report nothing: they decide in one step, or inside a fabric.
const MUTE: [&str; 8] = ["mix", "oq", "knockout", "psm-flows", "fifo", "benes", "banyan", "tdm"];
/// Those that are no crossbar with one matching in a slot.
const OTHERS: [&str; 2] = ["psm", "cioq"];

/// What was reported in a slot, checked step by step.
#[derive(Default)]
struct Slot {
    events: usize,
    /// By output, in this iteration.
    requests: BTreeMap<Port, Vec<Port>>,
    grants: BTreeMap<Port, Port>,
    /// All pairs so far, by input.
    pairs: BTreeMap<Port, Port>,
    /// Grant and accept pointers that have moved: where they are now.
    pointers: BTreeMap<(bool, Port), Port>,
    /// By whether it is an input and by port, of the slot's beginning.
    first_pointers: BTreeMap<(bool, Port), Port>,
    weight: u64,
    prices: i64,
    red: Vec<Port>,
    green: Vec<Port>,
    merged: Option<Vec<Port>>,
    cycles: Vec<(u64, u64, bool)>,
    captured: usize,
    phases: usize,
    /// Pairs that compete in this phase, with their ranks at input and output.
    ranked: BTreeMap<(Port, Port), (u16, u16)>,
    /// The matching of this phase, by input.
    phase: BTreeMap<Port, Port>,
    /// Cells at inputs in this phase.
    waiting: BTreeSet<(Port, Port, u32)>,
    /// Memories that were written: by memory the output and the slot in which it is read.
    written: BTreeMap<Port, (Port, u64)>,
}

impl Slot {
    /// The matching of a phase is stable: no competing pair is better off at both of its ports.
    fn end_phase(&mut self) {
        let rank_at_input = |input: Port| self.phase.get(&input).map(|&output| self.ranked[&(input, output)].0);
        let rank_at_output = |output: Port| {
            let input = self.phase.iter().find(|(_, matched)| **matched == output).map(|(&input, _)| input);
            input.map(|input| self.ranked[&(input, output)].1)
        };
        for (&(input, output), &(at_input, at_output)) in &self.ranked {
            let wants = rank_at_input(input).is_none_or(|now| at_input < now);
            let wanted = rank_at_output(output).is_none_or(|now| at_output < now);
            assert!(!(wants && wanted), "{input}->{output} blocks the matching of phase {}", self.phases);
        }
        self.ranked.clear();
        self.phase.clear();
        self.waiting.clear();
    }

    /// A pair of the matching of a phase.
    fn pair_of_phase(&mut self, input: Port, output: Port) {
        assert!(self.ranked.contains_key(&(input, output)), "{input}->{output} does not compete");
        assert!(self.phase.values().all(|&other| other != output), "output {output} is matched twice");
        assert_eq!(self.phase.insert(input, output), None, "input {input} is matched twice");
    }

    fn pair(&mut self, input: Port, output: Port) {
        assert!(self.pairs.values().all(|&other| other != output), "output {output} is matched twice");
        assert_eq!(self.pairs.insert(input, output), None, "input {input} is matched twice");
    }
}

impl Observer for Slot {
    fn observe(&mut self, event: Event<'_>) {
        self.events += 1;
        match event {
            Event::Iteration => {
                self.requests.clear();
                self.grants.clear();
            }
            Event::Requests { output, inputs } => {
                assert!(!inputs.is_empty() && inputs.is_sorted(), "{event:?}");
                assert!(inputs.iter().all(|input| !self.pairs.contains_key(input)), "{event:?}");
                assert!(self.pairs.values().all(|&other| other != output), "{event:?}");
                assert_eq!(self.requests.insert(output, inputs.to_vec()), None, "{event:?}");
            }
            Event::Grant { output, input } => {
                assert!(self.requests[&output].contains(&input), "{event:?} without a request");
                assert_eq!(self.grants.insert(output, input), None, "{event:?} is the second");
            }
            Event::Accept { input, output } => {
                assert_eq!(self.grants.get(&output), Some(&input), "{event:?} without a grant");
                self.pair(input, output);
            }
            Event::Pointer { side, port, before, after } => {
                assert_ne!(before, after);
                let key = (side == Side::Input, port);
                let known = self.pointers.insert(key, after).or_else(|| self.first_pointers.get(&key).copied());
                assert_eq!(known, Some(before), "{event:?}");
            }
            Event::OnService { input, output } | Event::Greedy { input, output } => self.pair(input, output),
            Event::Captured { .. } => self.captured += 1,
            Event::Path { inputs, outputs } => {
                assert_eq!(inputs.len(), outputs.len());
                for (input, output) in inputs[1..].iter().zip(outputs) {
                    assert_eq!(self.pairs.remove(input), Some(*output), "{event:?} goes along no pair");
                }
                inputs.iter().zip(outputs).for_each(|(&input, &output)| self.pair(input, output));
            }
            Event::Weight { input, output, weight } => {
                self.pair(input, output);
                self.weight += weight;
            }
            Event::Price { price, .. } => self.prices += price,
            Event::Merge { red, green } => {
                (self.red, self.green) = (red.to_vec(), green.to_vec());
                self.merged = Some(green.to_vec());
            }
            Event::Cycle { inputs, red, green, turns_red } => {
                assert!(inputs.len() > 1);
                let outputs = |colour: &[Port]| {
                    let mut outputs: Vec<Port> = inputs.iter().map(|&input| colour[usize::from(input)]).collect();
                    outputs.sort_unstable();
                    outputs
                };
                assert_eq!(outputs(&self.red), outputs(&self.green), "{event:?} is no cycle");
                self.cycles.push((red, green, turns_red));
                if turns_red {
                    let merged = self.merged.as_mut().expect("cycles come after the matchings");
                    for input in inputs.iter().map(|&input| usize::from(input)) {
                        merged[input] = self.red[input];
                    }
                }
            }
            Event::Phase { .. } => {
                self.end_phase();
                self.phases += 1;
            }
            Event::Slack { input, output, born, .. } => {
                assert!(self.waiting.insert((input, output, born)), "{event:?} is the second");
            }
            Event::Ranked { input, output, row_rank, column_rank } => {
                assert!(row_rank > 0 && column_rank > 0, "{event:?}");
                assert_eq!(self.ranked.insert((input, output), (row_rank, column_rank)), None, "{event:?}");
            }
            Event::Root { input, output, .. } | Event::Proposed { input, output } => self.pair_of_phase(input, output),
            Event::Written { output, memory, departs, .. } => {
                assert_eq!(self.written.insert(memory, (output, departs)), None, "{event:?} is the second");
            }
            _ => panic!("a new kind of event is to be checked here: {event:?}"),
        }
    }
}

fn counters(switch: &dyn Switch) -> Vec<(&'static str, u64, u64)> {
    let mut counters = Vec::new();
    switch.counters(&mut |counter| counters.push((counter.name, counter.sum, counter.per)));
    counters
}

/// The pointers that a switch shows, by whether they are of inputs and by port.
fn pointers(inside: &Inspection) -> BTreeMap<(bool, Port), Port> {
    let pointers = inside.state.iter().filter(|(name, _)| name.contains("pointers"));
    pointers
        .flat_map(|(name, by_port)| (0..).zip(by_port).map(|(port, &at)| ((name.ends_with("by input"), port), at)))
        .collect()
}

/// Runs a switch with and without an observer. Returns how many events there were.
fn same(spec: &str, ports: usize, load: f64, slots: u32) -> usize {
    let (mut plain, mut watched) = (switch(spec, ports, SEED), switch(spec, ports, SEED));
    let mut source = source("uniform", "bernoulli", ports, load, SEED);
    let name = spec.split('(').next().unwrap();
    let mut events = 0;
    // The memory from which an output reads in a slot.
    let mut reads: BTreeMap<(u64, Port), Port> = BTreeMap::new();
    for (now, arrivals) in rows(&mut *source, ports, slots) {
        let at = format!("{spec} of {ports} ports, load {load}, slot {now}");
        let before = watched.inspect().unwrap();
        let mut slot = Slot { first_pointers: pointers(&before), ..Slot::default() };
        let (mut expected, mut got) = (vec![Cell::IDLE; ports], vec![Cell::IDLE; ports]);
        plain.slot(now, &arrivals, &mut expected);
        watched.slot_observed(now, &arrivals, &mut got, &mut slot);
        assert_eq!(got, expected, "{at}");
        events += slot.events;
        let after = watched.inspect().unwrap();
        // Where every pointer of the end is known, it is the last that was reported.
        let mut moved = slot.first_pointers.clone();
        moved.extend(&slot.pointers);
        assert_eq!(moved, pointers(&after), "{at}");
        if MUTE.contains(&name) {
            assert_eq!(slot.events, 0, "{at}: {name} is not mute");
            continue;
        }
        if OTHERS.contains(&name) {
            slot.end_phase();
            let now = u64::from(now);
            for (&memory, &(output, departs)) in &slot.written {
                assert_eq!(reads.insert((departs, output), memory), None, "{at}: a slot of {output} is taken");
            }
            // What is read now was written, from memories that are read once; the rest bypassed
            // them.
            let mut memories = BTreeSet::new();
            for (output, cell) in (0..).zip(&got).filter(|(_, cell)| **cell != Cell::IDLE) {
                match reads.remove(&(now, output)) {
                    Some(memory) => assert!(memories.insert(memory), "{at}: memory {memory} is read twice"),
                    None => assert!(name == "cioq" || u64::from(cell.born) == now, "{at}: {cell:?} was nowhere"),
                }
            }
            assert!(reads.keys().all(|&(departs, _)| departs > now), "{at}: a cell did not leave");
            continue;
        }
        let matching = after.matching.clone().expect("a crossbar has a matching");
        if let Some(merged) = &slot.merged {
            assert_eq!(*merged, matching, "{at}: the cycles do not make the matching");
            let exact = slot.cycles.iter().all(|&(red, green, turns_red)| turns_red == (red > green));
            assert!(exact || name != "serena" || spec.contains("tie=red"), "{at}: {:?}", slot.cycles);
        } else {
            let pairs = (0..).zip(&matching).filter(|(_, output)| **output != NONE);
            assert_eq!(slot.pairs, pairs.map(|(input, &output)| (input, output)).collect(), "{at}");
        }
        if name == "mwm" {
            let QueueLengths::Voqs(mut lengths) = before.queues else { panic!("a crossbar has VOQs") };
            for (input, &output) in arrivals.iter().enumerate().filter(|(_, output)| **output != NONE) {
                lengths[input * ports + usize::from(output)] += 1;
            }
            let weight: u32 = slot.pairs.iter().map(|(&i, &o)| lengths[usize::from(i) * ports + usize::from(o)]).sum();
            assert_eq!((slot.weight, slot.prices), (u64::from(weight), i64::from(weight)), "{at}");
        }
    }
    assert_eq!(watched.census(), plain.census(), "{spec}");
    assert_eq!(counters(&*watched), counters(&*plain), "{spec}");
    events
}

#[test]
fn observed_slots_are_the_same() {
    for spec in specs() {
        for ports in PORTS.into_iter().filter(|&ports| fits(&spec, ports)) {
            for load in [0.5, 1.0] {
                let events = same(&spec, ports, load, if ports > 20 { 60 } else { 250 });
                assert_eq!(events > 0, !MUTE.contains(&spec.split('(').next().unwrap()), "{spec} of {ports} ports");
            }
        }
    }
}

/// The two widest kinds of bit rows.
#[test]
fn large_switches_are_observed_too() {
    for name in ["islip(iterations=2)", "rrm(iterations=2)", "pim(iterations=2)", "uform", "serena", "msm"] {
        assert!(same(name, 300, 0.9, 15) > 0);
        assert!(same(name, 1030, 0.9, 3) > 0);
    }
}

/// As many frames are reported as are counted.
#[test]
fn frames_are_captured_as_cells_leave() {
    let mut switch = switch("uform", 2, SEED);
    let mut captured = 0;
    for now in 0..50 {
        let first_pointers = pointers(&switch.inspect().unwrap());
        let mut slot = Slot { first_pointers, ..Slot::default() };
        switch.slot_observed(now, &[0, 0], &mut [Cell::IDLE; 2], &mut slot);
        captured += slot.captured;
    }
    let counted = counters(&*switch).into_iter().find(|(name, ..)| *name == "captured_frame").unwrap();
    assert_eq!(captured as u64, counted.2);
    assert!(captured > 1);
}
