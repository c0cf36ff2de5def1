//! Load matrices: the share of its line rate that each input sends to each output.
//!
//! All but two of the matrices used in the literature are circulant: the entry depends on (j - i)
//! mod N alone. Such a matrix is kept as its first row, which also makes its alias table N times
//! smaller. So is a matrix whose rows are all equal.

use crate::error::Error;
use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;

/// How far above 1 a row or column may sum before the matrix counts as inadmissible: room for the
/// rounding of decimals, no more.
pub(crate) const ROUNDING: f64 = 1e-9;

/// The sums of all columns, in one pass over the rows: a walk down each column would miss the cache
/// at every rate.
fn column_sums(ports: usize, rates: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; ports];
    for row in rates.chunks_exact(ports.max(1)) {
        for (sum, rate) in sums.iter_mut().zip(row) {
            *sum += rate;
        }
    }
    sums
}

/// Rates at full load, before they are scaled by the load of the run.
#[derive(Clone, Debug, PartialEq)]
pub enum LoadMatrix {
    /// Entry (i, j) is `row[(j - i) mod N]`.
    Circulant(Vec<f64>),
    /// Entry (i, j) is `row[j]`.
    EqualRows(Vec<f64>),
    /// Row-major entries.
    General {
        /// The number of ports.
        ports: usize,
        /// `ports * ports` rates.
        rates: Vec<f64>,
    },
    /// A fresh uniformly random permutation in every slot: each output is wanted by at most one
    /// input at a time.
    Permutation(
        /// The number of ports.
        usize,
    ),
}

impl LoadMatrix {
    /// 1/N everywhere.
    pub fn uniform(ports: usize) -> Self {
        Self::Circulant(vec![1.0 / ports as f64; ports])
    }

    /// A share `w` to the output of the same number, the rest uniform over all (paper 001, equation
    /// 3).
    pub fn unbalanced(ports: usize, w: f64) -> Self {
        let mut row = vec![(1.0 - w) / ports as f64; ports];
        row[0] += w;
        Self::Circulant(row)
    }

    /// Nothing to the output of the same number, uniform over the others (paper 001, section V-B).
    pub fn chang(ports: usize) -> Result<Self, Error> {
        let others = others("chang", ports)?;
        let mut row = vec![1.0 / others as f64; ports];
        row[0] = 0.0;
        Ok(Self::Circulant(row))
    }

    /// Nothing to the output of the same number; over the others, falling geometrically by `ratio`
    /// in all.
    ///
    /// The usual print normalises with r^N and sums to 0.9988 at N = 32; here a row sums to 1.
    pub fn asymmetric(ports: usize, ratio: f64) -> Result<Self, Error> {
        let others = others("asymmetric", ports)?;
        let steps = (others - 1).max(1) as f64;
        let mut row: Vec<f64> = (0..others).map(|d| libm::pow(ratio, -(d as f64) / steps)).collect();
        let sum: f64 = row.iter().sum();
        for rate in &mut row {
            *rate /= sum;
        }
        row.insert(0, 0.0);
        Ok(Self::Circulant(row))
    }

    /// Halving with each step away from the output of the same number: 2^-(d+1) / (1 - 2^-N) (paper
    /// 002, section 7.1).
    pub fn log_diagonal(ports: usize) -> Self {
        let sum = 1.0 - libm::exp2(-(ports as f64));
        Self::Circulant((0..ports).map(|d| libm::exp2(-(d as f64 + 1.0)) / sum).collect())
    }

    /// Half to the output of the same number, the rest uniform over the others (paper 002, section
    /// 7.1).
    pub fn quasi_diagonal(ports: usize) -> Self {
        if ports == 1 {
            return Self::uniform(1);
        }
        let mut row = vec![0.5 / (ports - 1) as f64; ports];
        row[0] = 0.5;
        Self::Circulant(row)
    }

    /// Two thirds to the output of the same number and one third to the next (paper 002, section
    /// 7.1).
    pub fn diagonal(ports: usize) -> Self {
        let mut row = vec![0.0; ports];
        row[0] += 2.0 / 3.0;
        row[1 % ports] += 1.0 / 3.0;
        Self::Circulant(row)
    }

    /// The first `count` outputs get 1 in total from all inputs, the others `load` each (paper 004,
    /// section 5).
    pub fn hotspot(ports: usize, count: usize, load: f64) -> Result<Self, Error> {
        Self::hotspot_at(ports, count, 1.0, load)
    }

    /// The first `count` outputs get `rate` in total from all inputs, which may be more than they
    /// can send, the others `load` each. An error if an input would send more than 1.
    pub fn hotspot_at(ports: usize, count: usize, rate: f64, load: f64) -> Result<Self, Error> {
        if count > ports {
            let problem = alloc::format!("{count} hot outputs do not fit into {ports} ports");
            return Err(Error::Impossible { name: "hotspot".to_string(), problem });
        }
        let row = (0..ports).map(|output| if output < count { rate } else { load } / ports as f64);
        let sent = (count as f64 * rate + (ports - count) as f64 * load) / ports as f64;
        if !(0.0..=1.0).contains(&load) {
            let problem = alloc::format!("the load of the other outputs is {load}, and it is from 0 to 1");
            return Err(Error::Impossible { name: "hotspot".to_string(), problem });
        }
        if !(rate >= 0.0 && sent <= 1.0 + ROUNDING) {
            let problem = alloc::format!(
                "{count} hot outputs at {rate} and {} others at {load} make every input send {sent}, and it sends at most 1; lower count, rate or load",
                ports - count
            );
            return Err(Error::Impossible { name: "hotspot".to_string(), problem });
        }
        Ok(Self::EqualRows(row.collect()))
    }

    /// Any admissible matrix, row-major: finite rates of at least 0, rows and columns that sum to
    /// at most 1.
    pub fn general(ports: usize, rates: Vec<f64>) -> Result<Self, Error> {
        Self::checked(ports, rates, false)
    }

    /// A matrix whose columns may sum to more than 1: outputs that are sent more than they can
    /// send on. Its rows may not.
    pub fn oversubscribed(ports: usize, rates: Vec<f64>) -> Result<Self, Error> {
        Self::checked(ports, rates, true)
    }

    fn checked(ports: usize, rates: Vec<f64>, oversubscribed: bool) -> Result<Self, Error> {
        let impossible = |problem| Error::Impossible { name: "matrix".to_string(), problem };
        if rates.len() != ports * ports {
            return Err(impossible(alloc::format!("{} rates do not make a square of {ports} ports", rates.len())));
        }
        if let Some(place) = rates.iter().position(|rate| !(rate.is_finite() && *rate >= 0.0)) {
            let (row, column, rate) = (place / ports, place % ports, rates[place]);
            return Err(impossible(alloc::format!("row {row}, column {column} is {rate}, and a rate is at least 0")));
        }
        let row_sum = |row: usize| rates[row * ports..][..ports].iter().sum::<f64>();
        for (index, &column_sum) in column_sums(ports, &rates).iter().enumerate() {
            for (line, sum) in [("row", row_sum(index)), ("column", column_sum)] {
                if sum > 1.0 + ROUNDING && !(oversubscribed && line == "column") {
                    return Err(Error::Inadmissible { line, index, sum });
                }
            }
        }
        Ok(Self::General { ports, rates })
    }

    /// The largest sum of a row and the largest sum of a column: what the busiest input sends and
    /// what the busiest output is sent, before the rates are scaled.
    pub fn busiest(&self) -> (f64, f64) {
        let sum = |row: &[f64]| row.iter().sum::<f64>();
        let largest = |values: &[f64]| values.iter().copied().fold(0.0, f64::max);
        match self {
            Self::Circulant(row) => (sum(row), sum(row)),
            Self::EqualRows(row) => (sum(row), largest(row) * row.len() as f64),
            Self::General { ports, rates } => {
                let rows: Vec<f64> = rates.chunks_exact((*ports).max(1)).map(sum).collect();
                (largest(&rows), largest(&column_sums(*ports, rates)))
            }
            Self::Permutation(_) => (1.0, 1.0),
        }
    }

    /// What each output is sent in all at full load.
    pub fn column_sums(&self) -> Vec<f64> {
        match self {
            Self::Circulant(row) => vec![row.iter().sum(); row.len()],
            Self::EqualRows(row) => row.iter().map(|rate| rate * row.len() as f64).collect(),
            Self::General { ports, rates } => column_sums(*ports, rates),
            Self::Permutation(ports) => vec![1.0; *ports],
        }
    }

    /// The number of ports.
    pub fn ports(&self) -> usize {
        match self {
            Self::Circulant(row) | Self::EqualRows(row) => row.len(),
            Self::General { ports, .. } | Self::Permutation(ports) => *ports,
        }
    }

    /// The rate from an input to an output at full load.
    pub fn rate(&self, input: usize, output: usize) -> f64 {
        match self {
            Self::Circulant(row) => row[(output + row.len() - input) % row.len()],
            Self::EqualRows(row) => row[output],
            Self::General { ports, rates } => rates[input * ports + output],
            Self::Permutation(ports) => 1.0 / *ports as f64,
        }
    }

    /// What an input sends in all at full load, at most 1.
    pub fn row_sum(&self, input: usize) -> f64 {
        match self {
            Self::Circulant(_) | Self::Permutation(_) => 1.0,
            Self::EqualRows(row) => row.iter().sum::<f64>().min(1.0),
            Self::General { ports, rates } => rates[input * ports..][..*ports].iter().sum::<f64>().min(1.0),
        }
    }
}

/// The number of other ports, for a matrix that sends nothing to the port of the same number.
fn others(name: &str, ports: usize) -> Result<usize, Error> {
    match ports {
        0 | 1 => Err(Error::Impossible {
            name: name.to_string(),
            problem: "it sends nothing to the port of the same number, so it needs at least 2 ports".to_string(),
        }),
        _ => Ok(ports - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(matrix: &LoadMatrix, input: usize) -> Vec<f64> {
        (0..matrix.ports()).map(|output| matrix.rate(input, output)).collect()
    }

    fn near(a: &[f64], b: &[f64]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12)
    }

    #[test]
    fn entries_as_printed() {
        let third = 1.0 / 3.0;
        assert!(near(&row(&LoadMatrix::uniform(4), 2), &[0.25; 4]));
        assert!(near(&row(&LoadMatrix::unbalanced(4, 0.5), 1), &[0.125, 0.625, 0.125, 0.125]));
        assert!(near(&row(&LoadMatrix::chang(4).unwrap(), 1), &[third, 0.0, third, third]));
        assert!(near(&row(&LoadMatrix::quasi_diagonal(4), 3), &[third / 2.0, third / 2.0, third / 2.0, 0.5]));
        assert!(near(&row(&LoadMatrix::diagonal(4), 3), &[third, 0.0, 0.0, 2.0 * third]));
        let fifteenth = 1.0 / 15.0;
        let log = [2.0 * fifteenth, fifteenth, 8.0 * fifteenth, 4.0 * fifteenth];
        assert!(near(&row(&LoadMatrix::log_diagonal(4), 2), &log));
        // Ratio 100 over three steps of a factor 10: 1, 0.1, 0.01 after nothing for the own output.
        let sum = 1.11;
        let asymmetric = [0.0, 1.0 / sum, 0.1 / sum, 0.01 / sum];
        assert!(near(&row(&LoadMatrix::asymmetric(4, 100.0).unwrap(), 0), &asymmetric));
        let hot = LoadMatrix::hotspot(4, 1, 0.5).unwrap();
        assert!(near(&row(&hot, 3), &[0.25, 0.125, 0.125, 0.125]));
        assert!((hot.row_sum(0) - 0.625).abs() < 1e-12);
    }

    #[test]
    fn every_size_is_doubly_stochastic() {
        for ports in [1, 2, 3, 5, 30, 32, 64, 100, 1024] {
            let mut matrices = vec![
                LoadMatrix::uniform(ports),
                LoadMatrix::unbalanced(ports, 0.3),
                LoadMatrix::quasi_diagonal(ports),
                LoadMatrix::log_diagonal(ports),
                LoadMatrix::diagonal(ports),
            ];
            if ports > 1 {
                matrices.push(LoadMatrix::chang(ports).unwrap());
                matrices.push(LoadMatrix::asymmetric(ports, 100.0).unwrap());
            }
            for matrix in matrices {
                let LoadMatrix::Circulant(row) = &matrix else { panic!("{matrix:?} should be circulant") };
                assert_eq!(row.len(), ports);
                assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{ports} {matrix:?}");
            }
        }
    }

    #[test]
    fn inadmissible_matrices_are_refused() {
        assert!(matches!(
            LoadMatrix::general(2, vec![0.6, 0.6, 0.0, 0.0]),
            Err(Error::Inadmissible { line: "row", index: 0, .. })
        ));
        assert!(matches!(
            LoadMatrix::general(2, vec![0.6, 0.0, 0.6, 0.0]),
            Err(Error::Inadmissible { line: "column", index: 0, .. })
        ));
        assert!(LoadMatrix::general(2, vec![0.5, 0.5, 0.5, 0.5]).is_ok());
        for bad in [f64::NAN, f64::INFINITY, -0.1] {
            assert!(matches!(LoadMatrix::general(2, vec![0.0, bad, 0.0, 0.0]), Err(Error::Impossible { .. })));
        }
        assert!(LoadMatrix::general(2, vec![0.0; 3]).is_err());
        assert!(LoadMatrix::chang(1).is_err());
        assert!(LoadMatrix::hotspot(2, 3, 0.5).is_err());
        assert!(LoadMatrix::oversubscribed(2, vec![0.6, 0.0, 0.6, 0.0]).is_ok());
        assert!(LoadMatrix::oversubscribed(2, vec![0.6, 0.6, 0.0, 0.0]).is_err());
        assert!(LoadMatrix::hotspot_at(4, 1, 2.5, 0.5).is_ok() && LoadMatrix::hotspot_at(4, 1, 2.6, 0.5).is_err());
        assert!(
            LoadMatrix::hotspot_at(4, 1, f64::NAN, 0.5).is_err() && LoadMatrix::hotspot_at(4, 1, -0.1, 0.5).is_err()
        );
        assert_eq!(LoadMatrix::hotspot_at(4, 1, 2.0, 0.5).unwrap().column_sums(), [2.0, 0.5, 0.5, 0.5]);
        assert!(LoadMatrix::hotspot(2, 1, 1.5).is_err() && LoadMatrix::hotspot(2, 1, f64::NAN).is_err());
    }

    /// The compact form has the entries and sums of the dense one, to the last bit.
    #[test]
    fn equal_rows_are_a_general_matrix() {
        for (ports, count, load) in [(1, 1, 0.3), (4, 1, 0.5), (7, 7, 1.0), (64, 4, 0.9), (100, 0, 1.0 / 3.0)] {
            let compact = LoadMatrix::hotspot(ports, count, load).unwrap();
            let dense = LoadMatrix::general(ports, row(&compact, 0).repeat(ports)).unwrap();
            assert_eq!(compact.ports(), dense.ports());
            for input in 0..ports {
                assert_eq!(row(&compact, input), row(&dense, input));
                assert_eq!(compact.row_sum(input).to_bits(), dense.row_sum(input).to_bits());
            }
        }
    }
}
