//! The trace on which first-fit fails with 2N-2 memories.

use alloc::vec::Vec;
use switchlab_core::traffic::trace::Arrival;
use switchlab_core::{Port, Slot};

/// N slots with a cell at every input, on which `psm(matcher=first-fit,placement=lowest)` fails
/// with any number of memories up to 2N-2, and does not with 2N-1. No queue becomes longer than N
/// cells. Empty for fewer than 2 ports, where one memory is enough.
///
/// All is about one departure slot, N-1. In slot s the last input has a cell for output s, due
/// then. The inputs before it have filled memories 0 to N-2, so that this cell goes to memory
/// N-1+s, the first one beyond that holds no cell due in slot N-1. In slot N-1 all memories from
/// N-1 to 2N-3 hold one.
///
/// What the inputs before it send must do three things: bring the queue of output s to the right
/// length, with N-1-s cells; not be due in slot N-1 themselves; and fit the memory of their own
/// number, so that they go there. The first N-1-s of them are for output s: that of input j is due
/// in slot s+j, in every slot s another one. The other s are for the outputs before s, one each,
/// from output s-1 down to 0: due in slots N, N+1, ..., and again that of an input is due in every
/// slot at another time. To send all of these to output 0 was rejected: it works as well, but needs
/// queues of N^2/2 cells.
pub fn first_fit_trace(ports: usize) -> Vec<Arrival> {
    if ports < 2 {
        return Vec::new();
    }
    let mut trace = Vec::with_capacity(ports * ports);
    for slot in 0..ports {
        for input in 0..ports {
            let ahead = ports - 1 - slot;
            let output = match input {
                last if last == ports - 1 => slot,
                first if first < ahead => slot,
                other => slot - 1 - (other - ahead),
            };
            trace.push(Arrival { slot: slot as Slot, input: input as Port, output: output as Port });
        }
    }
    trace
}
