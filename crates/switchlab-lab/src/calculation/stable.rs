//! Paper 003: `FIND_ROOTS` against Gale-Shapley, on the paper's examples, on the families that are
//! worst for either, and on random instances.
//!
//! Values of `stable-examples`: iterations of `FIND_ROOTS` and rounds of Gale-Shapley on example 1
//! and on an instance like figure 2 (4 rows whatever the ports); `most_rounds` and
//! `most_iterations`, the worst cases of either on rooted instances;
//! `rounds_where_iterations_are_most`; `most_steps`, those of an array of processing elements in
//! the worst case of `FIND_ROOTS`, the last step included, which finds nothing; `most_line_steps`,
//! those of Gale-Shapley on a line of elements in its worst case, and `step_speedup`, their ratio.
//!
//! Values of `stable-resources`, on the family that is worst for Gale-Shapley: `elements` and
//! `bits` of `FIND_ROOTS` on an array of processing elements, `line_elements` and `line_bits` of
//! Gale-Shapley on a line of them. Registers are as wide as the largest number that they held in
//! the run.
//!
//! Values of `stable-instances`, over random complete instances: shares and numbers of `rooted` and
//! `acyclic` ones; `mean_iterations` and `mean_rounds` over the rooted ones.

use super::Values;
use switchlab_core::Seed;
use switchlab_core::rng::Purpose;
use switchlab_core::stable::{Preferences, examples, find_roots, gale_shapley};
use switchlab_theory::census;
use switchlab_theory::processing_elements::{run_array, run_line};

/// The paper's examples have 4 rows; the families have as many as there are ports.
pub(super) fn examples(ports: usize) -> Values {
    let iterations = |preferences: &Preferences| find_roots(preferences).iterations.len() as f64;
    let rounds = |preferences: &Preferences| gale_shapley(preferences).rounds.len() as f64;
    let (example, figure) = (examples::example_1(), examples::figure_2());
    let (slow_roots, slow_rounds) = (examples::most_iterations(ports), examples::most_rounds(ports));
    let (steps, line_steps) = (run_array(&slow_roots).steps as f64, run_line(&slow_rounds).steps as f64);
    vec![
        ("example_1_iterations", iterations(&example)),
        ("example_1_rounds", rounds(&example)),
        ("figure_2_iterations", iterations(&figure)),
        ("figure_2_rounds", rounds(&figure)),
        ("most_rounds", rounds(&slow_rounds)),
        ("most_rounds_over_n_squared", rounds(&slow_rounds) / (ports * ports) as f64),
        ("most_iterations", iterations(&slow_roots)),
        ("most_iterations_over_n", iterations(&slow_roots) / ports as f64),
        ("rounds_where_iterations_are_most", rounds(&slow_roots)),
        ("most_steps", steps),
        ("most_line_steps", line_steps),
        ("step_speedup", line_steps / steps),
    ]
}

/// Table I by counting.
pub(super) fn resources(ports: usize) -> Values {
    let instance = examples::most_rounds(ports);
    let (array, line) = (run_array(&instance).resources, run_line(&instance).resources);
    vec![
        ("elements", array.elements as f64),
        ("bits", array.bits as f64),
        ("line_elements", line.elements as f64),
        ("line_bits", line.bits as f64),
    ]
}

/// Random complete instances of `ports` rows and columns; all of them up to 3.
pub(super) fn instances(ports: usize, count: u64, seed: Seed) -> Values {
    let census = census::of_all(ports)
        .unwrap_or_else(|| census::of_random(ports, count, &mut seed.stream(Purpose::Pattern, ports)));
    let share = |part: u64, whole: u64| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
    vec![
        ("rooted", share(census.rooted, census.instances)),
        ("acyclic", share(census.acyclic, census.instances)),
        ("rooted_instances", census.rooted as f64),
        ("acyclic_instances", census.acyclic as f64),
        ("mean_iterations", share(census.iterations, census.rooted)),
        ("mean_rounds", share(census.rounds, census.rooted)),
    ]
}
