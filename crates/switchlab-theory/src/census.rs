//! How often instances are rooted or acyclic, and how long the two algorithms take on them.
//!
//! Means over random instances say nothing about the worst cases that table I of paper 003
//! compares, so both are kept.

use alloc::vec::Vec;
use switchlab_core::rng::Rng;
use switchlab_core::stable::{CycleFinder, Preferences, Workspace, examples};

/// Counts over instances of one size.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Census {
    /// The instances.
    pub instances: u64,
    /// How many are rooted.
    pub rooted: u64,
    /// How many are acyclic.
    pub acyclic: u64,
    /// Iterations of `FIND_ROOTS`, summed over the rooted instances.
    pub iterations: u64,
    /// The most iterations of `FIND_ROOTS` on a rooted instance.
    pub most_iterations: u32,
    /// Rounds of Gale-Shapley, summed over the rooted instances.
    pub rounds: u64,
    /// The most rounds of Gale-Shapley on a rooted instance.
    pub most_rounds: u32,
    /// The most rounds of Gale-Shapley on any instance.
    pub most_rounds_of_all: u32,
}

/// Every complete strict instance of `n` rows and columns, for `n` up to 3: there are n!^(2n), that
/// is 1, 16 and 46,656. None for more.
pub fn of_all(n: usize) -> Option<Census> {
    if !(1..=3).contains(&n) {
        return None;
    }
    let lists = permutations(n);
    let mut counting = Counting::new(n);
    for number in 0..lists.len().pow(2 * n as u32) {
        // Each line's list is a digit of the number.
        let list = |line: usize| &lists[number / lists.len().pow(line as u32) % lists.len()];
        let row_ranks: Vec<u16> = (0..n).flat_map(|row| list(row).iter().copied()).collect();
        let column_ranks: Vec<u16> = (0..n * n).map(|place| list(n + place % n)[place / n]).collect();
        counting.add(&row_ranks, &column_ranks);
    }
    Some(counting.census)
}

/// `instances` random complete strict instances.
pub fn of_random(n: usize, instances: u64, rng: &mut Rng) -> Census {
    let mut counting = Counting::new(examples::random(n, rng).rows());
    for _ in 0..instances {
        let preferences: Preferences = examples::random(n, rng);
        counting.add(preferences.row_ranks(), preferences.column_ranks());
    }
    counting.census
}

struct Counting {
    workspace: Workspace,
    finder: CycleFinder,
    census: Census,
}

impl Counting {
    fn new(n: usize) -> Self {
        Self { workspace: Workspace::new(n, n), finder: CycleFinder::new(n, n), census: Census::default() }
    }

    fn add(&mut self, row_ranks: &[u16], column_ranks: &[u16]) {
        let found = self.workspace.find_roots(row_ranks, column_ranks);
        let proposed = self.workspace.gale_shapley(row_ranks, column_ranks);
        let census = &mut self.census;
        census.instances += 1;
        census.acyclic += u64::from(self.finder.is_acyclic(row_ranks, column_ranks));
        census.most_rounds_of_all = census.most_rounds_of_all.max(proposed.rounds);
        if found.rooted {
            census.rooted += 1;
            census.iterations += u64::from(found.iterations);
            census.most_iterations = census.most_iterations.max(found.iterations);
            census.rounds += u64::from(proposed.rounds);
            census.most_rounds = census.most_rounds.max(proposed.rounds);
        }
    }
}

/// All permutations of `1..=n`.
fn permutations(n: usize) -> Vec<Vec<u16>> {
    let mut lists: Vec<Vec<u16>> = alloc::vec![Vec::new()];
    for next in 1..=n as u16 {
        let longer = lists.iter().flat_map(|list| {
            (0..=list.len()).map(move |place| {
                let mut list = list.clone();
                list.insert(place, next);
                list
            })
        });
        lists = longer.collect();
    }
    lists
}
