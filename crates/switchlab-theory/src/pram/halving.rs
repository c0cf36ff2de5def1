//! The reduction of appendix A: every degree is halved, by colouring edges alternately.
//!
//! The edges of an input, or of a memory, are paired by rank: first with second, third with fourth.
//! The pairs join the edges to paths and to cycles of even length. Along them walk two darts for
//! each edge, one that leaves it at its input and one at its memory; at the next edge a dart goes
//! on at the other end. By pointer doubling each dart learns, of all edges on its way, the one with
//! the smallest number and whether that is an odd number of edges away. Both darts of an edge
//! together see the whole path or cycle, so all its edges mean the same smallest one, and
//! neighbours differ in parity: that is the colour. The even ones stay.

use super::machine::{Fault, Word};
use super::matching::{Layout, Matching, doublings};

/// How far a walk has got: where it stands, and the smallest edge on its way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Dart {
    /// The dart that comes next, or the last one of a path.
    next: u32,
    /// The edge with the smallest number, of those passed.
    smallest: u32,
    /// Whether it is an odd number of edges away.
    pub(super) odd: bool,
}

impl Dart {
    fn pack(self) -> Word {
        Word::from(self.next) << 32 | Word::from(self.smallest) << 1 | Word::from(self.odd)
    }

    pub(super) fn unpack(word: Word) -> Self {
        Self { next: (word >> 32) as u32, smallest: (word as u32) >> 1, odd: word & 1 == 1 }
    }

    /// Goes on as far as the dart ahead has got. Its first edge is one away in the first doubling,
    /// and an even number later. Who stands at the end of a path learns nothing new there.
    pub(super) fn join(self, ahead: Self, first: bool) -> Self {
        let (smallest, odd) = if ahead.smallest < self.smallest {
            (ahead.smallest, ahead.odd != first)
        } else {
            (self.smallest, self.odd)
        };
        Self { next: ahead.next, smallest, odd }
    }
}

impl Matching {
    /// One halving, of inputs that have `degree` edges each, or fewer.
    pub(super) fn halve(&mut self, degree: usize) -> Result<(), Fault> {
        self.round += 1;
        self.rank_edges()?;
        self.pair_edges()?;
        self.walk(degree)?;
        self.keep_even()
    }

    /// Prefix sums along inputs and memories at once.
    pub(super) fn rank_edges(&mut self) -> Result<(), Fault> {
        let Self { machine, processors, layout, .. } = self;
        let Layout { ports, memories, edges, columns, .. } = *layout;
        let all = ports * memories;
        machine.step(&mut processors[..2 * all], |p, own, turn| {
            if p >= all {
                own.here = turn.read(edges.at(p - all)) == 1;
                turn.write(columns.at(p - all), Word::from(own.here));
            }
            own.sum = Word::from(own.here);
        })?;
        for distance in (0..doublings(memories.max(ports))).map(|doubling| 1 << doubling) {
            machine.step(&mut processors[..2 * all], |p, own, turn| {
                if p < all && p % memories >= distance {
                    own.sum += turn.read(edges.at(p - distance));
                    turn.write(edges.at(p), own.sum);
                } else if p >= all && (p - all) / memories >= distance {
                    own.sum += turn.read(columns.at(p - all - distance * memories));
                    turn.write(columns.at(p - all), own.sum);
                }
            })?;
        }
        Ok(())
    }

    /// Everybody writes its number where its partner will look for it, and looks for its partner's.
    /// What another halving has left there is told by its round.
    pub(super) fn pair_edges(&mut self) -> Result<(), Fault> {
        let Self { machine, processors, layout, round, .. } = self;
        let Layout { ports, memories, gamma, at_input, at_memory, walks, .. } = *layout;
        let all = ports * memories;
        let stamp = *round * all as Word;
        let slot = |p: usize, rank: usize| {
            if p < all {
                at_input.at(p / memories * gamma + rank)
            } else {
                at_memory.at((p - all) % memories * gamma + rank)
            }
        };
        machine.step(&mut processors[..2 * all], |p, own, turn| {
            if own.here {
                turn.write(slot(p, own.sum as usize - 1), stamp + (p % all) as Word);
            }
        })?;
        machine.step(&mut processors[..2 * all], |p, own, turn| {
            if own.here {
                let found = turn.read(slot(p, (own.sum as usize - 1) ^ 1));
                let partner = found.checked_sub(stamp).map(|edge| edge as usize).filter(|&edge| edge < all);
                let other_end = if p < all { all } else { 0 };
                let next = partner.map_or(p, |edge| edge + other_end);
                own.dart = Dart { next: next as u32, smallest: (p % all) as u32, odd: false };
                turn.write(walks.at(p), own.dart.pack());
            }
        })
    }

    /// Pointer doubling, until a walk is as long as there are edges.
    pub(super) fn walk(&mut self, degree: usize) -> Result<(), Fault> {
        let Self { machine, processors, layout, .. } = self;
        let Layout { ports, memories, walks, .. } = *layout;
        let all = ports * memories;
        for doubling in 0..doublings(ports * degree) {
            machine.step(&mut processors[..2 * all], |p, own, turn| {
                if own.here {
                    let ahead = Dart::unpack(turn.read(walks.at(own.dart.next as usize)));
                    own.dart = own.dart.join(ahead, doubling == 0);
                    turn.write(walks.at(p), own.dart.pack());
                }
            })?;
        }
        Ok(())
    }

    /// An edge asks its other dart, and stays if the smallest edge that either has seen is an even
    /// number of edges away.
    fn keep_even(&mut self) -> Result<(), Fault> {
        let Self { machine, processors, layout, .. } = self;
        let Layout { ports, memories, edges, walks, .. } = *layout;
        let all = ports * memories;
        machine.step(&mut processors[..all], |p, own, turn| {
            if own.here {
                let other = Dart::unpack(turn.read(walks.at(p + all)));
                own.here = !own.dart.join(other, false).odd;
            }
            turn.write(edges.at(p), Word::from(own.here));
        })
    }
}
