//! What SERENA leaves open, and what the members of the SERENADE suite do on a cycle that is not
//! ouroboros.

/// What an output keeps of several arrivals for it: the heaviest, and among equally heavy ones this
/// (section 3.1.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Prune {
    /// A uniformly random one, as the paper has it. Arrivals are read in ascending order of inputs;
    /// the m-th of equal weight, m >= 2, is taken if `below(m)` is 0: one draw from the scheduler's
    /// stream for each such arrival.
    #[default]
    Random,
    /// That of the lowest input, as the authors' published program has it.
    Lowest,
}

/// Which sub-matching an equal weight gives. One rule for all comparisons of all variants:
/// otherwise exact emulation fails on ties.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Tie {
    /// The green one, of the slot before: a cycle turns red only if red is strictly heavier.
    #[default]
    Green,
    /// The red one, as in the authors' published SERENA.
    Red,
}

impl Tie {
    /// Whether the red sub-matching is taken.
    pub fn is_red<W: PartialOrd + Copy>(self, red: W, green: W) -> bool {
        match self {
            Self::Green => red > green,
            Self::Red => red >= green,
        }
    }
}

/// How free inputs and free outputs are paired. Both are counted from 0 in ascending order; F is
/// the number of either.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Populate {
    /// The k-th free input with the k-th free output (appendix A).
    #[default]
    Rank,
    /// The k-th free input with the k-th of the free outputs, shuffled (what appendices D and H
    /// assume of R(t)).
    Random,
    /// The k-th free input with the `(k + t) mod F`-th free output in slot t: another reading of
    /// "in a round-robin manner".
    Rotate,
}

/// What SERENA leaves open.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Rules {
    /// Which of several arrivals an output keeps.
    pub prune: Prune,
    /// Which sub-matching an equal weight gives.
    pub tie: Tie,
    /// How free ports are paired.
    pub populate: Populate,
}

/// Who leads a cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Leader {
    /// The smallest identity (section 5.2.2).
    #[default]
    Fixed,
    /// The smallest nominee identity `(i + t) mod N` in slot t, with identities and slots counted
    /// from 0 (footnote 6).
    Rotating,
}

/// How the vertices of a cycle that is not ouroboros come to the same decision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Consistency {
    /// Their leader decides, from the walk of 2^K edges that starts at it (section 5.2.1).
    Leader,
    /// Each decides from minima that are the same for all of them (appendix F, see
    /// [`super::sketch`]).
    MinSketch {
        /// How many codewords each message carries for either colour.
        codewords: u32,
    },
}

/// What is run in one slot. SC and SO flip a coin at the beginning of each slot, which decides
/// between [`Variant::E`] and [`Variant::C`] or [`Variant::So`]; the coin is no matter of the
/// messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variant {
    /// C-SERENADE (5.1): a cycle that is not ouroboros stays green.
    C,
    /// O-SERENADE (5.2): the comparison of a walk that is not a whole number of turns decides.
    O {
        /// Which vertex leads a cycle.
        leader: Leader,
        /// How decisions agree.
        consistency: Consistency,
    },
    /// E-SERENADE (5.3): a distributed binary search finds a whole number of turns. The leader is
    /// the smallest identity.
    E,
    /// The O part of SO-SERENADE (6): as O, but a cycle that is not ouroboros and has a red or a
    /// green edge heavier than `cow` stays green.
    So {
        /// The weight above which an edge is overweight.
        cow: u32,
        /// Which vertex leads a cycle.
        leader: Leader,
        /// How decisions agree.
        consistency: Consistency,
    },
}

impl Variant {
    /// By which identity leaders are elected; None if there are no leaders.
    pub fn election(self) -> Option<Leader> {
        match self {
            Self::C => None,
            Self::E => Some(Leader::Fixed),
            Self::O { leader, consistency } | Self::So { leader, consistency, .. } => match consistency {
                Consistency::Leader => Some(leader),
                Consistency::MinSketch { .. } => None,
            },
        }
    }

    /// How many codewords of either colour are exchanged; none without a sketch.
    pub fn codewords(self) -> Option<u32> {
        match self {
            Self::O { consistency, .. } | Self::So { consistency, .. } => match consistency {
                Consistency::Leader => None,
                Consistency::MinSketch { codewords } => Some(codewords),
            },
            Self::C | Self::E => None,
        }
    }

    /// The weight above which an edge is overweight, if that matters.
    pub fn cow(self) -> Option<u32> {
        if let Self::So { cow, .. } = self { Some(cow) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::serena::ouroboros::last_iteration;

    #[test]
    fn the_last_iteration_is_the_logarithm_rounded_up() {
        for ports in 1..=4096usize {
            let last = last_iteration(ports);
            assert!(1 << last >= ports && (last == 0 || 1 << (last - 1) < ports), "{ports}: {last}");
        }
    }

    #[test]
    fn ties() {
        assert!(Tie::Green.is_red(3, 2) && !Tie::Green.is_red(2, 2) && !Tie::Green.is_red(1, 2));
        assert!(Tie::Red.is_red(3, 2) && Tie::Red.is_red(2, 2) && !Tie::Red.is_red(1, 2));
    }
}
