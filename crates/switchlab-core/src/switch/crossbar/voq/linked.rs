//! VOQs as linked lists in one arena, [`Queues`]: the fewest instructions for each cell.

use super::{Dequeued, Enqueued, Matched, Voq, VoqStore};
use crate::cell::{Cell, Port, Slot};
use crate::port_set::PortSet;
use crate::switch::queues::Queues;
use alloc::vec::Vec;

/// Linked lists. The store knows neither the length nor the tag of a VOQ.
#[derive(Clone, Debug)]
pub struct Linked {
    queues: Queues,
}

impl VoqStore for Linked {
    const BYTES_PER_CELL: usize = Queues::BYTES_PER_CELL;
    const KEEPS_LENGTHS: bool = false;

    fn fixed_bytes(ports: usize) -> u64 {
        Queues::fixed_bytes(ports * ports, 0)
    }

    fn new(ports: usize) -> Self {
        Self { queues: Queues::new(ports * ports) }
    }

    /// Which inputs have an arrival is random: a loop over a set has no branch for it.
    #[inline(always)]
    fn enqueue_all<const W: usize>(
        &mut self,
        now: Slot,
        arrivals: &[Port],
        mut on_enqueue: impl FnMut(Enqueued),
    ) -> usize {
        let ports = arrivals.len();
        let mut queues = self.queues.open(ports);
        let sending = PortSet::<W>::named(arrivals);
        for input in sending.iter() {
            let output = arrivals[input];
            let voq = Voq { input, output: usize::from(output), index: input * ports + usize::from(output) };
            queues.push_uncounted(voq.index, now);
            on_enqueue(Enqueued { voq, length: 0, upcoming: (input as Port, output) });
        }
        let arrived = sending.len();
        queues.count(arrived, 0);
        arrived
    }

    /// A loop over a set here too: which inputs are matched cannot be predicted, nor, in a perfect
    /// matching, which VOQs are empty.
    #[inline(always)]
    fn dequeue_matched<const W: usize>(
        &mut self,
        _: Slot,
        matched: Matched<'_>,
        departures: &mut [Cell],
        mut on_dequeue: impl FnMut(Dequeued) -> u32,
    ) -> usize {
        let (outputs, ports) = (matched.outputs, matched.outputs.len());
        let departures = &mut departures[..ports];
        let mut queues = self.queues.open(0);
        let sending = if matched.perfect { queues.waiting::<W>(outputs) } else { PortSet::<W>::named(outputs) };
        let mut departed = sending.len();
        for input in sending.iter() {
            let output = usize::from(outputs[input]);
            let voq = Voq { input, output, index: input * ports + output };
            if !matched.perfect && !matched.nonempty && queues.is_empty(voq.index) {
                departed -= 1;
                continue;
            }
            debug_assert!(
                !queues.is_empty(voq.index),
                "input {input}: its VOQ for output {output} is matched, but empty"
            );
            let (_, born, emptied) = queues.pop_uncounted(voq.index);
            departures[output] = Cell { born, input: input as Port };
            on_dequeue(Dequeued { voq, length: 0, tag: 0, emptied });
        }
        queues.count(0, departed);
        departed
    }

    fn head_arrival(&self, voq: usize, _: Slot) -> Option<Slot> {
        (!self.queues.is_empty(voq)).then(|| self.queues.born(self.queues.first(voq)))
    }

    fn cells(&self) -> u64 {
        self.queues.length()
    }

    fn lengths(&self) -> Vec<u32> {
        self.queues.lengths()
    }
}
