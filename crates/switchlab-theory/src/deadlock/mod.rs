//! Which Benes fabrics can deadlock: a search through all states of a small one (paper 004, section
//! 4).
//!
//! ```text
//!   Model ──► search: all states, up to a limit ──► proved free, a deadlock, or undecided
//!         └─► walk: random steps, which find but never deny
//!                      └─► replay: the same steps with numbered cells ──► the circle of waits
//!   stress: hostile arrivals for a real switch ──► a short trace that stops it
//! ```
//!
//! **One destination is enough.** With resequencing per stage every buffer, pointer, number and
//! credit belongs to one destination. Destinations meet only where links choose whose cell to send,
//! and where imbalance counts look at ready cells. Both are free choices here: a link may send when
//! it likes, and imbalance counts may take any output that has received the fewest cells. So every
//! run of the fabric, seen through one destination, is a run of this model, and a fabric whose
//! model has no deadlock has none.
//!
//! **Arrivals.** Any cell may come at any time. More supply only adds runs, so this too keeps a
//! proof valid.
//!
//! **A deadlock** is a state with cells inside and no step but arrivals. Should some cells be stuck
//! for ever while others move, let arrivals end: each step brings a cell nearer to its exit, so at
//! some point nothing moves, and the stuck ones are still there. So no kind is missed.
//!
//! **No numbers.** A sub-network hands on the cells of a group in the order in which it got them
//! ("Flow-Order" in the proof), so the next cell of a resequencer is the first one on the path on
//! which its element sent the oldest cell outstanding. The state has these paths and no numbers,
//! and stays finite. [`replay`] has the numbers, and checks it.
//!
//! **Two buffers are one** without a choice: an output buffer and the input buffer behind its
//! link are one queue, as in the paper's figure 7. A transmission stays possible until it happens
//! and takes nothing from any other step, so doing it at once loses no deadlock. Only before a
//! merge whose rule looks at who is there (fixed, round robin) the link is a step of its own. The
//! buffers of line cards and of the exit are left out: they hold cells that may come at any time,
//! and cells that may go.

mod model;
mod moves;
pub mod replay;
pub mod search;
mod set;
pub mod stress;
pub mod walk;

pub use model::{Distribution, Merge, Model};
pub use moves::Step;
