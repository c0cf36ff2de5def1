//! Equation 2 of paper 001: the throughput of captured frames with random choices, from the mean
//! number of inputs on service and the probability of an arrival.

use switchlab_core::Counter;

/// T = E(m)/N + (N - E(m))/N (1 - (1 - p/(N - E(m)))^(N - E(m))).
///
/// As printed. With less than one port left to contend, p/(N - E(m)) may exceed 1, and the bracket
/// is taken as 1.
fn throughput(ports: f64, on_service: f64, arrivals: f64) -> f64 {
    let left = ports - on_service;
    if left <= 0.0 {
        return 1.0;
    }
    let missed = libm::pow((1.0 - arrivals / left).max(0.0), left);
    on_service / ports + left / ports * (1.0 - missed)
}

/// Adds `equation_2` to the counters of a run, if they have E(m). The ports, slots and arrivals are
/// those of the run.
pub(super) fn with_equation(mut counters: Vec<Counter>, (ports, slots, arrived): (usize, u64, u64)) -> Vec<Counter> {
    const DIGITS: f64 = 1e9;
    let on_service = counters.iter().find(|counter| counter.name == "on_service_inputs" && counter.per > 0);
    if let Some(on_service) = on_service.filter(|_| ports > 0 && slots > 0) {
        let mean = on_service.sum as f64 / on_service.per as f64;
        let arrivals = arrived as f64 / (ports as f64 * slots as f64);
        let value = throughput(ports as f64, mean, arrivals);
        counters.push(Counter { name: "equation_2", sum: (value * DIGITS).round() as u64, per: DIGITS as u64 });
    }
    counters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equation_2_by_hand() {
        // Without frames it is equation 1.
        assert!((throughput(32.0, 0.0, 1.0) - 0.637_944_7).abs() < 1e-6);
        assert!((throughput(32.0, 0.0, 0.5) - 0.396_4).abs() < 1e-3);
        // Half of the inputs on service: 1/2 + 1/2 (1 - (1 - 1/16)^16).
        assert!((throughput(32.0, 16.0, 1.0) - 0.821_96).abs() < 1e-4);
        assert!((throughput(32.0, 32.0, 1.0) - 1.0).abs() < 1e-12);
        // Half a port left: its bracket is 1.
        assert!((throughput(32.0, 31.5, 1.0) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn it_is_added_where_there_is_a_mean() {
        let on_service = Counter { name: "on_service_inputs", sum: 160, per: 10 };
        let with = with_equation(vec![on_service], (32, 10, 320));
        assert_eq!(with.last().map(|counter| counter.name), Some("equation_2"));
        let other = Counter { name: "iterations", sum: 1, per: 1 };
        assert_eq!(with_equation(vec![other], (32, 10, 320)).len(), 1);
        assert_eq!(with_equation(vec![Counter { per: 0, ..on_service }], (32, 0, 0)).len(), 1);
    }
}
