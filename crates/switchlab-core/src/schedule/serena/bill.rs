//! Messages, bits and rounds of a distributed variant, by what they are for.
//!
//! A message carries what its reader has to learn from it
//! ([`super::accounting::Widths`] has the bits of its fields):
//!
//! - pruning: each arrival an identity and a weight, each acceptance a flag;
//! - POPULATE: prefix sums of inputs and outputs, a count each; asking, offering and introducing by
//!   brokers, an identity each; telling the output, an identity and a weight;
//! - shuffle, with `populate=random`: each free output a flag to the controller, and back its rank;
//! - common: in iteration 0 an identity and a weight, then an identity and two weights; then two
//!   messages per vertex and iteration, an identity and the weights of a walk in both colours;
//! - leader: an identity in each message downstream;
//! - overweight: a flag in each message after iteration 0;
//! - sketch: minima in each message upstream;
//! - search: for each move a level and the weights of a walk;
//! - controller: an identity to register, an identity and a colour to report; and the broadcast to
//!   each input, an identity and a colour for each leader.

use super::accounting::{Prefix, Widths};
use super::costs::Costs;
use super::rules::Populate;
use crate::counter::Counter;

/// Messages of one class, and their bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Item {
    pub(super) messages: u64,
    pub(super) bits: u64,
}

impl Item {
    fn new(messages: u64, width: u32) -> Self {
        Self { messages, bits: messages * u64::from(width) }
    }

    fn and(self, other: Self) -> Self {
        Self { messages: self.messages + other.messages, bits: self.bits + other.bits }
    }
}

/// What all slots so far have cost.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bill {
    pub(super) prune: Item,
    pub(super) populate: Item,
    pub(super) shuffle: Item,
    pub(super) common: Item,
    pub(super) search: Item,
    pub(super) controller: Item,
    /// Bits of fields in the messages of SERENADE-common.
    leader_bits: u64,
    overweight_bits: u64,
    sketch_bits: u64,
    /// One after the other, in the controller.
    shuffle_steps: u64,
    rounds_populate: u64,
    rounds_merge: u64,
}

impl Costs {
    /// Adds it all up.
    pub(super) fn bill(&self) -> Bill {
        let sums = &self.sums;
        let widths = self.accounting.widths(self.ports);
        let Widths { identity, weight, walk, level, codeword, .. } = widths;
        let (hops, ports) = (u64::from(self.accounting.bypass.hops()), self.ports as u64);
        let is_random = self.populate == Populate::Random;
        let matched = sums.slots * ports - sums.free;
        // All leaders report, and every input hears of all of them.
        let reports = Item::new(sums.leaders, identity + 1);
        let heard = Item { messages: sums.led_slots * ports, bits: sums.leaders * ports * u64::from(identity + 1) };
        let later_overweight = if self.has_overweight_bit { 2 * (sums.later - sums.later_exact) } else { 0 };
        Bill {
            prune: Item::new(sums.arrivals, identity + weight).and(Item::new(matched, 1)),
            populate: self.populating(&widths),
            shuffle: if is_random {
                Item::new(sums.free, 1).and(Item::new(sums.free, identity))
            } else {
                Item::default()
            },
            common: Item::new(sums.slots * ports, identity + weight)
                .and(self.between_inputs(sums.relaying, identity + 2 * weight))
                .and(self.between_inputs(2 * sums.later, identity + 2 * walk)),
            search: self.between_inputs(sums.moves, level + 2 * walk),
            controller: Item::new(sums.searching, identity).and(reports).and(heard),
            leader_bits: hops * (sums.later_led + sums.later_exact) * u64::from(identity),
            overweight_bits: hops * later_overweight,
            sketch_bits: hops * sums.later_sketched * u64::from(2 * codeword) * u64::from(self.codewords),
            shuffle_steps: if is_random { sums.free } else { 0 },
            rounds_populate: self.rounds_populate(),
            rounds_merge: self.rounds_merge(),
        }
    }

    /// Messages from one input to another. Without a bypass the first half of the way also carries
    /// the identity of the reader.
    fn between_inputs(&self, messages: u64, width: u32) -> Item {
        let direct = Item::new(messages, width);
        match self.accounting.bypass.hops() {
            1 => direct,
            _ => direct.and(Item::new(messages, width + self.accounting.widths(self.ports).identity)),
        }
    }

    fn populating(&self, widths: &Widths) -> Item {
        let Widths { identity, total, weight, .. } = *widths;
        let sums = &self.sums;
        // Under `populate=random` outputs need not count: they get ranks from the controller.
        let sides = if self.populate == Populate::Random { 1 } else { 2 };
        let counts = sums.slots * sides * self.accounting.prefix.messages(self.ports);
        let spread = if self.populate == Populate::Rotate { sums.slots * (self.ports as u64 - 1) } else { 0 };
        let asking = self.between_inputs(sums.asking, identity);
        let meeting = asking.and(Item::new(sums.free, identity)).and(asking);
        self.between_inputs(counts, identity)
            .and(self.between_inputs(spread, total))
            .and(meeting)
            .and(Item::new(sums.free, identity + weight))
    }

    /// Rounds in which a message is sent.
    fn rounds_populate(&self) -> u64 {
        let sums = &self.sums;
        let hops = u64::from(self.accounting.bypass.hops());
        let counting = match self.populate {
            Populate::Rotate => self.prefix_rounds() + u64::from(Prefix::Doubling.rounds(self.ports)),
            Populate::Rank | Populate::Random => self.prefix_rounds(),
        };
        // Offering and telling the output; and the shuffle's two.
        let meeting = if self.populate == Populate::Random { 4 } else { 2 };
        2 * sums.arrival_slots + sums.slots * hops * counting + sums.free_slots * meeting + sums.asking_slots * 2 * hops
    }

    fn prefix_rounds(&self) -> u64 {
        u64::from(self.accounting.prefix.rounds(self.ports))
    }

    /// Rounds in which a message is sent: one of outputs, one of inputs and two in each later
    /// iteration. Leaders report, and the controller broadcasts; under E-SERENADE leaders register,
    /// a round follows for each move, and the last leader reports.
    fn rounds_merge(&self) -> u64 {
        let sums = &self.sums;
        let hops = u64::from(self.accounting.bypass.hops());
        sums.slots
            + hops * (sums.relaying_slots + 2 * sums.later_iterations + sums.search_lengths)
            + 2 * sums.led_slots
            + sums.searching_slots
    }
}

impl Bill {
    pub(super) fn counters(&self, slots: u64, vertices: u64, visit: &mut dyn FnMut(Counter)) {
        let mut show = |name, sum, per| visit(Counter { name, sum, per });
        let fields = self.leader_bits + self.overweight_bits + self.sketch_bits;
        let merge = self.common.bits + fields + self.search.bits + self.controller.bits;
        show("rounds", self.rounds_populate + self.rounds_merge, slots);
        show("rounds_populate", self.rounds_populate, slots);
        show("rounds_merge", self.rounds_merge, slots);
        show("messages_prune", self.prune.messages, vertices);
        show("messages_populate", self.populate.messages, vertices);
        show("messages_shuffle", self.shuffle.messages, vertices);
        show("messages_common", self.common.messages, vertices);
        show("messages_search", self.search.messages, vertices);
        show("messages_controller", self.controller.messages, vertices);
        show("bits_prune", self.prune.bits, vertices);
        show("bits_populate", self.populate.bits, vertices);
        show("bits_shuffle", self.shuffle.bits, vertices);
        show("bits_common", self.common.bits, vertices);
        show("bits_leader", self.leader_bits, vertices);
        show("bits_overweight", self.overweight_bits, vertices);
        show("bits_sketch", self.sketch_bits, vertices);
        show("bits_search", self.search.bits, vertices);
        show("bits_controller", self.controller.bits, vertices);
        show("bits_merge", merge, vertices);
        show("bits_per_port", merge + self.prune.bits + self.populate.bits + self.shuffle.bits, vertices);
        show("shuffle_steps", self.shuffle_steps, slots);
    }
}
