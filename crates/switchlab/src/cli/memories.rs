//! The command that finds how many memories are enough.

use super::shared::Json;
use super::values::{count, ports, whole};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
An adversary chooses arrivals, a scheduler the memories of their cells; a scheduler that cannot place the cells of a slot has lost. `any` asks whether some scheduler survives for ever; \
`first-fit` is psm's first matcher. 2N-1 memories are enough for both. With fewer, `any` is decided by solving the game, for up to 6 ports and short queues; for \
first-fit there is a trace for any N if queues hold at least N cells. Ctrl-C stops a search: what is known is printed, and the exit code is 3.

With --out, each failure is written as a trace that `switchlab run` replays: it ends with exit code 1 and says which cell has no memory. That of `any` is one \
on which psm(matcher=maximum) fails; another scheduler would have been sent other cells.

Examples:
  switchlab psm-bound --ports 2 --capacity 4
  switchlab psm-bound --ports 16 --capacity 64 --memories 30 --matcher first-fit --out traces
  switchlab run 'psm(memories=30)' --ports 16 --traffic 'trace(file=traces/first-fit-30.csv)'")]
pub(crate) struct PsmBoundArgs {
    /// Number of ports, N
    #[arg(long, short = 'n', value_name = "N", value_parser = ports)]
    pub(crate) ports: usize,

    /// How many cells for one output there may be, K
    #[arg(long, value_name = "K", value_parser = whole::<usize>)]
    pub(crate) capacity: usize,

    /// Number of memories, or `all` from N to 2N-1
    #[arg(long, value_name = "M", default_value = "all", value_parser = memories)]
    pub(crate) memories: Memories,

    /// The scheduler [default: both]
    #[arg(long, value_enum)]
    pub(crate) matcher: Option<Survivor>,

    /// States that a search may hold; about a kilobyte each
    #[arg(long, value_name = "MAX", default_value = "200000", value_parser = count)]
    pub(crate) states: u64,

    /// Write failing traces to this directory
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Memories {
    All,
    Some(usize),
}

fn memories(text: &str) -> Result<Memories, String> {
    if text == "all" {
        return Ok(Memories::All);
    }
    text.parse().map(Memories::Some).map_err(|_| "write a whole number, or all".to_string())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Survivor {
    /// Some scheduler, the best there is
    Any,
    /// First-fit, the lowest memory first
    FirstFit,
}
