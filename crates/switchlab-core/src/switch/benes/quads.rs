//! Links of 256 groups: each end has four words of cells and four of credits, a line of cache, and is looked at in vectors.

use super::links::{Active, End};

/// The words of an end: four of cells and four of credits.
pub(super) type Line = [u64; 8];

/// Bit w: word w is 0.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
#[inline(always)]
fn zeros(words: [u64; 4]) -> u32 {
    use safe_arch::{cast_to_m256d_from_m256i, cmp_eq_mask_i64_m256i, m256i, move_mask_m256d, zeroed_m256i};
    let equal = cmp_eq_mask_i64_m256i(m256i::from(words), zeroed_m256i());
    move_mask_m256d(cast_to_m256d_from_m256i(equal)).cast_unsigned()
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
#[inline(always)]
fn zeros(words: [u64; 4]) -> u32 {
    words.iter().zip(0..).fold(0, |set, (&word, at)| set | u32::from(word == 0) << at)
}

/// Bit w: among groups 64 w to 64 w + 63 one has a cell and a credit.
#[inline(always)]
pub(super) fn summary(line: &Line) -> u32 {
    zeros(core::array::from_fn(|word| line[word] & line[4 + word])) ^ 15
}

/// Each end that has a group with a cell and a credit sends from the first one at or after its pointer, as [`super::links::Section::send`] does. Lists the ends and, in the lower 16 bits, the groups, and says
/// how many they are. Nothing is asked about an end: one that has nothing to send goes through the same, and is forgotten.
#[inline(always)]
pub(super) fn send_all<const SPENDS: bool>(lines: &mut [Line], ends: &mut [End], list: &mut [Active; 256]) -> usize {
    let mut count = 0;
    for ((line, own), end) in lines.iter_mut().zip(ends).zip(0..) {
        let pointer = usize::from(own.pointer);
        let (first, after) = (pointer / 64 % 4, u64::MAX << (pointer % 64));
        let summary = summary(line);
        let far = usize::from(line[first] & line[4 + first] & after == 0);
        // The pointer's word, if something is at or after the pointer, those above it, then from the first word on.
        let some = (summary | summary << 4) & (u32::MAX << (first + far));
        let at = some.trailing_zeros() as usize % 8;
        let word = at % 4;
        let eligible = line[word] & line[4 + word] & (after | u64::from(at != first).wrapping_neg());
        let bit = eligible & eligible.wrapping_neg();
        line[word] &= !bit;
        if SPENDS {
            line[4 + word] &= !bit;
        }
        let group = 64 * word + eligible.trailing_zeros() as usize % 64;
        list[count % 256] = end << 16 | group as u32;
        // All ones if there is something.
        let active = (some.wrapping_neg().cast_signed() >> 31).cast_unsigned();
        own.pointer = (pointer ^ ((pointer ^ ((group + 1) % 256)) & active as usize)) as u16;
        count += (active & 1) as usize;
    }
    count
}
