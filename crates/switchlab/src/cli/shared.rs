//! Options that several commands have, each defined once.
//!
//! A command flattens those it has. Where a command needs other words in its help, it replaces them
//! with `mut_arg`.

// Without doc comments on these structures: clap would take them for the help of the command.

use super::lists::{List, loads, port_counts, specs};
use super::values::{load, ports, seed, size, whole};
use clap::Args;

// What arrives.
#[derive(Clone, Debug, Args)]
pub(crate) struct Workload {
    /// Number of ports; a trace or a matrix from a file has its own
    #[arg(long, short = 'n', value_name = "N", value_parser = ports)]
    pub(crate) ports: Option<usize>,

    /// Where cells go: a load matrix, or a trace
    #[arg(long, value_name = "SPEC", default_value = "uniform")]
    pub(crate) traffic: String,

    /// Load of each input, a share of the line such as 0.9 or 90%; a trace has its own
    #[arg(long, value_name = "X", value_parser = load)]
    pub(crate) load: Option<f64>,

    /// Let outputs of a matrix from a file be sent more than 1: verdicts are then about the others
    #[arg(long)]
    pub(crate) overload: bool,

    /// When cells come [default: bernoulli]
    #[arg(long, value_name = "SPEC")]
    pub(crate) arrivals: Option<String>,
}

// What arrives, with lists of values: the axes of a grid.
#[derive(Clone, Debug, Args)]
pub(crate) struct Workloads {
    /// Number of ports; a trace or a matrix from a file has its own. A list or range makes a curve,
    /// such as 16,64 or 4:64:x2
    #[arg(long, short = 'n', value_name = "N", value_parser = port_counts)]
    pub(crate) ports: Option<List<usize>>,

    /// Where cells go: a load matrix, or a trace; or a list, such as uniform,diagonal
    #[arg(long, value_name = "SPEC", value_parser = specs, default_value = "uniform")]
    pub(crate) traffic: List<String>,

    /// Load of each input, from 0 to 1; a trace has its own. A list or range makes a curve, such as
    /// 0.5,0.9 or 0.1:0.95:0.05
    #[arg(long, value_name = "X", value_parser = loads)]
    pub(crate) load: Option<List<f64>>,

    /// Let outputs of a matrix from a file be sent more than 1: verdicts are then about the others
    #[arg(long)]
    pub(crate) overload: bool,

    /// When cells come, or a list [default: bernoulli]
    #[arg(long, value_name = "SPEC", value_parser = specs)]
    pub(crate) arrivals: Option<List<String>>,
}

// What arrives at any load, for a command that finds loads itself.
#[derive(Clone, Debug, Args)]
pub(crate) struct Pattern {
    /// Number of ports, or a list or range, such as 16,64 or 4:64:x2, each searched by itself; a
    /// matrix from a file has its own
    #[arg(long, short = 'n', value_name = "N", value_parser = port_counts)]
    pub(crate) ports: Option<List<usize>>,

    /// Where cells go: a load matrix
    #[arg(long, value_name = "SPEC", default_value = "uniform")]
    pub(crate) traffic: String,

    /// Let outputs of a matrix from a file be sent more than 1: verdicts are then about the others
    #[arg(long)]
    pub(crate) overload: bool,

    /// When cells come [default: bernoulli]
    #[arg(long, value_name = "SPEC")]
    pub(crate) arrivals: Option<String>,
}

#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Seed {
    /// Seed of all random numbers
    #[arg(long, value_name = "K", value_parser = seed, default_value = "1")]
    pub(crate) seed: u64,
}

// What the runs may take of the machine.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Resources {
    /// Memory for all runs at once; a run whose queued cells need more ends early and says so
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "1GiB")]
    pub(crate) memory: u64,

    #[command(flatten)]
    pub(crate) threads: Threads,
}

#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Threads {
    /// Worker threads [default: all cores]; results do not depend on it
    #[arg(long, value_name = "T", value_parser = whole::<usize>)]
    pub(crate) threads: Option<usize>,
}

/// In which form results are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Text,
    Json,
    Csv,
    Markdown,
}

#[derive(Clone, Copy, Debug, Args)]
#[group(multiple = false)]
pub(crate) struct Form {
    /// Print one JSON array on stdout instead of a table
    #[arg(long)]
    json: bool,

    /// Print CSV on stdout instead of a table: all figures, in full, under the names of results.csv
    #[arg(long)]
    csv: bool,

    /// Print the table in Markdown
    #[arg(long)]
    markdown: bool,
}

impl Form {
    pub(crate) fn shape(self) -> Shape {
        match self {
            Self { json: true, .. } => Shape::Json,
            Self { csv: true, .. } => Shape::Csv,
            Self { markdown: true, .. } => Shape::Markdown,
            _ => Shape::Text,
        }
    }
}

#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Json {
    /// Print one JSON array on stdout instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}
