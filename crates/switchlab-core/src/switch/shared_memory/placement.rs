//! Which memory comes first, of those that fit and are left.

use crate::port_set::PortSet;
use crate::rng::Rng;

/// The rule; see the page of `psm`.
#[derive(Clone, Debug)]
pub enum Placement {
    /// The lowest number.
    Lowest,
    /// The next one after the memory that was assigned last.
    Rotate {
        /// Where to look first.
        next: usize,
        /// M.
        memories: usize,
    },
    /// Any, uniformly.
    Random(Rng),
    /// The one with the fewest cells; ties to the lowest number.
    LeastLoaded,
}

impl Placement {
    /// Rotating over `memories` memories, from 0 on.
    pub fn rotate(memories: usize) -> Self {
        Self::Rotate { next: 0, memories }
    }

    /// One of the memories in the set; None if it is empty.
    #[inline(always)]
    pub(in crate::switch) fn pick<const W: usize>(&mut self, left: &PortSet<W>, occupancy: &[u32]) -> Option<usize> {
        match self {
            Self::Lowest => left.first_from(0),
            Self::Rotate { next, memories } => {
                let memory = left.first_from(*next)?;
                *next = if memory + 1 == *memories { 0 } else { memory + 1 };
                Some(memory)
            }
            Self::Random(rng) => {
                let count = left.len();
                (count > 0).then(|| left.nth(rng.below(count)))
            }
            Self::LeastLoaded => left.iter().min_by_key(|&memory| occupancy[memory]),
        }
    }
}
