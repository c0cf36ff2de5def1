//! Who speaks to whom, when, and what is said.

use super::knowledge::Knowledge;
use alloc::boxed::Box;
use alloc::vec::Vec;
use switchlab_core::Port;
use switchlab_core::schedule::serena::accounting::Widths;

/// A speaker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Address {
    /// An input port, that is a vertex.
    Input(Port),
    /// An output port.
    Output(Port),
    /// The switch controller.
    Controller,
}

/// The rounds of a slot, in this order. All messages of a round are sent before any is read;
/// everybody hears the same clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Round {
    /// Each input announces its arrival to the output.
    Announce,
    /// Each output answers the heaviest announcement.
    Accept,
    /// A step of the prefix sums by which ports count the free ports up to themselves (inputs and
    /// outputs side by side).
    Count(u32),
    /// `populate=rotate`: the last input, which counted them all, spreads the number of free ports,
    /// by distances 2^0, 2^1, ...
    Total(u32),
    /// `populate=random`: free outputs report to the controller.
    Free,
    /// `populate=random`: the controller hands out ranks.
    Shuffle,
    /// Free inputs write to their brokers.
    Ask,
    /// Free outputs write to their brokers.
    Offer,
    /// Brokers answer the inputs.
    Introduce,
    /// An input that was introduced tells its output who it is and what it weighs.
    Claim,
    /// The first round of an iteration.
    First(u32),
    /// The second round of an iteration.
    Second(u32),
    /// Leaders of cycles that are not ouroboros register (E), or report (O).
    Register,
    /// A step of the binary searches, from 1 on; leaders that were reached report.
    Search(u32),
    /// The controller sends the list of decisions to everybody.
    Broadcast,
}

impl Round {
    /// Whether it is one of the merge, and not of pruning and POPULATE.
    pub fn is_of_merge(self) -> bool {
        matches!(self, Self::First(_) | Self::Second(_) | Self::Register | Self::Search(_) | Self::Broadcast)
    }
}

/// The decision for one cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decision {
    /// The leader of the cycle.
    pub leader: Port,
    /// Whether the cycle takes its red sub-matching.
    pub red: bool,
}

/// What is passed along a binary search: the arguments of Procedure 2.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Baton {
    /// k: the search interval is the level-k precinct right-ended at the administrator.
    pub level: u32,
    /// The red weight of the walk from the leader to the administrator.
    pub red: u64,
    /// Its green weight.
    pub green: u64,
}

/// What is said. Who says it comes with the message and is not repeated in it.
#[derive(Clone, PartialEq, Debug)]
pub enum Message {
    /// A cell came for you; this is the length of its VOQ.
    Arrival(u32),
    /// Yours is the heaviest arrival.
    Accept,
    /// The number of free ports in the stretch that ends with the sender.
    Count(u32),
    /// The number of free ports in all.
    Total(u32),
    /// I am free.
    Free,
    /// The rank that the receiver is to take: the number of free ports before it.
    Rank(u32),
    /// I am the free input of your rank.
    Ask,
    /// I am the free output of your rank.
    Offer,
    /// This output is yours.
    Introduce(Port),
    /// You are mine; this is the length of the VOQ.
    Claim(u32),
    /// Iteration 0, first round: you are my green partner, and this is my red one, with the weight
    /// of that edge.
    Red {
        /// The red partner, the vertex upstream of the reader.
        input: Port,
        /// The weight of the red edge.
        weight: u32,
    },
    /// Iteration 0, second round: I am downstream of you, and these are the weights of the edge
    /// between us.
    Relay {
        /// The red weight.
        red: u32,
        /// The green weight.
        green: u32,
    },
    /// What I know downstream of me, for the vertex upstream.
    Upstream {
        /// The last knowledge set.
        set: Knowledge,
        /// The minima of that walk, (red, green) by word; empty without a sketch.
        sketch: Vec<[f64; 2]>,
    },
    /// What I know upstream of me, for the vertex downstream.
    Downstream {
        /// The last knowledge set.
        set: Knowledge,
        /// The leader of that precinct, if leaders are elected.
        leader: Option<Port>,
    },
    /// I lead a cycle that is not ouroboros.
    Register,
    /// My cycle takes this colour.
    Report {
        /// Whether it is red.
        red: bool,
    },
    /// You administrate the search.
    Search(Baton),
    /// The decisions for all cycles that are not ouroboros.
    Broadcast(Vec<Decision>),
    /// Without a local bypass: pass this on to the port of your side with this number.
    PassOn {
        /// The reader.
        to: Port,
        /// What it is to read.
        message: Box<Message>,
    },
}

/// What a message is sent for; messages are counted by class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// Pruning.
    Prune,
    /// POPULATE between ports.
    Populate,
    /// What `populate=random` costs beyond it: free outputs and the controller.
    Shuffle,
    /// SERENADE-common.
    Common,
    /// Binary search.
    Search,
    /// Registrations, reports and the broadcast.
    Controller,
}

/// The bits of a message, or of many.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Bits {
    /// All but the following fields.
    pub own: u64,
    /// The field of the leader (section 5.2.2).
    pub leader: u64,
    /// The overweight flag (section 6).
    pub overweight: u64,
    /// The minima (appendix F).
    pub sketch: u64,
}

impl Bits {
    /// All of them.
    pub fn total(self) -> u64 {
        self.own + self.leader + self.overweight + self.sketch
    }

    fn of(own: u32) -> Self {
        Self { own: u64::from(own), ..Self::default() }
    }
}

impl core::ops::AddAssign for Bits {
    fn add_assign(&mut self, other: Self) {
        self.own += other.own;
        self.leader += other.leader;
        self.overweight += other.overweight;
        self.sketch += other.sketch;
    }
}

impl Message {
    /// What the message is sent for.
    pub fn class(&self) -> Class {
        match self {
            Self::Arrival(_) | Self::Accept => Class::Prune,
            Self::Count(_) | Self::Total(_) | Self::Ask | Self::Offer | Self::Introduce(_) | Self::Claim(_) => {
                Class::Populate
            }
            Self::Free | Self::Rank(_) => Class::Shuffle,
            Self::Red { .. } | Self::Relay { .. } | Self::Upstream { .. } | Self::Downstream { .. } => Class::Common,
            Self::Register | Self::Report { .. } | Self::Broadcast(_) => Class::Controller,
            Self::Search(_) => Class::Search,
            Self::PassOn { message, .. } => message.class(),
        }
    }

    /// Its bits: what its reader has to learn from it. That includes the identity of the sender
    /// where the reader does not know beforehand from whom it hears: of arrivals, requests to
    /// brokers, the first message from the vertex downstream, and leaders at the controller.
    pub fn bits(&self, widths: &Widths) -> Bits {
        let Widths { identity, total, weight, walk, level, codeword } = *widths;
        let flag = |field: Option<bool>| u64::from(field.is_some());
        match self {
            Self::Accept | Self::Free => Bits::of(1),
            Self::Count(_) | Self::Rank(_) | Self::Ask | Self::Offer | Self::Introduce(_) | Self::Register => {
                Bits::of(identity)
            }
            Self::Total(_) => Bits::of(total),
            Self::Arrival(_) | Self::Claim(_) | Self::Red { .. } => Bits::of(identity + weight),
            Self::Relay { .. } => Bits::of(identity + weight + weight),
            Self::Upstream { set, sketch } => Bits {
                own: u64::from(identity + walk + walk),
                leader: 0,
                overweight: flag(set.overweight),
                sketch: sketch.len() as u64 * u64::from(codeword + codeword),
            },
            Self::Downstream { set, leader } => Bits {
                own: u64::from(identity + walk + walk),
                leader: leader.map_or(0, |_| u64::from(identity)),
                overweight: flag(set.overweight),
                sketch: 0,
            },
            Self::Report { .. } => Bits::of(identity + 1),
            Self::Search(_) => Bits::of(level + walk + walk),
            Self::Broadcast(list) => Bits { own: list.len() as u64 * u64::from(identity + 1), ..Bits::default() },
            // The port in between has to know the reader.
            Self::PassOn { message, .. } => {
                let mut bits = message.bits(widths);
                bits.own += u64::from(identity);
                bits
            }
        }
    }
}

/// A message that was delivered, for people who look at a slot.
#[derive(Clone, PartialEq, Debug)]
pub struct Delivery {
    /// When.
    pub round: Round,
    /// Who spoke.
    pub from: Address,
    /// To whom.
    pub to: Address,
    /// What was said.
    pub message: Message,
}
