//! Arguments of Python as the lab's requests.

use crate::errors::invalid;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;
use switchlab_lab::Request;
use switchlab_lab::grid::Grid;
use switchlab_lab::plan::{MEMORY, Warmup};
use switchlab_lab::port_delays::By;

/// What the Python side hands over: a dictionary with all of these keys, None for a default.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
#[allow(clippy::struct_excessive_bools, reason = "flags of the command line")]
pub(crate) struct Arguments {
    switches: Vec<String>,
    ports: Vec<usize>,
    traffic: Vec<String>,
    loads: Vec<f64>,
    arrivals: Vec<String>,
    vary: BTreeMap<String, Vec<f64>>,
    slots: Option<u64>,
    warmup: Option<u64>,
    auto_warmup: bool,
    replications: Option<u32>,
    seed: u64,
    until: Option<f64>,
    memory: Option<u64>,
    departures: Option<PathBuf>,
    threads: Option<usize>,
    overload: bool,
    oq_lag: bool,
    occupancy: bool,
    per: Option<String>,
    percentiles: Vec<f64>,
}

impl Arguments {
    /// As the command line's lists.
    pub(crate) fn grid(self) -> PyResult<Grid> {
        let port_delays = match self.per.as_deref() {
            None => None,
            Some("port") => Some(By::Port),
            Some("pair") => Some(By::Pair),
            Some(other) => return Err(invalid(format!("per is \"port\" or \"pair\", not {other:?}"))),
        };
        let request = Request {
            switches: self.switches,
            overload: self.overload,
            slots: self.slots,
            warmup: if self.auto_warmup { Some(Warmup::Auto) } else { self.warmup.map(Warmup::Slots) },
            replications: self.replications,
            seed: self.seed,
            until: self.until,
            memory: self.memory.unwrap_or(MEMORY),
            departures: self.departures,
            threads: self.threads,
            oq_lag: self.oq_lag,
            occupancy: self.occupancy,
            port_delays,
            percentiles: self.percentiles,
            ..Request::default()
        };
        let Self { ports, traffic, arrivals, loads, vary, .. } =
            Self { switches: Vec::new(), departures: None, per: None, percentiles: Vec::new(), ..self };
        Ok(Grid { request, ports, traffic, arrivals, loads, vary })
    }

    /// As a request about one point.
    pub(crate) fn request(self) -> PyResult<Request> {
        let grid = self.grid()?;
        grid.single().ok_or_else(|| invalid("give one value of ports, load, traffic and arrivals here"))
    }
}
