//! The slots, several at a time, in the order of a wavefront.
//!
//! Transfers of a slot are made at the end of the one before it, as in the unit-buffer engine. Then
//! what link l sends in slot t is decided once link l - 1 and those behind it have sent in slot t -
//! 1, and link l + 1 in slot t. So slots need not be run one after the other. The order here
//! follows the cells: those that are enqueued in a stage in a slot are sent on in the next slot
//! while they are still in cache, and so on up to the exit; then the cells that entered a slot
//! later.
//!
//! ```text
//!   link   slot 0  1  2  3  4     the order in which links send in five slots, with two stages.
//!    2          1  3  6  9 12     Slot by slot it would be 1 2 3 | 4 5 6 | ...: the cells of a
//!    1          2  5  8 11 14     whole slot, in all stages, would lie between a cell's coming to
//!    0          4  7 10 13 15     a stage and its leaving it
//! ```
//!
//! Counters are kept for each slot, and added up in the order of slots. The watchdog runs only
//! between two calls, when no link is ahead of another.

use super::Wavefront;
use super::block::{Block, CELLS};
use super::group_line::{Frame, GROUPS};
use super::receive::{Inlets, Receiver};
use crate::cell::{Cell, Port, Slot};
use crate::prefetch::prefetch_l2;
use crate::switch::benes::element::record::{index, open};
use crate::switch::benes::fabric::Core;
use crate::switch::benes::general::Topology;
use crate::switch::benes::routing::known;
use alloc::vec;
use alloc::vec::Vec;

/// Slots that are run at a time, at most.
pub(crate) const SLOTS: usize = 64;

/// What is the same for a whole link in a slot.
#[derive(Clone, Copy)]
struct Step<'a> {
    topology: &'a Topology,
    now: Slot,
    number_bits: u32,
}

/// Counters of a slot.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    /// By link: cells sent.
    sent: Vec<u64>,
    /// How many more cells wait for a predecessor in the next slot; wraps around.
    held: u64,
    /// Whether a cell has moved, for the next slot.
    moved: bool,
}

impl Tally {
    /// Zero, for each of the slots that are run at a time.
    pub(super) fn all(stages: usize) -> Vec<Self> {
        vec![Self { sent: vec![0; stages + 1], held: 0, moved: false }; SLOTS]
    }
}

impl<const P: usize> Wavefront<P> {
    /// Runs at most [`SLOTS`] slots. Both slices have a row for each.
    pub(crate) fn run(&mut self, core: &mut Core, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
        // The usual size is compiled separately, which is worth a seventh.
        match core.topology.ports {
            1024 => self.run_waves::<16>(core, now, arrivals, departures),
            _ => self.run_waves::<0>(core, now, arrivals, departures),
        }
    }

    fn run_waves<const WORDS: usize>(
        &mut self,
        core: &mut Core,
        now: Slot,
        arrivals: &[Port],
        departures: &mut [Cell],
    ) {
        let (ports, stages) = (known::<WORDS>(core.topology.ports), core.topology.stages());
        let (slots, number_bits) = (arrivals.len() / ports, core.number_bits);
        // A wave of cells enters in slot `wave - stages`.
        for wave in 0..slots + stages {
            for slot in wave.saturating_sub(stages)..slots.min(wave + 1) {
                let (link, row) = (slot + stages - wave, slot * ports);
                let now = now.wrapping_add(slot as Slot);
                if link == 0 {
                    core.arrive::<WORDS>(&mut self.line_cards, now, &arrivals[row..][..ports]);
                    self.transmit_from_line_cards::<WORDS>(core, now, slot);
                    continue;
                }
                let step = Step { topology: &core.topology, now, number_bits };
                if link == stages {
                    self.leave::<WORDS>(step, slot, &mut departures[row..][..ports]);
                } else {
                    self.transmit::<WORDS>(step, link, slot);
                }
            }
        }
        for tally in &mut self.tallies[..slots] {
            core.counts.begin_slot(true);
            core.counts.held = core.counts.held.wrapping_add(core::mem::take(&mut tally.held));
            core.counts.moved_next = core::mem::take(&mut tally.moved);
            core.counts.departed += tally.sent[stages];
            core.counts.sent_now.copy_from_slice(&tally.sent);
            core.end_slot(true);
        }
    }

    /// The arbiters of a block find out which lines they need, and prefetch them.
    fn aim<const WORDS: usize>(&mut self, step: Step<'_>, link: usize, block: usize) {
        let (topology, ports) = (step.topology, known::<WORDS>(step.topology.ports));
        let first = block * CELLS;
        if first >= ports {
            self.blocks[block % 4].length = 0;
            return;
        }
        let frame = Frame::new::<P>(topology.routing(link - 1));
        let size = ports / P * ports / GROUPS;
        let lines = &self.lines[(link - 1) * size..][..size];
        let previous = &topology.previous[link][..ports];
        let (own, arbiters) = (&mut self.blocks[block % 4], &mut self.arbiters.section(link));
        own.aim::<P, WORDS>(first, (frame, previous), arbiters, lines);
    }

    /// The arbiters of a block choose the groups that send.
    fn choose<const WORDS: usize>(&mut self, step: Step<'_>, link: usize, block: usize) {
        let (topology, ports) = (step.topology, known::<WORDS>(step.topology.ports));
        if block * CELLS >= ports {
            return;
        }
        let (size, routing) = (ports / P * ports / GROUPS, topology.routing(link - 1));
        let from = (&self.lines[(link - 1) * size..][..size], &*self.pools[self.pool(link - 1)].records);
        let arbiters = &mut self.arbiters.section::<WORDS>(link);
        let (own, frame) = (&mut self.blocks[block % 4], Frame::new::<P>(routing));
        // Each arrangement of groups in lines in a loop of its own.
        match frame.within {
            _ if frame.distributes => own.choose::<P, WORDS, true, 0>((frame, routing), arbiters, from),
            0 => own.choose::<P, WORDS, false, 0>((frame, routing), arbiters, from),
            1 => own.choose::<P, WORDS, false, 1>((frame, routing), arbiters, from),
            2 => own.choose::<P, WORDS, false, 2>((frame, routing), arbiters, from),
            _ => own.choose::<P, WORDS, false, 3>((frame, routing), arbiters, from),
        }
    }

    /// What is done for the first blocks of a link.
    fn begin<const WORDS: usize>(&mut self, step: Step<'_>, link: usize) {
        (0..2).for_each(|block| self.aim::<WORDS>(step, link, block));
        self.choose::<WORDS>(step, link, 0);
        if link < step.topology.stages() {
            let ports = known::<WORDS>(step.topology.ports);
            let size = ports / P * ports / GROUPS;
            self.blocks[0].prefetch_receivers::<P, WORDS>(0, &self.lines[link * size..][..size]);
        }
    }

    /// What is done for later blocks before a block is sent.
    fn look_ahead<const WORDS: usize>(&mut self, step: Step<'_>, link: usize, block: usize) {
        self.aim::<WORDS>(step, link, block + 2);
        self.choose::<WORDS>(step, link, block + 1);
    }

    /// The cells of the last stage leave.
    #[inline(never)]
    fn leave<const WORDS: usize>(&mut self, step: Step<'_>, slot: usize, departures: &mut [Cell]) {
        let (ports, link) = (known::<WORDS>(step.topology.ports), step.topology.stages());
        let (size, bits) = (ports / P * ports / GROUPS, ports.trailing_zeros());
        let (mut sent, pool) = (0, self.pool(link - 1));
        self.begin::<WORDS>(step, link);
        for block in 0..ports / CELLS {
            self.look_ahead::<WORDS>(step, link, block);
            let own = &mut self.blocks[block % 4];
            let lines = &mut self.lines[(link - 1) * size..][..size];
            let (late, count) = &mut self.late[link - 1];
            let pool = &mut self.pools[pool].open();
            *count = own.dequeue::<P, WORDS, true>(step.now, lines, pool, (late, *count), &[]);
            for (output, born, tag) in own.cells::<P>(bits) {
                departures[output] = Cell { born, input: (tag >> step.number_bits) as Port };
            }
            sent += own.length as u64;
        }
        self.tallies[slot].sent[link] = sent;
    }

    /// The outputs of a stage send over a link to the next stage.
    #[inline(never)]
    fn transmit<const WORDS: usize>(&mut self, step: Step<'_>, link: usize, slot: usize) {
        let (topology, ports) = (step.topology, known::<WORDS>(step.topology.ports));
        let (size, blocks) = (ports / P * ports / GROUPS, ports / CELLS);
        let previous = &topology.previous[link][..ports];
        let (mut sent, mut held_more, mut moved_any) = (0, 0u64, false);
        let (own_pool, pool) = (self.pool(link - 1), self.pool(link));
        // At most one cell is enqueued at each port.
        self.pools[pool].provide(ports);
        self.begin::<WORDS>(step, link);
        // After the last block, groups are tried that waited for room.
        for block in 0..=blocks {
            if block < blocks {
                self.look_ahead::<WORDS>(step, link, block);
            }
            let both = self.blocks.get_disjoint_mut([block % 4, (block + 1) % 4]);
            let [own, next] = both.expect("a block and the next one are different");
            let (senders, lines) = self.lines[(link - 1) * size..][..2 * size].split_at_mut(size);
            if block < blocks {
                let (late, count) = &mut self.late[link - 1];
                let pool = &mut self.pools[own_pool].open();
                *count = own.dequeue::<P, WORDS, false>(step.now, senders, pool, (late, *count), lines);
            } else {
                own.length = 0;
            }
            let (inlets, outlets) = self.arbiters.two::<WORDS>(link);
            let mut receiver = Receiver {
                routing: topology.routing(link),
                number_bits: step.number_bits,
                now: step.now,
                lines,
                pool: self.pools[pool].open(),
                outlets,
                tries: &mut self.tries,
                count: 0,
            };
            let (any, held) = if receiver.routing.distributes {
                own.receive_from_stage::<P, WORDS, false>(senders, &mut receiver, next)
            } else {
                own.receive_from_stage::<P, WORDS, true>(senders, &mut receiver, next)
            };
            let (late, count) = &mut self.late[link];
            let late = (block == blocks).then(|| &late[..core::mem::take(count)]);
            let inlets = Inlets::Stage(topology.routing(link - 1), previous, senders, inlets);
            let (moved, more) = receiver.transfer(late, &mut self.moved, inlets);
            held_more = held_more.wrapping_add(held).wrapping_add(more);
            moved_any |= any | moved;
            sent += own.length as u64;
        }
        let tally = &mut self.tallies[slot];
        (tally.sent[link], tally.held) = (sent, tally.held.wrapping_add(held_more));
        tally.moved |= moved_any;
    }

    #[inline(never)]
    fn transmit_from_line_cards<const WORDS: usize>(&mut self, core: &mut Core, now: Slot, slot: usize) {
        let (topology, number_bits) = (&core.topology, core.number_bits);
        let ports = known::<WORDS>(topology.ports);
        let (size, bits) = (ports / P * ports / GROUPS, ports.trailing_zeros());
        let sent = self.line_cards.section::<WORDS>(0).send_all(true, &mut self.sent);
        let (mut waited, mut rest, mut voqs) = (0, sent, core.voqs.open(0));
        let tally = &mut self.tallies[slot];
        tally.sent[0] = sent.len() as u64;
        self.pools[0].provide(ports);
        loop {
            // All inputs of an element are in the same block. After the last block, groups are
            // tried that waited for room.
            let last = rest.first().map(|first| first >> 16 | (CELLS as u32 - 1));
            let length = rest.iter().take(CELLS).take_while(|&&sent| Some(sent >> 16) <= last).count();
            let (cells, others) = rest.split_at(length);
            rest = others;
            let mut links = self.line_cards.section::<WORDS>(0);
            let block = &mut self.blocks[0];
            block.length = 0;
            for (i, &sent) in cells.iter().enumerate() {
                // A block ahead: the record, or the one that will be allocated. Two blocks ahead:
                // the line, which has the index of the record.
                if let Some(&later) = others.get(i) {
                    let at = input_group::<P>(later, bits);
                    let word = self.lines[at / GROUPS].0[at % GROUPS];
                    let free = self.pools[0].upcoming(length + i);
                    let own = index(word, 2 * P as u32) & open(word) | free & !open(word);
                    prefetch_l2(&self.pools[0].records[own as usize]);
                }
                if let Some(&later) = others.get(i + CELLS) {
                    prefetch_l2(&self.lines[input_group::<P>(later, bits) / GROUPS]);
                    voqs.prefetch(((later >> 16) as usize) << bits | (later & 0xffff) as usize);
                }
                let (input, output) = ((sent >> 16) as usize, (sent & 0xffff) as usize);
                let (_, born, empty) = voqs.pop(input * ports + output);
                links.fill_if(input, output, !empty);
                waited += u64::from(now - born);
                block.push::<P>(input, output, bits, (born, (input as u32) << number_bits));
            }
            let mut receiver = Receiver::<P, WORDS> {
                routing: topology.routing(0),
                number_bits,
                now,
                lines: &mut self.lines[..size],
                pool: self.pools[0].open(),
                outlets: self.arbiters.section(1),
                tries: &mut self.tries,
                count: 0,
            };
            let (any, _) = block.receive::<P, WORDS, false>(&mut receiver, &Block::EMPTY, |from| {
                links.restore((from >> 16) as usize, (from & 0xffff) as usize);
            });
            let (late, count) = &mut self.late[0];
            let late = (length == 0).then(|| &late[..core::mem::take(count)]);
            let (moved, _) = receiver.transfer(late, &mut self.moved, Inlets::LineCards(links));
            tally.moved |= any | moved;
            if length == 0 {
                break;
            }
        }
        core.counts.voq_wait += waited;
    }
}

/// Where the first stage keeps the group of a cell from a line card: its input and, in the lower 16
/// bits, its output.
fn input_group<const P: usize>(cell: u32, bits: u32) -> usize {
    ((cell >> 16) as usize / P) << bits | (cell & 0xffff) as usize
}
