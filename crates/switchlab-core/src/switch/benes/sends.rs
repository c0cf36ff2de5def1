//! Transmission: line cards and outputs send, and cells come to the next stage or leave.

use super::fabric::Fabric;
use super::links::Section;
use super::settings::{Numbers, Settings};
use super::shape::Routing;
use super::store::{Buffers, Inner, clock, place};
use super::work::Todo;
use crate::cell::{Cell, Port, Slot};

/// A cell that is sent by an element.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sending {
    /// Where the sender, and the receiver, keeps the group.
    from: u32,
    to: u32,
    /// The group on the link, and the position at its beginning.
    group: Port,
    position: Port,
    /// Which output buffer of the group, and which input.
    part: u8,
    port: u8,
}

impl<const P: usize, const PLAIN: bool> Fabric<P, PLAIN> {
    /// Line cards send.
    pub(super) fn send_from_line_cards(&mut self, now: Slot) {
        self.store.pool.provide(self.shape.ports);
        let (ports, elements) = (self.shape.ports, self.shape.elements());
        let mut links = self.links.section(0);
        let mut buffers = self.store.pool.open();
        let mut receiver = Receiver::<P, PLAIN> {
            now,
            settings: &self.settings,
            size: self.settings.size(self.shape.distribution > 0),
            routing: self.shape.routing(0),
            orders: self.shape.distribution == 0 && self.settings.numbers() == Numbers::Stages,
            words: &mut self.store.words[..elements * ports],
            todo: self.work.stage(0),
            held: 0,
        };
        let spends = receiver.spends();
        let mut voqs = self.voqs.open(0);
        let mut sent = 0;
        for word in 0..links.words() {
            let mut active = links.active(word);
            while active != 0 {
                let input = word * 64 + active.trailing_zeros() as usize;
                active &= active - 1;
                if !PLAIN && *links.credits(input) == 0 {
                    continue;
                }
                let output = links.send(input, spends);
                let flow = input * ports + output;
                let (_, born, empty) = voqs.pop(flow);
                let mut number = 0;
                if self.exit.is_some() {
                    number = self.flow_numbers[flow];
                    self.flow_numbers[flow] = number.wrapping_add(1);
                }
                let cell = Inner { born, source: input as Port, number };
                let to = (input / P) * ports + output;
                receiver.take(&mut buffers, &mut links, (to, input % P), (input, output), cell);
                if !empty {
                    links.fill(input, output);
                }
                self.counts.voq_wait += u64::from(now - born);
                sent += 1;
            }
        }
        self.counts.sent_now[0] = sent;
    }

    /// The outputs of a stage send: over links to the next stage, or out of the fabric.
    #[inline(always)]
    pub(super) fn send_from_elements(&mut self, now: Slot, link: usize, departures: &mut [Cell]) {
        self.choose_cells(link);
        self.counts.sent_now[link] = self.sendings.len() as u64;
        if link == self.shape.stages {
            self.leave(now, departures);
            return;
        }
        // Each link takes and brings at most a cell for each port.
        self.store.pool.provide(self.shape.ports);
        let size = self.shape.elements() * self.shape.ports;
        let (senders, receivers) = self.store.words[(link - 1) * size..(link + 1) * size].split_at_mut(size);
        let mut buffers = self.store.pool.open();
        // With few ports all of it is near.
        if self.shape.ports > 64 {
            fetch(&self.sendings, senders, receivers, &buffers);
        }
        let (todo, todo_beyond) = self.work.around(link);
        let mut links = self.links.section(link);
        let mut sender = Sender::<PLAIN> { now, words: senders, todo };
        let mut receiver = Receiver::<P, PLAIN> {
            now,
            settings: &self.settings,
            size: self.settings.size(link < self.shape.distribution),
            routing: self.shape.routing(link),
            orders: link >= self.shape.distribution && self.settings.numbers() == Numbers::Stages,
            words: receivers,
            todo: todo_beyond,
            held: 0,
        };
        for sending in &self.sendings {
            let cell = sender.give(&mut buffers, sending);
            let (end, group) = (usize::from(sending.position), usize::from(sending.group));
            let to = (sending.to as usize, usize::from(sending.port));
            receiver.take(&mut buffers, &mut links, to, (end, group), cell);
        }
        self.counts.held_next += receiver.held;
    }

    /// The schedulers of a stage: each output chooses the cell that it sends.
    #[inline(always)]
    fn choose_cells(&mut self, link: usize) {
        let (shape, bits) = (&self.shape, self.shape.ports.trailing_zeros());
        let routing = shape.routing(link - 1);
        let next = &shape.next[link * shape.ports..(link + 1) * shape.ports];
        let mut links = self.links.section(link);
        // Where one credit is all that a group has.
        let size = self.settings.size(link < shape.distribution);
        let spends = link < shape.stages && size == 1 && (PLAIN || !self.settings.per_link);
        let sendings = &mut self.sendings;
        sendings.clear();
        for word in 0..links.words() {
            let mut active = links.active(word);
            while active != 0 {
                let position = word * 64 + active.trailing_zeros() as usize;
                active &= active - 1;
                if !PLAIN && *links.credits(position) == 0 {
                    continue;
                }
                let group = links.send(position, spends);
                let (inner, part) = routing.behind::<P>(position % P, group);
                let beyond = usize::from(next[position]);
                sendings.push(Sending {
                    from: ((position / P) << bits | inner) as u32,
                    to: ((beyond / P) << bits | group) as u32,
                    group: group as Port,
                    position: position as Port,
                    part: part as u8,
                    port: (beyond % P) as u8,
                });
            }
        }
    }

    /// The chosen cells of the last stage leave, or come to the resequencers, of which each sends one cell that is in order.
    #[inline(always)]
    fn leave(&mut self, now: Slot, departures: &mut [Cell]) {
        let size = self.shape.elements() * self.shape.ports;
        let words = &mut self.store.words[(self.shape.stages - 1) * size..];
        let mut buffers = self.store.pool.open();
        if self.shape.ports > 64 {
            fetch(&self.sendings, words, &[0; 0], &buffers);
        }
        let mut sender = Sender::<PLAIN> { now, words, todo: self.work.stage(self.shape.stages - 1) };
        let Some(exit) = &mut self.exit else {
            for sending in &self.sendings {
                let cell = sender.give(&mut buffers, sending);
                departures[usize::from(sending.position)] = Cell { born: cell.born, input: cell.source };
            }
            self.counts.departed += self.sendings.len() as u64;
            return;
        };
        for sending in &self.sendings {
            exit.take(usize::from(sending.position), sender.give(&mut buffers, sending));
        }
        for (output, departure) in departures.iter_mut().enumerate() {
            if let Some(cell) = exit.send(output) {
                *departure = Cell { born: cell.born, input: cell.source };
                self.counts.departed += 1;
            }
        }
    }
}

/// Brings what will be asked for into the cache: first all words, then all records. A loop that does something with a cell has far fewer
/// misses under way at a time. What is loaded does not matter.
#[inline(always)]
fn fetch<const P: usize>(sendings: &[Sending], senders: &[u32], receivers: &[u32], buffers: &Buffers<'_, P>) {
    let word = |words: &[u32], at: u32| words.get(at as usize).copied().unwrap_or_default();
    let words = sendings.iter().fold(0, |sum, sending| sum ^ word(senders, sending.from) ^ word(receivers, sending.to));
    core::hint::black_box(words);
    let record = |words: &[u32], at: u32| buffers.records.get(place(word(words, at))).map_or(0, |record| record.group.inputs);
    let records =
        sendings.iter().fold(0, |sum, sending| sum ^ record(senders, sending.from) ^ record(receivers, sending.to));
    core::hint::black_box(records);
}

/// A stage that cells leave.
struct Sender<'a, const PLAIN: bool> {
    now: Slot,
    /// By element and group.
    words: &'a mut [u32],
    todo: Todo<'a>,
}

impl<const PLAIN: bool> Sender<'_, PLAIN> {
    /// A cell leaves its output buffer, and its group is tried again if it waited for that.
    #[inline(always)]
    fn give<const P: usize>(&mut self, buffers: &mut Buffers<'_, P>, sending: &Sending) -> Inner {
        let word = &mut self.words[sending.from as usize];
        let part = usize::from(sending.part) % P;
        let place = place(*word);
        let record = &mut buffers.records[place];
        let state = &mut record.group;
        state.outputs &= !(1 << part);
        state.touched = clock(self.now);
        let cell = record.outs[part];
        // In a fabric that is not plain, merging may decide which buffer it needs.
        let wanted = if PLAIN { state.waits >> part & 1 != 0 } else { state.inputs != 0 };
        self.todo.add(sending.from as usize, place, &mut state.listed, wanted);
        buffers.close_if_idle(word);
        cell
    }
}

/// A stage that cells come to.
struct Receiver<'a, const P: usize, const PLAIN: bool> {
    now: Slot,
    settings: &'a Settings,
    /// Of an input buffer.
    size: usize,
    routing: Routing,
    /// Whether it puts cells into order.
    orders: bool,
    /// By element and group.
    words: &'a mut [u32],
    todo: Todo<'a>,
    /// Cells that are known to wait for one before them, in the next slot.
    held: u64,
}

impl<const P: usize, const PLAIN: bool> Receiver<'_, P, PLAIN> {
    /// Whether a cell takes the only credit of its group.
    fn spends(&self) -> bool {
        self.size == 1 && (PLAIN || !self.settings.per_link)
    }

    /// A cell comes to an input buffer, where it is for the next slot. `end` is where it comes from.
    #[inline(always)]
    fn take(
        &mut self,
        buffers: &mut Buffers<'_, P>,
        links: &mut Section<'_>,
        (at, port): (usize, usize),
        (end, group): (usize, usize),
        cell: Inner,
    ) {
        let place = buffers.place(&mut self.words[at]);
        let record = &mut buffers.records[place];
        let is_first = record.group.inputs >> port & 1 == 0;
        let lent = buffers.depths.push(record, place, port % P, cell);
        let state = &mut record.group;
        state.touched = clock(self.now);
        if !PLAIN && self.settings.per_link {
            *links.credits(end) -= 1;
        } else if self.size > 1 {
            links.exhaust(end, group, lent == self.size);
        }
        // A group that waits for room does not wait for cells.
        let mut wanted = !PLAIN || state.waits == 0;
        if self.orders {
            let digit = u32::from(cell.number >> self.routing.low) % P as u32;
            if is_first {
                state.set_digit(port, digit);
            }
            if PLAIN {
                // One that has to wait for another: as if it had been tried in the next slot, in vain. Without branches.
                let early = wanted & !(is_first & state.awaits(port, digit));
                state.held += u16::from(early);
                state.touched = clock(self.now.wrapping_add(Slot::from(early)));
                self.held += u64::from(early);
                wanted &= !early;
            }
        }
        self.todo.add(at, place, &mut state.listed, wanted);
    }
}
