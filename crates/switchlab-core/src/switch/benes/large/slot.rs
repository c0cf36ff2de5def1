//! The slots of a large fabric, several at a time.
//!
//! The moves of a slot are made at the end of the one before it, as in `lean`. Then what link l sends in slot t is settled once link l - 1 and those behind it have sent in slot t - 1, and link l + 1 in slot t. So slots need not be run one
//! after the other: this follows the cells. Those that come to a stage in a slot are sent on in the next one while they are still near, then in the one after that, up to the exit; then it is the turn of the cells that entered a slot later.
//!
//! ```text
//!   link   slot 0  1  2  3  4             the order in which links send in five slots, with two stages; slot by slot
//!    2          1  3  6  9 12             it would be 1 2 3 | 4 5 6 | ...: the cells of a whole slot, in all stages, would
//!    1          2  5  8 11 14             lie between a cell's coming to a stage and its leaving it
//!    0          4  7 10 13 15
//! ```
//!
//! What is counted, is counted for each slot by itself, and added up when all of them are done. Slots in which the watchdog may look begin anew: then nothing is ahead of anything.

use super::Large;
use super::block::{Block, CELLS};
use super::line::{Frame, GROUPS};
use super::moves::Inlets;
use super::takes::Receiver;
use crate::cell::{Cell, Port, Slot};
use crate::switch::benes::fabric::Fabric;
use crate::switch::benes::shape::{Shape, known};
use alloc::vec;
use alloc::vec::Vec;

/// Slots that are run at a time, at most.
const SLOTS: usize = 64;

/// What is the same for a whole link in a slot.
#[derive(Clone, Copy)]
struct Setting<'a> {
    shape: &'a Shape,
    now: Slot,
    /// The bits of a cell's number.
    number: u32,
}

/// What is counted in a slot.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    /// By link: cells sent.
    pub(super) sent: Vec<u64>,
    /// How many more cells wait for one before them, and whether any has moved, in the next slot.
    pub(super) held: u64,
    pub(super) moved: bool,
}

impl Tally {
    /// Nothing, in each of as many slots as are run at a time.
    pub(super) fn all(stages: usize) -> Vec<Self> {
        vec![Self { sent: vec![0; stages + 1], held: 0, moved: false }; SLOTS]
    }
}

impl<const P: usize, const KIND: u8> Fabric<P, KIND> {
    /// Runs slots from `now` on; both slices have a row for each. Nothing happens any more in a fabric that has stopped.
    pub(in super::super) fn run_large(&mut self, mut now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
        let ports = self.shape.ports;
        let (mut arrivals, mut departures) = (arrivals, departures);
        while !arrivals.is_empty() && self.failure.is_none() && !self.is_deadlocked(now) {
            let slots = SLOTS.min(self.until_suspicion(now)).min(arrivals.len() / ports);
            let (some, rest) = arrivals.split_at(slots * ports);
            let (some_out, rest_out) = departures.split_at_mut(slots * ports);
            match ports {
                1024 => self.run_slots::<16>(now, some, some_out),
                _ => self.run_slots::<0>(now, some, some_out),
            }
            (arrivals, departures, now) = (rest, rest_out, now.wrapping_add(slots as Slot));
        }
    }

    /// No more slots than can be run at a time, until the next one in which the watchdog may look.
    #[inline(always)]
    fn run_slots<const WORDS: usize>(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
        let (ports, stages) = (known::<WORDS>(self.shape.ports), self.shape.stages);
        let slots = arrivals.len() / ports;
        // The slot in which a wave of cells enters, `stages` later than it is.
        for wave in 0..slots + stages {
            for slot in wave.saturating_sub(stages)..slots.min(wave + 1) {
                let (link, row) = (slot + stages - wave, slot * ports);
                let now = now.wrapping_add(slot as Slot);
                if link == 0 {
                    self.arrive_ahead::<WORDS>(now, &arrivals[row..][..ports]);
                    self.enter::<WORDS>(now, slot);
                } else if let Some(large) = &mut self.store.large {
                    let setting = Setting { shape: &self.shape, now, number: self.store.bits };
                    if link == stages {
                        large.leave::<WORDS>(setting, slot, &mut departures[row..][..ports]);
                    } else {
                        large.send::<WORDS>(setting, link, slot);
                    }
                }
            }
        }
        let tallies = self.store.large.iter_mut().flat_map(|large| &mut large.tallies[..slots]);
        for tally in tallies {
            self.counts.begin(true);
            self.counts.held = self.counts.held.wrapping_add(core::mem::take(&mut tally.held));
            self.counts.moved_next = core::mem::take(&mut tally.moved);
            self.counts.departed += tally.sent[stages];
            self.counts.sent_now.copy_from_slice(&tally.sent);
            self.counts.settle(true, 0);
        }
    }
}

impl<const P: usize> Large<P> {
    /// The ends of a block look for something to send.
    #[inline(always)]
    fn aim<const WORDS: usize>(&mut self, setting: Setting<'_>, link: usize, block: usize) {
        let (shape, ports) = (setting.shape, known::<WORDS>(setting.shape.ports));
        let first = block * CELLS;
        if first >= ports {
            self.blocks[block % 4].length = 0;
            return;
        }
        let frame = Frame::new::<P>(shape.routing(link - 1));
        let size = ports / P * ports / GROUPS;
        let lines = &self.lines[(link - 1) * size..][..size];
        let previous = &shape.previous[link * ports..][..ports];
        let (own, ends) = (&mut self.blocks[block % 4], &mut self.ends.section(link));
        if frame.distributes {
            own.aim::<P, WORDS, true>(first, (frame, previous), ends, lines);
        } else {
            own.aim::<P, WORDS, false>(first, (frame, previous), ends, lines);
        }
    }

    /// The ends of a block choose.
    #[inline(always)]
    fn choose<const WORDS: usize>(&mut self, setting: Setting<'_>, link: usize, block: usize) {
        let (shape, ports) = (setting.shape, known::<WORDS>(setting.shape.ports));
        if block * CELLS >= ports {
            return;
        }
        let (size, routing) = (ports / P * ports / GROUPS, shape.routing(link - 1));
        let from = (&self.lines[(link - 1) * size..][..size], &*self.pools[self.pool(link - 1)].records);
        let ends = &mut self.ends.section::<WORDS>(link);
        let (own, frame) = (&mut self.blocks[block % 4], Frame::new::<P>(routing));
        match frame.within {
            _ if frame.distributes => own.choose::<P, WORDS, 0>((frame, routing), ends, from),
            0 => own.choose::<P, WORDS, 1>((frame, routing), ends, from),
            1 => own.choose::<P, WORDS, 2>((frame, routing), ends, from),
            2 => own.choose::<P, WORDS, 3>((frame, routing), ends, from),
            _ => own.choose::<P, WORDS, 4>((frame, routing), ends, from),
        }
    }

    /// What is done for the first blocks of a link.
    #[inline(always)]
    fn begin<const WORDS: usize>(&mut self, setting: Setting<'_>, link: usize) {
        (0..2).for_each(|block| self.aim::<WORDS>(setting, link, block));
        self.choose::<WORDS>(setting, link, 0);
        if link < setting.shape.stages {
            let ports = known::<WORDS>(setting.shape.ports);
            let size = ports / P * ports / GROUPS;
            self.blocks[0].fetch_receivers::<P, WORDS>(0, &self.lines[link * size..][..size]);
        }
    }

    /// What is done for later blocks before a block is sent.
    #[inline(always)]
    fn ahead<const WORDS: usize>(&mut self, setting: Setting<'_>, link: usize, block: usize) {
        self.aim::<WORDS>(setting, link, block + 2);
        self.choose::<WORDS>(setting, link, block + 1);
    }

    /// The cells of the last stage leave.
    #[inline(never)]
    fn leave<const WORDS: usize>(&mut self, setting: Setting<'_>, slot: usize, departures: &mut [Cell]) {
        let (ports, link) = (known::<WORDS>(setting.shape.ports), setting.shape.stages);
        let (size, bits) = (ports / P * ports / GROUPS, ports.trailing_zeros());
        let (mut sent, pool) = (0, self.pool(link - 1));
        self.begin::<WORDS>(setting, link);
        for block in 0..ports / CELLS {
            self.ahead::<WORDS>(setting, link, block);
            let own = &mut self.blocks[block % 4];
            let lines = &mut self.lines[(link - 1) * size..][..size];
            let (late, count) = &mut self.late[link - 1];
            let places = &mut self.pools[pool].open();
            *count = own.give::<P, WORDS, true>(setting.now, lines, places, (late, *count), &[]);
            for (output, born, tag) in own.cells::<P>(bits) {
                departures[output] = Cell { born, input: (tag >> setting.number) as Port };
            }
            sent += own.length as u64;
        }
        self.tallies[slot].sent[link] = sent;
    }

    /// The outputs of a stage send over a link to the next stage.
    #[inline(never)]
    fn send<const WORDS: usize>(&mut self, setting: Setting<'_>, link: usize, slot: usize) {
        let (shape, ports) = (setting.shape, known::<WORDS>(setting.shape.ports));
        let (size, blocks) = (ports / P * ports / GROUPS, ports / CELLS);
        let previous = &shape.previous[link * ports..][..ports];
        let (mut sent, mut held_more, mut moved_any) = (0, 0u64, false);
        let (own_pool, pool) = (self.pool(link - 1), self.pool(link));
        // At most a cell comes to each port.
        self.pools[pool].provide(ports);
        self.begin::<WORDS>(setting, link);
        // Behind the last block, groups are tried that waited for room.
        for block in 0..=blocks {
            if block < blocks {
                self.ahead::<WORDS>(setting, link, block);
            }
            let (own, next) = pair(&mut self.blocks, block);
            let (senders, lines) = self.lines[(link - 1) * size..][..2 * size].split_at_mut(size);
            if block < blocks {
                let (late, count) = &mut self.late[link - 1];
                let places = &mut self.pools[own_pool].open();
                *count = own.give::<P, WORDS, false>(setting.now, senders, places, (late, *count), lines);
            } else {
                own.length = 0;
            }
            let (inlets, outlets) = self.ends.two::<WORDS>(link);
            let mut receiver = Receiver {
                routing: shape.routing(link),
                number: setting.number,
                now: setting.now,
                lines,
                places: self.pools[pool].open(),
                outlets,
                count: 0,
            };
            let (any, held) = if receiver.routing.distributes {
                (own.spread_on(senders, &mut receiver, (next, &mut self.tries)), 0)
            } else {
                own.order(senders, &mut receiver, (next, &mut self.tries))
            };
            let (late, count) = &mut self.late[link];
            let groups = if block < blocks { &self.tries[..receiver.count] } else { &late[..core::mem::take(count)] };
            let inlets = Inlets::Stage(shape.routing(link - 1), previous, senders, inlets);
            let (moved, more) = receiver.move_all(groups, &mut self.moved, inlets);
            held_more = held_more.wrapping_add(held).wrapping_add(more);
            moved_any |= any | moved;
            sent += own.length as u64;
        }
        let tally = &mut self.tallies[slot];
        (tally.sent[link], tally.held) = (sent, tally.held.wrapping_add(held_more));
        tally.moved |= moved_any;
    }
}

/// A block and the next one.
#[inline(always)]
fn pair(blocks: &mut [Block; 4], block: usize) -> (&mut Block, &Block) {
    let [a, b, c, d] = blocks;
    match block % 4 {
        0 => (a, b),
        1 => (b, c),
        2 => (c, d),
        _ => (d, a),
    }
}
