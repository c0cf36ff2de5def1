//! Percentiles of delays, with 95 % intervals from the replications.
//!
//! The value is the percentile of all delays together. Its interval comes from the distribution
//! functions of the replications, by inverting a test. At a delay d, replication r has the share
//! `F_r(d)` of cells that waited at most d. These shares are independent, so their mean has a
//! Student-t interval. The interval of the percentile p has every delay at which the interval of
//! the share contains p:
//!
//! ```text
//!   share
//!     1 |            .-------     upper end of the share's interval
//!     p |------.----x-----.--     mean share
//!       |     /|   /     /        lower end
//!       +------[---|-----]----    delay
//!             low value high
//! ```
//!
//! Delays are whole numbers. So the interval of a percentile that lies well within one delay is
//! that delay alone, and covers the truth more often than in 95 of 100 cases. For measuring
//! coverage, [`Percentile::interpolated`] spreads the cells of a delay evenly over the slot before
//! it.
//!
//! Rejected: the Student-t interval of the percentiles of the replications. High percentiles of a
//! replication with few cells are biased, and whole numbers that are all the same give an interval
//! without width although the next delay is as likely. Also rejected: order statistics of all cells
//! together. They assume independent cells, but delays of neighbouring cells are alike.

use super::interval::{mean_and_variance, student_t};
use switchlab_core::meter::Histogram;

/// Parts of a whole in which shares are counted.
const WHOLE: f64 = 1e9;

/// A percentile, in parts of 10^9, such as 990 000 000 for p99.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Share(u64);

impl Share {
    /// From a number of per cent, above 0 and below 100, with at most seven decimals.
    pub fn of_percent(percent: f64) -> Option<Self> {
        let parts = percent * (WHOLE / 100.0);
        let whole = parts.round();
        let fits = (parts - whole).abs() < 1e-3 && (1.0..WHOLE).contains(&whole);
        fits.then_some(Self(whole as u64))
    }

    /// In per cent.
    pub fn percent(self) -> f64 {
        self.0 as f64 / (WHOLE / 100.0)
    }

    /// The name of a column: `p50`, `p99`, `p999` for 99.9 %, `p9999` for 99.99 %.
    pub fn name(self) -> String {
        let digits = format!("{:09}", self.0);
        let (whole, rest) = digits.split_at(2);
        format!("p{whole}{}", rest.trim_end_matches('0'))
    }

    /// This percentile of one histogram; None if it is empty.
    pub fn of(self, histogram: &Histogram) -> Option<u32> {
        histogram.quantile_per_billion(self.0)
    }

    /// As people write it: `p99.9`.
    pub fn label(self) -> String {
        format!("p{}", self.percent())
    }
}

/// The percentiles that are always reported: p50, p90, p99, p99.9 and p99.99.
pub const STANDARD: [Share; 5] =
    [Share(500_000_000), Share(900_000_000), Share(990_000_000), Share(999_000_000), Share(999_900_000)];

/// The standard percentiles and some more, ascending.
pub fn with_standard(more: &[Share]) -> Vec<Share> {
    let mut shares = STANDARD.to_vec();
    shares.extend(more);
    shares.sort_unstable();
    shares.dedup();
    shares
}

/// A percentile of delays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Percentile {
    /// Which.
    pub share: Share,
    /// The smallest delay that this share of the cells do not exceed, over all replications.
    pub value: u32,
    /// The ends of its 95 % interval; None for fewer than two replications with cells.
    pub interval: Option<[u32; 2]>,
    /// The value and its interval with the cells of each delay spread over the slot before it.
    pub interpolated: [Option<f64>; 3],
}

/// A percentile of the delays of some replications; None if no cell has left.
pub fn percentile(replications: &[&Histogram], share: Share) -> Option<Percentile> {
    let mut all = Histogram::new();
    for delays in replications {
        all.merge(delays);
    }
    let value = all.quantile_per_billion(share.0)?;
    let bounds = Bounds::of(replications, &all);
    let target = share.0 as f64 / WHOLE;
    let middle = bounds.crossing(target, |at| at.mean);
    let ends = bounds.has_intervals.then(|| {
        [bounds.crossing(target, |at| at.mean + at.half_width), bounds.crossing(target, |at| at.mean - at.half_width)]
    });
    let interval = ends.map(|[low, high]| [low.0.min(value), high.0.min(all.max()).max(value)]);
    let interpolated = [Some(middle.1), ends.map(|ends| ends[0].1), ends.map(|ends| ends[1].1)];
    Some(Percentile { share, value, interval, interpolated })
}

/// The distribution function at one delay.
struct At {
    delay: u32,
    mean: f64,
    half_width: f64,
}

/// The distribution function at each delay that occurs.
struct Bounds {
    at: Vec<At>,
    has_intervals: bool,
}

impl Bounds {
    fn of(replications: &[&Histogram], all: &Histogram) -> Self {
        let replications: Vec<&&Histogram> = replications.iter().filter(|delays| delays.count() > 0).collect();
        let totals: Vec<f64> = replications.iter().map(|delays| delays.count() as f64).collect();
        let mut buckets: Vec<_> = replications.iter().map(|delays| delays.buckets().peekable()).collect();
        let mut seen = vec![0_u64; replications.len()];
        let mut shares = vec![0.0; replications.len()];
        let factor = student_t(replications.len().saturating_sub(1)) / (replications.len() as f64).sqrt();
        let at = all.buckets().map(|(delay, _)| {
            for (run, buckets) in buckets.iter_mut().enumerate() {
                while let Some((_, count)) = buckets.next_if(|(own, _)| *own <= delay) {
                    seen[run] += count;
                }
                shares[run] = seen[run] as f64 / totals[run];
            }
            let (mean, variance) = mean_and_variance(&shares);
            At { delay, mean, half_width: variance.map_or(f64::NAN, |variance| variance.sqrt() * factor) }
        });
        Self { at: at.collect(), has_intervals: replications.len() > 1 }
    }

    /// The first delay from which on a function of delays is at least the target, whole and
    /// interpolated. All functions are 1 at the largest delay.
    fn crossing(&self, target: f64, function: impl Fn(&At) -> f64) -> (u32, f64) {
        let below = self.at.iter().rposition(|at| function(at) < target);
        let first = below.map_or(0, |below| below + 1).min(self.at.len() - 1);
        let (delay, share) = (f64::from(self.at[first].delay), function(&self.at[first]));
        let (before, share_before) = match below {
            Some(below) if below < first => (f64::from(self.at[below].delay), function(&self.at[below])),
            _ => (delay - 1.0, 0.0),
        };
        let part = if share > share_before { ((target - share_before) / (share - share_before)).min(1.0) } else { 1.0 };
        (self.at[first].delay, before + part * (delay - before))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Setup;
    use proptest::prelude::*;

    const P99: Share = Share(990_000_000);

    fn histogram(delays: &[u32]) -> Histogram {
        let buckets: Vec<(u32, u64)> = delays.iter().map(|&delay| (delay, 1)).collect();
        let sum = delays.iter().map(|&delay| u64::from(delay)).sum();
        Histogram::from_parts(&buckets, sum, delays.iter().copied().max().unwrap_or(0)).unwrap()
    }

    #[test]
    fn names_are_those_of_the_columns() {
        let names = [(50.0, "p50", "p50"), (99.9, "p999", "p99.9"), (99.99, "p9999", "p99.99"), (5.0, "p05", "p5")];
        for (percent, name, label) in names {
            let share = Share::of_percent(percent).unwrap();
            assert_eq!((share.name().as_str(), share.label().as_str()), (name, label));
            assert_eq!(share.percent(), percent);
        }
        for bad in [0.0, -1.0, 100.0, 1000.0, f64::NAN, f64::INFINITY, 99.999_999_99] {
            assert_eq!(Share::of_percent(bad), None, "{bad}");
        }
    }

    /// By hand: shares of delays up to 1 are 1/2, 3/4 and 1, with mean 3/4 and a half width of
    /// 4.3027 * 0.25 / sqrt(3) = 0.621. So at delay 1 the interval of the share contains a half, at
    /// delay 0 (no cell at all) it does not, and at delay 2 all shares are 1.
    #[test]
    fn an_interval_by_hand() {
        let runs = [histogram(&[1, 1, 2, 2]), histogram(&[1, 1, 1, 2]), histogram(&[1, 1, 1, 1])];
        let runs: Vec<&Histogram> = runs.iter().collect();
        let median = percentile(&runs, Share(500_000_000)).unwrap();
        assert_eq!((median.value, median.interval), (1, Some([1, 2])));
        // The mean share reaches a half two thirds of the way from 0 to 1.
        assert!((median.interpolated[0].unwrap() - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(percentile(&runs[..1], Share(500_000_000)).unwrap().interval, None);
        assert_eq!(percentile(&[&Histogram::new()], P99), None);
    }

    proptest! {
        #[test]
        fn the_interval_contains_the_value(
            runs in prop::collection::vec(prop::collection::vec(prop_oneof![0u32..20, 0u32..5000], 0..60), 0..8),
            parts in 1u64..1_000_000_000,
        ) {
            let runs: Vec<Histogram> = runs.iter().map(|delays| histogram(delays)).collect();
            let runs: Vec<&Histogram> = runs.iter().collect();
            let full = runs.iter().filter(|run| run.count() > 0).count();
            match percentile(&runs, Share(parts)) {
                None => prop_assert_eq!(full, 0),
                Some(Percentile { value, interval, interpolated, .. }) => {
                    prop_assert_eq!(interval.is_some(), full > 1);
                    if let Some([low, high]) = interval {
                        prop_assert!(low <= value && value <= high);
                    }
                    prop_assert!(interpolated.iter().flatten().all(|end| end.is_finite()));
                }
            }
        }
    }

    /// How often the interval of the 99th percentile contains the truth, in 400 comparisons of ten
    /// replications each. The truth is that of all replications together.
    fn coverage(setup: &Setup, warmup: u32, comparisons: u32) -> [f64; 2] {
        let meters: Vec<Histogram> =
            (0..10 * comparisons).map(|replication| setup.after(warmup, 3, replication).delays().trimmed()).collect();
        let all = percentile(&meters.iter().collect::<Vec<_>>(), P99).unwrap();
        let truth = all.interpolated[0].unwrap();
        let mut covered = [0; 2];
        for group in meters.chunks_exact(10) {
            let one = percentile(&group.iter().collect::<Vec<_>>(), P99).unwrap();
            let [_, low, high] = one.interpolated.map(Option::unwrap);
            let [whole_low, whole_high] = one.interval.unwrap();
            covered[0] += u32::from(low <= truth && truth <= high);
            covered[1] += u32::from(whole_low <= all.value && all.value <= whole_high);
        }
        covered.map(|covered| f64::from(covered) / f64::from(comparisons))
    }

    /// An interval of exactly 95 % would be outside of these bounds for 6 in 1000 seeds. The page
    /// of verdicts and intervals prints what is measured here.
    #[test]
    fn intervals_of_p99_cover_in_95_of_100_cases() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/verdicts.md");
        let page = std::fs::read_to_string(page).unwrap();
        for switch in ["oq", "islip"] {
            let setup = Setup { load: 0.8, ..Setup::uniform(switch, 16, 3000) };
            let [interpolated, whole] = coverage(&setup, 2000, 400);
            let row = format!("| {switch} | {:.2} % | {:.2} % |", 100.0 * interpolated, 100.0 * whole);
            println!("{row}");
            assert!(page.contains(&row), "docs/reference/verdicts.md should say {row}");
            assert!((0.92..=0.98).contains(&interpolated), "{switch}: {interpolated}");
            assert!(whole >= 0.92, "{switch}: {whole}");
        }
    }
}
