//! `FIND_ROOTS` and Gale-Shapley without allocation, for simulators that match in every slot.
//!
//! Ranks are given as two slices, row-major as in [`super::Preferences`]: smaller is better, 0 is
//! absent, and a pair counts only if both of its ranks are not 0. Only their order within a line
//! matters, so a simulator may pass what it has (positions in a list, capped lengths) and need not
//! make ranks without gaps.

use super::Pair;
use crate::cell::{NONE, Port};
use alloc::vec;
use alloc::vec::Vec;

/// How a matching came about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    /// Whether `FIND_ROOTS` emptied the graph. False also if it was not run.
    pub rooted: bool,
    /// The iterations of `FIND_ROOTS` that found a root.
    pub iterations: u32,
    /// The roots found.
    pub roots: u32,
    /// The rounds of Gale-Shapley in which a row proposed.
    pub rounds: u32,
    /// Their proposals.
    pub proposals: u32,
}

/// Rows, columns and room to match them. See the module.
#[derive(Clone, Debug)]
pub struct Workspace {
    rows: usize,
    columns: usize,
    by_row: Vec<Port>,
    by_column: Vec<Port>,
    /// The smallest rank left in each line.
    row_best: Vec<u16>,
    column_best: Vec<u16>,
    /// Lines that are not matched and may still be, ascending.
    live_rows: Vec<Port>,
    live_columns: Vec<Port>,
    /// Whom each row last proposed to: its rank, and the column.
    proposed: Vec<(u16, Port)>,
    /// Rows that propose in this round and in the next.
    free: Vec<Port>,
    rejected: Vec<Port>,
}

impl Workspace {
    /// A workspace for instances of `rows` rows and `columns` columns.
    pub fn new(rows: usize, columns: usize) -> Self {
        Self {
            rows,
            columns,
            by_row: vec![NONE; rows],
            by_column: vec![NONE; columns],
            row_best: vec![0; rows],
            column_best: vec![0; columns],
            live_rows: Vec::with_capacity(rows),
            live_columns: Vec::with_capacity(columns),
            proposed: vec![(0, 0); rows],
            free: Vec::with_capacity(rows),
            rejected: Vec::with_capacity(rows),
        }
    }

    /// For each row its column, or [`NONE`], as last matched.
    pub fn by_row(&self) -> &[Port] {
        &self.by_row
    }

    /// For each column its row, or [`NONE`], as last matched.
    pub fn by_column(&self) -> &[Port] {
        &self.by_column
    }

    /// The rows that are still unmatched and were still in the graph when the last matching ended,
    /// ascending.
    pub fn live_rows(&self) -> &[Port] {
        &self.live_rows
    }

    /// The columns that were not matched as roots when the last matching ended, ascending.
    pub fn live_columns(&self) -> &[Port] {
        &self.live_columns
    }

    /// `FIND_ROOTS`, all roots per iteration.
    ///
    /// # Panics
    ///
    /// If a slice does not have an entry for each row and column. So do the other methods.
    pub fn find_roots(&mut self, row_ranks: &[u16], column_ranks: &[u16]) -> Outcome {
        self.find_roots_with(row_ranks, column_ranks, |_, _| {})
    }

    /// `FIND_ROOTS`, telling each root with the number of its iteration, from 0.
    pub fn find_roots_with(
        &mut self,
        row_ranks: &[u16],
        column_ranks: &[u16],
        mut visit: impl FnMut(u32, Pair),
    ) -> Outcome {
        self.begin(row_ranks, column_ranks);
        let mut outcome = Outcome::default();
        loop {
            if !self.find_best(row_ranks, column_ranks) {
                outcome.rooted = true;
                return outcome;
            }
            // Step 1 of the algorithm, and the marking of step 2: a root is the best of its row and
            // of its column. With ties several may share a line: rows and columns ascend, and a
            // line that has been given away in this iteration is skipped.
            let before = outcome.roots;
            for &row in &self.live_rows {
                let row = usize::from(row);
                let best = self.row_best[row];
                let line = row * self.columns;
                for &column in &self.live_columns {
                    let column = usize::from(column);
                    let (h, v) = (row_ranks[line + column], column_ranks[line + column]);
                    if h == best && v != 0 && v == self.column_best[column] && self.by_column[column] == NONE {
                        self.by_row[row] = column as Port;
                        self.by_column[column] = row as Port;
                        visit(outcome.iterations, Pair { row, column });
                        outcome.roots += 1;
                        break;
                    }
                }
            }
            if outcome.roots == before {
                return outcome;
            }
            outcome.iterations += 1;
            // Step 2: the reduced subgraph.
            let Self { live_rows, live_columns, by_row, by_column, .. } = self;
            live_rows.retain(|&row| by_row[usize::from(row)] == NONE);
            live_columns.retain(|&column| by_column[usize::from(column)] == NONE);
        }
    }

    /// `FIND_ROOTS`, and where it stops early, Gale-Shapley for the pairs that are left.
    pub fn find_roots_then_gale_shapley(&mut self, row_ranks: &[u16], column_ranks: &[u16]) -> Outcome {
        let mut outcome = self.find_roots(row_ranks, column_ranks);
        if !outcome.rooted {
            self.propose(row_ranks, column_ranks, &mut outcome, &mut |_, _| {}, &mut |_, _| {});
        }
        outcome
    }

    /// Gale-Shapley: rows propose, in parallel rounds. Equal ranks: the lowest number is liked
    /// best, on both sides.
    pub fn gale_shapley(&mut self, row_ranks: &[u16], column_ranks: &[u16]) -> Outcome {
        self.gale_shapley_with(row_ranks, column_ranks, |_, _| {}, |_, _| {})
    }

    /// Gale-Shapley. Reports each proposal with the number of its round, from 0, and after each
    /// round which row each column holds, or [`NONE`].
    pub fn gale_shapley_with(
        &mut self,
        row_ranks: &[u16],
        column_ranks: &[u16],
        mut proposal: impl FnMut(u32, Pair),
        mut round: impl FnMut(u32, &[Port]),
    ) -> Outcome {
        self.begin(row_ranks, column_ranks);
        let mut outcome = Outcome::default();
        self.propose(row_ranks, column_ranks, &mut outcome, &mut proposal, &mut round);
        outcome
    }

    fn begin(&mut self, row_ranks: &[u16], column_ranks: &[u16]) {
        let pairs = self.rows * self.columns;
        assert!(row_ranks.len() == pairs && column_ranks.len() == pairs, "a rank for each row and column");
        self.by_row.fill(NONE);
        self.by_column.fill(NONE);
        self.live_rows.clear();
        self.live_rows.extend(0..self.rows as Port);
        self.live_columns.clear();
        self.live_columns.extend(0..self.columns as Port);
    }

    /// Finds the best of each line that is left, and says whether any pair is. Rows without a pair
    /// leave.
    ///
    /// All of the graph that is left is looked at in each iteration. Keeping each line's order
    /// sorted, and looking only at lines that lost their best, was left out: it needs the sort
    /// first, and instances of switches end after a few iterations.
    fn find_best(&mut self, row_ranks: &[u16], column_ranks: &[u16]) -> bool {
        // Less one, absent ranks become the largest of all.
        const ABSENT: u16 = u16::MAX;
        for &column in &self.live_columns {
            self.column_best[usize::from(column)] = ABSENT;
        }
        let Self { live_rows, live_columns, row_best, column_best, columns, .. } = self;
        live_rows.retain(|&row| {
            let line = usize::from(row) * *columns;
            let mut best = ABSENT;
            for &column in live_columns.iter() {
                let column = usize::from(column);
                let (h, v) = (row_ranks[line + column].wrapping_sub(1), column_ranks[line + column].wrapping_sub(1));
                if h != ABSENT && v != ABSENT {
                    best = best.min(h);
                    column_best[column] = column_best[column].min(v);
                }
            }
            row_best[usize::from(row)] = best.wrapping_add(1);
            best != ABSENT
        });
        for &column in live_columns.iter() {
            let best = &mut column_best[usize::from(column)];
            *best = best.wrapping_add(1);
        }
        !live_rows.is_empty()
    }

    fn propose(
        &mut self,
        row_ranks: &[u16],
        column_ranks: &[u16],
        outcome: &mut Outcome,
        proposal: &mut impl FnMut(u32, Pair),
        round: &mut impl FnMut(u32, &[Port]),
    ) {
        let columns = self.columns;
        self.free.clone_from(&self.live_rows);
        for &row in &self.free {
            self.proposed[usize::from(row)] = (0, 0);
        }
        loop {
            // A round: every free row proposes at once. Their order does not matter, since a column
            // keeps the best of all.
            let before = outcome.proposals;
            self.rejected.clear();
            for &row in &self.free {
                let line = usize::from(row) * columns;
                let last = self.proposed[usize::from(row)];
                let mut next = (u16::MAX, NONE);
                for &column in &self.live_columns {
                    let place = line + usize::from(column);
                    // One more than the column, so that nothing is behind the last proposal (0, 0)
                    // of a row that made none.
                    let candidate = (row_ranks[place], column + 1);
                    if row_ranks[place] != 0 && column_ranks[place] != 0 && candidate > last && candidate < next {
                        next = candidate;
                    }
                }
                if next.1 == NONE {
                    // No column is left to propose to: this row stays single.
                    continue;
                }
                self.proposed[usize::from(row)] = next;
                let column = usize::from(next.1 - 1);
                outcome.proposals += 1;
                proposal(outcome.rounds, Pair { row: usize::from(row), column });
                let liked = |row: Port| (column_ranks[usize::from(row) * columns + column], row);
                let held = self.by_column[column];
                if held == NONE || liked(row) < liked(held) {
                    self.by_column[column] = row;
                    if held != NONE {
                        self.rejected.push(held);
                    }
                } else {
                    self.rejected.push(row);
                }
            }
            if outcome.proposals == before {
                break;
            }
            round(outcome.rounds, &self.by_column);
            outcome.rounds += 1;
            core::mem::swap(&mut self.free, &mut self.rejected);
        }
        for &column in &self.live_columns {
            let row = self.by_column[usize::from(column)];
            if row != NONE {
                self.by_row[usize::from(row)] = column;
            }
        }
    }
}
