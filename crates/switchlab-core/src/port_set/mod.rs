//! Sets of ports.

pub(crate) mod word;

use crate::cell::{NONE, Port};
use crate::scale::WORD;

/// A set of ports, or of memories, below `64 * W`: a bit for each. `W` is a constant, so that
/// operations are straight code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PortSet<const W: usize> {
    /// Port `p` is bit `p % 64` of word `p / 64`.
    pub(crate) words: [u64; W],
}

/// The index of a port's word. With a single word there is nothing to compute, and no bound to
/// check.
#[inline(always)]
const fn word_of<const W: usize>(port: usize) -> usize {
    if W == 1 { 0 } else { port / WORD }
}

impl<const W: usize> PortSet<W> {
    /// The empty set.
    pub const EMPTY: Self = Self { words: [0; W] };

    /// The ports `0..count`.
    pub fn all(count: usize) -> Self {
        let word = |word| match count.saturating_sub(word * WORD) {
            0 => 0,
            n @ 1..WORD => (1 << n) - 1,
            _ => u64::MAX,
        };
        Self { words: core::array::from_fn(word) }
    }

    /// The ports whose entry in a list is a port, and not [`NONE`].
    #[inline(always)]
    pub fn named(list: &[Port]) -> Self {
        let (list, tail) = list.as_chunks();
        Self::from_words(
            list.iter().map(|list: &[Port; WORD]| word::from_fn(|port| list[port] != NONE)),
            tail.iter().map(|&entry| entry != NONE),
        )
    }

    /// The ports whose entries in two lists differ.
    #[inline(always)]
    pub fn different(one: &[Port], other: &[Port]) -> Self {
        let ((one, tail), (other, other_tail)) = (one.as_chunks::<WORD>(), other.as_chunks::<WORD>());
        let words = one.iter().zip(other).map(|(one, other)| word::from_fn(|port| one[port] != other[port]));
        Self::from_words(words, tail.iter().zip(other_tail).map(|(one, other)| one != other))
    }

    /// Whole words, and port by port what is left of a list.
    #[inline(always)]
    fn from_words(words: impl ExactSizeIterator<Item = u64>, rest: impl Iterator<Item = bool>) -> Self {
        let (mut set, whole) = (Self::EMPTY, words.len());
        for (place, word) in set.words.iter_mut().zip(words) {
            *place = word;
        }
        for (bit, member) in rest.enumerate() {
            set.words[whole] |= u64::from(member) << bit;
        }
        set
    }

    /// Adds a port.
    #[inline(always)]
    pub fn insert(&mut self, port: usize) {
        self.words[word_of::<W>(port)] |= 1 << (port % WORD);
    }

    /// Removes a port.
    #[inline(always)]
    pub fn remove(&mut self, port: usize) {
        self.words[word_of::<W>(port)] &= !(1 << (port % WORD));
    }

    /// Removes a port if the condition holds, without a branch.
    #[inline(always)]
    pub fn remove_if(&mut self, port: usize, condition: bool) {
        self.words[word_of::<W>(port)] &= !(u64::from(condition) << (port % WORD));
    }

    /// Adds a port or removes it.
    #[inline(always)]
    pub fn assign(&mut self, port: usize, member: bool) {
        let (word, bit) = (&mut self.words[word_of::<W>(port)], port % WORD);
        *word = *word & !(1 << bit) | u64::from(member) << bit;
    }

    /// Whether a port is in the set.
    #[inline(always)]
    pub fn contains(&self, port: usize) -> bool {
        self.words[word_of::<W>(port)] >> (port % WORD) & 1 != 0
    }

    /// The ports in both sets.
    #[inline(always)]
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        Self { words: core::array::from_fn(|word| self.words[word] & other.words[word]) }
    }

    /// The ports that are not in the other set.
    #[inline(always)]
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        Self { words: core::array::from_fn(|word| self.words[word] & !other.words[word]) }
    }

    /// Adds all ports of another set.
    #[inline(always)]
    pub fn insert_all(&mut self, other: &Self) {
        for (word, other) in self.words.iter_mut().zip(&other.words) {
            *word |= other;
        }
    }

    /// Whether the set is empty.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    /// The number of ports in the set.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The first port at or after `pointer`, cyclically: a round-robin choice. None if the set is
    /// empty.
    #[inline(always)]
    pub fn first_from(&self, pointer: usize) -> Option<usize> {
        first_from::<W>(|word| self.words[word], pointer)
    }

    /// The same of the intersection with another set, of which only the words are made that are
    /// looked at.
    #[inline(always)]
    pub fn first_common_from(&self, other: &Self, pointer: usize) -> Option<usize> {
        first_from::<W>(|word| self.words[word] & other.words[word], pointer)
    }

    /// The port with exactly `rank` smaller ones in the set. The caller knows that there is one.
    #[inline(always)]
    pub fn nth(&self, rank: usize) -> usize {
        let mut rank = rank;
        let mut word = 0;
        if W <= 4 {
            // All words but the last, branch-free: which word it is in cannot be predicted.
            let mut below = 0;
            let mut skipped = 0;
            for &here in &self.words[..W - 1] {
                below += here.count_ones() as usize;
                let beyond = usize::from(rank >= below);
                word += beyond;
                skipped += (below - skipped) & beyond.wrapping_neg();
            }
            rank -= skipped;
        } else {
            while word + 1 < W {
                let here = self.words[word].count_ones() as usize;
                if rank < here {
                    break;
                }
                rank -= here;
                word += 1;
            }
        }
        word * WORD + word::nth(self.words[word], rank as u32)
    }

    /// The ports of the set, ascending.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = usize> + use<W> {
        Iter { words: self.words, word: 0, left: self.words[0] }
    }
}

impl<const W: usize> FromIterator<usize> for PortSet<W> {
    fn from_iter<T: IntoIterator<Item = usize>>(ports: T) -> Self {
        let mut set = Self::EMPTY;
        ports.into_iter().for_each(|port| set.insert(port));
        set
    }
}

/// See [`PortSet::first_from`]; the words of the set are made when they are looked at.
#[inline(always)]
fn first_from<const W: usize>(words: impl Fn(usize) -> u64, pointer: usize) -> Option<usize> {
    let (word, bit) = (word_of::<W>(pointer), pointer % WORD);
    let at_or_after = words(word) & (u64::MAX << bit);
    if W == 1 {
        let pick = if at_or_after != 0 { at_or_after } else { words(0) };
        return (pick != 0).then(|| pick.trailing_zeros() as usize);
    }
    if at_or_after != 0 {
        return Some(word * WORD + at_or_after.trailing_zeros() as usize);
    }
    // The word of the pointer comes again at the end, then for its bits below the pointer.
    (word + 1..W).chain(0..=word).find(|&w| words(w) != 0).map(|w| w * WORD + words(w).trailing_zeros() as usize)
}

/// Not a `flat_map` over the words, which tests its two ends for every port. What is left of a word
/// is in a register, not in the array.
struct Iter<const W: usize> {
    words: [u64; W],
    word: usize,
    left: u64,
}

impl<const W: usize> Iterator for Iter<W> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        while self.left == 0 {
            if W == 1 {
                return None;
            }
            self.word += 1;
            self.left = *self.words.get(self.word)?;
        }
        let bit = self.left.trailing_zeros() as usize;
        self.left &= self.left - 1;
        Some(if W == 1 { bit } else { self.word * WORD + bit })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    fn ports<const W: usize>(set: &PortSet<W>) -> Vec<usize> {
        set.iter().collect()
    }

    fn agree<const W: usize>(members: &BTreeSet<usize>, pointer: usize) {
        let mut set: PortSet<W> = members.iter().copied().collect();
        let listed: Vec<usize> = members.iter().copied().collect();
        assert_eq!(ports(&set), listed);
        assert_eq!(set.len(), listed.len());
        assert_eq!(set.is_empty(), listed.is_empty());
        let expected = listed.iter().find(|&&p| p >= pointer).or(listed.first()).copied();
        assert_eq!(set.first_from(pointer), expected);
        assert_eq!(set.first_common_from(&set, pointer), expected);
        let below = PortSet::all(pointer);
        assert_eq!(set.first_common_from(&below, pointer), listed.first().copied().filter(|&port| port < pointer));
        let (inside, outside): (Vec<usize>, Vec<usize>) = listed.iter().partition(|port| **port < pointer);
        assert_eq!(ports(&set.intersection(&below)), inside);
        assert_eq!(ports(&set.difference(&below)), outside);
        let mut both = set.difference(&below);
        both.insert_all(&set.intersection(&below));
        assert_eq!(both, set);
        for (rank, &port) in listed.iter().enumerate() {
            assert_eq!(set.nth(rank), port);
            assert!(set.contains(port));
        }
        assert_eq!(set.contains(pointer), members.contains(&pointer));
        if let Some(&port) = listed.first() {
            set.assign(port, true);
            assert_eq!(ports(&set), listed);
            set.assign(port, false);
            assert_eq!(ports(&set), listed[1..]);
            set.insert(port);
            set.remove_if(port, false);
            assert_eq!(ports(&set), listed);
            set.remove_if(port, true);
            assert_eq!(ports(&set), listed[1..]);
            set.insert(port);
            set.remove(port);
            assert_eq!(ports(&set), listed[1..]);
        }
        assert_eq!(ports(&below), (0..pointer).collect::<Vec<_>>());
        // Lists as long as the pointer says, that differ at the members.
        let one: Vec<Port> = (0..pointer as Port).collect();
        let other: Vec<Port> = (0..pointer).map(|port| (port + usize::from(members.contains(&port))) as Port).collect();
        assert_eq!(PortSet::<W>::named(&one), below);
        let some = other.iter().zip(&one).map(|(other, one)| if other == one { NONE } else { *one });
        let some: Vec<Port> = some.collect();
        assert_eq!(PortSet::<W>::named(&some), PortSet::different(&one, &other));
        assert_eq!(ports(&PortSet::<W>::different(&one, &other)), inside);
    }

    proptest! {
        #[test]
        fn one_word(members in prop::collection::btree_set(0usize..64, 0..64), pointer in 0usize..64) {
            agree::<1>(&members, pointer);
        }

        #[test]
        fn four_words(members in prop::collection::btree_set(0usize..256, 0..20), pointer in 0usize..256) {
            agree::<4>(&members, pointer);
        }

        #[test]
        fn sixteen_words(members in prop::collection::btree_set(0usize..1024, 0..20), pointer in 0usize..1024) {
            agree::<16>(&members, pointer);
        }
    }
}
