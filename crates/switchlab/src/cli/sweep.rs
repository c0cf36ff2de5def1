//! The commands on experiments from files: sweep, merge, replay.

use super::shared::{Form, Threads};
use super::values::{duration, shard};
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Args)]
#[command(after_help = "\
Each replication of each point is kept in DIR/units.jsonl as soon as it is finished. The same command goes on where an earlier one was \
stopped; several may work on the same DIR at once. On Ctrl-C or SIGTERM the units in hand are finished; a second one ends at once. \
At the end, DIR holds results.csv, results.parquet, manifest.json and the \
figures of the file, and its claims are judged. Exit code: 1 if a claim holds \
that is expected to fail or the other way round; with --strict, 1 if any claim does not hold; 2 for bad input; 3 if units are left.

Examples:
  switchlab sweep delay.toml --out out/delay
  Shorter, at other loads, and with another seed:
    switchlab sweep delay.toml --out out/short --slots 20000 --set loads=0.5,0.9 --seed 2
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

    /// Begin no unit that would not be finished after this time, such as 90s, 55m or 4h; exit code
    /// 3 if something is left
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub(crate) time_limit: Option<Duration>,

    /// Each process writes a file of its own: for file systems whose locks do not hold among
    /// machines [default: where they do not hold on this machine]
    #[arg(long)]
    pub(crate) no_locks: bool,

    /// The reduced form that the file's quick section describes
    #[arg(long)]
    pub(crate) quick: bool,

    /// Another value for a key of the file, as TOML or in short: loads=0.1:0.9:0.1, ports=16,64,
    /// traffic=diagonal; may be given again
    #[arg(long, value_name = "KEY=VALUE", value_parser = setting)]
    pub(crate) set: Vec<(String, String)>,

    /// Another seed: the same as --set seed=K
    #[arg(long, value_name = "K")]
    pub(crate) seed: Option<String>,

    /// Other slots to measure: the same as --set slots=S; the warm-up is a fifth of them
    #[arg(long, value_name = "S")]
    pub(crate) slots: Option<String>,

    /// Other replications: the same as --set replications=R
    #[arg(long, value_name = "R")]
    pub(crate) replications: Option<String>,

    /// Exit code 1 also if a claim does not hold that is expected not to
    #[arg(long)]
    pub(crate) strict: bool,

    #[command(flatten)]
    pub(crate) form: Form,

    #[command(flatten)]
    pub(crate) threads: Threads,
}

impl SweepArgs {
    /// All values that replace those of the file.
    pub(crate) fn settings(&self) -> Vec<(String, String)> {
        let short = [("seed", &self.seed), ("slots", &self.slots), ("replications", &self.replications)];
        let short = short.into_iter().filter_map(|(key, value)| Some((key.to_string(), value.clone()?)));
        self.set.iter().cloned().chain(short).collect()
    }
}

/// A key and a value. The first = divides.
pub(super) fn setting(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=').map(|(key, value)| (key.trim(), value.trim()));
    let whole = parts.filter(|(key, value)| !key.is_empty() && !value.is_empty());
    whole
        .map(|(key, value)| (key.to_string(), value.to_string()))
        .ok_or_else(|| "write KEY=VALUE, such as slots=20000 or loads=0.5,0.9".to_string())
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
#[command(after_help = "\
It reads files only, and may be asked at any time, from any machine that sees them. The time that is left is that of the first \
replications; a precision or undecided claims may ask for more. Exit code: 0 if nothing is left, 3 if something is, 2 for bad input.

Example:
  switchlab status out/delay
  switchlab status part1 part2")]
pub(crate) struct StatusArgs {
    /// Directories of a sweep: one, or its shards
    #[arg(required = true, value_name = "DIR")]
    pub(crate) dirs: Vec<PathBuf>,

    /// Print one JSON object on stdout
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// The manifest.json of a sweep
    pub(crate) manifest: PathBuf,

    /// Keep the results of the second run in this new directory
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Read traces and matrices that the manifest names outside its own folder, too
    #[arg(long)]
    pub(crate) trust_paths: bool,

    #[command(flatten)]
    pub(crate) threads: Threads,
}
