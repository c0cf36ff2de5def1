//! A word of 64 ports: what one word of a [`super::PortSet`] is made from, and lists of 64 ports.

use super::PortSet;
use crate::cell::{NONE, Port};

/// The ports of a word, ascending.
#[inline(always)]
pub(crate) fn ports(word: u64) -> impl Iterator<Item = usize> {
    PortSet::<1> { words: [word] }.iter()
}

/// The ports for which a predicate holds. It is evaluated for all 64 and compiles to vector
/// comparisons.
#[inline(always)]
pub(crate) fn from_fn(holds: impl Fn(usize) -> bool) -> u64 {
    from_bytes(&core::array::from_fn(|port| u8::from(holds(port))))
}

/// A list of up to 64 ports, padded with [`NONE`]: itself if it has 64, else a copy in `room`.
#[inline(always)]
pub(crate) fn padded<'a>(list: &'a [Port], room: &'a mut [Port; 64]) -> &'a [Port; 64] {
    match list.first_chunk() {
        Some(list) => list,
        None => padded_copy(list, room),
    }
}

#[inline(never)]
fn padded_copy<'a>(list: &[Port], room: &'a mut [Port; 64]) -> &'a [Port; 64] {
    *room = [NONE; 64];
    room[..list.len()].copy_from_slice(list);
    room
}

/// A bit for each byte, which is 0 or 1. Where the processor gathers the highest bits of bytes
/// itself.
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

/// The same in portable code: eight bytes become bits by a multiplication. Of byte k, bit 8 k goes
/// to bit 56 + k.
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "avx2"))))]
#[inline(always)]
pub(crate) fn from_bytes_by_products(members: &[u8; 64]) -> u64 {
    let bits = |&eight: &[u8; 8]| u64::from_le_bytes(eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    members.as_chunks::<8>().0.iter().rev().fold(0, |word, eight| word << 8 | bits(eight))
}

/// Replaces the entries of some ports in a list. Sixteen at a time: of any other way to say it the
/// compiler makes a branch for each port.
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

/// The position of the set bit with `rank` set bits below it, where the processor scatters bits
/// itself: bit `rank` goes to just there.
#[cfg(all(target_arch = "x86_64", target_feature = "bmi2"))]
#[inline(always)]
pub(crate) fn nth(word: u64, rank: u32) -> usize {
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
    1 << (nth(word, rank) % 64)
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "bmi2")))]
pub(crate) use nth_by_sums as nth;

/// The same in portable code: the byte by a comparison of all eight at once, the bit within it by a
/// table (Vigna, "Broadword implementation of rank/select queries", 2008). No branch and no loop
/// depends on the rank. A binary search over halves takes more instructions, each waiting for the
/// one before.
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "bmi2"))))]
#[inline(always)]
pub(crate) fn nth_by_sums(word: u64, rank: u32) -> usize {
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

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn vectors_and_portable_code_agree(word: u64) {
            let members: Vec<usize> = (0..64).filter(|port| word >> port & 1 != 0).collect();
            prop_assert_eq!(ports(word).collect::<Vec<_>>(), members.clone());
            for (rank, &port) in members.iter().enumerate() {
                prop_assert_eq!((nth(word, rank as u32), nth_by_sums(word, rank as u32)), (port, port));
                prop_assert_eq!(member(word, rank as u32), 1 << port);
            }
            let bytes = core::array::from_fn(|port| u8::from(members.contains(&port)));
            prop_assert_eq!((from_bytes(&bytes), from_bytes_by_products(&bytes)), (word, word));
            prop_assert_eq!(from_fn(|port| members.contains(&port)), word);
            let list: [Port; 64] = core::array::from_fn(|port| port as Port);
            let by = list.map(|port| 100 + port);
            let expected = list.map(|port| if word >> port & 1 == 0 { port } else { 100 + port });
            let (mut at_once, mut each) = (list, list);
            replace_where(word, &by, &mut at_once);
            replace_each(word, &by, &mut each);
            prop_assert_eq!((at_once, each), (expected, expected));
            let short = &list[..members.len().min(63)];
            let mut room = [0; 64];
            prop_assert!(padded(short, &mut room).iter().take_while(|&&port| port != NONE).eq(short));
            prop_assert_eq!(padded(&list, &mut room), &list);
        }
    }
}
