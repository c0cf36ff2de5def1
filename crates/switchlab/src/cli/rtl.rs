//! The command that writes a scheduler as hardware.

use super::values::{seed, whole};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  A 16 x 16 scheduler in Verilog, with a test bench and vectors; then try it with iverilog:
    switchlab rtl find-roots --ports 16 --out build && make -C build test
  8 inputs and 12 outputs, for ranks that are never equal, loaded during the run before:
    switchlab rtl find-roots --ports 8 --columns 12 --strict --overlap --out build
  Table II of paper 003, beside what yosys makes of all designs:
    switchlab rtl find-roots --ports 2,4,6,8,10,12 --design literal,optimised,pipelined --synthesize --out build
  A proof for all ranks at once that the result is stable, by yosys-smtbmc and z3:
    switchlab rtl find-roots --ports 3 --out build && make -C build formal

The designs have the same ports and find the same matching. Several sizes or designs go to directories of their own below DIR.")]
#[allow(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
pub(crate) struct RtlArgs {
    /// What to write
    #[arg(value_name = "SCHEDULER")]
    pub(crate) scheduler: Scheduler,

    /// Rows of the array, from 2 to 64: inputs of the switch; or several, as in 2,4,8
    #[arg(long, short = 'n', value_name = "N", required = true, value_delimiter = ',', value_parser = whole::<usize>)]
    pub(crate) ports: Vec<usize>,

    /// Columns of the array, from 2 to 64: outputs of the switch [default: as many as rows]
    #[arg(long, value_name = "M", value_parser = whole::<usize>)]
    pub(crate) columns: Option<usize>,

    /// As section III of the paper has it; with far fewer gates; or with two matchings inside at a
    /// time, which starts one every N clocks. Or several, as in literal,optimised
    #[arg(long, value_name = "DESIGN", default_value = "optimised", value_delimiter = ',')]
    pub(crate) design: Vec<Design>,

    /// Only for ranks that are never equal: a smaller circuit. Else the smallest row wins, and in
    /// it the smallest column
    #[arg(long, conflicts_with = "ties")]
    pub(crate) strict: bool,

    /// Only for rankings without absent pairs: a smaller circuit
    #[arg(long, conflicts_with = "incomplete")]
    pub(crate) complete: bool,

    /// Load ranks while a run is under way, into registers of their own; the pipelined design
    /// always does
    #[arg(long)]
    pub(crate) overlap: bool,

    /// Accepted and without effect: equal ranks are allowed unless --strict is given
    #[arg(long, hide = true)]
    pub(crate) ties: bool,

    /// Accepted and without effect: pairs may be absent unless --complete is given
    #[arg(long, hide = true)]
    pub(crate) incomplete: bool,

    /// Where the files go
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,

    /// Rooted instances among the vectors; a tenth as many of any kind follow [default: 1000, fewer
    /// above 16 ports]
    #[arg(long, value_name = "K", value_parser = whole::<usize>)]
    pub(crate) vectors: Option<usize>,

    /// Seed of the vectors
    #[arg(long, value_name = "K", default_value = "1", value_parser = seed)]
    pub(crate) seed: u64,

    /// Run yosys, print gates and depth beside the paper's, and write them to DIR/hardware.md
    #[arg(long)]
    pub(crate) synthesize: bool,

    /// Liberty file for delays in ns, by yosys and the timing analyser sta [default: that of
    /// Debian's package qflow-tech-osu050, if it and sta are installed]
    #[arg(long, value_name = "FILE", requires = "synthesize")]
    pub(crate) liberty: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Scheduler {
    /// The acyclic stable matching scheduler of paper 003
    FindRoots,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub(crate) enum Design {
    Literal,
    Optimised,
    Pipelined,
}
