//! A model of the 4 x 4 fabric for deadlocks, too simple to be wrong: every buffer of one
//! destination by itself, cells with their sequence numbers, every order of every move and every
//! transmission, and no reductions.

use std::collections::VecDeque;
use switchlab_core::rng::Rng;
use switchlab_theory::deadlock::{Distribution, Merge};

/// A cell: its element of level 0, and its number less the number that is expected next, at level 0
/// and (once it has one) at level 1.
type Cell = (usize, usize, usize);
type Buffer = VecDeque<Cell>;

/// An output buffer and the input buffer behind its link.
type Pipe = (Buffer, Buffer);

#[derive(Clone, Default)]
struct Naive {
    /// [element e of level 0][output = element c of level 1], [c][output], and [c][e] behind the
    /// routing level 1.
    first: [[Pipe; 2]; 2],
    middle: [[Pipe; 2]; 2],
    last: [[Pipe; 2]; 2],
    /// By level and element: cells sent to each output less the smaller of the two, the output
    /// after the last one used, the input after the last one used, and cells outstanding.
    sent: [[[usize; 2]; 2]; 2],
    next_output: [[usize; 2]; 2],
    next_input: [usize; 2],
    outstanding: [[usize; 2]; 2],
}

/// Random steps from the empty fabric, beginning anew every 2000; whether they end in a deadlock.
/// Not all states: there are too many of even the smallest fabric.
pub(crate) fn naive_walk(
    distribution: Distribution,
    merge: Merge,
    (distribution_buffer, routing_buffer): (usize, usize),
    output_buffer: bool,
    steps: usize,
    rng: &mut Rng,
) -> bool {
    let rules = Rules { distribution, merge, distribution_buffer, routing_buffer, output_buffer };
    let mut state = Naive::default();
    for step in 0..steps {
        if step % 2000 == 0 {
            state = Naive::default();
        }
        let mut next = rules.moves(&state);
        if next.is_empty() && state.outstanding[0] != [0, 0] {
            return true;
        }
        next.extend(rules.arrivals(&state));
        state = next.swap_remove(rng.below(next.len()));
    }
    false
}

struct Rules {
    distribution: Distribution,
    merge: Merge,
    distribution_buffer: usize,
    routing_buffer: usize,
    /// Whether there are output buffers, of one cell; without, a cell goes over the link at once.
    output_buffer: bool,
}

impl Rules {
    /// Whether a cell can enter a pipe whose input buffer has this size.
    fn has_room(&self, (out, into): &Pipe, size: usize) -> bool {
        if self.output_buffer { out.is_empty() } else { into.len() < size }
    }

    fn enter(&self, (out, into): &mut Pipe, cell: Cell) {
        if self.output_buffer { out } else { into }.push_back(cell);
    }

    fn outputs(&self, state: &Naive, level: usize, element: usize) -> Vec<usize> {
        match self.distribution {
            Distribution::RoundRobin => vec![state.next_output[level][element]],
            Distribution::ImbalanceCount => (0..2).filter(|&output| state.sent[level][element][output] == 0).collect(),
        }
    }

    /// The number of a cell that passes a distribution element, relative to the expected one; and
    /// the element's books.
    fn distribute(state: &mut Naive, level: usize, element: usize, output: usize) -> usize {
        let sent = &mut state.sent[level][element];
        sent[output] += 1;
        let fewest = sent[0].min(sent[1]);
        *sent = [sent[0] - fewest, sent[1] - fewest];
        state.next_output[level][element] = 1 - output;
        state.outstanding[level][element] += 1;
        state.outstanding[level][element] - 1
    }

    fn arrivals(&self, state: &Naive) -> Vec<Naive> {
        let mut all = Vec::new();
        for e in 0..2 {
            for output in self.outputs(state, 0, e) {
                if self.has_room(&state.first[e][output], self.distribution_buffer) {
                    let mut next = state.clone();
                    let number = Self::distribute(&mut next, 0, e, output);
                    self.enter(&mut next.first[e][output], (e, number, 0));
                    all.push(next);
                }
            }
        }
        all
    }

    fn moves(&self, state: &Naive) -> Vec<Naive> {
        let mut all = Vec::new();
        for (a, b) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            for (pipes, size) in [(0, self.distribution_buffer), (1, self.routing_buffer), (2, self.routing_buffer)] {
                let mut next = state.clone();
                let (out, into) = &mut [&mut next.first, &mut next.middle, &mut next.last][pipes][a][b];
                if into.len() < size
                    && let Some(cell) = out.pop_front()
                {
                    into.push_back(cell);
                    all.push(next);
                }
            }
        }
        for c in 0..2 {
            let full: Vec<usize> = (0..2).filter(|&e| !state.first[e][c].1.is_empty()).collect();
            let inputs = match self.merge {
                Merge::Fixed => full.into_iter().take(1).collect(),
                Merge::RoundRobin if full.contains(&state.next_input[c]) => vec![state.next_input[c]],
                Merge::Any | Merge::RoundRobin => full,
            };
            for e in inputs {
                for output in self.outputs(state, 1, c) {
                    if self.has_room(&state.middle[c][output], self.routing_buffer) {
                        let mut next = state.clone();
                        let (from, number, _) = next.first[e][c].1.pop_front().unwrap();
                        let second = Self::distribute(&mut next, 1, c, output);
                        self.enter(&mut next.middle[c][output], (from, number, second));
                        next.next_input[c] = if self.merge == Merge::RoundRobin { 1 - e } else { 0 };
                        all.push(next);
                    }
                }
            }
            for output in 0..2 {
                // The resequencer of level 1, and the split by sources.
                if let Some(&cell) = state.middle[c][output].1.front()
                    && cell.2 == 0
                    && self.has_room(&state.last[c][cell.0], self.routing_buffer)
                {
                    let mut next = state.clone();
                    next.middle[c][output].1.pop_front();
                    self.enter(&mut next.last[c][cell.0], (cell.0, cell.1, 0));
                    next.outstanding[1][c] -= 1;
                    let pipes = next.middle[c].iter_mut();
                    pipes.flat_map(|(out, into)| out.iter_mut().chain(into)).for_each(|cell| cell.2 -= 1);
                    all.push(next);
                }
            }
            for e in 0..2 {
                // The resequencer of level 0: the cell has left.
                if let Some(&(_, 0, _)) = state.last[c][e].1.front() {
                    let mut next = state.clone();
                    next.last[c][e].1.pop_front();
                    next.outstanding[0][e] -= 1;
                    let pipes = [&mut next.first, &mut next.middle, &mut next.last].into_iter().flatten().flatten();
                    let cells = pipes.flat_map(|(out, into)| out.iter_mut().chain(into));
                    cells.filter(|cell| cell.0 == e).for_each(|cell| cell.1 -= 1);
                    all.push(next);
                }
            }
        }
        all
    }
}
