//! The VOQs that a slot touches.

use super::super::Voq;
use crate::cell::{NONE, Port};
use alloc::vec;
use alloc::vec::Vec;

/// Prefetch distances, in entries: of a record, and of a head-of-line timestamp, whose record is
/// there by then and says where it is.
const FAR: usize = 64;
pub(super) const NEAR: usize = 32;

/// An input, an output and the index of their VOQ in one word, which is made by one addition: from
/// the low bits on 16 for the input, 16 for the output, 32 for the index.
type Listed = u64;

#[inline(always)]
fn ports(listed: Listed) -> (Port, Port) {
    (listed as Port, (listed >> 16) as Port)
}

#[inline(always)]
fn index(listed: Listed) -> usize {
    (listed >> 32) as usize
}

/// The inputs that have an output, that of an arrival or of a match, as a compact list. Which
/// inputs these are cannot be predicted; a loop over the list has no branch for it.
#[derive(Clone, Debug)]
pub(super) struct Worklist {
    /// `FAR` entries more than ports, which may be anything: they are only prefetched.
    listed: Vec<Listed>,
    count: usize,
}

/// An entry, and those at the prefetch distances.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) voq: Voq,
    /// The ports of the far entry.
    pub(super) upcoming: (Port, Port),
    /// Indices of VOQs.
    pub(super) near: usize,
    pub(super) far: usize,
}

impl Worklist {
    /// An empty list for `ports` ports.
    pub(super) fn new(ports: usize) -> Self {
        Self { listed: vec![0; ports + FAR], count: 0 }
    }

    /// Lists the inputs that have an output. Branch-free compaction: an input without an output is
    /// written too, and overwritten by the next.
    #[inline(always)]
    pub(super) fn assign(&mut self, outputs: &[Port]) {
        let (mut count, mut input) = (0, 0);
        let (listed, next_input) = (&mut self.listed[..], (outputs.len() as u64) << 32 | 1);
        for &output in outputs {
            listed[count] = input + (u64::from(output) << 32 | u64::from(output) << 16);
            input += next_input;
            count += usize::from(output != NONE);
        }
        self.count = count;
    }

    /// The number of entries.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The first VOQs, up to the first far one. Entries beyond these mean nothing.
    #[inline(always)]
    pub(super) fn first(&self) -> impl Iterator<Item = usize> {
        self.listed[..FAR].iter().map(|&listed| index(listed))
    }

    /// Each entry.
    #[inline(always)]
    pub(super) fn entries(&self) -> impl Iterator<Item = Entry> {
        let (count, listed) = (self.count, &self.listed[..]);
        let (here, near, far) = (&listed[..count], &listed[NEAR..][..count], &listed[FAR..][..count]);
        (0..count).map(move |place| {
            let (input, output) = ports(here[place]);
            Entry {
                voq: Voq { input: usize::from(input), output: usize::from(output), index: index(here[place]) },
                upcoming: ports(far[place]),
                near: index(near[place]),
                far: index(far[place]),
            }
        })
    }
}

/// All inputs of a perfect matching, each with the index of the far VOQ. The far VOQ of the last
/// inputs does not exist.
#[inline(always)]
pub(super) fn all(outputs: &[Port]) -> impl Iterator<Item = (Voq, usize)> {
    let (ports, mut row) = (outputs.len(), 0);
    outputs.iter().enumerate().map(move |(input, &output)| {
        let far_output = outputs.get(input + FAR).copied().unwrap_or(NONE);
        let (index, far) = (row + usize::from(output), row + FAR * ports + usize::from(far_output));
        row += ports;
        (Voq { input, output: usize::from(output), index }, far)
    })
}
