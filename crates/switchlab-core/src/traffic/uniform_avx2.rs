//! Uniform Bernoulli arrivals with AVX2: four inputs at a time, for all slots of a block. The draws
//! are those of `bernoulli`, since every input draws from a stream of its own. The state words of
//! the four streams stay in registers.
//!
//! The vector instructions are written out, because the compiler does not vectorise a loop over
//! slots. A loop over inputs is vectorised, but stores every state in every slot and takes half as
//! many instructions again.

use crate::cell::Port;
use crate::rng::Streams;
use safe_arch::{
    add_i64_m256i, blend_imm_i32_m256i, cmp_eq_mask_i16_m128i, extract_m128i_m256i, m128i, m256i, max_u16_m128i,
    mul_u64_low_bits_m256i, pack_i32_to_u16_m128i, set_splat_i16_m128i, set_splat_i64_m256i, shl_imm_u64_m256i,
    shr_imm_u64_m256i, shuffle_av_i32_all_m256i, zeroed_m256i,
};

/// The inputs in a vector.
pub(super) const LANES: usize = 4;

/// The factor of a draw, a fixed-point number with 32 fractional bits, and the number of columns.
pub(super) struct Uniform {
    whole: m256i,
    fraction: m256i,
    columns: m128i,
}

impl Uniform {
    pub(super) fn new(factor: u64, columns: Port) -> Self {
        Self {
            whole: set_splat_i64_m256i((factor >> 32).cast_signed()),
            fraction: set_splat_i64_m256i((factor & 0xffff_ffff).cast_signed()),
            columns: set_splat_i16_m128i(columns.cast_signed()),
        }
    }

    /// Fills the rows of a block. `inputs` is a multiple of [`LANES`].
    pub(super) fn fill(&self, streams: &mut Streams, inputs: usize, rows: &mut [Port]) {
        let (rows, _) = rows.as_chunks_mut::<LANES>();
        let pitch = inputs / LANES;
        let [a, b, c, d] = streams.words().map(|words| words.as_chunks_mut::<LANES>().0);
        let states = a.iter_mut().zip(b).zip(c.iter_mut().zip(d));
        for (group, ((a, b), (c, d))) in states.enumerate() {
            let mut state = [*a, *b, *c, *d].map(m256i::from);
            let mut index = group;
            // Two slots at a time: their columns share a vector.
            while index + pitch < rows.len() {
                let both = self.outputs(self.column(draw(&mut state)), self.column(draw(&mut state)));
                let ([first, second], _) = both.as_chunks() else { unreachable!("the vector has two rows") };
                (rows[index], rows[index + pitch]) = (*first, *second);
                index += 2 * pitch;
            }
            if let Some(last) = rows.get_mut(index) {
                let column = self.column(draw(&mut state));
                last.copy_from_slice(&self.outputs(column, column)[..LANES]);
            }
            [*a, *b, *c, *d] = state.map(Into::into);
        }
    }

    /// The whole part of draws times the factor, over 2^64.
    #[inline(always)]
    fn column(&self, draws: m256i) -> m128i {
        let high = shr_imm_u64_m256i::<32>(draws);
        let times = mul_u64_low_bits_m256i;
        let middle = add_i64_m256i(times(high, self.fraction), shr_imm_u64_m256i::<32>(times(draws, self.fraction)));
        let low = blend_imm_i32_m256i::<0b1010_1010>(middle, zeroed_m256i());
        let carried = shr_imm_u64_m256i::<32>(add_i64_m256i(low, times(draws, self.whole)));
        let product = add_i64_m256i(times(high, self.whole), shr_imm_u64_m256i::<32>(middle));
        let high_halves = m256i::from([1, 3, 5, 7, 1, 3, 5, 7]);
        extract_m128i_m256i::<0>(shuffle_av_i32_all_m256i(add_i64_m256i(product, carried), high_halves))
    }

    /// The outputs of columns, NONE beyond the last column.
    #[inline(always)]
    fn outputs(&self, first: m128i, second: m128i) -> [Port; 2 * LANES] {
        // The pack saturates: what does not fit 16 bits becomes the largest number.
        let columns = pack_i32_to_u16_m128i(first, second);
        let beyond = cmp_eq_mask_i16_m128i(max_u16_m128i(columns, self.columns), columns);
        (columns | beyond).into()
    }
}

/// The next draw of four streams: see [`crate::rng`].
#[inline(always)]
fn draw([a, b, c, d]: &mut [m256i; 4]) -> m256i {
    let sum = add_i64_m256i(*a, *d);
    let result = add_i64_m256i(shl_imm_u64_m256i::<23>(sum) | shr_imm_u64_m256i::<41>(sum), *a);
    let t = shl_imm_u64_m256i::<17>(*b);
    *c ^= *a;
    *d ^= *b;
    *b ^= *c;
    *a ^= *d;
    *c ^= t;
    *d = shl_imm_u64_m256i::<45>(*d) | shr_imm_u64_m256i::<19>(*d);
    result
}
