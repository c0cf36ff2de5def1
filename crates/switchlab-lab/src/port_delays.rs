//! Delays of the cells of each input, of each output and, if wanted, of each pair of them.
//!
//! Only for runs that ask for it: a run without it does not know that it exists. A histogram here
//! is exact below 128 slots and within 0.8 % above, and is no longer than its longest delay needs:
//! there are N^2 of them.

use switchlab_core::{Block, Cell, Slot};

/// Delays below this have a bucket each.
const EXACT: u32 = 128;
/// Buckets for each power of two above.
const PER_OCTAVE: u32 = EXACT / 2;
/// The most buckets.
const BUCKETS: u32 = EXACT + (u32::BITS - EXACT.ilog2()) * PER_OCTAVE;

/// Delays of some of the cells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoarseDelays {
    counts: Vec<u64>,
    cells: u64,
    sum: u64,
    max: u32,
}

impl CoarseDelays {
    /// The most bytes of its buckets.
    pub(crate) const MOST_BYTES: u64 = BUCKETS as u64 * size_of::<u64>() as u64;

    pub(crate) fn add(&mut self, delay: u32) {
        let bucket = bucket(delay) as usize;
        if bucket >= self.counts.len() {
            self.counts.resize(bucket + 1, 0);
        }
        self.counts[bucket] += 1;
        self.cells += 1;
        self.sum += u64::from(delay);
        self.max = self.max.max(delay);
    }

    /// Adds all that another has counted.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.counts.resize(self.counts.len().max(other.counts.len()), 0);
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        self.cells += other.cells;
        self.sum += other.sum;
        self.max = self.max.max(other.max);
    }

    /// How many cells arrived and left in the window.
    pub fn cells(&self) -> u64 {
        self.cells
    }

    /// The sum of their delays.
    pub(crate) fn sum(&self) -> u64 {
        self.sum
    }

    /// Their mean delay; None if there are none.
    pub fn mean(&self) -> Option<f64> {
        (self.cells > 0).then(|| self.sum as f64 / self.cells as f64)
    }

    /// The longest delay; None if there are no cells.
    pub fn max(&self) -> Option<u32> {
        (self.cells > 0).then_some(self.max)
    }

    /// The smallest delay that at least this share of the cells, in per mille, do not exceed; None
    /// if there are no cells.
    pub fn quantile(&self, per_mille: u64) -> Option<u32> {
        let rank = (u128::from(self.cells) * u128::from(per_mille)).div_ceil(1000).max(1);
        let mut seen = 0_u128;
        let found = self.counts.iter().position(|&count| {
            seen += u128::from(count);
            seen >= rank
        });
        found.map(|bucket| middle(bucket as u32).min(self.max))
    }
}

/// The bucket of a delay.
fn bucket(delay: u32) -> u32 {
    let octave = (delay | PER_OCTAVE).ilog2() - PER_OCTAVE.ilog2();
    (delay >> octave) + octave * PER_OCTAVE
}

/// A delay in the middle of a bucket.
fn middle(bucket: u32) -> u32 {
    if bucket < EXACT {
        return bucket;
    }
    let (octave, within) = ((bucket - EXACT) / PER_OCTAVE, (bucket - EXACT) % PER_OCTAVE);
    ((PER_OCTAVE + within) << (octave + 1)) + (1 << octave)
}

/// What delays are kept of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Each input and each output.
    Port,
    /// Each pair of an input and an output too.
    Pair,
}

/// The meter, and what it has measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortDelays {
    opened: Slot,
    /// By input.
    pub inputs: Vec<CoarseDelays>,
    /// By output.
    pub outputs: Vec<CoarseDelays>,
    /// By input, then output; empty if pairs are not wanted.
    pub pairs: Vec<CoarseDelays>,
}

impl PortDelays {
    /// A meter whose window is open from slot 0.
    pub(crate) fn new(ports: usize, by: By) -> Self {
        let of = |count: usize| vec![CoarseDelays::default(); count];
        let pairs = if by == By::Pair { ports * ports } else { 0 };
        Self { opened: 0, inputs: of(ports), outputs: of(ports), pairs: of(pairs) }
    }

    /// The most bytes that a meter takes.
    pub(crate) fn most_bytes(ports: usize, by: By) -> u64 {
        let histograms = 2 * ports + if by == By::Pair { ports * ports } else { 0 };
        (histograms * (size_of::<CoarseDelays>() + BUCKETS as usize * size_of::<u64>())) as u64
    }

    /// Opens the window.
    pub(crate) fn open(&mut self, now: Slot) {
        let by = if self.pairs.is_empty() { By::Port } else { By::Pair };
        *self = Self { opened: now, ..Self::new(self.inputs.len(), by) };
    }

    /// Counts a block of slots.
    pub(crate) fn observe(&mut self, departures: &Block<Cell>) {
        let ports = self.outputs.len();
        for (now, row) in departures.rows() {
            let in_window = |cell: &Cell| !cell.is_idle() && cell.born >= self.opened;
            for (output, cell) in row.iter().enumerate().filter(|(_, cell)| in_window(cell)) {
                let (input, delay) = (usize::from(cell.input), now - cell.born);
                self.inputs[input].add(delay);
                self.outputs[output].add(delay);
                if let Some(pair) = self.pairs.get_mut(input * ports + output) {
                    pair.add(delay);
                }
            }
        }
    }

    /// Adds all that another meter of the same kind has counted.
    pub(crate) fn merge(&mut self, other: &Self) {
        let kinds =
            [(&mut self.inputs, &other.inputs), (&mut self.outputs, &other.outputs), (&mut self.pairs, &other.pairs)];
        for (sums, more) in kinds {
            assert_eq!(sums.len(), more.len(), "replications have the same ports");
            for (sum, more) in sums.iter_mut().zip(more) {
                sum.merge(more);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchlab_core::Port;

    #[test]
    fn every_bucket_holds_its_middle() {
        for place in 0..BUCKETS {
            assert_eq!(bucket(middle(place)), place);
        }
        assert_eq!(bucket(u32::MAX), BUCKETS - 1);
        for delay in (0..200_000).chain([u32::MAX, u32::MAX / 3]) {
            let error = f64::from(middle(bucket(delay))) - f64::from(delay);
            assert!(error.abs() <= 0.008 * f64::from(delay), "{delay}");
            assert!(delay >= EXACT || error == 0.0, "{delay}");
        }
    }

    /// Two outputs, three slots; the first departure belongs to the warm-up.
    #[test]
    fn cells_are_counted_for_their_ports() {
        let cell = |input: Port, born| Cell { input, born };
        let mut meter = PortDelays::new(2, By::Pair);
        meter.open(1);
        let mut block = Block::new(2, 3, Cell::IDLE);
        block.start = 1;
        let rows = [[cell(0, 0), Cell::IDLE], [cell(1, 1), cell(0, 1)], [cell(1, 3), Cell::IDLE]];
        for (slot, row) in rows.iter().enumerate() {
            block.data[2 * slot..][..2].copy_from_slice(row);
        }
        meter.observe(&block);
        let figures = |delays: &CoarseDelays| (delays.cells(), delays.mean(), delays.quantile(990), delays.max());
        assert_eq!(figures(&meter.inputs[0]), (1, Some(1.0), Some(1), Some(1)));
        assert_eq!(figures(&meter.inputs[1]), (2, Some(0.5), Some(1), Some(1)));
        assert_eq!(figures(&meter.outputs[0]), (2, Some(0.5), Some(1), Some(1)));
        assert_eq!(figures(&meter.pairs[1]), (1, Some(1.0), Some(1), Some(1)));
        assert_eq!(figures(&meter.pairs[3]), (0, None, None, None));
        let mut twice = meter.clone();
        twice.merge(&meter);
        assert_eq!(figures(&twice.inputs[1]), (4, Some(0.5), Some(1), Some(1)));
    }
}
