//! `FIND_ROOTS` on a list of competing pairs, and Gale-Shapley behind it.
//!
//! The same as [`Workspace`] does on full matrices of ranks, and so a test says; but of N^2 pairs a
//! few hundred compete when N is 64, and an iteration here costs as much as there are pairs left.
//! Ranks of a line are 1, 2, ..., each once: there are no ties.

use crate::cell::{NONE, Port};
use crate::stable::{Outcome, Workspace};
use crate::switch::allocated;
use alloc::vec;
use alloc::vec::Vec;

/// A pair that competes, and how its row and its column rank it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Ranked {
    pub(super) input: Port,
    pub(super) output: Port,
    pub(super) row_rank: u16,
    pub(super) column_rank: u16,
}

/// Room to match.
#[derive(Clone, Debug)]
pub(super) struct Matcher {
    ports: usize,
    by_row: Vec<Port>,
    by_column: Vec<Port>,
    /// The best rank left in each line; while looking for cycles, how many of each line have gone.
    of_row: Vec<u16>,
    of_column: Vec<u16>,
    live: Vec<Ranked>,
    /// For what `FIND_ROOTS` leaves: matrices of ranks, all 0 in between. Made beforehand where it
    /// may be needed.
    row_ranks: Vec<u16>,
    column_ranks: Vec<u16>,
    rest: Option<Workspace>,
}

impl Matcher {
    /// A matcher for `ports` ports. It has room for what `FIND_ROOTS` leaves, if it may leave
    /// anything.
    pub(super) fn new(ports: usize, may_be_stuck: bool) -> Self {
        let ranks = if may_be_stuck { ports * ports } else { 0 };
        Self {
            ports,
            by_row: vec![NONE; ports],
            by_column: vec![NONE; ports],
            of_row: vec![0; ports],
            of_column: vec![0; ports],
            live: Vec::with_capacity(ports),
            row_ranks: vec![0; ranks],
            column_ranks: vec![0; ranks],
            rest: may_be_stuck.then(|| Workspace::new(ports, ports)),
        }
    }

    /// The bytes of the ranks. They do not change.
    pub(super) fn bytes(&self) -> u64 {
        allocated(&self.row_ranks) + allocated(&self.column_ranks)
    }

    /// For each input its output, or [`NONE`], as last matched.
    pub(super) fn outputs(&self) -> &[Port] {
        &self.by_row
    }

    /// `FIND_ROOTS`, all roots per iteration; where it is stuck, Gale-Shapley if wanted.
    pub(super) fn find(&mut self, pairs: &[Ranked], fallback: bool) -> Outcome {
        let mut outcome = Outcome::default();
        let Self { by_row, by_column, of_row, of_column, live, .. } = self;
        by_row.fill(NONE);
        by_column.fill(NONE);
        live.clear();
        live.extend_from_slice(pairs);
        while !live.is_empty() {
            of_row.fill(u16::MAX);
            of_column.fill(u16::MAX);
            for pair in live.iter() {
                let best = &mut of_row[usize::from(pair.input)];
                *best = pair.row_rank.min(*best);
                let best = &mut of_column[usize::from(pair.output)];
                *best = pair.column_rank.min(*best);
            }
            // Step 1: a root is the best of its row and of its column.
            let before = outcome.roots;
            for pair in live.iter() {
                let (input, output) = (usize::from(pair.input), usize::from(pair.output));
                if pair.row_rank == of_row[input] && pair.column_rank == of_column[output] {
                    by_row[input] = pair.output;
                    by_column[output] = pair.input;
                    outcome.roots += 1;
                }
            }
            if outcome.roots == before {
                break;
            }
            outcome.iterations += 1;
            // Step 2: the reduced subgraph.
            live.retain(|pair| by_row[usize::from(pair.input)] == NONE && by_column[usize::from(pair.output)] == NONE);
        }
        outcome.rooted = live.is_empty();
        if !outcome.rooted && fallback {
            self.match_rest(&mut outcome);
        }
        outcome
    }

    /// Gale-Shapley for the pairs left. What was matched before belongs to every stable matching.
    #[cold]
    fn match_rest(&mut self, outcome: &mut Outcome) {
        let Self { ports, by_row, by_column, live, row_ranks, column_ranks, rest, .. } = self;
        let ports = *ports;
        row_ranks.resize(ports * ports, 0);
        column_ranks.resize(ports * ports, 0);
        let place = |pair: &Ranked| usize::from(pair.input) * ports + usize::from(pair.output);
        for pair in live.iter() {
            row_ranks[place(pair)] = pair.row_rank;
            column_ranks[place(pair)] = pair.column_rank;
        }
        let rest = rest.get_or_insert_with(|| Workspace::new(ports, ports));
        let found = rest.gale_shapley(row_ranks, column_ranks);
        (outcome.rounds, outcome.proposals) = (found.rounds, found.proposals);
        for (input, &output) in rest.by_row().iter().enumerate().filter(|(_, output)| **output != NONE) {
            by_row[input] = output;
            by_column[usize::from(output)] = input as Port;
        }
        for pair in live.iter() {
            row_ranks[place(pair)] = 0;
            column_ranks[place(pair)] = 0;
        }
    }

    /// Whether the dependency graph of these pairs has no cycle: vertices without incoming edges
    /// are removed until there are none; all must go.
    ///
    /// A vertex has lost its edges when all that its row and its column rank before it have gone.
    /// Sweeps over what is left find these, a single one where one order serves both sides and the
    /// pairs come in it; a list of those that are ready would save sweeps, and need each line
    /// sorted.
    pub(super) fn is_acyclic(&mut self, pairs: &[Ranked]) -> bool {
        let Self { of_row, of_column, live, .. } = self;
        of_row.fill(0);
        of_column.fill(0);
        live.clear();
        live.extend_from_slice(pairs);
        loop {
            let before = live.len();
            live.retain(|pair| {
                let (row, column) = (&mut of_row[usize::from(pair.input)], &mut of_column[usize::from(pair.output)]);
                let ready = *row + 1 == pair.row_rank && *column + 1 == pair.column_rank;
                *row += u16::from(ready);
                *column += u16::from(ready);
                !ready
            });
            if live.is_empty() || live.len() == before {
                return live.is_empty();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Seed};
    use crate::stable::CycleFinder;

    /// Random ranks of random pairs: the same matching, counts and verdict as on full matrices, of
    /// rooted and unrooted instances.
    #[test]
    fn as_on_full_matrices() {
        let mut rng = Seed { seed: 1, replication: 0 }.stream(Purpose::Fabric, 0);
        let (mut unrooted, mut cyclic) = (0, 0);
        for turn in 0..20_000 {
            let ports = 1 + turn % 9;
            let density = 1 + rng.below(10);
            let mut pairs = Vec::new();
            let (mut row_ranks, mut column_ranks) = (vec![0; ports * ports], vec![0; ports * ports]);
            // In two random orders of the same pairs the ranks are given away one by one.
            let mut chosen: Vec<usize> = (0..ports * ports).filter(|_| rng.below(10) < density).collect();
            for ranks in [&mut row_ranks, &mut column_ranks] {
                for place in (1..chosen.len()).rev() {
                    chosen.swap(place, rng.below(place + 1));
                }
                let (mut rows, mut columns) = (vec![0; ports], vec![0; ports]);
                let by_row = pairs.is_empty();
                for &place in &chosen {
                    let line = if by_row { &mut rows[place / ports] } else { &mut columns[place % ports] };
                    *line += 1;
                    ranks[place] = *line;
                }
                pairs = chosen
                    .iter()
                    .map(|&place| Ranked {
                        input: (place / ports) as Port,
                        output: (place % ports) as Port,
                        row_rank: 0,
                        column_rank: 0,
                    })
                    .collect();
            }
            for pair in &mut pairs {
                let place = usize::from(pair.input) * ports + usize::from(pair.output);
                (pair.row_rank, pair.column_rank) = (row_ranks[place], column_ranks[place]);
            }
            let mut matcher = Matcher::new(ports, turn % 2 == 0);
            let mut full = Workspace::new(ports, ports);
            let alone = matcher.find(&pairs, false);
            assert_eq!(alone, full.find_roots(&row_ranks, &column_ranks));
            assert_eq!(matcher.outputs(), full.by_row());
            let both = matcher.find(&pairs, true);
            assert_eq!(both, full.find_roots_then_gale_shapley(&row_ranks, &column_ranks));
            assert_eq!(matcher.outputs(), full.by_row());
            let acyclic = matcher.is_acyclic(&pairs);
            assert_eq!(acyclic, CycleFinder::new(ports, ports).is_acyclic(&row_ranks, &column_ranks));
            assert!(alone.rooted || !acyclic);
            unrooted += u32::from(!alone.rooted);
            cyclic += u32::from(!acyclic);
        }
        assert!(unrooted > 1000 && cyclic > unrooted, "{unrooted} {cyclic}");
    }
}
