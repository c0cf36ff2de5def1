//! Golden vectors: instances, and the matching that the library's `FIND_ROOTS` finds for them.
//!
//! A vector file begins with Example 1 of the paper, if the circuit is 4 x 4. Then come rooted
//! instances, drawn so that any rooted instance can come; random instances alone would not do,
//! because at 12 ports hardly one in a thousand is rooted. Last, a tenth as many instances of any
//! kind, most of them not rooted: the circuit has to stop with what it has, and say so. If the
//! circuit allows ties or absent pairs, every second instance has them.
//!
//! For 2 and 3 rows and columns there is also the file of all instances ([`exhaustive`]).

use crate::circuit::Circuit;
use crate::error::RtlError;
use switchlab_core::rng::{Purpose, Rng, Seed};
use switchlab_core::stable::{Preferences, examples, one_root};

/// Numbers in a vector file, at most.
const LARGEST: usize = 32 << 20;

/// How many instances, and which.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// Rooted instances; a tenth as many of any kind follow. None: 1000, and fewer above 16 ports,
    /// to keep the file small.
    pub rooted: Option<usize>,
    /// The seed of all random numbers.
    pub seed: u64,
}

/// The instances, in the order of the file.
pub fn instances(circuit: &Circuit, plan: &Plan) -> Result<Vec<Preferences>, RtlError> {
    let nodes = circuit.rows() * circuit.columns();
    let most = LARGEST / (2 * nodes + circuit.rows());
    let rooted = plan.rooted.unwrap_or((256_000 / nodes).min(1000));
    if !(1..=most).contains(&rooted) {
        return Err(RtlError::Vectors { most });
    }
    let mut rng = Seed { seed: plan.seed, replication: 0 }.stream(Purpose::Pattern, 0);
    let mut instances = Vec::new();
    if (circuit.rows(), circuit.columns()) == (4, 4) {
        instances.push(examples::example_1());
    }
    for index in 0..rooted + rooted.div_ceil(10) {
        let mut ranks = Ranks::random(circuit, &mut rng);
        if index < rooted {
            ranks.make_rooted(&mut rng);
        }
        if index % 2 == 1 {
            ranks.vary(circuit, &mut rng);
        }
        instances.push(Preferences::from_ranks(circuit.rows(), circuit.columns(), &ranks.rows, &ranks.columns)?);
    }
    Ok(instances)
}

/// The vector file; the test bench says what it means.
pub fn text(circuit: &Circuit, plan: &Plan) -> Result<String, RtlError> {
    Ok(file(&instances(circuit, plan)?))
}

/// The vector file of these instances.
pub fn file(instances: &[Preferences]) -> String {
    let mut text = format!("{}\n", instances.len());
    for instance in instances {
        // One root at a time, the smallest row first, as the hardware has it: with ties, the order
        // matters.
        let found = one_root(instance);
        let ranks = instance.row_ranks().iter().chain(instance.column_ranks()).map(|&rank| usize::from(rank));
        let columns = (0..instance.rows()).map(|row| found.matching.column(row).map_or(0, |column| column + 1));
        for number in ranks.chain(columns) {
            text += &number.to_string();
            text.push(' ');
        }
        text += if found.rooted { "0\n" } else { "1\n" };
    }
    text
}

/// All instances of this many rows and columns, 2 or 3; None for other sizes. Without `varied`,
/// strict and complete ones: 16 or 46,656. With it, ties and absent pairs too, for 2 rows and
/// columns only, since 3 have millions.
pub fn exhaustive(ports: usize, varied: bool) -> Option<Vec<Preferences>> {
    // All lists of ranks of one row or column. Absence is that of a pair, and comes later.
    let lists: Vec<Vec<u16>> = match (ports, varied) {
        (2, false) => vec![vec![1, 2], vec![2, 1]],
        (2, true) => vec![vec![1, 2], vec![2, 1], vec![1, 1]],
        (3, false) => {
            [[1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1], [3, 1, 2], [3, 2, 1]].map(|list| list.to_vec()).to_vec()
        }
        _ => return None,
    };
    let present = if varied { 1 << (ports * ports) } else { 1 };
    let mut all = Vec::new();
    for number in 0..lists.len().pow(2 * ports as u32) {
        let list = |place: usize| &lists[number / lists.len().pow(place as u32) % lists.len()];
        let pairs = || (0..ports * ports).map(|pair| (pair / ports, pair % ports));
        let rows: Vec<u16> = pairs().map(|(row, column)| list(row)[column]).collect();
        let columns: Vec<u16> = pairs().map(|(row, column)| list(ports + column)[row]).collect();
        for absent in 0..present {
            let rows: Vec<u16> =
                rows.iter().enumerate().map(|(pair, &rank)| if absent >> pair & 1 == 1 { 0 } else { rank }).collect();
            all.extend(Preferences::from_ranks(ports, ports, &rows, &columns));
        }
    }
    Some(all)
}

/// Ranks while they are made, both at `row * width + column`.
struct Ranks {
    height: usize,
    width: usize,
    rows: Vec<u16>,
    columns: Vec<u16>,
    /// Pairs that are roots by construction.
    roots: Vec<usize>,
}

impl Ranks {
    /// Every strict and complete instance equally likely.
    fn random(circuit: &Circuit, rng: &mut Rng) -> Self {
        let (height, width) = (circuit.rows(), circuit.columns());
        let mut ranks =
            Self { height, width, rows: vec![0; height * width], columns: vec![0; height * width], roots: Vec::new() };
        let mut order: Vec<u16> = (1..=width as u16).collect();
        for row in ranks.rows.chunks_exact_mut(width) {
            rng.shuffle(&mut order);
            row.copy_from_slice(&order);
        }
        let mut order: Vec<u16> = (1..=height as u16).collect();
        for column in 0..width {
            rng.shuffle(&mut order);
            for (row, &rank) in order.iter().enumerate() {
                ranks.columns[row * width + column] = rank;
            }
        }
        ranks
    }

    /// Draws pairs that shall be the roots, one after the other, and makes each the best of what is
    /// left when its turn comes: its rank is exchanged with that of whoever is best. All else
    /// stays, so cycles are frequent.
    fn make_rooted(&mut self, rng: &mut Rng) {
        let mut rows: Vec<usize> = (0..self.height).collect();
        let mut columns: Vec<usize> = (0..self.width).collect();
        rng.shuffle(&mut rows);
        rng.shuffle(&mut columns);
        for turn in 0..self.height.min(self.width) {
            let root = rows[turn] * self.width + columns[turn];
            let in_row = columns[turn..].iter().map(|&column| rows[turn] * self.width + column);
            let best = in_row.min_by_key(|&pair| self.rows[pair]).unwrap_or(root);
            self.rows.swap(root, best);
            let in_column = rows[turn..].iter().map(|&row| row * self.width + columns[turn]);
            let best = in_column.min_by_key(|&pair| self.columns[pair]).unwrap_or(root);
            self.columns.swap(root, best);
            self.roots.push(root);
        }
    }

    /// Ties and absent pairs, as far as the circuit is for them. Absence spares the roots, so that
    /// rooted stays rooted.
    fn vary(&mut self, circuit: &Circuit, rng: &mut Rng) {
        if circuit.ties() {
            // Two or three neighbours of a ranking become equal; what is equal is then ranked 1, 1,
            // 3 by the library.
            let (across, down) = (2 + rng.below(2) as u16, 2 + rng.below(2) as u16);
            self.rows.iter_mut().for_each(|rank| *rank = (*rank - 1) / across + 1);
            self.columns.iter_mut().for_each(|rank| *rank = (*rank - 1) / down + 1);
        }
        if circuit.incomplete() {
            for pair in 0..self.rows.len() {
                if rng.below(3) == 0 && !self.roots.contains(&pair) {
                    self.rows[pair] = 0;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Design;
    use switchlab_core::stable::{check_acyclic, check_stable, find_roots, gale_shapley};

    fn circuit(rows: usize, columns: usize, ties: bool, incomplete: bool) -> Circuit {
        Circuit::new(Design::Literal, rows, columns).unwrap().with(ties, incomplete)
    }

    #[test]
    fn rooted_instances_are_rooted_and_not_just_acyclic() {
        for (rows, columns, incomplete) in [(2, 2, false), (4, 4, false), (12, 12, false), (5, 9, false), (8, 8, true)]
        {
            let circuit = circuit(rows, columns, false, incomplete);
            let plan = Plan { rooted: Some(300), seed: 1 };
            let all = instances(&circuit, &plan).unwrap();
            let example = usize::from((rows, columns) == (4, 4));
            assert_eq!(all.len(), 330 + example);
            let mut cyclic = 0;
            for instance in &all[..300 + example] {
                let found = one_root(instance);
                assert!(found.rooted);
                assert_eq!(found.matching, find_roots(instance).matching);
                assert_eq!(found.matching, gale_shapley(instance).matching);
                cyclic += usize::from(check_acyclic(instance).is_err());
            }
            // Two rows or columns that are rooted have no cycle; large instances nearly always have
            // one.
            assert!(if rows == 2 { cyclic == 0 } else { cyclic > 30 }, "{rows} x {columns}: {cyclic}");
        }
        let all = instances(&circuit(12, 12, false, false), &Plan { rooted: Some(300), seed: 1 }).unwrap();
        assert!(all[300..].iter().filter(|instance| !one_root(instance).rooted).count() > 20);
    }

    #[test]
    fn options_are_exercised() {
        let circuit = circuit(6, 7, true, true);
        let all = instances(&circuit, &Plan { rooted: Some(100), seed: 1 }).unwrap();
        assert!(all.iter().filter(|instance| instance.has_ties()).count() >= 50);
        assert!(all.iter().filter(|instance| !instance.is_complete()).count() >= 50);
        for instance in &all {
            let found = one_root(instance);
            assert!(!found.rooted || check_stable(instance, &found.matching).is_ok());
        }
    }

    #[test]
    fn the_file_begins_with_example_1() {
        let text = text(&circuit(4, 4, false, false), &Plan { rooted: Some(10), seed: 1 }).unwrap();
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("12"));
        let example = "3 4 1 2 1 2 3 4 1 2 4 3 2 3 1 4 3 1 1 3 2 4 2 2 1 3 3 1 4 2 4 4 3 4 1 2 0";
        assert_eq!(lines.next(), Some(example));
        assert_eq!(lines.count(), 11);
    }

    #[test]
    fn all_small_instances() {
        let all = exhaustive(3, false).unwrap();
        assert_eq!(all.len(), 46_656);
        assert_eq!(all.iter().filter(|instance| one_root(instance).rooted).count(), 30_840);
        assert!(all.iter().all(|instance| instance.is_complete() && !instance.has_ties()));
        assert_eq!(exhaustive(2, false).unwrap().len(), 16);
        assert_eq!(exhaustive(2, true).unwrap().len(), 81 * 16);
        assert_eq!((exhaustive(3, true), exhaustive(4, false)), (None, None));
        assert!(file(&exhaustive(2, true).unwrap()).lines().any(|line| line == "0 0 0 0 0 0 0 0 0 0 0"));
    }

    #[test]
    fn too_many_or_no_vectors_are_errors() {
        let circuit = circuit(64, 64, false, false);
        for rooted in [0, 1 << 20, usize::MAX] {
            let plan = Plan { rooted: Some(rooted), seed: 1 };
            assert!(matches!(text(&circuit, &plan), Err(RtlError::Vectors { .. })));
        }
    }
}
