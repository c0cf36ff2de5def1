use super::*;
use crate::experiment::{Loaded, Mode};
use crate::export::Table;
use crate::manifest::Manifest;

const GRID: &str = r#"
title = "A grid"
source = "this test"
switches = ["oq", "fifo"]
ports = 4
loads = [0.3, 0.9]
slots = 2000
replications = 3
"#;

fn experiment(more: &str) -> Experiment {
    Loaded::parse(&format!("{GRID}{more}"), "grid.toml", "grid", Mode::Full).unwrap().experiment
}

fn run(experiment: &Experiment, threads: usize) -> (Results, u64) {
    let dir = tempfile::tempdir().unwrap();
    let mut sweep = Sweep::open(dir.path(), Some(threads)).unwrap();
    let results = run_experiment(experiment, &mut sweep, None, &Progress::none()).unwrap();
    (results, sweep.ran())
}

#[test]
fn precision_adds_replications_where_they_are_needed_and_can_help() {
    let experiment = experiment("precision = 0.05\nmost_replications = 20\n");
    let (results, ran) = run(&experiment, 2);
    let replications: Vec<usize> = results.iter().map(|point| point.outcome.runs.len()).collect();
    assert_eq!(replications.iter().sum::<usize>() as u64, ran);
    for (point, &replications) in results.iter().zip(&replications) {
        let relative = point.outcome.delay.and_then(|delay| delay.relative()).unwrap();
        let unstable = point.outcome.stability.verdict == Verdict::Unstable;
        assert!(unstable || relative <= 0.05 || replications == 20, "{:?}: {relative} of {replications}", point.spec);
        assert!(!unstable || replications == 3, "{:?}", point.spec);
    }
    assert!(replications.iter().any(|&count| count > 3) && replications.iter().any(|&count| count < 20));
}

#[test]
fn tables_and_manifests_do_not_depend_on_threads() {
    let experiment = experiment("precision = 0.05\n");
    let [one, three] = [1, 3].map(|threads| {
        let results = run(&experiment, threads).0;
        let csv = Table::of(&experiment, &results).csv();
        let manifest = Manifest::new(&experiment, &results, &csv, "switchlab sweep").unwrap();
        (csv, manifest)
    });
    assert_eq!(one, three);
    let text = serde_json::to_string(&one.1).unwrap();
    let read: Manifest = serde_json::from_str(&text).unwrap();
    assert!(read == one.1 && read.is_unaltered());
    let altered: Manifest = serde_json::from_str(&text.replacen("0.9", "0.8", 1)).unwrap();
    assert!(!altered.is_unaltered());
}

#[test]
fn a_shard_runs_its_part_and_all_of_them_everything() {
    let experiment = experiment("");
    let dir = tempfile::tempdir().unwrap();
    let mut ran = Vec::new();
    for part in 1..=5 {
        let mut sweep = Sweep::open(dir.path(), Some(1)).unwrap();
        assert!(known_results(&experiment, &sweep).unwrap().is_none());
        assert!(run_experiment(&experiment, &mut sweep, Some((part, 5)), &Progress::none()).unwrap().is_empty());
        ran.push(sweep.ran());
    }
    assert_eq!(ran, [3, 3, 2, 2, 2]);
    let sweep = Sweep::open(dir.path(), Some(1)).unwrap();
    assert_eq!(known_results(&experiment, &sweep).unwrap().unwrap().len(), 4);
}

#[test]
fn infinite_bounds_of_claims_survive_a_manifest() {
    use crate::experiment::{Predicate, Select};
    let bounds = Predicate::Ratio { other: Select::default(), least: f64::NEG_INFINITY, most: 1.5 };
    let text = serde_json::to_string(&bounds).unwrap();
    assert_eq!(serde_json::from_str::<Predicate>(&text).unwrap(), bounds);
}

#[test]
fn what_another_directory_has_is_not_run_again() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut sweep = Sweep::open(first.path(), Some(1)).unwrap();
    run_experiment(&experiment(""), &mut sweep, None, &Progress::none()).unwrap();
    // One load is shared, one is not.
    let mut other = experiment("");
    other.loads = vec![0.3, 0.5];
    let mut sweep = Sweep::open(second.path(), Some(1)).unwrap();
    sweep.reuse_from(&[first.path().to_owned()]);
    let results = run_experiment(&other, &mut sweep, None, &Progress::none()).unwrap();
    assert_eq!(sweep.ran(), 2 * 3);
    let alone = run(&other, 1).0;
    assert_eq!(Table::of(&other, &results).csv(), Table::of(&other, &alone).csv());
}
