//! switchlab: a laboratory for packet-switch architectures. The command line, a thin layer over the
//! lab.
//!
//! It is a library so that a crate with switches of its own has the whole command line for them:
//!
//! ```no_run
//! # use switchlab_core::registry::{BuildSwitch, Entry};
//! # use switchlab_core::switch::output_queued::OutputQueued;
//! static MINE: Entry<BuildSwitch> = Entry::new("mine", "a switch of mine", &|_, ports, _| {
//!     Ok(Box::new(OutputQueued::new(ports)))
//! });
//!
//! fn main() -> std::process::ExitCode {
//!     switchlab::main(&[&MINE])
//! }
//! ```

mod cli;
mod commands;
mod interrupt;
mod output;

use std::ffi::OsString;
use std::process::ExitCode;
use switchlab_core::registry::{BuildSwitch, Entry};
use switchlab_lab::LabError;

/// Exit codes: 0 done, 1 a claim or check did not hold, 2 bad input, 3 incomplete.
const CHECK_FAILED: u8 = 1;
const BAD_INPUT: u8 = 2;
const INCOMPLETE: u8 = 3;

/// Runs the program with the arguments of the process. `own` are switches of the calling crate;
/// they are known by name in every command.
pub fn main(own: &[&'static Entry<BuildSwitch>]) -> ExitCode {
    ExitCode::from(run(own, std::env::args_os().collect()))
}

/// Runs the program with these arguments, the first of which is its name, and returns its exit
/// code: for a process that is not the program itself, such as an interpreter.
pub fn run(own: &[&'static Entry<BuildSwitch>], arguments: Vec<OsString>) -> u8 {
    let registered = own.iter().try_for_each(|entry| switchlab_lab::registry::register(entry));
    let parsed = cli::parse(&arguments);
    output::keep(arguments);
    let parsed = match parsed {
        Ok(parsed) => parsed,
        // Help and version too. That they cannot be printed cannot be reported.
        Err(error) => {
            let _ = error.print();
            return u8::try_from(error.exit_code()).unwrap_or(BAD_INPUT);
        }
    };
    match registered.map_err(Into::into).and_then(|()| commands::execute(parsed)) {
        Ok(()) => 0,
        // The reader of our output has closed it, as in `switchlab list | head -1`.
        Err(error) if output::is_broken_pipe(&error) => 0,
        Err(error) if error.is::<output::CheckFailed>() => {
            output::note(&error.to_string());
            CHECK_FAILED
        }
        Err(error) if error.is::<output::Incomplete>() => {
            output::note(&error.to_string());
            INCOMPLETE
        }
        Err(error) if matches!(error.downcast_ref(), Some(LabError::Unfinished { .. })) => {
            output::note(&error.to_string());
            INCOMPLETE
        }
        // The request was right: the switch could not do what it must.
        Err(error) if matches!(error.downcast_ref(), Some(LabError::Stopped { .. })) => {
            output::say_error(&error);
            CHECK_FAILED
        }
        Err(error) => {
            output::say_error(&error);
            BAD_INPUT
        }
    }
}
