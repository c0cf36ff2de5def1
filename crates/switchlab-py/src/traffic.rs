//! Traffic as arrays.

use crate::errors::{invalid, raise, raise_core};
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray2};
use pyo3::prelude::*;
use switchlab_core::registry::{self, Traffic};
use switchlab_core::{Block, NONE, Seed};
use switchlab_lab::LabError;
use switchlab_lab::files::Disk;
use switchlab_lab::plan::SLOT_LIMIT;

fn build(traffic: &str, ports: Option<usize>, load: Option<f64>) -> Result<Traffic, LabError> {
    Ok(registry::traffic(traffic)?.build(ports, load, &Disk)?)
}

/// The rates of a traffic spec: cells per slot from each input to each output.
#[pyfunction]
pub(crate) fn load_matrix<'py>(
    py: Python<'py>,
    traffic: &str,
    ports: Option<usize>,
    load: Option<f64>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    match build(traffic, ports, load).map_err(|error| raise(&error))? {
        Traffic::Trace(_) => Err(invalid("a trace has cells and no rates; sl.arrivals gives them")),
        Traffic::Matrix(matrix, scale) => {
            let ports = matrix.ports();
            let rates = (0..ports * ports).map(|at| scale * matrix.rate(at / ports, at % ports)).collect();
            shaped(py, ports, ports, rates)
        }
    }
}

/// The arrivals of a replication: for each slot and input the output of its new cell, or 65535.
#[pyfunction]
pub(crate) fn arrivals<'py>(
    py: Python<'py>,
    traffic: &str,
    ports: Option<usize>,
    load: Option<f64>,
    process: &str,
    slots: u64,
    seed: u64,
    replication: u32,
) -> PyResult<Bound<'py, PyArray2<u16>>> {
    let traffic = build(traffic, ports, load).map_err(|error| raise(&error))?;
    let ports = traffic.ports();
    let most = (isize::MAX as u64 / 2).checked_div(ports as u64).unwrap_or(0).min(SLOT_LIMIT - 1);
    if slots > most {
        return Err(invalid(format!("slots must be at most {most}")));
    }
    let mut source = registry::arrivals(process).map_err(raise_core)?.build(&traffic, Seed { seed, replication });
    let mut data = Vec::new();
    data.try_reserve_exact(slots as usize * ports)
        .map_err(|_| invalid(format!("{slots} slots of {ports} ports do not fit into memory; draw fewer at a time")))?;
    let data = py.detach(move || {
        data.resize(slots as usize * ports, NONE);
        let mut block = Block { start: 0, ports, data };
        source.fill(&mut block);
        block.data
    });
    shaped(py, slots as usize, ports, data)
}

/// A list as an array of rows, without a copy.
pub(crate) fn shaped<T: numpy::Element>(
    py: Python<'_>,
    rows: usize,
    columns: usize,
    data: Vec<T>,
) -> PyResult<Bound<'_, PyArray2<T>>> {
    let array = Array2::from_shape_vec((rows, columns), data).map_err(|error| invalid(error.to_string()))?;
    Ok(array.into_pyarray(py))
}
