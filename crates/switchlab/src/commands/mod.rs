//! One file per command.

mod audit;
mod bench;
mod cluster;
mod completions;
mod deadlock;
mod explain;
mod explore;
mod limit;
mod list;
mod matching;
mod merge;
mod plot;
mod psm_bound;
mod replay;
mod reproduce;
mod rtl;
mod run;
mod status;
mod step;
mod sweep;

use crate::cli::{Cli, Command};

/// Does what the command line asks for.
pub(crate) fn execute(cli: Cli) -> anyhow::Result<()> {
    match cli.command {
        Command::Run(arguments) => run::run(*arguments),
        Command::List { json } => list::list(json),
        Command::Explain { name, quick } => explain::explain(&name, quick),
        Command::Sweep(arguments) => sweep::sweep(&arguments),
        Command::Status(arguments) => status::status(&arguments),
        Command::Merge(arguments) => merge::merge(&arguments),
        Command::Cluster(arguments) => cluster::cluster(*arguments),
        Command::Replay(arguments) => replay::replay(&arguments),
        Command::Limit(arguments) => limit::limit(*arguments),
        Command::Audit(arguments) => audit::audit(*arguments),
        Command::Deadlock(arguments) => deadlock::find(&arguments),
        Command::Step(arguments) => step::step(*arguments),
        Command::Explore(arguments) => explore::explore(&arguments),
        Command::Match(arguments) => matching::find(&arguments),
        Command::PsmBound(arguments) => psm_bound::psm_bound(&arguments),
        Command::Plot(arguments) => plot::plot(&arguments),
        Command::Reproduce(arguments) => reproduce::reproduce(&arguments),
        Command::Rtl(arguments) => rtl::rtl(&arguments),
        Command::Bench(arguments) => bench::bench(*arguments),
        Command::Completions { shell } => completions::completions(shell),
        Command::Man { out } => completions::man(&out),
    }
}
