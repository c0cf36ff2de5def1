//! The circuits in simulation and in proofs.
//!
//! What needs a tool that is not there is left out, with a notice on stderr. The full lengths are
//! ignored tests, to be asked for: `cargo test -p switchlab-rtl --test benches -- --ignored`.

mod page;
mod proofs;
mod simulation;
mod tools;

/// Under CI every test here fails without its tools. Elsewhere every one is left out.
#[test]
fn a_missing_tool_is_a_failure_under_ci() {
    tools::without_tools(15);
}
