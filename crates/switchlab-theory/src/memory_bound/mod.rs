//! How many memories does output queueing need? Adversaries that find out, for `psm`.
//!
//! With M = 2N-1 memories a scheduler never fails (paper 000, lemma 1). With fewer, this is a game:
//! the adversary chooses the arrivals of a slot, the scheduler the memories of its cells, in turn,
//! and the adversary wins when the cells of a slot cannot be placed.
//!
//! ```text
//!   adversary: arrivals ──► scheduler: memories ──► a slot passes ──► adversary ...
//! ```
//!
//! - [`first_fit_trace`] is a trace on which first-fit fails with any M <= 2N-2, for every N >= 2
//!   and every capacity of at least N.
//! - [`staircase_trace`] is one on which `maximum` fails with any M <= 2N-2, for every N >= 2: when
//!   it does, no assignment places the cells of the slot. [`staircase_capacity`] is the capacity
//!   that it takes.
//! - [`stripe_trace`] is one on which first-fit of striped flows fails with any M <= N+P-2 (theorem
//!   2).
//! - [`first_fit::search`] finds the shortest trace on which first-fit fails, or that there is
//!   none: a breadth-first search.
//! - [`game::solve`] is about all schedulers at once: whether there is a strategy of placement that
//!   survives every sequence of arrivals, or a strategy of the adversary that beats every
//!   scheduler, which may also know all about the past. Such a strategy is no single trace: what
//!   comes next depends on where the scheduler has put what came before. [`game::Strategy::play`]
//!   plays it against a scheduler, and gives the trace on which this one fails.
//!
//! [`judge`] answers from what is proved, and searches where nothing is.
//!
//! What is found for a capacity K holds for larger ones as far as the adversary wins: whatever it
//! does with queues of K cells it can do with longer ones.
//!
//! ```
//! use switchlab_theory::memory_bound::{Found, Shape, game};
//! use switchlab_theory::watch::unwatched;
//!
//! // Queues of 4 cells. Two ports: no scheduler survives with 2 = 2N-2 memories. Three ports:
//! // with 4 = 2N-2 one does.
//! let two = game::solve(Shape::new(2, 2, 4)?, 1000, &mut unwatched);
//! assert!(matches!(two.found, Found::Fails(_)));
//! let three = game::solve(Shape::new(3, 4, 4)?, 10_000, &mut unwatched);
//! assert!(matches!(three.found, Found::Survives));
//! # Ok::<(), switchlab_core::Error>(())
//! ```

mod adversary;
pub mod first_fit;
pub mod game;
mod judge;
mod moves;
mod state;

pub use adversary::{first_fit_trace, staircase_capacity, staircase_trace, stripe_trace};
pub use judge::{Judged, Reason, Scheduler, judge, judge_all};
pub use state::Shape;

/// What a search has found about a number of memories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found<T> {
    /// No arrivals make it fail.
    Survives,
    /// It can be made to fail, and how.
    Fails(T),
    /// More states would have been needed than were allowed, or the caller stopped the search.
    Undecided,
}

/// A finding, and the states that were looked at for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Searched<T> {
    /// What was found.
    pub found: Found<T>,
    /// How many states the search held.
    pub states: usize,
    /// Whether the caller stopped the search.
    pub stopped: bool,
}
