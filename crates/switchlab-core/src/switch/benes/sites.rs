//! Where cells are, and in what order: for audits, for the watchdog and for people. Slots never ask.

use super::fabric::Fabric;
use super::group::Group;
use super::record::Inner;
use crate::switch::failure::{Buffer, Side};
use alloc::vec::Vec;

/// A buffer of a group: an input buffer by its port, or an output buffer by its number among those of the group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Site {
    Input { stage: usize, element: usize, group: usize, port: usize },
    Output { stage: usize, element: usize, group: usize, part: usize },
}

impl Site {
    /// The stage.
    pub(super) fn stage(self) -> usize {
        match self {
            Self::Input { stage, .. } | Self::Output { stage, .. } => stage,
        }
    }
}

/// A cell, and where it is.
pub(super) type Found = (Site, Inner);

impl<const P: usize, const KIND: u8> Fabric<P, KIND> {
    /// Every group that has buffers: its stage, element and group, and what is known of it.
    pub(super) fn open_groups(&self) -> impl Iterator<Item = (usize, usize, usize, Group)> + '_ {
        let (ports, elements) = (self.shape.ports, self.shape.elements());
        let open = self.store.places().filter_map(|at| self.store.record(at).map(|record| (at, record.group)));
        open.map(move |(at, state)| {
            let (row, group) = (at / ports, at % ports);
            (row / elements, row % elements, group, state)
        })
    }

    /// Whether a group has a cell at the beginning of a link, and whether it has a credit.
    pub(super) fn look(&self, link: usize, end: usize, group: usize) -> (bool, bool) {
        match &self.store.large {
            Some(large) if link > 0 => large.look(&self.shape, link, end, group),
            _ => self.links.look(link, end, group),
        }
    }

    /// Whether the beginning of a link knows in short what its groups say.
    pub(super) fn knows_who_can_send(&self, link: usize, end: usize) -> bool {
        match &self.store.large {
            Some(large) if link > 0 => large.is_sound(&self.shape, link, end),
            _ => self.links.is_sound(link, end),
        }
    }

    /// Every cell behind the line cards: where it is, if not in a resequencer at the exit, its destination, and itself.
    pub(super) fn for_each_cell(&self, visit: &mut dyn FnMut(Option<Site>, usize, Inner)) {
        for (stage, element, group, _) in self.open_groups() {
            let destination = self.shape.destination(stage, element, group);
            for port in 0..P {
                for cell in self.store.input(self.at(stage, element, group), port) {
                    visit(Some(Site::Input { stage, element, group, port }), destination, cell);
                }
            }
            for part in 0..P {
                if let Some((site, cell)) = self.output(stage, element, group, part) {
                    visit(Some(site), destination, cell);
                }
            }
        }
        if let Some(exit) = &self.exit {
            for (output, source) in (0..self.shape.ports).flat_map(|o| (0..self.shape.ports).map(move |s| (o, s))) {
                for cell in exit.flow(output, source).1 {
                    visit(None, output, cell);
                }
            }
        }
    }

    fn inputs(&self, stage: usize, element: usize, group: usize, port: usize) -> impl Iterator<Item = Found> + '_ {
        self.store
            .input(self.at(stage, element, group), port)
            .map(move |cell| (Site::Input { stage, element, group, port }, cell))
    }

    fn output(&self, stage: usize, element: usize, group: usize, part: usize) -> Option<Found> {
        let cell = self.store.out(self.at(stage, element, group), part)?;
        Some((Site::Output { stage, element, group, part }, cell))
    }

    /// The cells that distribution element `own` of sub-network `network` has numbered for a destination and that have not been resequenced, each with its number,
    /// counted from the round that is being resequenced. In the order of these numbers. With resequencing per stage only.
    ///
    /// Each cell bears its number modulo P. Its round follows from its place: over each of the P ways come a cell of every round, in order, through
    /// the buffer at the beginning, the inner sub-network, which keeps the order of a group, and the buffers at the end.
    pub(super) fn numbered(&self, level: usize, network: usize, own: usize, destination: usize) -> Vec<(usize, Found)> {
        let shape = &self.shape;
        let digit = shape.digit;
        let size = |level: usize| shape.bits(shape.levels - 1 - level);
        let group = |level: usize, own: usize| {
            let bits = shape.bits(level + 1);
            (own << bits) | (destination & ((1 << bits) - 1))
        };
        let distributor = (network << size(level)) + own;
        let resequencer = (network << size(level)) + (destination >> shape.bits(level + 1));
        let stage = shape.stages - 1 - level;
        let taken = self.store.group(self.at(stage, resequencer, group(level, own))).round();
        let mut cells = Vec::new();
        for way in 0..P {
            let mut line: Vec<Found> = self.inputs(stage, resequencer, group(level, own), way).collect();
            if level + 1 < shape.levels {
                let (inner, outer) = (own >> digit, own & (P - 1));
                let inner_network = (network << digit) + way;
                let first = inner_network << size(level + 1);
                let inner_resequencer = first + (destination >> shape.bits(level + 2));
                line.extend(self.output(stage - 1, inner_resequencer, group(level + 1, inner), outer));
                let inside = self.numbered(level + 1, inner_network, inner, destination).into_iter();
                let of_own = |(_, cell): &Found| usize::from(cell.source) >> shape.bits(level + 1) == own;
                line.extend(inside.map(|(_, found)| found).filter(of_own));
                line.extend(self.inputs(level + 1, first + inner, destination, outer));
            }
            line.extend(self.output(level, distributor, destination, way));
            let first_round = usize::from(taken >> way & 1);
            cells.extend((first_round..).zip(line).map(|(round, (site, cell))| {
                let rank = usize::from(cell.number >> shape.bits(level)) % P;
                (round * P + rank, (site, cell))
            }));
        }
        cells.sort_unstable_by_key(|(number, _)| *number);
        cells
    }

    /// A site as people know it.
    pub(super) fn buffer(&self, site: Site) -> Buffer {
        match site {
            Site::Input { stage, element, group, port } => Buffer { side: Side::Input, stage, element, port, group },
            Site::Output { stage, element, group, part } => {
                let (port, group) = if stage < self.shape.distribution {
                    (part, group)
                } else {
                    let level = self.shape.level(stage);
                    let (port, beyond, _) = self.shape.routing(stage).split::<P>(group, part << self.shape.bits(level));
                    (port, beyond)
                };
                Buffer { side: Side::Output, stage, element, port, group }
            }
        }
    }

    /// The first cell of a buffer that is not empty.
    pub(super) fn head(&self, site: Site) -> Inner {
        let cell = match site {
            Site::Input { stage, element, group, port } => self.store.head(self.at(stage, element, group), port),
            Site::Output { stage, element, group, part } => self.store.out(self.at(stage, element, group), part),
        };
        cell.unwrap_or_default()
    }

    /// The destination of the cells of a buffer.
    pub(super) fn destination(&self, site: Site) -> usize {
        match site {
            Site::Input { stage, element, group, .. } | Site::Output { stage, element, group, .. } => {
                self.shape.destination(stage, element, group)
            }
        }
    }
}
