//! Crossbar schedulers, one file each.
//!
//! ```text
//!   VOQ lengths ──► View (requests as bit rows) ──► Scheduler ──► Matching ──► transfer
//! ```
//!
//! A [`Scheduler`] sees the requests of one slot through a [`View`] and fills a [`Matching`]. It declares in
//! [`Scheduler::NEEDS`] what it looks at, and the crossbar maintains nothing else. The associated constant also makes
//! the trait impossible to box: a scheduler is always compiled into its crossbar, and only whole switches are `dyn`.

pub mod bits;
pub mod gs_lqf;
pub mod gs_ocf;
pub mod ilqf;
pub mod islip;
pub mod matching;
pub mod msm;
pub mod mwm;
pub mod pim;
pub mod serena;
pub mod tdm;
pub mod uform;
pub mod ufpim;

mod captured_frame;
mod mutual_best;
mod random_choice;
mod round_robin;

pub use matching::Matching;

use crate::cell::{Port, Slot};
use crate::counter::Counter;
use crate::switch::{Promise, Records};

/// What a scheduler looks at; what it does not need is not maintained.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "independent wishes, read one by one at compile time")]
pub struct Needs {
    /// [`View::rows`].
    pub rows: bool,
    /// [`View::columns`].
    pub columns: bool,
    /// [`View::lengths`].
    pub lengths: bool,
    /// [`View::births`].
    pub ages: bool,
    /// [`View::joined`] and [`View::left`], in a large switch.
    pub recent: bool,
    /// [`Scheduler::leaves`].
    pub notes: bool,
    /// [`Scheduler::joins`].
    pub joins: bool,
}

impl Needs {
    /// Looks at nothing.
    pub const NOTHING: Self =
        Self { rows: false, columns: false, lengths: false, ages: false, recent: false, notes: false, joins: false };
}

/// An arrival, and how long the VOQ is with it. Eight bytes, which are written and read at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Joined {
    /// Where it arrived.
    pub input: Port,
    /// Where it wants to go.
    pub output: Port,
    /// The cells in the VOQ.
    pub length: u32,
}

/// What a scheduler may look at in one slot, this slot's arrivals included. `W` words of 64 ports.
///
/// What [`Scheduler::NEEDS`] does not ask for is an empty slice.
#[derive(Clone, Copy, Debug)]
pub struct View<'a, const W: usize> {
    /// The number of ports.
    pub ports: usize,
    /// The slot.
    pub now: Slot,
    /// The non-empty VOQs of each input: bit `j` of row `i`.
    pub rows: &'a [[u64; W]],
    /// The non-empty VOQs for each output: bit `i` of column `j`.
    pub columns: &'a [[u64; W]],
    /// VOQ lengths, that of input `i` and output `j` at `i * ports + j`.
    pub lengths: &'a [u32],
    /// The slot in which the first cell of each VOQ arrived, laid out likewise; of an empty VOQ it says nothing.
    pub births: &'a [Slot],
    /// This slot's arrivals: for each input an output, or [`crate::NONE`].
    pub arrived: &'a [Port],
    /// VOQ lengths in a large switch, for those who look up a few. See [`View::length`].
    pub records: Records<'a>,
    /// This slot's arrivals once more, in a large switch: only those that there are, and how long the VOQs are that they joined.
    pub joined: &'a [Joined],
    /// For each input, the length that the VOQ matched in the last slot was left with; see [`View::lengths_left`].
    pub left: &'a [u32],
}

impl<const W: usize> View<'_, W> {
    /// A view of a slot in which nothing is queued and nothing arrives: what is to be seen comes with `..`.
    pub const fn nothing(ports: usize, now: Slot) -> Self {
        Self {
            ports,
            now,
            rows: &[],
            columns: &[],
            lengths: &[],
            births: &[],
            arrived: &[],
            records: Records::NONE,
            joined: &[],
            left: &[],
        }
    }

    /// Whether the switch is so large that memory is far away: then the lengths of single VOQs are where their cells are, and a matrix of
    /// lengths is maintained only for those who read whole rows of it.
    pub const LARGE: bool = W > 4;

    /// The length of a VOQ, for a scheduler that looks up a few of them and asks for lengths only unless [`Self::LARGE`].
    #[inline(always)]
    pub fn length(&self, voq: usize) -> u32 {
        // A view made by hand has a matrix at any size.
        if Self::LARGE && self.lengths.is_empty() { self.records.length(voq) } else { self.lengths[voq] }
    }

    /// Whether [`View::joined`], [`View::left`] and the records say what lengths there are: a view made by hand has a matrix at any size.
    #[inline(always)]
    pub fn is_recent(&self) -> bool {
        Self::LARGE && self.lengths.is_empty()
    }

    /// Calls for each input, in order, with something else of that input and with the length of the VOQ that was matched in the last slot, to the output given here: what it
    /// was left with, and the cell that has joined it since. In a large switch these lie side by side, and the VOQs do not.
    #[inline(always)]
    pub fn lengths_left<T>(&self, outputs: &[Port], others: impl Iterator<Item = T>, mut each: impl FnMut(T, u32)) {
        if Self::LARGE && self.lengths.is_empty() {
            let recent = self.left.iter().zip(self.arrived).zip(outputs);
            for (other, ((&left, &arrived), &output)) in others.zip(recent) {
                each(other, left + u32::from(arrived == output));
            }
        } else {
            let mut row = 0;
            for (other, &output) in others.zip(outputs) {
                each(other, self.lengths[row + output as usize]);
                row += self.ports;
            }
        }
    }
}

/// A crossbar scheduler.
pub trait Scheduler<const W: usize> {
    /// What it looks at.
    const NEEDS: Needs;

    /// Whether it matches every input in every slot.
    const FULL: bool = false;

    /// Whether no VOQ that it matches is empty.
    const BUSY: bool = false;

    /// Adds pairs to an empty matching. A pair whose VOQ is empty is allowed, and sends nothing, unless it is [`Self::BUSY`].
    fn schedule(&mut self, view: &View<'_, W>, matching: &mut Matching);

    /// Is told of a cell that has arrived, and how many its VOQ has with it: before [`Self::schedule`], inputs ascending. So whoever looks at arrivals and their VOQs need not look them
    /// up again. Needs [`Needs::lengths`] too.
    #[inline(always)]
    fn joins(&mut self, _input: usize, _output: usize, _length: u32) {}

    /// Is told of a cell that leaves, how many its VOQ had with it, and what was noted of the VOQ: 0 in the beginning. Says what is to be noted, which is at most what the
    /// VOQ is left with. So whoever remembers something of each VOQ need not look it up: it lies where the cells are looked up anyway.
    #[inline(always)]
    fn leaves(&mut self, _input: usize, _output: usize, _length: u32, _note: u32) -> u32 {
        0
    }

    /// What the scheduler counts of itself, since the beginning.
    fn counters(&self, _visit: &mut dyn FnMut(Counter)) {}

    /// What it promises of its matchings, for an audit.
    fn promise(&self) -> Promise {
        Promise::None
    }

    /// What it remembers from slot to slot, by name: a number for each port. For people who look at single slots.
    fn state(&self, _visit: &mut dyn FnMut(&'static str, &[Port])) {}
}
