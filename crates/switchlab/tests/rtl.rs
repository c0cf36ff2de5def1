//! `switchlab rtl`: what it writes, and what it says when it cannot.

use assert_cmd::Command;
use std::path::Path;

fn rtl(out: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("switchlab").expect("the program is built with its tests");
    command.args(["rtl", "find-roots"]).args(arguments).arg("--out").arg(out);
    command
}

#[test]
fn a_circuit_goes_to_the_directory_and_several_below_it() {
    let out = tempfile::tempdir().unwrap();
    rtl(&out.path().join("one"), &["--ports", "4", "--vectors", "5"]).assert().success();
    let vectors = std::fs::read_to_string(out.path().join("one/vectors.txt")).unwrap();
    // Example 1, five rooted instances and one of any kind, after their number.
    assert_eq!((vectors.lines().next(), vectors.lines().count()), (Some("7"), 8));
    rtl(&out.path().join("many"), &["--ports", "2,3", "--design", "literal,optimised,pipelined", "--vectors", "5"])
        .assert()
        .success();
    for name in ["literal-2", "literal-3", "optimised-2", "optimised-3", "pipelined-2", "pipelined-3"] {
        for file in ["find_roots.v", "find_roots_node.v", "find_roots_tb.v", "Makefile", "synth.ys", "vectors.txt"] {
            assert!(out.path().join("many").join(name).join(file).is_file(), "{name}/{file}");
        }
    }
}

#[test]
fn the_same_command_gives_the_same_bytes() {
    let out = tempfile::tempdir().unwrap();
    let arguments = ["--ports", "5", "--columns", "3", "--strict", "--complete", "--overlap", "--vectors", "20"];
    let read = |name: &str| {
        rtl(&out.path().join(name), &arguments).assert().success();
        let files = std::fs::read_dir(out.path().join(name)).unwrap().map(|entry| entry.unwrap().path());
        let mut files: Vec<_> =
            files.map(|file| (file.file_name().unwrap().to_owned(), std::fs::read(&file).unwrap())).collect();
        files.sort();
        files
    };
    assert_eq!(read("a"), read("b"));
}

/// Circuits take ties and absent pairs unless they are told not to. The flags of before, which
/// asked for what is now the default, change nothing.
#[test]
fn ties_and_absent_pairs_are_the_default() {
    let out = tempfile::tempdir().unwrap();
    let top = |name: &str, flags: &[&str]| {
        rtl(&out.path().join(name), &[&["--ports", "3", "--vectors", "5"], flags].concat()).assert().success();
        std::fs::read_to_string(out.path().join(name).join("find_roots.v")).unwrap()
    };
    let plain = top("a", &[]);
    assert!(plain.contains("parameter TIES       = 1,") && plain.contains("parameter INCOMPLETE = 1,"));
    assert_eq!(plain, top("b", &["--ties", "--incomplete"]));
    let strict = top("c", &["--strict", "--complete"]);
    assert!(strict.contains("parameter TIES       = 0,") && strict.contains("parameter INCOMPLETE = 0,"));
    for flags in [["--strict", "--ties"], ["--complete", "--incomplete"]] {
        rtl(&out.path().join("d"), &[&["--ports", "3"], &flags[..]].concat()).assert().code(2);
    }
}

#[test]
fn a_liberty_file_that_is_not_there_is_an_error() {
    let out = tempfile::tempdir().unwrap();
    let arguments = ["--ports", "2", "--synthesize", "--liberty", "/nonexistent/cells.lib"];
    let assert = rtl(out.path(), &arguments).assert().code(2);
    let said = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(said.contains("/nonexistent/cells.lib"), "{said}");
}

#[test]
fn without_yosys_the_circuit_is_written_and_the_message_says_what_to_do() {
    let out = tempfile::tempdir().unwrap();
    let assert = rtl(out.path(), &["--ports", "2", "--synthesize"]).env("PATH", "/nonexistent").assert().code(2);
    let said = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(said.contains("apt-get install yosys") && said.contains(&out.path().display().to_string()), "{said}");
    assert!(out.path().join("find_roots.v").is_file());
}

#[test]
fn what_cannot_be_built_is_an_error() {
    let out = tempfile::tempdir().unwrap();
    for (arguments, expected) in [
        (["--ports", "1", "--vectors", "5"], "from 2 to 64"),
        (["--ports", "65", "--vectors", "5"], "from 2 to 64"),
        (["--ports", "4", "--columns", "1"], "from 2 to 64"),
        (["--ports", "4", "--vectors", "0"], "--vectors must be from 1"),
        (["--ports", "4", "--design", "literl"], "literal"),
        (["--ports", "4,", "--seed", "1"], "invalid value"),
    ] {
        let assert = rtl(out.path(), &arguments).assert().code(2);
        let said = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        assert!(said.contains(expected), "{arguments:?}: {said}");
    }
}
