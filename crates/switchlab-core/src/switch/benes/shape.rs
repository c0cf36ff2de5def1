//! Topology and flow groups: which wire goes where, and which cells share buffers on it.

use super::batch::PORT;
use crate::cell::Port;
use alloc::vec::Vec;

/// A fabric's shape. Elements of a stage are numbered from 0; position `element * radix + port` names an input or an output of a stage.
/// Link l leads to stage l; link 0 comes from the line cards, the last link leaves the fabric.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    /// N.
    pub(super) ports: usize,
    /// log2 P: the bits of a digit.
    pub(super) digit: u32,
    /// K = `log_P` N.
    pub(super) levels: usize,
    /// Stages that distribute: K, or none in a banyan.
    pub(super) distribution: usize,
    /// All stages.
    pub(super) stages: usize,
    /// Whether flow groups are split on the way out, so that each stage can resequence.
    pub(super) split: bool,
    /// By link and position at its beginning: the position at its end.
    pub(super) next: Vec<Port>,
    /// By link and position at its beginning: the element at its end, times N, and the port there, from bit [`PORT`] on.
    pub(super) rows: Vec<u32>,
    /// By link and position at its end: the position at its beginning.
    pub(super) previous: Vec<Port>,
}

impl Shape {
    /// A Benes fabric, or only its routing half. `ports` is a power of the radix 2^`digit`.
    pub(super) fn new(ports: usize, digit: u32, distributes: bool, split: bool) -> Self {
        let levels = (ports.trailing_zeros() / digit) as usize;
        let distribution = if distributes { levels } else { 0 };
        let stages = distribution + levels;
        let mut shape = Self {
            ports,
            digit,
            levels,
            distribution,
            stages,
            split,
            next: Vec::new(),
            rows: Vec::new(),
            previous: Vec::new(),
        };
        for link in 0..=stages {
            let ends: Vec<Port> = (0..ports).map(|position| shape.wire(link, position) as Port).collect();
            let mut beginnings = ends.clone();
            for (position, &end) in ends.iter().enumerate() {
                beginnings[end as usize] = position as Port;
            }
            let row =
                |&end: &Port| u32::from(end >> digit) * ports as u32 + (u32::from(end & ((1 << digit) - 1)) << PORT);
            shape.rows.extend(ends.iter().map(row));
            shape.next.extend(ends);
            shape.previous.extend(beginnings);
        }
        shape
    }

    /// P.
    pub(super) fn radix(&self) -> usize {
        1 << self.digit
    }

    /// Elements in a stage.
    pub(super) fn elements(&self) -> usize {
        self.ports >> self.digit
    }

    /// The level of recursion of a stage: 0 is the outermost.
    pub(super) fn level(&self, stage: usize) -> usize {
        if stage < self.distribution { stage } else { self.stages - 1 - stage }
    }

    /// The bits of `level` digits.
    pub(super) fn bits(&self, level: usize) -> u32 {
        self.digit * level as u32
    }

    /// Where link `link` leads from a position. The recursive construction unrolled: with M = N / P^(level+1) elements in each sub-network of a
    /// level, element `c * M + e` is the e-th of sub-network c.
    fn wire(&self, link: usize, position: usize) -> usize {
        let (d, radix) = (self.digit, self.radix());
        if link == 0 || link == self.stages {
            return position;
        }
        let stage = link - 1;
        let (element, port) = (position >> d, position & (radix - 1));
        let level = self.level(stage);
        // log2 M of a level.
        let size = |level: usize| self.bits(self.levels - 1 - level);
        let (network, own) = (element >> size(level), element & ((1 << size(level)) - 1));
        if stage >= self.distribution {
            let inner = ((network >> d) << size(level - 1)) + (own << d) + port;
            (inner << d) + (network & (radix - 1))
        } else if level + 1 < self.levels {
            let inner = (((network << d) + port) << size(level + 1)) + (own >> d);
            (inner << d) + (own & (radix - 1))
        } else {
            position
        }
    }

    /// How the elements of a stage route.
    #[inline(always)]
    pub(super) fn routing(&self, stage: usize) -> Routing {
        Routing { distributes: stage < self.distribution, split: self.split, low: self.bits(self.level(stage)) }
    }

    /// The output that cells of an input group of an element are for.
    pub(super) fn destination(&self, stage: usize, element: usize, group: usize) -> usize {
        if !self.split || stage <= self.distribution {
            return group;
        }
        let level = self.level(stage);
        let own = element & ((1 << self.bits(self.levels - 1 - level)) - 1);
        let bits = self.bits(level + 1);
        (own << bits) | (group & ((1 << bits) - 1))
    }
}

/// N, as a constant if `WORDS` words of 64 ports, more than one, are known before: then what depends on it costs no instructions.
#[inline(always)]
pub(super) const fn known<const WORDS: usize>(ports: usize) -> usize {
    if WORDS > 1 { 64 * WORDS } else { ports }
}

/// An index that is below a size, a power of two. If the size is known before, this tells the compiler, who else would have it checked.
#[inline(always)]
pub(super) const fn below<const WORDS: usize>(index: usize, size: usize) -> usize {
    if WORDS > 1 { index & (size - 1) } else { index }
}

/// How the elements of a stage route; what a stage's loops need to know of the shape.
#[derive(Clone, Copy, Debug)]
pub(super) struct Routing {
    /// Whether they distribute instead.
    pub(super) distributes: bool,
    /// Whether routing splits groups.
    pub(super) split: bool,
    /// Where the digit of the stage's level begins in an address, a number or a hash.
    pub(super) low: u32,
}

impl Routing {
    /// Where a routing element sends a cell of an input group: output port, group there, and which of the group's output buffers it is.
    #[inline(always)]
    pub(super) fn split<const P: usize>(self, group: usize, source: usize) -> (usize, usize, usize) {
        let low = self.low;
        let port = (group >> low) % P;
        if !self.split {
            return (port, group, 0);
        }
        let part = (source >> low) % P;
        // The digit of the port makes way for that of the part.
        (port, group ^ ((port ^ part) << low), part)
    }

    /// The other way, also in distribution elements: the input group of a group at an output port, and which of its output buffers this is.
    #[inline(always)]
    pub(super) fn behind<const P: usize>(self, port: usize, group: usize) -> (usize, usize) {
        if self.distributes {
            return (group, port);
        }
        if !self.split {
            return (group, 0);
        }
        let part = (group >> self.low) % P;
        (group ^ ((part ^ port) << self.low), part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    /// The flow group of a cell on a link (section 3.1), as the page has it. On the way in, all cells for an output are merged. On the way out, with resequencing per stage, what
    /// was merged at a level is split at that level again.
    fn group_on(shape: &Shape, link: usize, source: usize, destination: usize) -> usize {
        if !shape.split || link <= shape.distribution {
            return destination;
        }
        let bits = shape.bits(shape.stages - link);
        (source >> bits << bits) | (destination & ((1 << bits) - 1))
    }

    /// A banyan's only way, and in a Benes fabric all ways, end where the destination's digits say; groups of cells that meet in a buffer agree.
    #[test]
    fn every_way_leads_to_the_destination() {
        all_ways::<2>(&[2, 4, 8, 16]);
        all_ways::<4>(&[4, 16, 64]);
        all_ways::<8>(&[8, 64]);
    }

    fn all_ways<const P: usize>(sizes: &[usize]) {
        let digit = P.trailing_zeros();
        for &ports in sizes {
            for (distributes, split) in [(true, true), (true, false), (false, false)] {
                let shape = Shape::new(ports, digit, distributes, split);
                for (source, destination) in (0..ports).flat_map(|s| (0..ports).map(move |d| (s, d))) {
                    let mut ends = vec![source];
                    for link in 0..=shape.stages {
                        let at = |position: &usize| shape.next[link * ports + position] as usize;
                        ends = ends.iter().map(at).collect();
                        if link == shape.stages {
                            break;
                        }
                        let ways = if link < shape.distribution { shape.radix() } else { 1 };
                        let outputs = |position: &usize| {
                            let (element, stage) = (position >> digit, link);
                            let group = group_on(&shape, link, source, destination);
                            assert_eq!(shape.destination(stage, element, group), destination);
                            let (port, beyond, part) = if stage < shape.distribution {
                                (0, group, 0)
                            } else {
                                shape.routing(stage).split::<P>(group, source)
                            };
                            assert_eq!(beyond, group_on(&shape, link + 1, source, destination));
                            assert_eq!(shape.routing(stage).behind::<P>(port, beyond), (group, part));
                            (0..ways).map(|way| (element << digit) + port + way).collect::<Vec<_>>()
                        };
                        ends = ends.iter().flat_map(outputs).collect();
                    }
                    assert_eq!(ends.len(), shape.radix().pow(shape.distribution as u32));
                    assert!(ends.iter().all(|&end| end == destination));
                }
                for link in 0..=shape.stages {
                    for position in 0..ports {
                        let end = shape.next[link * ports + position] as usize;
                        assert_eq!(shape.previous[link * ports + end] as usize, position);
                    }
                }
            }
        }
    }

    /// The sub-networks of level 1 are those of figure 1: with 8 ports and P = 2, outputs 0 of the first stage lead to elements 0 and 1 of the second, outputs 1 to elements 2 and 3.
    #[test]
    fn the_first_stage_of_figure_2() {
        let shape = Shape::new(8, 1, true, true);
        assert_eq!(shape.next[8..16], [0, 4, 1, 5, 2, 6, 3, 7]);
    }
}
