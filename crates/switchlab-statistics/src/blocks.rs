//! A timeline cut into a few equal blocks, and how much each has to do with the next.

use switchlab_core::meter::Bin;

/// How many blocks a series is cut into, at most; with at least as many bins there are more than
/// half as many.
pub(super) const MOST: usize = 32;

/// How many of these bins make a block.
pub fn block_length(bins: usize) -> usize {
    bins.div_ceil(MOST).max(1)
}

/// Equal blocks of bins.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Blocks {
    /// The sum over each block.
    pub(super) sums: Vec<Bin>,
    /// How many bins there are in each.
    pub(super) bins_each: usize,
}

impl Blocks {
    /// Cuts bins into blocks. What does not fill a block is dropped at the beginning, where a
    /// transient would be.
    pub(super) fn of(bins: &[Bin]) -> Self {
        let bins_each = block_length(bins.len());
        let sums = bins[bins.len() % bins_each..].chunks_exact(bins_each);
        let sums = sums.map(|block| block.iter().fold(Bin::default(), |sum, &bin| sum.plus(bin)));
        Self { sums: sums.collect(), bins_each }
    }
}

/// The correlation of neighbours, by von Neumann's ratio: 1 - (sum of squared steps) / (2 sum of
/// squared deviations).
///
/// About 0 for independent values, with deviation sqrt((k - 2) / (k^2 - 1)) if they are normal; 0
/// if all are equal. The plain lag-1 autocorrelation was rejected: it leaves out half of the first
/// and last value's deviation, and its distribution for small k is not as simple.
pub(super) fn serial_correlation(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let deviations: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    let steps: f64 = values.windows(2).map(|pair| (pair[1] - pair[0]) * (pair[1] - pair[0])).sum();
    if deviations > 0.0 { 1.0 - steps / (2.0 * deviations) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Noise;

    #[test]
    fn blocks_are_equal_and_end_with_the_last_bin() {
        let all: Vec<Bin> = (0..512).map(|index| Bin { backlog_sum: index, arrivals: 1, ..Bin::default() }).collect();
        for count in 0..all.len() {
            let Blocks { sums, bins_each } = Blocks::of(&all[..count]);
            assert!(sums.iter().all(|sum| sum.arrivals == bins_each as u64));
            assert_eq!(sums.len(), count / bins_each);
            assert!(sums.len() <= MOST && (count < MOST || sums.len() >= MOST / 2), "{count}: {}", sums.len());
            assert!(count < 256 || sums.len() >= 28);
            let kept = (count - count % bins_each) as u64;
            let backlog: u64 = sums.iter().map(|sum| sum.backlog_sum).sum();
            assert_eq!(backlog, (count as u64 - kept..count as u64).sum::<u64>());
        }
    }

    #[test]
    fn correlation_of_known_series() {
        assert_eq!(serial_correlation(&[]), 0.0);
        assert_eq!(serial_correlation(&[3.0; 8]), 0.0);
        assert_eq!(serial_correlation(&[1.0, -1.0, 1.0, -1.0]), -0.5);
        let line: Vec<f64> = (0..8).map(f64::from).collect();
        assert!((serial_correlation(&line) - (1.0 - 7.0 / 84.0)).abs() < 1e-12);
        let series = Noise::new(1).autoregressive(100_000, 0.0, 0.6);
        // The deviation of the estimate is about sqrt((1 - 0.36) / 100 000) = 0.0025; eight of
        // them.
        assert!((serial_correlation(&series) - 0.6).abs() < 0.02);
    }
}
