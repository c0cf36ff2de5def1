//! Traces in experiment files: swept, split, joined, drawn, and replayed only as they were.

use assert_cmd::Command;
use serde_json::Value;
use std::fmt::Write;
use std::path::Path;

/// Runs the program in a folder: its exit code, stdout and stderr.
fn switchlab(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("switchlab").unwrap().current_dir(folder).args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// A folder with a trace and an experiment about it. Two inputs send to output 0 in each slot, so
/// that half of the cells wait for the end.
fn folder(experiment: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("own")).unwrap();
    let mut rows = "slot,input,output\n".to_string();
    for slot in 0..200 {
        writeln!(rows, "{slot},0,0\n{slot},1,0\n{slot},2,{}", slot % 3).unwrap();
    }
    std::fs::write(folder.path().join("own/ok.csv"), rows).unwrap();
    std::fs::write(folder.path().join("own/trace.toml"), experiment).unwrap();
    folder
}

const TRACE: &str = r#"
title = "A trace"
switches = ["oq", "islip", "pim"]
traffic = "trace(file=ok.csv)"

[[figure]]
id = "delay"
x = "load"
y = "delay"

[[claim]]
id = "late"
text = "The last cell for output 0 waits for all before it."
metric = "delay.max"
where = { traffic = "trace(file=ok.csv)", switch = "oq" }
at-least = 200
"#;

fn json(folder: &Path, arguments: &[&str]) -> Vec<Value> {
    let (code, out, err) = switchlab(folder, &[arguments, &["--json"]].concat());
    assert_eq!(code, 0, "{err}");
    serde_json::from_str(&out).unwrap()
}

#[test]
fn a_trace_is_swept_as_it_is_run() {
    let folder = folder(TRACE);
    let swept = json(folder.path(), &["sweep", "own/trace.toml", "--out", "swept"]);
    let run = json(folder.path(), &["run", "oq", "islip", "pim", "--traffic", "trace(file=own/ok.csv)"]);
    assert_eq!(swept.len(), run.len());
    for (swept, run) in swept.iter().zip(&run) {
        assert_eq!((&swept["delay"], &swept["delay_p99"]), (&run["delay"]["mean"], &run["delay"]["p99"]));
        assert_eq!((&swept["load"], &swept["ports"], &swept["queued"]), (&run["load"], &run["ports"], &0.into()));
    }
    let (code, table, error) = switchlab(folder.path(), &["sweep", "own/trace.toml", "--out", "swept"]);
    assert_eq!(code, 0, "{error}");
    let words = table.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("drained") && words.contains("until the switch is empty"), "{table}");
    assert!(!table.contains("unstable") && error.contains("0 units run"), "{table}{error}");
    let claim = table.lines().find(|line| line.starts_with("late")).unwrap();
    assert!(claim.contains("undecided"), "a single run has no interval: {claim}");
    assert!(folder.path().join("swept/figure-delay.svg").exists());
    // Also from lists, and kept.
    let listed = ["run", "oq", "islip", "pim", "--traffic", "trace(file=own/ok.csv)", "--out", "swept"];
    assert_eq!(json(folder.path(), &listed), run);
    for picture in [&["plot", "swept", "--kind", "ccdf"][..], &["plot", "swept", "--y", "delay_p99"]] {
        let (code, _, error) = switchlab(folder.path(), picture);
        assert_eq!(code, 0, "{error}");
    }
    let (code, said, _) = switchlab(folder.path(), &["explain", "own/trace.toml"]);
    assert!(code == 0 && said.contains("those of the trace") && said.contains("until the switch is empty"), "{said}");
}

#[test]
fn parts_of_a_sweep_of_traces_are_the_whole() {
    let folder = folder(&TRACE.replace("switches", "replications = 2\nswitches"));
    assert_eq!(switchlab(folder.path(), &["sweep", "own/trace.toml", "--out", "whole"]).0, 0);
    for (shard, dir) in [("1/2", "a"), ("2/2", "b")] {
        assert_eq!(switchlab(folder.path(), &["sweep", "own/trace.toml", "--out", dir, "--shard", shard]).0, 0);
    }
    assert_eq!(switchlab(folder.path(), &["merge", "a", "b", "--out", "joined"]).0, 0);
    let table = |dir: &str| std::fs::read(folder.path().join(dir).join("results.csv")).unwrap();
    assert_eq!(table("whole"), table("joined"));
}

#[test]
fn a_replay_needs_the_trace_as_it_was() {
    let folder = folder(TRACE);
    assert_eq!(switchlab(folder.path(), &["sweep", "own/trace.toml", "--out", "swept"]).0, 0);
    let manifest = std::fs::read_to_string(folder.path().join("swept/manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(manifest["files"]["own/ok.csv"].as_str().unwrap().len(), 64);
    // A stranger's manifest reads nothing outside its folder, also by a link.
    let outside =
        "the manifest names own/ok.csv, which is outside its folder swept; if you trust it, add --trust-paths";
    let (code, said, error) = switchlab(folder.path(), &["replay", "swept/manifest.json"]);
    assert!(
        code == 2 && said.is_empty() && error.split_whitespace().collect::<Vec<_>>().join(" ").contains(outside),
        "{error}"
    );
    let (code, said, error) = switchlab(folder.path(), &["replay", "swept/manifest.json", "--trust-paths"]);
    assert!(code == 0 && said.starts_with("the same: 3 points"), "{said}{error}");
    // Another trace of the same name is another unit, and no replay of the first.
    let trace = folder.path().join("own/ok.csv");
    let changed = std::fs::read_to_string(&trace).unwrap().replace("199,2,1", "199,2,2");
    std::fs::write(&trace, changed).unwrap();
    let (code, said, error) = switchlab(folder.path(), &["replay", "swept/manifest.json", "--trust-paths"]);
    assert!(code == 1 && said.is_empty(), "{said}");
    assert!(error.contains("own/ok.csv is not what it was: its SHA-256 is"), "{error}");
    let (code, _, error) = switchlab(folder.path(), &["sweep", "own/trace.toml", "--out", "swept"]);
    assert!(code == 0 && error.contains("3 units run"), "{error}");
    std::fs::remove_file(&trace).unwrap();
    let (code, _, error) = switchlab(folder.path(), &["replay", "swept/manifest.json", "--trust-paths"]);
    assert!(code == 2 && error.contains("own/ok.csv"), "{error}");
}

#[test]
fn what_a_trace_says_itself_is_refused() {
    let refused = [
        ("loads = 0.5\n", "a trace has its own load; remove the key loads"),
        ("arrivals = 'bernoulli'\n", "a trace has its own arrivals; remove the key arrivals"),
        ("ports = 2\n", "ok.csv"),
    ];
    for (key, says) in refused {
        let folder = folder(&TRACE.replace("switches", &format!("{key}switches")));
        let (code, _, error) = switchlab(folder.path(), &["sweep", "own/trace.toml"]);
        assert!(code == 2 && error.contains("trace.toml:") && error.contains(says), "{key}: {error}");
    }
    let folder = folder(&TRACE.replace("\"trace(file=ok.csv)\"\n\n", "[\"trace(file=ok.csv)\", \"uniform\"]\n\n"));
    let (code, _, error) = switchlab(folder.path(), &["sweep", "own/trace.toml"]);
    assert!(code == 2 && error.contains("other traffic cannot stand beside it"), "{error}");
    let (code, _, error) = switchlab(
        folder.path(),
        &["run", "oq", "--traffic", "trace(file=own/ok.csv),uniform", "--ports", "4", "--load", "1"],
    );
    assert!(code == 2 && error.contains("other traffic cannot stand beside it"), "{error}");
    let folder = self::folder(TRACE);
    let (code, _, error) =
        switchlab(folder.path(), &["sweep", "own/trace.toml", "--set", "traffic=trace(file=no.csv)"]);
    assert!(code == 2 && error.contains("no.csv"), "{error}");
}

#[test]
fn more_ports_and_a_number_of_slots() {
    let folder = folder(&TRACE.replace("switches", "ports = [4, 8]\nslots = 200\nswitches"));
    let swept = json(folder.path(), &["sweep", "own/trace.toml", "--out", "swept"]);
    assert_eq!(swept.len(), 6);
    assert_eq!((&swept[0]["ports"], &swept[3]["ports"]), (&4.into(), &8.into()));
    assert!(swept[0]["queued"].as_u64().unwrap() > 0, "{}", swept[0]);
}
