//! Round-robin matching in which an input chooses one VOQ before outputs grant: what DRRM and EDRRM
//! share. They differ in where pointers go.

use super::Matching;
use crate::cell::{NONE, Port};
use crate::observe::{Event, Observer, begin_iteration};
use crate::port_set::PortSet;
use crate::switch::Side;
use alloc::vec;
use alloc::vec::Vec;

/// The pointers, and the requests of a slot.
#[derive(Clone, Debug)]
pub(super) struct InputFirst<const W: usize> {
    /// By input: an output, from which its round robin begins.
    input_pointers: Vec<Port>,
    /// By output: an input.
    output_pointers: Vec<Port>,
    /// By input: the output that it requests, or [`NONE`].
    requested: Vec<Port>,
    /// By output: the inputs that request it. Empty but during a slot.
    requests: Vec<PortSet<W>>,
    /// Outputs that are requested and have not granted.
    waiting: PortSet<W>,
}

impl<const W: usize> InputFirst<W> {
    pub(super) fn new(ports: usize) -> Self {
        Self {
            input_pointers: vec![0; ports],
            output_pointers: vec![0; ports],
            requested: vec![NONE; ports],
            requests: vec![PortSet::EMPTY; ports],
            waiting: PortSet::EMPTY,
        }
    }

    /// The port after another, cyclically.
    pub(super) fn beyond(&self, port: usize) -> usize {
        let next = port + 1;
        if next == self.requested.len() { 0 } else { next }
    }

    /// Every input requests the output of the non-empty VOQ at or next after its pointer.
    pub(super) fn request<O: Observer + ?Sized>(&mut self, rows: &[PortSet<W>], observer: &mut O) {
        for (input, row) in rows.iter().enumerate() {
            let Some(output) = row.first_from(usize::from(self.input_pointers[input])) else {
                self.requested[input] = NONE;
                continue;
            };
            self.requested[input] = output as Port;
            self.requests[output].insert(input);
            self.waiting.insert(output);
        }
        begin_iteration(observer, &self.waiting, |output| self.requests[output]);
    }

    /// The next output, ascending, grants the request at or next after its pointer: the pair is
    /// matched. None if all have granted.
    pub(super) fn next_grant<O: Observer + ?Sized>(
        &mut self,
        matching: &mut Matching,
        observer: &mut O,
    ) -> Option<(usize, usize)> {
        let output = self.waiting.first_from(0)?;
        self.waiting.remove(output);
        let requests = core::mem::replace(&mut self.requests[output], PortSet::EMPTY);
        let input = requests.first_from(usize::from(self.output_pointers[output]));
        let input = input.expect("an output that waits to grant has a request");
        observer.observe(Event::Grant { output: output as Port, input: input as Port });
        observer.observe(Event::Accept { input: input as Port, output: output as Port });
        matching.add(input, output);
        Some((input, output))
    }

    /// The output that an input has requested in vain.
    pub(super) fn refused(&self, input: usize, matching: &Matching) -> Option<usize> {
        let output = self.requested[input];
        (output != NONE && matching.outputs()[input] == NONE).then_some(usize::from(output))
    }

    /// Sets the pointer of an input.
    pub(super) fn point_input<O: Observer + ?Sized>(&mut self, input: usize, output: usize, observer: &mut O) {
        move_pointer(&mut self.input_pointers[input], output, (Side::Input, input), observer);
    }

    /// Sets the pointer of an output.
    pub(super) fn point_output<O: Observer + ?Sized>(&mut self, output: usize, input: usize, observer: &mut O) {
        move_pointer(&mut self.output_pointers[output], input, (Side::Output, output), observer);
    }

    pub(super) fn state(&self, visit: &mut dyn FnMut(&'static str, &[Port])) {
        visit("grant pointers, by output", &self.output_pointers);
        visit("request pointers, by input", &self.input_pointers);
    }
}

fn move_pointer<O: Observer + ?Sized>(pointer: &mut Port, to: usize, (side, port): (Side, usize), observer: &mut O) {
    let (before, after) = (*pointer, to as Port);
    *pointer = after;
    if before != after {
        observer.observe(Event::Pointer { side, port: port as Port, before, after });
    }
}
