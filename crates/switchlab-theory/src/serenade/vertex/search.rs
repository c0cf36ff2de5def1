//! The distributed binary search of E-SERENADE at a vertex (Procedure 2, section 5.3).
//!
//! The administrator of a search holds the red and the green weight of the walk from L0 to itself,
//! and looks for a repetition of L0 in the precinct of level k that is right-ended at it. Its
//! precinct leaders of all levels tell it in which half one is.

use super::{Outgoing, Vertex};
use crate::serenade::message::{Address, Baton, Message, Round};

impl Vertex {
    /// The baton arrives. Line 2: at L0 the search has ended, and the walk is a whole number of
    /// turns.
    pub(super) fn take(&mut self, round: Round, baton: Baton) {
        if self.leader() == Some(self.identity) {
            self.verdict = Some(self.rules.tie.is_red(baton.red, baton.green));
            // Each move takes one round, so the clock says how many there were.
            self.moves = if let Round::Search(step) = round { Some(step) } else { None };
        } else {
            self.baton = Some(baton);
        }
    }

    /// Lines 3 to 13: narrows the interval, and passes the baton on.
    pub(super) fn pass(&mut self) -> Outgoing {
        let mut baton = self.baton.take()?;
        let leader = self.leader()?;
        loop {
            // At level 0 nothing is left to halve. It is not reached: L0 is in every interval, and
            // at level 1 only the middle is left for it.
            let half = baton.level.checked_sub(1)?;
            let middle = self.memory.up.get(half)?;
            baton.level = half;
            // Line 3: the middle is L0. Line 8, otherwise: L0 is not in the right half. The middle
            // carries on in both cases (lines 6 and 13).
            if middle.vertex == leader || self.leaders.get(half as usize) != Some(&leader) {
                baton.red -= middle.red;
                baton.green -= middle.green;
                return Some((Address::Input(middle.vertex), Message::Search(baton)));
            }
            // Line 9: it is; no message to oneself.
        }
    }
}
