//! The commands on experiments from files: sweep, merge, replay.

use super::shared::Threads;
use super::values::shard;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
Each replication of each point is kept in DIR/units.jsonl as soon as it is finished. The same command goes on where an earlier one was
stopped; several may work on the same DIR at once. At the end, DIR holds results.csv, results.parquet and manifest.json.

Examples:
  switchlab sweep delay.toml --out out/delay
  On two machines, then together:
    switchlab sweep delay.toml --out part1 --shard 1/2
    switchlab sweep delay.toml --out part2 --shard 2/2
    switchlab merge part1 part2 --out out/delay")]
pub(crate) struct SweepArgs {
    /// The experiment, as TOML
    #[arg(value_name = "EXPERIMENT.toml")]
    pub(crate) experiment: PathBuf,

    /// Where results are kept [default: out/ and the experiment's name]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Run only the i-th of n parts, such as 1/4; `switchlab merge` joins them
    #[arg(long, value_name = "i/n", value_parser = shard)]
    pub(crate) shard: Option<(u32, u32)>,

    /// The reduced form that the file's quick section describes
    #[arg(long)]
    pub(crate) quick: bool,

    #[command(flatten)]
    pub(crate) threads: Threads,
}

#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// Directories of results
    #[arg(required = true, value_name = "DIR")]
    pub(crate) parts: Vec<PathBuf>,

    /// Where to join them; may already hold results
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// The manifest.json of a sweep
    pub(crate) manifest: PathBuf,

    /// Keep the results of the second run in this new directory
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) threads: Threads,
}
