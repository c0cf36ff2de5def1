//! Writing to stdout and stderr without panicking when the other end has gone.

use std::fmt;
use std::io::{self, Write};
use switchlab_lab::LabError;

/// A claim or check that did not hold, in words: no mistake of the user's, but not success either.
/// Exit code 1.
#[derive(Debug)]
pub(crate) struct CheckFailed(pub(crate) String);

impl fmt::Display for CheckFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for CheckFailed {}

/// Work that was stopped before its end, in words: what was printed is what is known. Exit code 3.
#[derive(Debug)]
pub(crate) struct Incomplete(pub(crate) String);

impl fmt::Display for Incomplete {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Incomplete {}

/// Writes text to stdout.
pub(crate) fn say(text: &str) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    Ok(stdout.flush()?)
}

/// Writes a value to stdout as JSON for people and programs, indented.
pub(crate) fn say_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    say(&(serde_json::to_string_pretty(value)? + "\n"))
}

/// Writes a line for the user to stderr. An error of stderr cannot be reported.
pub(crate) fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// An error if output files could not be written. To be called after the results were printed.
pub(crate) fn all_written(failed: impl IntoIterator<Item = LabError>) -> anyhow::Result<()> {
    let failed: Vec<String> = failed.into_iter().map(|error| error.to_string()).collect();
    if failed.is_empty() { Ok(()) } else { Err(anyhow::Error::msg(failed.join("; "))) }
}

/// Writes an error to stderr.
pub(crate) fn say_error(error: &anyhow::Error) {
    note(&format!("error: {error:#}"));
}

/// Whether the error is that the reader of stdout has closed it.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
