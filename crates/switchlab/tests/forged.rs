//! Manifests that were altered and given a right hash again: each is found out, and none ends in a
//! panic or never.
#![cfg(unix)]

use assert_cmd::Command;
use std::path::{Path, PathBuf};
use std::time::Duration;
use switchlab_lab::digest::sha256;
use switchlab_lab::manifest::Manifest;

/// Far more than a refusal takes, far less than what the forged ones ask for.
const LIMIT: Duration = Duration::from_mins(1);

const GRID: &str = r#"
title = "A grid"
source = "this test"
switches = ["oq", "islip"]
ports = 4
loads = [0.5, 0.9]
slots = 300
replications = 2
"#;

type Change = fn(&mut Manifest);

struct Lab {
    folder: tempfile::TempDir,
}

impl Lab {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Exit code and messages.
    fn run(&self, arguments: &[&str]) -> (i32, String) {
        let mut command = Command::cargo_bin("switchlab").expect("the program is built with its tests");
        let output = command.current_dir(self.folder.path()).args(arguments).timeout(LIMIT).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!said.contains("panicked"), "{arguments:?}: {said}");
        (output.status.code().unwrap_or_else(|| panic!("{arguments:?} did not end by itself: {said}")), said)
    }

    fn sweep(&self, experiment: &str) -> Manifest {
        std::fs::write(self.path("e.toml"), experiment).unwrap();
        let (code, said) = self.run(&["sweep", "e.toml", "--out", "whole"]);
        assert_eq!(code, 0, "{said}");
        Manifest::load(&self.path("whole/manifest.json")).unwrap()
    }

    /// Replays a manifest after a change, with its hash made anew: beside the results, and in a
    /// directory without any.
    fn replay(&self, manifest: &Manifest, dir: &str, change: impl FnOnce(&mut Manifest)) -> (i32, String) {
        let mut forged = manifest.clone();
        change(&mut forged);
        let path = self.path(dir).join("forged.json");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        seal(forged, &path);
        self.run(&["replay", path.to_str().unwrap()])
    }
}

fn seal(mut manifest: Manifest, path: &Path) {
    manifest.manifest_sha256.clear();
    manifest.manifest_sha256 = sha256(serde_json::to_string(&manifest).unwrap().as_bytes());
    assert!(manifest.is_unaltered());
    std::fs::write(path, serde_json::to_string(&manifest).unwrap()).unwrap();
}

#[test]
fn every_field_that_was_altered_is_named() {
    let lab = Lab::new();
    let whole = lab.sweep(GRID);
    assert_eq!(lab.replay(&whole, "whole", |_| {}).0, 0);
    assert_eq!(lab.replay(&whole, "alone", |_| {}).0, 0);
    let changes: [(&str, &str, Change); 14] = [
        ("alone", "engine: ", |m| m.engine = "9.9.9".to_string()),
        ("alone", "seed: ", |m| m.seed = 2),
        ("alone", "estimator: ", |m| m.estimator.push('x')),
        ("whole", "experiment: ", |m| m.experiment.title = "Another".to_string()),
        ("whole", "experiment: ", |m| m.experiment.slots = 301),
        ("alone", "slots is 300, and by the experiment 301", |m| m.experiment.slots = 301),
        ("alone", "seed is 1, and by the experiment 7", |m| m.experiment.seed = 7),
        ("alone", "files: ", |m| drop(m.files.insert("m.csv".to_string(), String::new()))),
        ("alone", "points: ", |m| drop(m.points.pop())),
        ("alone", "points: ", |m| m.points.swap(0, 1)),
        ("alone", "points: ", |m| m.points[0].replications = (1 << 32) + 2),
        ("alone", "points: ", |m| m.points[0].replications = 4_000_000_000),
        ("alone", "the verdict was unstable and now is ", |m| m.points[0].verdict = "unstable".to_string()),
        ("alone", "results_sha256: ", |m| m.results_sha256.replace_range(..4, "0000")),
    ];
    for (place, (dir, field, change)) in changes.into_iter().enumerate() {
        let (code, said) = lab.replay(&whole, dir, change);
        assert!(code == 1 && said.contains(field), "{place}, {field}: {code} {said}");
    }
}

#[test]
fn results_that_were_altered_are_found_beside_their_manifest() {
    let lab = Lab::new();
    lab.sweep(GRID);
    assert_eq!(lab.run(&["replay", "whole/manifest.json"]).0, 0);
    let table = lab.path("whole/results.csv");
    let text = std::fs::read_to_string(&table).unwrap();
    std::fs::write(&table, text.replacen("stable", "unstable", 1)).unwrap();
    let (code, said) = lab.run(&["replay", "whole/manifest.json"]);
    assert!(code == 1 && said.contains("results.csv beside the manifest"), "{code} {said}");
    std::fs::remove_file(&table).unwrap();
    assert_eq!(lab.run(&["replay", "whole/manifest.json"]).0, 0, "a manifest alone can be replayed");
    std::os::unix::fs::symlink("/dev/zero", &table).unwrap();
    assert_eq!(lab.run(&["replay", "whole/manifest.json"]).0, 2);
    assert_eq!(lab.run(&["replay", "/dev/zero"]).0, 2);
}

#[test]
fn numbers_are_checked_as_if_they_had_been_typed() {
    let lab = Lab::new();
    let whole = lab.sweep(GRID);
    let both = |change: &dyn Fn(&mut Manifest)| lab.replay(&whole, "alone", |manifest| change(manifest));
    let refused = |what: &str, (code, said): (i32, String)| assert_eq!(code, 2, "{what}: {said}");
    for ports in [0, 4097, 1 << 20, 1 << 40, 1 << 63, usize::MAX] {
        let forged = both(&|m| {
            m.experiment.ports = vec![ports];
            m.points.iter_mut().for_each(|point| point.point.ports = ports);
        });
        refused("ports", forged);
    }
    for replications in [0, 10_001, 4_000_000_000] {
        let forged = both(&|m| {
            (m.experiment.replications, m.experiment.most_replications) = (replications, replications);
            m.points.iter_mut().for_each(|point| point.replications = replications as usize);
        });
        refused("replications", forged);
    }
    for (slots, warmup) in [(0, 0), (1 << 32, 0), (1, u64::MAX), (u64::MAX, u64::MAX)] {
        let forged = both(&|m| {
            (m.experiment.slots, m.experiment.warmup) = (slots, warmup);
            m.points.iter_mut().for_each(|point| (point.point.slots, point.point.warmup) = (slots, warmup));
        });
        refused("slots", forged);
    }
    refused("load", both(&|m| m.experiment.loads = vec![1.5]));
    refused("no load", both(&|m| m.experiment.loads.clear()));
    refused("precision", both(&|m| m.experiment.precision = Some(0.0)));
    refused("variable", both(&|m| drop(m.experiment.vary.insert("{x}".to_string(), vec![1.0]))));
    refused("points", both(&|m| m.experiment.loads = vec![0.5; 200_000]));
    refused("switch", both(&|m| m.experiment.switches = vec!["ouroboros".to_string()]));
    for traffic in ["trace(file=/dev/zero)", "matrix(file=/dev/zero)", "trace(file=/nowhere)", "none"] {
        let forged = both(&|m| {
            m.experiment.traffic = vec![traffic.to_string()];
            m.points.iter_mut().for_each(|point| point.point.traffic = traffic.to_string());
        });
        refused(traffic, forged);
    }
}

#[test]
fn calculations_refuse_what_they_cannot_calculate() {
    let specs = [
        "striped-reads(flows=2)",
        "ouroboros",
        "stable-examples",
        "benes-cost(radix=4)",
        "stable-instances(instances=5)",
    ];
    for spec in specs {
        let lab = Lab::new();
        let whole = lab.sweep(&format!("title = \"x\"\ncalculate = \"{spec}\"\nports = 3\n"));
        assert_eq!(lab.replay(&whole, "alone", |_| {}).0, 0);
        for ports in [0, 1 << 20, 1 << 40, 1 << 63] {
            let (code, said) = lab.replay(&whole, "alone", |m| {
                m.experiment.ports = vec![ports];
                m.points[0].point.ports = ports;
            });
            assert!(code == 2 && said.contains("number of ports"), "{spec} {ports}: {code} {said}");
        }
        let (code, said) = lab.replay(&whole, "alone", |m| {
            m.experiment.switches = vec!["striped-reads(flows=0)".to_string()];
            m.points[0].point.switch = "striped-reads(flows=0)".to_string();
        });
        assert_eq!(code, 2, "{said}");
        let (code, said) = lab.replay(&whole, "alone", |m| m.experiment.slots = 10);
        assert_eq!(code, 2, "{said}");
    }
}

/// `merge` reads an experiment from the parts: a forged one is refused before anything is joined.
#[test]
fn a_forged_experiment_is_not_merged() {
    let lab = Lab::new();
    lab.sweep(GRID);
    let path = lab.path("whole/experiment.json");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replacen("\"slots\": 300", "\"slots\": 18446744073709551615", 1)).unwrap();
    let (code, said) = lab.run(&["merge", "whole", "--out", "joined"]);
    assert!(code == 2 && said.contains("slots"), "{code} {said}");
    assert!(!lab.path("joined").exists());
}
