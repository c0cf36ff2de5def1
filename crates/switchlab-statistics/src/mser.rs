//! MSER-5: how much of the beginning of a run to discard.
//!
//! Observations are averaged five at a time into k values Z. Discarding the first d of them leaves
//! a mean whose squared standard error is estimated, as if they were independent, by
//!
//! ```text
//!   sum over j > d of (Z[j] - mean of the rest)^2 / (k - d)^2
//! ```
//!
//! and the d that makes this least is where a transient costs more than the data it would take
//! along: discarding it shrinks the sum, discarding more shrinks the divisor. Only the first half
//! is searched, for near the end the estimate rests on a handful of values and is small by chance;
//! a minimum at the end of the search says that the run is too short.
//!
//! References: K. P. White, "An effective truncation heuristic for bias reduction in simulation
//! output", Simulation 69(6), 1997; K. P. White, M. J. Cobb, S. C. Spratt, "A comparison of five
//! steady-state truncation heuristics for simulation", Winter Simulation Conference 2000.

use switchlab_core::meter::Timeline;

/// How many observations are averaged into one.
const GROUP: usize = 5;

/// Where to cut a series of observations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Truncation {
    /// How many observations to discard from the beginning; a multiple of five.
    pub observations: usize,
    /// Whether the cut can be trusted: false when the series is so short that the best cut is the
    /// latest one allowed.
    pub reliable: bool,
}

/// Where to cut a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transient {
    /// How many slots to discard from the beginning.
    pub slots: u64,
    /// Whether the cut can be trusted: false when the run is too short.
    pub reliable: bool,
}

/// The truncation point of a series, by MSER-5.
///
/// A remainder of fewer than five observations at the end is not used. With fewer than 20
/// observations, or one that is not a finite number, the cut is not reliable. Of equal minima the
/// first is taken: it keeps the most data.
pub fn mser5(observations: &[f64]) -> Truncation {
    let groups: Vec<f64> =
        observations.chunks_exact(GROUP).map(|five| five.iter().sum::<f64>() / GROUP as f64).collect();
    let last = groups.len() / 2;
    if groups.len() < 4 || !groups.iter().all(|group| group.is_finite()) {
        return Truncation { observations: 0, reliable: false };
    }
    // One pass from the end, with Welford's update of mean and sum of squared deviations: as cheap
    // as suffix sums of Z and Z^2, which were rejected because their difference has no correct
    // digit left for a long queue that hardly moves.
    let (mut mean, mut squares, mut count) = (0.0, 0.0, 0.0);
    let mut best = (f64::INFINITY, last);
    for (cut, group) in groups.iter().enumerate().rev() {
        count += 1.0;
        let deviation = group - mean;
        mean += deviation / count;
        squares += deviation * (group - mean);
        let error = squares / (count * count);
        if cut <= last && error <= best.0 {
            best = (error, cut);
        }
    }
    Truncation { observations: best.1 * GROUP, reliable: best.1 < last }
}

/// How many slots of a run from slot 0 belong to its beginning, by the backlog.
///
/// The backlog and not the delay: it exists in every slot, and it is what has to fill up. The
/// resolution is five bins of the timeline, one or two percent of the run.
pub fn transient(timeline: &Timeline) -> Transient {
    let backlog: Vec<f64> = timeline.full_bins().iter().map(|bin| bin.backlog_sum as f64).collect();
    let Truncation { observations, reliable } = mser5(&backlog);
    Transient { slots: observations as u64 * timeline.width(), reliable }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Noise, Setup};
    use proptest::prelude::*;

    /// The definition, cut by cut.
    fn naive(observations: &[f64]) -> Vec<f64> {
        let groups: Vec<f64> = observations.chunks_exact(5).map(|five| five.iter().sum::<f64>() / 5.0).collect();
        let error = |rest: &[f64]| {
            let count = rest.len() as f64;
            let mean = rest.iter().sum::<f64>() / count;
            rest.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / (count * count)
        };
        (0..=groups.len() / 2).map(|cut| error(&groups[cut..])).collect()
    }

    #[test]
    fn short_or_odd_series_are_unreliable() {
        let unreliable = Truncation { observations: 0, reliable: false };
        assert_eq!(mser5(&[]), unreliable);
        assert_eq!(mser5(&[1.0; 19]), unreliable);
        assert_eq!(mser5(&[f64::NAN; 100]), unreliable);
        assert_eq!(mser5(&[1.0; 20]), Truncation { observations: 0, reliable: true });
        assert_eq!(transient(&Timeline::new()), Transient { slots: 0, reliable: false });
    }

    #[test]
    fn growth_without_end_is_unreliable() {
        let growing: Vec<f64> = (0..400).map(f64::from).collect();
        assert_eq!(mser5(&growing), Truncation { observations: 200, reliable: false });
    }

    /// A transient of 10 deviations that decays by 1/e in 30 observations is lost in the noise of a
    /// group of five, 0.45 deviations, after 93. 200 seeds; the cut is between 40 and 150 in all
    /// but a few.
    #[test]
    fn finds_the_end_of_a_transient() {
        let near = (0..200).filter(|&seed| {
            let mut noise = Noise::new(seed);
            let series: Vec<f64> = (0..500).map(|i| 10.0 * libm::exp(-f64::from(i) / 30.0) + noise.normal()).collect();
            let cut = mser5(&series);
            cut.reliable && (40..=150).contains(&cut.observations)
        });
        let near = near.count();
        assert!(near >= 180, "{near}");
    }

    /// On noise alone the cut is short: at most a tenth of the series in four cases of five.
    #[test]
    fn cuts_little_from_noise() {
        let short = (0..200).filter(|&seed| {
            let mut noise = Noise::new(seed);
            let series: Vec<f64> = (0..500).map(|_| 1e6 + noise.normal()).collect();
            let cut = mser5(&series);
            cut.reliable && cut.observations <= 50
        });
        let short = short.count();
        assert!(short >= 160, "{short}");
    }

    /// Output queueing at 0.9 forgets its beginning within a few hundred slots, so of 50 000 little
    /// is to be cut, in most cases: by chance the correlated backlog looks like a transient now and
    /// then. A saturated switch has no reliable cut.
    #[test]
    fn on_switches() {
        let cuts: Vec<_> = (0..10)
            .map(|replication| {
                transient(&Setup { load: 0.9, ..Setup::uniform("oq", 16, 50_000) }.cold(1, replication).timeline)
            })
            .collect();
        assert!(cuts.iter().filter(|cut| cut.reliable && cut.slots <= 10_000).count() >= 6, "{cuts:?}");
        let saturated = transient(&Setup { load: 1.0, ..Setup::uniform("pim", 16, 20_000) }.cold(1, 0).timeline);
        assert!(!saturated.reliable);
    }

    proptest! {
        #[test]
        fn finds_the_minimum_of_the_definition(series in prop::collection::vec(-100.0..100.0, 20..300)) {
            let errors = naive(&series);
            let least = errors.iter().copied().fold(f64::INFINITY, f64::min);
            let cut = mser5(&series).observations / 5;
            prop_assert!(errors[cut] <= least * (1.0 + 1e-9));
        }

        #[test]
        fn never_panics(series in prop::collection::vec(any::<f64>(), 0..100)) {
            prop_assert!(mser5(&series).observations <= series.len() / 2 + 5);
        }
    }
}
