//! Batches of cells on their way from one stage to the next, small enough for the first cache.
//!
//! Arithmetic on rows of the batch is vectorised. Lookups are in loops so short that many cache
//! misses overlap.

use crate::cell::Slot;
use crate::switch::benes::element::group::Group;
use crate::switch::benes::element::record::{
    FabricCell, OpenPool, UnitBuffers, UnitRecord, index, index_if_open, word_of,
};
use crate::switch::benes::element::transfer::Listed;
use crate::switch::benes::links::{Active, Section};
use crate::switch::benes::routing::{PORT, Routing, exactly, groups, masked};
use alloc::vec;
use alloc::vec::Vec;

/// Cells of a batch, at most.
pub(super) const CELLS: usize = 64;

/// A row of numbers, one for each cell.
type Row = [u32; CELLS];

/// Cells on their way from one stage to the next.
#[derive(Clone, Debug)]
pub(super) struct Batch {
    /// Entries in use. Those behind are stale.
    length: usize,
    /// The position at the beginning of the link and, in the lower 16 bits, the group.
    sent: Row,
    /// Where the sender keeps the group; then the output position and the group to which the cell
    /// passes, if it does.
    from: Row,
    /// The sender's record; then the receiver's.
    record: Row,
    /// The output buffer of the group; then input port, digit and output buffer at the receiver.
    part: Row,
    /// Where the receiver keeps the group and, from bit [`PORT`] on, the input port.
    to: Row,
    /// The cells: arrival slot; tag.
    born: Row,
    tag: Row,
}

/// The groups of a stage that may be able to move a cell, in any order.
#[derive(Clone, Debug)]
pub(super) struct Worklist {
    /// In a slot at most a cell is enqueued and one dequeued at each port. This is twice as much,
    /// since the lists are written without a branch, and a power of two.
    list: Vec<Listed>,
    count: usize,
}

impl Worklist {
    pub(super) fn new(ports: usize) -> Self {
        Self { list: vec![(0, 0); 4 * ports], count: 0 }
    }

    /// All groups, which are no longer listed then.
    pub(super) fn drain(&mut self) -> &[Listed] {
        &self.list[..core::mem::take(&mut self.count)]
    }

    pub(super) fn has(&self, at: usize) -> bool {
        self.list[..self.count].iter().any(|listed| listed.0 as usize == at)
    }
}

/// The index in its stage of a receiver's group.
fn group_of(to: u32) -> u32 {
    to & ((1 << PORT) - 1)
}

impl Batch {
    /// No cells.
    pub(super) const EMPTY: Self = Self {
        length: 0,
        sent: [0; CELLS],
        from: [0; CELLS],
        record: [0; CELLS],
        part: [0; CELLS],
        to: [0; CELLS],
        born: [0; CELLS],
        tag: [0; CELLS],
    };

    /// Finds the groups and output buffers of cells that are sent.
    #[inline(always)]
    fn locate_senders<const P: usize>(&mut self, routing: Routing, bits: u32) {
        for ((&sent, from), part) in self.sent.iter().zip(&mut self.from).zip(&mut self.part) {
            let (inner, own) = routing.behind::<P>((sent >> 16) as usize % P, (sent & 0xffff) as usize);
            *from = (sent >> (16 + P.trailing_zeros())) << bits | inner as u32;
            *part = own as u32;
        }
    }

    /// Cells are sent from a stage: finds their records, and loads them and those of the receivers
    /// into the cache. `beyond` has, by position, where its link ends, and the receivers' words.
    #[inline(never)]
    pub(super) fn locate<const P: usize, const WORDS: usize>(
        &mut self,
        sent: &[Active],
        routing: Routing,
        ports: usize,
        records: &[UnitRecord<P>],
        senders: &[u32],
        beyond: Option<(&[u32], &[u32])>,
    ) {
        self.length = sent.len();
        let length = sent.len().min(CELLS);
        self.sent[..length].copy_from_slice(sent);
        let bits = ports.trailing_zeros();
        // Each kind of stage in a loop of its own, without a branch for each cell.
        match (routing.distributes, routing.split) {
            (true, _) => self.locate_senders::<P>(Routing { distributes: true, ..routing }, bits),
            (_, true) => self.locate_senders::<P>(Routing { distributes: false, split: true, ..routing }, bits),
            _ => self.locate_senders::<P>(Routing { distributes: false, split: false, ..routing }, bits),
        }
        let senders = if WORDS > 1 { &senders[..groups::<P, WORDS>()] } else { senders };
        for (&from, own) in self.from[..length].iter().zip(&mut self.record) {
            *own = index(senders[masked::<WORDS>(from as usize, groups::<P, WORDS>())], 0);
        }
        let mut beyond_records = [0; CELLS];
        if let Some((next, receivers)) = beyond {
            let receivers = if WORDS > 1 { &receivers[..groups::<P, WORDS>()] } else { receivers };
            let next = if WORDS > 1 { &next[..64 * WORDS] } else { next };
            for (&sent, to) in self.sent[..length].iter().zip(&mut self.to) {
                *to = next[masked::<WORDS>((sent >> 16) as usize, 64 * WORDS)];
            }
            for (&sent, to) in self.sent.iter().zip(&mut self.to) {
                *to |= sent & 0xffff;
            }
            for (&to, record) in self.to[..length].iter().zip(&mut beyond_records) {
                let at = masked::<WORDS>(group_of(to) as usize, groups::<P, WORDS>());
                *record = index_if_open(receivers[at], 0);
            }
        }
        let mut loaded = 0;
        for (&own, &beyond) in self.record[..length].iter().zip(&beyond_records) {
            loaded ^= records[own as usize].group.0 ^ records[beyond as usize].group.0;
        }
        core::hint::black_box(loaded);
    }

    /// The cells are dequeued from their output buffers. Groups that waited for that are listed.
    #[inline(never)]
    pub(super) fn dequeue<const P: usize, const WORDS: usize>(
        &mut self,
        now: Slot,
        pool: &mut OpenPool<'_, UnitBuffers<P>>,
        senders: &mut [u32],
        worklist: &mut Worklist,
    ) {
        let length = self.length.min(CELLS);
        let words = exactly::<WORDS, _>(senders, groups::<P, WORDS>());
        let list = exactly::<WORDS, _>(&mut worklist.list, 4 * 64 * WORDS);
        let (mut count, stamp) = (worklist.count, Group::stamp(now));
        let senders = self.from[..length].iter().zip(&self.record).zip(&self.part);
        for (((&from, &own), &part), (born, tag)) in senders.zip(self.born.iter_mut().zip(&mut self.tag)) {
            let (at, part) = (masked::<WORDS>(from as usize, groups::<P, WORDS>()), part as usize % P);
            let waited;
            ((*born, *tag), waited, words[at]) = pool.dequeue(own, part, stamp, 0);
            list[masked::<WORDS>(count, 4 * 64 * WORDS)] = (at as u32, own);
            count += usize::from(waited);
        }
        worklist.count = count;
    }

    /// The receivers' groups get records, if they have none. For a stage that resequences, with the
    /// bits of a number and N, prepares [`Self::enqueue_or_pass`].
    #[inline(never)]
    pub(super) fn open_receivers<const P: usize, const WORDS: usize>(
        &mut self,
        pool: &mut OpenPool<'_, UnitBuffers<P>>,
        receivers: &mut [u32],
        resequences: Option<(Routing, u32, usize)>,
    ) {
        if let Some((routing, bits, ports)) = resequences {
            self.prepare::<P>(routing.low, bits, ports.trailing_zeros());
        }
        let words = exactly::<WORDS, _>(receivers, groups::<P, WORDS>());
        let length = self.length.min(CELLS);
        for (&to, own) in self.to[..length].iter().zip(&mut self.record) {
            let word = &mut words[masked::<WORDS>(group_of(to) as usize, groups::<P, WORDS>())];
            let (record, state) = pool.open_group(*word, 0);
            *word = word_of(record, 0);
            pool.records[record as usize].group = state;
            *own = record;
        }
    }

    /// Input port, digit of the number and output buffer of each cell, and the output position and
    /// group to which it would pass.
    fn prepare<const P: usize>(&mut self, low: u32, number_bits: u32, bits: u32) {
        let ones = P as u32 - 1;
        let cells = self.to.iter().zip(&self.tag).zip(self.part.iter_mut().zip(&mut self.from));
        for ((&to, &tag), (key, beyond)) in cells {
            let (digit, part) = (tag >> low & ones, tag >> (number_bits + low) & ones);
            *key = to >> PORT | digit << 4 | part << 8;
            let at = group_of(to);
            let (element, group) = (at >> bits, at & ((1 << bits) - 1));
            let output = group >> low & ones;
            *beyond = (element * P as u32 + output) << 16 | group ^ ((output ^ part) << low);
        }
    }

    /// The cells are enqueued in input buffers.
    #[inline(never)]
    pub(super) fn enqueue<const P: usize, const WORDS: usize>(
        &self,
        now: Slot,
        records: &mut [UnitRecord<P>],
        worklist: &mut Worklist,
    ) {
        let length = self.length.min(CELLS);
        let list = exactly::<WORDS, _>(&mut worklist.list, 4 * 64 * WORDS);
        let (mut count, stamp) = (worklist.count, Group::stamp(now));
        let receivers = self.to[..length].iter().zip(&self.record);
        for (((&to, &own), &born), &tag) in receivers.zip(&self.born).zip(&self.tag) {
            let port = (to >> PORT) as usize % P;
            let record = &mut records[own as usize];
            let mut state = record.group;
            record.put(0, port, born, tag);
            // A group that has a cell and does not wait for room is listed already.
            let wanted = state.is_at_rest();
            state.fill_input(port);
            state.set_stamp(stamp);
            record.group = state;
            list[masked::<WORDS>(count, 4 * 64 * WORDS)] = (group_of(to), own);
            count += usize::from(wanted);
        }
        worklist.count = count;
    }

    /// The cells are enqueued in a stage that resequences. Those that nothing stops pass to their
    /// output buffers at once, and become the first entries. Returns how many pass, and how many
    /// wait for a predecessor.
    #[inline(never)]
    pub(super) fn enqueue_or_pass<const P: usize, const WORDS: usize>(
        &mut self,
        now: Slot,
        records: &mut [UnitRecord<P>],
        worklist: &mut Worklist,
    ) -> (usize, u64) {
        let length = self.length.min(CELLS);
        let list = exactly::<WORDS, _>(&mut worklist.list, 4 * 64 * WORDS);
        let (mut listed, mut count, mut held) = (worklist.count, 0, 0);
        // The transfer of a cell would be tried in the next slot.
        let (now, next_slot) = (Group::stamp(now), Group::stamp(now.wrapping_add(1)));
        for i in 0..length {
            let (own, key) = (self.record[i], self.part[i] as usize);
            let (port, digit, part) = (key % P, (key >> 4) as u32 % P as u32, key >> 8 & (P - 1));
            let record = &mut records[own as usize];
            let mut state = record.group;
            // A group that waits for room does not wait for cells.
            let waits_for_cell = state.waits() == 0;
            let is_next = waits_for_cell & state.awaits(port, digit);
            let passes = is_next & (state.inputs() == 0) & (state.outputs() >> part & 1 == 0);
            record.put(usize::from(passes), if passes { part } else { port }, self.born[i], self.tag[i]);
            state.enqueue_or_pass::<P>(port, part, passes);
            state.set_stamp(if waits_for_cell { next_slot } else { now });
            record.group = state;
            // `passes` implies `is_next`, which implies `waits_for_cell`: differences are 0 or 1.
            held += u64::from(waits_for_cell) - u64::from(is_next);
            list[masked::<WORDS>(listed, 4 * 64 * WORDS)] = (group_of(self.to[i]), own);
            listed += usize::from(is_next) - usize::from(passes);
            // Branch-free compaction: `count` advances only for cells that pass.
            (self.sent[count % CELLS], self.from[count % CELLS]) = (self.sent[i], self.from[i]);
            count += usize::from(passes);
        }
        worklist.count = listed;
        (count, held)
    }

    /// The first `count` cells have passed: returns their credits and updates the links out of the
    /// stage.
    #[inline(never)]
    pub(super) fn return_credits<const WORDS: usize>(
        &self,
        count: usize,
        (mut inlets, mut outlets): (Section<'_, WORDS>, Section<'_, WORDS>),
    ) {
        for (&sent, &beyond) in self.sent.iter().zip(&self.from).take(count) {
            inlets.restore((sent >> 16) as usize, (sent & 0xffff) as usize);
            outlets.fill((beyond >> 16) as usize, (beyond & 0xffff) as usize);
        }
    }

    /// Cells from line cards. `next` says for each input where its link ends. `pop` dequeues the
    /// cell of an input for an output, and returns its arrival slot and its tag.
    #[inline(always)]
    pub(super) fn load(&mut self, sent: &[Active], next: &[u32], mut pop: impl FnMut(usize, usize) -> (u32, u32)) {
        self.length = sent.len();
        let cells = self.to.iter_mut().zip(self.born.iter_mut().zip(&mut self.tag));
        for (&sent, (to, (born, tag))) in sent.iter().zip(cells) {
            let (input, output) = ((sent >> 16) as usize, sent & 0xffff);
            *to = next[input] | output;
            (*born, *tag) = pop(input, output as usize);
        }
    }

    /// The cells, each with the position that it was sent from.
    pub(super) fn cells(&self, bits: u32) -> impl Iterator<Item = (usize, FabricCell)> + '_ {
        let cells = self.sent[..self.length].iter().zip(self.born.iter().zip(&self.tag));
        cells.map(move |(&sent, (&born, &tag))| ((sent >> 16) as usize, FabricCell::from_tag((born, tag), bits)))
    }
}
