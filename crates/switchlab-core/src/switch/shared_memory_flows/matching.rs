//! Memories for all cells of a slot at once, section V-B.
//!
//! A memory is compatible with a cell if it was given none of the last P-1 cells of its flow.
//! Several cells of a flow may arrive in a slot: the one that is preceded by r others of this slot
//! conflicts with the last P-1-r cells of earlier slots. It needs no conflict with the r cells of
//! this slot, since a matching gives all cells of a slot different memories. So each cell has at
//! most P-1 conflicts, and P-1 memories more than the number that each cell has to fit are enough
//! for the matchers of `psm`.

use super::stripes::Stripes;
use crate::cell::{NONE, Port, Slot};
use crate::port_set::PortSet;
use crate::switch::shared_memory::{Colouring, Halving, Matcher};
use alloc::vec::Vec;

#[derive(Clone, Debug)]
enum Method {
    Halving(Halving),
    Colouring(Colouring),
}

/// A cell of this slot: its input, its flow, and its entry among the last cells of the flow.
type Arrived = (Port, u32, u32);

/// A matcher, and the cells of a slot.
#[derive(Clone, Debug)]
pub(super) struct Matching<const W: usize> {
    method: Method,
    memories: usize,
    arrived: Vec<Arrived>,
    /// The memories that fit each of them.
    fits: Vec<PortSet<W>>,
    /// Their memories.
    found: Vec<Port>,
}

impl<const W: usize> Matching<W> {
    /// None for first-fit, and for what places cells one by one.
    pub(super) fn new(matcher: Matcher, ports: usize, memories: usize) -> Option<Self> {
        let method = match matcher {
            Matcher::FirstFit | Matcher::Greedy | Matcher::Maximum => return None,
            Matcher::Halving => Method::Halving(Halving::by_lists(ports, memories)),
            Matcher::Colouring => Method::Colouring(Colouring::koenig(ports, memories)),
            Matcher::Lpv => Method::Colouring(Colouring::lev_pippenger_valiant(ports, memories)),
        };
        Some(Self {
            method,
            memories,
            arrived: Vec::with_capacity(ports),
            fits: Vec::with_capacity(ports),
            found: Vec::with_capacity(ports),
        })
    }

    /// The bytes of all lists. They do not change.
    pub(super) fn bytes(&self) -> u64 {
        let method = match &self.method {
            Method::Halving(halving) => halving.bytes(),
            Method::Colouring(colouring) => colouring.bytes(),
        };
        method + (self.arrived.capacity() * size_of::<(Arrived, PortSet<W>, Port)>()) as u64
    }

    /// Finds a memory for each cell of a slot; `flows` are those of the inputs that have one. An
    /// error is an input whose cell has no memory.
    pub(super) fn find(
        &mut self,
        now: Slot,
        arrivals: &[Port],
        flows: &[u32],
        stripes: &mut Stripes<W>,
        placed: &mut Vec<Port>,
    ) -> Result<(), usize> {
        self.arrived.clear();
        self.fits.clear();
        for (input, (_, &flow)) in (0..).zip(arrivals.iter().zip(flows)).filter(|(_, (output, _))| **output != NONE) {
            let (fits, entry) = stripes.reserve(flow as usize);
            self.arrived.push((input, flow, entry));
            self.fits.push(fits);
        }
        match &mut self.method {
            Method::Halving(halving) => halving.place_by_sets(self.memories, &self.fits, &mut self.found),
            Method::Colouring(colouring) => {
                colouring.place(now, self.fits.len(), |cell| self.fits[cell], &mut self.found);
            }
        }
        placed.clear();
        placed.resize(arrivals.len(), NONE);
        for (&(input, flow, entry), &memory) in self.arrived.iter().zip(&self.found) {
            if memory == NONE {
                return Err(usize::from(input));
            }
            placed[usize::from(input)] = memory;
            stripes.assign(flow as usize, entry, memory);
        }
        Ok(())
    }
}
