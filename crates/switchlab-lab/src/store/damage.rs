//! What can be wrong with a store.

use std::fmt;
use std::path::PathBuf;

/// What is wrong with a store although it can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub what: Flaw,
}

/// What can be wrong with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// It is not what was written.
    Checksum,
    /// It has no end: its writer was stopped.
    Torn,
    /// It contradicts an earlier line of the same unit.
    Conflict,
    /// It is the first of this many damaged lines that are not listed.
    Others(u64),
    /// It is the first of this many results of other engines.
    OtherEngine(u64),
    /// Its checksum is right, but no run can have measured what it says.
    Impossible,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: line {} ", self.path.display(), self.line)?;
        match self.what {
            Flaw::Checksum => write!(f, "does not match its checksum and is ignored; its unit is run again"),
            Flaw::Torn => write!(f, "was cut short when its writer was stopped, and is removed; its unit is run again"),
            Flaw::Others(count) => {
                write!(f, "is the first of {count} more damaged lines, which are ignored; their units are run again")
            }
            Flaw::Impossible => {
                write!(f, "holds a result that no run can have, and is ignored; its unit is run again")
            }
            Flaw::OtherEngine(count) => write!(
                f,
                "is the first of {count} results of another engine, which are kept and not used; missing units are run again"
            ),
            Flaw::Conflict => write!(f, "has another result than an earlier line for the same unit, and is ignored"),
        }
    }
}
