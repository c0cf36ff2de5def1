//! The idempotent trick (appendix F): weights as exponential random variables, sums as minima.
//!
//! A walk that is longer than its cycle counts some edges once more than others, so the vertices of
//! a cycle see different sums. A minimum does not change when an edge is met again: all vertices of
//! a cycle see the same minima, and need no leader. The smaller the minima of a colour, the heavier
//! it is.
//!
//! The paper gives the exponential of an edge of weight w the MEAN w. The minimum of such variables
//! has the mean `1 / (1/w1 + 1/w2 + ...)`, which says nothing about the sum: one light edge makes
//! the whole cycle light. With the RATE w, that is the mean 1/w, the minimum has the rate `w1 +
//! w2 + ...`; this is what is done here. A weight of 0 is never the minimum: it gives infinity.
//!
//! Decision: red if the sum of its minima, added up from word 0 on, is strictly smaller than that
//! of green; equal sums go by the tie rule (two cycles of empty queues: both infinite). Edge `i ->
//! sigma(i)` is modulated with the codewords of vertex `i`, its red weight with red ones, its green
//! weight with green ones.

use crate::cell::{Port, Slot};
use crate::rng::{GOLDEN, mix};

/// A standard exponential (mean 1): word `word` of either colour of `vertex` in `slot`.
///
/// A pure function of its arguments and not a draw from a stream, so that any port that knows whose
/// edge it holds can compute the codeword, and so that implementations which visit edges in
/// different orders agree to the last bit.
pub fn codeword(key: u64, slot: Slot, vertex: Port, red: bool, word: u32) -> f64 {
    Codewords::new(key, slot, vertex, red).word(word)
}

/// The codewords of one colour of a vertex in a slot: what they have in common is mixed once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Codewords(u64);

impl Codewords {
    pub(crate) fn new(key: u64, slot: Slot, vertex: Port, red: bool) -> Self {
        let fields = [u64::from(slot), u64::from(vertex), u64::from(red)];
        Self(fields.into_iter().fold(mix(key.wrapping_add(GOLDEN)), step))
    }

    pub(crate) fn word(self, word: u32) -> f64 {
        // 53 bits, in (0, 1]: the logarithm is finite.
        let uniform = ((step(self.0, u64::from(word)) >> 11) + 1) as f64 / (1u64 << 53) as f64;
        -libm::log(uniform)
    }
}

fn step(state: u64, field: u64) -> u64 {
    mix(state ^ field.wrapping_add(GOLDEN))
}

/// The exponential of rate `weight` that `codeword` gives: infinite for an empty queue.
pub fn modulate(codeword: f64, weight: u32) -> f64 {
    // Not left to the division: 0 / 0 would be no number.
    if weight == 0 { f64::INFINITY } else { codeword / f64::from(weight) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codewords_are_standard_exponentials() {
        let (mut sum, mut above_one, mut count) = (0.0, 0u32, 0u32);
        for slot in 0..10 {
            for vertex in 0..100 {
                for word in 0..50 {
                    for red in [false, true] {
                        let x = codeword(7, slot, vertex, red, word);
                        assert!(x >= 0.0 && x.is_finite());
                        sum += x;
                        above_one += u32::from(x > 1.0);
                        count += 1;
                    }
                }
            }
        }
        // 10^5 values of mean 1 and deviation 1, and P(X > 1) = 1/e: six deviations, a false alarm
        // in 10^8.
        let (mean, share) = (sum / f64::from(count), f64::from(above_one) / f64::from(count));
        assert!((mean - 1.0).abs() < 0.019, "{mean}");
        assert!((share - libm::exp(-1.0)).abs() < 0.0092, "{share}");
    }

    #[test]
    fn a_minimum_has_the_rate_of_the_sum_of_weights() {
        // One light edge among heavy ones, where the paper's own modulation goes wrong: rate 1 +
        // 40 + 59 = 100.
        let weights = [1u32, 40, 59];
        let mut sum = 0.0;
        for word in 0..20_000 {
            let least = (0u16..).zip(weights).map(|(v, w)| modulate(codeword(1, 0, v, true, word), w));
            sum += least.fold(f64::INFINITY, f64::min);
        }
        // The mean of 20 000 minima is 1/100 with a deviation of 1/100 / 141; six deviations.
        assert!((sum / 20_000.0 - 0.01).abs() < 0.000_43, "{sum}");
    }

    #[test]
    fn every_field_matters_and_empty_queues_are_never_the_minimum() {
        let base = codeword(1, 2, 3, true, 4);
        let others = [
            codeword(2, 2, 3, true, 4),
            codeword(1, 3, 3, true, 4),
            codeword(1, 2, 4, true, 4),
            codeword(1, 2, 3, false, 4),
            codeword(1, 2, 3, true, 5),
        ];
        assert!(others.iter().all(|&other| other != base), "{base} {others:?}");
        assert_eq!(modulate(0.0, 0), f64::INFINITY);
        assert_eq!(modulate(3.0, 2), 1.5);
    }
}
