//! A fabric seen through one destination: what it is made of, and its state.

use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use switchlab_core::Error;

/// How a distribution element chooses an output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Distribution {
    /// In turns.
    RoundRobin,
    /// Any output that has received the fewest cells of the group: all methods with a maximum
    /// imbalance of 1.
    ImbalanceCount,
}

/// Which of the input buffers of a group may be taken from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Merge {
    /// Any that is not empty; this covers every rule, and random ones.
    Any,
    /// The lowest that is not empty.
    Fixed,
    /// The next in turn that is not empty.
    RoundRobin,
}

/// A fabric of N = P^K ports with resequencing per stage. Output buffers hold one cell unless
/// [`Model::with_output_buffers`] says otherwise.
#[derive(Clone, Debug)]
pub struct Model {
    pub(super) radix: usize,
    pub(super) levels: usize,
    pub(super) ports: usize,
    pub(super) distribution: Distribution,
    pub(super) merge: Merge,
    /// Cells in an input buffer of a distribution and of a routing element.
    pub(super) sizes: (usize, usize),
    /// Cells in an output buffer of a distribution and of a routing element.
    pub(super) outputs: (usize, usize),
    /// P^0 to P^K.
    powers: Vec<usize>,
}

/// A queue of cells; a cell is the part of its source that its place does not tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Fifo {
    pub(super) cells: u64,
    pub(super) length: u8,
    /// How many of them are past the link, where that is a step of its own.
    pub(super) arrived: u8,
}

/// Bits of a cell in a [`Fifo`].
const CELL: u32 = 4;

impl Fifo {
    pub(super) fn first(self) -> usize {
        (self.cells & ((1 << CELL) - 1)) as usize
    }

    pub(super) fn push(&mut self, cell: usize) {
        self.cells |= (cell as u64) << (CELL * u32::from(self.length));
        self.length += 1;
    }

    pub(super) fn pop(&mut self) -> usize {
        let cell = self.first();
        self.cells >>= CELL;
        self.length -= 1;
        self.arrived = self.arrived.saturating_sub(1);
        cell
    }
}

/// A distribution element, with the resequencer that puts its cells into order again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Element {
    /// The next output (round robin), or the set of outputs that are one cell ahead.
    pub(super) next: u8,
    /// The input that comes first.
    pub(super) turn: u8,
    /// Round robin: the path of the next cell to put into order.
    pub(super) expected: u8,
    /// Imbalance counts: the paths of all cells outstanding, the oldest in the lowest bits, and how
    /// many they are.
    pub(super) paths: u128,
    pub(super) outstanding: u8,
}

/// The state of a fabric, seen through one destination.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct State {
    pub(super) fifos: Vec<Fifo>,
    pub(super) elements: Vec<Element>,
}

impl State {
    /// Whether no cell is inside.
    pub(super) fn is_empty(&self) -> bool {
        self.fifos.iter().all(|fifo| fifo.length == 0)
    }
}

impl Model {
    /// A model, if it is small enough.
    pub fn new(
        ports: usize,
        radix: usize,
        distribution: Distribution,
        merge: Merge,
        distribution_buffer: usize,
        routing_buffer: usize,
    ) -> Result<Self, Error> {
        let refuse = |problem: String| {
            Err(Error::Impossible {
                name: format!("a search for deadlocks with {ports} ports of radix {radix}"),
                problem,
            })
        };
        if ![2, 4].contains(&radix) {
            return refuse("the radix of a fabric that is searched is 2 or 4".into());
        }
        let levels = (1..=4u32).find(|&k| radix.pow(k) == ports);
        let Some(levels) = levels.filter(|_| (4..=16).contains(&ports)) else {
            return refuse("the number of ports is a power of the radix, from 4 to 16".into());
        };
        if !(1..=7).contains(&distribution_buffer) || !(1..=7).contains(&routing_buffer) {
            return refuse("a buffer that is searched holds from 1 to 7 cells".into());
        }
        let levels = levels as usize;
        let powers = (0..=levels as u32).map(|k| radix.pow(k)).collect();
        let sizes = (distribution_buffer, routing_buffer);
        Self { radix, levels, ports, distribution, merge, sizes, outputs: (1, 1), powers }.checked()
    }

    /// The same with other output buffers, of 0 to 7 cells. Without any, a cell goes from an input
    /// buffer over the link, so that bD and bR are the sizes of input buffers: with 1 and 2 the
    /// base case of theorem 1.
    pub fn with_output_buffers(self, distribution: usize, routing: usize) -> Result<Self, Error> {
        if distribution > 7 || routing > 7 {
            return self.refuse("an output buffer that is searched holds from 0 to 7 cells");
        }
        Self { outputs: (distribution, routing), ..self }.checked()
    }

    fn refuse(&self, problem: &str) -> Result<Self, Error> {
        let name = format!("a search for deadlocks with {} ports of radix {}", self.ports, self.radix);
        Err(Error::Impossible { name, problem: problem.into() })
    }

    fn checked(self) -> Result<Self, Error> {
        if self.distribution == Distribution::ImbalanceCount
            && self.most_outstanding() * self.path_bits() as usize > 128
        {
            return self
                .refuse("so many cells may be outstanding that their paths do not fit 128 bits; take smaller buffers");
        }
        Ok(self)
    }

    /// The number of pointers of distribution elements: none with imbalance counts.
    pub(super) fn pointers(&self) -> usize {
        match self.distribution {
            Distribution::RoundRobin => self.per_level() * self.levels,
            Distribution::ImbalanceCount => 0,
        }
    }

    /// The empty fabric with these pointers, by level and element; 0 where there are fewer. The
    /// first cell of an element goes to its pointer, so that its resequencer expects it from there.
    pub(crate) fn start_at(&self, pointers: &[u8]) -> State {
        let mut state = self.start();
        for (element, &pointer) in state.elements.iter_mut().zip(pointers) {
            (element.next, element.expected) = (pointer, pointer);
        }
        state
    }

    /// The empty fabric, all pointers at 0.
    pub(crate) fn start(&self) -> State {
        State {
            fifos: vec![Fifo::default(); self.ports * (2 * self.levels - 1)],
            elements: vec![Element::default(); self.ports / self.radix * self.levels],
        }
    }

    pub(super) fn power(&self, exponent: usize) -> usize {
        self.powers[exponent]
    }

    /// Bits of a path.
    pub(super) fn path_bits(&self) -> u32 {
        self.radix.trailing_zeros()
    }

    /// Elements in a sub-network of a level: `M_s` of the readings.
    pub(super) fn in_network(&self, level: usize) -> usize {
        self.ports / self.power(level + 1)
    }

    pub(super) fn per_level(&self) -> usize {
        self.ports / self.radix
    }

    /// The sub-network of an element, and which one of it it is.
    pub(super) fn split(&self, level: usize, element: usize) -> (usize, usize) {
        (element / self.in_network(level), element % self.in_network(level))
    }

    /// The queue behind an output of a distribution element.
    pub(super) fn distributed(&self, level: usize, element: usize, output: usize) -> usize {
        level * self.ports + element * self.radix + output
    }

    /// The queue behind routing level `level` >= 1 of a sub-network, for the sources `part` *
    /// P^level and up.
    pub(super) fn routed(&self, level: usize, network: usize, part: usize) -> usize {
        (self.levels + level - 1) * self.ports + network * (self.ports / self.power(level)) + part
    }

    /// The queue that leads to an input of a distribution element of a level >= 1.
    pub(super) fn before(&self, level: usize, element: usize, input: usize) -> usize {
        let (network, e) = self.split(level, element);
        let from = network / self.radix * self.in_network(level - 1) + e * self.radix + input;
        self.distributed(level - 1, from, network % self.radix)
    }

    /// The queue that a resequencer takes from if the next cell came by `path`.
    pub(super) fn behind(&self, level: usize, element: usize, path: usize) -> usize {
        if level + 1 == self.levels {
            return self.distributed(level, element, path);
        }
        let (network, e) = self.split(level, element);
        self.routed(level + 1, network * self.radix + path, e)
    }

    /// Whether a queue leads to a merge whose rule looks at who is there.
    pub(super) fn has_link(&self, fifo: usize) -> bool {
        self.merge != Merge::Any && fifo < (self.levels - 1) * self.ports && self.outputs.0 > 0
    }

    /// Cells in the output buffer of a queue.
    pub(super) fn output_size(&self, fifo: usize) -> usize {
        if fifo < self.levels * self.ports { self.outputs.0 } else { self.outputs.1 }
    }

    /// Cells that a queue holds at most: an output buffer and the next input buffer.
    pub(super) fn capacity(&self, fifo: usize) -> usize {
        self.output_size(fifo) + if fifo < (self.levels - 1) * self.ports { self.sizes.0 } else { self.sizes.1 }
    }

    /// How many different cells a queue tells apart.
    pub(super) fn kinds(&self, fifo: usize) -> usize {
        let (row, levels) = (fifo / self.ports, self.levels);
        if row < levels { self.power(row) } else { self.power(row - levels) }
    }

    /// Cells of one element that are outstanding at most: the queues that they may be in, behind
    /// each output of each level.
    fn most_outstanding(&self) -> usize {
        let (distribution, routing) = self.sizes;
        let into = |level| if level + 1 == self.levels { routing } else { distribution };
        let out = |level| self.power(level + 1) * (self.outputs.0 + into(level));
        let back = |level| self.power(level) * (self.outputs.1 + routing);
        (0..self.levels).map(out).sum::<usize>() + (1..self.levels).map(back).sum::<usize>()
    }
}
