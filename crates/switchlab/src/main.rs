//! switchlab: a laboratory for packet-switch architectures. The command line, a thin face over the lab.

mod cli;
mod commands;
mod interrupt;
mod output;

use clap::Parser;
use std::process::ExitCode;
use switchlab_lab::LabError;

#[global_allocator]
static ALLOCATOR: switchlab_pages::HugePages = switchlab_pages::HugePages;

/// Exit codes: 0 done, 1 a claim or check did not hold, 2 bad input, 3 incomplete.
const CHECK_FAILED: u8 = 1;
const BAD_INPUT: u8 = 2;
const INCOMPLETE: u8 = 3;

fn main() -> ExitCode {
    match commands::execute(cli::Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever reads our output has seen enough, as in `switchlab list | head -1`.
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) if error.is::<output::CheckFailed>() => {
            output::note(&error.to_string());
            ExitCode::from(CHECK_FAILED)
        }
        Err(error) if error.is::<output::Incomplete>() => {
            output::note(&error.to_string());
            ExitCode::from(INCOMPLETE)
        }
        // No mistake in the request: the switch does not hold what was asked of it.
        Err(error) if matches!(error.downcast_ref(), Some(LabError::Stopped { .. })) => {
            output::say_error(&error);
            ExitCode::from(CHECK_FAILED)
        }
        Err(error) => {
            output::say_error(&error);
            ExitCode::from(BAD_INPUT)
        }
    }
}
