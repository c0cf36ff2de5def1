//! A matching of inputs to outputs.

use crate::cell::{NONE, Port};
use alloc::vec;
use alloc::vec::Vec;

/// At most one output for each input and at most one input for each output.
///
/// Stored by input alone: the transfer needs no more, and a scheduler that needs the other
/// direction keeps its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matching {
    outputs: Vec<Port>,
}

impl Matching {
    /// The empty matching.
    pub fn new(ports: usize) -> Self {
        Self { outputs: vec![NONE; ports] }
    }

    /// Removes all pairs.
    #[inline]
    pub fn clear(&mut self) {
        self.outputs.fill(NONE);
    }

    /// Matches `input` with `output`.
    #[inline]
    pub fn add(&mut self, input: usize, output: usize) {
        debug_assert!(self.outputs[input] == NONE, "input {input} is matched twice");
        debug_assert!(!self.outputs.contains(&(output as Port)), "output {output} is matched twice");
        self.outputs[input] = output as Port;
    }

    /// Matches every input `i` with output `(i + shift) mod N`, for `shift < N`.
    #[inline]
    pub fn shift(&mut self, shift: usize) {
        let (ports, shift) = (self.outputs.len() as Port, shift as Port);
        for (input, place) in (0..).zip(&mut self.outputs) {
            let output: Port = input + shift;
            // Below zero is beyond all ports.
            *place = output.min(output.wrapping_sub(ports));
        }
    }

    /// Takes over a full matching: for each input its output.
    #[inline]
    pub fn assign(&mut self, outputs: &[Port]) {
        self.outputs.copy_from_slice(outputs);
    }

    /// For each input its output, or [`NONE`].
    #[inline]
    pub fn outputs(&self) -> &[Port] {
        &self.outputs
    }
}
