//! Flow control: hop credits, credits of a level, stop-and-go bits, and all that is under way.

use super::settings::Settings;
use super::store::Packet;
use super::wiring::Wiring;
use super::{At, General};
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
    /// Events that are neither credits nor bits: cells that arrive later.
    cells: usize,
}

impl Flow {
    pub(super) fn new(settings: &Settings, wiring: &Wiring) -> Self {
        let (links, ports) = (wiring.links.len(), wiring.ports);
        let lanes = |link: usize| if settings.per_link { 1 } else { wiring.lanes_received(link) };
        let hops = |link: usize| if wiring.links[link].hop { ports * lanes(link) } else { 0 };
        let size = |link: usize| wiring.stages.get(link).map_or(0, |stage| stage.input);
        let start = |link: usize| if settings.stop_and_go { 1 } else { size(link) as u16 };
        let levels = |link: usize| match wiring.links[link] {
            own if own.level => {
                // The exit of the level of the stage before.
                let stage = wiring.stages.len() - link;
                vec![size(stage) as u16; ports * wiring.lanes_sent(link)]
            }
            _ => Vec::new(),
        };
        let late_bits = settings.stop_and_go && settings.credit_delay > 0;
        let back = if wiring.is_hierarchical() { wiring.hops(0) } else { 0 };
        let longest = (1 + settings.link_delay).max(settings.credit_delay + back);
        Self {
            hop: (0..links).map(|link| vec![start(link); hops(link)]).collect(),
            level: (0..links).map(levels).collect(),
            events: vec![Vec::new(); longest + 1],
            touched: vec![Vec::new(); links],
            announced: (0..links).map(|link| vec![true; if late_bits { hops(link) } else { 0 }]).collect(),
            cells: 0,
        }
    }

    /// Something becomes effective after some slots.
    fn later(&mut self, now: Slot, slots: usize, event: Event) {
        self.cells += usize::from(matches!(event, Event::Cell { .. }));
        let due = (now as usize + slots) % self.events.len();
        self.events[due].push(event);
    }

    /// Whether nothing is under way.
    pub(super) fn is_quiet(&self) -> bool {
        self.events.iter().all(Vec::is_empty)
    }

    /// Cells on links.
    pub(super) fn cells_under_way(&self) -> u64 {
        self.cells as u64
    }
}

impl General {
    /// The index of hop credits.
    pub(super) fn hop_index(&self, link: usize, end: usize, lane: usize) -> usize {
        if self.settings.per_link { end } else { end * self.wiring.lanes_received(link) + lane }
    }

    /// The occupancy of the input buffer that a lane of a link leads to.
    fn occupancy(&self, link: usize, end: usize, lane: usize) -> usize {
        let (position, lanes) = (usize::from(self.wiring.next[link][end]), self.wiring.lanes_received(link));
        let own = &self.inputs[link][position * lanes..][..lanes];
        if self.settings.per_link {
            own.iter().map(|buffer| buffer.length as usize).sum()
        } else {
            own[lane].length as usize
        }
    }

    /// Whether a buffer tells its sender to go.
    fn goes(&self, link: usize, end: usize, lane: usize) -> bool {
        let under_way = self.settings.link_delay + self.settings.credit_delay;
        self.occupancy(link, end, lane) + under_way < self.wiring.stages[link].input
    }

    /// Cells that an end may send to a lane at the end of a link, as far as hop-by-hop flow control
    /// goes.
    fn hop_allows(&self, link: usize, end: usize, lane: usize) -> u32 {
        if !self.wiring.links[link].hop {
            return u32::MAX;
        }
        if self.settings.stop_and_go && self.settings.credit_delay == 0 {
            return if self.goes(link, end, lane) { u32::MAX } else { 0 };
        }
        let credits = self.flow.hop[link][self.hop_index(link, end, lane)];
        if self.settings.stop_and_go && credits > 0 { u32::MAX } else { credits.into() }
    }

    /// Whether an end may send a cell of a lane.
    pub(super) fn may_send(&self, link: usize, end: usize, lane: usize) -> bool {
        let own = self.wiring.links[link];
        let of_level = || self.flow.level[link][end * self.wiring.lanes_sent(link) + lane] > 0;
        (!own.hop || self.hop_allows(link, end, self.wiring.behind(link, lane)) > 0) && (!own.level || of_level())
    }

    /// Cells at an output of a distribution element that have a credit.
    pub(super) fn ready(&self, link: usize, end: usize) -> u32 {
        if self.settings.per_link {
            return self.at_end[link][end].min(self.hop_allows(link, end, 0));
        }
        let (own, priorities) = (self.wiring.links[link], self.wiring.priorities);
        let queues = self.settings.queues(&self.wiring, link - 1);
        let mut ready = 0;
        for priority in 0..priorities {
            for group in self.waiting[link].members(end * priorities + priority, 0) {
                let lane = priority * own.sent + group;
                let first = self.output_index(link - 1, end, lane, 0);
                let cells: u32 = self.outputs[link - 1][first..first + queues].iter().map(|queue| queue.length).sum();
                let allowed = if own.level {
                    self.flow.level[link][end * self.wiring.lanes_sent(link) + lane].into()
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
        let own = self.wiring.links[link];
        let behind = if own.hop { self.wiring.behind(link, lane) } else { 0 };
        if own.hop && !self.settings.stop_and_go {
            let index = self.hop_index(link, end, behind);
            self.flow.hop[link][index] -= 1;
        }
        if own.level {
            self.flow.level[link][end * self.wiring.lanes_sent(link) + lane] -= 1;
        }
        let lost = self.settings.loss > 0.0 && self.loss_rng.chance(self.loss);
        let event = if lost {
            self.drop_cell(now, &cell);
            self.lost += 1;
            Event::Lost { link: link as u16, end: end as Port, lane: behind as u32 }
        } else {
            Event::Cell { link: link as u16, position: self.wiring.next[link][end], cell }
        };
        self.flow.later(now, 1 + self.settings.link_delay, event);
    }

    /// What was under way for this slot becomes effective.
    pub(super) fn deliver(&mut self, now: Slot) {
        let due = now as usize % self.flow.events.len();
        let mut events = core::mem::take(&mut self.flow.events[due]);
        for event in events.drain(..) {
            match event {
                Event::Cell { link, position, cell } => self.enqueue(now, link.into(), position.into(), cell),
                Event::Lost { link, end, lane } => self.return_hop(now, link.into(), end.into(), lane as usize),
                Event::Hop { link, end, lane } => {
                    let index = self.hop_index(link.into(), end.into(), lane as usize);
                    self.flow.hop[usize::from(link)][index] += 1;
                }
                Event::Level { link, end, lane } => {
                    let index = usize::from(end) * self.wiring.lanes_sent(link.into()) + lane as usize;
                    self.flow.level[usize::from(link)][index] += 1;
                }
                Event::Bit { link, end, lane, go } => {
                    let index = self.hop_index(link.into(), end.into(), lane as usize);
                    self.flow.hop[usize::from(link)][index] = go.into();
                }
            }
        }
        self.flow.events[due] = events;
    }

    /// A cell enters an input buffer.
    fn enqueue(&mut self, now: Slot, stage: usize, position: usize, cell: Packet) {
        self.flow.cells -= 1;
        let radix = self.wiring.stages[stage].radix;
        let at = At { stage, element: position / radix, lane: self.lane_received(stage, &cell) };
        if !self.active[stage].has(at.element, at.lane) {
            self.active[stage].set(at.element, at.lane, true);
            self.lane(at, 0).since = now;
        }
        let index = self.input_index(at, position % radix);
        self.pool.push(&mut self.inputs[stage][index], cell);
        self.counts.inside[stage] += 1;
        self.touch(stage, self.wiring.previous[stage][position].into(), at.lane);
    }

    /// The bit of an input buffer may change.
    fn touch(&mut self, link: usize, end: usize, lane: usize) {
        if !self.flow.announced[link].is_empty() {
            self.flow.touched[link].push((end as Port, if self.settings.per_link { 0 } else { lane as u32 }));
        }
    }

    /// Buffers whose bit has changed tell it, to be obeyed `credit-delay` slots later.
    pub(super) fn announce(&mut self, now: Slot, link: usize) {
        while let Some((end, lane)) = self.flow.touched[link].pop() {
            let go = self.goes(link, end.into(), lane as usize);
            let index = self.hop_index(link, end.into(), lane as usize);
            if core::mem::replace(&mut self.flow.announced[link][index], go) != go {
                let event = Event::Bit { link: link as u16, end, lane, go };
                self.flow.later(now, self.settings.credit_delay, event);
            }
        }
    }

    /// A hop credit returns.
    fn return_hop(&mut self, now: Slot, link: usize, end: usize, lane: usize) {
        if self.settings.stop_and_go {
            return;
        }
        match self.settings.credit_delay {
            0 => {
                let index = self.hop_index(link, end, lane);
                self.flow.hop[link][index] += 1;
            }
            delay => {
                let event = Event::Hop { link: link as u16, end: end as Port, lane: lane as u32 };
                self.flow.later(now, delay, event);
            }
        }
    }

    /// A cell leaves an input buffer: what it took is returned.
    pub(super) fn dequeue(&mut self, now: Slot, at: At, port: usize, wanted: impl Fn(&Packet) -> bool) -> Packet {
        let index = self.input_index(at, port);
        let cell = self.pool.remove(&mut self.inputs[at.stage][index], wanted);
        let cell = cell.expect("a cell that was chosen is there");
        let position = at.element * self.wiring.stages[at.stage].radix + port;
        let end = self.wiring.previous[at.stage][position].into();
        if self.wiring.links[at.stage].hop {
            self.return_hop(now, at.stage, end, at.lane);
            self.touch(at.stage, end, at.lane);
        } else {
            self.return_level(now, at, port, &cell);
        }
        cell
    }

    /// The entry of the level of a routing stage, for a cell and the input port by which it comes:
    /// the link behind it, the end and the lane whose credit the cell took.
    pub(super) fn entry(&self, at: At, port: usize, cell: &Packet) -> (usize, usize, usize) {
        let level = self.wiring.stages[at.stage].level;
        let within = self.wiring.elements_within(level);
        let (network, own) = (at.element / within, usize::from(cell.source) / self.wiring.product(level + 1));
        let end = (network * within + own) * self.wiring.stages[level].radix + port;
        (level + 1, end, self.lane_sent(level + 1, cell))
    }

    fn return_level(&mut self, now: Slot, at: At, port: usize, cell: &Packet) {
        let (link, end, lane) = self.entry(at, port, cell);
        let back = if self.settings.immediate { 0 } else { self.wiring.hops(link - 1) };
        match back + self.settings.credit_delay {
            0 => self.flow.level[link][end * self.wiring.lanes_sent(link) + lane] += 1,
            delay => {
                let event = Event::Level { link: link as u16, end: end as Port, lane: lane as u32 };
                self.flow.later(now, delay, event);
            }
        }
    }
}
