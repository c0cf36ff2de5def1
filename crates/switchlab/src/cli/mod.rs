//! What the command line accepts.

pub(crate) mod bench;
pub(crate) mod deadlock;
mod memories;
mod pictures;
mod rankings;
mod request;
pub(crate) mod rtl;
mod shared;
mod simulate;
mod sweep;
mod values;

pub(crate) use bench::BenchArgs;
pub(crate) use deadlock::DeadlockArgs;
pub(crate) use memories::{Memories, PsmBoundArgs, Survivor};
pub(crate) use pictures::{Logarithmic, PlotArgs, ReproduceArgs};
pub(crate) use rankings::{Algorithm, MatchArgs};
pub(crate) use rtl::RtlArgs;
pub(crate) use simulate::{AuditArgs, LimitArgs, RunArgs, StepArgs};
pub(crate) use sweep::{MergeArgs, ReplayArgs, SweepArgs};

use clap::{Parser, Subcommand};

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
    Run(Box<RunArgs>),
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
    Sweep(SweepArgs),
    /// Join the results of shards
    Merge(MergeArgs),
    /// Run again what a manifest describes, and say whether the results are the same
    Replay(ReplayArgs),
    /// Find the highest stable load of switches, with an interval and the evidence
    Limit(Box<LimitArgs>),
    /// Hold switches to what they must do and promise, slot by slot
    Audit(Box<AuditArgs>),
    /// Find out whether a small Benes fabric can deadlock, by all its states
    Deadlock(Box<DeadlockArgs>),
    /// Show single slots: arrivals, queues, matching, departures
    Step(Box<StepArgs>),
    /// Find a stable matching of rankings from a file, step by step if wanted
    Match(MatchArgs),
    /// Ask how many memories psm needs, and build traces on which fewer fail
    PsmBound(PsmBoundArgs),
    /// Draw the results of a sweep
    Plot(PlotArgs),
    /// Run the experiments of papers, evaluate their claims, and write one page about it
    Reproduce(ReproduceArgs),
    /// Write a scheduler as Verilog, with a test bench and golden vectors
    Rtl(RtlArgs),
    /// Measure the speed of the simulator on this machine
    Bench(Box<BenchArgs>),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }
}
