//! The steps of a model.

use super::model::{Distribution, Element, Merge, Model, State};
use alloc::vec::Vec;

/// One thing that happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// The resequencer of a level takes its next cell.
    Take {
        /// The level.
        level: u8,
        /// The distribution element whose cells these are.
        element: u8,
    },
    /// A distribution element moves a cell from an input to an output.
    Merge {
        /// The level, at least 1.
        level: u8,
        /// The element.
        element: u8,
        /// From where.
        input: u8,
        /// To where.
        output: u8,
    },
    /// A link sends a cell to a merge.
    Send {
        /// The queue it is in.
        fifo: u8,
    },
    /// A new cell has come to an element of level 0, and moves to an output.
    Arrive {
        /// The element.
        element: u8,
        /// To where.
        output: u8,
    },
}

impl Model {
    /// All steps but arrivals.
    pub(crate) fn steps(&self, state: &State, steps: &mut Vec<Step>) {
        for level in 0..self.levels {
            for element in 0..self.per_level() {
                if self.can_take(state, level, element) {
                    steps.push(Step::Take { level: level as u8, element: element as u8 });
                }
            }
        }
        for level in 1..self.levels {
            for element in 0..self.per_level() {
                self.merges(state, level, element, steps);
            }
        }
        for (number, fifo) in state.fifos.iter().enumerate() {
            if self.has_link(number) && fifo.arrived < fifo.length && usize::from(fifo.arrived) < self.sizes.0 {
                steps.push(Step::Send { fifo: number as u8 });
            }
        }
    }

    /// All arrivals.
    pub(crate) fn arrivals(&self, state: &State, steps: &mut Vec<Step>) {
        for element in 0..self.per_level() {
            for output in self.outputs(state, 0, element) {
                if self.has_room(state, self.distributed(0, element, output)) {
                    steps.push(Step::Arrive { element: element as u8, output: output as u8 });
                }
            }
        }
    }

    /// One resequencer that can take a cell, if there is one.
    ///
    /// A search may follow this step alone. It stays possible until it happens, since nothing else
    /// takes that cell or fills that room; it takes nothing from any other step, so it can be
    /// exchanged with any that comes before it; and it must happen before a deadlock, in which
    /// nothing is possible. So whatever deadlock can be reached from here can be reached by this
    /// step first.
    pub(crate) fn urgent(&self, state: &State) -> Option<Step> {
        let all = (0..self.levels).flat_map(|level| (0..self.per_level()).map(move |element| (level, element)));
        let mut possible = all.filter(|&(level, element)| self.can_take(state, level, element));
        possible.next().map(|(level, element)| Step::Take { level: level as u8, element: element as u8 })
    }

    /// Where the next cell of a resequencer must come from, if one is outstanding.
    pub(super) fn next_path(&self, element: &Element) -> Option<usize> {
        match self.distribution {
            Distribution::RoundRobin => Some(usize::from(element.expected)),
            Distribution::ImbalanceCount if element.outstanding == 0 => None,
            Distribution::ImbalanceCount => Some(element.paths as usize & (self.radix - 1)),
        }
    }

    fn can_take(&self, state: &State, level: usize, element: usize) -> bool {
        let Some(path) = self.next_path(&state.elements[level * self.per_level() + element]) else { return false };
        let fifo = &state.fifos[self.behind(level, element, path)];
        fifo.length > 0 && (level == 0 || self.has_room(state, self.beyond(level, element, fifo.first())))
    }

    /// The queue that a cell goes to from a resequencer of a level >= 1.
    pub(super) fn beyond(&self, level: usize, element: usize, cell: usize) -> usize {
        let (network, e) = self.split(level, element);
        self.routed(level, network, e * self.radix + cell / self.power(level - 1))
    }

    fn merges(&self, state: &State, level: usize, element: usize, steps: &mut Vec<Step>) {
        let has_cell = |&input: &usize| {
            let number = self.before(level, element, input);
            let fifo = &state.fifos[number];
            if self.has_link(number) { fifo.arrived > 0 } else { fifo.length > 0 }
        };
        let turn = usize::from(state.elements[level * self.per_level() + element].turn);
        let first = if self.merge == Merge::RoundRobin { turn } else { 0 };
        let inputs = (0..self.radix).map(|step| (first + step) % self.radix).filter(has_cell);
        let most = if self.merge == Merge::Any { self.radix } else { 1 };
        for input in inputs.take(most) {
            for output in self.outputs(state, level, element) {
                if self.has_room(state, self.distributed(level, element, output)) {
                    let (level, element) = (level as u8, element as u8);
                    steps.push(Step::Merge { level, element, input: input as u8, output: output as u8 });
                }
            }
        }
    }

    /// The outputs that a distribution element may choose now.
    pub(super) fn outputs(&self, state: &State, level: usize, element: usize) -> impl Iterator<Item = usize> {
        let next = usize::from(state.elements[level * self.per_level() + element].next);
        let in_turn = self.distribution == Distribution::RoundRobin;
        (0..self.radix).filter(move |&output| if in_turn { output == next } else { next >> output & 1 == 0 })
    }

    pub(super) fn has_room(&self, state: &State, number: usize) -> bool {
        let fifo = &state.fifos[number];
        if self.has_link(number) {
            usize::from(fifo.length - fifo.arrived) < self.outputs.0
        } else {
            usize::from(fifo.length) < self.capacity(number)
        }
    }

    /// Takes a step that is possible.
    pub(crate) fn apply(&self, state: &mut State, step: Step) {
        match step {
            Step::Take { level, element } => self.take(state, level.into(), element.into()),
            Step::Merge { level, element, input, output } => {
                let (level, element, input) = (usize::from(level), usize::from(element), usize::from(input));
                let cell = state.fifos[self.before(level, element, input)].pop();
                let at = &mut state.elements[level * self.per_level() + element];
                if self.merge == Merge::RoundRobin {
                    at.turn = ((input + 1) % self.radix) as u8;
                }
                self.put(state, level, element, output.into(), input * self.power(level - 1) + cell);
            }
            Step::Send { fifo } => state.fifos[usize::from(fifo)].arrived += 1,
            Step::Arrive { element, output } => self.put(state, 0, element.into(), output.into(), 0),
        }
    }

    fn take(&self, state: &mut State, level: usize, element: usize) {
        let at = &mut state.elements[level * self.per_level() + element];
        let Some(path) = self.next_path(at) else { return };
        if self.distribution == Distribution::RoundRobin {
            at.expected = ((path + 1) % self.radix) as u8;
        } else {
            at.paths >>= self.path_bits();
            at.outstanding -= 1;
        }
        let cell = state.fifos[self.behind(level, element, path)].pop();
        if level > 0 {
            let beyond = self.beyond(level, element, cell);
            state.fifos[beyond].push(cell % self.power(level - 1));
        }
    }

    fn put(&self, state: &mut State, level: usize, element: usize, output: usize, cell: usize) {
        state.fifos[self.distributed(level, element, output)].push(cell);
        let at = &mut state.elements[level * self.per_level() + element];
        if self.distribution == Distribution::RoundRobin {
            at.next = ((output + 1) % self.radix) as u8;
            return;
        }
        at.next |= 1 << output;
        if usize::from(at.next) == (1 << self.radix) - 1 {
            at.next = 0;
        }
        at.paths |= (output as u128) << (self.path_bits() * u32::from(at.outstanding));
        at.outstanding += 1;
    }
}
