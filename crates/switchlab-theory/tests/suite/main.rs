//! The tests of the studies, in one binary.
//!
//! ```text
//!   naive_deadlock  a model of the 4 x 4 fabric for deadlocks, without any reduction
//!   element_cost    the cost of an element of a Benes fabric, against the numbers of the paper
//!   deadlock        which small Benes fabrics can deadlock, and traces that stop the real one
//!   deadlock_page   the tables of papers/004/deadlock.md, computed anew
//!   drawing         the lab's drawing of a circle, for the page
//!   naive_bound     the game of memories
//!   memory_bound    the memories that output queueing needs: traces against first-fit, the game
//!   naive_memory    shared memories; the twin of the core's tests
//!   parallel        their scheduler as a parallel program: against its twins, and its cost
//!   stuck           a state in which C-SERENADE is stuck: found by search, and by brute force
//! ```

mod deadlock;
mod deadlock_page;
#[path = "../../../switchlab-lab/src/deadlock/drawing.rs"]
#[expect(unreachable_pub, reason = "the lab exports it")]
mod drawing;
mod element_cost;
mod memory_bound;
mod naive_bound;
mod naive_deadlock;
#[path = "../../../switchlab-core/tests/suite/naive_memory.rs"]
#[expect(dead_code, reason = "the core's tests use the other matchers")]
mod naive_memory;
mod parallel;
mod stuck;
