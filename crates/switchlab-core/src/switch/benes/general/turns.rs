//! Whose turn it is: the schedulers of links, of priority levels and of merging.

use super::store::Sets;
use crate::rng::Rng;
use alloc::vec::Vec;

/// How an end of a link chooses a flow group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// In turns; with weights, several cells in a turn. Weights are by number modulo their count;
    /// none are weights of 1.
    Turns(Vec<u32>),
    /// Any.
    Random,
    /// The one whose cell arrived first.
    Oldest,
    /// The lowest.
    Fixed,
    /// The first at or after a start that is drawn anew once in each period.
    Redrawn(u32),
}

/// A pointer, and the turns left to the one that it points at.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Turn {
    pub(crate) at: u16,
    left: u16,
}

/// A weight; they are at most 1000.
fn weight(weights: &[u32], member: usize) -> u16 {
    if weights.is_empty() { 1 } else { weights[member % weights.len()] as u16 }
}

impl Turn {
    /// A turn without weights.
    pub(crate) fn at(at: usize) -> Self {
        Self { at: at as u16, left: 1 }
    }

    /// The first turn.
    pub(crate) fn first(weights: &[u32]) -> Self {
        Self { at: 0, left: weight(weights, 0) }
    }

    /// One of `count` was served.
    pub(crate) fn served(&mut self, weights: &[u32], member: usize, count: usize) {
        if usize::from(self.at) != member {
            *self = Self { at: member as u16, left: weight(weights, member) };
        }
        self.left -= 1;
        if self.left == 0 {
            let next = (member + 1) % count;
            *self = Self { at: next as u16, left: weight(weights, next) };
        }
    }
}

impl Order {
    /// The weights, if it has some.
    pub(super) fn weights(&self) -> &[u32] {
        if let Self::Turns(weights) = self { weights } else { &[] }
    }

    /// The member that is chosen among those of a set that are able. `age` is looked at for the
    /// oldest only.
    pub(super) fn choose(
        &self,
        turn: Turn,
        (sets, owner): (&Sets, usize),
        rng: &mut Rng,
        able: impl Fn(usize) -> bool,
        age: impl Fn(usize) -> u32,
    ) -> Option<usize> {
        let from = usize::from(turn.at);
        match self {
            Self::Turns(_) | Self::Redrawn(_) => {
                let after = sets.members(owner, from).find(|&member| able(member));
                after
                    .or_else(|| sets.members(owner, 0).take_while(|&member| member < from).find(|&member| able(member)))
            }
            Self::Fixed => sets.members(owner, 0).find(|&member| able(member)),
            Self::Oldest => {
                sets.members(owner, 0).filter(|&member| able(member)).min_by_key(|&member| (age(member), member))
            }
            Self::Random => {
                let eligible = || sets.members(owner, 0).filter(|&member| able(member));
                match eligible().count() {
                    0 | 1 => eligible().next(),
                    several => eligible().nth(rng.below(several)),
                }
            }
        }
    }
}

/// The members of a small set, ascending.
pub(super) fn members(set: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |member| set >> member & 1 != 0)
}

/// The first member of a small set at or after one, in a circle.
pub(super) fn first_from(set: u32, from: usize) -> Option<usize> {
    let after = set & (u32::MAX << from);
    let some = if after == 0 { set } else { after };
    (some != 0).then(|| some.trailing_zeros() as usize)
}
