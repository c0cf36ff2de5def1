//! Labels: the class and the flow of a cell.
//!
//! An input takes at most one cell in a slot, so the input and the arrival slot identify a cell,
//! and its label is a function of the two, which no queue stores. Generated traffic computes it
//! with a counter-based generator (`SplitMix64`, entered at any slot), a trace looks it up. The
//! labels have a stream of their own, so the arrivals are the same with and without them.
//!
//! `classes=2` are two classes of equal shares, `classes=1:3` gives a quarter of the cells class 0
//! and the others class 1; `flows` likewise. Class and flow are drawn for each cell, independently
//! of each other, of the input, of the output and of the cell before: a burst is not all of one
//! class. A trace has columns `class` and `flow` instead, and can label as it likes.
//!
//! Every switch has its delays measured by class, whether it knows of classes or not. What a switch
//! makes of them is its own: `explain` of the switch says it.

use crate::cell::{Port, Slot};
use crate::rng::{GOLDEN, Purpose, Seed, mix};
use crate::spec::{Args, Kind, Parameter, Preset};
use alloc::sync::Arc;
use alloc::vec::Vec;

/// The most classes.
pub const MAX_CLASSES: usize = 8;
/// The most flows.
pub const MAX_FLOWS: usize = 4096;

/// The class and the flow of a cell; both are 0 where traffic has none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Label {
    /// The class, from 0. What a class stands for is up to the switch: by custom 0 is the highest.
    pub class: u8,
    /// The flow, from 0.
    pub flow: u16,
}

/// The parameters of traffic that is generated, for its labels.
pub(crate) const PARAMETERS: [Parameter; 2] = [
    Parameter {
        name: "classes",
        kind: Kind::Shares(MAX_CLASSES as u64),
        default: Preset::Absent,
        about: "classes of cells: how many, or the share of each; delays are measured by class",
    },
    Parameter {
        name: "flows",
        kind: Kind::Shares(MAX_FLOWS as u64),
        default: Preset::Absent,
        about: "flows that cells belong to: how many, or the share of each",
    },
];

/// How many cells get each of some values.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Shares {
    /// As many as of any other of this number of values.
    Equal(u32),
    /// In proportion to weights: their partial sums, the first without 0.
    Weighted(Arc<[u32]>),
}

impl Shares {
    /// Of weights, each at least 1; a single value for none.
    fn new(weights: &[u32]) -> Self {
        if weights.windows(2).all(|pair| pair[0] == pair[1]) {
            return Self::Equal(weights.len().max(1) as u32);
        }
        let sums = weights.iter().scan(0, |sum, weight| {
            *sum += weight;
            Some(*sum)
        });
        Self::Weighted(sums.collect::<Vec<u32>>().into())
    }

    fn values(&self) -> usize {
        match self {
            Self::Equal(values) => *values as usize,
            Self::Weighted(sums) => sums.len(),
        }
    }

    /// The value that 64 random bits stand for.
    #[inline]
    fn pick(&self, bits: u64) -> usize {
        let below = |bound: u32| ((u128::from(bits) * u128::from(bound)) >> 64) as u32;
        match self {
            Self::Equal(values) => below(*values) as usize,
            Self::Weighted(sums) => {
                let position = below(sums.last().copied().unwrap_or(1));
                sums.partition_point(|&sum| sum <= position)
            }
        }
    }
}

/// A labelled cell of a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Labelled {
    /// When the cell arrives.
    pub slot: Slot,
    /// Where it arrives.
    pub input: Port,
    /// Its label.
    pub label: Label,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Source {
    /// All labels are 0.
    Unlabelled,
    /// Drawn from a stream of their own.
    Drawn { classes: Shares, flows: Shares, key: u64 },
    /// Those of a trace, ascending by slot and input.
    Listed { cells: Arc<[Labelled]>, classes: usize, flows: usize },
}

/// The labels of all cells of a replication. Cheap to clone.
///
/// ```
/// use switchlab_core::{Seed, registry};
///
/// let seed = Seed { seed: 1, replication: 0 };
/// let labels = registry::traffic("uniform(classes=1:3)")?.labels(None).replication(seed);
/// let first = (0..4000).filter(|&slot| labels.of(7, slot).class == 0).count();
/// assert!((900..1100).contains(&first), "a quarter of the cells: {first}");
/// # Ok::<(), switchlab_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Labels {
    source: Source,
    has_classes: bool,
    has_flows: bool,
}

impl Default for Labels {
    fn default() -> Self {
        Self::NONE
    }
}

impl Labels {
    /// No labels: every class and every flow is 0.
    pub const NONE: Self = Self { source: Source::Unlabelled, has_classes: false, has_flows: false };

    /// What the arguments of generated traffic ask for, before a seed is known.
    pub(crate) fn of_args(args: &Args) -> Self {
        let weights = |key| if args.declares(key) { args.shares(key) } else { None };
        let (classes, flows) = (weights("classes"), weights("flows"));
        if classes.is_none() && flows.is_none() {
            return Self::NONE;
        }
        let shares = |weights: &Option<Vec<u32>>| Shares::new(weights.as_deref().unwrap_or(&[]));
        Self {
            source: Source::Drawn { classes: shares(&classes), flows: shares(&flows), key: 0 },
            has_classes: classes.is_some(),
            has_flows: flows.is_some(),
        }
    }

    /// Those of a list of cells, in any order. Classes are below [`MAX_CLASSES`].
    pub(crate) fn listed(mut cells: Vec<Labelled>, has_classes: bool, has_flows: bool) -> Self {
        if !has_classes && !has_flows {
            return Self::NONE;
        }
        cells.sort_unstable_by_key(|cell| (cell.slot, cell.input));
        let classes = cells.iter().map(|cell| usize::from(cell.label.class) + 1).max().unwrap_or(1);
        let flows = cells.iter().map(|cell| usize::from(cell.label.flow) + 1).max().unwrap_or(1);
        Self { source: Source::Listed { cells: cells.into(), classes, flows }, has_classes, has_flows }
    }

    /// The labels of one replication. Those of a trace are the same in all.
    #[must_use]
    pub fn replication(&self, seed: Seed) -> Self {
        let mut labels = self.clone();
        if let Source::Drawn { key, .. } = &mut labels.source {
            *key = seed.stream(Purpose::Labels, 0).next();
        }
        labels
    }

    /// The label of the cell that arrived at an input in a slot. What it says of a cell that there
    /// is not has no meaning.
    #[inline]
    pub fn of(&self, input: Port, slot: Slot) -> Label {
        match &self.source {
            Source::Unlabelled => Label::default(),
            Source::Drawn { classes, flows, key } => {
                // One word of SplitMix64 for each cell, by its number, and a second one of it.
                let cell = u64::from(input) << 32 | u64::from(slot);
                let bits = mix(key.wrapping_add(cell.wrapping_add(1).wrapping_mul(GOLDEN)));
                let class = classes.pick(bits) as u8;
                Label { class, flow: flows.pick(mix(bits.wrapping_add(GOLDEN))) as u16 }
            }
            Source::Listed { cells, .. } => {
                let found = cells.binary_search_by_key(&(slot, input), |cell| (cell.slot, cell.input));
                found.map_or_else(|_| Label::default(), |index| cells[index].label)
            }
        }
    }

    /// Whether cells have classes.
    pub fn has_classes(&self) -> bool {
        self.has_classes
    }

    /// Whether cells have flows.
    pub fn has_flows(&self) -> bool {
        self.has_flows
    }

    /// The number of classes: every class is below it.
    pub fn classes(&self) -> usize {
        match &self.source {
            Source::Unlabelled => 1,
            Source::Drawn { classes, .. } => classes.values(),
            Source::Listed { classes, .. } => *classes,
        }
    }

    /// The number of flows: every flow is below it.
    pub fn flows(&self) -> usize {
        match &self.source {
            Source::Unlabelled => 1,
            Source::Drawn { flows, .. } => flows.values(),
            Source::Listed { flows, .. } => *flows,
        }
    }

    /// The bytes of a list, which all runs share.
    pub fn shared_bytes(&self) -> u64 {
        match &self.source {
            Source::Listed { cells, .. } => size_of_val(&cells[..]) as u64,
            Source::Unlabelled | Source::Drawn { .. } => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry;
    use alloc::vec;

    const SEED: Seed = Seed { seed: 1, replication: 0 };

    fn labels(traffic: &str) -> Labels {
        registry::traffic(traffic).unwrap().labels(None).replication(SEED)
    }

    /// Literal first labels: they change by decision only.
    #[test]
    fn first_labels_are_pinned() {
        let labels = labels("uniform(classes=1:3,flows=5)");
        let row = |input| -> Vec<(u8, u16)> {
            (0..8).map(|slot| labels.of(input, slot)).map(|label| (label.class, label.flow)).collect()
        };
        assert_eq!(row(0), PINNED[0]);
        assert_eq!(row(3), PINNED[1]);
    }

    /// Computed from the definition in another language.
    const PINNED: [[(u8, u16); 8]; 2] = [
        [(1, 2), (1, 1), (1, 0), (1, 1), (1, 3), (0, 3), (1, 3), (1, 1)],
        [(0, 2), (1, 3), (1, 3), (1, 1), (1, 4), (1, 3), (1, 2), (1, 1)],
    ];

    #[test]
    fn traffic_without_labels_has_none() {
        assert_eq!(labels("uniform"), Labels::NONE);
        assert_eq!((Labels::NONE.classes(), Labels::NONE.flows()), (1, 1));
        assert_eq!(Labels::NONE.of(3, 9), Label::default());
        let both = labels("diagonal(classes=2)");
        assert!(both.has_classes() && !both.has_flows());
        assert_eq!((both.classes(), both.flows()), (2, 1));
    }

    /// Shares of 40,000 cells: each count is binomial, and six deviations are a false alarm in
    /// 10^8.
    #[test]
    fn shares_are_as_asked_and_independent() {
        let labels = labels("uniform(classes=2:1:1,flows=3)");
        let mut counts = vec![[0_u32; 3]; 3];
        for input in 0..4 {
            for slot in 0..10_000 {
                let label = labels.of(input, slot);
                counts[usize::from(label.class)][usize::from(label.flow)] += 1;
            }
        }
        for (class, expected) in [(0, 6667_u32), (1, 3333), (2, 3333)] {
            for count in counts[class] {
                assert!(count.abs_diff(expected) < 450, "{counts:?}");
            }
        }
    }

    #[test]
    fn equal_weights_are_a_number() {
        assert_eq!(labels("uniform(classes=3:3)"), labels("uniform(classes=2)"));
        let (plain, weighted) = (Shares::Equal(2), Shares::Weighted([3, 6].into()));
        for bits in [0, 1, u64::MAX / 2, u64::MAX / 2 + 1, u64::MAX] {
            assert_eq!(plain.pick(bits), weighted.pick(bits));
        }
    }

    #[test]
    fn replications_and_seeds_have_other_labels() {
        let shares = registry::traffic("uniform(flows=4096)").unwrap().labels(None);
        let row = |seed, replication| {
            let labels = shares.replication(Seed { seed, replication });
            (0..4).map(|slot| labels.of(0, slot).flow).collect::<Vec<_>>()
        };
        assert_ne!(row(1, 0), row(1, 1));
        assert_ne!(row(1, 0), row(2, 0));
        assert_eq!(row(1, 0), row(1, 0));
    }

    #[test]
    fn a_list_is_looked_up() {
        let cell = |slot, input, class, flow| Labelled { slot, input, label: Label { class, flow } };
        let labels = Labels::listed(vec![cell(4, 1, 2, 9), cell(0, 2, 1, 0), cell(4, 0, 0, 3)], true, true);
        assert_eq!(labels.of(1, 4), Label { class: 2, flow: 9 });
        assert_eq!(labels.of(0, 4), Label { class: 0, flow: 3 });
        assert_eq!(labels.of(2, 0), Label { class: 1, flow: 0 });
        assert_eq!(labels.of(2, 1), Label::default());
        assert_eq!((labels.classes(), labels.flows()), (3, 10));
    }
}
