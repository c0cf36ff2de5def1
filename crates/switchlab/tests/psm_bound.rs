//! `switchlab psm-bound`: what it says, and the traces that it writes, replayed.

use assert_cmd::Command;

fn switchlab(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::cargo_bin("switchlab").expect("the program is built with its tests").args(arguments).output();
    let output = output.unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn failing_traces_are_replayed_into_the_stop() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    for (ports, capacity, stops) in [("2", "4", 2), ("4", "4", 4), ("3", "2", 1)] {
        let (code, json, _) =
            switchlab(&["psm-bound", "--ports", ports, "--capacity", capacity, "--out", out, "--json"]);
        assert_eq!(code, Some(0));
        let all: serde_json::Value = serde_json::from_str(&json).unwrap();
        let mut stopped = 0;
        for one in all.as_array().unwrap().iter().filter(|one| one["verdict"] == "fails") {
            let traffic = format!("trace(file=\"{}\")", one["trace"].as_str().unwrap());
            let (code, _, errors) =
                switchlab(&["run", one["switch"].as_str().unwrap(), "--ports", ports, "--traffic", &traffic]);
            assert_eq!(code, Some(1), "{errors}");
            assert!(errors.contains(&format!("stopped: slot {}: the cell", one["fails_in_slot"])), "{one}: {errors}");
            stopped += 1;
        }
        assert_eq!(stopped, stops, "{json}");
    }
}

/// A maximum matching at 2N-2, striped flows at N+P-2, memories of one access at 3N-2.
#[test]
fn adversaries_stop_the_switches_that_they_are_for() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    for (options, ports, stops, said) in [
        (
            &["--capacity", "40", "--matcher", "maximum"][..],
            "9",
            8,
            "so no assignment places them all; use 17 memories",
        ),
        (&["--stripe", "5"], "4", 4, "use 8 memories"),
        (&["--stripe", "1"], "1", 0, ""),
        (&["--capacity", "5", "--access", "single"], "2", 3, "use 5 memories, which are always enough"),
    ] {
        let arguments = [&["psm-bound", "--ports", ports, "--out", out, "--json"], options].concat();
        let (code, json, errors) = switchlab(&arguments);
        assert_eq!(code, Some(0), "{errors}");
        let all: serde_json::Value = serde_json::from_str(&json).unwrap();
        let failing: Vec<_> = all.as_array().unwrap().iter().filter(|one| one["verdict"] == "fails").collect();
        assert_eq!(failing.len(), stops, "{json}");
        for one in failing {
            let traffic = format!("trace(file=\"{}\")", one["trace"].as_str().unwrap());
            let (code, _, errors) =
                switchlab(&["run", one["switch"].as_str().unwrap(), "--ports", ports, "--traffic", &traffic]);
            assert_eq!(code, Some(1), "{errors}");
            assert!(errors.contains(&format!("stopped: slot {}: the cell", one["fails_in_slot"])), "{one}: {errors}");
            // The message is wrapped.
            let text = errors.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(text.contains(said) && !text.contains("matcher=maximum "), "{text}");
        }
    }
    let (_, text, _) = switchlab(&["psm-bound", "--ports", "4", "--stripe", "4"]);
    assert!(text.contains("4 ports, flows striped over 4 memories; N+P-1 = 7"), "{text}");
    assert!(text.contains("first-fit survives with 7 memories or more"), "{text}");
    for bad in [&["--stripe", "4", "--capacity", "3"][..], &["--stripe", "0"], &["--access", "single"], &[]] {
        assert_eq!(switchlab(&[&["psm-bound", "--ports", "4"], bad].concat()).0, Some(2), "{bad:?}");
    }
}

#[test]
fn the_table_concludes() {
    let (code, text, _) = switchlab(&["psm-bound", "--ports", "3", "--capacity", "5"]);
    assert_eq!(code, Some(0));
    assert!(text.contains("\nsome scheduler survives with 4 memories or more\n"), "{text}");
    assert!(text.contains("\nfirst-fit survives with 5 memories or more\n"), "{text}");
    let (_, text, _) = switchlab(&["psm-bound", "--ports", "16", "--capacity", "64", "--matcher", "any"]);
    assert!(text.contains("with 31 memories or more; with fewer it is not known"), "{text}");
    let (_, text, _) =
        switchlab(&["psm-bound", "--ports", "4", "--capacity", "8", "--states", "50", "--memories", "5"]);
    assert!(text.contains("undecided") && text.contains("--states"), "{text}");
}

#[test]
fn bad_input_is_told() {
    for bad in [
        ["--ports", "0", "--capacity", "4"],
        ["--ports", "4097", "--capacity", "4"],
        ["--ports", "2", "--capacity", "0"],
        ["--ports", "2", "--capacity", "x"],
    ] {
        let (code, _, errors) = switchlab(&[&["psm-bound"], &bad[..]].concat());
        assert_eq!(code, Some(2), "{bad:?}");
        assert!(errors.contains("error"), "{errors}");
    }
    for (flag, value) in [("--memories", "0"), ("--memories", "16385"), ("--memories", "-1"), ("--matcher", "halving")]
    {
        let (code, ..) = switchlab(&["psm-bound", "--ports", "2", "--capacity", "4", flag, value]);
        assert_eq!(code, Some(2), "{flag} {value}");
    }
    // A number of memories and cells beyond all bounds is not searched.
    let (code, text, _) = switchlab(&["psm-bound", "--ports", "2", "--capacity", "18446744073709551615"]);
    assert_eq!(code, Some(0));
    assert!(text.contains("too large to search"), "{text}");
}
