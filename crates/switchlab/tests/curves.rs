//! Curves from the command line: lists and ranges make a sweep, the same as from a file.

use assert_cmd::Command;
use serde_json::Value;
use std::path::Path;

/// Runs the program in a folder: its exit code, stdout and stderr.
fn switchlab(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("switchlab").unwrap().current_dir(folder).args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn json(folder: &Path, arguments: &[&str]) -> Vec<Value> {
    let (code, out, err) = switchlab(folder, &[arguments, &["--json"]].concat());
    assert_eq!(code, 0, "{err}");
    serde_json::from_str(&out).unwrap()
}

const SHORT: [&str; 4] = ["--slots", "2000", "--replications", "2"];

#[test]
fn a_load_curve_needs_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let run = ["run", "oq", "islip", "--load", "0.1:0.95:0.05", "--ports", "4,8", "--traffic", "uniform,diagonal"];
    let (code, table, error) = switchlab(folder.path(), &[&run[..], &SHORT, &["--plot", "curve.svg"]].concat());
    assert_eq!(code, 0, "{error}");
    let rows = table.lines().filter(|line| line.starts_with("oq ") || line.starts_with("islip "));
    assert_eq!(rows.count(), 2 * 18 * 2 * 2, "{table}");
    assert!(table.contains(" 0.3 ") && !table.contains("0.30000"), "{table}");
    assert!(table.lines().all(|line| line.chars().count() <= 100), "{table}");
    let picture = std::fs::read_to_string(folder.path().join("curve.svg")).unwrap();
    assert!(picture.contains("Mean delay") && picture.contains("diagonal"));
    // Nothing else is left behind.
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// Throughput against a parameter: the variable has a column, and the spec is told once.
#[test]
fn a_curve_over_a_variable_needs_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let run = ["run", "pim", "islip", "--ports", "4", "--load", "1", "--traffic", "unbalanced(w={w})"];
    let run = [&run[..], &["--vary", "w=0:1:0.25"], &SHORT].concat();
    let with = |more: &[&str]| switchlab(folder.path(), &[&run[..], more].concat());
    let (code, table, error) = with(&["--y", "throughput", "--plot", "w.svg"]);
    assert_eq!(code, 0, "{error}");
    assert!(table.contains("traffic unbalanced(w={w})") && table.contains("\nswitch     w "), "{table}");
    assert_eq!(table.lines().filter(|line| line.starts_with("pim ") || line.starts_with("islip ")).count(), 10);
    let picture = std::fs::read_to_string(folder.path().join("w.svg")).unwrap();
    assert!(picture.contains(">Throughput<") && picture.contains(">w<") && picture.contains(">0.25<"), "{picture}");
    let (_, csv, _) = with(&["--csv"]);
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let column = reader.headers().unwrap().iter().position(|name| name == "w").unwrap();
    let values: Vec<String> = reader.records().map(|row| row.unwrap()[column].to_string()).step_by(2).collect();
    assert_eq!(values, ["0", "0.25", "0.5", "0.75", "1"]);
}

/// The units of a curve are those of an experiment file of the same content, byte for byte.
#[test]
fn a_curve_is_the_sweep_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = "title = 'x'\nswitches = ['oq', 'islip']\nports = [4, 8]\ntraffic = ['uniform', 'hotspot(count=1,load=0.5)']\n\
                loads = [0.3, 0.6]\nslots = 2000\nreplications = 2\n";
    std::fs::write(folder.path().join("x.toml"), file).unwrap();
    let run = ["run", "oq", "islip", "--load", "0.3,0.6", "--ports", "4,8", "--traffic"];
    let run = [&run[..], &["uniform,hotspot(count=1,load=0.5)", "--out", "curve"], &SHORT].concat();
    assert_eq!(switchlab(folder.path(), &run).0, 0);
    assert_eq!(switchlab(folder.path(), &["sweep", "x.toml", "--out", "file"]).0, 0);
    let units = |dir: &str| {
        let text = std::fs::read_to_string(folder.path().join(dir).join("units.jsonl")).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
        lines.sort();
        lines
    };
    assert_eq!(units("curve"), units("file"));
    assert_eq!(units("curve").len(), 32);
    // The store goes on where it was: no unit is run again, and the manifest can be replayed.
    let table = switchlab(folder.path(), &run).1;
    assert_eq!(units("curve").len(), 32);
    assert!(folder.path().join("curve/results.csv").exists());
    let (code, said, error) = switchlab(folder.path(), &["replay", "curve/manifest.json"]);
    assert!(code == 0 && said.starts_with("the same: 16 points"), "{error}");
    // And the other way: a curve reads what a sweep has kept.
    let again = run.iter().map(|word| if *word == "curve" { "file" } else { word }).collect::<Vec<_>>();
    assert_eq!(switchlab(folder.path(), &again).1, table);
    assert_eq!(units("file").len(), 32);
}

/// The reports of a curve are those of its points, each by itself.
#[test]
fn the_json_of_a_curve_is_that_of_its_points() {
    let folder = tempfile::tempdir().unwrap();
    let run = |load: &str| {
        json(folder.path(), &[&["run", "oq", "islip", "--ports", "4", "--load", load][..], &SHORT].concat())
    };
    let curve = run("0.5,0.9");
    assert_eq!(curve, [run("0.5"), run("0.9")].concat());
    assert_eq!(curve[3]["load"], 0.9);
    assert!(curve[3]["versus_first"]["mean"].is_number());
    assert_eq!(run("90%"), run("0.9"));
}

#[test]
fn what_is_for_one_point_is_refused_with_several() {
    let folder = tempfile::tempdir().unwrap();
    let run = ["run", "oq", "--ports", "4", "--load", "0.5,0.9", "--slots", "100"];
    let refused: [(&[&str], &str); 11] = [
        (&["--per-port"], "--per-port and --per-pair are measured at one point"),
        (&["--plot", "x.svg", "--kind", "voq"], "--kind voq are measured at one point"),
        (&["--departures", "d.csv"], "--departures records one point"),
        (&["--oq-lag"], "--oq-lag is measured at one point"),
        (&["--occupancy"], "--occupancy and --kind voq are measured at one point"),
        (&["--warmup", "auto"], "--warmup auto finds the warm-up of one point"),
        (&["--memory", "2GiB"], "--memory is for one point"),
        (&["--traffic", "uniform,nonsense"], "nonsense"),
        (&["--traffic", "uniform,uniform"], "uniform is listed twice"),
        (&["--plot", "x.gif"], "gif"),
        (&["--plot", "nowhere/x.svg"], "nowhere"),
    ];
    for (more, says) in refused {
        let (code, out, error) = switchlab(folder.path(), &[&run[..], more].concat());
        assert!(code == 2 && out.is_empty() && error.contains(says), "{more:?}: {error}");
    }
    for (load, says) in [
        ("0,9", "write 0.9"),
        ("100Gbps", "share of the line"),
        ("0.1:0.9", "a range is first:last:step, such as 0.1:0.9:0.1"),
        ("0.9:0.1:0.1", "empty"),
        ("0.5,1.5", "1.5"),
        ("0.5,0.5", "listed twice"),
    ] {
        let (code, _, error) = switchlab(folder.path(), &["run", "oq", "--ports", "4", "--load", load]);
        assert!(code == 2 && error.contains(says), "{load}: {error}");
    }
    let (code, _, error) = switchlab(folder.path(), &["run", "oq", "--ports", "-4", "--load", "0.5"]);
    assert!(code == 2 && error.contains("a switch has from 1 to 4096 ports"), "{error}");
    let (code, _, error) = switchlab(folder.path(), &["run", "oq", "--load", "0.5,0.9"]);
    assert!(code == 2 && error.contains("add --ports N"), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn other_pictures_and_tables_of_curves() {
    let folder = tempfile::tempdir().unwrap();
    let run = [&["run", "oq", "islip", "--ports", "4", "--load", "0.5,0.9"][..], &SHORT].concat();
    let with = |more: &[&str]| {
        let (code, out, error) = switchlab(folder.path(), &[&run[..], more].concat());
        assert_eq!(code, 0, "{more:?}: {error}");
        out
    };
    assert!(with(&["--counters"]).contains("islip, load 0.9"));
    assert!(with(&["--csv"]).starts_with("experiment,switch,ports"));
    assert!(with(&["--markdown"]).contains("| switch | load |"));
    assert!(with(&["--percentiles", "95"]).contains("p95"));
    assert!(with(&["--quiet"]).starts_with("switch"));
    for kind in ["ccdf", "backlog", "matrix", "curve"] {
        with(&["--plot", "x.svg", "--kind", kind]);
        assert!(std::fs::read_to_string(folder.path().join("x.svg")).unwrap().contains("<svg"));
    }
    with(&["--plot", "x.csv"]);
    assert!(std::fs::read_to_string(folder.path().join("x.csv")).unwrap().starts_with("load,"));
    // By ports alone.
    let (code, _, _) = switchlab(
        folder.path(),
        &[&["run", "oq", "--ports", "4:16:x2", "--load", "0.5", "--plot", "n.svg"][..], &SHORT].concat(),
    );
    assert_eq!(code, 0);
    assert!(std::fs::read_to_string(folder.path().join("n.svg")).unwrap().contains("Number of ports"));
}
