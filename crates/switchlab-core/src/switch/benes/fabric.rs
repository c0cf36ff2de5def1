//! The fabric slot by slot.

use super::exit::Exit;
use super::links::{Links, UNCOUNTED};
use super::shape::Shape;
use super::store::{Inner, NOWHERE, Store};
use super::work::Work;
use super::{Distribution, Numbers, Settings};
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

/// A fabric of P x P elements; see the page of `benes`.
#[derive(Clone, Debug)]
pub struct Fabric<const P: usize> {
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

impl<const P: usize> Fabric<P> {
    /// An empty fabric. The settings have been checked, and fit P.
    pub(super) fn new(settings: Settings, seed: Seed) -> Self {
        let split = settings.resequencing == super::Resequencing::PerStage && settings.distribution.is_some();
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
        let credits = |link: usize| match settings.per_link && link < stages {
            true => settings.size(link < shape.distribution) as u16,
            false => UNCOUNTED,
        };
        let ends = (0..=stages).flat_map(|link| (0..ports).map(move |_| credits(link)));
        let numbers = settings.numbers();
        let exit = (numbers == Numbers::Flows).then(|| Exit::new(ports));
        Self {
            links: Links::new(ports, ends),
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

    /// The slot, in the order of the page. Nothing happens any more in a fabric that has stopped.
    #[inline]
    pub(super) fn run_slot(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
        if self.failure.is_some() || self.is_deadlocked(now) {
            return;
        }
        self.counts.moved = false;
        if self.settings.credit_delay > 0 {
            self.bring_credits(now);
        }
        self.arrive(now, arrivals);
        for stage in (0..self.shape.stages).rev() {
            for element in 0..self.shape.elements() {
                self.move_cells(now, stage, element);
            }
        }
        self.send_from_line_cards(now);
        for link in 1..=self.shape.stages {
            self.send_from_elements(now, link, departures);
        }
        if self.exit.is_some() {
            self.leave(departures);
        }
        self.counts.settle(self.exit.as_ref().map_or(0, |exit| exit.held));
    }

    /// Credits that were under way become usable.
    fn bring_credits(&mut self, now: Slot) {
        let due = now as usize % self.settings.credit_delay;
        let flights = core::mem::take(&mut self.flights[due]);
        for flight in &flights {
            let (stage, position, group) = (flight.stage as usize, flight.position as usize, flight.group as usize);
            let at = self.at(stage, position / P, group);
            let place = self.store.groups[at].place as usize;
            self.store.buffers[place].lent[position % P] -= 1;
            self.store.close(at, place);
            self.restore(stage, position, group);
        }
        // The same vector again, so that nothing is allocated.
        self.flights[due] = flights;
        self.flights[due].clear();
    }

    /// A credit for an input buffer reaches its sender.
    #[inline(always)]
    fn restore(&mut self, stage: usize, position: usize, group: usize) {
        let end = stage * self.shape.ports + self.shape.previous[stage * self.shape.ports + position] as usize;
        if self.settings.per_link {
            *self.links.credits(end) += 1;
        } else {
            self.links.restore(end, group);
        }
    }

    /// Returns the credit of an input buffer that a cell was taken from.
    #[inline(always)]
    pub(super) fn return_credit(&mut self, now: Slot, stage: usize, position: usize, group: usize, place: usize) {
        if self.settings.credit_delay == 0 {
            self.store.buffers[place].lent[position % P] -= 1;
            self.restore(stage, position, group);
        } else {
            let due = now as usize % self.settings.credit_delay;
            let flight = Flight { stage: stage as u16, position: position as Port, group: group as Port };
            self.flights[due].push(flight);
        }
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
        for input in 0..ports {
            let Some(output) = self.links.send(input) else { continue };
            let flow = input * ports + output;
            let (_, born, empty) = self.voqs.open(0).pop(flow);
            let mut cell = Inner { born, source: input as Port, number: 0 };
            if self.exit.is_some() {
                cell.number = self.flow_numbers[flow];
                self.flow_numbers[flow] = cell.number.wrapping_add(1);
            }
            self.deliver(now, 0, input, output, cell);
            if !empty {
                self.links.fill(input, output);
            }
            self.counts.voq_wait += u64::from(now - born);
            sent += 1;
        }
        self.counts.sent_now[0] = sent;
    }

    fn send_from_elements(&mut self, now: Slot, link: usize, departures: &mut [Cell]) {
        let (ports, stage) = (self.shape.ports, link - 1);
        let last = link == self.shape.stages;
        let mut sent = 0;
        for position in 0..ports {
            let Some(group) = self.links.send(link * ports + position) else { continue };
            let (inner, output) = self.shape.behind(stage, position % P, group);
            let at = self.at(stage, position / P, inner);
            let place = self.store.groups[at].place as usize;
            let cell = self.store.take(place, output);
            self.store.buffers[place].touched = now;
            if self.store.buffers[place].inputs != 0 {
                self.work.add(stage * self.shape.elements() + position / P, inner);
            } else {
                self.store.close(at, place);
            }
            if !last {
                self.deliver(now, link, position, group, cell);
            } else if let Some(exit) = &mut self.exit {
                exit.take(position, cell);
            } else {
                departures[position] = Cell { born: cell.born, input: cell.source };
            }
            sent += 1;
        }
        self.counts.sent_now[link] = sent;
        if last && self.exit.is_none() {
            self.counts.departed += sent;
        }
    }

    /// Sends a cell over a link, from a position: it is in the input buffer for the next slot.
    #[inline(always)]
    fn deliver(&mut self, now: Slot, link: usize, from: usize, group: usize, cell: Inner) {
        let end = link * self.shape.ports + from;
        let position = self.shape.next[end] as usize;
        let at = self.at(link, position / P, group);
        let place = self.store.open(at);
        self.store.push(place, position % P, cell);
        let buffers = &mut self.store.buffers[place];
        buffers.touched = now;
        if self.settings.per_link {
            *self.links.credits(end) -= 1;
        } else if usize::from(buffers.lent[position % P]) == self.settings.size(link < self.shape.distribution) {
            self.links.exhaust(end, group);
        }
        self.work.add(link * self.shape.elements() + position / P, group);
    }

    /// One cell leaves each resequencer that has one in order.
    fn leave(&mut self, departures: &mut [Cell]) {
        let Some(exit) = &mut self.exit else { return };
        for (output, departure) in departures.iter_mut().enumerate() {
            if let Some(cell) = exit.send(output) {
                *departure = Cell { born: cell.born, input: cell.source };
                self.counts.departed += 1;
            }
        }
    }

    /// The place of a group's buffers, if it has any.
    pub(super) fn place(&self, at: usize) -> Option<usize> {
        let place = self.store.groups[at].place;
        (place != NOWHERE).then_some(place as usize)
    }
}
