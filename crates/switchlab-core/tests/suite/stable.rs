//! Stable matchings against naive twins: every instance of three rows and columns, and many random
//! ones, also rectangular, incomplete and tied.

use crate::naive::Lengths;
use crate::states::matched;
use switchlab_core::rng::{Purpose, Rng};
use switchlab_core::schedule::{Scheduler, gs_lqf::GsLqf};
use switchlab_core::stable::find_roots::left;
use switchlab_core::stable::graph::has_edge;
use switchlab_core::stable::stability::{check_dominating, dominating_sets};
use switchlab_core::stable::{
    CycleFinder, Matching, Pair, Preferences, Workspace, check_acyclic, check_rooted, check_stable, examples,
    find_roots, find_roots_then_gale_shapley, gale_shapley, one_root,
};
use switchlab_core::{NONE, Seed};

/// The root set in the words of section II-B: the vertices without any incoming edge, then those of
/// the reduced subgraph. Strict rankings only. The roots of each iteration, and whether the graph
/// was emptied.
fn naive_roots(preferences: &Preferences) -> (Vec<Vec<Pair>>, bool) {
    let mut graph: Vec<Pair> = preferences.pairs().collect();
    let mut iterations = Vec::new();
    loop {
        let is_root = |to: &Pair| !graph.iter().any(|&from| has_edge(preferences, from, *to));
        let roots: Vec<Pair> = graph.iter().copied().filter(is_root).collect();
        if roots.is_empty() {
            return (iterations, graph.is_empty());
        }
        graph.retain(|pair| roots.iter().all(|root| root.row != pair.row && root.column != pair.column));
        iterations.push(roots);
    }
}

/// Whether vertices without incoming edges can be removed until none is left.
fn naive_acyclic(preferences: &Preferences) -> bool {
    let mut graph: Vec<Pair> = preferences.pairs().collect();
    loop {
        let before = graph.len();
        let rest = graph.clone();
        graph.retain(|&to| rest.iter().any(|&from| has_edge(preferences, from, to)));
        if graph.len() == before {
            return graph.is_empty();
        }
    }
}

/// One free man at a time, the last that became free first: the matching does not depend on the
/// order.
fn naive_gale_shapley(preferences: &Preferences) -> Vec<Option<usize>> {
    let (rows, columns) = (preferences.rows(), preferences.columns());
    let rank = |row, column| preferences.ranks(Pair { row, column });
    let lists: Vec<Vec<usize>> = (0..rows)
        .map(|row| {
            let mut list: Vec<usize> = (0..columns).filter(|&column| rank(row, column).is_some()).collect();
            list.sort_by_key(|&column| rank(row, column).unwrap().0);
            list
        })
        .collect();
    let (mut asked, mut husband) = (vec![0; rows], vec![None; columns]);
    let mut free: Vec<usize> = (0..rows).collect();
    while let Some(row) = free.pop() {
        let Some(&column) = lists[row].get(asked[row]) else { continue };
        asked[row] += 1;
        let liked = |row| (rank(row, column).unwrap().1, row);
        match husband[column] {
            Some(other) if liked(other) < liked(row) => free.push(row),
            other => {
                free.extend(other);
                husband[column] = Some(row);
            }
        }
    }
    (0..rows).map(|row| husband.iter().position(|&h| h == Some(row))).collect()
}

fn by_row(matching: &Matching, rows: usize) -> Vec<Option<usize>> {
    (0..rows).map(|row| matching.column(row)).collect()
}

/// What the tests of an instance tell the counts.
#[derive(Default, PartialEq, Debug)]
struct Kinds {
    rooted: u32,
    acyclic: u32,
    rounds: usize,
    rooted_rounds: usize,
    iterations: usize,
}

/// Everything that must hold of a strict instance, the naive words on the graph included.
fn strict(preferences: &Preferences, kinds: &mut Kinds) {
    let found = find_roots(preferences);
    assert_eq!((found.iterations, found.stopped.is_none()), naive_roots(preferences), "{preferences:?}");
    assert_eq!(check_acyclic(preferences).is_ok(), naive_acyclic(preferences), "{preferences:?}");
    consistent(preferences, kinds);
}

/// Everything that must hold of a strict instance and is quickly asked.
fn consistent(preferences: &Preferences, kinds: &mut Kinds) {
    let rows = preferences.rows();
    let found = find_roots(preferences);
    let proposed = gale_shapley(preferences);
    let rooted = found.stopped.is_none();
    assert_eq!(by_row(&proposed.matching, rows), naive_gale_shapley(preferences), "{preferences:?}");
    assert_eq!(check_stable(preferences, &proposed.matching), Ok(()), "{preferences:?}");
    assert_eq!(check_dominating(preferences, &proposed.matching), Ok(()), "{preferences:?}");

    let one = one_root(preferences);
    assert_eq!((&one.matching, one.rooted), (&found.matching, rooted), "{preferences:?}");
    let roots: usize = found.iterations.iter().map(Vec::len).sum();
    assert_eq!(one.roots.len(), roots, "one root per iteration");
    assert!(found.matching.pairs().all(|pair| proposed.matching.has(pair)), "roots are in every stable matching");
    let (_, finished) = find_roots_then_gale_shapley(preferences);
    assert_eq!(finished.is_none(), rooted);
    let whole = finished.as_ref().map_or(&found.matching, |finished| &finished.matching);
    assert_eq!(whole, &proposed.matching, "{preferences:?}");

    let acyclic = check_acyclic(preferences);
    if let Err(cycle) = &acyclic {
        assert!(cycle.is_in(preferences), "{preferences:?}: {cycle}");
    }
    match check_rooted(preferences) {
        Ok(()) => assert!(rooted),
        Err(cycle) => {
            assert!(!rooted && cycle.is_in(preferences), "{preferences:?}: {cycle}");
            let stopped = found.stopped.expect("it stopped");
            assert_eq!(stopped.cycle, cycle);
            assert!(cycle.pairs.iter().all(|pair| stopped.left.contains(pair)));
        }
    }
    assert!(rooted || acyclic.is_err(), "fact 3: acyclic is rooted; {preferences:?}");
    kinds.rooted += u32::from(rooted);
    kinds.acyclic += u32::from(acyclic.is_ok());
    kinds.rounds = kinds.rounds.max(proposed.rounds.len());
    kinds.iterations = kinds.iterations.max(found.iterations.len());
    if rooted {
        kinds.rooted_rounds = kinds.rooted_rounds.max(proposed.rounds.len());
    }
}

/// All permutations of `1..=n`, as ranks.
fn permutations(n: u16) -> Vec<Vec<u16>> {
    if n == 0 {
        return vec![Vec::new()];
    }
    let shorter = permutations(n - 1);
    let inserted = |place: usize| {
        shorter.iter().map(move |rest| [&rest[..place], &[n], &rest[place..]].concat()).collect::<Vec<_>>()
    };
    (0..usize::from(n)).flat_map(inserted).collect()
}

/// Every complete strict instance of n rows and columns.
fn every(n: usize, mut visit: impl FnMut(&Preferences)) -> u32 {
    let lists = permutations(n as u16);
    let total = lists.len().pow(2 * n as u32);
    for number in 0..total {
        let digit = |line: usize| &lists[number / lists.len().pow(line as u32) % lists.len()];
        let row_ranks: Vec<u16> = (0..n).flat_map(|row| digit(row).clone()).collect();
        let column_ranks: Vec<u16> = (0..n * n).map(|place| digit(n + place % n)[place / n]).collect();
        visit(&Preferences::from_ranks(n, n, &row_ranks, &column_ranks).unwrap());
    }
    total as u32
}

#[test]
fn every_instance_of_two_and_three() {
    let mut kinds = Kinds::default();
    assert_eq!(every(2, |preferences| strict(preferences, &mut kinds)), 16);
    assert_eq!(kinds, Kinds { rooted: 14, acyclic: 14, rounds: 2, rooted_rounds: 2, iterations: 2 });
    let mut kinds = Kinds::default();
    assert_eq!(every(3, |preferences| strict(preferences, &mut kinds)), 46_656);
    // n^2 - 2n + 2 rounds at most, 1 + n(n-1)/2 on rooted instances, n iterations.
    assert_eq!(kinds, Kinds { rooted: 30_840, acyclic: 19_164, rounds: 5, rooted_rounds: 4, iterations: 3 });
}

/// Fact 1 and theorem 1: dominating sets are the stable matchings, and a rooted instance has
/// exactly one.
#[test]
fn dominating_sets_of_every_instance_of_three() {
    every(3, |preferences| {
        let sets = dominating_sets(preferences);
        assert!(!sets.is_empty());
        for order in permutations(3) {
            let pairs = order.iter().enumerate().map(|(row, &column)| Pair { row, column: usize::from(column) - 1 });
            let matching = Matching::from_pairs(3, 3, pairs).unwrap();
            assert_eq!(check_stable(preferences, &matching).is_ok(), sets.contains(&matching), "{preferences:?}");
        }
        let found = find_roots(preferences);
        assert!(sets.iter().all(|set| found.matching.pairs().all(|root| set.has(root))));
        if found.stopped.is_none() {
            assert_eq!(sets, [found.matching], "{preferences:?}");
        }
    });
}

pub(crate) fn rng(index: usize) -> Rng {
    Seed { seed: 3, replication: 0 }.stream(Purpose::Pattern, index)
}

#[test]
fn a_hundred_thousand_random_instances() {
    let mut rng = rng(0);
    let mut instances = 0;
    for n in 4..=16 {
        let count = 100_000 / 13 + 1;
        let mut kinds = Kinds::default();
        for number in 0..count {
            let preferences = mostly_agreed(n, &mut rng);
            // The naive words take n^4 steps and more.
            if n < 7 || number % 50 == 0 {
                strict(&preferences, &mut kinds);
            } else {
                consistent(&preferences, &mut kinds);
            }
            instances += 1;
        }
        // Both kinds came up, in numbers, or the test would prove little.
        assert!(kinds.rooted > count / 10 && kinds.rooted < count, "{n}: {kinds:?}");
        assert!(kinds.acyclic > count / 20 && kinds.acyclic < kinds.rooted, "{n}: {kinds:?}");
        assert!(kinds.rooted_rounds <= 1 + n * (n - 1) / 2 && kinds.iterations <= n, "{n}: {kinds:?}");
    }
    assert!(instances >= 100_000);
}

/// Of random instances of 16 hardly any is rooted; so the rows agree more or less with a common
/// order, at random how much.
fn mostly_agreed(n: usize, rng: &mut Rng) -> Preferences {
    let mut preferences = examples::random(n, rng);
    let noise = [0, 1, 2, n, usize::MAX][rng.below(5)];
    if noise < usize::MAX {
        let keys: Vec<u16> =
            (0..n * n).map(|place| (1 + (place % n) * 16 + rng.below(16 * noise + 1)) as u16).collect();
        let mut numbered: Vec<(u16, usize)> = keys.iter().copied().zip(0..).collect();
        numbered.sort_unstable();
        let mut ranks = vec![0; n * n];
        for (rank, &(_, place)) in (1..).zip(&numbered) {
            ranks[place] = rank;
        }
        preferences = Preferences::from_ranks(n, n, &ranks, preferences.column_ranks()).unwrap();
    }
    assert!(preferences.is_complete() && !preferences.has_ties());
    preferences
}

/// Rectangular, incomplete, strict or tied.
pub(crate) fn any_shape(rng: &mut Rng, tied: bool) -> Preferences {
    let (rows, columns) = (1 + rng.below(9), 1 + rng.below(9));
    let (per_mille, most) = ([100, 400, 800, 1000][rng.below(4)], if tied { 1 + rng.below(6) } else { 60_000 });
    let mut ranks = || -> Vec<u16> {
        let mut entry = || if rng.below(1000) < per_mille { 1 + rng.below(most) as u16 } else { 0 };
        (0..rows * columns).map(|_| entry()).collect()
    };
    let (row_ranks, column_ranks) = (ranks(), ranks());
    Preferences::from_ranks(rows, columns, &row_ranks, &column_ranks).unwrap()
}

#[test]
fn rectangular_and_incomplete_instances() {
    let mut rng = rng(1);
    let mut kinds = Kinds::default();
    let mut strict_ones = 0;
    for _ in 0..30_000 {
        let preferences = any_shape(&mut rng, false);
        if !preferences.has_ties() {
            strict(&preferences, &mut kinds);
            strict_ones += 1;
        }
    }
    assert!(strict_ones > 25_000 && kinds.rooted > 10_000 && kinds.rooted < strict_ones, "{strict_ones} {kinds:?}");
}

/// With ties: what `FIND_ROOTS` finds is stable where it empties the graph, in both forms; and
/// finished by Gale-Shapley it is always.
#[test]
fn tied_instances() {
    let mut rng = rng(2);
    let (mut rooted, mut tied, mut forms_differ) = (0, 0, 0);
    for _ in 0..40_000 {
        let preferences = any_shape(&mut rng, true);
        tied += u32::from(preferences.has_ties());
        let found = find_roots(&preferences);
        assert_eq!(found.stopped.is_none(), check_rooted(&preferences).is_ok());
        // Every root is one of the graph that its iteration begins with, or is left by those before
        // it in the iteration.
        let mut matched = Matching::new(preferences.rows(), preferences.columns());
        for root in found.iterations.iter().flatten() {
            let graph = left(&preferences, &matched);
            assert!(graph.contains(root) && !graph.iter().any(|&from| has_edge(&preferences, from, *root)));
            matched.add(*root);
        }
        let one = one_root(&preferences);
        for (matching, is_rooted) in [(&found.matching, found.stopped.is_none()), (&one.matching, one.rooted)] {
            assert!(!is_rooted || check_stable(&preferences, matching).is_ok(), "{preferences:?}");
        }
        rooted += u32::from(found.stopped.is_none());
        forms_differ += u32::from(found.matching != one.matching);
        match find_roots_then_gale_shapley(&preferences) {
            (_, None) => {}
            (_, Some(finished)) => {
                assert_eq!(check_stable(&preferences, &finished.matching), Ok(()), "{preferences:?}");
            }
        }
        let proposed = gale_shapley(&preferences);
        assert_eq!(check_stable(&preferences, &proposed.matching), Ok(()), "{preferences:?}");
        assert_eq!(by_row(&proposed.matching, preferences.rows()), naive_gale_shapley(&preferences));
        assert_eq!(check_acyclic(&preferences).is_ok(), naive_acyclic(&preferences), "{preferences:?}");
        if let Err(cycle) = check_acyclic(&preferences).and(check_rooted(&preferences)) {
            assert!(cycle.is_in(&preferences), "{preferences:?}: {cycle}");
        }
    }
    assert!(tied > 20_000 && rooted > 10_000 && rooted < 40_000 && forms_differ > 0, "{tied} {rooted} {forms_differ}");
}

/// A workspace used again and again, with ranks as they come, says what the plain functions say.
#[test]
fn workspaces() {
    let mut rng = rng(4);
    let (rows, columns) = (5, 7);
    let mut workspace = Workspace::new(rows, columns);
    let mut finder = CycleFinder::new(rows, columns);
    for _ in 0..20_000 {
        let most = [2, 7, 65_535][rng.below(3)];
        let mut ranks = || -> Vec<u16> { (0..rows * columns).map(|_| rng.below(most + 1) as u16).collect() };
        let (row_ranks, column_ranks) = (ranks(), ranks());
        let preferences = Preferences::from_ranks(rows, columns, &row_ranks, &column_ranks).unwrap();
        let lines =
            |workspace: &Workspace| {
                let port = |port: u16| (port != NONE).then_some(usize::from(port));
                assert!(
                    workspace.by_column().iter().enumerate().all(
                        |(column, &row)| row == NONE || usize::from(workspace.by_row()[usize::from(row)]) == column
                    )
                );
                workspace.by_row().iter().map(|&column| port(column)).collect::<Vec<_>>()
            };
        let found = find_roots(&preferences);
        let outcome = workspace.find_roots(&row_ranks, &column_ranks);
        assert_eq!(lines(&workspace), by_row(&found.matching, rows));
        assert_eq!(outcome.rooted, found.stopped.is_none());
        assert_eq!(
            (outcome.iterations as usize, outcome.roots as usize),
            (found.iterations.len(), found.matching.size())
        );
        let outcome = workspace.find_roots_then_gale_shapley(&row_ranks, &column_ranks);
        let (_, finished) = find_roots_then_gale_shapley(&preferences);
        assert_eq!(outcome.rounds as usize, finished.as_ref().map_or(0, |finished| finished.rounds.len()));
        assert_eq!(lines(&workspace), by_row(&finished.map_or(found.matching, |finished| finished.matching), rows));
        let proposed = gale_shapley(&preferences);
        let outcome = workspace.gale_shapley(&row_ranks, &column_ranks);
        assert_eq!(lines(&workspace), by_row(&proposed.matching, rows));
        let proposals: usize = proposed.rounds.iter().map(|round| round.proposals.len()).sum();
        assert_eq!((outcome.rounds as usize, outcome.proposals as usize), (proposed.rounds.len(), proposals));
        assert_eq!(finder.is_acyclic(&row_ranks, &column_ranks), check_acyclic(&preferences).is_ok());
    }
}

#[test]
fn families() {
    for n in 1..=24 {
        let most_rounds = examples::most_rounds(n);
        assert_eq!(gale_shapley(&most_rounds).rounds.len(), 1 + n * (n - 1) / 2);
        let most_iterations = examples::most_iterations(n);
        assert_eq!(gale_shapley(&most_iterations).rounds.len(), 1);
        assert_eq!(find_roots(&most_iterations).iterations.len(), n);
        for preferences in [most_rounds, most_iterations] {
            assert_eq!(check_acyclic(&preferences), Ok(()));
            assert_eq!(find_roots(&preferences).matching, gale_shapley(&preferences).matching);
        }
    }
}

/// GS-LQF's matchings are what `FIND_ROOTS` makes of ranks by length, in as many iterations; the
/// instances are acyclic.
#[test]
fn gs_lqf_by_ranks() {
    let mut rng = rng(5);
    for _ in 0..3000 {
        let ports = 1 + rng.below(12);
        let most = [2, 4, 50][rng.below(3)];
        let lengths: Lengths = (0..ports).map(|_| (0..ports).map(|_| rng.below(most)).collect()).collect();
        let ranks = |order: fn(usize, usize) -> usize| -> Vec<u16> {
            let place = |place: usize| (place / ports, place % ports);
            let rank = |input: usize, output: usize| match lengths[input][output] {
                0 => 0,
                length => (1 + (most - length) * ports + order(input, output)) as u16,
            };
            (0..ports * ports).map(place).map(|(input, output)| rank(input, output)).collect()
        };
        let (row_ranks, column_ranks) = (ranks(|_, output| output), ranks(|input, _| input));
        let preferences = Preferences::from_ranks(ports, ports, &row_ranks, &column_ranks).unwrap();
        let mut scheduler = GsLqf::<1>::new(ports);
        let matching = matched(&mut scheduler, 0, &lengths);
        let found = find_roots(&preferences);
        assert_eq!(check_acyclic(&preferences), Ok(()));
        assert_eq!(matching, by_row(&found.matching, ports), "{lengths:?}");
        let mut iterations = 0;
        Scheduler::<1>::counters(&scheduler, &mut |counter| iterations += counter.sum);
        assert_eq!(iterations as usize, found.iterations.len());
    }
}
