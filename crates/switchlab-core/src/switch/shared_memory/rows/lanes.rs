//! What `rows` does with vectors.

use safe_arch::{
    add_i16_m256i, bitandnot_m256i, blend_imm_i16_m256i, blend_varying_i8_m128i, blend_varying_i8_m256i,
    cast_to_m256_from_m256i, cmp_eq_mask_i16_m256i, cmp_eq_mask_i32_m256i, convert_to_i16_m256i_from_i8_m128i,
    convert_to_i16_m256i_from_lower8_u8_m128i, extract_m128i_from_m256i, insert_m128i_to_m256i, m128i, m256i,
    max_u16_m256i, min_u16_m256i, move_mask_i8_m256i, move_mask_m256, pack_i16_to_u8_m256i, set_splat_i16_m256i,
    set_splat_i32_m256i, shl_imm_u32_m256i, shr_imm_u16_m256i, shr_imm_u32_m256i, shuffle_ai_i64_all_m256i,
    shuffle_av_i32_all_m256i, zero_extend_m128i, zeroed_m256i,
};
pub(super) use safe_arch::{population_deposit_u64 as deposit, population_extract_u64 as extract};

/// By byte: the numbers of its bits that are set, ascending, one in each byte.
pub(super) const MEMBERS: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut at) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 != 0 {
                table[byte] |= bit << (8 * at);
                at += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// By the pairs of eight that start a segment: what to add to the first new end, for each edge's
/// neighbour; negative where no segment starts.
const STARTED: [[i8; 16]; 256] = {
    let mut table = [[-1; 16]; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut bit, mut end) = (0, 0);
        while bit < 8 {
            if byte >> bit & 1 != 0 {
                table[byte][2 * bit + 1] = end;
                table[byte][2 * bit] = end + 1;
                end += 2;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// The ends that eight pairs find, two for each pair, by memory.
pub(super) struct Eight(m256i);

impl Eight {
    /// Exchanges the ends stored at the two memories of each pair; a pair that starts a segment
    /// stores its own ends. Returns the ends that were stored before. With fewer than eight
    /// `PAIRS`, the first of the list.
    #[inline(always)]
    pub(super) fn exchange<const PAIRS: usize>(ends: &mut [u16; 256], list: &[u8; 16], starts: u8, fresh: u16) -> Self {
        let started = convert_to_i16_m256i_from_i8_m128i(m128i::from(STARTED[starts as usize]));
        let ends_started = add_i16_m256i(started, set_splat_i16_m256i(fresh.cast_signed()));
        let mut four = |list: &[u8], started, ends_started| {
            let mut lanes = [0; 8];
            for (lane, &memory) in lanes.iter_mut().zip(list) {
                *lane = ends[memory as usize];
            }
            let lanes = m128i::from(lanes);
            let next = <[u16; 8]>::from(blend_varying_i8_m128i(ends_started, lanes, started));
            for (edge, &memory) in list.iter().enumerate() {
                ends[memory as usize] = next[edge ^ 1];
            }
            lanes
        };
        let low = four(
            &list[..if PAIRS < 4 { 2 * PAIRS } else { 8 }],
            extract_m128i_from_m256i::<0>(started),
            extract_m128i_from_m256i::<0>(ends_started),
        );
        if PAIRS <= 4 {
            return Self(zero_extend_m128i(low));
        }
        let high =
            four(&list[8..], extract_m128i_from_m256i::<1>(started), extract_m128i_from_m256i::<1>(ends_started));
        Self(insert_m128i_to_m256i::<1>(zero_extend_m128i(low), high))
    }

    /// Lists the ends of different segments that meet. Returns how many.
    #[inline(always)]
    pub(super) fn meet(self, meets: u8, met: &mut [u32; 8]) -> usize {
        let differ = (self.0 ^ shr_imm_u32_m256i::<16>(self.0)) & set_splat_i32_m256i(0xfffe);
        let same = move_mask_m256(cast_to_m256_from_m256i(cmp_eq_mask_i32_m256i(differ, zeroed_m256i())));
        let members = meets & !(same as u8);
        let order = convert_to_i16_m256i_from_lower8_u8_m128i(m128i::from([MEMBERS[members as usize], 0]));
        *met = shuffle_av_i32_all_m256i(self.0, order).into();
        members.count_ones() as usize
    }
}

/// Replaces the two ends that met, in each lane, by an end of the later segment and, above it, the
/// end of the earlier segment that has the colour of the later one's first end.
#[inline(always)]
pub(super) fn sort(met: &mut [u32; 8]) {
    let lanes = m256i::from(*met);
    let turned = shr_imm_u32_m256i::<16>(lanes) | shl_imm_u32_m256i::<16>(lanes);
    let (earlier, later) = (min_u16_m256i(lanes, turned), max_u16_m256i(lanes, turned));
    let like = earlier ^ bitandnot_m256i(later, set_splat_i16_m256i(1));
    *met = blend_imm_i16_m256i::<0b1010_1010>(later, like).into();
}

/// Of each of `PAIRS` pairs of a list its first memory, or its second.
#[inline(always)]
pub(super) fn chosen<const PAIRS: usize>(list: &mut [u8; 64], second: u32) {
    let [low, high] = [0, 16].map(|pair| {
        let bits = m256i::from(core::array::from_fn::<u16, 16, _>(|bit| 1 << bit));
        let lanes = m256i::from(*list[2 * pair..].first_chunk::<32>().unwrap_or(&[0; 32]));
        let second = cmp_eq_mask_i16_m256i(set_splat_i16_m256i((second >> pair) as i16) & bits, bits);
        blend_varying_i8_m256i(lanes & set_splat_i16_m256i(0xff), shr_imm_u16_m256i::<8>(lanes), second)
    });
    let high = if PAIRS > 16 { high } else { low };
    let chosen = <[u8; 32]>::from(shuffle_ai_i64_all_m256i::<0b11_01_10_00>(pack_i16_to_u8_m256i(low, high)));
    list[..32].copy_from_slice(&chosen);
}

/// The signs of 32 bytes.
#[inline(always)]
pub(super) fn signs(bytes: &[u8; 32]) -> u32 {
    move_mask_i8_m256i(m256i::from(*bytes)).cast_unsigned()
}
