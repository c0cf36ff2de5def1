//! What an element keeps of a flow group.

use crate::cell::Slot;

/// The state of a flow group in one word, which a step loads once and stores once:
///
/// ```text
///   bit 0  round    the outputs (in a distribution element) or the inputs (in a routing element)
///                   that have had their cell of this round of P cells
///       8  pointer  the next output port, for round-robin distribution
///      11  merge    the input port after the one that a cell was last dequeued from
///      14  held     cells in input buffers that wait for a predecessor; reference engine only
///      24  inputs   non-empty input buffers
///      32  outputs  non-empty output buffers
///      40  waits    output buffers of which one has to become empty before a cell can move;
///                   0 if the group waits for no room
///      48  touched  when a cell was last enqueued or dequeued, or the group tried, on a coarse
///                   clock; see [`clock`]
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Group(pub(crate) u64);

pub(crate) const POINTER: u32 = 8;
const MERGE: u32 = 11;
const HELD: u32 = 14;
pub(super) const INPUTS: u32 = 24;
pub(super) const OUTPUTS: u32 = 32;
const WAITS: u32 = 40;
const TOUCHED: u32 = 48;

/// The bits that are kept while the group is empty: round, pointer and merge.
pub(crate) const MEMORY: u64 = (1 << HELD) - 1;

/// A slot on a coarse clock, which wraps around.
pub(crate) const fn clock(slot: Slot) -> u16 {
    (slot / 256) as u16
}

impl Group {
    pub(crate) fn round(self) -> u8 {
        self.0 as u8
    }

    pub(crate) fn pointer(self) -> usize {
        (self.0 >> POINTER & 7) as usize
    }

    pub(crate) fn merge(self) -> usize {
        (self.0 >> MERGE & 7) as usize
    }

    pub(crate) fn held(self) -> u16 {
        (self.0 >> HELD & 0x3ff) as u16
    }

    pub(crate) fn set_held(&mut self, held: u16) {
        self.0 = self.0 & !(0x3ff << HELD) | u64::from(held) << HELD;
    }

    pub(crate) fn inputs(self) -> u8 {
        (self.0 >> INPUTS) as u8
    }

    pub(crate) fn outputs(self) -> u8 {
        (self.0 >> OUTPUTS) as u8
    }

    pub(crate) fn waits(self) -> u8 {
        (self.0 >> WAITS) as u8
    }

    pub(crate) fn touched(self) -> u16 {
        (self.0 >> TOUCHED) as u16
    }

    /// Whether all buffers are empty.
    pub(crate) fn is_empty(self) -> bool {
        self.0 & (0xffff << INPUTS) == 0
    }

    /// Whether all input buffers are empty and the group waits for no room.
    pub(crate) fn is_at_rest(self) -> bool {
        self.0 & (0xff << INPUTS | 0xff << WAITS) == 0
    }

    /// An input buffer is non-empty.
    pub(crate) fn fill_input(&mut self, port: usize) {
        self.0 |= 1 << INPUTS << port;
    }

    /// An input buffer is empty.
    pub(crate) fn empty_input(&mut self, port: usize) {
        self.0 &= !(1 << INPUTS << port);
    }

    /// An output buffer is non-empty.
    pub(crate) fn fill_output(&mut self, part: usize) {
        self.0 |= 1 << OUTPUTS << part;
    }

    /// An output buffer is empty.
    pub(crate) fn empty_output(&mut self, part: usize) {
        self.0 &= !(1 << OUTPUTS << part);
    }

    /// The time stamp of a slot, for [`Group::set_stamp`].
    pub(crate) fn stamp(slot: Slot) -> u64 {
        u64::from(clock(slot)) << TOUCHED
    }

    /// A cell was enqueued or dequeued in a slot of this stamp.
    pub(crate) fn set_stamp(&mut self, stamp: u64) {
        self.0 = self.0 & ((1 << TOUCHED) - 1) | stamp;
    }

    /// The group was tried in a slot of this stamp, and waits for room in one of these output
    /// buffers, if any.
    pub(crate) fn set_waits(&mut self, outputs: u8, stamp: u64) {
        self.0 = self.0 & ((1 << WAITS) - 1) | u64::from(outputs) << WAITS | stamp;
    }

    /// The number of the next cell in its round.
    pub(crate) fn rank(self) -> u32 {
        self.round().count_ones()
    }

    /// A cell moves from an input port to an output port, which has had its cell of the round.
    pub(crate) fn advance<const P: usize>(&mut self, port: usize, output: usize) {
        let (pointer, merge) = ((output + 1) % P, (port + 1) % P);
        self.0 = self.0 & !(7 << POINTER | 7 << MERGE) | (pointer as u64) << POINTER | (merge as u64) << MERGE;
        self.count::<P>(output);
    }

    /// A port has had its cell of the round, which ends after P cells.
    pub(crate) fn count<const P: usize>(&mut self, port: usize) {
        let round = self.0 & 0xff | 1 << port;
        // Compiles to a conditional move: a branch would be unpredictable.
        self.0 = self.0 & !0xff | if round + 1 == 1 << P { 0 } else { round };
    }

    /// A cell is enqueued in an input buffer; or, if it `passes`, in an output buffer, and its port
    /// has had its cell of the round. Branch-free.
    pub(crate) fn enqueue_or_pass<const P: usize>(&mut self, port: usize, part: usize, passes: bool) {
        let (mut enqueued, mut passed) = (*self, *self);
        enqueued.fill_input(port);
        passed.fill_output(part);
        passed.count::<P>(port);
        let mask = u64::from(passes).wrapping_neg();
        self.0 = enqueued.0 ^ ((enqueued.0 ^ passed.0) & mask);
    }

    /// A cell moves from an input port, where input buffers are merged without resequencing.
    pub(crate) fn merged<const P: usize>(&mut self, port: usize) {
        self.0 = self.0 & !(7 << MERGE) | (((port + 1) % P) as u64) << MERGE;
    }

    /// The next non-empty input buffer in round robin.
    pub(crate) fn turn(self) -> usize {
        let inputs = self.inputs();
        let above = inputs & (u8::MAX << self.merge());
        (if above != 0 { above } else { inputs }).trailing_zeros() as usize
    }

    /// The input port whose head-of-line cell is the next one of its round, if it is there.
    /// `numbers` are those of the head-of-line cells, in which the digit of this stage begins at
    /// bit `low`.
    pub(crate) fn next_in_sequence<const P: usize>(self, numbers: &[u16; P], low: u32) -> Option<usize> {
        const ONES: u64 = 0x0001_0001_0001_0001;
        // An input that has had its cell of this round holds cells of later rounds.
        let due = u64::from(self.inputs() & !self.round());
        let rank = u64::from(self.rank()) * ONES;
        // Four lanes of 16 bits in a word.
        for (numbers, first) in numbers.chunks(4).zip((0..).step_by(4)) {
            let lanes =
                numbers.iter().zip(0..).fold(0, |lanes, (&number, lane)| lanes | u64::from(number) << (16 * lane));
            let differing = ((lanes >> low) ^ rank) & (ONES * (P as u64 - 1));
            // A carry into the top bit of each lane whose digit differs from the rank.
            let other = differing + !(ONES << 15);
            let wanted = (due >> first).wrapping_mul(0x0000_2000_4000_8001) << 15 & (ONES << 15);
            let found = wanted & !other;
            if found != 0 {
                return Some(first + found.trailing_zeros() as usize / 16);
            }
        }
        None
    }

    /// Whether a cell with this digit, enqueued in an empty input buffer, is next in sequence.
    pub(crate) fn awaits(self, port: usize, digit: u32) -> bool {
        (self.round() >> port & 1 == 0) & (self.rank() == digit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against a search port by port, in every state of a group with four inputs.
    #[test]
    fn the_next_cell_of_a_round_is_found() {
        for (round, inputs, numbers) in
            (0..15).flat_map(|r| (0..16).flat_map(move |i| (0..256).map(move |n| (r, i, n))))
        {
            let group = Group(round | inputs << INPUTS);
            let number = |port: usize| numbers >> (2 * port) & 3;
            let due = |port: &usize| inputs >> port & 1 != 0 && round >> port & 1 == 0;
            let expected = (0..4).find(|port| due(port) && number(*port) == round.count_ones());
            for low in [0, 2, 10] {
                // The other digits of a number do not matter.
                let lanes = core::array::from_fn(|port| (number(port) << low | 0x5a5a & !(3 << low)) as u16);
                let found = group.next_in_sequence::<4>(&lanes, low);
                assert_eq!(found, expected, "round {round:b}, inputs {inputs:b}, numbers {numbers:b}, from {low}");
            }
            for port in (0..4).filter(due) {
                assert_eq!(group.awaits(port, number(port)), number(port) == round.count_ones());
            }
        }
    }
}
