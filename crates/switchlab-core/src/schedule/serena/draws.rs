//! Draws of a random stream that are made before it is known whether they are needed.

use crate::rng::Rng;

/// The number of draws that can be read ahead.
pub(super) const AHEAD: usize = 64;

/// The draws of a stream, in its order. The caller reads the next draw unconditionally and says
/// afterwards whether it was needed: branch-free.
#[derive(Clone, Debug)]
pub(super) struct Draws {
    rng: Rng,
    drawn: [u64; 2 * AHEAD],
    /// The index of the next draw.
    at: usize,
}

impl Draws {
    pub(super) fn new(rng: Rng) -> Self {
        Self { rng, drawn: [0; 2 * AHEAD], at: 2 * AHEAD }
    }

    /// The next [`AHEAD`] draws.
    #[inline(always)]
    pub(super) fn ahead(&mut self) -> &[u64; AHEAD] {
        if self.at > AHEAD {
            self.refill();
        }
        let (_, from) = self.drawn.split_at(self.at.min(AHEAD));
        from.first_chunk().expect("half of the draws are ahead")
    }

    /// Consumes the first `count` of the draws read ahead.
    #[inline(always)]
    pub(super) fn spend(&mut self, count: usize) {
        self.at += count;
    }

    /// A number below a bound, as [`Rng::below`].
    #[inline(always)]
    fn below(&mut self, bound: usize) -> usize {
        let draw = self.ahead()[0];
        self.spend(1);
        ((u128::from(draw) * bound as u128) >> 64) as usize
    }

    /// Puts items in random order, as [`Rng::shuffle`].
    pub(super) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }

    #[inline(never)]
    fn refill(&mut self) {
        let left = 2 * AHEAD - self.at;
        self.drawn.copy_within(self.at.., 0);
        self.drawn[left..].fill_with(|| self.rng.next());
        self.at = 0;
    }
}
