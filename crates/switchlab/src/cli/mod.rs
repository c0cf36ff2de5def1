//! What the command line accepts.

pub(crate) mod bench;
pub(crate) mod deadlock;
mod memories;
mod pictures;
mod rankings;
pub(crate) mod rtl;

pub(crate) use memories::{Memories, PsmBound, Survivor};
pub(crate) use pictures::{Logarithmic, Plot, Reproduce};
pub(crate) use rankings::{Algorithm, Match};

use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;
use switchlab_lab::Warmup;

/// A laboratory for packet-switch architectures.
#[derive(Debug, Parser)]
#[command(
    name = "switchlab",
    version,
    about,
    max_term_width = 100,
    after_help = "\
Examples:
  switchlab list
  switchlab explain islip
  switchlab run oq islip 'islip(iterations=4)' pim mwm --ports 16 --traffic diagonal --load 0.8
  switchlab run islip --traffic 'trace(file=t.csv)' --departures d.csv"
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Simulate switches, side by side on the same arrivals
    Run(Box<Run>),
    /// Show the switches, traffic and arrival processes there are
    List,
    /// Explain one of them: the idea, its parameters, where it is from; or an experiment's file:
    /// all that it amounts to
    Explain {
        /// A name from `switchlab list`, or a TOML file
        name: String,

        /// Of a file: as a quick run resolves it
        #[arg(long)]
        quick: bool,
    },
    /// Run an experiment from a file, as far as its results are missing
    Sweep(Sweep),
    /// Join the results of shards
    Merge(Merge),
    /// Run again what a manifest describes, and say whether the results are the same
    Replay(Replay),
    /// Find the highest stable load of switches, with an interval and the evidence
    Limit(Box<Limit>),
    /// Hold switches to what they must do and promise, slot by slot
    Audit(Box<Audit>),
    /// Find out whether a small Benes fabric can deadlock, by all its states
    Deadlock(Box<deadlock::Deadlock>),
    /// Look at single slots: arrivals, queues, matching, departures
    Step(Box<Step>),
    /// Find a stable matching of rankings from a file, step by step if wanted
    Match(Match),
    /// Ask how many memories psm needs, and build traces on which fewer fail
    PsmBound(PsmBound),
    /// Draw the results of a sweep
    Plot(Plot),
    /// Run the experiments of papers, judge their claims, and write one page about it
    Reproduce(Reproduce),
    /// Write a scheduler as Verilog, with a test bench and golden vectors
    Rtl(rtl::Rtl),
    /// Measure the speed of the simulator on this machine
    Bench(Box<bench::Bench>),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  Five switches on the same traffic, with intervals:
    switchlab run oq islip 'islip(iterations=4)' pim mwm --ports 16 --traffic diagonal --load 0.8
  The saturation throughput of input queueing, as JSON:
    switchlab run fifo --ports 8 --load 1 --json
  Bursts, until the mean delay is known to one per cent:
    switchlab run oq islip --ports 32 --load 0.7 --arrivals 'bursty(mean=12)' --until 1%
  Does it emulate output queueing:
    switchlab run 'cioq(policy=ccf-dtc,speedup=2)' 'cioq(policy=ccf-dtc,speedup=1)' --ports 8 --load 0.9 --oq-lag
  A trace, replayed; every departure to a file:
    switchlab run islip --traffic 'trace(file=t.csv)' --departures d.csv

A spec is name or name(key=value,...); `switchlab list` shows the names, `switchlab explain NAME` the keys.")]
pub(crate) struct Run {
    /// Switches to compare, such as oq, islip or 'islip(iterations=4)'
    #[arg(required = true, value_name = "SWITCH")]
    pub(crate) switches: Vec<String>,

    /// Number of ports; a trace or a matrix from a file knows its own
    #[arg(long, short = 'n', value_name = "N")]
    pub(crate) ports: Option<usize>,

    /// Where cells go: a load matrix, or a trace
    #[arg(long, value_name = "SPEC", default_value = "uniform")]
    pub(crate) traffic: String,

    /// Load of each input, from 0 to 1; a trace has its own
    #[arg(long, value_name = "X", allow_hyphen_values = true)]
    pub(crate) load: Option<f64>,

    /// When cells come [default: bernoulli]
    #[arg(long, value_name = "SPEC")]
    pub(crate) arrivals: Option<String>,

    /// Slots to measure [default: 200000; a trace: until its last cell]
    #[arg(long, value_name = "S", value_parser = count)]
    pub(crate) slots: Option<u64>,

    /// Slots to run before measuring, or `auto` to find out (MSER-5) [default: a fifth of the
    /// slots; a trace: 0]
    #[arg(long, value_name = "W", value_parser = warmup)]
    pub(crate) warmup: Option<Warmup>,

    /// Independent replications; with 1, intervals come from batch means [default: 10; a trace: 1]
    #[arg(long, value_name = "R")]
    pub(crate) replications: Option<u32>,

    /// Seed of all random numbers
    #[arg(long, value_name = "K", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Go on until the 95 % interval of each mean delay is this narrow, such as 1% (gives up at 100
    /// times the effort; an interval without width, as of delays that are all 0, is narrow enough)
    #[arg(long, value_name = "REL", value_parser = relative)]
    pub(crate) until: Option<f64>,

    /// Print one JSON array on stdout instead of a table
    #[arg(long)]
    pub(crate) json: bool,

    /// Also show counts for each port
    #[arg(long)]
    pub(crate) per_port: bool,

    /// Also show how far each switch is behind ideal output queueing, cell by cell; no lag at all
    /// is exact emulation
    #[arg(long)]
    pub(crate) oq_lag: bool,

    /// Write every departure of the first replication to this CSV file: slot,output,input,birth. A
    /// file appears, or is replaced, when the run is finished; a FIFO or a device gets them as they
    /// come
    #[arg(long, value_name = "FILE")]
    pub(crate) departures: Option<PathBuf>,

    /// Draw the distribution of delays to this SVG file
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,

    /// Memory for all runs at once; a run whose queued cells need more ends early and says so
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "1GiB")]
    pub(crate) memory: u64,

    /// Worker threads [default: all cores]; results do not depend on it
    #[arg(long, value_name = "T")]
    pub(crate) threads: Option<usize>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Undecided is never counted as stable: where the longest runs do not tell, the interval stays wider, and says so. The throughput
at load 1 is shown beside it; it is another number, and may differ.

Examples:
  switchlab limit fifo pim islip --ports 16
  switchlab limit islip mwm --ports 16 --traffic diagonal --precision 0.01 --json")]
pub(crate) struct Limit {
    /// Switches, each searched by itself
    #[arg(required = true, value_name = "SWITCH")]
    pub(crate) switches: Vec<String>,

    /// Number of ports; a matrix from a file knows its own
    #[arg(long, short = 'n', value_name = "N")]
    pub(crate) ports: Option<usize>,

    /// Where cells go: a load matrix
    #[arg(long, value_name = "SPEC", default_value = "uniform")]
    pub(crate) traffic: String,

    /// When cells come [default: bernoulli]
    #[arg(long, value_name = "SPEC")]
    pub(crate) arrivals: Option<String>,

    /// Slots of the longest runs; shorter ones are tried first [default: 400000]
    #[arg(long, value_name = "S", value_parser = count)]
    pub(crate) slots: Option<u64>,

    /// Independent replications for each load [default: 10]
    #[arg(long, value_name = "R")]
    pub(crate) replications: Option<u32>,

    /// Width of the interval to reach
    #[arg(long, value_name = "WIDTH", value_parser = relative, default_value = "0.005")]
    pub(crate) precision: f64,

    /// Seed of all random numbers
    #[arg(long, value_name = "K", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Memory for all runs at once; runs whose queued cells need more end early, and may leave a
    /// load undecided
    #[arg(long, value_name = "SIZE", value_parser = size, default_value = "1GiB")]
    pub(crate) memory: u64,

    /// Worker threads [default: all cores]; results do not depend on it
    #[arg(long, value_name = "T")]
    pub(crate) threads: Option<usize>,

    /// Print one JSON array on stdout instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
In every slot: cells are conserved, what leaves is what was matched, flows stay in order, and the weight of the matching falls by no more
than the switch promises (`never` for SERENA). `maximum weight` says in how many slots no matching weighs more, by an exact
search, for up to 64 ports. Exit code 1 if anything is not as it must be.

Examples:
  switchlab audit serena c-serenade o-serenade so-serenade --ports 16 --load 0.9
  switchlab audit islip mwm --ports 8 --traffic diagonal --load 0.95 --slots 20000 --json")]
pub(crate) struct Audit {
    /// Switches, each on the same arrivals
    #[arg(required = true, value_name = "SWITCH")]
    pub(crate) switches: Vec<String>,

    /// Number of ports; a trace or a matrix from a file knows its own
    #[arg(long, short = 'n', value_name = "N")]
    pub(crate) ports: Option<usize>,

    /// Where cells go: a load matrix, or a trace
    #[arg(long, value_name = "SPEC", default_value = "uniform")]
    pub(crate) traffic: String,

    /// Load of each input, from 0 to 1; a trace has its own
    #[arg(long, value_name = "X", allow_hyphen_values = true)]
    pub(crate) load: Option<f64>,

    /// When cells come [default: bernoulli]
    #[arg(long, value_name = "SPEC")]
    pub(crate) arrivals: Option<String>,

    /// Slots to look at, from the empty switch on
    #[arg(long, value_name = "S", value_parser = count, default_value = "10000")]
    pub(crate) slots: u64,

    /// Seed of all random numbers
    #[arg(long, value_name = "K", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Print one JSON array on stdout instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
What is shown is the first replication of `switchlab run` with the same seed, from the empty switch on.

Examples:
  switchlab step islip --ports 4 --load 0.9 --slot 100 --slots 3
  switchlab step 'islip(iterations=2)' --traffic 'trace(file=t.csv)' --slots 5
  switchlab step e-serenade --ports 8 --load 0.9 --slot 50 --messages")]
pub(crate) struct Step {
    /// The switch to look at
    #[arg(value_name = "SWITCH")]
    pub(crate) switch: String,

    /// Number of ports; a trace or a matrix from a file knows its own
    #[arg(long, short = 'n', value_name = "N")]
    pub(crate) ports: Option<usize>,

    /// Where cells go: a load matrix, or a trace
    #[arg(long, value_name = "SPEC", default_value = "uniform")]
    pub(crate) traffic: String,

    /// Load of each input, from 0 to 1; a trace has its own
    #[arg(long, value_name = "X", allow_hyphen_values = true)]
    pub(crate) load: Option<f64>,

    /// When cells come [default: bernoulli]
    #[arg(long, value_name = "SPEC")]
    pub(crate) arrivals: Option<String>,

    /// Seed of all random numbers
    #[arg(long, value_name = "K", default_value_t = 1)]
    pub(crate) seed: u64,

    /// The first slot to show
    #[arg(long, value_name = "T", value_parser = count, default_value = "0")]
    pub(crate) slot: u64,

    /// How many slots to show
    #[arg(long, value_name = "K", value_parser = count, default_value = "1")]
    pub(crate) slots: u64,

    /// Of the SERENADE suite: show every message of the merge
    #[arg(long)]
    pub(crate) messages: bool,

    /// Print one JSON array on stdout, an object for each slot
    #[arg(long)]
    pub(crate) json: bool,
}

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
pub(crate) struct Sweep {
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

    /// Worker threads [default: all cores]; results do not depend on it
    #[arg(long, value_name = "T")]
    pub(crate) threads: Option<usize>,
}

#[derive(Debug, Args)]
pub(crate) struct Merge {
    /// Directories of results
    #[arg(required = true, value_name = "DIR")]
    pub(crate) parts: Vec<PathBuf>,

    /// Where to join them; may already hold results
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Replay {
    /// The manifest.json of a sweep
    pub(crate) manifest: PathBuf,

    /// Keep the results of the second run in this new directory
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Worker threads [default: all cores]; results do not depend on it
    #[arg(long, value_name = "T")]
    pub(crate) threads: Option<usize>,
}

/// A part of a whole, as 1/4.
fn shard(text: &str) -> Result<(u32, u32), String> {
    let parts = text.split_once('/').and_then(|(part, parts)| Some((part.parse().ok()?, parts.parse().ok()?)));
    match parts {
        Some((part, parts)) if (1..=parts).contains(&part) => Ok((part, parts)),
        _ => Err("write which part of how many, from 1/n to n/n, such as 1/4".to_string()),
    }
}

/// A whole number, also with underscores or as 2e5.
fn count(text: &str) -> Result<u64, String> {
    let plain = text.replace('_', "");
    let exact = |x: &f64| *x >= 0.0 && *x < 1e15 && x.fract() == 0.0;
    plain
        .parse()
        .ok()
        .or_else(|| plain.parse().ok().filter(exact).map(|x: f64| x as u64))
        .ok_or_else(|| "write a whole number, such as 200000, 200_000 or 2e5".to_string())
}

fn warmup(text: &str) -> Result<Warmup, String> {
    if text == "auto" {
        return Ok(Warmup::Auto);
    }
    count(text).map(Warmup::Slots).map_err(|error| format!("{error}, or auto"))
}

/// A share, as 1% or 0.01.
fn relative(text: &str) -> Result<f64, String> {
    let (number, unit) = text.strip_suffix('%').map_or((text, 1.0), |number| (number, 100.0));
    match number.trim().parse::<f64>() {
        Ok(share) if share > 0.0 && share < unit => Ok(share / unit),
        _ => Err("write a share above 0 and below 1, such as 1% or 0.01".to_string()),
    }
}

/// A number of bytes, as 512MiB, 2GiB or plain.
fn size(text: &str) -> Result<u64, String> {
    let units =
        [("KiB", 10), ("MiB", 20), ("GiB", 30), ("TiB", 40), ("B", 0), ("K", 10), ("M", 20), ("G", 30), ("T", 40)];
    let (number, shift) =
        units.iter().find_map(|(unit, shift)| Some((text.strip_suffix(unit)?, *shift))).unwrap_or((text, 0));
    let bytes = number.trim().parse::<f64>().ok().map(|x| x * (1u64 << shift) as f64);
    match bytes {
        Some(bytes) if (0.0..1e18).contains(&bytes) => Ok(bytes as u64),
        _ => Err("write a size, such as 512MiB or 2GiB".to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    #[test]
    fn values() {
        assert_eq!(count("200_000"), Ok(200_000));
        assert_eq!(count("2e5"), Ok(200_000));
        assert_eq!(count("18446744073709551615"), Ok(u64::MAX));
        assert!(["", "1.5", "-1", "NaN", "1e300", "x"].iter().all(|bad| count(bad).is_err()));
        assert_eq!(relative("1%"), Ok(0.01));
        assert_eq!(relative("0.05"), Ok(0.05));
        assert!(["0", "1", "100%", "NaN", "-1%", "%", ""].iter().all(|bad| relative(bad).is_err()));
        assert_eq!(size("1GiB"), Ok(1 << 30));
        assert_eq!(size("1.5K"), Ok(1536));
        assert_eq!(size("77"), Ok(77));
        assert!(["", "-1", "NaN", "1e300", "GiB", "1XB"].iter().all(|bad| size(bad).is_err()));
        assert_eq!(shard("2/4"), Ok((2, 4)));
        assert!(["", "1", "0/2", "3/2", "1/0", "-1/2", "1/2/3", "a/b"].iter().all(|bad| shard(bad).is_err()));
        assert_eq!(warmup("auto"), Ok(Warmup::Auto));
        assert_eq!(warmup("0"), Ok(Warmup::Slots(0)));
    }
}
