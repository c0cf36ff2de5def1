//! The slot of a lean fabric: cells move as soon as they have come.
//!
//! On the page, a cell that comes in a slot moves in the next one, before anything is sent. Between the two nothing happens that the move could see, or that could see the move: its stage has sent its
//! cells of this slot; the stage before it, which gets the credit, has chosen what it sends, or the cell would not have come; and the next slot begins with moves. So the moves of
//! the next slot are made at the end of this one, while what they need is still in cache. What is counted, is counted for the slot that a move belongs to.
//!
//! In a routing stage that puts cells into order it does not even matter in what order they come: a cell that is the next of its group, and finds the group's input
//! buffers and its own output buffer empty, comes to the output buffer at once, and its credit is back as if it had moved.

use super::Numbers;
use super::batch::{CELLS, Step};
use super::choices::choose;
use super::fabric::Fabric;
use super::lean_moves::{Stage, settle};
use super::settings::LEAN;
use super::shape::known;
use crate::cell::{Cell, Port, Slot};

impl<const P: usize, const KIND: u8> Fabric<P, KIND> {
    /// The slot, but for the moves at its beginning, and with those of the next slot.
    #[inline(always)]
    pub(super) fn send_and_move<const WORDS: usize>(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
        let next = now.wrapping_add(1);
        self.leave_lean::<WORDS>(now, departures);
        for stage in (1..self.shape.stages).rev() {
            self.send_lean::<WORDS>(now, stage);
            self.move_lean::<WORDS>(next, stage);
        }
        self.arrive::<WORDS>(now, arrivals);
        self.send_lean_from_line_cards::<WORDS>(now);
        self.move_lean::<WORDS>(next, 0);
    }

    /// The outputs of a stage send over a link to the next stage.
    #[inline(never)]
    fn send_lean<const WORDS: usize>(&mut self, now: Slot, link: usize) {
        // Each link takes and brings at most a cell for each port.
        self.store.pool.provide(self.shape.ports);
        let ports = known::<WORDS>(self.shape.ports);
        let size = ports / P * ports;
        let (senders, receivers) = self.store.words[(link - 1) * size..][..2 * size].split_at_mut(size);
        let chosen = choose::<LEAN, WORDS>(self.links.section(link), true, &mut self.active);
        let next = &self.shape.rows[link * ports..][..ports];
        let (routing, beyond) = (self.shape.routing(link - 1), self.shape.routing(link));
        let orders = !beyond.distributes && self.settings.numbers() == Numbers::Stages;
        let (mut todo, mut todo_beyond) = self.work.around(link);
        let (mut buffers, batch) = (self.store.pool.open(), &mut self.batch);
        for chosen in chosen.chunks(CELLS) {
            batch.fetch::<P, WORDS>(chosen, routing, &buffers, senders, Some((next, receivers)));
            // First all cells leave, then they come: a record that is given back is not needed again at once, which every cell would have to wait for.
            batch.give::<P, WORDS>(now, &mut buffers, senders, &mut todo);
            if orders {
                let step = Step { routing: beyond, bits: self.store.bits };
                let (gone, held) = batch.pass::<P, WORDS>(now, step, &mut buffers, receivers, &mut todo_beyond);
                batch.settle(gone, self.links.around::<WORDS>(link));
                self.counts.moved_next |= gone > 0;
                self.counts.held += held;
            } else {
                batch.take::<P, WORDS>(now, &mut buffers, receivers, &mut todo_beyond);
            }
        }
        self.counts.sent_now[link] = chosen.len() as u64;
    }

    /// The cells of the last stage leave, or come to the resequencers.
    #[inline(never)]
    fn leave_lean<const WORDS: usize>(&mut self, now: Slot, departures: &mut [Cell]) {
        let (ports, link) = (known::<WORDS>(self.shape.ports), self.shape.stages);
        let size = ports / P * ports;
        let words = &mut self.store.words[(link - 1) * size..][..size];
        let chosen = choose::<LEAN, WORDS>(self.links.section(link), false, &mut self.active);
        let (mut buffers, mut todo) = (self.store.pool.open(), self.work.stage(link - 1));
        for chosen in chosen.chunks(CELLS) {
            let batch = &mut self.batch;
            batch.fetch::<P, WORDS>(chosen, self.shape.routing(link - 1), &buffers, words, None);
            batch.give::<P, WORDS>(now, &mut buffers, words, &mut todo);
            let cells = batch.cells(self.store.bits);
            match &mut self.exit {
                None => cells.for_each(|(output, cell)| departures[output] = cell.departs()),
                Some(exit) => cells.for_each(|(output, cell)| exit.take(output, cell)),
            }
        }
        let sent = chosen.len() as u64;
        drop((buffers, todo));
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
            self.batch.load(chosen, &self.shape.rows[..ports], |input, output| {
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
            self.batch.take::<P, WORDS>(now, &mut buffers, words, &mut todo);
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
