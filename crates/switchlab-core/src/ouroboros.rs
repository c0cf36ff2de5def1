//! The ouroboros theory of SERENADE: which cycles a switch of N ports can decide in its first 1 +
//! log2 N iterations.
//!
//! SERENADE explores the cycles of a permutation by doubling distances. A vertex learns what lies
//! 2^k steps up and down its cycle, k = 0 to K = ceil(log2 N), and it knows the weights of the
//! whole cycle exactly if the cycle's length divides 2^n, 2^m - 2^n or 2^m + 2^n with n < m <= K
//! (paper 002, section 4.2, fact 2). Such lengths are ouroboros numbers, after the snake that bites
//! its own tail.
//!
//! What the paper estimates by Monte Carlo (table 1) has simple recursions and is computed here to
//! the last digit of a double. Let a(n) be the probability that a uniform random permutation of n
//! elements has cycles of allowed lengths only. The cycle through the first element has each length
//! l = 1..n with probability 1/n (fact 3), and the rest is again a uniform random permutation, so
//! a(n) = (1/n) sum of a(n - l) over the allowed l <= n, and a(0) = 1.
//!
//! ```
//! use switchlab_core::ouroboros::Ouroboros;
//!
//! let theory = Ouroboros::new(64);
//! assert_eq!(theory.numbers().count(), 36);
//! assert_eq!(theory.numbers().take_while(|&length| length <= 18).count(), 18);
//! assert!((theory.probability() - 0.342).abs() < 0.002);
//! ```

use alloc::vec;
use alloc::vec::Vec;

/// ceil(log2 N), the last iteration of SERENADE-common.
pub const fn last_iteration(ports: usize) -> u32 {
    if ports <= 1 { 0 } else { usize::BITS - (ports - 1).leading_zeros() }
}

/// What becomes of a cycle, by its length: all that SERENADE's costs depend on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Fate {
    /// The iteration after which its vertices know its weights; None if the cycle is not ouroboros.
    pub known_after: Option<u8>,
    /// How often the administrator moves in E-SERENADE's binary search (procedure 2), the last hop
    /// to the leader included; 0 if the cycle is ouroboros.
    pub search_moves: u8,
}

impl Fate {
    /// Whether the length is an ouroboros number.
    pub const fn is_ouroboros(self) -> bool {
        self.known_after.is_some()
    }
}

/// The theory for one number of ports.
#[derive(Clone, Debug)]
pub struct Ouroboros {
    ports: usize,
    /// By length; length 0 is there to keep indices simple.
    fates: Vec<Fate>,
}

impl Ouroboros {
    /// Tabulates the fates of all lengths up to `ports`.
    pub fn new(ports: usize) -> Self {
        let last = last_iteration(ports);
        let fate = |length: usize| {
            let known_after = (0..=last).find(|&k| known_in(length, k)).map(|k| k as u8);
            Fate { known_after, search_moves: if known_after.is_some() { 0 } else { search_moves(length, last) } }
        };
        let fates = core::iter::once(Fate::default()).chain((1..=ports).map(fate)).collect();
        Self { ports, fates }
    }

    /// What becomes of a cycle of this length, `1..=ports`.
    #[inline]
    pub fn fate(&self, length: usize) -> Fate {
        self.fates[length]
    }

    /// The ouroboros numbers up to the number of ports, ascending.
    pub fn numbers(&self) -> impl Iterator<Item = usize> {
        (1..=self.ports).filter(|&length| self.fates[length].is_ouroboros())
    }

    /// The probability that a vertex of a uniform random permutation is on an ouroboros cycle:
    /// their number over N (appendix D).
    pub fn vertex_probability(&self) -> f64 {
        self.numbers().count() as f64 / self.ports.max(1) as f64
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
        (1..=self.ports).filter(|&length| !self.fates[length].is_ouroboros()).map(|length| 1.0 / length as f64).sum()
    }

    /// The mean length of E-SERENADE's search (table 1, last row): the largest number of moves
    /// among the cycles that are not ouroboros, given that there is one. None if every length is
    /// ouroboros.
    ///
    /// The number of moves depends on a cycle's length and N alone, so the distribution of the
    /// largest follows from the recursion with the allowed lengths widened step by step.
    pub fn mean_search_length(&self) -> Option<f64> {
        let most = self.fates.iter().map(|fate| fate.search_moves).max().filter(|&most| most > 0)?;
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
        (1..=self.ports).map(|length| 1.0 / length as f64).sum()
    }

    /// How many numbers a vertex holds in the end (appendix B): an identity and two weights for
    /// each of the 2 (K + 1) knowledge sets.
    pub fn known_by_vertex(&self) -> usize {
        3 * 2 * (last_iteration(self.ports) as usize + 1)
    }

    /// How many numbers SERENA's central processor has on the same vertex: an identity and two
    /// weights for each of m = 0..=N (appendix B).
    pub fn known_by_serena(&self) -> usize {
        3 * (self.ports + 1)
    }

    /// The probability that a uniform random permutation has only cycles of allowed fates.
    fn only(&self, allowed: impl Fn(Fate) -> bool) -> f64 {
        let mut a = vec![1.0; self.ports + 1];
        for n in 1..=self.ports {
            let sum: f64 = (1..=n).filter(|&length| allowed(self.fates[length])).map(|length| a[n - length]).sum();
            a[n] = sum / n as f64;
        }
        a[self.ports]
    }
}

/// Whether a vertex knows the weights of a cycle of this length after iteration `k`, but for what
/// it knew earlier: one of the three situations of section 4.1 with its greater exponent equal to
/// `k`.
fn known_in(length: usize, k: u32) -> bool {
    let power = 1usize << k;
    power.is_multiple_of(length)
        || (0..k).any(|n| (power - (1 << n)).is_multiple_of(length) || (power + (1 << n)).is_multiple_of(length))
}

/// The number of administrator moves in procedure 2 on a cycle of this length.
///
/// Seen from the leader, the walk's places are 0 to 2^K, and the leader stands at the multiples of
/// the length. The administrator at place u searches the 2^k places before it.
fn search_moves(length: usize, last: u32) -> u8 {
    let (mut place, mut level, mut moves) = (1usize << last, last, 0);
    // Line 2.
    while !place.is_multiple_of(length) {
        let half = 1 << (level - 1);
        let middle = place - half;
        level -= 1;
        if middle.is_multiple_of(length) {
            // Line 6: the last hop.
            return moves + 1;
        }
        // Line 8: the leader is on the right half. Line 13: it is not, and the middle becomes
        // administrator.
        if place / length * length < middle {
            place = middle;
            moves += 1;
        }
    }
    moves
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_divisors() {
        for ports in [1, 2, 3, 7, 8, 64, 100, 128, 1000] {
            let theory = Ouroboros::new(ports);
            let last = last_iteration(ports);
            let mut forms: Vec<usize> = (0..=last).map(|n| 1 << n).collect();
            for m in 0..=last {
                forms.extend((0..m).flat_map(|n| [(1 << m) - (1 << n), (1 << m) + (1 << n)]));
            }
            let divisors = (1..=ports).filter(|length| forms.iter().any(|form| form % length == 0));
            assert!(theory.numbers().eq(divisors), "{ports} ports");
        }
    }

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

    #[test]
    fn every_length_is_ouroboros_in_a_small_switch() {
        for ports in 1..=10 {
            let theory = Ouroboros::new(ports);
            assert!((theory.probability() - 1.0).abs() < 1e-12 && theory.mean_search_length().is_none(), "{ports}");
        }
    }
}
