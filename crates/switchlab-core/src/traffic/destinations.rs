//! Where a cell goes: a draw from an input's row of the load matrix, by Walker's alias method.
//!
//! The unit interval is cut into N columns of equal width. A position in it is a column and a
//! 32-bit fraction; the table says up to which fraction the column belongs to its own output, and
//! to which other output the rest belongs. One look-up, whatever the row. The table is made in
//! whole numbers, so that its probabilities are exact to 2^-32 divided by N for each column, below
//! 2^-32 for each output.

use crate::cell::{Port, Slot};
use crate::rng::{Purpose, Rng, Seed};
use alloc::vec;
use alloc::vec::Vec;

/// A position in the unit interval: which of the N columns, and where in it.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    pub(crate) column: u32,
    pub(crate) fraction: u32,
}

impl Position {
    /// A uniformly random position from 64 random bits.
    #[inline(always)]
    pub(crate) fn new(bits: u64, ports: usize) -> Self {
        let scaled = (u128::from(bits) * ports as u128) >> 32;
        Self { column: (scaled >> 32) as u32, fraction: scaled as u32 }
    }
}

/// Turns a position into an output.
pub trait Destinations: Send {
    /// Called once in every slot, before any pick.
    #[inline(always)]
    fn prepare(&mut self, _now: Slot) {}

    /// The output for a cell of `input`.
    fn pick(&self, input: usize, position: Position) -> Port;
}

/// Every output alike: the column is the output.
#[derive(Clone, Copy, Debug)]
pub struct Uniform;

impl Destinations for Uniform {
    #[inline(always)]
    fn pick(&self, _input: usize, position: Position) -> Port {
        position.column as Port
    }
}

/// One column of an alias table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Column {
    /// Below this fraction: the column's own output.
    own: u32,
    /// From there on: this one.
    other: Port,
}

#[inline(always)]
fn look_up(table: &[Column], position: Position) -> Port {
    let Column { own, other } = table[position.column as usize];
    if position.fraction < own { position.column as Port } else { other }
}

/// The same row for every input, shifted by the input's number.
#[derive(Clone, Debug)]
pub struct Circulant {
    table: Vec<Column>,
}

impl Circulant {
    /// From the rates at distance 0, 1, ..., N - 1.
    pub fn new(row: &[f64]) -> Self {
        Self { table: alias(row) }
    }
}

impl Destinations for Circulant {
    #[inline(always)]
    fn pick(&self, input: usize, position: Position) -> Port {
        let output = look_up(&self.table, position) as usize + input;
        (if output >= self.table.len() { output - self.table.len() } else { output }) as Port
    }
}

/// The same row for every input.
#[derive(Clone, Debug)]
pub struct EqualRows {
    table: Vec<Column>,
}

impl EqualRows {
    /// From the rates to each output.
    pub fn new(row: &[f64]) -> Self {
        Self { table: alias(row) }
    }
}

impl Destinations for EqualRows {
    #[inline(always)]
    fn pick(&self, _input: usize, position: Position) -> Port {
        look_up(&self.table, position)
    }
}

/// A row for each input.
#[derive(Clone, Debug)]
pub struct General {
    ports: usize,
    tables: Vec<Column>,
}

impl General {
    /// The bytes of a rate's entry.
    pub(crate) const BYTES_PER_RATE: usize = size_of::<Column>();

    /// From row-major rates. A row of zeros is never drawn from and may be anything.
    pub fn new(ports: usize, rates: &[f64]) -> Self {
        // Not collected: a list that grows would take twice the memory.
        let mut tables = Vec::with_capacity(rates.len());
        rates.chunks_exact(ports.max(1)).for_each(|row| tables.extend(alias(row)));
        Self { ports, tables }
    }
}

impl Destinations for General {
    #[inline(always)]
    fn pick(&self, input: usize, position: Position) -> Port {
        look_up(&self.tables[input * self.ports..][..self.ports], position)
    }
}

/// A fresh uniformly random permutation in every slot.
#[derive(Clone, Debug)]
pub struct Permutation {
    outputs: Vec<Port>,
    rng: Rng,
}

impl Permutation {
    /// Draws from the replication's pattern stream.
    pub fn new(ports: usize, seed: Seed) -> Self {
        Self { outputs: (0..ports as Port).collect(), rng: seed.stream(Purpose::Pattern, 0) }
    }
}

impl Destinations for Permutation {
    #[inline]
    fn prepare(&mut self, _now: Slot) {
        // Shuffling the last permutation again is as uniform as starting from the identity.
        self.rng.shuffle(&mut self.outputs);
    }

    #[inline(always)]
    fn pick(&self, input: usize, _position: Position) -> Port {
        self.outputs[input]
    }
}

/// Calls `$body` with `$destinations` bound to the concrete sampler of `$matrix`, so that the loop
/// around a pick is compiled for each.
macro_rules! with_destinations {
    ($matrix:expr, $seed:expr, $destinations:ident => $body:expr) => {
        match $matrix {
            $crate::traffic::LoadMatrix::Circulant(row) if row.iter().all(|rate| rate == &row[0]) => {
                let $destinations = $crate::traffic::destinations::Uniform;
                $body
            }
            $crate::traffic::LoadMatrix::Circulant(row) => {
                let $destinations = $crate::traffic::destinations::Circulant::new(row);
                $body
            }
            $crate::traffic::LoadMatrix::EqualRows(row) => {
                let $destinations = $crate::traffic::destinations::EqualRows::new(row);
                $body
            }
            $crate::traffic::LoadMatrix::General { ports, rates } => {
                let $destinations = $crate::traffic::destinations::General::new(*ports, rates);
                $body
            }
            $crate::traffic::LoadMatrix::Permutation(ports) => {
                let $destinations = $crate::traffic::destinations::Permutation::new(*ports, $seed);
                $body
            }
        }
    };
}
pub(crate) use with_destinations;

/// Vose's construction in whole numbers: a column holds 2^32 units, and the rates become units that
/// sum to N * 2^32 exactly.
fn alias(rates: &[f64]) -> Vec<Column> {
    const UNIT: u64 = 1 << 32;
    let ports = rates.len();
    let total: f64 = rates.iter().sum();
    let itself = |output: usize| Column { own: u32::MAX, other: output as Port };
    let mut table: Vec<Column> = (0..ports).map(itself).collect();
    if total <= 0.0 {
        return table;
    }
    let goal = ports as u64 * UNIT;
    let mut units: Vec<u64> = rates.iter().map(|rate| libm::rint(rate / total * goal as f64) as u64).collect();
    // Rounding leaves a few units over or under; the largest entries can bear them.
    let sum: u64 = units.iter().sum();
    let mut by_size: Vec<usize> = (0..ports).collect();
    by_size.sort_by_key(|&output| core::cmp::Reverse(units[output]));
    if sum <= goal {
        units[by_size[0]] += goal - sum;
    } else {
        let mut excess = sum - goal;
        for &output in &by_size {
            let taken = excess.min(units[output]);
            units[output] -= taken;
            excess -= taken;
        }
    }
    // Fill each small column up from a large one.
    let (mut small, mut large): (Vec<usize>, Vec<usize>) = (0..ports).partition(|&output| units[output] < UNIT);
    while let (Some(&under), Some(&over)) = (small.last(), large.last()) {
        small.pop();
        table[under] = Column { own: units[under] as u32, other: over as Port };
        units[over] -= UNIT - units[under];
        if units[over] < UNIT {
            large.pop();
            small.push(over);
        }
    }
    table
}

/// The probability that a table gives an output, in units of 2^-32 / N.
#[cfg(test)]
fn units_of(table: &[Column], output: usize) -> u64 {
    (table.iter().enumerate())
        .map(|(column, entry)| {
            let own = if column == entry.other as usize { 1 << 32 } else { u64::from(entry.own) };
            u64::from(column == output) * own + u64::from(entry.other as usize == output) * ((1 << 32) - own)
        })
        .sum()
}

/// Makes room for one draw per input.
pub(crate) fn draws(ports: usize) -> Vec<u64> {
    vec![0; ports]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn alias_tables_are_exact(rates in prop::collection::vec(prop_oneof![Just(0.0), 0.0f64..1.0, 0.0f64..1e-6], 1..70)) {
            let total: f64 = rates.iter().sum();
            prop_assume!(total > 0.0);
            let table = alias(&rates);
            for (output, rate) in rates.iter().enumerate() {
                let probability = units_of(&table, output) as f64 / (rates.len() as f64 * 4_294_967_296.0);
                prop_assert!((probability - rate / total).abs() <= 1.0 / 4_294_967_296.0, "{output}: {probability} {rate} {total}");
                prop_assert!(*rate > 0.0 || probability == 0.0, "an output of rate 0 must never be drawn");
            }
        }
    }

    #[test]
    fn table_of_zeros_does_not_matter_but_exists() {
        assert_eq!(alias(&[0.0, 0.0]).len(), 2);
        assert!(alias(&[]).is_empty());
    }
}
