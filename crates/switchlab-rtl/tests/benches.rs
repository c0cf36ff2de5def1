//! The circuits in simulation, against the vectors of the library: as written, and as synthesized
//! to gates.
//!
//! What needs a tool that is not there is left out, with a notice on stderr. The full lengths are
//! ignored tests, to be asked for: `cargo test -p switchlab-rtl --test benches -- --ignored`.

use std::path::Path;
use std::process::{Command, Stdio};
use switchlab_rtl::report::printed;
use switchlab_rtl::synthesis::synthesize;
use switchlab_rtl::vectors::Plan;
use switchlab_rtl::{Circuit, Design};

const DESIGNS: [Design; 2] = [Design::Literal, Design::Optimised];

/// Whether all these tools are installed. Says which one is not; under CI that is a failure, since
/// a test that was left out would count as passed.
fn have(tools: &[(&str, &str)]) -> bool {
    tools.iter().all(|(tool, version)| {
        let ran =
            Command::new(tool).arg(version).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
        let is_there = ran.is_ok_and(|status| status.success());
        if !is_there {
            assert!(std::env::var("CI").as_deref() != Ok("true"), "{tool} is not installed");
            eprintln!("left out: {tool} is not installed");
        }
        is_there
    })
}

const MAKE: (&str, &str) = ("make", "--version");
const IVERILOG: (&str, &str) = ("iverilog", "-V");
const YOSYS: (&str, &str) = ("yosys", "-V");
const VERILATOR: (&str, &str) = ("verilator", "--version");

/// Runs a target of the circuit's own Makefile, which must succeed; what it said.
fn make(directory: &Path, target: &str) -> String {
    let output = Command::new("make").args(["-s", target]).current_dir(directory).output().expect("make was there");
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "make {target} in {}: {said}", directory.display());
    said
}

fn write(circuit: &Circuit, directory: &Path, rooted: usize) {
    for file in circuit.files_with_vectors(&Plan { rooted: Some(rooted), seed: 1 }).unwrap() {
        std::fs::write(directory.join(file.name), file.text).unwrap();
    }
}

/// Writes a circuit with this many rooted vectors, and runs these targets; each must pass all of
/// them.
fn bench(circuit: &Circuit, rooted: usize, targets: &[&str]) {
    let directory = tempfile::tempdir().unwrap();
    write(circuit, directory.path(), rooted);
    let example = usize::from((circuit.rows(), circuit.columns()) == (4, 4));
    let instances = rooted + rooted.div_ceil(10) + example;
    for target in targets {
        let said = make(directory.path(), target);
        let passed = format!("PASS {} x {}: {instances} instances, ", circuit.rows(), circuit.columns());
        assert!(said.contains(&passed), "{} {target}: {said}", circuit.command());
    }
}

fn square(design: Design, ports: usize) -> Circuit {
    Circuit::new(design, ports, ports).unwrap()
}

/// Circuits with every option, and rectangular ones.
fn others(design: Design) -> impl Iterator<Item = Circuit> {
    let sizes = [(2, 2, true, true), (4, 4, true, false), (5, 5, false, true), (7, 7, true, true)];
    let rectangles =
        [(3, 5, false, false), (5, 3, false, false), (4, 6, true, false), (8, 3, true, true), (2, 9, false, true)];
    let all = sizes.into_iter().chain(rectangles);
    all.map(move |(rows, columns, ties, incomplete)| {
        Circuit::new(design, rows, columns).unwrap().with(ties, incomplete)
    })
}

#[test]
fn the_rtl_agrees_with_the_library() {
    if !have(&[MAKE, IVERILOG]) {
        return;
    }
    for design in DESIGNS {
        for (ports, rooted) in [(2, 1000), (4, 1000), (8, 300), (13, 100)] {
            bench(&square(design, ports), rooted, &["test"]);
        }
    }
}

#[test]
fn ties_absent_pairs_and_rectangles_agree_with_the_library() {
    if !have(&[MAKE, IVERILOG]) {
        return;
    }
    for design in DESIGNS {
        for circuit in others(design) {
            bench(&circuit, 300, &["test"]);
        }
    }
}

#[test]
fn the_netlist_agrees_with_the_library() {
    if !have(&[MAKE, IVERILOG, YOSYS]) {
        return;
    }
    for (design, ports, rooted) in [
        (Design::Literal, 2, 1000),
        (Design::Literal, 4, 300),
        (Design::Optimised, 2, 1000),
        (Design::Optimised, 4, 300),
        (Design::Optimised, 8, 50),
    ] {
        bench(&square(design, ports), rooted, &["netlist"]);
    }
    for design in DESIGNS {
        bench(&Circuit::new(design, 3, 4).unwrap().with(true, true), 300, &["netlist"]);
    }
}

#[test]
fn the_area_is_below_table_2_and_below_half_of_it() {
    if have(&[YOSYS]) {
        [2, 4, 6].into_iter().for_each(area_is_small);
    }
}

fn area_is_small(ports: usize) {
    for (design, share) in [(Design::Literal, 1.0), (Design::Optimised, 0.5)] {
        let circuit = square(design, ports);
        let directory = tempfile::tempdir().unwrap();
        write(&circuit, directory.path(), 1);
        let gates = synthesize(directory.path()).unwrap().equivalent_gates();
        let most = printed(&circuit).unwrap().area as f64 * share;
        assert!((gates as f64) < most, "{}: {gates} gates, at most {most}", circuit.command());
    }
}

#[test]
fn lint_finds_nothing() {
    if !have(&[MAKE, VERILATOR]) {
        return;
    }
    for design in DESIGNS {
        let squares = [2, 4, 8, 13].map(|ports| square(design, ports));
        squares.into_iter().chain(others(design)).for_each(|circuit| lint(&circuit));
    }
}

fn lint(circuit: &Circuit) {
    let directory = tempfile::tempdir().unwrap();
    write(circuit, directory.path(), 1);
    assert_eq!(make(directory.path(), "lint"), "", "{}", circuit.command());
}

/// A bench that cannot fail proves nothing: one wrong column in the vectors must be found.
#[test]
fn a_wrong_result_is_found() {
    if !have(&[MAKE, IVERILOG]) {
        return;
    }
    for design in DESIGNS {
        let directory = tempfile::tempdir().unwrap();
        write(&square(design, 4), directory.path(), 10);
        let file = directory.path().join("vectors.txt");
        // Example 1: row 4 has column 2.
        let vectors = std::fs::read_to_string(&file).unwrap();
        assert!(vectors.contains(" 3 4 1 2\n"));
        std::fs::write(&file, vectors.replacen(" 3 4 1 2\n", " 3 4 1 1\n", 1)).unwrap();
        let output = Command::new("make").args(["-s", "test"]).current_dir(directory.path()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(!output.status.success() && said.contains("instance 1, row 4: expected column 1, got 2"), "{said}");
    }
}

/// This file's tests in a process of their own, without any tool; what they printed.
fn without_tools(ci: Option<&str>) -> String {
    let mut tests = Command::new(std::env::current_exe().unwrap());
    tests.args(["--skip", "a_missing_tool"]).env("PATH", "/nonexistent").env_remove("CI");
    tests.envs(ci.map(|value| ("CI", value)));
    String::from_utf8_lossy(&tests.output().unwrap().stdout).into_owned()
}

/// Under CI every test here fails without its tools. Elsewhere every one is left out.
#[test]
fn a_missing_tool_is_a_failure_under_ci() {
    let said = without_tools(Some("true"));
    assert!(said.contains("test result: FAILED. 0 passed; 6 failed"), "{said}");
    assert_eq!(said.matches(" is not installed").count(), 6, "{said}");
    let said = without_tools(None);
    assert!(said.contains("test result: ok. 6 passed; 0 failed"), "{said}");
}

#[test]
#[ignore = "minutes: 1,000 rooted instances for each size, in gates"]
fn a_thousand_rooted_instances_literal() {
    a_thousand_rooted_instances(Design::Literal);
}

#[test]
#[ignore = "minutes: 1,000 rooted instances for each size, in gates"]
fn a_thousand_rooted_instances_optimised() {
    a_thousand_rooted_instances(Design::Optimised);
}

fn a_thousand_rooted_instances(design: Design) {
    assert!(have(&[MAKE, IVERILOG, YOSYS]), "install the tools first");
    for circuit in others(design).chain([2, 4, 8, 12, 13].map(|ports| square(design, ports))) {
        bench(&circuit, 1000, &["test", "netlist"]);
        eprintln!("{}: 1,000 rooted and 100 other instances, in RTL and in gates", circuit.command());
    }
}

#[test]
#[ignore = "minutes: synthesis of all sizes of Table II"]
fn the_area_at_every_size_of_table_2() {
    assert!(have(&[YOSYS]), "install yosys first");
    [2, 4, 6, 8, 10, 12].into_iter().for_each(area_is_small);
}

#[test]
#[ignore = "minutes: the largest array"]
fn the_largest_array() {
    assert!(have(&[MAKE, IVERILOG, VERILATOR]), "install the tools first");
    for design in DESIGNS {
        bench(&square(design, 64), 5, &["test"]);
        bench(&square(design, 63).with(true, true), 5, &["test"]);
        lint(&square(design, 64));
    }
}
