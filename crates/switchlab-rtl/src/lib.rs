//! Schedulers as synthesizable Verilog-2005, with self-checking test benches and golden vectors.
//!
//! ```text
//!   Circuit ──► find_roots*.v, test bench, Makefile, synth.ys     (circuit)
//!      │
//!      ├──► vectors.txt: instances, and what the library finds    (vectors)
//!      ├──► yosys ──► cells and depth ──► beside Table II         (synthesis, report)
//!      └──► yosys, OpenSTA ──► the shortest clock in ns           (timing)
//! ```
//!
//! The Verilog itself is in `verilog/`: three designs of `FIND_ROOTS` with the same ports.
//! `literal` is as section III of paper 003 has it, repaired where it does not work as printed.
//! `optimised` has the same function bit-serially, in a third of Table II's area. `pipelined` is
//! the literal one with two matchings inside at a time. The files are parametric; only the defaults
//! of their parameters are filled in here, so what is read there is what is written. A circuit's
//! Makefile simulates, lints, synthesizes and proves it.
//!
//! ```
//! use switchlab_rtl::{Circuit, Design};
//!
//! let circuit = Circuit::new(Design::Optimised, 4, 4)?;
//! let files = circuit.files();
//! let top = files.iter().find(|file| file.name == "find_roots.v").unwrap();
//! assert!(top.text.contains("parameter ROWS       = 4,"));
//! # Ok::<(), switchlab_rtl::RtlError>(())
//! ```

mod circuit;
mod error;
pub mod report;
pub mod synthesis;
pub mod timing;
pub mod vectors;

pub use circuit::{Circuit, Design, File, MAX_PORTS};
pub use error::RtlError;
