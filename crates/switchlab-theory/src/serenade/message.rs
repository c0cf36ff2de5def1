//! Who speaks to whom, when, and what is said.

use super::knowledge::Knowledge;
use alloc::vec::Vec;
use switchlab_core::Port;

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
    /// Ports count the free ports up to themselves, by distances 2^0, 2^1, ... (inputs and outputs
    /// side by side).
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
}

/// What a message is sent for; messages are counted by class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// Pruning and POPULATE between ports.
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

impl Message {
    /// What the message is sent for.
    pub fn class(&self) -> Class {
        match self {
            Self::Free | Self::Rank(_) => Class::Shuffle,
            Self::Red { .. } | Self::Relay { .. } | Self::Upstream { .. } | Self::Downstream { .. } => Class::Common,
            Self::Register | Self::Report { .. } | Self::Broadcast(_) => Class::Controller,
            Self::Search(_) => Class::Search,
            _ => Class::Populate,
        }
    }

    /// The bits of its payload where an identity or a count takes `identity` bits: 32 for the
    /// weight of an edge, 32 + K for that of a walk, one for a colour and for "overweight", 64 for
    /// a codeword.
    pub fn bits(&self, identity: u32) -> u64 {
        let walks = u64::from(2 * (32 + identity));
        let identity = u64::from(identity);
        match self {
            Self::Accept | Self::Free | Self::Ask | Self::Offer | Self::Register => 0,
            Self::Count(_) | Self::Total(_) | Self::Rank(_) | Self::Introduce(_) => identity,
            Self::Arrival(_) | Self::Claim(_) => 32,
            Self::Red { .. } => identity + 32,
            Self::Relay { .. } => 64,
            Self::Upstream { set, sketch } => {
                identity + walks + u64::from(set.overweight.is_some()) + 128 * sketch.len() as u64
            }
            Self::Downstream { set, leader } => {
                identity + walks + u64::from(set.overweight.is_some()) + leader.map_or(0, |_| identity)
            }
            Self::Report { .. } => 1,
            Self::Search(_) => identity + walks,
            Self::Broadcast(list) => list.len() as u64 * (identity + 1),
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
