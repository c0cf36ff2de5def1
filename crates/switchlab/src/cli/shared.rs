//! Options that several commands have, each defined once.
//!
//! A command flattens those it has. Where a command needs other words in its help, it replaces them
//! with `mut_arg`.

// Without doc comments on these structures: clap would take them for the help of the command.

use super::values::size;
use clap::Args;

// What arrives. `L` is [`Load`], or [`NoLoad`] for a command that finds loads itself.
#[derive(Clone, Debug, Args)]
pub(crate) struct Workload<L: Args> {
    /// Number of ports; a trace or a matrix from a file has its own
    #[arg(long, short = 'n', value_name = "N")]
    pub(crate) ports: Option<usize>,

    /// Where cells go: a load matrix, or a trace
    #[arg(long, value_name = "SPEC", default_value = "uniform")]
    pub(crate) traffic: String,

    #[command(flatten)]
    pub(crate) load: L,

    /// When cells come [default: bernoulli]
    #[arg(long, value_name = "SPEC")]
    pub(crate) arrivals: Option<String>,
}

#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Load {
    /// Load of each input, from 0 to 1; a trace has its own
    #[arg(long, value_name = "X", allow_hyphen_values = true)]
    pub(crate) load: Option<f64>,
}

#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct NoLoad {}

impl From<NoLoad> for Load {
    fn from(_: NoLoad) -> Self {
        Self { load: None }
    }
}

#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Seed {
    /// Seed of all random numbers
    #[arg(long, value_name = "K", default_value_t = 1)]
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
    #[arg(long, value_name = "T")]
    pub(crate) threads: Option<usize>,
}

#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Json {
    /// Print one JSON array on stdout instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}
