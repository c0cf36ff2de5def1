//! A run over time, in a bounded number of bins.
//!
//! Every bin covers the same number of slots, a power of two. When the bins are used up, neighbours
//! are merged and the width doubles; so a run of any length is kept as 256 to 512 bins, and what
//! they hold does not depend on how the run was cut into blocks.

use alloc::vec::Vec;

const MOST: usize = 512;
/// A run has fewer than 2^32 slots, so no bin is wider.
const WIDEST: u64 = 1 << 32;

/// Sums over the slots of a bin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bin {
    /// The backlog at the end of each slot.
    pub backlog_sum: u64,
    /// Cells that arrived.
    pub arrivals: u64,
    /// Cells that left.
    pub departures: u64,
    /// The sum of the delays of departed cells that arrived in the window.
    pub delay_sum: u64,
    /// How many delays that sum has.
    pub delays: u64,
}

impl Bin {
    /// The sum with another.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            backlog_sum: self.backlog_sum + other.backlog_sum,
            arrivals: self.arrivals + other.arrivals,
            departures: self.departures + other.departures,
            delay_sum: self.delay_sum + other.delay_sum,
            delays: self.delays + other.delays,
        }
    }

    /// The sum with another; None if it needs more than 64 bits.
    fn checked_plus(self, other: Self) -> Option<Self> {
        Some(Self {
            backlog_sum: self.backlog_sum.checked_add(other.backlog_sum)?,
            arrivals: self.arrivals.checked_add(other.arrivals)?,
            departures: self.departures.checked_add(other.departures)?,
            delay_sum: self.delay_sum.checked_add(other.delay_sum)?,
            delays: self.delays.checked_add(other.delays)?,
        })
    }
}

/// The bins of a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeline {
    bins: Vec<Bin>,
    /// Slots per bin.
    width: u64,
    /// Slots in the last bin.
    filled: u64,
}

impl Default for Timeline {
    fn default() -> Self {
        Self::new()
    }
}

impl Timeline {
    /// The bytes of all bins.
    pub const BYTES: u64 = (MOST * size_of::<Bin>()) as u64;

    /// Without any slot.
    pub fn new() -> Self {
        Self { bins: Vec::with_capacity(MOST), width: 1, filled: 1 }
    }

    /// A timeline as it was kept: its bins, the slots per bin and the slots in the last bin. None
    /// if no run has these, or if their sums need more than 64 bits.
    pub fn from_parts(bins: Vec<Bin>, width: u64, filled: u64) -> Option<Self> {
        let possible =
            bins.len() <= MOST && width.is_power_of_two() && width <= WIDEST && (1..=width).contains(&filled);
        bins.iter().try_fold(Bin::default(), |total, &bin| total.checked_plus(bin))?;
        possible.then_some(Self { bins, width, filled })
    }

    /// The bins, the slots per bin and the slots in the last bin, which may be partly filled.
    pub fn parts(&self) -> (&[Bin], u64, u64) {
        (&self.bins, self.width, self.filled)
    }

    /// Appends a slot.
    #[inline]
    pub fn add(&mut self, slot: Bin) {
        if self.filled == self.width {
            if self.bins.len() == MOST {
                self.merge_neighbours();
            }
            self.bins.push(slot);
            self.filled = 1;
        } else if let Some(last) = self.bins.last_mut() {
            *last = last.plus(slot);
            self.filled += 1;
        }
    }

    #[cold]
    fn merge_neighbours(&mut self) {
        for place in 0..MOST / 2 {
            self.bins[place] = self.bins[2 * place].plus(self.bins[2 * place + 1]);
        }
        self.bins.truncate(MOST / 2);
        self.width *= 2;
    }

    /// The number of slots.
    pub fn slots(&self) -> u64 {
        match self.bins.len() as u64 {
            0 => 0,
            bins => (bins - 1) * self.width + self.filled,
        }
    }

    /// Slots per bin.
    pub fn width(&self) -> u64 {
        self.width
    }

    /// The bins that are full.
    pub fn full_bins(&self) -> &[Bin] {
        let full = self.bins.len() - usize::from(!self.bins.is_empty() && self.filled < self.width);
        &self.bins[..full]
    }

    /// The sum over all slots.
    pub fn total(&self) -> Bin {
        self.bins.iter().fold(Bin::default(), |total, &bin| total.plus(bin))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_sums_and_doubles_its_bins() {
        let mut timeline = Timeline::new();
        let mut expected = 0;
        for slot in 0..5000u64 {
            assert_eq!(timeline.slots(), slot);
            timeline.add(Bin { backlog_sum: slot, departures: 1, ..Bin::default() });
            expected += slot;
            assert_eq!(timeline.total(), Bin { backlog_sum: expected, departures: slot + 1, ..Bin::default() });
            for (place, bin) in timeline.full_bins().iter().enumerate() {
                assert_eq!(bin.departures, timeline.width());
                let first = place as u64 * timeline.width();
                assert_eq!(bin.backlog_sum, (first..first + timeline.width()).sum::<u64>());
            }
        }
        let (bins, width, filled) = timeline.parts();
        assert_eq!(Timeline::from_parts(bins.to_vec(), width, filled).as_ref(), Some(&timeline));
        for (width, filled) in [(0, 0), (3, 1), (4, 0), (4, 5), (1 << 33, 1), (u64::MAX, u64::MAX)] {
            assert_eq!(Timeline::from_parts(bins.to_vec(), width, filled), None, "{width} {filled}");
        }
        let full = Bin { delay_sum: u64::MAX, ..Bin::default() };
        assert!(Timeline::from_parts(alloc::vec![full], 1, 1).is_some());
        assert_eq!(Timeline::from_parts(alloc::vec![full, Bin { delay_sum: 1, ..full }], 1, 1), None);
        assert_eq!(Timeline::from_parts(alloc::vec![Bin::default(); MOST + 1], 1, 1), None);
        assert_eq!(timeline.width(), 16);
        assert_eq!(timeline.full_bins().len(), 5000 / 16);
    }
}
