//! Long work: in a thread of its own, without the interpreter's lock, interrupted by Ctrl-C.

use crate::errors::{defect, raise};
use pyo3::prelude::*;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;
use switchlab_lab::{LabError, Progress};

/// The interval at which signals are looked for and progress is told.
const PAUSE: Duration = Duration::from_millis(50);
/// As the main thread of a program has it.
const STACK: usize = 8 << 20;

/// Runs a job. `watch` is called with the slots that were run and those that are left. An
/// exception that it raises, or a signal, ends the job between two blocks.
pub(crate) fn work<T: Send>(
    py: Python<'_>,
    watch: Option<&Py<PyAny>>,
    job: impl FnOnce(&Progress) -> Result<T, LabError> + Send,
) -> PyResult<T> {
    let progress = Progress::none();
    let tell = |py: Python<'_>| {
        py.check_signals()?;
        watch.map_or(Ok(()), |watch| watch.call1(py, progress.slots()).map(|_| ()))
    };
    let (done, raised) = py.detach(|| {
        thread::scope(|scope| {
            let (sender, receiver) = channel();
            let progress = &progress;
            let run = move || {
                let done = job(progress);
                // The send fails where the receiver has gone: this thread is then the last one.
                let _ = sender.send(());
                done
            };
            let thread = match thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run) {
                Ok(thread) => thread,
                Err(error) => return (None, Some(defect(format!("cannot start a thread: {error}")))),
            };
            let mut raised = None;
            while receiver.recv_timeout(PAUSE) == Err(RecvTimeoutError::Timeout) {
                if raised.is_none() {
                    raised = Python::attach(tell).err();
                    if raised.is_some() {
                        progress.stop();
                    }
                }
            }
            (thread.join().ok(), raised)
        })
    });
    if let Some(raised) = raised {
        return Err(raised);
    }
    if let Some(watch) = watch {
        watch.call1(py, progress.slots())?;
    }
    match done {
        Some(result) => result.map_err(|error| raise(&error)),
        None => Err(defect("a defect of switchlab; please report what was called")),
    }
}
