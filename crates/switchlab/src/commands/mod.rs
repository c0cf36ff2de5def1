//! One file per command.

mod bench;
mod explain;
mod list;
mod run;

use crate::cli::{Cli, Command};
use clap::CommandFactory;

/// Does what the command line asks for.
pub(crate) fn execute(cli: Cli) -> anyhow::Result<()> {
    match cli.command {
        Command::Run(arguments) => run::run(*arguments),
        Command::List => list::list(),
        Command::Explain { name } => explain::explain(&name),
        Command::Bench(arguments) => bench::bench(arguments),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "switchlab", &mut script);
            crate::output::say(&String::from_utf8_lossy(&script))
        }
    }
}
