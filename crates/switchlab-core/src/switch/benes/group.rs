//! What an element knows of a flow group.

use crate::cell::Slot;

/// What an element knows of a flow group, in one word, which is loaded once and stored once in a step:
///
/// ```text
///   bit 0  round   what an element remembers when no cell is left: in a distribution element the outputs, in a routing element the
///                  inputs, that have had their cell of the current round of P cells;
///       8  pointer the next output port, for round-robin distribution;
///      11  merge   the input port after the one that a cell was taken from last
///      14  held    cells in input buffers that wait for one that comes before them; a lean fabric knows without
///      24  inputs  input buffers that are not empty
///      32  outputs output buffers that are not empty
///      40  waits   output buffers of which one has to become empty before the group can move a cell; 0 if nothing is known
///      48  touched when a cell last came, went or moved; see [`clock`]
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Group(pub(super) u64);

pub(super) const POINTER: u32 = 8;
const MERGE: u32 = 11;
const HELD: u32 = 14;
pub(super) const INPUTS: u32 = 24;
pub(super) const OUTPUTS: u32 = 32;
const WAITS: u32 = 40;
const TOUCHED: u32 = 48;

/// What is remembered when no cell is left.
pub(super) const MEMORY: u64 = (1 << HELD) - 1;

/// A slot on a coarse clock that goes round.
#[inline(always)]
pub(super) const fn clock(slot: Slot) -> u16 {
    (slot / 256) as u16
}

impl Group {
    #[inline(always)]
    pub(super) fn round(self) -> u8 {
        self.0 as u8
    }

    #[inline(always)]
    pub(super) fn pointer(self) -> usize {
        (self.0 >> POINTER & 7) as usize
    }

    #[inline(always)]
    pub(super) fn merge(self) -> usize {
        (self.0 >> MERGE & 7) as usize
    }

    #[inline(always)]
    pub(super) fn held(self) -> u16 {
        (self.0 >> HELD & 0x3ff) as u16
    }

    #[inline(always)]
    pub(super) fn set_held(&mut self, held: u16) {
        self.0 = self.0 & !(0x3ff << HELD) | u64::from(held) << HELD;
    }

    #[inline(always)]
    pub(super) fn inputs(self) -> u8 {
        (self.0 >> INPUTS) as u8
    }

    #[inline(always)]
    pub(super) fn outputs(self) -> u8 {
        (self.0 >> OUTPUTS) as u8
    }

    #[inline(always)]
    pub(super) fn waits(self) -> u8 {
        (self.0 >> WAITS) as u8
    }

    #[inline(always)]
    pub(super) fn touched(self) -> u16 {
        (self.0 >> TOUCHED) as u16
    }

    /// Whether no cell is in a buffer.
    #[inline(always)]
    pub(super) fn is_empty(self) -> bool {
        self.0 & (0xffff << INPUTS) == 0
    }

    /// Whether neither a cell is in an input buffer nor room is waited for.
    #[inline(always)]
    pub(super) fn is_at_rest(self) -> bool {
        self.0 & (0xff << INPUTS | 0xff << WAITS) == 0
    }

    /// A cell has come to an input buffer.
    #[inline(always)]
    pub(super) fn come(&mut self, port: usize) {
        self.0 |= 1 << INPUTS << port;
    }

    /// A cell has come to an output buffer.
    #[inline(always)]
    pub(super) fn fill(&mut self, part: usize) {
        self.0 |= 1 << OUTPUTS << part;
    }

    /// A cell has left an output buffer.
    #[inline(always)]
    pub(super) fn leave(&mut self, part: usize) {
        self.0 &= !(1 << OUTPUTS << part);
    }

    /// Something has happened in a slot.
    #[inline(always)]
    pub(super) fn touch(&mut self, now: Slot) {
        self.0 = self.0 & ((1 << TOUCHED) - 1) | u64::from(clock(now)) << TOUCHED;
    }

    /// A slot, as [`Group::set_stamp`] wants it.
    #[inline(always)]
    pub(super) fn stamp(slot: Slot) -> u64 {
        u64::from(clock(slot)) << TOUCHED
    }

    /// Something has happened in a slot of this stamp.
    #[inline(always)]
    pub(super) fn set_stamp(&mut self, stamp: u64) {
        self.0 = self.0 & ((1 << TOUCHED) - 1) | stamp;
    }

    /// The group was tried in a slot, and now waits for room in one of these output buffers, if any.
    #[inline(always)]
    pub(super) fn wait(&mut self, outputs: u8, now: Slot) {
        self.0 = self.0 & ((1 << WAITS) - 1) | u64::from(outputs) << WAITS | u64::from(clock(now)) << TOUCHED;
    }

    /// The same with a stamp.
    #[inline(always)]
    pub(super) fn set_waits(&mut self, outputs: u8, stamp: u64) {
        self.0 = self.0 & ((1 << WAITS) - 1) | u64::from(outputs) << WAITS | stamp;
    }

    /// The number of the next cell in its round.
    #[inline(always)]
    pub(super) fn rank(self) -> u32 {
        self.round().count_ones()
    }

    /// A cell moves from an input port, and `counted` has its cell of the round; after P cells the next round begins. With an output port it becomes the next one's turn.
    #[inline(always)]
    pub(super) fn advance<const P: usize>(&mut self, port: usize, counted: usize, pointer: usize) {
        let round = self.0 & 0xff | 1 << counted;
        // No branch, which nobody could predict.
        let round = if round + 1 == 1 << P { 0 } else { round };
        self.0 = self.0 & !MEMORY | round | (pointer as u64) << POINTER | (((port + 1) % P) as u64) << MERGE;
    }

    /// A cell moves from an input port, which has its cell of the round; nothing else is remembered.
    #[inline(always)]
    pub(super) fn count<const P: usize>(&mut self, port: usize) {
        let round = self.0 & 0xff | 1 << port;
        self.0 = self.0 & !0xff | if round + 1 == 1 << P { 0 } else { round };
    }

    /// A cell has come to an input buffer, or, if it `goes` on at once, to an output buffer, and its port has its cell of the round. Without branches.
    #[inline(always)]
    pub(super) fn arrive<const P: usize>(&mut self, port: usize, part: usize, goes: bool) {
        let mut on = Self(self.0 | 1 << OUTPUTS << part);
        on.count::<P>(port);
        let mut stays = *self;
        stays.come(port);
        let mask = u64::from(goes).wrapping_neg();
        self.0 = stays.0 ^ ((stays.0 ^ on.0) & mask);
    }

    /// A cell moves from an input port where nothing else is remembered.
    #[inline(always)]
    pub(super) fn merged<const P: usize>(&mut self, port: usize) {
        self.0 = self.0 & !(7 << MERGE) | (((port + 1) % P) as u64) << MERGE;
    }

    /// The input buffer whose turn it is, one of `inputs`, in round robin.
    #[inline(always)]
    pub(super) fn turn(self) -> usize {
        let inputs = self.inputs();
        let above = inputs & (u8::MAX << self.merge());
        (if above != 0 { above } else { inputs }).trailing_zeros() as usize
    }

    /// The input port whose first cell is the next one of its round, if it is there. `numbers` are those of the first cells; this stage's digits begin at `low`.
    #[inline(always)]
    pub(super) fn bearer<const P: usize>(self, numbers: &[u16; P], low: u32) -> Option<usize> {
        const ONES: u64 = 0x0001_0001_0001_0001;
        // An input that has had its cell of this round holds cells of later ones.
        let due = u64::from(self.inputs() & !self.round());
        let rank = u64::from(self.rank()) * ONES;
        // Four numbers at a time, 16 bits each.
        for (numbers, first) in numbers.chunks(4).zip((0..).step_by(4)) {
            let lanes =
                numbers.iter().zip(0..).fold(0, |lanes, (&number, lane)| lanes | u64::from(number) << (16 * lane));
            let differing = ((lanes >> low) ^ rank) & (ONES * (P as u64 - 1));
            // The highest bit of each lane that is 0 stays 0; that of each that is due would be 1.
            let other = differing + !(ONES << 15);
            let wanted = (due >> first).wrapping_mul(0x0000_2000_4000_8001) << 15 & (ONES << 15);
            let found = wanted & !other;
            if found != 0 {
                return Some(first + found.trailing_zeros() as usize / 16);
            }
        }
        None
    }

    /// Whether a first cell that comes now to an input port, with this number, is the next one of its round.
    #[inline(always)]
    pub(super) fn awaits(self, port: usize, digit: u32) -> bool {
        (self.round() >> port & 1 == 0) & (self.rank() == digit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of the cells that are due, the one that bears the rank; every state of a group with four inputs.
    #[test]
    fn the_next_cell_of_a_round_is_found() {
        for (round, inputs, numbers) in
            (0..15).flat_map(|r| (0..16).flat_map(move |i| (0..256).map(move |n| (r, i, n))))
        {
            let group = Group(round | inputs << INPUTS);
            let number = |port: usize| numbers >> (2 * port) & 3;
            let due = |port: &usize| inputs >> port & 1 != 0 && round >> port & 1 == 0;
            let bearer = (0..4).find(|port| due(port) && number(*port) == round.count_ones());
            for low in [0, 2, 10] {
                // What else a number has does not matter.
                let lanes = core::array::from_fn(|port| (number(port) << low | 0x5a5a & !(3 << low)) as u16);
                let found = group.bearer::<4>(&lanes, low);
                assert_eq!(found, bearer, "round {round:b}, inputs {inputs:b}, numbers {numbers:b}, from {low}");
            }
            for port in (0..4).filter(due) {
                assert_eq!(group.awaits(port, number(port)), number(port) == round.count_ones());
            }
        }
    }
}
