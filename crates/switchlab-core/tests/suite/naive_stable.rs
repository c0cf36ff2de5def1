//! The naive twins of GS-LQF and GS-OCF: all pairs sorted, the best first, and each taken whose
//! ports are free.

use crate::naive::{Lengths, Pairs, Scheduler, Twin};
use std::cmp::Reverse;
use std::collections::VecDeque;
use switchlab_core::{Cell, NONE, Port, Slot};

/// Takes pairs in this order, as far as their ports are free.
fn greedy(ports: usize, pairs: impl IntoIterator<Item = (usize, usize)>) -> Pairs {
    let (mut matched, mut taken) = (vec![None; ports], vec![false; ports]);
    for (input, output) in pairs {
        if matched[input].is_none() && !taken[output] {
            matched[input] = Some(output);
            taken[output] = true;
        }
    }
    matched
}

/// The longest queue first; of equal ones the lowest input, then the lowest output.
pub(crate) struct GsLqf;

impl Scheduler for GsLqf {
    fn schedule(&mut self, _now: Slot, lengths: &Lengths) -> Pairs {
        let ports = lengths.len();
        let all = (0..ports).flat_map(|input| (0..ports).map(move |output| (input, output)));
        let mut pairs: Vec<_> = all.filter(|&(input, output)| lengths[input][output] > 0).collect();
        pairs.sort_by_key(|&(input, output)| (Reverse(lengths[input][output]), input, output));
        greedy(ports, pairs)
    }
}

/// The oldest first cell first; of those born in the same slot the lowest input, then the lowest
/// output. It sees arrival slots, so it is a switch of its own.
pub(crate) struct GsOcf {
    pub(crate) queues: Vec<Vec<VecDeque<Slot>>>,
}

impl GsOcf {
    pub(crate) fn new(ports: usize) -> Self {
        Self { queues: vec![vec![VecDeque::new(); ports]; ports] }
    }
}

impl Twin for GsOcf {
    fn slot(&mut self, now: Slot, arrivals: &[Port], departures: &mut [Cell]) {
        let mut first = Vec::new();
        for (input, (&output, queues)) in arrivals.iter().zip(&mut self.queues).enumerate() {
            if output != NONE {
                queues[usize::from(output)].push_back(now);
            }
            let waiting =
                queues.iter().enumerate().filter_map(|(output, queue)| Some((*queue.front()?, input, output)));
            first.extend(waiting);
        }
        first.sort_unstable();
        let pairs = greedy(arrivals.len(), first.into_iter().map(|(_, input, output)| (input, output)));
        for (input, output) in pairs.into_iter().enumerate().filter_map(|(input, output)| Some((input, output?))) {
            let born = self.queues[input][output].pop_front().expect("only queues with cells are sorted");
            departures[output] = Cell { born, input: input as Port };
        }
    }
}
