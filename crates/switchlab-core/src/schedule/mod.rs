//! Crossbar schedulers, one file each.
//!
//! ```text
//!   VOQ lengths ──► View (requests as bit rows) ──► Scheduler ──► Matching ──► transfer
//! ```
//!
//! A [`Scheduler`] sees the requests of one slot through a [`View`] and fills a [`Matching`]. It
//! declares in [`Scheduler::NEEDS`] what it looks at, and the crossbar maintains nothing else. The
//! associated constant also makes the trait impossible to box: a scheduler is always compiled into
//! its crossbar, and only whole switches are `dyn`.

pub mod captured_readings;
pub mod drrm;
pub mod edrrm;
pub mod gs_lqf;
pub mod gs_ocf;
pub mod ilqf;
pub mod islip;
pub mod matching;
pub mod mix;
pub mod msm;
pub mod mwm;
pub mod pim;
pub mod rrm;
pub mod serena;
pub mod srr;
pub mod tdm;
pub mod uform;
pub mod ufpim;

mod captured_frame;
mod input_first;
mod mutual_best;
mod random_choice;
mod round_robin;

pub use matching::Matching;

use crate::cell::{Port, Slot};
use crate::counter::Counter;
use crate::observe::Observer;
use crate::port_set::PortSet;
use crate::scale;
use crate::switch::crossbar::voq::Lengths;
use crate::switch::{Failure, Promise};

/// What a scheduler looks at. The crossbar maintains nothing else.
///
/// Made of constants: `Needs::COLUMNS.and(Needs::LENGTHS)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
#[allow(clippy::struct_excessive_bools, reason = "independent, and read one by one at compile time")]
pub struct Needs {
    pub(crate) rows: bool,
    pub(crate) columns: bool,
    pub(crate) lengths: bool,
    pub(crate) ages: bool,
    pub(crate) enqueues: bool,
    pub(crate) tags: bool,
    pub(crate) lookups: bool,
}

impl Needs {
    /// Looks at nothing but the arrivals.
    pub const NOTHING: Self =
        Self { rows: false, columns: false, lengths: false, ages: false, enqueues: false, tags: false, lookups: false };
    /// [`View::rows`].
    pub const ROWS: Self = Self { rows: true, ..Self::NOTHING };
    /// [`View::columns`].
    pub const COLUMNS: Self = Self { columns: true, ..Self::NOTHING };
    /// [`View::lengths`].
    pub const LENGTHS: Self = Self { lengths: true, ..Self::NOTHING };
    /// [`View::head_arrivals`].
    pub const AGES: Self = Self { ages: true, ..Self::NOTHING };
    /// [`Scheduler::on_enqueue`].
    pub const ENQUEUES: Self = Self { enqueues: true, ..Self::NOTHING };
    /// [`Scheduler::on_dequeue`], and a tag for each VOQ.
    pub const TAGS: Self = Self { tags: true, ..Self::NOTHING };
    /// The lengths of single VOQs, by [`View::length`]. Unlike [`Self::LENGTHS`], this takes no
    /// memory where the queues know their lengths. It also promises that the scheduler has looked
    /// at nearly all VOQs it matches, in this slot or in the last, so that they need no prefetch.
    pub(crate) const LOOKUPS: Self = Self { lookups: true, ..Self::NOTHING };

    /// Both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self {
            rows: self.rows || other.rows,
            columns: self.columns || other.columns,
            lengths: self.lengths || other.lengths,
            ages: self.ages || other.ages,
            enqueues: self.enqueues || other.enqueues,
            tags: self.tags || other.tags,
            lookups: self.lookups || other.lookups,
        }
    }
}

/// What a scheduler may look at in one slot, this slot's arrivals included. `W` words of 64 ports.
///
/// What [`Scheduler::NEEDS`] does not name is an empty slice.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct View<'a, const W: usize> {
    /// The number of ports.
    pub ports: usize,
    /// The slot.
    pub now: Slot,
    /// The non-empty VOQs of each input: bit `j` of row `i`.
    pub rows: &'a [PortSet<W>],
    /// The non-empty VOQs for each output: bit `i` of column `j`.
    pub columns: &'a [PortSet<W>],
    /// VOQ lengths, that of input `i` and output `j` at `i * ports + j`.
    pub lengths: &'a [u32],
    /// The slot in which the head-of-line cell of each VOQ arrived, laid out likewise; meaningless
    /// for an empty VOQ.
    pub head_arrivals: &'a [Slot],
    /// This slot's arrivals: for each input an output, or [`crate::NONE`].
    pub arrived: &'a [Port],
    /// VOQ lengths where the queues know them.
    pub(crate) known_lengths: Lengths<'a>,
}

impl<const W: usize> View<'_, W> {
    /// Whether the switch is larger than what the second-level cache holds.
    pub(crate) const LARGE: bool = scale::is_large(W);

    /// A view of a slot in which nothing is queued and nothing arrives. The caller sets the fields
    /// that it has.
    pub const fn nothing(ports: usize, now: Slot) -> Self {
        Self {
            ports,
            now,
            rows: &[],
            columns: &[],
            lengths: &[],
            head_arrivals: &[],
            arrived: &[],
            known_lengths: Lengths::NONE,
        }
    }

    /// Whether lengths are not a matrix, so that a scheduler with [`Needs::LOOKUPS`] has them from
    /// the hooks and from [`Self::length`].
    #[inline]
    pub(crate) fn has_hooks(&self) -> bool {
        Self::LARGE && self.lengths.is_empty()
    }

    /// The length of a VOQ, for a scheduler with [`Needs::LOOKUPS`] or [`Needs::LENGTHS`].
    #[inline]
    pub(crate) fn length(&self, voq: usize) -> u32 {
        if self.has_hooks() { self.known_lengths.get(voq) } else { self.lengths[voq] }
    }

    /// Prefetches what [`Self::length`] reads.
    #[inline]
    pub(crate) fn prefetch_length(&self, voq: usize) {
        if self.has_hooks() {
            self.known_lengths.prefetch(voq);
        }
    }
}

/// A crossbar scheduler.
pub trait Scheduler<const W: usize> {
    /// What it looks at.
    const NEEDS: Needs;

    /// Whether every matching is perfect: each input is matched in each slot.
    const PERFECT: bool = false;

    /// Whether it never matches an empty VOQ. If it is not known, `false` is right and a little
    /// slower. A `true` that is false is a defect, found by an assertion in a debug build.
    const MATCHES_ONLY_NONEMPTY: bool = false;

    /// Adds pairs to an empty matching. A pair whose VOQ is empty sends nothing, and is allowed
    /// unless [`Self::MATCHES_ONLY_NONEMPTY`]. A scheduler that is [`Self::PERFECT`] finds the last
    /// slot's matching instead of an empty one, and replaces it.
    fn schedule(&mut self, view: &View<'_, W>, matching: &mut Matching);

    /// [`Self::schedule`], and tells an observer what it does. It decides the same. A scheduler
    /// that has nothing to tell leaves it out.
    fn schedule_observed(&mut self, view: &View<'_, W>, matching: &mut Matching, _observer: &mut dyn Observer) {
        self.schedule(view, matching);
    }

    /// Called for each arrival before [`Self::schedule`], inputs ascending, if it needs
    /// [`Needs::ENQUEUES`]. `length` counts the cells of the VOQ with the new one. A scheduler that
    /// looks at the VOQs of arrivals does not have to look them up again.
    #[inline]
    fn on_enqueue(&mut self, _input: usize, _output: usize, _length: u32) {}

    /// Called for each cell that leaves, after [`Self::schedule`], if it needs [`Needs::TAGS`].
    /// `length` counts the cells of the VOQ with the one that leaves. A matched VOQ that is empty
    /// may be reported too, with a length of 0. `tag` is what the last call for this VOQ returned,
    /// 0 at first; the result is the next tag, and at most the length that remains. A tag lies
    /// beside the queue's own data, so it needs no look-up of its own.
    #[inline]
    fn on_dequeue(&mut self, _input: usize, _output: usize, _length: u32, _tag: u32) -> u32 {
        0
    }

    /// [`Self::on_dequeue`] in a slot with an observer.
    fn on_dequeue_observed(
        &mut self,
        input: usize,
        output: usize,
        length: u32,
        tag: u32,
        _observer: &mut dyn Observer,
    ) -> u32 {
        self.on_dequeue(input, output, length, tag)
    }

    /// What the scheduler counts of itself, since the beginning.
    fn counters(&self, _visit: &mut dyn FnMut(Counter)) {}

    /// What it promises of its matchings, for an audit.
    fn promise(&self) -> Promise {
        Promise::None
    }

    /// Why it gives no more matchings, if it does not: for a scheduler that runs code of a user,
    /// which may be wrong. From that slot on its matchings are empty.
    fn failure(&self) -> Option<&Failure> {
        None
    }

    /// The state kept from slot to slot, by name: a number for each port. For inspecting single
    /// slots.
    fn state(&self, _visit: &mut dyn FnMut(&'static str, &[Port])) {}
}
