//! Sizes, in ports, at which data structures change.

/// Ports whose bits fit into one word.
pub(crate) const WORD: usize = 64;

/// Ports up to which the state of a switch stays in the caches of a core.
pub(crate) const CACHED: usize = 256;
