//! Writing to stdout and stderr without panicking when the other end has gone.

use std::ffi::OsString;
use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::sync::OnceLock;
use switchlab_core::Error;
use switchlab_lab::LabError;
use switchlab_lab::prose::wrap;
use switchlab_lab::reproduce::Tally;

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

static ARGUMENTS: OnceLock<Vec<OsString>> = OnceLock::new();

/// Keeps the arguments of the program, for manifests.
pub(crate) fn keep(arguments: Vec<OsString>) {
    // A process runs the program once; were it twice, manifests would name the first command.
    let _ = ARGUMENTS.set(arguments);
}

/// The command as it was given.
pub(crate) fn command_line() -> String {
    let arguments = ARGUMENTS.get().into_iter().flatten().skip(1);
    let arguments = arguments.map(|argument| argument.to_string_lossy().into_owned());
    std::iter::once("switchlab".to_string()).chain(arguments).collect::<Vec<_>>().join(" ")
}

/// Writes text to stdout.
pub(crate) fn say(text: &str) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    Ok(stdout.flush()?)
}

/// The columns of the terminal; 100 where stdout is none. `COLUMNS` says otherwise.
pub(crate) fn width() -> usize {
    let told = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let seen = || terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    told.or_else(seen).filter(|width| *width >= 40).unwrap_or(100)
}

/// Columns and rows for a chart, a line less than the terminal has; 80 and 24 where stdout is none.
/// `COLUMNS` and `LINES` say otherwise.
pub(crate) fn screen() -> (usize, usize) {
    let told = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<usize>().ok());
    let seen = terminal_size::terminal_size().map(|(columns, rows)| (usize::from(columns.0), usize::from(rows.0)));
    let (columns, rows) = seen.map_or((80, 24), |(columns, rows)| (columns, rows.saturating_sub(1)));
    (told("COLUMNS").unwrap_or(columns), told("LINES").unwrap_or(rows))
}

/// Whether colours are written: stdout is a terminal, and `NO_COLOR` is not set.
pub(crate) fn is_coloured() -> bool {
    io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Verdicts at the end of lines in colour.
pub(crate) fn coloured(text: &str) -> String {
    if !is_coloured() {
        return text.to_string();
    }
    let colours = [("  unstable", "31"), ("  undecided", "33"), ("  stable", "32")];
    let colour = |line: &str| {
        let found = colours.iter().find_map(|(verdict, code)| Some((line.strip_suffix(verdict)?, verdict, code)));
        found.map_or_else(|| line.to_string(), |(rest, verdict, code)| format!("{rest}\x1b[{code}m{verdict}\x1b[0m"))
    };
    text.lines().map(|line| colour(line) + "\n").collect()
}

/// Writes a value to stdout as JSON for people and programs, indented.
pub(crate) fn say_json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    say(&(serde_json::to_string_pretty(value)? + "\n"))
}

/// How many units a sweep has run.
pub(crate) fn units_run(units: u64) -> String {
    format!("{units} unit{} run", if units == 1 { "" } else { "s" })
}

/// Writes lines for the user to stderr. On a terminal they are wrapped at its width; a file or a
/// program gets them as they are. An error of stderr cannot be reported.
pub(crate) fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{}", for_stderr(text));
}

/// The lines as [`note`] writes them.
pub(crate) fn for_stderr(text: &str) -> String {
    let width = terminal_size::terminal_size_of(io::stderr()).map(|(width, _)| usize::from(width.0));
    width.map_or_else(|| text.to_string(), |width| wrapped_lines(text, width.clamp(40, 100)))
}

/// Each line that is too wide is wrapped; the others stay as they are.
fn wrapped_lines(text: &str, width: usize) -> String {
    let line = |line: &str| if line.chars().count() > width { wrap(line, width, 2) } else { line.to_string() };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// An error if output files could not be written. To be called after the results were printed.
pub(crate) fn all_written(failed: impl IntoIterator<Item = LabError>) -> anyhow::Result<()> {
    let failed: Vec<String> = failed.into_iter().map(|error| error.to_string()).collect();
    if failed.is_empty() { Ok(()) } else { Err(anyhow::Error::msg(failed.join("; "))) }
}

/// A failed check if a claim's ruling is the opposite of the one expected; if strict, also if a
/// claim does not hold. To be called after everything was printed.
pub(crate) fn judge(unexpected: &[String], tally: Tally, strict: bool) -> anyhow::Result<()> {
    let failed = match (unexpected, tally.fails) {
        ([], 0) => return Ok(()),
        ([], _) if !strict => return Ok(()),
        ([], 1) => "1 claim does not hold".to_string(),
        ([], fails) => format!("{fails} claims do not hold"),
        (some, _) => some.join("\n"),
    };
    Err(CheckFailed(failed).into())
}

/// Says what was wrong, and which option to add if the core lacks a value.
pub(crate) fn say_error(error: &anyhow::Error) {
    note(&format!("error: {error:#}{}", option_to_add(error)));
}

/// The core says which value is missing; here is the option that gives it.
fn option_to_add(error: &anyhow::Error) -> &'static str {
    let core = match error.downcast_ref() {
        Some(LabError::Core(core)) => Some(core),
        _ => error.downcast_ref(),
    };
    match core {
        Some(Error::MissingPorts { .. }) => "; add --ports N",
        Some(Error::MissingLoad { .. }) => "; add --load X, from 0 to 1",
        _ => "",
    }
}

/// Whether the error is that the reader of stdout has closed it.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::*;
    use switchlab_core::registry::{NoFiles, traffic};

    #[test]
    fn only_lines_that_are_too_wide_are_wrapped() {
        let text = "switch  delay\nwarning: oq: too short to say";
        assert_eq!(wrapped_lines(text, 20), "switch  delay\nwarning: oq: too\n  short to say");
        assert_eq!(wrapped_lines(text, 100), text);
    }

    #[test]
    fn a_missing_value_names_its_option() {
        let diagonal = traffic("diagonal").unwrap();
        let missing = [
            (None, Some(0.5), "diagonal: the number of ports is missing; add --ports N"),
            (Some(4), None, "diagonal: the load is missing; add --load X, from 0 to 1"),
            (Some(0), Some(0.5), "0 ports are not possible: a switch has from 1 to 4096"),
        ];
        for (ports, load, expected) in missing {
            let core = diagonal.build(ports, load, &NoFiles).unwrap_err();
            for error in [LabError::Core(core.clone()).into(), anyhow::Error::from(core)] {
                assert_eq!(format!("{error:#}{}", option_to_add(&error)), expected);
            }
        }
    }
}
