//! The commands that simulate what the command line names: run, limit, audit, step.

use super::lists::{Variable, variable};
use super::look::Look;
use super::shared::{Form, Pattern, Resources, Seed, Workload, Workloads};
use super::values::{percentile, relative, slots, warmup, whole};
use clap::Args;
use std::path::PathBuf;
use switchlab_lab::Warmup;

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
  The table for a paper, and the numbers of the distribution of delays:
    switchlab run oq islip --ports 16 --load 0.9 --markdown --plot ccdf.csv
  A trace, replayed; every departure to a file:
    switchlab run islip --traffic 'trace(file=t.csv)' --departures d.csv
  Curves of delay against load, for two sizes:
    switchlab run oq islip --load 0.1:0.95:0.05 --ports 16,64 --plot curve.svg
  Throughput against a parameter:
    switchlab run pim islip --ports 16 --traffic 'unbalanced(w={w})' --vary w=0:1:0.1 --load 1 --plot w.svg --y throughput

With several loads, ports, traffics, arrival processes or variables the run is a sweep: the same results as an experiment file of the same \
content. --out DIR keeps them; the same command goes on where it was stopped.

A spec is name or name(key=value,...); `switchlab list` shows the names, `switchlab explain NAME` the keys.",
    mut_arg("kind", |it| it.requires("plot").help("What to draw [default: ccdf; with several points, curve]")),
    mut_arg("title", |it| it.requires("plot")),
    mut_arg("no_title", |it| it.requires("plot")),
    mut_arg("labels", |it| it.requires("plot")),
    mut_arg("width", |it| it.requires("plot")),
)]
#[allow(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
pub(crate) struct RunArgs {
    /// Switches to compare, such as oq, islip or 'islip(iterations=4)'
    #[arg(required = true, value_name = "SWITCH")]
    pub(crate) switches: Vec<String>,

    #[command(flatten)]
    pub(crate) workload: Workloads,

    /// A variable and its values, such as w=0:1:0.1; specs have it in braces, as in
    /// 'unbalanced(w={w})'. May be given again
    #[arg(long = "vary", value_name = "NAME=LIST", value_parser = variable)]
    pub(crate) variables: Vec<Variable>,

    /// Slots to measure [default: 200000; a trace: until its last cell]
    #[arg(long, value_name = "S", value_parser = slots)]
    pub(crate) slots: Option<u64>,

    /// Slots to run before measuring, or `auto` to find out (MSER-5) [default: a fifth of the
    /// slots; a trace: 0]
    #[arg(long, value_name = "W", value_parser = warmup)]
    pub(crate) warmup: Option<Warmup>,

    /// Independent replications; with 1, intervals come from batch means [default: 10; a trace: 1]
    #[arg(long, value_name = "R", value_parser = whole::<u32>)]
    pub(crate) replications: Option<u32>,

    #[command(flatten)]
    pub(crate) seed: Seed,

    /// Go on until the 95 % interval of each mean delay is this narrow, such as 1% (gives up at 100
    /// times the effort; an interval without width, as of delays that are all 0, is narrow enough)
    #[arg(long, value_name = "REL", value_parser = relative)]
    pub(crate) until: Option<f64>,

    #[command(flatten)]
    pub(crate) form: Form,

    /// Also show counts and delays for each input and each output; with --csv, these alone
    #[arg(long)]
    pub(crate) per_port: bool,

    /// Also show counts and delays for each pair of an input and an output; with --csv, these alone
    #[arg(long)]
    pub(crate) per_pair: bool,

    /// Also show these percentiles of the delay, in per cent, such as 95,99.999
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = percentile)]
    pub(crate) percentiles: Vec<f64>,

    /// Also show how long queues are, in cells: by VOQ, input, output and in all
    #[arg(long)]
    pub(crate) occupancy: bool,

    /// Also show what the switches count of themselves; `explain` says what it means
    #[arg(long)]
    pub(crate) counters: bool,

    /// Name switches by their full specs, with all defaults
    #[arg(long)]
    pub(crate) long: bool,

    /// Print the table and nothing else; no notes, no warnings
    #[arg(long, short = 'q', conflicts_with = "verbose")]
    pub(crate) quiet: bool,

    /// Also say on stderr what was found: the warm-up, each replication, the time it took
    #[arg(long, short = 'v')]
    pub(crate) verbose: bool,

    /// Also show how far each switch is behind ideal output queueing, cell by cell; no lag at all
    /// is exact emulation
    #[arg(long)]
    pub(crate) oq_lag: bool,

    /// Write every departure of the first replication to this CSV file: slot,output,input,birth. A
    /// file appears, or is replaced, when the run is finished; a FIFO or a device gets them as they
    /// come
    #[arg(long, value_name = "FILE")]
    pub(crate) departures: Option<PathBuf>,

    /// Draw the distribution of delays, or what --kind says, to this .svg, .png or .pdf file; a
    /// .csv file gets its numbers. With several loads or ports, the mean delay against them
    #[arg(long, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,

    /// What a curve is of, such as throughput or backlog; columns of results.csv are known
    /// [default: delay]
    #[arg(long, value_name = "COLUMN", requires = "plot")]
    pub(crate) y: Option<String>,

    /// Keep results, tables and a manifest in this directory, as `switchlab sweep` does
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) look: Look,

    #[command(flatten)]
    pub(crate) resources: Resources,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Undecided is never counted as stable: where the longest runs do not decide, the interval stays wider, and says so. The throughput \
at load 1 is shown beside it; it is a different number.

Examples:
  switchlab limit fifo pim islip --ports 16
  switchlab limit fifo --ports 4:64:x2
  switchlab limit islip mwm --ports 16 --traffic diagonal --precision 0.01 --json",
    mut_arg("memory", |it| it.help(
        "Memory for all runs at once; runs whose queued cells need more end early, and may leave a load undecided"
    )),
)]
pub(crate) struct LimitArgs {
    /// Switches, each searched by itself
    #[arg(required = true, value_name = "SWITCH")]
    pub(crate) switches: Vec<String>,

    #[command(flatten)]
    pub(crate) pattern: Pattern,

    /// Slots of the longest runs; shorter ones are tried first [default: 400000]
    #[arg(long, value_name = "S", value_parser = slots)]
    pub(crate) slots: Option<u64>,

    /// Independent replications for each load [default: 10]
    #[arg(long, value_name = "R", value_parser = whole::<u32>)]
    pub(crate) replications: Option<u32>,

    /// Width of the interval to reach
    #[arg(long, value_name = "WIDTH", value_parser = relative, default_value = "0.005")]
    pub(crate) precision: f64,

    #[command(flatten)]
    pub(crate) seed: Seed,

    #[command(flatten)]
    pub(crate) resources: Resources,

    #[command(flatten)]
    pub(crate) form: Form,
}

#[derive(Debug, Args)]
#[command(after_help = "\
In every slot: cells are conserved, what leaves is what was matched, flows stay in order, and the weight of the matching falls by no more \
than the switch promises (`never` for SERENA). `maximum weight` says in how many slots no matching weighs more, by an exact \
search, for up to 64 ports. Exit code 1 if anything is not as it must be.

Examples:
  switchlab audit serena c-serenade o-serenade so-serenade --ports 16 --load 0.9
  switchlab audit islip mwm --ports 8 --traffic diagonal --load 0.95 --slots 20000 --json")]
pub(crate) struct AuditArgs {
    /// Switches, each on the same arrivals
    #[arg(required = true, value_name = "SWITCH")]
    pub(crate) switches: Vec<String>,

    #[command(flatten)]
    pub(crate) workload: Workload,

    /// Slots to audit
    #[arg(long, value_name = "S", value_parser = slots, default_value = "10000")]
    pub(crate) slots: u64,

    /// Slots before those that are counted; rules are checked in them too [default: 0]
    #[arg(long, value_name = "W", value_parser = warmup)]
    pub(crate) warmup: Option<Warmup>,

    #[command(flatten)]
    pub(crate) seed: Seed,

    #[command(flatten)]
    pub(crate) form: Form,
}

#[derive(Debug, Args)]
#[command(after_help = "\
What is shown is the first replication of `switchlab run` with the same seed, from the empty switch on.

Examples:
  switchlab step islip --ports 4 --load 0.9 --slot 100 --slots 3
  switchlab step 'islip(iterations=2)' --traffic 'trace(file=t.csv)' --slots 5
  switchlab step e-serenade --ports 8 --load 0.9 --slot 50 --messages")]
pub(crate) struct StepArgs {
    /// The switch to show
    #[arg(value_name = "SWITCH")]
    pub(crate) switch: String,

    #[command(flatten)]
    pub(crate) workload: Workload,

    #[command(flatten)]
    pub(crate) seed: Seed,

    /// The first slot to show
    #[arg(long, value_name = "T", value_parser = slots, default_value = "0")]
    pub(crate) slot: u64,

    /// How many slots to show
    #[arg(long, value_name = "K", value_parser = slots, default_value = "1")]
    pub(crate) slots: u64,

    /// Of the SERENADE suite: show every message of the merge
    #[arg(long)]
    pub(crate) messages: bool,

    /// Print one JSON array on stdout, an object for each slot
    #[arg(long)]
    pub(crate) json: bool,
}
