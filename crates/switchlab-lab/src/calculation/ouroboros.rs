//! Table 1 of paper 002, exactly, and appendices B and D.
//!
//! Values: `numbers`, the ouroboros numbers up to N; `vertex_probability`, that a vertex of a
//! uniform random permutation is on an ouroboros cycle; `probability`, that all cycles are
//! ouroboros; `broadcast`, the mean number of cycles that are not; `search_length`, the mean number
//! of moves of the longest search where there is one (0 where every length is ouroboros), and
//! `search_per_log2`, that over log2 N; `iterations` of SERENADE-common; `known_by_vertex` and
//! `known_by_serena`, how many numbers each holds in the end.

use super::Values;
use switchlab_core::schedule::serena::ouroboros::last_iteration;
use switchlab_theory::ouroboros::Ouroboros;

pub(super) fn values(ports: usize) -> Values {
    let theory = Ouroboros::new(ports);
    // Every vertex knows after 1 + K iterations, but for the search, and one more iteration for the
    // broadcast.
    let iterations = f64::from(last_iteration(ports) + 1);
    let search = theory.mean_search_length().unwrap_or(0.0);
    vec![
        ("numbers", theory.numbers().count() as f64),
        ("vertex_probability", theory.vertex_probability()),
        ("probability", theory.probability()),
        ("broadcast", theory.mean_broadcast()),
        ("search_length", search),
        ("search_per_log2", search / f64::from(last_iteration(ports).max(1))),
        ("iterations", iterations),
        ("known_by_vertex", theory.known_by_vertex() as f64),
        ("known_by_serena", theory.known_by_serena() as f64),
    ]
}
