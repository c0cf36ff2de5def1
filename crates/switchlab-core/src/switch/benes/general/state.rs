//! The state of a fabric as audits and the watchdog see it, whichever engine runs it.

use super::topology::Topology;
use super::turns::Turn;
use crate::cell::{Cell, Port, Slot};
use crate::switch::benes::fabric::Core;
use crate::switch::failure::{Buffer, Side};
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

/// The most levels: a digit of every address has at least one bit of twelve.
pub(crate) const MOST_LEVELS: usize = 12;

/// A cell in the fabric.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Packet {
    pub(crate) born: Slot,
    pub(crate) source: Port,
    pub(crate) destination: Port,
    /// Its priority level.
    pub(crate) priority: u8,
    /// By level: its number at the distribution element. With `resequencing=final`, the first one
    /// is its number in its flow.
    pub(crate) numbers: [u32; MOST_LEVELS],
}

impl Packet {
    /// As it leaves the fabric.
    pub(crate) fn departure(&self) -> Cell {
        Cell { born: self.born, input: self.source }
    }
}

/// What an element keeps for a lane of its inputs; with `order=distribute-first`, for a lane of one
/// of them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Lane {
    /// The next number: to be given, or expected.
    pub(crate) number: u32,
    /// The outputs that have had a cell of this round.
    pub(crate) round: u32,
    /// When a cell was last moved, or the first one came.
    pub(crate) since: Slot,
    /// Cells that wait for a predecessor.
    pub(crate) held: u32,
    /// The output whose turn it is.
    pub(crate) pointer: u8,
    /// The input whose turn it is.
    pub(crate) merge: Turn,
}

/// Where a lane of an element is: stage, element, lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct At {
    pub(crate) stage: usize,
    pub(crate) element: usize,
    pub(crate) lane: usize,
}

/// A buffer of an element: its position, `element * radix + port`, and its lane there. With
/// `order=distribute-first` an output buffer has a queue for each input port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Site {
    pub(crate) stage: usize,
    pub(crate) side: Side,
    pub(crate) position: usize,
    pub(crate) lane: usize,
    pub(crate) queue: usize,
}

/// A counter of credits: its link, end and lane.
pub(crate) type Credit = (usize, usize, usize);

/// Where a cell got its number of a level: the distribution element, its lane and part.
pub(super) type Numbering = (usize, usize, usize);

/// The cells of a buffer, head of line first.
pub(crate) type Filled = (Site, Vec<Packet>);

/// What an engine tells of its state.
pub(crate) trait State {
    fn core(&self) -> &Core;

    /// All buffers that have cells. An engine that keeps numbers modulo P gives these;
    /// [`Self::restore_numbers`] makes them whole.
    fn buffers(&self) -> Vec<Filled>;

    fn restore_numbers(&self, _buffers: &mut [Filled]) {}

    /// The state of a lane; `part` is 0 unless there is one for each input port.
    fn lane(&self, at: At, part: usize) -> Lane;

    /// Whether a lane has a cell at the beginning of a link, and whether it has a credit.
    fn request(&self, link: usize, end: usize, lane: usize) -> (bool, bool);

    /// The hop credits of a lane at the beginning of a link, or those of the link, if the engine
    /// counts them.
    fn credits(&self, link: usize, end: usize, lane: usize) -> Option<usize>;

    /// Hop credits on their way back, and credits of a level.
    fn returning(&self) -> (Vec<Credit>, Vec<Credit>);

    /// The credits of a level of a lane at the beginning of a link, with hierarchical merging.
    fn level_credits(&self, _credit: Credit) -> usize {
        0
    }

    /// Cells on links, each with its link and its position at the end of it.
    fn on_links(&self) -> Vec<(usize, usize, Packet)> {
        Vec::new()
    }

    /// Whether a lane that can move a cell is going to be tried.
    fn is_listed(&self, _at: At) -> bool {
        true
    }

    /// Whether what the engine keeps twice agrees.
    fn check_copies(&self) -> Result<(), String>;

    /// Whether a lane has not moved for so long that the watchdog should look.
    fn is_stale(&self, now: Slot, patience: Slot) -> bool;

    /// The key of the hash.
    fn key(&self) -> u64;
}

/// All cells of a fabric, by buffer.
pub(crate) struct Snapshot<'a> {
    pub(super) state: &'a dyn State,
    pub(super) core: &'a Core,
    pub(super) topology: &'a Topology,
    pub(super) buffers: Vec<Filled>,
    pub(super) index: BTreeMap<Site, usize>,
    pub(super) on_links: Vec<(usize, usize, Packet)>,
}

impl<'a> Snapshot<'a> {
    pub(crate) fn new(state: &'a dyn State) -> Self {
        let (core, mut buffers) = (state.core(), state.buffers());
        state.restore_numbers(&mut buffers);
        let index = buffers.iter().map(|(site, _)| *site).zip(0..).collect();
        Self { state, core, topology: &core.topology, buffers, index, on_links: state.on_links() }
    }

    /// The cells of a buffer.
    pub(super) fn cells(&self, site: Site) -> &[Packet] {
        self.index.get(&site).map_or(&[], |&at| &self.buffers[at].1)
    }

    /// The cells of a lane at an input port.
    pub(super) fn input(&self, at: At, port: usize) -> &[Packet] {
        let position = at.element * self.topology.stage[at.stage].radix + port;
        self.cells(Site { stage: at.stage, side: Side::Input, position, lane: at.lane, queue: 0 })
    }

    /// The input ports at which a lane has a cell.
    pub(super) fn filled(&self, at: At) -> u32 {
        let ports = 0..self.topology.stage[at.stage].radix;
        ports.fold(0, |set, port| set | u32::from(!self.input(at, port).is_empty()) << port)
    }

    /// The buffers that a cell of a lane needs room in, or that hold its credits: those of all
    /// lanes with backpressure per link.
    pub(super) fn shared(&self, site: Site) -> impl Iterator<Item = Site> {
        let lanes = match site.side {
            Side::Input => self.topology.lanes_received(site.stage),
            Side::Output => self.topology.lanes_sent(site.stage + 1),
        };
        let lanes = if self.core.settings.per_link { 0..lanes } else { site.lane..site.lane + 1 };
        lanes.map(move |lane| Site { lane, ..site }).filter(|site| self.index.contains_key(site))
    }

    /// The part of a lane to which a cell belongs in a stage that keeps several.
    pub(super) fn part(&self, level: usize, cell: &Packet) -> usize {
        if self.core.settings.distribute_first { self.topology.digit(cell.source.into(), level) } else { 0 }
    }

    /// Where a cell got its number of a level.
    pub(super) fn numbering(&self, level: usize, network: usize, cell: &Packet) -> Numbering {
        let own = usize::from(cell.source) / self.topology.product(level + 1);
        let element = network * self.topology.elements_within(level) + own;
        (element, self.topology.lane_received(level, cell), self.part(level, cell))
    }

    /// Visits each cell that is in one of the stages or on a link, with its stage, its position and
    /// its buffer.
    pub(super) fn for_each(&self, mut visit: impl FnMut(&Packet, usize, usize, Option<Site>)) {
        for (site, cells) in &self.buffers {
            for cell in cells {
                visit(cell, site.stage, site.position, Some(*site));
            }
        }
        for (link, position, cell) in &self.on_links {
            visit(cell, *link, *position, None);
        }
    }

    /// Visits each number that a cell has got and that has not been resequenced: its level, where
    /// the cell got it, the cell and its buffer.
    pub(super) fn for_each_number(&self, mut visit: impl FnMut(usize, Numbering, &Packet, Option<Site>)) {
        let topology = self.topology;
        self.for_each(|cell, stage, position, site| {
            // An input buffer of a distribution element has not numbered its cells yet; an output
            // buffer of a routing element has resequenced them.
            let is_output = site.is_some_and(|site| site.side == Side::Output);
            let levels = topology.stage[stage].level + usize::from(is_output == (stage < topology.distribution));
            for level in 0..levels.min(topology.distribution).min(topology.stages() - stage) {
                visit(level, self.numbering(level, topology.network(level, stage, position), cell), cell, site);
            }
        });
    }

    /// A buffer as messages name it.
    pub(super) fn buffer(&self, site: Site) -> Buffer {
        let Site { stage, side, position, lane, .. } = site;
        let radix = self.topology.stage[stage].radix;
        Buffer { side, stage, element: position / radix, port: position % radix, group: lane }
    }
}
