//! SERENADE-common at a vertex (section 4.3), with leader election (5.2.2), the overweight bit (6)
//! and minima (appendix F) in the same messages.

use super::{Outgoing, Vertex};
use crate::serenade::knowledge::Knowledge;
use crate::serenade::message::{Address, Baton, Decision, Message};
use switchlab_core::Port;
use switchlab_core::schedule::serena::rules::Variant;
use switchlab_core::schedule::serena::sketch;

impl Vertex {
    /// Procedure 1, line 1. In iteration 0 the outputs speak first.
    pub(super) fn first(&self, iteration: u32) -> Outgoing {
        let level = iteration.checked_sub(1).filter(|_| self.situation.is_none())?;
        let (up, set) = (self.memory.up.get(level)?, self.memory.down.get(level)?);
        Some((Address::Input(up.vertex), Message::Upstream { set, sketch: self.sketch.clone() }))
    }

    /// Procedure 1, line 3; in iteration 0, the relay to the red partner of one's green output.
    pub(super) fn second(&self, iteration: u32) -> Outgoing {
        if self.situation.is_some() {
            return None;
        }
        let Some(level) = iteration.checked_sub(1) else {
            let edge = self.memory.up.get(0)?;
            let (red, green) = (edge.red as u32, edge.green as u32);
            return Some((Address::Input(edge.vertex), Message::Relay { red, green }));
        };
        let (down, set) = (self.memory.down.get(level)?, self.memory.up.get(level)?);
        let leader = self.leaders.get(level as usize).copied();
        Some((Address::Input(down.vertex), Message::Downstream { set, leader }))
    }

    /// `phi_0-`: the green weight is that of its own VOQ, the red one was told.
    pub(super) fn learn_upstream_edge(&mut self, input: Port, red: u32) {
        let green = self.lengths[self.green as usize];
        self.memory.up.learn(Knowledge::edge(input, red, green, self.variant.cow()));
        if let Some(by) = self.variant.election() {
            self.leaders.push(self.elect(by, self.identity, input));
        }
    }

    /// `phi_0+`, and the minima of this one edge.
    pub(super) fn learn_downstream_edge(&mut self, input: Port, red: u32, green: u32) {
        self.memory.down.learn(Knowledge::edge(input, red, green, self.variant.cow()));
        let x = |colour, word, weight| {
            sketch::modulate(sketch::codeword(self.key, self.slot, self.identity, colour, word), weight)
        };
        let words = 0..self.variant.codewords().unwrap_or(0);
        self.sketch = words.map(|word| [x(true, word, red), x(false, word, green)]).collect();
    }

    /// `phi_k+`, of `phi_(k-1)+` here and there.
    pub(super) fn learn_downstream(&mut self, further: Knowledge, minima: &[[f64; 2]]) {
        let Some(near) = self.memory.down.latest() else { return };
        self.memory.down.learn(near.and(further));
        for (ours, theirs) in self.sketch.iter_mut().zip(minima) {
            *ours = [ours[0].min(theirs[0]), ours[1].min(theirs[1])];
        }
    }

    /// `phi_k-`, of `phi_(k-1)-` here and there, and "line 5.5".
    pub(super) fn learn_upstream(&mut self, further: Knowledge, leader: Option<Port>) {
        let Some(near) = self.memory.up.latest() else { return };
        self.memory.up.learn(near.and(further));
        if let (Some(by), Some(&ours), Some(theirs)) = (self.variant.election(), self.leaders.last(), leader) {
            self.leaders.push(self.elect(by, ours, theirs));
        }
    }

    /// Procedure 1, line 6, and after the last iteration what the variant makes of it.
    pub(in crate::serenade) fn conclude(&mut self, iteration: u32) {
        if self.situation.is_some() {
            return;
        }
        self.situation = self.memory.conclude(iteration);
        if let Some(situation) = self.situation {
            let turns = self.memory.turns(situation);
            self.decision = turns.map(|(red, green)| self.rules.tie.is_red(red, green));
        } else if iteration == self.last() {
            self.branch_off();
        }
    }

    /// "The three variants of SERENADE branch off from this point onwards."
    fn branch_off(&mut self) {
        let last = self.last();
        let (Some(down), Some(up)) = (self.memory.down.get(last), self.memory.up.get(last)) else { return };
        match self.variant {
            Variant::C => self.decision = Some(false),
            Variant::E => {
                // sigma^(2^K)(L0) learns who it is: L0 is 2^K edges upstream. It has the weights of
                // that very walk.
                if self.leader() == Some(up.vertex) {
                    self.baton = Some(Baton { level: last, red: up.red, green: up.green });
                }
            }
            // The walk of 2^K edges is at least a turn: every edge of the cycle was seen.
            Variant::So { .. } | Variant::O { .. } => {
                let conservative = down.overweight == Some(true);
                if self.variant.codewords().is_some() {
                    let sum = |colour: usize| self.sketch.iter().map(|minima| minima[colour]).sum::<f64>();
                    // The smaller minima are the heavier colour's, hence the exchange.
                    self.decision = Some(!conservative && self.rules.tie.is_red(sum(1), sum(0)));
                } else if self.leader() == Some(self.identity) {
                    self.verdict = Some(!conservative && self.rules.tie.is_red(down.red, down.green));
                }
            }
        }
    }

    /// A leader goes to the controller: with its decision (O), or to say that there will be one (E,
    /// 5.3.2).
    pub(super) fn register(&mut self) -> Outgoing {
        let leads = self.leader() == Some(self.identity);
        match self.variant {
            Variant::E => leads.then_some((Address::Controller, Message::Register)),
            _ => self.report(),
        }
    }

    /// A leader tells its decision.
    pub(super) fn report(&mut self) -> Outgoing {
        self.verdict.take().map(|red| (Address::Controller, Message::Report { red }))
    }

    /// Follows the decision of its leader. Who has decided does not listen.
    pub(super) fn obey(&mut self, list: &[Decision]) {
        if self.decision.is_none() {
            let leader = self.leader();
            self.decision = list.iter().find(|decision| Some(decision.leader) == leader).map(|decision| decision.red);
        }
    }
}
