//! `switchlab deadlock` as a user has it.

use assert_cmd::Command;
use serde_json::Value;

fn switchlab(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("switchlab").expect("the program is built with its tests");
    command.args(arguments);
    command
}

fn json(arguments: &[&str]) -> Value {
    let output =
        switchlab(&[&["deadlock", "--json"], arguments].concat()).assert().success().get_output().stdout.clone();
    serde_json::from_slice(&output).expect("one JSON object and nothing else")
}

#[test]
fn the_sizes_of_the_theorem_are_proved_free() {
    let finding = json(&["--ports", "4"]);
    assert_eq!(
        (&finding["model"], &finding["fabric"], &finding["states"]),
        (&"free".into(), &"free".into(), &3672.into())
    );
    assert!(finding["trace"].is_null() && finding["circle"].as_array().is_some_and(Vec::is_empty));
}

#[test]
fn too_few_states_are_undecided() {
    let finding = json(&["--ports", "4", "--states", "100", "--steps", "1000", "--slots", "1000"]);
    assert_eq!(
        (&finding["model"], &finding["fabric"], &finding["states"]),
        (&"undecided".into(), &"undecided".into(), &100.into())
    );
}

#[test]
fn a_deadlock_is_written_as_a_trace_that_stops_the_fabric() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let out = folder.path().to_str().expect("test paths are text");
    let finding =
        json(&["--ports", "4", "--distribution", "ic", "--routing-buffer", "1", "--merge", "random", "--out", out]);
    assert_eq!((&finding["model"], &finding["fabric"]), (&"deadlock".into(), &"deadlock".into()));
    for name in ["model.svg", "fabric.svg"] {
        let svg = std::fs::read_to_string(folder.path().join(name)).expect("drawings are written");
        assert!(svg.contains("has to go after"), "{name}");
    }
    let again = [
        "--ports",
        "4",
        "--distribution",
        "ic",
        "--routing-buffer",
        "1",
        "--merge",
        "random",
        "--out",
        out,
        "--format",
        "pdf",
    ];
    json(&again);
    assert!(std::fs::read(folder.path().join("model.pdf")).expect("a drawing").starts_with(b"%PDF-"));
    let (switch, slots) = (finding["switch"].as_str().expect("a spec"), finding["trace"]["slots"].to_string());
    let traffic = format!("trace(file={out}/trace.csv)");
    let replay = ["run", switch, "--ports", "4", "--traffic", &traffic, "--slots", &slots];
    let stopped = switchlab(&replay).assert().code(1).get_output().stderr.clone();
    assert!(String::from_utf8_lossy(&stopped).contains("deadlock"));
}

#[test]
fn bad_input_is_explained() {
    for bad in [
        &["--ports", "6"][..],
        &["--ports", "8", "--radix", "4"],
        &["--ports", "4", "--routing-buffer", "0"],
        &["--ports", "4", "--distribution-buffer", "18446744073709551615"],
        &["--ports", "4", "--merge", "sometimes"],
        &["--ports", "4", "--states", "-1"],
    ] {
        let error = switchlab(&[&["deadlock"], bad].concat()).assert().code(2).get_output().stderr.clone();
        assert!(!String::from_utf8_lossy(&error).contains("panicked"), "{bad:?}");
    }
}
