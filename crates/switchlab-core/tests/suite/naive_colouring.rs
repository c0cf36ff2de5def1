//! Matching by edge colouring, too simple to be wrong: all colours of all edges, in maps.

use crate::naive_memory::{Compatible, Edges, first_edges, matching, split};
use std::collections::{BTreeMap, BTreeSet};
use switchlab_core::Slot;

/// Section III-B: prune every cell to degree N, colour with N colours, and take one of them. In
/// slot t it is colour t mod N.
///
/// Edges are coloured one by one, by input and then memory, with the lowest colour that is free at
/// both ends. If there is none, the lowest that is free at the input and the lowest that is free at
/// the memory change places along the path of the two that begins at the memory.
pub(crate) fn koenig(compatible: &Compatible, slot: Slot) -> Result<Vec<Option<usize>>, usize> {
    let degree = compatible.len();
    let edges = first_edges(compatible, degree);
    let most = largest_degree(&edges);
    let mut colours: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for &(input, memory) in &edges {
        let free_at = |colours: &BTreeMap<(usize, usize), usize>, at: &dyn Fn(&(usize, usize)) -> bool| {
            let used: BTreeSet<usize> =
                colours.iter().filter(|(edge, _)| at(edge)).map(|(_, colour)| *colour).collect();
            (0..most).filter(|colour| !used.contains(colour)).collect::<Vec<_>>()
        };
        let free_left = free_at(&colours, &|edge| edge.0 == input);
        let free_right = free_at(&colours, &|edge| edge.1 == memory);
        let common = free_left.iter().find(|colour| free_right.contains(colour)).copied();
        let colour = common.unwrap_or_else(|| {
            exchange(&mut colours, memory, free_left[0], free_right[0]);
            free_left[0]
        });
        colours.insert((input, memory), colour);
    }
    let classes: Vec<Edges> =
        (0..degree).map(|class| edges.iter().filter(|edge| colours[*edge] == class).copied().collect()).collect();
    check(&edges, &classes);
    matching(degree, &classes[slot as usize % degree])
}

/// Exchanges two colours along the path of edges of these colours that begins at a memory with the
/// first one.
fn exchange(colours: &mut BTreeMap<(usize, usize), usize>, memory: usize, a: usize, b: usize) {
    let mut path: Vec<(usize, usize)> = Vec::new();
    let (mut at_memory, mut vertex, mut colour) = (true, memory, a);
    loop {
        let here = |edge: &(usize, usize)| if at_memory { edge.1 == vertex } else { edge.0 == vertex };
        let next = colours.iter().find(|(edge, own)| here(edge) && **own == colour && !path.contains(edge));
        let Some((&edge, _)) = next else { break };
        path.push(edge);
        vertex = if at_memory { edge.0 } else { edge.1 };
        (at_memory, colour) = (!at_memory, a + b - colour);
    }
    for edge in path {
        let own = colours[&edge];
        colours.insert(edge, a + b - own);
    }
}

/// The colouring of Lev, Pippenger and Valiant: prune to Gamma, split in two, and split the parts,
/// log2 Gamma times. Colours are the parts, those of the first half before those of the second. In
/// slot t it is colour t mod Gamma.
pub(crate) fn lev_pippenger_valiant(compatible: &Compatible, slot: Slot) -> Result<Vec<Option<usize>>, usize> {
    let gamma = compatible.len().next_power_of_two();
    let edges = first_edges(compatible, gamma);
    let classes = parts(&edges, gamma.trailing_zeros());
    check(&edges, &classes);
    matching(compatible.len(), &classes[slot as usize % gamma])
}

/// All parts after a number of splits.
pub(crate) fn parts(edges: &Edges, splits: u32) -> Vec<Edges> {
    if splits == 0 {
        return vec![edges.clone()];
    }
    let (zero, one) = split(edges);
    [parts(&zero, splits - 1), parts(&one, splits - 1)].concat()
}

fn largest_degree(edges: &Edges) -> usize {
    let mut degrees: BTreeMap<(bool, usize), usize> = BTreeMap::new();
    for &(input, memory) in edges {
        *degrees.entry((false, input)).or_default() += 1;
        *degrees.entry((true, memory)).or_default() += 1;
    }
    degrees.values().max().copied().unwrap_or(0)
}

/// Every edge has one colour, and the edges of a colour are a matching; if all inputs that have
/// edges have one for each colour, every colour matches them all.
fn check(edges: &Edges, classes: &[Edges]) {
    assert_eq!(classes.iter().map(BTreeSet::len).sum::<usize>(), edges.len());
    let inputs: BTreeSet<usize> = edges.iter().map(|edge| edge.0).collect();
    let full = inputs.iter().all(|input| edges.iter().filter(|edge| edge.0 == *input).count() == classes.len());
    for class in classes {
        let left: BTreeSet<usize> = class.iter().map(|edge| edge.0).collect();
        let right: BTreeSet<usize> = class.iter().map(|edge| edge.1).collect();
        assert_eq!((left.len(), right.len()), (class.len(), class.len()), "a colour is no matching");
        assert!(!full || left == inputs, "a colour does not match all cells");
    }
}
