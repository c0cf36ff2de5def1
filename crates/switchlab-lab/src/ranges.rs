//! Ranges of numbers, as experiment files and the command line write them.

/// More values than this in one list are taken for a typing error, such as a step of 1e-9.
pub const MOST_VALUES: usize = 10_000;

/// How a range goes on from one value to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// This is added.
    Add(f64),
    /// It is multiplied by this.
    Times(f64),
}

/// The values from the first to the last one, or why there are none. Each value is computed from
/// the first, not from the one before, and rounded to 12 digits, so that the third from 0.1 in
/// steps of 0.1 is 0.3 and not 0.30000000000000004.
pub fn values(from: f64, to: f64, step: Step) -> Result<Vec<f64>, String> {
    match step {
        Step::Add(step) if step > 0.0 => {}
        Step::Times(times) if times > 1.0 && from > 0.0 => {}
        Step::Add(_) => return Err("step must be above 0".to_string()),
        Step::Times(_) => return Err("times must be above 1, and from above 0".to_string()),
    }
    let value = |k: usize| match step {
        Step::Add(step) => from + k as f64 * step,
        Step::Times(times) => from * libm::pow(times, k as f64),
    };
    // A tolerance of half a millionth of a step, so that 0.1 to 0.7 in steps of 0.1 reaches 0.7.
    let slack = 5e-7
        * match step {
            Step::Add(step) => step,
            Step::Times(_) => to.abs(),
        };
    let mut values = Vec::new();
    while value(values.len()) <= to + slack {
        if values.len() == MOST_VALUES {
            return Err(format!("this range has more than {MOST_VALUES} values"));
        }
        values.push(rounded(value(values.len())));
    }
    if values.is_empty() { Err("this range is empty: from is above to".to_string()) } else { Ok(values) }
}

/// To 12 significant digits.
fn rounded(value: f64) -> f64 {
    format!("{value:.11e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_short_decimals_and_reach_the_end() {
        let loads = values(0.1, 0.95, Step::Add(0.05)).unwrap();
        assert_eq!((loads.len(), loads[4], loads[17]), (18, 0.3, 0.95));
        assert!(loads.iter().all(|load| load.to_string().len() <= 4), "{loads:?}");
        assert_eq!(values(2.0, 16.0, Step::Times(2.0)).unwrap(), [2.0, 4.0, 8.0, 16.0]);
        assert_eq!(values(0.5, 0.5, Step::Add(0.1)).unwrap(), [0.5]);
    }

    #[test]
    fn what_is_no_range_says_why() {
        let why = |from, to, step| values(from, to, step).unwrap_err();
        assert!(why(0.5, 0.1, Step::Add(0.1)).contains("empty"));
        assert!(why(0.1, 0.5, Step::Add(0.0)).contains("above 0"));
        assert!(why(0.1, 0.5, Step::Add(f64::NAN)).contains("above 0"));
        assert!(why(0.0, 8.0, Step::Times(2.0)).contains("from above 0"));
        assert!(why(0.0, 1.0, Step::Add(1e-9)).contains("more than 10000 values"));
        assert!(why(f64::NAN, 1.0, Step::Add(0.1)).contains("empty"));
    }
}
