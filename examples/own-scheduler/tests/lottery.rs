//! The scheduler has all of the laboratory: the conformance suite, a paired table, a sweep, and the
//! other commands.

use assert_cmd::Command;
use own_scheduler::LOTTERY;
use switchlab_conformance::{Expected, Idle, SIZES, Subject, check};
use switchlab_core::registry::Registry;
use switchlab_lab::report::json::Report;
use switchlab_lab::{Progress, Request, compare};

#[test]
fn it_conforms_at_every_size() {
    let mut registry = Registry::new();
    registry.register(&LOTTERY).unwrap();
    let maximal = Expected { idle: Idle::Maximal, ..Expected::CROSSBAR };
    assert_eq!(check(&Subject::new(&registry, "lottery", maximal).unwrap(), &SIZES), Vec::<String>::new());
}

#[test]
fn it_is_compared_on_the_same_arrivals() {
    switchlab_lab::registry::register(&LOTTERY).unwrap();
    let request = Request {
        switches: ["oq", "islip", "lottery"].map(String::from).to_vec(),
        ports: Some(16),
        load: Some(0.6),
        slots: Some(20_000),
        ..Request::default()
    };
    let plan = request.resolve().unwrap();
    let reports = Report::all(&plan, &compare(&plan, &Progress::none()).unwrap(), false);
    let delays: Vec<f64> = reports.iter().map(|report| report.delay.mean.unwrap()).collect();
    assert_eq!(reports[0].cells.arrived, reports[2].cells.arrived, "the arrivals are the same");
    assert!(delays[0] < delays[2] && delays[2] < delays[1], "oq < lottery < islip at 0.6: {delays:?}");
    let paired = reports[2].versus_first.as_ref().unwrap();
    assert!((paired.mean - (delays[2] - delays[0])).abs() < 1e-9);
    assert!(paired.ci95.unwrap() > 0.0);
}

fn own(arguments: &[&str]) -> String {
    let output = Command::cargo_bin("own-scheduler").unwrap().args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_command_line_knows_it() {
    let run = ["run", "oq", "islip", "lottery", "--ports", "16", "--load", "0.6", "--slots", "2000"];
    let table = own(&run);
    assert!(["oq", "islip", "lottery"].iter().all(|name| table.lines().any(|line| line.starts_with(name))), "{table}");
    assert!(own(&["list"]).contains("each output draws one of its VOQs"));
    assert!(own(&["explain", "lottery"]).contains("the matching is maximal"));
    assert!(own(&["audit", "lottery", "--ports", "8", "--load", "0.9", "--slots", "500"]).contains("lottery"));
    assert!(own(&["step", "lottery", "--ports", "4", "--load", "0.9", "--slots", "2"]).contains("lottery"));
    let limit = ["limit", "lottery", "--ports", "4", "--slots", "2000", "--replications", "4", "--precision", "0.1"];
    assert!(own(&limit).contains("lottery"));
    assert!(own(&["bench", "lottery", "--ports", "16", "--turns", "1", "--turn", "1"]).contains("lottery"));
}

/// A sweep stores its results under the fingerprint of the scheduler, evaluates a claim about it,
/// and finds them again.
#[test]
fn it_is_swept_and_resumed() {
    let dir = tempfile::tempdir().unwrap();
    let experiment = dir.path().join("lottery.toml");
    std::fs::write(
        &experiment,
        "title = \"Lottery\"\nswitches = [\"oq\", \"lottery\"]\nports = 8\nloads = [0.3, 0.6]\nslots = 2000\n",
    )
    .unwrap();
    let out = dir.path().join("out");
    let arguments = ["sweep", experiment.to_str().unwrap(), "--out", out.to_str().unwrap()];
    let first = own(&arguments);
    assert!(first.contains("lottery"), "{first}");
    let csv = std::fs::read_to_string(out.join("results.csv")).unwrap();
    assert_eq!(csv.lines().filter(|line| line.contains(",lottery,")).count(), 2, "{csv}");
    let units = std::fs::read_to_string(out.join("units.jsonl")).unwrap();
    own(&arguments);
    assert_eq!(std::fs::read_to_string(out.join("units.jsonl")).unwrap(), units, "nothing was run again");
}
