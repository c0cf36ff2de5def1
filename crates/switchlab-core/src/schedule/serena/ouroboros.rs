//! Which cycles SERENADE decides in its first 1 + log2 N iterations, and when: the ouroboros
//! numbers.
//!
//! SERENADE explores the cycles of a permutation by doubling distances. A vertex learns what lies
//! 2^k steps up and down its cycle, k = 0 to K = ceil(log2 N), and it knows the weights of the
//! whole cycle exactly if the cycle's length divides 2^n, 2^m - 2^n or 2^m + 2^n with n < m <= K
//! (paper 002, section 4.2, fact 2). Such lengths are ouroboros numbers, after the snake that bites
//! its own tail.

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

/// The fate of every length of a cycle, for one number of ports.
#[derive(Clone, Debug)]
pub struct Fates {
    /// By length. Entry 0 is unused: no cycle has length 0.
    by_length: Vec<Fate>,
}

impl Fates {
    /// Tabulates the fates of all lengths up to `ports`.
    pub fn new(ports: usize) -> Self {
        let last = last_iteration(ports);
        let fate = |length: usize| {
            let known_after = (0..=last).find(|&k| known_in(length, k)).map(|k| k as u8);
            Fate { known_after, search_moves: if known_after.is_some() { 0 } else { search_moves(length, last) } }
        };
        Self { by_length: core::iter::once(Fate::default()).chain((1..=ports).map(fate)).collect() }
    }

    /// The number of ports, which is the largest length.
    pub fn ports(&self) -> usize {
        self.by_length.len() - 1
    }

    /// What becomes of a cycle of this length, `1..=ports`.
    #[inline]
    pub fn fate(&self, length: usize) -> Fate {
        self.by_length[length]
    }

    /// The ouroboros numbers up to the number of ports, ascending.
    pub fn numbers(&self) -> impl Iterator<Item = usize> {
        (1..=self.ports()).filter(|&length| self.fate(length).is_ouroboros())
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
            let fates = Fates::new(ports);
            let last = last_iteration(ports);
            let mut forms: Vec<usize> = (0..=last).map(|n| 1 << n).collect();
            for m in 0..=last {
                forms.extend((0..m).flat_map(|n| [(1 << m) - (1 << n), (1 << m) + (1 << n)]));
            }
            let divisors = (1..=ports).filter(|length| forms.iter().any(|form| form % length == 0));
            assert!(fates.numbers().eq(divisors), "{ports} ports");
        }
    }
}
