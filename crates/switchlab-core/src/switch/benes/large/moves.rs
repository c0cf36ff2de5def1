//! Moves in the elements of a large fabric, of what could not go on at once: as in `lean_moves`.

use super::block::{size, word};
use super::ends::Section;
use super::line::{GROUPS, Line};
use super::takes::Receiver;
use crate::cell::Port;
use crate::fetch::fetch;
use crate::switch::benes::group::Group;
use crate::switch::benes::links;
use crate::switch::benes::shape::{Routing, below, known};
use crate::switch::benes::work::Listed;

/// A cell that has moved: where its group is kept; its input port and, above it, its output buffer.
pub(super) type Moved = (u32, u32);

/// So many groups or moves before they are needed, their lines and records are fetched.
const AHEAD: usize = 24;

/// Where the links to a stage begin.
pub(super) enum Inlets<'a, const WORDS: usize> {
    Cards(links::Section<'a, WORDS>),
    /// How the stage before routes, by position where the link to it begins, the lines of that stage, and the ends.
    Stage(Routing, &'a [Port], &'a mut [Line], Section<'a, WORDS>),
}

impl<const P: usize, const WORDS: usize> Receiver<'_, P, WORDS> {
    /// The groups are tried, in any order, until no cell or no room is left. Whether a cell has moved, and how many more are held back by one before them now. `moved` has room for all.
    #[inline(always)]
    pub(super) fn move_all(
        &mut self,
        groups: &[Listed],
        moved: &mut [Moved],
        mut inlets: Inlets<'_, WORDS>,
    ) -> (bool, u64) {
        if groups.is_empty() {
            return (false, 0);
        }
        let (count, held) =
            if self.routing.distributes { (self.distribute(groups, moved), 0) } else { self.resequence(groups, moved) };
        self.settle(&moved[..count], &mut inlets);
        (count > 0, held)
    }

    /// Brings the record and the line of a group near.
    #[inline(always)]
    fn fetch(&self, (at, place): Listed) {
        fetch(&self.places.records[place as usize]);
        fetch(&self.lines[at as usize / GROUPS]);
    }

    #[inline(never)]
    fn distribute(&mut self, groups: &[Listed], moved: &mut [Moved]) -> usize {
        let stamp = Group::stamp(self.now.wrapping_add(1));
        let mut count = 0;
        for (i, &(at, place)) in groups.iter().enumerate() {
            if let Some(&later) = groups.get(i + AHEAD) {
                self.fetch(later);
            }
            let record = &mut self.places.records[place as usize];
            let mut state = record.group;
            let waits = loop {
                if state.inputs() == 0 {
                    break 0;
                }
                let output = state.pointer() % P;
                if state.outputs() >> output & 1 != 0 {
                    break 1 << output;
                }
                let port = state.turn() % P;
                let digit = state.rank();
                state.advance::<P>(port, output, (output + 1) % P);
                record.shift(&mut state, (port, output), digit, self.routing.low);
                moved[count] = (at, (port | output << 4) as u32);
                count += 1;
            };
            state.set_waits(waits, stamp);
            record.group = state;
        }
        count
    }

    #[inline(never)]
    fn resequence(&mut self, groups: &[Listed], moved: &mut [Moved]) -> (usize, u64) {
        let (stamp, low) = (Group::stamp(self.now.wrapping_add(1)), self.routing.low);
        let (mut count, mut held) = (0, 0u64);
        for (i, &(at, place)) in groups.iter().enumerate() {
            if let Some(&later) = groups.get(i + AHEAD) {
                self.fetch(later);
            }
            let record = &mut self.places.records[place as usize];
            let mut state = record.group;
            // A group that waits for no room is tried because of one cell that came, and the others are held.
            let before = if state.waits() == 0 { state.inputs().count_ones() - 1 } else { 0 };
            let (after, waits) = loop {
                let Some(port) = state.bearer::<P>(record.numbers(), low) else {
                    break (state.inputs().count_ones(), 0);
                };
                let part = record.source(port % P, self.number) >> low & (P - 1);
                if state.outputs() >> part & 1 != 0 {
                    break (0, 1 << part);
                }
                record.shift(&mut state, (port % P, part), 0, low);
                state.count::<P>(port % P);
                moved[count] = (at, (port | part << 4) as u32);
                count += 1;
                if state.inputs() == 0 {
                    break (0, 0);
                }
            };
            held = held.wrapping_add(u64::from(after)).wrapping_sub(u64::from(before));
            state.set_waits(waits, stamp);
            record.group = state;
        }
        (count, held)
    }

    /// Cells have moved: their credits go back to where the links to the stage begin, and the links out of it are told.
    #[inline(never)]
    fn settle(&mut self, moved: &[Moved], inlets: &mut Inlets<'_, WORDS>) {
        let bits = known::<WORDS>(self.outlets.pointers.len()).trailing_zeros();
        let low = self.routing.low;
        for (i, &(at, ports)) in moved.iter().enumerate() {
            if let Some(&(at, ports)) = moved.get(i + AHEAD) {
                inlets.fetch::<P>((at as usize >> bits) * P + ports as usize % P, at as usize & ((1 << bits) - 1));
            }
            let (element, group) = (at as usize >> bits, at as usize & ((1 << bits) - 1));
            let (port, part) = (ports as usize % P, ports as usize >> 4 & (P - 1));
            let own = word::<P, WORDS>(self.lines, at as usize);
            *own |= 1 << part;
            let fresh = *own >> (P + part) & 1;
            let (output, on) = if self.routing.distributes {
                (part, group)
            } else {
                let output = group >> low & (P - 1);
                (output, group ^ ((output ^ part) << low))
            };
            self.outlets.wake(element * P + output, on, fresh);
            inlets.restore::<P>(element * P + port, group);
        }
    }
}

impl<const WORDS: usize> Inlets<'_, WORDS> {
    /// Brings the line near that has the credits of a group for an input of the stage.
    #[inline(always)]
    fn fetch<const P: usize>(&self, input: usize, group: usize) {
        if let Self::Stage(routing, previous, lines, _) = self {
            let (_, at, _) = behind::<P, WORDS>(*routing, previous, input, group);
            fetch(&lines[below::<WORDS>(at / GROUPS, size::<P, WORDS>())]);
        }
    }

    /// A group has a credit again for an input of the stage.
    #[inline(always)]
    fn restore<const P: usize>(&mut self, input: usize, group: usize) {
        match self {
            Self::Cards(cards) => cards.restore(input, group),
            Self::Stage(routing, previous, lines, ends) => {
                let (end, at, part) = behind::<P, WORDS>(*routing, previous, input, group);
                let word = word::<P, WORDS>(lines, at);
                *word |= 1 << (P + part);
                ends.wake(end, group, *word >> part & 1);
            }
        }
    }
}

/// Where the link to an input begins, and where a group is kept there, and in which part.
#[inline(always)]
fn behind<const P: usize, const WORDS: usize>(
    routing: Routing,
    previous: &[Port],
    input: usize,
    group: usize,
) -> (usize, usize, usize) {
    let bits = known::<WORDS>(previous.len()).trailing_zeros();
    let end = usize::from(previous[below::<WORDS>(input, 64 * WORDS)]);
    let (inner, part) = routing.behind::<P>(end % P, group);
    (end, (end / P) << bits | inner, part)
}
