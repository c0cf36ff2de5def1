//! A mean and its 95 % interval, from independent values.

use super::student;

/// A mean, and how far it may be from the truth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean; not a number if there was nothing to average.
    pub mean: f64,
    /// Half the width of the 95 % interval around the mean; `None` if the values do not determine
    /// it.
    pub half_width: Option<f64>,
    /// How many values the half width rests on: replications, or batches.
    pub count: usize,
}

impl Estimate {
    /// The mean of independent values and its Student-t interval. One value alone has no interval.
    ///
    /// ```
    /// use switchlab_statistics::Estimate;
    ///
    /// let estimate = Estimate::of(&[1.0, 2.0, 3.0]);
    /// assert_eq!(estimate.mean, 2.0);
    /// assert!((estimate.half_width.unwrap() - 2.4841).abs() < 1e-4); // 4.3027 / sqrt(3)
    /// ```
    pub fn of(values: &[f64]) -> Self {
        let (mean, variance) = mean_and_variance(values);
        Self::known(mean, variance.map(|variance| (variance / values.len() as f64).sqrt()), values.len(), values.len())
    }

    /// The mean of independent values and its interval at another confidence than 95 %, such as
    /// 0.99.
    pub fn at(values: &[f64], confidence: f64) -> Self {
        let (mean, variance) = mean_and_variance(values);
        let quantile = quantile_of_t(values.len().saturating_sub(1), confidence);
        let half_width = variance.map(|variance| (variance / values.len() as f64).sqrt() * quantile);
        Self { mean, half_width: half_width.filter(|width| width.is_finite()), count: values.len() }
    }

    /// The same estimate with its half width stretched to another confidence.
    #[must_use]
    pub fn stretched(self, confidence: f64) -> Self {
        let freedom = self.count.saturating_sub(1);
        let factor = quantile_of_t(freedom, confidence) / student_t(freedom);
        Self { half_width: self.half_width.map(|width| width * factor).filter(|width| width.is_finite()), ..self }
    }

    /// The mean of the differences `a - b`, pair by pair; what has no partner is left out.
    ///
    /// Two switches on the same arrivals are correlated, mostly so that the difference is known far
    /// better than either mean. Combining the two separate intervals was rejected: it assumes a
    /// covariance of zero.
    pub fn paired(a: &[f64], b: &[f64]) -> Self {
        let differences: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
        Self::of(&differences)
    }

    /// The half width as a share of the mean; `None` without half width, or around a mean of 0.
    pub fn relative(&self) -> Option<f64> {
        let relative = self.half_width? / self.mean.abs();
        relative.is_finite().then_some(relative)
    }

    /// Whether the half width is at most this share of the mean. An interval without width always
    /// is, also around 0: when every value is the same, more of them change nothing.
    pub fn is_known_to(&self, share: f64) -> bool {
        self.half_width == Some(0.0) || self.relative().is_some_and(|relative| relative <= share)
    }

    /// The lower end of the interval.
    pub fn low(&self) -> Option<f64> {
        Some(self.mean - self.half_width?)
    }

    /// The upper end of the interval.
    pub fn high(&self) -> Option<f64> {
        Some(self.mean + self.half_width?)
    }

    /// From a standard error that rests on `values` values, whose half width is to be shown as
    /// resting on `count`.
    pub(crate) fn known(mean: f64, standard_error: Option<f64>, values: usize, count: usize) -> Self {
        let half_width = standard_error.map(|error| error * student_t(values.saturating_sub(1)));
        // Infinite or undefined widths, as from infinite values, are left out.
        Self { mean, half_width: half_width.filter(|width| width.is_finite()), count }
    }
}

/// The mean, and the unbiased variance if there are at least two values.
///
/// Two passes, the second corrected for the rounding of the first (Chan, Golub, `LeVeque` 1983).
/// The textbook's sum of squares less square of the sum was rejected: it loses all digits when the
/// mean is large against the deviation.
pub fn mean_and_variance(values: &[f64]) -> (f64, Option<f64>) {
    let count = values.len() as f64;
    let first = values.iter().sum::<f64>() / count;
    let (mut linear, mut square) = (0.0, 0.0);
    for value in values {
        linear += value - first;
        square += (value - first) * (value - first);
    }
    let variance = (square - linear * linear / count) / (count - 1.0);
    // Rounding may leave a difference just below 0. `max` would do, but it turns what is not a
    // number into 0.
    let variance = if variance < 0.0 { 0.0 } else { variance };
    (first + linear / count, (values.len() > 1).then_some(variance))
}

/// What a standard error is multiplied by for an interval of this confidence; not a number for 0
/// degrees of freedom.
pub fn quantile_of_t(freedom: usize, confidence: f64) -> f64 {
    student::quantile(freedom, confidence)
}

/// What a standard error is multiplied by for a 95 % interval; not a number for 0 degrees of
/// freedom.
pub(crate) fn student_t(freedom: usize) -> f64 {
    quantile_of_t(freedom, 0.95)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Noise;
    use proptest::prelude::*;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        let table = [
            (1, 12.706_205),
            (2, 4.302_653),
            (4, 2.776_445),
            (9, 2.262_157),
            (19, 2.093_024),
            (30, 2.042_272),
            (99, 1.984_217),
            (999, 1.962_341),
            (1000, 1.962_339),
            (100_000, 1.959_988),
            (1_000_000, 1.959_966),
        ];
        for (freedom, quantile) in table {
            let found = student_t(freedom);
            assert!((found - quantile).abs() < 1e-6, "{freedom}: {found} is not {quantile}");
        }
        assert!(student_t(0).is_nan());
    }

    #[test]
    fn other_confidences_are_those_of_the_tables() {
        let table = [(1, 0.99, 63.656_741), (9, 0.99, 3.249_836), (9, 0.999, 4.780_913), (29, 0.98, 2.462_021)];
        for (freedom, confidence, quantile) in table {
            let found = quantile_of_t(freedom, confidence);
            assert!((found - quantile).abs() < 1e-6, "{freedom}: {found} is not {quantile}");
        }
        let values = [1.0, 2.0, 4.0, 8.0];
        assert_eq!(Estimate::at(&values, 0.95), Estimate::of(&values));
        let (direct, stretched) = (Estimate::at(&values, 0.99), Estimate::of(&values).stretched(0.99));
        assert!((direct.half_width.unwrap() - stretched.half_width.unwrap()).abs() < 1e-9);
        assert_eq!(Estimate::at(&[1.0], 0.99).half_width, None);
    }

    #[test]
    fn few_values_have_no_width() {
        assert!(Estimate::of(&[]).mean.is_nan());
        assert_eq!(Estimate::of(&[]).half_width, None);
        assert_eq!(Estimate::of(&[7.0]), Estimate { mean: 7.0, half_width: None, count: 1 });
        assert_eq!(Estimate::of(&[7.0, 7.0]), Estimate { mean: 7.0, half_width: Some(0.0), count: 2 });
        assert_eq!(Estimate::of(&[f64::NAN, 1.0]).half_width, None);
        assert_eq!(Estimate::of(&[f64::MAX, -f64::MAX]).half_width, None);
        assert_eq!(Estimate::of(&[1.0, -1.0]).relative(), None);
    }

    #[test]
    fn a_large_mean_does_not_hide_the_deviation() {
        let estimate = Estimate::of(&[1e9 + 4.0, 1e9 + 7.0, 1e9 + 13.0, 1e9 + 16.0]);
        assert_eq!(estimate.mean, 1e9 + 10.0);
        let expected = student_t(3) * (30.0_f64 / 4.0).sqrt();
        assert!((estimate.half_width.unwrap() - expected).abs() < 1e-12);
    }

    #[test]
    fn pairing_cancels_what_is_common() {
        let mut noise = Noise::new(3);
        let common: Vec<f64> = (0..10).map(|_| 100.0 * noise.normal()).collect();
        let a: Vec<f64> = common.iter().map(|c| c + 2.0 + 0.1 * noise.normal()).collect();
        let b: Vec<f64> = common.iter().map(|c| c + 0.1 * noise.normal()).collect();
        let difference = Estimate::paired(&a, &b);
        assert!((difference.mean - 2.0).abs() < 0.2 && difference.half_width.unwrap() < 0.2, "{difference:?}");
        assert_eq!(Estimate::paired(&a[..4], &b).count, 4);
    }

    /// 2000 samples of 10 normal values: the number that covers is binomial with mean 1900 and
    /// deviation 9.7, so the bounds of 93.5 % and 96.5 % are three deviations away: a false alarm
    /// in 500, were the seed not fixed.
    #[test]
    fn covers_the_truth_as_often_as_it_says() {
        let mut noise = Noise::new(1);
        let covered = (0..2000).filter(|_| {
            let values: Vec<f64> = (0..10).map(|_| 5.0 + noise.normal()).collect();
            let estimate = Estimate::of(&values);
            (estimate.mean - 5.0).abs() <= estimate.half_width.unwrap()
        });
        let covered = covered.count();
        assert!((1870..=1930).contains(&covered), "{covered}");
    }

    proptest! {
        #[test]
        fn agrees_with_the_definition(values in prop::collection::vec(-1e3..1e3, 2..50)) {
            let count = values.len() as f64;
            let mean = values.iter().sum::<f64>() / count;
            let variance = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / (count - 1.0);
            let estimate = Estimate::of(&values);
            let expected = student_t(values.len() - 1) * (variance / count).sqrt();
            prop_assert!((estimate.mean - mean).abs() < 1e-9);
            prop_assert!((estimate.half_width.unwrap() - expected).abs() < 1e-9);
            prop_assert_eq!(estimate.count, values.len());
        }

        #[test]
        fn never_panics(a in prop::collection::vec(any::<f64>(), 0..20), b in prop::collection::vec(any::<f64>(), 0..20)) {
            for estimate in [Estimate::of(&a), Estimate::paired(&a, &b)] {
                prop_assert!(estimate.half_width.is_none_or(|width| width >= 0.0));
                prop_assert!(estimate.relative().is_none_or(|relative| relative >= 0.0));
            }
        }
    }
}
