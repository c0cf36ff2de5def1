//! The fabric slot by slot.
//!
//! Each step is done for a whole stage or link before the next: first which cells, then where they are, then moving them. So the loads of many
//! cells are under way at once; cell by cell, at 1024 ports, every hop would wait for several lines of cache one after the other.

use super::exit::Exit;
use super::links::{Links, Section, UNCOUNTED};
use super::moves::Moving;
use super::shape::Shape;
use super::store::{Buffers, Group, Inner, NOWHERE, Store, clock};
use super::work::{Todo, Work};
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
    tries: Vec<u32>,
    credits: Vec<(Port, Port)>,
    /// Outputs that have got a cell, likewise.
    fills: Vec<(Port, Port)>,
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
        let mut store = Store::new(stages * shape.elements() * ports, depth, settings.credit_delay > 0);
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
        let credits = (0..=stages).map(|link| {
            if settings.per_link && link < stages { settings.size(link < shape.distribution) as u16 } else { UNCOUNTED }
        });
        let exit = (settings.numbers() == Numbers::Flows).then(|| Exit::new(ports));
        Self {
            links: Links::new(ports, credits),
            voqs: Queues::new(ports * ports),
            work: Work::new(stages, shape.elements(), ports),
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
            fills: Vec::with_capacity(4 * ports),
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
        if !PLAIN && self.settings.credit_delay > 0 {
            self.bring_credits(now);
        }
        self.arrive(now, arrivals);
        for stage in (0..self.shape.stages).rev() {
            self.move_cells(now, stage);
            self.restore_credits(stage);
        }
        // Each link takes and brings at most a cell for each port.
        self.store.pool.provide(self.shape.ports);
        self.send_from_line_cards(now);
        for link in 1..=self.shape.stages {
            self.choose_cells(link);
            self.take_cells(now, link);
            if link < self.shape.stages {
                self.store.pool.provide(self.shape.ports);
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
            let state = &mut self.store.groups[at];
            let (mut buffers, free) = self.store.pool.open();
            *buffers.returning(state.place as usize, position % P) -= 1;
            if buffers.is_idle(state) {
                free.push(core::mem::replace(&mut state.place, NOWHERE));
            }
            self.credits.push((self.shape.previous[stage * self.shape.ports + position], group as Port));
            self.restore_credits(stage);
        }
        // The same vector again, so that nothing is allocated.
        self.flights[due] = flights;
    }

    /// Credits reach their senders. Within a stage nobody looks at them, so they need not come one by one.
    #[inline(always)]
    fn restore_credits(&mut self, stage: usize) {
        let mut links = self.links.section(stage);
        for &(end, group) in &self.credits {
            if !PLAIN && self.settings.per_link {
                *links.credits(usize::from(end)) += 1;
            } else {
                links.restore(usize::from(end), usize::from(group));
            }
        }
        self.credits.clear();
    }

    fn arrive(&mut self, now: Slot, arrivals: &[Port]) {
        let ports = self.shape.ports;
        let mut voqs = self.voqs.open(ports);
        let mut links = self.links.section(0);
        for (input, &output) in arrivals.iter().enumerate() {
            if output != NONE {
                voqs.push(input * ports + output as usize, now);
                links.fill(input, output as usize);
                self.counts.arrived += 1;
            }
        }
    }

    /// Elements move cells: elements and groups ascending.
    #[inline(always)]
    fn move_cells(&mut self, now: Slot, stage: usize) {
        let mut todo = self.work.stage(stage);
        todo.collect(&mut self.tries);
        if self.tries.is_empty() {
            return;
        }
        let (shape, settings) = (&self.shape, &self.settings);
        let size = shape.elements() * shape.ports;
        let due = now as usize % settings.credit_delay.max(1);
        let mut moving = Moving::<P, PLAIN> {
            settings,
            now,
            stage,
            routing: shape.routing(stage),
            bits: shape.ports.trailing_zeros(),
            groups: &mut self.store.groups[stage * size..(stage + 1) * size],
            buffers: self.store.pool.open().0,
            links: self.links.section(stage + 1),
            previous: &shape.previous[stage * shape.ports..(stage + 1) * shape.ports],
            todo,
            credits: &mut self.credits,
            fills: &mut self.fills,
            at_once: settings.distribution == Some(Distribution::ImbalanceCount),
            flights: self.flights.get_mut(due),
            rng: &mut self.rng,
            key: self.key,
            held: &mut self.counts.held,
            moved: false,
        };
        moving.try_all(&self.tries, stage < shape.distribution);
        self.counts.moved |= moving.moved;
    }

    fn send_from_line_cards(&mut self, now: Slot) {
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
    fn choose_cells(&mut self, link: usize) {
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
    fn take_cells(&mut self, now: Slot, link: usize) {
        let size = self.shape.elements() * self.shape.ports;
        // What follows the last stage is not looked at, but has to be something.
        let beyond = link.min(self.shape.stages - 1);
        let receivers = &self.store.groups[beyond * size..(beyond + 1) * size];
        let senders = &self.store.groups[(link - 1) * size..link * size];
        // First all places, then all cells, then the rest.
        self.places.clear();
        self.places.extend(self.sendings.iter().map(|sending| {
            (senders[sending.from as usize].place, receivers[sending.to as usize].place)
        }));
        let (buffers, free) = self.store.pool.open();
        self.cells.clear();
        self.cells.extend(self.sendings.iter().zip(&self.places).map(|(sending, &(place, _))| {
            buffers.records[place as usize].outs[usize::from(sending.part) % P]
        }));
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
    fn deliver_cells(&mut self, now: Slot, link: usize) {
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
