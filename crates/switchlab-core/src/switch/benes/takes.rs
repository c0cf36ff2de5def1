//! Cells come to a stage, unless the fabric is lean.

use super::choices::{Sending, size};
use super::links::Section;
use super::record::Packed;
use super::settings::GENERAL;
use super::shape::below;
use super::store::{Buffers, Pool};
use super::work::Todo;
use crate::cell::Slot;

/// A stage that cells come to.
pub(super) struct Receiver<'a, const KIND: u8> {
    pub(super) now: Slot,
    pub(super) per_link: bool,
    /// Of an input buffer.
    pub(super) size: usize,
    /// If it puts cells into order: where the digit of their numbers begins.
    pub(super) low: u32,
    /// By element and group.
    pub(super) words: &'a mut [u32],
    pub(super) todo: Todo<'a>,
    /// Cells that are known to wait for one before them, in the next slot.
    pub(super) held: u64,
}

impl<const KIND: u8> Receiver<'_, KIND> {
    /// All cells come; how many are known to wait for one before them.
    #[inline(never)]
    pub(super) fn take_all<const P: usize, const WORDS: usize, const ORDERS: bool>(
        mut self,
        pool: &mut Pool<P>,
        mut links: Section<'_, WORDS>,
        ports: usize,
        sendings: &[Sending],
    ) -> u64 {
        let mut buffers = pool.open();
        for sending in sendings {
            let (to, end) = (sending.to as usize, usize::from(sending.position));
            let (into, from) = ((to, usize::from(sending.port)), (end, to & (ports - 1)));
            self.take::<P, WORDS, ORDERS>(&mut buffers, &mut links, into, from, sending.cell);
        }
        self.held
    }

    /// A cell comes to an input buffer, where it is for the next slot. `end` is where it comes from.
    #[inline(always)]
    pub(super) fn take<const P: usize, const WORDS: usize, const ORDERS: bool>(
        &mut self,
        buffers: &mut Buffers<'_, P>,
        links: &mut Section<'_, WORDS>,
        (at, port): (usize, usize),
        (end, group): (usize, usize),
        cell: Packed,
    ) {
        let at = below::<WORDS>(at, size::<P, WORDS>());
        let (place, mut state) = buffers.place(&mut self.words[at]);
        let record = &mut buffers.records[place];
        let is_first = state.inputs() >> port & 1 == 0;
        let lent = buffers.depths.push(record, is_first, place, port % P, cell);
        if KIND == GENERAL && self.per_link {
            *links.credits(end) -= 1;
        } else if self.size > 1 {
            links.exhaust(end, group, lent == self.size);
        }
        // A group that waits for room does not wait for cells.
        let mut wanted = KIND == GENERAL || state.waits() == 0;
        state.come(port % P);
        let mut touched = self.now;
        if ORDERS && KIND != GENERAL {
            // One that has to wait for another: as if it had been tried in the next slot, in vain. Without branches.
            let early = wanted & !(is_first & state.awaits(port, cell.digit::<P>(self.low)));
            state.set_held(state.held() + u16::from(early));
            touched = touched.wrapping_add(Slot::from(early));
            self.held += u64::from(early);
            wanted &= !early;
        }
        state.touch(touched);
        record.group = state;
        self.todo.add::<KIND>(at, place, wanted);
    }
}
