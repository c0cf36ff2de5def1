//! Group lines: what an element keeps of 16 flow groups, one word for each.

use crate::switch::benes::routing::Routing;

/// Groups of a line.
pub(super) const GROUPS: usize = 16;

/// The words of 16 groups of an element, a cache line:
///
/// ```text
///   bit 0    cells    output buffers that have a cell
///       P    credits  output buffers that have a credit
///       2 P  record   the index of the group's record, or the bits of its state that are kept
///       31   open     whether it has a record
/// ```
///
/// An output buffer is named by its part: the output port in a distribution element, and in a
/// routing element which part of the group goes there.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct GroupLine(pub(super) [u32; GROUPS]);

impl GroupLine {
    /// Groups without a cell, with pointers of 0 and all credits.
    pub(super) const fn empty<const P: usize>() -> Self {
        Self([((1 << P) - 1) << P; GROUPS])
    }
}

/// The bits of cells and credits.
pub(super) const fn flags<const P: usize>(word: u32) -> u32 {
    word & ((1 << (2 * P)) - 1)
}

/// The number of records that a word can tell apart.
pub(super) const fn max_records<const P: usize>() -> usize {
    1 << (31 - 2 * P)
}

/// The groups of a line that have both a cell and a credit.
#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
#[derive(Clone, Copy)]
struct Eligible([safe_arch::m256i; 2]);

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
impl Eligible {
    #[inline(always)]
    fn new<const P: usize>(line: &GroupLine) -> Self {
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

    /// Bit g: group g has a cell and a credit for a part.
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
    fn new<const P: usize>(line: &GroupLine) -> Self {
        Self(line.0.map(|word| word & word >> P))
    }

    #[inline(always)]
    fn of(self, part: usize) -> u32 {
        self.0.iter().zip(0..).fold(0, |bits, (word, group)| bits | (word >> part & 1) << group)
    }
}

/// How the groups of the links out of a stage lie in its lines.
///
/// An arbiter scans the groups of its link in ascending order, in chunks of 16. In a
/// distribution stage a chunk lies in the line of the same number, in the bits of the output port.
/// In a routing stage, link group G at output port p is a part of the group that has p for the
/// digit of the stage where G has the part. If that digit lies above the 4 lowest bits, a chunk is
/// one part of a line. If it lies within them, a chunk is all parts of some groups of a line.
/// Elements of 8 x 8 have a digit that lies across.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) distributes: bool,
    /// Bits of the digit, and where it begins.
    digit: u32,
    low: u32,
    /// How many of its bits lie within a chunk.
    pub(super) within: u32,
}

impl Frame {
    pub(super) fn new<const P: usize>(routing: Routing) -> Self {
        let (digit, inner) = (P.trailing_zeros(), GROUPS.trailing_zeros());
        let within = inner.saturating_sub(routing.low).min(digit);
        Self { distributes: routing.distributes, digit, low: routing.low, within }
    }

    /// The line in which a chunk of an output port lies, and its part, or the highest bits of its
    /// parts.
    pub(super) fn line(self, chunk: usize, port: usize) -> (usize, usize) {
        if self.distributes {
            return (chunk, port);
        }
        let (outside, from) = (self.digit - self.within, (self.low + self.within).saturating_sub(4));
        let part = chunk >> from & ((1 << outside) - 1);
        (chunk ^ ((part ^ port >> self.within) << from), part)
    }

    /// Bit g: group g of a chunk of an output port has a cell and a credit. `part` is as
    /// [`Self::line`] says.
    #[inline(always)]
    pub(super) fn eligible<const P: usize>(self, line: &GroupLine, port: usize, part: usize) -> u32 {
        let groups = Eligible::new::<P>(line);
        if self.distributes || self.within == 0 {
            return groups.of(part);
        }
        let parts = 1 << self.within;
        // The groups of a chunk in which the bits of the digit are 0: runs of 2^low ones, repeated
        // after 2^(low + within) bits.
        let zero = 0xffff / ((1 << (1 << (self.low + self.within))) - 1) * ((1 << (1 << self.low)) - 1);
        let own = (port & (parts - 1)) << self.low;
        (0..parts).fold(0, |bits, low| bits | (groups.of(part << self.within | low) >> own & zero) << (low << self.low))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Seed};
    use alloc::vec;

    /// The groups of a link that can send, chunk by chunk, against each group by itself.
    fn chunks_agree_with_groups<const P: usize>(ports: usize) {
        let digit = P.trailing_zeros();
        let mut rng = Seed { seed: 5, replication: 0 }.stream(Purpose::Fabric, 0);
        let levels = ports.trailing_zeros() / digit;
        for (distributes, level) in [true, false].into_iter().flat_map(|d| (0..levels).map(move |level| (d, level))) {
            let routing = Routing { distributes, split: true, low: level * digit };
            let mut lines = vec![GroupLine([0; GROUPS]); ports / GROUPS];
            lines.iter_mut().flat_map(|line| &mut line.0).for_each(|word| *word = rng.next() as u32);
            let frame = Frame::new::<P>(routing);
            for (port, group) in (0..P).flat_map(|port| (0..ports).map(move |group| (port, group))) {
                let (inner, part) = routing.behind::<P>(port, group);
                let flags = lines[inner / GROUPS].0[inner % GROUPS] >> part;
                let (line, parts) = frame.line(group / GROUPS, port);
                let eligible = frame.eligible::<P>(&lines[line], port, parts);
                let able = flags & flags >> P & 1;
                assert_eq!(
                    eligible >> (group % GROUPS) & 1,
                    able,
                    "radix {P}, {routing:?}, port {port}, group {group}"
                );
                assert_eq!(line, inner / GROUPS);
            }
        }
    }

    #[test]
    fn chunks_agree_with_groups_at_every_level() {
        chunks_agree_with_groups::<2>(512);
        chunks_agree_with_groups::<4>(1024);
        chunks_agree_with_groups::<8>(512);
    }
}
