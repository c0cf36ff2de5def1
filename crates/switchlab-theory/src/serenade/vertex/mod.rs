//! An input port: a vertex of the cycles.
//!
//! It knows its identity, N, the slot, what the controller declared for the slot, its own VOQs, its
//! two partners, and what it was told. In each round it may send one message (`send`); what arrives
//! is given to `receive`. Nothing else gets in, and its fields are private to this module.

mod common;
mod search;

use crate::serenade::knowledge::{Memory, Situation};
use crate::serenade::message::{Address, Baton, Message, Round};
use crate::serenade::populate::{Broker, Count};
use alloc::vec;
use alloc::vec::Vec;
use switchlab_core::schedule::serena::accounting::Prefix;
use switchlab_core::schedule::serena::ouroboros::last_iteration;
use switchlab_core::schedule::serena::rules::{Leader, Populate, Rules, Variant};
use switchlab_core::{NONE, Port, Slot};

/// What a port sends in a round.
pub(super) type Outgoing = Option<(Address, Message)>;

/// What a vertex found out in a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Finding {
    /// How it found out that its cycle is ouroboros; none if it did not.
    pub situation: Option<Situation>,
    /// The leader of its cycle, if there was an election and the cycle is not ouroboros.
    pub leader: Option<Port>,
    /// If it leads: how many moves the binary search took to come back to it.
    pub moves: Option<u32>,
    /// Whether it takes its red edge.
    pub red: bool,
}

/// An input port.
#[derive(Clone, Debug)]
pub struct Vertex {
    // Who it is.
    identity: Port,
    ports: usize,
    rules: Rules,
    prefix: Prefix,
    /// The key of the codewords, common to the switch.
    key: u64,
    // What it is told at the beginning of a slot, by the clock, the controller and its own line.
    slot: Slot,
    variant: Variant,
    arrived: Port,
    lengths: Vec<u32>,
    // Its partners.
    red: Port,
    green: Port,
    // POPULATE.
    count: Count,
    total: u32,
    broker: Broker,
    // SERENADE.
    memory: Memory,
    /// The leaders of the precincts right-ended here, by level.
    leaders: Vec<Port>,
    /// The minima, (red, green) by word, of the longest walk from here that is known.
    sketch: Vec<[f64; 2]>,
    baton: Option<Baton>,
    /// As the leader: what it has to tell the controller.
    verdict: Option<bool>,
    situation: Option<Situation>,
    moves: Option<u32>,
    decision: Option<bool>,
}

impl Vertex {
    /// An input port that used `green`, its own number, before slot 0.
    pub(super) fn new(identity: Port, ports: usize, rules: Rules, key: u64) -> Self {
        Self {
            identity,
            ports,
            rules,
            prefix: Prefix::default(),
            key,
            slot: 0,
            variant: Variant::C,
            arrived: NONE,
            lengths: vec![0; ports],
            red: NONE,
            green: identity,
            count: Count::default(),
            total: 0,
            broker: Broker::default(),
            memory: Memory::new(identity, ports),
            leaders: Vec::new(),
            sketch: Vec::new(),
            baton: None,
            verdict: None,
            situation: None,
            moves: None,
            decision: None,
        }
    }

    /// How it adds up ranks from now on.
    pub(super) fn count_by(&mut self, prefix: Prefix) {
        self.prefix = prefix;
    }

    /// A new slot: what the controller declares to everybody, the arrival here (or [`NONE`]), and
    /// the lengths of the VOQs here.
    pub(super) fn begin(&mut self, slot: Slot, variant: Variant, arrived: Port, lengths: &[u32]) {
        self.slot = slot;
        self.variant = variant;
        self.arrived = arrived;
        self.lengths.clear();
        self.lengths.extend_from_slice(lengths);
        self.red = NONE;
        self.count = Count::new(true);
        self.total = 0;
        self.broker = Broker::default();
        self.memory.reset();
        self.leaders.clear();
        self.sketch.clear();
        self.baton = None;
        self.verdict = None;
        self.situation = None;
        self.moves = None;
        self.decision = None;
    }

    /// Partners that are given, not found; the weight of the red edge.
    pub(super) fn pair(&mut self, red: Port, green: Port) -> u32 {
        (self.red, self.green) = (red, green);
        self.lengths[red as usize]
    }

    /// What it says in a round.
    pub(super) fn send(&mut self, round: Round) -> Outgoing {
        match round {
            Round::Announce => {
                let &weight = self.lengths.get(self.arrived as usize)?;
                Some((Address::Output(self.arrived), Message::Arrival(weight)))
            }
            Round::Count(step) => {
                let (to, count) = self.count.send(self.prefix, self.identity, step, self.ports)?;
                Some((Address::Input(to), Message::Count(count)))
            }
            Round::Total(level) => self.spread(level),
            Round::Ask => Some((Address::Input(self.rank()?), Message::Ask)),
            Round::Introduce => self.broker.introduce(),
            Round::Claim => {
                // One that was accepted is known to its output.
                let &weight = self.lengths.get(self.red as usize).filter(|_| self.count.free)?;
                Some((Address::Output(self.red), Message::Claim(weight)))
            }
            Round::First(iteration) => self.first(iteration),
            Round::Second(iteration) => self.second(iteration),
            Round::Register => self.register(),
            Round::Search(_) => self.report().or_else(|| self.pass()),
            Round::Accept | Round::Free | Round::Shuffle | Round::Offer | Round::Broadcast => None,
        }
    }

    /// What it is told. A message that makes no sense from this sender is not heard.
    pub(super) fn receive(&mut self, round: Round, from: Address, message: Message) {
        match (from, message) {
            (Address::Output(output), Message::Accept) => {
                self.red = output;
                self.count = Count::new(false);
            }
            (Address::Input(_), Message::Count(count)) => self.count.add(count),
            (Address::Input(_), Message::Total(total)) => self.total = total,
            (Address::Input(input), Message::Ask) => self.broker.input = Some(input),
            (Address::Output(output), Message::Offer) => self.broker.output = Some(output),
            (Address::Input(_), Message::Introduce(output)) => self.red = output,
            (Address::Output(_), Message::Red { input, weight }) => self.learn_upstream_edge(input, weight),
            (Address::Input(input), Message::Relay { red, green }) => self.learn_downstream_edge(input, red, green),
            (Address::Input(_), Message::Upstream { set, sketch }) => self.learn_downstream(set, &sketch),
            (Address::Input(_), Message::Downstream { set, leader }) => self.learn_upstream(set, leader),
            (Address::Input(_), Message::Search(baton)) => self.take(round, baton),
            (Address::Controller, Message::Broadcast(list)) => self.obey(&list),
            _ => {}
        }
    }

    /// Connects to the partner it decided on, which will be the green one of the next slot. Who has
    /// no decision stays put.
    pub(super) fn connect(&mut self) -> Port {
        if self.decision == Some(true) {
            self.green = self.red;
        }
        self.green
    }

    /// Who it is.
    pub(super) fn identity(&self) -> Port {
        self.identity
    }

    /// Its output in R(t).
    pub(super) fn red(&self) -> Port {
        self.red
    }

    /// What it found out.
    pub(super) fn finding(&self) -> Finding {
        Finding {
            situation: self.situation,
            leader: self.leader(),
            moves: self.moves,
            red: self.decision == Some(true),
        }
    }

    /// K.
    fn last(&self) -> u32 {
        last_iteration(self.ports)
    }

    /// L0, once it is known: the leader of the precinct of level K, which is the whole cycle.
    fn leader(&self) -> Option<Port> {
        self.leaders.get(self.last() as usize).copied().filter(|_| self.situation.is_none())
    }

    /// Which of two vertices is to lead.
    fn elect(&self, by: Leader, a: Port, b: Port) -> Port {
        let nominee = |vertex: Port| match by {
            Leader::Fixed => u64::from(vertex),
            Leader::Rotating => (u64::from(vertex) + u64::from(self.slot)) % self.ports as u64,
        };
        if nominee(b) < nominee(a) { b } else { a }
    }

    /// The broker of a free input.
    fn rank(&self) -> Option<Port> {
        let rank = self.count.rank()?;
        Some(match self.rules.populate {
            Populate::Rank | Populate::Random => rank as Port,
            Populate::Rotate => ((u64::from(rank) + u64::from(self.slot)) % u64::from(self.total.max(1))) as Port,
        })
    }

    /// Passes the number of free ports on, from the last input towards the first.
    fn spread(&mut self, level: u32) -> Outgoing {
        let from_last = self.ports - 1 - self.identity as usize;
        if level == 0 && from_last == 0 {
            self.total = self.count.sum;
        }
        let to = (self.identity as usize).checked_sub(1 << level).filter(|_| from_last < 1 << level)?;
        Some((Address::Input(to as Port), Message::Total(self.total)))
    }
}
