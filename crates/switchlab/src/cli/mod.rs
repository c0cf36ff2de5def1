//! What the command line accepts.

pub(crate) mod bench;
mod cluster;
pub(crate) mod deadlock;
mod explore;
mod lists;
mod look;
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
pub(crate) use cluster::ClusterArgs;
pub(crate) use deadlock::DeadlockArgs;
pub(crate) use explore::ExploreArgs;
pub(crate) use look::{Kind, Look};
pub(crate) use memories::{Memories, MemoryAccess, PsmBoundArgs, Survivor};
pub(crate) use pictures::{Logarithmic, PlotArgs, ReproduceArgs};
pub(crate) use rankings::{Algorithm, MatchArgs};
pub(crate) use rtl::RtlArgs;
pub(crate) use shared::Shape;
pub(crate) use simulate::{AuditArgs, LimitArgs, RunArgs, StepArgs};
pub(crate) use sweep::{MergeArgs, ReplayArgs, StatusArgs, SweepArgs};

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;
use std::path::PathBuf;

/// A laboratory for packet-switch architectures.
#[derive(Debug, Parser)]
#[command(
    name = NAME,
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

/// The name of the program.
pub(crate) const NAME: &str = "switchlab";

/// How a completion script is installed.
const COMPLETIONS: &str = "\
To install it, once:
  bash: switchlab completions bash > ~/.local/share/bash-completion/completions/switchlab
  zsh:  switchlab completions zsh > ~/.zfunc/_switchlab, with fpath+=~/.zfunc before compinit in ~/.zshrc
  fish: switchlab completions fish > ~/.config/fish/completions/switchlab.fish
Then a new shell completes `switchlab run is`, `--traffic di`, `explain is` and `reproduce 0`.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Simulate switches, side by side on the same arrivals
    Run(Box<RunArgs>),
    /// Show the switches, traffic and arrival processes there are
    List {
        /// Print one JSON array on stdout, with the parameters
        #[arg(long)]
        json: bool,
    },
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
    /// Say how far a sweep is: units done, running, stopped and missing, and the time that is left
    Status(StatusArgs),
    /// Join the results of shards
    Merge(MergeArgs),
    /// Print a job script that runs an experiment on many machines; nothing is submitted
    Cluster(Box<ClusterArgs>),
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
    /// Write the explorer, a page in which one sees a switch decide, and open it in the browser
    Explore(Box<ExploreArgs>),
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
    /// Print a completion script for a shell: options, and names of switches, traffic and papers
    #[command(after_help = COMPLETIONS)]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write manual pages: switchlab.1, and one for each command
    Man {
        /// Where to, such as ~/.local/share/man/man1
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
}

/// All commands and options. A negative number is a value: the option's own parser refuses it, in
/// its own words.
pub(crate) fn command() -> clap::Command {
    let is_option = |argument: &clap::Arg| !argument.is_positional() && argument.get_action().takes_values();
    Cli::command().mut_subcommands(|command| {
        command.mut_args(|argument| {
            let allowed = is_option(&argument);
            if allowed { argument.allow_negative_numbers(true) } else { argument }
        })
    })
}

/// Reads the arguments of the process.
pub(crate) fn parse(arguments: &[OsString]) -> Result<Cli, clap::Error> {
    let mut command = command();
    let parsed = command.try_get_matches_from_mut(arguments).and_then(|matches| Cli::from_arg_matches(&matches));
    parsed.map_err(|error| {
        let given = arguments.get(1).map(|name| name.to_string_lossy()).unwrap_or_default();
        advise(error, &given)
    })
}

/// Options that people look for in a command, and what there is instead.
const ADVICE: &[(&str, &str, &str)] = &[
    ("limit", "--load", "limit searches the load; leave out --load"),
    ("run", "-p", "the number of ports is -n or --ports"),
];

/// The error with our advice in place of clap's to pass an unknown option after `--`, where it
/// would be taken for the name of a switch.
fn advise(mut error: clap::Error, command: &str) -> clap::Error {
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidArg) else { return error };
    let known = ADVICE.iter().find(|(of, option, _)| *of == command && option == unknown);
    let wrong = |tip: &clap::builder::StyledStr| tip.to_string().contains("as a value, use");
    let mut tips = match error.get(ContextKind::Suggested) {
        Some(ContextValue::StyledStrs(tips)) => tips.iter().filter(|tip| !wrong(tip)).cloned().collect(),
        _ => Vec::new(),
    };
    tips.extend(known.map(|(_, _, advice)| (*advice).into()));
    error.remove(ContextKind::Suggested);
    if !tips.is_empty() {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }
}
