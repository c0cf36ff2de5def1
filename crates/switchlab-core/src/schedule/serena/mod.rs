//! SERENA: merges the matching of the last slot with one made of this slot's arrivals, and keeps
//! the heavier part of each cycle.
//!
//! In each slot, with weights that are VOQ lengths after this slot's arrivals:
//!
//! 1. Prune. The arrivals are a graph; each output keeps the heaviest arrival of those destined to
//!    it.
//! 2. Populate. Inputs and outputs that are left over are paired, so that the result R(t) is a full
//!    matching, red.
//! 3. Merge. R(t) and S(t-1), the matching of the slot before, green, form cycles of red and green
//!    edges in turn. Of each cycle the heavier colour becomes part of S(t). S(-1) is the identity.
//!
//! S(t) weighs at least as much as either, so heavy matchings are kept and improved from slot to
//! slot, which gives stability at every admissible load; the arrivals bring in new candidates where
//! new cells are. At low load this memory is a burden: a cell waits until the matching happens to
//! turn to it, and when arrivals cease, with `populate=rank` or where cycles stay undecided, for
//! ever.
//!
//! Parameters, where the paper leaves a choice. `prune`: equally heavy arrivals, `random` as the
//! paper writes or the `lowest` input. `tie`: the colour of a cycle whose colours weigh the same;
//! with `green` it turns red only if strictly heavier. `populate`: `rank` pairs the k-th free input
//! with the k-th free output (appendix A), `random` with a random one (as appendices D and H have
//! it), `rotate` with the (k + t)-th, cyclically, in slot t. They move delays at low load,
//! `populate` tenfold.
//!
//! Random choices: inputs ascending, the m-th arrival that is as heavy as the heaviest before it
//! takes its place if a number below m is 0; then, with `populate=random`, the free outputs,
//! ascending, are shuffled.
//!
//! Counters, per slot: `cycles`; `non_ouroboros` cycles, which SERENADE could not decide in its
//! first iterations; `ouroboros_vertices`, the share of inputs that are not on one;
//! `ouroboros_slots`, the share of slots without one. `switchlab explain ouroboros` has the same of
//! a random permutation.
//!
//! Matching: full, and possibly of empty VOQs. Cost: O(N) per slot, one walk along the cycles; that
//! it is a walk is what keeps it from hardware, see the SERENADE suite.
//!
//! Reference: P. Giaccone, B. Prabhakar, D. Shah, "Randomized scheduling algorithms for
//! high-aggregate bandwidth switches", IEEE JSAC 21(4), 2003; L. Gong and others, "SERENADE", 2022,
//! section 3 (paper 002).

pub mod accounting;
mod bill;
pub mod c_serenade;
mod costs;
mod cycles;
mod draws;
pub mod e_serenade;
mod gaps;
mod judge;
mod lists;
pub mod o_serenade;
mod one_word;
pub mod ouroboros;
pub mod qps_serena;
pub mod rules;
pub mod sc_serenade;
pub mod sketch;
pub mod so_serenade;
#[cfg(test)]
mod tests;

use super::{Matching, Needs, Scheduler, View};
use crate::cell::Port;
use crate::counter::Counter;
use crate::observe::{Event, Observer, Silent};
use crate::rng::{Probability, Rng};
use crate::scale::WORD;
use crate::switch::Promise;
use crate::variants;
use accounting::Accounting;
use alloc::vec::Vec;
use costs::Costs;
use gaps::Gaps;
use judge::Judge;
use lists::Lists;
use one_word::OneWord;
use ouroboros::Fates;
use rules::{Rules, Tie, Variant};

/// SERENA, or a variant of SERENADE: they differ in how a cycle that is not ouroboros is decided,
/// and in what they cost.
///
/// There are two forms of it: up to 64 ports a set of ports is one word (`one_word`), beyond it is
/// a list (`lists`).
#[derive(Clone, Debug)]
pub struct Serena {
    ports: usize,
    /// A cycle turns red if red's advantage is above this.
    bar: i64,
    /// R(t): for each input its output. Room for 64 ports and a dummy entry at least.
    red: Vec<Port>,
    /// S(t-1), then S(t): for each input its output. Room for 64 ports at least.
    green: Vec<Port>,
    one_word: OneWord,
    lists: Lists,
    fates: Fates,
    judge: Judge,
    costs: Costs,
    gaps: Gaps,
}

/// What a variant is made of.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where the paper leaves a choice.
    pub rules: Rules,
    /// The variant; None is SERENA itself, which decides as E-SERENADE and counts no messages.
    pub variant: Option<Variant>,
    /// The hybrids' coin: the probability of E-SERENADE in a slot, and the controller's random
    /// stream.
    pub coin: Option<(Probability, Rng)>,
    /// For pruning and populating.
    pub rng: Rng,
    /// What codewords are drawn from.
    pub key: u64,
    /// What messages are charged at.
    pub accounting: Accounting,
}

impl Serena {
    /// A scheduler whose last matching is the identity.
    pub fn new(ports: usize, config: Config) -> Self {
        let room = ports.max(WORD) as Port;
        let fates = Fates::new(ports);
        let costs = Costs::new(ports, &fates, config.accounting, config.rules.populate);
        Self {
            ports,
            bar: if config.rules.tie == Tie::Red { -1 } else { 0 },
            red: (0..=room).collect(),
            green: (0..room).collect(),
            one_word: OneWord::new(config.rules, config.rng.clone()),
            lists: Lists::new(ports, config.rules, config.rng),
            costs: match config.variant {
                Some(variant) => costs.distributed(variant.cow().is_some(), variant.codewords().unwrap_or(0)),
                None => costs,
            },
            gaps: Gaps::default(),
            fates,
            judge: Judge::new(config.variant, config.coin, config.key),
        }
    }

    /// A slot, for an observer or none.
    #[inline(always)]
    fn decide_slot<const W: usize, O: Observer + ?Sized>(
        &mut self,
        view: &View<'_, W>,
        matching: &mut Matching,
        observer: &mut O,
    ) {
        self.judge.begin();
        if is_one_word(W) {
            self.schedule_one_word(view, observer);
        } else {
            self.schedule_lists(view, observer);
        }
        matching.assign(&self.green[..view.ports]);
    }
}

/// Reports a cycle of R(t) and S(t-1).
#[cold]
fn report_cycle<const W: usize, O: Observer + ?Sized>(
    view: &View<'_, W>,
    (red, green): (&[Port], &[Port]),
    inputs: &[Port],
    turns_red: bool,
    observer: &mut O,
) {
    let weight = |colour: &[Port]| {
        let edge =
            |&input: &Port| view.length(usize::from(input) * view.ports + usize::from(colour[usize::from(input)]));
        inputs.iter().map(edge).map(u64::from).sum()
    };
    observer.observe(Event::Cycle { inputs, red: weight(red), green: weight(green), turns_red });
}

/// Whether a switch of `words * 64` ports is scheduled on words, and not by lists.
const fn is_one_word(words: usize) -> bool {
    variants::SERENA_ONE_WORD && words == 1
}

impl<const W: usize> Scheduler<W> for Serena {
    const NEEDS: Needs = if is_one_word(W) {
        Needs::LENGTHS.and(Needs::ENQUEUES)
    } else if View::<W>::LARGE {
        Needs::LOOKUPS.and(Needs::ENQUEUES).and(Needs::TAGS)
    } else {
        Needs::LENGTHS
    };
    const PERFECT: bool = true;

    #[inline(always)]
    fn on_enqueue(&mut self, input: usize, output: usize, length: u32) {
        if is_one_word(W) {
            self.one_word.on_enqueue(input, output, length);
        } else {
            self.lists.on_enqueue(input, output, length);
        }
    }

    #[inline(always)]
    fn on_dequeue(&mut self, input: usize, _: usize, length: u32, _: u32) -> u32 {
        self.lists.on_dequeue(input, length);
        0
    }

    #[inline]
    fn schedule(&mut self, view: &View<'_, W>, matching: &mut Matching) {
        self.decide_slot(view, matching, &mut Silent);
    }

    fn schedule_observed(&mut self, view: &View<'_, W>, matching: &mut Matching, observer: &mut dyn Observer) {
        self.decide_slot(view, matching, observer);
    }

    fn counters(&self, visit: &mut dyn FnMut(Counter)) {
        self.costs.counters(visit);
        if self.judge.is_opportunistic() {
            self.gaps.counters(visit);
        }
    }

    fn promise(&self) -> Promise {
        self.judge.promise(self.ports)
    }

    fn state(&self, visit: &mut dyn FnMut(&'static str, &[Port])) {
        visit("last R(t)", &self.red[..self.ports]);
    }
}
