//! The tools that circuits are tested with, and the circuits' own Makefiles.

use std::path::Path;
use std::process::{Command, Stdio};
use switchlab_rtl::vectors::Plan;
use switchlab_rtl::{Circuit, Design};

/// A tool, and an argument with which it only says its version.
pub(crate) type Tool = (&'static str, &'static str);

pub(crate) const MAKE: Tool = ("make", "--version");
pub(crate) const IVERILOG: Tool = ("iverilog", "-V");
pub(crate) const YOSYS: Tool = ("yosys", "-V");
pub(crate) const VERILATOR: Tool = ("verilator", "--version");
/// Verilator compiles what it makes.
pub(crate) const CXX: Tool = ("g++", "--version");
/// The solver of the proofs, and `OpenSTA`.
pub(crate) const Z3: Tool = ("z3", "--version");
pub(crate) const STA: Tool = ("sta", "-version");

/// Whether all these tools are installed. Says which one is not; under CI that is a failure, since
/// a test that was left out would count as passed.
pub(crate) fn have(tools: &[Tool]) -> bool {
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

/// Runs a target of the circuit's own Makefile, which must succeed; what it said.
pub(crate) fn make(directory: &Path, target: &str) -> String {
    make_with(directory, &[target])
}

/// The same with variables.
pub(crate) fn make_with(directory: &Path, arguments: &[&str]) -> String {
    let (succeeded, said) = try_make(directory, arguments);
    assert!(succeeded, "make {arguments:?} in {}: {said}", directory.display());
    said
}

/// Whether a target of the Makefile succeeded, and what it said.
pub(crate) fn try_make(directory: &Path, arguments: &[&str]) -> (bool, String) {
    let output =
        Command::new("make").arg("-s").args(arguments).current_dir(directory).output().expect("make was there");
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.success(), said)
}

pub(crate) fn write(circuit: &Circuit, directory: &Path, rooted: usize) {
    for file in circuit.files_with_vectors(&Plan { rooted: Some(rooted), seed: 1 }).unwrap() {
        std::fs::write(directory.join(file.name), file.text).unwrap();
    }
}

pub(crate) fn square(design: Design, ports: usize) -> Circuit {
    Circuit::new(design, ports, ports).unwrap()
}

/// All tests of this program but one, this many, in a process of their own without any tool. Under
/// CI every one of them must fail and name a tool. Elsewhere every one must be left out.
pub(crate) fn without_tools(tests: usize) {
    let run = |ci: Option<&str>| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--skip", "a_missing_tool"]).env("PATH", "/nonexistent").env_remove("CI");
        command.envs(ci.map(|value| ("CI", value)));
        String::from_utf8_lossy(&command.output().unwrap().stdout).into_owned()
    };
    let said = run(Some("true"));
    assert!(said.contains(&format!("test result: FAILED. 0 passed; {tests} failed")), "{said}");
    assert_eq!(said.matches(" is not installed").count(), tests, "{said}");
    let said = run(None);
    assert!(said.contains(&format!("test result: ok. {tests} passed; 0 failed")), "{said}");
}
