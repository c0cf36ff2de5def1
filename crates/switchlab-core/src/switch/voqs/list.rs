//! The queues that something happens to in a slot.

use crate::cell::{NONE, Port};
use alloc::vec;
use alloc::vec::Vec;

/// So many pairs later comes the one ahead, whose record is fetched; and so many later one whose record is there, which says where its first birth is.
const AHEAD: usize = 64;
pub(super) const NEAR: usize = 32;

/// An input and an output.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pair {
    pub(crate) input: Port,
    pub(crate) output: Port,
}

/// A pair and where its queue is, in one word, which is made by an addition: from the low bits on 16 for the input, 16 for the output, 32 for the queue.
type Listed = u64;

#[inline(always)]
fn pair(listed: Listed) -> Pair {
    Pair { input: listed as Port, output: (listed >> 16) as Port }
}

#[inline(always)]
fn voq(listed: Listed) -> usize {
    (listed >> 32) as usize
}

/// Inputs that have an output, side by side: who sends is as good as random, and in a list of those who do there is nothing to ask.
#[derive(Clone, Debug)]
pub(super) struct List {
    /// And room for what is looked at ahead, which may be anything.
    listed: Vec<Listed>,
    count: usize,
}

/// A pair, and what comes later.
#[derive(Clone, Copy, Debug)]
pub(super) struct Around {
    pub(super) pair: Pair,
    pub(super) ahead: Pair,
    /// The queues of the two, and of one between them.
    pub(super) voq: usize,
    pub(super) voq_ahead: usize,
    pub(super) voq_near: usize,
}

impl List {
    /// For so many ports.
    pub(super) fn new(ports: usize) -> Self {
        Self { listed: vec![0; ports + AHEAD], count: 0 }
    }

    /// Lists the inputs that have an output.
    #[inline(always)]
    pub(super) fn assign(&mut self, outputs: &[Port]) {
        let (mut count, mut input) = (0, 0);
        let (listed, next_input) = (&mut self.listed[..], (outputs.len() as u64) << 32 | 1);
        for &output in outputs {
            // The next one is written over it if it is none.
            listed[count] = input + (u64::from(output) << 32 | u64::from(output) << 16);
            input += next_input;
            count += usize::from(output != NONE);
        }
        self.count = count;
    }

    /// How many.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The first queues, and perhaps others: up to the first one ahead.
    #[inline(always)]
    pub(super) fn first(&self) -> impl Iterator<Item = usize> {
        self.listed[..AHEAD].iter().map(|&listed| voq(listed))
    }

    /// Each pair with those that come later.
    #[inline(always)]
    pub(super) fn around(&self) -> impl Iterator<Item = Around> {
        let (count, listed) = (self.count, &self.listed[..]);
        let (here, near, ahead) = (&listed[..count], &listed[NEAR..][..count], &listed[AHEAD..][..count]);
        (0..count).map(move |place| Around {
            pair: pair(here[place]),
            ahead: pair(ahead[place]),
            voq: voq(here[place]),
            voq_ahead: voq(ahead[place]),
            voq_near: voq(near[place]),
        })
    }
}

/// All inputs of a list in which each has an output, as [`List::around`] has them, with their queues and those ahead. What is ahead of the last ones is no pair.
#[inline(always)]
pub(super) fn all(outputs: &[Port]) -> impl Iterator<Item = (Pair, usize, usize)> {
    let (ports, mut row) = (outputs.len(), 0);
    outputs.iter().enumerate().map(move |(input, &output)| {
        let ahead = outputs.get(input + AHEAD).copied().unwrap_or(NONE);
        let (voq, voq_ahead) = (row + output as usize, row + AHEAD * ports + ahead as usize);
        row += ports;
        (Pair { input: input as Port, output }, voq, voq_ahead)
    })
}
