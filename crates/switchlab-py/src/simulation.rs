//! A switch that is fed with arrays, slot by slot or in blocks.

use crate::errors::{invalid, raise_core};
use crate::scheduler::stopped;
use crate::traffic::shaped;
use numpy::{PyArray1, PyArray2, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use switchlab_core::registry::{self, BuildArrivals, BuildSwitch, Chosen, Traffic};
use switchlab_core::switch::{QueueLengths, Switch};
use switchlab_core::traffic::Arrivals;
use switchlab_core::{Block, Cell, NONE, Port, Seed};
use switchlab_lab::files::Disk;
use switchlab_lab::plan::SLOT_LIMIT;

/// How often signals are looked for.
const PAUSE: Duration = Duration::from_millis(50);

/// What a simulation is made of, to make it again.
#[derive(Clone)]
struct Recipe {
    switch: Chosen<BuildSwitch>,
    ports: usize,
    seed: Seed,
    source: Option<(Traffic, Chosen<BuildArrivals>)>,
    /// Whether arrivals are kept, for forks.
    keeps: bool,
}

/// A simulation under way.
struct State {
    recipe: Recipe,
    switch: Box<dyn Switch>,
    source: Option<Box<dyn Arrivals>>,
    arrivals: Block<Port>,
    departures: Block<Cell>,
    now: u64,
    /// All arrivals so far, if they are kept.
    log: Vec<Port>,
}

/// Departures as columns: for each slot and output the arrival slot and the input of its cell.
type Columns = (Vec<u32>, Vec<Port>);

impl State {
    fn new(recipe: Recipe) -> PyResult<Self> {
        let switch = recipe.switch.build(recipe.ports, recipe.seed).map_err(raise_core)?;
        let source = recipe.source.as_ref().map(|(traffic, process)| process.build(traffic, recipe.seed));
        let (ports, block) = (recipe.ports, switch.preferred_block().max(1));
        Ok(Self {
            arrivals: Block::new(ports, block, NONE),
            departures: Block::new(ports, block, Cell::IDLE),
            recipe,
            switch,
            source,
            now: 0,
            log: Vec::new(),
        })
    }

    fn check_slots(&self, slots: usize) -> PyResult<()> {
        if (self.now + slots as u64) < SLOT_LIMIT {
            Ok(())
        } else {
            Err(invalid(format!("a run has fewer than {SLOT_LIMIT} slots; begin another simulation")))
        }
    }

    /// Fills the block from its own source, if it has one.
    fn draw(&mut self) {
        self.arrivals.start = self.now as u32;
        if let Some(source) = &mut self.source {
            source.fill(&mut self.arrivals);
        }
    }

    /// Runs the block of arrivals, and appends its departures.
    fn run_block(&mut self, columns: &mut Columns) -> PyResult<()> {
        let slots = self.arrivals.slots();
        self.arrivals.start = self.now as u32;
        self.departures.resize(slots, Cell::IDLE);
        self.switch.run(&self.arrivals, &mut self.departures);
        if self.recipe.keeps {
            self.log.extend_from_slice(&self.arrivals.data);
        }
        self.now += slots as u64;
        columns.0.extend(self.departures.data.iter().map(|cell| cell.born));
        columns.1.extend(self.departures.data.iter().map(|cell| cell.input));
        match self.switch.failure() {
            Some(failure) => Err(stopped(&self.recipe.switch.args.to_string(), failure)),
            None => Ok(()),
        }
    }

    /// Runs blocks until all slots are run. `fill` fills the block that begins at a slot of these.
    fn run(&mut self, slots: usize, mut fill: impl FnMut(&mut Self, usize) -> PyResult<()>) -> PyResult<Columns> {
        self.check_slots(slots)?;
        let mut columns = Columns::default();
        let cells = slots * self.recipe.ports;
        let reserved = columns.0.try_reserve_exact(cells).and_then(|()| columns.1.try_reserve_exact(cells));
        reserved.map_err(|_| invalid(format!("{slots} slots do not fit into memory; run fewer at a time")))?;
        let (mut done, mut looked) = (0, Instant::now());
        let most = self.switch.preferred_block().max(1);
        while done < slots {
            let block = most.min(slots - done);
            self.arrivals.resize(block, NONE);
            fill(self, done)?;
            self.run_block(&mut columns)?;
            done += block;
            if looked.elapsed() > PAUSE {
                #[allow(clippy::redundant_closure_for_method_calls, reason = "a closure is for any lifetime")]
                Python::attach(|py| py.check_signals())?;
                looked = Instant::now();
            }
        }
        Ok(columns)
    }
}

/// Copies a row or more of arrivals, and checks what was copied.
fn copy(from: &[Port], block: &mut Block<Port>, first: usize) -> PyResult<()> {
    block.data.copy_from_slice(from);
    let ports = block.ports;
    match block.data.iter().position(|&output| output != NONE && usize::from(output) >= ports) {
        None => Ok(()),
        Some(at) => Err(invalid(format!(
            "slot {}: the cell at input {} is for output {}; outputs are from 0 to {}, and {NONE} is no cell",
            first + at / ports,
            at % ports,
            block.data[at],
            ports - 1
        ))),
    }
}

/// A switch and its state.
#[pyclass(frozen)]
pub(crate) struct Simulation(Mutex<State>);

impl Simulation {
    fn with<T: Send>(&self, py: Python<'_>, job: impl FnOnce(&mut State) -> T + Send) -> T {
        py.detach(|| job(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

#[pymethods]
impl Simulation {
    #[new]
    #[allow(clippy::too_many_arguments, reason = "named in Python")]
    fn new(
        py: Python<'_>,
        switch: &str,
        ports: Option<usize>,
        seed: u64,
        replication: u32,
        traffic: Option<&str>,
        load: Option<f64>,
        process: &str,
        keeps: bool,
    ) -> PyResult<Self> {
        let chosen = switchlab_lab::registry::switch(switch).map_err(raise_core)?;
        let mut source = None;
        let mut ports_of_source = ports;
        if let Some(traffic) = traffic {
            let built = registry::traffic(traffic).and_then(|it| it.build(ports, load, &Disk)).map_err(raise_core)?;
            ports_of_source = Some(built.ports());
            source = Some((built, registry::arrivals(process).map_err(raise_core)?));
        }
        let ports = ports_of_source
            .ok_or_else(|| raise_core(switchlab_core::Error::MissingPorts { name: switch.to_string() }))?;
        let recipe = Recipe { switch: chosen, ports, seed: Seed { seed, replication }, source, keeps };
        py.detach(|| State::new(recipe)).map(|state| Self(Mutex::new(state)))
    }

    /// Runs slots with these arrivals. Returns the departures: arrival slots and inputs.
    #[allow(clippy::type_complexity, reason = "a tuple in Python")]
    fn run<'py>(
        &self,
        py: Python<'py>,
        arrivals: PyReadonlyArray2<'py, Port>,
    ) -> PyResult<(Bound<'py, PyArray2<u32>>, Bound<'py, PyArray2<Port>>)> {
        let [slots, columns] = [arrivals.shape()[0], arrivals.shape()[1]];
        let data = arrivals.as_slice().map_err(|error| invalid(format!("arrivals must be contiguous: {error}")))?;
        let (born, input) = self.with(py, |state| {
            let ports = state.recipe.ports;
            if columns != ports {
                return Err(invalid(format!("arrivals have {columns} columns, and the switch has {ports} ports")));
            }
            let before = state.now as usize;
            state.run(slots, |state, done| {
                // Its own source keeps pace, so that it goes on where it would have been.
                state.draw();
                let block = &mut state.arrivals;
                let cells = block.data.len();
                copy(&data[done * ports..done * ports + cells], block, before + done)
            })
        })?;
        Ok((shaped(py, slots, columns, born)?, shaped(py, slots, columns, input)?))
    }

    /// Runs slots with arrivals of its own traffic. Returns these too.
    #[allow(clippy::type_complexity, reason = "a tuple in Python")]
    fn advance<'py>(
        &self,
        py: Python<'py>,
        slots: usize,
    ) -> PyResult<(Bound<'py, PyArray2<Port>>, Bound<'py, PyArray2<u32>>, Bound<'py, PyArray2<Port>>)> {
        let mut drawn = Vec::new();
        let all = &mut drawn;
        let (ports, (born, input)) = self.with(py, |state| {
            state.check_slots(slots)?;
            let ports = state.recipe.ports;
            if state.source.is_none() {
                return Err(invalid(
                    "this simulation has no traffic of its own; give it some, or give the arrivals of the slot",
                ));
            }
            let columns = state.run(slots, |state, _| {
                state.draw();
                all.extend_from_slice(&state.arrivals.data);
                Ok(())
            })?;
            Ok((ports, columns))
        })?;
        Ok((shaped(py, slots, ports, drawn)?, shaped(py, slots, ports, born)?, shaped(py, slots, ports, input)?))
    }

    /// The number of ports.
    #[getter]
    fn ports(&self, py: Python<'_>) -> usize {
        self.with(py, |state| state.recipe.ports)
    }

    /// The slots that were run.
    #[getter]
    fn slot(&self, py: Python<'_>) -> u64 {
        self.with(py, |state| state.now)
    }

    /// The canonical spec of the switch.
    #[getter]
    fn switch(&self, py: Python<'_>) -> String {
        self.with(py, |state| state.recipe.switch.args.to_string())
    }

    /// Cells that arrived, departed, were dropped, and are inside.
    #[getter]
    fn census(&self, py: Python<'_>) -> (u64, u64, u64, u64) {
        self.with(py, |state| {
            let census = state.switch.census();
            (census.arrived, census.departed, census.dropped, census.queued)
        })
    }

    /// Queue lengths, the last matching and the state of the scheduler, by name; None if the
    /// switch does not show them.
    fn inspect<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let (ports, inspection) = self.with(py, |state| (state.recipe.ports, state.switch.inspect()));
        let Some(inspection) = inspection else { return Ok(None) };
        let found = PyDict::new(py);
        match inspection.queues {
            QueueLengths::Voqs(lengths) => found.set_item("voqs", shaped(py, ports, ports, lengths)?)?,
            QueueLengths::Inputs { lengths, first } => {
                found.set_item("inputs", PyArray1::from_vec(py, lengths))?;
                found.set_item("first", PyArray1::from_vec(py, first.into_iter().map(port).collect()))?;
            }
            QueueLengths::Outputs(lengths) => found.set_item("outputs", PyArray1::from_vec(py, lengths))?,
            QueueLengths::VoqsAndOutputs { voqs, outputs } => {
                found.set_item("voqs", shaped(py, ports, ports, voqs)?)?;
                found.set_item("outputs", PyArray1::from_vec(py, outputs))?;
            }
            _ => {}
        }
        if let Some(matching) = inspection.matching {
            found.set_item("matching", PyArray1::from_vec(py, matching.into_iter().map(port).collect()))?;
        }
        let state = PyDict::new(py);
        for (name, values) in inspection.state {
            state.set_item(name, PyArray1::from_vec(py, values))?;
        }
        found.set_item("state", state)?;
        Ok(Some(found))
    }

    /// The same simulation in the same state, by running it again.
    fn fork(&self, py: Python<'_>) -> PyResult<Self> {
        let (recipe, log, now) = self.with(py, |state| (state.recipe.clone(), state.log.clone(), state.now));
        if !recipe.keeps {
            return Err(invalid("this simulation keeps no arrivals, so it cannot be forked; begin it with keep=True"));
        }
        let forked = py.detach(|| {
            let mut state = State::new(recipe)?;
            let ports = state.recipe.ports;
            state.run(now as usize, |state, done| {
                state.draw();
                let cells = state.arrivals.data.len();
                copy(&log[done * ports..done * ports + cells], &mut state.arrivals, done)
            })?;
            Ok::<_, PyErr>(state)
        })?;
        Ok(Self(Mutex::new(forked)))
    }
}

/// A port for people who compare numbers: -1 is none.
fn port(port: Port) -> i64 {
    if port == NONE { -1 } else { i64::from(port) }
}
