//! Where the words of links lie; see `links`.

use super::shape::{below, known};

/// Ends with so many pairs or fewer are flat: they are looked through when it is their turn, and cells and credits set a bit and nothing else.
pub(super) const FLAT: usize = 4;

/// Where the words of a section lie. `WORDS` is how many an end has of each kind, or 0 if that is not known before.
#[derive(Clone, Copy)]
pub(super) struct Layout<const WORDS: usize> {
    pub(super) section: usize,
    pub(super) words: usize,
    /// Whether an end has a line. Where `WORDS` is known before, it says so itself: if it is four.
    pub(super) lined: bool,
}

impl<const WORDS: usize> Layout<WORDS> {
    #[inline(always)]
    pub(super) fn words(self) -> usize {
        if WORDS > 0 { WORDS } else { self.words }
    }

    #[inline(always)]
    pub(super) fn section(self) -> usize {
        known::<WORDS>(self.section)
    }

    #[inline(always)]
    pub(super) fn is_lined(self) -> bool {
        WORDS == FLAT || self.lined
    }

    #[inline(always)]
    pub(super) fn is_flat(self) -> bool {
        self.words() <= FLAT
    }

    /// Where the cells of an end are, for 64 groups.
    #[inline(always)]
    pub(super) fn cells(self, end: usize, word: usize) -> usize {
        let at = if self.is_lined() {
            2 * end * self.words() + word
        } else if self.is_flat() {
            word * self.section() + end
        } else {
            2 * (end * self.words() + word)
        };
        below::<WORDS>(at, 128 * WORDS * WORDS)
    }

    /// How far behind them its credits are.
    #[inline(always)]
    pub(super) fn to_credits(self) -> usize {
        if self.is_lined() {
            self.words()
        } else if self.is_flat() {
            self.words() * self.section()
        } else {
            1
        }
    }

    /// Whether a word is one of credits.
    pub(super) fn is_credit(self, at: usize) -> bool {
        at / self.to_credits() % 2 == 1
    }
}
