//! Table II beside what synthesis gives: papers/003/hardware.md is what the tools say now.

use crate::tools::{YOSYS, have, square, write};
use switchlab_rtl::Design;
use switchlab_rtl::report::{Row, page, printed, table};
use switchlab_rtl::synthesis::{synthesize, version};
use switchlab_rtl::timing::{Technology, shortest_period};

const PAGE: &str = include_str!("../../../../papers/003/hardware.md");

/// The command that the page names, but for its output directory.
const COMMAND: &str = "switchlab rtl find-roots --ports 2,4,6 --design literal,optimised,pipelined --synthesize";

/// The version of yosys that the page was written with. Another one may give a few gates more or
/// less.
const WRITTEN_WITH: &str = "Yosys 0.23";

/// The columns with ns, which need a Liberty file and `OpenSTA`.
const NANOSECONDS: std::ops::RangeInclusive<usize> = 12..=14;

/// The lines of a table as cells, without the ns.
fn without_nanoseconds(text: &str) -> Vec<Vec<&str>> {
    let lines = text.lines().filter(|line| line.starts_with('|') && !line.starts_with("|--"));
    let cells = lines.map(|line| line.split('|').map(str::trim).enumerate());
    cells.map(|line| line.filter(|(column, _)| !NANOSECONDS.contains(column)).map(|(_, cell)| cell).collect()).collect()
}

#[test]
fn the_page_is_what_the_tools_give_and_areas_are_below_table_2() {
    if !have(&[YOSYS]) {
        return;
    }
    let technology = Technology::installed();
    let mut rows = Vec::new();
    for (design, share) in [(Design::Literal, 1.0), (Design::Optimised, 0.5), (Design::Pipelined, 1.0)] {
        for ports in [2, 4, 6] {
            let circuit = square(design, ports);
            let directory = tempfile::tempdir().unwrap();
            write(&circuit, directory.path(), 1);
            let netlist = synthesize(directory.path()).unwrap();
            let period = technology.as_ref().map(|technology| shortest_period(directory.path(), technology).unwrap());
            let (gates, most) = (netlist.equivalent_gates() as f64, printed(&circuit).unwrap().area as f64 * share);
            assert!(gates < most, "{}: {gates} gates, at most {most}", circuit.command());
            rows.push(Row { circuit, netlist, period });
        }
    }
    let tool = version(std::path::Path::new(".")).unwrap();
    if tool != WRITTEN_WITH {
        eprintln!("left out: the page is of {WRITTEN_WITH}, and this is {tool}");
        return;
    }
    if let Some(technology) = technology {
        // As the command writes it, but for the output directory that it was given.
        assert_eq!(page(&rows, &format!("{COMMAND} --out DIR"), &tool, Some(&technology.about())), PAGE);
    } else {
        eprintln!("left out: ns, for Debian's qflow-tech-osu050 or opensta is not installed");
        assert_eq!(without_nanoseconds(&table(&rows)), without_nanoseconds(PAGE));
    }
}
