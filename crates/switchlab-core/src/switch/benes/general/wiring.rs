//! Wiring and flow groups for any radices: where each link leads, and which cells share buffers.
//!
//! A level has its own radix; the product of the radices of the levels outside of it is the number
//! of its sub-networks. A *lane* is a flow group of a priority level, number `level * groups +
//! group`.

use super::settings::{Merging, Settings};
use crate::cell::Port;
use crate::switch::benes::config::Resequencing;
use alloc::vec::Vec;

/// What the elements of a stage do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
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
pub(super) struct Stage {
    pub(super) role: Role,
    /// The level of recursion: 0 is the outermost.
    pub(super) level: usize,
    /// P.
    pub(super) radix: usize,
    /// Cells in an input buffer, and in an output buffer.
    pub(super) input: usize,
    pub(super) output: usize,
}

/// A link, by its flow groups: at its beginning and at its end. They differ only where groups are
/// merged hierarchically.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub(super) sent: usize,
    pub(super) received: usize,
    /// Whether hop credits are needed, and credits of the level of the stage before.
    pub(super) hop: bool,
    pub(super) level: bool,
}

/// The wiring of a fabric. Position `element * radix + port` names an input or output of a stage.
#[derive(Clone, Debug)]
pub(super) struct Wiring {
    pub(super) ports: usize,
    /// Priority levels.
    pub(super) priorities: usize,
    radices: Vec<usize>,
    products: Vec<usize>,
    /// Stages that distribute.
    pub(super) distribution: usize,
    pub(super) stages: Vec<Stage>,
    /// One more than stages: the last leaves the fabric.
    pub(super) links: Vec<Link>,
    merging: Merging,
    /// Whether groups are split on the way out.
    split: bool,
    /// Whether the central stages are one.
    one_center: bool,
    /// By link and position at its beginning: the position at its end. And the other way round.
    pub(super) next: Vec<Vec<Port>>,
    pub(super) previous: Vec<Vec<Port>>,
}

impl Wiring {
    pub(super) fn new(settings: &Settings) -> Self {
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
        let mut wiring = Self {
            ports: settings.ports,
            priorities: settings.priorities,
            radices,
            products,
            distribution,
            stages: Vec::new(),
            links: Vec::new(),
            merging: settings.merging,
            split,
            one_center: settings.one_center,
            next: Vec::new(),
            previous: Vec::new(),
        };
        wiring.stages = (0..distribution + levels).map(|stage| wiring.stage(settings, stage)).collect();
        wiring.links = (0..=wiring.stages.len()).map(|link| wiring.link(link)).collect();
        for link in 0..wiring.links.len() {
            let ends: Vec<Port> = (0..wiring.ports).map(|position| wiring.wire(link, position) as Port).collect();
            let mut beginnings = ends.clone();
            for (position, &end) in ends.iter().enumerate() {
                beginnings[usize::from(end)] = position as Port;
            }
            wiring.next.push(ends);
            wiring.previous.push(beginnings);
        }
        wiring
    }

    /// K.
    pub(super) fn levels(&self) -> usize {
        self.radices.len()
    }

    /// The sub-networks of a level.
    pub(super) fn product(&self, level: usize) -> usize {
        self.products[level]
    }

    /// Elements in each sub-network of a level.
    pub(super) fn elements_within(&self, level: usize) -> usize {
        self.ports / self.products[level + 1]
    }

    /// The digit of an address at a level: of a destination its output port, of a source the input
    /// port at which the distribution element of the level gets it.
    pub(super) fn digit(&self, address: usize, level: usize) -> usize {
        address / self.products[level] % self.radices[level]
    }

    pub(super) fn is_split(&self) -> bool {
        self.split
    }

    pub(super) fn is_hierarchical(&self) -> bool {
        self.merging == Merging::Hierarchical
    }

    fn stage(&self, settings: &Settings, stage: usize) -> Stage {
        let levels = self.levels();
        let distributes = stage < self.distribution;
        let level = if distributes { stage } else { levels - 1 - (stage - self.distribution) };
        let is_center = self.one_center && stage == self.distribution;
        let role = match (distributes, self.split, is_center) {
            (true, ..) => Role::Distribute,
            (false, true, true) => Role::Through,
            (false, true, false) if settings.is_numbered() => Role::Resequence,
            _ => Role::Merge,
        };
        let input = match settings.routing_buffer {
            _ if distributes || is_center => settings.distribution_buffer,
            // The round trip of a level, as section 3.1 has it.
            None if self.is_hierarchical() => 2 * (levels - level),
            size => size.unwrap_or(settings.enough_for_routing()),
        };
        let output = if distributes { settings.distribution_output } else { settings.routing_output };
        Stage { role, level, radix: self.radices[level], input, output }
    }

    fn link(&self, link: usize) -> Link {
        let last = link == self.stages.len();
        let (sent, received) = match self.merging {
            Merging::PerOutput => (self.ports, self.ports),
            Merging::Hierarchical => {
                let sent = link
                    .checked_sub(1)
                    .map_or(self.ports, |stage| self.ports / self.products[self.stages[stage].level]);
                let received = if last { 1 } else { self.ports / self.products[self.stages[link].level] };
                (sent, received)
            }
        };
        let hierarchical = self.is_hierarchical();
        Link {
            sent,
            received,
            hop: !last && (!hierarchical || link < self.distribution),
            level: hierarchical && link > 0 && link <= self.distribution,
        }
    }

    /// Where a link leads from a position: the recursive construction, unrolled.
    fn wire(&self, link: usize, position: usize) -> usize {
        let Some(from) = link.checked_sub(1).filter(|_| link < self.stages.len()) else { return position };
        let (level, radix) = (self.stages[from].level, self.stages[from].radix);
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
    pub(super) fn sent(&self, link: usize, source: usize, destination: usize) -> usize {
        match (self.merging, link.checked_sub(1)) {
            (Merging::PerOutput, _) => self.per_output(link, source, destination),
            (_, None) => destination,
            (_, Some(stage)) if stage < self.distribution => destination / self.products[self.stages[stage].level],
            (_, Some(stage)) => source / self.products[self.stages[stage].level],
        }
    }

    /// The flow group of a cell at the end of a link, in the input buffers of stage `link`.
    pub(super) fn received(&self, link: usize, source: usize, destination: usize) -> usize {
        if self.merging == Merging::PerOutput {
            return self.per_output(link, source, destination);
        }
        let Stage { level, radix, .. } = self.stages[link];
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
    pub(super) fn behind(&self, link: usize, lane: usize) -> usize {
        let Link { sent, received, .. } = self.links[link];
        if sent == received { lane } else { lane / sent * received + lane % sent / (sent / received) }
    }

    /// Lanes at the beginning of a link, and at its end.
    pub(super) fn lanes_sent(&self, link: usize) -> usize {
        self.links[link].sent * self.priorities
    }

    pub(super) fn lanes_received(&self, link: usize) -> usize {
        self.links[link].received * self.priorities
    }

    /// How many slots the cells of a level need from entry to exit, one for each link.
    pub(super) fn hops(&self, level: usize) -> usize {
        2 * self.levels() - 1 - 2 * level
    }
}
