//! What can go wrong around a simulation.

use std::path::PathBuf;
use thiserror::Error;

/// An experiment that cannot be run, or a file that cannot be used. The user has to change
/// something, exit code 2. A switch that stops is a result, exit code 1.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LabError {
    /// The core refuses the request.
    #[error(transparent)]
    Core(#[from] switchlab_core::Error),
    /// The lab refuses the request.
    #[error("{0}")]
    Request(String),
    /// A switch stopped.
    #[error("{switch} stopped: {failure}")]
    Stopped {
        /// The canonical spec.
        switch: String,
        /// When and why.
        failure: Box<switchlab_core::switch::Failure>,
    },
    /// A sweep was told to stop before its end. What is finished is kept. Exit code 3.
    #[error("{why}; {left} units are left, and the same command goes on with them")]
    Unfinished {
        /// Why it stopped.
        why: &'static str,
        /// Units of this pass that were not begun.
        left: usize,
    },
    /// The caller stopped the work, by [`crate::Progress::stop`].
    #[error("interrupted; results that a sweep had stored by then are kept")]
    Interrupted,
    /// An experiment's file has a mistake.
    #[error("{file}:{line}:{column}: {problem}")]
    Experiment {
        /// The file, as it was named.
        file: String,
        /// The line, from 1.
        line: usize,
        /// The column in characters, from 1.
        column: usize,
        /// What is wrong, and what to do.
        problem: String,
    },
    /// A file could not be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// Why. Part of the message: the raw name keeps it out of the chain, where it would be
        /// printed a second time.
        r#source: std::io::Error,
    },
    /// An output file could not be opened or written. A regular file is as it was before.
    #[error("cannot write {}: {source}", path.display())]
    Output {
        /// Which file.
        path: PathBuf,
        /// Why.
        r#source: std::io::Error,
    },
    /// A store could not be continued.
    #[error("cannot write {}: {source}; what was written before is kept", path.display())]
    Write {
        /// Which file.
        path: PathBuf,
        /// Why.
        r#source: std::io::Error,
    },
}
