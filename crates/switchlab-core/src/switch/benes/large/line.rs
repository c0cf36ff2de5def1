//! The lines: what an element keeps of 16 flow groups, one word for each.

use crate::switch::benes::shape::Routing;

/// Groups of a line.
pub(in super::super) const GROUPS: usize = 16;

/// The words of 16 groups of an element, a line of cache:
///
/// ```text
///   bit 0    cells    output buffers that have a cell
///       P    credits  output buffers that have a credit
///       2 P  place    where the group's record is, or, without one, what the element remembers of the group
///       31   open     whether it has one
/// ```
///
/// An output buffer is named by its part: the output port in a distribution element, and in a routing element which part of the group goes there.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(in super::super) struct Line(pub(super) [u32; GROUPS]);

const OPEN: u32 = 1 << 31;

impl Line {
    /// Groups without a cell that remember nothing, and have all credits.
    pub(super) const fn empty<const P: usize>() -> Self {
        Self([((1 << P) - 1) << P; GROUPS])
    }
}

/// What lies below the place.
pub(super) const fn flags<const P: usize>(word: u32) -> u32 {
    word & ((1 << (2 * P)) - 1)
}

/// All ones if a group has a record. Masks, since a choice by a condition is often compiled to a branch.
#[inline(always)]
pub(super) const fn open(word: u32) -> u32 {
    (word.cast_signed() >> 31).cast_unsigned()
}

/// So many places a word can tell apart.
pub(super) const fn places<const P: usize>() -> usize {
    1 << (31 - 2 * P)
}

/// The place of a group, which has one, or what it remembers, if it has none.
#[inline(always)]
pub(super) const fn place<const P: usize>(word: u32) -> u32 {
    (word & !OPEN) >> (2 * P)
}

/// A word without flags: of a group with a record.
#[inline(always)]
pub(super) const fn at_place<const P: usize>(place: u32) -> u32 {
    OPEN | place << (2 * P)
}

/// A word without flags: of a group without one.
#[inline(always)]
pub(super) const fn remembering<const P: usize>(memory: u32) -> u32 {
    memory << (2 * P)
}

/// The groups of a line that have both a cell and a credit.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
#[derive(Clone, Copy)]
struct Eligible([safe_arch::m256i; 2]);

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
impl Eligible {
    #[inline(always)]
    fn new<const P: usize>(line: &Line) -> Self {
        use safe_arch::{bitand_m256i, m256i, shr_imm_u32_m256i};
        let (halves, _) = line.0.as_chunks::<8>();
        let of = |half: usize| {
            let words = m256i::from(halves[half]);
            let credits = match P {
                2 => shr_imm_u32_m256i::<2>(words),
                4 => shr_imm_u32_m256i::<4>(words),
                _ => shr_imm_u32_m256i::<8>(words),
            };
            bitand_m256i(words, credits)
        };
        Self([of(0), of(1)])
    }

    /// Bit g: group g has both for a part.
    #[inline(always)]
    fn of(self, part: usize) -> u32 {
        use safe_arch::{cast_to_m256_from_m256i, move_mask_m256, set_i32_m128i_s, shl_all_u32_m256i};
        let count = set_i32_m128i_s((31 - part as u32).cast_signed());
        let bits = self
            .0
            .map(|words| move_mask_m256(cast_to_m256_from_m256i(shl_all_u32_m256i(words, count))).cast_unsigned());
        bits[0] | bits[1] << 8
    }
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
#[derive(Clone, Copy)]
struct Eligible([u32; GROUPS]);

#[cfg(not(all(target_arch = "x86_64", target_feature = "avx2")))]
impl Eligible {
    #[inline(always)]
    fn new<const P: usize>(line: &Line) -> Self {
        Self(line.0.map(|word| word & word >> P))
    }

    #[inline(always)]
    fn of(self, part: usize) -> u32 {
        self.0.iter().zip(0..).fold(0, |bits, (word, group)| bits | (word >> part & 1) << group)
    }
}

/// How the groups of the links out of a stage lie in its lines.
///
/// A link's scheduler goes through its groups in their own order, 16 at a time: a chunk. In a distribution stage they lie in the line of the same number, in the bits of the output port. In a routing stage link group G at
/// output port p is a part of the group that has p for the digit of the stage where G has the part. If that digit lies above the 4 lowest bits, a chunk is one part of a line; if it lies within them, it is
/// all parts of some groups of a line; elements of 8 x 8 have one that lies across.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) distributes: bool,
    /// Bits of the digit, and where it begins.
    digit: u32,
    low: u32,
    /// So many of its bits lie within a chunk.
    pub(super) within: u32,
}

impl Frame {
    #[inline(always)]
    pub(super) fn new<const P: usize>(routing: Routing) -> Self {
        let (digit, inner) = (P.trailing_zeros(), GROUPS.trailing_zeros());
        let within = inner.saturating_sub(routing.low).min(digit);
        Self { distributes: routing.distributes, digit, low: routing.low, within }
    }

    /// The line in which a chunk of an output port lies, and the part, or the highest bits of the parts, that it is.
    #[inline(always)]
    pub(super) fn line(self, chunk: usize, port: usize) -> (usize, usize) {
        if self.distributes {
            return (chunk, port);
        }
        let (outside, from) = (self.digit - self.within, (self.low + self.within).saturating_sub(4));
        let part = chunk >> from & ((1 << outside) - 1);
        (chunk ^ ((part ^ port >> self.within) << from), part)
    }

    /// The same with elements of 4 x 4, where a chunk is all parts of four groups.
    #[inline(always)]
    fn nibbles(self, line: &Line, port: usize) -> u32 {
        let words = &line.0;
        let of = |group: usize, to: u32| (words[group % GROUPS] & words[group % GROUPS] >> 4 & 15) << to;
        if self.low == 0 {
            return of(port, 0) | of(port + 4, 4) | of(port + 8, 8) | of(port + 12, 12);
        }
        let first = 4 * port;
        let mut bits = of(first, 0) | of(first + 1, 4) | of(first + 2, 8) | of(first + 3, 12);
        // Four rows of four bits become four columns.
        let swapped = (bits ^ bits >> 3) & 0x0a0a;
        bits ^= swapped ^ swapped << 3;
        let swapped = (bits ^ bits >> 6) & 0x00cc;
        bits ^ swapped ^ swapped << 6
    }

    /// Bit g: the group of that rank in a chunk of an output port has a cell and a credit. `part` as [`Frame::line`] says.
    #[inline(always)]
    pub(super) fn eligible<const P: usize>(self, line: &Line, port: usize, part: usize) -> u32 {
        if P == 4 && !self.distributes && self.within == 2 {
            return self.nibbles(line, port);
        }
        let groups = Eligible::new::<P>(line);
        if self.distributes || self.within == 0 {
            return groups.of(part);
        }
        let parts = 1 << self.within;
        // The groups of a chunk in which the digit's bits are 0.
        let zero = match (self.within, self.low) {
            (1, 0) => 0x5555,
            (1, 1) => 0x3333,
            (1, 2) => 0x0f0f,
            (1, _) => 0x00ff,
            (2, 0) => 0x1111,
            (2, 1) => 0x0303,
            (2, _) => 0x000f,
            (_, 0) => 0x0101,
            (_, _) => 0x0003,
        };
        let own = (port & (parts - 1)) << self.low;
        (0..parts).fold(0, |bits, low| bits | (groups.of(part << self.within | low) >> own & zero) << (low << self.low))
    }
}
