//! Jain's index of fairness.
//!
//! Reference: R. Jain, D. Chiu, W. Hawe, "A quantitative measure of fairness and discrimination for
//! resource allocation in shared computer systems", DEC Research Report TR-301, 1984.

use switchlab_core::meter::Flows;

/// How evenly a switch serves its flows: Jain's index over the share of each flow's cells that have
/// left.
///
/// 1 when every flow gets the same share, k/n when k of n flows share everything. `None` when
/// nothing arrived. The share and not the number of cells, because a flow that sends little is not
/// treated unfairly by getting little.
pub fn fairness(flows: &Flows) -> Option<f64> {
    let shares: Vec<f64> = flows.served().map(|(arrived, departed)| f64::from(departed) / f64::from(arrived)).collect();
    jain(&shares)
}

/// Jain's index, (sum x)^2 / (n sum x^2). `None` without values, or if one is negative or not a
/// finite number.
///
/// Values that are all 0 give 1: all shares are equal.
pub fn jain(values: &[f64]) -> Option<f64> {
    let largest = values.iter().copied().fold(0.0, f64::max);
    if values.is_empty() || !values.iter().all(|value| value.is_finite() && *value >= 0.0) {
        return None;
    }
    if largest == 0.0 {
        return Some(1.0);
    }
    // The index does not change with the unit, and in units of the largest value nothing overflows.
    let (sum, squares) = values.iter().fold((0.0, 0.0), |(sum, squares), value| {
        let value = value / largest;
        (sum + value, squares + value * value)
    });
    Some((sum * sum / (values.len() as f64 * squares)).min(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Setup;
    use proptest::prelude::*;

    #[test]
    fn known_values() {
        assert_eq!(jain(&[]), None);
        assert_eq!(jain(&[0.0, 0.0]), Some(1.0));
        assert_eq!(jain(&[3.0]), Some(1.0));
        assert_eq!(jain(&[1.0, 0.0, 0.0, 0.0]), Some(0.25));
        assert_eq!(jain(&[1.0, 2.0, 3.0]), Some(36.0 / 42.0));
        assert_eq!(jain(&[f64::MAX, f64::MAX]), Some(1.0));
        assert_eq!(jain(&[1.0, f64::NAN]), None);
        assert_eq!(jain(&[1.0, -1.0]), None);
        assert_eq!(jain(&[f64::INFINITY]), None);
    }

    #[test]
    fn a_stable_switch_is_fair_to_its_flows() {
        let mut run = Setup { load: 0.5, ..Setup::uniform("oq", 4, 2000) }.run(1, 0);
        assert!(fairness(run.flows()).unwrap() > 0.999);
        let mut silent = Setup { load: 0.0, ..Setup::uniform("oq", 4, 200) }.run(1, 0);
        assert_eq!(fairness(silent.flows()), None);
    }

    proptest! {
        #[test]
        fn agrees_with_the_definition(values in prop::collection::vec(0.01..10.0, 1..40)) {
            let sum: f64 = values.iter().sum();
            let squares: f64 = values.iter().map(|value| value * value).sum();
            let index = jain(&values).unwrap();
            prop_assert!((index - sum * sum / (values.len() as f64 * squares)).abs() < 1e-12);
            prop_assert!(index <= 1.0 && index >= 1.0 / values.len() as f64 - 1e-12);
        }

        #[test]
        fn never_panics(values in prop::collection::vec(any::<f64>(), 0..20)) {
            prop_assert!(jain(&values).is_none_or(|index| (0.0..=1.0).contains(&index)));
        }
    }
}
