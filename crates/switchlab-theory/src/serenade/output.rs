//! An output port: it prunes arrivals, and in iteration 0 it introduces its red partner to its
//! green one.

use super::message::{Address, Message, Round};
use super::populate::Count;
use super::vertex::Outgoing;
use switchlab_core::Port;
use switchlab_core::rng::Rng;
use switchlab_core::schedule::serena::accounting::Prefix;
use switchlab_core::schedule::serena::rules::{Populate, Prune, Rules};

/// An output port.
#[derive(Clone, Debug)]
pub struct OutputPort {
    identity: Port,
    ports: usize,
    rules: Rules,
    prefix: Prefix,
    /// The input it was connected to in the slot before.
    green: Port,
    /// Its partner in R(t), with the weight of the edge.
    red: Option<(Port, u32)>,
    /// How many announcements so far were as heavy as the heaviest.
    ties: usize,
    count: Count,
    /// What the controller handed out.
    rank: Option<u32>,
}

impl OutputPort {
    /// An output port that was connected to the input of its own number before slot 0.
    pub(super) fn new(identity: Port, ports: usize, rules: Rules) -> Self {
        Self {
            identity,
            ports,
            rules,
            prefix: Prefix::default(),
            green: identity,
            red: None,
            ties: 0,
            count: Count::default(),
            rank: None,
        }
    }

    /// How it adds up ranks from now on.
    pub(super) fn count_by(&mut self, prefix: Prefix) {
        self.prefix = prefix;
    }

    /// A new slot.
    pub(super) fn begin(&mut self) {
        self.red = None;
        self.ties = 0;
        self.count = Count::new(true);
        self.rank = None;
    }

    /// What it says in a round.
    pub(super) fn send(&mut self, round: Round) -> Outgoing {
        match round {
            Round::Accept => {
                let (input, _) = self.red?;
                self.count = Count::new(false);
                Some((Address::Input(input), Message::Accept))
            }
            // Under `populate=random` the controller hands out ranks, and outputs need not count.
            Round::Count(step) if self.rules.populate != Populate::Random => {
                let (to, count) = self.count.send(self.prefix, self.identity, step, self.ports)?;
                Some((Address::Output(to), Message::Count(count)))
            }
            Round::Free => self.count.free.then_some((Address::Controller, Message::Free)),
            Round::Offer => {
                let rank = self.rank.or_else(|| self.count.rank())?;
                Some((Address::Input(rank as Port), Message::Offer))
            }
            Round::First(0) => {
                let (input, weight) = self.red?;
                Some((Address::Input(self.green), Message::Red { input, weight }))
            }
            _ => None,
        }
    }

    /// What it is told. Only announcements of equal weight need `rng`.
    pub(super) fn receive(&mut self, from: Address, message: &Message, rng: Option<&mut Rng>) {
        match (from, message) {
            (Address::Input(input), &Message::Arrival(weight)) => self.prune(input, weight, rng),
            (Address::Input(input), &Message::Claim(weight)) => self.red = Some((input, weight)),
            (Address::Output(_), &Message::Count(count)) => self.count.add(count),
            (Address::Controller, &Message::Rank(rank)) => self.rank = Some(rank),
            _ => {}
        }
    }

    /// Keeps the heaviest announcement (section 3.1.1). They come in ascending order of inputs.
    fn prune(&mut self, input: Port, weight: u32, rng: Option<&mut Rng>) {
        let heaviest = self.red.map(|(_, heaviest)| heaviest);
        if heaviest < Some(weight) {
            self.red = Some((input, weight));
            self.ties = 1;
        } else if heaviest == Some(weight) && self.rules.prune == Prune::Random {
            self.ties += 1;
            // A reservoir of one: the m-th is taken with probability 1/m, so all are equally likely
            // in the end.
            if rng.is_some_and(|rng| rng.below(self.ties) == 0) {
                self.red = Some((input, weight));
            }
        }
    }

    /// The crossbar connects an input to it.
    pub(super) fn connect(&mut self, input: Port) {
        self.green = input;
    }

    /// A red partner that was given, not found.
    pub(super) fn pair(&mut self, input: Port, weight: u32) {
        self.red = Some((input, weight));
    }
}
