//! What paper 003 says of its algorithms, as far as it can be computed, and what is said to those
//! whose rankings make no sense.

use crate::stable::{any_shape, rng};
use switchlab_core::stable::{
    Cycle, Matching, Pair, Preferences, PreferencesError, check_acyclic, check_rooted, check_stable, examples,
    find_roots, gale_shapley,
};
use switchlab_theory::census;
use switchlab_theory::processing_elements::{TABLE_I, iteration_steps, log2_up, round_steps, run_array, run_line};

/// The array of processing elements finds what `FIND_ROOTS` finds, in the steps that the model
/// says, ties and absent pairs included.
#[test]
fn processing_elements() {
    let mut rng = rng(6);
    for number in 0..6000 {
        let preferences = any_shape(&mut rng, number % 2 == 0);
        let (run, found) = (run_array(&preferences), find_roots(&preferences));
        assert_eq!(run.matching, found.matching, "{preferences:?}");
        assert_eq!((run.rooted, run.iterations as usize), (found.stopped.is_none(), found.iterations.len()));
        let longest = preferences.rows().max(preferences.columns()) as u64;
        assert_eq!(run.steps, run.iterations * iteration_steps(longest) + 1);
    }
    assert_eq!([0, 1, 2, 3, 4, 5, 16, 17].map(log2_up), [0, 0, 1, 2, 2, 3, 4, 5]);
}

/// Table I: the worst cases in the model grow as it says. Between n and 2n the ratio of time to
/// what is in the O changes little; the families reach the worst cases.
#[test]
fn table_1() {
    let [gs, roots] = TABLE_I;
    for line in [gs, roots] {
        for n in [16, 32, 64, 128, 512, 2048] {
            let ratio = (line.steps)(n) as f64 / (line.time.at)(n) as f64;
            assert!((0.5..2.0).contains(&ratio), "{} at {n}: {ratio}", line.algorithm);
        }
    }
    for n in [2, 3, 8, 13, 16] {
        let size = n as u64;
        assert_eq!(gale_shapley(&examples::most_rounds(n)).rounds.len() as u64 * round_steps(size), (gs.steps)(size));
        assert_eq!(run_array(&examples::most_iterations(n)).steps, (roots.steps)(size) + 1);
        assert_eq!(run_line(&examples::most_rounds(n)).steps, (gs.steps)(size));
    }
}

/// Table I: elements and space, counted in runs. Elements are as printed. Bits over what is in the
/// O fall towards a constant: 2 for the two ranks, and the rest of the registers of each design.
#[test]
fn table_1_resources() {
    let [gs, roots] = TABLE_I;
    let mut before = [f64::INFINITY; 2];
    for n in [4, 8, 16, 32, 64] {
        let size = n as u64;
        let instance = examples::most_rounds(n);
        let counted = [run_line(&instance).resources, run_array(&instance).resources];
        for (index, (line, counted)) in [gs, roots].into_iter().zip(counted).enumerate() {
            assert_eq!(counted.elements, (line.elements.at)(size), "{} at {n}", line.algorithm);
            let ratio = counted.bits as f64 / (line.space.at)(size) as f64;
            assert!(ratio > 1.9 && ratio < 13.0 && ratio < before[index], "{} at {n}: {ratio}", line.algorithm);
            before[index] = ratio;
        }
    }
    assert!(before[0] < 2.6 && before[1] < 9.5, "{before:?}");
}

/// The line of elements finds what Gale-Shapley finds, in as many rounds.
#[test]
fn a_line_of_elements() {
    let mut rng = rng(8);
    for number in 0..3000 {
        let preferences = any_shape(&mut rng, number % 2 == 0);
        let (run, found) = (run_line(&preferences), gale_shapley(&preferences));
        assert_eq!((run.matching, run.rounds as usize), (found.matching, found.rounds.len()), "{preferences:?}");
        assert_eq!(run.steps, run.rounds * round_steps(preferences.rows() as u64));
    }
}

/// Section II-D: 5 rounds against 3 iterations, and 6 against 3.
#[test]
fn the_two_comparisons() {
    let pairs = |pairs: &[(usize, usize)]| -> Vec<Pair> {
        pairs.iter().map(|&(row, column)| Pair { row: row - 1, column: column - 1 }).collect()
    };
    let first = examples::example_1();
    assert_eq!(find_roots(&first).iterations, [pairs(&[(1, 3), (3, 1)]), pairs(&[(4, 2)]), pairs(&[(2, 4)])]);
    assert_eq!(gale_shapley(&first).rounds.len(), 5);
    // The paper's own cycle, as printed.
    let printed = Cycle { pairs: pairs(&[(1, 1), (4, 1), (4, 2), (3, 2), (2, 2), (2, 3), (2, 4), (1, 4)]) };
    assert!(printed.is_in(&first) && check_acyclic(&first).is_err() && check_rooted(&first).is_ok());
    let second = examples::figure_2();
    assert_eq!(find_roots(&second).iterations, [pairs(&[(1, 1), (3, 3)]), pairs(&[(2, 4)]), pairs(&[(4, 2)])]);
    assert_eq!(gale_shapley(&second).rounds.len(), 6);
    assert_eq!(check_acyclic(&second), Ok(()));
}

#[test]
fn censuses() {
    let all = census::of_all(3).unwrap();
    assert_eq!((all.instances, all.rooted, all.acyclic), (46_656, 30_840, 19_164));
    assert_eq!((all.most_rounds, all.most_rounds_of_all, all.most_iterations), (4, 5, 3));
    assert_eq!(census::of_all(4), None);
    assert_eq!(census::of_all(0), None);
    // The share of rooted instances of 3, estimated: within four standard deviations of the exact
    // one, a false alarm in 16,000 seeds.
    let sample = census::of_random(3, 10_000, &mut rng(7));
    let (share, exact) = (sample.rooted as f64 / 10_000.0, 30_840.0 / 46_656.0);
    assert!((share - exact).abs() < 4.0 * (exact * (1.0 - exact) / 10_000.0_f64).sqrt(), "{share} {exact}");
}

/// How often random instances are rooted or acyclic. `--nocapture` shows the table that papers/003
/// has.
#[test]
fn random_instances_are_less_and_less_rooted() {
    let mut before = (1.0, 1.0);
    println!("  n  rooted  acyclic  mean iterations  mean rounds  most iterations  most rounds, of rooted ones");
    for n in 2..=8 {
        let count = 40_000;
        let census = census::of_random(n, count, &mut rng(10 + n));
        let share = |part: u64| part as f64 / count as f64;
        let mean = |sum: u64| sum as f64 / census.rooted as f64;
        let shares = (share(census.rooted), share(census.acyclic));
        println!(
            "{n:>3}  {:>6.4}  {:>7.4}  {:>15.2}  {:>11.2}  {:>15}  {:>11}",
            shares.0,
            shares.1,
            mean(census.iterations),
            mean(census.rounds),
            census.most_iterations,
            census.most_rounds
        );
        // Rooted ones are halved, more or less, with each step, ten standard deviations and more;
        // acyclic ones are soon too rare to be drawn at all.
        let fewer = shares.1 < before.1 || (shares.1 == 0.0 && n > 5);
        assert!(shares.0 < 0.95 * before.0 && fewer && shares.1 <= shares.0, "{n}: {census:?}");
        assert!(census.most_iterations as usize <= n && census.most_rounds as usize <= 1 + n * (n - 1) / 2);
        before = shares;
    }
    assert!(before.0 < 0.1, "{before:?}");
}

#[test]
fn mistakes_are_named() {
    let say = |result: Result<Preferences, PreferencesError>| result.unwrap_err().to_string();
    assert!(say(Preferences::from_ranks(0, 3, &[], &[])).contains("0 rows"));
    assert!(say(Preferences::from_ranks(1, 5000, &[1; 5000], &[1; 5000])).contains("5000 columns"));
    assert!(say(Preferences::from_ranks(2, 2, &[1; 4], &[1; 3])).contains("3 entries, not 2 x 2"));
    assert!(say(Preferences::from_lists(&[vec![0, 1]], &[vec![0]])).contains("row 0 ranks column 1"));
    assert!(say(Preferences::from_lists(&[vec![0]], &[vec![0, 0]])).contains("column 0 ranks row 0 twice"));
    // Lists with ties; ranks over mutually present pairs: row 0 ranks column 2, which does not rank
    // it.
    let lists = Preferences::from_tied_lists(
        &[vec![vec![2], vec![0, 1]], vec![vec![0]]],
        &[vec![vec![0, 1]], vec![vec![0]], vec![vec![1]]],
    );
    let lists = lists.unwrap();
    assert_eq!(lists.row_ranks(), [1, 1, 0, 1, 0, 0]);
    assert_eq!(lists.column_ranks(), [1, 1, 0, 1, 0, 0]);
    assert!(lists.has_ties() && !lists.is_complete());
    assert_eq!(Preferences::from_ranks(1, 4, &[9, 9, 300, 4], &[1; 4]).unwrap().row_ranks(), [2, 2, 4, 1]);
    // A matched pair that is absent, and a pair that blocks.
    let matching = |row, column| Matching::from_pairs(2, 3, [Pair { row, column }]).unwrap();
    assert_eq!(check_stable(&lists, &matching(1, 2)), Err(Pair { row: 1, column: 2 }));
    assert_eq!(check_stable(&lists, &Matching::new(2, 3)), Err(Pair { row: 0, column: 0 }));
    assert_eq!(Matching::from_pairs(2, 2, [Pair { row: 0, column: 1 }, Pair { row: 1, column: 1 }]), None);
    assert_eq!(Matching::from_pairs(2, 2, [Pair { row: 2, column: 1 }]), None);
}
