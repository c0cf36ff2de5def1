//! `switchlab explore` writes the page and says its address; mistakes are reported before.

use std::process::Command;

fn explore(arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_switchlab"));
    let output = command.arg("explore").args(arguments).output().expect("the program is built with its tests");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn the_page_is_written_and_its_address_has_what_was_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a b.html");
    let file = path.to_str().unwrap();
    let (code, stdout, stderr) = explore(&["islip(iterations=2)", "--ports", "8", "--slot", "7", "--out", file]);
    assert_eq!((code, stderr.as_str()), (Some(0), ""));
    let (address, fragment) = stdout.trim_end().split_once('#').unwrap();
    assert!(address.starts_with("file:///") && address.ends_with("/a%20b.html"), "{address}");
    let expected =
        "view=slot&switch=islip%28iterations%3D2%29&ports=8&traffic=uniform&arrivals=bernoulli&load=0.9&seed=1&slot=7";
    assert_eq!(fragment, expected);
    let page = std::fs::read_to_string(&path).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"));
    let (_, stdout, _) = explore(&["oq", "islip", "--out", file]);
    assert!(stdout.contains("#view=race&switch=oq&switch=islip&ports=16&"), "{stdout}");
}

#[test]
fn mistakes_are_reported_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    for (wrong, says) in [
        (&["isslip"][..], "islip"),
        (&["islip(iteration=2)"], "iterations"),
        (&["oq", "oq", "oq", "oq", "oq"], "at most 4"),
        (&["oq", "--ports", "65"], "64"),
        (&["oq", "--traffic", "unifrom"], "uniform"),
        (&["oq", "--traffic", "matrix(file=m.csv)"], "m.csv"),
        (&["oq", "--arrivals", "poisson"], "bernoulli"),
        (&["oq", "--slot", "300000"], "200000"),
        (&["benes", "--ports", "7"], "benes"),
    ] {
        let (code, stdout, stderr) = explore(&[wrong, &["--out", path.to_str().unwrap()]].concat());
        assert_eq!((code, stdout.as_str()), (Some(2), ""), "{wrong:?}: {stderr}");
        assert!(stderr.contains(says), "{wrong:?}: {stderr}");
        assert!(!path.exists());
    }
}

/// Another user's page in the folder of temporary files is not replaced: here a folder of its name
/// stands for it. No browser is found.
#[test]
fn a_page_of_another_user_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let address = |expected: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_switchlab"));
        let output = command.args(["explore", "islip"]).env("TMPDIR", folder.path()).env("PATH", "").output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(said.contains(expected), "{said}");
    };
    address("/switchlab-explorer.html#");
    std::fs::remove_file(folder.path().join("switchlab-explorer.html")).unwrap();
    std::fs::create_dir(folder.path().join("switchlab-explorer.html")).unwrap();
    address("/switchlab-explorer-");
}
