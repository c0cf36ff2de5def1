//! Sets of ports as rows of `W` 64-bit words, `W` a constant: a fixed width compiles to straight code.

use crate::cell::{NONE, Port};

/// The empty set.
pub const fn empty<const W: usize>() -> [u64; W] {
    [0; W]
}

/// The set of the ports `0..count`.
pub fn first<const W: usize>(count: usize) -> [u64; W] {
    core::array::from_fn(|word| match count.saturating_sub(word * 64) {
        0 => 0,
        n @ 1..=63 => (1 << n) - 1,
        _ => u64::MAX,
    })
}

/// The word that a port is in. With a single word there is nothing to compute, and no bound to check.
#[inline(always)]
const fn word<const W: usize>(port: usize) -> usize {
    if W == 1 { 0 } else { port / 64 }
}

/// Adds a port.
#[inline(always)]
pub fn set<const W: usize>(row: &mut [u64; W], port: usize) {
    row[word::<W>(port)] |= 1 << (port % 64);
}

/// Removes a port.
#[inline(always)]
pub fn unset<const W: usize>(row: &mut [u64; W], port: usize) {
    row[word::<W>(port)] &= !(1 << (port % 64));
}

/// Removes a port if it is no member any more. Costs less than a branch that nobody can predict.
#[inline(always)]
pub fn unset_if<const W: usize>(row: &mut [u64; W], port: usize, gone: bool) {
    row[word::<W>(port)] &= !(u64::from(gone) << (port % 64));
}

/// The ports where two lists differ.
#[inline(always)]
pub fn different<const W: usize>(one: &[Port], other: &[Port]) -> [u64; W] {
    let ((one, tail), (other, other_tail)) = (one.as_chunks::<64>(), other.as_chunks::<64>());
    let words = one.iter().zip(other).map(|(one, other)| word_where(|port| one[port] != other[port]));
    with_rest(words, tail.iter().zip(other_tail).map(|(one, other)| one != other))
}

/// The ports whose entry in a list is a port, and not [`NONE`].
#[inline(always)]
pub fn named<const W: usize>(list: &[Port]) -> [u64; W] {
    let (list, tail) = list.as_chunks();
    with_rest(
        list.iter().map(|list: &[Port; 64]| word_where(|port| list[port] != NONE)),
        tail.iter().map(|&entry| entry != NONE),
    )
}

/// A list of ports, of inputs or outputs, as long as it can be: itself, or a copy in `room`.
#[inline(always)]
pub(crate) fn padded<'a>(list: &'a [Port], room: &'a mut [Port; 64]) -> &'a [Port; 64] {
    match list.first_chunk() {
        Some(list) => list,
        None => padded_apart(list, room),
    }
}

#[inline(never)]
fn padded_apart<'a>(list: &[Port], room: &'a mut [Port; 64]) -> &'a [Port; 64] {
    *room = [NONE; 64];
    room[..list.len()].copy_from_slice(list);
    room
}

/// Whole words, and what is left of a list, port by port.
#[inline(always)]
fn with_rest<const W: usize>(words: impl ExactSizeIterator<Item = u64>, rest: impl Iterator<Item = bool>) -> [u64; W] {
    let mut row = empty();
    let whole = words.len();
    for (place, word) in row.iter_mut().zip(words) {
        *place = word;
    }
    for (bit, member) in rest.enumerate() {
        row[whole] |= u64::from(member) << bit;
    }
    row
}

/// The ports of a word for which something holds: asked for many at a time, for there are just so many as there are.
#[inline(always)]
pub(crate) fn word_where(holds: impl Fn(usize) -> bool) -> u64 {
    from_bytes(&core::array::from_fn(|port| u8::from(holds(port))))
}

/// A bit for each byte, which is 0 or 1. Where the processor gathers the highest bits of bytes itself.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
#[inline(always)]
pub(crate) fn from_bytes(members: &[u8; 64]) -> u64 {
    use safe_arch::{cmp_gt_mask_i8_m256i, m256i, move_mask_i8_m256i, zeroed_m256i};
    let (halves, _) = members.as_chunks::<32>();
    let half = |half: usize| move_mask_i8_m256i(cmp_gt_mask_i8_m256i(m256i::from(halves[half]), zeroed_m256i())) as u32;
    u64::from(half(0)) | u64::from(half(1)) << 32
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
pub(crate) use from_bytes_by_products as from_bytes;

/// The same in portable code: eight bytes become bits by a multiplication. Of byte k, bit 8 k goes to bit 56 + k.
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "avx2"))))]
#[inline(always)]
pub(crate) fn from_bytes_by_products(members: &[u8; 64]) -> u64 {
    let bits = |&eight: &[u8; 8]| u64::from_le_bytes(eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    members.as_chunks::<8>().0.iter().rev().fold(0, |word, eight| word << 8 | bits(eight))
}

/// Replaces the entries of some ports in a list. Sixteen at a time: of any other way to say it the compiler makes a branch for each port.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
#[inline(always)]
pub(crate) fn replace_where(ports: u64, by: &[Port; 64], list: &mut [Port; 64]) {
    use safe_arch::{blend_varying_i8_m256i, cmp_eq_mask_i16_m256i, m256i, set_splat_i16_m256i};
    let bits = m256i::from(core::array::from_fn::<u16, 16, _>(|port| 1 << port));
    let (list, by) = (list.as_chunks_mut::<16>().0, by.as_chunks::<16>().0);
    for ((list, &by), word) in list.iter_mut().zip(by).zip(0..) {
        let ports = set_splat_i16_m256i((ports >> (16 * word)) as i16) & bits;
        let replaced = cmp_eq_mask_i16_m256i(ports, bits);
        *list = blend_varying_i8_m256i(m256i::from(*list), m256i::from(by), replaced).into();
    }
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
pub(crate) use replace_each as replace_where;

/// The same in portable code.
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "avx2"))))]
#[inline(always)]
pub(crate) fn replace_each(ports: u64, by: &[Port; 64], list: &mut [Port; 64]) {
    for (port, (entry, &by)) in list.iter_mut().zip(by).enumerate() {
        *entry = if ports >> port & 1 == 0 { *entry } else { by };
    }
}

/// Adds a port, or removes it.
#[inline(always)]
pub fn assign<const W: usize>(row: &mut [u64; W], port: usize, member: bool) {
    let (word, bit) = (&mut row[word::<W>(port)], port % 64);
    *word = *word & !(1 << bit) | u64::from(member) << bit;
}

/// Whether a port is in the set.
#[inline(always)]
pub fn has<const W: usize>(row: &[u64; W], port: usize) -> bool {
    row[word::<W>(port)] >> (port % 64) & 1 != 0
}

/// The intersection.
#[inline(always)]
pub fn and<const W: usize>(a: &[u64; W], b: &[u64; W]) -> [u64; W] {
    core::array::from_fn(|word| a[word] & b[word])
}

/// Whether no port is in the set.
#[inline(always)]
pub fn is_empty<const W: usize>(row: &[u64; W]) -> bool {
    row.iter().all(|&word| word == 0)
}

/// How many ports are in the set.
#[inline(always)]
pub fn count<const W: usize>(row: &[u64; W]) -> usize {
    row.iter().map(|word| word.count_ones() as usize).sum()
}

/// The first port at or after `pointer`, cyclically: a round-robin choice. None if the set is empty.
#[inline(always)]
pub fn next_from<const W: usize>(row: &[u64; W], pointer: usize) -> Option<usize> {
    next_among::<W>(|word| row[word], pointer)
}

/// The same for a set whose words are made when they are asked for, which few of many are.
#[inline(always)]
pub fn next_among<const W: usize>(row: impl Fn(usize) -> u64, pointer: usize) -> Option<usize> {
    let (word, bit) = (word::<W>(pointer), pointer % 64);
    let at_or_after = row(word) & (u64::MAX << bit);
    if W == 1 {
        let pick = if at_or_after != 0 { at_or_after } else { row(0) };
        return (pick != 0).then(|| pick.trailing_zeros() as usize);
    }
    if at_or_after != 0 {
        return Some(word * 64 + at_or_after.trailing_zeros() as usize);
    }
    // The word of the pointer comes again at the end, now for its bits below the pointer.
    (word + 1..W).chain(0..=word).find(|&w| row(w) != 0).map(|w| w * 64 + row(w).trailing_zeros() as usize)
}

/// The port with exactly `rank` smaller ones in the set. The caller knows that there is one.
#[inline(always)]
pub fn select<const W: usize>(row: &[u64; W], rank: usize) -> usize {
    let mut rank = rank;
    let mut word = 0;
    if W <= 4 {
        // All words but the last, without a branch: which word it is in is as good as random.
        let mut below = 0;
        let mut skipped = 0;
        for &here in &row[..W - 1] {
            below += here.count_ones() as usize;
            let beyond = usize::from(rank >= below);
            word += beyond;
            skipped += (below - skipped) & beyond.wrapping_neg();
        }
        rank -= skipped;
    } else {
        while word + 1 < W {
            let here = row[word].count_ones() as usize;
            if rank < here {
                break;
            }
            rank -= here;
            word += 1;
        }
    }
    word * 64 + select_in_word(row[word], rank as u32)
}

/// The position of the set bit with `rank` set bits below it, where the processor scatters bits itself: bit `rank` goes to just there.
#[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
#[inline(always)]
fn select_in_word(word: u64, rank: u32) -> usize {
    member(word, rank).trailing_zeros() as usize
}

/// The member of this rank, as a word of its own.
#[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
#[inline(always)]
pub(crate) fn member(word: u64, rank: u32) -> u64 {
    safe_arch::population_deposit_u64(1 << (rank % 64), word)
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
#[inline(always)]
pub(crate) fn member(word: u64, rank: u32) -> u64 {
    1 << (select_in_word(word, rank) % 64)
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
use select_by_sums as select_in_word;

/// The same in portable code: the byte by a comparison of all eight at once, the bit within it by a
/// table (Vigna, "Broadword implementation of rank/select queries", 2008). No branch and no loop depends on the rank. A binary search over halves
/// takes more instructions, each waiting for the one before.
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "bmi2"))))]
#[inline(always)]
fn select_by_sums(word: u64, rank: u32) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = 0x80 * ONES;
    let pairs = word - ((word >> 1) & (0x55 * ONES));
    let nibbles = (pairs & (0x33 * ONES)) + ((pairs >> 2) & (0x33 * ONES));
    // In each byte, the set bits up to its end.
    let sums = ((nibbles + (nibbles >> 4)) & (0x0f * ONES)).wrapping_mul(ONES);
    let at_most = (((u64::from(rank) * ONES) | TOPS) - sums) & TOPS;
    let start = at_most.count_ones() * 8;
    let before = (sums << 8) >> start;
    let within = rank.wrapping_sub(before as u32) % 8;
    (start + u32::from(IN_BYTE[usize::from((word >> start) as u8)][within as usize])) as usize
}

/// By byte and rank: the position of that set bit.
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "bmi2"))))]
static IN_BYTE: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut rank) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 != 0 {
                table[byte][rank] = bit as u8;
                rank += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// The ports of the set, ascending.
#[inline]
pub fn ports<const W: usize>(row: &[u64; W]) -> impl Iterator<Item = usize> {
    Ports { row: *row, word: 0, left: row[0] }
}

/// Not a `flat_map` over the words, which looks at its two ends for every port; and what is left of a word is in a register, not in the row.
struct Ports<const W: usize> {
    row: [u64; W],
    word: usize,
    left: u64,
}

impl<const W: usize> Iterator for Ports<W> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        while self.left == 0 {
            if W == 1 {
                return None;
            }
            self.word += 1;
            self.left = *self.row.get(self.word)?;
        }
        let bit = self.left.trailing_zeros() as usize;
        self.left &= self.left - 1;
        Some(if W == 1 { bit } else { self.word * 64 + bit })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::BTreeSet;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    fn agree<const W: usize>(members: &BTreeSet<usize>, pointer: usize) {
        let mut row = empty::<W>();
        for &port in members {
            set(&mut row, port);
        }
        let listed: Vec<usize> = members.iter().copied().collect();
        assert_eq!(ports(&row).collect::<Vec<_>>(), listed);
        assert_eq!(count(&row), listed.len());
        assert_eq!(is_empty(&row), listed.is_empty());
        let expected = listed.iter().find(|&&p| p >= pointer).or(listed.first()).copied();
        assert_eq!(next_from(&row, pointer), expected);
        assert_eq!(next_among::<W>(|word| row[word], pointer), expected);
        for (rank, &port) in listed.iter().enumerate() {
            assert_eq!(select(&row, rank), port);
            let (word, below) = (row[port / 64], rank - count(&and(&row, &first(port / 64 * 64))));
            assert_eq!(select_by_sums(word, below as u32), port % 64);
            assert!(has(&row, port));
        }
        assert_eq!(has(&row, pointer), members.contains(&pointer));
        if let Some(&port) = listed.first() {
            assign(&mut row, port, true);
            assert_eq!(ports(&row).collect::<Vec<_>>(), listed);
            assign(&mut row, port, false);
            assert_eq!(ports(&row).collect::<Vec<_>>(), listed[1..]);
            set(&mut row, port);
            unset_if(&mut row, port, false);
            assert_eq!(ports(&row).collect::<Vec<_>>(), listed);
            unset_if(&mut row, port, true);
            assert_eq!(ports(&row).collect::<Vec<_>>(), listed[1..]);
            set(&mut row, port);
            unset(&mut row, port);
            assert_eq!(ports(&row).collect::<Vec<_>>(), listed[1..]);
        }
        assert_eq!(ports(&first::<W>(pointer)).collect::<Vec<_>>(), (0..pointer).collect::<Vec<_>>());
        // Lists as long as the pointer says, that differ at the members.
        let one: Vec<Port> = (0..pointer as Port).collect();
        let other: Vec<Port> = (0..pointer).map(|port| (port + usize::from(members.contains(&port))) as Port).collect();
        assert_eq!(ports(&named::<W>(&one)).collect::<Vec<_>>(), (0..pointer).collect::<Vec<_>>());
        let some = other.iter().zip(&one).map(|(other, one)| if other == one { NONE } else { *one });
        let some: Vec<Port> = some.collect();
        assert_eq!(named::<W>(&some), different::<W>(&one, &other));
        let differ: Vec<usize> = listed.iter().copied().filter(|&port| port < pointer).collect();
        assert_eq!(ports(&different::<W>(&one, &other)).collect::<Vec<_>>(), differ);
        for (place, &word) in row.iter().enumerate() {
            let list: [Port; 64] = core::array::from_fn(|port| port as Port);
            let by = list.map(|port| 100 + port);
            let expected = list.map(|port| if word >> port & 1 == 0 { port } else { 100 + port });
            let (mut at_once, mut each) = (list, list);
            replace_where(word, &by, &mut at_once);
            replace_each(word, &by, &mut each);
            assert_eq!((at_once, each), (expected, expected));
            let bytes = core::array::from_fn(|bit| u8::from(has(&row, place * 64 + bit)));
            assert_eq!((from_bytes(&bytes), from_bytes_by_products(&bytes)), (word, word));
        }
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
    }
}
