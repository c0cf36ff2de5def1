//! One iteration of request, grant and accept by round robin, as iSLIP and its relatives have it.

use super::{Matching, bits};
use crate::cell::Port;
use alloc::vec;
use alloc::vec::Vec;

const NO_GRANT: Port = Port::MAX;

/// The pointers of all ports, and room for one iteration.
#[derive(Clone, Debug)]
pub(super) struct RoundRobin {
    /// By output: the input with the highest priority.
    grant: Vec<Port>,
    /// By input: the output with the highest priority.
    accept: Vec<Port>,
    /// By input: how far beyond its accept pointer the best granting output is. The accept step is the minimum over
    /// the grants, taken as they come; keeping the grants as bit rows was no faster at 64 ports and slower beyond.
    nearest: Vec<Port>,
}

/// Which ports are still unmatched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Free<const W: usize> {
    pub(super) inputs: [u64; W],
    pub(super) outputs: [u64; W],
}

impl<const W: usize> Free<W> {
    /// All of them.
    #[inline(always)]
    pub(super) fn all(ports: usize) -> Self {
        Self { inputs: bits::first(ports), outputs: bits::first(ports) }
    }

    /// Takes a matched pair out.
    #[inline(always)]
    pub(super) fn remove(&mut self, input: usize, output: usize) {
        bits::unset(&mut self.inputs, input);
        bits::unset(&mut self.outputs, output);
    }
}

impl RoundRobin {
    /// All pointers at 0.
    pub(super) fn new(ports: usize) -> Self {
        Self { grant: vec![0; ports], accept: vec![0; ports], nearest: vec![NO_GRANT; ports] }
    }

    /// The grant pointers, by output, and the accept pointers, by input.
    pub(super) fn pointers(&self) -> (&[Port], &[Port]) {
        (&self.grant, &self.accept)
    }

    /// One iteration over the free ports: each output grants the asking input at or next after its pointer, each input
    /// accepts the granting output at or next after its own. `accepted` is told of each new pair, and says
    /// whether both pointers move to one beyond the partner; whether any pair was made is returned.
    #[inline(always)]
    pub(super) fn iterate<const W: usize>(
        &mut self,
        columns: &[[u64; W]],
        free: &mut Free<W>,
        everything_is_free: bool,
        matching: &mut Matching,
        mut accepted: impl FnMut(usize, usize) -> bool,
    ) -> bool {
        let ports = self.grant.len();
        // The inputs that are granted, as bits: a loop over them has no branch to guess at each input.
        let mut granted = bits::empty::<W>();
        let (grant, accept) = (&mut self.grant[..ports], &mut self.accept[..ports]);
        let nearest = &mut self.nearest[..ports];
        let mut grant_from = |output: usize, pointer: Port, requests: &[u64; W]| {
            if let Some(input) = bits::next_from(requests, pointer as usize) {
                let accept = accept[input];
                let distance = positive(signed(output) - i32::from(accept), ports);
                nearest[input] = least(i32::from(nearest[input]), distance) as Port;
                bits::set(&mut granted, input);
            }
        };
        if everything_is_free {
            for (output, (column, &pointer)) in columns.iter().zip(&*grant).enumerate() {
                grant_from(output, pointer, column);
            }
        } else {
            for output in bits::ports(&free.outputs) {
                grant_from(output, grant[output], &bits::and(&columns[output], &free.inputs));
            }
        }
        for input in bits::ports(&granted) {
            let distance = core::mem::replace(&mut nearest[input], NO_GRANT);
            let output = wrap(accept[input] as usize + distance as usize, ports);
            matching.add(input, output);
            free.remove(input, output);
            if accepted(input, output) {
                grant[output] = wrap(input + 1, ports) as Port;
                accept[input] = wrap(output + 1, ports) as Port;
            }
        }
        !bits::is_empty(&granted)
    }
}

/// `port mod ports`, for a port below `2 * ports`.
#[inline(always)]
fn wrap(port: usize, ports: usize) -> usize {
    positive(signed(port) - signed(ports), ports) as usize
}

/// A port, or twice as many, of at most 4096 and so below 2^16.
#[inline(always)]
fn signed(port: usize) -> i32 {
    i32::from(port as Port)
}

/// A difference of two ports, and `ports` more if it is negative. By its sign, since the compiler makes branches of comparisons, even of selected values; and
/// this one nobody can predict.
#[inline(always)]
fn positive(difference: i32, ports: usize) -> i32 {
    difference + (difference >> 31 & signed(ports))
}

/// The smaller of two, likewise.
#[inline(always)]
fn least(one: i32, other: i32) -> i32 {
    let difference = other - one;
    one + (difference & difference >> 31)
}
