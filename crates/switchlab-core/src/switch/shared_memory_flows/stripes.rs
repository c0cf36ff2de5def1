//! Stripes: which memories a flow's next cell may go to.

use crate::cell::{NONE, Port};
use crate::port_set::PortSet;
use crate::switch::allocated;
use crate::switch::shared_memory::Placement;
use alloc::vec;
use alloc::vec::Vec;

/// The memories of the last P-1 cells of every flow.
#[derive(Clone, Debug)]
pub(super) struct Stripes<const W: usize> {
    stripe: usize,
    placement: Placement,
    /// All memories.
    all: PortSet<W>,
    /// By flow: the memories of its last P-1 cells, all different.
    recent: Vec<PortSet<W>>,
    /// By flow: the same as a ring, and where its oldest is.
    ring: Vec<Port>,
    oldest: Vec<u32>,
}

impl<const W: usize> Stripes<W> {
    /// For `flows` flows, each striped over `stripe` of `memories` memories.
    pub(super) fn new(flows: usize, stripe: usize, memories: usize, placement: Placement) -> Self {
        Self {
            stripe,
            placement,
            all: PortSet::all(memories),
            recent: vec![PortSet::EMPTY; flows],
            ring: vec![NONE; flows * (stripe - 1)],
            oldest: vec![0; flows],
        }
    }

    /// The bytes of all lists. They do not change.
    pub(super) fn bytes(&self) -> u64 {
        allocated(&self.recent) + allocated(&self.ring) + allocated(&self.oldest)
    }

    /// P.
    pub(super) fn stripe(&self) -> usize {
        self.stripe
    }

    /// The memory of a flow's next cell, which is then written; None if there is none.
    #[inline(always)]
    pub(super) fn find(&mut self, flow: usize, written: &mut PortSet<W>, occupancy: &[u32]) -> Option<Port> {
        let recent = &mut self.recent[flow];
        let left = self.all.difference(written).difference(recent);
        let memory = self.placement.pick(&left, occupancy)?;
        written.insert(memory);
        if self.stripe > 1 {
            let oldest = self.oldest[flow] as usize;
            let place = &mut self.ring[flow * (self.stripe - 1) + oldest];
            let leaves = core::mem::replace(place, memory as Port);
            if leaves != NONE {
                recent.remove(leaves as usize);
            }
            recent.insert(memory);
            self.oldest[flow] = if oldest + 1 == self.stripe - 1 { 0 } else { oldest as u32 + 1 };
        }
        Some(memory as Port)
    }

    /// The memories that fit a flow's next cell, for a matcher of all cells of a slot, and the
    /// entry of the ring that the cell takes. The cells of a slot are reserved in the order of
    /// inputs, and then [`Self::assign`]ed in the same order.
    pub(super) fn reserve(&mut self, flow: usize) -> (PortSet<W>, u32) {
        let recent = &mut self.recent[flow];
        let fits = self.all.difference(recent);
        if self.stripe == 1 {
            return (fits, 0);
        }
        let oldest = self.oldest[flow];
        let leaves = core::mem::replace(&mut self.ring[flow * (self.stripe - 1) + oldest as usize], NONE);
        if leaves != NONE {
            recent.remove(leaves as usize);
        }
        self.oldest[flow] = if oldest as usize + 1 == self.stripe - 1 { 0 } else { oldest + 1 };
        (fits, oldest)
    }

    /// Gives the cell of an entry its memory. With P cells of a flow in a slot or more, an entry is
    /// taken again, and the last cell has it.
    pub(super) fn assign(&mut self, flow: usize, entry: u32, memory: Port) {
        if self.stripe == 1 {
            return;
        }
        let leaves = core::mem::replace(&mut self.ring[flow * (self.stripe - 1) + entry as usize], memory);
        if leaves != NONE {
            self.recent[flow].remove(leaves as usize);
        }
        self.recent[flow].insert(memory as usize);
    }
}
