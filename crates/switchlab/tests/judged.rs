//! A sweep draws the figures of its file and judges its claims, with the file's values or others.

use assert_cmd::Command;
use serde_json::Value;
use std::path::Path;

/// Runs the program in a folder: its exit code, stdout and stderr.
fn switchlab(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("switchlab").unwrap().current_dir(folder).args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

/// The file of the guide, "Reproduce a figure".
const SATURATION: &str = r#"
title = "Saturation throughput of input queueing"
source = "Karol, Hluchyj, Morgan 1987, table I"
switches = "fifo"
ports = [2, 3, 4]
loads = 1.0
slots = 20_000
replications = 5

[quick]
slots = 2000

[[figure]]
id = "saturation"
x = "ports"
y = "throughput"
[[figure.reference]]
name = "exact"
points = [[2, 0.75], [3, 0.68254], [4, 0.65524]]

[[claim]]
id = "saturation-2"
text = "Two ports saturate at three quarters."
printed = "0.7500"
metric = "throughput"
where = { ports = 2 }
within = { value = 0.75, tolerance = 0.005 }
"#;

fn folder(file: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("saturation.toml"), file).unwrap();
    folder
}

#[test]
fn a_sweep_draws_and_judges_what_its_file_asks_for() {
    let folder = folder(SATURATION);
    let (code, said, error) = switchlab(folder.path(), &["sweep", "saturation.toml", "--out", "saturation"]);
    assert_eq!(code, 0, "{error}");
    let claim = said.lines().find(|line| line.starts_with("saturation-2")).unwrap();
    assert!(claim.contains("holds") && claim.contains("0.7500") && claim.contains('['), "{claim}");
    assert!(said.contains("claims: 1 hold, 0 do not hold, 0 undecided"), "{said}");
    let figure = std::fs::read_to_string(folder.path().join("saturation/figure-saturation.svg")).unwrap();
    assert!(figure.contains("exact"), "the reference is drawn");
    for extension in ["png", "pdf", "csv"] {
        assert!(folder.path().join(format!("saturation/figure-saturation.{extension}")).exists());
    }
    assert!(said.contains("saturation/figure-saturation.svg"), "{said}");
    // Shards that are joined are judged and drawn likewise.
    for (shard, dir) in [("1/2", "a"), ("2/2", "b")] {
        let (code, said, _) = switchlab(folder.path(), &["sweep", "saturation.toml", "--out", dir, "--shard", shard]);
        assert!(code == 0 && !said.contains("saturation-2"), "{said}");
    }
    let (code, joined, _) = switchlab(folder.path(), &["merge", "a", "b", "--out", "whole"]);
    assert!(code == 0 && joined.contains(claim), "{joined}");
    let drawn = std::fs::read_to_string(folder.path().join("whole/figure-saturation.svg")).unwrap();
    assert_eq!(drawn, figure);
}

/// Exit code 1 is for what is not as expected; with --strict also for what does not hold.
#[test]
fn exit_codes_follow_what_is_expected() {
    let with = |value: &str, expected: &str| SATURATION.replace("value = 0.75,", value) + expected;
    let (right, wrong, wide) = ("value = 0.75,", "value = 0.85,", "value = 0.7499,");
    let cases = [
        (right, "", 0, 0, "holds"),
        (right, "expected = 'holds'", 0, 0, "holds"),
        (right, "expected = 'undecided'", 0, 0, "holds"),
        (right, "expected = 'fails'", 1, 1, "holds, unexpectedly"),
        (wrong, "", 1, 1, "does not hold, unexpectedly"),
        (wrong, "expected = 'undecided'", 0, 1, "does not hold"),
        (wrong, "expected = 'fails'", 0, 1, "does not hold, as expected"),
    ];
    for (value, expected, code, strict, says) in cases {
        let folder = folder(&with(value, expected));
        let sweep = ["sweep", "saturation.toml", "--set", "ports=2"];
        let (found, said, error) = switchlab(folder.path(), &sweep);
        let claim = said.lines().find(|line| line.starts_with("saturation-2")).unwrap();
        assert!(found == code && claim.contains(says), "{value} {expected}: {found} {claim}{error}");
        if says.ends_with("unexpectedly") {
            assert!(error.contains("saturation-2: ") && error.contains("and is expected"), "{error}");
        }
        let (found, _, error) = switchlab(folder.path(), &[&sweep[..], &["--strict"]].concat());
        assert_eq!(found, strict, "{value} {expected}: {error}");
        // What is expected is not part of a unit: the second sweep has run none.
        assert!(error.contains("0 units run"), "{error}");
    }
    // Too short a run decides nothing, which contradicts no expectation.
    for expected in ["", "expected = 'fails'", "expected = 'undecided'"] {
        let folder = folder(&with(wide, expected).replace("tolerance = 0.005", "tolerance = 0.0001"));
        let (code, said, error) = switchlab(folder.path(), &["sweep", "saturation.toml", "--slots", "500", "--strict"]);
        assert!(code == 0 && said.contains("1 undecided"), "{said}{error}");
    }
    let folder = folder(&with(right, "expected = 'fail'"));
    let (code, _, error) = switchlab(folder.path(), &["sweep", "saturation.toml"]);
    assert!(code == 2 && error.contains("did you mean fails?"), "{error}");
}

/// The same of `reproduce`, for a paper of one experiment.
#[test]
fn a_reproduction_is_judged_likewise() {
    for (expected, code, strict) in [("", 1, 1), ("expected = 'fails'", 0, 1)] {
        let folder = folder(&(SATURATION.replace("value = 0.75,", "value = 0.85,") + expected));
        std::fs::create_dir_all(folder.path().join("papers/mine")).unwrap();
        let file = folder.path().join("saturation.toml");
        std::fs::rename(file, folder.path().join("papers/mine/saturation.toml")).unwrap();
        let (found, said, error) = switchlab(folder.path(), &["reproduce", "--quick"]);
        assert!(found == code && said.contains("mine/saturation/saturation-2  does not hold"), "{said}{error}");
        assert_eq!(switchlab(folder.path(), &["reproduce", "--quick", "--strict"]).0, strict);
    }
}

#[test]
fn values_of_the_file_can_be_replaced() {
    let folder = folder(SATURATION);
    let manifest = |dir: &str| -> Value {
        let text = std::fs::read_to_string(folder.path().join(dir).join("manifest.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    let sweep = ["sweep", "saturation.toml", "--quick", "--out", "other", "--seed", "7", "--slots", "1000"];
    let set = ["--set", "ports=3,8", "--set", "loads=0.5:0.6:0.1", "--set", "traffic=diagonal", "--json"];
    let (code, out, error) = switchlab(folder.path(), &[&sweep[..], &set].concat());
    assert_eq!(code, 0, "{error}");
    let reports: Vec<Value> = serde_json::from_str(&out).unwrap();
    assert_eq!(reports.len(), 4);
    assert_eq!((&reports[3]["ports"], &reports[3]["load"]), (&8.into(), &0.6.into()));
    assert!(
        error.contains("saturation-2") && error.contains("undecided") || error.contains("does not hold"),
        "{error}"
    );
    let experiment = &manifest("other")["experiment"];
    for (key, value) in
        [("seed", "7"), ("slots", "1000"), ("warmup", "200"), ("loads", "[0.5,0.6]"), ("ports", "[3,8]")]
    {
        assert_eq!(experiment[key].to_string(), value, "{key}");
    }
    assert_eq!(experiment["traffic"].to_string(), "[\"diagonal\"]");
    let (code, said, error) = switchlab(folder.path(), &["replay", "other/manifest.json"]);
    assert!(code == 0 && said.starts_with("the same"), "{said}{error}");
    // The file is unchanged: a sweep without them runs its own points.
    assert_eq!(switchlab(folder.path(), &["sweep", "saturation.toml", "--quick", "--out", "own"]).0, 0);
    assert_eq!(manifest("own")["experiment"]["seed"], 1);
}

#[test]
fn what_cannot_be_set_says_why() {
    let folder = folder(SATURATION);
    for (set, says) in [
        ("slot=5", "did you mean slots?"),
        ("slots=0", "slots must be a whole number from 1"),
        ("slots=many", "must be a whole number"),
        ("loads=0.5,1.5", "1.5"),
        ("switches=fifo,fiffo", "did you mean fifo?"),
        ("ports=0", "from 1 to 4096"),
        ("title=x", "no such key to set"),
        ("slots", "write KEY=VALUE"),
        ("slots=", "write KEY=VALUE"),
        ("seed=1\nslots = 5", "seed"),
    ] {
        let (code, out, error) = switchlab(folder.path(), &["sweep", "saturation.toml", "--set", set]);
        assert!(code == 2 && out.is_empty() && error.contains(says), "{set}: {error}");
    }
    let (code, _, error) = switchlab(folder.path(), &["sweep", "saturation.toml", "--set", "seed=1", "--seed", "2"]);
    assert!(code == 2 && error.contains("seed is set twice"), "{error}");
    let (code, _, error) = switchlab(folder.path(), &["sweep", "saturation.toml", "--seed", "-1"]);
    assert!(code == 2 && error.contains("--set seed=-1: seed must be a whole number"), "{error}");
    assert!(!folder.path().join("out").exists());
}
