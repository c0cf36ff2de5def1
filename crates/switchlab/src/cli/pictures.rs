//! The commands that draw.

use super::look::Look;
use super::shared::Threads;
use super::values::duration;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  The page from the results that are shipped with the papers; then open out/index.html:
    switchlab reproduce
  Some of these units anew, compared to the last digit:
    switchlab reproduce --verify 20
  Everything run anew, in reduced form, and one paper in full:
    switchlab reproduce --quick
    switchlab reproduce classics --full
  What is missing among the shipped results, for an hour:
    switchlab reproduce --ship --time-limit 1h
  A report of one paper to cite, as LaTeX source, with its figures beside it:
    switchlab reproduce 003 --latex report.tex

What is there already is not run again. Where a claim is undecided, the points it rests on get more replications by themselves, up to the \
experiment's limit. Each claim records the ruling that is expected of it. Exit code: 1 if a claim holds that is expected to fail or the \
other way round; with --strict, 1 if any claim does not hold, whether the paper errs or we do; 2 for bad input; else 0.")]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct ReproduceArgs {
    /// Papers, or single experiments or figures of them [default: all]
    #[arg(value_name = "PAPER[/FIGURE]")]
    pub(crate) wanted: Vec<String>,

    /// Run everything anew in reduced form, in minutes
    #[arg(long, conflicts_with_all = ["full", "verify"])]
    pub(crate) quick: bool,

    /// Run all points anew, at the length that each experiment states; may be stopped and goes on
    /// where it was
    #[arg(long, conflicts_with = "verify")]
    pub(crate) full: bool,

    /// Run this many shipped units anew, chosen at random, and compare them to the last digit; exit
    /// code 1 if one differs
    #[arg(long, value_name = "K")]
    pub(crate) verify: Option<usize>,

    /// With --verify, the seed of the choice [default: from the time of day]
    #[arg(long, value_name = "SEED", requires = "verify")]
    pub(crate) choice: Option<u64>,

    /// With --verify, choose among units of at most this many slots times ports [default: all]
    #[arg(long, value_name = "N", requires = "verify")]
    pub(crate) most_work: Option<u64>,

    /// Measure in full what is missing among the results that are shipped with the papers, and keep
    /// it there; may be stopped and goes on where it was
    #[arg(long, conflicts_with_all = ["quick", "full", "verify"])]
    pub(crate) ship: bool,

    /// With --ship, begin no replication after this time, such as 90s, 55m or 4h; exit code 3 if
    /// something is left
    #[arg(long, value_name = "TIME", requires = "ship", value_parser = duration)]
    pub(crate) time_limit: Option<Duration>,

    /// Where the page and its files go
    #[arg(long, value_name = "DIR", default_value = "out")]
    pub(crate) out: PathBuf,

    /// Where the papers are [default: ./papers, or those this program was built beside]
    #[arg(long, value_name = "DIR")]
    pub(crate) papers: Option<PathBuf>,

    /// Also write a report of these papers as LaTeX source, FILE.tex, and its figures beside it
    #[arg(long, value_name = "FILE")]
    pub(crate) latex: Option<PathBuf>,

    /// Exit code 1 also if a claim does not hold that is expected not to
    #[arg(long)]
    pub(crate) strict: bool,

    #[command(flatten)]
    pub(crate) threads: Threads,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  Mean delay against load, with intervals, to out/rank/delay.svg:
    switchlab plot out/rank
  The 99th percentile of two switches, in the terminal:
    switchlab plot out/rank --y delay_p99 --where switch=oq --where switch=islip --term
  Throughput against a variable, as PNG:
    switchlab plot out/unbalanced --x w --y throughput --out throughput.png
  For a column of a journal, and what each is of output queueing below it:
    switchlab plot out/rank --ratio oq --width 88mm --no-title --label oq=OQ --out delay.pdf
  Distributions of delays at one load, and the traffic:
    switchlab plot out/rank --kind ccdf --where load=0.9
    switchlab plot out/rank --kind matrix --where traffic=diagonal

Columns are those of results.csv. Rows of unstable switches are left out of plots of delay and backlog, and named below them.")]
pub(crate) struct PlotArgs {
    /// A directory of `switchlab sweep`, or its results.csv
    pub(crate) results: PathBuf,

    /// The column on the horizontal axis
    #[arg(long, value_name = "COLUMN", default_value = "load")]
    pub(crate) x: String,

    /// The column on the vertical axis
    #[arg(long, value_name = "COLUMN", default_value = "delay")]
    pub(crate) y: String,

    /// The column that tells the lines apart
    #[arg(long, value_name = "COLUMN", default_value = "switch")]
    pub(crate) series: String,

    /// Only rows with this value; of several values of one column, any
    #[arg(long = "where", value_name = "COLUMN=VALUE", value_parser = condition)]
    pub(crate) only: Vec<(String, String)>,

    /// Which axes are logarithmic [default: y for delays and backlog, x for powers of two]
    #[arg(long, value_name = "AXES")]
    pub(crate) log: Option<Logarithmic>,

    /// A second panel below: each line divided by this one
    #[arg(long, value_name = "SPEC")]
    pub(crate) ratio: Option<String>,

    #[command(flatten)]
    pub(crate) look: Look,

    /// Where to, as .svg, .png or .pdf, or the numbers as .csv [default: beside the results, by the
    /// name of the column]
    #[arg(long, value_name = "FILE", conflicts_with = "term")]
    pub(crate) out: Option<PathBuf>,

    /// Draw to the terminal
    #[arg(long)]
    pub(crate) term: bool,
}

/// Which axes are logarithmic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Logarithmic {
    None,
    X,
    Y,
    Xy,
}

/// A column and a value. The first = divides: a value may be a spec with more of them.
fn condition(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=').filter(|(column, _)| !column.is_empty());
    parts
        .map(|(column, value)| (column.trim().to_string(), value.trim().to_string()))
        .ok_or_else(|| "write COLUMN=VALUE, such as switch=oq or load=0.9".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions() {
        assert_eq!(condition("load=0.9"), Ok(("load".to_string(), "0.9".to_string())));
        let spec = condition("switch=islip(iterations=4)");
        assert_eq!(spec, Ok(("switch".to_string(), "islip(iterations=4)".to_string())));
        assert!(["", "=1", "load"].iter().all(|bad| condition(bad).is_err()));
    }
}
