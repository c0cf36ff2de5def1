//! A histogram of delays: exact below 1024 slots, within 0.1 % above, in 96 KiB.
//!
//! Above the exact range each power of two is cut into 512 buckets of equal width. The mean and the
//! maximum are exact throughout.

use alloc::vec;
use alloc::vec::Vec;

/// Delays below this have a bucket each.
const EXACT: u32 = 1024;
/// Buckets for each power of two above.
const PER_OCTAVE: u32 = EXACT / 2;
const BUCKETS: usize = (EXACT + (32 - EXACT.ilog2()) * PER_OCTAVE) as usize;

/// Counts of delays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    counts: Vec<u64>,
    sum: u64,
    max: u32,
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

impl Histogram {
    /// The bytes of all counts.
    pub(super) const BYTES: u64 = (BUCKETS * size_of::<u64>()) as u64;

    /// Without any delay.
    pub fn new() -> Self {
        Self { counts: vec![0; BUCKETS], sum: 0, max: 0 }
    }

    /// Counts a delay `times` times. Their share of the sum comes with [`Self::add_to_sum`].
    pub(super) fn add(&mut self, delay: u32, times: u64) {
        self.counts[bucket(delay) as usize] += times;
        self.max = self.max.max(delay);
    }

    /// Adds to the sum of all delays.
    pub(super) fn add_to_sum(&mut self, sum: u64) {
        self.sum += sum;
    }

    #[cfg(test)]
    fn record(&mut self, delay: u32) {
        self.add(delay, 1);
        self.add_to_sum(u64::from(delay));
    }

    /// A histogram as it was kept: its buckets as [`Self::buckets`] lists them, its sum and its
    /// maximum. None if no delays have these counts, this sum and this maximum, or if there are
    /// more than 64 bits can count.
    pub fn from_parts(buckets: &[(u32, u64)], sum: u64, max: u32) -> Option<Self> {
        let mut histogram = Self { sum, max, ..Self::new() };
        let mut all = 0_u64;
        for &(delay, count) in buckets {
            all = all.checked_add(count)?;
            histogram.counts[bucket(delay) as usize] += count;
        }
        let histogram = histogram.trimmed();
        let last = histogram.counts.len().checked_sub(1);
        let possible = match last {
            None => sum == 0 && max == 0,
            Some(last) => {
                let most = u128::from(all) * u128::from(max);
                bucket(max) as usize == last && sum >= u64::from(max) && u128::from(sum) <= most
            }
        };
        possible.then_some(histogram)
    }

    /// The same without the empty buckets at the end: for keeping, not for counting.
    #[must_use]
    pub fn trimmed(&self) -> Self {
        let used = self.counts.iter().rposition(|&count| count > 0).map_or(0, |last| last + 1);
        Self { counts: self.counts[..used].to_vec(), sum: self.sum, max: self.max }
    }

    /// Adds all that another has counted.
    pub fn merge(&mut self, other: &Self) {
        self.counts.resize(self.counts.len().max(other.counts.len()), 0);
        for (count, more) in self.counts.iter_mut().zip(&other.counts) {
            *count += more;
        }
        // A run counts at most 2^44 cells, so counts cannot overflow. A sum could, after 2^64 slots
        // of waiting.
        self.sum = self.sum.saturating_add(other.sum);
        self.max = self.max.max(other.max);
    }

    /// How many delays were counted.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Their sum.
    pub fn sum(&self) -> u64 {
        self.sum
    }

    /// The largest, 0 if there is none.
    pub fn max(&self) -> u32 {
        self.max
    }

    /// The smallest delay that at least `per_mille / 1000` of the cells do not exceed; None if
    /// there is none.
    ///
    /// Exact below 1024; the middle of the bucket above, never more than the maximum.
    pub fn quantile(&self, per_mille: u64) -> Option<u32> {
        self.quantile_per_billion(per_mille * 1_000_000)
    }

    /// The same for a share in parts of 10^9, as the 99.999th percentile needs it.
    pub fn quantile_per_billion(&self, share: u64) -> Option<u32> {
        let rank = (u128::from(self.count()) * u128::from(share)).div_ceil(1_000_000_000).max(1) as u64;
        self.buckets()
            .scan(0, |seen, (delay, count)| {
                *seen += count;
                Some((delay, *seen))
            })
            .find(|&(_, seen)| seen >= rank)
            .map(|(delay, _)| delay.min(self.max))
    }

    /// The buckets that are not empty, ascending: a delay in the middle of the bucket, and the
    /// count.
    pub fn buckets(&self) -> impl Iterator<Item = (u32, u64)> {
        self.counts.iter().enumerate().filter(|(_, count)| **count > 0).map(|(place, &count)| (middle(place), count))
    }
}

/// The bucket of a delay.
fn bucket(delay: u32) -> u32 {
    let octave = (delay | PER_OCTAVE).ilog2() - PER_OCTAVE.ilog2();
    (delay >> octave) + octave * PER_OCTAVE
}

fn middle(bucket: usize) -> u32 {
    let bucket = bucket as u32;
    if bucket < EXACT {
        return bucket;
    }
    let (octave, within) = ((bucket - EXACT) / PER_OCTAVE, (bucket - EXACT) % PER_OCTAVE);
    ((PER_OCTAVE + within) << (octave + 1)) + (1 << octave)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_bucket_holds_its_middle() {
        for place in 0..BUCKETS {
            assert_eq!(bucket(middle(place)) as usize, place);
        }
        assert_eq!(bucket(u32::MAX) as usize, BUCKETS - 1);
    }

    /// As it is described, by whole numbers.
    fn whole_bucket(delay: u32) -> u32 {
        let octave = (delay | PER_OCTAVE).ilog2() - PER_OCTAVE.ilog2();
        (delay >> octave) + octave * PER_OCTAVE
    }

    #[test]
    fn octaves_are_never_rounded_up() {
        for power in 0..32 {
            // What is near a power of two on either side, far less than it, and all ones down to
            // some bit.
            let near = (0..3000).flat_map(|step| [(1 << power) + step, (1u32 << power).wrapping_sub(step)]);
            for delay in near.chain((0..32).map(|low| (u32::MAX >> power) >> low << low)) {
                assert_eq!(bucket(delay), whole_bucket(delay), "{delay}");
            }
        }
    }

    /// Counted in two parts, which are trimmed and then merged.
    fn halves_trimmed(delays: &[u32]) -> Histogram {
        let parts = delays.split_at(delays.len() / 2);
        let [first, second] = [parts.0, parts.1].map(|part| {
            let mut histogram = Histogram::new();
            for &delay in part {
                histogram.record(delay);
            }
            histogram.trimmed()
        });
        let mut merged = first;
        merged.merge(&second);
        merged
    }

    proptest! {
        #[test]
        fn quantiles_against_a_sorted_list(mut delays in prop::collection::vec(prop_oneof![0u32..50, 0u32..100_000, any::<u32>()], 1..300)) {
            let mut histogram = Histogram::new();
            let mut halves = [Histogram::new(), Histogram::new()];
            for (place, &delay) in delays.iter().enumerate() {
                prop_assert_eq!(bucket(delay), whole_bucket(delay));
                histogram.record(delay);
                halves[place % 2].record(delay);
            }
            let [mut merged, second] = halves;
            merged.merge(&second);
            prop_assert_eq!(&merged, &histogram);
            let mut trimmed = halves_trimmed(&delays);
            prop_assert_eq!(&trimmed, &histogram.trimmed());
            let buckets: Vec<_> = histogram.buckets().collect();
            let (sum, max) = (histogram.sum(), histogram.max());
            prop_assert_eq!(Histogram::from_parts(&buckets, sum, max), Some(histogram.trimmed()));
            trimmed.merge(&Histogram::new());
            prop_assert_eq!(&trimmed, &histogram);
            delays.sort_unstable();
            prop_assert_eq!(histogram.max(), *delays.last().unwrap());
            prop_assert_eq!(histogram.sum(), delays.iter().map(|&d| u64::from(d)).sum::<u64>());
            for per_mille in [1, 500, 900, 990, 999, 1000] {
                let exact = delays[(delays.len() * per_mille).div_ceil(1000) - 1];
                let found = histogram.quantile(per_mille as u64).unwrap();
                let error = f64::from(found).max(f64::from(exact)) / f64::from(found).min(f64::from(exact)).max(1.0) - 1.0;
                prop_assert!(found == exact || (exact >= EXACT && error < 0.001_1), "{} {}", found, exact);
            }
        }
    }

    #[test]
    fn parts_that_no_delays_have_are_refused() {
        assert_eq!(Histogram::from_parts(&[], 0, 0), Some(Histogram::new().trimmed()));
        assert!(Histogram::from_parts(&[(0, 2), (7, 1)], 7, 7).is_some());
        let max = u64::MAX;
        for (buckets, sum, most) in [
            (&[][..], 1, 0),
            (&[], 0, 1),
            (&[(0, 2), (7, 1)], 6, 7),
            (&[(0, 2), (7, 1)], 22, 7),
            (&[(0, 2), (7, 1)], 8, 8),
            (&[(0, 2), (7, 1)], 7, 6),
            (&[(0, max), (7, 1)], 7, 7),
            (&[(7, max), (7, max)], 7, 7),
        ] {
            assert_eq!(Histogram::from_parts(buckets, sum, most), None, "{buckets:?} {sum} {most}");
        }
    }

    #[test]
    fn empty() {
        assert_eq!(Histogram::new().quantile(500), None);
    }
}
