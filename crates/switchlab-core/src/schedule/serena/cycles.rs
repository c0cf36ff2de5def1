//! The cycles of a permutation of up to 64 vertices, all of them in parallel by pointer jumping.
//!
//! A walk along a cycle is a chain of dependent loads. Instead, every vertex computes the least
//! vertex among itself and the next one, among these and the next two, the next four, and so on:
//! each step doubles the distance, and six steps cover any cycle. A step is a table look-up for 64
//! bytes, by vector shuffles of 32 bytes.

/// The most vertices.
pub(super) const VERTICES: usize = 64;

/// For each vertex the least vertex of its cycle. No cycle has more than `longest` vertices.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
#[inline(always)]
pub(super) fn leaders(next: &[u8; VERTICES], longest: u32) -> [u8; VERTICES] {
    vectors::leaders(next, longest)
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
pub(super) fn leaders(next: &[u8; VERTICES], _longest: u32) -> [u8; VERTICES] {
    by_walking(next)
}

/// The entries of a table at 64 indices.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
#[inline(always)]
pub(super) fn look_up(table: &[u8; VERTICES], indices: &[u8; VERTICES]) -> [u8; VERTICES] {
    vectors::look_up(table, indices)
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
pub(super) fn look_up(table: &[u8; VERTICES], indices: &[u8; VERTICES]) -> [u8; VERTICES] {
    one_by_one(table, indices)
}

#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "avx2"))))]
fn one_by_one(table: &[u8; VERTICES], indices: &[u8; VERTICES]) -> [u8; VERTICES] {
    indices.map(|index| table[usize::from(index) % VERTICES])
}

/// The leaders by walking along one cycle after the other: the reference, and the portable form.
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "avx2"))))]
fn by_walking(next: &[u8; VERTICES]) -> [u8; VERTICES] {
    let mut leaders = [0; VERTICES];
    let mut waiting = u64::MAX;
    while waiting != 0 {
        let first = waiting.trailing_zeros() as u8;
        let mut vertex = first;
        while waiting >> (vertex % 64) & 1 != 0 {
            waiting ^= 1 << (vertex % 64);
            leaders[usize::from(vertex) % VERTICES] = first;
            vertex = next[usize::from(vertex) % VERTICES];
        }
    }
    leaders
}

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
mod vectors {
    use super::VERTICES;
    use safe_arch::{
        blend_varying_i8_m256i, m256i, min_u8_m256i, shl_imm_u16_m256i, shuffle_abi_i128z_all_m256i,
        shuffle_av_i8z_half_m256i,
    };

    /// A byte for each vertex.
    type Bytes = [m256i; 2];

    #[inline(always)]
    fn load(bytes: &[u8; VERTICES]) -> Bytes {
        let halves = bytes.as_chunks::<32>().0;
        [m256i::from(halves[0]), m256i::from(halves[1])]
    }

    #[inline(always)]
    fn bytes(vectors: Bytes) -> [u8; VERTICES] {
        let mut bytes = [0; VERTICES];
        let halves = bytes.as_chunks_mut::<32>().0;
        (halves[0], halves[1]) = (vectors[0].into(), vectors[1].into());
        bytes
    }

    #[inline(always)]
    pub(super) fn leaders(next: &[u8; VERTICES], longest: u32) -> [u8; VERTICES] {
        let mut least = load(&core::array::from_fn(|vertex| vertex as u8));
        let mut there = load(next);
        let mut seen = 1;
        while seen < longest {
            let indices = Indices::new(there);
            let others = indices.look_up(least);
            least = [min_u8_m256i(least[0], others[0]), min_u8_m256i(least[1], others[1])];
            there = indices.look_up(there);
            seen *= 2;
        }
        bytes(least)
    }

    #[inline(always)]
    pub(super) fn look_up(table: &[u8; VERTICES], indices: &[u8; VERTICES]) -> [u8; VERTICES] {
        bytes(Indices::new(load(indices)).look_up(load(table)))
    }

    /// Indices into a table of 64 bytes. `bit_4` and `bit_5` hold these bits of each index in the
    /// top bit of its byte: they select one of the table's four quarters of 16 bytes.
    struct Indices {
        all: Bytes,
        bit_4: Bytes,
        bit_5: Bytes,
    }

    impl Indices {
        #[inline(always)]
        fn new(indices: Bytes) -> Self {
            Self {
                all: indices,
                bit_4: indices.map(shl_imm_u16_m256i::<3>),
                bit_5: indices.map(shl_imm_u16_m256i::<2>),
            }
        }

        /// The entries of a table. An instruction looks up in 16 bytes, so that each quarter is
        /// looked up and the right one selected.
        #[inline(always)]
        fn look_up(&self, [first, second]: Bytes) -> Bytes {
            let quarters = [
                shuffle_abi_i128z_all_m256i::<0x00>(first, first),
                shuffle_abi_i128z_all_m256i::<0x11>(first, first),
                shuffle_abi_i128z_all_m256i::<0x00>(second, second),
                shuffle_abi_i128z_all_m256i::<0x11>(second, second),
            ];
            [0, 1].map(|half| {
                let [a, b, c, d] = quarters.map(|quarter| shuffle_av_i8z_half_m256i(quarter, self.all[half]));
                let odd = self.bit_4[half];
                blend_varying_i8_m256i(
                    blend_varying_i8_m256i(a, b, odd),
                    blend_varying_i8_m256i(c, d, odd),
                    self.bit_5[half],
                )
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    /// The least of all vertices that are met on the way around.
    fn in_words(next: &[u8; VERTICES], longest: u32) {
        let around = |vertex: u8| core::iter::successors(Some(vertex), |&vertex| Some(next[usize::from(vertex)]));
        let expected: Vec<u8> =
            (0..VERTICES as u8).map(|vertex| around(vertex).take(VERTICES).min().unwrap()).collect();
        assert_eq!(leaders(next, longest).to_vec(), expected);
        assert_eq!(by_walking(next).to_vec(), expected);
    }

    #[test]
    fn one_cycle_of_every_length() {
        for length in 1..=VERTICES {
            // Steps of 27 vertices, which is no divisor: neighbours on the cycle are far from each
            // other.
            let mut next: [u8; VERTICES] = core::array::from_fn(|vertex| vertex as u8);
            let vertices: Vec<usize> = (0..length).map(|step| step * 27 % VERTICES).collect();
            for (place, &vertex) in vertices.iter().enumerate() {
                next[vertex] = vertices[(place + 1) % length] as u8;
            }
            in_words(&next, length as u32);
            in_words(&next, VERTICES as u32);
        }
    }

    proptest! {
        #[test]
        fn any_permutation(order in Just((0..VERTICES as u8).collect::<Vec<_>>()).prop_shuffle()) {
            in_words(&core::array::from_fn(|vertex| order[vertex]), VERTICES as u32);
        }

        #[test]
        fn any_table(table: [u8; VERTICES], places in prop::array::uniform32((0..VERTICES as u8, 0..VERTICES as u8))) {
            let places = core::array::from_fn(|place| if place < 32 { places[place].0 } else { places[place - 32].1 });
            prop_assert_eq!(look_up(&table, &places), one_by_one(&table, &places));
        }
    }
}
