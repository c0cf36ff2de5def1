//! The fabric slot by slot.
//!
//! Each step is done for a whole stage or link before the next: first which cells, then where they are, then moving them. So the loads of many
//! cells are under way at once; cell by cell, at 1024 ports, every hop would wait for several lines of cache one after the other. A lean fabric does this in batches that
//! stay in the nearest cache, and makes its moves earlier; see `lean`.

use super::batch::Batch;
use super::choices::Sending;
use super::counts::Counts;
use super::exit::Exit;
use super::large::Large;
use super::lean_moves::{Moved, room};
use super::links::{Active, Links, UNCOUNTED};
use super::moves::Moving;
use super::settings::{GENERAL, LEAN};
use super::shape::{Shape, known};
use super::store::{Store, place};
use super::work::{Listed, Work};
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

/// A fabric of P x P elements, of one of the kinds that `settings` has; see the page of `benes`.
#[derive(Clone, Debug)]
pub struct Fabric<const P: usize, const KIND: u8> {
    pub(super) settings: Settings,
    pub(super) shape: Shape,
    pub(super) voqs: Queues,
    pub(super) links: Links,
    pub(super) store: Store<P>,
    pub(super) work: Work,
    pub(super) exit: Option<Exit>,
    /// By input and output, with resequencing at the exit: the number of the next cell.
    pub(super) flow_numbers: Vec<u16>,
    /// By slot modulo the credits' delay: credits that come back then.
    pub(super) flights: Vec<Vec<Flight>>,
    /// The key of the hash.
    pub(super) key: u64,
    pub(super) rng: Rng,
    pub(super) counts: Counts,
    pub(super) failure: Option<Box<Failure>>,
    /// What is being done: cells to be sent over a link, and groups to be tried in a stage.
    pub(super) sendings: Vec<Sending>,
    pub(super) tries: Vec<Listed>,
    /// Cells of a lean fabric that have moved.
    pub(super) moves: Vec<Moved>,
    /// Cells that are sent, and those that are sent next.
    pub(super) batches: [Batch; 2],
    /// Ends of a link that send.
    pub(super) active: Vec<Active>,
    /// How many cells are sent over the link whose turn it is, in a lean fabric.
    pub(super) chosen: usize,
}

impl<const P: usize, const KIND: u8> Fabric<P, KIND> {
    /// An empty fabric. The settings have been checked, and fit P.
    pub(super) fn new(settings: Settings, seed: Seed) -> Self {
        let split = settings.resequencing == Resequencing::PerStage && settings.distribution.is_some();
        let shape = Shape::new(settings.ports, P.trailing_zeros(), settings.distribution.is_some(), split);
        let (ports, stages) = (shape.ports, shape.stages);
        let depth = settings.distribution_buffer.max(settings.routing_buffer);
        let cells = (settings.number_bits(), settings.is_wide());
        let large = KIND == LEAN && Large::<P>::serves(&settings, split);
        let mut store = Store::new(
            if large { 0 } else { stages * shape.elements() * ports },
            depth,
            settings.credit_delay > 0,
            cells,
            ports.trailing_zeros(),
        );
        store.large = large.then(|| Box::new(Large::new(stages, ports)));
        let mut initial = seed.stream(Purpose::Fabric, 0);
        let mut key = 0;
        match settings.distribution {
            Some(Distribution::RoundRobin) if settings.random_pointers => {
                for at in 0..shape.distribution * shape.elements() * ports {
                    store.set_pointer(at, initial.below(P) as u8);
                }
            }
            Some(Distribution::Hash) if settings.random_pointers => key = initial.next(),
            _ => {}
        }
        let credits = (0..=stages).map(|link| {
            if settings.per_link && link < stages { settings.size(link < shape.distribution) as u16 } else { UNCOUNTED }
        });
        // In a lean fabric, what a group does is nothing to the other groups of its stage, and nothing is drawn.
        let ordered = KIND != LEAN;
        let exit = (settings.numbers() == Numbers::Flows).then(|| Exit::new(ports));
        Self {
            // The links between the stages of a large fabric are in its lines.
            links: Links::new(ports, KIND == LEAN && ports == 256, credits.take(if large { 1 } else { stages + 1 })),
            voqs: Queues::new(ports * ports),
            work: Work::new(stages, shape.elements(), if large { 0 } else { ports }, ordered),
            flow_numbers: if exit.is_some() { vec![0; ports * ports] } else { Vec::new() },
            exit,
            flights: vec![Vec::new(); settings.credit_delay],
            key,
            rng: seed.stream(Purpose::Fabric, 1),
            counts: Counts::new(stages),
            failure: None,
            sendings: vec![Sending::default(); ports],
            batches: [Batch::EMPTY; 2],
            chosen: 0,
            moves: vec![(0, 0); if KIND == LEAN && !large { room::<P>(ports) } else { 0 }],
            tries: Vec::with_capacity(4 * ports),
            active: vec![0; ports.next_multiple_of(64)],
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
    #[inline(always)]
    pub(super) fn run_slot(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
        if KIND == LEAN && self.store.large.is_some() {
            self.run_large(now, arrivals, departures);
            return;
        }
        if self.failure.is_some() || self.is_deadlocked(now) {
            return;
        }
        self.counts.begin(KIND == LEAN);
        if KIND == GENERAL && self.settings.credit_delay > 0 {
            self.bring_credits(now);
        }
        // The usual sizes by name: what is known of them need not be looked up for each cell.
        match self.shape.ports {
            ..=64 if KIND == LEAN => self.send_and_move::<1>(now, arrivals, departures),
            256 if KIND == LEAN => self.send_and_move::<4>(now, arrivals, departures),
            1024 if KIND == LEAN => self.send_and_move::<16>(now, arrivals, departures),
            _ if KIND == LEAN => self.send_and_move::<0>(now, arrivals, departures),
            ..=64 => self.move_and_send::<1>(now, arrivals, departures),
            _ => self.move_and_send::<0>(now, arrivals, departures),
        }
        self.counts.settle(KIND == LEAN, self.exit.as_ref().map_or(0, |exit| exit.held));
    }

    /// A stage sends as soon as its cells have moved, while it and the next stage are still in cache. No stage before it sees a difference: what is sent comes to
    /// a stage whose cells have moved already, and takes credits that only this stage looks at. Likewise arrivals can come last: only line cards look at VOQs.
    #[inline(always)]
    fn move_and_send<const WORDS: usize>(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
        for stage in (0..self.shape.stages).rev() {
            self.move_cells::<WORDS>(now, stage);
            self.send_from_elements::<WORDS>(now, stage + 1, departures);
        }
        self.arrive::<WORDS>(now, arrivals);
        self.send_from_line_cards::<WORDS>(now);
    }

    /// Credits that were under way become usable.
    fn bring_credits(&mut self, now: Slot) {
        let due = now as usize % self.settings.credit_delay;
        let mut flights = core::mem::take(&mut self.flights[due]);
        for flight in flights.drain(..) {
            let (stage, position, group) = (flight.stage as usize, flight.position as usize, flight.group as usize);
            let at = self.at(stage, position / P, group);
            let word = &mut self.store.words[at];
            let mut buffers = self.store.pool.open();
            *buffers.depths.returning(place(*word), position % P) -= 1;
            let (own, state) = (place(*word), buffers.records[place(*word)].group);
            buffers.close_or_keep::<KIND>(word, own, state);
            let end = usize::from(self.shape.previous[stage * self.shape.ports + position]);
            let mut links = self.links.section::<0>(stage);
            if self.settings.per_link {
                *links.credits(end) += 1;
            } else {
                links.restore(end, group);
            }
        }
        // The same vector again, so that nothing is allocated.
        self.flights[due] = flights;
    }

    #[inline(never)]
    pub(super) fn arrive<const WORDS: usize>(&mut self, now: Slot, arrivals: &[Port]) {
        let ports = known::<WORDS>(self.shape.ports);
        let mut voqs = self.voqs.open(ports);
        let mut links = self.links.section::<WORDS>(0);
        if ports > 256 {
            // Looks at all queues that it will need, in a loop so short that many misses are under way at once.
            let last =
                |(input, &output): (usize, &Port)| output != NONE && voqs.is_empty(input * ports + output as usize);
            core::hint::black_box(arrivals.iter().enumerate().filter(|&arrival| last(arrival)).count());
        }
        for (input, &output) in arrivals.iter().enumerate() {
            if output != NONE {
                voqs.push(input * ports + output as usize, now);
                links.fill(input, output as usize);
                self.counts.arrived += 1;
            }
        }
    }

    /// Elements move cells: elements and groups ascending, if it matters. A function of its own, as sending is: together they need too many registers.
    #[inline(never)]
    pub(super) fn move_cells<const WORDS: usize>(&mut self, now: Slot, stage: usize) {
        let (shape, settings) = (&self.shape, &self.settings);
        let ports = known::<WORDS>(shape.ports);
        let size = ports / P * ports;
        let words = &self.store.words[stage * size..(stage + 1) * size];
        let mut todo = self.work.stage(stage);
        todo.collect(&mut self.tries, |at| place(words[at]) as u32);
        if self.tries.is_empty() {
            return;
        }
        let due = now as usize % settings.credit_delay.max(1);
        let (inlets, outlets) = self.links.around::<WORDS>(stage);
        let mut moving = Moving::<P, KIND, WORDS> {
            settings,
            numbered: settings.numbers() == Numbers::Stages,
            in_turns: settings.distribution == Some(Distribution::RoundRobin),
            now,
            stage,
            routing: shape.routing(stage),
            bits: ports.trailing_zeros(),
            number_bits: self.store.bits,
            buffers: self.store.pool.open(),
            inlets,
            outlets,
            previous: &shape.previous[stage * ports..][..ports],
            todo,
            flights: self.flights.get_mut(due),
            rng: &mut self.rng,
            key: self.key,
            held: &mut self.counts.held,
            moved: false,
        };
        moving.try_all(&self.tries);
        // A lean fabric moves cells for the next slot.
        let counted = if KIND == LEAN { &mut self.counts.moved_next } else { &mut self.counts.moved };
        *counted |= moving.moved;
    }
}
