//! Ctrl-C for searches that can report a partial result.

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag::{register, register_conditional_default};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A flag that SIGINT and SIGTERM set. A second signal ends the program at once. Where no handler
/// can be installed, signals end the program as they do without one.
pub(crate) fn flag() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // In this order: the default action is taken if the flag was set before this signal.
        if register_conditional_default(signal, Arc::clone(&flag)).is_ok() {
            let _ = register(signal, Arc::clone(&flag));
        }
    }
    flag
}
