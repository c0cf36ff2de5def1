//! Processing elements, one for each pair, in steps: the model of section II-C, and table I.
//!
//! The elements of a row, and those of a column, are fully connected: in one step each can take one
//! value from another of its row or column. An iteration of `FIND_ROOTS` then takes
//!
//! - 1 step to check: an element with values (1, 1) is a root;
//! - 1 step to mark: roots tell their row and column, whose elements are deleted;
//! - ceil(log2 n) steps to count, in rows and columns at once: how many of the elements liked
//!   better were deleted. The paper says that O(log n) steps do it and not how; here it is a
//!   parallel prefix sum along the line in the order of rank, each element adding what the element
//!   1, 2, 4, ... places before it has;
//! - 1 step to subtract.
//!
//! Gale-Shapley has an element for each column. A round takes 1 step to propose, ceil(log2 n) to
//! find the best of at most n proposals, and 1 to answer. Neither the paper's O nor these counts
//! include loading the ranks.

use alloc::vec;
use alloc::vec::Vec;
use switchlab_core::stable::{Matching, Pair, Preferences};

/// ceil(log2 n), and 0 for n up to 1.
pub fn log2_up(n: u64) -> u64 {
    u64::from(n.max(1).next_power_of_two().trailing_zeros())
}

/// The steps of an iteration of `FIND_ROOTS` on lines of at most n elements.
pub fn iteration_steps(n: u64) -> u64 {
    3 + log2_up(n)
}

/// The steps of a round of Gale-Shapley among n rows.
pub fn round_steps(n: u64) -> u64 {
    2 + log2_up(n)
}

/// The most rounds of Gale-Shapley on a rooted instance of n rows and columns.
pub fn most_rounds(n: u64) -> u64 {
    1 + n * n.saturating_sub(1) / 2
}

/// A complexity: as printed, and what stands in the O for a size.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    /// As table I has it.
    pub text: &'static str,
    /// The value of what is in the O, logarithms rounded up.
    pub at: fn(u64) -> u64,
}

/// A line of table I.
#[derive(Clone, Copy, Debug)]
pub struct TableLine {
    /// GS or `FIND_ROOTS`.
    pub algorithm: &'static str,
    /// The time in the worst case of rooted instances.
    pub time: Order,
    /// The processing elements.
    pub elements: Order,
    /// The memory, in bits.
    pub space: Order,
    /// The steps of the worst case in the model of this module.
    pub steps: fn(u64) -> u64,
}

const SPACE: Order = Order { text: "O(n^2 log n)", at: |n| n * n * log2_up(n) };

/// Table I: finding the stable matching of a rooted instance.
pub const TABLE_I: [TableLine; 2] = [
    TableLine {
        algorithm: "GS",
        time: Order { text: "O(n^2 log n)", at: |n| n * n * log2_up(n) },
        elements: Order { text: "n", at: |n| n },
        space: SPACE,
        steps: |n| most_rounds(n) * round_steps(n),
    },
    TableLine {
        algorithm: "FIND_ROOTS",
        time: Order { text: "O(n log n)", at: |n| n * log2_up(n) },
        elements: Order { text: "n^2", at: |n| n * n },
        space: SPACE,
        steps: |n| n * iteration_steps(n),
    },
];

/// What the array of elements did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArrayRun {
    /// The roots found.
    pub matching: Matching,
    /// Whether all elements are deleted in the end.
    pub rooted: bool,
    /// The iterations that found roots.
    pub iterations: u64,
    /// All steps, the last check included, which finds nothing.
    pub steps: u64,
}

/// An element: its values, and its places in the order of its row and of its column.
#[derive(Clone, Copy, Debug)]
struct Element {
    h: u16,
    v: u16,
    live: bool,
    /// How many of its row and of its column were liked better at the beginning.
    better: [u16; 2],
    /// Its own places in these orders; tied ones in the order of their numbers.
    places: [u16; 2],
}

/// Runs `FIND_ROOTS` on the array, element by element and step by step.
///
/// With ties several roots may share a line; which of them goes on is arbitrated as in
/// [`find_roots()`](switchlab_core::stable::find_roots()) and costs no step here.
pub fn run_array(preferences: &Preferences) -> ArrayRun {
    let (rows, columns) = (preferences.rows(), preferences.columns());
    let mut elements = load(preferences);
    let mut matching = Matching::new(rows, columns);
    let (mut iterations, mut steps) = (0, 0);
    loop {
        // Check.
        steps += 1;
        let mut any = false;
        for place in (0..elements.len()).filter(|&place| elements[place].live) {
            let pair = Pair { row: place / columns, column: place % columns };
            let free = matching.column(pair.row).is_none() && matching.row(pair.column).is_none();
            if (elements[place].h, elements[place].v) == (1, 1) && free {
                matching.add(pair);
                any = true;
            }
        }
        if !any {
            let rooted = elements.iter().all(|element| !element.live);
            return ArrayRun { matching, rooted, iterations, steps };
        }
        iterations += 1;
        // Mark.
        steps += 1;
        let mut deleted = vec![false; elements.len()];
        for (place, element) in elements.iter_mut().enumerate().filter(|(_, element)| element.live) {
            let gone = matching.column(place / columns).is_some() || matching.row(place % columns).is_some();
            (element.live, deleted[place]) = (!gone, gone);
        }
        // Count, in rows and columns at once, and subtract.
        let mut counting = 0;
        for row in 0..rows {
            let line: Vec<usize> = (0..columns).map(|column| row * columns + column).collect();
            let (sums, took) = prefix_sums(&line, |place| (elements[place].places[0], deleted[place]));
            counting = counting.max(took);
            for place in line {
                let element = &mut elements[place];
                element.h -= if element.live { sums[usize::from(element.better[0])] } else { 0 };
            }
        }
        for column in 0..columns {
            let line: Vec<usize> = (0..rows).map(|row| row * columns + column).collect();
            let (sums, took) = prefix_sums(&line, |place| (elements[place].places[1], deleted[place]));
            counting = counting.max(took);
            for place in line {
                let element = &mut elements[place];
                element.v -= if element.live { sums[usize::from(element.better[1])] } else { 0 };
            }
        }
        steps += counting + 1;
    }
}

fn load(preferences: &Preferences) -> Vec<Element> {
    let (rows, columns) = (preferences.rows(), preferences.columns());
    let ranks = preferences.row_ranks().iter().zip(preferences.column_ranks());
    let element = |(&h, &v): (&u16, &u16)| {
        let better = [h.saturating_sub(1), v.saturating_sub(1)];
        Element { h, v, live: h > 0, better, places: better }
    };
    let mut elements: Vec<Element> = ranks.map(element).collect();
    for row in 0..rows {
        for column in 1..columns {
            let h = elements[row * columns + column].h;
            let tied = (0..column).filter(|&other| elements[row * columns + other].h == h).count();
            elements[row * columns + column].places[0] += tied as u16;
        }
    }
    for column in 0..columns {
        for row in 1..rows {
            let v = elements[row * columns + column].v;
            let tied = (0..row).filter(|&other| elements[other * columns + column].v == v).count();
            elements[row * columns + column].places[1] += tied as u16;
        }
    }
    elements
}

/// For each place of a line's order, and beyond the last, how many before it were deleted; and the
/// steps it took.
fn prefix_sums(line: &[usize], of: impl Fn(usize) -> (u16, bool)) -> (Vec<u16>, u64) {
    let mut sums = vec![0u16; line.len()];
    for &element in line {
        // Absent elements are never deleted, so it does not matter that they share places with
        // others.
        let (place, deleted) = of(element);
        if deleted {
            sums[usize::from(place)] = 1;
        }
    }
    let (mut distance, mut steps) = (1, 0);
    while distance < line.len() {
        let before = sums.clone();
        for place in distance..line.len() {
            sums[place] += before[place - distance];
        }
        (distance, steps) = (2 * distance, steps + 1);
    }
    sums.insert(0, 0);
    (sums, steps)
}
