//! Messages in words, for people who look at a slot.

use super::message::{Address, Delivery, Message, Round};
use core::fmt;

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(port) => write!(f, "input {port}"),
            Self::Output(port) => write!(f, "output {port}"),
            Self::Controller => f.write_str("controller"),
        }
    }
}

impl fmt::Display for Round {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Announce => f.write_str("announce"),
            Self::Accept => f.write_str("accept"),
            Self::Count(level) => write!(f, "count {level}"),
            Self::Total(level) => write!(f, "total {level}"),
            Self::Free => f.write_str("free"),
            Self::Shuffle => f.write_str("shuffle"),
            Self::Ask => f.write_str("ask"),
            Self::Offer => f.write_str("offer"),
            Self::Introduce => f.write_str("introduce"),
            Self::Claim => f.write_str("claim"),
            Self::First(iteration) => write!(f, "iteration {iteration}, round 1"),
            Self::Second(iteration) => write!(f, "iteration {iteration}, round 2"),
            Self::Register => f.write_str("register"),
            Self::Search(step) => write!(f, "search {step}"),
            Self::Broadcast => f.write_str("broadcast"),
        }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let colour = |red: bool| if red { "red" } else { "green" };
        match self {
            Self::Arrival(weight) => write!(f, "arrival, weight {weight}"),
            Self::Accept => f.write_str("accepted"),
            Self::Count(count) => write!(f, "{count} free up to here"),
            Self::Total(count) => write!(f, "{count} free in all"),
            Self::Free => f.write_str("free"),
            Self::Rank(rank) => write!(f, "rank {rank}"),
            Self::Ask => f.write_str("asks"),
            Self::Offer => f.write_str("offers itself"),
            Self::Introduce(output) => write!(f, "meet output {output}"),
            Self::Claim(weight) => write!(f, "partner, weight {weight}"),
            Self::Red { input, weight } => write!(f, "red partner input {input}, weight {weight}"),
            Self::Relay { red, green } => write!(f, "edge: red {red}, green {green}"),
            Self::Upstream { set, sketch } if sketch.is_empty() => write!(f, "downstream: {set}"),
            Self::Upstream { set, sketch } => write!(f, "downstream: {set}, {} minima", sketch.len()),
            Self::Downstream { set, leader: None } => write!(f, "upstream: {set}"),
            Self::Downstream { set, leader: Some(leader) } => write!(f, "upstream: {set}, leader {leader}"),
            Self::Register => f.write_str("leads a cycle"),
            Self::Report { red } => write!(f, "decides {}", colour(*red)),
            Self::Search(baton) => {
                write!(f, "search at level {}: red {}, green {}", baton.level, baton.red, baton.green)
            }
            Self::Broadcast(list) => {
                f.write_str("decisions:")?;
                list.iter().try_for_each(|d| write!(f, " {} {}", d.leader, colour(d.red)))
            }
            Self::PassOn { to, message } => write!(f, "pass on to {to}: {message}"),
        }
    }
}

impl fmt::Display for Delivery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} -> {}: {}", self.round, self.from, self.to, self.message)
    }
}
