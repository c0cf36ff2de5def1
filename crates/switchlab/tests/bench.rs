//! `switchlab bench`: records of defined benchmarks, and documents with their tables.

use assert_cmd::Command;
use std::path::Path;

const DEFINITIONS: &str = "ports = 4\nload = 0.5\nslots = 100\n\
    [[benchmark]]\nswitch = 'tdm'\n\
    [[benchmark]]\nswitch = 'islip'\nmost_times_floor = 1e-9\npublic = { simulator = 'somebody', slots_per_second = 2 }\n\
    [scaling]\nsizes = [{ ports = 4, slots = 100 }, { ports = 8, slots = 100 }]\nfit_from = 4\n\
    [[scaling.switch]]\nswitch = 'oq'\nmost_memory = { ports = 8, bytes = 1e12 }\n";

/// What `switchlab bench` does in a folder of benchmarks: exit code, stdout, stderr.
fn bench(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::cargo_bin("switchlab").unwrap();
    let output = command.arg("bench").arg("--benchmarks").arg(folder).args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

/// The definitions with the departures that the check has named.
fn with_departures(told: &str) -> String {
    let mut departures = told.lines().filter_map(|line| line.split_once("departures = ")?.1.split(',').next());
    let line = |line: &str| {
        let more = if line.starts_with("switch") { departures.next() } else { None };
        more.map_or(format!("{line}\n"), |more| format!("{line}\ndepartures = {more}\n"))
    };
    DEFINITIONS.lines().map(line).collect()
}

#[test]
fn a_record_checks_departures_first_and_gives_the_tables_of_a_document() {
    let folder = tempfile::tempdir().unwrap();
    let (definitions, page) = (folder.path().join("definitions.toml"), folder.path().join("page.md"));
    let quick = ["--record", "--turns", "2", "--turn", "1", "--note", "a test", "--document", page.to_str().unwrap()];
    std::fs::write(&definitions, DEFINITIONS).unwrap();
    let page_before = "top\n<!-- table: limits -->\n<!-- end -->\nmiddle\n<!-- table: time -->\n<!-- end -->\nend\n";
    std::fs::write(&page, page_before).unwrap();

    let (code, said, told) = bench(folder.path(), &quick);
    assert_eq!((code, said.as_str()), (1, ""));
    assert!(told.contains("islip at 4 ports, load 0.5, uniform, bernoulli: departures = \""), "{told}");
    assert!(told.contains("nothing was measured"), "{told}");

    let right = with_departures(&told);
    std::fs::write(&definitions, &right).unwrap();
    let (code, said, told) = bench(folder.path(), &quick);
    assert_eq!(code, 0, "{told}");
    for part in ["(a test)", "at most 0.000000001 x floor", "**not kept**", "under 1000000 MB at N = 8", "somebody"] {
        assert!(said.contains(part), "{part} is not in\n{said}");
    }
    let shown = std::fs::read_to_string(&page).unwrap();
    assert!(shown.starts_with("top\n") && shown.contains("\nmiddle\n") && shown.ends_with("\nend\n"), "{shown}");
    assert!(shown.contains("| exponent |") && shown.contains("**not kept**"), "{shown}");
    // Without measuring, the same tables from the same record.
    assert_eq!(bench(folder.path(), &["--document", page.to_str().unwrap()]).0, 0);
    assert_eq!(std::fs::read_to_string(&page).unwrap(), shown);

    // Another seed, other departures.
    std::fs::write(&definitions, format!("seed = 2\n{right}")).unwrap();
    let (code, _, told) = bench(folder.path(), &quick);
    assert!(code == 1 && told.contains(", and the definition says \""), "{told}");
}

#[test]
fn without_valgrind_it_says_what_to_install() {
    let folder = tempfile::tempdir().unwrap();
    let definitions = folder.path().join("definitions.toml");
    std::fs::write(&definitions, DEFINITIONS).unwrap();
    let (_, _, told) = bench(folder.path(), &["--record"]);
    std::fs::write(&definitions, with_departures(&told)).unwrap();
    let mut command = Command::cargo_bin("switchlab").unwrap();
    let arguments = ["bench", "--record", "--instructions", "--turns", "1", "--turn", "1", "--benchmarks"];
    let output = command.args(arguments).arg(folder.path()).env("PATH", folder.path()).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && told.contains("apt-get install valgrind"), "{told}");
}

#[test]
fn a_folder_or_document_that_will_not_do_is_told_of() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.md");
    assert!(bench(folder.path(), &["--record"]).2.contains("cannot read"));
    assert!(bench(folder.path(), &["--document", page.to_str().unwrap()]).2.contains("cannot read"));
    std::fs::write(&page, "no tables\n").unwrap();
    let (code, _, told) = bench(folder.path(), &["--document", page.to_str().unwrap()]);
    assert!(code == 2 && told.contains("holds no record"), "{told}");
    assert_eq!(bench(folder.path(), &["islip", "--record"]).0, 2);
    assert_eq!(bench(folder.path(), &["--instructions"]).0, 2);
}
