//! The engine for buffers of one cell and round robin: transfers ahead of time, cells in batches.
//!
//! On the page, a cell that is enqueued in a stage in a slot is transferred in the next one, before
//! anything is sent. Between the two nothing happens that the transfer could see, or that could see
//! the transfer: its stage has sent its cells of this slot; the stage before it, which gets the
//! credit, has chosen what it sends; and the next slot begins with transfers. So the transfers of
//! the next slot are made at the end of this one, while what they need is still in cache.
//!
//! The groups of a stage do not affect each other, so they are tried in any order, from a list. In
//! a routing stage that resequences, the order of enqueuing does not matter either. A cell
//! that is next in sequence, and finds the group's input buffers and its own output buffer empty,
//! passes to the output buffer at once, and its credit returns as if it had been transferred.

mod batch;

use super::GroupState;
use crate::cell::{Cell, Port, Slot};
use crate::scale::{CACHED, WORD};
use crate::switch::benes::element::group::Group;
use crate::switch::benes::element::record::{FabricCell, Groups, UnitBuffers};
use crate::switch::benes::element::transfer::{Moved, Stage, transfer};
use crate::switch::benes::fabric::Core;
use crate::switch::benes::general::{Numbers, Topology};
use crate::switch::benes::links::{Active, Links, Section, UNCOUNTED};
use crate::switch::benes::routing::{Routing, known, masked};
use crate::switch::failure::Side;
use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use batch::{Batch, CELLS, Worklist};

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct UnitBuffer<const P: usize> {
    pub(super) groups: Groups<UnitBuffers<P>>,
    links: Links,
    /// By stage.
    worklists: Vec<Worklist>,
    batch: Box<Batch>,
    /// Scratch: ends that send, and cells that have moved.
    sent: Vec<Active>,
    moved: Vec<Moved>,
}

impl<const P: usize> UnitBuffer<P> {
    pub(super) fn new(topology: &Topology) -> Self {
        let (ports, stages) = (topology.ports, topology.stages());
        Self {
            groups: Groups::new(stages * topology.elements() * ports),
            links: Links::new(ports, (0..=stages).map(|_| UNCOUNTED)),
            worklists: vec![Worklist::new(ports); stages],
            batch: Box::new(Batch::EMPTY),
            sent: vec![0; ports.next_multiple_of(64)],
            // P of each group that is tried: one for each cell that is enqueued or dequeued.
            moved: vec![Moved::default(); 2 * P * ports],
        }
    }

    pub(super) fn slot(&mut self, core: &mut Core, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
        core.counts.begin_slot(true);
        // The usual sizes are compiled separately, which is worth a tenth at 256 ports.
        match core.topology.ports {
            ..=WORD => self.run::<1>(core, now, arrivals, departures),
            CACHED => self.run::<{ CACHED / WORD }>(core, now, arrivals, departures),
            _ => self.run::<0>(core, now, arrivals, departures),
        }
        core.end_slot(true);
    }

    /// The slot, without the transfers at its beginning, and with those of the next slot.
    fn run<const WORDS: usize>(&mut self, core: &mut Core, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
        let next = now.wrapping_add(1);
        self.leave::<WORDS>(core, now, departures);
        for stage in (1..core.topology.stages()).rev() {
            self.transmit::<WORDS>(core, now, stage);
            self.transfer::<WORDS>(core, next, stage);
        }
        core.arrive::<WORDS>(&mut self.links, now, arrivals);
        self.transmit_from_line_cards::<WORDS>(core, now);
        self.transfer::<WORDS>(core, next, 0);
    }

    /// The outputs of a stage send over a link to the next stage.
    #[inline(never)]
    fn transmit<const WORDS: usize>(&mut self, core: &mut Core, now: Slot, link: usize) {
        let (topology, ports) = (&core.topology, known::<WORDS>(core.topology.ports));
        // At most one cell is enqueued at each port.
        self.groups.pool.provide(ports);
        let sent = self.links.section::<WORDS>(link).send_all(true, &mut self.sent);
        let groups = ports / P * ports;
        let (senders, receivers) = self.groups.words[(link - 1) * groups..][..2 * groups].split_at_mut(groups);
        let next = &topology.receivers[link][..ports];
        let (routing, beyond) = (topology.routing(link - 1), topology.routing(link));
        let resequences = !beyond.distributes && core.settings.numbers() == Numbers::Stages;
        let worklists = self.worklists.get_disjoint_mut([link - 1, link]);
        let [worklist, worklist_beyond] = worklists.expect("a link is between two stages");
        let (mut pool, batch) = (self.groups.pool.open(), &mut *self.batch);
        let bits = core.number_bits;
        for sent in sent.chunks(CELLS) {
            batch.locate::<P, WORDS>(sent, routing, ports, pool.records, senders, Some((next, receivers)));
            // First all cells are dequeued, then enqueued: a record that is freed is not used again
            // at once, so that no store waits for the one before it.
            batch.dequeue::<P, WORDS>(now, &mut pool, senders, worklist);
            batch.open_receivers::<P, WORDS>(&mut pool, receivers, resequences.then_some((beyond, bits, ports)));
            if resequences {
                let (passed, held) = batch.enqueue_or_pass::<P, WORDS>(now, pool.records, worklist_beyond);
                batch.return_credits(passed, self.links.around::<WORDS>(link));
                core.counts.moved_next |= passed > 0;
                core.counts.held += held;
            } else {
                batch.enqueue::<P, WORDS>(now, pool.records, worklist_beyond);
            }
        }
        core.counts.sent_now[link] = sent.len() as u64;
    }

    /// The cells of the last stage leave, or are enqueued in the resequencers.
    #[inline(never)]
    fn leave<const WORDS: usize>(&mut self, core: &mut Core, now: Slot, departures: &mut [Cell]) {
        let (ports, link) = (known::<WORDS>(core.topology.ports), core.topology.stages());
        let sent = self.links.section::<WORDS>(link).send_all(false, &mut self.sent);
        let (groups, routing) = (ports / P * ports, core.topology.routing(link - 1));
        let words = &mut self.groups.words[(link - 1) * groups..][..groups];
        let (mut pool, bits) = (self.groups.pool.open(), core.number_bits);
        for sent in sent.chunks(CELLS) {
            self.batch.locate::<P, WORDS>(sent, routing, ports, pool.records, words, None);
            self.batch.dequeue::<P, WORDS>(now, &mut pool, words, &mut self.worklists[link - 1]);
            core.leave(self.batch.cells(bits), now, departures);
        }
        core.counts.sent_now[link] = sent.len() as u64;
        core.depart(now, departures);
    }

    #[inline(never)]
    fn transmit_from_line_cards<const WORDS: usize>(&mut self, core: &mut Core, now: Slot) {
        let (ports, bits) = (known::<WORDS>(core.topology.ports), core.number_bits);
        self.groups.pool.provide(ports);
        let sent = self.links.section::<WORDS>(0).send_all(true, &mut self.sent);
        let (mut links, mut voqs) = (self.links.section::<WORDS>(0), core.voqs.open(0));
        let (mut pool, words) = (self.groups.pool.open(), &mut self.groups.words[..ports / P * ports]);
        let mut waited = 0;
        for sent in sent.chunks(CELLS) {
            self.batch.load(sent, &core.topology.receivers[0][..ports], |input, output| {
                let flow = input * ports + output;
                let (_, born, empty) = voqs.pop(flow);
                links.fill_if(input, output, !empty);
                let number = core.exit.as_mut().map_or(0, |exit| exit.number(input, output) as u16);
                waited += u64::from(now - born);
                (born, u32::from(number) | (input as u32) << bits)
            });
            self.batch.open_receivers::<P, WORDS>(&mut pool, words, None);
            self.batch.enqueue::<P, WORDS>(now, pool.records, &mut self.worklists[0]);
        }
        core.counts.voq_wait += waited;
        core.counts.sent_now[0] = sent.len() as u64;
    }

    /// Transfers the cells of a stage.
    #[inline(never)]
    fn transfer<const WORDS: usize>(&mut self, core: &mut Core, now: Slot, stage: usize) {
        let topology = &core.topology;
        let (routing, ports) = (topology.routing(stage), known::<WORDS>(topology.ports));
        let numbered = core.settings.numbers() == Numbers::Stages;
        let groups = self.worklists[stage].drain();
        let step = Stage { routing, numbered, number_bits: core.number_bits, now };
        let moves = transfer::<P, 0>(step, groups, &mut self.groups.pool.records, &mut self.moved);
        core.counts.held = core.counts.held.wrapping_add(moves.held);
        core.counts.moved_next |= moves.count > 0;
        let count = moves.count;
        let previous = &topology.previous[stage][..ports];
        return_credits::<P, WORDS>(&self.moved[..count], routing, previous, self.links.around(stage));
    }
}

/// Cells have moved: returns their credits to where the links to the stage begin, and updates the
/// links out of it.
#[inline(never)]
fn return_credits<const P: usize, const WORDS: usize>(
    moved: &[Moved],
    routing: Routing,
    previous: &[Port],
    (mut inlets, mut outlets): (Section<'_, WORDS>, Section<'_, WORDS>),
) {
    let ports = known::<WORDS>(previous.len());
    let (bits, previous) = (ports.trailing_zeros(), &previous[..ports]);
    for moved in moved {
        let (element, group, port, target) = moved.locate::<P>(routing, bits);
        let end = previous[masked::<WORDS>(element * P + port, 64 * WORDS)];
        inlets.restore(usize::from(end), group);
        outlets.fill(element * P + target.output, target.at);
    }
}

impl<const P: usize> GroupState for UnitBuffer<P> {
    fn for_each_open(&self, visit: &mut dyn FnMut(usize, Group)) {
        self.groups.for_each_open(visit);
    }

    fn group(&self, at: usize) -> Group {
        self.groups.group(at)
    }

    fn cells(&self, at: usize, side: Side, port: usize, number_bits: u32) -> Vec<FabricCell> {
        self.groups.record(at).map_or(Vec::new(), |record| record.cells(side, port, number_bits))
    }

    fn request(&self, _: &Topology, link: usize, end: usize, group: usize) -> (bool, bool) {
        self.links.request(link, end, group)
    }

    fn is_sound(&self, _: &Topology, link: usize, end: usize) -> bool {
        self.links.is_sound(link, end)
    }

    fn is_listed(&self, stage: usize, at: usize) -> bool {
        self.worklists[stage].has(at)
    }
}
