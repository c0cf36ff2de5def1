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
//! Gale-Shapley has an element for each row and its column. A round takes 1 step to propose,
//! ceil(log2 n) to find the best of at most n proposals, and 1 to answer. Neither the paper's O nor
//! these counts include loading the ranks.
//!
//! Elements and bits are counted in the runs ([`Resources`]): a bank of registers is as wide as the
//! largest number that it ever held.

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

/// Processing elements and memory, counted in a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Resources {
    /// The elements that held a number or took part in a step.
    pub elements: u64,
    /// The bits of all registers. Those of a kind are equally wide, for the largest number that one
    /// of them held.
    pub bits: u64,
}

/// Registers of one kind, and the largest number that one of them held.
#[derive(Clone, Copy, Debug)]
struct Bank {
    registers: usize,
    largest: u64,
}

impl Bank {
    fn new(registers: usize) -> Self {
        Self { registers, largest: 1 }
    }

    fn hold(&mut self, number: impl Into<u64>) {
        self.largest = self.largest.max(number.into());
    }

    /// Registers that hold all of these.
    fn of(numbers: impl Iterator<Item = u16>) -> Self {
        let mut bank = Self::new(0);
        for number in numbers {
            bank.registers += 1;
            bank.hold(number);
        }
        bank
    }

    fn bits(&self) -> u64 {
        self.registers as u64 * u64::from(self.largest.ilog2() + 1)
    }
}

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
    /// The elements and their registers: two values, a live bit, four places of orders that never
    /// change, and two sums.
    pub resources: Resources,
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
    let orders = elements.iter().flat_map(|element| element.better.into_iter().chain(element.places));
    let loaded = [
        Bank::of(elements.iter().flat_map(|element| [element.h, element.v])),
        Bank::new(elements.len()),
        Bank::of(orders),
    ];
    let mut counted = Bank::new(2 * elements.len());
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
            let bits = loaded.iter().map(Bank::bits).sum::<u64>() + counted.bits();
            let resources = Resources { elements: elements.len() as u64, bits };
            return ArrayRun { matching, rooted, iterations, steps, resources };
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
            for &sum in &sums {
                counted.hold(sum);
            }
            for place in line {
                let element = &mut elements[place];
                element.h -= if element.live { sums[usize::from(element.better[0])] } else { 0 };
            }
        }
        for column in 0..columns {
            let line: Vec<usize> = (0..rows).map(|row| row * columns + column).collect();
            let (sums, took) = prefix_sums(&line, |place| (elements[place].places[1], deleted[place]));
            counting = counting.max(took);
            for &sum in &sums {
                counted.hold(sum);
            }
            for place in line {
                let element = &mut elements[place];
                element.v -= if element.live { sums[usize::from(element.better[1])] } else { 0 };
            }
        }
        steps += counting + 1;
    }
}

/// What the elements of Gale-Shapley did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineRun {
    /// The stable matching.
    pub matching: Matching,
    /// The rounds in which a row proposed.
    pub rounds: u64,
    /// Their steps.
    pub steps: u64,
    /// The elements and their registers: the order of a row, its next proposal, the ranks of a
    /// column, the row it holds and whether it holds one.
    pub resources: Resources,
}

/// Runs Gale-Shapley on a line of elements, one for each row and the column of the same number,
/// step by step. Equal ranks: the lowest number is liked best.
pub fn run_line(preferences: &Preferences) -> LineRun {
    let (rows, columns) = (preferences.rows(), preferences.columns());
    let (row_ranks, column_ranks) = (preferences.row_ranks(), preferences.column_ranks());
    // The columns of a row from the best to the worst.
    let orders: Vec<Vec<u16>> = row_ranks
        .chunks_exact(columns)
        .map(|ranks| {
            let mut order: Vec<u16> = (0..columns as u16).filter(|&column| ranks[usize::from(column)] > 0).collect();
            order.sort_by_key(|&column| ranks[usize::from(column)]);
            order
        })
        .collect();
    let mut banks = [
        Bank::of(orders.iter().flatten().copied()),
        Bank::new(rows),
        Bank::of(column_ranks.iter().copied()),
        Bank::new(columns),
        Bank::new(columns),
    ];
    let mut next = vec![0usize; rows];
    let mut held: Vec<Option<u16>> = vec![None; columns];
    let mut is_held = vec![false; rows];
    let (mut rounds, mut steps) = (0, 0);
    loop {
        // Propose: each row that no column holds, to the best that it has not proposed to.
        let mut proposals: Vec<Vec<u16>> = vec![Vec::new(); columns];
        for row in 0..rows as u16 {
            let place = next[usize::from(row)];
            if let Some(&column) = orders[usize::from(row)].get(place).filter(|_| !is_held[usize::from(row)]) {
                proposals[usize::from(column)].push(row);
                next[usize::from(row)] = place + 1;
                banks[1].hold(place as u64 + 1);
            }
        }
        if proposals.iter().all(Vec::is_empty) {
            let mut matching = Matching::new(rows, columns);
            for (column, row) in held.iter().enumerate() {
                if let Some(row) = row {
                    matching.add(Pair { row: usize::from(*row), column });
                }
            }
            let resources = Resources { elements: rows.max(columns) as u64, bits: banks.iter().map(Bank::bits).sum() };
            return LineRun { matching, rounds, steps, resources };
        }
        // Choose: the best of all rows that may have proposed, by halves, in all columns at once.
        // Then answer.
        rounds += 1;
        steps += 1 + tournament_steps(rows) + 1;
        for (column, proposals) in proposals.iter().enumerate() {
            let rank = |row: u16| (column_ranks[usize::from(row) * columns + column], row);
            let before = held[column];
            held[column] = before.into_iter().chain(proposals.iter().copied()).min_by_key(|&row| rank(row));
            if let Some(row) = before {
                is_held[usize::from(row)] = false;
            }
            if let Some(row) = held[column] {
                is_held[usize::from(row)] = true;
                banks[3].hold(row);
            }
        }
    }
}

/// The steps in which pairs of candidates are compared until one is left.
fn tournament_steps(mut candidates: usize) -> u64 {
    let mut steps = 0;
    while candidates > 1 {
        (candidates, steps) = (candidates.div_ceil(2), steps + 1);
    }
    steps
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
