//! The switch controller: it collects the decisions of leaders and broadcasts them, and under
//! `populate=random` it shuffles.

use super::message::{Address, Decision, Message, Round};
use alloc::vec::Vec;
use switchlab_core::Port;
use switchlab_core::rng::Rng;

/// The switch controller.
#[derive(Clone, Debug, Default)]
pub struct Controller {
    /// The free outputs, ascending; shuffled when they get their ranks.
    free: Vec<Port>,
    registered: usize,
    decisions: Vec<Decision>,
}

impl Controller {
    /// A new slot.
    pub(super) fn begin(&mut self) {
        self.free.clear();
        self.registered = 0;
        self.decisions.clear();
    }

    /// Shuffles the free outputs that reported.
    pub(super) fn shuffle(&mut self, rng: &mut Rng) {
        rng.shuffle(&mut self.free);
    }

    /// What it says in a round to inputs `0..ports` and to outputs.
    pub(super) fn send(&self, round: Round, ports: usize) -> Vec<(Address, Message)> {
        match round {
            Round::Shuffle => {
                let ranks = (0u32..).zip(&self.free);
                ranks.map(|(rank, &output)| (Address::Output(output), Message::Rank(rank))).collect()
            }
            Round::Broadcast if !self.decisions.is_empty() => {
                let all = 0..ports as Port;
                all.map(|input| (Address::Input(input), Message::Broadcast(self.decisions.clone()))).collect()
            }
            _ => Vec::new(),
        }
    }

    /// What it is told.
    pub(super) fn receive(&mut self, from: Address, message: &Message) {
        match (from, message) {
            (Address::Output(output), Message::Free) => self.free.push(output),
            (Address::Input(_), Message::Register) => self.registered += 1,
            (Address::Input(leader), &Message::Report { red }) => self.decisions.push(Decision { leader, red }),
            _ => {}
        }
    }

    /// Whether a registered leader has not yet reported.
    pub(super) fn waits(&self) -> bool {
        self.decisions.len() < self.registered
    }

    /// The decisions that were reported.
    pub(super) fn decisions(&self) -> &[Decision] {
        &self.decisions
    }
}
