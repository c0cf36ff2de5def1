//! Transmission: line cards and outputs send, and cells come to the next stage or leave.

use super::fabric::Fabric;
use super::links::Section;
use super::settings::{GENERAL, LEAN, Numbers};
use super::shape::Routing;
use super::store::{Buffers, Inner, Packed, clock, place};
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
    /// The cell itself, once it has left its buffer.
    cell: Packed,
}

impl<const P: usize, const KIND: u8> Fabric<P, KIND> {
    /// Line cards send.
    #[inline(never)]
    pub(super) fn send_from_line_cards<const WORDS: usize>(&mut self, now: Slot) {
        self.store.pool.provide(self.shape.ports);
        let (ports, elements) = (self.shape.ports, self.shape.elements());
        let spends = self.spends(0);
        let mut links = self.links.section::<WORDS>(0);
        let mut buffers = self.store.pool.open();
        let mut receiver = Receiver::<KIND> {
            now,
            per_link: self.settings.per_link,
            size: self.settings.size(self.shape.distribution > 0),
            low: 0,
            // What comes from a line card is in order.
            orders: false,
            words: &mut self.store.words[..elements * ports],
            todo: self.work.stage(0),
            held: 0,
        };
        let mut voqs = self.voqs.open(0);
        let (mut sent, mut waited) = (0, 0);
        for word in 0..links.words() {
            let mut active = links.active(word);
            while active != 0 {
                let input = word * 64 + active.trailing_zeros() as usize;
                active &= active - 1;
                if KIND == GENERAL && *links.credits(input) == 0 {
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
                let cell = Inner { born, source: input as Port, number }.into();
                let to = (input / P) * ports + output;
                receiver.take(&mut buffers, &mut links, (to, input % P), (input, output), cell);
                if !empty {
                    links.fill(input, output);
                }
                waited += u64::from(now - born);
                sent += 1;
            }
        }
        self.counts.voq_wait += waited;
        self.counts.sent_now[0] = sent;
    }

    /// Whether a cell takes the only credit of its group on a link.
    fn spends(&self, link: usize) -> bool {
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
        let spends = self.spends(link);
        let size = self.shape.elements() * self.shape.ports;
        let (senders, receivers) = self.store.words[(link - 1) * size..(link + 1) * size].split_at_mut(size);
        let mut buffers = self.store.pool.open();
        let mut links = self.links.section::<WORDS>(link);
        let scheduler = Scheduler::<KIND> {
            bits: self.shape.ports.trailing_zeros(),
            routing: self.shape.routing(link - 1),
            next: &self.shape.next[link * self.shape.ports..(link + 1) * self.shape.ports],
            spends,
        };
        let (todo, todo_beyond) = self.work.around(link);
        let mut receiver = Receiver::<KIND> {
            now,
            per_link: self.settings.per_link,
            size: self.settings.size(link < self.shape.distribution),
            low: self.shape.routing(link).low,
            orders: link >= self.shape.distribution && self.settings.numbers() == Numbers::Stages,
            words: receivers,
            todo: todo_beyond,
            held: 0,
        };
        let mut sender = Sender::<KIND> { now, words: senders, todo };
        let sendings = &mut self.sendings;
        sendings.clear();
        // First all cells leave, then they come: a record that is given back is not needed again at once, which every cell would have to wait for.
        if self.shape.ports <= 64 {
            scheduler.choose::<P, WORDS>(&mut links, |mut sending| {
                sending.cell = sender.give(&mut buffers, &sending);
                sendings.push(sending);
            });
        } else {
            scheduler.choose::<P, WORDS>(&mut links, |sending| sendings.push(sending));
            fetch(sendings, sender.words, receiver.words, &buffers);
            for sending in sendings.iter_mut() {
                sending.cell = sender.give(&mut buffers, sending);
            }
        }
        for sending in sendings.iter() {
            let (end, group) = (usize::from(sending.position), usize::from(sending.group));
            let to = (sending.to as usize, usize::from(sending.port));
            receiver.take(&mut buffers, &mut links, to, (end, group), sending.cell);
        }
        self.counts.sent_now[link] = sendings.len() as u64;
        self.counts.held_next += receiver.held;
    }

    /// The cells of the last stage leave, or come to the resequencers, of which each sends one cell that is in order.
    #[inline(always)]
    fn leave<const WORDS: usize>(&mut self, now: Slot, departures: &mut [Cell]) {
        let (ports, link) = (self.shape.ports, self.shape.stages);
        let size = self.shape.elements() * ports;
        let mut buffers = self.store.pool.open();
        let mut links = self.links.section::<WORDS>(link);
        let scheduler = Scheduler::<KIND> {
            bits: ports.trailing_zeros(),
            routing: self.shape.routing(link - 1),
            next: &self.shape.next[link * ports..(link + 1) * ports],
            spends: false,
        };
        let words = &mut self.store.words[(link - 1) * size..];
        let mut sender = Sender::<KIND> { now, words, todo: self.work.stage(link - 1) };
        let exit = &mut self.exit;
        let sent = scheduler.choose::<P, WORDS>(&mut links, |sending| {
            let cell = Inner::from(sender.give(&mut buffers, &sending));
            match exit {
                Some(exit) => exit.take(usize::from(sending.position), cell),
                None => departures[usize::from(sending.position)] = Cell { born: cell.born, input: cell.source },
            }
        });
        self.counts.sent_now[link] = sent;
        let Some(exit) = exit else {
            self.counts.departed += sent;
            return;
        };
        for (output, departure) in departures.iter_mut().enumerate() {
            if let Some(cell) = exit.send(output) {
                *departure = Cell { born: cell.born, input: cell.source };
                self.counts.departed += 1;
            }
        }
    }
}

/// Brings what will be asked for into the cache. A loop that does something with a cell has far fewer misses under way at a time. What is loaded does not matter. The receivers'
/// records are left out: most have none yet.
#[inline(always)]
fn fetch<const P: usize>(sendings: &[Sending], senders: &[u32], receivers: &[u32], buffers: &Buffers<'_, P>) {
    core::hint::black_box(sendings.iter().fold(0, |sum, sending| sum ^ receivers[sending.to as usize]));
    let record = |sending: &Sending| {
        let record = &buffers.records[place(senders[sending.from as usize])];
        u32::from(record.group.inputs) ^ record.outs[usize::from(sending.part) % P].digit::<P>(0)
    };
    core::hint::black_box(sendings.iter().fold(0, |sum, sending| sum ^ record(sending)));
}

/// The schedulers of a stage.
struct Scheduler<'a, const KIND: u8> {
    /// log2 N.
    bits: u32,
    routing: Routing,
    /// By position: where the link from it ends.
    next: &'a [Port],
    /// Whether a cell takes the only credit of its group.
    spends: bool,
}

impl<const KIND: u8> Scheduler<'_, KIND> {
    /// Each output chooses the cell that it sends; how many do.
    #[inline(always)]
    fn choose<const P: usize, const WORDS: usize>(
        &self,
        links: &mut Section<'_, WORDS>,
        mut visit: impl FnMut(Sending),
    ) -> u64 {
        let mut sent = 0;
        for word in 0..links.words() {
            let mut active = links.active(word);
            while active != 0 {
                let position = word * 64 + active.trailing_zeros() as usize;
                active &= active - 1;
                if KIND == GENERAL && *links.credits(position) == 0 {
                    continue;
                }
                let group = links.send(position, self.spends);
                let (inner, part) = self.routing.behind::<P>(position % P, group);
                let beyond = usize::from(self.next[position]);
                let sending = Sending {
                    from: ((position / P) << self.bits | inner) as u32,
                    to: ((beyond / P) << self.bits | group) as u32,
                    group: group as Port,
                    position: position as Port,
                    part: part as u8,
                    port: (beyond % P) as u8,
                    cell: Packed::default(),
                };
                visit(sending);
                sent += 1;
            }
        }
        sent
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
    /// A cell leaves its output buffer, and its group is tried again if it waited for that.
    #[inline(always)]
    fn give<const P: usize>(&mut self, buffers: &mut Buffers<'_, P>, sending: &Sending) -> Packed {
        let word = &mut self.words[sending.from as usize];
        let part = usize::from(sending.part) % P;
        let place = place(*word);
        let record = &mut buffers.records[place];
        let state = &mut record.group;
        state.outputs &= !(1 << part);
        state.touched = clock(self.now);
        let cell = record.outs[part];
        // In a general fabric, merging may decide which buffer it needs.
        let wanted = if KIND == GENERAL { state.inputs != 0 } else { state.waits >> part & 1 != 0 };
        self.todo.add::<KIND>(sending.from as usize, place, &mut state.listed, wanted);
        buffers.close_if_idle::<KIND>(word);
        cell
    }
}

/// A stage that cells come to.
struct Receiver<'a, const KIND: u8> {
    now: Slot,
    per_link: bool,
    /// Of an input buffer.
    size: usize,
    /// Whether it puts cells into order, by the digit of their numbers that begins at `low`.
    orders: bool,
    low: u32,
    /// By element and group.
    words: &'a mut [u32],
    todo: Todo<'a>,
    /// Cells that are known to wait for one before them, in the next slot.
    held: u64,
}

impl<const KIND: u8> Receiver<'_, KIND> {
    /// A cell comes to an input buffer, where it is for the next slot. `end` is where it comes from.
    #[inline(always)]
    fn take<const P: usize, const WORDS: usize>(
        &mut self,
        buffers: &mut Buffers<'_, P>,
        links: &mut Section<'_, WORDS>,
        (at, port): (usize, usize),
        (end, group): (usize, usize),
        cell: Packed,
    ) {
        let place = buffers.place(&mut self.words[at]);
        let record = &mut buffers.records[place];
        let is_first = KIND == LEAN || record.group.inputs >> port & 1 == 0;
        if KIND == LEAN {
            record.group.inputs |= 1 << port;
            record.heads[port % P] = cell;
        } else {
            let lent = buffers.depths.push(record, place, port % P, cell);
            if KIND == GENERAL && self.per_link {
                *links.credits(end) -= 1;
            } else if self.size > 1 {
                links.exhaust(end, group, lent == self.size);
            }
        }
        let state = &mut record.group;
        // A group that waits for room does not wait for cells.
        let mut wanted = KIND == GENERAL || state.waits == 0;
        let mut touched = self.now;
        if self.orders {
            let digit = cell.digit::<P>(self.low);
            if is_first {
                state.set_digit(port, digit);
            }
            if KIND != GENERAL {
                // One that has to wait for another: as if it had been tried in the next slot, in vain. Without branches.
                let early = wanted & !(is_first & state.awaits(port, digit));
                state.held += u16::from(early);
                touched = touched.wrapping_add(Slot::from(early));
                self.held += u64::from(early);
                wanted &= !early;
            }
        }
        state.touched = clock(touched);
        self.todo.add::<KIND>(at, place, &mut state.listed, wanted);
    }
}
