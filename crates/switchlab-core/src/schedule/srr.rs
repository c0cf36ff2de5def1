//! SRR: round-robin matching with static pointers, which are desynchronised for good.
//!
//! Each iteration has the three steps of iSLIP over the ports that are still unmatched: inputs
//! request, outputs grant the request at or next after their pointer, inputs accept the grant at or
//! next after theirs. But pointers do not depend on what is matched. In slot t the grant pointer of
//! output j stands at input (j + t) mod N, and the accept pointer of input i at output (i - t) mod
//! N. So in every slot no two pointers of a side are equal, each pair of pointers that point at
//! each other is matched if it has a cell, and each pair is favoured once in N slots.
//!
//! Under full load the matching is that of `tdm`. An iteration that adds nothing ends the slot.
//!
//! Matching: maximal after at most N iterations. Cost: as iSLIP, without the update of pointers.
//!
//! Reference: Y. Jiang, M. Hamdi, "A fully desynchronized round-robin matching scheduler for a VOQ
//! packet switch architecture", IEEE HPSR 2001; paper 001 names it among its relatives.

use super::{Matching, Needs, Scheduler, View};
use crate::cell::Port;
use crate::counter::Counter;
use crate::observe::{Event, Observer, Silent, begin_iteration};
use crate::port_set::PortSet;
use alloc::vec;
use alloc::vec::Vec;

/// Scratch, and what was counted. There is no other state.
#[derive(Clone, Debug)]
pub struct Srr<const W: usize> {
    iterations: usize,
    /// By input: the outputs that grant it. Empty but during an iteration.
    granting: Vec<PortSet<W>>,
    slots: u64,
    iterations_used: u64,
}

impl<const W: usize> Srr<W> {
    /// At most `iterations` in a slot.
    pub fn new(ports: usize, iterations: usize) -> Self {
        Self { iterations, granting: vec![PortSet::EMPTY; ports], slots: 0, iterations_used: 0 }
    }

    fn decide<O: Observer + ?Sized>(&mut self, view: &View<'_, W>, matching: &mut Matching, observer: &mut O) {
        let ports = view.ports;
        let turn = view.now as usize % ports;
        let (mut free_inputs, mut free_outputs) = (PortSet::<W>::all(ports), PortSet::<W>::all(ports));
        self.slots += 1;
        for _ in 0..self.iterations {
            begin_iteration(observer, &free_outputs, |output| view.columns[output].intersection(&free_inputs));
            let mut granted = PortSet::<W>::EMPTY;
            for output in free_outputs.iter() {
                let pointer = (output + turn) % ports;
                if let Some(input) = view.columns[output].first_common_from(&free_inputs, pointer) {
                    observer.observe(Event::Grant { output: output as Port, input: input as Port });
                    self.granting[input].insert(output);
                    granted.insert(input);
                }
            }
            if granted.is_empty() {
                break;
            }
            self.iterations_used += 1;
            for input in granted.iter() {
                let grants = core::mem::replace(&mut self.granting[input], PortSet::EMPTY);
                let output = grants.first_from((input + ports - turn) % ports);
                let output = output.expect("an input that is granted has a grant");
                observer.observe(Event::Accept { input: input as Port, output: output as Port });
                matching.add(input, output);
                free_inputs.remove(input);
                free_outputs.remove(output);
            }
        }
    }
}

impl<const W: usize> Scheduler<W> for Srr<W> {
    const NEEDS: Needs = Needs::COLUMNS;
    const MATCHES_ONLY_NONEMPTY: bool = true;

    #[inline]
    fn schedule(&mut self, view: &View<'_, W>, matching: &mut Matching) {
        self.decide(view, matching, &mut Silent);
    }

    fn schedule_observed(&mut self, view: &View<'_, W>, matching: &mut Matching, observer: &mut dyn Observer) {
        self.decide(view, matching, observer);
    }

    fn counters(&self, visit: &mut dyn FnMut(Counter)) {
        visit(Counter { name: "iterations", sum: self.iterations_used, per: self.slots });
    }
}
