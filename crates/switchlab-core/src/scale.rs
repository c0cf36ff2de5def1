//! The sizes at which a switch is simulated in another way.
//!
//! All thresholds are numbers of ports. They divide switches into four classes:
//!
//! ```text
//!   ports   1 .. 64      65 .. 256         257 .. 1024             1025 .. 4096
//!           one word     cached            large                   huge
//!           a set of     N^2 words fit     packed queues,          columns do not fit the
//!           ports is     the second-level  prefetch of queues      second-level cache either:
//!           one u64      cache                                     prefetch of columns too
//! ```

use crate::variants;

/// The ports of a set that is one word.
pub(crate) const WORD: usize = 64;

/// Up to this number of ports, some bytes for each pair of ports fit the second-level cache.
pub(crate) const CACHED: usize = 256;

/// Up to this number of ports, a bit for each pair of ports fits the second-level cache.
pub(crate) const LARGE: usize = 1024;

/// Whether switches of `words * 64` ports have packed queues: beyond [`CACHED`].
pub(crate) const fn is_large(words: usize) -> bool {
    variants::PACKED_QUEUES && words * WORD > CACHED
}

/// Whether switches of `words * 64` ports are beyond [`LARGE`].
pub(crate) const fn is_huge(words: usize) -> bool {
    words * WORD > LARGE
}

/// Entries in a block of slots: the block leaves the first-level cache to the queues, and what is
/// done once for a block does not count.
const BLOCK_ENTRIES: usize = 1024;
/// The same beyond [`CACHED`] ports, where the meter keeps lists of eight slots at a time. A larger
/// block takes the second-level cache from the queues.
const LARGE_BLOCK_ENTRIES: usize = 1 << 15;
/// Slots in a block of a large multi-stage fabric, which follows cells through its stages for as
/// many slots at a time.
const FABRIC_BLOCK: usize = 64;

/// The number of slots in a block at which a switch runs fastest.
pub(crate) fn preferred_block(ports: usize, stages: u32) -> usize {
    if ports <= CACHED {
        (BLOCK_ENTRIES / ports).clamp(16, 256)
    } else if stages > 0 {
        FABRIC_BLOCK
    } else {
        (LARGE_BLOCK_ENTRIES / ports).clamp(8, 32)
    }
}
