//! Shared memories, too simple to be wrong: the table as the paper draws it, a compatibility
//! matrix, and matchers on it.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use switchlab_core::{Cell, Dropped, NONE, Port, Slot};

/// Output queues of K cells, with the rule for drops as the readings word it.
pub(crate) struct BoundedQueues {
    pub(crate) queues: Vec<VecDeque<Cell>>,
    pub(crate) capacity: usize,
}

impl BoundedQueues {
    /// The departures and the drops of a slot.
    pub(crate) fn slot(&mut self, now: Slot, arrivals: &[Port]) -> (Vec<Cell>, Vec<Dropped>) {
        let at_start: Vec<usize> = self.queues.iter().map(VecDeque::len).collect();
        let mut rank = vec![0; self.queues.len()];
        let mut dropped = Vec::new();
        for (input, &output) in (0..).zip(arrivals).filter(|(_, output)| **output != NONE) {
            let k = usize::from(output);
            rank[k] += 1;
            if at_start[k] + rank[k] > self.capacity {
                dropped.push(Dropped { slot: now, born: now, input, output });
            } else {
                self.queues[k].push_back(Cell { born: now, input });
            }
        }
        (self.queues.iter_mut().map(|queue| queue.pop_front().unwrap_or(Cell::IDLE)).collect(), dropped)
    }
}

/// C[i][j], with empty rows for inputs without a cell to place.
pub(crate) type Compatible = Vec<Vec<bool>>;

/// A matcher of a slot: for each input its memory, or none; an error is an input that has a cell
/// but no memory.
pub(crate) type NaiveMatcher = fn(&Compatible, Slot) -> Result<Vec<Option<usize>>, usize>;

/// N inputs, M memories, T[memory][departure slot mod K].
pub(crate) struct NaiveMemories {
    table: Vec<Vec<Option<(Cell, usize)>>>,
    lengths: Vec<usize>,
    capacity: usize,
    matcher: NaiveMatcher,
    /// Whether a memory is read or written in a slot, and not both. A cell that is due at once then
    /// goes past the memories.
    single: bool,
}

impl NaiveMemories {
    pub(crate) fn new(ports: usize, memories: usize, capacity: usize, matcher: NaiveMatcher) -> Self {
        let table = vec![vec![None; capacity]; memories];
        Self { table, lengths: vec![0; ports], capacity, matcher, single: false }
    }

    pub(crate) fn single_access(self) -> Self {
        Self { single: true, ..self }
    }

    /// For each input its memory, and the departures of the slot; an error is the input whose cell
    /// has no memory.
    pub(crate) fn slot(&mut self, now: Slot, arrivals: &[Port]) -> Result<(Vec<Option<usize>>, Vec<Cell>), usize> {
        let (ports, now) = (self.lengths.len(), now as usize);
        let mut counted = vec![0; ports];
        let mut due = vec![None; ports];
        let mut departures = vec![Cell::IDLE; ports];
        for (input, &output) in arrivals.iter().enumerate().filter(|(_, output)| **output != NONE) {
            let k = usize::from(output);
            counted[k] += 1;
            if self.lengths[k] + counted[k] <= self.capacity {
                due[input] = Some(now + self.lengths[k] + counted[k] - 1);
            }
            if self.single && due[input] == Some(now) {
                departures[k] = Cell { born: now as Slot, input: input as Port };
                due[input] = None;
            }
        }
        let fits = |due: Option<usize>, memory: &Vec<Option<(Cell, usize)>>| {
            let read_now = self.single && memory[now % self.capacity].is_some();
            due.is_some_and(|due| memory[due % self.capacity].is_none()) && !read_now
        };
        let compatible: Compatible =
            due.iter().map(|&due| self.table.iter().map(|memory| fits(due, memory)).collect()).collect();
        let memories = (self.matcher)(&compatible, now as Slot)?;
        if let Some(input) = (0..ports).find(|&input| due[input].is_some() && memories[input].is_none()) {
            return Err(input);
        }
        for input in 0..ports {
            let (Some(memory), Some(due)) = (memories[input], due[input]) else { continue };
            let place = &mut self.table[memory][due % self.capacity];
            assert!(place.is_none(), "slot {now}: memory {memory} already holds a cell for slot {due}");
            *place = Some((Cell { born: now as Slot, input: input as Port }, usize::from(arrivals[input])));
        }
        let written: BTreeSet<usize> = memories.iter().flatten().copied().collect();
        assert_eq!(written.len(), memories.iter().flatten().count(), "slot {now}: a memory is written twice");
        for (number, memory) in self.table.iter_mut().enumerate() {
            if let Some((cell, output)) = memory[now % self.capacity].take() {
                assert!(!self.single || !written.contains(&number), "slot {now}: memory {number} is read and written");
                assert!(departures[output].is_idle(), "slot {now}: two cells for output {output}");
                departures[output] = cell;
            }
        }
        for (length, counted) in self.lengths.iter_mut().zip(counted) {
            *length = (*length + counted).min(self.capacity).saturating_sub(1);
        }
        Ok((memories, departures))
    }
}

/// In the order given, the lowest memory that fits and is left.
fn one_by_one(compatible: &Compatible, order: &[usize]) -> Result<Vec<Option<usize>>, usize> {
    let mut taken = BTreeSet::new();
    let mut memories = vec![None; compatible.len()];
    for &input in order.iter().filter(|&&input| compatible[input].contains(&true)) {
        let memory = (0..compatible[input].len()).find(|memory| compatible[input][*memory] && !taken.contains(memory));
        taken.insert(memory.ok_or(input)?);
        memories[input] = memory;
    }
    Ok(memories)
}

pub(crate) fn first_fit(compatible: &Compatible, _: Slot) -> Result<Vec<Option<usize>>, usize> {
    one_by_one(compatible, &(0..compatible.len()).collect::<Vec<_>>())
}

pub(crate) fn greedy(compatible: &Compatible, _: Slot) -> Result<Vec<Option<usize>>, usize> {
    let mut order: Vec<usize> = (0..compatible.len()).collect();
    order.sort_by_key(|&input| compatible[input].iter().filter(|fits| **fits).count());
    one_by_one(compatible, &order)
}

/// Appendix A: prune to Gamma, then log2 Gamma times pair, colour and throw away.
pub(crate) fn halving(compatible: &Compatible, _: Slot) -> Result<Vec<Option<usize>>, usize> {
    let gamma = compatible.len().next_power_of_two();
    let mut edges = first_edges(compatible, gamma);
    for _ in 0..gamma.trailing_zeros() {
        edges = split(&edges).0;
    }
    matching(compatible.len(), &edges)
}

/// The edges from each input to the first few memories that are compatible with its cell.
pub(crate) fn first_edges(compatible: &Compatible, degree: usize) -> Edges {
    let mut edges = BTreeSet::new();
    for (input, row) in compatible.iter().enumerate() {
        edges.extend((0..row.len()).filter(|&memory| row[memory]).take(degree).map(|memory| (input, memory)));
    }
    edges
}

/// Edges that should be a matching, as the memory of each input.
#[expect(clippy::unnecessary_wraps, reason = "as the other matchers; the switch finds out which cell has no memory")]
pub(crate) fn matching(inputs: usize, edges: &Edges) -> Result<Vec<Option<usize>>, usize> {
    let mut memories = vec![None; inputs];
    for &(input, memory) in edges {
        assert_eq!(memories[input].replace(memory), None, "input {input} has two memories");
    }
    Ok(memories)
}

/// Edges between inputs and memories.
pub(crate) type Edges = BTreeSet<(usize, usize)>;

/// The 2-colouring procedure of appendix A: the edges of colour 0, and those of colour 1.
pub(crate) fn split(edges: &Edges) -> (Edges, Edges) {
    let left = pairs(edges, |edge| edge.0);
    let right = pairs(edges, |edge| edge.1);
    let mut colours: BTreeMap<(usize, usize), bool> = BTreeMap::new();
    // The smallest edge of each path or cycle comes first and gets colour 0; neighbours get the
    // other colour.
    for &edge in edges {
        let mut open = vec![(edge, false)];
        while let Some((edge, colour)) = open.pop() {
            if colours.contains_key(&edge) {
                continue;
            }
            colours.insert(edge, colour);
            open.extend([left.get(&edge), right.get(&edge)].into_iter().flatten().map(|&next| (next, !colour)));
        }
    }
    for (side, pairs) in [("cell", &left), ("memory", &right)] {
        for (edge, partner) in pairs {
            assert_ne!(colours[edge], colours[partner], "a pair at a {side} has one colour");
        }
    }
    edges.iter().partition(|edge| !colours[*edge])
}

/// Groups the edges of each vertex by two, in ascending order: each edge's partner, if it has one.
fn pairs(
    edges: &BTreeSet<(usize, usize)>,
    vertex: impl Fn(&(usize, usize)) -> usize,
) -> BTreeMap<(usize, usize), (usize, usize)> {
    let mut at: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
    for edge in edges {
        at.entry(vertex(edge)).or_default().push(*edge);
    }
    let groups = at.values().flat_map(|edges| edges.chunks_exact(2));
    groups.flat_map(|pair| [(pair[0], pair[1]), (pair[1], pair[0])]).collect()
}
