//! The command that searches for deadlocks.

use super::values::{count, ports, seed, slots, whole};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use switchlab_lab::picture::Format;

#[derive(Debug, Args)]
#[command(after_help = "\
A model of the fabric, in which arrivals, links and (with --merge any or random) merging are free, is searched through all its states. If there are more \
than --states, random steps follow, which find but do not deny. Where the model is not free of deadlock, the fabric itself is tried with hostile \
arrivals, and a trace that stops it is made as short as can be. Exit code 0 whatever the answer is. \
Ctrl-C stops the search: what is known is printed, and the exit code is 3.

Examples:
  The theorem's sizes, every state:
    switchlab deadlock --ports 4
  Routing buffers one too small; the trace and drawings go to DIR:
    switchlab deadlock --ports 4 --distribution ic --routing-buffer 1 --out DIR
  The base case of theorem 1, bD = 1 and bR = 2, from any pointers:
    switchlab deadlock --ports 4 --distribution ic --distribution-output 0 --routing-output 0 --pointers all
  Three levels, at the theorem's sizes:
    switchlab deadlock --ports 8 --merge random --json")]
pub(crate) struct DeadlockArgs {
    /// Number of ports, a power of the radix, from 4 to 16
    #[arg(long, short = 'n', value_name = "N", value_parser = ports)]
    pub(crate) ports: usize,

    /// Ports of an element, 2 or 4
    #[arg(long, value_name = "P", default_value = "2", value_parser = whole::<usize>)]
    pub(crate) radix: usize,

    /// How cells are distributed: in turns, or by imbalance counts
    #[arg(long, value_name = "METHOD", default_value = "rr")]
    pub(crate) distribution: Distribution,

    /// How the input buffers of a flow group are merged
    #[arg(long, value_name = "RULE", default_value = "any")]
    pub(crate) merge: Merge,

    /// Cells in an input buffer of a distribution element, from 1 to 7
    #[arg(long, value_name = "CELLS", default_value = "1", value_parser = whole::<usize>)]
    pub(crate) distribution_buffer: usize,

    /// Cells in an input buffer of a routing element, from 1 to 7 [default: as the theorem asks
    /// for]
    #[arg(long, value_name = "CELLS", value_parser = whole::<usize>)]
    pub(crate) routing_buffer: Option<usize>,

    /// Cells in an output buffer of a distribution element, from 0 to 7
    #[arg(long, value_name = "CELLS", default_value = "1", value_parser = whole::<usize>)]
    pub(crate) distribution_output: usize,

    /// Cells in an output buffer of a routing element, from 0 to 7
    #[arg(long, value_name = "CELLS", default_value = "1", value_parser = whole::<usize>)]
    pub(crate) routing_output: usize,

    /// The pointers that the model begins with: all at 0, or all that there can be
    #[arg(long, value_name = "WHICH", default_value = "zero")]
    pub(crate) pointers: Pointers,

    /// States to keep at most, some 100 bytes each
    #[arg(long, value_name = "MAX", value_parser = count, default_value = "2000000")]
    pub(crate) states: u64,

    /// Random steps, where there are more states
    #[arg(long, value_name = "MAX", value_parser = count, default_value = "10000000")]
    pub(crate) steps: u64,

    /// Slots with arrivals to try on the fabric itself
    #[arg(long, value_name = "S", value_parser = slots, default_value = "1000000")]
    pub(crate) slots: u64,

    /// Seed of steps and arrivals, and of the fabric
    #[arg(long, value_name = "K", default_value = "1", value_parser = seed)]
    pub(crate) seed: u64,

    /// Write trace.csv, model.svg and fabric.svg here, as far as there is something to show
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Format of the drawings
    #[arg(long, value_name = "FORMAT", default_value = "svg", requires = "out", value_parser = format)]
    pub(crate) format: Format,

    /// Print one JSON object on stdout instead of text
    #[arg(long)]
    pub(crate) json: bool,
}

/// The format of a drawing, by its extension.
fn format(text: &str) -> Result<Format, String> {
    let known = || Format::ALL.iter().copied();
    known().find(|format| format.extension() == text).ok_or_else(|| {
        let names: Vec<_> = known().map(Format::extension).collect();
        format!("drawings are written as {}", names.join(", "))
    })
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Distribution {
    Rr,
    Ic,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Pointers {
    Zero,
    All,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Merge {
    Any,
    Random,
    Fixed,
    RoundRobin,
}
