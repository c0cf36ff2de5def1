//! Routing in elements whose ports are a power of two, as the fast engines compute it.

/// Where the port begins in [`receivers`](super::general::Topology::receivers).
pub(super) const PORT: u32 = 28;

/// N. A constant if the const parameter `WORDS`, words of 64 ports, is more than 1: engines compile
/// their loops for the usual sizes, so that sizes of arrays and shifts are known to the compiler.
/// With `WORDS` 1 there are up to 64 ports; with 0 nothing is known.
pub(super) const fn known<const WORDS: usize>(ports: usize) -> usize {
    if WORDS > 1 { 64 * WORDS } else { ports }
}

/// An index below a size, a power of two. Where the size is a constant, the index is masked instead
/// of checked, which is worth 7 % of the instructions at 256 and 1024 ports. The mask changes no
/// index: checked builds and tests assert it.
pub(super) fn masked<const WORDS: usize>(index: usize, size: usize) -> usize {
    if WORDS <= 1 {
        return index;
    }
    debug_assert!(index < size, "index {index} is beyond {size} entries");
    index & (size - 1)
}

/// A slice of a length that the compiler knows, if the number of ports is known.
pub(super) fn exactly<const WORDS: usize, T>(slice: &mut [T], length: usize) -> &mut [T] {
    if WORDS > 1 { &mut slice[..length] } else { slice }
}

/// The groups of all elements of a stage, if the number of ports is known.
pub(super) const fn groups<const P: usize, const WORDS: usize>() -> usize {
    64 * WORDS * 64 * WORDS / P
}

/// How the elements of a stage route.
#[derive(Clone, Copy, Debug)]
pub(super) struct Routing {
    /// Whether they distribute instead.
    pub(super) distributes: bool,
    /// Whether routing splits groups.
    pub(super) split: bool,
    /// Where the digit of the stage's level begins in an address, a number or a hash.
    pub(super) low: u32,
}

/// Where a routing element sends a cell: the output port, the output buffer among those of the
/// group, and the index of the group that the cell belongs to on the link out of the element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) output: usize,
    pub(super) part: usize,
    pub(super) at: usize,
}

impl Routing {
    /// The target of a cell from `source` of an input group. The group may be given with its
    /// element above it, as an index in its stage; so is that of the target then.
    pub(super) fn target<const P: usize>(self, at: usize, source: usize) -> Target {
        let output = (at >> self.low) % P;
        if !self.split {
            return Target { output, part: 0, at };
        }
        let part = (source >> self.low) % P;
        // The digit of the port makes way for that of the part.
        Target { output, part, at: at ^ ((output ^ part) << self.low) }
    }

    /// The inverse, also for distribution elements: the input group of a group at an output port,
    /// and its output buffer.
    pub(super) fn behind<const P: usize>(self, port: usize, group: usize) -> (usize, usize) {
        if self.distributes {
            return (group, port);
        }
        if !self.split {
            return (group, 0);
        }
        let part = (group >> self.low) % P;
        (group ^ ((part ^ port) << self.low), part)
    }
}
