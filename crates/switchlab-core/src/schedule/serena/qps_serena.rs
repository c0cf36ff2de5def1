//! QPS-SERENA: SERENA that starts from a sample of its queues instead of the arrivals.
//!
//! In each slot every input with a cell samples one of its VOQs, each with a probability in
//! proportion to its length, and proposes to that output. From there on it is `serena`, with the
//! proposals in place of the arrivals: each output keeps the heaviest proposal, free ports are
//! paired, and the result is merged with the matching of the slot before.
//!
//! Long queues are proposed more often than short ones, whether or not a cell has just arrived, so
//! that the merge has better candidates, above all after bursts.
//!
//! Parameters `prune`, `tie`, `populate`: as for `serena`. Random choices: one draw for each input
//! with a cell, ascending, of a number below the cells at that input; the cells are counted by
//! output, ascending. Then as for `serena`.
//!
//! Matching: full, and possibly of empty VOQs. Cost: O(N^2) per slot here, where a row of lengths
//! is added up for each input; O(1) per port in hardware that samples a queued cell.
//!
//! Reference: L. Gong, P. Tune, L. Liu, S. Yang, J. Xu, "Queue-proportional sampling: a better
//! approach to crossbar scheduling for input-queued switches", ACM SIGMETRICS 2017; paper 002,
//! section 8.

use super::super::{Matching, Needs, Scheduler, View};
use super::{Config, Serena, is_one_word};
use crate::cell::{NONE, Port};
use crate::counter::Counter;
use crate::observe::Observer;
use crate::rng::Rng;
use crate::switch::Promise;
use alloc::vec;
use alloc::vec::Vec;

/// SERENA, and the proposals of a slot.
#[derive(Clone, Debug)]
pub struct QpsSerena {
    serena: Serena,
    rng: Rng,
    /// By input: the output that it proposes to, or [`NONE`].
    proposals: Vec<Port>,
}

impl QpsSerena {
    /// A scheduler whose last matching is the identity. `rng` is for the samples.
    pub fn new(ports: usize, config: Config, rng: Rng) -> Self {
        Self { serena: Serena::new(ports, config), rng, proposals: vec![NONE; ports] }
    }

    /// Samples a VOQ of each input.
    fn propose(&mut self, ports: usize, lengths: &[u32]) {
        for (proposal, row) in self.proposals.iter_mut().zip(lengths.chunks_exact(ports)) {
            let cells: u64 = row.iter().copied().map(u64::from).sum();
            *proposal = NONE;
            if cells > 0 {
                let mut sample = self.rng.below(cells as usize) as u64;
                for (output, &length) in (0..).zip(row) {
                    if sample < u64::from(length) {
                        *proposal = output;
                        break;
                    }
                    sample -= u64::from(length);
                }
            }
        }
    }

    /// The slot as SERENA sees it: the proposals have arrived.
    fn prepare<const W: usize>(&mut self, view: &View<'_, W>) {
        self.propose(view.ports, view.lengths);
        if is_one_word(W) {
            // This form of SERENA is told of arrivals one by one.
            for (input, &output) in self.proposals.iter().enumerate().filter(|(_, output)| **output != NONE) {
                let length = view.lengths[input * view.ports + usize::from(output)];
                Scheduler::<W>::on_enqueue(&mut self.serena, input, usize::from(output), length);
            }
        }
    }
}

impl<const W: usize> Scheduler<W> for QpsSerena {
    const NEEDS: Needs = Needs::LENGTHS;
    const PERFECT: bool = true;

    #[inline]
    fn schedule(&mut self, view: &View<'_, W>, matching: &mut Matching) {
        self.prepare(view);
        self.serena.schedule(&View { arrived: &self.proposals, ..*view }, matching);
    }

    fn schedule_observed(&mut self, view: &View<'_, W>, matching: &mut Matching, observer: &mut dyn Observer) {
        self.prepare(view);
        self.serena.schedule_observed(&View { arrived: &self.proposals, ..*view }, matching, observer);
    }

    fn counters(&self, visit: &mut dyn FnMut(Counter)) {
        Scheduler::<1>::counters(&self.serena, visit);
    }

    fn promise(&self) -> Promise {
        Scheduler::<1>::promise(&self.serena)
    }

    fn state(&self, visit: &mut dyn FnMut(&'static str, &[Port])) {
        visit("last proposals", &self.proposals);
        Scheduler::<1>::state(&self.serena, visit);
    }
}
