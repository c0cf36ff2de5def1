//! Table 1 of paper 002, exactly, and appendices B and D.
//!
//! Values: `numbers`, the ouroboros numbers up to N; `vertex_probability`, that a vertex of a
//! uniform random permutation is on an ouroboros cycle; `probability`, that all cycles are
//! ouroboros; `broadcast`, the mean number of cycles that are not; `search_length`, the mean number
//! of moves of the longest search where there is one (0 where every length is ouroboros), and
//! `search_per_log2`, that over log2 N; `iterations` of SERENADE-common; `known_by_vertex` and
//! `known_by_serena`, how many numbers each holds in the end.
//!
//! And what the text says of them: `smallest_other`, the smallest number up to N that is not
//! ouroboros, and `largest_other`, the largest (0 where there is none); `pairs`, how many values m
//! and n have together in fact 2, n < m <= K, and `pairs_printed`, K (K - 1) / 2 as section 4.2 has
//! it; `numbers_per_log2_squared`, the ouroboros numbers over log2^2 N; `exact_iterations`, those
//! of E-SERENADE on average, with the broadcast, and `exact_per_log2`, that over log2 N;
//! `search_messages`, the moves of all searches of a slot together, on average, and
//! `search_messages_per_log2_squared`; `longest_search`, the most moves on a cycle of any length,
//! and `search_beyond_bound`, by how many moves it exceeds the rounded-up log2 of a cycle's length
//! at most (0 if on no cycle).

use super::Values;
use switchlab_core::schedule::serena::ouroboros::{Fates, last_iteration};
use switchlab_theory::ouroboros::Ouroboros;

pub(super) fn values(ports: usize) -> Values {
    let theory = Ouroboros::new(ports);
    // Every vertex knows after 1 + K iterations, but for the search, and one more iteration for the
    // broadcast.
    let iterations = f64::from(last_iteration(ports) + 1);
    let search = theory.mean_search_length().unwrap_or(0.0);
    let logarithm = f64::from(last_iteration(ports).max(1));
    let pairs = u64::from(last_iteration(ports));
    let fates = Fates::new(ports);
    let others: Vec<usize> = (1..=ports).filter(|&length| !fates.fate(length).is_ouroboros()).collect();
    let moves = |length: usize| u32::from(fates.fate(length).search_moves);
    // A uniform random permutation has 1/l cycles of length l on average.
    let messages: f64 = others.iter().map(|&length| f64::from(moves(length)) / length as f64).sum();
    let beyond = others.iter().map(|&length| moves(length).saturating_sub(last_iteration(length)));
    // The search, if there is one, and the broadcast.
    let exact = iterations + (1.0 - theory.probability()) * (search + 1.0);
    vec![
        ("numbers", theory.numbers().count() as f64),
        ("vertex_probability", theory.vertex_probability()),
        ("probability", theory.probability()),
        ("broadcast", theory.mean_broadcast()),
        ("search_length", search),
        ("search_per_log2", search / logarithm),
        ("iterations", iterations),
        ("known_by_vertex", theory.known_by_vertex() as f64),
        ("known_by_serena", theory.known_by_serena() as f64),
        ("smallest_other", others.first().map_or(0.0, |&length| length as f64)),
        ("largest_other", others.last().map_or(0.0, |&length| length as f64)),
        ("pairs", (pairs * (pairs + 1) / 2) as f64),
        ("pairs_printed", (pairs * pairs.saturating_sub(1) / 2) as f64),
        ("numbers_per_log2_squared", theory.numbers().count() as f64 / (logarithm * logarithm)),
        ("exact_iterations", exact),
        ("exact_per_log2", exact / logarithm),
        ("search_messages", messages),
        ("search_messages_per_log2_squared", messages / (logarithm * logarithm)),
        ("longest_search", others.iter().map(|&length| f64::from(moves(length))).fold(0.0, f64::max)),
        ("search_beyond_bound", beyond.max().map_or(0.0, f64::from)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(ports: usize, name: &str) -> f64 {
        values(ports).into_iter().find(|(own, _)| *own == name).unwrap().1
    }

    /// Fact 2 word by word: divisors of 2^n, 2^m - 2^n and 2^m + 2^n.
    fn is_ouroboros(length: u64, last: u32) -> bool {
        let divides = |number: u64| number.is_multiple_of(length);
        let pair = |m: u32, n: u32| divides((1 << m) - (1 << n)) || divides((1 << m) + (1 << n));
        (0..=last).any(|n| divides(1 << n)) || (0..=last).any(|m| (0..m).any(|n| pair(m, n)))
    }

    #[test]
    fn what_the_text_says_of_the_numbers() {
        for (ports, last) in [(2, 1), (64, 6), (100, 7), (512, 9), (1024, 10)] {
            let others: Vec<u64> = (1..=ports as u64).filter(|&length| !is_ouroboros(length, last)).collect();
            assert_eq!(of(ports, "smallest_other"), others.first().map_or(0.0, |&first| first as f64), "{ports}");
            assert_eq!(of(ports, "largest_other"), others.last().map_or(0.0, |&last| last as f64), "{ports}");
            let pairs = (0..=last).map(|m| (0..m).count()).sum::<usize>();
            assert_eq!(of(ports, "pairs"), pairs as f64);
        }
        // "When N = 64, all numbers 1 through 18 are ouroboros numbers; so are 64, 63, 62, and 60."
        assert!((1..=18).chain([60, 62, 63, 64]).all(|length| is_ouroboros(length, 6)));
        assert!(!is_ouroboros(19, 6) && !is_ouroboros(61, 6));
        assert_eq!((of(64, "smallest_other"), of(64, "largest_other")), (19.0, 61.0));
    }

    /// The mean of a search, weighted by how often there is one, is at most the sum of all
    /// searches.
    #[test]
    fn searches_and_iterations() {
        assert_eq!((of(8, "search_messages"), of(8, "exact_iterations"), of(8, "longest_search")), (0.0, 4.0, 0.0));
        for ports in [64, 256, 1024] {
            let often = 1.0 - of(ports, "probability");
            assert!(of(ports, "search_messages") >= often * of(ports, "search_length"));
            assert!(of(ports, "longest_search") >= of(ports, "search_length"));
            let expected = of(ports, "iterations") + often * (1.0 + of(ports, "search_length"));
            assert!((of(ports, "exact_iterations") - expected).abs() < 1e-9);
            assert_eq!(of(ports, "search_beyond_bound"), 0.0);
        }
    }
}
