//! Bernoulli arrivals: in every slot, independently, a cell comes with a fixed probability.
//!
//! One draw of 64 bits decides everything. It is multiplied by N / rate, in fixed point: if the
//! product is N or more, nothing arrives; else its whole part is the column and its fraction the
//! position in the alias table. The factor is rounded to 2^-32, so the probability of an arrival is
//! exact to 2^-33 / N. At rate 1 a cell arrives in every slot, at rate 0 in none. (Two draws, one
//! for the arrival and one for its output, were rejected: the second is behind a branch that cannot
//! be predicted.)

use super::Arrivals;
use super::destinations::{Destinations, Position};
use super::matrix::LoadMatrix;
use crate::cell::{NONE, Port, Slot};
use crate::rng::{Purpose, Seed, Streams};
use alloc::vec::Vec;

/// How an input's draw becomes a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Scale {
    /// N / rate, with `shift` bits behind the point.
    factor: u64,
    /// At most 32; less for tiny rates, whose factor is large.
    shift: u32,
    /// N, or 0 for an input that is always idle.
    columns: u32,
}

impl Scale {
    fn new(ports: usize, rate: f64) -> Self {
        let factor = ports as f64 / rate;
        let mut shift = 32;
        // 2^63 rather than 2^64, so that rounding up cannot overflow.
        while shift > 0 && factor * (1u64 << shift) as f64 > 9.2e18 {
            shift -= 1;
        }
        // A rate below N / 2^63 is never.
        let columns = if rate > 0.0 && factor < 9.2e18 { ports as u32 } else { 0 };
        Self { factor: libm::rint(factor * (1u64 << shift) as f64) as u64, shift, columns }
    }

    /// What a draw brings to an input.
    #[inline(always)]
    fn arrival(self, draw: u64, input: usize, destinations: &impl Destinations) -> Port {
        let product = ((u128::from(draw) * u128::from(self.factor)) >> 64) as u64;
        let column = product >> self.shift;
        if column < u64::from(self.columns) {
            let fraction = (product << (32 - self.shift)) as u32;
            destinations.pick(input, Position { column: column as u32, fraction })
        } else {
            NONE
        }
    }
}

/// Bernoulli arrivals at all inputs.
#[derive(Clone, Debug)]
pub struct Bernoulli<D> {
    destinations: D,
    streams: Streams,
    draws: Vec<u64>,
    scales: Vec<Scale>,
    /// The scale of all inputs if they have the same, which then stays in registers.
    alike: Option<Scale>,
}

impl<D: Destinations> Bernoulli<D> {
    /// Arrivals at `load` times the rates of `matrix`, whose sampler is `destinations`.
    pub fn new(matrix: &LoadMatrix, load: f64, destinations: D, seed: Seed) -> Self {
        let ports = matrix.ports();
        let scales: Vec<_> = (0..ports).map(|input| Scale::new(ports, load * matrix.row_sum(input))).collect();
        Self {
            destinations,
            streams: Streams::new(seed, Purpose::Arrivals, ports),
            draws: super::destinations::draws(ports),
            alike: scales.first().copied().filter(|first| scales.iter().all(|scale| scale == first)),
            scales,
        }
    }
}

impl<D: Destinations> Arrivals for Bernoulli<D> {
    #[inline]
    fn slot(&mut self, now: Slot, arrivals: &mut [Port]) {
        self.destinations.prepare(now);
        self.streams.fill(&mut self.draws);
        let inputs = arrivals.iter_mut().zip(&self.draws).enumerate();
        match self.alike {
            Some(scale) => {
                inputs.for_each(|(input, (arrival, &draw))| *arrival = scale.arrival(draw, input, &self.destinations));
            }
            None => inputs.zip(&self.scales).for_each(|((input, (arrival, &draw)), scale)| {
                *arrival = scale.arrival(draw, input, &self.destinations);
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::destinations::Uniform;
    use super::*;
    use crate::cell::Block;
    use crate::rng::Seed;
    use alloc::vec;

    /// Blocks of any length bring what slots bring, whatever the load and the number of inputs.
    #[test]
    fn blocks_are_so_many_slots() {
        for (ports, load) in [(1, 0.5), (4, 1.0), (6, 0.9), (8, 0.0), (8, 1e-12), (64, 0.9), (64, 0.001), (256, 0.3)] {
            let new = || Bernoulli::new(&LoadMatrix::uniform(ports), load, Uniform, Seed { seed: 9, replication: 1 });
            let (mut by_block, mut by_slot, mut arrived) = (new(), new(), 0);
            let mut block = Block::new(ports, 0, NONE);
            for slots in [1, 2, 3, 16, 64, 257] {
                block.resize(slots, NONE);
                by_block.fill(&mut block);
                for (now, row) in block.rows() {
                    let mut expected = vec![0; ports];
                    by_slot.slot(now, &mut expected);
                    assert_eq!(row, expected, "{ports} ports, load {load}, slot {now}");
                    arrived += row.iter().filter(|&&output| output != NONE).count();
                }
                block.start += slots as Slot;
            }
            // A block that is all idle would be like any other that is.
            assert!((arrived > 0) == (load > 1e-6), "{ports} ports, load {load}: {arrived} cells");
        }
    }
}
