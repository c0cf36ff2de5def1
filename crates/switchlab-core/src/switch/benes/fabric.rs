//! The fabric slot by slot.
//!
//! Each step is done for a whole stage or link before the next: first which cells, then where they are, then moving them. So the loads of many
//! cells are under way at once; cell by cell, at 1024 ports, every hop would wait for several lines of cache one after the other.

use super::exit::Exit;
use super::links::{Links, UNCOUNTED};
use super::shape::Shape;
use super::store::{Inner, NOWHERE, Store};
use super::work::Work;
use super::{Distribution, Numbers, Resequencing, Settings};
use crate::cell::{Cell, NONE, Port, Slot};
use crate::rng::{Purpose, Rng, Seed};
use crate::switch::Failure;
use crate::switch::queues::Queues;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

/// A credit on its way back: where the buffer is that it is for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flight {
    pub(super) stage: u16,
    pub(super) position: Port,
    pub(super) group: Port,
}

/// A cell that is sent over a link between elements.
#[derive(Clone, Copy, Debug, Default)]
struct Sending {
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

/// A fabric of P x P elements; see the page of `benes`. A plain one has buffers and credits for each group, credits that come back at once, round-robin merging and no hash:
/// what it does not have, its slot loop does not ask for.
#[derive(Clone, Debug)]
pub struct Fabric<const P: usize, const PLAIN: bool> {
    pub(super) settings: Settings,
    pub(super) shape: Shape,
    pub(super) voqs: Queues,
    pub(super) links: Links,
    pub(super) store: Store<P>,
    pub(super) work: Work,
    pub(super) exit: Option<Exit>,
    /// By input and output, with resequencing at the exit: the number of the next cell.
    flow_numbers: Vec<u16>,
    /// By slot modulo the credits' delay: credits that come back then.
    pub(super) flights: Vec<Vec<Flight>>,
    /// The key of the hash.
    pub(super) key: u64,
    pub(super) rng: Rng,
    pub(super) counts: Counts,
    pub(super) failure: Option<Box<Failure>>,
    /// What is being done to a link: cells to be sent, where they are and will be, and they themselves.
    sendings: Vec<Sending>,
    places: Vec<(u32, u32)>,
    cells: Vec<Inner>,
    /// What is being done in a stage: groups to be tried, and credits that their senders get back (end and group).
    pub(super) tries: Vec<u32>,
    pub(super) credits: Vec<(u32, Port)>,
}

/// What is counted.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    pub(super) slots: u64,
    pub(super) arrived: u64,
    pub(super) departed: u64,
    /// By link: cells sent, in all and in this slot.
    pub(super) sent: Vec<u64>,
    pub(super) sent_now: Vec<u64>,
    /// By stage: cells inside.
    pub(super) inside: Vec<u64>,
    /// By stage: slots that cells spent there beyond the one that it takes.
    pub(super) waits: Vec<u64>,
    /// Slots that cells spent in their VOQs.
    pub(super) voq_wait: u64,
    /// Cells in routing elements that wait for one before them, now and summed over slots.
    pub(super) held: u64,
    pub(super) held_sum: u64,
    /// Whether a cell has moved or was sent in this slot, and for how many slots none was.
    pub(super) moved: bool,
    pub(super) still: u32,
}

impl Counts {
    /// Ends a slot in which `held` cells wait at the exit.
    fn settle(&mut self, held: u64) {
        self.slots += 1;
        self.held_sum += self.held + held;
        let mut came = 0;
        for (link, &sent) in self.sent_now.iter().enumerate() {
            self.sent[link] += sent;
            self.moved |= sent > 0;
            if let Some(stage) = link.checked_sub(1) {
                // Cells that were here before the slot, but for those that went: they have waited.
                self.waits[stage] += self.inside[stage] - sent;
                self.inside[stage] = self.inside[stage] + came - sent;
            }
            came = sent;
        }
        self.still = if self.moved { 0 } else { self.still.saturating_add(1) };
    }

    /// Cells between the line cards and the last link.
    pub(super) fn in_stages(&self) -> u64 {
        self.inside.iter().sum()
    }
}

impl<const P: usize, const PLAIN: bool> Fabric<P, PLAIN> {
    /// An empty fabric. The settings have been checked, and fit P.
    pub(super) fn new(settings: Settings, seed: Seed) -> Self {
        let split = settings.resequencing == Resequencing::PerStage && settings.distribution.is_some();
        let shape = Shape::new(settings.ports, P.trailing_zeros(), settings.distribution.is_some(), split);
        let (ports, stages) = (shape.ports, shape.stages);
        let depth = settings.distribution_buffer.max(settings.routing_buffer);
        let mut store = Store::new(stages * shape.elements() * ports, depth);
        let mut initial = seed.stream(Purpose::Fabric, 0);
        let mut key = 0;
        match settings.distribution {
            Some(Distribution::RoundRobin) if settings.random_pointers => {
                for group in &mut store.groups[..shape.distribution * shape.elements() * ports] {
                    group.pointer = initial.below(P) as u8;
                }
            }
            Some(Distribution::Hash) if settings.random_pointers => key = initial.next(),
            _ => {}
        }
        let credits = (0..=stages).map(|link| match settings.per_link && link < stages {
            true => settings.size(link < shape.distribution) as u16,
            false => UNCOUNTED,
        });
        let exit = (settings.numbers() == Numbers::Flows).then(|| Exit::new(ports));
        Self {
            links: Links::new(ports, credits),
            voqs: Queues::new(ports * ports),
            work: Work::new(stages * shape.elements(), ports),
            flow_numbers: if exit.is_some() { vec![0; ports * ports] } else { Vec::new() },
            exit,
            flights: vec![Vec::new(); settings.credit_delay],
            key,
            rng: seed.stream(Purpose::Fabric, 1),
            counts: Counts {
                sent: vec![0; stages + 1],
                sent_now: vec![0; stages + 1],
                inside: vec![0; stages],
                waits: vec![0; stages],
                ..Counts::default()
            },
            failure: None,
            sendings: Vec::with_capacity(ports),
            places: Vec::with_capacity(ports),
            cells: Vec::with_capacity(ports),
            tries: Vec::with_capacity(4 * ports),
            credits: Vec::with_capacity(4 * ports),
            store,
            shape,
            settings,
        }
    }

    /// Where an element keeps a group.
    #[inline(always)]
    pub(super) fn at(&self, stage: usize, element: usize, group: usize) -> usize {
        (stage * self.shape.elements() + element) * self.shape.ports + group
    }

    #[inline(always)]
    pub(super) fn per_link(&self) -> bool {
        !PLAIN && self.settings.per_link
    }

    /// The slot, in the order of the page. Nothing happens any more in a fabric that has stopped.
    #[inline]
    pub(super) fn run_slot(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
        if self.failure.is_some() || self.is_deadlocked(now) {
            return;
        }
        self.counts.moved = false;
        if !PLAIN && self.settings.credit_delay > 0 {
            self.bring_credits(now);
        }
        self.arrive(now, arrivals);
        for stage in (0..self.shape.stages).rev() {
            self.move_cells(now, stage);
            self.restore_credits();
        }
        self.send_from_line_cards(now);
        for link in 1..=self.shape.stages {
            self.choose_cells(link);
            self.take_cells(now);
            if link < self.shape.stages {
                self.deliver_cells(now, link);
            } else {
                self.leave(departures);
            }
        }
        self.counts.settle(self.exit.as_ref().map_or(0, |exit| exit.held));
    }

    /// Credits that were under way become usable.
    fn bring_credits(&mut self, now: Slot) {
        let due = now as usize % self.settings.credit_delay;
        let mut flights = core::mem::take(&mut self.flights[due]);
        for flight in flights.drain(..) {
            let (stage, position, group) = (flight.stage as usize, flight.position as usize, flight.group as usize);
            let at = self.at(stage, position / P, group);
            let record = &mut self.store.records[self.store.groups[at].place as usize];
            record.returning[position % P] -= 1;
            if record.is_idle() {
                self.store.close(at);
            }
            let from = self.shape.previous[stage * self.shape.ports + position];
            self.credits.push(((self.links.first(stage) + usize::from(from)) as u32, group as Port));
        }
        // The same vector again, so that nothing is allocated.
        self.flights[due] = flights;
        self.restore_credits();
    }

    /// Credits reach their senders. Within a stage nobody looks at them, so they need not come one by one.
    #[inline(always)]
    fn restore_credits(&mut self) {
        for &(end, group) in &self.credits {
            if !PLAIN && self.settings.per_link {
                *self.links.credits(end as usize) += 1;
            } else {
                self.links.restore(end as usize, usize::from(group));
            }
        }
        self.credits.clear();
    }

    fn arrive(&mut self, now: Slot, arrivals: &[Port]) {
        let ports = self.shape.ports;
        let mut voqs = self.voqs.open(ports);
        for (input, &output) in arrivals.iter().enumerate() {
            if output != NONE {
                voqs.push(input * ports + output as usize, now);
                self.links.fill(input, output as usize);
                self.counts.arrived += 1;
            }
        }
    }

    fn send_from_line_cards(&mut self, now: Slot) {
        let ports = self.shape.ports;
        let mut sent = 0;
        for word in self.links.active(0) {
            let mut active = self.links.active_word(word);
            while active != 0 {
                let input = word * 64 + active.trailing_zeros() as usize;
                active &= active - 1;
                if self.per_link() && *self.links.credits(input) == 0 {
                    continue;
                }
                let output = self.links.send(input);
                let flow = input * ports + output;
                let (_, born, empty) = self.voqs.open(0).pop(flow);
                let mut number = 0;
                if self.exit.is_some() {
                    number = self.flow_numbers[flow];
                    self.flow_numbers[flow] = number.wrapping_add(1);
                }
                let cell = Inner { born, source: input as Port, number };
                let at = self.at(0, input / P, output);
                let place = self.store.open(at);
                self.deliver(now, 0, (at, place), input % P, (input, output), cell);
                if !empty {
                    self.links.fill(input, output);
                }
                self.counts.voq_wait += u64::from(now - born);
                sent += 1;
            }
        }
        self.counts.sent_now[0] = sent;
    }

    /// The schedulers of a stage: each output chooses the cell that it sends.
    #[inline(always)]
    fn choose_cells(&mut self, link: usize) {
        let (stage, first) = (link - 1, self.links.first(link));
        self.sendings.clear();
        for word in self.links.active(link) {
            let mut active = self.links.active_word(word);
            while active != 0 {
                let end = word * 64 + active.trailing_zeros() as usize;
                active &= active - 1;
                if self.per_link() && *self.links.credits(end) == 0 {
                    continue;
                }
                let (group, position) = (self.links.send(end), end - first);
                let (inner, part) = self.shape.behind(stage, position % P, group);
                let beyond = usize::from(self.shape.next[link * self.shape.ports + position]);
                self.sendings.push(Sending {
                    from: self.at(stage, position / P, inner) as u32,
                    to: if link < self.shape.stages { self.at(link, beyond / P, group) as u32 } else { 0 },
                    group: group as Port,
                    position: position as Port,
                    part: part as u8,
                    port: (beyond % P) as u8,
                });
            }
        }
        self.counts.sent_now[link] = self.sendings.len() as u64;
    }

    /// The chosen cells leave their output buffers, and their groups are tried again if they waited for that.
    #[inline(always)]
    fn take_cells(&mut self, now: Slot) {
        let groups = &self.store.groups[..];
        self.places.clear();
        self.places.extend(self.sendings.iter().map(|sending| {
            (groups[sending.from as usize].place, groups[sending.to as usize].place)
        }));
        self.cells.clear();
        for (sending, &(place, _)) in self.sendings.iter().zip(&self.places) {
            let record = &mut self.store.records[place as usize];
            let part = usize::from(sending.part) % P;
            self.cells.push(record.outs[part]);
            record.outputs &= !(1 << part);
            record.touched = now;
            // In a fabric that is not plain, merging may decide which buffer it needs.
            if record.waits >> part & 1 != 0 || !PLAIN && record.inputs != 0 {
                let at = sending.from as usize;
                self.work.add(at >> self.shape.ports.trailing_zeros(), at & (self.shape.ports - 1));
            } else if record.is_idle() {
                self.store.close(sending.from as usize);
            }
        }
    }

    /// The chosen cells come to the next stage.
    #[inline(always)]
    fn deliver_cells(&mut self, now: Slot, link: usize) {
        let sendings = core::mem::take(&mut self.sendings);
        for (number, sending) in sendings.iter().enumerate() {
            let (at, port, group) = (sending.to as usize, usize::from(sending.port), usize::from(sending.group));
            // A group that had no place then may have one by now.
            let place = match self.places[number].1 {
                NOWHERE => self.store.open(at),
                place => place as usize,
            };
            let end = self.links.first(link) + usize::from(sending.position);
            self.deliver(now, link, (at, place), port, (end, group), self.cells[number]);
        }
        self.sendings = sendings;
    }

    /// A cell comes to an input buffer, where it is for the next slot.
    #[inline(always)]
    fn deliver(
        &mut self,
        now: Slot,
        stage: usize,
        (at, place): (usize, usize),
        port: usize,
        (end, group): (usize, usize),
        cell: Inner,
    ) {
        let record = self.store.push(place, port % P, cell);
        record.touched = now;
        let last = record.lent(port % P) == self.settings.size(stage < self.shape.distribution);
        if !PLAIN && self.settings.per_link {
            *self.links.credits(end) -= 1;
        } else {
            self.links.exhaust(end, group, last);
        }
        // A group that waits for room does not wait for cells.
        if !PLAIN || record.waits == 0 {
            self.work.add(at >> self.shape.ports.trailing_zeros(), group);
        }
    }

    /// The chosen cells of the last stage leave, or come to the resequencers, of which each sends one cell that is in order.
    #[inline(always)]
    fn leave(&mut self, departures: &mut [Cell]) {
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
