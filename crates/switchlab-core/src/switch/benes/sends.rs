//! Transmission: line cards and outputs send, and cells come to the next stage or leave.

use super::fabric::Fabric;
use super::links::Section;
use super::settings::Settings;
use super::store::{Buffers, Group, Inner, NOWHERE, clock};
use super::work::Todo;
use crate::cell::{Cell, Port, Slot};
use alloc::vec::Vec;

/// A cell that is sent over a link between elements.
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
        let (ports, elements) = (self.shape.ports, self.shape.elements());
        let mut receiver = Receiver::<P, PLAIN> {
            now,
            settings: &self.settings,
            size: self.settings.size(self.shape.distribution > 0),
            groups: &mut self.store.groups[..elements * ports],
            pool: self.store.pool.open(),
            links: self.links.section(0),
            todo: self.work.stage(0),
        };
        let mut voqs = self.voqs.open(0);
        let mut sent = 0;
        for word in 0..receiver.links.words() {
            let mut active = receiver.links.active(word);
            while active != 0 {
                let input = word * 64 + active.trailing_zeros() as usize;
                active &= active - 1;
                if !PLAIN && *receiver.links.credits(input) == 0 {
                    continue;
                }
                let output = receiver.links.send(input);
                let flow = input * ports + output;
                let (_, born, empty) = voqs.pop(flow);
                let mut number = 0;
                if self.exit.is_some() {
                    number = self.flow_numbers[flow];
                    self.flow_numbers[flow] = number.wrapping_add(1);
                }
                let cell = Inner { born, source: input as Port, number };
                receiver.take((input / P) * ports + output, NOWHERE, input % P, (input, output), cell);
                if !empty {
                    receiver.links.fill(input, output);
                }
                self.counts.voq_wait += u64::from(now - born);
                sent += 1;
            }
        }
        self.counts.sent_now[0] = sent;
    }

    /// The schedulers of a stage: each output chooses the cell that it sends.
    #[inline(always)]
    pub(super) fn choose_cells(&mut self, link: usize) {
        let (shape, bits) = (&self.shape, self.shape.ports.trailing_zeros());
        let routing = shape.routing(link - 1);
        let next = &shape.next[link * shape.ports..(link + 1) * shape.ports];
        let mut links = self.links.section(link);
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
                let group = links.send(position);
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
        self.counts.sent_now[link] = sendings.len() as u64;
    }

    /// The chosen cells leave their output buffers, and their groups are tried again if they waited for that.
    #[inline(always)]
    pub(super) fn take_cells(&mut self, now: Slot, link: usize) {
        let size = self.shape.elements() * self.shape.ports;
        // What follows the last stage is not looked at, but has to be something.
        let beyond = link.min(self.shape.stages - 1);
        let receivers = &self.store.groups[beyond * size..(beyond + 1) * size];
        let senders = &self.store.groups[(link - 1) * size..link * size];
        // First all places, then all cells, then the rest.
        self.places.clear();
        self.places.extend(
            self.sendings
                .iter()
                .map(|sending| (senders[sending.from as usize].place, receivers[sending.to as usize].place)),
        );
        let (buffers, free) = self.store.pool.open();
        self.cells.clear();
        self.cells.extend(
            self.sendings
                .iter()
                .zip(&self.places)
                .map(|(sending, &(place, _))| buffers.records[place as usize].outs[usize::from(sending.part) % P]),
        );
        let senders = &mut self.store.groups[(link - 1) * size..link * size];
        let mut todo = self.work.stage(link - 1);
        for sending in &self.sendings {
            let state = &mut senders[sending.from as usize];
            let part = usize::from(sending.part) % P;
            state.outputs &= !(1 << part);
            state.touched = clock(now);
            // In a fabric that is not plain, merging may decide which buffer it needs.
            todo.add(sending.from as usize, state.waits >> part & 1 != 0 || !PLAIN && state.inputs != 0);
            if buffers.is_idle(state) {
                free.push(core::mem::replace(&mut state.place, NOWHERE));
            }
        }
    }

    /// The chosen cells come to the next stage.
    #[inline(always)]
    pub(super) fn deliver_cells(&mut self, now: Slot, link: usize) {
        let size = self.shape.elements() * self.shape.ports;
        let mut receiver = Receiver::<P, PLAIN> {
            now,
            settings: &self.settings,
            size: self.settings.size(link < self.shape.distribution),
            groups: &mut self.store.groups[link * size..(link + 1) * size],
            pool: self.store.pool.open(),
            links: self.links.section(link),
            todo: self.work.stage(link),
        };
        for ((sending, &(_, place)), &cell) in self.sendings.iter().zip(&self.places).zip(&self.cells) {
            let (end, group) = (usize::from(sending.position), usize::from(sending.group));
            receiver.take(sending.to as usize, place, usize::from(sending.port), (end, group), cell);
        }
    }

    /// The chosen cells of the last stage leave, or come to the resequencers, of which each sends one cell that is in order.
    #[inline(always)]
    pub(super) fn leave(&mut self, departures: &mut [Cell]) {
        let chosen = self.sendings.iter().zip(&self.cells);
        let Some(exit) = &mut self.exit else {
            for (sending, cell) in chosen {
                departures[usize::from(sending.position)] = Cell { born: cell.born, input: cell.source };
            }
            self.counts.departed += self.sendings.len() as u64;
            return;
        };
        for (sending, &cell) in chosen {
            exit.take(usize::from(sending.position), cell);
        }
        for (output, departure) in departures.iter_mut().enumerate() {
            if let Some(cell) = exit.send(output) {
                *departure = Cell { born: cell.born, input: cell.source };
                self.counts.departed += 1;
            }
        }
    }
}

/// A stage that cells come to.
struct Receiver<'a, const P: usize, const PLAIN: bool> {
    now: Slot,
    settings: &'a Settings,
    /// Of an input buffer.
    size: usize,
    /// By element and group.
    groups: &'a mut [Group],
    pool: (Buffers<'a, P>, &'a mut Vec<u32>),
    /// The links to it.
    links: Section<'a>,
    todo: Todo<'a>,
}

impl<const P: usize, const PLAIN: bool> Receiver<'_, P, PLAIN> {
    /// A cell comes to an input buffer, where it is for the next slot. `place` is that of its group, or unknown.
    #[inline(always)]
    fn take(&mut self, at: usize, place: u32, port: usize, (end, group): (usize, usize), cell: Inner) {
        let (buffers, free) = &mut self.pool;
        let state = &mut self.groups[at];
        // Unknown, or not yet given. There are enough.
        if place == NOWHERE && state.place == NOWHERE {
            state.place = free.pop().unwrap_or_default();
        }
        let lent = buffers.push(state, state.place as usize, port % P, cell);
        state.touched = clock(self.now);
        if !PLAIN && self.settings.per_link {
            *self.links.credits(end) -= 1;
        } else {
            self.links.exhaust(end, group, lent == self.size);
        }
        // A group that waits for room does not wait for cells.
        self.todo.add(at, !PLAIN || state.waits == 0);
    }
}
