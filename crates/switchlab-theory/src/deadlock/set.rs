//! A set of packed states, exact: whole states are kept and compared, hashes only say where to
//! look.

use super::model::{Distribution, Element, Fifo, Merge, Model, State};
use alloc::vec;
use alloc::vec::Vec;
use switchlab_core::rng::mix;

/// Packed states, numbered in the order in which they came.
#[derive(Debug)]
pub(super) struct Set {
    stride: usize,
    words: Vec<u64>,
    /// Open addressing: the number of a state plus 1, or 0.
    table: Vec<u32>,
    length: usize,
}

impl Set {
    pub(super) fn new(stride: usize) -> Self {
        Self { stride, words: Vec::new(), table: vec![0; 1 << 10], length: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.length
    }

    pub(super) fn get(&self, number: usize) -> &[u64] {
        &self.words[number * self.stride..(number + 1) * self.stride]
    }

    /// Adds a state; false if it was there.
    pub(super) fn insert(&mut self, state: &[u64]) -> bool {
        if 2 * (self.length + 1) > self.table.len() {
            self.grow();
        }
        let place = self.find(state);
        if self.table[place] != 0 {
            return false;
        }
        self.words.extend_from_slice(state);
        self.length += 1;
        self.table[place] = self.length as u32;
        true
    }

    /// Where a state is, or would be.
    fn find(&self, state: &[u64]) -> usize {
        let mask = self.table.len() - 1;
        let mut place = state.iter().fold(0, |hash, word| mix(hash ^ word).wrapping_add(1)) as usize & mask;
        while self.table[place] != 0 && self.get(self.table[place] as usize - 1) != state {
            place = (place + 1) & mask;
        }
        place
    }

    fn grow(&mut self) {
        self.table = vec![0; 2 * self.table.len()];
        for number in 0..self.length {
            let place = self.find(self.get(number));
            self.table[place] = number as u32 + 1;
        }
    }
}

/// Bits, written or read one after the other.
struct Bits<'a> {
    words: &'a mut [u64],
    at: usize,
}

impl Bits<'_> {
    fn write(&mut self, value: u64, bits: u32) {
        for bit in 0..bits as usize {
            self.words[(self.at + bit) / 64] |= (value >> bit & 1) << ((self.at + bit) % 64);
        }
        self.at += bits as usize;
    }

    fn read(&mut self, bits: u32) -> u64 {
        let bit = |bit: usize| (self.words[(self.at + bit) / 64] >> ((self.at + bit) % 64) & 1) << bit;
        let value = (0..bits as usize).map(bit).sum();
        self.at += bits as usize;
        value
    }
}

/// Bits of a number up to `most`.
fn bits(most: usize) -> u32 {
    usize::BITS - most.leading_zeros()
}

impl Model {
    /// Words of a packed state, at most.
    pub(super) fn stride(&self) -> usize {
        let fifos = 0..self.ports * (2 * self.levels - 1);
        let fifo = |f| self.capacity(f) as u32 * bits(self.kinds(f) - 1) + 2 * bits(self.capacity(f));
        let element = 3 * bits(self.radix - 1) + self.radix as u32 + 8 + 128;
        let element = if self.distribution == Distribution::RoundRobin { 3 * bits(self.radix - 1) } else { element };
        let elements = self.per_level() * self.levels;
        (fifos.map(fifo).sum::<u32>() as usize + element as usize * elements).div_ceil(64)
    }

    /// Packs a state; equal states and only those give equal words. The words come as zeros.
    pub(super) fn pack(&self, state: &State, words: &mut [u64]) {
        let mut to = Bits { words, at: 0 };
        for (number, fifo) in state.fifos.iter().enumerate() {
            to.write(fifo.length.into(), bits(self.capacity(number)));
            for place in 0..u32::from(fifo.length) {
                to.write(fifo.cells >> (4 * place) & 15, bits(self.kinds(number) - 1));
            }
            if self.has_link(number) {
                to.write(fifo.arrived.into(), bits(self.capacity(number)));
            }
        }
        let port = bits(self.radix - 1);
        for element in &state.elements {
            if self.merge == Merge::RoundRobin {
                to.write(element.turn.into(), port);
            }
            if self.distribution == Distribution::RoundRobin {
                to.write(element.next.into(), port);
                to.write(element.expected.into(), port);
                continue;
            }
            to.write(element.next.into(), self.radix as u32);
            to.write(element.outstanding.into(), 8);
            for place in 0..u32::from(element.outstanding) {
                to.write((element.paths >> (place * port)) as u64 & (self.radix as u64 - 1), port);
            }
        }
    }

    /// The state that was packed.
    pub(super) fn unpack(&self, words: &mut [u64], state: &mut State) {
        let mut from = Bits { words, at: 0 };
        for (number, fifo) in state.fifos.iter_mut().enumerate() {
            *fifo = Fifo::default();
            for _ in 0..from.read(bits(self.capacity(number))) {
                fifo.push(from.read(bits(self.kinds(number) - 1)) as usize);
            }
            if self.has_link(number) {
                fifo.arrived = from.read(bits(self.capacity(number))) as u8;
            }
        }
        let port = bits(self.radix - 1);
        for element in &mut state.elements {
            *element = Element::default();
            if self.merge == Merge::RoundRobin {
                element.turn = from.read(port) as u8;
            }
            if self.distribution == Distribution::RoundRobin {
                element.next = from.read(port) as u8;
                element.expected = from.read(port) as u8;
                continue;
            }
            element.next = from.read(self.radix as u32) as u8;
            element.outstanding = from.read(8) as u8;
            for place in 0..u32::from(element.outstanding) {
                element.paths |= u128::from(from.read(port)) << (place * port);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchlab_core::Seed;
    use switchlab_core::rng::Purpose;

    #[test]
    fn packed_states_are_the_states() {
        let mut rng = Seed { seed: 1, replication: 0 }.stream(Purpose::Scheduler, 0);
        for (ports, radix) in [(4, 2), (8, 2), (16, 4), (16, 2)] {
            for distribution in [Distribution::RoundRobin, Distribution::ImbalanceCount] {
                for merge in [Merge::Any, Merge::Fixed, Merge::RoundRobin] {
                    let Ok(model) = Model::new(ports, radix, distribution, merge, 1, 2) else {
                        assert_eq!((ports, distribution), (16, Distribution::ImbalanceCount));
                        continue;
                    };
                    let (mut state, mut back, mut steps) = (model.start(), model.start(), Vec::new());
                    for _ in 0..2000 {
                        steps.clear();
                        model.steps(&state, &mut steps);
                        model.arrivals(&state, &mut steps);
                        let Some(&step) = steps.get(rng.below(steps.len())) else { break };
                        model.apply(&mut state, step);
                        let mut words = vec![0; model.stride()];
                        model.pack(&state, &mut words);
                        model.unpack(&mut words, &mut back);
                        assert_eq!(state, back);
                    }
                }
            }
        }
    }

    #[test]
    fn a_set_keeps_each_state_once() {
        let mut set = Set::new(2);
        for round in [true, false] {
            for value in 0..5000u64 {
                assert_eq!(set.insert(&[value % 50, value / 50]), round);
            }
        }
        assert_eq!((set.len(), set.get(4999)), (5000, &[49, 99][..]));
    }
}
