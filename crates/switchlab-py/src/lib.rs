//! The extension module of the Python package: a thin face over the lab.
//!
//! ```text
//!   python/switchlab/*.py ──arguments──► _switchlab ──Request──► switchlab-lab
//!            ▲                                │
//!            └── JSON text, numpy arrays ─────┘
//! ```
//!
//! Results cross as the JSON that the program prints, so that both say the same, and arrays as
//! numpy's own memory. Every error of the lab is a `ValueError` with the lab's text.
//!
//! The interpreter's lock is released while slots are run. Long work goes on in a thread of its
//! own, and the calling thread looks for Ctrl-C meanwhile.

mod commands;
mod comparison;
mod errors;
mod program;
mod request;
mod scheduler;
mod simulation;
mod sweep;
mod traffic;
mod work;

use pyo3::prelude::*;

/// The extension module.
#[pymodule]
fn _switchlab(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<comparison::Comparison>()?;
    module.add_class::<simulation::Simulation>()?;
    module.add_class::<sweep::Results>()?;
    module.add_function(wrap_pyfunction!(comparison::compare, module)?)?;
    module.add_function(wrap_pyfunction!(sweep::grid, module)?)?;
    module.add_function(wrap_pyfunction!(sweep::sweep, module)?)?;
    module.add_function(wrap_pyfunction!(sweep::part, module)?)?;
    module.add_function(wrap_pyfunction!(sweep::results, module)?)?;
    module.add_function(wrap_pyfunction!(sweep::units, module)?)?;
    module.add_function(wrap_pyfunction!(commands::audit, module)?)?;
    module.add_function(wrap_pyfunction!(commands::limit, module)?)?;
    module.add_function(wrap_pyfunction!(commands::find_matching, module)?)?;
    module.add_function(wrap_pyfunction!(commands::reproduce, module)?)?;
    module.add_function(wrap_pyfunction!(commands::replay, module)?)?;
    module.add_function(wrap_pyfunction!(commands::explain, module)?)?;
    module.add_function(wrap_pyfunction!(commands::listing, module)?)?;
    module.add_function(wrap_pyfunction!(commands::short, module)?)?;
    module.add_function(wrap_pyfunction!(commands::values, module)?)?;
    module.add_function(wrap_pyfunction!(commands::encode, module)?)?;
    module.add_function(wrap_pyfunction!(scheduler::register, module)?)?;
    module.add_function(wrap_pyfunction!(traffic::load_matrix, module)?)?;
    module.add_function(wrap_pyfunction!(traffic::arrivals, module)?)?;
    module.add_function(wrap_pyfunction!(program::main, module)?)?;
    module.add("__version__", env!("CARGO_PKG_VERSION"))
}
