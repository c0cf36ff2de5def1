//! Schedulers of the user: a C function by its address, or a Python function.
//!
//! Each becomes a crossbar under its own name, in the lab's registry, so that it takes part in
//! everything that names switches. Its matchings are checked, and what it is given are copies: a
//! function that writes where it should not harms nothing but its own decision.

use crate::errors::raise;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use switchlab_core::registry::{BuildSwitch, Entry, crossbar};
use switchlab_core::rng::Purpose;
use switchlab_core::schedule::{Matching, Needs, Scheduler, View};
use switchlab_core::switch::{Failure, Switch};
use switchlab_core::{Error, Seed, Slot};
use switchlab_lab::LabError;

/// What a compiled scheduler is called with: ports, slot, seed, lengths, ages, requests, state, its
/// length, matching. Lengths and ages are of N x N, by input.
type Compiled = unsafe extern "C" fn(i64, i64, i64, *mut u32, *mut u32, *mut u8, *mut i64, i64, *mut i64);

/// No output, in a matching.
const UNMATCHED: i64 = -1;
/// The most numbers of a state.
const MOST_STATE: usize = 1 << 24;

/// What a user has defined.
struct Definition {
    name: String,
    /// The function; kept alive too where its address is called.
    function: Py<PyAny>,
    /// The names of its parameters, in order.
    parameters: Vec<String>,
    address: Option<usize>,
    /// How many numbers its state has, or a function of the ports that says it.
    state: Py<PyAny>,
    /// What it raised last.
    exception: Mutex<Option<PyErr>>,
    /// Why it last gave no matching.
    failure: Mutex<Option<Failure>>,
}

impl Definition {
    /// The length of the state for a number of ports.
    fn state_length(&self, ports: usize) -> Result<usize, Error> {
        let impossible = |problem: String| Error::Impossible { name: self.name.clone(), problem };
        let length = Python::attach(|py| {
            let state = self.state.bind(py);
            let state = if state.is_callable() { state.call1((ports,))? } else { state.clone() };
            state.extract::<usize>()
        });
        let length =
            length.map_err(|error| impossible(format!("the length of its state is no whole number: {error}")))?;
        if length > MOST_STATE {
            return Err(impossible(format!("a state has at most {MOST_STATE} numbers, not {length}")));
        }
        Ok(length)
    }
}

/// By name.
static DEFINITIONS: Mutex<BTreeMap<String, Arc<Definition>>> = Mutex::new(BTreeMap::new());

/// The exception that a scheduler raised, once.
pub(crate) fn take_exception(name: &str) -> Option<PyErr> {
    let definition = DEFINITIONS.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()?;
    definition.exception.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// The error of a scheduler of the user that an audit found stopped. None for other switches, whose
/// stop is a finding.
pub(crate) fn failure_of(name: &str) -> Option<PyErr> {
    let definition = DEFINITIONS.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()?;
    let failure = definition.failure.lock().unwrap_or_else(PoisonError::into_inner).take()?;
    Some(stopped(name, &failure))
}

/// Makes a scheduler known by a name.
#[pyfunction]
pub(crate) fn register(
    py: Python<'_>,
    name: String,
    about: String,
    function: Py<PyAny>,
    parameters: Vec<String>,
    address: Option<usize>,
    state: Py<PyAny>,
) -> PyResult<()> {
    let ages = parameters.iter().any(|parameter| parameter == "ages");
    let definition = Arc::new(Definition {
        name: name.clone(),
        function,
        parameters,
        address: address.filter(|address| *address != 0),
        state,
        exception: Mutex::new(None),
        failure: Mutex::new(None),
    });
    let shared = Arc::clone(&definition);
    // Entries live as long as the program, as its built-in ones do.
    let build: BuildSwitch = Box::leak(Box::new(move |_: &switchlab_core::spec::Args, ports: usize, seed: Seed| {
        build(&shared, ages, ports, seed)
    }));
    let entry = Entry::new(Box::leak(name.clone().into_boxed_str()), Box::leak(about.into_boxed_str()), build);
    let entry: &'static Entry<BuildSwitch> = Box::leak(Box::new(entry));
    // Without the interpreter's lock, as everything that takes a lock of the lab.
    py.detach(|| switchlab_lab::registry::register(entry)).map_err(|error| raise(&error))?;
    DEFINITIONS.lock().unwrap_or_else(PoisonError::into_inner).insert(name, definition);
    Ok(())
}

fn build(definition: &Arc<Definition>, ages: bool, ports: usize, seed: Seed) -> Result<Box<dyn Switch>, Error> {
    let inside = Inside::new(definition, ports, seed)?;
    if ages { crossbar(ports, Own::<true>(inside)) } else { crossbar(ports, Own::<false>(inside)) }
}

/// A scheduler of the user; one that asks for ages if `AGES`.
struct Own<const AGES: bool>(Inside);

impl<const AGES: bool, const W: usize> Scheduler<W> for Own<AGES> {
    const NEEDS: Needs = if AGES { Needs::LENGTHS.and(Needs::AGES) } else { Needs::LENGTHS };

    fn schedule(&mut self, view: &View<'_, W>, matching: &mut Matching) {
        self.0.schedule(view.now, view.lengths, view.head_arrivals, matching);
    }

    fn failure(&self) -> Option<&Failure> {
        self.0.failure.as_ref()
    }
}

/// The arrays that a Python function is called with.
struct Arrays {
    lengths: Py<PyArray2<u32>>,
    ages: Py<PyArray2<u32>>,
    requests: Py<PyArray2<bool>>,
    matching: Py<PyArray1<i64>>,
    state: Py<PyArray1<i64>>,
    seed: i64,
}

/// A run of a scheduler.
struct Inside {
    definition: Arc<Definition>,
    ports: usize,
    seed: i64,
    lengths: Vec<u32>,
    ages: Vec<u32>,
    requests: Vec<u8>,
    state: Vec<i64>,
    outputs: Vec<i64>,
    /// By output, one more than the input that it is matched to; 0 for none.
    matched: Vec<u32>,
    /// For a Python function, made in the first slot.
    arrays: Option<Arrays>,
    failure: Option<Failure>,
}

impl Inside {
    fn new(definition: &Arc<Definition>, ports: usize, seed: Seed) -> Result<Self, Error> {
        let state = definition.state_length(ports)?;
        let is_asked = |name: &str| definition.parameters.iter().any(|parameter| parameter == name);
        let room = |asked: bool| if asked { ports * ports } else { 0 };
        Ok(Self {
            definition: Arc::clone(definition),
            ports,
            seed: (seed.stream(Purpose::Scheduler, 0).next() >> 1).cast_signed(),
            lengths: vec![0; ports * ports],
            ages: vec![0; room(is_asked("ages"))],
            requests: vec![0; room(is_asked("requests"))],
            state: vec![0; state],
            outputs: vec![UNMATCHED; ports],
            matched: vec![0; ports],
            arrays: None,
            failure: None,
        })
    }

    fn schedule(&mut self, now: Slot, lengths: &[u32], head_arrivals: &[Slot], matching: &mut Matching) {
        if self.failure.is_some() {
            return;
        }
        let decided = match self.definition.address {
            Some(address) => {
                self.call(address, now, lengths, head_arrivals);
                Ok(())
            }
            None => self.call_python(now, lengths, head_arrivals),
        };
        let checked = decided.and_then(|()| self.check());
        match checked {
            Ok(()) => {
                for (input, &output) in self.outputs.iter().enumerate().filter(|(_, output)| **output != UNMATCHED) {
                    matching.add(input, output as usize);
                }
            }
            Err(problem) => {
                let failure = Failure::NoMatching { slot: now, problem };
                *self.definition.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure.clone());
                self.failure = Some(failure);
            }
        }
    }

    /// Fills in what is asked for.
    fn look(&mut self, now: Slot, lengths: &[u32], head_arrivals: &[Slot]) {
        self.lengths.copy_from_slice(lengths);
        let heads = head_arrivals.iter().zip(lengths);
        for (age, (&head, &length)) in self.ages.iter_mut().zip(heads) {
            *age = if length > 0 { now - head } else { 0 };
        }
        for (request, &length) in self.requests.iter_mut().zip(lengths) {
            *request = u8::from(length > 0);
        }
        self.outputs.fill(UNMATCHED);
    }

    /// Calls compiled code.
    fn call(&mut self, address: usize, now: Slot, lengths: &[u32], head_arrivals: &[Slot]) {
        self.look(now, lengths, head_arrivals);
        // SAFETY: the address is that of a function which numba compiled for this signature, or
        // which the user says has it; `function` keeps it alive. The pointers are valid for the
        // lengths that follow from the ports, and nothing else refers to these lists meanwhile.
        unsafe {
            let function: Compiled = std::mem::transmute::<*const (), Compiled>(address as *const ());
            function(
                self.ports as i64,
                i64::from(now),
                self.seed,
                self.lengths.as_mut_ptr(),
                self.ages.as_mut_ptr(),
                self.requests.as_mut_ptr(),
                self.state.as_mut_ptr(),
                self.state.len() as i64,
                self.outputs.as_mut_ptr(),
            );
        }
    }

    /// Calls a Python function.
    fn call_python(&mut self, now: Slot, lengths: &[u32], head_arrivals: &[Slot]) -> Result<(), String> {
        self.look(now, lengths, head_arrivals);
        let called = Python::attach(|py| {
            let arrays = match &mut self.arrays {
                Some(arrays) => arrays,
                none => none.insert(Arrays::new(py, self.ports, self.state.len(), self.seed)),
            };
            arrays.call(py, &self.definition, now, &self.lengths, &self.ages, &self.requests, &mut self.outputs)
        });
        called.map_err(|error| {
            let problem = format!("the scheduler raised {error}");
            *self.definition.exception.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            problem
        })
    }

    /// An error if the outputs are no matching.
    fn check(&mut self) -> Result<(), String> {
        self.matched.fill(0);
        for (input, &output) in self.outputs.iter().enumerate().filter(|(_, output)| **output != UNMATCHED) {
            let Some(matched) = usize::try_from(output).ok().and_then(|output| self.matched.get_mut(output)) else {
                let most = self.ports - 1;
                return Err(format!(
                    "input {input} is matched to output {output}; an output is from 0 to {most}, and -1 is none"
                ));
            };
            if *matched > 0 {
                let other = *matched - 1;
                return Err(format!("output {output} is matched to two inputs, {other} and {input}"));
            }
            *matched = input as u32 + 1;
        }
        Ok(())
    }
}

impl Arrays {
    fn new(py: Python<'_>, ports: usize, state: usize, seed: i64) -> Self {
        Self {
            lengths: PyArray2::zeros(py, [ports, ports], false).unbind(),
            ages: PyArray2::zeros(py, [ports, ports], false).unbind(),
            requests: PyArray2::zeros(py, [ports, ports], false).unbind(),
            matching: PyArray1::zeros(py, [ports], false).unbind(),
            state: PyArray1::zeros(py, [state], false).unbind(),
            seed,
        }
    }

    #[allow(clippy::too_many_arguments, reason = "one for each array")]
    fn call(
        &self,
        py: Python<'_>,
        definition: &Definition,
        now: Slot,
        lengths: &[u32],
        ages: &[u32],
        requests: &[u8],
        outputs: &mut [i64],
    ) -> PyResult<()> {
        write(self.lengths.bind(py), lengths, |length| length)?;
        write(self.ages.bind(py), ages, |age| age)?;
        write(self.requests.bind(py), requests, |request| request != 0)?;
        let matching = self.matching.bind(py);
        matching.try_readwrite().map_err(held)?.as_slice_mut().map_err(moved)?.fill(UNMATCHED);
        let argument = |name: &String| {
            Ok(match name.as_str() {
                "lengths" => self.lengths.bind(py).clone().into_any(),
                "ages" => self.ages.bind(py).clone().into_any(),
                "requests" => self.requests.bind(py).clone().into_any(),
                "matching" => matching.clone().into_any(),
                "state" => self.state.bind(py).clone().into_any(),
                "slot" => now.into_pyobject(py)?.into_any(),
                "seed" => self.seed.into_pyobject(py)?.into_any(),
                other => PyString::new(py, other).into_any(),
            })
        };
        let arguments = definition.parameters.iter().map(argument).collect::<PyResult<Vec<_>>>()?;
        definition.function.call1(py, PyTuple::new(py, arguments)?)?;
        let read = matching.try_readonly().map_err(held)?;
        let read = read.as_slice().map_err(moved)?;
        if read.len() != outputs.len() {
            return Err(moved("another length"));
        }
        outputs.copy_from_slice(read);
        Ok(())
    }
}

fn held(error: impl std::fmt::Display) -> PyErr {
    crate::errors::invalid(format!("an array of the scheduler is in use elsewhere: {error}"))
}

fn moved(error: impl std::fmt::Display) -> PyErr {
    crate::errors::invalid(format!("an array of the scheduler has changed its shape: {error}"))
}

/// Copies into an array, if there is anything to copy.
fn write<T: Copy, U: numpy::Element + Copy>(
    array: &Bound<'_, PyArray2<U>>,
    values: &[T],
    convert: impl Fn(T) -> U,
) -> PyResult<()> {
    if values.is_empty() {
        return Ok(());
    }
    let mut array = array.try_readwrite().map_err(held)?;
    let places = array.as_slice_mut().map_err(moved)?;
    if places.len() != values.len() {
        return Err(moved("another length"));
    }
    places.iter_mut().zip(values).for_each(|(place, &value)| *place = convert(value));
    Ok(())
}

/// The error of a switch that stopped, as the lab has it.
pub(crate) fn stopped(switch: &str, failure: &Failure) -> PyErr {
    raise(&LabError::Stopped { switch: switch.to_string(), failure: Box::new(failure.clone()) })
}
