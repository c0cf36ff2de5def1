//! Transmission: line cards and outputs send, and cells come to the next stage or leave.

use super::choices::{Sending, Wiring, choose, fetch, size};
use super::fabric::Fabric;
use super::record::{Inner, Packed};
use super::settings::{GENERAL, Numbers};
use super::shape::{below, known};
use super::store::{Buffers, Pool};
use super::takes::Receiver;
use super::work::Todo;
use crate::cell::{Cell, Port, Slot};

impl<const P: usize, const KIND: u8> Fabric<P, KIND> {
    /// Line cards send.
    #[inline(never)]
    pub(super) fn send_from_line_cards<const WORDS: usize>(&mut self, now: Slot) {
        self.store.pool.provide(self.shape.ports);
        let ports = known::<WORDS>(self.shape.ports);
        let spends = self.spends(0);
        let mut links = self.links.section::<WORDS>(0);
        let mut buffers = self.store.pool.open();
        let mut receiver = Receiver::<KIND> {
            now,
            per_link: self.settings.per_link,
            size: self.settings.size(self.shape.distribution > 0),
            low: 0,
            words: &mut self.store.words[..ports / P * ports],
            todo: self.work.stage(0),
            held: 0,
        };
        let mut voqs = self.voqs.open(0);
        let bits = self.store.bits;
        let (mut sent, mut waited) = (0, 0);
        let count = links.active(&mut self.active);
        for &active in &self.active[..count] {
            if KIND == GENERAL && *links.credits(active as usize >> 4) == 0 {
                continue;
            }
            let (input, output) = links.send(active, spends);
            let flow = input * ports + output;
            let (_, born, empty) = voqs.pop(flow);
            let mut number = 0;
            if self.exit.is_some() {
                number = self.flow_numbers[flow];
                self.flow_numbers[flow] = number.wrapping_add(1);
            }
            let cell = Packed::new(Inner { born, source: input as Port, number }, bits);
            let to = (input / P) * ports + output;
            // What comes from a line card is in order.
            receiver.take::<P, WORDS, false>(&mut buffers, &mut links, (to, input % P), (input, output), cell);
            if !empty {
                links.fill(input, output);
            }
            waited += u64::from(now - born);
            sent += 1;
        }
        self.counts.voq_wait += waited;
        self.counts.sent_now[0] = sent;
    }

    /// Whether a cell takes the only credit of its group on a link.
    pub(super) fn spends(&self, link: usize) -> bool {
        let single = self.settings.size(link < self.shape.distribution) == 1;
        link < self.shape.stages && single && !(KIND == GENERAL && self.settings.per_link)
    }

    /// The outputs of a stage send: over links to the next stage, or out of the fabric.
    #[inline(never)]
    pub(super) fn send_from_elements<const WORDS: usize>(&mut self, now: Slot, link: usize, departures: &mut [Cell]) {
        if link == self.shape.stages {
            self.leave::<WORDS>(now, departures);
            return;
        }
        // Each link takes and brings at most a cell for each port.
        self.store.pool.provide(self.shape.ports);
        let ports = known::<WORDS>(self.shape.ports);
        let size = ports / P * ports;
        let spends = self.spends(link);
        let (senders, receivers) = self.store.words[(link - 1) * size..][..2 * size].split_at_mut(size);
        let chosen = choose::<KIND, WORDS>(self.links.section(link), spends, &mut self.active);
        let wiring =
            Wiring { ports, routing: self.shape.routing(link - 1), next: &self.shape.next[link * ports..][..ports] };
        let sendings = &mut self.sendings[..chosen.len()];
        wiring.locate::<P, WORDS>(chosen, sendings, senders, Some(receivers));
        let (todo, todo_beyond) = self.work.around(link);
        // First all cells leave, then they come: a record that is given back is not needed again at once, which every cell would have to wait for.
        Sender::<KIND> { now, words: senders, todo }.give_all::<P, WORDS>(&mut self.store.pool, sendings);
        let receiver = Receiver::<KIND> {
            now,
            per_link: self.settings.per_link,
            size: self.settings.size(link < self.shape.distribution),
            low: self.shape.routing(link).low,
            words: receivers,
            todo: todo_beyond,
            held: 0,
        };
        let (pool, links) = (&mut self.store.pool, self.links.section::<WORDS>(link));
        let held = if link >= self.shape.distribution && self.settings.numbers() == Numbers::Stages {
            receiver.take_all::<P, WORDS, true>(pool, links, ports, sendings)
        } else {
            receiver.take_all::<P, WORDS, false>(pool, links, ports, sendings)
        };
        self.counts.sent_now[link] = sendings.len() as u64;
        self.counts.held_next += held;
    }

    /// The cells of the last stage leave, or come to the resequencers, of which each sends one cell that is in order.
    fn leave<const WORDS: usize>(&mut self, now: Slot, departures: &mut [Cell]) {
        let (ports, link) = (known::<WORDS>(self.shape.ports), self.shape.stages);
        let size = ports / P * ports;
        let words = &mut self.store.words[(link - 1) * size..][..size];
        let chosen = choose::<KIND, WORDS>(self.links.section(link), false, &mut self.active);
        let wiring =
            Wiring { ports, routing: self.shape.routing(link - 1), next: &self.shape.next[link * ports..][..ports] };
        let sendings = &mut self.sendings[..chosen.len()];
        wiring.locate::<P, WORDS>(chosen, sendings, words, None);
        let sender = Sender::<KIND> { now, words, todo: self.work.stage(link - 1) };
        sender.give_all::<P, WORDS>(&mut self.store.pool, sendings);
        let (sent, bits) = (sendings.len() as u64, self.store.bits);
        let cells = sendings.iter().map(|sending| (usize::from(sending.position), sending.cell.inner(bits)));
        match &mut self.exit {
            None => cells.for_each(|(output, cell)| departures[output] = cell.departs()),
            Some(exit) => cells.for_each(|(output, cell)| exit.take(output, cell)),
        }
        self.depart(sent, departures);
    }

    /// So many cells have come out of the last stage. If they have come to resequencers, each sends one that is in order.
    pub(super) fn depart(&mut self, sent: u64, departures: &mut [Cell]) {
        self.counts.sent_now[self.shape.stages] = sent;
        let Some(exit) = &mut self.exit else {
            self.counts.departed += sent;
            return;
        };
        for (output, departure) in departures.iter_mut().enumerate() {
            if let Some(cell) = exit.send(output) {
                *departure = cell.departs();
                self.counts.departed += 1;
            }
        }
    }
}

/// A stage that cells leave.
struct Sender<'a, const KIND: u8> {
    now: Slot,
    /// By element and group.
    words: &'a mut [u32],
    todo: Todo<'a>,
}

impl<const KIND: u8> Sender<'_, KIND> {
    /// All cells leave.
    #[inline(never)]
    fn give_all<const P: usize, const WORDS: usize>(mut self, pool: &mut Pool<P>, sendings: &mut [Sending]) {
        let mut buffers = pool.open();
        fetch(sendings, &buffers);
        for sending in sendings {
            sending.cell = self.give::<P, WORDS>(&mut buffers, sending);
        }
    }

    /// A cell leaves its output buffer, and its group is tried again if it waited for that.
    #[inline(always)]
    fn give<const P: usize, const WORDS: usize>(&mut self, buffers: &mut Buffers<'_, P>, sending: &Sending) -> Packed {
        let from = below::<WORDS>(sending.from as usize, size::<P, WORDS>());
        let (part, place) = (usize::from(sending.part) % P, sending.place as usize);
        let record = &buffers.records[place];
        let mut state = record.group;
        state.leave(part);
        state.touch(self.now);
        let cell = buffers.depths.out(record, place, part);
        // In a general fabric, merging may decide which buffer it needs.
        let wanted = if KIND == GENERAL { state.inputs() != 0 } else { state.waits() >> part & 1 != 0 };
        self.todo.add::<KIND>(from, place, wanted);
        buffers.close_or_keep::<KIND>(&mut self.words[from], place, state);
        cell
    }
}
