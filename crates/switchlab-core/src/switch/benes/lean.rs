//! The slot of a lean fabric: cells move as soon as they have come.
//!
//! On the page, a cell that comes in a slot moves in the next one, before anything is sent. Between the two nothing happens that the move could see, or that could see the move: its stage has sent its
//! cells of this slot; the stage before it, which gets the credit, has chosen what it sends, or the cell would not have come; and the next slot begins with moves. So the moves of
//! the next slot are made at the end of this one, while what they need is still in cache. What is counted, is counted for the slot that a move belongs to.
//!
//! In a routing stage that puts cells into order it does not even matter in what order they come: a cell that is the next of its group, and finds the group's input
//! buffers and its own output buffer empty, comes to the output buffer at once, and its credit is back as if it had moved.

use super::Numbers;
use super::ahead::{Ends, is_far};
use super::batch::{CELLS, Step};
use super::choices::choose;
use super::fabric::Fabric;
use super::lean_moves::{Stage, settle};
use super::record::Record;
use super::settings::LEAN;
use super::shape::known;
use crate::cell::{Cell, Port, Slot};

impl<const P: usize, const KIND: u8> Fabric<P, KIND> {
    /// The slot, but for the moves at its beginning, and with those of the next slot.
    #[inline(always)]
    pub(super) fn send_and_move<const WORDS: usize>(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
        let next = now.wrapping_add(1);
        self.begin::<WORDS>(self.shape.stages);
        self.leave_lean::<WORDS>(now, departures);
        for stage in (1..self.shape.stages).rev() {
            self.send_lean::<WORDS>(now, stage);
            self.move_lean::<WORDS>(next, stage);
        }
        self.arrive::<WORDS>(now, arrivals);
        self.send_lean_from_line_cards::<WORDS>(now);
        self.move_lean::<WORDS>(next, 0);
    }

    /// What is sent over a link is chosen; in a large fabric it is then on its way to the cache, while other things are done.
    #[inline(always)]
    fn begin<const WORDS: usize>(&mut self, link: usize) {
        let (shape, ports) = (&self.shape, known::<WORDS>(self.shape.ports));
        let spends = link < shape.stages;
        let chosen = choose::<LEAN, WORDS>(self.links.section(link), spends, &mut self.active);
        self.chosen = chosen.len();
        if is_far::<WORDS>(ports) && link > 0 {
            let size = ports / P * ports;
            let (senders, receivers) = self.store.words[(link - 1) * size..].split_at(size);
            let first = &chosen[..chosen.len().min(CELLS)];
            let batch = &mut self.batches[0];
            batch.aim::<P, WORDS>(first, shape.routing(link - 1), &shape.rows[link * ports..][..ports]);
            for i in 0..first.len() {
                batch.fetch_sender::<P, WORDS>(senders, i);
                if link < shape.stages {
                    batch.fetch_receiver::<P, WORDS>(receivers, i);
                }
            }
        }
    }

    /// The outputs of a stage send over a link to the next stage.
    #[inline(never)]
    fn send_lean<const WORDS: usize>(&mut self, now: Slot, link: usize) {
        // Each link takes and brings at most a cell for each port.
        self.store.pool.provide(self.shape.ports);
        let ports = known::<WORDS>(self.shape.ports);
        let far = is_far::<WORDS>(ports);
        if !far {
            self.begin::<WORDS>(link);
        }
        let size = ports / P * ports;
        let (senders, receivers) = self.store.words[(link - 1) * size..][..2 * size].split_at_mut(size);
        let next = &self.shape.rows[link * ports..][..ports];
        let (routing, beyond) = (self.shape.routing(link - 1), self.shape.routing(link));
        let orders = !beyond.distributes && self.settings.numbers() == Numbers::Stages;
        let (mut todo, mut todo_beyond) = self.work.around(link);
        let (mut buffers, [batch, ahead]) = (self.store.pool.open(), &mut self.batches);
        let (mut batch, mut ahead) = (batch, ahead);
        let mut chunks = self.active[..self.chosen].chunks(CELLS).peekable();
        let mut ends = Ends::new(ports, self.chosen);
        if far {
            (0..self.chosen.min(CELLS)).for_each(|i| batch.look::<P, WORDS>(senders, buffers.records, i));
        }
        while let Some(chosen) = chunks.next() {
            if !far {
                batch.fetch::<P, WORDS>(chosen, routing, &buffers, senders, Some((next, receivers)));
            } else if let Some(&chosen) = chunks.peek() {
                ahead.aim::<P, WORDS>(chosen, routing, next);
            }
            // First all cells leave, then they come: a record that is given back is not needed again at once, which every cell would have to wait for.
            batch.give::<P, WORDS>(now, &mut buffers, senders, &mut todo, |senders, i| {
                // Not `far`, which the loop would have to ask for each cell.
                if is_far::<WORDS>(ports) {
                    ahead.fetch_sender::<P, WORDS>(senders, i);
                    ahead.fetch_receiver::<P, WORDS>(receivers, i);
                }
            });
            let (before, inlets, outlets) = self.links.three::<WORDS>(link);
            let first = if far { ends.advance(&before) } else { 0 };
            let placing = |on: u32, i: usize| {
                if is_far::<WORDS>(ports) {
                    before.fetch_next(first + i);
                    if orders {
                        outlets.fetch((on >> 16) as usize, (on & 0xffff) as usize);
                    }
                }
            };
            let coming = |records: &[Record<P>], i: usize| {
                if is_far::<WORDS>(ports) {
                    ahead.look::<P, WORDS>(senders, records, i);
                }
            };
            let meanwhile = (placing, coming);
            if orders {
                let step = Step { routing: beyond, bits: self.store.bits };
                let (gone, held) =
                    batch.pass::<P, WORDS>(now, step, &mut buffers, receivers, &mut todo_beyond, meanwhile);
                batch.settle(gone, (inlets, outlets));
                self.counts.moved_next |= gone > 0;
                self.counts.held += held;
            } else {
                batch.take::<P, WORDS>(now, &mut buffers, receivers, &mut todo_beyond, meanwhile);
            }
            if far {
                core::mem::swap(&mut batch, &mut ahead);
            }
        }
        self.counts.sent_now[link] = self.chosen as u64;
        drop((buffers, todo, todo_beyond));
        if far && link > 1 {
            self.begin::<WORDS>(link - 1);
        }
    }

    /// The cells of the last stage leave, or come to the resequencers.
    #[inline(never)]
    fn leave_lean<const WORDS: usize>(&mut self, now: Slot, departures: &mut [Cell]) {
        let (ports, link) = (known::<WORDS>(self.shape.ports), self.shape.stages);
        let far = is_far::<WORDS>(ports);
        let (size, routing) = (ports / P * ports, self.shape.routing(link - 1));
        let words = &mut self.store.words[(link - 1) * size..][..size];
        let next = &self.shape.rows[link * ports..][..ports];
        let (mut buffers, mut todo) = (self.store.pool.open(), self.work.stage(link - 1));
        let [batch, ahead] = &mut self.batches;
        let (mut batch, mut ahead) = (batch, ahead);
        let mut chunks = self.active[..self.chosen].chunks(CELLS).peekable();
        let mut ends = Ends::new(ports, self.chosen);
        if far {
            (0..self.chosen.min(CELLS)).for_each(|i| batch.look::<P, WORDS>(words, buffers.records, i));
        }
        while let Some(chosen) = chunks.next() {
            if !far {
                batch.fetch::<P, WORDS>(chosen, routing, &buffers, words, None);
            } else if let Some(&chosen) = chunks.peek() {
                ahead.aim::<P, WORDS>(chosen, routing, next);
            }
            let before = self.links.section::<WORDS>(link - 1);
            let first = if far { ends.advance(&before) } else { 0 };
            batch.give::<P, WORDS>(now, &mut buffers, words, &mut todo, |words, i| {
                if is_far::<WORDS>(ports) {
                    ahead.fetch_sender::<P, WORDS>(words, i);
                    before.fetch_next(first + i);
                }
            });
            let cells = batch.cells(self.store.bits);
            match &mut self.exit {
                None => cells.for_each(|(output, cell)| departures[output] = cell.departs()),
                Some(exit) => cells.for_each(|(output, cell)| exit.take(output, cell)),
            }
            if far {
                (0..CELLS).for_each(|i| ahead.look::<P, WORDS>(words, buffers.records, i));
                core::mem::swap(&mut batch, &mut ahead);
            }
        }
        let sent = self.chosen as u64;
        drop((buffers, todo));
        if far {
            self.begin::<WORDS>(link - 1);
        }
        self.depart(sent, departures);
    }

    /// Line cards send.
    #[inline(never)]
    fn send_lean_from_line_cards<const WORDS: usize>(&mut self, now: Slot) {
        self.store.pool.provide(self.shape.ports);
        let ports = known::<WORDS>(self.shape.ports);
        let chosen = choose::<LEAN, WORDS>(self.links.section(0), true, &mut self.active);
        let (mut buffers, mut todo) = (self.store.pool.open(), self.work.stage(0));
        let (mut links, mut voqs) = (self.links.section::<WORDS>(0), self.voqs.open(0));
        let (bits, mut waited) = (self.store.bits, 0);
        let words = &mut self.store.words[..ports / P * ports];
        for chosen in chosen.chunks(CELLS) {
            self.batches[0].load(chosen, &self.shape.rows[..ports], |input, output| {
                let flow = input * ports + output;
                let (_, born, empty) = voqs.pop(flow);
                links.fill_if(input, output, !empty);
                let mut number = 0;
                if let Some(next) = self.flow_numbers.get_mut(flow) {
                    number = *next;
                    *next = number.wrapping_add(1);
                }
                waited += u64::from(now - born);
                (born, u32::from(number) | (input as u32) << bits)
            });
            let nothing = (|_: u32, _: usize| (), |_: &[Record<P>], _: usize| ());
            self.batches[0].take::<P, WORDS>(now, &mut buffers, words, &mut todo, nothing);
        }
        self.counts.voq_wait += waited;
        self.counts.sent_now[0] = chosen.len() as u64;
    }

    /// Elements move cells, in any order: what a group does is nothing to the other groups of its stage.
    #[inline(never)]
    fn move_lean<const WORDS: usize>(&mut self, now: Slot, stage: usize) {
        let routing = self.shape.routing(stage);
        let numbered = self.settings.numbers() == Numbers::Stages;
        if !routing.distributes && !numbered {
            self.move_cells::<WORDS>(now, stage);
            return;
        }
        let ports = known::<WORDS>(self.shape.ports);
        let mut todo = self.work.stage(stage);
        let moving = Stage::<P, WORDS> {
            records: &mut self.store.pool.records,
            list: &mut self.moves,
            count: 0,
            bits: ports.trailing_zeros(),
            number: self.store.bits,
            low: routing.low,
            now,
        };
        let tries = todo.all();
        let moved = if routing.distributes {
            moving.distribute(tries, if numbered { u32::MAX } else { 0 })
        } else {
            let (moved, held) = moving.resequence(tries);
            self.counts.held = self.counts.held.wrapping_add(held);
            moved
        };
        let previous = &self.shape.previous[stage * ports..][..ports];
        settle(&self.moves[..moved], previous, self.links.around::<WORDS>(stage));
        self.counts.moved_next |= moved > 0;
    }
}
