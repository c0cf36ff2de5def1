//! Table II of paper 003: the gates of `FIND_ROOTS` as a circuit, by yosys, and its time.
//!
//! Values: `nand2`, `inverters` and `flip_flops`; `equivalent_gates`, with 1, 1 and 7 for each;
//! `depth`, gates on the longest path; `clocks`, of the longest run; `interval`, clocks from one
//! start to the next; `gate_delays`, clocks x depth; `of_table_2`, the gates over those of table
//! II, for the sizes it has. With Debian's Liberty file for AMI 0.5 um (package qflow-tech-osu050)
//! and `OpenSTA`: `period_ns`, the shortest clock, `run_ns`, that of the longest run, before
//! layout, and `ns_of_table_2`, that over the time of table II.
//!
//! Without yosys there are no values, and claims about them stay undecided; likewise for ns.

use super::Values;
use crate::error::LabError;
use crate::files::{replace, unpredictable_name};
use std::path::PathBuf;
use switchlab_rtl::timing::{Technology, shortest_period};
use switchlab_rtl::{Circuit, Design, RtlError, report, synthesis};

/// The names of the designs, for the spec.
pub(super) const DESIGNS: &[&str] = &["literal", "optimised", "pipelined"];

pub(super) fn values(design: &str, rankings: &str, ports: usize) -> Result<Values, LabError> {
    let request = |error: RtlError| LabError::Request(error.to_string());
    let design = Design::from_name(design).unwrap_or(Design::Optimised);
    let any = rankings != "strict";
    let circuit = Circuit::new(design, ports, ports).map_err(request)?.with(any, any);
    let directory = Scratch::new()?;
    if synthesis::version(&directory.0).is_err() {
        return Ok(Vec::new());
    }
    for file in circuit.files() {
        replace(&directory.0.join(file.name), file.text.as_bytes())?;
    }
    let netlist = synthesis::synthesize(&directory.0).map_err(request)?;
    let (gates, clocks) = (netlist.equivalent_gates() as f64, circuit.clocks() as f64);
    let mut values = vec![
        ("nand2", netlist.nand2 as f64),
        ("inverters", netlist.inverters as f64),
        ("flip_flops", netlist.flip_flops as f64),
        ("equivalent_gates", gates),
        ("depth", netlist.depth as f64),
        ("clocks", clocks),
        ("interval", circuit.interval() as f64),
        ("gate_delays", clocks * netlist.depth as f64),
    ];
    let printed = report::TABLE_2.iter().find(|printed| printed.ports == ports);
    values.extend(printed.map(|printed| ("of_table_2", gates / printed.area as f64)));
    if let Some(technology) = Technology::installed() {
        let period = shortest_period(&directory.0, &technology).map_err(request)?;
        values.extend([("period_ns", period), ("run_ns", period * clocks)]);
        values.extend(printed.map(|printed| ("ns_of_table_2", period * clocks / printed.timing)));
    }
    Ok(values)
}

/// A new directory, removed when it is dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Self, LabError> {
        let path = std::env::temp_dir().join(unpredictable_name());
        // An error if there is anything of this name: only what was made here may be removed later.
        match std::fs::create_dir(&path) {
            Ok(()) => Ok(Self(path)),
            Err(source) => Err(LabError::Output { path, source }),
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // If it cannot be removed, it stays in the directory for temporary files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
