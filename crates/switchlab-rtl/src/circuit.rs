//! What a circuit is to be, and the files that describe it.

use crate::error::RtlError;
use crate::vectors;

/// The most rows or columns: the arbiter has six doublings.
pub const MAX_PORTS: usize = 64;

/// How `FIND_ROOTS` is built.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Design {
    /// Section III of paper 003: ranks that count down, buses, a comparator and a subtracter in
    /// each node.
    Literal,
    /// The same function with far fewer gates: smallest ranks are found bit by bit, and never
    /// change.
    Optimised,
    /// The literal one with a register behind the grant, and two matchings inside at a time.
    Pipelined,
}

impl Design {
    /// All designs.
    pub const ALL: [Self; 3] = [Self::Literal, Self::Optimised, Self::Pipelined];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Literal => "literal",
            Self::Optimised => "optimised",
            Self::Pipelined => "pipelined",
        }
    }

    /// The design of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|design| design.name() == name)
    }
}

/// A circuit to be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Circuit {
    design: Design,
    rows: usize,
    columns: usize,
    ties: bool,
    incomplete: bool,
    overlap: bool,
}

/// A file of a circuit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File {
    /// Its name within the circuit's directory.
    pub name: &'static str,
    /// What is in it.
    pub text: String,
}

macro_rules! templates {
    ($folder:literal: $($name:literal),+) => {
        [$(($name, include_str!(concat!("../verilog/", $folder, "/", $name)))),+]
    };
}

const LITERAL: [(&str, &str); 4] =
    templates!("literal": "find_roots.v", "find_roots_node.v", "find_roots_bus.v", "find_roots_controller.v");
const OPTIMISED: [(&str, &str); 4] =
    templates!("optimised": "find_roots.v", "find_roots_node.v", "find_roots_bus.v", "find_roots_controller.v");
const PIPELINED: [(&str, &str); 3] =
    templates!("pipelined": "find_roots.v", "find_roots_node.v", "find_roots_controller.v");
/// The pipelined design has the buses of the literal one.
const PIPELINED_BUS: [(&str, &str); 1] = templates!("literal": "find_roots_bus.v");
const COMMON: [(&str, &str); 15] = templates!("common":
    "find_roots_ports.vh", "find_roots_priority.v", "find_roots_intake.v", "find_roots_tb.v", "find_roots_formal.v",
    "cells.v", "map.v", "synth.ys", "equivalence.ys", "formal.ys", "induction.ys", "timing.ys", "timing.constr",
    "timing.tcl", "Makefile");

impl Circuit {
    /// A circuit for any rankings of this number of rows and columns: ranks may be equal, and pairs
    /// absent.
    pub fn new(design: Design, rows: usize, columns: usize) -> Result<Self, RtlError> {
        if [rows, columns].iter().any(|ports| !(2..=MAX_PORTS).contains(ports)) {
            return Err(RtlError::Size { rows, columns });
        }
        Ok(Self { design, rows, columns, ties: true, incomplete: true, overlap: false })
    }

    /// The same for rankings that may have ties or absent pairs, or must not. A circuit for fewer
    /// rankings is smaller, and its result for others means nothing.
    #[must_use]
    pub fn with(self, ties: bool, incomplete: bool) -> Self {
        Self { ties, incomplete, ..self }
    }

    /// The same with registers for the next ranks, so that they are loaded during a run. The
    /// pipelined design always has them.
    #[must_use]
    pub fn overlapped(self, overlap: bool) -> Self {
        Self { overlap, ..self }
    }

    /// How it is built.
    pub fn design(&self) -> Design {
        self.design
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Whether ranks of a list may be equal.
    pub fn ties(&self) -> bool {
        self.ties
    }

    /// Whether pairs may be absent.
    pub fn incomplete(&self) -> bool {
        self.incomplete
    }

    /// Whether ranks may be loaded during a run.
    pub fn overlap(&self) -> bool {
        self.overlap || self.design == Design::Pipelined
    }

    /// The bits of a rank as it is stored, which are the clocks it takes to load.
    ///
    /// The literal design, pipelined or not, counts ranks from 1 to n down and needs 0 too, so
    /// ceil(log2(n + 1)). The optimised one only compares, so ranks from 0 to n - 1 do, in
    /// ceil(log2 n) bits, and absence is a bit of its own above them.
    pub fn planes(&self) -> usize {
        let most = self.rows.max(self.columns);
        match self.design {
            Design::Literal | Design::Pipelined => bits(most + 1),
            Design::Optimised => bits(most) + usize::from(self.incomplete),
        }
    }

    /// The clocks of an iteration.
    fn iteration(&self) -> usize {
        match self.design {
            Design::Literal | Design::Pipelined => 2,
            Design::Optimised => self.planes(),
        }
    }

    /// The clocks from a start (with the last load clock) until done, at most.
    pub fn clocks(&self) -> usize {
        let iterations = self.iteration() * self.rows.min(self.columns);
        match self.design {
            Design::Literal | Design::Optimised => iterations + 2,
            Design::Pipelined => iterations + 1,
        }
    }

    /// The clocks between two starts in the long run, at most, without a pause. Without overlap
    /// they include loading, of which the last clock is that of the start.
    pub fn interval(&self) -> usize {
        match self.design {
            // Two matchings go round at a time; the third load clock is that of waiting for a
            // place.
            Design::Pipelined => self.rows.min(self.columns).max(self.planes()).max(3),
            Design::Literal | Design::Optimised if self.overlap => self.clocks().max(self.planes()),
            Design::Literal | Design::Optimised => self.clocks() + self.planes() - 1,
        }
    }

    /// The command that writes it.
    pub fn command(&self) -> String {
        let mut command = format!("switchlab rtl find-roots --ports {} --design {}", self.rows, self.design.name());
        if self.columns != self.rows {
            command += &format!(" --columns {}", self.columns);
        }
        for (given, flag) in
            [(!self.ties, " --strict"), (!self.incomplete, " --complete"), (self.overlap, " --overlap")]
        {
            command += if given { flag } else { "" };
        }
        command
    }

    /// All files but the vectors.
    pub fn files(&self) -> Vec<File> {
        let (design, buses): (&[_], &[_]) = match self.design {
            Design::Literal => (&LITERAL, &[]),
            Design::Optimised => (&OPTIMISED, &[]),
            Design::Pipelined => (&PIPELINED, &PIPELINED_BUS),
        };
        design
            .iter()
            .chain(buses)
            .chain(&COMMON)
            .map(|&(name, template)| File { name, text: self.fill(template) })
            .collect()
    }

    /// All files, with the vectors.
    pub fn files_with_vectors(&self, vectors: &vectors::Plan) -> Result<Vec<File>, RtlError> {
        let mut files = self.files();
        files.push(File { name: "vectors.txt", text: vectors::text(self, vectors)? });
        Ok(files)
    }

    fn fill(&self, template: &str) -> String {
        // The test bench and the harness of the proof take their sizes from parameters, so theirs
        // are formulas: load clocks, clocks of a run with the last load clock and of any run, and a
        // rank from 1, 0 if absent, as the design wants it.
        let (planes, clocks, longest, encode) = match self.design {
            Design::Literal => ("$clog2(LARGER + 1)", "2 * ITERATIONS + 2", "2 * ITERATIONS + 2", "rank"),
            Design::Pipelined => ("$clog2(LARGER + 1)", "2 * ITERATIONS + 1", "2 * ITERATIONS + 1", "rank"),
            Design::Optimised => (
                "$clog2(LARGER) + INCOMPLETE",
                "PLANES * ITERATIONS + 2",
                // A start that comes late waits until the rings have come round.
                "PLANES * ITERATIONS + 2 + PLANES - 1",
                "rank == 0 ? 1 << (PLANES - 1) : rank - 1",
            ),
        };
        let overlap = if self.design == Design::Pipelined { "" } else { ", .OVERLAP(OVERLAP)" };
        let command = format!("Written by `{}`.", self.command());
        let texts = [
            ("@COMMAND@", command.as_str()),
            ("@BENCH_PLANES@", planes),
            ("@BENCH_CLOCKS@", longest),
            ("@FORMAL_CLOCKS@", clocks),
            ("@BENCH_OVERLAP@", overlap),
            ("@ENCODE@", encode),
        ];
        let numbers = [
            ("@ROWS@", self.rows),
            ("@COLUMNS@", self.columns),
            ("@RANK_BITS@", self.planes()),
            ("@PLANES@", self.planes()),
            ("@COLUMN_BITS@", bits(self.columns)),
            ("@TIES@", usize::from(self.ties)),
            ("@INCOMPLETE@", usize::from(self.incomplete)),
            ("@OVERLAP@", usize::from(self.overlap())),
            ("@FROM_ONE@", usize::from(self.design != Design::Optimised)),
            ("@PIPELINED@", usize::from(self.design == Design::Pipelined)),
            // The reset or idle clock, loading, the run, and the clock in which the result is seen.
            ("@FORMAL_STEPS@", 1 + self.planes() + self.clocks()),
            ("@ITERATION@", self.iteration()),
            // To the first clock of the first iteration, and from one to the next, both included.
            ("@FIRST_STEPS@", 2 + self.planes()),
            ("@ITERATION_STEPS@", 1 + self.iteration()),
        ];
        let text = texts.iter().fold(template.to_string(), |text, (key, value)| text.replace(key, value));
        numbers.iter().fold(text, |text, (key, number)| text.replace(key, &number.to_string()))
    }
}

/// The bits that tell `values` values apart: ceil(log2 values).
fn bits(values: usize) -> usize {
    (values - 1).ilog2() as usize + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(design: Design, rows: usize, columns: usize) -> Circuit {
        Circuit::new(design, rows, columns).unwrap().with(false, false)
    }

    #[test]
    fn widths_are_those_of_the_readings() {
        for (ports, literal, optimised) in [(2, 2, 1), (3, 2, 2), (4, 3, 2), (8, 4, 3), (12, 4, 4), (64, 7, 6)] {
            assert_eq!(plain(Design::Literal, ports, ports).planes(), literal);
            assert_eq!(plain(Design::Optimised, ports, ports).planes(), optimised);
            assert_eq!(plain(Design::Optimised, ports, ports).with(true, true).planes(), optimised + 1);
            assert_eq!(plain(Design::Pipelined, ports, ports).planes(), literal);
        }
        assert_eq!(plain(Design::Literal, 2, 8).planes(), 4);
    }

    #[test]
    fn clocks_of_a_run_and_between_runs() {
        let four = |design: Design| Circuit::new(design, 4, 4).unwrap();
        assert_eq!(Design::ALL.map(|design| four(design).clocks()), [10, 14, 9]);
        assert_eq!(Design::ALL.map(|design| four(design).interval()), [12, 16, 4]);
        assert_eq!(Design::ALL.map(|design| four(design).overlapped(true).interval()), [10, 14, 4]);
    }

    #[test]
    fn every_place_in_every_template_is_filled() {
        for design in Design::ALL {
            for (ties, incomplete) in [(false, false), (true, true)] {
                let circuit = Circuit::new(design, 3, 5).unwrap().with(ties, incomplete);
                let files = circuit.files();
                assert_eq!(files.len(), 19);
                for file in files {
                    // Makefiles have automatic variables and recipes that begin with an at sign.
                    let mut parts = file.text.split('@').skip(1);
                    let is_key =
                        |part: &str| part.len() > 3 && part.bytes().all(|b| b.is_ascii_uppercase() || b == b'_');
                    assert!(!parts.any(is_key), "{}", file.name);
                    let is_plain = file.name == "timing.constr";
                    assert!(is_plain || file.text.contains(&circuit.command()), "{}", file.name);
                }
            }
        }
    }

    #[test]
    fn sizes_outside_are_errors() {
        for (rows, columns) in [(0, 4), (1, 4), (4, 1), (65, 4), (4, usize::MAX)] {
            assert!(matches!(Circuit::new(Design::Literal, rows, columns), Err(RtlError::Size { .. })));
        }
        assert_eq!(Design::from_name("pipelined"), Some(Design::Pipelined));
        assert_eq!(Design::from_name("literl"), None);
    }
}
