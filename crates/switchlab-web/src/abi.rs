//! The exports of the module.
//!
//! ```text
//!   input(length) -> address      the page writes its request there, as UTF-8
//!   list() build(run) advance(run, slots) slot(run) trace(slots)
//!   curve(curve) advance_curve(curve, slots) differences(first, other) -> length
//!   output() -> address           the answer, as JSON in UTF-8
//! ```
//!
//! All state is behind one lock, so that there is no `unsafe` but in the attributes that export.

use crate::host::Host;
use std::sync::{Mutex, MutexGuard, PoisonError};

struct State {
    host: Host,
    input: Vec<u8>,
    output: String,
}

static STATE: Mutex<State> = Mutex::new(State { host: Host::new(), input: Vec::new(), output: String::new() });

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Answers, with the request in the input buffer; the length of the answer.
fn answer(make: impl FnOnce(&mut Host, &str) -> String) -> usize {
    let mut state = state();
    let input = std::mem::take(&mut state.input);
    state.output = make(&mut state.host, &String::from_utf8_lossy(&input));
    state.output.len()
}

/// Makes room for a request, and says where.
#[unsafe(no_mangle)]
pub extern "C" fn input(length: usize) -> *mut u8 {
    let mut state = state();
    state.input = vec![0; length];
    state.input.as_mut_ptr()
}

/// Where the last answer is.
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    state().output.as_ptr()
}

/// [`Host::list`].
#[unsafe(no_mangle)]
pub extern "C" fn list() -> usize {
    answer(|_, _| Host::list())
}

/// [`Host::build`], by the request in the input buffer.
#[unsafe(no_mangle)]
pub extern "C" fn build(run: usize) -> usize {
    answer(|host, request| host.build(run, request))
}

/// [`Host::advance`].
#[unsafe(no_mangle)]
pub extern "C" fn advance(run: usize, slots: u32) -> usize {
    answer(|host, _| host.advance(run, slots.into()))
}

/// [`Host::slot`].
#[unsafe(no_mangle)]
pub extern "C" fn slot(run: usize) -> usize {
    answer(|host, _| host.slot(run))
}

/// [`Host::curve`], by the request in the input buffer.
#[unsafe(no_mangle)]
pub extern "C" fn curve(curve: usize) -> usize {
    answer(|host, request| host.curve(curve, request))
}

/// [`Host::advance_curve`].
#[unsafe(no_mangle)]
pub extern "C" fn advance_curve(curve: usize, slots: u32) -> usize {
    answer(|host, _| host.advance_curve(curve, slots.into()))
}

/// [`Host::differences`].
#[unsafe(no_mangle)]
pub extern "C" fn differences(first: usize, other: usize) -> usize {
    answer(|host, _| host.differences(first, other))
}

/// [`Host::trace`], of the request in the input buffer.
#[unsafe(no_mangle)]
pub extern "C" fn trace(slots: u32) -> usize {
    answer(|_, request| Host::trace(slots.into(), request))
}
