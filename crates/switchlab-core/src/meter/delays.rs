//! Delays while they are counted: one counter for each delay below 2^16, and a [`Histogram`] for
//! the others.
//!
//! The histogram's buckets are found by a logarithm; here most delays need a comparison and an
//! increment. What is read is the same histogram. Rejected: counters up to the histogram's own
//! exact range alone, or up to 4096. Many runs have delays on both sides of such a limit, and a
//! branch that cannot be predicted costs more than the logarithm.

use super::Histogram;
use alloc::boxed::Box;
use alloc::vec;

/// Delays below this have a counter each: all delays of 16 bits. Most runs touch a small part of
/// the counters; where delays are long, the part that is touched moves.
const SHORT: usize = 1 << 16;

/// The most delays that are counted before the 32-bit counters are folded into the histogram.
const MOST: u64 = 1 << 31;

/// A counter for each delay of 16 bits.
pub(super) type Short = [u32; SHORT];

/// Counts of delays; see the module.
#[derive(Clone, Debug)]
pub(super) struct Delays {
    short: Box<Short>,
    /// Longer delays, and short ones that have been folded in.
    histogram: Histogram,
    /// Cells counted since short counts were last folded in.
    counted: u64,
}

impl Delays {
    /// The bytes of all counters, twice where they are read or reset.
    pub(super) const BYTES: u64 = 2 * size_of::<Short>() as u64 + 3 * Histogram::BYTES;

    pub(super) fn new() -> Self {
        // Not `Box::new([0; SHORT])`, which would build the array on the stack first.
        let short = vec![0; SHORT].into_boxed_slice().try_into().unwrap_or_else(|_| unreachable!());
        Self { short, histogram: Histogram::new(), counted: 0 }
    }

    /// Adds the number of delays counted and their sum.
    pub(super) fn add_up(&mut self, count: u64, sum: u64) {
        self.counted += count;
        self.histogram.add_to_sum(sum);
    }

    /// Folds the short counts into the histogram before they could overflow. To be called at least
    /// once for every 2^31 delays.
    pub(super) fn fold_short_counts(&mut self) {
        if self.counted > MOST {
            self.histogram = self.histogram();
            self.short.fill(0);
            self.counted = 0;
        }
    }

    /// Opens the counters for a block of slots.
    #[inline]
    pub(super) fn open(&mut self) -> Open<'_> {
        Open { short: &mut self.short, histogram: &mut self.histogram }
    }

    /// All delays counted so far.
    pub(super) fn histogram(&self) -> Histogram {
        let mut all = self.histogram.clone();
        for (delay, &count) in (0..).zip(self.short.iter()) {
            if count > 0 {
                all.add(delay, u64::from(count));
            }
        }
        all
    }
}

/// The counters as slices. A vector behind `&mut self` would have to be reloaded after every store.
pub(super) struct Open<'a> {
    short: &'a mut Short,
    histogram: &'a mut Histogram,
}

impl Open<'_> {
    /// Counts a delay.
    #[inline(always)]
    pub(super) fn count(&mut self, delay: u32) {
        match self.short.get_mut(delay as usize) {
            Some(count) => *count += 1,
            None => self.count_long(delay),
        }
    }

    /// The counts of short delays.
    #[inline]
    pub(super) fn short(&mut self) -> &mut Short {
        self.short
    }

    #[cold]
    #[inline(never)]
    fn count_long(&mut self, delay: u32) {
        self.histogram.add(delay, 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_changes_nothing() {
        let delays: [u32; 8] = [0, 0, 1023, 1024, 65_535, 65_536, 70_000, u32::MAX];
        let sum: u64 = delays.iter().map(|&delay| u64::from(delay)).sum();
        let (mut seldom, mut often, mut plain) = (Delays::new(), Delays::new(), Histogram::new());
        for _ in 0..2 {
            for counted in [&mut seldom, &mut often] {
                for delay in delays {
                    counted.open().count(delay);
                }
                counted.add_up(delays.len() as u64, sum);
            }
            // As if 2^31 more had been counted.
            often.counted += MOST;
            often.fold_short_counts();
            for delay in delays {
                plain.add(delay, 1);
            }
            plain.add_to_sum(sum);
        }
        assert_eq!(seldom.histogram(), plain);
        assert_eq!(often.histogram(), plain);
    }
}
