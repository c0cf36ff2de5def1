//! The ouroboros theory of SERENADE: which cycles a switch of N ports can decide in its first 1 +
//! log2 N iterations.
//!
//! Which lengths these are is tabulated in the scheduler ([`Fates`]), which counts its costs by
//! them. Here are their probabilities in a uniform random permutation.
//!
//! What the paper estimates by Monte Carlo (table 1) has simple recursions and is computed here to
//! the last digit of a double. Let a(n) be the probability that a uniform random permutation of n
//! elements has cycles of allowed lengths only. The cycle through the first element has each length
//! l = 1..n with probability 1/n (fact 3), and the rest is again a uniform random permutation, so
//! a(n) = (1/n) sum of a(n - l) over the allowed l <= n, and a(0) = 1.
//!
//! ```
//! use switchlab_theory::ouroboros::Ouroboros;
//!
//! let theory = Ouroboros::new(64);
//! assert_eq!(theory.numbers().count(), 36);
//! assert_eq!(theory.numbers().take_while(|&length| length <= 18).count(), 18);
//! assert!((theory.probability() - 0.342).abs() < 0.002);
//! ```

use alloc::vec;
use switchlab_core::schedule::serena::ouroboros::{Fate, Fates, last_iteration};

/// The theory for one number of ports.
#[derive(Clone, Debug)]
pub struct Ouroboros {
    fates: Fates,
}

impl Ouroboros {
    /// The theory for `ports` ports.
    pub fn new(ports: usize) -> Self {
        Self { fates: Fates::new(ports) }
    }

    /// The ouroboros numbers up to the number of ports, ascending.
    pub fn numbers(&self) -> impl Iterator<Item = usize> {
        self.fates.numbers()
    }

    /// The probability that a vertex of a uniform random permutation is on an ouroboros cycle:
    /// their number over N (appendix D).
    pub fn vertex_probability(&self) -> f64 {
        self.numbers().count() as f64 / self.fates.ports().max(1) as f64
    }

    /// The probability that all cycles of a uniform random permutation are ouroboros (table 1,
    /// third row).
    pub fn probability(&self) -> f64 {
        self.only(Fate::is_ouroboros)
    }

    /// The mean number of cycles of a uniform random permutation that are not ouroboros, which is
    /// the mean size of O-SERENADE's broadcast (table 1, fourth row): a uniform random permutation
    /// has 1/l cycles of length l on average.
    pub fn mean_broadcast(&self) -> f64 {
        (1..=self.fates.ports())
            .filter(|&length| !self.fates.fate(length).is_ouroboros())
            .map(|length| 1.0 / length as f64)
            .sum()
    }

    /// The mean length of E-SERENADE's search (table 1, last row): the largest number of moves
    /// among the cycles that are not ouroboros, given that there is one. None if every length is
    /// ouroboros.
    ///
    /// The number of moves depends on a cycle's length and N alone, so the distribution of the
    /// largest follows from the recursion with the allowed lengths widened step by step.
    pub fn mean_search_length(&self) -> Option<f64> {
        let most = (1..=self.fates.ports())
            .map(|length| self.fates.fate(length).search_moves)
            .max()
            .filter(|&most| most > 0)?;
        let without = self.probability();
        let (mut mean, mut below) = (0.0, without);
        for moves in 1..=most {
            let at_most = self.only(|fate| fate.is_ouroboros() || fate.search_moves <= moves);
            mean += f64::from(moves) * (at_most - below);
            below = at_most;
        }
        Some(mean / (1.0 - without))
    }

    /// The mean number of cycles of a uniform random permutation, the harmonic number.
    pub fn mean_cycles(&self) -> f64 {
        (1..=self.fates.ports()).map(|length| 1.0 / length as f64).sum()
    }

    /// How many numbers a vertex holds in the end (appendix B): an identity and two weights for
    /// each of the 2 (K + 1) knowledge sets.
    pub fn known_by_vertex(&self) -> usize {
        3 * 2 * (last_iteration(self.fates.ports()) as usize + 1)
    }

    /// How many numbers SERENA's central processor has on the same vertex: an identity and two
    /// weights for each of m = 0..=N (appendix B).
    pub fn known_by_serena(&self) -> usize {
        3 * (self.fates.ports() + 1)
    }

    /// The probability that a uniform random permutation has only cycles of allowed fates.
    fn only(&self, allowed: impl Fn(Fate) -> bool) -> f64 {
        let mut a = vec![1.0; self.fates.ports() + 1];
        for n in 1..=self.fates.ports() {
            let sum: f64 = (1..=n).filter(|&length| allowed(self.fates.fate(length))).map(|length| a[n - length]).sum();
            a[n] = sum / n as f64;
        }
        a[self.fates.ports()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    /// Table 1: as printed, by Monte Carlo, and exactly, from a separate program that plays
    /// procedure 2 vertex by vertex.
    #[test]
    fn table_1() {
        let rows = [
            (64, 36, [0.342, 0.716, 2.716], [0.342_098_454_507_208, 0.716_010_118_430_534, 2.716_802_203_569]),
            (128, 52, [0.138, 1.167, 3.106], [0.138_244_441_293_703, 1.166_015_145_342_009, 3.100_734_775_489_524]),
            (256, 72, [0.049, 1.695, 3.600], [0.048_525_648_374_573, 1.694_541_378_952_598, 3.595_474_600_264_974]),
            (512, 99, [0.019, 2.172, 4.148], [0.019_224_022_137_920, 2.172_770_075_643_308, 4.163_060_565_385_149]),
            (1024, 133, [0.009, 2.667, 4.698], [0.008_600_534_227_391, 2.672_577_408_830_891, 4.715_204_342_341_328]),
        ];
        for (ports, numbers, printed, exact) in rows {
            let theory = Ouroboros::new(ports);
            assert_eq!(theory.numbers().count(), numbers);
            let here = [theory.probability(), theory.mean_broadcast(), theory.mean_search_length().unwrap()];
            for ((here, printed), exact) in here.into_iter().zip(printed).zip(exact) {
                assert!((here - exact).abs() < 1e-9, "{ports} ports: {here} is not {exact}");
                assert!((here - printed).abs() < 0.001 + 0.005 * printed, "{ports} ports: {here}, printed {printed}");
            }
        }
    }

    /// What the text says of single numbers (section 5.2.1, appendix D). "The smallest
    /// non-ouroboros number is 19 (N >= 64)" holds up to 256 ports only. And `O_N` grows faster
    /// than log2(N)^2, as which it "roughly scales".
    #[test]
    fn which_numbers_are_ouroboros() {
        let of = |ports| Ouroboros::new(ports).numbers().collect::<Vec<_>>();
        let small = of(64);
        assert!((1..=18).chain([60, 62, 63, 64]).all(|length| small.contains(&length)));
        assert!((1..=22).all(|length| of(1024).contains(&length)));
        let smallest_other = |ports| (1..=ports).find(|length| !of(ports).contains(length)).unwrap();
        let smallest = [64, 128, 256, 512, 1024, 2048, 4096].map(smallest_other);
        assert_eq!(smallest, [19, 19, 19, 23, 23, 29, 29]);
        let shares = [4, 6, 8, 10, 12].map(|k| of(1 << k).len() as f64 / f64::from(k * k));
        assert!(shares.is_sorted() && shares[0] < 0.9 && shares[4] > 1.5, "{shares:?}");
    }

    /// A search takes at most ceil(log2 eta) moves for a cycle of eta vertices (section 5.4).
    #[test]
    fn the_longest_search() {
        for ports in [16, 64, 100, 256, 1000, 1024, 4096] {
            let fates = Fates::new(ports);
            for length in 2..=ports {
                let most = (length - 1).ilog2() + 1;
                assert!(u32::from(fates.fate(length).search_moves) <= most, "{ports} ports, a cycle of {length}");
            }
        }
    }

    #[test]
    fn every_length_is_ouroboros_in_a_small_switch() {
        for ports in 1..=10 {
            let theory = Ouroboros::new(ports);
            assert!((theory.probability() - 1.0).abs() < 1e-12 && theory.mean_search_length().is_none(), "{ports}");
        }
    }
}
