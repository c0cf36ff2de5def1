//! Random numbers: xoshiro256++ streams, one for each purpose, index and replication.
//!
//! The generator is Blackman and Vigna's xoshiro256++ 1.0 (2019), seeded through `SplitMix64` as
//! its authors advise. It is written out here, in twenty lines pinned by literal outputs below, and
//! not taken from a crate, because arrivals need the streams of all inputs side by side (see
//! [`Streams`]), a layout that no crate offers, and because a crate's next version may never change
//! a number of ours.

use alloc::vec::Vec;

/// What a stream is drawn for. Two purposes never share a stream, so that a scheduler that draws
/// more or less does not change the arrivals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// The arrivals of one input.
    Arrivals,
    /// What the arrivals of all inputs share, such as a random permutation per slot.
    Pattern,
    /// The scheduler's own choices.
    Scheduler,
    /// The random initial state of a fabric.
    Fabric,
    /// The labels of cells: their classes and flows.
    Labels,
}

/// Where all streams of one replication come from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seed {
    /// The seed that is printed with every result.
    pub seed: u64,
    /// The replication, counted from 0.
    pub replication: u32,
}

impl Seed {
    /// The stream for a purpose; `index` tells apart streams of the same purpose (the input, for
    /// arrivals).
    pub fn stream(self, purpose: Purpose, index: usize) -> Rng {
        // Each word goes through the full mixer before the next is added, so that no two (seed,
        // replication, purpose, index) tuples meet by arithmetic coincidence. Adding them all at
        // once was rejected for that reason.
        let mut state = mix(self.seed.wrapping_add(GOLDEN));
        state = mix(state ^ u64::from(self.replication).wrapping_add(GOLDEN));
        state = mix(state ^ (purpose as u64).wrapping_add(GOLDEN));
        state = mix(state ^ (index as u64).wrapping_add(GOLDEN));
        let mut word = || {
            state = state.wrapping_add(GOLDEN);
            mix(state)
        };
        Rng { state: [word(), word(), word(), word()] }
    }
}

pub(crate) const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The output function of `SplitMix64`: a bijection of 64-bit words that serves as a hash.
pub const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// One xoshiro256++ stream.
#[derive(Clone, Debug)]
pub struct Rng {
    state: [u64; 4],
}

impl Rng {
    /// The next 64 random bits.
    #[inline]
    pub fn next(&mut self) -> u64 {
        let [a, b, c, d] = &mut self.state;
        step(a, b, c, d)
    }

    /// A number in `0..bound`, uniform up to `bound / 2^64`; 0 when `bound` is 0. Always one draw.
    ///
    /// Rejection would be exact but draw a varying number of times; the bias is below 2^-51 for any
    /// bound used here.
    #[inline]
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }

    /// Whether an event of this probability happens. Always one draw, also for 0 and 1.
    #[inline]
    pub fn chance(&mut self, probability: Probability) -> bool {
        (self.next() >> 1) < probability.threshold
    }

    /// Puts `items` in uniformly random order (Fisher and Yates, from the last place down).
    #[inline]
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[inline(always)]
fn step(a: &mut u64, b: &mut u64, c: &mut u64, d: &mut u64) -> u64 {
    let result = a.wrapping_add(*d).rotate_left(23).wrapping_add(*a);
    let t = *b << 17;
    *c ^= *a;
    *d ^= *b;
    *b ^= *c;
    *a ^= *d;
    *c ^= t;
    *d = d.rotate_left(45);
    result
}

/// A probability as an integer threshold: exact to 2^-63, and 0 and 1 are really never and always.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Probability {
    threshold: u64,
}

impl Probability {
    /// The probability nearest to `p`, which is clamped to [0, 1]; NaN counts as 0.
    pub fn new(p: f64) -> Self {
        const ONE: f64 = (1u64 << 63) as f64;
        // `as` saturates and sends NaN to 0; p * 2^63 is exact, so at most the last half unit is
        // lost.
        Self { threshold: (libm::rint(p.clamp(0.0, 1.0) * ONE)) as u64 }
    }
}

/// The streams of all inputs, state words side by side, so that one draw for each input is a loop
/// the compiler turns into vector instructions.
#[derive(Clone, Debug)]
pub struct Streams {
    words: [Vec<u64>; 4],
}

impl Streams {
    /// The streams `0..count` of a purpose.
    pub fn new(seed: Seed, purpose: Purpose, count: usize) -> Self {
        let mut words = [const { Vec::new() }; 4];
        for index in 0..count {
            let stream = seed.stream(purpose, index);
            for (word, value) in words.iter_mut().zip(stream.state) {
                word.push(value);
            }
        }
        Self { words }
    }

    /// The next 64 bits of one stream.
    #[inline]
    pub fn next(&mut self, index: usize) -> u64 {
        let [a, b, c, d] = &mut self.words;
        step(&mut a[index], &mut b[index], &mut c[index], &mut d[index])
    }

    /// Whether an event of this probability happens, by a draw from one stream.
    #[inline]
    pub fn chance(&mut self, index: usize, probability: Probability) -> bool {
        (self.next(index) >> 1) < probability.threshold
    }

    /// One draw from every stream.
    #[inline]
    pub fn fill(&mut self, draws: &mut [u64]) {
        let [a, b, c, d] = &mut self.words;
        let states = a.iter_mut().zip(b).zip(c).zip(d);
        for (draw, (((a, b), c), d)) in draws.iter_mut().zip(states) {
            // In registers, not in place, where half of a step would be stored and loaded again.
            let [mut w, mut x, mut y, mut z] = [*a, *b, *c, *d];
            *draw = step(&mut w, &mut x, &mut y, &mut z);
            (*a, *b, *c, *d) = (w, x, y, z);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    /// The state (1, 2, 3, 4) gives the outputs that the reference implementation of xoshiro256++
    /// gives.
    #[test]
    fn xoshiro_matches_the_reference() {
        let mut rng = Rng { state: [1, 2, 3, 4] };
        let first: Vec<u64> = (0..6).map(|_| rng.next()).collect();
        assert_eq!(
            first,
            [
                41_943_041,
                58_720_359,
                3_588_806_011_781_223,
                3_591_011_842_654_386,
                9_228_616_714_210_784_205,
                9_973_669_472_204_895_162
            ]
        );
    }

    #[test]
    fn streams_side_by_side_are_the_single_streams() {
        let seed = Seed { seed: 7, replication: 3 };
        let mut together = Streams::new(seed, Purpose::Arrivals, 5);
        let mut apart: Vec<Rng> = (0..5).map(|i| seed.stream(Purpose::Arrivals, i)).collect();
        let mut draws = vec![0; 5];
        for _ in 0..10 {
            together.fill(&mut draws);
            let expected: Vec<u64> = apart.iter_mut().map(Rng::next).collect();
            assert_eq!(draws, expected);
        }
        assert_eq!(together.next(2), apart[2].next());
    }

    #[test]
    fn streams_of_different_purposes_indices_replications_and_seeds_differ() {
        let seed = Seed { seed: 1, replication: 0 };
        let first = |s: Seed, p, i| s.stream(p, i).next();
        let mut outputs = vec![
            first(seed, Purpose::Arrivals, 0),
            first(seed, Purpose::Arrivals, 1),
            first(seed, Purpose::Pattern, 0),
            first(seed, Purpose::Scheduler, 0),
            first(seed, Purpose::Fabric, 0),
            first(seed, Purpose::Labels, 0),
            first(Seed { seed: 1, replication: 1 }, Purpose::Arrivals, 0),
            first(Seed { seed: 2, replication: 0 }, Purpose::Arrivals, 0),
        ];
        outputs.sort_unstable();
        outputs.dedup();
        assert_eq!(outputs.len(), 8);
    }

    #[test]
    fn probability_is_exact_at_the_ends() {
        let mut rng = Seed { seed: 1, replication: 0 }.stream(Purpose::Scheduler, 0);
        assert!((0..1000).all(|_| rng.chance(Probability::new(1.0))));
        assert!((0..1000).all(|_| !rng.chance(Probability::new(0.0))));
        assert_eq!(Probability::new(f64::NAN), Probability::new(0.0));
        assert_eq!(Probability::new(0.5).threshold, 1 << 62);
    }

    #[test]
    fn shuffle_reaches_every_order_equally() {
        let mut rng = Seed { seed: 1, replication: 0 }.stream(Purpose::Scheduler, 0);
        let mut counts = [0u32; 6];
        for _ in 0..60_000 {
            let mut items = [0, 1, 2];
            rng.shuffle(&mut items);
            counts[items[0] * 2 + usize::from(items[1] > items[2])] += 1;
        }
        // Each count is binomial with mean 10 000 and deviation 91; six deviations: a false alarm
        // in 10^8.
        assert!(counts.iter().all(|&c| c.abs_diff(10_000) < 550), "{counts:?}");
    }
}
