//! Flow control: hop credits, credits of a level, stop-and-go bits, and all that is under way.

use super::General;
use super::settings::Settings;
use super::state::{At, Packet};
use super::topology::Topology;
use crate::cell::{Port, Slot};
use alloc::vec;
use alloc::vec::Vec;

/// What is under way, and becomes effective in a later slot.
#[derive(Clone, Debug)]
pub(super) enum Event {
    /// A cell on a link, to a position of the stage behind it.
    Cell { link: u16, position: Port, cell: Packet },
    /// A damaged cell: its credit returns when it comes.
    Lost { link: u16, end: Port, lane: u32 },
    /// A hop credit for a lane at the end of a link.
    Hop { link: u16, end: Port, lane: u32 },
    /// A credit of a level for a lane at the beginning of a link.
    Level { link: u16, end: Port, lane: u32 },
    /// A stop-and-go bit.
    Bit { link: u16, end: Port, lane: u32, go: bool },
}

/// The state of flow control.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    /// By link, end and lane at the end of the link: hop credits; with stop-and-go 1 for go. With
    /// backpressure per link there is one lane.
    pub(super) hop: Vec<Vec<u16>>,
    /// By link, end and lane at the beginning: credits of a level.
    pub(super) level: Vec<Vec<u16>>,
    /// By slot modulo their number: what becomes effective then.
    pub(super) events: Vec<Vec<Event>>,
    /// By link: buffers whose bit may change, as end and lane; the bit that was told last.
    touched: Vec<Vec<(Port, u32)>>,
    announced: Vec<Vec<bool>>,
}

impl Flow {
    pub(super) fn new(settings: &Settings, topology: &Topology) -> Self {
        let (links, ports) = (topology.link.len(), topology.ports);
        let lanes = |link: usize| if settings.per_link { 1 } else { topology.lanes_received(link) };
        let hops = |link: usize| if topology.link[link].hop { ports * lanes(link) } else { 0 };
        let size = |link: usize| topology.stage.get(link).map_or(0, |stage| stage.input);
        let start = |link: usize| if settings.stop_and_go { 1 } else { size(link) as u16 };
        let levels = |link: usize| match topology.link[link] {
            own if own.level => {
                // The exit of the level of the stage before.
                let stage = topology.stages() - link;
                vec![size(stage) as u16; ports * topology.lanes_sent(link)]
            }
            _ => Vec::new(),
        };
        let late_bits = settings.stop_and_go && settings.credit_delay > 0;
        let back = if topology.hierarchical { topology.hops(0) } else { 0 };
        let longest = (1 + settings.link_delay).max(settings.credit_delay + back);
        Self {
            hop: (0..links).map(|link| vec![start(link); hops(link)]).collect(),
            level: (0..links).map(levels).collect(),
            events: vec![Vec::new(); longest + 1],
            touched: vec![Vec::new(); links],
            announced: (0..links).map(|link| vec![true; if late_bits { hops(link) } else { 0 }]).collect(),
        }
    }

    /// Something becomes effective after some slots.
    fn later(&mut self, now: Slot, slots: usize, event: Event) {
        let due = (now as usize + slots) % self.events.len();
        self.events[due].push(event);
    }

    /// Whether nothing is under way.
    pub(super) fn is_quiet(&self) -> bool {
        self.events.iter().all(Vec::is_empty)
    }
}

impl General {
    /// The index of hop credits.
    pub(super) fn hop_index(&self, link: usize, end: usize, lane: usize) -> usize {
        if self.core.settings.per_link { end } else { end * self.core.topology.lanes_received(link) + lane }
    }

    /// The occupancy of the input buffer that a lane of a link leads to.
    fn occupancy(&self, link: usize, end: usize, lane: usize) -> usize {
        let (position, radix) = (usize::from(self.core.topology.next[link][end]), self.core.topology.stage[link].radix);
        let length = |lane| {
            let at = At { stage: link, element: position / radix, lane };
            self.input(at, position % radix).length as usize
        };
        if !self.core.settings.per_link {
            return length(lane);
        }
        (0..self.core.topology.lanes_received(link)).map(length).sum()
    }

    /// Whether a buffer tells its sender to go.
    fn goes(&self, link: usize, end: usize, lane: usize) -> bool {
        let under_way = self.core.settings.link_delay + self.core.settings.credit_delay;
        self.occupancy(link, end, lane) + under_way < self.core.topology.stage[link].input
    }

    /// Cells that an end may send to a lane at the end of a link, as far as hop-by-hop flow control
    /// goes.
    fn hop_allows(&self, link: usize, end: usize, lane: usize) -> u32 {
        if !self.core.topology.link[link].hop {
            return u32::MAX;
        }
        if self.core.settings.stop_and_go && self.core.settings.credit_delay == 0 {
            return if self.goes(link, end, lane) { u32::MAX } else { 0 };
        }
        let credits = self.flow.hop[link][self.hop_index(link, end, lane)];
        if self.core.settings.stop_and_go && credits > 0 { u32::MAX } else { credits.into() }
    }

    /// Whether an end may send a cell of a lane.
    pub(super) fn may_send(&self, link: usize, end: usize, lane: usize) -> bool {
        let own = self.core.topology.link[link];
        let of_level = || self.flow.level[link][end * self.core.topology.lanes_sent(link) + lane] > 0;
        (!own.hop || self.hop_allows(link, end, self.core.topology.behind(link, lane)) > 0)
            && (!own.level || of_level())
    }

    /// Cells at an output of a distribution element that have a credit.
    pub(super) fn ready(&self, link: usize, end: usize) -> u32 {
        if self.core.settings.per_link {
            return self.at_end[link][end].min(self.hop_allows(link, end, 0));
        }
        let (own, priorities) = (self.core.topology.link[link], self.core.topology.priorities);
        let queues = self.core.settings.queues(&self.core.topology, link - 1);
        let mut ready = 0;
        for priority in 0..priorities {
            for group in self.waiting[link].members(end * priorities + priority, 0) {
                let lane = priority * own.sent + group;
                let first = self.output_index(link - 1, end, lane, 0);
                let cells: u32 = self.outputs[link - 1][first..first + queues].iter().map(|queue| queue.length).sum();
                let allowed = if own.level {
                    self.flow.level[link][end * self.core.topology.lanes_sent(link) + lane].into()
                } else {
                    self.hop_allows(link, end, lane)
                };
                ready += cells.min(allowed);
            }
        }
        ready
    }

    /// A cell is sent: it takes a credit, and is on the link, if it is not lost.
    pub(super) fn launch(&mut self, now: Slot, link: usize, end: usize, lane: usize, cell: Packet) {
        let own = self.core.topology.link[link];
        let behind = if own.hop { self.core.topology.behind(link, lane) } else { 0 };
        if own.hop && !self.core.settings.stop_and_go {
            let index = self.hop_index(link, end, behind);
            self.flow.hop[link][index] -= 1;
        }
        if own.level {
            self.flow.level[link][end * self.core.topology.lanes_sent(link) + lane] -= 1;
        }
        let lost = self.core.settings.loss > 0.0 && self.loss_rng.chance(self.loss);
        let event = if lost {
            self.drop_cell(now, &cell);
            self.core.counts.lost += 1;
            Event::Lost { link: link as u16, end: end as Port, lane: behind as u32 }
        } else {
            self.core.counts.on_links += 1;
            Event::Cell { link: link as u16, position: self.core.topology.next[link][end], cell }
        };
        self.flow.later(now, 1 + self.core.settings.link_delay, event);
    }

    /// What was under way for this slot becomes effective.
    pub(super) fn deliver(&mut self, now: Slot) {
        let due = now as usize % self.flow.events.len();
        let mut events = core::mem::take(&mut self.flow.events[due]);
        for event in events.drain(..) {
            self.take_effect(now, &event);
        }
        self.flow.events[due] = events;
    }

    fn take_effect(&mut self, now: Slot, event: &Event) {
        match *event {
            Event::Cell { link, position, cell } => self.enqueue(now, link.into(), position.into(), cell),
            Event::Lost { link, end, lane } => self.return_hop(now, link.into(), end.into(), lane as usize),
            Event::Hop { link, end, lane } => {
                let index = self.hop_index(link.into(), end.into(), lane as usize);
                self.flow.hop[usize::from(link)][index] += 1;
            }
            Event::Level { link, end, lane } => {
                let index = usize::from(end) * self.core.topology.lanes_sent(link.into()) + lane as usize;
                self.flow.level[usize::from(link)][index] += 1;
            }
            Event::Bit { link, end, lane, go } => {
                let index = self.hop_index(link.into(), end.into(), lane as usize);
                self.flow.hop[usize::from(link)][index] = go.into();
            }
        }
    }

    /// A cell enters an input buffer.
    fn enqueue(&mut self, now: Slot, stage: usize, position: usize, cell: Packet) {
        self.core.counts.on_links -= 1;
        let radix = self.core.topology.stage[stage].radix;
        let at = At { stage, element: position / radix, lane: self.core.topology.lane_received(stage, &cell) };
        if !self.active[stage].has(at.element, at.lane) {
            self.active[stage].set(at.element, at.lane, true);
            self.lane(at, 0).since = now;
        }
        let index = self.input_index(at, position % radix);
        self.pool.push(&mut self.inputs[stage][index], cell);
        self.core.counts.inside[stage] += 1;
        self.touch(stage, self.core.topology.previous[stage][position].into(), at.lane);
    }

    /// The bit of an input buffer may change.
    fn touch(&mut self, link: usize, end: usize, lane: usize) {
        if !self.flow.announced[link].is_empty() {
            self.flow.touched[link].push((end as Port, if self.core.settings.per_link { 0 } else { lane as u32 }));
        }
    }

    /// Buffers whose bit has changed tell it, to be obeyed `credit-delay` slots later.
    pub(super) fn announce(&mut self, now: Slot, link: usize) {
        while let Some((end, lane)) = self.flow.touched[link].pop() {
            let go = self.goes(link, end.into(), lane as usize);
            let index = self.hop_index(link, end.into(), lane as usize);
            if core::mem::replace(&mut self.flow.announced[link][index], go) != go {
                let event = Event::Bit { link: link as u16, end, lane, go };
                self.flow.later(now, self.core.settings.credit_delay, event);
            }
        }
    }

    /// A hop credit returns.
    fn return_hop(&mut self, now: Slot, link: usize, end: usize, lane: usize) {
        if !self.core.settings.stop_and_go {
            let event = Event::Hop { link: link as u16, end: end as Port, lane: lane as u32 };
            self.after(now, self.core.settings.credit_delay, event);
        }
    }

    /// Something takes effect after some slots, or at once.
    fn after(&mut self, now: Slot, slots: usize, event: Event) {
        match slots {
            0 => self.take_effect(now, &event),
            _ => self.flow.later(now, slots, event),
        }
    }

    /// A cell leaves an input buffer: what it took is returned.
    pub(super) fn dequeue(&mut self, now: Slot, at: At, port: usize, wanted: impl Fn(&Packet) -> bool) -> Packet {
        let index = self.input_index(at, port);
        let cell = self.pool.remove(&mut self.inputs[at.stage][index], wanted);
        let cell = cell.expect("a cell that was chosen is there");
        let position = at.element * self.core.topology.stage[at.stage].radix + port;
        let end = self.core.topology.previous[at.stage][position].into();
        if self.core.topology.link[at.stage].hop {
            self.return_hop(now, at.stage, end, at.lane);
            self.touch(at.stage, end, at.lane);
        } else {
            self.return_level(now, at.stage, position, &cell);
        }
        cell
    }

    /// A cell leaves the exit of a level: its credit returns to the entry.
    fn return_level(&mut self, now: Slot, stage: usize, position: usize, cell: &Packet) {
        let topology = &self.core.topology;
        let credit = topology.level_credit(topology.stage[stage].level, stage, position, cell);
        let (link, end, lane) = credit.expect("a cell at the exit of a level has spent a credit of it");
        let back = if self.core.settings.immediate { 0 } else { topology.hops(link - 1) };
        let event = Event::Level { link: link as u16, end: end as Port, lane: lane as u32 };
        self.after(now, back + self.core.settings.credit_delay, event);
    }
}
