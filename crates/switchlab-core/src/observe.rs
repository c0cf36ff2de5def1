//! What happens inside a slot, step by step, for an observer.
//!
//! A run observes nothing and pays nothing: [`Switch::slot`](crate::switch::Switch::slot) is
//! compiled with [`Silent`], whose calls the compiler removes.
//! [`Switch::slot_observed`](crate::switch::Switch::slot_observed) is the same code with an
//! observer in its place, and decides the same.
//!
//! ```
//! use switchlab_core::observe::{Event, Observer};
//! use switchlab_core::{Cell, Seed, registry};
//!
//! /// Which output grants which input.
//! struct Grants(Vec<(u16, u16)>);
//!
//! impl Observer for Grants {
//!     fn observe(&mut self, event: Event<'_>) {
//!         if let Event::Grant { output, input } = event {
//!             self.0.push((output, input));
//!         }
//!     }
//! }
//!
//! let mut islip = registry::switch("islip")?.build(3, Seed { seed: 1, replication: 0 })?;
//! let mut grants = Grants(Vec::new());
//! islip.slot_observed(0, &[1, 1, 2], &mut [Cell::IDLE; 3], &mut grants);
//! assert_eq!(grants.0, [(1, 0), (2, 2)]);
//! # Ok::<(), switchlab_core::Error>(())
//! ```

use crate::cell::{Port, Slot};
use crate::port_set::PortSet;
use crate::switch::Side;
use alloc::vec::Vec;

/// A step of a decision. In one slot they come in the order in which they are taken; grants of one
/// iteration come in no particular order, and neither do its accepts.
///
/// More kinds may be added: an observer ignores those it does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event<'a> {
    /// An iteration of request, grant and accept begins.
    Iteration,
    /// The unmatched inputs with a cell for an unmatched output, ascending, of which there is at
    /// least one.
    Requests {
        /// The output.
        output: Port,
        /// The inputs.
        inputs: &'a [Port],
    },
    /// An output grants an input. Where the best of a row and a column is matched (`gs-lqf`,
    /// `gs-ocf`), it is the best input for the output.
    Grant {
        /// The output.
        output: Port,
        /// The input.
        input: Port,
    },
    /// An input accepts a grant: the two are matched.
    Accept {
        /// The input.
        input: Port,
        /// The output.
        output: Port,
    },
    /// A round-robin pointer has moved: the grant pointer of an output, or the accept pointer of
    /// an input. A pointer that is set to where it stands is not reported.
    Pointer {
        /// [`Side::Output`] for a grant pointer.
        side: Side,
        /// The output or the input that it belongs to.
        port: Port,
        /// Where it pointed before this iteration.
        before: Port,
        /// Where it points now.
        after: Port,
    },
    /// A VOQ is matched because it is on service (`uform`, `ufpim`).
    OnService {
        /// Its input.
        input: Port,
        /// Its output.
        output: Port,
    },
    /// The frame of a VOQ has ended, and what it holds is captured as its next frame.
    Captured {
        /// Its input.
        input: Port,
        /// Its output.
        output: Port,
        /// The cells of the new frame.
        cells: u32,
    },
    /// A pair of the greedy matching that a search begins with (`msm`).
    Greedy {
        /// The input.
        input: Port,
        /// The output.
        output: Port,
    },
    /// An augmenting path: each of the inputs is now matched with the output of the same index,
    /// and before, each but the first was matched with the output of the index before.
    Path {
        /// The inputs.
        inputs: &'a [Port],
        /// As many outputs.
        outputs: &'a [Port],
    },
    /// What a matched VOQ weighs (`mwm`).
    Weight {
        /// Its input.
        input: Port,
        /// Its output.
        output: Port,
        /// Its weight.
        weight: u64,
    },
    /// The price of a port, its dual variable, after the decision. No VOQ weighs more than the
    /// prices of its two ports together, and the prices of all ports together are what the matching
    /// weighs (`mwm`).
    Price {
        /// Of an input or an output.
        side: Side,
        /// Which.
        port: Port,
        /// Its price.
        price: i64,
    },
    /// Two matchings are merged: for each input its output (`serena` and its variants).
    Merge {
        /// The matching made of the arrivals, R(t).
        red: &'a [Port],
        /// The matching of the slot before, S(t-1).
        green: &'a [Port],
    },
    /// A cycle of the union of the two, of at least two inputs, and what has been decided for it.
    Cycle {
        /// Its inputs.
        inputs: &'a [Port],
        /// What its red edges weigh together.
        red: u64,
        /// What its green edges weigh together.
        green: u64,
        /// Whether its red edges become part of the matching, and not its green ones.
        turns_red: bool,
    },
    /// A phase begins: one of several matchings of a slot (`cioq`).
    Phase {
        /// Whether the cells of this slot have departed already.
        after_departures: bool,
    },
    /// A cell at an input, in the order of the input's list, at the beginning of a phase (`cioq`
    /// with a critical-cell policy). Its slackness is `cushion` less `thread`.
    Slack {
        /// Its input.
        input: Port,
        /// Its output.
        output: Port,
        /// Its arrival slot.
        born: Slot,
        /// Its output cushion: the cells in its output's buffer that leave before it.
        cushion: u32,
        /// Its input thread: the cells before it in its input's list.
        thread: u32,
    },
    /// A pair that competes for a stable matching, and how its two ports rank it, from 1: a vertex
    /// of the graph of `FIND_ROOTS`.
    Ranked {
        /// The input.
        input: Port,
        /// The output.
        output: Port,
        /// The rank of the pair at its input.
        row_rank: u16,
        /// The rank of the pair at its output.
        column_rank: u16,
    },
    /// A root: of what is left, it is the best of its input and of its output. It is matched.
    Root {
        /// The iteration of `FIND_ROOTS`, from 0.
        iteration: u32,
        /// The input.
        input: Port,
        /// The output.
        output: Port,
    },
    /// A pair that Gale-Shapley matched, where `FIND_ROOTS` was stuck.
    Proposed {
        /// The input.
        input: Port,
        /// The output.
        output: Port,
    },
    /// A cell is written to a memory (`psm`). A cell that bypasses the memories is not reported.
    Written {
        /// Its input.
        input: Port,
        /// Its output.
        output: Port,
        /// The memory.
        memory: Port,
        /// The slot in which it is read and departs.
        departs: u64,
    },
}

/// An observer of decisions. It sees, and cannot change anything.
pub trait Observer {
    /// A step was taken.
    fn observe(&mut self, event: Event<'_>);

    /// Whether it looks at all. What is made for an observer alone is not made if it does not.
    #[inline]
    fn is_watching(&self) -> bool {
        true
    }
}

/// The observer of a run: none.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    #[inline]
    fn observe(&mut self, _: Event<'_>) {}

    #[inline]
    fn is_watching(&self) -> bool {
        false
    }
}

/// Reports an iteration and the requests of some inputs for some outputs. `requests` says which
/// inputs request an output.
#[inline]
pub(crate) fn begin_iteration<const W: usize, O: Observer + ?Sized>(
    observer: &mut O,
    outputs: &PortSet<W>,
    requests: impl Fn(usize) -> PortSet<W>,
) {
    if !observer.is_watching() {
        return;
    }
    observer.observe(Event::Iteration);
    for output in outputs.iter() {
        let inputs: Vec<Port> = requests(output).iter().map(|input| input as Port).collect();
        if !inputs.is_empty() {
            observer.observe(Event::Requests { output: output as Port, inputs: &inputs });
        }
    }
}

/// Of some inputs those that have an output in their row: a column, where only rows are kept.
pub(crate) fn column<const W: usize>(rows: &[PortSet<W>], inputs: &PortSet<W>, output: usize) -> PortSet<W> {
    inputs.iter().filter(|&input| rows[input].contains(output)).collect()
}
