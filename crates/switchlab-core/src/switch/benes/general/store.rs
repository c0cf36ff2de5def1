//! Cells and their queues: FIFO buffers as linked lists in one pool.

use super::state::Packet;
use alloc::vec;
use alloc::vec::Vec;

const NIL: u32 = u32::MAX;

/// A FIFO queue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fifo {
    head: u32,
    tail: u32,
    pub(super) length: u32,
}

impl Fifo {
    pub(super) const EMPTY: Self = Self { head: NIL, tail: NIL, length: 0 };

    pub(super) fn is_empty(&self) -> bool {
        self.length == 0
    }
}

/// The cells of all queues.
#[derive(Clone, Debug, Default)]
pub(super) struct Pool {
    nodes: Vec<(Packet, u32)>,
    free: Vec<u32>,
}

impl Pool {
    /// Bytes for each cell, growth included.
    pub(super) const BYTES_PER_CELL: usize = 4 * (size_of::<(Packet, u32)>() + 4);

    /// Appends a cell.
    pub(super) fn push(&mut self, queue: &mut Fifo, cell: Packet) {
        let node = self.free.pop().unwrap_or(self.nodes.len() as u32);
        match self.nodes.get_mut(node as usize) {
            Some(free) => *free = (cell, NIL),
            None => self.nodes.push((cell, NIL)),
        }
        if queue.is_empty() {
            queue.head = node;
        } else {
            self.nodes[queue.tail as usize].1 = node;
        }
        queue.tail = node;
        queue.length += 1;
    }

    /// The head-of-line cell, if there is one.
    pub(super) fn head(&self, queue: &Fifo) -> Option<&Packet> {
        self.nodes.get(queue.head as usize).map(|node| &node.0)
    }

    /// Removes the head-of-line cell, if there is one.
    pub(super) fn pop(&mut self, queue: &mut Fifo) -> Option<Packet> {
        self.remove(queue, |_| true)
    }

    /// Removes the first cell that is wanted, if there is one.
    pub(super) fn remove(&mut self, queue: &mut Fifo, wanted: impl Fn(&Packet) -> bool) -> Option<Packet> {
        let (mut before, mut at) = (NIL, queue.head);
        while at != NIL && !wanted(&self.nodes[at as usize].0) {
            (before, at) = (at, self.nodes[at as usize].1);
        }
        let &(cell, after) = self.nodes.get(at as usize)?;
        if before == NIL {
            queue.head = after;
        } else {
            self.nodes[before as usize].1 = after;
        }
        if after == NIL {
            queue.tail = before;
        }
        queue.length -= 1;
        self.free.push(at);
        Some(cell)
    }

    /// The cells of a queue, first to last.
    pub(super) fn cells(&self, queue: &Fifo) -> impl Iterator<Item = &Packet> {
        let mut at = queue.head;
        core::iter::from_fn(move || {
            let (cell, next) = self.nodes.get(at as usize)?;
            at = *next;
            Some(cell)
        })
    }
}

/// Sets of lanes, one for each owner.
#[derive(Clone, Debug)]
pub(crate) struct Sets {
    words: usize,
    bits: Vec<u64>,
}

impl Sets {
    pub(crate) fn new(owners: usize, members: usize) -> Self {
        let words = members.div_ceil(64);
        Self { words, bits: vec![0; owners * words] }
    }

    pub(crate) fn bytes(owners: usize, members: usize) -> usize {
        8 * owners * members.div_ceil(64)
    }

    pub(crate) fn set(&mut self, owner: usize, member: usize, is_in: bool) {
        let word = &mut self.bits[owner * self.words + member / 64];
        *word = *word & !(1 << (member % 64)) | u64::from(is_in) << (member % 64);
    }

    pub(crate) fn has(&self, owner: usize, member: usize) -> bool {
        self.bits[owner * self.words + member / 64] >> (member % 64) & 1 != 0
    }

    pub(crate) fn clear(&mut self, owner: usize) {
        self.bits[owner * self.words..][..self.words].fill(0);
    }

    /// The first member at or after `from`, if there is one.
    pub(crate) fn from(&self, owner: usize, from: usize) -> Option<usize> {
        let words = &self.bits[owner * self.words..][..self.words];
        let mut word = from / 64;
        let mut bits = words.get(word)? & (u64::MAX << (from % 64));
        while bits == 0 {
            word += 1;
            bits = *words.get(word)?;
        }
        Some(word * 64 + bits.trailing_zeros() as usize)
    }

    /// The members at or after `from`, ascending.
    pub(crate) fn members(&self, owner: usize, from: usize) -> impl Iterator<Item = usize> {
        let mut next = from;
        core::iter::from_fn(move || {
            let member = self.from(owner, next)?;
            next = member + 1;
            Some(member)
        })
    }
}
