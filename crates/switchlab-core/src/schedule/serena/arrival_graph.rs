//! R(t), the full matching that SERENA derives from the arrivals of a slot (paper 002, section 3.1.1).

use super::super::{View, bits};
use super::draws::Draws;
use crate::cell::{Port, Slot};
use crate::rng::Rng;
use crate::serenade::{Populate, Prune, Rules};
use alloc::vec;
use alloc::vec::Vec;

/// What is needed to derive R(t), kept from slot to slot only to be used again.
#[derive(Clone, Debug)]
pub(super) struct ArrivalGraph {
    pub(super) rules: Rules,
    pub(super) rng: Rng,
    /// Draws of the same stream, in a large switch.
    pub(super) draws: Draws,
    /// For each output its heaviest arrival so far in this slot: weight, how many were as heavy, input. 0: none.
    heaviest: Vec<u64>,
    /// The same in a large switch, where it is the place beyond all inputs if there is none.
    pub(super) kept: Vec<u64>,
    pub(super) free_outputs: Vec<Port>,
    pub(super) free_inputs: Vec<Port>,
}

impl ArrivalGraph {
    pub(super) fn new(ports: usize, rules: Rules, rng: Rng) -> Self {
        let room = ports.max(64);
        Self {
            rules,
            draws: Draws::new(rng.clone()),
            rng,
            heaviest: vec![0; room],
            kept: vec![ports as u64; room],
            free_outputs: vec![0; room],
            free_inputs: vec![0; room],
        }
    }

    /// Writes R(t): for each input its output, and what that edge weighs.
    #[inline]
    pub(super) fn derive<const W: usize>(&mut self, view: &View<'_, W>, red: &mut [Port], weights: &mut [u32]) {
        let room = view.ports;
        let (red, weights) = (&mut red[..room], &mut weights[..room]);
        let asked = self.prune(view);
        // A'(t), and who is not in it. Leaves `heaviest` clean for the next slot.
        let all = bits::first::<W>(view.ports);
        let mut free_inputs = all;
        let kept = &mut self.heaviest[..room];
        for output in bits::ports(&asked) {
            let heaviest = core::mem::take(&mut kept[output]);
            let input = heaviest as Port as usize;
            red[input] = output as Port;
            weights[input] = (heaviest >> 32) as u32;
            bits::unset(&mut free_inputs, input);
        }
        let free_outputs: [u64; W] = core::array::from_fn(|word| all[word] & !asked[word]);
        self.populate(view.now, &free_inputs, &free_outputs, red);
        // The others are known from the arrivals; these are looked up, one here and one there.
        for input in bits::ports(&free_inputs) {
            weights[input] = view.length(input * view.ports + red[input] as usize);
        }
    }

    /// Each output keeps its heaviest arrival. Returns the outputs that have one.
    ///
    /// Equally heavy arrivals at random: the m-th of them takes the place with probability 1/m, so that one pass suffices and all have the
    /// same chance.
    #[inline]
    fn prune<const W: usize>(&mut self, view: &View<'_, W>) -> [u64; W] {
        let random = self.rules.prune == Prune::Random;
        let mut asked = bits::empty();
        let heaviest = &mut self.heaviest[..view.ports];
        let mut keep = |input: usize, output: usize| {
            // Idle inputs name no output: one look tells both.
            let Some(heaviest) = heaviest.get_mut(output) else { return };
            let weight = u64::from(view.lengths[input * view.ports + output]);
            let before = *heaviest;
            bits::set(&mut asked, output);
            if random && weight == before >> 32 {
                let ties = (before >> 16 & 0xffff) + 1;
                let winner = if self.rng.below(ties as usize) == 0 { input as u64 } else { before & 0xffff };
                *heaviest = weight << 32 | ties << 16 | winner;
                return;
            }
            let heavier = weight << 32 | 1 << 16 | input as u64;
            *heaviest = if weight > before >> 32 { heavier } else { before };
        };
        if View::<W>::LARGE {
            view.arrived.iter().enumerate().for_each(|(input, &output)| keep(input, output as usize));
        } else {
            // Who sends is random. Only where memory is near a wrong guess is what costs most.
            for input in bits::ports(&bits::named::<W>(view.arrived)) {
                keep(input, view.arrived[input] as usize);
            }
        }
        asked
    }

    /// Pairs the free inputs with the free outputs, of which there are as many.
    #[inline]
    pub(super) fn populate<const W: usize>(
        &mut self,
        now: Slot,
        free_inputs: &[u64; W],
        free_outputs: &[u64; W],
        red: &mut [Port],
    ) {
        let (mut free, outputs) = (0, &mut self.free_outputs[..red.len()]);
        for output in bits::ports(free_outputs) {
            outputs[free] = output as Port;
            free += 1;
        }
        let outputs = &mut outputs[..free];
        let inputs = bits::ports(free_inputs);
        match self.rules.populate {
            Populate::Rank => inputs.zip(outputs.iter()).for_each(|(input, &output)| red[input] = output),
            Populate::Random => {
                self.rng.shuffle(outputs);
                inputs.zip(outputs.iter()).for_each(|(input, &output)| red[input] = output);
            }
            Populate::Rotate => {
                let (before, after) = outputs.split_at(now as usize % free.max(1));
                inputs.zip(after.iter().chain(before)).for_each(|(input, &output)| red[input] = output);
            }
        }
    }
}
