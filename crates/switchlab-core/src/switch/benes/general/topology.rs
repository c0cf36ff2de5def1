//! Topology and flow groups for any radices: where each link leads, and which cells share buffers.
//!
//! A level has its own radix; the product of the radices of the levels outside of it is the number
//! of its sub-networks. A *lane* is a flow group of a priority level, number `level * groups +
//! group`.

use super::settings::{Numbers, Resequencing, Settings};
use super::state::{Credit, Packet};
use crate::cell::Port;
use crate::rng::mix;
use crate::switch::benes::routing::{PORT, Routing};
use alloc::vec::Vec;

/// What the elements of a stage do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// They merge and distribute.
    Distribute,
    /// They resequence and route.
    Resequence,
    /// They merge and route.
    Merge,
    /// They route; each input port has output buffers of its own. The one central stage.
    Through,
}

/// A stage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stage {
    pub(crate) role: Role,
    /// The level of recursion: 0 is the outermost.
    pub(crate) level: usize,
    /// P.
    pub(crate) radix: usize,
    /// Cells in an input buffer, and in an output buffer.
    pub(crate) input: usize,
    pub(crate) output: usize,
}

/// A link, by its flow groups: at its beginning and at its end. They differ only where groups are
/// merged hierarchically.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    pub(crate) sent: usize,
    pub(crate) received: usize,
    /// Whether hop credits are needed, and credits of the level of the stage before.
    pub(crate) hop: bool,
    pub(crate) level: bool,
}

/// The topology of a fabric. Link l leads to stage l. Link 0 begins at the line cards, and the last
/// one leaves the fabric. Position `element * radix + port` names an input or output of a stage.
#[derive(Clone, Debug)]
pub(crate) struct Topology {
    pub(crate) ports: usize,
    /// Priority levels.
    pub(crate) priorities: usize,
    radices: Vec<usize>,
    products: Vec<usize>,
    /// Stages that distribute.
    pub(crate) distribution: usize,
    pub(crate) stage: Vec<Stage>,
    /// One more than stages.
    pub(crate) link: Vec<Link>,
    pub(crate) hierarchical: bool,
    /// Whether groups are split on the way out.
    pub(crate) split: bool,
    /// Whether the central stages are one.
    one_center: bool,
    /// By link and position at its beginning: the position at its end. And the other way round.
    pub(crate) next: Vec<Vec<Port>>,
    pub(crate) previous: Vec<Vec<Port>>,
    /// By link and position at its beginning: the element at its end, times N, and the port there,
    /// from bit [`PORT`] on. For elements of up to 16 ports.
    pub(crate) receivers: Vec<Vec<u32>>,
}

impl Topology {
    pub(crate) fn new(settings: &Settings) -> Self {
        let radices = settings.radices.clone();
        let mut products = Vec::from([1]);
        products.extend(radices.iter().scan(1, |product, radix| {
            *product *= radix;
            Some(*product)
        }));
        let levels = radices.len();
        let distributes = settings.distribution.is_some();
        let distribution = match (distributes, settings.one_center) {
            (false, _) => 0,
            (true, one) => levels - usize::from(one),
        };
        let split = distributes && settings.resequencing == Resequencing::PerStage;
        let mut topology = Self {
            ports: settings.ports,
            priorities: settings.priorities,
            radices,
            products,
            distribution,
            stage: Vec::new(),
            link: Vec::new(),
            hierarchical: settings.hierarchical,
            split,
            one_center: settings.one_center,
            next: Vec::new(),
            previous: Vec::new(),
            receivers: Vec::new(),
        };
        topology.stage = (0..distribution + levels).map(|stage| topology.new_stage(settings, stage)).collect();
        topology.link = (0..=topology.stages()).map(|link| topology.new_link(link)).collect();
        for link in 0..=topology.stages() {
            let ends: Vec<Port> = (0..topology.ports).map(|position| topology.wire(link, position) as Port).collect();
            let mut beginnings = ends.clone();
            for (position, &end) in ends.iter().enumerate() {
                beginnings[usize::from(end)] = position as Port;
            }
            let radix = topology.stage.get(link).map_or(1, |stage| stage.radix);
            let receiver = |end: usize| (end / radix * topology.ports) as u32 | ((end % radix) as u32) << PORT;
            topology.receivers.push(ends.iter().map(|&end| receiver(end.into())).collect());
            topology.next.push(ends);
            topology.previous.push(beginnings);
        }
        topology
    }

    /// All stages.
    pub(crate) fn stages(&self) -> usize {
        self.stage.len()
    }

    /// K.
    pub(crate) fn levels(&self) -> usize {
        self.radices.len()
    }

    /// The sub-networks of a level.
    pub(crate) fn product(&self, level: usize) -> usize {
        self.products[level]
    }

    /// Elements in each sub-network of a level.
    pub(crate) fn elements_within(&self, level: usize) -> usize {
        self.ports / self.products[level + 1]
    }

    /// The digit of an address at a level: of a destination its output port, of a source the input
    /// port at which the distribution element of the level gets it.
    pub(crate) fn digit(&self, address: usize, level: usize) -> usize {
        address / self.products[level] % self.radices[level]
    }

    fn new_stage(&self, settings: &Settings, stage: usize) -> Stage {
        let levels = self.levels();
        let distributes = stage < self.distribution;
        let level = if distributes { stage } else { levels - 1 - (stage - self.distribution) };
        let is_center = self.one_center && stage == self.distribution;
        let role = match (distributes, self.split, is_center) {
            (true, ..) => Role::Distribute,
            (false, true, true) => Role::Through,
            (false, true, false) if settings.numbers() == Numbers::Stages => Role::Resequence,
            _ => Role::Merge,
        };
        let input = match settings.routing_buffer {
            _ if distributes || is_center => settings.distribution_buffer,
            // The round trip of a level, as section 3.1 has it.
            None if self.hierarchical => 2 * (levels - level),
            _ => settings.for_routing(),
        };
        let output = if distributes { settings.distribution_output } else { settings.routing_output };
        Stage { role, level, radix: self.radices[level], input, output }
    }

    fn new_link(&self, link: usize) -> Link {
        let last = link == self.stages();
        let (hierarchical, outputs) =
            (self.hierarchical, |stage: usize| self.ports / self.products[self.stage[stage].level]);
        let (sent, received) = match link.checked_sub(1) {
            _ if !hierarchical => (self.ports, self.ports),
            before => (before.map_or(self.ports, outputs), if last { 1 } else { outputs(link) }),
        };
        Link {
            sent,
            received,
            hop: !last && (!hierarchical || link < self.distribution),
            level: hierarchical && link > 0 && link <= self.distribution,
        }
    }

    /// Where a link leads from a position: the recursive construction, unrolled.
    fn wire(&self, link: usize, position: usize) -> usize {
        let Some(from) = link.checked_sub(1).filter(|_| link < self.stages()) else { return position };
        let (level, radix) = (self.stage[from].level, self.stage[from].radix);
        let (element, port) = (position / radix, position % radix);
        let within = self.elements_within(level);
        let (network, own) = (element / within, element % within);
        if from >= self.distribution {
            let outer = self.radices[level - 1];
            let next = network / outer * self.elements_within(level - 1) + own * radix + port;
            next * outer + network % outer
        } else if level + 1 < self.levels() {
            let inner = self.radices[level + 1];
            let next = (network * radix + port) * self.elements_within(level + 1) + own / inner;
            next * inner + own % inner
        } else {
            position
        }
    }

    /// The flow group of a cell at the beginning of a link.
    fn sent(&self, link: usize, source: usize, destination: usize) -> usize {
        match (self.hierarchical, link.checked_sub(1)) {
            (false, _) => self.per_output(link, source, destination),
            (_, None) => destination,
            (_, Some(stage)) if stage < self.distribution => destination / self.products[self.stage[stage].level],
            (_, Some(stage)) => source / self.products[self.stage[stage].level],
        }
    }

    /// The flow group of a cell at the end of a link, in the input buffers of stage `link`.
    fn received(&self, link: usize, source: usize, destination: usize) -> usize {
        if !self.hierarchical {
            return self.per_output(link, source, destination);
        }
        let Stage { level, radix, .. } = self.stage[link];
        if link < self.distribution {
            destination / self.products[level]
        } else {
            source / self.products[level + 1] * radix + self.digit(destination, level)
        }
    }

    fn per_output(&self, link: usize, source: usize, destination: usize) -> usize {
        let levels = self.levels();
        // Numbered as with two central stages.
        let link = if self.one_center && link >= levels { link + 1 } else { link };
        if !self.split || link <= levels {
            return destination;
        }
        let size = self.products[2 * levels - link];
        source / size * size + destination % size
    }

    /// The lane at the end of a link of a lane at its beginning. Only where hop credits are needed.
    pub(crate) fn behind(&self, link: usize, lane: usize) -> usize {
        let Link { sent, received, .. } = self.link[link];
        if sent == received { lane } else { lane / sent * received + lane % sent / (sent / received) }
    }

    /// Lanes at the beginning of a link, and at its end.
    pub(crate) fn lanes_sent(&self, link: usize) -> usize {
        self.link[link].sent * self.priorities
    }

    pub(crate) fn lanes_received(&self, link: usize) -> usize {
        self.link[link].received * self.priorities
    }

    /// The lane of a cell at the beginning of a link.
    pub(crate) fn lane_sent(&self, link: usize, cell: &Packet) -> usize {
        let group = self.sent(link, cell.source.into(), cell.destination.into());
        usize::from(cell.priority) * self.link[link].sent + group
    }

    /// The lane of a cell at the end of a link.
    pub(crate) fn lane_received(&self, link: usize, cell: &Packet) -> usize {
        let group = self.received(link, cell.source.into(), cell.destination.into());
        usize::from(cell.priority) * self.link[link].received + group
    }

    /// The sub-network of a level in which a position of a stage is, at that level or within.
    pub(crate) fn network(&self, level: usize, stage: usize, position: usize) -> usize {
        let own = self.stage[stage];
        let network = position / own.radix / self.elements_within(own.level);
        network / (self.products[own.level.max(level)] / self.products[level])
    }

    /// The credit of a level that a cell at a position of a stage has spent, if it has: on the side
    /// of the inputs. Where the cell is tells over which sub-network of the level it came.
    pub(crate) fn level_credit(&self, level: usize, stage: usize, position: usize, cell: &Packet) -> Option<Credit> {
        let exit = self.stages() - 1 - level;
        if stage <= level || stage > exit {
            return None;
        }
        let radix = self.radices[level];
        let inner = match stage {
            _ if stage == exit => self.network(level, stage, position) * radix + position % radix,
            _ => self.network(level + 1, stage, position),
        };
        let own = usize::from(cell.source) / self.products[level + 1];
        let entry = inner / radix * self.elements_within(level) + own;
        Some((level + 1, entry * radix + inner % radix, self.lane_sent(level + 1, cell)))
    }

    /// The output of all cells of a flow in a distribution stage, with `distribution=hash`.
    pub(crate) fn hash(&self, key: u64, stage: usize, cell: &Packet) -> usize {
        let hash = mix(key ^ (u64::from(cell.source) << 16 | u64::from(cell.destination)));
        let own = self.stage[stage];
        (hash / self.products[own.level] as u64 % own.radix as u64) as usize
    }

    /// How many slots the cells of a level need from entry to exit, one for each link.
    pub(crate) fn hops(&self, level: usize) -> usize {
        2 * self.levels() - 1 - 2 * level
    }

    /// Elements in a stage, if all elements have as many ports.
    pub(crate) fn elements(&self) -> usize {
        self.ports / self.radices[0]
    }

    /// The bits of the digits of the levels outside of a level, if radices are powers of two.
    pub(crate) fn bits(&self, level: usize) -> u32 {
        self.products[level].trailing_zeros()
    }

    /// The index of a group among those of all elements, if all elements have as many ports.
    pub(crate) fn at(&self, stage: usize, element: usize, group: usize) -> usize {
        (stage * self.elements() + element) * self.ports + group
    }

    /// How the elements of a stage route, if radices are powers of two.
    pub(crate) fn routing(&self, stage: usize) -> Routing {
        let low = self.bits(self.stage[stage].level);
        Routing { distributes: stage < self.distribution, split: self.split, low }
    }

    /// The output that cells of an input group of an element are for, with merging per output.
    pub(crate) fn destination(&self, stage: usize, element: usize, group: usize) -> usize {
        if !self.split || stage <= self.distribution {
            return group;
        }
        let level = self.stage[stage].level;
        let size = self.products[level + 1];
        element % self.elements_within(level) * size + group % size
    }
}
