//! The command line inside the package.

use pyo3::prelude::*;
use std::ffi::OsString;

/// Runs the command line with these arguments, the first of which is its name. Returns the exit
/// code.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| switchlab::run(&[], arguments))
}
