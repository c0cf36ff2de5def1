//! How a long search is followed and stopped. The caller has the clock and the signals; the search
//! has neither.

/// Called by a search at regular intervals with its progress so far: states, steps or slots, as the
/// search says. The search stops with what it knows when this returns false.
pub type Watch<'a> = dyn FnMut(u64) -> bool + 'a;

/// For a search that is not followed and never stopped.
pub fn unwatched(_: u64) -> bool {
    true
}
