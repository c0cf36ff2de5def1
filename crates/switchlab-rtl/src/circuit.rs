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
}

impl Design {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Literal => "literal",
            Self::Optimised => "optimised",
        }
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
const COMMON: [(&str, &str); 6] =
    templates!("common": "find_roots_priority.v", "find_roots_tb.v", "cells.v", "map.v", "synth.ys", "Makefile");

impl Circuit {
    /// A circuit for strict and complete rankings of this number of rows and columns.
    pub fn new(design: Design, rows: usize, columns: usize) -> Result<Self, RtlError> {
        if [rows, columns].iter().any(|ports| !(2..=MAX_PORTS).contains(ports)) {
            return Err(RtlError::Size { rows, columns });
        }
        Ok(Self { design, rows, columns, ties: false, incomplete: false })
    }

    /// The same for rankings with ties, with absent pairs, or both.
    #[must_use]
    pub fn with(self, ties: bool, incomplete: bool) -> Self {
        Self { ties, incomplete, ..self }
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

    /// The bits of a rank as it is stored, which are the clocks it takes to load.
    ///
    /// The literal design counts ranks from 1 to n down and needs 0 too, so ceil(log2(n + 1)). The
    /// optimised one only compares, so ranks from 0 to n - 1 do, in ceil(log2 n) bits, and absence
    /// is a bit of its own above them.
    pub fn planes(&self) -> usize {
        let most = self.rows.max(self.columns);
        match self.design {
            Design::Literal => bits(most + 1),
            Design::Optimised => bits(most) + usize::from(self.incomplete),
        }
    }

    /// The clocks from a start (with the last load clock) until done, at most.
    pub fn clocks(&self) -> usize {
        let iterations = self.rows.min(self.columns);
        match self.design {
            Design::Literal => 2 * iterations + 2,
            Design::Optimised => self.planes() * iterations + 2,
        }
    }

    /// The command that writes it.
    pub fn command(&self) -> String {
        let mut command = format!("switchlab rtl find-roots --ports {} --design {}", self.rows, self.design.name());
        if self.columns != self.rows {
            command += &format!(" --columns {}", self.columns);
        }
        for (given, flag) in [(self.ties, " --ties"), (self.incomplete, " --incomplete")] {
            command += if given { flag } else { "" };
        }
        command
    }

    /// All files but the vectors.
    pub fn files(&self) -> Vec<File> {
        let design = match self.design {
            Design::Literal => &LITERAL,
            Design::Optimised => &OPTIMISED,
        };
        design.iter().chain(&COMMON).map(|&(name, template)| File { name, text: self.fill(template) }).collect()
    }

    /// All files, with the vectors.
    pub fn files_with_vectors(&self, vectors: &vectors::Plan) -> Result<Vec<File>, RtlError> {
        let mut files = self.files();
        files.push(File { name: "vectors.txt", text: vectors::text(self, vectors)? });
        Ok(files)
    }

    fn fill(&self, template: &str) -> String {
        // A rank from 1, 0 if absent, as the test bench has to present it.
        let encode = match (self.design, self.incomplete) {
            (Design::Literal, _) => "rank".to_string(),
            (Design::Optimised, false) => "rank - 1".to_string(),
            (Design::Optimised, true) => format!("rank == 0 ? {} : rank - 1", 1usize << (self.planes() - 1)),
        };
        // A start that comes late waits until the rings have come round.
        let waiting = if self.design == Design::Optimised { self.planes() - 1 } else { 0 };
        let command = format!("Written by `{}`.", self.command());
        let numbers = [
            ("@ROWS@", self.rows),
            ("@COLUMNS@", self.columns),
            ("@RANK_BITS@", self.planes()),
            ("@PLANES@", self.planes()),
            ("@COLUMN_BITS@", bits(self.columns)),
            ("@TIES@", usize::from(self.ties)),
            ("@INCOMPLETE@", usize::from(self.incomplete)),
            ("@CLOCKS@", self.clocks() + waiting),
        ];
        let text = template.replace("@COMMAND@", &command).replace("@ENCODE@", &encode);
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

    #[test]
    fn widths_are_those_of_the_readings() {
        for (ports, literal, optimised) in [(2, 2, 1), (3, 2, 2), (4, 3, 2), (8, 4, 3), (12, 4, 4), (64, 7, 6)] {
            assert_eq!(Circuit::new(Design::Literal, ports, ports).unwrap().planes(), literal);
            assert_eq!(Circuit::new(Design::Optimised, ports, ports).unwrap().planes(), optimised);
        }
        assert_eq!(Circuit::new(Design::Literal, 2, 8).unwrap().planes(), 4);
    }

    #[test]
    fn every_place_in_every_template_is_filled() {
        for design in [Design::Literal, Design::Optimised] {
            for (ties, incomplete) in [(false, false), (true, true)] {
                let circuit = Circuit::new(design, 3, 5).unwrap().with(ties, incomplete);
                let files = circuit.files();
                assert_eq!(files.len(), 10);
                for file in files {
                    // Makefiles have automatic variables and recipes that begin with an at sign.
                    assert!(!file.text.contains("@R") && !file.text.contains("@C"), "{}", file.name);
                    assert!(!file.text.contains("@T") && !file.text.contains("@I"), "{}", file.name);
                    assert!(file.text.contains(&circuit.command()), "{}", file.name);
                }
            }
        }
    }

    #[test]
    fn sizes_outside_are_errors() {
        for (rows, columns) in [(0, 4), (1, 4), (4, 1), (65, 4), (4, usize::MAX)] {
            assert!(matches!(Circuit::new(Design::Literal, rows, columns), Err(RtlError::Size { .. })));
        }
    }
}
