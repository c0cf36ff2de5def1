//! Table II of paper 003, beside what synthesis gives here.

use crate::circuit::{Circuit, Design};
use crate::synthesis::Netlist;

/// A circuit and its netlist.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Row {
    /// What was synthesized.
    pub circuit: Circuit,
    /// What it came to.
    pub netlist: Netlist,
    /// The shortest clock in ns, if there was a technology.
    pub period: Option<f64>,
}

/// A column of Table II.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Printed {
    /// Rows and columns of the scheduler.
    pub ports: usize,
    /// Time in nanoseconds, in the library `lsi_10k`.
    pub timing: f64,
    /// Area in 2-input NAND gates.
    pub area: usize,
}

/// Table II as printed.
pub const TABLE_2: [Printed; 6] = [
    Printed { ports: 2, timing: 62.24, area: 1166 },
    Printed { ports: 4, timing: 137.28, area: 5410 },
    Printed { ports: 6, timing: 239.52, area: 12263 },
    Printed { ports: 8, timing: 315.84, area: 29283 },
    Printed { ports: 10, timing: 399.6, area: 41002 },
    Printed { ports: 12, timing: 479.52, area: 59342 },
];

/// Table II's column for a square circuit of this size.
pub fn printed(circuit: &Circuit) -> Option<Printed> {
    let square = circuit.rows() == circuit.columns();
    TABLE_2.into_iter().find(|printed| square && printed.ports == circuit.rows())
}

/// The table of section III, as Markdown that reads well in a terminal too.
pub fn table(rows: &[Row]) -> String {
    let header = [
        "design",
        "size",
        "NAND2",
        "INV",
        "DFF",
        "gates",
        "per node",
        "depth",
        "clocks",
        "every",
        "clocks x depth",
        "period, ns",
        "run, ns",
        "every, ns",
        "Table II",
        "gates / Table II",
        "Table II, ns",
    ];
    let mut cells: Vec<Vec<String>> = vec![header.iter().map(ToString::to_string).collect()];
    cells.extend(rows.iter().map(Row::cells));
    let width = |column: usize| cells.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let mut text = String::new();
    for (place, row) in cells.iter().enumerate() {
        // The design to the left, numbers to the right.
        let line = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
            if column == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        text += &format!("| {} |\n", line.collect::<Vec<_>>().join(" | "));
        if place == 0 {
            let rule = widths.iter().enumerate().map(|(column, &width)| {
                if column == 0 { "-".repeat(width + 2) } else { format!("{}:", "-".repeat(width + 1)) }
            });
            text += &format!("|{}|\n", rule.collect::<Vec<_>>().join("|"));
        }
    }
    text
}

impl Row {
    fn cells(&self) -> Vec<String> {
        let Self { circuit, netlist, period } = self;
        let gates = netlist.equivalent_gates();
        let printed = printed(circuit);
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_string());
        let (rows, columns) = (circuit.rows(), circuit.columns());
        let size = if rows == columns { rows.to_string() } else { format!("{rows} x {columns}") };
        let overlap = circuit.overlap() && circuit.design() != Design::Pipelined;
        let options = [(!circuit.ties(), ", strict"), (!circuit.incomplete(), ", complete"), (overlap, ", overlap")];
        let times = |clocks: usize| or_dash(period.map(|period| format!("{:.1}", period * clocks as f64)));
        let options: String = options.iter().filter(|(given, _)| *given).map(|(_, name)| *name).collect();
        vec![
            format!("{}{options}", circuit.design().name()),
            size,
            netlist.nand2.to_string(),
            netlist.inverters.to_string(),
            netlist.flip_flops.to_string(),
            gates.to_string(),
            format!("{:.1}", gates as f64 / (rows * columns) as f64),
            netlist.depth.to_string(),
            circuit.clocks().to_string(),
            circuit.interval().to_string(),
            (circuit.clocks() * netlist.depth).to_string(),
            or_dash(period.map(|period| format!("{period:.2}"))),
            times(circuit.clocks()),
            times(circuit.interval()),
            or_dash(printed.map(|printed| printed.area.to_string())),
            or_dash(printed.map(|printed| format!("{:.3}", gates as f64 / printed.area as f64))),
            or_dash(printed.map(|printed| printed.timing.to_string())),
        ]
    }
}

/// A page with the table and what its columns mean. `command` is what wrote it, `tool` the
/// synthesis tool and its version, `technology` what the ns are of, if there are any.
pub fn page(rows: &[Row], command: &str, tool: &str, technology: Option<&str>) -> String {
    let nanoseconds = match technology {
        Some(technology) => format!(
            "\
- **period, ns**: the shortest clock of the circuit when yosys maps it to the cells of a real
  library and OpenSTA adds up their delays:
  {technology}.
  Setup and clock-to-output times are in it. Wires, clock skew and margins are not, for there is no
  layout. **run, ns** is that of the longest run, clocks x period; **every, ns** is the time from
  one start to the next.
"
        ),
        None => "\
- **ns**: not computed, for there is no Liberty file or no OpenSTA.
"
        .to_string(),
    };
    format!(
        "\
# FIND_ROOTS in hardware: Table II and what synthesis gives here

This page was written, as `hardware.md` in its output directory, by

    {command}

with {tool}. Another version of it may differ by a few gates.

{}
- Circuits take equal ranks, absent pairs and any number of rows and columns, as the paper says of
  its one design, unless the first column says `strict` (no equal ranks) or `complete` (no absent
  pairs). All of them say when an instance is not rooted.
- **gates**: equivalent 2-input NAND gates. NAND2 counts 1, INV 1, DFF 7. Flip-flops are plain:
  enables and resets are gates, and counted. All ranks, the state and the result are stored in the
  circuit and counted; so are the ranks of the next matching, where they are loaded during a run.
- **depth**: gates on the longest path between flip-flops or ports (yosys `ltp`), without wires or
  fan-out. Synthesis minimises area, as the paper's did.
- **clocks**: from start to done, at most. The literal design takes 2 clocks for an iteration,
  because a node has one comparator for its two ranks. The optimised one takes a clock for each bit
  of a rank; without equal ranks it finds all roots of an iteration at once. The pipelined one takes
  2 clocks for a root. **every**: clocks from one start to the next in the long run, loading
  included. **clocks x depth**: the time of the longest run in gate delays.
{nanoseconds}- **Table II**: area in 2-input NAND gates and time in ns, as printed, from another synthesis tool
  and the library lsi_10k, which is older than any that is at hand. How that library weighs
  flip-flops, and whether the time is that of a clock, an iteration or a run, is not said there. So
  ns here and there can be compared in how they grow, and not in size.

The area grows as n^2 log n, in print and here: a node stores two ranks.

That the RTL and the netlists find what the library finds is tested in
`crates/switchlab-rtl/tests/benches`, and so is this page. The full lengths are asked for by
`cargo test -p switchlab-rtl --test benches -- --ignored`. `make test` and `make netlist` do the
same in the directory of one circuit, `make equivalence` proves the netlist equivalent to the RTL,
`make formal` proves the result stable for all ranks, `make induction` does so iteration by
iteration, which is faster, and `make timing` computes the period.
",
        table(rows)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_the_figures_of_the_paper_beside_ours() {
        let netlist = Netlist { nand2: 400, inverters: 100, flip_flops: 100, depth: 25 };
        let square = Circuit::new(Design::Optimised, 4, 4).unwrap();
        let other = Circuit::new(Design::Literal, 4, 6).unwrap().with(false, true).overlapped(true);
        let rows = [(square, Some(2.5)), (other, None)];
        let rows = rows.map(|(circuit, period)| Row { circuit, netlist, period });
        let text = table(&rows);
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split('|').map(str::trim).collect()).collect();
        let expected = "|optimised|4|400|100|100|1200|75.0|25|14|16|350|2.50|35.0|40.0|5410|0.222|137.28|";
        assert_eq!(lines[2].join("|"), expected);
        assert_eq!(lines[3][1..3], ["literal, strict, overlap", "4 x 6"]);
        assert_eq!(lines[3][12..], ["-", "-", "-", "-", "-", "-", ""]);
        assert!(text.lines().all(|line| line.len() == text.lines().next().unwrap().len()));
        let page = page(&rows, "switchlab rtl", "Yosys", Some("a library"));
        assert!(
            page.contains("  a library.\n")
                && page.lines().filter(|line| !line.starts_with('|')).all(|line| line.len() <= 100)
        );
    }
}
