//! The sending ends of links: which flow groups have a cell to send, which have a credit, and the
//! round-robin pointer.
//!
//! For each end and 64 flow groups, one word says which have a cell in the output buffer and one
//! which have a credit. With more than 256 groups, a summary word says in which of these pairs of
//! words a group has both, so that an arbiter finds the next group in a few instructions. Without
//! it, at 1024 ports, a scan would read 16 pairs for each cell. With fewer groups the words of all
//! ends for the same groups lie side by side, so that vector instructions scan several ends.
//!
//! Rejected: a bit for each end that has something to send. Most ends have, and one scan of all of
//! them in a slot costs less than to keep such bits with every cell and credit. Also rejected: a
//! cache line for each end at 256 ports, which took as many instructions and gained 2 % of time.
//!
//! ```text
//!   flat:   [ groups 0 to 63: cells of each end | 64 to 127: ... | ... ] [ the same for credits ]
//!   else:   for each end, for each 64 groups:  [ cells, credits ]
//! ```

use super::routing::known;
use alloc::vec::Vec;

/// Ends with this many pairs of words or fewer are flat: cells and credits set a bit and no more.
const FLAT: usize = 4;

/// One sending end.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    /// Bit w: among groups 64 w to 64 w + 63 one has a cell and a credit. Not kept by flat links.
    summary: u64,
    /// The group after the one that was sent last.
    pub(super) pointer: u16,
    /// Groups with a cell and a credit. Not kept by flat links.
    ready: u16,
    /// Credits of the whole link; [`UNCOUNTED`] with backpressure per group.
    pub(super) credits: u16,
}

/// An end that has something to send, with 4 bits of its summary below it. Once it has sent: the
/// end and, in the lower 16 bits, the group.
pub(super) type Active = u32;

/// Credits of a link that are not counted as such.
pub(super) const UNCOUNTED: u16 = u16::MAX;

/// All sending ends, in sections: one for each link.
#[derive(Clone, Debug)]
pub(super) struct Links {
    groups: usize,
    words: usize,
    /// The ends of a section, made up to a multiple of 64.
    section: usize,
    /// By section, as shown above.
    bits: Vec<u64>,
    ends: Vec<End>,
}

/// The ends of one link, during a step. `WORDS` as for [`known`]: it is the number of pairs of
/// words of an end, or 0.
pub(super) struct Section<'a, const WORDS: usize> {
    bits: &'a mut [u64],
    ends: &'a mut [End],
    words: usize,
    /// The last group: all ones.
    last: u16,
}

/// Where the words of a section lie.
#[derive(Clone, Copy)]
struct Layout {
    section: usize,
    words: usize,
}

impl Layout {
    fn is_flat(self) -> bool {
        self.words <= FLAT
    }

    /// Where the cells of an end are, for 64 groups.
    fn cells(self, end: usize, word: usize) -> usize {
        if self.is_flat() { word * self.section + end } else { 2 * (end * self.words + word) }
    }

    /// How far behind them its credits are.
    fn to_credits(self) -> usize {
        if self.is_flat() { self.words * self.section } else { 1 }
    }
}

impl Links {
    /// A section of `ports` ends for each element of `credits`, with as many groups. Each group has
    /// a credit, and none has a cell. `credits` are those of a link as a whole.
    pub(super) fn new(ports: usize, credits: impl IntoIterator<Item = u16>) -> Self {
        let section = ports.next_multiple_of(64);
        let end = |credits| End { summary: 0, pointer: 0, ready: 0, credits };
        let ends: Vec<End> = credits.into_iter().flat_map(|credits| (0..section).map(move |_| end(credits))).collect();
        let words = ports.div_ceil(64);
        let to_credits = Layout { section, words }.to_credits();
        let word = |at: usize| if at / to_credits % 2 == 1 { u64::MAX } else { 0 };
        Self { groups: ports, words, section, bits: (0..2 * words * ends.len()).map(word).collect(), ends }
    }

    fn layout(&self) -> Layout {
        Layout { section: self.section, words: self.words }
    }

    /// The ends of a link.
    pub(super) fn section<const WORDS: usize>(&mut self, link: usize) -> Section<'_, WORDS> {
        let (section, words) = (known::<WORDS>(self.section), if WORDS > 0 { WORDS } else { self.words });
        let first = link * section;
        let bits = &mut self.bits[2 * first * words..][..2 * section * words];
        Section { bits, ends: &mut self.ends[first..][..section], words, last: (self.groups - 1) as u16 }
    }

    /// The ends of the links to a stage and of those out of it.
    pub(super) fn around<const WORDS: usize>(&mut self, stage: usize) -> (Section<'_, WORDS>, Section<'_, WORDS>) {
        let (section, words) = (known::<WORDS>(self.section), if WORDS > 0 { WORDS } else { self.words });
        let (first, last) = (stage * section, (self.groups - 1) as u16);
        let (bits, bits_out) = self.bits[2 * first * words..][..4 * section * words].split_at_mut(2 * section * words);
        let (ends, ends_out) = self.ends[first..][..2 * section].split_at_mut(section);
        (Section { bits, ends, words, last }, Section { bits: bits_out, ends: ends_out, words, last })
    }

    /// The words of cells and of credits of an end, for 64 groups.
    fn words(&self, link: usize, end: usize, word: usize) -> (u64, u64) {
        let at = 2 * link * self.section * self.words + self.layout().cells(end, word);
        (self.bits[at], self.bits[at + self.layout().to_credits()])
    }

    /// Whether a group has a cell at an end, and whether it has a credit.
    pub(super) fn request(&self, link: usize, end: usize, group: usize) -> (bool, bool) {
        let (cells, credits) = self.words(link, end, group / 64);
        (cells >> (group % 64) & 1 != 0, credits >> (group % 64) & 1 != 0)
    }

    /// A group without a cell at an end has spent its last credit.
    pub(super) fn exhaust(&mut self, link: usize, end: usize, group: usize) {
        let layout = self.layout();
        let at = 2 * link * self.section * self.words + layout.cells(end, group / 64) + layout.to_credits();
        self.bits[at] &= !(1 << (group % 64));
    }

    /// Credits of a link as a whole.
    pub(super) fn credits(&mut self, link: usize, end: usize) -> &mut u16 {
        &mut self.ends[link * self.section + end].credits
    }

    /// The end itself.
    pub(super) fn end(&self, link: usize, end: usize) -> End {
        self.ends[link * self.section + end]
    }

    /// Whether the summary and the count of ready groups agree with the words.
    pub(super) fn is_sound(&self, link: usize, end: usize) -> bool {
        let pairs = (0..self.words).map(|word| self.words(link, end, word));
        let eligible = pairs.map(|(cells, credits)| cells & credits);
        let summary = eligible.clone().zip(0..).map(|(word, at)| u64::from(word != 0) << at).sum::<u64>();
        let ready: u32 = eligible.map(u64::count_ones).sum();
        let own = self.end(link, end);
        self.layout().is_flat() || own.summary == summary && u32::from(own.ready) == ready
    }
}

impl<const WORDS: usize> Section<'_, WORDS> {
    fn layout(&self) -> Layout {
        Layout { section: known::<WORDS>(self.ends.len()), words: if WORDS > 0 { WORDS } else { self.words } }
    }

    /// Where the cells of an end and a group are, and where its credits.
    fn pair(&self, end: usize, group: usize) -> (usize, usize) {
        let at = self.layout().cells(end, if WORDS == 1 { 0 } else { group / 64 });
        (at, at + self.layout().to_credits())
    }

    /// Groups of 64 that have a cell and a credit.
    fn eligible(&self, end: usize, word: usize) -> u64 {
        let (cells, credits) = self.pair(end, 64 * word);
        self.bits[cells] & self.bits[credits]
    }

    /// Lists the ends that have a group to send, ascending, and counts them. `list` has room for
    /// all. Branch-free, since branches would be unpredictable.
    #[inline(always)]
    fn active(&self, list: &mut [Active]) -> usize {
        let (ends, layout) = (known::<WORDS>(self.ends.len()), self.layout());
        let list = &mut list[..ends];
        let mut count = 0;
        for first in (0..ends).step_by(64) {
            let mut summaries = [0; 64];
            if layout.is_flat() {
                // Side by side, for vector instructions.
                let (cells, credits) = self.bits.split_at(layout.to_credits());
                for word in 0..layout.words {
                    let at = word * layout.section + first;
                    let pairs = cells[at..at + 64].iter().zip(&credits[at..at + 64]);
                    for (summary, (cells, credits)) in summaries.iter_mut().zip(pairs) {
                        *summary |= if cells & credits == 0 { 0 } else { 1 << word };
                    }
                }
            } else {
                summaries.iter_mut().zip(&self.ends[first..]).for_each(|(summary, end)| *summary = end.summary);
            }
            for (&summary, end) in summaries.iter().zip(first..) {
                list[count] = (end as u32) << 4 | summary as u32 & 15;
                count += usize::from(summary != 0);
            }
        }
        count
    }

    /// Each end that has a group to send, and a credit of the link if these are counted, sends from
    /// one; see [`Self::send`]. Returns the ends with their groups.
    ///
    /// Out of line: the loop then has the registers that it needs.
    #[inline(never)]
    pub(super) fn send_all(mut self, spends: bool, list: &mut [Active]) -> &[Active] {
        let mut count = self.active(list);
        if self.ends[0].credits != UNCOUNTED {
            let mut able = 0;
            for at in 0..count {
                list[able] = list[at];
                able += usize::from(self.ends[list[at] as usize >> 4].credits != 0);
            }
            count = able;
        }
        for active in &mut list[..count] {
            let (end, group) = self.send(*active, spends);
            *active = (end << 16 | group) as u32;
        }
        &list[..count]
    }

    /// Bit w: among groups 64 w to 64 w + 63 one has a cell and a credit.
    fn summary(&self, end: usize) -> u64 {
        if !self.layout().is_flat() {
            return self.ends[end].summary;
        }
        (0..self.layout().words).fold(0, |bits, word| bits | u64::from(self.eligible(end, word) != 0) << word)
    }

    /// Whether an end has no group to send.
    pub(super) fn is_idle(&self, end: usize) -> bool {
        self.summary(end) == 0
    }

    /// A group gets what it lacked, a cell or a credit, if `fresh` is 1 and not 0. Branch-free.
    fn wake(&mut self, end: usize, group: usize, fresh: u64) {
        let own = &mut self.ends[end];
        own.ready += fresh as u16;
        own.summary |= fresh << (group / 64);
    }

    /// The group has a cell to send.
    pub(super) fn fill(&mut self, end: usize, group: usize) {
        self.fill_if(end, group, true);
    }

    /// The group has a cell to send, if `again`. Branch-free.
    #[inline(always)]
    pub(super) fn fill_if(&mut self, end: usize, group: usize, again: bool) {
        let (at, credits) = self.pair(end, group);
        let cells = self.bits[at];
        self.bits[at] = cells | u64::from(again) << (group % 64);
        if !self.layout().is_flat() {
            let fresh = (self.bits[credits] & !cells) >> (group % 64) & u64::from(again);
            self.wake(end, group, fresh);
        }
    }

    /// A credit of the group returns.
    #[inline(always)]
    pub(super) fn restore(&mut self, end: usize, group: usize) {
        let (cells, at) = self.pair(end, group);
        let credits = self.bits[at];
        self.bits[at] = credits | 1 << (group % 64);
        if !self.layout().is_flat() {
            let fresh = (self.bits[cells] & !credits) >> (group % 64) & 1;
            self.wake(end, group, fresh);
        }
    }

    /// Sends from the first group at or after the pointer that has a cell and a credit. The group
    /// has no cell afterwards, and no credit if it `spends` its only one. The pointer moves behind
    /// it. Returns the end and the group.
    #[inline(always)]
    fn send(&mut self, active: Active, spends: bool) -> (usize, usize) {
        let end = active as usize >> 4;
        let pointer = self.ends[end].pointer;
        let after = u64::MAX << (pointer % 64);
        let flat = self.layout().is_flat();
        let (word, eligible, summary) = if WORDS == 1 {
            let all = self.eligible(end, 0);
            (0, if all & after == 0 { all } else { all & after }, 1)
        } else {
            let summary = if flat { u64::from(active & 15) } else { self.ends[end].summary };
            let first = pointer as usize / 64;
            // Words above the pointer's, then from word 0 on, its own included.
            let above = summary & (u64::MAX << first << 1);
            let other = (if above == 0 { summary } else { above }).trailing_zeros() as usize;
            // The pointer's own word is read only if a group in it is eligible.
            let (word, mask) = if summary >> first & 1 == 0 { (other, u64::MAX) } else { (first, after) };
            let eligible = self.eligible(end, word) & mask;
            if eligible == 0 { (other, self.eligible(end, other), summary) } else { (word, eligible, summary) }
        };
        let bit = eligible & eligible.wrapping_neg();
        let (cells, credits) = self.pair(end, 64 * word);
        self.bits[cells] &= !bit;
        self.bits[credits] &= !if spends { bit } else { 0 };
        let left = u64::from(self.bits[cells] & self.bits[credits] != 0);
        let group = word * 64 + eligible.trailing_zeros() as usize;
        let own = &mut self.ends[end];
        own.pointer = (group + 1) as u16 & self.last;
        if !flat {
            own.summary = summary & !(1 << word) | left << word;
            own.ready -= 1;
        }
        (end, group)
    }

    /// A credit returns, of the group or of the link as a whole.
    pub(super) fn return_credit(&mut self, end: usize, group: usize) {
        match &mut self.ends[end].credits {
            &mut UNCOUNTED => self.restore(end, group),
            credits => *credits += 1,
        }
    }

    /// Groups that have a cell and a credit: the tie-break of the imbalance count.
    pub(super) fn ready(&self, end: usize) -> u16 {
        let End { ready, credits, .. } = self.ends[end];
        match credits {
            0 => 0,
            _ if self.layout().is_flat() => {
                (0..self.layout().words).map(|word| self.eligible(end, word).count_ones() as u16).sum()
            }
            _ => ready,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::{BTreeMap, BTreeSet};
    use proptest::prelude::*;

    proptest! {
        /// Against two sets for each end. Whether the size is known to the compiler must not
        /// matter.
        #[test]
        fn behaves_as_sets(
            power in 1u32..11,
            operations in prop::collection::vec((0usize..5, 0usize..2, 0usize..1024), 0..600),
        ) {
            let groups = 1 << power;
            check::<0>(groups, &operations)?;
            match groups {
                ..=64 => check::<1>(groups, &operations)?,
                256 => check::<4>(groups, &operations)?,
                1024 => check::<16>(groups, &operations)?,
                _ => {}
            }
        }
    }

    fn check<const WORDS: usize>(groups: usize, operations: &[(usize, usize, usize)]) -> Result<(), TestCaseError> {
        let mut links = Links::new(groups, [UNCOUNTED; 2]);
        let mut cells: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::from([(0, BTreeSet::new()), (1, BTreeSet::new())]);
        let mut lacking = cells.clone();
        let mut pointers = [0, 0];
        for &(operation, end, group) in operations {
            let mut section = links.section::<WORDS>(1);
            let group = group % groups;
            let (own, without) = (cells.get_mut(&end).unwrap(), lacking.get_mut(&end).unwrap());
            match operation {
                0 => {
                    section.fill(end, group);
                    own.insert(group);
                }
                1 if !own.contains(&group) => {
                    links.exhaust(1, end, group);
                    without.insert(group);
                }
                2 => {
                    section.restore(end, group);
                    without.remove(&group);
                }
                _ => {
                    let mut turn = (0..groups).map(|step| (pointers[end] + step) % groups);
                    let expected = turn.find(|group| own.contains(group) && !without.contains(group));
                    let mut list = [0; 1024];
                    let count = section.active(&mut list);
                    let listed = list[..count].iter().any(|active| *active as usize >> 4 == end);
                    prop_assert_eq!(listed, expected.is_some());
                    prop_assert_eq!(section.is_idle(end), expected.is_none());
                    if let Some(sent) = expected {
                        let spends = operation == 4;
                        let active = (end as u32) << 4 | section.summary(end) as u32 & 15;
                        prop_assert_eq!(section.send(active, spends).1, sent);
                        own.remove(&sent);
                        if spends {
                            without.insert(sent);
                        }
                        pointers[end] = (sent + 1) % groups;
                    }
                }
            }
            let ready = links.section::<WORDS>(1).ready(end);
            prop_assert_eq!(ready as usize, own.difference(without).count());
            prop_assert!(links.is_sound(1, end));
            prop_assert_eq!(links.end(1, end).pointer as usize, pointers[end]);
            prop_assert_eq!(links.request(1, end, group), (own.contains(&group), !without.contains(&group)));
        }
        Ok(())
    }
}
