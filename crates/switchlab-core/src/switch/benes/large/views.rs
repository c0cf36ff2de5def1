//! What audits, the watchdog and people see of a large fabric. Slots never ask.

use super::Large;
use super::line::{GROUPS, flags, open, place};
use crate::switch::benes::group::Group;
use crate::switch::benes::record::Record;
use crate::switch::benes::shape::Shape;

impl<const P: usize> Large<P> {
    fn word(&self, at: usize) -> u32 {
        self.lines[at / GROUPS].0[at % GROUPS]
    }

    /// The groups of all elements.
    pub(in super::super) fn groups(&self) -> usize {
        self.lines.len() * GROUPS
    }

    /// Whether one of 16 groups has a record: nearly all have none, and are passed over.
    pub(in super::super) fn is_any_open(&self, line: usize) -> bool {
        self.lines[line].0.iter().fold(0, |all, &word| all | open(word)) != 0
    }

    /// The record of a group, if it has one.
    pub(in super::super) fn record(&self, at: usize) -> Option<&Record<P>> {
        let (word, pool) = (self.word(at), at / (self.groups() / self.pools.len()));
        (open(word) != 0).then(|| &self.pools[pool].records[place::<P>(word) as usize])
    }

    /// What is known of a group.
    pub(in super::super) fn group(&self, at: usize) -> Group {
        self.record(at).map_or_else(|| Group(u64::from(place::<P>(self.word(at)))), |record| record.group)
    }

    /// Whether a group has a cell at the beginning of a link, not the first one, and whether it has a credit.
    pub(in super::super) fn look(&self, shape: &Shape, link: usize, end: usize, group: usize) -> (bool, bool) {
        let (inner, part) = shape.routing(link - 1).behind::<P>(end % P, group);
        let at = ((link - 1) * shape.elements() + end / P) * shape.ports + inner;
        let flags = flags::<P>(self.word(at)) >> part;
        (flags & 1 != 0, flags >> P & 1 != 0)
    }

    /// Whether an end knows which groups can send.
    pub(in super::super) fn is_sound(&self, shape: &Shape, link: usize, end: usize) -> bool {
        (0..shape.ports / GROUPS).all(|chunk| {
            let able = (0..GROUPS).any(|rank| self.look(shape, link, end, chunk * GROUPS + rank) == (true, true));
            able == self.ends.summary(link, end, chunk)
        })
    }
}
