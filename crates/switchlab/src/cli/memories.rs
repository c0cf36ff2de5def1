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

`maximum` places all cells of a slot whenever that is possible. With 2N-2 memories there is a trace for any N on which it is not, if queues are long enough (less than 4N \
cells). With --access single a memory is read or written in a slot, not both: 3N-1 are enough for first-fit, and for few ports and short queues a search says whether fewer are. \
With --stripe P the question is theorem 2's: flows striped over P memories by first-fit. N+P-1 are enough, and there is a trace for any N and P on which one less is not.

With --out, each failure is written as a trace that `switchlab run` replays: it ends with exit code 1 and says which cell has no memory. That of `any` is one \
on which psm(matcher=maximum) fails; another scheduler would have been sent other cells.

Examples:
  switchlab psm-bound --ports 2 --capacity 4
  switchlab psm-bound --ports 16 --capacity 64 --memories 30 --matcher first-fit --out traces
  switchlab run 'psm(memories=30)' --ports 16 --traffic 'trace(file=traces/first-fit-30.csv)'
  switchlab psm-bound --ports 16 --capacity 64 --memories 30 --matcher maximum --out traces
  switchlab psm-bound --ports 8 --stripe 8 --out traces")]
pub(crate) struct PsmBoundArgs {
    /// Number of ports, N
    #[arg(long, short = 'n', value_name = "N", value_parser = ports)]
    pub(crate) ports: usize,

    /// How many cells for one output there may be, K
    #[arg(long, value_name = "K", value_parser = whole::<usize>, required_unless_present = "stripe")]
    pub(crate) capacity: Option<usize>,

    /// Number of memories, or `all` from N to those that are enough
    #[arg(long, value_name = "M", default_value = "all", value_parser = memories)]
    pub(crate) memories: Memories,

    /// The scheduler [default: any and first-fit]
    #[arg(long, value_enum)]
    pub(crate) matcher: Option<Survivor>,

    /// What a memory does in a slot; `single` is for first-fit
    #[arg(long, value_enum, default_value = "read-write", conflicts_with = "matcher")]
    pub(crate) access: MemoryAccess,

    /// Flows that are striped over P memories, by first-fit
    #[arg(long, value_name = "P", value_parser = whole::<usize>, conflicts_with_all = ["capacity", "matcher", "access"])]
    pub(crate) stripe: Option<usize>,

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
    /// A maximum matching, the lowest memories first
    Maximum,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MemoryAccess {
    /// One read and one write
    ReadWrite,
    /// One of both
    Single,
}
