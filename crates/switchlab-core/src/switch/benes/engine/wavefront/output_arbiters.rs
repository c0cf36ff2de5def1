//! Round-robin arbiters at the beginnings of links.

use super::group_line::GROUPS;
use crate::cell::Port;
use crate::switch::benes::routing::{known, masked};
use alloc::vec;
use alloc::vec::Vec;

/// The arbiters of all links but the first, which comes from the line cards.
#[derive(Clone, Debug)]
pub(super) struct Arbiters {
    ports: usize,
    /// Words of a summary.
    words: usize,
    /// By link and end, a bit for each chunk of 16 groups: whether one of them has a cell and a
    /// credit.
    summaries: Vec<u64>,
    /// By link and end: the group after the one that was sent last.
    pointers: Vec<Port>,
}

/// The arbiters of a link, during a step. `WORDS` as for [`known`].
pub(super) struct Section<'a, const WORDS: usize> {
    words: usize,
    pub(super) summaries: &'a mut [u64],
    pub(super) pointers: &'a mut [Port],
}

impl Arbiters {
    /// For a number of links, over which nothing can be sent.
    pub(super) fn new(links: usize, ports: usize) -> Self {
        let words = (ports / GROUPS).div_ceil(64);
        Self { ports, words, summaries: vec![0; links * ports * words], pointers: vec![0; links * ports] }
    }

    /// The arbiters of a link, from 1 on.
    pub(super) fn section<const WORDS: usize>(&mut self, link: usize) -> Section<'_, WORDS> {
        let (ports, words) = (known::<WORDS>(self.ports), if WORDS > 0 { 1 } else { self.words });
        Section {
            words,
            summaries: &mut self.summaries[(link - 1) * ports * words..][..ports * words],
            pointers: &mut self.pointers[(link - 1) * ports..][..ports],
        }
    }

    /// The arbiters of a link and of the next one.
    pub(super) fn two<const WORDS: usize>(&mut self, link: usize) -> (Section<'_, WORDS>, Section<'_, WORDS>) {
        let (ports, words) = (known::<WORDS>(self.ports), if WORDS > 0 { 1 } else { self.words });
        let size = ports * words;
        let (summaries, beyond) = self.summaries[(link - 1) * size..][..2 * size].split_at_mut(size);
        let (pointers, pointers_beyond) = self.pointers[(link - 1) * ports..][..2 * ports].split_at_mut(ports);
        (Section { words, summaries, pointers }, Section { words, summaries: beyond, pointers: pointers_beyond })
    }

    /// Whether the summary says that a group of a chunk can send.
    pub(super) fn summary(&self, link: usize, end: usize, chunk: usize) -> bool {
        self.summaries[((link - 1) * self.ports + end) * self.words + chunk / 64] >> (chunk % 64) & 1 != 0
    }
}

impl<const WORDS: usize> Section<'_, WORDS> {
    fn is_single(&self) -> bool {
        WORDS > 0 || self.words == 1
    }

    /// The same, with lengths that the compiler knows if the number of ports is known.
    pub(super) fn exact(&mut self) -> Section<'_, WORDS> {
        let (summaries, pointers) =
            if WORDS > 0 { (64 * WORDS, 64 * WORDS) } else { (self.summaries.len(), self.pointers.len()) };
        let Self { words, .. } = *self;
        Section { words, summaries: &mut self.summaries[..summaries], pointers: &mut self.pointers[..pointers] }
    }

    /// A group gets what it lacked, a cell or a credit, if `fresh` is 1 and not 0. Branch-free.
    pub(super) fn wake(&mut self, end: usize, group: usize, fresh: u32) {
        let chunk = group / GROUPS;
        if self.is_single() {
            self.summaries[masked::<WORDS>(end, 64 * WORDS)] |= u64::from(fresh) << (chunk % 64);
        } else {
            self.summaries[end * self.words + chunk / 64] |= u64::from(fresh) << (chunk % 64);
        }
    }

    /// Whether an end has a group that can send.
    pub(super) fn is_active(&self, end: usize) -> bool {
        if self.is_single() {
            return self.summaries[masked::<WORDS>(end, 64 * WORDS)] != 0;
        }
        self.summaries[end * self.words..][..self.words].iter().any(|&word| word != 0)
    }

    /// The first chunk from the pointer of an end on that has a group that can send, and which
    /// groups of the chunk are at or after the pointer. In the chunk of the pointer, none of these
    /// may be able to send.
    pub(super) fn first_chunk(&self, end: usize) -> (usize, u32) {
        let pointer = usize::from(self.pointers[masked::<WORDS>(end, 64 * WORDS)]);
        let first = pointer / GROUPS;
        let chunk = self.find(end, first);
        (chunk, if chunk == first { 0xffff << (pointer % GROUPS) & 0xffff } else { 0xffff })
    }

    /// The chunk that has one then.
    pub(super) fn second_chunk(&self, end: usize) -> usize {
        let first = usize::from(self.pointers[end]) / GROUPS;
        let chunks = self.pointers.len() / GROUPS;
        // Going round, the chunk of the pointer comes last.
        self.find(end, (first + 1) % chunks)
    }

    /// The first chunk from `first` on, going round, of which a group can send.
    fn find(&self, end: usize, first: usize) -> usize {
        if self.is_single() {
            let summary = self.summaries[masked::<WORDS>(end, 64 * WORDS)];
            let above = summary & u64::MAX << (first % 64);
            return (if above == 0 { summary } else { above }).trailing_zeros() as usize % 64;
        }
        let words = &self.summaries[end * self.words..][..self.words];
        let found = (0..=self.words).find_map(|step| {
            let word = (first / 64 + step) % self.words;
            let set = words[word] & if step == 0 { u64::MAX << (first % 64) } else { u64::MAX };
            (set != 0).then(|| word * 64 + set.trailing_zeros() as usize)
        });
        found.expect("an end that is active has a chunk with a group that can send")
    }

    /// An end has sent from a group; `none` if no group of its chunk can send any more.
    pub(super) fn sent(&mut self, end: usize, group: usize, none: bool) {
        let (end, chunk) = (masked::<WORDS>(end, 64 * WORDS), group / GROUPS);
        let last = known::<WORDS>(self.pointers.len()) - 1;
        self.pointers[end] = ((group + 1) & last) as Port;
        let at = if self.is_single() { end } else { end * self.words + chunk / 64 };
        self.summaries[at] &= !(u64::from(none) << (chunk % 64));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Seed};
    use alloc::collections::BTreeSet;

    /// The chunks that an arbiter considers, against a set of those with a group that can send.
    #[test]
    fn arbiters_consider_the_next_chunks() {
        let mut rng = Seed { seed: 5, replication: 0 }.stream(Purpose::Fabric, 1);
        for ports in [512, 1024, 2048, 4096] {
            let (mut arbiters, mut able) = (Arbiters::new(2, ports), BTreeSet::new());
            for _ in 0..3000 {
                let mut section = arbiters.section::<0>(2);
                let group = rng.below(ports);
                if rng.below(2) == 0 {
                    section.wake(7, group, 1);
                    able.insert(group / GROUPS);
                }
                assert_eq!(section.is_active(7), !able.is_empty());
                if able.is_empty() {
                    continue;
                }
                let (pointer, (own, mask)) = (usize::from(section.pointers[7]), section.first_chunk(7));
                let from = |first: usize| able.range(first..).chain(&able).next().copied();
                assert_eq!(Some(own), from(pointer / GROUPS));
                let after = |rank: usize| own * GROUPS + rank >= pointer || own != pointer / GROUPS;
                assert_eq!(mask, (0..GROUPS).map(|rank| u32::from(after(rank)) << rank).sum());
                if let Some(chunk) = from((pointer / GROUPS + 1) % (ports / GROUPS)) {
                    assert_eq!(section.second_chunk(7), chunk);
                    let none = rng.below(2) == 0;
                    section.sent(7, chunk * GROUPS + group % GROUPS, none);
                    if none {
                        able.remove(&chunk);
                    }
                }
                assert_eq!(arbiters.summary(2, 7, group / GROUPS), able.contains(&(group / GROUPS)));
                // Other arbiters are not affected.
                assert!(!arbiters.section::<0>(1).is_active(7) && !arbiters.section::<0>(2).is_active(6));
            }
        }
    }
}
