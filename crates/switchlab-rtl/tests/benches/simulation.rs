//! The circuits in simulation, against the vectors of the library: as written, and as synthesized
//! to gates. What they come to in gates and ns.

use crate::tools::{CXX, IVERILOG, MAKE, STA, VERILATOR, YOSYS, have, make, make_with, square, try_make, write};
use switchlab_rtl::report::printed;
use switchlab_rtl::synthesis::synthesize;
use switchlab_rtl::timing::{Technology, shortest_period};
use switchlab_rtl::vectors::{Plan, exhaustive, file};
use switchlab_rtl::{Circuit, Design};

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

/// Circuits with every option, and rectangular ones: rows, columns, ties, absent pairs, overlap.
fn others(design: Design) -> impl Iterator<Item = Circuit> {
    let squares = [
        (2, 2, true, true, true),
        (4, 4, true, false, false),
        (5, 5, false, true, true),
        (7, 7, true, true, false),
        (4, 4, false, false, true),
    ];
    let rectangles = [
        (3, 5, false, false, false),
        (5, 3, false, false, true),
        (4, 6, true, false, true),
        (8, 3, true, true, true),
        (2, 9, false, true, false),
    ];
    let all = squares.into_iter().chain(rectangles);
    all.map(move |(rows, columns, ties, incomplete, overlap)| {
        Circuit::new(design, rows, columns).unwrap().with(ties, incomplete).overlapped(overlap)
    })
}

/// Every design, with overlap and without where that makes a difference.
fn variants(ports: usize) -> [Circuit; 5] {
    let [literal, optimised, pipelined] = Design::ALL.map(|design| square(design, ports));
    [literal, literal.overlapped(true), optimised, optimised.overlapped(true), pipelined]
}

#[test]
fn the_rtl_agrees_with_the_library() {
    if !have(&[MAKE, IVERILOG]) {
        return;
    }
    for design in Design::ALL {
        for (ports, rooted) in [(2, 300), (4, 300), (8, 100), (13, 30)] {
            bench(&square(design, ports), rooted, &["test"]);
        }
    }
}

/// Runs these instances on the circuit, with pauses and without. Compiled simulation is used where
/// it pays for its compilation. Without pauses, matchings must start as often as the circuit says.
fn bench_all(circuit: &Circuit, vectors: &str, compiled: bool) {
    let directory = tempfile::tempdir().unwrap();
    write(circuit, directory.path(), 1);
    std::fs::write(directory.path().join("vectors.txt"), vectors).unwrap();
    let count: usize = vectors.lines().next().unwrap().parse().unwrap();
    let target = if compiled { "fast-test" } else { "test" };
    let passed = format!("PASS {} x {}: {count} instances, ", circuit.rows(), circuit.columns());
    for options in ["OPTIONS=", "OPTIONS=+saturate"] {
        let said = make_with(directory.path(), &[target, options]);
        assert!(said.contains(&passed), "{} {options}: {said}", circuit.command());
        if options.ends_with("saturate") {
            let clocks: usize = said.split(" clocks, ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
            let most = (count - 1) * circuit.interval();
            assert!(clocks <= most, "{}: {count} instances in {clocks} clocks, not {most}", circuit.command());
        }
    }
}

/// All 46,656 instances of 3 rows and columns, rooted or not, back to back and overlapped.
#[test]
fn all_instances_of_three_rows() {
    if !have(&[MAKE, IVERILOG]) {
        return;
    }
    let compiled = have(&[VERILATOR, CXX]);
    let vectors = file(&exhaustive(3, false).unwrap());
    for circuit in variants(3) {
        bench_all(&circuit, &vectors, compiled);
    }
}

/// All rankings of 2 rows and columns with any ties and absent pairs.
#[test]
fn all_ties_and_absent_pairs_of_two_rows() {
    if !have(&[MAKE, IVERILOG]) {
        return;
    }
    let vectors = file(&exhaustive(2, true).unwrap());
    for circuit in variants(2) {
        bench_all(&circuit, &vectors, false);
    }
}

/// Widths follow from ROWS and COLUMNS: files of one size, with other parameters, are the circuit
/// of that size.
#[test]
fn a_parameter_that_is_overridden_makes_no_wrong_circuit() {
    if !have(&[MAKE, IVERILOG]) {
        return;
    }
    for design in Design::ALL {
        for (rows, columns) in [(8, 8), (4, 7), (3, 4)] {
            let directory = tempfile::tempdir().unwrap();
            write(&square(design, 4), directory.path(), 1);
            let other = Circuit::new(design, rows, columns).unwrap();
            let vectors = switchlab_rtl::vectors::text(&other, &Plan { rooted: Some(50), seed: 2 }).unwrap();
            std::fs::write(directory.path().join("vectors.txt"), vectors).unwrap();
            let parameters = format!("PARAMETERS=-Pfind_roots_tb.ROWS={rows} -Pfind_roots_tb.COLUMNS={columns}");
            let said = make_with(directory.path(), &["test", &parameters]);
            assert!(said.contains(&format!("PASS {rows} x {columns}: 55 instances, ")), "{}: {said}", design.name());
        }
    }
}

#[test]
fn ties_absent_pairs_and_rectangles_agree_with_the_library() {
    if !have(&[MAKE, IVERILOG]) {
        return;
    }
    for design in Design::ALL {
        for circuit in others(design) {
            bench(&circuit, 150, &["test"]);
        }
    }
}

#[test]
fn the_netlist_agrees_with_the_library() {
    if !have(&[MAKE, IVERILOG, YOSYS]) {
        return;
    }
    for (design, ports, rooted) in [
        (Design::Literal, 4, 100),
        (Design::Optimised, 4, 200),
        (Design::Optimised, 8, 40),
        (Design::Pipelined, 3, 200),
    ] {
        bench(&square(design, ports), rooted, &["netlist"]);
    }
    for design in Design::ALL {
        bench(&Circuit::new(design, 3, 4).unwrap().with(false, false).overlapped(true), 100, &["netlist"]);
    }
}

/// The pipelined design has two paths where the literal one has one, so its clock is shorter.
#[test]
fn the_pipelined_design_has_a_shorter_clock() {
    if !have(&[YOSYS, STA]) {
        return;
    }
    // The Liberty file is not a tool: without it there are no ns, under CI neither.
    let Some(technology) = Technology::installed() else {
        eprintln!("left out: Debian's qflow-tech-osu050 is not installed");
        return;
    };
    let [literal, pipelined] = [Design::Literal, Design::Pipelined].map(|design| {
        let directory = tempfile::tempdir().unwrap();
        write(&square(design, 4), directory.path(), 1);
        shortest_period(directory.path(), &technology).unwrap()
    });
    assert!(pipelined > 1.0 && pipelined < 0.8 * literal && literal < 50.0, "{literal} and {pipelined} ns");
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
    for design in Design::ALL {
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
    for design in Design::ALL {
        let directory = tempfile::tempdir().unwrap();
        write(&square(design, 4), directory.path(), 10);
        let file = directory.path().join("vectors.txt");
        // Example 1: row 4 has column 2.
        let vectors = std::fs::read_to_string(&file).unwrap();
        assert!(vectors.contains(" 3 4 1 2 0\n"));
        std::fs::write(&file, vectors.replacen(" 3 4 1 2 0\n", " 3 4 1 1 0\n", 1)).unwrap();
        let (passed, said) = try_make(directory.path(), &["test"]);
        assert!(!passed && said.contains("instance 1, row 4: expected column 1, got 2"), "{said}");
    }
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
#[ignore = "minutes: 1,000 rooted instances for each size, in gates"]
fn a_thousand_rooted_instances_pipelined() {
    a_thousand_rooted_instances(Design::Pipelined);
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
    for design in Design::ALL {
        bench(&square(design, 64), 5, &["test"]);
        bench(&square(design, 63).with(false, false), 5, &["test"]);
        lint(&square(design, 64));
    }
}
