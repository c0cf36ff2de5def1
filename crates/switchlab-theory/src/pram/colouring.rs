//! The edge colouring of Lev, Pippenger and Valiant as a program, section IV-D: all colours, of
//! which the appendix finds one.
//!
//! The graph is split as in a halving, and both parts are split again, all parts at once. An edge
//! has a position at its input and one at its memory, and a part has a block of positions at each.
//! The edge of pair k goes to position k of its half of the block. So positions stay ranks, and
//! prefix sums are taken once, where the halving takes them every time: for N = 2^g and 2N-1
//! memories there are 1.5 g^2 + 5.5 g + 6 steps for all colours, fewer than for the halving's one.

use super::halving::Dart;
use super::machine::{Array, Costs, Fault, Word};
use super::matching::{Layout, Matching, NOTHING};
use alloc::vec::Vec;
use switchlab_core::Port;

/// The colourer: a machine with its program.
///
/// ```
/// use switchlab_theory::pram::Colourer;
///
/// let mut colourer = Colourer::new(2, 3);
/// let edges = [(0, 0), (0, 1), (1, 1), (1, 2)];
/// assert_eq!(colourer.colour(&edges)?, [Some(0), Some(1), Some(0), Some(1)]);
/// # Ok::<(), switchlab_theory::pram::Fault>(())
/// ```
#[derive(Clone, Debug)]
pub struct Colourer {
    matching: Matching,
    /// By input and memory: the colour of the edge.
    colours: Array,
}

impl Colourer {
    /// For N inputs and M memories, each at least 1.
    pub fn new(ports: usize, memories: usize) -> Self {
        let (ports, memories) = (ports.max(1), memories.max(1));
        let mut matching = Matching::new(ports, memories, 0);
        let colours = matching.machine.reserve(ports * memories, NOTHING);
        Self { matching, colours }
    }

    /// Colours a graph without parallel edges, with Gamma colours: a colour for each edge. The
    /// first Gamma edges of an input are coloured, in the order of memories; an edge beyond, or
    /// between ends that do not exist, has none.
    pub fn colour(&mut self, edges: &[(Port, Port)]) -> Result<Vec<Option<u32>>, Fault> {
        let Layout { ports, memories, .. } = self.matching.layout;
        let mut there = alloc::vec![0; ports * memories];
        let place = |&(input, memory): &(Port, Port)| {
            let (input, memory) = (usize::from(input), usize::from(memory));
            (input < ports && memory < memories).then_some(input * memories + memory)
        };
        for edge in edges.iter().filter_map(place) {
            there[edge] = 1;
        }
        self.matching.machine.restart();
        self.matching.machine.put(self.matching.layout.edges, there);
        self.matching.colour(self.colours)?;
        let colours = self.matching.machine.look(self.colours);
        let of = |edge: &(Port, Port)| place(edge).and_then(|edge| u32::try_from(colours[edge]).ok());
        Ok(edges.iter().map(of).collect())
    }

    /// Steps of the last colouring, and processors and cells.
    pub fn costs(&self) -> Costs {
        self.matching.machine.costs()
    }
}

impl Matching {
    /// Writes the colours of all edges, and nothing where there is none.
    fn colour(&mut self, colours: Array) -> Result<(), Fault> {
        let Layout { ports, memories, edges, .. } = self.layout;
        let all = ports * memories;
        self.machine.step(&mut self.processors[..all], |p, own, turn| {
            own.here = turn.read(edges.at(p)) == 1;
            own.sum = Word::from(own.here);
        })?;
        self.prune()?;
        self.rank_edges()?;
        let mut block = self.layout.gamma;
        while block > 1 {
            self.round += 1;
            self.pair_edges()?;
            self.walk(block)?;
            self.split(block)?;
            block /= 2;
        }
        self.machine.step(&mut self.processors[..all], |p, own, turn| {
            turn.write(colours.at(p), if own.here { own.sum - 1 } else { NOTHING });
        })
    }

    /// Moves every edge to its half of its block, at both ends.
    fn split(&mut self, block: usize) -> Result<(), Fault> {
        let Self { machine, processors, layout, .. } = self;
        let Layout { ports, memories, walks, .. } = *layout;
        let (all, mask) = (ports * memories, block as Word - 1);
        machine.step(&mut processors[..2 * all], |p, own, turn| {
            if own.here {
                let other = Dart::unpack(turn.read(walks.at(if p < all { p + all } else { p - all })));
                let half = Word::from(own.dart.join(other, false).odd);
                let position = own.sum - 1;
                own.sum = (position & !mask) + half * (block as Word / 2) + (position & mask) / 2 + 1;
            }
        })
    }
}
