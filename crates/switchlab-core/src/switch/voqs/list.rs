//! The queues that something happens to in a slot.

use crate::cell::{NONE, Port};
use alloc::vec;
use alloc::vec::Vec;

/// So many pairs later comes the one ahead, whose record is fetched; and so many later one whose record is there, which says where its first birth is.
const AHEAD: usize = 32;
pub(super) const NEAR: usize = 16;

/// An input and an output.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pair {
    pub(crate) input: Port,
    pub(crate) output: Port,
}

impl Pair {
    #[inline(always)]
    pub(super) fn voq(self, ports: usize) -> usize {
        self.input as usize * ports + self.output as usize
    }
}

/// Inputs that have an output, side by side: who sends is as good as random, and in a list of those who do there is nothing to ask.
#[derive(Clone, Debug)]
pub(super) struct List {
    /// And room for what is looked at ahead, which may be anything.
    pairs: Vec<Pair>,
    count: usize,
}

impl List {
    /// For so many ports.
    pub(super) fn new(ports: usize) -> Self {
        Self { pairs: vec![Pair::default(); ports + AHEAD], count: 0 }
    }

    /// Lists the inputs that have an output.
    #[inline(always)]
    pub(super) fn assign(&mut self, outputs: &[Port]) {
        let mut count = 0;
        let pairs = &mut self.pairs[..];
        for (input, &output) in outputs.iter().enumerate() {
            // The next one is written over it if it is none.
            pairs[count] = Pair { input: input as Port, output };
            count += usize::from(output != NONE);
        }
        self.count = count;
    }

    /// How many.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    #[inline(always)]
    fn pairs(&self) -> &[Pair] {
        &self.pairs[..self.count]
    }

    /// The first pairs, and perhaps others.
    #[inline(always)]
    pub(super) fn first(&self) -> &[Pair] {
        &self.pairs[..AHEAD]
    }

    /// Those that come somewhat later.
    #[inline(always)]
    pub(super) fn near(&self) -> impl Iterator<Item = Pair> {
        self.pairs[NEAR..].iter().copied()
    }

    /// Each pair with the one that comes so much later.
    #[inline(always)]
    pub(super) fn around(&self) -> impl Iterator<Item = (Pair, Pair)> {
        self.pairs().iter().copied().zip(self.pairs[AHEAD..].iter().copied())
    }
}

/// All inputs of a list in which each has an output, as [`List::around`] has them. What is ahead of the last ones is no pair.
#[inline(always)]
pub(super) fn all(outputs: &[Port]) -> impl Iterator<Item = (Pair, Pair)> {
    outputs.iter().enumerate().map(|(input, &output)| {
        let ahead = outputs.get(input + AHEAD).copied().unwrap_or(NONE);
        (Pair { input: input as Port, output }, Pair { input: (input + AHEAD) as Port, output: ahead })
    })
}
