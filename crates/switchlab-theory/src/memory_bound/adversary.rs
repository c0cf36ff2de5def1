//! Traces on which a switch fails with one memory too few, for every size.

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

/// A trace on which no matcher can place the cells of the last slot, if `psm(matcher=maximum)` has
/// placed those before with `memories` memories, N to 2N-2 of them. `first-fit` and `greedy` place
/// them likewise, all with `placement=lowest`. Empty for other numbers of memories.
///
/// It turns the counting of lemma 1 round. Take m = M-N+1 outputs, 1 to N-1 of them.
///
/// 1. The ramp brings their queues to N cells each. They are filled one after the other with N
///    cells in a slot, and those that wait for the others lose a cell in each: the first ones are
///    made longer, a staircase. No cell has conflicts with more than m-1 others due with it and N-1
///    of its slot, which is one less than there are memories: so nothing fails here.
/// 2. In each of N slots each of the outputs has one cell. All m are due in the same slot, as the
///    first of that slot, and so they are given memories 0 to m-1.
/// 3. In the next slot N cells arrive for another output, whose queue is empty. They are due in the
///    N slots for which memories 0 to m-1 hold cells. So they fit the other N-1 memories only:
///    Hall's condition does not hold.
pub fn staircase_trace(ports: usize, memories: usize) -> Vec<Arrival> {
    let (mut slot, mut trace) = (0, Vec::new());
    let ramps = ramps(ports, memories);
    for (output, &(slots, mut cells)) in ramps.iter().enumerate() {
        for _ in 0..slots {
            let now = cells.min(ports);
            cells -= now;
            send(&mut trace, slot, (0..now).map(|_| output));
            slot += 1;
        }
    }
    if !ramps.is_empty() {
        for _ in 0..ports {
            send(&mut trace, slot, 0..ramps.len());
            slot += 1;
        }
        send(&mut trace, slot, (0..ports).map(|_| ramps.len()));
    }
    trace
}

/// The cells that queues have to hold for [`staircase_trace`].
pub fn staircase_capacity(ports: usize, memories: usize) -> usize {
    // The first queue is the longest, before a cell leaves in the last slot of its ramp.
    ramps(ports, memories).first().map_or(0, |&(slots, cells)| cells + 1 - slots)
}

/// How the queue of each output of the staircase is filled: in that number of slots, with that
/// number of cells.
fn ramps(ports: usize, memories: usize) -> Vec<(usize, usize)> {
    if ports < 2 || !(ports..=2 * ports - 2).contains(&memories) {
        return Vec::new();
    }
    let mut ramps = Vec::new();
    let mut later = 0;
    for _ in 0..memories + 1 - ports {
        // A queue gains all cells of a slot but one.
        let length = ports + later;
        let slots = length.div_ceil(ports - 1);
        later += slots;
        ramps.push((slots, length + slots));
    }
    ramps.reverse();
    ramps
}

/// Cells of a slot for these outputs, from input 0 on.
fn send(trace: &mut Vec<Arrival>, slot: usize, outputs: impl Iterator<Item = usize>) {
    let cells = (0..).zip(outputs).map(|(input, output)| (input, output as Port));
    trace.extend(cells.map(|(input, output)| Arrival { slot: slot as Slot, input, output }));
}

/// A trace on which `psm-flows(matcher=first-fit,placement=lowest)` fails with any number of
/// memories up to N+P-2, for any number of flows, and does not with N+P-1 (theorem 2). With M
/// memories it fails in slot M, at the last input. Empty if N+P-2 is 0.
///
/// One flow has all its cells at the last input. Alone, its first P-1 cells go to memories 0 to
/// P-2. In each slot after that it has one more, after j cells for output j, in the j-th of these
/// slots, from 0. These are the first cells of their flows, and so take memories 0 to j-1. Of the
/// last P-1 cells of the first flow, the j oldest were given memories 0 to j-1, and the others j to
/// P-2 and, later, P-1 to P-2+j. So it goes to memory P-1+j, and in the end there is none: N-1
/// memories are written, and P-1 others hold its last cells.
pub fn stripe_trace(ports: usize, stripe: usize) -> Vec<Arrival> {
    if ports == 0 || stripe == 0 || ports + stripe < 3 {
        return Vec::new();
    }
    let mut trace = Vec::with_capacity(stripe + ports * (ports + 1) / 2);
    for slot in 0..stripe - 1 + ports {
        let others = slot.saturating_sub(stripe - 1);
        send(&mut trace, slot, (0..others).map(|_| others));
        trace.push(Arrival { slot: slot as Slot, input: (ports - 1) as Port, output: 0 });
    }
    trace
}
