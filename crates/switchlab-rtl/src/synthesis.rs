//! What synthesis makes of a circuit: cells and logic depth, by yosys.

use crate::error::RtlError;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// The cells of a netlist and the longest path between flip-flops or ports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Netlist {
    /// 2-input NAND gates.
    pub nand2: usize,
    /// Inverters.
    pub inverters: usize,
    /// D flip-flops without enable or reset, which are gates before them.
    pub flip_flops: usize,
    /// Gates on the longest path.
    pub depth: usize,
}

impl Netlist {
    /// Equivalent gates: an inverter as one 2-input NAND, a D flip-flop as seven.
    pub fn equivalent_gates(&self) -> usize {
        self.nand2 + self.inverters + 7 * self.flip_flops
    }
}

/// The version of yosys; an error if there is none. `directory` is where the circuit was written,
/// for the message.
pub fn version(directory: &Path) -> Result<String, RtlError> {
    let output = Command::new("yosys").arg("-V").stdin(Stdio::null()).output();
    let output = output.map_err(|cause| RtlError::NoYosys { path: directory.to_path_buf(), cause })?;
    let said = String::from_utf8_lossy(&output.stdout);
    Ok(said.split_whitespace().take(2).collect::<Vec<_>>().join(" "))
}

/// The files that synthesis writes.
pub const WRITTEN: [&str; 3] = ["netlist.v", "stat.txt", "depth.txt"];

/// Synthesizes a circuit that was written to this directory. The files of [`WRITTEN`] appear in it.
pub fn synthesize(directory: &Path) -> Result<Netlist, RtlError> {
    let path = || directory.to_path_buf();
    run_script(directory, "synth.ys")?;
    let read = |name| {
        fs::read_to_string(directory.join(name))
            .map_err(|source| RtlError::Yosys { path: path(), problem: format!("{name}: {source}") })
    };
    parse(&read("stat.txt")?, &read("depth.txt")?)
        .ok_or_else(|| RtlError::Yosys { path: path(), problem: "stat.txt or depth.txt is not understood".to_string() })
}

/// Runs a script of the circuit in its directory.
pub(crate) fn run_script(directory: &Path, script: &str) -> Result<(), RtlError> {
    let path = || directory.to_path_buf();
    let output = Command::new("yosys").args(["-q", "-s", script]).current_dir(directory).stdin(Stdio::null()).output();
    let output = output.map_err(|cause| RtlError::NoYosys { path: path(), cause })?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let end: Vec<&str> = said.lines().rev().take(3).collect();
    Err(RtlError::Yosys { path: path(), problem: end.into_iter().rev().collect::<Vec<_>>().join("; ") })
}

/// Reads the reports of `stat` and `ltp`. None if a number is missing or the netlist has cells of
/// another kind.
fn parse(stat: &str, depth: &str) -> Option<Netlist> {
    let cells = |name: &str| {
        let lines = stat.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        lines.filter(|line| line.len() == 2 && line[0] == name).find_map(|line| line[1].parse::<usize>().ok())
    };
    let total =
        stat.lines().find_map(|line| line.trim().strip_prefix("Number of cells:"))?.trim().parse::<usize>().ok()?;
    let (_, length) = depth.split_once("(length=")?;
    let netlist = Netlist {
        nand2: cells("NAND2")?,
        inverters: cells("INV")?,
        flip_flops: cells("DFF")?,
        depth: length.split_once(')')?.0.parse().ok()?,
    };
    (netlist.nand2 + netlist.inverters + netlist.flip_flops == total).then_some(netlist)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STAT: &str = "=== find_roots ===\n\n   Number of wires:  9\n   Number of cells:                 15\n     \
                        DFF                             2\n     INV                             3\n     NAND2                          10\n";
    const DEPTH: &str = "\nLongest topological path in find_roots (length=13):\n    0: \\a\n";

    #[test]
    fn reports_are_read() {
        let netlist = parse(STAT, DEPTH).unwrap();
        assert_eq!(netlist, Netlist { nand2: 10, inverters: 3, flip_flops: 2, depth: 13 });
        assert_eq!(netlist.equivalent_gates(), 27);
    }

    #[test]
    fn cells_of_another_kind_are_not_overlooked() {
        assert_eq!(parse(&STAT.replace("15", "16"), DEPTH), None);
        assert_eq!(parse(&STAT.replace("NAND2", "AND2"), DEPTH), None);
        assert_eq!(parse(STAT, ""), None);
    }

    #[test]
    fn a_directory_without_a_circuit_is_an_error() {
        let error = synthesize(Path::new("/nonexistent/circuit")).unwrap_err();
        assert!(error.to_string().contains("yosys"), "{error}");
    }
}
