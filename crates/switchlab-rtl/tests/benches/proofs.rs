//! Proofs about the circuits: for all ranks at once the result is stable, and the netlist is
//! equivalent to the RTL. Each proof must refute a planted bug too.

use crate::tools::{MAKE, YOSYS, Z3, have, make, square, try_make, write};
use std::path::Path;
use switchlab_rtl::{Circuit, Design};

const PROVED: &str = "Status: PASSED";

/// The proof of a whole run in one piece.
const WHOLE: &str = "formal";

/// The ways to prove a design: a whole run; and iteration by iteration, if it has one matching
/// inside.
fn ways(design: Design) -> &'static [&'static str] {
    match design {
        Design::Literal | Design::Optimised => &[WHOLE, "induction"],
        Design::Pipelined => &[WHOLE],
    }
}

/// For all ranks with ties and absent pairs, from a reset and from any state between runs: the
/// result is a stable matching, or says that it is stuck, within the clocks that the circuit says.
fn prove_stable(circuit: &Circuit, way: &str) {
    let directory = tempfile::tempdir().unwrap();
    write(circuit, directory.path(), 1);
    let said = make(directory.path(), way);
    // An induction has two parts.
    let parts = if way == WHOLE { 1 } else { 2 };
    assert_eq!(said.matches(PROVED).count(), parts, "{}, {way}: {said}", circuit.command());
}

#[test]
fn the_result_is_stable_for_all_ranks_of_three_rows() {
    if have(&[MAKE, YOSYS, Z3]) {
        for design in Design::ALL {
            for way in ways(design) {
                prove_stable(&square(design, 3), way);
            }
        }
    }
}

/// Smaller circuits, overlap and rectangles, where proofs take a second.
#[test]
fn the_result_is_stable_with_every_option() {
    if !have(&[MAKE, YOSYS, Z3]) {
        return;
    }
    for design in Design::ALL {
        for way in ways(design) {
            prove_stable(&square(design, 2).with(false, false), way);
            prove_stable(&square(design, 2).overlapped(true), way);
            prove_stable(&Circuit::new(design, 2, 3).unwrap(), way);
        }
    }
}

/// Replaces a piece of a file, which must be there.
fn plant(directory: &Path, file: &str, right: &str, wrong: &str) {
    let path = directory.join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(right), "{file} has no {right}");
    std::fs::write(&path, text.replacen(right, wrong, 1)).unwrap();
}

/// Bugs that a proof must find, one piece of one file each.
const BUGS: [(Design, &str, &str, &str); 7] = [
    // Ranks below the one that disappears go down, and those above it stay.
    (Design::Literal, "find_roots_node.v", "own > heard", "own < heard"),
    // Masked nodes of the column live on.
    (Design::Literal, "find_roots_node.v", "(row_mask_i | column_mask_i)", "(row_mask_i)"),
    // Unrooted instances are not told.
    (Design::Literal, "find_roots_controller.v", "stuck_q <= |row_live_i", "stuck_q <= 1'b0"),
    // Whoever shows a 1 is out even if nobody shows a 0.
    (Design::Optimised, "find_roots_node.v", "~(h & row_zero_i)", "~h"),
    // Absent nodes win a bus that has no other.
    (Design::Optimised, "find_roots_bus.v", "(INCOMPLETE != 0 & first_i)", "1'b0"),
    // Ranks of a column stay when one above them goes.
    (Design::Pipelined, "find_roots_node.v", "v_b_q > column_bus_i", "v_b_q < column_bus_i"),
    // The result of one matching takes the place of another's.
    (Design::Pipelined, "find_roots.v", "matched_b_q <= matched_a_q;", "matched_b_q <= matched_a_q | matched_b_q;"),
];

/// A circuit with a bug in it is not proved: an assertion fails.
fn refute((design, file, right, wrong): (Design, &str, &str, &str), ports: usize, way: &str) {
    let directory = tempfile::tempdir().unwrap();
    write(&square(design, ports), directory.path(), 1);
    plant(directory.path(), file, right, wrong);
    let (proved, said) = try_make(directory.path(), &[way]);
    assert!(!proved && said.contains("Assert failed"), "{} with {wrong}, {way}: {said}", design.name());
}

#[test]
fn planted_bugs_are_refuted() {
    if have(&[MAKE, YOSYS, Z3]) {
        for bug in BUGS {
            for way in ways(bug.0) {
                refute(bug, 2, way);
            }
        }
    }
}

#[test]
fn the_pipelined_design_says_that_it_has_no_induction() {
    if have(&[MAKE]) {
        let directory = tempfile::tempdir().unwrap();
        write(&square(Design::Pipelined, 2), directory.path(), 1);
        let (proved, said) = try_make(directory.path(), &["induction"]);
        assert!(!proved && said.contains("use make formal"), "{said}");
    }
}

#[test]
fn the_netlist_is_equivalent_to_the_rtl() {
    if !have(&[MAKE, YOSYS]) {
        return;
    }
    for design in Design::ALL {
        for circuit in [square(design, 3), Circuit::new(design, 3, 2).unwrap().with(false, false).overlapped(true)] {
            let directory = tempfile::tempdir().unwrap();
            write(&circuit, directory.path(), 1);
            let said = make(directory.path(), "equivalence");
            assert!(said.contains("PASS the netlist is equivalent"), "{}: {said}", circuit.command());
        }
        // Another circuit than that of the netlist is not.
        let directory = tempfile::tempdir().unwrap();
        write(&square(design, 2), directory.path(), 1);
        make(directory.path(), "synth");
        let (file, right, wrong) = match design {
            Design::Literal => ("find_roots_node.v", "own > heard", "own < heard"),
            Design::Optimised => ("find_roots_node.v", "~(h & row_zero_i)", "~h"),
            Design::Pipelined => ("find_roots_node.v", "v_b_q > column_bus_i", "v_b_q < column_bus_i"),
        };
        plant(directory.path(), file, right, wrong);
        // As if the netlist were newer than what it is made of.
        let (proved, said) = try_make(directory.path(), &["-o", "netlist.v", "equivalence"]);
        assert!(!proved && said.contains("unproven"), "{}: {said}", design.name());
    }
}

#[test]
#[ignore = "minutes: all ranks of 4 rows and columns"]
fn the_result_is_stable_for_all_ranks_of_four_rows() {
    assert!(have(&[MAKE, YOSYS, Z3]), "install the tools first");
    for design in Design::ALL {
        // The last way is the fastest.
        let way = ways(design)[ways(design).len() - 1];
        prove_stable(&square(design, 4), way);
        eprintln!("{}: proved", design.name());
        for bug in BUGS.into_iter().filter(|bug| bug.0 == design) {
            refute(bug, 4, way);
            eprintln!("{} with {}: refuted", design.name(), bug.3);
        }
    }
}
