//! Topology and flow groups: where each link leads, and which cells share buffers on it.

use crate::cell::Port;
use alloc::vec::Vec;

/// Where the port begins in [`Topology::receivers`].
pub(super) const PORT: u32 = 28;

/// The wiring of a fabric. Elements of a stage are numbered from 0, and position `element * radix +
/// port` names an input or an output of a stage. Link l leads to stage l. Link 0 begins at the
/// line cards, the last link leaves the fabric.
#[derive(Clone, Debug)]
pub(super) struct Topology {
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
    /// By link and position at its beginning: the element at its end, times N, and the port there,
    /// from bit [`PORT`] on.
    pub(super) receivers: Vec<u32>,
    /// By link and position at its end: the position at its beginning.
    pub(super) previous: Vec<Port>,
}

impl Topology {
    /// A Benes fabric, or its routing half only. `ports` is a power of the radix 2^`digit`.
    pub(super) fn new(ports: usize, digit: u32, distributes: bool, split: bool) -> Self {
        let levels = (ports.trailing_zeros() / digit) as usize;
        let distribution = if distributes { levels } else { 0 };
        let stages = distribution + levels;
        let mut topology = Self {
            ports,
            digit,
            levels,
            distribution,
            stages,
            split,
            next: Vec::new(),
            receivers: Vec::new(),
            previous: Vec::new(),
        };
        for link in 0..=stages {
            let ends: Vec<Port> = (0..ports).map(|position| topology.wire(link, position) as Port).collect();
            let mut beginnings = ends.clone();
            for (position, &end) in ends.iter().enumerate() {
                beginnings[end as usize] = position as Port;
            }
            let row =
                |&end: &Port| u32::from(end >> digit) * ports as u32 + (u32::from(end & ((1 << digit) - 1)) << PORT);
            topology.receivers.extend(ends.iter().map(row));
            topology.next.extend(ends);
            topology.previous.extend(beginnings);
        }
        topology
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

    /// Where a link leads from a position: the recursive construction, unrolled. With M = N /
    /// P^(level+1) elements in each sub-network of a level, element `c * M + e` is the e-th of
    /// sub-network c.
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

    /// The index of a group among those of all elements.
    pub(super) fn at(&self, stage: usize, element: usize, group: usize) -> usize {
        (stage * self.elements() + element) * self.ports + group
    }

    /// How the elements of a stage route.
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

/// N. A constant if the const parameter `WORDS`, words of 64 ports, is more than 1: engines compile
/// their loops for the usual sizes, so that sizes of arrays and shifts are known to the compiler.
/// With `WORDS` 1 there are up to 64 ports; with 0 nothing is known.
pub(super) const fn known<const WORDS: usize>(ports: usize) -> usize {
    if WORDS > 1 { 64 * WORDS } else { ports }
}

/// An index below a size, a power of two. Where the size is a constant, the index is masked instead
/// of checked, which is worth 7 % of the instructions at 256 and 1024 ports. The mask changes no
/// index: checked builds and tests assert it.
pub(super) fn masked<const WORDS: usize>(index: usize, size: usize) -> usize {
    if WORDS <= 1 {
        return index;
    }
    debug_assert!(index < size, "index {index} is beyond {size} entries");
    index & (size - 1)
}

/// A slice of a length that the compiler knows, if the number of ports is known.
pub(super) fn exactly<const WORDS: usize, T>(slice: &mut [T], length: usize) -> &mut [T] {
    if WORDS > 1 { &mut slice[..length] } else { slice }
}

/// The groups of all elements of a stage, if the number of ports is known.
pub(super) const fn groups<const P: usize, const WORDS: usize>() -> usize {
    64 * WORDS * 64 * WORDS / P
}

/// How the elements of a stage route.
#[derive(Clone, Copy, Debug)]
pub(super) struct Routing {
    /// Whether they distribute instead.
    pub(super) distributes: bool,
    /// Whether routing splits groups.
    pub(super) split: bool,
    /// Where the digit of the stage's level begins in an address, a number or a hash.
    pub(super) low: u32,
}

/// Where a routing element sends a cell: the output port, the output buffer among those of the
/// group, and the index of the group that the cell belongs to on the link out of the element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) output: usize,
    pub(super) part: usize,
    pub(super) at: usize,
}

impl Routing {
    /// The target of a cell from `source` of an input group. The group may be given with its
    /// element above it, as an index in its stage; so is that of the target then.
    pub(super) fn target<const P: usize>(self, at: usize, source: usize) -> Target {
        let output = (at >> self.low) % P;
        if !self.split {
            return Target { output, part: 0, at };
        }
        let part = (source >> self.low) % P;
        // The digit of the port makes way for that of the part.
        Target { output, part, at: at ^ ((output ^ part) << self.low) }
    }

    /// The inverse, also for distribution elements: the input group of a group at an output port,
    /// and its output buffer.
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

    /// The flow group of a cell on a link (section 3.1). On the way in, all cells for an output are
    /// merged. On the way out, with resequencing per stage, each level splits what it has merged.
    fn group_on(topology: &Topology, link: usize, source: usize, destination: usize) -> usize {
        if !topology.split || link <= topology.distribution {
            return destination;
        }
        let bits = topology.bits(topology.stages - link);
        (source >> bits << bits) | (destination & ((1 << bits) - 1))
    }

    /// The one path of a banyan, and all paths of a Benes fabric, end where the digits of the
    /// destination say. Cells that meet in a buffer are of one group.
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
                let topology = Topology::new(ports, digit, distributes, split);
                for (source, destination) in (0..ports).flat_map(|s| (0..ports).map(move |d| (s, d))) {
                    let mut ends = vec![source];
                    for link in 0..=topology.stages {
                        let at = |position: &usize| topology.next[link * ports + position] as usize;
                        ends = ends.iter().map(at).collect();
                        if link == topology.stages {
                            break;
                        }
                        let ways = if link < topology.distribution { topology.radix() } else { 1 };
                        let outputs = |position: &usize| {
                            let (element, stage) = (position >> digit, link);
                            let group = group_on(&topology, link, source, destination);
                            assert_eq!(topology.destination(stage, element, group), destination);
                            let to = if stage < topology.distribution {
                                Target { output: 0, part: 0, at: group }
                            } else {
                                topology.routing(stage).target::<P>(group, source)
                            };
                            assert_eq!(to.at, group_on(&topology, link + 1, source, destination));
                            assert_eq!(topology.routing(stage).behind::<P>(to.output, to.at), (group, to.part));
                            (0..ways).map(|way| (element << digit) + to.output + way).collect::<Vec<_>>()
                        };
                        ends = ends.iter().flat_map(outputs).collect();
                    }
                    assert_eq!(ends.len(), topology.radix().pow(topology.distribution as u32));
                    assert!(ends.iter().all(|&end| end == destination));
                }
                for link in 0..=topology.stages {
                    for position in 0..ports {
                        let end = topology.next[link * ports + position] as usize;
                        assert_eq!(topology.previous[link * ports + end] as usize, position);
                    }
                }
            }
        }
    }

    /// The sub-networks of level 1 are those of figure 1: with 8 ports and P = 2, outputs 0 of the
    /// first stage lead to elements 0 and 1 of the second, outputs 1 to elements 2 and 3.
    #[test]
    fn the_first_stage_of_figure_2() {
        let topology = Topology::new(8, 1, true, true);
        assert_eq!(topology.next[8..16], [0, 4, 1, 5, 2, 6, 3, 7]);
    }
}
