//! The experiments in papers/: every file is read in both modes, and the classics are run and
//! evaluated.

use rayon::prelude::*;
use std::path::PathBuf;
use std::time::Instant;
use switchlab_lab::claims::{Ruling, evaluate};
use switchlab_lab::experiment::{Experiment, Mode, PointSpec, ResultPoint};
use switchlab_lab::run::Run;
use switchlab_lab::{LabError, Progress};

/// All files of a paper, or of all papers.
fn files(paper: Option<&str>) -> Vec<PathBuf> {
    let papers = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../papers"));
    let entries = |folder: &PathBuf| -> Vec<PathBuf> {
        std::fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect()
    };
    let folders = entries(&papers).into_iter().filter(|folder| paper.is_none_or(|paper| folder.ends_with(paper)));
    let mut files: Vec<PathBuf> = folders.flat_map(|folder| entries(&folder)).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    files
}

/// The simplest way to run an experiment: everything in memory, nothing kept.
fn run(points: Vec<PointSpec>, replications: u32) -> Result<Vec<ResultPoint>, LabError> {
    let point = |spec: PointSpec| {
        let plan = spec.plan()?;
        let replication = |replication| {
            let mut run = Run::new(&plan, 0, replication)?.with_fingerprint();
            run.advance(spec.warmup, None, &Progress::none())?;
            run.open();
            run.advance(spec.slots, None, &Progress::none())?;
            Ok(run.measured())
        };
        let runs = (0..replications).map(replication).collect::<Result<Vec<_>, LabError>>()?;
        Ok(ResultPoint::new(spec.clone(), &runs))
    };
    points.into_par_iter().map(point).collect()
}

#[test]
fn every_paper_can_be_read_and_has_something_to_say() {
    assert!(!files(Some("classics")).is_empty());
    for file in files(None) {
        for mode in [Mode::Full, Mode::Quick] {
            let experiment = Experiment::load(&file, mode).unwrap_or_else(|error| panic!("{error}"));
            assert!(!experiment.claims.is_empty() && !experiment.figures.is_empty(), "{}", file.display());
            let points = experiment.points().unwrap();
            for claim in &experiment.claims {
                let some = points.iter().any(|point| claim.select.includes(point));
                assert!(some, "{}: {} selects no point ({mode:?})", file.display(), claim.id);
            }
            for figure in &experiment.figures {
                assert!(points.iter().any(|point| figure.select.includes(point)), "{}: {}", file.display(), figure.id);
            }
        }
    }
}

/// The statements of a paper, claims.md, and its experiments: each claim that it names exists, and
/// each claim that exists is named, as `file/claim`, as a further claim of that file, by the end of
/// its name (`-ic`), or with `*` for any letters (`file/*`, `file/*-rank`).
#[test]
fn every_claim_is_in_the_list_of_statements() {
    assert!(fits("a-*", "a-b") && fits("*-b-*", "a-b-c") && fits("*", "a"));
    assert!(!fits("a-*-c", "a-b") && !fits("a", "ab") && !fits("", "a"));
    for paper in ["000", "001", "002", "003", "004"] {
        let list = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../papers")).join(paper).join("claims.md");
        let list = std::fs::read_to_string(list).unwrap();
        let experiments: Vec<Experiment> =
            files(Some(paper)).iter().map(|file| Experiment::load(file, Mode::Full).unwrap()).collect();
        let mut named: Vec<(String, String)> = Vec::new();
        let mut current = String::new();
        for word in list.split([' ', ',', ';', '|', '\n']).map(|word| word.trim_end_matches(['.', ':'])) {
            let whole = word.split_once('/').filter(|(file, _)| experiments.iter().any(|known| known.id == *file));
            let (file, claim) = whole.unwrap_or((current.as_str(), word));
            let Some(experiment) = experiments.iter().find(|experiment| experiment.id == file) else { continue };
            let mut found = experiment
                .claims
                .iter()
                .map(|claim| claim.id.as_str())
                .filter(|id| fits(claim, id) || (claim.starts_with('-') && claim.len() > 1 && id.ends_with(claim)));
            assert!(
                found.clone().next().is_some() || whole.is_none(),
                "papers/{paper}/claims.md names {word}, which is no claim"
            );
            named.extend(found.by_ref().map(|id| (experiment.id.clone(), id.to_string())));
            current = file.to_string();
        }
        for experiment in &experiments {
            for claim in &experiment.claims {
                let own = claim.source.starts_with("own") || claim.source.starts_with("beyond");
                let is_named = named.iter().any(|(file, id)| *file == experiment.id && *id == claim.id);
                assert!(is_named || own, "papers/{paper}/claims.md does not name {}/{}", experiment.id, claim.id);
            }
        }
    }
}

/// Whether a name fits a pattern, in which `*` stands for any letters.
fn fits(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, rest)) => name
            .strip_prefix(start)
            .is_some_and(|name| (0..=name.len()).any(|at| name.is_char_boundary(at) && fits(rest, &name[at..]))),
    }
}

/// A tenth of a quick run: too short to decide everything, long enough that nothing true comes out
/// as refuted. The seeds are fixed, so there are no false alarms; another seed would give one in
/// about twenty, if the truth of one claim lay on its bound.
#[test]
fn no_classic_is_refuted_in_a_tenth_of_a_quick_run() {
    for file in files(Some("classics")) {
        let mut experiment = Experiment::load(&file, Mode::Quick).unwrap();
        experiment.slots /= 10;
        let results = run(experiment.points().unwrap(), experiment.replications).unwrap();
        for claim in &experiment.claims {
            let evaluation = evaluate(claim, &results);
            assert_ne!(evaluation.ruling, Ruling::DoesNotHold, "{}/{}: {evaluation:#?}", experiment.id, claim.id);
        }
    }
}

/// The quick run itself, for people: `cargo test --release -p switchlab-lab --test papers
/// -- --ignored --nocapture`.
#[test]
#[ignore = "for people: half a minute, and reproduce --quick does the same"]
fn every_classic_is_as_expected() {
    let mut others = 0;
    for file in files(Some("classics")) {
        let begun = Instant::now();
        let experiment = Experiment::load(&file, Mode::Quick).unwrap();
        let results = run(experiment.points().unwrap(), experiment.replications).unwrap();
        println!("{}: {} points in {:?}", experiment.id, results.len(), begun.elapsed());
        for claim in &experiment.claims {
            let evaluation = evaluate(claim, &results);
            println!("  {:<24} {:<13} {}", claim.id, evaluation.ruling, evaluation.measured);
            others += usize::from(!evaluation.ruling.is_as(claim.expected));
            if evaluation.ruling != Ruling::Holds {
                evaluation.evidence.iter().for_each(|line| println!("      {line}"));
            }
        }
        if std::env::var_os("ALL_POINTS").is_some() {
            for point in &results {
                let (spec, outcome) = (&point.spec, &point.outcome);
                let delay = point.metric("delay").map(|delay| (delay.mean, delay.half_width));
                let (throughput, verdict) = (outcome.throughput.mean, outcome.stability.verdict);
                let place = format!("{} {} {} {}", spec.switch, spec.ports, spec.traffic, spec.load);
                println!("    {place}: {delay:?} {throughput:.4} {verdict}");
            }
        }
    }
    assert_eq!(others, 0);
}
