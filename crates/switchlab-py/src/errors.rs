//! Errors of the lab as exceptions.

use crate::scheduler;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use switchlab_core::Error;
use switchlab_lab::LabError;

/// A `ValueError` with the lab's text. Where a scheduler written in Python raised an exception, it
/// is the cause.
pub(crate) fn raise(error: &LabError) -> PyErr {
    let hint = match error {
        LabError::Core(Error::MissingPorts { .. }) => "; give ports=N",
        LabError::Core(Error::MissingLoad { .. }) => "; give load=X, from 0 to 1",
        _ => "",
    };
    let raised = PyValueError::new_err(format!("{error}{hint}"));
    if let LabError::Stopped { switch, .. } = error
        && let Some(cause) = scheduler::take_exception(switch)
    {
        Python::attach(|py| raised.set_cause(py, Some(cause)));
    }
    raised
}

/// The same for an error of the core.
pub(crate) fn raise_core(error: Error) -> PyErr {
    raise(&LabError::Core(error))
}

/// A `ValueError` with a text of our own.
pub(crate) fn invalid(problem: impl Into<String>) -> PyErr {
    PyValueError::new_err(problem.into())
}

/// A defect of switchlab.
pub(crate) fn defect(problem: impl Into<String>) -> PyErr {
    PyRuntimeError::new_err(problem.into())
}
