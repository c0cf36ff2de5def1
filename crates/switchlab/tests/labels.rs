//! Classes, flows and oversubscribed outputs, from the command line.

use assert_cmd::Command;
use serde_json::Value;
use std::path::Path;

/// Runs the program in a folder: its exit code, stdout and stderr.
fn switchlab(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("switchlab").unwrap().current_dir(folder).args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn json(folder: &Path, arguments: &[&str]) -> Value {
    let (code, stdout, stderr) = switchlab(folder, arguments);
    assert_eq!(code, 0, "{stderr}");
    serde_json::from_str(&stdout).unwrap()
}

/// Two cells for one output in a slot: the one of class 1 is first, since oq does not look at it.
#[test]
fn a_trace_has_classes_and_flows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    std::fs::write(path.join("t.csv"), "slot,input,output,class,flow\n0,0,1,1,3\n0,1,1,0,2\n1,0,1,0,0\n").unwrap();
    let report = json(path, &["run", "oq", "--traffic", "trace(file=t.csv)", "--json"]);
    let classes = report[0]["classes"].as_array().unwrap();
    let figures = |class: &Value| [&class["arrived"], &class["departed"], &class["delay"]["max"]].map(Value::as_u64);
    assert_eq!(figures(&classes[0]), [Some(2), Some(2), Some(1)]);
    assert_eq!(figures(&classes[1]), [Some(1), Some(1), Some(0)]);
    let (code, stdout, _) = switchlab(path, &["run", "oq", "--traffic", "trace(file=t.csv)"]);
    assert!(code == 0 && stdout.contains("cells by class"), "{stdout}");
    let (code, stdout, _) = switchlab(path, &["step", "oq", "--traffic", "trace(file=t.csv)", "--slots", "2"]);
    assert!(code == 0 && stdout.contains("0->1 class 1 flow 3  1->1 class 0 flow 2"), "{stdout}");
    let step = json(path, &["step", "oq", "--traffic", "trace(file=t.csv)", "--json"]);
    assert_eq!(step[0]["arrived"][1]["flow"], 2);
    std::fs::write(path.join("bad.csv"), "slot,input,output,class\n0,0,1,8\n").unwrap();
    let (code, _, stderr) = switchlab(path, &["run", "oq", "--traffic", "trace(file=bad.csv)"]);
    assert!(code == 2 && stderr.contains("class must be a whole number from 0 to 7"), "{stderr}");
}

#[test]
fn generated_traffic_has_classes_in_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let run = |traffic: &str| {
        json(path, &["run", "islip", "-n", "4", "--load", "0.8", "--traffic", traffic, "--slots", "2000", "--json"])
    };
    let (plain, labelled) = (run("uniform"), run("uniform(classes=1:3,flows=4)"));
    assert_eq!(plain[0]["delay"], labelled[0]["delay"]);
    assert_eq!(plain[0].get("classes"), None);
    assert_eq!(labelled[0]["classes"].as_array().unwrap().len(), 2);
    assert!(labelled[0]["counters"]["delay_class_1"].as_f64().unwrap() > 0.0);
    let experiment = "title = 'classes'\nswitches = ['islip']\nports = 4\ntraffic = 'uniform(classes=2)'\nloads = [0.5]\n\
        slots = 1000\nwarmup = 100\nreplications = 2\n[[figure]]\nid = 'f'\nx = 'load'\ny = 'counters.delay_class_0'\n";
    std::fs::write(path.join("e.toml"), experiment).unwrap();
    let (code, _, stderr) = switchlab(path, &["sweep", "e.toml", "--out", "o"]);
    assert_eq!(code, 0, "{stderr}");
    let table = std::fs::read_to_string(path.join("o/results.csv")).unwrap();
    assert!(table.contains("counters.delay_class_0") && table.contains("uniform(classes=2)"), "{table}");
    let limit =
        ["limit", "islip", "-n", "4", "--traffic", "uniform(classes=2)", "--slots", "4000", "--precision", "0.5"];
    assert_eq!(switchlab(path, &limit).0, 0);
    for (bad, part) in [
        ("uniform(classes=0)", "classes must be a whole number from 1 to 8, or weights"),
        ("uniform(classes=9)", "from 1 to 8"),
        ("uniform(flows=1:0)", "weights from 1 to 1000 such as 1:3"),
        ("trace(file=t.csv,classes=2)", "no parameter \"classes\""),
    ] {
        let (code, _, stderr) = switchlab(path, &["run", "oq", "-n", "4", "--load", "0.5", "--traffic", bad]);
        assert!(code == 2 && stderr.contains(part), "{bad}: {stderr}");
    }
}

#[test]
fn outputs_are_oversubscribed_by_name_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    std::fs::write(path.join("m.csv"), "0.9,0.1\n0.6,0.2\n").unwrap();
    let length = ["--slots", "3000", "--replications", "2"];
    let run = |rest: &[&str]| {
        let arguments: Vec<&str> = ["run", "oq"].iter().chain(rest).chain(&length).copied().collect();
        switchlab(path, &arguments)
    };
    let (code, _, stderr) = run(&["--traffic", "matrix(file=m.csv)"]);
    assert!(code == 2 && stderr.contains("column 0 sums to 1.5") && stderr.contains("--overload"), "{stderr}");
    for asked in
        [&["--traffic", "matrix(file=m.csv)", "--overload"][..], &["--traffic", "matrix(file=m.csv,overload=yes)"]]
    {
        let (code, stdout, stderr) = run(asked);
        assert_eq!(code, 0, "{stderr}");
        assert!(stdout.contains("1 of 2 outputs are oversubscribed") && stdout.contains("stable"), "{stdout}");
    }
    let report = json(path, &["run", "oq", "--traffic", "matrix(m.csv)", "--overload", "--slots", "3000", "--json"]);
    assert_eq!(report[0]["verdict"], "stable");
    assert_eq!(report[0]["oversubscribed"]["utilisation"], 1.0);
    assert!(report[0]["within_share"]["delay"]["mean"].as_f64().unwrap() < 1.0);
    let (code, _, stderr) = run(&["-n", "4", "--load", "0.5", "--overload"]);
    assert!(code == 2 && stderr.contains("hotspot(rate=2)"), "{stderr}");
    let (code, _, stderr) = run(&["-n", "4", "--load", "0.9", "--traffic", "hotspot(count=2,rate=2)"]);
    assert!(code == 2 && stderr.contains("at most 1"), "{stderr}");
    let (code, stdout, stderr) = run(&["-n", "16", "--load", "0.3,0.5", "--traffic", "hotspot(count=2,rate=2)"]);
    assert!(code == 0 && stdout.contains("oversubscribed"), "{stderr}{stdout}");
    let scaled = run(&["--traffic", "matrix(file=m.csv)", "--overload", "--load", "1.1"]);
    assert!(scaled.0 == 2 && scaled.2.contains("scaled by 0 to 1"), "{}", scaled.2);
}
