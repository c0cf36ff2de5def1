//! What can go wrong around a circuit. Messages name their cause themselves, so it is no `source`
//! that would be said twice.

use std::path::PathBuf;
use switchlab_core::stable::PreferencesError;
use thiserror::Error;

/// A circuit that cannot be written or synthesized. The user's to mend; exit code 2.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RtlError {
    /// The circuit is too small or too large.
    #[error("{rows} x {columns}: rows and columns of the array must be from 2 to 64")]
    Size {
        /// The rows asked for.
        rows: usize,
        /// The columns asked for.
        columns: usize,
    },
    /// A test bench must have something to test.
    #[error("--vectors must be from 1 to {most} for this size, so that the file stays below about 100 MB")]
    Vectors {
        /// The most there may be.
        most: usize,
    },
    /// An instance that makes no sense.
    #[error(transparent)]
    Instance(#[from] PreferencesError),
    /// The synthesis tool is not there.
    #[error(
        "--synthesize needs yosys, which could not be started ({cause}); on Debian: apt-get install yosys. \
         The Verilog is complete in {}", path.display()
    )]
    NoYosys {
        /// Where the circuit was written.
        path: PathBuf,
        /// Why.
        cause: std::io::Error,
    },
    /// The timing tool, or the Liberty file that was named, is not there.
    #[error(
        "--liberty {} needs that file and OpenSTA (sta), and cannot be used: {problem}; \
         on Debian: apt-get install opensta", liberty.display()
    )]
    NoTiming {
        /// The Liberty file.
        liberty: PathBuf,
        /// What is missing.
        problem: String,
    },
    /// The timing tool did not succeed.
    #[error("the delay could not be computed in {}: {problem}", path.display())]
    Timing {
        /// Where it ran.
        path: PathBuf,
        /// The end of what it said, or what is missing in it.
        problem: String,
    },
    /// The synthesis tool did not succeed.
    #[error("yosys failed in {}: {problem}", path.display())]
    Yosys {
        /// Where it ran.
        path: PathBuf,
        /// The end of what it said, or what is missing in it.
        problem: String,
    },
}
